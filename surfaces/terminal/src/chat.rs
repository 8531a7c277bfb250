//! `carl chat`: a conversation, line by line.

mod commands;
mod completion;
mod conversation;
mod handover;
mod leaving;
mod line;
mod unfinished;
mod view;

use crate::exit::{Exit, Failure, OrFail, not_opened};
use crate::host::Host;
use crate::notes::{Seen, ask_about};
use crate::profile::RequestedProfile;
use crate::request::{View, follow};
use crate::sessions;
use crate::signals::{Caught, Signals, Termination};
use crate::undo::FileHistory;
use crate::watcher::SessionWatcher;
use anyhow::Result;
use api::sessions::{Follow, OpenRequest, SessionSummary};
use commands::Next;
use conversation::{Chat, listening};
use domain::event::{Event, EventBody};
use domain::settings::{Mode, SessionProfile};
use futures::StreamExt;
use handover::is_let_go;
use line::{Before, Line, Typed};
use rendering::slash::{self, Slash, mode_in_words};
use rendering::{Paint, override_warning, print_error};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use text::escape::visible_line;
use view::ChatView;

/// What is said of a line in another encoding.
const NOT_RUN: &str =
    "not run: that line came while something else ran; type it again at the prompt to run it";
const NOT_TEXT: &str =
    "left out: that line is not UTF-8. Type it again, or set the terminal to UTF-8.";

/// What a chat begins with.
#[derive(Debug)]
pub struct ChatRequest {
    /// The session that it continues; `None` for a fresh one.
    pub resumed: Option<SessionSummary>,
    /// How the session is to be held.
    pub profile: RequestedProfile,
    /// The folder that it is held in.
    pub workspace: PathBuf,
    /// The file of the lines that were typed before.
    pub history: PathBuf,
    /// Whether answers are remembered.
    pub captures: bool,
    /// What can be taken back of the files.
    pub changes: Box<dyn FileHistory>,
}

/// Refuses a chat where nobody can type.
///
/// # Errors
/// A usage failure when standard input is no terminal.
pub fn check_terminal() -> Result<()> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    Err(Failure::usage(
        "a chat needs a terminal",
        "For scripts use: carl run \"…\" (add --json for one JSON object).",
    )
    .into())
}

/// Holds the conversation until the user leaves.
///
/// # Errors
/// When it could not begin, or the terminal cannot be used.
pub async fn chat(host: &mut dyn Host, request: ChatRequest) -> Result<Exit> {
    let (session, profile) = open(host, &request).await?;
    let termination = Termination::watch()?;
    let chat = Chat {
        view: ChatView::new(host.sessions(), &session, &profile).await,
        host,
        notes: Seen::now(&request.workspace),
        workspace: request.workspace,
        captures: request.captures,
        changes: request.changes,
        session,
        profile,
        once: None,
        is_leaving: false,
        watcher: None,
        asks_again: None,
        entered: None,
        termination,
    };
    chat.hold(request.history).await
}

/// Opens the session and greets.
async fn open(host: &dyn Host, request: &ChatRequest) -> Result<(SessionSummary, SessionProfile)> {
    let (session, profile) = open_session(host, request).await?;
    let usual = request.profile.profile.mode;
    greet(&session, &profile, (&request.workspace, usual))?;
    Ok((session, profile))
}

/// Opens the session of a chat, after the questions about notes of its project; its `last_seq` is the
/// last event that is known to whoever shows it.
///
/// # Errors
/// When it cannot be opened, or the terminal cannot be used for the questions.
pub async fn open_session(
    host: &dyn Host,
    request: &ChatRequest,
) -> Result<(SessionSummary, SessionProfile)> {
    let sessions = host.sessions();
    let (opening, profile) = match &request.resumed {
        None => {
            let profile = request.profile.profile.clone();
            (OpenRequest::New(profile.clone()), profile)
        }
        Some(found) => {
            let id = found.session_id;
            let own = sessions::own_profile(sessions, id).await?;
            let profile = request.profile.continuing(own);
            let opening = OpenRequest::Resume {
                session_id: id,
                profile: Some(profile.clone()),
            };
            (opening, profile)
        }
    };
    ask_about(host, &profile).await?;
    let opened = sessions.open(opening).await;
    let mut session = opened.map_err(|error| not_opened(&error))?;
    let view = sessions::view_of(sessions, session.session_id).await?;
    session.last_seq = match session.holders > 1 {
        // What was said there was shown there; what is under way is shown here too.
        true => {
            let open = view.open_requests().map(|one| one.received_seq);
            open.min().unwrap_or(view.last_seq())
        }
        // What the drive said while the session was opened is yet to be shown.
        false => view.profile_seq(),
    };
    Ok((session, profile))
}

/// Says where the chat is, and what of its settings is not as usual: `usual` is the mode of a session
/// that begins now.
fn greet(
    session: &SessionSummary,
    profile: &SessionProfile,
    (workspace, usual): (&Path, Mode),
) -> Result<()> {
    let paint = Paint::for_stream(&io::stderr());
    let id = session.session_id;
    let folder = visible_line(&workspace.to_string_lossy());
    let carl = paint.strong("carl");
    let head = format!("{carl} {} in {folder}, session {id}\n", profile.agent_type);
    let help = paint.faint("/help lists the commands; Ctrl-D leaves");
    let mut text = format!("{head}{help}\n");
    if profile.mode != usual {
        text.push_str(&format!("{}\n", paint.faint(&mode_in_words(profile.mode))));
    }
    if session.holders > 1 {
        let note = "open in another window as well: requests of both are worked on one by one";
        text.push_str(&format!("{}\n", paint.faint(note)));
    }
    if profile.settings.allow_write.contains(workspace) {
        let note = "this folder is open for writing (remembered, or by --allow-write)";
        text.push_str(&format!("{}\n", paint.faint(note)));
    }
    if let Some(warning) = override_warning(profile.settings.override_level) {
        text.push_str(&format!("{}\n", paint.bad(&warning)));
    }
    Ok(print_error(&text)?)
}

impl Chat<'_> {
    /// Holds the conversation to its end, and closes its session.
    async fn hold(mut self, history: PathBuf) -> Result<Exit> {
        let before = Before::now();
        let patience = self.termination.waited_for();
        let outcome = tokio::select! {
            outcome = self.converse(history) => outcome,
            () = patience => Ok(Exit::Success),
        };
        let closed = self.close(&self.session).await;
        if self.termination.has_come() {
            // A line may have begun to be read just as it came.
            before.set_back();
        }
        match (outcome, closed) {
            // What is gone needs no closing.
            (Ok(exit), Err(error)) if is_let_go(&error) || self.host.is_gone().await => Ok(exit),
            (Ok(exit), closed) => closed.map(|()| exit),
            (Err(error), _) => Err(error),
        }
    }

    async fn converse(&mut self, history: PathBuf) -> Result<Exit> {
        let mut line = Line::new(history, self.workspace.clone())?;
        let seen = self.see_what_was_left().await;
        self.or_complain(seen)?;
        loop {
            let watching = self.watch(&line).await;
            self.or_complain(watching)?;
            let typed = self.next(&mut line).await?;
            let typed = match typed {
                Typed::Line(typed) => typed,
                Typed::Nothing => {
                    let stopped = self.stop_the_drive().await;
                    self.or_complain(stopped)?;
                    continue;
                }
                Typed::NotText => {
                    self.tell(NOT_TEXT)?;
                    continue;
                }
                Typed::End => match self.leaves().await? {
                    true => break,
                    false => continue,
                },
                Typed::Gone => break,
                Typed::Terminated => {
                    self.tell_of_termination().await;
                    break;
                }
            };
            let typed = typed.trim();
            self.shows_itself(true);
            if !typed.is_empty() {
                line.keep(typed)?;
            }
            let shown_seq = self.view.last_seq;
            match self.take(typed).await {
                Ok(Next::Stay) => self.is_leaving = false,
                Ok(Next::Leave) => {
                    if self.leaves().await? {
                        break;
                    }
                }
                Err(error) => self.complain_of(&error, (typed, shown_seq)).await?,
            }
            self.shows_itself(false);
        }
        self.view.tell_unheard()?;
        line.save()?;
        Ok(Exit::Success)
    }

    /// What is next: an end that was asked for, what waits, or what is typed.
    async fn next(&mut self, line: &mut Line) -> Result<Typed> {
        if self.termination.has_come() {
            return Ok(Typed::Terminated);
        }
        while let Some(typed) = self.view.next_queued()? {
            // It may be a line of a text that was pasted, and nobody saw it before it was taken in.
            match &typed {
                Typed::Line(line) if self.runs(line.trim()) => self.tell(NOT_RUN)?,
                _ => return Ok(typed),
            }
        }
        loop {
            let typed = self.read(line).await?;
            if self
                .watcher
                .as_ref()
                .is_some_and(SessionWatcher::has_closed)
            {
                self.view.question_closed();
            }
            match typed {
                Typed::Line(late) if self.view.is_late_answer(&late)? => {}
                typed => return Ok(typed),
            }
        }
    }

    /// The next line from the prompt. What serves the chat may go while it waits.
    async fn read(&mut self, line: &mut Line) -> Result<Typed> {
        let printer = line.printer();
        let begun = self.view.take_begun();
        let mut signals = Signals::of_chat(&self.termination)?;
        let before = Before::now();
        let mut reading = std::pin::pin!(line.read(&begun));
        loop {
            let closed = async {
                match &mut self.watcher {
                    Some(watcher) => watcher.wait_closed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                typed = &mut reading => {
                    self.entered = Some(signals);
                    return typed;
                }
                ending = signals.ending() => {
                    before.set_back();
                    // What stands at the prompt stays there; a terminal that is gone shows nothing.
                    let _gone = print_error("\n");
                    return Ok(match ending {
                        Caught::HangUp => Typed::Gone,
                        _ => Typed::Terminated,
                    });
                }
                () = closed => self.look_again(&printer).await,
            }
        }
    }

    /// Does what a line asks for, after what happened since the last one was shown.
    ///
    /// # Errors
    /// When it cannot be done; the chat goes on.
    async fn take(&mut self, typed: &str) -> Result<Next> {
        self.asks_again = None;
        let command = match slash::is_command(typed) {
            true => Some(slash::parse(typed, &[]).map_err(Failure::of_usage)?),
            false => None,
        };
        match self.be_served().await {
            Ok(()) => {
                let caught_up = self.catch_up().await;
                // These get the user out of a session that cannot be read any more.
                if !matches!(command, Some(Slash::Quit | Slash::New | Slash::Help)) {
                    caught_up?;
                }
            }
            // Whoever may not serve this chat is asked for nothing.
            Err(refused) if !matches!(command, Some(Slash::Quit | Slash::Help)) => {
                return Err(refused);
            }
            Err(_) => {}
        }
        match command {
            Some(slash) => return self.act(slash).await,
            None if typed.is_empty() => self.answer_the_drive().await?,
            None if self.runs(typed) => self.execute(typed).await?,
            None => self.say(typed).await?,
        }
        Ok(Next::Stay)
    }

    /// Ctrl-C at the prompt: stops what the drive does. What another window asks is not this one's.
    async fn stop_the_drive(&self) -> Result<()> {
        if self.profile.mode == Mode::Auto {
            let id = self.session.session_id;
            self.host.sessions().interrupt(id, None).await.or_fail()?;
        }
        Ok(())
    }

    /// Shows the drive's request that asks, if one does, from its question to its end.
    async fn answer_the_drive(&mut self) -> Result<()> {
        let Some(waiting) = self.watcher.as_ref().and_then(SessionWatcher::waiting) else {
            return Ok(());
        };
        let sessions = self.host.sessions();
        let id = self.session.session_id;
        let events = sessions.attach(id, waiting.seq, Follow::Live).await;
        let asker = self.host.asker();
        let ended = |event: &Event| match &event.body {
            EventBody::QueryFinished { status, .. } if event.query_id == Some(waiting.query_id) => {
                Some(*status)
            }
            _ => None,
        };
        let place = (sessions, id, &asker);
        let mut meanwhile = listening(self.entered.take(), &self.termination)?;
        let view = &mut self.view;
        let followed = follow(place, events.or_fail()?, view, &mut meanwhile, ended).await;
        self.view.keep(meanwhile).await?;
        followed.map(drop)
    }

    /// Shows what happened since the last line, unless it was shown as it did: other surfaces may
    /// work in the session as well.
    async fn catch_up(&mut self) -> Result<()> {
        if self.watcher.is_none() {
            return self.show_new().await;
        }
        let mut events = self.unseen().await?;
        while let Some(event) = events.next().await {
            self.view.last_seq = event.or_fail()?.seq;
        }
        Ok(())
    }
}
