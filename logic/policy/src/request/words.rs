//! The words by which people ask for deeds and speak of things. English only.

/// A deed: the orders by which people ask for it, and the words by which tools are named after it.
pub(super) struct Deed {
    pub(super) orders: &'static [&'static str],
    pub(super) names: &'static [&'static str],
    pub(super) scope: Scope,
}

/// What a request has to say beside the order for the order to mean a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Nothing: the order alone says what is meant.
    Any,
    /// A word for the kind of thing that the tool deals with.
    About,
    /// A word of the tool's name.
    Named,
}

const fn deed(
    orders: &'static [&'static str],
    names: &'static [&'static str],
    scope: Scope,
) -> Deed {
    Deed {
        orders,
        names,
        scope,
    }
}

/// English only, as function words are.
pub(super) const DEEDS: [Deed; 26] = [
    deed(
        &[
            "send", "write", "tell", "message", "mail", "email", "e-mail", "notify", "inform",
            "forward", "post", "reply", "respond", "answer", "dm", "text", "ping", "publish",
            "announce", "share", "greet", "thank", "ask", "leave",
        ],
        &[
            "send", "write", "reply", "post", "message", "notify", "forward", "email", "mail",
            "respond", "publish", "dm", "text", "submit", "announce", "compose",
        ],
        Scope::About,
    ),
    deed(
        &[
            "create", "add", "make", "schedule", "book", "plan", "put", "open", "insert", "file",
            "set", "start", "remind",
        ],
        &[
            "create", "add", "make", "schedule", "insert", "new", "open", "book", "set",
        ],
        Scope::About,
    ),
    deed(
        &[
            "add", "append", "put", "insert", "include", "write", "note", "enter",
        ],
        &["append", "add", "insert", "put", "extend"],
        Scope::About,
    ),
    deed(&["invite"], &["invite"], Scope::Any),
    deed(&["add", "give", "grant", "let"], &["invite"], Scope::About),
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
        Scope::About,
    ),
    deed(
        &[
            "update", "change", "edit", "modify", "adjust", "set", "correct", "fix", "replace",
            "rename", "close", "reopen", "assign", "label", "hand", "give", "mark", "take",
        ],
        &[
            "update", "change", "edit", "modify", "adjust", "set", "replace", "rename", "patch",
        ],
        Scope::About,
    ),
    deed(
        &["reschedule", "postpone", "move", "shift", "push"],
        &["reschedule", "postpone", "move", "shift"],
        Scope::About,
    ),
    deed(
        &["share", "give", "grant", "send"],
        &["share", "grant"],
        Scope::About,
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
        Scope::Any,
    ),
    deed(&["send", "return"], &["money"], Scope::About),
    deed(
        &["buy", "purchase", "order", "give", "get", "reorder"],
        &["buy", "purchase", "order", "checkout"],
        Scope::About,
    ),
    deed(
        &["book", "reserve", "make", "rent"],
        &["book", "reserve", "rent"],
        Scope::About,
    ),
    deed(&["schedule", "set"], &["schedule"], Scope::About),
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
        Scope::About,
    ),
    deed(&["accept", "confirm"], &["accept", "confirm"], Scope::About),
    deed(
        &["decline", "reject", "refuse"],
        &["decline", "reject"],
        Scope::About,
    ),
    deed(&["approve"], &["approve"], Scope::About),
    deed(
        &["mark", "tick", "complete", "finish", "check"],
        &["mark", "complete", "finish"],
        Scope::About,
    ),
    deed(&["archive", "file"], &["archive"], Scope::About),
    deed(
        &["copy", "duplicate"],
        &["copy", "duplicate", "clone"],
        Scope::About,
    ),
    deed(&["upload", "attach"], &["upload", "attach"], Scope::About),
    deed(
        &[
            "comment", "remark", "reply", "answer", "leave", "greet", "write", "tell", "say", "ask",
        ],
        &["comment"],
        Scope::About,
    ),
    deed(
        &["close", "resolve", "merge"],
        &["close", "resolve", "merge"],
        Scope::About,
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
        Scope::About,
    ),
    // What edits a thing also adds to it, and makes it where there is none.
    deed(
        &[
            "add", "append", "insert", "put", "make", "create", "write", "extend",
        ],
        &["edit", "update", "modify"],
        Scope::Named,
    ),
];

/// Things that tools deal with, a line a thing, by words that point at it.
pub(super) const THINGS: [&[&str]; 24] = [
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

/// Orders that say more of what was ordered before: `add Bob to it`.
pub(super) const COMPLEMENTS: [&str; 12] = [
    "add", "include", "invite", "use", "set", "put", "make", "give", "attach", "mark", "leave",
    "enter",
];
/// Words after a noun that looks like an order: `mail from bob`.
pub(super) const AFTER_A_NOUN: [&str; 8] =
    ["from", "of", "by", "says", "said", "is", "was", "about"];
/// Words by which somebody else's words begin.
pub(super) const REPORTING: [&str; 10] = [
    "says", "said", "say", "wrote", "writes", "asks", "asked", "told", "reads", "tells",
];
/// Orders to do what a text says, and what such a text is called.
pub(super) const FOLLOWING: [&str; 8] = [
    "follow",
    "do",
    "perform",
    "execute",
    "complete",
    "carry",
    "implement",
    "work",
];
pub(super) const FOLLOWED: [&str; 9] = [
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
/// Verbs by which the agent itself is told to work. A tool that is named after one of them is not
/// meant by the verb alone.
pub(super) const OF_THE_AGENT: [&str; 16] = [
    "return",
    "report",
    "search",
    "compare",
    "count",
    "translate",
    "calculate",
    "analyse",
    "analyze",
    "describe",
    "explain",
    "convert",
    "extract",
    "generate",
    "print",
    "test",
];
/// Verbs that take a person: who is told something is told it by a message.
pub(super) const TELLING_SOMEBODY: [&str; 7] = [
    "tell", "notify", "inform", "thank", "greet", "remind", "ask",
];
/// Verbs that take a person or a text.
pub(super) const TELLING_ANYTHING: [&str; 9] = [
    "write", "answer", "message", "mail", "email", "text", "ping", "dm", "reply",
];
/// What is no person behind a verb of telling.
pub(super) const NO_PERSON: [&str; 34] = [
    "me", "us", "you", "it", "this", "that", "these", "those", "if", "whether", "how", "what",
    "why", "when", "where", "which", "who", "about", "of", "for", "from", "in", "on", "at", "by",
    "with", "a", "an", "the", "my", "our", "your", "all", ",",
];
/// Articles, behind which a verb that takes nothing but a person has one.
pub(super) const ARTICLES: [&str; 5] = ["a", "the", "my", "our", "all"];
/// Orders by which the agent itself is to answer: `tell me`.
pub(super) const TELLING: [&str; 13] = [
    "tell", "send", "write", "give", "message", "text", "answer", "inform", "email", "mail",
    "ping", "notify", "forward",
];
