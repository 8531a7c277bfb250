//! Addresses that the terminal can open, as OSC 8 has them.
//!
//! What is marked is an address that stands on a row in full, and it leads to what stands there: the
//! text of a link and its target cannot differ. The text of a link of Markdown is not marked; its target
//! is written behind it, and that is.

use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Longest address that is marked, bytes.
const ADDRESS_BYTES: usize = 2_000;
/// What an address begins with.
const SCHEMES: [&str; 2] = ["https://", "http://"];
/// The first version of VTE and of tmux that take such marks.
const VTE: u32 = 5_000;
const TMUX: (u32, u32) = (3, 4);

/// Whether addresses are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The terminal is not known to take it.
    None,
    /// By OSC 8.
    Osc8,
}

/// What the terminal takes, by what its environment says of it.
#[must_use]
pub fn taken(variable: impl Fn(&str) -> Option<String>) -> Links {
    let value = |name: &str| variable(name).unwrap_or_default();
    let has = |name: &str| !value(name).is_empty();
    let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
    let is_inner =
        has("TMUX") || has("STY") || term.starts_with("screen") || term.starts_with("tmux");
    let is_known = match is_inner {
        true => program == "tmux" && is_since(&value("TERM_PROGRAM_VERSION"), TMUX),
        false => {
            let programs = ["iTerm.app", "WezTerm", "ghostty", "vscode"];
            let terms = [
                "xterm-kitty",
                "xterm-ghostty",
                "alacritty",
                "foot",
                "wezterm",
            ];
            programs.contains(&program.as_str())
                || terms.contains(&term.as_str())
                || value("VTE_VERSION")
                    .parse()
                    .is_ok_and(|version: u32| version >= VTE)
                || has("WT_SESSION")
                || has("KONSOLE_VERSION")
        }
    };
    match is_known {
        true => Links::Osc8,
        false => Links::None,
    }
}

fn is_since(version: &str, least: (u32, u32)) -> bool {
    let digits = |text: &str| -> Option<u32> {
        let end = text.find(|one: char| !one.is_ascii_digit());
        text[..end.unwrap_or(text.len())].parse().ok()
    };
    let mut parts = version.split('.').map(digits);
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= least,
        _ => false,
    }
}

/// Where addresses stand on a row of a terminal of so many columns. One that may go on in the next row,
/// or with what is no part of an address, is none: it would lead elsewhere.
#[must_use]
pub fn addresses(row: &str, columns: usize) -> Vec<Range<usize>> {
    // What is wider was not broken: the terminal goes on with it by itself.
    let is_broken = row.width() <= columns;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = begin(&row[from..]).map(|at| from + at) {
        let rest = &row[at..];
        let run = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
        let length = without_marks(&rest[..run]).len();
        let is_ended = rest[run..]
            .chars()
            .next()
            .is_none_or(|next| next.is_whitespace() || "<>\"|".contains(next));
        let is_at_edge = is_broken && row[..at + run].width() + 1 >= columns;
        let is_inside = row[..at].ends_with(|one: char| one.is_alphanumeric());
        if is_ended && !is_at_edge && !is_inside && is_plain(&rest[..length]) {
            found.push(at..at + length);
        }
        from = at + run;
    }
    found
}

fn begin(text: &str) -> Option<usize> {
    SCHEMES.iter().filter_map(|scheme| text.find(scheme)).min()
}

fn is_part(one: char) -> bool {
    one.is_ascii_graphic() && !"<>\"|\\^`{}".contains(one)
}

/// An address without what ends a sentence or a bracket behind it.
fn without_marks(run: &str) -> &str {
    let mut address = run;
    loop {
        let count = |sign: char| address.matches(sign).count();
        let is_mark = match address.chars().next_back() {
            Some(')') => count('(') < count(')'),
            Some(']') => count('[') < count(']'),
            Some('.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_') => true,
            _ => false,
        };
        if !is_mark {
            return address;
        }
        address = &address[..address.len() - 1];
    }
}

/// Whether an address names its host and nobody before it, for whom a host could be taken.
fn is_plain(address: &str) -> bool {
    let host = SCHEMES
        .iter()
        .find_map(|scheme| address.strip_prefix(scheme));
    let host = host.unwrap_or_default().split(['/', '?', '#']).next();
    let is_host = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
    is_host && address.len() <= ADDRESS_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_stand_there_in_full_are_found() {
        let found = |row: &'static str, columns: usize| -> Vec<&str> {
            let places = addresses(row, columns).into_iter();
            places.map(|place| &row[place]).collect()
        };
        for (row, wanted) in [
            (
                "see https://a.example/x, and more",
                vec!["https://a.example/x"],
            ),
            (
                "tables (https://a.example/b_(c)).",
                vec!["https://a.example/b_(c)"],
            ),
            (
                "<http://a.example> http://b.example?",
                vec!["http://a.example", "http://b.example"],
            ),
            // With something before the host, or none.
            ("https://bank.example@evil.example/", vec![]),
            (
                "https:// https:///x javascript:alert(1) file:///etc/passwd",
                vec![],
            ),
            // That go on with something else.
            ("https://a.example/日本", vec![]),
            ("https://a.example/x…", vec![]),
            ("https://a.example/\\u{1b}x", vec![]),
            ("xhttps://a.example/x", vec![]),
        ] {
            assert_eq!(found(row, 200), wanted, "{row}");
        }
        // One that reaches the edge may go on in the next row.
        assert_eq!(found("https://a.example/x", 19), Vec::<&str>::new());
        assert_eq!(found("https://a.example/x", 20), Vec::<&str>::new());
        assert_eq!(found("https://a.example/x", 21), ["https://a.example/x"]);
        // What was not broken goes on by itself.
        assert_eq!(
            found("let a = https://a.example/x", 20),
            ["https://a.example/x"]
        );
        let long = format!("https://a.example/{}", "x".repeat(ADDRESS_BYTES));
        assert!(addresses(&long, 80).is_empty());
    }

    #[test]
    fn only_terminals_that_are_known_get_marks() {
        for (variables, is_taken) in [
            (&[("TERM", "xterm-256color")][..], false),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")], true),
            (
                &[("TERM", "xterm-256color"), ("VTE_VERSION", "4601")],
                false,
            ),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM_PROGRAM", "Apple_Terminal")], false),
            (&[("TERM_PROGRAM", "WezTerm")], true),
            (&[("TERM", "screen"), ("TERM_PROGRAM", "WezTerm")], false),
            (
                &[
                    ("TMUX", "x"),
                    ("TERM_PROGRAM", "tmux"),
                    ("TERM_PROGRAM_VERSION", "3.3a"),
                ],
                false,
            ),
            (
                &[
                    ("TMUX", "x"),
                    ("TERM_PROGRAM", "tmux"),
                    ("TERM_PROGRAM_VERSION", "3.5a"),
                ],
                true,
            ),
            (&[("STY", "x"), ("WT_SESSION", "y")], false),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(one, _)| *one == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(taken(variable) == Links::Osc8, is_taken, "{variables:?}");
        }
    }
}
