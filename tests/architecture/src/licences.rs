//! What may be in the dependency tree: licences, banned crates and sources, as deny.toml says.
//!
//! The file is cargo-deny's, so that who has that program may run it as well; advisories, which need
//! a database from the network, are checked by it alone.

use crate::Violation;

/// One crate of the tree that is not ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What its manifest says of its licence, an SPDX expression.
    pub licence: Option<String>,
    /// Where it is from; `None` for a folder.
    pub source: Option<String>,
}

/// What deny.toml allows and bans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Licences, each an SPDX id with its exception.
    pub licences: Vec<String>,
    /// Names of crates.
    pub banned: Vec<String>,
}

impl Policy {
    /// Reads deny.toml: the list under `[licenses]`, and the crates under `[bans]`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let section = |name: &str| {
            let rest = text.split_once(&format!("\n[{name}]\n"));
            let rest = rest.map_or("", |(_, rest)| rest);
            rest.split("\n[").next().unwrap_or(rest)
        };
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_owned);
        let licences = section("licenses").lines().map(str::trim);
        let licences = licences.filter(|line| line.starts_with('"'));
        let banned = section("bans").lines().map(str::trim);
        let banned = banned.filter(|line| line.starts_with("{ crate"));
        Self {
            licences: licences.filter_map(quoted).collect(),
            banned: banned.filter_map(quoted).collect(),
        }
    }
}

/// The one registry.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Every dependency with a licence that is not allowed or not stated, that is banned, or that is from
/// elsewhere.
#[must_use]
pub fn check(all: &[Dependency], policy: &Policy) -> Vec<Violation> {
    let mut found = Vec::new();
    for one in all {
        let name = format!("{} {}", one.name, one.version);
        let mut refuse = |why: String| found.push(Violation::of(&name, why));
        match &one.licence {
            None => refuse("states no licence".to_owned()),
            Some(text) if !is_allowed(text, &policy.licences) => {
                refuse(format!(
                    "is licensed `{text}`, which deny.toml does not allow"
                ));
            }
            Some(_) => {}
        }
        if policy.banned.contains(&one.name) {
            refuse("is banned in deny.toml, which says why".to_owned());
        }
        if let Some(source) = one.source.as_ref().filter(|source| *source != REGISTRY) {
            refuse(format!(
                "is from {source}: only crates.io and our own folders are sources"
            ));
        }
    }
    found
}

/// Whether an SPDX expression can be met with these licences: of `OR` one side, of `AND` both.
fn is_allowed(expression: &str, licences: &[String]) -> bool {
    // Of old the two were separated by a slash.
    let text = expression.replace('/', " OR ");
    let text = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut reader = Reader {
        words: &words,
        licences,
    };
    let is_met = reader.either();
    // What cannot be read to its end allows nothing.
    is_met && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    licences: &'a [String],
}

impl Reader<'_> {
    fn next_is(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    fn either(&mut self) -> bool {
        let mut is_met = self.both();
        while self.next_is("OR") {
            is_met |= self.both();
        }
        is_met
    }

    fn both(&mut self) -> bool {
        let mut is_met = self.one();
        while self.next_is("AND") {
            is_met &= self.one();
        }
        is_met
    }

    fn one(&mut self) -> bool {
        if self.next_is("(") {
            let is_met = self.either();
            return self.next_is(")") && is_met;
        }
        let Some((id, rest)) = self.words.split_first() else {
            return false;
        };
        self.words = rest;
        let mut name = (*id).to_owned();
        if self.next_is("WITH")
            && let Some((exception, rest)) = self.words.split_first()
        {
            name = format!("{name} WITH {exception}");
            self.words = rest;
        }
        self.licences.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
[licenses]
version = 2
allow = [
  "MIT",
  "Apache-2.0 WITH LLVM-exception",
]

[bans]
deny = [
  { crate = "openssl-sys", reason = "no \"OpenSSL\"" },
]

[sources]
"#;

    fn dependency(name: &str, licence: &str) -> Dependency {
        Dependency {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: Some(licence.to_owned()),
            source: Some(REGISTRY.to_owned()),
        }
    }

    #[test]
    fn expressions_are_met_as_spdx_reads_them() {
        let policy = Policy::read(FILE);
        for (licence, is_met) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT/GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("GPL-3.0 OR MIT AND BSD-3-Clause", false),
            ("(GPL-3.0 OR MIT) AND MIT", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("MIT WITH LLVM-exception", false),
            ("(MIT", false),
            ("MIT)", false),
            ("", false),
        ] {
            let found = check(&[dependency("a", licence)], &policy);
            assert_eq!(found.is_empty(), is_met, "{licence}: {found:?}");
        }
    }

    #[test]
    fn what_is_banned_unlicensed_or_from_elsewhere_is_caught() {
        let policy = Policy::read(FILE);
        let mut unlicensed = dependency("a", "MIT");
        unlicensed.licence = None;
        let mut elsewhere = dependency("a", "MIT");
        elsewhere.source = Some("git+https://example.org/a".to_owned());
        for bad in [dependency("openssl-sys", "MIT"), unlicensed, elsewhere] {
            assert_eq!(
                check(std::slice::from_ref(&bad), &policy).len(),
                1,
                "{bad:?}"
            );
        }
        let mut ours = dependency("a", "MIT");
        ours.source = None;
        assert_eq!(check(&[ours], &policy), []);
    }
}
