//! `read_document`: text as it is, HTML as readable text. A PDF or an office document is handed on,
//! to be read in the sandbox; other formats whose readers may crash or be attacked are refused.

use crate::arguments;
use crate::context::Leashed;
use crate::failure::from_io;
use crate::job::Job;
use crate::look::opened::Opened;
use crate::look::{html, scan};
use crate::record::ReadDocument;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::limits::FILE_READ_BYTES;
use domain::tool::ToolOutput;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::io::Read;
use std::path::Path;

/// Beginnings of files that no reader is there for.
const UNKNOWN_FORMATS: [(&[u8], &str); 2] = [
    (b"\xd0\xcf\x11\xe0", "old office"),
    (b"{\\rtf", "rich text"),
];

/// Archives that are documents and that no reader is there for, by the name of a part of them.
const UNREAD_ARCHIVES: [(&[u8], &str); 3] = [
    (b"xl/workbook.xml", "XLSX"),
    (b"ppt/presentation.xml", "PPTX"),
    (b"application/epub+zip", "EPUB"),
];
/// Parts of the archives that are read.
const READ_PARTS: [&[u8]; 2] = [b"word/document.xml", b"content.xml"];

pub(crate) fn open(job: &Job<'_>) -> Result<Opened, ToolFailure> {
    let _: arguments::OnlyPath = job.call.parse_arguments()?;
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
    if let Some(format) = scan::closed_format_of(&bytes) {
        if found.bytes() > limit {
            return Err(mendable(
                "too_large",
                format!("`{}` is larger than {limit} bytes.", place.shown),
            ));
        }
        if let Some(unread) = unread_archive(&bytes) {
            return Err(no_reader(&place.shown, unread));
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
        return Err(no_reader(&place.shown, format));
    }
    let marked = Encoding::for_bom(&bytes);
    if marked.is_none() && bytes.contains(&0) {
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
    let (source, encoding) = decoded(bytes, truncated);
    let (format, content) = match is_html || looks_like_html(&source) {
        true => ("html", html::to_text(&source)),
        false => ("text", source),
    };
    let format = match encoding {
        Some(encoding) => format!("{format}, read as {encoding}"),
        None => format.to_owned(),
    };
    told(job, &format, &place.shown, content, truncated).map(Opened::Done)
}

/// The format of an archive that is a document and that is not read. The names of its parts stand in
/// it as they are; a document that is read may hold such an archive.
pub(super) fn unread_archive(bytes: &[u8]) -> Option<&'static str> {
    let holds = |part: &[u8]| memchr::memmem::find(bytes, part).is_some();
    if READ_PARTS.into_iter().any(holds) {
        return None;
    }
    let known = UNREAD_ARCHIVES.iter().find(|(part, _)| holds(part));
    known.map(|(_, format)| *format)
}

pub(super) fn no_reader(shown: &str, format: &str) -> ToolFailure {
    mendable(
        "no_reader",
        format!(
            "`{shown}` cannot be read here: there is no reader for {format} files. Ask the user for a \
             text version."
        ),
    )
}

/// The text, and its encoding where that is not UTF-8: what the mark at its beginning says, what an
/// HTML page declares, or the one that most old Western files have.
fn decoded(bytes: Vec<u8>, is_cut: bool) -> (String, Option<&'static str>) {
    if let Some((encoding, _)) = Encoding::for_bom(&bytes).filter(|(mark, _)| *mark != UTF_8) {
        let (text, _) = encoding.decode_with_bom_removal(&bytes);
        return (text.into_owned(), Some(encoding.name()));
    }
    let (text, is_lossy) = scan::to_text(bytes.clone(), is_cut);
    if !is_lossy {
        return (text, None);
    }
    let encoding = declared(&bytes).unwrap_or(WINDOWS_1252);
    let (text, _) = encoding.decode_without_bom_handling(&bytes);
    (text.into_owned(), Some(encoding.name()))
}

/// The encoding that an HTML page says it is in, near its beginning, where browsers look too.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    const LOOKED_AT_BYTES: usize = 1024;
    let start = bytes.get(..LOOKED_AT_BYTES).unwrap_or(bytes);
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let (_, said) = start.split_once("charset=")?;
    let said = said.trim_start_matches(['"', '\'']);
    let end = said.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:".contains(c));
    Encoding::for_label(said.get(..end?)?.as_bytes()).filter(|found| *found != UTF_8)
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
    let nothing = match content.trim().is_empty() {
        true if format == "pdf" => {
            "(It holds no text: its pages may be pictures, as those of a scan are. Tell the user that \
             they were not read.)\n"
        }
        true => "(It holds no text.)\n",
        false => "",
    };
    let text = format!("{shown} ({format}{cut}):\n{nothing}{content}");
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
