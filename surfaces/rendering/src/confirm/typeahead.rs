//! What was typed or pasted for something else, and is no answer to a question that came meanwhile; and
//! how much is kept of a reason that is pasted behind a no.

use super::terminal::read_line;
use crate::pastes::{self, BEGINS, ENDS};
use crate::print_error;
use domain::limits::CONFIRMATION_WAIT;
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is said of a line that is no answer.
const NO_ANSWER: &str = "  That was typed or pasted for something else: it answers nothing.\n";

/// A line of so many bytes may have been cut by the terminal (N_TTY_BUF_SIZE in Linux).
const CUT_BYTES: usize = 4_095;
/// Most of a pasted reason, bytes; what is longer is left out.
const REASON_BYTES: usize = 16 << 10;
/// After how long a line is none of a paste whose end did not come.
const LATER: Duration = Duration::from_secs(5);

/// Tells answers from what was not meant as one, while a question stands.
#[derive(Debug)]
pub struct Typeahead {
    is_terminal: bool,
    /// The terminal marks what is pasted.
    is_marked: bool,
    /// The line that comes next was begun before the question was there.
    was_begun: bool,
    is_pasting: bool,
    /// When the last line came.
    last: Instant,
}

impl Typeahead {
    /// Before a question is shown. [`Self::throw_away`] once it is.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn begin() -> io::Result<Self> {
        let is_terminal = io::stdin().is_terminal();
        let is_marked = pastes::mark()?;
        Ok(Self {
            is_terminal,
            is_marked,
            was_begun: false,
            is_pasting: pastes::is_left_open(),
            last: Instant::now(),
        })
    }

    /// Whether a line was meant as an answer; says so when it was not.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn is_answer(&mut self, line: &str) -> io::Result<bool> {
        // A line of a paste has more behind it, its end at least: the terminal may have taken the mark
        // before it for something that was typed and mended, but not what comes after it.
        let is_followed = self.is_terminal && pastes::is_followed()?;
        let is_answer = self.judge(line, Instant::now()) && !is_followed;
        if is_followed {
            self.throw_away()?;
        }
        if !is_answer {
            print_error(NO_ANSWER)?;
        }
        Ok(is_answer)
    }

    fn judge(&mut self, line: &str, now: Instant) -> bool {
        let was_begun = std::mem::take(&mut self.was_begun);
        // One whose end never came is over when a line comes by itself, later.
        let is_late = now.duration_since(std::mem::replace(&mut self.last, now)) >= LATER;
        let was_pasting = self.is_pasting && !is_late;
        let is_marked = line.contains(BEGINS) || line.contains(ENDS);
        // The terminal cuts a line that is too long, and the mark of its end with it.
        let is_cut = line.len() >= CUT_BYTES;
        self.is_pasting = pastes::is_open_after(was_pasting, line.as_bytes()) && !is_cut;
        // Whoever typed `n` and pastes the reason says no, whatever is pasted.
        let is_no = || {
            let typed = line.split(BEGINS).next().unwrap_or_default();
            typed.trim_end() == "n" && line.matches(BEGINS).count() == 1 && !self.is_pasting
        };
        !was_begun && !was_pasting && !is_cut && (!is_marked || is_no())
    }

    /// Whether a line is a typed no with the beginning of a paste behind it, which is its reason: the
    /// one thing that may be answered with a paste of several lines, since nothing in it makes a yes of
    /// a no.
    pub fn begins_reason(&self, line: &str) -> bool {
        let Some((typed, pasted)) = line.split_once(BEGINS) else {
            return false;
        };
        let is_no = matches!(typed.trim(), "n" | "no" | "none");
        let is_open = !pasted.contains(BEGINS) && !pasted.contains(ENDS);
        let is_whole = !self.was_begun && !self.is_pasting && line.len() < CUT_BYTES;
        is_no && is_open && is_whole
    }

    /// What is left of the paste that [`Self::begins_reason`] saw.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub fn rest_of_reason(&mut self) -> io::Result<String> {
        let rest = pastes::rest(REASON_BYTES)?;
        self.is_pasting = pastes::is_left_open();
        self.last = Instant::now();
        Ok(String::from_utf8_lossy(&rest).into_owned())
    }

    /// Throws away what comes at once behind a reason, which nobody typed as an answer to what is asked
    /// next.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub fn throw_away_what_follows(&mut self) -> io::Result<()> {
        if self.is_terminal && pastes::is_followed()? {
            self.throw_away()?;
        }
        Ok(())
    }

    /// Throws away what was typed before the question was there, or after an answer that was not
    /// understood: the rest of the same text, most likely. Of a line that is begun, the rest as well,
    /// as soon as it comes.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub fn throw_away(&mut self) -> io::Result<()> {
        if self.is_terminal {
            let waited = pastes::waiting()?;
            tcflush(io::stdin(), QueueSelector::IFlush)?;
            self.is_pasting = pastes::is_open_after(self.is_pasting, &waited);
            let is_whole = waited.ends_with(b"\n") || waited.ends_with(ENDS.as_bytes());
            self.was_begun = !waited.is_empty() && !is_whole;
        }
        Ok(())
    }
}

/// Asks a question of ours whose answer is no unless it is a yes; so are silence and the end of input.
/// What is neither is asked again.
///
/// # Errors
/// When the terminal cannot be written or read.
pub fn is_yes(question: &str) -> io::Result<bool> {
    let answer = is_yes_unless(question, &AtomicBool::new(false))?;
    Ok(answer == Some(true))
}

/// The same; `None` when `is_closed` was set before there was an answer.
///
/// # Errors
/// As [`is_yes`].
pub fn is_yes_unless(question: &str, is_closed: &AtomicBool) -> io::Result<Option<bool>> {
    let mut ahead = Typeahead::begin()?;
    print_error(question)?;
    ahead.throw_away()?;
    loop {
        print_error(" [y/N] ")?;
        let until = Instant::now() + CONFIRMATION_WAIT;
        let line = read_line(is_closed, Some(until))?.unwrap_or_default();
        if line.is_empty() {
            print_error("\n")?;
            return Ok((!is_closed.load(Ordering::SeqCst)).then_some(false));
        }
        if !ahead.is_answer(&line)? {
            continue;
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(true)),
            "" | "n" | "no" => return Ok(Some(false)),
            _ => print_error("Please answer y or n.")?,
        }
    }
}

impl Drop for Typeahead {
    fn drop(&mut self) {
        // The next question goes on where this one ends.
        pastes::leave(self.is_pasting);
        if self.is_marked {
            let _told = pastes::unmark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_or_was_begun_before_is_no_answer() {
        let lines = |was_begun: bool, lines: &[&str]| -> Vec<bool> {
            let now = Instant::now();
            let mut ahead = Typeahead {
                is_terminal: false,
                is_marked: false,
                was_begun,
                is_pasting: false,
                last: now,
            };
            lines.iter().map(|line| ahead.judge(line, now)).collect()
        };
        assert_eq!(lines(false, &["y\n"]), [true]);
        assert_eq!(lines(true, &["s\n", "y\n"]), [false, true]);
        let pasted = ["\x1b[200~Dear all,\n", "y\n", "Eve\x1b[201~\n", "n\n"];
        assert_eq!(lines(false, &pasted), [false, false, false, true]);
        let twice = ["\x1b[200~y\x1b[201~\x1b[200~y\n", "y\n"];
        assert_eq!(lines(false, &twice), [false, false]);
        let reason = [
            "n \x1b[200~not Bremen\x1b[201~\n",
            "yn \x1b[200~no\x1b[201~\n",
        ];
        assert_eq!(lines(false, &reason), [true, false]);
        let begins = |line: &str| {
            let ahead = Typeahead {
                is_terminal: false,
                is_marked: true,
                was_begun: false,
                is_pasting: false,
                last: Instant::now(),
            };
            ahead.begins_reason(line)
        };
        assert!(begins("n \x1b[200~not Bremen,\n") && begins("no\x1b[200~\n"));
        let none = [
            "n not Bremen\n",
            "y \x1b[200~not Bremen,\n",
            "\x1b[200~n not Bremen,\n",
            "n \x1b[200~not\x1b[201~ Bremen,\n",
            "n \x1b[200~not\x1b[200~ Bremen,\n",
        ];
        assert!(!none.into_iter().any(begins));
        let cut = format!("\x1b[200~{}\n", "q".repeat(CUT_BYTES));
        assert_eq!(lines(false, &[&cut, "n\n"]), [false, true]);
    }
}
