//! What is pressed and pasted, and what the terminal answers.

use crate::answers::{Answers, Out};
use crate::background::{Background, QUESTION, Theme};
use crossterm::event::{Event, poll as is_there, read};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, pipe_with};
use std::io::{self, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long the next key of several is waited for before the pipe is looked at again. Keys that are read
/// and not told yet are passed over once this time is up, until the next one comes: on a busy machine
/// this thread may stand still for several milliseconds in between.
const READ_FOR: Duration = Duration::from_millis(50);

/// How long after the question an answer is waited for before the terminal is left to another program,
/// which would take it for keys.
const ANSWERS_WITHIN: Duration = Duration::from_millis(200);

/// How long an answer is waited for before the question may be asked again.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(10);

/// What comes from a terminal.
#[derive(Debug, PartialEq)]
pub enum Came {
    /// A key, a paste or another event.
    Event(Event),
    /// It said what is behind its letters.
    Background(Background),
}

/// Something that came from the terminal, and when.
pub type Pressed = (Instant, io::Result<Came>);

/// The reader of the terminal: one for the process, since two would take keys from one another.
#[derive(Debug, Default)]
pub struct Keyboard {
    reader: Option<Reader>,
    /// What the terminal said of its background.
    background: Option<Background>,
    /// When it was asked, until it says it.
    asked: Option<Instant>,
    /// Whether what it says counts, and not what is set.
    is_asked: bool,
    /// What came while nobody waited for it.
    kept: Vec<Pressed>,
}

#[derive(Debug)]
struct Reader {
    keys: UnboundedReceiver<Pressed>,
    /// Tells of another size, also while nothing is read.
    resized: Signal,
    /// Wakes the thread that waits for keys.
    waker: OwnedFd,
    /// Takes the end of a pause.
    pauses: mpsc::Sender<Pause>,
    /// Takes when a question was asked.
    asks: mpsc::Sender<Instant>,
}

/// Nothing is read until this is dropped; what came before is read already.
#[derive(Debug)]
pub struct Paused(#[expect(dead_code, reason = "its end is what counts")] mpsc::Sender<()>);

/// A pause that is asked for: it has begun when the first is dropped, and ends with the second.
#[derive(Debug)]
struct Pause {
    begun: mpsc::Sender<()>,
    ends: mpsc::Receiver<()>,
}

impl Keyboard {
    /// What is behind the letters, as far as it is known: the terminal is asked, and nothing waits for its
    /// answer. Its modes have to be set.
    ///
    /// # Errors
    /// When the terminal cannot be read or written.
    pub fn ask(&mut self, theme: Theme) -> io::Result<Background> {
        let variable = |name: &str| std::env::var(name).ok();
        let background = Background::at_first(theme, variable);
        self.is_asked = theme == Theme::Auto;
        // The console of Linux has no answer, and its older versions show the question.
        let is_silent = variable("TERM").is_none_or(|term| term == "linux");
        if theme != Theme::Auto || self.asked.is_some() || is_silent {
            return Ok(background);
        }
        if let Some(known) = self.background {
            return Ok(known);
        }
        self.put_question()?;
        Ok(background)
    }

    /// Asks once more: it may have turned from light to dark. One that never answered sees nothing of it.
    ///
    /// # Errors
    /// When the terminal cannot be read or written.
    pub fn ask_again(&mut self) -> io::Result<()> {
        let waits = self
            .asked
            .is_some_and(|asked| asked.elapsed() < ASKED_AGAIN_AFTER);
        match self.is_asked && self.background.is_some() && !waits {
            true => self.put_question(),
            false => Ok(()),
        }
    }

    fn put_question(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let reader = self.begin()?;
        let _gone = reader.asks.send(now);
        self.asked = Some(now);
        let mut out = io::stdout();
        out.write_all(QUESTION)?;
        out.flush()
    }

    /// Waits for an answer that may be on its way; what else comes is kept.
    pub async fn settle(&mut self) {
        let Some(asked) = self.asked else { return };
        let until = tokio::time::Instant::from_std(asked + ANSWERS_WITHIN);
        while self.asked.is_some() && tokio::time::Instant::now() < until {
            let Ok(Some(pressed)) = tokio::time::timeout_at(until, self.read()).await else {
                return;
            };
            self.kept.push(pressed);
        }
    }

    /// The next, once it comes.
    pub async fn next(&mut self) -> Option<Pressed> {
        match self.kept.is_empty() {
            true => self.read().await,
            false => Some(self.kept.remove(0)),
        }
    }

    async fn read(&mut self) -> Option<Pressed> {
        let reader = match self.begin() {
            Ok(reader) => reader,
            Err(error) => return Some((Instant::now(), Err(error))),
        };
        tokio::select! {
            biased;
            pressed = reader.keys.recv() => Some(match pressed {
                Some(pressed) => self.note(pressed),
                None => {
                    let ended = io::Error::other("the thread that reads the terminal has ended");
                    (Instant::now(), Err(ended))
                }
            }),
            _ = reader.resized.recv() => {
                let size = crossterm::terminal::size();
                let resized = size.map(|(columns, rows)| Came::Event(Event::Resize(columns, rows)));
                Some((Instant::now(), resized))
            }
        }
    }

    /// The next, if it is there already.
    pub fn now(&mut self) -> Option<Pressed> {
        if !self.kept.is_empty() {
            return Some(self.kept.remove(0));
        }
        let pressed = self.reader.as_mut()?.keys.try_recv().ok()?;
        Some(self.note(pressed))
    }

    fn note(&mut self, pressed: Pressed) -> Pressed {
        if let (_, Ok(Came::Background(background))) = &pressed {
            self.background = Some(*background);
            self.asked = None;
        }
        pressed
    }

    /// Leaves the terminal's input to another program. `None`: it cannot be left.
    pub fn pause(&mut self) -> Option<Paused> {
        let reader = self.reader.as_mut()?;
        let ((begun, has_begun), (ending, ends)) = (mpsc::channel(), mpsc::channel());
        reader.pauses.send(Pause { begun, ends }).ok()?;
        rustix::io::write(&reader.waker, b"p").ok()?;
        // The other end is dropped.
        let _over = has_begun.recv();
        Some(Paused(ending))
    }

    fn begin(&mut self) -> io::Result<&mut Reader> {
        if self.reader.is_none() {
            self.reader = Some(begin()?);
        }
        self.reader
            .as_mut()
            .ok_or_else(|| io::ErrorKind::Other.into())
    }
}

/// Reads on a thread of its own: reading blocks until something comes.
fn begin() -> io::Result<Reader> {
    let (sender, keys) = unbounded_channel();
    let (pauses, wanted) = mpsc::channel::<Pause>();
    let (asks, asked) = mpsc::channel();
    let (woken, waker) = pipe_with(PipeFlags::CLOEXEC)?;
    std::thread::spawn(move || {
        let mut answers = Answers::default();
        loop {
            let done = wait(&woken).and_then(|wakes| {
                if let Some(pause) = wakes.then(|| wanted.try_recv().ok()).flatten() {
                    drop(pause.begun);
                    // It says nothing: that it is over is told by its end.
                    let _over = pause.ends.recv();
                    return Ok(());
                }
                asked.try_iter().for_each(|at| answers.asked(at));
                read_all(&sender, &mut answers)
            });
            if let Err(error) = done {
                let _gone = sender.send((Instant::now(), Err(error)));
                return;
            }
            if sender.is_closed() {
                return;
            }
        }
    });
    Ok(Reader {
        keys,
        resized: signal(SignalKind::window_change())?,
        waker,
        pauses,
        asks,
    })
}

/// Waits for keys or for the pipe; whether the pipe has something.
fn wait(woken: &OwnedFd) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut waited = [
        PollFd::new(&stdin, PollFlags::IN),
        PollFd::new(woken, PollFlags::IN),
    ];
    match poll(&mut waited, None) {
        Ok(_) if waited[1].revents().is_empty() => Ok(false),
        Ok(_) => {
            let mut byte = [0];
            rustix::io::read(woken, &mut byte)?;
            Ok(true)
        }
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads what is there. What is there and is no key yet is waited for, and so is the rest of an answer.
fn read_all(sender: &UnboundedSender<Pressed>, answers: &mut Answers) -> io::Result<()> {
    let tell = |out: Vec<Out>| {
        let came = out.into_iter().filter_map(|out| match out {
            // Another size is told by its signal.
            Out::Event(_, Event::Resize(..)) => None,
            Out::Event(at, event) => Some((at, Came::Event(event))),
            Out::Answer(text) => {
                let background = Background::of_answer(&text).map(Came::Background);
                background.map(|background| (Instant::now(), background))
            }
        });
        for (at, came) in came {
            // Whoever read them may be gone.
            let _gone = sender.send((at, Ok(came)));
        }
    };
    // What is there may be no key: the end of the input, typed while the terminal reads by lines, or a part
    // of a sequence. To read it would wait for more, and pauses with it.
    if !is_there(READ_FOR)? {
        return Ok(());
    }
    loop {
        let event = read()?;
        tell(answers.take(Instant::now(), event));
        if is_there(READ_FOR)? {
            continue;
        }
        match answers.waits() {
            Some(time) if is_there(time)? => {}
            Some(_) => {
                tell(answers.give_up());
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}
