//! Whether a change that a model planned is one of what the user named.

use crate::gate;
use crate::names;
use domain::fault::Fault;
use domain::plan::{Action, Plan};
use domain::tool::EffectClass;

/// Words that mean something named before.
const BACK: [&str; 6] = ["it", "that", "this", "them", "these", "those"];

/// The fault of a plan in which a step changes something that the request does not name. A small model
/// fills a plan with files that nobody spoke of, and what it makes up is not even asked about.
#[must_use]
pub fn unnamed_change(plan: &Plan, request: &str) -> Option<Fault> {
    // What `it` means is of the conversation, which this knows nothing of; the question shows it.
    let mut words = request.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| BACK.contains(&word.to_lowercase().as_str())) {
        return None;
    }
    let changes = |action: &&Action| gate::effect(action) != EffectClass::Read;
    let targets = plan.actions.iter().filter(changes).flat_map(targets);
    let request = request.to_lowercase();
    let unnamed = |path: &&str| {
        let path = path.trim_end_matches('/').to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        // `the licence file` is LICENCE.txt.
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_said = |name: &str| !name.is_empty() && names::whole(&request, name).is_some();
        !is_said(name) && !is_said(stem)
    };
    let path = targets.into_iter().find(unnamed)?;
    Some(Fault {
        code: "plan.not_requested".to_owned(),
        message: format!(
            "The model planned to change `{path}`, which the request does not name. Nothing was done."
        ),
        hint: "Name the file, or use a larger model.".to_owned(),
    })
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
mod tests {
    use super::*;

    fn plan(action: Action) -> Plan {
        Plan {
            intent: "do it".to_owned(),
            actions: vec![action],
        }
    }

    #[test]
    fn a_change_of_what_was_not_named_is_refused_and_looking_is_not() {
        let path = || "src/target".to_owned();
        let made = plan(Action::MakeDir { path: path() });
        let fault = unnamed_change(&made, "Write a .gitignore with the line out/").unwrap();
        assert_eq!(fault.code, "plan.not_requested");
        assert!(unnamed_change(&made, "make the folder target").is_none());
        assert!(unnamed_change(&made, "delete it again").is_none());
        let path = || "LICENCE.txt".to_owned();
        let deleted = plan(Action::DeleteFile { path: path() });
        assert!(unnamed_change(&deleted, "delete the licence file").is_none());
        assert!(unnamed_change(&deleted, "delete the old file").is_some());
        let looked = plan(Action::ListFiles { path: path() });
        assert!(unnamed_change(&looked, "what is here?").is_none());
        assert!(unnamed_change(&plan(Action::Undo {}), "take that back").is_none());
    }
}
