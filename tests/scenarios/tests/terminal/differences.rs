//! `carl diff` and `/diff`: what a session changed in files, taken together.

use std::process::Command;
use testkit::flags::{CHANGES, WRITES};
use testkit::{Finished, House};

fn by_rules(house: &House, more: &[&str], task: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    let run = house.ask(args).args(WRITES).args(CHANGES);
    run.args(more.iter().copied()).arg(task).run().expect(0)
}

/// Several changes by one session: of one file twice, a new one, a renamed one, a deleted one, and one
/// that came and went.
fn changed() -> House {
    let house = House::new();
    house.write("one.txt", "first\ndraft\nlast\n");
    house.write("old.txt", "stays\ndraft\n");
    house.write("gone.txt", "was here\n");
    by_rules(&house, &[], "delete gone.txt");
    for task in [
        "create brief.txt with the text \"for a moment\"",
        "delete brief.txt",
        "replace draft with text in one.txt",
        "replace text with final in one.txt",
        "create notes/new.txt with the text \"hello\"",
        "move old.txt to notes/moved.txt",
        "replace draft with done in notes/moved.txt",
    ] {
        by_rules(&house, &["--session-id", "last"], task);
    }
    house
}

#[test]
fn the_changes_of_a_session_are_shown_together() {
    let house = changed();
    let shown = house.ask(["diff"]).run().expect(0).stdout;
    for part in [
        "--- a/one.txt\n+++ b/one.txt\n",
        " first\n-draft\n+final\n last\n",
        "--- /dev/null\n+++ b/notes/new.txt\n",
        "+hello\n",
        "rename from old.txt\nrename to notes/moved.txt\n",
        "-draft\n+done\n",
        "--- a/gone.txt\n+++ /dev/null\n",
        "-was here\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(
        !shown.contains("brief.txt") && !shown.contains("+text"),
        "{shown}"
    );
    let stat = house.ask(["diff", "--stat"]).run().expect(0).stdout;
    let lines: Vec<&str> = stat.lines().map(str::trim).collect();
    let wanted = [
        "+0     -1  gone.txt",
        "+1     -1  one.txt",
        "+1     -0  notes/new.txt",
        "+1     -1  notes/moved.txt",
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn what_is_printed_is_a_patch_that_git_takes_back() {
    let house = House::new();
    house.write("one.txt", "first\ndraft\nlast\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    let more = ["--session-id", "last"];
    by_rules(&house, &more, "create new.txt with the text \"hello\"");
    let patch = house.ask(["diff"]).run().expect(0).stdout;
    house.write("change.patch", &patch);
    let mut git = Command::new("git");
    git.args(["apply", "-R", "change.patch"]);
    let git = git.current_dir(house.work()).output().unwrap();
    assert!(git.status.success(), "{git:?}\n{patch}");
    assert_eq!(house.read("one.txt"), "first\ndraft\nlast\n");
    assert!(!house.has("new.txt"));
}

#[test]
fn what_was_taken_back_is_not_shown_and_what_somebody_else_changed_is_said() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    house.write("two.txt", "draft\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    let more = ["--session-id", "last"];
    by_rules(&house, &more, "replace draft with final in two.txt");
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    let shown = house.ask(["diff"]).run().expect(0);
    assert!(!shown.stdout.contains("two.txt"), "{shown:#?}");
    assert!(!shown.stderr.contains("since"), "{shown:#?}");
    house.write("one.txt", "final\nand mine\n");
    let shown = house.ask(["diff"]).run().expect(0);
    assert!(shown.stdout.contains("+and mine\n"), "{shown:#?}");
    assert!(
        shown.stderr.contains("one.txt was changed since"),
        "{shown:#?}"
    );
}

#[test]
fn a_file_that_is_a_pipe_by_now_is_told_and_not_waited_for() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    std::fs::remove_file(house.work().join("one.txt")).unwrap();
    let made = Command::new("mkfifo")
        .arg(house.work().join("one.txt"))
        .status();
    assert!(made.unwrap().success());
    let shown = house.ask(["diff"]).run().expect(0).stdout;
    assert!(shown.contains("-draft\n+(cannot be shown"), "{shown}");
}

#[test]
fn a_chat_shows_what_it_changed_and_no_text_of_a_file_reaches_the_terminal_raw() {
    let house = House::new();
    house.write("one.txt", "draft \u{1b}[2J\u{202e}\n");
    let mut lines = [
        "replace draft with final in one.txt",
        "/diff",
        "/undo",
        "/diff",
        "/quit",
    ]
    .into_iter();
    let chat = house.ask(["chat", "--mode", "deterministic"]).args(WRITES);
    let talk = chat
        .env("TERM", "dumb")
        .talking(&["> "], |_, _| lines.next().unwrap_or("/quit").to_owned());
    let screen = format!("{}{}", talk.finished.stdout, talk.finished.stderr);
    assert!(
        screen.contains("+final") && screen.contains("-draft"),
        "{screen}"
    );
    assert!(
        screen.contains("changed no file, or took it all back"),
        "{screen}"
    );
    assert!(
        !screen.contains("\u{1b}[2J") && !screen.contains('\u{202e}'),
        "{screen:?}"
    );
}
