use units::to_millilitres;

#[test]
fn known_units_are_converted() {
    assert_eq!(to_millilitres("3 tsp"), Some(15));
    assert_eq!(to_millilitres("2 l"), Some(2000));
    assert_eq!(to_millilitres("7 ml"), Some(7));
}

#[test]
fn tablespoons_are_converted() {
    assert_eq!(to_millilitres("2 tbsp"), Some(30));
}

#[test]
fn other_words_are_no_units() {
    assert_eq!(to_millilitres("2 handfuls"), None);
    assert_eq!(to_millilitres("tbsp"), None);
}
