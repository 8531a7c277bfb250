//! Names as a forgiving file system compares them, and patterns of names.

use std::path::{Component, Path};
use unicode_normalization::UnicodeNormalization;

/// The components as a forgiving file system would compare them: compatibility forms and case
/// folded, what cannot be seen left out, dots and spaces at the end dropped.
pub(super) fn folded(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(fold(&name.to_string_lossy())),
            _ => None,
        })
        .collect()
}

pub(super) fn fold(name: &str) -> String {
    let folded: String = if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        name.nfkc()
            .filter(|c| !is_invisible(*c))
            .flat_map(char::to_lowercase)
            .collect()
    };
    folded.trim_end_matches(['.', ' ']).to_owned()
}

/// Characters that some file systems ignore when they compare names.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control()
}

/// A pattern of names, in which `*` stands for any part of one.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    start: &'static str,
    middle: Vec<&'static str>,
    /// `None` without a star.
    end: Option<&'static str>,
}

impl Pattern {
    pub(super) fn of(pattern: &'static str) -> Self {
        let mut parts = pattern.split('*');
        let start = parts.next().unwrap_or_default();
        let mut middle: Vec<&str> = parts.collect();
        let end = middle.pop();
        Self { start, middle, end }
    }

    pub(super) fn fits(&self, name: &str) -> bool {
        let (Some(mut left), Some(end)) = (name.strip_prefix(self.start), self.end) else {
            return name == self.start;
        };
        for part in &self.middle {
            match left.find(part) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        left.ends_with(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        let table = [
            (".env", ".env*", true),
            (".env.local", ".env*", true),
            (".environment", ".envir*ment", true),
            ("a.git", "*.git", true),
            (".git", "*.git", true),
            ("git", "*.git", false),
            ("ssh_host_rsa_key", "ssh_host_*_key", true),
            ("ssh_host_rsa_key.pub", "ssh_host_*_key", false),
            (".x_history", ".*_history", true),
            ("aba", "ab*ba", false),
            ("a1b2c", "a*b*c", true),
            (".netrc", ".netrc", true),
            (".netrc2", ".netrc", false),
        ];
        for (name, pattern, fits) in table {
            assert_eq!(Pattern::of(pattern).fits(name), fits, "{name} {pattern}");
        }
    }
}
