//! HTML as readable text, in one pass over the source and in time linear to it, whatever the
//! source is: nothing is nested, so nothing can be nested too deeply.

/// Elements whose content no reader sees.
const UNSEEN: [&str; 9] = [
    "script", "style", "noscript", "template", "svg", "iframe", "object", "title", "textarea",
];
/// Elements that begin and end a line.
const BLOCKS: [&str; 31] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "p",
    "pre",
    "section",
    "table",
    "tr",
];
/// Character references that are common in text.
const REFERENCES: [(&str, char); 16] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("copy", '©'),
    ("euro", '€'),
    ("middot", '·'),
];
/// Longest character reference looked at, bytes.
const REFERENCE_BYTES: usize = 12;

/// The text a reader sees: headings and list items marked as in Markdown, cells and blocks apart,
/// link addresses behind their text, comments and scripts left out.
pub(crate) fn to_text(source: &str) -> String {
    let mut page = Page::default();
    let mut rest = source;
    while !rest.is_empty() {
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            page.words(&rest[..end]);
            rest = &rest[end..];
            continue;
        };
        rest = match tag.as_bytes() {
            [b'!', b'-', b'-', ..] => after(&tag[3..], "-->"),
            [b'!' | b'?', ..] => after(tag, ">"),
            [b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                let (tag, rest) = cut_tag(&tag[1..]);
                page.close(&name_of(tag));
                rest
            }
            [letter, ..] if letter.is_ascii_alphabetic() => {
                let (tag, rest) = cut_tag(tag);
                let name = name_of(tag);
                page.open(&name, tag);
                match UNSEEN.contains(&name.as_str()) && !tag.ends_with('/') {
                    true => after_element(rest, &name),
                    false => rest,
                }
            }
            _ => {
                page.words("<");
                tag
            }
        };
    }
    page.finish()
}

fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

/// A tag's inside and what follows it; a `>` inside quotes does not end it.
fn cut_tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return (&text[..at], &text[at + 1..]),
            (None, b'"' | b'\'') if text[..at].trim_end().ends_with('=') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    (text, "")
}

fn name_of(tag: &str) -> String {
    let end = tag
        .find(|c: char| c.is_ascii_whitespace() || c == '/')
        .unwrap_or(tag.len());
    tag[..end].to_ascii_lowercase()
}

/// What follows the end tag of an element whose content is no markup.
fn after_element<'a>(text: &'a str, name: &str) -> &'a str {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at + 2;
        let is_it = bytes
            .get(start..start + name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        if is_it {
            return after(&text[start..], ">");
        }
        from = start;
    }
    ""
}

/// The address of a link, if it is one worth showing.
fn address(tag: &str) -> Option<String> {
    let at = tag.to_ascii_lowercase().find("href")?;
    let value = tag[at + 4..].trim_start().strip_prefix('=')?.trim_start();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
        _ => value.split_ascii_whitespace().next(),
    }?;
    (value.starts_with("http")).then(|| decoded(value))
}

fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let window = &rest[..rest.floor_char_boundary(REFERENCE_BYTES)];
        let reference = window[1..]
            .split_once(';')
            .and_then(|(name, _)| Some((name, referred(name)?)));
        match reference {
            Some((name, c)) => {
                out.push(c);
                rest = &rest[name.len() + 2..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn referred(name: &str) -> Option<char> {
    let number = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => digits.parse(),
        },
        None => {
            return REFERENCES
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, c)| *c);
        }
    };
    number.map_or(None, char::from_u32)
}

#[derive(Default)]
struct Page {
    out: String,
    /// A space or line break that is written only if more text follows on the same line.
    gap: bool,
    breaks: usize,
    preformatted: bool,
    link: Option<String>,
}

impl Page {
    fn words(&mut self, text: &str) {
        let text = decoded(text);
        if self.preformatted {
            self.place();
            self.out.push_str(&text);
            return;
        }
        self.gap |= text.starts_with(|c: char| c.is_whitespace());
        for word in text.split_whitespace() {
            self.place();
            self.out.push_str(word);
            self.gap = true;
        }
        self.gap =
            text.ends_with(|c: char| c.is_whitespace()) || (self.gap && text.trim().is_empty());
    }

    /// Writes what is due before more text.
    fn place(&mut self) {
        if !self.out.is_empty() {
            let due = self.breaks.min(2);
            self.out.extend(std::iter::repeat_n('\n', due));
            if due == 0 && self.gap && !self.out.ends_with('\n') {
                self.out.push(' ');
            }
        }
        (self.gap, self.breaks) = (false, 0);
    }

    fn mark(&mut self, mark: &str) {
        self.place();
        self.out.push_str(mark);
    }

    fn open(&mut self, name: &str, tag: &str) {
        self.link = if name == "a" {
            address(tag)
        } else {
            self.link.take()
        };
        match name {
            "br" => self.breaks += 1,
            "td" | "th" if self.breaks == 0 && !self.out.is_empty() => self.mark(" | "),
            "p" | "table" | "pre" | "blockquote" => self.breaks = 2,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.breaks = 2;
                let level = name[1..].parse().unwrap_or(1);
                self.mark(&format!("{} ", "#".repeat(level)));
            }
            _ if BLOCKS.contains(&name) => self.breaks = self.breaks.max(1),
            _ => {}
        }
        match name {
            "li" => self.mark("- "),
            "pre" => self.preformatted = true,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "a" => {
                if let Some(address) = self.link.take() {
                    self.gap = false;
                    self.mark(&format!(" ({address})"));
                }
            }
            "p" | "table" | "pre" | "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.breaks = 2;
            }
            _ if BLOCKS.contains(&name) => self.breaks = self.breaks.max(1),
            _ => {}
        }
        if name == "pre" {
            self.preformatted = false;
        }
    }

    fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_as_a_person_would_read_it() {
        let page = "<!DOCTYPE html><html><head><title>t</title><style>p{}</style>\
            <script>if (a<b) evil('</p>')</script></head><body><!-- <p>hidden -->\
            <h1>The  Title</h1>\n<p>Some <b>bold</b> text&nbsp;&amp; <a href=\"https://x.org/?a=1&amp;b\">a \
            link</a>.</p><ul><li>one<li>two</ul><table><tr><td>a</td><td>b</td></tr></table>\
            <pre>x\n  y</pre>1 < 2 &unknown; &#228;&#x20ac;<img alt='a>b' src=x>end</body>";
        assert_eq!(
            to_text(page),
            "# The Title\n\nSome bold text & a link (https://x.org/?a=1&b).\n\n- one\n- two\n\na | \
             b\n\nx\n  y\n\n1 < 2 &unknown; ä€end\n"
        );
    }

    #[test]
    fn broken_and_hostile_sources_end_soon() {
        let cases = [
            "<",
            "<!--",
            "<!",
            "<a href=",
            "</",
            "<script>x",
            "<p",
            "&",
            "&#;",
            "&#xffffffffff;",
            "<a href='x",
        ];
        for case in cases {
            to_text(case);
        }
        assert_eq!(
            to_text(&format!("{}deep", "<div>".repeat(200_000))),
            "deep\n"
        );
        assert_eq!(to_text(&"<a href=\"".repeat(100_000)).len(), 1);
        assert_eq!(to_text(&"<script></scrip".repeat(100_000)).len(), 1);
        assert_eq!(to_text(&"&amp".repeat(100_000)).len(), 400_001);
    }
}
