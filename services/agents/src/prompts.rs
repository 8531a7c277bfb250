//! Gathers the prompt layers of a session: reads instruction files, leaves the wording to
//! [`context::prompt`].

use crate::config::Prompts;
use context::prompt::{Layer, LayerKind};
use domain::limits::{FILE_READ_BYTES, PROMPT_LAYER_BYTES};
use domain::settings::SessionProfile;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Instruction files in a folder, best first.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// How far up a repository's root is looked for, folders.
const FOLDERS_UP: usize = 32;

/// Every layer for a session with this profile. Files that are not there, not readable, no text or
/// outside the repository are left out; the log for operators says why.
pub(crate) fn layers(prompts: &Prompts, profile: &SessionProfile, about: &str) -> Vec<Layer> {
    let agent = &profile.agent_type;
    let workspace = &profile.settings.workspace;
    let card = prompts.cards.get(agent);
    let about = match card {
        Some(card) if !card.description.is_empty() => card.description.as_str(),
        _ => about,
    };
    let identity = format!(
        "You are the agent `{agent}`. {about}\nWorking folder: {}",
        workspace.display()
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
    layers.extend(project_notes(workspace));
    layers
}

fn layer(kind: LayerKind, source: String, text: String) -> Layer {
    Layer { kind, source, text }
}

/// The notes of the folders from the repository's root down to the workspace, nearest last. Without
/// a repository only the workspace's own count.
fn project_notes(workspace: &Path) -> Vec<Layer> {
    let folders: Vec<&Path> = workspace.ancestors().take(FOLDERS_UP).collect();
    let root = folders
        .iter()
        .position(|folder| folder.join(".git").exists());
    let own = &folders[..=root.unwrap_or(0).min(folders.len().saturating_sub(1))];
    let Some(top) = own.last() else {
        return Vec::new();
    };
    let notes = own.iter().rev().filter_map(|folder| {
        let (path, text) = NAMES.iter().find_map(|name| {
            let path = folder.join(name);
            let inside = stays_inside(&path, top)?;
            Some((path, read_text(&inside)?))
        })?;
        let source = path
            .strip_prefix(top)
            .unwrap_or(&path)
            .display()
            .to_string();
        Some(layer(LayerKind::ProjectNotes, source, text))
    });
    notes.collect()
}

/// The file behind `path`, unless a link leads out of the project: a stranger's repository must not
/// choose which of the user's files a model reads.
fn stays_inside(path: &Path, top: &Path) -> Option<PathBuf> {
    match (path.canonicalize(), top.canonicalize()) {
        (Ok(path), Ok(top)) if path.starts_with(&top) => Some(path),
        (Ok(_), _) => {
            tracing::warn!(path = %path.display(), "instruction file left out: it leads out of the project");
            None
        }
        (Err(_), _) => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AgentCard;
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
    fn notes_come_from_the_repository_root_down_and_agents_beats_claude() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("repo");
        write(&home.path().join("AGENTS.md"), "above the repository");
        write(&root.join(".git/HEAD"), "");
        write(&root.join("CLAUDE.md"), "root claude");
        write(&root.join("a/b/AGENTS.md"), "near agents");
        write(&root.join("a/b/CLAUDE.md"), "near claude");
        write(&home.path().join("global.md"), "global");
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
        };
        let layers = layers(&prompts, &profile(&root.join("a/b")), "unused");
        let found: Vec<(&str, &str)> = layers
            .iter()
            .map(|layer| (layer.source.as_str(), layer.text.as_str()))
            .collect();
        assert!(found[0].1.contains("Writes code."));
        assert_eq!(found[1].1, "Be terse.");
        assert_eq!(found[2].1, "Call me Ada.");
        assert_eq!(found[3].1, "global");
        assert_eq!(
            found[4..],
            [
                ("CLAUDE.md", "root claude"),
                ("a/b/AGENTS.md", "near agents")
            ]
        );
    }

    #[test]
    fn without_a_repository_only_the_folder_itself_counts_and_links_out_do_not() {
        let home = tempfile::tempdir().unwrap();
        write(&home.path().join("secret.txt"), "secret");
        write(&home.path().join("AGENTS.md"), "above");
        let folder = home.path().join("folder");
        write(&folder.join("CLAUDE.md"), "own");
        std::os::unix::fs::symlink("../secret.txt", folder.join("AGENTS.md")).unwrap();
        let layers = project_notes(&folder);
        assert_eq!(layers.len(), 1);
        assert_eq!(layers[0].text, "own");
    }
}
