//! Whether a change that a model planned is one of what the user named.

use crate::named::{
    is_a_name, is_in_it, is_named, is_no_new_name, is_part_of_more, is_place, is_said,
    is_typed_as_folder, is_typed_as_path, left_out, quotes_another, words_of_files,
};
use crate::rules::{TAKING_BACK, in_file};
use crate::schema::cues;
use crate::unknown_order::{advice, shortened};
use crate::{by_rules, compile, endings, forbidden, gate, orders, question};
use domain::fault::{Coded, Fault};
use domain::plan::{Action, Plan};
use domain::tool::EffectClass;
use text::escape::visible_line;

/// Words that ask for a copy, which no step makes.
const COPIES: [&str; 6] = ["copy", "copies", "duplicate", "kopie", "kopiere", "copia"];
/// Words that ask for a change to be taken back.
const TAKES_BACK: [&str; 10] = [
    "undo",
    "revert",
    "reverse",
    "restore",
    "back",
    "undone",
    "rückgängig",
    "zurück",
    "deshaz",
    "deshacer",
];
/// Words of another change than the last, or of more than one.
const NOT_THE_LAST: [&str; 9] = [
    "up",
    "all",
    "everything",
    "changes",
    "first",
    "second",
    "third",
    "two",
    "three",
];
/// Words of a place within a text, which an addition at its end has not.
const WITHIN: [&str; 12] = [
    "under",
    "section",
    "before",
    "after",
    "above",
    "below",
    "between",
    "beneath",
    "top",
    "beginning",
    "start",
    "middle",
];
/// The same in German and Spanish.
const WITHIN_ELSEWHERE: [&str; 33] = [
    "heading",
    "paragraph",
    "inside",
    "absatz",
    "abschnitt",
    "überschrift",
    "anfang",
    "beginn",
    "oben",
    "mitte",
    "vor",
    "nach",
    "hinter",
    "unter",
    "über",
    "zwischen",
    "neben",
    "párrafo",
    "sección",
    "título",
    "principio",
    "inicio",
    "comienzo",
    "mitad",
    "antes",
    "después",
    "despues",
    "debajo",
    "encima",
    "delante",
    "detrás",
    "entre",
    "tras",
];
/// Words for a line, of which one with a number is a place.
const LINES: [&str; 8] = [
    "line", "lines", "zeile", "zeilen", "línea", "linea", "líneas", "lineas",
];
/// Words of a condition, which no step has.
const CONDITIONS: [&str; 3] = ["if", "unless", "except"];
/// Words that speak of a place other than the folder itself.
const PLACES: [&str; 7] = [
    "folder",
    "folders",
    "directory",
    "subfolder",
    "there",
    "ordner",
    "carpeta",
];
/// What means the folder itself.
const HERE: [&str; 5] = [
    "this folder",
    "this directory",
    "current folder",
    "diesem ordner",
    "esta carpeta",
];
/// Endings of files that hold data, which what a small model makes up spoils.
const DATA: [&str; 8] = ["csv", "tsv", "json", "toml", "yaml", "yml", "ini", "xml"];

/// Whether a request names a place within a file in another language, or by the number of a line.
fn is_elsewhere(request: &str) -> bool {
    // What is quoted is the text.
    let unquoted = orders::without_quotes(request);
    let outside: Vec<&str> = unquoted.split(|c: char| !c.is_alphanumeric()).collect();
    let is_line = |pair: &[&str]| LINES.contains(&pair[0]) && pair[1].parse::<u32>().is_ok();
    outside.iter().any(|word| WITHIN_ELSEWHERE.contains(word)) || outside.windows(2).any(is_line)
}

/// Words that lead to a part of a file, or to the file.
const TO: [&str; 5] = ["to", "into", "under", "below", "onto"];
/// What stands between a part of a file and its name.
const OF: [&str; 3] = ["in", "of", "from"];
/// What of a file is its end.
const ENDS: [&str; 4] = ["end", "bottom", "last", "file"];

/// Whether a request names a part of a file that a text is to go to: `to the tags in a.md`.
fn names_a_part(request: &str, path: &str) -> bool {
    let unquoted = orders::without_quotes(request);
    let words: Vec<&str> = unquoted.split_whitespace().collect();
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let of_file = |at: &usize| words[*at].contains(&name) && OF.contains(&words[*at - 1]);
    let Some(file) = (1..words.len()).find(of_file) else {
        return false;
    };
    let before = &words[..file - 1];
    let Some(to) = before.iter().rposition(|word| TO.contains(word)) else {
        return false;
    };
    let part = &before[to + 1..];
    !part.is_empty() && !part.iter().any(|word| ENDS.contains(word))
}

/// What helps where a plan is not of the request.
fn helps(plan: &Plan, request: &str) -> String {
    match plan.only_takes_back() {
        true => TAKING_BACK.to_owned(),
        false => format!("{} A larger model knows more.", advice(request)),
    }
}

/// The fault of a plan in which a step changes something that the request does not name, or in a way
/// that it does not speak of. A small model fills a plan with files and texts that nobody spoke of, and
/// what it makes up is not even asked about.
#[must_use]
pub fn not_requested(plan: &Plan, request: &str) -> Option<Fault> {
    let typed = request;
    let request = request.to_lowercase();
    let words: Vec<&str> = request.split(|c: char| !c.is_alphanumeric()).collect();
    let says = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is_elsewhere = is_elsewhere(&request);
    // `put mail back to false` names what it is to be.
    let names_more = request.contains(" to ") || words_of_files(&request).next().is_some();
    let mut changes = plan.actions.iter().filter(|action| is_change(action));
    let speaks_of_a_place = says(&PLACES) && !HERE.iter().any(|here| request.contains(here));
    let left_out = || left_out(plan, &request);
    let message = changes.find_map(|action| {
        if let Some(unnamed) = unnamed(&request, action) {
            return Some(unnamed);
        }
        match action {
            Action::Undo {} if !says(&TAKES_BACK) || says(&NOT_THE_LAST) || names_more => {
                Some("planned to take the last change back, which the request does not ask for".to_owned())
            }
            Action::Undo {} | Action::Remember { .. } => None,
            Action::DeleteFile { path } if is_in_it(&request, path) || says(&CONDITIONS) => {
                Some(format!(
                    "planned to delete `{path}`, where the request speaks of a part of it or has a condition"
                ))
            }
            _ if says(&COPIES) => {
                Some("planned another change where a copy is asked for".to_owned())
            }
            Action::CreateFile { path, .. } | Action::AppendText { path, .. }
                if !path.contains('/') && speaks_of_a_place =>
            {
                Some(format!(
                    "planned `{path}` outside of the folder that the request speaks of"
                ))
            }
            Action::ReplaceText { old, new, .. } if !is_said(&request, &[old, new]) => Some(
                format!("planned to replace `{old}` with `{new}`, which the request does not say"),
            ),
            Action::AppendText { path, .. }
                if says(&WITHIN) || is_elsewhere || names_a_part(&request, path) => Some(format!(
                "planned to add a text at the end of `{path}`, where the request names another place"
            )),
            Action::AppendText { path, content } | Action::CreateFile { path, content }
                if is_order_itself(&request, content) =>
            {
                Some(format!("planned to write the order itself into `{path}`"))
            }
            Action::AppendText { content, .. } | Action::CreateFile { content, .. }
                if is_part_of_more(&request, content) =>
            {
                Some(format!(
                    "planned to write `{content}` alone, which is a part of what was typed"
                ))
            }
            Action::AppendText { path, content }
                if is_data(path) && !is_spoken(&words, content) =>
            {
                Some(format!(
                    "planned to add what the request does not say to `{path}`"
                ))
            }
            _ => left_out().map(|path| format!("planned nothing for `{path}`, which the request names too")),
        }
    })?;
    Some(refused(
        format!("The model {}. Nothing was done.", visible_line(&message)),
        helps(plan, typed),
    ))
}

/// The fault of a plan that leaves out a file of those that the request names in one list, with or without their
/// endings, or that moves a file over one that is here.
#[must_use]
pub fn not_of_its_files(plan: &Plan, request: &str, listing: &[String]) -> Option<Fault> {
    let mut changes = plan
        .actions
        .iter()
        .filter(|action| is_change(action))
        .peekable();
    changes.peek()?;
    let moves_over = changes.find_map(|action| match action {
        Action::MoveFile { to, .. } if listing.contains(to) => Some(format!(
            "planned to move a file over `{to}`, which is here already"
        )),
        _ => None,
    });
    let changed: Vec<String> = plan.actions.iter().flat_map(compile::changed).collect();
    let together = endings::listed_together(listing, request);
    let left = || {
        let mut together = together.iter();
        let left = together.find(|path| !changed.contains(path))?;
        Some(format!(
            "planned nothing for `{left}`, which the request names too"
        ))
    };
    let message = moves_over.or_else(left)?;
    Some(refused(
        format!("The model {}. Nothing was done.", visible_line(&message)),
        "Name each file with its ending, and put the text in quotes.".to_owned(),
    ))
}

/// Whether a text is what was typed, or begins it and goes on for several words: no quoted text does.
fn is_order_itself(request: &str, content: &str) -> bool {
    let content = content.trim().trim_end_matches(['.', '!']).to_lowercase();
    content.split_whitespace().nth(2).is_some() && request.trim().starts_with(&content)
}

/// What a step changes, makes or moves to that the request does not name.
fn unnamed(request: &str, action: &Action) -> Option<String> {
    let mut paths = targets(action).into_iter();
    if paths.any(|path| !is_named(request, path)) {
        return Some("planned to change another file than the request names".to_owned());
    }
    match action {
        Action::MoveFile { from, to }
            if is_in_it(request, from) || quotes_another(request, &[from, to]) =>
        {
            Some(format!(
                "planned to move the file `{from}`, where the request speaks of a text in it"
            ))
        }
        Action::MoveFile { from, to } if !is_place(request, from, to) => Some(format!(
            "planned to move `{from}` to a place that the request does not name"
        )),
        Action::MoveFile { from, to } if is_no_new_name(request, from, to) => Some(format!(
            "planned to give `{from}` the name `{to}`, which the request gives to nothing"
        )),
        Action::MoveFile { from, to } if is_a_name(from, to) => Some(format!(
            "planned to make `{from}` a file named `{to}`, which the request may not mean"
        )),
        Action::CreateFile { path, .. } if !is_typed_as_path(request, path) => Some(format!(
            "planned a file `{path}`, which is a word of the request and no name"
        )),
        Action::MakeDir { path } if !is_typed_as_folder(request, path) => Some(format!(
            "planned a folder `{path}`, which is a word of the request and no name"
        )),
        _ => None,
    }
}

fn is_change(action: &Action) -> bool {
    gate::effect(action) != EffectClass::Read
}

fn refused(message: String, hint: String) -> Fault {
    Fault {
        code: "plan.not_requested".to_owned(),
        message,
        hint,
    }
}

/// The fault of a plan for an order that nobody here understood: a change of what the rules refuse, or a
/// look where something was to be done, which is no answer to it.
#[must_use]
pub fn not_understood(plan: &Plan, request: &str) -> Option<Fault> {
    if let Some(fault) = by_rules::refuses(request) {
        return Some(refused(fault.message, fault.hint));
    }
    let changes = plan.actions.iter().any(is_change);
    if changes && forbidden::forbids(request) {
        let message =
            "The model planned a change, and the request says what not to do. Nothing was done.";
        let hint = "Say what is to be done, and leave out what is not.";
        return Some(refused(message.to_owned(), hint.to_owned()));
    }
    let is_of_changes = plan.actions.iter().all(is_change);
    if let Some(look) = orders::look_behind(request).filter(|_| changes && is_of_changes) {
        return Some(refused(
            format!(
                "The model planned nothing for `{}`, which the request asks for too. Nothing was done.",
                shortened(&look)
            ),
            "Give one order at a time.".to_owned(),
        ));
    }
    if changes {
        return None;
    }
    if orders::acts(request) {
        return Some(refused(
            format!(
                "`{}` is no order that I know, and the model planned only to look. Nothing was done.",
                shortened(request)
            ),
            format!(
                "{} A larger model knows more, and runs programs.",
                advice(request)
            ),
        ));
    }
    if let Some(fault) = more_than_a_look(plan, request).or_else(|| no_verb(plan, request)) {
        return Some(fault);
    }
    let is_answered = plan.actions.iter().any(|action| judges(request, action));
    let is_left = orders::judges(request) && !is_answered;
    if !is_left && !shows_another(plan, request) {
        return None;
    }
    Some(refused(
        format!(
            "`{}` asks for more than a text that is shown, and the model planned only to show one. Nothing was \
             done.",
            shortened(request)
        ),
        "Ask a question (`which …?`), or for a text (`show FILE`, `search for \"…\" in FILE`), or use a larger \
         model."
            .to_owned(),
    ))
}

/// First words of a request that may order to show a text and may order something of it, or want it judged.
const SELDOM_LOOKS: [&str; 22] = [
    "give",
    "open",
    "quote",
    "record",
    "say",
    "answer",
    "average",
    "mean",
    "median",
    "total",
    "sum",
    "maximum",
    "minimum",
    "max",
    "min",
    "highest",
    "lowest",
    "largest",
    "smallest",
    "difference",
    "percentage",
    "ratio",
];
/// Words beside them and a file that say no more than that it is to be shown.
const OF_A_LOOK: [&str; 21] = [
    "me", "us", "file", "files", "text", "contents", "content", "line", "lines", "first", "last",
    "whole", "entire", "please", "again", "up", "look", "see", "now", "page", "row",
];

/// Words of a request without the name of a file that say of what project it is.
const OF_A_PROJECT: [&str; 4] = ["project", "book", "folder", "repository"];

/// The fault of a plan that shows a file for a request that wants more of it: `give tasks.md a title`, `average age
/// in people.csv`.
fn more_than_a_look(plan: &Plan, request: &str) -> Option<Fault> {
    let is_shown = |action: &Action| {
        matches!(
            action,
            Action::ReadFile { .. }
                | Action::Head { .. }
                | Action::Tail { .. }
                | Action::Excerpt { .. }
        )
    };
    let verb = orders::verb(request);
    let is_seldom = SELDOM_LOOKS.contains(&verb.as_str()) && !question::wants_telling(request);
    if !is_seldom || !plan.actions.iter().all(is_shown) {
        return None;
    }
    let lower = request.to_lowercase();
    let gives_me = verb == "give" && (lower.contains("give me ") || lower.contains("give us "));
    let mut others = lower.split_whitespace().filter(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_of_a_file = words_of_files(word).next().is_some();
        bare != verb && !is_of_a_file && cues::is_telling(bare) && !OF_A_LOOK.contains(&bare)
    });
    (!gives_me && others.next().is_some()).then(|| {
        refused(
            format!(
                "`{}` asks for more than a text that is shown, and the model planned only to show one. Nothing was \
                 done.",
                shortened(request)
            ),
            "Say what is to be written, and where (the task `help` lists what works), or use a larger model to have \
             something worked out of a text."
                .to_owned(),
        )
    })
}

/// The file that a plan shows, all of it or a part, where it does nothing else.
fn only_shown(plan: &Plan) -> Option<&str> {
    match plan.actions.as_slice() {
        [
            Action::ReadFile { path }
            | Action::Head { path, .. }
            | Action::Tail { path, .. }
            | Action::Excerpt { path, .. },
        ] => Some(path),
        _ => None,
    }
}

/// The fault of a plan that shows a file for words that are neither a question nor an order to look: `maxconn 4000 in
/// haproxy.cfg` and `limit memory of the backup to 2G` may order something, and the file as success hides that
/// nothing was done.
fn no_verb(plan: &Plan, request: &str) -> Option<Fault> {
    let path = only_shown(plan)?;
    if orders::looks(request) || question::wants_telling(request) {
        return None;
    }
    let lower = request.to_lowercase();
    let names_a_file = words_of_files(request).next().is_some();
    // Without the name of a file, a word of its path names it: `the backup service` is systemd/backup.service.
    let is_of_path = |bare: &str| match names_a_file {
        true => is_named(bare, path),
        false => OF_A_PROJECT.contains(&bare) || path.to_lowercase().contains(bare),
    };
    let words = lower.split_whitespace();
    let bare: Vec<&str> = words
        .filter(|word| words_of_files(word).next().is_none())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let others = bare.iter().filter(|bare| {
        let is_number = bare.starts_with(|c: char| c.is_ascii_digit());
        !is_of_path(bare) && (is_number || cues::is_telling(bare)) && !OF_A_LOOK.contains(bare)
    });
    // `now the same in b.json` is of an order that is not known.
    let refers_back = names_a_file && bare.contains(&"same");
    let path = visible_line(path);
    (others.count() > 1 || refers_back).then(|| {
        refused(
            format!(
                "`{}` is no order and no question that I know, and the model planned only to show the file. Nothing \
                 was done.",
                shortened(request)
            ),
            format!(
                "Ask it (`what is … in {path}?`), or order it with a verb (`set … to … in {path}`). Try: show {path}"
            ),
        )
    })
}

/// Whether a plan only shows files that a request does not name, where the request asks to be shown nothing: its
/// first word may be a verb that nobody here knows.
fn shows_another(plan: &Plan, request: &str) -> bool {
    let shows = |action: &Action| match action {
        Action::ReadFile { path }
        | Action::Head { path, .. }
        | Action::Tail { path, .. }
        | Action::Excerpt { path, .. }
        | Action::CountLines { path } => !is_named(request, path),
        _ => false,
    };
    let asks = orders::looks(request) || question::wants_telling(request);
    !asks && plan.actions.iter().all(shows)
}

/// Whether a step gives what an order to judge or to count asks for.
fn judges(request: &str, action: &Action) -> bool {
    match action {
        Action::CountLines { path } => is_named(request, path),
        Action::SearchText { .. } => request.contains(" for "),
        Action::Answer { .. }
        | Action::CompareFiles { .. }
        | Action::FileSizes { .. }
        | Action::Recall { .. }
        | Action::WebSearch { .. } => true,
        _ => false,
    }
}

/// The files of data that a plan changes, which are read to see whether they stay sound.
#[must_use]
pub fn data_to_read(plan: &Plan) -> Vec<String> {
    let changed = plan.actions.iter().filter_map(|action| match action {
        Action::AppendText { path, .. } | Action::ReplaceText { path, .. } if is_data(path) => {
            Some(path.clone())
        }
        _ => None,
    });
    let mut paths: Vec<String> = changed.collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The fault of a plan after which a file of data, whose text this is, would not be sound any more.
#[must_use]
pub fn spoils(plan: &Plan, path: &str, text: &str) -> Option<Fault> {
    let changes: Vec<Action> = plan
        .actions
        .iter()
        .filter(|action| targets(action).contains(&path))
        .cloned()
        .collect();
    let refusal = in_file::stays_sound(path, text, &changes).err()?;
    Some(refused(refusal.message.clone(), refusal.hint()))
}

fn is_data(path: &str) -> bool {
    let ending = path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    ending.is_some_and(|ending| DATA.contains(&ending.as_str()))
}

/// Whether all words of a text are the request's.
fn is_spoken(words: &[&str], text: &str) -> bool {
    let text = text.to_lowercase();
    let mut spoken = text.split(|c: char| !c.is_alphanumeric());
    spoken.all(|word| word.is_empty() || words.contains(&word))
}

/// What a step changes, by path.
fn targets(action: &Action) -> Vec<&str> {
    match action {
        Action::CreateFile { path, .. }
        | Action::AppendText { path, .. }
        | Action::ReplaceText { path, .. }
        | Action::MakeDir { path }
        | Action::DeleteFile { path } => vec![path],
        Action::MoveFile { from, .. } => vec![from],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
