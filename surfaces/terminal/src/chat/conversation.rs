//! A chat under way: what is said in it, and how it is shown.

use super::line::{Line, is_edited};
use super::view::ChatView;
use crate::conversation::Conversation;
use crate::exit::{OrFail, describe};
use crate::host::Host;
use crate::mentions;
use crate::notes::{Seen, ask_about};
use crate::pictures;
use crate::printer::SharedPrinter;
use crate::request::{Keyboard, Meanwhile, View, work_on};
use crate::sessions;
use crate::signals::{Signals, Termination};
use crate::undo::FileHistory;
use crate::watcher::SessionWatcher;
use crate::yes_or_no::is_yes_unless_stopped;
use anyhow::Result;
use api::Streaming;
use api::sessions::{Error, Follow, PictureFile, SendRequest, SessionSummary};
use async_trait::async_trait;
use domain::event::{Event, EventBody, QueryStatus};
use domain::settings::{Attendance, Mode, OverrideLevel, SessionProfile};
use futures::StreamExt;
use rendering::slash::is_for_shell;
use rendering::{Paint, print_error_as_it_is};
use session::SessionView;
use std::io;
use std::path::{Path, PathBuf};
use text::escape::{visible_line, visible_lines};

/// A chat under way.
pub(super) struct Chat<'a> {
    pub(super) host: &'a mut dyn Host,
    /// The folder that it is held in.
    pub(super) workspace: PathBuf,
    /// Whether answers are remembered.
    pub(super) captures: bool,
    /// The versions of the project's notes that the session was opened with.
    pub(super) notes: Seen,
    /// What can be taken back of the files.
    pub(super) changes: Box<dyn FileHistory>,
    pub(super) session: SessionSummary,
    /// What the session is opened with now.
    pub(super) profile: SessionProfile,
    pub(super) view: ChatView,
    /// How far the next message overrides the guard, where it does otherwise than the chat.
    pub(super) once: Option<OverrideLevel>,
    /// Whether the user was just told what would end if they leave.
    pub(super) is_leaving: bool,
    /// Shows what the drive and other windows do while the prompt waits.
    pub(super) watcher: Option<SessionWatcher>,
    /// What /retry asks again, from when it has taken it back until the next line.
    pub(super) asks_again: Option<String>,
    /// The signals since the last line was entered, until a request is worked on.
    pub(super) entered: Option<Signals>,
    /// Whether the chat is asked to end by SIGTERM.
    pub(super) termination: Termination,
}

impl Chat<'_> {
    /// A line of the chat's own, on standard error.
    pub(super) fn tell(&mut self, text: &str) -> Result<()> {
        Ok(self.view.terminal.lines(text)?)
    }

    /// Every event of the session so far.
    pub(super) async fn events(&self) -> Result<Vec<Event>> {
        sessions::events_of(
            self.host.sessions(),
            self.session.session_id,
            Follow::Outline,
        )
        .await
    }

    /// What the session has come to so far.
    pub(super) async fn so_far(&self) -> Result<SessionView> {
        sessions::view_of(self.host.sessions(), self.session.session_id).await
    }

    /// Leaves a session.
    pub(super) async fn close(&self, session: &SessionSummary) -> Result<()> {
        let (session_id, holder_id) = sessions::held(session)?;
        let closing = self.host.sessions().close(session_id, holder_id);
        closing.await.or_fail()
    }

    pub(super) async fn configure(&mut self, profile: SessionProfile) -> Result<()> {
        ask_about(self.host, &profile).await?;
        let (id, holder_id) = sessions::held(&self.session)?;
        let sessions = &self.host.sessions();
        // Before the log says so, or it would pass for somebody else's.
        self.view.own(&profile);
        let configuring = sessions.configure(id, holder_id, profile.clone());
        configuring.await.or_fail()?;
        self.notes = Seen::now(&self.workspace);
        self.profile = profile;
        Ok(())
    }

    /// One exchange, by an override of its own where there is one.
    pub(super) async fn say(&mut self, text: &str) -> Result<()> {
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

    pub(super) async fn exchange(&mut self, text: &str) -> Result<()> {
        if let Some(said) = self.notes.change(self.host, &self.profile).await? {
            self.tell(&said)?;
        }
        if let Some(said) = pictures::missing(text, &self.workspace) {
            self.view.remark(&said)?;
        }
        let named = mentions::memories(self.host.curator(), text).await?;
        for said in &named.said {
            self.tell(said)?;
        }
        let Some(pictures) = self.pictures_of(text).await? else {
            return self.tell("nothing was sent");
        };
        let send = SendRequest {
            mode: Some(self.profile.mode),
            holder_id: self.session.holder_id,
            input: named.input,
            pictures,
            ..SendRequest::new(self.session.session_id, text)
        };
        self.view.asks = true;
        let worked = self.work_on(send).await;
        self.view.asks = false;
        worked.map(|_| ())
    }

    /// Whether a line is one for the shell that somebody typed at a terminal. One that tells no paste from
    /// what is typed has none: a line of a text that was pasted would run.
    pub(super) fn runs(&self, line: &str) -> bool {
        let is_attended = self.profile.settings.attendance == Attendance::Attended;
        is_attended && is_edited() && is_for_shell(line)
    }

    /// Runs a line for the shell as the user's own call.
    pub(super) async fn execute(&mut self, line: &str) -> Result<()> {
        let send = SendRequest {
            mode: Some(Mode::Command),
            holder_id: self.session.holder_id,
            ..SendRequest::new(self.session.session_id, line)
        };
        self.work_on(send).await.map(drop)
    }

    /// The pictures that go along with a text, which is said. What stands in it may be pasted and
    /// somebody else's: a picture from outside of the session's folders goes along with a yes alone.
    /// `None` when the question about that was left: then nothing goes.
    async fn pictures_of(&mut self, text: &str) -> Result<Option<Vec<PictureFile>>> {
        let mut named = pictures::named_in(text, &self.workspace)?;
        if named.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let settings = &self.profile.settings;
        let opened = settings.allow_read.iter().chain(&settings.allow_write);
        let opened: Vec<PathBuf> = opened.chain([&self.workspace]).cloned().collect();
        let outside = named.iter().filter(|one| !one.is_in(&opened));
        let places: Vec<String> = outside
            .map(|one| visible_line(&one.place().to_string_lossy()))
            .collect();
        if !places.is_empty() {
            let question = format!(
                "Your text names pictures from outside of this session's folders: {}. Show them to the \
                 model?",
                places.join(", ")
            );
            let mut signals = signals(self.entered.take(), &self.termination)?;
            let Some(is_yes) = is_yes_unless_stopped(question, &mut signals).await? else {
                return Ok(None);
            };
            self.entered = Some(signals);
            if !is_yes {
                named.retain(|one| one.is_in(&opened));
                self.tell("no picture from there goes along")?;
            }
        }
        let names: Vec<String> = named
            .iter()
            .map(|one| format!("@{}", visible_line(&one.file.name)))
            .collect();
        if !names.is_empty() {
            self.tell(&format!("shown to the model: {}", names.join(", ")))?;
        }
        Ok(Some(named.into_iter().map(|one| one.file).collect()))
    }

    /// Has the session work on a request, and keeps what is typed meanwhile.
    pub(super) async fn work_on(&mut self, send: SendRequest) -> Result<QueryStatus> {
        let asker = self.host.asker();
        let sessions = self.host.sessions();
        let mut meanwhile = listening(self.entered.take(), &self.termination)?;
        let worked = work_on(sessions, send, &asker, &mut self.view, &mut meanwhile).await;
        self.view.keep(meanwhile).await?;
        worked
    }

    /// Has what the drive does, and what other windows ask, shown above the prompt.
    pub(super) async fn watch(&mut self, line: &Line) -> Result<()> {
        // Where nobody serves there is nothing to see, and the next line finds out why.
        if self.watcher.is_none() && !self.host.is_gone().await {
            let shown = self.view.last_seq;
            self.watcher = Some(self.look(&line.printer(), shown).await?);
        }
        self.view.told = self.watcher.as_ref().map(SessionWatcher::shown_elsewhere);
        Ok(())
    }

    /// Whether the chat itself shows what happens for now.
    pub(super) fn shows_itself(&self, itself: bool) {
        if let Some(watcher) = &self.watcher {
            watcher.pause(itself);
        }
    }

    /// What came after what was shown.
    pub(super) async fn unseen(&self) -> Result<Streaming<Event, Error>> {
        let (id, next) = (self.session.session_id, self.view.last_seq + 1);
        let events = self.host.sessions().attach(id, next, Follow::ToEnd).await;
        events.or_fail()
    }

    /// Shows what has not been shown yet.
    pub(super) async fn show_new(&mut self) -> Result<()> {
        let mut events = self.unseen().await?;
        while let Some(event) = events.next().await {
            self.view.show(&event.or_fail()?)?;
        }
        Ok(())
    }

    /// Says what went wrong. It ends the exchange or the command, not the chat.
    pub(super) fn complain(&mut self, error: &anyhow::Error) -> Result<()> {
        let paint = Paint::for_stream(&io::stderr());
        let (_, fault) = describe(error);
        let terminal = &mut self.view.terminal;
        let what = visible_lines(&fault.message);
        terminal.line(&format!("{} {what}", paint.bad("error:")))?;
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

    pub(super) async fn look(&self, printer: &SharedPrinter, seen: u64) -> Result<SessionWatcher> {
        let watched = (self.session.session_id, self.view.in_force());
        SessionWatcher::begin(self.host.sessions(), watched, printer.clone(), seen).await
    }

    pub(super) fn or_complain(&mut self, done: Result<()>) -> Result<()> {
        match done {
            Ok(()) => Ok(()),
            Err(error) => self.complain(&error),
        }
    }
}

#[async_trait(?Send)]
impl Conversation for Chat<'_> {
    fn host(&self) -> &dyn Host {
        self.host
    }

    fn session(&self) -> &SessionSummary {
        &self.session
    }

    fn profile(&self) -> &SessionProfile {
        &self.profile
    }

    fn workspace(&self) -> &Path {
        &self.workspace
    }

    fn changes(&self) -> &dyn FileHistory {
        self.changes.as_ref()
    }

    fn captures(&self) -> bool {
        self.captures
    }

    fn tell(&mut self, text: &str) -> Result<()> {
        Self::tell(self, text)
    }

    fn tell_as_it_is(&mut self, text: &str) -> Result<()> {
        Ok(print_error_as_it_is(text)?)
    }

    async fn work_on(&mut self, send: SendRequest) -> Result<()> {
        Self::work_on(self, send).await.map(drop)
    }

    async fn rewound(&mut self) -> Result<()> {
        let mut events = self.unseen().await?;
        while let Some(event) = events.next().await {
            let event = event.or_fail()?;
            if matches!(event.body, EventBody::Rewound { .. }) {
                self.view.says_itself(event.seq);
            }
        }
        Ok(())
    }
}

/// What can be done at the terminal while a request runs. A Ctrl-C since the line was entered counts.
pub(super) fn listening(entered: Option<Signals>, termination: &Termination) -> Result<Meanwhile> {
    Ok(Meanwhile {
        signals: signals(entered, termination)?,
        keyboard: Some(Keyboard::default()),
    })
}

/// The signals since the line was entered, or from now on.
fn signals(entered: Option<Signals>, termination: &Termination) -> Result<Signals> {
    match entered {
        Some(signals) => Ok(signals),
        None => Signals::of_chat(termination),
    }
}
