//! How good answers are: a grade as it comes, and what all of them come to.

use crate::Paint;
use crate::agents::gist;
use domain::event::{Event, EventBody};
use domain::fault::Fault;
use domain::quality::{JudgeMeasure, LOW_GRADE, Observation, Winner, Worth};
use quality::{
    Agreement, AttackMeasure, Group, Interval, Measured, OwnAnswers, Pairing, Preferred, Ratings,
    Report, moved, raised,
};
use session::{Second, SessionView};
use std::cmp::Ordering;
use text::escape::{visible_line, visible_lines};

/// Signs for how many answers have each of the grades 1 to 5, in eighths of the most.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The grade of an answer that is neither good nor bad.
const MIDDLING: u8 = 3;
/// Longest name of a model in the table, columns.
const NAME_COLUMNS: usize = 30;

/// What can be done about a low grade of the last answer; `None` for other grades and answers.
#[must_use]
pub fn offer(view: &SessionView, event: &Event) -> Option<&'static str> {
    let is_low = matches!(event.body, EventBody::Critique { score, .. } if score <= LOW_GRADE);
    let last = view.exchanges().last_of_user().filter(|_| is_low)?;
    (event.query_id == Some(last.query_id))
        .then_some("/retry asks again; /b has it answered once more beside this answer")
}

/// The line for a grade, or for why there is none; `None` for every other event.
#[must_use]
pub fn found(body: &EventBody) -> Option<String> {
    match body {
        EventBody::Critique {
            score,
            feedback,
            judge,
            rubric,
        } => Some(format!(
            "{} by {} ({}): {}",
            graded(*score),
            visible_line(&judge.to_string()),
            visible_line(rubric),
            visible_line(feedback)
        )),
        EventBody::NotGraded(fault) => Some(missed("not graded", fault)),
        EventBody::SecondAnswered { .. } => {
            second_by(body).map(|told| format!("{told}; /b shows it"))
        }
        EventBody::SecondTaken { .. } => Some(TAKEN.to_owned()),
        EventBody::SecondMissed(fault) => Some(missed("second answer", fault)),
        EventBody::Pairwise {
            winner,
            feedback,
            judge,
        } => Some(format!(
            "{}, says {} in both orders: {}",
            better(*winner),
            visible_line(&judge.to_string()),
            visible_line(feedback)
        )),
        _ => None,
    }
}

/// What is told of an answer while others may have come since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Of which answer, where it is not the last.
    about: String,
    text: String,
    /// The grade that the text begins with.
    score: Option<u8>,
}

impl News {
    /// One line, faint but for the grade: red for a low one, green for a high one.
    #[must_use]
    pub fn line(&self, paint: Paint) -> String {
        let head = self.score.map_or_else(String::new, graded);
        let rest = self.text.strip_prefix(&head).unwrap_or(&self.text);
        let head = match self.score {
            Some(score) if score <= LOW_GRADE => paint.bad(&head),
            Some(score) if score > MIDDLING => paint.good(&head),
            _ => paint.warn(&head),
        };
        match self.score {
            Some(_) => format!(
                "{}{head}{}",
                paint.faint(&format!("· {}", self.about)),
                paint.faint(rest)
            ),
            None => paint.faint(&format!("· {}{rest}", self.about)),
        }
    }
}

/// The same for who sees the session: an answer that is not the last one is named, and of one that was taken
/// back nothing is told.
#[must_use]
pub fn news(view: &SessionView, event: &Event) -> Option<News> {
    let text = found(&event.body)?;
    let exchanges = view.exchanges();
    let about = exchanges.find(event.query_id?)?;
    let last = exchanges.last_of_user();
    let score = match &event.body {
        EventBody::Critique { score, .. } => Some(*score),
        _ => None,
    };
    let is_last = last.is_some_and(|last| last.query_id == about.query_id);
    Some(match is_last {
        true => News {
            about: String::new(),
            text,
            score,
        },
        false => News {
            about: format!("of `{}`: ", gist(&about.text)),
            // `/b` is of the last one.
            text: second_by(&event.body).unwrap_or(text),
            score,
        },
    })
}

fn graded(score: u8) -> String {
    format!("graded {score} of 5")
}

/// Whose a second answer is.
fn second_by(body: &EventBody) -> Option<String> {
    match body {
        EventBody::SecondAnswered { model, .. } => {
            let model = visible_line(&model.to_string());
            Some(format!("second answer by {model}"))
        }
        _ => None,
    }
}

fn missed(what: &str, fault: &Fault) -> String {
    let told = format!("{what}: {}", visible_line(&fault.message));
    match fault.hint.as_str() {
        "" => told,
        hint => format!("{told} ({})", visible_line(hint)),
    }
}

/// Where a second answer stands that was taken over.
pub const TAKEN: &str = "taken over: it stands in the place of the first answer from here on";

/// Which of two answers is better, in words.
#[must_use]
pub const fn better(winner: Winner) -> &'static str {
    match winner {
        Winner::A => "the first answer is better",
        Winner::B => "the second answer is better",
        Winner::Tie => "both answers are as good",
    }
}

/// A second answer as it is shown, with what was found of it.
#[must_use]
pub fn second(second: &Second) -> String {
    let mut lines = Vec::new();
    if let Some(answer) = &second.answer {
        let by = visible_line(&answer.model.to_string());
        let temperature = answer.temperature;
        lines.push(format!(
            "second answer by {by} (temperature {temperature}):"
        ));
        lines.push(String::new());
        lines.push(visible_lines(answer.text.trim()));
        lines.push(String::new());
    }
    if let Some((winner, feedback)) = &second.compared {
        let why = visible_line(feedback);
        lines.push(format!("the judge: {}: {why}", better(*winner)));
    }
    if let Some(fault) = &second.missed {
        let what = match second.answer {
            Some(_) => "not compared",
            None => "no second answer",
        };
        lines.push(missed(what, fault));
    }
    if second.is_waited_for() {
        lines.push(match second.answer {
            Some(_) => "the judge compares both".to_owned(),
            None => "a model works on the second answer".to_owned(),
        });
    }
    if let Some(winner) = second.rated {
        lines.push(format!("you: {}", better(winner)));
    }
    if second.is_taken {
        lines.push(TAKEN.to_owned());
    }
    lines.join("\n")
}

/// What grades and ratings come to: first what a judge's word is worth, then the answers by model and
/// by kind of task.
#[must_use]
pub fn report(report: &Report, paint: Paint) -> String {
    let mut lines: Vec<String> = report.agreement.iter().map(agreement).collect();
    lines.extend(report.unmeasured.iter().map(|judge| {
        let judge = visible_line(&judge.to_string());
        format!(
            "Judge {judge}: no answer has both its grade and your rating, so\n\
             nothing says how far it can be trusted. /rate in a chat rates the last answer."
        )
    }));
    lines.extend(report.own.iter().map(own_answers));
    if !lines.is_empty() {
        lines.push(String::new());
    }
    let tables = [("Model", &report.by_model), ("Task", &report.by_kind)];
    for (title, groups) in tables.iter().filter(|(_, groups)| !groups.is_empty()) {
        let head = row([title, "answers", "1 to 5", "grade", "rated"].map(str::to_owned));
        lines.push(paint.strong(&head));
        lines.extend(groups.iter().map(cells).map(row));
        lines.push(String::new());
    }
    if !report.by_model.is_empty() {
        lines.push(
            "The bars are how many answers have each grade; in brackets is the range of their"
                .into(),
        );
        lines.push("mean (95 %). You rated answers + good, ~ neither, - bad.".into());
    }
    if !report.pairings.is_empty() {
        lines.push(paint.strong("Second answers"));
        lines.extend(report.pairings.iter().flat_map(pairing));
    }
    lines.join("\n") + "\n"
}

/// How often a judge found its own answers better than those of others, and the user did of the same.
fn own_answers(own: &OwnAnswers) -> String {
    let judge = visible_line(&own.judge.to_string());
    let of = |who: &str, preferred: Preferred| {
        let all = preferred.own + preferred.other;
        let share = preferred.share();
        share.map(|share| {
            format!(
                "\n  {who} in {} of {all}, {}",
                preferred.own,
                percent(Some(share))
            )
        })
    };
    let judged = of("it says so", own.judged).unwrap_or_default();
    let chosen = of("you say so", own.chosen).unwrap_or_default();
    format!("Judge {judge}: its own answers are better than another model's{judged}{chosen}")
}

fn pairing(pairing: &Pairing) -> Vec<String> {
    let first = pairing.first.as_ref();
    let first = first.map_or_else(|| "rules".to_owned(), ToString::to_string);
    let second = visible_line(&pairing.second.to_string());
    let mut lines = vec![format!("{second} in the place of {}", visible_line(&first))];
    for (who, wins) in [("judge", pairing.judged), ("you", pairing.chosen)] {
        let of = wins.first + wins.second;
        if of + wins.ties == 0 {
            continue;
        }
        let share = match wins.second_share() {
            Some(Interval { low, high, .. }) => {
                format!(" ({:.0} to {:.0} %)", low * 100.0, high * 100.0)
            }
            None => String::new(),
        };
        let second = wins.second;
        let ties = wins.ties;
        lines.push(format!(
            "  {who}: better in {second} of {of}{share}, ties {ties}"
        ));
    }
    lines
}

/// A share with its interval.
fn percent(share: Option<Interval>) -> String {
    match share {
        Some(Interval { value, low, high }) => format!(
            "{:.0} % ({:.0} to {:.0} %)",
            value * 100.0,
            low * 100.0,
            high * 100.0
        ),
        None => "nothing".to_owned(),
    }
}

/// What texts that ask for a good grade did to a judge's grades.
#[must_use]
pub fn attacked(kept: &AttackMeasure) -> String {
    let judge = visible_line(&kept.judge.to_string());
    let day = kept.time.strftime("%Y-%m-%d");
    let mean = moved(kept).map_or_else(
        || "nothing".to_owned(),
        |Interval { value, low, high }| format!("{value:+.1} ({low:+.1} to {high:+.1})"),
    );
    let mut lines = vec![
        format!(
            "Judge {judge}, attacked in {} wrong answers ({day}):",
            kept.moves.len() + kept.unread
        ),
        format!("  a better grade for {}", percent(raised(kept))),
        format!("  grades moved by {mean} in the mean"),
    ];
    if kept.unread > 0 {
        lines.push(format!(
            "  gave no grade that can be read for {}",
            kept.unread
        ));
    }
    lines.join("\n") + "\n"
}

/// How a judge did on pairs of which one answer is known to be right.
#[must_use]
pub fn measured(kept: &JudgeMeasure) -> String {
    let measured = Measured::from(kept);
    let judge = visible_line(&kept.judge.to_string());
    let day = kept.time.strftime("%Y-%m-%d");
    let pairs = match kept.pairs + kept.unread {
        1 => "1 pair".to_owned(),
        count => format!("{count} pairs"),
    };
    let mut lines = vec![format!("Judge {judge}, measured on {pairs} ({day}):")];
    let [longer, shorter] = measured.by_length();
    // Where it chose nothing of a kind there is no share of it.
    for (share, before, behind) in [
        (measured.consistent(), "says the same in both orders of", ""),
        (
            measured.accuracy(),
            "and is then right in",
            ", ties left out",
        ),
        (
            measured.first_share(),
            "prefers what stands first in",
            " of its choices",
        ),
        (longer, "is right in", " where that is the longer answer"),
        (shorter, "is right in", " where that is the shorter answer"),
        (
            measured.repeated(),
            "says the same when it is asked again in",
            "",
        ),
    ] {
        if share.is_some() {
            lines.push(format!("  {before} {}{behind}", percent(share)));
        }
    }
    if kept.ties > 0 {
        lines.push(format!(
            "  finds neither answer better in {} of {}, of which one is right",
            kept.ties, kept.pairs
        ));
    }
    if kept.unread > 0 {
        lines.push(format!(
            "  gave no choice that can be read for {}",
            kept.unread
        ));
    }
    if measured.is_biased() {
        lines.push(
            "  It goes by the place of an answer; where it says another thing in the other\n  order, its word does not count."
                .to_owned(),
        );
    }
    let preferred = match measured.prefers() {
        Ordering::Greater => Some("long"),
        Ordering::Less => Some("short"),
        Ordering::Equal => None,
    };
    lines.extend(preferred.map(|which| format!("  It prefers {which} answers.")));
    lines.join("\n") + "\n"
}

fn agreement(agreement: &Agreement) -> String {
    let Agreement {
        judge,
        answers,
        alike,
        kappa,
    } = agreement;
    let kappa = match kappa {
        Some(kappa) => format!("; weighted kappa {kappa:.2}"),
        None => String::new(),
    };
    format!(
        "Judge {} says what you say in {:.0} % of {answers} answers\n({:.0} to {:.0} %{kappa}).",
        visible_line(&judge.to_string()),
        alike.value * 100.0,
        alike.low * 100.0,
        alike.high * 100.0,
    )
}

fn cells(group: &Group) -> [String; 5] {
    let (bars, grade) = match &group.grades {
        Some(grades) => (bars(grades.counts), mean(grades.mean)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let answers = group.answers.to_string();
    [
        visible_line(&group.name),
        answers,
        bars,
        grade,
        ratings(group.ratings),
    ]
}

fn row([name, answers, bars, grade, ratings]: [String; 5]) -> String {
    let name: String = match name.chars().count() {
        long if long > NAME_COLUMNS => {
            let start: String = name.chars().take(NAME_COLUMNS - 1).collect();
            format!("{start}…")
        }
        _ => name,
    };
    let line = format!("{name:<NAME_COLUMNS$}  {answers:>7}  {bars:<6}  {grade:<16}  {ratings}");
    line.trim_end().to_owned()
}

fn mean(mean: Interval) -> String {
    let Interval { value, low, high } = mean;
    format!("{value:.1} ({low:.1} to {high:.1})")
}

fn bars(counts: [usize; 5]) -> String {
    let most = counts.into_iter().max().unwrap_or(0).max(1);
    let bar = |count: usize| match count {
        0 => ' ',
        count => BARS[(count * BARS.len()).div_ceil(most) - 1],
    };
    counts.into_iter().map(bar).collect()
}

fn ratings(ratings: Ratings) -> String {
    let told = [
        ('+', ratings.good),
        ('~', ratings.neutral),
        ('-', ratings.bad),
    ];
    let told = told.iter().filter(|(_, count)| *count > 0);
    let told: Vec<String> = told.map(|(sign, count)| format!("{sign}{count}")).collect();
    told.join(" ")
}

/// Names of the columns of [`columns`].
pub const COLUMNS: [&str; 13] = [
    "time",
    "session_id",
    "seq",
    "query_id",
    "model",
    "kind",
    "by",
    "score",
    "judge",
    "rubric",
    "second",
    "winner",
    "is_second",
];

/// An observation as a row of a table.
#[must_use]
pub fn columns(one: &Observation) -> [String; 13] {
    let (by, score, judge, rubric) = match &one.worth {
        Worth::Judge {
            score,
            judge,
            rubric,
        } => (
            "judge",
            score.to_string(),
            judge.to_string(),
            rubric.clone(),
        ),
        Worth::User { score } => ("user", score.to_string(), String::new(), String::new()),
        Worth::Compared { judge, .. } => ("judge", String::new(), judge.to_string(), String::new()),
        Worth::Chosen { .. } => ("user", String::new(), String::new(), String::new()),
    };
    let (second, winner) = match &one.worth {
        Worth::Compared { second, winner, .. } | Worth::Chosen { second, winner } => {
            (second.to_string(), winner.as_str().to_owned())
        }
        Worth::Judge { .. } | Worth::User { .. } => Default::default(),
    };
    let model = one.model.as_ref();
    [
        one.time.to_string(),
        one.session_id.to_string(),
        one.seq.to_string(),
        one.query_id.to_string(),
        model.map_or_else(String::new, ToString::to_string),
        one.kind.to_string(),
        by.to_owned(),
        score,
        judge,
        rubric,
        second,
        winner,
        one.is_second.to_string(),
    ]
}
