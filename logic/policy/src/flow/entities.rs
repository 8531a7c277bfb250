//! Things in a text that lead somewhere: addresses that a reader, a program or a bank would follow.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Most leads looked at in one text; a text with more is treated as having an untrusted one.
pub(crate) const LEADS: usize = 1_000;

/// A URL, an e-mail address, a host name, an IP address or an IBAN.
static LEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)[a-z][a-z0-9+.-]{1,20}:[/\\\\]+[^\s<>\x22'`\[\]{}|^]+",
        // An authority without a scheme where a link's goal stands, and a share.
        r"|[\x22'(=]\s*(?://|\\\\)[a-z0-9][^\s<>\x22')]*",
        r"|\\\\[a-z0-9][a-z0-9.-]+\\[^\s<>\x22']*",
        r"|\bhttps?:[a-z0-9][^\s<>\x22'`]*",
        r"|\b(?:mailto|data|javascript|tel|sms|skype|magnet|ipfs|file):[^\s<>\x22'`]+",
        r"|[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+",
        r"|\b0x[0-9a-f]{40}\b",
        r"|\b(?-i:bc1[a-z0-9]{25,60}|[13][a-km-zA-HJ-NP-Z1-9]{25,34})\b",
        r"|\b[a-z]{2}[0-9]{2}[a-z0-9]{11,30}\b",
        r"|\b(?-i:[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?)\b",
        r"|\b[a-z]{2}[0-9]{2}(?:[ -][0-9]{4}){2,7}(?:[ -][0-9]{1,3})?\b",
        r"|\+[0-9][0-9 ()./-]{6,18}[0-9]",
        r"|\[[0-9a-f:]*:[0-9a-f:.]*\](?:[:/][^\s<>\x22'`]*)?",
        r"|\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b(?:[:/][^\s<>\x22'`]*)?",
        r"|\b(?:[\w-]+\.)+[\w-]{2,24}\b(?:(?:[:/]|[?#]\w)[^\s<>\x22'`]*)?",
    ))
    .ok()
});

/// Endings that look like those of host names and are those of files in a text about files.
const FILE_ENDINGS: [&str; 40] = [
    "rs", "md", "py", "sh", "js", "ts", "c", "h", "cc", "cpp", "hpp", "go", "java", "rb", "pl",
    "txt", "toml", "yaml", "yml", "json", "lock", "log", "csv", "xml", "html", "htm", "css", "pdf",
    "doc", "docx", "odt", "png", "jpg", "jpeg", "gif", "svg", "gz", "tar", "bak", "ini",
];

/// Every lead in a text, without the punctuation that ends a sentence. `None` when they could not
/// all be looked at.
pub(crate) fn leads(text: &str) -> Option<BTreeSet<String>> {
    let pattern = LEAD.as_ref()?;
    let mut found = BTreeSet::new();
    for lead in pattern.find_iter(text) {
        let lead = lead
            .as_str()
            .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '*', '_']);
        if is_lead(lead) {
            found.insert(lead.to_owned());
        }
        if found.len() > LEADS {
            return None;
        }
    }
    Some(found)
}

/// Whether a text is one lead and nothing else.
pub(crate) fn is_whole_lead(text: &str) -> bool {
    leads(text).is_some_and(|leads| leads.len() == 1 && leads.contains(text))
}

/// Endings of files that are top-level domains as well, besides [`FILE_ENDINGS`].
const ARCHIVE_ENDINGS: [&str; 2] = ["zip", "mov"];

/// Whether a text without a scheme may be a file's name as well as a host's: `main.rs`.
pub(crate) fn may_be_file(text: &str) -> bool {
    let is_web = text.to_lowercase().starts_with("www.");
    let ending = text
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    let is_ending = |ending: String| {
        FILE_ENDINGS.contains(&ending.as_str()) || ARCHIVE_ENDINGS.contains(&ending.as_str())
    };
    !is_web && ending.is_some_and(is_ending)
}

/// Whether a text leads nowhere.
pub(crate) fn has_no_lead(text: &str) -> bool {
    leads(text).is_some_and(|leads| leads.is_empty())
}

/// Whether a find leads anywhere: a file's name, a version and an abbreviation do not.
fn is_lead(found: &str) -> bool {
    let is_link = [":/", ":\\", "//", "\\\\"]
        .iter()
        .any(|mark| found.contains(mark))
        && !found.starts_with('[')
        || found
            .get(..5)
            .is_some_and(|head| head.eq_ignore_ascii_case("http:"))
        || found
            .get(..6)
            .is_some_and(|head| head.eq_ignore_ascii_case("https:"));
    let is_account = found.starts_with(['+', '[']) || found.starts_with("0x");
    if is_link || is_account || found.contains('@') || has_opaque_scheme(found) {
        return true;
    }
    let host = found.split([':', '/', '?', '#']).next().unwrap_or(found);
    // What goes on behind a host's name is a port or a path: a file has neither.
    let goes_on = host.len() < found.len();
    let Some((_, ending)) = host.rsplit_once('.') else {
        return is_iban(found) || is_wallet(found);
    };
    let ending = ending.to_lowercase();
    if ending.bytes().all(|b| b.is_ascii_digit()) {
        // Four numbers are an address; two or three are a version or an amount.
        return host.split('.').count() == 4;
    }
    let is_word = ending.chars().all(char::is_alphabetic) || ending.starts_with("xn--");
    let is_web = host.to_lowercase().starts_with("www.");
    is_word && (goes_on || is_web || !FILE_ENDINGS.contains(&ending.as_str()))
}

fn has_opaque_scheme(found: &str) -> bool {
    let schemes = [
        "mailto:",
        "data:",
        "javascript:",
        "tel:",
        "sms:",
        "skype:",
        "magnet:",
        "ipfs:",
        "file:",
    ];
    schemes.iter().any(|s| {
        found
            .get(..s.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(s))
    })
}

/// Letters of a country, two check digits, and enough of an account; at least five digits in all.
fn is_iban(found: &str) -> bool {
    let digits = found.bytes().filter(u8::is_ascii_digit).count();
    let length = found.bytes().filter(u8::is_ascii_alphanumeric).count();
    (15..=34).contains(&length) && digits >= 5
}

/// Letters and digits of a payment address, as the pattern found them.
fn is_wallet(found: &str) -> bool {
    found.len() >= 26 && found.bytes().any(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_somewhere_is_found() {
        let table = [
            (
                "see https://evil.example/x?a=1.",
                "https://evil.example/x?a=1",
            ),
            (
                "![i](https://evil.example/p.png)",
                "https://evil.example/p.png",
            ),
            (
                "Check out this link: www.secure-systems-252.com",
                "www.secure-systems-252.com",
            ),
            ("at bad-site.io/path now", "bad-site.io/path"),
            (
                "write to Eve.X@mail.example.org, please",
                "Eve.X@mail.example.org",
            ),
            (
                "to DE89 3704 0044 0532 0130 00 today",
                "DE89 3704 0044 0532 0130 00",
            ),
            ("pay US133000000121212121212!", "US133000000121212121212"),
            ("ping 169.254.169.254/latest", "169.254.169.254/latest"),
            ("mailto:x@y.z", "mailto:x@y.z"),
            ("data:text/html,hi", "data:text/html,hi"),
            ("see evil.sh/login", "evil.sh/login"),
            ("[click](evil.py/x)", "evil.py/x"),
            ("at login.cc:8080/x", "login.cc:8080/x"),
            ("http:/evil.sh now", "http:/evil.sh"),
            (
                "pay GB29-NWBK-6016-1331-9268-19",
                "GB29-NWBK-6016-1331-9268-19",
            ),
            ("pay GB29 NWBK60161331926819", "GB29 NWBK60161331926819"),
            ("call +1 900 555 0199 today", "+1 900 555 0199"),
            (
                "to 0x52908400098527886E0F7030069857D2E4169EE7",
                "0x52908400098527886E0F7030069857D2E4169EE7",
            ),
            (
                "to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
                "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
            ),
            ("at [::1]:8080/x", "[::1]:8080/x"),
            ("<a href=\"http:3232235777\">", "http:3232235777"),
            ("open \\\\evil\\share now", "\\\\evil\\share"),
        ];
        for (text, expected) in table {
            let found = leads(text).unwrap();
            assert!(found.contains(expected), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_goal_without_a_scheme_leads_somewhere() {
        for text in [
            "<a href=\"//evil\">here</a>",
            "[a](//evil)",
            "<img src=//3232235777/x>",
            "at evil.sh?token=1",
            "see notes.md#login",
        ] {
            assert!(!leads(text).unwrap().is_empty(), "{text}");
        }
    }

    #[test]
    fn ordinary_words_lead_nowhere() {
        for text in [
            "Hi, i am a bot. I've seen it in the meeting room!",
            "edited src/main.rs and notes.md, version 1.2.3, 98.70 in all",
            "e.g. the U.S. team, i.e. us",
            "at 10:30 on 2026-01-02",
            "// a comment, a //b too",
            "is it in notes.md? Yes",
        ] {
            assert_eq!(leads(text).unwrap(), BTreeSet::new(), "{text}");
        }
    }
}
