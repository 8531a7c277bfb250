//! The roles of one house in processes of their own, as `[endpoints]` places them.

use testkit::{House, Running};

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

/// The processes; they end when this is dropped.
pub struct Roles(Vec<Running>);

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
        let mut roles = Vec::new();
        for role in PLACED {
            let address = match way {
                Way::Tcp => "tcp:127.0.0.1:0".to_owned(),
                Way::Sockets | Way::OneProcess => {
                    format!("unix:{}/{role}.sock", house.run_dir().display())
                }
            };
            let args = ["serve", "--role", role, "--trust-network", "--listen"];
            let mut serving = house.ask(args).arg(&address).spawn();
            let address = where_served(&mut serving);
            roles.push(serving);
            config.push_str(&format!("{role} = \"{address}\"\n"));
            house.configure(&config);
        }
        let mut agents = house.ask(["serve", "--role", "agents"]).spawn();
        where_served(&mut agents);
        roles.push(agents);
        Self(roles)
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
