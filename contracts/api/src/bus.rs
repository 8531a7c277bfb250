//! The bus: events of every session, for whoever watches.
//!
//! Publishing never waits for a subscriber. What a slow subscriber misses it is told the number of,
//! and reads from the session log.

use domain::event::Event;
use futures::stream::BoxStream;
use std::fmt;
use std::sync::Arc;

/// Subjects to listen to: one subject such as `response.generation`, or all below a word, such as
/// `tool.result.*`; `*` alone is all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectPattern(String);

impl SubjectPattern {
    /// The subjects a text stands for.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Whether a subject is among them.
    #[must_use]
    pub fn matches(&self, subject: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(head) => subject.starts_with(head),
            None => subject == self.0,
        }
    }
}

impl fmt::Display for SubjectPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a subscriber is given.
#[derive(Debug, Clone)]
pub enum Delivery {
    /// Something happened.
    Event(Arc<Event>),
    /// So many events came faster than they were taken, and are in the session logs alone.
    Missed {
        /// How many, of any subject.
        count: u64,
    },
}

/// Carries events from the services to whoever watches. The events of one session arrive in order.
pub trait Bus: Send + Sync {
    /// Hands an event to every subscriber that wants it. Never waits and never fails: the session
    /// log is the truth.
    fn publish(&self, event: Arc<Event>);

    /// Events from now on whose subject fits one of the patterns. The stream ends with the bus.
    fn subscribe(&self, patterns: Vec<SubjectPattern>) -> BoxStream<'static, Delivery>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_one_subject_or_all_that_begin_alike() {
        let results = SubjectPattern::new("tool.result.*");
        assert!(results.matches("tool.result.read_file"));
        assert!(!results.matches("tool.request.read_file"));
        assert!(!SubjectPattern::new("error").matches("error.more"));
        assert!(SubjectPattern::new("*").matches("anything"));
    }
}
