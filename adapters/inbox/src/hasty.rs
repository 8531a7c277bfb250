//! Connections that do not stay: few at a time, and none for long, whatever the other side does.

use axum::serve::Listener;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// Takes connections in.
pub(crate) struct Hasty<L> {
    inner: L,
    places: Arc<Semaphore>,
    time: Duration,
}

/// A connection with its place and its end.
pub(crate) struct Brief<C> {
    inner: C,
    end: Pin<Box<Sleep>>,
    _place: Option<OwnedSemaphorePermit>,
}

impl<L> Hasty<L> {
    pub(crate) fn new(inner: L, connections: usize, time: Duration) -> Self {
        Self {
            inner,
            places: Arc::new(Semaphore::new(connections)),
            time,
        }
    }
}

impl<L: Listener> Listener for Hasty<L> {
    type Io = Brief<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // The semaphore is never closed, so that a place is always given in the end.
        let place = Arc::clone(&self.places).acquire_owned().await;
        let (inner, address) = self.inner.accept().await;
        let brief = Brief {
            inner,
            end: Box::pin(tokio::time::sleep(self.time)),
            _place: place.ok(),
        };
        (brief, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.inner.local_addr()
    }
}

impl<C> Brief<C> {
    /// An error once the time is over.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        match self.end.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Brief<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.inner).poll_read(context, room)
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Brief<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
