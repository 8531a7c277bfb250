//! Markdown as styled lines.
//!
//! Text stays text: what a model wrote is escaped before it is read as Markdown, and pictures and HTML
//! are shown as what was written.

use crate::highlight::{Highlighter, code_style};
use crate::lines::{faint, safe, strong};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;
use text::escape::prose;
use unicode_width::UnicodeWidthStr;

/// How a line may be broken on its way to the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// At words, what goes on behind an indent of so many columns.
    Words(usize),
    /// Nowhere: code and tables, which are copied.
    Never,
}

/// A line of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentLine {
    /// What stands there.
    pub line: Line<'static>,
    /// How it may be broken.
    pub may_break: Break,
}

/// Lines as they are: what rules show of files and folders is no Markdown, and `__init__.py` is a name.
/// A sentence is broken at words like others; a row of a file is copied as one.
#[must_use]
pub fn verbatim(text: &str) -> Vec<DocumentLine> {
    let line = |line: &str| DocumentLine {
        line: Line::raw(safe(line)),
        may_break: match is_sentence(line) {
            true => Break::Words(0),
            false => Break::Never,
        },
    };
    text.lines().map(line).collect()
}

/// Whether a line ends as a sentence does, and begins at the left.
fn is_sentence(line: &str) -> bool {
    let is_at_left = !line.starts_with(char::is_whitespace);
    is_at_left && line.contains(' ') && line.trim_end().ends_with(['.', '!', '?', ':'])
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// What a text begins with.
#[must_use]
pub fn first_block(text: &str) -> Option<Tag<'_>> {
    match Parser::new_ext(text, options()).next() {
        Some(Event::Start(tag)) => Some(tag),
        _ => None,
    }
}

/// Where each block of the outermost level stands, from the beginning of its first line on: the blanks there
/// say what it is.
#[must_use]
pub fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    let line_of = |range: Range<usize>| {
        let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        line..range.end
    };
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    found.push(line_of(range));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Rule | Event::Html(_) if depth == 0 => found.push(line_of(range)),
            _ => {}
        }
    }
    found
}

/// The lines of a document. What would move a terminal is spelled out.
#[must_use]
pub fn lines(text: &str) -> Vec<DocumentLine> {
    lines_after(text, None).0
}

/// The same, where the first block of code goes on with another, whose colours are those; with the
/// colours of the last.
#[must_use]
pub fn lines_after(text: &str, code: Option<Highlighter>) -> (Vec<DocumentLine>, Highlighter) {
    let mut writer = Writer {
        goes_on: code,
        ..Writer::default()
    };
    for event in Parser::new_ext(text, options()) {
        writer.take(event);
    }
    writer.end_line();
    while writer
        .done
        .last()
        .is_some_and(|line| line.line.width() == 0)
    {
        writer.done.pop();
    }
    (writer.done, writer.code)
}

/// What a user asked, behind a mark that no other line begins with.
#[must_use]
pub fn request(text: &str) -> Vec<DocumentLine> {
    let empty = DocumentLine {
        line: Line::default(),
        may_break: Break::Never,
    };
    let text = prose(text.trim_end());
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let mark = if at == 0 { "> " } else { "  " };
        DocumentLine {
            line: Line::styled(safe(&format!("{mark}{line}")), strong()),
            may_break: Break::Words(2),
        }
    });
    std::iter::once(empty.clone())
        .chain(lines)
        .chain([empty])
        .collect()
}

/// A list that is open: the number of its next item, if it has numbers.
type List = Option<u64>;

#[derive(Default)]
struct Writer {
    done: Vec<DocumentLine>,
    spans: Vec<Span<'static>>,
    styles: Vec<Style>,
    lists: Vec<List>,
    quotes: usize,
    /// The mark of an item whose first line is yet to come.
    mark: Option<String>,
    is_code: bool,
    /// The colours of the block of code.
    code: Highlighter,
    /// Those that the first one goes on with.
    goes_on: Option<Highlighter>,
    links: Vec<(String, usize)>,
    table: Option<Table>,
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Vec<Span<'static>>>>,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => {
                let text = text.strip_suffix('\n').unwrap_or(&text);
                for line in text.split('\n') {
                    let spans = self.code.line(&safe(line));
                    self.spans.extend(spans);
                    self.push_line(Break::Never);
                }
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => {
                let style = self.style().patch(code_style());
                self.spans.push(Span::styled(safe(&text), style));
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.gap();
                self.spans.push(Span::styled("───", faint()));
                self.end_line();
            }
            Event::TaskListMarker(is_done) => {
                self.text(if is_done { "[x] " } else { "[ ] " });
            }
            // Switched off above.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let style = self.style();
        let mut parts = text.split('\n').peekable();
        while let Some(part) = parts.next() {
            if !part.is_empty() {
                self.spans.push(Span::styled(safe(part), style));
            }
            if parts.peek().is_some() {
                self.end_line();
            }
        }
    }

    fn style(&self) -> Style {
        self.styles
            .iter()
            .fold(Style::new(), |all, one| all.patch(*one))
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin_paragraph(),
            Tag::Heading { level, .. } => {
                self.gap();
                self.styles.push(strong());
                self.spans.push(Span::styled(hashes(level), strong()));
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => safe(&language),
                    CodeBlockKind::Indented => String::new(),
                };
                let begun = self.goes_on.take();
                self.code = begun.unwrap_or_else(|| Highlighter::of(&language));
                self.spans
                    .push(Span::styled(format!("```{language}"), faint()));
                self.push_line(Break::Never);
                self.is_code = true;
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.gap();
                }
                self.end_line();
                self.lists.push(first);
            }
            Tag::Item => {
                self.end_line();
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                });
            }
            Tag::Table(alignments) => {
                self.gap();
                self.table = Some(Table {
                    alignments,
                    rows: Vec::new(),
                });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self
                .styles
                .push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(strong()),
            Tag::Strikethrough => self
                .styles
                .push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.spans.len()));
                self.styles
                    .push(Style::new().add_modifier(Modifier::UNDERLINED));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_line(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_line();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.spans.push(Span::styled("```", faint()));
                self.push_line(Break::Never);
            }
            TagEnd::List(_) => {
                self.end_line();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.end_line();
                self.mark = None;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.write_table(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    /// A link says where it leads, unless its text does.
    fn end_link(&mut self) {
        self.styles.pop();
        let Some((address, from)) = self.links.pop() else {
            return;
        };
        let spans = self.spans.get(from..).unwrap_or_default();
        let shown: String = spans.iter().map(|span| span.content.as_ref()).collect();
        let address = safe(&address);
        if shown != address && format!("mailto:{shown}") != address {
            self.spans
                .push(Span::styled(format!(" ({address})"), faint()));
        }
    }

    /// What stands before a line: the bars of quotes, the indent of lists, and an item's mark.
    fn margin(&mut self) -> (Vec<Span<'static>>, usize) {
        let mut spans = Vec::new();
        if self.quotes > 0 {
            spans.push(Span::styled("> ".repeat(self.quotes), faint()));
        }
        let depth = self.lists.len();
        let mark = self.mark.take();
        if depth > 0 {
            let indent = match &mark {
                Some(_) => 2 * (depth - 1),
                None => 2 * depth,
            };
            spans.push(Span::raw(" ".repeat(indent)));
        }
        spans.extend(mark.map(Span::raw));
        (spans, 2 * self.quotes + 2 * depth)
    }

    /// Ends the line, if something stands on it.
    fn end_line(&mut self) {
        if !self.spans.is_empty() || self.mark.is_some() {
            self.push_line(Break::Words(0));
        }
    }

    fn push_line(&mut self, may_break: Break) {
        let (mut spans, indent) = self.margin();
        spans.append(&mut self.spans);
        // A row of nothing but a margin is an empty one.
        let line = Line::from(spans);
        self.done.push(DocumentLine {
            line,
            may_break: match may_break {
                Break::Words(_) => Break::Words(indent),
                Break::Never => Break::Never,
            },
        });
    }

    /// The first paragraph of an item stands behind its mark.
    fn begin_paragraph(&mut self) {
        if self.mark.is_none() {
            self.gap();
        }
    }

    /// An empty line between blocks; none inside of lists.
    fn gap(&mut self) {
        self.end_line();
        if self.lists.is_empty() && self.quotes == 0 && !self.done.is_empty() {
            self.done.push(DocumentLine {
                line: Line::default(),
                may_break: Break::Never,
            });
        }
    }

    fn write_table(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        let width = |cell: &[Span<'static>]| cell.iter().map(|span| span.content.width()).sum();
        let mut widths: Vec<usize> = vec![0; table.alignments.len()];
        for row in &table.rows {
            for (most, cell) in widths.iter_mut().zip(row) {
                *most = (*most).max(width(cell));
            }
        }
        for (index, row) in table.rows.into_iter().enumerate() {
            for (at, cell) in row.into_iter().enumerate() {
                if at > 0 {
                    self.spans.push(Span::styled(" | ", faint()));
                }
                let free = widths
                    .get(at)
                    .map_or(0, |most| most.saturating_sub(width(&cell)));
                let (before, after) = match table.alignments.get(at) {
                    Some(Alignment::Right) => (free, 0),
                    Some(Alignment::Center) => (free / 2, free - free / 2),
                    _ => (0, free),
                };
                self.spans.push(Span::raw(" ".repeat(before)));
                let style = if index == 0 { strong() } else { Style::new() };
                let cell = cell.into_iter().map(|span| span.patch_style(style));
                self.spans.extend(cell);
                if at + 1 < widths.len() {
                    self.spans.push(Span::raw(" ".repeat(after)));
                }
            }
            self.push_line(Break::Never);
            if index == 0 {
                let rules = widths.iter().map(|most| "-".repeat(*most));
                let rule = rules.collect::<Vec<_>>().join(" | ");
                self.spans.push(Span::styled(rule, faint()));
                self.push_line(Break::Never);
            }
        }
    }
}

fn hashes(level: HeadingLevel) -> String {
    format!("{} ", "#".repeat(level as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        lines(text)
            .iter()
            .map(|line| line.line.to_string())
            .collect()
    }

    #[test]
    fn the_items_of_a_loose_list_stand_behind_their_marks() {
        let shown =
            shown("1. First\n\n2. Second\n\n   more of it\n\n- alpha\n\n  - beta\n\n- gamma");
        let wanted = [
            "1. First",
            "2. Second",
            "  more of it",
            "",
            "- alpha",
            "  - beta",
            "- gamma",
        ];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn each_kind_of_block_has_its_lines() {
        let text = "# Head\n\nSome *soft* and **hard** `code`\nhere.\n\n- one\n- two\n  1. deep\n\n> said\n\n```rust\nfn main() {}\n\n```\n";
        let expected = [
            "# Head",
            "",
            "Some soft and hard code here.",
            "",
            "- one",
            "- two",
            "  1. deep",
            "",
            "> said",
            "",
            "```rust",
            "fn main() {}",
            "",
            "```",
        ];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn tables_are_aligned_by_what_is_seen() {
        let text = "| name | n |\n|---|--:|\n| 日本 | 1 |\n| b | 22 |\n";
        let expected = ["name |  n", "---- | --", "日本 |  1", "b    | 22"];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn a_link_says_where_it_leads() {
        let told = shown("[bank](https://evil.example/) <https://a.example/>");
        assert_eq!(told, ["bank (https://evil.example/) https://a.example/"]);
    }

    #[test]
    fn nothing_that_a_model_writes_moves_the_terminal() {
        let hostile = "a\u{1b}[2J `\u{9b}31m` \u{202e}\n\n```\u{1b}]0;x\u{7}\n\u{1b}Pq\r\u{8}\n```\n&#27;[31m <b\u{1b}>";
        for line in shown(hostile) {
            let moves = |c: char| c.is_control() || c == '\u{202e}' || c == '\u{9b}';
            assert!(!line.contains(moves), "{line:?}");
        }
    }

    #[test]
    fn blocks_are_found_with_their_places() {
        let text = "one\n\ntwo\n\n- a\n- b\n";
        let found: Vec<&str> = blocks(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["one\n", "two\n", "- a\n- b\n"]);
    }
}
