//! The page of what was said and done.

use super::{barred, head, or_nothing};
use crate::lines::painted;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use ratatui::text::Line;
use rendering::terminal::Terminal;
use rendering::{Paint, moments};
use text::links::Known;

/// What was said and done, oldest first: messages and answers whole, and between them the lines that
/// events have elsewhere.
#[must_use]
pub fn history<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Line<'static>> {
    let mut terminal = Terminal::kept(Paint::Colour, Known::default());
    let mut lines = Vec::new();
    for event in events {
        if let EventBody::QueryReceived { text, origin, .. } = &event.body {
            let who = match origin {
                Origin::User => "you",
                Origin::Drive => "going on by itself",
            };
            let time = moments::here(event.time);
            lines.push(head(&format!("#{} {who}, {time}", event.seq)));
            lines.extend(barred(text.trim_end()));
        }
        // Nothing is written, so that nothing can fail.
        let _kept = terminal.draw(event);
        let told = terminal.take_lines();
        lines.extend(told.iter().map(|line| painted(line)));
        let (what, answer) = match &event.body {
            EventBody::GenerationFinished { answer, .. } => ("the answer", answer.trim_end()),
            EventBody::SecondTaken { answer } => {
                ("the second answer, taken over", answer.trim_end())
            }
            _ => continue,
        };
        if !answer.is_empty() {
            lines.push(head(&format!("#{} {what}", event.seq)));
            lines.extend(barred(answer));
        }
    }
    or_nothing(lines, "nothing was said yet")
}
