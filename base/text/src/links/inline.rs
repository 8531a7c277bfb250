//! Inline links of Markdown, `[what is shown](where it leads)`, and which of them show another address
//! than they lead to.

use super::leads::{Lead, leads};
use crate::markdown::decoded;
use url::Url;

/// Most of what is shown, and of a destination, that is looked at; bytes.
const SHOWN_BYTES: usize = 300;
const GOAL_BYTES: usize = 2_000;
/// Endings of hosts of more than two letters that are known to everybody.
const TOPS: [&str; 14] = [
    "app", "biz", "bank", "cloud", "com", "dev", "edu", "gov", "info", "net", "online", "org",
    "shop", "site",
];
/// Endings of files of two letters: alone, such a name is a file's.
const FILES: [&str; 26] = [
    "ai", "cc", "cs", "el", "ex", "fs", "go", "gz", "hs", "jl", "js", "kt", "md", "mk", "ml", "nu",
    "pl", "ps", "py", "rb", "rs", "sh", "so", "tf", "ts", "vb",
];

/// An inline link that shows another address than it leads to.
pub(super) struct Disguised {
    pub(super) goal: Lead,
    /// Where it ends in the text.
    pub(super) end: usize,
}

/// The inline links of a text that show another address than they lead to, in their order.
pub(super) fn disguised(text: &str) -> Vec<Disguised> {
    let found = text.match_indices("](").filter_map(|(at, _)| {
        let shown = shown_before(&text[..at]);
        if !shown.contains(['.', ':', '&', '\u{3002}']) {
            return None;
        }
        let shown = hosts_in(shown);
        if shown.is_empty() {
            return None;
        }
        let (goal, length) = goal(&text[at + 2..])?;
        let host = host_of(&goal);
        let is_same = shown.iter().all(|shown| host.as_ref() == Some(shown));
        (!is_same).then_some(Disguised {
            goal,
            end: at + 2 + length,
        })
    });
    found.collect()
}

/// Where the inline links of a text lead.
pub(super) fn goals(text: &str) -> Vec<Lead> {
    let places = text.match_indices("](");
    let goals = places.filter_map(|(at, _)| goal(&text[at + 2..]));
    goals.map(|(goal, _)| goal).collect()
}

/// The destination that stands here, and how much of the text it takes.
fn goal(behind: &str) -> Option<(Lead, usize)> {
    let is_end = |c: char| c == ')' || c.is_whitespace();
    let behind = beginning(behind, GOAL_BYTES);
    // The host stands at its beginning, so that the next link ends what has to be looked at.
    let behind = behind.split("](").next().unwrap_or_default();
    let end = behind.find(is_end).unwrap_or(behind.len());
    let length = behind[end..].find(')').map_or(end, |at| end + at + 1);
    let address = behind[..end].trim_start_matches('<');
    // Behind a bracket, slashes alone lead to a host.
    let written = format!("({address}");
    let found = leads(&written).into_iter().next();
    let found = found.or_else(|| leads(&decoded(&written)).into_iter().next());
    found.map(|goal| (goal, length))
}

/// What an inline link shows that ends here: behind the bracket that belongs to its end.
fn shown_before(before: &str) -> &str {
    let before = ending(before, SHOWN_BYTES);
    let mut depth = 0_usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ']' => depth += 1,
            '[' if depth == 0 => return &before[at + 1..],
            '[' => depth -= 1,
            _ => {}
        }
    }
    before
}

/// The hosts of what looks like addresses in the words that a link shows.
fn hosts_in(shown: &str) -> Vec<String> {
    let shown = decoded(shown);
    let mut words = String::with_capacity(shown.len());
    // A picture shows its words, and not where it lies.
    let mut parts = shown.split("](");
    words.push_str(parts.next().unwrap_or_default());
    for part in parts {
        words.push(' ');
        words.push_str(part.split_once(')').map_or("", |(_, behind)| behind));
    }
    let hosts = words.split_whitespace().flat_map(|word| {
        let leads = leads(word);
        match leads.is_empty() {
            true => bare_host(word).into_iter().collect(),
            false => leads.iter().filter_map(host_of).collect::<Vec<_>>(),
        }
    });
    hosts.collect()
}

/// The host of a word that looks like an address without a scheme, or of a mailbox.
fn bare_host(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let end = word.find(['/', ':', '?', '#']).unwrap_or(word.len());
    let (host, behind) = word.split_at(end);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let (above, last) = host.rsplit_once('.')?;
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    let last = last.to_lowercase();
    let is_top = match last.chars().count() {
        0 | 1 => false,
        2 => !behind.is_empty() || !FILES.contains(&last.as_str()),
        _ => TOPS.contains(&last.as_str()) || !last.is_ascii() || last.starts_with("xn--"),
    };
    match is_top && above.split('.').all(is_part) {
        true => host_of_address(&format!("https://{host}")),
        false => None,
    }
}

fn host_of(lead: &Lead) -> Option<String> {
    match &lead.url {
        Some(url) => url.host_str().map(without_www),
        None => {
            let mailbox = lead.written.split(['?', '#']).next()?;
            let (_, host) = mailbox.rsplit_once('@')?;
            host_of_address(&format!("https://{host}"))
        }
    }
}

fn host_of_address(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    url.host_str().map(without_www)
}

fn without_www(host: &str) -> String {
    let host = host.strip_prefix("www.").unwrap_or(host);
    host.trim_end_matches('.').to_owned()
}

/// The first bytes of a text, and the last ones, as whole characters.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn ending(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}
