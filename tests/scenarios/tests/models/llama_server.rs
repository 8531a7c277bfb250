//! llama.cpp's own server as an OpenAI-compatible provider, with the model that `cargo xtask setup` installs.
//! `cargo xtask test --llama-server` builds the server; elsewhere the test says that it was left
//! out.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::of_kind;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use testkit::House;

/// The server; killed when dropped.
struct LlamaServer {
    child: Child,
    port: u16,
}

impl LlamaServer {
    /// `None` where it was not built.
    fn start() -> Option<Self> {
        let program = std::env::var_os("HOUSE_LLAMA_SERVER")?;
        let model = PathBuf::from(std::env::var_os("HOUSE_CHAT_MODEL")?);
        // The server takes no port 0. A port that was free a moment ago is free in all likelihood.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut child = Command::new(program)
            .arg("--model")
            .arg(model)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--ctx-size", "4096", "--threads", "1", "--jinja"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        lines
            .find(|line| line.as_ref().unwrap().contains("listening on"))
            .unwrap()
            .unwrap();
        // Kept reading, so that a full pipe does not stop the server.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, port })
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// `option`: a line more for the provider.
fn house(server: &LlamaServer, option: &str) -> House {
    let house = House::new();
    house.write("settings.toml", "port = 8472\n");
    house.write("notes.md", "Ask Ingrid about the theme.\n");
    house.configure(&format!(
        "[models.providers.llama]\ntype = \"openai\"\n\
         endpoint = \"http://127.0.0.1:{}/v1\"\ndefault_model = \"smollm2\"\n{option}\n",
        server.port
    ));
    house
}

/// The server streams, counts and decodes under our schema.
#[test]
fn a_plan_under_a_schema_reads_the_file_and_an_answer_streams() {
    let Some(server) = LlamaServer::start() else {
        eprintln!("left out: run `cargo xtask test --llama-server`");
        return;
    };
    let house = house(&server, "");
    let args = [
        "run",
        "--json",
        "--provider",
        "llama",
        "--context-tokens",
        "2048",
    ];
    let plan = house
        .ask(args)
        .args(["--mode", "plan", "Read settings.toml"])
        .run()
        .json();
    assert_eq!(plan["model"], "llama/smollm2", "{plan:#}");
    assert!(
        plan["usage"]["prompt_tokens"].as_u64().unwrap() > 0,
        "{plan:#}"
    );
    assert!(
        !plan["tool_calls"].as_array().unwrap().is_empty(),
        "{plan:#}"
    );
    let chat = house.ask(args).arg("Say hello.").run().json();
    assert!(!chat["answer"].as_str().unwrap().is_empty(), "{chat:#}");
}

/// The model has no tool training and is very small, so what it says of the file is not judged:
/// that it calls, that the guard runs the call, and that it ends with an answer is.
#[test]
fn a_model_without_tool_training_calls_tools_in_loop_mode_and_answers() {
    let Some(server) = LlamaServer::start() else {
        eprintln!("left out: run `cargo xtask test --llama-server`");
        return;
    };
    let house = house(&server, "tool_calls = \"json\"");
    let mut reads = 0;
    for question in [
        "Read the file settings.toml and tell me the port.",
        "What is in notes.md?",
    ] {
        let args = [
            "run",
            "--json",
            "--provider",
            "llama",
            "--agent",
            "researcher",
        ];
        let summary = house
            .ask(args)
            .args(["--context-tokens", "4096", question])
            .run()
            .json();
        assert!(
            !summary["answer"].as_str().unwrap().is_empty(),
            "{summary:#}"
        );
        let calls = summary["tool_calls"].as_array().unwrap();
        assert!(!calls.is_empty(), "{summary:#}");
        let log = house.session_log(summary["session_id"].as_str().unwrap());
        reads += of_kind(&log, "tool_result")
            .iter()
            .filter(|result| result["tool"] == "read_file" && result["status"] == "ok")
            .count();
    }
    assert!(reads > 0, "no file was read");
    let intents = house.audit();
    let intents = intents.iter().filter(|record| record["action"] == "intent");
    assert!(
        intents.count() >= reads,
        "each read went through the broker"
    );
}
