//! How files would change, as lines that belong together and with the words that differ.
//!
//! A difference of a question is text. What of it comes from the differ is told by its own counts: a
//! place (`@@ -1,3 +1,4 @@`) says how many lines of each side follow, and no line of a file can end them
//! early or go on behind them. Outside of that only the sentences are known that the tools of this house
//! write there. From the first line on that is anything else, nothing is taken for a difference.

mod words;

use self::words::Budget;
pub use self::words::Part;

/// A part of a difference, in the order in which it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Something that is told, and anything that is not known to be of a difference.
    Told(String),
    /// The name of a file, old or new.
    Name(String),
    /// Where in the file the next lines stand.
    Place(String),
    /// A line that stays.
    Same(String),
    /// Lines that go, and those that come in their place.
    Change {
        /// Those that go.
        old: Vec<Line>,
        /// Those that come.
        new: Vec<Line>,
    },
}

/// A line that goes or comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// `-`, `+`, or `\` for what is said of the line above.
    pub sign: char,
    /// Its text, without the sign.
    pub parts: Vec<Part>,
}

/// How sentences begin that tools of this house write beside a difference.
const SENTENCES: [&str; 9] = [
    "ATTENTION: ",
    "make the folder ",
    "make the link ",
    "delete ",
    "delete, ",
    "new empty file ",
    "rename from ",
    "rename to ",
    "take back what ",
];

/// A difference in its parts. `text`: with all that moves a terminal spelled out.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece> {
    let lines: Vec<&str> = text.lines().collect();
    let mut budget = Budget::new();
    let mut all = Vec::new();
    let mut rest = lines.as_slice();
    while let Some(first) = rest.first() {
        let taken = match rest {
            [old, new, ..] if is_name(old, new) => file(rest, &mut budget),
            _ if is_sentence(first) => Some((vec![Piece::Told((*first).to_owned())], 1)),
            _ => None,
        };
        let Some((pieces, count)) = taken else {
            let told = |line: &&str| Piece::Told((*line).to_owned());
            all.extend(rest.iter().map(told));
            break;
        };
        all.extend(pieces);
        rest = &rest[count..];
    }
    all
}

/// Whether a text begins as a difference does. What is told of a program does not.
#[must_use]
pub fn is_one(text: &str) -> bool {
    let mut lines = text.lines();
    let (Some(first), second) = (lines.next(), lines.next()) else {
        return false;
    };
    is_sentence(first) || second.is_some_and(|second| is_name(first, second))
}

/// A text none of which is taken for a difference.
#[must_use]
pub fn told(text: &str) -> Vec<Piece> {
    let told = |line: &str| Piece::Told(line.to_owned());
    text.lines().map(told).collect()
}

fn is_name(old: &str, new: &str) -> bool {
    old.starts_with("--- ") && new.starts_with("+++ ")
}

fn is_sentence(line: &str) -> bool {
    // How much shorter a file becomes, and how much of a deleted one is not shown.
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_size = rest.starts_with(" bytes become ");
    let is_more = line.starts_with('(') && line.ends_with(" more lines)");
    is_size || is_more || SENTENCES.iter().any(|begin| line.starts_with(begin))
}

/// The names of a file and its places, and how many lines they are.
fn file(lines: &[&str], budget: &mut Budget) -> Option<(Vec<Piece>, usize)> {
    let (names, rest) = lines.split_at_checked(2)?;
    let mut all: Vec<Piece> = names
        .iter()
        .map(|name| Piece::Name((*name).to_owned()))
        .collect();
    let mut taken = names.len();
    if rest.first().is_some_and(|line| line.starts_with('-')) {
        // A file that is deleted is told without places.
        let count = deleted(rest);
        let old = rest[..count].iter().map(|line| plain(line)).collect();
        all.push(Piece::Change {
            old,
            new: Vec::new(),
        });
        return Some((all, taken + count));
    }
    while lines.get(taken).is_some_and(|line| line.starts_with("@@")) {
        let (pieces, count) = place(&lines[taken..], budget)?;
        all.extend(pieces);
        taken += count;
    }
    Some((all, taken))
}

/// How many lines of a deleted file there are, up to the names of the next.
fn deleted(lines: &[&str]) -> usize {
    let is_next = |at: usize| {
        let next = lines.get(at + 1);
        next.is_some_and(|next| is_name(lines[at], next))
    };
    let ends = (0..lines.len()).find(|at| !lines[*at].starts_with('-') || is_next(*at));
    ends.unwrap_or(lines.len())
}

fn plain(line: &str) -> Line {
    let mut letters = line.chars();
    Line {
        sign: letters.next().unwrap_or(' '),
        parts: vec![Part::same(letters.as_str())],
    }
}

/// A place with as many lines as it says; `None` where they are not that many.
fn place(lines: &[&str], budget: &mut Budget) -> Option<(Vec<Piece>, usize)> {
    let (first, _) = lines.split_first()?;
    let (mut old, mut new) = counts(first)?;
    let mut all = vec![Piece::Place((*first).to_owned())];
    let (mut gone, mut come): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut end = |gone: &mut Vec<&str>, come: &mut Vec<&str>, all: &mut Vec<Piece>| {
        if !gone.is_empty() || !come.is_empty() {
            all.push(change(gone, come, budget));
            gone.clear();
            come.clear();
        }
    };
    let mut taken = 1;
    // What is said of a line stands behind the last one as well.
    while let Some(line) = lines.get(taken)
        && (old > 0 || new > 0 || line.starts_with('\\'))
    {
        match line.as_bytes().first()? {
            b' ' => {
                end(&mut gone, &mut come, &mut all);
                (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?);
                all.push(Piece::Same(line[1..].to_owned()));
            }
            b'-' => {
                if !come.is_empty() {
                    end(&mut gone, &mut come, &mut all);
                }
                old = old.checked_sub(1)?;
                gone.push(line);
            }
            b'+' => {
                new = new.checked_sub(1)?;
                come.push(line);
            }
            b'\\' if !come.is_empty() => come.push(line),
            b'\\' if !gone.is_empty() => gone.push(line),
            b'\\' => all.push(Piece::Told((*line).to_owned())),
            _ => return None,
        }
        taken += 1;
    }
    end(&mut gone, &mut come, &mut all);
    (old == 0 && new == 0).then_some((all, taken))
}

/// How many lines of the old file and of the new one a place has.
fn counts(line: &str) -> Option<(usize, usize)> {
    let within = line.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = within.split_once(" +")?;
    let count = |side: &str| match side.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

/// Lines that go and lines that come, each beside the one that stands as far down.
fn change(gone: &[&str], come: &[&str], budget: &mut Budget) -> Piece {
    let mut old: Vec<Line> = gone.iter().map(|line| plain(line)).collect();
    let mut new: Vec<Line> = come.iter().map(|line| plain(line)).collect();
    for (old, new) in old.iter_mut().zip(&mut new) {
        if (old.sign, new.sign) == ('-', '+')
            && let ([before], [after]) = (old.parts.as_slice(), new.parts.as_slice())
            && let Some((before, after)) = words::compared(&before.text, &after.text, budget)
        {
            (old.parts, new.parts) = (before, after);
        }
    }
    Piece::Change { old, new }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_told(pieces: &[Piece]) -> Vec<&str> {
        let told = pieces.iter().filter_map(|piece| match piece {
            Piece::Told(text) => Some(text.as_str()),
            _ => None,
        });
        told.collect()
    }

    /// All text of the pieces, in the order of a difference in one column.
    fn all(pieces: &[Piece]) -> String {
        let line = |line: &Line| {
            let parts: String = line.parts.iter().map(|part| part.text.as_str()).collect();
            format!("{}{parts}\n", line.sign)
        };
        let piece = |piece: &Piece| match piece {
            Piece::Told(text) | Piece::Name(text) | Piece::Place(text) => format!("{text}\n"),
            Piece::Same(text) => format!(" {text}\n"),
            Piece::Change { old, new } => old.iter().chain(new).map(line).collect(),
        };
        pieces.iter().map(piece).collect()
    }

    const TWO: &str = "make the folder n\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-let a = 1;\n+let a = 2;\n three\n\
                       @@ -9 +9,2 @@\n-end\n\\ No newline at end of file\n+end\n+more\n3 bytes become 1\n";

    #[test]
    fn lines_that_belong_together_stand_together() {
        let pieces = pieces(TWO);
        assert_eq!(all_told(&pieces), ["make the folder n", "3 bytes become 1"]);
        assert_eq!(all(&pieces), TWO);
        let Some(Piece::Change { old, new }) = pieces.get(5) else {
            panic!("{pieces:?}");
        };
        let changed = |lines: &[Line]| -> Vec<String> {
            let parts = lines.iter().flat_map(|line| &line.parts);
            let changed = parts.filter(|part| part.is_changed);
            changed.map(|part| part.text.clone()).collect()
        };
        assert_eq!(
            (changed(old), changed(new)),
            (vec!["1".to_owned()], vec!["2".to_owned()])
        );
    }

    #[test]
    fn lines_of_files_neither_end_a_place_nor_begin_one() {
        let text = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n--- a/other\n-++ b/other\n-@@ -1 +1 @@\n+-- a/o\n+++ b/o\n+@@\n";
        let read = pieces(text);
        assert_eq!(all(&read), text);
        assert_eq!(read.len(), 4, "{read:?}");
        let deleted = "delete x (9 bytes)\n--- a/x\n+++ /dev/null\n--- a/y\n-++ b/y\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n";
        let read = pieces(deleted);
        assert_eq!(all(&read), deleted);
        let names: Vec<&Piece> = read
            .iter()
            .filter(|one| matches!(one, Piece::Name(_)))
            .collect();
        assert_eq!(names.len(), 4, "{read:?}");
        assert_eq!(names[2], &Piece::Name("--- a/z".to_owned()));
    }

    #[test]
    fn what_is_no_difference_is_not_taken_for_one() {
        let command = format!("$ sh -c echo\n{TWO}");
        let too_few = "--- a/x\n+++ b/x\n@@ -1,9 +1,1 @@\n-a\n+b\n";
        let no_place = "@@ -1 +1 @@\n-a\n+b\n";
        let unknown = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n?a\n+b\n";
        let empty = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n\n-a\n+b\n";
        for text in [command.as_str(), too_few, no_place, unknown, empty] {
            let read = pieces(text);
            assert_eq!(all_told(&read).len(), text.lines().count(), "{read:?}");
            assert_eq!(all(&read), text);
        }
        // From there on nothing is, whatever follows.
        let behind = format!("{TWO}Runs in the sandbox.\n{TWO}");
        assert_eq!(all_told(&pieces(&behind)).len(), 3 + TWO.lines().count());
        assert!(pieces("").is_empty());
    }
}
