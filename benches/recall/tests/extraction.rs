//! The embedded model chooses the sentences that answer: the segment is the entry's own text, and
//! whether the model or the words chose it is said.

#![allow(
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

use api::memory::{Detail, Memory as _, QueryEvent, QueryRequest, Scope};
use api::models::Models;
use futures::TryStreamExt as _;
use generated::dialogue::Conversation;
use memory::Config;
use memory::config::Extraction;
use recall::conversation::Text;
use recall::embedder;
use recall::kept::Filled;
use std::sync::Arc;

const TEXT: &str = "We met in spring. Ada keeps bees behind her house. The honey is dark. \
                    Bo paints boats.";

#[tokio::test]
async fn the_embedded_model_chooses_a_segment_of_the_text() {
    let named = |name: &str| std::env::var_os(name).map(Into::into);
    let (Some(program), Some(models)) = (named("HOUSE_ENGINE"), named("HOUSE_MODELS")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let engine = embedder::engine(program, models, folder.path().join("run")).unwrap();
    let models: Arc<dyn Models> = Arc::new(engine);
    let mut config = Config::default();
    config.finding.extraction = Extraction::Model;
    let conversations = [Conversation {
        name: "user".to_owned(),
        turns: Vec::new(),
        questions: Vec::new(),
    }];
    let texts = vec![Text {
        conversation: 0,
        turns: Vec::new(),
        name: "bees".to_owned(),
        corpus: TEXT.to_owned(),
        goes_on: false,
        question: None,
    }];
    let memory = folder.path().join("memory");
    let filled = Filled::new(&memory, &config, models, &conversations, texts);
    let filled = filled.await.unwrap();
    let request = QueryRequest {
        context: None,
        text: "What does Ada keep?".to_owned(),
        scope: Scope::All,
        limit: 1,
        detail: Detail::Segment,
        at_least: 0.0,
    };
    let events = filled.memory.query(request).await.unwrap();
    let events: Vec<QueryEvent> = events.try_collect().await.unwrap();
    let extraction = events.iter().find_map(|event| match event {
        QueryEvent::Stage(stage) if stage.name == "extraction" => Some(stage),
        _ => None,
    });
    let Some(QueryEvent::Results(recalls)) = events.last() else {
        unreachable!("results come last");
    };
    let (best, stage) = (&recalls[0], extraction.unwrap());
    let at = |place: u64| usize::try_from(place).unwrap();
    let (start, end) = best.byte_range;
    assert!(!best.segment.is_empty());
    assert_eq!(&TEXT[at(start)..at(end)], best.segment);
    // The small model's answer has the form it was asked for, whatever it is worth.
    assert_eq!(stage.note, "", "{}", best.segment);
}
