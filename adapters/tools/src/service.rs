//! The executor: takes a permitted call, runs it off the async threads, and keeps its time.

use crate::beneath::{LastLink, Place};
use crate::change;
use crate::context::{Leash, StopFlag, StopOnDrop};
use crate::failure::{broken, mendable, refused, timeout};
use crate::ground::Ground;
use crate::job::{CHANGE_LANES, Job, Workshop, shown};
use crate::journal;
use crate::look::{self, document::Opened};
use crate::run::{self, Bay, Jobs, Sandboxed};
use crate::table::{self, Tool, VERSION};
use crate::{Config, Error};
use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, FailureKind, PathRefusal, ProgressSink, ToolFailure};
use api::search::{DocumentError, Documents};
use async_trait::async_trait;
use domain::id::SessionId;
use domain::limits::FILE_TOOL_TIME;
use domain::tool::{TargetKind, ToolName, ToolOutput, ToolSpec};
use policy::protected::Protected;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long after its own limit a tool that hangs in the operating system is given up.
const GRACE: Duration = Duration::from_secs(2);

/// The built-in file tools. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FileTools {
    workshop: Arc<Workshop>,
    /// Where programs run; `None` where there is no sandbox for them.
    bay: Option<Arc<Bay>>,
}

impl FileTools {
    /// Makes the undo folder and checks what the tools need of the machine.
    ///
    /// # Errors
    /// [`Error`] when the undo folder cannot be made or `/proc` is missing.
    pub fn new(config: Config) -> Result<Self, Error> {
        journal::private_folder(&config.undo_folder).map_err(|source| Error::UndoFolder {
            folder: config.undo_folder.clone(),
            source,
        })?;
        let mut own = config.own_folders;
        own.push(config.undo_folder.clone());
        // A link in the way to our folders must not hide them.
        let real: Vec<PathBuf> = own.iter().filter_map(|folder| real_of(folder)).collect();
        own.extend(real);
        let homes = [Some(config.home.clone()), real_of(&config.home)];
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
            bay: None,
        })
    }

    /// Adds the tools that run programs. What such programs of killed processes left is cleared
    /// away meanwhile.
    #[must_use]
    pub fn sandboxed(self, given: Sandboxed) -> Self {
        // Nobody waits for it; what it does not get to is left to the next start.
        drop(std::thread::spawn(|| {
            crate::run::sweep(&std::env::temp_dir(), std::time::SystemTime::now())
        }));
        let own_folders = self.workshop.own_folders.clone();
        let bay = Bay {
            given,
            jobs: Jobs::default(),
            protected: self.workshop.protected.clone(),
            own_folders,
        };
        Self {
            bay: Some(Arc::new(bay)),
            ..self
        }
    }

    /// What runs in the background; `None` where no programs run.
    #[must_use]
    pub fn jobs(&self) -> Option<Jobs> {
        self.bay.as_ref().map(|bay| bay.jobs.clone())
    }

    fn bay(&self) -> Result<&Bay, ToolFailure> {
        let none = || broken("no_sandbox", "There is no sandbox to run programs in.");
        self.bay.as_deref().ok_or_else(none)
    }

    /// A document whose format is attacked, read in the sandbox.
    async fn read_closed(
        &self,
        call: JudgedCall,
        (format, bytes): (&'static str, Vec<u8>),
        shown: String,
        progress: &ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let Some(bay) = self.bay.as_deref() else {
            return Err(mendable(
                "no_reader",
                format!(
                    "There is no sandbox to read `{shown}` in, which its format ({format}) needs. Ask the user for a text version."
                ),
            ));
        };
        let (content, truncated) = run::read(bay, (format, bytes), &shown, progress).await?;
        self.blocking(None, move |workshop, leash| {
            let tool = Tool::ReadDocument;
            let job = Job {
                workshop,
                call: &call,
                leash,
                tool,
            };
            look::document::told(&job, format, &shown, content, truncated)
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        progress: Option<ProgressSink>,
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
                "The file system did not answer in time; the call was given up.",
            )),
        }
    }
}

#[async_trait]
impl Documents for FileTools {
    async fn pdf(&self, bytes: Vec<u8>) -> Result<String, DocumentError> {
        let Some(bay) = self.bay.as_deref() else {
            return Err(DocumentError::Unavailable {
                detail: "there is no sandbox to read it in".to_owned(),
            });
        };
        let (progress, _unwatched) = mpsc::channel(1);
        match run::read(bay, ("pdf", bytes), "the page", &progress).await {
            Ok((text, _truncated)) => Ok(text),
            Err(failure) => Err(match failure.kind {
                FailureKind::Timeout => DocumentError::Timeout,
                FailureKind::Mendable => DocumentError::Unreadable {
                    detail: failure.message,
                },
                FailureKind::Refused | FailureKind::Broken => DocumentError::Unavailable {
                    detail: failure.message,
                },
            }),
        }
    }
}

#[async_trait]
impl Executor for FileTools {
    fn table(&self) -> Vec<ToolSpec> {
        table::all(self.bay.is_some())
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
                    shown: shown(&path.to_string_lossy()),
                    target: &path,
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
        self.preview_after(call, &[]).await
    }

    async fn preview_after(
        &self,
        call: &JudgedCall,
        earlier: &[ToolName],
    ) -> Result<Option<String>, ToolFailure> {
        let tool = tool_of(call)?;
        if tool.runs_programs() {
            return self.bay()?.preview(tool, call);
        }
        let above = change::above(earlier);
        let call = call.clone();
        self.blocking(None, move |workshop, leash| {
            let tool = tool_of(&call)?;
            let job = Job {
                workshop,
                call: &call,
                leash,
                tool,
            };
            change::preview(&job, above)
        })
        .await
    }

    async fn run(
        &self,
        call: Authorized,
        progress: ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let call = call
            .redeem(jiff::Timestamp::now())
            .map_err(|expired| refused("expired", format!("{expired}; ask again.")))?;
        let tool = tool_of(&call)?;
        if tool.runs_programs() {
            return self.bay()?.run(tool, &call, &progress).await;
        }
        let (judged, sink) = (call.clone(), progress.clone());
        let done = self
            .blocking(Some(progress), move |workshop, leash| {
                let job = Job {
                    workshop,
                    call: &call,
                    leash,
                    tool,
                };
                match tool {
                    Tool::ReadDocument => return look::document::open(&job),
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
        }
    }

    async fn session_closed(&self, session_id: SessionId) {
        if let Some(bay) = self.bay.as_deref() {
            bay.jobs.end(session_id).await;
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

/// Where a folder lies or would lie, with the links above it resolved.
fn real_of(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find_map(|above| {
        let rest = folder.strip_prefix(above).unwrap_or(Path::new(""));
        above.canonicalize().ok().map(|real| real.join(rest))
    })
}
