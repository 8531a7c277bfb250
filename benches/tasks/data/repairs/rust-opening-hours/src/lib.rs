#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    Weekday,
    Saturday,
    Sunday,
}

/// From when until when the shop is open; the hour it closes is not one of them.
fn hours(day: Day) -> (u8, u8) {
    match day {
        Day::Weekday => (9, 18),
        Day::Saturday => (10, 14),
        Day::Sunday => (0, 0),
    }
}

/// Whether the shop is open in an hour of the day, 0 to 23.
pub fn is_open(day: Day, hour: u8) -> bool {
    let (opens, closes) = hours(day);
    hour >= opens || hour < closes
}
