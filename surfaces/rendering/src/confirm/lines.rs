//! The lines of the broker's rendering: a call, the steps of a plan, and the end that says it in short.

use crate::difference;
use crate::memory::counted;
use domain::event::ConfirmationRequest;
use domain::tool::EffectClass;
use session::LEFT_OUT;

/// How the end of the broker's rendering begins, which names tool, effect and targets once more: a
/// line, and for a plan one more for each of its calls.
pub(super) const IN_SHORT: &str = "In short: ";

/// How a line of a text of several lines begins in a broker's rendering.
const IN_TEXT: &str = "    | ";

/// A rendering's lines without its end, and the end, which is empty where a broker of another version
/// says none. Nothing that a model wrote begins a line of the broker's.
pub(super) fn split_end<'a, 'b>(lines: &'a [&'b str]) -> (&'a [&'b str], &'a [&'b str]) {
    let begins = |line: &&str| line.starts_with(IN_SHORT);
    let at = lines.iter().rposition(begins).unwrap_or(lines.len());
    lines.split_at(at)
}

/// The lines of a call without what stands in its question anyway: texts of several lines, where a
/// difference shows what comes of them, and the call itself, where it is a program whose command the
/// preview begins with and whose every argument stands in the end, which is always in sight.
pub(super) fn told_once(
    request: &ConfirmationRequest,
    lines: &[&str],
    end: &[&str],
) -> Vec<String> {
    let preview = request.diff.as_deref().unwrap_or_default();
    if changes_files(request) && difference::is_one(preview) {
        return without_texts(lines);
    }
    let is_whole = |end: &&&str| !end.contains(LEFT_OUT);
    let end = end.first().filter(|_| request.effect == EffectClass::Exec);
    let is_told = end.filter(is_whole).is_some_and(|end| {
        preview.starts_with("$ ") && lines.iter().all(|line| end.contains(line.trim()))
    });
    match is_told {
        true => Vec::new(),
        false => lines.iter().map(|line| (*line).to_owned()).collect(),
    }
}

/// A call's lines with texts of several lines by their number alone.
fn without_texts(lines: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut rest = lines;
    while let [line, behind @ ..] = rest {
        let text = behind.iter().take_while(|one| one.starts_with(IN_TEXT));
        let rows: Vec<&&str> = text.collect();
        let is_ended = rows.last().is_some_and(|last| **last == IN_TEXT);
        let (count, lines) = (rows.len(), rows.len() - usize::from(is_ended));
        all.push(match count {
            0 => (*line).to_owned(),
            _ => format!(
                "{line} {}, see the difference",
                counted(lines as u64, "line", "lines")
            ),
        });
        rest = &behind[count..];
    }
    all
}

/// The lines of a plan's text by its steps, from 0, and what stands before them. A step begins with its
/// number; what belongs to it is indented.
pub(super) fn by_step<'a, 'b>(lines: &'a [&'b str]) -> Vec<(Option<u32>, &'a [&'b str])> {
    let mut begins = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with(&format!("{}. ", begins.len() + 1)) {
            begins.push(at);
        }
    }
    let ends = begins.iter().skip(1).copied().chain([lines.len()]);
    let first = begins.first().copied().unwrap_or(lines.len());
    let before = (None, &lines[..first]);
    let steps = begins.iter().zip(ends).zip(0..);
    let steps = steps.map(|((from, to), step)| (Some(step), &lines[*from..to]));
    let all = [before].into_iter().chain(steps);
    all.filter(|(_, lines)| !lines.is_empty()).collect()
}

/// Whether a call changes files and does nothing else.
pub(super) const fn changes_files(request: &ConfirmationRequest) -> bool {
    matches!(
        request.effect,
        EffectClass::SelfWrite | EffectClass::SharedWrite | EffectClass::Destructive
    )
}
