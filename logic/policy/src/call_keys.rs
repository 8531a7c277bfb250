//! Digests that say which calls are the same: for loops, for choices and for what was approved.

use crate::table::Tool;
use domain::hash::{Digest, canonical_json};
use domain::tool::{ArgumentRole, TargetKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A digest that white space, key order, spelling of paths and of numbers do not change.
pub(crate) fn repeat_key(
    tool: &Tool,
    arguments: &Value,
    paths: &BTreeMap<String, (TargetKind, PathBuf)>,
) -> Digest {
    key(tool, arguments, paths, |_| true)
}

/// A digest over tool, version and targets alone; over all arguments when it has no target.
pub(crate) fn choice_key(
    tool: &Tool,
    arguments: &Value,
    paths: &BTreeMap<String, (TargetKind, PathBuf)>,
) -> Digest {
    let is_target = |name: &str| {
        let argument = tool.spec.arguments.get(name);
        argument.is_some_and(|a| is_landed_on(a.role))
    };
    let has_target = tool
        .spec
        .arguments
        .values()
        .any(|argument| is_landed_on(argument.role));
    key(tool, arguments, paths, |name| {
        !has_target || is_target(name)
    })
}

const fn is_landed_on(role: ArgumentRole) -> bool {
    matches!(role, ArgumentRole::Target | ArgumentRole::Selector)
}

fn key(
    tool: &Tool,
    arguments: &Value,
    paths: &BTreeMap<String, (TargetKind, PathBuf)>,
    includes: impl Fn(&str) -> bool,
) -> Digest {
    let mut hasher = blake3::Hasher::new();
    let mut put = |bytes: &[u8]| {
        // The length in front keeps two fields from being read as one.
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    put(tool.spec.definition.name.as_str().as_bytes());
    put(tool.spec.version.as_bytes());
    let mut names: Vec<&String> = arguments
        .as_object()
        .into_iter()
        .flat_map(|o| o.keys())
        .collect();
    names.sort_unstable();
    for name in names.into_iter().filter(|name| includes(name)) {
        put(name.as_bytes());
        match (paths.get(name), arguments.get(name)) {
            (Some((_, path)), _) => put(path.as_os_str().as_encoded_bytes()),
            (None, Some(Value::Array(items))) if is_listed(name, items, paths) => {
                put(&(items.len() as u64).to_le_bytes());
                let listed = (0..items.len()).filter_map(|at| paths.get(&listed_at(name, at)));
                listed.for_each(|(_, path)| put(path.as_os_str().as_encoded_bytes()));
            }
            (None, Some(Value::String(text))) if !is_payload(tool, name) => {
                let words: Vec<&str> = text.split_whitespace().collect();
                put(words.join(" ").as_bytes());
            }
            (None, Some(value)) => put(canonical_json(value).as_bytes()),
            (None, None) => put(b""),
        }
    }
    Digest::from_bytes(*hasher.finalize().as_bytes())
}

/// Where a path of a list stands among the targets of a call.
pub(crate) fn listed_at(argument: &str, index: usize) -> String {
    format!("{argument}/{index}")
}

/// Whether an argument lists paths and nothing else.
fn is_listed(name: &str, items: &[Value], paths: &BTreeMap<String, (TargetKind, PathBuf)>) -> bool {
    let mut all = 0..items.len();
    !items.is_empty() && all.all(|at| paths.contains_key(&listed_at(name, at)))
}

fn is_payload(tool: &Tool, name: &str) -> bool {
    let argument = tool.spec.arguments.get(name);
    argument.is_none_or(|a| a.role == ArgumentRole::Payload)
}
