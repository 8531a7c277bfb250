//! What has to be true after a story, over its events, its files, memory and what the page is given.

use crate::client::Seen;
use crate::record::{Check, Field, Remembered, Story, Wanted, Words};
use crate::report::Outcome;
use crate::stack::Stack;
use domain::event::Event;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use text::escape::visible_line;
use tokio::time::sleep;

/// How long memory may take to note what was said of an answer.
const NOTING_TIME: Duration = Duration::from_secs(10);
/// How often it is looked at meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Most characters of a text that a failure quotes.
const QUOTED_CHARS: usize = 200;

/// What is looked at after a story.
pub(crate) struct Ground<'a> {
    /// What it was run against.
    pub(crate) stack: &'a Stack,
    /// The ids of its sessions, by their names.
    pub(crate) ids: BTreeMap<&'a str, &'a str>,
}

/// What a story came to.
pub(crate) async fn outcome(
    story: &Story,
    ground: &Ground<'_>,
    logs: &[(String, Vec<Seen>)],
) -> Outcome {
    let (mut untrue, mut lacking) = (Vec::new(), None);
    for check in &story.then {
        let (line, check) = (check.referenced.line(), &check.value);
        let log = logs.iter().find(|(name, _)| name == check.session());
        let log = log.map_or(&[][..], |(_, log)| log);
        if let Some(wanted) = &check.only_if
            && !log.iter().any(|seen| is(wanted, seen))
        {
            continue;
        }
        let said = match check {
            Check {
                memory: Some(wanted),
                ..
            } => of_memory(check, wanted, ground).await,
            Check {
                page: Some(wanted), ..
            } => of_page(wanted, check.session(), ground).await,
            Check {
                folder: Some(_), ..
            } => of_folder(&ground.stack.work(), &story.given.files),
            _ => of_log(check, log).or_else(|| of_file(check, &ground.stack.work())),
        };
        match (said, &check.or_left_out) {
            (None, _) => {}
            (Some(_), Some(why)) => lacking = Some(why.clone()),
            (Some(said), None) => untrue.push(format!("line {line}: {}", visible_line(&said))),
        }
    }
    match lacking {
        // What fails for another reason as well is no matter of what is lacking.
        Some(why) if untrue.is_empty() => Outcome::LeftOut(why),
        _ if untrue.is_empty() => Outcome::Passed,
        _ => Outcome::Failed(untrue),
    }
}

/// What of a check over events is not true.
fn of_log(check: &Check, log: &[Seen]) -> Option<String> {
    if let Some(order) = &check.in_order {
        return of_order(order, log);
    }
    if let Some(wanted) = &check.event {
        let count = log.iter().filter(|seen| is(wanted, seen)).count();
        return of_count(check, count, &named(wanted));
    }
    if let Some(least) = check.at_once {
        let most = most_at_once(log);
        let said = format!("{most} agents are at work at the same time, and not {least} or more");
        return (most < least).then_some(said);
    }
    of_answer(check.answer.as_ref()?, log)
}

/// How many agents that another one started are at work at the same time, at most.
fn most_at_once(log: &[Seen]) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    for seen in log {
        match seen.name.as_str() {
            "agent.spawned" => now += 1,
            "agent.finished" => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

fn of_order(order: &[Wanted], log: &[Seen]) -> Option<String> {
    let mut left = log.iter();
    for (at, wanted) in order.iter().enumerate() {
        if !left.any(|seen| is(wanted, seen)) {
            let before = at.checked_sub(1).and_then(|before| order.get(before));
            let behind = before.map_or(String::new(), |it| format!(" behind {}", named(it)));
            return Some(format!("there is no {}{behind}", named(wanted)));
        }
    }
    None
}

fn of_count(check: &Check, count: usize, what: &str) -> Option<String> {
    let bounds = [
        check
            .count
            .map(|wanted| (count == wanted, format!("{wanted}"))),
        check
            .at_least
            .map(|least| (count >= least, format!("{least} or more"))),
        check
            .at_most
            .map(|most| (count <= most, format!("{most} at most"))),
    ];
    let mut bounds: Vec<_> = bounds.into_iter().flatten().collect();
    if bounds.is_empty() {
        bounds.push((count > 0, "1 or more".to_owned()));
    }
    let missed = bounds.into_iter().find(|(holds, _)| !holds);
    missed.map(|(_, wanted)| format!("of {what} there are {count}, and not {wanted}"))
}

fn of_answer(wanted: &Words, log: &[Seen]) -> Option<String> {
    let mut answers = log
        .iter()
        .rev()
        .filter(|seen| seen.name == "response.generation");
    let Some(answer) = answers.find_map(|seen| seen.value["answer"].as_str()) else {
        return Some("there is no answer".to_owned());
    };
    let said = answer.to_lowercase();
    let has = |word: &String| said.contains(&word.to_lowercase());
    let quoted = quoted(answer);
    if answer.trim().is_empty() {
        return Some("the answer is empty".to_owned());
    }
    if let Some(word) = wanted.has.iter().find(|word| !has(word)) {
        return Some(format!("the answer does not say `{word}`: {quoted}"));
    }
    if !wanted.has_one_of.is_empty() && !wanted.has_one_of.iter().any(has) {
        let words = wanted.has_one_of.join("`, `");
        return Some(format!("the answer says none of `{words}`: {quoted}"));
    }
    let word = wanted.has_not.iter().find(|word| has(word))?;
    Some(format!("the answer says `{word}`: {quoted}"))
}

fn quoted(text: &str) -> String {
    let mut cut: String = text.chars().take(QUOTED_CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("\"{cut}\"")
}

/// What of a check over a file is not true.
fn of_file(check: &Check, work: &Path) -> Option<String> {
    let name = check.file.as_ref()?;
    let path = work.join(name);
    let is_there = fs::symlink_metadata(&path).is_ok();
    match check.there {
        Some(false) if is_there => return Some(format!("{name} is there")),
        Some(false) => return None,
        _ if !is_there => return Some(format!("{name} is not there")),
        _ => {}
    }
    let text = match fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return Some(format!("{name} cannot be read: {error}")),
    };
    let lacks = check
        .has
        .as_ref()
        .is_some_and(|part| !text.contains(part.as_str()));
    let holds = check
        .has_not
        .as_ref()
        .is_some_and(|part| text.contains(part.as_str()));
    let differs = check.is.as_ref().is_some_and(|whole| *whole != text);
    (lacks || holds || differs).then(|| format!("{name} is otherwise: {}", quoted(&text)))
}

/// What of the folder is not as it was given.
fn of_folder(work: &Path, given: &BTreeMap<String, String>) -> Option<String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![work.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => return Some(format!("the folder cannot be read: {error}")),
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(work).unwrap_or(&path);
            let text = fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            found.insert(name.to_string_lossy().into_owned(), text);
        }
    }
    let gone = given.keys().find(|name| !found.contains_key(*name));
    let new = found.keys().find(|name| !given.contains_key(*name));
    let other = given
        .iter()
        .find(|(name, text)| found.get(*name) != Some(text));
    gone.map(|name| format!("{name} is gone"))
        .or(new.map(|name| format!("{name} is new")))
        .or(other.map(|(name, _)| format!("{name} was changed")))
}

/// What memory does not find; it may take a moment to note what was said.
async fn of_memory(check: &Check, wanted: &Remembered, ground: &Ground<'_>) -> Option<String> {
    let begun = Instant::now();
    loop {
        let said = match entries(wanted, ground).await {
            Ok(count) => of_count(
                check,
                count,
                &format!("what memory has on `{}`", wanted.about),
            ),
            Err(error) => Some(error),
        };
        if said.is_none() || begun.elapsed() > NOTING_TIME {
            return said;
        }
        sleep(LOOK_EVERY).await;
    }
}

/// How many entries are found that say what is wanted.
async fn entries(wanted: &Remembered, ground: &Ground<'_>) -> Result<usize, String> {
    let client = &ground.stack.client;
    let body = json!({"query": wanted.about});
    let found = client.post("/api/v1/memory/search", &body).await?;
    let mut ids: Vec<&str> = found["results"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["id"].as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let mut count = 0;
    for id in ids {
        let entry = client.get(&format!("/api/v1/memory/{id}")).await?;
        count += usize::from(fields(&wanted.fields, &entry));
    }
    Ok(count)
}

/// What the page does not get of a session, by the way in which it gets it.
async fn of_page(wanted: &Wanted, session: &str, ground: &Ground<'_>) -> Option<String> {
    let Some(id) = ground.ids.get(session) else {
        return Some(format!("there was no session `{session}`"));
    };
    let path = format!("/api/v1/sessions/{id}/history");
    let history = match ground.stack.client.get(&path).await {
        Ok(history) => history,
        Err(error) => return Some(error),
    };
    let events = history["events"].as_array().into_iter().flatten();
    let mut seen = events.filter_map(|value| {
        let event: Event = serde_json::from_value(value.clone()).ok()?;
        let (name, value) = (event.body.subject(), value.clone());
        Some(Seen { name, value })
    });
    let is_there = seen.any(|seen| is(wanted, &seen));
    (!is_there).then(|| format!("the page is given no {}", named(wanted)))
}

fn named(wanted: &Wanted) -> String {
    match wanted.fields() {
        Some(fields) if !fields.is_empty() => {
            let keys: Vec<&str> = fields.keys().map(String::as_str).collect();
            format!(
                "`{}` with the {} that is wanted",
                wanted.name(),
                keys.join(" and ")
            )
        }
        _ => format!("`{}`", wanted.name()),
    }
}

/// Whether an event is what is looked for.
fn is(wanted: &Wanted, seen: &Seen) -> bool {
    let name = wanted.name();
    let is_named = match name.strip_suffix('*') {
        Some(begin) => seen.name.starts_with(begin),
        None => seen.name == name,
    };
    is_named
        && wanted
            .fields()
            .is_none_or(|wanted| fields(wanted, &seen.value))
}

fn fields(wanted: &BTreeMap<String, Field>, value: &Value) -> bool {
    wanted.iter().all(|(path, field)| {
        let found = path
            .split('.')
            .fold(value, |value, key| match key.parse::<usize>() {
                Ok(at) if value.is_array() => &value[at],
                _ => &value[key],
            });
        match field {
            Field::Range(range) => found
                .as_i64()
                .is_some_and(|number| (range.from..=range.to).contains(&number)),
            Field::Has(part) => {
                let text = found
                    .as_str()
                    .map_or_else(|| found.to_string(), str::to_owned);
                !found.is_null() && text.to_lowercase().contains(&part.has.to_lowercase())
            }
            Field::Is(value) => found == value,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Story;

    fn log() -> Vec<Seen> {
        let event = |name: &str, value: Value| Seen {
            name: name.to_owned(),
            value,
        };
        vec![
            event("query.received", json!({"seq": 1, "text": "hello"})),
            event(
                "tool.request.read_file",
                json!({"arguments": {"path": "a.txt"}}),
            ),
            event("agent.spawned", json!({})),
            event("agent.spawned", json!({})),
            event("agent.finished", json!({})),
            event("agent.spawned", json!({})),
            event("critique.result", json!({"score": 4})),
            event("response.generation", json!({"answer": "It is Blue."})),
        ]
    }

    /// What is not true of a check, in YAML, over the log.
    fn said(check: &str) -> Option<String> {
        let text = format!("name: x\ntitle: y\nwhen:\n  - say: z\nthen:\n  - {check}\n");
        let story = Story::read("x.yaml", &text).unwrap();
        of_log(&story.then[0].value, &log())
    }

    #[test]
    fn what_is_true_of_events_is_told_from_what_is_not() {
        for (check, holds) in [
            ("event: critique.result", true),
            (
                "event: {event: critique.result, where: {score: {from: 1, to: 5}}}",
                true,
            ),
            (
                "event: {event: critique.result, where: {score: {from: 1, to: 3}}}",
                false,
            ),
            ("event: {event: critique.result, where: {score: 4}}", true),
            (
                "event: {event: critique.result, where: {score: \"4\"}}",
                false,
            ),
            (
                "event: {event: tool.request.*, where: {arguments.path: a.txt}}",
                true,
            ),
            (
                "event: {event: tool.request.*, where: {arguments.path: {has: A.T}}}",
                true,
            ),
            ("{event: tool.request.*, count: 0}", false),
            ("{event: tool.result.*, count: 0}", true),
            ("{event: critique.result, at_least: 2}", false),
            ("in_order: [query.received, critique.result]", true),
            ("in_order: [critique.result, query.received]", false),
            ("in_order: [query.received, query.received]", false),
            ("at_once: 2", true),
            ("at_once: 3", false),
            ("answer: {has: [blue]}", true),
            ("answer: {has: [red]}", false),
            ("answer: {has_not: [BLUE]}", false),
            ("answer: {has_one_of: [red, blue]}", true),
        ] {
            assert_eq!(said(check).is_none(), holds, "{check}: {:?}", said(check));
        }
    }

    #[test]
    fn a_folder_is_unchanged_only_with_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let given: BTreeMap<String, String> = [("a/b.txt".to_owned(), "x".to_owned())].into();
        let path = folder.path().join("a");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("b.txt"), "x").unwrap();
        assert_eq!(of_folder(folder.path(), &given), None);
        fs::write(path.join("c.txt"), "").unwrap();
        assert_eq!(of_folder(folder.path(), &given).unwrap(), "a/c.txt is new");
        fs::remove_file(path.join("c.txt")).unwrap();
        fs::write(path.join("b.txt"), "y").unwrap();
        assert_eq!(
            of_folder(folder.path(), &given).unwrap(),
            "a/b.txt was changed"
        );
        fs::remove_file(path.join("b.txt")).unwrap();
        assert_eq!(of_folder(folder.path(), &given).unwrap(), "a/b.txt is gone");
    }
}
