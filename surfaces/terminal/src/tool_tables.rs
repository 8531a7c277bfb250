//! Drafting and checking tables for tools that are not built in.

use crate::exit::{Exit, Failure};
use crate::models;
use crate::question::ask;
use anyhow::{Context, Result, ensure};
use api::audit::Audit;
use api::models::{ChatRequest, Models};
use disk::read::{self, Links};
use domain::fault::Coded;
use domain::message::Message;
use domain::model::Think;
use domain::tool::ToolDefinition;
use rendering::{print, print_error};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use text::escape::{quoted_argv, visible_line};
use tooltable::classify::{Opinion, Proposal, classify, opinion_schema, question, yaml};
use tooltable::{Offer, TABLE_BYTES, Table, offers};

/// Largest file of tool definitions, bytes.
const DEFINITIONS_BYTES: u64 = 16 << 20;
/// Longest answer asked of a model about one tool, tokens.
const OPINION_TOKENS: u32 = 300;

/// Drafts the entries for the tools that a file defines.
///
/// # Errors
/// When the definitions cannot be used.
pub fn draft(file: &Path) -> Result<Draft> {
    let offered = definitions(file)?;
    let proposals = offered
        .iter()
        .map(|offer| classify(&offer.definition, offer.hints));
    Ok(Draft {
        proposals: proposals.collect(),
        offered,
    })
}

/// The draft of a table.
pub struct Draft {
    offered: Vec<Offer>,
    proposals: Vec<Proposal>,
}

impl Draft {
    /// Takes a model's opinion of each tool into the draft.
    ///
    /// # Errors
    /// When the model does not answer, or the call cannot be recorded.
    pub async fn consider(&mut self, models: &dyn Models, audit: &dyn Audit) -> Result<()> {
        for (offer, proposal) in self.offered.iter().zip(&mut self.proposals) {
            second_opinion(models, audit, &offer.definition, proposal).await?;
        }
        Ok(())
    }

    /// Prints the table, or writes it into a file that is not there yet.
    ///
    /// # Errors
    /// When the file is there already or cannot be written.
    pub fn write(&self, output: Option<&Path>) -> Result<()> {
        let table = yaml(&self.proposals);
        let Some(path) = output else {
            return Ok(print(&table)?);
        };
        write_new(path, &table)?;
        let shown = visible_line(&path.to_string_lossy());
        let typed = visible_line(&quoted_argv(&[path.to_string_lossy()]));
        print(&format!(
            "{shown}: {} drafted. None counts yet: read each, correct it and write \
             `approved: true`. Then: carl tools check {typed}\n",
            self.proposals.len(),
        ))?;
        Ok(())
    }
}

/// Takes a model's opinion of a tool into its draft. What the model does not answer in the form
/// asked for is noted in the draft.
async fn second_opinion(
    models: &dyn Models,
    audit: &dyn Audit,
    definition: &ToolDefinition,
    proposal: &mut Proposal,
) -> Result<()> {
    let asked = Message::User {
        text: question(definition),
    };
    let mut request = ChatRequest::new(models::default_choice(), vec![asked]);
    request.response_schema = Some(opinion_schema());
    request.max_tokens = Some(OPINION_TOKENS);
    request.temperature = Some(0.0);
    request.think = Think::Off;
    let answer = ask(models, audit, request).await?;
    match Opinion::read(&answer.text) {
        Some(opinion) => proposal.consider(&opinion),
        None => {
            let note = "the model gave no answer that could be used".to_owned();
            proposal.doubts.push(note);
        }
    }
    Ok(())
}

/// Checks tables.
///
/// # Errors
/// When a table or the definitions cannot be used.
pub fn check(tables: &[PathBuf], tools: Option<&Path>) -> Result<Exit> {
    let mut table = Table::default();
    for path in tables {
        table.overlay(read_table(path)?);
    }
    let warnings = match tools {
        None => unapproved(&table),
        Some(path) => {
            let offered = definitions(path)?.into_iter().map(|offer| offer.definition);
            table.warnings(&offered.collect::<Vec<_>>())
        }
    };
    for warning in &warnings {
        print_error(&format!("{}\n", visible_line(warning)))?;
    }
    let count = table.entries().len();
    let noun = if count == 1 { "tool" } else { "tools" };
    let found = match warnings.len() {
        0 => "no warnings".to_owned(),
        1 => "1 warning".to_owned(),
        more => format!("{more} warnings"),
    };
    print(&format!("{count} {noun} in the table, {found}.\n"))?;
    Ok(if warnings.is_empty() {
        Exit::Success
    } else {
        Exit::Partial
    })
}

/// What can be said of a table without the tools.
fn unapproved(table: &Table) -> Vec<String> {
    let drafts = table.entries().iter().filter(|(_, entry)| !entry.approved);
    drafts
        .map(|(name, _)| format!("`{name}` is not approved yet: it counts as unclassified (exec)."))
        .collect()
}

/// Reads a tool table from a file.
///
/// # Errors
/// A usage failure that says what is wrong and where.
pub fn read_table(path: &Path) -> Result<Table> {
    let shown = path.to_string_lossy();
    let limit = u64::try_from(TABLE_BYTES).unwrap_or(u64::MAX);
    let text = read::text(path, limit, Links::Followed)?.ok_or_else(|| {
        Failure::usage(
            format!("there is no tool table {shown}"),
            "`carl tools classify` drafts one; docs/tool-tables.md describes the format.",
        )
    })?;
    Table::parse(&text, &shown).map_err(|error| usage(&error))
}

fn definitions(path: &Path) -> Result<Vec<Offer>> {
    let shown = path.to_string_lossy();
    let text = if shown == "-" {
        let mut text = String::new();
        let mut input = io::stdin().lock().take(DEFINITIONS_BYTES + 1);
        input
            .read_to_string(&mut text)
            .context("standard input cannot be read as UTF-8 text")?;
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        ensure!(
            length <= DEFINITIONS_BYTES,
            "standard input is larger than {DEFINITIONS_BYTES} bytes"
        );
        text
    } else {
        read::text(path, DEFINITIONS_BYTES, Links::Followed)?.ok_or_else(|| {
            Failure::usage(
                format!("there is no file {shown}"),
                "Give a file with the tools' definitions, or `-` for standard input.",
            )
        })?
    };
    let name = if shown == "-" {
        "standard input"
    } else {
        &shown
    };
    offers(&text, name).map_err(|error| usage(&error))
}

fn usage(error: &tooltable::Error) -> anyhow::Error {
    Failure {
        exit: Exit::Usage,
        fault: error.fault(),
    }
    .into()
}

/// Writes a file that is not there yet: a table that someone has approved is never overwritten.
fn write_new(path: &Path, text: &str) -> Result<()> {
    let shown = path.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Failure::usage(
                format!("{shown} is there already and is kept"),
                "Write to another file, and take from it what you want.",
            )
            .into());
        }
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be written")),
    };
    file.write_all(text.as_bytes())
        .with_context(|| format!("{shown} cannot be written"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::audit::Action;
    use contracts::{FakeAudit, FakeModels, Reply};
    use domain::tool::{EffectClass, ToolName};
    use serde_json::json;
    use tooltable::classify::Hints;

    fn look() -> ToolDefinition {
        ToolDefinition {
            name: ToolName::new("get_items").unwrap(),
            description: "Get the items.".to_owned(),
            parameters: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
        }
    }

    async fn after(answer: &str) -> (Proposal, FakeModels) {
        let (models, audit) = (FakeModels::new([Reply::says(answer)]), FakeAudit::new());
        let mut proposal = classify(&look(), Hints::default());
        second_opinion(&models, &audit, &look(), &mut proposal)
            .await
            .unwrap();
        let record = &audit.entries()[0];
        assert_eq!(record.action, Action::ModelCall);
        assert!(record.model_call.is_some(), "the question is on record");
        (proposal, models)
    }

    #[tokio::test]
    async fn a_model_can_only_make_a_draft_stricter() {
        let (proposal, models) = after(r#"{"effect": "egress", "targets": ["query"]}"#).await;
        assert_eq!(proposal.effect, EffectClass::Egress);
        let asked = &models.requests()[0];
        assert_eq!(asked.response_schema, Some(opinion_schema()));
        assert!(asked.tools.is_empty(), "it is asked, it does not act");
        let (same, _) = after(r#"{"effect": "read", "targets": []}"#).await;
        assert_eq!(same, classify(&look(), Hints::default()));
    }

    #[tokio::test]
    async fn an_answer_without_use_is_noted_and_a_model_that_fails_is_told() {
        let (proposal, _) = after("I think it is harmless.").await;
        assert_eq!(proposal.effect, EffectClass::Read);
        assert_eq!(proposal.doubts.len(), 1);
        let models = FakeModels::new([Reply::refused(
            api::models::ErrorKind::Unreachable,
            "nothing answers",
        )]);
        let mut proposal = classify(&look(), Hints::default());
        let audit = FakeAudit::new();
        let asked = second_opinion(&models, &audit, &look(), &mut proposal).await;
        assert!(asked.is_err());
        assert_eq!(audit.entries().len(), 1, "and so is that it failed");
        audit.fail();
        let (models, mut same) = (FakeModels::new([Reply::says("{}")]), proposal.clone());
        let asked = second_opinion(&models, &audit, &look(), &mut same).await;
        assert!(asked.is_err(), "no answer is used that is not on record");
    }
}
