//! What is said of a command that there is not: which one is near, or what does here what a command of
//! that name does in other programs.

/// How alike a name has to be to pass for a slip of the fingers, 0 to 1.
const ALIKE: f64 = 0.85;

/// The list of sessions, where a surface has one.
const SESSIONS: &str = "/sessions";

/// Names that commands have in other programs, and what does the same here.
const ELSEWHERE: [(&[&str], &str); 15] = [
    (
        &["/clear", "/reset"],
        "/new begins a session that knows nothing of this one.",
    ),
    (
        &["/resume", "/continue", "/session", SESSIONS, "/history"],
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
        &["/config", "/settings", "/login"],
        "`carl config show` prints what is configured, and where.",
    ),
    (
        &["/theme", "/vim", "/keys", "/keymap", "/mouse"],
        "theme, editing, keys and mouse are set under [tui] in config.toml (docs/tui.md).",
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

/// What to type instead of a command that is none of these names, as far as that can be told.
pub(super) fn hint(name: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|known| (strsim::jaro_winkler(known, name), *known))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness > ALIKE);
    let lower = name.to_ascii_lowercase();
    let elsewhere = ELSEWHERE
        .iter()
        .find(|(names, _)| names.contains(&lower.as_str()));
    match (elsewhere, near) {
        // Some surfaces have a list of sessions.
        (Some((names, _)), _) if names.contains(&SESSIONS) && known.contains(&SESSIONS) => {
            format!("{SESSIONS} lists all sessions, and goes on in one.")
        }
        (Some((_, hint)), _) => (*hint).to_owned(),
        (None, Some((_, known))) => format!("Did you mean {known}? /help lists the commands."),
        (None, None) => "/help lists the commands.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_lead_to_what_does_the_same() {
        let (line, full) = (["/new", "/retry", "/quit"], ["/new", SESSIONS]);
        for (name, known, expected) in [
            ("/clear", &line[..], "/new"),
            ("/Status", &line, "/context"),
            ("/resume", &line, "carl --resume ID"),
            ("/resume", &full, "/sessions"),
            ("/sesions", &full, "/sessions"),
            ("/retyr", &line, "/retry"),
            ("/quit1", &line, "/quit"),
            ("/vim", &line, "[tui]"),
            ("/xyzzy", &line, "/help lists"),
        ] {
            let hint = hint(name, known);
            assert!(hint.contains(expected), "{name}: {hint}");
        }
    }
}
