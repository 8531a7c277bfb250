//! Whether a request wants to be told something, decided from its words alone.
//!
//! In plan mode such a request gets an `answer` step at the end of its plan when the planner left
//! it out. The rule: a request wants telling when it ends with a question mark or begins with a
//! question word or a verb of telling (`summarise`, `explain`, `describe`, `tell`). It does not when
//! it begins like a polite order (`can you …`, `could you …`, `would you …`, `will you …`,
//! `please …`) and what follows is no verb of telling, and an order to write stays one whatever the text
//! behind its colon ends in.

use crate::behind_colon;
use domain::fault::Fault;
use domain::plan::{Action, Plan};

/// Longest question an answer step carries, characters.
pub const QUESTION_CHARS: usize = 400;

const ASKING: [&str; 21] = [
    "what", "what's", "whats", "who", "who's", "whose", "whom", "where", "where's", "when",
    "which", "why", "how", "is", "are", "does", "do", "did", "has", "was", "were",
];
const TELLING: [&str; 8] = [
    "summarise",
    "summarize",
    "explain",
    "describe",
    "tell",
    "answer",
    "say",
    "outline",
];
/// Verbs before a summary that is wanted: `give me a summary of a.md`.
const GIVING: [&str; 4] = ["give", "show", "tl;dr", "tldr"];
const POLITE: [&str; 5] = ["can", "could", "would", "will", "please"];

/// Whether the request wants to be told something.
#[must_use]
pub fn wants_telling(text: &str) -> bool {
    if behind_colon::is_order(text) {
        return false;
    }
    let lower = text.trim().to_lowercase();
    // What goes on with a question is one: `and what is the timeout there`.
    let goes_on = ["and ", "und ", "y "]
        .iter()
        .find_map(|joint| lower.strip_prefix(joint));
    let asks_on = goes_on.filter(|rest| {
        let first = rest.split_whitespace().next().unwrap_or_default();
        ASKING.contains(&first) && first != "do"
    });
    let lower = asks_on.map_or(lower.clone(), str::to_owned);
    let mut words = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '\''))
        .filter(|word| !word.is_empty());
    let Some(first) = words.next() else {
        return false;
    };
    let begins: String = lower.chars().take(40).collect();
    let is_summary = ["summary", "gist", "tl;dr"]
        .iter()
        .any(|word| begins.contains(word));
    if is_summary && GIVING.contains(&first) {
        return true;
    }
    if for_a_setting(text).is_some() {
        return true;
    }
    if POLITE.contains(&first) {
        return words
            .find(|word| !["you", "please", "i", "me"].contains(word))
            .is_some_and(|word| TELLING.contains(&word) || ASKING.contains(&word));
    }
    // `below which temperature does it start? see heat.toml`
    let orders = words.any(|word| POLITE.contains(&word));
    let asks = lower.ends_with('?') || (lower.contains("? ") && !orders);
    ASKING.contains(&first) || TELLING.contains(&first) || asks
}

/// Verbs before a setting that is wanted.
const SHOWING: [&str; 4] = ["show", "print", "display", "give"];
/// Words between such a verb and the name of a setting.
const BEFORE_A_NAME: [&str; 5] = ["me", "the", "value", "of", "setting"];
/// Endings of files that are lists of settings.
const OF_SETTINGS: [&str; 9] = [
    ".env",
    ".ini",
    ".toml",
    ".conf",
    ".cfg",
    ".json",
    ".yaml",
    ".yml",
    ".properties",
];
/// What such a file has besides settings.
const PARTS: [&str; 14] = [
    "line",
    "lines",
    "content",
    "contents",
    "text",
    "section",
    "sections",
    "everything",
    "all",
    "comments",
    "keys",
    "values",
    "settings",
    "top",
];

/// The question for one setting of a file that is to be shown, and not the file: `show SMTP_TOKEN in .env`.
fn for_a_setting(request: &str) -> Option<String> {
    let is_one = |word: &str, of: &[&str]| of.contains(&word.to_lowercase().as_str());
    let mut words = request.split_whitespace();
    words.next().filter(|word| is_one(word, &SHOWING))?;
    let rest: Vec<&str> = words
        .skip_while(|word| is_one(word, &BEFORE_A_NAME))
        .collect();
    let [name, "in" | "of" | "from", file] = rest.as_slice() else {
        return None;
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_setting = name.chars().all(is_name) && !is_one(name, &PARTS);
    let is_file = OF_SETTINGS
        .iter()
        .any(|ending| file.to_lowercase().ends_with(ending));
    (is_setting && is_file).then(|| format!("what is {name} in {file}?"))
}

/// Words that an order begins with.
const ORDERING: [&str; 24] = [
    "delete", "remove", "erase", "set", "change", "append", "add", "create", "make", "move",
    "rename", "replace", "write", "put", "undo", "update", "edit", "fix", "correct", "insert",
    "save", "clear", "lösche", "borra",
];
/// Words before an order.
const BEFORE_ORDERS: [&str; 12] = [
    "please", "then", "and", "ok", "okay", "now", "also", "if", "so", "yes", "not", "just",
];

/// Whether a request asks something and then orders something: a small model answers the question and
/// claims the rest. Quoted texts do not count.
#[must_use]
pub fn orders_too(request: &str) -> bool {
    let Some((asked, rest)) = request.split_once("? ") else {
        return false;
    };
    let sentences = rest.split(['.', '?', '!', ';', ',']);
    let begins = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let mut words = lower.split_whitespace();
        words
            .find(|word| !BEFORE_ORDERS.contains(word))
            .is_some_and(|word| ORDERING.contains(&word))
    };
    asked.matches('"').count() % 2 == 0 && sentences.into_iter().any(begins)
}

/// What is said to such a request.
#[must_use]
pub fn one_by_one() -> Fault {
    Fault {
        code: "plan.question".to_owned(),
        message: "This asks something and orders something, which is too much for one plan here. \
                  Nothing was done."
            .to_owned(),
        hint: "Ask first, and then say what to do.".to_owned(),
    }
}

/// What is said to a request of several orders.
#[must_use]
pub fn order_by_order() -> Fault {
    Fault {
        code: "plan.not_understood".to_owned(),
        message: "This is more than one order, which is too much for one plan of a model of this \
                  size. Nothing was done."
            .to_owned(),
        hint: "Give one order at a time, or use a larger model.".to_owned(),
    }
}

/// The plan that answers from what is in view and looks at nothing.
#[must_use]
pub fn only_answer(request: &str) -> Plan {
    let question: String = request.trim().chars().take(QUESTION_CHARS).collect();
    Plan {
        intent: "answer from the data that was given".to_owned(),
        actions: vec![Action::Answer { question }],
    }
}

/// Words by which whoever asks speaks of themselves.
const OWN: [&str; 8] = ["i", "my", "me", "mine", "myself", "we", "our", "us"];
/// Words of a question that is about files all the same.
const OF_FILES: [&str; 16] = [
    "file",
    "files",
    "folder",
    "folders",
    "document",
    "documents",
    "note",
    "notes",
    "write",
    "wrote",
    "written",
    "here",
    "code",
    "line",
    "lines",
    "text",
];

/// Whether a request asks about whoever asks, and speaks of no file: `which editor do I use?`.
#[must_use]
pub fn is_of_the_user(request: &str) -> bool {
    let lower = request.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let says = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let tells_me = lower.starts_with("tell me ")
        && words.iter().filter(|word| OWN.contains(word)).count() == 1;
    wants_telling(request) && says(&OWN) && !says(&OF_FILES) && !tells_me
}

/// Words by which one alone speaks of themselves. With `we` a project is meant as often, of which files tell.
const ONES_OWN: [&str; 5] = ["i", "my", "me", "mine", "myself"];

/// Whether a question is of whoever asks alone, and of no `we`.
#[must_use]
pub fn is_of_one(request: &str) -> bool {
    let lower = request.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ONES_OWN.contains(&word))
}

/// Whether a question is for what no file says of whoever asks: `what is my name?`.
#[must_use]
pub fn is_of_a_person(request: &str) -> bool {
    let lower = request
        .trim()
        .trim_end_matches(['?', '!', '.', ' '])
        .to_lowercase();
    let lower = lower.replace("what's ", "what is ");
    let asks = [
        "what is my ",
        "do you know my ",
        "who am i",
        "how old am i",
        "tell me my ",
    ];
    let known = [
        "name",
        "first name",
        "last name",
        "full name",
        "surname",
        "age",
        "nickname",
    ];
    asks.iter().any(|asks| match lower.strip_prefix(asks) {
        Some("") => true,
        Some(rest) => asks.ends_with(' ') && known.contains(&rest),
        None => false,
    })
}

/// The plan that shows what memory has on a question, in its own words.
#[must_use]
pub fn recalling(request: &str) -> Plan {
    let query: String = request.trim().chars().take(QUESTION_CHARS).collect();
    Plan {
        intent: "show what memory has on it".to_owned(),
        actions: vec![Action::Recall { query }],
    }
}

/// Adds an answer step when the request wants telling and the plan has none. A plan that is full
/// stays as it is.
#[must_use]
pub fn with_answer(mut plan: Plan, request: &str) -> Plan {
    let answers = plan
        .actions
        .iter()
        .any(|action| matches!(action, Action::Answer { .. }));
    let full = plan.actions.len() >= domain::limits::PLAN_ACTIONS;
    if wants_telling(request) && !answers && !full {
        let asked = for_a_setting(request);
        let asked = asked.as_deref().unwrap_or(request.trim());
        let question = asked.chars().take(QUESTION_CHARS).collect();
        plan.actions.push(Action::Answer { question });
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_setting_of_a_file_is_told_and_the_file_is_shown() {
        for text in [
            "show SMTP_TOKEN in .env",
            "show me the value of port in conf/app.ini",
            "print server.port from settings.toml",
        ] {
            assert!(wants_telling(text), "{text}");
        }
        for text in [
            "show .env",
            "show lines 3 to 5 of app.ini",
            "show the comments in app.ini",
            "show Ilse in chapter1.md",
            "show the first line of app.ini",
        ] {
            assert!(!wants_telling(text), "{text}");
        }
    }

    #[test]
    fn questions_want_telling_and_orders_do_not() {
        for text in [
            "What is the phone number in contacts.txt?",
            "how many apples are there",
            "Summarise notes.md",
            "Can you tell me who wrote this?",
            "Please explain the plan",
            "Ann's number?",
            "what does a.md say: is it open?",
            "give me a short summary of notes.md",
            "below what temperature does it start? see heat.toml",
        ] {
            assert!(wants_telling(text), "{text}");
        }
        for text in [
            "List the files",
            "Can you list the files?",
            "please delete a.txt",
            "old.txt is done, could you delete it? thanks",
            "Replace 'what' with 'that' in a.txt",
            "append to a.md: Where was Jonas?",
            "could you add to a.md: what is it?",
            "   ",
        ] {
            assert!(!wants_telling(text), "{text}");
        }
    }

    #[test]
    fn a_question_about_whoever_asks_is_told_from_one_about_files() {
        for text in [
            "what do I know about my editor?",
            "which editor do I use?",
            "Can you tell me what my dog is called?",
        ] {
            assert!(is_of_the_user(text), "{text}");
        }
        for text in [
            "which editor is used?",
            "where did I write about renewing the passport?",
            "tell me which port is set",
            "show my editor",
        ] {
            assert!(!is_of_the_user(text), "{text}");
        }
    }

    #[test]
    fn a_question_of_a_person_is_told_from_one_of_a_project() {
        for text in ["what is my name?", "What's my name", "who am I?"] {
            assert!(is_of_a_person(text) && is_of_one(text), "{text}");
        }
        for text in [
            "what is my deadline?",
            "what is my name in people.csv?",
            "who am I waiting for?",
        ] {
            assert!(!is_of_a_person(text), "{text}");
        }
        assert!(!is_of_one("what version are we on?"));
    }

    #[test]
    fn an_order_behind_a_question_is_found() {
        for text in [
            "What is in list.txt? Remove the line about milk.",
            "Which port does a.toml set? Then set it to 9000.",
            "Is the port 80? If so, delete a.txt.",
            "Does list.txt say \"milk\"? Please append \"eggs\" to it.",
        ] {
            assert!(orders_too(text), "{text}");
        }
        for text in [
            "what is at the top of log.txt? first two lines please",
            "append \"who? delete it\" to a.txt",
            "Who leads? It should be in notes.md.",
        ] {
            assert!(!orders_too(text), "{text}");
        }
    }

    #[test]
    fn an_answer_step_is_added_once_and_never_beyond_the_limit() {
        let look = || Action::ListFiles {
            path: ".".to_owned(),
        };
        let plan = |count: usize| Plan {
            intent: "look".to_owned(),
            actions: std::iter::repeat_with(look).take(count).collect(),
        };
        let one = with_answer(plan(1), "what is here?");
        assert_eq!(one.actions.len(), 2);
        assert_eq!(with_answer(one.clone(), "what is here?"), one);
        assert_eq!(with_answer(plan(1), "list this").actions.len(), 1);
        let most = domain::limits::PLAN_ACTIONS;
        assert_eq!(with_answer(plan(most), "what is here?").actions.len(), most);
    }
}
