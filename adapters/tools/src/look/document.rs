//! `read_document`: text as it is, HTML as readable text. A PDF or an office document is handed on,
//! to be read in the sandbox; other formats whose readers may crash or be attacked are refused.

use crate::arguments;
use crate::context::Leashed;
use crate::failure::{from_io, mendable};
use crate::look::{html, scan};
use crate::record::ReadDocument;
use crate::service::Job;
use api::executor::ToolFailure;
use domain::limits::FILE_READ_BYTES;
use domain::tool::ToolOutput;
use std::io::Read;
use std::path::Path;

/// Beginnings of files that are read in the sandbox.
const CLOSED_FORMATS: [(&[u8], &str); 2] = [(b"%PDF-", "pdf"), (b"PK\x03\x04", "office")];
/// Beginnings of files that no reader is there for.
const UNKNOWN_FORMATS: [(&[u8], &str); 2] = [
    (b"\xd0\xcf\x11\xe0", "old office"),
    (b"{\\rtf", "rich text"),
];

/// A document that was opened.
#[derive(Debug)]
pub(crate) enum Opened {
    /// And read.
    Done(ToolOutput),
    /// Whole, to be read in the sandbox.
    Closed {
        format: &'static str,
        bytes: Vec<u8>,
        shown: String,
    },
}

pub(crate) fn open(job: &Job<'_>) -> Result<Opened, ToolFailure> {
    let _: arguments::OnlyPath = arguments::parse(&job.call.arguments)?;
    let place = job.read_place("path")?;
    let (found, mut file) = place.reach_file()?;
    let is_html = is_html_name(place.target);
    let mut bytes = Vec::new();
    let limit = FILE_READ_BYTES;
    let reader = Leashed {
        leash: job.leash,
        inner: &mut file,
    };
    reader
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|e| from_io(&e, &place.shown))?;
    let closed = CLOSED_FORMATS
        .iter()
        .find(|(start, _)| bytes.starts_with(start));
    if let Some((_, format)) = closed {
        if found.bytes() > limit {
            return Err(mendable(
                "too_large",
                format!("`{}` is larger than {limit} bytes.", place.shown),
            ));
        }
        let shown = place.shown.clone();
        return Ok(Opened::Closed {
            format: named(place.target, format),
            bytes,
            shown,
        });
    }
    if let Some((_, format)) = UNKNOWN_FORMATS
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
    {
        return Err(mendable(
            "no_reader",
            format!(
                "`{}` cannot be read here: there is no reader for {format} files. Ask the user for a text version.",
                place.shown
            ),
        ));
    }
    if bytes.contains(&0) {
        return Err(mendable(
            "not_text",
            format!(
                "`{}` is not a text document ({} bytes).",
                place.shown,
                found.bytes()
            ),
        ));
    }
    let truncated = found.bytes() > limit;
    let (source, _) = scan::to_text(bytes, truncated);
    let (format, content) = match is_html || looks_like_html(&source) {
        true => ("html", html::to_text(&source)),
        false => ("text", source),
    };
    told(job, format, &place.shown, content, truncated).map(Opened::Done)
}

/// The result for a document's text.
pub(crate) fn told(
    job: &Job<'_>,
    format: &str,
    shown: &str,
    content: String,
    truncated: bool,
) -> Result<ToolOutput, ToolFailure> {
    let typed = job.typed("path");
    let cut = if truncated { ", cut short" } else { "" };
    let text = format!("{shown} ({format}{cut}):\n{content}");
    let data = ReadDocument {
        path: typed.clone(),
        format: format.to_owned(),
        content,
        truncated,
    };
    job.output(&data, text, &typed)
}

/// A format by its own name, where the file's name says it.
fn named(path: &Path, format: &'static str) -> &'static str {
    let extension = path.extension().and_then(|e| e.to_str());
    match (format, extension.map(str::to_ascii_lowercase).as_deref()) {
        ("office", Some("docx")) => "docx",
        ("office", Some("odt")) => "odt",
        _ => format,
    }
}

fn is_html_name(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("html" | "htm" | "xhtml"))
}

fn looks_like_html(source: &str) -> bool {
    let start = source.trim_start();
    let start = start[..start.floor_char_boundary(64)].to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}
