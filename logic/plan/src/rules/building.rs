//! From a matched rule to an action: reading the places of the rule, and refusing what is unclear.

use super::described;
use super::plain;
use super::refusal::Refusal;
use super::several;
use super::words::{Request, is_file, is_path, is_wildcard, number, trim_word};
use crate::quoted::{in_quotes, typed_path};
use domain::plan::Action;
use regex::Captures;

/// What a rule makes of a match: an action, `None` to let a later rule try, or a refusal.
pub type Built = Result<Option<Action>, Refusal>;

/// Marks that quote a text.
const QUOTES: [char; 10] = ['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»'];
/// Words in the place of a path that name nothing.
const VAGUE: [&str; 32] = [
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "directories",
    "dir",
    "the",
    "a",
    "an",
    "all",
    "everything",
    "anything",
    "something",
    "them",
    "these",
    "those",
    "stuff",
    "things",
    "some",
    "any",
    "every",
    "each",
    "one",
    "other",
    "others",
    "in",
    "of",
    "to",
    "is",
    "are",
    "my",
];
/// Words that mean the path of the step before.
const BACK: [&str; 6] = ["it", "that", "this", "itself", "this file", "that file"];
/// Words that mean the workspace.
const HERE: [&str; 12] = [
    "here",
    "this folder",
    "this directory",
    "the current folder",
    "the current directory",
    "current folder",
    "current directory",
    "the working directory",
    "the workspace",
    "workspace",
    "my folder",
    "this workspace",
];

/// Most lines one step shows from an end of a file.
pub const MOST_LINES: u32 = 1_000;
/// Deepest tree.
const MOST_LEVELS: u32 = 8;

/// A rule's match with what is needed to read its places.
pub struct Match<'a> {
    pub request: &'a Request,
    pub captures: &'a Captures<'a>,
    /// The path of the step before, which `it` means.
    pub last: Option<&'a str>,
    /// Whether words of the request could be a step of their own.
    pub is_order: fn(&Request, &str) -> bool,
}

impl Match<'_> {
    fn raw(&self, name: &str) -> Option<&str> {
        self.captures.name(name).map(|found| found.as_str())
    }

    /// Whether a place is filled.
    pub fn has(&self, name: &str) -> bool {
        self.captures.name(name).is_some()
    }

    /// Whether a place holds a quoted text.
    pub fn is_quoted(&self, name: &str) -> bool {
        self.raw(name)
            .and_then(|raw| self.request.piece(raw))
            .is_some_and(|piece| piece.is_quoted)
    }

    /// Whether what stands in a place means many files. In quotes `?` and `[` are letters of a
    /// name, as titles have them; `*` is not.
    pub fn is_pattern(&self, name: &str) -> bool {
        let said = self.raw(name).and_then(|raw| self.request.piece(raw));
        said.is_some_and(|piece| match piece.is_quoted {
            true => piece.text.contains('*'),
            false => is_wildcard(&piece.text),
        })
    }

    /// Refuses a place that means many files, where one is changed.
    pub fn one_name(&self, name: &str, path: &str) -> Result<(), Refusal> {
        if !self.is_pattern(name) {
            return Ok(());
        }
        let why = format!(
            "`{path}` may mean many files, and I change one named file a step. In quotes `?` and \
             `[` are part of a name; `*` never is."
        );
        let pattern = path.rsplit('/').next().unwrap_or(path);
        let nearest = vec![format!("find files named {pattern}")];
        Err(Refusal::ambiguous(why, nearest))
    }

    /// What the rule read before a place, lower case.
    pub fn before(&self, name: &str) -> String {
        let all = self.captures.get(0).map_or(0, |all| all.start());
        let place = self.captures.name(name).map_or(all, |place| place.start());
        self.captures[0][..place - all].to_lowercase()
    }

    /// The words of a place as they stand.
    pub fn written(&self, name: &str) -> &str {
        self.raw(name).unwrap_or_default().trim()
    }

    /// The bare words of a place, lower case.
    pub fn word(&self, name: &str) -> String {
        trim_word(self.raw(name).unwrap_or_default().trim()).to_lowercase()
    }

    /// A path to look at; the workspace when the place is empty.
    pub fn folder(&self, name: &str) -> Result<String, Refusal> {
        match self.raw(name) {
            None => Ok(".".to_owned()),
            Some(raw) if HERE.contains(&trim_word(raw).to_lowercase().as_str()) => {
                Ok(".".to_owned())
            }
            Some(raw) => self.read_path(raw),
        }
    }

    /// A path to look at.
    pub fn path(&self, name: &str) -> Result<String, Refusal> {
        self.read_path(self.raw(name).unwrap_or_default())
    }

    fn read_path(&self, raw: &str) -> Result<String, Refusal> {
        let piece = self
            .request
            .piece(trim_word(raw.trim()))
            .ok_or_else(|| self.mixed(raw))?;
        if piece.is_quoted {
            return if piece.text.trim().is_empty() {
                Err(self.which(raw))
            } else {
                Ok(piece.text)
            };
        }
        let word = piece.text;
        let lower = word.to_lowercase();
        if BACK.contains(&lower.as_str()) {
            return self
                .last
                .map(str::to_owned)
                .ok_or_else(|| self.which(&word));
        }
        if word.is_empty() || VAGUE.contains(&lower.as_str()) {
            return Err(self.which(&word));
        }
        if word == "/" || word == "." {
            return Ok(word);
        }
        Ok(word.trim_end_matches('/').to_owned())
    }

    /// A path that is changed: it must be one named thing below a root, and be named so that
    /// nothing else can be meant. `noun` names a place of the rule that settles what the name is.
    pub fn target(&self, name: &str, noun: &str) -> Result<String, Refusal> {
        let raw = self.raw(name).unwrap_or_default();
        let path = self.read_path(raw)?;
        let is_back = self.last == Some(path.as_str());
        self.one_name(name, &path)?;
        if path.chars().all(|c| "./~".contains(c)) {
            let why = format!("`{path}` is a whole folder that I do not change as one.");
            return Err(Refusal::ambiguous(
                why,
                vec![format!("list the files in {path}")],
            ));
        }
        if self.is_quoted(name) || self.has(noun) || is_back || is_path(trim_word(raw)) {
            return Ok(path);
        }
        // A quote that nothing closes is no part of the name.
        let named = path.trim_matches(QUOTES);
        if named.trim().is_empty() {
            return Err(self.which(&path));
        }
        let why = match named == path {
            true => format!("`{path}` may be a name or just a word."),
            false => format!("A quote of `{path}` has no partner."),
        };
        let step = self
            .captures
            .get(0)
            .map(|whole| whole.as_str())
            .unwrap_or_default();
        let quoted = self
            .request
            .shown(step)
            .replacen(&path, &in_quotes(named), 1);
        let refusal = Refusal::ambiguous(why, vec![quoted]);
        // What is renamed may be a name in a file too.
        let renamed = step.strip_prefix("rename ").filter(|_| named == path);
        Err(match renamed {
            Some(_) => refusal.advised(format!(
                "A name in a file is renamed by `{} in FILE`; `search for {}` shows which files have it.",
                self.request.shown(step),
                in_quotes(named)
            )),
            None => refusal,
        })
    }

    /// A text: quoted, or all bare words.
    pub fn text(&self, name: &str) -> Result<String, Refusal> {
        let raw = self.raw(name).unwrap_or_default();
        let piece = self.request.piece(raw).map(|piece| piece.text);
        piece.ok_or_else(|| {
            // `replace "a" with "b" and "c" with "d"` is of more than one text.
            let is_replaced = matches!(name, "old" | "new");
            let nearest = match self.one_by_one(name) {
                None if is_replaced => {
                    return self.mixed(raw).advised("Give one order for each text.");
                }
                None => self.in_quotes(name),
                Some(orders) => orders,
            };
            Refusal {
                nearest: vec![nearest],
                advice: None,
                ..self.mixed(raw)
            }
        })
    }

    /// A text that is looked for: bare words that may be part of the order are refused.
    pub fn sought(&self, name: &str) -> Result<String, Refusal> {
        let text = self.text(name)?;
        let padded = format!(" {} ", text.to_lowercase());
        let joins = [
            " if ",
            " unless ",
            " except ",
            " but only ",
            " and delete ",
            " and remove ",
        ];
        match !self.is_quoted(name) && joins.iter().any(|join| padded.contains(join)) {
            true => {
                let why =
                    format!("I cannot tell which part of `{text}` is text and which is the order.");
                Err(Refusal::ambiguous(why, vec![self.in_quotes(name)]))
            }
            false => Ok(text),
        }
    }

    /// A text that goes into a file: quoted, or bare words that are beyond doubt the text.
    pub fn added(&self, name: &str, path: &str) -> Result<String, Refusal> {
        let text = self.text(name)?;
        let is_plain = plain::is_prose(path) && plain::is_added(&text);
        let is_plain = is_plain || plain::is_path_to_ignore(&text, path);
        // `with the alphabet` is no text, `with hello` is one; a row is of a table.
        let before = self.before(name);
        let is_plain = is_plain && !before.ends_with(" the ") && !before.ends_with(" row ");
        self.plain(name, text, is_plain)
    }

    /// A text that is replaced or takes the place of another: as [`Match::added`].
    pub fn replacement(&self, name: &str) -> Result<String, Refusal> {
        let text = self.text(name)?;
        let is_plain = plain::is_replacement(&text) || self.is_one_for_one();
        let is_plain = is_plain && !self.loses_an_article(name);
        self.plain(name, text, is_plain)
    }

    /// Whether one word takes the place of one other: in `replace a.example.org with b.example.org in site.conf` both
    /// are texts, whatever they look like. What is renamed may be a file.
    fn is_one_for_one(&self) -> bool {
        let is_one = |name: &str| {
            let raw = self.written(name);
            !raw.is_empty() && !raw.contains(char::is_whitespace) && plain::is_word(raw)
        };
        let verb = self.captures[0]
            .split_whitespace()
            .next()
            .unwrap_or_default();
        let exchanges = ["replace", "change", "substitute"].contains(&verb.to_lowercase().as_str());
        exchanges && is_one("old") && is_one("new")
    }

    /// Whether an article before bare words may be of them: any before a new text, and before an old one
    /// that of a title.
    fn loses_an_article(&self, name: &str) -> bool {
        let (is_article, is_of_a_title) = self.article_before(name);
        is_article && (name == "new" || is_of_a_title)
    }

    /// Whether an article stands before a place, and whether in capitals. `should be a Robert` needs one.
    fn article_before(&self, name: &str) -> (bool, bool) {
        let place = self.captures.name(name).map_or(0, |found| found.start());
        let start = self.captures.get(0).map_or(0, |all| all.start());
        let mut before = self.captures[0][..place - start].split_whitespace().rev();
        let last = before.next().unwrap_or_default();
        let is_article = ["the", "a", "an"].contains(&last.to_lowercase().as_str());
        let is_needed = before
            .next()
            .is_some_and(|verb| ["be", "become"].contains(&verb));
        (
            is_article && !is_needed,
            last.starts_with(char::is_uppercase),
        )
    }

    /// A text, where it is quoted, said to be one, or plain.
    fn plain(&self, name: &str, text: String, is_plain: bool) -> Result<String, Refusal> {
        let before = self.before(name);
        let is_said = || {
            let is_after_colon = before.trim_end().ends_with(':');
            plain::is_introduced(&before) && plain::is_said(&text, is_after_colon)
        };
        if self.is_quoted(name) {
            return Ok(text);
        }
        if is_plain || is_said() {
            return Ok(text + self.end_of_text(name, &before));
        }
        if described::is_text(&text) {
            return Err(described::refusal(&text));
        }
        let why = format!("`{text}` may be the text itself, or say what the text is to be.");
        let refusal = Refusal::ambiguous(why, Vec::new());
        // `welcome in a.py and` before the name of another file ends with the word.
        if matches!(name, "old" | "new") && format!("{text} ").contains(" and ") {
            return Err(refusal.advised("Give one order at a time, joined by `then`."));
        }
        // All of `milk to a.txt and eggs` as one text is hardly what was meant.
        let mut nearest = match name {
            // A place is no text.
            "old" | "new" if text.contains(" line ") => Vec::new(),
            "old" | "new" => vec![self.as_words(name, &text)],
            _ if several::names_a_place(self.request, &text) => Vec::new(),
            // `a new target lint` says what is to be written, and is not the text.
            _ if text.starts_with("a new ") || text.starts_with("another ") => Vec::new(),
            _ => vec![self.in_quotes(name)],
        };
        // A list of paths has one on each line.
        if let Some(each) = several::each_ignored(&text, &nearest) {
            return Err(Refusal {
                nearest: vec![each],
                ..refusal
            });
        }
        if let Some(row) = self.as_row(name, &text) {
            nearest = vec![row];
        } else if let Some(each) = several::each_word(&text, &nearest) {
            nearest.insert(0, each);
        }
        let is_of_files = plain::names_a_file(&text);
        let of_a_file = self.of_a_file(&text);
        let is_advised = of_a_file.is_none() && is_of_files;
        nearest.splice(0..0, of_a_file);
        let refusal = Refusal { nearest, ..refusal };
        Err(match is_advised {
            true => refusal.advised(
                "For several files give one step for each, such as `add \"milk\" to FILE then add \"eggs\" to OTHER`.",
            ),
            false => refusal,
        })
    }

    /// The order that adds a row to a table, of an addition to one whose text has cells.
    fn as_row(&self, name: &str, text: &str) -> Option<String> {
        let path = self.path("p").ok().filter(|_| name == "c")?;
        let lower = path.to_lowercase();
        let is_table = lower.ends_with(".csv") || lower.ends_with(".tsv");
        let verb = self.captures[0].split_whitespace().next()?.to_lowercase();
        let adds = ["add", "append", "insert"].contains(&verb.as_str());
        (is_table && adds && text.contains(','))
            .then(|| format!("add a row for {text} to {}", typed_path(&path)))
    }

    /// The orders that write several quoted texts of one place one after the other; `None` where other words
    /// stand between them.
    fn one_by_one(&self, name: &str) -> Option<String> {
        let raw = self.raw(name)?;
        let parts = raw.split(" and ").flat_map(|part| part.split(", "));
        let parts: Vec<&str> = parts
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let are_texts = parts.iter().all(|part| {
            self.request
                .piece(part)
                .is_some_and(|piece| piece.is_quoted)
        });
        let (first, rest) = parts
            .split_first()
            .filter(|(_, rest)| are_texts && !rest.is_empty())?;
        let verb = self.captures[0].split_whitespace().next()?.to_lowercase();
        let creates =
            ["create", "make", "write", "start", "touch", "save"].contains(&verb.as_str());
        let place = typed_path(&self.path("p").ok()?);
        let later = rest.iter().map(|part| match creates {
            true => self.request.whole(&format!("append {part} to {place}")),
            false => self.with(name, part),
        });
        let orders: Vec<String> = std::iter::once(self.with(name, first))
            .chain(later)
            .collect();
        Some(orders.join(" then "))
    }

    /// The order to add what a file says, where the text of an addition is no more than its name.
    fn of_a_file(&self, text: &str) -> Option<String> {
        let into = self.path("p").ok().filter(|into| is_file(into))?;
        let is_added = ["append", "add", "attach"]
            .iter()
            .any(|verb| self.captures[0].to_lowercase().starts_with(verb));
        let into = typed_path(&into);
        let is_one = !text.contains(char::is_whitespace);
        (is_added && is_one && is_file(text))
            .then(|| format!("append the contents of {text} to {into}"))
    }

    /// The step with a replaced text or its replacement said to be words, which are replaced where they
    /// are whole.
    fn as_words(&self, name: &str, text: &str) -> String {
        let is_one = !text.contains(char::is_whitespace);
        match (self.loses_an_article(name), self.article_before(name).0) {
            (true, _) => {
                let lose_one = |name: &&str| self.article_before(name).0;
                let names: Vec<&str> = ["old", "new"].into_iter().filter(lose_one).collect();
                self.in_quotes_with_articles(&names)
            }
            (false, false) if is_one => self.with(name, &format!("the word {text}")),
            _ => self.in_quotes(name),
        }
    }

    /// What ends the sentence and is of the bare text that stands last in it: an exclamation mark, and
    /// behind a colon all of it.
    fn end_of_text(&self, name: &str, before: &str) -> &str {
        let end = self.captures.get(0).map_or(0, |all| all.end());
        let place = self.captures.name(name).map_or(end, |place| place.end());
        let whole = &self.captures[0];
        let rest = &whole[whole.len() - (end - place)..];
        let is_last = rest.chars().all(|sign| ['.', '!'].contains(&sign));
        match is_last && (before.trim_end().ends_with(':') || rest.starts_with('!')) {
            true => rest,
            false => "",
        }
    }

    /// The step with the bare words of a place in quotes, as it can be pasted. A capital article before them is
    /// of the text, as is the end of its last sentence where there are several.
    fn in_quotes(&self, name: &str) -> String {
        match self.article_before(name) {
            (true, true) => self.in_quotes_with_articles(&[name]),
            _ => self.all_in_quotes(&[name], |_| false),
        }
    }

    /// The same of several places, in their order, each with the article before its words.
    fn in_quotes_with_articles(&self, names: &[&str]) -> String {
        self.all_in_quotes(names, |name| self.article_before(name).0)
    }

    fn all_in_quotes(&self, names: &[&str], with_article: impl Fn(&str) -> bool) -> String {
        let whole = &self.captures[0];
        let start = self.captures.get(0).map_or(0, |all| all.start());
        let mut written = String::new();
        let mut done = 0;
        for name in names.iter().filter(|name| !self.is_quoted(name)) {
            let Some(place) = self.captures.name(name) else {
                continue;
            };
            let (mut from, mut to) = (place.start() - start, place.end() - start);
            if with_article(name) {
                let before = whole[..from].trim_end();
                from = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
            }
            let is_last = whole[to..].chars().all(|sign| ['.', '!'].contains(&sign));
            if is_last
                && [". ", "! ", "? "]
                    .iter()
                    .any(|end| whole[from..to].contains(end))
            {
                to = whole.len();
            }
            written.push_str(&whole[done..from]);
            written.push_str(&in_quotes(&self.request.whole(&whole[from..to])));
            done = to;
        }
        written.push_str(&whole[done..]);
        self.request.whole(&written)
    }

    /// The step with something else in a place.
    fn with(&self, name: &str, instead: &str) -> String {
        let whole = &self.captures[0];
        let start = self.captures.get(0).map_or(0, |all| all.start());
        let place = self.captures.name(name).map(|found| found.range());
        let place = place.map_or(0..0, |place| place.start - start..place.end - start);
        let (before, after) = (&whole[..place.start], &whole[place.end..]);
        self.request.whole(&format!("{before}{instead}{after}"))
    }

    /// A text that is kept or looked for elsewhere, which may hold any words: bare words end where
    /// another order may begin.
    pub fn told(&self, name: &str) -> Result<String, Refusal> {
        let text = self.text(name)?;
        if self.is_quoted(name) {
            return Ok(text);
        }
        let text = text
            .trim_end_matches(['.', ',', '!', '?', ':', ';'])
            .to_owned();
        for (at, joint) in text.match_indices(" and ") {
            let rest = &text[at + joint.len()..];
            if (self.is_order)(self.request, rest) {
                let why = format!("`{rest}` may be part of the text or an order of its own.");
                let advice = "Put the text in quotes, or join the orders with `then`.";
                return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
            }
        }
        Ok(text)
    }

    /// A number of lines.
    pub fn lines(&self, name: &str) -> Result<u32, Refusal> {
        self.bounded(name, 1, MOST_LINES, "lines")
    }

    /// Levels of a tree.
    pub fn levels(&self, name: &str) -> Result<u32, Refusal> {
        if !self.has(name) {
            return Ok(4);
        }
        self.bounded(name, 1, MOST_LEVELS, "levels")
    }

    fn bounded(&self, name: &str, least: u32, most: u32, unit: &str) -> Result<u32, Refusal> {
        let word = self.word(name);
        match number(&word) {
            Some(count) if (least..=most).contains(&count) => Ok(count),
            _ => {
                let why = format!("`{word}` {unit} is not between {least} and {most}.");
                let advice = format!("Use {most} {unit} or fewer.");
                Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
            }
        }
    }

    fn which(&self, word: &str) -> Refusal {
        let why = if word.is_empty() {
            "I need the name of a file or folder.".to_owned()
        } else {
            format!(
                "I cannot tell which file or folder `{}` means.",
                self.request.shown(word)
            )
        };
        if BACK.contains(&word.to_lowercase().as_str()) {
            let advice = "Name it: no order before this one names a single file.";
            return Refusal::ambiguous(why, Vec::new()).advised(advice);
        }
        Refusal::ambiguous(
            why,
            super::examples::nearest(&self.request.shown(&self.captures[0])),
        )
    }

    fn mixed(&self, raw: &str) -> Refusal {
        let why = format!(
            "I cannot tell where the text ends in `{}`.",
            self.request.shown(raw)
        );
        Refusal::ambiguous(why, Vec::new()).advised("Put the whole text in one pair of quotes.")
    }
}
