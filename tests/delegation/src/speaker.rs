//! A model that answers by who asks what.

use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ModelFacts, ModelInfo, Models,
    ProviderHealth,
};
use async_trait::async_trait;
use contracts::{FakeModels, Reply};
use domain::message::Message;
use domain::model::{ModelChoice, ModelClass};
use serde_json::{Value, json};
use std::sync::Mutex;

/// What a request to the model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary turn.
    Turn,
    /// Taking a request apart.
    Tasks,
    /// A report.
    Report,
    /// What is worth keeping.
    Keep,
}

/// A request to the model, as far as an answer depends on it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What for.
    pub kind: Kind,
    /// The type of agent that asks; empty when it does not say.
    pub who: String,
    /// Every message, as one text to search.
    pub text: String,
    /// How many tool results it holds.
    pub results: usize,
    /// The schema that the answer must fit, as text; empty for none.
    pub schema: String,
    /// Most tokens it may generate.
    pub max_tokens: Option<u32>,
}

impl Asked {
    fn of(request: &ChatRequest) -> Self {
        let schema = request.response_schema.as_ref().map(Value::to_string);
        let kind = match schema.as_deref() {
            Some(schema) if schema.contains("depends_on") => Kind::Tasks,
            Some(schema) if schema.contains("result_quality") => Kind::Report,
            Some(_) => Kind::Keep,
            None => Kind::Turn,
        };
        let texts: Vec<&str> = request.messages.iter().map(Message::text).collect();
        let text = texts.join("\n");
        let who = text.split("You are the agent `").nth(1);
        let who = who.and_then(|rest| rest.split('`').next());
        let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
        Self {
            kind,
            who: who.unwrap_or_default().to_owned(),
            results: request.messages.iter().filter(is_result).count(),
            max_tokens: request.max_tokens,
            schema: schema.unwrap_or_default(),
            text,
        }
    }

    /// Whether the text holds this.
    #[must_use]
    pub fn says(&self, text: &str) -> bool {
        self.text.contains(text)
    }
}

type Speak = dyn Fn(&Asked) -> Reply + Send + Sync;

/// The model.
pub struct Speaker {
    speak: Box<Speak>,
    keeps: bool,
    is_small: bool,
    asked: Mutex<Vec<Asked>>,
}

impl Speaker {
    /// A model that answers like this.
    #[must_use]
    pub fn new(speak: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self {
            speak: Box::new(speak),
            keeps: true,
            is_small: false,
            asked: Mutex::default(),
        }
    }

    /// The same, without a record of what it was asked.
    #[must_use]
    pub fn forgetting(self) -> Self {
        Self {
            keeps: false,
            ..self
        }
    }

    /// The same, and a hundred million bytes large.
    #[must_use]
    pub fn small(self) -> Self {
        Self {
            is_small: true,
            ..self
        }
    }

    /// Everything it was asked, oldest first.
    ///
    /// # Panics
    /// Never in practice: the lock is not poisoned.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Models for Speaker {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        let asked = Asked::of(&request);
        let reply = (self.speak)(&asked);
        if self.keeps {
            self.asked.lock().unwrap().push(asked);
        }
        FakeModels::new([reply]).chat(request).await
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        FakeModels::new([]).embed(request).await
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        FakeModels::new([]).list_models().await
    }

    async fn describe(&self, model: ModelChoice) -> Result<ModelFacts, Error> {
        let facts = FakeModels::new([]).describe(model).await?;
        let class = self.is_small.then_some(ModelClass::Tiny);
        Ok(ModelFacts { class, ..facts })
    }

    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error> {
        FakeModels::new([]).count_tokens(model, text).await
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        FakeModels::new([]).health().await
    }
}

/// A report in the form that agents answer in: verified by tools, without files.
#[must_use]
pub fn report(summary: &str, change: Value) -> Reply {
    let mut report = json!({
        "status": "success", "summary": summary, "artifacts": [],
        "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
    });
    for (key, value) in change.as_object().into_iter().flatten() {
        report[key] = value.clone();
    }
    Reply::says(report.to_string())
}

/// What a request is taken apart into: `(id, type, goal, needs)` each.
#[must_use]
pub fn tasks(parts: &[(&str, &str, &str, &[&str])]) -> Reply {
    let part = |(id, agent_type, goal, needs): &(&str, &str, &str, &[&str])| {
        json!({
            "id": id, "agent_type": agent_type, "goal": goal, "inputs": [],
            "depends_on": needs, "expected_artifacts": [],
        })
    };
    let parts: Vec<Value> = parts.iter().map(part).collect();
    Reply::says(json!({ "tasks": parts }).to_string())
}
