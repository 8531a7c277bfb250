//! Commands that are typed.

use super::configuring::{choose_mode, with_model, with_thinking};
use super::outcome::{failed, leave, refused};
use super::{lists, options, overlaid, overriding, paned};
use crate::commands::OWN;
use crate::message::Command;
use crate::state::State;
use rendering::slash::{self, Slash};

/// Does what a command asks for.
pub(super) fn act(state: &mut State, line: &str) -> Vec<Command> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match (name.to_ascii_lowercase().as_str(), rest.trim()) {
        ("/inspect", subject) => return overlaid::named(state, subject),
        ("/sessions", "") => return overlaid::sessions(state),
        ("/copy", "") => return vec![Command::ReadAnswer],
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
        (name @ ("/copy" | "/queue" | "/sessions"), _) => {
            let what = format!("{name} takes nothing after it");
            return vec![refused(state, &what, &format!("Type {name} alone."))];
        }
        _ => {}
    }
    let slash = match slash::parse(line, &OWN) {
        Ok(slash) => slash,
        Err(fault) => return vec![failed(state, &fault)],
    };
    match slash {
        Slash::Quit => leave(state),
        Slash::Help => {
            state.help = Some(0);
            Vec::new()
        }
        Slash::New
        | Slash::Fork(_)
        | Slash::Undo(_)
        | Slash::Rewind(_)
        | Slash::Retry
        | Slash::Compact
            if state.shown_request.is_some() =>
        {
            vec![refused(
                state,
                "a request still runs in this session",
                "Stop it with Esc first, or wait for its end.",
            )]
        }
        Slash::Stop(None) => super::programs::list(state),
        Slash::New => vec![Command::New],
        Slash::Compact => vec![Command::Compact],
        Slash::Context(depth) => vec![Command::Context(depth)],
        Slash::Model(None) => options::models(state),
        Slash::Model(Some(name)) => vec![model(state, &name)],
        Slash::Mode(None) => options::modes(state),
        Slash::Mode(Some(mode)) => choose_mode(state, mode),
        Slash::Thinking(None) => {
            let now = slash::thinking_in_words(state.profile.think);
            vec![state.note(&format!("{now}; there are {}", slash::levels()))]
        }
        Slash::Thinking(Some(level)) => vec![with_thinking(state, level)],
        Slash::Override(level) => overriding::choose(state, level),
        other => vec![Command::Run(other)],
    }
}

fn model(state: &State, name: &str) -> Command {
    match name {
        "default" => with_model(state, None),
        name => Command::FindModel(name.to_owned()),
    }
}
