use pages::{page, page_count};

#[test]
fn full_pages_are_counted() {
    assert_eq!(page_count(20, 10), 2);
    assert_eq!(page_count(0, 10), 0);
}

#[test]
fn the_last_page_may_be_short() {
    assert_eq!(page_count(21, 10), 3);
    assert_eq!(page_count(1, 10), 1);
    assert_eq!(page(&[1, 2, 3, 4, 5], 3, 2), [5]);
}

#[test]
fn nothing_stands_behind_the_last_page() {
    assert!(page(&[1, 2, 3, 4, 5], 4, 2).is_empty());
    assert!(page(&[1, 2, 3, 4, 5], 0, 2).is_empty());
}
