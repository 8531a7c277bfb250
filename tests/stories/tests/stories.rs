//! Each acceptance story by the shipped `carl stories`: it passes by its script, and fails by another one.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

use acceptance::{Stage, says, serve, story};
use scenarios::site;
use serde_json::{Value, json};
use stories::Said;

/// Plays a story by its script, and has it pass.
fn passes(name: &str) {
    let stage = Stage::of(&story(name));
    let ran = stage.run([name]).run();
    let told = ran.json();
    assert_eq!(told["passed"], 1, "{told:#}\n{}", ran.stderr);
    assert_eq!((&told["failed"], &told["left_out"]), (&0.into(), &0.into()));
    assert_eq!(told["stories"][0]["name"], name);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // Nothing of it is among the user's own sessions.
    assert!(stage.house.session_logs().is_empty());
}

/// Plays a story by a script that was changed, and has it fail for that.
fn fails(name: &str, change: impl FnOnce(&mut Vec<Said>, &mut Vec<Said>), why: &str) {
    let mut changed = story(name);
    change(&mut changed.given.model, &mut changed.given.judge);
    fails_on(&Stage::of(&changed), name, why);
}

/// Plays a story where it fails, and has that told with the timeline.
fn fails_on(stage: &Stage, name: &str, why: &str) {
    let ran = stage.run([name]).run();
    let told = ran.json();
    assert_eq!(told["failed"], 1, "{told:#}\n{}", ran.stderr);
    let said = told["stories"][0]["why"].to_string();
    assert!(said.contains(why), "{told:#}");
    let timeline = told["stories"][0]["timeline"].as_array().unwrap();
    let has = |name: &str| timeline.iter().any(|line| line.to_string().contains(name));
    assert!(has("query.received"), "{told:#}");
    assert_eq!(ran.code, Some(1), "{ran:#?}");
}

/// Serves the pages of a story at their addresses, and plays it there.
fn played_with_pages(test: &str, play: impl FnOnce()) {
    match site::is_inside() {
        false => site::run_inside(test),
        true => play(),
    }
}

/// A reply with another text.
fn otherwise(said: &mut Said, text: &str) {
    *said = says(text);
}

#[test]
fn s1_a_plain_question_is_answered() {
    passes("S1");
}

#[test]
fn s1_fails_where_a_tool_is_called() {
    let calls = |model: &mut Vec<Said>, _: &mut Vec<Said>| {
        model.insert(
            0,
            acceptance::calls("search_memory", json!({"query": "sums"})),
        );
    };
    fails("S1", calls, "of `tool.request.*` there are 1, and not 0");
}

#[test]
fn s2_a_follow_up_is_understood() {
    passes("S2");
}

#[test]
fn s2_fails_where_the_follow_up_is_not_understood() {
    let asks = |model: &mut Vec<Said>, _: &mut Vec<Said>| otherwise(&mut model[1], "What is `it`?");
    fails("S2", asks, "the answer says none of");
}

#[test]
fn s3_what_happens_now_is_looked_up() {
    passes("S3");
}

#[test]
fn s3_fails_where_nothing_is_looked_up() {
    let knows = |model: &mut Vec<Said>, _: &mut Vec<Said>| drop(model.remove(0));
    fails("S3", knows, "of `tool.request.web_search` there are 0");
}

#[test]
fn s4_a_page_is_searched_for_and_opened() {
    played_with_pages("s4_a_page_is_searched_for_and_opened", || {
        serve(&story("S4").given.pages);
        passes("S4");
    });
}

#[test]
fn s4_fails_where_the_page_is_not_opened() {
    played_with_pages("s4_fails_where_the_page_is_not_opened", || {
        serve(&story("S4").given.pages);
        let knows = |model: &mut Vec<Said>, _: &mut Vec<Said>| {
            model.retain(|said| said.call.as_deref() != Some("web_fetch"));
        };
        fails("S4", knows, "there is no `tool.request.web_fetch`");
    });
}

#[test]
fn s4_is_left_out_where_its_page_is_not_served() {
    let stage = Stage::of(&story("S4"));
    let told = stage.run(["S4"]).run().expect(0).json();
    assert_eq!((&told["passed"], &told["left_out"]), (&0.into(), &1.into()));
    let why = told["stories"][0]["why"].to_string();
    assert!(why.contains("is not served on this machine"), "{why}");
}

#[test]
fn s5_a_preference_is_recalled_in_another_session() {
    passes("S5");
}

#[test]
fn s5_fails_where_nothing_is_recalled() {
    let mut story = story("S5");
    story.given.model[1].when.clear();
    let stage = Stage::with(&story, "[memory]\nrecall = false\n");
    fails_on(&stage, "S5", "of `memory.recalled` with the text");
}

#[test]
fn s6_an_answer_is_graded_from_1_to_5() {
    passes("S6");
}

/// The gateway asks again where an answer fits no schema.
fn babbles(judge: &mut Vec<Said>) {
    let schema = judge[0].schema.clone();
    *judge = vec![Said {
        schema,
        again: true,
        ..says("I would say five.")
    }];
}

#[test]
fn s6_fails_where_the_judge_gives_no_grade() {
    let change = |_: &mut Vec<Said>, judge: &mut Vec<Said>| babbles(judge);
    fails("S6", change, "of `critique.result` with the score");
}

#[test]
fn s7_both_engrams_are_noted_with_the_better_answer() {
    passes("S7");
}

#[test]
fn s7_fails_where_the_judge_goes_by_the_place() {
    let change = |_: &mut Vec<Said>, judge: &mut Vec<Said>| judge[1] = judge[0].clone();
    fails("S7", change, "there is no `pairwise.result`");
}

#[test]
fn s8_the_page_is_given_grade_and_note() {
    passes("S8");
}

#[test]
fn s8_fails_where_the_page_is_given_no_grade() {
    let change = |_: &mut Vec<Said>, judge: &mut Vec<Said>| babbles(judge);
    fails("S8", change, "the page is given no `critique.result`");
}

#[test]
fn s9_a_delete_is_confirmed_and_undone() {
    passes("S9");
}

#[test]
fn s9_fails_where_nothing_is_deleted() {
    let change = |model: &mut Vec<Said>, _: &mut Vec<Said>| {
        model[0] = acceptance::calls("read_file", json!({"path": "notes.txt"}));
    };
    fails("S9", change, "there is no `confirmation.asked`");
}

#[test]
fn s10_a_page_that_gives_orders_changes_nothing() {
    played_with_pages("s10_a_page_that_gives_orders_changes_nothing", || {
        serve(&story("S10").given.pages);
        passes("S10");
    });
}

#[test]
fn s10_fails_where_the_keys_are_told() {
    played_with_pages("s10_fails_where_the_keys_are_told", || {
        serve(&story("S10").given.pages);
        let change = |model: &mut Vec<Said>, _: &mut Vec<Said>| {
            otherwise(model.last_mut().unwrap(), "The key is KEY-7351-UMBRA.");
        };
        fails("S10", change, "the answer says `KEY-7351`");
    });
}

#[test]
fn s11_a_killed_server_loses_nothing() {
    passes("S11");
}

#[test]
fn s11_fails_where_what_was_said_is_forgotten() {
    let change =
        |model: &mut Vec<Said>, _: &mut Vec<Said>| otherwise(&mut model[1], "Which lighthouse?");
    fails("S11", change, "the answer does not say `Skerryvore`");
}

#[test]
fn s12_three_agents_work_two_at_the_same_time() {
    passes("S12");
}

#[test]
fn s12_fails_where_one_agent_waits_for_the_other() {
    let change = |model: &mut Vec<Said>, _: &mut Vec<Said>| {
        let planned = model[0].json.as_mut().unwrap();
        planned["tasks"][1]["depends_on"] = Value::from(vec!["left"]);
    };
    fails("S12", change, "1 agents are at work at the same time");
}
