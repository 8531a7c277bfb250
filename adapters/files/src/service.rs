//! The executor: takes a permitted call, runs it off the async threads, and keeps its time.

use crate::beneath::{LastLink, Place, Spelling};
use crate::change;
use crate::checkpoint::{Held, Unheld};
use crate::contents::Contents;
use crate::context::{Leash, StopFlag, StopOnDrop};
use crate::ground::Ground;
use crate::job::{CHANGE_LANES, Job, Workshop};
use crate::look;
use crate::look::opened::Opened;
use crate::look::outline::Collected;
use crate::table::{self, Tool, VERSION};
use crate::{Config, Error};
use api::authority::{Authorized, JudgedCall};
use api::checkpoints::{Checkpoint, Checkpoints};
use api::documents::{DocumentError, DocumentText, Documents};
use api::executor::{Executor, FailureKind, PathRefusal, ReportSink, ToolFailure};
use api::failure::{broken, mendable, refused, timeout};
use async_trait::async_trait;
use domain::limits::FILE_TOOL_TIME;
use domain::tool::{TargetKind, ToolOutput, ToolSpec};
use paths::real_path;
use protected::Protected;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use text::escape::visible_line;

/// How long after its own limit a tool that hangs in the operating system is given up.
const GRACE: Duration = Duration::from_secs(2);

/// The built-in file tools. Cheap to clone.
#[derive(Clone)]
pub struct FileTools {
    workshop: Arc<Workshop>,
    /// What reads documents whose formats are attacked, if anything does.
    documents: Option<Arc<dyn Documents>>,
}

impl fmt::Debug for FileTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileTools")
            .field("workshop", &self.workshop)
            .finish_non_exhaustive()
    }
}

impl FileTools {
    /// Makes the undo folder and checks what the tools need of the machine.
    ///
    /// # Errors
    /// [`Error`] when the undo folder cannot be made or `/proc` is missing.
    pub fn new(config: Config) -> Result<Self, Error> {
        disk::private::folder(&config.undo_folder).map_err(|source| Error::UndoFolder {
            folder: config.undo_folder.clone(),
            source,
        })?;
        let mut own = config.own_folders;
        own.push(config.undo_folder.clone());
        // A link in the way to our folders must not hide them.
        let real: Vec<PathBuf> = own.iter().filter_map(|folder| real_path(folder)).collect();
        own.extend(real);
        let homes = [Some(config.home.clone()), real_path(&config.home)];
        let homes = homes.iter().flatten();
        let protected = homes.fold(Protected::new(&own), |all, home| all.with_home(home));
        let ground = Ground::new(protected.clone()).map_err(|errno| Error::Proc {
            source: errno.into(),
        })?;
        Ok(Self {
            workshop: Arc::new(Workshop {
                ground,
                undo_folder: config.undo_folder,
                undo_bytes: config.undo_bytes,
                lanes: (0..CHANGE_LANES).map(|_| Mutex::new(())).collect(),
                own_folders: own,
                protected,
            }),
            documents: None,
        })
    }

    /// Has documents whose formats are attacked read there.
    #[must_use]
    pub fn with_documents(self, documents: Arc<dyn Documents>) -> Self {
        Self {
            documents: Some(documents),
            ..self
        }
    }

    /// The places that are kept from every tool, as this machine's links make them.
    #[must_use]
    pub fn protected(&self) -> &Protected {
        &self.workshop.protected
    }

    /// Housecarl's own folders, also by their real paths.
    #[must_use]
    pub fn own_folders(&self) -> &[PathBuf] {
        &self.workshop.own_folders
    }

    /// What a call would change once earlier steps are done that leave these contents, and what it
    /// would leave itself.
    async fn shown(
        &self,
        call: &JudgedCall,
        earlier: &[JudgedCall],
        contents: &Arc<Contents>,
    ) -> Result<(Option<String>, Contents), ToolFailure> {
        let above = change::above(earlier);
        let (call, contents) = (call.clone(), Arc::clone(contents));
        self.blocking(None, move |workshop, leash| {
            let tool = tool_of(&call)?;
            let job = Job::new(workshop, &call, leash, tool).after(&contents);
            change::preview(&job, above)
        })
        .await
    }

    /// A document whose format is attacked, read elsewhere.
    async fn read_closed(
        &self,
        call: JudgedCall,
        (format, bytes): (&'static str, Vec<u8>),
        shown: String,
        progress: &ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let Some(documents) = self.documents.as_deref() else {
            return Err(mendable(
                "no_reader",
                format!(
                    "There is no sandbox to read `{shown}` in, which its format ({format}) needs. Ask the user for a text version."
                ),
            ));
        };
        let read = documents.text(bytes, progress).await;
        let DocumentText { text, is_cut } = read.map_err(|error| unread(error, format, &shown))?;
        self.blocking(None, move |workshop, leash| {
            let tool = Tool::ReadDocument;
            let job = Job::new(workshop, &call, leash, tool);
            look::document::told(&job, format, &shown, text, is_cut)
        })
        .await
    }

    /// The outline of source files, which are parsed elsewhere.
    async fn outline(
        &self,
        call: JudgedCall,
        collected: Collected,
        progress: &ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let sources = collected.sources();
        let read = match (self.documents.as_deref(), sources.is_empty()) {
            (_, true) => Vec::new(),
            (Some(documents), false) => documents.symbols(sources, progress).await?,
            (None, false) => {
                return Err(mendable(
                    "no_reader",
                    "There is no sandbox to parse source files in. Use grep.",
                ));
            }
        };
        self.blocking(None, move |workshop, leash| {
            let job = Job::new(workshop, &call, leash, Tool::Outline);
            look::outline::told(&job, collected, read)
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        progress: Option<ReportSink>,
        work: impl FnOnce(&Workshop, &Leash) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        let stop = StopFlag::default();
        let _stop_on_drop = StopOnDrop(stop.clone());
        let workshop = Arc::clone(&self.workshop);
        let task = tokio::task::spawn_blocking(move || {
            work(&workshop, &Leash::new(stop, FILE_TOOL_TIME, progress))
        });
        match tokio::time::timeout(FILE_TOOL_TIME + GRACE, task).await {
            Ok(Ok(done)) => done,
            Ok(Err(error)) => Err(broken("tool_crashed", format!("The tool failed: {error}."))),
            Err(_) => Err(timeout(
                "timeout",
                "The call did not end in time and was given up: what it waits for, or looks through, takes too long.",
            )),
        }
    }
}

#[async_trait]
impl Checkpoints for FileTools {
    async fn begin(&self, call: &JudgedCall) -> Box<dyn Checkpoint> {
        let (workshop, call) = (Arc::clone(&self.workshop), call.clone());
        let held = tokio::task::spawn_blocking(move || Held::of(workshop, call)).await;
        match held {
            Ok(held) => Box::new(held),
            Err(error) => Box::new(Unheld(format!("Looking through it broke off: {error}."))),
        }
    }
}

#[async_trait]
impl Executor for FileTools {
    fn table(&self) -> Vec<ToolSpec> {
        table::all()
    }

    async fn locate(
        &self,
        path: &Path,
        kind: TargetKind,
        roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        let (path, roots) = (path.to_path_buf(), roots.to_vec());
        let located = self
            .blocking(None, move |workshop, _| {
                let place = Place {
                    ground: &workshop.ground,
                    shown: visible_line(&path.to_string_lossy()),
                    target: &path,
                    spelling: Spelling::Written,
                    roots: &roots,
                };
                match kind {
                    TargetKind::ReadPath => place.reach_real().map(Some),
                    TargetKind::WritePath => place.real_spot(LastLink::Follow).map(Some),
                    TargetKind::Url | TargetKind::Other => Ok(None),
                }
            })
            .await;
        match located {
            Err(failure) if failure.kind == FailureKind::Refused => Err(PathRefusal {
                rule: failure.rule,
                detail: failure.message,
            }),
            // That nothing is there, or that it cannot be opened, is the tool's to report.
            Err(_) => Ok(None),
            Ok(real) => Ok(real),
        }
    }

    async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        let shown = self.shown(call, &[], &Arc::default()).await;
        shown.map(|(change, _)| change)
    }

    async fn preview_plan(&self, steps: &[JudgedCall]) -> Vec<Result<Option<String>, ToolFailure>> {
        let mut contents: Arc<Contents> = Arc::default();
        let mut previews = Vec::with_capacity(steps.len());
        for (index, step) in steps.iter().enumerate() {
            let earlier = steps.get(..index).unwrap_or_default();
            let shown = self.shown(step, earlier, &contents).await;
            previews.push(shown.map(|(change, leaves)| {
                Arc::make_mut(&mut contents).extend(leaves);
                change
            }));
        }
        previews
    }

    async fn run(&self, call: Authorized, progress: ReportSink) -> Result<ToolOutput, ToolFailure> {
        let call = call.redeem(jiff::Timestamp::now())?;
        paths::note_changeable(&call.write_roots);
        let tool = tool_of(&call)?;
        let (judged, sink) = (call.clone(), progress.clone());
        let done = self
            .blocking(Some(progress), move |workshop, leash| {
                let job = Job::new(workshop, &call, leash, tool);
                match tool {
                    Tool::ReadDocument => return look::document::open(&job),
                    Tool::Outline => return look::outline::open(&job).map(Opened::Sources),
                    Tool::ListFiles => look::list::run(&job),
                    Tool::ReadFile => look::read::run(&job),
                    Tool::Glob => look::glob::run(&job),
                    Tool::Grep => look::grep::run(&job),
                    Tool::ViewImage => look::image::run(&job),
                    _ => change::run(&job),
                }
                .map(Opened::Done)
            })
            .await?;
        match done {
            Opened::Done(output) => Ok(output),
            Opened::Closed {
                format,
                bytes,
                shown,
            } => {
                let document = (format, bytes);
                self.read_closed(judged, document, shown, &sink).await
            }
            Opened::Sources(collected) => self.outline(judged, collected, &sink).await,
        }
    }
}

fn tool_of(call: &JudgedCall) -> Result<Tool, ToolFailure> {
    let Some(tool) = Tool::by_name(&call.tool) else {
        return Err(refused(
            "unknown_tool",
            format!("There is no tool `{}`.", call.tool),
        ));
    };
    if call.tool_version != VERSION {
        return Err(refused(
            "version_changed",
            "The tool changed since the call was judged.",
        ));
    }
    Ok(tool)
}

fn unread(error: DocumentError, format: &str, shown: &str) -> ToolFailure {
    match error {
        DocumentError::Timeout => mendable(
            "unreadable",
            format!(
                "Reading `{shown}` took too long and was stopped. Ask the user for a text version."
            ),
        ),
        DocumentError::Unreadable { detail } => mendable(
            "unreadable",
            format!(
                "`{shown}` cannot be read as {}: it is damaged, protected by a password or of an \
                 unusual kind ({detail}). Ask the user for a text version.",
                format.to_ascii_uppercase()
            ),
        ),
        DocumentError::NotRun(failure) => failure,
    }
}
