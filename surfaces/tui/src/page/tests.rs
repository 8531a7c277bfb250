//! Pages scroll, are searched and stay where they are read.

use super::*;

fn numbered(count: usize) -> Page {
    let mut page = Page::new((20, 5));
    page.fill((0..count).map(|n| Line::raw(format!("line {n}"))).collect());
    page
}

fn first(page: &Page) -> String {
    page.shown()[0].to_string()
}

#[test]
fn a_page_scrolls_and_stays_within_its_lines() {
    let mut page = numbered(12);
    page.turn(Turn::PageDown);
    assert_eq!(first(&page), "line 5");
    page.turn(Turn::End);
    assert_eq!(first(&page), "line 7");
    page.turn(Turn::Down);
    assert_eq!(first(&page), "line 7");
    page.turn(Turn::PageUp);
    page.turn(Turn::PageUp);
    page.turn(Turn::Up);
    assert_eq!(
        (first(&page).as_str(), page.place().as_str()),
        ("line 0", "1–5 of 12")
    );
}

#[test]
fn a_search_goes_around_and_says_what_is_missing() {
    let mut page = numbered(30);
    let search = |page: &mut Page, text: &str| {
        page.begin_search();
        text.chars().for_each(|letter| page.push_letter(letter));
        page.search();
    };
    search(&mut page, "LINE 1");
    assert_eq!(first(&page), "line 1");
    page.next(Next::After);
    assert_eq!(first(&page), "line 10");
    page.next(Next::Before);
    page.next(Next::Before);
    assert_eq!(first(&page), "line 19");
    page.next(Next::After);
    assert_eq!(first(&page), "line 1");
    search(&mut page, "nowhere");
    assert!(page.place().ends_with("; not found"));
    assert_eq!(first(&page), "line 1");
}

#[test]
fn a_page_keeps_its_newest_lines() {
    let page = numbered(LINES + 3);
    assert_eq!(first(&page), "line 3");
    assert!(page.place().contains("3 lines before are left out"));
}

#[test]
fn a_page_that_is_filled_again_stays_where_it_is_read() {
    let lines = |count: usize| (0..count).map(|n| Line::raw(format!("line {n}"))).collect();
    let mut page = numbered(30);
    page.fill(lines(40));
    assert_eq!(first(&page), "line 0");
    page.turn(Turn::PageDown);
    page.fill(lines(50));
    assert_eq!(first(&page), "line 5");
    page.turn(Turn::End);
    page.fill(lines(60));
    assert_eq!(first(&page), "line 55", "it goes on with what comes");
    page.fill(lines(3));
    assert_eq!(first(&page), "line 0");
    page.fill(lines(LINES + 60));
    assert_eq!(first(&page), "line 60");
}

#[test]
fn what_comes_before_moves_nothing_that_is_read() {
    let lines = |from: usize, count: usize| {
        let lines = (from..from + count).map(|n| Line::raw(format!("line {n}")));
        lines.map(PageLine::new).collect::<Vec<_>>()
    };
    let mut page = Page::live_of(60);
    page.lay((40, 5));
    page.push(lines(100, 30));
    assert_eq!(first(&page), "line 125");
    page.turn(Turn::PageUp);
    page.put_before(lines(80, 20));
    assert_eq!(first(&page), "line 120");
    page.put_before(lines(40, 40));
    assert_eq!(first(&page), "line 120", "also where lines are left out");
    page.turn(Turn::Top);
    assert_eq!(first(&page), "▎ · 30 lines before are left out");
    page.turn(Turn::End);
    page.put_before(lines(0, 40));
    assert_eq!(first(&page), "line 125", "its end stays in sight");
    assert_eq!(page.rest(0, 5), None);
}

#[test]
fn another_width_keeps_the_line_at_the_top() {
    let mut page = Page::new((40, 3));
    page.fill(
        (0..20)
            .map(|n| Line::raw(format!("{n} {}", "word ".repeat(6))))
            .collect(),
    );
    page.turn(Turn::PageDown);
    page.lay((12, 3));
    assert!(first(&page).starts_with("3 word"));
    page.turn_long();
    assert!(first(&page).starts_with("3 word") && first(&page).len() > 12);
    page.fill(vec![Line::raw("a".repeat(100_000))]);
    assert!(page.place().len() < 20);
    for size in [(0, 0), (1, 1)] {
        page.lay(size);
        assert_eq!(page.shown().len(), 1);
    }
}

#[test]
fn a_page_that_was_never_shown_has_no_rows() {
    let mut page = Page::live();
    let long = "word ".repeat(60);
    page.push((0..20).map(|_| PageLine::new(Line::raw(long.clone()))));
    page.put_before(vec![PageLine::new(Line::raw("first"))]);
    assert!(page.rows.is_empty());
    page.lay((30, 4));
    assert!(page.rows.len() > 200);
    assert_eq!(page.shown().len(), 4);
    page.turn(Turn::Top);
    assert_eq!(first(&page), "first");
}
