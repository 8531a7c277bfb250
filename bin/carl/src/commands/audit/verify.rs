//! `carl audit verify`: the check that was asked for, and how it ends.

use anyhow::Result;
use audit::checkpoint::{Note, PublicKey};
use audit::shown::{self, Tone};
use audit::verify::{Against, Anchor, Report};
use audit::{Config, anchor};
use rendering::{Paint, print};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use terminal::exit::{Exit, Failure, OrFail};

/// Most that is read of a file of anchors, bytes: some thousands of them.
const ANCHOR_BYTES: u64 = 1 << 20;

/// Checks the log of a folder and says what was found; `None` where nothing says that there ever
/// was one.
///
/// # Errors
/// When anchor or key cannot be used, or a file cannot be read.
pub fn verify(
    config: &Config,
    anchor: Option<&Path>,
    key: Option<&str>,
    json: bool,
) -> Result<Option<Exit>> {
    let against = Against {
        anchor: anchor.map(read_anchor).transpose()?,
        key: key.map(read_key).transpose()?,
    };
    let Some(report) = audit::verify::verify(&config.folder, &config.keys, &against).or_fail()?
    else {
        return Ok(None);
    };
    if json {
        print(&format!("{:#}\n", shown::as_json(&report)))?;
    } else {
        let paint = Paint::for_stream(&std::io::stdout());
        print(&shown::as_text(&report, |tone, text| match tone {
            Tone::Good => paint.good(text),
            Tone::Doubtful => paint.warn(text),
            Tone::Bad => paint.bad(text),
        }))?;
    }
    Ok(Some(exit(&report)))
}

fn exit(report: &Report) -> Exit {
    if !report.is_whole() {
        Exit::Failed
    } else if report.is_incomplete() {
        Exit::Partial
    } else if matches!(report.anchor, Some(Anchor::Unproven { .. })) {
        Exit::Usage
    } else {
        Exit::Success
    }
}

/// No log: nothing to check, unless an anchor says that there was one.
///
/// # Errors
/// When standard output cannot be written.
pub fn without_log(folder: &Path, anchored: bool, json: bool) -> Result<Exit> {
    let place = folder.display();
    let (exit, text) = if anchored {
        let gone = "The anchor vouches for a log, and none is there: all of it is missing.";
        (
            Exit::Partial,
            format!("There is no log in {place}.\n{gone}\n"),
        )
    } else {
        let blind = "Whether there ever was one, only an anchor can tell (`carl audit anchor`).";
        (
            Exit::Success,
            format!("There is no log in {place}.\n{blind}\n"),
        )
    };
    if json {
        let complete = if anchored { json!(false) } else { Value::Null };
        print(&format!(
            "{:#}\n",
            json!({ "records": 0, "integrity": Value::Null, "completeness": complete })
        ))?;
    } else {
        print(&text)?;
    }
    Ok(exit)
}

fn read_anchor(path: &Path) -> Result<Note> {
    let mut text = String::new();
    let limit = ANCHOR_BYTES + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().take(limit).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text))
    };
    let hint = "Give the file into which you put what `carl audit anchor` printed, or - for standard input.";
    if let Err(error) = read {
        let message = format!("--anchor: {} cannot be read: {error}", path.display());
        return Err(Failure::usage(message, hint).into());
    }
    let refused = |why: String| Failure::usage(format!("--anchor: {why}"), hint);
    if text.len() as u64 > ANCHOR_BYTES {
        let why = format!("{} is longer than {ANCHOR_BYTES} bytes", path.display());
        return Err(refused(why).into());
    }
    anchor::newest(&text).map_err(|why| refused(format!("this is no checkpoint: {why}")).into())
}

fn read_key(text: &str) -> Result<PublicKey> {
    let key: Result<PublicKey, _> = text.parse();
    key.map_err(|why| {
        let hint = "Give what `carl audit anchor --key` printed when the anchor was made.";
        Failure::usage(format!("--key: {why}"), hint).into()
    })
}
