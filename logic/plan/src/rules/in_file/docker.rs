//! What a Dockerfile sets: each name of a line with `ENV` or `ARG`, with its value.

use super::lines::Lines;
use super::value::Value;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A line that sets names, and those that it goes on over.
static SETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?im)^[ \t]*(?:ENV|ARG)[ \t]+(?P<rest>(?:[^\n\\]|\\\r?\n|\\[^\n])*)")
});

/// The parts of a text that white space parts, outside quotes. A sign that is escaped, such as a line end, parts none.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let (mut quote, mut is_escaped, mut is_open) = (None, false, false);
    for (at, sign) in text.char_indices() {
        let end = at + sign.len_utf8();
        // A backslash before a line end is no part of a word.
        let goes_on = sign == '\\' && text[end..].trim_start_matches('\r').starts_with('\n');
        let is_gap = (sign.is_whitespace() || goes_on) && quote.is_none() && !is_escaped;
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' if !goes_on => is_escaped = true,
            '"' | '\'' if quote == Some(sign) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(sign),
            _ => {}
        }
        match (is_gap, is_open, parts.last_mut()) {
            (true, ..) => is_open = false,
            (false, true, Some(last)) => last.end = end,
            (false, ..) => {
                parts.push(at..end);
                is_open = true;
            }
        }
    }
    parts
}

/// The version of a tag, and what stands behind it: `28` and `apache` of `28-apache`.
fn tag_parts(tag: &str) -> (&str, Option<&str>) {
    match tag.split_once('-') {
        Some((version, behind)) => (version, Some(behind)),
        None => (tag, None),
    }
}

impl Lines<'_> {
    /// The values of names that a pattern means.
    pub(super) fn docker_values(&self, key: &str) -> Vec<Value> {
        let Some(name) = pattern(&format!("(?i)^(?:{key})$")) else {
            return Vec::new();
        };
        let mut values = Vec::new();
        let sets = SETS.as_ref().into_iter();
        for rest in sets.flat_map(|sets| sets.captures_iter(self.text)) {
            let Some(rest) = rest.name("rest") else {
                continue;
            };
            let all = parts(rest.as_str());
            let Some(first) = all.first() else { continue };
            let place = |part: Range<usize>| rest.start() + part.start..rest.start() + part.end;
            let said: Vec<(&str, Range<usize>)> = match rest.as_str()[first.clone()].contains('=') {
                true => all
                    .iter()
                    .filter_map(|part| {
                        let equals = rest.as_str()[part.clone()].find('=')?;
                        let own = &rest.as_str()[part.start..part.start + equals];
                        Some((own, place(part.start + equals + 1..part.end)))
                    })
                    .collect(),
                // `ENV NAME all that follows`.
                false => match (all.get(1), all.last()) {
                    (Some(second), Some(last)) => {
                        vec![(&rest.as_str()[first.clone()], place(second.start..last.end))]
                    }
                    _ => Vec::new(),
                },
            };
            let named = said.into_iter().filter(|(own, _)| name.is_match(own));
            values.extend(named.map(|(own, place)| self.docker_value(own, place)));
        }
        values
    }

    /// The change of the tag of the only image of this name, where both are plain versions, or versions with the same
    /// behind them: `image: nextcloud:28-apache`. One with more to it than the new one is for the user to write.
    pub(super) fn set_tag(&self, image: &str, tag: &str) -> Option<Result<Action, Refusal>> {
        let ending = self.ending();
        let begin = match ending.as_str() {
            "yaml" | "yml" => r"(?:-[ ]+)?image:[ ]+",
            "dockerfile" => r"(?i:FROM)[ ]+",
            _ => return None,
        };
        let name = regex::escape(image.trim());
        let line = pattern(&format!(
            r#"(?m)^[ \t]*{begin}["']?(?:[\w.:-]+/)*{name}:(?P<tag>[\w.-]+)["']?[ \t]*(?:#.*)?\r?$"#
        ))?;
        let mut found = line.captures_iter(self.text);
        let place = found
            .next()
            .filter(|_| found.next().is_none())?
            .name("tag")?;
        let is_number =
            |tag: &str| !tag.is_empty() && tag.chars().all(|c| c.is_ascii_digit() || c == '.');
        let has_v = place.as_str().starts_with('v') && tag.starts_with('v');
        let is_version = |tag: &str| match has_v {
            true => is_number(&tag[1..]),
            false => is_number(tag),
        };
        let (is, is_behind) = tag_parts(place.as_str());
        let (new, new_behind) = tag_parts(tag);
        let is_same_kind = is_version(is) && is_version(new) && is_behind == new_behind;
        let is_plain = is_same_kind && is != new;
        is_plain.then(|| self.replace(place.range(), tag))
    }

    fn docker_value(&self, name: &str, place: Range<usize>) -> Value {
        let text = &self.text[place.clone()];
        let first = text
            .chars()
            .next()
            .filter(|sign| ['"', '\''].contains(sign));
        let quote = first.filter(|quote| {
            text.len() > 1 && text.ends_with(*quote) && !text[1..text.len() - 1].contains(*quote)
        });
        Value {
            place: match quote {
                Some(_) => place.start + 1..place.end - 1,
                None => place,
            },
            quote,
            path: vec![name.to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_gives_way_to_one_of_its_kind() {
        let text = "services:\n  a:\n    image: nextcloud:28-apache\n";
        let lines = Lines {
            path: "compose.yml",
            text,
        };
        let set = |tag: &str| lines.set_tag("nextcloud", tag);
        let after =
            crate::rules::in_file::lines::applied(text, &set("29-apache").unwrap().unwrap());
        assert_eq!(after, text.replace("28-apache", "29-apache"));
        for tag in ["29", "29-fpm", "28-apache", "latest"] {
            assert!(set(tag).is_none(), "{tag}");
        }
        let text = "services:\n  a:\n    image: traefik:v3.0\n";
        let lines = Lines {
            path: "compose.yml",
            text,
        };
        let set = |tag: &str| lines.set_tag("traefik", tag);
        let after = crate::rules::in_file::lines::applied(text, &set("v3.1").unwrap().unwrap());
        assert_eq!(after, text.replace("v3.0", "v3.1"));
        assert!(set("3.1").is_none() && set("v").is_none());
    }

    #[test]
    fn each_name_of_a_line_has_its_value() {
        let text = "FROM a\nENV A=1 B=\"x y\" \\\n    C=a\\ b\nenv D some words # d\nARG E=2\nARG F\nRUN G=1 make\n";
        let lines = Lines {
            path: "Dockerfile",
            text,
        };
        let told: Vec<String> = lines
            .docker_values(r"\w+")
            .iter()
            .map(|value| format!("{}: {}", value.dotted(), &text[value.place.clone()]))
            .collect();
        let all = ["A: 1", "B: x y", "C: a\\ b", "D: some words # d", "E: 2"];
        assert_eq!(told, all);
    }
}
