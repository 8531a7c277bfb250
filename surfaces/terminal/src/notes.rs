//! A project's notes for agents: which files count, and what the user said of each version.

mod asking;
mod file;
mod seen;
mod vouched;
mod word;

pub use file::{File, NAMES, PROJECT_FILE, Used, used, version};
pub use seen::Seen;
pub use vouched::Vouched;
pub use word::{ask_about, distrust, list, spoken_of, trust, usable};
