//! The words by which a sentence has one of the forms that are understood. English only.

/// Words that may stand before what the agent is told: `please send`, `then send`.
pub(super) const POLITE: [&str; 21] = [
    "carl",
    "please",
    "kindly",
    "also",
    "then",
    "and",
    "now",
    "next",
    "finally",
    "afterwards",
    "just",
    "first",
    "second",
    "third",
    "lastly",
    "hi",
    "hello",
    "hey",
    "ok",
    "okay",
    ",",
];
/// Openings by which the agent is addressed.
pub(super) const ADDRESSED: [&[&str]; 19] = [
    &["if", "so", ","],
    &["if", "yes", ","],
    &["can", "you"],
    &["could", "you"],
    &["would", "you"],
    &["will", "you"],
    &["i", "need", "you", "to"],
    &["i", "want", "you", "to"],
    &["we", "need", "you", "to"],
    &["i'd", "like", "you", "to"],
    &["i’d", "like", "you", "to"],
    &["i", "would", "like", "you", "to"],
    &["make", "sure", "to"],
    &["be", "sure", "to"],
    &["remember", "to"],
    &["do", "not", "forget", "to"],
    &["don't", "forget", "to"],
    &["don’t", "forget", "to"],
    &["go", "ahead", "and"],
];
/// Words by which a phrase begins that may stand before what the agent is told, up to a comma.
pub(super) const PLACING: [&str; 8] = ["in", "on", "at", "for", "to", "into", "using", "from"];
/// Verbs by which the agent is told to look at something; with [`OF_THE_AGENT`] and those of tools.
pub(super) const LOOKING: [&str; 30] = [
    "read",
    "look",
    "find",
    "check",
    "list",
    "show",
    "get",
    "see",
    "search",
    "visit",
    "open",
    "browse",
    "review",
    "go",
    "use",
    "take",
    "tell",
    "give",
    "pick",
    "choose",
    "select",
    "identify",
    "figure",
    "recommend",
    "suggest",
    "verify",
    "determine",
    "summarize",
    "summarise",
    "let",
];
/// Verbs for what is done with a text, which may stand behind them.
pub(super) const WITH_A_TEXT: [&str; 16] = [
    "summarize",
    "summarise",
    "translate",
    "proofread",
    "rephrase",
    "paraphrase",
    "reword",
    "correct",
    "improve",
    "explain",
    "analyse",
    "analyze",
    "review",
    "shorten",
    "rewrite",
    "polish",
];
/// Words for a text that the user gives.
pub(super) const GIVEN: [&str; 5] = ["this", "these", "following", "below", "it"];
/// Words for a text, or for somebody writing one. What follows a sentence with one of them may be
/// that text.
pub(super) const OF_A_TEXT: [&str; 31] = [
    "following",
    "mail",
    "email",
    "e-mail",
    "message",
    "text",
    "letter",
    "post",
    "comment",
    "draft",
    "says",
    "said",
    "say",
    "writes",
    "wrote",
    "written",
    "asks",
    "asked",
    "got",
    "received",
    "think",
    "this",
    "sms",
    "note",
    "wants",
    "spelling",
    "grammar",
    "scam",
    "spam",
    "phishing",
    "fraud",
];
/// Words by which the part of a sentence begins that says something of what was ordered, or under
/// what condition: they name nothing that an order may land on.
pub(super) const SUBORDINATE: [&str; 39] = [
    "that",
    "because",
    "since",
    "so",
    "who",
    "whom",
    "which",
    "whose",
    "where",
    "why",
    "how",
    "what",
    "whether",
    "while",
    "although",
    "though",
    "as",
    "if",
    "unless",
    "when",
    "whenever",
    "once",
    "after",
    "before",
    "until",
    "till",
    "pending",
    "provided",
    "providing",
    "assuming",
    "saying",
    "stating",
    "telling",
    "asking",
    "about",
    "regarding",
    "but",
    "like",
    "behalf",
];
/// Those of them by which a thing is described.
pub(super) const RELATIVE: [&str; 6] = ["that", "which", "who", "whom", "whose", "where"];
/// Words of what somebody wants, or could do.
pub(super) const WANTING: [&str; 40] = [
    "to",
    "could",
    "would",
    "should",
    "can",
    "may",
    "might",
    "will",
    "must",
    "ask",
    "want",
    "need",
    "needs",
    "needed",
    "suggest",
    "suggests",
    "suggested",
    "propose",
    "proposes",
    "proposed",
    "recommends",
    "recommended",
    "demands",
    "demanded",
    "requests",
    "requested",
    "urges",
    "urged",
    "orders",
    "ordered",
    "instructs",
    "instructed",
    "begs",
    "begged",
    "invites",
    "claims",
    "threatens",
    "we",
    "you",
    "i",
];
/// Those of them by which a condition begins: an order under one is not to be carried out yet.
pub(super) const CONDITIONAL: [&str; 19] = [
    "if",
    "unless",
    "when",
    "whenever",
    "once",
    "after",
    "pending",
    "provided",
    "providing",
    "assuming",
    "given",
    "long",
    "moment",
    "case",
    "okay",
    "consent",
    "blessing",
    "depending",
    "soon",
];
/// Words for a part of what was ordered, behind which its value stands: `her email is …`.
pub(super) const FIELDS: [&str; 26] = [
    "email",
    "e-mail",
    "mail",
    "address",
    "title",
    "subject",
    "name",
    "number",
    "body",
    "text",
    "message",
    "content",
    "description",
    "location",
    "date",
    "time",
    "channel",
    "recipient",
    "recipients",
    "participant",
    "participants",
    "amount",
    "link",
    "iban",
    "event",
    "note",
];
/// How far into a sentence the word for such a part stands at most.
pub(super) const FIELD_WORDS: usize = 4;
/// Words by which a value follows its part.
pub(super) const EQUALS: [&str; 5] = ["is", "are", "be", "should", "must"];
/// Words of what only describes.
pub(super) const PRONOUNS: [&str; 3] = ["it", "this", "they"];
/// Openings of sentences that only help: they order nothing and take nothing back.
pub(super) const HELPING: [&[&str]; 7] = [
    &["you", "can", "find"],
    &["you", "can", "see"],
    &["you", "will", "find"],
    &["note", "that", "you"],
    &["do", "the", "following"],
    &["perform", "the", "following"],
    &["complete", "the", "following"],
];
/// Words of which a courtesy consists.
pub(super) const COURTEOUS: [&str; 24] = [
    "thanks", "thank", "cheers", "great", "perfect", "hi", "hello", "hey", "dear", "good",
    "morning", "carl", "there", "you", "so", "very", "much", "a", "lot", "in", "advance", "again",
    "please", ",",
];
/// Words of a text that somebody else may have written, as what is done with its language is.
pub(super) const OF_WORDING: [&str; 14] = [
    "spelling",
    "grammar",
    "polite",
    "politely",
    "tone",
    "wording",
    "typo",
    "typos",
    "sentence",
    "sentences",
    "words",
    "english",
    "style",
    "phrasing",
];
/// Words by which a sentence on a new line goes on with the request.
pub(super) const GOING_ON: [&str; 7] = [
    "then",
    "also",
    "and",
    "finally",
    "next",
    "afterwards",
    "lastly",
];
/// Words by which a question is the user's own.
pub(super) const ASKING: [&str; 12] = [
    "am", "do", "does", "did", "are", "is", "what", "which", "when", "how", "who", "where",
];
/// Shortest question that is read as the user's own, words.
pub(super) const QUESTION_WORDS: usize = 4;
/// What is said of an order that waits for somebody, or was never meant.
pub(super) const WAITING: [&str; 8] = [
    "okay",
    "ok",
    "whether",
    "joke",
    "joking",
    "void",
    "cancelled",
    "canceled",
];
/// Verbs that take back what was said, before a word for it.
pub(super) const TAKING_BACK: [&str; 29] = [
    "cancel", "undo", "ignore", "skip", "forget", "scratch", "stop", "drop", "delete", "remove",
    "discard", "revert", "hold", "wait", "take", "leave", "change", "let", "make", "mark", "push",
    "postpone", "delay", "see", "treat", "consider", "replace", "move", "keep",
];
pub(super) const WHAT_WAS_SAID: [&str; 6] = ["that", "this", "it", "everything", "all", "above"];
/// What stands behind such a word where it is no article: `take that back`.
pub(super) const BEHIND_WHAT_WAS_SAID: [&str; 8] =
    ["", ",", "and", "back", "to", "as", "for", "please"];
/// Content that an order is given with: `with the subject …`.
pub(super) const CONTENT: [&str; 10] = [
    "subject", "title", "body", "text", "message", "content", "caption", "words", "note", "comment",
];
/// What is sent about something, and is no person.
pub(super) const TOPICAL: [&str; 5] = ["information", "info", "details", "feedback", "news"];
/// Most words between two commas that are one more of a list, and no sentence of its own.
pub(super) const LISTED_WORDS: usize = 2;
/// What goes on with a list or an order behind a comma.
pub(super) const GOES_ON: [&str; 12] = [
    "and",
    "to",
    "with",
    "for",
    "in",
    "on",
    "at",
    "into",
    "from",
    "including",
    "please",
    "then",
];
/// Behind a part that describes a thing, an order counts only where it deals with that thing.
pub(super) const POINTING: [&str; 8] = [
    "it",
    "them",
    "him",
    "her",
    "this",
    "these",
    "information",
    "details",
];
/// Words behind which a word for a deed is a noun: `share permissions`.
pub(super) const OF_NOUNS: [&str; 8] = [
    "permissions",
    "permission",
    "rights",
    "settings",
    "options",
    "links",
    "rules",
    "buttons",
];
/// Words for a deed that are nouns before `to`: `mail to Bob`.
pub(super) const NOUNS: [&str; 6] = ["mail", "email", "e-mail", "message", "share", "post"];
/// What a sentence that takes something back calls it.
pub(super) const REQUESTS: [&str; 6] = [
    "request",
    "requests",
    "instruction",
    "instructions",
    "sharing",
    "sending",
];
/// What is said of a value that no longer holds.
pub(super) const WRONG: [&str; 6] = ["wrong", "incorrect", "outdated", "old", "mistake", "wait"];
