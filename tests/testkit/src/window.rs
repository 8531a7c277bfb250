//! `carl` in a window of tmux: a whole terminal, with a screen, a scrollback and job control.

use crate::program::{Carl, PATIENCE};
use std::cell::Cell;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long nothing new is waited for before the screen is looked at once more.
const LOOK: Duration = Duration::from_millis(50);
/// Longest a window is held.
const LONGEST: Duration = Duration::from_secs(120);
/// Shortest time between what is typed and the key behind it.
const KEY_GAP: Duration = Duration::from_millis(30);

/// A shell in a window, in which `carl` is `"$@"`. The window closes when this is dropped.
pub struct Window {
    folder: TempDir,
    output: mpsc::Receiver<()>,
    deadline: Instant,
    /// When something was typed last.
    typed: Cell<Instant>,
}

impl Carl {
    /// A shell in a window of so many columns and rows. Say this after all arguments and variables.
    ///
    /// # Panics
    /// When tmux cannot be started.
    #[must_use]
    pub fn in_window(self, (columns, rows): (u16, u16)) -> Window {
        let folder = TempDir::with_prefix("window").unwrap();
        let fifo = folder.path().join("output");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        let (sender, output) = mpsc::channel();
        let read = fifo.clone();
        std::thread::spawn(move || {
            use std::io::Read;
            let Ok(mut file) = std::fs::File::open(read) else {
                return;
            };
            let mut bytes = [0; 4096];
            while file.read(&mut bytes).is_ok_and(|count| count > 0) {
                if sender.send(()).is_err() {
                    return;
                }
            }
        });
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(folder.path().join("socket"));
        tmux.args(["-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", &columns.to_string(), "-y", &rows.to_string()]);
        tmux.args(["bash", "--norc", "--noprofile", "-b", "-i", "-s", "--"]);
        let mut command = self.env("PS1", "shell$ ").given_to(tmux).into_command();
        let started = command.output().unwrap();
        assert!(started.status.success(), "{started:?}");
        let window = Window {
            folder,
            output,
            deadline: Instant::now() + PATIENCE.min(LONGEST),
            typed: Cell::new(Instant::now()),
        };
        window.tmux(&["set-option", "-g", "history-limit", "50000"]);
        window.tmux(&["pipe-pane", &format!("cat > {}", fifo.display())]);
        window
    }
}

impl Window {
    fn tmux(&self, args: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.socket()).args(args);
        let done = tmux.output().unwrap();
        assert!(done.status.success(), "tmux {args:?}: {done:?}");
        done
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Starts `carl`, and waits until it shows its first frame.
    ///
    /// # Panics
    /// When it does not.
    pub fn starts(&mut self) {
        self.until("shell$");
        self.types("\"$@\"");
        self.presses(&["Enter"]);
        self.until("idle");
    }

    /// Types a text, all at once.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-l", "--", text]);
        self.typed.set(Instant::now());
    }

    /// Presses keys by the names that tmux has for them, such as `Enter`, `Escape` and `C-c`.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn presses(&self, keys: &[&str]) {
        // Keys that come within a few milliseconds of one another pass for a paste.
        while let Some(left) = KEY_GAP.checked_sub(self.typed.get().elapsed()) {
            let _new = self.output.recv_timeout(left);
        }
        self.tmux(&[&["send-keys", "--"], keys].concat());
    }

    /// Sends a signal such as `TERM` to the program that the shell runs.
    ///
    /// # Panics
    /// When it runs none.
    pub fn signals(&self, signal: &str) {
        let shell = text(&self.tmux(&["display-message", "-p", "#{pane_pid}"]));
        let shell = shell.trim();
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"));
        let children = children.unwrap();
        let child = children.split_whitespace().next().unwrap();
        let sent = Command::new("kill").args(["-s", signal, child]).status();
        assert!(sent.unwrap().success(), "{signal} to {child}");
    }

    /// Types a line as a person does, its Enter after it.
    ///
    /// # Panics
    /// When it does not appear on the screen.
    pub fn enters(&mut self, line: &str) {
        self.types(line);
        self.until(line);
        // A program that was slow to read the line has only just read its last letter.
        self.typed.set(Instant::now());
        self.presses(&["Enter"]);
    }

    /// Pastes a text; with the marks of a paste where the program asked for them.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn pastes(&self, text: &str) {
        self.tmux(&["set-buffer", "--", text]);
        self.tmux(&["paste-buffer", "-p"]);
    }

    /// Gives the window a background, such as `#ffffff`, which it tells to who asks.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn has_background(&self, colour: &str) {
        self.tmux(&["set-option", "-w", "window-style", &format!("bg={colour}")]);
    }

    /// Takes what programs copy, as tmux does with `set-clipboard on`.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn takes_copies(&self) {
        self.tmux(&["set-option", "-s", "set-clipboard", "on"]);
    }

    /// What was copied last.
    ///
    /// # Panics
    /// When nothing was, or the window is gone.
    #[must_use]
    pub fn copied(&self) -> String {
        text(&self.tmux(&["show-buffer"]))
    }

    /// Makes the window another size.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn resizes(&self, (columns, rows): (u16, u16)) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// What is on the screen.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn screen(&self) -> String {
        text(&self.tmux(&["capture-pane", "-p"]))
    }

    /// What is on the screen and in the scrollback above it, lines that the terminal wrapped joined
    /// again.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn everything(&self) -> String {
        text(&self.tmux(&["capture-pane", "-p", "-J", "-S", "-"]))
    }

    /// What is on the screen, with the codes that colour it.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn coloured_screen(&self) -> String {
        text(&self.tmux(&["capture-pane", "-p", "-e"]))
    }

    /// What is on the screen and in the scrollback above it, with the codes that colour it.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn coloured(&self) -> String {
        text(&self.tmux(&["capture-pane", "-p", "-e", "-S", "-"]))
    }

    /// The title that a program may have given the window.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn title(&self) -> String {
        text(&self.tmux(&["display-message", "-p", "#{pane_title}"]))
    }

    /// Whether the program has asked for the mouse.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn gives_mouse(&self) -> bool {
        text(&self.tmux(&["display-message", "-p", "#{mouse_any_flag}"])).trim() == "1"
    }

    /// Whether the program has rung the bell.
    ///
    /// # Panics
    /// When the window is gone.
    #[must_use]
    pub fn has_rung(&self) -> bool {
        text(&self.tmux(&["display-message", "-p", "#{window_bell_flag}"])).trim() == "1"
    }

    /// Sends bytes as a terminal would.
    ///
    /// # Panics
    /// When the window is gone.
    pub fn sends(&self, bytes: &[u8]) {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        self.tmux(&[&["send-keys", "-H"], &bytes[..]].concat());
    }

    /// Waits until the screen is as it should be, and gives it back.
    ///
    /// # Panics
    /// When it does not become so in time.
    pub fn until_screen(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        self.until_seen(what, Self::screen, is_so)
    }

    /// Waits until what is on the screen and in the scrollback above it is so.
    ///
    /// # Panics
    /// When it does not come to that in time.
    pub fn until_everything(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        self.until_seen(what, Self::everything, is_so)
    }

    fn until_seen(
        &mut self,
        what: &str,
        look: impl Fn(&Self) -> String,
        is_so: impl Fn(&str) -> bool,
    ) -> String {
        loop {
            let seen = look(self);
            if is_so(&seen) {
                return seen;
            }
            let is_late = Instant::now() >= self.deadline;
            assert!(!is_late, "no {what}:\n{}", self.everything());
            // The screen may be a little behind what was written to it.
            let _new = self.output.recv_timeout(LOOK);
            while self.output.try_recv().is_ok() {}
        }
    }

    /// Waits until a text is on the screen.
    ///
    /// # Panics
    /// When it does not come in time.
    pub fn until(&mut self, wanted: &str) -> String {
        self.until_screen(&format!("`{wanted}`"), |screen| screen.contains(wanted))
    }

    /// Waits until a text is no longer on the screen.
    ///
    /// # Panics
    /// When it stays.
    pub fn until_gone(&mut self, unwanted: &str) -> String {
        let what = format!("screen without `{unwanted}`");
        self.until_screen(&what, |screen| !screen.contains(unwanted))
    }

    /// Waits until the shell has the terminal again.
    ///
    /// # Panics
    /// When it does not come back.
    pub fn until_shell(&mut self) -> String {
        self.until_screen("prompt of the shell", |screen| {
            screen.trim_end().ends_with("shell$")
        })
    }

    /// Runs a line in the shell; what it printed.
    ///
    /// # Panics
    /// When its end does not come in time.
    pub fn shell(&mut self, line: &str) -> String {
        let file = self.folder.path().join("printed");
        let done = self.folder.path().join("done");
        let _absent = std::fs::remove_file(&done);
        let (out, end) = (file.display(), done.display());
        self.types(&format!(" {{ {line}; }} > {out} 2>&1; : > {end}"));
        self.presses(&["Enter"]);
        while !done.exists() {
            assert!(Instant::now() < self.deadline, "`{line}` does not end");
            let _new = self.output.recv_timeout(LOOK);
        }
        std::fs::read_to_string(&file).unwrap()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let mut tmux = Command::new("tmux");
        let _gone = tmux
            .arg("-S")
            .arg(self.socket())
            .arg("kill-server")
            .output();
    }
}

fn text(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned()
}
