//! Long parts of a question without their middle, which says how much it is.

/// How much of a question is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// All of it.
    Whole,
    /// Parts folded that take more lines of the screen than these.
    Folded(usize),
}

/// Longest part of a question that is shown whole unasked, lines of the screen.
const FOLD_LINES: usize = 40;
/// The same of each of several calls that are asked about together, at least.
const FOLD_LEAST: usize = 12;
/// What is shown of the end of a longer one: this part of its lines.
const TAIL_PART: usize = 4;
/// Columns of the usual terminal.
const COLUMNS: usize = 80;
/// Longest line that is shown whole unasked, characters.
const FOLD_CHARS: usize = 2_000;
/// What is shown beside the change in a long line, characters a side.
const BESIDE_CHARS: usize = 200;
/// The same of a line that changed, where not all of a difference fits: its change is worth more than
/// its rest.
const TIGHT: Around = Around {
    longest: 4 * COLUMNS,
    beside: COLUMNS,
};
/// Longest unchanged line of a diff that is shown whole unasked, characters: one of a terminal's.
const CONTEXT_CHARS: usize = 80;

/// From which length on a line that changed is shown around its change, and how much of it beside that,
/// characters.
#[derive(Debug, Clone, Copy)]
struct Around {
    longest: usize,
    beside: usize,
}

impl Length {
    /// Folded, where so many calls are shown at once.
    pub(super) fn folded(calls: usize) -> Self {
        Self::Folded((FOLD_LINES / calls.max(1)).max(FOLD_LEAST))
    }
}

/// How what is folded can be seen, beside a question of line mode.
pub(super) const V_SHOWS: &str = "v shows them";
/// How a note begins that stands for what is folded.
const FOLDED: &str = "…";

/// A text as lines, each behind the same margin; folded when it is long.
pub(super) fn text_lines(text: &str, margin: &str, length: Length) -> String {
    let lines = text.lines().map(|line| line_of(line, length)).collect();
    lines_of(lines, margin, length)
}

/// A unified diff; folded when it is long. Of a long line that was changed, what changed is shown, and
/// of an unchanged one the beginning.
pub(super) fn diff_lines(diff: &str, length: Length) -> String {
    let wide = Around {
        longest: FOLD_CHARS,
        beside: BESIDE_CHARS,
    };
    let shown = paired_lines(diff, length, wide);
    let shown = match length {
        Length::Folded(most) if rows_of(&shown) > most => paired_lines(diff, length, TIGHT),
        _ => shown,
    };
    lines_of(shown, "", length)
}

/// The lines of a diff, each of which that changed beside the one that it was or became.
fn paired_lines(diff: &str, length: Length, around: Around) -> Vec<String> {
    let lines: Vec<&str> = diff.lines().collect();
    let run = |from: usize, sign: char| {
        let rest = lines.iter().skip(from);
        rest.take_while(|line| line.starts_with(sign)).count()
    };
    let mut shown = Vec::with_capacity(lines.len());
    while shown.len() < lines.len() {
        let at = shown.len();
        let removed = run(at, '-');
        let added = run(at + removed, '+');
        if removed == 0 || removed != added {
            // A run is counted once, however long it is.
            let run = &lines[at..at + (removed + added).max(1)];
            shown.extend(run.iter().map(|line| match line.starts_with(' ') {
                true => unchanged_line(line, length),
                false => line_of(line, length),
            }));
            continue;
        }
        let (old, rest) = lines[at..].split_at(removed);
        let pairs = || old.iter().zip(rest);
        let changed = |line: &str, other: &str| match length {
            Length::Whole => line.to_owned(),
            Length::Folded(_) => changed_line(line, other, around),
        };
        shown.extend(pairs().map(|(old, new)| changed(old, new)));
        shown.extend(pairs().map(|(old, new)| changed(new, old)));
    }
    shown
}

/// Lines that are shown as they are, without those in the middle when there are many.
fn lines_of(mut lines: Vec<String>, margin: &str, length: Length) -> String {
    if let Length::Folded(most) = length
        && rows_of(&lines) > most
    {
        let tail = most / TAIL_PART;
        let head = fitting(lines.iter(), most - tail);
        let tail = fitting(lines[head..].iter().rev(), tail);
        let middle = head..lines.len() - tail;
        if !middle.is_empty() {
            let note = not_shown("lines", middle.len());
            lines.splice(middle, [note]);
        }
    }
    let line = |line: String| format!("{margin}{line}\n");
    lines.into_iter().map(line).collect()
}

/// The lines of the screen that these take.
fn rows_of(lines: &[String]) -> usize {
    lines.iter().map(|line| rows(line)).sum()
}

/// The lines of the screen that a line takes.
fn rows(line: &str) -> usize {
    line.chars().count().div_ceil(COLUMNS).max(1)
}

/// How many of these lines, one at least, fit so many of the screen.
fn fitting<'a>(lines: impl Iterator<Item = &'a String>, most: usize) -> usize {
    let mut taken = 0;
    let fits = lines.take_while(|line| {
        taken += rows(line);
        taken <= most
    });
    fits.count().max(1)
}

/// What stands for `count` that are folded.
fn not_shown(what: &str, count: usize) -> String {
    format!("{FOLDED} {what} not shown here: {count}; {V_SHOWS} {FOLDED}")
}

fn line_of(line: &str, length: Length) -> String {
    match length {
        Length::Whole => line.to_owned(),
        Length::Folded(_) => line_within(line, FOLD_CHARS),
    }
}

/// A line without its middle where it is longer than this.
fn line_within(line: &str, longest: usize) -> String {
    let count = line.chars().count();
    if count <= longest {
        return line.to_owned();
    }
    let head: String = line.chars().take(longest / 2).collect();
    let tail: String = line.chars().skip(count - longest / 4).collect();
    let left = count - longest / 2 - longest / 4;
    format!("{head} {} {tail}", not_shown("characters", left))
}

/// An unchanged line of a diff: enough to see where the change is.
fn unchanged_line(line: &str, length: Length) -> String {
    let count = line.chars().count();
    if length == Length::Whole || count <= CONTEXT_CHARS {
        return line.to_owned();
    }
    let note = format!(" {FOLDED} {count} characters");
    let kept = CONTEXT_CHARS.saturating_sub(note.chars().count());
    let head: String = line.chars().take(kept).collect();
    head + &note
}

/// A line of a diff, with its sign, beside the line that it was or became: around what differs where
/// it is too long to be shown whole.
fn changed_line(line: &str, other: &str, around: Around) -> String {
    let chars: Vec<char> = line.chars().collect();
    if chars.len() <= around.longest {
        return line.to_owned();
    }
    let other: Vec<char> = other.chars().collect();
    // The signs differ, so they are no part of what the two have in common.
    let same = |(a, b): &(&char, &char)| a == b;
    let (ours, theirs) = (&chars[1..], other.get(1..).unwrap_or_default());
    let before = ours.iter().zip(theirs).take_while(same).count();
    let backwards = ours[before..].iter().rev();
    let after = backwards
        .zip(theirs[before..].iter().rev())
        .take_while(same)
        .count();
    let from = before.saturating_sub(around.beside);
    let to = (ours.len() - after + around.beside).min(ours.len());
    let middle: String = ours[from..to].iter().collect();
    let mut shown = String::from(chars[0]);
    if from > 0 {
        shown.push_str(&format!("{} ", not_shown("characters", from)));
    }
    shown.push_str(&line_within(&middle, around.longest));
    if to < ours.len() {
        shown.push_str(&format!(" {}", not_shown("characters", ours.len() - to)));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_says_how_much() {
        let lines = |count: usize| (1..=count).map(|n| format!("l{n}\n")).collect::<String>();
        let whole = text_lines(&lines(FOLD_LINES), "", Length::Folded(FOLD_LINES));
        assert_eq!(whole, lines(FOLD_LINES));
        let folded = text_lines(&lines(FOLD_LINES + 1), "", Length::Folded(FOLD_LINES));
        assert!(folded.contains("l30\n… lines not shown here: 1; v shows them …\nl32\n"));
        assert_eq!(folded.lines().count(), FOLD_LINES + 1);
        let long = "x".repeat(FOLD_CHARS + 1);
        assert!(
            line_of(&long, Length::Folded(FOLD_LINES)).contains("characters not shown here: 501;")
        );
        assert_eq!(line_of(&long, Length::Whole), long);
    }

    #[test]
    fn a_change_in_a_long_line_is_shown() {
        let line = |word: &str| format!("{}{word}{}", "a".repeat(5_000), "b".repeat(3_000));
        let diff = |old: &str, new: &str| format!("@@ -1,2 +1,2 @@\n same\n-{old}\n+{new}\n");
        let edit = diff(&line("wrong"), &line("right, or nearly"));
        let folded = diff_lines(&edit, Length::Folded(FOLD_LINES));
        assert_eq!(folded.lines().count(), 4);
        let shown: Vec<&str> = folded.lines().skip(2).collect();
        let around = |sign: &str, word: &str| {
            let (a, b) = ("a".repeat(BESIDE_CHARS), "b".repeat(BESIDE_CHARS));
            let note = |count: usize| not_shown("characters", count);
            format!("{sign}{} {a}{word}{b} {}", note(4_800), note(2_800))
        };
        assert_eq!(shown[0], around("-", "wrong"));
        assert_eq!(shown[1], around("+", "right, or nearly"));
        assert_eq!(diff_lines(&edit, Length::Whole), edit);
        let grown = diff_lines(&diff("a", &line("c")), Length::Folded(FOLD_LINES));
        assert!(
            grown.contains("characters not shown here: 6501;"),
            "{grown}"
        );
        // Two changes far from each other: all between them counts as changed.
        let both = diff(&format!("x{}y", line("")), &format!("z{}w", line("")));
        let both = diff_lines(&both, Length::Folded(FOLD_LINES));
        assert!(both.contains("+zaaa") && both.contains("bbbw"), "{both}");
    }

    #[test]
    fn paragraphs_count_by_the_lines_of_the_screen_that_they_take() {
        let text = format!("{}\n", "word ".repeat(54)).repeat(30);
        let alone = text_lines(&text, "", Length::folded(1));
        assert_eq!(height(&alone), 7 * 4 + 1 + 2 * 4);
        assert!(alone.contains("lines not shown here: 21;"), "{alone}");
        let together = text_lines(&text, "", Length::folded(4));
        assert_eq!(height(&together), 2 * 4 + 1 + 4);
        let few = format!("{}\n", "word ".repeat(54)).repeat(3);
        assert_eq!(text_lines(&few, "", Length::folded(4)), few);
    }

    fn height(text: &str) -> usize {
        text.lines().map(rows).sum()
    }

    #[test]
    fn where_not_all_fits_a_long_line_is_shown_around_its_change() {
        let line = |word: &str| format!("{}{word}{}", "a".repeat(900), "b".repeat(900));
        let after = " after\n".repeat(3);
        let (old, new) = (line("wrong"), line("right"));
        let diff = format!("@@ -1,4 +1,4 @@\n-{old}\n+{new}\n{after}");
        let shown = diff_lines(&diff, Length::folded(1));
        assert!(
            shown.contains("awrongb") && shown.contains("arightb"),
            "{shown}"
        );
        assert!(shown.ends_with(&after) && height(&shown) < 20, "{shown}");
        assert_eq!(diff_lines(&diff, Length::Whole), diff);
        // What fits is shown whole.
        let fits = format!("@@ -1,1 +1,1 @@\n-{}\n+{}\n", &old[..950], &new[..950]);
        assert_eq!(diff_lines(&fits, Length::folded(1)), fits);
    }

    #[test]
    fn an_unchanged_line_takes_one_line_of_the_screen() {
        let line = |length: usize| format!(" {}", "p".repeat(length - 1));
        let diff = |context: &str| format!("@@ -1,2 +1,2 @@\n{context}\n-a\n+b\n");
        let fits = diff(&line(CONTEXT_CHARS));
        assert_eq!(diff_lines(&fits, Length::Folded(FOLD_LINES)), fits);
        let long = diff(&line(5_000));
        let shown = diff_lines(&long, Length::Folded(FOLD_LINES));
        let context = shown.lines().nth(1).unwrap_or_default();
        assert!(context.ends_with("ppp … 5000 characters"), "{shown}");
        assert_eq!(context.chars().count(), CONTEXT_CHARS);
        assert!(shown.ends_with("\n-a\n+b\n"), "{shown}");
        assert_eq!(diff_lines(&long, Length::Whole), long);
    }

    #[test]
    fn lines_without_a_counterpart_stay_what_they_are() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-one\n-two\n+three\n";
        assert_eq!(diff_lines(diff, Length::Folded(FOLD_LINES)), diff);
        assert_eq!(diff_lines("", Length::Folded(FOLD_LINES)), "");
        assert_eq!(diff_lines("-\n+\n", Length::Folded(FOLD_LINES)), "-\n+\n");
    }
}
