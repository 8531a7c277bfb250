//! Source files of programs, and what they define.

/// A programming language whose symbols are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Shell scripts, as bash reads them.
    Bash,
    /// C, with its headers.
    C,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
}

impl Language {
    /// Every one of them.
    pub const ALL: [Self; 9] = [
        Self::Bash,
        Self::C,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Python,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "Bash",
            Self::C => "C",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::Tsx => "TSX",
            Self::TypeScript => "TypeScript",
        }
    }

    /// What the names of its files end with, behind the dot.
    #[must_use]
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Bash => &["sh", "bash"],
            Self::C => &["c", "h"],
            Self::Go => &["go"],
            Self::Java => &["java"],
            Self::JavaScript => &["js", "jsx", "mjs", "cjs"],
            Self::Python => &["py", "pyi"],
            Self::Rust => &["rs"],
            Self::Tsx => &["tsx"],
            Self::TypeScript => &["ts", "mts", "cts"],
        }
    }

    /// The language of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The language of files whose names end so, in any letters.
    #[must_use]
    pub fn by_ending(ending: &str) -> Option<Self> {
        let is_its = |known: &str| known.eq_ignore_ascii_case(ending);
        let mut all = Self::ALL.into_iter();
        all.find(|language| language.endings().iter().any(|known| is_its(known)))
    }
}

/// A source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What it is written in.
    pub language: Language,
    /// Its text.
    pub text: String,
}

/// Something that a source file defines: a function, a type, a constant, or a part that holds others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The line where it is named, from 1.
    pub line: usize,
    /// How many symbols it stands in.
    pub depth: usize,
    /// What other files refer to it by; empty for what they cannot refer to, and for a part that is no
    /// definition, as `impl` of Rust.
    pub name: String,
    /// Its first lines without its body, as one: at most
    /// [`SIGNATURE_CHARS`](crate::limits::SIGNATURE_CHARS).
    pub signature: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_found_by_its_name_and_endings() {
        for language in Language::ALL {
            assert_eq!(Language::by_name(language.name()), Some(language));
            for ending in language.endings() {
                assert_eq!(Language::by_ending(ending), Some(language));
                let shouted = ending.to_ascii_uppercase();
                assert_eq!(Language::by_ending(&shouted), Some(language));
            }
        }
        assert_eq!(Language::by_ending("rb"), None);
        assert_eq!(Language::by_ending(""), None);
    }
}
