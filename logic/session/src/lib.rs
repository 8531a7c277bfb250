//! What a session has come to: one fold over its log, for everybody who shows or resumes it.
//!
//! What it is: [`SessionView`], which takes events one after the other and answers what people and
//! programs ask of a session: by which settings it works, which requests count and which are open,
//! which question waits, which yes ended by what, what was cut off, which jobs, timers and calls run, how far a plan is, who works for whom, where the
//! drive stands, and what it all cost.
//! What it owns: how the log is read for these questions. A surface that needs another fact adds it
//! here.
//! What it never does: read a log itself, look at a clock, word anything for people, or keep what
//! models said: of pieces and answers it keeps nothing, of briefs and reports the beginning.
//! Where to start: [`SessionView::apply`]; [`Exchanges`] for what was taken back.

mod agents;
mod background;
mod costs;
mod drive;
mod exchange;
mod given;
mod plan;
mod second;
mod view;
mod work;

pub use agents::{Agent, AgentState, AgentTree, GIST_CHARS};
pub use background::{Background, Timer};
pub use costs::Costs;
pub use drive::DriveProgress;
pub use exchange::{Exchange, Exchanges, Speech, Who};
pub use given::{CHANGES, LEFT_OUT, SESSION_REACH, YesEnded};
pub use plan::{PlanProgress, StepState};
pub use second::{Second, SecondText};
pub use view::{Question, SessionView};
pub use work::{AtWork, CallStage, OpenCall};
