//! Keys and news while something stands on the alternate screen. None of them reaches a question.

use super::closing::close;
use super::history;
use super::lists;
use super::marking;
use super::options;
use super::outcome::{failed, refused};
use super::paging::{Stay, in_page};
use super::programs;
use crate::earlier::{self, Earlier, Sent};
use crate::message::Command;
use crate::overlay::{Overlay, room};
use crate::page::Page;
use crate::palette::{self, Choice, Palette};
use crate::picker::{Offer, Picker, Wish};
use crate::refresh::Refresh;
use crate::state::State;
use crate::subject::Subject;
use api::sessions::Follow;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::event::EventBody;
use domain::fault::Fault;
use ratatui::text::Line;
use session::AgentState;
use std::time::Duration;
use text::escape::visible_line;

/// What lists the programs that run or ran.
const JOBS: &str = "jobs";
/// How often the time line of agents at work is drawn anew.
const TIME_LINE: Duration = Duration::from_secs(2);

/// Shows a page that is being read.
pub(super) fn inspect(state: &mut State, subject: Subject) -> Vec<Command> {
    let mut page = Page::new(room(state.size));
    page.fill(vec![Line::styled("reading…", crate::lines::faint())]);
    state.overlay = Some(Overlay::Page(subject, page));
    state.refresh = Refresh::reading(state.now);
    vec![Command::Inspect(subject)]
}

/// Something happened in the session, which the page that stands there may show.
pub(super) fn changed(state: &mut State, body: &EventBody) {
    let is_progress = matches!(body, EventBody::PromptRead(_)) || !Follow::Outline.has(body);
    if let Some(Overlay::Page(subject, _)) = &state.overlay
        && subject.is_live()
        && !is_progress
    {
        state.refresh.changed(state.now);
    }
}

/// Reads the page that stands there anew, if that is due.
pub(super) fn refresh(state: &mut State) -> Option<Command> {
    let Some(Overlay::Page(subject, page)) = &state.overlay else {
        return None;
    };
    // Lines that are marked stay as they are.
    if page.is_marking() {
        return None;
    }
    let subject = *subject;
    let begins = state.refresh.begins(state.now);
    begins.then_some(Command::Inspect(subject))
}

/// Shows the sessions, which are being read.
pub(super) fn sessions(state: &mut State) -> Vec<Command> {
    let here = state.profile.settings.workspace.clone();
    state.overlay = Some(Overlay::Sessions(Picker::new(here, Offer::All)));
    vec![Command::ListSessions]
}

/// Shows the commands and keys.
pub(super) fn palette(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Palette(Palette::of(&state.keys)));
    Vec::new()
}

/// Gives the terminal to an editor.
pub(super) fn editor(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Editor);
    vec![Command::Edit(state.input.text())]
}

/// The editor has ended, or could not begin.
pub(super) fn edited(state: &mut State, edited: Result<String, Fault>) -> Vec<Command> {
    let mut done = Vec::new();
    match edited {
        Ok(text) => state.input.replace(&text),
        Err(fault) => done.push(failed(state, &fault)),
    }
    if matches!(state.overlay, Some(Overlay::Editor)) {
        close(state);
    }
    done
}

/// Shows the earlier messages, which are being read.
pub(super) fn earlier(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Earlier(Earlier::default()));
    vec![Command::ListEarlier]
}

/// A key for what stands there; with what was chosen to be run on the normal screen.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> (Vec<Command>, Option<Choice>) {
    let (is_asked, is_empty) = (is_asked(state), state.input.is_empty());
    let Some(Overlay::Palette(palette)) = &mut state.overlay else {
        return (elsewhere(state, key), None);
    };
    if let Some(command) = of_terminal(key) {
        return (vec![command], None);
    }
    let choice = match palette.pressed(key) {
        palette::Wish::None => return (Vec::new(), None),
        // What is run could lead into its answer.
        palette::Wish::Run(_) if is_asked => return (Vec::new(), None),
        palette::Wish::Run(Choice::Command(_, arguments)) if !arguments.is_empty() && !is_empty => {
            palette.refusal = "the input is not empty: send or empty it first";
            return (Vec::new(), None);
        }
        palette::Wish::Run(choice) => Some(choice),
        palette::Wish::Close => None,
    };
    close(state);
    (Vec::new(), choice)
}

fn is_asked(state: &State) -> bool {
    state.dialog.is_some() || !state.view.questions().is_empty()
}

/// What keys do wherever something stands.
fn of_terminal(key: KeyEvent) -> Option<Command> {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('z') if is_ctrl => Some(Command::Suspend),
        KeyCode::Char('l') if is_ctrl => Some(Command::Redraw),
        _ => None,
    }
}

fn elsewhere(state: &mut State, key: KeyEvent) -> Vec<Command> {
    if let Some(command) = of_terminal(key) {
        return vec![command];
    }
    let listed = lists::pressed(state, key);
    let listed = listed.or_else(|| options::pressed(state, key));
    let listed = listed.or_else(|| history::pressed(state, key));
    if let Some(done) = listed.or_else(|| programs::pressed(state, key)) {
        return done;
    }
    match &mut state.overlay {
        None
        | Some(
            Overlay::Palette(_)
            | Overlay::Editor
            | Overlay::Recall(_)
            | Overlay::Options(_)
            | Overlay::Queue(_)
            | Overlay::Jobs(_)
            | Overlay::Output(_),
        ) => Vec::new(),
        Some(Overlay::Earlier(earlier)) => {
            let wish = earlier.pressed(key);
            gone_back(state, wish)
        }
        Some(Overlay::Page(_, page)) if page.is_marking() => marking::pressed(page, key),
        Some(Overlay::Page(_, page)) => {
            if in_page(page, key) == Stay::No {
                close(state);
            }
            Vec::new()
        }
        Some(Overlay::Sessions(picker)) => {
            let wish = picker.pressed(key);
            let read = read_for(picker);
            let mut done = granted(state, wish);
            done.extend(read);
            done
        }
    }
}

/// Goes back to a message, unless something came meanwhile.
fn gone_back(state: &mut State, wish: earlier::Wish) -> Vec<Command> {
    let can_step_back = state.can_step_back();
    let (said, command): (Sent, fn(Sent) -> Command) = match wish {
        earlier::Wish::None => return Vec::new(),
        earlier::Wish::Close => {
            close(state);
            return Vec::new();
        }
        earlier::Wish::Fork(said) => (said, Command::ForkBefore),
        earlier::Wish::Rewind(said) => (said, Command::RewindTo),
    };
    if !can_step_back {
        if let Some(Overlay::Earlier(earlier)) = &mut state.overlay {
            earlier.refusal = "something runs or waits in this session: close this first";
        }
        return Vec::new();
    }
    close(state);
    if matches!(command(said.clone()), Command::ForkBefore(_)) {
        state.input.set(&said.text);
    }
    vec![command(said)]
}

fn granted(state: &mut State, wish: Wish) -> Vec<Command> {
    let is_busy = state.shown_request.is_some();
    match wish {
        Wish::None => Vec::new(),
        Wish::Close => {
            close(state);
            Vec::new()
        }
        Wish::Resume(id) if id == state.session.session_id => {
            close(state);
            Vec::new()
        }
        Wish::Resume(_) | Wish::Fork(_) if is_busy => {
            say(
                state,
                "a request still runs in this session: stop it with Esc first",
            );
            Vec::new()
        }
        Wish::Resume(_) | Wish::Fork(_) if !state.input.is_empty() => {
            say(state, "the input is not empty: send or empty it first");
            Vec::new()
        }
        Wish::Resume(id) => vec![Command::GoTo(id)],
        Wish::Fork(id) => vec![Command::Fork(id)],
        Wish::Export(id) => vec![Command::Export(id)],
        Wish::Rename(id, name) => vec![Command::Rename(id, name)],
    }
}

/// Says something where the sessions are, or in the scrollback.
pub(super) fn say(state: &mut State, text: &str) -> Option<Command> {
    match &mut state.overlay {
        Some(Overlay::Sessions(picker)) => {
            picker.say(visible_line(text));
            None
        }
        Some(Overlay::Jobs(jobs)) => {
            jobs.said = visible_line(text);
            state.programs.refresh.changed(state.now);
            None
        }
        _ => Some(state.note(&visible_line(text))),
    }
}

/// A paste is typed where something can be typed, and else nothing.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Command> {
    let letters = text.lines().next().unwrap_or_default().chars();
    match &mut state.overlay {
        Some(Overlay::Page(_, page) | Overlay::Output(page)) => {
            letters.for_each(|letter| page.push_letter(letter));
        }
        Some(Overlay::Sessions(picker)) => {
            letters.for_each(|letter| picker.push(letter));
            return read_for(picker);
        }
        Some(Overlay::Earlier(earlier)) => letters.for_each(|letter| earlier.push(letter)),
        Some(Overlay::Palette(palette)) => letters.for_each(|letter| palette.push(letter)),
        Some(Overlay::Recall(recall)) => letters.for_each(|letter| recall.push(letter)),
        Some(Overlay::Options(options)) => letters.for_each(|letter| options.push(letter)),
        Some(Overlay::Editor | Overlay::Queue(_) | Overlay::Jobs(_)) | None => {}
    }
    Vec::new()
}

/// The terminal has another size.
pub(super) fn resized(state: &mut State) {
    let room = room(state.size);
    if let Some(page) = state.overlay.as_mut().and_then(Overlay::page_mut) {
        page.lay(room);
    }
}

/// A page was read.
pub(super) fn filled(
    state: &mut State,
    subject: Subject,
    lines: Vec<Line<'static>>,
) -> Vec<Command> {
    if let Some(Overlay::Page(shown, page)) = &mut state.overlay
        && *shown == subject
    {
        state.refresh.was_read(state.now);
        match page.is_marking() {
            true => state.refresh.changed(state.now),
            false if subject.opens_at_end() => page.fill_on(lines),
            false => page.fill(lines),
        }
        let mut agents = state.view.agents().iter();
        if subject == Subject::Agents && agents.any(|one| one.state == AgentState::AtWork) {
            state.refresh.goes_on(state.now + TIME_LINE);
        }
    }
    Vec::new()
}

/// The user's messages were read.
pub(super) fn filled_with(state: &mut State, said: Vec<Sent>) -> Vec<Command> {
    if let Some(Overlay::Earlier(earlier)) = &mut state.overlay {
        earlier.fill(said);
    }
    Vec::new()
}

/// What is to be read for the list of sessions.
pub(super) fn read_for(picker: &mut Picker) -> Vec<Command> {
    let search = picker.next_search().map(Command::SearchSessions);
    let preview = picker.next_preview().map(Command::Preview);
    search.into_iter().chain(preview).collect()
}

/// The picker, where it is open.
pub(super) fn picker(state: &mut State) -> Option<&mut Picker> {
    match &mut state.overlay {
        Some(Overlay::Sessions(picker)) => Some(picker),
        _ => None,
    }
}

/// What `/inspect NAME` asks for.
pub(super) fn named(state: &mut State, name: &str) -> Vec<Command> {
    let found = Subject::ALL.into_iter().find(|one| one.name() == name);
    match found {
        Some(Subject::History) => history::newest(state),
        Some(subject) => inspect(state, subject),
        None if name == JOBS => programs::list(state),
        None => {
            let mut names = Subject::ALL.map(Subject::name).to_vec();
            names.push(JOBS);
            let names = names.join(", ");
            vec![refused(
                state,
                "which of them is to be shown?",
                &format!("Type /inspect and one of {names}."),
            )]
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::earlier::Sent;
    use crate::fixture::{Seat, id, request};
    use crate::message::{Command, Message};
    use crate::overlay::Overlay;
    use crossterm::event::KeyCode;
    use domain::Timestamp;
    use domain::event::{ConfirmationKind, QueryStatus};
    use domain::fault::Fault;
    use domain::id::QueryId;

    fn sent(number: u128, text: &str, exchanges: usize) -> Sent {
        Sent {
            query_id: QueryId::from_uuid(id(number)),
            text: text.to_owned(),
            time: Timestamp::UNIX_EPOCH,
            begins_after: 1,
            is_first: false,
            exchanges,
        }
    }

    #[test]
    fn an_editor_changes_the_draft_and_answers_nothing() {
        let mut seat = Seat::at((80, 24));
        seat.types("draft");
        assert_eq!(seat.ctrl('g'), [Command::Edit("draft".to_owned())]);
        seat.asks(10, "go");
        seat.question(10, request(20, ConfirmationKind::Call));
        assert!(seat.state.dialog.is_none(), "it is put once it is seen");
        assert_eq!(seat.enters("y"), []);
        seat.takes(Message::Edited(Ok("one\u{1b}[2J\ntwo".to_owned())));
        assert_eq!(seat.state.input.text(), "one[2J\ntwo");
        assert!(seat.state.dialog.is_some() && seat.state.overlay.is_none());
        // Beside a question the key leads to its diff.
        assert_eq!(seat.ctrl('g'), []);
        let mut seat = Seat::at((80, 24));
        seat.types("draft");
        seat.ctrl('g');
        let fault = Fault {
            code: "carl.failed".to_owned(),
            message: "no editor".to_owned(),
            hint: String::new(),
        };
        seat.takes(Message::Edited(Err(fault)));
        assert_eq!(seat.state.input.text(), "draft");
        assert!(seat.scrollback().contains("error: no editor"));
    }

    /// A session with two messages, whose list is open.
    fn listed() -> Seat {
        let mut seat = Seat::at((80, 24));
        for (number, text) in [(10, "one"), (11, "two")] {
            seat.asks(number, text);
            seat.ends(number, QueryStatus::Success);
        }
        assert_eq!(seat.press(KeyCode::Esc), []);
        assert_eq!(seat.press(KeyCode::Esc), [Command::ListEarlier]);
        let both = vec![sent(11, "two", 1), sent(10, "one", 2)];
        seat.takes(Message::Earlier(both));
        seat
    }

    #[test]
    fn two_escapes_lead_back_to_a_message() {
        let mut seat = listed();
        seat.press(KeyCode::Down);
        let done = seat.press(KeyCode::Enter);
        assert_eq!(done, [Command::ForkBefore(sent(10, "one", 2))]);
        assert_eq!(seat.state.input.text(), "one");
        let mut seat = listed();
        assert_eq!(
            seat.ctrl('r'),
            [Command::RewindTo(sent(11, "two", 1))],
            "its text comes once it is taken back"
        );
        assert!(seat.state.input.is_empty());
        seat.types("draft");
        seat.takes(Message::Draft("two".to_owned()));
        assert_eq!(seat.state.input.text(), "draft");
        seat.ctrl('u');
        seat.press(KeyCode::Up);
        assert_eq!(seat.state.input.text(), "two");
    }

    #[test]
    fn no_escape_leads_back_while_something_goes_on() {
        let is_open = |seat: &Seat| seat.state.overlay.is_some();
        let mut seat = Seat::at((80, 24));
        seat.types("x");
        seat.press(KeyCode::Esc);
        seat.press(KeyCode::Esc);
        assert!(!is_open(&seat), "a draft is begun");
        seat.ctrl('u');
        seat.press(KeyCode::Esc);
        seat.wait(2_500);
        seat.press(KeyCode::Esc);
        seat.press(KeyCode::Left);
        seat.press(KeyCode::Esc);
        assert!(!is_open(&seat), "they were not two in a row");
        seat.asks(10, "go");
        seat.press(KeyCode::Esc);
        seat.press(KeyCode::Esc);
        assert!(!is_open(&seat), "a request runs");
        seat.question(10, request(20, ConfirmationKind::Call));
        seat.press(KeyCode::Esc);
        seat.press(KeyCode::Esc);
        assert!(!is_open(&seat), "a question stands");
        let mut seat = listed();
        seat.asks(12, "from another window");
        assert_eq!(seat.press(KeyCode::Enter), []);
        assert!(is_open(&seat) && seat.state.input.is_empty());
    }

    #[test]
    fn the_palette_runs_what_is_chosen() {
        let mut seat = Seat::at((80, 24));
        seat.ctrl('p');
        assert!(matches!(seat.state.overlay, Some(Overlay::Palette(_))));
        seat.types("shift+tab");
        assert!(matches!(
            seat.press(KeyCode::Enter)[..],
            [Command::Configure(_)]
        ));
        seat.ctrl('p');
        assert_eq!(seat.enters("/compact"), [Command::Compact]);
        seat.ctrl('p');
        assert_eq!(seat.enters("/rewind"), []);
        assert_eq!(seat.state.input.text(), "/rewind ");
        // What is in the input is not lost.
        seat.ctrl('p');
        seat.enters("/pin");
        assert!(seat.state.overlay.is_some());
        assert_eq!(seat.state.input.text(), "/rewind ");
    }

    #[test]
    fn the_palette_runs_nothing_beside_a_question() {
        let mut seat = Seat::at((80, 24));
        seat.asks(10, "go");
        seat.ctrl('p');
        seat.question(10, request(20, ConfirmationKind::Call));
        assert_eq!(seat.enters("tab"), []);
        assert!(seat.state.overlay.is_some() && seat.state.dialog.is_none());
        seat.press(KeyCode::Esc);
        assert!(seat.state.dialog.is_some());
        let done = seat.gives("y");
        let answers = done.iter().any(|one| matches!(one, Command::Answer(_)));
        assert!(!answers && seat.state.dialog.is_some(), "it was not quiet");
    }
}
