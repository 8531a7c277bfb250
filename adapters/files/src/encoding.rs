//! Text from before UTF-8: it is taken for windows-1252, which has a letter for every byte, so that
//! what an edit leaves alone stays byte for byte as it was. What is no such text, UTF-16 say, is refused
//! here, with what the user can do.

use api::executor::ToolFailure;
use api::failure::mendable;
use encoding_rs::WINDOWS_1252;
pub(crate) use text::decode::old_text;

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
                "`{shown}` is a text in UTF-16. It can be searched, and is neither shown nor changed \
                 here until it is converted: `iconv -f UTF-16 -t UTF-8 OLD > NEW`."
            ),
        )
    })
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
}
