//! A listening socket, however the kernel told of it.

use std::net::IpAddr;

/// A socket that takes connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listener {
    pub(crate) address: IpAddr,
    pub(crate) port: u16,
    /// Whose it is.
    pub(crate) uid: u32,
}
