//! A table in another form: CSV, JSON, Markdown.

use super::asked::Form;
use super::lines::Lines;
use super::rows;
use super::written::separator_of;
use crate::rules::refusal::Refusal;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A table: its head, and its rows, each as long as the head.
struct Table {
    head: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// Refuses a table without columns, and one with two of a name.
    fn checked(self) -> Result<Self, String> {
        if self.head.is_empty() {
            return Err("it has no columns".to_owned());
        }
        let mut names: Vec<&String> = self.head.iter().collect();
        names.sort();
        names.dedup();
        match names.len() == self.head.len() {
            true => Ok(self),
            false => Err("two of its columns have the same name".to_owned()),
        }
    }
}

/// Writes the table of a file in another form.
pub(super) fn convert(path: &str, text: &str, form: Form) -> Result<String, Refusal> {
    let lower = path.to_lowercase();
    let read = match lower.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "json" => from_json(text),
        "csv" | "tsv" => from_csv(path, text),
        "md" | "markdown" => from_markdown(path, text),
        _ => Err("I read tables from .csv, .tsv, .json and .md".to_owned()),
    };
    let read = read.and_then(Table::checked);
    let unreadable = |why: String| {
        let why = format!("{path} is no table that I can read ({why}).");
        Refusal::unavailable(&why, vec![format!("show {path}")])
    };
    let table = read.map_err(unreadable)?;
    match form {
        Form::Json => to_json(&table).map_err(|error| unreadable(error.to_string())),
        Form::Markdown => Ok(to_markdown(&table)),
        Form::Csv => to_csv(&table).map_err(|error| unreadable(error.to_string())),
    }
}

fn from_csv(path: &str, text: &str) -> Result<Table, String> {
    let separator = match path.to_lowercase().ends_with(".tsv") {
        true => b'\t',
        false => separator_of(text),
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?;
    let head: Vec<String> = head.iter().map(|name| name.trim().to_owned()).collect();
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        rows.push(row.iter().map(Value::from).collect());
    }
    Ok(Table { head, rows })
}

fn from_markdown(path: &str, text: &str) -> Result<Table, String> {
    let table = rows::Table::of(&Lines { path, text });
    let table = table.ok_or("it has no table, more than one, or rows of other lengths")?;
    let row = |row: Vec<rows::Cell>| row.into_iter().map(|cell| Value::from(cell.text)).collect();
    Ok(Table {
        head: table.head,
        rows: table.rows.into_iter().map(row).collect(),
    })
}

fn from_json(text: &str) -> Result<Table, String> {
    let objects: Vec<Map<String, Value>> = serde_json::from_str(text)
        .map_err(|error| format!("it is no list of objects in JSON: {error}"))?;
    let mut head: Vec<String> = Vec::new();
    for name in objects.iter().flat_map(Map::keys) {
        if !head.contains(name) {
            head.push(name.clone());
        }
    }
    let cell = |object: &Map<String, Value>, name: &String| object.get(name).cloned();
    let row = |object: &Map<String, Value>| {
        let cells = head
            .iter()
            .map(|name| cell(object, name).unwrap_or_default());
        cells.collect()
    };
    let rows = objects.iter().map(row).collect();
    Ok(Table { head, rows })
}

fn to_json(table: &Table) -> Result<String, serde_json::Error> {
    let rows: Vec<Row<'_>> = rows_of(table).collect();
    let mut text = serde_json::to_string_pretty(&rows)?;
    text.push('\n');
    Ok(text)
}

fn rows_of(table: &Table) -> impl Iterator<Item = Row<'_>> {
    let head = table.head.as_slice();
    table.rows.iter().map(move |cells| Row { head, cells })
}

/// A row as an object, in the order of the head.
struct Row<'a> {
    head: &'a [String],
    cells: &'a [Value],
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cells = self.cells.iter().map(|cell| match cell {
            Value::String(text) => number(text).unwrap_or_else(|| cell.clone()),
            other => other.clone(),
        });
        serializer.collect_map(self.head.iter().zip(cells))
    }
}

/// A cell as a number, where nothing is lost: `007` and `1.50` stay texts.
fn number(text: &str) -> Option<Value> {
    let number: serde_json::Number = text.parse().ok()?;
    (number.to_string() == text).then_some(Value::Number(number))
}

fn to_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let escape = |text: &str| {
        let text = text.replace('\\', "\\\\").replace('|', "\\|");
        text.replace(['\r', '\n'], " ")
    };
    let mut text = line(table.head.iter().map(|name| escape(name)).collect());
    text.push_str(&line(vec!["---".to_owned(); table.head.len()]));
    for row in &table.rows {
        text.push_str(&line(row.iter().map(|cell| escape(&plain(cell))).collect()));
    }
    text
}

fn to_csv(table: &Table) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&table.head)?;
    for row in &table.rows {
        writer.write_record(row.iter().map(plain))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn plain(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
