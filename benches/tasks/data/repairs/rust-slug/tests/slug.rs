use titles::{heading, slug};

#[test]
fn a_heading_stands_in_a_line() {
    assert_eq!(heading(" Tides "), "# Tides\n");
}

#[test]
fn words_are_joined_by_one_dash() {
    assert_eq!(slug("Spring Tides"), "spring-tides");
    assert_eq!(slug("Low  water: what, when & why"), "low-water-what-when-why");
}

#[test]
fn no_dash_stands_at_an_end() {
    assert_eq!(slug("  (Draft) 2nd try!  "), "draft-2nd-try");
    assert_eq!(slug("--"), "");
}

#[test]
fn letters_of_other_languages_stay() {
    assert_eq!(slug("Über die Höhe"), "über-die-höhe");
}
