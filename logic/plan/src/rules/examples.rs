//! What works without a model, as the user could type it.

use super::words::{Request, is_file, is_wildcard, trim_word};

/// What works.
struct Example {
    /// As the help shows it, with names that stand for any.
    help: &'static str,
    /// As a refusal offers it, with no name but that of the request's only file (`{file}`); `None` where it
    /// needs another.
    offer: Option<&'static str>,
    /// The words that bring it to mind.
    keys: &'static str,
}

const fn example(help: &'static str, offer: Option<&'static str>, keys: &'static str) -> Example {
    Example { help, offer, keys }
}

/// An example that is offered as the help shows it.
const fn same(help: &'static str, keys: &'static str) -> Example {
    example(help, Some(help), keys)
}

const EXAMPLES: [Example; 23] = [
    example(
        "list the files in docs",
        Some("list the files"),
        "list files ls dir folder what everything",
    ),
    same(
        "show {file}",
        "show read cat open print view display content file",
    ),
    example(
        "search for \"budget\" in docs",
        Some("search for \"some words\""),
        "search grep look text word mention contain",
    ),
    same(
        "find files named *.md",
        "find locate where named called pattern",
    ),
    example(
        "show the tree of docs",
        Some("show the tree"),
        "tree structure recursive subfolders levels",
    ),
    same(
        "show the first 10 lines of {file}",
        "first head top beginning lines",
    ),
    same(
        "show the last 10 lines of {file}",
        "last tail bottom end lines log",
    ),
    same(
        "show lines 2 to 4 of {file}",
        "line part middle between lines",
    ),
    same(
        "count the lines in {file}",
        "count many lines words long number characters",
    ),
    example(
        "show the file sizes in docs",
        Some("show the file sizes"),
        "size sizes big biggest large largest space disk",
    ),
    example(
        "compare {file} with b.txt",
        None,
        "compare diff difference differ versus same",
    ),
    same(
        "create {file} with \"hello\"",
        "create make new write touch file save echo",
    ),
    same(
        "append \"milk\" to {file}",
        "append add insert put write echo line",
    ),
    same(
        "insert \"milk\" at the top of {file}",
        "insert prepend put top before above line",
    ),
    same(
        "replace \"old\" with \"new\" in {file}",
        "replace change substitute edit fix sed swap update",
    ),
    example(
        "copy {file} to b.txt",
        Some("make a backup of {file}"),
        "copy copies duplicate clone backup cp",
    ),
    example("make a folder drafts", None, "folder directory mkdir make"),
    example("move {file} to drafts/", None, "move rename mv name"),
    same(
        DELETION,
        "delete remove erase trash rm rid wipe clean clear",
    ),
    same("undo", "undo revert back restore"),
    same(
        "remember that the shop opens at nine",
        "remember memory memorise memorize keep note mind learn know forget",
    ),
    same(
        "recall when the shop opens",
        "recall remember memory remind told said know who whose when why how favourite favorite",
    ),
    same(
        "search the web for \"oolong tea\"",
        "web internet online google wikipedia news weather who why how latest lookup",
    ),
];
const DELETION: &str = "delete {file}";
/// Orders of what a file says, which are helped with and come to nobody's mind for another.
const OF_FILES: [&str; 5] = [
    "set the port in settings.toml to 9000",
    "tick \"call Ann\" in todo.md",
    "comment out debug in settings.toml",
    "remove the line about \"rent\" from notes.txt",
    "rename hello to greet in main.rs",
];
/// Those that the help has no room for: they come to mind beside others.
const LEFT_OUT: [&str; 5] = [
    "show the tree of docs",
    "show the last 10 lines of {file}",
    "show lines 2 to 4 of {file}",
    "show the file sizes in docs",
    "compare {file} with b.txt",
];
/// The file of the examples of the help.
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

/// What can be done that shares most words with a text, of the only file that it names: a name that nobody said
/// may be that of something else. Without any, the harmless first ones.
pub(super) fn nearest(text: &str) -> Vec<String> {
    let file = file(text);
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .collect();
    let offered = EXAMPLES.iter().filter_map(|example| {
        let offer = example.offer?;
        let is_of_a_file = offer.contains("{file}");
        let offer = match &file {
            Some(file) => offer.replace("{file}", file),
            None if is_of_a_file => return None,
            None => offer.to_owned(),
        };
        let keys = example.keys.split(' ');
        Some((keys.filter(|key| words.contains(key)).count(), offer))
    });
    let mut offered: Vec<(usize, String)> = offered.collect();
    if offered.iter().any(|(hits, _)| *hits > 0) {
        offered.retain(|(hits, _)| *hits > 0);
        offered.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    }
    let offers = offered.into_iter().map(|(_, offer)| offer);
    offers.take(SUGGESTIONS).collect()
}

/// What can be done without a model.
pub(super) fn help() -> String {
    let file = |help: &str| match help == DELETION {
        true => "delete \"old.txt\"".to_owned(),
        false => help.replace("{file}", A_FILE),
    };
    let shown = EXAMPLES.iter().map(|example| example.help);
    let shown = shown.filter(|help| !LEFT_OUT.contains(help)).map(file);
    let all = shown.chain(OF_FILES.map(str::to_owned));
    let lines: Vec<String> = all.map(|example| format!("  {example}")).collect();
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
        for example in EXAMPLES {
            for says in [Some(example.help), example.offer].into_iter().flatten() {
                for file in ["a.txt", "\"two words.md\""] {
                    let says = says.replace("{file}", file);
                    assert!(crate::by_rules::understands(&says), "{says}");
                }
            }
        }
        for example in OF_FILES {
            assert!(crate::by_rules::understands(example), "{example}");
        }
    }

    #[test]
    fn examples_name_the_file_that_is_spoken_of_and_no_other() {
        assert_eq!(nearest("view my a.md.")[0], "show a.md");
        assert_eq!(nearest("view 'my plan.md'")[0], "show \"my plan.md\"");
        for says in [
            "view a.md or b.md",
            "move it",
            "make it nicer",
            "compare",
            "copy",
        ] {
            let offers = nearest(says);
            let is_named = |offer: &String| file(offer).is_some_and(|file| !says.contains(&file));
            assert!(
                !offers.is_empty() && !offers.iter().any(is_named),
                "{offers:?}"
            );
            assert!(
                !offers.iter().any(|offer| offer.contains("{")),
                "{offers:?}"
            );
        }
    }
}
