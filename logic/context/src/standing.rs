//! What stands before an agent's conversation, put together from what was read of it.

use crate::notes::{Found, InPrompt, Notes, Standing};
use crate::prompt::{Fence, Layer, LayerKind};
use api::broker::AgentListing;
use domain::hash::Digest;
use domain::lineage::AgentType;
use domain::settings::SessionProfile;
use std::collections::BTreeMap;
use text::escape::visible_line;

/// What the fence around a project's notes calls them.
const FENCED_AS: &str = "project_notes";

/// How an agent of one type introduces itself: the body of its agent card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentCard {
    /// One line about the agent; empty for none.
    pub description: String,
    /// Its standing instructions; empty for none.
    pub text: String,
}

/// What the standing text of a session is made of.
pub struct Sources<'a> {
    /// One line about the agent's type, for one without a card.
    pub about: &'a str,
    /// The card of the agent's type.
    pub card: Option<&'a AgentCard>,
    /// The user's own instructions from configuration; empty for none.
    pub user_text: &'a str,
    /// The user's instructions for all projects, if there are any.
    pub global_notes: Option<GlobalNotes>,
    /// What the project has for agents.
    pub found: Found,
    /// What marks the fence around a version of a project's notes.
    pub nonce: &'a dyn Fn(Digest) -> String,
}

/// The user's instructions for all projects.
pub struct GlobalNotes {
    /// The file that they are from.
    pub file: String,
    /// What they say.
    pub text: String,
}

/// What stands before an agent's conversation.
#[derive(Debug, Clone, Default)]
pub struct StandingText {
    /// In layers.
    pub layers: Vec<Layer>,
    /// Which of it is a project's.
    pub notes: InPrompt,
}

impl StandingText {
    /// Every layer for a session with this profile.
    #[must_use]
    pub fn of(profile: &SessionProfile, sources: Sources<'_>) -> Self {
        let agent = &profile.agent_type;
        let workspace = &profile.settings.workspace;
        let card = sources.card;
        let about = match card {
            Some(card) if !card.description.is_empty() => card.description.as_str(),
            _ => sources.about,
        };
        let identity = format!(
            "You are the agent `{agent}`. {about}\nWorking folder: {}",
            // Who named the folder must not add a line.
            visible_line(&workspace.to_string_lossy())
        );
        let mut layers = vec![layer(LayerKind::Identity, String::new(), identity)];
        layers
            .extend(card.map(|card| layer(LayerKind::AgentCard, String::new(), card.text.clone())));
        let user_text = sources.user_text.to_owned();
        layers.push(layer(LayerKind::UserText, String::new(), user_text));
        let global = sources.global_notes;
        layers.extend(global.map(|notes| layer(LayerKind::GlobalNotes, notes.file, notes.text)));
        let is_own = |layer: &Layer| {
            let is_own = matches!(layer.kind, LayerKind::UserText | LayerKind::GlobalNotes);
            is_own && !layer.text.trim().is_empty()
        };
        let has_own = layers.iter().any(is_own);
        let mut found = sources.found;
        found.notes.retain(|notes| !notes.text.trim().is_empty());
        let of_project = |notes: &Notes| of_project(notes, &(sources.nonce)(notes.version));
        layers.extend(found.notes.iter().map(of_project));
        Self {
            layers,
            notes: InPrompt::of(&found, has_own),
        }
    }

    /// Keeps the layers of some kinds.
    pub fn retain(&mut self, keep: impl Fn(LayerKind) -> bool) {
        self.layers.retain(|layer| keep(layer.kind));
        if !keep(LayerKind::ProjectNotes) {
            self.notes = InPrompt::default();
        }
    }
    /// Makes it fit the agent's type: one that can delegate is told which types it may start, and one
    /// that orchestrates is shown nothing of the project's files.
    pub fn fit_to_type(
        &mut self,
        agent_type: Option<&AgentType>,
        agents: &BTreeMap<AgentType, AgentListing>,
    ) {
        let Some(listing) = agent_type.and_then(|agent_type| agents.get(agent_type)) else {
            return;
        };
        if listing.orchestrates {
            self.retain(|kind| kind != LayerKind::ProjectNotes);
        }
        let about = |one: &AgentType| {
            let about = agents.get(one).map_or("", |l| l.description.as_str());
            format!("\n- {one}: {about}")
        };
        let startable: String = listing.can_spawn.iter().map(about).collect();
        let identity = self
            .layers
            .iter_mut()
            .find(|l| l.kind == LayerKind::Identity);
        if let Some(identity) = identity
            && !startable.is_empty()
        {
            identity
                .text
                .push_str("\nAgents you can hand tasks to (@agent:TYPE in a request names one):");
            identity.text.push_str(&startable);
        }
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
    let after = format!("{}{nonce}]", text::fence::END);
    let before = bare.strip_suffix(&after).unwrap_or(&bare).to_owned();
    let inside = whole.strip_prefix(&before).unwrap_or(&whole);
    let inside = inside.strip_suffix(&after).unwrap_or(inside).to_owned();
    (inside, Fence::Around { before, after })
}
