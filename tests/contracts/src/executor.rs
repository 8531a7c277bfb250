//! Tools that do what a script says.

use super::{DropCount, Gate};
use api::authority::{Authorized, JudgedCall};
use api::executor::{
    Executor, FailureKind, PathRefusal, Progress, Report, ReportSink, ToolFailure, Words,
};
use api::programs::{ProgramId, ProgramState, SeenProgram};
use api::sandbox::{Captured, Said};
use async_trait::async_trait;
use domain::Timestamp;
use domain::id::SessionId;
use domain::label::Label;
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, ResultField, ResultSource, TargetKind,
    ToolDefinition, ToolName, ToolOutput, ToolSpec,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One tool: what the broker knows of it, and what it does.
#[derive(Debug, Clone)]
pub struct FakeTool {
    /// What the broker knows.
    pub spec: ToolSpec,
    outcome: Result<ToolOutput, ToolFailure>,
    progress: Vec<Progress>,
    gate: Option<Gate>,
    diff: Option<String>,
}

impl FakeTool {
    /// A tool with one `path` argument that returns its own name as text.
    ///
    /// # Panics
    /// When the name cannot name a tool.
    #[must_use]
    pub fn new(name: &str, capability: &str, effect: EffectClass) -> Self {
        let target = match effect {
            EffectClass::Read => TargetKind::ReadPath,
            _ => TargetKind::WritePath,
        };
        let path = ArgumentSpec {
            role: ArgumentRole::Target,
            target: Some(target),
        };
        let spec = ToolSpec {
            definition: ToolDefinition {
                name: ToolName::new(name).unwrap(),
                description: format!("Does {name}."),
                parameters: json!({
                    "type": "object",
                    "properties": {"path": {"type": "string"}},
                    "required": ["path"],
                    "additionalProperties": false,
                }),
            },
            capability: capability.to_owned(),
            effect,
            arguments: BTreeMap::from([("path".to_owned(), path)]),
            audience: Audience::User,
            result_label: Label::untrusted(name),
            result_source: ResultSource::World,
            result_fields: Vec::new(),
            names_pages: Vec::new(),
            secrets: BTreeMap::new(),
            is_wait: false,
            calls_per_minute: None,
            version: "1".to_owned(),
        };
        Self {
            spec,
            outcome: Ok(output(name)),
            progress: Vec::new(),
            gate: None,
            diff: None,
        }
    }

    /// Adds a string argument that is content.
    #[must_use]
    pub fn with_payload(mut self, name: &str) -> Self {
        let spec = ArgumentSpec {
            role: ArgumentRole::Payload,
            target: None,
        };
        self.spec.arguments.insert(name.to_owned(), spec);
        self.spec.definition.parameters["properties"][name] = json!({"type": "string"});
        self
    }

    /// Its results are made of its arguments alone.
    #[must_use]
    pub fn made_of_arguments(mut self) -> Self {
        self.spec.result_source = ResultSource::Arguments;
        self
    }

    /// It returns things that were stored with these labels.
    #[must_use]
    pub fn returns_stored(mut self, data: serde_json::Value, labels: Vec<ResultField>) -> Self {
        self.spec.result_source = ResultSource::Stored;
        self.outcome = Ok(ToolOutput {
            data,
            labels,
            ..output("stored")
        });
        self
    }

    /// It returns this text.
    #[must_use]
    pub fn returns(mut self, text: &str) -> Self {
        self.outcome = Ok(output(text));
        self
    }

    /// It fails, quoting what it met.
    #[must_use]
    pub fn fails(mut self, kind: FailureKind, rule: &'static str, message: &str) -> Self {
        self.outcome = Err(ToolFailure {
            kind,
            rule: rule.into(),
            message: message.to_owned(),
            words: Words::Met,
        });
        self
    }

    /// It fails in words of its own.
    #[must_use]
    pub fn fails_in_own_words(self, rule: &'static str, message: &str) -> Self {
        let mut tool = self.fails(FailureKind::Mendable, rule, message);
        tool.outcome = tool.outcome.map_err(|failure| ToolFailure {
            words: Words::Own,
            ..failure
        });
        tool
    }

    /// It reports progress before it ends.
    #[must_use]
    pub fn reports(mut self, message: &str, percent: Option<u8>) -> Self {
        self.progress.push(Progress {
            message: message.to_owned(),
            percent,
        });
        self
    }

    /// It waits at the gate before it ends.
    #[must_use]
    pub fn waits(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// It shows this diff beforehand.
    #[must_use]
    pub fn previews(mut self, diff: &str) -> Self {
        self.diff = Some(diff.to_owned());
        self
    }
}

fn output(text: &str) -> ToolOutput {
    ToolOutput {
        data: json!({"text": text}),
        text: text.to_owned(),
        origin: "file:fake".to_owned(),
        artifacts: Vec::new(),
        labels: Vec::new(),
    }
}

/// An executor with scripted tools that touches no file.
#[derive(Debug, Default)]
pub struct FakeExecutor {
    tools: BTreeMap<String, FakeTool>,
    refused_paths: Mutex<BTreeSet<PathBuf>>,
    calls: Mutex<Vec<JudgedCall>>,
    secrets: Mutex<Vec<(String, Vec<u8>)>>,
    stopped: DropCount,
    /// What the running job `fake` of every session says.
    says: Mutex<Option<String>>,
}

impl FakeExecutor {
    /// With these tools.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = FakeTool>) -> Self {
        let by_name = |tool: FakeTool| (tool.spec.definition.name.as_str().to_owned(), tool);
        Self {
            tools: tools.into_iter().map(by_name).collect(),
            ..Self::default()
        }
    }

    /// With `read_file`, `write_file` (also `content`) and `delete_file`.
    #[must_use]
    pub fn with_file_tools() -> Self {
        Self::new([
            FakeTool::new("read_file", "fs_read", EffectClass::Read).returns("three lines"),
            FakeTool::new("write_file", "fs_write", EffectClass::SharedWrite)
                .with_payload("content")
                .previews("--- a\n+++ b\n"),
            FakeTool::new("delete_file", "fs_delete", EffectClass::Destructive),
        ])
    }

    /// Every session has a job `fake` that runs and has said this on standard output.
    ///
    /// # Panics
    /// Never in practice: the lock is not poisoned.
    pub fn says(&self, text: &str) {
        *self.says.lock().unwrap() = Some(text.to_owned());
    }

    /// The secrets it was given, by argument, in order.
    ///
    /// # Panics
    /// Never in practice: the lock is not poisoned.
    #[must_use]
    pub fn secrets(&self) -> Vec<(String, Vec<u8>)> {
        self.secrets.lock().unwrap().clone()
    }

    /// The path is said to lead out of every root.
    pub fn refuse_path(&self, path: impl Into<PathBuf>) {
        self.refused_paths.lock().unwrap().insert(path.into());
    }

    /// Every call that ran, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<JudgedCall> {
        self.calls.lock().unwrap().clone()
    }

    /// Counts calls whose future was dropped before its end.
    #[must_use]
    pub fn stopped(&self) -> &DropCount {
        &self.stopped
    }

    fn tool(&self, name: &ToolName) -> Result<&FakeTool, ToolFailure> {
        self.tools.get(name.as_str()).ok_or_else(|| ToolFailure {
            kind: FailureKind::Broken,
            rule: "unknown_tool".into(),
            message: format!("no tool is named {name}"),
            words: Words::Own,
        })
    }
}

#[async_trait]
impl Executor for FakeExecutor {
    fn table(&self) -> Vec<ToolSpec> {
        self.tools.values().map(|tool| tool.spec.clone()).collect()
    }

    async fn locate(
        &self,
        path: &Path,
        _: TargetKind,
        roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        let refuse = |rule: &'static str, detail: &str| {
            Err(PathRefusal {
                rule: rule.into(),
                detail: format!("{}: {detail}", path.display()),
            })
        };
        if self.refused_paths.lock().unwrap().contains(path) {
            refuse("symlink_escape", "leads out of every root")
        } else if roots.iter().any(|root| path.starts_with(root)) {
            Ok(Some(path.to_path_buf()))
        } else {
            refuse("outside_roots", "is outside every root")
        }
    }

    async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        let tool = self.tool(&call.tool)?;
        match &tool.outcome {
            Ok(_) => Ok(tool.diff.clone()),
            Err(failure) => Err(failure.clone()),
        }
    }

    async fn programs(&self, _: SessionId) -> Vec<SeenProgram> {
        let said = self.says.lock().unwrap().clone();
        let job = said.map(|text| SeenProgram {
            id: ProgramId::Job("fake".to_owned()),
            command: format!("echo {text}"),
            state: ProgramState::Running,
            age: Duration::from_secs(3),
            look: Arc::new(move || Said {
                stdout: Captured {
                    head: text.clone().into_bytes(),
                    ..Captured::default()
                },
                stderr: Captured::default(),
            }),
        });
        job.into_iter().collect()
    }

    async fn run(
        &self,
        mut call: Authorized,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let given = call.take_secrets().into_iter();
        let given = given.map(|(name, value)| (name, value.expose().to_vec()));
        self.secrets.lock().unwrap().extend(given);
        let mut guard = self.stopped.watch();
        let expired = |error: api::authority::Expired| ToolFailure {
            kind: FailureKind::Refused,
            rule: "expired".into(),
            message: error.to_string(),
            words: Words::Own,
        };
        let call = call.redeem(Timestamp::now()).map_err(expired)?;
        let tool = self.tool(&call.tool)?.clone();
        self.calls.lock().unwrap().push(call);
        for report in tool.progress {
            // A full or closed channel never stops a tool.
            let _ = progress.try_send(Report::Progress(report));
        }
        if let Some(gate) = tool.gate {
            // A program ends when nobody reads its reports any more, and tells what it came to.
            let is_program = tool.spec.effect == EffectClass::Exec;
            tokio::select! {
                () = gate.pass() => {}
                () = progress.closed(), if is_program => {}
            }
        }
        guard.done();
        tool.outcome
    }
}
