//! What a tiny model plans and answers in plan mode, held against the request and the files.

use scenarios::Scene;
use serde_json::json;
use testkit::Reply;

/// What stands above the lines that may answer a question.
const LINES: &str = "These lines may say it (by rules, no model):";

/// A plan of one step, whose intent is the request.
fn planned(request: &str, action: serde_json::Value) -> Reply {
    Reply::text(json!({"intent": request, "actions": [action]}).to_string())
}

#[test]
fn a_question_of_a_table_is_answered_by_its_row_and_the_names_of_its_columns() {
    let scene = Scene::of_class("tiny", [Reply::text("There is none.")]);
    let table = "item,price,stock\ntea,3,12\nmilk,2,0\n";
    scene.house.write("goods.csv", table);
    let outcome = scene.run(&["--mode", "plan", "is there milk in goods.csv?"]);
    let rows = format!("{LINES}\n\nFrom goods.csv:\n  1: item,price,stock\n  3: milk,2,0");
    assert_eq!(outcome.text("answer"), rows);
    // Where the question has the names of row and column, no model is asked.
    let question = "what is the price of milk in goods.csv?";
    let outcome = scene.run(&["--mode", "plan", question]);
    let told = "`price` of milk is 2 (by rules, no model).\n\nFrom goods.csv:\n  item,price,stock\n  3: milk,2,0";
    assert_eq!(outcome.text("answer"), told);
    assert!(scene.server.chats().is_empty());
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
fn a_question_that_no_text_answers_is_told_what_was_looked_at() {
    let question = "what kind of files are these?";
    let list = planned(question, json!({"kind": "list_files", "path": "."}));
    let scene = Scene::of_class("tiny", [list, Reply::text("It is a garden.")]);
    scene.house.write("garden.md", "one\n");
    let outcome = scene.run(&["--mode", "plan", question]);
    let answer = outcome.text("answer");
    assert!(
        answer.contains("from no text of a file") && answer.contains("garden.md"),
        "{answer}"
    );
    assert!(!answer.contains("It is a garden"), "{answer}");
}

#[test]
fn a_question_about_files_is_answered_by_lines_and_never_by_a_tiny_model() {
    let scene = Scene::of_class("tiny", [Reply::text("The gift_wrap is not on.")]);
    scene
        .house
        .write("shop.json", "{\n  \"gift_wrap\": true\n}\n");
    scene
        .house
        .write("cli.py", "MAX_RETRIES = 3\nMAX_ITEMS = 100\n");
    scene
        .house
        .write("README.md", "# Ferry\n\nIt books ferries.\n");
    for (question, line) in [
        (
            "is gift_wrap on?",
            "From shop.json:\n  2: \"gift_wrap\": true",
        ),
        ("what is MAX_ITEMS", "From cli.py:\n  2: MAX_ITEMS = 100"),
    ] {
        for mode in ["plan", "adaptive"] {
            let outcome = scene.run(&["--mode", mode, question]);
            outcome.assert_ends(0, "success");
            let answer = outcome.text("answer");
            assert!(
                answer.starts_with(&format!("{LINES}\n\n{line}")),
                "{answer}"
            );
        }
    }
    let outcome = scene.run(&["--mode", "plan", "what does this project do?"]);
    let told = "So README.md begins (by rules, no model):\n\nFrom README.md:\n  1: # Ferry\n  3: It books ferries.";
    assert_eq!(outcome.text("answer"), told);
    let outcome = scene.run(&["--mode", "plan", "who is the queen of Norway?"]);
    let answer = outcome.text("answer");
    assert!(
        answer.starts_with("I found no line about that in this folder."),
        "{answer}"
    );
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_value_is_told_from_its_line_in_loop_mode_whatever_a_tiny_model_says() {
    let scene = Scene::of_class("tiny", [Reply::text("The port is 9999.")]);
    scene.house.write("settings.toml", "port = 8080\n");
    let outcome = scene.run(&["--mode", "loop", "which port does settings.toml set?"]);
    let told = "`port` is 8080 (by rules, no model).\n\nFrom settings.toml:\n  1: port = 8080";
    assert_eq!(outcome.text("answer"), told);
}

/// What a tiny model plans for a request that no rule knows, and how it ends.
fn appended(request: &str, path: &str, content: &str) -> (Scene, scenarios::Outcome) {
    let step = json!({"kind": "append_text", "path": path, "content": content});
    let scene = Scene::of_class("tiny", [planned(request, step)]);
    scene.house.write("ideas.md", "# Ideas\nrain\n");
    scene.house.write("todo.txt", "tea\n");
    let open = ["--mode", "plan", "--allow-write", ".", "--yes", "write"];
    let outcome = scene.run(&[&open[..], &[request]].concat());
    (scene, outcome)
}

#[test]
fn a_text_that_a_tiny_model_made_up_is_not_written() {
    for (request, content) in [
        ("give ideas.md a title", "The ideas"),
        ("give ideas.md a title", "ideas.md"),
        ("make the title of ideas.md uppercase", "IDEAS IDEAS IDEAS"),
        ("ideas.md could do with a title", "a title"),
    ] {
        let (scene, outcome) = appended(request, "ideas.md", content);
        assert_eq!(
            scene.house.read("ideas.md"),
            "# Ideas\nrain\n",
            "{request}: {content}"
        );
        outcome.assert_ends(5, "denied");
        let hint = outcome.summary["error"]["hint"].as_str().unwrap();
        assert!(!hint.is_empty(), "{request}");
    }
}

#[test]
fn a_text_of_the_request_or_of_a_named_file_is_written_by_a_tiny_models_plan() {
    for (request, content) in [
        ("\"buy milk\" belongs on todo.txt", "buy milk"),
        ("todo.txt wants its line added once more", "tea"),
    ] {
        let (scene, outcome) = appended(request, "todo.txt", content);
        outcome.assert_ends(0, "success");
        let after = format!("tea\n{content}\n");
        assert_eq!(scene.house.read("todo.txt"), after, "{request}");
    }
}

#[test]
fn an_order_or_a_judgement_is_not_answered_with_a_file() {
    for request in [
        "give tasks.md a title",
        "quote the variables in tasks.md",
        "open tasks.md with a quote",
        "average age in tasks.md",
        "limit memory of the tasks to 2G",
        "now the same in tasks.md",
    ] {
        let look = planned(request, json!({"kind": "read_file", "path": "tasks.md"}));
        let scene = Scene::of_class("tiny", [look]);
        scene.house.write("tasks.md", "# Tasks\n");
        let outcome = scene.run(&["--mode", "plan", request]);
        outcome.assert_ends(5, "denied");
        assert_eq!(outcome.text("answer"), "", "{request}");
    }
}

#[test]
fn a_tiny_models_plan_without_an_end_is_told_in_plain_words() {
    let cut = "{\"intent\": \"polish it\", \"actions\": [{\"kind\": \"append_text\", \"content\": \"and and and";
    let scene = Scene::of_class(
        "tiny",
        [Reply::text(cut), Reply::text(cut), Reply::text(cut)],
    );
    scene.house.write("a.md", "# A\n");
    let outcome = scene.run(&["--mode", "plan", "polish a.md a bit"]);
    let told = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(told.starts_with("The model gave no plan"), "{told}");
    let most = scene.server.chats()[0].body["max_tokens"].as_u64();
    assert!(most.is_some_and(|most| most < 600), "{most:?}");
}

#[test]
fn a_path_that_a_question_names_is_no_other_file_of_that_name() {
    for question in [
        "which port does /srv/nowhere/app.ini set?",
        "what does conf/app.ini say about port",
    ] {
        let read = planned(question, json!({"kind": "read_file", "path": "app.ini"}));
        let scene = Scene::of_class("tiny", [read]);
        scene.house.write("app.ini", "port = 2342\n");
        let outcome = scene.run(&["--mode", "plan", question]);
        outcome.assert_ends(4, "failed");
        let error = &outcome.summary["error"];
        let why = error["message"].as_str().unwrap();
        assert!(why.contains("/app.ini"), "{why}");
        let hint = error["hint"].as_str().unwrap_or_default();
        assert!(!hint.contains("2342") && scene.server.chats().is_empty());
    }
    // The control: a path that is there is read, and not the other file of that name.
    let question = "what does conf/app.ini say about port";
    let read = planned(
        question,
        json!({"kind": "read_file", "path": "conf/app.ini"}),
    );
    let scene = Scene::of_class("tiny", [read]);
    scene.house.write("app.ini", "port = 2342\n");
    scene.house.write("conf/app.ini", "port = 99\n");
    let outcome = scene.run(&["--mode", "plan", question]);
    let answer = outcome.text("answer");
    assert!(
        answer.contains("99") && !answer.contains("2342"),
        "{answer}"
    );
}
