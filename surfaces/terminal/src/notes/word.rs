//! What the user says of project notes, by a command or when a session would use a version that
//! nobody said anything of.

use super::asking::{Known, ask};
use super::file::{File, PROJECT_FILE, file_at, files};
use super::vouched::{Said, Vouched, Word};
use crate::audited::on_record;
use crate::exit::Failure;
use crate::host::Host;
use anyhow::{Context, Result};
use api::audit::Audit;
use domain::settings::{Attendance, Mode, SessionProfile};
use rendering::{Paint, print, print_error};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use text::escape::{visible_json, visible_line};

/// A file of project notes that is to be trusted.
///
/// # Errors
/// A usage failure when it is no file of project notes that can be used.
pub fn usable(typed: &Path) -> Result<File> {
    file_at(typed).map_err(|problem| {
        let hint = "Give the path of the AGENTS.md, CLAUDE.md or other project notes, for example \
                    `carl policy trust AGENTS.md`.";
        Failure::usage(problem, hint).into()
    })
}

/// Says that this version of a file is to be trusted.
///
/// # Errors
/// When it cannot be recorded or kept.
pub async fn trust(vouched: &Vouched, audit: &dyn Audit, file: &File) -> Result<()> {
    keep(vouched, audit, file, Word::Trust).await?;
    print(&format!(
        "Trusted: {}, version {}. A changed version is not trusted until you trust it.\n",
        visible_line(&file.path.display().to_string()),
        file.version.short()
    ))?;
    Ok(())
}

/// The path of a file of which something was said.
///
/// # Errors
/// A usage failure when nothing was.
pub fn spoken_of(vouched: &Vouched, typed: &Path) -> Result<PathBuf> {
    let path = settled(typed)?;
    if vouched.read()?.iter().any(|said| said.path == path) {
        return Ok(path);
    }
    let shown = visible_line(&path.display().to_string());
    let hint = "`carl policy trusted` lists what was.";
    Err(Failure::usage(format!("nothing was said of {shown}"), hint).into())
}

/// Takes back what was said of every version of a file.
///
/// # Errors
/// When it cannot be recorded or the list cannot be written.
pub async fn distrust(vouched: &Vouched, audit: &dyn Audit, path: &Path) -> Result<()> {
    on_record(audit, "nothing is said of project notes any more").await?;
    vouched.forget(path)?;
    let shown = visible_line(&path.display().to_string());
    let after = match path.file_name().is_some_and(|name| name == PROJECT_FILE) {
        true => "Its checks run in no session that is opened from now on.",
        false => "Agents read it as content from outside, and you are asked again.",
    };
    print(&format!("Forgotten: {shown}. {after}\n"))?;
    Ok(())
}

/// A path without links; that of a file which is gone, by the folder it was in.
fn settled(file: &Path) -> Result<PathBuf> {
    let absolute =
        std::path::absolute(file).with_context(|| format!("{} is no path", file.display()))?;
    let settled = match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => parent.canonicalize().map(|parent| parent.join(name)).ok(),
        _ => None,
    };
    Ok(settled.unwrap_or(absolute))
}

/// Lists what was said.
///
/// # Errors
/// When the list cannot be used.
pub fn list(vouched: &Vouched, json: bool) -> Result<()> {
    let said = vouched.read()?;
    let text = if json {
        let all: Vec<_> = said
            .iter()
            .map(|one| {
                json!({
                    "path": one.path.display().to_string(),
                    "version": one.version.to_string(),
                    "word": one.word.as_str(),
                    "state": state(one),
                })
            })
            .collect();
        visible_json(&serde_json::to_string_pretty(&all)?)
    } else if said.is_empty() {
        "No project notes are trusted or distrusted. `carl policy trust FILE` trusts a version of one.".to_owned()
    } else {
        let lines = said.iter().map(|one| {
            let path = visible_line(&one.path.display().to_string());
            let version = one.version.short();
            format!("{:9} {version} {path} ({})", one.word.as_str(), state(one))
        });
        lines.collect::<Vec<String>>().join("\n")
    };
    print(&format!("{text}\n"))?;
    Ok(())
}

/// What has become of the version.
fn state(said: &Said) -> &'static str {
    match file_at(&said.path) {
        Ok(file) if file.version == said.version => "current",
        Ok(_) => "another version now",
        Err(_) => "gone or not readable",
    }
}

/// Asks about each file of notes that a session would use, nobody said anything of, and somebody is
/// there to be asked about. Without an answer it is used as untrusted.
///
/// # Errors
/// When the terminal or the list cannot be used.
pub async fn ask_about(host: &dyn Host, profile: &SessionProfile) -> Result<()> {
    let is_attended = profile.settings.attendance == Attendance::Attended
        && io::stdin().is_terminal()
        && io::stderr().is_terminal();
    if !is_attended || !are_used(host, profile).await? {
        return Ok(());
    }
    let (vouched, audit) = (host.notes(), host.asker().audit);
    let said = vouched.read()?;
    let (files, _) = files(&profile.settings.workspace);
    let unknown = files
        .into_iter()
        .filter(|file| !file.text.trim().is_empty())
        .filter(|file| Vouched::of_version(&said, file.version).is_none());
    for file in unknown {
        let known = match said.iter().any(|one| one.path == file.path) {
            true => Known::Changed,
            false => Known::New,
        };
        let asked = file.clone();
        let paint = Paint::for_stream(&io::stderr());
        let asking = tokio::task::spawn_blocking(move || ask(&asked, known, paint));
        let word = asking.await.context("the question could not be asked")?;
        let Some(answer) = word.context("the terminal cannot be read")? else {
            continue;
        };
        // The newer word holds: this question was about a version that nobody had spoken of.
        if let Some(newer) = Vouched::of_version(&vouched.read()?, file.version) {
            print_error(&format!(
                "  answered in another window meanwhile: {}; that holds, and this answer changes \
                 nothing\n",
                newer.as_str()
            ))?;
        } else if let Err(error) = keep(&vouched, audit.as_ref(), &file, answer).await {
            print_error(&format!(
                "  not remembered, so untrusted this time: {error:#}\n"
            ))?;
        }
    }
    Ok(())
}

/// Whether a session with this profile shows notes to any agent.
pub(super) async fn are_used(host: &dyn Host, profile: &SessionProfile) -> Result<bool> {
    Ok(match profile.mode {
        Mode::Deterministic | Mode::Bridge | Mode::Command => false,
        Mode::Loop | Mode::Auto | Mode::Adaptive => true,
        // A plan is made without them, but agents that work on its parts may be shown them.
        Mode::Plan => {
            let types = host.list_agents().await?;
            let own = types
                .iter()
                .find(|one| one.agent_type == profile.agent_type);
            own.is_some_and(|own| own.orchestrates)
        }
    })
}

/// Puts an answer on record, then keeps it. The file's name is not part of the record.
async fn keep(vouched: &Vouched, audit: &dyn Audit, file: &File, word: Word) -> Result<()> {
    let version = file.version.short();
    let change = format!("project notes, version {version}: {}", word.as_str());
    on_record(audit, &change).await?;
    vouched.say(&file.path, file.version, word)
}
