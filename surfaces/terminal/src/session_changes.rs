//! What a session changed in files, as people see it.

use rendering::Paint;
use text::escape;

/// A file that a session changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its name, safe to show.
    pub name: String,
    /// A unified diff of all its changes, as it stands in the file.
    pub diff: String,
    /// Whether somebody or something else changed it after the session did.
    pub is_changed_since: bool,
}

impl FileChange {
    /// What is said of a file that was changed after the session changed it.
    #[must_use]
    pub fn said_since(&self) -> String {
        format!("note: {} was changed since; that is shown too", self.name)
    }

    /// How many lines came, and how many went.
    fn counts(&self) -> (usize, usize) {
        let lines = || self.diff.lines().skip_while(|line| !line.starts_with("@@"));
        let of = |sign: char| lines().filter(|line| line.starts_with(sign)).count();
        (of('+'), of('-'))
    }
}

/// The differences, painted and harmless to a terminal.
#[must_use]
pub fn lines_of(changes: &[FileChange], paint: Paint) -> String {
    let diffs = changes
        .iter()
        .map(|change| paint.diff(&escape::diff(&change.diff)));
    diffs.collect()
}

/// A line for each file: how many lines came and went, and its name.
#[must_use]
pub fn stat_of(changes: &[FileChange]) -> String {
    let line = |change: &FileChange| {
        let (came, went) = change.counts();
        format!(
            "{:>6} {:>6}  {}\n",
            format!("+{came}"),
            format!("-{went}"),
            change.name
        )
    };
    changes.iter().map(line).collect()
}
