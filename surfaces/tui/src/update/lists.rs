//! The lists of what was typed before and of what waits.

use super::closing::close;
use crate::message::Command;
use crate::overlay::Overlay;
use crate::queue::{self, Queue, Waits};
use crate::recall::{self, Recall};
use crate::state::State;
use crossterm::event::KeyEvent;

/// Shows what was typed before.
pub(super) fn recall(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Recall(Recall::of(state.input.history())));
    Vec::new()
}

/// Shows what waits.
pub(super) fn queue(state: &mut State) -> Vec<Command> {
    let waiting = state.waits();
    if waiting.is_empty() {
        return vec![state.note("no message of this window waits")];
    }
    state.overlay = Some(Overlay::Queue(Queue::of(&waiting)));
    Vec::new()
}

/// A key for one of these lists; `None` where none is open.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Option<Vec<Command>> {
    let waiting = state.waits();
    match &mut state.overlay {
        Some(Overlay::Recall(recall)) => {
            let wish = recall.pressed(key);
            recalled(state, wish);
            Some(Vec::new())
        }
        Some(Overlay::Queue(queue)) => {
            let wish = queue.pressed(key, &waiting);
            Some(changed(state, wish))
        }
        _ => None,
    }
}

fn recalled(state: &mut State, wish: recall::Wish) {
    match wish {
        recall::Wish::None => return,
        recall::Wish::Close => {}
        recall::Wish::Take(text) if state.input.is_empty() => state.input.set(&text),
        recall::Wish::Take(_) => {
            if let Some(Overlay::Recall(recall)) = &mut state.overlay {
                recall.refusal = "the input is not empty: send or empty it first";
            }
            return;
        }
    }
    close(state);
}

fn changed(state: &mut State, wish: queue::Wish) -> Vec<Command> {
    match wish {
        queue::Wish::None => Vec::new(),
        queue::Wish::Close => {
            close(state);
            Vec::new()
        }
        queue::Wish::Remove(id) => vec![Command::Interrupt(Some(id))],
        queue::Wish::Edit(Waits { query_id, text, .. }) => {
            state.input.put_above(&text);
            close(state);
            vec![Command::Interrupt(Some(query_id))]
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Seat, id, request};
    use crate::message::{Command, Message};
    use crate::question::Field;
    use crossterm::event::KeyCode;
    use domain::event::{ConfirmationKind, QueryStatus};
    use domain::id::QueryId;

    fn answered(done: &[Command]) -> bool {
        done.iter().any(|one| matches!(one, Command::Answer(_)))
    }

    #[test]
    fn a_line_of_before_is_put_into_an_empty_input() {
        let mut seat = Seat::at((80, 24));
        for line in ["what do bees do?", "what do ants do?"] {
            seat.enters(line);
        }
        seat.types("draft");
        seat.ctrl('r');
        seat.enters("bees");
        assert_eq!(seat.state.input.text(), "draft");
        assert!(
            seat.state.overlay.is_some(),
            "it says that there is a draft"
        );
        seat.press(KeyCode::Esc);
        seat.ctrl('u');
        seat.ctrl('r');
        assert_eq!(seat.enters("bees"), []);
        assert_eq!(seat.state.input.text(), "what do bees do?");
        assert!(seat.state.overlay.is_none());
    }

    #[test]
    fn no_line_of_before_answers_a_question() {
        let mut seat = Seat::at((80, 24));
        seat.enters("y");
        seat.asks(10, "go");
        seat.ctrl('r');
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.wait(5_000);
        assert!(seat.state.dialog.is_none());
        assert!(!answered(&seat.gives("y")));
        // The line stands in the input, and the question waits for a key of its own.
        assert_eq!(seat.state.input.text(), "y");
        assert_eq!(seat.state.dialog.as_ref().unwrap().field(), Field::Draft);
        seat.wait(5_000);
        assert!(!answered(&seat.gives("")));
    }

    /// One request runs, and of two that wait the first is another window's.
    fn waiting() -> Seat {
        let mut seat = Seat::at((80, 24));
        for (number, text) in [(10, "one"), (11, "another's"), (12, "two"), (13, "three")] {
            seat.asks(number, text);
        }
        for own in [10, 12, 13] {
            seat.takes(Message::Sent(QueryId::from_uuid(id(own))));
        }
        seat
    }

    fn interrupts(number: u128) -> Vec<Command> {
        vec![Command::Interrupt(Some(QueryId::from_uuid(id(number))))]
    }

    #[test]
    fn what_waits_is_edited_and_removed() {
        let mut seat = waiting();
        seat.types("draft");
        assert_eq!(seat.press(KeyCode::F(6)), []);
        assert_eq!(seat.press(KeyCode::Char('d')), interrupts(12));
        seat.ends(12, QueryStatus::Interrupted);
        assert_eq!(seat.press(KeyCode::Enter), [], "the marked one is gone");
        seat.press(KeyCode::Down);
        assert_eq!(seat.press(KeyCode::Enter), interrupts(13));
        assert_eq!(seat.state.input.text(), "three\ndraft");
        seat.ends(13, QueryStatus::Interrupted);
        seat.press(KeyCode::F(6));
        assert!(
            seat.scrollback()
                .contains("no message of this window waits")
        );
        assert!(seat.state.overlay.is_none());
    }

    #[test]
    fn no_key_in_the_queue_answers_a_question() {
        let mut seat = waiting();
        seat.enters("/queue");
        assert!(seat.state.overlay.is_some());
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.wait(5_000);
        assert!(seat.state.dialog.is_none());
        seat.types("yy");
        let done = seat.press(KeyCode::Enter);
        assert!(!answered(&done) && seat.state.dialog.is_some());
        assert_eq!(seat.state.dialog.as_ref().unwrap().field(), Field::Draft);
    }
}
