//! How a tool over another service is put into the tool table.

use domain::label::Label;
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, ResultSource, TargetKind, ToolDefinition,
    ToolName, ToolSpec,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One tool over another service.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) description: &'static str,
    pub(crate) capability: &'static str,
    pub(crate) effect: EffectClass,
    /// Properties of the arguments object.
    pub(crate) properties: Value,
    pub(crate) required: &'static [&'static str],
    /// Arguments that are no knobs.
    pub(crate) roles: &'static [(&'static str, ArgumentRole, Option<TargetKind>)],
    pub(crate) audience: Audience,
    pub(crate) result_label: Label,
    pub(crate) result_source: ResultSource,
    pub(crate) names_pages: &'static [&'static str],
}

impl Tool {
    /// The broker's knowledge of it; `None` only for a name that can name no tool.
    pub(crate) fn spec(self) -> Option<ToolSpec> {
        let name = ToolName::new(self.name).ok()?;
        let names = self
            .properties
            .as_object()
            .into_iter()
            .flat_map(|map| map.keys());
        let arguments: BTreeMap<String, ArgumentSpec> = names
            .map(|name| (name.clone(), argument(self.roles, name)))
            .collect();
        Some(ToolSpec {
            definition: ToolDefinition {
                name,
                description: self.description.to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": self.properties,
                    "required": self.required,
                    "additionalProperties": false,
                }),
            },
            capability: self.capability.to_owned(),
            effect: self.effect,
            arguments,
            audience: self.audience,
            result_label: self.result_label,
            result_source: self.result_source,
            result_fields: Vec::new(),
            names_pages: self
                .names_pages
                .iter()
                .map(|&path| path.to_owned())
                .collect(),
            secrets: BTreeMap::new(),
            is_wait: false,
            calls_per_minute: None,
            version: self.version.to_owned(),
        })
    }
}

fn argument(
    roles: &[(&'static str, ArgumentRole, Option<TargetKind>)],
    name: &str,
) -> ArgumentSpec {
    let known = roles.iter().find(|(known, _, _)| *known == name);
    known.map_or(
        ArgumentSpec {
            role: ArgumentRole::Knob,
            target: None,
        },
        |(_, role, target)| ArgumentSpec {
            role: *role,
            target: *target,
        },
    )
}

/// A text argument.
pub(crate) fn text(what: &str, chars: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": chars, "description": what})
}

/// The text, cut after so many characters, with a mark where it was.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    let mut short: String = text.chars().take(chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
