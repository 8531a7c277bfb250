//! A whole request in the hands of the rules: planned and validated.

use crate::planned::not_clear;
use crate::quoted::in_quotes;
use crate::rules::in_file::{self, pasted, whole_words};
use crate::rules::{self, RefusalKind, joined, parts, small_talk};
use crate::{forbidden, gate, named, orders, question};
use domain::fault::{Coded, Fault};
use domain::plan::{Action, Plan};
use domain::tool::{EffectClass, UNDO};
use std::collections::BTreeMap;
use text::escape::visible_line;

pub use crate::offers::{FileState, Files, Need, needs, of_given_texts, proven, told};
pub use crate::planned::{
    ByRules, Ready, Unplanned, after_reading, formats_to_read, list_to_read, must_be_there,
    of_whole_words, plan, stays_sound, words_to_read,
};

/// Whether the rules do a request, or answer it in words.
#[must_use]
pub fn understands(request: &str) -> bool {
    matches!(plan(request), Ok(_) | Err(Unplanned::Help(_)))
}

/// Whether a request only looks and the rules do it, or asks and they may answer it.
#[must_use]
pub fn only_looks(request: &str) -> bool {
    match plan(request) {
        Ok(ByRules::Plan(plan)) => {
            let mut actions = plan.actions.iter();
            actions.all(|action| gate::effect(action) == EffectClass::Read)
        }
        Ok(_) => false,
        Err(_) => question::wants_telling(request),
    }
}

/// A request with the file or folder for its `it` or `there` that the user's request before names, where
/// the rules do it then and not as it stands; `None` for any other.
#[must_use]
pub fn going_on(request: &str, before: &str) -> Option<String> {
    if understands(request) {
        return None;
    }
    let is_known = |resolved: &String| understands(resolved) || !asks_of(resolved).is_empty();
    joined::of_another(request, before)
        .or_else(|| joined::of_another_value(request, before))
        .or_else(|| joined::going_on(request, before).filter(|resolved| understands(resolved)))
        .filter(is_known)
}

/// The question before, of the file that a request names in part (`and in chapter 2?`), as the user would type it.
#[must_use]
pub fn asked_elsewhere(request: &str, before: &str) -> Option<String> {
    joined::asked_elsewhere(request, before)
}

/// Whether a request orders to take back what was done last, and is not of the last change alone: the last change
/// of several is one.
#[must_use]
pub fn takes_back_last(request: &str) -> bool {
    let is_undo = rules::plan(request).is_ok_and(|plan| plan.actions == [Action::Undo {}]);
    let english = in_english(request).to_lowercase();
    let is_of_one = |word: &str| ["last", "latest", "previous"].contains(&word);
    is_undo && !english.split_whitespace().any(is_of_one)
}

/// The order that takes back so many changes.
#[must_use]
pub fn taking_back(changes: usize) -> String {
    vec![UNDO; changes].join("; ")
}

/// A request that a tiny model is to work on, with the folder for its `there` that the user's request before
/// names, and where it only asks, with the file for its `it`; `None` for any other.
#[must_use]
pub fn going_on_for_model(request: &str, before: &str) -> Option<String> {
    let asks = question::wants_telling(request) && !orders::acts(request);
    let asked = asks.then(|| joined::going_on(request, before)).flatten();
    asked.or_else(|| joined::there(request, before))
}

/// The last of the user's requests, oldest first, with the names for each `it` and `there`; `None` of none.
#[must_use]
pub fn newest_of<'a>(requests: impl IntoIterator<Item = &'a str>) -> Option<String> {
    requests.into_iter().fold(None, |before, request| {
        let resolved = before.and_then(|before: String| {
            joined::of_another(request, &before)
                .or_else(|| joined::of_another_value(request, &before))
                .or_else(|| joined::asked_elsewhere(request, &before))
                .or_else(|| joined::going_on(request, &before))
        });
        Some(resolved.unwrap_or_else(|| request.to_owned()))
    })
}

/// Whether a request is a greeting or thanks and nothing else, which the rules answer.
#[must_use]
pub fn greets(request: &str) -> bool {
    small_talk::to_greeting(request.trim()).is_some()
}

/// Whether nothing in a request names an act or a thing that a tool reaches: a greeting, thanks, a question
/// about who answers.
#[must_use]
pub fn is_small_talk(request: &str) -> bool {
    greets(request) || small_talk::is_of_talk_alone(request)
}

/// The refusal of a request that a small model does not pass over: of an order, what is understood is not
/// left to a guess.
#[must_use]
pub fn refuses(request: &str) -> Option<Fault> {
    if let Some(refusal) = parts::refusal(&in_english(request))
        && rules::plan(request).is_err()
    {
        return Some(refusal.fault());
    }
    if forbidden::only_forbids(request) {
        return Some(rules::forbidden(request).fault());
    }
    if in_file::read(request).is_some() || matches!(plan(request), Ok(ByRules::Several(_))) {
        return None;
    }
    let refusal = rules::plan(request).err()?;
    let is_unread = refusal.kind == RefusalKind::NotUnderstood
        && !forbidden::forbids(request)
        && !rules::has_unclear_end(request);
    if is_unread && let Some(unplanned) = not_clear(&joined::orders(request)) {
        return Some(unplanned.fault());
    }
    let stands = refusal.stands(orders::acts(request));
    stands.then(|| of_given_texts(refusal, request).fault())
}

/// Most files of a question that are read to answer it.
const READ_FILES: usize = 3;

/// The files that a question names and that may answer it, such as those of settings; none where there are more
/// than three.
#[must_use]
pub fn asks_of(request: &str) -> Vec<String> {
    let request = in_english(request);
    let files = named::files_of(&request);
    let may_be = |path: &String| in_file::may_answer(&request, path);
    let is_told = question::wants_telling(&request) && files.iter().any(may_be);
    let is_counted = files.len() == 1
        && (in_file::counted::may_count(&request)
            || in_file::asks_sum(&request)
            || parts::asks_rows(&request)
            || ((parts::asks_lines(&request) || parts::asks_words(&request))
                && rules::plan(&request).is_err())
            || in_file::paragraphs::is_asked(&request));
    match is_told || is_counted {
        true if files.len() <= READ_FILES => files,
        _ => Vec::new(),
    }
}

/// Whether the rules tell a part of the file that a request names: `show the first paragraph of chapter1.md`.
#[must_use]
pub fn tells(request: &str) -> bool {
    !asks_of(request).is_empty()
}

/// The files of a folder, whose paths these are, that a question is about without naming one: those that say
/// which packages a project has, where it is for the version of one, and those of a kind of which it is for the
/// longest.
#[must_use]
pub fn asks_of_folder(request: &str, listing: &[String]) -> Vec<String> {
    in_file::of_folder::files_for(&in_english(request), listing)
}

/// What files say to a question, with the text of each behind its path.
#[must_use]
pub fn answer(request: &str, texts: &[(String, String)]) -> Option<String> {
    in_file::answers(&in_english(request), texts)
}

/// Whether a plan makes a file and does nothing else.
#[must_use]
pub fn makes(plan: &Plan, path: &str) -> bool {
    matches!(plan.actions.as_slice(), [Action::CreateFile { path: made, .. }] if made == path)
}

/// What is said of a word that is the name of no file and no folder, where one was to be listed.
#[must_use]
pub fn nothing_called(word: &str) -> Fault {
    let told = visible_line(word);
    let hint = match word.to_lowercase().as_str() {
        "history" | "sessions" => {
            "`carl session list` has the sessions, and `carl diff` what requests changed in files."
                .to_owned()
        }
        _ => format!("Try: search for {}", in_quotes(&told)),
    };
    Fault {
        code: "plan.step_failed".to_owned(),
        message: format!("There is no file and no folder `{told}` here. Nothing was done."),
        hint,
    }
}

/// A request in English, where it is one that is known whole in German or Spanish; else as it is.
#[must_use]
pub fn in_english(request: &str) -> String {
    rules::in_english(request)
}

/// A request as the intent of its plan.
#[must_use]
pub fn intent(request: &str) -> String {
    rules::intent(request)
}

/// The file that a plan adds paragraphs to, which begin behind an empty line where its last line is of one.
#[must_use]
pub fn gap_to_read(plan: &Plan) -> Option<String> {
    pasted::to_read(plan)
}

/// A plan that adds paragraphs, with the empty line before them, where the text of the file is known.
#[must_use]
pub fn with_gap(plan: Plan, texts: &BTreeMap<String, String>) -> Plan {
    pasted::with_gap(plan, texts)
}

/// What the texts of files are after a step, as far as they are known.
pub fn follow(texts: &mut BTreeMap<String, String>, action: &Action) {
    whole_words::follow(texts, action);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(request: &str, text: &str) -> Result<Vec<Action>, String> {
        let told = |unplanned: Unplanned| {
            let fault = unplanned.fault();
            format!("{} {}", fault.message, fault.hint)
        };
        match plan(request).map_err(told)? {
            ByRules::AfterReading(asked, literal) => {
                let ready = after_reading(request, &asked, literal, text);
                ready.map(|ready| ready.plan.actions).map_err(told)
            }
            ByRules::Plan(plan) => Ok(plan.actions),
            ByRules::Several(orders) => Err(format!("{orders:?}")),
        }
    }

    #[test]
    fn the_name_of_a_value_is_not_replaced_as_a_word() {
        for (says, text) in [
            ("change listen to 8080 in nginx.conf", "  listen { 80; }\n"),
            ("change PORT to 9000 in Makefile", "PORT != cat port\n"),
            (
                "change the log level to debug in note.toml",
                "# the log level may be info\n[other]\nlevel = \"info\"\n",
            ),
        ] {
            let told = after(says, text).unwrap_err();
            assert!(told.contains("may name a value"), "{says}: {told}");
        }
        // The controls: a value, and a word of a text.
        for (says, text) in [
            ("change 8080 to 9090 in h.json", "{\"port\": 8080}\n"),
            (
                "change port to 9 in h.json",
                "{\"port\": 8080, \"ssl\": false}\n",
            ),
            (
                "change port to 9 in i.yaml",
                "server: {port: 8080, host: a}\n",
            ),
            (
                "change Tuesday to Monday in days.txt",
                "Tuesday: call the bank\n",
            ),
        ] {
            assert_eq!(after(says, text).unwrap().len(), 1, "{says}");
        }
        let log = "# the log level may be info\n[log]\nlevel = \"info\"\n";
        assert!(after("change the log level to debug in note.toml", log).is_ok());
        let on = after("change enabled to no in settings.ini", "enabled=yes\n").unwrap();
        let Action::ReplaceText { new, .. } = &on[0] else {
            panic!("{on:?}");
        };
        assert_eq!(new, "no");
    }

    #[test]
    fn an_order_in_passing_that_is_not_clear_is_told_by_its_file() {
        for says in [
            "show a.txt and by the way fix it",
            "change port to 9 in a.toml and by the way fix it",
        ] {
            let told = after(says, "port = 1\n").unwrap_err();
            assert!(
                told.contains("I did not understand `fix a."),
                "{says}: {told}"
            );
            assert!(
                says.starts_with("change") || refuses(says).is_some(),
                "{says}"
            );
        }
        // Who is to be told something is not refused for it.
        assert!(refuses("show a.txt and summarise it").is_none());
    }

    #[test]
    fn a_question_for_all_memories_names_the_command() {
        for says in ["what do you remember?", "What do you remember so far?"] {
            let refused = refuses(says).unwrap();
            assert!(refused.message.contains("`carl memory list`"), "{says}");
        }
        assert!(understands("what do you remember about Ann?"));
    }

    #[test]
    fn what_was_done_last_is_more_than_the_last_change() {
        for says in [
            "undo",
            "undo that",
            "take it back",
            "Mach das rückgängig",
            "deshazlo",
        ] {
            assert!(takes_back_last(says), "{says}");
        }
        for says in [
            "undo the last change",
            "deshaz el último cambio",
            "undo; undo",
            "undo both",
        ] {
            assert!(!takes_back_last(says), "{says}");
        }
        assert!(rules::plan(&taking_back(3)).is_ok_and(|plan| plan.actions.len() == 3));
    }

    #[test]
    fn orders_whose_parts_are_whole_are_done_one_by_one_and_others_asked_back() {
        let says = "replace Tom with Tim in novel.md and replace Anna with Anne in novel.md";
        assert!(matches!(plan(says), Ok(ByRules::Several(orders)) if orders.len() == 2));
        for says in [
            // A file may have the name of the text.
            "remove \"milk\" and add \"oat\" to list.txt",
            // The first order moves the lines of the second.
            "delete line 2 of n.txt and delete line 3 of n.txt",
            // The end may be text or an order.
            "add to notes.md: buy milk and show notes.md",
        ] {
            assert!(!understands(says), "{says}");
        }
    }
}
