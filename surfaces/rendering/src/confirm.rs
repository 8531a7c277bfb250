//! Asking the user: the broker's own rendering, a diff, and the answer.

mod answers;
mod closed;
mod lines;
mod reach;
mod terminal;
mod typeahead;
mod waiting;

use self::answers::{Asked, parse, prompt, unclear};
pub use self::answers::{Listener, Memory, Offer, Reply, Said, to_each};
pub use self::closed::{closed, in_words, is_answer};
use self::lines::{IN_SHORT, by_step, changes_files, split_end, told_once};
pub use self::reach::share_reach;
use self::reach::{SESSION_REACH, opens_folder, reaches};
use self::terminal::{is_hung_up, read_line, wait_closed};
pub use self::typeahead::{Typeahead, is_yes, is_yes_unless};
pub use self::waiting::{COVERING, GATHERING, Patience, Questions};
use super::folded::{Length, V_SHOWS, diff_lines, text_lines};
use super::{Paint, difference, fit, pager, pastes, print_error_as_it_is};
use domain::event::{ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, StepChange};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use text::escape::{self, visible, visible_line};

/// Which of how many a question is that is put by itself, from 1.
type Place = Option<(usize, usize)>;

/// The parts of questions that are put as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Who wants to do what.
    pub head: String,
    /// The same in fewer words, for where there is little room.
    pub brief_head: String,
    /// The calls as they would run, what would change, why it is asked, what a yes covers.
    pub body: Vec<Section>,
    /// What it is about in one line each, which no length of the rest may push off the screen.
    pub short: String,
}

/// A part of a question's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// Lines.
    Lines(String),
    /// How files would change.
    Difference(Vec<difference::Piece>),
}

/// The questions in parts, nothing folded. `place`: which of how many, where they are put one by one.
#[must_use]
pub fn parts(requests: &[ConfirmationRequest], place: Place, paint: Paint) -> Parts {
    let order = Order::DifferenceFirst;
    let asked = parts_of((requests, place), paint, (Length::Whole, order));
    let section = |told: Told| match told {
        Told::Lines(lines) => Section::Lines(lines),
        Told::Difference(text, is_of_files) => Section::Difference(match is_of_files {
            true => difference::pieces(&text),
            false => difference::told(&text),
        }),
    };
    Parts {
        head: asked.head,
        brief_head: asked.brief_head,
        body: asked.body.into_iter().map(section).collect(),
        short: asked.short,
    }
}

/// The same, with differences as the text that came with a question.
struct AsText {
    head: String,
    brief_head: String,
    body: Vec<Told>,
    short: String,
}

/// A part of the body of [`AsText`].
enum Told {
    Lines(String),
    /// A difference, and whether it is one of files.
    Difference(String, bool),
}

/// Adds lines to those that stand last.
fn push_lines(body: &mut Vec<Told>, lines: &str) {
    match body.last_mut() {
        Some(Told::Lines(before)) => before.push_str(lines),
        _ => body.push(Told::Lines(lines.to_owned())),
    }
}

/// The questions as one text, without the prompt for an answer.
fn question(
    asked: (&[ConfirmationRequest], Place),
    paint: Paint,
    shape: (Length, Order),
) -> String {
    let AsText {
        head, body, short, ..
    } = parts_of(asked, paint, shape);
    let body = body.into_iter().map(|told| match told {
        Told::Lines(lines) => lines,
        Told::Difference(text, _) => paint.diff(&with_bars(&diff_lines(&text, shape.0))),
    });
    let body: String = body.collect();
    match head.is_empty() {
        true => String::new(),
        false => format!("{head}\n{body}{short}"),
    }
}

/// A difference whose lines that stay begin with a bar: no line of a file looks like a sentence of ours.
fn with_bars(diff: &str) -> String {
    let lines = diff.split_inclusive('\n');
    let barred = lines.map(|line| match line.strip_prefix(' ') {
        Some(rest) => format!("│{rest}"),
        None => line.to_owned(),
    });
    barred.collect()
}

fn parts_of(
    (requests, place): (&[ConfirmationRequest], Place),
    paint: Paint,
    (length, order): (Length, Order),
) -> AsText {
    let Some(first) = requests.first() else {
        return AsText {
            head: String::new(),
            brief_head: String::new(),
            body: Vec::new(),
            short: String::new(),
        };
    };
    let is_one_asker = requests
        .iter()
        .all(|request| request.lineage == first.lineage);
    let mut text = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        if requests.len() > 1 {
            let by = if is_one_asker {
                String::new()
            } else {
                format!(", asked by {}", self::asker(request))
            };
            let number = format!("{} of {}{by}", index + 1, requests.len());
            push_lines(&mut text, &format!("  {}\n", paint.strong(&number)));
        }
        push_body(&mut text, request, paint, (length, order));
    }
    let soonest = requests.iter().map(|request| request.expires).min();
    let until = format!(
        "No answer before {} means no.",
        local(soonest.unwrap_or(first.expires))
    );
    push_lines(&mut text, &format!("  {}\n", paint.faint(&until)));
    for reach in reaches(requests) {
        push_lines(&mut text, &format!("  {reach}\n"));
    }
    if order == Order::DifferenceLast {
        text.extend(requests.iter().flat_map(all_differences));
    }
    let brief = head((requests, first), is_one_asker, (place, Words::Few));
    AsText {
        head: paint.strong(&head((requests, first), is_one_asker, (place, Words::All))),
        brief_head: paint.strong(&brief),
        body: text,
        short: in_short(requests),
    }
}

/// In how many words something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    /// Without what the body says as well.
    Few,
}

/// Who wants to do what.
fn head(
    (requests, first): (&[ConfirmationRequest], &ConfirmationRequest),
    is_one_asker: bool,
    (place, words): (Place, Words),
) -> String {
    let run = match requests.len() {
        2.. => format!("wants to run {} calls", requests.len()),
        _ => "wants to run this call".to_owned(),
    };
    let what = match first.kind {
        ConfirmationKind::Plan => "wants to carry out this plan".to_owned(),
        _ if words == Words::All && opens_folder(requests) => {
            format!("{run} in a folder that is not open for writing")
        }
        ConfirmationKind::Call | ConfirmationKind::WriteRoot => run,
    };
    let asker = asker(first);
    let who = if is_one_asker {
        &asker
    } else {
        "more than one agent"
    };
    let place = place.map(|(number, count)| format!(" ({number} of {count})"));
    let place = place.unwrap_or_default();
    format!("? {who} {what}{place} [{}]", first.effect.as_str())
}

/// A time of today on the user's clock.
fn local(time: Timestamp) -> String {
    let here = time.to_zoned(TimeZone::system());
    here.strftime("%H:%M:%S %Z").to_string()
}

/// What a line that goes on below itself is indented by, columns.
const GOES_ON: usize = 4;

/// How a tab is shown: as a mark of a known width, since the terminal's own could go on at its left
/// margin, where our words begin.
const TAB: &str = "→   ";

/// A question for a terminal of this width. What goes on in a second line stands behind an indent,
/// so that nothing in a long line can look like the beginning of one.
#[must_use]
pub fn fitted(question: &str, width: Option<usize>) -> String {
    let line = |line: &str| fit::wrapped(&line.replace('\t', TAB), GOES_ON, width);
    question.lines().map(line).collect()
}

/// Who asks, as the broker knows it: the chain from the root, and which one of several alike.
fn asker(request: &ConfirmationRequest) -> String {
    match request.lineage.as_slice() {
        [] | [_] => request.agent_type.to_string(),
        [.., last] => {
            let types = request.lineage.iter().map(|a| a.agent_type.as_str());
            let chain: Vec<&str> = types.collect();
            // The end of an id is random; its beginning is a time.
            let id = last.agent_id.to_string();
            let tail = &id[id.len().saturating_sub(4)..];
            format!("{} (…{tail})", chain.join(" > "))
        }
    }
}

/// What would be done, how a file would change, and why it is asked. What a yes for the session
/// covers, and the end, stand at the very end of the question.
fn push_body(
    body: &mut Vec<Told>,
    request: &ConfirmationRequest,
    paint: Paint,
    (length, order): (Length, Order),
) {
    // The rendering and the diff come from the broker; escaping again keeps a faulty or remote
    // broker from drawing on this terminal.
    let rendering = visible(&request.rendering);
    let lines: Vec<&str> = rendering.lines().collect();
    let (mut lines, end) = split_end(&lines);
    if let [rest @ .., last] = lines
        && last.starts_with(SESSION_REACH)
    {
        lines = rest;
    }
    let told_once = told_once(request, lines, end);
    let lines: Vec<&str> = told_once.iter().map(String::as_str).collect();
    let is_beside = order != Order::DifferenceLast;
    let mut steps = request.steps.iter().filter(|_| is_beside).peekable();
    let length = match length {
        Length::Folded(_) if is_beside && !request.steps.is_empty() => {
            Length::folded(request.steps.len())
        }
        length => length,
    };
    let diff = request.diff.as_deref().filter(|_| is_beside);
    let mut diff = diff.map(|diff| told(request, diff));
    if order == Order::DifferenceFirst && changes_files(request) {
        body.extend(diff.take());
    }
    for (step, lines) in by_step(&lines) {
        push_lines(body, &text_lines(&lines.join("\n"), "  ", length));
        let own = |change: &&StepChange| step == Some(change.step);
        while let Some(change) = steps.next_if(own) {
            body.push(told(request, &change.diff));
        }
    }
    // Of a step that the text does not have.
    body.extend(steps.map(|change| told(request, &change.diff)));
    body.extend(diff);
    let reason = paint.faint(&visible_line(&request.reason));
    push_lines(body, &format!("  {reason}\n"));
}

/// How the files of questions change, for what stands when they are answered; long ones folded. What a
/// program may reach is in the question alone.
#[must_use]
pub fn differences(requests: &[ConfirmationRequest], paint: Paint) -> String {
    let length = Length::folded(requests.len());
    let all = requests.iter().flat_map(ConfirmationRequest::diffs);
    let all = all.filter(|diff| difference::is_one(diff));
    let shown = |diff: &str| paint.diff(&diff_lines(&escape::diff(diff), length));
    let all: String = all.map(shown).collect();
    all.replace(V_SHOWS, "/diff shows them")
}

/// A plan's question by its steps: the text of each, and what it would change; first what stands before
/// them. Without its end, which says all of it once more.
#[must_use]
pub fn steps(request: &ConfirmationRequest) -> Vec<(String, Vec<&str>)> {
    let lines: Vec<&str> = request.rendering.lines().collect();
    let (lines, _) = split_end(&lines);
    let of = |step: Option<u32>| {
        let own = request.steps.iter();
        let own = own.filter(move |change| step == Some(change.step));
        own.map(|change| change.diff.as_str()).collect()
    };
    let all = by_step(lines).into_iter();
    all.map(|(step, lines)| (lines.join("\n"), of(step)))
        .collect()
}

fn all_differences(request: &ConfirmationRequest) -> impl Iterator<Item = Told> {
    request.diffs().map(|diff| told(request, diff))
}

/// How files would change. What a program would be told to do comes in the same place: none of that is
/// taken for a difference.
fn told(request: &ConfirmationRequest, diff: &str) -> Told {
    Told::Difference(escape::diff(diff), changes_files(request))
}

/// What questions are about in fewer words, for where there is little room: without the effect, which
/// the head has, and without the name of this folder.
#[must_use]
pub fn shortest(requests: &[ConfirmationRequest], short: &str, folder: &Path) -> String {
    let effects = requests
        .iter()
        .map(|one| format!(" (effect: {})", one.effect.as_str()));
    let effects: BTreeSet<String> = effects.collect();
    let folder = visible_line(&folder.to_string_lossy());
    let lines = short.lines().map(|line| {
        let line = line.replacen(IN_SHORT, "", 1);
        let line = effects
            .iter()
            .fold(line, |line, effect| line.replacen(effect, "", 1));
        let line = line
            .strip_suffix(&format!(", cwd: {folder}"))
            .unwrap_or(&line);
        format!("{}\n", line.replace(&format!("{folder}/"), ""))
    });
    lines.collect()
}

/// Where the difference stands in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Before why it is asked.
    Usual,
    /// Before everything else of its call.
    DifferenceFirst,
    /// Right above the end, where little of a question is on the screen at once.
    DifferenceLast,
}

/// A terminal of fewer lines is low: there the difference stands right above the end of its question.
const LOW_LINES: usize = 20;
/// What the end and the prompt take of them.
const END_LINES: usize = 8;
/// Fewest lines that are left for the difference.
const LEAST_LINES: usize = 3;

/// How much of so many calls is shown unasked on a terminal of this height, and in which order.
fn layout(calls: usize, height: Option<usize>) -> (Length, Order) {
    match height.filter(|lines| calls == 1 && *lines < LOW_LINES) {
        Some(lines) => {
            let left = lines.saturating_sub(END_LINES).max(LEAST_LINES);
            (Length::Folded(left), Order::DifferenceLast)
        }
        None => (Length::folded(calls), Order::Usual),
    }
}

/// Prints the questions as one and reads one answer from standard input. The end of input is a no,
/// but for that of a terminal that is gone: there nobody is left to say it. `None` when `is_closed` was
/// set before there was an answer: what was begun as one is thrown away. What was typed before the
/// question was there answers nothing. `place`: which of how many it is, where they are put one by one.
/// Nothing is read from the terminal but whole lines, so that the next reader
/// gets what was typed for it.
///
/// # Errors
/// When the terminal cannot be written or read.
pub fn ask(
    (requests, place): (&[ConfirmationRequest], Option<(usize, usize)>),
    paint: Paint,
    memory: Memory,
    listener: Listener,
    is_closed: &AtomicBool,
) -> io::Result<Option<Reply>> {
    let width = fit::width(&io::stderr());
    let mut ahead = Typeahead::begin()?;
    let (length, order) = layout(requests.len(), fit::height(&io::stderr()));
    let shown = question((requests, place), paint, (length, order));
    print_error_as_it_is(&fitted(&shown, width))?;
    let whole = question((requests, place), paint, (Length::Whole, order));
    let is_folded = shown != whole;
    let asked = Asked::of(requests, memory, listener);
    ahead.throw_away()?;
    loop {
        let view = if is_folded { "[v]iew all, " } else { "" };
        let answers = fitted(&format!("  {view}{}", prompt(asked)), width);
        // The answer stands behind it.
        print_error_as_it_is(&format!("{} ", answers.trim_end()))?;
        let Some(mut line) = read_line(is_closed, None)? else {
            // What was begun as an answer is no message.
            ahead.throw_away()?;
            return Ok(None);
        };
        if line.is_empty() && is_hung_up()? {
            wait_closed(is_closed)?;
            return Ok(None);
        }
        if line.is_empty() {
            return Ok(Some(Reply::All(Said::once(ConfirmationAnswer::Deny {
                message: String::new(),
            }))));
        }
        if ahead.begins_reason(&line) {
            let rest = ahead.rest_of_reason()?;
            line.push_str(&rest);
            // All of it is the reason, and so is what is typed behind it until Enter.
            if !pastes::is_entered(&rest) {
                let Some(end) = read_line(is_closed, None)? else {
                    return Ok(None);
                };
                line.push_str(&end);
            }
            ahead.throw_away_what_follows()?;
        } else if !ahead.is_answer(&line)? {
            continue;
        }
        // A reason that is pasted right behind its `n` is no part of that word.
        let line = pastes::typed_text(line.replacen(pastes::BEGINS, " ", 1).as_bytes());
        match parse(&line, asked) {
            Some(reply) => return Ok(Some(reply)),
            None if is_folded && is_view(&line) => pager::show(&fitted(&whole, width), is_closed)?,
            None => {
                print_error_as_it_is(&fitted(unclear(asked), width))?;
                ahead.throw_away()?;
            }
        }
    }
}

/// Whether the line asks for what is folded.
fn is_view(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "v" | "view")
}

/// What the answer would cover, one line for each question; for a plan one more for each call.
fn in_short(requests: &[ConfirmationRequest]) -> String {
    let line = |request: &ConfirmationRequest| {
        let rendering = visible(&request.rendering);
        let lines: Vec<&str> = rendering.lines().collect();
        let (_, end) = split_end(&lines);
        if end.is_empty() {
            return request.effect.as_str().to_owned();
        }
        let end = end.join("\n  ");
        end.strip_prefix(IN_SHORT).unwrap_or(&end).to_owned()
    };
    match requests {
        [] => String::new(),
        [one] => format!("  {IN_SHORT}{}\n", line(one)),
        _ => {
            let count = requests.len();
            let mut text = format!("  {IN_SHORT}{count} calls, to be answered together:\n");
            for (index, request) in requests.iter().enumerate() {
                let one = without_middle(&line(request));
                text.push_str(&format!("    {}. {one}\n", index + 1));
            }
            text
        }
    }
}

/// Most of one of several calls at the end of their question, characters: all of them are to stay on
/// a small screen, each by its tool and the beginning of what it does.
const ONE_OF_SEVERAL_CHARS: usize = 150;
/// How much of that its end is, which tells long paths apart.
const ONE_OF_SEVERAL_TAIL: usize = 40;

fn without_middle(line: &str) -> String {
    let count = line.chars().count();
    if count <= ONE_OF_SEVERAL_CHARS {
        return line.to_owned();
    }
    let kept = ONE_OF_SEVERAL_CHARS - ONE_OF_SEVERAL_TAIL;
    let head: String = line.chars().take(kept).collect();
    let tail: String = line.chars().skip(count - ONE_OF_SEVERAL_TAIL).collect();
    format!("{head} … {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_behind_an_indent_and_breaks_between_words() {
        let line = format!("+ {}? coder wants to run [read]", "word ".repeat(20));
        let shown = fitted(&format!("? coder wants\n{line}\n"), Some(60));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "? coder wants");
        assert!(lines.len() > 3, "{shown}");
        for line in &lines[2..] {
            assert!(line.starts_with("    ") && line.len() <= 60, "{shown}");
        }
        let words = |text: &str| -> Vec<String> {
            text.split(' ')
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(
            words(&lines[1..].join(" ")),
            words(&line),
            "no word is broken"
        );
        assert_eq!(fitted("a\nb\n", None), "a\nb\n");
        let tabs = format!("    | {}Runs in the sandbox.\n", "\t".repeat(40));
        for line in fitted(&tabs, Some(60)).lines() {
            assert!(line.starts_with("    ") && !line.contains('\t'), "{line}");
        }
    }
}
