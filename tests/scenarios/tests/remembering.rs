//! What is kept of what is said, how people find it again, and what is no memory.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::{Scene, of_kind};
use testkit::{House, Reply};

fn list(house: &House) -> String {
    house.ask(["memory", "list"]).run().expect(0).stdout
}

#[test]
fn what_stands_for_an_empty_answer_is_no_answer_to_remember() {
    let scene = Scene::new((0..2).map(|_| Reply::text("(no answer)")));
    scene
        .run(&["was steht in ausgaben.csv?"])
        .finished
        .expect(0);
    assert_eq!(list(&scene.house), "");
    scene.run(&["I prefer short sentences."]).finished.expect(0);
    assert!(list(&scene.house).contains("I prefer short sentences."));
}

#[test]
fn orders_to_the_rules_do_not_crowd_out_what_was_kept_on_purpose() {
    let scene = Scene::new([Reply::text("In Genf.")]);
    let house = &scene.house;
    house.write("Roman.md", "Marie arbeitet.\n");
    for order in ["search for \"Marie arbeitet\"", "show Roman.md"] {
        house
            .ask(["run", "--mode", "deterministic", order])
            .run()
            .expect(0);
    }
    assert_eq!(list(house), "");
    let told = "Marie arbeitet in Genf.";
    house.ask(["memory", "add", told]).run().expect(0);
    let asked = scene.run(&["Wo arbeitet Marie?"]);
    let log = scene.log(&asked);
    let recalled = of_kind(&log, "memory_recalled");
    assert_eq!(recalled.len(), 1, "{log:#?}");
    assert_eq!(recalled[0]["memories"].as_array().unwrap().len(), 1);
    assert!(recalled[0]["text"].as_str().unwrap().contains(told));
}

#[test]
fn a_search_shows_what_was_said_and_no_words_of_the_index() {
    let scene = Scene::new([Reply::text("Sie heißt Hélène.")]);
    scene
        .run(&["Wie heißt die Ärztin aus dem Café Übersicht?"])
        .finished
        .expect(0);
    let search = ["memory", "search", "Ärztin"];
    let found = scene.house.ask(search).run().expect(0).stdout;
    assert!(found.contains("Hélène"), "{found}");
    assert!(
        !found.contains("cafe") && !found.contains("relevance"),
        "{found}"
    );
}

#[test]
fn a_task_that_is_no_command_is_told_whole_and_a_slip_below_one_is_no_task() {
    let house = House::new();
    let slip = house.ask(["memory", "Add", "Marie"]).run().expect(2).stderr;
    assert!(slip.contains("Did you mean `carl memory add`"), "{slip}");
    assert!(!slip.contains("carl run"), "{slip}");
    let task = house
        .ask(["fasse", "Kapitel", "2", "zusammen"])
        .run()
        .expect(2);
    let told = "carl run \"fasse Kapitel 2 zusammen\"";
    assert!(task.stderr.contains(told), "{}", task.stderr);
}
