//! Each language, what goes on in the next line, and that nothing is lost or takes long.

use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Lines of a language, each part behind a letter for what it is; plain ones without.
fn read(language: &str, text: &str) -> Vec<String> {
    let mut block = Highlighter::of(language);
    let letter = |span: &Span<'static>| {
        let parts = [
            (Part::Keyword, 'k'),
            (Part::Text, 't'),
            (Part::Comment, 'c'),
            (Part::Number, 'n'),
            (Part::Removed, 'r'),
        ];
        let found = parts.iter().find(|(part, _)| part.style() == span.style);
        match found {
            Some((_, letter)) if !span.content.trim().is_empty() => {
                format!("{letter}⟨{}⟩", span.content)
            }
            _ => span.content.to_string(),
        }
    };
    let lines = text.split('\n');
    lines
        .map(|line| block.line(line).iter().map(letter).collect())
        .collect()
}

#[test]
fn each_language_has_its_parts() {
    for (language, text, shown) in [
        (
            "rust",
            "let a: &'x str = \"b\\\"c\"; // d",
            "k⟨let⟩ a: &'x k⟨str⟩ = t⟨\"b\\\"c\"⟩; c⟨// d⟩",
        ),
        (
            "rs",
            "'a' '\\n' 'static 0x1f x1",
            "t⟨'a'⟩ t⟨'\\n'⟩ 'k⟨static⟩ n⟨0x1f⟩ x1",
        ),
        (
            "Python",
            "def f(x): return 1.5 # y",
            "k⟨def⟩ f(x): k⟨return⟩ n⟨1.5⟩ c⟨# y⟩",
        ),
        ("ts", "const a = `b`;", "k⟨const⟩ a = t⟨`b`⟩;"),
        (
            "json",
            "  \"a\": [1, true, \"b\"]",
            "  n⟨\"a\"⟩: [n⟨1⟩, k⟨true⟩, t⟨\"b\"⟩]",
        ),
        ("toml", "port = 80 # \"x\"", "n⟨port ⟩= n⟨80⟩ c⟨# \"x\"⟩"),
        ("yaml", "- name: 'x' # y", "- n⟨name⟩: t⟨'x'⟩ c⟨# y⟩"),
        (
            "sh",
            "if a#b; then echo \"$c\" $d # e",
            "k⟨if⟩ a#b; k⟨then⟩ echo t⟨\"$c\"⟩ n⟨$d⟩ c⟨# e⟩",
        ),
        ("c", "#include \"x.h\"", "#k⟨include⟩ t⟨\"x.h\"⟩"),
        (
            "go",
            "func f() error { return nil }",
            "k⟨func⟩ f() k⟨error⟩ { k⟨return⟩ k⟨nil⟩ }",
        ),
        (
            "html",
            "<a href=\"x\">it's</a>",
            "k⟨<a⟩ href=t⟨\"x\"⟩k⟨>⟩it'sk⟨</a>⟩",
        ),
        (
            "css",
            "  color: red; /* x */",
            "  n⟨color⟩: red; c⟨/* x */⟩",
        ),
        ("SQL", "SELECT 'it''s' -- x", "k⟨SELECT⟩ t⟨'it''s'⟩ c⟨-- x⟩"),
        ("diff", "-old", "r⟨-old⟩"),
        ("md", "# Head", "k⟨# Head⟩"),
        ("rust,no_run", "fn", "k⟨fn⟩"),
    ] {
        assert_eq!(read(language, text), [shown], "{language}");
    }
    let unknown = Highlighter::of("brainfuck").line("fn \"x\"");
    assert_eq!(unknown, [Span::styled("fn \"x\"", code_style())]);
}

#[test]
fn what_is_open_goes_on_in_the_next_line() {
    assert_eq!(
        read("rust", "/* a\nlet */ let"),
        ["c⟨/* a⟩", "c⟨let */⟩ k⟨let⟩"]
    );
    assert_eq!(
        read("py", "\"\"\"a\nif\"\"\" if"),
        ["t⟨\"\"\"a⟩", "t⟨if\"\"\"⟩ k⟨if⟩"]
    );
    assert_eq!(read("js", "'a\nif"), ["t⟨'a⟩", "k⟨if⟩"]);
    assert_eq!(read("html", "<a\n b='c'>d"), ["k⟨<a⟩", " b=t⟨'c'⟩k⟨>⟩d"]);
}

#[test]
fn no_text_takes_long() {
    let began = Instant::now();
    for language in LANGUAGES.iter() {
        let mut block = Highlighter::of(language.names[0]);
        for part in [
            "(", "\"", "'", "/*", "r#\"", "<", "a:", "$", "\\", "``", "日",
        ] {
            let line = part.repeat(LINE_BYTES / part.len());
            assert!(!block.line(&line).is_empty());
        }
    }
    let mut block = Highlighter::of("rust");
    for _ in 0..10_000 {
        block.line("    let value = map.get(\"key\").filter(|one| one.len() > 3); // why");
    }
    assert_eq!(
        block.line(&"fn ".repeat(LINE_BYTES)).len(),
        1,
        "too long to be read"
    );
    // Some hundred times as long as it takes when it is optimised.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a text is, it comes out as it was.
    #[test]
    fn a_text_comes_out_whole(text in "[\\PC\"'`/*#<>$:=\\\\ ]{0,60}", at in 0_usize..LANGUAGES.len()) {
        let mut block = Highlighter::of(LANGUAGES[at].names[0]);
        for _ in 0..2 {
            let spans = block.line(&text);
            let shown: String = spans.iter().map(|span| span.content.as_ref()).collect();
            prop_assert_eq!(&shown, &text);
        }
    }
}
