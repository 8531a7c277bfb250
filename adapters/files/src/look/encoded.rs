//! Whether what a search reads is a text from before UTF-8, found out while it is read.

use std::io::{self, Read};

/// A reader that looks at the encoding of what it reads.
pub(super) struct Watched<R> {
    inner: R,
    /// Bytes at the end of what was read that may be the beginning of a letter, at most three.
    held: Vec<u8>,
    has_faults: bool,
    /// It is UTF-8 or UTF-16, or no text.
    is_other: bool,
}

impl<R> Watched<R> {
    pub(super) const fn new(inner: R) -> Self {
        Self {
            inner,
            held: Vec::new(),
            has_faults: false,
            is_other: false,
        }
    }

    /// Whether what was read is text in an encoding from before UTF-8, as `encoding::old_text` takes
    /// a text for one.
    pub(super) const fn is_old_text(&self) -> bool {
        !self.is_other && (self.has_faults || !self.held.is_empty())
    }

    fn look(&mut self, read: &[u8]) {
        self.is_other |= memchr::memchr(0, read).is_some();
        if self.is_other || (read.is_ascii() && self.held.is_empty()) {
            return;
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(read);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.is_other |= !chunk.valid().is_ascii();
            match chunks.peek() {
                Some(_) => self.has_faults = true,
                None => self.held = chunk.invalid().to_vec(),
            }
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.look(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_text_is_told_from_all_else_in_pieces_of_any_size() {
        let cases: [(&[u8], bool); 7] = [
            (b"plain", false),
            (b"", false),
            (b"gr\xfcn", true),
            (b"gr\xfc", true),
            ("gr\u{fc}n \u{2192}".as_bytes(), false),
            (b"gr\xc3\xbcn \xff.", false),
            (b"a\0\xff", false),
        ];
        for (text, is_old) in cases {
            for size in 1..=text.len().max(1) {
                let mut watched = Watched::new(text);
                while watched.read(&mut vec![0; size]).unwrap() > 0 {}
                assert_eq!(watched.is_old_text(), is_old, "{text:?} by {size}");
            }
        }
    }
}
