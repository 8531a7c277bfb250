//! What is left of a log whose segments are gone: its checkpoints, which name it and say how many
//! records it had. A folder with these and without a segment is not a folder without a log.

use crate::error::Error;
use crate::notes::{Kept, Notes};
use crate::segment::LogId;
use std::path::Path;

/// What the checkpoints of a folder say, whoever signed them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Left {
    /// The logs that they name, in the order in which they do.
    pub(crate) logs: Vec<LogId>,
    /// The largest number of records that any of them covers.
    pub(crate) claimed: u64,
    /// Whether anything stands there at all, be it damaged.
    pub(crate) is_something: bool,
}

impl Left {
    /// Reads the checkpoints of a folder up to the first that is damaged.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be read.
    pub(crate) fn of(folder: &Path) -> Result<Self, Error> {
        let mut notes = Notes::open(folder)?;
        let mut left = Self::default();
        while let Some(kept) = notes.next()? {
            left.is_something = true;
            let Kept::Note(note) = kept else { continue };
            let Ok(checkpoint) = note.checkpoint() else {
                continue;
            };
            left.claimed = left.claimed.max(checkpoint.size);
            let log = LogId::named(&checkpoint.origin);
            left.logs.extend(log.filter(|log| !left.logs.contains(log)));
        }
        Ok(left)
    }

    /// Refuses a folder without a segment when checkpoints say that there were some.
    ///
    /// # Errors
    /// [`Error::Incomplete`] then, [`Error::Io`] when they cannot be read.
    pub(crate) fn nothing(folder: &Path) -> Result<(), Error> {
        let left = Self::of(folder)?;
        if !left.is_something {
            return Ok(());
        }
        let covered = match left.claimed {
            0 => "its checkpoints are there".to_owned(),
            1 => "its checkpoints cover 1 record".to_owned(),
            many => format!("its checkpoints cover {many} records"),
        };
        Err(Error::Incomplete {
            detail: format!(
                "{covered}, and every segment in {} is gone",
                folder.display()
            ),
        })
    }
}
