//! Questions that were closed before they were answered here.

use domain::event::ConfirmationAnswer;
use text::escape::visible_line;

/// What is said of a question that was closed: what was answered, or that nobody did. `again`: what
/// the user types to have the whole request asked once more; empty where there is nothing.
#[must_use]
pub fn closed(answer: &ConfirmationAnswer, by: &str, again: &str) -> String {
    let said = in_words(answer);
    match (by, again) {
        ("user", _) => format!("answered in another window: {said}"),
        ("timeout", "") => "nobody answered in time, which counts as a no".to_owned(),
        ("timeout", again) => format!(
            "nobody answered in time, which counts as a no; {again} asks the request once more when it has \
             ended"
        ),
        ("session", _) => "covered by your yes for the session".to_owned(),
        (other, _) => format!("answered by {}: {said}", visible_line(other)),
    }
}

/// An answer in words.
#[must_use]
pub fn in_words(answer: &ConfirmationAnswer) -> String {
    match answer {
        ConfirmationAnswer::Once => "yes, this once".to_owned(),
        ConfirmationAnswer::Session => "yes, for this session".to_owned(),
        ConfirmationAnswer::Deny { message } if message.is_empty() => "no".to_owned(),
        ConfirmationAnswer::Deny { message } => format!("no: {}", visible_line(message)),
    }
}

/// Whether a line can be nothing but an answer to a question.
#[must_use]
pub fn is_answer(line: &str) -> bool {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = word
        .trim_end_matches([',', ':', ';', '.', '!'])
        .to_lowercase();
    match word.as_str() {
        "n" => true,
        "no" | "none" | "y" | "yes" | "s" | "session" | "a" | "all" | "o" | "one" | "r"
        | "remember" | "v" | "view" => rest.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_question_says_what_was_answered() {
        let no = |message: &str| ConfirmationAnswer::Deny {
            message: message.to_owned(),
        };
        for (answer, by, told) in [
            (
                ConfirmationAnswer::Once,
                "user",
                "answered in another window: yes, this once",
            ),
            (
                ConfirmationAnswer::Session,
                "user",
                "answered in another window: yes, for this session",
            ),
            (no(""), "user", "answered in another window: no"),
            (
                no("later\u{1b}"),
                "user",
                "answered in another window: no: later\\u{1b}",
            ),
        ] {
            assert_eq!(closed(&answer, by, "/retry"), told);
        }
        let late = closed(&no(""), "timeout", "/retry");
        assert!(
            late.contains("counts as a no; /retry asks the request"),
            "{late}"
        );
        let run = closed(&no(""), "timeout", "");
        assert!(run.ends_with("counts as a no"), "{run}");
    }

    #[test]
    fn only_a_bare_answer_is_taken_for_one() {
        for answer in [
            "y",
            " S ",
            "n",
            "n not this one",
            "no",
            "none",
            "a",
            "o",
            "r",
            "yes.",
        ] {
            assert!(is_answer(answer), "{answer}");
        }
        for message in [
            "",
            "yes, but look first",
            "no idea",
            "all of it",
            "why",
            "/retry",
        ] {
            assert!(!is_answer(message), "{message}");
        }
    }
}
