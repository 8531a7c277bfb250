//! Text as a person must see it before saying yes to it.

use crate::hidden;
use std::collections::HashSet;
use std::fmt::Write;
use std::ops::RangeInclusive;
use unicode_normalization::char::is_combining_mark;
use unicode_width::UnicodeWidthChar;

/// The text with everything that cannot be seen written as `\u{…}`: controls, ANSI escapes, marks
/// that turn the reading direction, zero-width and tag characters, spaces that only look like a
/// space, and code points that have no picture. Line feeds, tabs, letters of every script, their
/// accents and emoji stay. For reading only: a backslash in the text is not doubled.
#[must_use]
pub fn visible(text: &str) -> String {
    spelled(text, |out, c| {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// As [`visible`], for prose that nobody says yes to: spaces of typography, as French sets before a
/// colon, look like what they are, and so does a soft hyphen inside a word. A line of Windows ends where
/// it ends: only a carriage return elsewhere could hide what stands before it.
#[must_use]
pub fn prose(text: &str) -> String {
    let text = text.replace(WINDOWS_END, "\n");
    // Cut at the soft hyphens inside words, each piece is judged as it stands before them: what
    // follows a letter there is a letter.
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut from = 0;
    while let Some(at) = rest[from..].find(SOFT_HYPHEN).map(|at| from + at) {
        from = at + SOFT_HYPHEN.len_utf8();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        if is_letter(rest[..at].chars().next_back()) && is_letter(rest[from..].chars().next()) {
            out.push_str(&prose_without_hyphens(&rest[..at]));
            out.push(SOFT_HYPHEN);
            rest = &rest[from..];
            from = 0;
        }
    }
    out.push_str(&prose_without_hyphens(rest));
    out
}

/// How a line of Windows ends.
const WINDOWS_END: &str = "\r\n";
/// Where a word may be broken at the end of a line; not seen elsewhere.
const SOFT_HYPHEN: char = '\u{ad}';

fn prose_without_hyphens(text: &str) -> String {
    spelled(text, |out, c| match is_typographic(c) {
        true => out.push(c),
        // Writing to a String cannot fail.
        false => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    })
}

/// A space that typography sets, or pictures of dots: as wide as it looks, and no break.
const fn is_typographic(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2009}' | '\u{202f}' | EMPTY_BRAILLE)
}

/// What pictures made of dots have where no dot is.
const EMPTY_BRAILLE: char = '\u{2800}';

/// As [`visible`], for how a text would change: spaces of typography look like what they are, unless
/// the change takes lines for others that differ from them in nothing but such spaces. What names a
/// file is spelled out in any case.
#[must_use]
pub fn diff(text: &str) -> String {
    let text = &match keeps_windows_ends(text) {
        true => text.replace(WINDOWS_END, "\n"),
        false => text.to_owned(),
    };
    let plain = |line: &str| line.replace(is_typographic, " ");
    let of = |mark: char| text.lines().filter_map(move |line| line.strip_prefix(mark));
    let removed: HashSet<String> = of('-').map(plain).collect();
    let respaced = of('+').any(|line| {
        let plain = plain(line);
        removed.contains(&plain) && !of('-').any(|old| old == line)
    });
    if respaced {
        return visible(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        match ["--- ", "+++ ", "@@"]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            true => visible(line),
            false => prose_without_hyphens(line),
        }
    });
    lines.collect()
}

/// Whether each line of a change ends as lines of Windows do, those that are there already too: then it
/// changes no line's end.
fn keeps_windows_ends(diff: &str) -> bool {
    let mut lines = diff.split_inclusive('\n');
    let _head = lines.by_ref().find(|line| line.starts_with("@@"));
    let told = |line: &&str| !line.starts_with("@@") && !line.starts_with('\\');
    let lines: Vec<&str> = lines.filter(told).collect();
    lines.iter().all(|line| line.ends_with(WINDOWS_END))
        && lines.iter().any(|line| line.starts_with([' ', '-']))
}

/// A text that is JSON, with everything that cannot be seen written as JSON's own `\u…`: the same
/// value to every reader, and nothing to a terminal.
#[must_use]
pub fn visible_json(json: &str) -> String {
    spelled(json, |out, c| {
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// The text with each character that cannot be seen as `spell` writes it.
fn spelled(text: &str, spell: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, rest) = (&text[..at], &text[at + c.len_utf8()..]);
        if hidden::hides(before, c, rest) || !has_picture(before, c) || is_stacked(before, c) {
            spell(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

/// Most marks on one letter. No script that is written today sets more than half of them.
const MARKS: usize = 8;

/// Whether a mark stands on a letter that has as many as it may: a terminal would draw it over the rows
/// beside.
fn is_stacked(before: &str, c: char) -> bool {
    let mut marks = before.chars().rev().take(MARKS);
    is_combining_mark(c) && before.chars().nth_back(MARKS).is_some() && marks.all(is_combining_mark)
}

/// As [`visible`], for what stands on one line: line feeds and tabs are written out as well, so that
/// no text can add a line that looks like ours.
#[must_use]
pub fn visible_line(text: &str) -> String {
    visible(text)
        .replace('\n', "\\u{a}")
        .replace('\t', "\\u{9}")
}

/// As [`visible`], for what stands behind words of ours and may have lines of its own: each but the
/// first begins with a bar, as no line of ours does.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    barred(&visible(text))
}

/// A text with each of its lines but the first behind a bar, as no line of ours is.
#[must_use]
pub fn barred(text: &str) -> String {
    let is_barred = |line: &str| line.starts_with(BAR);
    let lines = text.trim_end().split('\n').enumerate();
    let lines = lines.map(|(at, line)| match at == 0 || is_barred(line) {
        true => line.to_owned(),
        false => format!("{BAR}{line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How a line begins that goes on with what others wrote.
pub const BAR: &str = "  │ ";

/// An argument list as a person can read it back: what a shell would take for something else is
/// quoted. Not escaped: a line feed in an argument is one in the text.
#[must_use]
pub fn quoted_argv(argv: &[impl AsRef<str>]) -> String {
    let is_plain = |argument: &str| {
        let mut all = argument.chars();
        !argument.is_empty() && all.all(|c| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c))
    };
    let quoted: Vec<String> = argv
        .iter()
        .map(|argument| match argument.as_ref() {
            plain if is_plain(plain) => plain.to_owned(),
            other => format!("'{}'", other.replace('\'', "'\\''")),
        })
        .collect();
    quoted.join(" ")
}

/// Whether a vowel or final of Korean writing joins the syllable before it, which gives it its picture;
/// `None` for any other letter.
fn joins_syllable(before: &str, c: char) -> Option<bool> {
    const BLOCKS: RangeInclusive<char> = '\u{ac00}'..='\u{d7a3}';
    const FINALS: u32 = 28;
    let is_initial = |c| matches!(c, '\u{1100}'..='\u{115e}' | '\u{a960}'..='\u{a97c}');
    let is_vowel = |c| matches!(c, '\u{1161}'..='\u{11a7}' | '\u{d7b0}'..='\u{d7c6}');
    let is_final = |c| matches!(c, '\u{11a8}'..='\u{11ff}' | '\u{d7cb}'..='\u{d7fb}');
    let is_open = |c: char| {
        BLOCKS.contains(&c) && (u32::from(c) - u32::from(*BLOCKS.start())).is_multiple_of(FINALS)
    };
    let mut last = before.chars().rev();
    let (last, second) = (last.next(), last.next());
    if is_vowel(c) {
        return Some(last.is_some_and(is_initial));
    }
    let is_syllable = last.is_some_and(is_vowel) && second.is_some_and(is_initial);
    is_final(c).then(|| is_syllable || last.is_some_and(is_open))
}

fn has_picture(before: &str, c: char) -> bool {
    if matches!(
        c,
        '\n' | '\t' | ' '..='~' | '\u{3000}' | '\u{200c}' | '\u{200d}'
    ) || matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{e0061}'..='\u{e007f}')
    {
        return true;
    }
    if is_combining_mark(c) {
        return before
            .chars()
            .next_back()
            .is_some_and(|b| !b.is_whitespace());
    }
    if let Some(is_joined) = joins_syllable(before, c) {
        return is_joined;
    }
    // Braille without a dot is drawn as a space.
    if c == EMPTY_BRAILLE {
        return false;
    }
    // A letter of no width that joins nothing is drawn as nothing.
    if c.width() == Some(0) {
        return false;
    }
    // The standard library escapes what Unicode gives no picture, and characters that extend the
    // one before; the latter were dealt with above.
    c.escape_debug().len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_letter_without_a_width_of_its_own_is_spelled_out() {
        for hidden in "\u{1161}\u{11a7}\u{11a8}\u{11ff}\u{d7b0}\u{d7c6}\u{d7cb}\u{d7fb}".chars() {
            let name = format!("build.sh{hidden}");
            let told = format!("build.sh\\u{{{:x}}}", u32::from(hidden));
            for shown in [visible(&name), prose(&name), visible_line(&name)] {
                assert_eq!(shown, told);
            }
        }
        // Syllables that are written in parts are writing; what is put on top of one is not.
        for whole in [
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
            "가\u{11a8}",
            "한글 파일",
        ] {
            assert_eq!(visible(whole), whole);
        }
        assert_eq!(visible("가\u{1161}"), "가\\u{1161}");
        assert_eq!(visible("각\u{11a8}"), "각\\u{11a8}");
        assert_eq!(
            visible("\u{1112}\u{1161}\u{1161}"),
            "\u{1112}\u{1161}\\u{1161}"
        );
    }

    #[test]
    fn a_letter_has_as_many_marks_as_writing_needs() {
        let marked = |count: usize| format!("a{}b", "\u{301}".repeat(count));
        assert_eq!(visible(&marked(MARKS)), marked(MARKS));
        let more = format!("a{}\\u{{301}}b", "\u{301}".repeat(MARKS));
        assert_eq!(visible(&marked(MARKS + 1)), more);
        let hebrew =
            "\u{5d1}\u{5bc}\u{5b0}\u{5e8}\u{5b5}\u{5d0}\u{5e9}\u{5c1}\u{5b4}\u{5d9}\u{5ea}";
        assert_eq!(visible(hebrew), hebrew);
    }

    #[test]
    fn nothing_that_stays_is_without_a_width() {
        let all = (0..=0x10_ffff).filter_map(char::from_u32);
        let stays = |c: &char| visible(&format!("a{c}b")) == format!("a{c}b");
        let hidden = all.filter(|c| c.width() == Some(0)).filter(stays);
        let hidden: Vec<char> = hidden.filter(|c| !is_combining_mark(*c)).collect();
        assert_eq!(hidden, [] as [char; 0]);
    }

    #[test]
    fn arguments_are_shown_apart() {
        let argv = ["echo", "a b", "", "it's", "$(x)"];
        assert_eq!(quoted_argv(&argv), r"echo 'a b' '' 'it'\''s' '$(x)'");
    }

    #[test]
    fn prose_keeps_spaces_of_typography_and_nothing_that_hides() {
        let french = "« Bonjour\u{a0}», dit-il\u{202f}: non";
        assert_eq!(prose(french), french);
        assert!(visible(french).contains("\\u{a0}"), "a question shows them");
        for hiding in ["\u{200b}", "\u{202e}", "\u{ad}", "\u{1b}", "\u{e0041}"] {
            assert_eq!(prose(hiding), visible(hiding));
        }
    }

    #[test]
    fn braille_without_a_dot_is_spelled_out_where_somebody_says_yes() {
        assert_eq!(visible("ls\u{2800}#\u{2801}"), "ls\\u{2800}#\u{2801}");
        assert_eq!(
            prose("\u{2801}\u{2800}\u{2801}"),
            "\u{2801}\u{2800}\u{2801}"
        );
    }

    #[test]
    fn a_line_of_windows_ends_where_it_ends_in_prose() {
        assert_eq!(prose("a\r\nb\r\n"), "a\nb\n");
        assert_eq!(prose("a\rb\r\r\n\r"), "a\\u{d}b\\u{d}\n\\u{d}");
        assert_eq!(visible("a\r\n"), "a\\u{d}\n", "a question shows it");
        let head = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n";
        let kept = format!("{head} a\r\n-b\r\n+c\r\n");
        assert_eq!(diff(&kept), kept.replace('\r', ""));
        for change in ["-b\n+b\r\n", "-b\r\n+b\n", "+b\r\n"] {
            let shown = diff(&format!("{head}{change}"));
            assert_eq!(shown, format!("{head}{}", change.replace('\r', "\\u{d}")));
        }
    }

    #[test]
    fn prose_keeps_a_soft_hyphen_inside_a_word_alone() {
        let word = "co\u{ad}opé\u{ad}ration";
        assert_eq!(prose(word), word);
        assert!(visible(word).contains("\\u{ad}"));
        assert_eq!(prose("a\u{ad}\u{ad}b"), "a\\u{ad}\\u{ad}b");
        assert_eq!(prose("a\u{ad} b\u{ad}c"), "a\\u{ad} b\u{ad}c");
    }

    #[test]
    fn a_diff_shows_spaces_of_typography_where_they_are_the_change() {
        let french = "--- a/x\u{a0}y.md\n@@ -1 +1 @@\n \u{a0}!\n-non\u{a0}!\n+oui\u{a0}!\n";
        let shown = "--- a/x\\u{a0}y.md\n@@ -1 +1 @@\n \u{a0}!\n-non\u{a0}!\n+oui\u{a0}!\n";
        assert_eq!(diff(french), shown);
        let spaces = "-non !\n+non\u{a0}!\n";
        assert_eq!(diff(spaces), "-non !\n+non\\u{a0}!\n");
        for hiding in ["+a\u{200b}b", "+a\u{202e}b", "+a\u{ad}b", "+a\u{1b}[1mb"] {
            assert_eq!(diff(hiding), visible(hiding));
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let json = "{\"a\": \"\u{9b}31m\u{202e}\u{e0041} é\\n\"}\n";
        let shown = visible_json(json);
        assert_eq!(shown, "{\"a\": \"\\u009b31m\\u202e\\udb40\\udc41 é\\n\"}\n");
    }

    #[test]
    fn one_line_stays_one_line() {
        let forged = "wine\n2. bank\ttrusted\r\u{2028}x";
        assert_eq!(
            visible_line(forged),
            "wine\\u{a}2. bank\\u{9}trusted\\u{d}\\u{2028}x"
        );
    }

    #[test]
    fn what_hides_is_shown_and_what_reads_well_stays() {
        let cases = [
            ("a\tb\nc", "a\tb\nc"),
            ("a\rb", "a\\u{d}b"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("file\u{202e}txt.exe", "file\\u{202e}txt.exe"),
            ("pay\u{200b}pal", "pay\\u{200b}pal"),
            ("a\u{a0}b", "a\\u{a0}b"),
            ("x\u{e0041}", "x\\u{e0041}"),
            ("\u{0}", "\\u{0}"),
            ("\u{e000}", "\\u{e000}"),
            (
                "grüße, שלום, 你好, नमस्ते, e\u{301}",
                "grüße, שלום, 你好, नमस्ते, e\u{301}",
            ),
            ("❤\u{fe0f} 👩\u{200d}💻", "❤\u{fe0f} 👩\u{200d}💻"),
            ("1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}"),
            ("notes1\u{fe0f}.txt", "notes1\\u{fe0f}.txt"),
            ("it's \"C:\\x\"", "it's \"C:\\x\""),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
    }

    proptest! {
        #[test]
        fn no_control_or_direction_mark_survives(text in any::<String>()) {
            let shown = visible(&text);
            let is_bad = |c: char| {
                (c.is_control() && c != '\n' && c != '\t')
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}')
            };
            prop_assert!(!shown.chars().any(is_bad));
        }
    }
}
