//! Claims about Housecarl's own keeping: that something was forgotten, which no tool does, and that a
//! reminder is set. Small models say so without a call. Where a file was changed as well, "I removed
//! it" and "I added a reminder" may tell of that: then only plain words count.

use regex::Regex;
use std::sync::LazyLock;

struct Patterns {
    forget: Regex,
    forgotten: Regex,
    plainly_forgotten: Regex,
    remind: Regex,
    remind_me: Regex,
    reminds: Regex,
    file: Regex,
    sentence: Regex,
    other: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let i = "i(?:['’]ve| have)?(?: now| just| also| successfully)*";
    let ich = "(?:ich hab(?:e|['’]s)?|hab(?:e)? ich)";
    Some(Patterns {
        forget: Regex::new(
            r"^\W*(?:please |bitte )?(?:forget|vergiss|vergesse)\b|\b(?:forget|delete|remove|erase|clear)\b.*\b(?:remember|memory|memories|know about)\b|\b(?:vergiss|lösch\w*|entfern\w*)\b.*(?:gedächtnis|erinnerung|gemerkt)",
        )
        .ok()?,
        forgotten: Regex::new(&format!(
            r"\b{i} (?:forgotten|forgot|deleted|removed|erased|cleared)\b|\b(?:is|has been) (?:now )?(?:forgotten|deleted|removed|erased)\b|\b{ich}\b.*\b(?:vergessen|gelöscht|entfernt)\b|\b(?:ist|wurde) (?:jetzt |nun )?(?:vergessen|gelöscht|entfernt)\b|^\W*(?:done|forgotten|deleted|erledigt|vergessen|gelöscht|fertig)[.!]*$"
        ))
        .ok()?,
        plainly_forgotten: Regex::new(&format!(
            r"\b{i} forgotten\b|\b(?:is|has been) (?:now )?forgotten\b|\b{ich}\b.*\bvergessen\b|\b(?:ist|wurde) (?:jetzt |nun )?vergessen\b"
        ))
        .ok()?,
        remind_me: Regex::new(r"\bremind me\b|\berinner(?:e|st)? mich\b").ok()?,
        file: Regex::new(r"[\w-]+\.[a-z][a-z0-9]{0,4}\b|\b(?:file|datei)\b").ok()?,
        remind: Regex::new(r"\b(?:remind|reminder|timer|alarm|wecker|weck)\b|\berinner(?:e|ung|st)?\b")
            .ok()?,
        reminds: Regex::new(&format!(
            r"\b{i} (?:set|created|scheduled|added) .*\b(?:reminder|timer|alarm)\b|\b(?:reminder|timer|alarm) (?:is|has been) (?:now )?(?:set|created|scheduled)\b|\b{ich}\b.*(?:erinnerung|timer|wecker|alarm)\b.*(?:gestellt|gesetzt|eingerichtet|angelegt|erstellt)"
        ))
        .ok()?,
        sentence: Regex::new(r"(?:[^.!?\n]|[.!?]\S)+[.!?]?").ok()?,
        other: Regex::new(
            r"\b(?:not|no|never|nothing|cannot|can|could|would|should|will|if|when|how|nicht|nichts|kein\w*|kann|könnte|wenn|falls|soll\w*)\b|\w+n['’]t\b",
        )
        .ok()?,
    })
});

/// Whether `answer` says that what `request` wants forgotten is. `beside_change`: a file was changed.
#[must_use]
pub fn claims_forgetting(request: &str, answer: &str, beside_change: bool) -> bool {
    claims(request, answer, beside_change, |patterns| {
        let claim = match beside_change {
            true => &patterns.plainly_forgotten,
            false => &patterns.forgotten,
        };
        (&patterns.forget, claim)
    })
}

/// Whether `answer` says that the reminder is set which `request` orders. `beside_change`: a file was
/// changed.
#[must_use]
pub fn claims_reminder(request: &str, answer: &str, beside_change: bool) -> bool {
    claims(request, answer, beside_change, |patterns| {
        let order = match beside_change {
            true => &patterns.remind_me,
            false => &patterns.remind,
        };
        (order, &patterns.reminds)
    })
}

fn claims(
    request: &str,
    answer: &str,
    beside_change: bool,
    which: impl Fn(&Patterns) -> (&Regex, &Regex),
) -> bool {
    let Some(patterns) = PATTERNS.as_ref() else {
        return false;
    };
    let (order, claim) = which(patterns);
    if super::is_question(request) || !order.is_match(&request.to_lowercase()) {
        return false;
    }
    let answer = answer.to_lowercase();
    let mut sentences = patterns
        .sentence
        .find_iter(&answer)
        .map(|found| found.as_str().trim());
    sentences.any(|sentence| {
        let is_open = sentence.ends_with('?')
            || patterns.other.is_match(sentence)
            || (beside_change && patterns.file.is_match(sentence));
        !is_open && claim.is_match(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_and_reminders_are_claims_where_they_were_ordered() {
        assert!(PATTERNS.is_some());
        let forget = "Delete what you remember about my publisher";
        for (request, answer) in [
            (forget, "I deleted it from memory."),
            (
                "Forget my publisher",
                "Done. I have forgotten your publisher.",
            ),
            ("Vergiss, dass mein Verlag Seemann ist", "Erledigt."),
            (
                "Vergiss meinen Verlag",
                "Ich habe ihn aus dem Gedächtnis gelöscht.",
            ),
        ] {
            assert!(
                claims_forgetting(request, answer, false),
                "{request}: {answer}"
            );
        }
        for (request, answer) in [
            (forget, "I cannot forget it: no tool does that."),
            (forget, "I have not deleted it."),
            ("How do you forget?", "I have forgotten it."),
            ("Tell me a story", "I have forgotten it."),
            ("Don't forget the milk", "Done."),
        ] {
            assert!(
                !claims_forgetting(request, answer, false),
                "{request}: {answer}"
            );
        }
        let remind = "Remind me tomorrow at 9 of the deadline";
        let reminds = |request, answer| claims_reminder(request, answer, false);
        assert!(reminds(remind, "I set a reminder for tomorrow at 9."));
        assert!(reminds(
            "Erinnere mich um neun",
            "Ich habe dir einen Timer gestellt."
        ));
        assert!(!reminds(remind, "I can set no reminder here."));
        assert!(!reminds("Set the table", "I set a reminder."));
    }

    #[test]
    fn beside_a_change_only_plain_words_are_claims() {
        let remind = "Remind me tomorrow at 9 and note it in todo.md";
        let reminds = |request, answer| claims_reminder(request, answer, true);
        assert!(reminds(remind, "Noted. I set a reminder for tomorrow."));
        assert!(!reminds(remind, "I added a reminder to todo.md."));
        assert!(!reminds("Add a timer to app.js", "I added a timer."));
        let forget = "Forget my publisher and take it out of notes.md";
        let forgets = |request, answer| claims_forgetting(request, answer, true);
        assert!(forgets(forget, "I have forgotten your publisher."));
        assert!(!forgets(forget, "I removed it."));
        assert!(!forgets(forget, "Done."));
        assert!(!forgets(
            "Remove the memory leak in a.rs",
            "I removed the leak."
        ));
    }
}
