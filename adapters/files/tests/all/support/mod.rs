//! A workspace on disk, an outside it must not touch, and a way to call tools in it.
#![allow(dead_code)] // Each test file uses its own part of this.
#![allow(clippy::unwrap_used, clippy::panic)] // Lint exceptions for tests stop at #[test] functions.

use api::authority::{Authority, JudgedCall};
use api::executor::{Executor, ToolFailure};
use domain::hash::Digest;
use domain::id::{CallId, SessionId};
use domain::label::Label;
use domain::tool::{ToolName, ToolOutput};
use files::{Config, FileTools};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use uuid::Uuid;

/// The text that lies outside and must never be read or changed.
pub const SECRET: &str = "SECRET outside\n";

/// `work` may be read and written, `outside` not.
pub struct Bench {
    folder: tempfile::TempDir,
    pub tools: FileTools,
    pub session: SessionId,
}

impl Bench {
    pub fn new() -> Self {
        Self::with_undo_bytes(domain::limits::UNDO_BYTES)
    }

    pub fn with_undo_bytes(undo_bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "outside", "own"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("outside/secret.txt"), SECRET).unwrap();
        let own = vec![folder.path().join("own"), folder.path().join("work/own")];
        let mut config = Config::new(folder.path().join("undo"), own, folder.path().join("home"));
        config.undo_bytes = undo_bytes;
        Self {
            tools: FileTools::new(config).unwrap(),
            session: SessionId::from_uuid(Uuid::from_u128(1)),
            folder,
        }
    }

    /// A path in the workspace.
    pub fn work(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    /// A path outside of it.
    pub fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().join("outside").join(path)
    }

    pub fn undo_folder(&self) -> PathBuf {
        self.folder.path().join("undo")
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.work(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.work(path)).unwrap()
    }

    /// Asserts that nothing outside has changed.
    pub fn assert_outside_untouched(&self) {
        let names: Vec<_> = fs::read_dir(self.outside("")).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        assert_eq!(
            fs::read_to_string(self.outside("secret.txt")).unwrap(),
            SECRET
        );
    }

    /// Asserts that no temporary file was left anywhere in the workspace.
    pub fn assert_no_leftovers(&self) {
        let mut folders = vec![self.work("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap_or_default();
                assert!(!name.starts_with(".carl-"), "{name}");
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
            }
        }
    }

    /// The call as the broker would have judged it: the workspace may be read and written, path
    /// arguments are joined to it, and a missing one with a default is filled in.
    pub fn judged(&self, tool: &str, arguments: Value) -> JudgedCall {
        let table = self.tools.table();
        let spec = table
            .iter()
            .find(|s| s.definition.name.as_str() == tool)
            .unwrap();
        let mut targets = BTreeMap::new();
        for name in ["path", "from", "to"] {
            let default = &spec.definition.parameters["properties"][name]["default"];
            if let Some(path) = arguments[name].as_str().or(default.as_str()) {
                let path = if path == "." {
                    PathBuf::new()
                } else {
                    PathBuf::from(path)
                };
                let whole = self.work("").join(path);
                targets.insert(name.to_owned(), whole.components().collect());
            }
        }
        let listed = arguments["files"].as_array().into_iter().flatten();
        for (index, path) in listed.enumerate() {
            let whole = self.work("").join(path.as_str().unwrap());
            targets.insert(format!("files/{index}"), whole.components().collect());
        }
        JudgedCall {
            session_id: self.session,
            call_id: CallId::from_uuid(Uuid::now_v7()),
            tool: ToolName::new(tool).unwrap(),
            tool_version: spec.version.clone(),
            arguments,
            targets,
            read_roots: vec![self.work("").components().collect()],
            write_roots: vec![self.work("").components().collect()],
            rights: domain::rights::Rights::default(),
            label: Label::trusted("user"),
            is_typed: false,
            policy_revision: Digest::of(b"policy"),
        }
    }

    pub async fn run(&self, call: JudgedCall) -> Result<ToolOutput, ToolFailure> {
        let permission = Authority::establish().authorise(call, domain::Timestamp::now());
        let (progress, _) = mpsc::channel(1);
        self.tools.run(permission, progress).await
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolFailure> {
        self.run(self.judged(tool, arguments)).await
    }

    /// A call that must succeed; its data.
    pub async fn ok(&self, tool: &str, arguments: Value) -> Value {
        match self.call(tool, arguments.clone()).await {
            Ok(output) => output.data,
            Err(failure) => panic!("{tool} {arguments}: {failure:?}"),
        }
    }

    /// A call that must fail; its rule and message.
    pub async fn fails(&self, tool: &str, arguments: Value) -> (&'static str, String) {
        match self.call(tool, arguments.clone()).await {
            Ok(output) => panic!("{tool} {arguments}: {output:?}"),
            Err(ToolFailure {
                rule: Cow::Borrowed(rule),
                message,
                ..
            }) => (rule, message),
            Err(failure) => panic!("no rule of ours: {failure:?}"),
        }
    }

    pub async fn rule(&self, tool: &str, arguments: Value) -> &'static str {
        self.fails(tool, arguments).await.0
    }
}

/// Makes a symbolic link in the workspace.
pub fn link(bench: &Bench, name: &str, to: impl AsRef<Path>) {
    let path = bench.work(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(to, path).unwrap();
}
