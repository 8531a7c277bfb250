//! A careful proposal for a tool that nobody has classified.
//!
//! It is made from the tool's name, description and schema. All three were written by whoever wrote
//! the tool, so the proposal is a draft: it is stricter wherever something is unclear, and counts
//! for nothing until a person has approved it.

mod arguments;
mod effect;
mod opinion;
mod render;
mod strictness;
mod words;

pub use arguments::ProposedArgument;
pub use opinion::{Opinion, opinion_schema, question};
pub use render::yaml;
pub use strictness::{Confidence, Hints, strictness};

use crate::entry::default_audience;
use crate::table::pin_of;
use domain::tool::{ArgumentRole, Audience, EffectClass, ToolDefinition, ToolName};
use serde_json::Value;

/// A drafted entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The tool.
    pub name: ToolName,
    /// What it says of itself.
    pub description: String,
    /// The digest of its definition.
    pub pin: String,
    /// What it seems to do to the world.
    pub effect: EffectClass,
    /// Who seems to learn the payload.
    pub audience: Audience,
    /// What its arguments seem to be for, in the order of the schema.
    pub arguments: Vec<ProposedArgument>,
    /// What spoke for the effect.
    pub reasons: Vec<String>,
    /// How sure this is.
    pub confidence: Confidence,
    /// Where a second opinion was less strict, and was not followed.
    pub doubts: Vec<String>,
}

/// Drafts an entry for a tool.
#[must_use]
pub fn classify(definition: &ToolDefinition, hints: Hints) -> Proposal {
    let guess = effect::guess(definition, hints);
    let arguments = arguments::arguments(&definition.parameters, guess.effect);
    Proposal {
        name: definition.name.clone(),
        description: definition.description.clone(),
        pin: pin_of(definition),
        effect: guess.effect,
        audience: audience(guess.effect, &arguments, &definition.parameters),
        arguments,
        reasons: guess.reasons,
        confidence: guess.confidence,
        doubts: Vec::new(),
    }
}

/// Who learns the payload: only a named recipient, if that is plainly where it goes. One that may be
/// left out leaves it to the tool, which may tell everybody.
fn audience(effect: EffectClass, arguments: &[ProposedArgument], schema: &Value) -> Audience {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let is_addressed = arguments.iter().any(|argument| {
        let is_recipient = arguments::is_recipient(&argument.name);
        argument.role == ArgumentRole::Target && is_recipient && is_required(&argument.name)
    });
    if effect == EffectClass::Egress && is_addressed {
        Audience::Targets
    } else {
        default_audience(effect)
    }
}
