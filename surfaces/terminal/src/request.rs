//! A request that is worked on: what it shows, what it asks, and what is typed meanwhile.

mod asker;
mod follow;
mod keyboard;
mod prompts;
mod view;

pub use asker::Asker;
pub use follow::{follow, work_on};
pub use keyboard::{Heard, Keyboard, LINE_BYTES};
pub use view::{Meanwhile, View};
