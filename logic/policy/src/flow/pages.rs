//! Addresses of pages: those that a search named, and those that the user did. What may be fetched
//! is a whole address that was named, never a part of one.

use crate::flow::entities::may_be_file;
use std::collections::BTreeSet;

/// Most pages a session's searches name before no more are taken in.
const PAGES: usize = 10_000;
/// Most readings of one address that ends in marks.
const MARKS_AT_END: usize = 8;
/// Longest address of a page, bytes.
const ADDRESS_BYTES: usize = 4_096;

/// The pages that searches named in a session.
#[derive(Debug, Default)]
pub(super) struct Pages {
    named: BTreeSet<String>,
}

impl Pages {
    /// Takes in what a search named; what is no address of a page is left out.
    pub(super) fn name(&mut self, text: &str) {
        if self.named.len() < PAGES
            && let Some(address) = address(text)
        {
            self.named.insert(address);
        }
    }

    /// Whether a search named the page.
    pub(super) fn are_named(&self, url: &str) -> bool {
        address(url).is_some_and(|address| self.named.contains(&address))
    }
}

/// The address of a page without its fragment, its scheme and host in lower case. `None` for what
/// is no plain `http` or `https` address: whatever is odd about it might lead elsewhere than it
/// seems to.
fn address(text: &str) -> Option<String> {
    let text = text.split('#').next().unwrap_or(text);
    let is_plain = text.len() <= ADDRESS_BYTES
        && !text
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '\\');
    let (scheme, rest) = text.split_once("://").filter(|_| is_plain)?;
    let scheme = scheme.to_ascii_lowercase();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let is_page = matches!(scheme.as_str(), "http" | "https") && !host.is_empty();
    let path = if path.is_empty() { "/" } else { path };
    (is_page && !host.contains('@')).then(|| format!("{scheme}://{}{path}", host.to_lowercase()))
}

/// An address as a browser has it, and without the slash that it adds to a folder.
pub(super) fn spellings(url: &str) -> Vec<String> {
    let Some(address) = address(url) else {
        return Vec::new();
    };
    let shorter = address.strip_suffix('/').map(str::to_owned);
    std::iter::once(address.clone()).chain(shorter).collect()
}

/// Whether an address is written in the one way that tells nothing beyond which page it is: scheme
/// and host in lower case, and no fragment.
pub(super) fn is_canonical(url: &str) -> bool {
    address(url).is_some_and(|address| address == url || address == format!("{url}/"))
}

/// The addresses in a text of the user's: each whole, between white space and without the marks
/// around it. One without a scheme stands for both; what may be a file's name stands for none.
pub(super) fn mentioned(text: &str) -> Vec<String> {
    let tokens = text
        .split_whitespace()
        .filter(|token| token.len() <= ADDRESS_BYTES);
    tokens.flat_map(whole_addresses).collect()
}

fn whole_addresses(token: &str) -> Vec<String> {
    let scheme = token.find("://").map(|end| {
        let before = token.get(..end).unwrap_or("");
        let letters = before.chars().rev().take_while(char::is_ascii_alphabetic);
        end - letters.count()
    });
    let opens = |c: char| !c.is_alphanumeric();
    let start = scheme.unwrap_or_else(|| token.find(|c| !opens(c)).unwrap_or(token.len()));
    let mut rest = token.get(start..).unwrap_or("");
    let mut found = Vec::new();
    // A mark at the end may belong to the sentence or to the address.
    loop {
        if scheme.is_some() {
            found.push(rest.to_owned());
        } else if rest.contains('.') && !may_be_file(rest) {
            found.extend(["https://", "http://"].map(|scheme| format!("{scheme}{rest}")));
        }
        match rest.strip_suffix(|c: char| !c.is_alphanumeric() && c != '/') {
            Some(shorter) if found.len() < MARKS_AT_END => rest = shorter,
            _ => return found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_by_its_address_and_by_nothing_like_it() {
        let mut pages = Pages::default();
        pages.name("https://Example.org/Docs?q=1#part");
        for same in [
            "https://example.org/Docs?q=1",
            "HTTPS://EXAMPLE.ORG/Docs?q=1#other",
        ] {
            assert!(pages.are_named(same), "{same}");
        }
        for other in [
            "https://example.org/docs?q=1",
            "https://example.org/Docs?q=12",
            "http://example.org/Docs?q=1",
            "https://example.org.evil.example/Docs?q=1",
            "https://user@example.org/Docs?q=1",
            "https://example.org\\@evil.example/Docs?q=1",
            "ftp://example.org/Docs?q=1",
            "",
        ] {
            assert!(!pages.are_named(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_address_names_no_page() {
        let mut pages = Pages::default();
        for text in [
            "",
            "example.org",
            "file:///etc/passwd",
            "https://",
            "https://a b/",
        ] {
            pages.name(text);
        }
        assert!(pages.named.is_empty());
    }

    #[test]
    fn a_users_address_is_taken_whole() {
        let table: [(&str, &[&str]); 5] = [
            (
                "see (https://a.example/x,y;z).",
                &["https://a.example/x,y;z"],
            ),
            (
                "[here](https://a.example/Foo_(bar))",
                &["https://a.example/Foo_(bar)"],
            ),
            (
                "b.example/page, and",
                &["https://b.example/page", "http://b.example/page"],
            ),
            ("<https://d.example/end>", &["https://d.example/end"]),
            ("nothing here", &[]),
        ];
        for (text, expected) in table {
            let found = mentioned(text);
            for address in expected {
                assert!(found.contains(&(*address).to_owned()), "{text}: {found:?}");
            }
            assert!(
                !found.iter().any(|a| a.ends_with("/x")),
                "{text}: {found:?}"
            );
            assert!(
                !expected.is_empty() || found.is_empty(),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn no_more_pages_are_named_than_fit() {
        let mut pages = Pages::default();
        (0..=PAGES).for_each(|n| pages.name(&format!("https://a.example/{n}")));
        assert!(pages.are_named(&format!("https://a.example/{}", PAGES - 1)));
        assert!(!pages.are_named(&format!("https://a.example/{PAGES}")));
    }
}
