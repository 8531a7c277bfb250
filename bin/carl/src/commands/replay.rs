//! `carl policy replay`: a past session's calls, judged by today's policy, and how they are listed.
//! Nothing runs. The judging is the broker's (`services/broker/src/replay.rs`).

use super::Setting;
use crate::wiring::{self, House, Knowledge};
use anyhow::{Context, Result};
use api::sessions::Follow;
use broker::replay::Replayed;
use command_line::{ReplayArgs, SessionFlags};
use domain::event::{Event, EventBody};
use domain::settings::{Attendance, SessionProfile};
use domain::tool::ToolName;
use rendering::{print, table};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use terminal::exit::{Exit, OrFail};
use terminal::sessions::{events_of, find};
use text::escape::{visible_json, visible_line};

/// Judges every call of a session again, in order, after the same words of the user and the same
/// labels of results.
///
/// # Errors
/// When the session is not found or its calls cannot be judged.
pub async fn replay(args: ReplayArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let found = find(sessions, &args.session, &setting.workspace).await?;
    let mut events = events_of(sessions, found.session_id, Follow::Outline).await?;
    take_away(&mut events, &disabled_today(&setting)?);
    let secrets = wiring::secrets_to_look(&setting).await?;
    let knowledge = Knowledge {
        remembrance: house.remembrance.clone(),
        search: house.search.clone(),
    };
    let local = wiring::local_tools(&setting)?;
    let tools = (local, &knowledge);
    // What is judged here happens to no one.
    let guard = wiring::guard(&setting, Arc::new(wiring::Unrecorded), secrets, tools)?;
    let (judges, control) = (guard.broker.as_ref(), guard.control.as_ref());
    let profile = events.iter().find_map(profile_of);
    let profile = profile.context("the session's log does not begin with its opening")?;
    let played = broker::replay::replay(judges, control, profile, &events)
        .await
        .or_fail()?;
    if args.json {
        let rows: Vec<Value> = played.iter().map(as_json).collect();
        print(&visible_json(&format!(
            "{}\n",
            serde_json::to_string_pretty(&rows)?
        )))?;
    } else {
        let mut rows = vec![
            ["then", "now", "layer", "rule", "call"]
                .map(str::to_owned)
                .to_vec(),
        ];
        rows.extend(played.iter().map(|r| {
            vec![
                then(r),
                r.now.verdict.as_str().to_owned(),
                r.now.layer.to_string(),
                r.now.rule.clone(),
                visible_line(&format!("{} {}", r.tool, r.arguments))
                    .chars()
                    .take(120)
                    .collect(),
            ]
        }));
        let changed = played.iter().filter(|r| r.is_changed()).count();
        let end = summary(played.len(), changed);
        print(&format!("{}{end}", table(&rows)))?;
    }
    Ok(Exit::Success)
}

/// What a call met then. A step of a plan was asked about with it.
fn then(replayed: &Replayed) -> String {
    let verdict = &replayed.then;
    match replayed.is_planned {
        true => format!("{verdict} (plan)"),
        false => verdict.clone(),
    }
}

/// How many calls there were, and how many would be decided differently.
fn summary(calls: usize, changed: usize) -> String {
    let noun = if calls == 1 { "call" } else { "calls" };
    let differing = match changed {
        0 => "none".to_owned(),
        some => some.to_string(),
    };
    format!("{calls} {noun}; {differing} would be decided differently today.\n")
}

/// The tools that the configuration takes away today.
fn disabled_today(setting: &Setting) -> Result<BTreeSet<ToolName>> {
    let flags = SessionFlags::default();
    let today = setting.profile(&flags, Attendance::Unattended)?;
    Ok(today.settings.disabled_tools)
}

/// Has a session be without these tools from its opening on.
fn take_away(events: &mut [Event], disabled: &BTreeSet<ToolName>) {
    for event in events {
        if let EventBody::SessionOpened { profile, .. }
        | EventBody::SessionConfigured { profile, .. } = &mut event.body
        {
            let own = &mut profile.settings.disabled_tools;
            own.extend(disabled.iter().cloned());
        }
    }
}

fn profile_of(event: &Event) -> Option<&SessionProfile> {
    match &event.body {
        EventBody::SessionOpened { profile, .. } => Some(profile),
        _ => None,
    }
}

fn as_json(replayed: &Replayed) -> Value {
    json!({
        "tool": replayed.tool,
        "arguments": replayed.arguments,
        "then": replayed.then,
        "in_plan": replayed.is_planned,
        "now": replayed.now,
    })
}
