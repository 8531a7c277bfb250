//! `carl audit`: the record of what was decided and done, read from its files by the user.

mod export;
mod lines;
mod select;
mod sheet;
mod verify;

use crate::cli::{AuditCommand, RecordFlags};
use crate::exit::{Exit, Failure, OrFail};
use crate::paths::Paths;
use crate::render::{print, print_error};
use anyhow::Result;
use audit::read::{Log, Placed, Query, Records};
use audit::{Config, anchor};
use lines::Lines;
use std::io::{ErrorKind, Write};
use std::time::Duration;

/// How often `carl audit tail --follow` looks for more.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Reads or checks the log.
///
/// # Errors
/// When the log cannot be read, or what was typed cannot be meant.
pub fn audit(command: &AuditCommand) -> Result<Exit> {
    let paths = Paths::from_environment()?;
    let config = Config::new(paths.audit(), paths.keys());
    match command {
        AuditCommand::Tail {
            lines,
            follow,
            records,
        } => tail(&config, *lines, *follow, records),
        AuditCommand::Show { sequence, json } => show(&config, *sequence, *json),
        AuditCommand::Query { records } => query(&config, records),
        AuditCommand::Verify {
            anchor,
            key,
            json,
            folder,
        } => {
            let folder = folder.as_ref().unwrap_or(&config.folder);
            verify::verify(
                folder,
                &config.keys,
                anchor.as_deref(),
                key.as_deref(),
                *json,
            )
        }
        AuditCommand::Export { form, filter } => {
            let query = select::query(filter)?;
            let Some(log) = open(&config)? else {
                return Ok(Exit::Success);
            };
            export::export(log.records(query), *form)
        }
        AuditCommand::Anchor { key } => keep(&config, *key),
        AuditCommand::Archive => archive(&config),
    }
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
    let (newest, mut rest) = log.newest(&query, count).or_fail()?;
    let mut lines = Lines::new(flags.json);
    for placed in &newest {
        print(&lines.of(placed))?;
    }
    if follow {
        go_on(&mut rest, &mut lines)?;
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
            match std::io::stdout().lock().write_all(line.as_bytes()) {
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
    print_all(&mut log.records(query), &mut Lines::new(flags.json))?;
    Ok(Exit::Success)
}

fn print_all(records: &mut Records, lines: &mut Lines) -> Result<()> {
    /// How much is printed at once, bytes.
    const PAGE: usize = 64 << 10;
    let mut page = String::new();
    for placed in records {
        match placed {
            Ok(placed) => page.push_str(&lines.of(&placed)),
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
    Ok(())
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
        sheet::sheet(&placed)
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

fn archive(config: &Config) -> Result<Exit> {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    match anchor::archive(config, &format!("audit-{now}")).or_fail()? {
        Some(folder) => {
            let folder = folder.display();
            print(&format!(
                "The log is set aside in {folder}. Its private key is destroyed. The next start \
                 begins a fresh log.\n`carl audit verify --folder {folder}` checks it there.\n"
            ))?;
        }
        None => nothing(config)?,
    }
    Ok(Exit::Success)
}
