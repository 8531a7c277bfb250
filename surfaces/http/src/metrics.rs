//! What the server has done, for Prometheus, in its text format 0.0.4.

use axum::http::StatusCode;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The type of the text.
pub(crate) const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A path as it stands in the table of routes, with its method: never what a client wrote.
pub(crate) type Asked = (&'static str, &'static str);

/// What was asked for, and what came of it.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    answered: BTreeMap<(Asked, u16), u64>,
    /// How many, and how long they took together, seconds.
    took: BTreeMap<Asked, (u64, f64)>,
}

/// What is so at this moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    pub(crate) connections: usize,
    pub(crate) held: usize,
    pub(crate) live: usize,
}

impl Metrics {
    /// Counts a request whose answer has begun.
    pub(crate) fn count(&self, asked: Asked, status: StatusCode, took: Duration) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.answered.entry((asked, status.as_u16())).or_default() += 1;
        let (number, seconds) = counts.took.entry(asked).or_default();
        *number += 1;
        *seconds += took.as_secs_f64();
    }

    /// All of it as text.
    pub(crate) fn text(&self, now: Now) -> String {
        let mut out = String::new();
        let mut gauge = |name: &str, help: &str, value: usize| {
            let _ = write!(
                out,
                "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n"
            );
        };
        gauge(
            "carl_http_connections",
            "Connections that are open.",
            now.connections,
        );
        gauge(
            "carl_http_sessions",
            "Sessions that are held for clients.",
            now.held,
        );
        gauge(
            "carl_sessions",
            "Sessions that are open, for whomever.",
            now.live,
        );
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "carl_http_requests_total";
        let _ = write!(
            out,
            "# HELP {name} Requests by what came of them.\n# TYPE {name} counter\n"
        );
        for (((method, path), status), count) in &counts.answered {
            let labels = format!("method=\"{method}\",path=\"{path}\",status=\"{status}\"");
            let _ = writeln!(out, "{name}{{{labels}}} {count}");
        }
        let name = "carl_http_request_seconds";
        let help = "Time until an answer began.";
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} summary\n");
        for ((method, path), (count, seconds)) in &counts.took {
            let labels = format!("method=\"{method}\",path=\"{path}\"");
            let _ = writeln!(out, "{name}_sum{{{labels}}} {seconds}");
            let _ = writeln!(out, "{name}_count{{{labels}}} {count}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_is_explained_once_and_counted_by_path() {
        let metrics = Metrics::default();
        let asked = ("GET", "/ready");
        for status in [StatusCode::OK, StatusCode::OK, StatusCode::UNAUTHORIZED] {
            metrics.count(asked, status, Duration::from_millis(250));
        }
        let text = metrics.text(Now {
            connections: 1,
            held: 2,
            live: 3,
        });
        let line = "carl_http_requests_total{method=\"GET\",path=\"/ready\",status=\"200\"} 2\n";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("carl_http_request_seconds_sum{method=\"GET\",path=\"/ready\"} 0.75\n")
        );
        assert!(text.contains("carl_sessions 3\n"));
        assert_eq!(
            text.matches("# TYPE carl_http_requests_total counter\n")
                .count(),
            1
        );
    }
}
