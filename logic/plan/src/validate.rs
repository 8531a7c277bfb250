//! The validator: from JSON that someone else wrote to a plan that is known to be sound.

use domain::fault::Coded;
use domain::limits::PLAN_ACTIONS;
use domain::plan::Plan;
use serde_json::Value;
use std::fmt;

/// Most problems that are named; more would only hide the first.
pub const SHOWN_PROBLEMS: usize = 8;
/// Longest piece of a wrong value that is repeated in a message, characters.
pub const SHOWN_VALUE_CHARS: usize = 60;

/// One thing that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: `actions[2].path`.
    pub place: String,
    /// What.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return write!(f, "{}", self.what);
        }
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// A plan that is refused, with everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the plan was refused: {}", list(.problems))]
pub struct Invalid {
    /// What is wrong, in the order of the plan; at most [`SHOWN_PROBLEMS`].
    pub problems: Vec<Problem>,
}

fn list(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(Problem::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

impl Coded for Invalid {
    fn code(&self) -> &'static str {
        "plan.invalid"
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        "Nothing was run. Ask again, or in other words.".to_owned()
    }
}

/// Reads a plan from JSON text.
///
/// # Errors
/// [`Invalid`] when the text is not JSON or the plan is unsound; see [`value`].
pub fn text(json: &str, handlers: &[&str]) -> Result<Plan, Invalid> {
    match serde_json::from_str(json.trim()) {
        Ok(parsed) => value(&parsed, handlers),
        Err(error) => Err(single("", format!("it is not JSON ({error})"))),
    }
}

/// Checks a plan given as JSON. `handlers` are the action kinds that can be run here.
///
/// # Errors
/// [`Invalid`] when the shape is wrong, a kind is unknown or has no handler, a field is missing,
/// unknown or out of bounds, or there are no or too many actions.
pub fn value(plan: &Value, handlers: &[&str]) -> Result<Plan, Invalid> {
    let mut problems = Vec::new();
    check_outline(plan, &mut problems);
    let actions = plan.get("actions").and_then(Value::as_array);
    // An endless list is one problem, not thousands.
    for (index, action) in actions.into_iter().flatten().take(PLAN_ACTIONS).enumerate() {
        check_action(index, action, handlers, &mut problems);
    }
    problems.truncate(SHOWN_PROBLEMS);
    if !problems.is_empty() {
        return Err(Invalid { problems });
    }
    serde_json::from_value(plan.clone()).map_err(|error| single("", error.to_string()))
}

/// Checks a plan that is already typed: its bounds and handlers.
///
/// # Errors
/// As [`value`].
pub fn typed(plan: &Plan, handlers: &[&str]) -> Result<(), Invalid> {
    match serde_json::to_value(plan) {
        Ok(json) => value(&json, handlers).map(|_| ()),
        Err(error) => Err(single("", error.to_string())),
    }
}

fn single(place: &str, what: String) -> Invalid {
    Invalid {
        problems: vec![Problem {
            place: place.to_owned(),
            what,
        }],
    }
}

/// Everything about a plan but its actions, which are checked one by one for clearer words.
fn check_outline(plan: &Value, problems: &mut Vec<Problem>) {
    let mut outline = crate::schema::full();
    if let Some(items) = outline.pointer_mut("/properties/actions/items") {
        *items = Value::Bool(true);
    }
    check_schema(&outline, plan, "", problems);
}

fn check_action(index: usize, action: &Value, handlers: &[&str], problems: &mut Vec<Problem>) {
    let place = format!("actions[{index}]");
    let mut report = |place: &str, what: String| {
        problems.push(Problem {
            place: place.to_owned(),
            what,
        });
    };
    let Some(kind) = action.get("kind").and_then(Value::as_str) else {
        return report(&place, "an action is an object with a `kind`".to_owned());
    };
    let kinds = crate::schema::actions();
    let Some((_, schema)) = kinds.iter().find(|(known, _)| known == kind) else {
        let known: Vec<&str> = kinds.iter().map(|(kind, _)| kind.as_str()).collect();
        let what = format!(
            "`{}` is not a known action; known: {}",
            shorten(kind),
            known.join(", ")
        );
        return report(&format!("{place}.kind"), what);
    };
    if !handlers.contains(&kind) {
        return report(
            &format!("{place}.kind"),
            format!("nothing here can run `{kind}`"),
        );
    }
    check_schema(schema, action, &place, problems);
}

fn check_schema(schema: &Value, instance: &Value, base: &str, problems: &mut Vec<Problem>) {
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => {
            let what = format!("the plan schema itself cannot be used ({error})");
            return problems.push(Problem {
                place: base.to_owned(),
                what,
            });
        }
    };
    for error in validator.iter_errors(instance).take(SHOWN_PROBLEMS) {
        let place = place(base, &error.instance_path().to_string());
        problems.push(Problem {
            place,
            what: shorten(&error.to_string()),
        });
    }
}

/// `/path` under `actions[1]` is `actions[1].path`.
fn place(base: &str, pointer: &str) -> String {
    let inner = pointer.trim_start_matches('/').replace('/', ".");
    match (base.is_empty(), inner.is_empty()) {
        (_, true) => base.to_owned(),
        (true, false) => inner,
        (false, false) => format!("{base}.{inner}"),
    }
}

/// Cuts the middle out of a message that repeats a long value.
fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= 2 * SHOWN_VALUE_CHARS {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN_VALUE_CHARS).collect();
    let tail: String = text.chars().skip(count - SHOWN_VALUE_CHARS).collect();
    format!("{head} … {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ALL: [&str; 4] = ["list_files", "tree", "delete_file", "undo"];

    fn problems(actions: Value) -> String {
        value(&json!({ "intent": "x", "actions": actions }), &ALL)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_sound_plan_passes() {
        let plan = json!({ "intent": "look", "actions": [{ "kind": "list_files", "path": "." }, { "kind": "undo" }] });
        let plan = value(&plan, &ALL).unwrap();
        assert_eq!(plan.actions.len(), 2);
        assert_eq!(typed(&plan, &ALL), Ok(()));
        assert!(typed(&plan, &["list_files"]).is_err());
    }

    #[test]
    fn every_refusal_says_what_and_where() {
        let unknown =
            problems(json!([{ "kind": "undo" }, { "kind": "run_command", "argv": "rm" }]));
        assert!(
            unknown.contains("actions[1].kind: `run_command` is not a known action"),
            "{unknown}"
        );
        let deep = problems(json!([{ "kind": "tree", "path": ".", "depth": 9 }]));
        assert!(
            deep.contains("actions[0].depth: 9 is greater than the maximum of 8"),
            "{deep}"
        );
        let missing = problems(json!([{ "kind": "delete_file" }]));
        assert!(
            missing.contains("actions[0]: \"path\" is a required property"),
            "{missing}"
        );
        let extra = problems(json!([{ "kind": "undo", "command": "rm -rf /" }]));
        assert!(
            extra.contains("actions[0]") && extra.contains("command"),
            "{extra}"
        );
        let handler = problems(json!([{ "kind": "answer", "question": "who?" }]));
        assert!(
            handler.contains("actions[0].kind: nothing here can run `answer`"),
            "{handler}"
        );
        assert!(problems(json!(["rm -rf /"])).contains("actions[0]"));
        assert!(problems(json!([])).contains("actions"));
        assert!(
            text("rm -rf /", &ALL)
                .unwrap_err()
                .to_string()
                .contains("not JSON")
        );
        assert!(value(&json!([1]), &ALL).is_err());
    }

    #[test]
    fn bounds_hold_at_their_edge() {
        let steps = |count: usize| json!({ "intent": "x", "actions": vec![json!({ "kind": "undo" }); count] });
        assert!(value(&steps(PLAN_ACTIONS), &ALL).is_ok());
        assert!(value(&steps(PLAN_ACTIONS + 1), &ALL).is_err());
        let path = |length: usize| json!({ "intent": "x", "actions": [{ "kind": "delete_file", "path": "x".repeat(length) }] });
        assert!(value(&path(400), &ALL).is_ok());
        let long = value(&path(401), &ALL).unwrap_err().to_string();
        assert!(
            long.contains("actions[0].path") && long.len() < 400,
            "{long}"
        );
    }
}
