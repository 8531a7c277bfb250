//! A token limit ends a reply, or a prompt is larger than the server's context: what is said names
//! the limit and the key that changes it.

use scenarios::Scene;
use serde_json::json;
use testkit::openai::Props;
use testkit::{Reply, Server};

#[test]
fn a_cut_answer_ends_partly_done_and_names_the_key() {
    let scene = Scene::new([Reply::text("Once upon a").finishing("length")]);
    let outcome = scene.run(&["tell me a story"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.text("answer"), "Once upon a");
    assert_eq!(outcome.code(), "agents.answer_cut");
    // The stand-in counts four characters a token, far from what the context leaves.
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("the model server ended it"), "{message}");

    let limited = Scene::new([Reply::text(numbered(9_000)).finishing("length")]);
    let outcome = limited.run(&["--context-tokens", "16384", "tell me a story"]);
    assert_eq!(outcome.code(), "agents.answer_cut");
    let error = outcome.summary["error"].to_string();
    assert!(error.contains("context of 16384 tokens"), "{error}");
    assert!(error.contains("--context-tokens"), "{error}");
}

#[test]
fn thinking_that_reaches_the_limit_is_told_and_asked_again() {
    let thinks = || Reply::thinking("Hm. ".repeat(40)).finishing("length");
    let scene = Scene::new([thinks(), thinks()]);
    let outcome = scene.run(&["think hard"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.code(), "agents.answer_cut");
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("went into thinking"), "{message}");
    assert!(scene.told().contains("reached the token limit"));
}

#[test]
fn a_cut_call_is_not_run_and_the_model_may_do_it_in_parts() {
    let half = json!("{\"path\": \"notes.md\", \"content\": \"first line\\nsec");
    let scene = Scene::new([
        Reply::call("write_file", half).finishing("length"),
        Reply::call(
            "write_file",
            json!({"path": "notes.md", "content": "short\n"}),
        ),
        Reply::text("Written."),
    ]);
    let outcome = scene.run(&["--allow-write", ".", "--yes", "write", "write notes.md"]);
    outcome.assert_ends(0, "success");
    assert_eq!(scene.house.read("notes.md"), "short\n");
    let told = scene.told();
    assert!(told.contains("cut off at the token limit"), "{told}");
    assert!(!told.contains("must be one JSON object"), "{told}");
    let first = &outcome.summary["tool_calls"][0];
    assert_eq!(first["status"], "failed", "{first}");
}

#[test]
fn a_prompt_larger_than_the_servers_context_names_the_key() {
    let refusal = json!({"error": {
        "code": 400, "type": "exceed_context_size_error", "n_ctx": 2_048,
        "message": "the request exceeds the available context size, try increasing it",
    }});
    let refuse = || Reply::refuse(400, refusal.to_string());
    let scene = Scene::new([refuse(), refuse(), refuse()]);
    let outcome = scene.run(&["hello"]);
    assert_eq!(
        outcome.code(),
        "models.context_overflow",
        "{:#}",
        outcome.summary
    );
    let hint = outcome.summary["error"]["hint"].as_str().unwrap();
    assert!(
        hint.contains("`context_tokens` in [models.providers.scripted]"),
        "{hint}"
    );
    assert!(hint.contains("--context-tokens"), "{hint}");
}

/// The most that the first answer may have: what the context leaves beside the prompt.
fn asked_for(scene: &Scene) -> u64 {
    scene.run(&["hello there"]).assert_ends(0, "success");
    scene.server.chats()[0].body["max_tokens"].as_u64().unwrap()
}

#[test]
fn the_context_is_the_providers_setting_or_the_servers_own() {
    let plain = Scene::new([Reply::text("Hello.")]);
    let usual = asked_for(&plain);
    let set = Scene::new([Reply::text("Hello.")]);
    let config = format!("{}context_tokens = 8192\n", set.server.config("openai"));
    set.house.configure(&config);
    assert_eq!(asked_for(&set), usual / 4);
    let told = Props {
        n_ctx: 8_192,
        vision: false,
    };
    let llama = Server::script([Reply::text("Hello.")]).llama(told);
    assert_eq!(asked_for(&Scene::with(llama, "openai")), usual / 4);
    // A flag is for one command and goes before both.
    let flagged = Scene::new([Reply::text("Hello.")]);
    flagged
        .house
        .configure(&config.replace(&set.server.url(), &flagged.server.url()));
    let outcome = flagged.run(&["--context-tokens", "32768", "hello there"]);
    outcome.assert_ends(0, "success");
    assert_eq!(flagged.server.chats()[0].body["max_tokens"], usual);
}

#[test]
fn how_a_model_counts_tokens_is_known_to_the_next_process() {
    let scene = Scene::new([
        Reply::text("Hello.").counting_more(2_500),
        Reply::text("Hello."),
    ]);
    scene.house.write("long.txt", "word ".repeat(100_000));
    // How many characters of data fit is said when they do not.
    let fitting = || {
        let refused = scene.run(&["what is it?", "--input", "long.txt"]);
        assert_eq!(refused.code(), "agents.input_too_large");
        let message = refused.summary["error"]["message"].as_str().unwrap();
        let (_, about) = message.split_once("about ").unwrap();
        let number = about.split(' ').next().unwrap();
        number.parse::<u64>().unwrap()
    };
    let before = fitting();
    scene.run(&["hello there"]).assert_ends(0, "success");
    let after = fitting();
    assert!(after * 3 < before * 2, "{before} {after}");
    assert!(after * 4 > before, "{before} {after}");
}

/// Tokens that a session's context is said to have in all.
fn all_tokens(scene: &Scene, id: &str) -> u64 {
    let told = scene.house.ask(["session", "context", id]).run().expect(0);
    let line = told.stdout.lines().find(|line| line.contains("all "));
    let words = line.unwrap().split_whitespace();
    let numbers = words.filter_map(|word| word.replace(',', "").parse().ok());
    numbers.into_iter().next().unwrap()
}

#[test]
fn the_context_of_a_session_is_told_in_tokens_as_its_model_counts() {
    let plain = Scene::new([Reply::text("Hello.")]);
    let counting = Scene::new([Reply::text("Hello.").counting_more(2_500)]);
    let [plain, counting] = [plain, counting].map(|scene| {
        let outcome = scene.run(&["hello there"]);
        outcome.assert_ends(0, "success");
        all_tokens(&scene, outcome.text("session_id"))
    });
    assert!(counting * 2 > plain * 3, "{plain} {counting}");
}

#[test]
fn a_prompt_that_is_far_too_large_is_one_error_that_names_the_keys() {
    let scene = Scene::new([]);
    let config = format!("{}context_tokens = 2048\n", scene.server.config("openai"));
    scene.house.configure(&config);
    let long = "word ".repeat(3_000);
    let finished = scene.house.ask(["run"]).arg(long).run();
    let told = &finished.stderr;
    let errors = told.matches("agents.context_full").count();
    assert_eq!(errors, 1, "{told}");
    for key in ["--context-tokens", "`context_tokens`"] {
        assert!(told.contains(key), "{told}");
    }
    assert!(scene.server.chats().is_empty());
}

/// So many words, none over and over, which the gateway would stop.
fn numbered(words: u32) -> String {
    (0..words).map(|at| format!("w{at} ")).collect()
}
