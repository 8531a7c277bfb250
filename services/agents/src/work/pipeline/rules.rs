//! The planner by rules: orders become steps once the files are read that they need.

use super::stage::{Planned, Stop, call_tool, interrupted};
use super::{elsewhere, having};
use crate::work::Work;
use disk::stored::as_stored;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::{Coded, Fault};
use domain::limits::PLAN_ACTIONS;
use domain::model::Reach;
use domain::plan::{Action, Plan};
use plan::by_rules::{self, ByRules, FileState, Files, Need, Ready, Unplanned};
use plan::compile::Call;
use plan::rules::without_file;
use plan::{compile, endings, forgetting, longer, many, names, orders, outlined};
use protected::Protected;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use text::escape::{prose, visible_line};
use turn::Outcome;

/// Makes the plan of the rules, after the files are read that it needs.
pub(super) async fn plan(work: &Work, outcome: &mut Outcome) -> Result<Planned, Stop> {
    let quoted = with_quotes(work).await?;
    let text = quoted.as_ref().unwrap_or(&work.request.text);
    let mut known = Known::default();
    let planned = match by_rules::plan(text) {
        Ok(planned) => planned,
        Err(refused) => {
            if let Some(told) = forgetting(work, outcome, text).await {
                return Err(told);
            }
            if let Some(told) = outlined(work, outcome, text).await {
                return Err(told);
            }
            if let Some(fault) = not_here(work, text).await {
                return Err(Stop::failed(fault));
            }
            let refused = refusing(work, outcome, refused, &known).await;
            return Err(answered(work, outcome, refused).await);
        }
    };
    let planned = match planned {
        ByRules::Several(orders) => {
            let mut actions = Vec::new();
            for order in orders {
                let planned = match by_rules::plan(&order) {
                    Ok(planned) => planned,
                    Err(refused) => return Err(refusing(work, outcome, refused, &known).await),
                };
                let one = one(work, outcome, (&order, planned), &mut known).await?;
                actions.extend(one.actions);
            }
            if actions.len() > PLAN_ACTIONS {
                return Err(too_many(actions.len()));
            }
            Plan {
                intent: by_rules::intent(text),
                actions,
            }
        }
        planned => one(work, outcome, (text, planned), &mut known).await?,
    };
    Ok(Planned::new(planned, Reach::Any))
}

/// Why an order on several files is not done where one of them is not here by the name that it has.
async fn not_here(work: &Work, text: &str) -> Option<Fault> {
    match orders::acts(text) {
        true => endings::unknown(&elsewhere::all_files(work).await, text),
        false => None,
    }
}

/// What is said to an order to forget: which memories are about it, each with the command that removes it.
/// `None` where it is no such order, or memory cannot be asked.
async fn forgetting(work: &Work, outcome: &mut Outcome, order: &str) -> Option<Stop> {
    let subject = forgetting::subject(order)?;
    let recall = Action::Recall {
        query: subject.clone(),
    };
    let mut found = serde_json::Value::Null;
    for call in compile::action(&recall) {
        let result = call_tool(work, outcome, &call, None).await.result;
        match result.status {
            CallStatus::Ok => found = result.data,
            CallStatus::Cancelled => return Some(interrupted()),
            CallStatus::Denied | CallStatus::Failed => return None,
        }
    }
    Some(Stop::failed(forgetting::told(&subject, &found)))
}

/// What a source file defines, where that is asked; `None` of any other request.
async fn outlined(work: &Work, outcome: &mut Outcome, question: &str) -> Option<Stop> {
    let asked = outlined::asked(question)?;
    if found(work, &asked.path).await.is_none() {
        match elsewhere::files_called(work, &asked.path).await.as_slice() {
            [] => {}
            [only] => return Some(misspelt(question, &asked.path, only)),
            several => return Some(elsewhere::which(&asked.path, several)),
        }
    }
    let call = Call {
        tool: outlined::TOOL,
        arguments: json!({ "path": asked.path }),
    };
    let record = call_tool(work, outcome, &call, None).await;
    let (status, code) = match record.result.status {
        CallStatus::Ok => {
            // Whether a function is a test may stand above it.
            let text = match asked.kind {
                outlined::Kind::Tests => match read(work, outcome, &asked.path).await {
                    Ok(read) => read.content,
                    Err(unread) => return Some(unread),
                },
                _ => String::new(),
            };
            let told = outlined::told(&asked, &record.result.data, &text);
            return Some(Stop::Said(prose(&told)));
        }
        CallStatus::Cancelled => return Some(interrupted()),
        CallStatus::Denied => (QueryStatus::Denied, "plan.step_refused"),
        CallStatus::Failed => (QueryStatus::Failed, "plan.step_failed"),
    };
    let path = visible_line(&asked.path);
    let message = format!(
        "{path} was not outlined: {} Nothing was done.",
        record.plain()
    );
    Some(Stop::Fault(
        status,
        Fault {
            code: code.to_owned(),
            message,
            hint: String::new(),
        },
    ))
}

/// The answer to a question that no rule plans, where the files that it names have it; else the refusal.
async fn answered(work: &Work, outcome: &mut Outcome, refused: Stop) -> Stop {
    let text = &work.request.text;
    // A question in another language is none that is known as one.
    let unread = ["plan.question", "plan.not_understood"];
    let is_question =
        matches!(&refused, Stop::Fault(_, fault) if unread.contains(&fault.code.as_str()));
    if !is_question {
        return refused;
    }
    let mut asked_of = by_rules::asks_of(text);
    if asked_of.is_empty() {
        let listing = elsewhere::all_files(work).await;
        asked_of = by_rules::asks_of_folder(text, &listing);
    }
    let mut texts = Vec::new();
    for path in asked_of {
        match read(work, outcome, &path).await {
            Ok(read) => texts.push((path, read.content)),
            Err(unread) => return unread,
        }
    }
    match by_rules::answer(text, &texts) {
        Some(told) => Stop::Said(prose(&told)),
        None => refused,
    }
}

/// What files have in them before the next order, as far as it was read or follows from the orders before.
#[derive(Default)]
struct Known {
    texts: BTreeMap<String, String>,
    /// What orders before changed.
    changed: BTreeSet<String>,
}

impl Known {
    fn follow(&mut self, plan: &Plan) {
        for action in &plan.actions {
            by_rules::follow(&mut self.texts, action);
            self.changed.extend(compile::changed(action));
        }
    }

    /// The files as the orders before leave them, as far as that is known.
    fn files(&self) -> Files {
        let texts = self.texts.iter();
        texts
            .map(|(path, text)| (path.clone(), FileState::Text(text.clone())))
            .collect()
    }

    /// The text of a file, which is read where no order before changed it.
    async fn read(&self, work: &Work, outcome: &mut Outcome, path: &str) -> Result<Read, Stop> {
        match (self.texts.get(path), self.changed.contains(path)) {
            (Some(text), true) => Ok(Read {
                content: text.clone(),
                total_bytes: text.len() as u64,
            }),
            (None, true) => Err(not_known(path)),
            (_, false) => read(work, outcome, path).await,
        }
    }
}

/// The plan of one order.
async fn one(
    work: &Work,
    outcome: &mut Outcome,
    (text, planned): (&str, ByRules),
    known: &mut Known,
) -> Result<Plan, Stop> {
    let planned = made_where_absent(work, planned, known).await;
    is_there_to_list(work, text, &planned).await?;
    is_spelt(work, outcome, (text, &planned), known).await?;
    let judged = match &planned {
        ByRules::AfterReading(asked, _) => Some(asked.path.clone()),
        ByRules::Plan(_) | ByRules::Several(_) => None,
    };
    let ready = match planned {
        ByRules::Plan(plan) => {
            names_no_longer(work, text, &plan).await?;
            let mut texts = BTreeMap::new();
            for path in by_rules::words_to_read(text, &plan) {
                let content = known.read(work, outcome, &path).await?.content;
                texts.insert(path, content);
            }
            if let Some(path) = by_rules::list_to_read(text, &plan)
                && found(work, &path).await.is_some()
                && let Ok(read) = known.read(work, outcome, &path).await
            {
                texts.insert(path, read.content);
            }
            known.texts.extend(texts.clone());
            by_rules::of_whole_words(text, plan, texts)
        }
        ByRules::AfterReading(asked, literal) => {
            if let Some(plan) = &literal {
                names_no_longer(work, text, plan).await?;
            }
            let read = known.read(work, outcome, &asked.path).await;
            let read = read.map_err(|stop| match asked.without_it() {
                Some(other) => stop.with_hint(other),
                None => stop,
            })?;
            if asked.is_copy() && !read.is_copied_as_it_is() {
                return Err(no_exact_copy(&asked.path));
            }
            let ready = by_rules::after_reading(text, &asked, literal, &read.content);
            known.texts.insert(asked.path.clone(), read.content);
            match ready {
                Ok(ready) => Ok(with_gap(work, outcome, ready, known).await),
                refused => refused,
            }
        }
        // An order of several is one of them.
        ByRules::Several(_) => return Err(not_known(text)),
    };
    let ready = match ready {
        Ok(ready) => ready,
        Err(refused) => return Err(refusing(work, outcome, refused, known).await),
    };
    stays_sound(work, outcome, (&ready.plan, judged.as_deref()), known).await?;
    known.follow(&ready.plan);
    if let Some(note) = ready.note {
        let told = by_rules::told(note, &known.files());
        work.emit(EventBody::Notice(told), None).await;
    }
    Ok(ready.plan)
}

/// What is ready, with an empty line before the paragraphs that it adds to a file that is there.
async fn with_gap(work: &Work, outcome: &mut Outcome, ready: Ready, known: &Known) -> Ready {
    let Some(path) = by_rules::gap_to_read(&ready.plan) else {
        return ready;
    };
    if found(work, &path).await.is_none() {
        return ready;
    }
    // What cannot be read is added to as it is.
    let Ok(read) = known.read(work, outcome, &path).await else {
        return ready;
    };
    let texts = BTreeMap::from([(path, read.content)]);
    Ready {
        plan: by_rules::with_gap(ready.plan, &texts),
        ..ready
    }
}

/// Stops where a file that a plan changes, and that has a format, would not stay sound: what is added to one is
/// read first. A file that is not there has nothing to be spoiled, and the one that was judged is left out.
async fn stays_sound(
    work: &Work,
    outcome: &mut Outcome,
    (plan, judged): (&Plan, Option<&str>),
    known: &mut Known,
) -> Result<(), Stop> {
    let mut texts = BTreeMap::new();
    for path in by_rules::formats_to_read(plan) {
        if judged == Some(path.as_str()) || found(work, &path).await.is_none() {
            continue;
        }
        let content = known.read(work, outcome, &path).await?.content;
        known.texts.insert(path.clone(), content.clone());
        texts.insert(path, content);
    }
    match by_rules::stays_sound(plan, &texts) {
        Ok(()) => Ok(()),
        Err(refused) => Err(refusing(work, outcome, refused, known).await),
    }
}

/// The request with quotes around a name with spaces of a file that is here, where the rules understand it so
/// alone.
///
/// # Errors
/// Where a part of that name is one of a file that is here too.
async fn with_quotes(work: &Work) -> Result<Option<String>, Stop> {
    let text = &work.request.text;
    if by_rules::understands(text) {
        return Ok(None);
    }
    let listing = elsewhere::files_here(work).await;
    let quoted = names::in_quotes(&listing, text).filter(|quoted| by_rules::understands(quoted));
    match names::ambiguous(&listing, text).filter(|_| quoted.is_some()) {
        Some(fault) => Err(Stop::failed(fault)),
        None => Ok(quoted),
    }
}

/// The plan that makes a file, of an order that puts a text at its top where it is there: `start a.md with "x"`.
async fn made_where_absent(work: &Work, planned: ByRules, known: &Known) -> ByRules {
    match planned {
        ByRules::AfterReading(asked, Some(literal))
            if by_rules::makes(&literal, &asked.path)
                && !known.changed.contains(&asked.path)
                && found(work, &asked.path).await.is_none() =>
        {
            ByRules::Plan(literal)
        }
        planned => planned,
    }
}

/// Stops where a mere word would be listed as a folder and is none: `show the history`, `list the sessions`.
async fn is_there_to_list(work: &Work, text: &str, planned: &ByRules) -> Result<(), Stop> {
    let ByRules::Plan(plan) = planned else {
        return Ok(());
    };
    let [Action::ListFiles { path }] = plan.actions.as_slice() else {
        return Ok(());
    };
    if found(work, path).await.is_some() {
        return Ok(());
    }
    if path.contains(['/', '.', '~']) {
        let folders = elsewhere::folders_of(&elsewhere::all_files(work).await);
        let near = names::nearest(
            folders.iter().map(String::as_str),
            path.trim_end_matches('/'),
        );
        return near.map_or(Ok(()), |near| Err(misspelt(text, path, near)));
    }
    match elsewhere::files_called(work, path).await.as_slice() {
        [] => Err(Stop::failed(by_rules::nothing_called(path))),
        [only] => Err(misspelt(text, path, only)),
        several => Err(elsewhere::which(path, several)),
    }
}

/// Stops where an order names a file that is not there and one of nearly that name is.
async fn is_spelt(
    work: &Work,
    outcome: &mut Outcome,
    (text, planned): (&str, &ByRules),
    known: &Known,
) -> Result<(), Stop> {
    let needed: BTreeSet<String> = by_rules::must_be_there(planned).into_iter().collect();
    for path in needed {
        if known.texts.contains_key(&path)
            || known.changed.contains(&path)
            || found(work, &path).await.is_some()
        {
            continue;
        }
        if let Some(near) = near_file(work, outcome, &path).await? {
            return Err(misspelt(text, &path, &near));
        }
        match elsewhere::files_called(work, &path).await.as_slice() {
            [] => {}
            [only] => return Err(misspelt(text, &path, only)),
            several => return Err(elsewhere::which(&path, several)),
        }
    }
    Ok(())
}

/// The only file beside one that is not there of which that may be the misspelt name. The folder is listed as
/// `list` lists it, through the broker and on record.
async fn near_file(work: &Work, outcome: &mut Outcome, path: &str) -> Result<Option<String>, Stop> {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let is_outside = path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..");
    let is_folder = found(work, folder)
        .await
        .is_some_and(|found| found.is_dir());
    if is_outside || !is_folder {
        return Ok(None);
    }
    let listing = Action::ListFiles {
        path: folder.to_owned(),
    };
    let mut names_there: Vec<String> = Vec::new();
    for call in compile::action(&listing) {
        let result = call_tool(work, outcome, &call, None).await.result;
        match result.status {
            CallStatus::Ok => {}
            CallStatus::Cancelled => return Err(interrupted()),
            CallStatus::Denied | CallStatus::Failed => return Ok(None),
        }
        let entries = result.data["entries"].as_array().into_iter().flatten();
        let files = entries.filter(|entry| entry["kind"] == "file");
        let names = files.filter_map(|entry| entry["name"].as_str());
        names_there.extend(names.map(str::to_owned));
    }
    let near = names::nearest(names_there.iter().map(String::as_str), name);
    Ok(near.map(|near| match folder {
        "." => near.to_owned(),
        folder => format!("{folder}/{near}"),
    }))
}

fn misspelt(text: &str, path: &str, near: &str) -> Stop {
    let order = text.replacen(path, near, 1);
    let (path, near) = (visible_line(path), visible_line(near));
    let is_known = by_rules::understands(&order) || outlined::asked(&order).is_some();
    let hint = match is_known && !order.contains(['\n', '\r']) {
        true => format!("Try: {}", visible_line(&order)),
        false => String::new(),
    };
    Stop::failed(Fault {
        code: "plan.step_failed".to_owned(),
        message: format!("There is no {path}. Did you mean {near}? Nothing was done."),
        hint,
    })
}

/// What is there under a name that an order has. Looked up without a call: a name that the user typed is no
/// reading, and marks no session.
pub(super) async fn found(work: &Work, path: &str) -> Option<std::fs::Metadata> {
    let place = as_stored(&work.request.profile.settings.workspace.join(path));
    tokio::fs::metadata(place).await.ok()
}

/// Whether no tool may change what an order names, whoever says yes.
fn is_protected(work: &Work, path: &str) -> bool {
    let place = work.request.profile.settings.workspace.join(path);
    Protected::default().against_write(&place).is_some()
}

/// The refusal with the orders that it offers, each proven on copies of the files that it names.
async fn refusing(work: &Work, outcome: &mut Outcome, refused: Unplanned, known: &Known) -> Stop {
    let refusal = match refused {
        Unplanned::Help(text) => return Stop::Said(text),
        Unplanned::Invalid(fault) => return Stop::failed(fault),
        Unplanned::Refused(refusal) => by_rules::of_given_texts(*refusal, &work.request.text),
    };
    let text = &work.request.text;
    let refusal = match many::moves(text) {
        true => many::with_each(refusal, text, &elsewhere::all_files(work).await),
        false => refusal,
    };
    let wanted = without_file::wanted(text);
    let refusal = match &wanted {
        Some(wanted) => {
            let files = having::files(work, outcome, wanted).await;
            wanted.tried(refusal, &files)
        }
        None => refusal,
    };
    // Where one order is refused none is done: what is offered is of the files as they are.
    let mut files = known.files();
    files.retain(|path, _| !known.changed.contains(path));
    for (path, need) in by_rules::needs(&refusal) {
        if files.contains_key(&path) {
            continue;
        }
        let is_outside = path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..");
        let state = match found(work, &path).await {
            _ if is_protected(work, &path) => FileState::Closed,
            None => FileState::Absent,
            Some(found) if found.is_dir() => FileState::Folder,
            Some(_) if need == Need::Presence => FileState::Present,
            // What is asked about before it is read is not read to show an order.
            Some(_) if is_outside => FileState::Closed,
            Some(_) => match read(work, outcome, &path).await {
                Ok(read) => FileState::Text(read.content),
                Err(_unread) => FileState::Closed,
            },
        };
        files.insert(path, state);
    }
    let refusal = by_rules::proven(refusal, &files);
    Stop::failed(match wanted {
        Some(wanted) => wanted.offered(refusal, by_rules::understands).fault(),
        None => refusal.fault(),
    })
}

fn not_known(path: &str) -> Stop {
    let path = visible_line(path);
    Stop::failed(Fault {
        code: "plan.ambiguous".to_owned(),
        message: format!(
            "What {path} says is not known before the other orders are done. Nothing was done."
        ),
        hint: "Give one order at a time.".to_owned(),
    })
}

fn too_many(steps: usize) -> Stop {
    Stop::failed(Fault {
        code: "plan.request_size".to_owned(),
        message: format!(
            "The request has {steps} steps; one plan has at most {PLAN_ACTIONS}. Nothing was done."
        ),
        hint: "Give one order at a time.".to_owned(),
    })
}

/// Stops where a longer name than the one that the rules read is that of a file.
async fn names_no_longer(work: &Work, text: &str, plan: &Plan) -> Result<(), Stop> {
    for longer in longer::names(text, plan) {
        let path = as_stored(&work.request.profile.settings.workspace.join(&longer.whole));
        // Looked up without a call: a name that the user typed is no reading, and marks no session.
        let found = tokio::fs::symlink_metadata(path).await;
        if !found.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(Stop::failed(longer.fault()));
        }
    }
    Ok(())
}

/// A file as it was read, whole and through the broker like any other.
struct Read {
    content: String,
    /// Its size, bytes: more or less than the content has where it is in another encoding.
    total_bytes: u64,
}

impl Read {
    /// Whether a text that is written from it has the same bytes: what is written is UTF-8, and its last
    /// line has an end.
    fn is_copied_as_it_is(&self) -> bool {
        let is_whole = self.content.is_empty() || self.content.ends_with('\n');
        is_whole && self.content.len() as u64 == self.total_bytes
    }
}

/// What is said of a copy that would not be one.
fn no_exact_copy(path: &str) -> Stop {
    let path = visible_line(path);
    Stop::failed(Fault {
        code: "plan.other_encoding".to_owned(),
        message: format!(
            "{path} is not plain UTF-8 with an end to its last line, as what I write is: the copy would have \
             other bytes. Nothing was done."
        ),
        hint: "Copy it with a program, such as `cp`.".to_owned(),
    })
}

/// The whole text of a file.
pub(super) async fn read_text(
    work: &Work,
    outcome: &mut Outcome,
    path: &str,
) -> Result<String, Stop> {
    read(work, outcome, path).await.map(|read| read.content)
}

async fn read(work: &Work, outcome: &mut Outcome, path: &str) -> Result<Read, Stop> {
    let reading = Action::ReadFile {
        path: path.to_owned(),
    };
    let mut content = String::new();
    let mut total_bytes = 0;
    for call in compile::action(&reading) {
        let record = call_tool(work, outcome, &call, None).await;
        let (status, code) = match record.result.status {
            CallStatus::Ok => {
                let data = &record.result.data;
                content.push_str(data["content"].as_str().unwrap_or_default());
                total_bytes = data["total_bytes"].as_u64().unwrap_or_default();
                if data["truncated"] != true {
                    continue;
                }
                (QueryStatus::Failed, "plan.too_long")
            }
            CallStatus::Cancelled => return Err(interrupted()),
            CallStatus::Denied => (QueryStatus::Denied, "plan.step_refused"),
            CallStatus::Failed => (QueryStatus::Failed, "plan.step_failed"),
        };
        let path = visible_line(path);
        let message = match code {
            "plan.too_long" => format!("{path} is too long to be read whole. Nothing was done."),
            _ => format!("{path} was not read: {} Nothing was done.", record.plain()),
        };
        return Err(Stop::Fault(
            status,
            Fault {
                code: code.to_owned(),
                message,
                hint: String::new(),
            },
        ));
    }
    Ok(Read {
        content,
        total_bytes,
    })
}
