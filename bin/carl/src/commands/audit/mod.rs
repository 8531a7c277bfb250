//! `carl audit`: the record of what was decided and done, read from its files by the user.

mod select;
mod verify;

use super::Setting;
use crate::wiring::House;
use anyhow::Result;
use api::sessions::Selection;
use audit::read::{Log, Placed, Query, Records};
use audit::shown::{self, Lines};
use audit::{Config, anchor};
use command_line::{AuditCommand, LogFolder, RecordFilter, RecordFlags, RecordForm};
use config::paths::Paths;
use domain::fault::Fault;
use domain::id::SessionId;
use jiff::tz::TimeZone;
use rendering::{hand_out, print, print_error};
use rustix::termios::{isatty, tcgetwinsize};
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;
use terminal::exit::{Exit, Failure, OrFail, describe};
use terminal::sessions::{LAST, find};
use terminal::yes_or_no::{is_yes, needs_somebody};
use text::escape::quoted_argv;

/// The codes of a log that is not whole.
const DAMAGED: &str = "audit.damaged";
const INCOMPLETE: &str = "audit.incomplete";

/// How often `carl audit tail --follow` looks for more.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Reads or checks the log.
///
/// # Errors
/// When the log cannot be read, or what was typed cannot be meant.
pub async fn audit(mut command: AuditCommand) -> Result<Exit> {
    if let Some(filter) = filter_of(&mut command) {
        filter.session = named_session(filter.session.take()).await?;
    }
    act(&command).map_err(|error| match folder_of(&command) {
        Some(folder) => of_a_copy(&error, folder),
        None => error,
    })
}

/// The folder of a log that is not the one in use.
fn folder_of(command: &AuditCommand) -> Option<&Path> {
    match command {
        AuditCommand::Tail { place, .. }
        | AuditCommand::Show { place, .. }
        | AuditCommand::Query { place, .. }
        | AuditCommand::Verify { place, .. }
        | AuditCommand::Export { place, .. } => place.folder.as_deref(),
        AuditCommand::Anchor { .. } | AuditCommand::Archive { .. } => None,
    }
}

/// The hint to set the log aside is for the one in use, which nothing is wrong with here.
fn of_a_copy(error: &anyhow::Error, folder: &Path) -> anyhow::Error {
    let (exit, mut fault) = describe(error);
    if [DAMAGED, INCOMPLETE].contains(&fault.code.as_str()) {
        let folder = folder.display().to_string();
        let verify = quoted_argv(&["carl", "audit", "verify", "--folder", &folder]);
        fault.hint = format!("`{verify}` says what is wrong.");
    }
    Failure { exit, fault }.into()
}

/// The filter of a command that has one.
const fn filter_of(command: &mut AuditCommand) -> Option<&mut RecordFilter> {
    match command {
        AuditCommand::Tail { records, .. } | AuditCommand::Query { records, .. } => {
            Some(&mut records.filter)
        }
        AuditCommand::Export { filter, .. } => Some(filter),
        AuditCommand::Show { .. }
        | AuditCommand::Verify { .. }
        | AuditCommand::Anchor { .. }
        | AuditCommand::Archive { .. } => None,
    }
}

/// The whole id of the session that was typed as every other command takes it. What names none is
/// left as it is: records outlive the logs of their sessions.
async fn named_session(typed: Option<String>) -> Result<Option<String>> {
    let Some(part) = typed.map(|typed| typed.to_ascii_lowercase()) else {
        return Ok(None);
    };
    if part.parse::<SessionId>().is_ok() {
        return Ok(Some(part));
    }
    let setting = Setting::plain()?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let is_known = part.is_empty() || part == LAST || {
        let fitting = sessions.list(Selection::Id(part.clone())).await;
        !fitting.or_fail()?.is_empty()
    };
    if !is_known {
        return Ok(Some(part));
    }
    let found = find(sessions, &part, &setting.workspace).await?;
    Ok(Some(found.session_id.to_string()))
}

fn act(command: &AuditCommand) -> Result<Exit> {
    let paths = Paths::from_environment()?;
    let config = Config::new(paths.audit(), paths.keys());
    match command {
        AuditCommand::Tail {
            lines,
            follow,
            records,
            place,
        } => tail(&at(config, place)?, *lines, *follow, records),
        AuditCommand::Show {
            sequence,
            json,
            place,
        } => show(&at(config, place)?, *sequence, *json),
        AuditCommand::Query { records, place } => query(&at(config, place)?, records),
        AuditCommand::Verify {
            anchor,
            key,
            json,
            place,
        } => {
            let config = in_folder(config, place)?;
            let checked = verify::verify(&config, anchor.as_deref(), key.as_deref(), *json)?;
            match (checked, &place.folder) {
                (None, Some(folder)) if anchor.is_none() => Err(no_log(folder)),
                (None, _) => verify::without_log(&config.folder, anchor.is_some(), *json),
                (Some(exit), _) => Ok(exit),
            }
        }
        AuditCommand::Export {
            form,
            filter,
            place,
        } => {
            let query = select::query(filter)?;
            let Some(log) = open(&at(config, place)?)? else {
                return Ok(Exit::Success);
            };
            export(&mut log.records(query), *form)
        }
        AuditCommand::Anchor { key } => keep(&config, *key),
        AuditCommand::Archive { yes } => archive(&config, *yes),
    }
}

/// The configuration for the log that is meant. A folder that was typed and has none is a mistake,
/// and not a folder where nothing happened yet.
fn at(config: Config, place: &LogFolder) -> Result<Config> {
    let config = in_folder(config, place)?;
    if let Some(folder) = &place.folder
        && Log::open(folder).or_fail()?.is_none()
    {
        return Err(no_log(folder));
    }
    Ok(config)
}

fn no_log(folder: &Path) -> anyhow::Error {
    let message = format!("--folder: there is no log in {}", folder.display());
    let hint = "Give what `carl audit archive` printed when the log was set aside; with --anchor \
                `carl audit verify` tells whether one should be there.";
    Failure::usage(message, hint).into()
}

/// As [`at`], also where the folder has no log: what is left of one may say that there was.
fn in_folder(mut config: Config, place: &LogFolder) -> Result<Config> {
    if let Some(folder) = &place.folder {
        if !folder.is_dir() {
            let message = format!("--folder: {} is no folder", folder.display());
            let hint = "Give what `carl audit archive` printed when the log was set aside.";
            return Err(Failure::usage(message, hint).into());
        }
        config.folder.clone_from(folder);
    }
    Ok(config)
}

/// Says that a log has no record that was asked for.
fn no_hit() -> Result<()> {
    Ok(print_error("No record fits.\n")?)
}

/// The newest records of a session, a line each, at most so many.
///
/// # Errors
/// When the log cannot be read.
pub fn of_session(session_id: SessionId, most: usize) -> Result<Vec<String>> {
    let Some(log) = Log::open(&Paths::from_environment()?.audit()).or_fail()? else {
        return Ok(vec!["Nothing is on record yet.".to_owned()]);
    };
    let query = Query {
        session: Some(session_id.to_string()),
        ..Query::default()
    };
    let (newest, rest) = log.newest(&query, most);
    let mut lines = Lines::new(false, None, TimeZone::system());
    let pages: String = newest.iter().map(|placed| lines.of(placed)).collect();
    let mut shown: Vec<String> = pages.lines().map(str::to_owned).collect();
    if let Err(error) = rest.or_fail() {
        shown.push(format!(
            "not all of it can be read: {}",
            describe(&error).1.message
        ));
    }
    Ok(shown)
}

/// The newest records of a session as JSON, at most so many, and why not all of the log can be read.
///
/// # Errors
/// When none of it can be read.
pub fn records_of(session_id: SessionId, most: usize) -> Result<(Vec<Value>, Option<Fault>)> {
    let Some(log) = Log::open(&Paths::from_environment()?.audit()).or_fail()? else {
        return Ok((Vec::new(), None));
    };
    let query = Query {
        session: Some(session_id.to_string()),
        ..Query::default()
    };
    let (newest, rest) = log.newest(&query, most);
    let lines = newest.iter().map(|placed| placed.json_line());
    let records = lines.map(|line| serde_json::from_str(&line));
    let fault = rest.or_fail().err().map(|error| describe(&error).1);
    Ok((records.collect::<Result<_, _>>()?, fault))
}

/// The log; without one, says so.
fn open(config: &Config) -> Result<Option<Log>> {
    let log = Log::open(&config.folder).or_fail()?;
    if log.is_none() {
        nothing(config)?;
    }
    Ok(log)
}

fn nothing(config: &Config) -> Result<()> {
    let folder = config.folder.display();
    print_error(&format!(
        "Nothing is on record yet: there is no log in {folder}.\n"
    ))?;
    Ok(())
}

fn tail(config: &Config, count: usize, follow: bool, flags: &RecordFlags) -> Result<Exit> {
    let query = select::query(&flags.filter)?;
    let Some(log) = open(config)? else {
        return Ok(Exit::Success);
    };
    let (newest, rest) = log.newest(&query, count);
    let mut lines = Lines::new(flags.json, columns(), TimeZone::system());
    for placed in &newest {
        print(&lines.of(placed))?;
    }
    let mut rest = rest.or_fail()?;
    if follow {
        go_on(&mut rest, &mut lines)?;
    } else if newest.is_empty() {
        no_hit()?;
    }
    Ok(Exit::Success)
}

/// Prints what is recorded from now on, until nobody reads it any more.
fn go_on(records: &mut Records, lines: &mut Lines) -> Result<()> {
    loop {
        // A command of its own process with nothing else to do: waiting is its work.
        std::thread::sleep(LOOK_AGAIN);
        records.refresh().or_fail()?;
        for placed in records.by_ref() {
            let line = lines.of(&placed.or_fail()?);
            match hand_out(&line) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                other => other?,
            }
        }
    }
}

fn query(config: &Config, flags: &RecordFlags) -> Result<Exit> {
    let query: Query = select::query(&flags.filter)?;
    let Some(log) = open(config)? else {
        return Ok(Exit::Success);
    };
    if print_all(
        &mut log.records(query),
        &mut Lines::new(flags.json, columns(), TimeZone::system()),
    )? == 0
    {
        no_hit()?;
    }
    Ok(Exit::Success)
}

/// Columns of the terminal that standard output is; `None` where it is none.
fn columns() -> Option<usize> {
    let out = std::io::stdout();
    match tcgetwinsize(&out) {
        Ok(size) if isatty(&out) && size.ws_col > 0 => Some(usize::from(size.ws_col)),
        _ => None,
    }
}

/// Prints records and says how many.
fn print_all(records: &mut Records, lines: &mut Lines) -> Result<u64> {
    print_each(records, String::new(), |placed| Ok(lines.of(placed)))
}

/// Prints every record for other programs.
fn export(records: &mut Records, form: RecordForm) -> Result<Exit> {
    match form {
        RecordForm::Jsonl => print_each(records, String::new(), |placed| {
            Ok(format!("{}\n", placed.json_line()))
        }),
        RecordForm::Csv => print_each(records, shown::csv_head(), |placed| {
            Ok(shown::csv_row(placed)?)
        }),
    }?;
    Ok(Exit::Success)
}

/// Prints a head and the records in some form, as far as they can be read, and says how many.
fn print_each(
    records: &mut Records,
    mut page: String,
    mut form: impl FnMut(&Placed) -> Result<String>,
) -> Result<u64> {
    /// How much is printed at once, bytes.
    const PAGE: usize = 64 << 10;
    let mut count = 0;
    for placed in records {
        match placed {
            Ok(placed) => {
                page.push_str(&form(&placed)?);
                count += 1;
            }
            Err(error) => {
                print(&page)?;
                return Err(Failure::from_coded(&error).into());
            }
        }
        if page.len() >= PAGE {
            print(&page)?;
            page.clear();
        }
    }
    print(&page)?;
    Ok(count)
}

fn show(config: &Config, sequence: u64, json: bool) -> Result<Exit> {
    let Some(log) = open(config)? else {
        return Ok(Exit::Failed);
    };
    let Some(placed): Option<Placed> = log.record(sequence).or_fail()? else {
        return Err(Failure::usage(
            format!("there is no record {sequence}"),
            "`carl audit tail` prints the newest ones with their numbers.",
        )
        .into());
    };
    print(&if json {
        format!("{}\n", placed.json_line())
    } else {
        shown::sheet(&placed, TimeZone::system())
    })?;
    Ok(Exit::Success)
}

fn keep(config: &Config, key: bool) -> Result<Exit> {
    let text = if key {
        anchor::public_key(config)
            .or_fail()?
            .map(|key| format!("{key}\n"))
    } else {
        anchor::sign(config).or_fail()?
    };
    match text {
        Some(text) => print(&text)?,
        None => {
            nothing(config)?;
            return Ok(Exit::Failed);
        }
    }
    Ok(Exit::Success)
}

/// Asks whether the log is to be set aside, after what that costs.
fn is_meant(config: &Config) -> Result<bool> {
    needs_somebody("setting the log aside")?;
    print_error(&format!(
        "The log in {} is set aside, and a fresh one begins with the next start.\n\
         What is lost: its private key, so that nothing more can be added to it and no checkpoint \
         of it signed.\n\
         What stays: its records, which can still be read and checked.\n",
        config.folder.display()
    ))?;
    is_yes("It cannot be undone. Set it aside?")
}

fn archive(config: &Config, is_sure: bool) -> Result<Exit> {
    if !anchor::is_there(config).or_fail()? {
        nothing(config)?;
        return Ok(Exit::Success);
    }
    if !is_sure && !is_meant(config)? {
        print_error("Nothing was set aside.\n")?;
        return Ok(Exit::Denied);
    }
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    match anchor::archive(config, &format!("audit-{now}")).or_fail()? {
        Some(folder) => {
            let typed = quoted_argv(&[folder.to_string_lossy()]);
            let folder = folder.display();
            print(&format!(
                "The log is set aside in {folder}. Its private key is destroyed. The next start \
                 begins a fresh log.\n`carl audit verify --folder {typed}` checks it there.\n\
                 Anchors and their key that you keep are of that log; keep new ones of the next in \
                 files of their own.\n"
            ))?;
        }
        None => nothing(config)?,
    }
    Ok(Exit::Success)
}
