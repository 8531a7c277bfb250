//! The tool table, compiled once: schemas into validators, names into places in a bit set.

use crate::manifest::Selector;
use domain::hash::{Digest, canonical_json};
use domain::limits::JSON_DEPTH;
use domain::schema::{TooMuch, bounded, steps_a_value};
use domain::tool::{EffectClass, TargetKind, ToolSpec};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most values of a number that is too narrow to tell anything: some ten bits.
pub(crate) const NARROW_VALUES: i64 = 1_000;
/// Parts of names of what says how much is paid.
const AMOUNT_WORDS: [&str; 7] = [
    "amount", "price", "sum", "total", "fee", "cents", "quantity",
];

/// A tool table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Two tools share a name.
    #[error("two tools are named `{0}`")]
    Duplicate(String),
    /// A schema that is not one.
    #[error("the schema of tool `{tool}` cannot be used")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong with it.
        #[source]
        source: Box<jsonschema::ValidationError<'static>>,
    },
    /// A schema that takes too much work to hold anything to.
    #[error("the schema of tool `{tool}` cannot be used")]
    Costly {
        /// The tool.
        tool: String,
        /// What of it takes the work.
        #[source]
        source: TooMuch,
    },
}

/// One tool, ready to be judged.
#[derive(Debug)]
pub struct Tool {
    /// The broker's knowledge of it.
    pub spec: ToolSpec,
    pub(crate) validator: jsonschema::Validator,
    /// Most steps that the schema takes for each value in the arguments, if that is known beforehand.
    pub(crate) steps: Option<u64>,
    /// Arguments that name paths or URLs, in name order.
    pub(crate) targets: Vec<(String, TargetKind)>,
    /// Every key that the schema names, at any depth: whoever fills in a call did not choose them.
    pub(crate) keys: BTreeSet<String>,
    /// Every word that the schema lists as the only ones of an argument.
    pub(crate) words: BTreeSet<String>,
    /// Arguments that are whole numbers of at most [`NARROW_VALUES`] values, each with how many.
    pub(crate) ranges: BTreeMap<String, i64>,
    /// Arguments of a tool that pays which say how much.
    pub(crate) amounts: BTreeSet<String>,
}

impl Tool {
    /// What the schema says stands in for an argument that is left out.
    pub(crate) fn default_of(&self, argument: &str) -> Option<&Value> {
        self.spec
            .definition
            .parameters
            .get("properties")?
            .get(argument)?
            .get("default")
    }
}

/// Every tool.
#[derive(Debug, Default)]
pub struct ToolTable {
    tools: Vec<Tool>,
    by_name: HashMap<String, usize>,
}

impl ToolTable {
    /// Compiles a table.
    ///
    /// # Errors
    /// [`TableError`] when two tools share a name, or a schema is none or takes too much work.
    pub fn new(specs: Vec<ToolSpec>) -> Result<Self, TableError> {
        let mut table = Self::default();
        for spec in specs {
            let name = spec.definition.name.as_str().to_owned();
            let validator = validator(&name, &spec.definition.parameters)?;
            if table
                .by_name
                .insert(name.clone(), table.tools.len())
                .is_some()
            {
                return Err(TableError::Duplicate(name));
            }
            let targets = spec
                .arguments
                .iter()
                .filter_map(|(name, argument)| Some((name.clone(), argument.target?)))
                .collect();
            let (mut keys, mut words) = (BTreeSet::new(), BTreeSet::new());
            named(&spec.definition.parameters, 0, &mut keys, &mut words);
            let (ranges, amounts) = (narrow_ranges(&spec), amounts(&spec));
            table.tools.push(Tool {
                steps: steps_a_value(&spec.definition.parameters),
                ranges,
                amounts,
                keys,
                words,
                spec,
                validator,
                targets,
            });
        }
        Ok(table)
    }

    /// The table with the paths and hosts of every call left to the program that runs them: its
    /// places are not ours. What kind of thing a target is stays known to the other rules.
    #[must_use]
    pub fn with_places_elsewhere(mut self) -> Self {
        let targets = self.tools.iter_mut().flat_map(|tool| &mut tool.targets);
        for (_, kind) in targets {
            *kind = TargetKind::Other;
        }
        self
    }

    /// The tool of that name and its place.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(usize, &Tool)> {
        let index = *self.by_name.get(name)?;
        self.tools.get(index).map(|tool| (index, tool))
    }

    /// Every tool, in table order.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tools the selectors name.
    #[must_use]
    pub fn select(&self, selectors: &BTreeSet<Selector>) -> ToolSet {
        let mut set = ToolSet::empty(self.tools.len());
        for (index, tool) in self.tools.iter().enumerate() {
            let is_named = selectors.iter().any(|selector| match selector {
                Selector::Capability(capability) => *capability == tool.spec.capability,
                Selector::Tool(name) => *name == tool.spec.definition.name,
            });
            if is_named {
                set.insert(index);
            }
        }
        set
    }

    /// All of it.
    #[must_use]
    pub fn everything(&self) -> ToolSet {
        let mut set = ToolSet::empty(self.tools.len());
        (0..self.tools.len()).for_each(|index| set.insert(index));
        set
    }

    /// A digest that changes whenever a tool's name, version, effect, schema or argument roles do.
    #[must_use]
    pub fn revision(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for Tool { spec, .. } in &self.tools {
            let line = format!(
                "{:?} {} {:?} {:?} {}\n",
                spec.definition.name,
                spec.version,
                spec.effect,
                spec.arguments,
                canonical_json(&spec.definition.parameters)
            );
            hasher.update(line.as_bytes());
        }
        Digest::from_bytes(*hasher.finalize().as_bytes())
    }
}

/// What holds arguments to the schema of a tool.
fn validator(tool: &str, schema: &Value) -> Result<jsonschema::Validator, TableError> {
    let tool = || tool.to_owned();
    bounded(schema).map_err(|source| TableError::Costly {
        tool: tool(),
        source,
    })?;
    jsonschema::validator_for(schema).map_err(|error| TableError::Schema {
        tool: tool(),
        source: Box::new(error.to_owned()),
    })
}

/// The whole numbers whose schema leaves few of them.
fn narrow_ranges(spec: &ToolSpec) -> BTreeMap<String, i64> {
    let bound = |part: &Value, names: [&str; 2], by: i64| {
        let inclusive = part.get(names[0]).and_then(Value::as_i64);
        let exclusive = part.get(names[1]).and_then(Value::as_i64);
        inclusive.or(exclusive.map(|bound| bound.saturating_add(by)))
    };
    let values = |part: &Value| {
        let least = bound(part, ["minimum", "exclusiveMinimum"], 1)?;
        let most = bound(part, ["maximum", "exclusiveMaximum"], -1)?;
        let is_whole = part.get("type").and_then(Value::as_str) == Some("integer");
        let values = most.checked_sub(least)?.checked_add(1)?;
        (is_whole && (1..=NARROW_VALUES).contains(&values)).then_some(values)
    };
    let narrow = properties(spec).filter_map(|(name, part)| Some((name.clone(), values(part)?)));
    narrow.collect()
}

/// What says how much a tool pays: by a word of its name, or since it may be a fraction.
fn amounts(spec: &ToolSpec) -> BTreeSet<String> {
    if spec.effect != EffectClass::Money {
        return BTreeSet::new();
    }
    let is_fraction = |part: &Value| part.get("type").and_then(Value::as_str) == Some("number");
    let is_named = |name: &str| {
        let name = name.to_lowercase();
        AMOUNT_WORDS.iter().any(|word| name.contains(word))
    };
    let found = properties(spec).filter(|(name, part)| is_named(name) || is_fraction(part));
    found.map(|(name, _)| name.clone()).collect()
}

fn properties(spec: &ToolSpec) -> impl Iterator<Item = (&String, &Value)> {
    let listed = spec.definition.parameters.get("properties");
    listed.and_then(Value::as_object).into_iter().flatten()
}

/// The names of properties and the words of enums in a schema, at any depth.
fn named(schema: &Value, depth: usize, keys: &mut BTreeSet<String>, words: &mut BTreeSet<String>) {
    if depth > JSON_DEPTH {
        return;
    }
    match schema {
        Value::Object(fields) => {
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                keys.extend(properties.keys().cloned());
            }
            let listed = fields.get("enum").and_then(Value::as_array);
            let listed = listed.into_iter().flatten().chain(fields.get("const"));
            words.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            fields
                .values()
                .for_each(|inner| named(inner, depth + 1, keys, words));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|inner| named(inner, depth + 1, keys, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A set of tools of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSet {
    words: Vec<u64>,
}

impl ToolSet {
    /// No tool of a table of `len` tools.
    #[must_use]
    pub fn empty(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
        }
    }

    /// Adds the tool at a place of the table.
    pub fn insert(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    /// Whether the tool at a place of the table is in.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.words
            .get(index / 64)
            .is_some_and(|word| word & (1 << (index % 64)) != 0)
    }

    /// The tools in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b);
        Self {
            words: words.collect(),
        }
    }

    /// Whether every tool of this set is in the other.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.intersect(other) == *self
    }
}
