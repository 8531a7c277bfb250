//! Who holds a session, and whose profile counts in it: that of the holder whose request is worked
//! on, and else that of the one who holds the session longest.

use api::sessions::{Error, ErrorKind};
use domain::id::HolderId;
use domain::settings::{Mode, SessionProfile};
use uuid::Uuid;

/// Everyone who opened a session and did not close it, the first first.
#[derive(Debug, Default)]
pub(crate) struct Holders(Vec<(HolderId, SessionProfile)>);

impl Holders {
    /// One more. Without a profile it is the session's, less what a command opened for itself.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] when the session cannot be what the profile asks for while others hold it.
    pub(crate) fn add(&mut self, profile: Option<SessionProfile>) -> Result<HolderId, Error> {
        let settled = self.settled().cloned();
        let profile = match (profile, &settled) {
            (Some(profile), _) => profile,
            (None, Some(settled)) => left(settled.clone()),
            (None, None) => return Err(nobody()),
        };
        if let Some(settled) = &settled {
            check_beside(&profile, settled)?;
        }
        let id = HolderId::from_uuid(Uuid::now_v7());
        self.0.push((id, profile));
        Ok(id)
    }

    /// Another profile of a holder; whether it is the one that counts while no request is worked on.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for somebody who does not hold it, and as [`Holders::add`].
    pub(crate) fn change(&mut self, id: HolderId, profile: SessionProfile) -> Result<bool, Error> {
        let is_settled = self.0.first().is_some_and(|(first, _)| *first == id);
        if let (Some(settled), false) = (self.settled(), is_settled) {
            check_beside(&profile, settled)?;
        }
        let mut holders = self.0.iter_mut();
        let found = holders.find(|(other, _)| *other == id).ok_or_else(nobody)?;
        found.1 = profile;
        Ok(is_settled)
    }

    /// One less; how many are left.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for somebody who does not hold it.
    pub(crate) fn remove(&mut self, id: HolderId) -> Result<usize, Error> {
        let mut holders = self.0.iter();
        let at = holders.position(|(other, _)| *other == id);
        self.0.remove(at.ok_or_else(nobody)?);
        Ok(self.0.len())
    }

    /// How many hold it.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// The profile of a holder.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for somebody who does not hold it.
    pub(crate) fn profile_of(&self, id: HolderId) -> Result<&SessionProfile, Error> {
        let mut holders = self.0.iter();
        let found = holders.find(|(other, _)| *other == id);
        found.map(|(_, profile)| profile).ok_or_else(nobody)
    }

    /// The profile of the one who holds it longest.
    pub(crate) fn settled(&self) -> Option<&SessionProfile> {
        self.0.first().map(|(_, profile)| profile)
    }
}

/// A profile as it stays when the command that brought it is gone.
pub(crate) fn left(profile: SessionProfile) -> SessionProfile {
    SessionProfile {
        settings: profile.settings.left(),
        ..profile
    }
}

/// What a session works by.
#[derive(Debug)]
pub(crate) struct Force {
    /// What the broker and the log were told; `None` when that is not certain.
    pub(super) told: Option<SessionProfile>,
    /// The request that is worked on brought its own.
    pub(super) is_borrowed: bool,
}

impl Force {
    /// As a session is opened.
    pub(crate) const fn of(profile: SessionProfile) -> Self {
        Self {
            told: Some(profile),
            is_borrowed: false,
        }
    }
}

fn check_beside(profile: &SessionProfile, settled: &SessionProfile) -> Result<(), Error> {
    let what = if profile.agent_type != settled.agent_type {
        format!("its agent is of the type {}", settled.agent_type)
    } else if profile.mode == Mode::Auto && settled.mode != Mode::Auto {
        format!("it is in {} mode", settled.mode.as_str())
    } else {
        return Ok(());
    };
    Err(Error::new(
        ErrorKind::Busy,
        format!("Another command holds this session, where {what}."),
    )
    .with_hint("End that one first, or go on in a copy: `carl session fork`."))
}

fn nobody() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "The session is not open for this command any more.",
    )
    .with_hint("Open it (resume) again; its log is kept.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::lineage::AgentType;
    use domain::model::Think;
    use domain::settings::{Attendance, OverrideLevel, SessionSettings};
    use std::path::PathBuf;

    fn profile(mode: Mode, level: OverrideLevel) -> SessionProfile {
        let mut settings = SessionSettings::closed(PathBuf::from("/w"));
        settings.override_level = level;
        settings.attendance = Attendance::Attended;
        SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder").unwrap(),
            mode,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings,
        }
    }

    #[test]
    fn the_longest_holder_settles_it() {
        let mut holders = Holders::default();
        let calm = profile(Mode::Loop, OverrideLevel::None);
        let wide = profile(Mode::Loop, OverrideLevel::All);
        let first = holders.add(Some(calm.clone())).unwrap();
        let second = holders.add(Some(wide.clone())).unwrap();
        assert_eq!(holders.settled(), Some(&calm));
        assert_eq!(holders.profile_of(second).unwrap(), &wide);
        assert!(!holders.change(second, calm.clone()).unwrap());
        assert!(holders.change(first, wide.clone()).unwrap());
        assert_eq!(holders.remove(first).unwrap(), 1);
        assert_eq!(holders.settled(), Some(&calm));
        assert_eq!(holders.remove(first).unwrap_err().kind, ErrorKind::NotFound);
        assert_eq!(holders.remove(second).unwrap(), 0);
    }

    #[test]
    fn who_brings_nothing_gets_nothing_open() {
        let mut holders = Holders::default();
        assert!(holders.add(None).is_err());
        let wide = profile(Mode::Loop, OverrideLevel::All);
        holders.add(Some(wide)).unwrap();
        let second = holders.add(None).unwrap();
        let settings = &holders.profile_of(second).unwrap().settings;
        assert_eq!(*settings, SessionSettings::closed(PathBuf::from("/w")));
    }

    #[test]
    fn a_second_holder_does_not_start_the_drive() {
        let mut holders = Holders::default();
        let calm = profile(Mode::Loop, OverrideLevel::None);
        let auto = profile(Mode::Auto, OverrideLevel::None);
        let first = holders.add(Some(calm.clone())).unwrap();
        let refused = holders.add(Some(auto.clone())).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Busy);
        holders.change(first, auto.clone()).unwrap();
        let second = holders.add(Some(calm)).unwrap();
        holders.change(second, auto).unwrap();
        let mut other = profile(Mode::Loop, OverrideLevel::None);
        other.agent_type = AgentType::new("researcher").unwrap();
        assert_eq!(holders.add(Some(other)).unwrap_err().kind, ErrorKind::Busy);
    }
}
