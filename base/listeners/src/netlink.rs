//! The kernel's listening sockets, asked for by netlink: the kernel looks through those alone.

use crate::listener::Listener;
use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;
use netlink_sys::{Socket, SocketAddr};
use std::io;

/// Every socket that takes connections, of both protocols.
///
/// # Errors
/// When the kernel does not answer: it has no such part, or a filter forbids this kind of socket.
pub(crate) fn listeners() -> io::Result<Vec<Listener>> {
    let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut all = Vec::new();
    for (family, socket_id) in [
        (AF_INET, SocketId::new_v4()),
        (AF_INET6, SocketId::new_v6()),
    ] {
        socket.send(&request(family, socket_id), 0)?;
        while hear(&socket, &mut all)? {}
    }
    Ok(all)
}

fn request(family: u8, socket_id: SocketId) -> Vec<u8> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let asked = SockDiagMessage::InetRequest(InetRequest {
        family,
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::empty(),
        states: StateFlags::LISTEN,
        socket_id,
    });
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(asked));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

/// Takes in the next part of an answer; whether more of it comes.
fn hear(socket: &Socket, all: &mut Vec<Listener>) -> io::Result<bool> {
    let (bytes, _kernel) = socket.recv_from_full()?;
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let message = NetlinkMessage::<SockDiagMessage>::deserialize(rest);
        let message = message.map_err(io::Error::other)?;
        let length = usize::try_from(message.header.length).map_err(io::Error::other)?;
        match message.payload {
            NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(found)) => {
                let found = found.header;
                all.push(Listener {
                    address: found.socket_id.source_address,
                    port: found.socket_id.source_port,
                    uid: found.uid,
                });
            }
            NetlinkPayload::Done(_) => return Ok(false),
            NetlinkPayload::Error(error) => return Err(error.to_io()),
            NetlinkPayload::Overrun(_) => return Err(io::Error::other("the answer was cut")),
            _ => {}
        }
        // Messages begin at multiples of four bytes.
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(true)
}
