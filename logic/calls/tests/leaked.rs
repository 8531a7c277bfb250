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

/// Shapes that are calls and nothing else, with the place where the first tool's name ends.
fn named() -> Vec<(Case, usize)> {
    let calls = recovered().into_iter().filter_map(|case| {
        let name = &case.calls.first()?.name;
        let end = case.text.find(name)? + name.len();
        Some((case, end))
    });
    calls.collect()
}

/// What is shown of the first so many bytes.
fn shown_of(case: &Case, end: usize, offered: &[ToolDefinition]) -> String {
    let text = case.text.get(..end);
    text.map_or_else(String::new, |text| scan(text, offered).text)
}

#[test]
fn a_call_cut_behind_its_name_is_never_shown() {
    for (case, name_end) in named() {
        // The name of a tool alone may be an answer.
        let first = case.text.find(['{', '[', '<', '(', '>']).unwrap() + 1;
        for end in name_end.max(first)..=case.text.len() {
            let shown = shown_of(&case, end, &tools(&case.offered));
            assert_eq!(shown, "", "{} / {} at {end}", case.family, case.name);
        }
    }
}

#[test]
fn a_marked_call_of_no_tool_is_never_shown() {
    let offered = tools(&["add".to_owned()]);
    let is_mark = |text: &str| ["<", "[TOOL_CALLS]", "functools["].map(|one| text.starts_with(one));
    let cases = named().into_iter();
    let marked = cases.filter(|(case, _)| is_mark(&case.text).contains(&true));
    let marked: Vec<_> = marked.collect();
    assert!(marked.len() >= 30, "{}", marked.len());
    for (case, name_end) in marked {
        for end in name_end..=case.text.len() {
            let shown = shown_of(&case, end, &offered);
            assert_eq!(shown, "", "{} / {} at {end}", case.family, case.name);
        }
    }
}

#[test]
fn what_is_left_over_behind_a_call_takes_nothing_from_it() {
    for (case, _) in named()
        .iter()
        .filter(|(case, _)| !case.text.starts_with("```"))
    {
        let offered = tools(&case.offered);
        for left in [
            "}",
            "]",
            "}}",
            "\n}\n]",
            ")",
            "\n```",
            "</tool_call>",
            "</function>",
        ] {
            let found = scan(&format!("{}{left}", case.text), &offered);
            assert_eq!(
                found,
                case.expected(),
                "{} / {} {left}",
                case.family,
                case.name
            );
        }
        for left in [",", ";", ".", "}\n,", "</parameter>", "<|new_token|>"] {
            let found = scan(&format!("{}{left}", case.text), &offered);
            let name = case.calls.first().map(|call| call.name.clone());
            assert_eq!(found.text, "", "{} / {} {left}", case.family, case.name);
            assert_eq!(found.calls, [], "{} / {} {left}", case.family, case.name);
            assert_eq!(
                found.unusable, name,
                "{} / {} {left}",
                case.family, case.name
            );
        }
        for more in ["} is how it looks", "\n```\n\nreads it.", ", and so on"] {
            let text = format!("{}{more}", case.text);
            let found = scan(&text, &offered);
            assert_eq!(found.calls, [], "{} / {} {more}", case.family, case.name);
            assert!(
                found.text.ends_with(more.trim()),
                "{} / {} {more}: {}",
                case.family,
                case.name,
                found.text
            );
        }
    }
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
        format!(
            "<tool_call>{{\"name\": \"read_file\"}}{}x",
            "}`</".repeat(20_000)
        ),
        format!(
            "<tool_call>{{\"name\": \"read_file\"}}{}x",
            "</a>`".repeat(20_000)
        ),
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
