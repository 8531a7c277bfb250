//! A program on a terminal of its own, with a screen that can be read.

use anyhow::{Context as _, Result, bail};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Columns and rows.
const SIZE: (NonZero<u16>, NonZero<u16>) = (
    NonZero::new(100).expect("a constant"),
    NonZero::new(30).expect("a constant"),
);
/// Longest that something is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// What programs ask a terminal when they start, and what a plain one says: where the cursor is, what
/// it is, its colours, and that it knows no other way of telling keys.
const QUESTIONS: [(&str, &str); 5] = [
    ("\x1b[6n", "\x1b[1;1R"),
    ("\x1b[c", "\x1b[?62;22c"),
    ("\x1b]10;?", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    ("\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
    ("\x1b[?u", "\x1b[?0u"),
];

/// The program and its screen. Both are gone when this is dropped.
pub struct Terminal {
    child: Child,
    keyboard: File,
    pieces: mpsc::Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    began: Instant,
}

impl Terminal {
    /// Starts it as the leader of a session of its own, in the terminal's foreground, with the variables
    /// that it names and no others.
    ///
    /// # Errors
    /// When the terminal or the program cannot be had.
    pub fn start(program: &Command) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let (columns, rows) = SIZE;
        let size = Winsize {
            ws_row: rows.get(),
            ws_col: columns.get(),
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size)?;
        let side = ioctl_tiocgptpeer(
            &master,
            OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC,
        )?;
        // It becomes the program itself, so the process is the program's.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(program.get_program());
        command.args(program.get_args()).env_clear();
        if let Some(folder) = program.get_current_dir() {
            command.current_dir(folder);
        }
        for (name, value) in program.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.env("TERM", "xterm-256color");
        command.stdin(Stdio::from(side.try_clone()?));
        command.stdout(Stdio::from(side.try_clone()?));
        command.stderr(Stdio::from(side));
        let began = Instant::now();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {}", program.get_program().display()))?;
        let pieces = read(File::from(master.try_clone()?));
        Ok(Self {
            child,
            keyboard: File::from(master),
            pieces,
            parser: vt100::Parser::new(rows, columns, 0),
            began,
        })
    }

    /// When it was started.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the screen shows.
    pub fn shown(&self) -> String {
        self.parser.screen().contents()
    }

    /// Types bytes.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn types(&mut self, bytes: &str) -> Result<()> {
        Ok(self.keyboard.write_all(bytes.as_bytes())?)
    }

    /// Reads on until the screen is as it should be. When the bytes came that made it so.
    ///
    /// # Errors
    /// When it does not become so within a minute, or the program ends before.
    pub fn until(&mut self, is_so: impl Fn(&str) -> bool) -> Result<Instant> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok((at, piece)) = self.pieces.recv_timeout(left) else {
                bail!(
                    "the screen did not become what it should:\n{}",
                    self.shown()
                );
            };
            self.take(&piece)?;
            if is_so(&self.shown()) {
                return Ok(at);
            }
        }
    }

    /// Reads on for so long.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn read_for(&mut self, time: Duration) -> Result<()> {
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.pieces.recv_timeout(left) {
                Ok((_at, piece)) => self.take(&piece)?,
                Err(mpsc::RecvTimeoutError::Timeout) => return Ok(()),
                Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the program ended"),
            }
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<()> {
        self.parser.process(piece);
        let text = String::from_utf8_lossy(piece);
        for (question, answer) in QUESTIONS {
            if text.contains(question) {
                self.keyboard.write_all(answer.as_bytes())?;
            }
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// What a terminal is sent, piece by piece, with the time.
fn read(mut master: File) -> mpsc::Receiver<(Instant, Vec<u8>)> {
    let (sender, pieces) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(count @ 1..) = master.read(&mut bytes) {
            let piece = bytes.get(..count).unwrap_or_default().to_vec();
            if sender.send((Instant::now(), piece)).is_err() {
                return;
            }
        }
    });
    pieces
}
