//! Turns the bytes of tokens into text without ever cutting a character.
//!
//! A token is a run of bytes, not of characters: an emoji may arrive in four tokens. Bytes that do
//! not complete a character wait here for the next token.

/// Collects token bytes and hands out whole characters.
#[derive(Debug, Default)]
pub struct Utf8Stream {
    /// An unfinished character: at most three bytes.
    pending: Vec<u8>,
}

impl Utf8Stream {
    /// Adds the bytes of one token and returns the text that is complete by now, possibly none.
    ///
    /// Bytes that can never become UTF-8 are dropped: a replacement character would travel into
    /// files and prompts as if the model had meant it.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut text = String::new();
        let mut rest: &[u8] = &self.pending;
        let kept = loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    break Vec::new();
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    match error.error_len() {
                        None => break after.to_vec(),
                        Some(bad) => rest = after.get(bad..).unwrap_or_default(),
                    }
                }
            }
        };
        self.pending = kept;
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_split_at_every_byte_arrive_whole() {
        let text = "naïve 漢字 👩‍🚀 ok";
        for step in 1..=5 {
            let mut stream = Utf8Stream::default();
            let pieces: Vec<String> = text
                .as_bytes()
                .chunks(step)
                .map(|chunk| stream.push(chunk))
                .collect();
            assert_eq!(pieces.concat(), text, "step {step}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_dropped_and_the_rest_survives() {
        let mut stream = Utf8Stream::default();
        assert_eq!(stream.push(b"a\xffb"), "ab");
        assert_eq!(stream.push(b"\xf0\x9f"), "");
        assert_eq!(stream.push(b"c"), "c");
    }
}
