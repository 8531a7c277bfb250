//! The lists of what was typed before and of what waits.

use super::closing::close;
use crate::message::Command;
use crate::overlay::Overlay;
use crate::queue::{self, Edited, Queue, Waits};
use crate::recall::{self, Recall};
use crate::state::State;
use api::sessions::QueueChange;
use crossterm::event::KeyEvent;
use domain::id::QueryId;

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
                recall.refusal = NOT_EMPTY;
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
        queue::Wish::Remove(id) => vec![Command::TakeOut(id, None)],
        queue::Wish::Edit(_) if !state.input.is_empty() => {
            if let Some(Overlay::Queue(queue)) = &mut state.overlay {
                queue.refusal = NOT_EMPTY;
            }
            Vec::new()
        }
        queue::Wish::Edit(Waits { query_id, text, .. }) => {
            close(state);
            vec![taking_out(state, query_id, text)]
        }
        queue::Wish::Up(id) => moved(state, (id, Way::Up)),
        queue::Wish::Down(id) => moved(state, (id, Way::Down)),
    }
}

/// What is said where a message would come into an input in which something stands.
const NOT_EMPTY: &str = "the input is not empty: send or empty it first";

/// Takes a message out to be edited. What stands behind it now is what it is put before again.
fn taking_out(state: &mut State, query_id: QueryId, text: String) -> Command {
    let waiting = state.waiting_requests().map(|one| one.query_id);
    let behind = waiting.skip_while(|one| *one != query_id).skip(1);
    state.edited.leaves(behind.collect());
    Command::TakeOut(query_id, Some(text))
}

/// Where a message goes among those of this window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// Moves one of this window's messages past the next of them, whatever of other windows is between.
fn moved(state: &State, (id, way): (QueryId, Way)) -> Vec<Command> {
    let own: Vec<QueryId> = state.waits().iter().map(|one| one.query_id).collect();
    let Some(at) = own.iter().position(|one| *one == id) else {
        return Vec::new();
    };
    let change = match way {
        Way::Up => match at.checked_sub(1) {
            Some(above) => QueueChange::Before(own[above]),
            None => return Vec::new(),
        },
        Way::Down => {
            let Some(below) = own.get(at + 1) else {
                return Vec::new();
            };
            let mut all = state.waiting_requests().map(|one| one.query_id);
            let _passed = all.by_ref().find(|one| one == below);
            all.next().map_or(QueueChange::Last, QueueChange::Before)
        }
    };
    vec![Command::Move(id, change)]
}

/// Takes the newest message that waits back into the input.
pub(super) fn take_back(state: &mut State) -> Vec<Command> {
    let newest = state
        .waiting_requests()
        .rfind(|one| state.sent.contains(&one.query_id))
        .map(|one| (one.query_id, one.text.clone()));
    match newest {
        Some(_) if !state.input.is_empty() => {
            vec![state.note(&format!("not taken back: {NOT_EMPTY}"))]
        }
        Some((id, text)) => vec![taking_out(state, id, text)],
        None => vec![state.note("no message of this window waits that could be taken back")],
    }
}

/// Puts a message that was taken out into the input, unless something was typed there meanwhile.
pub(super) fn taken_out(state: &mut State, text: &str) -> Vec<Command> {
    if !state.input.is_empty() {
        state.edited = Edited::default();
        state.input.keep(text);
        let said = "a message was taken back while you typed: Up on an empty input brings it back";
        return vec![state.note(said)];
    }
    state.input.set(text);
    state.edited.came();
    // A draft stands now: what is typed is for it, not for a question.
    state.stand_again();
    Vec::new()
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Seat, id, request};
    use crate::message::{Command, Message};
    use crate::question::Field;
    use api::sessions::QueueChange;
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

    fn query(number: u128) -> QueryId {
        QueryId::from_uuid(id(number))
    }

    fn takes_out(number: u128, text: Option<&str>) -> Vec<Command> {
        vec![Command::TakeOut(query(number), text.map(str::to_owned))]
    }

    #[test]
    fn what_waits_is_edited_and_removed() {
        let mut seat = waiting();
        seat.types("draft");
        assert_eq!(seat.press(KeyCode::F(6)), []);
        assert_eq!(seat.press(KeyCode::Char('d')), takes_out(12, None));
        seat.ends(12, QueryStatus::Interrupted);
        assert_eq!(seat.press(KeyCode::Enter), [], "the marked one is gone");
        seat.press(KeyCode::Down);
        assert_eq!(seat.press(KeyCode::Enter), [], "a draft is begun");
        assert!(
            seat.state.overlay.is_some(),
            "it says that there is a draft"
        );
        seat.press(KeyCode::Esc);
        assert_eq!(seat.ctrl('x'), []);
        assert!(seat.scrollback().contains("not taken back: the input"));
        seat.ctrl('u');
        seat.press(KeyCode::F(6));
        assert_eq!(seat.press(KeyCode::Enter), takes_out(13, Some("three")));
        assert_eq!(seat.state.input.text(), "", "it may have begun");
        seat.takes(Message::TakenOut("three".to_owned()));
        assert_eq!(seat.state.input.text(), "three");
        seat.ends(13, QueryStatus::Interrupted);
        seat.press(KeyCode::F(6));
        assert!(
            seat.scrollback()
                .contains("no message of this window waits")
        );
        assert!(seat.state.overlay.is_none());
    }

    #[test]
    fn what_comes_back_while_something_is_typed_joins_no_draft() {
        let mut seat = waiting();
        assert_eq!(seat.ctrl('x'), takes_out(13, Some("three")));
        seat.types("draft");
        seat.takes(Message::TakenOut("three".to_owned()));
        assert_eq!(seat.state.input.text(), "draft");
        assert!(seat.scrollback().contains("Up on an empty input"));
        let sends = Command::Send("draft".to_owned());
        assert!(seat.press(KeyCode::Enter).contains(&sends));
        seat.press(KeyCode::Up);
        seat.press(KeyCode::Up);
        assert_eq!(seat.state.input.text(), "three");
    }

    #[test]
    fn what_was_edited_goes_before_what_it_stood_before() {
        let mut seat = waiting();
        seat.press(KeyCode::F(6));
        assert_eq!(seat.press(KeyCode::Enter), takes_out(12, Some("two")));
        seat.takes(Message::TakenOut("two".to_owned()));
        seat.ends(12, QueryStatus::Interrupted);
        seat.types(" more");
        let sends = Command::SendBefore(vec![query(13)], "two more".to_owned());
        assert!(seat.press(KeyCode::Enter).contains(&sends));
        // The next message is one of its own.
        let sends = Command::Send("four".to_owned());
        assert!(seat.enters("four").contains(&sends));
        // One that was thrown away has no place that another would take.
        seat.takes(Message::Sent(query(14)));
        seat.asks(15, "five");
        assert_eq!(seat.ctrl('x'), takes_out(13, Some("three")));
        seat.takes(Message::TakenOut("three".to_owned()));
        seat.ctrl('u');
        let sends = Command::Send("six".to_owned());
        assert!(seat.enters("six").contains(&sends));
    }

    #[test]
    fn what_waits_is_moved_past_others() {
        let mut seat = waiting();
        seat.asks(14, "four");
        seat.takes(Message::Sent(query(14)));
        seat.press(KeyCode::F(6));
        assert_eq!(seat.press(KeyCode::Char('K')), [], "the first of its own");
        let moves = |number, change| vec![Command::Move(query(number), change)];
        let behind_two = moves(12, QueueChange::Before(query(14)));
        assert_eq!(seat.press(KeyCode::Char('J')), behind_two);
        let places = |seat: &Seat| -> Vec<(String, usize)> {
            let waits = seat.state.waits().into_iter();
            waits.map(|one| (one.text, one.place)).collect()
        };
        seat.moves(12, Some(14));
        let of = |text: &str, place| (text.to_owned(), place);
        let expected = [of("three", 2), of("two", 3), of("four", 4)];
        assert_eq!(places(&seat), expected);
        // The mark goes along.
        assert_eq!(seat.press(KeyCode::Char('J')), moves(12, QueueChange::Last));
        seat.moves(12, None);
        assert_eq!(seat.press(KeyCode::Char('J')), [], "the last");
        let before_four = moves(12, QueueChange::Before(query(14)));
        assert_eq!(seat.press(KeyCode::Char('K')), before_four);
        assert_eq!(places(&seat), [of("three", 2), of("four", 3), of("two", 4)]);
        // They begin in this order.
        seat.ends(10, QueryStatus::Success);
        seat.ends(11, QueryStatus::Success);
        assert_eq!(seat.state.shown_request, Some(query(13)));
        assert_eq!(places(&seat), [of("four", 1), of("two", 2)]);
    }

    #[test]
    fn the_key_that_stops_tools_edits_a_draft() {
        let mut seat = waiting();
        seat.types("draft");
        seat.press(KeyCode::Home);
        assert_eq!(seat.ctrl('k'), []);
        assert_eq!(seat.state.input.text(), "");
        assert_eq!(seat.ctrl('k'), [Command::StopTools(0)]);
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
        seat.takes(Message::TakenOut("two".to_owned()));
        assert_eq!(seat.state.dialog.as_ref().unwrap().field(), Field::Draft);
    }
}
