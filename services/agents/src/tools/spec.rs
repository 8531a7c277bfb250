//! How an agents' tool is put into the broker's tool table.

use domain::label::Label;
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, ResultSource, TargetKind, ToolDefinition,
    ToolName, ToolSpec,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The capability of tools by which an agent sees to itself.
pub(super) const SELF: &str = "self";

/// One of agents' tools, as far as such tools differ.
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) capability: &'a str,
    pub(super) effect: EffectClass,
    /// The schema of the arguments object.
    pub(super) parameters: Value,
    pub(super) arguments: &'a [(&'a str, ArgumentRole)],
    pub(super) result_label: Label,
    pub(super) result_source: ResultSource,
    pub(super) calls_per_minute: Option<u32>,
}

impl Tool<'_> {
    /// The broker's knowledge of it.
    pub(super) fn spec(self) -> ToolSpec {
        let argument = |(name, role): &(&str, ArgumentRole)| {
            // The only targets among these tools are paths to look at.
            let target = (*role == ArgumentRole::Target).then_some(TargetKind::ReadPath);
            let spec = ArgumentSpec {
                role: *role,
                target,
            };
            ((*name).to_owned(), spec)
        };
        ToolSpec {
            definition: ToolDefinition {
                name: ToolName::nearest(self.name),
                description: self.description.to_owned(),
                parameters: self.parameters,
            },
            capability: self.capability.to_owned(),
            effect: self.effect,
            arguments: self.arguments.iter().map(argument).collect(),
            audience: Audience::User,
            result_label: self.result_label,
            result_source: self.result_source,
            result_fields: Vec::new(),
            names_pages: Vec::new(),
            secrets: BTreeMap::new(),
            is_wait: false,
            calls_per_minute: self.calls_per_minute,
            version: "1".to_owned(),
        }
    }
}
