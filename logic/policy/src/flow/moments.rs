//! Days and times: those that the user said or a platform set, and those so near to them that
//! choosing one tells next to nothing.

use jiff::civil::{Date, Time};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How far from a known day another one may lie, days. With [`ANCHORS`] known days that makes
/// about a thousand choices, some ten bits.
const NEAR_DAYS: i32 = 31;
/// Most known days that others may lie near to.
const ANCHORS: usize = 16;
/// How much later than a known time another one may be, hours: something lasts so long.
const HOURS_LATER: i8 = 12;
/// Most moments that are kept.
const MOMENTS: usize = 10_000;

/// English names of months by their first three letters.
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

const MONTH: &str = "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?\
                     |sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/// `May 15th, 2024` and `May 15`.
static MONTH_FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let year = r"(?:,?\s+([12][0-9]{3})\b)?";
    Regex::new(&format!(
        r"(?i)\b{MONTH}\.?\s+([0-9]{{1,2}})(?:st|nd|rd|th)?\b{year}"
    ))
    .ok()
});
/// `15th of May 2024` and `15 May`.
static DAY_FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let year = r"(?:,?\s+([12][0-9]{3})\b)?";
    Regex::new(&format!(
        r"(?i)\b([0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b\.?{year}"
    ))
    .ok()
});
static ISO_DAY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b([12][0-9]{3}-[0-9]{2}-[0-9]{2})\b").ok());
/// The spellings that a call may use. A reader of dates takes more, notes in brackets among them,
/// and what it does not look at could say anything.
static SPELLING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::00)?Z?)?|[0-9]{2}:[0-9]{2})$",
    )
    .ok()
});
/// `10:30`, `4pm`, `4:15 p.m.`
static CLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b([0-9]{1,2})(?::([0-9]{2}))?\s*([ap]\.?m\b)|\b([0-9]{1,2}):([0-9]{2})\b")
        .ok()
});

/// Known days and times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moments {
    days: BTreeSet<Date>,
    /// Months and days of which no year is known.
    every_year: BTreeSet<(i8, i8)>,
    times: BTreeSet<Time>,
}

impl Moments {
    /// Takes in more.
    pub(super) fn extend(&mut self, more: Self) {
        if self.days.len() + self.every_year.len() + self.times.len() < MOMENTS {
            self.days.extend(more.days);
            self.every_year.extend(more.every_year);
            self.times.extend(more.times);
        }
    }

    /// What a platform set: a day, a time or both, written as such.
    pub(super) fn set(&mut self, text: &str) {
        if let Some((day, time)) = moment(text) {
            let one = Self {
                days: day.into_iter().collect(),
                every_year: BTreeSet::new(),
                times: time.into_iter().collect(),
            };
            self.extend(one);
        }
    }

    fn has_day(&self, day: Date, years: &BTreeSet<i16>) -> bool {
        let is_year_near = || years.iter().any(|year| (year - day.year()).abs() <= 1);
        self.days.contains(&day)
            || self.every_year.contains(&(day.month(), day.day())) && is_year_near()
    }

    fn has_time(&self, time: Time) -> bool {
        self.times.contains(&time)
    }

    /// Whether the time is some whole hours later than a known one.
    fn has_earlier(&self, time: Time) -> bool {
        let earlier = self.times.iter().take(ANCHORS);
        earlier.into_iter().any(|known| {
            let hours = time.hour() - known.hour();
            known.minute() == time.minute() && (0..=HOURS_LATER).contains(&hours.rem_euclid(24))
        })
    }
}

/// Whether a text is a day or a time that tells next to nothing: one that the user said (`said`) or
/// a platform set (`set`), or one close to it or to `today`. Of a day together with a time at least
/// one has to be known.
pub(super) fn is_narrow_moment(text: &str, said: &Moments, set: &Moments, today: Date) -> bool {
    let Some((day, time)) = moment(text) else {
        return false;
    };
    // Of many days that a platform set, the newest.
    let set_days = set.days.iter().rev().take(ANCHORS).copied();
    let said_days = said.days.iter().rev().take(ANCHORS).copied();
    let anchors: Vec<Date> = said_days.chain(set_days).chain([today]).collect();
    let years = anchors.iter().map(|day| day.year()).collect();
    let is_known_day = |day| said.has_day(day, &years) || set.days.contains(&day);
    let is_near_day = |day: Date| {
        let days = |anchor: &Date| (day - *anchor).get_days().abs();
        anchors.iter().any(|anchor| days(anchor) <= NEAR_DAYS)
    };
    let is_edge = |time: Time| {
        (time.hour(), time.minute()) == (0, 0) || (time.hour(), time.minute()) == (23, 59)
    };
    let is_known_time = |time| is_edge(time) || said.has_time(time) || set.has_time(time);
    let is_near_time =
        |time: Time| time.minute() == 0 || said.has_earlier(time) || set.has_earlier(time);
    match (day, time) {
        (Some(day), None) => is_known_day(day) || is_near_day(day),
        (None, Some(time)) => is_known_time(time) || is_near_time(time),
        (Some(day), Some(time)) => {
            is_known_day(day) && (is_known_time(time) || is_near_time(time))
                || is_near_day(day) && is_known_time(time)
        }
        (None, None) => false,
    }
}

/// A text that is a day, a time or both, to the minute and in universal or no zone.
fn moment(text: &str) -> Option<(Option<Date>, Option<Time>)> {
    let is_plain = SPELLING
        .as_ref()
        .is_some_and(|spelling| spelling.is_match(text));
    let text = text.strip_suffix('Z').filter(|_| is_plain).unwrap_or(text);
    if !is_plain {
        return None;
    }
    let (day, time) = match text.split_once([' ', 'T']) {
        Some((day, time)) => (day, Some(time)),
        None if text.contains(':') => return Some((None, Some(clock(text)?))),
        None => (text, None),
    };
    let day = day.parse::<Date>().ok()?;
    match time {
        Some(time) => Some((Some(day), Some(clock(time.get(..5)?)?))),
        None => Some((Some(day), None)),
    }
}

fn clock(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

/// The days and times in what the user said.
pub(super) fn said_moments(text: &str) -> Moments {
    let mut found = Moments::default();
    let mut add = |month: i8, day: i8, year: Option<i16>| match year {
        Some(year) => found.days.extend(Date::new(year, month, day).ok()),
        None if (1..=31).contains(&day) => {
            found.every_year.insert((month, day));
        }
        None => {}
    };
    let number = |text: Option<regex::Match<'_>>| text.and_then(|t| t.as_str().parse::<i16>().ok());
    for (pattern, month_at, day_at) in [(&MONTH_FIRST, 1, 2), (&DAY_FIRST, 2, 1)] {
        for one in pattern
            .iter()
            .flat_map(|pattern| pattern.captures_iter(text))
        {
            let day = number(one.get(day_at)).and_then(|day| i8::try_from(day).ok());
            let month = one.get(month_at).and_then(|month| month_of(month.as_str()));
            if let (Some(month), Some(day)) = (month, day) {
                add(month, day, number(one.get(3)));
            }
        }
    }
    for day in ISO_DAY.iter().flat_map(|pattern| pattern.find_iter(text)) {
        found.days.extend(day.as_str().parse::<Date>().ok());
    }
    found.times.extend(times_in(text));
    found
}

fn month_of(name: &str) -> Option<i8> {
    let short: String = name.to_ascii_lowercase().chars().take(3).collect();
    let place = MONTHS.iter().position(|month| *month == short)?;
    i8::try_from(place + 1).ok()
}

fn times_in(text: &str) -> Vec<Time> {
    let clocks = CLOCK.iter().flat_map(|pattern| pattern.captures_iter(text));
    let number = |text: Option<regex::Match<'_>>| text.and_then(|t| t.as_str().parse::<i8>().ok());
    let mut found: Vec<Time> = clocks
        .filter_map(|one| {
            let (hour, minute) = match one.get(3) {
                Some(half) => {
                    let is_afternoon = half.as_str().starts_with(['p', 'P']);
                    let hour =
                        number(one.get(1))?.rem_euclid(12) + if is_afternoon { 12 } else { 0 };
                    (hour, number(one.get(2)).unwrap_or(0))
                }
                None => (number(one.get(4))?, number(one.get(5))?),
            };
            Time::new(hour, minute, 0, 0).ok()
        })
        .collect();
    let lower = text.to_lowercase();
    found.extend(
        lower
            .contains("noon")
            .then(|| Time::midnight().with().hour(12).build().ok())
            .flatten(),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> Date {
        Date::constant(2026, 11, 23)
    }

    fn is_narrow(text: &str, said: &str, set: &[&str]) -> bool {
        let mut known = Moments::default();
        set.iter().for_each(|text| known.set(text));
        is_narrow_moment(text, &said_moments(said), &known, today())
    }

    #[test]
    fn what_the_user_said_in_any_form_is_narrow() {
        let said =
            "on May 19th, 2024 at 12:00 for one hour, the 14th of November, 2025-01-02 at 4pm";
        for text in [
            "2024-05-19",
            "2024-05-19 12:00",
            "2024-05-19T13:00:00",
            "2026-11-14",
            "2025-01-02 16:00",
            "2025-01-02T17:00:00Z",
            "16:00",
        ] {
            assert!(is_narrow(text, said, &[]), "{text}");
        }
    }

    #[test]
    fn what_carries_a_message_is_not_narrow() {
        let said = "on May 19th, 2024 at 12:00";
        for text in [
            "1979-80-72 84:32:10",
            "1979-07-22",
            "2026-11-25 08:17",
            "2024-05-19 12:34",
            "2024-05-19 12:00:07",
            "2031-05-19",
            "12345678",
            "99:99",
            "2024-05-19 12:00 and more",
            "2024-05-19T12:00[x-data=the-pin-is-4711]",
            "2024-05-19[u-ca=hunter2]",
            "2024-05-19T12:00+12:34:56",
            "20240519T12",
            "+002024-05-19",
            "2024-05-19 12:00:00.000000000",
        ] {
            assert!(!is_narrow(text, said, &[]), "{text}");
        }
    }

    #[test]
    fn days_near_known_ones_are_narrow() {
        for text in ["2026-11-30", "2026-12-01 00:00", "2022-04-01"] {
            assert!(is_narrow(text, "", &["2022-03-20 10:15"]), "{text}");
        }
        assert!(!is_narrow("2022-09-01", "", &["2022-03-20 10:15"]));
        assert!(is_narrow("2022-03-21 10:15", "", &["2022-03-20 10:15"]));
    }
}
