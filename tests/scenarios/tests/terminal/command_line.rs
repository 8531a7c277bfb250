//! What a person or a script types that cannot be used as typed: what is said, and in which form.

use scenarios::Scene;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use testkit::{House, Reply};

#[test]
fn a_wrong_flag_is_one_json_object_where_that_was_asked() {
    let house = House::new();
    let wrong = house.ask(["run", "--json", "--fast", "hello"]).run();
    let told = wrong.expect(2).json();
    assert_eq!(told["status"], "failed");
    assert_eq!(told["error"]["code"], "carl.usage");
    let message = told["error"]["message"].as_str().unwrap();
    assert!(message.contains("--fast"), "{message}");
    let no_text = OsStr::from_bytes(b"\xff");
    let wrong = house.ask(["run", "--json"]).arg(no_text).run();
    assert_eq!(wrong.expect(2).json()["error"]["code"], "carl.usage");
    // After `--` it is a word of the task.
    let plain = house.ask(["run", "--fast", "--", "--json"]).run().expect(2);
    assert_eq!(plain.stdout, "");
}

#[test]
fn a_pipe_beside_a_task_is_said_to_be_unread() {
    let scene = Scene::new([
        Reply::text("Four."),
        Reply::text("Four."),
        Reply::text("Four."),
    ]);
    let told = "`--input -`";
    let run = scene.house.ask(["run", "what is it?"]).stdin("2 + 2\n");
    let run = run.run().expect(0);
    assert!(run.stderr.contains(told), "{run:#?}");
    assert!(!scene.told().contains("2 + 2"));
    let input = ["run", "what is it?", "--input", "-"];
    let run = scene.house.ask(input).stdin("2 + 2\n").run().expect(0);
    assert!(!run.stderr.contains(told), "{run:#?}");
    assert!(scene.told().contains("2 + 2"));
    let run = scene.house.ask(["run", "what is it?"]).run().expect(0);
    assert!(!run.stderr.contains(told), "{run:#?}");
}

#[test]
fn a_folder_whose_name_is_no_text_is_named_as_the_reason() {
    let house = House::new();
    let folder = house.work().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    let refused = house.ask(["run", "-C"]).arg(&folder).arg("hello").run();
    let refused = refused.expect(2);
    assert!(refused.stderr.contains("not UTF-8"), "{refused:#?}");
    assert!(refused.stderr.contains("Rename it"), "{refused:#?}");
}

#[test]
fn a_file_among_the_cards_that_is_none_stops_nothing() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let folder = scene.house.home().join(".config/housecarl/cards");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("README.md"), "My cards.\n").unwrap();
    let run = scene.house.ask(["run", "hello there"]).run().expect(0);
    assert!(run.stderr.contains("README.md is left out"), "{run:#?}");
    assert!(run.stdout.contains("Hello."), "{run:#?}");
}

#[test]
fn a_run_goes_on_in_the_session_that_any_end_of_its_id_or_last_names() {
    let replies = (0..6).map(|_| Reply::text("Hello."));
    let scene = Scene::new(replies);
    let id = scene.run(&["hello there"]).text("session_id").to_owned();
    let (capitals, upper) = (id[24..].to_uppercase(), "LAST");
    for name in ["last", upper, &id[24..], &capitals, id.as_str()] {
        let again = scene.run(&["--session-id", name, "and again"]);
        assert_eq!(again.text("session_id"), id, "{name}");
    }
    let refused = scene.house.ask(["run", "--session-id", "none", "x"]).run();
    let refused = refused.expect(2);
    assert!(refused.stderr.contains("`none`"), "{refused:#?}");
    // A script's variable that was never set goes on with nothing.
    let empty = scene.house.ask(["run", "--session-id", "", "x"]).run();
    let empty = empty.expect(2);
    assert!(empty.stderr.contains("id is empty"), "{empty:#?}");
}

#[test]
fn a_listing_says_what_it_leaves_out() {
    let scene = Scene::new([Reply::text("One."), Reply::text("Two.")]);
    for task in ["first", "second"] {
        scene.run(&[task]).assert_ends(0, "success");
    }
    let list = |limit: &str| {
        let listed = scene.house.ask(["session", "list", "--limit", limit]).run();
        listed.expect(0)
    };
    let cut = list("1");
    assert_eq!(cut.stdout.lines().count(), 1, "{cut:#?}");
    assert!(cut.stderr.contains("--limit 2"), "{cut:#?}");
    assert!(!list("2").stderr.contains("--limit"));
}

#[test]
fn a_misspelt_run_is_told_from_a_task() {
    let house = House::new();
    for args in [&["rnu", "hello there"][..], &["rnu"], &["rn", "hello"]] {
        let told = house.ask(args.iter().copied()).run().expect(2).stderr;
        assert!(told.contains("Did you mean `carl run`?"), "{told}");
        assert!(!told.contains("write it after"), "{told}");
    }
    let told = house.ask(["hello there"]).run().expect(2).stderr;
    assert!(told.contains("carl run \"hello there\""), "{told}");
}

#[test]
fn a_flag_with_a_dash_of_a_word_processor_is_no_task() {
    let house = House::new();
    for typed in ["\u{2013}mode", "\u{2014}allow-write=."] {
        let refused = house.ask(["run", typed, "plan", "hello"]).run().expect(2);
        let meant = format!("did you mean `--{}`", typed.trim_start_matches(|c| c > '~'));
        assert!(refused.stderr.contains(&meant), "{refused:#?}");
    }
    // In a text of its own it is a sign as any other.
    let scene = Scene::new([Reply::text("Yes."), Reply::text("Yes.")]);
    for task in ["is \u{2013}mode a flag?", "\u{2013} a list"] {
        scene.run(&[task]).assert_ends(0, "success");
    }
}

#[test]
fn a_piece_of_a_models_name_is_answered_with_the_whole() {
    let scene = Scene::new([]);
    let mut seat = scene.house.ask(["chat"]).env("TERM", "dumb").at_prompt();
    seat.types("/model scripted\n");
    seat.until("there is no model `scripted`");
    seat.until("Did you mean `scripted/scripted-model`?");
    seat.until("> ");
    seat.leaves();
}

#[test]
fn a_wrong_variable_is_not_told_to_ask_the_command_that_it_stops() {
    let house = House::new();
    let show = ["config", "show", "--origin"];
    let refused = house.ask(show).env("CARL_MODELS__AIR_GAP", "1").run();
    let told = refused.expect(2).stderr;
    assert!(told.contains("CARL_MODELS__AIR_GAP"), "{told}");
    assert!(told.contains("carl config schema"), "{told}");
    assert!(!told.contains("config show"), "{told}");
}

#[test]
fn a_word_that_is_no_text_is_refused_wherever_it_stands() {
    let house = House::new();
    let no_text = OsStr::from_bytes(b"\xff\xfe.txt");
    for words in [
        &["run", "--input"][..],
        &["run", "hello", "--allow-write"],
        &["undo", "--allow-write"],
        &["undo", "--skip"],
    ] {
        let told = house
            .ask(words.iter().copied())
            .arg(no_text)
            .run()
            .expect(2);
        assert!(told.stderr.contains("not UTF-8"), "{told:#?}");
    }
    let told = house
        .ask(["run", "hello", "--json", "--input"])
        .arg(no_text);
    let told = told.run().expect(2).json();
    assert_eq!(told["error"]["code"], "carl.usage");
}

#[test]
fn a_task_that_is_too_long_or_a_folder_is_told_what_to_do() {
    let house = House::new();
    let long = "word ".repeat(400_000);
    let told = house.ask(["run", "-"]).stdin(long).run();
    assert_eq!(told.code, Some(2), "{told:#?}");
    assert!(
        told.stderr.contains("has more than 1048576 bytes"),
        "{told:#?}"
    );
    assert!(told.stderr.contains("--input FILE"), "{told:#?}");
    let told = house.ask([]).typed("carl run - < /").run().expect(2).stderr;
    assert!(told.contains("--input FILE"), "{told}");
}

#[test]
fn a_clock_before_1970_is_told_as_the_reason() {
    let house = House::new();
    let source = house.home().join("clock.c");
    let library = house.home().join("clock.so");
    fs::write(&source, CLOCK_OF_1969).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]);
    let made = compiler.arg(&library).arg(&source).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let list = ["run", "--mode", "deterministic", "list files"];
    let told = house.ask(list).env("LD_PRELOAD", &library).run();
    assert!(!told.stderr.contains("panicked"), "{told:#?}");
    assert!(
        told.stderr.contains("the clock of this machine"),
        "{told:#?}"
    );
}

/// Clocks that tell the time say that it is 1969.
const CLOCK_OF_1969: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int told = syscall(SYS_clock_gettime, clock, now);
    if (!told && clock == CLOCK_REALTIME) now->tv_sec = -1000;
    return told;
}
";

#[test]
fn what_help_says_at_its_end_fits_eighty_columns() {
    let house = House::new();
    let help = house.ask(["--help"]).run().expect(0).stdout;
    let end = help.find("Examples:").unwrap();
    let long = help[end..].lines().find(|line| line.chars().count() > 80);
    assert_eq!(long, None);
}

#[test]
fn without_a_model_it_is_said_what_needs_no_source() {
    let house = House::new();
    house.configure("");
    for command in [&["doctor"][..], &["run", "what is new?"]] {
        let told = house.ask(command.iter().copied()).run();
        let told = format!("{}{}", told.stdout, told.stderr);
        for part in ["model server such as Ollama", "config.toml", "carl init"] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
