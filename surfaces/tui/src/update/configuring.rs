//! By what the session works from now on: mode, model, level of thinking.

use super::overriding;
use crate::message::Command;
use crate::state::State;
use domain::model::{ModelChoice, Think};
use domain::settings::{Mode, SessionProfile};

/// The modes that a key goes through: a drive and a bridge are begun by name alone.
const BY_KEY: [Mode; 4] = [Mode::Adaptive, Mode::Loop, Mode::Plan, Mode::Deterministic];

/// Works in a mode from now on.
pub(super) fn choose_mode(state: &mut State, mode: Mode) -> Vec<Command> {
    let ended = match mode {
        Mode::Auto => overriding::end_for_auto(state),
        _ => None,
    };
    ended.into_iter().chain([with_mode(state, mode)]).collect()
}

fn with_mode(state: &State, mode: Mode) -> Command {
    Command::Configure(Box::new(SessionProfile {
        mode,
        ..state.profile.clone()
    }))
}

/// The same profile with another model.
pub(super) fn with_model(state: &State, model: Option<ModelChoice>) -> Command {
    Command::Configure(Box::new(SessionProfile {
        model,
        ..state.profile.clone()
    }))
}

/// The mode after the one in use.
pub(super) fn next_mode(state: &State) -> Command {
    let at = BY_KEY.iter().position(|mode| *mode == state.profile.mode);
    let next = at.map_or(0, |at| (at + 1) % BY_KEY.len());
    with_mode(state, BY_KEY[next])
}

/// The same profile with another level of thinking.
pub(super) fn with_thinking(state: &State, think: Think) -> Command {
    Command::Configure(Box::new(SessionProfile {
        think,
        ..state.profile.clone()
    }))
}

/// The level of thinking after the one in use.
pub(super) fn next_thinking(state: &State) -> Command {
    let (all, now) = (Think::ALL, state.profile.think);
    let at = all.iter().position(|level| *level == now);
    with_thinking(state, all[at.map_or(0, |at| (at + 1) % all.len())])
}
