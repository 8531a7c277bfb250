//! From what was typed to which records are meant.

use anyhow::Result;
use audit::read::Query;
use command_line::{DecisionArg, RecordFilter};
use domain::Timestamp;
use domain::decision::Verdict;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};
use terminal::exit::Failure;

/// The query of these flags.
///
/// # Errors
/// A usage failure when a time cannot be read, or no time can fit.
pub fn query(filter: &RecordFilter) -> Result<Query> {
    let zone = TimeZone::system();
    let time = |flag, text: &Option<String>, edge| {
        match text {
        None => Ok(None),
        Some(text) => moment(text, (Timestamp::now(), &zone), edge).map(Some).ok_or_else(|| {
            Failure::usage(
                format!("{flag}: `{text}` is not a time"),
                "Write a day (2026-11-22, in local time), a time (2026-11-22T05:00:00Z) or an age (90m, 2h, 7d).",
            )
        }),
    }
    };
    let since = time("--since", &filter.since, Edge::First)?;
    let until = time("--until", &filter.until, Edge::Last)?;
    if let (Some(since), Some(until)) = (since, until)
        && since > until
    {
        let message = format!("--since {since} is later than --until {until}");
        let hint = "No record can match both; swap them.";
        return Err(Failure::usage(message, hint).into());
    }
    Ok(Query {
        session: filter.session.as_ref().map(|id| id.to_lowercase()),
        agent: filter.agent.clone(),
        tool: filter.tool.clone(),
        action: filter.action.clone(),
        decision: filter.decision.map(|decision| match decision {
            DecisionArg::Allow => Verdict::Allow,
            DecisionArg::Confirm => Verdict::Confirm,
            DecisionArg::Deny => Verdict::Deny,
        }),
        since,
        until,
    })
}

/// Which moment of a day is meant.
#[derive(Clone, Copy)]
enum Edge {
    First,
    Last,
}

fn moment(text: &str, (now, zone): (Timestamp, &TimeZone), edge: Edge) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if let Ok(day) = text.parse::<Date>() {
        let start = |day: Date| day.to_zoned(zone.clone()).map(|zoned| zoned.timestamp());
        return match edge {
            Edge::First => start(day).ok(),
            Edge::Last => {
                let next = start(day.tomorrow().ok()?).ok()?;
                next.checked_sub(SignedDuration::from_nanos(1)).ok()
            }
        };
    }
    let age: Span = text.parse().ok()?;
    let age = age
        .to_duration(jiff::SpanRelativeTo::days_are_24_hours())
        .ok()?;
    now.checked_sub(age.abs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let utc = TimeZone::UTC;
        let cases = [
            (
                "2026-11-20",
                "2026-11-20T00:00:00Z",
                "2026-11-20T23:59:59.999999999Z",
            ),
            (
                "2026-11-20T05:00:00Z",
                "2026-11-20T05:00:00Z",
                "2026-11-20T05:00:00Z",
            ),
            (
                "2026-11-20T05:00:00+02:00",
                "2026-11-20T03:00:00Z",
                "2026-11-20T03:00:00Z",
            ),
            ("90m", "2026-11-22T10:30:00Z", "2026-11-22T10:30:00Z"),
            ("2h", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z"),
            ("7d", "2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z"),
        ];
        for (text, first, last) in cases {
            assert_eq!(
                moment(text, (now, &utc), Edge::First),
                first.parse().ok(),
                "{text}"
            );
            assert_eq!(
                moment(text, (now, &utc), Edge::Last),
                last.parse().ok(),
                "{text}"
            );
        }
        // A day is that of whoever types it.
        let east = TimeZone::fixed(jiff::tz::offset(5));
        let begins = moment("2026-11-20", (now, &east), Edge::First);
        assert_eq!(begins, "2026-11-19T19:00:00Z".parse().ok());
        for text in ["", "yesterday", "7", "2026-13-01"] {
            assert_eq!(moment(text, (now, &utc), Edge::First), None, "{text}");
        }
    }
}
