//! What keys and pastes come to.

use super::outcome::leave;
use super::results::whole_result;
use super::{answering, completing, configuring, lists, overlaid, overriding, paned, slash};
use crate::chips::{PASTED_CHARS, is_long};
use crate::input::Edit;
use crate::keys::Action;
use crate::markdown::{Break, DocumentLine};
use crate::message::Command;
use crate::page::Turn;
use crate::palette::Choice;
use crate::question::{Field, TOO_LOW, UNREAD};
use crate::sent;
use crate::state::State;
use crate::subject::Subject;
use crate::vi::Mode;
use crate::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use rendering::agents::gist;
use rendering::confirm::is_answer;
use rendering::slash::{SHELL, is_command};

/// What is said of a command that comes as a paste does.
const CAME_AT_ONCE: &str = "not run: the line came all at once, as a paste does; Enter runs it";

/// A key was pressed.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Vec<Command> {
    // An answer from before counts first, if it was long enough ago.
    let mut done = answering::go_on(state);
    if let Some(dialog) = &mut state.dialog {
        dialog.followed();
    }
    if state.overlay.is_some() {
        let (more, choice) = overlaid::pressed(state, key);
        done.extend(more);
        done.extend(choice.map_or_else(Vec::new, |choice| run(state, choice)));
        return done;
    }
    if state.panes.is_searching() {
        done.extend(paned::searched(state, key));
        return done;
    }
    if state.panes.is_marking() {
        done.extend(paned::marked(state, key));
        return done;
    }
    if paned::begins_search(state, key) {
        state.leaving = None;
        state.stepping = None;
        paned::begin_search(state);
        return done;
    }
    if by_vi(state, key) {
        state.leaving = None;
        state.stepping = None;
        return done;
    }
    if let Some(action) = state.keys.action_of(key) {
        let types = matches!(key.code, KeyCode::Char('?'));
        if action == Action::Help && !types && state.help.is_none() && is_draft(state) {
            state.help = Some(0);
            return done;
        }
        done.extend(act(state, in_draft(state, key, action)));
    }
    done
}

/// On a draft, the key that stops tools deletes to the end of the line, as it does in other editors.
fn in_draft(state: &State, key: KeyEvent, action: Action) -> Action {
    let cuts = action == Action::StopTools && key.code == KeyCode::Char('k');
    match cuts && !state.input.is_empty() {
        true => Action::Edit(Edit::DeleteToEnd),
        false => action,
    }
}

/// A key of vi's normal mode, or the one that leads there; whether it was one. While a question takes the
/// keys it is none.
fn by_vi(state: &mut State, key: KeyEvent) -> bool {
    let Some(mode) = state.input.mode().filter(|_| state.help.is_none()) else {
        return false;
    };
    if key
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
    {
        return false;
    }
    match (key.code, mode) {
        (KeyCode::Esc, Mode::Insert) if is_draft(state) => {
            state.completion.close();
            state.input.leave_insert();
            true
        }
        (KeyCode::Esc, Mode::Normal) => state.input.forget_command(),
        (KeyCode::Char('?'), Mode::Normal) if state.input.is_empty() => false,
        (KeyCode::Char(letter), Mode::Normal) => command(state, letter),
        (KeyCode::Backspace, Mode::Normal) => command(state, 'h'),
        _ => false,
    }
}

fn command(state: &mut State, letter: char) -> bool {
    if is_answering(state) {
        return false;
    }
    state.input.command(letter);
    draft_changed(state);
    true
}

pub(super) fn act(state: &mut State, action: Action) -> Vec<Command> {
    if action != Action::Clear {
        state.leaving = None;
    }
    if action != Action::Interrupt {
        state.stepping = None;
    }
    if let Some(done) = in_help(state, action) {
        return done;
    }
    if let Some(done) = completing::act(state, action) {
        return done;
    }
    if !matches!(action, Action::Edit(_)) {
        state.completion.close();
    }
    match action {
        Action::PageUp if paned::has_keys(state) => paned::turn(state, Turn::PageUp),
        Action::PageDown if paned::has_keys(state) => paned::turn(state, Turn::PageDown),
        Action::OtherField if paned::has_keys(state) => state.panes.focus_next(),
        Action::Panes => paned::turn_layout(state),
        Action::Zoom => paned::zoom(state),
        Action::Copy => paned::begin_marking(state),
        Action::Search => paned::begin_search(state),
        Action::PageUp => scroll(state, Scroll::PageUp),
        Action::PageDown => scroll(state, Scroll::PageDown),
        Action::DiffOrEditor if state.dialog.is_none() => return overlaid::editor(state),
        Action::DiffOrEditor => scroll(state, Scroll::ToDiff),
        Action::Interrupt => return interrupt(state),
        Action::Clear => return clear(state),
        Action::Leave => {
            return match state.input.is_empty() {
                true => leave(state),
                false => edit(state, Edit::Delete),
            };
        }
        Action::Expand => return expand(state),
        Action::Sessions => return overlaid::sessions(state),
        Action::Palette => return overlaid::palette(state),
        Action::Recall => return lists::recall(state),
        Action::Queue => return lists::queue(state),
        Action::Calls => return overlaid::inspect(state, Subject::Calls),
        Action::NextMode => return vec![configuring::next_mode(state)],
        Action::NextThinking => return vec![configuring::next_thinking(state)],
        Action::TakeBack => return lists::take_back(state),
        Action::StopTools => return vec![Command::StopTools(state.agents_to_stop())],
        Action::OtherField => {
            let now = state.now;
            if let Some(dialog) = &mut state.dialog {
                dialog.turn(now);
            }
        }
        Action::Suspend => return vec![Command::Suspend],
        Action::Redraw => return vec![Command::Redraw],
        Action::Enter => return entered(state),
        Action::Help => return question_mark(state),
        Action::Edit(change) => return edit(state, change),
    }
    Vec::new()
}

/// While the help is open keys scroll or close it; others do what they always do.
fn in_help(state: &mut State, action: Action) -> Option<Vec<Command>> {
    let at = state.help?;
    let (page, most) = view::help_extent(state);
    let at = at.min(most);
    match action {
        Action::PageUp => state.help = Some(at.saturating_sub(page)),
        Action::PageDown => state.help = Some((at + page).min(most)),
        Action::Edit(Edit::Up) => state.help = Some(at.saturating_sub(1)),
        Action::Edit(Edit::Down) => state.help = Some((at + 1).min(most)),
        Action::Edit(Edit::Head) => state.help = Some(0),
        Action::Edit(Edit::End) => state.help = Some(most),
        Action::Interrupt | Action::Help | Action::Enter => state.help = None,
        _ => {
            state.help = None;
            return None;
        }
    }
    Some(Vec::new())
}

/// Ways to scroll a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scroll {
    /// A row up.
    Up,
    /// A row down.
    Down,
    /// By what is shown at a time, up.
    PageUp,
    /// The same down, so that no row is passed over.
    PageDown,
    /// To its beginning.
    Top,
    /// To its end.
    End,
    /// To its first difference of a file.
    ToDiff,
}

fn scroll(state: &mut State, way: Scroll) {
    let Some(sight) = view::sight(state) else {
        return;
    };
    let Some(dialog) = &mut state.dialog else {
        return;
    };
    let from = dialog.top(sight);
    match way {
        Scroll::Up => dialog.scroll_to(from, from.saturating_sub(1)),
        Scroll::Down => dialog.scroll_to(from, (from + 1).min(sight.last)),
        Scroll::PageUp => dialog.scroll_to(from, from.saturating_sub(sight.rows)),
        Scroll::PageDown => dialog.scroll_to(from, (from + sight.rows).min(sight.last)),
        Scroll::Top => dialog.jump_to(0),
        Scroll::End => dialog.jump_to(sight.last),
        Scroll::ToDiff => {
            if let Some(row) = sight.diff {
                dialog.jump_to(row.min(sight.last));
            }
        }
    }
}

/// Whether keys that type go into the answer to a question.
fn is_answering(state: &mut State) -> bool {
    let now = state.now;
    state
        .dialog
        .as_mut()
        .is_some_and(|dialog| dialog.takes_key(now))
}

/// Whether keys are the draft's: no question stands, or the user turned to the draft beside it.
pub(super) fn is_draft(state: &State) -> bool {
    let mut dialog = state.dialog.iter();
    dialog.all(|dialog| dialog.field() == Field::Draft)
}

fn question_mark(state: &mut State) -> Vec<Command> {
    if state.input.is_empty() && is_draft(state) {
        state.help = Some(0);
        return Vec::new();
    }
    edit(state, Edit::Insert('?'))
}

pub(super) fn edit(state: &mut State, change: Edit) -> Vec<Command> {
    if is_answering(state) {
        let way = match change {
            Edit::Up => Some(Scroll::Up),
            Edit::Down => Some(Scroll::Down),
            // The answer is one short line: its cursor stands at its end.
            Edit::Head => Some(Scroll::Top),
            Edit::End => Some(Scroll::End),
            _ => None,
        };
        if let Some(way) = way {
            scroll(state, way);
            return Vec::new();
        }
        let now = state.now;
        if let Some(dialog) = &mut state.dialog {
            match change {
                Edit::Insert(letter) => dialog.push(letter, now),
                Edit::Backspace => dialog.backspace(),
                Edit::DeleteToHead | Edit::DeleteWord => drop(dialog.clear()),
                _ => {}
            }
        }
        return Vec::new();
    }
    let turn = match change {
        Edit::Head => Some(Turn::Top),
        Edit::End => Some(Turn::End),
        _ => None,
    };
    // In a draft they move the cursor.
    if let Some(turn) = turn.filter(|_| state.input.is_empty() && paned::has_keys(state)) {
        paned::turn(state, turn);
        return Vec::new();
    }
    state.input.edit(change);
    draft_changed(state);
    completing::edited(state, change)
}

/// An empty draft gives the keys back to the question.
fn draft_changed(state: &mut State) {
    let now = state.now;
    if state.input.is_empty() {
        // What was to be edited is gone, and so is its place.
        state.edited.take();
    }
    if state.input.is_empty()
        && let Some(dialog) = &mut state.dialog
    {
        dialog.draft_is_empty(now);
    }
}

/// A text was pasted.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Command> {
    state.help = None;
    if let Some(dialog) = &mut state.dialog {
        dialog.followed();
    }
    if state.overlay.is_some() {
        return overlaid::pasted(state, text);
    }
    if state.panes.is_searching() {
        paned::pasted(state, text);
        return Vec::new();
    }
    if state.panes.is_marking() {
        return Vec::new();
    }
    if is_answering(state) {
        if let Some(dialog) = &mut state.dialog {
            dialog.paste(text);
        }
        return Vec::new();
    }
    state.completion.close();
    match state.input.paste(text) {
        true => Vec::new(),
        false => vec![
            state.note("not pasted: a message may have 1 MiB; put it into a file and name that"),
        ],
    }
}

fn clear(state: &mut State) -> Vec<Command> {
    if let Some(dialog) = &mut state.dialog
        && dialog.field() == Field::Answer
        && dialog.clear()
    {
        return Vec::new();
    }
    if !state.input.is_empty() {
        state.input.set("");
        draft_changed(state);
        return Vec::new();
    }
    match state.leaving.take() {
        Some(_) => leave(state),
        None => {
            state.leaving = Some(state.now);
            Vec::new()
        }
    }
}

fn interrupt(state: &mut State) -> Vec<Command> {
    match state.shown_request {
        Some(id) => vec![state.note("stopping"), Command::Interrupt(Some(id))],
        None if !state.can_step_back() => Vec::new(),
        None => match state.stepping.take() {
            Some(_) => overlaid::earlier(state),
            None => {
                state.stepping = Some(state.now);
                Vec::new()
            }
        },
    }
}

/// Does what was chosen from the palette, which is closed.
fn run(state: &mut State, choice: Choice) -> Vec<Command> {
    match choice {
        Choice::Key(action) => act(state, action),
        Choice::Page(subject) => overlaid::inspect(state, subject),
        Choice::Command(name, "") => slash::act(state, name),
        Choice::Command(name, _) => {
            state.input.set(&format!("{name} "));
            Vec::new()
        }
    }
}

/// Enter in the answer to a question. Words that answer nothing are kept.
fn answered(state: &mut State) -> Vec<Command> {
    let now = state.now;
    let sight = view::sight(state);
    let mut kept = None;
    if let Some((dialog, sight)) = state.dialog.as_mut().zip(sight) {
        let barred = match sight.hides && !dialog.was_read_to(sight.last) {
            _ if sight.is_cut => Some(TOO_LOW),
            true => Some(UNREAD),
            false => None,
        };
        kept = dialog.enter(now, barred);
    }
    match kept.filter(|_| state.input.is_empty()) {
        None => Vec::new(),
        Some(line) => {
            state.input.set(&line);
            vec![state.note("no answer, so it stands in the input: Tab leads there")]
        }
    }
}

/// Why a line is not sent at first: by habit, it may be meant for what closed just before.
fn meant_for_what_closed(state: &mut State, line: &str) -> Option<String> {
    if std::mem::take(&mut state.is_question_closed) && is_answer(line) {
        let line = gist(line);
        return Some(format!(
            "not sent: \"{line}\" answers nothing, the question is closed; Enter sends it"
        ));
    }
    let said = "not sent: a list was open here, which closed with its server; Enter sends it";
    std::mem::take(&mut state.is_list_closed).then(|| said.to_owned())
}

fn entered(state: &mut State) -> Vec<Command> {
    if is_answering(state) {
        return answered(state);
    }
    let text = state.input.text();
    let line = text.trim();
    if line.is_empty() {
        state.input.set("");
        draft_changed(state);
        return Vec::new();
    }
    // It came before the question could be read, and is no message either.
    let mut questions = state.dialog.iter();
    let is_early = questions.any(|dialog| !dialog.is_turned_to_draft());
    if is_early && is_answer(line) && !line.contains(char::is_whitespace) {
        let said = format!(
            "\"{}\" was typed before this question could be read: read it, then answer",
            gist(line)
        );
        state.input.set("");
        draft_changed(state);
        return vec![state.note(&said)];
    }
    let line = line.to_owned();
    if let Some(said) = meant_for_what_closed(state, &line) {
        return vec![state.note(&said)];
    }
    // What a paste begins with is out of sight, so it is said to the agent.
    let is_command = is_command(&line) && !state.input.begins_with_paste();
    let is_for_shell = line.starts_with(SHELL.0) && !state.input.begins_with_paste();
    // So may be the beginning of a long draft that came back.
    if (is_command || is_for_shell)
        && let Some(why) = not_in_sight(text.strip_suffix('\n').unwrap_or(&text))
    {
        let said = format!(
            "not sent: {why}, and this begins like one; put a word before it to say it to the agent"
        );
        return vec![state.note(&said)];
    }
    // As in a paste that the terminal does not mark.
    if (is_command || is_for_shell) && state.burst.has_letters() {
        return vec![state.note(CAME_AT_ONCE)];
    }
    if !is_command && let Some(why) = overriding::holds_back(state) {
        return vec![why];
    }
    let behind = state.edited.take();
    state.input.set("");
    state.input.keep(&line);
    draft_changed(state);
    let mut done = vec![Command::Keep(line.clone())];
    match is_command {
        true => done.extend(slash::act(state, &line)),
        // An override is for what is said to the agent.
        false if is_for_shell => done.push(Command::Execute(behind, line)),
        false => done.push(match overriding::send(state, line) {
            Command::Send(text) if !behind.is_empty() => Command::SendBefore(behind, text),
            command => command,
        }),
    }
    done
}

/// Why a draft that begins like a command may not be in sight from its beginning on.
fn not_in_sight(text: &str) -> Option<String> {
    if text.contains('\n') {
        return Some("a command stands alone on one line".to_owned());
    }
    is_long(text).then(|| format!("a command has at most {PASTED_CHARS} characters"))
}

/// Shows thinking and results whole from now on, and the last ones now; or folds again.
fn expand(state: &mut State) -> Vec<Command> {
    state.is_expanded = !state.is_expanded;
    state.panes.show_thoughts(state.thoughts());
    if !state.is_expanded {
        return vec![state.note("thinking, results and long messages are folded again")];
    }
    let mut done =
        vec![state.note("thinking, results and long messages whole from now on; the last ones:")];
    let line = |line| DocumentLine {
        line,
        may_break: Break::Words(2),
    };
    if let Some(text) = &state.last_message {
        done.push(Command::Print(state.own(sent::whole(text))));
    }
    let thought = state
        .stream
        .marked_thought()
        .into_iter()
        .map(line)
        .collect();
    done.push(Command::Print(state.own(thought)));
    done.extend(whole_result(state));
    done
}

#[cfg(test)]
mod tests;
