//! Rules for keeping something in memory and for showing what it holds.

use super::rule::{Rule, rule};
use crate::rules::building::{Built, Match};
use crate::rules::refusal::Refusal;
use crate::rules::words::{is_file, pattern, trim_word};
use domain::plan::Action;
use regex::Regex;
use std::sync::LazyLock;

/// Words that stand for a text without saying it.
const UNSAID: [&str; 7] = [
    "it",
    "this",
    "that",
    "me",
    "them",
    "something",
    "everything",
];

fn remember(found: &Match<'_>) -> Built {
    let text = found.told("c")?;
    let is_unsaid = UNSAID.contains(&text.to_lowercase().as_str());
    if !found.is_quoted("c") && is_unsaid {
        return what();
    }
    match part_of_a_file(&text).filter(|_| !found.is_quoted("c")) {
        Some(file) => {
            let why = format!("`{text}` may be the text itself or speak of one that {file} has.");
            let nearest = vec![format!("show {file}"), format!("remember \"{text}\"")];
            Err(Refusal::ambiguous(why, nearest))
        }
        None => Ok(Some(Action::Remember { text })),
    }
}

/// The file whose text words speak of without being it: `the content of a.txt`, `all in a.txt`.
fn part_of_a_file(text: &str) -> Option<&str> {
    static PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:the |all |whole |entire |full |first |last )*(?:contents?|texts?|lines?|words?|everything|all|what) (?:that )?(?:of|in|from|inside|(?:is|are|stands?) (?:written )?(?:in|inside))(?: the| file)* (?P<file>\S+)$|^(?P<of>\S+)['’]s (?:whole |entire |full )?(?:contents?|text)$",
        )
    });
    let found = PART.as_ref()?.captures(text)?;
    let file = found.name("file").or_else(|| found.name("of"))?;
    Some(trim_word(file.as_str())).filter(|file| is_file(file))
}

fn what() -> Built {
    let nearest = vec!["remember that the shop opens at nine".to_owned()];
    Err(Refusal::ambiguous(
        "What should I remember?".to_owned(),
        nearest,
    ))
}

/// Keeping something.
pub static REMEMBERING: [Rule; 6] = [
    rule(
        r"(?:remember|keep in mind|keep|save|store|note|write)(?: (?:it|this|that|something))?(?: (?:in|to|into) (?:your |my |the )?memory)?|memori[sz]e(?: (?:it|this|that))?",
        |found| {
            let whole = found.captures[0].to_lowercase();
            let speaks_of_memory = ["remember", "memor", "mind"]
                .iter()
                .any(|word| whole.contains(word));
            match speaks_of_memory {
                true => what(),
                false => Ok(None),
            }
        },
    ),
    rule(
        r"remember (?:what|when|where|who|whom|whose|which|why|how|if|whether)\b.*",
        |found| {
            let step = found.request.shown(&found.captures[0]);
            let rest = step.split_once(' ').map_or("", |(_, rest)| rest).to_owned();
            let nearest = vec![format!("recall {rest}"), format!("remember \"{rest}\"")];
            let why = format!("`{step}` may ask for something or give something to keep.");
            Err(Refusal::ambiguous(why, nearest))
        },
    ),
    rule(
        r"(?:remember|memori[sz]e|keep in mind|bear in mind|(?:do not|don['’]?t) forget)(?: the following| this)?(?:,? that|,|:)? {text:c}",
        remember,
    ),
    rule(
        r"(?:make|take) (?:a )?(?:mental )?note(?: that| of|:) {text:c}|note(?: down)?(?:,? that|:) {text:d}",
        |found| match found.has("c") {
            true => remember(found),
            false => Ok(Some(Action::Remember {
                text: found.told("d")?,
            })),
        },
    ),
    rule(
        r"(?:save|store|put|add|write|keep|commit) {text:c} (?:to|in|into) (?:your |my |the )?(?:long[- ]term )?memory",
        remember,
    ),
    rule(
        r"(?:save|store|put|add|write|keep)(?: this)? (?:to|in|into) (?:your |my |the )?memory(?: that|:)? {text:c}",
        remember,
    ),
];

fn recall(found: &Match<'_>) -> Built {
    Ok(Some(Action::Recall {
        query: found.told("q")?,
    }))
}

/// Showing what is kept.
pub static RECALLING: [Rule; 7] = [
    rule(
        r"what (?:(?:all )?do you (?:remember|recall)|(?:did|have|had) (?:i|we) (?:tell|told|ask|asked) you to (?:remember|keep|keep in mind|note|memori[sz]e)|(?:have|did) you (?:remember(?:ed)?|kept?|saved?|stored?)|is remembered)(?: so far| by now| now| in all| altogether| from before| here)?|(?:(?:list|show)(?: me)?|tell me) (?:all |everything |what )(?:that )?(?:you (?:remember|recall|have kept|kept)|is remembered|i told you to remember)",
        |_| {
            let why = "What is remembered is listed by `carl memory list`; in a chat, `/memory X` or `recall X` shows what \
                 is about X.";
            Err(Refusal::unavailable(why, Vec::new()).for_no_model())
        },
    ),
    rule(
        r"(?:recall|what do you know|do you (?:remember|recall)(?: (?:me|it|that|this|anything))?|what did (?:i|we) (?:say|tell you|talk about|discuss)|what have (?:i|we) (?:said|told you)|remind me|what is in (?:your |my |the )?memory|search (?:your |my |the )?memory)",
        |_| {
            let nearest = vec!["recall how I like my coffee".to_owned()];
            let why = "About what? `carl memory list` shows everything that is kept.".to_owned();
            Err(Refusal::ambiguous(why, nearest).for_no_model())
        },
    ),
    rule(r"remind me(?: to| at| in| on| when| every) .+", |_| {
        let nearest = vec![
            "remember that the rent is due on Monday".to_owned(),
            "recall \"rent\"".to_owned(),
        ];
        Err(Refusal::unavailable(
            "Reminding you at a time is not among the things I can do without a model.",
            nearest,
        ))
    }),
    rule(
        r"(?:recall|remind me)(?: (?:me|everything|all|anything))?(?: what (?:i|we) (?:said|told you|talked|discussed|decided|agreed|kept|saved))?(?: about| of| on)? {text:q}",
        recall,
    ),
    rule(
        r"what (?:else )?(?:do you (?:remember|recall|know)|did (?:i|we) (?:say|tell you|talk|discuss|decide|agree)|have (?:i|we) (?:said|told you|discussed))(?: about| of| on)? {text:q}|what(?: is|'s|’s) in (?:your |my |the )?memory (?:about|of|on) {text:r}",
        |found| match found.has("q") {
            true => recall(found),
            false => Ok(Some(Action::Recall {
                query: found.told("r")?,
            })),
        },
    ),
    rule(
        r"(?:do|can) (?:you )?(?:remember|recall)(?: about| of)? {text:q}|did (?:i|we) (?:ever )?(?:say|tell you|mention|talk|discuss)(?: about| of| anything about)? {text:r}",
        |found| match found.has("q") {
            true => recall(found),
            false => Ok(Some(Action::Recall {
                query: found.told("r")?,
            })),
        },
    ),
    rule(
        r"(?:search|look in|look into|look through|check|ask|grep) (?:your |my |the )?(?:memory|memories) (?:for|about) {word}{text:q}|(?:search for|search|find|look for|look up|get|show|show me) {word}{text:r} (?:in|from) (?:your |my |the )?(?:memory|memories)",
        |found| match found.has("q") {
            true => recall(found),
            false => Ok(Some(Action::Recall {
                query: found.told("r")?,
            })),
        },
    ),
];
