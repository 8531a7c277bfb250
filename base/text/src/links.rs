//! Links in what a model says to a person: where each truly leads, and whether the person ever
//! named that place. What they did not name and an outsider may have put there is marked.

mod inline;
mod leads;

use crate::markdown::decoded;
use inline::{disguised, goals};
use leads::{Lead, leads};

/// Most text of the user's that is remembered, bytes; beyond it, nothing more counts as named.
const SAID_BYTES: usize = 1 << 20;
/// What is known when an answer is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    said: String,
    has_seen_outsiders: bool,
}

impl Known {
    /// Notes what the user said.
    pub fn hear(&mut self, text: &str) {
        if self.said.len() + text.len() <= SAID_BYTES {
            self.said.push('\n');
            self.said.push_str(&text.to_lowercase());
        }
    }

    /// Notes that the model has read something which is not the user's: from then on, any place it
    /// names may be an outsider's choice.
    pub const fn meet_outsiders(&mut self) {
        self.has_seen_outsiders = true;
    }

    /// Whether the user gave exactly this address.
    #[must_use]
    pub fn gave(&self, address: &str) -> bool {
        stands_in(&self.said, &address.to_lowercase())
    }

    /// Where the links of a text lead that the user did not name, each once and the destinations of
    /// inline links first; nothing before an outsider had a say.
    #[must_use]
    pub fn strange(&self, text: &str) -> Vec<String> {
        if !self.has_seen_outsiders {
            return Vec::new();
        }
        // Also as those read it that decode before they follow a link.
        let decoded = decoded(text);
        let again = Some(&*decoded).filter(|decoded| *decoded != text);
        let mut places = Vec::new();
        for lead in goals(text)
            .into_iter()
            .chain(leads(text))
            .chain(again.into_iter().flat_map(leads))
        {
            let place = lead.place();
            if !self.names(&lead) && !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Whether the user gave the link itself, or its host and nothing else is handed along.
    fn names(&self, lead: &Lead) -> bool {
        let is_said = |text: &str| stands_in(&self.said, &text.to_lowercase());
        is_said(&lead.written)
            || match &lead.url {
                Some(url) => {
                    let is_bare = url.query().is_none()
                        && url.fragment().is_none()
                        && url.username().is_empty();
                    is_bare && url.host_str().is_some_and(is_said)
                }
                None => false,
            }
    }
}

/// A text with each strange place written beside the word that leads there, and beside each inline
/// link that shows another address than it leads to, whatever was read. Everything else stays as
/// `shown` has it. `mark` turns places into what is written.
#[must_use]
pub fn marked(
    text: &str,
    known: &Known,
    shown: impl Fn(&str) -> String,
    mark: impl Fn(&str) -> String,
) -> String {
    let disguised = disguised(text);
    if !known.has_seen_outsiders && disguised.is_empty() {
        return shown(text);
    }
    let disguised = disguised.iter().filter(|link| !known.names(&link.goal));
    let mut disguised = disguised.peekable();
    let mut out = String::with_capacity(text.len());
    // What stands between two marks is shown in one piece: how a character reads may depend on the
    // one before it.
    let mut from = 0;
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end_matches(char::is_whitespace);
        let end = at + word.len();
        let mut places = Vec::new();
        while let Some(link) = disguised.next_if(|link| link.end <= at + piece.len()) {
            places.push(link.goal.place());
        }
        places.extend(known.strange(word));
        if !places.is_empty() {
            let mut told: Vec<String> = Vec::new();
            for place in places {
                if !told.contains(&place) {
                    told.push(place);
                }
            }
            out.push_str(&shown(&text[from..end]));
            out.push_str(&mark(&told.join(", ")));
            from = end;
        }
        at += piece.len();
    }
    out.push_str(&shown(&text[from..]));
    out
}

/// Whether a text stands in another by itself, not as a part of a longer name.
fn stands_in(text: &str, wanted: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !wanted.is_empty()
        && text.match_indices(wanted).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + wanted.len()..]);
            let mut next = after.chars();
            let goes_on = match next.next() {
                Some('.') => next.next().is_some_and(is_part),
                Some(c) => is_part(c) || c == '@',
                None => false,
            };
            let begins_before = before
                .chars()
                .next_back()
                .is_some_and(|c| is_part(c) || c == '.' || c == '@');
            !goes_on && !begins_before
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_reading(said: &str) -> Known {
        let mut known = Known::default();
        known.hear(said);
        known.meet_outsiders();
        known
    }

    fn show(text: &str, known: &Known) -> String {
        marked(text, known, str::to_owned, |places| format!(" <{places}>"))
    }

    #[test]
    fn a_link_says_where_it_truly_leads() {
        let known = after_reading("summarise notes.md");
        let cases = [
            ("[bank](https://evil.example/login)", "evil.example"),
            (
                "[https://bank.com](https://evil.example)",
                "evil.example, bank.com",
            ),
            ("![x](https://evil.example/p.png?d=secret)", "evil.example"),
            ("![x](//evil.example/p.png)", "evil.example"),
            ("https://bank.com@evil.example/", "evil.example"),
            ("https://bank.com:443@evil.example:8443/", "evil.example"),
            ("http:\\\\evil.example\\x", "evil.example"),
            ("HTTPS:/evil.example", "evil.example"),
            (
                "<a href=\"https://evil.example\">bank.com</a>",
                "evil.example",
            ),
            ("[1]:https://evil.example", "evil.example"),
            (
                "\u{1b}]8;;https://evil.example\u{7}bank.com",
                "evil.example",
            ),
            ("www.evil.example", "www.evil.example"),
            ("https://b\u{430}nk.com/", "xn--bnk-6cd.com"),
            ("http://2130706433/", "127.0.0.1"),
            ("http://[::1]/x", "[::1]"),
            ("[pay](javascript:alert(1))", "a javascript: link"),
            ("mailto:eve@evil.example", "a mailto: link"),
            ("(see https://evil.example).", "evil.example"),
            ("![a](https&#58;//evil.example/p)", "evil.example"),
            ("![a](https\\://evil.example/p)", "evil.example"),
            ("![a](https:&#47;/evil.example/p)", "evil.example"),
            ("![a](https:evil.example/p)", "evil.example"),
            ("<img src=//evil.example/p>", "evil.example"),
            ("[x](&#104;ttps&colon;//evil.example/)", "evil.example"),
        ];
        for (text, place) in cases {
            let shown = show(text, &known);
            assert!(shown.contains(&format!(" <{place}>")), "{text}: {shown}");
            assert_eq!(shown.replace(&format!(" <{place}>"), ""), text);
        }
    }

    #[test]
    fn what_the_user_named_and_plain_text_stay_as_they_are() {
        let known = after_reading("look at https://example.org/a?b=1 and docs.rs, then notes.md");
        for text in [
            "See https://example.org/a?b=1 for that.",
            "It is on https://docs.rs/serde.",
            "[docs](https://docs.rs/serde/latest)",
            "Use `a: b`, 10:30, C:\\Users, src/main.rs, and/or; either//or.",
            "key: value (see notes.md) [x](docs/a.md) e.g. 1.2.3.4",
            "std::fs::read(path)",
        ] {
            assert_eq!(show(text, &known), text);
        }
        // The host alone is not leave to send something there, and a longer name is another.
        for text in [
            "https://docs.rs/?q=secret",
            "https://docs.rs.evil.example/",
            "https://evil-docs.rs/",
            "https://me@docs.rs/",
        ] {
            assert_ne!(show(text, &known), text);
        }
    }

    #[test]
    fn before_anything_of_an_outsiders_was_read_only_disguise_is_marked() {
        let plain = [
            "See https://doc.rust-lang.org/std.",
            "[std](https://doc.rust-lang.org/std)",
            "[https://doc.rust-lang.org](https://doc.rust-lang.org/std)",
            "[example.com](https://www.example.com/) [main.rs](https://example.com/src/main.rs)",
            "[serde 1.0.2, e.g.](https://docs.rs/serde) [a.b.c](notes.md) [Node.js](https://x.example)",
            "[Cargo.toml](https://example.com/Cargo.toml) [std.fs](https://example.com/std)",
            "[![CI](https://img.example/x.svg)](https://example.com/ci)",
            "[me@example.com](mailto:me@example.com)",
        ];
        for text in plain {
            assert_eq!(show(text, &Known::default()), text);
        }
        let cases = [
            (
                "[https://bank.com/](https://evil.example/x)",
                "evil.example",
            ),
            ("[bank.com](https://evil.example)", "evil.example"),
            ("[**bank.com**](https://evil.example)", "evil.example"),
            ("[www.bank.com](https://evil.example)", "evil.example"),
            ("[bank.com/login](<https://evil.example>)", "evil.example"),
            ("[see bank.com now](https://evil.example)", "evil.example"),
            ("[bank.com](//evil.example)", "evil.example"),
            ("[bank.com](https://bank.com@evil.example)", "evil.example"),
            (
                "[bank.com](https://bank.com.evil.example)",
                "bank.com.evil.example",
            ),
            (
                "[b\u{e4}nk.de](https://evil.example \"bank\")",
                "evil.example",
            ),
            ("[bank&#46;com](https://evil.example)", "evil.example"),
            ("[bank.com](javascript:alert(1))", "a javascript: link"),
            ("[me@bank.com](mailto:eve@evil.example)", "a mailto: link"),
            ("[see [bank.com]](https://evil.example)", "evil.example"),
        ];
        for (text, place) in cases {
            let shown = show(text, &Known::default());
            assert!(shown.contains(&format!(" <{place}>")), "{text}: {shown}");
            assert_eq!(shown.replace(&format!(" <{place}>"), ""), text);
        }
        let mut known = Known::default();
        known.hear("go to https://evil.example/x");
        let named = "[https://bank.com/](https://evil.example/x)";
        assert_eq!(show(named, &known), named);
    }

    #[test]
    fn a_text_of_nothing_but_links_is_marked_soon() {
        for piece in ["](", "[a.com](", "a.com](https://b.com", "[", "[["] {
            let text = piece.repeat(100_000 / piece.len());
            let known = Known::default();
            assert!(show(&text, &known).len() >= text.len());
        }
    }
}
