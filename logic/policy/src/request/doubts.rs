//! The words by which a request holds back, excepts or makes a condition: with one of them it frees
//! nothing. English only.

/// Words with which a question begins that asks for no deed.
pub(super) const ASKING: [&str; 9] = [
    "who", "whose", "whom", "what", "which", "where", "when", "why", "how",
];

/// Words by which a sentence forbids what it names.
pub(super) const FORBIDDING: [&str; 13] = [
    "no",
    "not",
    "don't",
    "don’t",
    "dont",
    "never",
    "none",
    "nobody",
    "cannot",
    "mustn't",
    "shouldn't",
    "without",
    "except",
];

/// Words that hold back: a request with one of them frees nothing.
pub(super) const HOLDING_BACK: [&str; 49] = [
    "no",
    "not",
    "don't",
    "don’t",
    "dont",
    "never",
    "none",
    "nobody",
    "nothing",
    "without",
    "except",
    "unless",
    "until",
    "till",
    "before",
    "forbid",
    "forbidden",
    "forbade",
    "refuse",
    "refrain",
    "avoid",
    "stop",
    "secret",
    "secrets",
    "private",
    "confidential",
    "keep",
    "draft",
    "approve",
    "approval",
    "permission",
    "confirm",
    "confirmation",
    "shouldn't",
    "mustn't",
    "won't",
    "can't",
    "cannot",
    "isn't",
    "aren't",
    "neither",
    "instead",
    "rather",
    "approved",
    "approves",
    "sign-off",
    "signoff",
    "hypothetically",
    "pretend",
];
/// Pairs of words that hold back: `ask me first`, `let me see it`.
pub(super) const HOLDING_BACK_TOGETHER: [(&str, &str); 26] = [
    ("ask", "me"),
    ("me", "first"),
    ("let", "me"),
    ("check", "with"),
    ("ask", "first"),
    ("wait", "for"),
    ("wait", "until"),
    ("hold", "it"),
    ("i", "decide"),
    ("show", "first"),
    ("apart", "from"),
    ("other", "than"),
    ("only", "show"),
    ("only", "read"),
    ("only", "look"),
    ("only", "tell"),
    ("just", "show"),
    ("just", "read"),
    ("just", "look"),
    ("just", "list"),
    ("hold", "off"),
    ("by", "me"),
    ("for", "now"),
    ("dry", "run"),
    ("subject", "to"),
    ("on", "hold"),
];
/// Words from which `but` takes something out, and how many words before it they stand.
pub(super) const ALL: [&str; 5] = ["all", "every", "everything", "everyone", "everybody"];
pub(super) const EXCEPTION_WORDS: usize = 4;
/// What does not hold back, with what stands before and behind it.
pub(super) const HARMLESS: [&str; 8] = [
    "do not forget",
    "don't forget",
    "don’t forget",
    "not forget",
    "do not hesitate",
    "don't hesitate",
    "are not already",
    "is not already",
];
/// Words by which a condition begins that somebody may have to fulfil first.
pub(super) const DEPENDING: [&str; 10] = [
    "if", "when", "once", "after", "whenever", "provided", "assuming", "only", "case", "upon",
];
/// The user as somebody who acts.
pub(super) const OWN: [&str; 8] = ["i", "i've", "i’ve", "i'll", "i’ll", "i'm", "my", "we"];
/// Words of consent and of writing.
pub(super) const ASSENTING: [&str; 29] = [
    "yes",
    "ok",
    "okay",
    "agree",
    "agrees",
    "agreed",
    "approve",
    "approves",
    "approved",
    "confirms",
    "confirmed",
    "accepts",
    "accepted",
    "writes",
    "wrote",
    "says",
    "replies",
    "replied",
    "answers",
    "responds",
    "asks",
    "asked",
    "requests",
    "wants",
    "tells",
    "signs",
    "signed",
    "sign-off",
    "allows",
];
/// Words behind `before` and `until` that make it a time, beside numbers.
const TIMES: [&str; 29] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "today",
    "tonight",
    "tomorrow",
    "noon",
    "midnight",
    "easter",
    "christmas",
    "end",
    "summer",
    "winter",
];
/// Words of other languages that no English sentence has: German, French, Spanish, Dutch, Italian,
/// Portuguese, Polish, Swedish, Danish and Norwegian.
pub(super) const FOREIGN: [&str; 75] = [
    "nicht", "kein", "keine", "keinen", "erst", "bitte", "und", "oder", "mit", "ist", "sind",
    "das", "der", "auf", "noch", "aber", "wenn", "falls", "sobald", "nur", "von", "dem", "den",
    "für", "nach", "ohne", "soll", "muss", "pas", "ne", "et", "les", "des", "pour", "avec", "sans",
    "mais", "quand", "lorsque", "veuillez", "jamais", "est", "vous", "los", "las", "del", "con",
    "para", "pero", "sin", "por", "que", "cuando", "nunca", "favor", "niet", "geen", "het", "een",
    "voor", "maar", "che", "gli", "senza", "quando", "mai", "não", "sem", "mas", "nie", "bez",
    "och", "inte", "ikke", "og",
];

/// Whether words begin with a time: `Thursday`, `the end of October`, `12`.
pub(super) fn is_time(words: &[&str]) -> bool {
    let mut words = words
        .iter()
        .filter(|word| !matches!(**word, "the" | "next"));
    words
        .next()
        .is_some_and(|word| TIMES.contains(word) || word.bytes().all(|b| b.is_ascii_digit()))
}
