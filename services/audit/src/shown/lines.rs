//! A record as a line: under a heading for each day and session, short enough for 80 columns.

use crate::read::Placed;
use crate::record::Record;
use domain::id::SessionId;
use jiff::Zoned;
use jiff::tz::TimeZone;
use text::escape::visible;

/// Turns records into lines, and knows what the last heading said.
pub struct Lines {
    json: bool,
    /// Columns of the terminal; `None` where nothing is cut.
    width: Option<usize>,
    /// Whose days and hours are shown.
    zone: TimeZone,
    heading: Option<(String, Option<SessionId>)>,
}

impl Lines {
    /// For so many columns, or any number, with the times of a zone; JSON keeps UTC.
    #[must_use]
    pub const fn new(json: bool, width: Option<usize>, zone: TimeZone) -> Self {
        Self {
            json,
            width,
            zone,
            heading: None,
        }
    }

    /// The line of a record, with the heading before it where day or session change.
    pub fn of(&mut self, placed: &Placed) -> String {
        if self.json {
            return format!("{}\n", placed.json_line());
        }
        let mut out = String::new();
        let record = &placed.record;
        let time = record.time.to_zoned(self.zone.clone());
        // A day on which clocks are set has two headings.
        let heading = (time.strftime("%Y-%m-%d %:z").to_string(), record.session_id);
        if self.heading.as_ref() != Some(&heading) {
            let session = match record.session_id {
                Some(id) => format!("session {id}"),
                None => "no session".to_owned(),
            };
            out.push_str(&format!("-- {}, {session}\n", heading.0));
            self.heading = Some(heading);
        }
        out.push_str(&self.fitted(self.signed(record, line(placed, &time))));
        out.push('\n');
        out
    }

    /// The line with the type of the agent at its end, where there is room for it.
    fn signed(&self, record: &Record, line: String) -> String {
        let Some(kind) = &record.agent_type else {
            return line;
        };
        let whole = format!("{line}  ({})", visible(kind.as_str()));
        match self.width {
            Some(width) if whole.chars().count() > width => line,
            _ => whole,
        }
    }

    fn fitted(&self, line: String) -> String {
        match self.width {
            Some(width) if line.chars().count() > width => line
                .chars()
                .take(width.saturating_sub(1))
                .chain(['…'])
                .collect(),
            _ => line,
        }
    }
}

fn line(placed: &Placed, time: &Zoned) -> String {
    let record = &placed.record;
    let tool = record
        .tool
        .as_ref()
        .map(|tool| visible(tool.as_str()))
        .unwrap_or_default();
    let line = format!(
        "{:>7}  {}  {:<13}  {:<16}  {}",
        placed.sequence,
        time.strftime("%H:%M:%S"),
        visible(&record.action),
        tool,
        came_to(record),
    );
    line.trim_end().to_owned()
}

/// Decision, outcome and detail in a few words.
fn came_to(record: &Record) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(verdict) = record.verdict {
        let layer = record
            .layer
            .map(|layer| format!(" by {layer}"))
            .unwrap_or_default();
        parts.push(format!("{}{layer}", verdict.as_str()));
    }
    if let Some(status) = record.status {
        parts.push(format!("{status:?}").to_lowercase());
    }
    if let Some(model) = &record.model_call {
        let name = visible(&model.model);
        parts.push(format!(
            "{name} {}+{} tokens",
            model.prompt_tokens, model.completion_tokens
        ));
    }
    if let Some(duration) = record.duration_ms {
        parts.push(format!("{duration} ms"));
    }
    if !record.detail.is_empty() {
        parts.push(visible(&record.detail));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::hash::Digest;

    fn placed(body: &str) -> Placed {
        Placed {
            sequence: 12,
            monotonic_ns: 5,
            hash: Digest::of(b"x"),
            previous: Digest::of(b"y"),
            segment: "s".into(),
            offset: 0,
            record: serde_json::from_str(body).unwrap(),
            body: body.to_owned(),
        }
    }

    const BODY: &str = r#"{"time":"2026-11-22T05:06:07Z","action":"outcome","tool":"write_file","verdict":"allow","layer":"safety_gate","status":"ok","duration_ms":4,"detail":"a\u001b[2Jb"}"#;

    #[test]
    fn a_line_is_short_and_writes_to_no_terminal() {
        let mut lines = Lines {
            json: false,
            width: None,
            zone: TimeZone::UTC,
            heading: None,
        };
        let first = lines.of(&placed(BODY));
        let expected = "-- 2026-11-22 +00:00, no session\n     12  05:06:07  outcome        write_file        allow by safety_gate, ok, 4 ms, ";
        assert!(first.starts_with(expected), "{first}");
        assert!(!first.contains('\u{1b}'), "{first}");
        assert_eq!(
            lines.of(&placed(BODY)).lines().count(),
            1,
            "the heading stands once"
        );
        let mut narrow = Lines {
            json: false,
            width: Some(40),
            zone: TimeZone::UTC,
            heading: None,
        };
        let line = narrow.of(&placed(BODY)).lines().nth(1).unwrap().to_owned();
        assert_eq!((line.chars().count(), line.chars().last()), (40, Some('…')));
    }

    #[test]
    fn a_line_ends_with_the_agent_type_where_it_fits() {
        let body = r#"{"time":"2026-11-22T05:06:07Z","agent_type":"assistant","action":"intent","tool":"write_file"}"#;
        for (width, ends) in [
            (None, "(assistant)"),
            (Some(80), "(assistant)"),
            (Some(50), "write_file"),
        ] {
            let mut lines = Lines {
                json: false,
                width,
                zone: TimeZone::UTC,
                heading: None,
            };
            let out = lines.of(&placed(body));
            assert!(out.trim_end().ends_with(ends), "{width:?}: {out}");
        }
    }

    #[test]
    fn the_json_line_is_the_body_with_its_place() {
        let value: serde_json::Value = serde_json::from_str(&placed(BODY).json_line()).unwrap();
        assert_eq!(value["sequence"], 12);
        assert_eq!(value["tool"], "write_file");
        assert_eq!(value["hash"], Digest::of(b"x").to_string());
    }
}
