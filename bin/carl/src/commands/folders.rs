//! `carl policy folders` and `carl policy forget`: folders that were opened for writing for good.

use super::Setting;
use crate::audited::on_record;
use crate::cli::{ForgetArgs, ListArgs, SessionFlags};
use crate::open_folders::OpenFolders;
use crate::wiring::House;
use anyhow::{Context, Result};
use serde_json::json;
use std::path::Path;
use terminal::exit::{Exit, Failure};
use terminal::render::print;
use text::escape::visible;

/// Lists the remembered folders.
///
/// # Errors
/// When the list cannot be used.
pub fn list(args: &ListArgs) -> Result<Exit> {
    let folders = OpenFolders::of(&Setting::plain()?.paths).read()?;
    let names: Vec<String> = folders
        .iter()
        .map(|one| one.display().to_string())
        .collect();
    let text = if args.json {
        serde_json::to_string_pretty(&json!(names))?
    } else if names.is_empty() {
        "No folder is remembered as open for writing.".to_owned()
    } else {
        visible(&names.join("\n"))
    };
    print(&format!("{text}\n"))?;
    Ok(Exit::Success)
}

/// Prints the remembered folders above what was allowed for one session; nothing where there is
/// none.
///
/// # Errors
/// When the list cannot be used.
pub fn show_remembered(setting: &Setting) -> Result<()> {
    for folder in OpenFolders::of(&setting.paths).read()? {
        let name = folder.display().to_string();
        print(&format!(
            "{} is open for writing in every session that you attend there.\n",
            visible(&name)
        ))?;
    }
    Ok(())
}

/// Takes folders from the list; the next session there asks again.
///
/// # Errors
/// A usage failure when the folder is not on it.
pub async fn forget(args: &ForgetArgs) -> Result<Exit> {
    let setting = Setting::read(&SessionFlags::default())?;
    let list = OpenFolders::of(&setting.paths);
    // A folder that is gone is known by the name it had.
    let folder = match args.folder.canonicalize() {
        Ok(folder) => folder,
        Err(_gone) => std::path::absolute(&args.folder)
            .with_context(|| format!("{} is no path", args.folder.display()))?,
    };
    if !list.read()?.contains(&folder) {
        return Err(unknown(&folder).into());
    }
    let house = House::open_for_upkeep(&setting).await?;
    let removed = match on_record(house.audit.as_ref(), "a folder is no longer open for good").await
    {
        Ok(()) => list.remove(&folder),
        Err(error) => Err(error),
    };
    house.close(removed).await?;
    let name = folder.display().to_string();
    print(&format!(
        "Forgotten: {}. The next session there asks before it writes.\n",
        visible(&name)
    ))?;
    Ok(Exit::Success)
}

fn unknown(folder: &Path) -> Failure {
    Failure::usage(
        format!("{} is not remembered as open for writing", folder.display()),
        "`carl policy folders` lists what is.",
    )
}
