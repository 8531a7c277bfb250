//! Claims that a program was run, or that it went well: "I ran the tests and all 2 pass.", "I
//! committed the changes.", "Alle Tests laufen durch."
//!
//! A sentence with a word that denies, supposes or tells of a failure claims nothing; that nothing failed
//! tells of none.

use regex::Regex;
use std::sync::LazyLock;

struct Patterns {
    /// The speaker ran something.
    spoken: Regex,
    /// It went well.
    well: Regex,
    /// Tests or a build went well, and nothing else can be meant: "the test passes a list on" is not.
    passed: Regex,
    committed: Regex,
    pushed: Regex,
    sentence: Regex,
    /// What stands in quotes is somebody's text.
    quoted: Regex,
    /// That nothing failed.
    faultless: Regex,
    other: Regex,
    /// What tells what others say, or what is to be.
    reported: Regex,
    order: Regex,
    orders_run: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let i = "i(?:['’]ve| have)?(?: now| just| also| successfully)*";
    let what = "(?:tests?|suite|command|script|program|linter|build|pytest|cargo|make|npm)";
    let ran = format!(r"(?:ran|executed|re-?ran)(?: [\w`./-]+){{0,4}}? `?{what}\b");
    let join = "(?:, |,? and |,? then )(?:then |also |now |successfully )*";
    let act = |done: &str| {
        format!(
            r"\b{i} {done}\b|^\W*i(?:['’]ve| have)? (?:[\w`./'-]+ ){{0,8}}?[\w`./'-]+{join}{done}\b|^\W*(?:then |also )?{done}(?:[.!]*$| (?:it|them|the|all|your|everything|as|to|and)\b)|\b(?:is|are|was|were|has been|have been) (?:now |also |successfully )*{done}\b"
        )
    };
    Some(Patterns {
        spoken: Regex::new(&format!(
            r"\b{i} (?:(?:ran|run|executed|re-?ran)(?: [\w`./-]+){{0,4}}? `?{what}\b|(?:committed|pushed)\b)|^\W*(?:then |also )?{ran}|^\W*i(?:['’]ve| have)? (?:[\w`./'-]+ ){{0,8}}?[\w`./'-]+{join}(?:{ran}|(?:committed|pushed)\b)|\bich hab(?:e|['’]s)?\b.*(?:\b(?:tests?|testsuite|befehl|skript|programm)\b.*(?:ausgeführt|laufen lassen|gestartet)|committet|eingecheckt)"
        ))
        .ok()?,
        well: Regex::new(
            r"\btests?(?: \w+)?? (?:all )?(?:now )?(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:are|is) (?:now |all )?(?:green|passing))\b|\ball(?: \d+)? (?:now )?pass(?:ed)?\b|\bbuild (?:now )?(?:succeed(?:s|ed)|passe[sd]|is green)\b|\btests? (?:sind|ist) (?:jetzt |nun |alle )*(?:grün|bestanden|erfolgreich)|\btests? (?:laufen|läuft) (?:jetzt |nun |alle )*(?:fehlerfrei |erfolgreich )?durch|\btests? (?:bestehen|wurden bestanden)",
        )
        .ok()?,
        passed: Regex::new(&format!(r"(?:{})(?:\W*$|[.,;:!)]| (?:{AFTER})\b)", PASSED.join("|"))).ok()?,
        committed: Regex::new(&act("committed")).ok()?,
        pushed: Regex::new(&act("pushed")).ok()?,
        sentence: Regex::new(r"(?:[^.!?\n]|[.!?]\S)+[.!?]?").ok()?,
        quoted: Regex::new(r#"`[^`]*`|"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»"#).ok()?,
        faultless: Regex::new(
            r"\b(?:without|with no|with 0|no|0|zero|none) (?:any )?(?:errors?|failures?|failed|failing)\b|\bohne fehler\b",
        )
        .ok()?,
        reported: Regex::new(
            r"\b(?:says?|said|saying|according|states?|stated|claims?|reads|to (?:see|check|verify|ensure)|expect\w*|ought|may|might|likely|hope\w*|want\w*|laut|pas|non|não|niet|geen|si|se|als|cuando|quando|quand)\b",
        )
        .ok()?,
        other: Regex::new(
            r"\b(?:not|no|never|none|should|would|will|must|if|once|when|until|unless|make sure|so that|whether|could|cannot|can|fail\w*|error|exit code|tried|nicht|kein\w*|nie|sollte\w*|würde\w*|wenn|falls|sobald|damit|müss\w*|ob|fehl\w*|versucht)\b|\w+n['’]t\b",
        )
        .ok()?,
        order: Regex::new(
            r"(?i)\b(?:run|test|tests|execute|commit|push|install|build|compile|deploy|führe?|starte?|teste?|laufen|installiere?|committe|checke)\b",
        )
        .ok()?,
        orders_run: Regex::new(
            r"(?:^|[.,;:!]\s*|\b(?:and|then|please|also|und|dann|bitte) )(?:(?:re-?)?(?:run|execute|test|build|compile)|führe?|starte?|teste?|lass|baue?|kompiliere?)\b",
        )
        .ok()?,
    })
});

/// That tests or a build went well.
const PASSED: [&str; 8] = [
    r"\b(?:tests?(?: suite)?|checks?|lints?|linter|clippy) (?:all |now |still |have |has )*(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:are|is) (?:now |all |still )*(?:green|passing))",
    r"\b(?:all|everything)(?: \d+)?(?: of them)? (?:now |still )*pass(?:es|ed)?",
    r"\b\d+ passed",
    r"\b(?:the|a) (?:release |debug )?build (?:now |still |has |is |was )*(?:succeed(?:s|ed)|pass(?:es|ed)|works|green|successful)",
    r"\b(?:it|code|project|crate|program|everything) (?:now |still )*(?:builds|compiles)",
    r"\btests? (?:sind|ist) (?:jetzt |nun |alle )*(?:grün|bestanden|erfolgreich)|\btests? (?:laufen|läuft) (?:jetzt |nun |alle )*(?:fehlerfrei |erfolgreich )?durch|\btests? (?:bestehen|wurden bestanden)|\bder build (?:ist (?:jetzt |nun )?grün|läuft durch)",
    r"\btous les tests passent|\btodas las pruebas pasan|\btodos los tests pasan|\btutti i test passano",
    r"\btodos os testes passam|\balle tests slagen",
];
/// What may follow that.
const AFTER: &str =
    "now|again|and|too|as well|locally|successfully|cleanly|with|without|jetzt|nun|wieder|und";

/// Whether `answer` to `request` says that tests or a build went well.
pub(super) fn claims_pass(answer: &str) -> bool {
    let Some(patterns) = PATTERNS.as_ref() else {
        return false;
    };
    let own = patterns.quoted.replace_all(answer, "…");
    says(&own, |patterns, sentence| {
        patterns.passed.is_match(sentence) && !patterns.reported.is_match(sentence)
    })
}

/// Whether `request` orders that a program be run.
pub(super) fn orders_run(request: &str) -> bool {
    let request = request.trim().to_lowercase();
    PATTERNS
        .as_ref()
        .is_some_and(|patterns| patterns.orders_run.is_match(&request))
}

/// Whether `answer` says that something was committed.
pub(super) fn claims_commit(answer: &str) -> bool {
    says(answer, |patterns, sentence| {
        patterns.committed.is_match(sentence)
    })
}

/// Whether `answer` says that something was pushed.
pub(super) fn claims_push(answer: &str) -> bool {
    says(answer, |patterns, sentence| {
        patterns.pushed.is_match(sentence)
    })
}

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
        [&patterns.well, &patterns.passed, &patterns.spoken]
            .iter()
            .any(|claim| claim.is_match(sentence))
    })
}

fn says(answer: &str, claims: impl Fn(&Patterns, &str) -> bool) -> bool {
    let Some(patterns) = PATTERNS.as_ref() else {
        return false;
    };
    let answer = answer.to_lowercase();
    let answer = patterns.faultless.replace_all(&answer, "without");
    let mut sentences = patterns
        .sentence
        .find_iter(&answer)
        .map(|found| found.as_str().trim());
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
    fn runs_beside_another_act_and_passing_tests_are_claims() {
        for answer in [
            "I fixed the typo and ran the tests: all pass.",
            "I fixed the typo in src/main.rs, then ran the tests without errors.",
            "Ran the tests: no failures.",
            "I fixed it and committed the change.",
        ] {
            assert!(claims("fix the typo", answer), "{answer}");
        }
        for answer in [
            "I fixed the typo and all tests pass.",
            "I fixed the typo. Tests pass.",
            "Fixed; the test suite now passes.",
            "Done: 12 passed, 0 failed.",
            "The tests are all green.",
            "Everything passes now.",
            "The build succeeds.",
            "It compiles without errors.",
            "All checks pass.",
            "I fixed it and the checks have passed.",
            "clippy passes now",
            "Alle Tests laufen jetzt durch.",
            "Tous les tests passent.",
        ] {
            assert!(claims_pass(answer), "{answer}");
        }
        for answer in [
            "I committed the change.",
            "Committed.",
            "The change has been committed.",
        ] {
            assert!(claims_commit(answer), "{answer}");
        }
        assert!(claims_push("I committed it and pushed it."));
    }

    #[test]
    fn what_speaks_of_tests_and_tells_of_no_run_is_no_claim() {
        for answer in [
            "The tests are in tests/.",
            "Run the tests to see.",
            "Run the tests to see that all tests pass.",
            "The tests fail.",
            "I could not run the tests.",
            "I did not run the tests.",
            "I added a test that passes an empty list to `sum`.",
            "The test passes a list on.",
            "It checks passes for holes.",
            "The checks pass their input on.",
            "The README now says that all tests pass.",
            "I put \"all tests pass\" into the README.",
            "It prints `all tests pass` at the end.",
            "Do all tests pass?",
            "All tests should pass now.",
            "I expect that the tests pass.",
            "The build is in build.rs.",
            "The tests passed before the change.",
            "Les tests ne passent pas.",
        ] {
            assert!(!claims_pass(answer), "{answer}");
            assert!(!claims("fix the typo", answer), "{answer}");
        }
        for answer in ["I could not commit it.", "Nothing was committed: no."] {
            assert!(!claims_commit(answer), "{answer}");
        }
        assert!(orders_run("Run the tests") && orders_run("fix it and run the tests"));
        assert!(!orders_run("Summarise the last run of the tests"));
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
