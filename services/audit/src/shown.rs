//! How records and reports read: for people, and for other programs.

mod csv;
mod lines;
mod report;
mod sheet;

pub use csv::{head as csv_head, row as csv_row};
pub use lines::Lines;
pub use report::{Tone, as_json, as_text};
pub use sheet::sheet;
