//! What the shipped program does when people, models and power cuts do their worst.
//!
//! What it is: a scene (a house, a scripted model, a run of `carl`) and ways to read what came of
//! it.
//! What it owns: nothing on disk; each scene has a temporary house.
//! What it never does: call a service. A control counts only when a model's tool call, through the
//! shipped program, meets it.
//! Where to start: `tests/agents/hostile.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

pub mod crew;
pub mod documents;
pub mod picture;
pub mod roles;
pub mod serving;
pub mod site;
pub mod tour;

use serde_json::Value;
use testkit::{Finished, House, Reply, Server};

/// A house whose only model is a scripted one.
pub struct Scene {
    /// The house.
    pub house: House,
    /// The model.
    pub server: Server,
}

impl Scene {
    /// With an OpenAI-compatible model that gives these replies.
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(Server::openai(replies), "openai")
    }

    /// With a server that is already there, of this provider type.
    #[must_use]
    pub fn with(server: Server, kind: &str) -> Self {
        let house = House::new();
        house.configure(&server.config(kind));
        Self { house, server }
    }

    /// The same, where nothing is recalled or captured: what a model is told is what the conversation
    /// holds.
    #[must_use]
    pub fn forgetful(server: Server) -> Self {
        let scene = Self::with(server, "openai");
        let config = scene.server.config("openai");
        let off = "\n[memory]\nrecall = false\ncapture = false\n";
        scene.house.configure(&(config + off));
        scene
    }

    /// The same, with a model of a class: `tiny`, `small`, `medium` or `large`.
    #[must_use]
    pub fn of_class(class: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with_provider_lines(&format!("class = \"{class}\""), replies)
    }

    /// The same, with more lines of configuration for the model's provider.
    #[must_use]
    pub fn with_provider_lines(lines: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        let scene = Self::new(replies);
        let table = "[models.providers.scripted]\n";
        let config = scene.server.config("openai");
        let config = config.replace(table, &format!("{table}{lines}\n"));
        scene.house.configure(&config);
        scene
    }

    /// `carl run --json` with more arguments, in loop mode unless they say otherwise.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Outcome {
        let finished = self
            .house
            .ask(["run", "--json"])
            .args(args.iter().copied())
            .run();
        let summary = finished.json();
        Outcome { finished, summary }
    }

    /// Everything the model was told, as one text to search.
    #[must_use]
    pub fn told(&self) -> String {
        let chats = self.server.chats();
        chats
            .iter()
            .map(|chat| chat.body["messages"].to_string())
            .collect()
    }

    /// The session log of an outcome.
    #[must_use]
    pub fn log(&self, outcome: &Outcome) -> Vec<Value> {
        self.house.session_log(outcome.text("session_id"))
    }

    /// The audit records of an outcome's session.
    #[must_use]
    pub fn audit(&self, outcome: &Outcome) -> Vec<Value> {
        let id = outcome.text("session_id").to_owned();
        let all = self.house.audit();
        all.into_iter()
            .filter(|record| record["session_id"] == id.as_str())
            .collect()
    }
}

/// What `carl run --json` came to.
#[derive(Debug)]
pub struct Outcome {
    /// The process.
    pub finished: Finished,
    /// Its object.
    pub summary: Value,
}

impl Outcome {
    /// A text field of the object.
    ///
    /// # Panics
    /// When it is no text.
    #[must_use]
    pub fn text(&self, field: &str) -> &str {
        match self.summary[field].as_str() {
            Some(text) => text,
            None => panic!("`{field}` is no text in {}", self.summary),
        }
    }

    /// The tool calls.
    ///
    /// # Panics
    /// When there is no list of them.
    #[must_use]
    pub fn calls(&self) -> &[Value] {
        self.summary["tool_calls"].as_array().unwrap()
    }

    /// Checks that a call was refused by a layer.
    ///
    /// # Panics
    /// When it was not.
    pub fn assert_denied(&self, index: usize, layer: &str) {
        let call = &self.calls()[index];
        let seen = (&call["decision"], &call["layer"], &call["status"]);
        assert_eq!(
            seen,
            (&"deny".into(), &layer.into(), &"denied".into()),
            "{:#}",
            self.summary
        );
    }

    /// The error's code; empty for none.
    #[must_use]
    pub fn code(&self) -> &str {
        self.summary["error"]["code"].as_str().unwrap_or_default()
    }

    /// Checks the exit code and status.
    ///
    /// # Panics
    /// When they are others.
    pub fn assert_ends(&self, exit: i32, status: &str) {
        let seen = (self.finished.code, self.text("status"));
        assert_eq!(
            seen,
            (Some(exit), status),
            "{:#}\n{}",
            self.summary,
            self.finished.stderr
        );
    }
}

/// The events of a kind.
#[must_use]
pub fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}
