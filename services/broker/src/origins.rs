//! Where what an agent is shown comes from: by which name, and whether from outside this machine.

use domain::label::{Integrity, Label};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

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

/// The origin of a file by one name, whichever of its names a call used: as seen from the folder that
/// the session works in. What climbs up may lead elsewhere through a link, and stays as it is.
pub(crate) fn seen_from<'o>(folder: &Path, origin: &'o str) -> Cow<'o, str> {
    const FILE: &str = "file:";
    let Some(path) = origin.strip_prefix(FILE).map(Path::new) else {
        return origin.into();
    };
    let climbs = |part: Component<'_>| part == Component::ParentDir;
    if path.components().any(climbs) {
        return origin.into();
    }
    let below = path.strip_prefix(folder).unwrap_or(path);
    let named = |part: &Component<'_>| *part != Component::CurDir;
    let parts: PathBuf = below.components().filter(named).collect();
    match parts.as_os_str().is_empty() {
        true => format!("{FILE}.").into(),
        false => format!("{FILE}{}", parts.display()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{are_outside, seen_from};
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

    #[test]
    fn a_file_has_one_name_whichever_was_used() {
        let folder = std::path::Path::new("/w");
        for (origin, named) in [
            ("file:a.txt", "file:a.txt"),
            ("file:./a.txt", "file:a.txt"),
            ("file:/w/a.txt", "file:a.txt"),
            ("file:/w/docs/./a.txt", "file:docs/a.txt"),
            ("file:docs/", "file:docs"),
            ("file:/w", "file:."),
            ("file:.", "file:."),
            ("file:/wide/a.txt", "file:/wide/a.txt"),
            ("file:/w/../a.txt", "file:/w/../a.txt"),
            ("file:~/a.txt", "file:~/a.txt"),
            ("web:/w/a.txt", "web:/w/a.txt"),
        ] {
            assert_eq!(seen_from(folder, origin), named, "{origin}");
        }
    }
}
