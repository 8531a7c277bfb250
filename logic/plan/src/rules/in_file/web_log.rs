//! Logs of web servers in the common and the combined format: which of the numbers of a line is the status.

use super::lines::Lines;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// A line of such a log (https://httpd.apache.org/docs/current/logs.html): host, two names, time, request, status, size.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"^\S+ \S+ \S+(?: \S+)*? \[\d{1,2}/[A-Za-z]{3}/\d{4}:[^\]]*\] "(?:[^"\\]|\\.)*" (?P<status>\d{3}) (?:\d+|-)(?: |$)"#,
    )
});

/// The status that a line tells of its request.
fn status(line: &str) -> Option<String> {
    let found = LINE.as_ref()?.captures(line)?;
    Some(found["status"].to_owned())
}

impl Lines<'_> {
    /// How many requests have a status, and which; `None` of a file that is no log of a web server.
    pub(super) fn with_status(&self, number: &str) -> Option<String> {
        let all = self.text.lines().filter(|line| !line.trim().is_empty());
        let (known, others): (Vec<&str>, Vec<&str>) = all.partition(|line| status(line).is_some());
        if known.is_empty() || others.len() > known.len() {
            return None;
        }
        let has = |line: &str| status(line).is_some_and(|is| is == number);
        let left = match others.len() {
            0 => String::new(),
            1 => ", and 1 line is of no request".to_owned(),
            count => format!(", and {count} lines are of no request"),
        };
        Some(self.told_lines(has, &format!("the status {number}{left}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_a_field_of_its_own() {
        for (line, is) in [
            (
                "1.2.3.4 - - [30/Nov/2026:03:12:44 +0100] \"GET /500 HTTP/1.1\" 200 500",
                Some("200"),
            ),
            (
                "::1 - bob x [30/Nov/2026:03:12:44 +0100] \"GET /\\\"a\\\" HTTP/1.1\" 500 - \"-\" \"curl\"",
                Some("500"),
            ),
            ("2026-11-30 03:30:00 ERROR disk full 500", None),
        ] {
            assert_eq!(status(line).as_deref(), is, "{line}");
        }
        let text =
            "1.2.3.4 - - [30/Nov/2026:03:12:44 +0100] \"GET / HTTP/1.1\" 200 500\nlog rotated\n";
        let lines = Lines {
            path: "a.log",
            text,
        };
        let told = lines.with_status("500").unwrap();
        assert!(
            told.starts_with("No line of a.log has the status 500, and 1 line is of no request"),
            "{told}"
        );
        let other = Lines {
            path: "b.log",
            text: "ERROR 500\n",
        };
        assert_eq!(other.with_status("500"), None);
    }
}
