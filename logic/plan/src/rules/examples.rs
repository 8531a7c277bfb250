//! What works without a model, as the user could type it.

/// What works, each with the words that bring it to mind.
const EXAMPLES: [(&str, &str); 21] = [
    (
        "list the files in docs",
        "list files ls dir folder what everything",
    ),
    (
        "show notes.txt",
        "show read cat open print view display content file",
    ),
    (
        "search for \"budget\" in docs",
        "search grep look text word mention contain",
    ),
    (
        "find files named *.md",
        "find locate where named called pattern",
    ),
    (
        "show the tree of docs",
        "tree structure recursive subfolders levels",
    ),
    (
        "show the first 10 lines of notes.txt",
        "first head top beginning lines",
    ),
    (
        "show the last 10 lines of notes.txt",
        "last tail bottom end lines log",
    ),
    (
        "count the lines in notes.txt",
        "count many lines words long number characters",
    ),
    (
        "show the file sizes in docs",
        "size sizes big biggest large largest space disk",
    ),
    (
        "compare a.txt with b.txt",
        "compare diff difference differ versus same",
    ),
    (
        "create notes.txt with \"hello\"",
        "create make new write touch file save echo",
    ),
    (
        "append \"milk\" to list.txt",
        "append add insert put write echo line",
    ),
    (
        "replace \"old\" with \"new\" in notes.txt",
        "replace change substitute edit fix sed swap update",
    ),
    (
        "copy a.txt to b.txt",
        "copy copies duplicate clone backup cp",
    ),
    ("make a folder drafts", "folder directory mkdir make"),
    ("move a.txt to drafts/a.txt", "move rename mv name"),
    (
        "delete \"old.txt\"",
        "delete remove erase trash rm rid wipe clean clear",
    ),
    ("undo", "undo revert back restore"),
    (
        "remember that the shop opens at nine",
        "remember memory memorise memorize keep note mind learn know forget",
    ),
    (
        "recall when the shop opens",
        "recall remember memory remind told said know who whose when why how favourite favorite",
    ),
    (
        "search the web for \"oolong tea\"",
        "web internet online google wikipedia news weather who why how latest lookup",
    ),
];
/// Most suggestions in one answer.
const SUGGESTIONS: usize = 3;

/// The examples that share most words with a text; without any, the harmless first ones.
pub(super) fn nearest(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .collect();
    let mut scored: Vec<(usize, &str)> = EXAMPLES
        .iter()
        .map(|(example, keys)| {
            let hits = keys.split(' ').filter(|key| words.contains(key)).count();
            (hits, *example)
        })
        .filter(|(hits, _)| *hits > 0)
        .collect();
    scored.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    if scored.is_empty() {
        scored = EXAMPLES
            .iter()
            .take(SUGGESTIONS)
            .map(|(example, _)| (0, *example))
            .collect();
    }
    scored
        .into_iter()
        .take(SUGGESTIONS)
        .map(|(_, example)| example.to_owned())
        .collect()
}

/// What can be done without a model.
pub(super) fn help() -> String {
    let lines: Vec<String> = EXAMPLES
        .iter()
        .map(|(example, _)| format!("  {example}"))
        .collect();
    format!(
        "Without a model I do these, in plain English; names with spaces and texts go in quotes, or a text behind a colon, and \"then\" joins steps:\n{}",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destruction_is_suggested_only_to_those_who_speak_of_it() {
        assert!(
            !nearest("please polish the silver")
                .iter()
                .any(|one| one.contains("delete"))
        );
        assert!(nearest("rm a.txt").iter().any(|one| one.contains("delete")));
    }

    #[test]
    fn what_is_suggested_is_understood() {
        for (example, _) in EXAMPLES {
            assert!(crate::by_rules::understands(example), "{example}");
        }
    }
}
