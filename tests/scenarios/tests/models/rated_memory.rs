//! What many good ratings do to what memory finds, with the embedding model that comes along.
#![allow(clippy::print_stderr, reason = "a test says what it leaves out")]

use scenarios::Scene;
use scenarios::serving::{Serving, session};
use serde_json::{Value, json};
use testkit::{Reply, Server};

/// How many answers are rated as well as can be.
const RATED: usize = 100;
const KEPT: &str = "The printer stands in room 12 on the second floor.";
/// Searches that have what was kept before every answer by so little that ratings would make up for it.
const SEARCHES: [&str; 4] = [
    "where does the printer stand",
    "printer floor",
    "printer on which floor",
    "printer second floor",
];

/// What a search finds, the best first.
fn found(scene: &Scene, asked: &str) -> Vec<Value> {
    let search = ["memory", "search", asked, "-n", "150", "--json"];
    let told = scene.house.ask(search).run().expect(0).json();
    let all = told["results"].as_array().unwrap();
    assert!(all.len() > RATED / 2, "{asked}: {told:#}");
    assert_eq!(all[0]["segment"], KEPT, "{asked}: {:#}", all[0]);
    all.clone()
}

fn best_answer(scene: &Scene, asked: &str) -> f64 {
    let all = found(scene, asked);
    let answers = all.iter().filter(|one| one["kind"] == "conversation");
    let scores = answers.map(|one| one["score"].as_f64().unwrap());
    scores.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn a_hundred_good_ratings_bury_nothing_that_was_kept_on_purpose() {
    let wrong =
        |_: &Value, at: usize| Reply::text(format!("The printer stands in room 99 ({at})."));
    let scene = Scene::with(Server::speak(wrong).openai(), "openai");
    if !scene
        .house
        .use_engine_beside(&scene.server.config("openai"))
    {
        eprintln!("left out: no embedded engine");
        return;
    }
    let adding = ["memory", "add", "--name", "printer", KEPT];
    scene.house.ask(adding).run().expect(0);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    let mut opinions = Vec::new();
    for at in 0..RATED {
        let query = format!("In which room does the printer stand on the second floor? ({at})");
        let asked = json!({"session_id": id, "query": query});
        let said = chat.post("/query", &asked).expect(200).json();
        let query = &said["query_id"];
        opinions.push(json!({"session_id": id, "query_id": query, "score": 100}));
    }
    let before = SEARCHES.map(|asked| best_answer(&scene, asked));
    for opinion in &opinions {
        chat.post("/feedback", opinion).expect(204);
    }
    let after = SEARCHES.map(|asked| best_answer(&scene, asked));
    // The ratings count.
    for (before, after) in before.iter().zip(after) {
        assert!(after > before + 0.01, "{before} before, {after} after");
    }
    let stats = scene.house.ask(["memory", "stats", "--json"]).run();
    let stats = stats.expect(0).json();
    let mut indexes = stats["indexes"].as_array().unwrap().iter();
    let vectors = indexes.find(|one| one["name"] == "vector").unwrap();
    assert_eq!(vectors["entries"], RATED + 1, "{stats:#}");
}
