//! Whether words describe a text instead of being it.

use super::words::number;

/// Words that name a text by its kind.
const KINDS: [&str; 68] = [
    "abstract",
    "answer",
    "article",
    "biography",
    "blurb",
    "bullet",
    "chapter",
    "character",
    "class",
    "comment",
    "conclusion",
    "date",
    "description",
    "diary",
    "draft",
    "email",
    "essay",
    "example",
    "explanation",
    "foreword",
    "function",
    "glossary",
    "greeting",
    "haiku",
    "header",
    "heading",
    "idea",
    "introduction",
    "item",
    "joke",
    "letter",
    "limerick",
    "line",
    "list",
    "macro",
    "method",
    "module",
    "number",
    "outline",
    "overview",
    "paragraph",
    "plan",
    "poem",
    "point",
    "preface",
    "program",
    "proposal",
    "question",
    "quiz",
    "recipe",
    "report",
    "review",
    "rhyme",
    "row",
    "scene",
    "schedule",
    "script",
    "sentence",
    "skeleton",
    "song",
    "story",
    "struct",
    "summary",
    "synopsis",
    "table",
    "task",
    "template",
    "title",
];
/// What somebody has, and a text does not say.
const MINE: [&str; 8] = [
    "my name",
    "my full name",
    "my address",
    "my email",
    "my email address",
    "my phone number",
    "my birthday",
    "my age",
];
/// Texts that are told by what they are.
const TOLD: [&str; 21] = [
    "nothing",
    "nichts",
    "nada",
    "current time",
    "current date",
    "blank line",
    "a blank line",
    "new line",
    "a new line",
    "newline",
    "a newline",
    "empty line",
    "an empty line",
    "dash",
    "a dash",
    "a tab",
    "a space",
    "uppercase",
    "lowercase",
    "its uppercase",
    "its translation",
];
/// How words begin that speak of the text of something else.
const OF_ANOTHER: [&str; 9] = [
    "the content of ",
    "the contents of ",
    "the text of ",
    "content of ",
    "contents of ",
    "text of ",
    "same content as ",
    "the same content as ",
    "nothing in ",
];
/// Words behind a noun that say more of it.
const BEHIND: [&str; 16] = [
    "of",
    "for",
    "about",
    "on",
    "that",
    "which",
    "with",
    "from",
    "to",
    "between",
    "describing",
    "explaining",
    "called",
    "named",
    "listing",
    "in",
];
/// Nouns that measure what follows `of`: such words are what is written on lists.
const MEASURES: [&str; 36] = [
    "bag", "bar", "bit", "bottle", "bowl", "box", "bunch", "can", "carton", "couple", "crate",
    "cup", "dozen", "glass", "gram", "head", "jar", "kilo", "litre", "liter", "loaf", "lot",
    "pack", "packet", "pair", "piece", "pinch", "pint", "pot", "pound", "roll", "set", "slice",
    "spoon", "tin", "tube",
];
/// Most words between an article and what is behind its noun.
const NOUN_WORDS: usize = 3;

/// Whether a text is one that is to be written: an article or a number, a noun, and what says more of
/// it (`three ideas for a title`), or a noun that is a kind of text (`a function add`).
pub fn describes_a_text(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .collect();
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let is_known = MINE.contains(&text.as_str()) || text.starts_with("the current ");
    let is_told = TOLD.contains(&text.trim()) || OF_ANOTHER.iter().any(|one| text.starts_with(one));
    if first.ends_with("today's") || is_known || is_told {
        return true;
    }
    let counts = ["a", "an", "the", "some", "few", "several"].contains(first);
    if rest.is_empty() || !(counts || number(first).is_some()) {
        return false;
    }
    let is = |list: &[&str], word: &str| {
        list.iter().any(|one| {
            let rest = word.strip_prefix(one);
            rest.is_some_and(|rest| ["", "s", "es"].contains(&rest))
        })
    };
    let end = rest.iter().position(|word| BEHIND.contains(word));
    let noun = &rest[..end.unwrap_or(rest.len())];
    if noun.iter().any(|word| is(&MEASURES, word)) {
        return false;
    }
    let is_kind = noun.iter().take(NOUN_WORDS).any(|word| is(&KINDS, word));
    is_kind || end.is_some_and(|end| (1..=NOUN_WORDS).contains(&end))
}

/// Whether a text is an empty line, in words.
pub fn is_empty_line(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let of = |rest: &[&str]| matches!(rest, ["blank" | "empty", "line"]);
    match words.split_first() {
        Some((first, rest)) if ["a", "an", "one", "another"].contains(first) => of(rest),
        _ => of(&words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describes_a_text_is_told_from_a_text() {
        for says in [
            "a function add",
            "three ideas for a title",
            "an outline of the novel",
            "a summary",
            "a short poem about the sea",
            "the sum of a and b",
            "10 names for cats",
            "today's date",
            "three tasks",
            "a bullet milk",
            "the number 5",
            "my name",
            "a new line",
        ] {
            assert!(describes_a_text(says), "{says}");
        }
        for says in [
            "buy milk",
            "a bottle of milk",
            "3 eggs",
            "a cat",
            "my keys",
            "2 packs of rice",
            "hello world",
            "the harbour",
            "call Ann about the list",
            "list",
        ] {
            assert!(!describes_a_text(says), "{says}");
        }
    }
}
