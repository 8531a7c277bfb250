//! Commands as they are typed.

use super::*;

#[test]
fn every_command_is_understood_and_fits_the_screen() {
    for (name, ..) in COMMANDS {
        let alone = parse(name, &[]);
        let takes_more = ["/rate", "/rename"].contains(&name);
        assert_eq!(alone.is_err(), takes_more, "{name}");
    }
    assert!(help().lines().all(|line| line.chars().count() <= 96));
    let commands = help();
    let lines = commands.lines().take(COMMANDS.len());
    assert!(lines.into_iter().all(|line| line.len() <= 80), "{commands}");
}

#[test]
fn arguments_are_read_and_bad_ones_say_what_would_do() {
    let rating = |line: &str| match parse(line, &[]) {
        Ok(Slash::Rate(rating)) => (rating.score, rating.note),
        other => panic!("{other:?}"),
    };
    assert_eq!(rating("/rate + good work"), (100, "good work".to_owned()));
    assert_eq!(rating("/rate -"), (-100, String::new()));
    let stars: Vec<i8> = (1..=5).map(|n| rating(&format!("/rate {n}")).0).collect();
    assert_eq!(stars, [-100, -50, 0, 50, 100]);
    assert_eq!(
        parse("/pin -12", &[]).ok(),
        Some(Slash::Pin(Some((12, PinChange::Unpin))))
    );
    assert_eq!(parse("/fork #7", &[]).ok(), Some(Slash::Fork(7)));
    let named = |name: &str| Some(Slash::Rename(name.to_owned()));
    assert_eq!(parse("/rename The Moor", &[]).ok(), named("The Moor"));
    assert_eq!(parse("/rename \"\"", &[]).ok(), named(""));
    assert_eq!(
        parse("/mode PLAN", &[]).ok(),
        Some(Slash::Mode(Some(Mode::Plan)))
    );
    assert_eq!(
        parse("/override relax", &[]).ok(),
        Some(Slash::Override(Some(OverrideLevel::Relax)))
    );
    assert_eq!(
        parse("/thinking HIGH", &[]).ok(),
        Some(Slash::Thinking(Some(Think::High)))
    );
    let much = parse("/thinking much", &[]).unwrap_err();
    assert_eq!(much.message, "there is no level of thinking `much`");
    assert_eq!(
        much.hint,
        "The levels are default, off, on, low, medium, high."
    );
    assert!(parse("/override everything", &[]).is_err());
    for bad in [
        "/rate",
        "/rate 7x",
        "/rate 6",
        "/rate 0",
        "/pin x",
        "/pin 0",
        "/fork -1",
        "/mode x",
        "/context all",
        "/new now",
        "/retyr",
        "/memory list",
        "/memory forget 01a23298-77f0",
    ] {
        let refused = parse(bad, &[]).err().map(|fault| fault.hint);
        assert!(refused.is_some_and(|hint| !hint.is_empty()), "{bad}");
    }
    let near = parse("/retyr", &[]).err().map(|fault| fault.hint);
    assert!(near.is_some_and(|hint| hint.contains("/retry")));
}

#[test]
fn memory_is_searched_for_words_and_forgets_nothing() {
    for words in ["", "forget the boat", "show boats", "list of guests"] {
        let parsed = parse(&format!("/memory {words}"), &[]);
        assert_eq!(parsed, Ok(Slash::Memory(words.to_owned())), "{words}");
    }
    let hint = parse("/memory forget 01a23298", &[]).map_err(|fault| fault.hint);
    assert!(hint.is_err_and(|hint| hint.contains("carl memory forget ID")));
}

#[test]
fn a_path_is_said_to_the_agent() {
    assert!(
        is_command("/undo")
            && is_command("/undo now")
            && is_command("/quit1")
            && is_command("/nonsense")
    );
    assert!(!is_command("/etc/hosts has what in it?") && !is_command("/"));
}
