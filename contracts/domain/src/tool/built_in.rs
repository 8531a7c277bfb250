//! How a tool of Housecarl's own is described to the broker.

use super::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, ResultSource, TargetKind, ToolDefinition,
    ToolName, ToolSpec,
};
use crate::label::Label;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What an argument of a built-in tool is for: its name, its role, and what it names if it is a
/// target.
pub type BuiltInArgument<'a> = (&'a str, ArgumentRole, Option<TargetKind>);

/// A tool of Housecarl's own, as far as such tools differ. None has secrets, or parts of its result
/// with a label of their own.
#[derive(Debug, Clone)]
pub struct BuiltInTool<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Changes whenever its behaviour or schema does.
    pub version: &'a str,
    /// One or two sentences for a model.
    pub description: &'a str,
    /// The group it belongs to.
    pub capability: &'a str,
    /// What it does to the world.
    pub effect: EffectClass,
    /// JSON Schema of the arguments object, as [`closed_object`] makes it.
    pub parameters: Value,
    /// Arguments that are more than an [`ArgumentRole::Knob`].
    pub arguments: &'a [BuiltInArgument<'a>],
    /// Who learns the payload of a call.
    pub audience: Audience,
    /// The label of its results.
    pub result_label: Label,
    /// Whether that label holds, or that of the call's arguments.
    pub result_source: ResultSource,
    /// Leaves of a result that name pages a later call may fetch.
    pub names_pages: &'a [&'a str],
    /// Whether asking again and again is honest use.
    pub is_wait: bool,
    /// Most calls in a minute.
    pub calls_per_minute: Option<u32>,
}

impl BuiltInTool<'_> {
    /// The broker's knowledge of it: every property of its schema is an argument.
    #[must_use]
    pub fn spec(self) -> ToolSpec {
        let properties = self.parameters["properties"].as_object();
        let names = properties.into_iter().flat_map(|map| map.keys());
        let arguments: BTreeMap<String, ArgumentSpec> = names
            .map(|name| (name.clone(), self.argument(name)))
            .collect();
        ToolSpec {
            definition: ToolDefinition {
                name: ToolName::nearest(self.name),
                description: self.description.to_owned(),
                parameters: self.parameters,
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
            is_wait: self.is_wait,
            calls_per_minute: self.calls_per_minute,
            version: self.version.to_owned(),
        }
    }

    fn argument(&self, name: &str) -> ArgumentSpec {
        let known = self.arguments.iter().find(|(known, _, _)| *known == name);
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
}

/// The schema of an object with these properties and no others.
#[must_use]
pub fn closed_object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Longest path in an argument, characters.
pub const PATH_CHARS: usize = 1_000;
/// Longest content in an argument, characters; the whole arguments object is bounded by the broker.
pub const CONTENT_CHARS: usize = 1 << 20;

/// The schema of a text argument of at most so many characters.
#[must_use]
pub fn text_argument(what: &str, chars: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": chars, "description": what})
}

/// The schema of an argument with content, which may be empty.
#[must_use]
pub fn content_argument(what: &str) -> Value {
    json!({"type": "string", "maxLength": CONTENT_CHARS, "description": what})
}

/// The schema of a folder that may be left out: the broker then takes the working folder.
#[must_use]
pub fn folder_argument() -> Value {
    json!({
        "type": "string", "minLength": 1, "maxLength": PATH_CHARS, "default": ".",
        "description": "Folder; the working folder when left out.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_an_argument_with_its_role() {
        let spec = BuiltInTool {
            name: "look",
            version: "1",
            description: "Look.",
            capability: "fs_read",
            effect: EffectClass::Read,
            parameters: closed_object(json!({"path": {}, "depth": {}}), &["path"]),
            arguments: &[("path", ArgumentRole::Target, Some(TargetKind::ReadPath))],
            audience: Audience::User,
            result_label: Label::untrusted("files"),
            result_source: ResultSource::World,
            names_pages: &["/pages/*"],
            is_wait: false,
            calls_per_minute: Some(3),
        }
        .spec();
        let argument = |name: &str| spec.arguments[name];
        assert_eq!(argument("path").target, Some(TargetKind::ReadPath));
        assert_eq!(argument("path").role, ArgumentRole::Target);
        assert_eq!(argument("depth").role, ArgumentRole::Knob);
        assert_eq!(spec.arguments.len(), 2);
        assert_eq!(spec.definition.parameters["additionalProperties"], false);
        assert_eq!(spec.names_pages, ["/pages/*"]);
    }
}
