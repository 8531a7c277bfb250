//! What kind of task a request looks like, before anything is done for it.

use crate::{named, orders};
use domain::quality::TaskKind;

/// What speaks of the web.
const OF_THE_WEB: [&str; 9] = [
    "http://",
    "https://",
    "the web",
    "online",
    "internet",
    "news",
    "weather",
    "im netz",
    "en la web",
];
/// Verbs of orders to run a program.
const RUNS: [&str; 9] = [
    "run",
    "execute",
    "compile",
    "build",
    "test",
    "debug",
    "benchmark",
    "start",
    "install",
];

/// The kind that a request looks like. Which it was is known afterwards, by the tools that were used.
#[must_use]
pub fn kind_of(request: &str) -> TaskKind {
    let lower = request.to_lowercase();
    if OF_THE_WEB.iter().any(|word| lower.contains(word)) {
        return TaskKind::Web;
    }
    if !orders::acts(request) {
        let names = !named::files_of(request).is_empty() || !named::folders_of(request).is_empty();
        return if names {
            TaskKind::Look
        } else {
            TaskKind::Talk
        };
    }
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    match words.any(|word| RUNS.contains(&word)) {
        true => TaskKind::Program,
        false => TaskKind::Change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_looks_like_its_kind() {
        for (request, kind) in [
            ("Why is the sky blue?", TaskKind::Talk),
            ("What is in notes.md?", TaskKind::Look),
            ("change the port in app.toml to 8080", TaskKind::Change),
            ("run the tests and mend what fails", TaskKind::Program),
            (
                "Search the web for the newest release of Rust",
                TaskKind::Web,
            ),
            ("What does https://example.org say?", TaskKind::Web),
        ] {
            assert_eq!(kind_of(request), kind, "{request}");
        }
    }
}
