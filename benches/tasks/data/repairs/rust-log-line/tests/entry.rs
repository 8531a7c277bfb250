use entry::Entry;

#[test]
fn a_line_is_read() {
    let entry = Entry::read("12:30 WARN disk: 91% used\n").unwrap();
    assert_eq!(entry.time, "12:30");
    assert_eq!(entry.level, "WARN");
    assert_eq!(entry.source, "disk");
    assert_eq!(entry.message, "91% used");
}

#[test]
fn a_message_may_have_colons() {
    let entry = Entry::read("07:05 ERROR backup: no target: nas: timed out").unwrap();
    assert_eq!(entry.source, "backup");
    assert_eq!(entry.message, "no target: nas: timed out");
}

#[test]
fn another_line_is_none() {
    assert_eq!(Entry::read("12:30 WARN"), None);
    assert_eq!(Entry::read("12:30 WARN disk"), None);
}
