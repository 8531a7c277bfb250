//! Whose server listens on a port of this machine.
//!
//! What it is: a look at the kernel's listening sockets, for servers that nobody configured. Whoever
//! listens first at a usual place is found there, and any user of the machine may.
//! What it owns: whose server may be used unasked (docs/decisions/0059).
//! What it never does: connect.
//! Where to start: [`owner`].

mod listener;
mod netlink;
mod table;

use listener::Listener;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::MetadataExt;

/// Accounts below are made by the system's administrator alone (`SYS_UID_MAX` of login.defs).
const FIRST_USER: u32 = 1_000;
/// Addresses at which a connection to 127.0.0.1 arrives, nearest first: who listens at a farther one
/// is not reached while somebody listens at a nearer.
const NEAREST: [&[IpAddr]; 3] = [
    &[
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped()),
    ],
    &[IpAddr::V4(Ipv4Addr::UNSPECIFIED)],
    &[IpAddr::V6(Ipv6Addr::UNSPECIFIED)],
];

/// Whose a port is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Nobody's: no process of this machine listens there that the kernel shows.
    Nobody,
    /// Somebody's whose server is used unasked.
    Ours,
    /// Somebody else's, in words.
    Stranger(String),
}

/// Who listens on a port of loopback. `service_account`: the account that the administrator makes
/// for a server of this kind. Looked up each time: a port that one server left is the next one's.
///
/// # Errors
/// When the kernel tells of its sockets neither by netlink nor in its tables.
pub fn owner(port: u16, service_account: &str) -> io::Result<Owner> {
    // The tables hold every connection of the machine, which takes a hundred times as long to read.
    let all = netlink::listeners().or_else(|_unheard| table::listeners())?;
    let owners = reached(&all, port);
    let own = fs::metadata("/proc/self")?.uid();
    let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let stranger = owners
        .iter()
        .find(|uid| !is_ours(**uid, own, service_account, &accounts));
    Ok(match stranger {
        None if owners.is_empty() => Owner::Nobody,
        None => Owner::Ours,
        Some(uid) => Owner::Stranger(match account(*uid, &accounts) {
            Some(name) => format!("the user {name} of this machine"),
            None => format!("the user number {uid} of this machine"),
        }),
    })
}

/// Whether a server of this user may be used unasked: our own, the administrator's, and that of
/// the account which the administrator made for it.
fn is_ours(uid: u32, own: u32, service_account: &str, accounts: &str) -> bool {
    let is_service = || uid < FIRST_USER && account(uid, accounts) == Some(service_account);
    uid == own || uid == 0 || is_service()
}

/// The users whose sockets a connection to a port of loopback reaches.
fn reached(all: &[Listener], port: u16) -> Vec<u32> {
    let at = |addresses: &&[IpAddr]| -> Vec<u32> {
        all.iter()
            .filter(|one| one.port == port && addresses.contains(&one.address))
            .map(|one| one.uid)
            .collect()
    };
    let mut nearest = NEAREST.iter().map(at);
    nearest
        .find(|owners| !owners.is_empty())
        .unwrap_or_default()
}

fn account(uid: u32, accounts: &str) -> Option<&str> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn who_listens_nearest_is_reached() {
        let at = |address: &str, port, uid| Listener {
            address: address.parse().unwrap(),
            port,
            uid,
        };
        let all = [
            at("127.0.0.1", 11_434, 65_534),
            at("0.0.0.0", 8080, 113),
            at("192.168.1.2", 11_434, 1001),
            // Who takes only connections of the newer protocol is not reached beside the user's server.
            at("::", 11_434, 1001),
            at("::ffff:127.0.0.1", 8000, 7),
            at("0.0.0.0", 8000, 8),
        ];
        assert_eq!(reached(&all, 11_434), [65_534]);
        assert_eq!(reached(&all[2..], 11_434), [1001]);
        assert_eq!(reached(&all, 8080), [113]);
        assert_eq!(reached(&all, 8000), [7]);
        assert!(reached(&all, 1234).is_empty());
    }

    #[test]
    fn both_ways_to_ask_the_kernel_tell_the_same() {
        let places = ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"];
        let held: Vec<TcpListener> = places
            .iter()
            .filter_map(|place| TcpListener::bind(place).ok())
            .collect();
        // One that is connected listens nowhere.
        let end = TcpStream::connect(held[0].local_addr().unwrap()).unwrap();
        let (asked, read) = (netlink::listeners().unwrap(), table::listeners().unwrap());
        for server in &held {
            let place = server.local_addr().unwrap();
            let is_it = |one: &&Listener| one.address == place.ip() && one.port == place.port();
            let found = asked.iter().find(is_it);
            assert!(found.is_some(), "{place}: {asked:?}");
            assert_eq!(found, read.iter().find(is_it), "{place}");
        }
        let port = end.local_addr().unwrap().port();
        assert!(!asked.iter().chain(&read).any(|one| one.port == port));
        assert_eq!(
            owner(held[0].local_addr().unwrap().port(), "nobody").unwrap(),
            Owner::Ours
        );
    }

    #[test]
    fn only_the_administrator_makes_a_service_account() {
        let accounts = "root:x:0:0::/root:/bin/sh\nollama:x:113:113::/:/bin/false\n\
                        anna:x:1000:1000::/home/anna:/bin/sh\nother:x:114:1::/:/bin/false\n";
        for (uid, may) in [
            (0, true),
            (1000, true),
            (113, true),
            (114, false),
            (1001, false),
        ] {
            assert_eq!(is_ours(uid, 1000, "ollama", accounts), may, "{uid}");
        }
        let posing = "ollama:x:1002:1002::/home/ollama:/bin/sh\n";
        assert!(!is_ours(1002, 1000, "ollama", posing));
    }
}
