//! `carl chat`: a conversation, line by line.

use super::Setting;
use super::onlooker::{Onlooker, Printer, Waiting};
use crate::cli::{ModeArg, SessionFlags};
use crate::drive::{View, drive, follow};
use crate::exit::{Exit, Failure, OrFail, describe, not_opened};
use crate::render::terminal::{Answer, Terminal};
use crate::render::{Paint, links, override_warning, print_error};
use crate::signals::Signals;
use crate::wiring::House;
use anyhow::{Context, Result};
use api::sessions::{Follow, OpenRequest, SendRequest, SessionSummary};
use clap::ValueEnum;
use domain::event::{Event, EventBody};
use domain::settings::{Attendance, Mode, SessionProfile};
use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, ExternalPrinter};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Which session a chat continues.
#[derive(Debug, Clone)]
pub enum Begin {
    /// A fresh one.
    New,
    /// The one whose id begins so; empty: the newest of this folder.
    Resume(String),
}

const HELP: &str = "\
/mode loop|plan|deterministic|bridge|auto   how requests are worked on; auto goes on by itself
/quit                                  leave (also Ctrl-D)
Ctrl-C stops what is running. Everything else is said to the agent.";

/// Holds the conversation until the user leaves.
///
/// # Errors
/// When it could not begin, or the terminal cannot be used.
pub async fn chat(flags: SessionFlags, begin: Begin) -> Result<Exit> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "a chat needs a terminal",
            "For scripts use: carl run \"…\" (add --json for one JSON object).",
        )
        .into());
    }
    let mut flags = flags;
    let mut setting = Setting::read(&flags)?;
    let resumed = match begin {
        Begin::New => None,
        Begin::Resume(part) => Some(super::session::named(&setting, &part).await?),
    };
    if let Some(found) = resumed
        .as_ref()
        .filter(|_| flags.ceiling.workspace.is_none())
    {
        flags.ceiling.workspace = Some(found.workspace.clone());
        setting = Setting::read(&flags)?;
    }
    let profile = setting.profile(&flags, Attendance::Attended)?;
    let mut house = House::open(&setting, &flags).await?;
    house.share(&setting).await;
    house.remembrance.open_ahead();
    let outcome = hold(&house, resumed, profile, &setting).await;
    house.close(outcome).await
}

/// Holds one chat, from the greeting to the closed session.
async fn hold(
    house: &House,
    resumed: Option<SessionSummary>,
    profile: SessionProfile,
    setting: &Setting,
) -> Result<Exit> {
    let request = match resumed {
        None => OpenRequest::New(profile.clone()),
        Some(found) => OpenRequest::Resume {
            session_id: found.session_id,
            profile: Some(profile.clone()),
        },
    };
    let opened = house.sessions.open(request).await;
    let session = opened.map_err(|error| not_opened(&error))?;
    greet(&session, &profile, setting)?;
    let outcome = converse(house, &session, profile, setting).await;
    house.sessions.close(session.session_id).await.or_fail()?;
    outcome
}

fn greet(session: &SessionSummary, profile: &SessionProfile, setting: &Setting) -> Result<()> {
    let paint = Paint::for_stream(&io::stderr());
    let id = session.session_id;
    let folder = setting.workspace.display();
    let mut text = format!(
        "{} {} in {folder}, session {id}\n{}\n",
        paint.strong("carl"),
        profile.agent_type,
        paint.faint("/help lists the commands; Ctrl-D leaves")
    );
    if profile.settings.allow_write.contains(&setting.workspace) {
        let note = "this folder is open for writing (remembered, or by --allow-write)";
        text.push_str(&format!("{}\n", paint.faint(note)));
    }
    if let Some(warning) = override_warning(profile.settings.override_level) {
        text.push_str(&format!("{}\n", paint.bad(&warning)));
    }
    Ok(print_error(&text)?)
}

async fn converse(
    house: &House,
    session: &SessionSummary,
    mut profile: SessionProfile,
    setting: &Setting,
) -> Result<Exit> {
    let history = setting.paths.state.join("chat_history");
    let mut editor = DefaultEditor::new().context("the terminal cannot be edited on")?;
    // No history yet is the ordinary case at the first start.
    let _absent = editor.load_history(&history);
    let mut view = ChatView::new(house, session).await;
    let mut onlooker = None;
    loop {
        follow_mode((house, session), &profile, &mut editor, &mut onlooker).await?;
        let (line, back) = read_line(editor).await?;
        editor = back;
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                if onlooker.is_some() {
                    let stopped = house.sessions.interrupt(session.session_id).await;
                    stopped.or_fail()?;
                }
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error).context("the terminal cannot be read"),
        };
        match line.trim() {
            "" => {
                let waiting = onlooker.as_ref().and_then(Onlooker::waiting);
                if let (Some(onlooker), Some(waiting)) = (&onlooker, waiting) {
                    onlooker.look_away(true);
                    answer(house, session, waiting, setting, &mut view).await?;
                    onlooker.look_away(false);
                }
            }
            "/quit" | "/exit" => break,
            "/help" => print_error(&format!("{HELP}\n"))?,
            command if command.starts_with('/') => {
                let mode = slash(command, profile.mode)?;
                switch(house, session, &mut profile, mode).await?;
            }
            text => {
                editor
                    .add_history_entry(text)
                    .context("the input history is full")?;
                let send = SendRequest {
                    session_id: session.session_id,
                    text: text.to_owned(),
                    mode: Some(profile.mode),
                };
                if let Some(onlooker) = &onlooker {
                    onlooker.look_away(true);
                }
                say(house, send, setting, &mut view).await?;
                if let Some(onlooker) = &onlooker {
                    onlooker.look_away(false);
                }
            }
        }
    }
    editor
        .save_history(&history)
        .context("the input history cannot be saved")?;
    Ok(Exit::Success)
}

/// Takes the mode for what is said next; the session is told when the drive begins or ends.
async fn switch(
    house: &House,
    session: &SessionSummary,
    profile: &mut SessionProfile,
    mode: Mode,
) -> Result<()> {
    let was_auto = profile.mode == Mode::Auto;
    profile.mode = mode;
    if was_auto != (mode == Mode::Auto) {
        let id = session.session_id;
        let told = house.sessions.configure(id, profile.clone()).await;
        told.or_fail()?;
    }
    Ok(())
}

/// Has what the drive does shown above the prompt, in auto mode.
async fn follow_mode(
    (house, session): (&House, &SessionSummary),
    profile: &SessionProfile,
    editor: &mut DefaultEditor,
    onlooker: &mut Option<Onlooker>,
) -> Result<()> {
    match (profile.mode, &onlooker) {
        (Mode::Auto, None) => {
            let printer: Printer = match editor.create_external_printer() {
                Ok(mut printer) => Box::new(move |line| printer.print(line).is_ok()),
                // Standard output is no terminal: the prompt is not drawn again, but nothing is lost.
                Err(_elsewhere) => Box::new(|line| print_error(&line).is_ok()),
            };
            let sessions = house.sessions.as_ref();
            *onlooker = Some(Onlooker::begin(sessions, session.session_id, printer).await?);
        }
        (Mode::Auto, Some(_)) => {}
        _ => *onlooker = None,
    }
    Ok(())
}

/// Shows the drive's request that asks, from its question to its end.
async fn answer(
    house: &House,
    session: &SessionSummary,
    waiting: Waiting,
    setting: &Setting,
    view: &mut ChatView,
) -> Result<()> {
    let sessions = house.sessions.as_ref();
    let id = session.session_id;
    let events = sessions.attach(id, waiting.seq, Follow::Live).await;
    let asker = setting.asker(Attendance::Attended, house);
    let ended = |event: &Event| match &event.body {
        EventBody::QueryFinished { status, .. } if event.query_id == Some(waiting.query_id) => {
            Some(*status)
        }
        _ => None,
    };
    let place = (sessions, id, &asker);
    let mut signals = Signals::ctrl_c()?;
    follow(place, events.or_fail()?, view, &mut signals, ended).await?;
    Ok(())
}

/// Reads on a thread of its own: the editor blocks.
async fn read_line(
    mut editor: DefaultEditor,
) -> Result<(Result<String, ReadlineError>, DefaultEditor)> {
    tokio::task::spawn_blocking(move || (editor.readline("> "), editor))
        .await
        .context("the terminal could not be read")
}

fn slash(command: &str, mode: Mode) -> Result<Mode> {
    let chosen = command.strip_prefix("/mode").map(str::trim);
    match chosen.map(|name| ModeArg::from_str(name, true)) {
        Some(Ok(chosen)) => {
            let chosen = Mode::from(chosen);
            print_error(&format!("mode: {}\n", chosen.as_str()))?;
            Ok(chosen)
        }
        Some(Err(_unknown)) => {
            print_error("modes: loop, plan, deterministic, bridge, auto\n")?;
            Ok(mode)
        }
        None => {
            print_error(&format!("unknown command {command}; /help lists them\n"))?;
            Ok(mode)
        }
    }
}

/// One exchange. An error ends the exchange, not the chat.
async fn say(
    house: &House,
    send: SendRequest,
    setting: &Setting,
    view: &mut ChatView,
) -> Result<()> {
    let paint = Paint::for_stream(&io::stderr());
    if let Err(error) = drive(
        house.sessions.as_ref(),
        send,
        &setting.asker(Attendance::Attended, house),
        view,
        &mut Signals::ctrl_c()?,
    )
    .await
    {
        let (_, fault) = describe(&error);
        view.terminal
            .line(&format!("{} {}", paint.bad("error:"), fault.message))?;
        if !fault.hint.is_empty() {
            view.terminal.line(&format!("  {}", fault.hint))?;
        }
    }
    Ok(())
}

struct ChatView {
    terminal: Terminal,
}

impl ChatView {
    async fn new(house: &House, session: &SessionSummary) -> Self {
        let answer = if io::stdout().is_terminal() {
            Answer::Streamed
        } else {
            Answer::AtEnd
        };
        let paint = Paint::for_stream(&io::stderr());
        let known = links::past(house.sessions.as_ref(), session.session_id).await;
        Self {
            terminal: Terminal::new(paint, answer, known),
        }
    }
}

impl View for ChatView {
    fn show(&mut self, event: &Event) -> Result<()> {
        Ok(self.terminal.draw(event)?)
    }

    fn tick(&mut self) {
        self.terminal.tick();
    }

    fn patience(&self) -> Duration {
        self.terminal.patience()
    }

    fn remark(&mut self, text: &str) -> Result<()> {
        Ok(self.terminal.line(&text::escape::visible(text))?)
    }
}
