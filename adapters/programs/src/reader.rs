//! Reading documents whose formats are attacked: in the sandbox, by our own program started there.

use crate::office;
use crate::output::stream;
use crate::runner::{Launch, Runner, limits};
use crate::scratch::ScratchFolder;
use api::documents::{DocumentError, DocumentText};
use api::executor::{ReportSink, ToolFailure};
use api::sandbox::{Ended, Job, Network};
use domain::limits::{DOCUMENT_TEXT_BYTES, READER_TIME};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

/// The argument that turns the program into the reader.
pub const READER_ENTRY: &str = "__read_document";

/// The reader's exit code where it says why there is no text.
const UNREADABLE: i32 = 1;

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
            false => pdf_extract::extract_text_from_mem_by_pages(&bytes)
                .map(|pages| in_pages(&pages))
                .map_err(|e| e.to_string()),
        });
        match parsed {
            Ok(parsed) => parsed,
            Err(_) => Err("its structure is not understood".to_owned()),
        }
    });
    let (code, said) = match &text {
        Ok(text) => (0, io::stdout().write_all(text.as_bytes())),
        Err(why) => (UNREADABLE, io::stderr().write_all(why.as_bytes())),
    };
    if said.is_ok() { code } else { 2 }
}

/// The text of pages, each after a line with its number where there are several.
fn in_pages(pages: &[String]) -> String {
    if let [page] = pages {
        return page.clone();
    }
    let page = |(index, text): (usize, &String)| format!("[page {}]\n{}\n", index + 1, text.trim());
    pages
        .iter()
        .enumerate()
        .map(page)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Our own program in the sandbox as a reader of what comes in.
pub(crate) fn reader_job(
    runner: &Runner,
    entry: &str,
    input: Vec<u8>,
) -> Result<Launch, ToolFailure> {
    let scratch = ScratchFolder::new()?;
    let program = runner.config.reader.to_string_lossy().into_owned();
    let mut limits = limits();
    limits.wall = READER_TIME;
    limits.output_bytes = DOCUMENT_TEXT_BYTES;
    let job = Job {
        argv: vec![program, entry.to_owned()],
        folder: scratch.folder.clone(),
        read: vec![runner.config.reader.clone()],
        write: Vec::new(),
        scratch: scratch.with(BTreeMap::new()),
        links: Vec::new(),
        held: Vec::new(),
        frozen: Vec::new(),
        hidden: Vec::new(),
        expendable: Vec::new(),
        environment: scratch.environment(&[]),
        input,
        network: Network::None,
        limits,
    };
    Ok(Launch {
        job,
        scratch,
        searched: Vec::new(),
        guarded: Vec::new(),
        session_id: None,
        checkpoints: None,
    })
}

/// The text of a document.
pub(crate) async fn read(
    runner: &Runner,
    bytes: Vec<u8>,
    progress: &ReportSink,
) -> Result<DocumentText, DocumentError> {
    let launch = reader_job(runner, READER_ENTRY, bytes).map_err(DocumentError::NotRun)?;
    let limits = launch.job.limits;
    let finished = runner.finish(launch, progress).await;
    let (finished, _) = finished.map_err(DocumentError::NotRun)?;
    match finished.ended {
        Ended::Exited(0) => Ok(DocumentText {
            is_cut: finished.stdout.dropped > 0,
            text: stream(&finished.stdout),
        }),
        Ended::TimedOut => Err(DocumentError::Timeout),
        // Its own words, which it ends with when it has found out why.
        Ended::Exited(UNREADABLE) => {
            let why = stream(&finished.stderr);
            Err(DocumentError::Unreadable {
                detail: why.lines().last().unwrap_or("").trim().to_owned(),
            })
        }
        // What the language's runtime says of a process that it ends is no word to a person.
        _ => Err(DocumentError::Unreadable {
            detail: format!(
                "its reader broke down over it: it wants more than {} GiB of memory, or is nested \
                 without end",
                limits.memory_bytes >> 30
            ),
        }),
    }
}
