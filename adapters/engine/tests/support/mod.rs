//! The real models that the tests run on, as `cargo xtask setup` puts them.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: what is missing has to fail loudly"
)]

use domain::message::Message;
use engine::engine::{Config, Engine, Generation, Piece, Task};
use engine::generate::{Outcome, Sampling};
use engine::log::Recorder;
use engine::template::Request;
use engine::threads::ThreadCount;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The chat model: `CARL_TEST_MODEL`, or where setup puts it.
pub fn chat_model() -> PathBuf {
    let named = std::env::var_os("CARL_TEST_MODEL").map(PathBuf::from);
    existing(named.unwrap_or_else(|| models().join("SmolLM2-135M-Instruct.Q4_1.gguf")))
}

/// The folder of the embedding model.
pub fn embedding_model() -> PathBuf {
    existing(models().join("all-minilm-l6-v2"))
}

fn models() -> PathBuf {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| Some(std::env::home_dir()?.join(".local/share")));
    data.expect("a home folder")
        .join("housecarl")
        .join("models")
}

fn existing(path: PathBuf) -> PathBuf {
    assert!(
        path.exists(),
        "{} is missing: run `cargo xtask setup`",
        path.display()
    );
    path
}

/// A log for all tests of one process.
pub fn log() -> &'static Recorder {
    static LOG: OnceLock<Recorder> = OnceLock::new();
    LOG.get_or_init(|| Recorder::install().expect("one log a process"))
}

/// One engine for all tests of one process.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let config = Config {
            model: chat_model(),
            context_tokens: None,
            threads: ThreadCount::automatic(),
        };
        Engine::load(&config, log()).expect("the model loads")
    })
}

/// A task for one thing that a user says.
pub fn task(says: &str, max_tokens: usize) -> Task {
    let messages = [Message::User {
        text: says.to_owned(),
    }];
    let request = Request {
        messages: &messages,
        offer: None,
        thinking: None,
    };
    let prompt = engine().render(request).expect("the template renders");
    let prompt = engine().prompt(&prompt);
    Task {
        prompt,
        grammar: None,
        sampling: Sampling::Greedy,
        max_tokens,
    }
}

/// Runs a task to its end.
pub fn answer(task: Task) -> (String, Outcome) {
    finish(engine().start(task).expect("the engine takes it"))
}

/// Reads a running generation to its end.
pub fn finish(mut generation: Generation) -> (String, Outcome) {
    let mut text = String::new();
    while let Some(piece) = generation.next_blocking() {
        match piece {
            Piece::Prompt(_) => {}
            Piece::Text(piece) => text.push_str(&piece),
            Piece::End(outcome) => return (text, outcome.expect("no failure")),
        }
    }
    panic!("the generation has no end");
}
