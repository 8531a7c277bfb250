//! What people say of the text of a section, and of the lines and boxes of a list: `add a note under Style in
//! ideas.md: no semicolons`, `add a task "call Ann" to todo.md`, `untick all in todo.md`, `swap lines 3 and 4 in
//! a.txt`.

use super::asked::{Asked, Place, Side};
use super::saying::{Built, Saying};
use crate::rules::building::Match;
use crate::rules::plain;
use crate::rules::refusal::Refusal;
use crate::rules::words::{is_file, number};

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 4] = [
    (
        "{SOME}",
        r"(?:(?:an?|the|this|another) )?(?:new )?(?:note|remark|comment|line|entry|item|bullet|bullet point|point|paragraph|sentence|text|reminder|thought|idea) ",
    ),
    (
        "{NEW_TASK}",
        r"(?:an?|the|another|this) (?:new )?(?:task|todo|to-do|check ?box|tick ?box)",
    ),
    (
        "{TASKS}",
        r"(?:the|my) (?:(?:open )?(?:tasks|todos|to-dos|checklist|tick list|tasks? list|to-?do list))",
    ),
    (
        "{EVERY}",
        r"(?:all|everything|all (?:of )?(?:the )?(?:items|tasks|todos|boxes|entries)|every (?:item|task|todo|box|entry))",
    ),
];

pub(super) static SAYINGS: [Saying; 11] = [
    (
        r"{ADDS} (?:{SOME})?(?:under|below|beneath) (?:the )?(?:(?:heading|headline|section) )?{text:about}(?: (?:heading|section))? (?:in|of) {FILE}: {text:c}",
        under_a_heading,
    ),
    (
        r"{ADDS} (?:{SOME})?(?:in|to|into) (?:the )?(?:section {text:about}|{text:about2} section) (?:in|of) {FILE}: {text:c}",
        under_a_heading,
    ),
    (
        r"{ADDS} {NEW_TASK}:? {text:c} (?:to|in|into) {FILE}",
        add_a_task,
    ),
    (
        r"{ADDS} {NEW_TASK} (?:to|in|into) {FILE}: {text:c}",
        add_a_task,
    ),
    (r"{ADDS} {text:c} to {TASKS} (?:in|of) {FILE}", add_a_task),
    (r"{TICKS} {EVERY} (?:in|from|on|of) {FILE}", tick_all),
    (r"mark {EVERY} {STATE} (?:in|on|of) {FILE}", tick_all),
    (
        r"(?:swap|exchange|switch|interchange) (?:the )?lines? (?P<n>\d+) (?:and|with) (?:line )?(?P<m>\d+) (?:in|of) {FILE}",
        swap,
    ),
    (
        r"(?:start|begin) (?:the )?(?P<noun>file )?{tok:p} with:? {text:c}",
        start_with,
    ),
    (
        r"{REMOVES} (?:the |an? )?{text:about} comment (?:from|in|of|out of) {FILE}",
        remove_comment,
    ),
    (
        r"{REMOVES} (?:the |an? )?{text:about} (?:line|entry|row) (?:from|in|of|out of) {FILE}",
        remove_line,
    ),
];

/// `add a note under Style in ideas.md: no semicolons`: to the end of what stands under that heading.
fn under_a_heading(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let place = match found.has("about") {
        true => "about",
        false => "about2",
    };
    // Behind a colon all of it is the text, as far as what ends it.
    let text = match found.added("c", &path) {
        Ok(text) => text,
        Err(_said_otherwise) => found.text("c")?,
    };
    let asked = Asked::Insert {
        text,
        side: Side::After,
        place: Place::Section(found.text(place)?),
    };
    Ok(is_file(&path).then_some((path, asked)))
}

/// `add a task "call Ann" to todo.md`. Bare words may say which task, unless they stand behind a colon.
fn add_a_task(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let is_given = found.is_quoted("c") || found.before("c").ends_with(": ");
    let asked = Asked::AddTask {
        text: found.text("c")?,
    };
    Ok((is_given && plain::is_prose(&path)).then_some((path, asked)))
}

/// `start a.md with "x"`: at its top where it is there; it is made where it is not.
fn start_with(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let asked = Asked::Insert {
        text: found.text("c")?,
        side: Side::Before,
        place: Place::Top,
    };
    let is_given = found.is_quoted("c") || found.before("c").ends_with(": ");
    Ok((is_given && is_file(&path)).then_some((path, asked)))
}

fn tick_all(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let is_done = !found.has("undo") && !found.has("open");
    Ok(is_file(&path).then_some((path, Asked::TickAll { is_done })))
}

fn swap(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let line = |name: &str| number(&found.word(name)).map(|line| line as usize);
    let (Some(one), Some(other)) = (line("n"), line("m")) else {
        return Ok(None);
    };
    Ok(is_file(&path).then_some((path, Asked::Swap { one, other })))
}

/// Words before `line` and the like that say which one by its place, or by what no text says.
const PLACES: [&str; 18] = [
    "first",
    "second",
    "third",
    "last",
    "next",
    "previous",
    "other",
    "same",
    "whole",
    "empty",
    "blank",
    "header",
    "top",
    "bottom",
    "new",
    "old",
    "duplicate",
    "long",
];

/// The one word by which a line is meant, or its text in quotes.
fn word_of_line(found: &Match<'_>) -> Result<Option<String>, Refusal> {
    let about = found.text("about")?;
    let is_word = !about.contains(char::is_whitespace)
        && !PLACES.contains(&about.to_lowercase().as_str())
        && about.chars().all(|c| c.is_alphabetic() || "_-".contains(c));
    Ok((is_word || found.is_quoted("about")).then_some(about))
}

/// `remove the FIXME comment in cli.py`.
fn remove_comment(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let about = word_of_line(found)?.filter(|_| is_file(&path));
    Ok(about.map(|about| (path, Asked::RemoveComment { about })))
}

/// `remove the TODO line from cli.py`.
fn remove_line(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let about = word_of_line(found)?.filter(|_| is_file(&path));
    let is_many = false;
    Ok(about.map(|about| (path, Asked::RemoveLines { about, is_many })))
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file;
    use crate::rules::in_file::lines::applied;

    fn after(says: &str, text: &str) -> Result<String, String> {
        let asked = in_file::read(says).ok_or_else(|| format!("{says}: no such order"))?;
        let plan = asked.plan(text).map_err(|refusal| refusal.message)?;
        let mut text = text.to_owned();
        for action in &plan.actions {
            text = applied(&text, action);
        }
        Ok(text)
    }

    const IDEAS: &str = "# Ideas\n\n- lighthouse\n\n## Style\n\nshort sentences\n\n## Tone\n\nIt is dry.\n\n## Rest\n";

    #[test]
    fn a_text_goes_to_the_end_of_its_section() {
        for (says, old, new) in [
            (
                "add a note under Style in i.md: no semicolons",
                "short sentences\n",
                "short sentences\nno semicolons\n",
            ),
            (
                "add a remark under Ideas in i.md: check years",
                "- lighthouse\n",
                "- lighthouse\n- check years\n",
            ),
            (
                "write under Tone in i.md: All is soft.",
                "It is dry.\n",
                "It is dry.\n\nAll is soft.\n",
            ),
            (
                "put a line in the Rest section of i.md: later",
                "## Rest\n",
                "## Rest\n\nlater\n",
            ),
        ] {
            let done = after(says, IDEAS);
            assert_eq!(done, Ok(IDEAS.replace(old, new)), "{says}");
        }
        let refused = after("add a note under Plot in i.md: check years", IDEAS).unwrap_err();
        assert!(refused.contains("no heading `Plot`"), "{refused}");
        let code = "## A\n\n```\n# b\n```\n\n## C\n";
        let done = after("add a note under A in i.md: x", code);
        assert_eq!(done, Ok(code.replace("```\n\n##", "```\nx\n\n##")));
    }

    const TASKS: &str = "# Tasks\n\n- [ ] draw map\n- [x] buy ink\n\nmore\n";

    #[test]
    fn a_task_has_a_box_where_the_others_have_one() {
        for says in [
            "add a task \"read proofs\" to t.md",
            "add a new task 'read proofs' to t.md",
            "add \"read proofs\" to the tasks in t.md",
            "add a task to t.md: read proofs",
        ] {
            let new = "- [x] buy ink\n- [ ] read proofs\n";
            let done = after(says, TASKS);
            assert_eq!(done, Ok(TASKS.replace("- [x] buy ink\n", new)), "{says}");
        }
        let done = after("add a task \"read proofs\" to t.md", "- tea\n");
        assert_eq!(done, Ok("- tea\n- read proofs\n".to_owned()));
        let done = after("add a task \"read proofs\" to t.txt", "tea\n");
        assert_eq!(done, Ok("tea\nread proofs\n".to_owned()));
        let refused = after("add a task \"buy ink\" to t.md", TASKS).unwrap_err();
        assert!(refused.contains("already"), "{refused}");
        assert!(in_file::read("add a task for Ann to t.md").is_none());
    }

    #[test]
    fn all_boxes_are_ticked_or_opened() {
        for (says, old, new) in [
            ("untick all in t.md", "[x]", "[ ]"),
            ("uncheck all items in t.md", "[x]", "[ ]"),
            ("tick off every task in t.md", "[ ]", "[x]"),
            ("mark everything as done in t.md", "[ ]", "[x]"),
        ] {
            assert_eq!(after(says, TASKS), Ok(TASKS.replace(old, new)), "{says}");
        }
        let refused = after("untick all in t.md", "- [ ] a\n").unwrap_err();
        assert!(refused.contains("open already"), "{refused}");
    }

    #[test]
    fn two_lines_are_swapped() {
        let done = after("swap lines 3 and 4 in t.md", TASKS);
        let new = TASKS.replace(
            "- [ ] draw map\n- [x] buy ink",
            "- [x] buy ink\n- [ ] draw map",
        );
        assert_eq!(done, Ok(new));
        let done = after("swap line 6 with line 1 of t.md", TASKS);
        assert_eq!(
            done,
            Ok(TASKS
                .replace("# Tasks", "#")
                .replace("more", "# Tasks")
                .replace("#\n", "more\n"))
        );
        let refused = after("swap lines 3 and 9 in t.md", TASKS).unwrap_err();
        assert!(refused.contains("6 lines"), "{refused}");
        assert!(after("swap lines 2 and 5 in t.md", TASKS).is_err());
    }

    #[test]
    fn a_line_or_a_comment_is_removed_by_its_word() {
        let code = "import os\n# FIXME handle errors\nrun()  # TODO later\n";
        let done = after("remove the FIXME comment in c.py", code);
        assert_eq!(done, Ok("import os\nrun()  # TODO later\n".to_owned()));
        let refused = after("remove the TODO comment in c.py", code).unwrap_err();
        assert!(refused.contains("says more than that comment"), "{refused}");
        let done = after("remove the TODO line from a.txt", "one\nTODO two\n");
        assert_eq!(done, Ok("one\n".to_owned()));
        for says in [
            "remove the last line from a.txt",
            "remove the empty line from a.txt",
        ] {
            let removed = after(says, "last empty\n\nx\n");
            assert_ne!(removed, Ok("\nx\n".to_owned()), "{says}");
        }
    }
}
