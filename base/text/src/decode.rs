//! Files as text: UTF-8, UTF-16 with its mark, and windows-1252, which texts from before UTF-8 are
//! taken for. It has a letter for every byte, so that what an edit leaves alone stays as it was.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// What stands for bytes that are no UTF-8.
const REPLACED: char = '\u{fffd}';

/// Beginnings of documents that are no text, whose readers run in the sandbox.
const DOCUMENTS: [(&[u8], &str); 2] = [(b"%PDF-", "pdf"), (b"PK\x03\x04", "office")];

/// The format of a document that is no text, by the beginning of its file.
#[must_use]
pub fn document_format(bytes: &[u8]) -> Option<&'static str> {
    let known = DOCUMENTS.iter().find(|(start, _)| bytes.starts_with(start));
    known.map(|(_, format)| *format)
}

/// Bytes that are not UTF-8 as text. `None` for what is no text, and for damaged UTF-8, whose other
/// letters are whole.
#[must_use]
pub fn old_text(bytes: &[u8]) -> Option<String> {
    let is_utf8_letter = |c: char| !c.is_ascii() && c != REPLACED;
    let is_damaged = String::from_utf8_lossy(bytes).chars().any(is_utf8_letter);
    if bytes.contains(&0) || document_format(bytes).is_some() || is_damaged {
        return None;
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Some(text.into_owned())
}

/// A text, and what it was read as where that is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// The encoding; `None` for UTF-8.
    pub encoding: Option<&'static str>,
}

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoText {
    /// They are a document of this format.
    Document(&'static str),
    /// They are data that is no text in any encoding known here, or damaged.
    Data,
}

/// A whole file as text.
///
/// # Errors
/// [`NoText`] for what is none.
pub fn text_of(bytes: Vec<u8>) -> Result<Decoded, NoText> {
    if let Some(format) = document_format(&bytes) {
        return Err(NoText::Document(format));
    }
    if let Some((marked, _)) = Encoding::for_bom(&bytes).filter(|(marked, _)| *marked != UTF_8) {
        let (text, has_faults) = marked.decode_with_bom_removal(&bytes);
        return match has_faults {
            true => Err(NoText::Data),
            false => Ok(Decoded {
                text: text.into_owned(),
                encoding: Some(marked.name()),
            }),
        };
    }
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => return Err(NoText::Data),
        Ok(text) => {
            let encoding = None;
            return Ok(Decoded { text, encoding });
        }
        Err(error) => error.into_bytes(),
    };
    let text = old_text(&bytes).ok_or(NoText::Data)?;
    Ok(Decoded {
        text,
        encoding: Some(WINDOWS_1252.name()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_text_documents_and_binaries_are_no_old_text() {
        assert_eq!(old_text(b"gr\xc3\xbcn \xff"), None);
        assert_eq!(old_text(b"a\0\xff"), None);
        assert_eq!(old_text(b"PK\x03\x04\xff"), None);
    }

    #[test]
    fn a_file_is_read_in_the_encoding_that_it_is_in() {
        let read = |bytes: &[u8]| {
            let decoded = text_of(bytes.to_vec());
            decoded.map(|decoded| (decoded.text, decoded.encoding))
        };
        let green = |encoding| Ok(("gr\u{fc}n".to_owned(), encoding));
        assert_eq!(read("gr\u{fc}n".as_bytes()), green(None));
        assert_eq!(read(b"gr\xfcn"), green(Some("windows-1252")));
        let little = b"\xff\xfeg\0r\0\xfc\0n\0";
        assert_eq!(read(little), green(Some("UTF-16LE")));
        assert_eq!(read(b"\xfe\xff\0g\0r\0\xfc\0n"), green(Some("UTF-16BE")));
        assert_eq!(read(b"%PDF-1.4 plain"), Err(NoText::Document("pdf")));
        assert_eq!(read(b"PK\x03\x04"), Err(NoText::Document("office")));
        assert_eq!(read(b"a\0b"), Err(NoText::Data));
        assert_eq!(read(b"gr\xc3\xbcn \xff"), Err(NoText::Data));
        assert_eq!(read(b"\xff\xfea"), Err(NoText::Data));
    }
}
