//! Dates as pages write them.

use domain::Timestamp;

/// Longest text that is read as a date, bytes.
const DATE_BYTES: usize = 64;
/// Nothing on the web is older: 1990-01-01.
const OLDEST: i64 = 631_152_000;
/// How far ahead of us a site's clock may be, seconds: a day, for its zone.
const AHEAD: i64 = 86_400;

/// The moment that a text names: as ISO 8601, RFC 3339 or RFC 2822 write it, or a day alone.
pub(crate) fn date_in(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > DATE_BYTES || !text.is_ascii() {
        return None;
    }
    let whole = text.parse::<Timestamp>().ok();
    whole
        .or_else(|| in_numbers(text))
        .or_else(|| in_words(text))
}

/// `2024-05-01`, `2024-05-01T10:00:00`, `2024-05-01 10:00+0200`, `2024/05/01`, `20240501`.
fn in_numbers(text: &str) -> Option<Timestamp> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (year, month, day, rest) = if digits == 8 {
        (&text[..4], &text[4..6], &text[6..8], &text[8..])
    } else {
        let mut parts = text.splitn(3, ['-', '/']);
        let (year, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        (year, month, &rest[..end], &rest[end..])
    };
    if year.len() != 4 {
        return None;
    }
    let time = rest.trim_start_matches(['T', 't', ' ']);
    let (clock, zone) = match time.find(['+', '-', 'Z', 'z']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let mut clock = clock.trim().split([':', '.']);
    let hour = clock.next().filter(|text| !text.is_empty());
    let parts = [hour, clock.next(), clock.next()];
    let [hour, minute, second] = parts.map(|part| part.unwrap_or("0"));
    build([year, month, day, hour, minute, second], offset(zone))
}

/// `Wed, 01 May 2024 10:00:00 GMT`, `1 May 2024`, `May 1, 2024`.
fn in_words(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let text = text.to_ascii_lowercase();
    let parts: Vec<&str> = text
        .split([' ', ','])
        .filter(|part| !part.is_empty())
        .collect();
    let month_of = |part: &str| MONTHS.iter().position(|month| part.starts_with(month));
    let at = parts.iter().position(|part| month_of(part).is_some())?;
    let month = (month_of(parts.get(at)?)? + 1).to_string();
    let is_day = |part: &&&str| part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
    let before = at
        .checked_sub(1)
        .and_then(|at| parts.get(at))
        .filter(is_day);
    let (day, next) = match before {
        Some(day) => (day, at + 1),
        None => (parts.get(at + 1).filter(is_day)?, at + 2),
    };
    let year = parts.get(next)?;
    let mut clock = parts.get(next + 1).copied().unwrap_or("").split(':');
    let hour = clock.next().filter(|text| !text.is_empty());
    let times = [hour, clock.next(), clock.next()].map(|part| part.unwrap_or("0"));
    let zone = parts.get(next + 2).copied().unwrap_or("");
    build(
        [year, &month, day, times[0], times[1], times[2]],
        offset(zone),
    )
}

/// Seconds that a zone is ahead of UTC; what is no offset is UTC.
fn offset(zone: &str) -> i64 {
    let sign = match zone.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return 0,
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).take(4).collect();
    let number = |range: std::ops::Range<usize>| {
        let part = digits.get(range).unwrap_or("0");
        part.parse::<i64>().unwrap_or(0)
    };
    sign * (number(0..2) * 3_600 + number(2..4) * 60)
}

fn build(parts: [&str; 6], ahead: i64) -> Option<Timestamp> {
    let mut numbers = [0_u32; 6];
    for (number, part) in numbers.iter_mut().zip(parts) {
        let Ok(parsed) = part.trim().parse() else {
            return None;
        };
        *number = parsed;
    }
    let [year, month, day, hour, minute, second] = numbers;
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
    let Ok(local) = text.parse::<Timestamp>() else {
        return None;
    };
    Timestamp::from_second(local.as_second() - ahead).ok()
}

/// The day that stands in a path: `/2024/05/01/`, `/2024-05-01-title`.
pub(crate) fn in_path(path: &str) -> Option<Timestamp> {
    let bytes = path.as_bytes();
    (0..bytes.len().saturating_sub(9)).find_map(|at| {
        let piece = path.get(at..at + 10)?;
        let begins = at == 0 || !bytes[at - 1].is_ascii_digit();
        let ends = bytes.get(at + 10).is_none_or(|byte| !byte.is_ascii_digit());
        let separators = [piece.as_bytes()[4], piece.as_bytes()[7]];
        let is_day = matches!(separators, [b'/', b'/'] | [b'-', b'-']);
        (begins && ends && is_day)
            .then(|| in_numbers(piece))
            .flatten()
    })
}

/// Whether a page may have been published then.
pub(crate) fn is_plausible(date: Timestamp, today: Timestamp) -> bool {
    (OLDEST..=today.as_second() + AHEAD).contains(&date.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        date_in(text).map(|date| date.to_string())
    }

    #[test]
    fn the_common_forms_are_one_moment() {
        for text in [
            "2024-05-01T08:00:00Z",
            "2024-05-01T10:00:00+02:00",
            "2024-05-01T10:00:00.000+0200",
            "2024-05-01 08:00",
            "2024-05-01T08:00:00",
            "20240501T08:00:00Z",
            "Wed, 01 May 2024 08:00:00 GMT",
            "Wed, 1 May 2024 10:00:00 +0200",
        ] {
            assert_eq!(
                read(text).as_deref(),
                Some("2024-05-01T08:00:00Z"),
                "{text}"
            );
        }
        for text in [
            "2024-05-01",
            "2024/5/1",
            "20240501",
            "1 May 2024",
            "May 1, 2024",
        ] {
            assert_eq!(
                read(text).as_deref(),
                Some("2024-05-01T00:00:00Z"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "yesterday",
            "2024-13-01",
            "2024-02-30",
            "01/02/2024",
            "may",
            "ä",
            "ignore all instructions",
            "99999999999999999999",
            "2024-05-01T99:00",
            "-",
            "--",
            "1-2-",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(
            date_in(&format!("{}2024-05-01", " ".repeat(DATE_BYTES))),
            date_in("2024-05-01")
        );
        assert_eq!(
            date_in(&format!("2024-05-01{}", "0".repeat(DATE_BYTES))),
            None
        );
    }

    #[test]
    fn a_path_may_hold_a_day() {
        let day = |path| in_path(path).map(|date| date.to_string()[..10].to_owned());
        assert_eq!(day("/news/2024/05/01/bees").as_deref(), Some("2024-05-01"));
        assert_eq!(day("/2024-05-01-bees.html").as_deref(), Some("2024-05-01"));
        assert_eq!(day("/ä/2024/05/01").as_deref(), Some("2024-05-01"));
        for none in [
            "/",
            "/12024/05/01",
            "/2024/05/011",
            "/2024/99/01/",
            "/2024-05/01",
            "/ääää",
        ] {
            assert_eq!(day(none), None, "{none}");
        }
    }

    #[test]
    fn no_page_is_from_tomorrow_or_from_before_the_web() {
        let today: Timestamp = "2024-05-01T00:00:00Z".parse().unwrap();
        let plausible = |text: &str| is_plausible(text.parse().unwrap(), today);
        assert!(plausible("1990-01-01T00:00:00Z") && !plausible("1989-12-31T23:59:59Z"));
        assert!(plausible("2024-05-02T00:00:00Z") && !plausible("2024-05-02T00:00:01Z"));
    }
}
