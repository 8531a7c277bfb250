//! The endings of files by the names that people give a kind of them: `all python files`.

/// Endings by the name people give a kind of file.
const TYPES: [(&str, &str); 22] = [
    ("markdown", "md"),
    ("text", "txt"),
    ("txt", "txt"),
    ("python", "py"),
    ("rust", "rs"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("html", "html"),
    ("css", "css"),
    ("json", "json"),
    ("yaml", "yaml"),
    ("toml", "toml"),
    ("csv", "csv"),
    ("pdf", "pdf"),
    ("xml", "xml"),
    ("shell", "sh"),
    ("log", "log"),
    ("java", "java"),
    ("go", "go"),
    ("ruby", "rb"),
    ("php", "php"),
    ("c", "c"),
];

/// The ending of files of a kind.
pub(crate) fn ending(kind: &str) -> Option<&'static str> {
    let mut types = TYPES.iter();
    types
        .find(|(name, _)| *name == kind)
        .map(|(_, ending)| *ending)
}

/// Whether it is the ending of a kind.
pub(crate) fn is_ending(ending: &str) -> bool {
    TYPES.iter().any(|(_, known)| *known == ending)
}
