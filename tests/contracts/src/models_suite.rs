//! What every model gateway promises.

use super::models::Reply;
use super::{FakeModels, within};
use api::models::{ChatChunk, ChatRequest, EmbedPurpose, EmbedRequest, Error, ErrorKind, Models};
use async_trait::async_trait;
use domain::message::Message;
use domain::model::{FinishReason, ModelChoice, ModelRole};
use futures::StreamExt;
use serde_json::json;
use std::sync::Arc;

/// What the suite runs against: a gateway and whatever speaks behind it.
#[async_trait]
pub trait Subject: Send + Sync {
    /// A gateway that answers with these replies, one a request, in order.
    async fn gateway(&self, replies: Vec<Reply>) -> Arc<dyn Models>;

    /// Completes when the model behind the latest gateway has seen its caller go away.
    async fn cancelled(&self);

    /// The model the suite asks for.
    fn model(&self) -> ModelChoice {
        ModelChoice::Role(ModelRole::Fast)
    }

    /// Errors that can be made to happen before the first byte.
    fn refusals(&self) -> Vec<ErrorKind>;

    /// Errors that can be made to happen within an answer.
    fn failures(&self) -> Vec<ErrorKind>;
}

/// Texts that are easily broken on their way.
const TEXTS: [&str; 5] = [
    "plain",
    "ä é ß — “quotes” …",
    "日本語 한국어 עברית العربية",
    "👩‍👩‍👧 \u{1F3F4}\u{E0067}\u{E0062} e\u{301}",
    "line\nline\r\n\ttab \"quoted\" \\ back {\"json\": [1]}",
];

/// Length of a large answer, bytes.
const LARGE: usize = 1 << 20;

/// The whole suite.
pub async fn conformance(subject: &dyn Subject) {
    an_answer_begins_with_started_and_ends_with_finished(subject).await;
    texts_survive(subject).await;
    a_large_answer_survives(subject).await;
    thinking_and_tool_calls_survive(subject).await;
    an_error_before_the_first_byte_keeps_its_kind(subject).await;
    an_error_within_an_answer_ends_it(subject).await;
    dropping_the_stream_stops_the_model(subject).await;
    requests_side_by_side_do_not_mix(subject).await;
    the_other_questions_are_answered(subject).await;
}

fn request(subject: &dyn Subject, text: &str) -> ChatRequest {
    let text = text.to_owned();
    ChatRequest::new(subject.model(), vec![Message::User { text }])
}

async fn ask(models: &dyn Models, request: ChatRequest) -> Vec<Result<ChatChunk, Error>> {
    let stream = within("the model's answer begins", models.chat(request)).await;
    let stream = stream.expect("the model answers");
    within("the model's answer ends", stream.collect()).await
}

fn text_of(chunks: &[Result<ChatChunk, Error>]) -> String {
    let mut text = String::new();
    for chunk in chunks {
        match chunk {
            Ok(ChatChunk::Text(piece)) => text.push_str(piece),
            Ok(ChatChunk::TextReplaced(all)) => text.clone_from(all),
            _ => {}
        }
    }
    text
}

/// One whole answer: `Started` once and first, `Finished` once and last, usage before it.
fn check_frame(chunks: &[Result<ChatChunk, Error>], finish: FinishReason) {
    let chunks: Vec<&ChatChunk> = chunks
        .iter()
        .map(|chunk| chunk.as_ref().expect("no error in a whole answer"))
        .collect();
    let count = |wanted: fn(&ChatChunk) -> bool| chunks.iter().filter(|c| wanted(c)).count();
    assert!(
        matches!(chunks.first(), Some(ChatChunk::Started { .. })),
        "{chunks:?}"
    );
    assert_eq!(chunks.last(), Some(&&ChatChunk::Finished(finish)));
    assert_eq!(
        count(|c| matches!(c, ChatChunk::Started { .. })),
        1,
        "{chunks:?}"
    );
    assert_eq!(
        count(|c| matches!(c, ChatChunk::Finished(_))),
        1,
        "{chunks:?}"
    );
    let usage = chunks
        .iter()
        .rposition(|c| matches!(c, ChatChunk::Usage(_)));
    assert_eq!(
        usage,
        Some(chunks.len() - 2),
        "usage stands before the end: {chunks:?}"
    );
}

async fn an_answer_begins_with_started_and_ends_with_finished(subject: &dyn Subject) {
    let models = subject
        .gateway(vec![Reply::new().text("one ").text("two")])
        .await;
    let chunks = ask(&*models, request(subject, "count")).await;
    check_frame(&chunks, FinishReason::Stop);
    assert_eq!(text_of(&chunks), "one two");
}

async fn texts_survive(subject: &dyn Subject) {
    let models = subject.gateway(TEXTS.map(Reply::says).to_vec()).await;
    for text in TEXTS {
        let chunks = ask(&*models, request(subject, text)).await;
        assert_eq!(text_of(&chunks), text);
    }
}

async fn a_large_answer_survives(subject: &dyn Subject) {
    // Not one part over and over, which would be stopped as such.
    let piece: String = (0..1 << 10).map(|at| format!("{at:015}ä")).collect();
    let pieces = LARGE / piece.len();
    let reply = (0..pieces).fold(Reply::new(), |reply, _| reply.text(&piece));
    let models = subject.gateway(vec![reply]).await;
    let chunks = ask(&*models, request(subject, "at length")).await;
    check_frame(&chunks, FinishReason::Stop);
    assert_eq!(text_of(&chunks).len(), piece.len() * pieces);
}

async fn thinking_and_tool_calls_survive(subject: &dyn Subject) {
    let first = json!({"path": "a ä.txt", "lines": [1, 2], "deep": {"x": null}});
    let second = json!({"path": "b.txt"});
    let reply = Reply::new()
        .thinking("let me ")
        .thinking("see…")
        .tool_call("read_file", first.clone())
        .tool_call("read_file", second.clone());
    let models = subject.gateway(vec![reply]).await;
    let mut request = request(subject, "read both");
    request.tools = vec![
        super::FakeTool::new("read_file", "fs_read", domain::tool::EffectClass::Read)
            .spec
            .definition,
    ];
    let chunks = ask(&*models, request).await;
    check_frame(&chunks, FinishReason::ToolCalls);
    let mut thinking = String::new();
    let mut calls = Vec::new();
    for chunk in chunks {
        match chunk.unwrap() {
            ChatChunk::Thinking(piece) => thinking.push_str(&piece),
            ChatChunk::ToolCall { call, .. } => calls.push(call),
            _ => {}
        }
    }
    assert_eq!(thinking, "let me see…");
    let seen: Vec<_> = calls
        .iter()
        .map(|c| (c.name.as_str(), &c.arguments))
        .collect();
    assert_eq!(seen, [("read_file", &first), ("read_file", &second)]);
    assert_ne!(calls[0].call_id, calls[1].call_id, "call ids are unique");
}

async fn an_error_before_the_first_byte_keeps_its_kind(subject: &dyn Subject) {
    for kind in subject.refusals() {
        let models = subject
            .gateway(vec![Reply::refused(kind, "refused: ä"); 4])
            .await;
        let Err(error) = models.chat(request(subject, "no")).await else {
            panic!("{kind:?} did not arrive");
        };
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(!error.detail.is_empty());
    }
}

async fn an_error_within_an_answer_ends_it(subject: &dyn Subject) {
    for kind in subject.failures() {
        let reply = Reply::new().text("half").fail(kind, "broke off");
        let models = subject.gateway(vec![reply]).await;
        let mut chunks = ask(&*models, request(subject, "go on")).await;
        let last = chunks.pop().expect("something came");
        assert_eq!(last.expect_err("the error is last").kind, kind);
        assert!(chunks.iter().all(Result::is_ok), "one error only");
        assert_eq!(text_of(&chunks), "half");
    }
}

async fn dropping_the_stream_stops_the_model(subject: &dyn Subject) {
    let models = subject
        .gateway(vec![Reply::new().text("for ever").hang()])
        .await;
    let mut stream = models
        .chat(request(subject, "talk"))
        .await
        .expect("it begins");
    loop {
        let chunk = within("the first text", stream.next()).await;
        if let ChatChunk::Text(_) = chunk.expect("it goes on").expect("no error") {
            break;
        }
    }
    drop(stream);
    within(
        "the model notices that its caller went away",
        subject.cancelled(),
    )
    .await;
}

async fn requests_side_by_side_do_not_mix(subject: &dyn Subject) {
    let names: Vec<String> = (0..16).map(|n| format!("answer {n}")).collect();
    let models = subject
        .gateway(names.iter().map(Reply::says).collect())
        .await;
    let requests = names
        .iter()
        .map(|_| ask(&*models, request(subject, "one of many")));
    let answers = futures::future::join_all(requests).await;
    let mut texts: Vec<String> = answers.iter().map(|chunks| text_of(chunks)).collect();
    let mut names = names;
    texts.sort();
    names.sort();
    assert_eq!(texts, names);
}

async fn the_other_questions_are_answered(subject: &dyn Subject) {
    let models = subject.gateway(Vec::new()).await;
    assert!(
        !models
            .list_models()
            .await
            .expect("models are listed")
            .is_empty()
    );
    assert!(
        !models
            .health()
            .await
            .expect("providers are listed")
            .is_empty()
    );
    let described = models.describe(subject.model()).await;
    let known = described.expect("what is known of a model is told");
    assert_ne!(known.context_tokens, Some(0));
    let count = |text: &str| models.count_tokens(subject.model(), text.to_owned());
    let (short, long) = (count("word").await, count(&"many words ".repeat(50)).await);
    assert!(short.expect("counted") < long.expect("counted"));
}

/// What a gateway promises that can embed.
pub async fn embedding(models: &dyn Models, model: ModelChoice) {
    let request = EmbedRequest {
        model,
        purpose: EmbedPurpose::Document,
        texts: vec!["one".to_owned(), "two ä".to_owned(), "one".to_owned()],
    };
    let answer = within("texts are embedded", models.embed(request))
        .await
        .expect("it can embed");
    let [one, two, again] = answer.vectors.as_slice() else {
        panic!("one vector a text, not {}", answer.vectors.len());
    };
    assert_eq!(one, again, "the same text has the same vector");
    assert_ne!(one, two, "different texts have different vectors");
    assert!(
        !one.is_empty() && one.len() == two.len(),
        "all vectors have one length"
    );
}

/// The fake, directly.
#[derive(Debug, Default)]
pub struct FakeSubject {
    latest: std::sync::Mutex<Option<Arc<FakeModels>>>,
}

impl FakeSubject {
    /// A fake with these replies, remembered as the latest.
    pub fn fake(&self, replies: Vec<Reply>) -> Arc<FakeModels> {
        let fake = Arc::new(FakeModels::new(replies));
        *self.latest.lock().unwrap() = Some(Arc::clone(&fake));
        fake
    }

    /// Completes when the latest fake has seen its caller go away.
    pub async fn cancelled(&self) {
        let latest = self.latest.lock().unwrap().clone();
        latest
            .expect("a gateway was made")
            .cancelled()
            .at_least(1)
            .await;
    }
}

#[async_trait]
impl Subject for FakeSubject {
    async fn gateway(&self, replies: Vec<Reply>) -> Arc<dyn Models> {
        self.fake(replies)
    }

    async fn cancelled(&self) {
        Self::cancelled(self).await;
    }

    fn refusals(&self) -> Vec<ErrorKind> {
        ErrorKind::ALL.to_vec()
    }

    fn failures(&self) -> Vec<ErrorKind> {
        ErrorKind::ALL.to_vec()
    }
}
