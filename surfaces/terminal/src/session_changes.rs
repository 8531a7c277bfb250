//! What a session changed in files, as people see it.

use rendering::Paint;
use text::escape;

/// A file that a session changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its name, safe to show.
    pub name: String,
    /// A unified diff of all its changes, for people. Not made safe for a terminal.
    pub diff: String,
    /// The same as git reads it; empty where no patch can say it.
    pub patch: String,
    /// Whether somebody or something else changed it after the session did.
    pub is_changed_since: bool,
    /// Why what it held before cannot be told.
    pub problem: Option<String>,
}

impl FileChange {
    /// What is said of a file that was changed after the session changed it, and of one of which it cannot
    /// be told what it held before.
    #[must_use]
    pub fn said(&self) -> Vec<String> {
        let since = format!("note: {} was changed since; that is shown too", self.name);
        let since = self.is_changed_since.then_some(since);
        let problem = self.problem.as_ref();
        let problem = problem.map(|why| format!("note: {} is left out: {why}", self.name));
        since.into_iter().chain(problem).collect()
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
