//! What the user allowed for the rest of a session, and when that no longer says what was meant.

use api::broker::GrantListing;
use domain::hash::Digest;
use domain::label::Integrity;
use domain::tool::EffectClass;
use policy::Bound;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// Targets the user may allow for a session.
const APPROVALS: usize = 10_000;

/// A yes for the session.
#[derive(Debug)]
struct Approval {
    grant: GrantListing,
    keys: [Digest; 2],
    effect: EffectClass,
    /// How far what the agent had been shown could be trusted when it was given.
    integrity: Integrity,
    /// The words of the call, among them the files that it runs.
    words: BTreeSet<String>,
}

impl Approval {
    /// Whether it still says what the user meant. What a program does may be chosen by whatever the
    /// agent read since.
    fn holds(&self, integrity: Integrity) -> bool {
        self.effect != EffectClass::Exec || integrity <= self.integrity
    }

    /// Whether the call may run what stands in the file.
    fn may_run(&self, path: &Path) -> bool {
        let is_named = || {
            let name = path.file_name().map(|name| name.to_string_lossy());
            self.words.iter().any(|word| {
                let last = Path::new(word).file_name();
                name.is_some() && last.map(|last| last.to_string_lossy()) == name
            })
        };
        self.effect == EffectClass::Exec && (self.integrity == Integrity::Untrusted || is_named())
    }
}

/// Every yes for the session.
#[derive(Debug, Default)]
pub(crate) struct Approvals {
    given: Vec<Approval>,
}

impl Approvals {
    /// Remembers a yes: for the call as it stands, and for what it covers. `integrity`: how far
    /// what the agent was shown may be trusted. When there are too many, it is asked again.
    pub(crate) fn give(
        &mut self,
        (bound, arguments): (&Bound, &Value),
        integrity: Integrity,
        grant: GrantListing,
    ) {
        if self.given.len() < APPROVALS {
            self.given.push(Approval {
                grant,
                keys: [bound.approval_key, bound.repeat_key],
                effect: bound.effect,
                integrity,
                words: words_of(arguments),
            });
        }
    }

    /// What is allowed for an agent that was shown what may be trusted so far.
    pub(crate) fn for_agent(&self, integrity: Integrity) -> HashSet<Digest> {
        let holding = self.given.iter().filter(|one| one.holds(integrity));
        holding.flat_map(|one| one.keys).collect()
    }

    /// Forgets each yes to run something that a file may be part of, since the file is changed.
    pub(crate) fn file_changes(&mut self, path: &Path) {
        self.given.retain(|one| !one.may_run(path));
    }

    /// Forgets every yes: what it was given under has changed.
    pub(crate) fn forget(&mut self) {
        self.given.clear();
    }

    /// What was allowed, in words, oldest first.
    pub(crate) fn listed(&self) -> Vec<GrantListing> {
        self.given.iter().map(|one| one.grant.clone()).collect()
    }
}

/// Every text of a call's arguments, and the items of its lists.
fn words_of(arguments: &Value) -> BTreeSet<String> {
    let fields = arguments
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values());
    let items = fields.flat_map(|value| match value {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    });
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
