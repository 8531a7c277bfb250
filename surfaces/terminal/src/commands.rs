//! The commands that line mode and the terminal UI have in common: what each does.

use crate::conversation::{Conversation, events, last_answered, so_far};
use crate::exit::{Failure, OrFail};
use crate::new_file::write_new;
use crate::pictures;
use crate::second::second;
use crate::session_changes::lines_of;
use crate::session_commands::{ExportForm, renamed, renaming};
use crate::{sessions, taking_back};
use anyhow::Result;
use api::programs::{ProgramId, ProgramState, Programs};
use api::sessions::{FeedbackRequest, Follow, OpenRequest, PinChange, SessionSummary};
use domain::id::QueryId;
use rendering::messages::{Who, spoken};
use rendering::slash::{Jobs, Rating, Slash, stopped};
use rendering::transcript::{self, Extent};
use rendering::{Paint, agents, memory};
use std::io;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// Messages that `/pin` lists.
const LISTED: usize = 20;

/// What a command came to, beside what it told.
#[derive(Debug)]
pub enum Done {
    /// Nothing more.
    Told,
    /// This is to be asked again.
    Again(String),
    /// A copy of the session is open, and to be gone on in.
    Forked(Box<SessionSummary>),
    /// The command is none of these: whoever shows the conversation does it.
    NotHere(Slash),
}

/// Does what a command asks for.
///
/// # Errors
/// When it cannot be done; the conversation goes on.
pub async fn act(on: &mut dyn Conversation, slash: Slash) -> Result<Done> {
    match slash {
        Slash::Retry => return taking_back::retry(on).await.map(Done::Again),
        Slash::Undo(changed) => taking_back::undo(on, changed).await?,
        Slash::Rewind(exchanges) => taking_back::rewind_by(on, exchanges).await?,
        Slash::Diff => diff(on)?,
        Slash::Agents => list_agents(on).await?,
        Slash::Memory(question) => recall(on, question).await?,
        Slash::Rate(rating) => rate(on, rating).await?,
        Slash::Grade => grade(on).await?,
        Slash::Second(wanted) => second(on, wanted).await?,
        Slash::Pin(None) => list_messages(on).await?,
        Slash::Pin(Some((seq, change))) => pin(on, seq, change).await?,
        Slash::Fork(seq) => {
            let forked = fork(on, seq).await?;
            return Ok(Done::Forked(Box::new(forked)));
        }
        Slash::Rename(name) => {
            let id = on.session().session_id;
            renaming(on.host().sessions(), id, &name).await?;
            on.tell(&renamed(&name))?;
        }
        Slash::Export(file) => export(on, file).await?,
        Slash::Stop(None) => list_jobs(on).await?,
        Slash::Stop(Some(jobs)) => stop(on, &jobs).await?,
        other => return Ok(Done::NotHere(other)),
    }
    Ok(Done::Told)
}

/// Shows what the session changed in files and did not take back.
fn diff(on: &mut dyn Conversation) -> Result<()> {
    let folder = on.profile().settings.workspace.clone();
    let changes = on.changes().changes(on.session().session_id, &folder)?;
    if changes.is_empty() {
        return on.tell("this session changed no file, or took it all back");
    }
    for said in changes.iter().flat_map(|change| change.said()) {
        on.tell(&said)?;
    }
    let paint = Paint::for_stream(&io::stderr());
    // Not broken at words: a line of a file stands behind its sign as it is.
    on.tell_as_it_is(&lines_of(&changes, paint))
}

async fn list_agents(on: &mut dyn Conversation) -> Result<()> {
    let types = on.host().list_agents().await?;
    let view = so_far(on).await?;
    let paint = Paint::for_stream(&io::stderr());
    let tree = agents::tree(view.agents(), paint);
    let own = paint.strong(on.profile().agent_type.as_str());
    let below = match tree.is_empty() {
        true => "  has started no other agent\n".to_owned(),
        false => tree,
    };
    let types = agents::types(&types);
    on.tell(format!("{types}\n{own} (this session's)\n{below}").trim_end())
}

async fn recall(on: &mut dyn Conversation, question: String) -> Result<()> {
    let text = match question.as_str() {
        "" => memory::stats(&on.host().memory_stats().await?, false)?,
        question => {
            let (_, recalls) = on.host().recall(question).await?;
            let paint = Paint::for_stream(&io::stderr());
            match recalls.is_empty() {
                true => "nothing is remembered about that".to_owned(),
                false => memory::results(&recalls, paint),
            }
        }
    };
    on.tell(text.trim_end())
}

/// Has the last answer graded. The grade comes when the judge is done, and nobody waits for it.
async fn grade(on: &mut dyn Conversation) -> Result<()> {
    let graded = last_answered(on, "grade").await?;
    let asking = on.host().sessions();
    let asking = asking.ask_grade(on.session().session_id, graded.query_id);
    asking.await.or_fail()?;
    let which = which(on, graded.query_id).await?;
    let about = agents::gist(&graded.text);
    on.tell(&format!("to be graded: {about}{which}"))
}

/// Which answer to a request is meant where a second one stands in the place of the first, perhaps taken over in
/// another window.
async fn which(on: &dyn Conversation, query_id: QueryId) -> Result<String> {
    let view = so_far(on).await?;
    let taken = view.second(query_id).filter(|second| second.is_taken);
    let answer = taken.and_then(|second| second.answer.as_ref());
    Ok(answer.map_or_else(String::new, |answer| {
        let model = visible_line(&answer.model.to_string());
        format!(" (the second answer, by {model})")
    }))
}

async fn rate(on: &mut dyn Conversation, rating: Rating) -> Result<()> {
    let rated = last_answered(on, "rate").await?;
    let request = FeedbackRequest {
        session_id: on.session().session_id,
        query_id: rated.query_id,
        score: rating.score,
        note: rating.note,
    };
    on.host().sessions().feedback(request).await.or_fail()?;
    let about = agents::gist(&rated.text);
    let which = which(on, rated.query_id).await?;
    on.tell(&format!("rated {:+}: {about}{which}", rating.score))
}

async fn list_messages(on: &mut dyn Conversation) -> Result<()> {
    let events = events(on).await?;
    let all = spoken(&events);
    if all.is_empty() {
        return on.tell("nothing has been said yet");
    }
    let mut text = String::new();
    for (index, message) in all.iter().enumerate() {
        let is_old = index + LISTED < all.len();
        if is_old && !message.is_pinned {
            continue;
        }
        let who = match message.who {
            Who::User => "you",
            Who::Agent => "agent",
        };
        let mark = if message.is_pinned { "pinned" } else { "" };
        let seq = format!("#{}", message.seq);
        let said: String = agents::gist(message.text).chars().take(55).collect();
        text.push_str(format!("{seq:>6} {who:5} {mark:6} {said}").trim_end());
        text.push('\n');
    }
    text.push_str("/pin N keeps one in view for good, /pin -N no longer");
    on.tell(&text)
}

/// Tells which jobs run, and how one is stopped.
async fn list_jobs(on: &mut dyn Conversation) -> Result<()> {
    let id = on.session().session_id;
    let programs = on.host().sessions().programs(id, Programs::All).await;
    let programs = programs.or_fail()?.into_iter();
    let running = programs.filter_map(|one| match (&one.id, &one.state) {
        (ProgramId::Job(name), ProgramState::Running) => Some(format!(
            "{}: $ {}",
            visible_line(name),
            visible_line(&one.command)
        )),
        _ => None,
    });
    let mut lines: Vec<String> = running.collect();
    if lines.is_empty() {
        return on.tell("no job runs");
    }
    lines.push("/stop NAME stops one, /stop all all of them".to_owned());
    on.tell(&lines.join("\n"))
}

async fn stop(on: &mut dyn Conversation, jobs: &Jobs) -> Result<()> {
    let id = on.session().session_id;
    let name = match jobs {
        Jobs::All => None,
        Jobs::One(name) => Some(name.clone()),
    };
    let names = on.host().sessions().stop_jobs(id, name).await.or_fail()?;
    on.tell(&stopped(jobs, &names))
}

async fn pin(on: &mut dyn Conversation, seq: u64, change: PinChange) -> Result<()> {
    let id = on.session().session_id;
    on.host().sessions().pin(id, seq, change).await.or_fail()?;
    on.tell(&match change {
        PinChange::Pin => format!("message #{seq} is pinned"),
        PinChange::Unpin => format!("message #{seq} is not pinned"),
    })
}

async fn export(on: &mut dyn Conversation, file: Option<PathBuf>) -> Result<()> {
    let id = on.session().session_id;
    let id = id.to_string();
    let end = id.get(id.len().saturating_sub(12)..).unwrap_or(&id);
    let file = file.unwrap_or_else(|| PathBuf::from(format!("carl-{end}.md")));
    if file.to_string_lossy().starts_with('-') {
        let what = format!(
            "{} would be a file whose name reads like a flag",
            visible_line(&file.to_string_lossy())
        );
        return Err(
            Failure::usage(what, "Type /export NAME.md, or ./-NAME.md if you mean it.").into(),
        );
    }
    let file = pictures::placed(&file.to_string_lossy(), on.workspace());
    let text = exported(on, &file).await?;
    write_new(&file, &text, "/export NAME.md")?;
    let shown = visible_line(&file.display().to_string());
    on.tell(&format!("written to {shown}"))
}

/// The session as a document, or as events where the name asks for them.
async fn exported(on: &dyn Conversation, file: &Path) -> Result<String> {
    let (all, id) = (on.host().sessions(), on.session().session_id);
    if ExportForm::of(file) == ExportForm::Json {
        return sessions::as_json(&sessions::events_of(all, id, Follow::ToEnd).await?);
    }
    if !ExportForm::Markdown.fits(file) {
        let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
        let ending = visible_line(&ending.to_string_lossy());
        return Err(Failure::usage(
            format!("a session is written as Markdown or as JSON, and not as {ending}"),
            "Type /export NAME.md, or /export NAME.json for the events.",
        )
        .into());
    }
    let events = sessions::events_of_document(all, id).await?;
    Ok(transcript::markdown(&events, Extent::Whole))
}
/// The copy, opened by this conversation's profile.
async fn fork(on: &dyn Conversation, seq: u64) -> Result<SessionSummary> {
    let id = on.session().session_id;
    let sessions = on.host().sessions();
    let at = sessions::fork_point(sessions, id, seq).await?;
    let forked = sessions.fork(id, at).await.or_fail()?;
    let opening = OpenRequest::Resume {
        session_id: forked.session_id,
        profile: Some(on.profile().clone()),
    };
    sessions.open(opening).await.or_fail()
}
