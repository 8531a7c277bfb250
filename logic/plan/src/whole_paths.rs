//! Paths with a folder that a question names: each is that file and no other of the same last name.
//!
//! A small model chooses among the files that are here, and takes `app.ini` for `/srv/app.ini`: on a server that
//! is the value of another machine, told as the one that was asked for.

use crate::rules::in_english;
use crate::rules::words::{is_file, trim_word};
use domain::fault::Fault;
use domain::plan::{Action, Plan};
use text::escape::visible_line;

/// A path that a request names with its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it was typed.
    pub path: String,
    /// Whether it can be the name of a file alone. `/etc/hosts` may be one, and `/api/users` may be an address.
    pub is_file: bool,
}

/// The paths with a folder that a request names, each once. In quotes they count where nothing else is named.
#[must_use]
pub fn of(request: &str) -> Vec<Named> {
    let request = in_english(request);
    let parts = request.split('"').enumerate();
    let (quoted, bare): (Vec<_>, Vec<_>) = parts.partition(|(at, _)| at % 2 == 1);
    let bare: Vec<&str> = bare
        .iter()
        .flat_map(|(_, part)| part.split_whitespace())
        .collect();
    let named = all(bare.iter().copied());
    match named.is_empty() && !bare.iter().any(|word| is_file(trim_word(word))) {
        true => all(quoted.iter().map(|(_, part)| *part)),
        false => named,
    }
}

fn all<'a>(words: impl Iterator<Item = &'a str>) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for word in words {
        let word = trim_word(word).trim_matches(['(', ')', '\'', '`', ',', '@']);
        let is_file = is_file(word);
        let is_from_above = ["/", "~/", "../"]
            .iter()
            .any(|start| word.starts_with(start));
        let is_path = word.contains('/') && !word.contains("://") && !word.ends_with('/');
        let is_known = named.iter().any(|known| known.path == word);
        let is_one_word = !word.contains(char::is_whitespace);
        if is_path && (is_file || is_from_above) && is_one_word && !is_known {
            named.push(Named {
                path: word.to_owned(),
                is_file,
            });
        }
    }
    named
}

/// Whether a file of a listing has the last name of a path, with its ending or without.
#[must_use]
pub fn has_same_name(listing: &[String], path: &str) -> bool {
    let typed = last(path);
    let mut files = listing.iter().filter(|known| !known.ends_with('/'));
    files.any(|known| {
        let name = last(known);
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        name == typed || stem == Some(typed)
    })
}

/// What is said of a path that is not there, or not in this folder.
#[must_use]
pub fn not_here(path: &str, is_outside: bool, same: &[String]) -> Fault {
    let path = visible_line(path);
    let message = match is_outside {
        true => format!(
            "{path} is not in this folder, and what is asked or ordered is of the files here. Nothing was done."
        ),
        false => format!("There is no {path} here. Nothing was done."),
    };
    let same: Vec<String> = same
        .iter()
        .map(|one| visible_line(one).to_string())
        .collect();
    let hint = match same.is_empty() {
        true => String::new(),
        false => format!(
            "Of that name there is {} here: name it so where it is meant.",
            same.join(", ")
        ),
    };
    Fault {
        code: "plan.step_failed".to_owned(),
        message,
        hint,
    }
}

/// What is said of a plan that looks at a file with the last name of one of these paths, and at another place.
#[must_use]
pub fn of_another(plan: &Plan, named: &[String]) -> Option<Fault> {
    let looked_at = plan.actions.iter().filter_map(|action| match action {
        Action::ReadFile { path }
        | Action::Head { path, .. }
        | Action::Tail { path, .. }
        | Action::Excerpt { path, .. }
        | Action::CountLines { path } => Some(path.trim_start_matches("./")),
        _ => None,
    });
    let mut wrong = looked_at.filter_map(|path| {
        let is_named = named.iter().any(|one| one == path);
        let same = named.iter().find(|one| last(one) == last(path));
        same.filter(|_| !is_named).map(|same| (same, path))
    });
    let (same, path) = wrong.next()?;
    Some(not_here(same, false, &[path.to_owned()]))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_a_folder_are_named() {
        for (request, named) in [
            (
                "what does /srv/nowhere/app.ini say about port?",
                &["/srv/nowhere/app.ini"][..],
            ),
            ("which port does conf/app.ini set?", &["conf/app.ini"]),
            ("what is x in ~/t.ini?", &["~/t.ini"]),
            ("what is the port in \"conf/app.ini\"?", &["conf/app.ini"]),
            ("what does /etc/hosts say?", &["/etc/hosts"]),
            ("who wrote \"see conf/app.ini\" in a.md?", &[]),
            ("what does app.ini say?", &[]),
            ("is it mine and/or yours?", &[]),
            ("what is at https://example.com/a.html?", &[]),
            ("what is in docs/?", &[]),
        ] {
            let found: Vec<String> = of(request).into_iter().map(|one| one.path).collect();
            assert_eq!(found, named, "{request}");
        }
        assert!(!of("which file has /api/users?")[0].is_file);
    }

    #[test]
    fn a_file_elsewhere_of_the_same_name_is_not_read() {
        let plan = |path: &str| Plan {
            intent: "look".to_owned(),
            actions: vec![Action::ReadFile {
                path: path.to_owned(),
            }],
        };
        let named = ["conf/app.ini".to_owned()];
        let refused = of_another(&plan("app.ini"), &named).unwrap();
        assert!(refused.message.contains("conf/app.ini"), "{refused:?}");
        assert!(refused.hint.contains("is app.ini here"), "{refused:?}");
        for path in ["conf/app.ini", "./conf/app.ini", "b.ini"] {
            assert_eq!(of_another(&plan(path), &named), None, "{path}");
        }
    }
}
