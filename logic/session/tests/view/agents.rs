//! Who works for whom.

use crate::{ended, event, of, view};
use domain::event::{Event, EventBody};
use domain::id::AgentId;
use domain::lineage::AgentType;
use domain::model::Usage;
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};
use session::{AgentState, GIST_CHARS};
use uuid::Uuid;

fn agent(number: u128) -> AgentId {
    AgentId::from_uuid(Uuid::from_u128(number))
}

fn by(number: u128, event: Event) -> Event {
    Event {
        agent_id: Some(agent(number)),
        ..event
    }
}

fn spawned(child: u128, task: &str) -> EventBody {
    EventBody::AgentSpawned {
        child: agent(child),
        agent_type: AgentType::new("researcher").unwrap(),
        task: task.to_owned(),
        task_id: None,
        budget_tokens: None,
    }
}

fn finished(child: u128) -> EventBody {
    EventBody::AgentFinished {
        child: agent(child),
        report: Report {
            status: ReportStatus::Success,
            summary: "it is blue".to_owned(),
            artifacts: Vec::new(),
            result_quality: ResultQuality::Verified,
            source: ReportSource::ToolOutput,
            new_memory_candidates: Vec::new(),
            failure_reason: None,
        },
        corrections: Vec::new(),
        usage: Usage::default(),
        duration_ms: 0,
    }
}

#[test]
fn each_agent_stands_below_the_one_that_started_it() {
    let whole = view([
        by(1, of(1, spawned(2, "look around"))),
        by(2, of(1, spawned(3, "look closer"))),
        by(1, of(1, spawned(4, "look away"))),
        by(2, of(1, finished(3))),
    ]);
    let tree = whole.agents();
    let below = |parent: Option<AgentId>| -> Vec<AgentId> {
        tree.children_of(parent).map(|one| one.id).collect()
    };
    assert_eq!(below(None), [agent(2), agent(4)]);
    assert_eq!(below(Some(agent(2))), [agent(3)]);
    let depths = [1, 2, 3, 4].map(|number| tree.depth(Some(agent(number))));
    assert_eq!(depths, [0, 1, 2, 1]);
    let reported = tree.find(agent(3)).unwrap();
    let expected = AgentState::Reported {
        status: ReportStatus::Success,
        quality: ResultQuality::Verified,
        summary: "it is blue".to_owned(),
    };
    assert_eq!(reported.state, expected);
    assert_eq!(tree.find(agent(2)).unwrap().state, AgentState::AtWork);
}

#[test]
fn an_agent_is_lost_when_its_request_ends() {
    let events = [
        by(1, of(1, spawned(2, "look"))),
        by(1, of(2, spawned(3, "look"))),
        ended(1, None),
    ];
    let whole = view(events);
    let state = |number| &whole.agents().find(agent(number)).unwrap().state;
    assert_eq!(state(2), &AgentState::Lost);
    assert_eq!(state(3), &AgentState::AtWork);
}

#[test]
fn of_a_long_brief_the_beginning_is_kept() {
    let long = "word ".repeat(GIST_CHARS);
    let whole = view([by(1, event(spawned(2, &long)))]);
    let kept = &whole.agents().find(agent(2)).unwrap().task;
    assert_eq!(kept.chars().count(), GIST_CHARS);
}
