//! Lines that an order puts or moves: where they stand, how deep, and that no file goes in their place.

use scenarios::Scene;
use serde_json::json;
use testkit::{Finished, House, Reply};

fn order(house: &House, say: &str) -> Finished {
    let run = house.ask([
        "run",
        "--json",
        "--mode",
        "deterministic",
        "--allow-write",
        ".",
    ]);
    run.args(["--yes", "write", "--yes", "destructive", say])
        .run()
}

const TODO: &str = "# Todo\n\n## This week\n\n- [ ] Call\n\n## Later\n\n- [ ] Find an agent\n";

#[test]
fn no_file_is_moved_by_a_tiny_model_for_a_text_in_it() {
    for (request, to) in [
        (
            "please shift \"Find an agent\" over to This week in todo.md",
            "This week in todo.md",
        ),
        ("please shift \"Call\" to Top in todo.md", "top.md"),
    ] {
        let action = json!({"kind": "move_file", "from": "todo.md", "to": to});
        let plan = json!({"intent": request, "actions": [action]}).to_string();
        let scene = Scene::of_class("tiny", [Reply::text(plan)]);
        scene.house.write("todo.md", TODO);
        let open = ["--mode", "plan", "--allow-write", ".", "--yes", "write"];
        let outcome = scene.run(&[&open[..], &[request]].concat());
        assert!(
            outcome.summary["error"].is_object(),
            "{:#}",
            outcome.summary
        );
        assert_eq!(scene.house.read("todo.md"), TODO, "{request}");
        assert!(!scene.house.has(to), "{request}");
    }
}

#[test]
fn a_line_that_goes_under_a_heading_is_offered_with_its_order() {
    let house = House::new();
    house.write("todo.md", TODO);
    let say = "move \"Find an agent\" to This week in todo.md";
    let error = order(&house, say).json()["error"].clone();
    let hint = error["hint"].as_str().unwrap_or_default();
    let offered = hint.split_once("Try: ").map_or("", |(_, offered)| offered);
    assert_eq!(
        offered,
        "remove line 9 of todo.md then add a line under the heading \"This week\" in todo.md: \"- [ ] Find an agent\"",
        "{error:#}"
    );
    assert_eq!(house.read("todo.md"), TODO);
    order(&house, offered).expect(0);
    let after = "# Todo\n\n## This week\n\n- [ ] Call\n- [ ] Find an agent\n\n## Later\n\n";
    assert_eq!(house.read("todo.md"), after);
}

#[test]
fn a_line_is_set_in_as_the_one_beside_it_and_a_heading_apart() {
    let house = House::new();
    for (path, before, say, after) in [
        (
            "nginx/wiki.conf",
            "server {\n        proxy_pass a;\n}\n",
            "insert \"proxy_set_header Host $host;\" after the line about proxy_pass in nginx/wiki.conf",
            "server {\n        proxy_pass a;\n        proxy_set_header Host $host;\n}\n",
        ),
        (
            "CHANGELOG.md",
            "# Log\n\n## [Unreleased]\n\n## [0.7.0]\n### Added\n- a\n",
            "insert \"## [0.8.0] - 2026-12-02\" after the heading \"[Unreleased]\" in CHANGELOG.md",
            "# Log\n\n## [Unreleased]\n\n## [0.8.0] - 2026-12-02\n\n## [0.7.0]\n### Added\n- a\n",
        ),
    ] {
        house.write(path, before);
        order(&house, say).expect(0);
        assert_eq!(house.read(path), after, "{say}");
    }
}

#[test]
fn no_file_is_changed_where_another_lacks_the_words() {
    let house = House::new();
    house.write("a.md", "Oskar\n");
    house.write("todo.md", TODO);
    house.write("b.md", "Oskar\n");
    let say = "replace Oskar with Otto in a.md, todo.md and b.md";
    let error = order(&house, say).json()["error"].clone();
    let hint = error["hint"].as_str().unwrap_or_default();
    assert_eq!(
        hint, "Try: replace Oskar with Otto in a.md and b.md",
        "{error:#}"
    );
    assert_eq!(house.read("a.md"), "Oskar\n");
    order(&house, "replace Oskar with Otto in a.md and b.md").expect(0);
    assert_eq!(house.read("b.md"), "Otto\n");
}
