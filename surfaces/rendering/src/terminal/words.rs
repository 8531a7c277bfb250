//! What is said of single events, in words.

use crate::Paint;
use crate::calls::is_program;
use crate::values::{arguments, bytes};
use domain::event::{EventBody, QueryStatus};
use domain::fault::Fault;
use domain::label::{Integrity, Label};
use domain::notes::ShownNotes;
use domain::plan::Action;
use domain::tool::Edited;
use text::cap::first_words;
use text::escape::visible_line;
use text::fence;

/// Whether an event is a piece of what a model says: of an agent that another one started, people
/// are shown what it does and what it reports.
pub(super) const fn is_own_words(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::TextDelta { .. }
            | EventBody::ThinkingDelta { .. }
            | EventBody::TextReplaced { .. }
            | EventBody::ModelAnswered { .. }
            | EventBody::ModelChosen { .. }
    )
}

/// How a request ended that was not a success. `denied`: how many of its calls were denied, where an answer
/// followed.
pub(super) fn ended(status: QueryStatus, denied: usize, paint: Paint) -> Option<String> {
    match status {
        QueryStatus::Success => None,
        QueryStatus::Partial => Some(paint.warn("partly done")),
        QueryStatus::Failed => Some(paint.bad("failed")),
        QueryStatus::Denied => Some(match denied {
            0 => paint.bad("refused"),
            1 => paint.warn("a call was refused"),
            count => paint.warn(&format!("{count} calls were refused")),
        }),
        QueryStatus::Interrupted => Some(paint.warn("interrupted")),
    }
}

/// Whether a fault says that the answer claims what did not happen.
pub(super) fn is_untrue(fault: &Fault) -> bool {
    const CODES: [&str; 4] = [
        "agents.nothing_changed",
        "agents.nothing_deleted",
        "agents.nothing_run",
        "agents.command_failed",
    ];
    CODES.contains(&fault.code.as_str())
}

/// That others are worked on first: how many requests.
pub(super) fn queued(position: u32) -> String {
    match position {
        1 => "waiting: another request of this session is worked on first".to_owned(),
        n => format!("waiting: {n} other requests of this session are worked on first"),
    }
}

/// What a tool is doing.
pub(super) fn progress(message: &str, percent: Option<u8>) -> String {
    let share = percent.map(|p| format!(" {p}%")).unwrap_or_default();
    format!("  … {}{share}", visible_line(message))
}

/// That a plan may run, and why, by who approved it.
#[must_use]
pub fn approved(by: &str) -> String {
    let why = match by {
        "user" => "by you",
        "yes_flag" => "by --yes",
        "override" => "by the override",
        "approved_hash" => "by its hash",
        "read_only" => "nothing in it needs a yes",
        other => return format!("plan approved by {}", visible_line(other)),
    };
    format!("plan approved ({why})")
}

/// A no, by who said it.
pub(super) fn refusal(name: &str, message: &str, by: &str) -> String {
    let who = match by {
        "user" => "by you".to_owned(),
        "timeout" => "because nobody answered in time".to_owned(),
        other => format!("by {}", visible_line(other)),
    };
    match message {
        "" => format!("  ✗ {name}denied {who}"),
        message => format!("  ✗ {name}denied {who}: {}", visible_line(message)),
    }
}

/// Whether an answer is the last of what was streamed: what was said before a tool was called stands
/// before it.
pub(super) fn is_end_of(answer: &str, streamed: &str) -> bool {
    streamed.trim().ends_with(answer.trim())
}

/// The first line of a result that is not part of its fence.
pub(super) fn gist(text: &str) -> &str {
    let said = |line| match str::strip_prefix(line, "[tool unavailable] ") {
        Some(why) => Some(why),
        None => (!line.starts_with('[')).then_some(line),
    };
    text.lines().find_map(said).unwrap_or_default()
}

/// An action of a plan.
pub(super) fn step(action: &Action) -> String {
    let fields = serde_json::to_value(action).map(|mut value| {
        if let Some(members) = value.as_object_mut() {
            members.shift_remove("kind");
        }
        arguments(&value)
    });
    format!("{} {}", action.kind(), fields.unwrap_or_default())
}

/// Most of a recalled memory that is shown, characters.
const RECALLED_CHARS: usize = 60;

/// How much came of a call: what an edit did, which lines of a file were read, what a program said, or what
/// else was found. `None`: it changed files, of which the message to the model says nothing.
pub(super) fn amount(
    tool: &str,
    (edited, artifacts): (Option<Edited>, &[String]),
    (text, is_truncated): (&str, bool),
) -> Option<String> {
    if let Some(edited) = edited {
        return Some(places(edited));
    }
    let body = fence::body(text).trim_end();
    let size = |said: &str| Some(bytes(said.trim_end().len() as u64));
    let amount = match tool {
        "read_file" => lines_read(body).or_else(|| size(body)),
        _ if is_program(tool) => size(said_behind_end(body)).filter(|_| body.contains('\n')),
        _ if artifacts.is_empty() => size(body),
        _ => None,
    };
    amount.map(|amount| match is_truncated {
        true => format!("{amount}, shortened for the model"),
        false => amount,
    })
}

/// Which lines a result has of a file, as its first line says it behind the file's name.
fn lines_read(body: &str) -> Option<String> {
    let heading = body.lines().next()?.strip_suffix(':')?;
    let (_, lines) = heading.rsplit_once(", lines ")?;
    // What is behind it tells the model how to go on.
    let (lines, _) = lines.split_once(',').unwrap_or((lines, ""));
    let is_number = |word: &&str| word.parse::<u64>().is_ok();
    match lines.split(' ').collect::<Vec<_>>().as_slice() {
        [from, "to", last, "of", all] if [from, last, all].into_iter().all(is_number) => {
            Some(match from == last {
                true => format!("line {from} of {all}"),
                false => format!("lines {from}–{last} of {all}"),
            })
        }
        _ => None,
    }
}

/// What a program said, behind how it ended.
fn said_behind_end(body: &str) -> &str {
    let (_, said) = body.split_once('\n').unwrap_or_default();
    let mut streams = ["stdout:\n", "stderr:\n"].into_iter();
    let named = streams.find_map(|stream| said.strip_prefix(stream));
    named.unwrap_or(said)
}

/// What an edit did to its file.
fn places(edited: Edited) -> String {
    let Edited {
        places,
        first_line,
        last_line,
    } = edited;
    let lines = match first_line == last_line {
        true => format!("line {first_line}"),
        false => format!("lines {first_line}–{last_line}"),
    };
    match places {
        1 => format!("1 place, {lines}"),
        places => format!("{places} places, {lines}"),
    }
}

/// What was brought to mind: how much, how far it may be trusted, and the first words of the best.
pub(super) fn recalled(count: usize, label: Option<&Label>, text: &str) -> String {
    let memories = match count {
        1 => "1 memory".to_owned(),
        count => format!("{count} memories"),
    };
    let is_trusted = label.is_some_and(|label| label.integrity == Integrity::Trusted);
    // Of an exchange, what was asked.
    let best = gist(text);
    let best = best.strip_prefix("Q: ").unwrap_or(best);
    let first = visible_line(&first_words(best, RECALLED_CHARS));
    if is_trusted {
        return format!("recalled: {memories}: {first}");
    }
    let origins = label.map(|label| &label.origins).into_iter().flatten();
    let origins: Vec<&str> = origins
        .map(String::as_str)
        .filter(|origin| *origin != "memory" && *origin != "user")
        .take(4)
        .collect();
    let from = match origins.is_empty() {
        true => String::new(),
        false => format!(": {}", visible_line(&origins.join(", "))),
    };
    format!("recalled: {memories} (untrusted{from}): {first}")
}

/// Which of a project's notes stand in the prompt, and how.
pub(super) fn notes(notes: &[ShownNotes]) -> String {
    let one = |notes: &ShownNotes| {
        let standing = match notes.trusted {
            true => "trusted",
            false => "untrusted; `carl policy trust FILE` changes that",
        };
        format!("{} ({standing})", visible_line(&notes.path))
    };
    let all: Vec<String> = notes.iter().map(one).collect();
    format!("project notes: {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_after_other_words_was_shown_and_another_was_not() {
        assert!(is_end_of("It says hello.\n", "Let me look. It says hello."));
        assert!(!is_end_of("It says hello.", "Let me look."));
    }

    #[test]
    fn what_came_of_a_call_is_no_size_of_a_message() {
        let told = |tool: &str, artifacts: &[&str], body: &str| {
            let text = fence::wrap_noted(tool, "1a", false, "", body);
            let artifacts: Vec<String> = artifacts.iter().map(|&file| file.to_owned()).collect();
            amount(tool, (None, &artifacts), (&text, false))
        };
        let some = |told: &str| Some(told.to_owned());
        let made = "Created a, lines 1 to 2 of 3 (116 bytes).";
        assert_eq!(told("write_file", &["/w/a"], made), None);
        let read = "a, lines 3 to 4, lines 1 to 9 of 120, cut short: ask for a part:\none\n";
        assert_eq!(told("read_file", &[], read), some("lines 1–9 of 120"));
        let read = "a, lines 1 to 1 of 1:\none\n";
        assert_eq!(told("read_file", &[], read), some("line 1 of 1"));
        assert_eq!(told("read_file", &[], "text of a page"), some("14 B"));
        assert_eq!(told("run_command", &[], "exit code 0\n"), None);
        let said = "exit code 0\nstdout:\nok\n";
        assert_eq!(told("run_command", &[], said), some("2 B"));
        assert_eq!(told("grep", &[], "a:1: x"), some("6 B"));
    }

    #[test]
    fn why_a_tool_failed_is_the_first_line_that_says_something() {
        let unavailable = "[FAILED]\n[tool unavailable] no search server is configured. Go on.";
        assert_eq!(gist(unavailable), "no search server is configured. Go on.");
        assert_eq!(
            gist("[TOOL_RESULT: UNTRUSTED x 1]\nno such file\n[END x]"),
            "no such file"
        );
        assert_eq!(gist(""), "");
    }

    #[test]
    fn what_is_recalled_ends_with_a_whole_word() {
        let text = "Q: where did the ship lie while the harbour was being dredged in spring?";
        let told = recalled(1, Some(&Label::trusted("user")), text);
        assert!(told.ends_with("the harbour was being dredged…"), "{told}");
    }

    #[test]
    fn a_no_says_whose_it_was() {
        assert_eq!(refusal("", "", "user"), "  ✗ denied by you");
        assert_eq!(
            refusal("undo ", "use trash\u{202e}", "user"),
            "  ✗ undo denied by you: use trash\\u{202e}"
        );
        let silence = refusal("", "", "timeout");
        assert!(silence.contains("nobody answered"), "{silence}");
    }
}
