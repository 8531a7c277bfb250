//! One of every event, made from a seed.

use crate::samples::Seed;
use domain::event::{EventBody, QueryStatus};
use domain::id::{AgentId, ConfirmationId, SessionId, ValueId};

impl Seed {
    /// One of every event.
    pub fn bodies(&self) -> Vec<EventBody> {
        let mut bodies = self.talk();
        bodies.extend(self.tools());
        bodies.extend(self.work());
        bodies
    }

    fn talk(&self) -> Vec<EventBody> {
        let text = || self.text.clone();
        let origin = (SessionId::from_uuid(self.uuid()), self.number);
        vec![
            EventBody::SessionOpened {
                profile: self.profile(),
                forked_from: self.maybe(origin),
            },
            EventBody::SessionResumed {
                profile: self.profile(),
            },
            EventBody::SessionConfigured {
                profile: self.profile(),
            },
            EventBody::QueryReceived {
                text: text(),
                mode: self.mode(),
            },
            EventBody::QueryQueued {
                position: u32::from(self.byte),
            },
            EventBody::ModelChosen {
                model: self.model(),
                reason: text(),
            },
            EventBody::TextDelta { text: text() },
            EventBody::ThinkingDelta { text: text() },
            EventBody::TextReplaced { text: text() },
            EventBody::ModelAnswered {
                text: text(),
                thinking: self.maybe(self.thinking()),
                tool_calls: vec![self.tool_call(); usize::from(self.byte % 3)],
                usage: self.usage(),
                finish: self.finish(),
            },
            EventBody::ModelNudged { text: text() },
            EventBody::GenerationFinished {
                answer: text(),
                thinking: text(),
                tool_calls: vec![self.summary(); usize::from(self.byte % 3)],
                usage: self.usage(),
                model: self.maybe(self.model()),
                label: self.maybe(self.label()),
            },
            EventBody::DialogTurn {
                query: text(),
                answer: text(),
            },
            EventBody::QueryFinished {
                status: self.pick(&[
                    QueryStatus::Success,
                    QueryStatus::Partial,
                    QueryStatus::Failed,
                    QueryStatus::Denied,
                    QueryStatus::Interrupted,
                ]),
                artifacts: self.strings(),
                duration_ms: self.number,
                error: self.maybe(self.fault()),
            },
        ]
    }

    fn tools(&self) -> Vec<EventBody> {
        let text = || self.text.clone();
        vec![
            EventBody::ToolRequested {
                tool: text(),
                arguments: self.json.clone(),
                recovered: self.flag,
            },
            EventBody::BrokerDecision {
                verdict: self.verdict(),
                layer: self.layer(),
                rule: text(),
                reason: text(),
            },
            EventBody::ConfirmationAsked(self.confirmation()),
            EventBody::ConfirmationAnswered {
                confirmation_id: ConfirmationId::from_uuid(self.uuid()),
                answer: self.answer(),
                by: text(),
            },
            EventBody::ToolProgress {
                message: text(),
                percent: self.maybe(self.byte),
            },
            EventBody::ToolResult {
                tool: text(),
                status: self.status(),
                value_id: self.maybe(ValueId::from_uuid(self.uuid())),
                label: self.maybe(self.label()),
                text: text(),
                truncated: self.flag,
                duration_ms: self.number,
                artifacts: self.strings(),
            },
            EventBody::ToolSchema {
                tools: vec![self.definition(); 2],
            },
        ]
    }

    fn work(&self) -> Vec<EventBody> {
        let text = || self.text.clone();
        let child = AgentId::from_uuid(self.uuid());
        vec![
            EventBody::MemoryRecalled {
                memories: self.strings(),
                query: text(),
                text: text(),
                label: self.maybe(self.label()),
                value_id: self.maybe(ValueId::from_uuid(self.uuid())),
            },
            EventBody::Critique {
                score: self.byte,
                feedback: text(),
            },
            EventBody::Pairwise { winner: text() },
            EventBody::Feedback {
                score: self.byte.cast_signed(),
                note: text(),
            },
            EventBody::Reward {
                value: self.byte.cast_signed(),
            },
            EventBody::AgentSpawned {
                child,
                agent_type: self.agent_type(),
                task: text(),
            },
            EventBody::AgentFinished {
                child,
                report: self.report(),
            },
            EventBody::ContextCompacted {
                before_tokens: self.number,
                after_tokens: self.number / 2,
                dropped_messages: u32::from(self.byte),
            },
            EventBody::PlanProposed {
                plan: self.plan(),
                hash: self.digest(),
            },
            EventBody::PlanApproved {
                hash: self.digest(),
                by: text(),
            },
            EventBody::PlanStep {
                index: 0,
                status: self.status(),
                text: text(),
            },
            EventBody::DriveState {
                state: text(),
                reason: text(),
            },
            EventBody::Notice(self.fault()),
            EventBody::Error(self.fault()),
        ]
    }
}
