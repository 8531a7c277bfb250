//! Outside text as a careless reader sees it: one case, plain letters, single spaces.
//!
//! Each folded byte remembers where it came from, so that what is found can be shown in place.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A folded text.
#[derive(Debug, Default)]
pub(super) struct View {
    /// Lower case, without accents, hidden characters and look-alikes; runs of space are one
    /// space, the end of a paragraph or of a list's item is a line feed.
    pub(super) text: String,
    /// For each byte of `text`, the place it came from, bytes.
    origin: Vec<Range<u32>>,
    /// Where lines of the original begin, as places in `text`.
    pub(super) line_starts: Vec<usize>,
}

impl View {
    fn push(&mut self, c: char, from: &Range<u32>) {
        self.text.push(c);
        for _ in 0..c.len_utf8() {
            self.origin.push(from.clone());
        }
    }

    fn gap(&mut self, paragraph: bool, from: &Range<u32>) {
        match self.text.chars().next_back() {
            None | Some('\n') => {}
            Some(' ') if paragraph => {
                self.text.pop();
                self.origin.pop();
                self.push('\n', from);
            }
            Some(' ') => {}
            Some(_) => self.push(if paragraph { '\n' } else { ' ' }, from),
        }
    }

    /// The place in the original of a part of the view.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let part = self.origin.get(range).unwrap_or(&[]);
        let start = part.iter().map(|r| r.start).min().unwrap_or(0);
        let end = part.iter().map(|r| r.end).max().unwrap_or(0);
        start as usize..end as usize
    }
}

/// Folds a text. Texts of 4 GiB and more are cut.
pub(super) fn fold(text: &str) -> View {
    let places = text.char_indices().map(|(at, c)| (c, place(at, c)));
    fold_from(places)
}

/// A word of the lexicon without accents, as folded text has it.
pub(super) fn plain(word: &str) -> String {
    let letters = word.nfkd().filter(|c| !is_combining_mark(*c));
    letters.map(straight).collect()
}

/// Folds characters of which each says where it came from.
pub(super) fn fold_from(characters: impl Iterator<Item = (char, Range<u32>)>) -> View {
    let mut view = View::default();
    let (mut line_is_blank, mut word) = (true, Vec::new());
    let mut lead = true;
    for (c, from) in characters {
        if c == '\n' || c == '\r' || c == '\u{2028}' || c == '\u{2029}' {
            close(&mut view, &mut word);
            view.gap(line_is_blank, &from);
            line_is_blank = true;
            view.line_starts.push(view.text.len());
            lead = true;
            continue;
        }
        if lead && "-*•#>|".contains(c) {
            view.gap(true, &from);
        }
        lead = lead && c.is_whitespace();
        line_is_blank = line_is_blank && c.is_whitespace();
        if c.is_whitespace() || "_-‐‑".contains(c) || is_frame(c) {
            close(&mut view, &mut word);
            view.gap(false, &from);
            continue;
        }
        for plain in std::iter::once(c).nfkd().flat_map(char::to_lowercase) {
            if !is_combining_mark(plain) && !crate::hidden::hides("", plain, "") {
                word.push((straight(plain), from.clone()));
            }
        }
        if !c.is_alphanumeric() {
            close(&mut view, &mut word);
        }
    }
    close(&mut view, &mut word);
    view
}

/// Ends a word: letters of another script that stand among Latin ones become Latin.
fn close(view: &mut View, word: &mut Vec<(char, Range<u32>)>) {
    let latin = word.iter().filter(|(c, _)| c.is_ascii_alphabetic()).count();
    let letters = word.iter().filter(|(c, _)| c.is_alphabetic()).count();
    let alike = |c: char| c.is_ascii_alphabetic() || latin_twin(c).is_some();
    let is_mixed = latin > 0 && latin < letters;
    let is_twin =
        latin < letters && letters > 2 && word.iter().all(|(c, _)| alike(*c) || !c.is_alphabetic());
    for (c, from) in word.drain(..) {
        let plain = if is_mixed || is_twin {
            latin_twin(c).unwrap_or(c)
        } else {
            c
        };
        view.push(plain, &from);
    }
}

/// A line of a box around text.
fn is_frame(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{259f}')
}

fn straight(c: char) -> char {
    match c {
        '’' | '‘' | '`' | '´' | 'ʼ' | '"' | '“' | '”' | '«' | '»' | '„' => '\'',
        'ı' => 'i',
        'ł' => 'l',
        'ø' => 'o',
        'đ' => 'd',
        'ß' => 's',
        'ё' => 'е',
        _ => c,
    }
}

/// The Latin letter that a Cyrillic, Greek or Cherokee one is drawn like.
fn latin_twin(c: char) -> Option<char> {
    let twin = match c {
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'ҽ' => 'e',
        'ɡ' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ⅼ' => 'l',
        'м' => 'm',
        'п' | 'η' | 'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        _ => return None,
    };
    Some(twin)
}

/// Where a character stands, as far as 32 bits tell.
pub(super) fn place(at: usize, c: char) -> Range<u32> {
    let start = u32::try_from(at).unwrap_or(u32::MAX);
    start..start.saturating_add(u32::try_from(c.len_utf8()).unwrap_or(0))
}
