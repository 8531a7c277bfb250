//! Keys that came one right behind the other, as those of a paste do that the terminal does not mark.

use crate::question::AT_ONCE;
use std::time::Instant;

/// Letters before a line end that nobody types so fast.
const LETTERS: u32 = 3;

/// What a line end is among such keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// Enter, typed by itself.
    Alone,
    /// What comes right behind it says what it is.
    Open,
    /// One of a paste.
    Pasted,
}

/// The keys that came last.
#[derive(Debug, Clone, Copy, Default)]
pub struct Burst {
    letters: u32,
    last: Option<Instant>,
    /// A line end behind letters, of which it is not known yet what it is.
    line_end: Option<Instant>,
    is_paste: bool,
}

impl Burst {
    /// When a line end counts as Enter behind which nothing came.
    #[must_use]
    pub fn wakes_at(&self) -> Option<Instant> {
        self.line_end.map(|at| at + AT_ONCE)
    }

    /// A letter or a tab came; whether it is one of a paste, and so is the line end before it that was
    /// open.
    pub fn letter(&mut self, now: Instant) -> bool {
        self.came(now);
        self.letters += 1;
        self.is_paste |= self.line_end.is_some();
        self.is_paste
    }

    /// A letter or a line end came; whether it goes on with a paste, so that it can be taken together with
    /// those around it.
    pub fn goes_on(&mut self, now: Instant) -> bool {
        let is_near = self.last.is_some_and(|last| is_near(last, now));
        if is_near && self.is_paste && self.line_end.is_none() {
            self.last = Some(now);
            return true;
        }
        false
    }

    /// A line end came.
    pub fn line_end(&mut self, now: Instant) -> LineEnd {
        self.came(now);
        self.is_paste |= self.line_end.is_some();
        match (self.is_paste, self.letters) {
            (true, _) => LineEnd::Pasted,
            (false, LETTERS..) => {
                self.line_end = Some(now);
                LineEnd::Open
            }
            (false, _) => LineEnd::Alone,
        }
    }

    /// Whether letters came right before the line end, so that nobody saw the line before it.
    #[must_use]
    pub const fn has_letters(&self) -> bool {
        self.letters > 0
    }

    /// Takes the line end that is open: when it came.
    pub fn take_open(&mut self) -> Option<Instant> {
        self.line_end.take()
    }

    /// The same where nothing came right behind it.
    pub fn take_due(&mut self, now: Instant) -> Option<Instant> {
        self.line_end.take_if(|at| now >= *at + AT_ONCE)
    }

    /// A key came: behind a pause others begin.
    fn came(&mut self, now: Instant) {
        if !self.last.is_some_and(|last| is_near(last, now)) {
            *self = Self::default();
        }
        self.last = Some(now);
    }
}

/// Whether a key came right behind another.
fn is_near(last: Instant, now: Instant) -> bool {
    now.duration_since(last) < AT_ONCE
}
