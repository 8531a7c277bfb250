//! Commands that are typed.

use super::outcome::{failed, leave, refused};
use super::{lists, overlaid, overriding, paned};
use crate::message::Command;
use crate::state::State;
use domain::model::{ModelChoice, Think};
use domain::settings::{Mode, SessionProfile};
use rendering::slash::{self, Slash};

/// The modes that a key goes through: a drive and a bridge are begun by name alone.
const BY_KEY: [Mode; 4] = [Mode::Adaptive, Mode::Loop, Mode::Plan, Mode::Deterministic];

/// Does what a command asks for.
pub(super) fn act(state: &mut State, line: &str) -> Vec<Command> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match (name.to_ascii_lowercase().as_str(), rest.trim()) {
        ("/inspect", subject) => return overlaid::named(state, subject),
        ("/sessions", "") => return overlaid::sessions(state),
        ("/queue", "") => return lists::queue(state),
        ("/panes", "") => {
            paned::turn_layout(state);
            return Vec::new();
        }
        ("/panes", "zoom") if state.panes.is_open() => {
            paned::zoom(state);
            return Vec::new();
        }
        ("/panes", "zoom") => {
            return vec![refused(state, "no panes are open", "Type /panes first.")];
        }
        ("/panes", _) => {
            let what = "/panes takes `zoom` after it, or nothing";
            return vec![refused(state, what, "Type /panes, or /panes zoom.")];
        }
        (name @ ("/queue" | "/sessions"), _) => {
            let what = format!("{name} takes nothing after it");
            return vec![refused(state, &what, &format!("Type {name} alone."))];
        }
        _ => {}
    }
    let slash = match slash::parse(line) {
        Ok(slash) => slash,
        Err(fault) => return vec![failed(state, &fault)],
    };
    match slash {
        Slash::Quit => leave(state),
        Slash::Help => {
            state.help = Some(0);
            Vec::new()
        }
        Slash::New | Slash::Fork(_) if state.shown_request.is_some() => vec![refused(
            state,
            "a request still runs in this session",
            "Stop it with Esc first, or wait for its end.",
        )],
        Slash::Stop(None) => super::programs::list(state),
        Slash::New => vec![Command::New],
        Slash::Compact => vec![Command::Compact],
        Slash::Context(depth) => vec![Command::Context(depth)],
        Slash::Model(None) => vec![Command::ListModels],
        Slash::Model(Some(name)) => vec![model(state, &name)],
        Slash::Mode(None) => {
            let now = state.profile.mode.as_str();
            vec![state.note(&format!("mode: {now}; there are {}", slash::modes()))]
        }
        Slash::Mode(Some(mode)) => {
            let ended = match mode {
                Mode::Auto => overriding::end_for_auto(state),
                _ => None,
            };
            ended.into_iter().chain([with_mode(state, mode)]).collect()
        }
        Slash::Thinking(None) => {
            let now = slash::thinking_in_words(state.profile.think);
            vec![state.note(&format!("{now}; there are {}", slash::levels()))]
        }
        Slash::Thinking(Some(level)) => vec![with_thinking(state, level)],
        Slash::Override(level) => overriding::choose(state, level),
        other => vec![Command::Run(other)],
    }
}

fn with_mode(state: &State, mode: Mode) -> Command {
    Command::Configure(Box::new(SessionProfile {
        mode,
        ..state.profile.clone()
    }))
}

fn model(state: &State, name: &str) -> Command {
    match name {
        "default" => with_model(state, None),
        name => Command::FindModel(name.to_owned()),
    }
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

fn with_thinking(state: &State, think: Think) -> Command {
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
