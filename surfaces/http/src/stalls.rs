//! A connection whose reader must read: one that takes nothing of what waits for it is ended.

use crate::limits::READER_STALL;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// The connection, and since when it takes nothing.
pub(crate) struct Stalling<C> {
    inner: C,
    most: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<C> Stalling<C> {
    pub(crate) fn new(inner: C) -> Self {
        Self {
            inner,
            most: READER_STALL,
            stalled: None,
        }
    }

    /// What a write came to; an error once it has waited too long.
    fn judged<T>(
        &mut self,
        came_to: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if came_to.is_ready() {
            self.stalled = None;
            return came_to;
        }
        let most = self.most;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + most)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Stalling<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, room)
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Stalling<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.judged(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.judged(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.judged(shut, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_given_up() {
        let (ours, theirs) = tokio::io::duplex(4);
        let mut ours = Stalling::new(ours);
        ours.write_all(b"four").await.unwrap();
        let began = Instant::now();
        let refused = ours.write_all(b"more").await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), READER_STALL.as_secs());
        drop(theirs);
    }
}
