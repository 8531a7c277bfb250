//! Orders in a row, joined by `then`, `and` or a semicolon, each as a request of its own.

use super::words::{self, Request, is_file, trim_word};
use super::{in_file, languages};
use crate::named;
use crate::orders::{self, is_verb};
use crate::question;
use domain::plan::Plan;
use regex::Regex;
use std::sync::LazyLock;

/// The orders of a request, if there are several, in order. Of `and` only where a whole order stands before
/// it and a verb behind it. `it` is the file of the order before.
pub(crate) fn orders(request: &str) -> Vec<String> {
    let request = Request::read(&languages::in_english(request));
    let mut orders: Vec<String> = Vec::new();
    for step in &request.steps {
        // A change may not hide in a question.
        if step.is_question && !step.is_polite {
            return Vec::new();
        }
        parts(&request, &step.text, &mut orders);
    }
    match orders.len() {
        0 | 1 => Vec::new(),
        _ => orders,
    }
}

fn parts(request: &Request, text: &str, orders: &mut Vec<String>) {
    let joint = text.match_indices(" and ").find(|(at, joint)| {
        let first = text[at + joint.len()..].split_whitespace().next();
        let before = request.whole(text[..*at].trim_end_matches(','));
        let is_order = first.is_some_and(|word| is_verb(trim_word(word)));
        // Words in which `and` stands, such as those that a line has, are no order.
        let is_one = |plan: Plan| !plan.actions.iter().any(super::may_be_of_a_text);
        let is_whole =
            || in_file::read(&before).is_some() || super::plan(&before).is_ok_and(is_one);
        is_order && in_file::read(&request.whole(text)).is_none() && is_whole()
    });
    match joint {
        Some((at, joint)) => {
            let before = text[..at].trim_end_matches(',');
            orders.push(named(request, before, orders));
            parts(request, &text[at + joint.len()..], orders);
        }
        None => orders.push(named(request, text, orders)),
    }
}

/// A request of one order in which `it` is the file that the request before names, or `there` its folder;
/// `None` where it says neither, or the request before names several.
pub(crate) fn going_on(request: &str, before: &str) -> Option<String> {
    if let Some(same) = same_elsewhere(request, before) {
        return Some(same);
    }
    if let Some(next) = another_value(request, before) {
        return Some(next);
    }
    let request = without_joint(request);
    let there = there(request, before);
    let request = Request::read(&languages::in_english(there.as_deref().unwrap_or(request)));
    let [step] = request.steps.as_slice() else {
        return None;
    };
    let resolved = named(&request, &step.text, &[words_of(before)]);
    let is_other = resolved != request.whole(&step.text);
    is_other.then_some(resolved).or(there)
}

/// The question before, of another name: `and Elias?` behind `how old is Jonas in people.csv?`. `None` where the
/// question before names no file or has not one name alone, or the request says more.
pub(crate) fn of_another(request: &str, before: &str) -> Option<String> {
    static ANOTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"^(?:(?i:and|and what about|what about|how about|and for|und|y)) (?P<name>\p{Lu}[\w-]*(?: \p{Lu}[\w-]*)?)[ ?.!]*$",
        )
    });
    let found = ANOTHER.as_ref()?.captures(request.trim())?;
    let name = &found["name"];
    let asks = question::wants_telling(before) && !before.contains('"');
    let words: Vec<&str> = before.split_whitespace().collect();
    let is_name = |at: &usize| {
        let word = words[*at].trim_end_matches(['?', ',', '.', '!']);
        let word = word
            .strip_suffix("'s")
            .or_else(|| word.strip_suffix("’s"))
            .unwrap_or(word);
        *at > 0
            && word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || c == '-')
            && word != "I"
    };
    let named: Vec<usize> = (0..words.len()).filter(is_name).collect();
    let (first, last) = (*named.first()?, *named.last()?);
    // Two names that stand apart: which one is meant is not known.
    let is_one = last - first + 1 == named.len() && named.len() <= 2;
    if !asks || !is_one || named::files_of(before).len() != 1 {
        return None;
    }
    let end = words[last];
    let length = end.trim_end_matches(['?', ',', '.', '!']).len();
    let (bare, mark) = end.split_at(length);
    let own = ["'s", "’s"]
        .into_iter()
        .find(|own| bare.ends_with(own))
        .unwrap_or_default();
    let new = format!("{name}{own}{mark}");
    let all = words[..first]
        .iter()
        .copied()
        .chain([new.as_str()])
        .chain(words[last + 1..].iter().copied());
    Some(all.collect::<Vec<_>>().join(" "))
}

/// The question before, for another value of the same file: `and the ttl?` behind `what is the timeout in app.ini?`,
/// `and the role?` behind `how old is Elsa in people.csv?`.
pub(crate) fn of_another_value(request: &str, before: &str) -> Option<String> {
    static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"^(?i:and|and what about|what about|how about) (?i:the |his |her |its )?(?P<key>(?-i:[a-z][\w.-]*(?: [a-z][\w.-]*){0,2}))[ ?]*\?[ ?]*$",
        )
    });
    static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"^(?:what is (?:the )?[\w. -]+?|how (?:old|long|big|high|much) is)(?P<of>(?: of)? (?-i:\p{Lu})\w+(?: (?-i:\p{Lu})\w+)?)? in (?P<file>\S+?)[ ?.]*$",
        )
    });
    let key = NEXT.as_ref()?.captures(request.trim())?["key"].to_owned();
    let before = languages::in_english(before);
    let asked = ASKED.as_ref()?.captures(before.trim())?;
    let file = &asked["file"];
    let of = asked
        .name("of")
        .map(|of| of.as_str().trim().trim_start_matches("of "));
    let first = key.split(' ').next().unwrap_or_default();
    let is_key =
        !is_verb(first) && !["in", "of", "for", "from", "who", "what", "is"].contains(&first);
    (is_file(file) && is_key).then(|| match of {
        Some(name) => format!("what is the {key} of {name} in {file}?"),
        None => format!("what is the {key} in {file}?"),
    })
}

/// The question before, of another file, whose name is not looked at: `and in chapter 2?` behind `how many words in
/// chapter 1?`. `None` where the question before does not end with its file.
pub(crate) fn asked_elsewhere(request: &str, before: &str) -> Option<String> {
    static ELSEWHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"(?i)^(?:and|and what about|what about|how about|the same)(?: in| for| of)? (?P<name>(?:[\w./-]+ ){0,3}[\w./-]+)[ ?]*\?[ ?]*$",
        )
    });
    static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"(?i)^(?P<head>how (?:many|often) .*? (?:in|of|does|do|has)) (?P<name>(?:[\w./-]+ ){0,3}?[\w./-]+?)(?P<tail> have| has)?[ ?.]*$",
        )
    });
    let name = ELSEWHERE.as_ref()?.captures(request.trim())?["name"].to_owned();
    let asked = ASKED.as_ref()?.captures(before.trim())?;
    let tail = asked.name("tail").map_or("", |tail| tail.as_str());
    let plain = |text: &str| {
        text.trim_end_matches(|c: char| c.is_ascii_digit())
            .trim()
            .to_lowercase()
    };
    // Another of one kind, so that no word of a text is taken for a file.
    let is_like = plain(&name) == plain(&asked["name"]) || is_file(&name);
    is_like.then(|| format!("{} {name}{tail}?", &asked["head"]))
}

/// The order before on other files: `do the same in b.md`, `also in b.md and c.md`, `and in .env`. `None` where
/// the order before does not end with its files.
fn same_elsewhere(request: &str, before: &str) -> Option<String> {
    let found = SAME.as_ref()?.captures(request.trim())?;
    let files = named::files_of(&found["files"]);
    let words = found["files"].split([',', ' ']).map(trim_word);
    let are_files = |word: &str| word.is_empty() || JOINS.contains(&word) || is_file(word);
    if files.is_empty() || !words.clone().all(are_files) {
        return None;
    }
    let before = languages::in_english(before);
    let before = before.trim_end_matches(['.', '!', ' ']);
    let spaces = before.match_indices(' ').map(|(at, _)| at);
    // The longest end that is files and nothing else, behind a word that leads to them.
    let at = spaces.into_iter().find(|at| {
        let lead = before[..*at].split_whitespace().next_back();
        let mut words = before[*at..].split([',', ' ']).map(trim_word);
        lead.is_some_and(|lead| LEADS.contains(&lead)) && words.all(are_files)
    })?;
    let is_order = before.split_whitespace().next().is_some_and(is_verb);
    let listed = found["files"].replace(" the ", " ");
    let listed = listed.trim_end_matches(['.', '!', ' ']);
    is_order.then(|| format!("{} {listed}", &before[..at]))
}

/// Another value of the file of the order before: `and MaxAuthTries to 3` behind `set Port to 2222 in sshd_config`.
/// `None` where the order before sets nothing in the only file that it names.
fn another_value(request: &str, before: &str) -> Option<String> {
    static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"(?i)^(?:and|and also|also|now) (?P<key>(?:the )?[\w.-]+(?: [\w-]+){0,2}) to (?P<to>\S+?)[.!]?$",
        )
    });
    static SET: LazyLock<Option<Regex>> = LazyLock::new(|| {
        words::pattern(
            r"(?i)^(?:please )?(?P<verb>set|change|update) .+ to .+ (?P<file>in (?:the )?\S+?)[.!]?$",
        )
    });
    let found = NEXT.as_ref()?.captures(request.trim())?;
    let set = SET.as_ref()?.captures(before.trim())?;
    let (key, to) = (&found["key"], &found["to"]);
    let is_order = key.split(' ').any(|word| is_verb(trim_word(word)));
    let is_one = named::files_of(before).len() == 1 && !before.contains('"');
    let is_value = !is_order && !is_file(key) && !is_file(to);
    (is_one && is_value).then(|| format!("{} {key} to {to} {}", &set["verb"], &set["file"]))
}

/// Words between names of files.
const JOINS: [&str; 3] = ["and", "the", "&"];
/// Words before the files of an order.
const LEADS: [&str; 4] = ["in", "to", "from", "of"];
/// An order to do the same in other files.
static SAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    words::pattern(
        r"(?i)^(?:(?:and |please |now )?(?:do )?the same|same|(?:and )?also|and|the same again|and the same)(?: thing)? (?:in|to|for|from|with) (?:the )?(?P<files>\S.*)$",
    )
});

/// A request without the word that joins it to the one before: `and how many words does it have?`
fn without_joint(request: &str) -> &str {
    let request = request.trim_start();
    let lower = request.to_lowercase();
    let joints = ["and ", "then ", "now ", "and now ", "and then "];
    let longest = joints.iter().filter(|joint| lower.starts_with(**joint));
    let length = longest.map(|joint| joint.len()).max().unwrap_or_default();
    &request[length..]
}

/// The same of `there` alone.
pub(crate) fn there(request: &str, before: &str) -> Option<String> {
    let request = Request::read(&languages::in_english(request));
    let [step] = request.steps.as_slice() else {
        return None;
    };
    in_its_folder(&step.text, &words_of(before)).map(|text| request.whole(&text))
}

/// The words of a request without what stands in quotes, which is a text and may look like a name.
fn words_of(request: &str) -> String {
    let request = Request::read(&languages::in_english(request));
    let steps: Vec<&str> = request
        .steps
        .iter()
        .map(|step| step.text.as_str())
        .collect();
    steps.join(" ")
}

/// An order whose `there` is the only folder that the words before it name.
fn in_its_folder(text: &str, before: &str) -> Option<String> {
    let folders = named::folders_of(before);
    let [folder] = folders.as_slice() else {
        return None;
    };
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().rposition(|word| trim_word(word) == "there")?;
    // `Is there a file?` is of no place.
    let is_place = at > 0 && !["is", "are", "was", "were"].contains(&words[at - 1]);
    if !is_place || folder == "." {
        return None;
    }
    let place = format!("in the folder {folder}");
    let from = at - usize::from(words[at - 1] == "in");
    words.splice(from..=at, [place.as_str()]);
    Some(words.join(" "))
}

/// An order in which `it` is the file that the order before is about: the only one that it names, or for a
/// look the last.
fn named(request: &Request, text: &str, orders: &[String]) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let names_one = words.iter().any(|word| words::is_path(trim_word(word)));
    let is_back = |word: &&str| ["it", "that"].contains(&trim_word(word));
    let at = words.iter().rposition(is_back).filter(|_| !names_one);
    let before = orders.last().map_or("", String::as_str);
    let before = before.split_whitespace().map(trim_word);
    let files: Vec<&str> = before
        .filter(|word| is_file(word.trim_matches(['"', '\'', '`'])))
        .collect();
    let file = match files.as_slice() {
        [only] => Some(*only),
        // A value may look like a file, and a copy has two: what is changed is not guessed.
        [.., last] if orders::looks(text) => Some(*last),
        _ => None,
    };
    if let (Some(at), Some(file)) = (at, file) {
        words[at] = file;
    }
    request.whole(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_done_elsewhere() {
        let before = "set the port to 9090 in config.json";
        for (says, resolved) in [
            ("and in .env", "set the port to 9090 in .env"),
            (
                "also in a.yml and the Dockerfile",
                "set the port to 9090 in a.yml and Dockerfile",
            ),
            ("do the same in b.toml.", "set the port to 9090 in b.toml"),
        ] {
            assert_eq!(going_on(says, before).as_deref(), Some(resolved), "{says}");
        }
        let added = "append \"x in a.md\" to b.md and c.md";
        let same = going_on("same in d.md", added);
        assert_eq!(same.as_deref(), Some("append \"x in a.md\" to d.md"));
        let set = "set Port to 2222 in sshd_config";
        for (says, resolved) in [
            (
                "and MaxAuthTries to 3",
                "set MaxAuthTries to 3 in sshd_config",
            ),
            (
                "and the grace time to 30",
                "set the grace time to 30 in sshd_config",
            ),
        ] {
            assert_eq!(going_on(says, set).as_deref(), Some(resolved), "{says}");
        }
        for says in ["and a.txt to docs", "and move b to c", "and x to b.md"] {
            assert_eq!(another_value(says, set), None, "{says}");
        }
        assert_eq!(
            another_value("and x to 3", "set a to 1 in a.md and b.md"),
            None
        );
        for (says, before) in [
            ("and in the evening", before),
            ("and in b.md", "delete a.md"),
            ("and in b.md", "what is in a.md?"),
        ] {
            assert_eq!(same_elsewhere(says, before), None, "{says}");
        }
    }

    #[test]
    fn a_question_goes_on_with_another_value_or_file() {
        for (says, before, whole) in [
            (
                "and the ttl?",
                "what is the timeout in app.ini?",
                "what is the ttl in app.ini?",
            ),
            (
                "and the role?",
                "how old is Elsa in people.csv?",
                "what is the role of Elsa in people.csv?",
            ),
            (
                "and the pool size?",
                "what is the port in a.toml",
                "what is the pool size in a.toml?",
            ),
        ] {
            assert_eq!(
                of_another_value(says, before).as_deref(),
                Some(whole),
                "{says}"
            );
        }
        for (says, before) in [
            ("and show it?", "what is the port in a.toml?"),
            ("and the ttl?", "what is the port?"),
            ("and the ttl?", "set the port in a.toml to 1"),
            ("and the ttl", "what is the port in a.toml?"),
        ] {
            assert_eq!(of_another_value(says, before), None, "{says}");
        }
        for (says, before, whole) in [
            (
                "and in chapter 2?",
                "how many words in chapter 1",
                "how many words in chapter 2?",
            ),
            (
                "and chapter 3?",
                "how many words does chapter 1 have?",
                "how many words does chapter 3 have?",
            ),
        ] {
            assert_eq!(
                asked_elsewhere(says, before).as_deref(),
                Some(whole),
                "{says}"
            );
        }
        assert_eq!(
            asked_elsewhere("and Elsa?", "how many words in chapter 1"),
            None
        );
        assert_eq!(
            asked_elsewhere("and in chapter 2?", "delete chapter 1"),
            None
        );
    }

    #[test]
    fn orders_in_a_row_are_told_apart_and_texts_stay_whole() {
        for (says, parts) in [
            (
                "change port to 9000 in s.toml and show s.toml",
                vec!["change port to 9000 in s.toml", "show s.toml"],
            ),
            (
                "set A to 1 in x.toml then set B to 2 in x.toml",
                vec!["set A to 1 in x.toml", "set B to 2 in x.toml"],
            ),
            (
                "remove the line about two from l.txt and show it",
                vec!["remove the line about two from l.txt", "show l.txt"],
            ),
            (
                "set log in conf.toml to c.txt and delete it",
                vec!["set log in conf.toml to c.txt", "delete it"],
            ),
            (
                "copy a.md to b.md and show it",
                vec!["copy a.md to b.md", "show b.md"],
            ),
            (
                "copy a.md to b.md, and delete a.md",
                vec!["copy a.md to b.md", "delete a.md"],
            ),
        ] {
            assert_eq!(orders(says), parts, "{says}");
        }
        for says in [
            "remove the line about Tom and Ann from a.txt",
            "add \"wait and delete b.txt\" to a.txt",
            "show a.txt and b",
            "set port to 9000 in a.toml",
        ] {
            assert_eq!(orders(says), [""; 0], "{says}");
        }
    }

    #[test]
    fn a_question_goes_on_with_another_name() {
        for (before, says, resolved) in [
            (
                "how old is Jonas in people.csv?",
                "and Elias?",
                Some("how old is Elias in people.csv?"),
            ),
            (
                "what is Jonas's role in people.csv?",
                "what about Anna Berg?",
                Some("what is Anna Berg's role in people.csv?"),
            ),
            ("how old is Jonas?", "and Elias?", None),
            (
                "who knows Jonas and meets Anna in a.md?",
                "and Elias?",
                None,
            ),
            ("delete Jonas from people.csv", "and Elias?", None),
            ("how old is Jonas in people.csv?", "and delete Elias", None),
        ] {
            assert_eq!(
                of_another(says, before).as_deref(),
                resolved,
                "{before} {says}"
            );
        }
    }

    #[test]
    fn a_request_goes_on_with_the_only_file_or_folder_that_the_one_before_names() {
        for (before, says, resolved) in [
            (
                "create note.txt with the text hi",
                "delete it again",
                Some("delete note.txt again"),
            ),
            (
                "what does notes.md say?",
                "replace draft with final in it",
                Some("replace draft with final in notes.md"),
            ),
            (
                "make a folder called recipes and move soup.txt into it",
                "now add a file bread.txt there too, with the text \"flour there\"",
                Some(
                    "add a file bread.txt in the folder recipes too, with the text \"flour there\"",
                ),
            ),
            (
                "make a folder called recipes and move soup.txt into it",
                "now add a file bread.txt there too, with just this line: flour, water, salt",
                Some(
                    "add a file bread.txt in the folder recipes too, with just this line: flour, water, salt",
                ),
            ),
            (
                "show todo.md",
                "and how many words does it have?",
                Some("how many words does todo.md have"),
            ),
            ("create note.txt with the text hi", "delete a.txt", None),
            ("copy a.md to b.md", "delete it", None),
            (
                "create n.txt with the text \"a.md\"",
                "is there a folder?",
                None,
            ),
            ("hello", "delete it", None),
        ] {
            assert_eq!(going_on(says, before).as_deref(), resolved, "{says}");
        }
        let quoted = going_on("delete it", "create n.txt with the text \"a.md\"");
        assert_eq!(quoted.as_deref(), Some("delete n.txt"));
    }
}
