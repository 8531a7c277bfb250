//! Words: cutting names into them, knowing a verb in its forms, and what verbs do.

use domain::tool::EffectClass;

/// Verbs by what they do. A word in no row says nothing.
const VERBS: [(EffectClass, &[&str]); 8] = [
    (
        EffectClass::Read,
        &[
            "get",
            "list",
            "search",
            "read",
            "fetch",
            "find",
            "show",
            "view",
            "describe",
            "query",
            "lookup",
            "count",
            "check",
            "inspect",
            "summarize",
            "summarise",
            "retrieve",
            "stat",
            "preview",
            "compare",
            "calculate",
            "compute",
            "explain",
            "diff",
            "grep",
            "glob",
            "validate",
            "verify",
            "analyze",
            "analyse",
            "estimate",
            "suggest",
            "return",
            "see",
            "display",
            "browse",
            "head",
            "tail",
            "whoami",
            "is",
            "has",
            "measure",
            "detect",
            "extract",
            "parse",
            "convert",
            "translate",
            "watch",
            "wait",
            "poll",
            "tell",
        ],
    ),
    (
        EffectClass::SelfWrite,
        &["remember", "memorize", "memorise", "journal"],
    ),
    (
        EffectClass::SharedWrite,
        &[
            "create",
            "add",
            "append",
            "write",
            "save",
            "edit",
            "modify",
            "update",
            "insert",
            "upsert",
            "put",
            "patch",
            "rename",
            "move",
            "copy",
            "assign",
            "tag",
            "label",
            "mark",
            "archive",
            "star",
            "pin",
            "close",
            "reopen",
            "resolve",
            "merge",
            "commit",
            "import",
            "sync",
            "schedule",
            "reschedule",
            "draft",
            "fork",
            "restore",
            "replace",
            "complete",
            "attach",
            "link",
            "like",
            "vote",
            "log",
            "record",
            "store",
            "make",
            "snooze",
            "unstar",
            "unpin",
            "unarchive",
            "favorite",
            "bookmark",
            "change",
            "increment",
            "decrement",
            "duplicate",
            "note",
            "sort",
            "highlight",
        ],
    ),
    (
        EffectClass::Egress,
        &[
            "send",
            "post",
            "publish",
            "share",
            "invite",
            "forward",
            "reply",
            "respond",
            "email",
            "mail",
            "message",
            "notify",
            "tweet",
            "retweet",
            "broadcast",
            "submit",
            "upload",
            "push",
            "comment",
            "dm",
            "sms",
            "dial",
            "announce",
            "release",
            "ping",
            "crawl",
            "scrape",
            "navigate",
            "download",
            "request",
            "export",
            "review",
            "contact",
            "apply",
            "transmit",
            "text",
            "report",
            "alert",
            "remind",
            "expose",
            "tunnel",
            "stream",
        ],
    ),
    (
        EffectClass::Config,
        &[
            "set",
            "configure",
            "enable",
            "disable",
            "grant",
            "revoke",
            "allow",
            "deny",
            "block",
            "unblock",
            "register",
            "unregister",
            "authorize",
            "authorise",
            "authenticate",
            "login",
            "logout",
            "connect",
            "disconnect",
            "rotate",
            "protect",
            "unprotect",
            "lock",
            "unlock",
            "mute",
            "unmute",
            "activate",
            "deactivate",
            "promote",
            "demote",
            "upgrade",
            "downgrade",
            "switch",
            "toggle",
            "provision",
            "impersonate",
            "trust",
            "approve",
            "join",
            "leave",
            "follow",
            "unfollow",
            "verify_email",
            "onboard",
            "suspend",
            "elevate",
            "permit",
            "whitelist",
            "allowlist",
            "opt",
        ],
    ),
    (
        EffectClass::Destructive,
        &[
            "delete",
            "remove",
            "cancel",
            "drop",
            "destroy",
            "purge",
            "erase",
            "wipe",
            "truncate",
            "clear",
            "reset",
            "unpublish",
            "kick",
            "ban",
            "discard",
            "prune",
            "empty",
            "trash",
            "overwrite",
            "rollback",
            "revert",
            "kill",
            "terminate",
            "expire",
            "forget",
            "clean",
            "unlink",
            "rm",
            "dismiss",
            "unsubscribe",
            "uninstall",
            "unshare",
            "detach",
            "offboard",
            "reject",
            "decline",
            "flush",
            "shred",
            "nuke",
            "format",
        ],
    ),
    (
        EffectClass::Money,
        &[
            "pay",
            "transfer",
            "buy",
            "book",
            "purchase",
            "order",
            "reorder",
            "checkout",
            "charge",
            "refund",
            "donate",
            "tip",
            "bid",
            "trade",
            "sell",
            "invest",
            "withdraw",
            "deposit",
            "reserve",
            "rent",
            "subscribe",
            "wire",
            "topup",
            "redeem",
            "swap",
            "stake",
            "spend",
            "invoice",
            "bill",
            "remit",
            "lend",
            "borrow",
            "renew",
            "payout",
            "settle",
            "hire",
        ],
    ),
    (
        EffectClass::Exec,
        &[
            "run", "exec", "execute", "eval", "evaluate", "deploy", "invoke", "call", "launch",
            "spawn", "start", "stop", "restart", "build", "compile", "install", "trigger",
            "dispatch", "scale", "boot", "shutdown", "reboot", "simulate", "perform", "script",
            "click", "press", "drag", "fill", "type", "debug", "migrate", "drain", "inject",
        ],
    ),
];

/// Verbs whose plural as a noun looks like their third person: `comments`, `orders`.
const NOUN_LIKE: [&str; 62] = [
    "post", "share", "reply", "email", "mail", "message", "tweet", "comment", "request", "release",
    "order", "book", "charge", "refund", "tip", "bid", "trade", "transfer", "purchase", "invoice",
    "bill", "deposit", "build", "run", "call", "start", "stop", "script", "test", "tag", "label",
    "note", "record", "log", "fork", "commit", "draft", "link", "copy", "change", "report",
    "review", "alert", "text", "import", "export", "block", "lock", "star", "pin", "mark", "like",
    "vote", "update", "download", "upload", "set", "archive", "format", "rent", "wire", "stream",
];

/// Past forms that no rule makes.
const IRREGULAR: [(&str, &str); 22] = [
    ("sent", "send"),
    ("bought", "buy"),
    ("paid", "pay"),
    ("got", "get"),
    ("ran", "run"),
    ("made", "make"),
    ("making", "make"),
    ("wrote", "write"),
    ("written", "write"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("found", "find"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("built", "build"),
    ("told", "tell"),
    ("seen", "see"),
    ("forgotten", "forget"),
    ("overwritten", "overwrite"),
    ("lent", "lend"),
    ("shown", "show"),
    ("left", "leave"),
];

/// A verb that was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verb {
    /// Its base form.
    pub(super) base: &'static str,
    /// What it does.
    pub(super) effect: EffectClass,
    /// Whether the word could as well be a plural noun.
    pub(super) is_plural_noun: bool,
    /// Whether the word is a past participle.
    pub(super) is_past: bool,
}

/// The verb that a lower-case word is a form of.
pub(super) fn verb(word: &str) -> Option<Verb> {
    let irregular = IRREGULAR.iter().find(|(form, _)| *form == word);
    let (word, was_irregular) = irregular.map_or((word, false), |(_, base)| (*base, true));
    for (effect, bases) in VERBS {
        for base in bases {
            if word == *base || is_form(word, base) {
                return Some(Verb {
                    base,
                    effect,
                    is_plural_noun: word != *base
                        && word.ends_with('s')
                        && NOUN_LIKE.contains(base),
                    is_past: was_irregular || (word != *base && word.ends_with("ed")),
                });
            }
        }
    }
    None
}

/// Whether a word is `base` with -s, -es, -ed or -ing, spelled by the common rules.
fn is_form(word: &str, base: &str) -> bool {
    let stem = base.strip_suffix('e').unwrap_or(base);
    let Some(rest) = word.strip_prefix(stem) else {
        return base
            .strip_suffix('y')
            .and_then(|stem| word.strip_prefix(stem))
            .is_some_and(|rest| ["ies", "ied"].contains(&rest));
    };
    if base.ends_with('e') {
        return ["es", "ed", "ing"].contains(&rest);
    }
    let doubled = base.chars().last().and_then(|last| rest.strip_prefix(last));
    ["s", "es", "ed", "ing"].contains(&rest)
        || doubled.is_some_and(|rest| ["ed", "ing"].contains(&rest))
}

/// The lower-case words of a name in snake, kebab, dotted or camel case.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    let chars: Vec<char> = name.chars().collect();
    for (index, c) in chars.iter().copied().enumerate() {
        let next_is_lower = chars.get(index + 1).is_some_and(|n| n.is_lowercase());
        let is_hump = c.is_uppercase()
            && (previous.is_lowercase() || (previous.is_uppercase() && next_is_lower));
        let is_gap = !c.is_alphanumeric();
        if (is_hump || is_gap) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !is_gap {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The sentences of a description, each as its lower-case words. Commas and semicolons become
/// words of their own.
pub(super) fn sentences(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for sentence in text.split(['.', '!', '?', '\n', ':', '(', ')']) {
        let spaced = sentence.replace([',', ';'], " , ").to_lowercase();
        let words: Vec<String> = spaced
            .split_whitespace()
            .map(|word| {
                let is_letter = |c: char| c.is_alphanumeric() || c == ',';
                word.trim_matches(|c: char| !is_letter(c)).to_owned()
            })
            .filter(|word| !word.is_empty())
            .collect();
        if !words.is_empty() {
            all.push(words);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_in_their_forms() {
        for (word, base) in [
            ("send", "send"),
            ("sends", "send"),
            ("sent", "send"),
            ("sending", "send"),
            ("deleted", "delete"),
            ("deleting", "delete"),
            ("dropped", "drop"),
            ("dropping", "drop"),
            ("copies", "copy"),
            ("notified", "notify"),
            ("publishes", "publish"),
            ("pushes", "push"),
            ("cancelled", "cancel"),
            ("paid", "pay"),
        ] {
            assert_eq!(verb(word).map(|v| v.base), Some(base), "{word}");
        }
        for word in [
            "sender", "thing", "setting", "address", "gets_", "payload", "deer",
        ] {
            assert!(
                verb(word).is_none_or(|v| v.base == "set"),
                "{word}: {:?}",
                verb(word)
            );
        }
        assert!(verb("comments").is_some_and(|v| v.is_plural_noun));
        assert!(verb("deletes").is_some_and(|v| !v.is_plural_noun));
        assert!(verb("marked").is_some_and(|v| v.is_past));
    }

    #[test]
    fn no_verb_stands_in_two_rows() {
        let mut seen = std::collections::BTreeSet::new();
        for (_, bases) in VERBS {
            for base in bases {
                assert!(seen.insert(*base), "{base}");
            }
        }
    }

    #[test]
    fn names_come_apart_in_every_case() {
        for (name, words) in [
            ("send_email", vec!["send", "email"]),
            ("sendEmail", vec!["send", "email"]),
            ("API-post-search", vec!["api", "post", "search"]),
            ("getHTTPStatus", vec!["get", "http", "status"]),
            ("fs.read", vec!["fs", "read"]),
            ("", vec![]),
        ] {
            assert_eq!(name_words(name), words, "{name}");
        }
    }
}
