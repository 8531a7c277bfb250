//! The planner by rules: orders become steps once the files are read that they need.

use super::stage::{Planned, Stop, call_tool, interrupted};
use crate::work::Work;
use disk::stored::as_stored;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::limits::PLAN_ACTIONS;
use domain::model::Reach;
use domain::plan::{Action, Plan};
use plan::by_rules::{self, ByRules, Unplanned};
use plan::{compile, longer};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use text::escape::{prose, visible_line};
use turn::Outcome;

/// Makes the plan of the rules, after the files are read that it needs.
pub(super) async fn plan(work: &Work, outcome: &mut Outcome) -> Result<Planned, Stop> {
    let text = &work.request.text;
    let mut known = Known::default();
    let planned = match by_rules::plan(text) {
        Ok(planned) => planned,
        Err(refused) => {
            let refused = without_folders(work, unplanned(refused)).await;
            return Err(answered(work, outcome, refused).await);
        }
    };
    let planned = match planned {
        ByRules::Several(orders) => {
            let mut actions = Vec::new();
            for order in orders {
                let planned = by_rules::plan(&order).map_err(unplanned)?;
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
    Ok(Planned {
        plan: planned,
        reach: Reach::Any,
    })
}

/// The answer to a question that no rule plans, where the file of settings that it names has it; else the
/// refusal.
async fn answered(work: &Work, outcome: &mut Outcome, refused: Stop) -> Stop {
    let text = &work.request.text;
    let is_question = matches!(&refused, Stop::Fault(_, fault) if fault.code == "plan.question");
    let Some(path) = by_rules::asks_of(text).filter(|_| is_question) else {
        return refused;
    };
    match read(work, outcome, &path).await {
        Ok(read) => match by_rules::answer(text, &path, &read.content) {
            Some(told) => Stop::Said(prose(&told)),
            None => refused,
        },
        Err(unread) => unread,
    }
}

/// A refusal that does not offer to change the text of a folder.
async fn without_folders(work: &Work, refused: Stop) -> Stop {
    let Stop::Fault(status, mut fault) = refused else {
        return refused;
    };
    for path in by_rules::offered_files(&work.request.text) {
        let place = as_stored(&work.request.profile.settings.workspace.join(&path));
        let found = tokio::fs::metadata(place).await;
        if found.is_ok_and(|found| found.is_dir()) {
            let folder = visible_line(&path);
            fault.hint =
                format!("`{folder}` is a folder: name a file in it, such as {folder}/notes.txt.");
            break;
        }
    }
    Stop::Fault(status, fault)
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
    let ready = match planned {
        ByRules::Plan(plan) => {
            names_no_longer(work, text, &plan).await?;
            let mut texts = BTreeMap::new();
            for path in by_rules::words_to_read(text, &plan) {
                let content = known.read(work, outcome, &path).await?.content;
                texts.insert(path, content);
            }
            let read = texts.clone();
            let ready = by_rules::of_whole_words(text, plan, texts);
            known.texts.extend(read);
            ready
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
            ready
        }
        // An order of several is one of them.
        ByRules::Several(_) => return Err(not_known(text)),
    };
    let ready = ready.map_err(unplanned)?;
    if let Some(note) = ready.note {
        work.emit(EventBody::Notice(note), None).await;
    }
    known.follow(&ready.plan);
    Ok(ready.plan)
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

fn unplanned(unplanned: Unplanned) -> Stop {
    match unplanned {
        Unplanned::Help(text) => Stop::Said(text),
        Unplanned::Refused(fault) => Stop::failed(fault),
    }
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
