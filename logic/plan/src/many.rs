//! The order that moves each file of a kind, offered where one moves all of them: `move all logs to old`.

use crate::kinds;
use crate::quoted::typed_path;
use crate::rules::{Refusal, RefusalKind};
use regex::Regex;
use std::sync::LazyLock;

/// Most files that one order is offered for.
const OFFERED_FILES: usize = 6;

/// A constant pattern. One that does not compile would match nothing; a test proves that it does.
static MOVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:please )?move (?:all|every)(?: (?:of )?(?:the|my|these))? ",
        r"(?:(?:\*\.|\.)?(?P<kind>\w+?) files?|\*\.(?P<ending>\w+)|(?P<logs>logs?)) ",
        r"(?:to|into|in) (?:the )?(?:folder |directory )?(?P<to>[\w./-]+?)/?(?: folder| directory)?[.! ]*$",
    ))
    .ok()
});

/// Whether an order moves all files of a kind.
#[must_use]
pub fn moves(request: &str) -> bool {
    MOVES
        .as_ref()
        .is_some_and(|moves| moves.is_match(request.trim()))
}

/// The refusal of such an order with the one that moves each of them, by their paths; as it is where there are none,
/// or too many.
#[must_use]
pub fn with_each(refusal: Refusal, request: &str, listing: &[String]) -> Refusal {
    let found = MOVES.as_ref().and_then(|it| it.captures(request.trim()));
    let Some(found) = found.filter(|_| refusal.kind == RefusalKind::Ambiguous) else {
        return refusal;
    };
    let kind = found.name("kind").or_else(|| found.name("ending"));
    let ending = kind.map_or("log".to_owned(), |kind| {
        let kind = kind.as_str().to_lowercase();
        kinds::ending(&kind).map_or(kind, str::to_owned)
    });
    let (to, ending) = (&found["to"], format!(".{ending}"));
    let is_one = |path: &&String| {
        path.to_lowercase().ends_with(&ending) && !path.starts_with(&format!("{to}/"))
    };
    let files: Vec<&String> = listing.iter().filter(is_one).collect();
    let names: Vec<&str> = files
        .iter()
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    // The second of one name would take the place of the first.
    let is_twice = (1..names.len()).any(|at| names[..at].contains(&names[at]));
    if files.is_empty() || files.len() > OFFERED_FILES || is_twice {
        return refusal;
    }
    let orders = files.iter().map(|path| {
        let path = typed_path(path);
        format!("move {path} to {}", typed_path(&format!("{to}/")))
    });
    let orders: Vec<String> = orders.collect();
    Refusal {
        nearest: vec![orders.join(" then ")],
        ..refusal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_rules::{ByRules, Unplanned, plan};
    use domain::plan::Action;

    fn offered(request: &str, listing: &[&str]) -> Vec<String> {
        let listing: Vec<String> = listing.iter().map(|path| (*path).to_owned()).collect();
        match plan(request) {
            Err(Unplanned::Refused(refusal)) => {
                assert!(moves(request), "{request}");
                with_each(*refusal, request, &listing).nearest
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn each_file_of_a_kind_is_named() {
        let here = ["a.log", "logs/b.log", "old/c.log", "x.md"];
        for request in [
            "move all logs to old",
            "move all the log files to the old folder",
        ] {
            let offered = offered(request, &here);
            assert_eq!(
                offered,
                ["move a.log to old/ then move logs/b.log to old/"],
                "{request}"
            );
            let Ok(ByRules::Plan(plan)) = plan(&offered[0]) else {
                panic!("{offered:?}");
            };
            let moves = |action: &Action| matches!(action, Action::MoveFile { .. });
            assert!(plan.actions.len() == 2 && plan.actions.iter().all(moves));
        }
        let twice = offered("move all logs to old", &["a/x.log", "b/x.log"]);
        assert!(
            !twice.iter().any(|order| order.contains("x.log")),
            "{twice:?}"
        );
    }
}
