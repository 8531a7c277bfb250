//! Tables, and joining an entry with the definition a tool arrives with.

use crate::config::TableForm;
use crate::entry::{Argument, DEFAULT_CAPABILITY, Entry, Mistake, check};
use crate::error::Error;
use crate::place::key_at;
use crate::yaml::{Trouble, trouble};
use domain::hash::Digest;
use domain::label::Label;
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, ResultSource, ToolDefinition, ToolName,
    ToolSpec,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Largest table, bytes.
pub const TABLE_BYTES: usize = 1 << 20;

/// What the user says each tool is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    entries: BTreeMap<String, Entry>,
}

impl Table {
    /// Reads a table. `file` is its name in errors.
    ///
    /// # Errors
    /// [`Error`] with file, line, key and what is allowed there.
    pub fn parse(yaml: &str, file: &str) -> Result<Self, Error> {
        if yaml.len() > TABLE_BYTES {
            return Err(Error::TooLarge {
                file: file.to_owned(),
                limit: TABLE_BYTES,
            });
        }
        let invalid = |mistake: Mistake| Error::Invalid {
            file: file.to_owned(),
            line: mistake.line,
            key: key_at(yaml, mistake.line),
            problem: mistake.problem,
        };
        let form: TableForm = serde_saphyr::from_str(yaml).map_err(|error| {
            let Trouble { line, problem } = trouble(&error);
            invalid(Mistake { line, problem })
        })?;
        if form.version.value != 1 {
            return Err(invalid(Mistake {
                line: form.version.referenced.line(),
                problem: format!(
                    "version {} of this format is not known; there is 1",
                    form.version.value
                ),
            }));
        }
        let mut entries = BTreeMap::new();
        for row in form.tools.0 {
            let name = row.key.clone();
            if let Err(error) = ToolName::new(name.as_str()) {
                return Err(invalid(Mistake {
                    line: row.line,
                    problem: error.to_string(),
                }));
            }
            entries.insert(name, check(row).map_err(invalid)?);
        }
        Ok(Self { entries })
    }

    /// Lays a later table over this one: its entries replace those of the same name.
    pub fn overlay(&mut self, later: Self) {
        self.entries.extend(later.entries);
    }

    /// Every entry, by the name of its tool.
    #[must_use]
    pub fn entries(&self) -> &BTreeMap<String, Entry> {
        &self.entries
    }

    /// The entry that holds for a definition: approved, and for this very definition if it is
    /// pinned.
    fn entry(&self, definition: &ToolDefinition) -> Option<&Entry> {
        let entry = self.entries.get(definition.name.as_str())?;
        let is_same = |pin: &String| *pin == pin_of(definition);
        (entry.approved && entry.pin.as_ref().is_none_or(is_same)).then_some(entry)
    }

    /// What the broker knows of a tool, or `None` when the table has no approved entry for this
    /// definition: [`Table::unclassified`] says what it is then.
    #[must_use]
    pub fn spec(&self, definition: &ToolDefinition) -> Option<ToolSpec> {
        let entry = self.entry(definition)?;
        let mut arguments = entry.arguments.clone();
        if let Some(role) = entry.other_arguments {
            for name in properties(&definition.parameters) {
                arguments.entry(name).or_insert_with(|| Argument::of(role));
            }
        }
        let secrets: BTreeMap<String, String> = arguments
            .iter()
            .filter_map(|(name, argument)| Some((name.clone(), argument.secret.clone()?)))
            .collect();
        Some(ToolSpec {
            definition: closed(definition, &secrets),
            capability: entry.capability.clone(),
            effect: entry.effect,
            arguments: arguments.iter().map(argument_spec).collect(),
            audience: entry.audience.clone(),
            result_label: entry.result_label.clone(),
            result_source: ResultSource::World,
            result_fields: entry.result_fields.clone(),
            names_pages: Vec::new(),
            secrets,
            is_wait: entry.is_wait,
            calls_per_minute: entry.calls_per_minute,
            version: version(definition, &entry.version),
        })
    }

    /// What a tool is that nobody has classified: it may do anything, with anyone as witness, and
    /// nothing it returns is believed or passed on.
    #[must_use]
    pub fn unclassified(definition: &ToolDefinition) -> ToolSpec {
        let arguments = properties(&definition.parameters)
            .into_iter()
            .map(|name| (name, Argument::of(ArgumentRole::Target)));
        let arguments: BTreeMap<String, Argument> = arguments.collect();
        ToolSpec {
            definition: closed(definition, &BTreeMap::new()),
            capability: DEFAULT_CAPABILITY.to_owned(),
            effect: EffectClass::Exec,
            arguments: arguments.iter().map(argument_spec).collect(),
            audience: Audience::Public,
            result_label: Label::untrusted(format!("tool:{}", definition.name)),
            result_source: ResultSource::World,
            result_fields: Vec::new(),
            names_pages: Vec::new(),
            secrets: BTreeMap::new(),
            is_wait: false,
            calls_per_minute: None,
            version: version(definition, "unclassified"),
        }
    }

    /// One spec for each definition, in their order: the user's where the table has one, otherwise
    /// [`Table::unclassified`].
    #[must_use]
    pub fn specs(&self, definitions: &[ToolDefinition]) -> Vec<ToolSpec> {
        let one = |definition| {
            self.spec(definition)
                .unwrap_or_else(|| Self::unclassified(definition))
        };
        definitions.iter().map(one).collect()
    }

    /// Where table and tools do not fit each other, one sentence each, for the user. None of it
    /// makes the table unusable: what is missing is denied.
    #[must_use]
    pub fn warnings(&self, definitions: &[ToolDefinition]) -> Vec<String> {
        let mut found = Vec::new();
        for definition in definitions {
            let name = definition.name.as_str();
            let Some(entry) = self.entries.get(name) else {
                found.push(format!(
                    "`{name}` is not in the table: it counts as unclassified (exec)."
                ));
                continue;
            };
            if !entry.approved {
                found.push(format!(
                    "`{name}` is not approved yet: it counts as unclassified (exec)."
                ));
            } else if self.entry(definition).is_none() {
                found.push(format!(
                    "`{name}` is defined differently from when it was approved: it counts as \
                     unclassified (exec). Look at it again and correct its `pin`."
                ));
            }
            found.extend(entry.misfits(definition));
        }
        let offered: BTreeSet<&str> = definitions.iter().map(|d| d.name.as_str()).collect();
        let absent = self
            .entries
            .keys()
            .filter(|n| !offered.contains(n.as_str()));
        found.extend(
            absent.map(|name| format!("`{name}` is in the table, but no tool has that name.")),
        );
        found
    }
}

impl Entry {
    fn misfits(&self, definition: &ToolDefinition) -> Vec<String> {
        let name = definition.name.as_str();
        let offered = properties(&definition.parameters);
        let unknown = self.arguments.keys().filter(|n| !offered.contains(*n));
        let mut found: Vec<String> = unknown
            .map(|argument| format!("`{name}` has no argument `{argument}` in its schema."))
            .collect();
        if self.other_arguments.is_none() {
            let unlisted = offered.iter().filter(|n| !self.arguments.contains_key(*n));
            found.extend(unlisted.map(|argument| {
                format!(
                    "The argument `{argument}` of `{name}` is not listed: calls that use it are \
                     denied."
                )
            }));
        }
        found
    }
}

/// The digest that `pin` holds: of name, description and schema.
#[must_use]
pub fn pin_of(definition: &ToolDefinition) -> String {
    Digest::of_json(&json!({
        "name": definition.name.as_str(),
        "description": definition.description,
        "parameters": definition.parameters,
    }))
    .to_string()
}

/// Changes with the definition and with the user's own version of the entry.
fn version(definition: &ToolDefinition, stated: &str) -> String {
    let digest: String = pin_of(definition).chars().take(16).collect();
    if stated.is_empty() {
        digest
    } else {
        format!("{stated}+{digest}")
    }
}

fn argument_spec((name, argument): (&String, &Argument)) -> (String, ArgumentSpec) {
    let spec = ArgumentSpec {
        role: argument.role,
        target: argument.names,
    };
    (name.clone(), spec)
}

/// The names of the arguments that a schema lists.
pub(crate) fn properties(schema: &Value) -> BTreeSet<String> {
    let listed = schema.get("properties").and_then(Value::as_object);
    listed
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default()
}

/// The definition as a model is offered it: with no argument beyond those listed, and without those
/// that the broker fills.
fn closed(definition: &ToolDefinition, secrets: &BTreeMap<String, String>) -> ToolDefinition {
    let mut closed = definition.clone();
    let Some(schema) = closed.parameters.as_object_mut() else {
        closed.parameters =
            json!({"type": "object", "properties": {}, "additionalProperties": false});
        return closed;
    };
    if let Some(Value::Object(listed)) = schema.get_mut("properties") {
        listed.retain(|name, _| !secrets.contains_key(name));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !secrets.contains_key(name)));
    }
    // Parts that are put together see only their own properties, so a closed whole would refuse
    // the others'; the table still refuses what it does not list.
    let is_composed = ["allOf", "anyOf", "oneOf", "$ref"]
        .iter()
        .any(|word| schema.contains_key(*word));
    if !is_composed {
        schema
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
    closed
}
