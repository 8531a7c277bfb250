//! What is shown first, what fits, and what is said of the rest.
#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

use domain::limits::SIGNATURE_CHARS;
use domain::source::Symbol;
use outline::{Outline, SourceFile, of_file, of_folder};

fn symbol(line: usize, depth: usize, name: &str) -> Symbol {
    Symbol {
        line,
        depth,
        name: name.to_owned(),
        signature: format!("fn {name}()"),
    }
}

fn file(path: &str, text: &str, names: &[&str]) -> SourceFile {
    let symbols = names.iter().enumerate();
    let symbols = symbols.map(|(at, name)| symbol(at + 1, 0, name)).collect();
    SourceFile::new(path.to_owned(), text.to_owned(), symbols)
}

fn order(files: &[SourceFile]) -> Vec<String> {
    let outline = of_folder(files, 1_024);
    outline.files.into_iter().map(|file| file.path).collect()
}

#[test]
fn files_stand_by_how_often_their_symbols_are_used_elsewhere() {
    let files = [
        file("a.rs", "used_twice used_twice used_once", &["nobody_uses"]),
        file("b.rs", "", &["used_once"]),
        file("c.rs", "used_often", &["used_twice"]),
        file("d.rs", "used_often used_often", &["used_often"]),
        file("e.rs", "used_often used_often", &[]),
    ];
    assert_eq!(order(&files), ["d.rs", "c.rs", "b.rs", "a.rs"]);
}

#[test]
fn a_name_in_its_own_file_or_within_a_word_counts_nothing() {
    let files = [
        file("b.rs", "own_name own_name own_name", &["own_name"]),
        file(
            "a.rs",
            "own_names their_own_name ünown_name",
            &["other_one"],
        ),
    ];
    assert_eq!(order(&files), ["a.rs", "b.rs"]);
}

#[test]
fn what_many_files_define_counts_for_each_a_part_of_it() {
    let uses = "make_it make_it make_it only_here only_here";
    let files = [
        file("a.rs", "", &["make_it"]),
        file("b.rs", "", &["make_it"]),
        file("c.rs", "", &["only_here"]),
        file("d.rs", uses, &[]),
    ];
    assert_eq!(order(&files), ["c.rs", "a.rs", "b.rs"]);
}

#[test]
fn plain_words_short_names_and_repetitions_count_little() {
    let uses = "text text text do_it xy xy xy".to_owned() + &" repeated_one".repeat(1_000);
    let files = [
        file("a.rs", "", &["xy"]),
        file("b.rs", "", &["text"]),
        file("c.rs", "", &["do_it"]),
        file("d.rs", "", &["repeated_one"]),
        file("e.rs", "", &["often_used"]),
        file("f.rs", &uses, &[]),
        file("g.rs", &"often_used ".repeat(9), &[]),
        file("h.rs", &"often_used ".repeat(9), &[]),
    ];
    let expected = ["e.rs", "d.rs", "c.rs", "b.rs", "a.rs"];
    assert_eq!(order(&files), expected);
}

#[test]
fn files_that_nobody_uses_stand_by_depth_and_name() {
    let files = [
        file("src/deep/a.rs", "", &["one_name"]),
        file("z.rs", "", &["two_names"]),
        file("src/b.rs", "", &["more_names"]),
    ];
    assert_eq!(order(&files), ["z.rs", "src/b.rs", "src/deep/a.rs"]);
}

#[test]
fn a_symbol_stands_beneath_those_that_it_stands_in() {
    let symbols = vec![
        symbol(1, 0, "Shop"),
        symbol(2, 1, "not_used"),
        symbol(5, 0, "impl"),
        symbol(6, 1, "sell_one"),
    ];
    let long = "fn not_used()".repeat(40);
    let mut files = [
        SourceFile::new("a.rs".into(), String::new(), symbols),
        file("b.rs", "sell_one", &[]),
    ];
    files[0].symbols[1].signature = long.clone();
    files[0].symbols[0].signature = long;
    let outline = of_folder(&files, 60);
    let lines = "a.rs\n  5: fn impl()\n    6: fn sell_one()\n";
    assert_eq!(outline.lines(), lines);
    assert_eq!(outline.left_out(), "(2 more symbols)\n");
}

fn text_of(outline: &Outline) -> String {
    outline.lines() + &outline.left_out()
}

#[test]
fn an_outline_keeps_within_its_tokens_and_tells_of_the_rest() {
    let names: Vec<String> = (0..400).map(|at| format!("name_number_{at}")).collect();
    let of_file = |at: usize| {
        let names: Vec<&str> = names.iter().skip(at).map(String::as_str).collect();
        file(&format!("src/file_{at}.rs"), "", &names)
    };
    let files: Vec<SourceFile> = (0..40).map(|at| of_file(at * 10)).collect();
    let all: usize = files.iter().map(|file| file.symbols.len()).sum();
    for tokens in [128, 1_024, 3_500] {
        let outline = of_folder(&files, tokens);
        let text = text_of(&outline);
        assert!(text.chars().count() <= tokens * 4, "{tokens}: {text}");
        assert!(text.chars().count() > tokens * 3, "{tokens}: {text}");
        let shown: usize = outline.files.iter().map(|file| file.symbols.len()).sum();
        assert_eq!(outline.symbols_left, all - shown);
        assert_eq!(outline.files_left, files.len() - outline.files.len());
        let left = format!(
            "({} more files, {} more symbols)\n",
            outline.files_left,
            all - shown
        );
        assert!(text.ends_with(&left), "{text}");
    }
}

#[test]
fn what_is_all_shown_has_nothing_left() {
    let outline = of_folder(&[file("a.rs", "", &["one", "two"])], 128);
    assert_eq!(text_of(&outline), "a.rs\n  1: fn one()\n  2: fn two()\n");
    assert_eq!(text_of(&of_folder(&[], 128)), "");
    assert_eq!(text_of(&of_folder(&[file("a.rs", "", &[])], 128)), "");
    let one = of_folder(
        &[file("a.rs", "", &["x"; 100]), file("b.rs", "", &["y"])],
        128,
    );
    assert!(
        one.left_out().starts_with("(1 more file, "),
        "{}",
        one.left_out()
    );
}

#[test]
fn one_file_loses_its_deepest_symbols_first() {
    let mut symbols = Vec::new();
    for at in 0..10 {
        symbols.push(symbol(at * 10 + 1, 0, "outer_name"));
        for inner in 0..9 {
            symbols.push(symbol(at * 10 + 2 + inner, 1, "inner_name"));
        }
    }
    let whole = of_file("a.rs", &symbols, 1_024);
    assert_eq!(whole.symbols_left, 0);
    let part = of_file("a.rs", &symbols, 128);
    assert_eq!(part.files[0].symbols.len(), 10);
    assert!(part.files[0].symbols.iter().all(|symbol| symbol.depth == 0));
    assert_eq!(part.left_out(), "(90 more symbols)\n");
    let flat: Vec<Symbol> = (1..200).map(|line| symbol(line, 3, "inner_name")).collect();
    let beginning = of_file("a.rs", &flat, 128);
    let shown = &beginning.files[0].symbols;
    assert_eq!(shown[..], flat[..shown.len()]);
    let text = beginning.lines_of_symbols() + &beginning.left_out();
    assert!(
        !shown.is_empty() && text.chars().count() <= 128 * 4,
        "{text}"
    );
}

#[test]
fn hostile_names_are_spelled_out_and_capped() {
    let mut evil = symbol(1, 0, "evil");
    evil.signature = "fn \u{1b}[31m\u{202e}evil\n  9: fn forged()".to_owned();
    let mut long = symbol(2, 0, "long");
    long.signature = "\u{202e}".repeat(SIGNATURE_CHARS);
    let path = "src/\u{1b}]0;x\nREADME.md".to_owned();
    let files = [SourceFile::new(path, String::new(), vec![evil, long])];
    let text = of_folder(&files, 1_024).lines();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(
        text.starts_with("src/\\u{1b}]0;x\\u{a}README.md\n"),
        "{text}"
    );
    assert!(
        text.contains("1: fn \\u{1b}[31m\\u{202e}evil\\u{a}  9: fn forged()\n"),
        "{text}"
    );
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= SIGNATURE_CHARS + 10, "{text}");
}

#[test]
fn symbols_that_no_parser_would_tell_are_shown_all_the_same() {
    let deepest = symbol(usize::MAX, usize::MAX, "deepest_one");
    let symbols = vec![
        deepest.clone(),
        symbol(0, 7, ""),
        symbol(3, usize::MAX, "deepest_one"),
        deepest,
    ];
    let outline = of_file("a.rs", &symbols, 1_024);
    assert_eq!(outline.symbols_left, 0);
    let files = [SourceFile::new("a.rs".into(), String::new(), symbols)];
    let text = of_folder(&files, 1_024).lines();
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(text.chars().count() < 250, "{text}");
}
