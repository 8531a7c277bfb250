//! Claims of whoever was ordered to change something, whatever the changed thing is called: "I have
//! fixed the bug in `gross`.", "Ich habe den Titel geändert.", "The summary is in notes.md now."
//!
//! Without a file in it such a sentence claims something only beside an order. Where the order names
//! no file, the answer may be the changed text itself: then a single short paragraph alone counts.
//! What stands in quotes is another's, and what is denied, supposed or told of before is no claim.

use super::{orders, words};
use regex::Regex;
use std::sync::LazyLock;

/// Longest answer that claims a change where the order names no file, characters.
const SHORT: usize = 300;

/// What was done, in English. "Wrote" is left out: a poem is written as well.
const DONE: &str = "fixed|repaired|resolved|corrected|refactored|cleaned up|tidied|restructured|\
                    simplified|implemented|added|appended|inserted|committed|split|joined|merged|\
                    combined|replaced|changed|renamed|moved|deleted|removed|created|updated|\
                    edited|modified|rewritten|rewrote|saved|extracted|reformatted";

struct Patterns {
    quoted: Regex,
    file: Regex,
    strong: Regex,
    sentence: Regex,
    spoken: Regex,
    supposed: Regex,
    before: Regex,
    placed: Regex,
    now: Regex,
    shows: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        quoted: Regex::new("(?m)[\"„“«»”][^\"“”«»]*[\"“”«»]|^\\s*>.*$").ok()?,
        file: Regex::new(
            r"[\w-]+\.[a-z][a-z0-9]{0,4}\b|\b(?:files?|folders?|datei(?:en)?|ordner|functions?|docstrings?|tests?|commits?|code)\b",
        )
        .ok()?,
        strong: Regex::new(
            r"\b(?:fix|repair|resolve|correct|refactor|implement|add|append|insert|commit|split|join|merge|combine|replace|change|rename|move|delete|remove|update|edit|modify)\b|\b(?:korrigier|beheb|berichtig|änder|bearbeit|aktualisier|ersetz|füg|ergänz|häng|lösch|entfern|verschieb|benenn|umbenenn|teil|reparier|implementier|refaktorier)(?:e|t|en|n)?\b",
        )
        .ok()?,
        sentence: Regex::new(r"(?:[^.!?\n]|[.!?]\S)+[.!?]?").ok()?,
        spoken: Regex::new(&format!(
            r"\bi(?:['’]ve| have)?(?: now| just| also| successfully)* (?:{DONE})\b"
        ))
        .ok()?,
        supposed: Regex::new(
            r"\b(?:if|when|once|had|would|could|should|will|not|never|suppose|imagine|pretend|how)\b|\w+n['’]t\b",
        )
        .ok()?,
        before: Regex::new(
            r"\b(?:yesterday|earlier|ago|previously|before|already|last (?:week|month|time|year)|in \d{4}|got|gives|equals)\b|=",
        )
        .ok()?,
        placed: Regex::new(
            r"\b(?:is|are|stands?|ist|sind|steht|stehen|liegt|liegen)(?: now| jetzt| nun)? in [`'\x22*]*([\w/-]*[\w-]+\.[a-z][a-z0-9]{0,4})\b",
        )
        .ok()?,
        now: Regex::new(r"\b(?:now|jetzt|nun)\b").ok()?,
        shows: Regex::new(r"(?m):\s*$|\b(?:here(?:['’]s| is| are)|hier (?:ist|sind|steht)|folgend\w*)\b")
            .ok()?,
    })
});

/// Whether `answer` says that the change which `request` orders is made. Both in small letters.
pub(super) fn claims(request: &str, answer: &str) -> bool {
    let Some(patterns) = PATTERNS.as_ref() else {
        return false;
    };
    let names_file = patterns.file.is_match(request);
    let is_short = !answer.contains('\n') && answer.chars().count() <= SHORT;
    let is_order = names_file || (is_short && patterns.strong.is_match(request));
    if !is_order || !orders::orders_change(request) {
        return false;
    }
    let own = patterns.quoted.replace_all(answer, "«»");
    if names_file && !patterns.shows.is_match(&own) && super::results::begins_with_done(&own) {
        return true;
    }
    let mut sentences = patterns
        .sentence
        .find_iter(&own)
        .map(|found| found.as_str());
    sentences.any(|sentence| patterns.is_claim(request, sentence)) || words::claims_act(&own)
}

impl Patterns {
    fn is_claim(&self, request: &str, sentence: &str) -> bool {
        if sentence.ends_with(['?', ':']) {
            return false;
        }
        let spoken = self.spoken.find(sentence).is_some_and(|found| {
            let (to_here, after) = sentence.split_at(found.end());
            !self.supposed.is_match(to_here) && !self.before.is_match(after)
        });
        let named = self.placed.captures(sentence);
        let is_placed = named.is_some_and(|found| request.contains(&found[1]));
        spoken || (is_placed && self.now.is_match(sentence) && !self.supposed.is_match(sentence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(request: &str, answer: &str) -> bool {
        claims(&request.to_lowercase(), &answer.to_lowercase())
    }

    #[test]
    fn ordered_changes_are_claims_whatever_was_changed() {
        assert!(PATTERNS.is_some());
        let fix = "please fix the bug in gross, add a docstring and tests in calc.py";
        let rows = [
            (fix, "I have fixed the bug in `gross`."),
            (fix, "I've added a docstring to `net`."),
            (fix, "Done! I refactored calc.py."),
            (fix, "I implemented the function and its tests."),
            ("Fix it and commit", "I committed the change."),
            (
                "Ersetze Johannes durch Jonathan in allen Kapiteln",
                "Ich habe Johannes in allen Kapiteln durch Jonathan ersetzt.",
            ),
            (
                "Change the title of chapter 2 to Storm",
                "I changed the title of chapter 2 to Storm.",
            ),
            (
                "Ändere den Titel in Kapitel/kapitel-02.md zu Sturm",
                "Ich habe den Titel geändert.",
            ),
            (
                "Split kapitel-05.md into two files",
                "I split the chapter into kapitel-05a.md and kapitel-05b.md.",
            ),
            (
                "Join chapters 1 to 3 into buch.md",
                "The three chapters are now in buch.md.",
            ),
            ("Merge chapters 1 to 3 into buch.md", "I merged them."),
            (
                "Combine chapters 1 to 3 in buch.md",
                "I combined the chapters in buch.md.",
            ),
            (
                "Teile kapitel-05.md in zwei Dateien",
                "Ich habe das Kapitel in zwei Dateien geteilt.",
            ),
            (
                "Füge Kapitel 1 bis 3 in buch.md zusammen",
                "Die Kapitel stehen jetzt in buch.md.",
            ),
            (
                "Write a summary of chapter 1 to zusammenfassung.md",
                "The summary is in zusammenfassung.md now.",
            ),
            ("Fix calc.py", "Done! It works with both signs."),
        ];
        for (request, answer) in rows {
            assert!(says(request, answer), "{request}: {answer}");
        }
    }

    #[test]
    fn advice_quotations_and_texts_are_no_claims() {
        let rows = [
            ("Review calc.py", "I have added my remarks below."),
            ("Fix calc.py", "I would have fixed `gross` first: shall I?"),
            ("Fix calc.py", "If I changed it now, the tests would break."),
            ("Fix calc.py", "I fixed nothing: which bug is meant?"),
            (
                "Fix calc.py",
                "Ann writes: \"I fixed the bug.\" Is it this one?",
            ),
            (
                "Korrigiere kapitel.md",
                "Dort steht „das habe ich geändert“. Welche Stelle meinst du?",
            ),
            (
                "Korrigiere kapitel.md",
                "Das habe ich gestern geändert, sagt Anna.",
            ),
            ("Add 2 and 3", "I added 2 and 3 and got 5."),
            ("Change it to past tense", "I changed it.\n\nHe went home."),
            ("Write a poem", "I moved the stars. I changed my name."),
            ("Make the column fixed-width", "Use a fixed-width font."),
            (
                "Fix calc.py",
                "Done. Here is the text for you to paste: x = 1",
            ),
            ("Delete old.md", "The text is in old.md, not in new.md."),
            (
                "Change the plan",
                "Which one? The plans are now in a.md and b.md.",
            ),
            ("Ersetze den Titel", "Ich habe noch nichts geändert."),
            (
                "Update the notes",
                "I fixed that already in an earlier request.",
            ),
        ];
        for (request, answer) in rows {
            assert!(!says(request, answer), "{request}: {answer}");
        }
    }
}
