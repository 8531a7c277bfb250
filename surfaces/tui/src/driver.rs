//! Input, events and effects, and when to draw. While nothing happens it sleeps.

mod before;
mod doing;
mod ending;
mod past;
mod pointing;
mod start;
mod waits;

pub use start::{Attention, Ended, GoOn, HandedOver, Start};

use crate::alternate::Alternate;
use crate::background::Background;
use crate::drafts::Draft;
use crate::editor::Editor;
use crate::effects::{self, Done};
use crate::error::Error;
use crate::history::History;
use crate::host::Host;
use crate::keyboard::{Came, Keyboard, Paused, Pressed};
use crate::lines::{faint, own};
use crate::links::{self as marks, Links};
use crate::message::{Command, Message};
use crate::modes::{self, Modes};
use crate::screen::{Screen, colours, narrowed};
use crate::state::State;
use crate::update::{gathers, update};
use crate::view;
use api::Streaming;
use api::sessions::Follow;
use crossterm::event::Event as Input;
use domain::event::Event;
use domain::fault::Fault;
use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use pointing::pointed;
use ratatui::text::Line;
use rendering::Paint;
use rustix::process::{Signal, kill_current_process_group};
use std::collections::VecDeque;
use std::io::{self, Stdout};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use text::escape::visible_line;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;
use waits::{editor_ends, next_event, next_in_turn, until};

/// Shortest time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(16);
/// How long after it went on by itself the signal to go on tells nothing more.
const WENT_ON: Duration = Duration::from_millis(500);
/// Most lines that wait for the normal screen to be shown again.
const FINISHED_LINES: usize = 10_000;
/// Most messages that are taken in before a frame is drawn, at least one.
const BATCH: usize = 256;

/// Holds the session on the terminal until the user leaves it.
///
/// # Errors
/// When the terminal cannot be used, or the session cannot be read.
pub async fn run(host: &dyn Host, start: Start, keyboard: &mut Keyboard) -> Result<Ended, Error> {
    let past = past::read(host.sessions(), &start.session).await?;
    let history = History::at(start.history.clone());
    let mut state = start.state(host, &past, &history).await?;
    let mut draft = Draft::of(&start.drafts, state.session.session_id);
    let (typed, is_back) = match start.draft.is_empty() {
        true => past::restored(&past, &mut draft, state.session.holders),
        false => (start.draft, false),
    };
    state.input.replace(&typed);
    let (id, columns) = (state.session.session_id, state.size.0);
    let events = host
        .sessions()
        .attach(id, past.from_seq, Follow::Live)
        .await?;
    modes::take_mouse(start.mouse);
    let set = Modes::set().map_err(Error::of("set up"))?;
    let background = keyboard.ask(start.theme).map_err(Error::of("written"))?;
    let log = modes::catch_log().map_err(Error::of("set up"))?;
    let greeting = past::greeting(&state, &past, (is_back, start.shown_seq));
    let mut ui = Ui {
        host,
        state,
        screen: Screen::new(io::stdout(), colours(background), narrowed()),
        background,
        modes: set,
        events: Some(events),
        in_turn: None,
        takes_back: false,
        later: VecDeque::new(),
        at_once: FuturesUnordered::new(),
        history,
        drafts: start.drafts,
        draft,
        made_for: columns,
        links: marks::taken(|name| std::env::var(name).ok()),
        finished: greeting,
        alternate: None,
        editing: None,
        log,
        is_to_be_emptied: false,
        next: None,
        hands_over: false,
        drawn: Instant::now(),
        is_due: true,
        is_over: false,
    };
    // What follows from the state as it is now.
    ui.take(Instant::now(), Message::Tick);
    ui.perform(Command::FindNextModel);
    let held = ui.hold(keyboard).await;
    // That a terminal is gone is met by reading it as well, before the signal comes.
    held.inspect_err(|_| ui.draft.leave(&ui.state.input.text()))?;
    Ok(Ended {
        layout: ui.state.panes.layout(),
        session: ui.state.session,
        next: ui.next,
    })
}

/// Who has the terminal in place of this UI for a while.
enum Outside {
    /// The shell, until `fg`.
    Suspended,
    /// An editor, with this draft.
    Editor(String),
}

struct Ui<'a> {
    host: &'a dyn Host,
    state: State,
    screen: Screen<Stdout>,
    background: Background,
    modes: Modes,
    events: Option<Streaming<Event, api::sessions::Error>>,
    /// What is done one after the other, as it was asked for.
    in_turn: Option<LocalBoxFuture<'a, Done>>,
    /// Whether that takes exchanges back.
    takes_back: bool,
    /// What is asked for after that, of the session that is held by then.
    later: VecDeque<Command>,
    /// What waits for nothing else.
    at_once: FuturesUnordered<LocalBoxFuture<'a, Done>>,
    history: History,
    /// The folder of all drafts.
    drafts: PathBuf,
    /// What is typed, in its file.
    draft: Draft,
    /// Lines that are not on the screen yet.
    finished: Vec<Line<'static>>,
    /// The editor that has the terminal, and the keyboard that is left to it.
    editing: Option<(Editor, Paused)>,
    /// What this process writes to standard error.
    log: UnboundedReceiver<String>,
    /// The width that all of them were made for; 0 once they were made for several.
    made_for: u16,
    links: Links,
    /// The alternate screen, while something stands there.
    alternate: Option<Alternate>,
    /// Whether all rows are to be drawn anew.
    is_to_be_emptied: bool,
    /// What comes after this.
    next: Option<GoOn>,
    /// Whether it ends as soon as nothing is being done any more: whoever served it is gone.
    hands_over: bool,
    /// When the last frame was drawn.
    drawn: Instant,
    /// Whether something changed since.
    is_due: bool,
    is_over: bool,
}

impl Ui<'_> {
    async fn hold(&mut self, keyboard: &mut Keyboard) -> Result<(), Error> {
        let watched = |kind| signal(kind).map_err(Error::of("watched"));
        let mut ending = ending::signals().map_err(Error::of("watched"))?;
        let mut interrupt = watched(SignalKind::interrupt())?;
        let mut hang_up = watched(SignalKind::hangup())?;
        let mut go_on = watched(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        let mut went_on = None;
        self.draw()?;
        while !self.is_over && !self.hands_over() {
            let wakes_at = self.state.wakes_at();
            let draft_at = self.draft.due();
            let is_shown = self.editing.is_none();
            let frame_at = (self.is_due && is_shown).then_some(self.drawn + FRAME);
            tokio::select! {
                key = keyboard.next() => self.pressed(key, keyboard, &mut went_on)?,
                event = next_event(&mut self.events) => self.came(event),
                done = next_in_turn(&mut self.in_turn) => {
                    // What follows from it comes behind what was asked for meanwhile.
                    self.done(done);
                    self.in_turn = None;
                    if let Some(next) = self.later.pop_front() {
                        self.begin(next);
                    }
                }
                Some(done) = self.at_once.next() => self.done(done),
                Some(line) = self.log.recv() => {
                    let line = Paint::Colour.faint(&format!("· log: {}", visible_line(&line)));
                    self.take(Instant::now(), Message::Told(vec![line]));
                }
                ended = editor_ends(&mut self.editing) => self.end_editing(ended)?,
                () = until(wakes_at) => self.take(Instant::now(), Message::Tick),
                () = until(frame_at) => self.draw()?,
                () = until(draft_at) => self.draft.write(&self.state.input.text()),
                Some(()) = ending.recv() => self.take(Instant::now(), Message::Terminate),
                // In an editor Ctrl+C is for that one.
                _ = interrupt.recv() => if is_shown {
                    self.take(Instant::now(), Message::Terminate);
                },
                _ = hang_up.recv() => {
                    // Of a terminal that is gone nothing is to be cleared.
                    let _gone = self.screen.clear();
                    self.draft.leave(&self.state.input.text());
                    return Ok(());
                }
                _ = go_on.recv() => if is_shown && went_on.is_none_or(|at: Instant| at.elapsed() > WENT_ON) {
                    // Whoever stopped it left the modes to the shell.
                    modes::set_back();
                    self.set_again()?;
                    self.ask_again(keyboard)?;
                },
            }
        }
        keyboard.settle().await;
        self.finish()
    }

    /// Keys that came, as many as there are before the next frame.
    fn pressed(
        &mut self,
        first: Option<Pressed>,
        keyboard: &mut Keyboard,
        went_on: &mut Option<Instant>,
    ) -> Result<(), Error> {
        let mut next = first;
        self.draft.touch(Instant::now());
        let mut left = BATCH;
        let mut together = String::new();
        while let Some((at, read)) = next.take() {
            let came = read.map_err(Error::of("read"))?;
            left -= 1;
            if let Came::Event(Input::Key(key)) = &came
                && let Some(letter) = gathers(&mut self.state, key, at)
            {
                together.push(letter);
                if left > 0 {
                    next = keyboard.now();
                }
                continue;
            }
            self.take_together(&mut together);
            let message = self.message_of(came, keyboard)?;
            match message.and_then(|message| self.take_key(at, message)) {
                Some(Outside::Suspended) => {
                    self.suspend()?;
                    *went_on = Some(Instant::now());
                    self.ask_again(keyboard)?;
                }
                Some(Outside::Editor(draft)) => return self.edit(&draft, keyboard),
                None => {}
            }
            // What is taken out of the keyboard is worked on: the rest waits there.
            if left > 0 {
                next = keyboard.now();
            }
        }
        self.take_together(&mut together);
        self.draw()
    }

    /// Takes letters that were gathered.
    fn take_together(&mut self, letters: &mut String) {
        if !letters.is_empty() {
            self.take(Instant::now(), Message::Gathered(std::mem::take(letters)));
        }
    }

    /// What came from the terminal, for the state; `None` for what changes how it is drawn alone.
    fn message_of(
        &mut self,
        came: Came,
        keyboard: &mut Keyboard,
    ) -> Result<Option<Message>, Error> {
        let event = match came {
            Came::Event(event) => event,
            Came::Background(background) => {
                self.turn_to(background);
                return Ok(None);
            }
        };
        Ok(match event {
            Input::Key(key) => Some(Message::Key(key)),
            Input::Paste(text) => Some(Message::Paste(text)),
            Input::Resize(columns, rows) => Some(self.resized((columns, rows))),
            Input::FocusGained => {
                self.ask_again(keyboard)?;
                Some(Message::Focused(true))
            }
            Input::FocusLost => Some(Message::Focused(false)),
            Input::Mouse(mouse) => pointed(mouse),
        })
    }

    /// The terminal has another size.
    fn resized(&mut self, (columns, rows): (u16, u16)) -> Message {
        self.screen.resized(columns);
        self.is_to_be_emptied |= self.alternate.is_some();
        Message::Resized(columns, rows)
    }

    /// Asks what is behind the letters where that may have changed: while nobody looked.
    fn ask_again(&self, keyboard: &mut Keyboard) -> Result<(), Error> {
        match self.editing {
            None => keyboard.ask_again().map_err(Error::of("written")),
            Some(_) => Ok(()),
        }
    }

    /// The terminal said what is behind its letters: all rows are drawn anew in other colours.
    fn turn_to(&mut self, background: Background) {
        if std::mem::replace(&mut self.background, background) == background {
            return;
        }
        self.screen.turn_colours(colours(background));
        if let Some(alternate) = &mut self.alternate {
            alternate.turn_colours(colours(background));
        }
        self.is_to_be_emptied = true;
        self.is_due = true;
    }

    /// The next event, and those that came with it.
    fn came(&mut self, first: Option<Result<Event, api::sessions::Error>>) {
        let mut next = Some(first);
        let mut left = BATCH;
        while let Some(event) = next.take() {
            let message = match event {
                Some(Ok(event)) => Message::Happened(Box::new(event)),
                Some(Err(error)) => {
                    tracing::debug!(%error, "the session's events ended");
                    Message::Gone
                }
                None => Message::Gone,
            };
            if matches!(message, Message::Gone) {
                self.events = None;
            }
            self.take(Instant::now(), message);
            left -= 1;
            // What is taken out of the stream is worked on: the rest waits there.
            if left > 0 {
                next = futures::FutureExt::now_or_never(next_event(&mut self.events));
            }
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Told(messages) => {
                for message in messages {
                    self.take(Instant::now(), message);
                }
            }
            Done::Opened(opened) => {
                let said = opened.told(self.state.session.session_id);
                self.state.turn_to(opened.session, opened.profile);
                opened
                    .before
                    .iter()
                    .for_each(|event| self.state.remember(event));
                self.events = Some(opened.events);
                if let Some(left) = opened.left {
                    self.at_once.push(Box::pin(effects::close(self.host, left)));
                }
                // What is typed goes along.
                self.draft.leave("");
                self.draft = Draft::of(&self.drafts, self.state.session.session_id);
                self.draft.touch(Instant::now());
                let line = Paint::Colour.faint(&format!("· {said}"));
                self.take(Instant::now(), Message::Told(vec![String::new(), line]));
            }
        }
    }

    /// Takes a message in and does what it leads to; what is to be done with the terminal then.
    fn take_key(&mut self, at: Instant, message: Message) -> Option<Outside> {
        self.is_due = true;
        let mut outside = None;
        for command in update(&mut self.state, at, message) {
            match command {
                Command::Suspend => outside = Some(Outside::Suspended),
                Command::Edit(draft) => outside = Some(Outside::Editor(draft)),
                command => self.perform(command),
            }
        }
        outside
    }

    /// The same for what never stops it.
    fn take(&mut self, at: Instant, message: Message) {
        self.take_key(at, message);
    }

    /// Keeps lines for the scrollback, which may be long out of sight.
    fn keep(&mut self, lines: Vec<Line<'static>>) {
        let columns = self.state.size.0;
        let is_same = self.finished.is_empty() || self.made_for == columns;
        self.made_for = if is_same { columns } else { 0 };
        self.finished.extend(lines);
        let over = self.finished.len().saturating_sub(FINISHED_LINES);
        if over > 0 {
            self.finished.drain(..over);
            let id = self.state.session.session_id;
            let text = format!("· lines are left out here: carl session show {id}");
            let rows = own(
                &Line::styled(text, faint()),
                2,
                usize::from(self.state.size.0),
            );
            self.finished.splice(0..1, rows);
        }
    }

    fn draw(&mut self) -> Result<(), Error> {
        if self.editing.is_some() {
            return Ok(());
        }
        // The signal that tells of it may be on its way still, and rows for another width leave copies.
        if let Ok(size) = modes::size()
            && size != self.state.size
        {
            let message = self.resized(size);
            self.take(Instant::now(), message);
        }
        let _writing = modes::writing();
        let is_emptied = std::mem::take(&mut self.is_to_be_emptied);
        let Some(frame) = view::full(&self.state) else {
            if is_emptied {
                self.screen.resized(self.state.size.0);
            }
            self.close_alternate()?;
            return self.draw_normal();
        };
        let mut alternate = match self.alternate.take() {
            Some(alternate) => alternate,
            None => {
                // Nothing that is old by then, such as a question, stands there at the way back.
                self.screen.clear().map_err(Error::of("written"))?;
                Alternate::open(colours(self.background)).map_err(Error::of("set up"))?
            }
        };
        if is_emptied {
            alternate.empty().map_err(Error::of("written"))?;
        }
        alternate.draw(&frame).map_err(Error::of("written"))?;
        self.alternate = Some(alternate);
        self.was_drawn();
        Ok(())
    }

    fn was_drawn(&mut self) {
        self.drawn = Instant::now();
        self.is_due = false;
        self.state.drawn(self.drawn);
    }

    fn close_alternate(&mut self) -> Result<(), Error> {
        let closed = self.alternate.take().map_or(Ok(()), Alternate::close);
        closed.map_err(Error::of("written"))
    }

    /// Draws the normal screen, which has to be the one that is shown.
    fn draw_normal(&mut self) -> Result<(), Error> {
        let frame = view::frame(&self.state);
        let finished = std::mem::take(&mut self.finished);
        // An address that was broken for another width would lead elsewhere.
        self.screen
            .mark_links(match self.made_for == self.state.size.0 {
                true => self.links,
                false => Links::None,
            });
        self.screen
            .draw(&finished, &frame)
            .map_err(Error::of("written"))?;
        self.was_drawn();
        Ok(())
    }

    /// Stops this process and the others of its job, as Ctrl+Z does in other programs, until `fg`.
    fn suspend(&mut self) -> Result<(), Error> {
        self.draft.write(&self.state.input.text());
        self.close_alternate()?;
        self.draw_normal()?;
        self.screen.clear().map_err(Error::of("written"))?;
        modes::set_back();
        // Where no shell could go on with it, the kernel does not stop it either.
        let _stopped = kill_current_process_group(Signal::TSTP);
        self.set_again()
    }

    /// Opens a draft in the user's editor.
    fn edit(&mut self, draft: &str, keyboard: &mut Keyboard) -> Result<(), Error> {
        self.close_alternate()?;
        self.draw_normal()?;
        self.screen.clear().map_err(Error::of("written"))?;
        let Some(paused) = keyboard.pause() else {
            let fault = Fault {
                code: "carl.failed".to_owned(),
                message: "the keyboard cannot be left to an editor".to_owned(),
                hint: "The draft is as it was.".to_owned(),
            };
            self.take(Instant::now(), Message::Edited(Err(fault)));
            return self.draw();
        };
        modes::set_back();
        match Editor::begin(draft) {
            Ok(editor) => {
                self.editing = Some((editor, paused));
                Ok(())
            }
            Err(fault) => {
                self.set_again()?;
                self.take(Instant::now(), Message::Edited(Err(fault)));
                self.draw()
            }
        }
    }

    /// Takes the terminal and the draft back.
    fn end_editing(&mut self, ended: io::Result<ExitStatus>) -> Result<(), Error> {
        let Some((editor, _paused)) = self.editing.take() else {
            return Ok(());
        };
        let edited = editor.take(ended);
        self.set_again()?;
        self.take(Instant::now(), Message::Edited(edited));
        self.draw()
    }

    /// Sets the modes and draws anew after another program had the terminal.
    fn set_again(&mut self) -> Result<(), Error> {
        self.modes.again().map_err(Error::of("set up"))?;
        self.log = modes::catch_log().map_err(Error::of("set up"))?;
        if let Ok(size) = modes::size() {
            self.state.size = size;
        }
        // What was typed meanwhile was meant for something else.
        self.state.now = Instant::now();
        self.state.stand_again();
        self.close_alternate()?;
        self.screen.forget();
        self.draw()
    }

    /// Whether another UI goes on here, and nothing that was sent is without an end.
    fn hands_over(&self) -> bool {
        self.hands_over && self.in_turn.is_none() && self.editing.is_none()
    }

    /// Leaves the scrollback and nothing else.
    fn finish(&mut self) -> Result<(), Error> {
        let _writing = modes::writing();
        self.draft.leave(&self.state.input.text());
        if let Some((editor, _)) = self.editing.take() {
            let file = visible_line(&editor.leave().display().to_string());
            let told = format!("· what the editor had of the draft is kept in {file}");
            let rows = self.state.told_rows(&[Paint::Colour.faint(&told)]);
            self.finished.extend(rows);
            self.modes.again().map_err(Error::of("set up"))?;
        }
        match self.hands_over {
            true => {
                self.next = Some(GoOn::Anew(HandedOver {
                    session_id: self.state.session.session_id,
                    profile: Box::new(self.state.profile.clone()),
                    draft: self.state.input.text(),
                    shown_seq: self.state.view.last_seq(),
                    attention: Attention {
                        has_focus: self.state.has_focus,
                        is_on_list: self.state.overlay.is_some() || self.state.help.is_some(),
                    },
                }));
            }
            false => {
                let left = crate::update::left(&mut self.state);
                self.finished.extend(left);
            }
        }
        self.close_alternate()?;
        self.draw_normal()?;
        self.screen.clear().map_err(Error::of("written"))
    }
}
