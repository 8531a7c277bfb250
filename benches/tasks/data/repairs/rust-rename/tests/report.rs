use report::report::line;

#[test]
fn a_text_is_summed_up() {
    let text = "the tide comes in twice a day";
    assert_eq!(line(text), "7 words, the longest is comes");
}

#[test]
fn an_empty_text_has_no_words() {
    assert_eq!(line("  "), "no words");
}
