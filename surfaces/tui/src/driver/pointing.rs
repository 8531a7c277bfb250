//! What of the mouse is known to the UI.

use crate::message::{Message, Pointed};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

/// What the mouse did; `None` for what does nothing here.
pub fn pointed(mouse: MouseEvent) -> Option<Message> {
    let what = match mouse.kind {
        MouseEventKind::ScrollUp => Pointed::WheelUp,
        MouseEventKind::ScrollDown => Pointed::WheelDown,
        MouseEventKind::Down(MouseButton::Left) => Pointed::Pressed,
        _ => return None,
    };
    Some(Message::Pointed(what, (mouse.column, mouse.row)))
}
