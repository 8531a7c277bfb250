//! Agent cards: Markdown files in which an agent type introduces itself. Five are shipped; a file
//! `cards/TYPE.md` in the configuration folder replaces one or adds another. A card is prompt text;
//! what a type may do stands in agents.yaml alone.

mod record;

use context::AgentCard;
use disk::read::{self, Links};
use domain::limits::PROMPT_LAYER_BYTES;
use domain::lineage::AgentType;
use record::FrontMatter;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use text::escape::visible_line;
use tooltable::yaml::{Trouble, trouble};

const SHIPPED: [&str; 5] = [
    include_str!("../../../config/cards/assistant.md"),
    include_str!("../../../config/cards/coder.md"),
    include_str!("../../../config/cards/orchestrator.md"),
    include_str!("../../../config/cards/researcher.md"),
    include_str!("../../../config/cards/sysadmin.md"),
];

/// What a card begins with.
const FENCE: &str = "---\n";
/// What a card is, for whoever wrote something else.
pub const ABOUT: &str = "A card begins with a line `---`, then `name:` and `description:`, a line `---`, and the \
     instructions. Rights and model roles belong in agents.yaml.";

/// Why the cards cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be read.
    #[error("{folder} cannot be read")]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("a card cannot be used")]
    File(#[from] disk::Error),
    /// What is in a file is no card; [`ABOUT`] says what one is.
    #[error("{0}")]
    Form(String),
}

/// Every card: the shipped ones, then the user's.
#[derive(Debug, Default)]
pub struct Cards {
    /// By agent type.
    pub cards: BTreeMap<AgentType, AgentCard>,
    /// Files that do not begin as a card, such as a note beside them: a sentence each.
    pub left_out: Vec<String>,
}

/// Reads the cards.
///
/// # Errors
/// [`Error`] that names the card which cannot be used, and why.
pub fn load(folder: &Path) -> Result<Cards, Error> {
    let mut all = Cards::default();
    for text in SHIPPED {
        let (name, card) = parse("a shipped card", text)?;
        all.cards.insert(name, card);
    }
    let failed = |source| Error::Folder {
        folder: folder.to_owned(),
        source,
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(all),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        // One that is gone by now, or a link that leads nowhere.
        let Some(text) = read::text(&path, PROMPT_LAYER_BYTES as u64, Links::Followed)? else {
            continue;
        };
        let shown = path.display().to_string();
        if text.starts_with(FENCE) {
            let (name, card) = parse(&shown, &text)?;
            all.cards.insert(name, card);
        } else {
            let shown = visible_line(&shown);
            all.left_out
                .push(format!("{shown} is left out: it is no card. {ABOUT}"));
        }
    }
    Ok(all)
}

fn parse(place: &str, text: &str) -> Result<(AgentType, AgentCard), Error> {
    let refuse = |problem: String| Error::Form(format!("{place}: {problem}"));
    if text.len() > PROMPT_LAYER_BYTES {
        return Err(refuse(format!("larger than {PROMPT_LAYER_BYTES} bytes")));
    }
    let (front, body) = text
        .strip_prefix(FENCE)
        .and_then(|rest| rest.split_once("\n---\n"))
        .ok_or_else(|| refuse("the front matter has no end, a line `---`".to_owned()))?;
    let front: FrontMatter = serde_saphyr::from_str(front).map_err(|error| {
        let Trouble { line, problem } = trouble(&error);
        // The first line is the one of dashes.
        refuse(format!("line {}: {problem}", line + 1))
    })?;
    let card = AgentCard {
        description: front.description,
        text: body.trim().to_owned(),
    };
    Ok((front.name, card))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_card_replaces_a_shipped_one() {
        let folder = tempfile::tempdir().unwrap();
        let text = "---\nname: coder\ndescription: mine\n---\nBe brief.\n";
        std::fs::write(folder.path().join("mine.md"), text).unwrap();
        let cards = load(folder.path()).unwrap().cards;
        let coder = &cards[&AgentType::new("coder").unwrap()];
        assert_eq!(
            (coder.description.as_str(), coder.text.as_str()),
            ("mine", "Be brief.")
        );
        assert_eq!(cards.len(), SHIPPED.len());
        assert_eq!(
            load(Path::new("/nowhere/cards")).unwrap().cards.len(),
            SHIPPED.len()
        );
    }

    #[test]
    fn what_is_no_file_or_has_no_end_is_refused_and_not_waited_for() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let card = folder.path().join("coder.md");
        let refused = |what: &str| {
            let error = load(folder.path()).unwrap_err();
            let error = std::error::Error::source(&error).unwrap().to_string();
            assert!(error.contains("coder.md"), "{what}: {error}");
            std::fs::remove_file(&card).unwrap();
        };
        mknodat(CWD, &card, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        refused("a pipe");
        std::os::unix::fs::symlink("/dev/zero", &card).unwrap();
        refused("a device");
        let file = std::fs::File::create(&card).unwrap();
        file.set_len(1 << 40).unwrap();
        refused("a file without end");
    }

    #[test]
    fn a_card_that_claims_rights_or_has_no_front_matter_is_refused() {
        for wrong in [
            "Be brief.",
            "---\nname: coder\ntools: [write_file]\n---\nx",
            "---\nname: A B\n---\nx",
        ] {
            assert!(parse("card.md", wrong).is_err(), "{wrong}");
        }
        let twice = "---\nname: coder\nname: x\n---\nx";
        let told = parse("card.md", twice).unwrap_err().to_string();
        assert!(
            told.contains("card.md: line 3: `name` is there twice"),
            "{told}"
        );
    }
}
