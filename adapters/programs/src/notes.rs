//! What a program left that somebody must know of: said to the model with its result, and to the
//! user, whom no model can keep from hearing it.

use api::executor::{Report, ReportSink};
use domain::fault::Fault;
use domain::id::SessionId;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use text::escape::visible_line;
use tokio::sync::Notify;

/// Most places set aside that the user is told of one by one.
const TOLD: usize = 5;
/// Most of a path that the user is told, characters.
const SHOWN_CHARS: usize = 400;
/// How long a call that ends with a program has to tell what there is to know.
const CALLS_FIRST: Duration = Duration::from_secs(1);
/// Most further ones that are named.
/// Most files that a note names of those that a program changed.
const NAMED_FILES: usize = 10;
const NAMED: usize = 50;

/// One thing to know after a program ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// A protected place that was not there before, and what it is called now.
    SetAside { place: PathBuf, aside: String },
    /// One that could not be given another name.
    Left { place: PathBuf, why: String },
    /// Not everything could be looked at.
    Incomplete { why: String },
    /// What it changed in the working folder, as far as undo brings it back.
    Changed(Vec<PathBuf>),
    /// What only the model needs, to do better.
    Hint(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetAside { place, aside } => write!(
                f,
                "{} is a protected place; it was not there before and is now named {aside}",
                place.display()
            ),
            Self::Left { place, why } => write!(
                f,
                "{} is a protected place and could not be set aside: {why}",
                place.display()
            ),
            Self::Incomplete { why } => write!(
                f,
                "ATTENTION: the search for protected places that the program made is incomplete \
                 ({why}). Tell the user to look for .git, .envrc, .vscode and the like before \
                 running git, a shell or an editor in the folders that the program could write."
            ),
            Self::Changed(files) => {
                let named = files.iter().take(NAMED_FILES);
                let named: Vec<String> = named.map(|file| shown(file)).collect();
                let more = match files.len().saturating_sub(NAMED_FILES) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(f, "changed {}{more}", named.join(", "))
            }
            Self::Hint(text) => f.write_str(text),
        }
    }
}

impl Note {
    /// What the user is told of it; `None` where only the model needs it.
    fn notice(&self) -> Option<Fault> {
        let told = match self {
            Self::SetAside { place, aside } => fault(
                "tools.set_aside",
                format!(
                    "{} appeared while a program of an agent ran, and git, a shell or an editor \
                     would act on it. It is now named {aside}.",
                    shown(place)
                ),
                "If you made it yourself, give it its name back. If not, delete it.",
            ),
            Self::Left { place, why } => fault(
                "tools.not_set_aside",
                format!(
                    "{} appeared while a program of an agent ran, and could not be given another \
                     name: {why}.",
                    shown(place)
                ),
                "Look at it before you run git, a shell or an editor there.",
            ),
            Self::Incomplete { why } => fault(
                "tools.not_looked_through",
                format!("What a program of an agent left could not be looked through: {why}."),
                "Look for .git, .envrc, .vscode and the like before you run git, a shell or an \
                 editor in the folders that it could write.",
            ),
            Self::Changed(_) | Self::Hint(_) => return None,
        };
        Some(told)
    }
}

/// A place without the middle of a path that would push others off the screen.
fn shown(place: &Path) -> String {
    let path = visible_line(&place.to_string_lossy());
    let count = path.chars().count();
    if count <= SHOWN_CHARS {
        return path;
    }
    let half = SHOWN_CHARS / 2;
    let head: String = path.chars().take(half).collect();
    let tail: String = path.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}

fn fault(code: &str, message: String, hint: &str) -> Fault {
    Fault {
        code: code.to_owned(),
        message,
        hint: hint.to_owned(),
    }
}

/// What the user is told of these: first what was not set aside, all of it; then what was, the first few
/// one by one and the others together.
pub(crate) fn notices(notes: &[Note]) -> Vec<Fault> {
    let is_aside = |note: &&Note| matches!(note, Note::SetAside { .. });
    let (aside, left): (Vec<&Note>, Vec<&Note>) = notes.iter().partition(is_aside);
    let mut told: Vec<Fault> = left.into_iter().filter_map(Note::notice).collect();
    told.extend(aside.iter().take(TOLD).filter_map(|note| note.notice()));
    let rest = aside.get(TOLD..).unwrap_or_default();
    if !rest.is_empty() {
        let named = rest.iter().take(NAMED).map(|note| note.to_string());
        let mut message = format!("{} more such places: ", rest.len());
        message.push_str(&named.collect::<Vec<_>>().join("; "));
        if rest.len() > NAMED {
            message.push_str(&format!("; and {} more", rest.len() - NAMED));
        }
        let hint = "`find . -name 'set-aside-*'` lists them all.";
        told.push(fault("tools.set_aside", message, hint));
    }
    told
}

/// What users were not told yet, by session. A program may end when no call waits for it.
#[derive(Debug, Default)]
pub(crate) struct Untold {
    all: Mutex<BTreeMap<SessionId, Vec<Fault>>>,
    news: Notify,
}

impl Untold {
    pub(crate) fn leave(&self, session_id: SessionId, notices: Vec<Fault>) {
        if !notices.is_empty() {
            self.change(|all| all.entry(session_id).or_default().extend(notices));
            self.news.notify_waiters();
        }
    }

    /// The next of them that no call has told within a moment.
    pub(crate) async fn next(&self, session_id: SessionId) -> Vec<Fault> {
        loop {
            let news = self.news.notified();
            tokio::pin!(news);
            // Before looking, so that nothing comes in between unnoticed.
            news.as_mut().enable();
            if self.change(|all| all.contains_key(&session_id)) {
                tokio::time::sleep(CALLS_FIRST).await;
                let left = self.take(session_id);
                if !left.is_empty() {
                    return left;
                }
                continue;
            }
            news.await;
        }
    }

    /// Tells what there is by way of a call that is answered.
    pub(crate) fn tell(&self, session_id: SessionId, reports: &ReportSink) {
        let notices = self.take(session_id);
        let mut waiting = notices.into_iter();
        while let Some(notice) = waiting.next() {
            if reports.try_send(Report::Notice(notice.clone())).is_err() {
                let rest = std::iter::once(notice).chain(waiting).collect();
                return self.leave(session_id, rest);
            }
        }
    }

    /// Tells it where errors are logged, when there will be no more calls.
    pub(crate) fn log(&self, session_id: SessionId) {
        for Fault { message, hint, .. } in self.take(session_id) {
            tracing::error!("{} {hint}", visible_line(&message));
        }
    }

    /// The same for every session.
    pub(crate) fn log_all(&self) {
        let sessions: Vec<SessionId> = self.change(|all| all.keys().copied().collect());
        sessions
            .into_iter()
            .for_each(|session_id| self.log(session_id));
    }

    fn take(&self, session_id: SessionId) -> Vec<Fault> {
        self.change(|all| all.remove(&session_id).unwrap_or_default())
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<SessionId, Vec<Fault>>) -> T) -> T {
        change(&mut self.all.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_hears_of_every_place_and_of_no_hint() {
        let place = |number: usize| Note::SetAside {
            place: PathBuf::from(format!("/w/{number}/.git")),
            aside: format!("set-aside-{number}-git"),
        };
        let hint = Note::Hint("its time was up".to_owned());
        assert_eq!(notices(std::slice::from_ref(&hint)), []);
        let few = notices(&[hint, place(1), place(2)]);
        assert_eq!(few.len(), 2);
        assert!(few[0].message.contains("/w/1/.git") && few[1].message.contains("set-aside-2-git"));
        let mut many: Vec<Note> = (0..TOLD + NAMED + 7).map(place).collect();
        let why = "it is full".to_owned();
        let live = PathBuf::from("/w/live/.git");
        many.push(Note::Left { place: live, why });
        let told = notices(&many);
        assert_eq!(told.len(), 1 + TOLD + 1);
        assert!(told[0].message.contains("/w/live/.git"), "{told:?}");
        let last = &told[TOLD + 1].message;
        let named = format!("/w/{}/.git", TOLD + NAMED - 1);
        assert!(last.contains("57 more") && last.contains(&named), "{last}");
        assert!(last.ends_with("and 7 more"), "{last}");
    }
}
