//! What can stand for the word at the cursor: a command, or a file of the working folder.

use crate::commands::OWN;
use crate::files::{Entry, Hidden};
use crate::lines::safe;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rendering::completion::{Listed, Named, Word, commands, in_input, is_command_begun};
use rendering::slash::COMMANDS;
use std::cmp::Reverse;
use text::escape::visible_line;

/// Most entries of a list.
const OFFERED: usize = 50;

/// Something that can be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// As it is shown: nothing in it moves or hides.
    pub shown: String,
    /// What it does.
    pub about: &'static str,
    /// What stands in the input then.
    text: String,
    /// What follows it there.
    end: End,
}

/// What follows an entry that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing: the word is whole.
    Whole,
    /// A space, unless one stands there.
    Space,
    /// What is in the folder, which is offered next.
    GoesOn,
}

/// What is to be put in place of the word at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Characters before the cursor that go.
    pub replaces: usize,
    /// What comes.
    pub text: String,
    /// Whether a space follows.
    pub is_spaced: bool,
}

/// Which entry is marked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mark {
    /// The first, by itself.
    #[default]
    ByItself,
    /// This one, since the user moved to it.
    ByHand(usize),
}

/// What is known of the files.
#[derive(Debug, Default)]
enum Files {
    #[default]
    Unknown,
    Reading(Hidden),
    Read(Hidden, Vec<Entry>),
}

/// Where the cursor stands, and what was typed before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    line: usize,
    before: String,
}

/// The list of what can be taken.
#[derive(Debug, Default)]
pub struct Completion {
    place: Option<Place>,
    offers: Vec<Offer>,
    mark: Mark,
    files: Files,
    /// The line and byte of the word that nothing is offered for.
    left_alone: Option<(usize, usize)>,
}

impl Completion {
    /// Whether there is something to take.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.offers.is_empty()
    }

    /// What can be taken, and which of it is marked.
    #[must_use]
    pub fn offers(&self) -> (&[Offer], usize) {
        let at = match self.mark {
            Mark::ByItself => 0,
            Mark::ByHand(at) => at,
        };
        (&self.offers, at)
    }

    /// Whether the user moved to the entry that is marked.
    #[must_use]
    pub const fn is_moved(&self) -> bool {
        matches!(self.mark, Mark::ByHand(_))
    }

    /// Nothing is offered until something is typed.
    pub fn close(&mut self) {
        *self = Self::default();
    }

    /// Nothing is offered for this word.
    pub fn leave_alone(&mut self) {
        self.offers.clear();
        self.left_alone = self.place.as_ref().and_then(word_at);
    }

    /// Something was typed, so that this stands before the cursor in its line. Which names are to be
    /// read, if any are.
    pub fn typed(&mut self, line: usize, before: String) -> Option<Hidden> {
        let place = Place { line, before };
        self.mark = Mark::ByItself;
        self.offers.clear();
        let word = word_at(&place);
        if word.is_none() || word != self.left_alone {
            self.left_alone = None;
        }
        let hidden = marked(&place).map(|word| wanted(word.path));
        self.place = Some(place);
        let Some(hidden) = hidden else {
            // The next word finds the folder as it is then.
            self.files = Files::Unknown;
            self.offer();
            return None;
        };
        match self.files {
            Files::Reading(read) | Files::Read(read, _) if read == hidden => {
                self.offer();
                None
            }
            _ => {
                self.files = Files::Reading(hidden);
                Some(hidden)
            }
        }
    }

    /// The names were read.
    pub fn read(&mut self, hidden: Hidden, entries: Vec<Entry>) {
        if matches!(self.files, Files::Reading(wanted) if wanted == hidden) {
            self.files = Files::Read(hidden, entries);
            self.offer();
        }
    }

    fn offer(&mut self) {
        let Some(place) = self.place.as_ref().filter(|_| self.left_alone.is_none()) else {
            return;
        };
        self.offers = match (&self.files, marked(place)) {
            (Files::Read(_, entries), Some(word)) => fitting(entries, &word),
            (_, Some(_)) => Vec::new(),
            (_, None) if is_command(place) => commands(COMMANDS.iter().chain(&OWN), &place.before)
                .map(command)
                .collect(),
            (_, None) => Vec::new(),
        };
    }

    /// Marks another entry, so many further up or down.
    pub fn step(&mut self, by: isize) {
        let (_, at) = self.offers();
        let last = self.offers.len().saturating_sub(1);
        self.mark = Mark::ByHand(at.saturating_add_signed(by).min(last));
    }

    /// Takes the marked entry; its word is left alone then, but for a folder.
    pub fn take(&mut self) -> Option<Taken> {
        let (offers, at) = self.offers();
        let offer = offers.get(at)?.clone();
        let place = self.place.as_ref()?;
        let start = marked(place).map_or(0, |word| word.start);
        let replaces = place.before.get(start..)?.chars().count();
        if offer.end != End::GoesOn {
            self.leave_alone();
        }
        Some(Taken {
            replaces,
            text: offer.text,
            is_spaced: offer.end == End::Space,
        })
    }
}

/// Where the word at the cursor begins, if it is one that can be completed.
fn word_at(place: &Place) -> Option<(usize, usize)> {
    let start = match marked(place) {
        Some(word) => Some(word.start),
        None => is_command(place).then_some(0),
    };
    start.map(|start| (place.line, start))
}

fn is_command(place: &Place) -> bool {
    place.line == 0 && is_command_begun(&place.before)
}

/// The name behind `@` at the cursor. One from elsewhere is none of the working folder.
fn marked(place: &Place) -> Option<Word<'_>> {
    let word = Word::of(&place.before);
    let leads_out = ["/", "~", "../"]
        .iter()
        .any(|one| word.path.starts_with(one));
    (word.is_marked && !leads_out).then_some(word)
}

/// A name that begins with a dot is offered to who typed its dot.
fn wanted(path: &str) -> Hidden {
    match path.split('/').any(|part| part.starts_with('.')) {
        true => Hidden::Read,
        false => Hidden::LeftOut,
    }
}

fn command(listed: &Listed) -> Offer {
    let (name, arguments, about) = *listed;
    Offer {
        shown: format!("{name} {arguments}").trim_end().to_owned(),
        about,
        text: in_input(listed),
        end: End::Whole,
    }
}

/// The names that fit a word, the best first.
fn fitting(entries: &[Entry], word: &Word<'_>) -> Vec<Offer> {
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::new(
        word.path,
        CaseMatching::Smart,
        Normalization::Smart,
        AtomKind::Fuzzy,
    );
    let mut letters = Vec::new();
    let open = word.path.strip_suffix('/');
    let mut found: Vec<(u32, &Entry)> = entries
        .iter()
        .filter(|entry| open != Some(entry.path.as_str()))
        .filter_map(|entry| {
            let path = Utf32Str::new(&entry.path, &mut letters);
            Some((pattern.score(path, &mut matcher)?, entry))
        })
        .collect();
    // Those that fit as well stay as they were: the least deep first.
    found.sort_by_key(|(score, _)| Reverse(*score));
    let found = found.into_iter().take(OFFERED);
    found.map(|(_, entry)| file(entry, word)).collect()
}

fn file(entry: &Entry, word: &Word<'_>) -> Offer {
    let (slash, end) = match entry.named {
        Named::Folder => ("/", End::GoesOn),
        Named::File => ("", End::Space),
    };
    Offer {
        shown: format!("{}{slash}", safe(&visible_line(&entry.path))),
        about: "",
        text: word.with(&entry.path, entry.named),
        end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[&str]) -> Vec<Entry> {
        let entry = |name: &&str| match name.strip_suffix('/') {
            Some(path) => Entry {
                path: path.to_owned(),
                named: Named::Folder,
            },
            None => Entry {
                path: (*name).to_owned(),
                named: Named::File,
            },
        };
        names.iter().map(entry).collect()
    }

    /// What is offered for this, with these files.
    fn offered(typed: &str, names: &[&str]) -> Vec<String> {
        let mut completion = Completion::default();
        if let Some(hidden) = completion.typed(0, typed.to_owned()) {
            completion.read(hidden, entries(names));
        }
        let (offers, _) = completion.offers();
        offers.iter().map(|one| one.shown.clone()).collect()
    }

    #[test]
    fn files_fit_by_their_letters_the_best_first() {
        let names = [
            "src/",
            "notes.md",
            "src/main.rs",
            "src/mode.rs",
            "a/smart.rs",
        ];
        assert_eq!(offered("see @", &names).len(), 5);
        assert_eq!(offered("see @", &names)[0], "src/");
        assert_eq!(offered("see @main", &names)[0], "src/main.rs");
        assert_eq!(offered("@srcmo", &names), ["src/mode.rs"]);
        assert_eq!(offered("@src/", &names), ["src/main.rs", "src/mode.rs"]);
        for none in [
            "me@srcmo",
            "@/etc/pa",
            "@~/no",
            "@../no",
            "@main.rs and",
            "/mode @",
        ] {
            assert_eq!(offered(none, &[]).len(), 0, "{none}");
        }
    }

    #[test]
    fn names_of_files_neither_hide_nor_move() {
        let names = ["a\u{202e}b", "┃ y", "\u{9b}31m"];
        let shown = offered("@", &names);
        assert_eq!(shown, ["a\\u{202e}b", "\\u{2503} y", "\\u{9b}31m"]);
    }

    #[test]
    fn a_folder_goes_on_and_a_file_is_whole() {
        let mut completion = Completion::default();
        let hidden = completion.typed(0, "see @my".to_owned()).unwrap();
        completion.read(hidden, entries(&["my notes/", "my notes/a.md"]));
        let taken = completion.take().unwrap();
        assert_eq!((taken.replaces, taken.text.as_str()), (3, "@\"my notes/"));
        assert_eq!(completion.typed(0, "see @\"my notes/".to_owned()), None);
        let taken = completion.take().unwrap();
        assert_eq!(taken.text, "@\"my notes/a.md\"");
        assert!(taken.is_spaced && !completion.is_open());
        // What was left alone stays so while its word lasts.
        completion.typed(0, "/mo".to_owned());
        completion.leave_alone();
        completion.typed(0, "/mod".to_owned());
        assert!(!completion.is_open());
        completion.typed(0, String::new());
        completion.typed(0, "/mod".to_owned());
        assert!(completion.is_open() && !completion.is_moved());
    }

    #[test]
    fn late_names_of_another_word_are_not_offered() {
        let mut completion = Completion::default();
        assert_eq!(completion.typed(0, "@a".to_owned()), Some(Hidden::LeftOut));
        assert_eq!(completion.typed(0, "@.a".to_owned()), Some(Hidden::Read));
        completion.read(Hidden::LeftOut, entries(&["a"]));
        assert!(!completion.is_open());
        completion.typed(0, "a".to_owned());
        completion.read(Hidden::Read, entries(&[".a"]));
        assert!(!completion.is_open());
    }
}
