//! The tools on offer: which names count, and what type an argument written as text should have.

use super::found::LeakedCall;
use domain::tool::{ToolDefinition, ToolName};
use serde_json::{Map, Value};

/// What the schema of a tool without arguments has.
const SCHEMA_KEYS: [&str; 4] = ["additionalProperties", "description", "required", "type"];

/// What some templates put before a tool's name.
const PREFIXES: [&str; 4] = ["functions.", "default_api.", "tools.", "function."];

/// The tools on offer.
#[derive(Debug, Clone)]
pub(super) struct Offered {
    tools: Vec<ToolDefinition>,
    /// Whether names that are not on offer count as well.
    takes_others: bool,
}

impl Offered {
    pub(super) fn new(tools: &[ToolDefinition]) -> Self {
        Self {
            tools: tools.to_vec(),
            takes_others: false,
        }
    }

    /// The same tools, and every other name that a tool could have: what is found by it is a call by
    /// its form alone, and never run.
    pub(super) fn and_others(&self) -> Self {
        Self {
            takes_others: true,
            ..self.clone()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tool of exactly this name: a text that names it otherwise may be anybody's.
    fn tool(&self, name: &str) -> Option<&ToolDefinition> {
        exact(&self.tools, name)
    }

    /// The first tool on offer whose name stands whole in a text.
    pub(super) fn named_in(&self, text: &str) -> Option<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let mut words = text.split(|c: char| !is_part(c));
        let found = words.find_map(|word| {
            // Llama calls `name.call(…)`, which may end anywhere.
            let whole = self.tool(word);
            whole.or_else(|| self.tool(word.rsplit_once('.')?.0))
        })?;
        Some(found.name.as_str().to_owned())
    }

    /// Whether the name of a tool on offer begins with a text that is not empty.
    pub(super) fn begins(&self, text: &str) -> bool {
        let mut bare = PREFIXES.iter().filter_map(|one| text.strip_prefix(one));
        let text = bare.next().unwrap_or(text);
        let mut names = self.tools.iter().map(|tool| tool.name.as_str());
        !text.is_empty() && names.any(|name| name.starts_with(text))
    }

    /// Whether a tool of this name is on offer.
    pub(super) fn offers(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    /// Whether a tool on offer takes an argument of this name.
    pub(super) fn takes(&self, name: &str, argument: &str) -> bool {
        let tool = self.tool(name);
        tool.and_then(|tool| property(tool, argument)).is_some()
    }

    /// Whether a name counts.
    pub(super) fn has(&self, name: &str) -> bool {
        self.offers(name) || self.is_other(name)
    }

    fn is_other(&self, name: &str) -> bool {
        self.takes_others && ToolName::new(name.trim()).is_ok()
    }

    /// The tool of a name that counts, if it is on offer, and the name that a call of it has.
    fn named<'a>(&'a self, name: &'a str) -> Option<(Option<&'a ToolDefinition>, &'a str)> {
        match self.tool(name) {
            Some(tool) => Some((Some(tool), tool.name.as_str())),
            None if self.is_other(name) => {
                let name = name.trim();
                let mut bare = PREFIXES.iter().filter_map(|one| name.strip_prefix(one));
                Some((None, bare.next().unwrap_or(name)))
            }
            None => None,
        }
    }

    /// The longest name on offer that a text begins with, where the next character ends it.
    pub(super) fn name_at<'a>(&self, text: &'a str) -> Option<&'a str> {
        let end = text
            .find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)))
            .unwrap_or(text.len());
        text.get(..end).filter(|name| self.has(name))
    }

    /// A call with arguments as a JSON value; `None` when the name is not on offer or the
    /// arguments are no object.
    pub(super) fn call(&self, name: &str, arguments: Value) -> Option<LeakedCall> {
        let (tool, name) = self.named(name)?;
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            Value::Null => Map::new(),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Object(arguments)) => arguments,
                _ => return None,
            },
            _ => return None,
        };
        // The schema of a tool is not a call of it.
        let takes = |argument: &str| tool.and_then(|tool| property(tool, argument)).is_some();
        let is_object = arguments.get("type").is_some_and(|kind| kind == "object");
        let has_properties = arguments.contains_key("properties") && !takes("properties");
        let is_bare = arguments
            .keys()
            .all(|key| SCHEMA_KEYS.contains(&key.as_str()));
        let is_schema = is_object && (has_properties || is_bare && !takes("type"));
        (!is_schema).then(|| LeakedCall {
            name: name.to_owned(),
            arguments: Value::Object(arguments),
        })
    }

    /// A call with arguments written as text, each read by the type that the tool declares.
    pub(super) fn call_from_texts(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
    ) -> Option<LeakedCall> {
        let (tool, name) = self.named(name)?;
        let mut read = Map::new();
        for (key, text) in arguments {
            let value = typed(tool.and_then(|tool| property(tool, &key)), text);
            read.insert(key, value);
        }
        Some(LeakedCall {
            name: name.to_owned(),
            arguments: Value::Object(read),
        })
    }

    /// A call with positional and named arguments; positions follow the order of the schema.
    pub(super) fn call_from_python(
        &self,
        name: &str,
        positional: Vec<Value>,
        named: Map<String, Value>,
    ) -> Option<LeakedCall> {
        let (tool, name) = self.named(name)?;
        let mut arguments = Map::new();
        let declared = tool.and_then(|tool| tool.parameters.get("properties")?.as_object());
        let mut keys = declared.into_iter().flat_map(|all| all.keys());
        for value in positional {
            arguments.insert(keys.next()?.clone(), value);
        }
        arguments.extend(named);
        self.call(name, Value::Object(arguments))
    }
}

/// The tool that a model means by a name: with what templates put before it, and else in the spelling of
/// another language, as `readFile` and `read-file` for `read_file`.
#[must_use]
pub fn on_offer<'a>(tools: &'a [ToolDefinition], name: &str) -> Option<&'a ToolDefinition> {
    let found = exact(tools, name);
    found.or_else(|| {
        let letters = letters(name.trim());
        let same = |tool: &&ToolDefinition| self::letters(tool.name.as_str()) == letters;
        let mut likely = tools.iter().filter(same);
        // Where two tools differ by their spelling alone, only that tells them apart.
        likely.next().filter(|_| likely.next().is_none())
    })
}

fn exact<'a>(tools: &'a [ToolDefinition], name: &str) -> Option<&'a ToolDefinition> {
    let name = name.trim();
    let exact = |name: &str| tools.iter().find(|tool| tool.name.as_str() == name);
    exact(name).or_else(|| {
        let mut bare = PREFIXES.iter().filter_map(|one| name.strip_prefix(one));
        bare.find_map(exact)
    })
}

/// A name in small letters and digits alone.
fn letters(name: &str) -> String {
    let kept = name.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

fn property<'a>(tool: &'a ToolDefinition, key: &str) -> Option<&'a Value> {
    tool.parameters.get("properties")?.get(key)
}

/// A text as the type that a schema asks for; as it stands where it does not fit.
fn typed(schema: Option<&Value>, text: String) -> Value {
    let kind = schema
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str);
    match kind {
        Some("integer" | "number" | "boolean" | "object" | "array") => {
            let lowered = match text.trim() {
                "True" => "true",
                "False" => "false",
                other => other,
            };
            serde_json::from_str(lowered).unwrap_or(Value::String(text))
        }
        _ => Value::String(text),
    }
}
