//! A session of thousands of messages in the page.

use crate::opened;
use scenarios::Scene;
use std::fmt::Write as _;
use testkit::{BROWSER, Reply, Story, is_absent};

/// Requests, each with an answer: ten thousand messages.
const REQUESTS: usize = 5_000;

/// Makes a session of many requests from the log of one: the same events again and again, each with its own
/// number, request and words.
fn lengthened(scene: &Scene, requests: usize) -> String {
    let asked = ["run", "--json", "--mode", "loop", "message 1"];
    let told = scene.house.ask(asked).run().expect(0).json();
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    let (id, query) = (text("session_id"), text("query_id"));
    let logs = scene.house.session_logs();
    let path = logs
        .iter()
        .find(|path| path.to_string_lossy().contains(&id));
    let path = path.unwrap();
    let log = std::fs::read_to_string(path).unwrap();
    // Without its number, which stands at the beginning of each line.
    let rests: Vec<&str> = log
        .lines()
        .map(|line| line.split_once(',').unwrap().1)
        .collect();
    let (opening, request): (Vec<&str>, Vec<&str>) =
        rests.iter().partition(|rest| !rest.contains(&query));
    let mut whole = String::new();
    let mut seq = 0;
    let mut add = |rest: &str| {
        seq += 1;
        writeln!(whole, "{{\"seq\":{seq},{rest}").unwrap();
    };
    opening.iter().take(1).for_each(|rest| add(rest));
    for number in 1..=requests {
        let own = format!("{}{number:012x}", &query[..24]);
        for rest in &request {
            let rest = rest.replace(&query, &own);
            let rest = rest.replace("message 1", &format!("message {number}"));
            add(&rest.replace("answer 1", &format!("answer {number}")));
        }
    }
    std::fs::write(path, whole).unwrap();
    id
}

#[test]
fn ten_thousand_messages_are_shown_from_their_end_and_scrolled_through() {
    if is_absent(BROWSER) {
        return;
    }
    // The view of so long a session is made smaller first, for which the model is asked as well.
    let further = std::iter::repeat_n(Reply::text("That was all."), 9);
    let replies = std::iter::once(Reply::text("answer 1")).chain(further);
    let (scene, page) = opened(replies);
    let id = lengthened(&scene, REQUESTS);
    let Some(story) = Story::begin_with("long.mjs", "thousands", (&page.link, &id)) else {
        return;
    };
    story.end();
}
