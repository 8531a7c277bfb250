//! `carl undo` over several files and sessions, beside what was changed by hand.

use scenarios::Scene;
use serde_json::json;
use std::path::PathBuf;
use testkit::flags::{CHANGES, WRITES};
use testkit::{Finished, House, Reply};

fn by_rules(house: &House, more: &[&str], task: &str) -> Finished {
    let args = ["run", "--json", "--mode", "deterministic"];
    let run = house.ask(args).args(WRITES).args(more.iter().copied());
    run.arg(task).run().expect(0)
}

fn id_of(changed: &Finished) -> String {
    changed.json()["session_id"].as_str().unwrap().to_owned()
}

/// Two files that were changed, each in a session of its own or both in one, the second by hand as
/// well.
fn changed_twice(is_one_session: bool) -> House {
    let house = House::new();
    house.write("one.txt", "draft one\n");
    house.write("two.txt", "draft two\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    let goes_on = ["--session-id", "last"];
    let goes_on = &goes_on[..if is_one_session { 2 } else { 0 }];
    by_rules(&house, goes_on, "replace draft with final in two.txt");
    house.write("two.txt", "my own words\n");
    house
}

#[test]
fn leaving_an_edited_file_goes_on_with_the_session_before() {
    let house = changed_twice(false);
    let undo = house.ask(["undo", "--yes", "write"]);
    let attended = undo.typing(&["[y/N] "], |_, _| "y".to_owned());
    assert_eq!(attended.finished.code, Some(0), "{attended:#?}");
    assert_eq!(house.read("one.txt"), "draft one\n");
    assert_eq!(house.read("two.txt"), "my own words\n");
}

#[test]
fn the_line_that_skips_and_approves_works_as_it_is_printed() {
    for is_one_session in [true, false] {
        let house = changed_twice(is_one_session);
        let refused = house.ask(["undo", "--skip", "two.txt"]).run().expect(5);
        let line = refused
            .stderr
            .lines()
            .find(|line| line.starts_with("  carl "));
        let words = line.unwrap().split_whitespace().skip(1);
        house.ask(words).run().expect(0);
        assert_eq!(house.read("one.txt"), "draft one\n");
        assert_eq!(house.read("two.txt"), "my own words\n");
    }
}

#[test]
fn what_is_printed_is_of_the_change_that_undo_takes_back() {
    let house = changed_twice(true);
    let _refused = house.ask(["undo", "--skip", "two.txt"]).run().expect(5);
    let printed = house.ask(["undo", "--print"]).run().expect(0);
    assert_eq!(printed.stdout, "draft one\n", "{printed:#?}");
}

#[test]
fn a_change_under_a_later_sessions_is_told_which_one_to_take_back_first() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    let first = id_of(&by_rules(
        &house,
        &[],
        "replace draft with better in one.txt",
    ));
    let later = id_of(&by_rules(
        &house,
        &[],
        "replace better with final in one.txt",
    ));
    let undo = |id: &str| house.ask(["undo", "--yes", "write", id]).run();
    let refused = undo(&first).expect(2);
    assert!(
        refused.stderr.contains("was changed since by session "),
        "{refused:#?}"
    );
    let hint = format!("`carl undo {later}` takes that change back");
    assert!(refused.stderr.contains(&hint), "{refused:#?}");
    assert!(!refused.stderr.contains("--skip"), "{refused:#?}");
    let _later = undo(&later).expect(0);
    let _first = undo(&first).expect(0);
    assert_eq!(house.read("one.txt"), "draft\n");
}

#[test]
fn a_no_to_leaving_an_edited_file_is_a_choice() {
    let house = changed_twice(true);
    let undo = house.ask(["undo", "--yes", "write"]);
    let attended = undo.typing(&["[y/N] "], |_, _| "n".to_owned());
    assert_eq!(attended.finished.code, Some(5), "{attended:#?}");
    let told = &attended.finished.stderr;
    assert!(told.contains("Nothing was taken back."), "{told}");
    assert!(told.contains("carl undo --print"), "{told}");
    assert!(!told.contains("error:"), "{told}");
    assert_eq!(house.read("one.txt"), "final one\n");
    assert_eq!(house.read("two.txt"), "my own words\n");
}

#[test]
fn a_no_to_an_undo_is_a_choice() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    let no = house.ask(["undo"]).at_terminal(|_, _| "n".to_owned());
    assert_eq!(no.finished.code, Some(5), "{no:#?}");
    let asked = &no.questions[0];
    assert!(
        asked.contains("take back what edit_file did to "),
        "{asked}"
    );
    let told = &no.finished.stderr;
    assert!(told.contains("Nothing was run."), "{told}");
    assert!(
        !told.contains("error:") && !told.contains("refused"),
        "{told}"
    );
    assert_eq!(house.read("one.txt"), "final\n");
}

#[test]
fn a_no_to_an_undo_in_a_chat_is_a_choice() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    let chat = ["chat", "--mode", "deterministic"];
    let mut seat = house.ask(chat).env("TERM", "xterm").seated();
    seat.until("/help");
    seat.types("replace draft with final in one.txt\n");
    seat.until("a message to the agent: ");
    seat.types("y\n");
    seat.until("changed ");
    seat.types("/undo\n");
    seat.until("[n]o: ");
    seat.types("n\n");
    let said = seat.until("nothing was taken back; the exchange stays");
    assert!(said.contains("denied by you"), "{said}");
    assert!(!said.contains("error:"), "{said}");
    seat.types("/quit\n");
    let finished = seat.finish();
    assert_eq!(finished.code, Some(0), "{finished:#?}");
    assert_eq!(house.read("one.txt"), "final\n");
}

#[test]
fn a_folder_that_holds_what_was_left_is_left_as_well() {
    let house = House::new();
    house.write("one.txt", "draft one\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    let goes_on = ["--session-id", "last"];
    by_rules(&house, &goes_on, "make the folder box");
    by_rules(&house, &goes_on, "create box/two.txt with hello");
    house.write("box/two.txt", "my own words\n");
    let undo = house.ask(["undo", "--yes", "write"]);
    let attended = undo.typing(&["[y/N] "], |_, _| "y".to_owned());
    assert_eq!(attended.finished.code, Some(0), "{attended:#?}");
    let asked = attended.questions.join("");
    assert!(asked.contains("has changed since"), "{attended:#?}");
    assert!(asked.contains("is not empty"), "{attended:#?}");
    assert_eq!(house.read("one.txt"), "draft one\n");
    assert_eq!(house.read("box/two.txt"), "my own words\n");
}

#[test]
fn a_file_that_was_removed_by_hand_is_said_to_be_gone() {
    let house = changed_twice(false);
    std::fs::remove_file(house.work().join("two.txt")).unwrap();
    let undo = house.ask(["undo", "--yes", "write"]);
    let attended = undo.typing(&["[y/N] "], |_, _| "y".to_owned());
    let asked = attended.questions.join("");
    assert!(asked.contains("was removed since"), "{attended:#?}");
    assert_eq!(house.read("one.txt"), "draft one\n", "{attended:#?}");
}

#[test]
fn a_question_says_which_of_many_changes_cannot_be_taken_back_and_undo_skip_leaves_it() {
    let house = House::new();
    let names = ["one", "two", "three", "four"];
    let files = names.map(|name| format!("{name}.txt"));
    for file in &files {
        house.write(file, "draft\n");
    }
    let chat = ["chat", "--mode", "deterministic", "--allow-write", "."];
    let mut seat = house.ask(chat).env("TERM", "xterm").seated();
    seat.until("/help");
    let edits = files
        .each_ref()
        .map(|file| format!("replace draft with final in {file}"));
    seat.types(&format!("{}\n", edits.join("; ")));
    seat.until("a message to the agent: ");
    seat.types("y\n");
    seat.until("four.txt");
    seat.until("> ");
    house.write("one.txt", "my own words\n");
    seat.types("/undo\n");
    let asked = seat.until("[y]es, [n]o: ");
    assert!(asked.contains("would fail: "), "{asked}");
    assert!(
        asked.contains("one.txt` has changed since edit_file"),
        "{asked}"
    );
    seat.types("y\n");
    let told = seat.until("the exchange stays");
    assert!(!told.contains("in a loop"), "{told}");
    assert!(told.contains("3 of 4 file changes taken back"), "{told}");
    let told = seat.until("asks it again.");
    assert!(told.contains("`/undo skip` leaves files"), "{told}");
    seat.types("/undo now\n");
    seat.until("takes nothing after it but `skip`");
    seat.types("/undo skip\n");
    seat.until("stays as it is, since it was changed since: one.txt");
    let told = seat.until("1 file change left, as you said");
    assert!(told.contains("taken back: replace draft"), "{told}");
    seat.leaves();
    assert_eq!(house.read("one.txt"), "my own words\n");
    assert_eq!(house.read("two.txt"), "draft\n");
}

#[test]
fn a_skip_that_takes_nothing_back_leaves_the_history() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    by_rules(&house, &[], "replace draft with final in one.txt");
    house.write("one.txt", "my own words\n");
    let skip = ["undo", "--yes", "write", "--skip", "one.txt"];
    let told = house.ask(skip).run().expect(2).stderr;
    assert!(
        told.contains("there is no other change to take back"),
        "{told}"
    );
    let attended = house
        .ask(["undo", "--yes", "write"])
        .typing(&["[y/N] "], |_, _| "y".to_owned());
    assert_eq!(attended.finished.code, Some(5), "{attended:#?}");
    assert!(
        attended.finished.stderr.contains("has changed since"),
        "{attended:#?}"
    );
    let printed = house.ask(["undo", "--print"]).run().expect(0);
    assert_eq!(printed.stdout, "draft\n");
    // As the agent left it again.
    house.write("one.txt", "final\n");
    let _undone = house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(house.read("one.txt"), "draft\n");
}

#[test]
fn an_undo_in_a_folder_that_was_renamed_says_so() {
    let house = House::new();
    house.write("proj/one.txt", "draft\n");
    let run = ["run", "--json", "--mode", "deterministic", "-C", "proj"];
    let run = house.ask(run).args(WRITES);
    let changed = run
        .arg("replace draft with final in one.txt")
        .run()
        .expect(0);
    std::fs::rename(house.work().join("proj"), house.work().join("moved")).unwrap();
    let id = id_of(&changed);
    let undo = ["undo", &id, "-C", "moved", "--yes", "write"];
    let told = house.ask(undo).run().expect(2).stderr;
    assert!(told.contains("is not there any more"), "{told}");
    let chat = [
        "session",
        "resume",
        &id,
        "-C",
        "moved",
        "--allow-write",
        "moved",
    ];
    let mut seat = house.ask(chat).env("TERM", "xterm").seated();
    seat.until("/help");
    seat.types("/undo\n");
    let said = seat.until("the exchange stays");
    assert!(
        said.contains("lay in a folder that is not there any more"),
        "{said}"
    );
    seat.leaves();
    let line = told.split('`').nth(1).unwrap();
    let print = line.split_whitespace().skip(1);
    let printed = house.ask(print).run().expect(0);
    assert_eq!(printed.stdout, "draft\n");
}

#[test]
fn an_undo_in_a_fork_names_the_session_that_can() {
    let house = House::new();
    house.write("one.txt", "draft\n");
    let changed = by_rules(&house, &[], "replace draft with final in one.txt");
    let id = id_of(&changed);
    let forked = house.ask(["session", "fork", &id]).run().expect(0).stdout;
    // A fork of a fork: the first one has no history of its own either.
    let forked = house.ask(["session", "fork", forked.trim()]).run();
    let forked = forked.expect(0).stdout;
    let chat = ["session", "resume", forked.trim(), "--allow-write", "."];
    let mut seat = house.ask(chat).env("TERM", "xterm").seated();
    seat.until("/help");
    seat.types("/undo\n");
    let said = seat.until("asks it again");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("made before the fork"), "{said}");
    assert!(said.contains(&format!("`carl undo {id}`")), "{said}");
    seat.until("> ");
    let undo = ["undo", "--yes", "write", &id];
    let _undone = house.ask(undo).run().expect(0);
    assert_eq!(house.read("one.txt"), "draft\n");
    seat.types("/undo\n");
    seat.until("taken back: ");
    seat.leaves();
}

#[test]
fn an_undo_finds_the_session_of_a_folder_above() {
    let house = House::new();
    house.write("src/one.txt", "draft\n");
    let changed = by_rules(&house, &[], "replace draft with final in src/one.txt");
    let undo = ["undo", "-C", "src", "--yes", "write"];
    let undone = house.ask(undo).run().expect(0);
    let told = format!("of session {} of the folder ", id_of(&changed));
    assert!(undone.stderr.contains(&told), "{undone:#?}");
    assert_eq!(house.read("src/one.txt"), "draft\n");
    let told = house.ask(undo).run().expect(2).stderr;
    assert!(told.contains("or of a folder above it"), "{told}");
}

#[test]
fn an_undo_takes_the_folders_own_session_first() {
    let house = House::new();
    house.write("src/one.txt", "draft\n");
    let run = ["run", "--mode", "deterministic", "-C", "src"];
    let task = "replace draft with better in one.txt";
    house.ask(run).args(WRITES).arg(task).run().expect(0);
    house.write("two.txt", "draft\n");
    by_rules(&house, &[], "replace draft with final in two.txt");
    let undo = ["undo", "-C", "src", "--yes", "write"];
    house.ask(undo).run().expect(0);
    assert_eq!(house.read("src/one.txt"), "draft\n");
    assert_eq!(house.read("two.txt"), "final\n");
    house.ask(undo).run().expect(0);
    assert_eq!(house.read("two.txt"), "draft\n");
}

#[test]
fn two_undos_at_one_time_both_take_back() {
    let edit = json!({"path": "one.txt", "old": "better", "new": "final"});
    let scene = Scene::new([
        Reply::call("edit_file", edit),
        Reply::call("yield_to_user", json!({"reason": "done"})),
    ]);
    let house = &scene.house;
    house.write("one.txt", "draft\n");
    by_rules(house, &[], "replace draft with better in one.txt");
    // An undo works in another mode, and leaves the session in its own.
    let auto = ["run", "--events", "--mode", "auto", "--session-id", "last"];
    let auto = house.ask(auto).args(WRITES).arg("polish one.txt");
    auto.run().expect(0);
    let undo = || house.ask(["undo"]).env("TERM", "xterm").seated();
    let mut one = undo();
    one.until("[n]o: ");
    let mut two = undo();
    two.until("waiting: ");
    one.types("y\n");
    one.until("its end is waited for");
    two.until("[n]o: ");
    two.types("y\n");
    two.finish().expect(0);
    one.finish().expect(0);
    assert_eq!(house.read("one.txt"), "draft\n");
    let log = &house.session_logs()[0];
    let log = house.session_log(log.file_stem().unwrap().to_str().unwrap());
    let mut profiles = log.iter().rev().map(|event| &event["profile"]["mode"]);
    let left = profiles.find(|mode| !mode.is_null());
    assert_eq!(left.unwrap(), "auto");
}

/// Where undo keeps a text.
fn copy_of(house: &House, text: &str) -> PathBuf {
    let histories = std::fs::read_dir(house.state().join("undo")).unwrap();
    let folders =
        histories.filter_map(|one| std::fs::read_dir(one.unwrap().path().join("copies")).ok());
    let mut copies = folders.flatten().map(|copy| copy.unwrap().path());
    let found = copies.find(|copy| std::fs::read_to_string(copy).unwrap() == text);
    found.unwrap()
}

/// An emptied copy is no text to restore.
#[test]
fn a_damaged_copy_is_refused_and_its_history_stays() {
    let house = House::new();
    house.write("one.txt", "draft one\n");
    house.write("two.txt", "my notes\n");
    by_rules(&house, &[], "append \"more\" to one.txt");
    let run = ["run", "--mode", "deterministic", "--session-id", "last"];
    let run = house.ask(run).args(CHANGES);
    run.arg("delete two.txt").run().expect(0);
    let copy = copy_of(&house, "my notes\n");
    let undo = |more: &[&'static str]| house.ask(["undo"]).args(more.iter().copied()).run();
    for damage in [Some("mine notes"), Some(""), None] {
        match damage {
            Some(text) => std::fs::write(&copy, text).unwrap(),
            None => std::fs::remove_file(&copy).unwrap(),
        }
        for more in [&["--yes", "write"][..], &["--print"]] {
            let told = undo(more);
            assert_ne!(told.code, Some(0), "{told:#?}");
            assert!(told.stderr.contains("copy that undo kept of"), "{told:#?}");
            assert!(told.stderr.contains("carl undo --skip "), "{told:#?}");
            assert!(!told.stdout.contains("notes"), "{told:#?}");
        }
        assert!(!house.has("two.txt"), "{damage:?}");
    }
    std::fs::write(&copy, "my notes\n").unwrap();
    assert_eq!(undo(&["--print"]).expect(0).stdout, "my notes\n");
    // The older change is reached past a copy that is gone.
    std::fs::remove_file(&copy).unwrap();
    undo(&["--yes", "write", "--skip", "two.txt"]).expect(0);
    assert_eq!(house.read("one.txt"), "draft one\n");
}

#[test]
fn a_skip_where_nothing_was_changed_speaks_of_no_change() {
    let house = House::new();
    let told = house
        .ask(["undo", "--skip", "nofile"])
        .run()
        .expect(2)
        .stderr;
    assert!(told.contains("there is no change to take back"), "{told}");
    assert!(!told.contains("can still be taken back"), "{told}");
}

#[test]
fn an_undo_of_a_session_that_changed_nothing_says_so_and_names_what_works() {
    let house = House::new();
    house.write("a.txt", "one\n");
    let looked = by_rules(&house, &[], "show a.txt");
    let id = id_of(&looked);
    let told = house.ask(["undo", &id]).run().expect(2).stderr;
    assert!(
        told.contains(&format!("session {id} has no change to take back")),
        "{told}"
    );
    assert!(!told.contains("`carl undo ID`"), "{told}");
    // One that changed something is taken back by its id.
    let changed = by_rules(&house, &[], "append \"two\" to a.txt");
    let id = id_of(&changed);
    house.ask(["undo", "--yes", "write", &id]).run().expect(0);
    assert_eq!(house.read("a.txt"), "one\n");
}

#[test]
fn one_undo_takes_back_all_that_a_request_changed() {
    let house = House::new();
    house.write("s.toml", "port = 80\n");
    by_rules(&house, &[], "create old.txt with \"before\"");
    by_rules(
        &house,
        &["--session-id", "last"],
        "create a.txt with \"one\" then change the port in s.toml to 9000 and add \"two\" to a.txt and \
         move a.txt to b.txt",
    );
    assert_eq!(house.read("b.txt"), "one\ntwo\n");
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!house.has("a.txt") && !house.has("b.txt"));
    assert_eq!(house.read("s.toml"), "port = 80\n");
    // The request before that is another undo.
    assert_eq!(house.read("old.txt"), "before\n");
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!house.has("old.txt"));
}

#[test]
fn an_undo_of_a_request_stops_above_a_file_that_was_changed_by_hand() {
    let house = House::new();
    by_rules(
        &house,
        &[],
        "create a.txt with \"one\" then create b.txt with \"two\" then create c.txt with \"three\"",
    );
    house.write("b.txt", "mine\n");
    let undone = house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(
        undone.stderr.contains("b.txt has changed since"),
        "{undone:#?}"
    );
    assert!(house.has("a.txt") && !house.has("c.txt"));
    assert_eq!(house.read("b.txt"), "mine\n");
}

#[test]
fn an_undo_of_a_request_removes_the_folder_that_was_made_for_it() {
    let house = House::new();
    house.write("a.txt", "a\n");
    house.write("b.txt", "b\n");
    by_rules(
        &house,
        &[],
        "move a.txt and b.txt to a new folder called lists",
    );
    assert!(house.has("lists/a.txt") && house.has("lists/b.txt"));
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(house.has("a.txt") && house.has("b.txt") && !house.has("lists"));
}
