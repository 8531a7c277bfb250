//! The JSON of requests and answers.

mod beside;
mod drive;
mod memory;
mod quality;

use crate::problem::Problem;
use api::sessions::PictureFile;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
pub(crate) use beside::{
    Agent, Agents, Audited, Call, Program, Programs, Stop, Stopped, Tool, Tools,
};
use domain::event::{ConfirmationAnswer, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::{QueryId, SessionId};
use domain::lineage::AgentType;
use domain::model::{ModelChoice, Think};
use domain::settings::{Mode, SessionProfile};
use domain::tool::ToolName;
use domain::{Timestamp, event};
pub(crate) use drive::Drive;
pub(crate) use memory::{Forgot, Kept, Remember, Search};
pub(crate) use quality::{GradeWanted, Quality, SecondRating, SecondTake, SecondWanted};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;
use utoipa::ToSchema;

/// Reads a body; an empty one is an empty object.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let body = match body.is_empty() {
        true => b"{}",
        false => body,
    };
    serde_json::from_slice(body)
        .map_err(|error| Problem::invalid(format!("the body cannot be used: {error}")))
}

/// A mode that a program may ask for: commands are the user's, who types them.
fn mode<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Mode>, D::Error> {
    match Option::deserialize(from)? {
        Some(Mode::Command) => Err(D::Error::custom("`command` is no mode for a program")),
        mode => Ok(mode),
    }
}

/// What a session is opened with, or changed to. What is not named stays as configured, or as it was.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) agent: Option<String>,
    #[serde(default, deserialize_with = "mode")]
    #[schema(value_type = Option<String>)]
    pub(crate) mode: Option<Mode>,
    /// `provider/model`; `default`: what suits the agent type.
    pub(crate) model: Option<String>,
    #[schema(value_type = Option<String>)]
    pub(crate) thinking: Option<Think>,
    pub(crate) attended: Option<bool>,
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) disabled_tools: Option<Vec<ToolName>>,
    #[schema(value_type = Option<String>)]
    pub(crate) workspace: Option<PathBuf>,
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub(crate) allow_write: Vec<PathBuf>,
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub(crate) allow_read: Vec<PathBuf>,
}

/// `POST /login`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Login {
    /// What stands behind `#login=` in the link of `carl web`.
    pub(crate) code: String,
}

/// What `POST /login` gives beside a cookie.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoggedIn {
    /// What goes into `X-Carl-Key` of each request.
    pub(crate) key: String,
}

/// `POST …/rename`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rename {
    pub(crate) name: String,
}

/// `POST …/fork`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fork {
    /// The last event that the copy has; 0: all of them.
    #[serde(default)]
    pub(crate) at_seq: u64,
}

/// `POST …/messages`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    pub(crate) text: String,
    #[serde(default, deserialize_with = "mode")]
    #[schema(value_type = Option<String>)]
    pub(crate) mode: Option<Mode>,
    pub(crate) input: Option<Data>,
    /// At most 8.
    #[serde(default)]
    pub(crate) pictures: Vec<Picture>,
}

/// A picture that a message is about: PNG, JPEG, GIF or WebP.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Picture {
    pub(crate) name: String,
    /// The file in Base64.
    pub(crate) data: String,
}

impl Picture {
    /// The file.
    pub(crate) fn file(self) -> Result<PictureFile, Problem> {
        let Self { name, data } = self;
        match STANDARD.decode(data) {
            Ok(bytes) => Ok(PictureFile { name, bytes }),
            Err(error) => Err(Problem::invalid(format!(
                "the data of a picture is no Base64: {error}"
            ))),
        }
    }
}

/// Data that a message is about.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// `POST …/interrupt`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Interrupt {
    #[schema(value_type = Option<String>)]
    pub(crate) query_id: Option<QueryId>,
}

/// `POST …/undo`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undo {}

/// `POST …/confirmations/{id}`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    #[schema(value_type = String)]
    pub(crate) binding: Digest,
    answer: Choice,
    #[serde(default)]
    message: String,
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Choice {
    Once,
    Session,
    Deny,
}

impl Answer {
    pub(crate) fn answer(self) -> ConfirmationAnswer {
        match self.answer {
            Choice::Once => ConfirmationAnswer::Once,
            Choice::Session => ConfirmationAnswer::Session,
            Choice::Deny => ConfirmationAnswer::Deny {
                message: self.message,
            },
        }
    }
}

/// `POST /query`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    #[schema(value_type = Option<String>)]
    pub(crate) session_id: Option<SessionId>,
    pub(crate) query: String,
}

/// `POST /feedback`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Feedback {
    #[schema(value_type = String)]
    pub(crate) session_id: SessionId,
    #[schema(value_type = String)]
    pub(crate) query_id: QueryId,
    /// -100 to 100.
    pub(crate) score: i8,
    #[serde(default)]
    pub(crate) note: String,
}

/// What `POST /query` came to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Queried {
    #[schema(value_type = Option<String>)]
    pub(crate) query_id: Option<QueryId>,
    #[schema(value_type = String)]
    pub(crate) session_id: SessionId,
    pub(crate) answer: String,
    pub(crate) thinking: String,
    #[schema(value_type = Vec<Object>)]
    pub(crate) tool_calls: Vec<rendering::summary::Called>,
    /// What happened, by name.
    pub(crate) events: Vec<String>,
    /// The same in full, without the pieces in which the answer came.
    #[schema(value_type = Vec<Object>)]
    pub(crate) event_log: Vec<event::Event>,
}

/// A session in a listing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Listed {
    #[schema(value_type = String)]
    pub(crate) session_id: SessionId,
    pub(crate) title: String,
    #[schema(value_type = String)]
    pub(crate) workspace: PathBuf,
    #[schema(value_type = String)]
    pub(crate) created: Timestamp,
    #[schema(value_type = String)]
    pub(crate) updated: Timestamp,
    pub(crate) last_seq: u64,
    pub(crate) live: bool,
    /// What it is a copy of; null: of nothing.
    pub(crate) forked_from: Option<Origin>,
}

/// The session that another one is a copy of.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Origin {
    #[schema(value_type = String)]
    session_id: SessionId,
    /// The last event that both have.
    at_seq: u64,
}

impl From<api::sessions::SessionSummary> for Listed {
    fn from(one: api::sessions::SessionSummary) -> Self {
        let origin = |(session_id, at_seq)| Origin { session_id, at_seq };
        Self {
            forked_from: one.forked_from.map(origin),
            session_id: one.session_id,
            title: one.title,
            workspace: one.workspace,
            created: one.created,
            updated: one.updated,
            last_seq: one.last_seq,
            live: one.live,
        }
    }
}

/// `GET /api/v1/sessions`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Page {
    pub(crate) sessions: Vec<Listed>,
    /// What the next page is asked for with; null: this is the last one.
    pub(crate) next: Option<String>,
}

/// `GET …/history`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct History {
    /// As `carl run --events` prints them, without the pieces of answers that ended.
    #[schema(value_type = Vec<Object>)]
    pub(crate) events: Vec<event::Event>,
    /// The number of the last of them, with which a stream of events goes on; 0: there is none.
    pub(crate) last_seq: u64,
    /// What the page before is asked for with; null: this is the first one.
    pub(crate) before: Option<u64>,
}

/// `GET /api/v1/sessions/{id}`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Detailed {
    #[serde(flatten)]
    pub(crate) listed: Listed,
    #[serde(flatten)]
    pub(crate) profile: Option<Profile>,
    /// The requests that run or wait, oldest first.
    #[schema(value_type = Vec<String>)]
    pub(crate) running: Vec<QueryId>,
    /// The questions that wait for an answer.
    #[schema(value_type = Vec<Object>)]
    pub(crate) questions: Vec<ConfirmationRequest>,
    /// Where its drive stands; null: it was never in auto mode.
    pub(crate) drive: Option<Drive>,
}

/// What a session is held by.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Profile {
    #[schema(value_type = String)]
    agent: AgentType,
    #[schema(value_type = String)]
    mode: Mode,
    #[schema(value_type = Option<Object>)]
    model: Option<ModelChoice>,
    #[schema(value_type = String)]
    thinking: Think,
    attended: bool,
}

impl From<&SessionProfile> for Profile {
    fn from(profile: &SessionProfile) -> Self {
        let attendance = profile.settings.attendance;
        Self {
            agent: profile.agent_type.clone(),
            mode: profile.mode,
            model: profile.model.clone(),
            thinking: profile.think,
            attended: attendance == domain::settings::Attendance::Attended,
        }
    }
}
