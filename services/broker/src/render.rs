//! What the user is shown of a call before saying yes (of a whole plan: `plan.rs`): the broker's own words, nothing a model could
//! style. What the call would change is told by the tool that would change it (`preview` of an
//! executor; for files `adapters/files/src/change`).

use domain::tool::{ArgumentRole, EffectClass, ToolSpec};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use text::escape::{quoted_argv, visible};

/// One call in full: tool, effect, and every argument with nothing hidden.
pub(crate) fn call(
    spec: &ToolSpec,
    arguments: &Value,
    targets: &BTreeMap<String, PathBuf>,
) -> String {
    let mut out = format!(
        "{} (effect: {})\n",
        spec.definition.name,
        spec.effect.as_str()
    );
    for (name, value) in arguments.as_object().into_iter().flatten() {
        match listed(name, value, targets) {
            Some(paths) => {
                let lines = paths.iter().map(|path| format!("    {}\n", one_line(path)));
                out.push_str(&format!(
                    "  {}:\n{}",
                    one_line(name),
                    lines.collect::<String>()
                ));
            }
            None => out.push_str(&argument(name, value, targets.get(name))),
        }
    }
    for (name, secret) in &spec.secrets {
        let (name, secret) = (one_line(name), one_line(secret));
        out.push_str(&format!("  {name}: (the secret `{secret}`)\n"));
    }
    out
}

/// How the end of a question begins, which names once more what it is about: one line, and for a plan
/// one more for each of its calls.
const IN_SHORT: &str = "In short: ";
/// Most of one of these lines, characters.
const SHORT_CHARS: usize = 300;
/// Most of the beginning of a content in such a line, characters.
const HEAD_CHARS: usize = 120;
/// Most of its end, characters.
const TAIL_CHARS: usize = 40;
/// Most of a field of one of several objects in such a line, characters.
const FIELD_CHARS: usize = 40;

/// One call in one line: tool, effect, what it acts on, and how; where it acts on nothing of the kind,
/// its arguments. What was left out and has a default counts as given.
pub(crate) fn call_line(
    spec: &ToolSpec,
    arguments: &Value,
    targets: &BTreeMap<String, PathBuf>,
) -> String {
    use ArgumentRole::{Knob, Payload, Selector, Target};
    let role = |name: &String| spec.arguments.get(name).map(|known| known.role);
    let given = arguments.as_object().into_iter().flatten();
    let mut all: BTreeMap<&String, &Value> = defaults(spec).collect();
    all.extend(given);
    let is_target = |(name, _): &(&&String, &&Value)| matches!(role(name), Some(Target | Selector));
    let is_knob = |(name, _): &(&&String, &&Value)| role(name) == Some(Knob);
    let mut named: Vec<_> = all.iter().filter(is_target).collect();
    if named.is_empty() {
        named = all.iter().collect();
    } else if spec.effect == EffectClass::Exec {
        // What runs is what a yes is about, and stands where no length of a path cuts it off.
        let (what, rest): (Vec<_>, _) = all
            .iter()
            .partition(|(name, _)| role(name) == Some(Payload));
        named = [what, rest].concat();
    } else {
        named.extend(all.iter().filter(is_knob));
    }
    let mut line = format!(
        "{} (effect: {})",
        spec.definition.name,
        spec.effect.as_str()
    );
    for (name, given) in named {
        let list = listed(name, given, targets).map(|paths| paths.join(", "));
        let value = match (targets.get(*name), *given, role(name)) {
            _ if list.is_some() => list.unwrap_or_default(),
            (Some(path), ..) => path.to_string_lossy().into_owned(),
            (None, Value::String(text), _) => text.clone(),
            (None, Value::Array(items), _) if are_objects(items) => several(items),
            (None, Value::Array(words), Some(Payload)) => command(words),
            (None, other, _) => other.to_string(),
        };
        let value = match role(name) {
            Some(Payload) if !matches!(given, Value::Array(items) if are_objects(items)) => {
                without_middle(&value)
            }
            _ => one_line(&value),
        };
        line.push_str(&format!(", {}: {value}", one_line(name)));
    }
    cut(&line)
}

/// A call's line with what only its preview tells: the first line of that.
pub(crate) fn told(line: String, comes_to: Option<&str>) -> String {
    match comes_to.and_then(|preview| preview.lines().next()) {
        Some(first) => cut(&format!("{line}: {first}")),
        None => line,
    }
}

/// What the paths of a call really are where links lead elsewhere, as the end of its line.
pub(crate) fn led_to(places: &BTreeMap<PathBuf, PathBuf>) -> String {
    let elsewhere = places.iter().filter(|(named, real)| named != real);
    let words =
        elsewhere.map(|(_, real)| format!("; really {}", one_line(&real.to_string_lossy())));
    words.collect()
}

/// An argument list as the command that it is; any other list as it stands.
fn command(words: &[Value]) -> String {
    let argv: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
    argv.map_or_else(|| Value::from(words).to_string(), |argv| quoted_argv(&argv))
}

/// The paths that an argument lists, as what they are; `None` where it is no list of paths.
fn listed(name: &str, value: &Value, targets: &BTreeMap<String, PathBuf>) -> Option<Vec<String>> {
    let items = value.as_array().filter(|items| !items.is_empty())?;
    let paths = (0..items.len()).map(|index| targets.get(&format!("{name}/{index}")));
    paths
        .map(|path| Some(path?.to_string_lossy().into_owned()))
        .collect()
}

fn are_objects(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(Value::is_object)
}

/// Several objects on one line, each with the beginning of every field that says something, so that
/// no length of one pushes the others off.
fn several(items: &[Value]) -> String {
    let items = items.iter().enumerate().map(|(at, item)| {
        let fields = item.as_object().into_iter().flatten();
        let said =
            fields.filter(|(_, value)| !matches!(value, Value::Array(list) if list.is_empty()));
        let said: Vec<String> = said
            .map(|(name, value)| format!("{} {}", one_line(name), beginning(&value.to_string())))
            .collect();
        format!("{}. {}", at + 1, said.join(", "))
    });
    items.collect::<Vec<String>>().join("; ")
}

/// The beginning of a field.
fn beginning(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= FIELD_CHARS {
        return line;
    }
    let kept: String = line.chars().take(FIELD_CHARS).collect();
    format!("{kept}…")
}

/// The arguments that have a default, with it.
fn defaults(spec: &ToolSpec) -> impl Iterator<Item = (&String, &Value)> {
    let properties = spec.definition.parameters.get("properties");
    let all = properties.and_then(Value::as_object).into_iter().flatten();
    all.filter_map(|(name, property)| Some((name, property.get("default")?)))
}

/// The end of a question: what it is about, and for a plan a line for each of its calls, so that no
/// length of what stands above pushes a target off the screen.
pub(crate) fn in_short(about: &str, calls: &[String]) -> String {
    let mut out = format!("{IN_SHORT}{about}\n");
    for (index, call) in calls.iter().enumerate() {
        out.push_str(&format!("  {}. {call}\n", index + 1));
    }
    out
}

/// A text on one line of at most [`SHORT_CHARS`]; what is cut off is said.
fn cut(text: &str) -> String {
    let line = one_line(text);
    let count = line.chars().count();
    if count <= SHORT_CHARS {
        return line;
    }
    let kept: String = line.chars().take(SHORT_CHARS).collect();
    format!(
        "{kept} … {} characters more, see above",
        count - SHORT_CHARS
    )
}

/// A content on one line that begins with its first words and ends with its last ones; what is left
/// out between is said.
fn without_middle(text: &str) -> String {
    let line = one_line(text);
    let count = line.chars().count();
    if count <= HEAD_CHARS + TAIL_CHARS {
        return line;
    }
    let head: String = line.chars().take(HEAD_CHARS).collect();
    let tail: String = line.chars().skip(count - TAIL_CHARS).collect();
    let left = count - HEAD_CHARS - TAIL_CHARS;
    format!("{head} … {left} characters more, see above … {tail}")
}

fn argument(name: &str, value: &Value, target: Option<&PathBuf>) -> String {
    let name = one_line(name);
    if let Some(path) = target {
        return format!("  {name}: {}\n", one_line(&path.to_string_lossy()));
    }
    match value {
        Value::String(text) if text.contains('\n') => {
            // The bar keeps content from looking like an argument of its own.
            let lines: Vec<String> = text
                .split('\n')
                .map(|l| format!("    | {}\n", visible(l)))
                .collect();
            format!("  {name}:\n{}", lines.concat())
        }
        Value::String(text) => format!("  {name}: {}\n", one_line(text)),
        Value::Array(items) if are_objects(items) => {
            let items = items.iter().enumerate();
            let items: Vec<String> = items.map(|(at, one)| item(at + 1, one)).collect();
            format!("  {name}:\n{}", items.concat())
        }
        other => format!("  {name}: {}\n", one_line(&other.to_string())),
    }
}

/// One of several objects, a field a line.
fn item(number: usize, object: &Value) -> String {
    let mut out = format!("    {number}.\n");
    for (name, value) in object.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(text) => one_line(text),
            other => one_line(&other.to_string()),
        };
        out.push_str(&format!("       {}: {value}\n", one_line(name)));
    }
    out
}

/// A text on one line, with everything that cannot be seen spelled out.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// A diff, with everything that cannot be seen spelled out.
pub(crate) fn diff(text: &str) -> String {
    text::escape::diff(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::label::Label;
    use domain::tool::{Audience, ResultSource, ToolDefinition, ToolName};
    use serde_json::json;

    fn spec() -> ToolSpec {
        ToolSpec {
            definition: ToolDefinition {
                name: ToolName::new("write_file").unwrap(),
                description: String::new(),
                parameters: json!({}),
            },
            capability: "fs_write".to_owned(),
            effect: EffectClass::SharedWrite,
            arguments: BTreeMap::new(),
            audience: Audience::User,
            result_label: Label::nothing(),
            result_source: ResultSource::World,
            result_fields: Vec::new(),
            names_pages: Vec::new(),
            secrets: BTreeMap::new(),
            is_wait: false,
            calls_per_minute: None,
            version: "1".to_owned(),
        }
    }

    #[test]
    fn every_argument_is_shown_and_nothing_hides() {
        let arguments = json!({
            "path": "n.txt",
            "content": "one\n  path: /etc/x\u{202e}\n\u{1b}[2Kend",
            "note": "a\tb\u{200b}",
            "count": 3,
        });
        let targets = BTreeMap::from([("path".to_owned(), PathBuf::from("/w/n\u{7}.txt"))]);
        let text = call(&spec(), &arguments, &targets);
        assert_eq!(
            text,
            "write_file (effect: write)\n  path: /w/n\\u{7}.txt\n  content:\n    | one\n    |   \
             path: /etc/x\\u{202e}\n    | \\u{1b}[2Kend\n  note: a\\tb\\u{200b}\n  count: 3\n"
        );
    }

    #[test]
    fn each_path_of_a_list_is_shown_as_what_it_is() {
        let arguments = json!({"files": ["a", "n\u{202e}"], "patch": "x"});
        let targets = BTreeMap::from([
            ("files/0".to_owned(), PathBuf::from("/w/a")),
            ("files/1".to_owned(), PathBuf::from("/w/n\u{202e}")),
        ]);
        assert_eq!(
            call(&spec(), &arguments, &targets),
            "write_file (effect: write)\n  files:\n    /w/a\n    /w/n\\u{202e}\n  patch: x\n"
        );
        let line = call_line(&spec(), &arguments, &targets);
        assert!(line.contains("files: /w/a, /w/n\\u{202e}"), "{line}");
        // Of a list that is not judged whole, nothing is taken for judged.
        let one = BTreeMap::from([("files/0".to_owned(), PathBuf::from("/w/a"))]);
        let shown = call(&spec(), &arguments, &one);
        assert!(shown.contains("files: [\"a\",\"n\\u{202e}\"]"), "{shown}");
    }
}
