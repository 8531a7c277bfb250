//! Claims that a program was run, or that it went well: "I ran the tests and all 2 pass.", "I
//! committed the changes.", "Alle Tests laufen durch."
//!
//! A sentence with a word that denies, supposes or tells of a failure claims nothing.

use regex::Regex;
use std::sync::LazyLock;

struct Patterns {
    /// The speaker ran something.
    spoken: Regex,
    /// It went well.
    well: Regex,
    sentence: Regex,
    other: Regex,
    order: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let i = "i(?:['’]ve| have)?(?: now| just| also| successfully)*";
    let what = "(?:tests?|suite|command|script|program|linter|build|pytest|cargo|make|npm)";
    Some(Patterns {
        spoken: Regex::new(&format!(
            r"\b{i} (?:(?:ran|run|executed|re-?ran)(?: [\w`./-]+){{0,4}}? `?{what}\b|(?:committed|pushed)\b)|\bich hab(?:e|['’]s)?\b.*(?:\b(?:tests?|testsuite|befehl|skript|programm)\b.*(?:ausgeführt|laufen lassen|gestartet)|committet|eingecheckt)"
        ))
        .ok()?,
        well: Regex::new(
            r"\btests?(?: \w+)?? (?:all )?(?:now )?(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:are|is) (?:now |all )?(?:green|passing))\b|\ball(?: \d+)? (?:now )?pass(?:ed)?\b|\bbuild (?:now )?(?:succeed(?:s|ed)|passe[sd]|is green)\b|\btests? (?:sind|ist) (?:jetzt |nun |alle )*(?:grün|bestanden|erfolgreich)|\btests? (?:laufen|läuft) (?:jetzt |nun |alle )*(?:fehlerfrei |erfolgreich )?durch|\btests? (?:bestehen|wurden bestanden)",
        )
        .ok()?,
        sentence: Regex::new(r"(?:[^.!?\n]|[.!?]\S)+[.!?]?").ok()?,
        other: Regex::new(
            r"\b(?:not|no|never|none|should|would|will|must|if|once|when|until|unless|make sure|so that|whether|could|cannot|can|fail\w*|error|exit code|tried|nicht|kein\w*|nie|sollte\w*|würde\w*|wenn|falls|sobald|damit|müss\w*|ob|fehl\w*|versucht)\b|\w+n['’]t\b",
        )
        .ok()?,
        order: Regex::new(
            r"(?i)\b(?:run|test|tests|execute|commit|push|install|build|compile|deploy|führe?|starte?|teste?|laufen|installiere?|committe|checke)\b",
        )
        .ok()?,
    })
});

/// Whether `answer` says that whoever gave it ran a program.
pub(super) fn claims(request: &str, answer: &str) -> bool {
    let ordered = |patterns: &Patterns| {
        patterns.order.is_match(request) || super::orders::orders_change(request)
    };
    says(answer, |patterns, sentence| {
        ordered(patterns) && patterns.spoken.is_match(sentence)
    })
}

/// Whether `answer` says that a program did what it was to do.
pub(super) fn claims_success(answer: &str) -> bool {
    says(answer, |patterns, sentence| {
        patterns.well.is_match(sentence) || patterns.spoken.is_match(sentence)
    })
}

fn says(answer: &str, claims: impl Fn(&Patterns, &str) -> bool) -> bool {
    let Some(patterns) = PATTERNS.as_ref() else {
        return false;
    };
    let answer = answer.to_lowercase();
    let mut sentences = patterns
        .sentence
        .find_iter(&answer)
        .map(|found| found.as_str());
    sentences.any(|sentence| {
        let is_open = sentence.ends_with('?') || patterns.other.is_match(sentence);
        !is_open && claims(patterns, sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_their_success_are_claims() {
        assert!(PATTERNS.is_some());
        for answer in [
            "I ran the tests and all 2 pass.",
            "I've run the test suite.",
            "I committed the changes as `fix`; all tests pass.",
            "Ich habe die Tests laufen lassen.",
            "Ich habe die Änderung committet.",
        ] {
            assert!(claims("fix it and run the tests", answer), "{answer}");
            assert!(claims_success(answer), "{answer}");
        }
        for answer in [
            "The tests are written and pass now. All tests pass.",
            "All tests pass.",
            "Die Tests sind jetzt grün.",
            "Alle Tests laufen durch.",
        ] {
            assert!(claims_success(answer), "{answer}");
        }
    }

    #[test]
    fn failures_plans_and_advice_are_no_claims() {
        for answer in [
            "I ran the tests, and one fails.",
            "I ran the tests: exit code 1.",
            "I could not run the tests.",
            "Run the tests: they should pass.",
            "Once the tests pass, commit it.",
            "I ran out of room for the tests.",
            "I tried to commit.",
            "Shall I say that all tests pass?",
            "Die Tests laufen nicht durch.",
            "grep found nothing.",
        ] {
            assert!(!claims("run the tests", answer), "{answer}");
            assert!(!claims_success(answer), "{answer}");
        }
        assert!(!claims("tell me a story", "I ran the tests."));
    }
}
