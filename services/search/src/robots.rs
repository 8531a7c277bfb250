//! A site's robots rules, read as RFC 9309 says. Pure, and linear in what the site sent: patterns
//! are matched without backtracking and never become regular expressions.

use std::time::Duration;

/// The name that rules are looked up by.
pub(crate) const AGENT: &str = "housecarl";
/// Most rules of one group that are kept.
const RULES: usize = 2_000;
/// Longest pattern, bytes; a longer one is left out.
const PATTERN_BYTES: usize = 2_048;

/// What a site allows us.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    /// The pause that the site asks for. No standard has it, and many sites do.
    pub(crate) delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    allows: bool,
    pattern: String,
}

/// The groups that may be ours while the rules are read.
#[derive(Default)]
struct Groups {
    ours: Rules,
    everyone: Rules,
    has_ours: bool,
}

impl Rules {
    /// Reads what a site sent.
    pub(crate) fn parse(text: &str) -> Self {
        let mut groups = Groups::default();
        // Whether the rules that follow are for us, for everyone; and whether agents are still
        // being named.
        let (mut for_us, mut for_all, mut naming) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or("");
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if key == "user-agent" {
                if !naming {
                    (for_us, for_all, naming) = (false, false, true);
                }
                for_us |= is_us(value);
                for_all |= value == "*";
                groups.has_ours |= for_us;
                continue;
            }
            let is_rule = ["allow", "disallow", "crawl-delay"].contains(&key.as_str());
            naming &= !is_rule;
            if for_us {
                groups.ours.take(&key, value);
            }
            if for_all {
                groups.everyone.take(&key, value);
            }
        }
        if groups.has_ours {
            groups.ours
        } else {
            groups.everyone
        }
    }

    /// Rules that forbid everything.
    pub(crate) fn closed() -> Self {
        Self {
            rules: vec![Rule {
                allows: false,
                pattern: "/".to_owned(),
            }],
            delay: None,
        }
    }

    fn take(&mut self, key: &str, value: &str) {
        match key {
            "crawl-delay" => {
                if let Ok(secs) = value.parse::<f32>()
                    && let Ok(delay) = Duration::try_from_secs_f32(secs)
                {
                    self.delay = Some(delay);
                }
            }
            "allow" | "disallow" => {
                // An empty pattern forbids and allows nothing.
                let is_pattern = value.starts_with(['/', '*']) && value.len() <= PATTERN_BYTES;
                if is_pattern && self.rules.len() < RULES {
                    self.rules.push(Rule {
                        allows: key == "allow",
                        pattern: same_spelling(value),
                    });
                }
            }
            _ => {}
        }
    }

    /// Whether a path, with its query, may be fetched: the longest pattern decides, and of two as
    /// long the one that allows.
    pub(crate) fn allow(&self, path: &str) -> bool {
        let path = same_spelling(path);
        let matching = self
            .rules
            .iter()
            .filter(|rule| matches(&rule.pattern, &path));
        matching
            .max_by_key(|rule| (rule.pattern.len(), rule.allows))
            .is_none_or(|rule| rule.allows)
    }
}

/// Whether a line names us: the product token, whatever its case, with or without a version.
fn is_us(value: &str) -> bool {
    let end = value
        .find(|c: char| !(c.is_ascii_alphabetic() || c == '-' || c == '_'))
        .unwrap_or(value.len());
    value[..end].eq_ignore_ascii_case(AGENT)
}

/// One spelling of a path: characters beyond ASCII percent-encoded, hexadecimal digits in capitals,
/// letters and digits that need no code without one (RFC 9309, section 2.2.2).
fn same_spelling(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let coded = bytes.get(at + 1..at + 3).and_then(hex);
        match (byte, coded) {
            (b'%', Some(code)) => {
                if code.is_ascii_alphanumeric() || b"-._~".contains(&code) {
                    out.push(char::from(code));
                } else {
                    out.push_str(&format!("%{code:02X}"));
                }
                at += 3;
                continue;
            }
            (0x80.., _) => out.push_str(&format!("%{byte:02X}")),
            _ => out.push(char::from(byte)),
        }
        at += 1;
    }
    out
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digit(digits[0])? * 16 + digit(digits[1])?;
    u8::try_from(value).ok()
}

/// Whether a pattern with `*` and a last `$` fits the beginning of a path. The pieces between the
/// stars are found from left to right, each at its first place: no choice is ever taken back.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_the_end) = match pattern.strip_suffix('$') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let last = if to_the_end { pieces.pop() } else { None };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => !to_the_end || rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pattern_decides_and_allowing_wins_a_tie() {
        let rules = Rules::parse(
            "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.cgi$\n\
             Disallow: /same\nAllow: /same\nDisallow:\n",
        );
        for (path, allowed) in [
            ("/", true),
            ("/private", false),
            ("/privateer", false),
            ("/private/x?y=1", false),
            ("/private/open/x", true),
            ("/a/b.cgi", false),
            ("/a/b.cgi?x", true),
            ("/same", true),
        ] {
            assert_eq!(rules.allow(path), allowed, "{path}");
        }
    }

    #[test]
    fn a_group_of_ours_comes_before_the_one_for_everyone() {
        let text = "# comment\nUser-Agent: other\nUser-agent: HouseCarl/1.0 # us\nDisallow: /a\n\
                    Crawl-delay: 2.5\n\nUser-agent: *\nDisallow: /\n\nUser-agent: housecarl\n\
                    Disallow: /b";
        let rules = Rules::parse(text);
        assert!(rules.allow("/") && !rules.allow("/a") && !rules.allow("/b"));
        assert_eq!(rules.delay, Some(Duration::from_millis(2_500)));
        let all = Rules::parse("User-agent: housecarlotta\nDisallow: /\n\nUser-agent: *\nAllow: /");
        assert!(all.allow("/x"), "a longer name is another's");
    }

    #[test]
    fn one_path_in_two_spellings_is_one_path() {
        let rules = Rules::parse("user-agent: *\ndisallow: /ä/%7euser\ndisallow: /a%2fb");
        assert!(!rules.allow("/%c3%a4/~user/x"));
        assert!(!rules.allow("/a%2Fb"));
        assert!(rules.allow("/a/b"), "a coded slash is no slash");
    }

    #[test]
    fn patterns_are_matched_in_one_pass() {
        assert!(matches("/a*b*c", "/a1b2c3"));
        assert!(!matches("/a*b*c", "/a1c2b3"));
        assert!(matches("/*$", "/anything"));
        assert!(matches("/x$", "/x") && !matches("/x$", "/xy"));
        assert!(matches("*/end$", "/a/end") && !matches("/a*a$", "/a"));
        // What takes a careless matcher longer than the universe has left.
        let stars = format!("/{}b", "a*".repeat(1_000));
        assert!(!matches(&stars, &format!("/{}", "a".repeat(2_000))));
    }

    #[test]
    fn nonsense_forbids_nothing_and_is_bounded() {
        assert!(Rules::parse("<html>not found</html>").allow("/"));
        assert!(Rules::parse("Disallow: /").allow("/"), "for nobody");
        assert!(!Rules::closed().allow("/"));
        let many = format!("User-agent: *\n{}", "Disallow: /x\n".repeat(RULES + 1));
        assert_eq!(Rules::parse(&many).rules.len(), RULES);
        let long = "x".repeat(PATTERN_BYTES);
        assert!(
            Rules::parse(&format!("user-agent: *\ndisallow: /{long}"))
                .rules
                .is_empty()
        );
        for delay in ["nan", "-1", "inf", "1e30", "x"] {
            let rules = Rules::parse(&format!("user-agent: *\ncrawl-delay: {delay}"));
            assert_eq!(rules.delay, None, "{delay}");
        }
    }
}
