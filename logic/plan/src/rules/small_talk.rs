//! Greetings, thanks and answers that nobody waits for: no orders.

use super::refusal::{Refusal, RefusalKind};
use super::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Greetings and thanks, and who is asked, as the whole request.
static SMALL_TALK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:hello|hi|hey|hallo|hola|servus|moin|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend)|buenos d[ií]as|buenas tardes|thanks|thank you|thx|cheers|danke|gracias)",
        r"(?:[ ,]+(?:there|carl|housecarl|again|so much|very much|a lot|everyone|sch[oö]n|und|and))*[,.!? ]*)*",
        r"(?:(?:who|what) are you|who am i talking to|what(?:'s| is) your name|wer bist du|qui[eé]n eres|how are you(?: doing)?(?: today)?|that was (?:very )?helpful|you (?:were|are) (?:very )?helpful|well done|great|nice)?[.!? ]*$",
    ))
});
/// Thanks, with what one says beside them, which is no order.
static THANKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:ok,? |great,? )?(?:thanks?|thank you|thx|cheers|danke|gracias)(?: so much| very much| a lot| again)?",
        r"(?:[,.!]? (?:you|that|this|it)(?:['’]ve| have| has)? (?:saved|helped|made|worked)(?: [\w'’]+){0,4}",
        r"|[,.!]? that(?:['’]s| is| was) (?:it|all|great|perfect|very helpful|helpful)(?: for (?:today|now))?)?[.!:) ]*$",
    ))
});

/// What answers a question, where it is the whole request.
const ANSWERS: [&str; 16] = [
    "y", "yes", "yep", "yeah", "n", "no", "nope", "ok", "okay", "sure", "ja", "nein", "sí", "si",
    "s", "r",
];

/// What asks for nothing, where it is the whole request.
const LEAVING: [&str; 10] = [
    "stop",
    "do nothing",
    "nothing",
    "never mind",
    "nevermind",
    "cancel",
    "forget it",
    "leave it",
    "abort",
    "enough",
];

/// What is said to a greeting or to an answer that nobody waits for, where that is the whole request.
pub(super) fn answered(request: &str) -> Option<Refusal> {
    let request = request.trim();
    let word = request.trim_end_matches(['.', '!']).to_lowercase();
    if LEAVING.contains(&word.trim_start_matches("please ")) {
        let said = "Nothing was done.".to_owned();
        return Some(Refusal::new(RefusalKind::Help, said, Vec::new()));
    }
    if ["exit", "quit", "bye", "goodbye"].contains(&word.as_str()) {
        let said = "A chat is ended by `/quit` or Ctrl-D.".to_owned();
        return Some(Refusal::new(RefusalKind::Help, said, Vec::new()));
    }
    if ANSWERS.contains(&word.as_str()) {
        let said =
            format!("`{request}` answers a question, and none is open here. Nothing was done.");
        return Some(Refusal::new(RefusalKind::Help, said, Vec::new()));
    }
    let is_greeting = !request.is_empty() && hits(&SMALL_TALK, request);
    let said = match hits(&THANKS, request) {
        true => "You are welcome.".to_owned(),
        false if is_greeting => greeting(),
        false => return None,
    };
    Some(Refusal::new(RefusalKind::Help, said, Vec::new()))
}

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// Who answers, to those who greet.
fn greeting() -> String {
    "I am Housecarl, an agent on your own machine. Tell me what to do with the files here, such as \
     `list the files` or `show notes.txt`; the task `help` lists what works without a model."
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_pattern_compiles() {
        assert!(SMALL_TALK.is_some() && THANKS.is_some());
    }

    #[test]
    fn greetings_are_answered_and_orders_behind_one_are_read() {
        for says in [
            "hello, who are you?",
            "Thanks, that was helpful!",
            "thank you so much, you saved my evening :)",
            "thanks a lot, that's all for today :)",
            "Hallo",
            "hi there",
        ] {
            let answer = crate::rules::plan(says).unwrap_err();
            assert!(
                answer.message.contains("I am Housecarl") || answer.message == "You are welcome.",
                "{says}: {answer}"
            );
        }
        assert!(crate::rules::plan("hello, show notes.txt").is_ok());
        for order in [
            "thanks, delete notes.txt",
            "Thanks, it worked, now set the port to 9000",
            "thanks that was it, undo",
            "thanks, this is the note to remember: the door code is 1234",
        ] {
            let planned = crate::rules::plan(order);
            let is_help = planned.is_err_and(|refusal| refusal.kind == RefusalKind::Help);
            assert!(!is_help, "{order}");
        }
    }
}
