//! Every command, page and key, to find one by a few letters of what it does and run it.

use crate::bindings::Keys;
use crate::commands::OWN;
use crate::keys::Action;
use crate::lines::cut;
use crate::list::List;
use crate::subject::Subject;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Line;
use rendering::slash::{COMMANDS, SHELL};
use unicode_width::UnicodeWidthStr;

/// Most columns of a name before what it does is said.
const NAME_COLUMNS: usize = 22;

/// Something that can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// What a key does.
    Key(Action),
    /// A command, and what follows it.
    Command(&'static str, &'static str),
    /// A page of the session.
    Page(Subject),
}

/// What a key asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Run this.
    Run(Choice),
}

#[derive(Debug)]
struct Entry {
    name: String,
    about: &'static str,
    choice: Choice,
}

/// The list of all of them: the commands, the pages, then the keys.
#[derive(Debug)]
pub struct Palette {
    entries: Vec<Entry>,
    list: List,
    /// Why something cannot be done.
    pub refusal: &'static str,
}

impl Palette {
    /// All of them, with the keys in force.
    #[must_use]
    pub fn of(keys: &Keys) -> Self {
        let commands = COMMANDS.iter().chain(&OWN).chain([&SHELL]);
        let commands = commands.map(|(name, arguments, about)| Entry {
            name: format!("{name} {arguments}").trim_end().to_owned(),
            about,
            choice: Choice::Command(name, arguments),
        });
        let keys = keys.named().map(|(name, about, action)| Entry {
            name: name.to_owned(),
            about,
            choice: Choice::Key(action),
        });
        let pages = Subject::ALL.iter().map(|subject| Entry {
            name: format!("/inspect {}", subject.name()),
            about: subject.about(),
            choice: Choice::Page(*subject),
        });
        let entries: Vec<Entry> = commands.chain(pages).chain(keys).collect();
        let searched = |one: &Entry| (one.name.clone(), one.about.to_owned());
        Self {
            list: List::by_name(entries.iter().map(searched)),
            entries,
            refusal: "",
        }
    }

    /// What is typed to search.
    #[must_use]
    pub fn query(&self) -> &str {
        self.list.query()
    }

    /// A letter to search for.
    pub fn push(&mut self, letter: char) {
        self.list.push(letter);
    }

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent) -> Wish {
        self.refusal = "";
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Wish::Close,
            KeyCode::Char('c' | 'd' | 'g' | 'p') if is_ctrl => return Wish::Close,
            KeyCode::Enter => {
                let chosen = self.list.chosen().and_then(|at| self.entries.get(at));
                return chosen.map_or(Wish::None, |one| Wish::Run(one.choice));
            }
            _ => self.list.pressed(key),
        }
        Wish::None
    }

    /// The rows for a width and height.
    #[must_use]
    pub fn rows(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let (fitting, all) = self.list.counts();
        let column = NAME_COLUMNS.min(width / 2);
        let entry = |at: usize| {
            let one = self.entries.get(at)?;
            let name = cut(&one.name, column);
            let pad = " ".repeat(column.saturating_sub(name.width()));
            Some(format!(" {name}{pad} {}", one.about))
        };
        let count = format!("{fitting} of {all}");
        self.list.rows((width, height), &count, entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_every_command_and_every_key_of_the_help() {
        let palette = Palette::of(&Keys::default());
        let has = |choice: Choice| palette.entries.iter().any(|one| one.choice == choice);
        for (name, arguments, _) in COMMANDS.iter().chain(&OWN) {
            assert!(has(Choice::Command(name, arguments)), "{name}");
        }
        assert!(
            Keys::default()
                .named()
                .all(|(_, _, action)| has(Choice::Key(action)))
        );
        assert!(Subject::ALL.iter().all(|one| has(Choice::Page(*one))));
        assert!(palette.rows(40, 15).len() <= 15);
    }

    #[test]
    fn a_page_is_found_by_its_name() {
        let mut palette = Palette::of(&Keys::default());
        "inspect memory"
            .chars()
            .for_each(|letter| palette.push(letter));
        let chosen = palette.list.chosen().map(|at| palette.entries[at].choice);
        assert_eq!(chosen, Some(Choice::Page(Subject::Memory)));
    }

    #[test]
    fn what_is_called_so_comes_before_what_is_about_it() {
        for (typed, first) in [("mode", "/mode"), ("model", "/model"), ("/undo", "/undo")] {
            let mut palette = Palette::of(&Keys::default());
            typed.chars().for_each(|letter| palette.push(letter));
            let chosen = palette.list.chosen().map(|at| palette.entries[at].choice);
            assert!(
                matches!(chosen, Some(Choice::Command(name, _)) if name == first),
                "{typed}: {chosen:?}"
            );
        }
    }
}
