//! Whether a text that a tiny model would write is one that the user typed, or lines of a file that they named.
//!
//! Such a model fills a step with whatever comes to it. What is written has to stand in the request as it is,
//! apart from case, spaces and quotes, outside of the names of files; that it is made of words of the request
//! is not enough.

use crate::quoted::{mark, marked};
use crate::rules::described;
use crate::rules::words::{is_file, trim_word};
use crate::schema::cues;
use crate::{behind_colon, names, orders};
use domain::fault::Fault;
use domain::plan::{Action, Plan};
use text::escape::visible_line;

/// Verbs of orders that add what stands behind them.
const ADDING: [&str; 13] = [
    "add", "append", "attach", "insert", "jot", "log", "note", "place", "prepend", "put", "record",
    "store", "write",
];
/// Verbs of orders that make a file of what stands behind them.
const MAKING: [&str; 5] = ["create", "generate", "make", "save", "store"];
/// Stands for the name of a file, which is no part of a text.
const NAME: char = '\u{E002}';
/// Longest text that is shown, characters.
const SHOWN_CHARS: usize = 60;

/// A text that a step writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: String,
    /// The text.
    pub text: String,
    /// What the user could have typed for it.
    form: String,
}

impl Written {
    /// What is said of a text that nobody gave.
    #[must_use]
    pub fn fault(&self) -> Fault {
        let text: String = self.text.trim().chars().take(SHOWN_CHARS).collect();
        let more = if self.text.trim().chars().count() > SHOWN_CHARS {
            "…"
        } else {
            ""
        };
        let path = visible_line(&self.path);
        Fault {
            code: "plan.not_requested".to_owned(),
            message: format!(
                "The model planned to write `{}{more}` into `{path}`, which the request does not give as a text. \
                 Nothing was done.",
                visible_line(&text)
            ),
            hint: format!(
                "Give the text itself, as in `{}`, or use a larger model: one of this size would make it up.",
                self.form
            ),
        }
    }

    /// Whether it is one line or several of a file whose text this is.
    #[must_use]
    pub fn is_of_lines(&self, text: &str) -> bool {
        let known: Vec<&str> = text.lines().map(str::trim).collect();
        let mut lines = self
            .text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .peekable();
        lines.peek().is_some() && lines.all(|line| known.contains(&line))
    }
}

/// The texts that a plan writes and that the request does not give.
#[must_use]
pub fn not_given(plan: &Plan, request: &str) -> Vec<Written> {
    let request = Request::of(request);
    let written = plan.actions.iter().filter_map(written);
    let written = written.filter(|(written, how)| !request.gives(&written.text, *how));
    written.map(|(written, _)| written).collect()
}

/// How a step writes its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Made,
    Added,
    InPlaceOfAnother,
}

impl How {
    /// Whether the verb of an order says that what stands behind it is written so.
    fn is_said_by(self, verb: &str) -> bool {
        let of_another = orders::is_verb(verb);
        match self {
            Self::Made => MAKING.contains(&verb) || ADDING.contains(&verb) || !of_another,
            Self::Added => ADDING.contains(&verb) || !of_another,
            Self::InPlaceOfAnother => true,
        }
    }
}

/// What a step writes. That a file is made empty writes nothing, and neither does a text that is taken out.
fn written(action: &Action) -> Option<(Written, How)> {
    let (path, text, form, how) = match action {
        Action::CreateFile { path, content } => (
            path,
            content,
            format!("create {path} with \"TEXT\""),
            How::Made,
        ),
        Action::AppendText { path, content } => (
            path,
            content,
            format!("append \"TEXT\" to {path}"),
            How::Added,
        ),
        Action::ReplaceText { path, new, .. } => {
            let form = format!("replace \"OLD\" with \"NEW\" in {path}");
            (path, new, form, How::InPlaceOfAnother)
        }
        _ => return None,
    };
    let written = Written {
        path: path.clone(),
        text: text.clone(),
        form: visible_line(&form).to_string(),
    };
    (!text.is_empty() || how == How::Added).then_some((written, how))
}

/// A request as far as texts can stand in it.
struct Request {
    /// Its quoted texts, and what stands behind the colon of an order to write.
    whole: Vec<String>,
    /// All of it, with a mark in the place of the name of a file.
    flat: String,
    /// Its first word, as far as that may be a verb.
    verb: String,
}

impl Request {
    fn of(request: &str) -> Self {
        let (marks, quotes) = marked(request);
        let mut flat = String::new();
        for word in marks.split_whitespace() {
            flat.push(' ');
            let bare = trim_word(word).trim_matches(['(', ')', ',']);
            match is_file(bare) || bare.contains('/') {
                true => flat.push(NAME),
                false => flat.push_str(word),
            }
        }
        let texts = quotes.iter().filter(|quote| !is_file(quote));
        let mut whole: Vec<String> = texts.map(|quote| normal(quote)).collect();
        whole.extend(behind_colon::text_of(request).map(normal));
        for (at, quote) in quotes.iter().enumerate() {
            let text = if is_file(quote) {
                NAME.to_string()
            } else {
                quote.clone()
            };
            flat = flat.replace(&mark(at), &text);
        }
        Self {
            whole,
            flat: normal(&flat),
            verb: orders::verb(request),
        }
    }

    fn gives(&self, text: &str, how: How) -> bool {
        let text = normal(text);
        if text.is_empty() || self.whole.contains(&text) {
            return !text.is_empty();
        }
        let is_part = self
            .whole
            .iter()
            .any(|whole| names::has_words(whole, &text));
        let says_something = text
            .split(|c: char| !c.is_alphanumeric())
            .any(cues::is_telling);
        names::has_words(&self.flat, &text)
            && says_something
            && !is_part
            && how.is_said_by(&self.verb)
            && (how == How::InPlaceOfAnother || !described::is_of_a_kind(&text))
    }
}

/// A text in small letters without quotes, with single spaces and without what ends a sentence.
fn normal(text: &str) -> String {
    let is_quote = |c: &char| "\"'`“”„‘’‚«»".contains(*c);
    let text: String = text
        .to_lowercase()
        .chars()
        .filter(|c| !is_quote(c))
        .collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_end_matches(['.', '!', ',', ';', ':'])
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(request: &str, action: Action) -> bool {
        let plan = Plan {
            intent: "do it".to_owned(),
            actions: vec![action],
        };
        not_given(&plan, request).is_empty()
    }

    fn appended(request: &str, content: &str) -> bool {
        let action = Action::AppendText {
            path: "a.md".to_owned(),
            content: content.to_owned(),
        };
        given(request, action)
    }

    #[test]
    fn a_text_of_the_request_is_given() {
        for (request, text) in [
            ("\"buy milk\" belongs on a.md", "buy milk"),
            ("a.md needs the line 'Buy  milk'.", "buy milk"),
            ("a.md is missing buy milk", "buy milk"),
            ("jot down in a.md: the ink is red", "the ink is red"),
            ("put b.md before c in a.md: see \"d\"", "see \"d\""),
            ("write tea and milk at the bottom of a.md", "tea and milk"),
        ] {
            assert!(appended(request, text), "{request}");
        }
    }

    #[test]
    fn words_of_names_and_of_another_order_are_no_text() {
        for (request, text) in [
            ("give notes/the-letter.md a title", "The letter"),
            ("give \"the letter.md\" a title", "The letter.md"),
            ("give notes/ideas.md a title", "title"),
            ("make the title of a.md uppercase", "the title"),
            ("capitalise Rome in a.md", "Rome"),
            ("make Rome uppercase in a.md", "uppercase"),
            ("add \"milk and eggs\" to a.md", "milk"),
            ("add it to a.md", "it"),
            ("a.md needs a title", "a title"),
            ("add milk to a.md", "milk and more"),
            ("add milk to a.md", ""),
        ] {
            assert!(!appended(request, text), "{request}");
        }
    }

    #[test]
    fn a_new_text_in_place_of_another_is_given_and_an_empty_file_writes_nothing() {
        let replaced = |request: &str, new: &str| {
            let action = Action::ReplaceText {
                path: "a.md".to_owned(),
                old: "Tom".to_owned(),
                new: new.to_owned(),
            };
            given(request, action)
        };
        assert!(replaced("Tom is called Tim in a.md from now on", "Tim"));
        assert!(replaced("take Tom out of a.md", ""));
        assert!(!replaced("Tom is wrong in tim.md", "Tim"));
        let made = Action::CreateFile {
            path: "a.md".to_owned(),
            content: String::new(),
        };
        assert!(given("a.md should be there", made));
    }

    #[test]
    fn lines_of_a_file_are_whole_lines() {
        let written = |text: &str| Written {
            path: "a.md".to_owned(),
            text: text.to_owned(),
            form: String::new(),
        };
        let text = "# One\n  two words\nthree\n";
        assert!(written("two words\nthree").is_of_lines(text));
        assert!(!written("two").is_of_lines(text) && !written("\n").is_of_lines(text));
    }
}
