//! Reading documents whose formats are attacked: in the sandbox, by our own program started there.

use super::office;
use super::output::stream;
use super::runner::{Bay, Errand, limits};
use super::scratch::Desk;
use crate::failure::mendable;
use api::executor::{ProgressSink, ToolFailure};
use api::sandbox::{Ended, Job, Network};
use domain::limits::{DOCUMENT_TEXT_BYTES, READER_TIME};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

/// The argument that turns the program into the reader.
pub const READER_ENTRY: &str = "__read_document";

/// How a zip archive begins: an office document, or none that is read.
const ARCHIVE: &[u8] = b"PK";

/// Becomes the reader: a PDF or an office document comes in, its text goes out. Returns the exit code. Nothing in here is
/// trusted with anything: it runs in the sandbox.
#[must_use]
pub fn enter() -> i32 {
    let mut bytes = Vec::new();
    let read = io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|e| e.to_string());
    let text = read.and_then(|_| {
        // The parser panics on documents that it does not understand.
        let parsed = std::panic::catch_unwind(|| match bytes.starts_with(ARCHIVE) {
            true => office::text_of(&bytes),
            false => pdf_extract::extract_text_from_mem(&bytes).map_err(|e| e.to_string()),
        });
        match parsed {
            Ok(parsed) => parsed,
            Err(_) => Err("its structure is not understood".to_owned()),
        }
    });
    let (code, said) = match &text {
        Ok(text) => (0, io::stdout().write_all(text.as_bytes())),
        Err(why) => (1, io::stderr().write_all(why.as_bytes())),
    };
    if said.is_ok() { code } else { 2 }
}

/// The text of a document, and whether a limit cut it short.
pub(crate) async fn read(
    bay: &Bay,
    (format, bytes): (&str, Vec<u8>),
    shown: &str,
    progress: &ProgressSink,
) -> Result<(String, bool), ToolFailure> {
    let desk = Desk::new()?;
    let program = bay.given.reader.to_string_lossy().into_owned();
    let mut limits = limits();
    limits.wall = READER_TIME;
    limits.output_bytes = DOCUMENT_TEXT_BYTES;
    let job = Job {
        argv: vec![program, READER_ENTRY.to_owned()],
        folder: desk.folder.clone(),
        read: vec![bay.given.reader.clone()],
        write: Vec::new(),
        scratch: desk.with(BTreeMap::new()),
        frozen: Vec::new(),
        hidden: Vec::new(),
        environment: desk.environment(&[]),
        input: bytes,
        network: Network::None,
        limits,
    };
    let errand = Errand {
        job,
        desk,
        searched: Vec::new(),
        guarded: Vec::new(),
    };
    let (finished, _) = bay.finish(errand, progress).await?;
    match finished.ended {
        Ended::Exited(0) => {
            let is_cut = finished.stdout.dropped > 0;
            Ok((stream(&finished.stdout), is_cut))
        }
        Ended::TimedOut => Err(mendable(
            "unreadable",
            format!("Reading `{shown}` took too long and was stopped."),
        )),
        _ => {
            let why = stream(&finished.stderr);
            let why = why.lines().last().unwrap_or("").trim().to_owned();
            Err(mendable(
                "unreadable",
                format!(
                    "`{shown}` cannot be read as {}: it is damaged, protected by a password or of an \
                     unusual kind ({why}). Ask the user for a text version.",
                    format.to_ascii_uppercase()
                ),
            ))
        }
    }
}
