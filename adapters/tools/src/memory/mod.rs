//! The tools over memory: finding, following what belongs together, nominating something to keep.
//!
//! Which memories an agent reaches stands in the call, as the guard put it there. What is shown
//! carries the label that it was stored with; what is kept, the label of what the agent was shown.

mod call;
mod record;
mod save;
mod show;
mod table;

pub(crate) use call::context;

use self::call::{failure, known_form};
use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, PathRefusal, ReportSink, ToolFailure};
use api::failure::{broken, refused, timeout};
use api::memory::{
    CorrelatedRequest, Detail, Kind, Memory, QueryEvent, QueryRequest, Recall, Scope, Source,
};
use async_trait::async_trait;
use domain::id::MemoryId;
use domain::label::{Integrity, Label};
use domain::tool::{SAVE_MEMORY, SEARCH_MEMORY, TargetKind, ToolOutput, ToolSpec};
use futures::StreamExt;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Longest one call may take.
const CALL_TIME: Duration = Duration::from_secs(20);
/// Results of a search that asks for no number.
const USUAL_RESULTS: u32 = 5;
/// From which relevance on a recall is worth showing unasked, 0 to 1.
const RELEVANT: f32 = 0.5;

/// The tools over memory. Cheap to clone.
#[derive(Clone)]
pub struct MemoryTools {
    memory: Arc<dyn Memory>,
}

impl MemoryTools {
    /// Tools over this memory.
    #[must_use]
    pub fn new(memory: Arc<dyn Memory>) -> Self {
        Self { memory }
    }

    async fn search(&self, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
        let arguments: SearchMemory = call.parse_arguments()?;
        let request = QueryRequest {
            context: Some(context(call)),
            text: arguments.query.clone(),
            scope: scope(call),
            limit: arguments.limit.unwrap_or(USUAL_RESULTS),
            detail: Detail::Segment,
            at_least: if arguments.relevant_only {
                RELEVANT
            } else {
                0.0
            },
        };
        let mut events = self.memory.query(request).await.map_err(failure)?;
        let mut stages = Vec::new();
        while let Some(event) = events.next().await {
            match event.map_err(failure)? {
                QueryEvent::Stage(stage) => stages.push(stage),
                // Nobody asked, so that nobody takes what is found for all there is.
                QueryEvent::Results(recalls) if arguments.relevant_only => {
                    let recalls = unasked(recalls, &arguments.query);
                    return show::found(&recalls, &call.rights.namespaces, String::new());
                }
                QueryEvent::Results(recalls) => {
                    let lacking = show::lacking(&stages);
                    return show::found(&recalls, &call.rights.namespaces, lacking);
                }
            }
        }
        Err(broken(
            "no_results",
            "[tool unavailable] Memory ended without an answer. Go on without it.",
        ))
    }

    async fn follow(&self, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
        let arguments: GetCorrelated = call.parse_arguments()?;
        let ids: Result<Vec<MemoryId>, ToolFailure> =
            arguments.ids.iter().map(|id| known_form(id)).collect();
        let request = CorrelatedRequest {
            context: Some(context(call)),
            ids: ids?,
            scope: scope(call),
            text: arguments.text.unwrap_or_default(),
            detail: arguments.detail.into(),
        };
        let recalls: Vec<Recall> = self.memory.get_correlated(request).await.map_err(failure)?;
        show::found(&recalls, &call.rights.namespaces, String::new())
    }
}

/// What is shown to an agent that did not ask for it: what may be trusted, and of a conversation
/// that saw something untrusted the user's own words alone. Nothing that nobody asked for makes a
/// session untrusted; the rest is found by a search of the agent's own. Nor is an answer shown that
/// the user found bad.
fn unasked(recalls: Vec<Recall>, query: &str) -> Vec<Recall> {
    let is_bad = |recall: &Recall| recall.feedback.is_some_and(|feedback| feedback < 0);
    let one = |recall: Recall| match (recall.label.integrity, recall.kind) {
        (Integrity::Trusted, _) => Some(recall),
        (_, Kind::Engram) if !recall.name.trim().eq_ignore_ascii_case(query.trim()) => {
            Some(Recall {
                description: String::new(),
                segment: String::new(),
                byte_range: (0, 0),
                source: Source::User,
                label: Label::trusted("user"),
                ..recall
            })
        }
        _ => None,
    };
    let recalls = recalls.into_iter().filter(|recall| !is_bad(recall));
    recalls.filter_map(one).collect()
}

/// The arguments of `search_memory`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchMemory {
    query: String,
    limit: Option<u32>,
    #[serde(default)]
    relevant_only: bool,
}

/// The arguments of `get_correlated`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GetCorrelated {
    ids: Vec<String>,
    text: Option<String>,
    #[serde(default)]
    detail: How,
}

/// How much of each entry is wanted.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    #[default]
    Description,
    Text,
}

impl From<How> for Detail {
    fn from(how: How) -> Self {
        match how {
            How::Description => Self::Description,
            How::Text => Self::Segment,
        }
    }
}

/// What the guard lets the agent see: nothing where the manifest names nothing.
fn scope(call: &JudgedCall) -> Scope {
    Scope::Only(call.rights.namespaces.clone())
}

#[async_trait]
impl Executor for MemoryTools {
    fn table(&self) -> Vec<ToolSpec> {
        table::all()
    }

    async fn locate(
        &self,
        _: &Path,
        _: TargetKind,
        _: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        Ok(None)
    }

    async fn preview(&self, _: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    async fn run(&self, call: Authorized, _: ReportSink) -> Result<ToolOutput, ToolFailure> {
        let call = call.redeem(jiff::Timestamp::now())?;
        let work = async {
            match call.tool.as_str() {
                SEARCH_MEMORY => self.search(&call).await,
                table::FOLLOW => self.follow(&call).await,
                SAVE_MEMORY => save::save(self.memory.as_ref(), &call).await,
                other => Err(refused(
                    "unknown_tool",
                    format!("There is no tool `{other}`."),
                )),
            }
        };
        match tokio::time::timeout(CALL_TIME, work).await {
            Ok(done) => done,
            Err(_) => Err(timeout(
                "timeout",
                "[tool unavailable] Memory did not answer in time. Go on without it.",
            )),
        }
    }
}
