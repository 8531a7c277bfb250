//! Values that agents were shown, with their labels: what information flow is traced by.

use domain::hash::Digest;
use domain::id::ValueId;
use domain::label::Label;
use std::collections::{HashMap, VecDeque};

/// Most text of stored values one session keeps, bytes; the oldest go first.
pub const STORED_BYTES: usize = 4 << 20;
/// Most values one session keeps, however small.
pub const STORED_VALUES: usize = 4_096;

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// How far it may be trusted.
    pub label: Label,
    /// The values the agent had been shown before it.
    pub parents: Vec<ValueId>,
    /// The digest of the text.
    pub hash: Digest,
    /// The text, whole, as the tool returned it.
    pub text: String,
}

/// A session's values, bounded.
#[derive(Debug, Default)]
pub struct Values {
    by_id: HashMap<ValueId, Stored>,
    order: VecDeque<ValueId>,
    bytes: usize,
}

impl Values {
    /// Keeps a value, forgetting the oldest ones when there is no room. A value larger than
    /// [`STORED_BYTES`] keeps its label and digest but not its text.
    pub fn keep(&mut self, id: ValueId, mut value: Stored) {
        if value.text.len() > STORED_BYTES {
            value.text = String::new();
        }
        self.bytes += value.text.len();
        self.order.push_back(id);
        self.by_id.insert(id, value);
        while self.bytes > STORED_BYTES || self.order.len() > STORED_VALUES {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            if let Some(gone) = self.by_id.remove(&oldest) {
                self.bytes -= gone.text.len();
            }
        }
    }

    /// A value that is still kept.
    #[must_use]
    pub fn get(&self, id: &ValueId) -> Option<&Stored> {
        self.by_id.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn value(bytes: usize) -> Stored {
        Stored {
            label: Label::untrusted("x"),
            parents: Vec::new(),
            hash: Digest::of(b""),
            text: "x".repeat(bytes),
        }
    }

    fn id(n: u128) -> ValueId {
        ValueId::from_uuid(Uuid::from_u128(n))
    }

    #[test]
    fn the_oldest_go_when_bytes_run_out() {
        let mut values = Values::default();
        values.keep(id(1), value(STORED_BYTES / 2));
        values.keep(id(2), value(STORED_BYTES / 2));
        assert!(values.get(&id(1)).is_some());
        values.keep(id(3), value(1));
        assert!(values.get(&id(1)).is_none() && values.get(&id(3)).is_some());
        values.keep(id(4), value(STORED_BYTES + 1));
        assert_eq!(values.get(&id(4)).map(|v| v.text.len()), Some(0));
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut values = Values::default();
        (0..=STORED_VALUES as u128).for_each(|n| values.keep(id(n), value(0)));
        assert!(values.get(&id(0)).is_none() && values.get(&id(1)).is_some());
    }
}
