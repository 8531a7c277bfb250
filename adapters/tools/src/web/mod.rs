//! The tools over search: claims with their sources, and one page read for a question.
//!
//! How much of a page the agent is shown stands in the call, as the guard put it there; whether the
//! page may be read at all was the guard's to decide. What does not work is told as a result.

mod record;
mod show;
mod table;

use crate::memory::context;
use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, PathRefusal, ReportSink, ToolFailure};
use api::failure::{broken, mendable, of_call, refused, timeout};
use api::search::{Error, ReadAnswer, ReadRequest, Search, SearchRequest};
use async_trait::async_trait;
use domain::fault::Coded;
use domain::tool::{TargetKind, ToolOutput, ToolSpec, WEB_SEARCH};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Longest one call may take: pages are fetched and summarised in it.
const CALL_TIME: Duration = Duration::from_secs(240);
/// Results of a search that asks for no number.
const USUAL_RESULTS: u32 = 5;

/// The tools over search. Cheap to clone.
#[derive(Clone)]
pub struct WebTools {
    search: Arc<dyn Search>,
}

impl WebTools {
    /// Tools over this search service.
    #[must_use]
    pub fn new(search: Arc<dyn Search>) -> Self {
        Self { search }
    }

    async fn find(&self, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
        let arguments: WebSearch = call.parse_arguments()?;
        let request = SearchRequest {
            context: Some(context(call)),
            query: arguments.query,
            max_results: arguments.max_results.unwrap_or(USUAL_RESULTS),
            content: call.rights.web_content,
        };
        let answer = self.search.search(request).await.map_err(failure)?;
        show::claims(&answer)
    }

    async fn fetch(&self, call: &JudgedCall) -> Result<ToolOutput, ToolFailure> {
        let arguments: WebFetch = call.parse_arguments()?;
        let request = ReadRequest {
            context: Some(context(call)),
            url: arguments.url,
            question: arguments.question.unwrap_or_default(),
            content: call.rights.web_content,
        };
        match self.search.read(request).await.map_err(failure)? {
            ReadAnswer::Page(page) => show::page(&page),
            ReadAnswer::Failed(failed) => Err(show::unread(&failed)),
        }
    }
}

/// The arguments of `web_search`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WebSearch {
    query: String,
    max_results: Option<u32>,
}

/// The arguments of `web_fetch`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WebFetch {
    url: String,
    question: Option<String>,
}

fn failure(error: Error) -> ToolFailure {
    match error {
        Error::Invalid { .. } => {
            mendable("unusable", of_call(format!("{error}. Ask in other words.")))
        }
        // Nothing that a server said stands in it: it is told in words of ours.
        Error::NotConfigured | Error::Blocked { .. } | Error::Unavailable { .. } => {
            broken("search_unavailable", of_call(unavailable(&error)))
        }
    }
}

fn unavailable(error: &Error) -> String {
    format!(
        "[tool unavailable] {error}. Go on without the web, and say so. For the user: {}",
        error.hint()
    )
}

#[async_trait]
impl Executor for WebTools {
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

    /// Where a query goes: the call does not say. What cannot be asked is nothing to ask the user about.
    async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        if call.tool.as_str() != WEB_SEARCH {
            return Ok(None);
        }
        let destination = self.search.destination().await.map_err(failure)?;
        Ok(destination.map(|place| format!("The query goes to {place}\n")))
    }

    async fn run(&self, call: Authorized, _: ReportSink) -> Result<ToolOutput, ToolFailure> {
        let call = call.redeem(jiff::Timestamp::now())?;
        let work = async {
            match call.tool.as_str() {
                WEB_SEARCH => self.find(&call).await,
                table::FETCH => self.fetch(&call).await,
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
                "[tool unavailable] The web did not answer in time. Go on without it, and say so.",
            )),
        }
    }
}
