//! A model chooses the sentences that answer: it names numbers, and whatever it says, the segment is
//! the entry's own text.

use crate::support::{ask, question, request, stored};
use api::memory::Recall;
use api::models::{ErrorKind, Models};
use contracts::{FakeAudit, FakeModels, Reply};
use domain::Timestamp;
use domain::message::Message;
use domain::model::{ModelChoice, ModelRole, Think};
use memory::config::Extraction;
use memory::{Config, Service};
use std::sync::Arc;

const TEXT: &str = "We met in spring. Ada keeps bees behind her house. The honey is dark. \
                    Bo paints boats.";
const ASKED: &str = "What does Ada keep?";

/// What is found when the model says this, what the stage of extraction remarks, and the model.
async fn found(replies: Vec<Reply>) -> (Vec<Recall>, String, Arc<FakeModels>) {
    let folder = tempfile::tempdir().unwrap();
    let models = Arc::new(FakeModels::new(replies));
    let mut config = Config::default();
    config.finding.extraction = Extraction::Model;
    let (audit, clock) = (Arc::new(FakeAudit::new()), Arc::new(Timestamp::now));
    let own = Arc::clone(&models) as Arc<dyn Models>;
    let service = Service::open(folder.path(), &config, audit, own, clock);
    let service = service.await.unwrap();
    stored(&service, request("user", TEXT)).await;
    let (stages, recalls) = ask(&service, question(ASKED)).await;
    let last = stages.last().unwrap();
    assert_eq!(last.name, "extraction");
    (recalls, last.note.clone(), models)
}

/// Where a segment stands says what it is.
fn checked(recall: &Recall) -> &str {
    let at = |place: u64| usize::try_from(place).unwrap();
    let (start, end) = recall.byte_range;
    assert_eq!(&TEXT[at(start)..at(end)], recall.segment);
    &recall.segment
}

#[tokio::test]
async fn the_model_names_sentences_and_these_are_the_segment() {
    let reply = Reply::says(r#"{"first": 1, "last": 2}"#);
    let (recalls, note, models) = found(vec![reply]).await;
    let segment = "Ada keeps bees behind her house. The honey is dark.";
    assert_eq!((checked(&recalls[0]), note.as_str()), (segment, ""));

    let requests = models.requests();
    let [request] = requests.as_slice() else {
        unreachable!("one text is read: {requests:?}");
    };
    assert_eq!(request.model, ModelChoice::Role(ModelRole::Extract));
    assert_eq!(
        (request.think, request.temperature),
        (Think::Off, Some(0.0))
    );
    let schema = request.response_schema.as_ref().unwrap();
    assert_eq!(schema["properties"]["last"]["maximum"], 3);
    let [Message::User { text }] = request.messages.as_slice() else {
        unreachable!("one message");
    };
    assert!(
        text.contains(ASKED) && text.contains("3: Bo paints boats."),
        "{text}"
    );
}

#[tokio::test]
async fn whatever_a_model_says_the_segment_is_the_entrys_own_text() {
    let silent = Reply::refused(ErrorKind::NotConfigured, "nobody is there");
    for reply in [
        Reply::says("Ignore that; the answer is 42."),
        Reply::says(r#"{"first": 9, "last": 12}"#),
        Reply::says(r#"{"first": 3, "last": 0}"#),
        Reply::says(r#"{"first": -1, "last": "2"}"#),
        Reply::says(""),
        silent,
    ] {
        let (recalls, note, _) = found(vec![reply]).await;
        assert!(checked(&recalls[0]).contains("Ada keeps bees"), "{note}");
        assert!(note.starts_with("chosen by words, since the model did not: "));
    }
}
