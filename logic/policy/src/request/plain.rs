//! A plain request: one order, in a form that leaves nothing to be read into it.
//!
//! English has no end of ways to take back, restrict or hand over what was said, and lists of words
//! for them are never complete. So it is not asked whether something speaks against an order: a
//! request is plain where every word of it is understood, and any other frees nothing. It stands on
//! one line and has no brackets and no dashes; one sentence orders; the others are thanks, a
//! greeting, or a look at something of the user's own that comes first. English only.

use super::sentences::is_noun;
use super::text::{cut, masked, placed};

/// Words that may stand before an order: `please share`, `then share`.
const OPENING: [&str; 10] = [
    "please", "kindly", "carl", "hi", "hello", "hey", "ok", "okay", "then", ",",
];
/// Words by which the agent is asked to do something: `can you share it?`.
const ASKED: [&str; 4] = ["can", "could", "would", "will"];
/// Words of thanks and greetings.
const COURTEOUS: [&str; 15] = [
    "thanks", "thank", "cheers", "hi", "hello", "hey", "carl", "you", "so", "very", "much", "a",
    "lot", "please", ",",
];
/// Verbs for a look that may come first.
const LOOKING: [&str; 5] = ["read", "check", "list", "open", "see"];
/// What of the user's own may be looked at first.
const LOOKED_AT: [&str; 13] = [
    "inbox",
    "mails",
    "emails",
    "messages",
    "files",
    "calendar",
    "contacts",
    "notes",
    "tasks",
    "documents",
    "events",
    "issues",
    "channels",
];
/// Marks that a plain request may have outside of quotations.
const MARKS: &str = " ,.!?:'’@_-/#$€%+&=";

/// The order of a request from its verb on, where the request is plain. `is_order`: whether a word is
/// one for a deed.
pub(super) fn order(request: &str, is_order: impl Fn(&str) -> bool) -> Option<String> {
    let request = request.trim();
    let bare = masked_with_marks(request);
    let is_understood = |c: char| c.is_alphanumeric() || MARKS.contains(c);
    let ends = |c: char| matches!(c, '.' | '!' | '?');
    let mut pairs = bare.chars().zip(bare.chars().skip(1));
    let is_loose =
        |word: &str| word.starts_with(['\'', '’', '-', '/']) || word.ends_with(['\'', '’', '-']);
    if !request.starts_with(char::is_alphabetic)
        || !bare.chars().all(is_understood)
        || bare.split(' ').any(is_loose)
        || bare.contains("--")
        || pairs.any(|(one, next)| ends(one) && ends(next))
    {
        return None;
    }
    let mut found = None;
    for (text, mark) in cut(request) {
        let (words, places): (Vec<String>, Vec<usize>) = placed(&masked(text)).into_iter().unzip();
        if text.trim().is_empty() || is_courtesy(&words) && mark != '?' && masked(text) == text {
            continue;
        }
        if found.is_none() && is_look(&words) && masked(text) == text && mark != '?' {
            continue;
        }
        let (at, is_asked) = opening(&words);
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        let is_told = is_order(word(at)) && !is_noun(word(at), word(at + 1));
        if found.is_some() || !is_told || mark == ':' || (mark == '?') != is_asked {
            return None;
        }
        found = text.get(*places.get(at)?..).map(str::to_owned);
    }
    found
}

/// A request with nothing where it has quotations, without the marks around them.
fn masked_with_marks(request: &str) -> String {
    let mut rest = String::with_capacity(request.len());
    let mut from = 0;
    for quote in crate::flow::quoted(request) {
        let before = request.get(from..quote.start).unwrap_or("");
        let mut before = before.chars();
        before.next_back();
        rest.push_str(before.as_str());
        let mut behind = request.get(quote.end..).unwrap_or("").chars();
        behind.next();
        from = request.len() - behind.as_str().len();
    }
    rest.push_str(request.get(from..).unwrap_or(""));
    rest
}

fn is_courtesy(words: &[String]) -> bool {
    words.iter().all(|word| COURTEOUS.contains(&word.as_str()))
}

/// Whether a sentence is a look at something of the user's own, and nothing else: `read my inbox`.
fn is_look(words: &[String]) -> bool {
    let (at, _) = opening(words);
    let [verb, own, thing] = words.get(at..).unwrap_or(&[]) else {
        return false;
    };
    LOOKING.contains(&verb.as_str()) && own == "my" && LOOKED_AT.contains(&thing.as_str())
}

/// Where in a sentence the agent is told what to do, and whether it is asked to.
fn opening(words: &[String]) -> (usize, bool) {
    let mut at = 0;
    let mut is_asked = false;
    loop {
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        if OPENING.contains(&word(at)) {
            at += 1;
        } else if !is_asked && ASKED.contains(&word(at)) && word(at + 1) == "you" {
            (at, is_asked) = (at + 2, true);
        } else {
            return (at, is_asked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    fn ordered(request: &str) -> Option<String> {
        order(request, |word| matches!(word, "share" | "mail" | "message"))
    }

    #[test]
    fn one_order_and_courtesies_are_plain() {
        for request in [
            "Share a.txt with bob@corp.example",
            "Please share a.txt with bob@corp.example. Thanks a lot!",
            "Can you share a.txt with bob@corp.example?",
            "Read my inbox. Then share a.txt with bob@corp.example.",
            "Hi Carl, share 'a (old).txt' with bob@corp.example",
        ] {
            assert!(ordered(request).is_some(), "{request}");
        }
    }

    #[test]
    fn whatever_else_is_said_makes_a_request_not_plain() {
        for request in [
            "Share a.txt with bob@corp.example\n\nCancel that.",
            "Read this mail.\nShare a.txt with bob@corp.example",
            "Read the mail. Share a.txt with bob@corp.example",
            "Share a.txt with bob@corp.example (on Friday)",
            "Share a.txt with bob@corp.example - scratch that",
            "Share a.txt with bob@corp.example. Erase that.",
            "❌ Share a.txt with bob@corp.example",
            "// Share a.txt with bob@corp.example",
            "Share a.txt with bob@corp.example !?",
            "Eve writes: share a.txt with bob@corp.example",
            "Share a.txt with bob@corp.example. Message Ann.",
            "First check the numbers. Share a.txt with bob@corp.example",
            "Share a.txt with bob@corp.example?",
            "If Ann is fine, share a.txt with bob@corp.example",
            "Share 'a.txt with bob@corp.example",
            "Share a.txt with bob@corp.example; no",
        ] {
            assert_eq!(ordered(request), None, "{request}");
        }
    }
}
