//! Agent cards: Markdown files in which an agent type introduces itself. Five are shipped; a file
//! `cards/TYPE.md` in the configuration folder replaces one or adds another. A card is prompt text;
//! what a type may do stands in agents.yaml alone.

use agents::AgentCard;
use anyhow::{Context, Result};
use disk::read::{self, Links};
use domain::limits::PROMPT_LAYER_BYTES;
use domain::lineage::AgentType;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use terminal::exit::Failure;
use terminal::render::print_error;
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
const ABOUT_CARDS: &str = "A card begins with a line `---`, then `name:` and `description:`, a line `---`, and the \
     instructions. Rights and model roles belong in agents.yaml.";

/// What stands between the two lines of dashes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    name: AgentType,
    #[serde(default)]
    description: String,
}

/// Every card: the shipped ones, then the user's. A file that does not begin as a card, such as a
/// note beside them, is left out with a warning.
///
/// # Errors
/// A usage failure that names the card which cannot be used, and why.
pub fn load(folder: &Path) -> Result<BTreeMap<AgentType, AgentCard>> {
    let mut cards = BTreeMap::new();
    for text in SHIPPED {
        let (name, card) = parse("a shipped card", text)?;
        cards.insert(name, card);
    }
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(cards),
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", folder.display()));
        }
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("{} cannot be read", folder.display()))?
            .path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = read::text(&path, PROMPT_LAYER_BYTES as u64, Links::Followed)
                .context("a card cannot be used")?;
            // One that is gone by now, or a link that leads nowhere.
            let Some(text) = text else { continue };
            let shown = path.display().to_string();
            if !text.starts_with(FENCE) {
                let shown = visible_line(&shown);
                print_error(&format!(
                    "warning: {shown} is left out: it is no card. {ABOUT_CARDS}\n"
                ))?;
                continue;
            }
            let (name, card) = parse(&shown, &text)?;
            cards.insert(name, card);
        }
    }
    Ok(cards)
}

fn parse(place: &str, text: &str) -> Result<(AgentType, AgentCard)> {
    let refuse = |problem: String| Failure::usage(format!("{place}: {problem}"), ABOUT_CARDS);
    if text.len() > PROMPT_LAYER_BYTES {
        return Err(refuse(format!("larger than {PROMPT_LAYER_BYTES} bytes")).into());
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
        let cards = load(folder.path()).unwrap();
        let coder = &cards[&AgentType::new("coder").unwrap()];
        assert_eq!(
            (coder.description.as_str(), coder.text.as_str()),
            ("mine", "Be brief.")
        );
        assert_eq!(cards.len(), SHIPPED.len());
        assert_eq!(
            load(Path::new("/nowhere/cards")).unwrap().len(),
            SHIPPED.len()
        );
    }

    #[test]
    fn what_is_no_file_or_has_no_end_is_refused_and_not_waited_for() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let card = folder.path().join("coder.md");
        let refused = |what: &str| {
            let error = format!("{:#}", load(folder.path()).unwrap_err());
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
