//! Keys of the list above the input, and what is typed while it may open.

use crate::completion::Names;
use crate::host::Mention;
use crate::input::Edit;
use crate::keys::Action;
use crate::message::Command;
use crate::question::{Dialog, Field};
use crate::state::State;
use rendering::completion::Mentioned;
use rendering::slash::SHELL;

/// What is said of an Enter that was meant for the list.
const HIDDEN: &str =
    "not sent: a question came before Enter took what was marked; Enter sends the draft";

/// What a key does while the list is open; `None`: what it does elsewhere.
pub(super) fn act(state: &mut State, action: Action) -> Option<Vec<Command>> {
    if action == Action::Enter && is_hidden(state) {
        state.completion.close();
        return Some(vec![state.note(HIDDEN)]);
    }
    if !state.completes() {
        return None;
    }
    match action {
        Action::Interrupt => state.completion.leave_alone(),
        Action::Edit(Edit::Up) => state.completion.step(-1),
        Action::Edit(Edit::Down) => state.completion.step(1),
        Action::OtherField => return Some(take(state)),
        Action::Enter if state.completion.takes_enter() => return Some(take(state)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Whether a question hides an entry that Enter would have taken: the one on its way was meant for that.
fn is_hidden(state: &State) -> bool {
    let is_draft = |dialog: &Dialog| dialog.field() == Field::Draft;
    state.dialog.as_ref().is_some_and(is_draft) && state.completion.takes_enter()
}

fn take(state: &mut State) -> Vec<Command> {
    let Some(taken) = state.completion.take() else {
        return Vec::new();
    };
    state.input.replace_before(taken.replaces, &taken.text);
    if taken.is_spaced {
        state.input.space();
        return Vec::new();
    }
    typed(state)
}

/// The draft was edited by a key.
pub(super) fn edited(state: &mut State, change: Edit) -> Vec<Command> {
    let is_typed = matches!(change, Edit::Insert(_) | Edit::Backspace | Edit::DeleteWord);
    match is_typed && state.dialog.is_none() {
        true => typed(state),
        false => {
            state.completion.close();
            Vec::new()
        }
    }
}

/// What can be named of a kind was read.
pub(super) fn mentions(state: &mut State, of: Mentioned, known: Vec<Mention>) -> Vec<Command> {
    state.completion.read_mentions(of, known);
    Vec::new()
}

fn typed(state: &mut State) -> Vec<Command> {
    let text = state.input.text();
    if text.starts_with(SHELL.0) && text.len() > SHELL.0.len() {
        // What a message names in quotes, a shell would run.
        state.completion.close();
        return Vec::new();
    }
    let (line, before) = state.input.before_cursor();
    let wanted = state.completion.typed(line, before);
    let command = wanted.map(|names| match names {
        Names::Files(hidden) => Command::ListFiles(hidden),
        Names::Of(mentioned) => Command::ListMentions(mentioned),
    });
    command.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::files::{Entry, Hidden};
    use crate::fixture::{Seat, request};
    use crate::message::{Command, Message};
    use crossterm::event::KeyCode;
    use domain::event::ConfirmationKind;
    use rendering::completion::Named;

    #[test]
    fn tab_takes_the_marked_command_and_enter_sends_what_is_typed() {
        let mut seat = Seat::at((80, 24));
        seat.types("/mo");
        seat.press(KeyCode::Down);
        seat.press(KeyCode::Tab);
        assert_eq!(seat.state.input.text(), "/model ");
        assert!(!seat.state.completes());
        seat.state.input.set("");
        seat.types("/re");
        let done = seat.press(KeyCode::Enter);
        assert_eq!(done, [Command::Keep("/re".to_owned())]);
        assert!(seat.scrollback().contains("there is no command /re"));
        // Who moved to an entry means that one.
        seat.types("/re");
        seat.press(KeyCode::Down);
        assert!(seat.press(KeyCode::Enter).is_empty());
        assert_eq!(seat.state.input.text(), "/rewind ");
    }

    #[test]
    fn a_line_for_the_shell_has_no_list() {
        let mut seat = Seat::at((80, 24));
        seat.types("!cat @");
        assert!(!seat.state.completes());
        seat.state.input.set("");
        seat.types("/mo");
        assert!(seat.state.completes());
    }

    #[test]
    fn escape_closes_the_list_and_stops_nothing() {
        let mut seat = Seat::at((80, 24));
        seat.asks(10, "go");
        seat.types("/");
        assert!(seat.state.completes());
        assert!(seat.press(KeyCode::Esc).is_empty());
        seat.types("mo");
        assert!(!seat.state.completes());
        assert_eq!(seat.press(KeyCode::Esc).len(), 1, "now it stops what runs");
    }

    #[test]
    fn nothing_is_completed_while_a_question_stands() {
        let mut seat = Seat::at((80, 24));
        seat.asks(10, "go");
        seat.types("/mo");
        seat.question(10, request(20, ConfirmationKind::Call));
        assert!(!seat.state.completes());
        seat.press(KeyCode::Tab);
        assert_eq!(seat.state.input.text(), "/mo", "Tab led to the answer");
        seat.press(KeyCode::Tab);
        seat.types("de @");
        assert!(!seat.state.completes());
    }

    #[test]
    fn an_enter_for_the_list_sends_no_draft_where_a_question_came() {
        let mut seat = Seat::at((80, 24));
        seat.asks(10, "go");
        seat.types("/mo");
        seat.press(KeyCode::Down);
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.press(KeyCode::Enter);
        assert_eq!(seat.state.input.text(), "/mo");
        assert!(seat.scrollback().contains("not sent: a question came"));
        // The next one is meant for the draft.
        seat.press(KeyCode::Enter);
        assert!(seat.state.input.is_empty());
    }

    #[test]
    fn a_line_for_the_shell_is_offered_where_it_begins() {
        let mut seat = Seat::at((80, 24));
        seat.types("!");
        assert!(seat.state.completes());
        seat.press(KeyCode::Tab);
        assert_eq!(seat.state.input.text(), "! ");
        seat.types("ls");
        assert!(!seat.state.completes());
    }

    #[test]
    fn a_file_is_taken_with_a_space_behind_it() {
        let mut seat = Seat::at((80, 24));
        seat.types("see ");
        let done = seat.press(KeyCode::Char('@'));
        assert_eq!(done, [Command::ListFiles(Hidden::LeftOut)]);
        let entry = |path: &str| Entry {
            path: path.to_owned(),
            named: Named::File,
        };
        let read = vec![entry("a.md"), entry("my b.md")];
        seat.takes(Message::Files(Hidden::LeftOut, read));
        seat.types("b");
        seat.press(KeyCode::Tab);
        assert_eq!(seat.state.input.text(), "see @\"my b.md\" ");
        // A line of the history is no word that was typed.
        seat.state.input.set("");
        seat.state.input.keep("/undo");
        seat.press(KeyCode::Up);
        assert!(!seat.state.completes());
        seat.press(KeyCode::Up);
        assert_eq!(seat.state.input.text(), "/undo");
    }

    #[test]
    fn enter_takes_a_file_that_is_begun_and_sends_one_that_is_whole() {
        let mut seat = Seat::at((80, 24));
        let file = Entry {
            path: "a.md".to_owned(),
            named: Named::File,
        };
        seat.types("see @");
        seat.takes(Message::Files(Hidden::LeftOut, vec![file]));
        seat.types("a");
        assert!(seat.press(KeyCode::Enter).is_empty());
        assert_eq!(seat.state.input.text(), "see @a.md ");
        assert!(!seat.press(KeyCode::Enter).is_empty());
        assert!(seat.state.input.is_empty());
        seat.types("see @a.md");
        assert!(!seat.press(KeyCode::Enter).is_empty());
        assert!(seat.state.input.is_empty());
        // Without a letter nothing is begun.
        seat.types("mail me @");
        assert!(!seat.press(KeyCode::Enter).is_empty());
    }
}
