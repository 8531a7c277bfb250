//! `read_document`: text as it is, HTML as readable text. A PDF is handed on, to be read in the
//! sandbox; other formats whose readers may crash or be attacked are refused.

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

/// How a PDF begins.
const PDF: &[u8] = b"%PDF-";
/// Beginnings of files that no reader is there for.
const CLOSED_FORMATS: [(&[u8], &str); 3] = [
    (b"PK\x03\x04", "office or archive"),
    (b"\xd0\xcf\x11\xe0", "old office"),
    (b"{\\rtf", "rich text"),
];

/// A document that was opened.
#[derive(Debug)]
pub(crate) enum Opened {
    /// And read.
    Done(ToolOutput),
    /// A PDF, whole, to be read in the sandbox.
    Pdf { bytes: Vec<u8>, shown: String },
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
    if bytes.starts_with(PDF) {
        if found.bytes() > limit {
            return Err(mendable(
                "too_large",
                format!("`{}` is larger than {limit} bytes.", place.shown),
            ));
        }
        let shown = place.shown.clone();
        return Ok(Opened::Pdf { bytes, shown });
    }
    if let Some((_, format)) = CLOSED_FORMATS
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
    {
        return Err(mendable(
            "no_reader",
            format!(
                "`{}` is a {format} file, which cannot be read here. Ask the user for a text version.",
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
