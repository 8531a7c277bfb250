//! Colours of code: a line after the other, each read once from left to right, so that no text takes
//! long. What is read is the text as it is shown, and it comes out whole.

mod languages;

use languages::{Kind, LANGUAGES, Language, Quote};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// Longest line that is read, bytes; a longer one is shown in one colour.
const LINE_BYTES: usize = 2_000;

/// What a part of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Plain,
    Keyword,
    Text,
    Comment,
    Number,
    Key,
    Added,
    Removed,
}

/// The style of code whose language is not known.
#[must_use]
pub fn code_style() -> Style {
    Style::new().fg(Color::Cyan)
}

impl Part {
    /// From the 16 colours, so that it suits what the terminal is set to.
    fn style(self) -> Style {
        let style = Style::new();
        match self {
            Self::Plain => style,
            Self::Keyword => style.fg(Color::Magenta),
            Self::Text | Self::Added => style.fg(Color::Green),
            Self::Comment => style.add_modifier(Modifier::DIM),
            Self::Number | Self::Key => style.fg(Color::Cyan),
            Self::Removed => style.fg(Color::Red),
        }
    }
}

/// What is open at the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    /// A comment.
    Comment,
    /// A text that such a quote begins.
    Text(usize),
    /// A tag of markup.
    Tag,
}

/// A block of code, line by line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Highlighter {
    language: Option<&'static Language>,
    open: Open,
}

impl Highlighter {
    /// A block in a language by what stands behind its fence.
    #[must_use]
    pub fn of(info: &str) -> Self {
        let is_name = |one: char| one.is_alphanumeric() || matches!(one, '+' | '#' | '-' | '_');
        let end = info.find(|one| !is_name(one)).unwrap_or(info.len());
        let name = info[..end].to_lowercase();
        Self {
            language: LANGUAGES
                .iter()
                .find(|one| one.names.contains(&name.as_str())),
            open: Open::Nothing,
        }
    }

    /// The next line, in its colours.
    pub fn line(&mut self, text: &str) -> Vec<Span<'static>> {
        let Some(language) = self.language else {
            return vec![Span::styled(text.to_owned(), code_style())];
        };
        if text.len() > LINE_BYTES {
            return vec![Span::raw(text.to_owned())];
        }
        let mut line = Line {
            language,
            open: self.open,
            text,
            at: 0,
            parts: Vec::new(),
        };
        match language.kind {
            Kind::Diff => line.whole(of_diff(text)),
            Kind::Markdown => line.markdown(),
            Kind::Program | Kind::Data(_) | Kind::Markup => line.read(),
        }
        self.open = line.open;
        let spans = line.parts.iter().map(|(part, from, to)| {
            let text = text[*from..*to].to_owned();
            Span::styled(text, part.style())
        });
        spans.collect()
    }
}

fn of_diff(text: &str) -> Part {
    match text.chars().next() {
        Some('+') => Part::Added,
        Some('-') => Part::Removed,
        Some('@') => Part::Key,
        _ => Part::Plain,
    }
}

/// A line that is read.
struct Line<'t> {
    language: &'static Language,
    open: Open,
    text: &'t str,
    /// How far it is read, bytes.
    at: usize,
    /// The parts, from a place to another.
    parts: Vec<(Part, usize, usize)>,
}

impl<'t> Line<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// So many more bytes are this.
    fn take(&mut self, part: Part, bytes: usize) {
        let to = self.at + bytes;
        match self.parts.last_mut() {
            Some((last, _, end)) if *last == part && *end == self.at => *end = to,
            _ if bytes > 0 => self.parts.push((part, self.at, to)),
            _ => {}
        }
        self.at = to;
    }

    fn whole(&mut self, part: Part) {
        self.take(part, self.rest().len());
    }

    fn read(&mut self) {
        if self.open == Open::Nothing {
            self.key();
        }
        while self.at < self.text.len() {
            match self.open {
                Open::Comment => self.in_comment(),
                Open::Text(at) => self.in_text(&self.language.quotes[at]),
                Open::Nothing | Open::Tag => self.next(),
            }
        }
        if let Open::Text(at) = self.open
            && !self.language.quotes[at].is_long
        {
            self.open = Open::Nothing;
        }
    }

    fn in_comment(&mut self) {
        let (_, close) = self.language.block.unwrap_or(("", ""));
        let end = self.rest().find(close).map(|at| at + close.len());
        if end.is_some() {
            self.open = Open::Nothing;
        }
        self.take(Part::Comment, end.unwrap_or(self.rest().len()));
    }

    fn in_text(&mut self, quote: &Quote) {
        let mut is_escaped = false;
        let mut end = None;
        for (at, one) in self.rest().char_indices() {
            match (is_escaped, one) {
                (true, _) => is_escaped = false,
                (false, '\\') if quote.has_escapes => is_escaped = true,
                (false, _) if self.rest()[at..].starts_with(quote.close) => {
                    end = Some(at + quote.close.len());
                    break;
                }
                _ => {}
            }
        }
        if end.is_some() {
            self.open = match self.language.kind {
                Kind::Markup => Open::Tag,
                _ => Open::Nothing,
            };
        }
        self.take(Part::Text, end.unwrap_or(self.rest().len()));
    }

    /// The next part, where nothing but a tag is open.
    fn next(&mut self) {
        let rest = self.rest();
        let is_begin = self.at == 0 || self.text[..self.at].ends_with(char::is_whitespace);
        let comments = self.language.comments.iter();
        let begins = |sign: &&&str| rest.starts_with(**sign) && (**sign != "#" || is_begin);
        if comments.clone().any(|sign| begins(&sign)) {
            return self.whole(Part::Comment);
        }
        if let Some((open, _)) = self.language.block
            && rest.starts_with(open)
        {
            self.open = Open::Comment;
            return self.take(Part::Comment, open.len());
        }
        let quotes = self.language.quotes.iter();
        let found = quotes
            .enumerate()
            .find(|(_, one)| rest.starts_with(one.open));
        if let Some((at, quote)) = found.filter(|_| self.has_texts()) {
            if quote.open == "'" && self.language.has_lifetimes {
                let bytes = character(rest);
                let part = if bytes > 1 { Part::Text } else { Part::Plain };
                return self.take(part, bytes);
            }
            self.open = Open::Text(at);
            return self.take(Part::Text, quote.open.len());
        }
        self.word();
    }

    /// Whether a quote begins a text here: in markup it does within a tag alone.
    fn has_texts(&self) -> bool {
        self.language.kind != Kind::Markup || self.open == Open::Tag
    }

    fn word(&mut self) {
        let rest = self.rest();
        let is_part = |one: char| one.is_alphanumeric() || one == '_';
        let Some(first) = rest.chars().next() else {
            return;
        };
        if first.is_ascii_digit() {
            let is_digit = |one: char| is_part(one) || one == '.';
            let end = rest.find(|one| !is_digit(one)).unwrap_or(rest.len());
            return self.take(Part::Number, end);
        }
        if self.language.kind == Kind::Markup {
            return self.markup(first);
        }
        if first == '$' && self.language.has_variables {
            let end = rest[1..].find(|one| !is_part(one)).map(|at| at + 1);
            return self.take(Part::Key, end.unwrap_or(rest.len()));
        }
        if !is_part(first) {
            return self.take(Part::Plain, first.len_utf8());
        }
        let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_keyword = match self.language.ignores_case {
            true => self
                .language
                .keywords
                .contains(&word.to_lowercase().as_str()),
            false => self.language.keywords.contains(&word),
        };
        self.take(
            if is_keyword {
                Part::Keyword
            } else {
                Part::Plain
            },
            end,
        );
    }

    /// A tag's name, or what stands between tags.
    fn markup(&mut self, first: char) {
        let rest = self.rest();
        let is_name = |one: char| one.is_alphanumeric() || matches!(one, '/' | '!' | '-' | '?');
        match (first, self.open) {
            ('<', _) => {
                let end = rest[1..].find(|one| !is_name(one)).map(|at| at + 1);
                self.open = Open::Tag;
                self.take(Part::Keyword, end.unwrap_or(rest.len()));
            }
            ('>', Open::Tag) => {
                self.open = Open::Nothing;
                self.take(Part::Keyword, 1);
            }
            _ => self.take(Part::Plain, first.len_utf8()),
        }
    }

    /// The name that a line of data begins with.
    fn key(&mut self) {
        let Kind::Data(sign) = self.language.kind else {
            return;
        };
        let begin = self.text.len() - self.text.trim_start_matches([' ', '-']).len();
        let rest = &self.text[begin..];
        let is_name = |one: char| one.is_alphanumeric() || "_-.\"'/ ".contains(one);
        let end = rest.find(|one| !is_name(one)).unwrap_or(rest.len());
        if end == 0 || !rest[end..].starts_with(sign) {
            return;
        }
        self.take(Part::Plain, begin);
        self.take(Part::Key, end);
    }

    fn markdown(&mut self) {
        let rest = self.text.trim_start();
        let is_head = rest.starts_with('#');
        let is_faint = rest.starts_with('>') || rest.starts_with("```");
        match (is_head, is_faint) {
            (true, _) => self.whole(Part::Keyword),
            (false, true) => self.whole(Part::Comment),
            (false, false) => self.whole(Part::Plain),
        }
    }
}

/// How many bytes a character in single quotes has, with them; 1: it is none, but the quote alone.
fn character(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    let escaped = matches!(letters.next(), Some((_, '\\')));
    if escaped {
        let close = rest[2..]
            .char_indices()
            .skip(1)
            .find(|(_, one)| *one == '\'');
        return close.map_or(1, |(at, _)| at + 3);
    }
    match letters.next() {
        Some((at, '\'')) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
