//! Tools over the files of a test: reading and writing.

use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, FailureKind, PathRefusal, ReportSink, ToolFailure, Words};
use async_trait::async_trait;
use contracts::{FakeExecutor, FakeTool};
use domain::Timestamp;
use domain::label::Label;
use domain::tool::{
    ArgumentRole, EffectClass, ResultField, ResultSource, TargetKind, ToolOutput, ToolSpec,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What is in memory, and how far it is trusted.
pub type Remembered = (String, Label);

/// `read_file`, `write_file`, `delete_file`, `save_memory`; `search_memory` where something is
/// remembered.
pub(crate) struct Tools {
    files: FakeExecutor,
    remembered: Option<Remembered>,
}

impl Tools {
    pub(crate) fn new(remembered: Option<Remembered>) -> Self {
        let mut save = FakeTool::new("save_memory", "memory_write", EffectClass::SelfWrite)
            .with_payload("name")
            .with_payload("content");
        save.spec.arguments.remove("path");
        save.spec.definition.parameters = json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "content": {"type": "string"}},
            "required": ["name", "content"],
            "additionalProperties": false,
        });
        let mut files = vec![
            FakeTool::new("read_file", "fs_read", EffectClass::Read),
            FakeTool::new("write_file", "fs_write", EffectClass::SharedWrite)
                .with_payload("content"),
            FakeTool::new("delete_file", "fs_write", EffectClass::Destructive),
            save,
        ];
        files.extend(remembered.as_ref().map(|_| searching()));
        Self {
            files: FakeExecutor::new(files),
            remembered,
        }
    }
}

#[async_trait]
impl Executor for Tools {
    fn table(&self) -> Vec<ToolSpec> {
        self.files.table()
    }

    async fn locate(
        &self,
        path: &Path,
        kind: TargetKind,
        roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        self.files.locate(path, kind, roots).await
    }

    async fn preview(&self, _: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    async fn run(&self, call: Authorized, _: ReportSink) -> Result<ToolOutput, ToolFailure> {
        let call = call.redeem(Timestamp::now()).unwrap();
        if call.tool.as_str() == SEARCH {
            return Ok(found(self.remembered.as_ref()));
        }
        let path = call.targets.get("path").cloned().unwrap_or_default();
        let missing = |error: std::io::Error| ToolFailure {
            kind: FailureKind::Mendable,
            rule: "not_found".into(),
            message: error.to_string(),
            words: Words::Own,
        };
        let (text, artifacts) = match call.tool.as_str() {
            "read_file" => (std::fs::read_to_string(&path).map_err(missing)?, Vec::new()),
            "write_file" => {
                let content = call.arguments["content"].as_str().unwrap_or_default();
                std::fs::write(&path, content).map_err(missing)?;
                ("Written.".to_owned(), vec![path.display().to_string()])
            }
            "delete_file" => {
                std::fs::remove_file(&path).map_err(missing)?;
                ("Deleted.".to_owned(), vec![path.display().to_string()])
            }
            _ => ("Kept.".to_owned(), Vec::new()),
        };
        Ok(ToolOutput {
            data: json!({ "text": text }),
            text,
            origin: "file".to_owned(),
            artifacts,
            labels: Vec::new(),
        })
    }
}

const SEARCH: &str = "search_memory";

fn searching() -> FakeTool {
    let mut search = FakeTool::new(SEARCH, "memory_read", EffectClass::Read).with_payload("query");
    search.spec.arguments.remove("path");
    for name in ["limit", "relevant_only"] {
        let knob = domain::tool::ArgumentSpec {
            role: ArgumentRole::Knob,
            target: None,
        };
        search.spec.arguments.insert(name.to_owned(), knob);
    }
    search.spec.definition.parameters = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "relevant_only": {"type": "boolean"},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    search.spec.result_source = ResultSource::Stored;
    search
}

/// The one thing that is remembered, whatever is asked.
fn found(remembered: Option<&Remembered>) -> ToolOutput {
    let (text, label) = remembered.cloned().unwrap();
    ToolOutput {
        data: json!({"results": [{"id": "m1", "text": text}]}),
        text,
        origin: "memory".to_owned(),
        artifacts: Vec::new(),
        labels: vec![ResultField {
            path: "/results/0/**".to_owned(),
            label,
            format: None,
        }],
    }
}
