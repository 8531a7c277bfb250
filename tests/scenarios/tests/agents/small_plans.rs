//! What a tiny model plans and answers in plan mode, held against the request and the files.

use scenarios::Scene;
use serde_json::json;
use testkit::Reply;

/// A plan of one step, whose intent is the request.
fn planned(request: &str, action: serde_json::Value) -> Reply {
    Reply::text(json!({"intent": request, "actions": [action]}).to_string())
}

#[test]
fn an_answer_from_a_table_has_its_row_below_it_with_the_names_of_its_columns() {
    let scene = Scene::of_class("tiny", [Reply::text("There is none.")]);
    let table = "item,price,stock\ntea,3,12\nmilk,2,0\n";
    scene.house.write("goods.csv", table);
    let outcome = scene.run(&["--mode", "plan", "is there milk in goods.csv?"]);
    let rows = "There is none.\n\nFrom goods.csv:\n  item,price,stock\n  milk,2,0";
    assert_eq!(outcome.text("answer"), rows);
    assert_eq!(scene.server.chats().len(), 1);
    // Where the question has the names of row and column, no model is asked.
    let question = "what is the price of milk in goods.csv?";
    let outcome = scene.run(&["--mode", "plan", question]);
    let told = "`price` of milk is 2 (by rules, no model).\n\nFrom goods.csv:\n  item,price,stock\n  3: milk,2,0";
    assert_eq!(outcome.text("answer"), told);
    assert_eq!(scene.server.chats().len(), 1);
}

#[test]
fn a_look_that_a_tiny_model_left_out_of_its_plan_is_named() {
    let made = json!({"kind": "create_file", "path": "verse.txt", "content": "x"});
    let request = "write a poem into a new file verse.txt and show the rows where status is final";
    let scene = Scene::of_class("tiny", [planned(request, made)]);
    let open = ["--mode", "plan", "--allow-write", ".", "--yes", "write"];
    let outcome = scene.run(&[&open[..], &[request]].concat());
    outcome.assert_ends(5, "denied");
    let why = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(
        why.contains("nothing for `show the rows where status is final`"),
        "{why}"
    );
    assert!(!scene.house.has("verse.txt"));
}

#[test]
fn an_answer_from_the_names_of_files_says_that_no_text_was_read() {
    let question = "what kind of files are these?";
    let list = planned(question, json!({"kind": "list_files", "path": "."}));
    let scene = Scene::of_class("tiny", [list, Reply::text("It is a garden.")]);
    scene.house.write("garden.md", "one\n");
    let outcome = scene.run(&["--mode", "plan", question]);
    let answer = outcome.text("answer");
    assert!(
        answer.starts_with("It is a garden.") && answer.contains("shown the text of no file"),
        "{answer}"
    );
}

#[test]
fn a_value_is_told_from_its_line_in_loop_mode_whatever_a_tiny_model_says() {
    let scene = Scene::of_class("tiny", [Reply::text("The port is 9999.")]);
    scene.house.write("settings.toml", "port = 8080\n");
    let outcome = scene.run(&["--mode", "loop", "which port does settings.toml set?"]);
    let told = "`port` is 8080 (by rules, no model).\n\nFrom settings.toml:\n  1: port = 8080";
    assert_eq!(outcome.text("answer"), told);
}
