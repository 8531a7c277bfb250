//! Text from before UTF-8: it is taken for windows-1252, which has a letter for every byte, so that
//! what an edit leaves alone stays byte for byte as it was. What is no such text, UTF-16 say, is refused
//! here, with what the user can do.

use crate::look::scan::closed_format_of;
use api::executor::ToolFailure;
use api::failure::mendable;
use encoding_rs::WINDOWS_1252;

/// What stands for bytes that are no UTF-8.
const REPLACED: char = '\u{fffd}';

/// How UTF-16 begins, in either order of its bytes.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Why a text in UTF-16 is neither shown nor changed; `None` for any other.
pub(crate) fn utf_16(content: &[u8], shown: &str) -> Option<ToolFailure> {
    let is_utf_16 = UTF_16_MARKS.iter().any(|mark| content.starts_with(mark));
    is_utf_16.then(|| {
        mendable(
            "utf_16",
            format!(
                "`{shown}` is a text in UTF-16, which grep searches, and which nothing here shows or \
                 changes. The user can convert it: `iconv -f UTF-16 -t UTF-8 OLD > NEW`."
            ),
        )
    })
}

/// Bytes that are not UTF-8 as text. `None` for what is no text, and for damaged UTF-8, whose other
/// letters are whole.
pub(crate) fn old_text(bytes: &[u8]) -> Option<String> {
    let is_utf8_letter = |c: char| !c.is_ascii() && c != REPLACED;
    let is_damaged = String::from_utf8_lossy(bytes).chars().any(is_utf8_letter);
    if bytes.contains(&0) || closed_format_of(bytes).is_some() || is_damaged {
        return None;
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Some(text.into_owned())
}

/// Such a text as bytes, or the first letter that the encoding does not have.
pub(crate) fn old_bytes(text: &str) -> Result<Vec<u8>, char> {
    let has_no = |letter: &char| WINDOWS_1252.encode(letter.encode_utf8(&mut [0; 4])).2;
    let (bytes, _, is_unmappable) = WINDOWS_1252.encode(text);
    match is_unmappable {
        false => Ok(bytes.into_owned()),
        true => Err(text.chars().find(has_no).unwrap_or(REPLACED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_but_zero_comes_back_as_it_was() {
        let bytes: Vec<u8> = (1..=255).collect();
        let text = old_text(&bytes).unwrap();
        assert_eq!(old_bytes(&text), Ok(bytes));
        assert_eq!(old_bytes("gr\u{fc}n \u{2192}"), Err('\u{2192}'));
    }

    #[test]
    fn damaged_text_documents_and_binaries_are_no_old_text() {
        assert_eq!(old_text(b"gr\xc3\xbcn \xff"), None);
        assert_eq!(old_text(b"a\0\xff"), None);
        assert_eq!(old_text(b"PK\x03\x04\xff"), None);
    }
}
