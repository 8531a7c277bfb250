//! The view context under random conversations: well formed, smaller when it must be, only
//! growing at its end in between, and the same when it is folded again from what it said it did.

use context::prompt::{Layer, LayerKind};
use context::{
    Budget, Compacted, JOURNAL_NUDGE, JournalEntry, Plan, Shape, Speaker, View, Why, transcript,
};
use domain::context::CompactionCause;
use domain::id::CallId;
use domain::message::{Message, ToolCall};
use domain::tool::ToolName;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use uuid::Uuid;

#[derive(Debug, Clone)]
enum Step {
    Request(usize),
    Answer(usize),
    Calls(Vec<usize>),
    Journal(usize),
    Pin,
    Compact,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (1_usize..800).prop_map(Step::Request),
        3 => (1_usize..800).prop_map(Step::Answer),
        4 => proptest::collection::vec(0_usize..6_000, 1..4).prop_map(Step::Calls),
        1 => (1_usize..900).prop_map(Step::Journal),
        1 => Just(Step::Pin),
        2 => Just(Step::Compact),
    ];
    proptest::collection::vec(step, 1..40)
}

/// What a log would hold.
#[derive(Debug, Clone)]
enum Said {
    Request(String),
    Reply(Message),
    Result(Message),
    Journal(JournalEntry, CallId),
    Pin(u64),
    Compacted(Box<Compacted>),
}

fn fold(view: &mut View, seq: u64, said: &Said) {
    view.at(seq);
    match said {
        Said::Request(text) => view.begin_turn(seq, text.clone(), Speaker::User),
        Said::Reply(message) => {
            view.seen();
            view.add(seq, message.clone());
        }
        Said::Result(message) => view.add(seq, message.clone()),
        Said::Journal(entry, call) => view.journal(entry.clone(), Some(*call)),
        Said::Pin(pinned) => view.pin(*pinned, true),
        Said::Compacted(done) => {
            view.compacted(
                done.through,
                done.summary.clone().map(|summary| summary.lines),
                done.shortened_through,
                done.journal_characters,
            );
            view.show_of_newest(done.newest_characters);
        }
    }
}

fn fresh() -> View {
    let mut view = View::new();
    view.set_system("Standing instructions.".to_owned());
    let layer = Layer {
        kind: LayerKind::Identity,
        source: String::new(),
        text: "You are a test.".to_owned(),
        fence: context::prompt::Fence::None,
    };
    view.set_layers(&[layer], 10_000);
    view
}

struct World {
    view: View,
    log: Vec<Said>,
    calls: u128,
    budget: u64,
}

impl World {
    fn new(budget: u64) -> Self {
        let mut world = Self {
            view: fresh(),
            log: Vec::new(),
            calls: 0,
            budget,
        };
        world.says(Said::Request("request 0 of 4711".to_owned()));
        world
    }

    fn says(&mut self, said: Said) {
        let seq = self.log.len() as u64 + 1;
        fold(&mut self.view, seq, &said);
        self.log.push(said);
    }

    fn call(&mut self, name: &str) -> ToolCall {
        self.calls += 1;
        ToolCall {
            call_id: CallId::from_uuid(Uuid::from_u128(self.calls)),
            name: name.to_owned(),
            arguments: json!({"path": "notes.md"}),
        }
    }

    /// Whether it rebuilt the view.
    fn take(&mut self, step: &Step) -> bool {
        match step {
            Step::Request(size) => {
                let number = self.log.len();
                let text = format!("request {number}: never {number}. {}", "r".repeat(*size));
                self.says(Said::Request(text));
            }
            Step::Answer(size) => {
                self.says(Said::Reply(reply("a".repeat(*size), Vec::new())));
            }
            Step::Calls(results) => {
                let calls: Vec<ToolCall> = results.iter().map(|_| self.call("read_file")).collect();
                self.says(Said::Reply(reply(String::new(), calls.clone())));
                for (call, size) in calls.iter().zip(results) {
                    self.says(Said::Result(result(call, &"é".repeat(*size))));
                }
            }
            Step::Journal(size) => {
                let call = self.call("journal");
                self.says(Said::Reply(reply(String::new(), vec![call.clone()])));
                let seq = self.log.len() as u64;
                let entry = JournalEntry {
                    seq: seq + 1,
                    time: "2026-11-21T20:41:07Z".parse().unwrap(),
                    title: "noted".to_owned(),
                    text: "j".repeat(*size),
                    through: seq - 1,
                };
                self.says(Said::Journal(entry, call.call_id));
                self.says(Said::Result(result(&call, "Written.")));
            }
            Step::Pin => self.says(Said::Pin(1)),
            Step::Compact => {
                let Some(plan) = self.view.plan(self.budget, Why::Mark) else {
                    return false;
                };
                let done = self.view.carry_out(&plan, None);
                self.says(Said::Compacted(Box::new(done)));
                return true;
            }
        }
        false
    }
}

fn reply(text: String, tool_calls: Vec<ToolCall>) -> Message {
    Message::Assistant {
        text,
        thinking: None,
        tool_calls,
    }
}

fn result(call: &ToolCall, text: &str) -> Message {
    Message::Tool {
        call_id: call.call_id,
        name: ToolName::nearest(&call.name),
        text: text.to_owned(),
    }
}

fn assert_well_formed(messages: &[Message]) -> Result<(), TestCaseError> {
    let mut open: BTreeSet<CallId> = BTreeSet::new();
    let first = matches!(messages[0], Message::System { .. });
    prop_assert!(first);
    let second = matches!(&messages[1], Message::User { text } if text.starts_with("<context name=\"identity\">") && text.contains("The user's request:\nrequest "));
    prop_assert!(second, "{:?}", messages[1]);
    let mut users = 0;
    for message in &messages[1..] {
        match message {
            Message::Tool { call_id, .. } => prop_assert!(open.remove(call_id), "orphan result"),
            Message::Assistant { tool_calls, .. } => {
                prop_assert!(open.is_empty(), "a call lost its result");
                open.extend(tool_calls.iter().map(|call| call.call_id));
                users = 0;
            }
            Message::User { .. } => {
                users += 1;
                prop_assert_eq!(users, 1, "two messages of the user in a row");
            }
            Message::System { .. } | Message::Picture { .. } => {
                prop_assert!(false, "{message:?} where none was said");
            }
        }
    }
    prop_assert!(open.is_empty(), "a call lost its result");
    Ok(())
}

proptest! {
    #[test]
    fn any_conversation_stays_well_formed_and_folds_again_to_the_same(
        steps in steps(),
        budget in 300_u64..4_000,
    ) {
        let mut world = World::new(budget);
        for step in &steps {
            world.take(step);
            assert_well_formed(&world.view.messages())?;
        }
        let mut again = fresh();
        for (said, seq) in world.log.iter().zip(1..) {
            fold(&mut again, seq, said);
        }
        prop_assert_eq!(again.messages(), world.view.messages());
    }

    #[test]
    fn between_rebuildings_a_prompt_is_the_beginning_of_the_next(
        steps in steps(),
        budget in 300_u64..4_000,
    ) {
        let mut world = World::new(budget);
        let mut before = String::new();
        for step in &steps {
            let rebuilt = world.take(step);
            let now = transcript(&world.view.messages());
            // To pin what is out of view brings it back into view, in front.
            if rebuilt || matches!(step, Step::Pin) {
                before.clear();
            }
            // A message that follows one of its own role is sent as one with it.
            let begins = now.starts_with(before.trim_end());
            prop_assert!(begins, "{step:?}\n{before}\n->\n{now}");
            // The call that wrote the journal is in passing.
            if !now.contains("calls journal") {
                before = now;
            }
        }
    }

    #[test]
    fn a_rebuilding_keeps_the_newest_request_and_every_rule(
        steps in steps(),
        budget in 300_u64..4_000,
    ) {
        let mut world = World::new(budget);
        for step in &steps {
            world.take(step);
        }
        let Some(plan) = world.view.plan(budget, Why::Mark) else { return Ok(()) };
        let before = world.view.estimate();
        let done = world.view.carry_out(&plan, None);
        prop_assert_eq!(done.before_tokens, before);
        world.says(Said::Compacted(Box::new(done.clone())));
        prop_assert_eq!(world.view.estimate(), done.after_tokens);
        let shown = transcript(&world.view.messages());
        for said in &world.log {
            if let Said::Request(text) = said
                && let Some(rule) = text.split(": ").nth(1)
            {
                let rule = rule.split('.').next().unwrap();
                prop_assert!(shown.contains(rule), "{rule} is gone:\n{shown}");
            }
        }
    }

    #[test]
    fn the_view_is_what_is_sent_and_adds_up_to_the_estimate(
        steps in steps(),
        reported in 1_u64..10_000,
    ) {
        let mut world = World::new(2_000);
        world.view.calibrate(8_000, reported);
        for step in &steps {
            world.take(step);
        }
        let view = world.view.inspect(Budget::of(4_096), Some(990), None);
        let text: String = view.parts.iter().map(|part| part.text.as_str()).collect();
        prop_assert_eq!(text, transcript(&world.view.messages()));
        let tokens: u64 = view.parts.iter().map(|part| part.tokens).sum();
        prop_assert_eq!(tokens, world.view.estimate());
    }
}

fn talk(turns: usize, size: usize) -> World {
    let mut world = World::new(2_000);
    for turn in 0..turns {
        world.says(Said::Reply(reply(
            format!("Answer {turn}. {}", "a".repeat(size)),
            Vec::new(),
        )));
        world.says(Said::Request(format!(
            "Question {turn}? {}",
            "q".repeat(size)
        )));
    }
    world
}

fn plan(world: &World) -> Plan {
    world.view.plan(world.budget, Why::Mark).unwrap()
}

#[test]
fn a_journal_stands_for_what_it_covers_and_its_call_is_gone() {
    let mut world = talk(10, 600);
    world.says(Said::Reply(reply("ok".to_owned(), Vec::new())));
    world.says(Said::Request("Go on.".to_owned()));
    world.take(&Step::Journal(40));
    let shown = transcript(&world.view.messages());
    assert!(shown.contains("calls journal") && shown.contains("Written."));
    world.says(Said::Reply(reply("Going on.".to_owned(), Vec::new())));
    let shown = transcript(&world.view.messages());
    assert!(
        !shown.contains("calls journal") && !shown.contains("Written."),
        "{shown}"
    );
    let plan = plan(&world);
    assert_eq!(plan.cause, CompactionCause::Journal);
    assert_eq!(plan.request(1_000), None, "no model is asked");
    let done = world.view.carry_out(&plan, None);
    assert!(done.shrank);
    world.says(Said::Compacted(Box::new(done)));
    let shown = transcript(&world.view.messages());
    assert!(shown.contains("## 2026-11-21T20:41 — noted"), "{shown}");
    assert!(shown.contains(&"j".repeat(40)));
    let next = world.view.plan(world.budget, Why::Mark);
    assert!(
        next.is_none_or(|next| next.cause != CompactionCause::Journal),
        "an entry bridges once"
    );
}

#[test]
fn the_reminder_leaves_with_the_journal_and_comes_once() {
    let mut world = talk(1, 10);
    assert!(world.view.may_nudge());
    let nudge = Message::User {
        text: JOURNAL_NUDGE.to_owned(),
    };
    world.says(Said::Result(nudge));
    assert!(!world.view.may_nudge());
    let last = world.view.messages().pop().unwrap();
    assert!(last.text().starts_with("Question 0?") && last.text().ends_with(JOURNAL_NUDGE));
    world.take(&Step::Journal(10));
    world.says(Said::Reply(reply("Answer.".to_owned(), Vec::new())));
    let shown = transcript(&world.view.messages());
    assert!(!shown.contains("[Housecarl:"), "{shown}");
    assert!(!world.view.may_nudge(), "told once");
}

#[test]
fn a_rolling_summary_stays_within_its_tokens_and_keeps_the_rules() {
    let mut world = World::new(4_000);
    for n in 0..24 {
        world.take(&Step::Answer(300));
        let facts = (0..4).map(|m| format!("The key of room {n}{m} hangs on hook {m}{n}7. "));
        let text = format!("{}Enter room {n} never.", facts.collect::<String>());
        world.says(Said::Request(text));
    }
    let plan = world.view.plan(world.budget, Why::Asked).unwrap();
    let whole = world.view.carry_out(&plan, None);
    let rolling = world.view.carry_out(&plan.within(200), None);
    let lines = |done: &Compacted| done.summary.clone().unwrap().lines;
    let size = |done: &Compacted| {
        lines(done)
            .iter()
            .map(|line| line.text.len())
            .sum::<usize>()
    };
    assert!(
        size(&rolling) <= 800 && 800 < size(&whole),
        "{}",
        size(&rolling)
    );
    let rules = |done: &Compacted| {
        let lines = lines(done).into_iter();
        lines.filter(|line| line.text.contains("never")).count()
    };
    assert!(rules(&rolling) > 0 && rules(&rolling) == rules(&whole));
}

#[test]
fn a_turn_too_long_by_itself_keeps_its_last_three_replies_whole() {
    let mut world = World::new(3_000);
    for _ in 0..8 {
        world.take(&Step::Calls(vec![2_000]));
    }
    let plan = plan(&world);
    assert_eq!(plan.cause, CompactionCause::Trimmed);
    let done = world.view.carry_out(&plan, None);
    assert!(done.shrank && done.dropped_messages == 0);
    world.says(Said::Compacted(Box::new(done)));
    let messages = world.view.messages();
    let whole: Vec<bool> = messages
        .iter()
        .filter(|message| matches!(message, Message::Tool { .. }))
        .map(|message| message.text().chars().count() == 2_000)
        .collect();
    assert_eq!(whole, [false, false, false, false, false, true, true, true]);
    assert!(transcript(&messages).contains("were here, in event #3.]"));
}

#[test]
fn a_failed_call_loses_its_long_arguments_at_once_and_stays_json() {
    let mut view = fresh();
    view.begin_turn(1, "Write it.".to_owned(), Speaker::User);
    let call = |number: u128, arguments| ToolCall {
        call_id: CallId::from_uuid(Uuid::from_u128(number)),
        name: "write".to_owned(),
        arguments,
    };
    let long = json!({"path": "a.txt", "text": "x".repeat(10_000)});
    let many = json!({"numbers": (0..100_000).collect::<Vec<u32>>()});
    let mendable = json!({"text": "y".repeat(3_000)});
    let calls = vec![
        call(1, long.clone()),
        call(2, long.clone()),
        call(3, many),
        call(4, mendable.clone()),
    ];
    view.add(2, reply(String::new(), calls.clone()));
    for failed in [&calls[1], &calls[2], &calls[3]] {
        view.call_failed(failed.call_id);
    }
    let messages = view.messages();
    let Some(Message::Assistant { tool_calls, .. }) = messages.last() else {
        panic!("{messages:?}");
    };
    assert_eq!(tool_calls[0].arguments, long);
    assert_eq!(tool_calls[1].arguments["path"], "a.txt");
    let cut = tool_calls[1].arguments["text"].as_str().unwrap();
    assert!(cut.ends_with(" [9600 more characters]"), "{cut}");
    assert!(tool_calls[2].arguments.is_object());
    assert!(tool_calls[2].arguments.to_string().len() < 1_000);
    assert_eq!(tool_calls[3].arguments, mendable);
}

#[test]
fn a_pinned_message_stays_word_for_word_and_an_old_one_comes_back() {
    let mut world = World::new(2_000);
    world.says(Said::Reply(reply(
        "Yes. It is one nobody pins.".to_owned(),
        Vec::new(),
    )));
    world.says(Said::Pin(1));
    for _ in 0..8 {
        world.take(&Step::Answer(700));
        world.take(&Step::Request(700));
    }
    assert!(world.take(&Step::Compact));
    let shown = transcript(&world.view.messages());
    assert!(shown.contains("#1: request 0 of 4711"), "{shown}");
    assert!(!shown.contains("nobody pins"), "{shown}");
    assert!(world.view.can_pin(2) && !world.view.can_pin(99));
    world.view.pin(2, true);
    assert!(transcript(&world.view.messages()).contains("#2: Yes. It is one nobody pins."));
}

#[test]
fn going_back_takes_what_came_after_and_a_request_that_waited() {
    let mut world = talk(2, 10);
    let before = world.view.messages();
    let to = world.log.len() as u64;
    world.says(Said::Reply(reply("Later.".to_owned(), Vec::new())));
    world.view.at(20);
    world
        .view
        .begin_turn(19, "I waited.".to_owned(), Speaker::User);
    world.view.rewind(20);
    assert!(!transcript(&world.view.messages()).contains("I waited."));
    world.view.rewind(to);
    assert_eq!(world.view.messages(), before);
}

#[test]
fn who_hands_work_out_begins_a_request_with_a_summary_its_tasks_and_the_last_reports() {
    let mut world = World::new(4_000);
    world.view.set_shape(Shape::Orchestrator, 1_000);
    let call = world.call("delegate_tasks");
    world.says(Said::Reply(reply(String::new(), vec![call.clone()])));
    world
        .view
        .tasks_stand(3, "{\"tasks\":[{\"id\":\"a\"}]}".to_owned());
    world
        .view
        .reported(3, "a: success. It is short.".to_owned());
    world.says(Said::Result(result(&call, "MARKER of a whole result")));
    world.says(Said::Reply(reply("Done as asked.".to_owned(), Vec::new())));
    let plan = |world: &World| world.view.plan(world.budget, Why::Request);
    assert_eq!(plan(&world), None, "the first request is in hand");
    let request = "And now? Never use the other disk.".to_owned();
    world.says(Said::Request(request));
    let plan_made = plan(&world).unwrap();
    let done = world.view.carry_out(&plan_made, None);
    world.says(Said::Compacted(Box::new(done)));
    let shown = transcript(&world.view.messages());
    assert!(
        !shown.contains("MARKER") && !shown.contains("calls"),
        "{shown}"
    );
    let order = [
        "Later lines replace",
        "{\"tasks\":[{\"id\":\"a\"}]}",
        "a: success. It is short.",
        "The user's request:\nAnd now?",
    ];
    let places: Vec<usize> = order.iter().map(|part| shown.find(part).unwrap()).collect();
    assert!(places.is_sorted(), "{shown}");
    assert!(
        shown.contains("4711") && shown.contains("Done as asked."),
        "{shown}"
    );
    assert_eq!(plan(&world), None, "nothing came before any more");
    // Until the next request, what is shown stays the beginning.
    world.view.reported(4, "b: success.".to_owned());
    world.take(&Step::Answer(10));
    let next = transcript(&world.view.messages());
    assert!(next.starts_with(&shown), "{next}");
    // A report of a plan's tasks is no part of the talk, and is shown with the next request.
    world.take(&Step::Request(20));
    let plan_made = plan(&world).unwrap();
    let done = world.view.carry_out(&plan_made, None);
    world.says(Said::Compacted(Box::new(done)));
    let shown = transcript(&world.view.messages());
    assert!(shown.contains("b: success."), "{shown}");
    // Talk that takes no more than a summary stays as it is.
    world.take(&Step::Answer(10));
    world.take(&Step::Request(20));
    assert_eq!(plan(&world), None);
    world.take(&Step::Answer(3_000));
    world.take(&Step::Request(20));
    assert!(plan(&world).is_some());
}

#[test]
fn what_others_reported_is_shown_to_nobody_else() {
    for shape in [Shape::Root, Shape::Child] {
        let mut world = World::new(4_000);
        world.view.set_shape(shape, 1_000);
        world
            .view
            .reported(1, "a: success. It is short.".to_owned());
        world.take(&Step::Answer(3_000));
        world.take(&Step::Request(20));
        let plan = world.view.plan(world.budget, Why::Request).unwrap();
        let done = world.view.carry_out(&plan, None);
        world.says(Said::Compacted(Box::new(done)));
        let shown = transcript(&world.view.messages());
        assert!(!shown.contains("It is short."), "{shape:?}");
    }
}

#[test]
fn steps_that_lie_behind_an_agent_at_work_for_another_are_told_in_a_line_four_at_a_time() {
    let mut world = World::new(20_000);
    world.view.set_shape(Shape::Child, 0);
    let mut before = String::new();
    let mut rebuilt_after = Vec::new();
    for step in 1..=12 {
        world.take(&Step::Calls(vec![2_000]));
        if let Some(plan) = world.view.plan(world.budget, Why::Step) {
            assert_eq!(plan.request(10_000), None, "no model is asked");
            let done = world.view.carry_out(&plan, None);
            assert!(done.shrank && done.dropped_messages == 0);
            world.says(Said::Compacted(Box::new(done)));
            rebuilt_after.push(step);
            before.clear();
        }
        let shown = transcript(&world.view.messages());
        assert!(shown.starts_with(&before), "{step}");
        before = shown;
    }
    assert_eq!(rebuilt_after, [7, 11]);
    let messages = world.view.messages();
    let results = messages
        .iter()
        .filter(|m| matches!(m, Message::Tool { .. }));
    let sizes: Vec<usize> = results.map(|one| one.text().chars().count()).collect();
    assert!(sizes[..8].iter().all(|size| *size < 260), "{sizes:?}");
    assert!(sizes[8..].iter().all(|size| *size == 2_000), "{sizes:?}");
    let first = messages.iter().find(|m| matches!(m, Message::Tool { .. }));
    let first = first.unwrap().text();
    assert!(first.contains("recall_event(3)"), "{first}");
    assert_eq!(first.lines().count(), 2, "{first}");
}

#[test]
fn steps_with_small_results_stay_as_they_are() {
    let mut world = World::new(20_000);
    world.view.set_shape(Shape::Child, 0);
    for _ in 0..9 {
        world.take(&Step::Calls(vec![100]));
    }
    let plan = world.view.plan(world.budget, Why::Step).unwrap();
    assert!(!world.view.carry_out(&plan, None).shrank);
}

/// A picture of 90 tokens.
fn picture(number: u64) -> Message {
    let picture = json!({
        "media_type": "image/png", "width": 300, "height": 225, "base64": "AAAA",
    });
    Message::Picture {
        text: format!("[picture {number}]"),
        picture: serde_json::from_value(picture).unwrap(),
    }
}

/// A conversation with so many pictures behind one request.
fn looking(pictures: u64) -> View {
    let mut view = fresh();
    view.at(1);
    view.begin_turn(1, "what is there?".to_owned(), Speaker::User);
    for number in 0..pictures {
        view.at(number + 2);
        view.add(number + 2, picture(number));
    }
    view
}

fn seen(view: &View) -> usize {
    let messages = view.messages().into_iter();
    messages
        .filter(|one| matches!(one, Message::Picture { .. }))
        .count()
}

#[test]
fn a_model_that_does_not_see_is_told_of_pictures_in_words() {
    let mut view = looking(2);
    assert_eq!(seen(&view), 0);
    let told = view.messages().pop().unwrap();
    assert!(told.text().contains("[picture 1] (not shown"), "{told:?}");
    let blind = view.characters();
    view.set_sight(true);
    assert_eq!(seen(&view), 2);
    assert!(view.characters() > blind + 2 * 90 * 3);
}

#[test]
fn the_newest_pictures_stay_in_view_up_to_the_limit() {
    let most = domain::limits::PICTURES as u64;
    for (pictures, left) in [(most, most), (most + 1, most), (3 * most, most)] {
        let mut view = looking(pictures);
        view.set_sight(true);
        assert_eq!(seen(&view) as u64, left);
        let last = view.messages().pop().unwrap();
        assert_eq!(last, picture(pictures - 1));
    }
}

#[test]
fn pictures_leave_with_the_results_that_are_shortened() {
    let mut view = looking(2);
    view.set_sight(true);
    view.compacted(None, None, Some(2), 0);
    assert_eq!(seen(&view), 1);
    let told = &view.messages()[1];
    assert!(
        told.text().contains("[picture 0] (no longer shown)"),
        "{told:?}"
    );
}
