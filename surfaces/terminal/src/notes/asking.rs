//! Asking the user about a project's notes before an agent is shown them.

use super::file::File;
use super::vouched::Word;
use domain::limits::CONFIRMATION_WAIT;
use rendering::confirm::{Typeahead, fitted};
use rendering::{Paint, fit, pager, print_error, print_error_as_it_is};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, BufRead};
use std::sync::atomic::AtomicBool;
use text::escape::{visible, visible_line};

const PROMPT: &str = "  [v]iew, [t]rust this version, use as [u]ntrusted, [i]gnore: ";

/// Whether the user said something of an earlier version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    New,
    /// Something, and it is another version now.
    Changed,
}

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    View,
    Said(Word),
}

/// What is asked about a file.
fn question(file: &File, known: Known, paint: Paint) -> String {
    let what = match known {
        Known::New => "This project has notes for agents",
        Known::Changed => "This project's notes for agents have changed",
    };
    let name = visible_line(&file.name);
    let head = format!("? {what}: {name}, {} bytes", file.bytes);
    let place = visible_line(&file.path.display().to_string());
    let meaning = "Trusted, they count like your own instructions, until they change. Untrusted, \
                   agents read them as content from outside.";
    format!(
        "{}\n  {place}, version {}\n  {}\n",
        paint.strong(&head),
        file.version.short(),
        paint.faint(meaning)
    )
}

/// Asks about a file, on standard error and standard input. `None` when there is no answer in time,
/// or no more input. What was typed before the question was there answers nothing.
///
/// # Errors
/// When the terminal cannot be written or read.
pub fn ask(file: &File, known: Known, paint: Paint) -> io::Result<Option<Word>> {
    let mut ahead = Typeahead::begin()?;
    let width = fit::width(&io::stderr());
    print_error_as_it_is(&fitted(&question(file, known, paint), width))?;
    ahead.throw_away()?;
    loop {
        print_error(PROMPT)?;
        let Some(line) = line()? else {
            print_error("\n  No answer: untrusted this time.\n")?;
            return Ok(None);
        };
        if !ahead.is_answer(&line)? {
            continue;
        }
        match parse(&line) {
            Some(Reply::View) => pager::show(&shown(&file.text), &AtomicBool::new(false))?,
            Some(Reply::Said(word)) => return Ok(Some(word)),
            None => {
                print_error("  Please answer with one of the letters in brackets.\n")?;
                ahead.throw_away()?;
            }
        }
    }
}

/// The text with nothing in it that draws on the terminal, apart from what is asked.
fn shown(text: &str) -> String {
    let text = visible(text);
    text.lines().map(|line| format!("  | {line}\n")).collect()
}

/// One line of input; `None` at its end, or when nobody types one.
fn line() -> io::Result<Option<String>> {
    let stdin = io::stdin();
    let wait = Timespec {
        tv_sec: i64::try_from(CONFIRMATION_WAIT.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: 0,
    };
    if poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&wait))? == 0 {
        return Ok(None);
    }
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line)?;
    Ok((read > 0).then_some(line))
}

fn parse(line: &str) -> Option<Reply> {
    match line.trim().to_lowercase().as_str() {
        "v" | "view" => Some(Reply::View),
        "t" | "trust" => Some(Reply::Said(Word::Trust)),
        "u" | "untrusted" => Some(Reply::Said(Word::Untrusted)),
        "i" | "ignore" => Some(Reply::Said(Word::Ignore)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_counts() {
        assert_eq!(parse(" T \n"), Some(Reply::Said(Word::Trust)));
        assert_eq!(parse("untrusted"), Some(Reply::Said(Word::Untrusted)));
        assert_eq!(parse("i"), Some(Reply::Said(Word::Ignore)));
        assert_eq!(parse("v"), Some(Reply::View));
        for unclear in ["", "y", "yes", "t u", "trust me"] {
            assert_eq!(parse(unclear), None, "{unclear}");
        }
    }

    #[test]
    fn a_text_that_is_viewed_draws_on_no_terminal() {
        let text = shown("a\u{1b}[2J\r\u{202e}b\nc");
        assert!(!text.contains(['\u{1b}', '\r', '\u{202e}']), "{text:?}");
        assert!(text.lines().all(|line| line.starts_with("  | ")));
    }
}
