//! The stories on the embedded model, for the record in docs/stories.md: a table, with why one does not pass.
//!
//! Needs `HOUSE_ENGINE` and `HOUSE_MODELS`, as the tests with that model do; names choose stories.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it is run by hand, and is allowed to fail loudly"
)]

use acceptance::serve;
use scenarios::site;
use serde_json::Value;
use std::process::ExitCode;
use testkit::House;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if !site::is_inside() {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let status = site::again_inside(&names).status().unwrap();
        return ExitCode::from(u8::from(!status.success()));
    }
    let stories = stories::chosen(stories::shipped().unwrap(), &names).unwrap();
    let pages: Vec<_> = stories.iter().flat_map(|one| &one.given.pages).collect();
    serve(&pages.into_iter().cloned().collect::<Vec<_>>());
    let house = House::new();
    assert!(
        house.use_engine(),
        "HOUSE_ENGINE and HOUSE_MODELS are not set"
    );
    println!("| Story | Outcome | Seconds | Why |\n|---|---|---|---|");
    for story in stories {
        let ran = house.ask(["stories", "--json", &story.name]).run();
        let told = &ran.json()["stories"][0];
        let text = |key: &str| told[key].as_str().unwrap_or_default().replace('_', " ");
        let why: Vec<&str> = told["why"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let seconds = told["ms"].as_f64().unwrap_or_default() / 1_000.0;
        println!(
            "| {} | {} | {seconds:.0} | {} |",
            story.name,
            text("outcome"),
            why.join("; ")
        );
        for line in told["timeline"].as_array().into_iter().flatten() {
            println!("  {}", line.as_str().unwrap_or_default());
        }
    }
    ExitCode::SUCCESS
}
