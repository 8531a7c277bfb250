//! What the service is built with. Wiring reads configuration files; this crate only takes values.

use crate::drive::Settings;
use crate::notes::Reader;
use api::planner::Planner;
use api::routing::Router;
use context::AgentCard;
use domain::lineage::AgentType;
use session_log::Outlines;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What goes into the first user message besides the user's words.
#[derive(Debug, Clone, Default)]
pub struct Prompts {
    /// Agent cards by type. A type without one has only its name.
    pub cards: BTreeMap<AgentType, AgentCard>,
    /// The user's own standing instructions from configuration; empty for none.
    pub user_text: String,
    /// Files with the user's global instructions, best first: the first that exists is taken.
    pub global_files: Vec<PathBuf>,
    /// Reads what a project has for agents. Without one, no agent is shown any.
    pub project_notes: Reader,
}

/// Everything the service needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where session logs live, absolute. Made with mode 0700 when it is not there.
    pub sessions_folder: PathBuf,
    /// What is known of the logs from earlier readings.
    pub outlines: Outlines,
    /// The prompt layers.
    pub prompts: Prompts,
    /// Whether the rules are asked before any model in adaptive mode, and not before the one that
    /// comes along alone.
    pub rules_first: bool,
    /// The external planner; `None`: bridge mode is not configured.
    pub planner: Option<Arc<dyn Planner>>,
    /// What chooses among several models of a role; `None`: each role has one.
    pub router: Option<Arc<dyn Router>>,
    /// Context size asked of a model server unless a session says otherwise, tokens.
    pub context_tokens: u32,
    /// Most sessions that are open at the same time, 1 or more.
    pub open_sessions: usize,
    /// Most model calls with tools in one turn, 1 or more.
    pub tool_iterations: u32,
    /// Whether memories are recalled for a request before it is worked on.
    pub recall: bool,
    /// Longest a request waits for them.
    pub recall_wait: Duration,
    /// Agents of one session, started by others, that work at the same time, 1 or more.
    pub agents_at_work: usize,
    /// Most tokens of one session, prompts and answers together; `None`: as many as it takes.
    pub session_tokens: Option<u64>,
    /// How sessions in auto mode go on by themselves.
    pub drive: Settings,
}

impl Config {
    /// The defaults, with logs in `sessions_folder`.
    #[must_use]
    pub fn new(sessions_folder: PathBuf) -> Self {
        Self {
            sessions_folder,
            outlines: Outlines::default(),
            prompts: Prompts::default(),
            rules_first: false,
            planner: None,
            router: None,
            context_tokens: domain::limits::CONTEXT_TOKENS,
            open_sessions: domain::limits::LIVE_SESSIONS,
            tool_iterations: domain::limits::TOOL_ITERATIONS,
            recall: true,
            recall_wait: domain::limits::RECALL_WAIT,
            agents_at_work: domain::limits::AGENTS_AT_WORK,
            session_tokens: None,
            drive: Settings::default(),
        }
    }
}
