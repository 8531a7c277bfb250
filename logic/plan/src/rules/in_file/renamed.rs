//! Names in code, told from what stands in texts and comments: `rename hello to greet in main.rs`.

use super::lines::Lines;
use super::written;
use crate::quoted::in_quotes;
use crate::rules::refusal::{Note, Offer, Refusal};
use domain::limits::PLAN_ACTIONS;
use domain::plan::Action;
use std::ops::Range;

/// The parts of code that a compiler reads no names in.
struct Code<'a> {
    ending: &'a str,
    text: &'a str,
    comments: Vec<Range<usize>>,
    texts: Vec<Range<usize>>,
}

impl<'a> Code<'a> {
    fn read(ending: &'a str, text: &'a str) -> Self {
        let (comments, texts) = (Vec::new(), Vec::new());
        let mut code = Self {
            ending,
            text,
            comments,
            texts,
        };
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            at = match (code.end_of_comment(at), code.end_of_text(at)) {
                (Some(end), _) => {
                    code.comments.push(at..end);
                    end
                }
                (None, Some(end)) => {
                    code.texts.push(at..end);
                    end
                }
                (None, None) => at + first.len_utf8(),
            };
        }
        code
    }

    fn end_of_comment(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let line = if ["py", "rb"].contains(&self.ending) {
            "#"
        } else {
            "//"
        };
        if rest.starts_with(line) {
            return Some(at + rest.find('\n').unwrap_or(rest.len()));
        }
        let is_block = line == "//" && rest.starts_with("/*");
        is_block.then(|| at + rest.find("*/").map_or(rest.len(), |end| end + 2))
    }

    fn end_of_text(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let quote = rest.chars().next().filter(|c| "\"'`".contains(*c))?;
        if quote == '`' && !["js", "mjs", "cjs", "ts", "jsx", "tsx", "go"].contains(&self.ending) {
            return None;
        }
        let three = quote.to_string().repeat(3);
        let has_long = ["py", "kt", "swift", "java"].contains(&self.ending);
        if has_long && rest.starts_with(&three) {
            return Some(at + rest[3..].find(&three).map_or(rest.len(), |end| end + 6));
        }
        if self.ending == "rs" {
            let marks = self.text[..at].len() - self.text[..at].trim_end_matches('#').len();
            let is_raw = self.text[..at - marks].ends_with('r') && quote == '"';
            if is_raw {
                let close = format!("\"{}", "#".repeat(marks));
                return Some(
                    at + 1
                        + rest[1..]
                            .find(&close)
                            .map_or(rest.len() - 1, |end| end + close.len()),
                );
            }
            // A lifetime is no text, and `'a'` is one.
            let is_letter = || {
                let mut rest = rest.chars().skip(1);
                rest.next() == Some('\\') || rest.next() == Some('\'')
            };
            if quote == '\'' && !is_letter() {
                return None;
            }
        }
        let goes_on = quote == '`' || (self.ending == "rs" && quote == '"');
        let mut is_escaped = false;
        for (length, c) in rest.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '\n' if !goes_on => return None,
                _ if c == quote => return Some(at + length + 1),
                _ => {}
            }
        }
        None
    }

    /// Whether a name in a text is one that the program reads: `{name}` in Rust and in `f"{name}"`, `${name}`.
    fn is_read(&self, part: &Range<usize>, place: &Range<usize>) -> bool {
        let before = &self.text[part.start..place.start];
        let opener = match self.ending {
            "rs" => "{",
            "py" if self.text[..part.start].ends_with(['f', 'F']) => "{",
            "js" | "mjs" | "cjs" | "ts" | "jsx" | "tsx" | "kt" => "${",
            _ => return false,
        };
        let ends = self.text[place.end..].starts_with(['}', ':', '.', '!', '[', '(', '=']);
        ends && before.ends_with(opener) && !before.ends_with("{{")
    }

    /// The places of a name that are read, and how many there are in texts and comments.
    fn places(&self, name: &str) -> (Vec<Range<usize>>, usize) {
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let all = self
            .text
            .match_indices(name)
            .map(|(at, _)| at..at + name.len());
        let is_whole = |place: &Range<usize>| {
            let (before, after) = (&self.text[..place.start], &self.text[place.end..]);
            !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
        };
        let (read, others): (Vec<_>, Vec<_>) = all.filter(is_whole).partition(|place| {
            let is_in = |part: &&Range<usize>| part.start <= place.start && place.end <= part.end;
            let mut comments = self.comments.iter();
            let mut texts = self.texts.iter();
            let is_comment = comments.any(|part| is_in(&part));
            !is_comment
                && texts
                    .find(is_in)
                    .is_none_or(|part| self.is_read(part, place))
        });
        (read, others.len())
    }
}

impl Lines<'_> {
    /// The changes that give a name in code, or a key of settings, another name.
    pub(super) fn rename(&self, name: &str, to: &str) -> Result<Vec<Action>, Refusal> {
        let ending = self.ending();
        if !written::is_code(&ending) {
            return self.rename_in_settings(name, to).map(|action| vec![action]);
        }
        let code = Code::read(&ending, self.text);
        let (places, others) = code.places(name);
        if places.is_empty() {
            return Err(match others {
                0 => self.absent(&format!("no `{name}`")),
                _ => {
                    let why = format!(
                        "`{name}` stands in texts and comments of {} alone.",
                        self.path
                    );
                    Refusal::ambiguous(why, vec![self.everywhere(name, to)])
                }
            });
        }
        if !code.places(to).0.is_empty() {
            let why = format!("{} has the name `{to}` already.", self.path);
            return Err(Refusal::ambiguous(why, Vec::new()).advised("Choose another name."));
        }
        if places.len() == self.text.matches(name).count() {
            return Ok(vec![Action::ReplaceText {
                path: self.path.to_owned(),
                old: name.to_owned(),
                new: to.to_owned(),
            }]);
        }
        match places.len() > PLAN_ACTIONS {
            true => Err(Refusal::too_many_steps(places.len())),
            false => self.replace_all(&places, to),
        }
    }

    /// A key, a section, or what has a name: `rename the package to spider`.
    fn rename_in_settings(&self, name: &str, to: &str) -> Result<Action, Refusal> {
        if let Some(renamed) = self.rename_key(name, to) {
            return renamed;
        }
        // What a package is called is set by a key of its own.
        let value = self.key_named(&format!("name of {name}"));
        if let Some(value) = value.filter(|_| ["package", "project"].contains(&name)) {
            let (place, written) = self.fit(&value, (to, true))?;
            return self.replace(place, &written);
        }
        if let Some(place) = self.header_named(name) {
            return self.replace(place, to);
        }
        if self.is_section(name) {
            let why = format!(
                "`{name}` is a section of {} that has others in it.",
                self.path
            );
            return Err(Refusal::ambiguous(why, vec![self.everywhere(name, to)]));
        }
        Err(self.absent(&format!("no key `{name}`")))
    }

    /// What is said of the places of a name in texts and comments, which stay.
    pub(super) fn names_that_stay(&self, name: &str, to: &str) -> Option<Note> {
        let ending = self.ending();
        let (places, others) = Code::read(&ending, self.text).places(name);
        if !written::is_code(&ending) || others == 0 {
            return None;
        }
        let mut after = self.text.to_owned();
        for place in places.iter().rev() {
            after.replace_range(place.clone(), to);
        }
        let (count, stays) = match others {
            1 => ("1 more place".to_owned(), "stays"),
            more => (format!("{more} more places"), "stay"),
        };
        Some(Note {
            code: "plan.whole_words",
            message: format!(
                "`{name}` is renamed in the code of {}: {count} in texts and comments {stays}.",
                self.path
            ),
            before_offer: "For all of them",
            offer: Some(Offer {
                forms: vec![self.everywhere(name, to)],
                after: after.replace(name, to),
                otherwise: String::new(),
            }),
        })
    }

    /// The order that replaces a text wherever it stands.
    fn everywhere(&self, name: &str, to: &str) -> String {
        let path = self.shown_path();
        format!(
            "replace {} with {} in {path}",
            in_quotes(name),
            in_quotes(to)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_texts_and_comments_is_told_from_one_in_code() {
        for (ending, text, read, others) in [
            (
                "rs",
                "fn a() { println!(\"a {a} {{a}} {ab}\"); } // a\n/* a */ 'a: loop {}",
                3,
                4,
            ),
            ("rs", "r#\"a \" a\"# a 'a' '\\'' a", 2, 3),
            ("py", "a = f\"{a} a\" + \"{a}\"  # a\n'''a'''", 2, 4),
            ("js", "a(`${a} a`, 'a') // a", 2, 3),
            ("go", "a := \"a\" + `a`\n", 1, 2),
        ] {
            let (places, rest) = Code::read(ending, text).places("a");
            assert_eq!((places.len(), rest), (read, others), "{text}");
        }
    }
}
