//! `carl policy folders` and `carl policy forget`: folders that were opened for writing for good.

use crate::audited::on_record;
use crate::exit::{Exit, Failure};
use crate::open_folders::OpenFolders;
use anyhow::{Context, Result};
use api::audit::Audit;
use rendering::print;
use serde_json::json;
use std::path::{Path, PathBuf};
use text::escape::{visible_json, visible_line};

/// Lists the remembered folders.
///
/// # Errors
/// When the list cannot be used.
pub fn list(folders: &OpenFolders, json: bool) -> Result<Exit> {
    let folders = folders.read()?;
    let names: Vec<String> = folders
        .iter()
        .map(|one| one.display().to_string())
        .collect();
    let shown = |names: &[String]| {
        names
            .iter()
            .map(|name| visible_line(name))
            .collect::<Vec<_>>()
    };
    let text = if json {
        visible_json(&serde_json::to_string_pretty(&json!(names))?)
    } else if names.is_empty() {
        "No folder is remembered as open for writing.".to_owned()
    } else {
        shown(&names).join("\n")
    };
    print(&format!("{text}\n"))?;
    Ok(Exit::Success)
}

/// Prints the remembered folders above what was allowed for one session; nothing where there is
/// none.
///
/// # Errors
/// When the list cannot be used.
pub fn show_remembered(folders: &OpenFolders) -> Result<()> {
    for folder in folders.read()? {
        let name = folder.display().to_string();
        print(&format!(
            "{} is open for writing in every session that you attend there.\n",
            visible_line(&name)
        ))?;
    }
    Ok(())
}

/// The folder that is meant, if it is on the list.
///
/// # Errors
/// A usage failure when it is not.
pub fn remembered(folders: &OpenFolders, typed: &Path) -> Result<PathBuf> {
    // A folder that is gone is known by the name it had.
    let folder = match typed.canonicalize() {
        Ok(folder) => folder,
        Err(_gone) => {
            std::path::absolute(typed).with_context(|| format!("{} is no path", typed.display()))?
        }
    };
    match folders.read()?.contains(&folder) {
        true => Ok(folder),
        false => Err(unknown(&folder).into()),
    }
}

/// Takes a folder from the list; the next session there asks again.
///
/// # Errors
/// When it cannot be recorded or the list cannot be written.
pub async fn forget(folders: &OpenFolders, audit: &dyn Audit, folder: &Path) -> Result<()> {
    on_record(audit, "a folder is no longer open for good").await?;
    folders.remove(folder)?;
    let name = folder.display().to_string();
    print(&format!(
        "Forgotten: {}. The next session there asks before it writes.\n",
        visible_line(&name)
    ))?;
    Ok(())
}

fn unknown(folder: &Path) -> Failure {
    Failure::usage(
        format!("{} is not remembered as open for writing", folder.display()),
        "`carl policy folders` lists what is.",
    )
}
