//! Answers and thinking as they come in pieces: whole words, broken at the edge of the terminal.

use super::{Answer, Last, Terminal, Wrapping};
use crate::{fit, links, print, print_error_as_it_is};
use std::io;
use text::escape::prose;

impl Terminal {
    pub(super) fn answer_piece(&mut self, text: &str) -> io::Result<()> {
        self.streamed.push_str(text);
        match self.answer {
            Answer::AtEnd | Answer::Elsewhere => Ok(()),
            Answer::Streamed => self.piece(Last::Answer, text),
        }
    }

    pub(super) fn thinking_piece(&mut self, text: &str) -> io::Result<()> {
        match self.answer {
            Answer::Elsewhere => Ok(()),
            Answer::Streamed | Answer::AtEnd => self.piece(Last::Thinking, text),
        }
    }

    fn piece(&mut self, kind: Last, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.last != kind {
            self.break_line()?;
        }
        self.last = kind;
        // A link is shown with where it leads, and a line is broken between words: each has to be whole.
        self.held.push_str(text);
        // What comes after a carriage return tells whether it is the end of a line.
        let told = self.held.strip_suffix('\r').unwrap_or(&self.held);
        let whole = told.rfind(char::is_whitespace).map_or(0, |at| {
            at + told[at..].chars().next().map_or(0, char::len_utf8)
        });
        let rest = self.held.split_off(whole);
        let whole = std::mem::replace(&mut self.held, rest);
        self.print_words(&whole)
    }

    /// Ends what was streamed, so that a line of ours can follow.
    pub(super) fn break_line(&mut self) -> io::Result<()> {
        // The last word of a text that goes on no further.
        let last = std::mem::take(&mut self.held);
        self.print_words(&last)?;
        self.wrapping = Wrapping::default();
        match std::mem::replace(&mut self.last, Last::LineEnd) {
            Last::LineEnd => Ok(()),
            Last::Answer => print("\n"),
            Last::Thinking => print_error_as_it_is("\n"),
        }
    }

    /// Words of what is streamed, or of an answer that was not.
    pub(super) fn print_words(&mut self, words: &str) -> io::Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        if self.last == Last::Thinking {
            let width = fit::width(&io::stderr());
            let shown = self.wrapping.take(&prose(words), width);
            return print_error_as_it_is(&self.paint.faint(&shown));
        }
        let told = self.told(words);
        print(&self.wrapping.take(&told, fit::width(&io::stdout())))
    }

    /// A piece of an answer as a person reads it: nothing hides, and links say where they lead.
    fn told(&self, text: &str) -> String {
        let mark = |places: &str| self.paint.warn(&links::mark(places));
        text::links::marked(text, &self.known, prose, mark)
    }
}
