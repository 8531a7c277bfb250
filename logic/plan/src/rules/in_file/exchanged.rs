//! A number that gives way to another, named by what it is and what it was: `change port 8080 to 9090 in
//! compose.yml`, whatever the file calls it.

use super::keys::plain;
use super::lines::Lines;
use super::value::Value;
use crate::names;
use crate::quoted::in_quotes;
use crate::rules::refusal::{Offer, Refusal};
use crate::rules::words::pattern;
use domain::plan::Action;
use std::ops::Range;

/// Most places that a refusal offers an order for.
const OFFERED_PLACES: usize = 4;

/// Words for on and off, as files have them.
const SWITCHES: [(&str, &str); 5] = [
    ("true", "false"),
    ("on", "off"),
    ("yes", "no"),
    ("enabled", "disabled"),
    ("1", "0"),
];

impl Lines<'_> {
    /// The change that turns what is on or off to one of them, in the words that the file has.
    pub(super) fn switch(&self, key: &str, is_on: bool) -> Result<Action, Refusal> {
        let wanted = match self.ending().as_str() {
            "conf" => ("on", "off"),
            "py" => ("True", "False"),
            _ => ("true", "false"),
        };
        let wanted = if is_on { wanted.0 } else { wanted.1 };
        let value = self.only_value(key, None, Some((wanted, false)));
        let value = value.or_else(|refusal| self.switch_of(key).ok_or(refusal))?;
        let is = self.text[value.place.clone()].trim();
        let lower = is.to_lowercase();
        let pair = SWITCHES
            .iter()
            .find(|(on, off)| [*on, *off].contains(&lower.as_str()));
        let Some((on, off)) = pair else {
            let why = format!(
                "`{key}` is `{is}` in {}, which is neither on nor off.",
                self.path
            );
            let nearest = vec![format!("show {}", self.shown_path())];
            return Err(Refusal::ambiguous(why, nearest));
        };
        let word = if is_on { *on } else { *off };
        // `True` and `FALSE` keep their capitals.
        let is_capital = is.starts_with(char::is_uppercase);
        let is_all = is_capital && is.len() > 1 && is == is.to_uppercase();
        let written = match (is_all, is_capital) {
            (true, _) => word.to_uppercase(),
            (false, true) => format!("{}{}", word[..1].to_uppercase(), &word[1..]),
            (false, false) => word.to_owned(),
        };
        if written == is {
            let why = format!("`{key}` is `{is}` in {} already.", self.path);
            let nearest = vec![format!("show {}", self.shown_path())];
            return Err(Refusal::ambiguous(why, nearest));
        }
        self.replace(value.place, &written)
    }

    /// What turns a section on or off, by its name there: `enabled` of `[mail]`.
    fn switch_of(&self, section: &str) -> Option<Value> {
        let mut switches = ["enabled", "enable", "active"].iter();
        switches.find_map(|name| self.key_named(&format!("{name} in [{section}]")))
    }

    /// The change of the only place where a value from before stands and the line has the name of it, or the sign
    /// that it has as a port. `refusal`: why no value of that name is set.
    pub(super) fn exchange(
        &self,
        key: &str,
        (from, to): (&str, &str),
        refusal: Refusal,
    ) -> Result<Action, Refusal> {
        let all = self
            .text
            .match_indices(from)
            .map(|(at, _)| at..at + from.len());
        let whole: Vec<Range<usize>> = all
            .filter(|place| names::is_words(self.text, place.clone()))
            .collect();
        let is_comment = |place: &Range<usize>| {
            let line = self.text[..place.start]
                .rsplit('\n')
                .next()
                .unwrap_or_default();
            line.trim_start().starts_with(['#', ';']) || line.trim_start().starts_with("//")
        };
        // A comment says itself what has its name there.
        if whole.iter().all(is_comment) {
            return Err(refusal);
        }
        let is_meant =
            |place: &&Range<usize>| !is_comment(place) && self.is_named_there(key, place);
        let meant: Vec<&Range<usize>> = whole.iter().filter(is_meant).collect();
        if let [place] = meant.as_slice() {
            return self.replace((*place).clone(), to);
        }
        let why = match meant.len() {
            0 => format!(
                "No line of {} has `{key}` beside `{from}`: whether it is meant is not clear.",
                self.path
            ),
            count => format!(
                "{} has `{key}` beside `{from}` in {count} places. Which of them is not clear.",
                self.path
            ),
        };
        // A port of the host stands before the colon, and one of the container behind it.
        let side = |place: &&Range<usize>| {
            let is_said = |words: [&str; 3]| {
                let key = key.to_lowercase();
                key.split(' ').any(|word| words.contains(&word))
            };
            let (is_before, is_behind) = (
                self.text[place.end..].starts_with(':'),
                self.text[..place.start].ends_with(':'),
            );
            match (
                is_said(["host", "published", "outside"]),
                is_said(["container", "target", "inside"]),
            ) {
                (true, false) => is_before || !is_behind,
                (false, true) => is_behind || !is_before,
                _ => true,
            }
        };
        let places = whole.iter().filter(side).take(OFFERED_PLACES);
        let offers = places.map(|place| self.exchange_offer(place, to)).collect();
        Err(Refusal::ambiguous(why, Vec::new()).offering(offers))
    }

    /// The refusal to write a number in the place of a word, which stands before one: `--port 8080`.
    pub(super) fn is_before_a_number(&self, word: &str, to: &str) -> Option<Refusal> {
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        if !is_number(to) || is_number(word) {
            return None;
        }
        let form = format!(r"(?i)\b{}[\s=:]+(?P<n>\d[\w.]*)", regex::escape(word));
        let form = pattern(&form)?;
        let mut found = form.captures_iter(self.text);
        let first = found.next()?;
        let number = first["n"].to_owned();
        let why = format!(
            "`{word}` stands before `{number}` in {}, and is no number.",
            self.path
        );
        let path = self.shown_path();
        let order = format!("change {word} {number} to {to} in {path}");
        Some(match found.next() {
            None => Refusal::ambiguous(why, vec![order]),
            Some(_) => Refusal::ambiguous(why, vec![format!("show {path}")]),
        })
    }

    /// Whether a value at a place is called so there: by its line, or as a port by the sign before it.
    fn is_named_there(&self, key: &str, place: &Range<usize>) -> bool {
        let line = self
            .lines()
            .find(|line| line.start <= place.start && place.end <= line.end);
        let Some(line) = line else { return false };
        let before = &self.text[line.start..place.start];
        let after = &self.text[place.end..line.end];
        let words = plain(before).to_lowercase();
        let is_port = plain(key).ends_with("port");
        // `127.0.0.1:80`, `"80:8080"`, `listen 80;`, `EXPOSE 80`.
        // What stands behind the name of an image is none: `postgres:15`.
        let digit = |c: char| c.is_ascii_digit();
        let is_of_host = before.contains("://") || before.ends_with("localhost:");
        let is_behind = before
            .strip_suffix(':')
            .is_some_and(|rest| rest.ends_with(digit) || is_of_host);
        let is_before = after
            .strip_prefix(':')
            .is_some_and(|rest| rest.starts_with(digit));
        let has_sign = is_behind || is_before;
        let listens = before.to_lowercase();
        let listens = ["listen", "expose", "-p"]
            .iter()
            .any(|word| listens.trim_end().ends_with(word));
        words.contains(&plain(key)) || (is_port && (has_sign || listens))
    }

    /// The order that puts a text in the place of another.
    pub(super) fn exchange_offer(&self, place: &Range<usize>, to: &str) -> Offer {
        let line = self
            .lines()
            .find(|line| line.start <= place.start && place.end <= line.end);
        let line = line.unwrap_or_else(|| place.clone());
        let number = self.text[..line.start].matches('\n').count() + 1;
        let (before, after) = (
            &self.text[line.start..place.start],
            &self.text[place.end..line.end],
        );
        let text = format!("{before}{to}{after}");
        let path = self.shown_path();
        let old = &self.text[place.clone()];
        let words = format!(
            "replace {} with {} in {path}",
            in_quotes(old),
            in_quotes(to)
        );
        let mut offer = self.rewrite_offer(number, line, &text);
        if self.text.matches(old).count() == 1 {
            offer.forms.insert(0, words);
        }
        offer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_file::lines::applied;

    #[test]
    fn a_number_is_exchanged_where_its_line_says_what_it_is() {
        let absent = || Refusal::absent("none".to_owned(), Vec::new());
        for (text, key, from, after) in [
            ("run --port 80 # 80\n", "port", "80", None),
            (
                "run --port 80\nretry 80\n",
                "port",
                "80",
                Some("run --port 81\nretry 80\n"),
            ),
            ("listen 80;\n", "port", "80", Some("listen 81;\n")),
            ("- \"80:8080\"\n", "port", "80", Some("- \"81:8080\"\n")),
            ("retry 80\n", "port", "80", None),
            ("retry 80\n", "port", "8", None),
            ("image: pg:80\n", "port", "80", None),
            ("max tries 80\n", "tries", "80", Some("max tries 81\n")),
        ] {
            let lines = Lines {
                path: "a.conf",
                text,
            };
            let is = lines.exchange(key, (from, "81"), absent());
            let is = is.ok().map(|action| applied(text, &action));
            assert_eq!(is.as_deref(), after, "{text}");
        }
    }
}
