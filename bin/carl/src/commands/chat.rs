//! `carl chat`: a conversation, line by line.

mod acts;
mod handover;
mod left_over;
mod line;
pub mod slash;
mod taking_back;
mod view;

use crate::asker::asker;

use super::{Setting, notes};
use crate::cli::SessionFlags;
use crate::profile;
use crate::terms::By;
use crate::wiring::House;
use acts::Next;
use anyhow::Result;
use api::Streaming;
use api::sessions::{Error, Follow, OpenRequest, SendRequest, SessionSummary};
use domain::event::{Event, EventBody, QueryStatus};
use domain::settings::{Attendance, Mode, OverrideLevel, SessionProfile};
use futures::StreamExt;
use handover::is_let_go;
use line::{Line, Typed};
use slash::Slash;
use std::io::{self, IsTerminal};
use terminal::exit::{Exit, Failure, OrFail, describe, not_opened};
use terminal::pictures;
use terminal::render::{Paint, override_warning, print_error};
use terminal::request::{Keyboard, Meanwhile, View, follow, work_on};
use terminal::sessions;
use terminal::signals::Signals;
use terminal::watcher::SessionWatcher;
use view::ChatView;

/// What is said of a line in another encoding.
const NOT_TEXT: &str =
    "left out: that line is not UTF-8. Type it again, or set the terminal to UTF-8.";

/// Which session a chat continues.
#[derive(Debug, Clone)]
pub enum Begin {
    /// A fresh one.
    New,
    /// The one whose id begins so; empty: the newest of this folder.
    Resume(String),
}

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
    let house = House::open(&setting, &flags, By::Chat).await?;
    house.remembrance.open_ahead();
    let wanted = (profile, &flags);
    match open(&house, resumed, wanted, &setting).await {
        Err(error) => house.close(Err(error)).await,
        Ok((session, profile)) => {
            let chat = Chat {
                view: ChatView::new(house.sessions.as_ref(), &session, &profile).await,
                house,
                setting: &setting,
                flags: &flags,
                session,
                profile,
                once: None,
                watcher: None,
            };
            chat.hold().await
        }
    }
}

/// Opens the session and greets.
async fn open(
    house: &House,
    resumed: Option<SessionSummary>,
    wanted: (SessionProfile, &SessionFlags),
    setting: &Setting,
) -> Result<(SessionSummary, SessionProfile)> {
    let (mut profile, flags) = wanted;
    let request = match resumed {
        None => OpenRequest::New(profile.clone()),
        Some(found) => {
            let id = found.session_id;
            let own = sessions::own_profile(house.sessions.as_ref(), id).await?;
            profile = profile::continued(profile, flags, own);
            OpenRequest::Resume {
                session_id: id,
                profile: Some(profile.clone()),
            }
        }
    };
    notes::ask_about(setting, house, &profile).await?;
    let opened = house.sessions.open(request).await;
    let mut session = opened.map_err(|error| not_opened(&error))?;
    // What the drive said while the session was opened is yet to be shown.
    let sessions = house.sessions.as_ref();
    let view = sessions::view_of(sessions, session.session_id).await?;
    session.last_seq = view.profile_seq();
    greet(&session, &profile, setting)?;
    Ok((session, profile))
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

/// A chat under way.
struct Chat<'a> {
    house: House,
    setting: &'a Setting,
    flags: &'a SessionFlags,
    session: SessionSummary,
    /// What the session is opened with now.
    profile: SessionProfile,
    view: ChatView,
    /// How far the next message overrides the guard, where it does otherwise than the chat.
    once: Option<OverrideLevel>,
    /// Shows what the drive does while the prompt waits.
    watcher: Option<SessionWatcher>,
}

impl Chat<'_> {
    /// Holds the conversation to its end, and ends what was opened for it.
    async fn hold(mut self) -> Result<Exit> {
        let outcome = self.converse().await;
        let closed = self.close(&self.session).await;
        let exit = match (outcome, closed) {
            // What is gone needs no closing.
            (Ok(exit), Err(error)) if is_let_go(&error) || self.house.is_gone().await => Ok(exit),
            (Ok(exit), closed) => closed.map(|()| exit),
            (Err(error), _) => Err(error),
        };
        self.house.close(exit).await
    }

    async fn converse(&mut self) -> Result<Exit> {
        let mut line = Line::new(self.setting.paths.state.join("chat_history"))?;
        let seen = self.see_what_was_left().await;
        self.or_complain(seen)?;
        loop {
            let following = self.follow_mode(&line).await;
            self.or_complain(following)?;
            let typed = match self.view.next_queued()? {
                Some(typed) => typed,
                None => self.read(&mut line).await?,
            };
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
                Typed::End => break,
            };
            let typed = typed.trim();
            self.shows_itself(true);
            if !typed.is_empty() {
                line.keep(typed)?;
            }
            let shown_seq = self.view.last_seq;
            match self.take(typed).await {
                Ok(Next::Stay) => {}
                Ok(Next::Leave) => break,
                Err(error) => self.complain_of(&error, (typed, shown_seq)).await?,
            }
            self.shows_itself(false);
        }
        self.view.tell_unheard()?;
        line.save()?;
        Ok(Exit::Success)
    }

    /// The next line from the prompt. What serves the chat may go while it waits.
    async fn read(&mut self, line: &mut Line) -> Result<Typed> {
        let printer = line.printer();
        let begun = self.view.take_begun();
        let mut reading = std::pin::pin!(line.read(&begun));
        loop {
            let Some(watcher) = &mut self.watcher else {
                return reading.await;
            };
            tokio::select! {
                typed = &mut reading => return typed,
                () = watcher.wait_closed() => self.look_again(&printer).await,
            }
        }
    }

    /// Does what a line asks for, after what happened since the last one was shown.
    ///
    /// # Errors
    /// When it cannot be done; the chat goes on.
    async fn take(&mut self, typed: &str) -> Result<Next> {
        self.be_served().await?;
        let caught_up = self.catch_up().await;
        let command = match slash::is_command(typed) {
            true => Some(slash::parse(typed)?),
            false => None,
        };
        // These get the user out of a session that cannot be read any more.
        if !matches!(command, Some(Slash::Quit | Slash::New | Slash::Help)) {
            caught_up?;
        }
        match command {
            Some(slash) => return self.act(slash).await,
            None if typed.is_empty() => self.answer_the_drive().await?,
            None => self.say(typed).await?,
        }
        Ok(Next::Stay)
    }

    /// One exchange, by an override of its own where there is one.
    async fn say(&mut self, text: &str) -> Result<()> {
        let Some(level) = self.once.take() else {
            return self.exchange(text).await;
        };
        let own = self.profile.clone();
        let mut wide = own.clone();
        wide.settings.override_level = level;
        self.configure(wide).await?;
        let said = self.exchange(text).await;
        // Whatever came of it: nothing else goes by that override.
        self.profile = own.clone();
        self.configure(own).await?;
        self.tell("the override is over")?;
        said
    }

    async fn exchange(&mut self, text: &str) -> Result<()> {
        if let Some(said) = pictures::not_sent(text, &self.setting.workspace) {
            self.view.remark(&said)?;
        }
        let send = SendRequest {
            mode: Some(self.profile.mode),
            holder_id: self.session.holder_id,
            pictures: pictures::named_in(text, &self.setting.workspace)?,
            ..SendRequest::new(self.session.session_id, text)
        };
        self.work_on(send).await?;
        Ok(())
    }

    /// Has the session work on a request, and keeps what is typed meanwhile.
    async fn work_on(&mut self, send: SendRequest) -> Result<QueryStatus> {
        let asker = asker(self.setting, Attendance::Attended, &self.house.audit);
        let sessions = self.house.sessions.as_ref();
        let mut meanwhile = listening()?;
        let worked = work_on(sessions, send, &asker, &mut self.view, &mut meanwhile).await;
        self.view.keep(meanwhile).await?;
        worked
    }

    /// Has what the drive does shown above the prompt, in auto mode.
    async fn follow_mode(&mut self, line: &Line) -> Result<()> {
        match (self.profile.mode, &self.watcher) {
            (Mode::Auto, None) => {
                let printer = line.printer();
                let shown = self.view.last_seq;
                self.watcher = Some(self.look(&printer, shown).await?);
            }
            (Mode::Auto, Some(_)) => {}
            _ => self.watcher = None,
        }
        self.view.told = self.watcher.as_ref().map(SessionWatcher::shown_elsewhere);
        Ok(())
    }

    /// Whether the chat itself shows what happens for now.
    fn shows_itself(&self, itself: bool) {
        if let Some(watcher) = &self.watcher {
            watcher.pause(itself);
        }
    }

    /// Ctrl-C at the prompt: stops what the drive does.
    async fn stop_the_drive(&self) -> Result<()> {
        if self.watcher.is_some() {
            let id = self.session.session_id;
            self.house.sessions.interrupt(id, None).await.or_fail()?;
        }
        Ok(())
    }

    /// Shows the drive's request that asks, if one does, from its question to its end.
    async fn answer_the_drive(&mut self) -> Result<()> {
        let Some(waiting) = self.watcher.as_ref().and_then(SessionWatcher::waiting) else {
            return Ok(());
        };
        let sessions = self.house.sessions.as_ref();
        let id = self.session.session_id;
        let events = sessions.attach(id, waiting.seq, Follow::Live).await;
        let asker = asker(self.setting, Attendance::Attended, &self.house.audit);
        let ended = |event: &Event| match &event.body {
            EventBody::QueryFinished { status, .. } if event.query_id == Some(waiting.query_id) => {
                Some(*status)
            }
            _ => None,
        };
        let place = (sessions, id, &asker);
        let mut meanwhile = listening()?;
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

    /// What came after what was shown.
    async fn unseen(&self) -> Result<Streaming<Event, Error>> {
        let (id, next) = (self.session.session_id, self.view.last_seq + 1);
        let events = self.house.sessions.attach(id, next, Follow::ToEnd).await;
        events.or_fail()
    }

    /// Shows what has not been shown yet.
    async fn show_new(&mut self) -> Result<()> {
        let mut events = self.unseen().await?;
        while let Some(event) = events.next().await {
            self.view.show(&event.or_fail()?)?;
        }
        Ok(())
    }

    /// Says what went wrong. It ends the exchange or the command, not the chat.
    fn complain(&mut self, error: &anyhow::Error) -> Result<()> {
        let paint = Paint::for_stream(&io::stderr());
        let (_, fault) = describe(error);
        let terminal = &mut self.view.terminal;
        terminal.line(&format!("{} {}", paint.bad("error:"), fault.message))?;
        let id = self.session.session_id;
        let hint = match fault.hint.as_str() {
            "" => format!(
                "The chat goes on; what was said is kept. Try again, or leave with Ctrl-D and go \
                 on with `carl session resume {id}`."
            ),
            hint => hint.to_owned(),
        };
        terminal.line(&format!("  {hint}"))?;
        Ok(())
    }

    fn or_complain(&mut self, done: Result<()>) -> Result<()> {
        match done {
            Ok(()) => Ok(()),
            Err(error) => self.complain(&error),
        }
    }
}

/// What can be done at the terminal while a request runs.
fn listening() -> Result<Meanwhile> {
    Ok(Meanwhile {
        signals: Signals::ctrl_c()?,
        keyboard: Some(Keyboard::default()),
    })
}
