//! What a schema applies to a value and to what the value holds, and what its references name.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// A part of a schema, and the value that is held to it.
pub(super) type Part<'a, 'v> = (&'a Value, &'v Value);

/// Keywords whose schemas see the value itself: one, a list of them, or one a name.
const OF_THE_SAME: [&str; 10] = [
    "allOf",
    "anyOf",
    "dependencies",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "oneOf",
    NAMES,
    "then",
];
/// Keywords whose schema sees each item, or each property that is not listed.
const OF_ITEMS: [&str; 5] = [
    "additionalItems",
    "contains",
    "items",
    "prefixItems",
    "unevaluatedItems",
];
const OF_PROPERTIES: [&str; 4] = [
    "additionalProperties",
    "patternProperties",
    "properties",
    "unevaluatedProperties",
];
/// The one whose schema sees each name, so that its parts are gone through as often.
const NAMES: &str = "propertyNames";
/// Those that look at what the parts beside them evaluated, which goes through these once more.
const UNEVALUATED: [&str; 2] = ["unevaluatedItems", "unevaluatedProperties"];
/// The one that compares the items of a list with each other.
const UNIQUE: &str = "uniqueItems";
const REFERENCES: [&str; 3] = ["$dynamicRef", "$recursiveRef", "$ref"];
/// What gives a part of a schema a name.
const IDENTIFIERS: [&str; 2] = ["$id", "id"];
const ANCHORS: [&str; 2] = ["$anchor", "$dynamicAnchor"];

/// What makes a part the same one.
pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Whether something may be tried more than once for the same value, or takes longer than a step.
pub(super) fn is_repeated(fields: &Map<String, Value>) -> bool {
    let mut rest = UNEVALUATED.iter().chain([&NAMES, &UNIQUE]);
    refers(fields) || rest.any(|name| fields.contains_key(*name))
}

/// Whether the parts in this one are gone through once more.
pub(super) fn goes_through_again(part: &Value) -> bool {
    UNEVALUATED.iter().any(|name| part.get(*name).is_some())
}

/// Steps for the keywords themselves: one each, and one for each entry of their lists and for each
/// item that is compared.
pub(super) fn size(fields: &Map<String, Value>, value: &Value) -> u64 {
    let entries = |value: &Value| match value {
        Value::Array(items) => items.len(),
        Value::Object(inner) => inner.len(),
        _ => 0,
    };
    let all = fields.values().map(|value| 1 + entries(value) as u64);
    let compared = match fields.contains_key(UNIQUE) {
        true => entries(value) as u64,
        false => 0,
    };
    1 + all.sum::<u64>() + compared
}

/// What is applied to a value and what it holds, references left aside. Where it takes a pattern to
/// know whether a part applies, it does.
pub(super) fn applied<'a, 'v>(
    fields: &'a Map<String, Value>,
    value: &'v Value,
) -> impl Iterator<Item = Part<'a, 'v>> {
    let parts = OF_THE_SAME
        .iter()
        .filter_map(|name| Some((*name, fields.get(*name)?)));
    let of_the_same = parts.flat_map(move |(name, parts)| {
        let times = match (name, value) {
            (NAMES, Value::Object(held)) => held.len(),
            _ => 1,
        };
        let all = std::iter::repeat_n(parts, times);
        all.flat_map(move |parts| each(name, parts).into_iter().map(move |part| (part, value)))
    });
    let items = value.as_array().into_iter();
    let held = value.as_object().into_iter().flatten();
    of_the_same
        .chain(items.flat_map(|items| of_items(fields, items)))
        .chain(held.flat_map(|(name, value)| of_property(fields, name, value)))
}

fn of_items<'a, 'v>(
    fields: &'a Map<String, Value>,
    items: &'v [Value],
) -> impl Iterator<Item = Part<'a, 'v>> {
    let parts = OF_ITEMS.iter().filter_map(|name| fields.get(*name));
    parts.flat_map(move |part| {
        let (list, all): (&[Value], _) = match part {
            Value::Array(list) => (list, &items[..0]),
            Value::Object(_) => (&[], items),
            _ => (&[], &items[..0]),
        };
        let one_each = list.iter().zip(items);
        one_each.chain(all.iter().map(move |item| (part, item)))
    })
}

fn of_property<'a, 'v>(
    fields: &'a Map<String, Value>,
    name: &str,
    value: &'v Value,
) -> impl Iterator<Item = Part<'a, 'v>> {
    let listed = fields.get("properties").and_then(|listed| listed.get(name));
    let others = ["additionalProperties", "unevaluatedProperties"];
    let others = others.into_iter().filter_map(|name| fields.get(name));
    let patterns = fields.get("patternProperties").and_then(Value::as_object);
    let patterns = patterns.into_iter().flat_map(Map::values);
    let parts = listed.into_iter().chain(others).chain(patterns);
    parts.map(move |part| (part, value))
}

/// Every schema that a keyword holds.
fn each<'a>(name: &str, parts: &'a Value) -> Vec<&'a Value> {
    let is_by_name = ["dependencies", "dependentSchemas"].contains(&name)
        || ["patternProperties", "properties"].contains(&name);
    match parts {
        Value::Object(named) if is_by_name => named.values().collect(),
        Value::Array(list) => list.iter().collect(),
        Value::Object(_) => vec![parts],
        _ => Vec::new(),
    }
}

/// Every schema that a schema holds.
pub(super) fn held(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let keywords = OF_THE_SAME.iter().chain(&OF_ITEMS).chain(&OF_PROPERTIES);
    let parts = keywords.filter_map(|name| Some((*name, fields.get(*name)?)));
    parts.flat_map(|(name, parts)| each(name, parts))
}

/// Whether a schema refers to another.
pub(super) fn refers(fields: &Map<String, Value>) -> bool {
    REFERENCES.iter().any(|name| fields.contains_key(*name))
}

/// The parts of a schema that have names.
#[derive(Debug)]
pub(super) struct Named<'a> {
    root: &'a Value,
    /// Those with an identifier, from which a reference may start.
    resources: Vec<&'a Value>,
    anchors: HashMap<&'a str, Vec<&'a Value>>,
}

impl<'a> Named<'a> {
    pub(super) fn of(root: &'a Value) -> Self {
        let mut found = Self {
            root,
            resources: Vec::new(),
            anchors: HashMap::new(),
        };
        let mut waiting = vec![root];
        while let Some(part) = waiting.pop() {
            match part {
                Value::Array(items) => waiting.extend(items),
                Value::Object(fields) => {
                    found.note(part, fields);
                    waiting.extend(fields.values());
                }
                _ => {}
            }
        }
        found
    }

    fn note(&mut self, part: &'a Value, fields: &'a Map<String, Value>) {
        let text = |name: &&str| fields.get(*name).and_then(Value::as_str);
        for name in ANCHORS.iter().filter_map(text) {
            self.anchors.entry(name).or_default().push(part);
        }
        for name in IDENTIFIERS.iter().filter_map(text) {
            // In older drafts an anchor is an identifier with a mark before it.
            if let Some((_, anchor)) = name.split_once('#').filter(|(_, rest)| !rest.is_empty()) {
                self.anchors.entry(anchor).or_default().push(part);
            }
            self.resources.push(part);
        }
    }

    /// How many parts are looked at to follow a reference.
    pub(super) fn looks(&self) -> u64 {
        1 + self.resources.len() as u64
    }

    /// What the references of a schema may lead to.
    pub(super) fn goals(&self, fields: &Map<String, Value>) -> Vec<&'a Value> {
        let texts = REFERENCES
            .iter()
            .filter_map(|name| fields.get(*name)?.as_str());
        let mut goals: Vec<&Value> = texts.flat_map(|text| self.goal(text)).collect();
        goals.sort_by_key(|goal| address(goal));
        goals.dedup_by_key(|goal| address(goal));
        goals
    }

    fn goal(&self, reference: &str) -> Vec<&'a Value> {
        let (place, inner) = reference.split_once('#').unwrap_or((reference, ""));
        let inner = decoded(inner);
        if !inner.is_empty() && !inner.starts_with('/') {
            return self
                .anchors
                .get(inner.as_str())
                .cloned()
                .unwrap_or_default();
        }
        // Only what has a name is found by one; what is elsewhere is not there at all.
        let own = place.is_empty().then_some(self.root);
        let starts = own.into_iter().chain(self.resources.iter().copied());
        starts.filter_map(|start| start.pointer(&inner)).collect()
    }
}

/// A fragment of an address without its percent signs (RFC 3986, section 2.1).
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The pointer to a part of a value (RFC 6901).
pub(super) fn pointer(root: &Value, part: &Value) -> Option<String> {
    let mut waiting = vec![(root, String::new())];
    while let Some((value, place)) = waiting.pop() {
        if address(value) == address(part) {
            return Some(place);
        }
        match value {
            Value::Array(items) => {
                let inner = items.iter().enumerate();
                waiting.extend(inner.map(|(at, item)| (item, format!("{place}/{at}"))));
            }
            Value::Object(fields) => {
                let name = |key: &str| key.replace('~', "~0").replace('/', "~1");
                let inner = fields.iter();
                waiting.extend(inner.map(|(key, item)| (item, format!("{place}/{}", name(key)))));
            }
            _ => {}
        }
    }
    None
}
