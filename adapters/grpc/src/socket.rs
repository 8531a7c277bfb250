//! Listening sockets: who may connect, how many, and what a connection must show first.

use crate::address::Listen;
use crate::openings::Peer;
use disk::private;
use domain::limits::{WIRE_CONNECTIONS, WIRE_HANDSHAKE};
use rustix::process::Pid;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

/// How long to wait when the system cannot give another connection (too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Length of the text that every HTTP/2 client begins with, RFC 9113 section 3.4, bytes.
const PREFACE_BYTES: usize = 24;
/// Permission bits that let others than the owner write.
const OTHERS_WRITE: u32 = 0o022;

/// Why nothing listens.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Someone else listens there.
    #[error("{listen} is in use by another process")]
    InUse {
        /// Where.
        listen: Listen,
    },
    /// The folder or file cannot be trusted with a socket.
    #[error("{path} cannot hold a socket: {problem}", path = path.display())]
    Unsafe {
        /// Which.
        path: PathBuf,
        /// Why not.
        problem: &'static str,
    },
    /// The path is longer than a socket's may be.
    #[error("the path of {listen} has {bytes} bytes, and a socket's has at most {PATH_BYTES}")]
    PathTooLong {
        /// Where.
        listen: Listen,
        /// Its length.
        bytes: usize,
    },
    /// The system refused.
    #[error("cannot listen at {listen}")]
    Io {
        /// Where.
        listen: Listen,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

/// Refuses a peer of another user.
///
/// # Errors
/// `PermissionDenied` when the peer runs as someone else.
pub(crate) fn check_peer(stream: &UnixStream) -> io::Result<()> {
    let (peer, own) = (stream.peer_cred()?.uid(), own_uid());
    if may_connect(peer, own) {
        Ok(())
    } else {
        let text = format!("the other side runs as user {peer}, this process as user {own}");
        Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
    }
}

fn may_connect(peer: u32, own: u32) -> bool {
    peer == own
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

/// A bound socket. A unix socket's file goes when this is dropped.
pub(crate) struct Acceptor {
    socket: Socket,
    slots: Arc<Semaphore>,
    cut: CancellationToken,
    file: Option<SocketFile>,
}

/// The file of a unix socket, known by its inode so that a successor's file stays.
struct SocketFile {
    path: PathBuf,
    inode: u64,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours = std::fs::symlink_metadata(&self.path).is_ok_and(|m| m.ino() == self.inode);
        if is_ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "the socket file stays");
        }
    }
}

/// Longest path of a socket that Linux takes, bytes.
const PATH_BYTES: usize = 107;

/// Before anything is made for it.
fn check_length(path: &Path, listen: &Listen) -> Result<(), BindError> {
    match path.as_os_str().len() {
        0..=PATH_BYTES => Ok(()),
        bytes => Err(BindError::PathTooLong {
            listen: listen.clone(),
            bytes,
        }),
    }
}

impl Acceptor {
    /// Binds. Cancelling `cut` breaks every connection accepted here.
    pub(crate) async fn bind(listen: &Listen, cut: CancellationToken) -> Result<Self, BindError> {
        let io_error = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => BindError::InUse {
                listen: listen.clone(),
            },
            _ => BindError::Io {
                listen: listen.clone(),
                source,
            },
        };
        let (socket, file) = match listen {
            Listen::Tcp(address) => {
                let listener = TcpListener::bind(address).await.map_err(io_error)?;
                (Socket::Tcp(listener), None)
            }
            Listen::Unix(path) => {
                check_length(path, listen)?;
                check_folder(path).map_err(|error| error.or_io(listen))?;
                // Two starters at the same moment must not remove each other's socket.
                let lock = lock_beside(path).map_err(io_error)?;
                remove_stale(path, listen).await?;
                let (listener, file) = bind_at(path, &lock).map_err(io_error)?;
                (Socket::Unix(listener), Some(file))
            }
        };
        Ok(Self {
            socket,
            slots: Arc::new(Semaphore::new(WIRE_CONNECTIONS)),
            cut,
            file,
        })
    }

    /// Where it listens, with the port that was given for port 0.
    pub(crate) fn local(&self) -> io::Result<Listen> {
        match (&self.socket, &self.file) {
            (Socket::Tcp(listener), _) => listener.local_addr().map(Listen::Tcp),
            (Socket::Unix(_), Some(file)) => Ok(Listen::Unix(file.path.clone())),
            (Socket::Unix(_), None) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The next connection of someone who may connect. Waits while all slots are taken.
    pub(crate) async fn accept(&self) -> io::Result<Connection> {
        let slot = Arc::clone(&self.slots)
            .acquire_owned()
            .await
            .map_err(io::Error::other)?;
        loop {
            match self.accept_stream().await {
                Ok(stream) => return Ok(Connection::new(stream, slot, self.cut.clone())),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    tracing::warn!(%error, "refused a connection");
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn accept_stream(&self) -> io::Result<Stream> {
        match &self.socket {
            Socket::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                check_peer(&stream)?;
                Ok(Stream::Unix(stream))
            }
            Socket::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }
}

/// The lock that starters take, one after the other.
fn lock_beside(socket: &Path) -> io::Result<File> {
    let mut name = socket.as_os_str().to_owned();
    name.push(".lock");
    private::wait_for_lock(Path::new(&name))
}

/// Binds under another name and moves the socket to `path` once it listens: the system makes the
/// file first and listens later, and who connected in between would be refused.
fn bind_at(path: &Path, lock: &File) -> io::Result<(UnixListener, SocketFile)> {
    let no_folder = || io::Error::from(io::ErrorKind::InvalidInput);
    let folder = File::open(path.parent().ok_or_else(no_folder)?)?;
    // By the folder's handle, or a path that just fits would not fit with the longer name. The
    // lock's inode gives a name that a starter killed in between shares with its successor.
    let mut made = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    made.push(format!(".listen-{:x}", lock.metadata()?.ino()));
    match std::fs::remove_file(&made) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&made)?;
    std::fs::set_permissions(&made, Permissions::from_mode(0o600))?;
    let inode = std::fs::symlink_metadata(&made)?.ino();
    std::fs::rename(&made, path)?;
    let path = path.to_owned();
    Ok((listener, SocketFile { path, inode }))
}

enum FolderError {
    Unsafe(PathBuf, &'static str),
    Io(io::Error),
}

impl FolderError {
    fn or_io(self, listen: &Listen) -> BindError {
        match self {
            Self::Unsafe(path, problem) => BindError::Unsafe { path, problem },
            Self::Io(source) => BindError::Io {
                listen: listen.clone(),
                source,
            },
        }
    }
}

/// The folder must be the user's own (or root's) and closed to writing by others: else someone
/// could put a socket of theirs in place of ours.
fn check_folder(path: &Path) -> Result<(), FolderError> {
    let no_folder = || FolderError::Unsafe(path.to_owned(), "the path names no folder");
    let folder = path.parent().ok_or_else(no_folder)?;
    if !folder.exists() {
        private::folder(folder).map_err(FolderError::Io)?;
    }
    let metadata = std::fs::metadata(folder).map_err(FolderError::Io)?;
    let refuse = |problem| Err(FolderError::Unsafe(folder.to_owned(), problem));
    if !metadata.is_dir() {
        refuse("it is not a folder")
    } else if metadata.uid() != own_uid() && metadata.uid() != 0 {
        refuse("the folder belongs to another user")
    } else if metadata.mode() & OTHERS_WRITE != 0 {
        // Not to close it: a folder such as /tmp is open to all on purpose.
        refuse("others may write to the folder; choose one of your own, such as $XDG_RUNTIME_DIR")
    } else {
        Ok(())
    }
}

/// Removes a socket that nobody listens on.
async fn remove_stale(path: &Path, listen: &Listen) -> Result<(), BindError> {
    let io_error = |source| BindError::Io {
        listen: listen.clone(),
        source,
    };
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_error(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(BindError::Unsafe {
            path: path.to_owned(),
            problem: "something that is no socket is in its place",
        });
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(io_error)
        }
        Err(error) => Err(io_error(error)),
        Ok(_) => Err(BindError::InUse {
            listen: listen.clone(),
        }),
    }
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// One accepted connection. It holds a slot, has to begin like HTTP/2 in good time, and breaks off
/// when the endpoint is cut.
pub(crate) struct Connection {
    stream: Stream,
    proof: Option<Proof>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    _slot: OwnedSemaphorePermit,
}

/// How long a connection may still take to show its first bytes, and how many are missing.
struct Proof {
    patience: Pin<Box<Sleep>>,
    missing: usize,
}

impl Connection {
    fn new(stream: Stream, slot: OwnedSemaphorePermit, cut: CancellationToken) -> Self {
        Self {
            stream,
            proof: Some(Proof {
                patience: Box::pin(tokio::time::sleep(WIRE_HANDSHAKE)),
                missing: PREFACE_BYTES,
            }),
            cut: Box::pin(cut.cancelled_owned()),
            _slot: slot,
        }
    }

    fn poll_over(&mut self, cx: &mut Context<'_>) -> Option<io::Error> {
        if self.cut.as_mut().poll(cx).is_ready() {
            return Some(io::ErrorKind::ConnectionAborted.into());
        }
        let proof = self.proof.as_mut()?;
        let is_late = proof.patience.as_mut().poll(cx).is_ready();
        is_late.then(|| io::ErrorKind::TimedOut.into())
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        Peer(match &self.stream {
            Stream::Unix(stream) => stream
                .peer_cred()
                .ok()
                .and_then(|peer| peer.pid())
                .and_then(Pid::from_raw),
            Stream::Tcp(_) => None,
        })
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(error) = self.poll_over(cx) {
            return Poll::Ready(Err(error));
        }
        let before = buffer.filled().len();
        let polled = match &mut self.stream {
            Stream::Unix(stream) => Pin::new(stream).poll_read(cx, buffer),
            Stream::Tcp(stream) => Pin::new(stream).poll_read(cx, buffer),
        };
        let read = buffer.filled().len() - before;
        if let Some(proof) = &mut self.proof {
            proof.missing = proof.missing.saturating_sub(read);
            if proof.missing == 0 {
                self.proof = None;
            }
        }
        polled
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Unix(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tcp(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, buffers),
            Stream::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, buffers),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Unix(stream) => stream.is_write_vectored(),
            Stream::Tcp(stream) => stream.is_write_vectored(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_user_may_connect() {
        assert!(may_connect(1000, 1000));
        assert!(!may_connect(0, 1000));
        assert!(!may_connect(1000, 0));
    }
}
