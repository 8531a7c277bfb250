//! What is said of a command that there is not: which one is near, or what does here what a command of
//! that name does in other programs.

use super::{COMMANDS, Form, usage};
use domain::fault::Fault;
use text::escape::visible_line;

/// How alike a name has to be to pass for a slip of the fingers, 0 to 1.
const ALIKE: f64 = 0.85;

/// Names that commands have in other programs, and what does the same here.
const ELSEWHERE: [(&[&str], &str); 14] = [
    (
        &["/clear", "/reset"],
        "/new begins a session that knows nothing of this one.",
    ),
    (
        &["/resume", "/continue", "/session", "/sessions", "/history"],
        "`carl session list` names all sessions, and `carl --resume ID` goes on with one.",
    ),
    (
        &["/status", "/usage", "/cost", "/tokens", "/stats"],
        "/context shows what the model is shown and its tokens, `carl doctor` what works here.",
    ),
    (
        &["/permissions", "/allowed-tools", "/approvals", "/approve"],
        "`carl policy explain` says how a call is decided, and `carl policy --help` what changes that.",
    ),
    (&["/models"], "/model lists the models, and chooses one."),
    (
        &["/effort", "/reasoning", "/think"],
        "/thinking shows how much the model thinks, and changes it.",
    ),
    (&["/branch"], "/fork goes on in a copy of this session."),
    (
        &["/rollback", "/restore", "/checkpoint", "/revert"],
        "/undo takes the last exchange back with its file changes, /rewind N the last N.",
    ),
    (
        &["/jobs", "/ps", "/bashes", "/kill"],
        "/stop lists the jobs that run, and stops one.",
    ),
    (
        &["/config", "/settings", "/login", "/theme"],
        "`carl config show` prints what is configured, and where.",
    ),
    (
        &["/init", "/mcp", "/add-dir", "/doctor"],
        "/help lists the commands here, and `carl help` those of the shell.",
    ),
    (
        &["/review", "/changes"],
        "/diff shows what this session changed in files.",
    ),
    (
        &["/feedback", "/bug"],
        "/rate says what you think of the last answer.",
    ),
    (&["/run", "/shell", "/bash"], "Type ! and the line to run."),
];

/// A fault that names what was meant, as far as that can be told. Some surfaces have more commands.
pub(super) fn command(name: &str, more: &[Form]) -> Fault {
    let names = || COMMANDS.iter().chain(more).map(|(known, ..)| *known);
    let near = names()
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness > ALIKE);
    let lower = name.to_ascii_lowercase();
    let sessions = names().find(|known| *known == "/sessions");
    let elsewhere = ELSEWHERE
        .iter()
        .find(|(names, _)| names.contains(&lower.as_str()));
    let hint = match (elsewhere, near, sessions) {
        (Some((names, _)), _, Some(known)) if names.contains(&known) => {
            format!("{known} lists all sessions, and goes on in one.")
        }
        (Some((_, hint)), ..) => (*hint).to_owned(),
        (None, Some((_, known)), _) => format!("Did you mean {known}? /help lists the commands."),
        (None, None, _) => "/help lists the commands.".to_owned(),
    };
    usage(format!("there is no command {}", visible_line(name)), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_lead_to_what_does_the_same() {
        let own: [Form; 1] = [("/sessions", "", "")];
        for (name, more, expected) in [
            ("/clear", &[][..], "/new"),
            ("/Status", &[], "/context"),
            ("/resume", &[], "carl --resume ID"),
            ("/resume", &own, "/sessions"),
            ("/sesions", &own, "/sessions"),
            ("/retyr", &[], "/retry"),
            ("/quit1", &[], "/quit"),
            ("/xyzzy", &[], "/help lists"),
        ] {
            let hint = command(name, more).hint;
            assert!(hint.contains(expected), "{name}: {hint}");
        }
    }

    #[test]
    fn no_command_is_said_not_to_be_there() {
        let known = |name: &str| COMMANDS.iter().any(|(known, ..)| *known == name);
        for (names, _) in ELSEWHERE {
            assert!(!names.iter().any(|name| known(name)), "{names:?}");
        }
    }
}
