//! What models of each class are offered, and how freely they choose their words.

use scenarios::Scene;
use serde_json::{Value, json};
use testkit::Reply;

fn first_request(scene: &Scene, says: &str) -> Value {
    scene.house.write("settings.toml", "port = 80\n");
    let run = scene
        .house
        .ask(["run", "--mode", "loop", "--agent", "coder"]);
    let _finished = run.arg(says).run();
    scene.server.chats()[0].body.clone()
}

fn offered(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Four characters to a token, as prompts are estimated before a server counts them.
fn tokens(request: &Value) -> usize {
    let messages = request["messages"].as_array().unwrap().iter();
    let said: usize = messages.map(|one| one["content"].to_string().len()).sum();
    (said + request["tools"].to_string().len()) / 4
}

#[test]
fn a_small_model_has_a_short_first_prompt_and_what_most_work_needs() {
    let order = "change the port in settings.toml to 9000";
    for (class, most, needs) in [
        ("tiny", 1_000, &["edit_file"][..]),
        (
            "small",
            1_500,
            &["read_file", "edit_file", "write_file", "list_files"],
        ),
    ] {
        let scene = Scene::of_class(class, [Reply::text("Done.")]);
        let request = first_request(&scene, order);
        let names = offered(&request);
        assert!(tokens(&request) <= most, "{class}: {}", tokens(&request));
        let has = |name: &&str| names.iter().any(|offered| offered == name);
        assert!(needs.iter().chain(&["find_tools"]).all(has), "{names:?}");
        assert_eq!(request["temperature"], json!(0.2), "{class}");
    }
    let scene = Scene::with_provider_lines("class = \"large\"", [Reply::text("Done.")]);
    let request = first_request(&scene, order);
    assert!(offered(&request).len() > 20 && request.get("temperature").is_none());
    // What only a validator needs is in no prompt.
    let tools = request["tools"].to_string();
    assert!(!tools.contains("maxLength") && tools.contains("additionalProperties"));
}

#[test]
fn a_small_model_finds_the_tools_that_it_was_not_offered() {
    let find = Reply::call("find_tools", json!({"task": "delete a file"}));
    let scene = Scene::with_provider_lines("class = \"small\"", [find, Reply::text("Done.")]);
    let first = first_request(&scene, "change the port in settings.toml to 9000");
    let is_deletion = |name: &String| name == "delete_file";
    assert!(!offered(&first).iter().any(is_deletion));
    let next = &scene.server.chats()[1].body;
    assert!(offered(next).iter().any(is_deletion), "{:?}", offered(next));
}

#[test]
fn the_configuration_says_how_freely_a_model_chooses_its_words() {
    let lines = "class = \"small\"\ntemperature = 0.7";
    let scene = Scene::with_provider_lines(lines, [Reply::text("Done.")]);
    let request = first_request(&scene, "look at settings.toml");
    assert_eq!(request["temperature"], json!(0.7));
    let scene = Scene::with_provider_lines("temperature = 3", []);
    let refused = scene.house.ask(["run", "hello"]).run();
    assert_ne!(refused.code, Some(0));
    let told = &refused.stderr;
    assert!(
        told.contains("models.providers.scripted.temperature: it is 3"),
        "{told}"
    );
}
