//! Exact changes of lines by where they stand.

use super::asked::{Place, Side};
use super::lines::Lines;
use super::set_in::headings;
use crate::quoted::in_quotes;
use crate::rules::refusal::Refusal;
use domain::limits::PLAN_ACTIONS;
use domain::plan::Action;
use std::ops::Range;

/// Most characters that one step removes where a whole text goes.
const BLOCK_CHARS: usize = 900;

impl Lines<'_> {
    /// The change that puts a line beside one that is there.
    pub(super) fn insert(&self, text: &str, side: Side, place: &Place) -> Result<Action, Refusal> {
        let is_top = *place == Place::Top || *place == Place::Lines { from: 1, to: 1 };
        let is_first = is_top && side == Side::Before;
        // A file without a line has no place that could be told.
        if is_first && self.text.is_empty() {
            return Ok(Action::AppendText {
                path: self.path.to_owned(),
                content: text.to_owned(),
            });
        }
        if let Place::Section(heading) = place {
            return self.insert_in_section(text, heading);
        }
        let (side, lines) = match place {
            Place::Top => self.top(text)?,
            place => (side, self.placed(place)?),
        };
        let end = self.line_end();
        let text = &self.as_recipe(text, &lines);
        let text = &self.as_beside(text, &lines, matches!(place, Place::About(_)));
        let text = &match place {
            Place::About(_) => self.as_deep(text, side, &lines),
            _ => text.to_owned(),
        };
        if let Some(heading) = self.as_heading(text, side, &lines) {
            let at = match side {
                Side::Before => lines.start,
                Side::After => lines.end,
            };
            return self.replace(at..at, &heading);
        }
        if side == Side::After && matches!(place, Place::Heading(_)) && self.has_gaps(&lines) {
            return self.replace(lines.end..lines.end, &format!("{end}{end}{text}"));
        }
        match side {
            Side::Before => self.replace(lines.start..lines.start, &format!("{text}{end}")),
            Side::After => self.replace(lines.end..lines.end, &format!("{end}{text}")),
        }
    }

    /// The line beside which a text stands at the top: above the first one, but below those that name the program
    /// to run the file or its form, which are read in the first place alone.
    fn top(&self, text: &str) -> Result<(Side, Range<usize>), Refusal> {
        let mut top = (Side::Before, self.placed(&Place::Top)?);
        if is_declaration(text) {
            return Ok(top);
        }
        for line in self.lines() {
            let says = self.text[line.clone()].trim_end();
            if !is_declaration(says) {
                break;
            }
            let end = says.find('>').map(|at| at + 1);
            let is_whole = says.starts_with("#!") || says == "<?php" || end == Some(says.len());
            if !is_whole {
                let path = self.path;
                let why = format!("{path} begins with `{says}`, which has to stay the first.");
                let advice = format!(
                    "Name a line below it: `insert \"…\" after line 2 of {}`.",
                    self.shown_path()
                );
                return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
            }
            top = (Side::After, line);
        }
        Ok(top)
    }

    /// The change that gives a line another text.
    pub(super) fn rewrite(&self, text: &str, place: &Place) -> Result<Action, Refusal> {
        self.replace(self.placed(place)?, text)
    }

    /// The change that gives a heading another text. Its level stays.
    pub(super) fn rename_heading(&self, heading: &str, text: &str) -> Result<Action, Refusal> {
        let line = self.only_heading(heading)?;
        let is = &self.text[line.clone()];
        let marks = &is[..is.len() - is.trim_start_matches(['#', ' ', '\t']).len()];
        self.replace(
            line,
            &format!("{marks}{}", text.trim_start_matches(['#', ' '])),
        )
    }

    /// The refusal of an order to give the file a title, with the order that does it.
    pub(super) fn which_title(&self, text: Option<&str>) -> Refusal {
        let path = self.shown_path();
        let text = text.map(|text| text.trim_start_matches(['#', ' ']));
        let first = headings(self).into_iter().next();
        let is = first.map(|line| self.text[line].trim_matches(['#', ' ', '\t', '\r']));
        let title = text.unwrap_or("TITLE");
        let (why, order) = match is {
            Some(is) => (
                format!(
                    "{path} has the heading `{is}`, and whether another is to take its place is not said."
                ),
                format!(
                    "change the heading {} to {} in {path}",
                    in_quotes(is),
                    in_quotes(title)
                ),
            ),
            None => (
                format!("{path} has no heading, and how one is written is not said."),
                format!("start {path} with {}", in_quotes(&format!("# {title}"))),
            ),
        };
        match text {
            Some(_) => Refusal::ambiguous(why, vec![order]),
            None => Refusal::ambiguous(why, Vec::new()).advised(format!("Say it as `{order}`.")),
        }
    }

    /// The changes that remove lines.
    pub(super) fn remove_placed(&self, place: &Place) -> Result<Vec<Action>, Refusal> {
        let Place::Each(lines) = place else {
            let place = self.placed(place)?;
            if self.text[place.clone()].chars().count() <= BLOCK_CHARS {
                return Ok(vec![self.without(&place)?]);
            }
            let blocks = self.blocks_of(&place);
            return match blocks.len() > PLAN_ACTIONS {
                true => Err(Refusal::too_many_steps(blocks.len())),
                false => self.one_by_one(&blocks, |lines, block| lines.without(block)),
            };
        };
        let one = |line: &usize| {
            self.placed(&Place::Lines {
                from: *line,
                to: *line,
            })
        };
        let places: Result<Vec<Range<usize>>, Refusal> = lines.iter().map(one).collect();
        let places = places?;
        match places.len() > PLAN_ACTIONS {
            true => Err(Refusal::too_many_steps(places.len())),
            false => self.one_by_one(&places, |lines, place| lines.without(place)),
        }
    }

    /// The changes that leave nothing of the text, or another one.
    pub(super) fn clear(&self, text: &str) -> Result<Vec<Action>, Refusal> {
        if self.text.is_empty() {
            return match text {
                "" => Err(Refusal::absent(
                    format!("{} is empty already.", self.path),
                    Vec::new(),
                )),
                _ => Ok(vec![Action::AppendText {
                    path: self.path.to_owned(),
                    content: text.to_owned(),
                }]),
            };
        }
        let blocks = self.blocks();
        if blocks.len() > PLAN_ACTIONS {
            let path = self.path;
            let why = format!("{path} is too long to be emptied in one plan.");
            let nearest = vec![format!("delete {path} then create {path}")];
            return Err(Refusal::unavailable(&why, nearest));
        }
        let text = match text {
            "" => String::new(),
            text => format!("{text}{}", self.line_end()),
        };
        self.one_by_one(&blocks, |lines, block| match block.start {
            0 => lines.replace(block.clone(), &text),
            _ => lines.replace(block.clone(), ""),
        })
    }

    /// Whole lines in parts, each of which one step removes, without the end of its last line.
    fn blocks_of(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut room = 0;
        let within = |line: &Range<usize>| lines.start <= line.start && line.end <= lines.end;
        for place in self.lines().filter(within) {
            let length = self.text[place.clone()].chars().count() + 1;
            match blocks.last_mut().filter(|_| length <= room) {
                Some(block) => block.end = place.end,
                None => {
                    blocks.push(place);
                    room = BLOCK_CHARS;
                }
            }
            room = room.saturating_sub(length);
        }
        blocks
    }

    /// The text in parts of whole lines, each of which one step removes.
    pub(super) fn blocks(&self) -> Vec<Range<usize>> {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut room = 0;
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let place = at..at + line.len();
            at = place.end;
            let length = line.chars().count();
            match blocks.last_mut().filter(|_| length <= room) {
                Some(block) => block.end = place.end,
                None => {
                    blocks.push(place);
                    room = BLOCK_CHARS;
                }
            }
            room = room.saturating_sub(length);
        }
        blocks
    }

    /// Where the lines of a place stand, from the first to the end of the last, without its line end.
    pub(super) fn placed(&self, place: &Place) -> Result<Range<usize>, Refusal> {
        let lines: Vec<Range<usize>> = self.lines().collect();
        let count = lines.len();
        let (from, to) = match place {
            Place::About(about) => return self.only_about(about),
            Place::Heading(heading) | Place::Section(heading) => {
                return self.only_heading(heading);
            }
            Place::Top => (1, 1),
            Place::Lines { from, to } => (*from, *to),
            Place::Each(lines) => (
                lines.first().copied().unwrap_or_default(),
                lines.last().copied().unwrap_or_default(),
            ),
            Place::Last { count: last } => ((count + 1).saturating_sub(*last), count),
        };
        match (from.checked_sub(1), lines.get(to.saturating_sub(1))) {
            (Some(first), Some(last)) => Ok(lines[first].start..last.end),
            _ => {
                let has = match count {
                    0 => "no line".to_owned(),
                    1 => "one line".to_owned(),
                    _ => format!("{count} lines"),
                };
                Err(self.absent(&has))
            }
        }
    }

    /// The only heading of a document that says this.
    pub(super) fn only_heading(&self, heading: &str) -> Result<Range<usize>, Refusal> {
        let is_it = |line: &Range<usize>| {
            let line = &self.text[line.clone()];
            let says = line.trim_matches(['#', ' ', '\t']);
            line.starts_with('#')
                && says.eq_ignore_ascii_case(heading.trim().trim_matches('#').trim())
        };
        let found: Vec<Range<usize>> = self.lines().filter(is_it).collect();
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(self.absent(&format!("no heading `{heading}`"))),
            many => Err(self.several(many, &format!("the heading `{heading}`"))),
        }
    }

    /// What ends a line here.
    pub(super) fn line_end(&self) -> &'static str {
        match self.text.contains("\r\n") {
            true => "\r\n",
            false => "\n",
        }
    }
}

/// Whether a line names the program to run a file, or its form. An attribute of Rust does not.
fn is_declaration(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_program = line.starts_with("#!") && !line.starts_with("#![");
    is_program || line.starts_with("<?") || line.starts_with("<!doctype")
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file::lines::stands_once;
    use crate::rules::in_file::read;
    use domain::plan::Action;

    const DAYS: &str = "Mon\nTue\nWed\nThu\n";

    fn edited(says: &str, text: &str) -> Result<String, String> {
        let asked = read(says).ok_or_else(|| format!("{says} is no such order"))?;
        let plan = asked.plan(text).map_err(|refusal| refusal.to_string())?;
        let mut text = text.to_owned();
        for action in plan.actions {
            match action {
                Action::ReplaceText { old, new, .. } => {
                    assert!(stands_once(&text, &old), "{says}: {old:?}");
                    text = text.replace(&old, &new);
                }
                Action::AppendText { content, .. } => text.push_str(&format!("{content}\n")),
                other => panic!("{says}: {other:?}"),
            }
        }
        Ok(text)
    }

    #[test]
    fn a_line_is_put_where_the_order_says() {
        for (says, text) in [
            (
                "insert \"Sun\" at the top of a.txt",
                "Sun\nMon\nTue\nWed\nThu\n",
            ),
            (
                "add Sun to the beginning of a.txt",
                "Sun\nMon\nTue\nWed\nThu\n",
            ),
            (
                "in a.txt, put \"Sun\" at the very top",
                "Sun\nMon\nTue\nWed\nThu\n",
            ),
            ("prepend \"Sun\" to a.txt", "Sun\nMon\nTue\nWed\nThu\n"),
            (
                "prepend to a.txt: Sun and Sat",
                "Sun and Sat\nMon\nTue\nWed\nThu\n",
            ),
            ("insert x after line 2 in a.txt", "Mon\nTue\nx\nWed\nThu\n"),
            (
                "insert x before the last line of a.txt",
                "Mon\nTue\nWed\nx\nThu\n",
            ),
            (
                "in a.txt insert x below the line about Mon",
                "Mon\nx\nTue\nWed\nThu\n",
            ),
            (
                "add x above the line \"Thu\" in a.txt",
                "Mon\nTue\nWed\nx\nThu\n",
            ),
            ("insert x as line 2 of a.txt", "Mon\nx\nTue\nWed\nThu\n"),
            (
                "insert a blank line at the top of a.txt",
                "\nMon\nTue\nWed\nThu\n",
            ),
            (
                "insert x as the last line of a.txt",
                "Mon\nTue\nWed\nThu\nx\n",
            ),
        ] {
            assert_eq!(edited(says, DAYS).as_deref(), Ok(text), "{says}");
        }
        let top = "insert x at the top of a.txt";
        assert_eq!(edited(top, "").unwrap(), "x\n");
        assert_eq!(edited(top, "\n").unwrap(), "x\n\n");
        assert_eq!(edited(top, "a\r\nb\r\n").unwrap(), "x\r\na\r\nb\r\n");
        assert_eq!(edited(top, "a\na\na\n").unwrap(), "x\na\na\na\n");
        let below = "insert x after the last line of a.txt";
        assert_eq!(edited(below, "a").unwrap(), "a\nx");
    }

    #[test]
    fn lines_are_removed_and_rewritten_by_their_number() {
        for (says, text) in [
            ("delete line 3 of a.txt", "Mon\nTue\nThu\n"),
            ("in a.txt, remove line 1", "Tue\nWed\nThu\n"),
            ("remove lines 2 to 3 from a.txt", "Mon\nThu\n"),
            ("remove lines 1-3 from a.txt", "Thu\n"),
            ("delete the first line of a.txt", "Tue\nWed\nThu\n"),
            ("delete the last two lines of a.txt", "Mon\nTue\n"),
            ("delete lines 1 and 3 of a.txt", "Tue\nThu\n"),
            ("delete lines 1, 2 and 4 of a.txt", "Wed\n"),
            ("replace line 2 with \"x\" in a.txt", "Mon\nx\nWed\nThu\n"),
            (
                "replace the line about Wed in a.txt with \"x\"",
                "Mon\nTue\nx\nThu\n",
            ),
            ("replace line 2 of a.txt with nothing", "Mon\nWed\nThu\n"),
            ("delete the 2nd line in a.txt", "Mon\nWed\nThu\n"),
            ("replace line 2 of a.txt with \"x\"", "Mon\nx\nWed\nThu\n"),
            (
                "change the last line of a.txt to Fri",
                "Mon\nTue\nWed\nFri\n",
            ),
        ] {
            assert_eq!(edited(says, DAYS).as_deref(), Ok(text), "{says}");
        }
        assert_eq!(
            edited("delete line 2 of a.txt", "a\na\na\n").unwrap(),
            "a\na\n"
        );
        let refused = edited("delete line 9 of a.txt", DAYS).unwrap_err();
        assert!(refused.contains("a.txt has 4 lines"), "{refused}");
        let refused = edited("delete the last 9 lines of a.txt", DAYS).unwrap_err();
        assert!(refused.contains("a.txt has 4 lines"), "{refused}");
        for says in [
            "delete line 0 of a.txt",
            "delete lines 3 to 2 of a.txt",
            "delete the second 3 lines of a.txt",
            "insert x after lines 1 and 3 of a.txt",
            "replace lines 2 and 4 of a.txt with x",
            "delete line 3 of docs",
        ] {
            assert_eq!(read(says), None, "{says}");
        }
    }

    #[test]
    fn many_lines_are_removed_in_as_many_steps_as_they_need() {
        let line = |at: usize| format!("{at} {}\n", "word ".repeat(15));
        let all: String = (1..=60).map(line).collect();
        let left: String = (1..=60)
            .filter(|at| !(3..=50).contains(at))
            .map(line)
            .collect();
        assert_eq!(edited("delete lines 3 to 50 of a.txt", &all).unwrap(), left);
        let left: String = (1..=30).map(line).collect();
        assert_eq!(
            edited("delete the last 30 lines of a.txt", &all).unwrap(),
            left
        );
        let long: String = (1..=900).map(line).collect();
        assert!(edited("delete lines 1 to 900 of a.txt", &long).is_err());
    }

    #[test]
    fn lines_that_repeat_are_changed_where_the_order_says() {
        let rows = "a\nb\na\nb\na\nb\n";
        let boxes = "- [ ]\n- [ ]\n- [ ]\n- [ ]\n";
        for (says, text, after) in [
            (
                "replace line 6 of a.txt with \"Q\"",
                rows,
                "a\nb\na\nb\na\nQ\n",
            ),
            ("delete line 5 of a.txt", rows, "a\nb\na\nb\nb\n"),
            (
                "replace line 4 of a.txt with \"- [x]\"",
                boxes,
                "- [ ]\n- [ ]\n- [ ]\n- [x]\n",
            ),
            (
                "insert \"n\" before line 4 of a.txt",
                "a\na\na\na\n",
                "a\na\na\nn\na\n",
            ),
            (
                "insert \"n\" after line 1 of a.txt",
                "a\na\na\na\n",
                "a\nn\na\na\na\n",
            ),
            ("delete lines 2 and 4 of a.txt", boxes, "- [ ]\n- [ ]\n"),
            (
                "insert x at the top of a.txt",
                "\u{feff}one\n",
                "\u{feff}x\none\n",
            ),
            (
                "delete line 1 of a.txt",
                "\u{feff}one\ntwo\n",
                "\u{feff}two\n",
            ),
        ] {
            assert_eq!(edited(says, text).as_deref(), Ok(after), "{says}");
        }
    }

    #[test]
    fn a_file_is_emptied_or_written_anew() {
        for says in [
            "clear a.txt",
            "empty the file a.txt",
            "make a.txt empty",
            "delete everything in a.txt",
            "remove all the text from a.txt",
        ] {
            assert_eq!(edited(says, DAYS).as_deref(), Ok(""), "{says}");
        }
        for says in [
            "overwrite a.txt with \"x\"",
            "replace the contents of a.txt with x",
        ] {
            assert_eq!(edited(says, DAYS).as_deref(), Ok("x\n"), "{says}");
        }
        let long: String = (0..300).map(|at| format!("line {at} of many\n")).collect();
        assert_eq!(edited("clear a.txt", &long).as_deref(), Ok(""));
        assert_eq!(
            edited("overwrite a.txt with x", &long).as_deref(),
            Ok("x\n")
        );
        let refused = edited("clear a.txt", &long.repeat(10)).unwrap_err();
        assert!(refused.contains("too long"), "{refused}");
        assert!(
            edited("clear a.txt", "")
                .unwrap_err()
                .contains("empty already")
        );
        for says in ["clear docs", "empty everything", "clear my memory"] {
            assert_eq!(read(says), None, "{says}");
        }
    }
}
