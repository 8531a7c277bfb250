//! `carl quality`: how good answers are, as the judge and the user say.

use super::Setting;
use ::quality::Report;
use anyhow::{Context as _, Result};
use command_line::{QualityArgs, SessionFlags};
use domain::quality::Observation;
use observers::observations::{self, Listed};
use rendering::quality::{COLUMNS, columns, report};
use rendering::{Paint, print, print_error};
use terminal::exit::Exit;

/// Prints what grades and ratings come to, or all of them.
///
/// # Errors
/// When what was observed cannot be read.
pub fn quality(args: &QualityArgs) -> Result<Exit> {
    let setting = Setting::read(&SessionFlags::default())?;
    let folder = setting.paths.quality();
    let Listed {
        observations,
        unreadable,
    } = observations::read(&folder)
        .with_context(|| format!("what is in {} cannot be read", folder.display()))?;
    if unreadable > 0 {
        print_error(&format!(
            "note: {unreadable} lines in {} say nothing and are left out\n",
            folder.display()
        ))?;
    }
    if args.json {
        for one in &observations {
            print(&format!("{}\n", serde_json::to_string(one)?))?;
        }
    } else if args.csv {
        print(&table(&observations)?)?;
    } else if observations.is_empty() {
        print(
            "No answer was graded or rated yet. In a chat, `/rate` rates the last answer and `/grade` has \
             the judge grade it;\n`critic = \"every\"` under [observers] grades all that models give.\n",
        )?;
    } else {
        let paint = Paint::for_stream(&std::io::stdout());
        print(&report(&Report::of(&observations), paint))?;
    }
    Ok(Exit::Success)
}

/// The observations as CSV, with the names of the columns.
fn table(observations: &[Observation]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for one in observations {
        writer.write_record(columns(one))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
