//! What a model may ask for: the checks on a decomposition and on a report, with answers that a
//! model can mend.

use domain::limits::{
    REPORT_SUMMARY_CHARS, SPAWN_DEPTH, TASK_ARTIFACTS, TASK_GOAL_CHARS, TASK_INPUTS,
    TASKS_PER_REQUEST,
};
use domain::lineage::AgentType;
use domain::report::{Report, ReportStatus};
use domain::task::{Decomposition, Task};
use std::collections::{BTreeMap, BTreeSet};

/// Longest input or path of a task, characters.
const LINE_CHARS: usize = 400;
/// Longest id of a task, characters.
const ID_CHARS: usize = 32;
/// Most sentences of a report's summary.
const SENTENCES: usize = 3;

/// Who may be handed a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster {
    /// Types the asking agent may start.
    pub types: BTreeSet<AgentType>,
    /// Agents in the asking agent's lineage, itself included.
    pub depth: usize,
}

/// Why a decomposition or a report cannot be used, in sentences for the model that wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join(" "))]
pub struct Mistake(pub Vec<String>);

impl Mistake {
    fn unless_empty(sentences: Vec<String>) -> Result<(), Self> {
        if sentences.is_empty() {
            Ok(())
        } else {
            Err(Self(sentences))
        }
    }
}

/// Checks a decomposition. An empty one is fine: the agent answers by itself.
///
/// # Errors
/// [`Mistake`], with every mistake that was found, each as one sentence.
pub fn check(decomposition: &Decomposition, roster: &Roster) -> Result<(), Mistake> {
    let tasks = &decomposition.tasks;
    let mut wrong = Vec::new();
    if tasks.len() > TASKS_PER_REQUEST {
        wrong.push(format!(
            "There are {} tasks; at most {TASKS_PER_REQUEST} are allowed: merge some.",
            tasks.len()
        ));
        return Err(Mistake(wrong));
    }
    if !tasks.is_empty() && roster.depth >= SPAWN_DEPTH {
        wrong.push(format!(
            "A chain of agents is at most {SPAWN_DEPTH} long: return no tasks and answer yourself."
        ));
    }
    let mut ids = BTreeSet::new();
    for task in tasks {
        check_task(task, roster, &mut wrong);
        if !ids.insert(task.id.as_str()) {
            wrong.push(format!("The id `{}` is used twice.", shown(&task.id)));
        }
    }
    for task in tasks {
        for needed in &task.depends_on {
            if !ids.contains(needed.as_str()) {
                wrong.push(format!(
                    "`{}` depends on `{}`, which is no task.",
                    shown(&task.id),
                    shown(needed)
                ));
            }
        }
    }
    if wrong.is_empty()
        && let Some(circle) = circle(tasks)
    {
        wrong.push(format!(
            "These tasks wait for each other and none could begin: {}.",
            circle.join(", ")
        ));
    }
    Mistake::unless_empty(wrong)
}

fn check_task(task: &Task, roster: &Roster, wrong: &mut Vec<String>) {
    let id = shown(&task.id);
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    if task.id.is_empty() || task.id.len() > ID_CHARS || !task.id.bytes().all(fits) {
        wrong.push(format!(
            "`{id}` cannot be an id: use 1 to {ID_CHARS} of a-z, 0-9, `_` and `-`."
        ));
    }
    let known = AgentType::new(task.agent_type.clone());
    if !known.is_ok_and(|agent_type| roster.types.contains(&agent_type)) {
        let types: Vec<&str> = roster.types.iter().map(AgentType::as_str).collect();
        wrong.push(format!(
            "`{id}` asks for the agent type `{}`; there are {}.",
            shown(&task.agent_type),
            types.join(", ")
        ));
    }
    if task.goal.trim().is_empty() {
        wrong.push(format!("`{id}` has no goal."));
    }
    if task.goal.chars().count() > TASK_GOAL_CHARS {
        wrong.push(format!(
            "The goal of `{id}` is longer than {TASK_GOAL_CHARS} characters."
        ));
    }
    if task.inputs.len() > TASK_INPUTS {
        wrong.push(format!("`{id}` has more than {TASK_INPUTS} inputs."));
    }
    if task.expected_artifacts.len() > TASK_ARTIFACTS {
        wrong.push(format!(
            "`{id}` expects more than {TASK_ARTIFACTS} artifacts."
        ));
    }
    let lines = task.inputs.iter().chain(&task.expected_artifacts);
    if lines.into_iter().any(|l| l.chars().count() > LINE_CHARS) {
        wrong.push(format!(
            "An input or artifact of `{id}` is longer than {LINE_CHARS} characters."
        ));
    }
    for path in &task.expected_artifacts {
        if let Some(why) = odd_path(path) {
            wrong.push(format!(
                "`{}`, which `{id}` is to leave behind, {why}.",
                shown(path)
            ));
        }
    }
    if task.depends_on.contains(&task.id) {
        wrong.push(format!("`{id}` depends on itself."));
    }
}

/// Why a text cannot be the path of a file that is left behind.
fn odd_path(path: &str) -> Option<&'static str> {
    if path.trim().is_empty() {
        return Some("is empty");
    }
    if path.contains("://") {
        return Some("is an address, not a path");
    }
    if path.chars().any(char::is_control) {
        return Some("holds a control character");
    }
    if path.ends_with('/') {
        return Some("names a folder; name the file");
    }
    if path.split('/').any(|part| part == "..") {
        return Some("leads upwards; write it without `..`");
    }
    None
}

/// Tasks that wait for each other, in planned order; `None` when all can be done.
fn circle(tasks: &[Task]) -> Option<Vec<&str>> {
    let mut open: BTreeMap<&str, &Task> = tasks.iter().map(|t| (t.id.as_str(), t)).collect();
    loop {
        let free: Vec<&str> = open
            .values()
            .filter(|task| {
                !task
                    .depends_on
                    .iter()
                    .any(|id| open.contains_key(id.as_str()))
            })
            .map(|task| task.id.as_str())
            .collect();
        if free.is_empty() {
            break;
        }
        for id in free {
            open.remove(id);
        }
    }
    let left = tasks.iter().map(|task| task.id.as_str());
    let left: Vec<&str> = left.filter(|id| open.contains_key(id)).collect();
    (!left.is_empty()).then_some(left)
}

/// What a model wrote, cut for an answer to it.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// Checks what the schema cannot say of a report: the number of sentences, and that a failure has a
/// reason. Sizes are checked as well, since not every server keeps a schema.
///
/// # Errors
/// [`Mistake`], for the model to mend.
pub fn check_report(report: &Report) -> Result<(), Mistake> {
    let mut wrong = Vec::new();
    if report.summary.trim().is_empty() {
        wrong.push("`summary` is empty: say in one to three sentences what came of it.".to_owned());
    }
    if report.summary.chars().count() > REPORT_SUMMARY_CHARS {
        wrong.push(format!(
            "`summary` is longer than {REPORT_SUMMARY_CHARS} characters."
        ));
    }
    if sentences(&report.summary) > SENTENCES {
        wrong.push(format!(
            "`summary` has more than {SENTENCES} sentences: keep what matters most."
        ));
    }
    let reason = report.failure_reason.as_deref().unwrap_or_default().trim();
    if report.status == ReportStatus::Failed && reason.is_empty() {
        wrong.push("`failure_reason` is needed when `status` is `failed`.".to_owned());
    }
    if reason.chars().count() > REPORT_SUMMARY_CHARS {
        wrong.push(format!(
            "`failure_reason` is longer than {REPORT_SUMMARY_CHARS} characters."
        ));
    }
    if report.artifacts.len() > 50 || report.new_memory_candidates.len() > 10 {
        wrong.push("At most 50 artifacts and 10 memory candidates.".to_owned());
    }
    let lines = report.artifacts.iter().map(|a| (a, LINE_CHARS));
    let facts = report.new_memory_candidates.iter().map(|c| (c, 300));
    if lines
        .chain(facts)
        .any(|(line, most)| line.chars().count() > most)
    {
        wrong.push("An artifact or a memory candidate is too long.".to_owned());
    }
    Mistake::unless_empty(wrong)
}

/// Sentences of a text: stretches with a word that end in `.`, `!` or `?` before a blank or the end.
fn sentences(text: &str) -> usize {
    let mut count = 0;
    let mut has_word = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        has_word |= c.is_alphanumeric();
        let ends =
            matches!(c, '.' | '!' | '?') && characters.peek().is_none_or(|n| n.is_whitespace());
        if ends && has_word {
            count += 1;
            has_word = false;
        }
    }
    count + usize::from(has_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::report::{ReportSource, ResultQuality};

    fn task(id: &str, needs: &[&str]) -> Task {
        Task {
            id: id.to_owned(),
            agent_type: "coder".to_owned(),
            goal: "Do it.".to_owned(),
            inputs: Vec::new(),
            depends_on: needs.iter().map(|&n| n.to_owned()).collect(),
            expected_artifacts: Vec::new(),
        }
    }

    fn roster() -> Roster {
        let types = ["coder", "researcher"].map(|t| AgentType::new(t).unwrap());
        Roster {
            types: types.into(),
            depth: 1,
        }
    }

    fn complaint(tasks: Vec<Task>) -> String {
        match check(&Decomposition { tasks }, &roster()) {
            Ok(()) => String::new(),
            Err(mistake) => mistake.to_string(),
        }
    }

    #[test]
    fn what_can_be_done_passes() {
        assert_eq!(complaint(Vec::new()), "");
        let tasks = vec![task("b", &["a"]), task("a", &[]), task("c", &["a", "b"])];
        assert_eq!(complaint(tasks), "");
    }

    #[test]
    fn every_mistake_is_named_for_the_model() {
        let odd = |change: fn(&mut Task)| {
            let mut one = task("a", &[]);
            change(&mut one);
            vec![one]
        };
        let table = [
            (vec![task("a", &[]), task("a", &[])], "used twice"),
            (vec![task("A b", &[])], "cannot be an id"),
            (vec![task("", &[])], "cannot be an id"),
            (vec![task("a", &["z"])], "`z`, which is no task"),
            (vec![task("a", &["a"])], "depends on itself"),
            (
                vec![task("a", &["b"]), task("b", &["a"]), task("c", &[])],
                "none could begin: a, b.",
            ),
            (
                odd(|t| t.agent_type = "wizard".to_owned()),
                "there are coder, researcher",
            ),
            (odd(|t| t.goal = " ".to_owned()), "no goal"),
            (
                odd(|t| t.goal = "x".repeat(TASK_GOAL_CHARS + 1)),
                "longer than 2000",
            ),
            (
                odd(|t| t.inputs = vec![String::new(); TASK_INPUTS + 1]),
                "16 inputs",
            ),
            (odd(|t| t.inputs = vec!["x".repeat(401)]), "longer than 400"),
            (
                odd(|t| t.expected_artifacts = vec!["../x".to_owned()]),
                "leads upwards",
            ),
            (
                odd(|t| t.expected_artifacts = vec!["out/".to_owned()]),
                "names a folder",
            ),
            (
                odd(|t| t.expected_artifacts = vec!["https://x/y".to_owned()]),
                "is an address",
            ),
            (
                odd(|t| t.expected_artifacts = vec!["a\nb".to_owned()]),
                "control character",
            ),
        ];
        for (tasks, word) in table {
            let said = complaint(tasks);
            assert!(said.contains(word), "{word}: {said}");
        }
    }

    #[test]
    fn the_most_tasks_pass_and_one_more_does_not() {
        let many = |count: usize| (0..count).map(|n| task(&format!("t{n}"), &[])).collect();
        assert_eq!(complaint(many(TASKS_PER_REQUEST)), "");
        assert!(complaint(many(TASKS_PER_REQUEST + 1)).contains("at most 12"));
    }

    #[test]
    fn the_last_of_a_chain_hands_nothing_out() {
        let deep = Roster {
            depth: SPAWN_DEPTH,
            ..roster()
        };
        let some = Decomposition {
            tasks: vec![task("a", &[])],
        };
        assert!(check(&some, &deep).is_err());
        assert!(check(&Decomposition { tasks: Vec::new() }, &deep).is_ok());
    }

    #[test]
    fn a_report_has_three_sentences_and_a_reason_for_failing() {
        let report = |summary: &str, status, reason: Option<&str>| Report {
            status,
            summary: summary.to_owned(),
            artifacts: Vec::new(),
            result_quality: ResultQuality::Inferred,
            source: ReportSource::ToolOutput,
            new_memory_candidates: Vec::new(),
            failure_reason: reason.map(str::to_owned),
        };
        let ok = ReportStatus::Success;
        assert!(check_report(&report("One. Two v1.2! Three in a.txt", ok, None)).is_ok());
        assert!(check_report(&report("One. Two. Three. Four.", ok, None)).is_err());
        assert!(check_report(&report("", ok, None)).is_err());
        assert!(check_report(&report(&"x".repeat(601), ok, None)).is_err());
        assert!(check_report(&report("No.", ReportStatus::Failed, None)).is_err());
        assert!(check_report(&report("No.", ReportStatus::Failed, Some("why"))).is_ok());
    }
}
