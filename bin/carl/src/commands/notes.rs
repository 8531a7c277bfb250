//! What the user says of project notes: `carl policy trust`, `distrust` and `trusted`, and the
//! question before a session uses a version that nobody said anything of.

use super::Setting;
use crate::cli::{ListArgs, NotesArgs};
use crate::project_notes::{self, File};
use crate::vouched::{Said, Vouched, Word};
use crate::wiring::House;
use anyhow::{Context, Result};
use domain::settings::{Attendance, Mode, SessionProfile};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::Path;
use terminal::audited::on_record;
use terminal::exit::{Exit, Failure, OrFail};
use terminal::render::notes::{Known, NotesAnswer, NotesFile, ask};
use terminal::render::{Paint, print, print_error};
use text::escape::visible_line;

/// Says that the version of a file that is there now is to be trusted.
///
/// # Errors
/// A usage failure when it is no file of project notes that can be used.
pub async fn trust(args: &NotesArgs) -> Result<Exit> {
    let file = project_notes::file_at(&args.file).map_err(|problem| {
        Failure::usage(
            problem,
            "Give the path of the AGENTS.md, CLAUDE.md or other project notes, for example `carl policy trust AGENTS.md`.",
        )
    })?;
    let setting = Setting::plain()?;
    let house = House::open_for_upkeep(&setting).await?;
    let kept = keep(&house, &Vouched::of(&setting.paths), &file, Word::Trust).await;
    house.close(kept).await?;
    print(&format!(
        "Trusted: {}, version {}. A changed version is not trusted until you trust it.\n",
        visible_line(&file.path.display().to_string()),
        file.version.short()
    ))?;
    Ok(Exit::Success)
}

/// Takes back what was said of every version of a file.
///
/// # Errors
/// A usage failure when nothing was.
pub async fn distrust(args: &NotesArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    let vouched = Vouched::of(&setting.paths);
    let path = settled(&args.file)?;
    let shown = visible_line(&path.display().to_string());
    if !vouched.read()?.iter().any(|said| said.path == path) {
        return Err(Failure::usage(
            format!("nothing was said of {shown}"),
            "`carl policy trusted` lists what was.",
        )
        .into());
    }
    let house = House::open_for_upkeep(&setting).await?;
    let change = "nothing is said of project notes any more";
    let forgotten = match on_record(house.audit.as_ref(), change).await {
        Ok(()) => vouched.forget(&path),
        Err(error) => Err(error),
    };
    house.close(forgotten).await?;
    print(&format!(
        "Forgotten: {shown}. Agents read it as content from outside, and you are asked again.\n"
    ))?;
    Ok(Exit::Success)
}

/// A path without links; that of a file which is gone, by the folder it was in.
fn settled(file: &Path) -> Result<std::path::PathBuf> {
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
pub fn list(args: &ListArgs) -> Result<Exit> {
    let said = Vouched::of(&Setting::plain()?.paths).read()?;
    let text = if args.json {
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
        serde_json::to_string_pretty(&all)?
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
    Ok(Exit::Success)
}

/// What has become of the version.
fn state(said: &Said) -> &'static str {
    match project_notes::file_at(&said.path) {
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
pub async fn ask_about(setting: &Setting, house: &House, profile: &SessionProfile) -> Result<()> {
    let is_attended = profile.settings.attendance == Attendance::Attended
        && io::stdin().is_terminal()
        && io::stderr().is_terminal();
    if !is_attended || !are_used(house, profile).await? {
        return Ok(());
    }
    let vouched = Vouched::of(&setting.paths);
    let said = vouched.read()?;
    let (files, _) = project_notes::files(&profile.settings.workspace);
    let unknown = files
        .into_iter()
        .filter(|file| !file.text.trim().is_empty())
        .filter(|file| Vouched::of_version(&said, file.version).is_none());
    for file in unknown {
        let known = match said.iter().any(|one| one.path == file.path) {
            true => Known::Changed,
            false => Known::New,
        };
        let asked = asked_about(&file);
        let paint = Paint::for_stream(&io::stderr());
        let asking = tokio::task::spawn_blocking(move || ask(&asked, known, paint));
        let word = asking.await.context("the question could not be asked")?;
        if let Some(answer) = word.context("the terminal cannot be read")?
            && let Err(error) = keep(house, &vouched, &file, word_of(answer)).await
        {
            print_error(&format!(
                "  not remembered, so untrusted this time: {error:#}\n"
            ))?;
        }
    }
    Ok(())
}

fn asked_about(file: &File) -> NotesFile {
    NotesFile {
        path: file.path.clone(),
        name: file.name.clone(),
        text: file.text.clone(),
        bytes: file.bytes,
        version: file.version,
    }
}

const fn word_of(answer: NotesAnswer) -> Word {
    match answer {
        NotesAnswer::Trust => Word::Trust,
        NotesAnswer::Untrusted => Word::Untrusted,
        NotesAnswer::Ignore => Word::Ignore,
    }
}

/// Whether a session with this profile shows notes to any agent.
async fn are_used(house: &House, profile: &SessionProfile) -> Result<bool> {
    Ok(match profile.mode {
        Mode::Deterministic | Mode::Bridge => false,
        Mode::Loop | Mode::Auto => true,
        // A plan is made without them, but agents that work on its parts may be shown them.
        Mode::Plan => {
            let types = house.guard.control.list_agents().await.or_fail()?;
            let own = types
                .iter()
                .find(|one| one.agent_type == profile.agent_type);
            own.is_some_and(|own| own.orchestrates)
        }
    })
}

/// Puts an answer on record, then keeps it. The file's name is not part of the record.
async fn keep(house: &House, vouched: &Vouched, file: &File, word: Word) -> Result<()> {
    let version = file.version.short();
    let change = format!("project notes, version {version}: {}", word.as_str());
    on_record(house.audit.as_ref(), &change).await?;
    vouched.say(&file.path, file.version, word)
}
