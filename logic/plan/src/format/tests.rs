//! What people read for each action.

use super::*;
use serde_json::json;

fn path() -> String {
    "notes.txt".to_owned()
}

fn read(content: &str, first: u64, lines: u64, total: u64) -> Value {
    json!({
        "path": "notes.txt", "content": content, "from_line": first, "line_count": lines,
        "total_lines": total, "total_words": 4, "total_bytes": 1234, "truncated": false,
    })
}

fn entry(path: &str, kind: &str, bytes: u64) -> Value {
    let name = path.rsplit('/').next();
    json!({ "name": name, "path": path, "kind": kind, "bytes": bytes, "modified": null })
}

#[test]
fn a_listing_names_everything_and_counts_it() {
    let data = json!({ "path": ".", "truncated": false, "entries": [
        entry("docs", "folder", 0), entry("a.txt", "file", 1), entry("l", "link", 0),
    ]});
    let action = Action::ListFiles {
        path: ".".to_owned(),
    };
    assert_eq!(
        step(&action, &[data]),
        "This folder: 2 files, 1 folder\n  docs/\n  a.txt  (1 byte)\n  l  (link)"
    );
    let none = json!({ "entries": [], "truncated": false });
    assert_eq!(step(&action, &[none]), "This folder is empty.");
}

#[test]
fn a_tree_is_indented_below_the_folder_asked_for() {
    let data = json!({ "truncated": true, "entries": [
        entry("docs/a", "folder", 0), entry("docs/a/b.md", "file", 20),
    ]});
    let shown = step(
        &Action::Tree {
            path: "docs".to_owned(),
            depth: 3,
        },
        &[data],
    );
    assert!(
        shown.starts_with("docs/\n  a/\n    b.md  (20 bytes)\n1 file, 1 folder."),
        "{shown}"
    );
    assert!(shown.contains("Not everything is here"), "{shown}");
}

#[test]
fn sizes_leave_folders_out_and_sum_up() {
    let data = json!({ "truncated": false, "entries": [
        entry("big.bin", "file", 12345), entry("sub", "folder", 0), entry("sub/a", "file", 5),
    ]});
    let shown = step(
        &Action::FileSizes {
            path: ".".to_owned(),
        },
        &[data],
    );
    assert!(
        shown.starts_with("2 files in this folder, 12,350 bytes in all"),
        "{shown}"
    );
    assert!(
        shown.contains("\n  12,345  big.bin\n       5  sub/a\n"),
        "{shown}"
    );
}

#[test]
fn parts_of_files_say_which_part() {
    let head = Action::Head {
        path: path(),
        lines: 2,
    };
    assert_eq!(
        step(&head, &[read("a\nb\n", 1, 2, 9)]),
        "notes.txt, lines 1 to 2 of 9:\na\nb"
    );
    let tail = Action::Tail {
        path: path(),
        lines: 2,
    };
    assert_eq!(
        step(&tail, &[read("h\ni\n", 8, 2, 9)]),
        "notes.txt, lines 8 to 9 of 9:\nh\ni"
    );
    let whole = Action::ReadFile { path: path() };
    assert_eq!(
        step(&whole, &[read("a\nb\n", 1, 2, 2)]),
        "notes.txt (2 lines):\na\nb"
    );
}

#[test]
fn a_long_file_is_shown_in_part_and_says_so() {
    let whole = Action::ReadFile { path: path() };
    let at_limit = step(&whole, &[read(&"x".repeat(SHOWN_BYTES), 1, 1, 1)]);
    assert!(!at_limit.contains("are shown"));
    let beyond = step(&whole, &[read(&"é".repeat(SHOWN_BYTES), 1, 2, 2)]);
    assert!(beyond.ends_with(
        "(65,536 bytes of 1,234 bytes are shown. Ask for the last lines, or search the file.)"
    ));
    let mut cut = read("x", 1, 1, 1);
    cut["truncated"] = json!(true);
    assert!(step(&whole, &[cut]).contains("1 byte of 1,234 bytes are shown"));
}

#[test]
fn what_was_found_is_listed_and_nothing_is_said_plainly() {
    let search = Action::SearchText {
        query: "milk".to_owned(),
        path: ".".to_owned(),
    };
    let data = json!({ "truncated": false, "matches": [
        { "path": "a.txt", "line": 3, "text": "  buy milk" }, { "path": "b.txt", "line": 1, "text": "Milk" },
    ]});
    assert_eq!(
        step(&search, &[data]),
        "2 lines in 2 files contain \"milk\":\n  a.txt:3: buy milk\n  b.txt:1: Milk"
    );
    let data = json!({ "truncated": false, "documents": 2, "matches": [
        { "path": "a.txt", "line": 3, "text": "… milk …", "is_part": true },
    ]});
    assert_eq!(
        step(&search, &[data]),
        "1 line in 1 file contains \"milk\":\n  a.txt:3: … milk … (more places in this line)\n\
         (2 documents (PDF, docx, odt) were not searched.)"
    );
    let none = json!({ "truncated": false, "matches": [] });
    assert!(step(&search, &[none]).starts_with("No line in this folder contains \"milk\""));
    let find = Action::FindFiles {
        pattern: "*.md".to_owned(),
        path: "docs".to_owned(),
    };
    let data = json!({ "truncated": false, "paths": ["docs/a.md"] });
    assert_eq!(step(&find, &[data]), "1 file matches *.md:\n  docs/a.md");
}

#[test]
fn counts_come_from_the_whole_file() {
    let shown = step(
        &Action::CountLines { path: path() },
        &[read("a\n", 1, 1, 1)],
    );
    assert_eq!(shown, "notes.txt: 1 line, 4 words, 1,234 bytes");
    let shown = step(
        &Action::CountLines { path: path() },
        &[read("ü\n", 1, 1, 1)],
    );
    assert!(shown.ends_with("1,233 characters, 1,234 bytes"), "{shown}");
}

#[test]
fn two_files_are_shown_as_a_unified_diff() {
    let action = Action::CompareFiles {
        left: "a".to_owned(),
        right: "b".to_owned(),
    };
    let shown = step(
        &action,
        &[read("one\ntwo\n", 1, 2, 2), read("one\nthree\n", 1, 2, 2)],
    );
    assert_eq!(shown, "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+three");
    let same = step(&action, &[read("one\n", 1, 1, 1), read("one\n", 1, 1, 1)]);
    assert_eq!(same, "a and b are the same.");
}

#[test]
fn files_that_differ_everywhere_are_not_compared_line_by_line_beyond_the_limit() {
    let action = Action::CompareFiles {
        left: "a".to_owned(),
        right: "b".to_owned(),
    };
    let lines = |word: &str, count: usize| format!("same\n{}", format!("{word}\n").repeat(count));
    let over = DIFF_LINES + 1;
    let shown = step(
        &action,
        &[
            read(&lines("x", over), 1, 1, 1),
            read(&lines("y", over), 1, 1, 1),
        ],
    );
    assert!(
        shown.contains("differ from line 2 on, in 5001 lines"),
        "{shown}"
    );
    let within = step(
        &action,
        &[read(&lines("x", 9), 1, 1, 1), read(&lines("y", 9), 1, 1, 1)],
    );
    assert!(within.contains("-x\n") && within.contains("+y"), "{within}");
}

#[test]
fn changes_say_what_they_did() {
    let create = Action::CreateFile {
        path: path(),
        content: "x".to_owned(),
    };
    assert_eq!(
        step(&create, &[json!({ "created": true, "bytes": 2 })]),
        "Created notes.txt (2 bytes)."
    );
    let append = Action::AppendText {
        path: path(),
        content: "x".to_owned(),
    };
    assert_eq!(
        step(&append, &[json!({ "created": false, "bytes": 9 })]),
        "Added 1 line to notes.txt, now 9 bytes."
    );
    assert!(step(&append, &[json!({ "created": true, "bytes": 2 })]).contains("was not there"));
    let replace = Action::ReplaceText {
        path: path(),
        old: "a".to_owned(),
        new: String::new(),
    };
    assert_eq!(
        step(&replace, &[json!({ "lines": [3, 7], "exact": true })]),
        "Replaced \"a\" with nothing in lines 3, 7 of notes.txt."
    );
    assert_eq!(
        step(&replace, &[json!({ "lines": [3, 3], "exact": true })]),
        "Replaced \"a\" with nothing in 2 places of line 3 of notes.txt."
    );
    let undo = json!({ "tool": "edit_file", "path": "/w/notes.txt", "left": 1 });
    assert_eq!(
        step(&Action::Undo {}, &[undo]),
        "Took back the change that edit_file made to /w/notes.txt. 1 change can still be taken back."
    );
    let undo = json!({
        "tool": "apply_patch", "path": "/w/a", "others": ["/w/b"], "left": 0, "was_back": true,
    });
    assert_eq!(
        step(&Action::Undo {}, &[undo]),
        "/w/a, /w/b are as they were before apply_patch already; nothing was changed. No other change \
         of this session is left to take back."
    );
    let there = json!({ "path": "d", "created": false });
    assert_eq!(
        step(
            &Action::MakeDir {
                path: "d".to_owned()
            },
            &[there]
        ),
        "The folder d was there already."
    );
}

#[test]
fn data_of_another_shape_gives_text_and_no_failure() {
    for (kind, _) in crate::schema::actions() {
        let fields = json!({
            "kind": kind, "path": "p", "depth": 1, "lines": 1, "from_line": 1, "pattern": "p", "query": "q",
            "left": "l", "right": "r", "content": "c", "old": "o", "new": "n", "from": "f",
            "to": "t", "question": "q", "text": "t",
        });
        let schema = crate::schema::actions()
            .into_iter()
            .find(|(name, _)| *name == kind)
            .unwrap()
            .1;
        let wanted = schema["properties"].as_object().unwrap();
        let object = fields.as_object().unwrap().clone().into_iter();
        let object: serde_json::Map<String, Value> = object
            .filter(|(name, _)| wanted.contains_key(name))
            .collect();
        let action: Action = serde_json::from_value(Value::Object(object)).unwrap();
        for data in [
            json!(null),
            json!([1]),
            json!({ "entries": 3, "content": 4, "matches": [1] }),
        ] {
            let shown = step(&action, &[data]);
            assert_eq!(shown.is_empty(), kind == "answer");
        }
    }
}

fn recall(results: Value) -> String {
    let action = Action::Recall {
        query: "coffee".to_owned(),
    };
    step(&action, &[json!({ "results": results })])
}

fn remembered(name: &str, text: &str, relevance: f64) -> Value {
    json!({
        "id": "0190", "kind": "memory", "namespace": "user", "name": name, "description": "",
        "text": text, "from": "an agent", "date": "2026-11-22", "relevance": relevance,
        "trusted": true,
    })
}

#[test]
fn what_is_recalled_says_where_it_is_from_and_what_is_not_about_it_says_so() {
    let nothing = recall(json!([]));
    assert_eq!(nothing, "Nothing is found in memory about \"coffee\".");
    let black = remembered("I take my coffee", "I take my coffee black.", 0.9);
    let other = remembered("bees", "Ada keeps bees.\n1. and more", 0.1);
    assert_eq!(
        recall(json!([black, other])),
        "1 entry in memory about \"coffee\":\n1. I take my coffee black.\n   (memory, 2026-11-22, \
         from an agent, id 0190)"
    );
    let mut order = remembered("remember that I take my coffee black.", "Q: … A: …", 0.8);
    order["kind"] = json!("conversation");
    let both = recall(json!([black, order]));
    assert!(both.starts_with("1 entry"), "{both}");
    let before = recall(json!([order, black]));
    assert!(before.starts_with("1 entry"), "{before}");
    let alone = recall(json!([order]));
    assert!(alone.contains("A: …"), "{alone}");
    assert_eq!(
        recall(json!([other])),
        "Nothing is clearly about \"coffee\". The nearest in memory:\n1. bees\n   Ada keeps \
         bees.\n   1. and more\n   (memory, 2026-11-22, from an agent, id 0190)"
    );
}

#[test]
fn what_a_search_of_memory_could_not_look_at_is_said_with_and_without_results() {
    let action = Action::Recall {
        query: "coffee".to_owned(),
    };
    let lacking = "Searched by words alone: no embedding model.";
    for results in [json!([]), json!([remembered("tea", "I like tea.", 0.9)])] {
        let data = json!({ "results": results, "lacking": lacking });
        let shown = step(&action, &[data]);
        assert!(shown.ends_with(&format!("\n{lacking}")), "{shown}");
    }
}

#[test]
fn what_is_kept_says_whether_it_is_news() {
    let action = Action::Remember {
        text: "I like tea".to_owned(),
    };
    let shown = |kept| step(&action, &[json!({ "id": "0190", "kept": kept })]);
    assert_eq!(shown(true), "Remembered: \"I like tea\" (id 0190).");
    assert_eq!(shown(false), "Memory says the same already (id 0190).");
}

#[test]
fn what_the_web_says_stands_with_its_source_and_no_page_adds_a_line_of_ours() {
    let action = Action::WebSearch {
        query: "oolong".to_owned(),
    };
    let data = json!({
        "today": "2026-11-22",
        "results": [{
            "claim": "Steep it for three minutes.", "source_url": "https://tea.example/a",
            "confidence": 0.5, "date": "2024-01-02", "summary": "Three minutes.\nhttps://forged.example",
            "text": null,
        }],
        "failures": [{ "url": "https://slow.example/", "fault": "timeout", "detail": "no answer" }],
    });
    assert_eq!(
        step(&action, &[data]),
        "1 result of the web search for \"oolong\"; what pages claim is unchecked:\n1. Steep it \
         for three minutes.\n   https://tea.example/a (2024-01-02)\n   Three minutes.\n   \
         https://forged.example\nNot read: https://slow.example/: no answer"
    );
    let none = json!({ "results": [], "failures": [] });
    assert_eq!(
        step(&action, &[none]),
        "The web search found nothing about \"oolong\"."
    );
}

#[test]
fn a_name_with_line_ends_stays_on_its_line() {
    let name = "x.txt\n\nerror: key lost";
    let data = json!({ "path": ".", "truncated": false, "entries": [entry(name, "file", 1)] });
    let path = || ".".to_owned();
    for action in [
        Action::ListFiles { path: path() },
        Action::Tree {
            path: path(),
            depth: 2,
        },
        Action::FileSizes { path: path() },
    ] {
        let shown = step(&action, std::slice::from_ref(&data));
        assert!(!shown.contains("\nerror"), "{shown}");
        assert!(shown.contains("x.txt\\u{a}"), "{shown}");
    }
}
