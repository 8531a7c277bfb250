//! How much work it is to hold a value to a JSON Schema of somebody else.
//!
//! A small schema may make endless work: parts that refer to each other several times each are gone
//! through anew on every way that leads to them. A validator has no bound of its own, so the work is
//! counted beforehand, for a definition ([`bounded`]) and for a value ([`bounded_for`]). What is
//! counted is the most that any validator may do, each part of the schema for each value once a way.
//!
//! References are followed within the definition alone: to what `#` and a pointer name, to anchors,
//! and to parts with an identifier. Where several may be meant, all are counted.

mod parts;

use crate::limits::{SCHEMA_LEVELS, SCHEMA_STEPS, SCHEMA_VALUE_STEPS};
use parts::{Named, Part, address, applied, size};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// A schema that nobody can be held to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// More steps than may be.
    #[error(
        "at `{place}` the schema takes more than {most} steps for {what}: its parts are tried again \
         on every way that leads to them"
    )]
    Steps {
        /// A pointer to the part of the schema.
        place: String,
        /// How many steps may be.
        most: u64,
        /// What they are for.
        what: &'static str,
    },
    /// A part that leads back to itself before it has gone into the value.
    #[error("at `{place}` the schema refers back to itself for the same value, which has no end")]
    Circle {
        /// A pointer to the part of the schema.
        place: String,
    },
    /// More levels than may be.
    #[error(
        "at `{place}` the schema leads through more than {SCHEMA_LEVELS} levels of parts and \
         references"
    )]
    Levels {
        /// A pointer to the part of the schema.
        place: String,
    },
}

/// Whether any one value can be held to each part of a schema within [`SCHEMA_VALUE_STEPS`] steps,
/// what the value holds left aside.
///
/// # Errors
/// [`TooMuch`] says what takes more, and where.
pub fn bounded(schema: &Value) -> Result<(), TooMuch> {
    let mut count = Count::new(schema, SCHEMA_VALUE_STEPS, "one value");
    let (mut waiting, mut seen) = (vec![schema], HashSet::new());
    while let Some(part) = waiting.pop() {
        let Value::Object(fields) = part else {
            continue;
        };
        if seen.insert(address(part)) {
            count.count(part, &Value::Null)?;
            waiting.extend(parts::held(fields));
            waiting.extend(count.goals(part, fields)?);
        }
    }
    Ok(())
}

/// Whether this value can be held to a schema within [`SCHEMA_STEPS`] steps.
///
/// # Errors
/// [`TooMuch`] says what takes more, and where.
pub fn bounded_for(schema: &Value, value: &Value) -> Result<(), TooMuch> {
    let mut count = Count::new(schema, SCHEMA_STEPS, "these values");
    count.count(schema, value)
}

/// Most steps that each value in a value can take, where that can be told from the schema alone:
/// nothing in it is tried more than once for the same value. `None` where it may be: then the steps
/// for a value are to be counted with [`bounded_for`].
#[must_use]
pub fn steps_a_value(schema: &Value) -> Option<u64> {
    let (mut steps, mut waiting) = (0_u64, vec![(schema, 0)]);
    while let Some((part, level)) = waiting.pop() {
        // A part counts for itself, as a keyword, and as an entry of one.
        steps = steps.saturating_add(3);
        if level >= SCHEMA_LEVELS {
            return None;
        }
        match part {
            Value::Object(fields) if parts::is_repeated(fields) => return None,
            Value::Object(fields) => waiting.extend(fields.values().map(|at| (at, level + 1))),
            Value::Array(items) => waiting.extend(items.iter().map(|at| (at, level + 1))),
            _ => {}
        }
    }
    Some(steps)
}

/// What it takes to hold a value to a part of a schema.
#[derive(Debug, Clone, Copy)]
struct Cost {
    steps: u64,
    /// Levels of parts from here on.
    levels: usize,
}

impl Cost {
    fn of(steps: u64) -> Self {
        Self { steps, levels: 0 }
    }

    /// Adds what a part in this one takes. Where it is gone through again to tell what was evaluated,
    /// so is each part in it, with all that is below.
    fn add(&mut self, inner: Self, is_gone_through_again: bool) {
        let times = match is_gone_through_again {
            true => 2 + inner.levels as u64,
            false => 1,
        };
        let steps = inner.steps.saturating_mul(times);
        self.steps = self.steps.saturating_add(steps);
        self.levels = self.levels.max(inner.levels + 1);
    }
}

/// A part that is being counted.
struct Open<'a, 'v> {
    part: &'a Value,
    key: (usize, usize),
    cost: Cost,
    /// What is still to be counted of it.
    rest: Box<dyn Iterator<Item = Part<'a, 'v>> + 'v>,
}

/// Counts steps.
struct Count<'a> {
    root: &'a Value,
    /// How many steps there may be for a value, and what it is.
    most: u64,
    what: &'static str,
    /// Parts of the schema by name, once a reference asked for one.
    named: Option<Named<'a>>,
    /// What each part takes for each value; `None` while it is being counted.
    known: HashMap<(usize, usize), Option<Cost>>,
    /// How much was looked at to count, at most [`SCHEMA_STEPS`].
    looks: u64,
}

impl<'a> Count<'a> {
    fn new(root: &'a Value, most: u64, what: &'static str) -> Self {
        Self {
            root,
            most,
            what,
            named: None,
            known: HashMap::new(),
            looks: 0,
        }
    }

    /// Counts what a part takes for a value: without recursion, since schemas may be deep.
    fn count<'v>(&mut self, part: &'a Value, value: &'v Value) -> Result<(), TooMuch>
    where
        'a: 'v,
    {
        let mut open: Vec<Open<'a, 'v>> = Vec::new();
        let mut counted = self.enter(part, value, &mut open)?;
        loop {
            let level = open.len();
            let Some(outer) = open.last_mut() else {
                return Ok(());
            };
            if let Some(inner) = counted.take() {
                outer.cost.add(inner, parts::goes_through_again(outer.part));
                self.within(outer.part, outer.cost, level)?;
            }
            if let Some((part, value)) = outer.rest.next() {
                self.look(part, 1)?;
                counted = self.enter(part, value, &mut open)?;
            } else {
                self.known.insert(outer.key, Some(outer.cost));
                counted = Some(outer.cost);
                open.pop();
            }
        }
    }

    /// What a part takes for a value, if that is known; else it is opened.
    fn enter<'v>(
        &mut self,
        part: &'a Value,
        value: &'v Value,
        open: &mut Vec<Open<'a, 'v>>,
    ) -> Result<Option<Cost>, TooMuch>
    where
        'a: 'v,
    {
        let Value::Object(fields) = part else {
            return Ok(Some(Cost::of(1)));
        };
        let key = (address(part), address(value));
        let cost = match self.known.get(&key) {
            Some(Some(cost)) => return Ok(Some(*cost)),
            Some(None) => {
                let place = self.place(part);
                return Err(TooMuch::Circle { place });
            }
            None => Cost::of(size(fields, value)),
        };
        self.within(part, cost, open.len())?;
        let goals = self.goals(part, fields)?.into_iter();
        let goals = goals.map(move |goal| (goal, value));
        let mut rest = applied(fields, value).chain(goals).peekable();
        if rest.peek().is_none() {
            return Ok(Some(cost));
        }
        self.known.insert(key, None);
        open.push(Open {
            part,
            key,
            cost,
            rest: Box::new(rest),
        });
        Ok(None)
    }

    /// The parts that a part refers to.
    fn goals(
        &mut self,
        part: &'a Value,
        fields: &'a Map<String, Value>,
    ) -> Result<Vec<&'a Value>, TooMuch> {
        if !parts::refers(fields) {
            return Ok(Vec::new());
        }
        let root = self.root;
        let named = self.named.get_or_insert_with(|| Named::of(root));
        let looks = named.looks();
        let goals = named.goals(fields);
        self.look(part, looks)?;
        Ok(goals)
    }

    /// Notes that so much is looked at.
    fn look(&mut self, part: &Value, looks: u64) -> Result<(), TooMuch> {
        self.looks = self.looks.saturating_add(looks);
        match self.looks <= SCHEMA_STEPS {
            true => Ok(()),
            false => Err(self.too_many(part, SCHEMA_STEPS)),
        }
    }

    fn within(&self, part: &Value, cost: Cost, level: usize) -> Result<(), TooMuch> {
        if cost.steps > self.most {
            return Err(self.too_many(part, self.most));
        }
        if level + cost.levels >= SCHEMA_LEVELS {
            let place = self.place(part);
            return Err(TooMuch::Levels { place });
        }
        Ok(())
    }

    fn too_many(&self, part: &Value, most: u64) -> TooMuch {
        TooMuch::Steps {
            place: self.place(part),
            most,
            what: self.what,
        }
    }

    /// A pointer to a part of the schema, found by where it lies in memory.
    fn place(&self, part: &Value) -> String {
        parts::pointer(self.root, part).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Parts that refer to the next one so many times each.
    fn multiplied(parts: usize, times: usize) -> Value {
        let mut definitions = Map::new();
        for at in 0..parts {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            definitions.insert(format!("d{at}"), json!({"anyOf": vec![next; times]}));
        }
        definitions.insert(format!("d{parts}"), json!({"type": "number"}));
        json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    }

    /// A tree whose nodes are tried so many times.
    fn tree(times: usize) -> Value {
        let node = json!({"properties": {"next": {"$ref": "#/$defs/node"}}});
        let nodes = vec![node; times];
        json!({"$ref": "#/$defs/node", "$defs": {"node": {"oneOf": nodes}}})
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!("leaf"), |inner, _| json!({"next": inner}))
    }

    #[test]
    fn parts_that_multiply_are_refused_where_they_do() {
        assert_eq!(bounded(&multiplied(4, 10)), Ok(()));
        for parts in [5, 30, 200] {
            let refused = bounded(&multiplied(parts, 10)).unwrap_err();
            assert!(matches!(refused, TooMuch::Steps { .. }), "{refused}");
            assert!(refused.to_string().contains("/$defs/d"), "{refused}");
        }
        // By anchors, identifiers, percent signs and names of properties as well.
        let spellings = [
            ("#/$defs/d", "#/%24defs/d"),
            ("#/$defs/d", "https://a.example/x#/$defs/d"),
            ("#/$defs/d", "x#/$defs/d"),
            ("$ref", "$dynamicRef"),
            ("properties", "patternProperties"),
        ];
        for (from, to) in spellings {
            let mut text = multiplied(30, 10).to_string().replace(from, to);
            text.insert_str(1, "\"$id\": \"https://a.example/x\",");
            let schema = serde_json::from_str(&text).unwrap();
            assert!(bounded(&schema).is_err(), "{to}");
        }
    }

    #[test]
    fn a_recursive_schema_is_counted_with_its_value() {
        let schema = tree(3);
        assert_eq!(bounded(&schema), Ok(()));
        assert_eq!(bounded_for(&schema, &nested(6)), Ok(()));
        let refused = bounded_for(&schema, &nested(40)).unwrap_err();
        assert!(matches!(refused, TooMuch::Steps { .. }), "{refused}");
        // One way leads to each value: the deepest that arguments may be is no work.
        assert_eq!(bounded_for(&tree(1), &nested(64)), Ok(()));
        let wide: Vec<u32> = (0..200_000).collect();
        let list = json!({"items": {"type": "number"}});
        assert_eq!(bounded_for(&list, &json!(wide)), Ok(()));
    }

    #[test]
    fn what_is_gone_through_again_multiplies() {
        for (holds, rest, value) in [
            ("properties", "unevaluatedProperties", json!({"p": 1})),
            ("prefixItems", "unevaluatedItems", json!([1])),
        ] {
            let inner = match holds {
                "properties" => json!({"properties": {"p": {}}}),
                _ => json!({"prefixItems": [{}]}),
            };
            let nested = |levels: usize| {
                (0..levels).fold(
                    inner.clone(),
                    |inner, _| json!({"allOf": [inner], rest: false}),
                )
            };
            assert_eq!(bounded(&nested(3)), Ok(()), "{rest}");
            assert_eq!(bounded_for(&nested(3), &value), Ok(()), "{rest}");
            assert_eq!(steps_a_value(&nested(3)), None, "{rest}");
            assert!(bounded(&nested(18)).is_err(), "{rest}");
            assert!(bounded_for(&nested(18), &value).is_err(), "{rest}");
        }
        let unique = json!({"allOf": vec![json!({"uniqueItems": true}); 100]});
        assert_eq!(bounded_for(&unique, &json!([1, 2, 3])), Ok(()));
        let many: Vec<u32> = (0..50_000).collect();
        assert!(bounded_for(&unique, &json!(many)).is_err());
        assert_eq!(steps_a_value(&unique), None);
    }

    #[test]
    fn what_the_schema_tells_is_never_less_than_what_is_counted() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": {"anyOf": [{"type": "string"}, {"enum": [1, 2, 3]}, true]},
                "b": {"type": "array", "items": {"oneOf": [{"type": "null"}, {"not": {}}]}},
            },
            "patternProperties": {"^a": {"maxLength": 3}, "b": true},
            "additionalProperties": {"if": {"type": "object"}, "then": {"minProperties": 1}},
        });
        let value = json!({"a": 1, "b": [null, 2, [3]], "ab": "abc", "c": {"d": {}}});
        let told = steps_a_value(&schema).unwrap() * 9;
        let mut count = Count::new(&schema, told, "a test");
        assert_eq!(count.count(&schema, &value), Ok(()));
        let refers = [
            tree(1),
            multiplied(1, 1),
            json!({"items": {"propertyNames": {}}}),
        ];
        for schema in refers {
            assert_eq!(steps_a_value(&schema), None, "{schema}");
        }
    }

    #[test]
    fn many_patterns_and_many_names_are_counted() {
        let many = |prefix: &str, count: usize, inner: Value| -> Value {
            let named = (0..count).map(|at| (format!("{prefix}{at}"), inner.clone()));
            Value::Object(named.collect())
        };
        let schema = json!({"patternProperties": many("p", 2_000, json!(true))});
        assert_eq!(bounded(&schema), Ok(()));
        assert_eq!(bounded_for(&schema, &many("k", 10, json!(1))), Ok(()));
        assert!(bounded_for(&schema, &many("k", 2_000, json!(1))).is_err());
        let part = |at: usize| json!({"$id": format!("i{at}"), "$ref": format!("#/x{at}")});
        let parts: Vec<Value> = (0..2_000).map(part).collect();
        assert!(bounded(&json!({"allOf": parts})).is_err());
    }

    #[test]
    fn a_circle_on_one_value_is_refused_and_a_long_chain_too() {
        let circle =
            json!({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"});
        let refused = bounded(&circle).unwrap_err();
        assert!(matches!(refused, TooMuch::Circle { .. }), "{refused}");
        assert_eq!(bounded(&multiplied(SCHEMA_LEVELS / 2 - 2, 1)), Ok(()));
        let refused = bounded(&multiplied(SCHEMA_LEVELS / 2, 1)).unwrap_err();
        assert!(matches!(refused, TooMuch::Levels { .. }), "{refused}");
    }

    #[test]
    fn data_in_a_schema_refers_to_nothing() {
        let circle = json!({"$ref": "#"});
        let schema = json!({"const": circle, "enum": [circle], "default": circle,
            "properties": {"$ref": {"type": "string"}, "id": {"type": "string"}}});
        assert_eq!(bounded(&schema), Ok(()));
        assert_eq!(bounded_for(&schema, &circle), Ok(()));
    }
}
