//! The sandbox: a program with fewer rights than Housecarl has.
//!
//! What it is: an [`api::sandbox::Sandbox`]. It starts our own program once more ([`inside`]), which
//! takes its rights away one by one and only then starts the program that was asked for.
//! What it owns: namespaces, the view of the file system, Landlock, the system-call filter, limits,
//! control groups, and the life of everything that runs inside.
//! What it never does: decide what may run, run anything with less than the promised restrictions,
//! leave a process behind.
//! Where to start: [`inside`] (the order in which rights go), then [`Service`].

mod cgroup;
mod config;
mod hold;
pub mod inside;
mod output;
mod promise;
mod service;
mod wire;

pub use config::Config;
pub use service::Service;
