//! The terminal's modes: set while the UI draws, and set back on every way out.

use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, supports_keyboard_enhancement,
};
use crossterm::{cursor, execute};
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::{dup2_stderr, stderr};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Whether the modes are set, for who ends this process without asking.
static ARE_SET: AtomicBool = AtomicBool::new(false);
/// Whether the terminal tells Shift+Enter apart, and was asked to.
static TELLS_KEYS: AtomicBool = AtomicBool::new(false);
/// Whether the alternate screen is shown.
static IS_ALTERNATE: AtomicBool = AtomicBool::new(false);
/// Where standard error went before.
static STDERR: Mutex<Option<OwnedFd>> = Mutex::new(None);

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
        // tmux and screen answer for themselves and tell no keys apart.
        let term = std::env::var("TERM").unwrap_or_default();
        let is_inner = term.starts_with("screen") || term.starts_with("tmux");
        enable_raw_mode()?;
        ARE_SET.store(true, Ordering::SeqCst);
        let tells = !is_inner && matches!(supports_keyboard_enhancement(), Ok(true));
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
        execute!(io::stdout(), EnableBracketedPaste)?;
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

/// Turns to the alternate screen.
///
/// # Errors
/// When the terminal cannot be written.
pub fn open_alternate() -> io::Result<()> {
    IS_ALTERNATE.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen)
}

/// Turns back to the normal one, with its cursor where it was. The alternate one is emptied before: tmux
/// moves rows of one that grew into the scrollback, above the row of its cursor.
///
/// # Errors
/// When the terminal cannot be written.
pub fn close_alternate() -> io::Result<()> {
    match IS_ALTERNATE.swap(false, Ordering::SeqCst) {
        true => execute!(
            io::stdout(),
            cursor::MoveTo(0, 0),
            Clear(ClearType::All),
            LeaveAlternateScreen
        ),
        false => Ok(()),
    }
}

/// Sets the modes back. A terminal that is gone needs nothing.
pub fn set_back() {
    if let Some(before) = STDERR.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _gone = dup2_stderr(&before);
    }
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
        crossterm::terminal::EnableLineWrap,
        cursor::Show
    );
    let _gone = disable_raw_mode();
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
