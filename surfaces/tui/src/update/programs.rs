//! When programs are asked what they say, and what is shown of it.

use super::closing::close;
use super::paging::{Stay, in_page};
use crate::jobs::{Jobs, Wish};
use crate::lines::{faint, safe};
use crate::message::Command;
use crate::overlay::{Overlay, room};
use crate::page::{Page, Turn};
use crate::programs::{self, FIRST, Opened};
use crate::refresh::Refresh;
use crate::state::State;
use crate::view;
use api::programs::{Program, ProgramId, ProgramState, Programs};
use crossterm::event::KeyEvent;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use ratatui::text::Line;
use text::fence;

/// Shows the programs, which are being read.
pub(super) fn list(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Jobs(Jobs::default()));
    Vec::new()
}

/// Asks for what is shown, where that is due; what is shown nowhere is not asked for.
pub(super) fn follow(state: &mut State) -> Option<Command> {
    let wanted = wanted(state);
    let (now, is_below) = (state.now, state.overlay.is_none());
    let watched = &mut state.programs;
    if watched.wanted != wanted {
        watched.wanted.clone_from(&wanted);
        watched.refresh = Refresh::default();
        match is_below {
            // Most end at once.
            true => watched.refresh.goes_on(now + FIRST),
            false => watched.refresh.changed(now),
        }
    }
    let command = wanted.filter(|_| watched.refresh.begins(now));
    if state.panes.is_open() {
        let lines = view::said(state).into_iter().map(Line::raw);
        state.panes.say(lines.collect());
    }
    command.map(Command::ReadPrograms)
}

/// What of the programs is shown right now, and may change.
fn wanted(state: &State) -> Option<Programs> {
    if state.is_gone {
        return None;
    }
    match &state.overlay {
        Some(Overlay::Jobs(_)) => Some(Programs::All),
        Some(Overlay::Output(page)) if !page.is_marking() => {
            let opened = state.programs.opened.as_ref()?;
            let ended = opened.program.as_ref().is_some_and(is_ended);
            (!opened.is_gone && !ended).then(|| Programs::One(opened.id.clone()))
        }
        Some(_) => None,
        None => (view::says(state) > 0).then_some(Programs::All),
    }
}

fn is_ended(program: &Program) -> bool {
    program.state != ProgramState::Running
}

/// Something happened in the session, which the list or the output may show.
pub(super) fn happened(state: &mut State, event: &Event) {
    use EventBody::{SignalReceived, ToolRequested, ToolResult};
    match (&mut state.overlay, &event.body) {
        (
            Some(Overlay::Jobs(_)),
            ToolRequested { .. } | ToolResult { .. } | SignalReceived { .. },
        ) => state.programs.refresh.changed(state.now),
        (Some(Overlay::Output(page)), ToolResult { text, .. }) => {
            let id = event.call_id.map(ProgramId::Call);
            let opened = state.programs.opened.as_mut();
            let Some(opened) = opened.filter(|opened| Some(&opened.id) == id.as_ref()) else {
                return;
            };
            opened.is_gone = true;
            // Lines that are marked stay as they are.
            if !page.is_marking() {
                let lines = fence::body(text).trim_end().lines();
                page.fill_on(lines.map(|line| Line::raw(safe(line))).collect());
            }
        }
        _ => {}
    }
}

/// Programs were told of, or could not be.
pub(super) fn read(
    state: &mut State,
    (id, wanted): (SessionId, &Programs),
    told: Result<Vec<Program>, String>,
) -> Vec<Command> {
    let now = state.now;
    // This window may have turned to another session meanwhile.
    if id != state.session.session_id {
        return Vec::new();
    }
    let is_wanted = state.programs.wanted.as_ref() == Some(wanted);
    if is_wanted {
        state.programs.refresh.was_read(now);
    }
    let is_known = told.is_ok();
    let told = told.unwrap_or_else(|why| {
        tracing::debug!("what programs say is not known: {why}");
        Vec::new()
    });
    match wanted {
        Programs::All => {
            state.programs.read(told);
            if let Some(Overlay::Jobs(jobs)) = &mut state.overlay {
                jobs.told(state.programs.all.as_deref().unwrap_or_default());
            }
        }
        Programs::One(id) => opened(state, id, told),
    }
    if is_wanted && is_known && goes_on(state) {
        state.programs.refresh.goes_on(now);
    }
    Vec::new()
}

/// Whether what is shown changes by itself: a list in which nothing runs changes by events alone.
fn goes_on(state: &State) -> bool {
    let is_list = matches!(state.overlay, Some(Overlay::Jobs(_)));
    !is_list || state.programs.is_any_running() || !state.view.work().calls().is_empty()
}

/// The program of the page was told of.
fn opened(state: &mut State, id: &ProgramId, told: Vec<Program>) {
    let mark = told
        .first()
        .and_then(|program| state.programs.mark(program));
    let Some(opened) = state.programs.opened.as_mut().filter(|one| one.id == *id) else {
        return;
    };
    let Some(Overlay::Output(page)) = &mut state.overlay else {
        return;
    };
    let Some(program) = told.into_iter().next() else {
        opened.is_gone = true;
        return;
    };
    // Lines that are marked stay as they are.
    if page.is_marking() {
        return;
    }
    let is_new = opened.filled != mark;
    let is_first = opened.filled.is_none();
    if let (true, Some(mark), Some(output)) = (is_new, mark, &program.output) {
        // Which comes last changes only for who reads the end.
        let shown = opened.filled.filter(|_| !page.is_at_end());
        let newest = shown.unwrap_or(mark).newest;
        page.fill_on(programs::output(output, newest));
        opened.filled = Some(mark);
    }
    if is_first {
        page.turn(Turn::End);
    }
    opened.program = Some(program);
}

/// A key for the list or the output; `None` where neither is open.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Option<Vec<Command>> {
    let Some(Overlay::Jobs(jobs)) = &mut state.overlay else {
        return in_output(state, key);
    };
    let all = state.programs.all.as_deref().unwrap_or_default();
    match jobs.pressed(key, all) {
        Wish::None => {}
        Wish::Close => close(state),
        Wish::Stop(id) => return Some(vec![Command::StopProgram(id)]),
        Wish::Open(id) => {
            let mut page = Page::new(room(state.size));
            page.fill(vec![Line::styled("reading…", faint())]);
            state.programs.opened = Some(Opened::new(id));
            state.overlay = Some(Overlay::Output(page));
        }
    }
    Some(Vec::new())
}

fn in_output(state: &mut State, key: KeyEvent) -> Option<Vec<Command>> {
    let Some(Overlay::Output(page)) = &mut state.overlay else {
        return None;
    };
    if page.is_marking() {
        return Some(super::marking::pressed(page, key));
    }
    if in_page(page, key) == Stay::No {
        let opened = state.programs.opened.take();
        let jobs = opened.map_or_else(Jobs::default, |opened| Jobs::at(opened.id));
        state.overlay = Some(Overlay::Jobs(jobs));
    }
    Some(Vec::new())
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Seat, id, program, request, said};
    use crate::message::{Command, Message};
    use crate::overlay::Overlay;
    use crate::view;
    use api::programs::{Program, ProgramId, ProgramState, Programs};
    use crossterm::event::KeyCode;
    use domain::event::{CallStatus, ConfirmationKind, EventBody, QueryStatus};
    use domain::id::SessionId;

    const ALL: Programs = Programs::All;

    impl Seat {
        /// What is asked for once so much time has passed, milliseconds.
        fn asked_after(&mut self, time: u64) -> Vec<Command> {
            self.now += std::time::Duration::from_millis(time);
            self.takes(Message::Tick)
        }

        fn tells(&mut self, wanted: Programs, programs: &[Program]) -> Vec<Command> {
            let session = SessionId::from_uuid(id(1));
            self.takes(Message::ProgramsRead(
                session,
                wanted,
                Ok(programs.to_vec()),
            ))
        }

        fn result(&mut self, query: u128, call: u128, text: &str) {
            let body = EventBody::ToolResult {
                tool: "run_command".to_owned(),
                status: CallStatus::Ok,
                value_id: None,
                label: None,
                text: text.to_owned(),
                truncated: false,
                duration_ms: 3,
                artifacts: Vec::new(),
                edited: None,
            };
            self.happens_to(Some(query), Some(call), body);
        }

        /// The rows below the scrollback.
        fn below(&self) -> String {
            let frame = view::frame(&self.state);
            let cells = frame.buffer.content().chunks(self.state.size.0.into());
            let rows = cells.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
            rows.collect::<Vec<_>>().join("\n")
        }
    }

    fn reads(wanted: Programs) -> Vec<Command> {
        vec![Command::ReadPrograms(wanted)]
    }

    /// A call that waits for a program runs.
    fn running(size: (u16, u16)) -> Seat {
        let mut seat = Seat::at(size);
        seat.asks(10, "build it");
        seat.runs(10, 5, "run_command");
        seat
    }

    #[test]
    fn programs_are_asked_only_while_one_runs_and_is_shown() {
        let mut seat = Seat::at((80, 24));
        assert_eq!(seat.state.wakes_at(), None);
        seat.asks(10, "build it");
        assert_eq!(seat.asked_after(5_000), []);
        seat.runs(10, 4, "read_file");
        assert_eq!(seat.asked_after(5_000), [], "no program");
        seat.runs(10, 5, "run_command");
        assert_eq!(seat.asked_after(299), []);
        assert_eq!(seat.asked_after(1), reads(ALL));
        assert_eq!(seat.asked_after(5_000), [], "one answer at a time");
        assert_eq!(seat.tells(ALL, &[program(5, said("one\n", ""))]), []);
        assert_eq!(seat.asked_after(499), []);
        // It was slow: it rests ten times as long.
        assert_eq!(seat.asked_after(49_000), []);
        assert_eq!(seat.asked_after(600), reads(ALL));
        seat.tells(ALL, &[program(5, said("one\ntwo\n", ""))]);
        assert_eq!(seat.asked_after(499), []);
        assert_eq!(seat.asked_after(1), reads(ALL));
        seat.tells(ALL, &[program(5, said("one\ntwo\n", ""))]);
        // Nothing of it is in sight.
        seat.press(KeyCode::Char('?'));
        assert!(seat.state.help.is_some());
        assert_eq!(seat.asked_after(5_000), []);
        seat.press(KeyCode::Esc);
        assert_eq!(seat.asked_after(300), reads(ALL));
        seat.tells(ALL, &[program(5, said("one\ntwo\n", ""))]);
        seat.result(10, 5, "exit code 0");
        assert_eq!(seat.asked_after(5_000), [], "it has ended");
        seat.ends(10, QueryStatus::Success);
        assert_eq!(seat.state.wakes_at(), None, "nothing wakes an idle window");
    }

    #[test]
    fn an_error_is_not_asked_for_again_and_again() {
        let mut seat = running((80, 24));
        assert_eq!(seat.asked_after(300), reads(ALL));
        let session = SessionId::from_uuid(id(1));
        let why = Err("no broker".to_owned());
        seat.takes(Message::ProgramsRead(session, ALL, why));
        assert_eq!(seat.asked_after(60_000), []);
        // What another session's programs say is not shown.
        let other = SessionId::from_uuid(id(77));
        let said = Ok(vec![program(5, said("other\n", ""))]);
        seat.takes(Message::ProgramsRead(other, ALL, said));
        assert!(!seat.below().contains("other"));
    }

    #[test]
    fn below_a_call_stand_as_many_rows_as_there_is_room_for() {
        for (size, rows) in [
            ((80, 24), 3),
            ((80, 20), 2),
            ((40, 15), 1),
            ((40, 14), 0),
            ((39, 24), 0),
        ] {
            let mut seat = running(size);
            seat.asked_after(300);
            let lines = "one\ntwo\nthree\nfour\u{1b}[2J\n";
            seat.tells(ALL, &[program(5, said(lines, ""))]);
            let below = seat.below();
            assert_eq!(below.matches("▎   | ").count(), rows, "{below}");
            assert!(rows == 0 || below.contains("| four"), "{below}");
            assert!(!below.contains('\u{1b}'));
            seat.result(10, 5, "exit code 0");
            assert!(!seat.below().contains("| four"));
        }
        let mut seat = running((80, 45));
        seat.tells(ALL, &[program(5, said(&"line\n".repeat(40), ""))]);
        seat.ctrl('o');
        assert_eq!(seat.below().matches("| line").count(), 10);
        seat.question(10, request(20, ConfirmationKind::Call));
        assert_eq!(seat.below().matches("| line").count(), 0);
    }

    #[test]
    fn the_list_leads_to_an_output_that_goes_on() {
        let mut seat = Seat::at((80, 24));
        assert!(seat.enters("/inspect jobs").contains(&reads(ALL)[0]));
        let job = |text: &str, state| Program {
            id: ProgramId::Job("watch".to_owned()),
            state,
            ..program(5, said(text, ""))
        };
        let one = || Programs::One(ProgramId::Job("watch".to_owned()));
        seat.tells(ALL, &[job("a\n", ProgramState::Running)]);
        assert_eq!(seat.asked_after(500), reads(ALL));
        let ended = ProgramState::Ended("exit code 0 after 4 s".to_owned());
        seat.tells(ALL, &[job("a\n", ended.clone())]);
        assert_eq!(seat.asked_after(60_000), [], "nothing runs");
        assert_eq!(seat.state.wakes_at(), None);
        assert_eq!(seat.press(KeyCode::Enter), reads(one()));
        let long: String = (0..60).map(|n| format!("line {n}\n")).collect();
        seat.tells(one(), &[job(&long, ProgramState::Running)]);
        let shown = |seat: &Seat| match &seat.state.overlay {
            Some(Overlay::Output(page)) => {
                let rows = page.shown().into_iter().map(|row| row.to_string());
                rows.collect::<Vec<_>>().join("\n")
            }
            other => panic!("{other:?}"),
        };
        assert!(shown(&seat).ends_with("line 59"), "{}", shown(&seat));
        assert_eq!(seat.asked_after(500), reads(one()));
        let longer = format!("{long}line 60\n");
        seat.tells(one(), &[job(&longer, ProgramState::Running)]);
        assert!(shown(&seat).ends_with("line 60"));
        // What is read stays where it is.
        seat.press(KeyCode::PageUp);
        let before = shown(&seat);
        seat.asked_after(500);
        seat.tells(one(), &[job(&format!("{longer}line 61\n"), ended)]);
        assert_eq!(shown(&seat), before);
        assert_eq!(seat.asked_after(60_000), [], "it has ended");
        assert_eq!(seat.press(KeyCode::Esc), reads(ALL));
        assert!(matches!(seat.state.overlay, Some(Overlay::Jobs(_))));
        seat.press(KeyCode::Esc);
        assert!(seat.state.overlay.is_none());
        assert_eq!(seat.state.wakes_at(), None);
    }

    #[test]
    fn an_output_of_a_call_ends_with_its_result() {
        let mut seat = running((80, 24));
        seat.enters("/inspect jobs");
        let programs = [program(5, said("one\n", ""))];
        seat.tells(ALL, &programs);
        seat.press(KeyCode::Enter);
        let one = Programs::One(programs[0].id.clone());
        seat.tells(one, &programs);
        seat.result(10, 5, "exit code 1\nstdout:\none\ntwo\u{1b}[2J\n");
        let Some(Overlay::Output(page)) = &seat.state.overlay else {
            panic!("the page stays");
        };
        let rows: Vec<String> = page.shown().iter().map(ToString::to_string).collect();
        assert_eq!(rows, ["exit code 1", "stdout:", "one", "two\\u{1b}[2J"]);
        assert_eq!(seat.asked_after(60_000), []);
        assert!(view::full(&seat.state).is_some());
    }

    #[test]
    fn no_key_in_the_list_or_an_output_answers_a_question() {
        let mut seat = running((80, 24));
        seat.enters("/inspect jobs");
        let programs = [program(5, said("one\n", ""))];
        seat.tells(ALL, &programs);
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.wait(5_000);
        for key in [KeyCode::Char('y'), KeyCode::Enter, KeyCode::Char('y')] {
            let done = seat.press(key);
            assert!(!done.iter().any(|one| matches!(one, Command::Answer(_))));
        }
        assert!(seat.state.dialog.is_none());
        seat.press(KeyCode::Esc);
        seat.press(KeyCode::Esc);
        assert!(seat.state.dialog.is_some());
    }
}
