//! What is said to an order to forget something: which entries of memory are about it, each with the command by
//! which the user removes it. Nothing here removes one.

use crate::rules;
use domain::fault::Fault;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;
use text::escape::visible_line;

/// From which relevance on a memory is about what is to be forgotten, 0 to 1.
const ABOUT: f64 = 0.3;
/// Most entries that are told, and characters of each.
const TOLD: usize = 5;
const SHOWN_CHARS: usize = 60;

/// A constant pattern. One that does not compile would match nothing; a test proves that it does.
static FORGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:please )?(?:(?:can|could) you )?(?:please )?(?:",
        r"(?:forget|unlearn) (?:about |of )?(?:that |what (?:i|we) (?:said|told you) (?:about|of) |(?:the|my|your) memor(?:y|ies) (?:about|of|on|that) )?(?P<a>.+?)",
        r"|(?:delete|remove|erase) (?P<b>.+?) from (?:your |my |the )?memor(?:y|ies)",
        r")[.!? ]*$",
    ))
    .ok()
});

/// Words that say nothing of what is to be forgotten.
const UNSAID: [&str; 14] = [
    "it",
    "this",
    "that",
    "them",
    "these",
    "those",
    "everything",
    "anything",
    "all",
    "me",
    "us",
    "what",
    "something",
    "nothing",
];

/// What an order to forget is about; `None` of any other request, and where it does not say.
#[must_use]
pub fn subject(request: &str) -> Option<String> {
    let english = rules::in_english(request.trim());
    let found = FORGET.as_ref()?.captures(english.trim())?;
    let said = found.name("a").or_else(|| found.name("b"))?.as_str();
    let said = said.trim().trim_matches(['"', '\'', '“', '”']);
    let bare = ["my ", "the ", "our ", "your "];
    let said = bare
        .iter()
        .find_map(|word| said.strip_prefix(word))
        .unwrap_or(said);
    let is_said = !UNSAID.contains(&said.to_lowercase().as_str());
    let is_one = !said.contains([';', '\n']) && !said.contains(" then ");
    (is_said && is_one && !said.is_empty()).then(|| said.to_owned())
}

/// What is said of the entries that a search of memory found about it.
#[must_use]
pub fn told(subject: &str, found: &Value) -> Fault {
    let results = found.get("results").and_then(Value::as_array);
    let field = |one: &Value, name: &str| {
        visible_line(one.get(name).and_then(Value::as_str).unwrap_or_default())
    };
    let is_about = |one: &&Value| {
        let relevance = one.get("relevance").and_then(Value::as_f64);
        // What was only said has no entry of its own to remove.
        field(one, "kind") == "memory" && relevance.unwrap_or(0.0) >= ABOUT
    };
    let about: Vec<&Value> = results.into_iter().flatten().filter(is_about).collect();
    let subject = visible_line(subject);
    let entries = about.iter().take(TOLD).map(|one| {
        let says = match field(one, "text") {
            text if text.is_empty() => field(one, "name"),
            text => text,
        };
        let first: String = says.chars().take(SHOWN_CHARS).collect();
        let more = if first.len() < says.len() { "…" } else { "" };
        format!("\"{first}{more}\" (id {})", field(one, "id"))
    });
    let entries: Vec<String> = entries.collect();
    let count = match about.len() {
        0 => format!("Memory has nothing about `{subject}` that was kept."),
        1 => format!(
            "Memory has 1 entry about `{subject}`: {}.",
            entries.join(", ")
        ),
        count => format!(
            "Memory has {count} entries about `{subject}`: {}.",
            entries.join(", ")
        ),
    };
    let commands = about.iter().take(TOLD);
    let commands = commands.map(|one| format!("carl memory forget {}", field(one, "id")));
    let commands: Vec<String> = commands.collect();
    Fault {
        code: "plan.unavailable".to_owned(),
        message: format!("Forgetting is yours alone. {count} Nothing was done."),
        hint: match commands.is_empty() {
            true => "`carl memory list` shows all that is kept.".to_owned(),
            false => format!("In a shell: {}", commands.join(" | ")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_order_to_forget_says_what_it_is_about() {
        assert!(FORGET.is_some());
        for (says, about) in [
            ("forget my deadline", Some("deadline")),
            (
                "Please forget what I told you about the printer.",
                Some("printer"),
            ),
            (
                "forget that the shop opens at nine",
                Some("shop opens at nine"),
            ),
            ("remove the deadline from your memory", Some("deadline")),
            ("could you forget about Anna?", Some("Anna")),
            ("forget my deadline then show a.txt", None),
            ("forget it", None),
            ("forget everything", None),
            ("clear your memory", None),
            ("don't forget the milk", None),
            ("delete the line from notes.txt", None),
        ] {
            assert_eq!(subject(says).as_deref(), about, "{says}");
        }
    }

    #[test]
    fn entries_are_told_with_the_command_that_removes_each() {
        let one = |id: &str, text: &str, kind: &str, relevance: f64| json!({"id": id, "text": text, "kind": kind, "relevance": relevance});
        let found = json!({"results": [
            one("01", "the deadline is Monday", "memory", 0.9),
            one("02", "forget my deadline", "conversation", 0.9),
            one("03", "the cat is called Mia", "memory", 0.1),
        ]});
        let fault = told("deadline", &found);
        assert_eq!(
            fault.message,
            "Forgetting is yours alone. Memory has 1 entry about `deadline`: \"the deadline is Monday\" (id 01). \
             Nothing was done."
        );
        assert_eq!(fault.hint, "In a shell: carl memory forget 01");
        let two =
            json!({"results": [one("01", "a", "memory", 0.9), one("02", "b", "memory", 0.8)]});
        let fault = told("deadline", &two);
        assert_eq!(
            fault.hint,
            "In a shell: carl memory forget 01 | carl memory forget 02"
        );
        let fault = told("deadline", &json!({"results": []}));
        assert!(
            fault.message.contains("nothing about `deadline`"),
            "{}",
            fault.message
        );
    }
}
