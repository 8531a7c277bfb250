//! Exact changes of lines by what they say.

use crate::names;
use crate::quoted::{in_quotes, typed_path};
use crate::rules::refusal::{Note, Refusal};
use crate::rules::unsure;
use domain::limits::PLAN_ACTIONS;
use domain::plan::Action;
use std::ops::Range;

/// Most lines that a refusal shows, and of each as many characters.
const SHOWN_LINES: usize = 4;
const SHOWN_CHARS: usize = 60;

/// Whether a text stands in another at one place. Places that overlap are several: of `a\nb\na` in
/// `a\nb\na\nb\na` an edit takes the first.
pub(super) fn stands_once(text: &str, part: &str) -> bool {
    let Some(first) = text.find(part) else {
        return false;
    };
    let next = part.chars().next().map_or(1, char::len_utf8);
    !text[first + next..].contains(part)
}

/// A text after an edit.
pub(super) fn applied(text: &str, action: &Action) -> String {
    match action {
        Action::ReplaceText { old, new, .. } => text.replace(old, new),
        Action::AppendText { content, .. } => format!("{text}{content}\n"),
        _ => text.to_owned(),
    }
}

/// Whether lines of a text set values behind a space, and none does by a sign.
fn is_spaced(text: &str) -> bool {
    let is_set = |line: &str| line.starts_with(|c: char| c.is_alphabetic());
    let mut lines = text
        .lines()
        .map(str::trim_start)
        .filter(|line| is_set(line));
    let signs = |line: &str| {
        let name = line.split_whitespace().next().unwrap_or_default();
        let rest = line[name.len()..].trim_start();
        name.contains(['=', ':']) || rest.starts_with(['=', ':'])
    };
    let has_space = text
        .lines()
        .any(|line| is_set(line.trim_start()) && line.trim().contains(' '));
    has_space && !lines.any(signs)
}

/// A text with its path.
pub(super) struct Lines<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
}

impl Lines<'_> {
    /// The changes that remove lines about something.
    pub(super) fn remove(&self, about: &str, is_many: bool) -> Result<Vec<Action>, Refusal> {
        if !is_many {
            let places = self.about(about);
            let only = self.only_about(about);
            return match only {
                Ok(line) => Ok(vec![self.without(&line)?]),
                Err(refusal) => Err(self.each_removed(refusal, &places)),
            };
        }
        let places = self.about(about);
        match places.len() {
            0 => self.only_about(about).map(|_| Vec::new()),
            many if many > PLAN_ACTIONS => Err(Refusal::too_many_steps(many)),
            _ => self.without_all(&places),
        }
    }

    /// A refusal with the orders that remove each of several lines.
    fn each_removed(&self, refusal: Refusal, places: &[Range<usize>]) -> Refusal {
        let number = |place: &Range<usize>| self.text[..place.start].matches('\n').count() + 1;
        let path = self.shown_path();
        let order = |place: &Range<usize>| format!("delete line {} of {path}", number(place));
        let orders: Vec<String> = places.iter().take(SHOWN_LINES).map(order).collect();
        match orders.is_empty() {
            true => refusal,
            false => Refusal {
                nearest: orders,
                advice: None,
                ..refusal
            },
        }
    }

    /// The only line about something.
    pub(super) fn only_about(&self, about: &str) -> Result<Range<usize>, Refusal> {
        let mut places = self.about(about);
        match places.len() {
            0 => Err(self.absent(&self.no_line_about(about.trim()))),
            1 => Ok(places.remove(0)),
            _ => Err(self.several(&places, &format!("`{}`", about.trim()))),
        }
    }

    /// That there is no line about something, and where it stands within words, since that does not count.
    fn no_line_about(&self, about: &str) -> String {
        match self.having(about).len() {
            0 => format!("no line with `{about}`"),
            1 => format!(
                "no line with `{about}` as a whole word, and one with it within a longer word"
            ),
            more => {
                format!(
                    "no line with `{about}` as a whole word, and {more} with it within longer words"
                )
            }
        }
    }

    /// The lines that have a text, in letters of any case.
    fn having(&self, text: &str) -> Vec<Range<usize>> {
        let text = text.to_lowercase();
        let has = |line: &Range<usize>| self.text[line.clone()].to_lowercase().contains(&text);
        self.lines()
            .filter(|line| !text.is_empty() && has(line))
            .collect()
    }

    /// What is said where more lines have a text within their words than those that have it as words.
    pub(super) fn within_words(&self, about: &str, is_many: bool) -> Option<Note> {
        let about = about.trim();
        let more = self
            .having(about)
            .len()
            .checked_sub(self.about(about).len())?;
        let lines = if more == 1 { "line has" } else { "lines have" };
        let stay = if more == 1 { "stays" } else { "stay" };
        let which = match is_many {
            true => "Lines are",
            false => "The line is",
        };
        (more > 0).then(|| Note {
            code: "plan.whole_words",
            message: format!(
                "{which} found by `{about}` as a whole word: {more} more {lines} it within longer words, and {stay}."
            ),
            before_offer: "",
            offer: None,
        })
    }

    /// The lines in which words stand as words, in letters of any case.
    fn about(&self, about: &str) -> Vec<Range<usize>> {
        let about = about.trim().to_lowercase();
        let is_about = |line: &Range<usize>| {
            let line = self.text[line.clone()].to_lowercase();
            !about.is_empty() && names::has_words(&line, &about)
        };
        self.lines().filter(is_about).collect()
    }

    /// The change that removes the line that says this alone, whatever marks an item of a list.
    pub(super) fn remove_item(&self, text: &str) -> Result<Action, Refusal> {
        if let Some(section) = self.remove_section(text) {
            return section;
        }
        let is_item = |line: &Range<usize>| {
            let line = self.text[line.clone()].trim();
            let line = line.trim_start_matches(['-', '*', '+', ' ']);
            let boxes = ["[ ] ", "[x] ", "[X] "];
            let item = boxes.iter().find_map(|box_| line.strip_prefix(box_));
            item.unwrap_or(line).to_lowercase() == text.to_lowercase()
        };
        let places: Vec<Range<usize>> = self.lines().filter(is_item).collect();
        // `- db` may be an item that names what `db:` opens.
        let openers = self.openers(text);
        if !places.is_empty() && !openers.is_empty() {
            let both: Vec<Range<usize>> = places.into_iter().chain(openers).collect();
            return Err(self.several(&both, &format!("`{text}`")));
        }
        match places.as_slice() {
            [line] => self.without(line),
            [] if let Some(removed) = self
                .remove_package(text)
                .or_else(|| self.remove_row(text))
                .or_else(|| self.remove_key(text)) =>
            {
                removed
            }
            [] if let Some(refusal) = self.is_of_a_row(text) => Err(refusal),
            [] => {
                let why = format!(
                    "No line of {} says `{text}` alone: which part of it is to go is not clear.",
                    self.path
                );
                Err(match self.about(text).as_slice() {
                    [] => Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())]),
                    [_] => {
                        let refusal = Refusal::ambiguous(why, Vec::new());
                        let mut refusal = unsure::removals(refusal, text, &self.shown_path());
                        // Without its header what is in a section is of another.
                        if self.header_named(text).is_some() {
                            let path = self.shown_path();
                            refusal.nearest = vec![format!("remove [{text}] from {path}")];
                        }
                        // Without its name nothing is set.
                        if !self.values(text).is_empty() || !self.mentions(text).is_empty() {
                            refusal.nearest.retain(|order| order.contains(" the line "));
                        }
                        refusal
                    }
                    many => self.several(many, &format!("`{text}`")),
                })
            }
            _ => Err(self.several(&places, &format!("`{text}`"))),
        }
    }

    /// The change that removes a text that stands here once, and the line that has nothing else.
    pub(super) fn remove_text(&self, text: &str) -> Result<Action, Refusal> {
        if let Some(removed) = self
            .remove_package(text)
            .or_else(|| self.remove_row(text))
            .or_else(|| self.remove_named(text))
        {
            return removed;
        }
        if let Some(refusal) = self.is_of_a_row(text) {
            return Err(refusal);
        }
        let path = self.path;
        let everywhere = format!(
            "replace {} with \"\" in {}",
            in_quotes(text),
            self.shown_path()
        );
        let found = self.text.match_indices(text).filter(|_| !text.is_empty());
        let places: Vec<Range<usize>> = found.map(|(at, _)| at..at + text.len()).collect();
        let [place] = places.as_slice() else {
            let mut refusal = match places.is_empty() {
                true => self.absent(&format!("no `{text}`")),
                false => self.several(&places, &format!("`{text}`")),
            };
            if !places.is_empty() {
                refusal.nearest.push(everywhere);
            }
            return Err(refusal);
        };
        if !names::is_words(self.text, place.clone()) {
            let whole = names::word_around(self.text, place.clone());
            let why = format!("`{text}` stands in {path} as a part of `{whole}`.");
            return Err(Refusal::ambiguous(why, vec![everywhere]));
        }
        if self.is_part_of_item(place) {
            let number = self.text[..place.start].matches('\n').count() + 1;
            let why = format!("`{text}` is a part of an item of a list of {path}.");
            let whole = format!("delete line {number} of {}", self.shown_path());
            return Err(Refusal::ambiguous(why, vec![whole]));
        }
        // Without its name a setting in a comment says nothing.
        if self.mentions(text).iter().any(|mention| mention.is_comment) {
            let why = format!("`{text}` is the name of a setting that {path} has in a comment.");
            let about = format!(
                "remove the line about {} from {}",
                in_quotes(text),
                self.shown_path()
            );
            return Err(Refusal::ambiguous(why, vec![about]));
        }
        match self.lines().find(|line| line == place) {
            Some(line) => self.without(&line),
            None => self.replace(place.clone(), ""),
        }
    }

    /// The changes that remove lines one after the other: each is of what the one before it left.
    fn without_all(&self, places: &[Range<usize>]) -> Result<Vec<Action>, Refusal> {
        self.one_by_one(places, |lines, place| lines.without(place))
    }

    /// The changes that put a text in several places.
    pub(super) fn replace_all(
        &self,
        places: &[Range<usize>],
        new: &str,
    ) -> Result<Vec<Action>, Refusal> {
        self.one_by_one(places, |lines, place| lines.replace(place.clone(), new))
    }

    pub(super) fn one_by_one(
        &self,
        places: &[Range<usize>],
        change: impl Fn(&Lines<'_>, &Range<usize>) -> Result<Action, Refusal>,
    ) -> Result<Vec<Action>, Refusal> {
        let mut text = self.text.to_owned();
        let mut actions = Vec::new();
        // From the end, so that the places before it stay.
        for place in places.iter().rev() {
            let left = Lines {
                path: self.path,
                text: &text,
            };
            let action = change(&left, place)?;
            text = applied(&text, &action);
            actions.push(action);
        }
        Ok(actions)
    }

    /// The file's name as it can be typed.
    pub(super) fn shown_path(&self) -> String {
        typed_path(self.path)
    }

    /// The ending of the file's name, in small letters.
    pub(super) fn ending(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        let name = name.to_lowercase();
        match name.rsplit_once('.') {
            // `.env.example` holds what `.env` does.
            Some(_) if name.starts_with(".env.") => "env".to_owned(),
            // `maxconn 2000` of HAProxy: the name, a space and the value.
            Some((_, "cfg")) if is_spaced(self.text) => "conf".to_owned(),
            Some((_, ending)) => ending.to_owned(),
            None if name.ends_with("_config") => "conf".to_owned(),
            None if name == "makefile" || name == "gnumakefile" => "mk".to_owned(),
            None if name == "dockerfile" => "dockerfile".to_owned(),
            None => String::new(),
        }
    }

    /// The lines, without their ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        let lines = self.text.split_inclusive('\n');
        lines.map(move |line| {
            let start = at;
            at += line.len();
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            // A byte order mark is of the file and of no line.
            let mark = match start {
                0 if line.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
                _ => 0,
            };
            (start + mark).min(end)..end
        })
    }

    /// The change that removes a line with its end; of the last line, which may have none, with the
    /// end of the line before.
    pub(super) fn without(&self, line: &Range<usize>) -> Result<Action, Refusal> {
        let end = self.text[line.end..].find('\n').map(|at| line.end + at + 1);
        let place = match end {
            Some(end) => line.start..end,
            None => self.text[..line.start].trim_end_matches(['\n', '\r']).len()..line.end,
        };
        self.replace(place, "")
    }

    /// The change of one place. What is replaced goes on to whole lines, and to the lines before, until
    /// it stands in the text once.
    pub(super) fn replace(&self, place: Range<usize>, new: &str) -> Result<Action, Refusal> {
        let text = self.text;
        let mut start = place.start;
        let mut end = place.end;
        while start == end || !stands_once(text, &text[start..end]) {
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            if (line_start, line_end) != (start, end) {
                (start, end) = (line_start, line_end);
            } else if start > 0 {
                start = text[..start - 1].rfind('\n').map_or(0, |at| at + 1);
            } else if end < text.len() {
                end = text[end + 1..]
                    .find('\n')
                    .map_or(text.len(), |at| end + 1 + at);
            } else {
                break;
            }
        }
        let old = text[start..end].to_owned();
        let is_whole = !old.is_empty() && stands_once(text, &old);
        if !is_whole || old.chars().count() > 1_000 {
            let why = format!("The place in {} is not clear.", self.path);
            return Err(Refusal::ambiguous(why, Vec::new()));
        }
        let before = &text[start..place.start];
        let after = &text[place.end..end];
        Ok(Action::ReplaceText {
            path: self.path.to_owned(),
            new: format!("{before}{new}{after}"),
            old,
        })
    }

    pub(super) fn absent(&self, what: &str) -> Refusal {
        let nearest = vec![format!("show {}", self.shown_path())];
        Refusal::absent(format!("{} has {what}.", self.path), nearest)
    }

    pub(super) fn several(&self, places: &[Range<usize>], what: &str) -> Refusal {
        let number = |at: usize| self.text[..at].matches('\n').count() + 1;
        let line = |at: usize| self.text.lines().nth(number(at) - 1).unwrap_or_default();
        let shown = places.iter().take(SHOWN_LINES).map(|place| {
            let line: String = line(place.start).chars().take(SHOWN_CHARS).collect();
            format!("line {} (`{}`)", number(place.start), line.trim())
        });
        let shown: Vec<String> = shown.collect();
        let count = places.len();
        let path = self.path;
        let why = format!(
            "{path} has {what} in {count} lines: {}. Which of them is not clear.",
            shown.join(", ")
        );
        let advice = "Name the line by its number.";
        Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())]).advised(advice)
    }
}
