//! What people do in the page.

use crate::{set_port, told};
use scenarios::of_kind;
use scenarios::serving::{Page, session, token};
use testkit::house::json_lines;
use testkit::http::Client;
use testkit::{Gate, Reply};

const FILE: &str = "work.mjs";

#[test]
fn an_answer_streams_across_a_reload_without_gap_or_double() {
    let gate = Gate::new();
    let counted = Reply::thinking("Numbers are needed.")
        .and_text("One, ")
        .and_text("two")
        .and_wait(&gate)
        .and_text(", three, ")
        .and_text("four.");
    let Some((_scene, _page, mut story)) = told((FILE, "streams"), [counted]) else {
        return;
    };
    story.until("in the midst");
    gate.open();
    story.go_on("");
    story.end();
}

#[test]
fn an_edit_is_allowed_by_its_difference_and_another_refused() {
    let replies = [
        set_port("8000", "9000"),
        Reply::text("The port is 9000."),
        set_port("9000", "1"),
        Reply::text("I leave it."),
    ];
    let Some((scene, _page, mut story)) = told((FILE, "questions"), replies) else {
        return;
    };
    story.until("asked");
    assert!(scene.house.read("s.toml").contains("8000"));
    story.go_on("");
    story.until("changed");
    assert!(scene.house.read("s.toml").contains("9000"));
    story.go_on("");
    story.end();
    assert!(scene.house.read("s.toml").contains("9000"));
    // Who answered is on record, and the agent was told why not.
    let log = json_lines(&scene.house.session_logs()[0]);
    let answers = of_kind(&log, "confirmation_answered");
    let by: Vec<_> = answers.iter().map(|one| &one["token"]).collect();
    assert_eq!(by, ["web", "web"]);
    let chats = scene.server.chats();
    let last = chats.last().unwrap().body["messages"].to_string();
    assert!(last.contains("ports below 1024 are taken"), "{last}");
    let audit = scene.house.audit();
    let named = audit
        .iter()
        .filter(|one| one.to_string().contains("token web"));
    assert!(named.count() >= 2, "{audit:?}");
}

#[test]
fn a_plan_is_approved_with_what_its_steps_change() {
    let Some((scene, page, story)) = told((FILE, "plans"), []) else {
        return;
    };
    // The rules make the plan: no model is asked.
    drop((page, story));
    scene.house.write("notes.md", "a draft\n");
    let more =
        "\n[chat]\ndefault_mode = \"deterministic\"\n[memory]\nrecall = false\ncapture = false\n";
    scene
        .house
        .configure(&(scene.server.config("openai") + more));
    let page = Page::begin(&scene);
    let Some(story) = testkit::Story::begin(FILE, "plans", &page.link) else {
        return;
    };
    story.end();
    assert_eq!(scene.house.read("notes.md"), "a final\n");
}

#[test]
fn what_was_asked_at_one_place_is_paged_through() {
    let replies = [
        "A pot for tea.",
        "A pot that boils.",
        "For frying.",
        "For stirring.",
        "For mixing.",
        "For sipping.",
        "For cocoa.",
    ];
    let replies = replies.map(Reply::text);
    let Some((scene, _page, story)) = told((FILE, "branches"), replies) else {
        return;
    };
    story.end();
    assert_eq!(scene.house.session_logs().len(), 4);
}

#[test]
fn two_tabs_show_one_session_and_answer_its_question_once() {
    let replies = [set_port("8000", "9000"), Reply::text("The port is 9000.")];
    let Some((_scene, _page, story)) = told((FILE, "tabs"), replies) else {
        return;
    };
    story.end();
}

#[test]
fn a_person_attends_a_session_that_a_program_opened() {
    let replies = [set_port("8000", "9000"), Reply::text("The port is 9000.")];
    let Some((scene, page, mut story)) = told((FILE, "attends"), replies) else {
        return;
    };
    story.until("which session");
    let program = Client::new(&page.url, Some(&token(&scene, "program", "chat")));
    story.go_on(&session(&program, false));
    story.end();
    assert!(scene.house.read("s.toml").contains("9000"));
}

#[test]
fn a_server_that_is_killed_and_comes_back_loses_nothing() {
    let gate = Gate::new();
    let tale = Reply::text("Once upon a time ").and_wait(&gate);
    let replies = [tale, Reply::text("They lived on.")];
    let Some((scene, page, mut story)) = told((FILE, "restart"), replies) else {
        return;
    };
    story.until("streaming");
    let address = page.url.trim_start_matches("http://").to_owned();
    page.process.kill();
    story.go_on("");
    story.until("lost");
    let page = Page::at(&scene, &address);
    story.go_on(&page.link);
    story.end();
}

#[test]
fn all_is_done_by_keyboard_and_the_focus_is_seen() {
    let replies = [set_port("8000", "9000"), Reply::text("The port is 9000.")];
    let Some((scene, _page, mut story)) = told((FILE, "keyboard"), replies) else {
        return;
    };
    story.until("too early");
    assert!(scene.house.read("s.toml").contains("8000"));
    story.go_on("");
    story.end();
    assert!(scene.house.read("s.toml").contains("9000"));
}

#[test]
fn sessions_are_found_renamed_copied_stopped_and_deleted() {
    let gate = Gate::new();
    let replies = [
        Reply::text("A pot for tea."),
        Reply::text("A pot that boils."),
        Reply::text("On and on ").and_wait(&gate),
        Reply::text("That was all."),
    ];
    let Some((scene, _page, story)) = told((FILE, "sessions"), replies) else {
        return;
    };
    story.end();
    assert_eq!(scene.house.session_logs().len(), 1);
}
