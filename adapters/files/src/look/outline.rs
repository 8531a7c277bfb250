//! `outline`. The files are read here and parsed in the sandbox, since their parsers may be attacked.

use crate::arguments;
use crate::context::Leashed;
use crate::encoding::{old_text, utf_16};
use crate::failure::from_io;
use crate::job::Job;
use crate::look::{joined, scan};
use crate::record::{Outline, OutlinedFile, OutlinedSymbol};
use crate::walk::{End, Ignore, Step, Walk};
use api::documents::{DocumentError, ReadSource};
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::limits::{
    OUTLINE_TOKENS, OUTLINE_TOKENS_LEAST, OUTLINE_TOKENS_MOST, SOURCE_BYTES, SOURCE_FILES,
    SOURCES_BYTES, WALK_DEPTH,
};
use domain::source::{Language, Source, Symbol};
use domain::tool::ToolOutput;
use outline::SourceFile;
use rustix::fs::FileType;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use text::escape::visible_line;

/// Most names of files that are told of those that gave nothing.
const UNREAD_NAMES: usize = 5;

/// Files that are to be parsed, and what becomes of them.
#[derive(Debug)]
pub(crate) struct Collected {
    is_folder: bool,
    tokens: usize,
    files: Vec<Collection>,
    /// Files that were not read, with why.
    unread: Vec<(String, &'static str)>,
    /// A limit ended the walk.
    is_part: bool,
}

/// A file by the path that it is shown by.
#[derive(Debug)]
struct Collection {
    path: String,
    source: Source,
}

impl Collected {
    /// The files for the parser.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.files.iter().map(|file| file.source.clone()).collect()
    }
}

/// Reads the files that are to be parsed.
pub(crate) fn open(job: &Job<'_>) -> Result<Collected, ToolFailure> {
    let wanted: arguments::Outline = job.call.parse_arguments()?;
    let place = job.read_place("path")?;
    let start = place.reach()?;
    let is_folder = start.kind == FileType::Directory;
    let usual = match is_folder {
        true => OUTLINE_TOKENS,
        false => OUTLINE_TOKENS_MOST,
    };
    let tokens = wanted.tokens.unwrap_or(usual);
    let mut collected = Collected {
        is_folder,
        tokens: tokens.clamp(OUTLINE_TOKENS_LEAST, OUTLINE_TOKENS_MOST),
        files: Vec::new(),
        unread: Vec::new(),
        is_part: false,
    };
    let typed = job.typed("path");
    if !is_folder {
        let mut file = place.open(&start)?;
        let Some(language) = language_of(Path::new(&typed)) else {
            return Err(unknown_language(&place.shown));
        };
        if start.bytes() > SOURCE_BYTES {
            return Err(too_large(&place.shown));
        }
        let text = text_of(job, &mut file, &place.shown)?;
        let source = Source { language, text };
        let path = typed;
        collected.files.push(Collection { path, source });
        return Ok(collected);
    }
    let walk = Walk {
        place: &place,
        leash: job.leash,
        depth: WALK_DEPTH,
        ignore: Ignore::AsGit,
    };
    let mut bytes = 0;
    let end = walk.run(&start, &mut |entry| {
        let language = language_of(entry.path);
        let Some(language) = language.filter(|_| entry.kind == FileType::RegularFile) else {
            return Ok(Step::Go);
        };
        let Some(found) = entry.look() else {
            return Ok(Step::Go);
        };
        let path = joined(&typed, entry.path);
        if found.bytes() > SOURCE_BYTES {
            collected.unread.push((path, "is too large"));
            return Ok(Step::Go);
        }
        bytes += found.bytes();
        if collected.files.len() >= SOURCE_FILES || bytes > SOURCES_BYTES {
            return Ok(Step::Stop);
        }
        // A file that cannot be opened, or is no text, defines nothing.
        let text = place.open(&found);
        if let Ok(text) = text.and_then(|mut file| text_of(job, &mut file, &path)) {
            let source = Source { language, text };
            collected.files.push(Collection { path, source });
        }
        job.leash
            .tell(|| format!("{} source files found", collected.files.len()));
        Ok(Step::Go)
    })?;
    collected.is_part = end == End::Part;
    Ok(collected)
}

/// The result, once the files were parsed.
pub(crate) fn told(
    job: &Job<'_>,
    collected: Collected,
    read: Vec<ReadSource>,
) -> Result<ToolOutput, ToolFailure> {
    let typed = job.typed("path");
    let Collected {
        is_folder,
        tokens,
        files,
        mut unread,
        mut is_part,
    } = collected;
    is_part |= read.len() < files.len();
    if !is_folder && read.is_empty() {
        return Err(unparsed(&visible_line(&typed), &DocumentError::Timeout));
    }
    let mut parsed = Vec::new();
    for (Collection { path, source }, symbols) in files.into_iter().zip(read) {
        match symbols {
            Ok(symbols) => {
                parsed.push((SourceFile::new(path, source.text, symbols), source.language))
            }
            Err(DocumentError::NotRun(failure)) => return Err(failure),
            Err(error) if !is_folder => return Err(unparsed(&visible_line(&typed), &error)),
            Err(error) => unread.push((path, why(&error))),
        }
    }
    let (outline, text) = match parsed.as_slice() {
        [(file, language)] if !is_folder => of_file(file, *language, tokens),
        _ => of_folder(parsed.into_iter().map(|(file, _)| file).collect(), tokens),
    };
    let mut text = text + &outline.left_out() + &told_unread(&unread);
    if is_part {
        text.push_str(
            "(not every file was looked at: a limit was reached; ask for a folder below)\n",
        );
    }
    let data = Outline {
        path: typed.clone(),
        files: outline.files.into_iter().map(recorded).collect(),
        files_left: outline.files_left,
        symbols_left: outline.symbols_left,
        unread: unread.into_iter().map(|(path, _)| path).collect(),
        truncated: is_part,
    };
    job.output(&data, text, &typed)
}

/// The outline of a single file, with its text.
fn of_file(file: &SourceFile, language: Language, tokens: usize) -> (outline::Outline, String) {
    let outline = outline::of_file(&file.path, &file.symbols, tokens);
    let lines = outline.lines_of_symbols();
    let none = match lines.is_empty() {
        true => " it defines nothing.",
        false => "",
    };
    let heading = format!(
        "{} ({}):{none}\n",
        visible_line(&file.path),
        language.name()
    );
    (outline, heading + &lines)
}

/// The outline of a folder's files, with its text.
fn of_folder(files: Vec<SourceFile>, tokens: usize) -> (outline::Outline, String) {
    let outline = outline::of_folder(&files, tokens);
    let text = match outline.lines() {
        none if none.is_empty() => format!("Nothing is defined here in {}.\n", known()),
        lines => lines,
    };
    (outline, text)
}

fn recorded(file: outline::ShownFile) -> OutlinedFile {
    let symbol = |symbol: Symbol| OutlinedSymbol {
        line: symbol.line,
        depth: symbol.depth,
        signature: symbol.signature,
    };
    OutlinedFile {
        path: file.path,
        symbols: file.symbols.into_iter().map(symbol).collect(),
    }
}

/// What is said of files that gave nothing.
fn told_unread(unread: &[(String, &'static str)]) -> String {
    if unread.is_empty() {
        return String::new();
    }
    let named = unread.iter().take(UNREAD_NAMES);
    let named = named.map(|(path, why)| format!("{} {why}", visible_line(path)));
    let named: Vec<String> = named.collect();
    let more = match unread.len().saturating_sub(UNREAD_NAMES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("(not outlined: {}{more})\n", named.join("; "))
}

/// The text of an open file, as read_file takes it.
fn text_of(job: &Job<'_>, file: &mut File, shown: &str) -> Result<String, ToolFailure> {
    let mut bytes = Vec::new();
    let reader = Leashed {
        leash: job.leash,
        inner: file,
    };
    let read = reader.take(SOURCE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|e| from_io(&e, shown))?;
    if bytes.len() as u64 > SOURCE_BYTES {
        return Err(too_large(shown));
    }
    if let Some(failure) = utf_16(&bytes, shown) {
        return Err(failure);
    }
    if bytes.contains(&0) {
        return Err(mendable(
            "not_text",
            format!("`{shown}` is not a text file ({} bytes).", bytes.len()),
        ));
    }
    Ok(match scan::to_text(bytes.clone(), false) {
        (text, false) => text,
        (damaged, true) => old_text(&bytes).unwrap_or(damaged),
    })
}

fn language_of(path: &Path) -> Option<Language> {
    Language::by_ending(path.extension()?.to_str()?)
}

/// The languages with what their files end with, for people.
fn known() -> String {
    let known = Language::ALL.iter().map(|language| {
        let endings = language.endings().iter().map(|ending| format!(".{ending}"));
        format!(
            "{} ({})",
            language.name(),
            endings.collect::<Vec<_>>().join(" ")
        )
    });
    known.collect::<Vec<_>>().join(", ")
}

fn unknown_language(shown: &str) -> ToolFailure {
    mendable(
        "unknown_language",
        format!(
            "`{shown}` has no outline: by its name it is in none of {}. Use grep or read_file.",
            known()
        ),
    )
}

fn too_large(shown: &str) -> ToolFailure {
    mendable(
        "too_large",
        format!("`{shown}` is larger than {SOURCE_BYTES} bytes, so it is not outlined. Use grep."),
    )
}

fn unparsed(shown: &str, error: &DocumentError) -> ToolFailure {
    mendable(
        "unreadable",
        format!("`{shown}` {}. Use grep or read_file.", why(error)),
    )
}

/// Why a file gave nothing, behind its name.
const fn why(error: &DocumentError) -> &'static str {
    match error {
        DocumentError::Timeout => "takes its parser too long",
        DocumentError::Unreadable { .. } | DocumentError::NotRun(_) => "breaks its parser",
    }
}
