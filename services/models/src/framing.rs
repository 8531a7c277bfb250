//! Cuts a byte stream into lines or server-sent events, whatever way the network cut it before.
//!
//! Bytes are only read as text once a line is whole, so a character split over two chunks cannot
//! be lost. Server-sent events follow the WHATWG HTML standard, "Interpreting an event stream",
//! except that a carriage return alone does not end a line.

use domain::limits;

/// How a body is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One JSON document a line.
    Lines,
    /// Server-sent events.
    Events,
    /// One JSON document.
    Whole,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The event's name; empty for lines and for events without one.
    pub(crate) event: String,
    /// Its content.
    pub(crate) data: String,
}

/// Why bytes could not be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A line or event is beyond [`limits::MODEL_EVENT_BYTES`].
    TooLarge,
    /// A whole line is not UTF-8.
    NotText,
}

/// Collects bytes and gives out frames.
pub(crate) struct Cutter {
    framing: Framing,
    line: Vec<u8>,
    event: String,
    data: String,
    has_data: bool,
    /// No line has ended yet.
    is_first: bool,
}

impl Cutter {
    pub(crate) fn new(framing: Framing) -> Self {
        Self {
            framing,
            line: Vec::new(),
            event: String::new(),
            data: String::new(),
            has_data: false,
            is_first: true,
        }
    }

    /// Takes the next bytes and adds every frame they complete.
    pub(crate) fn push(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), Fault> {
        if self.framing == Framing::Whole {
            return self.keep(bytes);
        }
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.keep(line)?;
            self.end_line(frames)?;
            rest = after.get(1..).unwrap_or_default();
        }
        self.keep(rest)
    }

    /// The body has ended: what is left may be a last frame.
    pub(crate) fn end(&mut self, frames: &mut Vec<Frame>) -> Result<(), Fault> {
        if !self.line.is_empty() {
            self.end_line(frames)?;
        }
        if self.has_data {
            self.end_event(frames);
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let limit = match self.framing {
            Framing::Whole => limits::MODEL_ANSWER_BYTES,
            Framing::Lines | Framing::Events => limits::MODEL_EVENT_BYTES,
        };
        if self.line.len() + self.data.len() + bytes.len() > limit {
            return Err(Fault::TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, frames: &mut Vec<Frame>) -> Result<(), Fault> {
        let mut bytes = std::mem::take(&mut self.line);
        if self.framing != Framing::Whole && bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        let Ok(mut line) = String::from_utf8(bytes) else {
            return Err(Fault::NotText);
        };
        // A byte order mark says nothing of the text behind it.
        if std::mem::take(&mut self.is_first) && line.starts_with('\u{feff}') {
            line.remove(0);
        }
        match self.framing {
            Framing::Lines | Framing::Whole => {
                if !line.trim().is_empty() {
                    frames.push(Frame {
                        event: String::new(),
                        data: line,
                    });
                }
            }
            Framing::Events => self.event_line(&line, frames),
        }
        Ok(())
    }

    fn event_line(&mut self, line: &str, frames: &mut Vec<Frame>) {
        if line.is_empty() {
            if self.has_data {
                self.end_event(frames);
            } else {
                self.event.clear();
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => self.event = value.to_owned(),
            // Comments (an empty field name), ids and reconnection times say nothing here.
            _ => {}
        }
    }

    fn end_event(&mut self, frames: &mut Vec<Frame>) {
        self.has_data = false;
        frames.push(Frame {
            event: std::mem::take(&mut self.event),
            data: std::mem::take(&mut self.data),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(framing: Framing, bytes: &[u8], step: usize) -> Result<Vec<Frame>, Fault> {
        let mut cutter = Cutter::new(framing);
        let mut frames = Vec::new();
        for chunk in bytes.chunks(step) {
            cutter.push(chunk, &mut frames)?;
        }
        cutter.end(&mut frames)?;
        Ok(frames)
    }

    #[test]
    fn any_cut_of_the_bytes_gives_the_same_frames() {
        let events =
            "event: a\r\ndata: {\"x\":\r\ndata: \"é漢🦀\"}\r\n\r\n: ping\n\ndata:[DONE]".as_bytes();
        let lines = "{\"a\":\"é漢🦀\"}\n\n{\"b\":1}\r\n{\"c\":2}".as_bytes();
        for (framing, bytes) in [(Framing::Events, events), (Framing::Lines, lines)] {
            let whole = cut(framing, bytes, bytes.len()).unwrap();
            assert!(whole.len() >= 2);
            for step in 1..bytes.len() {
                assert_eq!(cut(framing, bytes, step).unwrap(), whole, "{step}");
            }
        }
        let frames = cut(Framing::Events, events, 1).unwrap();
        assert_eq!(frames[0].event, "a");
        assert_eq!(frames[0].data, "{\"x\":\n\"é漢🦀\"}");
        assert_eq!(frames[1].data, "[DONE]");
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_byte_more_does_not() {
        let mut line = vec![b'x'; limits::MODEL_EVENT_BYTES];
        line.push(b'\n');
        assert_eq!(cut(Framing::Lines, &line, 65_536).unwrap().len(), 1);
        line.insert(0, b'x');
        assert_eq!(cut(Framing::Lines, &line, 65_536), Err(Fault::TooLarge));
        let endless = b"data: xxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(60_000);
        assert_eq!(cut(Framing::Events, &endless, 65_536), Err(Fault::TooLarge));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_frame() {
        for (framing, bytes) in [
            (Framing::Events, "\u{feff}data: {}\n\n"),
            (Framing::Lines, "\u{feff}{}\n"),
            (Framing::Whole, "\u{feff}{}"),
        ] {
            let frames = cut(framing, bytes.as_bytes(), 1).unwrap();
            assert_eq!(frames.len(), 1, "{framing:?}");
            assert_eq!(frames[0].data, "{}", "{framing:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_an_error_not_a_guess() {
        assert_eq!(
            cut(Framing::Lines, b"{\"a\":\"\xff\xfe\"}\n", 3),
            Err(Fault::NotText)
        );
    }
}
