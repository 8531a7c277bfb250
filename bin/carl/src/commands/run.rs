//! `carl run`: one task, then exit with what came of it.

mod again;
mod given;

use self::again::{Missing, approving};
use self::given::{input, input_is_piped, leaves_a_pipe_unread, not_sent, pictures, task};
use super::{Setting, notes, session, undo};
use crate::asker::asker;
use crate::cli::RunArgs;
use crate::profile;
use crate::terms::By;
use crate::wiring::House;
use ::session::SessionView;
use anyhow::{Context, Result};
use api::sessions::{Follow, Input, OpenRequest, PictureFile, SendRequest, Sessions};
use domain::drive::Origin;
use domain::event::{Event, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::{HolderId, SessionId};
use domain::settings::{Attendance, Mode, SessionProfile};
use futures::StreamExt;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;
use terminal::exit::{Exit, OrFail, describe, not_opened};
use terminal::render::summary::RunSummary;
use terminal::render::terminal::{Answer, Terminal};
use terminal::render::{Paint, hand_out, links, override_warning, print, print_error};
use terminal::request::{Asker, Meanwhile, View, follow, work_on};
use terminal::sessions;
use terminal::signals::Signals;
use text::escape::visible;

/// Runs the task. With `--json` even a failure to begin is one JSON object.
///
/// # Errors
/// When it could not begin and there is no JSON to say so.
pub async fn run(args: RunArgs) -> Result<Exit> {
    let as_json = args.json;
    match attempt(args).await {
        Err(error) if as_json => {
            let (exit, fault) = describe(&error);
            print_failure(fault)?;
            Ok(exit)
        }
        other => other,
    }
}

/// The one JSON object of a run that did not begin.
///
/// # Errors
/// When it cannot be written.
pub fn print_failure(fault: Fault) -> Result<()> {
    print_summary(&RunSummary::failed(fault))
}

async fn attempt(mut args: RunArgs) -> Result<Exit> {
    let text = task(&args)?;
    let input = input(&args)?;
    let mut setting = Setting::read(&args.session)?;
    let mode = args.session.mode.map(Mode::from);
    let mode = mode.unwrap_or(setting.loaded.config.chat.default_mode);
    if let Some(typed) = &args.session_named {
        args.session_id = Some(match typed.parse() {
            Ok(whole) => whole,
            Err(_part) => session::named(&setting, typed).await?.session_id,
        });
    }
    // A session of its own has nothing to take back: the folder's last change is meant.
    if args.session_id.is_none() && mode == Mode::Deterministic && undo::is_asked_by(&text) {
        let (session_id, flags) = undo::target(args.session, None).await?;
        print_error(&format!("undo in session {session_id}\n"))?;
        args.session_id = Some(session_id);
        args.session = flags;
    }
    let mut flags = args.session.clone();
    if let Some(session_id) = args
        .session_id
        .filter(|_| flags.ceiling.workspace.is_none())
    {
        flags.ceiling.workspace = Some(session::folder_of(&setting, session_id).await?);
        setting = Setting::read(&flags)?;
    }
    let pictures = pictures(&args, &text, &setting.workspace)?;
    let attendance = attendance(&args);
    let profile = setting.profile(&args.session, attendance)?;
    let mut house = House::open(&setting, &flags, By::Command).await?;
    house.remembrance.open_ahead();
    if let Err(error) = notes::ask_about(&setting, &house, &profile).await {
        return house.close(Err(error)).await;
    }
    let task = |house: &House| Task {
        args: &args,
        asker: asker(&setting, attendance, &house.audit),
        text: text.clone(),
        input: input.clone(),
        pictures: pictures.clone(),
        profile: profile.clone(),
    };
    let mut hosts = 1;
    let outcome = loop {
        let worked = match task(&house).begin(&house).await {
            Ok(begun) if hosts == HOSTS || !house.is_gone().await => begun.work_in(&house).await,
            Err(error) if hosts == HOSTS || !house.is_gone().await => Err(error),
            Ok(_) | Err(_) => Ok(None),
        };
        match worked {
            Ok(Some(exit)) => break Ok(exit),
            Err(error) => break Err(error),
            // Whoever served was about to end, and nothing was asked there yet; nor is anything
            // asked of those who serve in its place before they agree.
            Ok(None) => {
                hosts += 1;
                house = House::open(&setting, &flags, By::Command).await?;
                house.remembrance.open_ahead();
            }
        }
    };
    house.close(outcome).await
}

/// Most processes that are tried one after the other because each ends before it is asked.
const HOSTS: u32 = 16;

/// A task that is about to be worked on.
struct Task<'a> {
    args: &'a RunArgs,
    asker: Asker,
    text: String,
    input: Option<Input>,
    pictures: Vec<PictureFile>,
    profile: SessionProfile,
}

/// A task whose session is open.
struct Begun<'a> {
    task: Task<'a>,
    session_id: SessionId,
    holder_id: HolderId,
    /// As which the session is left, where it was opened as something else.
    own: Option<SessionProfile>,
}

impl<'a> Task<'a> {
    /// Opens its session.
    async fn begin(mut self, house: &House) -> Result<Begun<'a>> {
        let own = self.take_up(house).await?;
        let request = match self.args.session_id {
            Some(session_id) => OpenRequest::Resume {
                session_id,
                profile: Some(self.profile.clone()),
            },
            None => OpenRequest::New(self.profile.clone()),
        };
        let opened = house.sessions.open(request).await;
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
    async fn take_up(&mut self, house: &House) -> Result<Option<SessionProfile>> {
        let Some(id) = self.args.session_id else {
            return Ok(None);
        };
        let own = sessions::own_profile(house.sessions.as_ref(), id).await?;
        let built = self.profile.clone();
        let kept = profile::continued(built, &self.args.session, own.clone());
        if kept.mode != Mode::Deterministic || !undo::is_asked_by(&self.text) {
            self.profile = kept;
            return Ok(None);
        }
        self.profile.name.clone_from(&own.name);
        self.profile.mode = kept.mode;
        // An agent that hands work out may have no tool for it; those who did the work have.
        if undo::may_undo(house.guard.control.as_ref(), &kept.agent_type).await? {
            self.profile.agent_type = kept.agent_type;
        }
        let left = SessionProfile {
            settings: self.profile.settings.clone(),
            ..own
        };
        Ok((left != self.profile).then_some(left))
    }
}

impl Begun<'_> {
    /// `None` when whoever served ended before it was asked anything.
    async fn work_in(self, house: &House) -> Result<Option<Exit>> {
        let Self {
            task,
            session_id,
            holder_id,
            own,
        } = self;
        let workspace = task.profile.settings.workspace.clone();
        let (mode, level) = (task.profile.mode, task.profile.settings.override_level);
        let warnings = override_warning(level).into_iter();
        let warnings = warnings.chain(not_sent(task.args, &task.text, &workspace));
        let warnings: Vec<String> = warnings.collect();
        let send = SendRequest {
            mode: Some(mode),
            input: task.input,
            pictures: task.pictures,
            holder_id: Some(holder_id),
            ..SendRequest::new(session_id, task.text)
        };
        let mut view = OneRun::new(task.args, house, session_id, workspace).await;
        for warning in &warnings {
            view.remark(warning)?;
        }
        let mut meanwhile = Meanwhile {
            signals: Signals::all()?,
            keyboard: None,
        };
        let sessions = house.sessions.as_ref();
        let worked = match mode {
            Mode::Auto => {
                // What the drive said while the session was opened is shown too.
                let so_far = sessions::view_of(sessions, session_id).await?;
                view.last_seq = so_far.profile_seq();
                let place = (sessions, session_id, &task.asker);
                let rested = to_its_rest(place, send, &mut view, &mut meanwhile).await;
                rested.inspect(|status| view.summary.status = *status)
            }
            _ => work_on(sessions, send, &task.asker, &mut view, &mut meanwhile).await,
        };
        if worked.is_err() && view.summary.query_id.is_none() && house.is_gone().await {
            return Ok(None);
        }
        let status = match worked {
            Err(error) if is_unread(&error) => QueryStatus::Interrupted,
            // A program is told what was done until then.
            Err(error) if matches!(view.form, Form::Json) => {
                let (exit, fault) = describe(&error);
                view.summary.error = Some(fault);
                view.finish()?;
                return Ok(Some(exit));
            }
            worked => worked?,
        };
        view.finish()?;
        if leaves_a_pipe_unread(task.args) {
            view.remark(
                "standard input was not read, since the task was given in words; `--input -` gives \
                 it as data",
            )?;
        }
        match leave(sessions, (session_id, holder_id), own, &mut view).await {
            // Whoever served has ended since the answer, and the session with that.
            Err(_) if house.is_gone().await => {}
            left => left?,
        }
        Ok(Some(status.into()))
    }
}

/// Whether whoever read the events has gone: then there is nobody to go on for.
fn is_unread(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Closes the session, and leaves it as `own` where that is given.
async fn leave(
    sessions: &dyn Sessions,
    (session_id, holder_id): (SessionId, HolderId),
    own: Option<SessionProfile>,
    view: &mut OneRun,
) -> Result<()> {
    // They end with the session.
    let so_far = sessions::view_of(sessions, session_id).await?;
    for job in so_far.background().jobs() {
        view.remark(&format!("the job `{job}` still ran; it is stopped now"))?;
    }
    sessions.close(session_id, holder_id).await.or_fail()?;
    if let Some(profile) = own {
        let profile = Some(profile);
        let again = sessions.open(OpenRequest::Resume {
            session_id,
            profile,
        });
        let again = again.await.or_fail()?;
        let (session_id, holder_id) = sessions::held(&again)?;
        sessions.close(session_id, holder_id).await.or_fail()?;
    }
    Ok(())
}

/// Sends the request and shows all that happens in the session, until its drive rests for good or
/// the request is stopped.
async fn to_its_rest(
    place: (&dyn Sessions, SessionId, &Asker),
    send: SendRequest,
    view: &mut OneRun,
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

/// Someone can answer only where both the question and the answer meet a person.
fn attendance(args: &RunArgs) -> Attendance {
    let reads_task_from_stdin = args.task.iter().any(|word| word == "-") || input_is_piped(args);
    let is_for_programs = args.json || args.events;
    if io::stdin().is_terminal()
        && io::stderr().is_terminal()
        && !is_for_programs
        && !reads_task_from_stdin
    {
        Attendance::Attended
    } else {
        Attendance::Unattended
    }
}

fn print_summary(summary: &RunSummary) -> Result<()> {
    let text =
        serde_json::to_string_pretty(summary).context("the result cannot be written as JSON")?;
    print(&format!("{text}\n")).context("standard output cannot be written")
}

/// How this run is shown.
enum Form {
    Terminal(Box<Terminal>),
    Json,
    Events,
}

struct OneRun {
    form: Form,
    summary: RunSummary,
    remarks: Paint,
    /// The last event that was shown.
    last_seq: u64,
    /// The plan that waits for a yes.
    proposed: Option<Digest>,
    /// The folder that the session works in.
    workspace: PathBuf,
}

impl OneRun {
    async fn new(args: &RunArgs, house: &House, session_id: SessionId, workspace: PathBuf) -> Self {
        let form = if args.json {
            Form::Json
        } else if args.events {
            Form::Events
        } else {
            let answer = if io::stdout().is_terminal() {
                Answer::Streamed
            } else {
                Answer::AtEnd
            };
            Form::Terminal(Box::new(Terminal::new(
                Paint::for_stream(&io::stderr()),
                answer,
                links::past(house.sessions.as_ref(), session_id).await,
            )))
        };
        let remarks = Paint::for_stream(&io::stderr());
        Self {
            form,
            summary: RunSummary::new(Some(session_id)),
            remarks,
            last_seq: 0,
            proposed: None,
            workspace,
        }
    }

    fn finish(&self) -> Result<()> {
        match self.form {
            Form::Json => print_summary(&self.summary),
            Form::Terminal(_) => match self.proposed {
                Some(hash) if self.summary.status == QueryStatus::Denied => {
                    let why = self
                        .summary
                        .error
                        .as_ref()
                        .map(|fault| fault.message.as_str());
                    let Some(missing) = Missing::of(why.unwrap_or_default(), hash, &self.workspace)
                    else {
                        return Ok(());
                    };
                    let typed: Vec<String> = std::env::args().skip(1).collect();
                    let again = approving(&typed, hash, missing).map(|line| format!("{line}\n"));
                    Ok(again.map_or(Ok(()), |line| print_error(&line))?)
                }
                _ => Ok(()),
            },
            Form::Events => Ok(()),
        }
    }
}

impl View for OneRun {
    fn show(&mut self, event: &Event) -> Result<()> {
        self.last_seq = event.seq;
        match &event.body {
            EventBody::PlanProposed { hash, .. } | EventBody::TasksProposed { hash, .. } => {
                self.proposed = Some(*hash);
            }
            EventBody::PlanApproved { .. } => self.proposed = None,
            _ => {}
        }
        // The summary is that of the user's request, not of what the drive made of it.
        let first = self.summary.query_id;
        if first.is_none() || first == event.query_id {
            self.summary.add(event);
        }
        match &mut self.form {
            Form::Terminal(terminal) => Ok(terminal.draw(event)?),
            Form::Events => {
                let line = serde_json::to_string(event).context("an event cannot be written")?;
                Ok(hand_out(&format!("{line}\n"))?)
            }
            Form::Json => match &event.body {
                // Standard error may be watched by a person even when a program reads the object.
                EventBody::Notice(fault) => {
                    let text = format!("note: {} [{}]\n", fault.message, fault.code);
                    Ok(print_error(&self.remarks.warn(&visible(&text)))?)
                }
                _ => Ok(()),
            },
        }
    }

    fn tick(&mut self) {
        if let Form::Terminal(terminal) = &mut self.form {
            terminal.tick();
        }
    }

    fn patience(&self) -> Duration {
        match &self.form {
            Form::Terminal(terminal) => terminal.patience(),
            Form::Json | Form::Events => Duration::from_secs(3600),
        }
    }

    fn remark(&mut self, text: &str) -> Result<()> {
        let text = visible(text);
        Ok(print_error(&format!("{}\n", self.remarks.warn(&text)))?)
    }
}
