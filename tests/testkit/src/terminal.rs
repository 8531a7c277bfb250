//! `carl` at a terminal, with someone there who answers its questions.

use crate::program::{Carl, Finished, PATIENCE};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What every question ends with, before the answer.
const PROMPTS: [&str; 2] = ["message to the agent: ", "[y]es, [n]o: "];

/// Whether a terminal shows what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Echo {
    On,
    Off,
}

/// How fast what is written comes to a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Fast,
    /// So many bytes a second.
    Slow(usize),
}

/// How many pieces a second come over a slow line.
const PIECES_A_SECOND: usize = 20;

/// Where standard output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Printed {
    Apart,
    OnScreen,
}

/// A run at a terminal that ended.
#[derive(Debug, Clone)]
pub struct Attended {
    /// The process; its complaints are what the terminal showed.
    pub finished: Finished,
    /// The questions as they stood on the screen, each from the end of the one before.
    pub questions: Vec<String>,
}

impl Carl {
    /// Runs it to its end at a terminal. `answer` is given each question as it stands on the screen
    /// with its number, from 0, and says what is typed, without a line end.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than it may.
    pub fn at_terminal(self, answer: impl FnMut(&str, usize) -> String) -> Attended {
        // What is typed is not shown again: the screen holds what `carl` says and nothing else.
        self.at_screen(&PROMPTS, (Echo::Off, Printed::Apart), answer)
    }

    /// The same with the answer on the screen as well, as a person sees it.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than it may.
    pub fn on_screen(self, answer: impl FnMut(&str, usize) -> String) -> Attended {
        self.at_screen(&PROMPTS, (Echo::Off, Printed::OnScreen), answer)
    }

    /// The same, for questions that end with any of these texts, at a terminal that shows what is
    /// typed unless `carl` switches that off.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than it may.
    pub fn typing(self, prompts: &[&str], answer: impl FnMut(&str, usize) -> String) -> Attended {
        self.at_screen(prompts, (Echo::On, Printed::Apart), answer)
    }

    /// The same with the answer on the screen as well: for a chat, whose prompt stands there too.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than it may.
    pub fn talking(self, prompts: &[&str], answer: impl FnMut(&str, usize) -> String) -> Attended {
        self.at_screen(prompts, (Echo::Off, Printed::OnScreen), answer)
    }

    fn at_screen(
        self,
        prompts: &[&str],
        (echo, printed): (Echo, Printed),
        mut answer: impl FnMut(&str, usize) -> String,
    ) -> Attended {
        let patience = self.patience();
        let (master, side) = terminal(echo);
        let mut command = self.into_command();
        command
            .stdin(Stdio::from(side.try_clone().unwrap()))
            .stdout(match printed {
                Printed::Apart => Stdio::piped(),
                Printed::OnScreen => Stdio::from(side.try_clone().unwrap()),
            })
            .stderr(Stdio::from(side));
        let mut child = command.spawn().unwrap();
        // Its copies of the terminal would keep the screen open after the end.
        drop(command);
        let stdout = child.stdout.take();
        let printed = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _read = stdout.map(|mut stdout| stdout.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let (pieces, _screen) = screen(master.try_clone().unwrap(), Line::Fast);
        let mut keyboard = File::from(master);
        let deadline = Instant::now() + patience;
        let (mut shown, mut read, mut questions) = (String::new(), 0, Vec::new());
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match pieces.recv_timeout(left) {
                Ok(piece) => shown.push_str(&String::from_utf8_lossy(&piece)),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let _killed = child.kill();
                    panic!("`carl` did not end within {patience:?}; so far:\n{shown}")
                }
            }
            let next = |from: &str| {
                let found = prompts
                    .iter()
                    .filter_map(|p| Some((from.find(p)?, p.len())));
                found.min()
            };
            while let Some((at, length)) = next(&shown[read..]) {
                let question = shown[read..read + at].to_owned();
                read += at + length;
                let typed = answer(&question, questions.len());
                questions.push(question);
                // It may have ended without waiting for the answer.
                let _typed = keyboard.write_all(format!("{typed}\n").as_bytes());
            }
        }
        let finished = Finished {
            code: child.wait().unwrap().code(),
            stdout: printed.join().unwrap(),
            stderr: shown,
        };
        Attended {
            finished,
            questions,
        }
    }
}

/// `carl` at a terminal under way, with someone there who types when they like. Killed when dropped.
pub struct Seated {
    child: Child,
    pieces: mpsc::Receiver<Vec<u8>>,
    screen: Option<JoinHandle<()>>,
    keyboard: File,
    shown: String,
    read: usize,
    deadline: Instant,
}

impl Carl {
    /// Starts it at a terminal that shows what is typed.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn seated(self) -> Seated {
        self.seated_at(Line::Fast)
    }

    /// The same at the end of a line that carries so many bytes a second to the screen.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn seated_far_away(self, bytes_a_second: usize) -> Seated {
        self.seated_at(Line::Slow(bytes_a_second))
    }

    fn seated_at(self, line: Line) -> Seated {
        let (master, side) = terminal(Echo::On);
        let mut command = self.into_command();
        command
            .stdin(Stdio::from(side.try_clone().unwrap()))
            .stdout(Stdio::from(side.try_clone().unwrap()))
            .stderr(Stdio::from(side));
        let child = command.spawn().unwrap();
        let (pieces, screen) = screen(master.try_clone().unwrap(), line);
        Seated {
            child,
            pieces,
            screen: Some(screen),
            keyboard: File::from(master),
            shown: String::new(),
            read: 0,
            deadline: Instant::now() + PATIENCE,
        }
    }
}

impl Carl {
    /// Starts a shell with job control at a terminal, in which this is `"$@"`. It says at once when a
    /// job is stopped. Say this after all arguments and variables.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn in_shell(self) -> Seated {
        let mut shell = Command::new("setsid");
        shell.args([
            "--ctty",
            "bash",
            "--norc",
            "--noprofile",
            "-b",
            "-i",
            "-s",
            "--",
        ]);
        self.given_to(shell).seated()
    }
}

impl Carl {
    /// Starts a chat and waits for its first prompt.
    ///
    /// # Panics
    /// When it cannot be started, or ends before.
    #[must_use]
    pub fn at_prompt(self) -> Seated {
        let mut seat = self.seated();
        seat.until("/help");
        seat.until("> ");
        seat
    }
}

impl Seated {
    /// Leaves the chat, which ends well: everything that was on its screen.
    ///
    /// # Panics
    /// When it does not.
    pub fn leaves(mut self) -> String {
        self.types("/quit\n");
        let finished = self.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stderr
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Types this; a line feed is Enter.
    ///
    /// # Panics
    /// When the terminal takes nothing more.
    pub fn types(&mut self, text: &str) {
        self.types_bytes(text.as_bytes());
    }

    /// Types bytes, which need be no text.
    ///
    /// # Panics
    /// When the terminal takes nothing more.
    pub fn types_bytes(&mut self, bytes: &[u8]) {
        self.keyboard.write_all(bytes).unwrap();
    }

    /// Waits until a text is on the screen, after what was waited for before; what stands between.
    ///
    /// # Panics
    /// When it does not come in time or before the end.
    pub fn until(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.shown[self.read..].find(text) {
                let between = self.shown[self.read..self.read + at].to_owned();
                self.read += at + text.len();
                return between;
            }
            assert!(self.goes_on(), "it ended without `{text}`:\n{}", self.shown);
        }
    }

    /// Everything on the screen so far.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Presses Ctrl-C, as a terminal passes it on that is no longer read key by key.
    ///
    /// # Panics
    /// When the process is gone.
    pub fn interrupts(&mut self) {
        self.signals(rustix::process::Signal::INT);
    }

    /// Tells it that its terminal is gone, as closing the window does.
    ///
    /// # Panics
    /// When the process is gone.
    pub fn hangs_up(&mut self) {
        self.signals(rustix::process::Signal::HUP);
    }

    /// Asks it to end, as `kill` does.
    ///
    /// # Panics
    /// When the process is gone.
    pub fn terminates(&mut self) {
        self.signals(rustix::process::Signal::TERM);
    }

    /// Stops it where it is, so that what comes meanwhile waits for it.
    ///
    /// # Panics
    /// When the process is gone.
    pub fn stands_still(&mut self) {
        self.signals(rustix::process::Signal::STOP);
    }

    /// Lets it go on from there.
    ///
    /// # Panics
    /// When the process is gone.
    pub fn continues(&mut self) {
        self.signals(rustix::process::Signal::CONT);
    }

    /// Closes the window: the terminal is gone, then the process is told so. Its exit code.
    ///
    /// # Panics
    /// When the process was gone before.
    pub fn closes_window(mut self) -> Option<i32> {
        // The screen ends with what nobody takes, and what is typed comes there.
        self.pieces = mpsc::channel().1;
        self.types(" ");
        self.keyboard = File::open("/dev/null").unwrap();
        self.screen.take().unwrap().join().unwrap();
        self.hangs_up();
        self.child.wait().unwrap().code()
    }

    fn signals(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end in time.
    pub fn finish(mut self) -> Finished {
        while self.goes_on() {}
        Finished {
            code: self.child.wait().unwrap().code(),
            stdout: String::new(),
            stderr: std::mem::take(&mut self.shown),
        }
    }

    /// Waits for its end, whatever of its output the terminal has not taken; its exit code.
    ///
    /// # Panics
    /// When it does not end in time.
    pub fn ends_unread(mut self) -> Option<i32> {
        let (sender, ended) = mpsc::channel();
        let pid = self.child.id();
        std::thread::spawn(move || {
            let _nobody_waits = sender.send(self.child.wait().unwrap().code());
        });
        let ended = ended.recv_timeout(PATIENCE);
        ended.unwrap_or_else(|_| panic!("{pid} did not end within {PATIENCE:?}"))
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }

    /// Takes the next piece of the screen; false at the end.
    fn goes_on(&mut self) -> bool {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.pieces.recv_timeout(left) {
            Ok(piece) => {
                self.shown.push_str(&String::from_utf8_lossy(&piece));
                true
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => false,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _killed = self.child.kill();
                panic!("nothing more within {PATIENCE:?}; so far:\n{}", self.shown)
            }
        }
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// What is shown of what came: a terminal takes the switch of its paste marks without showing it.
fn on_screen(piece: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(piece);
    match text.contains("\x1b[?2004") {
        true => {
            let shown = text.replace("\x1b[?2004h", "");
            shown.replace("\x1b[?2004l", "").into_bytes()
        }
        false => piece.to_vec(),
    }
}

/// Both sides of a terminal: the keyboard and screen, and what `carl` sees.
fn terminal(echo: Echo) -> (OwnedFd, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let side = ioctl_tiocgptpeer(&master, flags).unwrap();
    let mut modes = tcgetattr(&side).unwrap();
    modes.local_modes.set(LocalModes::ECHO, echo == Echo::On);
    tcsetattr(&side, OptionalActions::Now, &modes).unwrap();
    (master, side)
}

/// What appears on the screen, piece by piece, until the last program has left the terminal.
fn screen(master: OwnedFd, line: Line) -> (mpsc::Receiver<Vec<u8>>, JoinHandle<()>) {
    let (sender, pieces) = mpsc::channel();
    let screen = std::thread::spawn(move || {
        let mut screen = File::from(master);
        let mut bytes = match line {
            Line::Fast => vec![0; 4096],
            Line::Slow(bytes_a_second) => vec![0; (bytes_a_second / PIECES_A_SECOND).max(1)],
        };
        // Nothing comes here: what is waited for is the time.
        let (_never, nothing) = mpsc::channel::<()>();
        while let Ok(count) = screen.read(&mut bytes) {
            if let Line::Slow(_) = line {
                let pause = Duration::from_secs(1) / u32::try_from(PIECES_A_SECOND).unwrap();
                let _over = nothing.recv_timeout(pause);
            }
            if count == 0 || sender.send(on_screen(&bytes[..count])).is_err() {
                break;
            }
        }
    });
    (pieces, screen)
}
