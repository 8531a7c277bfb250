//! Taking exchanges back: alone, or with what they did to files.

use super::conversation::Chat;
use crate::exit::{Failure, OrFail};
use crate::render::agents::gist;
use crate::undo::{change, open_changes};
use anyhow::Result;
use api::sessions::{RewindTo, SendRequest};
use domain::event::{CallStatus, Event, EventBody};
use domain::limits::PLAN_ACTIONS;
use domain::settings::Mode;
use domain::tool::EffectClass;
use domain::tool::UNDO;
use session::{Exchange, SessionView};

impl Chat<'_> {
    /// Takes the last exchange back and asks it again. Files stay as it left them.
    pub(super) async fn retry(&mut self) -> Result<()> {
        let events = self.events().await?;
        let last = last_of_user(&events)?;
        let changes = open_changes(&events, last.begins_after);
        let id = self.session.session_id;
        let taken = self.host.sessions().rewind(id, RewindTo::LastRequest).await;
        let taken = taken.or_fail()?;
        self.tell(&format!("again: {}", gist(&taken.text)))?;
        self.tell_what_memory_keeps()?;
        if changes > 0 {
            self.tell(&format!(
                "  {} of the first try stay; /undo instead takes such back as well",
                counted(changes)
            ))?;
        }
        self.say(&taken.text).await
    }

    /// Takes the last exchange back and what it did to files: first the files, so that nothing is
    /// forgotten that still stands.
    pub(super) async fn undo(&mut self) -> Result<()> {
        let events = self.events().await?;
        let last = last_of_user(&events)?;
        let changes = open_changes(&events, last.begins_after);
        let undone = self.restore(changes).await?;
        let id = self.session.session_id;
        if undone < changes {
            return Err(Failure::usage(
                format!(
                    "{undone} of {} taken back; the exchange stays",
                    counted(changes)
                ),
                "What was refused says why. /undo tries again; /retry takes the exchange alone \
                 back, and asks it again.",
            )
            .into());
        }
        let to = RewindTo::Request(last.query_id);
        self.host.sessions().rewind(id, to).await.or_fail()?;
        let files = match changes {
            0 => "it had changed no file".to_owned(),
            changes => format!("{} taken back", counted(changes)),
        };
        self.tell(&format!("taken back: {} ({files})", gist(&last.text)))?;
        self.tell_what_memory_keeps()?;
        self.tell_what_stays(&events, last.begins_after).await
    }

    /// Has the session take back so many changes, in as few requests as possible; how many it did.
    /// A request that did not do all of it is taken back itself.
    async fn restore(&mut self, changes: usize) -> Result<usize> {
        let mut undone = 0;
        while undone < changes {
            let steps = (changes - undone).min(PLAN_ACTIONS);
            let before = self.events().await?.last().map_or(0, |event| event.seq);
            let send = SendRequest {
                mode: Some(Mode::Deterministic),
                holder_id: self.session.holder_id,
                ..SendRequest::new(self.session.session_id, vec![UNDO; steps].join("; "))
            };
            self.work_on(send).await?;
            let events = self.events().await?;
            let later = events.iter().filter(|event| event.seq > before);
            let balance: i64 = later.map(change).sum();
            let done = usize::try_from(-balance).unwrap_or(0);
            undone += done;
            if done < steps {
                let asked = RewindTo::LastRequest;
                self.host
                    .sessions()
                    .rewind(self.session.session_id, asked)
                    .await
                    .or_fail()?;
                break;
            }
        }
        Ok(undone)
    }

    /// Says that memory is left alone, where answers are remembered.
    fn tell_what_memory_keeps(&mut self) -> Result<()> {
        if !self.captures {
            return Ok(());
        }
        self.tell(
            "  memory keeps what it remembered of it; `carl memory search` finds it and \
             `carl memory forget` forgets it",
        )
    }

    /// Names the tools whose effect no undo history has.
    async fn tell_what_stays(&mut self, events: &[Event], after: u64) -> Result<()> {
        let known = self.host.list_tools().await?;
        let only_looks = |name: &&str| {
            let tool = known
                .iter()
                .find(|tool| tool.definition.name.as_str() == *name);
            tool.is_some_and(|tool| {
                matches!(tool.effect, EffectClass::Read | EffectClass::SelfWrite)
            })
        };
        let mut used = tools_used(events, after);
        used.retain(|name| !only_looks(name) && *name != UNDO);
        if used.is_empty() {
            return Ok(());
        }
        self.tell(&format!("  not taken back: what {} did", used.join(", ")))
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

fn counted(changes: usize) -> String {
    match changes {
        1 => "1 file change".to_owned(),
        changes => format!("{changes} file changes"),
    }
}

/// The tools that did something among these events and left no file that can be restored.
fn tools_used(events: &[Event], after: u64) -> Vec<&str> {
    let later = events.iter().filter(|event| event.seq > after);
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
