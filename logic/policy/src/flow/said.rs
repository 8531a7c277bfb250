//! What the user said, and what counts as said.
//!
//! Trust is given for the user's own bytes. Another case is the user's only where it tells nothing:
//! in words without digits, written in one of a few usual ways. A spelling that could be chosen
//! letter by letter carries a message, and on systems that tell cases apart it names something else.

use crate::flow::entities::leads;
use crate::flow::index::{Edges, Index};
use crate::flow::moments::{Moments, said_moments};
use crate::flow::normal::{Plain, exact, unfolded};
use crate::flow::numbers::{is_noun, names_by_number};
use crate::flow::pages::{Pages, is_canonical, mentioned, spellings};
use crate::flow::quotes::{Form, is_cut_out, quoted};
use memchr::memmem;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most texts that are looked at for one argument.
pub(super) const FINDS: usize = 4_096;
/// Most amounts that are kept of what the user said.
const AMOUNTS: usize = 10_000;
/// Most percentages that are kept of what the user said, and most amounts each is applied to.
const PERCENTAGES: usize = 8;
const BASES: usize = 256;
/// What two amounts of money may differ by and be the same.
const HALF_A_CENT: f64 = 0.005;
/// Shortest name of a thing, characters.
const NAME_CHARS: usize = 3;
/// Most words of the user that a query is looked for in.
const QUERY_WORDS: usize = 100_000;

/// English words without a meaning of their own.
const FUNCTION_WORDS: [&str; 48] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "for", "from", "have",
    "he", "her", "his", "i", "if", "in", "is", "it", "its", "me", "my", "no", "not", "of", "on",
    "or", "our", "please", "she", "so", "that", "the", "their", "them", "then", "this", "to", "us",
    "was", "we", "with", "you", "your", "which",
];

/// How close a text is to what the user said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// The user's own bytes, but for white space.
    Same,
    /// The user's words in another usual case.
    OtherCase,
}

/// Everything the user said in a session.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// In the user's case, and for each text where it has something in quotes.
    same: Texts,
    /// In lower case.
    folded: Texts,
    /// Texts with blanks that the user gave.
    forms: Vec<Form>,
    pages: Pages,
    amounts: BTreeSet<String>,
    percentages: Vec<Percentage>,
    moments: Moments,
    /// As the user wrote it, for what repeats the user's own line breaks and tabs.
    written: Vec<String>,
    /// Every word in order, in the user's case, without the marks around it; `None` ends a text.
    words: Vec<Option<String>>,
}

/// Texts, with what each has in quotes.
#[derive(Debug, Default)]
struct Texts {
    index: Index,
    quoted: Vec<Vec<Range<usize>>>,
}

impl Texts {
    fn add(&mut self, text: String) {
        self.quoted.push(quoted(&text));
        self.index.add(text);
    }

    /// The places where a text stands whole: not within a longer name, nor cut out of one in
    /// quotes. Each is a text and the range within it.
    fn places<'a>(
        &'a self,
        wanted: &'a str,
        edges: Edges,
    ) -> impl Iterator<Item = (&'a str, Range<usize>)> + 'a {
        let found = self.index.find(wanted, edges).take(FINDS).flatten();
        found.flat_map(move |place| {
            let quoted = self.quoted.get(place).map_or(&[][..], Vec::as_slice);
            let text = self.index.text(place);
            let whole = self.index.places(place, wanted, edges).into_iter();
            let named = whole.filter(move |one| !is_cut_out(text, one, quoted));
            named.map(move |one| (text, one))
        })
    }
}

impl Said {
    /// Takes in what the user said.
    pub(super) fn add(&mut self, text: &str) {
        let folded = exact(text);
        let quoted = quoted(&folded);
        let texts = quoted.iter().filter_map(|place| folded.get(place.clone()));
        self.forms.extend(texts.filter_map(Form::of));
        self.folded.add(folded);
        let same = unfolded(text);
        for address in mentioned(text) {
            self.pages.name(&address);
        }
        let room = AMOUNTS.saturating_sub(self.amounts.len());
        self.amounts
            .extend(amounts_in(&same).into_iter().take(room));
        let room = PERCENTAGES.saturating_sub(self.percentages.len());
        self.percentages.extend(percentages_in(&same).take(room));
        self.moments.extend(said_moments(&same));
        let room = QUERY_WORDS.saturating_sub(self.words.len());
        let words = same.split(' ').map(|word| Some(bare(word).to_owned()));
        self.words.extend(words.take(room));
        self.words.push(None);
        self.same.add(same);
        self.written.push(text.to_owned());
    }

    /// Whether the user said it, whole, and in which case.
    pub(super) fn spelling(&self, plain: &Plain) -> Option<Spelling> {
        let has_its_spaces = || {
            let finder = memmem::Finder::new(plain.written.trim_end_matches('\n').as_bytes());
            let mut texts = self.written.iter();
            texts.any(|text| finder.find(text.as_bytes()).is_some())
        };
        if is_function_word(&plain.folded) || !(plain.is_evenly_spaced() || has_its_spaces()) {
            return None;
        }
        if plain.same.contains("://") {
            let named = is_canonical(&plain.same) && self.names_page(&plain.same);
            return named.then_some(Spelling::Same);
        }
        if self.same.places(&plain.same, Edges::Name).next().is_some() {
            return Some(Spelling::Same);
        }
        let may_differ = self.is_usual_case(&plain.same);
        let mut places = self.folded.places(&plain.folded, Edges::Name);
        (may_differ && places.next().is_some()).then_some(Spelling::OtherCase)
    }

    /// Whether the case of a text tells next to nothing: all in lower case, all in capitals, with a
    /// capital where each word or only the first begins. Words that have a case of their own, such
    /// as `iPhone`, are as the user wrote them, and a mail address has no words.
    fn is_usual_case(&self, text: &str) -> bool {
        let is_address = text.contains('@');
        let cases: Option<Vec<Case>> = text
            .split(' ')
            .enumerate()
            .filter_map(|(at, word)| {
                let is_said = || self.words.iter().flatten().any(|said| said == bare(word));
                let is_plain = is_address || !word.chars().any(char::is_numeric);
                match case_of(word).filter(|_| is_plain) {
                    // Titles leave small words as they are.
                    Some(Case::Lower) if at > 0 && is_function_word(word) => None,
                    Some(case) => Some(Some(case)),
                    None => (!is_said()).then_some(None),
                }
            })
            .collect();
        let Some(cases) = cases else { return false };
        let are_all = |wanted: Case| cases.iter().all(|case| *case == wanted);
        let is_sentence = || match cases.split_first() {
            Some((first, rest)) => {
                *first == Case::Capitalised && rest.iter().all(|case| *case == Case::Lower)
            }
            None => true,
        };
        let is_written = || are_all(Case::Capitalised) || is_sentence();
        are_all(Case::Lower) || are_all(Case::Upper) || !is_address && is_written()
    }

    /// Whether the user named a thing by this number: beside a word for what it is, in quotes, or
    /// as the only thing an order is about. A number that counts or dates something names nothing.
    pub(super) fn names_number(&self, plain: &Plain) -> bool {
        let mut places = self.folded.places(&plain.folded, Edges::Number);
        places.any(|(text, place)| names_by_number(text, &place))
    }

    /// Whether the user said this amount, in whatever form: `1,200.00` for 1200.
    pub(super) fn has_amount(&self, amount: &str) -> bool {
        self.amounts.contains(amount)
    }

    /// Whether an amount is what a percentage of the user's comes to, of an amount that the user
    /// said or that is one of `known`: `10% of` it is the part alone, any other is the part, or the
    /// amount with the part added or taken off.
    pub(super) fn makes_amount(&self, amount: f64, known: &[f64]) -> bool {
        let is_it = |value: f64| (value - amount).abs() < HALF_A_CENT;
        let said: Vec<f64> = self
            .amounts
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect();
        let bases = known.iter().chain(&said);
        bases.take(BASES).any(|base| {
            self.percentages.iter().any(|percentage| {
                let part = base * percentage.hundredths / 100.0;
                let sums = [base + part, base - part];
                is_it(part) || !percentage.is_part && sums.into_iter().any(is_it)
            })
        })
    }

    /// Whether the user said a name, in any case. Short ones and mere numbers name nothing.
    pub(super) fn has_name(&self, folded: &str) -> bool {
        let is_name = folded.chars().count() >= NAME_CHARS
            && folded.chars().any(char::is_alphabetic)
            && !is_function_word(folded);
        is_name && self.folded.places(folded, Edges::Name).next().is_some()
    }

    /// Whether the user put the text in quotes, in any case.
    pub(super) fn is_quoted(&self, folded: &str) -> bool {
        let texts = self.folded.quoted.iter().enumerate();
        let mut quotes = texts.flat_map(|(place, quoted)| {
            let text = self.folded.index.text(place);
            quoted
                .iter()
                .filter_map(move |quote| text.get(quote.clone()))
        });
        folded.chars().count() >= NAME_CHARS && quotes.any(|quote| quote == folded)
    }

    /// Whether the user said what a field is called, in singular or plural.
    pub(super) fn has_field(&self, field: &str) -> bool {
        let singular = |word: &str| exact(word).trim_end_matches(['s', '_']).to_owned();
        let field = singular(field);
        let mut words = self.words.iter().flatten();
        field.len() >= NAME_CHARS && words.any(|word| singular(word) == field)
    }

    /// The days and times that the user said.
    pub(super) const fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Whether the user named the page: the same address but for the case of scheme and host.
    pub(super) fn names_page(&self, url: &str) -> bool {
        spellings(url).iter().any(|url| self.pages.are_named(url))
    }

    /// Whether a query tells no more than that the user said so: words that stand together in what
    /// the user said, all of them or all but those without a meaning of their own, in the user's
    /// case or in lower case, with one space between them. Which words, in which order and how
    /// often is then the user's doing.
    pub(super) fn has_query(&self, query: &str) -> bool {
        let wanted: Vec<&str> = query.split(' ').collect();
        let is_plain = query.is_ascii() || unfolded(query) == query;
        if wanted.is_empty() || wanted.iter().any(|word| word.is_empty()) || !is_plain {
            return false;
        }
        let lower = wanted.iter().all(|word| exact(word) == **word);
        let is_same = |said: &str, word: &str| said == word || (lower && exact(said) == word);
        let has_run = |words: &[Option<&str>]| {
            words.windows(wanted.len()).any(|run| {
                let mut pairs = run.iter().zip(&wanted);
                pairs.all(|(said, word)| said.is_some_and(|said| is_same(said, word)))
            })
        };
        let all: Vec<Option<&str>> = self.words.iter().map(Option::as_deref).collect();
        if has_run(&all) {
            return true;
        }
        let tells = |word: &Option<&str>| {
            word.is_none_or(|word| !word.is_empty() && !is_function_word(&exact(word)))
        };
        let telling: Vec<Option<&str>> = all.into_iter().filter(tells).collect();
        wanted.iter().all(|word| !is_function_word(&exact(word))) && has_run(&telling)
    }

    /// Whether the texts stand one after the other in what the user said at one time, each in the
    /// user's own case.
    pub(super) fn has_row(&self, row: &[Plain]) -> bool {
        let texts = 0..self.same.quoted.len();
        texts.into_iter().any(|at| {
            let mut from = 0;
            row.iter().all(|item| {
                let places = self.same.index.places(at, &item.same, Edges::Name);
                let next = places.into_iter().find(|place| place.start >= from);
                from = next.as_ref().map_or(from, |place| place.end);
                next.is_some() && item.is_evenly_spaced()
            })
        })
    }

    /// What stands around the blanks of the text that the user gave and that a text fills in.
    pub(super) fn form_of(&self, plain: &Plain) -> Option<&[String]> {
        let mut forms = self.forms.iter();
        Some(forms.find(|form| form.fits(&plain.folded))?.fixed())
    }
}

/// The numbers in a text as amounts: without marks between thousands, and without zeros at the end.
/// A number within a name, an address, an account, a date or a time is none, and neither is one
/// that names a thing or counts hundredths.
fn amounts_in(text: &str) -> Vec<String> {
    // Where it cannot be seen what leads somewhere, nothing is an amount.
    let Some(addresses) = leads(text) else {
        return Vec::new();
    };
    let mut text = text.to_owned();
    for address in addresses {
        text = text.replace(&address, " _ ");
    }
    let opens = |c: char| c.is_whitespace() || "($€£¥'\"".contains(c);
    let mut named = false;
    let words = text.split(opens).filter(|word| !word.is_empty());
    let mut found = Vec::new();
    for word in words {
        let number = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '€', '\'', '"']);
        let is_amount = !named && number.starts_with(|c: char| c.is_ascii_digit());
        found.extend(is_amount.then(|| amount_of(number)).flatten());
        named = is_noun(&word.to_lowercase());
    }
    found
}

/// A number of digits, marks between thousands and a fraction; nothing else.
fn amount_of(number: &str) -> Option<String> {
    let whole = number.split('.').next()?;
    let mut groups = whole.split([',', '\'']).skip(1);
    let is_number = number
        .bytes()
        .all(|b| b.is_ascii_digit() || b".,'".contains(&b));
    if !is_number || !groups.all(|group| group.len() == 3) {
        return None;
    }
    let digits: String = number
        .chars()
        .filter(|c| !matches!(c, ',' | '\''))
        .collect();
    let amount = digits.parse::<serde_json::Number>().ok()?;
    Some(crate::flow::normal::number(&amount))
}

/// So many hundredths of something.
#[derive(Debug, Clone, Copy)]
struct Percentage {
    hundredths: f64,
    /// Whether the part itself is meant: `10% of the rent`.
    is_part: bool,
}

/// The numbers before a sign for hundredths.
fn percentages_in(text: &str) -> impl Iterator<Item = Percentage> + '_ {
    text.match_indices('%').filter_map(|(end, _)| {
        let before = text.get(..end)?.trim_end();
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let start = before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
        let behind = text.get(end + 1..).unwrap_or("");
        let next = behind.split_whitespace().next().unwrap_or("");
        Some(Percentage {
            hundredths: before.get(start..)?.parse().ok()?,
            is_part: next.eq_ignore_ascii_case("of"),
        })
    })
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a text is nothing but words that every request has: nobody is named by them.
fn is_function_word(folded: &str) -> bool {
    folded.split(' ').all(|word| FUNCTION_WORDS.contains(&word))
}

/// How a word is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Capitalised,
    Upper,
}

fn case_of(word: &str) -> Option<Case> {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let first = letters.next();
    let rest: Vec<char> = letters.collect();
    if !word.chars().any(char::is_uppercase) {
        return Some(Case::Lower);
    }
    let is_capitalised = first.is_some_and(char::is_uppercase);
    if is_capitalised && !rest.iter().any(|c| c.is_uppercase()) {
        return Some(Case::Capitalised);
    }
    (!word.chars().any(char::is_lowercase)).then_some(Case::Upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::normal::plain;

    fn said(text: &str) -> Said {
        let mut said = Said::default();
        said.add(text);
        said
    }

    fn spelling(said: &Said, text: &str) -> Option<Spelling> {
        said.spelling(&plain(text).unwrap())
    }

    #[test]
    fn case_counts_where_it_can_tell_something() {
        let said = said(
            "pay acct_Xy7Qz and Bob Miller, mail ann@x.org, open Notes of my iPhone subscription",
        );
        for same in ["acct_Xy7Qz", "Bob Miller", "ann@x.org", "Notes"] {
            assert_eq!(spelling(&said, same), Some(Spelling::Same), "{same}");
        }
        for usual in [
            "bob miller",
            "BOB MILLER",
            "Bob miller",
            "ANN@X.ORG",
            "notes",
            "iPhone Subscription",
        ] {
            assert_eq!(spelling(&said, usual), Some(Spelling::OtherCase), "{usual}");
        }
        for other in [
            "ACCT_XY7QZ",
            "acct_xy7qz",
            "bOB Miller",
            "Ann@x.org",
            "noTes",
            "bob Miller",
        ] {
            assert_eq!(spelling(&said, other), None, "{other}");
        }
    }

    #[test]
    fn addresses_are_compared_whole() {
        let said = said("read https://a.example/x,y;z and HTTPS://B.example/Docs.");
        for named in ["https://a.example/x,y;z", "https://b.example/Docs"] {
            assert_eq!(spelling(&said, named), Some(Spelling::Same), "{named}");
        }
        for other in [
            "https://a.example/x",
            "https://a.example/X,y;z",
            "https://b.example/docs",
            "https://B.example/Docs",
            "https://b.example/Docs#x",
        ] {
            assert_eq!(spelling(&said, other), None, "{other}");
        }
    }

    #[test]
    fn amounts_are_numbers_and_no_dates() {
        let said = said("rent is 2,200.00 and 10.50, due 2024-05-06 at 10:45, 3. then 7");
        for amount in ["2200", "10.5", "7", "3"] {
            assert!(said.has_amount(amount), "{amount}");
        }
        let names = super::tests::said(
            "order A-7788 at https://x.example/9000, invoice 4711, 10%, 12k to DE89 3704 0044 0532 0130 00",
        );
        assert_eq!(names.amounts.len(), 0, "{:?}", names.amounts);
        for other in ["2024", "5", "45", "10", "200"] {
            assert!(!said.has_amount(other), "{other}");
        }
    }

    #[test]
    fn a_query_is_a_run_of_the_users_words() {
        let said = said("What will the weather in Oslo be like tomorrow? Fox and fox.");
        for query in ["weather in Oslo", "weather Oslo", "weather in oslo", "Oslo"] {
            assert!(said.has_query(query), "{query}");
        }
        for query in [
            "Oslo weather",
            "weather weather",
            "weather  Oslo",
            "weather\tOslo",
            "weather in in Oslo",
            "WEATHER in Oslo",
            "weather Bergen",
            "tomorrow weather",
            "",
        ] {
            assert!(!said.has_query(query), "{query}");
        }
    }
}
