//! What is told of a program that ran.

use crate::notes::Note;
use crate::record::RunProgram;
use api::executor::ToolFailure;
use api::failure::broken;
use api::sandbox::{Captured, Ended, Enforcement, Finished};
use domain::limits::EXEC_TIME_MOST;
use domain::tool::ToolOutput;
use protected::Protected;
use std::path::{Path, PathBuf};
use text::escape::quoted_argv;

/// Most of a stream that the structured result has, bytes.
const RECORD_BYTES: usize = 64 << 10;

/// A stream as text, with a mark where its middle was dropped.
pub(crate) fn stream(captured: &Captured) -> String {
    let mut text = String::from_utf8_lossy(&captured.head).into_owned();
    if captured.dropped > 0 {
        text.push_str(&format!("\n[… {} bytes left out …]\n", captured.dropped));
        text.push_str(&String::from_utf8_lossy(&captured.tail));
    }
    text
}

/// A stream for the structured result, with a mark where its middle is left out, and whether it is.
fn recorded(captured: &Captured) -> (String, bool) {
    let all: Vec<u8> = captured
        .head
        .iter()
        .chain(&captured.tail)
        .copied()
        .collect();
    let over = all.len().saturating_sub(RECORD_BYTES);
    let mut kept = captured.clone();
    if over > 0 {
        let half = RECORD_BYTES / 2;
        kept = Captured {
            head: all[..half].to_vec(),
            tail: all[all.len() - half..].to_vec(),
            dropped: captured.dropped + u64::try_from(over).unwrap_or(u64::MAX),
        };
    }
    (stream(&kept), kept.dropped > 0)
}

/// The result of a program, for programs and for the model. `notes` come first.
pub(crate) fn output(
    origin: &str,
    finished: &Finished,
    notes: &[Note],
) -> Result<ToolOutput, ToolFailure> {
    let data = serde_json::to_value(record_of(finished, notes)).map_err(unwritable)?;
    Ok(ToolOutput {
        data,
        text: text_of(finished, notes),
        origin: format!("program:{origin}"),
        artifacts: changed_files(notes),
        labels: Vec::new(),
    })
}

/// The files that a program changed, by what is noted of it.
fn changed_files(notes: &[Note]) -> Vec<String> {
    let changed = notes.iter().filter_map(|note| match note {
        Note::Changed(files) => Some(files),
        _ => None,
    });
    changed
        .flatten()
        .map(|file| file.to_string_lossy().into_owned())
        .collect()
}

/// The notes, and what gives a program that was stopped more time.
pub(crate) fn longer(finished: &Finished, mut notes: Vec<Note>) -> Vec<Note> {
    if finished.ended == Ended::TimedOut {
        notes.push(Note::Hint(format!(
            "its time was up. For more, give timeout_secs (at most {}), or use start_job where you \
             have it; the user may raise `command_secs` under `[tools]`.",
            EXEC_TIME_MOST.as_secs()
        )));
    }
    notes
}

/// What the system says of a change in a place that is read-only.
const READ_ONLY: &str = "Read-only file system";

/// What a program that failed on a protected place could not change, and who can: the program's own
/// message sounds like a broken disk. `frozen`: the protected places in what is open; `folder`: where
/// it ran.
pub(crate) fn read_only(
    finished: &Finished,
    (frozen, protected): (&[PathBuf], &Protected),
    folder: &Path,
) -> Option<String> {
    let said = stream(&finished.stderr);
    if finished.ended == Ended::Exited(0) || !said.contains(READ_ONLY) {
        return None;
    }
    let is_said = |place: &Path| said.contains(&*place.to_string_lossy());
    let is_named = |place: &&PathBuf| {
        let near = place.strip_prefix(folder).ok();
        is_said(place) || near.is_some_and(|near| near != Path::new("") && is_said(near))
    };
    let named = frozen.iter().find(is_named).cloned();
    // Where the folder is not open nothing is frozen, and to open it would not be enough.
    let named = named.or_else(|| protected_in(folder, protected, &said));
    Some(named.map_or_else(
        || {
            "what it wanted to change is not open for writing, or protected. The user opens a \
             folder with --allow-write."
                .to_owned()
        },
        |place| {
            format!(
                "{} is a protected place, which no program of an agent changes; the user does, in a \
                 shell beside carl (a commit, for example).",
                place.display()
            )
        },
    ))
}

/// The protected place in a folder that a message names.
fn protected_in(folder: &Path, protected: &Protected, said: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut places = entries.map(|entry| entry.path());
    places.find(|place| {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        is_part_of_a_path(&name, said) && protected.against_write(place).is_some()
    })
}

/// Whether a name stands in a message as the whole of one part of a path.
fn is_part_of_a_path(name: &str, said: &str) -> bool {
    let is_edge = |c: char| c == '/' || c == ':' || c.is_whitespace() || "'\"`‘’".contains(c);
    said.match_indices(name).any(|(at, _)| {
        let before = said[..at].chars().next_back();
        let after = said[at + name.len()..].chars().next();
        before.is_none_or(is_edge) && after.is_none_or(is_edge)
    })
}

pub(crate) fn unwritable(error: serde_json::Error) -> ToolFailure {
    broken(
        "result_unwritable",
        format!("The result cannot be told: {error}."),
    )
}

pub(crate) fn text_of(finished: &Finished, notes: &[Note]) -> String {
    let mut text = match finished.ended {
        Ended::Exited(code) => format!("exit code {code}\n"),
        Ended::Killed(signal) => format!("killed by signal {signal}\n"),
        Ended::TimedOut => format!(
            "stopped after {} s, with everything it had started\n",
            finished.took.as_secs()
        ),
        Ended::Stopped => "stopped by the user, with everything it had started\n".to_owned(),
    };
    for note in notes {
        text.push_str(&format!("note: {note}\n"));
    }
    add_streams(&mut text, finished);
    text
}

pub(crate) fn add_streams(text: &mut String, finished: &Finished) {
    let streams = [("stdout", &finished.stdout), ("stderr", &finished.stderr)];
    for (name, captured) in streams {
        match stream(captured).trim_end() {
            "" => {}
            stream => text.push_str(&format!("{name}:\n{stream}\n")),
        }
    }
}

pub(crate) fn record_of(finished: &Finished, notes: &[Note]) -> RunProgram {
    let names = |enforced: bool| {
        let all = finished.mechanisms.iter();
        all.filter(|m| (m.enforcement == Enforcement::Enforced) == enforced)
            .map(|m| m.name.clone())
            .collect()
    };
    let (exit_code, signal) = match finished.ended {
        Ended::Exited(code) => (Some(code), None),
        Ended::Killed(signal) => (None, Some(signal)),
        Ended::TimedOut | Ended::Stopped => (None, None),
    };
    let ((stdout, is_cut), (stderr, is_error_cut)) =
        (recorded(&finished.stdout), recorded(&finished.stderr));
    RunProgram {
        exit_code,
        signal,
        timed_out: finished.ended == Ended::TimedOut,
        stdout,
        stderr,
        truncated: is_cut || is_error_cut,
        took_ms: u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX),
        enforced: names(true),
        unavailable: names(false),
        notes: notes.iter().map(Note::to_string).collect(),
    }
}

/// A command as the lines of a question. Where an argument has lines of its own, each stands behind
/// a bar, so that none looks like a line of ours.
pub(crate) fn command_lines(argv: &[String]) -> String {
    let command = quoted_argv(argv);
    let mut lines = command.split('\n');
    let first = lines.next().unwrap_or_default();
    let more: String = lines.map(|line| format!("| {line}\n")).collect();
    format!("$ {first}\n{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_an_argument_stands_by_itself() {
        let argv = [
            "sh",
            "-c",
            "touch a
  In short: nothing
$ ls",
        ]
        .map(str::to_owned);
        let shown = "$ sh -c 'touch a
|   In short: nothing
| $ ls'
";
        assert_eq!(command_lines(&argv), shown);
        assert_eq!(
            command_lines(&argv[..2]),
            "$ sh -c
"
        );
    }
}
