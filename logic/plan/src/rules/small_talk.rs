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

/// A greeting that is asked for.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:please |can you |could you |just )*say (?:hello|hi|hey|hallo|hola|good (?:morning|afternoon|evening|day))",
        r"(?: to (?:me|us|everyone)| there| please)*[.!? ]*$",
    ))
});
/// Words that talk is begun or ended with.
const TALK: &str = "hello hi hey hallo hola servus moin greetings morning afternoon evening night thanks thank \
    thx cheers danke gracias bye goodbye joke welcome pleased";
/// Others.
const TALK_PHRASES: [&str; 7] = [
    " who are you ",
    " what are you ",
    " how are you ",
    " your name ",
    " what can you do ",
    " see you ",
    " nice to meet you ",
];
/// Words that talk has beside them.
const BESIDE_TALK: &str = "a abend afternoon am and another are bist can carl day days dear dich dir do doing du es \
    estás everybody everyone eres feel feeling fine for friend funny geht good great guten have hope housecarl \
    how i i'm is kind later like lot me meet mir morgen much my name nice of ok okay por please pleasure \
    quién qué say see so tag tell there to today tomorrow too us very was wer wie well were what what's who \
    you you're your yourself";

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
    let said = to_greeting(request)?;
    Some(Refusal::new(RefusalKind::Help, said, Vec::new()))
}

/// What is said to a greeting or to thanks, where that is the whole request.
pub(crate) fn to_greeting(request: &str) -> Option<String> {
    let is_greeting = hits(&SMALL_TALK, request) || hits(&SAID, request);
    match hits(&THANKS, request) {
        true => Some("You are welcome.".to_owned()),
        false => (is_greeting && !request.is_empty()).then(greeting),
    }
}

/// Whether a request has words of talk alone, among them one that talk is begun or ended with. Words such
/// as `it`, `again` or `yes` may stand for what was spoken of before, and are none.
pub(crate) fn is_of_talk_alone(request: &str) -> bool {
    let lower = request.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || ",.!?;:()-".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let joined = format!(" {} ", words.join(" "));
    let is_of = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    let is_begun = words.iter().any(|word| is_of(TALK, word))
        || TALK_PHRASES.iter().any(|phrase| joined.contains(phrase));
    is_begun
        && words
            .iter()
            .all(|word| is_of(TALK, word) || is_of(BESIDE_TALK, word))
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
        assert!(SMALL_TALK.is_some() && THANKS.is_some() && SAID.is_some());
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
            "say hello",
            "Please say hi to everyone!",
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

    #[test]
    fn talk_names_nothing_to_do() {
        for talk in [
            "hello",
            "say hello",
            "Say hello to me, please.",
            "good morning, how are you today?",
            "who are you?",
            "what can you do?",
            "tell me a joke",
            "Thanks, that was helpful!",
            "see you tomorrow",
            "nice to meet you, I'm fine",
            "wie geht es dir, moin",
        ] {
            assert!(crate::by_rules::is_small_talk(talk), "{talk}");
        }
        for more in [
            "",
            "yes",
            "yes please",
            "do it",
            "again",
            "no",
            "go on",
            "ok",
            "hello, show notes.txt",
            "hi, can you do it",
            "thanks, do that again",
            "say hello in a.txt",
            "write hello world to a file",
            "what is the port?",
            "how are you configured in carl.toml?",
            "tell me my appointments for today",
            "what are your files?",
            "good morning, what is new in my notes",
            "who is Ravi?",
        ] {
            assert!(!crate::by_rules::is_small_talk(more), "{more}");
        }
    }
}
