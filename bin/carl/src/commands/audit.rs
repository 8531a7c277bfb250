//! `carl audit`: the record of what was decided and done, read from the file by the user.

use crate::cli::AuditCommand;
use crate::exit::{Exit, OrFail};
use crate::paths::Paths;
use crate::render::{print, table};
use anyhow::Result;
use audit::record::{Record, read};
use std::collections::VecDeque;

/// Prints the newest records.
///
/// # Errors
/// When the log cannot be read, or a line is no record.
pub fn audit(command: &AuditCommand) -> Result<Exit> {
    let AuditCommand::Tail {
        lines,
        json,
        session,
    } = command;
    let config = audit::Config {
        folder: Paths::from_environment()?.audit(),
    };
    let file = config.file();
    if !file.exists() {
        print(&format!(
            "Nothing is on record yet ({} is not there).\n",
            file.display()
        ))?;
        return Ok(Exit::Success);
    }
    let mut newest: VecDeque<Record> = VecDeque::new();
    for record in read(&file).or_fail()? {
        let record = record.or_fail()?;
        if session.is_some() && record.session_id != *session {
            continue;
        }
        newest.push_back(record);
        if newest.len() > *lines {
            newest.pop_front();
        }
    }
    print(&if *json {
        as_lines(&newest)?
    } else {
        as_table(&newest)
    })?;
    Ok(Exit::Success)
}

fn as_lines(records: &VecDeque<Record>) -> Result<String> {
    let mut out = String::new();
    for record in records {
        out.push_str(&serde_json::to_string(record)?);
        out.push('\n');
    }
    Ok(out)
}

fn as_table(records: &VecDeque<Record>) -> String {
    let heads = [
        "SEQ",
        "TIME (UTC)",
        "SESSION",
        "ACTION",
        "TOOL",
        "DECISION",
        "STATUS",
        "DETAIL",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(records.iter().map(|record| {
        let decision = match (record.verdict, record.layer) {
            (Some(verdict), Some(layer)) => format!("{} {layer}", verdict.as_str()),
            _ => String::new(),
        };
        let session = record
            .session_id
            .map(|id| id.to_string().chars().take(13).collect());
        vec![
            record.sequence.to_string(),
            record.time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            session.unwrap_or_default(),
            record.action.clone(),
            record
                .tool
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            decision,
            record
                .status
                .map(|status| format!("{status:?}").to_lowercase())
                .unwrap_or_default(),
            text::escape::visible(&record.detail),
        ]
    }));
    table(&rows)
}
