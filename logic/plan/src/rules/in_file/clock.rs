//! Times of day: as a request says them (`3 am`, `between 1 and 4 pm`), and in the lines of a log.

use crate::rules::words::pattern;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Two times of which the second alone says which half of the day.
static HALVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?P<a>\d{1,2}(?::\d{2})?) (?P<joint>and|to|until|till) (?P<b>\d{1,2}(?::\d{2})?) ?(?P<half>[ap])(?:\.m\.|m\b)",
    )
});
/// A time with the half of the day.
static HALF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?P<h>\d{1,2})(?::(?P<m>\d{2}))?(?P<s>:\d{2})? ?(?P<half>[ap])(?:\.m\.|m\b)|\b(?P<noon>noon)\b",
    )
});
/// The first time of day in a line, near its beginning.
static CLOCK: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^.{0,32}?(?:^|[\sT\[])(?P<t>\d{2}:\d{2}(?::\d{2})?)\b"));
/// The time of a line in a log of the web: `[30/Nov/2026:03:12:44 +0100]`.
static OF_THE_WEB: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\[\d{1,2}/[A-Za-z]{3}/\d{4}:(?P<t>\d{2}:\d{2}:\d{2})[ \]]"));

/// A request with its times by the 24 hours of a day: `after 3 pm` as `after 15:00`. A number alone is no time.
pub(super) fn by_hours(said: &str) -> String {
    let both = HALVES.as_ref().map_or_else(
        || said.to_owned(),
        |form| {
            let written = form.replace_all(said, "${a} ${half}m ${joint} ${b} ${half}m");
            written.into_owned()
        },
    );
    let Some(form) = HALF.as_ref() else {
        return both;
    };
    form.replace_all(&both, |found: &Captures<'_>| {
        hours(found).unwrap_or_else(|| found[0].to_owned())
    })
    .into_owned()
}

/// A time as it stands on a clock of 24 hours; `None` where there is no such time.
fn hours(found: &Captures<'_>) -> Option<String> {
    if found.name("noon").is_some() {
        return Some("12:00".to_owned());
    }
    let hour: u32 = found["h"].parse().ok()?;
    let is_late = found["half"].eq_ignore_ascii_case("p");
    let hour = match hour {
        12 => 0,
        1..=11 => hour,
        _ => return None,
    };
    let hour = if is_late { hour + 12 } else { hour };
    let part = |name| found.name(name).map(|part| part.as_str());
    let (minutes, seconds) = (part("m").unwrap_or("00"), part("s").unwrap_or_default());
    Some(format!("{hour:02}:{minutes}{seconds}"))
}

/// The time of day of a line of a log.
pub(super) fn of_line(line: &str) -> Option<u32> {
    let found = OF_THE_WEB.as_ref().and_then(|form| form.captures(line));
    let found = found.or_else(|| CLOCK.as_ref()?.captures(line))?;
    Some(seconds(&found["t"]))
}

/// A time of day in seconds: `04:15`, `4:15:07`.
pub(super) fn seconds(time: &str) -> u32 {
    let parts = time.split(':').map(|part| part.parse::<u32>().unwrap_or(0));
    let parts: Vec<u32> = parts.chain([0]).take(3).collect();
    parts.iter().fold(0, |all, part| all * 60 + part)
}

/// Whether a time is one of those from one on and before another, which may be of the next day.
pub(super) fn is_within(
    is: u32,
    (from, is_with_from): (Option<&str>, bool),
    to: Option<&str>,
) -> bool {
    let (from, to) = (from.map(seconds), to.map(seconds));
    let begins = from.is_none_or(|from| if is_with_from { is >= from } else { is > from });
    let ends = to.is_none_or(|to| is < to);
    match (from, to) {
        (Some(from), Some(to)) if from > to => begins || ends,
        _ => begins && ends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_by_24_hours() {
        for (says, hours) in [
            ("after 3 am", "after 03:00"),
            ("after 3:15pm", "after 15:15"),
            ("between 1 and 4 p.m.", "between 13:00 and 16:00"),
            ("before 12 am", "before 00:00"),
            ("until noon", "until 12:00"),
            ("after 13 pm", "after 13 pm"),
            ("after 3", "after 3"),
            ("lines with 3 amps", "lines with 3 amps"),
        ] {
            assert_eq!(by_hours(says), hours, "{says}");
        }
    }

    #[test]
    fn the_time_of_a_line_is_that_of_its_log() {
        for (line, time) in [
            (
                "2001:db8::1 - bob [30/Nov/2026:03:12:44 +0100] \"GET / HTTP/1.1\" 200 5",
                Some("03:12:44"),
            ),
            ("Nov 30 03:01:02 host sshd[1]: x", Some("03:01:02")),
            ("[Mon Nov 30 04:00:01.5 2026] [error] x", Some("04:00:01")),
            ("2026-11-30T05:00:00Z x", Some("05:00:00")),
            ("no time here", None),
        ] {
            assert_eq!(of_line(line), time.map(seconds), "{line}");
        }
        let within = |is: &str| is_within(seconds(is), (Some("23:00"), true), Some("01:00"));
        assert!(within("23:30") && within("00:30") && !within("12:00"));
    }
}
