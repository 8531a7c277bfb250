//! Events: everything that happens in a session, as people, logs and observers see it.

mod confirmation;
mod outcome;

pub use confirmation::{
    Batch, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, StepChange,
};
pub use outcome::{CallStatus, QueryStatus, ToolCallSummary};

use crate::context::{CompactionCause, Summary};
use crate::decision::{Layer, Verdict};
use crate::drive::{DriveDecision, Origin, Signal};
use crate::fault::Fault;
use crate::hash::Digest;
use crate::id::{AgentId, CallId, ConfirmationId, QueryId, RespondentId, SessionId, ValueId};
use crate::label::Label;
use crate::lineage::AgentType;
use crate::message::{Thinking, ToolCall};
use crate::model::{FinishReason, ModelRef, PromptProgress, Usage};
use crate::notes::ShownNotes;
use crate::picture::Picture;
use crate::plan::Plan;
use crate::quality::Winner;
use crate::report::Report;
use crate::settings::{Mode, SessionProfile};
use crate::task::{Task, TaskStatus};
use crate::token::TokenName;
use crate::tool::{Edited, ToolDefinition};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that happened. The JSON form is one line of the session log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Position in the session, from 1, without gaps. One in passing has that of the event before it.
    pub seq: u64,
    /// When, UTC.
    pub time: Timestamp,
    /// Where.
    pub session_id: SessionId,
    /// For which request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_id: Option<QueryId>,
    /// By which agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// By which of several answerers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respondent_id: Option<RespondentId>,
    /// Which tool call it belongs to: correlates request, decision and result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// What.
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened. The bus subject of each is given by [`EventBody::subject`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    /// The session began; the first event of every log.
    SessionOpened {
        /// What it was opened with.
        profile: SessionProfile,
        /// The session and event it was forked from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<(SessionId, u64)>,
    },
    /// The session was taken up again by a new process.
    SessionResumed {
        /// What it is continued with.
        profile: SessionProfile,
    },
    /// The user changed a setting.
    SessionConfigured {
        /// What holds from now on.
        profile: SessionProfile,
    },
    /// A request came in.
    QueryReceived {
        /// The user's words.
        text: String,
        /// How it will be worked on.
        mode: Mode,
        /// Whose words they are.
        #[serde(default)]
        origin: Origin,
    },
    /// A request waits for the one before it.
    QueryQueued {
        /// How many are before it.
        position: u32,
    },
    /// A request that waits was given another place among those that wait.
    QueryMoved {
        /// The request that waits and is worked on right after it; `None`: it is the last now.
        before: Option<QueryId>,
    },
    /// How a request is worked on whose mode was [`Mode::Adaptive`], where it is not as in
    /// [`Mode::Loop`].
    ModeChosen {
        /// The mode.
        mode: Mode,
        /// Why, for people.
        reason: String,
    },
    /// Which model answers, and why that one.
    ModelChosen {
        /// The model.
        model: ModelRef,
        /// Why.
        reason: String,
        /// The context that the request is worked on in, tokens; 0: not told.
        #[serde(default)]
        context_tokens: u32,
    },
    /// A model reads a prompt. In passing: [`EventBody::is_passing`].
    PromptRead(PromptProgress),
    /// A piece of the answer.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// A piece of the thinking.
    ThinkingDelta {
        /// The piece.
        text: String,
    },
    /// The text streamed so far in this model call is withdrawn for this one, because part of it
    /// turned out to be a tool call or thinking.
    TextReplaced {
        /// What stays visible.
        text: String,
    },
    /// One model call ended. The conversation is rebuilt from these.
    ModelAnswered {
        /// The visible text.
        text: String,
        /// The thinking.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<Thinking>,
        /// The tool calls it asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What it cost.
        usage: Usage,
        /// Why it ended.
        finish: FinishReason,
        /// Whether it was asked for by the harness for itself (a plan, a summary, a report), and is
        /// no part of the conversation.
        #[serde(default)]
        aside: bool,
    },
    /// The harness spoke to the model in the user's place (a nudge, a request for a final answer).
    ModelNudged {
        /// What it said.
        text: String,
    },
    /// A tool call is about to be judged.
    ToolRequested {
        /// The name asked for.
        tool: String,
        /// The arguments asked for.
        arguments: Value,
        /// Whether it was found in the text instead of arriving as a call.
        recovered: bool,
    },
    /// What the broker said.
    BrokerDecision {
        /// The verdict.
        verdict: Verdict,
        /// The layer that decided.
        layer: Layer,
        /// Its rule.
        rule: String,
        /// Why, for the user.
        reason: String,
    },
    /// A question to the user.
    ConfirmationAsked(ConfirmationRequest),
    /// The user's answer, or silence until the end.
    ConfirmationAnswered {
        /// Which question.
        confirmation_id: ConfirmationId,
        /// The answer.
        answer: ConfirmationAnswer,
        /// Who answered: `user`, `timeout`, `unattended`, or `session` where a yes for the session covers
        /// it that was given to another question.
        by: String,
        /// The access token by which a program answered in the user's place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<TokenName>,
    },
    /// A tool is at work.
    ToolProgress {
        /// What it is doing.
        message: String,
        /// How much is done, percent; `None` when unknown.
        percent: Option<u8>,
    },
    /// What a tool call came to.
    ToolResult {
        /// The tool asked for.
        tool: String,
        /// How it ended.
        status: CallStatus,
        /// The stored value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value_id: Option<ValueId>,
        /// Its label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Label>,
        /// What the model reads: fenced, capped.
        text: String,
        /// Whether the text is only part of the result.
        truncated: bool,
        /// How long it ran, milliseconds.
        duration_ms: u64,
        /// Files made or changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        artifacts: Vec<String>,
        /// Where it replaced text in a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<Edited>,
    },
    /// Memories were brought to mind.
    MemoryRecalled {
        /// Ids, best first.
        memories: Vec<String>,
        /// What for.
        query: String,
        /// What the model reads of them: fenced, capped.
        #[serde(default)]
        text: String,
        /// How far all of it may be trusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Label>,
        /// The stored value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value_id: Option<ValueId>,
    },
    /// An agent's prompt holds these files of project notes from here on.
    NotesShown {
        /// The files, in the order they are shown.
        notes: Vec<ShownNotes>,
        /// How far all of them together may be trusted.
        label: Label,
    },
    /// The user gave data with a request. It is none of the user's words.
    InputGiven {
        /// Where it came from, such as a file's name.
        name: String,
        /// What the model reads of it: fenced.
        text: String,
        /// How far it may be trusted.
        label: Label,
    },
    /// The model is shown a picture: that of a call, or one that the user gave with a request.
    PictureShown {
        /// Where it came from, such as a file's name.
        name: String,
        /// The picture.
        picture: Picture,
        /// How far what is to be seen on it may be trusted.
        label: Label,
    },
    /// A request's generation is complete.
    GenerationFinished {
        /// The answer.
        answer: String,
        /// All thinking.
        thinking: String,
        /// Every tool call.
        tool_calls: Vec<ToolCallSummary>,
        /// The whole cost.
        usage: Usage,
        /// The model; `None` when none was used.
        model: Option<ModelRef>,
        /// The join of what the agent had been shown when it answered; `None` in logs that do not
        /// say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Label>,
    },
    /// Question and answer only.
    DialogTurn {
        /// The question.
        query: String,
        /// The answer.
        answer: String,
    },
    /// The request is over. The last event of every request.
    QueryFinished {
        /// How it ended.
        status: QueryStatus,
        /// Files made or changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        artifacts: Vec<String>,
        /// Time from receipt to end, milliseconds.
        duration_ms: u64,
        /// What went wrong, when something did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Fault>,
    },
    /// Somebody wants an answer graded. What comes of it is a [`EventBody::Critique`] or a
    /// [`EventBody::NotGraded`].
    GradeAsked,
    /// A judge's grade of an answer. Both score and text are what a model said of a text that may have
    /// been written to be graded well: they permit nothing.
    Critique {
        /// 1 to 5.
        score: u8,
        /// Why, in the judge's words.
        feedback: String,
        /// The model that judged.
        judge: ModelRef,
        /// The name of the rubric that it judged by.
        rubric: String,
    },
    /// Why an answer that was to be graded is not.
    NotGraded(Fault),
    /// Somebody wants a second answer to a request, and both compared. What comes of it is a
    /// [`EventBody::SecondAnswered`] with a [`EventBody::Pairwise`] behind it, or a
    /// [`EventBody::SecondMissed`] in the place of either.
    SecondAsked {
        /// The model that is to give it; `None`: the one that the configuration
        /// names, else the one that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<ModelRef>,
        /// Its sampling temperature; `None`: the one that the configuration names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        temperature: Option<f32>,
    },
    /// A second answer to a request. It is no part of the conversation: no agent is shown it.
    SecondAnswered {
        /// Its text.
        answer: String,
        /// The model that gave it.
        model: ModelRef,
        /// The sampling temperature that it was asked for with.
        temperature: f32,
    },
    /// Why there is no second answer, or no comparison with it.
    SecondMissed(Fault),
    /// Which of two answers a judge found better, in both orders. It permits nothing.
    Pairwise {
        /// The better one.
        winner: Winner,
        /// Why, in the judge's words.
        feedback: String,
        /// The model that judged.
        judge: ModelRef,
    },
    /// Which of two answers the user found better.
    SecondRated {
        /// The better one.
        winner: Winner,
    },
    /// The user took a second answer over into the conversation: from here on it stands in the place of
    /// the first one in what the agent is shown.
    SecondTaken {
        /// The text that takes the place.
        answer: String,
    },
    /// The user's opinion of an answer.
    Feedback {
        /// -1, 0 or 1 for thumbs; 1 to 5 for stars, as the surface has it, scaled to -100 to 100.
        score: i8,
        /// A note.
        note: String,
    },
    /// A reward given to the agent that produced an answer.
    Reward {
        /// -100 to 100.
        value: i8,
    },
    /// A sub-agent began.
    AgentSpawned {
        /// The new agent.
        child: AgentId,
        /// Its type.
        agent_type: AgentType,
        /// Its brief: all it is told.
        task: String,
        /// Which of the request's tasks it works on, for an agent that an orchestration started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task_id: Option<String>,
        /// Tokens it may use, with the agents below it; `None` in logs from before this was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_tokens: Option<u64>,
    },
    /// A sub-agent ended.
    AgentFinished {
        /// The agent.
        child: AgentId,
        /// What it returned, after its claims were checked.
        report: Report,
        /// What was changed about its claims, and why; one sentence each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        corrections: Vec<String>,
        /// What it cost, its own agents included.
        #[serde(default)]
        usage: Usage,
        /// How long it took, milliseconds.
        #[serde(default)]
        duration_ms: u64,
    },
    /// A request was taken apart. Emitted again when the tasks are changed; the last one holds.
    TasksPlanned {
        /// The parts.
        tasks: Vec<Task>,
    },
    /// A task moved on.
    TaskMoved {
        /// Which.
        task_id: String,
        /// Where to.
        status: TaskStatus,
        /// Why; empty when there is nothing to say.
        reason: String,
    },
    /// The view of the conversation was made smaller. The log was not.
    ContextCompacted {
        /// Tokens before, estimated.
        before_tokens: u64,
        /// Tokens after, estimated.
        after_tokens: u64,
        /// Messages left out of the view.
        dropped_messages: u32,
        /// Why, and what stands for them.
        #[serde(default)]
        cause: CompactionCause,
        /// The last event whose messages are left out; `None` when whole turns fell out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        through: Option<u64>,
        /// What stands for them, when it is a summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<Summary>,
        /// The last event whose tool result is shown shortened and whose recalled memories are left
        /// out; `None` when none is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shortened_through: Option<u64>,
        /// Most characters of the journal that stay in view: the newest entries in full, older ones
        /// as headings.
        #[serde(default)]
        journal_characters: u64,
        /// Most characters that are shown of each result of the newest reply, where those are
        /// shortened although no model has seen them; 0: as many as of older ones.
        #[serde(default)]
        newest_characters: u64,
    },
    /// The agent wrote an entry of its journal.
    JournalWritten {
        /// Its heading.
        title: String,
        /// Its text.
        text: String,
        /// The last event that it covers: messages up to there may be left out of the view.
        through: u64,
    },
    /// The user pinned a message, or took the pin away. What is pinned is never left out.
    Pinned {
        /// The event that holds the message. In JSON it has another name, since an event has a `seq`
        /// of its own.
        #[serde(rename = "message_seq")]
        seq: u64,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// The conversation goes on from an earlier point. The log keeps what came after it.
    Rewound {
        /// The last event that still counts.
        to_seq: u64,
    },
    /// A plan was made.
    PlanProposed {
        /// The plan.
        plan: Plan,
        /// What an approval binds.
        hash: Digest,
    },
    /// In plan mode: what a request would be taken apart into. Nothing is begun before it is
    /// approved.
    TasksProposed {
        /// The parts.
        tasks: Vec<Task>,
        /// What an approval binds.
        hash: Digest,
    },
    /// A plan was approved.
    PlanApproved {
        /// Which.
        hash: Digest,
        /// By whom: `user`, `yes_flag`, `override`, `approved_hash` or `read_only`.
        by: String,
    },
    /// A step of a plan ended.
    PlanStep {
        /// From 0.
        index: u32,
        /// How.
        status: CallStatus,
        /// What it showed, formatted for people.
        text: String,
    },
    /// The drive changed state, or decided not to act.
    DriveState(DriveDecision),
    /// Something came in that may be a reason to act.
    SignalReceived {
        /// What.
        signal: Signal,
    },
    /// The tools offered to the model.
    ToolSchema {
        /// Definitions.
        tools: Vec<ToolDefinition>,
    },
    /// Something the user should know that stops nothing: a truncated context, a retry, a repair.
    Notice(Fault),
    /// Something went wrong.
    Error(Fault),
}

impl EventBody {
    /// Whether it is shown to whoever watches at that moment and kept nowhere: what it says is no
    /// longer true a few seconds later.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::PromptRead(_))
    }

    /// The bus subject.
    #[must_use]
    pub fn subject(&self) -> String {
        let fixed = match self {
            Self::SessionOpened { .. } => "session.opened",
            Self::SessionResumed { .. } => "session.resumed",
            Self::SessionConfigured { .. } => "session.configured",
            Self::QueryReceived { .. } => "query.received",
            Self::QueryQueued { .. } => "query.queued",
            Self::QueryMoved { .. } => "query.moved",
            Self::QueryFinished { .. } => "query.finished",
            Self::ModeChosen { .. } => "mode.chosen",
            Self::ModelChosen { .. } => "model.chosen",
            Self::TextDelta { .. } | Self::ThinkingDelta { .. } | Self::TextReplaced { .. } => {
                "response.delta"
            }
            Self::PromptRead(_) => "response.prompt",
            Self::ModelAnswered { .. } | Self::ModelNudged { .. } => "response.step",
            Self::ToolRequested { tool, .. } => return format!("tool.request.{tool}"),
            Self::ToolResult { tool, .. } => return format!("tool.result.{tool}"),
            Self::ToolProgress { .. } => "tool.progress",
            Self::BrokerDecision { .. } => "broker.decision",
            Self::ConfirmationAsked(_) => "confirmation.asked",
            Self::ConfirmationAnswered { .. } => "confirmation.answered",
            Self::MemoryRecalled { .. } => "memory.recalled",
            Self::NotesShown { .. } => "context.notes",
            Self::InputGiven { .. } => "query.input",
            Self::PictureShown { .. } => "picture.shown",
            Self::GenerationFinished { .. } => "response.generation",
            Self::DialogTurn { .. } => "answer.dialog",
            Self::GradeAsked => "critique.asked",
            Self::Critique { .. } => "critique.result",
            Self::NotGraded(_) => "critique.missed",
            Self::SecondAsked { .. } => "second.asked",
            Self::SecondAnswered { .. } => "second.generation",
            Self::SecondMissed(_) => "second.missed",
            Self::Pairwise { .. } => "pairwise.result",
            Self::SecondRated { .. } => "second.rated",
            Self::SecondTaken { .. } => "second.taken",
            Self::Feedback { .. } => "user.feedback",
            Self::Reward { .. } => "reward.event",
            Self::AgentSpawned { .. } => "agent.spawned",
            Self::AgentFinished { .. } => "agent.finished",
            Self::TasksPlanned { .. } => "tasks.planned",
            Self::TaskMoved { .. } => "tasks.moved",
            Self::ContextCompacted { .. } => "context.compacted",
            Self::JournalWritten { .. } => "context.journal",
            Self::Pinned { .. } => "context.pinned",
            Self::Rewound { .. } => "session.rewound",
            Self::PlanProposed { .. } => "plan.proposed",
            Self::TasksProposed { .. } => "tasks.proposed",
            Self::PlanApproved { .. } => "plan.approved",
            Self::PlanStep { .. } => "plan.step",
            Self::DriveState(_) => "drive.state",
            Self::SignalReceived { .. } => "drive.signal",
            Self::ToolSchema { .. } => "tool.schema",
            Self::Notice(_) => "notice",
            Self::Error(_) => "error",
        };
        fixed.to_owned()
    }
}
