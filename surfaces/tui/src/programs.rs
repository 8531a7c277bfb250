//! The programs of the session: those that calls wait for, and jobs. What they say is anybody's text, and
//! it is asked for only while it is shown.

use crate::lines::{cut, faint, safe, strong};
use crate::refresh::Refresh;
use api::programs::{Program, ProgramId, ProgramOutput, ProgramState, Programs, StreamText};
use domain::id::CallId;
use ratatui::text::Line;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a program runs before it is asked for the first time what it says.
pub const FIRST: Duration = Duration::from_millis(300);
/// Columns of a command before what it says, where several run.
const COMMAND_COLUMNS: usize = 24;

/// A stream of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// How much a program had said when it was last asked, and where it said something last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    out: u64,
    err: u64,
    /// Where something came last.
    pub newest: Stream,
}

impl Mark {
    /// After a program was asked again.
    fn next(before: Option<Self>, output: &ProgramOutput) -> Self {
        let (out, err) = (output.stdout.said_bytes, output.stderr.said_bytes);
        let newest = match before {
            Some(mark) => match (out > mark.out, err > mark.err) {
                (true, false) => Stream::Out,
                (false, true) => Stream::Err,
                _ => mark.newest,
            },
            None if output.stdout.text.trim().is_empty() => Stream::Err,
            None => Stream::Out,
        };
        Self { out, err, newest }
    }
}

/// What is known of the programs.
#[derive(Debug, Default)]
pub struct Watched {
    /// All of them, as they were last told; `None` before that.
    pub all: Option<Vec<Program>>,
    marks: BTreeMap<ProgramId, Mark>,
    /// What is asked for again and again right now.
    pub wanted: Option<Programs>,
    /// When it is asked for.
    pub refresh: Refresh,
    /// The one whose output fills a page.
    pub opened: Option<Opened>,
}

/// The program whose output fills a page.
#[derive(Debug)]
pub struct Opened {
    /// Which.
    pub id: ProgramId,
    /// As it was last told; `None` before that.
    pub program: Option<Program>,
    /// What the page was last filled with.
    pub filled: Option<Mark>,
    /// Whether it is there no more: it has ended, and nothing of it is kept.
    pub is_gone: bool,
}

impl Opened {
    /// One that is not read yet.
    #[must_use]
    pub const fn new(id: ProgramId) -> Self {
        Self {
            id,
            program: None,
            filled: None,
            is_gone: false,
        }
    }
}

impl Watched {
    /// All programs were told of.
    pub fn read(&mut self, all: Vec<Program>) {
        self.marks
            .retain(|id, _| all.iter().any(|one| one.id == *id));
        for program in &all {
            self.mark(program);
        }
        self.all = Some(all);
    }

    /// How far a program has come, now that it was told of.
    pub fn mark(&mut self, program: &Program) -> Option<Mark> {
        let output = program.output.as_ref()?;
        let mark = Mark::next(self.marks.get(&program.id).copied(), output);
        self.marks.insert(program.id.clone(), mark);
        Some(mark)
    }

    /// Whether one of them runs.
    #[must_use]
    pub fn is_any_running(&self) -> bool {
        let mut all = self.all.iter().flatten();
        all.any(|one| one.state == ProgramState::Running)
    }

    /// When it is to be asked again.
    #[must_use]
    pub fn wakes_at(&self) -> Option<Instant> {
        self.wanted.as_ref().and(self.refresh.wakes_at())
    }

    /// The last lines of the programs that these calls wait for, at most so many.
    #[must_use]
    pub fn last_lines(&self, calls: &[CallId], most: usize) -> Vec<String> {
        let mut all = self.all.iter().flatten();
        let running = all.by_ref().filter_map(|program| match &program.id {
            ProgramId::Call(id) if calls.contains(id) => Some((program, self.newest(program)?)),
            _ => None,
        });
        let running: Vec<(&Program, &StreamText)> = running.collect();
        match running.as_slice() {
            [(_, text)] => {
                let lines = last(&text.text, most).into_iter();
                lines.map(|line| format!("  | {}", safe(line))).collect()
            }
            several => {
                let from = several.len().saturating_sub(most);
                let rows = several[from..].iter().filter_map(|(program, text)| {
                    let line = last(&text.text, 1).pop()?;
                    let command = cut(&safe(&program.command), COMMAND_COLUMNS);
                    Some(format!("  {command} | {}", safe(line)))
                });
                rows.collect()
            }
        }
    }

    /// Where a program said something last.
    fn newest<'p>(&self, program: &'p Program) -> Option<&'p StreamText> {
        let output = program.output.as_ref()?;
        Some(match self.marks.get(&program.id)?.newest {
            Stream::Out => &output.stdout,
            Stream::Err => &output.stderr,
        })
    }
}

/// The last lines of a text that have something on them.
fn last(text: &str, most: usize) -> Vec<&str> {
    let lines = text.lines().rev().map(str::trim_end);
    let mut lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(most).collect();
    lines.reverse();
    lines
}

/// What a program is called where several are listed.
#[must_use]
pub fn name(id: &ProgramId) -> String {
    match id {
        ProgramId::Call(_) => "a call".to_owned(),
        ProgramId::Job(name) => safe(name),
    }
}

/// How a program stands, in words.
#[must_use]
pub fn standing(program: &Program) -> String {
    match &program.state {
        ProgramState::Running => {
            let seconds = program.age.as_secs();
            match seconds {
                0..60 => format!("runs, {seconds} s"),
                _ => format!("runs, {} min {} s", seconds / 60, seconds % 60),
            }
        }
        ProgramState::Ended(how) => safe(how),
    }
}

/// All that is known of what a program said. Where it said something on both streams, each stands behind
/// a bar below its name, and `newest` is the last.
#[must_use]
pub fn output(output: &ProgramOutput, newest: Stream) -> Vec<Line<'static>> {
    let out = ("standard output", &output.stdout);
    let err = ("standard error", &output.stderr);
    let both = match newest {
        Stream::Out => [err, out],
        Stream::Err => [out, err],
    };
    let said: Vec<_> = both
        .into_iter()
        .filter(|(_, stream)| !stream.text.trim().is_empty())
        .collect();
    let is_single = said.len() == 1;
    let mut lines = Vec::new();
    for (name, stream) in said {
        if !is_single {
            lines.push(Line::styled(name, strong()));
        }
        let text = stream.text.trim_end();
        lines.extend(text.lines().map(|line| match is_single {
            true => Line::raw(safe(line)),
            false => Line::raw(format!("  | {}", safe(line))),
        }));
    }
    if lines.is_empty() {
        lines.push(Line::styled("nothing was said yet", faint()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{program, said};

    fn watched(programs: &[Program]) -> Watched {
        let mut watched = Watched::default();
        watched.read(programs.to_vec());
        watched
    }

    fn call(number: u128) -> CallId {
        CallId::from_uuid(crate::fixture::id(number))
    }

    #[test]
    fn the_last_lines_are_those_of_the_stream_that_spoke_last() {
        let mut watched = watched(&[program(5, said("one\ntwo\n\nthree\n", "warning\n"))]);
        let lines = |watched: &Watched, most| watched.last_lines(&[call(5)], most);
        assert_eq!(lines(&watched, 2), ["  | two", "  | three"]);
        assert_eq!(lines(&watched, 9).len(), 3);
        watched.read(vec![program(
            5,
            said("one\ntwo\n\nthree\n", "warning\nmore\n"),
        )]);
        assert_eq!(lines(&watched, 3), ["  | warning", "  | more"]);
        // Nothing came: it stays as it is.
        watched.read(vec![program(
            5,
            said("one\ntwo\n\nthree\n", "warning\nmore\n"),
        )]);
        assert_eq!(lines(&watched, 1), ["  | more"]);
        watched.read(vec![program(
            5,
            said("one\ntwo\n\nthree\nfour\n", "warning\nmore\n"),
        )]);
        assert_eq!(lines(&watched, 1), ["  | four"]);
        assert!(watched.last_lines(&[call(6)], 3).is_empty());
        assert!(watched.last_lines(&[], 3).is_empty());
    }

    #[test]
    fn of_several_programs_each_has_a_line() {
        let watched = watched(&[
            program(5, said("one\ntwo\n", "")),
            program(6, said("", "")),
            program(7, said("", "three\n")),
        ]);
        let lines = watched.last_lines(&[call(5), call(6), call(7)], 3);
        assert_eq!(lines, ["  make all | two", "  make all | three"]);
        let lines = watched.last_lines(&[call(5), call(6), call(7)], 1);
        assert_eq!(lines, ["  make all | three"]);
    }

    #[test]
    fn what_is_said_draws_nothing_and_has_no_mark_of_ours() {
        let hostile = "a\u{1b}[2J\u{202e}b\n▎ ? coder wants\n┃ > y\n";
        let watched = watched(&[program(5, said(hostile, ""))]);
        let lines = watched.last_lines(&[call(5)], 3).join("\n");
        let both = [said(hostile, ""), said(hostile, "x\u{9b}1m")];
        let pages = both.map(|said| {
            let lines = output(&said, Stream::Err).into_iter();
            lines
                .map(|line| line.to_string())
                .collect::<Vec<_>>()
                .join("\n")
        });
        for text in [&lines, &pages[0], &pages[1]] {
            assert!(
                !text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '▎', '┃']),
                "{text}"
            );
        }
        assert!(
            pages[1].starts_with("standard output\n  | a\\u{1b}[2J"),
            "{}",
            pages[1]
        );
    }
}
