//! What is promised of grades and rewards: they are events of the request that was answered, whether
//! the session is open or not.

use super::subject::{Subject, all, held, kind, log, send};
use crate::fresh_uuid;
use api::sessions::{Compared, ErrorKind, Finding, Grade, SecondAnswer, SecondRequest};
use domain::event::EventBody;
use domain::fault::Fault;
use domain::id::{QueryId, SessionId};
use domain::model::ModelRef;
use domain::quality::Winner;

fn graded(score: u8) -> Finding {
    Finding::Graded(Grade {
        score,
        feedback: "Right ☺, but\nlong.".to_owned(),
        judge: judge(),
        rubric: "general".to_owned(),
    })
}

fn judge() -> ModelRef {
    ModelRef {
        provider: "p".to_owned(),
        model: "judge".to_owned(),
    }
}

fn second(temperature: f32) -> Finding {
    Finding::Second(SecondAnswer {
        answer: "Another ☺\nanswer.".to_owned(),
        model: judge(),
        temperature,
    })
}

fn findings() -> [Finding; 6] {
    let fault = Fault {
        code: "quality.no_judge".to_owned(),
        message: "No model judges.".to_owned(),
        hint: "Set one.".to_owned(),
    };
    [
        graded(4),
        Finding::NotGraded(fault.clone()),
        Finding::Rewarded(-100),
        second(1.5),
        Finding::NoSecond(fault),
        Finding::Compared(Compared {
            winner: Winner::B,
            feedback: "B is shorter.".to_owned(),
            judge: judge(),
        }),
    ]
}

pub(super) async fn findings_are_events_of_the_request(subject: &Subject) {
    let (id, holder_id) = held(subject).await;
    let sent = all(send(subject, id, &subject.ends).await).await;
    let query_id = sent[0].query_id.expect("a request has an id");
    record(subject, id, query_id).await;
    let closing = subject.sessions.close(id, holder_id);
    closing.await.expect("it closes");
    // Of a session that nobody holds as well.
    record(subject, id, query_id).await;
    let found: Vec<EventBody> = log(subject, id, 1)
        .await
        .into_iter()
        .filter(|event| event.query_id == Some(query_id))
        .map(|event| event.body)
        .skip_while(|body| !matches!(body, EventBody::GradeAsked))
        .collect();
    let one_round = || {
        let asked = EventBody::SecondAsked {
            model: Some(judge()),
            temperature: Some(0.5),
        };
        let found = findings().map(Into::into);
        let rated = EventBody::SecondRated {
            winner: Winner::Tie,
        };
        let better = EventBody::SecondRated { winner: Winner::B };
        let taken = EventBody::SecondTaken {
            answer: "Another ☺\nanswer.".to_owned(),
        };
        [EventBody::GradeAsked, asked]
            .into_iter()
            .chain(found)
            .chain([rated, better, taken])
    };
    let expected: Vec<EventBody> = one_round().chain(one_round()).collect();
    assert_eq!(found, expected);
}

async fn record(subject: &Subject, id: SessionId, query_id: QueryId) {
    let asking = subject.sessions.ask_grade(id, query_id);
    asking.await.expect("the wish is kept");
    let wanted = SecondRequest {
        model: Some(judge()),
        temperature: Some(0.5),
    };
    let asking = subject.sessions.ask_second(id, query_id, wanted);
    asking.await.expect("the wish is kept");
    for finding in findings() {
        let recording = subject.sessions.record_finding(id, query_id, finding);
        recording.await.expect("the finding is kept");
    }
    let rating = subject.sessions.rate_second(id, query_id, Winner::Tie);
    rating.await.expect("the choice is kept");
    let taking = subject.sessions.take_second(id, query_id);
    taking.await.expect("the answer is taken over");
    let twice = subject.sessions.take_second(id, query_id).await;
    assert_eq!(kind(twice), ErrorKind::InvalidRequest);
}

pub(super) async fn bad_findings_are_refused(subject: &Subject) {
    let (id, _) = held(subject).await;
    let sent = all(send(subject, id, &subject.ends).await).await;
    let query_id = sent[0].query_id.expect("a request has an id");
    let unknown = QueryId::from_uuid(fresh_uuid());
    let elsewhere = SessionId::from_uuid(fresh_uuid());
    let asking = subject.sessions.ask_grade(id, unknown).await;
    assert_eq!(kind(asking), ErrorKind::InvalidRequest);
    let asking = subject.sessions.ask_grade(elsewhere, query_id).await;
    assert_eq!(kind(asking), ErrorKind::NotFound);
    let second_asked = async |id, query_id, temperature| {
        let wanted = SecondRequest {
            model: None,
            temperature,
        };
        kind(subject.sessions.ask_second(id, query_id, wanted).await)
    };
    assert_eq!(
        second_asked(id, unknown, None).await,
        ErrorKind::InvalidRequest
    );
    for bad in [-0.1, 2.1, f32::NAN] {
        let asked = second_asked(id, query_id, Some(bad)).await;
        assert_eq!(asked, ErrorKind::InvalidRequest);
    }
    let rating = subject.sessions.rate_second(id, query_id, Winner::B).await;
    assert_eq!(kind(rating), ErrorKind::InvalidRequest);
    let taking = subject.sessions.take_second(id, query_id).await;
    assert_eq!(kind(taking), ErrorKind::InvalidRequest);
    let record = async |id, query_id, finding| {
        let recording = subject.sessions.record_finding(id, query_id, finding);
        kind(recording.await)
    };
    for (bad_id, finding) in [
        (unknown, graded(4)),
        (query_id, graded(0)),
        (query_id, graded(6)),
        (query_id, Finding::Rewarded(101)),
        (query_id, Finding::Rewarded(-101)),
        (query_id, second(2.1)),
        (query_id, second(f32::NAN)),
    ] {
        assert_eq!(record(id, bad_id, finding).await, ErrorKind::InvalidRequest);
    }
    assert_eq!(
        record(elsewhere, query_id, graded(4)).await,
        ErrorKind::NotFound
    );
    // One second answer is waited for at a time.
    let wanted = || SecondRequest {
        model: None,
        temperature: None,
    };
    let asking = subject.sessions.ask_second(id, query_id, wanted()).await;
    asking.expect("the wish is kept");
    let again = subject.sessions.ask_second(id, query_id, wanted()).await;
    assert_eq!(kind(again), ErrorKind::InvalidRequest);
}
