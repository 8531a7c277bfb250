//! Where a call tells something: what one order of the user's stands in for once.
//!
//! Each telling is a choice among what the user said, and a row of them could carry what was read. So
//! it does not help to tell the same person again in other company, another case or another order.

use crate::flow::leaves::{collect, is_key};
use crate::flow::normal::folded;
use crate::table::Tool;
use domain::hash::Digest;
use domain::tool::ArgumentRole;
use serde_json::Value;
use std::collections::BTreeSet;

/// Most places that a call without content is taken for: beyond it everything it names is one.
const PLACES: usize = 256;

/// The places that a call lands on. Two calls that share one land on the same place.
///
/// Where text is told, each party is a place of its own. A call without text tells only that this is
/// done there, so that each combination is one: the user may have two people added to one channel. A
/// call that names nothing lands on its tool.
pub(crate) fn places(tool: &Tool, arguments: &Value) -> BTreeSet<Digest> {
    let of_role = |wanted: ArgumentRole| -> Vec<BTreeSet<String>> {
        let listed = tool.spec.arguments.iter();
        let listed = listed.filter(|(_, argument)| argument.role == wanted);
        let named = listed.map(|(name, _)| texts(tool, name, arguments));
        named.filter(|texts| !texts.is_empty()).collect()
    };
    let parties = of_role(ArgumentRole::Target);
    let selected: BTreeSet<String> = of_role(ArgumentRole::Selector)
        .into_iter()
        .flatten()
        .collect();
    let tells = !of_role(ArgumentRole::Payload).is_empty();
    let each =
        |all: Vec<BTreeSet<String>>| all.into_iter().flatten().map(|one| vec![one]).collect();
    let places: Vec<Vec<String>> = match (tells, parties.is_empty()) {
        (true, false) => each(parties),
        (_, true) => each(vec![selected]),
        (false, false) if selected.is_empty() => {
            combined(&parties).unwrap_or_else(|| each(parties))
        }
        (false, false) => {
            let everyone: BTreeSet<String> = parties.iter().flatten().cloned().collect();
            let pairs = combined(&[selected, everyone]);
            pairs.unwrap_or_else(|| each(parties))
        }
    };
    let places = if places.is_empty() {
        vec![Vec::new()]
    } else {
        places
    };
    places.iter().map(|place| digest(tool, place)).collect()
}

/// The texts that an argument names, in folded form.
fn texts(tool: &Tool, name: &str, arguments: &Value) -> BTreeSet<String> {
    let value = arguments.get(name).filter(|value| !value.is_null());
    let Some(value) = value.or_else(|| tool.default_of(name)) else {
        return BTreeSet::new();
    };
    let mut leaves = Vec::new();
    collect(value, &mut String::new(), 0, &mut leaves);
    let leaves = leaves.into_iter().filter(|(pointer, _)| !is_key(pointer));
    let texts = leaves.map(|(_, text)| folded(&text));
    texts.filter(|text| !text.is_empty()).collect()
}

/// One of each, in every way; `None` where there are too many.
fn combined(sets: &[BTreeSet<String>]) -> Option<Vec<Vec<String>>> {
    let mut found = vec![Vec::new()];
    for set in sets {
        if found.len().saturating_mul(set.len()) > PLACES {
            return None;
        }
        let longer = |row: &Vec<String>| -> Vec<Vec<String>> {
            let with = |one: &String| row.iter().chain([one]).cloned().collect();
            set.iter().map(with).collect()
        };
        found = found.iter().flat_map(longer).collect();
    }
    Some(found)
}

fn digest(tool: &Tool, place: &[String]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tool.spec.definition.name.as_str().as_bytes());
    for part in place {
        // The length in front keeps two parts from being read as one.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    Digest::from_bytes(*hasher.finalize().as_bytes())
}
