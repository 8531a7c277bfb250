//! Whether an answer says that the model changed something.
//!
//! Small models say that they wrote a file when they called no tool, or when the call was refused.
//! What was done is known from the calls; this only finds the sentence that needs correcting. It is
//! narrow: the model speaking of itself or of a finished change, and a file or folder as what was
//! changed. "I wrote a summary of it" claims nothing. English is read here, other languages in
//! [`words`]; what names only the result is in [`results`], what was to be deleted in [`deleted`].

mod deleted;
mod ordered;
mod orders;
mod own;
mod ran;
mod results;
mod words;

pub use deleted::claims_deletion;
pub use own::{claims_forgetting, claims_reminder};

use regex::Regex;
use std::sync::LazyLock;

/// What was done, in the past.
const DONE: &str = "created|written|wrote|saved|deleted|removed|moved|renamed|updated|edited|\
                    changed|replaced|added|appended|modified|overwritten|overwrote|fixed";
/// What it was done to: a file's kind, or a name with an ending.
const THING: &str = r"(?:files?|folders?|director(?:y|ies)|[\w-]+\.[a-z][a-z0-9]{0,4})\b";

static CLAIM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let first_person = format!(
        r"\bI(?:['’]ve| have)?(?: now| just| also| successfully)* (?:{DONE})\b[^\n!?;:]{{0,60}}?{THING}"
    );
    let passive = format!(
        r"{THING}[`'\x22*]*(?: [\w`'\x22./-]+){{0,3}} (?:has|have) (?:now |just )?been (?:successfully )?(?:{DONE})\b"
    );
    // `Wrote notes.md.`: the model speaks of itself without saying so.
    let elliptic = format!(
        r"(?:^|[.!:]\s+)(?:successfully )?(?:{DONE})\b(?: [\w`'\x22./-]+){{0,5}}? [`'\x22*]*(?:[\w-]+/)*{THING}"
    );
    Regex::new(&format!("(?i)(?:{first_person}|{passive}|{elliptic})")).ok()
});

/// A fault said to be mended, which is a claim where the request orders that.
static MENDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let fault = "(?:bug|error|issue|problem|typo|mistake)s?";
    let mended = "(?:fixed|corrected|resolved|repaired)";
    let is = "(?:is|are|has been|have been)(?: now| successfully)*";
    Regex::new(&format!(r"(?i)\b{fault}(?: in [\w./`-]+)? {is} {mended}\b")).ok()
});
static MEND: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:fix|correct|repair|resolve|mend)\b").ok());

/// How a request begins that asks about what is or was, and orders nothing.
#[rustfmt::skip]
const QUESTIONS: [&str; 88] = [
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "did", "do", "does",
    "is", "are", "was", "were",
    "welche", "welcher", "welches", "welchen", "wer", "wem", "wessen", "wann", "wo", "warum",
    "wieso", "wie", "hast", "habt", "haben", "hat", "ist", "sind", "wurde", "wurden",
    "que", "qu'est-ce", "quel", "quelle", "quels", "quelles", "qui", "quand", "où", "pourquoi",
    "comment", "est-ce", "as-tu", "avez-vous",
    "qué", "cuál", "cuáles", "quién", "cuándo", "cuando", "dónde", "cómo", "por", "has", "ha",
    "che", "cosa", "quale", "quali", "chi", "quando", "dove", "perché", "come", "hai", "è",
    "qual", "quais", "quem", "onde", "como",
    "wat", "welk", "wanneer", "waar", "waarom", "hoe", "heb", "heeft", "hebt", "zijn",
    "werd",
];

/// Whether the answer to `request`, in which nothing was changed, claims a change of a file or
/// folder. Where an earlier request of the conversation changed something (`changed_before`), an
/// answer may honestly tell of that, unless this request orders a change of its own.
#[must_use]
pub fn claims_change(request: &str, answer: &str, changed_before: bool) -> bool {
    let is_new = orders::orders_change(request) || orders::asks_for_more(request);
    if (changed_before && !is_new) || is_question(request) {
        return false;
    }
    has(&CLAIM, answer) || (has(&MENDED, answer) && has(&MEND, request)) || words::claims(answer)
}

/// Whether the answer to `request`, in which nothing was changed, says that what it orders is done,
/// without a word on who did it.
#[must_use]
pub fn claims_result(request: &str, answer: &str) -> bool {
    if is_question(request) || !results::is_order(request, answer) {
        return false;
    }
    let small = |text: &str| text.trim().to_lowercase();
    results::claims(answer) || ordered::claims(&small(request), &small(answer))
}

/// Whether the answer to `request` says no more than that it is done, whatever was ordered.
#[must_use]
pub fn claims_done(request: &str, answer: &str) -> bool {
    !is_question(request) && results::is_done(answer)
}

/// Whether the answer to `request`, for which no program ran, says that one did.
#[must_use]
pub fn claims_run(request: &str, answer: &str) -> bool {
    !is_question(request) && ran::claims(request, answer)
}

/// Whether the answer to `request` says that tests or a build went well. Where nothing was done for it
/// (`is_work` is false) and it orders no run, the answer may tell of what it read.
#[must_use]
pub fn claims_pass(request: &str, answer: &str, is_work: bool) -> bool {
    (is_work || ran::orders_run(request)) && ran::claims_pass(answer)
}

/// Whether an answer says that something was committed, and that something was pushed.
#[must_use]
pub fn claims_sent(answer: &str) -> [(&'static str, bool); 2] {
    [
        ("commit", ran::claims_commit(answer)),
        ("push", ran::claims_push(answer)),
    ]
}

/// Whether the answer to `request`, whose last program failed, says that it went well.
#[must_use]
pub fn claims_success(request: &str, answer: &str) -> bool {
    !is_question(request) && ran::claims_success(answer)
}

fn has(pattern: &Option<Regex>, text: &str) -> bool {
    let pattern = pattern.as_ref();
    pattern.is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a request asks about what is or was.
pub(crate) fn is_question(request: &str) -> bool {
    let first = request.split_whitespace().next().unwrap_or_default();
    let first = first.to_lowercase().replace('’', "'");
    let first = first.trim_start_matches(['¿', '«', '"']);
    QUESTIONS.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_changes_of_files_are_claims() {
        assert!(CLAIM.is_some());
        for answer in [
            "I wrote new.txt for you.",
            "I have created the file.",
            "Done! I've successfully updated `src/main.rs` as you asked.",
            "I have now deleted the old folder.",
            "The file has been created.",
            "The file `notes.md` in docs has been successfully updated.",
            "notes.md has been saved with the new text.",
            "Wrote notes/today.md.",
            "Done. Created hello.txt with the greeting.",
            "Fixed mean in calc.py; tests pass.",
        ] {
            assert!(claims_change("create a file", answer, false), "{answer}");
        }
    }

    #[test]
    fn a_mended_fault_is_a_claim_where_it_was_ordered() {
        let answer = "The bug is fixed and the tests pass now.";
        assert!(claims_change("Fix the bug in calc.py", answer, false));
        assert!(claims_change(
            "please correct it",
            "The typo in a.md has been corrected.",
            false
        ));
        assert!(!claims_change("Explain this commit", answer, false));
        assert!(!claims_change("Is the bug fixed?", answer, false));
        assert!(!claims_change(
            "Fix the bug",
            "The bug is not fixed.",
            false
        ));
        assert!(!claims_change(
            "Was ist geschehen?",
            "Ich habe brief.md gelöscht.",
            false
        ));
    }

    #[test]
    fn a_report_of_earlier_changes_is_no_claim_unless_another_was_ordered() {
        let answer = "I have created notes.md.";
        assert!(!claims_change("thank you", answer, true));
        assert!(claims_change("thank you", answer, false));
        assert!(claims_change("create a file", answer, true));
    }

    #[test]
    fn other_answers_claim_nothing() {
        for answer in [
            "I wrote a summary of the meeting: it was short.",
            "I could not write new.txt: that is not allowed here.",
            "You can create the file with `touch new.txt`.",
            "The file was created in 1999 by Ann.",
            "I have not created the file.",
            "I would have deleted the folder.",
            "I will write new.txt now.",
            "The settings are written in config.toml by hand.",
            "See what changed in notes.md yourself.",
        ] {
            assert!(!claims_change("create a file", answer, false), "{answer}");
        }
        assert!(!claims_change(
            "What did you do before?",
            "I wrote new.txt.",
            false
        ));
    }
}
