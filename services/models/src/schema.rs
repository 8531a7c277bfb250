//! Answers that must fit a JSON Schema: reading, checking, and asking again.

use crate::error::{Error, ErrorKind, quote};
use domain::message::Message;
use domain::schema::{bounded, bounded_for};
use jsonschema::Validator;
use serde_json::Value;

/// Most errors that a model is shown at one time.
const SHOWN_ERRORS: usize = 5;

/// Longest value, as JSON, that is repeated to say what is wrong with it, bytes.
const SHOWN_VALUE_BYTES: usize = 80;

/// A compiled schema. It never fetches another schema.
pub(crate) struct Schema {
    schema: Value,
    validator: Validator,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// `Rejected` when it is no schema, refers to one elsewhere, or takes too much work.
    pub(crate) fn new(schema: &Value) -> Result<Self, Error> {
        let refused = |why: &dyn std::error::Error| {
            let why = quote(&why.to_string());
            let detail = format!("the schema for the answer cannot be used: {why}");
            Error::new(ErrorKind::Rejected, detail)
        };
        bounded(schema).map_err(|source| refused(&source))?;
        let validator = jsonschema::validator_for(schema).map_err(|source| refused(&source))?;
        Ok(Self {
            schema: schema.clone(),
            validator,
        })
    }

    /// The JSON text of an answer that fits, without anything around it.
    ///
    /// # Errors
    /// What is wrong, in words for the model.
    pub(crate) fn check(&self, answer: &str) -> Result<String, String> {
        let text = unfenced(answer);
        let value: Value = serde_json::from_str(text)
            .map_err(|error| format!("- the answer is not valid JSON: {error}"))?;
        bounded_for(&self.schema, &value)
            .map_err(|much| format!("- the answer cannot be checked: {much}; answer with less"))?;
        let mut problems: Vec<String> = Vec::new();
        for error in self.validator.iter_errors(&value).take(SHOWN_ERRORS) {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "/" } else { &place };
            // A long value would hide what is wrong with it.
            let problem = match error.instance().to_string().len() {
                0..=SHOWN_VALUE_BYTES => error.to_string(),
                _ => error.masked_with("this value").to_string(),
            };
            problems.push(format!("- at {place}: {}", quote(&problem)));
        }
        if problems.is_empty() {
            Ok(text.to_owned())
        } else {
            Err(problems.join("\n"))
        }
    }
}

/// What a model is told after an answer that does not fit.
pub(crate) fn repair(answer: &str, problems: &str) -> [Message; 2] {
    [
        Message::Assistant {
            text: answer.to_owned(),
            thinking: None,
            tool_calls: Vec::new(),
        },
        Message::User {
            text: format!(
                "That answer does not fit the required JSON Schema:\n{problems}\n\
                 Answer again with the corrected JSON only, without any other text."
            ),
        },
    ]
}

/// The answer without one code fence around the whole of it.
fn unfenced(answer: &str) -> &str {
    let text = answer.trim();
    let Some(inside) = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
    else {
        return text;
    };
    inside
        .split_once('\n')
        .map_or(inside, |(_language, body)| body)
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Schema {
        Schema::new(&json!({
            "type": "object",
            "properties": {"status": {"enum": ["ok", "bad"]}},
            "required": ["status"],
            "additionalProperties": false,
        }))
        .unwrap()
    }

    #[test]
    fn a_fitting_answer_is_given_without_its_fence() {
        assert_eq!(
            schema().check(" {\"status\":\"ok\"} ").unwrap(),
            "{\"status\":\"ok\"}"
        );
        assert_eq!(
            schema().check("```json\n{\"status\":\"ok\"}\n```").unwrap(),
            "{\"status\":\"ok\"}"
        );
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let problems = schema().check("{\"status\":\"well\"}").unwrap_err();
        assert!(problems.contains("/status"), "{problems}");
        assert!(schema().check("I think it is fine.").is_err());
        assert!(schema().check("{\"status\":\"ok\"} trailing").is_err());
    }

    #[test]
    fn a_long_value_does_not_hide_what_is_wrong_with_it() {
        let few = Schema::new(&json!({"properties": {"all": {"maxItems": 3}}})).unwrap();
        let answer = json!({"all": vec!["a long item of a long list"; 9]});
        let problems = few.check(&answer.to_string()).unwrap_err();
        assert_eq!(problems, "- at /all: this value has more than 3 items");
    }

    #[test]
    fn a_schema_without_end_is_refused() {
        let doubled =
            |n: u32| json!({"anyOf": vec![json!({"$ref": format!("#/$defs/d{}", n + 1)}); 2]});
        let all = (0..40).map(|n| (format!("d{n}"), doubled(n)));
        let mut all: serde_json::Map<String, Value> = all.collect();
        all.insert("d40".to_owned(), json!({"type": "number"}));
        let endless = json!({"$ref": "#/$defs/d0", "$defs": all});
        let refused = Schema::new(&endless).err().unwrap();
        assert!(refused.to_string().contains("/$defs/d"), "{refused}");
        let node = json!({"properties": {"next": {"$ref": "#"}}});
        let tree = Schema::new(&json!({"oneOf": [node, node, node]})).unwrap();
        let deep = (0..40).fold("1".to_owned(), |inner, _| format!("{{\"next\":{inner}}}"));
        assert!(tree.check(&deep).unwrap_err().contains("cannot be checked"));
    }

    #[test]
    fn a_schema_elsewhere_is_not_fetched() {
        for place in ["http://127.0.0.1:9/x.json", "file:///etc/passwd"] {
            assert!(Schema::new(&json!({"$ref": place})).is_err(), "{place}");
        }
    }
}
