//! Orders that say more than a step can hold: of a part of a file, of one of several places, or under
//! a condition. No rule fits them, and a small model makes a larger change of them than was asked for.

use super::described;
use super::grammar;
use super::refusal::Refusal;
use super::several::listed;
use super::words::{Request, is_file, pattern, trim_word};
use crate::quoted::in_quotes;
use crate::{kinds, orders};
use regex::Regex;
use std::sync::LazyLock;

/// How an order to take something away begins.
static REMOVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:delete|remove|erase|drop|strike|trash|wipe|clear|purge|cut|take out|cross out|get rid of|throw away|throw out|bin)\b",
    )
});
/// How an order to replace something begins.
static REPLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:in\b.*?\b)?(?:(?:find and )?replace|substitute|change|rename|turn|correct|fix|edit|update|use)\b",
        r"|^(?:every|each|all|any)\b.*\b(?:should|must|has to|have to|is to|ought to)\b",
    ))
});
/// How an order to put something elsewhere, or at the end of a file, begins.
static ADDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:append|add|insert|prepend|attach|move|copy|put)\b"));
static SWAPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^(?:in\b.*?\b)?(?:swap|exchange|interchange|switch)\b.*\b(?:and|with|for)\b")
});
/// What two things are swapped, and in which file.
static TWO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:swap|exchange|interchange|switch) (?:the )?(?:words? )?(?P<a>\S+) (?:and|with|for) (?:the )?(?P<b>\S+) in (?:the )?(?:file )?(?P<p>\S+)$",
    )
});
/// An order to write what does something: `a file hello.py that prints hello`.
static WRITES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^(?:create|make|write|generate|add|start)\b.*\b(?:that|which) [a-z]+s\b")
});
/// What is counted in more than one file that is named.
static COUNTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:lines|words|characters|chars|bytes|letters)\b.* (?:in|of|from|across|do|does) (?:all|every|each|both|the \w+ files|these|those)\b",
    )
});
/// Files by when they were changed, which no step knows.
static TIMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\bfiles?\b.*\b(?:modified|changed|edited|created|updated|written|saved|touched)\b.*\b(?:today|yesterday|since|last|this|ago|recently|lately|before|after|on)\b",
        r"|\b(?:newest|oldest|latest|most recent|(?:recently|last) (?:modified|changed|edited|created|updated))\b.*\b(?:files?|documents?)\b",
    ))
});
/// How an order to look begins.
static LOOKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:show|list|find|display|print|give|get|see|view|count|tell|which|what|how|ls)\b",
    )
});
/// How an order to look for something begins.
static SEARCHES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^(?:find|search|grep|look for|locate)\b"));
/// Words of a condition, or of what is left out.
static LIMITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:if|unless|only|except|excluding|but|provided|as long as|in case|once|twice|apart from|other than|instead of)\b|\S\.\w+ or \S",
    )
});
/// Words of a place within a file, or of one of several.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:in|on|of|from|to|until|after|before|between|above|below|within|inside|the) (?:the |its )?(?:[\w-]+ )?",
        r"(?:chapters?|lines?|paragraphs?|sections?|sentences?|pages?|rows?|columns?|headings?|verses?|stanzas?|scenes?|half|part|occurrences?|instances?)\b",
        r"|\b(?:the|its) (?:first|second|third|fourth|fifth|last|next|\d+(?:st|nd|rd|th)) ",
    ))
});
/// Several texts that are named by what they are, and no file beside them.
static EACH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i) (?:in|of|throughout|across) (?:all|every|each|both)(?: of)?(?: the| my)? (?:chapters?|sections?|pages?|scenes?|parts?|files?|documents?|notes?)[.! ]*$",
    )
});
/// Words that say where in a file something is, and are no text of it.
const OF_PLACES: [&str; 20] = [
    "line",
    "lines",
    "section",
    "blank",
    "empty",
    "comment",
    "comments",
    "first",
    "last",
    "second",
    "word",
    "words",
    "paragraph",
    "paragraphs",
    "row",
    "rows",
    "column",
    "duplicates",
    "all",
    "every",
];
/// Words that say within which file something is.
const WITHIN: [&str; 6] = ["from", "of", "in", "out", "inside", "within"];
/// Words between those and the file.
const BESIDE_FILES: [&str; 3] = ["the", "my", "file"];

/// Whether an order looks for something: of one that is refused, a small model looks for something else.
pub(super) fn is_search(text: &str) -> bool {
    hits(&SEARCHES, text)
}

/// Why an order that no rule fits is not left to a small model.
/// `is_whole` says whether a text is an order that is understood by itself.
pub(super) fn refusal(
    request: &Request,
    text: &str,
    is_whole: impl Fn(&str) -> bool,
) -> Option<Refusal> {
    let shown = request.shown(text);
    // `chapters/01.md` is no place within a file.
    let placed = without_files(request, text);
    let (removes, replaces) = (hits(&REMOVES, text), hits(&REPLACES, text));
    let adds = hits(&ADDS, text);
    if (removes || replaces || adds) && hits(&LIMITS, text) {
        return Some(of_a_condition(&shown));
    }
    if described::is_order(text) {
        return Some(described::refusal(&shown));
    }
    if adds && hits(&PLACES, &placed) {
        return Some(of_a_place_to_add(&shown));
    }
    if replaces && hits(&EACH, &placed) {
        return Some(of_each(&shown));
    }
    if replaces && hits(&PLACES, &placed) {
        return Some(of_a_place(&shown));
    }
    if hits(&SWAPS, text) {
        return Some(of_two(request, &shown, text));
    }
    if hits(&LOOKS, text) && hits(&COUNTS, text) {
        return Some(of_many(&shown));
    }
    if hits(&LOOKS, text) && hits(&TIMES, text) {
        return Some(of_a_time(&shown));
    }
    if let Some(steps) = one_for_each(request, text) {
        return Some(of_several(request, &shown, &steps, is_whole));
    }
    if hits(&WRITES, text) {
        return Some(described::refusal(&shown));
    }
    let (part, file) = part_of_a_file(request, text).filter(|_| removes)?;
    Some(of_a_part(&shown, &part, &file))
}

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// An order with `FILE` in the place of each path.
fn without_files(request: &Request, text: &str) -> String {
    let one = |word: &str| {
        let piece = request.piece(trim_word(word)).map(|piece| piece.text);
        let is_one = piece.is_some_and(|text| is_file(&text)) || word.contains('/');
        if is_one {
            "FILE".to_owned()
        } else {
            word.to_owned()
        }
    };
    text.split_whitespace()
        .map(one)
        .collect::<Vec<_>>()
        .join(" ")
}

fn of_each(shown: &str) -> Refusal {
    let why = format!("`{shown}` names no file, and I change files that are named.");
    let advice = "Name each, as in `replace \"OLD\" with \"NEW\" in a.md and b.md`; `search for \"OLD\"` shows which \
                  files have it.";
    Refusal::ambiguous(why, Vec::new()).advised(advice)
}

fn of_a_condition(shown: &str) -> Refusal {
    let why = format!(
        "`{shown}` has a condition or an exception, and I look at none before I change something."
    );
    let advice = "Look first, such as with `show FILE`, and then order it without the condition.";
    Refusal::ambiguous(why, Vec::new()).advised(advice)
}

fn of_a_place(shown: &str) -> Refusal {
    let why =
        format!("`{shown}` is of one place in a file, and I replace a text wherever it stands.");
    let advice =
        "Put a longer text that stands only there in quotes, or name its line by the number.";
    Refusal::ambiguous(why, Vec::new()).advised(advice)
}

fn of_a_place_to_add(shown: &str) -> Refusal {
    if shown.to_lowercase().starts_with("move ") {
        let why = format!("`{shown}` moves a part of a file, which I do not do in one step.");
        let advice = "Two steps do it: insert the text where it goes (`insert \"TEXT\" before line 5 of FILE`), and \
                      remove it where it was (`remove line 3 of FILE`).";
        return Refusal::unavailable(&why, Vec::new()).advised(advice);
    }
    let why = format!(
        "`{shown}` is of a place that I cannot find: I insert at the top, at the end, and before or after a \
         line."
    );
    let advice = "Name a line by its number, by words in it or as a heading, such as `insert \"tea\" after line 3 \
                  of FILE` or `insert \"tea\" after the heading \"Plan\" in FILE`.";
    Refusal::ambiguous(why, Vec::new()).advised(advice)
}

fn of_two(request: &Request, shown: &str, text: &str) -> Refusal {
    let why = format!("`{shown}` is more than one step.");
    let two = TWO.as_ref().and_then(|two| two.captures(text));
    let said = two.and_then(|two| {
        let one = |name: &str| Some(request.piece(&two[name])?.text);
        let (a, b) = (one("a")?, one("b")?);
        let file = request.whole(trim_word(&two["p"]));
        Some((a, b, file))
    });
    let Some((a, b, file)) = said else {
        let advice = "Replace the first by a word that stands nowhere, then the second by the first, and that word by \
                      the second.";
        return Refusal::ambiguous(why, Vec::new()).advised(advice);
    };
    let between = format!("{a} (swapped)");
    let steps = [(&a, &between), (&b, &a), (&between, &b)];
    let steps = steps.map(|(old, new)| {
        format!(
            "replace {} with {} in {file}",
            in_quotes(old),
            in_quotes(new)
        )
    });
    Refusal::ambiguous(why, vec![steps.join(" then ")])
}

fn of_many(shown: &str) -> Refusal {
    // Characters may be people.
    if shown.to_lowercase().starts_with("which ") {
        let why = format!("`{shown}` compares what files say, which I do not.");
        let advice = "`search for \"NAME\"` shows which files have a name, and `compare FILE with OTHER` the lines that \
                      differ.";
        return Refusal::unavailable(&why, Vec::new()).advised(advice);
    }
    let why = format!("`{shown}` is of more files than are named, and I count in one a step.");
    let find = kinds::spoken_of(shown).map(|ending| format!("find files named *.{ending}"));
    let advice =
        "Name them, as in `count the words in FILE and OTHER`: that counts each, and all together.";
    Refusal::unavailable(&why, find.into_iter().collect()).advised(advice)
}

fn of_a_time(shown: &str) -> Refusal {
    let why = format!("`{shown}` asks when files were changed, which I do not see.");
    let nearest = vec!["list the files".to_owned()];
    Refusal::unavailable(&why, nearest)
}

/// Of an order to change several files that it names together, one for each.
fn one_for_each(request: &Request, text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_change = words.first().is_some_and(|verb| orders::is_change(verb));
    let (place, names) = listed(request, &words).filter(|_| is_change)?;
    let one = |name: &&str| {
        let (before, after) = (&words[..place.start], &words[place.end..]);
        let words: Vec<&str> = before.iter().chain([name]).chain(after).copied().collect();
        words.join(" ")
    };
    Some(names.iter().map(one).collect())
}

fn of_several(
    request: &Request,
    shown: &str,
    steps: &[String],
    is_whole: impl Fn(&str) -> bool,
) -> Refusal {
    let why = format!("`{shown}` names several files, and a step changes one.");
    // Two files do not become one.
    let ends = |step: &String| step.split_whitespace().next_back().map(str::to_owned);
    let is_into_one =
        ends(&steps[0]) == ends(&steps[1]) && ends(&steps[0]).is_some_and(|to| is_file(&to));
    let is_one =
        |step: &String| grammar::is_understood(request, step) || is_whole(&request.whole(step));
    let nearest = match !is_into_one && steps.iter().all(is_one) {
        true => Some(request.whole(&steps.join(" then "))),
        false => joined_into_one(request, steps),
    };
    let advice = "Give one step for each file, each an order of its own, joined by `then`.";
    match nearest {
        Some(orders) => Refusal::ambiguous(why, vec![orders]),
        None => Refusal::ambiguous(why, Vec::new()).advised(advice),
    }
}

/// Of files that are to become one, the order that adds each to it.
fn joined_into_one(request: &Request, steps: &[String]) -> Option<String> {
    const JOINS: [&str; 6] = ["merge", "join", "combine", "concatenate", "append", "add"];
    let verb = steps.first()?.split_whitespace().next()?.to_lowercase();
    let one = |step: &String| {
        let words: Vec<&str> = step.split_whitespace().map(trim_word).collect();
        let [.., last] = words.as_slice() else {
            return None;
        };
        let is_name = |word: &&&str| {
            request
                .piece(word)
                .is_some_and(|piece| is_file(&piece.text))
        };
        let from = words.iter().find(is_name)?;
        (from != last && is_name(&last))
            .then(|| request.whole(&format!("append the contents of {from} to {last}")))
    };
    let orders: Option<Vec<String>> = steps.iter().map(one).collect();
    orders
        .filter(|_| JOINS.contains(&verb.as_str()))
        .map(|orders| orders.join(" then "))
}

fn of_a_part(shown: &str, part: &str, file: &str) -> Refusal {
    let why = format!(
        "`{shown}` speaks of a part of {file}: I remove a text in quotes, or a line by what it says or where it stands."
    );
    removals(Refusal::ambiguous(why, Vec::new()), part, file)
}

/// A refusal with how a part of a file can be removed.
pub(super) fn removals(refusal: Refusal, part: &str, file: &str) -> Refusal {
    // `the TODO line` is the line about it.
    let part = part.strip_suffix(" line").unwrap_or(part);
    let lower = part.to_lowercase();
    let speaks_of_it = lower
        .split_whitespace()
        .any(|word| OF_PLACES.contains(&word));
    if part.is_empty() || speaks_of_it {
        return refusal.advised("Put the exact text in quotes, or name its line by the number.");
    }
    let parts: Vec<&str> = part
        .split(", ")
        .flat_map(|one| one.split(" and "))
        .collect();
    let about = |part: &&str| format!("remove the line about {} from {file}", in_quotes(part));
    let nearest = match parts.as_slice() {
        [one] => vec![format!("remove {} from {file}", in_quotes(one)), about(one)],
        many => vec![many.iter().map(about).collect::<Vec<_>>().join(" then ")],
    };
    Refusal { nearest, ..refusal }
}

/// The part of a file that an order to remove is of, and the file: `Tom from novel.md`, `chapter 2 of
/// novel.md`.
fn part_of_a_file(request: &Request, text: &str) -> Option<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().map(trim_word).collect();
    let verb = REMOVES
        .as_ref()?
        .find(text)
        .map_or(0, |verb| verb.as_str().split_whitespace().count());
    words.iter().enumerate().find_map(|(at, word)| {
        let file = request.piece(word)?.text;
        let mut before = words[..at].iter().enumerate().rev();
        let (within, last) =
            before.find(|(_, word)| !BESIDE_FILES.contains(&word.to_lowercase().as_str()))?;
        let is_within = WITHIN.contains(&last.to_lowercase().as_str()) && is_file(&file);
        let mut part = words.get(verb..within).unwrap_or_default();
        part = part.strip_suffix(&["out"]).unwrap_or(part);
        part = part.strip_prefix(&["the"]).unwrap_or(part);
        is_within.then(|| (request.whole(&part.join(" ")), request.shown(word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_pattern_compiles() {
        for constant in [&COUNTS, &TIMES, &LOOKS, &SEARCHES] {
            assert!(constant.is_some());
        }
        for constant in [
            &REMOVES, &REPLACES, &SWAPS, &TWO, &WRITES, &LIMITS, &PLACES, &EACH,
        ] {
            assert!(constant.is_some());
        }
    }
}
