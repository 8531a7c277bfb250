//! A conversation whatever carries it: one request in, at most one answer out.

use crate::guard::{Guard, Problem, Rules};
use api::guard::{Answer, Request};
use domain::Timestamp;
use domain::decision::{Decision, Finding, Layer, Verdict};

/// Where a conversation stands. Begins with nothing, and without a beginning allows nothing.
#[derive(Debug, Default)]
pub struct Conversation {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    Open(Box<Guard>),
    /// Something was said that was not understood.
    Broken(String),
}

impl Conversation {
    /// Takes in a request. `now` is UTC.
    pub fn take(&mut self, rules: &Rules, request: Request, now: Timestamp) -> Option<Answer> {
        match request {
            Request::Begin {
                prompt,
                tools,
                plan,
            } => match Guard::begin(rules, &prompt, &tools, plan) {
                Ok(guard) => self.state = State::Open(Box::new(guard)),
                Err(problem) => {
                    self.lose(problem.to_string());
                    return Some(refused(&problem));
                }
            },
            Request::Check { id, tool, args } => {
                let decision = match &mut self.state {
                    State::Open(guard) => match (&args.unreadable, &args.twice) {
                        (Some(why), _) => unreadable(why),
                        (None, Some(key)) => ambiguous(key),
                        (None, None) => guard.check(id, &tool, &args.value, now),
                    },
                    State::Idle => unjudged(&Problem::NotBegun.to_string()),
                    State::Broken(why) => unjudged(why),
                };
                return Some(Answer::Decided { id, decision });
            }
            Request::Say { text } => match &mut self.state {
                State::Open(guard) => guard.say(&text),
                State::Idle => return Some(refused(&Problem::NotBegun)),
                State::Broken(_) => {}
            },
            Request::Observe { id, tool, result } => match &mut self.state {
                State::Open(guard) => guard.observe(id, &tool, result),
                State::Idle => return Some(refused(&Problem::NotBegun)),
                State::Broken(_) => {}
            },
            Request::Refuse { id } => match &mut self.state {
                State::Open(guard) => guard.refuse(id),
                State::Idle => return Some(refused(&Problem::NotBegun)),
                State::Broken(_) => {}
            },
            Request::End => self.state = State::Idle,
        }
        None
    }

    /// Something was said that was not understood: nothing is allowed until the next beginning.
    pub(crate) fn lose(&mut self, why: String) {
        self.state = State::Broken(why);
    }
}

fn refused(problem: &Problem) -> Answer {
    Answer::Refused {
        problem: problem.to_string(),
    }
}

fn ambiguous(key: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::Schema,
        verdict: Verdict::Deny,
        rule: "duplicate_key".to_owned(),
        model_reason: "An argument is given twice. Give each once.".to_owned(),
        user_reason: format!("`{key}` stands in the arguments twice: which of the two counts?"),
    }])
}

/// Only this call is refused: a model must not be able to end the conversation, and with it what
/// the guard knows.
fn unreadable(why: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::Schema,
        verdict: Verdict::Deny,
        rule: "unreadable_arguments".to_owned(),
        model_reason: "The arguments cannot be read. Write them as one plain JSON object."
            .to_owned(),
        user_reason: format!("The arguments cannot be read: {why}."),
    }])
}

fn unjudged(why: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::Integrity,
        verdict: Verdict::Deny,
        rule: "not_judged".to_owned(),
        model_reason: "The call could not be judged, so it was refused.".to_owned(),
        user_reason: format!("Refused, because {why}."),
    }])
}
