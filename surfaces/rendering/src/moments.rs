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
