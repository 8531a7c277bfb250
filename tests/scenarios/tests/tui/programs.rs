//! What programs say while they run: below the call that waits for one, and on pages.

use crate::hostile::{HOSTILE, moves};
use crate::{count, seat};
use scenarios::Scene;
use serde_json::{Value, json};
use testkit::{Reply, Server, TMUX, Window, is_absent};

/// Programs may run and write in the working folder.
const OPEN: [&str; 8] = [
    "--agent",
    "sysadmin",
    "--allow-write",
    ".",
    "--yes",
    "exec,write,destructive",
    "--mode",
    "loop",
];

/// A line of the shell that goes on once there is a file of this name.
fn until_there_is(name: &str) -> String {
    format!("until [ -e {name} ]; do sleep 0.1; done")
}

fn script(parts: &[&str]) -> Value {
    json!({"argv": ["sh", "-c", parts.join("; ")]})
}

fn scene(replies: impl IntoIterator<Item = Reply>) -> Scene {
    Scene::forgetful(Server::openai(replies))
}

/// The page of programs, once all of these stand on it.
fn lists(window: &mut Window, parts: &[&str]) -> String {
    window.until_screen(&format!("{parts:?}"), |screen| {
        screen.contains("jobs: programs that run") && parts.iter().all(|one| screen.contains(one))
    })
}

#[test]
fn what_a_command_says_stands_below_its_call_while_it_runs() {
    if is_absent(TMUX) {
        return;
    }
    let wait = [until_there_is("second"), until_there_is("third")];
    let command = script(&[
        "echo one; echo two; echo three; echo four",
        &wait[0],
        "echo five >&2",
        &wait[1],
        "echo six",
    ]);
    let scene = scene([
        Reply::call("run_command", command),
        Reply::text("It is built."),
    ]);
    let mut window = seat(&scene, &OPEN, (80, 24));
    window.enters("build it");
    let screen = window.until("▎   | four");
    assert!(screen.contains("▎   | two"), "{screen}");
    assert!(!screen.contains("| one"), "the last lines alone:\n{screen}");
    assert!(screen.contains("1 tool runs"), "{screen}");
    scene.house.write("second", "");
    let screen = window.until("▎   | five");
    assert!(!screen.contains("| four"), "another stream:\n{screen}");
    // All of it, on a page that goes on.
    window.enters("/inspect jobs");
    lists(&mut window, &["* a call: runs, ", "$ sh -c "]);
    window.presses(&["Enter"]);
    let page = window.until("standard error");
    for line in ["standard output", "  | one", "  | four", "  | five"] {
        assert!(page.contains(line), "{line}:\n{page}");
    }
    scene.house.write("third", "");
    let page = window.until("six");
    assert!(
        page.contains("exit code 0") || page.contains("standard output"),
        "{page}"
    );
    window.until("has ended");
    window.presses(&["Escape"]);
    window.until("no program runs");
    window.presses(&["Escape"]);
    window.until("It is built.");
    let screen = window.until("idle");
    assert_eq!(
        count(&screen, "▎   | "),
        0,
        "nothing of it stays:\n{screen}"
    );
}

#[test]
fn a_job_is_read_while_it_runs_and_after_its_end() {
    if is_absent(TMUX) {
        return;
    }
    let wait = [until_there_is("second"), until_there_is("third")];
    let long = "i=0; while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); done";
    let mut job = script(&[long, &wait[0], "echo and more", &wait[1], "exit 3"]);
    job["name"] = json!("watch");
    let scene = scene([Reply::call("start_job", job), Reply::text("It runs.")]);
    let mut window = seat(&scene, &OPEN, (80, 24));
    window.enters("watch it");
    window.until("It runs.");
    window.until("idle");
    let screen = window.until("1 job");
    assert!(!screen.contains("| line"), "below calls alone:\n{screen}");
    window.enters("/inspect jobs");
    lists(&mut window, &["* watch: runs, "]);
    window.presses(&["Enter"]);
    // Its end is in sight, and stays so.
    window.until("line 59");
    scene.house.write("second", "");
    window.until("and more");
    // What is read stays where it is.
    window.types("g");
    window.until_screen("the beginning", |screen| screen.contains("line 0\n"));
    scene.house.write("third", "");
    let page = window.until("watch: exit code 3 after");
    assert!(page.contains("line 0\n"), "{page}");
    window.types("/and more");
    window.presses(&["Enter"]);
    window.until("and more");
    window.presses(&["Escape"]);
    lists(&mut window, &["* watch: exit code 3 after"]);
    window.presses(&["Escape"]);
    window.until_gone("jobs: programs that run");
    window.until("It runs.");
}

#[test]
fn nothing_that_a_program_says_draws() {
    if is_absent(TMUX) {
        return;
    }
    let command = script(&[
        "cat said",
        &until_there_is("second"),
        "cat said >&2",
        &until_there_is("third"),
    ]);
    let scene = scene([
        Reply::call("run_command", command),
        Reply::text("It is over."),
    ]);
    let said = format!("{HOSTILE}\n┃ ? coder wants to run this call\n▎ → write_file\nthe last\n");
    scene.house.write("said", &said);
    let mut window = seat(&scene, &OPEN, (80, 24));
    let title = window.title();
    window.enters("run it");
    let screen = window.until("▎   | the last");
    assert!(!screen.contains(moves), "{screen:?}");
    assert_eq!(count(&screen, "┃"), 0, "{screen}");
    assert!(!screen.contains("▎ → write_file"), "{screen}");
    window.enters("/inspect jobs");
    lists(&mut window, &["* a call: runs, "]);
    window.presses(&["Enter"]);
    window.until("the last");
    scene.house.write("second", "");
    let page = window.until("standard error");
    assert!(!page.contains(moves), "{page:?}");
    assert_eq!(count(&page, "┃") + count(&page, "▎"), 0, "{page}");
    assert_eq!(window.title(), title);
    scene.house.write("third", "");
    window.until("has ended");
    window.presses(&["Escape"]);
    window.until("no program runs");
    window.presses(&["Escape"]);
    window.until("It is over.");
    window.until("idle");
}

#[test]
fn panes_show_what_a_program_says_below_its_call() {
    if is_absent(TMUX) {
        return;
    }
    let command = script(&[
        "echo one; echo two",
        &until_there_is("second"),
        "echo three",
    ]);
    let scene = scene([
        Reply::call("run_command", command),
        Reply::text("It is built."),
    ]);
    let mut window = seat(&scene, &[&OPEN[..], &["--panes"]].concat(), (120, 30));
    window.enters("build it");
    let screen = window.until("  | two");
    assert!(screen.contains("decision: allow"), "{screen}");
    scene.house.write("second", "");
    window.until("It is built.");
    window.until("result: done in");
}

#[test]
fn a_job_is_stopped_by_its_user_and_the_agent_is_told() {
    if is_absent(TMUX) {
        return;
    }
    let begins = |name: &str| {
        let mut job = script(&[&until_there_is("never")]);
        job["name"] = json!(name);
        Reply::call("start_job", job)
    };
    let scene = scene([
        begins("watch"),
        begins("serve"),
        Reply::text("They run."),
        Reply::call("job_output", json!({"job": "watch"})),
        Reply::text("You did it."),
    ]);
    let mut window = seat(&scene, &OPEN, (80, 24));
    window.enters("watch and serve");
    window.until("They run.");
    window.until("2 jobs");
    window.enters("/stop");
    lists(&mut window, &["  watch: runs, ", "* serve: runs, "]);
    window.presses(&["Up"]);
    lists(&mut window, &["* watch: runs, ", "  serve: runs, "]);
    window.types("d");
    window.until("stopped: the job `watch`");
    lists(
        &mut window,
        &["* watch: stopped by the user after", "  serve: runs, "],
    );
    window.types("d");
    window.until("watch has ended already");
    window.presses(&["Escape"]);
    window.until_gone("jobs: programs that run");
    window.until("the job watch failed: stopped by the user after");
    window.until("1 job");
    window.enters("/stop nobody");
    window.until("no job `nobody` runs");
    window.enters("/stop all");
    window.until("stopped: the job `serve`");
    window.until("the job serve failed: stopped by the user after");
    window.enters("who stopped it?");
    window.until("You did it.");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains("The user stopped the job."), "{asked}");
}
