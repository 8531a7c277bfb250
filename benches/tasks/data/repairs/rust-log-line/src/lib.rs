/// A line of the log: `12:30 WARN disk: 91% used`.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub time: String,
    pub level: String,
    pub source: String,
    pub message: String,
}

impl Entry {
    /// Reads a line; nothing where it is none of the log.
    pub fn read(line: &str) -> Option<Entry> {
        let (time, rest) = line.trim_end().split_once(' ')?;
        let (level, rest) = rest.split_once(' ')?;
        let mut parts = rest.split(": ");
        let source = parts.next()?;
        let message = parts.next()?;
        Some(Entry {
            time: time.to_string(),
            level: level.to_string(),
            source: source.to_string(),
            message: message.to_string(),
        })
    }
}
