//! Ratings help a search where they are mostly true, cost it little where they know nothing, and bury nothing
//! that was kept on purpose.

#![allow(
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

use api::memory::{Annotation, Detail, Memory as _, QueryEvent, QueryRequest, Scope};
use api::models::Models;
use domain::id::MemoryId;
use futures::StreamExt as _;
use generated::dialogue::{Conversation, conversations};
use memory::Config;
use recall::conversation::Text;
use recall::embedder;
use recall::kept::Filled;
use recall::ratings::{Compared, Ratings, compare, good_and_bad, turns_in_pairs};
use std::path::Path;
use std::sync::Arc;

/// The seed of the set.
const SEED: u64 = 20;

fn words_alone(folder: &Path) -> Arc<dyn Models> {
    Arc::new(embedder::none(folder).unwrap())
}

async fn compared(texts: fn(&[Conversation]) -> Vec<Text>, ratings: Ratings) -> Compared {
    let folder = tempfile::tempdir().unwrap();
    let conversations = conversations(3, SEED);
    let memory = folder.path().join("memory");
    let models = words_alone(folder.path());
    let compared = compare(
        &memory,
        &models,
        &conversations,
        (texts(&conversations), ratings),
    );
    compared.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn ratings_that_are_mostly_true_find_the_better_answer() {
    let compared = compared(good_and_bad, Ratings::Informed).await;
    assert!(compared.gained.low > 0.0, "{compared:?}");
}

/// The positive control: it is what they say that helps.
#[tokio::test(flavor = "multi_thread")]
async fn ratings_at_random_find_no_better_answer() {
    let compared = compared(good_and_bad, Ratings::Random).await;
    assert!(compared.gained.low <= 0.0, "{compared:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ratings_at_random_cost_no_more_than_the_interval() {
    let compared = compared(turns_in_pairs, Ratings::Random).await;
    assert!(compared.with.mean >= compared.without.low, "{compared:?}");
}

/// At which place what the user kept stands for the question, from 0 on; `None`: not among the first ten.
async fn place(filled: &Filled, kept: MemoryId, question: &str) -> Option<usize> {
    let request = QueryRequest {
        context: None,
        text: question.to_owned(),
        scope: Scope::All,
        limit: 10,
        detail: Detail::Description,
        at_least: 0.0,
    };
    let mut events = filled.memory.query(request).await.unwrap();
    let mut place = None;
    while let Some(event) = events.next().await {
        if let QueryEvent::Results(found) = event.unwrap() {
            place = found.iter().position(|one| one.id == kept);
        }
    }
    place
}

/// What was kept on purpose, and what others are asked and answer about it.
struct Hostile {
    name: &'static str,
    kept: &'static str,
    asked: fn(usize) -> String,
    answer: fn(usize) -> String,
    /// What finds what was kept first.
    question: &'static str,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_hostile_ratings_bury_nothing_that_was_kept_on_purpose() {
    let of_another_thing = Hostile {
        name: "the blue pot",
        kept: "The blue pot holds four cups.",
        asked: |number| format!("How many cups does the pot of guest {number} hold?"),
        answer: |number| format!("It holds {number} cups, says guest {number}."),
        question: "how many cups does the blue pot hold?",
    };
    // By their words these are worth nearly as much as what was kept.
    let of_the_same = Hostile {
        name: "printer",
        kept: "The printer stands in room 12 on the second floor.",
        asked: |number| {
            format!("In which room does the printer stand on the second floor? ({number})")
        },
        answer: |number| format!("The printer stands in room 99, as {number} people said."),
        question: "where is the printer",
    };
    for hostile in [of_another_thing, of_the_same] {
        assert_stays_first(&hostile).await;
    }
}

async fn assert_stays_first(hostile: &Hostile) {
    let folder = tempfile::tempdir().unwrap();
    let conversations = conversations(1, SEED);
    let text = |corpus: String, question: Option<String>| Text {
        conversation: 0,
        turns: Vec::new(),
        name: hostile.name.to_owned(),
        corpus,
        goes_on: false,
        question,
    };
    let mut texts = vec![text(hostile.kept.to_owned(), None)];
    texts.extend((0..100).map(|number| {
        let asked = (hostile.asked)(number);
        text((hostile.answer)(number), Some(asked))
    }));
    let models = words_alone(folder.path());
    let memory = folder.path().join("memory");
    let config = Config::default();
    let filled = Filled::new(&memory, &config, models, &conversations, texts);
    let filled = filled.await.unwrap();
    let kept = filled.ids[0].unwrap();
    let before = place(&filled, kept, hostile.question).await;
    for id in filled.ids.iter().skip(1).flatten() {
        let best = Annotation::Feedback(100);
        filled.memory.annotate(None, *id, best).await.unwrap();
    }
    let after = place(&filled, kept, hostile.question).await;
    assert_eq!((before, after), (Some(0), Some(0)), "{}", hostile.name);
    // What was kept on purpose is not rated at all: neither for better nor for worse.
    let worst = filled
        .memory
        .annotate(None, kept, Annotation::Feedback(-100));
    assert!(worst.await.is_err());
}
