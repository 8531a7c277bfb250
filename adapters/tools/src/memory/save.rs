//! Nominating something to be kept. Memory's own gate decides whether it is.

use super::call::{context, failure, known_form};
use super::record::Kept;
use api::authority::JudgedCall;
use api::executor::ToolFailure;
use api::failure::{broken, mendable, of_call};
use api::memory::{Memory, Source, WriteAnswer, WriteEntry, WriteRequest};
use domain::label::{Integrity, Label};
use domain::rights::Namespace;
use domain::tool::ToolOutput;
use serde::Deserialize;

/// The arguments of `save_memory`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveMemory {
    name: String,
    content: String,
    description: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    scope: Part,
    supersedes: Option<String>,
}

/// Where it is kept.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    #[default]
    User,
    Project,
    Agent,
}

impl Part {
    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Agent => "agent",
        }
    }
}

pub(super) async fn save(
    memory: &dyn Memory,
    call: &JudgedCall,
) -> Result<ToolOutput, ToolFailure> {
    let arguments: SaveMemory = call.parse_arguments()?;
    let supersedes = match &arguments.supersedes {
        Some(id) => Some(known_form(id)?),
        None => None,
    };
    let (source, label) = said(call);
    let request = WriteRequest {
        context: Some(context(call)),
        namespace: namespace(arguments.scope, &call.rights.namespaces)?,
        source,
        label,
        entry: WriteEntry::Memory {
            description: arguments.description.unwrap_or_default(),
            name: arguments.name,
            tags: arguments.tags,
            correlating_ids: Vec::new(),
            corpus: arguments.content,
        },
        valid_from: None,
        supersedes,
    };
    match memory.write(request).await.map_err(failure)? {
        // An id that was just made comes from nobody.
        WriteAnswer::Stored { id } => told(
            Kept {
                id: id.to_string(),
                kept: true,
            },
            "Kept.",
            "",
        ),
        WriteAnswer::Duplicate { id } => {
            let said = "Memory says the same already.";
            told(
                Kept {
                    id: id.to_string(),
                    kept: false,
                },
                said,
                "memory",
            )
        }
        WriteAnswer::Rejected { refusal, detail } => Err(mendable(
            refusal.as_str(),
            of_call(format!("Not kept ({}): {detail}.", refusal.as_str())),
        )),
    }
}

/// Whose words they are, and how far they are trusted: by what the agent was shown, never by what it
/// says. What the user typed is the user's, whatever was shown before.
fn said(call: &JudgedCall) -> (Source, Label) {
    let user = Label::trusted("user");
    let source = match call.label.integrity {
        _ if call.is_typed => return (Source::User, user),
        Integrity::Trusted => Source::Agent,
        Integrity::Endorsed | Integrity::Untrusted => Source::External,
    };
    // The words are from a conversation with the user, which is nobody else's to read.
    (source, call.label.join(&user))
}

fn namespace(part: Part, open: &[Namespace]) -> Result<Namespace, ToolFailure> {
    let found = open.iter().find(|name| name.kind() == part.as_str());
    found.cloned().ok_or_else(|| {
        let kinds: Vec<&str> = open.iter().map(Namespace::kind).collect();
        mendable(
            "no_such_scope",
            of_call(match kinds.is_empty() {
                true => "No memory is open to this agent; nothing was kept.".to_owned(),
                false => format!(
                    "The scope `{}` is not open to this agent. Open: {}.",
                    part.as_str(),
                    kinds.join(", ")
                ),
            }),
        )
    })
}

fn told(kept: Kept, text: &str, origin: &str) -> Result<ToolOutput, ToolFailure> {
    let text = format!("{text} Id: {}", kept.id);
    let data = serde_json::to_value(kept).map_err(|error| {
        broken(
            "result_unwritable",
            format!("The result cannot be told: {error}."),
        )
    })?;
    Ok(ToolOutput {
        data,
        text,
        origin: origin.to_owned(),
        artifacts: Vec::new(),
        labels: Vec::new(),
    })
}
