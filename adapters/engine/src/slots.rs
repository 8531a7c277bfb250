//! Which part of the key-value cache serves which conversation.
//!
//! Evaluating a prompt is the slow half of a call on a processor, and most prompts begin like an
//! earlier one: same system prompt, same tools, same history. The cache is therefore divided into
//! a few slots, each holding the tokens of one conversation, and a call starts from the slot that
//! shares its longest beginning. This module only decides; [`crate::generate`] acts.

/// Conversations kept at the same time.
pub const MAX_SLOTS: usize = 4;

/// Tokens that slots other than the active one may hold together. Attention reads over every used
/// cell, so idle conversations slow the active one down.
pub const MAX_IDLE_TOKENS: usize = 3072;

/// What one slot's cells hold.
#[derive(Debug, Clone, Default)]
struct Slot {
    tokens: Vec<i32>,
    last_used: u64,
}

/// The book-keeping of all slots.
#[derive(Debug)]
pub struct Slots {
    slots: Vec<Slot>,
    clock: u64,
}

/// How to prepare the cache for one prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The slot to work in, also its sequence id.
    pub slot: usize,
    /// Copy the shared beginning from this slot first.
    pub copy_from: Option<usize>,
    /// Tokens at the beginning that are evaluated already.
    pub keep: usize,
    /// Slots to empty before anything else, to make room.
    pub evict: Vec<usize>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            slots: vec![Slot::default(); MAX_SLOTS],
            clock: 0,
        }
    }
}

impl Slots {
    /// Decides where `prompt` goes and records that its kept part is there.
    ///
    /// At least the last token is always evaluated anew, because its logits start the answer.
    pub fn plan(&mut self, prompt: &[i32]) -> Plan {
        self.clock += 1;
        let limit = prompt.len().saturating_sub(1);
        let shared = |slot: &Slot| common_prefix(&slot.tokens, prompt).min(limit);
        let source = (0..self.slots.len())
            .max_by_key(|&at| (shared(&self.slots[at]), self.slots[at].last_used))
            .unwrap_or(0);
        let keep = shared(&self.slots[source]);
        // A prompt that leaves most of a conversation unused is another conversation with the same
        // beginning: give it a slot of its own and keep the old one.
        let branches_off = keep * 2 < self.slots[source].tokens.len();
        let slot = if branches_off {
            self.least_recent(source, keep)
        } else {
            source
        };
        let copy_from = (slot != source && keep > 0).then_some(source);
        self.slots[slot].tokens = prompt.get(..keep).unwrap_or_default().to_vec();
        self.slots[slot].last_used = self.clock;
        let evict = self.evict_idle(slot, copy_from);
        Plan {
            slot,
            copy_from,
            keep,
            evict,
        }
    }

    /// Records tokens that were evaluated in `slot`.
    pub fn extend(&mut self, slot: usize, tokens: &[i32]) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.extend_from_slice(tokens);
        }
    }

    /// Empties every slot but `slot` and returns the emptied ones, to make room.
    pub fn evict_others(&mut self, slot: usize) -> Vec<usize> {
        let others = (0..self.slots.len()).filter(|&at| at != slot);
        let held: Vec<usize> = others
            .filter(|&at| !self.slots[at].tokens.is_empty())
            .collect();
        held.iter().for_each(|&at| self.slots[at].tokens.clear());
        held
    }

    /// Forgets what `slot` held, because its cells are gone.
    pub fn clear(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.clear();
        }
    }

    /// The slot to sacrifice: an empty one, else the least recently used, never the source of a
    /// copy unless nothing would be copied.
    fn least_recent(&self, source: usize, keep: usize) -> usize {
        (0..self.slots.len())
            .filter(|&at| keep == 0 || at != source)
            .min_by_key(|&at| (!self.slots[at].tokens.is_empty(), self.slots[at].last_used))
            .unwrap_or(source)
    }

    fn evict_idle(&mut self, active: usize, source: Option<usize>) -> Vec<usize> {
        let mut idle: Vec<usize> = (0..self.slots.len())
            .filter(|&at| at != active && !self.slots[at].tokens.is_empty())
            .collect();
        idle.sort_by_key(|&at| std::cmp::Reverse(self.slots[at].last_used));
        let mut held = 0;
        let mut evicted = Vec::new();
        for at in idle {
            held += self.slots[at].tokens.len();
            if held > MAX_IDLE_TOKENS && source != Some(at) {
                held -= self.slots[at].tokens.len();
                self.slots[at].tokens.clear();
                evicted.push(at);
            }
        }
        evicted
    }
}

fn common_prefix(left: &[i32], right: &[i32]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(range: std::ops::Range<i32>) -> Vec<i32> {
        range.collect()
    }

    #[test]
    fn a_continued_conversation_stays_in_its_slot() {
        let mut slots = Slots::default();
        let first = slots.plan(&tokens(0..10));
        slots.extend(first.slot, &tokens(0..10));
        let second = slots.plan(&tokens(0..20));
        assert_eq!(
            (second.slot, second.keep, second.copy_from),
            (first.slot, 10, None)
        );
    }

    #[test]
    fn the_last_token_is_always_evaluated() {
        let mut slots = Slots::default();
        let first = slots.plan(&tokens(0..10));
        slots.extend(first.slot, &tokens(0..10));
        assert_eq!(slots.plan(&tokens(0..10)).keep, 9);
    }

    #[test]
    fn another_conversation_with_the_same_beginning_branches_off() {
        let mut slots = Slots::default();
        let first = slots.plan(&tokens(0..100));
        slots.extend(first.slot, &tokens(0..100));
        let mut other = tokens(0..20);
        other.extend(500..540);
        let branch = slots.plan(&other);
        assert_ne!(branch.slot, first.slot);
        assert_eq!((branch.copy_from, branch.keep), (Some(first.slot), 20));
        slots.extend(branch.slot, &other[20..]);
        assert_eq!(
            slots.plan(&tokens(0..120)).keep,
            100,
            "the first one is still there"
        );
    }

    #[test]
    fn idle_conversations_have_a_limit() {
        let mut slots = Slots::default();
        let big = i32::try_from(MAX_IDLE_TOKENS).unwrap();
        let first = slots.plan(&tokens(0..big));
        slots.extend(first.slot, &tokens(0..big));
        let second = slots.plan(&tokens(big..big + 10));
        assert!(second.evict.is_empty(), "at the limit nothing is evicted");
        slots.extend(second.slot, &tokens(big..big + 10));
        let third = slots.plan(&tokens(2 * big..2 * big + 10));
        assert_eq!(
            third.evict,
            vec![first.slot],
            "one token over the limit, the oldest goes"
        );
    }

    #[test]
    fn a_cleared_slot_shares_nothing() {
        let mut slots = Slots::default();
        let first = slots.plan(&tokens(0..10));
        slots.extend(first.slot, &tokens(0..10));
        slots.clear(first.slot);
        assert_eq!(slots.plan(&tokens(0..20)).keep, 0);
    }
}
