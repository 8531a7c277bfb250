//! What a task has called so far, bounded, so that loops, rates and counts can be judged.

use domain::Timestamp;
use domain::hash::Digest;
use domain::limits::{PRIVATE_INQUIRIES, REPEAT_WINDOW, REPEATED_CALLS};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The span over which a tool's own rate is counted.
const RATE_SPAN: Duration = Duration::from_secs(60);
/// Longest cycle of calls that is looked for, calls.
const LONGEST_CYCLE: usize = 5;
/// Most call times kept for one tool's rate.
const RATE_TIMES: usize = 1_000;

/// How the next call relates to the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// Nothing to see.
    None,
    /// The same call came [`REPEATED_CALLS`] times in the last [`REPEAT_WINDOW`], with no new change
    /// in between.
    Same,
    /// The same cycle of this many calls has run twice and would begin again.
    Cycle(usize),
}

/// The calls of one agent and its line in one task, or of all its agents together.
#[derive(Debug, Clone, Default)]
pub struct TaskHistory {
    recent: VecDeque<Digest>,
    /// How many of the recent calls came before the newest change that was new: what is done again
    /// after it is no loop.
    before_change: usize,
    /// How often others were asked something after what is not theirs was read, before this task.
    inquiries_before: usize,
    /// The calls of this task that asked others so, by their key.
    inquiries: VecDeque<Digest>,
    calls: u32,
    times: HashMap<usize, VecDeque<Timestamp>>,
}

impl TaskHistory {
    /// Calls so far.
    #[must_use]
    pub const fn calls(&self) -> u32 {
        self.calls
    }

    /// Notes that others were asked something after what is not theirs was read.
    pub fn note_inquiry(&mut self, key: Digest) {
        self.inquiries.push_back(key);
        if self.inquiries.len() > PRIVATE_INQUIRIES {
            self.inquiries.pop_front();
        }
    }

    /// Whether others may be asked something without a question. Which of several harmless things is
    /// asked, and in which order, can say what was read, so there are at most [`PRIVATE_INQUIRIES`].
    #[must_use]
    pub fn may_inquire(&self) -> bool {
        self.inquiries() < PRIVATE_INQUIRIES
    }

    /// How often others were asked something after what is not theirs was read.
    #[must_use]
    pub fn inquiries(&self) -> usize {
        self.inquiries_before.saturating_add(self.inquiries.len())
    }

    /// A history in which others were asked so often already.
    #[must_use]
    pub fn after_inquiries(inquiries_before: usize) -> Self {
        Self {
            inquiries_before,
            ..Self::default()
        }
    }

    /// The user spoke: what was asked for earlier words counts no longer. Loops and rates go on.
    pub fn begin_turn(&mut self) {
        self.inquiries.clear();
        self.inquiries_before = 0;
    }

    /// Notes that the call to be recorded next changes something. Only a change that was not made
    /// just before is one.
    pub fn note_change(&mut self, key: &Digest) {
        if !self.recent.contains(key) {
            self.before_change = self.recent.len();
        }
    }

    /// Notes a call: its key, its tool's place in the table, and whether no loop check counts it, as
    /// one that only waits for something.
    pub fn record(&mut self, key: Digest, tool: usize, is_no_loop: bool, now: Timestamp) {
        self.calls = self.calls.saturating_add(1);
        let times = self.times.entry(tool).or_default();
        times.push_back(now);
        if times.len() > RATE_TIMES {
            times.pop_front();
        }
        if is_no_loop {
            return;
        }
        self.recent.push_back(key);
        if self.recent.len() > REPEAT_WINDOW {
            self.recent.pop_front();
            self.before_change = self.before_change.saturating_sub(1);
        }
    }

    /// Takes the newest call with this key out again, so that it can be judged once more as if it
    /// had not come yet.
    pub fn forget(&mut self, key: &Digest, tool: usize) {
        self.calls = self.calls.saturating_sub(1);
        if let Some(index) = self.recent.iter().rposition(|k| k == key) {
            self.recent.remove(index);
            self.before_change -= usize::from(index < self.before_change);
        }
        if let Some(index) = self.inquiries.iter().rposition(|k| k == key) {
            self.inquiries.remove(index);
        }
        if let Some(times) = self.times.get_mut(&tool) {
            times.pop_back();
        }
    }

    /// The same calls, of which so many are counted: those of one agent among several.
    #[must_use]
    pub const fn counting(mut self, calls: u32) -> Self {
        self.calls = calls;
        self
    }

    /// The same calls, with the times at which several agents used each tool, and with how often
    /// others were asked something: both are bounded for all of them together.
    #[must_use]
    pub fn at_the_rate_of(mut self, all: &Self) -> Self {
        self.times.clone_from(&all.times);
        self.inquiries_before = all.inquiries_before;
        self.inquiries.clone_from(&all.inquiries);
        self
    }

    /// Calls of the tool within the last minute.
    #[must_use]
    pub fn calls_in_last_minute(&self, tool: usize, now: Timestamp) -> usize {
        let is_recent = |time: &&Timestamp| {
            let age = now.duration_since(**time);
            age.is_negative() || age.unsigned_abs() < RATE_SPAN
        };
        self.times
            .get(&tool)
            .map_or(0, |times| times.iter().rev().take_while(is_recent).count())
    }

    /// Whether one more call with this key would go on with a loop.
    #[must_use]
    pub fn repetition(&self, key: &Digest) -> Repetition {
        let since_change = self.recent.iter().skip(self.before_change);
        let same = since_change.filter(|k| *k == key).count();
        if same >= REPEATED_CALLS {
            return Repetition::Same;
        }
        (2..=LONGEST_CYCLE)
            .find(|period| self.starts_third_round(key, *period))
            .map_or(Repetition::None, Repetition::Cycle)
    }

    fn starts_third_round(&self, key: &Digest, period: usize) -> bool {
        let Some(start) = self.recent.len().checked_sub(2 * period) else {
            return false;
        };
        let tail: Vec<&Digest> = self.recent.iter().skip(start).collect();
        let (first, second) = tail.split_at(period);
        first == second && first.first().is_some_and(|k| *k == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(calls: &str) -> TaskHistory {
        let mut history = TaskHistory::default();
        for call in calls.bytes() {
            history.record(key(call), 0, false, Timestamp::UNIX_EPOCH);
        }
        history
    }

    fn key(call: u8) -> Digest {
        Digest::of(&[call])
    }

    #[test]
    fn repetition_table() {
        let long_ago = format!("aaa{}", "bcdefghijklmnopqrstu");
        let table = [
            ("", b'a', Repetition::None),
            ("aa", b'a', Repetition::None),
            ("aaa", b'a', Repetition::Same),
            ("axayaz", b'a', Repetition::Same),
            ("aaa", b'b', Repetition::None),
            ("abab", b'a', Repetition::Cycle(2)),
            ("abab", b'c', Repetition::None),
            ("xabcabc", b'a', Repetition::Cycle(3)),
            ("abcabd", b'a', Repetition::None),
            (long_ago.as_str(), b'a', Repetition::None),
        ];
        for (calls, next, expected) in table {
            assert_eq!(history(calls).repetition(&key(next)), expected, "{calls}");
        }
    }

    #[test]
    fn what_is_done_again_after_a_new_change_is_no_loop() {
        let mut history = history("aaa");
        assert_eq!(history.repetition(&key(b'a')), Repetition::Same);
        let mut change = |call: u8| {
            history.note_change(&key(call));
            history.record(key(call), 0, false, Timestamp::UNIX_EPOCH);
            history.clone()
        };
        let mut changed = change(b'w');
        assert_eq!(changed.repetition(&key(b'a')), Repetition::None);
        (0..3).for_each(|_| changed.record(key(b'a'), 0, false, Timestamp::UNIX_EPOCH));
        // The same change again is none.
        changed.note_change(&key(b'w'));
        assert_eq!(changed.repetition(&key(b'a')), Repetition::Same);
        changed.forget(&key(b'a'), 0);
        assert_eq!(changed.repetition(&key(b'a')), Repetition::None);
    }

    #[test]
    fn waiting_is_no_loop_but_counts_as_calls() {
        let mut history = TaskHistory::default();
        (0..50).for_each(|_| history.record(key(b'w'), 0, true, Timestamp::UNIX_EPOCH));
        assert_eq!(history.repetition(&key(b'w')), Repetition::None);
        assert_eq!(history.calls(), 50);
    }

    #[test]
    fn loops_are_ones_own_and_rates_everybodys() {
        let (own, all) = (history("ab"), history("aaabbb"));
        let seen = own.at_the_rate_of(&all);
        assert_eq!(seen.repetition(&key(b'a')), Repetition::None);
        assert_eq!(seen.calls(), 2);
        assert_eq!(seen.calls_in_last_minute(0, Timestamp::UNIX_EPOCH), 6);
    }

    #[test]
    fn the_rate_looks_back_one_minute() {
        let at = |seconds| Timestamp::UNIX_EPOCH + Duration::from_secs(seconds);
        let mut history = TaskHistory::default();
        for second in [0, 30, 59] {
            history.record(key(b'a'), 3, false, at(second));
        }
        assert_eq!(history.calls_in_last_minute(3, at(59)), 3);
        assert_eq!(history.calls_in_last_minute(3, at(60)), 2);
        assert_eq!(history.calls_in_last_minute(4, at(60)), 0);
    }
}
