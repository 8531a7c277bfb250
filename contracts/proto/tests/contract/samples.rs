//! One of everything, made from a few seeds, for the round trips.

use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::{
    Batch, CallStatus, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, StepChange,
    ToolCallSummary,
};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::{AgentId, BatchId, CallId, ConfirmationId};
use domain::label::{Integrity, Label, Readers};
use domain::lineage::{AgentType, Ancestor};
use domain::message::{Thinking, ToolCall};
use domain::model::{FinishReason, ModelChoice, ModelRef, ModelRole, PromptProgress, Think, Usage};
use domain::notes::ShownNotes;
use domain::picture::{Picture, PictureKind};
use domain::plan::{Action, Plan};
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};
use domain::settings::{Attendance, Grant, Mode, OverrideLevel, SessionProfile, SessionSettings};
use domain::token::TokenName;
use domain::tool::{EffectClass, ToolDefinition, ToolName};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use uuid::Uuid;

/// What everything else is made from.
#[derive(Debug, Clone)]
pub struct Seed {
    pub text: String,
    pub number: u64,
    pub byte: u8,
    pub flag: bool,
    pub id: u128,
    pub json: Value,
    pub path: Vec<u8>,
    pub nanoseconds: i64,
}

/// JSON of every shape, without floats that the reader of JSON rounds.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 4.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

pub fn seeds() -> impl Strategy<Value = Seed> {
    (
        any::<String>(),
        any::<u64>(),
        any::<u8>(),
        any::<bool>(),
        any::<u128>(),
        any_json(),
        proptest::collection::vec(1_u8..=255, 0..20),
        any::<i64>(),
    )
        .prop_map(
            |(text, number, byte, flag, id, json, path, nanoseconds)| Seed {
                text,
                number,
                byte,
                flag,
                id,
                json,
                path,
                nanoseconds,
            },
        )
}

impl Seed {
    pub fn uuid(&self) -> Uuid {
        Uuid::from_u128(self.id)
    }

    pub fn pick<T: Copy>(&self, choices: &[T]) -> T {
        choices[usize::from(self.byte) % choices.len()]
    }

    /// A coin beside `flag`, so that what is there can have either value.
    fn is_even(&self) -> bool {
        self.byte.is_multiple_of(2)
    }

    pub fn maybe<T>(&self, value: T) -> Option<T> {
        self.flag.then_some(value)
    }

    pub fn time(&self) -> Timestamp {
        Timestamp::from_nanosecond(i128::from(self.nanoseconds)).unwrap()
    }

    pub fn path(&self) -> PathBuf {
        let mut bytes = vec![b'/'];
        bytes.extend(&self.path);
        PathBuf::from(OsString::from_vec(bytes))
    }

    pub fn strings(&self) -> Vec<String> {
        vec![self.text.clone(); usize::from(self.byte % 3)]
    }

    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }

    pub fn agent_type(&self) -> AgentType {
        AgentType::new(format!("agent-{}", self.byte)).unwrap()
    }

    pub fn tool_name(&self) -> ToolName {
        ToolName::new(format!("tool.{}", self.byte)).unwrap()
    }

    pub fn layer(&self) -> Layer {
        self.pick(&Layer::ALL)
    }

    pub fn verdict(&self) -> Verdict {
        self.pick(&[Verdict::Allow, Verdict::Confirm, Verdict::Deny])
    }

    pub fn status(&self) -> CallStatus {
        use CallStatus::{Cancelled, Denied, Failed, Ok};
        self.pick(&[Ok, Failed, Denied, Cancelled])
    }

    pub fn effect(&self) -> EffectClass {
        use EffectClass::{Config, Destructive, Egress, Exec, Money, Read, SelfWrite, SharedWrite};
        self.pick(&[
            Read,
            SelfWrite,
            SharedWrite,
            Destructive,
            Exec,
            Config,
            Egress,
            Money,
        ])
    }

    pub fn finish(&self) -> FinishReason {
        use FinishReason::{Cancelled, ContentFilter, Length, Repetition, Stop, ToolCalls};
        self.pick(&[
            Stop,
            ToolCalls,
            Length,
            ContentFilter,
            Cancelled,
            Repetition,
        ])
    }

    pub fn mode(&self) -> Mode {
        self.pick(&[
            Mode::Loop,
            Mode::Plan,
            Mode::Deterministic,
            Mode::Bridge,
            Mode::Auto,
            Mode::Adaptive,
            Mode::Command,
        ])
    }

    pub fn label(&self) -> Label {
        let names = BTreeSet::from([self.text.clone(), "other".to_owned()]);
        let readers = [Readers::Public, Readers::Only(names), Readers::Nobody];
        Label {
            integrity: self.pick(&[
                Integrity::Trusted,
                Integrity::Endorsed,
                Integrity::Untrusted,
            ]),
            readers: readers[usize::from(self.byte) % 3].clone(),
            origins: self.strings().into_iter().collect(),
            trusted_origins: BTreeSet::from([self.text.clone()]),
            persistent: self.is_even(),
        }
    }

    pub fn model(&self) -> ModelRef {
        ModelRef {
            provider: "provider".to_owned(),
            model: format!("{}/x", self.text),
        }
    }

    pub fn choice(&self) -> ModelChoice {
        if self.is_even() {
            ModelChoice::Exact(self.model())
        } else {
            ModelChoice::Role(self.pick(&ModelRole::ALL))
        }
    }

    pub fn progress(&self) -> PromptProgress {
        PromptProgress {
            read_tokens: self.number / 2,
            total_tokens: self.number,
        }
    }

    pub fn usage(&self) -> Usage {
        Usage {
            prompt_tokens: self.number,
            cached_tokens: u64::MAX,
            completion_tokens: 0,
            first_token_ms: self.number / 2,
            total_ms: self.number,
            prefix_reuse_permille: u16::from(self.byte) * 3,
        }
    }

    pub fn fault(&self) -> Fault {
        Fault {
            code: "models.busy".to_owned(),
            message: self.text.clone(),
            hint: self.strings().concat(),
        }
    }

    pub fn settings(&self) -> SessionSettings {
        let levels = [
            OverrideLevel::None,
            OverrideLevel::Relax,
            OverrideLevel::All,
        ];
        SessionSettings {
            workspace: self.path(),
            allow_write: BTreeSet::from([self.path(), PathBuf::from("/a")]),
            allow_read: BTreeSet::from([self.path(), PathBuf::from("/b")]),
            override_level: self.pick(&levels),
            disabled_tools: BTreeSet::from([self.tool_name()]),
            grants: BTreeSet::from([Grant {
                agent_type: self.agent_type(),
                tool: self.tool_name(),
            }]),
            auto_approve: BTreeSet::from([self.effect(), EffectClass::Exec]),
            approved_plans: BTreeSet::from([self.digest()]),
            attendance: self.pick(&[Attendance::Unattended, Attendance::Attended]),
            checks: vec![vec!["cargo".to_owned(), self.text.clone()]],
        }
    }

    pub fn profile(&self) -> SessionProfile {
        SessionProfile {
            name: self.text.clone(),
            agent_type: self.agent_type(),
            mode: self.mode(),
            model: self.maybe(self.choice()),
            context_tokens: self.maybe(u32::MAX),
            provider: self.maybe("local".to_owned()),
            think: self.pick(&Think::ALL),
            settings: self.settings(),
        }
    }

    pub fn thinking(&self) -> Thinking {
        Thinking {
            text: self.text.clone(),
            signature: self.is_even().then(|| self.text.clone()),
        }
    }

    pub fn tool_call(&self) -> ToolCall {
        ToolCall {
            call_id: CallId::from_uuid(self.uuid()),
            name: self.text.clone(),
            arguments: self.json.clone(),
        }
    }

    pub fn picture(&self) -> Picture {
        Picture {
            kind: PictureKind::Webp,
            width: u32::from(self.byte),
            height: u32::from(self.byte) + 1,
            base64: self.text.clone().into(),
        }
    }

    pub fn shown_notes(&self) -> ShownNotes {
        ShownNotes {
            path: self.text.clone(),
            version: self.digest(),
            bytes: self.number,
            trusted: self.flag,
        }
    }

    pub fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: self.tool_name(),
            description: self.text.clone(),
            parameters: json!({"properties": self.json}),
        }
    }

    pub fn confirmation(&self) -> ConfirmationRequest {
        use ConfirmationKind::{Call, Plan, WriteRoot};
        ConfirmationRequest {
            confirmation_id: ConfirmationId::from_uuid(self.uuid()),
            kind: self.pick(&[Call, Plan, WriteRoot]),
            agent_type: self.agent_type(),
            effect: self.effect(),
            reason: self.text.clone(),
            rendering: self.text.clone(),
            diff: self.maybe(self.text.clone()),
            steps: vec![StepChange {
                step: 3,
                diff: self.text.clone(),
            }],
            binding: self.digest(),
            expires: self.time(),
            lineage: vec![Ancestor {
                agent_id: AgentId::from_uuid(self.uuid()),
                agent_type: self.agent_type(),
            }],
            batch: self.batch(),
        }
    }

    pub fn batch(&self) -> Option<Batch> {
        self.maybe(Batch {
            batch_id: BatchId::from_uuid(self.uuid()),
            position: 1,
            size: 3,
        })
    }

    pub fn token(&self) -> Option<TokenName> {
        self.maybe(TokenName::new("phone").unwrap())
    }

    pub fn answer(&self) -> ConfirmationAnswer {
        match self.byte % 3 {
            0 => ConfirmationAnswer::Once,
            1 => ConfirmationAnswer::Session,
            _ => ConfirmationAnswer::Deny {
                message: self.text.clone(),
            },
        }
    }

    pub fn summary(&self) -> ToolCallSummary {
        ToolCallSummary {
            call_id: CallId::from_uuid(self.uuid()),
            tool: self.text.clone(),
            args: self.json.clone(),
            decision: self.verdict(),
            layer: self.layer(),
            status: self.status(),
            duration_ms: self.number,
            exit_code: self.maybe(-1),
        }
    }

    pub fn report(&self) -> Report {
        use {ReportSource as S, ReportStatus as R, ResultQuality as Q};
        Report {
            status: self.pick(&[R::Success, R::Partial, R::Failed]),
            summary: self.text.clone(),
            artifacts: self.strings(),
            result_quality: self.pick(&[Q::Verified, Q::Inferred, Q::Uncertain]),
            source: self.pick(&[S::ToolOutput, S::ModelKnowledge, S::Web]),
            new_memory_candidates: self.strings(),
            failure_reason: self.maybe(self.text.clone()),
        }
    }

    /// A plan with one of every action.
    pub fn plan(&self) -> Plan {
        let text = || self.text.clone();
        let number = u32::from(self.byte);
        let (path, content, pattern, query, question) = (text(), text(), text(), text(), text());
        let actions = vec![
            Action::ListFiles { path: path.clone() },
            Action::Tree {
                path: path.clone(),
                depth: number,
            },
            Action::ReadFile { path: path.clone() },
            Action::Head {
                path: path.clone(),
                lines: number,
            },
            Action::Tail {
                path: path.clone(),
                lines: number,
            },
            Action::Excerpt {
                path: path.clone(),
                from_line: number,
                lines: number,
            },
            Action::FindFiles {
                pattern,
                path: path.clone(),
            },
            Action::SearchText {
                query,
                path: path.clone(),
            },
            Action::CountLines { path: path.clone() },
            Action::FileSizes { path: path.clone() },
            Action::CompareFiles {
                left: text(),
                right: "r".to_owned(),
            },
            Action::CreateFile {
                path: path.clone(),
                content: content.clone(),
            },
            Action::AppendText {
                path: path.clone(),
                content,
            },
            Action::ReplaceText {
                path: path.clone(),
                old: text(),
                new: "n".to_owned(),
            },
            Action::MakeDir { path: path.clone() },
            Action::MoveFile {
                from: text(),
                to: "t".to_owned(),
            },
            Action::DeleteFile { path },
            Action::Undo {},
            Action::Remember { text: text() },
            Action::Recall { query: text() },
            Action::WebSearch { query: text() },
            Action::Answer { question },
        ];
        Plan {
            intent: text(),
            actions,
        }
    }
}
