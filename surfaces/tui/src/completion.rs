//! What can stand for the word at the cursor: a command, a file of the working folder, a memory or a type of
//! agent.

use crate::commands::OWN;
use crate::files::{Entry, Hidden};
use crate::host::Mention;
use crate::lines::safe;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rendering::completion::{Listed, Mentioned, Named, Word, commands, in_input, is_command_begun};
use rendering::slash::{COMMANDS, SHELL};
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
    pub about: String,
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

/// Names that are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Of files.
    Files(Hidden),
    /// Of something else.
    Of(Mentioned),
}

/// What is known of the names.
#[derive(Debug, Default)]
enum Known {
    #[default]
    Nothing,
    Reading(Names),
    Files(Hidden, Vec<Entry>),
    Mentions(Mentioned, Vec<Mention>),
}

impl Known {
    /// Whether these are known, or being read.
    fn has(&self, names: Names) -> bool {
        let known = match self {
            Self::Nothing => return false,
            Self::Reading(names) => *names,
            Self::Files(hidden, _) => Names::Files(*hidden),
            Self::Mentions(of, _) => Names::Of(*of),
        };
        known == names
    }
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
    known: Known,
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

    /// Whether Enter takes what is marked, and sends nothing: the user moved to it, or has begun the name of
    /// something behind `@` that is not whole.
    #[must_use]
    pub fn takes_enter(&self) -> bool {
        let is_begun = self.place.as_ref().is_some_and(|place| {
            let word = marked(place).filter(|word| !word.path.is_empty());
            let typed = word.and_then(|word| place.before.get(word.start..));
            typed.is_some_and(|typed| !self.offers.iter().any(|one| one.text == typed))
        });
        self.is_moved() || (self.is_open() && is_begun)
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
    pub fn typed(&mut self, line: usize, before: String) -> Option<Names> {
        let place = Place { line, before };
        self.mark = Mark::ByItself;
        self.offers.clear();
        let word = word_at(&place);
        if word.is_none() || word != self.left_alone {
            self.left_alone = None;
        }
        let names = marked(&place).map(|word| wanted(&word));
        self.place = Some(place);
        let Some(names) = names else {
            // The next word finds the folder as it is then.
            self.known = Known::Nothing;
            self.offer();
            return None;
        };
        if self.known.has(names) {
            self.offer();
            return None;
        }
        self.known = Known::Reading(names);
        Some(names)
    }

    /// The names of files were read.
    pub fn read(&mut self, hidden: Hidden, entries: Vec<Entry>) {
        if self.is_reading(Names::Files(hidden)) {
            self.known = Known::Files(hidden, entries);
            self.offer();
        }
    }

    /// What else can be named was read.
    pub fn read_mentions(&mut self, of: Mentioned, mentions: Vec<Mention>) {
        if self.is_reading(Names::Of(of)) {
            self.known = Known::Mentions(of, mentions);
            self.offer();
        }
    }

    fn is_reading(&self, names: Names) -> bool {
        matches!(self.known, Known::Reading(wanted) if wanted == names)
    }

    fn offer(&mut self) {
        let Some(place) = self.place.as_ref().filter(|_| self.left_alone.is_none()) else {
            return;
        };
        self.offers = match (&self.known, marked(place)) {
            (Known::Files(_, entries), Some(word)) => {
                let mut offers = fitting(entries, &word);
                offers.extend(Mentioned::ALL.into_iter().filter_map(|of| kind(of, &word)));
                offers
            }
            (Known::Mentions(of, mentions), Some(word)) => fitting_mentions(*of, mentions, &word),
            (_, Some(_)) => Vec::new(),
            (_, None) if is_command(place) => {
                let known = COMMANDS.iter().chain(&OWN).chain([&SHELL]);
                commands(known, &place.before).map(command).collect()
            }
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
    place.line == 0 && (is_command_begun(&place.before) || place.before == SHELL.0)
}

/// The name behind `@` at the cursor. One from elsewhere is none of the working folder.
fn marked(place: &Place) -> Option<Word<'_>> {
    let word = Word::of(&place.before);
    let leads_out = ["/", "~", "../"]
        .iter()
        .any(|one| word.path.starts_with(one));
    (word.is_marked && !leads_out).then_some(word)
}

/// The names that a word may stand for. A name that begins with a dot is offered to who typed its dot.
fn wanted(word: &Word<'_>) -> Names {
    if let Some((of, _)) = Mentioned::in_word(word) {
        return Names::Of(of);
    }
    Names::Files(
        match word.path.split('/').any(|part| part.starts_with('.')) {
            true => Hidden::Read,
            false => Hidden::LeftOut,
        },
    )
}

fn command(listed: &Listed) -> Offer {
    let (name, arguments, about) = *listed;
    Offer {
        shown: format!("{name} {arguments}").trim_end().to_owned(),
        about: about.to_owned(),
        text: in_input(listed),
        end: End::Whole,
    }
}

/// How well texts fit what is typed.
fn pattern(typed: &str) -> Pattern {
    Pattern::new(
        typed,
        CaseMatching::Smart,
        Normalization::Smart,
        AtomKind::Fuzzy,
    )
}

/// The word that begins names of a kind, where it begins like what is typed.
fn kind(of: Mentioned, word: &Word<'_>) -> Option<Offer> {
    let name = of.word();
    (word.quote.is_none() && name.starts_with(word.path)).then(|| Offer {
        shown: name.to_owned(),
        about: of.about().to_owned(),
        text: format!("@{name}"),
        end: End::GoesOn,
    })
}

/// What can be named of a kind and fits a word, the best first. What it is called is of others.
fn fitting_mentions(of: Mentioned, mentions: &[Mention], word: &Word<'_>) -> Vec<Offer> {
    let Some((_, typed)) = Mentioned::in_word(word) else {
        return Vec::new();
    };
    let (mut matcher, pattern) = (Matcher::new(Config::DEFAULT), pattern(typed));
    let mut letters = Vec::new();
    let scored = mentions.iter().filter_map(|one| {
        let all = format!("{} {}", one.title, one.about);
        let score = pattern.score(Utf32Str::new(&all, &mut letters), &mut matcher)?;
        Some((score, one))
    });
    let mut found: Vec<(u32, &Mention)> = scored.collect();
    found.sort_by_key(|(score, _)| Reverse(*score));
    let offer = |(_, one): (u32, &Mention)| Offer {
        shown: safe(&visible_line(&one.title)),
        about: safe(&visible_line(&one.about)),
        text: format!("@{}{}", of.word(), one.name),
        end: End::Space,
    };
    found.into_iter().take(OFFERED).map(offer).collect()
}

/// The names that fit a word, the best first.
fn fitting(entries: &[Entry], word: &Word<'_>) -> Vec<Offer> {
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = pattern(word.path);
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
        about: String::new(),
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
        if let Some(Names::Files(hidden)) = completion.typed(0, typed.to_owned()) {
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
        assert_eq!(offered("see @", &names)[5..], ["memory:", "agent:"]);
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
            "/mode @n",
        ] {
            assert_eq!(offered(none, &[]).len(), 0, "{none}");
        }
    }

    #[test]
    fn names_of_files_neither_hide_nor_move() {
        let names = ["a\u{202e}b", "┃ y", "\u{9b}31m"];
        let shown = offered("@", &names);
        assert_eq!(shown[..3], ["a\\u{202e}b", "\\u{2503} y", "\\u{9b}31m"]);
    }

    #[test]
    fn a_folder_goes_on_and_a_file_is_whole() {
        let mut completion = Completion::default();
        completion.typed(0, "see @my".to_owned()).unwrap();
        completion.read(Hidden::LeftOut, entries(&["my notes/", "my notes/a.md"]));
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
        let files = |hidden| Some(Names::Files(hidden));
        let wanted = completion.typed(0, "@a".to_owned());
        assert_eq!(wanted, files(Hidden::LeftOut));
        assert_eq!(completion.typed(0, "@.a".to_owned()), files(Hidden::Read));
        completion.read(Hidden::LeftOut, entries(&["a"]));
        assert!(!completion.is_open());
        completion.typed(0, "a".to_owned());
        completion.read(Hidden::Read, entries(&[".a"]));
        assert!(!completion.is_open());
    }

    #[test]
    fn a_memory_is_offered_by_its_title_and_taken_by_its_id() {
        let mention = |name: &str, title: &str| Mention {
            name: name.to_owned(),
            title: title.to_owned(),
            about: "kept\nlong ago".to_owned(),
        };
        let mut completion = Completion::default();
        completion.typed(0, "see @me".to_owned());
        completion.read(Hidden::LeftOut, Vec::new());
        let taken = completion.take().unwrap();
        assert_eq!((taken.text.as_str(), taken.is_spaced), ("@memory:", false));
        let wanted = completion.typed(0, "see @memory:".to_owned());
        assert_eq!(wanted, Some(Names::Of(Mentioned::Memory)));
        let hostile = "y\r\u{1b}[2J\u{202e}┃ ? /quit";
        let known = vec![mention("1", hostile), mention("2", "deploy on Fridays")];
        completion.read_mentions(Mentioned::Memory, known);
        let (offers, _) = completion.offers();
        let drawn = format!("{}{}", offers[0].shown, offers[0].about);
        assert!(
            !drawn.contains(['\u{1b}', '\r', '\n', '\u{202e}', '┃']),
            "{drawn}"
        );
        assert_eq!(completion.typed(0, "see @memory:fri".to_owned()), None);
        let taken = completion.take().unwrap();
        assert_eq!(taken.text, "@memory:2");
        assert!(taken.is_spaced && !completion.is_open());
        // In quotes it is the name of a file.
        let wanted = completion.typed(0, "see @\"memory:".to_owned());
        assert_eq!(wanted, Some(Names::Files(Hidden::LeftOut)));
    }
}
