//! What goes over the wire comes back the same, and a bad field is named.

use crate::own_calls::own_call;
use crate::samples::{Seed, seeds};
use crate::schema::oneof_fields;
use api::broker::{
    CallRequest, PlanApproval, PlanEvent, PlanRequest, PlannedCall, ToolEvent, ToolResult,
};
use api::guard::{Answer, Request, Step};
use api::models::{ChatChunk, ChatRequest, ToolChoice};
use api::search::{
    Claim, PageFailure, PageFault, PageSummary, ReadAnswer, ReadRequest, SearchAnswer,
    SearchRequest,
};
use api::{CallContext, sessions::SessionSummary};
use domain::arguments::Arguments;
use domain::decision::{Decision, Finding};
use domain::event::Event;
use domain::id::{
    AgentId, AgentToken, CallId, ConfirmationId, HolderId, PlanId, QueryId, RespondentId,
    SessionId, TraceId, ValueId,
};
use domain::message::Message;
use domain::model::{Priority, Think};
use domain::rights::WebContent;
use proptest::prelude::*;
use proto::InvalidField;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

/// To the wire, through bytes, and back.
pub fn comes_back<D, W>(value: D)
where
    D: Clone + PartialEq + Debug + TryFrom<W, Error = InvalidField>,
    W: From<D> + prost::Message + Default,
{
    let bytes = W::from(value.clone()).encode_to_vec();
    let wire = W::decode(bytes.as_slice()).unwrap();
    assert_eq!(D::try_from(wire).unwrap(), value);
}

fn context(seed: &Seed) -> CallContext {
    CallContext {
        session_id: SessionId::from_uuid(seed.uuid()),
        agent_token: AgentToken::from_text(seed.text.clone()),
        trace_id: TraceId::from_uuid(seed.uuid()),
    }
}

fn decision(seed: &Seed) -> Decision {
    Decision {
        confirmation_id: seed.flag.then(|| ConfirmationId::from_uuid(seed.uuid())),
        ..Decision::strictest(vec![
            Finding {
                layer: seed.layer(),
                verdict: seed.verdict(),
                rule: seed.text.clone(),
                model_reason: seed.text.clone(),
                user_reason: seed.text.clone(),
            };
            3
        ])
    }
}

fn events(seed: &Seed) -> impl Iterator<Item = Event> {
    let seed = seed.clone();
    seed.bodies().into_iter().map(move |body| Event {
        seq: seed.number,
        time: seed.time(),
        session_id: SessionId::from_uuid(seed.uuid()),
        query_id: seed.flag.then(|| QueryId::from_uuid(seed.uuid())),
        agent_id: seed.flag.then(|| AgentId::from_uuid(seed.uuid())),
        respondent_id: (!seed.flag).then(|| RespondentId::from_uuid(seed.uuid())),
        call_id: (!seed.flag).then(|| CallId::from_uuid(seed.uuid())),
        body,
    })
}

fn messages(seed: &Seed) -> Vec<Message> {
    let text = seed.text.clone();
    vec![
        Message::System { text: text.clone() },
        Message::User { text: text.clone() },
        Message::Assistant {
            text: text.clone(),
            thinking: seed.flag.then(|| seed.thinking()),
            tool_calls: vec![seed.tool_call(); 2],
        },
        Message::Tool {
            call_id: CallId::from_uuid(seed.uuid()),
            name: seed.tool_name(),
            text: text.clone(),
        },
        Message::Picture {
            text,
            picture: seed.picture(),
        },
    ]
}

fn chunks(seed: &Seed) -> Vec<ChatChunk> {
    let text = || seed.text.clone();
    vec![
        ChatChunk::Started {
            model: seed.model(),
            reason: text(),
        },
        ChatChunk::PromptRead(seed.progress()),
        ChatChunk::Text(text()),
        ChatChunk::Thinking(text()),
        ChatChunk::ThinkingBlock(seed.thinking()),
        ChatChunk::TextReplaced(text()),
        ChatChunk::ToolCallDelta {
            index: 7,
            name: text(),
            arguments: text(),
        },
        ChatChunk::ToolCall {
            call: seed.tool_call(),
            recovered: seed.flag,
        },
        ChatChunk::Usage(seed.usage()),
        ChatChunk::Notice(seed.fault()),
        ChatChunk::Finished(domain::model::FinishReason::Length),
    ]
}

fn tool_events(seed: &Seed) -> Vec<ToolEvent> {
    let result = ToolResult {
        status: seed.status(),
        value_id: seed.flag.then(|| ValueId::from_uuid(seed.uuid())),
        label: seed.flag.then(|| seed.label()),
        text: seed.text.clone(),
        data: seed.json.clone(),
        truncated: seed.flag,
        duration_ms: seed.number,
        artifacts: vec![seed.text.clone()],
    };
    vec![
        ToolEvent::Decided(decision(seed)),
        ToolEvent::ConfirmationAsked(seed.confirmation()),
        ToolEvent::ConfirmationAnswered {
            confirmation_id: ConfirmationId::from_uuid(seed.uuid()),
            answer: seed.answer(),
            by: seed.text.clone(),
            token: seed.token(),
        },
        ToolEvent::Started,
        ToolEvent::Progress {
            message: seed.text.clone(),
            percent: Some(seed.byte),
        },
        ToolEvent::Notice(seed.fault()),
        ToolEvent::CallerRuns(own_call(seed)),
        ToolEvent::Finished(result),
    ]
}

fn plan_events(seed: &Seed) -> Vec<PlanEvent> {
    vec![
        PlanEvent::Proposed {
            hash: seed.digest(),
            decisions: vec![decision(seed); 2],
        },
        PlanEvent::ConfirmationAsked(seed.confirmation()),
        PlanEvent::ConfirmationAnswered {
            confirmation_id: ConfirmationId::from_uuid(seed.uuid()),
            answer: seed.answer(),
            by: seed.text.clone(),
            token: seed.token(),
        },
        PlanEvent::Pinned {
            plan_id: PlanId::from_uuid(seed.uuid()),
            hash: seed.digest(),
            by: seed.text.clone(),
        },
        PlanEvent::Refused {
            decision: decision(seed),
        },
    ]
}

fn guard_requests(seed: &Seed) -> Vec<Request> {
    let (id, tool) = (seed.number, seed.text.clone());
    let steps = vec![
        Step::Tool(seed.text.clone()),
        Step::Call {
            tool: seed.text.clone(),
            args: seed.json.clone(),
        },
    ];
    let steps = steps.into_iter().take(usize::from(seed.byte % 3)).collect();
    vec![
        Request::Begin {
            prompt: seed.text.clone(),
            tools: vec![seed.definition(); 2],
            plan: seed.flag.then_some(steps),
        },
        Request::Say {
            text: seed.text.clone(),
        },
        Request::Check {
            id,
            tool: tool.clone(),
            args: Arguments {
                value: seed.json.clone(),
                twice: seed.flag.then(|| seed.text.clone()),
                unreadable: None,
            },
        },
        Request::Observe {
            id,
            tool,
            result: seed.json.clone(),
        },
        Request::Refuse { id },
        Request::End,
    ]
}

fn guard_answers(seed: &Seed) -> Vec<Answer> {
    vec![
        Answer::Decided {
            id: seed.number,
            decision: decision(seed),
        },
        Answer::Refused {
            problem: seed.text.clone(),
        },
    ]
}

fn search_answer(seed: &Seed) -> SearchAnswer {
    let claim = Claim {
        claim: seed.text.clone(),
        source_url: seed.text.clone(),
        confidence: f32::from(seed.byte) / 255.0,
        date: seed.flag.then(|| seed.time()),
        summary: seed.text.clone(),
        extracted: seed.flag.then(|| seed.text.clone()),
    };
    SearchAnswer {
        today: seed.time(),
        claims: vec![claim; 2],
        failures: page_failures(seed),
        label: seed.label(),
    }
}

/// One of each fault.
fn page_failures(seed: &Seed) -> Vec<PageFailure> {
    use PageFault::*;
    let faults = [
        InvalidUrl,
        Blocked,
        Robots,
        Unreachable,
        Timeout,
        Status(u16::from(seed.byte)),
        Redirects,
        TooLarge,
        ContentType,
        NoText,
    ];
    let failure = |fault| PageFailure {
        url: seed.text.clone(),
        fault,
        detail: seed.text.clone(),
    };
    faults.into_iter().map(failure).collect()
}

fn read_answers(seed: &Seed) -> Vec<ReadAnswer> {
    let page = PageSummary {
        url: seed.text.clone(),
        title: seed.text.clone(),
        summary: seed.text.clone(),
        extracted: seed.flag.then(|| seed.text.clone()),
        language: seed.flag.then(|| seed.text.clone()),
        date: seed.flag.then(|| seed.time()),
        label: seed.label(),
    };
    let failures = page_failures(seed).into_iter().map(ReadAnswer::Failed);
    std::iter::once(ReadAnswer::Page(page))
        .chain(failures)
        .collect()
}

proptest! {
    #[test]
    fn every_event_comes_back(seed in seeds()) {
        for event in events(&seed) {
            // The session log's form is another: no field of a body may be called as one of the
            // event is. A path that is no UTF-8 has no such form.
            if let Ok(line) = serde_json::to_string(&event) {
                let read: Event = serde_json::from_str(&line).unwrap();
                assert_eq!(read, event, "{line}");
            }
            comes_back::<Event, proto::Event>(event);
        }
    }

    #[test]
    fn what_models_are_asked_and_answer_comes_back(seed in seeds()) {
        use Think::{Default, High, Low, Medium, Off, On};
        for think in [Default, Off, On, Low, Medium, High] {
            let mut request = ChatRequest::new(seed.choice(), messages(&seed));
            request.context = seed.flag.then(|| context(&seed));
            request.tools = vec![seed.definition()];
            request.tool_choice = match seed.byte % 4 {
                0 => ToolChoice::Auto,
                1 => ToolChoice::Required,
                2 => ToolChoice::None,
                _ => ToolChoice::Only(seed.tool_name()),
            };
            request.think = think;
            request.priority = Priority::ALL[usize::from(seed.byte) % Priority::ALL.len()];
            request.context_tokens = seed.flag.then_some(u32::MAX);
            request.max_tokens = Some(0);
            request.temperature = Some(0.1);
            request.seed = Some(seed.number);
            request.response_schema = seed.flag.then(|| seed.json.clone());
            request.stable_messages = usize::from(seed.byte);
            request.deadline = seed.flag.then(|| Duration::from_nanos(seed.number));
            let narrowed = seed.flag.then(|| (seed.tool_name(), seed.json.clone()));
            request.narrowed = narrowed.into_iter().collect();
            comes_back::<ChatRequest, proto::ChatRequest>(request);
        }
        for chunk in chunks(&seed) {
            comes_back::<ChatChunk, proto::ChatChunk>(chunk);
        }
    }

    #[test]
    fn what_the_broker_is_asked_and_answers_comes_back(seed in seeds()) {
        comes_back::<CallRequest, proto::CallRequest>(CallRequest {
            context: context(&seed),
            call_id: CallId::from_uuid(seed.uuid()),
            tool: seed.text.clone(),
            arguments: seed.json.clone(),
            plan_id: seed.flag.then(|| PlanId::from_uuid(seed.uuid())),
            batch: seed.batch(),
            recovered: seed.flag,
        });
        let call = PlannedCall { tool: seed.text.clone(), arguments: seed.json.clone() };
        comes_back::<PlanRequest, proto::PinPlanRequest>(PlanRequest {
            context: context(&seed),
            intent: seed.text.clone(),
            calls: vec![call; 2],
            approval: match seed.flag {
                true => PlanApproval::Always,
                false => PlanApproval::Changes,
            },
        });
        for event in tool_events(&seed) {
            comes_back::<ToolEvent, proto::ToolEvent>(event);
        }
        for event in plan_events(&seed) {
            comes_back::<PlanEvent, proto::PlanEvent>(event);
        }
    }

    #[test]
    fn what_search_is_asked_and_answers_comes_back(seed in seeds()) {
        comes_back::<SearchRequest, proto::SearchRequest>(SearchRequest {
            context: seed.flag.then(|| context(&seed)),
            query: seed.text.clone(),
            max_results: u32::from(seed.byte),
            content: seed.pick(&[WebContent::Summary, WebContent::Extracted]),
        });
        comes_back::<ReadRequest, proto::ReadPageRequest>(ReadRequest {
            context: seed.flag.then(|| context(&seed)),
            url: seed.text.clone(),
            question: seed.text.clone(),
            content: seed.pick(&[WebContent::Summary, WebContent::Extracted]),
        });
        comes_back::<SearchAnswer, proto::SearchResponse>(search_answer(&seed));
        for answer in read_answers(&seed) {
            comes_back::<ReadAnswer, proto::ReadPageResponse>(answer);
        }
    }

    #[test]
    fn what_the_guard_is_told_and_answers_comes_back(seed in seeds()) {
        for request in guard_requests(&seed) {
            comes_back::<Request, proto::GuardRequest>(request);
        }
        for answer in guard_answers(&seed) {
            comes_back::<Answer, proto::GuardAnswer>(answer);
        }
    }

    #[test]
    fn what_a_session_shows_and_takes_back_comes_back(seed in seeds()) {
        let part = domain::context::ContextPart {
            name: seed.text.clone(),
            tokens: seed.number,
            text: seed.text.repeat(2),
        };
        comes_back::<_, proto::ContextView>(domain::context::ContextView {
            context_tokens: seed.number,
            budget_tokens: seed.number / 2,
            reused_permille: seed.maybe(u16::from(seed.byte)),
            parts: vec![part; usize::from(seed.byte % 3)],
        });
        comes_back::<_, proto::RewindResponse>(api::sessions::TakenBack {
            query_id: QueryId::from_uuid(seed.uuid()),
            text: seed.text,
        });
    }

    #[test]
    fn a_summary_comes_back(seed in seeds()) {
        comes_back::<SessionSummary, proto::SessionSummary>(SessionSummary {
            session_id: SessionId::from_uuid(seed.uuid()),
            title: seed.text.clone(),
            workspace: seed.path(),
            created: seed.time(),
            updated: seed.time(),
            last_seq: seed.number,
            live: seed.flag,
            holder_id: seed.maybe(HolderId::from_uuid(seed.uuid())),
            holders: u32::from(seed.byte),
            forked_from: seed.maybe((SessionId::from_uuid(seed.uuid()), seed.number)),
        });
    }

    /// Any bytes at all either are no message, or are refused by field, or are understood.
    #[test]
    fn random_bytes_are_understood_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        fn feed<D, W>(bytes: &[u8])
        where
            D: TryFrom<W, Error = InvalidField>,
            W: prost::Message + Default,
        {
            if let Ok(wire) = W::decode(bytes)
                && let Err(error) = D::try_from(wire)
            {
                assert!(!error.field.is_empty() && !error.problem.is_empty());
            }
        }
        feed::<Event, proto::Event>(&bytes);
        feed::<ChatRequest, proto::ChatRequest>(&bytes);
        feed::<ChatChunk, proto::ChatChunk>(&bytes);
        feed::<ToolEvent, proto::ToolEvent>(&bytes);
        feed::<Request, proto::GuardRequest>(&bytes);
        feed::<SearchAnswer, proto::SearchResponse>(&bytes);
        feed::<ReadAnswer, proto::ReadPageResponse>(&bytes);
        feed::<(api::audit::Entry, api::audit::Durability), proto::Record>(&bytes);
        feed::<api::sessions::OpenRequest, proto::OpenRequest>(&bytes);
        feed::<api::sessions::TakenBack, proto::RewindResponse>(&bytes);
        feed::<domain::context::ContextView, proto::ContextView>(&bytes);
    }
}

fn seed(byte: u8) -> Seed {
    Seed {
        text: "text ä".to_owned(),
        number: 1 << 40,
        byte,
        flag: true,
        id: 0x0190_a3c2_7b1e_7000_8000_0000_0000_0000,
        json: serde_json::json!({"a": [1, null]}),
        path: b"home/user".to_vec(),
        nanoseconds: 1_700_000_000_000_000_001,
    }
}

/// The samples leave no event and no action out, and walk through every value of every enum.
#[test]
fn the_samples_are_complete() {
    fn names<T: Debug>(values: impl IntoIterator<Item = T>) -> BTreeSet<String> {
        let snake = |text: String| {
            let name = text.split(['(', ' ', '{']).next().unwrap_or_default();
            let mut snake = String::new();
            for letter in name.chars() {
                if letter.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
            }
            snake
        };
        values
            .into_iter()
            .map(|value| snake(format!("{value:?}")))
            .collect()
    }
    let one = seed(0);
    assert_eq!(names(one.bodies()), oneof_fields("Event"));
    assert_eq!(names(one.plan().actions), oneof_fields("PlanAction"));
    assert_eq!(names(tool_events(&one)), oneof_fields("ToolEvent"));
    assert_eq!(names(plan_events(&one)), oneof_fields("PlanEvent"));
    assert_eq!(names(chunks(&one)), oneof_fields("ChatChunk"));
    assert_eq!(names(guard_requests(&one)), oneof_fields("GuardRequest"));
    assert_eq!(names(guard_answers(&one)), oneof_fields("GuardAnswer"));
    for byte in 0..60 {
        for event in events(&seed(byte)) {
            comes_back::<Event, proto::Event>(event);
        }
    }
}

fn refused<D, W>(wire: W) -> String
where
    D: Debug + TryFrom<W, Error = InvalidField>,
{
    D::try_from(wire).unwrap_err().to_string()
}

#[test]
fn a_bad_field_is_named_with_its_place() {
    let mut request =
        proto::ChatRequest::from(ChatRequest::new(seed(0).choice(), messages(&seed(0))));
    request.messages[3] = proto::ChatMessage {
        role: Some(proto::chat_message::Role::Tool(proto::chat_message::Tool {
            call_id: "not-a-uuid".to_owned(),
            name: "read_file".to_owned(),
            text: String::new(),
        })),
    };
    let error = refused::<ChatRequest, _>(request.clone());
    assert!(
        error.starts_with("field `messages[3].tool.call_id`: `not-a-uuid` is not"),
        "{error}"
    );
    request.messages.truncate(3);
    request.model = None;
    let error = refused::<ChatRequest, _>(request);
    assert_eq!(error, "field `model`: is required");

    let whole = proto::Event::from(events(&seed(0)).next().unwrap());
    type Spoil = fn(&mut proto::Event);
    let cases: [(&str, Spoil); 5] = [
        ("field `body`: is required", |e| e.body = None),
        ("field `time`: is required", |e| e.time = None),
        ("field `session_id`: `` is not a valid session id", |e| {
            e.session_id.clear()
        }),
        ("field `SessionOpened.profile`: is required", |e| {
            e.body = Some(proto::event::Body::SessionOpened(Default::default()));
        }),
        ("field `QueryReceived.mode`: is required", |e| {
            e.body = Some(proto::event::Body::QueryReceived(Default::default()));
        }),
    ];
    for (expected, spoil) in cases {
        let mut spoiled = whole.clone();
        spoil(&mut spoiled);
        let error = refused::<Event, _>(spoiled);
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn an_unknown_enum_value_and_json_that_is_none_are_refused() {
    let mut wire = proto::Decision::from(decision(&seed(0)));
    wire.findings[1].verdict = 99;
    let error = refused::<Decision, _>(wire.clone());
    assert!(error.starts_with("field `findings[1].verdict`"), "{error}");
    wire.findings[1].verdict = proto::Verdict::Unspecified as i32;
    assert_eq!(
        refused::<Decision, _>(wire),
        "field `findings[1].verdict`: is required"
    );

    let call = proto::ToolCall {
        call_id: seed(0).uuid().to_string(),
        name: "x".to_owned(),
        arguments_json: "{\"open\": ".to_owned(),
    };
    let error = refused::<domain::message::ToolCall, _>(call);
    assert!(
        error.starts_with("field `arguments_json`: is not JSON"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_read_is_still_a_check_or_a_result() {
    use proto::guard_request::{Check, Observe, Request as Wire};
    let read = |request| {
        Request::try_from(proto::GuardRequest {
            request: Some(request),
        })
    };
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for text in ["", "{} x", r#"{"a": 1e400}"#, r#"{"a": "\ud800"}"#, &deep] {
        let check = Wire::Check(Check {
            args_json: text.to_owned(),
            ..Default::default()
        });
        let Ok(Request::Check { args, .. }) = read(check) else {
            panic!("{text}");
        };
        assert!(args.unreadable.is_some(), "{text}");
        let observe = Wire::Observe(Observe {
            result_json: text.to_owned(),
            ..Default::default()
        });
        let Ok(Request::Observe { result, .. }) = read(observe) else {
            panic!("{text}");
        };
        assert_eq!(result, text);
    }
}

#[test]
fn a_key_that_stands_twice_in_a_guarded_calls_arguments_is_seen() {
    use proto::guard_request::{Check, Request as Wire};
    let check = Wire::Check(Check {
        args_json: r#"{"to": "a", "to": "b"}"#.to_owned(),
        ..Default::default()
    });
    let read = Request::try_from(proto::GuardRequest {
        request: Some(check),
    });
    let Ok(Request::Check { args, .. }) = read else {
        panic!("{read:?}");
    };
    assert_eq!(args.twice.as_deref(), Some("to"));
}
