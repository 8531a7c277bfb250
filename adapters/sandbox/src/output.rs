//! Keeping the beginning and the end of a stream, and draining what lies between.

use api::sandbox::Captured;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at a time, bytes.
const PIECE: usize = 16 << 10;

/// What is kept of a stream that is still running.
#[derive(Debug)]
pub(crate) struct Keeper {
    most: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl Keeper {
    /// Keeps at most `most` bytes: half from the beginning, half from the end.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            head: Vec::new(),
            tail: VecDeque::new(),
            dropped: 0,
        }
    }

    fn take(&mut self, piece: &[u8]) {
        let half = self.most.div_ceil(2);
        let room = half.saturating_sub(self.head.len());
        let (first, rest) = piece.split_at(room.min(piece.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.most - half);
        self.tail.drain(..over);
        self.dropped = self
            .dropped
            .saturating_add(u64::try_from(over).unwrap_or(u64::MAX));
    }

    /// What is kept so far.
    pub(crate) fn so_far(&self) -> Captured {
        let mut head = self.head.clone();
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.dropped == 0 {
            head.extend(tail);
            return Captured {
                head,
                ..Captured::default()
            };
        }
        Captured {
            head,
            tail,
            dropped: self.dropped,
        }
    }
}

/// A [`Keeper`] that is looked into while it is filled.
#[derive(Debug, Clone)]
pub(crate) struct Kept(Arc<Mutex<Keeper>>);

impl Kept {
    /// As [`Keeper::new`].
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Keeper::new(most))))
    }

    /// What is kept so far.
    pub(crate) fn so_far(&self) -> Captured {
        self.keeper().so_far()
    }

    fn keeper(&self) -> MutexGuard<'_, Keeper> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a stream to its end. A stream that fails has ended.
pub(crate) async fn drain(stream: Option<impl AsyncRead + Unpin>, kept: Kept) -> Captured {
    if let Some(mut stream) = stream {
        let mut piece = vec![0; PIECE];
        loop {
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => break,
                Ok(count) => kept.keeper().take(&piece[..count]),
            }
        }
    }
    kept.so_far()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(most: usize, pieces: &[&[u8]]) -> Captured {
        let mut keeper = Keeper::new(most);
        pieces.iter().for_each(|piece| keeper.take(piece));
        keeper.so_far()
    }

    #[test]
    fn a_stream_at_the_limit_is_whole_and_one_byte_more_loses_one() {
        let whole = kept(6, &[b"abc", b"def"]);
        assert_eq!((whole.head.as_slice(), whole.dropped), (&b"abcdef"[..], 0));
        let cut = kept(6, &[b"abcd", b"efg"]);
        assert_eq!(cut.head, b"abc");
        assert_eq!(cut.tail, b"efg");
        assert_eq!(cut.dropped, 1);
    }
}
