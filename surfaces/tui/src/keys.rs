//! Every key there is: what it does, where, and what the help says of it. `bindings` puts keys of
//! the user's own in their place.

use crate::input::Edit;
use crossterm::event::{KeyCode, KeyModifiers};

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send what is typed, or give the answer.
    Enter,
    /// Stop what runs.
    Interrupt,
    /// Empty the input; on an empty one, leave when pressed twice.
    Clear,
    /// Leave, from an empty input.
    Leave,
    /// Show thinking, results and long messages whole from now on, or folded again.
    Expand,
    /// The next mode.
    NextMode,
    /// The next level of thinking.
    NextThinking,
    /// Take the newest waiting message back into the input.
    TakeBack,
    /// Between the answer to a question and the input.
    OtherField,
    /// One page up in the question or the help.
    PageUp,
    /// One page down there.
    PageDown,
    /// To the first difference of a file in the question; without one, the draft in an editor.
    DiffOrEditor,
    /// Show the session in panes, or on the normal screen again.
    Panes,
    /// Give the pane in focus the whole room, or its own again.
    Zoom,
    /// Search in the pane in focus.
    Search,
    /// Mark lines of the pane in focus and copy them.
    Copy,
    /// Show all sessions.
    Sessions,
    /// Show the tool calls.
    Calls,
    /// Stop the tools that run, and not the request.
    StopTools,
    /// Show what waits, to change it.
    Queue,
    /// Show what was typed before, to search it.
    Recall,
    /// Show every command and key, to search and run one.
    Palette,
    /// Show the keys and commands.
    Help,
    /// Stop until the shell goes on with it.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Change what is typed.
    Edit(Edit),
}

/// A key and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    code: KeyCode,
    modifiers: KeyModifiers,
    action: Action,
    /// Its name, where the help has a line for it; keys of one line follow one another.
    name: &'static str,
    /// What the help says.
    about: &'static str,
}

impl Binding {
    /// The key, with what is held beside it.
    #[must_use]
    pub const fn key(&self) -> (KeyCode, KeyModifiers) {
        (self.code, self.modifiers)
    }

    /// What it does.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// The name of the keys of its line in the help; empty where it is of the line before.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What the help says of them.
    #[must_use]
    pub const fn about(&self) -> &'static str {
        self.about
    }
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

const fn key(
    (code, modifiers): (KeyCode, KeyModifiers),
    action: Action,
    name: &'static str,
    about: &'static str,
) -> Binding {
    Binding {
        code,
        modifiers,
        action,
        name,
        about,
    }
}

/// The same as the binding before it.
const fn also(code: KeyCode, modifiers: KeyModifiers, action: Action) -> Binding {
    key((code, modifiers), action, "", "")
}

/// All of them. The first that fits counts.
pub const TABLE: [Binding; 49] = [
    key(
        (KeyCode::Enter, NONE),
        Action::Enter,
        "Enter",
        "send; in a question: answer",
    ),
    key(
        (KeyCode::Enter, ALT),
        Action::Edit(Edit::NewLine),
        "Alt+Enter, Ctrl+J",
        "new line (Shift+Enter where the terminal tells it apart)",
    ),
    also(KeyCode::Enter, SHIFT, Action::Edit(Edit::NewLine)),
    also(KeyCode::Char('j'), CTRL, Action::Edit(Edit::NewLine)),
    key(
        (KeyCode::Esc, NONE),
        Action::Interrupt,
        "Esc",
        "stop what runs; twice, when nothing does: earlier messages",
    ),
    key(
        (KeyCode::Char('k'), CTRL),
        Action::StopTools,
        "Ctrl+K",
        "stop the tools and not the request; in a draft: cut its line",
    ),
    key(
        (KeyCode::Char('c'), CTRL),
        Action::Clear,
        "Ctrl+C",
        "empty the input; twice on an empty one: leave",
    ),
    key(
        (KeyCode::Char('d'), CTRL),
        Action::Leave,
        "Ctrl+D",
        "leave, from an empty input",
    ),
    key(
        (KeyCode::Char('x'), CTRL),
        Action::TakeBack,
        "Ctrl+X",
        "take the newest waiting message back",
    ),
    key(
        (KeyCode::Tab, NONE),
        Action::OtherField,
        "Tab",
        "between a question's answer and the input; in panes: the next",
    ),
    key(
        (KeyCode::PageUp, NONE),
        Action::PageUp,
        "PageUp, PageDown",
        "scroll the question, the help or the pane (also Home, End)",
    ),
    also(KeyCode::PageDown, NONE, Action::PageDown),
    key(
        (KeyCode::F(2), NONE),
        Action::Panes,
        "F2",
        "panes: activity, conversation, tools; and back",
    ),
    key(
        (KeyCode::F(3), NONE),
        Action::Zoom,
        "F3",
        "in panes: one of them alone, and back",
    ),
    key(
        (KeyCode::F(6), NONE),
        Action::Queue,
        "F6",
        "messages that wait: edit, move or remove them",
    ),
    key(
        (KeyCode::Char('f'), CTRL),
        Action::Search,
        "Ctrl+F",
        "in panes: search; also / beside marks, and on pages",
    ),
    key(
        (KeyCode::F(4), NONE),
        Action::Copy,
        "F4",
        "in panes: mark lines and copy them (v on a page)",
    ),
    key(
        (KeyCode::Char('g'), CTRL),
        Action::DiffOrEditor,
        "Ctrl+G",
        "in a question: to its diff; else the draft in $EDITOR",
    ),
    key(
        (KeyCode::Char('p'), CTRL),
        Action::Palette,
        "Ctrl+P",
        "all commands and keys: search and run one",
    ),
    key(
        (KeyCode::Char('r'), CTRL),
        Action::Recall,
        "Ctrl+R",
        "what was typed before, also in other sessions: search",
    ),
    key(
        (KeyCode::Char('o'), CTRL),
        Action::Expand,
        "Ctrl+O",
        "thinking, results, long messages whole, or folded",
    ),
    key(
        (KeyCode::Char('s'), CTRL),
        Action::Sessions,
        "Ctrl+S",
        "all sessions: go on in one, fork, export",
    ),
    key(
        (KeyCode::Char('t'), CTRL),
        Action::Calls,
        "Ctrl+T",
        "tool calls whole: arguments, decision, result",
    ),
    key(
        (KeyCode::BackTab, SHIFT),
        Action::NextMode,
        "Shift+Tab",
        "next mode: adaptive, loop, plan, deterministic",
    ),
    also(KeyCode::BackTab, NONE, Action::NextMode),
    key(
        (KeyCode::Char('t'), ALT),
        Action::NextThinking,
        "Alt+T, F7",
        "more thinking: default, off, on, low, medium, high",
    ),
    also(KeyCode::F(7), NONE, Action::NextThinking),
    key(
        (KeyCode::Char('z'), CTRL),
        Action::Suspend,
        "Ctrl+Z",
        "stop; `fg` goes on",
    ),
    key(
        (KeyCode::Char('l'), CTRL),
        Action::Redraw,
        "Ctrl+L",
        "draw anew",
    ),
    key(
        (KeyCode::Char('?'), NONE),
        Action::Help,
        "?",
        "this help (on an empty input)",
    ),
    also(KeyCode::Char('?'), SHIFT, Action::Help),
    key(
        (KeyCode::Up, NONE),
        Action::Edit(Edit::Up),
        "Up, Down",
        "move; from an empty input: what was typed before",
    ),
    also(KeyCode::Down, NONE, Action::Edit(Edit::Down)),
    key(
        (KeyCode::Left, NONE),
        Action::Edit(Edit::Left),
        "Left, Right",
        "move by a character",
    ),
    also(KeyCode::Right, NONE, Action::Edit(Edit::Right)),
    key(
        (KeyCode::Left, CTRL),
        Action::Edit(Edit::WordLeft),
        "Alt+B, Alt+F",
        "move by a word (also Ctrl+Left, Ctrl+Right)",
    ),
    also(KeyCode::Char('b'), ALT, Action::Edit(Edit::WordLeft)),
    also(KeyCode::Right, CTRL, Action::Edit(Edit::WordRight)),
    also(KeyCode::Char('f'), ALT, Action::Edit(Edit::WordRight)),
    key(
        (KeyCode::Home, NONE),
        Action::Edit(Edit::Head),
        "Ctrl+A, Ctrl+E",
        "to the beginning or end of the line (also Home, End)",
    ),
    also(KeyCode::Char('a'), CTRL, Action::Edit(Edit::Head)),
    also(KeyCode::End, NONE, Action::Edit(Edit::End)),
    also(KeyCode::Char('e'), CTRL, Action::Edit(Edit::End)),
    key(
        (KeyCode::Backspace, NONE),
        Action::Edit(Edit::Backspace),
        "Backspace, Delete",
        "delete a character",
    ),
    also(KeyCode::Char('h'), CTRL, Action::Edit(Edit::Backspace)),
    also(KeyCode::Delete, NONE, Action::Edit(Edit::Delete)),
    key(
        (KeyCode::Char('w'), CTRL),
        Action::Edit(Edit::DeleteWord),
        "Ctrl+W",
        "delete the word before (also Alt+Backspace)",
    ),
    also(KeyCode::Backspace, ALT, Action::Edit(Edit::DeleteWord)),
    key(
        (KeyCode::Char('u'), CTRL),
        Action::Edit(Edit::DeleteToHead),
        "Ctrl+U",
        "delete to the beginning of the line (Ctrl+K: to its end)",
    ),
];
