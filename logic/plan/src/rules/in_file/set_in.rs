//! How a line that is put beside another one is set in: as deep as its neighbours, and a heading between empty lines as
//! the other headings are.

use super::asked::Side;
use super::lines::Lines;
use super::sound::Edit;
use std::ops::Range;

impl Lines<'_> {
    /// What is put at the edge of a line where a text is a heading of Markdown, with the empty lines around it that
    /// the other headings have; `None` where it is none.
    pub(super) fn as_heading(
        &self,
        text: &str,
        side: Side,
        beside: &Range<usize>,
    ) -> Option<String> {
        let level = |line: &str| line.len() - line.trim_start_matches('#').len();
        let is_heading = (1..=6).contains(&level(text)) && text[level(text)..].starts_with(' ');
        let is_markdown = matches!(self.ending().as_str(), "md" | "markdown");
        if !is_heading || !is_markdown || text.contains('\n') {
            return None;
        }
        let all = headings(self);
        let same = |line: &&Range<usize>| level(&self.text[(*line).clone()]) == level(text);
        let like: Vec<&Range<usize>> = match all.iter().any(|line| same(&line)) {
            true => all.iter().filter(same).collect(),
            false => all.iter().collect(),
        };
        let is_empty = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
        let before = |at: usize| is_empty(self.text[..at].lines().next_back());
        let behind = |at: usize| is_empty(self.text[at..].lines().nth(1));
        let has_before = like.iter().all(|line| before(line.start));
        let has_behind = like.iter().all(|line| behind(line.end));
        let (end, at) = (self.line_end(), beside.end);
        let gap = |is_one: bool| if is_one { end } else { "" };
        let next = self.text[at..].lines().nth(1).unwrap_or_default();
        Some(match side {
            Side::After => {
                // Two headings stand apart as the lower one does from what is above it.
                let below = !behind(at) && (has_behind || (has_before && level(next) > 0));
                let above = has_before && !self.text[beside.clone()].trim().is_empty();
                format!("{end}{}{text}{}", gap(above), gap(below))
            }
            Side::Before => {
                let is_first = beside.start == 0;
                let above = has_before && !is_first && !before(beside.start);
                let line = &self.text[beside.clone()];
                let below =
                    !line.trim().is_empty() && (has_behind || (has_before && level(line) > 0));
                format!("{}{text}{end}{}", gap(above), gap(below))
            }
        })
    }

    /// Whether the headings of a text but this one have an empty line behind them; where there is no other, whether
    /// this one has.
    pub(super) fn has_gaps(&self, heading: &Range<usize>) -> bool {
        let has_gap = |line: &Range<usize>| {
            let below = self.text[line.end..].lines().nth(1);
            below.is_none_or(|below| below.trim().is_empty())
        };
        let (this, others): (Vec<_>, Vec<_>) =
            headings(self).into_iter().partition(|line| line == heading);
        let judged = if others.is_empty() { this } else { others };
        let is_text = self.text[heading.end..]
            .lines()
            .any(|line| !line.trim().is_empty());
        is_text && judged.iter().all(has_gap)
    }

    /// A line beside one of a recipe of a Makefile, which begins with a tab as that does.
    pub(super) fn as_recipe(&self, text: &str, beside: &std::ops::Range<usize>) -> String {
        let is_makefile = self.ending() == "mk";
        let is_recipe = self.text[beside.clone()].starts_with('\t');
        match is_makefile && is_recipe && !text.starts_with([' ', '\t']) {
            true => format!("\t{text}"),
            false => text.to_owned(),
        }
    }

    /// A line beside one of YAML, as deep as that where the file would not be sound with it at its edge, and where it
    /// is named by what it says and the file is sound so.
    pub(super) fn as_beside(&self, text: &str, beside: &Range<usize>, is_by_words: bool) -> String {
        let line = &self.text[beside.clone()];
        let depth = &line[..line.len() - line.trim_start_matches(' ').len()];
        let is_of_yaml = matches!(self.ending().as_str(), "yaml" | "yml");
        let is_open = line.trim_end().ends_with(':') || text.starts_with(' ');
        if !is_of_yaml || depth.is_empty() || is_open {
            return text.to_owned();
        }
        let is_sound = |depth: &str| {
            let (before, behind) = self.text.split_at(beside.end);
            let text = format!("{before}\n{depth}{text}{behind}");
            self.is_sound_as(&text, Edit::Addition).is_ok()
        };
        match (is_by_words && is_sound(depth)) || !is_sound("") {
            true => format!("{depth}{text}"),
            false => text.to_owned(),
        }
    }

    /// A line beside one that is named by what it says, as deep as that; behind one that has deeper lines below
    /// it, as deep as these. One with its own depth, or an empty one, stays, and so does one of a text, where white space
    /// before a line has a meaning of its own, unless both are items of a list.
    pub(super) fn as_deep(&self, text: &str, side: Side, beside: &Range<usize>) -> String {
        let is_kept = text.is_empty() || text.starts_with([' ', '\t']);
        let line = &self.text[beside.clone()];
        let are_items = item_mark(line).is_some() && item_mark(text).is_some();
        let is_text = matches!(
            self.ending().as_str(),
            "md" | "markdown" | "txt" | "rst" | "adoc"
        );
        if is_kept || (is_text && !are_items) {
            return text.to_owned();
        }
        // Data stands as deep as it says what it says, and a recipe of a Makefile has its tab.
        let of_meaning = ["yaml", "yml", "mk", "csv", "tsv", "diff", "patch"];
        if of_meaning.contains(&self.ending().as_str()) {
            return text.to_owned();
        }
        let depth = |line: &'_ str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let below = self.text[beside.end..].lines().skip(1);
        let below = below.into_iter().find(|line| !line.trim().is_empty());
        let like = match (side, below) {
            (Side::After, Some(below)) if depth(below) > depth(line) => below,
            _ => line,
        };
        let depth = &like[..depth(like)];
        let lines: Vec<String> = text
            .lines()
            .map(|line| match line.is_empty() {
                true => String::new(),
                false => format!("{depth}{line}"),
            })
            .collect();
        lines.join(self.line_end())
    }
}

/// The headings of a document, without what looks like one in a block of code.
pub(super) fn headings(lines: &Lines<'_>) -> Vec<Range<usize>> {
    let mut is_code = false;
    let is_heading = |line: &Range<usize>| {
        let line = lines.text[line.clone()].trim_end();
        is_code ^= line.trim_start().starts_with("```");
        let says = line.trim_start_matches('#');
        !is_code && says.len() < line.len() && says.starts_with(' ')
    };
    lines.lines().filter(is_heading).collect()
}

/// What begins an item of a list, with the spaces before it.
pub(super) fn item_mark(line: &str) -> Option<String> {
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    let mark = ["- [ ] ", "- [x] ", "- [X] ", "- ", "* ", "+ "]
        .iter()
        .find(|mark| body.starts_with(**mark))?;
    let mark = match mark.contains('[') {
        true => "- [ ] ",
        false => mark,
    };
    Some(format!("{indent}{mark}"))
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file::lines::applied;
    use crate::rules::in_file::read;

    fn edited(says: &str, text: &str) -> String {
        let asked = read(says).unwrap_or_else(|| panic!("{says} is no such order"));
        let plan = asked
            .plan(text)
            .unwrap_or_else(|why| panic!("{says}: {why}"));
        plan.actions
            .iter()
            .fold(text.to_owned(), |text, action| applied(&text, action))
    }

    #[test]
    fn a_line_is_as_deep_as_the_one_beside_it() {
        for (says, text, after) in [
            (
                "insert \"b c;\" after the line about proxy_pass in nginx/wiki.conf",
                "l {\n        proxy_pass a;\n}\n",
                "l {\n        proxy_pass a;\n        b c;\n}\n",
            ),
            (
                "insert \"encode gzip\" before the line about root in Caddyfile",
                "a.org {\n\troot *\n}\n",
                "a.org {\n\tencode gzip\n\troot *\n}\n",
            ),
            (
                "insert \"year = 1999,\" after the line about @book in refs.bib",
                "@book{a,\n  title = {A},\n}\n",
                "@book{a,\n  year = 1999,\n  title = {A},\n}\n",
            ),
            (
                "insert \"    x\" after the line about root in Caddyfile",
                "a.org {\n\troot *\n}\n",
                "a.org {\n\troot *\n    x\n}\n",
            ),
            (
                "insert \"c: 3\" after the line about b in a.yaml",
                "a:\n  b: 1\n  d: 2\n",
                "a:\n  b: 1\n  c: 3\n  d: 2\n",
            ),
            (
                "insert \"- two\" after the line about one in a.md",
                "- all\n  - one\n",
                "- all\n  - one\n  - two\n",
            ),
            (
                "insert \"And then.\" after the line about code in a.md",
                "Such as:\n\n    code\n",
                "Such as:\n\n    code\nAnd then.\n",
            ),
        ] {
            assert_eq!(edited(says, text), after, "{says}");
        }
    }

    #[test]
    fn a_heading_stands_between_empty_lines_as_the_others_do() {
        for (says, text, after) in [
            (
                "insert \"## [0.8.0]\" after the heading \"[Unreleased]\" in c.md",
                "# Log\n\n## [Unreleased]\n\n## [0.7.0]\n### Added\n- a\n",
                "# Log\n\n## [Unreleased]\n\n## [0.8.0]\n\n## [0.7.0]\n### Added\n- a\n",
            ),
            (
                "insert \"## [0.8.0]\" after the heading \"[Unreleased]\" in c.md",
                "# Log\n\n## [Unreleased]\n- b\n\n## [0.7.0]\n- a\n",
                "# Log\n\n## [Unreleased]\n\n## [0.8.0]\n- b\n\n## [0.7.0]\n- a\n",
            ),
            (
                "insert \"## Use\" before the line about Install in c.md",
                "# A\n\nText.\n\n## Install\n\nDo it.\n",
                "# A\n\nText.\n\n## Use\n\n## Install\n\nDo it.\n",
            ),
            (
                "insert \"## Use\" after the line about Text in c.md",
                "# A\nText.\n## Install\nDo it.\n",
                "# A\nText.\n## Use\n## Install\nDo it.\n",
            ),
            (
                "insert \"## Use\" after the line about Text in c.md",
                "# A\n\nText.\nMore.\n\n## Install\n\nDo it.\n",
                "# A\n\nText.\n\n## Use\n\nMore.\n\n## Install\n\nDo it.\n",
            ),
        ] {
            assert_eq!(edited(says, text), after, "{says}");
        }
    }
}
