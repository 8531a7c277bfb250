//! The schema for a small model: everything the request already says is settled for it.

use super::cues;
use super::narrow::{KNOWN_PATHS, Known, plan_of};
use super::paths::{is_path, likely_first};
use crate::names::{self, Names};
use crate::project;
use crate::rules::in_file::{self, of_folder, superlative};
use domain::limits::PLAN_ACTIONS;
use domain::plan::{Action, Plan};
use serde_json::{Value, json};

/// Most steps that a small model is given.
const SMALL_ACTIONS: usize = 4;

/// As `for_workspace`, narrowed further by the words of the request, for models so small that
/// they choose badly among many kinds of action: only the kinds that the words speak of, only the
/// files that it names (unless it speaks of others), and no more steps than it has parts. Words
/// that say nothing narrow nothing. It never adds what `for_workspace` does not allow.
#[must_use]
pub fn for_small_model(listing: &[String], request: &str) -> Value {
    let listed = listing;
    let listing = likely_first(listing, request);
    let kinds = kinds_for(listed, request);
    let Names { found, rest } = names::of(listed, request);
    let is_named = |path: &String| is_named(&found, path);
    let names_files = names_files(listed, request);
    let every_file = !names_files || cues::speaks_of_others(&rest);
    // A folder that is not named is only in the way: the workspace itself is always offered.
    let offered: Vec<String> = listing
        .iter()
        .filter(|path| is_named(path) || (every_file && !path.ends_with('/')))
        // What the request names and the workspace has not is where something goes.
        .filter(|path| !names_files || listed.contains(path))
        .cloned()
        .collect();
    let texts = cues::texts(request);
    let most_actions = cues::parts(&rest).min(SMALL_ACTIONS);
    let mut schema = plan_of(&Known::of(&offered), kinds.as_deref(), most_actions);
    // The request itself, word for word, keeps it before the model's eyes while it fills the rest.
    let intent: String = request
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(INTENT_CHARS)
        .collect();
    if !intent.is_empty() {
        schema["properties"]["intent"] = json!({ "type": "string", "enum": [intent] });
    }
    let variants = schema
        .pointer_mut("/properties/actions/items/anyOf")
        .and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        bound_texts(variant, request);
        offer_texts(variant, &texts);
    }
    schema
}

/// Shortest bound of a text that is written, characters.
const WRITTEN_CHARS: u64 = 120;

/// Bounds what is written by the length of the request, in which it stands: such a model finds no end.
fn bound_texts(variant: &mut Value, request: &str) {
    let most = WRITTEN_CHARS.max(request.chars().count() as u64);
    for field in ["content", "new"] {
        let bound = variant.pointer_mut(&format!("/properties/{field}/maxLength"));
        if let Some(bound) = bound
            && let Some(known) = bound.as_u64()
        {
            *bound = json!(known.min(most));
        }
    }
}

/// Offers the texts of the request in the fields that take one, and two different files to compare.
fn offer_texts(variant: &mut Value, texts: &cues::Texts) {
    let kind = variant
        .pointer("/properties/kind/const")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let Some(fields) = variant.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let mut offer = |field: &str, choices: &[String]| {
        if !choices.is_empty() && fields.contains_key(field) {
            fields.insert(
                field.to_owned(),
                json!({ "type": "string", "enum": choices }),
            );
        }
    };
    match kind.as_str() {
        "replace_text" => {
            offer("old", &texts.old);
            offer("new", &texts.new);
        }
        "append_text" | "create_file" => offer("content", &texts.only),
        "search_text" => offer("query", &texts.only),
        "compare_files" => {
            let pointer = "/properties/left/enum";
            let files: Vec<String> = variant
                .pointer(pointer)
                .and_then(Value::as_array)
                .map(|files| {
                    files
                        .iter()
                        .filter_map(Value::as_str)
                        .map(str::to_owned)
                        .collect()
                })
                .unwrap_or_default();
            if let [first, rest @ ..] = files.as_slice()
                && !rest.is_empty()
                && files.len() < KNOWN_PATHS
            {
                variant["properties"]["left"] = json!({ "type": "string", "enum": [first] });
                variant["properties"]["right"] = json!({ "type": "string", "enum": rest });
            }
        }
        _ => {}
    }
}

/// What changes something.
const CHANGES: [&str; 8] = [
    "replace_text",
    "append_text",
    "create_file",
    "make_dir",
    "move_file",
    "delete_file",
    "undo",
    "remember",
];

/// What shows folders.
const OF_FOLDERS: [&str; 4] = ["tree", "list_files", "find_files", "file_sizes"];

/// The kinds of action that a request over known paths speaks of; `None` when its words say
/// nothing. A question that names no file is looked for in all of them.
pub(crate) fn kinds_for(listing: &[String], request: &str) -> Option<Vec<&'static str>> {
    if looks_for_an_answer(listing, request) {
        return Some(vec!["search_text"]);
    }
    let kinds = cues::kinds(&names::of(listing, request).rest);
    match crate::question::wants_telling(request) {
        // Whoever asks wants nothing changed, whatever words the question has.
        true => {
            let mut kinds = kinds.unwrap_or_default();
            kinds.retain(|kind| !CHANGES.contains(kind));
            // Who names a file asks about what is in it, not about folders.
            if names_files(listing, request) {
                kinds.retain(|kind| !OF_FOLDERS.contains(kind));
            }
            if kinds.is_empty() {
                kinds.push("read_file");
            }
            Some(kinds)
        }
        false => kinds.map(|kinds| cues::of_parts(kinds, request)),
    }
}

/// The plan of a question that leaves nothing to choose: the files that it names are read, and where it
/// names none its words are looked for in all of them. No model is asked for it.
#[must_use]
pub fn settled(listing: &[String], request: &str) -> Option<Plan> {
    let readme =
        project::readme(listing, request).map(|path| Action::ReadFile { path: path.clone() });
    let asked_of = of_folder::files_for(request, listing);
    let compared = compared(listing, request);
    let told_of = told_of(listing, request);
    let looks: Vec<Action> = match looks_for_an_answer(listing, request) {
        _ if readme.is_some() => readme.into_iter().collect(),
        // Where none of them tells it, it may stand anywhere.
        true => reading_all(asked_of).chain(searches(request)).collect(),
        false if !asked_of.is_empty() => reading_all(asked_of).collect(),
        false if !compared.is_empty() => reading_all(compared).collect(),
        false if !told_of.is_empty() => reading_all(told_of).collect(),
        false if counts(listing, request) => counting(listing, request),
        false => readings(listing, request),
    };
    let intent = request.split_whitespace().collect::<Vec<_>>().join(" ");
    (!looks.is_empty()).then(|| Plan {
        intent: intent.chars().take(INTENT_CHARS).collect(),
        actions: looks,
    })
}

/// Whether reading these files is all that a question can want, as far as its words tell: it is about
/// what is in them, and speaks of no others.
#[must_use]
pub fn is_answered_by(files: &[String], request: &str) -> bool {
    let names = names::of(files, request);
    !files.is_empty()
        && readings(files, request).len() == files.len()
        && !cues::speaks_of_others(&names.rest)
}

/// One search in the whole workspace for each of the words that say most.
fn searches(request: &str) -> Vec<Action> {
    let mut words = cues::telling_words(request);
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.truncate(SEARCHED_WORDS);
    let search = |word: String| Action::SearchText {
        query: singular(&word).to_owned(),
        path: ".".to_owned(),
    };
    words.into_iter().map(search).collect()
}

/// A word without its plural: every line that has the word has this as well.
fn singular(word: &str) -> &str {
    let stem = word.strip_suffix(['s', 'S']);
    let is_plural = |stem: &&str| stem.len() > 2 && !stem.ends_with(['s', 'S', 'u', 'i']);
    stem.filter(is_plural).unwrap_or(word)
}

/// The files that a question names, where parts of them are compared by counting.
fn compared(listing: &[String], request: &str) -> Vec<String> {
    let named = named_files(listing, request).into_iter();
    let named: Vec<String> = named.cloned().collect();
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let is_told = |path: &String| superlative::may_tell(&request.replace(&name(path), " "), path);
    match named.len() {
        1..=READ_FILES if named.iter().all(is_told) => named,
        _ => Vec::new(),
    }
}

/// The files that a question names and that tell an amount themselves: how many of their lines or rows say something,
/// and how long something is that they set.
fn told_of(listing: &[String], request: &str) -> Vec<String> {
    let named: Vec<String> = named_files(listing, request).into_iter().cloned().collect();
    let is_table = |path: &String| path.ends_with(".csv") || path.ends_with(".tsv");
    let tells = |path: &String| {
        in_file::counted::may_count(request)
            || (is_table(path)
                && (in_file::rows_told::counts_rows(request)
                    || (in_file::asks_sum(request) && crate::question::wants_telling(request))))
            || (in_file::asks_amount(request) && in_file::may_answer(request, path))
    };
    match named.len() {
        1..=READ_FILES if named.iter().all(tells) => named,
        _ => Vec::new(),
    }
}

/// What reads files that a question is about without naming them.
fn reading_all(files: Vec<String>) -> impl Iterator<Item = Action> {
    files.into_iter().map(|path| Action::ReadFile { path })
}

/// The files that a question names, where reading is all that it can want.
fn readings(listing: &[String], request: &str) -> Vec<Action> {
    let only_reads = kinds_for(listing, request).is_some_and(|kinds| kinds == ["read_file"]);
    if !only_reads || !crate::question::wants_telling(request) {
        return Vec::new();
    }
    let files = named_files(listing, request).into_iter();
    let files: Vec<Action> = files
        .map(|path| Action::ReadFile { path: path.clone() })
        .collect();
    match files.len() {
        1..=READ_FILES => files,
        _ => Vec::new(),
    }
}

/// The files that a request names.
fn named_files<'a>(listing: &'a [String], request: &str) -> Vec<&'a String> {
    let named = names::of(listing, request).found;
    let files = listing.iter().filter(|path| !path.ends_with('/'));
    let files = files.filter(|path| is_named(&named, path));
    let files: Vec<&String> = files.collect();
    // `s.toml` is the one that is here, and not docs/s.toml.
    let is_exact = |path: &&&String| {
        let mut words = named.iter();
        words.any(|word| word.trim_start_matches("./") == path.as_str())
    };
    let exact: Vec<&String> = files.iter().filter(is_exact).copied().collect();
    if exact.is_empty() { files } else { exact }
}

/// Whether a question is for the lines or words of files that it names, and speaks of no others.
fn counts(listing: &[String], request: &str) -> bool {
    let only_counts = kinds_for(listing, request).is_some_and(|kinds| kinds == ["count_lines"]);
    let others = cues::speaks_of_others(&names::of(listing, request).rest);
    only_counts && !others && crate::question::wants_telling(request)
}

/// The files that are counted for a question.
fn counting(listing: &[String], request: &str) -> Vec<Action> {
    let files = named_files(listing, request);
    let counted = files.iter().map(|path| Action::CountLines {
        path: (*path).clone(),
    });
    match files.len() {
        1..=COUNTED_FILES => counted.collect(),
        _ => Vec::new(),
    }
}

/// A plan for a question with the files that the question names and no step looks at: they are read too.
#[must_use]
pub fn with_all_named(mut plan: Plan, listing: &[String], request: &str) -> Plan {
    if !crate::question::wants_telling(request) {
        return plan;
    }
    let is_of = |action: &Action, path: &str| {
        let fields = serde_json::to_value(action).unwrap_or_default();
        let mut fields = fields.as_object().into_iter().flat_map(|all| all.values());
        fields.any(|field| field.as_str() == Some(path))
    };
    let named = named_files(listing, request).into_iter();
    let left: Vec<Action> = named
        .filter(|path| !plan.actions.iter().any(|action| is_of(action, path)))
        .map(|path| Action::ReadFile { path: path.clone() })
        .collect();
    if left.len() > READ_FILES || plan.actions.len() + left.len() > PLAN_ACTIONS {
        return plan;
    }
    let answer = plan
        .actions
        .iter()
        .position(|action| matches!(action, Action::Answer { .. }));
    let at = answer.unwrap_or(plan.actions.len());
    plan.actions.splice(at..at, left);
    plan
}

/// Most files that are counted for a question.
const COUNTED_FILES: usize = 8;

/// Most files that are read for a question.
const READ_FILES: usize = 3;
/// Kinds that a question speaks of whose words may stand in any file.
const LOOKED_FOR: [&str; 3] = ["read_file", "search_text", "find_files"];
/// Words of a question that is of what files say, whatever words of an order it has.
const OF_A_FACT: [&str; 5] = ["when", "who", "whose", "whom", "why"];
/// Most words of a question that are looked for.
const SEARCHED_WORDS: usize = 3;

fn looks_for_an_answer(listing: &[String], request: &str) -> bool {
    let names = names::of(listing, request);
    // Whoever asks wants nothing changed, and a folder is no file to look into.
    let kinds = cues::kinds(&names.rest).unwrap_or_default().into_iter();
    let mut kinds = kinds.filter(|kind| !CHANGES.contains(kind));
    // `when does the regatta start?` is of no beginning of a file.
    let first = request.split_whitespace().next().unwrap_or_default();
    let asks_of_a_fact = OF_A_FACT.contains(&first.to_lowercase().as_str());
    let only_looks = asks_of_a_fact || kinds.all(|kind| LOOKED_FOR.contains(&kind));
    let has_words = !cues::telling_words(request).is_empty();
    only_looks
        && has_words
        && crate::question::wants_telling(request)
        && !listing.iter().any(|path| is_named(&names.found, path))
        && names.found.iter().all(|word| !is_path(word))
}

fn is_named(named: &[String], path: &str) -> bool {
    let plain = path.trim_end_matches('/');
    let name = plain.rsplit('/').next();
    named.iter().any(|word| {
        let word = word.trim_start_matches("./").trim_end_matches('/');
        word == plain || name == Some(word)
    })
}

fn names_files(listing: &[String], request: &str) -> bool {
    let named = names::of(listing, request).found;
    listing
        .iter()
        .any(|path| !path.ends_with('/') && is_named(&named, path))
}

/// Longest intent of a plan, characters.
const INTENT_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_its_files_alone_is_answered_by_them() {
        let is = |request: &str| is_answered_by(&["a.toml".to_owned()], request);
        for question in [
            "which port does a.toml set?",
            "What does ./a.toml say about the port?",
            "summarise a.toml",
        ] {
            assert!(is(question), "{question}");
        }
        for other in [
            "which files besides a.toml set a port?",
            "is a.toml like every other file?",
            "set the port in a.toml to 90",
            "which port is set?",
            "how many lines does a.toml have?",
        ] {
            assert!(!is(other), "{other}");
        }
        assert!(!is_answered_by(&[], "which port does a.toml set?"));
    }

    #[test]
    fn a_question_for_a_fact_is_looked_for_and_no_file_shown() {
        let listing = ["a.md", "notes.md"].map(str::to_owned);
        for question in ["when does the regatta start?", "who comes first?"] {
            let plan = settled(&listing, question).unwrap();
            let mut actions = plan.actions.iter();
            let is_search = |action: &Action| matches!(action, Action::SearchText { .. });
            assert!(actions.all(is_search), "{question}: {plan:?}");
        }
    }

    #[test]
    fn all_files_that_a_question_names_are_counted_or_read() {
        let listing = ["novel.md", "ch3-old.md", "other.md"].map(str::to_owned);
        let question = "how many words do novel.md and ch3-old.md have together?";
        let plan = settled(&listing, question).unwrap();
        let counted = |path: &str| Action::CountLines {
            path: path.to_owned(),
        };
        assert_eq!(plan.actions, [counted("novel.md"), counted("ch3-old.md")]);
        let half = Plan {
            intent: "look".to_owned(),
            actions: vec![counted("novel.md")],
        };
        let whole = with_all_named(half.clone(), &listing, question);
        let read = Action::ReadFile {
            path: "ch3-old.md".to_owned(),
        };
        assert_eq!(whole.actions, [counted("novel.md"), read]);
        assert_eq!(with_all_named(whole.clone(), &listing, question), whole);
        assert_eq!(
            with_all_named(half.clone(), &listing, "count novel.md and ch3-old.md"),
            half
        );
    }

    #[test]
    fn a_file_that_tells_an_amount_is_read() {
        let listing = ["a.log", "p.csv", "n.conf"].map(str::to_owned);
        let read = |path: &str| Action::ReadFile {
            path: path.to_owned(),
        };
        let count = |path: &str| Action::CountLines {
            path: path.to_owned(),
        };
        for (question, action) in [
            ("how many ERROR lines are in a.log?", read("a.log")),
            (
                "how many characters come from Bern in p.csv?",
                read("p.csv"),
            ),
            ("how many characters are over 30 in p.csv?", read("p.csv")),
            ("how long is read_timeout in n.conf?", read("n.conf")),
            ("how many lines are in a.log?", count("a.log")),
            ("how many characters does p.csv have?", count("p.csv")),
        ] {
            let plan = settled(&listing, question).unwrap();
            assert_eq!(plan.actions, [action], "{question}");
        }
    }

    #[test]
    fn a_plural_is_looked_for_by_its_singular() {
        for (word, sought) in [
            ("TODOs", "TODO"),
            ("errors", "error"),
            ("status", "status"),
            ("address", "address"),
            ("gas", "gas"),
        ] {
            assert_eq!(singular(word), sought);
        }
    }
}
