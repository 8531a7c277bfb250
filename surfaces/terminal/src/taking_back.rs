//! Taking exchanges back: alone, or with what they did to files.

use crate::conversation::{Conversation, events};
use crate::exit::{Failure, OrFail, describe};
use crate::sessions::events_of;
use crate::undo::{CallChanges, changing_calls, forked_from, only_takes_back, undos};
use anyhow::Result;
use api::sessions::{ErrorKind, Follow, RewindTo, SendRequest, Sessions, TakenBack};
use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::id::{CallId, SessionId};
use domain::limits::PLAN_ACTIONS;
use domain::settings::Mode;
use domain::tool::EffectClass;
use domain::tool::{RUN_COMMAND, UNDO};
use plan::{orders, question};
use rendering::agents::gist;
use rendering::slash::Changed;
use rendering::terminal::DECLINED;
use session::{Exchange, SessionView};
use std::collections::BTreeSet;
use text::escape::visible_line;

/// What became of the changes that were to be taken back.
struct Restored {
    /// How many were taken back.
    undone: usize,
    /// How many were as before already.
    back: usize,
    /// Whether the user said no to the last of it.
    is_declined: bool,
}

/// Takes the last exchange back; what is to be asked again. Files stay as it left them.
///
/// # Errors
/// When there is none, or it cannot be taken back.
pub async fn retry(on: &mut dyn Conversation) -> Result<String> {
    let events = events(on).await?;
    let last = last_of_user(&events)?;
    if last.is_command {
        return Err(Failure::usage(
            "the last that you typed is a line for the shell, which nobody but you runs",
            "The arrow keys bring it back: Enter runs it again.",
        )
        .into());
    }
    let calls = changing(on, &events, last.begins_after).await?;
    let id = on.session().session_id;
    let left = on.changes().of_calls(id, &calls)?;
    let changes = left.next + left.beyond;
    let taken = rewind(on, RewindTo::LastRequest).await?;
    on.tell(&format!("again: {}", gist(&taken.text)))?;
    tell_what_memory_keeps(on, &events, &last)?;
    if changes > 0 {
        on.tell(&format!(
            "  the first try left {}; /undo instead takes such back as well",
            counted(changes)
        ))?;
    }
    Ok(taken.text)
}

/// Takes the last exchange back and what it did to files, and says what stands of the one before where
/// it did nothing to them.
pub async fn undo(on: &mut dyn Conversation, changed: Changed) -> Result<()> {
    if changed == Changed::IsSkipped {
        pass_over_changed(on).await?;
    }
    match take_last(on).await? {
        Took::NoFiles => tell_what_stands_before(on).await,
        Took::Files | Took::Nothing => Ok(()),
    }
}

/// Leaves the files of the last exchange as they are that something else changed since.
async fn pass_over_changed(on: &mut dyn Conversation) -> Result<()> {
    let events = events(on).await?;
    refuse_beside_others(&events)?;
    let last = last_of_user(&events)?;
    let calls = changing(on, &events, last.begins_after).await?;
    let id = on.session().session_id;
    let passed = on.changes().pass_over_changed(id, &calls)?;
    let folder = on.workspace().to_owned();
    for path in passed {
        let shown = path.strip_prefix(&folder).unwrap_or(&path);
        let shown = visible_line(&shown.to_string_lossy());
        on.tell(&format!(
            "  stays as it is, since it was changed since: {shown}"
        ))?;
    }
    Ok(())
}

/// What was taken back with an exchange.
#[derive(PartialEq, Eq)]
enum Took {
    /// It had changed none.
    NoFiles,
    Files,
    /// The exchange stays.
    Nothing,
}

/// Takes the last exchange back and what it did to files: first the files, so that nothing is
/// forgotten that still stands.
async fn take_last(on: &mut dyn Conversation) -> Result<Took> {
    let events = events(on).await?;
    refuse_beside_others(&events)?;
    let began = events.last().map_or(0, |event| event.seq);
    let last = last_of_user(&events)?;
    let calls = changing(on, &events, last.begins_after).await?;
    let all = changes_here_or_before_fork(on, &events, &calls).await?;
    refuse_what_stays(&all, &calls)?;
    let Restored {
        undone,
        back,
        is_declined,
    } = restore(on, &calls, all.next).await?;
    if is_declined && undone + back == 0 {
        on.tell("nothing was taken back; the exchange stays")?;
        return Ok(Took::Nothing);
    }
    if undone + back == 0 && all.next > 0 && was_stopped(on).await? {
        on.tell("stopped: nothing was taken back; the exchange stays")?;
        return Ok(Took::Nothing);
    }
    if undone + back < all.next {
        return Err(Failure::usage(
            format!(
                "{undone} of {} taken back; the exchange stays",
                counted(all.next)
            ),
            "What was refused says why. /undo tries again; `/undo skip` leaves files as they are that \
                 were changed since, and takes back the rest; /retry takes the exchange alone back, and \
                 asks it again.",
        )
        .into());
    }
    let files = told(&all, undone, back + all.undone);
    take_exchange(on, &last, began, &files).await?;
    on.tell(&format!("taken back: {} ({files})", gist(&last.text)))?;
    let (own_undos, _) = undos(&events, last.begins_after);
    let earlier = own_undos.saturating_sub(all.undone);
    if earlier > 0 {
        let earlier = counted(earlier);
        on.tell(&format!(
            "  not made again: {earlier} of before it that it took back"
        ))?;
    }
    tell_what_memory_keeps(on, &events, &last)?;
    tell_what_stays(on, &events, last.begins_after).await?;
    Ok(match all.recorded {
        0 => Took::NoFiles,
        _ => Took::Files,
    })
}

/// Says that files stand changed by what is the last exchange now: who typed a line for the shell behind
/// an edit may have meant that.
async fn tell_what_stands_before(on: &mut dyn Conversation) -> Result<()> {
    let events = events(on).await?;
    let Ok(before) = last_of_user(&events) else {
        return Ok(());
    };
    let calls = changing(on, &events, before.begins_after).await?;
    let stands = on.changes().of_calls(on.session().session_id, &calls)?.next;
    match stands {
        0 => Ok(()),
        stands => on.tell(&format!(
            "  {} of `{}` before it still stands: /undo takes that back",
            counted(stands),
            gist(&before.text)
        )),
    }
}

/// Takes the last exchanges back one by one, and stops where one stays.
pub async fn rewind_by(on: &mut dyn Conversation, exchanges: usize) -> Result<()> {
    if exchanges > 1 {
        refuse_before_fork(on, exchanges).await?;
    }
    for taken in 0..exchanges {
        let last = last_of_user(&events(on).await?)?.query_id;
        take_last(on).await?;
        let stays = last_of_user(&events(on).await?).is_ok_and(|now| now.query_id == last);
        if stays {
            let before = match taken {
                0 => return Ok(()),
                1 => "the exchange after it is".to_owned(),
                count => format!("the {count} exchanges after it are"),
            };
            return on.tell(&format!("  {before} taken back"));
        }
    }
    Ok(())
}

/// Refuses to take so many exchanges back where one of them changed files before a fork: all of them stay
/// then, since the session would else stop at that one with those after it gone.
async fn refuse_before_fork(on: &dyn Conversation, exchanges: usize) -> Result<()> {
    let events = events(on).await?;
    let view = SessionView::of(&events);
    let standing = view.exchanges().standing().iter().rev();
    let own = standing.filter(|one| one.origin == Origin::User && !one.is_undo);
    let mut later = BTreeSet::new();
    for (after, one) in own.take(exchanges).enumerate() {
        let mut calls = changing(on, &events, one.begins_after).await?;
        let with_later = calls.clone();
        calls.retain(|call| !later.contains(call));
        later = with_later;
        let Before { origin, standing } = match changes_of(on, &events, &calls).await? {
            Whose::Fork(before) => before,
            Whose::Here(_) => continue,
        };
        let (changes, about) = (counted(standing), gist(&one.text));
        let hint = match after {
            0 => String::new(),
            after => format!("/rewind {after} takes back what came after it. "),
        };
        return Err(Failure::usage(
            format!(
                "nothing was taken back: {changes} of `{about}` made before the fork, in session \
                 {origin}, which alone can take that back"
            ),
            format!(
                "{hint}`carl undo {origin}`, typed in a shell, takes back that session's last file change."
            ),
        )
        .into());
    }
    Ok(())
}

/// Takes the exchange back whose files are back already, unless another window asked something
/// since this began: that exchange would go with it, and what it did to files would not.
async fn take_exchange(
    on: &mut dyn Conversation,
    last: &Exchange,
    began: u64,
    files: &str,
) -> Result<()> {
    if !came_after(&events(on).await?, began) {
        match rewind(on, RewindTo::Request(last.query_id)).await {
            Err(error) if describe(&error).1.code == ErrorKind::Busy.code() => {}
            taken => return taken.map(drop),
        }
    }
    let hint = match came_after(&events(on).await?, began) {
        true => "/undo would now take that request back: its exchange, and what it did to files.",
        false => "/undo takes the exchange back when that has ended.",
    };
    let what = format!("{files}; the exchange stays, since another request came meanwhile");
    Err(Failure::usage(what, hint).into())
}

/// Takes the conversation back. This window says so itself; others are told by the event.
async fn rewind(on: &mut dyn Conversation, to: RewindTo) -> Result<TakenBack> {
    let id = on.session().session_id;
    let taken = on.host().sessions().rewind(id, to).await.or_fail()?;
    on.rewound().await?;
    Ok(taken)
}

/// The calls after an event that changed files, its agents' among them.
async fn changing(on: &dyn Conversation, events: &[Event], after: u64) -> Result<BTreeSet<CallId>> {
    let known = on.host().list_tools().await?.into_iter();
    let changing = known.filter(|tool| {
        matches!(
            tool.effect,
            EffectClass::SharedWrite | EffectClass::Destructive | EffectClass::Exec
        )
    });
    let names = changing.map(|tool| tool.definition.name.to_string());
    let tools = names.filter(|name| name != UNDO).collect();
    Ok(changing_calls(events, after, &tools))
}

/// Changes that were made before a fork and stand.
struct Before {
    /// The session that was forked.
    origin: SessionId,
    /// How many.
    standing: usize,
}

/// In whose history the changes of calls are.
enum Whose {
    /// In this session's, or in none where something is left of them.
    Here(CallChanges),
    /// In that of the session that was forked.
    Fork(Before),
}

/// How the changes of these calls stand. Those made before a fork are in the history of the session
/// that was forked, and only that session takes them back.
async fn changes_here_or_before_fork(
    on: &dyn Conversation,
    events: &[Event],
    calls: &BTreeSet<CallId>,
) -> Result<CallChanges> {
    match changes_of(on, events, calls).await? {
        Whose::Here(changes) => Ok(changes),
        Whose::Fork(Before { origin, standing }) => Err(made_before_fork(origin, standing).into()),
    }
}

async fn changes_of(
    on: &dyn Conversation,
    events: &[Event],
    calls: &BTreeSet<CallId>,
) -> Result<Whose> {
    let here = on.changes().of_calls(on.session().session_id, calls)?;
    if here.recorded > 0 || calls.is_empty() {
        return Ok(Whose::Here(here));
    }
    let mut earlier = forked_from(events);
    while let Some(origin) = earlier {
        let there = on.changes().of_calls(origin, calls)?;
        let standing = there.next + there.beyond;
        if standing > 0 {
            return Ok(Whose::Fork(Before { origin, standing }));
        }
        if there.recorded > 0 {
            return Ok(Whose::Here(there));
        }
        // The history of a session that was deleted went with it.
        let Ok(events) = events_of(on.host().sessions(), origin, Follow::Outline).await else {
            break;
        };
        earlier = forked_from(&events);
    }
    Ok(Whose::Here(here))
}

/// Has the session take back the changes of these calls, so many, in as few requests as
/// possible. A request that did not do all of it is taken back itself.
async fn restore(
    on: &mut dyn Conversation,
    calls: &BTreeSet<CallId>,
    changes: usize,
) -> Result<Restored> {
    let mut left = changes;
    let mut back = 0;
    let mut is_declined = false;
    while left > 0 {
        let steps = left.min(PLAN_ACTIONS);
        let before = events(on).await?.last().map_or(0, |event| event.seq);
        let send = SendRequest {
            mode: Some(Mode::Deterministic),
            holder_id: on.session().holder_id,
            ..SendRequest::new(on.session().session_id, vec![UNDO; steps].join("; "))
        };
        on.work_on(send).await?;
        let events = events(on).await?;
        back += undos(&events, before).1;
        is_declined = events
            .iter()
            .any(|event| event.seq > before && declines(event));
        let id = on.session().session_id;
        let now = on.changes().of_calls(id, calls)?.next;
        let done = left.saturating_sub(now);
        left = now;
        if done < steps {
            take_back_itself(on.host().sessions(), id, &events).await?;
            break;
        }
    }
    let gone = changes.saturating_sub(left);
    Ok(Restored {
        undone: gone.saturating_sub(back),
        back,
        is_declined,
    })
}

/// Says that memory is left alone, where answers are remembered and there was one.
fn tell_what_memory_keeps(
    on: &mut dyn Conversation,
    events: &[Event],
    last: &Exchange,
) -> Result<()> {
    if !on.captures() || !may_be_remembered(events, last) {
        return Ok(());
    }
    on.tell(
        "  memory keeps what it remembered of it; `carl memory search` finds it and \
             `carl memory forget` forgets it",
    )
}

/// Whether memory may have something of an exchange: an answer, or words of the user's that are no question
/// and no order, which it keeps without one. What rules did is not remembered.
fn may_be_remembered(events: &[Event], last: &Exchange) -> bool {
    let of_it = events
        .iter()
        .filter(|event| event.query_id == Some(last.query_id));
    let mut answers = of_it.filter_map(|event| match &event.body {
        EventBody::GenerationFinished { answer, model, .. } => Some((answer, model)),
        _ => None,
    });
    answers.any(|(answer, model)| {
        let is_order = orders::acts(&last.text) || question::wants_telling(&last.text);
        match answer.trim().is_empty() {
            true => !is_order,
            false => model.is_some(),
        }
    })
}

/// Names the tools whose effect no undo history has.
async fn tell_what_stays(on: &mut dyn Conversation, events: &[Event], after: u64) -> Result<()> {
    let known = on.host().list_tools().await?;
    let only_looks = |name: &&str| {
        let tool = known
            .iter()
            .find(|tool| tool.definition.name.as_str() == *name);
        tool.is_some_and(|tool| matches!(tool.effect, EffectClass::Read | EffectClass::SelfWrite))
    };
    let mut used = tools_used(events, after);
    used.retain(|name| !only_looks(name) && *name != UNDO);
    if used.is_empty() {
        return Ok(());
    }
    let programs = match used.contains(&RUN_COMMAND) {
        true => " outside the working folder, to what git ignores, and in pipes and jobs",
        false => "",
    };
    on.tell(&format!(
        "  not taken back: what {} did{programs}",
        used.join(", ")
    ))
}

/// Takes an undo back that did not do all of it, so that it stands in no conversation.
async fn take_back_itself(
    sessions: &dyn Sessions,
    session_id: SessionId,
    events: &[Event],
) -> Result<()> {
    let view = SessionView::of(events);
    let standing = view.exchanges().standing().iter();
    let Some(undo) = standing.rev().find(|one| one.is_undo) else {
        return Ok(());
    };
    let to = RewindTo::Request(undo.query_id);
    sessions.rewind(session_id, to).await.or_fail()?;
    Ok(())
}

/// Whether the last request of a session was stopped.
async fn was_stopped(on: &dyn Conversation) -> Result<bool> {
    let events = events(on).await?;
    let end = events.iter().rev().find_map(|event| match &event.body {
        EventBody::QueryFinished { status, .. } => Some(*status),
        _ => None,
    });
    Ok(end == Some(QueryStatus::Interrupted))
}

/// Whether a request ended with the user's no to its plan.
fn declines(event: &Event) -> bool {
    match &event.body {
        EventBody::QueryFinished { error, .. } => {
            error.as_ref().is_some_and(|fault| fault.code == DECLINED)
        }
        _ => false,
    }
}

fn last_of_user(events: &[Event]) -> Result<Exchange> {
    let view = SessionView::of(events);
    let last = view.exchanges().last_of_user().cloned();
    last.ok_or_else(|| {
        Failure::usage(
            "there is nothing to take back",
            "Nothing has been asked in this session, or all of it was taken back.",
        )
        .into()
    })
}

/// Refuses to take back while something is worked on in the session, in another window or by itself:
/// what is taken back is reckoned from how things stand.
fn refuse_beside_others(events: &[Event]) -> Result<()> {
    let view = SessionView::of(events);
    let mut open = view.open_requests().peekable();
    if open.peek().is_none() {
        return Ok(());
    }
    let what = match open.any(|one| only_takes_back(&one.text)) {
        true => "something is being taken back in this session already",
        false => "a request is being worked on in this session; nothing was taken back",
    };
    Err(Failure::usage(what, "Type /undo again when that has ended.").into())
}

/// Whether something was said to the agent after an event.
fn came_after(events: &[Event], seq: u64) -> bool {
    let view = SessionView::of(events);
    let mut standing = view.exchanges().standing().iter();
    standing.any(|one| one.received_seq > seq && !one.is_undo)
}

/// Refuses to take an exchange back whose changes of files cannot be taken back with it.
fn refuse_what_stays(all: &CallChanges, calls: &BTreeSet<CallId>) -> Result<()> {
    let why = if all.beyond > 0 {
        let beyond = counted(all.beyond);
        format!("{beyond} of it cannot be taken back without another one; the exchange stays")
    } else if all.recorded == 0 && !calls.is_empty() {
        let calls = counted(calls.len());
        format!("{calls} of it are in no undo history of this machine; the exchange stays")
    } else {
        return Ok(());
    };
    let way = "`undo`, typed as a message, takes back the session's last file change. /retry takes \
               the exchange alone back, and asks it again.";
    Err(Failure::usage(why, way).into())
}

/// Says which session takes back what was changed before a fork.
fn made_before_fork(origin: SessionId, standing: usize) -> Failure {
    let changes = counted(standing);
    Failure::usage(
        format!(
            "{changes} of it: made before the fork, in session {origin}, which alone can take that \
             back; the exchange stays"
        ),
        format!(
            "`carl undo {origin}`, typed in a shell, takes back that session's last file change. Once \
             all of it is back, /undo takes the exchange back. /retry takes the exchange alone back, \
             and asks it again."
        ),
    )
}

/// What became of an exchange's changes of files.
fn told(all: &CallChanges, undone: usize, back: usize) -> String {
    let mut parts = Vec::new();
    if undone > 0 {
        parts.push(format!("{} taken back", counted(undone)));
    }
    if back > 0 {
        parts.push(format!("{} back already", counted(back)));
    }
    if all.passed > 0 {
        parts.push(format!("{} left, as you said", counted(all.passed)));
    }
    match parts.is_empty() {
        true => "it had changed no file".to_owned(),
        false => parts.join(", "),
    }
}

fn counted(changes: usize) -> String {
    match changes {
        1 => "1 file change".to_owned(),
        changes => format!("{changes} file changes"),
    }
}

/// The tools that did something from a place on and left no file that can be restored. What exchanges did
/// that were taken back before was said then.
fn tools_used(events: &[Event], after: u64) -> Vec<&str> {
    let view = SessionView::of(events);
    let standing = view.exchanges().standing().iter();
    let standing: BTreeSet<_> = standing.map(|one| Some(one.query_id)).collect();
    let later = events.iter().filter(|event| event.seq > after);
    let later = later.filter(|event| standing.contains(&event.query_id));
    let mut tools: Vec<&str> = later
        .filter_map(|event| match &event.body {
            EventBody::ToolResult {
                tool,
                status: CallStatus::Ok,
                artifacts,
                ..
            } if artifacts.is_empty() => Some(tool.as_str()),
            _ => None,
        })
        .collect();
    tools.sort_unstable();
    tools.dedup();
    tools
}
