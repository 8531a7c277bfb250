//! Links in a text, whatever markup they stand in, and where each leads.

use url::{Host, Url};

/// Schemes that lead somewhere without naming a host.
const OPAQUE: [&str; 9] = [
    "mailto:",
    "data:",
    "javascript:",
    "vbscript:",
    "tel:",
    "sms:",
    "file:",
    "magnet:",
    "blob:",
];
/// Longest place that is written out, characters.
const PLACE_CHARS: usize = 120;

/// One link as it is written.
pub(super) struct Lead {
    pub(super) written: String,
    /// As a browser understands it; `None` for one that names no host.
    pub(super) url: Option<Url>,
}

impl Lead {
    /// Where it leads, in ASCII, so that letters which look alike do not pass for one another.
    pub(super) fn place(&self) -> String {
        let host = self.url.as_ref().and_then(Url::host);
        let place = match host {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => format!("[{address}]"),
            None => {
                let scheme = self
                    .written
                    .split_once(':')
                    .map_or("", |(scheme, _)| scheme);
                format!("a {}: link", scheme.to_lowercase())
            }
        };
        crate::escape::visible(&place.chars().take(PLACE_CHARS).collect::<String>())
    }
}

/// Every link in a text, whatever markup it stands in.
pub(super) fn leads(text: &str) -> Vec<Lead> {
    let mut found = Vec::new();
    for word in
        text.split(|c: char| c.is_whitespace() || c.is_control() || "<>\"'`{}|^".contains(c))
    {
        let mut rest = word;
        while let Some((lead, after)) = first_lead(rest) {
            found.extend(lead);
            rest = after;
        }
    }
    found
}

/// The first thing in a word that may lead somewhere, and what follows where it began.
fn first_lead(word: &str) -> Option<(Option<Lead>, &str)> {
    let lower = word.to_ascii_lowercase();
    let opaque = OPAQUE.iter().filter_map(|scheme| lower.find(scheme));
    let opaque = opaque.filter(|at| !is_letter_before(word, *at)).min();
    let www = lower.find("www.").filter(|at| !is_letter_before(word, *at));
    let slashes = slashes(word);
    let at = [opaque, www, slashes].into_iter().flatten().min()?;
    let end = word[at..]
        .find([')', ']', '['])
        .map_or(word.len(), |end| at + end);
    // An address of version 6 stands in brackets.
    let end = match word[at..].find("[") {
        Some(open) if word[..at + open].ends_with(['/', '\\', '@']) => word[at + open..]
            .find([')', ' '])
            .map_or(word.len(), |close| at + open + close),
        _ => end,
    };
    let written = word[at..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
    let after = &word[end.max(at + 1).min(word.len())..];
    let after = if word.is_char_boundary(word.len() - after.len()) {
        after
    } else {
        ""
    };
    Some((lead(written, opaque == Some(at)), after))
}

fn lead(written: &str, is_opaque: bool) -> Option<Lead> {
    let written_out = if written.starts_with(['/', '\\']) {
        format!("https:{written}")
    } else if written.to_ascii_lowercase().starts_with("www.") {
        format!("https://{written}")
    } else {
        written.to_owned()
    };
    let url = Url::parse(&written_out).ok().filter(Url::has_host);
    // What a browser cannot read leads nowhere, but for a scheme that needs no host.
    (url.is_some() || is_opaque).then(|| Lead {
        written: written.to_owned(),
        url,
    })
}

/// Where a scheme with slashes begins, or slashes alone that begin a link's target.
fn slashes(word: &str) -> Option<usize> {
    let is_slash = |c: char| c == '/' || c == '\\';
    let mut from = 0;
    while let Some(found) = word[from..].find([':', '(', '=']) {
        let mark = from + found;
        let behind = &word[mark + 1..];
        let count = behind.chars().take_while(|c| is_slash(*c)).count();
        if word[mark..].starts_with(':') && (count >= 1 || is_web(&word[..mark], behind)) {
            let scheme = word[..mark]
                .rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
                .map_or(0, |at| {
                    at + word[at..].chars().next().map_or(1, char::len_utf8)
                });
            if mark - scheme >= 2 {
                return Some(scheme);
            }
        } else if word[mark..].starts_with(['(', '=']) && count >= 2 {
            return Some(mark + 1);
        }
        from = mark + 1;
    }
    None
}

/// Whether what stands before and behind a colon is an address of the web without its slashes, which
/// a browser takes as well.
fn is_web(before: &str, behind: &str) -> bool {
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
    let scheme = scheme.unwrap_or_default().to_ascii_lowercase();
    let is_host = behind.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    matches!(scheme.as_str(), "http" | "https") && is_host
}

fn is_letter_before(word: &str, at: usize) -> bool {
    word[..at]
        .chars()
        .next_back()
        .is_some_and(char::is_alphanumeric)
}
