//! A text for a Markdown document in which nothing of it acts: no picture is loaded, no HTML is
//! drawn, no link hides where it leads. By a list of what may stand, not of what may not: readers of
//! Markdown differ, and decode references and escapes before they look.

use std::ops::Range;

/// Schemes of links that say by themselves where they lead.
const PLAIN_SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Where the text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Amid other text of a line, a list or a quotation.
    Within,
    /// By itself from the first column on: code that every reader takes for code stays as it is.
    Alone,
}

/// The text with everything that would act escaped. `is_given` says which addresses the user gave:
/// pictures and links to exactly those stay.
#[must_use]
pub fn disarmed(text: &str, place: Place, is_given: impl Fn(&str) -> bool) -> String {
    let (code, is_open) = match place {
        Place::Within => (Vec::new(), false),
        Place::Alone => code(text),
    };
    let mut out = String::with_capacity(text.len() + 16);
    let mut slashes = 0_usize;
    let mut code = code.into_iter().peekable();
    for (at, c) in text.char_indices() {
        while code.next_if(|range| range.end <= at).is_some() {}
        let is_code = code.peek().is_some_and(|range| range.contains(&at));
        let is_escaped = slashes % 2 == 1;
        if !is_code && !is_escaped && acts(&text[..at], &text[at..], &is_given) {
            out.push('\\');
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        out.push(c);
    }
    if is_open {
        // What follows in the document is not part of it.
        out.push_str("\n```");
    }
    out
}

/// Whether the character that `rest` begins with would make something act.
fn acts(before: &str, rest: &str, is_given: &impl Fn(&str) -> bool) -> bool {
    let mut behind = rest.chars();
    let first = behind.next();
    let behind = behind.as_str();
    let picture = || {
        let shown = behind.split_once("](");
        let address = shown.and_then(|(words, rest)| Some((words, rest.split_once(')')?.0)));
        address.is_some_and(|(words, address)| {
            !words.contains(['[', ']', '\\', '`', '<']) && is_plain(address) && is_given(address)
        })
    };
    match first {
        Some('<') => {
            let address = behind.split_once('>').map(|(address, _)| address);
            !address.is_some_and(|address| is_plain(address) && is_given(address))
        }
        Some('[') => before.ends_with('!') && !picture(),
        Some('(') => before.ends_with(']') && !leads_plainly(behind),
        // The definition of what a link or a picture elsewhere leads to.
        Some(':') => before.ends_with(']'),
        _ => false,
    }
}

/// Whether a link's destination is one that reads as what it is: a place in the document or beside
/// it, or an address without anything to decode.
fn leads_plainly(behind: &str) -> bool {
    let end = behind.find([')', '\n']);
    let Some(inside) = end.map(|end| &behind[..end]) else {
        return false;
    };
    let (address, title) = inside.split_once(" \"").unwrap_or((inside, ""));
    let lower = address.to_ascii_lowercase();
    let has_scheme = || PLAIN_SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
    let is_beside = || !address.starts_with('/') && !address.contains(':');
    is_plain(address) && !title.contains('\\') && (has_scheme() || is_beside() || is_path(address))
}

/// `/a/b`, which names no host.
fn is_path(address: &str) -> bool {
    address.starts_with('/') && !address.starts_with("//") && !address.contains(':')
}

/// Whether there is nothing in an address that a reader decodes, trims or ends early.
fn is_plain(address: &str) -> bool {
    let has_reference = address.contains('&') && address.contains(';');
    !has_reference
        && address
            .chars()
            .all(|c| c.is_ascii_graphic() && !"\\<>()[]`\"".contains(c))
}

/// What every reader takes for code, and whether the last of it is not ended. Nothing where readers
/// may differ on where code begins.
fn code(text: &str) -> (Vec<Range<usize>>, bool) {
    let mut ranges = Vec::new();
    let mut opened: Option<usize> = None;
    let mut outside = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let is_fence = bare.starts_with("```") && !bare.starts_with("````");
        match opened {
            Some(from) if is_fence && bare.trim_end() == "```" => {
                ranges.push(from..at);
                opened = None;
            }
            Some(_) if is_fence_like(bare) => return (Vec::new(), false),
            Some(_) => {}
            None if is_fence && is_language(&bare[3..]) => opened = Some(at),
            None if is_fence_like(bare) => return (Vec::new(), false),
            None => outside.push((at, bare)),
        }
        at += line.len();
    }
    ranges.extend(opened.map(|from| from..text.len()));
    ranges.extend(spans(&outside));
    ranges.sort_by_key(|range| range.start);
    (ranges, opened.is_some())
}

fn is_language(info: &str) -> bool {
    let info = info.trim_end();
    info.chars()
        .all(|c| c.is_ascii_alphanumeric() || "_+#.-".contains(c))
}

/// Whether a line may begin or end a block of code, wherever it stands.
fn is_fence_like(line: &str) -> bool {
    let is_before = |c: char| c.is_whitespace() || c.is_ascii_digit() || ">-*+.)".contains(c);
    let line = line.trim_start_matches(is_before);
    line.starts_with("```") || line.starts_with("~~~")
}

/// Code within the lines: only where each line has its own, so that none can reach into another.
fn spans(lines: &[(usize, &str)]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for (at, line) in lines {
        // A cell of a table ends code that goes on in the next.
        let is_doubtful = line.contains("\\`") || line.contains('|') && line.contains('`');
        let runs = runs(line);
        let is_paired = runs.chunks(2).all(|pair| match pair {
            [open, close] => open.len() == close.len(),
            _ => false,
        });
        if is_doubtful || !is_paired {
            return Vec::new();
        }
        let pairs = runs
            .chunks(2)
            .filter_map(|pair| Some((pair.first()?, pair.last()?)));
        ranges.extend(pairs.map(|(open, close)| at + open.start..at + close.end));
    }
    ranges
}

/// The runs of backticks in a line.
fn runs(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The text as a reader of Markdown or HTML understands an address in it: references to characters
/// decoded, escapes taken away.
#[must_use]
pub fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let escaped = rest.strip_prefix('\\').and_then(|behind| {
            let next = behind.chars().next().filter(char::is_ascii_punctuation)?;
            // What a browser takes for a slash stays one.
            (next != '\\').then_some((next, 2))
        });
        match escaped.or_else(|| reference(rest)) {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Names of characters that addresses are made of.
const NAMES: [(&str, char); 22] = [
    ("colon", ':'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("period", '.'),
    ("commat", '@'),
    ("quest", '?'),
    ("num", '#'),
    ("amp", '&'),
    ("equals", '='),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("excl", '!'),
    ("lowbar", '_'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
];
/// Longest reference to a character, bytes.
const REFERENCE_BYTES: usize = 12;

/// The character that a text begins with a reference to, and how long that is.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.find(';').filter(|end| *end <= REFERENCE_BYTES)?;
    let name = text.get(1..end)?;
    let c = match name.strip_prefix('#') {
        Some(number) => {
            let hex = number.strip_prefix(['x', 'X']);
            let code = match hex {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(text: &str) -> String {
        disarmed(text, Place::Alone, |address| {
            address == "https://mine.example/a.png"
        })
    }

    #[test]
    fn what_acts_is_escaped() {
        let cases = [
            ("![a](https://e.example/?d)", "!\\[a](https://e.example/?d)"),
            (
                "![a](https&#58;//e.example)",
                "!\\[a]\\(https&#58;//e.example)",
            ),
            ("[a](https\\://e.example)", "[a]\\(https\\://e.example)"),
            ("[a](//e.example)", "[a]\\(//e.example)"),
            ("[a](https:e.example)", "[a]\\(https:e.example)"),
            ("[a]( \nhttps://e.example)", "[a]\\( \nhttps://e.example)"),
            (
                "![a][1]\n\n[1]: //e.example",
                "!\\[a][1]\n\n[1]\\: //e.example",
            ),
            ("[\nb\n]: //e.example", "[\nb\n]\\: //e.example"),
            ("<img src=//e.example>", "\\<img src=//e.example>"),
            ("\\<img> \\\\<img>", "\\<img> \\\\\\<img>"),
            ("<script>x</script>", "\\<script>x\\</script>"),
            ("a ` b\nc ` ![x](h) ` d", "a ` b\nc ` !\\[x](h) ` d"),
            ("\\` ![x](h) `", "\\` !\\[x](h) `"),
            ("| ` | ![x](h) | ` |", "| ` | !\\[x](h) | ` |"),
            ("- a\n  ```\n```\n```\n<b>", "- a\n  ```\n```\n```\n\\<b>"),
            ("~~~\n```\n~~~\n<b>\n```", "~~~\n```\n~~~\n\\<b>\n```"),
            ("```\n````\n<b>\n```", "```\n````\n\\<b>\n```"),
            ("```a`b\n<b>\n```", "```a`b\n\\<b>\n```"),
        ];
        for (text, shown) in cases {
            assert_eq!(alone(text), shown, "{text}");
        }
        let within = |text| disarmed(text, Place::Within, |_| false);
        assert_eq!(within("`<b>`"), "`\\<b>`");
    }

    #[test]
    fn what_does_not_act_stays() {
        for text in [
            "![a](https://mine.example/a.png) <https://mine.example/a.png>",
            "[docs](https://docs.rs/serde/latest) [x](docs/a.md#b) [y](/a/b) [z](mailto:a@b.c)",
            "Use `Vec<u8>` or `b<c>`, für é.",
            "```rust\nlet a: Vec<u8> = x[0](y);\n```\nand `<b>` again",
            "* one\n* two & three; a [note] (really)",
        ] {
            assert_eq!(alone(text), text);
        }
        assert_eq!(alone("```\n<b>"), "```\n<b>\n```");
    }

    #[test]
    fn addresses_read_as_a_reader_decodes_them() {
        for text in [
            "https&#58;//e.example/a",
            "https&colon;&sol;&sol;e.example/a",
            "https\\://e.example/a",
            "&#x68;ttps:&#47;/e&period;example/a",
        ] {
            assert_eq!(decoded(text), "https://e.example/a", "{text}");
        }
        assert_eq!(
            decoded("a & b; C:\\Users &nothing; \\"),
            "a & b; C:\\Users &nothing; \\"
        );
    }
}
