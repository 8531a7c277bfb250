//! What is kept of what is said, how people find it again, and what is no memory.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::Scene;
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
