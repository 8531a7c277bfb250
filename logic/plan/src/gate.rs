//! The safety gate of a plan: which actions need the user's yes, by what they do to the world.
//!
//! This is a preview for people. The broker judges every call again by its own table, and its
//! verdict is the one that holds.

use domain::plan::{Action, Plan};
use domain::tool::EffectClass;

/// What the gate says about one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marked {
    /// What the action does to the world.
    pub effect: EffectClass,
    /// Whether it runs only after the user's yes.
    pub confirmation_required: bool,
}

/// Marks every action of a plan, in order.
#[must_use]
pub fn mark(plan: &Plan) -> Vec<Marked> {
    plan.actions
        .iter()
        .map(|action| {
            let effect = effect(action);
            Marked {
                effect,
                confirmation_required: effect > EffectClass::SelfWrite,
            }
        })
        .collect()
}

/// What an action does to the world.
#[must_use]
pub const fn effect(action: &Action) -> EffectClass {
    match action {
        Action::ListFiles { .. }
        | Action::Tree { .. }
        | Action::ReadFile { .. }
        | Action::Head { .. }
        | Action::Tail { .. }
        | Action::Excerpt { .. }
        | Action::FindFiles { .. }
        | Action::SearchText { .. }
        | Action::CountLines { .. }
        | Action::FileSizes { .. }
        | Action::CompareFiles { .. }
        | Action::Recall { .. }
        | Action::WebSearch { .. }
        | Action::Answer { .. } => EffectClass::Read,
        Action::Remember { .. } => EffectClass::SelfWrite,
        Action::CreateFile { .. }
        | Action::AppendText { .. }
        | Action::ReplaceText { .. }
        | Action::MakeDir { .. }
        | Action::MoveFile { .. }
        | Action::Undo {} => EffectClass::SharedWrite,
        Action::DeleteFile { .. } => EffectClass::Destructive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_passes_and_changing_needs_a_yes() {
        let path = || "a.txt".to_owned();
        let plan = Plan {
            intent: "look, add, delete".to_owned(),
            actions: vec![
                Action::ReadFile { path: path() },
                Action::AppendText {
                    path: path(),
                    content: "x".to_owned(),
                },
                Action::DeleteFile { path: path() },
                Action::Undo {},
            ],
        };
        let marks = mark(&plan);
        let asked: Vec<bool> = marks
            .iter()
            .map(|mark| mark.confirmation_required)
            .collect();
        assert_eq!(asked, [false, true, true, true]);
        assert_eq!(marks[2].effect, EffectClass::Destructive);
    }
}
