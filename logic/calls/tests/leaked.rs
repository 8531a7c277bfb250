//! Tool calls and thinking in text: every shape in `tests/leaked/*.json`, cut every way.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "test code: a broken promise has to fail loudly"
)]

use calls::leaked::{Found, LeakedCall, Splitter, scan};
use domain::tool::{ToolDefinition, ToolName};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Case {
    family: String,
    name: String,
    text: String,
    offered: Vec<String>,
    calls: Vec<Call>,
    expected_text: String,
    expected_thinking: String,
    /// The tool of a call that cannot be run.
    unusable: Option<String>,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: Value,
}

impl Case {
    fn expected(&self) -> Found {
        Found {
            text: self.expected_text.clone(),
            thinking: self.expected_thinking.clone(),
            calls: self
                .calls
                .iter()
                .map(|call| LeakedCall {
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                })
                .collect(),
            unusable: self.unusable.clone(),
        }
    }
}

fn recovered() -> Vec<Case> {
    serde_json::from_str(include_str!("leaked/recovered.json")).unwrap()
}

fn left() -> Vec<Case> {
    serde_json::from_str(include_str!("leaked/left.json")).unwrap()
}

fn unusable() -> Vec<Case> {
    serde_json::from_str(include_str!("leaked/unusable.json")).unwrap()
}

/// The tools that the cases speak of.
fn tools(names: &[String]) -> Vec<ToolDefinition> {
    let table = [
        (
            "read_file",
            json!({"path": "string", "start_line": "integer", "line_count": "integer"}),
        ),
        (
            "list_files",
            json!({"path": "string", "recursive": "boolean"}),
        ),
        (
            "grep",
            json!({"pattern": "string", "path": "string", "max": "integer"}),
        ),
        ("write_file", json!({"path": "string", "content": "string"})),
        ("get_weather", json!({"location": "string"})),
        ("add", json!({"a": "number", "b": "number"})),
    ];
    table
        .iter()
        .filter(|(name, _)| names.iter().any(|wanted| wanted == name))
        .map(|(name, arguments)| {
            let properties: serde_json::Map<String, Value> = arguments
                .as_object()
                .unwrap()
                .iter()
                .map(|(key, kind)| (key.clone(), json!({"type": kind})))
                .collect();
            ToolDefinition {
                name: ToolName::new(*name).unwrap(),
                description: String::new(),
                parameters: json!({"type": "object", "properties": properties}),
            }
        })
        .collect()
}

/// The result of a text that arrives in pieces cut at these characters.
fn split_at(text: &str, offered: &[ToolDefinition], cuts: &[usize]) -> Found {
    let mut splitter = Splitter::new(offered);
    let mut found = Found::default();
    let characters: Vec<char> = text.chars().collect();
    let mut start = 0;
    for cut in cuts.iter().copied().chain([characters.len()]) {
        let cut = cut.clamp(start, characters.len());
        let piece: String = characters[start..cut].iter().collect();
        for piece in splitter.push(&piece) {
            found.add(piece);
        }
        start = cut;
    }
    for piece in splitter.finish() {
        found.add(piece);
    }
    found
}

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for case in cases {
        let found = scan(&case.text, &tools(&case.offered));
        if found != case.expected() {
            wrong.push(format!(
                "{} / {}: {found:#?}\n{}",
                case.family, case.name, case.text
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} of {}",
        wrong.join("\n\n"),
        wrong.len(),
        cases.len()
    );
}

#[test]
fn every_known_shape_is_recovered() {
    let cases = recovered();
    assert!(cases.len() >= 40, "{}", cases.len());
    check(&cases);
}

#[test]
fn what_is_not_meant_as_a_call_stays_text() {
    let cases = left();
    assert!(cases.len() >= 15, "{}", cases.len());
    check(&cases);
}

#[test]
fn a_call_that_cannot_be_run_is_no_text() {
    check(&unusable());
}

#[test]
fn letter_by_letter_gives_the_same_as_all_at_once() {
    for case in ALL.iter() {
        let offered = tools(&case.offered);
        let cuts: Vec<usize> = (0..case.text.chars().count()).collect();
        let found = split_at(&case.text, &offered, &cuts);
        assert_eq!(found, case.expected(), "{} / {}", case.family, case.name);
    }
}

#[test]
fn plain_text_is_given_out_at_once() {
    let offered = tools(&["read_file".to_owned()]);
    let mut splitter = Splitter::new(&offered);
    let mut shown = Found::default();
    for word in [
        "The ",
        "answer ",
        "is:\n",
        "```rust\n",
        "fn main() {}\n",
        "``",
    ] {
        for piece in splitter.push(word) {
            shown.add(piece);
        }
    }
    assert_eq!(shown.text, "The answer is:\n```rust\nfn main() {}");
}

#[test]
fn a_long_call_letter_by_letter_takes_linear_time() {
    let offered = tools(&["write_file".to_owned()]);
    let content = "x".repeat(200_000);
    let text = format!(
        "{{\"name\": \"write_file\", \"arguments\": {{\"path\": \"a\", \"content\": \"{content}\"}}}}"
    );
    let cuts: Vec<usize> = (0..text.len()).step_by(4).collect();
    let found = split_at(&text, &offered, &cuts);
    assert_eq!(found.calls.len(), 1);
}

#[test]
fn hostile_nesting_ends() {
    let offered = tools(&["read_file".to_owned()]);
    for text in [
        "[".repeat(100_000),
        "{\"name\":".repeat(20_000),
        "<tool_call>".repeat(20_000),
        "`".repeat(50_000),
        format!("[read_file(path={}", "[".repeat(50_000)),
        "<think>\n".repeat(20_000),
    ] {
        assert!(scan(&text, &offered).calls.is_empty());
    }
}

static ALL: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let cases = recovered().into_iter().chain(left());
    cases.chain(unusable()).collect()
});

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_cut_gives_the_same(
        at in 0usize..10_000,
        other in 0usize..10_000,
        joined in any::<bool>(),
        mut cuts in proptest::collection::vec(0usize..400, 0..12),
    ) {
        let first = &ALL[at % ALL.len()];
        let second = &ALL[other % ALL.len()];
        let text = if joined {
            format!("{}\n{}", first.text, second.text)
        } else {
            format!("{}{}", first.text, second.text)
        };
        let offered = tools(&first.offered);
        cuts.sort_unstable();
        let cut = split_at(&text, &offered, &cuts);
        prop_assert_eq!(cut, scan(&text, &offered), "{}", text);
    }
}
