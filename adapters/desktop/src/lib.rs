//! The desktop over D-Bus: notifications, and whether somebody is at the machine; and whether it runs
//! on its battery.
//!
//! What it is: [`api::signals::Notifier`] over the freedesktop.org notifications of the session bus,
//! and [`api::signals::Source`] over logind on the system bus.
//! What it owns: how a notice is written so that no desktop reads markup in it, and which changes of
//! the user's session are a signal.
//! What it never does: start a program to find a bus, wait longer than two seconds for an answer,
//! change anything in logind, or fail a session because there is no desktop.
//! Where to start: [`Notifications`]; [`Presence`].

mod line;
mod notifications;
pub mod power;
mod presence;

pub use line::ANSWER_TIME;
pub use notifications::{BODY_CHARS, Notifications, TITLE_CHARS};
pub use presence::Presence;
