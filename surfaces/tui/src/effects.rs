//! What commands do: calls of the session's service, each with what came of it.

use crate::earlier::Sent;
use crate::files::{self, Hidden};
use crate::host::{Host, Next, Outcome};
use crate::message::Message;
use api::Streaming;
use api::programs::ProgramId;
use api::sessions::{
    Error, ErrorKind, Follow, OpenRequest, QueueChange, RewindTo, SendRequest, SessionSummary,
    Sessions, Whose,
};
use domain::event::{ConfirmationAnswer, ConfirmationRequest, Event};
use domain::fault::{Coded, Fault};
use domain::id::{HolderId, QueryId, SessionId};
use domain::settings::{Mode, SessionProfile};
use domain::token::Answerer;
use futures::{StreamExt, TryStreamExt};
use rendering::Paint;
use rendering::agents::gist;
use rendering::completion::Mentioned;
use rendering::confirm::Said;
use rendering::context::{self, Depth};
use rendering::models;
use rendering::slash::{Jobs, Slash, stopped};
use session::SessionView;
use std::path::PathBuf;
use text::escape::visible_line;

/// What came of something that was to be done.
pub enum Done {
    /// This is to be told.
    Told(Vec<Message>),
    /// Another session is held from now on.
    Opened(Box<Opened>),
}

/// A session that was opened in place of another.
pub struct Opened {
    /// It.
    pub session: SessionSummary,
    /// By what it is held.
    pub profile: SessionProfile,
    /// What happened in it before.
    pub before: Vec<Event>,
    /// All that happens in it from then on.
    pub events: Streaming<Event, Error>,
    /// How it came about: "new", "forked".
    pub how: &'static str,
    /// The message before which it was cut off the one before, where it was cut at one.
    pub cut_before: Option<String>,
    /// The session before, and by whom it was held: closed once its events are followed no more, whose
    /// end would pass for that of whoever serves.
    pub left: Option<(SessionId, HolderId)>,
}

impl Opened {
    /// What is said of it, in place of the session before.
    pub fn told(&self, old: SessionId) -> String {
        let (how, new) = (self.how, self.session.session_id);
        let cut = self.cut_before.as_ref().map_or_else(String::new, |text| {
            format!(", cut before the message `{}`", gist(text))
        });
        let without = match how {
            "forked" => ", without what was allowed for the session",
            _ => "",
        };
        format!(
            "{how} session {new}{cut}{without}; `carl tui --resume {old}` goes on with the one before"
        )
    }
}

fn failed(error: &Error, draft: Option<String>) -> Done {
    let fault = error.fault();
    Done::Told(vec![Message::Failed { fault, draft }])
}

/// Nothing is to be told but a failure.
fn quiet(result: Result<(), Error>) -> Done {
    match result {
        Ok(()) => Done::Told(Vec::new()),
        Err(error) => failed(&error, None),
    }
}

/// A message with what goes along with it, and what there is to say of that.
///
/// # Errors
/// As [`Host::outgoing`].
pub async fn outgoing(
    host: &dyn Host,
    session: &SessionSummary,
    profile: &SessionProfile,
    text: &str,
) -> Result<(SendRequest, Option<Message>), Fault> {
    let outgoing = host.outgoing(profile, text).await?;
    let faint = |line: &String| Paint::Colour.faint(&format!("· {}", visible_line(line)));
    let said: Vec<String> = outgoing.said.iter().map(faint).collect();
    let request = SendRequest {
        holder_id: session.holder_id,
        pictures: outgoing.pictures,
        input: outgoing.input,
        ..SendRequest::new(session.session_id, text)
    };
    Ok((request, (!said.is_empty()).then_some(Message::Told(said))))
}

/// Sends what was typed. The events come by the stream of the session.
pub async fn send(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    text: String,
) -> Done {
    let (request, told) = match outgoing(host, &session, &profile, &text).await {
        Ok(outgoing) => outgoing,
        Err(fault) => {
            let draft = Some(text);
            return Done::Told(vec![Message::Failed { fault, draft }]);
        }
    };
    sent(host, request, told).await
}

/// Runs a line for the shell as the user's own call. What it names goes nowhere, and nothing goes along.
pub async fn execute(
    host: &dyn Host,
    session: SessionSummary,
    (behind, text): (Vec<QueryId>, String),
) -> Done {
    let id = session.session_id;
    let request = SendRequest {
        mode: Some(Mode::Command),
        holder_id: session.holder_id,
        ..SendRequest::new(id, text)
    };
    let done = sent(host, request, None).await;
    placed(host, (id, done), behind).await
}

/// Sends a request, with what there is to say of it.
async fn sent(host: &dyn Host, request: SendRequest, told: Option<Message>) -> Done {
    let text = request.text.clone();
    match host.sessions().send(request).await {
        Ok(mut events) => {
            // The stream begins with the request as it was taken in; the rest comes by another.
            match events.next().await {
                Some(Ok(event)) => {
                    let sent = event.query_id.map(Message::Sent);
                    Done::Told(told.into_iter().chain(sent).collect())
                }
                Some(Err(error)) => failed(&error, None),
                None => Done::Told(Vec::new()),
            }
        }
        Err(error) => failed(&error, Some(text)),
    }
}

/// The same for what was taken out to be edited: it goes before the first of these that still waits.
pub async fn send_before(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    (behind, text): (Vec<QueryId>, String),
) -> Done {
    let id = session.session_id;
    let done = send(host, session, profile, text).await;
    placed(host, (id, done), behind).await
}

/// Gives what was sent its place before the first of these that still waits.
async fn placed(host: &dyn Host, (id, done): (SessionId, Done), behind: Vec<QueryId>) -> Done {
    let Done::Told(mut messages) = done else {
        return done;
    };
    let sent = messages.iter().find_map(|one| match one {
        Message::Sent(query_id) => Some(*query_id),
        _ => None,
    });
    let Some(query_id) = sent else {
        return Done::Told(messages);
    };
    for other in behind {
        let change = QueueChange::Before(other);
        match host.sessions().change_queue(id, query_id, change).await {
            Ok(true) => break,
            Ok(false) => {}
            Err(error) => {
                let fault = error.fault();
                messages.push(Message::Failed { fault, draft: None });
                break;
            }
        }
    }
    Done::Told(messages)
}

/// Stops a request.
pub async fn interrupt(host: &dyn Host, id: SessionId, query_id: Option<QueryId>) -> Done {
    quiet(host.sessions().interrupt(id, query_id).await)
}

/// Stops the tools that run, for which so many agents work.
pub async fn stop_tools(host: &dyn Host, id: SessionId, agents: usize) -> Done {
    let what = match host.sessions().stop_calls(id, None).await {
        Ok(0) => return told("no tool runs that can be stopped".to_owned()),
        Ok(1) => "one tool was stopped".to_owned(),
        Ok(count) => format!("{count} tools were stopped"),
        Err(error) => return failed(&error, None),
    };
    let with = match agents {
        0 => String::new(),
        1 => ", and so was an agent".to_owned(),
        several => format!(", and so were {several} agents"),
    };
    told(format!("{what}{with}; the request goes on"))
}

/// Stops a program that a call waits for, or a job.
pub async fn stop_program(host: &dyn Host, id: SessionId, which: ProgramId) -> Done {
    let said = match which {
        ProgramId::Call(call_id) => match host.sessions().stop_calls(id, Some(call_id)).await {
            Ok(0) => "the call has ended already".to_owned(),
            Ok(_) => "the call was stopped; the request goes on".to_owned(),
            Err(error) => error.message(),
        },
        ProgramId::Job(name) => {
            let stopping = host.sessions().stop_jobs(id, Some(name.clone())).await;
            match stopping {
                Ok(names) => stopped(&Jobs::One(name), &names),
                Err(error) => error.message(),
            }
        }
    };
    Done::Told(vec![Message::Said(said)])
}

/// Takes out a message that still waits, with its text for the input where that is wanted.
pub async fn take_out(
    host: &dyn Host,
    (id, query_id): (SessionId, QueryId),
    text: Option<String>,
) -> Done {
    let taken = host
        .sessions()
        .change_queue(id, query_id, QueueChange::Remove);
    match taken.await {
        Ok(true) => Done::Told(text.map(Message::TakenOut).into_iter().collect()),
        Ok(false) => told(BEGUN.to_owned()),
        Err(error) => failed(&error, None),
    }
}

/// Gives a message that still waits another place.
pub async fn move_waiting(
    host: &dyn Host,
    (id, query_id): (SessionId, QueryId),
    change: QueueChange,
) -> Done {
    match host.sessions().change_queue(id, query_id, change).await {
        Ok(true) => Done::Told(Vec::new()),
        Ok(false) => told(BEGUN.to_owned()),
        Err(error) => failed(&error, None),
    }
}

/// What is said of a message that waits no longer.
const BEGUN: &str = "it waits no longer: Esc stops what runs";

fn told(line: String) -> Done {
    Done::Told(vec![Message::Told(vec![line])])
}

/// Passes answers on, each with the binding of its question.
pub async fn answer(
    host: &dyn Host,
    id: SessionId,
    answers: Vec<(ConfirmationRequest, Said)>,
) -> Done {
    let mut told = Vec::new();
    let mut is_covering = false;
    for (question, said) in answers {
        let is_covered = is_covering;
        is_covering |= said.answer == ConfirmationAnswer::Session;
        let confirmed = host
            .sessions()
            .confirm(
                id,
                question.confirmation_id,
                question.binding,
                said.answer,
                Answerer::User,
            )
            .await;
        match confirmed {
            Ok(()) if said.remember => told.push(match host.remember().await {
                Ok(text) => Message::Told(vec![text]),
                Err(fault) => Message::Failed { fault, draft: None },
            }),
            Ok(()) => {}
            // A yes for the session before it may have answered it already.
            Err(_) if is_covered => {}
            Err(late) => told.push(Message::Told(vec![format!(
                "the answer did not count: {}",
                visible_line(&late.message())
            )])),
        }
    }
    Done::Told(told)
}

/// Works by another profile from now on.
pub async fn configure(host: &dyn Host, session: SessionSummary, profile: SessionProfile) -> Done {
    let Some(holder_id) = session.holder_id else {
        return failed(&unheld(), None);
    };
    let configuring = host
        .sessions()
        .configure(session.session_id, holder_id, profile.clone());
    match configuring.await {
        Ok(()) => Done::Told(vec![Message::Configured(Box::new(profile))]),
        Err(error) => failed(&error, None),
    }
}

fn unheld() -> Error {
    Error::new(ErrorKind::NotFound, "this window does not hold the session")
        .with_hint("Leave and begin again.")
}

/// Makes the view of the conversation smaller.
pub async fn compact(host: &dyn Host, id: SessionId) -> Done {
    match host.sessions().compact(id).await {
        // As small as it gets is no failure.
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            Done::Told(vec![Message::Told(vec![visible_line(&error.detail)])])
        }
        done => quiet(done),
    }
}

/// What the model will see next.
pub async fn context(host: &dyn Host, id: SessionId, depth: Depth) -> Done {
    match host.sessions().context(id, Whose::Root).await {
        Ok(view) => {
            let text = context::text(&view, depth, Paint::Colour);
            Done::Told(vec![Message::Told(
                text.lines().map(str::to_owned).collect(),
            )])
        }
        Err(error) => failed(&error, None),
    }
}

/// The names below the working folder.
pub async fn files(folder: PathBuf, hidden: Hidden) -> Vec<Message> {
    vec![Message::Files(hidden, files::below(folder, hidden).await)]
}

/// What a message can name of this kind. Where it cannot be read nothing is offered.
pub async fn mentions(host: &dyn Host, profile: SessionProfile, of: Mentioned) -> Vec<Message> {
    let known = host.mentions(&profile, of).await.unwrap_or_else(|fault| {
        tracing::debug!(code = %fault.code, "nothing is offered: {}", fault.message);
        Vec::new()
    });
    vec![Message::Mentions(of, known)]
}

/// The models that can be talked to.
pub async fn list_models(host: &dyn Host) -> Vec<Message> {
    vec![Message::ModelsListed(host.list_models().await)]
}

/// Finds out which model would be asked next. Where that cannot be known nothing is said of it.
pub async fn next_model(host: &dyn Host, profile: SessionProfile) -> Vec<Message> {
    let next = host.next_model(&profile).await.unwrap_or_else(|fault| {
        tracing::debug!(code = %fault.code, "the next model is not known: {}", fault.message);
        None
    });
    vec![Message::NextModel(next)]
}

/// Finds the model that a name means.
pub async fn find_model(host: &dyn Host, name: String) -> Done {
    let known = host.list_models().await;
    Done::Told(vec![
        match known.and_then(|known| models::named(&name, &known)) {
            Ok(model) => Message::ModelNamed(model),
            Err(fault) => Message::Failed { fault, draft: None },
        },
    ])
}

/// Begins another session and leaves this one.
pub async fn begin_anew(host: &dyn Host, old: SessionSummary, profile: SessionProfile) -> Done {
    let profile = match host.anew(&profile) {
        Ok(profile) => profile,
        Err(fault) => return Done::Told(vec![Message::Failed { fault, draft: None }]),
    };
    let sessions = host.sessions();
    let opened = match sessions.open(OpenRequest::New(profile.clone())).await {
        Ok(opened) => opened,
        Err(error) => return failed(&error, None),
    };
    go_on_in(host, old, (opened, profile), "new").await
}

/// Does what a command asks for that line mode has as well.
pub async fn run(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    slash: Slash,
) -> Done {
    let Outcome { lines, next } = host.command(&session, &profile, slash).await;
    let told = Message::Told(lines);
    match next {
        Ok(Next::Nothing) => Done::Told(vec![told]),
        Ok(Next::Ask(text)) => Done::Told(vec![told, Message::AskAgain(text)]),
        Ok(Next::GoOnIn(opened)) => go_on_in(host, session, (*opened, profile), "forked").await,
        Err(fault) => Done::Told(vec![told, Message::Failed { fault, draft: None }]),
    }
}

/// Goes on in a copy of the session from before a message.
pub async fn fork_before(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    said: Sent,
) -> Done {
    let done = match said.is_first {
        // Of nothing there is no copy.
        true => begin_anew(host, session, profile).await,
        false => copy_before(host, session, profile, &said).await,
    };
    match done {
        Done::Opened(opened) => Done::Opened(Box::new(Opened {
            cut_before: Some(said.text),
            ..*opened
        })),
        told @ Done::Told(_) => told,
    }
}

/// The same where something stands before that message.
async fn copy_before(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    said: &Sent,
) -> Done {
    let sessions = host.sessions();
    let forked = async {
        // 0 would be all of it.
        let at = said.begins_after.max(1);
        let forked = sessions.fork(session.session_id, at).await?;
        let opening = OpenRequest::Resume {
            session_id: forked.session_id,
            profile: Some(profile.clone()),
        };
        let opened = sessions.open(opening).await?;
        // One that waited behind another came in before that one's end, and so stands in the copy.
        if stands(sessions, said, opened.session_id).await? {
            let to = RewindTo::Request(said.query_id);
            sessions.rewind(opened.session_id, to).await?;
        }
        Ok(opened)
    };
    match forked.await {
        Ok(opened) => go_on_in(host, session, (opened, profile), "forked").await,
        Err(error) => failed(&error, None),
    }
}

/// Takes a message back and all after it, with what that did to files; it comes back to be edited.
pub async fn rewind_to(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    said: Sent,
) -> Done {
    let rewound = Slash::Rewind(said.exchanges);
    let Outcome { lines, next } = host.command(&session, &profile, rewound).await;
    let mut told = vec![Message::Told(lines)];
    if let Err(fault) = next {
        told.push(Message::Failed { fault, draft: None });
    }
    match stands(host.sessions(), &said, session.session_id).await {
        Ok(true) => {}
        Ok(false) => told.push(Message::Draft(said.text)),
        Err(error) => {
            let (fault, draft) = (error.fault(), Some(said.text));
            told.push(Message::Failed { fault, draft });
        }
    }
    Done::Told(told)
}

/// Whether a message still counts in a session.
async fn stands(sessions: &dyn Sessions, said: &Sent, id: SessionId) -> Result<bool, Error> {
    let events = sessions.attach(id, 1, Follow::Outline).await?;
    let events: Vec<Event> = events.try_collect().await?;
    let view = SessionView::of(&events);
    Ok(view.exchanges().find(said.query_id).is_some())
}

/// Goes on in another session, which is open, and leaves the one before.
async fn go_on_in(
    host: &dyn Host,
    old: SessionSummary,
    (opened, profile): (SessionSummary, SessionProfile),
    how: &'static str,
) -> Done {
    let (sessions, id) = (host.sessions(), opened.session_id);
    let before = async {
        let past = sessions.attach(id, 1, Follow::Outline).await?;
        past.try_collect::<Vec<Event>>().await
    };
    let before = match before.await {
        Ok(before) => before,
        Err(error) => return failed(&error, None),
    };
    let next = before.last().map_or(1, |event| event.seq + 1);
    let events = match sessions.attach(id, next, Follow::Live).await {
        Ok(events) => events,
        Err(error) => return failed(&error, None),
    };
    Done::Opened(Box::new(Opened {
        session: opened,
        profile,
        before,
        events,
        how,
        cut_before: None,
        left: old.holder_id.map(|holder_id| (old.session_id, holder_id)),
    }))
}

/// Closes a session that was left.
pub async fn close(host: &dyn Host, (session_id, holder_id): (SessionId, HolderId)) -> Done {
    if let Err(error) = host.sessions().close(session_id, holder_id).await {
        tracing::debug!(%error, "the session before stays open until this process ends");
    }
    Done::Told(Vec::new())
}
