//! The program as others see it: its socket, its errors, and when it leaves.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

mod support;

use api::models::{ChatChunk, ChatRequest, ErrorKind, Models, ToolChoice};
use contracts::models_suite;
use domain::message::Message;
use domain::model::{FinishReason, ModelChoice, ModelRole, Usage};
use domain::tool::{ToolDefinition, ToolName};
use futures::StreamExt as _;
use grpc::models::Client;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::{Value, json};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A running engine and the folder of its socket.
struct Running {
    child: Child,
    folder: TempDir,
}

impl Running {
    fn start(extra: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(&folder.path().join("engine.sock"));
        let child = command.args(extra).spawn().unwrap();
        let running = Self { child, folder };
        wait_for_file(&running.socket());
        running
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("engine.sock")
    }

    fn client(&self) -> Client {
        Client::connect(&format!("unix:{}", self.socket().display()).parse().unwrap())
    }

    fn wait_for_exit(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(socket: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carl-engine"));
    command.arg("--model").arg(support::chat_model());
    command
        .arg("--embedding-model")
        .arg(support::embedding_model());
    command
        .arg("--listen")
        .arg(format!("unix:{}", socket.display()));
    command
        .args(["--context-tokens", "2048"])
        .stderr(Stdio::null());
    command
}

/// Waits for a name to appear in its folder, told by the kernel.
fn wait_for_file(path: &Path) {
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    let appears = inotify::WatchFlags::CREATE | inotify::WatchFlags::MOVED_TO;
    inotify::add_watch(&watch, path.parent().unwrap(), appears).unwrap();
    let mut buffer = [MaybeUninit::uninit(); 4096];
    while !path.exists() {
        wait_until_ready(&watch, "the socket is there");
        inotify::Reader::new(&watch, &mut buffer).next().unwrap();
    }
}

/// Waits for a process that is not our child to end, told by the kernel.
fn wait_for_end(process: Pid) {
    match pidfd_open(process, PidfdFlags::empty()) {
        Ok(handle) => wait_until_ready(&handle, "the process ends"),
        Err(error) => assert_eq!(error, Errno::SRCH),
    }
}

fn wait_until_ready(source: &impl AsFd, what: &str) {
    let patience = Timespec::try_from(PATIENCE).unwrap();
    let ready = poll(&mut [PollFd::new(source, PollFlags::IN)], Some(&patience)).unwrap();
    assert_eq!(ready, 1, "did not happen: {what}");
}

fn request(says: &str) -> ChatRequest {
    let messages = vec![Message::User {
        text: says.to_owned(),
    }];
    ChatRequest::new(ModelChoice::Role(ModelRole::Fast), messages)
}

async fn ask(models: &dyn Models, request: ChatRequest) -> Vec<ChatChunk> {
    let stream = models.chat(request).await.unwrap();
    stream.map(|chunk| chunk.unwrap()).collect().await
}

fn text(chunks: &[ChatChunk]) -> String {
    let pieces = chunks.iter().filter_map(|chunk| match chunk {
        ChatChunk::Text(text) => Some(text.as_str()),
        _ => None,
    });
    pieces.collect()
}

fn usage(chunks: &[ChatChunk]) -> Usage {
    let usage = chunks.iter().find_map(|chunk| match chunk {
        ChatChunk::Usage(usage) => Some(*usage),
        _ => None,
    });
    usage.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_is_served_over_the_socket() {
    let engine = Running::start(&[]);
    let mode = std::fs::metadata(engine.socket())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let client = engine.client();

    let chunks = ask(
        &client,
        request("What is the capital of France? Answer in one sentence."),
    )
    .await;
    assert!(matches!(chunks.first(), Some(ChatChunk::Started { .. })));
    assert!(text(&chunks).contains("Paris"), "{chunks:?}");
    assert_eq!(
        chunks.last(),
        Some(&ChatChunk::Finished(FinishReason::Stop))
    );
    assert!(usage(&chunks).completion_tokens > 0);
    let again = ask(
        &client,
        request("What is the capital of France? Answer in one sentence."),
    )
    .await;
    assert_eq!(usage(&again).cached_tokens, usage(&again).prompt_tokens - 1);

    models_suite::embedding(&client, ModelChoice::Role(ModelRole::Embed)).await;
    assert_eq!(client.list_models().await.unwrap().len(), 2);
    assert!(
        client
            .health()
            .await
            .unwrap()
            .iter()
            .all(|provider| provider.fault.is_none())
    );
    let count =
        |text: &str| client.count_tokens(ModelChoice::Role(ModelRole::Fast), text.to_owned());
    assert!(count("word").await.unwrap() < count(&"many words ".repeat(9)).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_under_a_schema_and_tool_calls_arrive_whole() {
    let engine = Running::start(&[]);
    let client = engine.client();
    let mut structured = request("Describe a cat as JSON.");
    structured.response_schema = Some(json!({
        "type": "object",
        "properties": { "name": { "type": "string", "maxLength": 20 } },
        "required": ["name"],
    }));
    let chunks = ask(&client, structured).await;
    let pieces = chunks
        .iter()
        .filter(|chunk| matches!(chunk, ChatChunk::Text(_)))
        .count();
    assert_eq!(pieces, 1, "an answer under a schema comes in one piece");
    assert!(serde_json::from_str::<Value>(&text(&chunks)).unwrap()["name"].is_string());

    let mut with_tools = request("Read the file notes.md.");
    let name = ToolName::new("read_file").unwrap();
    with_tools.tools = vec![ToolDefinition {
        name: name.clone(),
        description: "Reads a text file.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "path": { "type": "string", "maxLength": 40 } },
            "required": ["path"],
        }),
    }];
    for choice in [ToolChoice::Required, ToolChoice::Only(name)] {
        with_tools.tool_choice = choice;
        let chunks = ask(&client, with_tools.clone()).await;
        let call = chunks.iter().find_map(|chunk| match chunk {
            ChatChunk::ToolCall { call, .. } => Some(call),
            _ => None,
        });
        let call = call.unwrap();
        assert_eq!(call.name, "read_file");
        assert!(call.arguments["path"].is_string());
        assert_eq!(
            chunks.last(),
            Some(&ChatChunk::Finished(FinishReason::ToolCalls))
        );
    }
    with_tools.tool_choice = ToolChoice::Auto;
    let chunks = ask(&client, with_tools).await;
    let called = chunks
        .iter()
        .any(|chunk| matches!(chunk, ChatChunk::ToolCall { .. }));
    assert!(
        called ^ !text(&chunks).is_empty(),
        "a call or an answer: {chunks:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused_with_their_kind() {
    let engine = Running::start(&[]);
    let client = engine.client();
    let mut too_long = request(&"word ".repeat(4000));
    too_long.max_tokens = Some(1);
    let mut unknown = request("Hi");
    unknown.model = ModelChoice::Exact("embedded/other".parse().unwrap());
    let mut hot = request("Hi");
    hot.temperature = Some(9.0);
    let mut bad_schema = request("Hi");
    bad_schema.response_schema = Some(json!("text"));
    for (request, kind) in [
        (too_long, ErrorKind::ContextOverflow),
        (unknown, ErrorKind::UnknownModel),
        (hot, ErrorKind::Rejected),
        (bad_schema, ErrorKind::Rejected),
    ] {
        let Err(error) = client.chat(request).await else {
            panic!("{kind:?} did not arrive")
        };
        assert_eq!(error.kind, kind, "{error}");
    }
    let mut hurried = request("Write a very long story.");
    hurried.deadline = Some(Duration::from_millis(300));
    hurried.max_tokens = Some(1800);
    let chunks: Vec<_> = client.chat(hurried).await.unwrap().collect().await;
    assert_eq!(
        chunks.last().unwrap().as_ref().unwrap_err().kind,
        ErrorKind::Timeout
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_stops_the_work() {
    let engine = Running::start(&[]);
    let client = engine.client();
    let mut endless = request("Write a very long story.");
    endless.max_tokens = Some(1900);
    let mut stream = client.chat(endless).await.unwrap();
    while !matches!(stream.next().await, Some(Ok(ChatChunk::Text(_)))) {}
    drop(stream);
    // The story alone would take longer than the patience of this test.
    let mut short = request("Say hi.");
    short.max_tokens = Some(2);
    short.deadline = Some(Duration::from_secs(5));
    assert!(matches!(
        ask(&client, short).await.last(),
        Some(ChatChunk::Finished(_))
    ));
}

#[test]
fn it_leaves_when_asked_and_takes_its_socket_along() {
    let mut engine = Running::start(&[]);
    kill_process(Pid::from_child(&engine.child), Signal::TERM).unwrap();
    assert_eq!(engine.wait_for_exit(), Some(0));
    assert!(!engine.socket().exists());
}

#[test]
fn it_leaves_when_idle() {
    let mut engine = Running::start(&["--idle-exit-secs", "1"]);
    assert_eq!(engine.wait_for_exit(), Some(0));
}

#[test]
fn it_leaves_when_its_parent_dies() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("engine.sock");
    let engine = command(&socket);
    let mut shell = Command::new("sh");
    // `wait` keeps the shell; without it the shell would become the engine.
    shell
        .args(["-c", "\"$0\" \"$@\" & echo $!; wait"])
        .arg(engine.get_program());
    let mut shell = shell
        .args(engine.get_args())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_file(&socket);
    let mut line = String::new();
    let output = shell.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
    let orphan = Pid::from_raw(line.trim().parse().unwrap()).unwrap();
    shell.kill().unwrap();
    shell.wait().unwrap();
    wait_for_end(orphan);
}

#[test]
fn bad_model_files_are_explained_and_end_with_code_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let whole = std::fs::read(support::chat_model()).unwrap();
    let mut future = whole[..4096].to_vec();
    future[4] = 99;
    for (path, says) in [
        (
            folder.path().join("missing.gguf"),
            "put a GGUF file into the models folder, or run `cargo xtask setup`",
        ),
        (folder.path().to_owned(), "cannot read the model file"),
        (file("empty.gguf", b""), "is not a GGUF model"),
        (file("text.gguf", b"This is text."), "is not a GGUF model"),
        (file("future.gguf", &future), "GGUF version 99"),
        (file("header.gguf", &whole[..4096]), "cannot be loaded"),
        (
            file("half.gguf", &whole[..whole.len() / 2]),
            "not within the file bounds",
        ),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carl-engine"));
        command.arg("--model").arg(&path);
        let socket = folder.path().join("engine.sock");
        command
            .arg("--listen")
            .arg(format!("unix:{}", socket.display()));
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(says), "{says}: {stderr}");
        assert!(stderr.contains(&path.display().to_string()), "{stderr}");
        assert!(!socket.exists());
    }
}
