//! One call at work: its paths, its turn among the session's changes, and its result.

use crate::beneath::{Place, Spelling};
use crate::contents::Contents;
use crate::context::Leash;
use crate::found::Found;
use crate::ground::Ground;
use crate::journal::Journal;
use crate::table::Tool;
use api::authority::JudgedCall;
use api::executor::ToolFailure;
use api::failure::{broken, mendable};
use domain::id::SessionId;
use domain::tool::ToolOutput;
use paths::real_path;
use protected::Protected;
use serde::Serialize;
use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use text::escape::visible_line;

/// How many sessions may change files at one time; more wait for one another.
pub(crate) const CHANGE_LANES: usize = 64;

/// One call at work.
pub(crate) struct Job<'a> {
    pub(crate) workshop: &'a Workshop,
    pub(crate) call: &'a JudgedCall,
    pub(crate) leash: &'a Leash,
    pub(crate) tool: Tool,
    /// What files hold by the time that it runs, for a step of a plan that is only shown.
    contents: Option<&'a Contents>,
    /// Where what may be changed is looked for by its real path.
    past_roots: OnceCell<Vec<PathBuf>>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        workshop: &'a Workshop,
        call: &'a JudgedCall,
        leash: &'a Leash,
        tool: Tool,
    ) -> Self {
        Self {
            workshop,
            call,
            leash,
            tool,
            contents: None,
            past_roots: OnceCell::new(),
        }
    }
}

impl<'a> Job<'a> {
    /// The same as a step of a plan that is only shown, after those that leave these contents.
    pub(crate) const fn after(mut self, contents: &'a Contents) -> Self {
        self.contents = Some(contents);
        self
    }

    /// What earlier steps of the plan leave in a file; `None` where it is as it is on disk.
    pub(crate) fn foreseen(&self, file: &Found) -> Option<&'a [u8]> {
        self.contents?.of(file)
    }

    /// How large a file is by the time that the call runs, bytes.
    pub(crate) fn bytes_of(&self, file: &Found) -> u64 {
        let foreseen = self.foreseen(file);
        foreseen.map_or(file.bytes(), |held| held.len() as u64)
    }
}

impl Job<'_> {
    /// A path argument that is only looked at.
    pub(crate) fn read_place(&self, argument: &str) -> Result<Place<'_>, ToolFailure> {
        self.place(argument, &self.call.read_roots)
    }

    /// A path argument that is changed.
    pub(crate) fn write_place(&self, argument: &str) -> Result<Place<'_>, ToolFailure> {
        self.place(argument, &self.call.write_roots)
    }

    /// A real path out of the journal, which must still lie in what may be changed. No link is
    /// followed to it: what one leads to now is not what was changed then.
    pub(crate) fn past_place<'p>(&'p self, path: &'p Path) -> Place<'p> {
        let roots = self.past_roots.get_or_init(|| {
            // A folder that was given may lie behind a link of the user's.
            let given = self.call.write_roots.iter();
            let real = given.clone().filter_map(|root| real_path(root));
            given.cloned().chain(real).collect()
        });
        Place {
            ground: &self.workshop.ground,
            shown: visible_line(&path.to_string_lossy()),
            target: path,
            spelling: Spelling::Stored,
            roots,
        }
    }

    fn place<'p>(&'p self, argument: &str, roots: &'p [PathBuf]) -> Result<Place<'p>, ToolFailure> {
        let Some(target) = self.call.targets.get(argument) else {
            return Err(mendable(
                "missing_path",
                format!("The argument `{argument}` is missing."),
            ));
        };
        Ok(Place {
            ground: &self.workshop.ground,
            shown: visible_line(&self.typed(argument)),
            target,
            spelling: Spelling::Written,
            roots,
        })
    }

    /// A path argument as it was asked, or of a list by `NAME/INDEX`; `.` when it was left out.
    pub(crate) fn typed(&self, argument: &str) -> String {
        let given = self.call.arguments.pointer(&format!("/{argument}"));
        let given = given.and_then(|value| value.as_str());
        given.unwrap_or(".").to_owned()
    }

    /// Waits for the session's other changes, and holds back later ones.
    pub(crate) fn lane(&self) -> MutexGuard<'_, ()> {
        self.workshop.lane(self.call.session_id)
    }

    pub(crate) fn journal(&self) -> Journal {
        let folder = self
            .workshop
            .undo_folder
            .join(self.call.session_id.to_string());
        Journal::new(folder, self.workshop.undo_bytes)
    }

    /// The result; `origin` is the path it came from, as asked.
    pub(crate) fn output(
        &self,
        data: &impl Serialize,
        text: String,
        origin: &str,
    ) -> Result<ToolOutput, ToolFailure> {
        let data = serde_json::to_value(data).map_err(|e| {
            broken(
                "result_unwritable",
                format!("The result cannot be told: {e}."),
            )
        })?;
        Ok(ToolOutput {
            data,
            text,
            origin: format!("file:{}", visible_line(origin)),
            artifacts: Vec::new(),
            labels: Vec::new(),
        })
    }
}

/// What all calls share.
#[derive(Debug)]
pub(crate) struct Workshop {
    pub(crate) ground: Ground,
    pub(crate) undo_folder: PathBuf,
    pub(crate) undo_bytes: u64,
    pub(crate) lanes: Vec<Mutex<()>>,
    pub(crate) own_folders: Vec<PathBuf>,
    pub(crate) protected: Protected,
}

impl Workshop {
    pub(crate) fn lane(&self, session_id: SessionId) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        session_id.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % CHANGE_LANES as u64).unwrap_or(0);
        // The lock guards an order, no data: a panic elsewhere leaves nothing half done.
        self.lanes[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
