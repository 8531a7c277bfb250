//! The syntax of git's configuration (git-config(1), Syntax).

/// The address that `[url "ADDRESS"]` puts in the place of others, as a setting of its own.
pub(super) const BASE: &str = "url.base";

/// The settings of a configuration: `section.key` in small letters, and the value as git reads it.
/// What git would refuse is read as far as it makes sense.
pub(super) fn parsed(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut left = text.chars().peekable();
    let mut section = String::new();
    let mut found = Vec::new();
    while let Some(c) = left.next() {
        match c {
            '[' => {
                let subsection;
                (section, subsection) = header(&mut left);
                if BASE.split('.').next() == Some(&section) {
                    found.push((BASE.to_owned(), subsection));
                }
            }
            '#' | ';' => while left.next_if(|c| *c != '\n').is_some() {},
            _ if c.is_whitespace() => {}
            _ => {
                let mut key = c.to_string();
                while let Some(c) = left.next_if(|c| !['=', '\n'].contains(c)) {
                    key.push(c);
                }
                let value = match left.next_if_eq(&'=') {
                    Some(_) => value(&mut left),
                    None => String::new(),
                };
                found.push((
                    format!("{section}.{}", key.trim().to_ascii_lowercase()),
                    value,
                ));
            }
        }
    }
    found
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// The name of a section, behind its bracket, and that of its subsection.
fn header(left: &mut Characters<'_>) -> (String, String) {
    let (mut whole, mut is_quoted) = (String::new(), false);
    while let Some(c) = left.next_if(|c| *c != '\n') {
        match c {
            '\\' if is_quoted => {
                whole.extend(left.next());
                continue;
            }
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => break,
            _ => {}
        }
        whole.push(c);
    }
    let mut parts = whole.trim().splitn(2, [' ', '\t', '"', '.']);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let subsection = parts.next().unwrap_or_default();
    let is_mark = |c: char| c == '"' || c == ' ' || c == '\t';
    (name, subsection.trim_matches(is_mark).to_owned())
}

/// A value, behind its `=`: over the end of a line that is continued, without comments and quotes.
fn value(left: &mut Characters<'_>) -> String {
    let (mut whole, mut is_quoted) = (String::new(), false);
    // How much is left when the blanks at the end go.
    let mut kept = 0;
    while let Some(c) = left.next_if(|c| *c != '\n') {
        match c {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => {
                while left.next_if(|c| *c != '\n').is_some() {}
                break;
            }
            '\\' => match left.next() {
                Some('\n') | None => continue,
                Some('n') => whole.push('\n'),
                Some('t') => whole.push('\t'),
                Some('b') => whole.push('\u{8}'),
                Some(other) => whole.push(other),
            },
            ' ' | '\t' if !is_quoted => {
                if !whole.is_empty() {
                    whole.push(c);
                }
                continue;
            }
            _ => whole.push(c),
        }
        kept = whole.len();
    }
    whole.truncate(kept);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let table = [
            (
                "[core]\n\thooksPath = tools # ours\n",
                "core.hookspath",
                "tools",
            ),
            (
                "[core]\nhooksPath = tools ; ours",
                "core.hookspath",
                "tools",
            ),
            (
                "[CORE] HooksPath=\"to\"ols  \r\n",
                "core.hookspath",
                "tools",
            ),
            ("[core]\n a = to\\\nols\n", "core.a", "tools"),
            ("[core]\n a = \"x # y\" ; z\n", "core.a", "x # y"),
            (
                "[alias]\n st = \"!tools/x \\\"a b\\\"\"\n",
                "alias.st",
                "!tools/x \"a b\"",
            ),
            ("[filter \"a ] b\"]\n clean = x\n", "filter.clean", "x"),
            ("[filter \"a\\\"] b\"]\n clean = x\n", "filter.clean", "x"),
            ("[core.sub] a = b", "core.a", "b"),
            ("[url \"ext::x \\\" y\"]\n", BASE, "ext::x \" y"),
            ("[url.a]\n", BASE, "a"),
            ("# c\n[a]\n; [b]\n x\n", "a.x", ""),
        ];
        for (text, key, value) in table {
            let wanted = vec![(key.to_owned(), value.to_owned())];
            assert_eq!(parsed(text), wanted, "{text}");
        }
    }
}
