//! `carl models`: which models there are, which would answer, and how fast one is.

use super::Setting;
use crate::cli::{ModelsArgs, SessionFlags};
use crate::exit::{Exit, Failure, OrFail};
use crate::render::values::{bytes, milliseconds};
use crate::render::{Paint, print, table};
use crate::wiring::House;
use anyhow::Result;
use api::models::{ChatChunk, ChatRequest, ModelInfo, Models, ProviderHealth};
use domain::message::Message;
use domain::model::{ModelChoice, ModelRef, ModelRole, Usage};
use futures::StreamExt;
use serde_json::{Value, json};
use std::time::Instant;

/// Lists models, or tests one.
///
/// # Errors
/// When a model asked for does not answer.
pub async fn models(args: ModelsArgs) -> Result<Exit> {
    let flags = SessionFlags {
        air_gap: args.air_gap,
        ..SessionFlags::default()
    };
    let house = House::look(&Setting::read(&flags)?).await?;
    if let Some(name) = &args.test {
        let model: ModelRef = name.parse().map_err(|error| {
            Failure::usage(
                format!("--test: {error}"),
                "`carl models` lists what is there.",
            )
        })?;
        let speed = measure(house.gateway.as_ref(), ModelChoice::Exact(model)).await?;
        print(&format!("{}\n", speed.line()))?;
        return Ok(Exit::Success);
    }
    let health = house.gateway.health().await.or_fail()?;
    let known = house.gateway.list_models().await.or_fail()?;
    if args.json {
        print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&as_json(&health, &known))?
        ))?;
    } else {
        print(&listing(
            &health,
            &known,
            Paint::for_stream(&std::io::stdout()),
        ))?;
    }
    Ok(Exit::Success)
}

fn listing(health: &[ProviderHealth], known: &[ModelInfo], paint: Paint) -> String {
    let mut text = String::new();
    for provider in health {
        let state = match &provider.fault {
            None => paint.good("ready"),
            Some(fault) => format!("{} {}", paint.faint("off"), fault.message),
        };
        let head = format!("{} {}", provider.provider, paint.faint(&provider.endpoint));
        text.push_str(&format!("{head}\n  {state}\n"));
        if !provider.note.is_empty() {
            text.push_str(&format!("  {}\n", paint.faint(&provider.note)));
        }
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for model in known {
        let roles: Vec<&str> = model.roles.iter().map(|role| role.as_str()).collect();
        rows.push(vec![
            model.model.to_string(),
            model
                .context_tokens
                .map(|n| format!("{n} tokens"))
                .unwrap_or_default(),
            model.size_bytes.map(bytes).unwrap_or_default(),
            if model.loaded == Some(true) {
                "loaded".to_owned()
            } else {
                String::new()
            },
            roles.join(","),
        ]);
    }
    text.push('\n');
    text.push_str(&table(&rows));
    if known.is_empty() {
        text.push_str(
            "No model is available. Start Ollama, or install the small stand-in: cargo xtask setup\n",
        );
    }
    text
}

fn as_json(health: &[ProviderHealth], known: &[ModelInfo]) -> Value {
    let providers: Vec<Value> = health
        .iter()
        .map(|provider| {
            json!({
                "provider": provider.provider, "endpoint": provider.endpoint,
                "ready": provider.fault.is_none(), "fault": provider.fault, "note": provider.note,
            })
        })
        .collect();
    let models: Vec<Value> = known
        .iter()
        .map(|model| {
            json!({
                "model": model.model, "context_tokens": model.context_tokens,
                "size_bytes": model.size_bytes, "loaded": model.loaded, "roles": model.roles,
            })
        })
        .collect();
    json!({ "providers": providers, "models": models })
}

/// How fast a model answered.
#[derive(Debug, Clone)]
pub struct Speed {
    model: String,
    answer: String,
    first_ms: u64,
    usage: Usage,
}

impl Speed {
    /// For people.
    #[must_use]
    pub fn line(&self) -> String {
        let generating = self.usage.total_ms.saturating_sub(self.first_ms).max(1);
        let rate =
            self.usage.completion_tokens.saturating_sub(1) as f64 * 1_000.0 / generating as f64;
        let first = milliseconds(self.first_ms);
        let answer = text::escape::visible(self.answer.trim()).replace('\n', " ");
        format!(
            "{}: first token after {first}, {rate:.0} tokens/s; it said: {answer}",
            self.model
        )
    }
}

/// Asks the model for a few words and times them.
///
/// # Errors
/// When it does not answer.
pub async fn measure(models: &dyn Models, model: ModelChoice) -> Result<Speed> {
    let question = "Name the three primary colours in one short sentence.".to_owned();
    let mut request = ChatRequest::new(model, vec![Message::User { text: question }]);
    request.max_tokens = Some(40);
    request.temperature = Some(0.0);
    let began = Instant::now();
    let mut stream = models.chat(request).await.or_fail()?;
    let mut speed = Speed {
        model: String::new(),
        answer: String::new(),
        first_ms: 0,
        usage: Usage::default(),
    };
    while let Some(chunk) = stream.next().await {
        match chunk.or_fail()? {
            ChatChunk::Started { model, .. } => speed.model = model.to_string(),
            ChatChunk::Text(text) => {
                if speed.answer.is_empty() {
                    speed.first_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                }
                speed.answer.push_str(&text);
            }
            ChatChunk::Usage(usage) => speed.usage = usage,
            _ => {}
        }
    }
    speed.usage.total_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(speed)
}

/// The model that answers when nothing is asked for.
#[must_use]
pub fn default_choice() -> ModelChoice {
    ModelChoice::Role(ModelRole::Fast)
}
