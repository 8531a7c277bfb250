//! What an argument is for, from its name, type and description. Unsure means target.

use super::words::name_words;
use domain::tool::{ArgumentRole, EffectClass, TargetKind};
use serde_json::Value;

/// A guessed argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedArgument {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: ArgumentRole,
    /// What it names, when it is a target.
    pub names: Option<TargetKind>,
    /// Why, in a few words.
    pub reason: String,
}

/// What a schema admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Number,
    Choice,
    Other,
}

/// Names of what must not be handed to a model at all.
const SECRETS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "credential",
    "credentials",
    "pin",
    "otp",
    "cvv",
    "cvc",
];

/// Names of what says where to run, and what.
const PROGRAMS: [&str; 14] = [
    "command",
    "commands",
    "cmd",
    "script",
    "shell",
    "sql",
    "code",
    "argv",
    "program",
    "expression",
    "javascript",
    "python",
    "function",
    "bash",
];

/// Names of addresses that a tool opens.
const URLS: [&str; 11] = [
    "url", "urls", "uri", "href", "link", "links", "webhook", "endpoint", "website", "host",
    "hostname",
];

/// Names of places in a file system.
const PATHS: [&str; 14] = [
    "path",
    "paths",
    "filepath",
    "file",
    "files",
    "filename",
    "dir",
    "directory",
    "folder",
    "filenames",
    "pathname",
    "cwd",
    "directories",
    "folders",
];

/// Names of people and places that learn what is sent.
pub(super) const RECIPIENTS: [&str; 21] = [
    "recipient",
    "recipients",
    "to",
    "cc",
    "bcc",
    "email",
    "emails",
    "participants",
    "attendees",
    "guests",
    "invitees",
    "invitee",
    "phone",
    "channel",
    "channels",
    "mention",
    "mentions",
    "audience",
    "subscriber",
    "subscribers",
    "chat",
];

/// Names of other things that an effect lands on.
const THINGS: [&str; 83] = [
    "id",
    "ids",
    "uuid",
    "guid",
    "key",
    "keys",
    "iban",
    "account",
    "accounts",
    "user",
    "users",
    "username",
    "member",
    "members",
    "assignee",
    "assignees",
    "owner",
    "org",
    "organization",
    "organisation",
    "project",
    "repo",
    "repository",
    "branch",
    "ref",
    "sha",
    "table",
    "database",
    "db",
    "bucket",
    "collection",
    "namespace",
    "cluster",
    "resource",
    "target",
    "destination",
    "dest",
    "source",
    "from",
    "sender",
    "room",
    "thread",
    "group",
    "team",
    "workspace",
    "site",
    "domain",
    "server",
    "node",
    "pod",
    "container",
    "image",
    "volume",
    "service",
    "device",
    "entity",
    "entities",
    "calendar",
    "event",
    "document",
    "doc",
    "sheet",
    "ticket",
    "issue",
    "payee",
    "beneficiary",
    "wallet",
    "card",
    "customer",
    "vendor",
    "merchant",
    "address",
    "addresses",
    "name",
    "names",
    "slug",
    "package",
    "packages",
    "selector",
    "base",
    "ip",
    "recipient_name",
    "handle",
];

/// Names of content.
const CONTENTS: [&str; 51] = [
    "body",
    "content",
    "contents",
    "message",
    "messages",
    "subject",
    "title",
    "text",
    "description",
    "comment",
    "comments",
    "note",
    "notes",
    "caption",
    "summary",
    "query",
    "queries",
    "q",
    "search",
    "keyword",
    "keywords",
    "prompt",
    "question",
    "html",
    "markdown",
    "data",
    "payload",
    "value",
    "values",
    "reason",
    "bio",
    "attachments",
    "blocks",
    "observation",
    "observations",
    "thought",
    "input",
    "answer",
    "reply",
    "term",
    "terms",
    "pattern",
    "filter",
    "filters",
    "headline",
    "memo",
    "feedback",
    "topic",
    "location",
    "edits",
    "texts",
];

/// Names of mails, by which also addresses are called.
const MAILS: [&str; 4] = ["email", "emails", "mail", "mails"];

/// Names of how much is paid.
const AMOUNTS: [&str; 5] = ["amount", "price", "total", "sum", "cost"];

/// Names of things that go along with what is sent.
const ATTACHED: [&str; 4] = ["attachment", "attachments", "attach", "enclosure"];

/// Names of what only tunes a call.
const KNOBS: [&str; 50] = [
    "limit",
    "offset",
    "page",
    "cursor",
    "sort",
    "order",
    "lang",
    "language",
    "locale",
    "currency",
    "unit",
    "units",
    "timezone",
    "tz",
    "date",
    "time",
    "day",
    "month",
    "year",
    "start",
    "end",
    "since",
    "until",
    "before",
    "after",
    "duration",
    "format",
    "encoding",
    "priority",
    "color",
    "colour",
    "size",
    "width",
    "height",
    "depth",
    "count",
    "max",
    "min",
    "timeout",
    "interval",
    "recurring",
    "amount",
    "quantity",
    "verbose",
    "dry",
    "mode",
    "type",
    "status",
    "n",
    "top",
];

/// Guesses what each argument of a schema is for.
pub(super) fn arguments(schema: &Value, effect: EffectClass) -> Vec<ProposedArgument> {
    let listed = schema.get("properties").and_then(Value::as_object);
    listed
        .into_iter()
        .flatten()
        .map(|(name, part)| argument(name, part, schema, effect))
        .collect()
}

/// Whether an argument's name holds a program to run.
pub(super) fn is_program(name: &str, part: &Value) -> bool {
    let words = name_words(name);
    if !words.iter().any(|word| PROGRAMS.contains(&word.as_str())) {
        return false;
    }
    // `country_code` and the like are no programs.
    let is_code = words
        .iter()
        .all(|word| !PROGRAMS.contains(&word.as_str()) || word == "code");
    !is_code || (words.len() == 1 && !mentions(part, &CODES_OF_OTHER_THINGS))
}

const CODES_OF_OTHER_THINGS: [&str; 13] = [
    "country",
    "currency",
    "zip",
    "postal",
    "language",
    "iso",
    "error",
    "status",
    "coupon",
    "promo",
    "verification",
    "area",
    "airport",
];

/// Whether an argument is an address that is opened.
pub(super) fn is_url(name: &str, part: &Value) -> bool {
    let words = name_words(name);
    let is_named = words
        .last()
        .is_some_and(|word| URLS.contains(&word.as_str()));
    let format = part.get("format").and_then(Value::as_str);
    is_named || format.is_some_and(|format| ["uri", "url", "hostname", "iri"].contains(&format))
}

/// Whether an argument names who learns something.
pub(super) fn is_recipient(name: &str) -> bool {
    let words = name_words(name);
    // The id of a mail is nobody.
    if Words(words.clone()).are_an_id() && words.iter().any(|word| MAILS.contains(&word.as_str())) {
        return false;
    }
    let last = words
        .iter()
        .rev()
        .find(|w| !["id", "ids", "address", "addresses", "name", "number"].contains(&w.as_str()));
    last.is_some_and(|word| RECIPIENTS.contains(&word.as_str()))
}

fn mentions(part: &Value, needles: &[&str]) -> bool {
    let text = part.get("description").and_then(Value::as_str);
    let text = text.unwrap_or_default().to_lowercase();
    needles.iter().any(|needle| text.contains(needle))
}

fn argument(name: &str, part: &Value, root: &Value, effect: EffectClass) -> ProposedArgument {
    let (role, names, reason) = judged(name, part, root, effect);
    ProposedArgument {
        name: name.to_owned(),
        role,
        names,
        reason: reason.to_owned(),
    }
}

type Judgement = (ArgumentRole, Option<TargetKind>, &'static str);

fn target(kind: TargetKind, reason: &'static str) -> Judgement {
    (ArgumentRole::Target, Some(kind), reason)
}

/// The words of an argument's name.
struct Words(Vec<String>);

impl Words {
    fn end_in(&self, list: &[&str]) -> bool {
        let last = self.0.last();
        last.is_some_and(|word| list.contains(&word.as_str()))
    }

    fn have(&self, list: &[&str]) -> bool {
        self.0.iter().any(|word| list.contains(&word.as_str()))
    }

    fn are_an_id(&self) -> bool {
        let is_numbered = self.end_in(&["number", "no"]) && self.0.len() > 1;
        is_numbered || self.end_in(&["id", "ids", "uuid", "guid", "iban", "pid", "key", "account"])
    }
}

/// By what the schema admits, and by names that leave no doubt.
fn judged(name: &str, part: &Value, root: &Value, effect: EffectClass) -> Judgement {
    let words = Words(name_words(name));
    let kind = kind(part, root, SCHEMA_LEVELS);
    let tells_others = effect == EffectClass::Egress && !is_recipient(name);
    let is_key = words.have(&["api", "access", "private"]) && words.end_in(&["key"]);
    if kind == Kind::Boolean {
        return (ArgumentRole::Knob, None, "yes or no");
    }
    if words.have(&SECRETS) || is_key {
        let advice = "looks like a secret: better {role: secret, secret: NAME}";
        return target(TargetKind::Other, advice);
    }
    if kind == Kind::Choice {
        return (ArgumentRole::Knob, None, "one of a few words");
    }
    if is_program(name, part) {
        return target(TargetKind::Other, "what is run");
    }
    if is_url(name, part) {
        return target(TargetKind::Url, "an address that is opened");
    }
    if tells_others && (words.are_an_id() || words.have(&ATTACHED)) {
        return (ArgumentRole::Selector, None, "what others get to see");
    }
    if words.are_an_id() {
        return target(TargetKind::Other, "an id");
    }
    let is_amount = kind == Kind::Number || words.have(&AMOUNTS);
    if is_amount && effect == EffectClass::Money {
        return target(TargetKind::Other, "how much");
    }
    if kind == Kind::Number {
        return (ArgumentRole::Knob, None, "a number");
    }
    if is_recipient(name) || part.get("format").is_some_and(|format| format == "email") {
        return target(TargetKind::Other, "who it goes to");
    }
    judged_by_words(&words, part, effect)
}

/// Phrases of a description that make an argument a target.
const NAMING: [&str; 6] = [
    "email address",
    "iban",
    "id of",
    "ids of",
    "url of",
    "path to",
];

/// By what is left: paths, times, things, content.
fn judged_by_words(words: &Words, part: &Value, effect: EffectClass) -> Judgement {
    if words.end_in(&PATHS) {
        // What is sent is read first; where it is named by a place, it may be written there.
        let is_sent = effect == EffectClass::Egress && words.end_in(&["file", "files"]);
        let kind = match effect {
            EffectClass::Read => TargetKind::ReadPath,
            _ if is_sent => TargetKind::ReadPath,
            _ => TargetKind::WritePath,
        };
        return target(kind, "a path; if not on this machine, write names: other");
    }
    let format = part.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| ["date", "date-time", "time", "duration"].contains(&format)) {
        return (ArgumentRole::Knob, None, "a time");
    }
    if words.end_in(&THINGS) || mentions(part, &NAMING) {
        return target(TargetKind::Other, "what it lands on");
    }
    if words.end_in(&CONTENTS) {
        return (ArgumentRole::Payload, None, "content");
    }
    if words.have(&KNOBS) {
        return (ArgumentRole::Knob, None, "tunes the call");
    }
    target(TargetKind::Other, "unknown, so the stricter")
}

/// Most choices looked at in one place.
const SCHEMA_CHOICES: usize = 16;

/// Most references and choices followed into a schema: one that leads to itself has no end.
const SCHEMA_LEVELS: usize = 4;

/// What a part of a schema admits; `null` beside something else is left out.
fn kind(part: &Value, root: &Value, levels: usize) -> Kind {
    if part.get("enum").is_some() || part.get("const").is_some() {
        return Kind::Choice;
    }
    let Some(below) = levels.checked_sub(1) else {
        return Kind::Other;
    };
    if let Some(name) = part.get("$ref").and_then(Value::as_str) {
        let found = name.strip_prefix('#').and_then(|path| root.pointer(path));
        return found.map_or(Kind::Other, |found| kind(found, root, below));
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = part.get(word) {
            let mut kinds: Vec<Kind> = choices
                .iter()
                .filter(|choice| choice.get("type").is_none_or(|t| t != "null"))
                .take(SCHEMA_CHOICES)
                .map(|choice| kind(choice, root, below))
                .collect();
            kinds.dedup();
            return match kinds.as_slice() {
                [one] if choices.len() <= SCHEMA_CHOICES => *one,
                _ => Kind::Other,
            };
        }
    }
    let types: Vec<&str> = match part.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(many)) => many
            .iter()
            .filter_map(Value::as_str)
            .filter(|t| *t != "null")
            .collect(),
        _ => Vec::new(),
    };
    match types.as_slice() {
        ["boolean"] => Kind::Boolean,
        [one] if ["number", "integer"].contains(one) => Kind::Number,
        ["array"] => part
            .get("items")
            .filter(|items| items.get("type").is_none_or(|t| t != "array"))
            .map_or(Kind::Other, |items| match kind_of_items(items) {
                Kind::Boolean => Kind::Number,
                other => other,
            }),
        _ => Kind::Other,
    }
}

fn kind_of_items(items: &Value) -> Kind {
    if items.get("enum").is_some() {
        return Kind::Choice;
    }
    match items.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => Kind::Number,
        Some("boolean") => Kind::Boolean,
        _ => Kind::Other,
    }
}
