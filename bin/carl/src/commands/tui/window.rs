//! One window of `carl tui`: a session that is held until its user leaves it, or until what serves it ends.

use super::serving::{Serving, theme};
use crate::commands::chat::{Begin, prepared};
use crate::commands::host::CommandHost;
use anyhow::Result;
use command_line::SessionFlags;
use std::cell::Cell;
use terminal::chat::{ChatRequest, open_session};
use terminal::exit::{Exit, Failure, OrFail, in_words};
use terminal::host::Host;
use terminal::notes::Seen;
use terminal::sessions::held;
use terminal::signals::Signals;
use terminal::yes_or_no::is_yes_unless_stopped;
use text::escape::visible_line;
use tui::{Attention, Ended, GoOn, HandedOver, Keyboard, Layout, Mouse, Start};

/// Why a window did not open, or ended.
pub(super) struct Failed {
    pub(super) error: anyhow::Error,
    /// Whether what served it is there no longer.
    pub(super) is_gone: bool,
    /// Whether its user left while it was opened again.
    pub(super) is_left: bool,
}

impl Failed {
    fn opening(error: anyhow::Error) -> Self {
        Self {
            error,
            is_gone: false,
            is_left: false,
        }
    }
}

/// Holds the session that is named, with what the window before it left, until it ends.
///
/// # Errors
/// When it cannot be opened, or the terminal cannot be used.
pub(super) async fn one_window(
    (flags, begin): (SessionFlags, Begin),
    (handed_over, layout): (Option<HandedOver>, Layout),
    keyboard: &mut Keyboard,
) -> Result<Ended, Failed> {
    // Large futures: they are kept off the stack.
    let opening = Box::pin(prepared(flags, begin));
    let (host, mut request) = match &handed_over {
        Some(last) => unless_left(last, opening).await?,
        None => opening.await.map_err(Failed::opening)?,
    };
    let mut before = Before::default();
    if let Some(last) = handed_over {
        request.profile = request.profile.as_held(*last.profile);
        before = Before {
            draft: last.draft,
            shown_seq: last.shown_seq,
            attention: last.attention,
        };
    }
    let holding = hold(&host, request, (before, layout), keyboard);
    let outcome = Box::pin(holding).await;
    let is_gone = outcome.is_err() && host.is_gone().await;
    let closed = host.close(Ok(())).await;
    match (outcome, closed) {
        (Ok(ended), Err(_)) if goes_on(&ended) => Ok(ended),
        (Ok(ended), Ok(())) => Ok(ended),
        (Err(error), _) | (Ok(_), Err(error)) => Err(Failed {
            error,
            is_gone,
            is_left: false,
        }),
    }
}

/// Opens a session again, which may wait for another process to end, unless a signal comes first: what is
/// watched for once, as the window before did, ends no process by itself.
async fn unless_left<T>(
    last: &HandedOver,
    opening: impl Future<Output = Result<T>>,
) -> Result<T, Failed> {
    let mut signals = Signals::all().map_err(Failed::opening)?;
    tokio::select! {
        opened = opening => opened.map_err(Failed::opening),
        _caught = signals.next() => Err(Failed {
            is_left: true,
            ..Failed::opening(left(last).into())
        }),
    }
}

/// What is said of a session that its user left while it was opened again.
fn left(last: &HandedOver) -> Failure {
    let id = last.session_id;
    let what = format!("session {id} was left before it was open again");
    let hint = format!("`carl --resume {id}` goes on with it.{}", not_sent(last));
    Failure {
        exit: Exit::Interrupted,
        ..Failure::usage(what, hint)
    }
}

/// What was typed into a session that is left, to be told along with why.
fn not_sent(last: &HandedOver) -> String {
    match last.draft.trim() {
        "" => String::new(),
        draft => format!(" What was typed and not sent: {}", visible_line(draft)),
    }
}

/// Whether the session is opened again, where what went wrong with it is said.
const fn goes_on(ended: &Ended) -> bool {
    matches!(ended.next, Some(GoOn::Anew(_)))
}

/// Says why a session cannot go on in its window, and asks whether to try once more: until the user says
/// no, nothing that is typed goes anywhere else.
///
/// # Errors
/// When the terminal cannot be used.
pub(super) async fn tries_again(error: &anyhow::Error, keyboard: &mut Keyboard) -> Result<bool> {
    // Two readers would take keys from one another.
    let _paused = keyboard.pause();
    let mut signals = Signals::all()?;
    let question = format!("{}Try again?", in_words(error));
    let answer = is_yes_unless_stopped(question, &mut signals).await?;
    Ok(answer == Some(true))
}

/// What is said of a session that nobody goes on serving.
pub(super) fn closed_again(last: &HandedOver) -> Failure {
    let what = format!(
        "session {} is closed again and again where it is served",
        last.session_id
    );
    let hint = format!(
        "`carl doctor` names who serves this home.{}",
        not_sent(last)
    );
    Failure::usage(what, hint)
}

/// What a window goes on with.
#[derive(Default)]
struct Before {
    draft: String,
    shown_seq: u64,
    attention: Attention,
}

/// Holds a session with a draft in its input until the user leaves it.
async fn hold(
    host: &CommandHost,
    request: ChatRequest,
    (before, layout): (Before, Layout),
    keyboard: &mut Keyboard,
) -> Result<Ended> {
    // A session that goes on keeps its own.
    if request.resumed.is_none() {
        host.check_agent().await?;
    }
    let (session, profile) = open_session(host, &request).await?;
    let start = Start {
        session: session.clone(),
        profile,
        history: request.history,
        drafts: host.drafts(),
        draft: before.draft,
        shown_seq: before.shown_seq,
        attention: before.attention,
        layout,
        keys: host.keys()?,
        editing: host.editing(),
        theme: theme(host.tui()),
        mouse: match host.tui().mouse {
            true => Mouse::Ui,
            false => Mouse::Terminal,
        },
        facts: host.facts()?,
    };
    let notes = Seen::now(&request.workspace);
    let serving = Serving {
        host,
        workspace: request.workspace,
        changes: request.changes,
        captures: request.captures,
        notes: Cell::new(Some(notes)),
    };
    let ended = Box::pin(tui::run(&serving, start, keyboard)).await;
    let left = ended.as_ref().map_or(&session, |ended| &ended.session);
    let (session_id, holder_id) = held(left)?;
    let closed = host.sessions().close(session_id, holder_id).await;
    let ended = ended.or_fail()?;
    match closed {
        // What is gone needs no closing.
        Err(_) if goes_on(&ended) || host.is_gone().await => Ok(ended),
        closed => closed.or_fail().map(|()| ended),
    }
}
