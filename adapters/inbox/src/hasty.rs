//! Connections that do not stay: few at a time, and none for long, whatever the other side does.
//! Whoever has not shown the token yet has little time, and makes room when others wait.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, Sleep};

/// How long every connection may at least take to show the token before it makes room, so that a
/// flood of others does not push it out at once.
const GRACE: Duration = Duration::from_millis(100);

/// How many connections there may be, and how long they may last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Most at one time; beyond, the oldest that has not shown the token is dropped.
    pub(crate) connections: usize,
    /// Longest for showing the token.
    pub(crate) head: Duration,
    /// Longest in all.
    pub(crate) whole: Duration,
}

/// Takes connections in.
pub(crate) struct Hasty<L> {
    inner: L,
    places: Arc<Places>,
    bounds: Bounds,
}

/// Whether a connection has shown the token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pass(Arc<AtomicBool>);

impl Pass {
    pub(crate) fn admit(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_admitted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Connected<IncomingStream<'_, Hasty<TcpListener>>> for Pass {
    fn connect_info(stream: IncomingStream<'_, Hasty<TcpListener>>) -> Self {
        stream.io().pass.clone()
    }
}

/// A place that is taken.
struct Taken {
    pass: Pass,
    since: Instant,
    /// Tells the connection to go.
    leave: oneshot::Sender<()>,
}

/// The places, the oldest first.
#[derive(Default)]
struct Places {
    taken: Mutex<VecDeque<Taken>>,
    freed: Notify,
}

impl Places {
    fn taken(&self) -> MutexGuard<'_, VecDeque<Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn free(&self, pass: &Pass) {
        self.taken()
            .retain(|taken| !Arc::ptr_eq(&taken.pass.0, &pass.0));
        self.freed.notify_one();
    }

    /// A place at once, or how long to wait before asking again.
    fn try_take(&self, bounds: Bounds) -> Result<(Pass, oneshot::Receiver<()>), Duration> {
        let mut taken = self.taken();
        if taken.len() >= bounds.connections {
            let oldest = taken.iter().position(|one| !one.pass.is_admitted());
            let Some(oldest) = oldest else {
                return Err(bounds.whole);
            };
            let wait = GRACE.saturating_sub(taken[oldest].since.elapsed());
            if !wait.is_zero() {
                return Err(wait);
            }
            if let Some(gone) = taken.remove(oldest) {
                // Who has gone already need not be told.
                let _gone = gone.leave.send(());
            }
        }
        let (leave, told) = oneshot::channel();
        let pass = Pass::default();
        taken.push_back(Taken {
            pass: pass.clone(),
            since: Instant::now(),
            leave,
        });
        Ok((pass, told))
    }

    async fn take(&self, bounds: Bounds) -> (Pass, oneshot::Receiver<()>) {
        loop {
            match self.try_take(bounds) {
                Ok(place) => return place,
                Err(wait) => {
                    // Either way it is looked again.
                    let _freed = tokio::time::timeout(wait, self.freed.notified()).await;
                }
            }
        }
    }
}

/// A connection with its place and its end.
pub(crate) struct Brief<C> {
    inner: C,
    end: Pin<Box<Sleep>>,
    /// When it ends even with the token.
    last: Instant,
    pass: Pass,
    told: oneshot::Receiver<()>,
    places: Arc<Places>,
}

impl<L> Hasty<L> {
    pub(crate) fn new(inner: L, bounds: Bounds) -> Self {
        Self {
            inner,
            places: Arc::default(),
            bounds,
        }
    }
}

impl<L: Listener> Listener for Hasty<L> {
    type Io = Brief<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (inner, address) = self.inner.accept().await;
        let (pass, told) = self.places.take(self.bounds).await;
        let now = Instant::now();
        let brief = Brief {
            inner,
            end: Box::pin(tokio::time::sleep_until(now + self.bounds.head)),
            last: now + self.bounds.whole,
            pass,
            told,
            places: Arc::clone(&self.places),
        };
        (brief, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.inner.local_addr()
    }
}

impl<C> Brief<C> {
    /// An error once the time is over, or the place is another's.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let is_told = Pin::new(&mut self.told).poll(context).is_ready();
        if is_told {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        while self.end.as_mut().poll(context).is_ready() {
            if !self.pass.is_admitted() || self.end.deadline() >= self.last {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let last = self.last;
            self.end.as_mut().reset(last);
        }
        Ok(())
    }
}

impl<C> Drop for Brief<C> {
    fn drop(&mut self) {
        self.places.free(&self.pass);
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
