//! `carl models`: which models there are, which would answer, and how fast one is.

use crate::exit::OrFail;
use crate::question::{Answer, ask};
use anyhow::Result;
use api::audit::Audit;
use api::models::{ChatRequest, ModelInfo, Models, ProviderHealth};
use domain::message::Message;
use domain::model::{ModelChoice, ModelClass, ModelRole};
use rendering::fit::{width, wrapped};
use rendering::models::as_json;
use rendering::values::{bytes, milliseconds};
use rendering::{Paint, print, table};
use text::escape::{visible, visible_json, visible_line};

/// Prints which providers answer, and which models there are.
///
/// # Errors
/// When the models cannot be listed.
pub async fn show(models: &dyn Models, json: bool) -> Result<()> {
    let health = models.health().await.or_fail()?;
    let known = models.list_models().await.or_fail()?;
    print(&match json {
        true => visible_json(&format!("{:#}\n", as_json(&health, &known))),
        false => listing(&health, &known, Paint::for_stream(&std::io::stdout())),
    })?;
    Ok(())
}

fn listing(health: &[ProviderHealth], known: &[ModelInfo], paint: Paint) -> String {
    let mut text = String::new();
    let width = width(&std::io::stdout());
    for provider in health {
        let state = match &provider.fault {
            None => paint.good("ready"),
            Some(fault) => format!("{} {}", paint.faint("off"), visible_line(&fault.message)),
        };
        let head = format!(
            "{} {}",
            visible_line(&provider.provider.to_string()),
            paint.faint(&visible_line(&provider.endpoint))
        );
        text.push_str(&wrapped(&head, 2, width));
        text.push_str(&wrapped(&format!("  {state}"), 2, width));
        if !provider.note.is_empty() {
            let note = format!("  {}", paint.faint(&visible_line(&provider.note)));
            text.push_str(&wrapped(&note, 2, width));
        }
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for model in known {
        let roles: Vec<&str> = model.roles.iter().map(|role| role.as_str()).collect();
        rows.push(vec![
            visible_line(&model.model.to_string()),
            model
                .context_tokens
                .map(|n| format!("{n} tokens"))
                .unwrap_or_default(),
            model.size_bytes.map(bytes).unwrap_or_default(),
            model
                .class
                .map(|class| class.as_str().to_owned())
                .unwrap_or_default(),
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
    if let Some(expected) = expected(known) {
        text.push('\n');
        text.push_str(&wrapped(&expected, 2, width));
    }
    if known.is_empty() {
        let mut answering = health.iter().filter(|one| one.fault.is_none());
        let none = match answering.next() {
            Some(one) => format!(
                "No model is available: {} at {} answers and lists none. Load one there.",
                visible_line(&one.provider),
                visible_line(&one.endpoint)
            ),
            None => {
                "No model is available. Start Ollama, or install the small stand-in: cargo xtask \
                 setup"
                    .to_owned()
            }
        };
        text.push_str(&wrapped(&none, 2, width));
    }
    text
}

/// What to expect of the model that answers where none is named, in one line; `None` where there is
/// none.
#[must_use]
pub fn expected(known: &[ModelInfo]) -> Option<String> {
    let answers = known
        .iter()
        .find(|model| model.roles.contains(&ModelRole::Fast))?;
    let (size, what) = match answers.class {
        Some(ModelClass::Tiny) => (
            "tiny",
            "plain orders are done by rules; it reads, finds and counts in files that you name, and \
             is too small for code; a larger one that Ollama or another server of this machine has is \
             taken by itself",
        ),
        Some(ModelClass::Small) => (
            "small",
            "short tasks with the files named; look at each change before you say yes",
        ),
        Some(ModelClass::Medium) => (
            "medium",
            "changes and repairs in a few files, commands and tests; check what it claims",
        ),
        Some(ModelClass::Large) => ("large", "work of many steps in a whole project"),
        None => (
            "size not known",
            "if it is small, keep tasks short and name the files",
        ),
    };
    let model = visible_line(&answers.model.to_string());
    Some(format!("What to expect of {model} ({size}): {what}."))
}

/// How fast a model answered.
pub struct Speed(Answer);

impl Speed {
    /// Tokens a second, from the second one on.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let usage = &self.0.usage;
        let generating = usage.total_ms.saturating_sub(usage.first_token_ms).max(1);
        usage.completion_tokens.saturating_sub(1) as f64 * 1_000.0 / generating as f64
    }

    /// The model that answered, if it was named.
    #[must_use]
    pub fn model(&self) -> Option<String> {
        self.0.model.as_ref().map(ToString::to_string)
    }

    /// For people.
    #[must_use]
    pub fn line(&self) -> String {
        let Answer { model, text, usage } = &self.0;
        let rate = self.rate();
        let first = milliseconds(usage.first_token_ms);
        let answer = visible(text.trim()).replace('\n', " ");
        let model = model.as_ref().map(ToString::to_string).unwrap_or_default();
        let model = visible_line(&model);
        format!("{model}: first token after {first}, {rate:.0} tokens/s; it said: {answer}")
    }
}

/// Asks the model for a few words and times them.
///
/// # Errors
/// When it does not answer, or the call cannot be recorded.
pub async fn measure(models: &dyn Models, audit: &dyn Audit, model: ModelChoice) -> Result<Speed> {
    let question = "Name the three primary colours in one short sentence.".to_owned();
    let mut request = ChatRequest::new(model, vec![Message::User { text: question }]);
    request.max_tokens = Some(40);
    request.temperature = Some(0.0);
    let answer = ask(models, audit, request).await?;
    Ok(Speed(answer))
}

/// The model that answers when nothing is asked for.
#[must_use]
pub fn default_choice() -> ModelChoice {
    ModelChoice::Role(ModelRole::Fast)
}
