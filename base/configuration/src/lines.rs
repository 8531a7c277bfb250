//! Where a key stands in a file.

use crate::parse::FILE_BYTES;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The line on which a key stands in a file, from 1.
pub(crate) fn line_of(file: &Path, key: &str) -> Option<usize> {
    let mut text = String::new();
    let opened = File::open(file).ok()?;
    opened.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    let root = toml::de::DeTable::parse(&text).ok()?;
    let mut table = Some(root.get_ref());
    let mut start = None;
    for part in key.split('.') {
        let (name, value) = table?.iter().find(|(name, _)| name.get_ref() == part)?;
        start = Some(name.span().start);
        table = value.get_ref().as_table();
    }
    let before = text.get(..start?)?;
    Some(before.matches('\n').count() + 1)
}
