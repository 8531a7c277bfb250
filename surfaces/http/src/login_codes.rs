//! Login codes: what `carl web` prints, and a browser shows once.
//!
//! They stand in a file, as digests, so that a server that runs already takes a code that was made
//! after it began.

mod record;

use crate::limits::{LOGIN_CODE_FILE_BYTES, LOGIN_CODE_TIME, LOGIN_CODES};
use crate::secret::{fresh, is_same};
use disk::private::{self, Durability};
use disk::read::{Links, bytes};
use domain::Timestamp;
use domain::fault::Coded;
use domain::hash::Digest;
use record::{File, Record};
use std::fmt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Why login codes cannot be made or taken.
#[derive(Debug, thiserror::Error)]
#[error("the file of login codes, {}, cannot be used: {detail}", path.display())]
pub struct Error {
    path: PathBuf,
    detail: String,
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        "http.login_codes"
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        "Move it away: what is in it counts for minutes only.".to_owned()
    }
}

/// The login codes of a state folder.
#[derive(Debug, Clone)]
pub struct LoginCodes {
    path: PathBuf,
    lock: PathBuf,
}

impl LoginCodes {
    /// Those of a state folder, which is there.
    #[must_use]
    pub fn below(state: &Path) -> Self {
        Self {
            path: state.join("login-codes.json"),
            lock: state.join("login-codes.lock"),
        }
    }

    /// Makes a code, which is kept nowhere and counts once, for [`LOGIN_CODE_TIME`].
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn add(&self, now: Timestamp) -> Result<Zeroizing<String>, Error> {
        let code = fresh("");
        let record = Record {
            digest: Digest::of(code.as_bytes()),
            expires: now
                .checked_add(LOGIN_CODE_TIME)
                .map_err(|error| self.unusable(&error))?,
        };
        self.change(now, |codes| {
            // The oldest makes room.
            let surplus = (codes.len() + 1).saturating_sub(LOGIN_CODES);
            codes.drain(..surplus);
            codes.push(record);
            true
        })?;
        Ok(code)
    }

    /// Whether a code counts; it counts no more from now on.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn take(&self, shown: &str, now: Timestamp) -> Result<bool, Error> {
        let shown = Digest::of(shown.as_bytes());
        let mut counts = false;
        self.change(now, |codes| {
            codes.retain(|one| {
                let is_it = is_same(&one.digest, &shown);
                counts |= is_it;
                !is_it
            });
            counts
        })?;
        Ok(counts)
    }

    /// Changes the codes that still count; `change` says whether it did.
    fn change(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut Vec<Record>) -> bool,
    ) -> Result<(), Error> {
        let _lock = private::wait_for_lock(&self.lock).map_err(|error| self.unusable(&error))?;
        let mut codes = self.read()?;
        let before = codes.len();
        codes.retain(|one| one.expires > now);
        let have_expired = codes.len() < before;
        if !change(&mut codes) && !have_expired {
            // Whoever guesses has nothing written.
            return Ok(());
        }
        let text =
            serde_json::to_vec_pretty(&File::of(codes)).map_err(|error| self.unusable(&error))?;
        private::replace(&self.path, &text, Durability::Durable)
            .map_err(|error| self.unusable(&error))
    }

    fn read(&self) -> Result<Vec<Record>, Error> {
        let found = bytes(&self.path, LOGIN_CODE_FILE_BYTES, Links::Refused);
        let Some(bytes) = found.map_err(|error| self.unusable(&error))? else {
            return Ok(Vec::new());
        };
        let file: File = serde_json::from_slice(&bytes).map_err(|error| self.unusable(&error))?;
        file.codes().map_err(|detail| self.unusable(&detail))
    }

    fn unusable(&self, why: &dyn fmt::Display) -> Error {
        Error {
            path: self.path.clone(),
            detail: why.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_login_code_counts_once_and_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let codes = LoginCodes::below(folder.path());
        let end = i64::try_from(LOGIN_CODE_TIME.as_secs()).unwrap();
        let (first, second) = (codes.add(at(0)).unwrap(), codes.add(at(0)).unwrap());
        let kept = std::fs::read_to_string(folder.path().join("login-codes.json")).unwrap();
        assert!(!kept.contains(first.as_str()));
        assert!(!codes.take("", at(1)).unwrap());
        assert!(codes.take(&first, at(end - 1)).unwrap());
        assert!(!codes.take(&first, at(end - 1)).unwrap());
        assert!(!codes.take(&second, at(end)).unwrap());
    }

    #[test]
    fn the_oldest_login_code_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let codes = LoginCodes::below(folder.path());
        let all: Vec<_> = (0..=LOGIN_CODES)
            .map(|_| codes.add(at(0)).unwrap())
            .collect();
        assert!(!codes.take(&all[0], at(1)).unwrap());
        assert!(codes.take(&all[1], at(1)).unwrap());
    }
}
