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

/// The ending of the files of a kind that a text speaks of: `all python files`.
pub(crate) fn spoken_of(text: &str) -> Option<&'static str> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let of_files = words.windows(2).find(|pair| pair[1].starts_with("file"))?;
    let kind = of_files[0].trim_start_matches(['*', '.']);
    let mut types = TYPES.iter();
    types
        .find(|(name, ending)| *name == kind || *ending == kind)
        .map(|(_, ending)| *ending)
}

/// Whether it is the ending of a kind.
pub(crate) fn is_ending(ending: &str) -> bool {
    TYPES.iter().any(|(_, known)| *known == ending)
}
