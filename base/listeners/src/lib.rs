//! Whose server listens on a port of this machine.
//!
//! What it is: a look at the kernel's tables of sockets, for servers that nobody configured. Whoever
//! listens first at a usual place is found there, and any user of the machine may.
//! What it owns: whose server may be used unasked (docs/decisions/0059).
//! What it never does: connect.
//! Where to start: [`owner`].

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;

/// Accounts below are made by the system's administrator alone (`SYS_UID_MAX` of login.defs).
const FIRST_USER: u32 = 1_000;
/// `TCP_LISTEN` of the kernel's net/tcp_states.h, as /proc/net/tcp writes it.
const LISTENS: &str = "0A";
/// Addresses at which a connection to 127.0.0.1 arrives, as /proc/net/tcp and tcp6 write them, nearest
/// first: who listens at a farther one is not reached while somebody listens at a nearer.
const NEAREST: [&[&str]; 3] = [
    &["0100007F", "0000000000000000FFFF00000100007F"],
    &["00000000"],
    &["00000000000000000000000000000000"],
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
/// When the kernel's tables cannot be read.
pub fn owner(port: u16, service_account: &str) -> io::Result<Owner> {
    let mut table = fs::read_to_string("/proc/net/tcp")?;
    match fs::read_to_string("/proc/net/tcp6") {
        Ok(newer) => table.push_str(&newer),
        // A machine without the newer protocol.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let owners = listeners(&table, port);
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

/// The users whose sockets a connection to a port of loopback reaches, by the kernel's tables.
fn listeners(table: &str, port: u16) -> Vec<u32> {
    let mut all = NEAREST
        .iter()
        .map(|addresses| listening_at(table, port, addresses));
    all.find(|owners| !owners.is_empty()).unwrap_or_default()
}

/// The users whose sockets listen on a port at one of these addresses.
fn listening_at(table: &str, port: u16, addresses: &[&str]) -> Vec<u32> {
    let port = format!("{port:04X}");
    let owner = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (address, its_port) = fields.get(1)?.split_once(':')?;
        let is_it =
            fields.get(3) == Some(&LISTENS) && its_port == port && addresses.contains(&address);
        is_it.then(|| fields.get(7)?.parse().ok()).flatten()
    };
    table.lines().filter_map(owner).collect()
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

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000 65534        0 1 1
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   113        0 2 1
   2: 0100007F:2CAA 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 3 1
   3: 0201A8C0:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 4 1
";

    #[test]
    fn who_listens_is_read_from_the_kernels_table() {
        assert_eq!(listeners(TABLE, 11_434), [65_534]);
        assert_eq!(listeners(TABLE, 8080), [113]);
        assert!(listeners(TABLE, 1234).is_empty());
        // Who takes only connections of the newer protocol is not reached beside the user's server.
        let other = "   0: 00000000000000000000000000000000:2CAA \
                     00000000000000000000000000000000:0000 0A 0:0 00:0 0 1001 0 5 1\n";
        assert_eq!(listeners(&format!("{TABLE}{other}"), 11_434), [65_534]);
        assert_eq!(listeners(other, 11_434), [1001]);
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
