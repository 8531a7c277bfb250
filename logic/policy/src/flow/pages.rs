//! Pages that may be fetched: those that a search named, and those that the user did.

use std::collections::BTreeSet;

/// Most pages a session's searches name before no more are taken in.
const PAGES: usize = 10_000;
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

/// The ways in which the user may have written an address: whole, and without what browsers add.
pub(super) fn spellings(url: &str) -> Vec<String> {
    let Some(address) = address(url) else {
        return Vec::new();
    };
    let without_scheme = address.split_once("://").map_or("", |(_, rest)| rest);
    let mut found = vec![address.clone(), without_scheme.to_owned()];
    for text in [address.as_str(), without_scheme] {
        // A bare folder is written with and without the slash; a bare host as well.
        found.extend(text.strip_suffix('/').map(str::to_owned));
    }
    found
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
    fn no_more_pages_are_named_than_fit() {
        let mut pages = Pages::default();
        (0..=PAGES).for_each(|n| pages.name(&format!("https://a.example/{n}")));
        assert!(pages.are_named(&format!("https://a.example/{}", PAGES - 1)));
        assert!(!pages.are_named(&format!("https://a.example/{PAGES}")));
    }
}
