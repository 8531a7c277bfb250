//! The normal screen: finished lines go into the terminal's own scrollback, and the rows below them are
//! drawn again and again.
//!
//! Ratatui's inline viewport has a fixed height and asks the terminal where its cursor is, which a
//! reader of keys would swallow. Here every move is relative to where the cursor was left, so that
//! nothing is asked, and the rows below are as many as there are.

use crate::background::Background;
use crate::links::{Links, addresses};
use crate::view::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Erases from the beginning of this row to the end of the screen. Not in one piece: where the row is the
/// first of the screen, tmux takes that for the wish to keep all of it in the scrollback.
const ERASE: &str = "\u{1b}[K\u{1b}[C\u{1b}[J\r";

/// Whether colours are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// The 16 of every terminal, those that can be read on this.
    Sixteen(Background),
    /// None: `NO_COLOR`. Bold, faint and the like stay.
    None,
}

/// What a terminal does with rows that no longer fit when it is made narrower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrowed {
    /// It goes on in the next row, and joins them again.
    Wraps,
    /// It cuts them.
    Cuts,
}

/// A screen on which rows are drawn in place.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    colours: Colours,
    narrowed: Narrowed,
    links: Links,
    /// What was drawn last.
    last: Option<Buffer>,
    /// How wide each of the drawn rows is, up to its last character.
    widths: Vec<u16>,
    /// Where the cursor is, as the rows lie now.
    cursor: Position,
    /// Where it was left when they were drawn.
    left_at: Position,
    /// For how many columns they were drawn.
    columns: u16,
}

impl<W: Write> Screen<W> {
    /// A screen whose cursor stands at the beginning of an empty line.
    pub const fn new(out: W, colours: Colours, narrowed: Narrowed) -> Self {
        Self {
            out,
            colours,
            narrowed,
            links: Links::None,
            last: None,
            widths: Vec::new(),
            cursor: Position::ORIGIN,
            left_at: Position::ORIGIN,
            columns: 0,
        }
    }

    /// Draws in other colours from now on.
    pub const fn turn_colours(&mut self, colours: Colours) {
        self.colours = colours;
    }

    /// Marks addresses on finished lines so from now on. They have to be made for the width of the
    /// terminal.
    pub const fn mark_links(&mut self, links: Links) {
        self.links = links;
    }

    /// Everything is to be drawn anew, from an empty line on: something else wrote to the terminal.
    pub fn forget(&mut self) {
        self.last = None;
        self.widths.clear();
        self.cursor = Position::ORIGIN;
        self.left_at = Position::ORIGIN;
    }

    /// Draws what changed, below lines that are finished.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn draw(&mut self, finished: &[Line<'static>], frame: &Frame) -> io::Result<()> {
        let mut bytes = String::from("\u{1b}[?2026h\u{1b}[?25l\u{1b}[?7l");
        let columns = frame.buffer.area.width;
        let same_place = self
            .last
            .as_ref()
            .is_some_and(|last| last.area == frame.buffer.area);
        match (finished.is_empty(), same_place) {
            (true, true) => self.write_changes(&frame.buffer, &mut bytes),
            _ => self.write_all(finished, &frame.buffer, &mut bytes),
        }
        self.columns = columns;
        self.widths = (0..frame.buffer.area.height)
            .map(|row| used(&frame.buffer, row))
            .collect();
        let place = frame
            .cursor
            .unwrap_or(Position::new(0, frame.buffer.area.height - 1));
        self.go_to(place, &mut bytes);
        self.left_at = place;
        bytes.push_str("\u{1b}[?7h");
        if frame.cursor.is_some() {
            bytes.push_str("\u{1b}[?25h");
        }
        bytes.push_str("\u{1b}[?2026l");
        self.last = Some(frame.buffer.clone());
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// Takes away what is drawn: the cursor stands at the beginning of an empty line behind the
    /// finished ones.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn clear(&mut self) -> io::Result<()> {
        let mut bytes = String::new();
        self.go_to_top(&mut bytes);
        bytes.push_str(ERASE);
        bytes.push_str("\u{1b}[?25h");
        self.forget();
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// The terminal has another width: how the drawn rows lie now, where it wraps them. What it wrapped for
    /// a width in between it has joined again.
    pub fn resized(&mut self, columns: u16) {
        self.last = None;
        self.cursor = self.left_at;
        if self.narrowed == Narrowed::Cuts || columns == 0 || columns >= self.columns {
            return;
        }
        let rows = |width: u16| width.div_ceil(columns).max(1);
        let above = self.widths.iter().take(usize::from(self.left_at.y));
        let above: u16 = above.map(|width| rows(*width)).sum();
        let Position { x, .. } = self.left_at;
        self.cursor = Position::new(x % columns, above + x / columns);
    }

    fn write_all(&mut self, finished: &[Line<'static>], buffer: &Buffer, bytes: &mut String) {
        self.go_to_top(bytes);
        bytes.push_str(ERASE);
        if !finished.is_empty() {
            // The terminal itself wraps what is not to be broken, so that it copies as one line.
            bytes.push_str("\u{1b}[?7h");
            for line in finished {
                self.write_line(line, buffer.area.width.into(), bytes);
                bytes.push_str("\r\n");
            }
            bytes.push_str("\u{1b}[?7l");
        }
        for row in 0..buffer.area.height {
            if row > 0 {
                bytes.push_str("\r\n");
            }
            self.write_row(buffer, row, bytes);
        }
        self.cursor = Position::new(0, buffer.area.height - 1);
        bytes.push('\r');
    }

    fn write_changes(&mut self, buffer: &Buffer, bytes: &mut String) {
        for row in 0..buffer.area.height {
            let is_same = self
                .last
                .as_ref()
                .is_some_and(|last| cells(last, row).eq(cells(buffer, row)));
            if is_same {
                continue;
            }
            self.go_to(Position::new(0, row), bytes);
            bytes.push_str("\u{1b}[K");
            self.write_row(buffer, row, bytes);
            bytes.push('\r');
        }
    }

    /// To the first of the drawn rows.
    fn go_to_top(&mut self, bytes: &mut String) {
        self.go_to(Position::ORIGIN, bytes);
    }

    fn go_to(&mut self, to: Position, bytes: &mut String) {
        bytes.push('\r');
        // Writing to a String cannot fail.
        let _ = match (to.y, self.cursor.y) {
            (to, from) if to < from => write!(bytes, "\u{1b}[{}A", from - to),
            (to, from) if to > from => write!(bytes, "\u{1b}[{}B", to - from),
            _ => Ok(()),
        };
        if to.x > 0 {
            let _ = write!(bytes, "\u{1b}[{}C", to.x);
        }
        self.cursor = to;
    }

    fn write_line(&self, line: &Line<'static>, columns: usize, bytes: &mut String) {
        let row = line.to_string();
        let links = match self.links {
            Links::Osc8 => addresses(&row, columns),
            Links::None => Vec::new(),
        };
        let mut style = Style::new();
        let mut at = 0;
        for span in &line.spans {
            self.turn_to(&mut style, line.style.patch(span.style), bytes);
            let end = at + span.content.len();
            let edges = links.iter().flat_map(|link| [link.start, link.end]);
            let edges = edges.filter(|edge| at < *edge && *edge < end).chain([end]);
            for to in edges.collect::<Vec<_>>() {
                if let Some(link) = links.iter().find(|link| link.start == at) {
                    mark(&row[link.clone()], bytes);
                }
                write_text(&row[at..to], bytes);
                if links.iter().any(|link| link.end == to) {
                    mark("", bytes);
                }
                at = to;
            }
        }
        self.turn_to(&mut style, Style::new(), bytes);
    }

    fn write_row(&self, buffer: &Buffer, row: u16, bytes: &mut String) {
        let mut style = Style::new();
        let mut skip = 0;
        let end = used(buffer, row);
        for (at, cell) in (0..end).zip(cells(buffer, row)) {
            // The cells behind a wide character belong to it.
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = cell.symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            self.turn_to(&mut style, style_of(cell), bytes);
            write_text(symbol, bytes);
            let next = at.saturating_add(u16::try_from(skip + 1).unwrap_or(u16::MAX));
            if !symbol.is_ascii() && next < end {
                // A terminal that counts the columns of a character otherwise would shift what
                // follows, and what stands in the next pane with it.
                let _ = write!(bytes, "\u{1b}[{}G", next + 1);
            }
        }
        self.turn_to(&mut style, Style::new(), bytes);
    }

    /// Writes what it takes to go on in another style.
    fn turn_to(&self, from: &mut Style, to: Style, bytes: &mut String) {
        let to = match self.colours {
            Colours::Sixteen(background) => background.readable(to),
            Colours::None => Style {
                fg: None,
                bg: None,
                ..to
            },
        };
        if *from == to {
            return;
        }
        *from = to;
        bytes.push_str("\u{1b}[0");
        let known = [
            (Modifier::BOLD, ";1"),
            (Modifier::DIM, ";2"),
            (Modifier::ITALIC, ";3"),
            (Modifier::UNDERLINED, ";4"),
            (Modifier::REVERSED, ";7"),
            (Modifier::CROSSED_OUT, ";9"),
        ];
        for (modifier, code) in known {
            if to.add_modifier.contains(modifier) {
                bytes.push_str(code);
            }
        }
        bytes.push_str(colour(to.fg));
        bytes.push('m');
    }
}

/// The code of a colour that this UI uses.
const fn colour(colour: Option<Color>) -> &'static str {
    match colour {
        Some(Color::Red) => ";31",
        Some(Color::Green) => ";32",
        Some(Color::Yellow) => ";33",
        Some(Color::Blue) => ";34",
        Some(Color::Magenta) => ";35",
        Some(Color::Cyan) => ";36",
        Some(Color::DarkGray) => ";90",
        _ => "",
    }
}

/// What follows leads to an address; nowhere without one.
fn mark(address: &str, bytes: &mut String) {
    bytes.push_str("\u{1b}]8;;");
    write_text(address, bytes);
    bytes.push_str("\u{1b}\\");
}

/// Text as it is, but for what would move the terminal. Nothing of the kind gets here: this is the last
/// place to stop it.
fn write_text(text: &str, bytes: &mut String) {
    bytes.extend(text.chars().map(|one| match one.is_control() {
        true => '\u{fffd}',
        false => one,
    }));
}

fn style_of(cell: &Cell) -> Style {
    let style = cell.style();
    let plain = |colour: Option<Color>| colour.filter(|colour| *colour != Color::Reset);
    Style {
        fg: plain(style.fg),
        bg: plain(style.bg),
        add_modifier: style.add_modifier,
        ..Style::new()
    }
}

fn cells(buffer: &Buffer, row: u16) -> impl Iterator<Item = &Cell> {
    let width = usize::from(buffer.area.width);
    let from = usize::from(row) * width;
    buffer.content.iter().skip(from).take(width)
}

/// How many columns of a row are used.
fn used(buffer: &Buffer, row: u16) -> u16 {
    let mut last = 0;
    for (at, cell) in (0_u16..).zip(cells(buffer, row)) {
        if cell.symbol() != " " || cell.modifier != Modifier::empty() {
            let width = unicode_width::UnicodeWidthStr::width(cell.symbol());
            last = at + u16::try_from(width.max(1)).unwrap_or(1);
        }
    }
    last.min(buffer.area.width)
}

/// Colours, unless `NO_COLOR` refuses them.
#[must_use]
pub fn colours(background: Background) -> Colours {
    match std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        true => Colours::None,
        false => Colours::Sixteen(background),
    }
}

/// What this terminal does with rows that are too long: xterm, the console and screen cut them.
#[must_use]
pub fn narrowed() -> Narrowed {
    let term = std::env::var("TERM").unwrap_or_default();
    let has = |name: &str| std::env::var_os(name).is_some();
    let cuts =
        term == "linux" || has("XTERM_VERSION") || (term.starts_with("screen") && !has("TMUX"));
    match cuts {
        true => Narrowed::Cuts,
        false => Narrowed::Wraps,
    }
}

#[cfg(test)]
mod tests;
