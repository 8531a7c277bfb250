//! Random tasks, reports, orders of completion, interruptions, budgets and crashes.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use domain::lineage::AgentType;
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};
use domain::task::{Task, TaskStatus};
use orchestration::{
    Action, Begun, Bound, Ending, Evidence, Limits, Orchestration, Refusal, Start, Work,
    failed_report,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What an agent reports, how many tokens it took, and what else happens in that moment.
#[derive(Debug, Clone)]
struct Moment {
    report: u8,
    refused: Refusal,
    tokens: u64,
    /// Which of the running agents reports.
    who: usize,
    interrupts: bool,
    crashes: bool,
}

fn refusal() -> impl Strategy<Value = Refusal> {
    let last = |bound| Refusal::Last {
        tool: "t".to_owned(),
        bound,
    };
    prop_oneof![
        4 => Just(Refusal::Nothing),
        2 => Just(Refusal::Passing),
        1 => Just(last(Bound::Type)),
        1 => Just(last(Bound::Everybody)),
    ]
}

fn moment() -> impl Strategy<Value = Moment> {
    (
        0..10_u8,
        refusal(),
        0..200_u64,
        any::<usize>(),
        proptest::bool::weighted(0.01),
        proptest::bool::weighted(0.1),
    )
        .prop_map(
            |(report, refused, tokens, who, interrupts, crashes)| Moment {
                report,
                refused,
                tokens,
                who,
                interrupts,
                crashes,
            },
        )
}

fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let needs = proptest::collection::vec(any::<u16>(), 1..=12);
    needs.prop_map(|masks| {
        let task = |(index, mask): (usize, &u16)| Task {
            id: format!("t{index}"),
            agent_type: "coder".to_owned(),
            goal: "Do it.".to_owned(),
            inputs: Vec::new(),
            depends_on: (0..index)
                .filter(|n| mask & (1 << n) != 0 && mask & (1 << (n + 2)) != 0)
                .map(|n| format!("t{n}"))
                .collect(),
            expected_artifacts: Vec::new(),
        };
        let mut all: Vec<Task> = masks.iter().enumerate().map(task).collect();
        // Any order will do.
        all.sort_by_key(|t| masks[t.id[1..].parse::<usize>().unwrap()] % 7);
        all
    })
}

fn report(kind: u8) -> Report {
    let mut report = failed_report("broke");
    if kind < 3 {
        report.status = ReportStatus::Failed;
        report.summary = if kind == 0 {
            report.summary
        } else {
            "No.".to_owned()
        };
        return report;
    }
    report.summary = "Yes.".to_owned();
    report.failure_reason = None;
    report.source = ReportSource::ToolOutput;
    report.status = if kind < 5 {
        ReportStatus::Partial
    } else {
        ReportStatus::Success
    };
    report.result_quality = match kind {
        5 => ResultQuality::Uncertain,
        3 | 6 | 7 => ResultQuality::Inferred,
        _ => ResultQuality::Verified,
    };
    report
}

/// The run as an observer sees it, with what must hold at every moment.
struct Watch {
    tasks: BTreeMap<String, Task>,
    limits: Limits,
    running: Vec<Start>,
    ends: BTreeMap<String, TaskStatus>,
    begun: Vec<Begun>,
    begun_as: BTreeMap<String, (usize, usize)>,
    spent: u64,
    ending: Option<Ending>,
}

impl Watch {
    fn take(&mut self, actions: Vec<Action>, may_repeat: bool) {
        let was_out_of_budget = self.limits.tokens.is_some_and(|most| self.spent >= most);
        for action in actions {
            assert_eq!(self.ending, None, "nothing comes after the end");
            match action {
                Action::Move {
                    task_id, status, ..
                } => {
                    if matches!(status, TaskStatus::Waiting | TaskStatus::Running) {
                        assert!(
                            !self.ends.contains_key(&task_id),
                            "{task_id} moved after its end"
                        );
                        continue;
                    }
                    let before = self.ends.insert(task_id.clone(), status);
                    let same = before == Some(status) && may_repeat;
                    assert!(before.is_none() || same, "{task_id} ended twice");
                    if status == TaskStatus::Skipped {
                        assert!(!self.begun.iter().any(|b| b.label == task_id));
                    }
                }
                Action::Start(start) => {
                    assert!(!was_out_of_budget, "started without tokens");
                    self.started(start);
                }
                Action::Finish(ending) => self.ending = Some(ending),
            }
        }
    }

    fn started(&mut self, start: Start) {
        let task = &self.tasks[&start.task_id];
        assert!(!self.ends.contains_key(&task.id), "{} had ended", task.id);
        for needed in &task.depends_on {
            assert_eq!(
                self.ends.get(needed),
                Some(&TaskStatus::Done),
                "before its inputs"
            );
        }
        assert!(
            !self.running.iter().any(|r| r.task_id == task.id),
            "twice at once"
        );
        let counts = self.begun_as.entry(task.id.clone()).or_default();
        match start.work {
            Work::Do => counts.0 += 1,
            Work::Check => counts.1 += 1,
        }
        assert!(counts.0 <= 2, "more than one retry");
        assert!(counts.1 <= 1, "more than one second look");
        assert_eq!(
            start.again.is_some(),
            counts.0 == 2 && start.work == Work::Do
        );
        self.begun.push(Begun {
            label: start.label.clone(),
            agent_type: start.agent_type.clone(),
            outcome: None,
        });
        self.running.push(start);
        assert!(
            self.running.len() <= self.limits.at_once,
            "too many at once"
        );
    }

    fn note(&mut self, start: &Start, outcome: &Evidence, tokens: u64) {
        let open = self.begun.iter_mut().rev().find(|b| b.label == start.label);
        open.unwrap().outcome = Some(outcome.clone());
        self.spent += tokens;
    }
}

/// Plays a run to its end and returns how it ended.
fn play(tasks: Vec<Task>, limits: Limits, moments: &[Moment]) -> (Watch, Orchestration) {
    let mut watch = Watch {
        tasks: tasks.iter().map(|t| (t.id.clone(), t.clone())).collect(),
        limits: limits.clone(),
        running: Vec::new(),
        ends: BTreeMap::new(),
        begun: Vec::new(),
        begun_as: BTreeMap::new(),
        spent: 0,
        ending: None,
    };
    let mut whole = Orchestration::new(tasks.clone(), limits.clone());
    watch.take(whole.begin(), false);
    let mut moments = moments.iter().cycle();
    for _ in 0..200 {
        if watch.ending.is_some() {
            break;
        }
        let now = moments.next().unwrap();
        assert!(
            !watch.running.is_empty(),
            "nothing runs and nothing has ended"
        );
        if now.crashes {
            // The log has what was begun; whoever has not reported was cut short.
            watch.running.clear();
            // What is left now, as whoever takes it up counts it.
            let left = Limits {
                tokens: limits.tokens.map(|all| all.saturating_sub(watch.spent)),
                ..limits.clone()
            };
            whole = Orchestration::rebuilt(tasks.clone(), left, watch.begun.clone());
            for begun in &mut watch.begun {
                let cut = || Evidence {
                    report: failed_report("cut"),
                    refused: Refusal::Nothing,
                };
                begun.outcome.get_or_insert_with(cut);
            }
            watch.take(whole.begin(), true);
        } else if now.interrupts {
            watch.running.clear();
            watch.take(whole.interrupt(), false);
            assert_eq!(watch.ending, Some(Ending::Interrupted));
        } else {
            let start = watch.running.remove(now.who % watch.running.len());
            let outcome = Evidence {
                report: report(now.report),
                refused: now.refused.clone(),
            };
            watch.note(&start, &outcome, now.tokens);
            watch.take(whole.reported(&start.label, outcome, now.tokens), false);
        }
    }
    (watch, whole)
}

fn limits(at_once: usize, tokens: Option<u64>, has_checker: bool) -> Limits {
    let agent = |name: &str| AgentType::new(name).unwrap();
    Limits {
        at_once,
        tokens,
        checker: has_checker.then(|| agent("researcher")),
        stand_ins: [(agent("coder"), agent("sysadmin"))].into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_task_ends_once_and_in_order(
        tasks in tasks(),
        moments in proptest::collection::vec(moment(), 1..60),
        at_once in 1..6_usize,
        tokens in proptest::option::of(0..2_000_u64),
        has_checker in any::<bool>(),
    ) {
        let count = tasks.len();
        let (watch, whole) = play(tasks, limits(at_once, tokens, has_checker), &moments);
        prop_assert!(watch.ending.is_some(), "it goes on for ever");
        prop_assert_eq!(watch.ends.len(), count);
        let done = watch.ends.values().filter(|s| **s == TaskStatus::Done).count();
        match watch.ending {
            Some(Ending::Complete) => {
                prop_assert_eq!((done, whole.short().count()), (count, 0));
            }
            Some(Ending::Nothing) => prop_assert_eq!(done, 0),
            Some(Ending::Partial) => prop_assert!(done > 0 && whole.short().count() > 0),
            Some(Ending::Interrupted) | None => {}
        }
        for (task, status, _, report) in whole.standing() {
            prop_assert_eq!(watch.ends[&task.id], status);
            if status == TaskStatus::Done {
                prop_assert!(report.is_some(), "done without a report");
            }
        }
    }

    #[test]
    fn the_same_events_give_the_same_actions(
        tasks in tasks(), moments in proptest::collection::vec(moment(), 1..40)
    ) {
        let order = || {
            let (watch, _) = play(tasks.clone(), limits(3, Some(1_500), true), &moments);
            let labels: Vec<String> = watch.begun.into_iter().map(|b| b.label).collect();
            labels
        };
        prop_assert_eq!(order(), order());
    }

    /// A crash at any point, with everything that was begun having reported, changes nothing.
    #[test]
    fn a_rebuilt_run_goes_on_where_it_was(
        tasks in tasks(), moments in proptest::collection::vec(moment(), 1..40)
    ) {
        let calm: Vec<Moment> = moments
            .into_iter()
            .map(|m| Moment { interrupts: false, crashes: false, ..m })
            .collect();
        let limits = limits(2, None, true);
        let (watch, whole) = play(tasks.clone(), limits.clone(), &calm);
        let mut again = Orchestration::rebuilt(tasks, limits, watch.begun);
        let actions = again.begin();
        prop_assert!(!actions.iter().any(|a| matches!(a, Action::Start(_))), "done work is repeated");
        let ends = |o: &Orchestration| -> Vec<(String, TaskStatus)> {
            o.standing().map(|(t, s, ..)| (t.id.clone(), s)).collect()
        };
        prop_assert_eq!(ends(&again), ends(&whole));
    }
}

#[test]
fn two_independent_tasks_overlap_and_the_third_waits_for_both() {
    let task = |id: &str, needs: &[&str]| Task {
        id: id.to_owned(),
        agent_type: "coder".to_owned(),
        goal: "Do it.".to_owned(),
        inputs: Vec::new(),
        depends_on: needs.iter().map(|&n| n.to_owned()).collect(),
        expected_artifacts: Vec::new(),
    };
    let tasks = vec![task("join", &["a", "b"]), task("a", &[]), task("b", &[])];
    let mut whole = Orchestration::new(tasks, limits(4, None, true));
    let started = |actions: &[Action]| -> Vec<String> {
        let starts = actions.iter().filter_map(|action| match action {
            Action::Start(start) => Some(start.label.clone()),
            _ => None,
        });
        starts.collect()
    };
    assert_eq!(started(&whole.begin()), ["a", "b"]);
    let good = || Evidence {
        report: report(9),
        refused: Refusal::Nothing,
    };
    assert_eq!(
        started(&whole.reported("b", good(), 5)),
        Vec::<String>::new()
    );
    assert_eq!(started(&whole.reported("a", good(), 5)), ["join"]);
    let (_, inputs) = whole.with_inputs("join").unwrap();
    let names: BTreeSet<&str> = inputs.iter().map(|input| input.task_id).collect();
    assert_eq!(names, BTreeSet::from(["a", "b"]));
    let last = whole.reported("join", good(), 5);
    assert_eq!(last.last(), Some(&Action::Finish(Ending::Complete)));
    assert_eq!(whole.spent(), 15);
    assert_eq!(whole.reported("join", good(), 5), Vec::new());
}

#[test]
fn what_was_refused_is_tried_by_another_type_and_dependants_of_a_failure_are_skipped() {
    let task = |id: &str, needs: &[&str]| Task {
        id: id.to_owned(),
        agent_type: "coder".to_owned(),
        goal: "Do it.".to_owned(),
        inputs: Vec::new(),
        depends_on: needs.iter().map(|&n| n.to_owned()).collect(),
        expected_artifacts: Vec::new(),
    };
    let mut whole = Orchestration::new(
        vec![task("a", &[]), task("b", &["a"])],
        limits(4, None, false),
    );
    let _ = whole.begin();
    let failed = |refused| Evidence {
        report: report(1),
        refused,
    };
    let actions = whole.reported("a", failed(Refusal::Passing), 1);
    let Some(Action::Start(second)) = actions.last() else {
        unreachable!("a second try: {actions:?}");
    };
    assert_eq!(second.agent_type.as_str(), "sysadmin");
    assert_eq!(second.again.as_deref(), Some("broke"));
    let actions = whole.reported("a", failed(Refusal::Nothing), 1);
    assert_eq!(
        actions,
        [
            Action::Move {
                task_id: "a".to_owned(),
                status: TaskStatus::Failed,
                reason: "broke".to_owned()
            },
            Action::Move {
                task_id: "b".to_owned(),
                status: TaskStatus::Skipped,
                reason: "needs `a`, which failed".to_owned()
            },
            Action::Finish(Ending::Nothing),
        ]
    );
}

#[test]
fn what_every_agent_is_refused_is_not_tried_again_and_why_is_said() {
    for (bound, agent_type, reason) in [
        (
            Bound::User,
            "coder",
            Some("the user said no to `delete_file`"),
        ),
        (
            Bound::Everybody,
            "coder",
            Some("`delete_file` was refused, as to every agent"),
        ),
        (Bound::Type, "coder", None),
        (
            Bound::Type,
            "sysadmin",
            Some("`delete_file` was refused, and there is no type of agent that can do more"),
        ),
    ] {
        let task = Task {
            id: "a".to_owned(),
            agent_type: agent_type.to_owned(),
            goal: "Do it.".to_owned(),
            inputs: Vec::new(),
            depends_on: Vec::new(),
            expected_artifacts: Vec::new(),
        };
        let mut whole = Orchestration::new(vec![task.clone()], limits(4, None, false));
        let _ = whole.begin();
        let outcome = Evidence {
            report: report(1),
            refused: Refusal::Last {
                tool: "delete_file".to_owned(),
                bound,
            },
        };
        let begun = Begun {
            label: "a".to_owned(),
            agent_type: AgentType::new(agent_type).unwrap(),
            outcome: Some(outcome.clone()),
        };
        let actions = whole.reported("a", outcome, 1);
        let again = actions.iter().any(|one| matches!(one, Action::Start(_)));
        assert_eq!(again, reason.is_none(), "{bound:?} {actions:?}");
        if let Some(reason) = reason {
            let failed = Action::Move {
                task_id: "a".to_owned(),
                status: TaskStatus::Failed,
                reason: format!("broke; not tried again: {reason}"),
            };
            assert_eq!(actions, [failed, Action::Finish(Ending::Nothing)]);
        }
        // A process that goes on after a kill comes to the same.
        let mut after = Orchestration::rebuilt(vec![task], limits(4, None, false), vec![begun]);
        assert_eq!(after.begin(), actions);
    }
}

#[test]
fn what_was_used_before_a_crash_is_counted_once() {
    let task = |id: &str| Task {
        id: id.to_owned(),
        agent_type: "coder".to_owned(),
        goal: "Do it.".to_owned(),
        inputs: Vec::new(),
        depends_on: Vec::new(),
        expected_artifacts: Vec::new(),
    };
    let begun = Begun {
        label: "a".to_owned(),
        agent_type: AgentType::new("coder").unwrap(),
        outcome: Some(Evidence {
            report: report(9),
            refused: Refusal::Nothing,
        }),
    };
    // Of a budget the purse has 100 tokens left, whatever the first task took of it.
    let left = limits(1, Some(100), false);
    let mut whole = Orchestration::rebuilt(vec![task("a"), task("b")], left, vec![begun]);
    let actions = whole.begin();
    assert_eq!(whole.spent(), 0);
    let starts = |one: &Action| matches!(one, Action::Start(start) if start.task_id == "b");
    assert!(actions.iter().any(starts), "{actions:?}");
}
