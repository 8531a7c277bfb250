//! Times as people read them: where they are, with the offset from UTC.

use domain::Timestamp;
use jiff::tz::TimeZone;

/// A time to the second: `2026-11-25 19:31:06 +01:00`.
#[must_use]
pub fn second(time: Timestamp, zone: &TimeZone) -> String {
    let local = time.to_zoned(zone.clone());
    local.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
}

/// A time to the minute: `2026-11-25 19:31 +01:00`.
#[must_use]
pub fn minute(time: Timestamp, zone: &TimeZone) -> String {
    let local = time.to_zoned(zone.clone());
    local.strftime("%Y-%m-%d %H:%M %:z").to_string()
}

/// A time to the minute where this program runs: `2026-11-25 19:31`.
#[must_use]
pub fn here(time: Timestamp) -> String {
    let local = time.to_zoned(TimeZone::system());
    local.strftime("%Y-%m-%d %H:%M").to_string()
}

/// A time of day where this program runs: `19:31:06`.
#[must_use]
pub fn clock(time: Timestamp) -> String {
    let local = time.to_zoned(TimeZone::system());
    local.strftime("%H:%M:%S").to_string()
}

/// How long ago a time was, in its largest unit: `3 days`.
#[must_use]
pub fn age(time: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(time).as_secs().max(0);
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let ages = [
            (0, "0 seconds"),
            (60, "1 minute"),
            (7_300, "2 hours"),
            (180_000, "2 days"),
        ];
        for (seconds, told) in ages {
            assert_eq!(age(at(1_000), at(1_000 + seconds)), told);
        }
        assert_eq!(age(at(5), at(1)), "0 seconds", "a clock that was set back");
    }
}
