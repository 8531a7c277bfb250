//! What a model says, as it comes: blocks that are whole leave for the scrollback, the rest is the tail
//! that is drawn again and again.

use crate::lines::{faint, safe};
use crate::markdown::{Break, DocumentLine, blocks, lines};
use ratatui::text::Line;
use rendering::agents::gist;
use rendering::links::mark;
use text::escape::prose;
use text::links::{Known, marked};

/// Longest block that is kept back until it is whole, bytes; of a longer one its beginning goes ahead.
const BLOCK_BYTES: usize = 16 << 10;
/// Lines of code that are kept back until their block is whole.
const CODE_LINES: usize = 8;
/// Most of what was said that is kept to compare the answer with, bytes.
const SAID_BYTES: usize = 4 << 20;
/// Most of a thought that is kept, bytes: its end.
const THOUGHT_BYTES: usize = 64 << 10;

/// What streams in.
#[derive(Debug, Default)]
pub struct Stream {
    /// The text that has not left yet.
    pending: String,
    /// Whether the first line of the pending text, which begins a block of code, has left already.
    is_in_code: bool,
    /// Whether something of this text left before, so that the next block stands behind an empty line.
    has_left: bool,
    /// All of it, since the request began.
    said: String,
    thinking: String,
    /// The thought before, for who wants to see all of it.
    thought: String,
}

impl Stream {
    /// A request begins.
    pub fn begin(&mut self) {
        *self = Self {
            thought: std::mem::take(&mut self.thought),
            ..Self::default()
        };
    }

    /// A piece of the answer: the lines that it makes whole.
    pub fn answer(&mut self, piece: &str, known: &Known) -> Vec<DocumentLine> {
        self.pending.push_str(piece);
        if self.said.len() + piece.len() <= SAID_BYTES {
            self.said.push_str(piece);
        }
        if !piece.contains('\n') && self.pending.len() < BLOCK_BYTES {
            return Vec::new();
        }
        self.take_whole(known)
    }

    /// A piece of thinking.
    pub fn think(&mut self, piece: &str) {
        self.thinking.push_str(piece);
        let over = self.thinking.len().saturating_sub(THOUGHT_BYTES);
        if over > 0 {
            let cut = self.thinking.ceil_char_boundary(over);
            self.thinking.drain(..cut);
        }
    }

    /// Whether the answer is the end of what was streamed.
    #[must_use]
    pub fn has_said(&self, answer: &str) -> bool {
        self.said.len() + answer.len() > SAID_BYTES || self.said.trim().ends_with(answer.trim())
    }

    /// The text of this model call is another: whether some of it had left already.
    pub fn replace(&mut self, text: &str) -> bool {
        let had_left = self.has_left || self.is_in_code;
        let was_shown = had_left && !self.said.is_empty();
        self.said = text.to_owned();
        self.pending = match was_shown {
            true => String::new(),
            false => text.to_owned(),
        };
        self.is_in_code = false;
        was_shown
    }

    /// All that is left of the answer.
    pub fn flush(&mut self, known: &Known) -> Vec<DocumentLine> {
        let left = std::mem::take(&mut self.pending);
        let shown = self.render(&left, known);
        self.is_in_code = false;
        self.has_left = false;
        shown
    }

    /// The thought in one line, now that it is over; `None` where there was none.
    pub fn end_thought(&mut self) -> Option<Line<'static>> {
        let thought = std::mem::take(&mut self.thinking);
        if thought.trim().is_empty() {
            return None;
        }
        let count = thought.trim().lines().count();
        let lines = match count {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        let text = format!("· thought ({lines}; Ctrl+O shows them): {}", gist(&thought));
        self.thought = thought;
        Some(Line::styled(safe(&text), faint()))
    }

    /// The last thought that ended, in lines.
    #[must_use]
    pub fn last_thought(&self) -> Vec<Line<'static>> {
        thought_lines(&self.thought)
    }

    /// What is drawn below the scrollback: thinking under way, or the answer that has not left yet.
    #[must_use]
    pub fn tail(&self, known: &Known, is_expanded: bool) -> Vec<DocumentLine> {
        if !self.pending.is_empty() {
            return self.render(&self.pending, known);
        }
        let lines = thought_lines(&self.thinking);
        let shown = match (is_expanded, lines.last()) {
            (_, None) => Vec::new(),
            (true, Some(_)) => lines,
            (false, Some(last)) => vec![Line::styled(format!("· thinking: {last}"), faint())],
        };
        let line = |line| DocumentLine {
            line,
            may_break: Break::Words(2),
        };
        shown.into_iter().map(line).collect()
    }

    /// Takes out the blocks that nothing more can change.
    fn take_whole(&mut self, known: &Known) -> Vec<DocumentLine> {
        let mut whole = Vec::new();
        // A line that has no end yet may turn out to go on with the block before it.
        let lines = self.pending.rfind('\n').map_or(0, |at| at + 1);
        let found = blocks(&self.pending[..lines]);
        if let [.., _, last] = found.as_slice() {
            let rest = self.pending.split_off(last.start);
            let text = std::mem::replace(&mut self.pending, rest);
            whole.extend(self.render(&text, known));
            self.has_left = true;
            self.is_in_code = false;
        }
        whole.extend(self.take_code(known));
        if self.pending.len() >= BLOCK_BYTES {
            let cut = self
                .pending
                .rfind(char::is_whitespace)
                .map_or(0, |at| at + 1);
            let cut = match self.pending.is_char_boundary(cut) && cut > 0 {
                true => cut,
                false => self.pending.len(),
            };
            let rest = self.pending.split_off(cut);
            let text = std::mem::replace(&mut self.pending, rest);
            whole.extend(self.render(&text, known));
            self.has_left = false;
            self.is_in_code = false;
        }
        whole
    }

    /// Takes lines out of a block of code that is not closed yet.
    fn take_code(&mut self, known: &Known) -> Vec<DocumentLine> {
        let Some(fence) = open_fence(&self.pending) else {
            return Vec::new();
        };
        let body = fence.len() + 1;
        let Some(end) = self.pending.rfind('\n').map(|at| at + 1) else {
            return Vec::new();
        };
        if end <= body || self.pending[body..end].lines().count() < CODE_LINES {
            return Vec::new();
        }
        let rest = format!("{fence}\n{}", &self.pending[end..]);
        let text = self.pending[..end].to_owned();
        let mut whole = self.render(&text, known);
        // The end of the block is yet to come.
        whole.pop();
        self.pending = rest;
        self.has_left = true;
        self.is_in_code = true;
        whole
    }

    fn render(&self, text: &str, known: &Known) -> Vec<DocumentLine> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        let told = marked(text, known, prose, mark);
        let mut shown = lines(&told);
        if self.is_in_code {
            shown.drain(..shown.len().min(1));
        } else if self.has_left && !shown.is_empty() {
            shown.insert(
                0,
                DocumentLine {
                    line: Line::default(),
                    may_break: Break::Never,
                },
            );
        }
        shown
    }
}

fn thought_lines(thought: &str) -> Vec<Line<'static>> {
    let lines = thought.trim().lines();
    let lines = lines.filter(|line| !line.trim().is_empty());
    lines
        .map(|line| Line::styled(safe(line), faint()))
        .collect()
}

/// The first line of a text that is one block of code without an end.
fn open_fence(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    let mark = first.trim_start_matches(' ');
    let sign = mark
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let length = mark.chars().take_while(|one| *one == sign).count();
    let closes = |line: &str| {
        let line = line.trim();
        line.len() >= length && line.chars().all(|one| one == sign)
    };
    (length >= 3 && first.len() - mark.len() < 4 && !rest.lines().any(closes)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: Vec<DocumentLine>) -> Vec<String> {
        lines.iter().map(|line| line.line.to_string()).collect()
    }

    /// What leaves for the scrollback when a text comes in pieces of so many characters.
    fn streamed(text: &str, size: usize) -> Vec<String> {
        let mut stream = Stream::default();
        let known = Known::default();
        let letters: Vec<char> = text.chars().collect();
        let mut left = Vec::new();
        for piece in letters.chunks(size) {
            let piece: String = piece.iter().collect();
            left.extend(plain(stream.answer(&piece, &known)));
        }
        assert!(stream.has_said(text));
        left.extend(plain(stream.flush(&known)));
        left
    }

    #[test]
    fn pieces_come_to_what_the_whole_comes_to() {
        let code: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let text = format!(
            "# Head\n\nText *with*\nlines.\n\n- a\n- b\n\n```sh\n{code}```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd."
        );
        let whole = plain(lines(&text));
        for size in [1, 3, 7, 1000] {
            assert_eq!(streamed(&text, size), whole, "pieces of {size}");
        }
    }

    #[test]
    fn a_block_without_an_end_does_not_grow_for_ever() {
        let mut stream = Stream::default();
        let known = Known::default();
        for _ in 0..64 {
            stream.answer(&"word ".repeat(4096), &known);
            assert!(stream.pending.len() <= BLOCK_BYTES);
        }
        stream.answer(&"x".repeat(1 << 20), &known);
        assert!(stream.pending.len() <= BLOCK_BYTES);
    }

    #[test]
    fn a_thought_folds_to_a_line() {
        let mut stream = Stream::default();
        stream.think("First this.\nThen ");
        stream.think("that.\u{1b}[2J\n");
        let tail = plain(stream.tail(&Known::default(), false));
        assert_eq!(tail, ["· thinking: Then that.\\u{1b}[2J"]);
        let folded = stream.end_thought().unwrap().to_string();
        assert!(folded.starts_with("· thought (2 lines; Ctrl+O"), "{folded}");
        assert!(!folded.contains('\u{1b}'));
        assert_eq!(stream.last_thought().len(), 2);
        assert!(stream.end_thought().is_none());
    }

    #[test]
    fn what_is_withdrawn_in_time_was_never_shown() {
        let mut stream = Stream::default();
        let known = Known::default();
        stream.answer("<tool_call>", &known);
        assert!(!stream.replace(""));
        assert!(stream.tail(&known, false).is_empty());
        stream.answer("one\n\ntwo\n", &known);
        assert!(stream.replace("one"));
        assert!(stream.flush(&known).is_empty());
    }
}
