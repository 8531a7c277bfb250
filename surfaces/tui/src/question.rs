//! A question and the line that answers it.
//!
//! Nothing that was typed before a question stood there answers it. The answer is a line with its
//! Enter, as in line mode. While a draft is begun, keys go on into the draft until Tab says otherwise;
//! and on an empty draft they do so until it was quiet for a while. A paste is a reason behind a no and
//! never an answer.

use domain::event::{ConfirmationAnswer, ConfirmationRequest};
use domain::id::ConfirmationId;
use domain::tool::EffectClass;
use ratatui::text::Line;
use rendering::Paint;
use rendering::confirm::{Listener, Memory, Offer, Parts, Reply, Section, parts, shortest};
use session::LEFT_OUT;
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long no key may have come before one counts as the beginning of an answer.
pub const QUIET: Duration = Duration::from_millis(700);
/// The same after Tab, which nobody types in the midst of a word.
pub const QUIET_AFTER_TAB: Duration = Duration::from_millis(150);
/// Keys of one answer that all come within this time come from a paste that the terminal did not mark.
pub const BURST: Duration = Duration::from_millis(5);
/// The same of a line for the shell, whose keys are looked at one by one.
pub const AT_ONCE: Duration = Duration::from_millis(20);
/// How long nothing may follow an answer: a line of a paste that was not marked has more behind it.
pub const FOLLOWED: Duration = Duration::from_millis(300);
/// Longest answer, bytes.
const ANSWER_BYTES: usize = 16 << 10;

/// What is said of a line that came too fast.
const NO_ANSWER: &str = "That was typed or pasted for something else: it answers nothing.";
/// What is said where there is no room to say what a question is about.
pub const TOO_LOW: &str = "The window is too low to show it: only a no counts.";
/// What is said of a yes to what was not all in sight.
pub const UNREAD: &str = "Not all of it was in sight: Home, then PageDown to the end.";
/// What is said of a paste that is no reason.
const PASTED: &str = "What is pasted answers nothing; behind `n ` it is a message.";

/// Where keys go while a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Into the answer.
    Answer,
    /// Into the draft of the next message.
    Draft,
}

/// What of a question is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// Rows of its text that are shown at a time, 1 or more.
    pub rows: usize,
    /// How far it can be scrolled, rows.
    pub last: usize,
    /// Whether what would run is in sight only by scrolling.
    pub hides: bool,
    /// Whether there is no room to say what it is about, so that only a no counts.
    pub is_cut: bool,
    /// The row at which the first difference of a file begins.
    pub diff: Option<usize>,
    /// The row that it begins with until it is scrolled.
    pub begins: usize,
}

/// The body of a question in rows.
#[derive(Debug, Default)]
pub struct Body {
    /// The rows.
    pub rows: Vec<Line<'static>>,
    /// That at which the first difference of a file begins.
    pub diff: Option<usize>,
    /// Those from the first line that goes or comes to the last one.
    pub change: Option<Range<usize>>,
}

impl Body {
    /// The row to begin with where so many are shown: a change that has room is in sight from its first line to
    /// its last one, behind its file's name where there is room for that as well.
    #[must_use]
    pub fn begins(&self, rows: usize) -> usize {
        match (self.diff, &self.change) {
            (Some(_), Some(change)) if change.end <= rows || change.len() > rows => 0,
            (Some(diff), Some(change)) => match change.end.saturating_sub(diff) <= rows {
                true => diff,
                false => change.end - rows,
            },
            _ => 0,
        }
    }
}

/// A question as it stands on the screen.
#[derive(Debug)]
pub struct Dialog {
    requests: Vec<ConfirmationRequest>,
    parts: Parts,
    /// What it is about in fewer words.
    shortest: String,
    offer: Offer,
    answer: String,
    /// When the first key of the answer came.
    begun: Option<Instant>,
    field: Field,
    /// Whether the user turned to that field by hand.
    is_turned: bool,
    /// Whether it was drawn since it was put: before that no key is meant for it.
    is_shown: bool,
    quiet_until: Instant,
    /// How far it was scrolled, rows; `None`: not at all.
    scroll: Option<usize>,
    /// How far it was scrolled at most without passing a row over.
    read_to: usize,
    said: Option<&'static str>,
    /// The answer that counts once nothing follows it, and when it was given.
    given: Option<(Reply, Instant)>,
    /// The body as it was laid out last, and for how many columns: of a long text each key would take its
    /// time.
    laid: RefCell<Option<(usize, Rc<Body>)>>,
}

/// A text that somebody may want to send, where an answer was wanted.
fn kept(line: String) -> Option<String> {
    Some(line).filter(|line| line.trim().contains(char::is_whitespace))
}

impl Dialog {
    /// Questions that are put as one. `field`: where keys go at first. `workspace`: the folder that names
    /// of files are shown without where there is little room.
    #[must_use]
    pub fn new(
        (requests, place): (Vec<ConfirmationRequest>, Option<(usize, usize)>),
        (memory, listener): (Memory, Listener),
        field: Field,
        (now, workspace): (Instant, &Path),
    ) -> Self {
        let parts = parts(&requests, place, Paint::Colour);
        Self {
            shortest: shortest(&requests, &parts.short, workspace),
            parts,
            offer: Offer::of(&requests, memory, listener),
            requests,
            answer: String::new(),
            begun: None,
            field,
            is_turned: false,
            is_shown: false,
            quiet_until: now + QUIET,
            scroll: None,
            read_to: 0,
            said: None,
            given: None,
            laid: RefCell::default(),
        }
    }

    /// The body in rows of so many columns. `lay` makes them where that was not done yet.
    #[must_use]
    pub fn body(&self, width: usize, lay: impl FnOnce(&[Section]) -> Body) -> Rc<Body> {
        let mut laid = self.laid.borrow_mut();
        match &*laid {
            Some((known, body)) if *known == width => Rc::clone(body),
            _ => {
                let body = Rc::new(lay(&self.parts.body));
                *laid = Some((width, Rc::clone(&body)));
                body
            }
        }
    }

    /// What is asked.
    #[must_use]
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What it is about, as short as it is where there is little room.
    #[must_use]
    pub fn shortest(&self) -> &str {
        &self.shortest
    }

    /// Whether what would be done is not a change that its difference shows, and its short form, which
    /// stays in sight, leaves a part of it out: a yes then takes that all of it was in sight.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        let is_write = |one: &ConfirmationRequest| {
            matches!(
                one.effect,
                EffectClass::SelfWrite | EffectClass::SharedWrite
            )
        };
        self.parts.short.contains(LEFT_OUT) && !self.requests.iter().all(is_write)
    }

    /// The answers there are.
    #[must_use]
    pub const fn offer(&self) -> Offer {
        self.offer
    }

    /// The questions.
    #[must_use]
    pub fn into_requests(self) -> Vec<ConfirmationRequest> {
        self.requests
    }

    /// Whether this is one of its questions.
    #[must_use]
    pub fn is_about(&self, id: ConfirmationId) -> bool {
        self.requests.iter().any(|one| one.confirmation_id == id)
    }

    /// The answer so far.
    #[must_use]
    pub fn answer(&self) -> &str {
        &self.answer
    }

    /// Where keys go.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// Whether the user turned to the draft, so that what is typed there is meant for it.
    #[must_use]
    pub fn is_turned_to_draft(&self) -> bool {
        self.is_turned && self.field == Field::Draft
    }

    /// What was said to the last answer that was none.
    #[must_use]
    pub const fn said(&self) -> Option<&'static str> {
        self.said
    }

    /// When keys begin to count as an answer, if that is yet to come.
    #[must_use]
    pub fn waits_until(&self, now: Instant) -> Option<Instant> {
        let until = match self.is_shown {
            true => self.quiet_until,
            false => self.quiet_until.max(now + QUIET),
        };
        (self.field == Field::Answer && now < until).then_some(until)
    }

    /// It was drawn. Laying out a long one takes its time, and the silence begins only now.
    pub fn shown(&mut self, now: Instant) {
        if !std::mem::replace(&mut self.is_shown, true) {
            self.quiet_until = now + QUIET;
        }
    }

    /// It was out of sight: what was typed of an answer is gone, and keys count as one only after the
    /// same silence as at first.
    pub fn stand_again(&mut self, now: Instant, is_draft_begun: bool) {
        self.answer.clear();
        self.begun = None;
        self.given = None;
        self.said = None;
        self.is_turned = false;
        self.is_shown = false;
        self.quiet_until = now + QUIET;
        self.field = match is_draft_begun {
            true => Field::Draft,
            false => Field::Answer,
        };
    }

    /// Tab: keys go to the other field from now on.
    pub fn turn(&mut self, now: Instant) {
        self.field = match self.field {
            Field::Answer => Field::Draft,
            Field::Draft => Field::Answer,
        };
        self.is_turned = true;
        self.quiet_until = now + QUIET_AFTER_TAB;
    }

    /// Whether a key that types goes into the answer; one that came too early stays what it was meant
    /// for, a part of the draft.
    pub fn takes_key(&mut self, now: Instant) -> bool {
        if self.waits_until(now).is_some() {
            self.field = Field::Draft;
            self.is_turned = false;
        }
        self.field == Field::Answer
    }

    /// The draft is empty again: keys go into the answer once it was quiet.
    pub fn draft_is_empty(&mut self, now: Instant) {
        self.is_turned = false;
        if self.field == Field::Draft {
            self.field = Field::Answer;
            self.quiet_until = now + QUIET;
        }
    }

    /// A letter of the answer.
    pub fn push(&mut self, letter: char, now: Instant) {
        self.said = None;
        self.begun.get_or_insert(now);
        if self.answer.len() < ANSWER_BYTES && !letter.is_control() {
            self.answer.push(letter);
        }
    }

    /// Takes the last letter back.
    pub fn backspace(&mut self) {
        self.answer.pop();
        if self.answer.is_empty() {
            self.begun = None;
        }
    }

    /// Takes the answer back; whether there was any.
    pub fn clear(&mut self) -> bool {
        self.begun = None;
        !std::mem::take(&mut self.answer).is_empty()
    }

    /// A paste is the reason for a no whose word is typed, and else nothing.
    pub fn paste(&mut self, text: &str) {
        let word = self.answer.split(' ').next().unwrap_or_default();
        let is_no = matches!(word, "n" | "no" | "none") && self.answer.contains(' ');
        if !is_no {
            self.said = Some(PASTED);
            return;
        }
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let left = ANSWER_BYTES.saturating_sub(self.answer.len());
        let end = one_line.floor_char_boundary(left);
        self.answer
            .extend(one_line[..end].chars().filter(|one| !one.is_control()));
    }

    /// The first row of its text that is in sight.
    #[must_use]
    pub fn top(&self, sight: Sight) -> usize {
        self.scroll.unwrap_or(sight.begins).min(sight.last)
    }

    /// Scrolls from one row to another by no more rows than are shown.
    pub fn scroll_to(&mut self, from: usize, row: usize) {
        self.scroll = Some(row);
        self.said = None;
        if from <= self.read_to {
            self.read_to = self.read_to.max(row);
        }
    }

    /// Goes to a row. What lies between counts as not read.
    pub const fn jump_to(&mut self, row: usize) {
        self.scroll = Some(row);
    }

    /// Its rows are others now, on a terminal of another width: it is read from its beginning.
    pub const fn laid_anew(&mut self) {
        self.scroll = None;
        self.read_to = 0;
    }

    /// Whether all rows up to this one were in sight.
    #[must_use]
    pub const fn was_read_to(&self, row: usize) -> bool {
        self.read_to >= row
    }

    /// When the answer that was given counts, if one was.
    #[must_use]
    pub fn counts_at(&self) -> Option<Instant> {
        self.given.as_ref().map(|(_, since)| *since + FOLLOWED)
    }

    /// The answer, once nothing followed it for long enough.
    pub fn take_given(&mut self, now: Instant) -> Option<Reply> {
        let counts = self.counts_at().is_some_and(|at| now >= at);
        let given = self.given.take_if(|_| counts);
        given.map(|(reply, _)| reply)
    }

    /// Something came: right behind an answer it takes that back, and is what the line was meant for.
    pub fn followed(&mut self) {
        if self.given.take().is_some() {
            self.said = Some(NO_ANSWER);
            self.field = Field::Draft;
        }
    }

    /// Enter: gives the answer, or says why it is none. `barred`: why only a no is taken, where not all of
    /// what would run was in sight.
    ///
    /// A text of several words that answers nothing is given back, to be kept.
    pub fn enter(&mut self, now: Instant, barred: Option<&'static str>) -> Option<String> {
        let begun = self.begun.take();
        let line = std::mem::take(&mut self.answer);
        let is_empty = line.trim().is_empty();
        if !is_empty && begun.is_none_or(|begun| now.duration_since(begun) < BURST) {
            self.said = Some(NO_ANSWER);
            self.quiet_until = now + QUIET_AFTER_TAB;
            return kept(line);
        }
        let reply = self.offer.parse(&line).filter(|_| !is_empty);
        let allows = matches!(&reply, Some(Reply::All(said))
            if !matches!(said.answer, ConfirmationAnswer::Deny { .. }));
        if allows && barred.is_some() {
            self.said = barred;
            return None;
        }
        let unclear = reply.is_none().then_some(line);
        self.said = unclear.as_ref().map(|_| self.offer.unclear());
        self.given = reply.map(|reply| (reply, now));
        unclear.and_then(kept)
    }
}
