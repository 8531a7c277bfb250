//! Colours, and what is always said in one of them.

use domain::settings::OverrideLevel;
use std::io::IsTerminal;

/// All that is written between texts to colour them.
pub(super) const CODES: [&str; 6] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
];

/// Where and how text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// With colours.
    Colour,
    /// Without.
    Plain,
}

impl Paint {
    /// Colours for a terminal that wants them: `NO_COLOR` and `TERM=dumb` are respected.
    #[must_use]
    pub fn for_stream(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if stream.is_terminal() && !refused {
            Self::Colour
        } else {
            Self::Plain
        }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Self::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::Plain => text.to_owned(),
        }
    }

    /// Faint: thinking, details.
    #[must_use]
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Good news.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Bad news.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// Something to notice.
    #[must_use]
    pub fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// A heading.
    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// A unified diff, added lines green and removed ones red.
    #[must_use]
    pub fn diff(self, diff: &str) -> String {
        let mut out = String::with_capacity(diff.len());
        for line in diff.lines() {
            let painted = match line.as_bytes().first() {
                Some(b'+') if !line.starts_with("+++") => self.good(line),
                Some(b'-') if !line.starts_with("---") => self.bad(line),
                Some(b'@') => self.faint(line),
                _ => line.to_owned(),
            };
            out.push_str(&painted);
            out.push('\n');
        }
        out
    }
}

/// What every surface says when the gate is open.
#[must_use]
pub fn override_warning(level: OverrideLevel) -> Option<String> {
    match level {
        OverrideLevel::None => None,
        OverrideLevel::Relax => {
            Some("! override relax: high-risk tools run without asking, unless what was read may have asked for it".to_owned())
        }
        OverrideLevel::All => Some(
            "! override all: everything passes but protected places; every call is on record"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_painted_by_line_and_plain_text_is_left_alone() {
        assert_eq!(Paint::Plain.diff("+a\n-b\n"), "+a\n-b\n");
        assert_eq!(Paint::Colour.diff("+a"), "\u{1b}[32m+a\u{1b}[0m\n");
    }
}
