//! One of every event, made from a seed.

use crate::samples::Seed;
use domain::context::{CompactionCause, Summary, SummaryKind, SummaryLine};
use domain::drive::{DriveDecision, DriveReason, DriveState, Origin, Presence, Signal};
use domain::event::{EventBody, QueryStatus};
use domain::id::{AgentId, ConfirmationId, QueryId, SessionId, ValueId};
use domain::quality::Winner;
use domain::settings::Mode;
use domain::task::{Task, TaskStatus};
use domain::tool::Edited;

impl Seed {
    /// One of every event.
    pub fn bodies(&self) -> Vec<EventBody> {
        let mut bodies = self.talk();
        bodies.extend(self.requests());
        bodies.extend(self.tools());
        bodies.extend(self.work());
        bodies.extend(self.worth());
        bodies.extend(self.lasting());
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
            EventBody::ModelChosen {
                model: self.model(),
                reason: text(),
                context_tokens: u32::from(self.byte),
            },
            EventBody::PromptRead(self.progress()),
            EventBody::TextDelta { text: text() },
            EventBody::ThinkingDelta { text: text() },
            EventBody::TextReplaced { text: text() },
            EventBody::ModelAnswered {
                text: text(),
                thinking: self.maybe(self.thinking()),
                tool_calls: vec![self.tool_call(); usize::from(self.byte % 3)],
                usage: self.usage(),
                finish: self.finish(),
                aside: self.flag,
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

    fn requests(&self) -> Vec<EventBody> {
        vec![
            EventBody::QueryReceived {
                text: self.text.clone(),
                mode: self.mode(),
                origin: self.pick(&[Origin::User, Origin::Drive]),
            },
            EventBody::QueryQueued {
                position: u32::from(self.byte),
            },
            EventBody::QueryMoved {
                before: self.maybe(QueryId::from_uuid(self.uuid())),
            },
            EventBody::ModeChosen {
                mode: Mode::Deterministic,
                reason: "by rules, no model".to_owned(),
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
                token: self.token(),
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
                edited: self.maybe(Edited {
                    places: self.number,
                    first_line: self.number,
                    last_line: self.number,
                }),
            },
            EventBody::ToolSchema {
                tools: vec![self.definition(); 2],
            },
            EventBody::PictureShown {
                name: self.text.clone(),
                picture: self.picture(),
                label: self.label(),
            },
        ]
    }

    fn worth(&self) -> Vec<EventBody> {
        let text = || self.text.clone();
        vec![
            EventBody::GradeAsked,
            EventBody::Critique {
                score: self.byte,
                feedback: text(),
                judge: self.model(),
                rubric: text(),
            },
            EventBody::NotGraded(self.fault()),
            EventBody::SecondAsked {
                model: self.maybe(self.model()),
                temperature: self.maybe(0.5),
            },
            EventBody::SecondAnswered {
                answer: text(),
                model: self.model(),
                temperature: 1.5,
            },
            EventBody::SecondMissed(self.fault()),
            EventBody::Pairwise {
                winner: self.pick(&Winner::ALL),
                feedback: text(),
                judge: self.model(),
            },
            EventBody::SecondRated {
                winner: self.pick(&Winner::ALL),
            },
            EventBody::SecondTaken { answer: text() },
            EventBody::Feedback {
                score: self.byte.cast_signed(),
                note: text(),
            },
            EventBody::Reward {
                value: self.byte.cast_signed(),
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
            EventBody::NotesShown {
                notes: vec![self.shown_notes(); 2],
                label: self.label(),
            },
            EventBody::InputGiven {
                name: text(),
                text: text(),
                label: self.label(),
            },
            EventBody::AgentSpawned {
                child,
                agent_type: self.agent_type(),
                task: text(),
                task_id: self.maybe(text()),
                budget_tokens: self.maybe(u64::from(self.byte)),
            },
            EventBody::AgentFinished {
                child,
                report: self.report(),
                corrections: self.strings(),
                usage: self.usage(),
                duration_ms: self.number,
            },
            EventBody::PlanProposed {
                plan: self.plan(),
                hash: self.digest(),
            },
            EventBody::TasksProposed {
                tasks: vec![self.task(); usize::from(self.byte % 3)],
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
            EventBody::Notice(self.fault()),
            EventBody::Error(self.fault()),
        ]
    }

    fn lasting(&self) -> Vec<EventBody> {
        use TaskStatus as T;
        let text = || self.text.clone();
        let mut bodies = vec![
            EventBody::TasksPlanned {
                tasks: vec![self.task(); usize::from(self.byte % 3)],
            },
            EventBody::TaskMoved {
                task_id: text(),
                status: self.pick(&[T::Waiting, T::Running, T::Done, T::Failed, T::Skipped]),
                reason: text(),
            },
            EventBody::ContextCompacted {
                before_tokens: self.number,
                after_tokens: self.number / 2,
                dropped_messages: u32::from(self.byte),
                cause: self.pick(&[
                    CompactionCause::Trimmed,
                    CompactionCause::Journal,
                    CompactionCause::Summary,
                    CompactionCause::Overflow,
                ]),
                through: self.maybe(self.number),
                summary: self.maybe(self.lines()),
                shortened_through: self.maybe(self.number / 3),
                journal_characters: self.number / 5,
                newest_characters: self.number / 7,
            },
            EventBody::JournalWritten {
                title: text(),
                text: text(),
                through: self.number,
            },
            EventBody::Pinned {
                seq: self.number,
                pinned: self.flag,
            },
            EventBody::Rewound {
                to_seq: self.number,
            },
            EventBody::DriveState(DriveDecision {
                state: self.pick(&[
                    DriveState::Engaged,
                    DriveState::Working,
                    DriveState::Foraging,
                    DriveState::Resting,
                    DriveState::Stored,
                    DriveState::Dreaming,
                    DriveState::Quiet,
                ]),
                cause: self.maybe(self.pick(&DriveReason::ALL)),
                reason: text(),
            }),
        ];
        let signals = self.signals().into_iter();
        bodies.extend(signals.map(|signal| EventBody::SignalReceived { signal }));
        bodies
    }

    fn task(&self) -> Task {
        Task {
            id: self.text.clone(),
            agent_type: self.text.clone(),
            goal: self.text.clone(),
            inputs: self.strings(),
            depends_on: self.strings(),
            expected_artifacts: self.strings(),
        }
    }

    fn lines(&self) -> Summary {
        use SummaryKind as K;
        let kinds = [K::Decision, K::Artifact, K::OpenQuestion, K::Constraint];
        let line = SummaryLine {
            kind: self.pick(&kinds),
            text: self.text.clone(),
            cites: vec![self.number; usize::from(self.byte % 3)],
        };
        Summary {
            lines: vec![line; usize::from(self.byte % 3)],
        }
    }

    fn signals(&self) -> Vec<Signal> {
        let text = || self.text.clone();
        vec![
            Signal::FilesChanged {
                paths: self.strings(),
                count: u32::from(self.byte),
            },
            Signal::JobFinished {
                name: text(),
                succeeded: self.flag,
                summary: text(),
            },
            Signal::Timer { note: text() },
            Signal::Feedback {
                query_id: QueryId::from_uuid(self.uuid()),
                score: self.byte.cast_signed(),
            },
            Signal::Graded {
                query_id: QueryId::from_uuid(self.uuid()),
                score: self.byte,
            },
            Signal::Message {
                channel: text(),
                text: text(),
            },
            Signal::Presence {
                presence: self.pick(&[Presence::Active, Presence::Idle, Presence::Locked]),
            },
        ]
    }
}
