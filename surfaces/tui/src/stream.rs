//! What a model says, as it comes: blocks that are whole leave for the scrollback, the rest is the tail
//! that is drawn again and again.

mod ahead;

use crate::highlight::Highlighter;
use crate::lines::{faint, safe, wrapped};
use crate::markdown::{Break, DocumentLine, lines, lines_after, verbatim};
use ahead::{AMID, GoesOn};
use domain::event::EventBody;
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

/// Whether an event has words of a model for the user. An answer of a request without any is by rules: lines
/// of files, which are no Markdown.
#[must_use]
pub const fn has_words(body: &EventBody) -> bool {
    match body {
        EventBody::TextDelta { text } => !text.is_empty(),
        EventBody::ModelAnswered { text, aside, .. } => !*aside && !text.is_empty(),
        _ => false,
    }
}

/// What streams in.
#[derive(Debug, Default)]
pub struct Stream {
    /// The text that has not left yet.
    pending: String,
    /// Whether the first line of the pending text, which begins a block of code, has left already.
    is_in_code: bool,
    /// The colours that its next line goes on with.
    code: Highlighter,
    /// Whether something of this text left before, so that the next block stands behind an empty line.
    has_left: bool,
    /// What the pending text goes on with.
    goes_on: GoesOn,
    /// Whether a model has words in it, which are Markdown.
    is_of_a_model: bool,
    /// From which length on rows of the pending text are tried to leave ahead, bytes.
    tried_from: usize,
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

    /// A model has words in the answer, which is Markdown then.
    pub const fn take_markdown(&mut self) {
        self.is_of_a_model = true;
    }

    /// The lines of a whole answer.
    #[must_use]
    pub fn document(&self, answer: &str, known: &Known) -> Vec<DocumentLine> {
        let told = marked(answer, known, prose, mark);
        match self.is_of_a_model {
            true => lines(&told),
            false => verbatim(&told),
        }
    }

    /// A piece of what a model answers: the lines that it makes whole on a terminal of so many columns.
    pub fn answer(&mut self, piece: &str, known: &Known, width: usize) -> Vec<DocumentLine> {
        if !piece.is_empty() {
            self.take_markdown();
        }
        self.tell(piece, known, width)
    }

    /// The same of what no model may have said, which is Markdown only behind words of one.
    pub fn tell(&mut self, piece: &str, known: &Known, width: usize) -> Vec<DocumentLine> {
        self.pending.push_str(piece);
        if self.said.len() + piece.len() <= SAID_BYTES {
            self.said.push_str(piece);
        }
        if !self.is_of_a_model {
            let end = self.pending.rfind('\n').map_or(0, |at| at + 1);
            let rest = self.pending.split_off(end);
            let text = std::mem::replace(&mut self.pending, rest);
            return verbatim(&marked(&text, known, prose, mark));
        }
        let mut whole = match !piece.contains('\n') && self.pending.len() < BLOCK_BYTES {
            true => Vec::new(),
            false => self.take_whole(known),
        };
        whole.extend(self.take_ahead(known, width));
        whole
    }

    /// Whether what streams is thinking, and nothing of the answer.
    #[must_use]
    pub const fn is_thinking(&self) -> bool {
        self.pending.is_empty()
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

    /// What of the answer was not streamed: what was added behind it, or all of another one.
    #[must_use]
    pub fn unsaid<'a>(&self, answer: &'a str) -> &'a str {
        let said = self.said.trim();
        match answer.trim().strip_prefix(said) {
            Some(added) if !said.is_empty() => added.trim_start_matches('\n'),
            _ => answer,
        }
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
        self.goes_on = GoesOn::Nothing;
        was_shown
    }

    /// All that is left of the answer.
    pub fn flush(&mut self, known: &Known) -> Vec<DocumentLine> {
        let left = std::mem::take(&mut self.pending);
        let shown = self.render(&left, known, self.goes_on);
        self.is_in_code = false;
        self.has_left = false;
        self.goes_on = GoesOn::Nothing;
        shown
    }

    /// The thought in one line, now that it is over, which this key shows whole; `None` where there was
    /// none.
    pub fn end_thought(&mut self, key: &str) -> Option<Line<'static>> {
        let thought = std::mem::take(&mut self.thinking);
        if thought.trim().is_empty() {
            return None;
        }
        let gist = gist(&thought);
        let text = match thought.trim().lines().count() {
            1 if gist == thought.trim() => format!("· thought: {gist}"),
            1 => format!("· thought (1 line; {key} shows it): {gist}"),
            count => format!("· thought ({count} lines; {key} shows them): {gist}"),
        };
        self.thought = thought;
        Some(Line::styled(safe(&text), faint()))
    }

    /// The last thought that ended, in lines.
    #[must_use]
    pub fn last_thought(&self) -> Vec<Line<'static>> {
        thought_lines(&self.thought)
    }

    /// The same for the scrollback, each line behind the mark of thinking.
    #[must_use]
    pub fn marked_thought(&self) -> Vec<Line<'static>> {
        let lines = self.last_thought().into_iter();
        lines
            .map(|line| Line::styled(format!("~ {line}"), faint()))
            .collect()
    }

    /// What is drawn below the scrollback: thinking under way, or the answer that has not left yet.
    #[must_use]
    pub fn tail(&self, known: &Known, is_expanded: bool) -> Vec<DocumentLine> {
        if !self.pending.is_empty() {
            return self.render(&self.pending, known, self.goes_on);
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
        let found = ahead::blocks_after(&self.pending[..lines], self.goes_on);
        if let [.., _, last] = found.as_slice() {
            let rest = self.pending.split_off(last.start);
            let text = std::mem::replace(&mut self.pending, rest);
            whole.extend(self.render(&text, known, self.goes_on));
            self.has_left = true;
            self.is_in_code = false;
            self.goes_on = GoesOn::Nothing;
            self.tried_from = 0;
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
            whole.extend(self.render(&text, known, self.goes_on));
            self.has_left = false;
            self.is_in_code = false;
        }
        whole
    }

    /// Takes lines out of a block of code that is not closed yet.
    fn take_code(&mut self, known: &Known) -> Vec<DocumentLine> {
        // Signs in the midst of a paragraph begin no block.
        let fence = open_fence(&self.pending).filter(|_| self.goes_on != GoesOn::Paragraph);
        let Some(fence) = fence else {
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
        let (mut whole, code) = self.rendered(&text, known, self.goes_on);
        // The end of the block is yet to come.
        whole.pop();
        self.code = code;
        self.pending = rest;
        self.has_left = true;
        self.is_in_code = true;
        whole
    }

    /// Takes rows out of a block that is not whole yet and is more than a few of them.
    fn take_ahead(&mut self, known: &Known, width: usize) -> Vec<DocumentLine> {
        let is_short = self.pending.len() < self.tried_from.max(width);
        if is_short || self.is_in_code {
            return Vec::new();
        }
        let rows = |text: &str, before| {
            let lines = self.render(text, known, before).into_iter();
            let rows = lines.flat_map(|one| match one.may_break {
                Break::Never => vec![one.line],
                Break::Words(indent) => wrapped(&one.line, indent, width),
            });
            rows.map(|row| row.to_string().trim_end().to_owned())
                .collect()
        };
        let Some((at, next)) = ahead::cut(&self.pending, self.goes_on, rows) else {
            self.tried_from = self.pending.len() + width.max(self.pending.len() / 4);
            return Vec::new();
        };
        let rest = self.pending.split_off(at);
        let text = std::mem::replace(&mut self.pending, rest);
        let left = self.render(&text, known, self.goes_on);
        self.goes_on = next;
        self.has_left = true;
        self.tried_from = 0;
        left
    }

    fn render(&self, text: &str, known: &Known, before: GoesOn) -> Vec<DocumentLine> {
        self.rendered(text, known, before).0
    }

    /// The lines of a text, and the colours of its last block of code.
    fn rendered(
        &self,
        text: &str,
        known: &Known,
        before: GoesOn,
    ) -> (Vec<DocumentLine>, Highlighter) {
        if text.trim().is_empty() {
            return (Vec::new(), self.code);
        }
        let told = marked(text, known, prose, mark);
        if !self.is_of_a_model {
            return (verbatim(&told), self.code);
        }
        let (mut shown, code) = match before {
            GoesOn::Paragraph => (amid(&told), self.code),
            GoesOn::Nothing | GoesOn::List => {
                lines_after(&told, self.is_in_code.then_some(self.code))
            }
        };
        if before != GoesOn::Nothing {
            return (shown, code);
        }
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
        (shown, code)
    }
}

/// The lines of a text that goes on with a paragraph.
fn amid(text: &str) -> Vec<DocumentLine> {
    let mut shown = lines(&format!("{AMID}{}", text.trim_start()));
    if let Some(first) = shown.first_mut().and_then(|one| one.line.spans.first_mut())
        && let Some(rest) = first.content.strip_prefix(AMID)
    {
        first.content = rest.to_owned().into();
    }
    shown
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

    /// Columns at which nothing leaves ahead.
    const WIDE: usize = 1 << 20;

    /// What leaves for the scrollback when a text comes in pieces of so many characters.
    fn streamed(text: &str, size: usize, width: usize) -> Vec<String> {
        let mut stream = Stream::default();
        let known = Known::default();
        let letters: Vec<char> = text.chars().collect();
        let (mut left, mut most) = (Vec::new(), 0);
        for piece in letters.chunks(size) {
            let piece: String = piece.iter().collect();
            left.extend(in_rows(stream.answer(&piece, &known, width), width));
            most = most.max(in_rows(stream.tail(&known, false), width).len());
        }
        assert!(stream.has_said(text));
        left.extend(in_rows(stream.flush(&known), width));
        assert!(width == WIDE || most <= 10, "{most} rows below");
        left
    }

    #[test]
    fn what_no_model_said_keeps_its_lines_and_signs() {
        let rows = "From a.py:\n  1: if __name__ == \"__main__\":\n  2: go()\na,b\n1,2\n";
        let wanted: Vec<&str> = rows.lines().collect();
        let known = Known::default();
        let mut stream = Stream::default();
        let mut left = plain(stream.tell(rows, &known, WIDE));
        left.extend(plain(stream.flush(&known)));
        assert_eq!(left, wanted);
        assert_eq!(plain(Stream::default().document(rows, &known)), wanted);
        // The control: the same as a model's.
        let mut stream = Stream::default();
        let mut left = plain(stream.answer(rows, &known, WIDE));
        left.extend(plain(stream.flush(&known)));
        assert_ne!(left, wanted);
    }

    #[test]
    fn what_was_added_behind_what_was_streamed_is_shown_alone() {
        let mut stream = Stream::default();
        assert_eq!(stream.unsaid("All of it."), "All of it.");
        stream.answer("The port is 8472.\n", &Known::default(), WIDE);
        let answer = "The port is 8472.\n\nFrom settings.toml:\n  port = 8472";
        assert_eq!(stream.unsaid(answer), "From settings.toml:\n  port = 8472");
        assert_eq!(stream.unsaid("Another."), "Another.");
    }

    #[test]
    fn pieces_come_to_what_the_whole_comes_to() {
        let code: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let text = format!(
            "# Head\n\nText *with*\nlines.\n\n- a\n- b\n\n```sh\n{code}```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd."
        );
        let whole = plain(lines(&text));
        for size in [1, 3, 7, 1000] {
            assert_eq!(streamed(&text, size, WIDE), whole, "pieces of {size}");
        }
    }

    /// Lines in rows of a width, without what stands behind them.
    fn in_rows(lines: Vec<DocumentLine>, width: usize) -> Vec<String> {
        let rows = lines.into_iter().flat_map(|one| match one.may_break {
            Break::Never => vec![one.line],
            Break::Words(indent) => wrapped(&one.line, indent, width),
        });
        rows.map(|row| row.to_string().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn rows_that_leave_ahead_come_to_what_the_whole_comes_to() {
        let paragraph: String = (0..60)
            .map(|n| match n % 7 {
                0 => format!("*word{n} more* "),
                1 => format!("- {n}\n"),
                2 => format!("[link {n}](https://x.example/{n}) "),
                3 => "# ".to_owned(),
                _ => format!("snake_case{n} "),
            })
            .collect();
        let paragraph = paragraph.replace("- ", "-- ").replace("# ", "x# ");
        let list: String = (1..20)
            .map(|n| format!("{n}. item {n} is `so` long that it wraps\n   - with one below\n"))
            .collect();
        let text = format!("Words.\n\n{paragraph}\n\n{list}\nEnd.");
        for width in [20, 31, 80] {
            let whole = in_rows(lines(&text), width);
            for size in [1, 5, 40] {
                let found = streamed(&text, size, width);
                assert_eq!(found, whole, "{width} columns, pieces of {size}");
            }
        }
    }

    /// Whether a text that comes in pieces of any size has the rows of the whole at these widths.
    fn comes_to_the_whole(text: &str) {
        let known = Known::default();
        for width in [24, 60, 100, 200] {
            let whole = in_rows(lines(text), width);
            for size in [1, 4, 20, 90] {
                let mut stream = Stream::default();
                let letters: Vec<char> = text.chars().collect();
                let mut left = Vec::new();
                for piece in letters.chunks(size) {
                    let piece: String = piece.iter().collect();
                    left.extend(in_rows(stream.answer(&piece, &known, width), width));
                }
                left.extend(in_rows(stream.flush(&known), width));
                assert_eq!(left, whole, "{width} columns, pieces of {size}");
            }
        }
    }

    #[test]
    fn marks_of_blocks_in_the_midst_of_a_paragraph_begin_none() {
        let words = "some words that fill rows of it ".repeat(9);
        for mark in ["```", "~~~", "-", "#", "1.", ">", "| a | b |"] {
            let amid = format!("{words}{mark} {words}\n");
            let rest: String = (0..9)
                .map(|n| format!("- {n} **b ```\n\nline {n} ```\n"))
                .collect();
            comes_to_the_whole(&format!("{amid}{rest}\nThe end.\n"));
        }
    }

    #[test]
    fn a_paragraph_with_an_open_mark_loses_nothing_of_what_follows() {
        let text = [
        "2484 ééé2485 - 2486 gamma**2487 [x](http://e.org/2488)2488 [x](http://e.org/2489)2489 [x](http://e.org/2490)2490 - 2491 **beta2492 [x](http://e.org/2493)2493 `d`2494 ```\n",
        "2495 alpha2496 **beta2497 **beta2498 `d`2499 ééé2500 [x](http://e.org/2501)2501 alpha2502 [x](http://e.org/2503)2503 | a | b |\n",
        "2504 \n",
        "\n",
        "2505 ```\n",
        "2506 ééé2507 alpha2508 gamma**2509 ééé2510 **beta2511 ééé2512 ééé2513 ééé2514 漢字2515 alpha2516 \n",
        "2517 | a | b |\n",
        "2518 \n",
        "\n",
        "2519 ```\n",
        "2520 - 2521 ééé2522 alpha2523 `d`2524 | a | b |\n",
        "2525 ééé2526 alpha2527 **beta2528 ```\n",
        "2529 gamma**2530 ```\n",
        "2531 ééé2532 alpha2533 gamma**2534 ééé2535 \n",
        "2536 \n",
        "\n",
        "2537 alpha2538 [x](http://e.org/2539)2539 - 2540 gamma**2541 **beta2542 **beta2543 gamma**2544 gamma**2545 gamma**2546 ééé2547 \n",
        "\n",
        "2548 漢字2549 alpha2550 ```\n",
        "2551 **beta2552 - 2553 ```\n",
        "2554 - 2555 \n",
        "\n",
        "2556 \n",
        "\n",
        "2557 `d`2558 **beta2559 \n",
        "\n",
        ]
        .concat();
        let known = Known::default();
        let pieces: Vec<&str> = text.split_inclusive(' ').collect();
        for (width, size) in (76..84).flat_map(|width| [1, 2, 3, 5].map(|size| (width, size))) {
            let mut stream = Stream::default();
            let mut left = Vec::new();
            for piece in pieces.chunks(size) {
                left.extend(plain(stream.answer(&piece.concat(), &known, width)));
            }
            left.extend(plain(stream.flush(&known)));
            let shown = left.join(" ");
            let lost: Vec<u32> = (2484..2560)
                .filter(|number| !shown.contains(&number.to_string()))
                .collect();
            assert!(
                lost.is_empty(),
                "{lost:?}: {width} columns, {size} pieces at once"
            );
        }
    }

    #[test]
    fn a_long_table_that_streams_stays_a_table() {
        let row = |n: u8| format!("| src/file{n}.py | {n} | What it is for, in a few words |\n");
        let rows: String = (0..30).map(row).collect();
        let table = format!("| File | Lines | Purpose |\n| --- | ---: | --- |\n{rows}");
        comes_to_the_whole(&format!("Here it is:\n\n{table}\nThat is all of it."));
        let wide = "a name that is long enough to wrap ".repeat(8);
        comes_to_the_whole(&format!("| {wide} | b |\n|---|---|\n| 1 | 2 |\n"));
        // What only begins like one is a paragraph.
        comes_to_the_whole(&format!(
            "| no table {}\nbut words.\n",
            "and more words ".repeat(40)
        ));
    }

    #[test]
    fn indented_code_that_streams_keeps_its_lines() {
        let code: String = (0..12).map(|n| format!("    line {n}\n")).collect();
        comes_to_the_whole(&format!("Before it.\n\n{code}\nBehind it.\n"));
    }

    #[test]
    fn code_that_streams_has_the_colours_of_the_whole() {
        let code: String = (0..40)
            .map(|n| match n % 10 {
                3 => "/* a comment\n".to_owned(),
                8 => "that ends */ let a = \"b\";\n".to_owned(),
                _ => format!("let a{n} = {n};\n"),
            })
            .collect();
        let text = format!("```rust\n{code}```\n\n```rust\nlet b = 1;\n```\n");
        let known = Known::default();
        let whole = lines(&text);
        for size in [1, 7, 100] {
            let mut stream = Stream::default();
            let mut left = Vec::new();
            let letters: Vec<char> = text.chars().collect();
            for piece in letters.chunks(size) {
                let piece: String = piece.iter().collect();
                left.extend(stream.answer(&piece, &known, WIDE));
            }
            left.extend(stream.flush(&known));
            assert_eq!(left, whole, "pieces of {size}");
        }
    }

    #[test]
    fn a_block_without_an_end_does_not_grow_for_ever() {
        let mut stream = Stream::default();
        let known = Known::default();
        for _ in 0..64 {
            stream.answer(&"word ".repeat(4096), &known, 80);
            assert!(stream.pending.len() <= BLOCK_BYTES);
        }
        stream.answer(&"x".repeat(1 << 20), &known, 80);
        assert!(stream.pending.len() <= BLOCK_BYTES);
    }

    #[test]
    fn a_thought_folds_to_a_line() {
        let mut stream = Stream::default();
        stream.think("First this.\nThen ");
        stream.think("that.\u{1b}[2J\n");
        let tail = plain(stream.tail(&Known::default(), false));
        assert_eq!(tail, ["· thinking: Then that.\\u{1b}[2J"]);
        let folded = stream.end_thought("Ctrl+O").unwrap().to_string();
        assert!(folded.starts_with("· thought (2 lines; Ctrl+O"), "{folded}");
        assert!(!folded.contains('\u{1b}'));
        assert_eq!(stream.last_thought().len(), 2);
        assert!(stream.end_thought("Ctrl+O").is_none());
        // Of one that stands there whole nothing is left to be shown.
        stream.think("Only that.\n");
        let folded = stream.end_thought("Ctrl+O").unwrap().to_string();
        assert_eq!(folded, "· thought: Only that.");
    }

    #[test]
    fn what_is_withdrawn_in_time_was_never_shown() {
        let mut stream = Stream::default();
        let known = Known::default();
        stream.answer("<tool_call>", &known, 80);
        assert!(!stream.replace(""));
        assert!(stream.tail(&known, false).is_empty());
        stream.answer("one\n\ntwo\n", &known, 80);
        assert!(stream.replace("one"));
        assert!(stream.flush(&known).is_empty());
    }
}
