//! The acceptance stories beside this crate, played by the shipped `carl stories` with scripted models.
//!
//! What it is: the replies of a story, as a model server gives them, and a house to run the story in.
//! What it owns: nothing; the stories are data of `surfaces/stories`.
//! What it never does: check a story. What `carl stories` says of it is what counts.
//! Where to start: [`Stage`].

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

use scenarios::site::{self, Response};
use serde_json::Value;
use stories::{Page, Said, Story};
use testkit::{Carl, Gate, House, Reply, Server};

/// A house whose models give the replies of a story.
pub struct Stage {
    /// The house.
    pub house: House,
    /// The model.
    pub model: Server,
    _judge: Option<Server>,
}

impl Stage {
    /// One for a story.
    #[must_use]
    pub fn of(story: &Story) -> Self {
        Self::with(story, "")
    }

    /// One for a story, with more configuration.
    #[must_use]
    pub fn with(story: &Story, more: &str) -> Self {
        let house = House::new();
        let model = server(story.given.model.clone());
        let mut config = model.config("openai");
        let judge = (!story.given.judge.is_empty()).then(|| server(story.given.judge.clone()));
        if let Some(judge) = &judge {
            let url = judge.url();
            config.push_str(&format!(
                "[models.providers.judge]\ntype = \"openai\"\nendpoint = \"{url}/v1\"\n\
                 [models.roles]\njudge = \"judge/scripted-model\"\n"
            ));
        }
        house.configure(&(config + more));
        Self {
            house,
            model,
            _judge: judge,
        }
    }

    /// `carl stories --json` with more arguments.
    #[must_use]
    pub fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Carl {
        self.house.ask(["stories", "--json"]).args(args)
    }
}

/// The story of a name that comes along.
#[must_use]
pub fn story(name: &str) -> Story {
    let named = [name.to_owned()];
    let found = stories::chosen(stories::shipped().unwrap(), &named);
    found.unwrap().remove(0)
}

/// A reply that says something.
#[must_use]
pub fn says(text: &str) -> Said {
    Said {
        text: Some(text.to_owned()),
        ..Said::default()
    }
}

/// A reply that calls a tool.
#[must_use]
pub fn calls(tool: &str, arguments: Value) -> Said {
    Said {
        call: Some(tool.to_owned()),
        arguments,
        ..Said::default()
    }
}

/// Serves the pages of a story at their addresses, in a namespace of their own.
pub fn serve(pages: &[Page]) {
    let pages = pages.to_vec();
    site::serve(move |path| {
        let found = pages.iter().find(|page| page.url.ends_with(path));
        found.map_or_else(Response::missing, |page| {
            let title = &page.title;
            let paragraphs: String = page
                .text
                .lines()
                .map(|line| format!("<p>{line}</p>"))
                .collect();
            Response::page(&format!(
                "<html><head><title>{title}</title></head><body><article><h1>{title}</h1>\
                 {paragraphs}</article></body></html>"
            ))
        })
    });
}

/// A model that gives these replies: to each request the first that is for it and was not given yet.
fn server(replies: Vec<Said>) -> Server {
    let mut left = replies;
    // Nothing opens it: what waits there is there until its reader is gone.
    let gate = Gate::new();
    Server::speak(move |body, _| {
        let schema = &body["response_format"];
        let has_schema = schema.is_object();
        let (schema, said) = (schema.to_string(), body["messages"].to_string());
        let is_for = |reply: &Said| {
            let is_asked_for = match &reply.schema {
                Some(word) => has_schema && schema.contains(word.as_str()),
                None => !has_schema,
            };
            is_asked_for
                && reply.when.iter().all(|part| said.contains(part.as_str()))
                && !reply.unless.iter().any(|part| said.contains(part.as_str()))
        };
        match left.iter().position(is_for) {
            Some(at) if left[at].again => reply(&left[at], &gate),
            Some(at) => reply(&left.remove(at), &gate),
            None if has_schema => Reply::text("{}"),
            None => Reply::text("The script is over."),
        }
    })
    .openai()
}

fn reply(said: &Said, gate: &Gate) -> Reply {
    let mut reply = match &said.thinking {
        Some(thinking) => Reply::thinking(thinking),
        None => Reply::default(),
    };
    if let Some(text) = &said.text {
        reply = reply.and_text(text);
    }
    if let Some(value) = &said.json {
        reply = reply.and_text(value.to_string());
    }
    if let Some(tool) = &said.call {
        let arguments = match &said.arguments {
            Value::Null => Value::Object(serde_json::Map::new()),
            other => other.clone(),
        };
        reply = reply.and_call(tool, arguments);
    }
    match said.holds {
        true => reply.and_wait(gate),
        false => reply,
    }
}
