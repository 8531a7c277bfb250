//! By whose settings a session works, for a chat that others may share it with.

use crate::values::model_in_words;
use domain::event::{Event, EventBody};
use domain::settings::{Attendance, OverrideLevel, SessionProfile, SessionSettings};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use text::escape::visible_line;

/// What is said when the chat's own settings are in force again.
const OWN_AGAIN: &str = "this chat's settings are in force again";

/// Settings of a chat's own that are remembered: what the log says of them may come late.
const OWN: usize = 4;

/// Tells a chat's own settings from those that another brought along.
#[derive(Debug)]
pub struct InForce {
    /// The newest last; the same for all that watch for a chat.
    own: Arc<Mutex<VecDeque<SessionProfile>>>,
    is_other: bool,
}

impl InForce {
    /// For a chat that works by these.
    #[must_use]
    pub fn of(own: &SessionProfile) -> Self {
        Self {
            own: Arc::new(Mutex::new(VecDeque::from([own.clone()]))),
            is_other: false,
        }
    }

    /// Another that tells for the same chat.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            own: Arc::clone(&self.own),
            is_other: false,
        }
    }

    /// The chat works by others of its own now, or is about to.
    pub fn own(&self, own: &SessionProfile) {
        let mut all = self.all();
        if all.len() >= OWN {
            all.pop_front();
        }
        all.push_back(own.clone());
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<SessionProfile>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an event says of it; `None` for nothing that the user does not know.
    pub fn note(&mut self, event: &Event) -> Option<String> {
        let (EventBody::SessionConfigured { profile } | EventBody::SessionResumed { profile }) =
            &event.body
        else {
            return None;
        };
        let is_own = |own: &SessionProfile| differences(own, profile).is_empty();
        let all = self.all();
        let differences = match all.back() {
            Some(newest) if !all.iter().any(is_own) => differences(newest, profile),
            _ => Vec::new(),
        };
        drop(all);
        let was_other = std::mem::replace(&mut self.is_other, !differences.is_empty());
        match (was_other, self.is_other) {
            (_, true) => Some(format!(
                "settings of another command are in force: {}",
                differences.join("; ")
            )),
            (true, false) => Some(OWN_AGAIN.to_owned()),
            (false, false) => None,
        }
    }
}

/// What is otherwise than a chat has it, in words.
fn differences(own: &SessionProfile, now: &SessionProfile) -> Vec<String> {
    let mut found = Vec::new();
    let (ours, theirs) = (&own.settings, &now.settings);
    if ours.override_level != theirs.override_level {
        found.push(match theirs.override_level {
            OverrideLevel::None => "no override".to_owned(),
            OverrideLevel::Relax => "override relax".to_owned(),
            OverrideLevel::All => "override all: nothing is asked or refused".to_owned(),
        });
    }
    if ours.attendance != theirs.attendance {
        found.push(match theirs.attendance {
            Attendance::Attended => "somebody is asked there".to_owned(),
            Attendance::Unattended => "nobody is asked".to_owned(),
        });
    }
    if own.model != now.model || own.context_tokens != now.context_tokens {
        let model = now.model.as_ref().map(model_in_words);
        let model = model.unwrap_or_else(|| "the agent type's".to_owned());
        found.push(format!("model {}", visible_line(&model)));
    }
    if own.think != now.think {
        found.push(format!("thinking {}", now.think.as_str()));
    }
    if own.mode != now.mode {
        found.push(format!("mode {}", now.mode.as_str()));
    }
    if ours.workspace != theirs.workspace {
        let folder = theirs.workspace.display().to_string();
        found.push(format!("works in {}", visible_line(&folder)));
    }
    found.extend(opened(ours, theirs));
    found
}

fn opened(ours: &SessionSettings, theirs: &SessionSettings) -> Vec<String> {
    fn differ<T: Ord>(what: &str, ours: &BTreeSet<T>, theirs: &BTreeSet<T>) -> Option<String> {
        let word = match (theirs.is_subset(ours), theirs.is_superset(ours)) {
            (true, true) => return None,
            (true, false) => "fewer",
            (false, true) => "more",
            (false, false) => "other",
        };
        Some(format!("{word} {what}"))
    }
    let lists = [
        differ("open folders", &ours.allow_write, &theirs.allow_write),
        differ(
            "folders open for reading",
            &ours.allow_read,
            &theirs.allow_read,
        ),
        differ(
            "disabled tools",
            &ours.disabled_tools,
            &theirs.disabled_tools,
        ),
        differ("granted tools", &ours.grants, &theirs.grants),
        differ(
            "effects allowed in advance",
            &ours.auto_approve,
            &theirs.auto_approve,
        ),
        differ(
            "approved plans",
            &ours.approved_plans,
            &theirs.approved_plans,
        ),
        differ(
            "checks after changes",
            &ours.checks.iter().collect(),
            &theirs.checks.iter().collect(),
        ),
    ];
    lists.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::id::SessionId;
    use domain::lineage::AgentType;
    use domain::model::Think;
    use domain::settings::Mode;
    use std::path::PathBuf;
    use uuid::Uuid;

    fn configured(profile: &SessionProfile) -> Event {
        let profile = profile.clone();
        Event {
            seq: 1,
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::nil()),
            query_id: None,
            agent_id: None,
            respondent_id: None,
            call_id: None,
            body: EventBody::SessionConfigured { profile },
        }
    }

    #[test]
    fn only_what_others_brought_is_told() {
        let mut own = SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings: SessionSettings::closed(PathBuf::from("/w")),
        };
        own.settings.attendance = Attendance::Attended;
        let mut in_force = InForce::of(&own);
        let mut note = |profile: &SessionProfile| in_force.note(&configured(profile));
        assert_eq!(note(&own), None);
        let mut other = own.clone();
        other.settings.override_level = OverrideLevel::All;
        other.settings.attendance = Attendance::Unattended;
        other.settings.allow_write.insert(PathBuf::from("/w"));
        let told = note(&other).unwrap();
        for part in ["override all", "nobody is asked", "more open folders"] {
            assert!(told.contains(part), "{told}");
        }
        assert_eq!(note(&own).as_deref(), Some(OWN_AGAIN));
        assert_eq!(note(&own), None);
        // What the chat set itself is told as nobody else's, however late the log says so.
        let mut planned = own.clone();
        planned.mode = Mode::Plan;
        in_force.own(&planned);
        in_force.own(&own);
        let mut note = |profile: &SessionProfile| in_force.note(&configured(profile));
        assert_eq!(note(&planned), None);
        assert_eq!(note(&own), None);
        assert!(note(&other).is_some());
    }
}
