//! An override for the next message alone: it begins with that message and ends with it, whatever
//! comes of it, and nothing else is sent meanwhile.

use super::outcome::{failed, refused};
use crate::keys::Action;
use crate::message::Command;
use crate::state::{Override, State};
use domain::fault::Fault;
use domain::settings::{Mode, OverrideLevel};
use rendering::{Paint, override_warning};

/// What is said of a message that comes while one goes by its own override.
const IN_FORCE: &str = "not sent: a message goes by an override, which is for that one alone";

/// Chooses how far the next message overrides the guard, or says how far it does.
pub(super) fn choose(state: &mut State, level: Option<OverrideLevel>) -> Vec<Command> {
    // What the drive does meanwhile would go by the same override.
    if state.profile.mode == Mode::Auto {
        return vec![refused(
            state,
            "in auto mode an override cannot hold for one message alone",
            "Choose another mode first: /mode loop",
        )];
    }
    if matches!(state.once, Override::InForce) {
        return vec![refused(state, IN_FORCE, "Wait until it is over.")];
    }
    let settled = state.profile.settings.override_level;
    if let Some(level) = level {
        state.once = match level == settled {
            true => Override::None,
            false => Override::Next(level),
        };
    }
    let (next, behind) = match state.once {
        Override::Next(level) => (level, "; for your next message alone"),
        Override::None | Override::InForce => (settled, ""),
    };
    vec![match override_warning(next) {
        Some(warning) => state.told(&[Paint::Colour.bad(&format!("{warning}{behind}"))]),
        None => state.note(&format!("no override{behind}")),
    }]
}

/// Auto mode begins: no override goes along.
pub(super) fn end_for_auto(state: &mut State) -> Option<Command> {
    if !matches!(state.once, Override::Next(_)) {
        return None;
    }
    state.once = Override::None;
    Some(state.note("the override is over: in auto mode none holds for one message alone"))
}

/// Why a message cannot be sent now; it stays in the input.
pub(super) fn holds_back(state: &State) -> Option<Command> {
    let hint = "It stays in the input: Enter sends it once that is over.";
    match state.once {
        Override::InForce => Some(refused(state, IN_FORCE, hint)),
        Override::Next(_) if state.is_busy() => Some(refused(
            state,
            "not sent: a request still runs, and an override is for one message alone",
            "Wait for its end, stop it with Esc, or type /override none.",
        )),
        Override::Next(_) | Override::None => None,
    }
}

/// Sends a message, by an override of its own where one was chosen.
pub(super) fn send(state: &mut State, text: String) -> Command {
    match state.once {
        Override::Next(level) => {
            state.once = Override::InForce;
            Command::SendBy(level, text)
        }
        Override::None | Override::InForce => Command::Send(text),
    }
}

/// The message with an override has ended, and so has that; with a fault it may hold still, and nothing
/// more is sent from here.
pub(super) fn over(state: &mut State, fault: Option<&Fault>) -> Vec<Command> {
    match fault {
        None => {
            state.once = Override::None;
            state.in_force.own(&state.profile);
            vec![state.note("the override is over")]
        }
        Some(fault) => {
            let leave = state.keys.name_of(Action::Leave);
            let what = refused(
                state,
                "the override may hold still, so nothing more is sent from this window",
                &format!("Leave with {leave}: it ends with this window."),
            );
            vec![failed(state, fault), what]
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Seat;
    use crate::message::{Command, Message};
    use domain::event::QueryStatus;
    use domain::fault::Fault;
    use domain::settings::{Mode, OverrideLevel};

    fn sent(text: &str) -> Vec<Command> {
        let by = Command::SendBy(OverrideLevel::All, text.to_owned());
        vec![Command::Keep(text.to_owned()), by]
    }

    fn plainly(text: &str) -> Vec<Command> {
        vec![
            Command::Keep(text.to_owned()),
            Command::Send(text.to_owned()),
        ]
    }

    #[test]
    fn an_override_is_for_the_next_message_alone() {
        let mut seat = Seat::at((80, 24));
        seat.enters("/override all");
        assert!(seat.scrollback().contains("for your next message alone"));
        assert_eq!(seat.enters("write it"), sent("write it"));
        // Nothing else goes by it, and nothing is lost.
        assert_eq!(seat.enters("and that"), []);
        assert_eq!(seat.state.input.text(), "and that");
        seat.takes(Message::OverrideOver(None));
        assert_eq!(seat.enters(""), plainly("and that"));
    }

    #[test]
    fn an_override_waits_for_what_runs_and_can_be_taken_back() {
        let mut seat = Seat::at((80, 24));
        seat.asks(10, "go");
        seat.enters("/override all");
        assert_eq!(seat.enters("write it"), []);
        assert_eq!(seat.state.input.text(), "write it");
        seat.ends(10, QueryStatus::Success);
        assert_eq!(seat.enters(""), sent("write it"));
        seat.takes(Message::OverrideOver(None));
        seat.enters("/override all");
        seat.enters("/override none");
        assert_eq!(seat.enters("hello"), plainly("hello"));
    }

    #[test]
    fn no_override_goes_along_into_auto_mode() {
        let mut seat = Seat::at((80, 24));
        seat.enters("/override all");
        seat.enters("/mode auto");
        assert!(seat.scrollback().contains("the override is over: in auto"));
        assert_eq!(seat.enters("hello"), plainly("hello"));
        let mut auto = seat.state.profile.clone();
        auto.mode = Mode::Auto;
        seat.takes(Message::Configured(Box::new(auto)));
        seat.enters("/override relax");
        assert!(
            seat.scrollback()
                .contains("in auto mode an override cannot")
        );
    }

    #[test]
    fn an_override_that_cannot_be_ended_stops_the_input() {
        let mut seat = Seat::at((80, 24));
        seat.enters("/override all");
        seat.enters("write it");
        let fault = Fault {
            code: "sessions.unreachable".to_owned(),
            message: "gone".to_owned(),
            hint: String::new(),
        };
        seat.takes(Message::OverrideOver(Some(fault)));
        assert_eq!(seat.enters("more"), []);
        assert_eq!(seat.state.input.text(), "more");
    }
}
