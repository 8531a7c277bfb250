//! Commands that are typed.

use super::outcome::{leave, refused};
use super::overlaid;
use crate::commands::{COMMANDS, OF_LINE_MODE};
use crate::message::Command;
use crate::state::State;
use domain::model::ModelChoice;
use domain::settings::{Mode, SessionProfile};
use text::escape::visible_line;

/// The modes that can be chosen.
const MODES: [Mode; 6] = [
    Mode::Adaptive,
    Mode::Loop,
    Mode::Plan,
    Mode::Deterministic,
    Mode::Bridge,
    Mode::Auto,
];

/// The modes that a key goes through: a drive and a bridge are begun by name alone.
const BY_KEY: [Mode; 4] = [Mode::Adaptive, Mode::Loop, Mode::Plan, Mode::Deterministic];

/// Whether a line is a command: a slash and letters. A path is not one.
pub(super) fn is_command(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.strip_prefix('/')
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()))
}

/// Does what a command asks for.
pub(super) fn act(state: &mut State, line: &str) -> Vec<Command> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (name, rest) = (name.to_ascii_lowercase(), rest.trim());
    match (name.as_str(), rest) {
        ("/quit" | "/exit", "") => leave(state),
        ("/help", "") => {
            state.help = Some(0);
            Vec::new()
        }
        ("/new", "") if state.shown_request.is_some() => vec![refused(
            state,
            "a request still runs in this session",
            "Stop it with Esc first, or wait for its end.",
        )],
        ("/new", "") => vec![Command::New],
        ("/compact", "") => vec![Command::Compact],
        ("/context", "") => vec![Command::Context],
        ("/inspect", name) => overlaid::named(state, name),
        ("/sessions", "") => overlaid::sessions(state),
        ("/model", "") => vec![Command::ListModels],
        ("/model", name) => vec![model(state, name)],
        ("/mode", name) => vec![mode(state, name)],
        (known, _) if COMMANDS.iter().any(|(one, ..)| *one == known) => {
            let what = format!("{known} takes nothing after it");
            vec![refused(state, &what, &format!("Type {known} alone."))]
        }
        (other, _) => vec![unknown(state, other)],
    }
}

fn unknown(state: &State, name: &str) -> Command {
    let id = state.session.session_id;
    match OF_LINE_MODE.contains(&name) {
        true => refused(
            state,
            &format!("{name} is a command of line mode"),
            &format!("Leave with Ctrl+D and type: carl session resume {id}"),
        ),
        false => refused(
            state,
            &format!("there is no command {}", visible_line(name)),
            "/help lists the commands.",
        ),
    }
}

fn mode(state: &State, name: &str) -> Command {
    let known = MODES
        .iter()
        .find(|mode| mode.as_str().eq_ignore_ascii_case(name));
    match known {
        Some(mode) => with_mode(state, *mode),
        None => {
            let names = MODES.map(Mode::as_str).join(", ");
            let what = match name {
                "" => "which mode?".to_owned(),
                name => format!("there is no mode `{}`", visible_line(name)),
            };
            let now = state.profile.mode.as_str();
            let hint = format!("The modes are {names}; now it is {now}.");
            refused(state, &what, &hint)
        }
    }
}

fn with_mode(state: &State, mode: Mode) -> Command {
    Command::Configure(Box::new(SessionProfile {
        mode,
        ..state.profile.clone()
    }))
}

fn model(state: &State, name: &str) -> Command {
    let model = match name {
        "default" => None,
        name => match name.parse() {
            Ok(model) => Some(ModelChoice::Exact(model)),
            Err(_no_name) => {
                let what = format!("`{}` is no whole name of a model", visible_line(name));
                let hint = "/model lists them: type provider/model.";
                return refused(state, &what, hint);
            }
        },
    };
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
