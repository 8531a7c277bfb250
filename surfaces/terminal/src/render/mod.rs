//! What people and programs see of a session. Every renderer is a projection of its events and
//! holds nothing that could not be rebuilt from them.

pub mod agents;
mod calls;
pub mod confirm;
pub mod context;
mod delegation;
pub mod drive;
pub mod fit;
mod folded;
pub mod in_force;
pub mod links;
pub mod memory;
pub mod messages;
pub mod moments;
mod paint;
mod print;
pub mod recalls;
pub mod summary;
pub mod terminal;
pub mod transcript;
pub mod values;

pub use fit::table;
pub use paint::{Paint, override_warning};
pub use print::{for_terminal, hand_out, print, print_error};
