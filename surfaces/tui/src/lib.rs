//! The terminal UI: a session on the normal screen, what is finished in the terminal's own scrollback.
//!
//! What it is: a surface after the model-view-update pattern. [`update::update`] takes what happened
//! and says what is to be done; `view` draws what still changes; `driver` does input, events and
//! effects, and sleeps while nothing happens.
//! What it owns: the layout, the keys, the input and how a question is answered with single lines.
//! How events, questions and results read is `surfaces/rendering`.
//! What it never does: build a service, decide what an agent may do, keep a fact about the session
//! that its log does not have, or pass on a control character that it did not write itself.
//! Where to start: [`run`], then [`update::update`] and [`keys`] (every key there is).

mod alternate;
mod answers;
mod background;
mod bindings;
mod burst;
mod chips;
mod choosing;
mod commands;
mod completion;
pub mod drafts;
mod driver;
mod earlier;
mod editor;
mod effects;
mod error;
mod files;
#[cfg(test)]
mod fixture;
mod highlight;
mod history;
pub mod host;
mod input;
mod inspect;
mod jobs;
mod keyboard;
pub mod keys;
mod lines;
mod links;
mod list;
mod markdown;
mod message;
mod modes;
mod notification;
mod options;
mod overlay;
mod overridden;
mod page;
mod palette;
mod panes;
mod picker;
mod programs;
mod question;
mod queue;
mod reading;
mod recall;
mod refresh;
mod screen;
mod sent;
mod state;
mod stream;
mod subject;
mod transcript;
pub mod update;
mod vi;
mod view;

pub use background::Theme;
pub use bindings::{ACTIONS, Keys, Mistake};
pub use choosing::choose;
pub use driver::{Attention, Ended, GoOn, HandedOver, Start, run};
pub use error::Error;
pub use keyboard::Keyboard;
pub use modes::Mouse;
pub use panes::Layout;
pub use state::Facts;
pub use vi::Editing;
