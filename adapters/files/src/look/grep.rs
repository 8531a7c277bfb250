//! `grep`.

use crate::arguments;
use crate::context::Leashed;
use crate::failure::from_io;
use crate::job::Job;
use crate::look::encoded::Watched;
use crate::look::{excerpt, joined};
use crate::pattern::{pattern_for, pattern_in_both_forms};
use crate::record::{Grep, GrepMatch};
use crate::walk::{End, Ignore, Step, Walk};
use api::executor::ToolFailure;
use api::failure::{broken, mendable, of_call};
use domain::limits::{LISTING_ENTRIES, WALK_DEPTH};
use domain::tool::ToolOutput;
use encoding_rs::WINDOWS_1252;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder};
use rustix::fs::FileType;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;
use text::escape::visible_line;

/// Lines returned when the call does not say how many.
const DEFAULT_MATCHES: usize = 200;
/// Largest compiled pattern, bytes.
const PATTERN_BYTES: usize = 2 << 20;
/// Largest compiled pattern that is searched for in long lines, bytes.
const QUICK_PATTERN_BYTES: usize = 64 << 10;
/// Longest line that such a pattern is searched for in, and any other, bytes; a file with a longer one
/// is passed over. The time for a line grows with both, and nothing stops a search within a line.
const LINE_BYTES: (usize, usize) = (4 << 20, 64 << 10);

/// Behind a long line, of which only the first places are shown.
const MORE_PLACES: &str = " (more places in this line)";

pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let wanted: arguments::Grep = job.call.parse_arguments()?;
    let line_bytes = match matcher(&wanted, QUICK_PATTERN_BYTES) {
        Ok(_) => LINE_BYTES.0,
        Err(_) => LINE_BYTES.1,
    };
    let mut search = Search {
        matcher: matcher(&wanted, PATTERN_BYTES)?,
        searcher: searcher(line_bytes).build(),
        old_searcher: searcher(line_bytes).encoding(old_encoding()?).build(),
        max: wanted
            .max
            .unwrap_or(DEFAULT_MATCHES)
            .clamp(1, LISTING_ENTRIES),
        found: Grep {
            matches: Vec::new(),
            documents: 0,
            truncated: false,
        },
        is_partial: false,
    };
    let place = job.read_place("path")?;
    let typed = job.typed("path");
    let start = place.reach()?;
    if start.kind != FileType::Directory && is_document(Path::new(&typed)) {
        return Err(no_lines(&place.shown));
    }
    if start.kind == FileType::Directory {
        let walk = Walk {
            place: &place,
            leash: job.leash,
            depth: WALK_DEPTH,
            ignore: Ignore::unless(wanted.ignored),
        };
        let mut files = 0_u64;
        let end = walk.run(&start, &mut |entry| {
            if entry.kind != FileType::RegularFile {
                return Ok(Step::Go);
            }
            let Some(found) = entry.look() else {
                return Ok(Step::Go);
            };
            // A file that cannot be opened has no lines to show.
            if let Ok(file) = place.open(&found) {
                search.found.documents += u64::from(is_document(entry.path));
                search.file(job, file, &joined(&typed, entry.path))?;
            }
            files += 1;
            job.leash.tell(|| format!("{files} files searched"));
            Ok(if search.found.truncated {
                Step::Stop
            } else {
                Step::Go
            })
        })?;
        search.found.truncated |= end == End::Part;
    } else {
        let file = place.open(&start)?;
        search.file(job, file, &joined(&typed, Path::new("")))?;
    }
    search.found.truncated |= search.is_partial;
    let text = text(&search.found, wanted.ignored);
    job.output(&search.found, text, &typed)
}

fn searcher(line_bytes: usize) -> SearcherBuilder {
    let mut searcher = SearcherBuilder::new();
    searcher
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(line_bytes));
    searcher
}

/// What text that is no UTF-8 is taken for.
fn old_encoding() -> Result<Option<Encoding>, ToolFailure> {
    let encoding = Encoding::new(WINDOWS_1252.name());
    encoding
        .map(Some)
        .map_err(|error| broken("no_encoding", error.to_string()))
}

/// The pattern, if it is no larger than so many bytes when compiled.
fn matcher(wanted: &arguments::Grep, most: usize) -> Result<RegexMatcher, ToolFailure> {
    let pattern = match wanted.literal {
        true => pattern_for(&wanted.pattern),
        false => pattern_in_both_forms(&wanted.pattern),
    };
    let built = RegexMatcherBuilder::new()
        .case_insensitive(wanted.ignore_case)
        .line_terminator(Some(b'\n'))
        .size_limit(most)
        .dfa_size_limit(PATTERN_BYTES)
        .build(&pattern);
    built.map_err(|error| {
        mendable(
            "bad_pattern",
            of_call(format!(
                "The pattern cannot be used: {error}. To find it as plain text, set literal to \
                 true; a match cannot span lines."
            )),
        )
    })
}

struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    /// For text from before UTF-8.
    old_searcher: Searcher,
    max: usize,
    found: Grep,
    /// A file could not be searched; the others still are.
    is_partial: bool,
}

impl Search {
    /// Adds a file's lines. What cannot be read, or is not text, is passed over.
    fn file(&mut self, job: &Job<'_>, file: File, path: &str) -> Result<(), ToolFailure> {
        // The bytes of a PDF may look like lines; what a reader of it sees is something else.
        if is_document(Path::new(path)) || is_pdf(&file) {
            return Ok(());
        }
        let (matches, was_truncated) = (self.found.matches.len(), self.found.truncated);
        let mut watched = Watched::new(&file);
        self.lines(job, &mut watched, path, Text::Utf8)?;
        if watched.is_old_text() {
            let rewound = (&file).seek(SeekFrom::Start(0));
            rewound.map_err(|e| from_io(&e, path))?;
            self.found.matches.truncate(matches);
            self.found.truncated = was_truncated;
            self.lines(job, &file, path, Text::Old)?;
        }
        Ok(())
    }

    fn lines(
        &mut self,
        job: &Job<'_>,
        file: impl Read,
        path: &str,
        text: Text,
    ) -> Result<(), ToolFailure> {
        let (found, matcher, max) = (&mut self.found, &self.matcher, self.max);
        let searcher = match text {
            Text::Utf8 => &mut self.searcher,
            Text::Old => &mut self.old_searcher,
        };
        let sink = Lossy(|number, line: &str| {
            if found.matches.len() >= max {
                found.truncated = true;
                return Ok(false);
            }
            let shown = excerpt::of(line.trim_end_matches(['\n', '\r']), matcher);
            found.matches.push(GrepMatch {
                path: path.to_owned(),
                line: number,
                text: shown.text,
                is_part: shown.is_part,
            });
            Ok(true)
        });
        let reader = Leashed {
            leash: job.leash,
            inner: file,
        };
        if searcher.search_reader(matcher, reader, sink).is_err() {
            job.leash.check()?;
            self.is_partial = true;
        }
        Ok(())
    }
}

/// How a text is stored.
enum Text {
    Utf8,
    Old,
}

fn no_lines(shown: &str) -> ToolFailure {
    mendable(
        "is_a_document",
        format!(
            "`{shown}` is a document (PDF, docx, odt), which has no lines to search; read_document \
             reads it."
        ),
    )
}

/// Whether a file begins as a PDF does, whatever it is called.
fn is_pdf(file: &File) -> bool {
    let mut start = [0; 5];
    file.read_exact_at(&mut start, 0).is_ok() && start == *b"%PDF-"
}

/// Whether a name says that a file is a document, which has no lines to search.
fn is_document(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    let known = ["pdf", "docx", "odt"];
    ending.is_some_and(|ending| known.iter().any(|known| ending == *known))
}

fn text(found: &Grep, is_all: bool) -> String {
    let mut text: String = found
        .matches
        .iter()
        .map(|m| {
            let more = if m.is_part { MORE_PLACES } else { "" };
            format!("{}:{}: {}{more}\n", visible_line(&m.path), m.line, m.text)
        })
        .collect();
    if found.matches.is_empty() {
        text.push_str("No line matches.");
        text.push_str(match is_all {
            true => "\n",
            false => {
                " Files that .gitignore names were not searched; ignored has them searched too.\n"
            }
        });
    }
    match found.documents {
        0 => {}
        1 => text
            .push_str("(1 document (PDF, docx, odt) was not searched; read_document reads it)\n"),
        more => text.push_str(&format!(
            "({more} documents (PDF, docx, odt) were not searched; read_document reads each)\n"
        )),
    }
    if found.truncated {
        text.push_str("(not everything: a limit was reached or a file could not be searched)\n");
    }
    text
}
