//! Taking a request apart: quotes, steps, politeness, and what looks like a path.

use crate::behind_colon;
use crate::quoted::{CLOSE, OPEN, in_quotes, mark, marked};
use regex::Regex;
use std::sync::LazyLock;

/// Longest request the rules read, bytes. Longer ones are for a model.
pub const REQUEST_BYTES: usize = 16 << 10;
/// Longest intent of a plan, characters.
const INTENT_CHARS: usize = 200;

/// The request as the intent of its plan.
pub fn intent(request: &str) -> String {
    let words: Vec<&str> = request.split_whitespace().collect();
    words.join(" ").chars().take(INTENT_CHARS).collect()
}

/// One step of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its words, with quoted texts replaced by marks and politeness removed.
    pub text: String,
    /// Whether it ends with a question mark.
    pub is_question: bool,
    /// Whether it is put as a polite order, such as `could you …?`.
    pub is_polite: bool,
}

/// A request taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The quoted texts, in order.
    pub quotes: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A word or quoted text that fills a place in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it says.
    pub text: String,
    /// Whether it was quoted.
    pub is_quoted: bool,
}

impl Request {
    /// Takes a text apart.
    pub fn read(text: &str) -> Self {
        let (marked, quotes) = match behind_colon::as_it_stands(text) {
            Some((head, whole)) => {
                let (head, mut quotes) = marked(head);
                let place = mark(quotes.len());
                quotes.push(whole.to_owned());
                (format!("{head} {place}"), quotes)
            }
            None => marked(text),
        };
        let steps = split(&STEPS, &marked)
            .into_iter()
            .map(|step| read_step(&step))
            .filter(|step| !step.text.is_empty())
            .collect();
        Self { quotes, steps }
    }

    /// What stands in a place of a rule; `None` when quoted and bare words are mixed.
    pub fn piece(&self, text: &str) -> Option<Piece> {
        let text = text.trim();
        if !text.contains(OPEN) {
            return Some(Piece {
                text: text.to_owned(),
                is_quoted: false,
            });
        }
        let inner = text.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
        let index: usize = inner.parse().ok()?;
        Some(Piece {
            text: self.quotes.get(index)?.clone(),
            is_quoted: true,
        })
    }

    /// A step as the user wrote it, more or less, for messages.
    pub fn shown(&self, step: &str) -> String {
        let shown = self.whole(step);
        match shown.chars().count() > 120 {
            true => shown.chars().take(117).chain("...".chars()).collect(),
            false => shown,
        }
    }

    /// A step with its quoted texts, however long.
    pub fn whole(&self, step: &str) -> String {
        let mut whole = step.to_owned();
        for (index, quote) in self.quotes.iter().enumerate() {
            whole = whole.replace(&mark(index), &in_quotes(quote));
        }
        whole
    }
}

/// Whether a quoted text stands at the end of words.
pub fn ends_quoted(words: &str) -> bool {
    words.ends_with(CLOSE)
}

/// A constant pattern. One that does not compile would match nothing; a test proves that all do.
pub fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static STEPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\s*;\s*(?:and\s+)?(?:then\b,?\s*)?|[,.]?\s+(?:and\s+)?(?:then|after that|afterwards)\b,?\s+|\s*\n\s*",
    )
});
static POLITE_ORDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:can|could|would|will) you\b,?\s*"));
static POLITE_START: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:please|pls|plz|kindly|just|now|first|next|finally|also|ok|okay|so|then|and|hey|hi|hello|carl",
        r"|i want you to|i want to|i'd like you to|i'd like to|i would like you to|i would like to",
        r"|i need you to|i need to|let's|let us|let me|go ahead and|try to|help me to|help me)\b[,!]?\s+",
    ))
});
/// `first` that counts lines and is no `first of all`.
static FIRST_LINES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^first (?:\w+ )?lines?\b"));
static POLITE_END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:,?\s+(?:please|pls|plz)|\s+for me|[,.!]\s+(?:thanks|thank you|thx|cheers)|[?.!]\s+tell me (?:its|their|the) (?:full )?(?:paths?|names?|places?))[.!]*$",
    )
});

/// Why something is ordered, behind the order.
static REASON_END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)[,.;]\s+(?:because\s+|since\s+)?(?:i|we) (?:do not|don['’]?t|no longer) (?:need|want|use) (?:it|that|them|this)",
        r"(?:\s+(?:any ?more|any longer|now))?[.!]*$",
        r"|[,.;]\s+(?:but )?(?:leave|keep) (?:the )?\S+ (?:file )?as (?:it|they) (?:is|are)[.!]*$",
    ))
});

fn split(separator: &LazyLock<Option<Regex>>, text: &str) -> Vec<String> {
    match separator.as_ref() {
        Some(separator) => separator.split(text).map(str::to_owned).collect(),
        None => vec![text.to_owned()],
    }
}

fn read_step(text: &str) -> Step {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_question = words.trim_end_matches(['!', '.', ' ']).ends_with('?');
    let mut is_polite = false;
    loop {
        let before = words.len();
        if let Some(found) = POLITE_ORDER.as_ref().and_then(|polite| polite.find(&words)) {
            is_polite = true;
            words.drain(..found.end());
        }
        let counts_lines = FIRST_LINES.as_ref().is_some_and(|it| it.is_match(&words));
        if let Some(found) = POLITE_START.as_ref().and_then(|polite| polite.find(&words))
            && !counts_lines
        {
            words.drain(..found.end());
        }
        let unasked = words.trim_end_matches(['?', ' ']).len();
        words.truncate(unasked);
        for end in [&POLITE_END, &REASON_END] {
            if let Some(found) = end.as_ref().and_then(|end| end.find(&words)) {
                words.truncate(found.start());
            }
        }
        if words.len() == before {
            break;
        }
    }
    Step {
        text: words,
        is_question,
        is_polite,
    }
}

/// Names without an extension that can only be files.
const KNOWN_FILES: [&str; 17] = [
    "readme",
    "license",
    "licence",
    "makefile",
    "dockerfile",
    "changelog",
    "authors",
    "notice",
    "sshd_config",
    "ssh_config",
    "caddyfile",
    "crontab",
    "fstab",
    "gemfile",
    "jenkinsfile",
    "procfile",
    "vagrantfile",
];

/// Endings of files that are longer than most.
const LONG_ENDINGS: [&str; 6] = [
    "properties",
    "gitignore",
    "dockerignore",
    "editorconfig",
    "gitattributes",
    "gitconfig",
];

/// Removes the punctuation of a sentence from a bare word. `.` and `..` stay.
pub fn trim_word(word: &str) -> &str {
    if word.chars().all(|c| "./~".contains(c)) {
        return word;
    }
    word.trim_end_matches(['.', ',', '!', '?', ':', ';'])
}

/// Whether a bare word can only be meant as a path.
pub fn is_path(word: &str) -> bool {
    // `.gitignore`, which may be a file as well as a folder.
    let is_hidden = word.strip_prefix('.').is_some_and(|rest| {
        let mut rest = rest.chars();
        rest.next().is_some_and(char::is_alphabetic)
    });
    let is_place = word.contains('/') || word.starts_with('~') || word.chars().all(|c| c == '.');
    is_place || is_hidden || is_file(word)
}

/// Whether a word names a file rather than a folder: it has an extension or is well known.
pub fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_extension = name.rsplit_once('.').is_some_and(|(_, extension)| {
        ((1..=8).contains(&extension.len()) || LONG_ENDINGS.contains(&extension))
            && extension
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
            && extension.chars().any(|c| c.is_ascii_alphabetic())
    });
    has_extension || KNOWN_FILES.contains(&name.to_lowercase().as_str())
}

/// Whether a word stands for many files, which no single step changes.
pub fn is_wildcard(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// Numbers in German and Spanish words, as they stand before lines.
pub const NUMBERS: [(&str, u32); 18] = [
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
];

/// A number in digits or as a word: in English up to twenty, in German and Spanish up to ten.
pub fn number(word: &str) -> Option<u32> {
    const WORDS: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let lower = word.to_lowercase();
    if let Some(index) = WORDS.iter().position(|known| *known == lower) {
        return u32::try_from(index).ok();
    }
    let other = NUMBERS.iter().find(|(known, _)| *known == lower);
    other
        .map(|(_, number)| *number)
        .or_else(|| lower.parse().ok())
}

/// `third` and `3rd` as a number.
pub fn ordinal(word: &str) -> Option<usize> {
    const WORDS: [&str; 10] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    let said = WORDS.iter().position(|known| *known == word);
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    said.map(|at| at + 1)
        .or_else(|| digits.parse().ok().filter(|at| *at > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_pattern_compiles() {
        let polite = [&POLITE_ORDER, &POLITE_START, &POLITE_END];
        for constant in polite
            .into_iter()
            .chain([&STEPS, &FIRST_LINES, &REASON_END])
        {
            assert!(constant.is_some());
        }
    }

    #[test]
    fn quotes_are_kept_whole_and_apostrophes_open_nothing() {
        let request = Request::read("append 'a; then b' to John's \"my list.txt\" then don't stop");
        assert_eq!(request.quotes, ["a; then b", "my list.txt"]);
        assert_eq!(request.steps.len(), 2);
        assert_eq!(request.steps[1].text, "don't stop");
        let piece = request.piece(&format!("{OPEN}1{CLOSE}")).unwrap();
        assert_eq!(
            piece,
            Piece {
                text: "my list.txt".to_owned(),
                is_quoted: true
            }
        );
        assert_eq!(request.piece(&format!("{OPEN}1{CLOSE} and more")), None);
    }

    #[test]
    fn a_request_cannot_forge_a_quote_mark() {
        let request = Request::read("delete \u{E000}0\u{E001}");
        assert_eq!(request.steps[0].text, "delete 0");
    }

    #[test]
    fn politeness_goes_and_the_question_stays_known() {
        let request = Request::read("Hey, could you please show a.txt for me?");
        let step = &request.steps[0];
        assert_eq!(step.text, "show a.txt");
        assert!(step.is_question && step.is_polite);
    }

    #[test]
    fn paths_are_told_from_words() {
        for word in [
            "a.txt",
            "docs/",
            "~/x",
            "..",
            "README",
            "src/main",
            ".gitignore",
        ] {
            assert!(is_path(word), "{word}");
        }
        for word in ["everything", "notes", "2.5", "it"] {
            assert!(!is_path(word), "{word}");
        }
        assert_eq!(trim_word("a.txt."), "a.txt");
        assert_eq!(trim_word(".."), "..");
    }
}
