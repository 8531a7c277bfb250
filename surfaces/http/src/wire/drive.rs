//! The JSON of a session's drive.

use domain::Timestamp;
use domain::drive::{DriveReason, DriveState};
use serde::Serialize;
use session::SessionView;
use utoipa::ToSchema;

/// Where the drive of a session in auto mode stands, and what it waits for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Drive {
    #[schema(value_type = String)]
    state: DriveState,
    /// Why; null: by a rule that is not known here.
    #[schema(value_type = Option<String>)]
    cause: Option<DriveReason>,
    /// The same as a sentence; empty where it is not known.
    reason: &'static str,
    timers: Vec<Timer>,
    /// The jobs that run, by name.
    jobs: Vec<String>,
    /// The paths at or below which files are watched.
    watched: Vec<String>,
}

/// A timer that an agent set.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Timer {
    #[schema(value_type = String)]
    due: Timestamp,
    note: String,
}

impl Drive {
    /// The drive of a session; `None` where it was never on.
    pub(crate) fn of(view: &SessionView) -> Option<Self> {
        let (drive, background) = (view.drive(), view.background());
        let cause = drive.cause();
        let timers = background.timers().iter().map(|timer| Timer {
            due: timer.due,
            note: timer.note.clone(),
        });
        Some(Self {
            state: drive.state()?,
            cause,
            reason: cause.map_or("", DriveReason::sentence),
            timers: timers.collect(),
            jobs: background.jobs().iter().cloned().collect(),
            watched: background.watched().iter().cloned().collect(),
        })
    }
}
