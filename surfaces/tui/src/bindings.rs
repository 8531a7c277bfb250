//! The keys in force: those of the table, and in their place those that the user's configuration names.

use crate::input::Edit;
use crate::keys::{Action, TABLE};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::BTreeMap;

/// Most keys of one action.
pub const KEYS: usize = 8;

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// The actions that can have keys of one's own, by their names in the configuration.
pub const ACTIONS: [(&str, Action); 36] = [
    ("new_line", Action::Edit(Edit::NewLine)),
    ("leave", Action::Leave),
    ("take_back", Action::TakeBack),
    ("other_field", Action::OtherField),
    ("page_up", Action::PageUp),
    ("page_down", Action::PageDown),
    ("panes", Action::Panes),
    ("zoom", Action::Zoom),
    ("queue", Action::Queue),
    ("stop_tools", Action::StopTools),
    ("copy", Action::Copy),
    ("search", Action::Search),
    ("editor", Action::DiffOrEditor),
    ("palette", Action::Palette),
    ("history", Action::Recall),
    ("expand", Action::Expand),
    ("sessions", Action::Sessions),
    ("calls", Action::Calls),
    ("next_mode", Action::NextMode),
    ("thinking", Action::NextThinking),
    ("suspend", Action::Suspend),
    ("redraw", Action::Redraw),
    ("help", Action::Help),
    ("up", Action::Edit(Edit::Up)),
    ("down", Action::Edit(Edit::Down)),
    ("left", Action::Edit(Edit::Left)),
    ("right", Action::Edit(Edit::Right)),
    ("word_left", Action::Edit(Edit::WordLeft)),
    ("word_right", Action::Edit(Edit::WordRight)),
    ("line_start", Action::Edit(Edit::Head)),
    ("line_end", Action::Edit(Edit::End)),
    ("backspace", Action::Edit(Edit::Backspace)),
    ("delete", Action::Edit(Edit::Delete)),
    ("delete_word", Action::Edit(Edit::DeleteWord)),
    ("delete_to_start", Action::Edit(Edit::DeleteToHead)),
    ("delete_to_end", Action::Edit(Edit::DeleteToEnd)),
];

/// The keys that are known by a name.
const NAMED: [(&str, KeyCode); 16] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("BackTab", KeyCode::BackTab),
];

/// What cannot be bound, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Mistake {
    /// The action whose keys are meant.
    pub action: String,
    /// Why it cannot be.
    pub why: String,
    /// What can be written.
    pub how: String,
}

/// A line of the help.
#[derive(Debug, Clone)]
struct Row {
    name: String,
    about: &'static str,
    action: Action,
}

/// A key with what is held beside it.
type Key = (KeyCode, KeyModifiers);

/// Every key that does something, and what the help says of it.
#[derive(Debug, Clone)]
pub struct Keys {
    bound: Vec<(Key, Action)>,
    rows: Vec<Row>,
}

impl Default for Keys {
    fn default() -> Self {
        let bound = TABLE.iter().map(|one| (one.key(), one.action()));
        let rows = TABLE.iter().filter(|one| !one.name().is_empty());
        Self {
            bound: bound.collect(),
            rows: rows
                .map(|one| Row {
                    name: one.name().to_owned(),
                    about: one.about(),
                    action: one.action(),
                })
                .collect(),
        }
    }
}

impl Keys {
    /// The keys of the table, and in place of those of an action the ones that are named for it.
    ///
    /// # Errors
    /// When a name is no action's, a key cannot be read or told apart, or is bound twice.
    pub fn bound(own: &BTreeMap<String, Vec<String>>) -> Result<Self, Mistake> {
        let mut named: Vec<(&str, Action, Vec<Key>)> = Vec::new();
        for (name, keys) in own {
            let refused = |why: String, how: &str| Mistake {
                action: name.clone(),
                why,
                how: how.to_owned(),
            };
            let mut actions = ACTIONS.iter();
            let Some((name, action)) = actions.find(|(known, _)| known == name) else {
                let names = ACTIONS.map(|(known, _)| known).join(", ");
                let how = format!("Write one of {names}.");
                return Err(refused("there is no action of this name".to_owned(), &how));
            };
            if keys.is_empty() || keys.len() > KEYS {
                let why = format!("it has {} keys", keys.len());
                let how = format!("Write one key such as \"f5\", or a list of 1 to {KEYS}.");
                return Err(refused(why, &how));
            }
            let mut read = Vec::new();
            for key in keys {
                let one = read_key(key, *action).map_err(|(why, how)| refused(why, how))?;
                read.push(one);
            }
            named.push((name, *action, read));
        }
        let taken = TABLE.iter().filter(|one| {
            let mut own = named.iter();
            !own.any(|(_, action, _)| *action == one.action())
        });
        let mut bound: Vec<(Key, Action)> = taken.map(|one| (one.key(), one.action())).collect();
        for (name, action, keys) in &named {
            for key in keys {
                if let Some((_, other)) = bound.iter().find(|(taken, _)| taken == key) {
                    return Err(twice(name, *key, *other));
                }
                bound.push((*key, *action));
                // Some terminals tell of the one key without the other.
                if key.0 == KeyCode::BackTab {
                    bound.push(((KeyCode::BackTab, NONE), *action));
                }
                if key.0 == KeyCode::Char('?') {
                    bound.push(((KeyCode::Char('?'), SHIFT), *action));
                }
            }
        }
        let own: Vec<Action> = named.iter().map(|(_, action, _)| *action).collect();
        let mut keys = Self {
            bound,
            rows: Vec::new(),
        };
        keys.rows = keys.rows_of(&own);
        Ok(keys)
    }

    /// The lines of the help, those with keys of one's own by the names of these.
    fn rows_of(&self, own: &[Action]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (at, first) in TABLE.iter().enumerate() {
            if first.name().is_empty() {
                continue;
            }
            let more = TABLE[at + 1..].iter();
            let of_line = more.take_while(|one| one.name().is_empty());
            let mut actions = vec![first.action()];
            for one in of_line {
                if !actions.contains(&one.action()) {
                    actions.push(one.action());
                }
            }
            let is_own = actions.iter().any(|action| own.contains(action));
            let about = first.about();
            rows.push(Row {
                name: match is_own {
                    true => {
                        let names = actions.iter().map(|action| self.names_of(*action));
                        names.collect::<Vec<_>>().join(", ")
                    }
                    false => first.name().to_owned(),
                },
                // What stands in brackets is of the keys of the table.
                about: match is_own {
                    true => about.split(" (").next().unwrap_or(about),
                    false => about,
                },
                action: first.action(),
            });
        }
        rows
    }

    /// The names of all keys of an action.
    fn names_of(&self, action: Action) -> String {
        let keys = self.bound.iter().filter(|(_, one)| *one == action);
        let mut names: Vec<String> = keys.map(|(key, _)| key_name(*key)).collect();
        names.dedup();
        names.join(", ")
    }

    /// The name of the first key of an action.
    #[must_use]
    pub fn name_of(&self, action: Action) -> String {
        let mut keys = self.bound.iter();
        let first = keys.find(|(_, one)| *one == action);
        first.map_or_else(String::new, |(key, _)| key_name(*key))
    }

    /// What a key does; `None` for one that does nothing.
    #[must_use]
    pub fn action_of(&self, pressed: KeyEvent) -> Option<Action> {
        let key = (pressed.code, pressed.modifiers);
        if let Some((_, action)) = self.bound.iter().find(|(one, _)| *one == key) {
            return Some(*action);
        }
        match pressed.code {
            KeyCode::Char(letter) if !pressed.modifiers.intersects(CTRL | ALT) => {
                Some(Action::Edit(Edit::Insert(letter)))
            }
            _ => None,
        }
    }

    /// The keys, what each line of the help says of them, and what the first of them does.
    pub fn named(&self) -> impl Iterator<Item = (&str, &'static str, Action)> {
        let rows = self.rows.iter();
        rows.map(|row| (row.name.as_str(), row.about, row.action))
    }
}

fn twice(name: &str, key: Key, other: Action) -> Mistake {
    let mut actions = ACTIONS.iter();
    let other = actions.find(|(_, action)| *action == other);
    let key = key_name(key);
    let (why, how) = match other {
        Some((other, _)) if *other != name => (
            format!("{key} is bound to `{other}` as well"),
            format!("Write another key, or give `{other}` one of its own."),
        ),
        _ => (
            format!("{key} stands there twice"),
            "Write it once.".to_owned(),
        ),
    };
    Mistake {
        action: name.to_owned(),
        why,
        how,
    }
}

/// How a key is called: `Ctrl+P`, `F2`, `Shift+Tab`.
fn key_name((code, modifiers): Key) -> String {
    let mut name = String::new();
    let code = match code {
        KeyCode::BackTab => {
            name.push_str("Shift+");
            KeyCode::Tab
        }
        code => code,
    };
    for (held, shown) in [(CTRL, "Ctrl+"), (ALT, "Alt+"), (SHIFT, "Shift+")] {
        if modifiers.contains(held) && !name.contains(shown) {
            name.push_str(shown);
        }
    }
    match (NAMED.iter().find(|(_, one)| *one == code), code) {
        (Some((shown, _)), _) => name.push_str(shown),
        (None, KeyCode::F(number)) => name.push_str(&format!("F{number}")),
        (None, KeyCode::Char(letter)) => name.extend(letter.to_uppercase()),
        (None, _) => name.push('?'),
    }
    name
}

/// Reads a key such as `ctrl+p`, for an action; why it cannot be bound, and what can be.
fn read_key(text: &str, action: Action) -> Result<Key, (String, &'static str)> {
    const FORMS: &str =
        "Write a key such as \"f5\", \"ctrl+p\", \"alt+x\", \"pageup\" or \"shift+tab\".";
    let unreadable = || (format!("`{}` is no key", shown(text)), FORMS);
    let lower = text.trim().to_lowercase();
    let mut modifiers = NONE;
    let mut rest = lower.as_str();
    for _ in 0..3 {
        for (name, held) in [("ctrl+", CTRL), ("alt+", ALT), ("shift+", SHIFT)] {
            if let Some(behind) = rest.strip_prefix(name).filter(|behind| !behind.is_empty()) {
                modifiers |= held;
                rest = behind;
            }
        }
    }
    let mut named = NAMED.iter();
    let by_name = named.find(|(name, _)| name.to_lowercase() == rest);
    let function = rest
        .strip_prefix('f')
        .and_then(|digits| digits.parse().ok());
    let mut letters = rest.chars();
    let code = match (by_name, function, (letters.next(), letters.next())) {
        (Some((_, code)), ..) => *code,
        (None, Some(number @ 1..=12), _) => KeyCode::F(number),
        (None, _, (Some(letter), None)) if !letter.is_control() => KeyCode::Char(letter),
        _ => return Err(unreadable()),
    };
    checked((code, modifiers), action, text)
}

/// Whether a key can be bound to an action.
fn checked((code, held): Key, action: Action, text: &str) -> Result<Key, (String, &'static str)> {
    const OTHER: &str = "Write another key, such as \"f5\", \"ctrl+p\" or \"alt+x\".";
    let text = shown(text);
    let no = |why: &str| Err((format!("`{text}` {why}"), OTHER));
    match (code, held) {
        (KeyCode::Esc, _) | (KeyCode::Enter, NONE) | (KeyCode::Char('c'), CTRL) => {
            no("cannot be bound: Enter, Esc and Ctrl+C always keep their meaning")
        }
        (KeyCode::Char('?'), NONE) if action == Action::Help => Ok((code, held)),
        (KeyCode::Char(_), held) if !held.intersects(CTRL | ALT) => {
            no("types a letter, so nothing else can be done by it")
        }
        (KeyCode::Char('i' | 'm' | '['), CTRL) => {
            no("is Tab, Enter or Esc to a terminal, which does not tell it apart")
        }
        (KeyCode::Char(letter), held)
            if held.contains(CTRL)
                && !(letter.is_ascii_lowercase() || letter == ' ' && held == CTRL) =>
        {
            no("is not told apart by terminals: Ctrl goes with a letter from a to z")
        }
        (KeyCode::Char(_), held) if held.contains(SHIFT) => {
            no("is not told apart by terminals: Shift goes with keys that type no letter")
        }
        (KeyCode::Tab, held) if held == SHIFT => Ok((KeyCode::BackTab, SHIFT)),
        (KeyCode::BackTab, _) => Ok((KeyCode::BackTab, SHIFT)),
        key => Ok(key),
    }
}

/// What somebody wrote, as far as it can be shown in a line.
fn shown(text: &str) -> String {
    let line = text::escape::visible_line(text);
    line.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(all: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        let all = all.iter();
        all.map(|(name, all)| ((*name).to_owned(), keys(all)))
            .collect()
    }

    fn does(keys: &Keys, code: KeyCode, held: KeyModifiers) -> Option<Action> {
        keys.action_of(KeyEvent::new(code, held))
    }

    #[test]
    fn no_key_of_the_table_is_there_twice_and_each_has_its_action() {
        let keys = Keys::default();
        for (at, one) in TABLE.iter().enumerate() {
            let (code, held) = one.key();
            assert_eq!(does(&keys, code, held), Some(one.action()), "{one:?}");
            let mut others = TABLE[at + 1..].iter();
            assert!(!others.any(|other| other.key() == one.key()), "{one:?}");
        }
    }

    #[test]
    fn letters_are_typed_and_unknown_keys_do_nothing() {
        let keys = Keys::default();
        for letter in ['a', 'Ä', '日'] {
            let typed = Some(Action::Edit(Edit::Insert(letter)));
            assert_eq!(does(&keys, KeyCode::Char(letter), NONE), typed);
            assert_eq!(does(&keys, KeyCode::Char(letter), SHIFT), typed);
        }
        assert_eq!(does(&keys, KeyCode::Char('q'), CTRL), None);
        assert_eq!(does(&keys, KeyCode::F(5), NONE), None);
    }

    #[test]
    fn every_line_of_the_help_fits() {
        for (name, about, _) in Keys::default().named() {
            assert!(
                name.len() <= 18 && name.len() + about.len() <= 76,
                "{name}: {about}"
            );
        }
    }

    #[test]
    fn every_action_of_the_table_has_a_name_but_those_that_stay() {
        for one in &TABLE {
            let named = ACTIONS.iter().any(|(_, action)| *action == one.action());
            let stays = [Action::Enter, Action::Interrupt, Action::Clear];
            assert_ne!(named, stays.contains(&one.action()), "{one:?}");
        }
    }

    #[test]
    fn keys_of_ones_own_take_the_place_of_the_tables() {
        let named = own(&[
            ("panes", &["f5"]),
            ("palette", &["Ctrl+Q", " alt+p"]),
            ("down", &["alt+down"]),
            ("next_mode", &["shift+f1"]),
            ("help", &["?", "f1"]),
        ]);
        let keys = Keys::bound(&named).unwrap();
        assert_eq!(does(&keys, KeyCode::F(5), NONE), Some(Action::Panes));
        assert_eq!(does(&keys, KeyCode::F(2), NONE), None);
        assert_eq!(does(&keys, KeyCode::Char('q'), CTRL), Some(Action::Palette));
        assert_eq!(does(&keys, KeyCode::Char('p'), CTRL), None);
        assert_eq!(does(&keys, KeyCode::BackTab, SHIFT), None);
        assert_eq!(does(&keys, KeyCode::Char('?'), NONE), Some(Action::Help));
        let help: Vec<String> = keys
            .named()
            .map(|(name, about, _)| format!("{name}: {about}"))
            .collect();
        for row in [
            "F5: panes: activity, conversation, tools; and back",
            "Ctrl+Q, Alt+P: all commands and keys: search and run one",
            "Up, Alt+Down: move; from an empty input: what was typed before",
            "Shift+F1: next mode: adaptive, loop, plan, deterministic",
            "PageUp, PageDown: scroll the question, the help or the pane (also Home, End)",
        ] {
            assert!(help.iter().any(|one| one == row), "{row}: {help:#?}");
        }
        assert_eq!(keys.name_of(Action::Palette), "Ctrl+Q");
        assert_eq!(help.len(), Keys::default().named().count());
    }

    #[test]
    fn a_key_that_is_freed_can_be_given_to_another() {
        let named = own(&[("panes", &["ctrl+p"]), ("palette", &["f2"])]);
        let keys = Keys::bound(&named).unwrap();
        assert_eq!(does(&keys, KeyCode::Char('p'), CTRL), Some(Action::Panes));
        assert_eq!(does(&keys, KeyCode::F(2), NONE), Some(Action::Palette));
    }

    #[test]
    fn what_cannot_be_bound_is_refused() {
        for (name, keys, why) in [
            ("pans", &["f5"][..], "no action of this name"),
            ("panes", &[], "it has 0 keys"),
            ("panes", &["f1"; 9], "it has 9 keys"),
            ("panes", &["f13"], "`f13` is no key"),
            ("panes", &["ctrl+"], "`ctrl+` is no key"),
            ("panes", &["hyper+x"], "`hyper+x` is no key"),
            ("panes", &["\u{1b}[2J"], "`\\u{1b}[2J` is no key"),
            ("panes", &[""], "`` is no key"),
            ("panes", &["x"], "`x` types a letter"),
            ("panes", &["shift+x"], "types a letter"),
            ("panes", &["space"], "types a letter"),
            ("panes", &["?"], "types a letter"),
            ("panes", &["enter"], "always keep their meaning"),
            ("panes", &["esc"], "always keep their meaning"),
            ("panes", &["alt+esc"], "always keep their meaning"),
            ("panes", &["ctrl+c"], "always keep their meaning"),
            ("panes", &["ctrl+i"], "Tab, Enter or Esc to a terminal"),
            ("panes", &["ctrl+m"], "Tab, Enter or Esc to a terminal"),
            ("panes", &["ctrl+7"], "a letter from a to z"),
            ("panes", &["ctrl+shift+x"], "Shift goes with keys"),
            ("panes", &["f5", "F5"], "F5 stands there twice"),
            ("panes", &["ctrl+p"], "Ctrl+P is bound to `palette` as well"),
        ] {
            let mistake = Keys::bound(&own(&[(name, keys)])).unwrap_err();
            assert!(mistake.why.contains(why), "{keys:?}: {}", mistake.why);
            assert!(mistake.how.starts_with("Write "), "{}", mistake.how);
        }
        let both = own(&[("panes", &["f5"]), ("zoom", &["f5"])]);
        let mistake = Keys::bound(&both).unwrap_err();
        assert_eq!(mistake.why, "F5 is bound to `panes` as well");
    }
}
