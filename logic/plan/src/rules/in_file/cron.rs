//! Jobs of a table of cron by the day of the week: `which jobs run on mondays in crontab.txt?`.

use super::lines::Lines;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Days by their names, as cron counts them.
const DAYS: [&str; 7] = [
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
];
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:which|what)(?: (?:cron ?)?(?:jobs?|tasks?|lines?|entries|commands?|scripts?))?|(?:show|list)(?: me)?(?: all)?(?: the)? (?:cron ?)?(?:jobs|tasks|lines|entries|commands|scripts)(?: that| which)?)",
        r" (?:(?:is|are) )?(?:run|runs|running|scheduled|start|starts|started|happens?|planned)(?: to run)? (?:on|every|each) (?:a )?(?P<day>sun|mon|tues|wednes|thurs|fri|satur)days?",
        r"(?: (?:in|of|from)(?: (?:the )?(?:file )?\S+)?)?[ ?.!]*$",
    ))
});
static JOB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?P<at>@\w+)|[\d*/,-]+\s+[\d*/,-]+\s+(?P<date>[\d*/,-]+)\s+[\w*/,-]+\s+(?P<day>[\w*/,-]+))\s+\S",
    )
});

/// The day that a question is for.
fn day_asked(question: &str) -> Option<usize> {
    let found = ASKS.as_ref()?.captures(question.trim())?;
    let day = format!("{}day", found["day"].to_lowercase());
    DAYS.iter().position(|name| *name == day)
}

/// Whether a question may be one for jobs by the day, of such a table.
pub(super) fn may_tell(question: &str, path: &str) -> bool {
    path.to_lowercase().contains("cron") && day_asked(question).is_some()
}

/// Whether a field of days of the week has a day; `None` where it is none that is known here.
fn has_day(field: &str, day: usize) -> Option<bool> {
    let number = |text: &str| {
        let lower = text.to_lowercase();
        let by_name = DAYS.iter().position(|name| name[..3] == lower);
        by_name.or_else(|| lower.parse().ok().filter(|at| *at <= 7))
    };
    let mut is_in = false;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let step: usize = step.parse().ok().filter(|step| *step > 0)?;
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (0, 6),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, number(range)?),
        };
        let mut days = (first..=last).step_by(step);
        is_in = is_in || days.any(|one| one % 7 == day);
    }
    Some(is_in)
}

/// Whether a job runs on each day of the week of this name; `None` where the line is no job that is known here.
fn runs_on(line: &str, day: usize) -> Option<bool> {
    let found = JOB.as_ref()?.captures(line)?;
    if let Some(at) = found.name("at") {
        return match at.as_str() {
            "@daily" | "@midnight" | "@hourly" => Some(true),
            "@weekly" => Some(day == 0),
            _ => None,
        };
    }
    let (date, field) = (&found["date"], &found["day"]);
    match (date, field) {
        // A job of a day of the month runs on one day of the week or another.
        ("*", field) => has_day(field, day),
        (_, "*") => None,
        // Cron runs what has both on either.
        (_, field) => has_day(field, day).filter(|is| *is),
    }
}

/// The jobs of a table that run on a day; `None` where another thing is asked.
pub(super) fn told(question: &str, lines: &Lines<'_>) -> Option<String> {
    if !may_tell(question, lines.path) {
        return None;
    }
    let day = day_asked(question)?;
    let all = lines.text.lines().map(str::trim).filter(|line| {
        let is_set = line
            .split_whitespace()
            .next()
            .is_some_and(|word| word.contains('='));
        !line.is_empty() && !line.starts_with('#') && !is_set
    });
    let unclear = all.filter(|line| runs_on(line, day).is_none()).count();
    let mut name = DAYS[day].to_owned();
    name[..1].make_ascii_uppercase();
    let left = match unclear {
        0 => String::new(),
        1 => ", and of 1 line it is not clear".to_owned(),
        count => format!(", and of {count} lines it is not clear"),
    };
    let has = |line: &str| !line.trim_start().starts_with('#') && runs_on(line, day) == Some(true);
    Some(lines.told_lines(has, &format!("a job that runs on each {name}{left}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_told_by_their_day() {
        for (line, runs) in [
            ("30 4 * * 1 certbot renew", Some(true)),
            ("0 3 * * * backup", Some(true)),
            ("0 3 * * mon-fri backup", Some(true)),
            ("0 3 * * 0,6 backup", Some(false)),
            ("0 3 * * */2 backup", Some(false)),
            ("0 3 * * 5-7 backup", Some(false)),
            ("0 3 1 * * backup", None),
            ("0 3 1 * 1 backup", Some(true)),
            ("@daily backup", Some(true)),
            ("@reboot backup", None),
            ("MAILTO=a@b.c", None),
        ] {
            assert_eq!(runs_on(line, 1), runs, "{line}");
        }
        let text = "MAILTO=a\n# 0 3 * * 1 old\n0 3 * * * backup\n30 4 * * 1 certbot renew\n5 5 * * 2 x\n0 3 1 * * m\n";
        let path = "crontab.txt";
        let lines = Lines { path, text };
        let told = told("which jobs run on mondays in crontab.txt?", &lines).unwrap();
        assert!(
            told.starts_with("2 lines of crontab.txt have a job that runs on each Monday, and of 1 line it is not clear"),
            "{told}"
        );
        assert!(told.contains("certbot") && told.contains("3: 0 3") && !told.contains("old"));
        assert!(day_asked("which jobs run on mondays after 3 am in crontab.txt?").is_none());
    }
}
