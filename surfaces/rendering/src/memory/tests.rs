//! What people see of memory, as it stands on the screen.

use super::*;
use api::memory::{Candidate, IndexState, Kind, Source};
use domain::rights::Namespace;
use uuid::Uuid;

fn recall(number: u128, label: Label) -> Recall {
    Recall {
        id: MemoryId::from_uuid(Uuid::from_u128(number)),
        kind: Kind::Memory,
        namespace: Namespace::user(),
        name: format!("coffee {number}"),
        description: "how it is drunk".to_owned(),
        segment: "Black, without\u{1b}[31m sugar.".to_owned(),
        byte_range: (0, 22),
        score: 0.9,
        relevance: 0.8,
        source: Source::User,
        label,
        created_at: "2026-11-22T08:00:00Z".parse().unwrap(),
        correlating_ids: Vec::new(),
        feedback: None,
    }
}

#[test]
fn no_text_adds_a_line_that_looks_like_ours() {
    let mut forged = recall(1, Label::untrusted("web:example.org\nx: trusted"));
    forged.name = "wine\n2. bank".to_owned();
    let seen = results(&[forged], Paint::Plain);
    let at_the_edge = seen.lines().filter(|line| !line.starts_with(' '));
    assert_eq!(at_the_edge.count(), 1, "{seen}");
}

#[test]
fn results_and_stages_stand_in_columns_and_control_nothing() {
    let recalls = [
        recall(1, Label::trusted("user")),
        recall(2, Label::untrusted("web:example.org")),
    ];
    let stage = |name: &str, duration_us, note: &str| Stage {
        name: name.to_owned(),
        candidates: recalls
            .iter()
            .map(|recall| Candidate {
                id: recall.id,
                score: 12.5,
            })
            .collect(),
        seen: 1_234,
        duration_us,
        note: note.to_owned(),
    };
    let nothing = Stage {
        candidates: Vec::new(),
        seen: 0,
        ..stage("vector", 7, "no embedding model: words alone")
    };
    let all = [stage("lexical", 1_500, ""), nothing];
    let seen = format!(
        "{}{}",
        results(&recalls, Paint::Plain),
        stages(&all, &recalls, Paint::Plain)
    );
    assert!(!seen.contains('\u{1b}'), "{seen}");
    insta::assert_snapshot!(seen);
}

#[test]
fn nothing_is_said_to_be_nothing_and_sizes_have_units() {
    let unrelated = Recall {
        relevance: 0.004,
        ..recall(1, Label::trusted("user"))
    };
    for none in [&[][..], std::slice::from_ref(&unrelated)] {
        assert_eq!(results(none, Paint::Plain), "Nothing was found.\n");
    }
    // What only fills the list is left out of it.
    let fitting = recall(2, Label::trusted("user"));
    let alone = results(std::slice::from_ref(&fitting), Paint::Plain);
    assert_eq!(results(&[fitting, unrelated], Paint::Plain), alone);
    for (count, said) in [
        (0, "0 B"),
        (1_023, "1023 B"),
        (1_024, "1.0 KiB"),
        (3 << 20, "3.0 MiB"),
    ] {
        assert_eq!(bytes(count), said);
    }
}

#[test]
fn vectors_that_lag_are_told_with_what_makes_them() {
    let stage = |note: &str| Stage {
        name: "vector".to_owned(),
        candidates: Vec::new(),
        seen: 928,
        duration_us: 7,
        note: note.to_owned(),
    };
    let said = missed(&[stage("3072 of 4000 entries have no vector yet")]);
    assert!(
        said.starts_with("The index of vectors: 3072 of 4000"),
        "{said}"
    );
    assert!(
        said.ends_with("; each search makes more, `carl memory reindex` all.\n"),
        "{said}"
    );
    assert_eq!(
        missed(&[stage("no embedding model (x): words alone"), stage("")]),
        ""
    );
}

#[test]
fn what_has_no_vector_yet_is_said_where_there_is_a_model() {
    let index = |name: &str, entries| IndexState {
        name: name.to_owned(),
        entries,
        of: 4_000,
        note: String::new(),
    };
    let mut stats = Stats {
        embedder: "made/words".to_owned(),
        indexes: vec![index("lexical", 4_000), index("vector", 928)],
        memories: 4_000,
        engrams: 0,
        superseded: 0,
        namespaces: Vec::new(),
        disk_bytes: 0,
        refused: Vec::new(),
        cache_hits: 0,
        cache_lookups: 0,
    };
    let said = lacking(&stats);
    assert!(
        said.starts_with("3072 entries have no vector yet"),
        "{said}"
    );
    assert!(said.contains("`carl memory reindex`"), "{said}");
    // Numbers would be old before they are read.
    let said = going_on(&stats);
    assert!(
        said.contains("`carl memory stats` tells") && !said.contains("3072"),
        "{said}"
    );
    stats.embedder = "none: nothing embeds here".to_owned();
    assert_eq!((lacking(&stats), going_on(&stats)), <_>::default());
}
