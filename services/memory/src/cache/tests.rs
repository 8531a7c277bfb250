//! Tests of the cache: what counts as the same question, and how long.

use super::*;
use domain::Timestamp;
use domain::id::MemoryId;
use domain::label::Label;
use domain::rights::Namespace;
use uuid::Uuid;

fn recall(number: u128, kind: Kind) -> Recall {
    Recall {
        id: MemoryId::from_uuid(Uuid::from_u128(number)),
        kind,
        namespace: Namespace::user(),
        name: String::new(),
        description: String::new(),
        segment: String::new(),
        byte_range: (0, 0),
        score: 1.0,
        relevance: 1.0,
        source: api::memory::Source::User,
        label: Label::trusted("user"),
        created_at: Timestamp::UNIX_EPOCH,
        correlating_ids: Vec::new(),
        feedback: None,
    }
}

fn wanted(limit: u32) -> Wanted {
    Wanted {
        scope: Scope::All,
        limit,
        detail: Detail::Segment,
        at_least: 0.0,
        left_out: None,
    }
}

fn asked(text: &str, epoch: u64) -> Asked {
    Asked::new(&question::read(text), wanted(5), epoch)
}

/// A vector at a cosine of 0.97 to the one of `asked`, for texts that a model holds for alike.
const ASKED: [f32; 2] = [1.0, 0.0];
const ALIKE: [f32; 2] = [0.97, 0.243];

fn holding(text: &str) -> Cache {
    let mut cache = Cache::default();
    let answer = [recall(1, Kind::Memory)];
    let vector = Some(Arc::new(ASKED.to_vec()));
    cache.keep(asked(text, 7), vector, &answer, Instant::now());
    cache
}

fn hits(cache: &mut Cache, asked: &Asked, vector: &[f32]) -> bool {
    let now = Instant::now();
    cache.by_words(asked, now).is_some() || cache.by_meaning(asked, vector, now).is_some()
}

/// Pairs that an embedding model puts next to each other. All near-misses must miss; most
/// paraphrases must hit, or the cache is of no use.
#[test]
fn paraphrases_hit_and_near_misses_never_do() {
    let paraphrases = [
        ("What does Anna like to eat?", "what does Anna like to eat"),
        ("What does Anna like to eat?", "Which food does Anna like?"),
        ("Where does Tom work?", "Where is Tom working?"),
        (
            "Which port does the server use?",
            "What port is the server using?",
        ),
        ("How do I start the tests?", "How can I start the tests?"),
    ];
    let near_misses = [
        ("What does Anna like?", "What does Anna not like?"),
        ("What does Anna like?", "What does Tom like?"),
        ("Where was Anna in 2023?", "Where was Anna in 2024?"),
        ("What happened on 3 May?", "What happened on 4 May?"),
        ("What happened on 3 May?", "What happened on 3 June?"),
        ("Where does Tom work?", "Where did Tom work before?"),
        ("Who likes Anna?", "When does Anna like?"),
        (
            "Which port does the server use?",
            "Which port does the server use now?",
        ),
        ("What did she say yesterday?", "What did she say today?"),
        ("Does the build pass?", "Does the build never pass?"),
        ("What is error e0382?", "What is error e0499?"),
    ];
    let hit = |(one, other): &&(&str, &str)| hits(&mut holding(one), &asked(other, 7), &ALIKE);
    let right = paraphrases.iter().filter(hit).count();
    let wrong: Vec<_> = near_misses.iter().filter(hit).collect();
    assert!(wrong.is_empty(), "taken for the same: {wrong:?}");
    assert!(
        right >= 4,
        "only {right} of {} paraphrases hit",
        paraphrases.len()
    );
}

#[test]
fn nearness_alone_or_words_alone_are_not_enough() {
    let mut cache = holding("What does Anna like?");
    let other = asked("Which food does Anna prefer?", 7);
    assert!(
        !hits(&mut cache, &other, &[0.95, 0.312]),
        "a cosine below the mark"
    );
    assert!(hits(&mut cache, &other, &ALIKE));
    assert!(
        !hits(&mut cache, &other, &[1.0, 0.0, 0.0]),
        "of another model"
    );
}

#[test]
fn a_write_where_it_looked_ends_an_answer() {
    let mut cache = holding("What does Anna like?");
    let now = Instant::now();
    assert!(
        cache
            .by_words(&asked("what does anna like", 7), now)
            .is_some()
    );
    assert!(
        cache
            .by_words(&asked("what does anna like", 8), now)
            .is_none()
    );
    let other = Asked::new(&question::read("what does anna like"), wanted(6), 7);
    assert!(cache.by_words(&other, now).is_none());
    assert_eq!(cache.counts(), (1, 3));
    cache.clear();
    assert!(
        cache
            .by_words(&asked("what does anna like", 7), now)
            .is_none()
    );
}

#[test]
fn captured_answers_live_shorter_than_curated_ones() {
    let now = Instant::now();
    for (kind, life) in [(Kind::Memory, MEMORY_LIFE), (Kind::Engram, ENGRAM_LIFE)] {
        let mut cache = Cache::default();
        cache.keep(asked("Where?", 1), None, &[recall(1, kind)], now);
        let almost = now + life - Duration::from_secs(1);
        assert!(cache.by_words(&asked("where", 1), almost).is_some());
        assert!(cache.by_words(&asked("where", 1), now + life).is_none());
    }
}

#[test]
fn only_so_many_are_kept() {
    let mut cache = Cache::default();
    let now = Instant::now();
    for number in 0..=ANSWERS {
        cache.keep(asked(&format!("number {number}"), 1), None, &[], now);
    }
    assert!(cache.by_words(&asked("number 0", 1), now).is_none());
    assert!(cache.by_words(&asked("number 1", 1), now).is_some());
}
