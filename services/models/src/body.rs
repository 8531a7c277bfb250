//! An answer's body: read, cut, decoded, with a limit on every wait.

use crate::call::Piece;
use crate::error::{self, Error, ErrorKind};
use crate::framing::{Cutter, Fault as CutFault, Frame, Framing};
use crate::providers::Decoder;
use domain::limits;
use reqwest::Response;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::timeout;

/// How long to wait for the end of a body whose answer is complete, so that its connection can be
/// used again.
const DRAIN: Duration = Duration::from_millis(5);

/// An answer's body as it arrives. Dropping it closes the connection.
pub(crate) struct Body {
    name: String,
    response: Response,
    cutter: Cutter,
    decoder: Box<dyn Decoder>,
    queue: VecDeque<Piece>,
    failed: Option<Error>,
    ended: bool,
    /// Whether the server has told how far it is with the prompt, and nothing since.
    is_reading: bool,
    waits: Waits,
}

/// The longest silences that are waited out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waits {
    /// While the prompt is read: as long as for a first byte.
    pub(crate) reading: Duration,
    /// Within the answer.
    pub(crate) stall: Duration,
}

impl Body {
    /// Reads what one protocol sends.
    pub(crate) fn new(
        name: String,
        response: Response,
        framing: Framing,
        decoder: Box<dyn Decoder>,
        waits: Waits,
    ) -> Self {
        Self {
            name,
            response,
            cutter: Cutter::new(framing),
            decoder,
            queue: VecDeque::new(),
            failed: None,
            ended: false,
            is_reading: false,
            waits,
        }
    }

    /// The next piece; `None` after the last one or an error.
    pub(crate) async fn next(&mut self) -> Option<Result<Piece, Error>> {
        loop {
            if let Some(piece) = self.queue.pop_front() {
                return Some(Ok(piece));
            }
            if let Some(error) = self.failed.take() {
                self.ended = true;
                return Some(Err(error));
            }
            if self.ended {
                return None;
            }
            if self.decoder.is_done() {
                self.ended = true;
                // Only reuse of the connection is at stake, so the outcome does not matter.
                let _ = timeout(DRAIN, self.response.chunk()).await;
                return None;
            }
            self.read().await;
        }
    }

    async fn read(&mut self) {
        let wait = match self.is_reading {
            true => self.waits.reading,
            false => self.waits.stall,
        };
        match timeout(wait, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => self.take(&bytes),
            Ok(Ok(None)) => self.finish(),
            Ok(Err(source)) => {
                self.failed =
                    Some(error::interrupted(&self.name).with_source(source.without_url()));
            }
            Err(_elapsed) => self.failed = Some(self.silent(wait)),
        }
    }

    /// Why nothing more is waited for.
    fn silent(&self, wait: Duration) -> Error {
        let (name, ms) = (&self.name, wait.as_millis());
        let (when, hint) = match self.is_reading {
            true => (
                "while it read the prompt",
                "ask for less, or raise `first_byte_ms` in [models.limits]",
            ),
            false => (
                "in the middle of the answer",
                "it may have been writing a tool call: raise `stall_ms` in [models.limits]",
            ),
        };
        let detail = format!("{name} sent nothing for {ms} ms {when}");
        Error::new(ErrorKind::Timeout, detail).with_hint(hint)
    }

    /// Takes bytes that were read before.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let mut frames = Vec::new();
        let cut = self.cutter.push(bytes, &mut frames);
        self.decode(&frames);
        self.check(cut);
    }

    fn finish(&mut self) {
        self.ended = true;
        let mut frames = Vec::new();
        let cut = self.cutter.end(&mut frames);
        self.decode(&frames);
        self.check(cut);
        if self.failed.is_none() {
            let mut pieces = Vec::new();
            if let Err(error) = self.decoder.end(&mut pieces) {
                self.failed = Some(error);
            }
            self.queue.extend(pieces);
        }
    }

    fn decode(&mut self, frames: &[Frame]) {
        for frame in frames {
            if self.failed.is_some() || self.decoder.is_done() {
                return;
            }
            let mut pieces = Vec::new();
            if let Err(error) = self.decoder.frame(frame, &mut pieces) {
                self.failed = Some(error);
            }
            if let Some(last) = pieces.last() {
                self.is_reading = matches!(last, Piece::Prompt(_));
            }
            self.queue.extend(pieces);
        }
    }

    fn check(&mut self, cut: Result<(), CutFault>) {
        if self.failed.is_some() || self.decoder.is_done() {
            return;
        }
        match cut {
            Ok(()) => {}
            Err(CutFault::TooLarge) => {
                self.failed = Some(error::too_large(
                    &self.name,
                    "an event",
                    limits::MODEL_EVENT_BYTES,
                ));
            }
            Err(CutFault::NotText) => {
                self.failed = Some(error::protocol(&self.name, "bytes that are not UTF-8"));
            }
        }
    }
}
