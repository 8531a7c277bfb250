//! Takes text as it streams in and decides, as early as it can, what each part of it is.
//!
//! Every decision needs only text up to some point, and is put off until that point is there. So
//! the pieces together are the same however the text was cut.

use super::begun::{self, Begun};
use super::forms::{self, Position, Run};
use super::found::{LeakedCall, Piece};
use super::input::{Input, Match};
use super::offered::Offered;
use super::{fence, harmony, repair, thinking, unusable};
use domain::limits;
use domain::tool::ToolDefinition;

/// Held text above this is looked at again only when it has grown by an eighth, so that a long
/// call that arrives letter by letter costs linear time.
const EAGER_BYTES: usize = 256;

/// Longest run of calls that is recovered, bytes.
const CALL_BYTES: usize = 2 * limits::TOOL_ARGUMENT_BYTES;

/// How often calls are looked for in vain in one reply before the rest of it is taken as text, so
/// that a reply made of false beginnings cannot keep us busy.
const LOOKS: usize = 10_000;

/// Which kind of text the next character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Text for people.
    Prose,
    /// A code block: text for people in which nothing is looked for.
    Block,
    /// Thinking, until one of these.
    Thinking(&'static [&'static str]),
}

/// What became of the text at hand.
enum Step {
    /// So many bytes are dealt with.
    Took(usize),
    /// It is too early to tell.
    More,
}

/// Splits a model's text into visible text, thinking and calls.
#[derive(Debug)]
pub struct Splitter {
    offered: Offered,
    mode: Mode,
    /// What is not decided.
    rest: String,
    /// How long that must be before it is worth another look.
    look_at: usize,
    /// Visible text given out.
    said: String,
    /// White space after it, given out when more text follows.
    space: String,
    starts_line: bool,
    /// Something was just taken out of the text, so white space after it goes too.
    took_out: bool,
    has_calls: bool,
    /// A call was left as text.
    has_left: bool,
    has_thinking: bool,
    thinking_space: String,
    opens_thinking: bool,
    is_harmony: bool,
    /// Marks that are known not to come any more.
    never_closes: Vec<&'static [&'static str]>,
    /// How often calls were looked for in vain.
    looks: usize,
}

impl Splitter {
    /// For a reply to a request that offered these tools.
    #[must_use]
    pub fn new(offered: &[ToolDefinition]) -> Self {
        Self {
            offered: Offered::new(offered),
            mode: Mode::Prose,
            rest: String::new(),
            look_at: 0,
            said: String::new(),
            space: String::new(),
            starts_line: true,
            took_out: false,
            has_calls: false,
            has_left: false,
            has_thinking: false,
            thinking_space: String::new(),
            opens_thinking: false,
            is_harmony: false,
            never_closes: Vec::new(),
            looks: 0,
        }
    }

    /// Takes the next piece of text and returns what is now certain.
    #[must_use]
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        self.rest.push_str(text);
        if self.rest.len() < self.look_at {
            return Vec::new();
        }
        self.advance(false)
    }

    /// The reply has ended. Returns the rest; white space at its end is dropped.
    #[must_use]
    pub fn finish(mut self) -> Vec<Piece> {
        let mut pieces = self.advance(false);
        if let Some(call) = self.broken() {
            let text = std::mem::take(&mut self.rest);
            let input = Input {
                text: &text,
                is_last: true,
            };
            match self.closed(input) {
                Some(Run::Calls(calls, _)) => self.give_calls(calls, &text, &mut pieces),
                _ => pieces.push(Piece::Broken(call.tool)),
            }
            return pieces;
        }
        pieces.extend(self.advance(true));
        if !self.has_calls && !self.has_left {
            let left = forms::within_line(&self.said, &self.offered);
            pieces.extend(left.map(Piece::Left));
        }
        pieces
    }

    /// The reply was stopped before its end. As [`Splitter::finish`], but that what is undecided and
    /// names a tool counts as a call that is not whole.
    #[must_use]
    pub fn finish_cut(mut self) -> Vec<Piece> {
        let mut pieces = self.advance(false);
        let begun = self.mode == Mode::Prose && self.starts_text();
        let named = begun.then(|| self.offered.named_in(&self.rest)).flatten();
        let named = named.map(|tool| Begun { tool: Some(tool) });
        match named.or_else(|| self.broken()) {
            Some(call) => pieces.push(Piece::Broken(call.tool)),
            None => pieces.extend(self.advance(true)),
        }
        pieces
    }

    /// A call that is all of the reply and never became whole: no text for people.
    fn broken(&self) -> Option<Begun> {
        let is_all = self.mode == Mode::Prose && self.starts_text();
        let looked_at = is_all && !self.offered.is_empty();
        if !looked_at {
            return None;
        }
        let begun = unusable::broken(&self.rest, self.position(), &self.offered);
        let lacks_brackets = || {
            let input = Input {
                text: &self.rest,
                is_last: false,
            };
            self.closed(input)?;
            begun::call(&self.rest, &self.offered)
        };
        begun.or_else(lacks_brackets)
    }

    fn advance(&mut self, is_last: bool) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.rest);
        let mut pieces = Vec::new();
        let mut at = 0;
        loop {
            let text = rest.get(at..).unwrap_or_default();
            let Some(first) = text.chars().next() else {
                break;
            };
            match self.step(Input { text, is_last }, &mut pieces) {
                Step::Took(bytes) => at += bytes,
                // At the end nothing may stay undecided.
                Step::More if is_last => {
                    let bytes = first.len_utf8();
                    self.say(text.get(..bytes).unwrap_or_default(), &mut pieces);
                    at += bytes;
                }
                Step::More => break,
            }
        }
        rest.get(at..)
            .unwrap_or_default()
            .clone_into(&mut self.rest);
        let held = self.rest.len();
        self.look_at = if held > EAGER_BYTES {
            held + held / 8
        } else {
            0
        };
        pieces
    }

    fn step(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Step {
        match self.mode {
            Mode::Prose => self.prose(input, pieces),
            Mode::Block => self.block(input, pieces),
            Mode::Thinking(closes) => self.think_on(input, closes, pieces),
        }
    }

    fn prose(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Step {
        let first = input.text.chars().next().unwrap_or_default();
        if !self.is_telling(first) {
            let bytes = self.plain(input.text);
            self.say(input.text.get(..bytes).unwrap_or_default(), pieces);
            return Step::Took(bytes);
        }
        match self.channel(input) {
            Match::Yes((), bytes) => return Step::Took(bytes),
            Match::More => return Step::More,
            Match::No => {}
        }
        for look in [Self::thinking, Self::lone_close, Self::calls, Self::code] {
            match look(self, input, pieces) {
                Match::Yes((), bytes) => return Step::Took(bytes),
                // What is looked for later could stand here as well, but what is looked for
                // earlier goes first: wait.
                Match::More => return Step::More,
                Match::No => {}
            }
        }
        let bytes = first.len_utf8();
        self.say(input.text.get(..bytes).unwrap_or_default(), pieces);
        Step::Took(bytes)
    }

    /// Whether something other than prose may begin with a character here.
    fn is_telling(&self, first: char) -> bool {
        match first {
            '<' | '[' | '`' | '>' | '◁' => true,
            '{' | 'f' => self.starts_line,
            other => self.starts_text() && !other.is_whitespace(),
        }
    }

    /// Bytes of prose in which nothing else can begin; at least one character.
    fn plain(&self, text: &str) -> usize {
        let mut characters = text.char_indices();
        let _first = characters.next();
        for (at, c) in characters {
            if "<[`>◁".contains(c) || text.get(..at).is_some_and(|before| before.ends_with('\n'))
            {
                return at;
            }
            // The first word is looked at as a whole, wherever it begins.
            if self.starts_text() || (self.starts_line && "{f".contains(c)) {
                return at;
            }
        }
        text.len()
    }

    fn starts_text(&self) -> bool {
        self.said.is_empty() && !self.has_calls
    }

    fn position(&self) -> Position {
        Position {
            starts_line: self.starts_line,
            starts_text: self.starts_text(),
        }
    }

    /// The channels of GPT-OSS.
    fn channel(&mut self, input: Input<'_>) -> Match<()> {
        if self.is_harmony {
            match input.any_literal(&harmony::ENDS[..3]) {
                Match::Yes(_, bytes) => {
                    self.take_out();
                    return Match::Yes((), bytes);
                }
                Match::More => return Match::More,
                Match::No => {}
            }
        }
        let (message, bytes) = match harmony::message(input, &self.offered) {
            Match::Yes(message, bytes) => (message, bytes),
            Match::More => return Match::More,
            Match::No => return Match::No,
        };
        let open = match message {
            // What is the whole answer, or text beside a call, is told as for any other form.
            harmony::Message::Call(_) => return Match::No,
            harmony::Message::Thinking => true,
            harmony::Message::Visible => false,
        };
        self.is_harmony = true;
        self.take_out();
        if open {
            self.open_thinking(&harmony::ENDS);
        }
        Match::Yes((), bytes)
    }

    fn thinking(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Match<()> {
        let (closes, bytes) = match thinking::opens(input) {
            Match::Yes(closes, bytes) => (closes, bytes),
            Match::More => return Match::More,
            Match::No => return Match::No,
        };
        // At the very beginning it needs no end. Later on it must begin a line and have one.
        if self.said.is_empty() {
            self.open_thinking(closes);
            return Match::Yes((), bytes);
        }
        if !self.starts_line {
            return Match::No;
        }
        if self.never_closes.contains(&closes) {
            return Match::No;
        }
        let inside = input.after(bytes);
        let Some((length, mark)) = thinking::end(inside.text, closes) else {
            if input.is_last {
                self.never_closes.push(closes);
            }
            return input.more();
        };
        self.open_thinking(closes);
        self.think(inside.text.get(..length).unwrap_or_default(), pieces);
        self.close_thinking();
        Match::Yes((), bytes + length + mark)
    }

    /// Thinking that began in the prompt ends here: all text so far was thinking.
    fn lone_close(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Match<()> {
        let bytes = match thinking::closes(input) {
            Match::Yes((), bytes) => bytes,
            Match::More => return Match::More,
            Match::No => return Match::No,
        };
        let next = match input.after(bytes).text.chars().next() {
            None if !input.is_last => return Match::More,
            next => next,
        };
        if self.said.is_empty() {
            self.take_out();
            return Match::Yes((), bytes);
        }
        let ends_line = next.is_none_or(|c| "\r\n".contains(c));
        let is_tight = self.space.is_empty() && next.is_some_and(|c| !c.is_whitespace());
        let is_meant = self.starts_line || ends_line || is_tight;
        if self.has_calls || self.has_thinking || !is_meant {
            return Match::No;
        }
        let thought = std::mem::take(&mut self.said);
        pieces.push(Piece::Withdrawn);
        self.open_thinking(&[]);
        self.think(&thought, pieces);
        self.close_thinking();
        Match::Yes((), bytes)
    }

    fn calls(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Match<()> {
        if self.offered.is_empty() || self.looks > LOOKS {
            return Match::No;
        }
        let is_long = input.text.len() > CALL_BYTES;
        let looked_at = Input {
            text: start_of(input.text, CALL_BYTES),
            is_last: input.is_last && !is_long,
        };
        let mut run = forms::run(looked_at, self.position(), &self.offered);
        if matches!(run, Run::No) {
            run = self.closed(looked_at).unwrap_or(Run::No);
        }
        if matches!(run, Run::Text(..) | Run::No) && self.starts_text() {
            match unusable::of_others(looked_at, self.position(), &self.offered) {
                Match::Yes(found, bytes) => {
                    self.has_calls = true;
                    self.take_out();
                    pieces.push(found);
                    return Match::Yes((), bytes);
                }
                Match::More if !is_long => return Match::More,
                Match::More | Match::No => {}
            }
        }
        match run {
            Run::Calls(calls, bytes) => {
                self.give_calls(calls, input.text.get(..bytes).unwrap_or_default(), pieces);
                Match::Yes((), bytes)
            }
            Run::Malformed(calls, bytes) => {
                self.has_calls = true;
                self.take_out();
                let written = input.text.get(..bytes).unwrap_or_default();
                pieces.push(Piece::Malformed {
                    calls,
                    written: written.trim().to_owned(),
                });
                Match::Yes((), bytes)
            }
            Run::Text(bytes, named) => {
                self.say(input.text.get(..bytes).unwrap_or_default(), pieces);
                self.leave(named, pieces);
                Match::Yes((), bytes)
            }
            Run::More if !is_long => Match::More,
            Run::More | Run::No => {
                self.looks += 1;
                Match::No
            }
        }
    }

    fn closed(&self, input: Input<'_>) -> Option<Run> {
        let is_all = self.starts_text();
        is_all.then(|| repair::run(input, self.position(), &self.offered))?
    }

    fn leave(&mut self, tool: Option<String>, pieces: &mut Vec<Piece>) {
        self.has_left |= tool.is_some();
        pieces.extend(tool.map(Piece::Left));
    }

    fn give_calls(&mut self, calls: Vec<LeakedCall>, written: &str, pieces: &mut Vec<Piece>) {
        self.has_calls = true;
        self.take_out();
        pieces.push(Piece::Calls {
            calls,
            written: written.trim().to_owned(),
        });
    }

    /// A code block or a code span: its content is never looked at.
    fn code(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Match<()> {
        match fence::opening(input) {
            Match::Yes(_, bytes) => {
                self.say(input.text.get(..bytes).unwrap_or_default(), pieces);
                self.mode = Mode::Block;
                return Match::Yes((), bytes);
            }
            Match::More => return Match::More,
            Match::No => {}
        }
        let ticks = input.text.len() - input.text.trim_start_matches('`').len();
        if ticks == 0 {
            return Match::No;
        }
        let inside = input.after(ticks);
        let mark = "`".repeat(ticks);
        let line = inside.text.split('\n').next().unwrap_or_default();
        let bytes = match line.find(&mark) {
            Some(close) => ticks + close + ticks,
            None if line.len() == inside.text.len() && !input.is_last => return Match::More,
            None => ticks,
        };
        self.say(input.text.get(..bytes).unwrap_or_default(), pieces);
        Match::Yes((), bytes)
    }

    fn block(&mut self, input: Input<'_>, pieces: &mut Vec<Piece>) -> Step {
        // Line by line, so that a closing mark is seen only where a line begins.
        let end = input.text.find('\n').map(|at| at + 1);
        let Some(bytes) = end.or(input.is_last.then_some(input.text.len())) else {
            return Step::More;
        };
        let line = input.text.get(..bytes).unwrap_or_default();
        if line.trim() == "```" {
            self.mode = Mode::Prose;
        }
        self.say(line, pieces);
        Step::Took(bytes)
    }

    fn think_on(
        &mut self,
        input: Input<'_>,
        closes: &'static [&'static str],
        pieces: &mut Vec<Piece>,
    ) -> Step {
        if let Some((length, mark)) = thinking::end(input.text, closes) {
            self.think(input.text.get(..length).unwrap_or_default(), pieces);
            self.close_thinking();
            let marked = input.after(length);
            let begins_next = harmony::ENDS[3..]
                .iter()
                .any(|next| marked.text.starts_with(next));
            return Step::Took(length + if begins_next { 0 } else { mark });
        }
        let held = if input.is_last {
            0
        } else {
            thinking::partial(input.text, closes)
        };
        let bytes = input.text.len() - held;
        if bytes == 0 {
            return Step::More;
        }
        self.think(input.text.get(..bytes).unwrap_or_default(), pieces);
        Step::Took(bytes)
    }

    fn open_thinking(&mut self, closes: &'static [&'static str]) {
        self.mode = Mode::Thinking(closes);
        self.opens_thinking = true;
        self.thinking_space.clear();
    }

    fn close_thinking(&mut self) {
        self.mode = Mode::Prose;
        self.take_out();
    }

    /// Gives out thinking, without white space at its beginning and end.
    fn think(&mut self, text: &str, pieces: &mut Vec<Piece>) {
        let text = if self.opens_thinking {
            text.trim_start()
        } else {
            text
        };
        if text.is_empty() {
            return;
        }
        let body = text.trim_end();
        if !body.is_empty() {
            let mut out = String::new();
            if self.opens_thinking && self.has_thinking {
                out.push_str("\n\n");
            }
            self.opens_thinking = false;
            self.has_thinking = true;
            out.push_str(&std::mem::take(&mut self.thinking_space));
            out.push_str(body);
            match pieces.last_mut() {
                Some(Piece::Thinking(last)) => last.push_str(&out),
                _ => pieces.push(Piece::Thinking(out)),
            }
        }
        self.thinking_space
            .push_str(text.get(body.len()..).unwrap_or_default());
    }

    fn take_out(&mut self) {
        self.took_out = true;
        self.starts_line = true;
        if self.said.is_empty() {
            self.space.clear();
        }
    }

    /// Gives out visible text, keeping white space at its end until more follows.
    fn say(&mut self, text: &str, pieces: &mut Vec<Piece>) {
        match text.rsplit_once('\n') {
            Some((_, tail)) => self.starts_line = tail.trim().is_empty(),
            None => self.starts_line = self.starts_line && text.trim().is_empty(),
        }
        let text = if self.took_out {
            text.trim_start()
        } else {
            text
        };
        if text.is_empty() {
            return;
        }
        self.took_out = false;
        let body = text.trim_end();
        if !body.is_empty() {
            let mut out = std::mem::take(&mut self.space);
            out.push_str(body);
            self.said.push_str(&out);
            match pieces.last_mut() {
                Some(Piece::Text(last)) => last.push_str(&out),
                _ => pieces.push(Piece::Text(out)),
            }
        }
        self.space
            .push_str(text.get(body.len()..).unwrap_or_default());
    }
}

/// At most so many bytes of a text, without cutting a character.
fn start_of(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
