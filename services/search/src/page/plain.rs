//! Rewrites HTML, in one pass, into HTML that can be parsed without surprises.
//!
//! What comes out is well nested, at most [`PAGE_DEPTH`] deep, of at most [`PAGE_ELEMENTS`] elements,
//! and without scripts, styles, comments, frames and what a reader would not see. A parser that
//! builds a tree of it takes time in proportion to its length, whatever the page was made to do to
//! parsers; and there is one reading of it, so nothing can be shown to us and hidden from others.

use domain::limits::{PAGE_DEPTH, PAGE_ELEMENTS};

/// Most of a page's data blocks that are kept, and the largest, bytes.
const DATA_BLOCKS: usize = 8;
const DATA_BYTES: usize = 128 << 10;
/// Longest attribute that is kept, bytes.
const ATTRIBUTE_BYTES: usize = 2_048;
/// Most attributes of one element that are looked at.
const ATTRIBUTES: usize = 64;

/// Elements whose content is no markup: it ends at their own end tag and nowhere before.
const RAW: &[&str] = &[
    "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp",
];
/// Elements that are left out with all they hold.
const LEFT_OUT: &[&str] = &[
    "script", "style", "textarea", "iframe", "noembed", "noframes", "xmp", "noscript", "template",
    "svg", "math", "object", "canvas", "audio", "video", "select", "dialog", "frameset",
];
/// Elements that hold nothing.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Of those, what says something without a picture.
const KEPT_VOID: &[&str] = &["br", "hr", "meta"];
/// Elements that end a paragraph which was not ended.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "div",
    "dl",
    "fieldset",
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
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];
/// Elements that end one of their own kind, with what may stand instead.
const SIBLINGS: &[(&str, &[&str])] = &[
    ("li", &["li"]),
    ("dt", &["dt", "dd"]),
    ("dd", &["dt", "dd"]),
    ("tr", &["tr", "td", "th"]),
    ("td", &["td", "th"]),
    ("th", &["td", "th"]),
    ("option", &["option"]),
];
/// Attributes that tell what an element is for.
const KEPT: &[&str] = &[
    "class",
    "id",
    "role",
    "lang",
    "datetime",
    "pubdate",
    "property",
    "name",
    "content",
    "itemprop",
    "href",
    "rel",
    "http-equiv",
];

/// A page without surprises.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    /// The HTML.
    pub(crate) html: String,
    /// What stood in `script` elements of type `application/ld+json`.
    pub(crate) data: Vec<String>,
}

/// An element that is open.
struct Opened {
    name: String,
    /// Whether it is in what comes out.
    shown: bool,
    /// Whether it is left out with all it holds.
    hides: bool,
}

struct Writer {
    out: Plain,
    open: Vec<Opened>,
    /// How many open elements are left out.
    hidden: usize,
    elements: usize,
}

/// Rewrites a page.
pub(crate) fn rewrite(source: &str) -> Plain {
    let mut writer = Writer {
        out: Plain::default(),
        open: Vec::new(),
        hidden: 0,
        elements: 0,
    };
    let mut rest = source;
    while let Some(at) = rest.find('<') {
        writer.text(&rest[..at]);
        rest = writer.markup(&rest[at..]);
    }
    writer.text(rest);
    writer.close_to(0);
    writer.out
}

impl Writer {
    fn text(&mut self, text: &str) {
        if self.hidden == 0 {
            self.out.html.push_str(&text.replace('<', "&lt;"));
        }
    }

    /// Takes what begins with `<`, and returns what follows it.
    fn markup<'a>(&mut self, source: &'a str) -> &'a str {
        let after = &source[1..];
        if let Some(comment) = after.strip_prefix("!--") {
            return past_comment(comment);
        }
        if after.starts_with(['!', '?']) {
            return past(after, ">");
        }
        if let Some(name) = after.strip_prefix('/') {
            let rest = past(name, ">");
            let name = name_of(name);
            if !name.is_empty() {
                self.close(&name);
            }
            return rest;
        }
        let name = name_of(after);
        if name.is_empty() {
            self.text("<");
            return after;
        }
        let (attributes, rest) = attributes(&after[name.len()..]);
        self.element(name, &attributes, rest)
    }

    /// Takes a start tag, and of an element whose content is no markup the content too.
    fn element<'a>(
        &mut self,
        name: String,
        attributes: &[(String, String)],
        rest: &'a str,
    ) -> &'a str {
        if name == "plaintext" {
            return "";
        }
        if RAW.contains(&name.as_str()) {
            let (content, rest) = raw_content(rest, &name);
            self.raw(&name, attributes, content);
            return rest;
        }
        self.end_implied(&name);
        if VOID.contains(&name.as_str()) {
            if self.hidden == 0 && KEPT_VOID.contains(&name.as_str()) {
                self.start_tag(&name, attributes);
            }
            return rest;
        }
        let leaves_out = LEFT_OUT.contains(&name.as_str()) || is_hidden(attributes);
        let fits = self.open.len() < PAGE_DEPTH && self.elements < PAGE_ELEMENTS;
        if !fits {
            // Without room to note its end, its content is shown rather than all that follows lost.
            self.text(" ");
            return rest;
        }
        let shown = !leaves_out && self.hidden == 0;
        if shown {
            self.start_tag(&name, attributes);
        }
        self.hidden += usize::from(leaves_out);
        let hides = leaves_out;
        self.open.push(Opened { name, shown, hides });
        rest
    }

    fn raw(&mut self, name: &str, attributes: &[(String, String)], content: &str) {
        let is_data = name == "script"
            && attributes.iter().any(|(key, value)| {
                key == "type" && value.eq_ignore_ascii_case("application/ld+json")
            });
        if is_data && content.len() <= DATA_BYTES && self.out.data.len() < DATA_BLOCKS {
            self.out.data.push(content.to_owned());
        }
        if name == "title" && self.hidden == 0 {
            self.out.html.push_str("<title>");
            self.text(content);
            self.out.html.push_str("</title>");
        }
    }

    fn start_tag(&mut self, name: &str, attributes: &[(String, String)]) {
        self.elements += 1;
        let html = &mut self.out.html;
        html.push('<');
        html.push_str(name);
        for (key, value) in attributes {
            if KEPT.contains(&key.as_str()) && value.len() <= ATTRIBUTE_BYTES {
                html.push_str(&format!(
                    " {key}=\"{}\"",
                    value.replace('"', "&quot;").replace('<', "&lt;")
                ));
            }
        }
        html.push('>');
    }

    /// Ends what an element ends by beginning.
    fn end_implied(&mut self, name: &str) {
        let ends: &[&str] = if BLOCKS.contains(&name) {
            &["p"]
        } else {
            let siblings = SIBLINGS.iter().find(|(sibling, _)| *sibling == name);
            siblings.map_or(&[], |(_, ends)| *ends)
        };
        while self
            .open
            .last()
            .is_some_and(|open| ends.contains(&open.name.as_str()))
        {
            self.close_to(self.open.len() - 1);
        }
    }

    /// Takes an end tag: it ends its element and whatever was left open inside. One that ends
    /// nothing is nothing.
    fn close(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
            self.close_to(at);
        }
    }

    fn close_to(&mut self, depth: usize) {
        for closed in self.open.drain(depth..).rev() {
            if closed.shown {
                self.out.html.push_str(&format!("</{}>", closed.name));
            }
            self.hidden -= usize::from(closed.hides);
        }
    }
}

/// Whether a reader is not meant to see an element.
fn is_hidden(attributes: &[(String, String)]) -> bool {
    attributes.iter().any(|(key, value)| match key.as_str() {
        "hidden" => !value.eq_ignore_ascii_case("until-found"),
        "style" => {
            let style: String = value
                .chars()
                .filter(|c| !c.is_whitespace())
                .collect::<String>()
                .to_ascii_lowercase();
            [
                "display:none",
                "visibility:hidden",
                "font-size:0;",
                "font-size:0px",
                "opacity:0;",
            ]
            .iter()
            .any(|hides| style.contains(hides))
                || style.ends_with("font-size:0")
                || style.ends_with("opacity:0")
        }
        _ => false,
    })
}

/// The name that a tag begins with, in lower case; empty when it is none.
fn name_of(text: &str) -> String {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return String::new();
    }
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == ':'))
        .unwrap_or(text.len());
    text[..end].to_ascii_lowercase()
}

/// What follows the first `mark`; nothing when there is none.
fn past<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark).map_or("", |at| &text[at + mark.len()..])
}

/// What follows a comment whose beginning was read.
fn past_comment(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('>').or_else(|| text.strip_prefix("->")) {
        return rest;
    }
    let mut from = 0;
    while let Some(at) = text[from..].find("--") {
        let after = &text[from + at + 2..];
        if let Some(rest) = after.strip_prefix('>').or_else(|| after.strip_prefix("!>")) {
            return rest;
        }
        from += at + 1;
    }
    ""
}

/// The content up to the end tag of an element, and what follows that tag.
fn raw_content<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at + 2;
        let end = start + name.len();
        let is_name = bytes
            .get(start..end)
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        let ends = bytes
            .get(end)
            .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
        if is_name && ends {
            return (&text[..start - 2], past(&text[end..], ">"));
        }
        from = start;
    }
    (text, "")
}

/// The attributes of a tag, and what follows the tag.
fn attributes(text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return (found, "");
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        let stops = |c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/');
        // An equals sign where a name begins is part of it.
        let skip = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[skip..].find(stops).map_or(rest.len(), |at| at + skip);
        let key = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start_matches(|c: char| c.is_ascii_whitespace());
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) =
                attribute_value(after.trim_start_matches(|c: char| c.is_ascii_whitespace()));
        }
        if found.len() < ATTRIBUTES {
            found.push((key, value.to_owned()));
        }
    }
}

fn attribute_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return match inside.find(quote) {
                Some(end) => (&inside[..end], &inside[end + 1..]),
                None => (inside, ""),
            };
        }
    }
    let end = text
        .find(|c: char| c.is_ascii_whitespace() || c == '>')
        .unwrap_or(text.len());
    (&text[..end], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn html(source: &str) -> String {
        rewrite(source).html
    }

    #[test]
    fn what_is_not_read_is_not_there() {
        let source = "<!doctype html><!-- a --><p>b<script>c</p>'</scriptx>'</script >d\
                      <style>e</style><noscript><p>f</noscript>g<svg><text>h</svg>i\
                      <div hidden>j<p>k</div>l<p style='Display : none'>m<div>n</div><img alt=o>";
        assert_eq!(html(source), "<p>bdgi</p>l<div>n</div>");
        assert_eq!(html("a<!-->b<!--->c<!-- -- > --!>d<!-- e"), "abcd");
        assert_eq!(html("a<xmp><p>b</xmp>c<plaintext>d"), "ac");
    }

    #[test]
    fn what_comes_out_is_well_nested() {
        assert_eq!(
            html("<div><b><p>a</div>b</b></p>"),
            "<div><b><p>a</p></b></div>b"
        );
        assert_eq!(html("<ul><li>a<li>b</ul>"), "<ul><li>a</li><li>b</li></ul>");
        assert_eq!(html("a < b <3 </> </3>"), "a &lt; b &lt;3  ");
        assert_eq!(
            html("<a href='x\"y' onclick=\"z\" class = c>d"),
            "<a href=\"x&quot;y\" class=\"c\">d</a>"
        );
    }

    #[test]
    fn depth_and_number_are_kept_and_the_words_stay() {
        let deep = format!("{}word", "<div>".repeat(100_000));
        let plain = html(&deep);
        assert_eq!(plain.matches("<div>").count(), PAGE_DEPTH);
        assert!(plain.contains("word"));
        let many = "<i>a</i>".repeat(PAGE_ELEMENTS + 10);
        let plain = html(&many);
        assert_eq!(plain.matches("<i>").count(), PAGE_ELEMENTS);
        assert_eq!(plain.matches('a').count(), PAGE_ELEMENTS + 10);
    }

    #[test]
    fn data_blocks_are_kept_apart_and_bounded() {
        let block = "<script type=\"application/ld+json\">{\"a\": \"</p>\"}</script>";
        let plain = rewrite(&block.repeat(DATA_BLOCKS + 1));
        assert_eq!(plain.data, vec!["{\"a\": \"</p>\"}"; DATA_BLOCKS]);
        assert_eq!(plain.html, "");
    }

    proptest! {
        #[test]
        fn any_page_comes_out_bounded_and_without_scripts(
            source in "(<[/!]?(div|p|script|b|!--|a href=\"|li|svg)|[ >'\"=/<-]|-->|ä|word){0,80}"
        ) {
            let plain = html(&source);
            for out in ["<script>", "<script ", "<svg>", "<svg ", "<!--"] {
                prop_assert!(!plain.contains(out), "{plain}");
            }
            // Rewriting once more changes nothing but spaces: there is one reading.
            prop_assert_eq!(html(&plain), plain);
        }
    }
}
