//! The kernel's tables of sockets, where it does not answer by netlink.

use crate::listener::Listener;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// `TCP_LISTEN` of the kernel's net/tcp_states.h, as /proc/net/tcp writes it.
const LISTENS: &str = "0A";

/// Every socket that takes connections, of both protocols.
///
/// # Errors
/// When the tables cannot be read.
pub(crate) fn listeners() -> io::Result<Vec<Listener>> {
    let mut table = fs::read_to_string("/proc/net/tcp")?;
    match fs::read_to_string("/proc/net/tcp6") {
        Ok(newer) => table.push_str(&newer),
        // A machine without the newer protocol.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok(parsed(&table))
}

fn parsed(table: &str) -> Vec<Listener> {
    let listener = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (own, port) = fields.get(1)?.split_once(':')?;
        (fields.get(3) == Some(&LISTENS)).then_some(())?;
        Some(Listener {
            address: address(own)?,
            port: u16::from_str_radix(port, 16).ok()?,
            uid: fields.get(7)?.parse().ok()?,
        })
    };
    table.lines().filter_map(listener).collect()
}

/// An address as the tables write it: words of four bytes, each in the machine's own order.
fn address(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let word = u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    match hex.len() {
        8 => Some(IpAddr::V4(Ipv4Addr::from(word(0)?))),
        32 => {
            let words = [word(0)?, word(8)?, word(16)?, word(24)?];
            let bytes: [u8; 16] = words.concat().try_into().ok()?;
            Some(IpAddr::V6(Ipv6Addr::from(bytes)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000 65534        0 1 1
   1: 0100007F:2CAA 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 3 1
   2: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 7 0 5 1
";

    #[test]
    #[cfg(target_endian = "little")]
    fn lines_of_listening_sockets_are_read() {
        let expected = [("127.0.0.1", 11_434, 65_534), ("::ffff:127.0.0.1", 8080, 7)];
        let expected = expected.map(|(address, port, uid)| Listener {
            address: address.parse().unwrap(),
            port,
            uid,
        });
        assert_eq!(parsed(TABLE), expected);
    }
}
