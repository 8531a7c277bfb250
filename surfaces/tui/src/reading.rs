//! What is read for a screen of its own, and what is done with a session of the list.

use crate::earlier;
use crate::host::Host;
use crate::inspect;
use crate::lines::{safe, strong};
use crate::message::Message;
use crate::subject::Subject;
use crate::transcript::Piece;
use api::programs::Programs;
use api::sessions::{Error, Follow, Selection, Sessions, Whose};
use domain::Timestamp;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::fault::{Coded, Fault};
use domain::id::{QueryId, SessionId};
use domain::settings::SessionProfile;
use futures::StreamExt;
use ratatui::text::Line;
use rendering::values::model_in_words;
use session::SessionView;
use std::collections::VecDeque;
use text::escape::prose;

/// Most events of the past that the panes are made of: the newest.
const PAST_EVENTS: usize = 20_000;
/// Most lines of a preview.
const PREVIEW_LINES: usize = 60;

/// Reads a page about a session.
pub async fn inspect(
    host: &dyn Host,
    (id, profile): (SessionId, SessionProfile),
    subject: Subject,
) -> Vec<Message> {
    let read = page(host, (id, profile), subject).await;
    let lines = read.unwrap_or_else(|fault| {
        let text = format!("it cannot be read: {} [{}]", fault.message, fault.code);
        vec![Line::raw(safe(&text))]
    });
    vec![Message::Inspected(subject, lines)]
}

async fn page(
    host: &dyn Host,
    (id, profile): (SessionId, SessionProfile),
    subject: Subject,
) -> Result<Vec<Line<'static>>, Fault> {
    let sessions = host.sessions();
    match subject {
        Subject::Context => {
            let view = sessions.context(id, Whose::Root).await;
            view.map(|view| inspect::context(&view, profile.mode))
                .map_err(|error| error.fault())
        }
        Subject::Audit => {
            let records = host.audit(id).await?;
            Ok(records.iter().map(|line| Line::raw(safe(line))).collect())
        }
        Subject::Models => {
            let known = host.all_models().await?;
            let chosen = match &profile.model {
                Some(model) => model_in_words(model),
                None => format!("what suits the agent type {}", profile.agent_type),
            };
            Ok(inspect::models(&known, &chosen))
        }
        Subject::Memory => {
            let events = events(sessions, id).await.map_err(|error| error.fault())?;
            let asked = events.iter().rev().find_map(|event| match &event.body {
                EventBody::QueryReceived { text, origin, .. } => {
                    (*origin == Origin::User).then_some(text)
                }
                _ => None,
            });
            let now = match asked {
                Some(text) => host.explain_recall(text).await?,
                None => Vec::new(),
            };
            Ok(inspect::memory(&events, &now))
        }
        Subject::Calls | Subject::Agents | Subject::Plan | Subject::Quality | Subject::History => {
            let events = events(sessions, id).await.map_err(|error| error.fault())?;
            Ok(match subject {
                Subject::Agents => inspect::agents(&events, Timestamp::now()),
                Subject::Plan => inspect::plan(&events),
                Subject::Quality => inspect::quality(&events),
                Subject::History => inspect::history(&events),
                _ => inspect::calls(&events),
            })
        }
    }
}

async fn events(sessions: &dyn Sessions, id: SessionId) -> Result<Vec<Event>, Error> {
    let mut stream = sessions.attach(id, 1, Follow::Outline).await?;
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event?);
    }
    Ok(events)
}

/// Reads a piece of what was said and done, and no more of the log than that.
pub async fn history(sessions: &dyn Sessions, id: SessionId, piece: Piece) -> Vec<Message> {
    let read = async {
        let (first, last) = piece.events;
        let mut stream = sessions.attach(id, first, Follow::Outline).await?;
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            let event = event?;
            if event.seq > last {
                break;
            }
            if event
                .query_id
                .is_some_and(|id| piece.requests.contains(&id))
            {
                events.push(event);
            }
        }
        Ok::<_, Error>(inspect::history(&events))
    };
    let lines = read.await.unwrap_or_else(|error| {
        let text = format!("it cannot be read: {}", error.message());
        vec![Line::raw(safe(&text))]
    });
    vec![Message::Inspected(Subject::History, lines)]
}

/// Asks what programs say.
pub async fn programs(sessions: &dyn Sessions, id: SessionId, wanted: Programs) -> Vec<Message> {
    let told = sessions.programs(id, wanted.clone()).await;
    let told = told.map_err(|error| error.message());
    vec![Message::ProgramsRead(id, wanted, told)]
}

/// Reads what happened in a session up to an event.
pub async fn past(sessions: &dyn Sessions, id: SessionId, to_seq: u64) -> Vec<Message> {
    let read = async {
        let mut stream = sessions.attach(id, 1, Follow::Outline).await?;
        let mut events = VecDeque::new();
        while let Some(event) = stream.next().await {
            let event = event?;
            if event.seq > to_seq {
                break;
            }
            if events.len() >= PAST_EVENTS {
                events.pop_front();
            }
            events.push_back(event);
        }
        Ok::<_, Error>(Vec::from(events))
    };
    match read.await {
        Ok(events) => vec![Message::PastRead(id, events)],
        Err(error) => vec![
            Message::PastRead(id, Vec::new()),
            Message::Said(error.message()),
        ],
    }
}

/// Lists the sessions.
pub async fn list(host: &dyn Host) -> Vec<Message> {
    vec![match host.sessions().list(Selection::All).await {
        Ok(sessions) => Message::Listed(sessions),
        Err(error) => Message::Said(error.message()),
    }]
}

/// Looks for words in what was said in all sessions. Where that fails nothing is found: the list has its
/// titles all the same.
pub async fn said(sessions: &dyn Sessions, words: String) -> Vec<Message> {
    let found = sessions.list(Selection::Said(words.clone())).await;
    let found = found.unwrap_or_else(|error| {
        tracing::debug!("what was said is not searched: {}", error.message());
        Vec::new()
    });
    let ids = found.iter().map(|one| one.session_id).collect();
    vec![Message::Found(words, ids)]
}

/// Reads the user's messages in a session.
pub async fn earlier(host: &dyn Host, id: SessionId) -> Vec<Message> {
    vec![match events(host.sessions(), id).await {
        Ok(events) => Message::Earlier(earlier::said(&events)),
        Err(error) => Message::Said(error.message()),
    }]
}

/// Reads the last answer that stands in a session: of the newest request that has one.
pub async fn last_answer(sessions: &dyn Sessions, id: SessionId) -> Vec<Message> {
    vec![match events(sessions, id).await {
        Ok(events) => {
            let view = SessionView::of(&events);
            let mut newest_first = view.exchanges().standing().iter().rev();
            let last = newest_first.find_map(|one| answer(&events, one.query_id));
            Message::LastAnswer(last.map(str::to_owned))
        }
        Err(error) => Message::Failed {
            fault: error.fault(),
            draft: None,
        },
    }]
}

/// What a request was answered, a second answer that was taken over in the place of the first.
fn answer(events: &[Event], of: QueryId) -> Option<&str> {
    let mut newest_first = events.iter().rev();
    newest_first.find_map(|event| match &event.body {
        EventBody::GenerationFinished { answer, .. } | EventBody::SecondTaken { answer }
            if event.query_id == Some(of) && !answer.trim().is_empty() =>
        {
            Some(answer.as_str())
        }
        _ => None,
    })
}

/// Reads the last exchange of a session.
pub async fn preview(sessions: &dyn Sessions, id: SessionId) -> Vec<Message> {
    let lines = match events(sessions, id).await {
        Ok(events) => last_exchange(&events),
        Err(error) => vec![Line::raw(safe(&error.message()))],
    };
    vec![Message::Previewed(id, lines)]
}

/// The last request of the user and its answer.
fn last_exchange(events: &[Event]) -> Vec<Line<'static>> {
    let view = SessionView::of(events);
    let Some(last) = view.exchanges().last_of_user() else {
        return Vec::new();
    };
    let lines = |text: &str, indent: &str| {
        let text = prose(text.trim());
        let lines = text.lines().take(PREVIEW_LINES);
        lines
            .map(|line| safe(&format!("{indent}{line}")))
            .collect::<Vec<_>>()
    };
    let mut shown: Vec<Line<'static>> = lines(&last.text, "> ")
        .into_iter()
        .map(|line| Line::styled(line, strong()))
        .collect();
    let answer = answer(events, last.query_id);
    shown.extend(
        answer
            .into_iter()
            .flat_map(|answer| lines(answer, "  "))
            .map(Line::raw),
    );
    shown
}

/// Makes another session of all that was said in one, and goes there.
pub async fn fork(host: &dyn Host, id: SessionId) -> Vec<Message> {
    vec![match host.sessions().fork(id, 0).await {
        Ok(forked) => Message::GoTo(forked.session_id),
        Err(error) => Message::Said(error.message()),
    }]
}

/// Gives a session a name, and lists them anew.
pub async fn rename(host: &dyn Host, id: SessionId, name: String) -> Vec<Message> {
    match host.sessions().rename(id, &name).await {
        Ok(()) => list(host).await,
        Err(error) => vec![Message::Said(error.message())],
    }
}

/// Writes a session to a file.
pub async fn export(host: &dyn Host, id: SessionId) -> Vec<Message> {
    vec![match host.export(id).await {
        Ok(said) => Message::Said(said),
        Err(fault) => Message::Said(fault.message),
    }]
}
