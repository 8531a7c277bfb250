//! The lines that may answer a question, in the place of what a tiny model would say of them.
//!
//! Such a model contradicts the line that it was shown as often as not, so nobody reads its words about files:
//! the lines stand alone, with file and number, the likeliest first.

use crate::rules::in_file::rows_told;
use crate::rules::words::number;
use crate::shown::{self, Shown};
use crate::turned::{self, Turned};
use crate::{extract, project, prompt};
use domain::fault::Fault;
use regex::Regex;
use std::sync::LazyLock;
use text::escape::visible_line;

/// What stands above the lines.
const LINES: &str = "These lines may say it (by rules, no model):";
/// What stands above the beginning of a text that is asked about as a whole.
const WHOLE: &str = "The question is about all of this, and I only tell single lines (by rules, no model). It begins:";
/// What stands above what is no text of a file.
const LISTED: &str =
    "I answer that from no text of a file (by rules, no model). This is what I looked at:";
/// Most places of which lines are told.
const PLACES: usize = 4;
/// Most files that are named beside them.
const NAMED: usize = 8;
/// Most lines of a text that is told from its beginning.
const FIRST_LINES: usize = 5;
/// Most lines of what is no text of a file.
const LISTED_LINES: usize = 20;

/// Most lines that are told of the file that says what a project is.
const README_LINES: usize = 10;

/// What is told of a question without looking for lines: what rules answer, and how the file begins that says what
/// a project is.
#[must_use]
pub fn by_rules(shown: &[Shown], question: &str) -> Option<String> {
    let told = shown::by_rules(shown, question).or_else(|| of_project(shown, question));
    told.or_else(|| not_compared(shown, question))
}

/// A date or a time of day on one side of which something is to be.
static BY_TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:before|after|since|until|by|from|between|later than|earlier than|newer than|older than|past)",
        r" (?:the )?(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2} ?[ap]\.?m)\b",
    ))
    .ok()
});

/// What is told of a question that compares times which no rule compared: a line that has its other words may lie on
/// the other side. `None` where it compares none, or a line says the same.
fn untimed(quotes: &[(String, String)], question: &str) -> Option<String> {
    let said = BY_TIME.as_ref()?.find(question)?.as_str().to_lowercase();
    let mut lines = quotes.iter().flat_map(|(_, lines)| lines.lines());
    if lines.any(|line| line.to_lowercase().contains(&said)) {
        return None;
    }
    let file = quotes.first().filter(|_| quotes.len() == 1);
    let file = file.map_or("FILE", |(place, _)| place.as_str());
    Some(format!(
        "The question compares times (`{said}`), and lines that have its other words may lie on the other side, so \
         that none is told (by rules, no model). Lines of a log are told by the time of day (`show the lines with \
         WORD after 20:00 in {file}`), and rows of a table by a column of dates (`whose COLUMN is before 2027-01-01 \
         in FILE.csv?`)."
    ))
}

/// What is told of a comparison of numbers in a table that no rule made: its lines are none of an answer.
fn not_compared(shown: &[Shown], question: &str) -> Option<String> {
    let mut texts = shown.iter().flat_map(|step| &step.whole);
    let (place, text) = texts
        .find(|(place, _)| is_table(place))
        .filter(|_| rows_told::compares(question))?;
    let head = text.lines().find(|line| !line.trim().is_empty())?;
    Some(format!(
        "What of {place} that compares is not clear to me (by rules, no model). Its columns are `{}`: name one that \
         has numbers, as in `which rows of {place} have AGE over 40?`.",
        head.trim()
    ))
}

/// How the file begins that says what a project is.
fn of_project(shown: &[Shown], question: &str) -> Option<String> {
    let texts = shown.iter().flat_map(|step| &step.contents);
    let texts: Vec<(String, String)> = texts.cloned().collect();
    let places: Vec<String> = texts.iter().map(|(place, _)| place.clone()).collect();
    let place = project::readme(&places, question)?;
    let (_, text) = texts.iter().find(|(known, _)| known == place)?;
    let mut told = format!("So {place} begins (by rules, no model):\n\nFrom {place}:");
    for line in first(text, README_LINES) {
        told.push_str(&format!("\n  {}", numbered(shown, place, &line)));
    }
    Some(told)
}

/// What is told of a question whose lines these are, by their places.
#[must_use]
pub fn lines(shown: &[Shown], quotes: &[(String, String)], question: &str) -> String {
    let question = &without_names(question, quotes);
    if let Some(told) = untimed(quotes, question) {
        return told;
    }
    let turned = Turned::of(question);
    let kept = turned.as_ref().map(|_| that_turn(quotes));
    if let (Some(turned), Some([])) = (&turned, kept.as_deref()) {
        let only = quotes.first().filter(|_| quotes.len() == 1);
        return turned::untold(turned, only.map(|(place, _)| place.as_str()));
    }
    let mut quotes: Vec<&(String, String)> = kept.as_deref().unwrap_or(quotes).iter().collect();
    let said = |(_, lines): &&(String, String)| {
        let said = lines
            .lines()
            .map(|line| prompt::shared(line, question))
            .max();
        std::cmp::Reverse(said.unwrap_or_default())
    };
    quotes.sort_by_key(said);
    let left_out = quotes.len().saturating_sub(PLACES);
    let mut told = LINES.to_owned();
    for (place, lines) in quotes.iter().take(PLACES) {
        told.push_str(&format!("\n\nFrom {place}:"));
        for line in lines.lines() {
            told.push_str(&format!("\n  {}", numbered(shown, place, line)));
        }
        match more_of(shown, (place, lines), question) {
            0 => {}
            1 => told.push_str("\n  … and 1 more line that has as many words of the question"),
            more => told.push_str(&format!(
                "\n  … and {more} more lines that have as many words of the question"
            )),
        }
    }
    let others = quotes.iter().skip(PLACES).take(NAMED);
    let others: Vec<String> = others
        .map(|(place, _)| visible_line(place).to_string())
        .collect();
    let others = others.join(", ");
    let rest = match left_out.saturating_sub(NAMED) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    match left_out {
        0 => {}
        1 => told.push_str(&format!(
            "\n\n(1 more file has words of the question: {others})"
        )),
        more => told.push_str(&format!(
            "\n\n({more} more files have words of the question: {others}{rest})"
        )),
    }
    told
}

/// The lines that turn something round themselves, of texts: all others may say the contrary of a question that does.
/// In a row of a table a `no` is of its column.
fn that_turn(quotes: &[(String, String)]) -> Vec<(String, String)> {
    let kept = quotes.iter().filter(|(place, _)| !is_table(place));
    let kept = kept.map(|(place, lines)| {
        let lines = lines.lines().filter(|line| turned::is_in(line));
        (place.clone(), lines.collect::<Vec<&str>>().join("\n"))
    });
    kept.filter(|(_, lines)| !lines.is_empty()).collect()
}

fn is_table(place: &str) -> bool {
    place.ends_with(".csv") || place.ends_with(".tsv")
}

/// What is said of a question for a number whose lines give none: a script cannot see that from lines.
#[must_use]
pub fn not_counted(shown: &[Shown], quotes: &[(String, String)], question: &str) -> Option<Fault> {
    static COUNTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:(?:please|and|und|y|carl|tell me),? )*(?:how (?:many|often)|count\b|(?:what is )?the number of|wie ?viele|wie oft|cuánt[oa]s)",
        )
        .ok()
    });
    if !COUNTS.as_ref()?.is_match(question.trim()) {
        return None;
    }
    let bare = without_names(question, quotes);
    let has_more = quotes
        .iter()
        .any(|(place, lines)| more_of(shown, (place, lines), &bare) > 0);
    let is_number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.starts_with(|c: char| c.is_ascii_digit()) || number(&word.to_lowercase()).is_some()
    };
    let mut lines = quotes.iter().flat_map(|(_, lines)| lines.lines());
    let says_one = lines.any(|line| line.split_whitespace().any(is_number));
    let is_said = says_one && !has_more && quotes.len() <= PLACES;
    let file = quotes.first().map_or("FILE", |(place, _)| place.as_str());
    let file = visible_line(file);
    (!is_said).then(|| Fault {
        code: "plan.not_understood".to_owned(),
        message: "What this counts is not clear to me, and lines are no number. Nothing was counted."
            .to_owned(),
        hint: format!(
            "Such as `how many lines in {file} have \"WORD\"?`, `how often does \"WORD\" occur in {file}?`, \
             `how many words does {file} have?`."
        ),
    })
}

/// A question without the names of the files whose lines these are: a line that has a word of such a name is no
/// nearer to the answer.
fn without_names(question: &str, quotes: &[(String, String)]) -> String {
    let mut said = question.to_owned();
    for (place, _) in quotes {
        let name = place.rsplit('/').next().unwrap_or(place);
        for name in [place.as_str(), name] {
            said = said.replace(name, " ");
        }
    }
    said
}

/// How many more lines of a place have as many words of a question as one of those that are told.
fn more_of(shown: &[Shown], (place, told): (&str, &str), question: &str) -> usize {
    let told: Vec<&str> = told.lines().map(str::trim).collect();
    let least = told.iter().map(|line| prompt::shared(line, question));
    let least = least.filter(|shared| *shared > 0).min().unwrap_or(1);
    let texts = shown::merged(shown).into_iter();
    let texts = texts.filter(|(known, _)| known == place);
    let count = |text: &str| {
        let lines = text.lines().map(str::trim);
        let others = lines.filter(|line| !told.contains(line));
        others
            .filter(|line| prompt::shared(line, question) >= least)
            .count()
    };
    texts.map(|(_, text)| count(&text)).sum()
}

/// A line behind its number, where that is known and it stands in one place alone.
fn numbered(shown: &[Shown], place: &str, line: &str) -> String {
    let known = shown.iter().flat_map(|step| &step.numbers);
    let mut known = known.filter(|one| one.place == place && one.line == line.trim());
    let first = known.next().map(|one| one.number);
    match first.filter(|first| known.all(|one| one.number == *first)) {
        Some(number) => format!("{number}: {line}"),
        None => line.to_owned(),
    }
}

/// What is told of a question about all that was looked at: of texts their headings and first sentences, or how
/// they begin; of folders the list. `None` where nothing was looked at.
#[must_use]
pub fn of_all(shown: &[Shown], texts: &[(String, String)], question: &str) -> Option<String> {
    if texts.is_empty() {
        let seen: Vec<&str> = shown.iter().map(|step| step.text.as_str()).collect();
        let seen = first(&seen.join("\n"), LISTED_LINES);
        return (!seen.is_empty()).then(|| format!("{LISTED}\n  {}", seen.join("\n  ")));
    }
    if extract::is_wanted(question)
        && let Some(told) = extract::summary(texts)
    {
        return Some(told);
    }
    let mut told = WHOLE.to_owned();
    for (place, text) in texts.iter().take(PLACES) {
        told.push_str(&format!("\n\nFrom {place}:"));
        for line in first(text, FIRST_LINES) {
            told.push_str(&format!("\n  {}", numbered(shown, place, &line)));
        }
    }
    Some(told)
}

/// The first lines of a text that say something, and a sign where it goes on.
fn first(text: &str, most: usize) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut lines: Vec<String> = lines.take(most + 1).map(str::to_owned).collect();
    if lines.len() > most {
        lines.truncate(most);
        lines.push("…".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::plan::Action;
    use serde_json::json;

    fn read(path: &str, content: &str) -> Shown {
        let action = Action::ReadFile {
            path: path.to_owned(),
        };
        let data = json!({"path": path, "content": content, "from_line": 1, "truncated": false});
        Shown::of(&action, &[data])
    }

    #[test]
    fn lines_that_are_left_out_are_counted() {
        let text: String = (0..7).map(|n| format!("{n} the sail is red\n")).collect();
        let shown = [read("a.txt", &text)];
        let told = "0 the sail is red\n1 the sail is red".to_owned();
        let told = lines(&shown, &[("a.txt".to_owned(), told)], "is the sail red?");
        assert!(told.ends_with("… and 5 more lines that have as many words of the question"));
    }

    #[test]
    fn a_number_that_no_line_says_is_refused() {
        let text = "Failed root from 1.2.3.4\nFailed ann from 1.2.3.5\nwe invited 40 guests\nok\n";
        let shown = [read("a.log", text)];
        let asked = |line: &str, question: &str| {
            let quotes = [("a.log".to_owned(), line.to_owned())];
            not_counted(&shown, &quotes, question)
        };
        let failed = "Failed root from 1.2.3.4";
        let fault = asked(failed, "how many failed logins in a.log").unwrap();
        assert!(
            fault.hint.contains("how many lines in a.log have"),
            "{fault:?}"
        );
        assert!(asked("ok", "how often was it ok?").is_some());
        for (line, question) in [
            ("we invited 40 guests", "how many guests are invited?"),
            (failed, "who failed in a.log?"),
            ("ok", "is it ok?"),
        ] {
            assert_eq!(asked(line, question), None, "{question}");
        }
    }

    #[test]
    fn words_of_a_files_name_count_for_no_line() {
        let shown = [read("app.ini", "; photo app\nttl = 600\nfile = app.log\n")];
        let quotes = [("app.ini".to_owned(), "ttl = 600".to_owned())];
        let told = lines(&shown, &quotes, "what is the ttl in app.ini?");
        assert!(told.ends_with("2: ttl = 600"), "{told}");
    }

    #[test]
    fn lines_that_may_say_the_contrary_are_not_told() {
        let shown = [read("a.txt", "the sail is red\nthe mast is not red\n")];
        let told = |line: &str| {
            let quotes = [("a.txt".to_owned(), line.to_owned())];
            lines(&shown, &quotes, "what is not red in a.txt?")
        };
        let none = told("the sail is red");
        assert!(
            none.contains("(`not red in`)") && none.contains("without \"red\" in a.txt`"),
            "{none}"
        );
        assert!(!none.contains("sail"), "{none}");
        let some = told("the sail is red\nthe mast is not red");
        assert!(some.contains("mast") && !some.contains("sail"), "{some}");
        // The control: a question that turns nothing round.
        let quotes = [("a.txt".to_owned(), "the sail is red".to_owned())];
        assert!(lines(&shown, &quotes, "what is red in a.txt?").contains("sail"));
    }

    #[test]
    fn no_line_of_the_other_side_of_a_time_is_told() {
        let shown = [read(
            "a.txt",
            "2026-01-01T08:00 disk full\nafter 20:00 the gate is shut\n",
        )];
        let told = |line: &str, question: &str| {
            let quotes = [("a.txt".to_owned(), line.to_owned())];
            lines(&shown, &quotes, question)
        };
        let disk = "2026-01-01T08:00 disk full";
        let none = told(disk, "was the disk full after 20:00 in a.txt?");
        assert!(
            none.contains("(`after 20:00`)") && !none.contains("08:00"),
            "{none}"
        );
        let gate = "after 20:00 the gate is shut";
        assert!(told(gate, "is the gate shut after 20:00?").contains("gate"));
        assert!(told(disk, "was the disk full?").contains("08:00"));
    }

    #[test]
    fn lines_have_their_numbers_and_the_likeliest_place_is_first() {
        let shown = [
            read("a.txt", "one\n  the sail is red\n"),
            read("b.txt", "the red sail is torn\nx\nx\n"),
        ];
        let quotes = [
            ("a.txt".to_owned(), "the sail is red".to_owned()),
            ("b.txt".to_owned(), "the red sail is torn\nx".to_owned()),
        ];
        let told = lines(&shown, &quotes, "is the red sail torn?");
        let wanted =
            "\n\nFrom b.txt:\n  1: the red sail is torn\n  x\n\nFrom a.txt:\n  2: the sail is red";
        assert_eq!(told, format!("{LINES}{wanted}"));
        let many: Vec<(String, String)> = (0..6)
            .map(|at| (format!("{at}.txt"), "x".to_owned()))
            .collect();
        let told = lines(&shown, &many, "is the red sail torn?");
        assert!(
            told.ends_with("(2 more files have words of the question: 4.txt, 5.txt)"),
            "{told}"
        );
    }

    #[test]
    fn a_project_is_told_by_how_its_readme_begins() {
        let text = format!("# Tea\n\n{}", "A pot.\n".repeat(12));
        let told = of_project(&[read("README.md", &text)], "what does this project do?").unwrap();
        assert!(
            told.contains("\n  1: # Tea\n  A pot.") && told.ends_with('…'),
            "{told}"
        );
    }

    #[test]
    fn a_question_of_all_of_a_text_is_told_how_it_begins() {
        let shown = [read("n.md", "one\ntwo\n")];
        let texts = crate::shown::merged(&shown);
        let told = of_all(&shown, &texts, "explain n.md").unwrap();
        assert_eq!(told, format!("{WHOLE}\n\nFrom n.md:\n  1: one\n  2: two"));
        let listed = Shown {
            text: "a.txt\nb.txt".to_owned(),
            ..Shown::default()
        };
        let told = of_all(&[listed], &[], "what files are these?").unwrap();
        assert_eq!(told, format!("{LISTED}\n  a.txt\n  b.txt"));
        assert_eq!(of_all(&[], &[], "who are you?"), None);
    }
}
