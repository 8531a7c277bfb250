//! A screen as a picture: an SVG file of text in a terminal's colours, for the documentation.

use std::fmt::Write;
use std::num::NonZero;
use vt100::{Cell, Color, Parser};

/// Width of a column and height of a row, pixels.
const CELL: (u16, u16) = (8, 17);
/// Room around the screen, pixels.
const EDGE: u16 = 12;
/// The terminal's own colours: the background, the text, the first eight and their bright ones.
const BACKGROUND: &str = "#1c1c1c";
const TEXT: &str = "#d0d0d0";
const COLOURS: [&str; 16] = [
    "#1c1c1c", "#d75f5f", "#87af5f", "#d7af5f", "#5f87d7", "#af87d7", "#5fafaf", "#d0d0d0",
    "#6c6c6c", "#ff8787", "#afd787", "#ffd787", "#87afff", "#d7afff", "#87d7d7", "#ffffff",
];

/// What is on a screen of so many columns and rows, as tmux captured it with its colours.
#[must_use]
pub fn svg(captured: &str, (columns, rows): (u16, u16)) -> String {
    let mut terminal = Parser::new(
        NonZero::new(rows).unwrap(),
        NonZero::new(columns).unwrap(),
        0,
    );
    let rows_text: Vec<&str> = captured.lines().collect();
    terminal.process(rows_text.join("\r\n").as_bytes());
    let screen = terminal.screen();
    let (width, height) = (columns * CELL.0 + 2 * EDGE, rows * CELL.1 + 2 * EDGE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{BACKGROUND}\"/>\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let Some(cell) = screen.cell(row, column) else {
                break;
            };
            let (text, next) = run(columns, column, |at| screen.cell(row, at), cell);
            write_run(&mut out, (row, column, next), cell, &text);
            column = next;
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The text from a column on that looks like its cell, and the column behind it.
fn run<'a>(
    columns: u16,
    from: u16,
    cell_at: impl Fn(u16) -> Option<&'a Cell>,
    like: &Cell,
) -> (String, u16) {
    let look = |cell: &Cell| {
        (
            cell.fgcolor(),
            cell.bgcolor(),
            cell.bold(),
            cell.dim(),
            cell.inverse(),
        )
    };
    let mut text = String::new();
    let mut at = from;
    while at < columns {
        let Some(cell) = cell_at(at).filter(|cell| look(cell) == look(like)) else {
            break;
        };
        if !cell.is_wide_continuation() {
            match cell.contents() {
                "" => text.push(' '),
                contents => text.push_str(contents),
            }
        }
        at += 1;
    }
    (text, at.max(from + 1))
}

fn write_run(out: &mut String, (row, from, to): (u16, u16, u16), cell: &Cell, text: &str) {
    let (x, y) = (EDGE + from * CELL.0, EDGE + row * CELL.1);
    let width = (to - from) * CELL.0;
    let (mut front, mut back) = (
        colour(cell.fgcolor()).unwrap_or(TEXT),
        colour(cell.bgcolor()),
    );
    if cell.inverse() {
        (front, back) = (back.unwrap_or(BACKGROUND), Some(front));
    }
    if let Some(back) = back {
        let height = CELL.1;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{back}\"/>"
        );
    }
    let trimmed = text.trim_end();
    if trimmed.is_empty() {
        return;
    }
    let weight = if cell.bold() {
        " font-weight=\"bold\""
    } else {
        ""
    };
    let faint = if cell.dim() { " opacity=\"0.65\"" } else { "" };
    let base = y + 13;
    // Where the reader's font is wider or narrower than the columns, the text keeps to them.
    let behind = u16::try_from(text.len() - trimmed.len()).unwrap_or(0);
    let length = width.saturating_sub(behind * CELL.0);
    let escaped = trimmed
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{base}\" fill=\"{front}\" textLength=\"{length}\" xml:space=\"preserve\"{weight}{faint}>{escaped}</text>"
    );
}

fn colour(colour: Color) -> Option<&'static str> {
    match colour {
        Color::Default => None,
        Color::Idx(index) => COLOURS.get(usize::from(index)).copied(),
        Color::Rgb(..) => Some(TEXT),
    }
}

/// The lines of a picture without what another run has otherwise: numbers and their units, ids, how long
/// something took, which of two agents came first, and the last row, whose facts depend on how fast it was.
#[must_use]
pub fn told(svg: &str) -> Vec<String> {
    let row = |line: &str| {
        line.split(" y=\"")
            .nth(1)?
            .split('"')
            .next()?
            .parse::<u32>()
            .ok()
    };
    let texts = || svg.lines().filter(|line| line.starts_with("<text"));
    let last = texts().filter_map(row).max();
    let mut told = Vec::new();
    for line in texts().filter(|line| row(line) != last) {
        let inner = line.split_once('>').map_or("", |(_, rest)| rest);
        let inner = inner.strip_suffix("</text>").unwrap_or(inner);
        let words = inner.split_whitespace().filter_map(lasting);
        let words: Vec<String> = words.collect();
        if !words.is_empty() {
            told.push(words.join(" "));
        }
    }
    told.sort();
    told
}

/// What of a word is the same in another run.
fn lasting(word: &str) -> Option<String> {
    let id = word.trim_start_matches('…');
    let is_id = id.len() >= 8 && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_unit = ["ms", "s"].contains(&word.trim_end_matches([',', ';']));
    let kept: String = word
        .chars()
        .filter(|c| !c.is_ascii_digit() && !"#·.".contains(*c))
        .collect();
    (!is_id && !is_unit && !kept.is_empty()).then_some(kept)
}
