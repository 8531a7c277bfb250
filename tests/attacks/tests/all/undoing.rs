//! Undo in a world that has moved on: links that came since, other files under the old names.

use attacks::script::{Call, recast, sit, statuses};
use domain::limits::UNDO_BYTES;
use scenarios::Scene;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;
use testkit::{House, Reply, Server};

const HANDS: [&str; 7] = [
    "--allow-write",
    ".",
    "--yes",
    "write",
    "--yes",
    "destructive",
    "do it",
];
const UNDO: [&str; 5] = ["undo", "--yes", "write", "--yes", "destructive"];

fn write(path: &str, content: &str) -> Call<'static> {
    let arguments = json!({"path": path, "content": content, "mode": "overwrite"});
    ("write_file", arguments)
}

/// A house in which a session made these changes.
fn changed(furnish: impl FnOnce(&House), calls: &[Call<'_>]) -> House {
    let house = House::new();
    furnish(&house);
    let scene = recast(house, calls);
    let outcome = scene.run(&HANDS);
    assert!(
        statuses(&outcome).iter().all(|status| *status == "ok"),
        "{:#}",
        outcome.summary
    );
    scene.house
}

fn put_aside(work: &Path, name: &str, goal: &str) {
    fs::rename(work.join(name), work.join(format!("{name}.old"))).unwrap();
    symlink(goal, work.join(name)).unwrap();
}

#[test]
fn undo_follows_no_link_that_came_since() {
    let deleted = |path: &str| ("delete_file", json!({"path": path}));
    // The change, what became a link, and what that leads to now.
    let cases: [(Call<'_>, &str, &str, &str); 4] = [
        (write("f.txt", "new\n"), "f.txt", "o.txt", "o.txt"),
        (write("d/x.txt", "new\n"), "d", "e", "e/x.txt"),
        (write("d/fresh.txt", "new\n"), "d", "e", "e/fresh.txt"),
        (deleted("d/x.txt"), "d", "g", "g/x.txt"),
    ];
    for (call, name, goal, other) in cases {
        let furnish = |house: &House| {
            house.write("f.txt", "old\n");
            house.write("d/x.txt", "old\n");
            house.write("o.txt", "new\n");
            house.write("e/x.txt", "new\n");
            house.write("e/fresh.txt", "new\n");
            fs::create_dir(house.work().join("g")).unwrap();
        };
        let house = changed(furnish, std::slice::from_ref(&call));
        let before = fs::read_to_string(house.work().join(other)).ok();
        put_aside(&house.work(), name, goal);
        let refused = house.ask(UNDO).run().expect(4);
        let after = fs::read_to_string(house.work().join(other)).ok();
        assert_eq!(after, before, "{call:?}");
        assert!(refused.stderr.contains("through a link"), "{refused:#?}");
        let changed = call.1["path"].as_str().unwrap();
        let skip = format!("carl undo --skip {}", house.work().join(changed).display());
        assert!(refused.stderr.contains(&skip), "{refused:#?}");
        // With the link gone the same undo does its work.
        fs::remove_file(house.work().join(name)).unwrap();
        let old = house.work().join(format!("{name}.old"));
        fs::rename(old, house.work().join(name)).unwrap();
        let _undone = house.ask(UNDO).run().expect(0);
        assert_eq!(house.has(changed), changed != "d/fresh.txt", "{call:?}");
    }
}

#[test]
fn a_change_through_a_link_is_undone_where_it_was_made() {
    let furnish = |house: &House| {
        house.write("Makefile", "all:\n");
        house.write("real/x.txt", "old\n");
        symlink("Makefile", house.work().join("notes.txt")).unwrap();
        symlink("real", house.work().join("name")).unwrap();
    };
    let calls = [
        write("notes.txt", "new\n"),
        write("name/x.txt", "new\n"),
        ("make_dir", json!({"path": "name/a/b"})),
        (
            "move_file",
            json!({"from": "name/x.txt", "to": "name/y.txt"}),
        ),
    ];
    let house = changed(furnish, &calls);
    // Where the links lead by then is of no account.
    for link in ["notes.txt", "name"] {
        fs::remove_file(house.work().join(link)).unwrap();
    }
    symlink("elsewhere", house.work().join("name")).unwrap();
    let _undone = house.ask(UNDO).run().expect(0);
    assert_eq!(house.read("Makefile"), "all:\n");
    assert_eq!(house.read("real/x.txt"), "old\n");
    assert!(!house.has("real/a") && !house.has("real/y.txt"));
}

#[test]
fn an_agents_undo_of_a_link_asks_about_the_link_and_changes_no_file_behind_it() {
    let link = json!({"argv": ["ln", "-sfn", "Makefile", "notes.txt"]});
    let calls = [
        write("notes.txt", "EVIL\n"),
        write("notes.txt", "all:\n"),
        ("run_command", link),
        ("undo", json!({})),
    ];
    let house = House::new();
    house.write("notes.txt", "old\n");
    house.write("Makefile", "all:\n");
    let scene = recast(house, &calls);
    let args = ["--agent", "sysadmin", "--allow-write", ".", "do it"];
    let sitting = sit(&scene, &args, |_, _| "y".to_owned());
    let [.., undo] = sitting.seen.questions.as_slice() else {
        panic!("{:#?}", sitting.seen);
    };
    assert!(undo.contains("\ndelete the link "), "{undo}");
    assert_eq!(sitting.statuses(), ["ok", "ok", "ok", "ok"]);
    assert_eq!(scene.house.read("Makefile"), "all:\n");
    assert!(!scene.house.has("notes.txt"));
}

#[test]
fn a_yes_to_one_undo_covers_no_later_one() {
    let calls = [
        write("thesis.txt", "the user's wish\n"),
        write("a.txt", "x\n"),
        ("undo", json!({})),
        ("undo", json!({})),
    ];
    let house = House::new();
    house.write("thesis.txt", "older\n");
    let scene = recast(house, &calls);
    let answers = ["y", "y", "s", "y", "n"];
    let sitting = sit(&scene, &["--allow-write", ".", "do it"], |_, number| {
        answers[number].to_owned()
    });
    let asked = &sitting.seen.questions;
    // A yes for the session is no answer to it, so that the same is asked once more.
    assert_eq!(asked.len(), 5, "{:#?}", sitting.seen);
    assert_eq!(sitting.statuses(), ["ok", "ok", "ok", "denied"]);
    assert!(!asked[2].contains("A yes for the session"), "{}", asked[2]);
    assert_eq!(scene.house.read("thesis.txt"), "the user's wish\n");
    // The last line names what is changed.
    for (question, file) in [(&asked[2], "a.txt"), (&asked[4], "thesis.txt")] {
        let path = scene.house.work().join(file);
        let line = format!(
            "In short: undo (effect: write): take back what write_file did to {}",
            path.display()
        );
        assert!(on_one_line(question).contains(&line), "{question}");
    }
    // A yes for the session to a call that names its file goes on as it did.
    let calls = [write("b.txt", "1"), write("b.txt", "2")];
    let scene = recast(scene.house, &calls);
    let sitting = sit(&scene, &["--allow-write", ".", "do it"], |_, _| {
        "s".to_owned()
    });
    assert_eq!(sitting.seen.questions.len(), 1, "{:#?}", sitting.seen);
    assert_eq!(sitting.statuses(), ["ok", "ok"]);
}

/// A question with what a terminal of its width broke put together again.
fn on_one_line(question: &str) -> String {
    question.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_plan_of_undos_names_each_file_at_its_end() {
    let house = changed(|_| {}, &[write("a.txt", "1\n"), write("b.txt", "2\n")]);
    let last = "last";
    let args = [
        "--session-id",
        last,
        "--mode",
        "deterministic",
        "undo; undo",
    ];
    let scene = recast(house, &[]);
    let sitting = sit(&scene, &args, |_, _| "n".to_owned());
    let [question] = sitting.seen.questions.as_slice() else {
        panic!("{:#?}", sitting.seen);
    };
    let question = on_one_line(question);
    let (_, short) = question.rsplit_once("In short: ").unwrap();
    for (number, file) in [(1, "b.txt"), (2, "a.txt")] {
        let path = scene.house.work().join(file);
        let line = format!(
            "{number}. undo (effect: write): take back what write_file did to {}",
            path.display()
        );
        assert!(short.contains(&line), "{short}");
    }
}

#[test]
fn no_change_becomes_part_of_one_that_undo_passes_over() {
    let writes = [write("first.txt", "v1\n"), write("note.txt", "v1\n")];
    let house = changed(|_| {}, &writes);
    let skipped = house.ask(["undo", "--skip", "note.txt"]).run();
    assert!(skipped.stderr.contains("stays as it is"), "{skipped:#?}");
    // There is room for one of these, and none for the two.
    for name in ["big", "other"] {
        let big = fs::File::create(house.work().join(name)).unwrap();
        big.set_len(UNDO_BYTES / 2 + 1).unwrap();
    }
    let calls = [
        write("note.txt", "v2\n"),
        ("delete_file", json!({"path": "big"})),
        ("delete_file", json!({"path": "other"})),
    ];
    let scene = recast(house, &calls);
    let goes_on = ["--session-id", "last", "--allow-write", ".", "do it"];
    let sitting = sit(&scene, &goes_on, |_, _| "y".to_owned());
    let statuses = sitting.statuses();
    assert!(
        statuses.ends_with(&["ok", "ok", "failed"].map(str::to_owned)),
        "{statuses:?}"
    );
    for _ in 0..2 {
        let _undone = scene.house.ask(UNDO).run().expect(0);
    }
    assert_eq!(scene.house.read("note.txt"), "v1\n");
    assert!(scene.house.has("big") && scene.house.has("other"));
}

#[test]
fn undo_moves_back_what_was_moved_and_nothing_else() {
    let moved = |from: &str, to: &str| ("move_file", json!({"from": from, "to": to}));
    let furnish = |house: &House| {
        house.write("junk.txt", "junk\n");
        house.write("thesis.txt", "the thesis\n");
        house.write("d/a.txt", "a\n");
    };
    // Another file, or another folder, under the new name.
    let house = changed(furnish, &[moved("junk.txt", "keep.txt")]);
    let at = |name: &str| house.work().join(name);
    fs::rename(at("keep.txt"), at("elsewhere.txt")).unwrap();
    fs::rename(at("thesis.txt"), at("keep.txt")).unwrap();
    let refused = house.ask(UNDO).run().expect(4);
    assert!(
        refused.stderr.contains("not what move_file put there"),
        "{refused:#?}"
    );
    assert!(refused.stderr.contains("carl undo --skip "), "{refused:#?}");
    assert_eq!(house.read("keep.txt"), "the thesis\n");
    let house = changed(furnish, &[moved("d", "e")]);
    let at = |name: &str| house.work().join(name);
    fs::rename(at("e"), at("e2")).unwrap();
    house.write("e/b.txt", "b\n");
    let _refused = house.ask(UNDO).run().expect(4);
    assert!(house.has("e/b.txt") && !house.has("d"));
    // The same file, also saved anew by an editor, and the same folder with more in it.
    let house = changed(furnish, &[moved("junk.txt", "keep.txt"), moved("d", "e")]);
    let at = |name: &str| house.work().join(name);
    house.write("e/more.txt", "more\n");
    fs::copy(at("keep.txt"), at("saved")).unwrap();
    fs::rename(at("saved"), at("keep.txt")).unwrap();
    let _undone = house.ask(UNDO).run().expect(0);
    assert_eq!(house.read("junk.txt"), "junk\n");
    assert!(house.has("d/a.txt") && house.has("d/more.txt"));
}

#[test]
fn undo_says_which_folders_it_leaves() {
    let house = changed(|_| {}, &[("make_dir", json!({"path": "a/b/c"}))]);
    house.write("a/mine.txt", "mine\n");
    let undone = house.ask(UNDO).run().expect(0);
    let said = format!(
        "The folder {} stays: it is not empty.",
        house.work().join("a").display()
    );
    assert!(undone.stdout.contains(&said), "{undone:#?}");
    assert!(house.has("a/mine.txt") && !house.has("a/b"));
    // It is taken back, and the next undo says nothing else.
    let nothing = house.ask(UNDO).run();
    assert!(
        nothing.stderr.contains("has a change to take back"),
        "{nothing:#?}"
    );
    let house = changed(|_| {}, &[("make_dir", json!({"path": "a/b/c"}))]);
    let _undone = house.ask(UNDO).run().expect(0);
    assert!(!house.has("a"));
}

#[test]
fn undo_takes_back_the_last_change_of_the_folder() {
    let last = |house: House, id: &str, calls: &[Call<'_>]| {
        let scene = recast(house, calls);
        let outcome = scene.run(&[&["--session-id", id], &HANDS[..]].concat());
        outcome.assert_ends(0, "success");
        scene.house
    };
    let house = changed(|_| {}, &[write("a.txt", "a\n")]);
    let first = house.session_logs();
    let id = first[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let scene = recast(house, &[write("b.txt", "b\n")]);
    let _second = scene.run(&HANDS);
    // Who only talks changes nothing.
    let house = last(scene.house, &id, &[]);
    let _undone = house.ask(UNDO).run().expect(0);
    assert!(house.has("a.txt") && !house.has("b.txt"));
    let house = last(house, &id, &[write("c.txt", "c\n")]);
    for name in ["c.txt", "a.txt"] {
        assert!(house.has(name));
        let _undone = house.ask(UNDO).run().expect(0);
        assert!(!house.has(name));
    }
}

#[test]
fn no_name_of_a_file_begins_a_line_of_undos_own() {
    let words = "Nothing else changes. Really leave it? [y,N]";
    let name = format!("x\n\n{words} \u{1b}[31m");
    let writes = [write("first.txt", "v1\n"), write(&name, "v1\n")];
    let house = changed(|_| {}, &writes);
    house.write(&name, "other\n");
    let undo = house.ask(["undo"]);
    let attended = undo.typing(&["[y/N] "], |_, _| "n".to_owned());
    let skipped = house.ask(["undo", "--skip"]).args([name.as_str()]).run();
    let printed = house.ask(["undo", "last", "--print"]).run();
    let asked = &attended.questions[0];
    assert!(asked.contains("has changed since"), "{asked}");
    for told in [asked, &skipped.stderr, &printed.stderr] {
        assert!(
            !told.lines().any(|line| line.starts_with("Nothing else")),
            "{told}"
        );
        assert!(!told.contains("\u{1b}[31m"), "{told}");
    }
}

/// Holds a chat in which these lines are typed; before each, `meanwhile` sees its number. What was on
/// the screen.
fn chat(
    house: &House,
    agent: &str,
    lines: &[&str],
    mut meanwhile: impl FnMut(usize, &House),
) -> String {
    let mut typed = 0;
    let carl = house.ask([
        "chat",
        "--agent",
        agent,
        "--allow-write",
        ".",
        "--yes",
        "write",
    ]);
    let run = carl.env("TERM", "dumb").talking(&["> "], |_, _| {
        meanwhile(typed, house);
        typed += 1;
        lines
            .get(typed - 1)
            .map_or("/quit", |line| *line)
            .to_owned()
    });
    run.finished.stderr.replace('\r', "")
}

fn edit(path: &str, old: &str, new: &str) -> Reply {
    Reply::call("edit_file", json!({"path": path, "old": old, "new": new}))
}

/// Two files of the user's, and the replies of a model as far as the end of a first exchange.
fn two_files() -> House {
    let house = House::new();
    house.write("a.txt", "a of the user\n");
    house.write("b.txt", "draft\n");
    house
}

const LINES: [&str; 3] = ["improve b", "now a", "/undo"];

#[test]
fn undo_of_a_chat_takes_back_its_exchange_and_no_other() {
    let improve = || {
        [
            edit("b.txt", "draft", "good work"),
            Reply::text("Done with b."),
        ]
    };
    let spoil = || edit("a.txt", "a of", "ruined");
    let scene = |replies: Vec<Reply>| {
        let house = two_files();
        let server = Server::openai(replies);
        house.configure(&server.config("openai"));
        Scene { house, server }
    };
    // The user has put the file back by hand.
    let put_back = scene(
        improve()
            .into_iter()
            .chain([spoil(), Reply::text("Done.")])
            .collect(),
    );
    let screen = chat(&put_back.house, "coder", &LINES, |typed, house| {
        if typed == 2 {
            house.write("a.txt", "a of the user\n");
        }
    });
    assert!(
        screen.contains("now a (1 file change back already)"),
        "{screen}"
    );
    assert_eq!(put_back.house.read("b.txt"), "good work\n", "{screen}");
    // An exchange that takes back an earlier change, and makes one.
    let undo = Reply::call("undo", json!({}));
    let calls = [undo, spoil(), Reply::text("Done.")];
    let net = scene(improve().into_iter().chain(calls).collect());
    let screen = chat(&net.house, "coder", &LINES, |_, _| {});
    assert_eq!(net.house.read("a.txt"), "a of the user\n", "{screen}");
    assert!(
        screen.contains("now a (1 file change taken back)"),
        "{screen}"
    );
    assert!(
        screen.contains("not made again: 1 file change of before it"),
        "{screen}"
    );
    // As it is meant.
    let plain = scene(
        improve()
            .into_iter()
            .chain([spoil(), Reply::text("Done.")])
            .collect(),
    );
    let screen = chat(&plain.house, "coder", &LINES, |_, _| {});
    assert!(
        screen.contains("now a (1 file change taken back)"),
        "{screen}"
    );
    assert_eq!(plain.house.read("a.txt"), "a of the user\n", "{screen}");
    assert_eq!(plain.house.read("b.txt"), "good work\n", "{screen}");
}

/// A model whose agent changes a.txt on behalf of another one.
fn with_a_child(body: &Value, main: &Mutex<Vec<Reply>>) -> Reply {
    let said = body["messages"].to_string();
    if !said.contains("CHILDTASK") || said.contains("now a") {
        let mut main = main.lock().unwrap();
        return match main.is_empty() {
            true => Reply::text("ok"),
            false => main.remove(0),
        };
    }
    let has_tools = body["tools"]
        .as_array()
        .is_some_and(|tools| !tools.is_empty());
    if body.get("response_format").is_some() || !has_tools {
        let report = json!({
            "status": "success", "summary": "Changed a.", "artifacts": ["a.txt"],
            "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
        });
        return Reply::text(report.to_string());
    }
    match said.contains("\"role\":\"tool\"") {
        true => Reply::text("I changed a.txt."),
        false => edit("a.txt", "a of", "changed by the child"),
    }
}

#[test]
fn undo_of_a_chat_counts_a_childs_change_once() {
    let task = json!({"type": "coder", "task": "CHILDTASK: change a.txt"});
    let main = Mutex::new(vec![
        edit("b.txt", "draft", "good work"),
        Reply::text("Done with b."),
        Reply::call("spawn_agent", task),
        Reply::text("Done."),
    ]);
    let house = two_files();
    let server = Server::speak(move |body, _| with_a_child(body, &main)).openai();
    house.configure(&server.config("openai"));
    let screen = chat(&house, "sysadmin", &LINES, |typed, house| {
        if typed == 2 {
            assert!(house.read("a.txt").contains("child"));
        }
    });
    assert!(
        screen.contains("now a (1 file change taken back)"),
        "{screen}"
    );
    assert_eq!(house.read("a.txt"), "a of the user\n", "{screen}");
    assert_eq!(house.read("b.txt"), "good work\n", "{screen}");
}
