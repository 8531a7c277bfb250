//! What people see in daily use: sessions as they are shown, refusals, hints.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::Scene;
use testkit::{Gate, Reply, Server};

/// The session `last` as a person is shown it.
fn shown(scene: &Scene) -> String {
    let told = scene.house.ask(["session", "show", "last"]).run();
    told.expect(0).stdout
}

#[test]
fn a_session_shows_the_text_of_an_answer_that_was_cut() {
    let scene = Scene::new([Reply::text("The first half of it").and_cut()]);
    let outcome = scene.run(&["tell me"]);
    assert_eq!(outcome.finished.code, Some(4), "{:#}", outcome.summary);
    let text = shown(&scene);
    let part = "## Answer, broken off\n\nThe first half of it\n";
    assert!(text.contains(part), "{text}");
}

#[test]
fn a_session_shows_the_text_of_an_answer_that_was_killed() {
    let gate = Gate::new();
    let reply = Reply::text("The first half of it").and_wait(&gate);
    let scene = Scene::with(Server::openai([reply, Reply::text("Done.")]), "openai");
    let mut running = scene.house.ask(["run", "--events", "tell me"]).spawn();
    running.until("first half");
    running.kill();
    let text = shown(&scene);
    let part = "## Answer so far, no end on record\n\nThe first half of it";
    assert!(text.contains(part), "{text}");
    gate.open();
    let goes_on = scene.run(&["--session-id", "last", "and now?"]);
    goes_on.assert_ends(0, "success");
    let text = shown(&scene);
    let part = "## Answer, broken off\n\nThe first half of it";
    assert!(text.contains(part), "{text}");
}
