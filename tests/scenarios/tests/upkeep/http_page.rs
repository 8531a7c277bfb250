//! Every block of docs/http.md, run as it stands there.

use scenarios::Scene;
use scenarios::serving::{Serving, token};
use std::process::{Command, Output};
use testkit::{CURL, OPENAI_CLIENT, Reply, is_absent, openai_client};

const PAGE: &str = include_str!("../../../../docs/http.md");

/// The blocks of a language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let blocks = PAGE.split("```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.split_once('\n'));
    let fitting = blocks.filter(|(named, _)| *named == language);
    fitting.map(|(_, block)| block).collect()
}

fn succeeded(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    said
}

#[test]
fn every_block_of_the_page_does_what_it_shows() {
    let scene = Scene::new((0..16).map(|_| Reply::text("Good day to you.")));
    let more =
        "\n[chat]\ndefault_mode = \"loop\"\n[models.roles]\nembed = \"scripted/scripted-model\"\n";
    let config = scene.server.config("openai") + more;
    scene.house.configure(&config);
    let serving = Serving::begin(&scene);
    let admin = token(&scene, "page", "admin");
    let mut shell = blocks("sh");
    assert!(shell.len() >= 6, "{shell:?}");
    // `carl` is the shipped one, in the house.
    for line in shell.remove(0).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[0], "carl");
        scene.house.ask(words[1..].iter().copied()).run().expect(0);
    }
    let run = |program: &str, arguments: [&str; 2], session: &str| {
        let mut command = Command::new(program);
        command.args(arguments).env("URL", &serving.url);
        command.env("TOKEN", &admin).env("SESSION", session);
        command
    };
    if is_absent(CURL) {
        return;
    }
    let script = format!("set -eu\n{}\necho \"[$SESSION]\"", shell.join("\n"));
    let said = succeeded(&run("bash", ["-c", &script], "").output().unwrap());
    for shown in [
        "\"answer\":\"Good day to you.\"",
        "greeting",
        "event: session.opened",
    ] {
        assert!(said.contains(shown), "{shown}: {said}");
    }
    for shown in [
        "\"object\":\"chat.completion\"",
        "\"object\":\"embedding\"",
        "\"layer\":",
    ] {
        assert!(said.contains(shown), "{shown}: {said}");
    }
    let (_, session) = said.trim_end().rsplit_once('[').unwrap();
    let session = session.trim_end_matches(']').to_owned();
    let python = blocks("python");
    assert_eq!(python.len(), 2);
    for (program, shown) in python.iter().zip(["query_finished", "Good day to you."]) {
        let output = run("python3", ["-c", program], &session).output();
        let said = succeeded(&output.unwrap());
        assert!(said.contains(shown), "{said}");
    }
    let openai = blocks("python openai");
    assert_eq!(openai.len(), 1);
    if is_absent(OPENAI_CLIENT) {
        return;
    }
    let mut asking = run("python3", ["-c", openai[0]], &session);
    asking.env("PYTHONPATH", openai_client());
    assert_eq!(succeeded(&asking.output().unwrap()), "Good day to you.");
}
