//! An order whose verb is misspelt: `rplace Tom with Tim in novel.md`. A small model shows the file that it
//! names, which looks like an answer.

/// Verbs that are long enough for a word one letter away to be a slip.
const VERBS: [&str; 16] = [
    "append",
    "change",
    "comment",
    "convert",
    "create",
    "delete",
    "disable",
    "enable",
    "insert",
    "overwrite",
    "prepend",
    "remove",
    "rename",
    "replace",
    "uncomment",
    "upgrade",
];

/// Verbs that are so short that a word with the same letters alone is a slip: `shwo`, and not `shoe`.
const SHORT: [&str; 8] = [
    "show", "list", "find", "move", "copy", "undo", "print", "count",
];

/// Whether a word has the letters of another in another order.
fn is_shuffled(word: &str, verb: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    letters(word) == letters(verb)
}

/// The request with the verb that it may begin with; `None` where its first word is no slip.
pub(super) fn corrected(request: &str) -> Option<String> {
    let request = request.trim();
    let word = request.split_whitespace().next()?;
    let typed = word.to_lowercase();
    let is_slip = |verb: &&&str| strsim::osa_distance(verb, &typed) == 1;
    let is_swap = |verb: &&&str| is_slip(verb) && is_shuffled(&typed, verb);
    // Two letters off, a long word that begins alike is still nothing else.
    let is_near = |verb: &&&str| {
        let is_as_long = verb.len().abs_diff(typed.len()) <= 1;
        let begins_alike = verb.chars().next() == typed.chars().next();
        is_as_long && begins_alike && strsim::osa_distance(verb, &typed) == 2
    };
    let verb = VERBS.iter().find(is_slip);
    let verb = verb.or_else(|| VERBS.iter().find(is_near));
    let verb = verb.or_else(|| SHORT.iter().find(is_swap))?;
    Some(format!("{verb}{}", &request[word.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_that_is_a_letter_or_two_off_is_corrected() {
        assert_eq!(
            corrected("rplace a in b.txt").unwrap(),
            "replace a in b.txt"
        );
        assert_eq!(
            corrected("repalec a in b.txt").as_deref(),
            Some("replace a in b.txt")
        );
        assert_eq!(corrected("Dleete b.txt").as_deref(), Some("delete b.txt"));
        assert_eq!(corrected("shwo a.txt").as_deref(), Some("show a.txt"));
        for says in [
            "replace a",
            "dlt a.txt",
            "shoe a.txt",
            "slow a.txt",
            "read a.txt",
            "",
        ] {
            assert_eq!(corrected(says), None, "{says}");
        }
    }
}
