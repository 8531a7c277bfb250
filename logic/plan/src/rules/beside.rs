//! Requests that no look at a file answers: lines of a shell, questions about the session, an answer that is to be
//! written, two places at once, and what goes on with a question in part.
//!
//! A small model shows some file for each of them, which passes for the answer.

use super::grammar::what_changed;
use super::refusal::Refusal;
use super::words::pattern;
use crate::{named, orders};
use regex::Regex;
use std::sync::LazyLock;
use text::escape::visible_line;

/// Most characters of a request that are said again.
const SHOWN_CHARS: usize = 60;

/// A line for a shell: the program's name and one of its commands.
static SHELL_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:\./)?carl (?P<command>memory|session|undo|diff|run|chat|tui|models?|doctor|audit|policy|quality|serve|web|engine|agents|config|inbox|schedule|jobs)(?:\s|$)",
    )
});
/// What in a chat does the same as a command of the shell, or the nearest to it.
const IN_A_CHAT: [(&str, &str); 6] = [
    ("memory", "`/memory WORDS` searches what is remembered"),
    ("undo", "`/undo` takes back the last request"),
    ("diff", "`/diff` shows what this session changed in files"),
    ("models", "`/model` shows the model and chooses another"),
    ("agents", "`/agents` shows the types of agents"),
    ("session", "`/export NAME` writes this session to a file"),
];
static EXPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:please )?(?:export|save)|(?:how (?:do|can|could|would) (?:i|we|you)|(?:can|could) (?:i|you)) (?:export|save)) (?:this|the|our|my) (?:conversation|session|chat|talk)(?: (?:to|as|in|into) .+)?[?.! ]*$",
    )
});
/// What was changed, asked of the session and not of a text.
static CHANGED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:so )?(?:(?:show|tell|list)(?: me)? )?(?:what|which files) (?:",
        r"(?:did|have|had) (?:i|we|you) (?:change|changed|edit|edited|modify|modified)(?: (?:so far|today|yet|here|now|until now|up to now|in (?:this|the) (?:session|chat|conversation|folder|project)|in [\w./-]+\.\w+))*",
        r"|(?:has |have |was |were |is )?(?:been )?changed (?:so far|today|here|in (?:this|the) (?:session|chat|conversation)|since .*\b(?:commits?|sessions?|start|beginning|began|started|yesterday))",
        r")[?.! ]*$",
        r"|^(?:show|tell|list)(?: me)? (?:what (?:was |has |have |were )?(?:been )?changed in [\w./-]+\.\w+|the history of (?:the |my |our |all )?changes)[?.! ]*$",
    ))
});
/// Which of many stands most often.
static MOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:and )?(?:which|what) (?:\w+ )?(?:is|are|was|were|appears?|occurs?|comes?|stands?|tries|tried) (?:up )?(?:the )?most(?: (?:frequent|frequently|common|commonly|often))?(?: (?:in|of) \S+)?[?.! ]*$",
    )
});
/// What the session was allowed.
static ALLOWED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^what (?:were|was|are) (?:you|the agents?|agents) (?:allowed|permitted)(?: to do)?[?.! ]*$",
    )
});
/// An answer that is to be written.
static REPLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?is)^(?:please )?(?:answer|reply(?: to)?|respond to) \S.*? (?:with|by|saying)(?: the (?:text|words?|line))?(?::\s*\S| ?["“„'])"#,
    )
});
/// Both ends of the lines of a text.
static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?P<verb>(?:please )?(?:(?:show|print|give|tell|list|get|read|display)(?: me)?|what (?:is|are|was|were)|which (?:is|are)) )?(?:the )?",
        r"(?:(?:very )?first and (?:the )?(?:very )?last|last and (?:the )?first) (?P<rest>(?:\w+ )?(?:lines?|entry|entries|rows?|messages?|errors?|warnings?|paragraphs?)\b.*?)[?.! ]*$",
    ))
});
/// A file that is to be read for something in it.
static READ_FOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:please )?(?:read|open|look at|look into|see|check) (?:the )?(?:file )?@?(?P<file>\S+\.\w+),? and (?:then )?(?:tell|give) me (?P<what>(?:the|its) [^,;.]+?)[?.! ]*$",
    )
});
/// What goes on with a question, and has no verb of its own or somebody whom it does not name.
static GOES_ON: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:and|und|y)(?: (?:what|how) about)? (?P<rest>\S.*)\?\s*$"));
static VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|what|which|who|whose|when|where|why|how|show|list|count|tell|find|search|ist|sind|war|hat|haben|wer|was|wie|wo|wann|qué|quién|cuánto|cuántos|cuántas|dónde|es|está|tiene)\b",
    )
});
static SOMEBODY: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:he|she|they|him|her|hers|his|their|theirs)\b"));

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// What is said to such a request; `None` to any other.
pub(super) fn refusal(request: &str) -> Option<Refusal> {
    let request = request.trim();
    let refusal = shell_line(request)
        .or_else(|| export(request))
        .or_else(|| hits(&CHANGED, request).then(|| changed(request)))
        .or_else(|| reply(request))
        .or_else(|| most(request))
        .or_else(|| allowed(request))
        .or_else(|| ends(request))
        .or_else(|| read_for(request))
        .or_else(|| part_of_a_question(request))?;
    Some(refusal.for_no_model())
}

fn shell_line(request: &str) -> Option<Refusal> {
    let found = SHELL_LINE.as_ref()?.captures(request)?;
    let why = format!("`{}` is typed in a shell, and not here.", shown(request));
    let command = &found["command"];
    let beside = IN_A_CHAT.iter().find(|(name, _)| *name == command);
    let refusal = Refusal::unavailable(&why, Vec::new());
    Some(match beside {
        Some((_, beside)) => refusal.advised(format!("In a chat {beside}.")),
        None => refusal,
    })
}

fn export(request: &str) -> Option<Refusal> {
    hits(&EXPORT, request).then(|| {
        let why = "In a chat `/export NAME` writes the session to a file, and in a shell `carl session export` does.";
        Refusal::unavailable(why, Vec::new())
    })
}

/// What stands most often is told by nobody who counts one word at a time.
fn most(request: &str) -> Option<Refusal> {
    hits(&MOST, request).then(|| {
        let why = "I count the lines that have a word, and do not count all words to find the most frequent.";
        Refusal::unavailable(why, Vec::new())
            .advised("Such as `how many lines in FILE have \"WORD\"?` for each of them.")
    })
}

fn allowed(request: &str) -> Option<Refusal> {
    hits(&ALLOWED, request).then(|| {
        let why = "What was allowed and refused is in the record of audit, which I do not read.";
        Refusal::unavailable(why, Vec::new()).advised(
            "In a shell `carl audit tail` prints it; in a chat `/inspect calls` shows the calls.",
        )
    })
}

fn changed(request: &str) -> Refusal {
    match request.to_lowercase().contains("commit") {
        true => what_changed()
            .advised("What git has of it is shown by `!git diff` in a chat.".to_owned()),
        false => what_changed(),
    }
}

fn reply(request: &str) -> Option<Refusal> {
    hits(&REPLY, request).then(|| {
        let why = "An answer is a text that is written into a file, and which file is not said.";
        Refusal::unavailable(why, Vec::new()).advised(
            "Such as `create \"Reply.md\" with the text:`, and the text on the lines below it."
                .to_owned(),
        )
    })
}

/// Of both ends at once each is asked for by itself, which shows the line to type.
fn ends(request: &str) -> Option<Refusal> {
    let found = ENDS.as_ref()?.captures(request)?;
    let rest = &found["rest"];
    let why = "The first and the last are two places, and I show one at a time.";
    let both = vec![
        format!("show the first {rest}"),
        format!("show the last {rest}"),
    ];
    let nearest = match named::files_of(rest).is_empty() {
        true => Vec::new(),
        false => both,
    };
    Some(Refusal::unavailable(why, nearest))
}

/// The question that a file is to be read for.
fn read_for(request: &str) -> Option<Refusal> {
    let found = READ_FOR.as_ref()?.captures(request)?;
    let what = found["what"].replacen("its ", "the ", 1);
    let is_whole = ["summary", "gist", "contents", "content", "text"]
        .iter()
        .any(|whole| what.contains(whole));
    (!is_whole).then(|| {
        let why = "To read a file and to tell something of it is one question.";
        let question = format!("what is {what} in {}?", &found["file"]);
        Refusal::unavailable(why, vec![question])
    })
}

fn part_of_a_question(request: &str) -> Option<Refusal> {
    let found = GOES_ON.as_ref()?.captures(request)?;
    let rest = &found["rest"];
    let is_part = !hits(&VERB, rest) && !orders::is_verb(orders::verb(rest).as_str());
    let names_nobody = hits(&SOMEBODY, rest) && named::files_of(rest).is_empty();
    (is_part || names_nobody).then(|| {
        let why = format!(
            "`{}` goes on with another question, and what it asks of which file I cannot tell.",
            shown(request)
        );
        Refusal::unavailable(&why, Vec::new()).advised(
            "Ask the whole question, with its file: `what is the role of Elsa in FILE?`, `how many words does FILE have?`."
                .to_owned(),
        )
    })
}

fn shown(request: &str) -> String {
    let line = visible_line(request).to_string();
    let short: String = line.chars().take(SHOWN_CHARS).collect();
    match short.len() < line.len() {
        true => format!("{short}…"),
        false => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_pattern_compiles() {
        for constant in [
            &SHELL_LINE,
            &EXPORT,
            &CHANGED,
            &REPLY,
            &ENDS,
            &READ_FOR,
            &MOST,
            &ALLOWED,
            &GOES_ON,
            &VERB,
            &SOMEBODY,
        ] {
            assert!(constant.is_some());
        }
    }

    #[test]
    fn what_no_file_answers_is_refused_with_what_does() {
        for (says, told) in [
            ("carl memory list", "/memory WORDS"),
            (
                "which ip is most frequent in logs/auth.log",
                "how many lines",
            ),
            ("which ip tries the most?", "how many lines"),
            ("what were you allowed to do", "carl audit tail"),
            ("carl doctor --sandbox", "typed in a shell"),
            ("carl memory forget 01a23298-0000", "/memory WORDS"),
            ("how do I export the conversation?", "/export NAME"),
            ("export this conversation", "/export NAME"),
            ("what did I change so far?", "`/diff`"),
            ("what changed since the last commit?", "!git diff"),
            ("show me what changed in config.json", "`/diff`"),
            ("show me the history of changes", "`/diff`"),
            (
                "answer the letter from Mrs Keller with: Dear Ruth, thank you.",
                "with the text:",
            ),
            (
                "first and last line of haproxy.cfg",
                "show the first line of haproxy.cfg | show the last line of haproxy.cfg",
            ),
            (
                "what are the first and last lines of a.log with Failed?",
                "show the last lines of a.log with Failed",
            ),
            (
                "read @pyproject.toml and tell me the line length",
                "what is the line length in pyproject.toml?",
            ),
            ("where were we?", "carl session list"),
            ("and the first and last?", "whole question"),
            ("and in chapter 2?", "whole question"),
            ("and the role?", "whole question"),
            ("and all four chapters together?", "whole question"),
            ("and what colour are her eyes?", "whole question"),
        ] {
            let refused = crate::by_rules::refuses(says).unwrap_or_else(|| panic!("{says}"));
            let told_all = format!("{} {}", refused.message, refused.hint);
            assert!(told_all.contains(told), "{says}: {told_all}");
        }
    }

    #[test]
    fn what_a_file_may_answer_is_left() {
        for says in [
            "carl, show notes.md",
            "who is carl memory?",
            "what changed in the last release?",
            "what did Anna change in chapter1.md?",
            "answer the question in q.md",
            "who answered with a letter?",
            "what are the first and last name of Ann in people.csv?",
            "show the first line of a.md",
            "read a.md and give me the gist",
            "and what is the timeout there?",
            "and who is the author of b.md?",
            "and show a.md?",
            "export \"x\" to a.md",
            "save the chat log as b.md",
        ] {
            assert!(refusal(says).is_none(), "{says}");
        }
        for order in [
            "show the first line of haproxy.cfg",
            "show the last line of haproxy.cfg",
        ] {
            assert!(crate::by_rules::understands(order), "{order}");
        }
    }
}
