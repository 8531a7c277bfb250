//! The roles of one house in processes of their own, as `[endpoints]` places them.

use std::process::Command;
use testkit::{Finished, House, Running};

/// How the processes of a house reach each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Not at all: every command does everything in its own process.
    OneProcess,
    /// Each role is a process; they meet on sockets of the user's.
    Sockets,
    /// Each role is a process; they meet over TCP, but for the sessions, which are the user's.
    Tcp,
}

/// The roles with an address of their own, in the order that they need each other.
const PLACED: [&str; 5] = ["audit", "models", "memory", "search", "broker"];

/// The processes by role; they end when this is dropped.
pub struct Roles(Vec<(&'static str, Running)>);

impl Roles {
    /// Starts what the way wants, and configures the house for it.
    ///
    /// # Panics
    /// When a role does not say where it serves.
    #[must_use]
    pub fn start(house: &House, config: &str, way: Way) -> Self {
        house.configure(config);
        if way == Way::OneProcess {
            return Self(Vec::new());
        }
        let mut config = format!("{config}\n[endpoints]\n");
        if way == Way::Sockets {
            // As docs/usage.md has it: one configuration, and each role knows its own address.
            for role in PLACED {
                let socket = house.run_dir().join(format!("{role}.sock"));
                config.push_str(&format!("{role} = \"unix:{}\"\n", socket.display()));
            }
            house.configure(&config);
        }
        let mut roles = Vec::new();
        for role in PLACED {
            let mut serving = house.ask(["serve", "--role", role]);
            if way == Way::Tcp {
                serving = serving.args(["--trust-network", "--listen", "tcp:127.0.0.1:0"]);
            }
            let mut serving = serving.spawn();
            let address = where_served(&mut serving);
            roles.push((role, serving));
            if way == Way::Tcp {
                config.push_str(&format!("{role} = \"{address}\"\n"));
                house.configure(&config);
            }
        }
        let mut roles = Self(roles);
        roles.serve(house, "agents");
        roles
    }

    /// Kills a role and starts it again, at the same socket.
    ///
    /// # Panics
    /// When it does not say where it serves.
    pub fn restart(&mut self, house: &House, role: &'static str) {
        self.stop(role);
        self.serve(house, role);
    }

    /// Kills a role.
    pub fn stop(&mut self, role: &'static str) {
        self.0.retain(|(name, _)| *name != role);
    }

    /// The number of the process that serves a role.
    ///
    /// # Panics
    /// When none does.
    #[must_use]
    pub fn pid(&self, role: &str) -> u32 {
        let found = self.0.iter().find(|(name, _)| *name == role);
        found.unwrap().1.pid()
    }

    /// Asks all of them to end at once, as a shutdown does, and waits for that: what became of each.
    ///
    /// # Panics
    /// When one was gone before.
    #[must_use]
    pub fn end_at_once(mut self) -> Vec<(&'static str, Finished)> {
        let pids = self.0.iter().map(|(_, running)| running.pid().to_string());
        let told = Command::new("kill").args(pids).status();
        assert!(told.unwrap().success());
        let ended = self.0.drain(..);
        ended.map(|(role, one)| (role, one.finish())).collect()
    }

    fn serve(&mut self, house: &House, role: &'static str) {
        let mut serving = house.ask(["serve", "--role", role]).spawn();
        where_served(&mut serving);
        self.0.push((role, serving));
    }

    /// How many processes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// The address that a role says it serves at.
fn where_served(serving: &mut Running) -> String {
    let said = serving.until("serving at ");
    let (_, address) = said.split_once("serving at ").unwrap();
    address.split(';').next().unwrap().to_owned()
}
