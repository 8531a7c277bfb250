//! Asking the user: the broker's own rendering, a diff, and four possible answers.

use super::{Paint, print_error};
use domain::event::{ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use text::escape::visible;

/// The question as text, without the prompt for an answer.
#[must_use]
pub fn question(request: &ConfirmationRequest, paint: Paint) -> String {
    let what = match request.kind {
        ConfirmationKind::Call => "wants to run",
        ConfirmationKind::Plan => "wants to carry out this plan",
        ConfirmationKind::WriteRoot => "wants to write in a folder",
    };
    let head = format!(
        "? {} {what} [{}]",
        request.agent_type,
        request.effect.as_str()
    );
    // The rendering and the diff come from the broker; escaping again keeps a faulty or remote
    // broker from drawing on this terminal.
    let mut text = format!("{}\n", paint.strong(&head));
    for line in visible(&request.rendering).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    if let Some(diff) = &request.diff {
        text.push_str(&paint.diff(&visible(diff)));
    }
    text.push_str(&format!("  {}\n", paint.faint(&visible(&request.reason))));
    let until = format!(
        "No answer before {} means no.",
        request.expires.strftime("%H:%M:%S UTC")
    );
    text.push_str(&format!("  {}\n", paint.faint(&until)));
    text
}

/// How often a waiting reader looks whether its question is still open.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Prints the question and reads one answer from standard input. The end of input is a no; `None`
/// when `is_closed` was set before there was an answer. Nothing is read from the terminal but whole
/// lines, so that the next reader gets what was typed for it.
///
/// # Errors
/// When the terminal cannot be written or read.
pub fn ask(
    request: &ConfirmationRequest,
    paint: Paint,
    is_closed: &AtomicBool,
) -> io::Result<Option<ConfirmationAnswer>> {
    print_error(&question(request, paint))?;
    loop {
        print_error(prompt(request.kind))?;
        let Some(line) = read_line(is_closed)? else {
            return Ok(None);
        };
        if line.is_empty() {
            return Ok(Some(ConfirmationAnswer::Deny {
                message: String::new(),
            }));
        }
        match parse(&line, request.kind) {
            Some(answer) => return Ok(Some(answer)),
            None => print_error("  Please answer with one of the letters in brackets.\n")?,
        }
    }
}

/// One line, with its line feed; empty at the end of input; `None` once `is_closed` is set.
fn read_line(is_closed: &AtomicBool) -> io::Result<Option<String>> {
    let stdin = io::stdin();
    while !is_closed.load(Ordering::SeqCst) {
        if poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK))? > 0 {
            let mut line = String::new();
            stdin.lock().read_line(&mut line)?;
            return Ok(Some(line));
        }
    }
    Ok(None)
}

const fn prompt(kind: ConfirmationKind) -> &'static str {
    match kind {
        ConfirmationKind::Call => {
            "  [y]es once, yes for this [s]ession, [n]o, or n and a message to the agent: "
        }
        ConfirmationKind::Plan | ConfirmationKind::WriteRoot => {
            "  [y]es, [n]o, or n and a message to the agent: "
        }
    }
}

fn parse(line: &str, kind: ConfirmationKind) -> Option<ConfirmationAnswer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        "y" | "yes" if rest.is_empty() => Some(ConfirmationAnswer::Once),
        "s" | "session" if rest.is_empty() && kind == ConfirmationKind::Call => {
            Some(ConfirmationAnswer::Session)
        }
        "n" | "no" => Some(ConfirmationAnswer::Deny {
            message: rest.trim().to_owned(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_counts() {
        let call = ConfirmationKind::Call;
        assert_eq!(parse("y\n", call), Some(ConfirmationAnswer::Once));
        assert_eq!(parse(" YES ", call), Some(ConfirmationAnswer::Once));
        assert_eq!(parse("s", call), Some(ConfirmationAnswer::Session));
        assert_eq!(parse("s", ConfirmationKind::Plan), None);
        assert_eq!(parse("yes please do", call), None);
        assert_eq!(parse("", call), None);
        let message = "use the other file".to_owned();
        assert_eq!(
            parse("n use the other file", call),
            Some(ConfirmationAnswer::Deny { message })
        );
    }
}
