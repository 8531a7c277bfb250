//! Reads what stands before a session's conversation; how it is put together is [`context`]'s.

use crate::config::Prompts;
use context::{GlobalNotes, Sources, StandingText};
use domain::limits::{FILE_READ_BYTES, PROMPT_LAYER_BYTES};
use domain::settings::SessionProfile;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The standing text of a session with this profile; `about` is a line about the agent's type. Files of
/// the user's that are not there or not readable are left out; the log for operators says why.
pub(crate) fn standing(prompts: &Prompts, profile: &SessionProfile, about: &str) -> StandingText {
    let global_notes = prompts.global_files.iter().find_map(|path| {
        Some(GlobalNotes {
            file: path.display().to_string(),
            text: read_text(path)?,
        })
    });
    let reader = &prompts.project_notes;
    let sources = Sources {
        about,
        card: prompts.cards.get(&profile.agent_type),
        user_text: &prompts.user_text,
        global_notes,
        found: reader.read(&profile.settings.workspace),
        nonce: &|version| reader.nonce(version),
    };
    StandingText::of(profile, sources)
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
    use crate::notes::{Found, Notes, Reader, Standing};
    use context::AgentCard;
    use context::prompt::Fence;
    use domain::hash::Digest;
    use domain::lineage::AgentType;
    use domain::model::Think;
    use domain::settings::{Mode, SessionSettings};

    fn profile(workspace: &Path) -> SessionProfile {
        SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
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
        let standing = standing(&prompts, &profile(home.path()), "unused");
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
