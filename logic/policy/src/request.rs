//! What the user's words ask for: which tools an honest reader would expect to be used.
//!
//! A plan that nobody had to write. It is made by rules from the user's newest words and the tools'
//! own names, before any result is in view, and no model and no outside text has a part in it. A
//! tool is asked for when an order in the user's words names its deed and the words name the kind
//! of thing that it deals with. What stands in quotes is content and orders nothing.

use domain::tool::{EffectClass, ToolName, ToolSpec};
use std::collections::BTreeSet;

/// Most words of a request that are looked at.
const WORDS: usize = 20_000;
/// How many words before an order may take it back: `do not send`.
const NEGATION_WORDS: usize = 4;
/// How many words may stand between following something and what is followed.
const DELEGATION_WORDS: usize = 6;

/// A deed: the orders by which people ask for it, and the words by which tools are named after it.
struct Deed {
    orders: &'static [&'static str],
    names: &'static [&'static str],
    /// Whether the order alone says what is meant, whatever the thing.
    is_specific: bool,
}

const fn deed(
    orders: &'static [&'static str],
    names: &'static [&'static str],
    is_specific: bool,
) -> Deed {
    Deed {
        orders,
        names,
        is_specific,
    }
}

/// English only, as function words are.
const DEEDS: [Deed; 24] = [
    deed(
        &[
            "send", "write", "tell", "message", "mail", "email", "e-mail", "notify", "inform",
            "forward", "post", "reply", "respond", "answer", "dm", "text", "ping", "publish",
            "announce", "share",
        ],
        &[
            "send", "write", "reply", "post", "message", "notify", "forward", "email", "mail",
            "respond", "publish", "dm", "text", "submit", "announce", "compose",
        ],
        false,
    ),
    deed(
        &[
            "create", "add", "make", "schedule", "book", "plan", "put", "open", "insert", "file",
            "set", "start", "remind",
        ],
        &[
            "create", "add", "make", "schedule", "insert", "new", "open", "book", "set",
        ],
        false,
    ),
    deed(
        &[
            "add", "append", "put", "insert", "include", "write", "note", "enter",
        ],
        &["append", "add", "insert", "put", "extend"],
        false,
    ),
    deed(&["invite", "add"], &["invite"], false),
    deed(
        &[
            "remove",
            "delete",
            "erase",
            "wipe",
            "trash",
            "discard",
            "cancel",
            "drop",
            "kick",
            "clear",
            "unsubscribe",
        ],
        &[
            "remove",
            "delete",
            "erase",
            "wipe",
            "trash",
            "discard",
            "cancel",
            "drop",
            "kick",
            "clear",
            "unsubscribe",
        ],
        false,
    ),
    deed(
        &[
            "update", "change", "edit", "modify", "adjust", "set", "correct", "fix", "replace",
            "rename",
        ],
        &[
            "update", "change", "edit", "modify", "adjust", "set", "replace", "rename", "patch",
        ],
        false,
    ),
    deed(
        &["reschedule", "postpone", "move", "shift", "push"],
        &["reschedule", "postpone", "move", "shift"],
        false,
    ),
    deed(
        &["share", "give", "grant", "send"],
        &["share", "grant"],
        false,
    ),
    deed(
        &[
            "pay",
            "refund",
            "reimburse",
            "transfer",
            "wire",
            "settle",
            "remit",
            "repay",
        ],
        &[
            "pay", "payment", "money", "transfer", "wire", "refund", "remit",
        ],
        true,
    ),
    deed(&["send", "return"], &["money"], false),
    deed(
        &["buy", "purchase", "order"],
        &["buy", "purchase", "order", "checkout"],
        false,
    ),
    deed(
        &["book", "reserve", "make", "rent"],
        &["book", "reserve", "rent"],
        false,
    ),
    deed(&["schedule", "set"], &["schedule"], false),
    deed(
        &[
            "read",
            "visit",
            "open",
            "fetch",
            "summarize",
            "summarise",
            "browse",
            "check",
            "look",
            "see",
            "find",
            "get",
            "review",
            "show",
            "list",
            "load",
            "download",
        ],
        &[
            "get", "fetch", "read", "open", "visit", "browse", "load", "download", "navigate",
            "view",
        ],
        false,
    ),
    deed(&["accept", "confirm"], &["accept", "confirm"], false),
    deed(
        &["decline", "reject", "refuse"],
        &["decline", "reject"],
        false,
    ),
    deed(&["approve"], &["approve"], false),
    deed(
        &["mark", "tick", "complete", "finish", "check"],
        &["mark", "complete", "finish"],
        false,
    ),
    deed(&["archive", "file"], &["archive"], false),
    deed(
        &["copy", "duplicate"],
        &["copy", "duplicate", "clone"],
        false,
    ),
    deed(&["upload", "attach"], &["upload", "attach"], false),
    deed(
        &["comment", "remark", "reply", "answer"],
        &["comment"],
        false,
    ),
    deed(
        &["close", "resolve", "merge"],
        &["close", "resolve", "merge"],
        false,
    ),
    deed(
        &[
            "assign", "label", "tag", "turn", "switch", "lock", "unlock", "start", "stop", "run",
            "play", "restart", "enable", "disable",
        ],
        &[
            "assign", "label", "tag", "turn", "switch", "lock", "unlock", "start", "stop", "run",
            "play", "restart", "enable", "disable",
        ],
        false,
    ),
];

/// Things that tools deal with, a line a thing, by words that point at it.
const THINGS: [&[&str]; 24] = [
    &[
        "email",
        "mail",
        "mailbox",
        "inbox",
        "message",
        "letter",
        "recipient",
    ],
    &[
        "calendar",
        "event",
        "appointment",
        "meeting",
        "dinner",
        "lunch",
        "breakfast",
        "reminder",
        "participant",
        "guest",
        "attendee",
        "trip",
        "check-up",
        "visit",
        "call",
    ],
    &[
        "file",
        "document",
        "doc",
        "drive",
        "docx",
        "xlsx",
        "pdf",
        "txt",
        "list",
        "spreadsheet",
        "note",
    ],
    &[
        "channel",
        "slack",
        "chat",
        "dm",
        "direct",
        "message",
        "user",
        "member",
        "team",
        "workspace",
        "everybody",
        "everyone",
    ],
    &[
        "web", "webpage", "website", "page", "site", "url", "link", "article", "blog", "www",
    ],
    &[
        "money",
        "payment",
        "bill",
        "rent",
        "invoice",
        "account",
        "iban",
        "amount",
        "transaction",
        "euro",
        "dollar",
        "refund",
        "order",
        "standing",
        "fee",
        "difference",
        "price",
        "cost",
    ],
    &["hotel", "room", "stay", "accommodation", "reservation"],
    &["restaurant", "table", "dinner", "lunch", "reservation"],
    &["car", "rental", "vehicle"],
    &["flight", "plane", "ticket"],
    &[
        "user",
        "member",
        "people",
        "person",
        "colleague",
        "slack",
        "team",
    ],
    &["contact", "phone", "address", "number"],
    &[
        "info",
        "information",
        "profile",
        "account",
        "address",
        "name",
        "street",
        "city",
    ],
    &["password", "passcode", "login"],
    &["task", "todo", "to-do", "chore", "item", "list"],
    &["issue", "bug", "ticket", "defect"],
    &["repository", "repo", "branch", "commit", "code"],
    &["pull", "pr", "merge", "review"],
    &["folder", "directory"],
    &["product", "cart", "item", "order", "shop"],
    &[
        "light",
        "lamp",
        "thermostat",
        "temperature",
        "door",
        "blind",
        "device",
        "vacuum",
        "scene",
    ],
    &["song", "music", "playlist", "track", "album"],
    &["record", "row", "entry", "table", "database"],
    &[
        "job",
        "build",
        "pipeline",
        "server",
        "service",
        "container",
        "deployment",
        "machine",
    ],
];

/// Words before a noun: what follows is no order.
const DETERMINERS: [&str; 33] = [
    "the", "a", "an", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our",
    "their", "any", "some", "each", "every", "no", "which", "what", "of", "with", "for", "by",
    "in", "on", "from", "at", "whose", "last", "next", "new",
];
/// Orders by which the agent itself is to answer: `tell me`.
const TELLING: [&str; 13] = [
    "tell", "send", "write", "give", "message", "text", "answer", "inform", "email", "mail",
    "ping", "notify", "forward",
];
/// Words that take an order back.
const NEGATIONS: [&str; 12] = [
    "not",
    "don't",
    "don’t",
    "dont",
    "never",
    "without",
    "avoid",
    "shouldn't",
    "mustn't",
    "won't",
    "stop",
    "rather",
];
/// Words that undo a negation: `do not forget to send`.
const REMINDERS: [&str; 5] = ["forget", "hesitate", "fail", "only", "just"];
/// Orders to do what a text says, and what such a text is called.
const FOLLOWING: [&str; 8] = [
    "follow",
    "do",
    "perform",
    "execute",
    "complete",
    "carry",
    "implement",
    "work",
];
const FOLLOWED: [&str; 9] = [
    "instructions",
    "actions",
    "tasks",
    "todos",
    "todo",
    "steps",
    "directions",
    "items",
    "task",
];

/// What a request asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requested {
    tools: BTreeSet<ToolName>,
    is_delegated: bool,
}

impl Requested {
    /// Reads a request. `tools`: every tool that there is.
    #[must_use]
    pub fn of<'a>(request: &str, tools: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let words = words_of(&without_quotes(request));
        let orders: BTreeSet<&str> = (0..words.len())
            .filter(|at| is_order(&words, *at))
            .map(|at| words[at].as_str())
            .collect();
        let things = things_of(words.iter().map(String::as_str));
        let asked = tools
            .into_iter()
            .filter(|tool| is_asked(tool, &orders, &things, &words));
        Self {
            tools: asked.map(|tool| tool.definition.name.clone()).collect(),
            is_delegated: is_delegated(&words),
        }
    }

    /// Whether the request asks for the tool.
    #[must_use]
    pub fn asks_for(&self, tool: &ToolName) -> bool {
        self.tools.contains(tool)
    }

    /// Whether the request says to do what some text says: what that is, the user does not know
    /// yet, and is asked about each part.
    #[must_use]
    pub const fn is_delegated(&self) -> bool {
        self.is_delegated
    }
}

fn is_asked(
    tool: &ToolSpec,
    orders: &BTreeSet<&str>,
    things: &BTreeSet<usize>,
    words: &[String],
) -> bool {
    if matches!(tool.effect, EffectClass::Read | EffectClass::SelfWrite) {
        return false;
    }
    let name = words_of(&spaced(tool.definition.name.as_str()));
    let objects: Vec<&str> = name
        .iter()
        .map(String::as_str)
        .filter(|word| !is_verb(word))
        .collect();
    let capability = words_of(&spaced(&tool.capability));
    let own = things_of(
        objects
            .iter()
            .copied()
            .chain(capability.iter().map(String::as_str)),
    );
    let is_named = objects
        .iter()
        .any(|object| words.iter().any(|word| is_same(word, object)));
    let is_about = objects.is_empty() || is_named || own.intersection(things).next().is_some();
    DEEDS.iter().any(|deed| {
        let is_of_tool = name.iter().any(|word| deed.names.contains(&word.as_str()));
        let is_ordered = deed.orders.iter().any(|order| orders.contains(order));
        is_of_tool && is_ordered && (deed.is_specific || is_about)
    })
}

fn is_verb(word: &str) -> bool {
    DEEDS
        .iter()
        .any(|deed| deed.names.contains(&word) && word != "money" && word != "payment")
}

fn is_order(words: &[String], at: usize) -> bool {
    let Some(word) = words.get(at) else {
        return false;
    };
    if !DEEDS
        .iter()
        .any(|deed| deed.orders.contains(&word.as_str()))
    {
        return false;
    }
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    if before.is_some_and(|before| DETERMINERS.contains(&before.as_str())) {
        return false;
    }
    let after = words.get(at + 1).map_or("", String::as_str);
    if TELLING.contains(&word.as_str()) && matches!(after, "me" | "us") {
        return false;
    }
    let start = at.saturating_sub(NEGATION_WORDS);
    let near = words.get(start..at).unwrap_or(&[]);
    let mut near = near.iter().map(String::as_str);
    let has = |list: &[&str], word: &str| list.contains(&word);
    let negated = near.clone().any(|word| has(&NEGATIONS, word));
    !negated || near.any(|word| has(&REMINDERS, word))
}

fn is_delegated(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let ahead = words.iter().skip(at + 1).take(DELEGATION_WORDS);
        FOLLOWING.contains(&word.as_str())
            && ahead
                .into_iter()
                .any(|word| FOLLOWED.contains(&word.as_str()))
    })
}

fn things_of<'a>(words: impl Iterator<Item = &'a str>) -> BTreeSet<usize> {
    let lines = words.flat_map(|word| {
        let lines = THINGS.iter().enumerate();
        let lines = lines.filter(move |(_, line)| line.iter().any(|thing| is_same(word, thing)));
        lines.map(|(line, _)| line)
    });
    lines.collect()
}

/// Whether two words are the same, but for a plural.
fn is_same(word: &str, other: &str) -> bool {
    let singular = |word: &str| {
        let word = word.strip_suffix("'s").unwrap_or(word).to_owned();
        match word.strip_suffix('s') {
            Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
            _ => word,
        }
    };
    singular(word) == singular(other)
}

/// A name's parts as words: `sendDirect_message` as `send Direct message`.
fn spaced(name: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            out.push(' ');
        }
        was_lower = c.is_lowercase();
        out.push(if matches!(c, '_' | '-' | '.') { ' ' } else { c });
    }
    out
}

fn words_of(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-');
    let words = text
        .split(|c: char| !is_part(c))
        .filter(|word| !word.is_empty());
    let words = words.map(|word| word.trim_matches(['\'', '’', '-']).to_lowercase());
    words.filter(|word| !word.is_empty()).take(WORDS).collect()
}

/// A request without what it has in quotes.
fn without_quotes(text: &str) -> String {
    let mut rest = String::new();
    let mut from = 0;
    for quote in crate::flow::quoted(text) {
        rest.push_str(text.get(from..quote.start).unwrap_or(""));
        rest.push(' ');
        from = quote.end;
    }
    rest.push_str(text.get(from..).unwrap_or(""));
    rest
}
