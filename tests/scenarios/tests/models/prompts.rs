//! How far a model is with a long prompt, where its server tells.

use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::house::json_lines;
use testkit::openai::Props;
use testkit::{Gate, House, Reply, Server};

fn llama(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let told = Props {
        n_ctx: 65_536,
        vision: false,
    };
    Scene::with(Server::script(replies).llama(told), "openai")
}

/// A reply before which two parts of a prompt are read, each until its gate opens.
fn slow(first: &Gate, second: &Gate) -> Reply {
    let reply = Reply::reading(2_048, 40_000).and_wait(first);
    reply
        .and_read(12_288, 40_000)
        .and_wait(second)
        .and_text("All read.")
}

fn logged(house: &House) -> String {
    std::fs::read_to_string(&house.session_logs()[0]).unwrap()
}

#[test]
fn a_terminal_shows_how_far_a_prompt_is_read() {
    let (first, second) = (Gate::new(), Gate::new());
    let scene = llama([slow(&first, &second)]);
    let run = scene.house.ask(["run", "read it all"]);
    let mut seat = run.env("TERM", "xterm").seated();
    seat.until("reading the prompt: 2,048 of 40,000 tokens, ");
    first.open();
    seat.until("reading the prompt: 12,288 of 40,000 tokens, ");
    second.open();
    let finished = seat.finish().expect(0);
    assert!(finished.stderr.contains("scripted-model"), "{finished:#?}");
    assert_eq!(scene.server.chats()[0].body["return_progress"], json!(true));
    // It was true for a moment, and no log keeps it.
    assert!(!logged(&scene.house).contains("prompt_read"));
}

#[test]
fn programs_are_not_told_how_far_a_prompt_is_read() {
    for form in ["--events", "--json"] {
        let (first, second) = (Gate::new(), Gate::new());
        let scene = llama([slow(&first, &second)]);
        first.open();
        second.open();
        let finished = scene
            .house
            .ask(["run", form, "read it all"])
            .run()
            .expect(0);
        assert!(finished.stdout.contains("All read."), "{finished:#?}");
        for output in [&finished.stdout, &finished.stderr] {
            let is_told = output.contains("12288") || output.contains("12,288");
            assert!(!is_told, "{form}: {finished:#?}");
        }
    }
}

#[test]
fn only_llama_cpps_server_is_asked_how_far_a_prompt_is() {
    let gate = Gate::new();
    let scene = Scene::new([slow(&gate, &gate)]);
    gate.open();
    let outcome = scene.run(&["read it all"]);
    assert_eq!(outcome.finished.code, Some(0), "{:#?}", outcome.finished);
    assert_eq!(scene.server.chats()[0].body.get("return_progress"), None);
}

#[test]
fn a_llama_server_that_ends_while_it_reads_is_asked_again() {
    let scene = llama([
        Reply::reading(2_048, 40_000).and_cut(),
        Reply::text("From the second try."),
    ]);
    let outcome = scene.run(&["read it all"]);
    assert_eq!(outcome.finished.code, Some(0), "{:#?}", outcome.finished);
    let log = json_lines(&scene.house.session_logs()[0]);
    let codes: Vec<_> = of_kind(&log, "notice")
        .into_iter()
        .map(|one| one["code"].clone())
        .collect();
    assert_eq!(codes, ["models.retry"], "{log:#?}");
}
