//! `outline`: which files are parsed, what becomes of those that are not, and what is told. The parser
//! here takes each line `fn NAME` for a symbol; what real ones find is tested with them.

use crate::support::{Bench, link};
use api::documents::{DocumentError, DocumentText, Documents, ReadSource};
use api::executor::{ReportSink, ToolFailure};
use api::failure::broken;
use async_trait::async_trait;
use domain::limits::{
    OUTLINE_TOKENS, OUTLINE_TOKENS_LEAST, OUTLINE_TOKENS_MOST, SOURCE_BYTES, SOURCE_FILES,
    SOURCES_BYTES,
};
use domain::source::{Source, Symbol};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A parser that does as a file says.
#[derive(Default)]
struct Parser {
    given: Mutex<Vec<Source>>,
}

fn parsed(source: &Source) -> ReadSource {
    let unreadable = || DocumentError::Unreadable {
        detail: "its parser broke down over it".to_owned(),
    };
    match source.text.trim() {
        "hang" => return Err(DocumentError::Timeout),
        "crash" => return Err(unreadable()),
        _ => {}
    }
    let lines = source.text.lines().enumerate();
    let symbol = |(at, line): (usize, &str)| {
        let name = line.trim().strip_prefix("fn ")?.to_owned();
        Some(Symbol {
            line: at + 1,
            depth: usize::from(line.starts_with(' ')),
            signature: format!("fn {name}"),
            name,
        })
    };
    Ok(lines.filter_map(symbol).collect())
}

#[async_trait]
impl Documents for Parser {
    async fn text(&self, _: Vec<u8>, _: &ReportSink) -> Result<DocumentText, DocumentError> {
        Err(DocumentError::Timeout)
    }

    async fn symbols(
        &self,
        sources: Vec<Source>,
        _: &ReportSink,
    ) -> Result<Vec<ReadSource>, ToolFailure> {
        if sources.iter().any(|source| source.text == "no sandbox") {
            return Err(broken("sandbox_unavailable", "Nothing was run."));
        }
        let reached = sources
            .iter()
            .take_while(|source| source.text != "too late");
        let read = reached.map(parsed).collect();
        self.given.lock().unwrap().extend(sources);
        Ok(read)
    }
}

fn bench() -> (Bench, Arc<Parser>) {
    let mut bench = Bench::new();
    let parser = Arc::new(Parser::default());
    bench.tools = bench.tools.clone().with_documents(parser.clone());
    (bench, parser)
}

async fn text(bench: &Bench, arguments: Value) -> String {
    bench.call("outline", arguments).await.unwrap().text
}

#[tokio::test]
async fn a_file_is_outlined_whole() {
    let (bench, parser) = bench();
    bench.write("src/a.rs", "\nfn outer\n  fn inner\n");
    let output = bench.call("outline", json!({"path": "src/a.rs"})).await;
    let output = output.unwrap();
    let expected = "src/a.rs (Rust):\n  2: fn outer\n    3: fn inner\n";
    assert_eq!(output.text, expected);
    assert_eq!(output.origin, "file:src/a.rs");
    let data = json!({
        "path": "src/a.rs",
        "files": [{"path": "src/a.rs", "symbols": [
            {"line": 2, "depth": 0, "signature": "fn outer"},
            {"line": 3, "depth": 1, "signature": "fn inner"},
        ]}],
        "files_left": 0, "symbols_left": 0, "unread": [], "truncated": false,
    });
    assert_eq!(output.data, data);
    assert_eq!(parser.given.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_folder_is_ranked_and_what_git_ignores_is_left_out() {
    let (bench, parser) = bench();
    bench.write(".gitignore", "made/\n");
    bench.write("made/a.rs", "fn made_one\n");
    bench.write(".git/a.rs", "fn of_git\n");
    bench.write("src/b.rs", "fn uses_it\nwanted_one\n");
    bench.write("src/c.py", "fn wanted_one\n");
    bench.write("src/notes.txt", "fn in_notes\n");
    bench.write("src/none.go", "nothing\n");
    let expected = "src/c.py\n  1: fn wanted_one\nsrc/b.rs\n  1: fn uses_it\n";
    assert_eq!(text(&bench, json!({})).await, expected);
    assert_eq!(parser.given.lock().unwrap().len(), 3);
    let below = text(&bench, json!({"path": "src"})).await;
    assert_eq!(below, expected);
    // As for grep, a folder that is named is looked into.
    let made = text(&bench, json!({"path": "made"})).await;
    assert_eq!(made, "made/a.rs\n  1: fn made_one\n");
}

#[tokio::test]
async fn tokens_bound_an_outline_and_the_rest_is_counted() {
    let (bench, _) = bench();
    let many: String = (0..2_000).map(|at| format!("fn number_{at}\n")).collect();
    bench.write("a/one.rs", &many);
    bench.write("a/two.rs", &many);
    let cases = [
        (json!({"path": "a"}), OUTLINE_TOKENS),
        (json!({"path": "a/one.rs"}), OUTLINE_TOKENS_MOST),
        (json!({"path": "a", "tokens": 1}), OUTLINE_TOKENS_LEAST),
        (
            json!({"path": "a", "tokens": 1_000_000}),
            OUTLINE_TOKENS_MOST,
        ),
        (json!({"path": "a/one.rs", "tokens": 500}), 500),
    ];
    for (arguments, tokens) in cases {
        let told = text(&bench, arguments.clone()).await;
        let count = told.chars().count();
        assert!(
            count <= tokens * 4 + 40 && count > tokens * 3,
            "{arguments}: {count}"
        );
        assert!(told.ends_with(" more symbols)\n"), "{arguments}: {told}");
    }
}

#[tokio::test]
async fn a_file_that_breaks_the_parser_is_told_and_costs_no_other() {
    let (bench, _) = bench();
    bench.write("a.rs", "fn stays\n");
    bench.write("b.rs", "hang\n");
    bench.write("c.rs", "crash\n");
    let told = text(&bench, json!({})).await;
    let expected = "a.rs\n  1: fn stays\n\
                    (not outlined: b.rs takes its parser too long; c.rs breaks its parser)\n";
    assert_eq!(told, expected);
    let data = bench.ok("outline", json!({})).await;
    assert_eq!(data["unread"], json!(["b.rs", "c.rs"]));
    for (name, why) in [("b.rs", "too long"), ("c.rs", "breaks its parser")] {
        let (rule, message) = bench.fails("outline", json!({"path": name})).await;
        assert_eq!(rule, "unreadable");
        assert!(message.contains(name) && message.contains(why), "{message}");
    }
    for at in 0..10 {
        bench.write(&format!("d{at}.rs"), "crash\n");
    }
    let told = text(&bench, json!({})).await;
    assert!(
        told.contains("d2.rs breaks its parser; and 7 more)\n"),
        "{told}"
    );
}

#[tokio::test]
async fn files_that_there_was_no_time_for_are_told_as_not_looked_at() {
    let (bench, _) = bench();
    bench.write("a.rs", "fn stays\n");
    bench.write("b.rs", "too late");
    bench.write("c.rs", "fn never_reached\n");
    let told = text(&bench, json!({})).await;
    let note = "a.rs\n  1: fn stays\n(not every file was looked at";
    assert!(told.starts_with(note), "{told}");
    assert_eq!(bench.ok("outline", json!({})).await["truncated"], true);
    let rule = bench.rule("outline", json!({"path": "b.rs"})).await;
    assert_eq!(rule, "unreadable");
}

#[tokio::test]
async fn what_is_no_source_file_says_which_are() {
    let (bench, parser) = bench();
    bench.write("a.rb", "def a\n");
    bench.write("Makefile", "a:\n");
    bench.write("b/notes.txt", "x\n");
    for name in ["a.rb", "Makefile"] {
        let (rule, message) = bench.fails("outline", json!({"path": name})).await;
        assert_eq!(rule, "unknown_language");
        for part in [name, "Rust (.rs)", "Bash (.sh .bash)", "JavaScript (.js"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let told = text(&bench, json!({"path": "b"})).await;
    assert!(
        told.starts_with("Nothing is defined here in Bash (.sh .bash), C"),
        "{told}"
    );
    assert_eq!(
        bench.rule("outline", json!({"path": "none.rs"})).await,
        "not_found"
    );
    assert!(parser.given.lock().unwrap().is_empty());
}

#[tokio::test]
async fn texts_are_decoded_and_what_is_none_is_not_parsed() {
    let (bench, parser) = bench();
    bench.write("old.rs", b"// gr\xfcn\nfn after_it\n");
    bench.write("damaged.rs", b"\xc3\xa4 \xff\nfn after_it\n");
    bench.write("empty.rs", b"");
    bench.write("binary.rs", b"fn a\0b\n");
    bench.write("utf16.rs", b"\xff\xfef\0n\0");
    for name in ["old.rs", "damaged.rs"] {
        let told = text(&bench, json!({"path": name})).await;
        assert_eq!(told, format!("{name} (Rust):\n  2: fn after_it\n"));
    }
    let told = text(&bench, json!({"path": "empty.rs"})).await;
    assert_eq!(told, "empty.rs (Rust): it defines nothing.\n");
    assert_eq!(
        bench.rule("outline", json!({"path": "binary.rs"})).await,
        "not_text"
    );
    assert_eq!(
        bench.rule("outline", json!({"path": "utf16.rs"})).await,
        "utf_16"
    );
    parser.given.lock().unwrap().clear();
    let data = bench.ok("outline", json!({})).await;
    assert_eq!(data["files"].as_array().unwrap().len(), 2);
    assert_eq!(parser.given.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_file_at_the_limit_is_parsed_and_a_larger_one_is_named() {
    let (bench, parser) = bench();
    let most = usize::try_from(SOURCE_BYTES).unwrap();
    let fill = |bytes: usize| format!("fn at_the_top\n{}", "x".repeat(bytes - 14));
    bench.write("a.rs", fill(most));
    bench.write("b.rs", fill(most + 1));
    let told = text(&bench, json!({"path": "a.rs"})).await;
    assert!(told.contains("1: fn at_the_top"), "{told}");
    assert_eq!(
        bench.rule("outline", json!({"path": "b.rs"})).await,
        "too_large"
    );
    let told = text(&bench, json!({})).await;
    assert!(
        told.ends_with("(not outlined: b.rs is too large)\n"),
        "{told}"
    );
    let whole = usize::try_from(SOURCES_BYTES / SOURCE_BYTES).unwrap();
    for at in 0..whole {
        bench.write(&format!("big/{at}.rs"), fill(most));
    }
    parser.given.lock().unwrap().clear();
    let data = bench.ok("outline", json!({"path": "big"})).await;
    assert_eq!(data["truncated"], false);
    bench.write("big/last.rs", "fn last_one\n");
    let told = text(&bench, json!({"path": "big"})).await;
    assert!(told.contains("(not every file was looked at"), "{told}");
    assert_eq!(parser.given.lock().unwrap().len(), 2 * whole);
}

#[tokio::test]
async fn files_are_parsed_up_to_their_number() {
    let (bench, parser) = bench();
    for at in 0..SOURCE_FILES {
        bench.write(&format!("{at}.rs"), "fn here_too\n");
    }
    assert_eq!(bench.ok("outline", json!({})).await["truncated"], false);
    assert_eq!(parser.given.lock().unwrap().len(), SOURCE_FILES);
    bench.write("zzz.rs", "fn here_too\n");
    assert_eq!(bench.ok("outline", json!({})).await["truncated"], true);
    assert_eq!(parser.given.lock().unwrap().len(), 2 * SOURCE_FILES);
}

#[tokio::test]
async fn links_are_followed_where_a_file_is_named_and_never_in_a_folder() {
    let (bench, _) = bench();
    bench.write("real/a.rs", "fn real_one\n");
    link(&bench, "named.rs", "real/a.rs");
    link(&bench, "out.rs", bench.outside("secret.txt"));
    link(&bench, "away", bench.outside(""));
    std::fs::write(bench.outside("b.rs"), "fn outside_one\n").unwrap();
    let told = text(&bench, json!({"path": "named.rs"})).await;
    assert_eq!(told, "named.rs (Rust):\n  1: fn real_one\n");
    for path in ["out.rs", "away/b.rs", "away", "../outside/b.rs"] {
        let rule = bench.rule("outline", json!({"path": path})).await;
        assert!(
            ["symlink_escape", "outside_roots"].contains(&rule),
            "{path}: {rule}"
        );
    }
    assert_eq!(
        text(&bench, json!({})).await,
        "real/a.rs\n  1: fn real_one\n"
    );
}

#[tokio::test]
async fn nothing_is_parsed_without_a_sandbox() {
    let bare = Bench::new();
    bare.write("a.rs", "fn here\n");
    assert_eq!(
        bare.rule("outline", json!({"path": "a.rs"})).await,
        "no_reader"
    );
    let (bench, _) = bench();
    bench.write("a.rs", "no sandbox");
    assert_eq!(
        bench.rule("outline", json!({})).await,
        "sandbox_unavailable"
    );
}
