//! What the user said yes to for the rest of the session, and what ended that.

use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationRequest, Event, EventBody};
use domain::hash::Digest;
use domain::id::ConfirmationId;
use domain::settings::SessionSettings;
use domain::tool::EffectClass;
use serde_json::json;
use std::collections::VecDeque;

/// How the broker's line begins that says what a yes for the session covers.
pub const SESSION_REACH: &str = "A yes for the session covers ";
/// What the broker's short form of a call says where a part of it is left out.
pub const LEFT_OUT: &str = "characters more, see above";
/// How it goes on where that is the changes in a folder, which it names.
pub const CHANGES: &str = "every change of files in ";

/// Questions and answers that are remembered; the oldest is forgotten first.
const GIVEN: usize = 256;

/// What ended a yes for the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YesEnded {
    /// The process that the session was open in.
    Process,
    /// The settings of the session are others, or were for a while.
    Settings,
    /// Files changed, and it was a yes to run something.
    Files,
}

/// A question that offers a yes for the session.
#[derive(Debug, Clone, PartialEq)]
struct Offer {
    id: ConfirmationId,
    /// The same for questions that one yes answers.
    scope: Digest,
    effect: EffectClass,
}

/// The yeses so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Given {
    asked: VecDeque<Offer>,
    given: VecDeque<(Offer, Option<YesEnded>)>,
    /// The last event that was copied from another session; 0 for none.
    copied_until: u64,
}

impl Given {
    /// Takes the next event. `settings`: those that held before it.
    pub(crate) fn apply(&mut self, event: &Event, settings: Option<&SessionSettings>) {
        match &event.body {
            EventBody::SessionOpened { forked_from, .. } => {
                self.copied_until = forked_from.map_or(0, |(_, seq)| seq);
            }
            // A yes in the session that this is a copy of was none here.
            _ if event.seq <= self.copied_until => {}
            EventBody::ConfirmationAsked(request) => {
                if let Some(scope) = scope(request) {
                    let (id, effect) = (request.confirmation_id, request.effect);
                    push(&mut self.asked, Offer { id, scope, effect });
                }
            }
            EventBody::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                ..
            } => {
                let is_yes = *answer == ConfirmationAnswer::Session && by == "user";
                let at = self.asked.iter().position(|one| one.id == *confirmation_id);
                let offer = at.and_then(|at| self.asked.remove(at));
                if let Some(offer) = offer.filter(|_| is_yes) {
                    self.given.retain(|(known, _)| known.scope != offer.scope);
                    push(&mut self.given, (offer, None));
                }
            }
            EventBody::SessionResumed { .. } => {
                self.asked.clear();
                self.end(YesEnded::Process, |_| true);
            }
            EventBody::SessionConfigured { profile } if settings != Some(&profile.settings) => {
                self.end(YesEnded::Settings, |_| true);
            }
            EventBody::ToolResult {
                status: CallStatus::Ok,
                artifacts,
                ..
            } if !artifacts.is_empty() => {
                self.end(YesEnded::Files, |offer| offer.effect == EffectClass::Exec);
            }
            _ => {}
        }
    }

    fn end(&mut self, why: YesEnded, ends: impl Fn(&Offer) -> bool) {
        for (offer, ended) in &mut self.given {
            if ended.is_none() && ends(offer) {
                *ended = Some(why);
            }
        }
    }

    /// What ended the yes that would have answered a question.
    pub(crate) fn ended(&self, request: &ConfirmationRequest) -> Option<YesEnded> {
        let scope = scope(request)?;
        let found = self.given.iter().find(|(offer, _)| offer.scope == scope);
        found.and_then(|(_, ended)| *ended)
    }
}

fn push<T>(list: &mut VecDeque<T>, one: T) {
    if list.len() >= GIVEN {
        list.pop_front();
    }
    list.push_back(one);
}

/// What a yes for the session to a question covers, for agents of the same types: the changes in a
/// folder, else the call as it was shown. `None` where none is offered.
fn scope(request: &ConfirmationRequest) -> Option<Digest> {
    let mut lines = request.rendering.lines();
    let reach = lines.find(|line| line.starts_with(SESSION_REACH))?;
    let is_of_folder = reach
        .strip_prefix(SESSION_REACH)
        .is_some_and(|rest| rest.starts_with(CHANGES));
    let what = match is_of_folder {
        true => reach,
        false => request.rendering.as_str(),
    };
    let types = request.lineage.iter().map(|one| one.agent_type.as_str());
    let types: Vec<&str> = types.collect();
    Some(Digest::of_json(&json!([types, what])))
}
