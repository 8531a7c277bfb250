//! `carl stories` as people and programs call it: names, folders, servers that are there, what is told.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

use acceptance::{Stage, story};
use std::process::Command;
use stories::Story;
use testkit::{Reply, Running, Server};

/// `carl serve --http` in a stage, with its address.
fn served(stage: &Stage) -> (Running, String) {
    let carl = stage.house.ask(["serve", "--http", "127.0.0.1:0"]);
    let mut process = carl.spawn();
    let line = process.until("for programs:");
    let url = line.split([' ', ',']).find(|word| word.starts_with("http"));
    let url = url.unwrap().to_owned();
    process.until("serving at");
    (process, url)
}

#[test]
fn a_server_that_is_there_is_asked_and_what_it_lacks_is_left_out() {
    let stage = Stage::of(&story("S2"));
    let (serving, url) = served(&stage);
    let scoped = |scope: &str| {
        let made = stage.house.ask(["token", "new", scope, "--scope", scope]);
        made.run().expect(0).stdout.trim_end().to_owned()
    };
    let names = ["S2", "S4", "S11", "--http", &url, "--token-env", "TOKEN"];
    let ran = stage.run(names).env("TOKEN", scoped("admin")).run();
    let told = ran.json();
    assert_eq!(told["passed"], 1, "{told:#}");
    assert_eq!(told["left_out"], 2, "{told:#}");
    let why = told["stories"][2]["why"].to_string();
    assert!(why.contains("it kills its server"), "{why}");
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // The session is that server's.
    assert_eq!(stage.house.session_logs().len(), 1);
    for token in ["none".to_owned(), scoped("chat")] {
        let refused = stage.run(names).env("TOKEN", token).run();
        assert_eq!(refused.code, Some(4), "{refused:#?}");
        assert!(
            refused.stderr.contains("[stories.unreachable]"),
            "{refused:#?}"
        );
    }
    serving.kill();
}

#[test]
fn a_story_that_fails_prints_its_timeline() {
    let mut changed = story("S2");
    changed.given.model.truncate(1);
    let stage = Stage::of(&changed);
    let ran = stage.house.ask(["stories", "S1", "S2"]).run().expect(1);
    let told = &ran.stdout;
    for part in [
        "not true: line ",
        "the answer says none of",
        " query.received text=\"Why was it introduced?\"",
        " query.finished status=\"success\"",
        "S2: A follow-up question",
    ] {
        assert!(
            told.contains(part) || ran.stderr.contains(part),
            "{part}: {ran:#?}"
        );
    }
}

#[test]
fn a_folder_of_stories_is_run_and_one_that_is_none_is_told_with_its_line() {
    let stage = Stage::of(&story("S1"));
    let own = "name: mine\ntitle: A sum.\nwhen:\n  - say: Two and two?\nthen:\n  \
               - answer: {has: [four]}\n";
    let file = stage.house.write("mine/sum.yaml", own);
    let told = stage.run(["--dir", "mine"]).run().expect(0).json();
    assert_eq!(told["stories"][0]["name"], "mine", "{told:#}");
    std::fs::write(&file, own.replace("say:", "sing:")).unwrap();
    let refused = stage.run(["--dir", "mine"]).run().expect(2).stderr;
    assert!(refused.contains("mine/sum.yaml, line 4: "), "{refused}");
    assert!(refused.contains("sing"), "{refused}");
    assert!(refused.contains("[stories.form]"), "{refused}");
    let unknown = stage.run(["S99"]).run().expect(2).stderr;
    assert!(unknown.contains("[stories.unknown]"), "{unknown}");
    assert!(unknown.contains("S1, S2, S3"), "{unknown}");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    let device = stage.run(["--dir", "mine"]).run().expect(2).stderr;
    assert!(device.contains("is not a regular file"), "{device}");
    let empty = stage.run(["--dir", "."]).run().expect(2).stderr;
    assert!(empty.contains("[stories.folder]"), "{empty}");
}

#[test]
fn a_provider_that_is_chosen_answers_and_one_that_is_none_is_told() {
    let stage = Stage::of(&story("S1"));
    let model = ["S1", "--provider", "scripted", "--model", "scripted-model"];
    let told = stage.run(model).run().expect(0).json();
    assert_eq!(told["passed"], 1, "{told:#}");
    // The provider answers for all roles, whatever the configuration has them go to.
    let other = Server::speak(|_, _| Reply::text("No.")).openai();
    let roles = format!(
        "[models.providers.other]\ntype = \"openai\"\nendpoint = \"{}/v1\"\n\
         [models.roles]\nfast = \"other/scripted-model\"\n\
         [observers.routes]\nfast = [\"other/scripted-model\", \"other/one\"]\n",
        other.url()
    );
    let elsewhere = Stage::with(&story("S1"), &roles);
    elsewhere.run(["S1"]).run().expect(1);
    let told = elsewhere.run(["S1", "--provider", "scripted"]).run();
    assert_eq!(told.expect(0).json()["passed"], 1);
    let none = stage.run(["S1", "--provider", "nobody"]).run();
    assert_eq!(none.code, Some(4), "{none:#?}");
    assert!(none.stderr.contains("[stories.no_server]"), "{none:#?}");
    assert!(none.stderr.contains("nobody"), "{none:#?}");
    let half = stage
        .run(["S1", "--model", "scripted-model"])
        .run()
        .expect(2);
    assert!(half.stderr.contains("names no provider"), "{half:#?}");
}

#[test]
fn a_step_that_is_not_done_in_time_fails() {
    let mut held = story("S2");
    held.given.model[0].holds = true;
    let stage = Stage::of(&held);
    let ran = stage.run(["S2", "--patience", "1"]).run().expect(1);
    let why = ran.json()["stories"][0]["why"].to_string();
    assert!(
        why.contains("the step in line 12 is not done after 1 s"),
        "{why}"
    );
}

#[test]
fn what_a_story_began_ends_with_the_command() {
    let mut held = story("S2");
    held.given.model[0].holds = true;
    let stage = Stage::of(&held);
    let temporary = stage.house.home();
    let carl = stage.house.ask(["stories", "S2"]).env("TMPDIR", &temporary);
    let running = carl.spawn();
    let left = || {
        let names = std::fs::read_dir(&temporary).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("carl-stories"))
            .count()
    };
    stage.model.wait_for_chats(1);
    assert_eq!(left(), 1);
    let mut kill = Command::new("kill");
    kill.args(["-INT", &running.pid().to_string()]);
    assert!(kill.status().unwrap().success());
    assert_eq!(running.finish().code, Some(130));
    assert_eq!(left(), 0);
    // Its server is gone as well: whoever answered it has nobody to answer.
    stage.model.wait_for_hang_ups(1);
}

const DOCUMENT: &str = include_str!("../../../docs/stories.md");

#[test]
fn the_example_of_the_document_passes() {
    let begin = DOCUMENT.split_once("```yaml\n").unwrap().1;
    let text = begin.split_once("```").unwrap().0;
    let stage = Stage::of(&Story::read("example.yaml", text).unwrap());
    stage.house.write("mine/example.yaml", text);
    let told = stage.run(["--dir", "mine"]).run().expect(0).json();
    assert_eq!(told["passed"], 1, "{told:#}");
}

#[test]
fn the_document_has_every_story_by_its_title() {
    let all = stories::shipped().unwrap();
    assert_eq!(all.len(), 12);
    for story in all {
        let row = format!("| {} | {} |", story.name, story.title);
        assert!(DOCUMENT.contains(&row), "{row}");
    }
}
