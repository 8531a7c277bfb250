//! Layer one: is it a known tool, with arguments that fit its schema?

use crate::question::Question;
use crate::table::{Tool, ToolTable};
use domain::decision::{Finding, Layer, Verdict};
use domain::limits::{JSON_DEPTH, SCHEMA_STEPS, TOOL_ARGUMENT_BYTES};
use domain::message::is_shallow;
use domain::schema::bounded_for;
use domain::tool::ArgumentRole;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// Most schema errors told at once.
const TOLD_ERRORS: usize = 3;
/// Longest error text told, characters.
const TOLD_CHARS: usize = 300;

fn deny(rule: &str, model_reason: String, user_reason: String) -> Finding {
    Finding {
        layer: Layer::Schema,
        verdict: Verdict::Deny,
        rule: rule.to_owned(),
        model_reason,
        user_reason,
    }
}

/// The finding for a name that is in no tool table. Names only tools the agent may use.
pub(crate) fn unknown_tool(question: &Question<'_>, table: &ToolTable) -> Finding {
    let name: String = question.tool.chars().take(80).collect();
    let usable: Vec<&str> = table
        .tools()
        .iter()
        .enumerate()
        .filter(|(index, _)| question.standing.may_use(*index))
        .map(|(_, tool)| &tool.spec.definition.name)
        .filter(|name| !question.settings.disabled_tools.contains(name))
        .map(|name| name.as_str())
        .collect();
    let offer = if usable.is_empty() {
        "You have no tools: answer without one.".to_owned()
    } else {
        format!("Your tools are: {}.", usable.join(", "))
    };
    deny(
        "unknown_tool",
        format!("There is no tool named {name:?}. {offer}"),
        format!("The model asked for {name:?}, which is none of the tools that it was offered."),
    )
}

/// Checks size, depth, unknown arguments, and the schema with the work that it takes.
pub(crate) fn check(tool: &Tool, arguments: &Value) -> Result<(), Finding> {
    let name = tool.spec.definition.name.as_str();
    let Some(object) = arguments.as_object() else {
        return Err(deny(
            "not_an_object",
            format!("The arguments of {name} must be one JSON object. Call it again with that."),
            format!("The arguments of {name} were not a JSON object."),
        ));
    };
    let bytes = size(arguments, 0);
    if bytes > TOOL_ARGUMENT_BYTES {
        return Err(deny(
            "arguments_too_large",
            format!("The arguments are longer than {TOOL_ARGUMENT_BYTES} bytes. Do it in parts."),
            format!("The arguments of {name} were longer than {TOOL_ARGUMENT_BYTES} bytes."),
        ));
    }
    if !is_shallow(arguments, JSON_DEPTH) {
        return Err(deny(
            "arguments_too_deep",
            format!("The arguments are nested deeper than {JSON_DEPTH} levels."),
            format!("The arguments of {name} were nested deeper than {JSON_DEPTH} levels."),
        ));
    }
    if let Some(unknown) = object
        .keys()
        .find(|key| !tool.spec.arguments.contains_key(*key))
    {
        let unknown: String = unknown.chars().take(80).collect();
        return Err(unknown_argument(tool, &unknown));
    }
    no_secret_given(tool, object)?;
    fits(tool, arguments, bytes)
}

/// The refusal of an argument of which nobody said what it is: either the tool has none of that name, or
/// only the table of tools lacks it, and then a model is not told to do without.
fn unknown_argument(tool: &Tool, unknown: &str) -> Finding {
    let definition = &tool.spec.definition;
    let name = definition.name.as_str();
    let properties = definition.parameters.get("properties");
    if properties.is_some_and(|all| all.get(unknown).is_some()) {
        return deny(
            "unknown_argument",
            format!(
                "The user's table of tools says nothing of the argument {unknown:?} of {name}, so no \
                 call may use it. Tell the user so."
            ),
            format!(
                "The table of tools has no entry for the argument {unknown:?} of {name}: write its \
                 role under `arguments`, or one for all others as `other_arguments`."
            ),
        );
    }
    let known: Vec<&str> = tool.spec.arguments.keys().map(String::as_str).collect();
    let known = match known.is_empty() {
        true => "none".to_owned(),
        false => known.join(", "),
    };
    deny(
        "unknown_argument",
        format!("{name} has no argument {unknown:?}. Its arguments are: {known}."),
        format!(
            "The call gives {name} an argument {unknown:?} that it does not have; it has {known}."
        ),
    )
}

/// Holds arguments of so many bytes to the schema, unless that takes too much work.
fn fits(tool: &Tool, arguments: &Value, bytes: usize) -> Result<(), Finding> {
    let name = tool.spec.definition.name.as_str();
    // Each value takes a byte at least.
    let most = tool.steps.map(|steps| steps.saturating_mul(bytes as u64));
    let is_little = most.is_some_and(|most| most <= SCHEMA_STEPS);
    if !is_little && let Err(much) = bounded_for(&tool.spec.definition.parameters, arguments) {
        return Err(deny(
            "schema_too_costly",
            format!(
                "The arguments of {name} cannot be checked: {much}. Give less, or nest it less."
            ),
            format!("The arguments of {name} could not be checked: {much}."),
        ));
    }
    if tool.validator.is_valid(arguments) {
        return Ok(());
    }
    let errors: Vec<String> = tool
        .validator
        .iter_errors(arguments)
        .take(TOLD_ERRORS)
        .map(|error| {
            let text = format!("{} (at `{}`)", told(&error), error.instance_path());
            text.chars().take(TOLD_CHARS).collect()
        })
        .collect();
    let errors = errors.join("; ");
    Err(deny(
        "schema_violation",
        format!(
            "The arguments of {name} do not fit its schema: {errors}. Mend them and call again."
        ),
        format!("The arguments of {name} did not fit its schema: {errors}."),
    ))
}

/// An error in words; of a choice, all that there is to choose from.
fn told(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => {
                let all: Vec<String> = options.iter().map(Value::to_string).collect();
                format!("{} is none of {}", error.instance(), all.join(", "))
            }
            None => error.to_string(),
        },
        _ => error.to_string(),
    }
}

/// Refuses a value for an argument that the broker fills itself.
fn no_secret_given(tool: &Tool, arguments: &serde_json::Map<String, Value>) -> Result<(), Finding> {
    let name = tool.spec.definition.name.as_str();
    let is_secret = |name: &&String| {
        let argument = tool.spec.arguments.get(*name);
        argument.is_some_and(|a| a.role == ArgumentRole::Secret)
    };
    match arguments.keys().find(is_secret) {
        None => Ok(()),
        Some(slot) => Err(deny(
            "secret_argument",
            format!("{slot:?} is filled in without you. Call {name} again without it."),
            format!("The model gave {name} a value for the secret {slot:?}."),
        )),
    }
}

/// Bytes of text in a value, a lower bound of its JSON form. Deep values are cut short: the depth
/// check refuses them.
fn size(value: &Value, depth: usize) -> usize {
    if depth > JSON_DEPTH {
        return 0;
    }
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|i| size(i, depth + 1) + 1).sum::<usize>() + 2,
        Value::Object(map) => {
            let fields = map.iter();
            fields
                .map(|(k, v)| k.len() + 4 + size(v, depth + 1))
                .sum::<usize>()
                + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}
