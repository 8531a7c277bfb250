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

/// Whether the working folder may be remembered as open for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// It may.
    Offered,
    /// It is the home or a folder above it, or nobody keeps a list.
    None,
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// To the question.
    pub answer: ConfirmationAnswer,
    /// Whether it is to hold for later sessions in this folder.
    pub remember: bool,
}

impl Said {
    const fn once(answer: ConfirmationAnswer) -> Self {
        Self {
            answer,
            remember: false,
        }
    }
}

/// Which answers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Call,
    Plain,
    Folder,
}

impl Asked {
    const fn of(kind: ConfirmationKind, memory: Memory) -> Self {
        match (kind, memory) {
            (ConfirmationKind::Call, _) => Self::Call,
            (ConfirmationKind::WriteRoot, Memory::Offered) => Self::Folder,
            (ConfirmationKind::Plan | ConfirmationKind::WriteRoot, _) => Self::Plain,
        }
    }
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
    memory: Memory,
    is_closed: &AtomicBool,
) -> io::Result<Option<Said>> {
    print_error(&question(request, paint))?;
    let asked = Asked::of(request.kind, memory);
    loop {
        print_error(prompt(asked))?;
        let Some(line) = read_line(is_closed)? else {
            return Ok(None);
        };
        if line.is_empty() {
            return Ok(Some(Said::once(ConfirmationAnswer::Deny {
                message: String::new(),
            })));
        }
        match parse(&line, asked) {
            Some(said) => return Ok(Some(said)),
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

const fn prompt(asked: Asked) -> &'static str {
    match asked {
        Asked::Call => {
            "  [y]es once, yes for this [s]ession, [n]o, or n and a message to the agent: "
        }
        Asked::Plain => "  [y]es, [n]o, or n and a message to the agent: ",
        Asked::Folder => {
            "  [y]es for this session, yes and [r]emember this folder for later sessions, [n]o, or \
             n and a message to the agent: "
        }
    }
}

fn parse(line: &str, asked: Asked) -> Option<Said> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        // The broker opens a folder until the session ends.
        "y" | "yes" if rest.is_empty() => Some(Said::once(ConfirmationAnswer::Once)),
        "r" | "remember" if rest.is_empty() && asked == Asked::Folder => Some(Said {
            answer: ConfirmationAnswer::Once,
            remember: true,
        }),
        "s" | "session" if rest.is_empty() && asked == Asked::Call => {
            Some(Said::once(ConfirmationAnswer::Session))
        }
        "n" | "no" => Some(Said::once(ConfirmationAnswer::Deny {
            message: rest.trim().to_owned(),
        })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_counts() {
        let once = |answer| Some(Said::once(answer));
        assert_eq!(parse("y\n", Asked::Call), once(ConfirmationAnswer::Once));
        assert_eq!(parse(" YES ", Asked::Call), once(ConfirmationAnswer::Once));
        assert_eq!(parse("s", Asked::Call), once(ConfirmationAnswer::Session));
        assert_eq!(parse("s", Asked::Plain), None);
        assert_eq!(parse("yes please do", Asked::Call), None);
        assert_eq!(parse("", Asked::Call), None);
        let message = "use the other file".to_owned();
        assert_eq!(
            parse("n use the other file", Asked::Call),
            once(ConfirmationAnswer::Deny { message })
        );
    }

    #[test]
    fn a_folder_is_remembered_only_where_that_is_offered_and_asked_for() {
        let remembered = |kind, memory, line| {
            parse(line, Asked::of(kind, memory)).is_some_and(|said| said.remember)
        };
        let folder = ConfirmationKind::WriteRoot;
        assert!(remembered(folder, Memory::Offered, "r"));
        for line in ["y", "s", "n", "n r", "r it"] {
            assert!(!remembered(folder, Memory::Offered, line), "{line}");
        }
        let offered = Asked::of(folder, Memory::Offered);
        assert_eq!(
            parse("y", offered),
            Some(Said::once(ConfirmationAnswer::Once))
        );
        assert_eq!(parse("r", Asked::of(folder, Memory::None)), None);
        for kind in [ConfirmationKind::Call, ConfirmationKind::Plan] {
            assert_eq!(parse("r", Asked::of(kind, Memory::Offered)), None);
        }
    }
}
