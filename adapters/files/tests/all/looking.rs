//! The tools that look: shapes of their results, and their limits.

#![allow(clippy::unwrap_used, clippy::panic)] // Lint exceptions for tests stop at #[test] functions.

use crate::support::{Bench, link};
use domain::limits::{
    FILE_READ_BYTES, LISTING_ENTRIES, SEARCH_LINE_BYTES, SEARCH_LINE_PLACES, WALK_DEPTH,
};
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_folder_is_listed_with_kinds_sizes_and_usable_paths() {
    let bench = Bench::new();
    bench.write("b.txt", "12345");
    bench.write("sub/deep/c.txt", "1");
    link(&bench, "a-link", "b.txt");
    let data = bench.ok("list_files", json!({})).await;
    assert_eq!(data["path"], ".");
    assert_eq!(data["truncated"], false);
    let entries: Vec<_> = data["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            (
                e["name"].as_str().unwrap(),
                e["kind"].as_str().unwrap(),
                e["bytes"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        entries,
        [
            ("a-link", "link", 0),
            ("b.txt", "file", 5),
            ("sub", "folder", 0)
        ]
    );
    assert!(
        data["entries"][1]["modified"]
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
    let data = bench
        .ok("list_files", json!({"path": "sub", "recursive": true}))
        .await;
    let paths: Vec<_> = data["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["path"].clone())
        .collect();
    assert_eq!(paths, ["sub/deep", "sub/deep/c.txt"]);
    let data = bench
        .ok("list_files", json!({"depth": 2, "sort": "size"}))
        .await;
    assert_eq!(data["entries"][0]["path"], "b.txt");
    assert_eq!(data["entries"].as_array().unwrap().len(), 4);
    assert_eq!(
        bench.rule("list_files", json!({"path": "b.txt"})).await,
        "not_a_folder"
    );
    assert_eq!(
        bench.rule("list_files", json!({"path": "none"})).await,
        "not_found"
    );
}

#[tokio::test]
async fn a_huge_folder_is_capped_and_says_so() {
    let bench = Bench::new();
    fs::create_dir(bench.work("many")).unwrap();
    for number in 0..100_000 {
        fs::File::create(bench.work(&format!("many/f{number:06}"))).unwrap();
    }
    for arguments in [
        json!({"path": "many"}),
        json!({"path": "many", "sort": "size"}),
        json!({"recursive": true}),
    ] {
        let data = bench.ok("list_files", arguments).await;
        assert_eq!(data["entries"].as_array().unwrap().len(), LISTING_ENTRIES);
        assert_eq!(data["truncated"], true);
    }
    let data = bench.ok("glob", json!({"pattern": "f*"})).await;
    assert_eq!(data["paths"].as_array().unwrap().len(), LISTING_ENTRIES);
    assert_eq!(data["truncated"], true);
}

#[tokio::test]
async fn depth_ends_at_its_limit() {
    let bench = Bench::new();
    let path = "d/".repeat(WALK_DEPTH + 3);
    bench.write(&format!("{path}end.txt"), "x");
    let data = bench.ok("list_files", json!({"recursive": true})).await;
    assert_eq!(data["entries"].as_array().unwrap().len(), WALK_DEPTH);
    let data = bench.ok("glob", json!({"pattern": "end.txt"})).await;
    assert_eq!(data["truncated"], true);
}

#[tokio::test]
async fn a_file_is_read_whole_or_in_part_with_its_counts() {
    let bench = Bench::new();
    bench.write("a.txt", "one two\nthree\nfour\n");
    let data = bench.ok("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(
        data,
        json!({
            "path": "a.txt", "content": "one two\nthree\nfour\n", "from_line": 1, "line_count": 3,
            "total_lines": 3, "total_words": 4, "total_bytes": 19, "truncated": false,
        })
    );
    let part = |arguments| {
        let bench = &bench;
        async move {
            bench.ok("read_file", arguments).await["content"]
                .as_str()
                .unwrap()
                .to_owned()
        }
    };
    assert_eq!(
        part(json!({"path": "a.txt", "from_line": 2, "line_count": 1})).await,
        "three\n"
    );
    assert_eq!(
        part(json!({"path": "a.txt", "line_count": -2})).await,
        "three\nfour\n"
    );
    assert_eq!(
        part(json!({"path": "a.txt", "line_count": 1, "from_end": true})).await,
        "four\n"
    );
    let rule = bench
        .rule("read_file", json!({"path": "a.txt", "from_line": 9}))
        .await;
    assert_eq!(rule, "past_the_end");
    let rule = bench
        .rule("read_file", json!({"path": "a.txt", "from_end": true}))
        .await;
    assert_eq!(rule, "invalid_arguments");
    bench.write("empty", "");
    let output = bench
        .call("read_file", json!({"path": "empty"}))
        .await
        .unwrap();
    assert_eq!(output.text.trim(), "empty is empty.");
}

#[tokio::test]
async fn what_is_not_text_is_said_and_not_shown() {
    let bench = Bench::new();
    bench.write("x.bin", b"\x7fELF\0\0\0");
    let (rule, message) = bench.fails("read_file", json!({"path": "x.bin"})).await;
    assert_eq!(rule, "not_text");
    assert!(message.contains("7 bytes"), "{message}");
    bench.write("latin.txt", b"caf\xe9\n");
    let output = bench
        .call("read_file", json!({"path": "latin.txt"}))
        .await
        .unwrap();
    assert_eq!(output.data["content"], "caf\u{e9}\n");
    assert!(output.text.contains("not UTF-8"), "{}", output.text);
}

#[tokio::test]
async fn a_large_file_is_cut_at_the_limit_and_its_end_is_reachable() {
    let bench = Bench::new();
    let line = "x".repeat(99) + "\n";
    bench.write("big.txt", line.repeat(500_000) + "the end");
    let data = bench.ok("read_file", json!({"path": "big.txt"})).await;
    assert_eq!(
        data["content"].as_str().unwrap().len() as u64,
        FILE_READ_BYTES
    );
    assert_eq!(data["truncated"], true);
    assert_eq!(data["total_lines"], 500_001);
    let data = bench
        .ok("read_file", json!({"path": "big.txt", "line_count": -1}))
        .await;
    assert_eq!(data["content"], "the end");
    assert_eq!(data["from_line"], 500_001);
    let data = bench.ok("grep", json!({"pattern": "the end"})).await;
    assert_eq!(data["matches"][0]["line"], 500_001);
    bench.write("at.txt", "y".repeat(FILE_READ_BYTES as usize));
    let data = bench.ok("read_file", json!({"path": "at.txt"})).await;
    assert_eq!(data["truncated"], false);
}

#[tokio::test]
async fn files_are_found_by_name_and_ignored_ones_are_not() {
    let bench = Bench::new();
    for path in [
        "a.rs",
        "src/b.rs",
        "src/x/c.rs",
        "target/d.rs",
        "src/skip.log",
        ".git/e.rs",
        ".github/f.rs",
    ] {
        bench.write(path, "");
    }
    bench.write(".gitignore", "target/\n*.log\n!keep.log\n");
    bench.write("src/keep.log", "");
    let find = |arguments| {
        let bench = &bench;
        async move { bench.ok("glob", arguments).await["paths"].clone() }
    };
    let all = json!([".github/f.rs", "a.rs", "src/b.rs", "src/x/c.rs"]);
    assert_eq!(find(json!({"pattern": "*.rs"})).await, all);
    assert_eq!(find(json!({"pattern": "**/*.rs"})).await, all);
    assert_eq!(
        find(json!({"pattern": "./src/*.rs"})).await,
        json!(["src/b.rs"])
    );
    assert_eq!(
        find(json!({"pattern": "?.rs", "path": "src/x"})).await,
        json!(["src/x/c.rs"])
    );
    assert_eq!(
        find(json!({"pattern": "*.log"})).await,
        json!(["src/keep.log"])
    );
    assert_eq!(
        find(json!({"pattern": "*.log", "path": "src"})).await,
        json!(["src/keep.log"])
    );
    assert_eq!(
        find(json!({"pattern": "*.rs", "path": "target"})).await,
        json!(["target/d.rs"])
    );
    assert_eq!(
        find(json!({"pattern": "*.log", "ignored": true})).await,
        json!(["src/keep.log", "src/skip.log"])
    );
    let all = json!([
        ".github/f.rs",
        "a.rs",
        "src/b.rs",
        "src/x/c.rs",
        "target/d.rs"
    ]);
    assert_eq!(find(json!({"pattern": "*.rs", "ignored": true})).await, all);
    assert_eq!(
        bench.rule("glob", json!({"pattern": "/etc/*"})).await,
        "bad_pattern"
    );
    assert_eq!(
        bench.rule("glob", json!({"pattern": "a[b"})).await,
        "bad_pattern"
    );
}

#[tokio::test]
async fn lines_are_found_by_pattern_and_by_text() {
    let bench = Bench::new();
    bench.write("a.txt", "alpha\r\nBeta (x)\ngamma\n");
    bench.write("sub/b.txt", "beta again\n");
    bench.write("sub/c.bin", b"beta\0\n");
    bench.write(".gitignore", "ignored.txt\n");
    bench.write("ignored.txt", "beta");
    let found = |arguments| {
        let bench = &bench;
        async move { bench.ok("grep", arguments).await }
    };
    let data = found(json!({"pattern": "b.ta", "ignore_case": true})).await;
    assert_eq!(
        data,
        json!({"matches": [
            {"path": "a.txt", "line": 2, "text": "Beta (x)"},
            {"path": "sub/b.txt", "line": 1, "text": "beta again"},
        ], "documents": 0, "truncated": false})
    );
    let everywhere = json!({"pattern": "beta", "ignored": true});
    assert_eq!(found(everywhere).await["matches"][0]["path"], "ignored.txt");
    let data = found(json!({"pattern": "a (x)", "literal": true, "path": "a.txt"})).await;
    assert_eq!(data["matches"][0]["line"], 2);
    let data = found(json!({"pattern": "a", "max": 1})).await;
    assert_eq!(
        (
            data["matches"].as_array().unwrap().len(),
            &data["truncated"]
        ),
        (1, &json!(true))
    );
    assert_eq!(
        found(json!({"pattern": "alpha"})).await["matches"][0]["text"],
        "alpha"
    );
    let (rule, message) = bench.fails("grep", json!({"pattern": "a("})).await;
    assert_eq!(rule, "bad_pattern");
    assert!(message.contains("literal"), "{message}");
    bench.write(
        "long.txt",
        "needle".to_owned() + &"ä".repeat(SEARCH_LINE_BYTES),
    );
    let data = found(json!({"pattern": "needle"})).await;
    let text = data["matches"][0]["text"].as_str().unwrap();
    assert!(
        text.len() <= SEARCH_LINE_BYTES + 4 && text.ends_with('…'),
        "{}",
        text.len()
    );
}

#[tokio::test]
async fn of_a_long_line_the_places_that_match_are_shown() {
    let bench = Bench::new();
    let line = |places: usize| {
        let apart = "ü".repeat(SEARCH_LINE_BYTES);
        format!("{apart} ").repeat(places).replace(' ', " needle ") + &apart
    };
    for (places, is_part) in [
        (1, false),
        (SEARCH_LINE_PLACES, false),
        (SEARCH_LINE_PLACES + 1, true),
    ] {
        bench.write("long.txt", line(places));
        let data = bench.ok("grep", json!({"pattern": "needle"})).await;
        let found = &data["matches"][0];
        let text = found["text"].as_str().unwrap();
        let shown = places.min(SEARCH_LINE_PLACES);
        assert_eq!(text.matches("needle").count(), shown, "{text}");
        assert_eq!(found["is_part"].as_bool().unwrap_or(false), is_part);
        assert!(text.len() <= SEARCH_LINE_BYTES + 5 * (shown + 1), "{text}");
    }
    // A match that is longer than what is shown, and one that is nowhere.
    bench.write("long.txt", "é".repeat(2 * SEARCH_LINE_BYTES));
    for pattern in [".+", "é$", "^", "é*?"] {
        let data = bench.ok("grep", json!({"pattern": pattern})).await;
        let text = data["matches"][0]["text"].as_str().unwrap();
        assert!(text.contains('é') && text.contains('…'), "{pattern} {text}");
    }
}

#[tokio::test]
async fn documents_are_read_or_refused_with_a_way_on() {
    let bench = Bench::new();
    bench.write("a.html", "<h1>Hi</h1><script>no</script><p>there");
    let data = bench.ok("read_document", json!({"path": "a.html"})).await;
    assert_eq!(
        (&data["format"], &data["content"]),
        (&json!("html"), &json!("# Hi\n\nthere\n"))
    );
    bench.write("a.md", "# plain");
    assert_eq!(
        bench.ok("read_document", json!({"path": "a.md"})).await["format"],
        "text"
    );
    for (name, start) in [("a.pdf", &b"%PDF-1.7"[..]), ("a.docx", b"PK\x03\x04..")] {
        bench.write(name, start);
        let (rule, message) = bench.fails("read_document", json!({"path": name})).await;
        assert_eq!(rule, "no_reader");
        assert!(message.contains("Ask the user"), "{message}");
    }
}

#[tokio::test]
async fn a_large_pattern_is_searched_for_in_short_lines_alone() {
    let bench = Bench::new();
    bench.write("long", "a".repeat(100_000) + "\nneedle\n");
    bench.write("short", "needle\n");
    for (pattern, long) in [("needle", true), ("(?:(?:(?:a|a){50}){50})b|needle", false)] {
        let found = bench
            .ok("grep", json!({"pattern": pattern, "path": "."}))
            .await;
        let lines = found["matches"].as_array().unwrap();
        let of = |path: &str| lines.iter().any(|line| line["path"] == path);
        assert_eq!((of("long"), of("short")), (long, true), "{found}");
        assert_eq!(found["truncated"], !long);
    }
}

#[tokio::test]
async fn documents_in_old_encodings_are_read() {
    let bench = Bench::new();
    bench.write("latin.txt", b"Gr\xfc\xdfe aus K\xf6ln");
    bench.write("wide.txt", b"\xff\xfeG\0r\0\xfc\0n\0");
    let wanted = [
        ("latin.txt", "windows-1252", "Gr\u{fc}\u{df}e aus K\u{f6}ln"),
        ("wide.txt", "UTF-16LE", "Gr\u{fc}n"),
    ];
    for (name, encoding, text) in wanted {
        let data = bench.ok("read_document", json!({"path": name})).await;
        assert_eq!(data["content"], text);
        assert_eq!(data["format"], format!("text, read as {encoding}"));
    }
    let page = b"<html><meta charset=\"iso-8859-2\"><body>\xb1\xe6</body></html>";
    bench.write("old.html", page);
    let data = bench.ok("read_document", json!({"path": "old.html"})).await;
    assert_eq!(data["format"], "html, read as ISO-8859-2");
    assert_eq!(data["content"].as_str().unwrap().trim(), "\u{105}\u{107}");
}

#[tokio::test]
async fn read_file_hands_documents_to_their_reader() {
    let bench = Bench::new();
    // Nothing in it is a byte that text does not have.
    bench.write("a.pdf", "%PDF-1.4 text");
    let (rule, message) = bench.fails("read_file", json!({"path": "a.pdf"})).await;
    assert_eq!(rule, "not_text");
    assert!(message.contains("read_document"), "{message}");
}

#[tokio::test]
async fn names_cannot_forge_lines_or_hide() {
    let bench = Bench::new();
    bench.write("a\nb\u{1b}[31m\u{202e}.txt", "x");
    for tool in ["list_files", "glob", "grep"] {
        let arguments = match tool {
            "list_files" => json!({}),
            "glob" => json!({"pattern": "*"}),
            _ => json!({"pattern": "x"}),
        };
        let text = bench.call(tool, arguments).await.unwrap().text;
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("a\\u{a}b\\u{1b}[31m\\u{202e}.txt"), "{text}");
    }
}

/// macOS stores an accented letter as two characters; whoever writes the name gives it as one.
#[tokio::test]
async fn a_name_is_found_in_whichever_unicode_form_it_is_written() {
    let bench = Bench::new();
    let (stored, written) = ("me\u{301}moire/cafe\u{301}.md", "m\u{e9}moire/caf\u{e9}.md");
    bench.write(stored, "one\n");
    let data = bench.ok("read_file", json!({"path": written})).await;
    assert!(data.to_string().contains("one"), "{data}");
    let pattern = json!({"pattern": "caf\u{e9}*"});
    let data = bench.ok("glob", pattern).await;
    assert_eq!(data["paths"], json!([stored]));
    let edit = json!({"path": written, "old": "one", "new": "two"});
    bench.ok("edit_file", edit).await;
    assert_eq!(bench.read(stored), "two\n");
    // A new file in it lands in the folder that is there, and what is spelled twice is told apart.
    let new = json!({"path": "m\u{e9}moire/the\u{e9}.md", "content": "tea\n"});
    bench.ok("write_file", new).await;
    assert_eq!(bench.read("me\u{301}moire/the\u{e9}.md"), "tea\n");
    bench.write("me\u{301}moire/caf\u{e9}.md", "the other\n");
    let data = bench
        .ok("read_file", json!({"path": "me\u{301}moire/caf\u{e9}.md"}))
        .await;
    assert!(data.to_string().contains("the other"), "{data}");
}
