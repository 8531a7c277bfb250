//! `carl run`: one task, then exit with what came of it.

mod again;
mod request;
mod source;
mod view;

pub use request::{RunForm, RunRequest, attendance};
pub use source::TaskSource;
pub use view::print_failure;

use crate::exit::{Exit, Failure, OrFail, describe, not_opened};
use crate::host::Host;
use crate::mentions::{self, Named};
use crate::notes::ask_about;
use crate::request::{Asker, Meanwhile, View, follow, work_on};
use crate::signals::Signals;
use crate::{sessions, undo};
use anyhow::Result;
use api::sessions::{ErrorKind, Follow, Input, OpenRequest, RewindTo, SendRequest, Sessions};
use domain::drive::Origin;
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{HolderId, SessionId};
use domain::settings::{Mode, SessionProfile};
use futures::StreamExt;
use rendering::override_warning;
use rendering::summary::RunSummary;
use session::SessionView;
use std::io;
use view::RunView;

/// Most processes that are tried one after the other because each ends before it is asked.
const HOSTS: u32 = 16;

/// Runs the task. Whoever serves may end before it is asked; then the task is begun elsewhere.
///
/// # Errors
/// When it could not begin, or nobody can be asked about it.
pub async fn run(host: &mut dyn Host, request: RunRequest) -> Result<Exit> {
    ask_about(host, &request.profile.profile).await?;
    let mut hosts = 1;
    loop {
        let task = Task {
            profile: request.profile.profile.clone(),
            request: request.clone(),
        };
        let worked = match task.begin(host).await {
            Ok(begun) if hosts == HOSTS || !host.is_gone().await => begun.work_in(host).await,
            Err(error) if hosts == HOSTS || !host.is_gone().await => Err(error),
            Ok(_) | Err(_) => Ok(None),
        };
        match worked? {
            Some(exit) => return Ok(exit),
            // Whoever served was about to end, and nothing was asked there yet; nor is anything
            // asked of those who serve in its place before they agree.
            None => {
                hosts += 1;
                host.reopen().await?;
            }
        }
    }
}

/// A task that is about to be worked on.
struct Task {
    request: RunRequest,
    profile: SessionProfile,
}

/// A task whose session is open.
struct Begun {
    task: Task,
    session_id: SessionId,
    holder_id: HolderId,
    /// As which the session is left, where it was opened as something else.
    own: Option<SessionProfile>,
}

impl Task {
    /// Opens its session.
    async fn begin(mut self, host: &dyn Host) -> Result<Begun> {
        let own = self.take_up(host).await?;
        let request = match self.request.session_id {
            Some(session_id) => OpenRequest::Resume {
                session_id,
                profile: Some(self.profile.clone()),
            },
            None => OpenRequest::New(self.profile.clone()),
        };
        let opened = host.sessions().open(request).await;
        let opened = opened.map_err(|error| not_opened(&error))?;
        let (session_id, holder_id) = sessions::held(&opened)?;
        Ok(Begun {
            task: self,
            session_id,
            holder_id,
            own,
        })
    }

    /// Goes on as the session was held. To take a change back is no change of that: the profile to
    /// leave the session with is returned if it differs.
    async fn take_up(&mut self, host: &dyn Host) -> Result<Option<SessionProfile>> {
        let Some(id) = self.request.session_id else {
            return Ok(None);
        };
        let own = sessions::own_profile(host.sessions(), id).await?;
        let kept = self.request.profile.continuing(own.clone());
        if kept.mode != Mode::Deterministic || !undo::is_asked_by(&self.request.text) {
            self.profile = kept;
            return Ok(None);
        }
        self.profile.name.clone_from(&own.name);
        self.profile.mode = kept.mode;
        // An agent that hands work out may have no tool for it; those who did the work have.
        if undo::may_undo(&host.list_agents().await?, &kept.agent_type) {
            self.profile.agent_type = kept.agent_type;
        }
        let left = SessionProfile {
            settings: self.profile.settings.clone(),
            ..own
        };
        Ok((left != self.profile).then_some(left))
    }
}

/// Data that was given, and what memories say beside it.
fn beside(given: Option<Input>, named: Option<Input>) -> Option<Input> {
    match (given, named) {
        (Some(given), Some(named)) => Some(Input {
            name: format!("{}, {}", given.name, named.name),
            text: format!("{}\n\n{}", given.text, named.text),
        }),
        (given, named) => given.or(named),
    }
}

impl Begun {
    /// `None` when whoever served ended before it was asked anything.
    async fn work_in(self, host: &dyn Host) -> Result<Option<Exit>> {
        let Self {
            task,
            session_id,
            holder_id,
            own,
        } = self;
        let workspace = task.profile.settings.workspace.clone();
        let (mode, level) = (task.profile.mode, task.profile.settings.override_level);
        let request = task.request;
        let mut warnings: Vec<String> = override_warning(level).into_iter().collect();
        warnings.extend(request.source.missing(&request.text, &workspace));
        let mut send = request.sent(session_id, holder_id, mode);
        if request.source.is_typed(&request.text) {
            let named = mentions::memories(host.curator(), &request.text).await;
            let named = named.unwrap_or_else(|error| Named {
                said: vec![describe(&error).1.message],
                ..Named::default()
            });
            warnings.extend(named.said);
            send.input = beside(send.input, named.input);
        }
        let sessions = host.sessions();
        let asker = host.asker();
        let mut view = RunView::new(sessions, session_id, &request, workspace).await;
        for warning in &warnings {
            view.remark(warning)?;
        }
        let mut meanwhile = Meanwhile {
            signals: Signals::all()?,
            keyboard: None,
        };
        let place = (sessions, session_id, &asker);
        let worked = work(mode, place, send, (&mut view, &mut meanwhile)).await;
        let is_gone = worked.is_err() && host.is_gone().await;
        if is_gone && view.summary.query_id.is_none() {
            return Ok(None);
        }
        if !is_gone {
            close_broken(sessions, (session_id, holder_id), &worked).await;
        }
        let status = match worked {
            Err(error) if is_unread(&error) => QueryStatus::Interrupted,
            Err(error) if is_gone && !view.is_json() => return Err(cut_off(&error, session_id)),
            // A program is told what was done until then.
            Err(mut error) if view.is_json() => {
                if is_gone {
                    error = cut_off(&error, session_id);
                }
                return view.broke_off(&error).map(Some);
            }
            worked => worked?,
        };
        view.ended(status);
        view.finish()?;
        if request.source.leaves_a_pipe_unread() {
            view.remark(
                "standard input was not read, since the task was given in words; `--input -` gives \
                 it as data",
            )?;
        }
        let held = (session_id, holder_id);
        match leave(sessions, held, own, (&mut view, &mut meanwhile)).await {
            // Whoever served has ended since the answer, and the session with that.
            Err(_) if host.is_gone().await => {}
            left => left?,
        }
        Ok(Some(status.into()))
    }
}

/// What is said where whoever served has ended in the middle of the request: where what there is of
/// it stands, and how to go on.
fn cut_off(error: &anyhow::Error, session_id: SessionId) -> anyhow::Error {
    let (exit, mut fault) = describe(error);
    if fault.code == "sessions.unreachable" {
        fault.message = format!(
            "the carl that served this command has ended, and the request was cut off: {}",
            fault.message
        );
        fault.hint = format!(
            "`carl session show {session_id}` has what there is of it; `carl run --session-id \
             {session_id} \"…\"` goes on."
        );
    }
    Failure { exit, fault }.into()
}

/// Closes the session of a request that failed. One whose end found no room on record has none for
/// whoever waits for it, as this command would for all who are at work here; in a closed session
/// nobody is.
async fn close_broken(
    sessions: &dyn Sessions,
    (session_id, holder_id): (SessionId, HolderId),
    worked: &Result<QueryStatus>,
) {
    if worked.as_ref().is_err_and(|error| !is_unread(error)) {
        // What went wrong is told already.
        let _closed = sessions.close(session_id, holder_id).await;
    }
}

/// Whether whoever read the events has gone: then there is nobody to go on for.
fn is_unread(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Takes an undo that took nothing back out of the conversation, which it is no part of.
async fn forget_vain_undo(
    sessions: &dyn Sessions,
    view: &SessionView,
    (session_id, summary): (SessionId, &RunSummary),
) -> Result<()> {
    let is_vain = summary.status != QueryStatus::Success && summary.artifacts.is_empty();
    let asked = summary.query_id.and_then(|id| view.exchanges().find(id));
    if let Some(undo) = asked.filter(|one| one.is_undo && is_vain) {
        let to = RewindTo::Request(undo.query_id);
        sessions.rewind(session_id, to).await.or_fail()?;
    }
    Ok(())
}

/// Closes the session, and leaves it as `own` where that is given.
async fn leave(
    sessions: &dyn Sessions,
    (session_id, holder_id): (SessionId, HolderId),
    own: Option<SessionProfile>,
    (view, meanwhile): (&mut RunView, &mut Meanwhile),
) -> Result<()> {
    let so_far = sessions::view_of(sessions, session_id).await?;
    forget_vain_undo(sessions, &so_far, (session_id, &view.summary)).await?;
    // They end with the session.
    for job in so_far.background().jobs() {
        view.remark(&format!("the job `{job}` still ran; it is stopped now"))?;
    }
    sessions.close(session_id, holder_id).await.or_fail()?;
    match own {
        Some(profile) => leave_as(sessions, session_id, profile, (view, meanwhile)).await,
        None => Ok(()),
    }
}

/// Opens the session as `profile` says and closes it. Another command may hold it as something else,
/// as a second undo does: its end is waited for, so that it is left as it was before both.
async fn leave_as(
    sessions: &dyn Sessions,
    session_id: SessionId,
    profile: SessionProfile,
    (view, meanwhile): (&mut RunView, &mut Meanwhile),
) -> Result<()> {
    loop {
        let profile = Some(profile.clone());
        let again = sessions.open(OpenRequest::Resume {
            session_id,
            profile,
        });
        match again.await {
            Err(error) if error.kind == ErrorKind::Busy => {
                view.remark(
                    "another command works in this session; its end is waited for, to leave the \
                     session as it was (Ctrl-C: leave it as that command does)",
                )?;
                tokio::select! {
                    () = closed(sessions, session_id, view.last_seq) => {}
                    () = meanwhile.signals.next_of_user() => return Ok(()),
                }
            }
            opened => {
                let (session_id, holder_id) = sessions::held(&opened.or_fail()?)?;
                return sessions.close(session_id, holder_id).await.or_fail();
            }
        }
    }
}

/// Waits until nobody holds the session any more.
async fn closed(sessions: &dyn Sessions, session_id: SessionId, last_seq: u64) {
    let events = sessions.attach(session_id, last_seq + 1, Follow::Live);
    // It is not live any more: it was closed meanwhile.
    let Ok(mut events) = events.await else { return };
    while let Some(Ok(_)) = events.next().await {}
}

/// Sends the request and shows what comes of it; in auto mode, what the drive makes of it as well.
async fn work(
    mode: Mode,
    place: (&dyn Sessions, SessionId, &Asker),
    send: SendRequest,
    (view, meanwhile): (&mut RunView, &mut Meanwhile),
) -> Result<QueryStatus> {
    let (sessions, session_id, asker) = place;
    if mode != Mode::Auto {
        show_opening(sessions, session_id, view).await?;
        return work_on(sessions, send, asker, view, meanwhile).await;
    }
    // What the drive said while the session was opened is shown too.
    let so_far = sessions::view_of(sessions, session_id).await?;
    view.last_seq = so_far.profile_seq();
    let rested = to_its_rest(place, send, view, meanwhile).await;
    rested.inspect(|status| view.summary.status = *status)
}

/// Shows what was noted as the session was opened, such as what was lost of its log.
async fn show_opening(
    sessions: &dyn Sessions,
    session_id: SessionId,
    view: &mut RunView,
) -> Result<()> {
    let opened = sessions::view_of(sessions, session_id).await?.profile_seq();
    let later = sessions.attach(session_id, opened + 1, Follow::ToEnd).await;
    let mut later = later.or_fail()?;
    while let Some(event) = later.next().await {
        let event = event.or_fail()?;
        let EventBody::Notice(_) = event.body else {
            break;
        };
        view.show(&event)?;
    }
    Ok(())
}

/// Sends the request and shows all that happens in the session, until its drive rests for good or
/// the request is stopped.
async fn to_its_rest(
    place: (&dyn Sessions, SessionId, &Asker),
    send: SendRequest,
    view: &mut RunView,
    meanwhile: &mut Meanwhile,
) -> Result<QueryStatus> {
    let (sessions, session_id, _) = place;
    let last_seq = view.last_seq;
    let mut so_far = SessionView::default();
    // Timers may run from before this process.
    let past = sessions.attach(session_id, 1, Follow::Outline).await;
    let mut past = past.or_fail()?;
    while let Some(event) = past.next().await {
        let event = event.or_fail()?;
        if event.seq <= last_seq {
            so_far.apply(&event);
        }
    }
    let events = sessions.attach(session_id, last_seq + 1, Follow::Live);
    let events = events.await.or_fail()?;
    // Its events are among those of the session.
    drop(sessions.send(send).await.or_fail()?);
    let mut asked = None;
    let ended = |event: &Event| {
        so_far.apply(event);
        match &event.body {
            EventBody::QueryReceived {
                origin: Origin::User,
                ..
            } => {
                asked = asked.or(event.query_id);
                None
            }
            EventBody::QueryFinished {
                status: QueryStatus::Interrupted,
                ..
            } if asked.is_some() && event.query_id == asked => Some(QueryStatus::Interrupted),
            // A drive that rests before it has seen the request rests from an earlier one.
            EventBody::DriveState(_) if asked.is_some() => so_far.drive().outcome(),
            _ => None,
        }
    };
    follow(place, events, view, meanwhile, ended).await
}
