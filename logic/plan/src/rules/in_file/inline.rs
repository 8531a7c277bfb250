//! Values that stand within a line: `db = { host = "a" }`, `{"port":80,"ssl":false}`.
//!
//! What is found by its signs counts only where its change gives the one value that is meant in the data
//! another, and no other one.

use super::keys::plain;
use super::lines::{Lines, applied};
use super::sound::{Leaf, leaves};
use super::value::{NewValue, Value};
use super::{keys, written};
use crate::rules::words::pattern;
use domain::plan::Action;

impl Lines<'_> {
    /// The change that gives a value within a line another; `None` where the data does not have what a key
    /// names once, or its place is not found.
    pub(super) fn set_inline(&self, key: &str, to: NewValue<'_>) -> Option<Action> {
        let was = leaves(&self.ending(), self.text)?;
        let readings = keys::readings(key);
        let is_meant = |leaf: &Leaf| {
            let name = leaf.path.last().map_or("", String::as_str);
            let mut named = readings
                .iter()
                .filter(|reading| plain(&reading.name) == plain(name));
            named.any(|reading| reading.means(&leaf.path))
        };
        let mut meant = (0..was.len()).filter(|at| is_meant(&was[*at]));
        let only = meant.next().filter(|_| meant.next().is_none())?;
        let name = was[only].path.last()?;
        let mut found = self.within_lines(name).into_iter().filter_map(|value| {
            let (place, written) = self.fit(&value, to).ok()?;
            let action = self.replace(place, &written).ok()?;
            let is = leaves(&self.ending(), &applied(self.text, &action))?;
            let have_names =
                was.len() == is.len() && was.iter().zip(&is).all(|(was, is)| was.path == is.path);
            let differs = |at: &usize| was[*at].value != is[*at].value;
            let changed: Vec<usize> = (0..was.len())
                .filter(|at| have_names && differs(at))
                .collect();
            (changed == [only]).then_some(action)
        });
        let action = found.next()?;
        found.next().is_none().then_some(action)
    }

    /// The places of values of a name anywhere in lines.
    fn within_lines(&self, name: &str) -> Vec<Value> {
        let form = pattern(&format!(
            r#"(?m)(?:^|[\s{{,\[])["']?(?P<key>{})["']?[ \t]*[:=][ \t]*(?:"(?P<d>(?:[^"\\\n]|\\.)*)"|'(?P<s>[^'\n]*)'|(?P<b>[^\s,{{}}\[\]"'#][^,{{}}\[\]\n#]*))"#,
            written::name_of(name)
        ));
        let Some(form) = form else {
            return Vec::new();
        };
        let value = |found: regex::Captures<'_>| {
            let quoted = [("d", Some('"')), ("s", Some('\'')), ("b", None)];
            quoted.into_iter().find_map(|(part, quote)| {
                let place = found.name(part)?;
                let end = place.start() + place.as_str().trim_end().len();
                Some(Value {
                    place: place.start()..end,
                    quote,
                    path: vec![name.to_owned()],
                })
            })
        };
        form.captures_iter(self.text).filter_map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_within_a_line_is_set_where_the_data_has_it_once() {
        for (path, text, key, to, after) in [
            (
                "a.toml",
                "db = { host = \"a\", port = 1 }\n",
                "port",
                "2",
                "db = { host = \"a\", port = 2 }\n",
            ),
            (
                "a.toml",
                "db = { host = \"a\", port = 1 }\n",
                "db.host",
                "b",
                "db = { host = \"b\", port = 1 }\n",
            ),
            (
                "a.json",
                "{\"a\":1,\"b\":{\"c\":\"d\"}}\n",
                "c",
                "e",
                "{\"a\":1,\"b\":{\"c\":\"e\"}}\n",
            ),
            (
                "a.json",
                "{\"a\":{\"p\":1},\"b\":{\"p\":1}}\n",
                "b.p",
                "2",
                "{\"a\":{\"p\":1},\"b\":{\"p\":2}}\n",
            ),
            (
                "a.yaml",
                "s: {port: 80, host: a}\n",
                "port",
                "81",
                "s: {port: 81, host: a}\n",
            ),
        ] {
            let lines = Lines { path, text };
            let action = lines.set_inline(key, (to, false)).unwrap();
            assert_eq!(applied(text, &action), after, "{path}: {key}");
        }
        for (path, text, key) in [
            ("a.json", "{\"a\":{\"p\":1},\"b\":{\"p\":1}}\n", "p"),
            ("a.json", "{\"a\":[1,2]}\n", "a"),
            ("a.txt", "a { p = 1 }\n", "p"),
        ] {
            assert_eq!(
                Lines { path, text }.set_inline(key, ("2", false)),
                None,
                "{text}"
            );
        }
    }
}
