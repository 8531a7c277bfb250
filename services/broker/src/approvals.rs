//! What the user allowed for the rest of a session, and when that no longer says what was meant.

use api::broker::GrantListing;
use api::executor::SessionScope;
use domain::hash::Digest;
use domain::id::AgentId;
use domain::label::Label;
use domain::tool::EffectClass;
use policy::{Allowed, Bound};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tokio::sync::watch;

/// Targets the user may allow for a session.
const APPROVALS: usize = 10_000;

/// Why a yes ended where its agent was shown something.
const HAS_READ: &str = "the agent has read its first file, or something from outside this machine";
/// The origin of what programs print, see the tool table.
const PROGRAMS: &str = "program";
/// Where paths of a call really lie, by their names in it. One that cannot be told counts as itself.
pub(crate) type Places = BTreeMap<PathBuf, PathBuf>;

/// Where links of these lead elsewhere, in one digest: a real name need be no text.
pub(crate) fn in_truth(places: &Places) -> Digest {
    let elsewhere = places.iter().filter(|(named, real)| named != real);
    let digest = |path: &PathBuf| Digest::of(path.as_os_str().as_encoded_bytes()).to_string();
    let digests: BTreeMap<String, String> = elsewhere
        .map(|(named, real)| (digest(named), digest(real)))
        .collect();
    Digest::of_json(&json!(digests))
}

/// A yes for the session to a call.
#[derive(Debug)]
struct Approval {
    grant: GrantListing,
    keys: [Digest; 2],
    effect: EffectClass,
    /// What the agent had been shown when it was given.
    shown: Label,
    /// Where its paths lay when it was given.
    places: Places,
}

/// A yes for the session to a program with what it is told to do, see [`api::executor::SessionScope`].
#[derive(Debug)]
struct Program {
    grant: GrantListing,
    key: Digest,
    /// What it covers, in words.
    words: String,
    /// The agent that asked.
    agent: AgentId,
    /// How often it had been shown something from outside this machine when it made the call.
    outside: u64,
    /// What the agent had been shown when it was given.
    shown: Label,
}

/// A yes for the session to every change of files in a folder.
#[derive(Debug)]
struct Changeable {
    grant: GrantListing,
    folder: PathBuf,
    /// The agent that asked.
    agent: AgentId,
    /// How often it had been shown something from outside this machine when it made the call.
    outside: u64,
}

impl Changeable {
    /// Whether it still says what the user meant: the agent that asked was shown nothing from outside
    /// this machine since that may have chosen what is written.
    fn holds(&self, agent: AgentId, outside: u64) -> bool {
        self.agent == agent && self.outside == outside
    }

    /// Whether what the call names in the folder lies there.
    fn is_there(&self, places: &Places) -> bool {
        let mut named = places
            .iter()
            .filter(|(path, _)| path.starts_with(&self.folder));
        named.all(|(_, real)| real.starts_with(&self.folder))
    }
}

impl Approval {
    /// Whether it still says what the user meant. What is run may be chosen by whatever the agent
    /// was shown since, other than by what programs printed: the user said yes to those.
    fn holds(&self, shown: &Label) -> bool {
        self.effect != EffectClass::Exec || is_no_worse(shown, &self.shown)
    }

    /// Whether the paths lie where they lay: a link that was put there since leads to something
    /// that nobody was asked about.
    fn is_there(&self, now: &Places) -> bool {
        now.iter().all(|(path, real)| {
            let then = self.places.get(path).unwrap_or(path);
            then == real
        })
    }
}

impl Program {
    /// Whether it still says what the user meant, as that to a folder and to a command does.
    fn holds(&self, shown: &Label, (agent, outside): (AgentId, u64)) -> bool {
        self.agent == agent && self.outside == outside && is_no_worse(shown, &self.shown)
    }
}

/// Whether what an agent was shown is as trusted as it was then, other than by what programs printed.
fn is_no_worse(now: &Label, then: &Label) -> bool {
    let mut since = now.origins.difference(&then.origins);
    now.integrity <= then.integrity || since.all(|origin| origin.starts_with(PROGRAMS))
}

/// Every yes for the session.
#[derive(Debug, Default)]
pub(crate) struct Approvals {
    given: Vec<Approval>,
    programs: Vec<Program>,
    changeable: Vec<Changeable>,
    /// What commands a yes stood for that ended since files were changed.
    ended: BTreeSet<Digest>,
    /// Changes with each that is given.
    more: watch::Sender<u64>,
}

impl Approvals {
    /// Learns of each that is given from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.more.subscribe()
    }

    /// One was given: what waits for an answer may be covered by it.
    pub(crate) fn are_more(&self) {
        self.more.send_modify(|count| *count += 1);
    }

    /// Remembers a yes: for the call as it stands, and for what it covers, at these places. `shown`:
    /// the label of what the agent was shown. When there are too many, it is asked again.
    pub(crate) fn give(
        &mut self,
        (bound, places): (&Bound, Places),
        shown: Label,
        grant: GrantListing,
    ) {
        self.ended.remove(&bound.approval_key);
        if self.given.len() < APPROVALS {
            self.given.push(Approval {
                grant,
                keys: [bound.approval_key, bound.repeat_key],
                effect: bound.effect,
                shown,
                places,
            });
        }
    }

    /// Remembers a yes to every change of files in a folder, for an agent that had been shown something
    /// from outside this machine so many times when it asked.
    pub(crate) fn give_folder(
        &mut self,
        folder: PathBuf,
        (agent, outside): (AgentId, u64),
        grant: GrantListing,
    ) {
        self.changeable
            .retain(|one| one.folder != folder || one.agent != agent);
        if self.changeable.len() < APPROVALS {
            self.changeable.push(Changeable {
                grant,
                folder,
                agent,
                outside,
            });
        }
    }

    /// Remembers a yes to a program with what it is told to do, as [`Self::give_folder`] does.
    pub(crate) fn give_program(
        &mut self,
        scope: &SessionScope,
        (agent, outside): (AgentId, u64),
        shown: Label,
        grant: GrantListing,
    ) {
        // One that ended is replaced as well.
        self.programs
            .retain(|one| one.words != scope.words || one.agent != agent);
        if self.programs.len() < APPROVALS {
            self.programs.push(Program {
                grant,
                key: scope.key,
                words: scope.words.clone(),
                agent,
                outside,
                shown,
            });
        }
    }

    /// Whether there is a yes to any program, which might cover a call.
    pub(crate) fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    /// Whether a yes to a program covers a call with this key, of an agent that was shown this.
    pub(crate) fn covers_program(&self, key: &Digest, shown: &Label, who: (AgentId, u64)) -> bool {
        let mut programs = self.programs.iter();
        programs.any(|one| one.key == *key && one.holds(shown, who))
    }

    /// Why a yes that was given to this call, or to the program that it runs, does not count any more; `None`
    /// where none was given.
    pub(crate) fn ended(
        &self,
        bound: &Bound,
        scope: Option<&SessionScope>,
        (shown, who): (&Label, (AgentId, u64)),
    ) -> Option<&'static str> {
        let of_scope = |one: &&Program| {
            one.agent == who.0 && scope.is_some_and(|scope| one.words == scope.words)
        };
        if let Some(program) = self.programs.iter().find(of_scope) {
            return match program.holds(shown, who) {
                false => Some(HAS_READ),
                true => Some("the settings of this program have changed"),
            };
        }
        if self.ended.contains(&bound.approval_key) {
            return Some("a file was changed, or a program ran that may have changed some");
        }
        let mut given = self.given.iter();
        let given = given.find(|one| one.keys.contains(&bound.approval_key))?;
        (!given.holds(shown)).then_some(HAS_READ)
    }

    /// What is allowed for an agent with the label of what it was shown, at these places; without
    /// them, wherever its paths lead. `agent`: who it is, and how often it was shown something from
    /// outside this machine; without it no folder is open for changes.
    pub(crate) fn for_agent(
        &self,
        shown: &Label,
        agent: Option<(AgentId, u64)>,
        places: Option<&Places>,
    ) -> Allowed {
        let calls = self.given.iter().filter(|one| one.holds(shown));
        let calls = calls.filter(|one| places.is_none_or(|places| one.is_there(places)));
        let holds = |one: &&Changeable| agent.is_some_and(|(id, outside)| one.holds(id, outside));
        let folders = self.changeable.iter().filter(holds);
        let folders = folders.filter(|one| places.is_none_or(|places| one.is_there(places)));
        Allowed {
            calls: calls.flat_map(|one| one.keys).collect(),
            folders: folders.map(|one| one.folder.clone()).collect(),
        }
    }

    /// Whether the call was allowed by its names, and a path of it leads elsewhere now.
    pub(crate) fn is_elsewhere(&self, bound: &Bound, places: &Places) -> bool {
        let keys = [bound.approval_key, bound.repeat_key];
        let mut given = self.given.iter();
        given.any(|one| !one.is_there(places) && keys.iter().any(|key| one.keys.contains(key)))
            || self.changeable.iter().any(|one| !one.is_there(places))
    }

    /// Forgets every yes to run something, since files are changed: nothing tells which of them a
    /// command reads and runs.
    pub(crate) fn files_change(&mut self) {
        let is_run = |one: &&Approval| one.effect == EffectClass::Exec;
        let ended = self.given.iter().filter(is_run).map(|one| one.keys[0]);
        self.ended.extend(ended);
        self.given.retain(|one| one.effect != EffectClass::Exec);
    }

    /// The same before a program runs that may change files, but for one that is allowed for the
    /// session itself: the user said yes to what it does, as often as it does it.
    pub(crate) fn program_runs(&mut self, bound: &Bound) {
        let keys = [bound.approval_key, bound.repeat_key];
        let is_it = |one: &Approval| keys.iter().any(|key| one.keys.contains(key));
        if !bound.write_roots.is_empty() && !self.given.iter().any(is_it) {
            self.files_change();
        }
    }

    /// Forgets every yes: what it was given under has changed.
    pub(crate) fn forget(&mut self) {
        self.given.clear();
        self.programs.clear();
        self.changeable.clear();
        self.ended.clear();
    }

    /// What is allowed, in words, oldest first. `outside`: how often an agent was shown something from
    /// outside this machine.
    pub(crate) fn listed(&self, outside: impl Fn(AgentId) -> Option<u64>) -> Vec<GrantListing> {
        let calls = self.given.iter().map(|one| &one.grant);
        let holds = |one: &&Changeable| outside(one.agent).is_some_and(|now| one.outside == now);
        let folders = self.changeable.iter().filter(holds).map(|one| &one.grant);
        let holds = |one: &&Program| outside(one.agent).is_some_and(|now| one.outside == now);
        let programs = self.programs.iter().filter(holds).map(|one| &one.grant);
        let grants = calls.chain(programs).chain(folders);
        let mut grants: Vec<GrantListing> = grants.cloned().collect();
        grants.sort_by_key(|grant| grant.given);
        grants
    }
}
