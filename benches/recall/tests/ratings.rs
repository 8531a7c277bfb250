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

const QUESTION: &str = "how many cups does the blue pot hold?";

/// At which place what the user kept stands for the question, from 0 on; `None`: not among the first ten.
async fn place(filled: &Filled, kept: MemoryId) -> Option<usize> {
    let request = QueryRequest {
        context: None,
        text: QUESTION.to_owned(),
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

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_hostile_ratings_bury_nothing_that_was_kept_on_purpose() {
    let folder = tempfile::tempdir().unwrap();
    let conversations = conversations(1, SEED);
    let text = |corpus: String, question: Option<String>| Text {
        conversation: 0,
        turns: Vec::new(),
        name: "the blue pot".to_owned(),
        corpus,
        goes_on: false,
        question,
    };
    let mut texts = vec![text("The blue pot holds four cups.".to_owned(), None)];
    // Answers to the same question, each another one.
    texts.extend((0..100).map(|number| {
        let asked = format!("How many cups does the pot of guest {number} hold?");
        text(
            format!("It holds {number} cups, says guest {number}."),
            Some(asked),
        )
    }));
    let models = words_alone(folder.path());
    let memory = folder.path().join("memory");
    let config = Config::default();
    let filled = Filled::new(&memory, &config, models, &conversations, texts);
    let filled = filled.await.unwrap();
    let kept = filled.ids[0].unwrap();
    let before = place(&filled, kept).await;
    for id in filled.ids.iter().skip(1).flatten() {
        let best = Annotation::Feedback(100);
        filled.memory.annotate(None, *id, best).await.unwrap();
    }
    assert_eq!((before, place(&filled, kept).await), (Some(0), Some(0)));
    // What was kept on purpose is not rated at all: neither for better nor for worse.
    let worst = filled
        .memory
        .annotate(None, kept, Annotation::Feedback(-100));
    assert!(worst.await.is_err());
}
