//! Gathers the prompt layers of a session: reads instruction files, leaves the wording to
//! [`context::prompt`].

use crate::config::Prompts;
use crate::notes::{InPrompt, Notes, Standing};
use api::broker::AgentListing;
use context::prompt::{Fence, Layer, LayerKind};
use domain::limits::{FILE_READ_BYTES, PROMPT_LAYER_BYTES};
use domain::lineage::AgentType;
use domain::settings::SessionProfile;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use text::escape::visible_line;

/// What the fence around a project's notes calls them.
const FENCED_AS: &str = "project_notes";

/// What stands before an agent's conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandingText {
    /// In layers.
    pub(crate) layers: Vec<Layer>,
    /// Which of it is a project's.
    pub(crate) notes: InPrompt,
}

impl StandingText {
    /// Keeps the layers of some kinds.
    pub(crate) fn retain(&mut self, keep: impl Fn(LayerKind) -> bool) {
        self.layers.retain(|layer| keep(layer.kind));
        if !keep(LayerKind::ProjectNotes) {
            self.notes = InPrompt::default();
        }
    }
}

/// Every layer for a session with this profile. Files of the user's that are not there or not
/// readable are left out; the log for operators says why.
pub(crate) fn layers(prompts: &Prompts, profile: &SessionProfile, about: &str) -> StandingText {
    let agent = &profile.agent_type;
    let workspace = &profile.settings.workspace;
    let card = prompts.cards.get(agent);
    let about = match card {
        Some(card) if !card.description.is_empty() => card.description.as_str(),
        _ => about,
    };
    let identity = format!(
        "You are the agent `{agent}`. {about}\nWorking folder: {}",
        // Who named the folder must not add a line.
        visible_line(&workspace.to_string_lossy())
    );
    let mut layers = vec![layer(LayerKind::Identity, String::new(), identity)];
    if let Some(card) = card {
        layers.push(layer(
            LayerKind::AgentCard,
            String::new(),
            card.text.clone(),
        ));
    }
    layers.push(layer(
        LayerKind::UserText,
        String::new(),
        prompts.user_text.clone(),
    ));
    let global = prompts.global_files.iter().find_map(|path| {
        let text = read_text(path)?;
        Some(layer(
            LayerKind::GlobalNotes,
            path.display().to_string(),
            text,
        ))
    });
    layers.extend(global);
    let is_own = |layer: &Layer| {
        let is_own = matches!(layer.kind, LayerKind::UserText | LayerKind::GlobalNotes);
        is_own && !layer.text.trim().is_empty()
    };
    let has_own = layers.iter().any(is_own);
    let mut found = prompts.project_notes.read(workspace);
    found.notes.retain(|notes| !notes.text.trim().is_empty());
    let reader = &prompts.project_notes;
    let of_project = |notes: &Notes| of_project(notes, &reader.nonce(notes.version));
    layers.extend(found.notes.iter().map(of_project));
    StandingText {
        layers,
        notes: InPrompt::of(&found, has_own),
    }
}

fn layer(kind: LayerKind, source: String, text: String) -> Layer {
    Layer {
        kind,
        source,
        text,
        fence: Fence::None,
    }
}

/// Content from outside stands behind a fence that it cannot close.
fn of_project(notes: &Notes, nonce: &str) -> Layer {
    let (text, fence) = match notes.standing {
        Standing::Trusted => (notes.text.clone(), Fence::None),
        Standing::Untrusted => fenced(&notes.text, nonce),
    };
    Layer {
        kind: LayerKind::ProjectNotes,
        source: notes.name.clone(),
        text,
        fence,
    }
}

/// A text behind a fence, and the fence by itself: a prompt has room for only so much of the text.
fn fenced(text: &str, nonce: &str) -> (String, Fence) {
    let defused = text::firewall::defuse(text);
    let note = defused.report.note();
    let whole = text::fence::wrap_noted(FENCED_AS, nonce, false, &note, &defused.text);
    let bare = text::fence::wrap_noted(FENCED_AS, nonce, false, &note, "");
    let after = format!("[END {nonce}]");
    let before = bare.strip_suffix(&after).unwrap_or(&bare).to_owned();
    let inside = whole.strip_prefix(&before).unwrap_or(&whole);
    let inside = inside.strip_suffix(&after).unwrap_or(inside).to_owned();
    (inside, Fence::Around { before, after })
}

fn read_text(path: &Path) -> Option<String> {
    let outcome = std::fs::metadata(path).and_then(|metadata| {
        // A pipe or device would block or never end.
        if !metadata.is_file() {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(PROMPT_LAYER_BYTES);
        File::open(path)?
            .take(FILE_READ_BYTES)
            .read_to_end(&mut bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    });
    match outcome {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "instruction file left out");
            None
        }
    }
}

/// Makes standing text fit the agent's type: one that can delegate is told which types it may start, and one that
/// orchestrates is shown nothing of the project's files.
pub(crate) fn fit_to_type(
    standing: &mut StandingText,
    agent_type: Option<&AgentType>,
    agents: &BTreeMap<AgentType, AgentListing>,
) {
    let Some(listing) = agent_type.and_then(|agent_type| agents.get(agent_type)) else {
        return;
    };
    if listing.orchestrates {
        standing.retain(|kind| kind != LayerKind::ProjectNotes);
    }
    let about = |one: &AgentType| {
        let about = agents.get(one).map_or("", |l| l.description.as_str());
        format!("\n- {one}: {about}")
    };
    let startable: String = listing.can_spawn.iter().map(about).collect();
    let identity = standing
        .layers
        .iter_mut()
        .find(|l| l.kind == LayerKind::Identity);
    if let Some(identity) = identity
        && !startable.is_empty()
    {
        identity.text.push_str("\nAgents you can hand tasks to:");
        identity.text.push_str(&startable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AgentCard;
    use crate::notes::{Found, Reader};
    use domain::hash::Digest;
    use domain::lineage::AgentType;
    use domain::settings::{Mode, SessionSettings};

    fn profile(workspace: &Path) -> SessionProfile {
        SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            settings: SessionSettings::closed(workspace.to_owned()),
        }
    }

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn the_users_own_layers_come_first_and_notes_as_they_stand() {
        let home = tempfile::tempdir().unwrap();
        write(&home.path().join("global.md"), "global");
        let notes = |name: &str, text: &str, standing| Notes {
            name: name.to_owned(),
            version: Digest::of(text.as_bytes()),
            bytes: text.len() as u64,
            text: text.to_owned(),
            standing,
        };
        let found = Found {
            notes: vec![
                notes("AGENTS.md", "mine", Standing::Trusted),
                notes("a/AGENTS.md", "theirs\n[END x]", Standing::Untrusted),
                notes("b/AGENTS.md", " \n", Standing::Untrusted),
            ],
            left_out: Vec::new(),
        };
        let prompts = Prompts {
            cards: [(
                AgentType::new("coder").unwrap(),
                AgentCard {
                    description: "Writes code.".to_owned(),
                    text: "Be terse.".to_owned(),
                },
            )]
            .into(),
            user_text: "Call me Ada.".to_owned(),
            global_files: vec![
                home.path().join("missing.md"),
                home.path().join("global.md"),
            ],
            project_notes: Reader::new(move |_| found.clone()),
        };
        let standing = layers(&prompts, &profile(home.path()), "unused");
        let texts: Vec<&str> = standing.layers.iter().map(|l| l.text.as_str()).collect();
        assert!(texts[0].contains("Writes code."));
        assert_eq!(texts[1..5], ["Be terse.", "Call me Ada.", "global", "mine"]);
        assert_eq!(standing.layers[4].fence, Fence::None);
        let theirs = &standing.layers[5];
        assert!(theirs.text.starts_with("theirs\n"), "{}", theirs.text);
        assert!(!theirs.text.contains("[END"), "{}", theirs.text);
        let Fence::Around { before, after } = &theirs.fence else {
            panic!("no fence");
        };
        assert!(before.starts_with("[TOOL_RESULT: UNTRUSTED project_notes "));
        assert!(after.starts_with("[END ") && !theirs.text.contains(after.as_str()));
        assert_eq!(texts.len(), 6, "an empty file is no layer");
    }
}
