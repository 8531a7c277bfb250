//! Tools over the files of a test: reading and writing, and the house's own beside them.

use agents::Desk;
use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, FailureKind, PathRefusal, ProgressSink, ToolFailure, Words};
use api::test_support::{FakeExecutor, FakeTool};
use async_trait::async_trait;
use domain::Timestamp;
use domain::tool::{EffectClass, TargetKind, ToolOutput, ToolSpec};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `read_file`, `write_file`, `delete_file`, `save_memory`, and what the desk has.
pub(crate) struct Tools {
    files: FakeExecutor,
    desk: Arc<Desk>,
}

impl Tools {
    pub(crate) fn new(desk: Arc<Desk>) -> Self {
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
        let files = FakeExecutor::new([
            FakeTool::new("read_file", "fs_read", EffectClass::Read),
            FakeTool::new("write_file", "fs_write", EffectClass::SharedWrite)
                .with_payload("content"),
            FakeTool::new("delete_file", "fs_write", EffectClass::Destructive),
            save,
        ]);
        Self { files, desk }
    }

    fn is_file_tool(&self, name: &str) -> bool {
        let table = self.files.table();
        table
            .iter()
            .any(|tool| tool.definition.name.as_str() == name)
    }
}

#[async_trait]
impl Executor for Tools {
    fn table(&self) -> Vec<ToolSpec> {
        let mut table = self.files.table();
        table.extend(self.desk.table());
        table
    }

    async fn locate(
        &self,
        path: &Path,
        kind: TargetKind,
        roots: &[PathBuf],
    ) -> Result<(), PathRefusal> {
        self.files.locate(path, kind, roots).await
    }

    async fn preview(&self, _: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    async fn run(
        &self,
        call: Authorized,
        progress: ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        if !self.is_file_tool(call.call().tool.as_str()) {
            return self.desk.run(call, progress).await;
        }
        let call = call.redeem(Timestamp::now()).unwrap();
        let path = call.targets.get("path").cloned().unwrap_or_default();
        let missing = |error: std::io::Error| ToolFailure {
            kind: FailureKind::Mendable,
            rule: "not_found",
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
