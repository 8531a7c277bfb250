//! Hours in which the drive is quiet.

use domain::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;

/// Hours of the day in which nobody is told anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietHours {
    /// When they begin.
    pub from: Time,
    /// When they end; before `from`: on the next day.
    pub to: Time,
    /// Where these times are.
    pub zone: TimeZone,
}

impl QuietHours {
    /// Whether a moment is within them.
    #[must_use]
    pub fn contain(&self, moment: Timestamp) -> bool {
        let time = moment.to_zoned(self.zone.clone()).time();
        if self.from <= self.to {
            self.from <= time && time < self.to
        } else {
            self.from <= time || time < self.to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::time;

    #[test]
    fn quiet_hours_may_go_past_midnight() {
        let hours = |from: i8, to: i8| QuietHours {
            from: time(from, 0, 0, 0),
            to: time(to, 0, 0, 0),
            zone: TimeZone::UTC,
        };
        let at = |hour: i64| Timestamp::from_second(hour * 3_600).unwrap();
        let within = |hours: QuietHours| {
            let quiet = (0..24).filter(|hour| hours.contain(at(*hour)));
            quiet.collect::<Vec<i64>>()
        };
        assert_eq!(within(hours(22, 2)), [0, 1, 22, 23]);
        assert_eq!(within(hours(12, 14)), [12, 13]);
        assert!(within(hours(7, 7)).is_empty());
    }
}
