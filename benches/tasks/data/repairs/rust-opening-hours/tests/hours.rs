use hours::{is_open, Day};

#[test]
fn it_is_open_by_day() {
    assert!(is_open(Day::Weekday, 9));
    assert!(is_open(Day::Weekday, 17));
    assert!(is_open(Day::Saturday, 13));
}

#[test]
fn it_is_closed_before_and_after() {
    assert!(!is_open(Day::Weekday, 8));
    assert!(!is_open(Day::Weekday, 18));
    assert!(!is_open(Day::Saturday, 14));
}

#[test]
fn it_is_closed_on_sundays() {
    assert!((0..24).all(|hour| !is_open(Day::Sunday, hour)));
}
