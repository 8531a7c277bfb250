//! The text of office documents (docx, odt): parts of a zip archive, read as XML, with headings, lists
//! and tables as Markdown has them. Runs in the sandbox only.

use domain::limits::{DOCUMENT_TEXT_BYTES, DOCUMENT_XML_BYTES};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::io::{BufRead, BufReader, Cursor, Read};
use zip::ZipArchive;

/// Where the text lies.
const PARTS: [&str; 2] = ["word/document.xml", "content.xml"];

/// Where a docx keeps what its text refers to.
const NOTES: [&str; 2] = ["word/footnotes.xml", "word/endnotes.xml"];

/// The deepest heading that Markdown has.
const HEADING_LEVELS: usize = 6;

/// The text of a document, a paragraph a line, as much as fits [`DOCUMENT_TEXT_BYTES`] and a little
/// more, so that the reader's own limit sees that there is more.
pub(crate) fn text_of(bytes: &[u8]) -> Result<String, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let main = PARTS
        .into_iter()
        .find(|part| archive.index_for_name(part).is_some())
        .ok_or("it is neither a docx nor an odt document")?;
    let mut writer = Writer::default();
    // What it claims to unpack to is its own word; what it does unpack to is counted, over all parts.
    let mut left = DOCUMENT_XML_BYTES;
    for part in [main].into_iter().chain(NOTES) {
        if archive.index_for_name(part).is_none() {
            continue;
        }
        let part = archive.by_name(part).map_err(|e| e.to_string())?;
        let mut counted = Counted { inner: part, left };
        writer.read(BufReader::new(&mut counted))?;
        left = counted.left;
    }
    Ok(writer.text)
}

/// A reader that fails beyond a limit, so that what is cut is not taken for a whole.
struct Counted<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            std::io::Error::other(format!(
                "it unpacks to more than {DOCUMENT_XML_BYTES} bytes"
            ))
        })?;
        Ok(count)
    }
}

/// Writes the text down as it comes.
#[derive(Default)]
struct Writer {
    text: String,
    /// How many elements that hold text are open.
    open: usize,
    /// How many table cells are open: a table may stand in another's cell.
    cells: usize,
}

impl Writer {
    fn read(&mut self, source: impl BufRead) -> Result<(), String> {
        let mut reader = Reader::from_reader(source);
        let mut buffer = Vec::new();
        while self.text.len() <= DOCUMENT_TEXT_BYTES {
            buffer.clear();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Eof) => break,
                Ok(event) => self.take(&event)?,
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    fn take(&mut self, event: &Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(element) => self.begin(element),
            Event::Empty(element) => {
                self.mark(element);
                if element.name().as_ref() == "table:table-cell" {
                    self.text.push_str("| ");
                }
            }
            Event::End(element) => self.end(element.name().as_ref()),
            Event::Text(text) if self.open > 0 => self.text.push_str(text),
            Event::CData(text) if self.open > 0 => self.text.push_str(text),
            Event::GeneralRef(reference) if self.open > 0 => self.reference(reference)?,
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "w:t" | "text:p" => self.open += 1,
            "text:h" => {
                self.open += 1;
                let level = attribute(element, "text:outline-level");
                self.heading(level.and_then(|level| level.parse().ok()).unwrap_or(1));
            }
            "text:list-item" => self.item(),
            "w:tc" | "table:table-cell" => {
                self.text.push_str("| ");
                self.cells += 1;
            }
            _ => self.mark(element),
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "w:t" => self.open = self.open.saturating_sub(1),
            "text:p" | "text:h" => {
                self.open = self.open.saturating_sub(1);
                self.end_paragraph();
            }
            "w:p" => self.end_paragraph(),
            "w:tc" | "table:table-cell" => self.cells = self.cells.saturating_sub(1),
            "w:tr" | "table:table-row" => {
                self.text.push('|');
                self.end_paragraph();
            }
            _ => {}
        }
    }

    /// A line; within a cell a blank, so that a row stays one line.
    fn end_paragraph(&mut self) {
        self.text.push(match self.cells {
            0 => '\n',
            _ => ' ',
        });
    }

    /// What stands for itself: blanks and breaks, and how a paragraph begins.
    fn mark(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "w:tab" | "text:tab" => self.text.push('\t'),
            "w:br" | "w:cr" | "text:line-break" => self.text.push('\n'),
            "text:s" => self.text.push(' '),
            "w:pStyle" => {
                let style = attribute(element, "w:val").unwrap_or_default();
                match style.strip_prefix("Heading").map(str::parse) {
                    Some(Ok(level)) => self.heading(level),
                    _ if style == "Title" => self.heading(1),
                    _ => {}
                }
            }
            "w:numPr" => self.item(),
            "w:footnoteReference" | "w:endnoteReference" => self.note(element, ""),
            // The separator lines above notes are kept as notes, with a type.
            "w:footnote" | "w:endnote" if attribute(element, "w:type").is_none() => {
                self.note(element, ": ");
            }
            _ => {}
        }
    }

    fn heading(&mut self, level: usize) {
        // A numbered heading is no list item.
        if self.is_at_line_start() {
            let level = level.clamp(1, HEADING_LEVELS);
            self.text.extend(std::iter::repeat_n('#', level));
            self.text.push(' ');
        }
    }

    fn item(&mut self) {
        if self.is_at_line_start() {
            self.text.push_str("- ");
        }
    }

    fn note(&mut self, element: &BytesStart<'_>, after: &str) {
        let id = attribute(element, "w:id").unwrap_or_default();
        self.text.push_str(&format!("[^{id}]{after}"));
    }

    fn is_at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// A character by its number or one of the five names that XML has. A document's own names are
    /// not followed: that is how a small file becomes a large one.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), String> {
        let number = reference.resolve_char_ref().map_err(|e| e.to_string())?;
        let name: &str = reference;
        let character = number.or(match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => None,
        });
        self.text.extend(character);
        Ok(())
    }
}

/// An attribute of an element; one that cannot be read is absent.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.try_get_attribute(name).ok().flatten();
    found.map(|found| found.value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn packed(part: &str, xml: &[u8]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer
            .start_file(part, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(xml).unwrap();
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn both_formats_give_a_paragraph_a_line() {
        let docx = "<w:document><w:body><w:p><w:r><w:t>Dear A &amp; B</w:t><w:tab/><w:t>x&#233;</w:t></w:r></w:p>\
                    <w:p><w:r><w:instrText>HYPERLINK</w:instrText><w:t>Bye.</w:t></w:r></w:p></w:body></w:document>";
        let text = text_of(&packed("word/document.xml", docx.as_bytes())).unwrap();
        assert_eq!(text, "Dear A & B\txé\nBye.\n");
        let odt = "<office:text><text:h>Title</text:h><text:p>One<text:s/>two <text:span>three</text:span></text:p></office:text>";
        let text = text_of(&packed("content.xml", odt.as_bytes())).unwrap();
        assert_eq!(text, "# Title\nOne two three\n");
    }

    #[test]
    fn headings_lists_tables_and_notes_are_kept() {
        let docx = "<w:body><w:p><w:pPr><w:pStyle w:val=\"Heading2\"/><w:numPr/></w:pPr><w:t>Method</w:t></w:p>\
                    <w:p><w:pPr><w:numPr/></w:pPr><w:t>first</w:t></w:p>\
                    <w:tbl><w:tr><w:tc><w:p><w:t>Year</w:t></w:p></w:tc><w:tc><w:p><w:t>Sum</w:t></w:p></w:tc></w:tr>\
                    <w:tr><w:tc><w:p><w:t>2025</w:t></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>\
                    <w:p><w:t>As shown</w:t><w:footnoteReference w:id=\"2\"/></w:p></w:body>";
        let notes = "<w:footnotes><w:footnote w:type=\"separator\" w:id=\"0\"><w:p/></w:footnote>\
                     <w:footnote w:id=\"2\"><w:p><w:t>Smith 2020</w:t></w:p></w:footnote></w:footnotes>";
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (part, xml) in [("word/document.xml", docx), ("word/footnotes.xml", notes)] {
            writer
                .start_file(part, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(xml.as_bytes()).unwrap();
        }
        let text = text_of(&writer.finish().unwrap().into_inner()).unwrap();
        assert_eq!(
            text,
            "## Method\n- first\n| Year | Sum |\n| 2025 | |\nAs shown[^2]\n[^2]: Smith 2020\n"
        );
        let odt = "<office:text><text:h text:outline-level=\"3\">Aims</text:h>\
                   <text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>\
                   <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>\
                   <table:table-cell/></table:table-row></table:table></office:text>";
        let text = text_of(&packed("content.xml", odt.as_bytes())).unwrap();
        assert_eq!(text, "### Aims\n- one\n| a | |\n");
    }

    #[test]
    fn what_is_no_document_is_refused_with_the_reason() {
        let other = packed("notes.txt", b"hello");
        assert!(text_of(&other).unwrap_err().contains("neither"));
        assert!(text_of(b"PK\x03\x04 not a zip").is_err());
        assert!(text_of(&packed("content.xml", b"<a><b></a>")).is_err());
    }

    #[test]
    fn a_bomb_ends_at_its_limit_and_names_of_its_own_are_not_followed() {
        let size = usize::try_from(DOCUMENT_XML_BYTES).unwrap() + 1;
        let bomb = packed("content.xml", &vec![b' '; size]);
        assert!(bomb.len() < size / 500, "it is small while it is packed");
        assert!(text_of(&bomb).unwrap_err().contains("unpacks to more"));
        let laughs =
            "<!DOCTYPE a [<!ENTITY l \"lol\"><!ENTITY m \"&l;&l;\">]><text:p>a&m;b</text:p>";
        let text = text_of(&packed("content.xml", laughs.as_bytes())).unwrap();
        assert_eq!(text, "ab\n");
    }
}
