//! Permission for one call, as a value.
//!
//! An [`Authorized`] has no public constructor and no `Clone`. Only an [`Authority`] makes one, and
//! the architecture test pins `services/broker` as the only place that establishes an authority.
//! Executing a tool takes the `Authorized` by value, so that it works once.

use crate::failure::{ToolFailure, mendable, of_call, refused};
use crate::secrets::SecretValue;
use domain::Timestamp;
use domain::hash::Digest;
use domain::id::{CallId, SessionId};
use domain::label::Label;
use domain::limits::AUTHORISATION_LIFE;
use domain::rights::Rights;
use domain::tool::ToolName;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// A call as it was judged: exactly what may run.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedCall {
    /// The session it runs in.
    pub session_id: SessionId,
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The version of the tool that was judged.
    pub tool_version: String,
    /// The arguments, an object that fits the tool's schema.
    pub arguments: Value,
    /// Arguments that name paths, absolute and normalised, by argument name.
    pub targets: BTreeMap<String, PathBuf>,
    /// Folders and files that may be looked at, absolute.
    pub read_roots: Vec<PathBuf>,
    /// Folders and files that may be changed, absolute.
    pub write_roots: Vec<PathBuf>,
    /// Which memories and how much of a web page the agent may see.
    pub rights: Rights,
    /// The joined label of the arguments.
    pub label: Label,
    /// Whether the user typed it: it is a step of an approved plan that the rules make of the user's
    /// words, and its text stands in them.
    pub is_typed: bool,
    /// The policy it was judged by.
    pub policy_revision: Digest,
}

impl JudgedCall {
    /// The arguments, in the form that the tool reads them in.
    ///
    /// # Errors
    /// [`ToolFailure`] that the model can mend, when they do not fit.
    pub fn parse_arguments<T: DeserializeOwned>(&self) -> Result<T, ToolFailure> {
        serde_json::from_value(self.arguments.clone()).map_err(|error| {
            mendable(
                "invalid_arguments",
                of_call(format!("The arguments do not fit the tool: {error}.")),
            )
        })
    }

    /// What an approval binds: the tool's version, arguments, targets, labels, policy, and whether
    /// the user typed it.
    #[must_use]
    pub fn binding(&self) -> Digest {
        let origins: Vec<&String> = self.label.origins.iter().collect();
        Digest::of_json(&json!({
            "tool": self.tool.as_str(),
            "version": self.tool_version,
            "arguments": self.arguments,
            "targets": self.targets,
            "namespaces": self.rights.namespaces,
            "web_content": self.rights.web_content,
            "integrity": format!("{:?}", self.label.integrity),
            "readers": format!("{:?}", self.label.readers),
            "origins": origins,
            "typed": self.is_typed,
            "policy": self.policy_revision.to_string(),
        }))
    }
}

/// The only source of permissions.
#[derive(Debug)]
pub struct Authority {
    _sealed: (),
}

impl Authority {
    /// Establishes an authority. The broker's alone; see the module's text.
    #[must_use]
    pub fn establish() -> Self {
        Self { _sealed: () }
    }

    /// Permits one judged call, for [`AUTHORISATION_LIFE`] from `now`.
    #[must_use]
    pub fn authorise(&self, call: JudgedCall, now: Timestamp) -> Authorized {
        self.authorise_with(call, BTreeMap::new(), now)
    }

    /// As [`Authority::authorise`], with the secrets that fill the tool's slots, by argument name.
    #[must_use]
    pub fn authorise_with(
        &self,
        call: JudgedCall,
        secrets: BTreeMap<String, SecretValue>,
        now: Timestamp,
    ) -> Authorized {
        let binding = call.binding();
        Authorized {
            call,
            binding,
            issued: now,
            secrets,
        }
    }
}

/// Permission for exactly one call, once.
pub struct Authorized {
    call: JudgedCall,
    binding: Digest,
    issued: Timestamp,
    secrets: BTreeMap<String, SecretValue>,
}

impl fmt::Debug for Authorized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorized")
            .field("call", &self.call)
            .field("issued", &self.issued)
            .finish_non_exhaustive()
    }
}

/// A permission that came too late.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the permission for this call has expired")]
pub struct Expired;

impl From<Expired> for ToolFailure {
    fn from(expired: Expired) -> Self {
        refused("expired", format!("{expired}; ask again."))
    }
}

impl Authorized {
    /// Uses the permission up.
    ///
    /// # Errors
    /// [`Expired`] when more than [`AUTHORISATION_LIFE`] has passed, or the clock went back.
    pub fn redeem(self, now: Timestamp) -> Result<JudgedCall, Expired> {
        let age = now.duration_since(self.issued);
        let is_fresh = !age.is_negative() && age.unsigned_abs() <= AUTHORISATION_LIFE;
        if is_fresh && self.call.binding() == self.binding {
            Ok(self.call)
        } else {
            Err(Expired)
        }
    }

    /// Takes the secrets out, by argument name. They go to a child over a descriptor or into a
    /// request in memory, never into arguments or an environment.
    #[must_use]
    pub fn take_secrets(&mut self) -> BTreeMap<String, SecretValue> {
        std::mem::take(&mut self.secrets)
    }

    /// What it permits, to look at.
    #[must_use]
    pub fn call(&self) -> &JudgedCall {
        &self.call
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::rights::{Namespace, WebContent};
    use jiff::SignedDuration;
    use std::collections::BTreeMap;

    fn call() -> JudgedCall {
        JudgedCall {
            session_id: SessionId::from_uuid(uuid::Uuid::nil()),
            call_id: CallId::from_uuid(uuid::Uuid::nil()),
            tool: ToolName::new("read_file").unwrap(),
            tool_version: "1".to_owned(),
            arguments: json!({"path": "a.txt"}),
            targets: BTreeMap::from([("path".to_owned(), PathBuf::from("/w/a.txt"))]),
            read_roots: vec![PathBuf::from("/w")],
            write_roots: Vec::new(),
            rights: Rights::default(),
            label: Label::trusted("user"),
            is_typed: false,
            policy_revision: Digest::of(b"policy"),
        }
    }

    #[test]
    fn a_permission_lapses_after_its_life_and_when_the_clock_goes_back() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1);
        let life = SignedDuration::try_from(AUTHORISATION_LIFE).unwrap();
        let authority = Authority::establish();
        assert!(authority.authorise(call(), now).redeem(now + life).is_ok());
        let late = now + life + SignedDuration::from_millis(1);
        assert_eq!(authority.authorise(call(), now).redeem(late), Err(Expired));
        let early = now - SignedDuration::from_millis(1);
        assert_eq!(authority.authorise(call(), now).redeem(early), Err(Expired));
    }

    #[test]
    fn secrets_are_taken_once_and_never_printed() {
        let secrets = BTreeMap::from([(
            "key".to_owned(),
            SecretValue::new(b"hunter2-horse".to_vec()),
        )]);
        let now = Timestamp::UNIX_EPOCH;
        let mut permission = Authority::establish().authorise_with(call(), secrets, now);
        assert!(!format!("{permission:?}").contains("hunter2"));
        let taken = permission.take_secrets();
        assert_eq!(
            taken.get("key").map(SecretValue::expose),
            Some(&b"hunter2-horse"[..])
        );
        assert!(permission.take_secrets().is_empty());
    }

    #[test]
    fn every_part_of_the_call_changes_the_binding() {
        let base = call().binding();
        let changes: [fn(&mut JudgedCall); 8] = [
            |c| c.tool_version = "2".to_owned(),
            |c| c.arguments = json!({"path": "b.txt"}),
            |c| c.targets = BTreeMap::new(),
            |c| c.label = Label::untrusted("web"),
            |c| c.rights.namespaces = vec![Namespace::user()],
            |c| c.rights.web_content = WebContent::Extracted,
            |c| c.is_typed = true,
            |c| c.policy_revision = Digest::of(b"other"),
        ];
        for change in changes {
            let mut changed = call();
            change(&mut changed);
            assert_ne!(changed.binding(), base);
        }
    }
}
