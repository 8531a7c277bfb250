//! A run in a shell with job control: begun in the background, stopped, and brought back.

use scenarios::Scene;
use serde_json::json;
use testkit::{Reply, Seated};

/// What the shell says when a job is stopped.
const STOPPED: &str = "Stopped";
/// The end of a question.
const QUESTION: &str = "message to the agent: ";

/// A run that asks whether it may write a file, as `"$@"` of a shell.
fn shell(scene: &Scene) -> Seated {
    let run = ["run", "--allow-write", ".", "write a note"];
    let carl = scene.house.ask(run).env("TERM", "xterm").env("PS1", "sh> ");
    let mut shell = carl.in_shell();
    shell.until("sh> ");
    shell
}

fn scene() -> Scene {
    let arguments = json!({"path": "note.txt", "content": "hello\n", "mode": "create"});
    Scene::new([Reply::call("write_file", arguments), Reply::text("Done.")])
}

/// Says yes, and leaves the shell once the answer is there.
fn answers(mut shell: Seated, scene: &Scene) {
    shell.until(QUESTION);
    shell.types("y");
    // What the key sends: a line ends with it where the settings are those of lines.
    shell.types("\r");
    shell.until("Done.");
    shell.until("sh> ");
    shell.types("exit\n");
    shell.finish();
    assert!(scene.house.has("note.txt"));
}

#[test]
fn a_run_from_the_background_takes_an_answer_after_fg() {
    let scene = scene();
    let mut shell = shell(&scene);
    shell.types("\"$@\" &\r");
    shell.until(STOPPED);
    shell.types("fg\n");
    answers(shell, &scene);
}

#[test]
fn a_run_that_was_stopped_and_sent_to_the_background_takes_an_answer_after_fg() {
    let gate = testkit::Gate::new();
    let arguments = json!({"path": "note.txt", "content": "hello\n", "mode": "create"});
    let scene = Scene::new([
        Reply::text("Begun. ")
            .and_wait(&gate)
            .and_call("write_file", arguments),
        Reply::text("Done."),
    ]);
    let mut shell = shell(&scene);
    shell.types("\"$@\"\n");
    shell.until("(the chosen provider");
    shell.types("\u{1a}");
    shell.until(STOPPED);
    shell.types("bg\n");
    gate.open();
    shell.until(STOPPED);
    shell.types("fg\n");
    answers(shell, &scene);
}
