//! The lists of models and of modes.

use super::closing::close;
use super::configuring::{choose_mode, with_model};
use super::outcome::failed;
use crate::message::Command;
use crate::options::{Choice, Options, Wish};
use crate::overlay::Overlay;
use crate::state::State;
use api::models::ModelInfo;
use crossterm::event::KeyEvent;
use domain::fault::Fault;
use domain::model::{ModelChoice, ModelRef};

/// Shows the models, which are being read.
pub(super) fn models(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Options(Options::of_models()));
    vec![Command::ListModels]
}

/// Shows the modes.
pub(super) fn modes(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Options(Options::of_modes(state.profile.mode)));
    Vec::new()
}

/// The models were read, or could not be.
pub(super) fn listed(state: &mut State, known: Result<Vec<ModelInfo>, Fault>) -> Vec<Command> {
    let Some(Overlay::Options(options)) = &mut state.overlay else {
        return Vec::new();
    };
    if !options.is_reading() {
        return Vec::new();
    }
    match known {
        Ok(known) => {
            options.models(&state.profile, state.next_model.as_ref(), &known);
            Vec::new()
        }
        Err(fault) => {
            close(state);
            vec![failed(state, &fault)]
        }
    }
}

/// The model that would be asked next is known, or nobody knows.
pub(super) fn next_known(state: &mut State, model: Option<ModelRef>) -> Vec<Command> {
    state.next_model = model;
    Vec::new()
}

/// A key for the list; `None` where it is not open.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Option<Vec<Command>> {
    let Some(Overlay::Options(options)) = &mut state.overlay else {
        return None;
    };
    let wish = options.pressed(key);
    if wish == Wish::None {
        return Some(Vec::new());
    }
    close(state);
    Some(match wish {
        Wish::None | Wish::Close => Vec::new(),
        Wish::Take(Choice::Model(model)) => {
            vec![with_model(state, model.map(ModelChoice::Exact))]
        }
        Wish::Take(Choice::Mode(mode)) => choose_mode(state, mode),
    })
}
