//! Entries as a Parquet table, for analysis: a row each, the same fields as in the JSON lines.
//!
//! Texts are UTF-8 strings, times microseconds in UTC, lists lists of strings, and a label its JSON object
//! as a string. What an entry does not have is null. Nothing is compressed.

use crate::to_json;
use api::memory::Stored;
use domain::Timestamp;
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;
use std::io::Write;
use std::sync::Arc;

/// How many rows are a group, all of which are in memory until they are written.
const GROUP_ROWS: usize = 4_096;
/// The same in bytes of their JSON objects.
const GROUP_BYTES: usize = 32 << 20;

/// What a table begins with.
pub const TABLE_MARK: &[u8] = b"PAR1";

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    Text,
    Texts,
    Number,
    Time,
    Json,
}

/// The columns in their order, with the names of the fields.
const COLUMNS: [(&str, Cells); 27] = [
    ("id", Cells::Text),
    ("kind", Cells::Text),
    ("namespace", Cells::Text),
    ("source", Cells::Text),
    ("name", Cells::Text),
    ("description", Cells::Text),
    ("text", Cells::Text),
    ("tags", Cells::Texts),
    ("correlating_ids", Cells::Texts),
    ("question", Cells::Text),
    ("answer", Cells::Text),
    ("intent", Cells::Text),
    ("entities", Cells::Texts),
    ("session_id", Cells::Text),
    ("query_id", Cells::Text),
    ("respondent", Cells::Text),
    ("tools_used", Cells::Texts),
    ("label", Cells::Json),
    ("created_at", Cells::Time),
    ("valid_from", Cells::Time),
    ("valid_until", Cells::Time),
    ("superseded_by", Cells::Text),
    ("last_accessed", Cells::Time),
    ("access_count", Cells::Number),
    ("critic_score", Cells::Number),
    ("pairwise_winner", Cells::Text),
    ("feedback", Cells::Number),
];

/// A table that is written row by row.
pub struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows: Vec<Value>,
    bytes: usize,
}

impl<W: Write + Send> Table<W> {
    /// Begins one.
    ///
    /// # Errors
    /// Whatever the writer says.
    pub fn begin(out: W) -> Result<Self> {
        let columns = COLUMNS
            .iter()
            .map(column)
            .collect::<Result<Vec<TypePtr>>>()?;
        let schema = Type::group_type_builder("memory")
            .with_fields(columns)
            .build()?;
        let properties = Arc::new(WriterProperties::builder().build());
        Ok(Self {
            writer: SerializedFileWriter::new(out, Arc::new(schema), properties)?,
            rows: Vec::new(),
            bytes: 0,
        })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// Whatever the writer says.
    pub fn add(&mut self, entry: &Stored) -> Result<()> {
        let row = to_json(entry);
        self.bytes += row.to_string().len();
        self.rows.push(row);
        match self.rows.len() < GROUP_ROWS && self.bytes < GROUP_BYTES {
            true => Ok(()),
            false => self.write_group(),
        }
    }

    /// Writes what is left and the end, without which nothing can be read.
    ///
    /// # Errors
    /// Whatever the writer says.
    pub fn end(mut self) -> Result<W> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        self.writer.into_inner()
    }

    fn write_group(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let mut group = self.writer.next_row_group()?;
        let mut columns = COLUMNS.iter();
        while let Some(mut writer) = group.next_column()? {
            let Some((name, cells)) = columns.next() else {
                break;
            };
            write_column(&mut writer, &rows, (name, *cells))?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

fn column((name, cells): &(&str, Cells)) -> Result<TypePtr> {
    let text = |name: &str, repetition| {
        Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(repetition)
            .with_logical_type(Some(LogicalType::String))
            .build()
    };
    let number = |logical| {
        Type::primitive_type_builder(name, Physical::INT64)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    };
    let built = match cells {
        Cells::Text | Cells::Json => text(name, Repetition::OPTIONAL)?,
        Cells::Number => number(None)?,
        Cells::Time => number(Some(LogicalType::timestamp(true, TimeUnit::MICROS)))?,
        // The form of lists that every reader knows.
        Cells::Texts => {
            let element = Arc::new(text("element", Repetition::REQUIRED)?);
            let list = Type::group_type_builder("list")
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![element])
                .build()?;
            Type::group_type_builder(name)
                .with_repetition(Repetition::OPTIONAL)
                .with_converted_type(ConvertedType::LIST)
                .with_logical_type(Some(LogicalType::List))
                .with_fields(vec![Arc::new(list)])
                .build()?
        }
    };
    Ok(Arc::new(built))
}

fn write_column(
    writer: &mut SerializedColumnWriter<'_>,
    rows: &[Value],
    (name, cells): (&str, Cells),
) -> Result<()> {
    let values = rows.iter().map(|row| &row[name]);
    match cells {
        Cells::Texts => return write_texts(writer, values),
        Cells::Text | Cells::Json => {
            let texts = values.map(|value| match (value, cells) {
                (Value::Null, _) => None,
                (Value::String(text), Cells::Text) => Some(ByteArray::from(text.as_str())),
                (other, _) => Some(ByteArray::from(other.to_string().as_str())),
            });
            let texts: Vec<Option<ByteArray>> = texts.collect();
            let levels: Vec<i16> = texts.iter().map(|one| i16::from(one.is_some())).collect();
            let texts: Vec<ByteArray> = texts.into_iter().flatten().collect();
            writer
                .typed::<ByteArrayType>()
                .write_batch(&texts, Some(&levels), None)?;
        }
        Cells::Number | Cells::Time => {
            let numbers = values.map(|value| match value {
                Value::String(time) => time.parse().ok().map(Timestamp::as_microsecond),
                other => other.as_i64(),
            });
            let numbers: Vec<Option<i64>> = numbers.collect();
            let levels: Vec<i16> = numbers.iter().map(|one| i16::from(one.is_some())).collect();
            let numbers: Vec<i64> = numbers.into_iter().flatten().collect();
            writer
                .typed::<Int64Type>()
                .write_batch(&numbers, Some(&levels), None)?;
        }
    }
    Ok(())
}

/// Lists: of a level of 0 there is none, of 1 it is empty, of 2 it has this text, which goes on with the list
/// before where it is repeated.
fn write_texts<'a>(
    writer: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = &'a Value>,
) -> Result<()> {
    let (mut texts, mut levels, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        match value.as_array() {
            Some(list) if !list.is_empty() => {
                for (at, text) in list.iter().enumerate() {
                    texts.push(ByteArray::from(text.as_str().unwrap_or_default()));
                    levels.push(2);
                    repeated.push(i16::from(at > 0));
                }
            }
            none => {
                levels.push(i16::from(none.is_some()));
                repeated.push(0);
            }
        }
    }
    writer
        .typed::<ByteArrayType>()
        .write_batch(&texts, Some(&levels), Some(&repeated))?;
    Ok(())
}
