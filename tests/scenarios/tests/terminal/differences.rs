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
        "diff --git a/old.txt b/notes/moved.txt\nrename from old.txt\nrename to notes/moved.txt\n",
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

/// Has git take back what `carl diff` prints.
fn taken_back_by_git(house: &House) {
    let patch = house.ask(["diff"]).run().expect(0).stdout;
    house.write("change.patch", &patch);
    let mut git = Command::new("git");
    git.args(["apply", "-R", "change.patch"]);
    let git = git.current_dir(house.work()).output().unwrap();
    assert!(git.status.success(), "{git:?}\n{patch}");
}

#[test]
fn what_is_printed_is_a_patch_that_git_takes_back() {
    let house = changed();
    taken_back_by_git(&house);
    assert_eq!(house.read("one.txt"), "first\ndraft\nlast\n");
    assert_eq!(house.read("old.txt"), "stays\ndraft\n");
    assert_eq!(house.read("gone.txt"), "was here\n");
    assert!(!house.has("notes/new.txt") && !house.has("notes/moved.txt"));
}

#[test]
fn the_patch_keeps_line_ends_marks_and_a_missing_last_line_end() {
    let texts = [
        ("windows.txt", "one\r\ndraft\r\n"),
        ("marked.txt", "\u{feff}one\ndraft\n"),
        ("open.txt", "one\ndraft"),
        ("old_mac.txt", "p1\rdraft\rp3\n"),
    ];
    let house = House::new();
    for (name, text) in texts {
        house.write(name, text);
    }
    let mut more: &[&str] = &[];
    for (name, _) in texts {
        by_rules(&house, more, &format!("replace draft with final in {name}"));
        more = &["--session-id", "last"];
    }
    assert!(house.read("windows.txt").contains("final\r\n"));
    taken_back_by_git(&house);
    for (name, text) in texts {
        assert_eq!(house.read(name), text, "{name}");
    }
}

#[test]
fn a_file_that_was_deleted_and_one_that_came_to_its_place_are_one_that_changed() {
    let house = House::new();
    house.write("f/one.txt", "1\n");
    by_rules(&house, &[], "delete f/one.txt");
    let more = ["--session-id", "last"];
    by_rules(&house, &more, "create f/one.txt with the text \"2\"");
    let shown = house.ask(["diff"]).run().expect(0).stdout;
    assert!(shown.contains("-1\n+2\n"), "{shown}");
    assert_eq!(shown.matches("+++ ").count(), 1, "{shown}");
}

#[test]
fn nothing_behind_a_link_in_the_way_is_shown() {
    let house = House::new();
    house.write("sub/s.txt", "draft\n");
    house.write("secret/s.txt", "TOPSECRET\n");
    by_rules(&house, &[], "replace draft with final in sub/s.txt");
    std::fs::rename(house.work().join("sub"), house.work().join("sub.old")).unwrap();
    std::os::unix::fs::symlink("secret", house.work().join("sub")).unwrap();
    let shown = house.ask(["diff"]).run().expect(0);
    let all = format!("{}{}", shown.stdout, shown.stderr);
    assert!(!all.contains("TOPSECRET"), "{all}");
    assert!(all.contains("sub/s.txt was changed since"), "{all}");
}

#[test]
fn a_copy_that_is_gone_is_told_and_never_stands_in_a_patch() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    let changed = by_rules(&house, &[], "replace draft with final in one.txt");
    drop(changed);
    let undo = house.home().join(".local/state/housecarl/undo");
    let session = std::fs::read_dir(undo).unwrap().flatten().next().unwrap();
    std::fs::remove_dir_all(session.path().join("copies")).unwrap();
    let shown = house.ask(["diff"]).run().expect(3);
    assert_eq!(shown.stdout, "");
    assert!(shown.stderr.contains("one.txt is left out"), "{shown:#?}");
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
fn a_file_that_was_changed_and_then_deleted_is_no_others_change() {
    let house = House::new();
    house.write("v.dat", "one\n");
    by_rules(&house, &[], "append \"two\" to v.dat");
    let more = ["--session-id", "last"];
    by_rules(&house, &more, "delete v.dat");
    let shown = house.ask(["diff"]).run().expect(0);
    assert!(shown.stdout.contains("-one\n"), "{shown:#?}");
    assert!(!shown.stderr.contains("since"), "{shown:#?}");
    // The control: somebody puts a file there.
    house.write("v.dat", "three\n");
    let shown = house.ask(["diff"]).run().expect(0);
    assert!(
        shown.stderr.contains("v.dat was changed since"),
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
    let shown = house.ask(["diff"]).run().expect(0);
    assert_eq!(shown.stdout, "");
    for part in [
        "one.txt was changed since",
        "one.txt cannot stand in a patch",
    ] {
        assert!(shown.stderr.contains(part), "{shown:#?}");
    }
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
