//! How far a yes for the session goes: a call, or every change of files in a folder.

use crate::approvals::Places;
use crate::render;
use api::executor::SessionScope;
use domain::tool::EffectClass;
use policy::Bound;
use std::fmt;
use std::path::{Path, PathBuf};

/// How far a yes for the session to a command goes. Another one, or with other arguments, is asked about
/// anew: the agent will have read what this one printed.
const COMMAND: &str = "exactly this command, as often as it is run, until the agent reads its first \
     file or something from outside this machine, changes a file or runs another program that may, the \
     session ends or its settings change";

/// How long a yes for the session to a program holds, after what it covers.
const PROGRAM: &str = "the agent reads something from outside this machine or its first file, the \
     session ends or its settings change";

/// How far a yes for the session goes, in words by [`fmt::Display`].
#[derive(Debug)]
pub(crate) enum Reach {
    /// Every change of files in a folder, which is opened for writing where it is not open.
    Changes(PathBuf),
    /// This call; the folder is opened for writing.
    Opens(PathBuf),
    /// A program with what it is told to do, as its executor tells.
    Program {
        scope: SessionScope,
        /// The folder that is opened for writing with it.
        opens: Option<PathBuf>,
    },
    /// Calls like this one, in words.
    Call(String),
}

impl Reach {
    /// Whether it covers calls of the agent alone that asked.
    pub(crate) const fn is_of_one_agent(&self) -> bool {
        match self {
            Self::Changes(_) | Self::Program { .. } => true,
            Self::Opens(_) | Self::Call(_) => false,
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |folder: &Path| render::one_line(&folder.to_string_lossy());
        match self {
            Self::Changes(folder) => write!(
                f,
                "every change of files in {}, but no deletion and no protected file, until the agent \
                 reads something from outside this machine, the session ends or its settings change",
                shown(folder)
            ),
            Self::Opens(folder) => write!(
                f,
                "this call, and opens {} and everything in it for writing until the session ends; \
                 each further deletion is asked about",
                shown(folder)
            ),
            Self::Program { scope, opens } => {
                write!(f, "{}, {PROGRAM}", scope.words)?;
                match opens {
                    None => Ok(()),
                    Some(folder) => write!(
                        f,
                        "; and opens {} and everything in it for writing until the session ends",
                        shown(folder)
                    ),
                }
            }
            Self::Call(reach) => f.write_str(reach),
        }
    }
}

/// The folder whose files a yes for the session lets be changed: the one that is to be opened, else
/// the workspace, else the innermost folder that is open. `None` where the call does anything but
/// change files in it, by their names and by where these lead.
pub(crate) fn changed_folder(
    bound: &Bound,
    places: &Places,
    (opens, workspace): (Option<&Path>, &Path),
) -> Option<PathBuf> {
    let is_open = |folder: &&Path| {
        let mut roots = bound.write_roots.iter();
        folder.parent().is_some() && roots.any(|root| folder.starts_with(root))
    };
    let mut open: Vec<&Path> = bound.write_roots.iter().map(PathBuf::as_path).collect();
    open.sort_by_key(|root| std::cmp::Reverse(root.components().count()));
    let folders = opens.into_iter().chain([workspace]).chain(open);
    let mut fitting = folders
        .filter(is_open)
        .filter(|folder| bound.changes_within([*folder]));
    // A link out of the folder makes the yes no wider: whoever wrote what the user works on may have
    // put it there.
    let folder = fitting.next()?;
    let mut real = places.values();
    real.all(|real| real.starts_with(folder))
        .then(|| folder.to_path_buf())
}

/// How far a yes for the session to a call goes that does more than change files in a folder.
pub(crate) fn of_call(bound: &Bound) -> String {
    if bound.effect == EffectClass::Exec {
        return COMMAND.to_owned();
    }
    let is_exact = bound.targets.is_empty()
        || matches!(
            bound.effect,
            EffectClass::Config | EffectClass::Egress | EffectClass::Money
        );
    let reach = if is_exact {
        "exactly this call"
    } else {
        "this tool on these paths, whatever the content"
    };
    format!("{reach}; until the session ends or its settings change")
}
