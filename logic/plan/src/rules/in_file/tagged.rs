//! Versions behind a name and a sign within a line: `uses: actions/checkout@v3`, `FROM python:3.11-slim`.

use super::lines::Lines;
use crate::quoted::in_quotes;
use crate::rules::words::pattern;
use std::ops::Range;

impl Lines<'_> {
    /// The order that gives a name its other version, where the file has the name with one version alone. What stands
    /// behind the numbers stays.
    pub(super) fn tag_order(&self, key: &str, to: &str) -> Option<String> {
        let name = key.strip_suffix(" version").unwrap_or(key);
        let is_name = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
        let is_version = |text: &str| {
            let bare = text.strip_prefix('v').unwrap_or(text);
            bare.starts_with(|c: char| c.is_ascii_digit())
                && bare.chars().all(|c| c.is_ascii_digit() || c == '.')
        };
        if name.is_empty() || !is_name || !is_version(to) {
            return None;
        }
        let form = pattern(&format!(
            r"(?m)(?:^|[\s/]){}(?P<sign>[@:])(?P<is>v?\d+(?:\.\d+)*)\b",
            regex::escape(name)
        ))?;
        let mut found: Vec<(Range<usize>, String)> = form
            .captures_iter(self.text)
            .filter_map(|found| {
                let (sign, is) = (found.name("sign")?, found.name("is")?);
                Some((sign.start()..is.end(), is.as_str().to_owned()))
            })
            .collect();
        found.dedup_by(|one, other| self.text[one.0.clone()] == self.text[other.0.clone()]);
        let [(place, is)] = found.as_slice() else {
            return None;
        };
        let old = format!("{name}{}", &self.text[place.clone()]);
        let mark = match is.starts_with('v') && !to.starts_with('v') {
            true => "v",
            false => "",
        };
        let sign = &self.text[place.start..place.start + 1];
        let new = format!("{name}{sign}{mark}{to}");
        let path = self.shown_path();
        (old != new).then(|| {
            format!(
                "replace {} with {} in {path}",
                in_quotes(&old),
                in_quotes(&new)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_behind_a_name_is_offered_its_other() {
        let order = |path: &str, text: &str, key: &str, to: &str| {
            let lines = Lines { path, text };
            lines.tag_order(key, to)
        };
        let steps = "- uses: actions/checkout@v3\n- uses: actions/checkout@v3\n";
        let checkout = "replace \"actions/checkout@v3\" with \"actions/checkout@v4\" in ci.yml";
        for to in ["v4", "4"] {
            let offered = order("ci.yml", steps, "actions/checkout", to);
            assert_eq!(offered.as_deref(), Some(checkout));
        }
        let python = "replace \"python:3.11\" with \"python:3.12\" in Dockerfile";
        for key in ["python", "python version"] {
            let offered = order("Dockerfile", "FROM python:3.11-slim\n", key, "3.12");
            assert_eq!(offered.as_deref(), Some(python), "{key}");
        }
        for (text, key, to) in [
            ("FROM a:1\nFROM a:2\n", "a", "3"),
            ("FROM xa:1\n", "a", "3"),
            ("FROM a:1\n", "a", "latest"),
        ] {
            assert_eq!(order("Dockerfile", text, key, to), None, "{text}");
        }
    }
}
