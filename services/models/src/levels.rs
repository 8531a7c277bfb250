//! How much a model is asked to think, where it does not take what it was asked first.

use crate::error::{Error, ErrorKind, notice};
use api::models::THINKING_NOT_TAKEN_CODE;
use domain::fault::Fault;
use domain::model::Think;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Levels of models that are remembered as not taken.
const REMEMBERED: usize = 256;

/// A model, and a level that it does not take.
type Refused = (String, &'static str);

/// What models take in place of the levels that their servers refused, for as long as this process
/// lives: a server may be taught more meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Levels(Mutex<HashMap<Refused, Think>>);

impl Levels {
    /// How a model is asked for a level.
    pub(crate) fn begin(&self, model: &str, asked: Think) -> Level {
        let taken = self.lock().get(&key(model, asked)).copied();
        Level {
            asked,
            sent: taken.unwrap_or(asked),
            is_lasting: true,
        }
    }

    /// A server answered. What it takes is remembered, and what to tell the user returned.
    pub(crate) fn taken(&self, model: &str, level: &Level) -> Option<Fault> {
        if level.sent == level.asked {
            return None;
        }
        if level.is_lasting {
            let mut known = self.lock();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(key(model, level.asked), level.sent);
        }
        let asked = level.asked.as_str();
        Some(told(match level.sent {
            Think::On => format!(
                "{model} knows no levels of thinking: instead of `{asked}` it thinks as much as it holds right."
            ),
            _ => format!(
                "{model} does not take the level of thinking `{asked}`: it thinks as much as its server lets it."
            ),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Refused, Think>> {
        // A panic while it is held leaves an entry more or less, and no half one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much a model is asked to think in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level {
    asked: Think,
    /// What is sent.
    pub(crate) sent: Think,
    /// Whether the server's words are of the model, and not of this conversation alone.
    is_lasting: bool,
}

impl Level {
    /// Asks for less that is particular, where the server refused the call for what it was told of
    /// thinking. Whether there is anything less.
    pub(crate) fn lower(&mut self, error: &Error) -> bool {
        let words = error.detail.to_ascii_lowercase();
        let is_meant = ["think", "reasoning"]
            .iter()
            .any(|word| words.contains(word));
        if error.kind != ErrorKind::Rejected || !is_meant {
            return false;
        }
        // Anthropic names the place in a conversation so: the next one may do.
        self.is_lasting &= !words.contains("messages.");
        self.sent = match self.sent {
            Think::Low | Think::Medium | Think::High => Think::On,
            Think::On | Think::Off => Think::Default,
            Think::Default => return false,
        };
        true
    }
}

/// What to tell whoever asked for this level, of a model that thinks or does not (`can_think`), whose
/// server is or is not told how much (`is_told`).
pub(crate) fn of_no_use(
    model: &str,
    asked: Think,
    (can_think, is_told): (Option<bool>, bool),
) -> Option<Fault> {
    let level = asked.as_str();
    match asked {
        Think::Default | Think::Off => None,
        Think::On | Think::Low | Think::Medium | Think::High if can_think == Some(false) => {
            Some(told(format!(
                "{model} does not think: `{level}` changes nothing."
            )))
        }
        Think::On | Think::Low | Think::Medium | Think::High => (!is_told).then(|| {
            told(format!(
                "{model} cannot be told how much to think: `{level}` changes nothing."
            ))
        }),
    }
}

fn key(model: &str, asked: Think) -> Refused {
    (model.to_owned(), asked.as_str())
}

fn told(message: String) -> Fault {
    let hint =
        "docs/models.md says what each provider takes; `/thinking default` asks for nothing.";
    notice(THINKING_NOT_TAKEN_CODE, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &str) -> Error {
        Error::new(ErrorKind::Rejected, words)
    }

    #[test]
    fn what_is_refused_is_asked_for_less_and_remembered() {
        let levels = Levels::default();
        let mut level = levels.begin("o/m", Think::Low);
        assert!(levels.taken("o/m", &level).is_none());
        let words = "think value \"low\" is not supported for this model";
        assert!(level.lower(&refusal(words)));
        assert_eq!(level.sent, Think::On);
        let told = levels.taken("o/m", &level).unwrap();
        assert!(told.message.contains("knows no levels"), "{}", told.message);
        assert_eq!(levels.begin("o/m", Think::Low).sent, Think::On);
        assert_eq!(levels.begin("o/m", Think::High).sent, Think::High);
        assert!(level.lower(&refusal("reasoning_effort is unknown")));
        assert_eq!(level.sent, Think::Default);
        assert!(!level.lower(&refusal("reasoning_effort is unknown")));
    }

    #[test]
    fn other_refusals_are_left_alone() {
        let mut level = Levels::default().begin("o/m", Think::Low);
        assert!(!level.lower(&refusal("the temperature is too high")));
        let busy = Error::new(ErrorKind::Busy, "no thinking now");
        assert!(!level.lower(&busy));
        assert_eq!(level.sent, Think::Low);
    }

    #[test]
    fn what_one_conversation_does_not_allow_is_not_remembered() {
        let levels = Levels::default();
        let mut level = levels.begin("a/m", Think::On);
        assert!(level.lower(&refusal("messages.1.content.0: expected `thinking`")));
        assert!(levels.taken("a/m", &level).is_some());
        assert_eq!(levels.begin("a/m", Think::On).sent, Think::On);
    }

    #[test]
    fn no_more_than_the_limit_is_remembered() {
        let levels = Levels::default();
        for number in 0..=REMEMBERED {
            let mut level = levels.begin(&number.to_string(), Think::Off);
            assert!(level.lower(&refusal("no reasoning")));
            levels.taken(&number.to_string(), &level);
            assert!(levels.lock().len() <= REMEMBERED);
        }
    }
}
