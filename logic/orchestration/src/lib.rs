//! Orchestration: how the parts of a request are handed out, and what becomes of what comes back.
//!
//! What it is: decisions over plain data. A decomposition goes in, actions come out ("start this",
//! "try this once more", "have this checked"); reports go in, corrected reports come out.
//! What it owns: the checks on a decomposition, the order in which tasks start, the one retry and
//! when it is in vain, the one second opinion, what models are asked on the way and how their answers
//! are read, what a brief holds, which claims of a report stand, what it copied, which nominated facts
//! are worth a thought, what the agent that asked is shown of reports ([`output`]), the fold of a log that says what was handed out
//! ([`TaskLog`]), and the task state that an orchestrating agent is shown.
//! What it never does: start an agent, ask a model, touch a file, look at a clock. It keeps no
//! state that cannot be rebuilt from what a session log holds.
//! Where to start: [`check`] for what a model may ask for, then [`Orchestration`].

mod asking;
mod brief;
mod check;
mod claims;
mod confidence;
mod copies;
mod failed;
mod heard;
mod machine;
mod memories;
mod record;
mod refusal;
mod results;
mod schema;
mod state;
mod task_log;
mod types;

pub use asking::{
    Flaw, REPORT_REQUEST, keep_question, no_plan, not_taken_apart, question, read_kept,
    read_report, read_tasks,
};
pub use brief::{Assignment, brief};
pub use check::{Mistake, Roster, check};
pub use claims::{Checked, Entry, Ledger, SPAWN, check_claims};
pub use confidence::{Evidence, Files, Maker, Next, Try, Work, Worth, next_step};
pub use copies::take_out_copies;
pub use failed::failed_report;
pub use heard::{Heard, ResultHistory};
pub use machine::{Action, Begun, Ending, Input, Limits, Orchestration, Start};
pub use memories::{Candidate, Keep, Passed, candidates};
pub use record::{DelegationData, NamedReport, TasksData, TasksEnding};
pub use refusal::{Bound, Refusal};
pub use results::{DelegationResult, output};
pub use schema::{
    decomposition_schema, explained_report_schema, keep_schema, report_schema, tasks_schema,
    whole_schema,
};
pub use state::{rolling_summary, task_state};
pub use task_log::TaskLog;
pub use types::Types;
