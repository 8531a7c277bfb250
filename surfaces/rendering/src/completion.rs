//! What is begun at the cursor and can be completed: a command, the name of a file, or what else a message
//! can name with `@`.

use text::mentions::AFTER_A_NAME;

/// A command: its name, what follows it, what it does.
pub type Listed = (&'static str, &'static str, &'static str);

/// Whether what is typed up to the cursor is the beginning of a command.
#[must_use]
pub fn is_command_begun(typed: &str) -> bool {
    typed.starts_with('/') && !typed.contains(char::is_whitespace)
}

/// Those of these commands that begin like this.
pub fn commands<'a>(
    known: impl IntoIterator<Item = &'a Listed>,
    typed: &str,
) -> impl Iterator<Item = &'a Listed> {
    let typed = typed.to_ascii_lowercase();
    let begins = move |one: &&Listed| one.0.starts_with(&typed);
    known.into_iter().filter(begins)
}

/// A command as it stands in the input, with a space where something follows.
#[must_use]
pub fn in_input((name, arguments, _): &Listed) -> String {
    match arguments.is_empty() {
        true => (*name).to_owned(),
        false => format!("{name} "),
    }
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A file.
    File,
    /// A folder, whose name goes on with what is in it.
    Folder,
}

/// What a message can name with `@` beside files, as in `@agent:coder`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mentioned {
    /// A memory, by its id.
    Memory,
    /// A type of agent.
    Agent,
}

impl Mentioned {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Agent];

    /// What its names begin with, behind the `@`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory:",
            Self::Agent => "agent:",
        }
    }

    /// What naming one does.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Memory => "its text goes along with the message",
            Self::Agent => "a type of agent to hand a task to",
        }
    }

    /// Which of them a word names, and what stands behind its beginning. One in quotes is a file.
    #[must_use]
    pub fn in_word<'a>(word: &Word<'a>) -> Option<(Self, &'a str)> {
        let is_one = word.is_marked && word.quote.is_none();
        let mut kinds = Self::ALL.into_iter().filter(|_| is_one);
        kinds.find_map(|of| Some((of, word.path.strip_prefix(of.word())?)))
    }

    /// The names of this kind that a text has, each once, without what ends a sentence.
    #[must_use]
    pub fn names_in(self, text: &str) -> Vec<&str> {
        let mut names = Vec::new();
        for word in text.split_whitespace() {
            let word = word.strip_prefix('(').unwrap_or(word);
            let name = word
                .strip_prefix('@')
                .and_then(|word| word.strip_prefix(self.word()))
                .map(|name| name.trim_end_matches(AFTER_A_NAME));
            names.extend(name.filter(|name| !name.is_empty() && !names.contains(name)));
        }
        names
    }
}

/// A name that is being typed at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// The byte at which it begins, with its mark and quote.
    pub start: usize,
    /// Whether `@` stands before it.
    pub is_marked: bool,
    /// The quote that is open.
    pub quote: Option<char>,
    /// The name so far.
    pub path: &'a str,
}

impl<'a> Word<'a> {
    /// The last word, or what stands behind a quote that is still open.
    #[must_use]
    pub fn of(typed: &'a str) -> Self {
        let (mut start, mut quote) = (0, None);
        for (at, c) in typed.char_indices() {
            let before = &typed[start..at];
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if c == '"' && matches!(before, "" | "@") => quote = Some(c),
                None if c == '\'' && before == "@" => quote = Some(c),
                None if c.is_whitespace() => start = at + c.len_utf8(),
                None => {}
            }
        }
        let word = &typed[start..];
        let path = word.strip_prefix('@');
        let (is_marked, path) = (path.is_some(), path.unwrap_or(word));
        let path = match quote.or_else(|| path.starts_with('"').then_some('"')) {
            Some(quote) => path.strip_prefix(quote).unwrap_or(path),
            None => path,
        };
        Self {
            start,
            is_marked,
            quote,
            path,
        }
    }

    /// The word with a name in its place. One with spaces and the like stands in quotes, as it has to
    /// behind `@`; those of a folder stay open.
    #[must_use]
    pub fn with(&self, path: &str, named: Named) -> String {
        let mark = if self.is_marked { "@" } else { "" };
        let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\');
        let ends_like_a_sentence = named == Named::File && path.ends_with(AFTER_A_NAME);
        let is_plain = path.chars().all(is_plain) && !(self.is_marked && ends_like_a_sentence);
        let quote = match (self.quote, is_plain) {
            (None, true) => "",
            _ if path.contains('"') => "'",
            _ => "\"",
        };
        let end = match named {
            Named::Folder => "/",
            Named::File => quote,
        };
        format!("{mark}{quote}{path}{end}")
    }
}

/// Whether a name can be typed as it is: without control characters, and with one kind of quotes at most.
#[must_use]
pub fn can_be_typed(path: &str) -> bool {
    let has_both_quotes = path.contains('"') && path.contains('\'');
    !has_both_quotes && !path.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slash::COMMANDS;

    #[test]
    fn a_command_is_completed_by_its_name() {
        let fitting = |typed: &str| {
            let found = commands(&COMMANDS, typed);
            found.map(in_input).collect::<Vec<_>>()
        };
        assert_eq!(fitting("/re"), ["/retry", "/rewind ", "/rename "]);
        assert_eq!(fitting("/MOD"), ["/mode ", "/model "]);
        assert!(is_command_begun("/mo") && is_command_begun("/"));
        assert!(!is_command_begun("/mode ") && !is_command_begun("a /mode"));
    }

    #[test]
    fn memories_and_agents_are_named_by_their_words() {
        let text = "use @memory:a, (@memory:b) and @memory:a me@memory:c @memory: \"@memory:d\"";
        assert_eq!(Mentioned::Memory.names_in(text), ["a", "b"]);
        assert_eq!(Mentioned::Agent.names_in("@agent:coder?"), ["coder"]);
        let of = |typed| Mentioned::in_word(&Word::of(typed));
        assert_eq!(of("see @agent:co"), Some((Mentioned::Agent, "co")));
        assert_eq!(of("see agent:co"), None);
        assert_eq!(of("see @'agent:co"), None);
    }

    #[test]
    fn a_name_is_quoted_where_it_would_not_be_read_as_it_is() {
        for (typed, path, whole) in [
            ("see @no", "notes.md", "@notes.md"),
            ("see @no", "my notes.md", "@\"my notes.md\""),
            ("see @\"my no", "my notes.md", "@\"my notes.md\""),
            ("@", "it's.md", "@\"it's.md\""),
            ("@", "say \"a\".md", "@'say \"a\".md'"),
            ("@", "back\\slash", "@\"back\\slash\""),
            ("@", "why?", "@\"why?\""),
            ("why", "why?", "why?"),
        ] {
            assert_eq!(Word::of(typed).with(path, Named::File), whole);
        }
        assert_eq!(Word::of("@'a").with("a \"b\"", Named::Folder), "@'a \"b\"/");
        assert_eq!(Word::of("@'a \"b\"/c").path, "a \"b\"/c");
        assert!(!can_be_typed("a\nb") && !can_be_typed("'\""));
    }
}
