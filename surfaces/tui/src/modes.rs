//! The terminal's modes: set while the UI draws, and set back on every way out.

use crate::message::Reason;
use crate::notification::Notification;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::{dup2_stderr, stderr};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Whether the modes are set, for who ends this process without asking.
static ARE_SET: AtomicBool = AtomicBool::new(false);
/// Whether the terminal is asked to tell Shift+Enter apart.
static TELLS_KEYS: AtomicBool = AtomicBool::new(false);
/// Whether the alternate screen is shown.
static IS_ALTERNATE: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is asked for on the alternate screen.
static TAKES_MOUSE: AtomicBool = AtomicBool::new(false);
/// Reports presses and the wheel, and their places as numbers of any size.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
/// No longer.
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1000l";
/// Where standard error went before.
static STDERR: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// What is being written to the terminal, by how many callers within one another.
static WRITING: AtomicUsize = AtomicUsize::new(0);
/// How much was written before.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Something that is being written, until this is dropped.
#[derive(Debug)]
pub struct Writing(());

/// Says that something is written from now on.
#[must_use]
pub fn writing() -> Writing {
    WRITING.fetch_add(1, Ordering::SeqCst);
    Writing(())
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITTEN.fetch_add(1, Ordering::SeqCst);
        WRITING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What is being written, by its number, if anything is.
#[must_use]
pub fn being_written() -> Option<u64> {
    let is_any = WRITING.load(Ordering::SeqCst) > 0;
    is_any.then(|| WRITTEN.load(Ordering::SeqCst))
}

/// Whether the modes are set back, and the terminal took all that this needs.
#[must_use]
pub fn are_set_back() -> bool {
    !ARE_SET.load(Ordering::SeqCst) && being_written().is_none()
}

/// Sets back what takes no output.
pub fn give_up() {
    let _gone = disable_raw_mode();
}

/// Whose the mouse is on the alternate screen. Elsewhere it is the terminal's: it selects and scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    /// The terminal's.
    #[default]
    Terminal,
    /// This UI's.
    Ui,
}

/// Says whose the mouse is, before the alternate screen is turned to.
pub fn take_mouse(mouse: Mouse) {
    TAKES_MOUSE.store(mouse == Mouse::Ui, Ordering::SeqCst);
}

/// The modes, set back when this is dropped.
#[derive(Debug)]
pub struct Modes(());

impl Modes {
    /// Sets them, also for a panic.
    ///
    /// # Errors
    /// When the terminal takes no settings.
    pub fn set() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |what| {
                set_back();
                before(what);
            }));
        });
        // One that does not know the wish passes over it, so none is asked whether it does: a terminal
        // that answers nothing would be waited for. tmux and screen tell no keys apart, and old Linux
        // consoles would print it.
        let term = std::env::var("TERM").unwrap_or_default();
        let others = ["screen", "tmux", "linux", "vt"];
        let tells = !others.iter().any(|other| term.starts_with(other));
        TELLS_KEYS.store(tells, Ordering::SeqCst);
        let modes = Self(());
        modes.again()?;
        Ok(modes)
    }

    /// Sets them once more, after they were set back.
    ///
    /// # Errors
    /// When the terminal takes no settings.
    pub fn again(&self) -> io::Result<()> {
        enable_raw_mode()?;
        ARE_SET.store(true, Ordering::SeqCst);
        execute!(io::stdout(), EnableBracketedPaste, EnableFocusChange)?;
        if TELLS_KEYS.load(Ordering::SeqCst) {
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            execute!(io::stdout(), PushKeyboardEnhancementFlags(flags))?;
        }
        Ok(())
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        set_back();
    }
}

/// The columns and rows of the terminal. One that does not know them, such as a serial line, has the usual
/// ones.
///
/// # Errors
/// When it cannot be asked.
pub fn size() -> io::Result<(u16, u16)> {
    let (columns, rows) = crossterm::terminal::size()?;
    Ok(known_size(columns, rows))
}

/// A size, with the usual one in place of what is not known.
#[must_use]
pub const fn known_size(columns: u16, rows: u16) -> (u16, u16) {
    (
        if columns == 0 { 80 } else { columns },
        if rows == 0 { 24 } else { rows },
    )
}

/// Turns to the alternate screen.
///
/// # Errors
/// When the terminal cannot be written.
pub fn open_alternate() -> io::Result<()> {
    IS_ALTERNATE.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen)?;
    if TAKES_MOUSE.load(Ordering::SeqCst) {
        io::stdout().write_all(MOUSE_ON)?;
        io::stdout().flush()?;
    }
    Ok(())
}

/// Turns back to the normal one, with its cursor where it was. The alternate one is emptied before: tmux
/// moves rows of one that grew into the scrollback, above the row of its cursor.
///
/// # Errors
/// When the terminal cannot be written.
pub fn close_alternate() -> io::Result<()> {
    if !IS_ALTERNATE.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    if TAKES_MOUSE.load(Ordering::SeqCst) {
        io::stdout().write_all(MOUSE_OFF)?;
    }
    execute!(
        io::stdout(),
        cursor::MoveTo(0, 0),
        Clear(ClearType::All),
        LeaveAlternateScreen
    )
}

/// Sets the modes back. A terminal that is gone needs nothing.
pub fn set_back() {
    if let Some(before) = STDERR.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _gone = dup2_stderr(&before);
    }
    let _writing = writing();
    if !ARE_SET.swap(false, Ordering::SeqCst) {
        return;
    }
    let _gone = close_alternate();
    if TELLS_KEYS.load(Ordering::SeqCst) {
        let _gone = execute!(io::stdout(), PopKeyboardEnhancementFlags);
    }
    let _gone = execute!(
        io::stdout(),
        DisableBracketedPaste,
        DisableFocusChange,
        crossterm::terminal::EnableLineWrap,
        cursor::Show
    );
    let _gone = disable_raw_mode();
}

/// Calls the user: by the bell, and by a notification where the terminal is known to show one.
///
/// # Errors
/// When the terminal cannot be written.
pub fn call(reason: Reason) -> io::Result<()> {
    let shown = Notification::taken(|name| std::env::var(name).ok());
    let mut out = io::stdout();
    write!(out, "{}\x07", shown.sequence(reason.text()))?;
    out.flush()
}

/// Gives the terminal a text for its clipboard (OSC 52). Whether it takes it is not told.
///
/// # Errors
/// When the terminal cannot be written.
pub fn copy(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    write!(out, "\x1b]52;c;{}\x07", STANDARD.encode(text))?;
    out.flush()
}

/// Lines that this process writes to standard error while that is the terminal, which they would tear
/// apart. Standard error is as it was once the modes are set back.
///
/// # Errors
/// When there is no pipe to be had.
pub fn catch_log() -> io::Result<UnboundedReceiver<String>> {
    let (sender, lines) = unbounded_channel();
    if !io::stderr().is_terminal() {
        // Nothing ever comes, and nobody waits for it.
        drop(sender);
        return Ok(lines);
    }
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    let before = stderr().try_clone_to_owned()?;
    *STDERR.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
    dup2_stderr(&writer)?;
    std::thread::spawn(move || {
        for line in BufReader::new(File::from(reader))
            .lines()
            .map_while(Result::ok)
        {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::terminal::is_raw_mode_enabled;
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    use rustix::termios::tcgetattr;
    use std::io::Read;
    use std::process::{Command, Stdio};

    /// Set in the process that panics.
    const PANICS: &str = "HOUSECARL_TEST_PANICS";

    /// Sets the modes, as the driver does, and panics.
    fn panic_while_drawing() {
        let _modes = Modes::set().unwrap();
        open_alternate().unwrap();
        let is_raw = is_raw_mode_enabled().unwrap();
        writeln!(io::stdout(), "raw: {is_raw}").unwrap();
        let _log = catch_log().unwrap();
        panic!("on purpose");
    }

    #[test]
    fn a_panic_leaves_the_terminal_as_it_was() {
        if std::env::var_os(PANICS).is_some() {
            panic_while_drawing();
        }
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let side = ioctl_tiocgptpeer(&master, flags).unwrap();
        let before = format!("{:?}", tcgetattr(&side).unwrap());
        let end = || Stdio::from(side.try_clone().unwrap());
        let mut child = Command::new("setsid")
            .args(["--ctty", "--wait"])
            .arg(std::env::current_exe().unwrap())
            .args([
                "modes::tests::a_panic_leaves_the_terminal_as_it_was",
                "--exact",
            ])
            .arg("--nocapture")
            .env(PANICS, "1")
            .env("TERM", "screen")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let mut terminal = File::from(master);
        let reader = std::thread::spawn(move || {
            let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
            // Once nobody has the other side, reading fails.
            while let Ok(count) = terminal.read(&mut bytes)
                && count > 0
            {
                all.extend_from_slice(&bytes[..count]);
            }
            String::from_utf8_lossy(&all).into_owned()
        });
        let ended = child.wait().unwrap();
        let after = format!("{:?}", tcgetattr(&side).unwrap());
        drop((side, child));
        let shown = reader.join().unwrap();
        assert!(!ended.success(), "{shown}");
        assert!(shown.contains("raw: true"), "{shown}");
        assert_eq!(after, before, "{shown}");
        let at = |text: &str| {
            shown
                .find(text)
                .unwrap_or_else(|| panic!("{text:?}: {shown:?}"))
        };
        // The message stands on the normal screen, and nothing of ours is left on.
        let (opened, closed) = (at("\x1b[?1049h"), at("\x1b[?1049l"));
        let told = at("on purpose");
        assert!(opened < closed && closed < told, "{shown:?}");
        assert!(at("\x1b[?2004h") < at("\x1b[?2004l"), "{shown:?}");
        assert!(at("\x1b[?25h") < told, "{shown:?}");
    }
}
