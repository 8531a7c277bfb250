//! Where a text stands in a file, exactly or nearly.

use super::*;
use crate::context::StopFlag;
use std::time::Duration;

/// With a leash that nobody pulls.
fn edit(content: &str, old: &str, new: &str, all: bool) -> Result<Edited, Miss> {
    let leash = Leash::new(StopFlag::default(), Duration::from_secs(600), None);
    super::edit(content, old, new, all, &leash)
}

fn edited(content: &str, old: &str, new: &str, all: bool) -> (String, bool) {
    let edited = edit(content, old, new, all).unwrap();
    (edited.content, edited.fit == Fit::Exact)
}

#[test]
fn exact_text_is_replaced_once_or_everywhere() {
    assert_eq!(edited("a b c", "b", "x", false), ("a x c".to_owned(), true));
    assert_eq!(edited("b b", "b", "x", true), ("x x".to_owned(), true));
    assert_eq!(edited("aaa", "aa", "b", true), ("ba".to_owned(), true));
    assert_eq!(
        edited("x = 1\ny\n", "x = 1\n", "", false),
        ("y\n".to_owned(), true)
    );
    let lines = edit("b\n\nb", "b", "x", true).unwrap().lines;
    assert_eq!(lines, [1, 3]);
}

#[test]
fn two_places_are_a_doubt_even_when_they_overlap() {
    let lines = |content, old| match edit(content, old, "x", false) {
        Err(Miss::Ambiguous { lines }) => lines,
        other => panic!("{other:?}"),
    };
    assert_eq!(lines("b\na\nb", "b"), [1, 3]);
    assert_eq!(lines("aaa", "aa"), [1, 1]);
    assert_eq!(lines("  b\na\n\tb", "b "), [1, 3]);
}

#[test]
fn white_space_at_line_ends_does_not_matter_and_indentation_is_kept() {
    let content = "fn f() {\n    if x {\n        go();\n    }\n}\n";
    let (new, exact) = edited(
        content,
        "if x {\n    go();\n}",
        "if y {\n    stop();\n    if z {\n        go();\n    }\n}",
        false,
    );
    assert!(!exact);
    assert_eq!(
        new,
        "fn f() {\n    if y {\n        stop();\n        if z {\n            go();\n        \
         }\n    }\n}\n"
    );
    let (new, _) = edited(
        "  if x:\n    a()\n    b()\n",
        "if x:\na()\nb()",
        "if x:\nb()",
        true,
    );
    assert_eq!(new, "  if x:\n    b()\n");
    let tabs = "\tif x:  \n\t\tgo()\n";
    let (new, _) = edited(
        tabs,
        "if x:\n    go()",
        "if y:\n    go()\n    stop()",
        false,
    );
    assert_eq!(new, "\tif y:\n\t\tgo()\n\t\tstop()\n");
    let (new, _) = edited(
        "    a\n    b\n",
        "        a\n        b",
        "    z\n        a",
        false,
    );
    assert_eq!(new, "z\n    a\n");
    let (new, _) = edited("x\n  a  \n  b\ny\n", "\na\nb\n\n", "c", false);
    assert_eq!(new, "x\n  c\ny\n");
    let (new, _) = edited("x\n  a  \ny", "\ta", "", false);
    assert_eq!(new, "x\ny");
}

#[test]
fn line_ends_of_the_file_are_kept() {
    assert_eq!(
        edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny", false).0,
        "x\r\ny\r\nc\r\n"
    );
    assert_eq!(
        edited("a\r\nb\r\n", "a", "x\ny", false).0,
        "x\r\ny\r\nb\r\n"
    );
    assert_eq!(edited("a\r\nb\n", "a", "x\ny", false).0, "x\ny\r\nb\n");
    assert_eq!(edited("a\nb", "a\r\nb", "x\r\ny", false).0, "x\ny");
    let within = edited("one a\r\nb two\r\n", "a\nb", "x\ny", false);
    assert_eq!(within, ("one x\r\ny two\r\n".to_owned(), true));
    let mixed = edited("one a\r\nb two\nc\n", "a\nb", "x", false).0;
    assert_eq!(mixed, "one x two\nc\n");
}

#[test]
fn typeset_text_is_found_as_it_is_typed() {
    let content = "It\u{2019}s\u{a0}5 \u{2013} no, don\u{2019}t.\n";
    let edited = edit(content, "5 - no, don't", "6 - no, don't", false).unwrap();
    assert_eq!(edited.fit, Fit::Typed { places: 1 });
    assert_eq!(
        edited.content,
        "It\u{2019}s\u{a0}6 \u{2013} no, don\u{2019}t.\n"
    );
    // To the letter comes first, and a doubt stays one.
    let mixed = "don't don\u{2019}t\n";
    assert_eq!(edit(mixed, "don't", "do", false).unwrap().fit, Fit::Exact);
    let doubt = edit("a\u{2019}b a\u{2018}b", "a'b", "c", false);
    assert_eq!(doubt, Err(Miss::Ambiguous { lines: vec![1, 1] }));
    let all = edit("a\u{2019}b a\u{2018}b", "a'b", "c", true).unwrap();
    assert_eq!(all.content, "c c");
    let every = edit(mixed, "don't", "do", true).unwrap();
    assert_eq!(
        (every.content.as_str(), every.fit),
        ("do do\n", Fit::Typed { places: 1 })
    );
    // A mark alone is that mark.
    let marks = edit(mixed, "'", "\u{2019}", true).unwrap();
    assert_eq!((marks.lines.len(), marks.fit), (1, Fit::Exact));
    let soft = edit("Leucht\u{ad}turm\n", "Leuchtturm", "Turm", false).unwrap();
    assert_eq!(soft.content, "Turm\n");
}

#[test]
fn an_edit_parts_no_letter_from_its_accent() {
    let is_missed = |content: &str, old: &str| {
        let missed = edit(content, old, "Bar", false);
        matches!(missed, Err(Miss::NotFound { .. }))
    };
    assert!(is_missed("Cafe\u{301}", "Cafe") && is_missed("e\u{301}", "\u{301}"));
    assert_eq!(
        edit("Cafe\u{301} Cafe", "Cafe", "Bar", true)
            .unwrap()
            .content,
        "Cafe\u{301} Bar"
    );
    assert!(is_missed("a\u{2019}e\u{301}", "a'e"));
}

#[test]
fn what_is_unclear_is_not_guessed() {
    let left = edit("\ta\n", "    a  ", "  b", false);
    assert!(
        matches!(left, Err(Miss::IndentUnclear { line: 1, .. })),
        "{left:?}"
    );
    let content = "def f():\n    if x:\n        go()\n";
    let flat = edit(content, "if x:\ngo()", "if x:\ngo()\nstop()", false);
    assert!(
        matches!(flat, Err(Miss::IndentUnclear { line: 2, .. })),
        "{flat:?}"
    );
    let miss = edit("let value = 1;\n", "let valeu = 1;", "x", false);
    let nearest = Some((1, "let value = 1;".to_owned()));
    assert_eq!(miss, Err(Miss::NotFound { nearest }));
    assert_eq!(
        edit("abc", "zzz", "x", false),
        Err(Miss::NotFound { nearest: None })
    );
    assert_eq!(edit("abc", "b", "b", false), Err(Miss::NoChange));
    assert_eq!(
        edit("abc", " \n", "b", false),
        Err(Miss::NotFound { nearest: None })
    );
    assert_eq!(
        edit("a", "", "b", false),
        Err(Miss::NotFound { nearest: None })
    );
}

#[test]
fn of_a_long_line_the_place_is_told_where_it_differs() {
    let long = "one two three ".repeat(40);
    let line = format!("{long}four {long}");
    let miss = edit(&line, &format!("{long}five"), "x", false);
    let Err(Miss::NotFound {
        nearest: Some((1, told)),
    }) = miss
    else {
        panic!("{miss:?}");
    };
    assert!(told.starts_with("… ") && told.ends_with('…'), "{told}");
    assert!(told.contains("three four one"), "{told}");
    assert!(told.chars().count() <= NEAREST_CHARS + 3, "{told}");
}

#[test]
fn a_search_ends_when_it_is_stopped_or_grows_too_large() {
    let stopped = Leash::new(StopFlag::default(), Duration::ZERO, None);
    for (content, old) in [("a", "a"), ("\u{e9}", "\u{e9}"), (" a \n b", "a\nb")] {
        let miss = super::edit(content, old, "x", true, &stopped);
        assert!(matches!(miss, Err(Miss::Stopped(_))), "{miss:?}");
    }
    let new = "x".repeat(1 << 20);
    let miss = edit(&"a".repeat(100), "a", &new, true);
    assert!(matches!(miss, Err(Miss::TooLarge { .. })), "{miss:?}");
    let miss = edit(&"a \n".repeat(100), " a", &format!(" {new}"), true);
    assert!(matches!(miss, Err(Miss::TooLarge { .. })), "{miss:?}");
}
