//! What works without a model, as the user could type it.

use super::words::{Request, is_file, is_wildcard, trim_word};

/// What works, each with the words that bring it to mind. `{file}` is a file.
const EXAMPLES: [(&str, &str); 23] = [
    (
        "list the files in docs",
        "list files ls dir folder what everything",
    ),
    (
        "show {file}",
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
        "show the first 10 lines of {file}",
        "first head top beginning lines",
    ),
    (
        "show the last 10 lines of {file}",
        "last tail bottom end lines log",
    ),
    (
        "show lines 2 to 4 of {file}",
        "line part middle between lines",
    ),
    (
        "count the lines in {file}",
        "count many lines words long number characters",
    ),
    (
        "show the file sizes in docs",
        "size sizes big biggest large largest space disk",
    ),
    (
        "compare {file} with b.txt",
        "compare diff difference differ versus same",
    ),
    (
        "create {file} with \"hello\"",
        "create make new write touch file save echo",
    ),
    (
        "append \"milk\" to {file}",
        "append add insert put write echo line",
    ),
    (
        "insert \"milk\" at the top of {file}",
        "insert prepend put top before above line",
    ),
    (
        "replace \"old\" with \"new\" in {file}",
        "replace change substitute edit fix sed swap update",
    ),
    (
        "copy {file} to b.txt",
        "copy copies duplicate clone backup cp",
    ),
    ("make a folder drafts", "folder directory mkdir make"),
    ("move {file} to drafts/", "move rename mv name"),
    (
        DELETION,
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
const DELETION: &str = "delete {file}";
/// The file of the examples for a text that names none, or several.
const A_FILE: &str = "notes.txt";
/// Most suggestions in one answer.
const SUGGESTIONS: usize = 3;

/// The only file that a text names, as it can be typed.
pub(super) fn file(text: &str) -> Option<String> {
    let request = Request::read(text);
    let words = request.steps.iter().flat_map(|step| step.text.split(' '));
    let is_one = |word: &str| {
        let piece = request.piece(word);
        piece.is_some_and(|piece| is_file(&piece.text) && !is_wildcard(&piece.text))
    };
    let mut files: Vec<&str> = words.map(trim_word).filter(|word| is_one(word)).collect();
    files.sort_unstable();
    files.dedup();
    match files.as_slice() {
        [only] => Some(request.whole(only)),
        _ => None,
    }
}

/// An example of a file, or of one that nobody would miss.
fn written(example: &str, file: Option<&str>) -> String {
    match file {
        None if example == DELETION => "delete \"old.txt\"".to_owned(),
        file => example.replace("{file}", file.unwrap_or(A_FILE)),
    }
}

/// The examples that share most words with a text, of the file that it names; without any, the harmless
/// first ones.
pub(super) fn nearest(text: &str) -> Vec<String> {
    let file = file(text);
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
        .map(|(_, example)| written(example, file.as_deref()))
        .collect()
}

/// What can be done without a model.
pub(super) fn help() -> String {
    let lines: Vec<String> = EXAMPLES
        .iter()
        .map(|(example, _)| format!("  {}", written(example, None)))
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
            for file in ["a.txt", "\"two words.md\""] {
                let example = example.replace("{file}", file);
                assert!(crate::by_rules::understands(&example), "{example}");
            }
        }
    }

    #[test]
    fn examples_are_of_the_file_that_is_spoken_of() {
        assert_eq!(nearest("view my a.md.")[0], "show a.md");
        assert_eq!(nearest("view 'my plan.md'")[0], "show \"my plan.md\"");
        assert_eq!(nearest("view a.md or b.md")[0], "show notes.txt");
    }
}
