//! Settings that are not there yet: where in the file each belongs, and how the file writes it.

use super::asked::{Place, Side};
use super::keys::{self, Within, are_alike, plain};
use super::lines::{Lines, applied};
use super::value::{NewValue, typed};
use super::{sections, written};
use crate::quoted::in_quotes;
use crate::rules::refusal::{Offer, Refusal};
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static HEADER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^[ \t]*\[[ \t]*(?P<name>[^\[\],\n]+?)[ \t]*\][ \t]*(?:[#;].*)?$"));
static SPACED: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?m)^[ \t]*[\w.-]+[ \t]+=[ \t]"));
/// A name of a value, as files have it.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^[\w-]+(?:\.[\w-]+)*$"));

/// Most sections that a refusal offers an order for.
const OFFERED_SECTIONS: usize = 4;

/// A line that sets a value, and the line behind which it belongs; behind the last where there is none.
struct Addition {
    line: String,
    behind: Option<usize>,
}

/// What an order calls a setting that is to be added.
struct Said<'a> {
    name: &'a str,
    section: Option<String>,
}

impl<'a> Said<'a> {
    fn read(key: &'a str, ending: &str) -> Self {
        let key = key.trim();
        let readings = keys::readings(key);
        let explicit = readings.into_iter().find(|reading| reading.is_explicit);
        let Some(explicit) = explicit.filter(|_| ending != "properties") else {
            return Self {
                name: key,
                section: None,
            };
        };
        let section = match explicit.within {
            Within::Section(section) => Some(section),
            Within::Path(path) => path.rsplit_once('.').map(|(section, _)| section.to_owned()),
            _ => None,
        };
        let name = key
            .find(&explicit.name)
            .map_or(key, |at| &key[at..at + explicit.name.len()]);
        Self { name, section }
    }
}

impl Lines<'_> {
    /// The refusal of a key that is set, with the order for one line more where a unit of systemd may have several.
    fn sets_already(&self, key: &str, (to, is_quoted): NewValue<'_>) -> Refusal {
        let path = self.shown_path();
        let may_be_several =
            ["service", "timer", "socket", "mount", "target"].contains(&self.ending().as_str());
        let name = Said::read(key, &self.ending()).name;
        let last = self.values(name).pop().filter(|_| may_be_several);
        let (why, order) = match last {
            Some(value) => (
                format!(
                    "{} sets `{key}` already, and may have one line more of it.",
                    self.path
                ),
                format!(
                    "insert {} after line {} of {path}",
                    in_quotes(&format!("{name}={to}")),
                    self.number_of(&value)
                ),
            ),
            None => {
                let why = format!("{} sets `{key}` already.", self.path);
                let is = self.values(name);
                let [value] = is.as_slice() else {
                    return Refusal::ambiguous(why, vec![format!("show {path}")]);
                };
                let is = self.text[value.place.clone()].trim();
                return match is == to {
                    true => Refusal::ambiguous(why, vec![format!("show {path}")]),
                    false => {
                        let why = format!("{} sets `{key}` already (`{is}`).", self.path);
                        let to = typed(to, is_quoted);
                        Refusal::ambiguous(why, vec![format!("set {name} to {to} in {path}")])
                    }
                };
            }
        };
        Refusal::ambiguous(why, vec![order])
    }

    /// The change that adds a setting. Of one that is not said to be a key, the section has to be said where there
    /// are some.
    pub(super) fn add_key(
        &self,
        key: &str,
        to: NewValue<'_>,
        is_of_a_key: bool,
    ) -> Result<Action, Refusal> {
        let readings = keys::readings(key);
        let is_there = readings.iter().any(|reading| {
            self.values(&reading.name)
                .iter()
                .any(|value| match readings.len() {
                    1 => value.path.len() == 1,
                    _ => reading.within != Within::Anywhere && reading.means(&value.path),
                })
        });
        if is_there {
            return Err(self.sets_already(key, to));
        }
        let said = Said::read(key, &self.ending());
        if let Some(member) = self.add_member(said.section.as_deref(), said.name, to) {
            return member;
        }
        if said.section.is_none() && !is_of_a_key && !self.headers().is_empty() {
            let path = self.path;
            let why = format!("In which section of {path} `{key}` belongs is not said.");
            return Err(Refusal::ambiguous(why, self.in_sections(&said, to)));
        }
        if said.section.is_none() && !is_of_a_key && self.is_nested() {
            let why = format!(
                "{} has no values at its edge, where `{key}` would stand.",
                self.path
            );
            let path = self.shown_path();
            let order = format!(
                "add the key {} = {} to {path}",
                said.name,
                typed(to.0, to.1)
            );
            return Err(Refusal::ambiguous(why, vec![order]));
        }
        let addition = self.addition(key, to).ok_or_else(|| {
            let why = format!("Where `{key}` belongs in {} is not clear.", self.path);
            let path = self.shown_path();
            let advice = format!("Name a line: `insert \"…\" after line 3 of {path}`.");
            Refusal::ambiguous(why, vec![format!("show {path}")]).advised(advice)
        })?;
        self.added(&addition)
    }

    fn added(&self, addition: &Addition) -> Result<Action, Refusal> {
        match addition.behind {
            None => Ok(Action::AppendText {
                path: self.path.to_owned(),
                content: addition.line.clone(),
            }),
            Some(0) => self.insert(&addition.line, Side::Before, &Place::Top),
            Some(line) => self.insert(
                &addition.line,
                Side::After,
                &Place::Lines {
                    from: line,
                    to: line,
                },
            ),
        }
    }

    /// Whether a file of YAML sets values within others alone.
    fn is_nested(&self) -> bool {
        let is_yaml = matches!(self.ending().as_str(), "yaml" | "yml");
        let values = self.values_of(r"[\w-]+");
        is_yaml && !values.is_empty() && values.iter().all(|value| value.path.len() > 1)
    }

    /// The orders that add a setting to each of the first sections.
    fn in_sections(&self, said: &Said<'_>, (to, is_quoted): NewValue<'_>) -> Vec<String> {
        let (name, to) = (said.name, typed(to, is_quoted));
        let headers = self.headers().into_iter().take(OFFERED_SECTIONS);
        let order = |(_, section): (usize, String)| {
            format!(
                "add the key {name} = {to} to [{section}] in {}",
                self.shown_path()
            )
        };
        let top = (self.ending() == "toml")
            .then(|| format!("add the key {name} = {to} to {}", self.shown_path()));
        top.into_iter().chain(headers.map(order)).collect()
    }

    /// The order that adds a setting that is not there.
    pub(super) fn addition_offer(&self, key: &str, to: NewValue<'_>) -> Option<Offer> {
        let said = Said::read(key, &self.ending());
        if let Some(Ok(action)) = self.add_member(said.section.as_deref(), said.name, to) {
            let (name, to) = (said.name, typed(to.0, to.1));
            let within = said
                .section
                .map_or_else(String::new, |section| format!(" to [{section}]"));
            let joint = if within.is_empty() { "to" } else { "in" };
            let path = self.shown_path();
            return Some(Offer {
                forms: vec![format!("add the key {name} = {to}{within} {joint} {path}")],
                after: applied(self.text, &action),
                otherwise: format!("Add it to {} in an editor.", self.path),
            });
        }
        // Above all sections of a file that has nothing there it may not belong.
        let addition = self.addition(key, to).filter(|one| one.behind != Some(0))?;
        let action = self.added(&addition).ok()?;
        let (line, path) = (in_quotes(&addition.line), self.shown_path());
        let order = match addition.behind {
            None => format!("append {line} to {path}"),
            Some(number) => format!("insert {line} after line {number} of {path}"),
        };
        Some(Offer {
            forms: vec![order],
            after: applied(self.text, &action),
            otherwise: format!("Add it to {} in an editor.", self.path),
        })
    }

    fn addition(&self, key: &str, (to, is_quoted): NewValue<'_>) -> Option<Addition> {
        let ending = self.ending();
        let Said { name, section } = Said::read(key, &ending);
        if !NAME.as_ref()?.is_match(name)
            || !sections::are_known(&ending)
            || to.contains(['\n', '\r'])
        {
            return None;
        }
        let text = || serde_json::Value::from(to).to_string();
        let gap = match SPACED.as_ref()?.is_match(self.text) || ending == "toml" {
            true => " ",
            false => "",
        };
        let line = match ending.as_str() {
            "toml" if !is_quoted && written::is_toml(to) => {
                format!("{name} = {to}")
            }
            "toml" => format!("{name} = {}", text()),
            "yaml" | "yml" => format!("{name}: {}", written::bare(&ending, to, is_quoted).ok()?),
            "env" | "properties" | "ini" | "cfg" | "cnf" | "service" | "desktop" => {
                format!(
                    "{name}{gap}={gap}{}",
                    written::bare(&ending, to, is_quoted).ok()?
                )
            }
            _ => return None,
        };
        let behind = self.place_of(section.as_deref())?;
        Some(Addition { line, behind })
    }

    /// The line behind which a setting of a section belongs; the end of the file where there is none. `None` where
    /// the place is not clear.
    fn place_of(&self, section: Option<&str>) -> Option<Option<usize>> {
        let headers = self.headers();
        match (section, headers.first()) {
            (Some(section), _) => {
                let is_exact = headers
                    .iter()
                    .any(|(_, name)| plain(name) == plain(section));
                let mut named = headers.iter().filter(|(_, name)| match is_exact {
                    true => plain(name) == plain(section),
                    false => are_alike(name, section),
                });
                let (line, _) = named.next().filter(|_| named.next().is_none())?;
                Some(Some(*line))
            }
            (None, None) => Some(None),
            // Below a header it would be of that section.
            (None, Some((first, _))) => (self.ending() == "toml").then(|| Some(self.above(*first))),
        }
    }

    /// The headers of sections, each with the number of its line.
    fn headers(&self) -> Vec<(usize, String)> {
        const WITH_HEADERS: [&str; 6] = ["toml", "ini", "cfg", "cnf", "service", "desktop"];
        if !WITH_HEADERS.contains(&self.ending().as_str()) {
            return Vec::new();
        }
        let headers = self.text.lines().enumerate().filter_map(|(at, line)| {
            let header = HEADER.as_ref()?.captures(line)?;
            Some((at + 1, header["name"].to_owned()))
        });
        headers.collect()
    }

    /// Whether a section has this name.
    pub(super) fn is_section(&self, name: &str) -> bool {
        let headers = self.headers();
        headers
            .iter()
            .any(|(_, header)| plain(header) == plain(name))
    }

    /// Where the name of a section stands in its only header, unless others are within it.
    pub(super) fn header_named(&self, name: &str) -> Option<Range<usize>> {
        let name = name.strip_suffix(" section").unwrap_or(name);
        let name = name.strip_prefix("section ").unwrap_or(name);
        let headers = self.headers();
        let within = format!("{name}.");
        let mut named = headers
            .iter()
            .filter(|(_, own)| own == name || own.starts_with(&within));
        let (number, own) = named.next().filter(|_| named.next().is_none())?;
        let line = self.lines().nth(number - 1)?;
        let at = line.start + self.text[line.clone()].find(own.as_str())?;
        (own == name).then(|| at..at + own.len())
    }

    /// The last line that says something above a line.
    fn above(&self, number: usize) -> usize {
        let lines: Vec<&str> = self.text.lines().take(number - 1).collect();
        let last = lines.iter().rposition(|line| !line.trim().is_empty());
        last.map_or(0, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_is_not_there_goes_where_it_belongs() {
        for (path, text, key, to, after) in [
            (
                "a.toml",
                "a = 1\n\n[b]\nc = 2\n",
                "d",
                "x",
                "a = 1\nd = \"x\"\n\n[b]\nc = 2\n",
            ),
            (
                "a.toml",
                "a = 1\n[b]\nc = 2\n",
                "d in [b]",
                "3",
                "a = 1\n[b]\nd = 3\nc = 2\n",
            ),
            ("a.toml", "[b]\nc = 2\n", "d", "3", "d = 3\n[b]\nc = 2\n"),
            ("a.ini", "[b]\nc=2\n", "b.d", "3", "[b]\nd=3\nc=2\n"),
            ("a.yaml", "a: 1\n", "d", "3", "a: 1\nd: 3\n"),
            (".env", "A=1\n", "D", "3", "A=1\nD=3\n"),
            ("a.properties", "a.b=1\n", "a.c", "3", "a.b=1\na.c=3\n"),
        ] {
            let lines = Lines { path, text };
            let action = lines.add_key(key, (to, false), true).unwrap();
            assert_eq!(applied(text, &action), after, "{path}: {key}");
        }
        // A text that was given in quotes stays one.
        let lines = Lines {
            path: "a.toml",
            text: "a = 1\n",
        };
        let action = lines.add_key("b", ("1.0", true), true).unwrap();
        assert_eq!(applied(lines.text, &action), "a = 1\nb = \"1.0\"\n");
        for (path, text, key) in [
            ("a.toml", "a = 1\n", "a"),
            ("a.toml", "a = 1\n", "b in [c]"),
            ("a.yaml", "a:\n  b: 1\n", "a.c"),
        ] {
            let lines = Lines { path, text };
            lines.add_key(key, ("1", false), true).unwrap_err();
        }
    }
}
