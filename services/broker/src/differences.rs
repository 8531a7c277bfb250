//! What is no longer as the user was shown it when a yes arrives: the file or the argument, by name.

use crate::judging::broken_finding;
use crate::render::one_line;
use api::authority::JudgedCall;
use domain::decision::Finding;
use policy::Bound;
use std::path::{Path, PathBuf};

/// What changed between question and answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The rules: the call may not run any more, for this reason.
    Rules(String),
    /// These arguments: they say something else, or lead to another place.
    Arguments(Vec<String>),
    /// The settings, or how far what the agent was shown may be trusted.
    Settings,
    /// What the call would do to these files.
    Files(Vec<PathBuf>),
    /// What the call would do, which names no file.
    Preview,
}

impl Difference {
    /// How a call differs from the one that was shown; `None` where a yes stands for both.
    pub(crate) fn of_calls(shown: &JudgedCall, now: &JudgedCall) -> Option<Self> {
        if shown.binding() == now.binding() {
            return None;
        }
        let given = |call: &JudgedCall, name: &str| call.arguments.get(name).cloned();
        let names = [&shown.arguments, &now.arguments]
            .into_iter()
            .filter_map(|arguments| arguments.as_object())
            .flat_map(|arguments| arguments.keys());
        let targets = [shown, now]
            .into_iter()
            .flat_map(|call| call.targets.keys());
        let mut all: Vec<&String> = names.chain(targets).collect();
        all.sort_unstable();
        all.dedup();
        let differs = |name: &&String| {
            given(shown, name) != given(now, name)
                || shown.targets.get(*name) != now.targets.get(*name)
        };
        let named: Vec<String> = all.into_iter().filter(differs).cloned().collect();
        Some(match named.is_empty() {
            true => Self::Settings,
            false => Self::Arguments(named),
        })
    }

    /// A call whose preview is another than was shown: its files are what it goes by.
    pub(crate) fn of_preview(bound: &Bound) -> Self {
        let mut files: Vec<PathBuf> = bound.changed_files().map(Path::to_path_buf).collect();
        if files.is_empty() {
            files = bound
                .targets
                .values()
                .map(|(_, path)| path.clone())
                .collect();
        }
        match files.is_empty() {
            true => Self::Preview,
            false => Self::Files(files),
        }
    }

    /// Why the yes is void, for the user and for the model.
    pub(crate) fn finding(&self) -> Finding {
        let listed = |names: Vec<String>| match names.as_slice() {
            [only] => only.clone(),
            names => format!("one of {}", names.join(", ")),
        };
        let what = match self {
            Self::Rules(why) => format!("The call may not run any more: {why}"),
            Self::Arguments(names) => {
                let names = names.iter().map(|name| format!("`{}`", one_line(name)));
                let names = names.collect::<Vec<_>>().join(", ");
                format!("What the call names in {names} leads elsewhere now.")
            }
            Self::Settings => {
                "The settings changed, or what the agent was shown meanwhile.".to_owned()
            }
            Self::Files(files) => {
                let shown = files.iter().map(|file| one_line(&file.to_string_lossy()));
                let shown = shown.map(|file| format!("`{file}`")).collect();
                format!("What it acts on changed meanwhile: {}.", listed(shown))
            }
            Self::Preview => "What the call would do changed meanwhile.".to_owned(),
        };
        let mut finding = broken_finding("changed_since_asked", &what);
        finding.user_reason =
            format!("{what} The answer was for what was shown before, so nothing was run.");
        finding.model_reason = format!(
            "{what} That was while the user was asked. Look at it again and repeat the call."
        );
        finding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_or_argument_is_named() {
        let files = |names: &[&str]| Difference::Files(names.iter().map(PathBuf::from).collect());
        for (difference, named) in [
            (files(&["/w/a\n"]), "`/w/a\\n`."),
            (files(&["/w/a", "/w/b"]), "one of `/w/a`, `/w/b`."),
            (
                Difference::Arguments(vec!["from".to_owned()]),
                "in `from` leads",
            ),
            (
                Difference::Rules("It is disabled.".to_owned()),
                "It is disabled.",
            ),
        ] {
            let finding = difference.finding();
            assert_eq!(finding.rule, "changed_since_asked");
            assert!(finding.user_reason.contains(named), "{finding:?}");
            assert!(finding.model_reason.contains(named), "{finding:?}");
        }
    }
}
