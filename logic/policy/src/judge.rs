//! The policy: every layer looks at every call, and the strictest finding decides.

use crate::call_keys::{choice_key, listed_at, repeat_key};
use crate::history::TaskHistory;
use crate::judgement::{Bound, Judgement};
use crate::layers;
use crate::manifest::Manifest;
use crate::paths::normalise;
use crate::question::{Cover, Question};
use crate::schema;
use crate::standing::{Standing, StandingError};
use crate::table::{Tool, ToolTable};
use crate::view::{Target, View};
use domain::Timestamp;
use domain::decision::Verdict;
use domain::hash::Digest;
use domain::lineage::AgentType;
use domain::settings::{Grant, OverrideLevel, SessionSettings};
use domain::tool::{EffectClass, TargetKind};
use protected::Protected;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What a policy is made of.
#[derive(Debug)]
pub struct Parts {
    /// The agent types.
    pub manifest: Manifest,
    /// The tools.
    pub table: ToolTable,
    /// The user's home, absolute: what `~` stands for.
    pub home: PathBuf,
    /// Our own configuration, state and data folders, absolute: no tool reads or writes them.
    pub own_folders: Vec<PathBuf>,
    /// Hosts a URL argument may name.
    pub egress_hosts: BTreeSet<String>,
}

/// The compiled rules. Knows no session.
#[derive(Debug)]
pub struct Policy {
    manifest: Manifest,
    table: ToolTable,
    home: PathBuf,
    protected: Protected,
    egress_hosts: BTreeSet<String>,
    revision: Digest,
}

impl Policy {
    /// Compiles the rules.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(parts.manifest.revision().as_bytes());
        hasher.update(parts.table.revision().as_bytes());
        let fixed = (&parts.own_folders, &parts.home, &parts.egress_hosts);
        hasher.update(format!("{fixed:?}").as_bytes());
        Self {
            manifest: parts.manifest,
            table: parts.table,
            protected: Protected::new(&parts.own_folders).with_home(&parts.home),
            home: parts.home,
            egress_hosts: parts.egress_hosts,
            revision: Digest::from_bytes(*hasher.finalize().as_bytes()),
        }
    }

    /// A digest of manifest, tool table and fixed rules together with a session's settings: equal
    /// only when every decision would be.
    #[must_use]
    pub fn revision(&self, settings: &SessionSettings) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.revision.as_bytes());
        hasher.update(format!("{settings:?}").as_bytes());
        Digest::from_bytes(*hasher.finalize().as_bytes())
    }

    /// The tools.
    #[must_use]
    pub const fn table(&self) -> &ToolTable {
        &self.table
    }

    /// The agent types.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The standing of the last agent of a lineage.
    ///
    /// # Errors
    /// [`StandingError`] for an empty lineage or an unknown type.
    pub fn standing(
        &self,
        lineage: &[AgentType],
        grants: &BTreeSet<Grant>,
    ) -> Result<Standing, StandingError> {
        Standing::of(&self.manifest, &self.table, grants, lineage)
    }

    /// Judges a call. Has no effect, and depends on nothing but the question.
    #[must_use]
    pub fn judge(&self, question: &Question<'_>) -> Judgement {
        let Some((index, tool)) = self.table.find(question.tool) else {
            return Judgement::not_understood(schema::unknown_tool(question, &self.table));
        };
        if let Err(finding) = schema::check(tool, question.arguments) {
            return Judgement::not_understood(finding);
        }
        let targets = self.targets(tool, question);
        let bound = self.bind(index, tool, &targets, question);
        let view = View {
            question,
            tool,
            index,
            targets,
            bound: &bound,
            protected: &self.protected,
            egress_hosts: &self.egress_hosts,
        };
        let layers::Views {
            findings,
            write_root,
            is_untrusted_choice,
            is_private_inquiry,
        } = layers::run(&view);
        let mut bound = bound;
        if question.settings.override_level == OverrideLevel::All {
            self.open_all(&mut bound, &question.settings.workspace);
        }
        Judgement {
            findings,
            bound: Some(bound),
            write_root,
            is_untrusted_choice,
            is_private_inquiry,
        }
    }

    /// Notes a judged call in the task's history. That a step of an approved plan comes again is no
    /// loop: the plan was asked about as a whole.
    pub fn record(
        &self,
        history: &mut TaskHistory,
        standing: &Standing,
        judgement: &Judgement,
        cover: Cover,
        now: Timestamp,
    ) {
        match &judgement.bound {
            Some(bound) => {
                let tool = self.table.tools().get(bound.tool);
                let is_no_loop =
                    cover == Cover::PlanStep || tool.is_some_and(|t| layers::is_wait(t, standing));
                let is_refused = judgement.decision().verdict == Verdict::Deny;
                let effect = tool.map(|tool| tool.spec.effect);
                if !is_refused && effect == Some(EffectClass::SharedWrite) {
                    history.note_change(&bound.repeat_key);
                }
                if !is_refused && judgement.is_private_inquiry {
                    history.note_inquiry(bound.repeat_key);
                }
                history.record(bound.repeat_key, bound.tool, is_no_loop, now);
            }
            // Calls that are not understood have no key of their own: they are one and the same.
            None => history.record(Digest::of(b"not understood"), usize::MAX, false, now),
        }
    }

    fn targets<'a>(&self, tool: &'a Tool, question: &Question<'a>) -> Vec<Target<'a>> {
        let named = tool.targets.iter().filter_map(|(argument, kind)| {
            // A target left out is the one that the schema promises in its place.
            let given = question.arguments.get(argument);
            let given = given.or_else(|| tool.default_of(argument))?;
            Some((argument, *kind, given))
        });
        let mut targets = Vec::new();
        for (argument, kind, given) in named {
            let is_path = matches!(kind, TargetKind::ReadPath | TargetKind::WritePath);
            match given {
                Value::Array(items) if is_path && !items.is_empty() => {
                    let items = items.iter().enumerate();
                    targets.extend(items.map(|(index, item)| {
                        let key = listed_at(argument, index);
                        self.target(question, (argument, key), kind, item)
                    }));
                }
                one => {
                    let key = argument.clone();
                    targets.push(self.target(question, (argument, key), kind, one));
                }
            }
        }
        targets
    }

    fn target<'a>(
        &self,
        question: &Question<'a>,
        (argument, key): (&'a str, String),
        kind: TargetKind,
        given: &'a Value,
    ) -> Target<'a> {
        // A target that is no text is judged as an empty one, which no layer lets pass.
        let raw = given.as_str().unwrap_or("");
        let path = match kind {
            TargetKind::ReadPath | TargetKind::WritePath => {
                let workspace = &question.settings.workspace;
                Some(normalise(workspace, &self.home, OsStr::new(raw)))
            }
            TargetKind::Url | TargetKind::Other => None,
        };
        Target {
            argument,
            key,
            kind,
            raw,
            path,
        }
    }

    fn bind(
        &self,
        index: usize,
        tool: &Tool,
        targets: &[Target<'_>],
        question: &Question<'_>,
    ) -> Bound {
        let paths: BTreeMap<String, (TargetKind, PathBuf)> = targets
            .iter()
            .filter_map(|target| match &target.path {
                Some(Ok(path)) => Some((target.key.clone(), (target.kind, path.clone()))),
                _ => None,
            })
            .collect();
        let (read_roots, write_roots) = roots(question);
        let repeat_key = repeat_key(tool, question.arguments, &paths);
        let is_told_by_targets = matches!(
            tool.spec.effect,
            EffectClass::SharedWrite | EffectClass::Destructive
        );
        let choice_key = match tool.spec.effect {
            // Another command is another choice, also where it starts in the same folder.
            EffectClass::Exec => repeat_key,
            _ => choice_key(tool, question.arguments, &paths),
        };
        let approval_key = if is_told_by_targets {
            choice_key
        } else {
            // A command, a payment or a message is what it says, not where it goes.
            repeat_key
        };
        Bound {
            tool: index,
            effect: tool.spec.effect,
            repeat_key,
            choice_key,
            approval_key,
            targets: paths,
            read_roots,
            write_roots,
        }
    }

    /// Opens everything. A name with a dot in the home is opened by nothing above it, so what the
    /// call names there is opened by its own name. So is the workspace: a program, of which no view
    /// with the whole machine can be made, works there.
    fn open_all(&self, bound: &mut Bound, workspace: &Path) {
        bound.read_roots.push(PathBuf::from("/"));
        bound.write_roots = vec![PathBuf::from("/"), workspace.to_owned()];
        for (_, path) in bound.targets.values() {
            if self.protected.is_below_dot(path) {
                bound.read_roots.push(path.clone());
                bound.write_roots.push(path.clone());
            }
        }
    }
}

/// What may be looked at and changed: by manifest and lineage, and by the user's own gesture.
fn roots(question: &Question<'_>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let paths = question.standing.paths();
    let mut write: Vec<PathBuf> = Vec::new();
    let by_user = question.settings.allow_write.iter();
    for root in by_user.chain(question.opened).chain(paths.write.roots()) {
        if !write.contains(root) {
            write.push(root.clone());
        }
    }
    let mut read = vec![question.settings.workspace.clone()];
    let by_user = question.settings.allow_read.iter();
    for root in by_user.chain(paths.read.roots()).chain(&write) {
        if !read.contains(root) {
            read.push(root.clone());
        }
    }
    (read, write)
}
