//! Reading the symbols of source files: in the sandbox, by our own program started there. Its parsers
//! are C, and a file that breaks one costs that process and no more.

use crate::reader::reader_job;
use crate::runner::Runner;
use api::documents::{DocumentError, ReadSource};
use api::executor::{ReportSink, ToolFailure};
use api::failure::broken;
use api::sandbox::{Captured, Ended};
use domain::limits::{
    DOCUMENT_TEXT_BYTES, READER_TIME, SOURCE_READERS, SOURCE_SYMBOLS, SOURCE_TIME, SOURCES_BYTES,
};
use domain::source::{Language, Source, Symbol};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The argument that turns the program into the reader of source files.
pub const SOURCES_ENTRY: &str = "__read_sources";

/// The reader's exit code where a parser takes too long.
const HUNG: i32 = 3;
/// The reader's exit code where it was not given what it reads.
const UNUSABLE: i32 = 2;
/// How often the reader looks at its clock.
const TICK: Duration = Duration::from_millis(100);

/// A symbol between the two processes: line, depth, name, signature.
type Told = (usize, usize, String, String);

/// Becomes the reader: source files come in, a line with the symbols of each goes out. Returns the exit
/// code. Nothing in here is trusted with anything: it runs in the sandbox.
#[must_use]
pub fn enter() -> i32 {
    let begun = Arc::new(AtomicUsize::new(0));
    let watched = Arc::clone(&begun);
    // Nothing stops a parser from outside of it but the end of its process.
    let watch = std::thread::Builder::new().spawn(move || watch(&watched));
    let mut input = BufReader::new(io::stdin().lock());
    let done = watch.and_then(|_| answer(&mut input, &mut io::stdout().lock(), &begun));
    if done.is_ok() { 0 } else { UNUSABLE }
}

/// Ends the process when one file takes too long.
fn watch(begun: &AtomicUsize) {
    let (mut seen, mut since) = (0, Instant::now());
    loop {
        std::thread::sleep(TICK);
        let now = begun.load(Ordering::Relaxed);
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if now > 0 && since.elapsed() > SOURCE_TIME {
            std::process::exit(HUNG);
        }
    }
}

/// Tells the symbols of one file after the other, as many as fit the output of a process.
fn answer(
    input: &mut impl BufRead,
    output: &mut impl Write,
    begun: &AtomicUsize,
) -> io::Result<()> {
    let mut told = 0;
    while let Some(source) = next(input)? {
        begun.fetch_add(1, Ordering::Relaxed);
        let line = serde_json::to_string(&symbols::read(&source).map(|symbols| {
            let told = |s: Symbol| (s.line, s.depth, s.name, s.signature);
            symbols.into_iter().map(told).collect::<Vec<Told>>()
        }))?;
        told += line.len() + 1;
        if told > DOCUMENT_TEXT_BYTES {
            return Ok(());
        }
        // What is told before a file that breaks its parser is kept.
        writeln!(output, "{line}")?;
        output.flush()?;
    }
    Ok(())
}

/// What a process is given: for each file a line with its language and length, and its text.
fn given(sources: &[Source]) -> Vec<u8> {
    let mut given = Vec::new();
    for Source { language, text } in sources {
        let head = format!("{} {}\n", language.name(), text.len());
        given.extend_from_slice(head.as_bytes());
        given.extend_from_slice(text.as_bytes());
    }
    given
}

/// The next file of [`given`]; `None` behind the last one.
fn next(input: &mut impl BufRead) -> io::Result<Option<Source>> {
    let unusable = || io::Error::from(io::ErrorKind::InvalidData);
    let mut head = String::new();
    if input.read_line(&mut head)? == 0 {
        return Ok(None);
    }
    let (name, length) = head.trim_end().split_once(' ').ok_or_else(unusable)?;
    let language = Language::by_name(name).ok_or_else(unusable)?;
    let length: u64 = length.parse().map_err(io::Error::other)?;
    let mut text = String::new();
    input
        .take(length.min(SOURCES_BYTES))
        .read_to_string(&mut text)?;
    Ok(Some(Source { language, text }))
}

/// The symbols of each file. A file that breaks the parser, or takes too long, has none; a further
/// process goes on behind it, as long as there is time for one.
pub(crate) async fn read(
    runner: &Runner,
    sources: &[Source],
    progress: &ReportSink,
) -> Result<Vec<ReadSource>, ToolFailure> {
    if !symbols::HAS_GRAMMARS {
        return Err(broken(
            "no_grammars",
            "This Housecarl was built without the grammars of programming languages, so nothing is \
             outlined. Use grep.",
        ));
    }
    let deadline = tokio::time::Instant::now() + READER_TIME;
    let mut read: Vec<ReadSource> = Vec::with_capacity(sources.len());
    for _ in 0..SOURCE_READERS {
        let rest = &sources[read.len()..];
        let wall = deadline.saturating_duration_since(tokio::time::Instant::now());
        if rest.is_empty() || wall.is_zero() {
            break;
        }
        let mut launch = reader_job(runner, SOURCES_ENTRY, given(rest))?;
        launch.job.limits.wall = wall;
        let (finished, _) = runner.finish(launch, progress).await?;
        let told = told(&finished.stdout, rest.len());
        let is_further = !told.is_empty();
        read.extend(told);
        if read.len() == sources.len() {
            break;
        }
        match finished.ended {
            // Its output was full.
            Ended::Exited(0) if is_further => {}
            Ended::Exited(HUNG) | Ended::TimedOut => read.push(Err(DocumentError::Timeout)),
            _ => read.push(Err(broke_down())),
        }
    }
    Ok(read)
}

fn broke_down() -> DocumentError {
    let detail = "its parser broke down over it".to_owned();
    DocumentError::Unreadable { detail }
}

/// What a process told of the first of so many files. It may be anything: a parser that was taken over
/// says what it likes, and is believed no more than the files.
fn told(output: &Captured, files: usize) -> Vec<ReadSource> {
    if output.dropped > 0 {
        return Vec::new();
    }
    let lines = output.head.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.filter_map(|line| line.strip_suffix(b"\n"));
    let symbols = |line: &[u8]| match serde_json::from_slice::<Option<Vec<Told>>>(line) {
        Ok(Some(told)) => {
            let symbol = |(line, depth, name, signature)| Symbol {
                line,
                depth,
                name,
                signature,
            };
            Ok(told.into_iter().take(SOURCE_SYMBOLS).map(symbol).collect())
        }
        Ok(None) | Err(_) => Err(broke_down()),
    };
    lines.take(files).map(symbols).collect()
}

#[cfg(test)]
#[cfg(feature = "grammars")]
mod tests {
    use super::*;

    fn source(language: Language, text: &str) -> Source {
        let text = text.to_owned();
        Source { language, text }
    }

    /// What the reader answers to these bytes, and how it ends.
    fn answered(mut input: &[u8]) -> (String, io::Result<()>) {
        let mut output = Vec::new();
        let ended = answer(&mut input, &mut output, &AtomicUsize::new(0));
        (String::from_utf8(output).unwrap(), ended)
    }

    #[test]
    fn what_is_given_comes_back_as_symbols_in_order() {
        let sources = [
            source(Language::Rust, "pub fn a() {}\n\npub fn ü() {}"),
            source(Language::Python, ""),
            source(Language::Go, "not go at all {{{ \0"),
            source(Language::C, "int b(void);"),
        ];
        let (output, ended) = answered(&given(&sources));
        assert!(ended.is_ok());
        let head = output.into_bytes();
        let output = Captured {
            head,
            ..Captured::default()
        };
        let told = told(&output, sources.len());
        let names = |read: &ReadSource| -> Vec<String> {
            let symbols = read.as_ref().unwrap().iter();
            symbols.map(|symbol| symbol.name.clone()).collect()
        };
        let names: Vec<Vec<String>> = told.iter().map(names).collect();
        assert_eq!(names, [vec!["a", "ü"], vec![], vec![], vec!["b"]]);
        assert_eq!(told[0].as_ref().unwrap()[1].line, 3);
    }

    #[test]
    fn what_was_not_given_so_ends_the_reader() {
        let bad: [&[u8]; 5] = [
            b"Rust\nfn a() {}",
            b"Cobol 3\nabc",
            b"Rust -1\n",
            b"Rust 2\n\xff\xff",
            b"\xff\xff\n",
        ];
        for input in bad {
            let (output, ended) = answered(input);
            assert!(ended.is_err() && output.is_empty(), "{input:?}: {output}");
        }
        assert!(answered(b"").1.is_ok());
    }

    #[test]
    fn what_does_not_fit_the_output_is_left_to_a_further_process() {
        let name = "a".repeat(120);
        let dense = format!("pub fn {name}();\n").repeat(SOURCE_SYMBOLS);
        let sources = vec![source(Language::Rust, &dense); 5];
        let (output, ended) = answered(&given(&sources));
        assert!(ended.is_ok() && output.len() <= DOCUMENT_TEXT_BYTES);
        let told = output.lines().count();
        assert!(told > 0 && told < sources.len(), "{told}");
    }
}
