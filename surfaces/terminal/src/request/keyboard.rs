//! What is typed while a request runs: whole lines, kept for afterwards.
//!
//! The terminal gathers each line itself meanwhile, shows it and lets it be mended; Ctrl-C throws away
//! what has no line end yet. What is pasted is one text, where the terminal marks a paste: no line of
//! it is a command of its own. One reader at a time has the keyboard: this one stops while a question is
//! asked, and before a line is edited at the prompt.

use rendering::pastes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// Longest line that a terminal gathers, bytes with the line end: what is longer it cuts without a
/// word (N_TTY_BUF_SIZE in Linux).
pub const LINE_BYTES: usize = 4_096;
/// Most of a paste that is gathered, bytes; what is longer is taken in parts.
const PASTE_BYTES: usize = 1 << 20;
/// How often a waiting reader looks whether it is to stop.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// What came from the keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(String),
    /// A line that the terminal cut: it is longer than [`LINE_BYTES`].
    Cut,
    /// Ctrl-D on an empty line.
    End,
}

/// The lines typed since it was made. It reads nothing until [`Keyboard::listen`].
#[derive(Debug)]
pub struct Keyboard {
    sender: UnboundedSender<Heard>,
    lines: UnboundedReceiver<Heard>,
    begun: Arc<Mutex<Lines>>,
    reading: Option<Reading>,
}

#[derive(Debug)]
struct Reading {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

impl Default for Keyboard {
    fn default() -> Self {
        let (sender, lines) = unbounded_channel();
        Self {
            sender,
            lines,
            begun: Arc::default(),
            reading: None,
        }
    }
}

impl Keyboard {
    /// Reads from now on, if it does not yet.
    pub fn listen(&mut self) {
        if self.reading.is_some() {
            return;
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, begun) = (Arc::clone(&is_over), Arc::clone(&self.begun));
        let sender = self.sender.clone();
        let thread = tokio::task::spawn_blocking(move || read(&over, &begun, &sender));
        self.reading = Some(Reading { is_over, thread });
        // A terminal that is gone has nothing to mark.
        let _ungone = pastes::mark();
    }

    /// Reads no more, and waits until that is so.
    ///
    /// # Errors
    /// When the terminal could not be read.
    pub async fn pause(&mut self) -> io::Result<()> {
        let Some(mut reading) = self.reading.take() else {
            return Ok(());
        };
        reading.is_over.store(true, Ordering::SeqCst);
        (&mut reading.thread).await.map_err(io::Error::other)??;
        // What comes next, a question or a prompt, is nothing that the rest of a paste was meant for.
        let (begun, sender) = (Arc::clone(&self.begun), self.sender.clone());
        let rest = tokio::task::spawn_blocking(move || take_rest(&begun, &sender));
        let taken = rest.await.map_err(io::Error::other)?;
        let _ungone = pastes::unmark();
        taken
    }

    /// The next line. Nothing is lost when this is dropped before there is one.
    pub async fn next(&mut self) -> Heard {
        match self.lines.recv().await {
            Some(heard) => heard,
            // It holds a sender itself, so that lines never end.
            None => std::future::pending().await,
        }
    }

    /// The lines that came and that nobody took yet.
    pub fn heard(&mut self) -> Vec<Heard> {
        let mut left = Vec::new();
        while let Ok(heard) = self.lines.try_recv() {
            left.push(heard);
        }
        left
    }

    /// Lets go of the keyboard; the lines that nobody took, and a line that was begun.
    ///
    /// # Errors
    /// When the terminal could not be read.
    pub async fn end(mut self) -> io::Result<(Vec<Heard>, String)> {
        self.pause().await?;
        let left = self.heard();
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((left, begun.begun()))
    }
}

/// Reads until it is to stop or input ends.
fn read(
    is_over: &AtomicBool,
    begun: &Mutex<Lines>,
    sender: &UnboundedSender<Heard>,
) -> io::Result<()> {
    let stdin = io::stdin();
    let mut bytes = [0; LINE_BYTES];
    while !is_over.load(Ordering::SeqCst) {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&LOOK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        // Past any buffer: whoever reads next finds everything else where it was.
        let count = match rustix::io::read(&stdin, &mut bytes) {
            Ok(count) => count,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
            Err(error) => return Err(error.into()),
        };
        let mut lines = begun.lock().unwrap_or_else(PoisonError::into_inner);
        let all = lines.with_what_follows(&bytes[..count])?;
        // No bytes are the end of input.
        let parts = all
            .chunks(LINE_BYTES)
            .chain(all.is_empty().then_some(&[][..]));
        for heard in parts.flat_map(|part| lines.take(part)).collect::<Vec<_>>() {
            let is_end = heard == Heard::End;
            if sender.send(heard).is_err() || is_end {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Takes the rest of a paste that has begun.
fn take_rest(begun: &Mutex<Lines>, sender: &UnboundedSender<Heard>) -> io::Result<()> {
    let mut lines = begun.lock().unwrap_or_else(PoisonError::into_inner);
    if !lines.is_pasting() {
        return Ok(());
    }
    let rest = pastes::rest(PASTE_BYTES)?;
    for part in rest.chunks(LINE_BYTES) {
        for heard in lines.take(part) {
            // Nobody is left to be told.
            let _unheard = sender.send(heard);
        }
    }
    Ok(())
}

/// Bytes becoming lines, and pastes becoming one.
#[derive(Debug, Default)]
struct Lines {
    begun: Vec<u8>,
    /// The lines of a paste, and of what stands before it, so far.
    pasted: Vec<u8>,
    /// Whether a paste has begun in them and not ended.
    is_open: bool,
    is_cut: bool,
}

impl Lines {
    /// What was read, with what came at once behind it, marked as a paste where it is the rest of one:
    /// no line of it was typed.
    fn with_what_follows(&self, read: &[u8]) -> io::Result<Vec<u8>> {
        if !read.ends_with(b"\n") || self.is_pasting() || !io::stdin().is_terminal() {
            return Ok(read.to_vec());
        }
        let behind = pastes::behind(PASTE_BYTES)?;
        let mark = match pastes::ends_unbegun(read, &behind) {
            true => pastes::beginning(),
            false => &[],
        };
        Ok([mark, read, &behind].concat())
    }

    /// Takes what was read, no bytes being the end of input: what became whole by it.
    fn take(&mut self, bytes: &[u8]) -> Vec<Heard> {
        if bytes.is_empty() {
            return vec![Heard::End];
        }
        self.begun.extend_from_slice(bytes);
        let mut whole = Vec::new();
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let rest = self.begun.split_off(end + 1);
            let line = std::mem::replace(&mut self.begun, rest);
            let is_cut = line.len() >= LINE_BYTES;
            self.is_cut |= is_cut;
            // The mark of an end is cut off with the rest of its line.
            self.is_open = pastes::is_open_after(self.is_open, &line) && !is_cut;
            self.pasted.extend_from_slice(&line);
            if self.is_open && self.pasted.len() < PASTE_BYTES {
                continue;
            }
            let all = std::mem::take(&mut self.pasted);
            whole.push(match std::mem::take(&mut self.is_cut) {
                false => Heard::Line(pastes::typed_text(&all[..all.len() - 1])),
                true => Heard::Cut,
            });
        }
        whole
    }

    fn is_pasting(&self) -> bool {
        pastes::is_open_after(self.is_open, &self.begun)
    }

    fn begun(&self) -> String {
        pastes::typed_text(&[&self.pasted[..], &self.begun].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Heard {
        Heard::Line(text.to_owned())
    }

    #[test]
    fn lines_come_whole_and_in_order_however_they_are_read() {
        let mut lines = Lines::default();
        assert!(lines.take(b"fir").is_empty());
        assert_eq!(
            lines.take(b"st\nsecond\nthi"),
            [line("first"), line("second")]
        );
        assert_eq!(lines.begun(), "thi");
        assert_eq!(lines.take(b"rd\n\n"), [line("third"), line("")]);
        assert_eq!(lines.take(b""), [Heard::End]);
    }

    #[test]
    fn a_line_that_the_terminal_cut_is_no_line() {
        let mut lines = Lines::default();
        let mut longest = vec![b'a'; LINE_BYTES - 2];
        longest.push(b'\n');
        assert!(matches!(&lines.take(&longest)[..], [Heard::Line(_)]));
        longest.insert(0, b'a');
        assert_eq!(lines.take(&longest), [Heard::Cut]);
    }

    #[test]
    fn a_paste_is_one_text_and_keys_leave_no_codes() {
        let mut lines = Lines::default();
        assert!(lines.take(b"see \x1b[200~one\n/quit\n").is_empty());
        assert_eq!(
            lines.take(b"two\x1b[201~ there\n\x1b[D\x1bOH/retry\n"),
            [line("see one\n/quit\ntwo there"), line("/retry")]
        );
        assert_eq!(lines.begun(), "");
    }

    #[tokio::test]
    async fn lines_never_end_by_themselves() {
        let mut keyboard = Keyboard::default();
        keyboard.sender.send(line("one")).unwrap();
        assert_eq!(keyboard.next().await, line("one"));
        keyboard.sender.send(line("two")).unwrap();
        let (left, begun) = keyboard.end().await.unwrap();
        assert_eq!((left, begun.as_str()), (vec![line("two")], ""));
    }
}
