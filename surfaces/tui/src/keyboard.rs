//! What is pressed and pasted.

use crossterm::event::{Event, poll as is_there, read};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Something that came from the terminal, and when.
pub type Pressed = (Instant, io::Result<Event>);

/// The reader of the terminal: one for the process, since two would take keys from one another.
#[derive(Debug, Default)]
pub struct Keyboard(Option<Reader>);

#[derive(Debug)]
struct Reader {
    keys: UnboundedReceiver<Pressed>,
    /// Tells of another size, also while nothing is read.
    resized: Signal,
    /// Wakes the thread that waits for keys.
    waker: OwnedFd,
    /// Takes the end of a pause.
    pauses: mpsc::Sender<Pause>,
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
    /// The next, once it comes.
    pub async fn next(&mut self) -> Option<Pressed> {
        let reader = match self.begin() {
            Ok(reader) => reader,
            Err(error) => return Some((Instant::now(), Err(error))),
        };
        tokio::select! {
            biased;
            pressed = reader.keys.recv() => pressed,
            _ = reader.resized.recv() => {
                let size = crossterm::terminal::size();
                let resized = size.map(|(columns, rows)| Event::Resize(columns, rows));
                Some((Instant::now(), resized))
            }
        }
    }

    /// The next, if it is there already.
    pub fn now(&mut self) -> Option<Pressed> {
        self.0.as_mut()?.keys.try_recv().ok()
    }

    /// Leaves the terminal's input to another program. `None`: it cannot be left.
    pub fn pause(&mut self) -> Option<Paused> {
        let reader = self.0.as_mut()?;
        let ((begun, has_begun), (ending, ends)) = (mpsc::channel(), mpsc::channel());
        reader.pauses.send(Pause { begun, ends }).ok()?;
        rustix::io::write(&reader.waker, b"p").ok()?;
        // The other end is dropped.
        let _over = has_begun.recv();
        Some(Paused(ending))
    }

    fn begin(&mut self) -> io::Result<&mut Reader> {
        if self.0.is_none() {
            self.0 = Some(begin()?);
        }
        self.0.as_mut().ok_or_else(|| io::ErrorKind::Other.into())
    }
}

/// Reads on a thread of its own: reading blocks until something comes.
fn begin() -> io::Result<Reader> {
    let (sender, keys) = unbounded_channel();
    let (pauses, asked) = mpsc::channel::<Pause>();
    let (woken, waker) = pipe_with(PipeFlags::CLOEXEC)?;
    std::thread::spawn(move || {
        loop {
            let done = wait(&woken).and_then(|wakes| {
                if let Some(pause) = wakes.then(|| asked.try_recv().ok()).flatten() {
                    drop(pause.begun);
                    // It says nothing: that it is over is told by its end.
                    let _over = pause.ends.recv();
                    return Ok(());
                }
                read_all(&sender)
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

/// Reads what is there. What is there and is no key yet is waited for.
fn read_all(sender: &UnboundedSender<Pressed>) -> io::Result<()> {
    loop {
        let event = read()?;
        // Another size is told by its signal.
        if !matches!(event, Event::Resize(..)) && sender.send((Instant::now(), Ok(event))).is_err()
        {
            return Ok(());
        }
        if !is_there(Duration::ZERO)? {
            return Ok(());
        }
    }
}
