//! Requests that name nothing to do: a small model is offered no tools and shown no memories for them, since
//! it calls and repeats what it is shown.

use crate::work::Work;
use domain::model::ModelClass;
use domain::settings::Mode;
use plan::by_rules;

/// Whether the request is small talk, and the model small enough to be led astray.
pub(super) fn is(work: &Work) -> bool {
    let is_small = matches!(
        work.agent.facts.class,
        Some(ModelClass::Tiny | ModelClass::Small)
    );
    let has_data = || {
        work.with_state(|state| {
            state.conversation.is_given_input() || state.conversation.is_given_pictures()
        })
    };
    is_small
        && work.is_root()
        && work.request.mode == Mode::Loop
        && by_rules::is_small_talk(&work.request.text)
        && !has_data()
}
