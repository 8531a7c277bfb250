//! The text of office documents (docx, odt): one part of a zip archive, read as XML. Runs in the
//! sandbox only.

use domain::limits::{DOCUMENT_TEXT_BYTES, DOCUMENT_XML_BYTES};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use std::io::{BufRead, BufReader, Cursor, Read};
use zip::ZipArchive;

/// Where the text lies.
const PARTS: [&str; 2] = ["word/document.xml", "content.xml"];

/// The text of a document, a paragraph a line, as much as fits [`DOCUMENT_TEXT_BYTES`] and a little
/// more, so that the reader's own limit sees that there is more.
pub(super) fn text_of(bytes: &[u8]) -> Result<String, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let part = PARTS
        .into_iter()
        .find(|part| archive.index_for_name(part).is_some())
        .ok_or("it is neither a docx nor an odt document")?;
    let part = archive.by_name(part).map_err(|e| e.to_string())?;
    // What it claims to unpack to is its own word; what it does unpack to is counted.
    let mut counted = Counted {
        inner: part,
        left: DOCUMENT_XML_BYTES,
    };
    paragraphs(BufReader::new(&mut counted))
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

fn paragraphs(source: impl BufRead) -> Result<String, String> {
    let mut reader = Reader::from_reader(source);
    let mut writer = Writer::default();
    let mut buffer = Vec::new();
    while writer.text.len() <= DOCUMENT_TEXT_BYTES {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => writer.take(&event)?,
            Err(quick_xml::Error::Io(error)) => return Err(error.to_string()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(writer.text)
}

/// Writes the text down as it comes.
#[derive(Default)]
struct Writer {
    text: String,
    /// How many elements that hold text are open.
    open: usize,
}

impl Writer {
    fn take(&mut self, event: &Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(element) => match element.name().as_ref() {
                "w:t" | "text:p" | "text:h" => self.open += 1,
                name => self.mark(name),
            },
            Event::Empty(element) => self.mark(element.name().as_ref()),
            Event::End(element) => match element.name().as_ref() {
                "w:t" => self.open = self.open.saturating_sub(1),
                "text:p" | "text:h" => {
                    self.open = self.open.saturating_sub(1);
                    self.text.push('\n');
                }
                "w:p" => self.text.push('\n'),
                _ => {}
            },
            Event::Text(text) if self.open > 0 => self.text.push_str(text),
            Event::CData(text) if self.open > 0 => self.text.push_str(text),
            Event::GeneralRef(reference) if self.open > 0 => self.reference(reference)?,
            _ => {}
        }
        Ok(())
    }

    /// Blanks and breaks have elements of their own.
    fn mark(&mut self, name: &str) {
        match name {
            "w:tab" | "text:tab" => self.text.push('\t'),
            "w:br" | "w:cr" | "text:line-break" => self.text.push('\n'),
            "text:s" => self.text.push(' '),
            _ => {}
        }
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
        assert_eq!(text, "Title\nOne two three\n");
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
