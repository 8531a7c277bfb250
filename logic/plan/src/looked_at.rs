//! Whether what a small model would show is what the user named: of `show the letter from Clara` it shows any letter.

use crate::question;
use crate::quoted::typed_path;
use crate::unknown_order::shortened;
use domain::fault::Fault;
use domain::plan::{Action, Plan};
use text::escape::visible_line;

/// Letters with which two words begin alike that may be one: `licence` and `license`.
const ALIKE: usize = 4;

/// The fault of a plan that shows a file of whose name the request has no word, with the only file of which it has
/// one. A question is no such order: what is in files answers it, whatever they are called.
#[must_use]
pub fn unnamed(plan: &Plan, request: &str, listing: &[String]) -> Option<Fault> {
    if question::wants_telling(request) {
        return None;
    }
    let words = words(request);
    let is_named = |path: &str| {
        parts(path)
            .iter()
            .any(|part| words.iter().any(|word| is_one(word, part)))
    };
    let mut shown = plan.actions.iter().filter_map(shown);
    shown.find(|path| !is_named(path))?;
    let files = listing.iter().filter(|known| !known.ends_with('/'));
    let mut near = files.filter(|known| is_named(known));
    let only = near.next().filter(|_| near.next().is_none());
    let hint = match only {
        Some(only) => format!("Try: show {}", visible_line(&typed_path(only))),
        None => "Name the file; `list the files` shows how they are called.".to_owned(),
    };
    Some(Fault {
        code: "plan.not_requested".to_owned(),
        message: format!(
            "`{}` names no file that is here by its name, and the model planned to show another. Nothing was done.",
            shortened(request)
        ),
        hint,
    })
}

/// The file that an action shows.
fn shown(action: &Action) -> Option<&String> {
    match action {
        Action::ReadFile { path }
        | Action::Head { path, .. }
        | Action::Tail { path, .. }
        | Action::Excerpt { path, .. } => Some(path),
        _ => None,
    }
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of a path, and the name without its ending as one.
fn parts(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Of `.env` all is the name.
    let bare = name.trim_start_matches('.');
    let stem = bare.rsplit_once('.').map_or(bare, |(stem, _)| stem);
    let folder = path.strip_suffix(name).unwrap_or_default();
    let mut parts = words(stem);
    parts.extend(words(folder));
    parts
}

/// Whether two words are one, or begin alike.
fn is_one(one: &str, other: &str) -> bool {
    let begin = |word: &str| word.chars().take(ALIKE).collect::<String>();
    let is_long = one.chars().count() >= ALIKE && other.chars().count() >= ALIKE;
    one == other || (is_long && begin(one) == begin(other)) || {
        // `chapter 2` names chapter2.md by its letters and its number.
        let letters = other.trim_end_matches(|c: char| c.is_ascii_digit());
        !letters.is_empty() && letters.len() < other.len() && letters == one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_the_request_has_no_word_of_is_not_shown() {
        let listing = [
            "letter-publisher.md",
            "letter clara.md",
            "carta.md",
            "LICENSE",
        ]
        .map(str::to_owned);
        let told = |request: &str, path: &str| {
            let plan = Plan {
                intent: request.to_owned(),
                actions: vec![Action::ReadFile {
                    path: path.to_owned(),
                }],
            };
            unnamed(&plan, request, &listing).map(|fault| fault.hint)
        };
        assert_eq!(
            told("Zeig mir den Brief von Clara", "letter-publisher.md").as_deref(),
            Some("Try: show \"letter clara.md\"")
        );
        assert_eq!(
            told("muestra la carta", "letter-publisher.md").as_deref(),
            Some("Try: show carta.md")
        );
        for (request, path) in [
            ("show me the letter to the publisher", "letter-publisher.md"),
            ("open the licence", "LICENSE"),
            ("print chapter 2", "chapter2.md"),
            ("which one is it?", "carta.md"),
        ] {
            assert_eq!(told(request, path), None, "{request}");
        }
    }
}
