//! Orders as people say them, by rules alone: items that are done, sentences, empty lines, names with spaces, and
//! what is told of files that are elsewhere and of programs.

use testkit::{Finished, House};

fn tell(house: &House, says: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    let open = ["--allow-write", ".", "--yes", "write"];
    house.ask(args).args(open).arg(says).run()
}

const TODO: &str = "# Todo\n- [ ] draw the map\n- [ ] call Ann\n- [x] pay rent\n";

#[test]
fn an_item_of_a_list_is_ticked_where_one_says_it() {
    let house = House::new();
    for says in [
        "check off \"draw the map\" in todo.md",
        "check off draw the map in todo.md",
        "mark \"draw the map\" as done in todo.md",
        "mark draw the map as done in todo.md",
        "tick draw the map in todo.md",
        "tick off the map in todo.md",
    ] {
        house.write("todo.md", TODO);
        tell(&house, says).expect(0);
        let ticked = TODO.replace("[ ] draw", "[x] draw");
        assert_eq!(house.read("todo.md"), ticked, "{says}");
    }
    house.write("todo.md", TODO);
    for (says, told) in [
        ("tick pay rent in todo.md", "ticked already"),
        ("tick sing in todo.md", "has no item"),
    ] {
        let refused = tell(&house, says).expect(4);
        assert!(refused.stderr.contains(told), "{refused:#?}");
        assert_eq!(house.read("todo.md"), TODO);
    }
}

#[test]
fn a_sentence_in_quotes_is_replaced_and_removed_like_a_phrase() {
    let house = House::new();
    house.write("novel.md", "Winter came.\nSpring followed. Anna left.\n");
    let says = "replace the sentence \"Spring followed.\" with \"Summer followed.\" in novel.md";
    tell(&house, says).expect(0);
    let says = "change the sentence \"Winter came.\" to \"Autumn came.\" in novel.md";
    tell(&house, says).expect(0);
    let changed = "Autumn came.\nSummer followed. Anna left.\n";
    assert_eq!(house.read("novel.md"), changed);
    tell(&house, "remove the sentence \"Autumn came.\" from novel.md").expect(0);
    assert_eq!(house.read("novel.md"), "Summer followed. Anna left.\n");
}

#[test]
fn an_empty_line_goes_beside_words_in_quotes_too() {
    let house = House::new();
    house.write("novel.md", "# One\nText.\n## Two\n");
    tell(&house, "insert a blank line before \"## Two\" in novel.md").expect(0);
    tell(&house, "add an empty line after \"# One\" in novel.md").expect(0);
    assert_eq!(house.read("novel.md"), "# One\n\nText.\n\n## Two\n");
}

#[test]
fn a_comment_and_a_heading_are_offered_as_whole_lines() {
    let house = House::new();
    house.write("price.py", "import re\n\ndef main():\n    pass\n");
    house.write("kapitel1.md", "Kapitel 1\nText.\n");
    for (says, offer, after) in [
        (
            "insert a comment \"check me\" above def main in price.py",
            "insert \"# check me\" before the line about \"def main\" in price.py",
            "import re\n\n# check me\ndef main():\n    pass\n",
        ),
        (
            "insert a heading \"Part 1\" above Kapitel 1 in kapitel1.md",
            "insert \"# Part 1\" before the line about \"Kapitel 1\" in kapitel1.md",
            "# Part 1\n\nKapitel 1\nText.\n",
        ),
    ] {
        let refused = tell(&house, says).expect(4);
        assert!(refused.stderr.contains(offer), "{refused:#?}");
        tell(&house, offer).expect(0);
        let path = says.rsplit(' ').next().unwrap();
        assert_eq!(house.read(path), after);
    }
}

#[test]
fn a_name_with_spaces_is_found_where_no_other_is_meant() {
    let house = House::new();
    house.write("my notes.md", "milk\n");
    tell(&house, "add the line tea to my notes.md").expect(0);
    assert_eq!(house.read("my notes.md"), "milk\ntea\n");
    house.write("notes.md", "x\n");
    let refused = tell(&house, "add the line tea to my notes.md").expect(4);
    assert!(
        refused
            .stderr
            .contains("Put the name in quotes: \"my notes.md\""),
        "{refused:#?}"
    );
    assert_eq!(house.read("notes.md"), "x\n");
}

#[test]
fn a_file_that_is_elsewhere_is_named() {
    let house = House::new();
    house.write("conf/nginx.conf", "listen 80;\n");
    house.write("drafts/chapter4.md", "one two\n");
    for (says, told) in [
        (
            "check nginx.conf for errors",
            "Did you mean conf/nginx.conf?",
        ),
        (
            "how many words has chapter4?",
            "Try: how many words has drafts/chapter4.md?",
        ),
    ] {
        let refused = tell(&house, says).expect(4);
        assert!(refused.stderr.contains(told), "{refused:#?}");
    }
    house.write("old/chapter4.md", "one\n");
    let several = tell(&house, "how many words has chapter4?")
        .expect(4)
        .stderr;
    assert!(
        several.contains("There are drafts/chapter4.md, old/chapter4.md."),
        "{several}"
    );
}

#[test]
fn what_needs_a_program_or_a_file_says_how() {
    let house = House::new();
    for says in ["!python3 -m unittest", "run the tests", "git status"] {
        let told = tell(&house, says).stderr;
        assert!(
            told.contains("In `carl` and `carl chat` a line behind `!` runs"),
            "{says}: {told}"
        );
    }
    let told = tell(&house, "set the listen port to 8080").stderr;
    assert!(
        told.contains("names no file") && told.contains("`set the listen port to 8080 in FILE`"),
        "{told}"
    );
}

#[test]
fn parts_of_a_file_are_shown_in_german_and_todos_found_in_the_plural() {
    let house = House::new();
    house.write("kapitel1.md", "eins\nzwei\ndrei\n");
    house.write("price.py", "# TODO: check the range\n");
    for (says, has, lacks) in [
        (
            "zeig mir die ersten 2 Zeilen von kapitel1.md",
            "zwei",
            "drei",
        ),
        ("zeige die letzten 2 Zeilen von kapitel1.md", "zwei", "eins"),
        (
            "which TODOs are there?",
            "price.py:1: # TODO: check",
            "eins",
        ),
        ("are there any TODOs?", "price.py:1: # TODO: check", "eins"),
    ] {
        let done = tell(&house, says).expect(0);
        let is_right = done.stdout.contains(has) && !done.stdout.contains(lacks);
        assert!(is_right, "{says}: {done:#?}");
    }
}
