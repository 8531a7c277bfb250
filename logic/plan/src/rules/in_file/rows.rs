//! Tables in a text, CSV or Markdown: their rows and cells with their places, which row is meant, and rows that
//! are added and removed.

use super::keys::plain;
use super::lines::Lines;
use super::written::separator_of;
use crate::quoted::in_quotes;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Characters of a header that a refusal shows.
const SHOWN_CHARS: usize = 80;

/// Cells that are words of any question: they count beside the name of their column alone.
pub(super) const SMALL: [&str; 16] = [
    "yes", "no", "on", "off", "in", "at", "is", "a", "the", "of", "to", "or", "and", "ja", "nein",
    "as",
];

/// The line below the header of a Markdown table.
static RULE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$"));
/// A row that is named by what one of its cells says.
static WHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:row |line |entry )?(?:where|whose|with) (?:the )?(?P<c>.+?) (?:is|=|equals) (?P<v>.+)$",
    )
});

/// A cell by its place in the text.
pub(super) struct Cell {
    pub(super) place: Range<usize>,
    pub(super) text: String,
}

/// The rows of a table, each on one line.
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// The line of the header.
    pub(super) header: Range<usize>,
    separator: char,
}

/// The cells of a line; none where a quote is not closed on it.
fn cells(text: &str, line: Range<usize>, separator: char) -> Option<Vec<Cell>> {
    let mut found = Vec::new();
    let mut start = line.start;
    let mut is_quoted = false;
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in text[line.clone()].char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => ends.push(line.start + at),
            _ => {}
        }
    }
    ends.push(line.end);
    for end in ends {
        let raw = text[start..end].trim();
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let cell = inner.map_or_else(|| raw.to_owned(), |inner| inner.replace("\"\"", "\""));
        found.push(Cell {
            place: start..end,
            text: cell,
        });
        start = end + separator.len_utf8();
    }
    (!is_quoted).then_some(found)
}

/// The cells of a row of Markdown: what stands between the bars, without the spaces around it.
fn bar_cells(text: &str, line: Range<usize>) -> Vec<Cell> {
    let row = text[line.clone()].trim();
    let start = line.start + text[line.clone()].find(row).unwrap_or_default();
    let inner = row.strip_prefix('|').unwrap_or(row);
    let mut at = start + row.len() - inner.len();
    let inner = match inner.strip_suffix('|') {
        Some(rest) if !rest.ends_with('\\') => rest,
        _ => inner,
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut begin = at;
    let mut is_escaped = false;
    for c in inner.chars() {
        match c {
            '|' if !is_escaped => {
                parts.push(begin..at);
                begin = at + 1;
            }
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        at += c.len_utf8();
    }
    parts.push(begin..at);
    let cell = |part: Range<usize>| {
        let whole = &text[part.clone()];
        let trimmed = whole.trim();
        let begin = match trimmed.is_empty() {
            true => (part.start + 1).min(part.end),
            false => part.start + whole.len() - whole.trim_start().len(),
        };
        Cell {
            place: begin..begin + trimmed.len(),
            text: trimmed.replace("\\|", "|"),
        }
    };
    parts.into_iter().map(cell).collect()
}

/// Whether a cell has these words, one behind the other. A part of a word is none: `Anna` is not
/// `Anna-Lena`.
fn says(cell: &str, words: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || ",;:()".contains(c));
        let parts = parts.filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (cell, words) = (parts(cell), parts(words));
    !words.is_empty() && cell.windows(words.len()).any(|some| some == words)
}

impl Table {
    /// The table of a file: all of a CSV file, or the only one of a Markdown file.
    pub(super) fn of(lines: &Lines<'_>) -> Option<Self> {
        let separator = match lines.ending().as_str() {
            "tsv" => '\t',
            "csv" => char::from(separator_of(lines.text)),
            "md" | "markdown" => return Self::of_markdown(lines),
            _ => return None,
        };
        let mut all = lines.lines().filter(|line| !line.is_empty());
        let header = all.next()?;
        let head = cells(lines.text, header.clone(), separator)?;
        let rows: Option<Vec<Vec<Cell>>> =
            all.map(|line| cells(lines.text, line, separator)).collect();
        Self {
            head: head.into_iter().map(|cell| cell.text).collect(),
            rows: rows?,
            header,
            separator,
        }
        .even()
    }

    fn of_markdown(lines: &Lines<'_>) -> Option<Self> {
        let all: Vec<Range<usize>> = lines.lines().collect();
        let text = |line: &Range<usize>| &lines.text[line.clone()];
        let is_rule = |line: &Range<usize>| {
            let rule = RULE.as_ref();
            text(line).contains('|') && rule.is_some_and(|rule| rule.is_match(text(line)))
        };
        let mut rules =
            (1..all.len()).filter(|at| is_rule(&all[*at]) && text(&all[at - 1]).contains('|'));
        let rule = rules.next().filter(|_| rules.next().is_none())?;
        let header = all[rule - 1].clone();
        let head = bar_cells(lines.text, header.clone());
        let rows = all[rule + 1..]
            .iter()
            .take_while(|line| text(line).contains('|'));
        Self {
            head: head.into_iter().map(|cell| cell.text).collect(),
            rows: rows
                .map(|line| bar_cells(lines.text, line.clone()))
                .collect(),
            header,
            separator: '|',
        }
        .even()
    }

    /// It, where each row has as many cells as the header.
    fn even(self) -> Option<Self> {
        let is_even = self.rows.iter().all(|row| row.len() == self.head.len());
        is_even.then_some(self)
    }

    /// The rows that an order names: by a cell that says this, by one that has it as words, by two cells, or by
    /// what a column says.
    pub(super) fn rows_about(&self, about: &str) -> Vec<&Vec<Cell>> {
        let about = about.trim().trim_matches(['"', '\'']).to_lowercase();
        let having = |is: &dyn Fn(&str) -> bool| {
            let has = |row: &&Vec<Cell>| row.iter().any(|cell| is(&cell.text.to_lowercase()));
            self.rows.iter().filter(has).collect::<Vec<_>>()
        };
        let exact = having(&|cell| cell == about);
        if !exact.is_empty() {
            return exact;
        }
        let said = having(&|cell| says(cell, &about));
        if !said.is_empty() {
            return said;
        }
        if let Some(found) = WHERE.as_ref().and_then(|it| it.captures(&about)) {
            let column = self.column(&found["c"]);
            let is_it = |row: &&Vec<Cell>| {
                column.is_some_and(|at| row[at].text.to_lowercase() == found["v"].trim_matches('"'))
            };
            return self.rows.iter().filter(is_it).collect();
        }
        // `item beta` is the row in which that column says so.
        let of_column = (0..self.head.len()).find_map(|at| {
            let value = about
                .strip_prefix(&self.head[at].to_lowercase())?
                .strip_prefix(' ')?;
            Some((at, value))
        });
        if let Some((at, value)) = of_column {
            let is_it = |row: &&Vec<Cell>| row[at].text.to_lowercase() == value;
            return self.rows.iter().filter(is_it).collect();
        }
        let parts = about.split(", ").flat_map(|part| part.split(" in "));
        let parts = parts
            .flat_map(|part| part.split(" from "))
            .flat_map(|part| part.split(" and "));
        let parts: Vec<&str> = parts.map(|part| part.trim().trim_matches('"')).collect();
        let has =
            |row: &Vec<Cell>, part: &str| row.iter().any(|cell| cell.text.to_lowercase() == part);
        let is_it = |row: &&Vec<Cell>| parts.len() > 1 && parts.iter().all(|part| has(row, part));
        self.rows.iter().filter(is_it).collect()
    }

    /// The number of the column with this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|own| plain(own) == plain(name))
    }

    /// The number of the column with this name, or of the only one that begins with it: `ram` is `ram_gb`.
    pub(super) fn column_of(&self, name: &str) -> Option<usize> {
        let begin = format!("{}_", plain(name));
        let begins = |at: &usize| plain(&self.head[*at]).starts_with(&begin);
        self.column(name).or_else(|| {
            let mut found = (0..self.head.len()).filter(begins);
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// Whether its cells stand between bars.
    pub(super) const fn is_of_bars(&self) -> bool {
        self.separator == '|'
    }

    /// A line of it with one cell more.
    pub(super) fn with_cell(&self, line: &str, cell: &str) -> String {
        match (self.is_of_bars(), line.trim_end().ends_with('|')) {
            (false, _) => format!("{line}{}{cell}", self.separator),
            (true, true) if cell == "---" => format!("{}{cell}|", line.trim_end()),
            (true, true) => format!("{} {cell} |", line.trim_end()),
            (true, false) => format!("{} | {cell}", line.trim_end()),
        }
    }

    /// A text as a cell of this table.
    pub(super) fn written(&self, text: &str) -> String {
        match self.separator {
            '|' => text.replace('|', "\\|"),
            separator if text.contains([separator, '"']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            _ => text.to_owned(),
        }
    }

    /// The cells of a row as an order has them: parted as in the table, by commas or by `and`.
    fn said(&self, row: &str) -> Vec<String> {
        let row = row.trim();
        let separators = [',', ';', '|', '\t']
            .into_iter()
            .filter(|sign| row.contains(*sign));
        let by_signs = separators.filter_map(|separator| {
            let parts = match separator {
                '|' => bar_cells(row, 0..row.len()),
                _ => cells(row, 0..row.len(), separator)?,
            };
            Some(
                parts
                    .into_iter()
                    .map(|cell| cell.text)
                    .collect::<Vec<String>>(),
            )
        });
        let mut all: Vec<Vec<String>> = by_signs.collect();
        let joined = row.replace(" and ", ", ");
        let by_words = cells(&joined, 0..joined.len(), ',');
        all.extend(by_words.map(|parts| parts.into_iter().map(|cell| cell.text).collect()));
        let fits = all.iter().position(|parts| parts.len() == self.head.len());
        match fits {
            Some(at) => all.swap_remove(at),
            None => all.into_iter().next().unwrap_or_default(),
        }
    }
}

impl Lines<'_> {
    /// The change that adds a row at the end of the table.
    pub(super) fn add_row(&self, row: &str) -> Result<Action, Refusal> {
        let Some(table) = Table::of(self) else {
            let why = format!("{} has no table that I can read.", self.path);
            let line = format!("append {} to {}", in_quotes(row), self.shown_path());
            return Err(Refusal::absent(why, vec![line]));
        };
        let cells = table.said(row);
        if cells.len() != table.head.len() {
            let header: String = self.text[table.header.clone()]
                .chars()
                .take(SHOWN_CHARS)
                .collect();
            let why = format!(
                "A row of {} has {} cells, and `{row}` has {}: the header is `{header}`.",
                self.path,
                table.head.len(),
                cells.len()
            );
            let advice = "Name all cells, with a comma between them.";
            return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
        }
        let cells: Vec<String> = cells.iter().map(|cell| table.written(cell)).collect();
        if table.separator != '|' {
            return Ok(Action::AppendText {
                path: self.path.to_owned(),
                content: cells.join(&table.separator.to_string()),
            });
        }
        let line = format!("| {} |", cells.join(" | "));
        let last = table.rows.last().and_then(|row| row.first());
        // Below the header stands the rule.
        let above = match last {
            Some(cell) => self
                .lines()
                .find(|line| line.contains(&cell.place.start) || line.end == cell.place.start),
            None => self.lines().find(|line| line.start > table.header.end),
        };
        let Some(above) = above else {
            return Err(self.absent("no table that I can read"));
        };
        self.replace(above.end..above.end, &format!("{}{line}", self.line_end()))
    }

    /// The change that removes the row whose first cell says this; `None` where this is no table, or none does, or
    /// more than one.
    /// Refuses to take words out of a table of which all lines are rows, with the order for the row that has them:
    /// without a word a row says something else, and without its name a column is none.
    pub(super) fn is_of_a_row(&self, text: &str) -> Option<Refusal> {
        const OFFERED_ROWS: usize = 4;
        if !["csv", "tsv"].contains(&self.ending().as_str()) {
            return None;
        }
        let table = Table::of(self)?;
        let (path, file) = (self.path, self.shown_path());
        let bare = text
            .strip_prefix("column ")
            .or_else(|| text.strip_suffix(" column"));
        let said = bare.unwrap_or(text).to_lowercase();
        if table.head.iter().any(|name| name.to_lowercase() == said) {
            let why = format!(
                "`{said}` is the name of a column of {path}, and I remove rows and no columns."
            );
            let advice = format!(
                "A cell is emptied by `set the {said} of NAME to \"\" in {file}`; a column is removed in an editor."
            );
            return Some(Refusal::unavailable(&why, Vec::new()).advised(advice));
        }
        let rows = table.rows_about(text);
        if rows.is_empty() {
            return None;
        }
        let number = |row: &[Cell]| {
            let start = row.first().map_or(0, |cell| cell.place.start);
            self.text[..start].matches('\n').count() + 1
        };
        let shown = rows.iter().take(OFFERED_ROWS).map(|row| self.row(row));
        let shown: Vec<String> = shown.collect();
        let count = match rows.len() {
            1 => "one row".to_owned(),
            count => format!("{count} rows"),
        };
        let why = format!(
            "`{text}` stands in {count} of {path}: {}. Whether a whole row is to go is not clear.",
            shown.join(", ")
        );
        let orders = rows.iter().take(OFFERED_ROWS);
        let orders = orders.map(|row| format!("delete line {} of {file}", number(row)));
        Some(Refusal::ambiguous(why, orders.collect()))
    }

    pub(super) fn remove_row(&self, first: &str) -> Option<Result<Action, Refusal>> {
        let table = Table::of(self)?;
        let is_it = |row: &&Vec<Cell>| {
            let cell = row.first();
            cell.is_some_and(|cell| cell.text.to_lowercase() == first.to_lowercase())
        };
        let mut rows = table.rows.iter().filter(is_it);
        let row = rows.next().filter(|_| rows.next().is_none())?;
        let start = row.first()?.place.start;
        let line = self
            .lines()
            .find(|line| line.contains(&start) || line.end == start)?;
        Some(self.without(&line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_file::lines::applied;

    #[test]
    fn a_table_of_markdown_is_read_and_gets_rows() {
        let text = "# A\n\n| a | b\\|c |\n|---|:-:|\n| 1 |  |\n\nEnd.\n";
        let lines = Lines { path: "a.md", text };
        let table = Table::of(&lines).unwrap();
        assert_eq!(table.head, ["a", "b|c"]);
        assert_eq!((table.rows.len(), table.rows[0][1].text.as_str()), (1, ""));
        let added = applied(text, &lines.add_row("2, x|y").unwrap());
        assert!(added.contains("| 1 |  |\n| 2 | x\\|y |\n\nEnd."), "{added}");
        assert!(lines.add_row("2").is_err() && lines.add_row("2, 3, 4").is_err());
        for text in ["a | b\n", "no table\n---\n", "|a|\n|-|\n|1|\n\n|b|\n|-|\n"] {
            assert!(Table::of(&Lines { path: "a.md", text }).is_none(), "{text}");
        }
        let empty = "|a|b|\n|-|-|\n";
        let lines = Lines {
            path: "a.md",
            text: empty,
        };
        let added = applied(empty, &lines.add_row("1 and 2").unwrap());
        assert_eq!(added, "|a|b|\n|-|-|\n| 1 | 2 |\n");
    }
}
