//! Whether what an agent is shown comes from outside this machine.

use domain::label::{Integrity, Label};

/// Origins of what lies on this machine, or says itself where it comes from by the origins beside it;
/// see the tool tables.
const HERE: [&str; 9] = [
    "user",
    "files",
    "programs",
    "memory",
    "agents",
    "journal",
    "session log",
    "tools",
    "drive",
];
/// How origins begin that name a file, a program, or what the user attached.
const HERE_BY_NAME: [&str; 6] = [
    "file:",
    "program:",
    "job:",
    "picture:",
    "input:",
    "project notes:",
];
/// A program whose output is from a registry of packages.
const FETCHING: &str = "program:package_install";

/// Whether some of it is untrusted and from outside this machine.
pub(crate) fn are_outside(label: &Label) -> bool {
    let is_here = |origin: &String| {
        let named = || HERE_BY_NAME.iter().any(|start| origin.starts_with(start));
        origin != FETCHING && (HERE.contains(&origin.as_str()) || named())
    };
    label.integrity == Integrity::Untrusted && !label.origins.iter().all(is_here)
}

#[cfg(test)]
mod tests {
    use super::are_outside;
    use domain::label::Label;

    #[test]
    fn what_is_here_is_named_and_all_else_is_outside() {
        for here in [
            "files",
            "file:notes.md",
            "program:run_command",
            "programs",
            "picture:a.png",
        ] {
            assert!(!are_outside(&Label::untrusted(here)), "{here}");
        }
        for outside in [
            "web",
            "web:https://files.example",
            "files.example",
            "programs.example",
            "program:package_install",
            "tool error",
            "channel:irc",
        ] {
            assert!(are_outside(&Label::untrusted(outside)), "{outside}");
            let mixed = Label::untrusted("files").join(&Label::untrusted(outside));
            assert!(are_outside(&mixed), "{outside}");
        }
        assert!(!are_outside(&Label::trusted("web")));
    }
}
