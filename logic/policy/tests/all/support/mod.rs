//! A small tool table, agent types and a question to change one thing of.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod chat;
pub mod mail;

use domain::Timestamp;
use domain::decision::Decision;
use domain::hash::Digest;
use domain::label::{Label, Readers};
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::rights::WebContent;
use domain::settings::{Attendance, SessionSettings};
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, ResultSource, TargetKind, ToolDefinition,
    ToolName, ToolSpec,
};
use policy::flow::{Knowledge, Provenance};
use policy::history::TaskHistory;
use policy::manifest::{AgentRule, Manifest, Selector, StatedPaths, is_capability};
use policy::paths::PathSet;
use policy::request::Requested;
use policy::standing::Standing;
use policy::table::ToolTable;
use policy::{Allowed, Cover, Judgement, Parts, Policy, Question};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

pub fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

pub fn agent(text: &str) -> AgentType {
    AgentType::new(text).unwrap()
}

pub fn selectors(texts: &[&str]) -> BTreeSet<Selector> {
    let one = |text: &&str| {
        if is_capability(text) {
            Selector::Capability((*text).to_owned())
        } else {
            Selector::Tool(name(text))
        }
    };
    texts.iter().map(one).collect()
}

pub fn paths(texts: &[&str]) -> PathSet {
    PathSet::of(texts.iter().map(PathBuf::from))
}

pub fn tool(
    tool: &str,
    capability: &str,
    effect: EffectClass,
    arguments: &[(&str, ArgumentRole, Option<TargetKind>)],
) -> ToolSpec {
    let kind = |_| json!({"type": "string"});
    let properties: BTreeMap<&str, Value> = arguments
        .iter()
        .map(|(name, ..)| (*name, kind(())))
        .collect();
    let required: Vec<&str> = arguments.iter().map(|(name, ..)| *name).take(1).collect();
    ToolSpec {
        definition: ToolDefinition {
            name: name(tool),
            description: format!("{tool} does its work."),
            parameters: json!({
                "type": "object", "properties": properties, "required": required,
                "additionalProperties": false,
            }),
        },
        capability: capability.to_owned(),
        effect,
        arguments: arguments
            .iter()
            .map(|(name, role, target)| {
                let spec = ArgumentSpec {
                    role: *role,
                    target: *target,
                };
                ((*name).to_owned(), spec)
            })
            .collect(),
        audience: Audience::User,
        result_label: Label::untrusted(tool),
        result_source: ResultSource::World,
        result_fields: Vec::new(),
        names_pages: Vec::new(),
        secrets: BTreeMap::new(),
        is_wait: false,
        calls_per_minute: None,
        version: "1".to_owned(),
    }
}

const READ: (&str, ArgumentRole, Option<TargetKind>) =
    ("path", ArgumentRole::Target, Some(TargetKind::ReadPath));
const WRITE: (&str, ArgumentRole, Option<TargetKind>) =
    ("path", ArgumentRole::Target, Some(TargetKind::WritePath));
const CONTENT: (&str, ArgumentRole, Option<TargetKind>) = ("content", ArgumentRole::Payload, None);
const QUERY: (&str, ArgumentRole, Option<TargetKind>) = ("query", ArgumentRole::Knob, None);
const URL: (&str, ArgumentRole, Option<TargetKind>) =
    ("url", ArgumentRole::Target, Some(TargetKind::Url));

pub fn table() -> Vec<ToolSpec> {
    let mut wait = tool("wait_for", "self", EffectClass::Read, &[QUERY]);
    wait.is_wait = true;
    let mut rated = tool("rated", "self", EffectClass::Read, &[QUERY]);
    rated.calls_per_minute = Some(2);
    vec![
        tool("read_file", "fs_read", EffectClass::Read, &[READ, QUERY]),
        tool(
            "write_file",
            "fs_write",
            EffectClass::SharedWrite,
            &[WRITE, CONTENT],
        ),
        tool(
            "delete_file",
            "fs_write",
            EffectClass::Destructive,
            &[WRITE],
        ),
        tool("run_script", "run_command", EffectClass::Exec, &[QUERY]),
        tool("web_fetch", "web_search", EffectClass::Egress, &[URL]),
        tool("pay", "self", EffectClass::Money, &[QUERY]),
        tool("configure", "self", EffectClass::Config, &[QUERY]),
        tool("journal", "self", EffectClass::SelfWrite, &[CONTENT]),
        wait,
        rated,
    ]
}

pub fn rule(allowed: &[&str], delegates: Option<&[&str]>, stated: StatedPaths) -> AgentRule {
    AgentRule {
        description: String::new(),
        allowed_tools: selectors(allowed),
        delegates: delegates.map(selectors),
        allowed_paths: stated,
        can_spawn: BTreeSet::new(),
        orchestrates: false,
        calls_per_task: None,
        agent_tokens: None,
        agent_time: None,
        wait_tools: BTreeSet::new(),
        memory: BTreeSet::new(),
        web_content: WebContent::Summary,
        model_role: ModelRole::Fast,
    }
}

pub fn manifest() -> Manifest {
    let coder_paths = StatedPaths {
        read: Some(paths(&["/home/u/projects"])),
        write: Some(paths(&["/home/u/projects"])),
    };
    let everything = ["self", "fs_read", "fs_write", "run_command", "web_search"];
    let none = StatedPaths::default;
    Manifest {
        agents: BTreeMap::from([
            (agent("coder"), rule(&everything, None, coder_paths)),
            (agent("reader"), rule(&["fs_read", "self"], None, none())),
            (agent("chief"), rule(&["self"], Some(&everything), none())),
            (
                agent("miser"),
                rule(&["self"], Some(&["fs_read", "self"]), none()),
            ),
        ]),
    }
}

pub fn policy() -> Policy {
    Policy::new(Parts {
        manifest: manifest(),
        table: ToolTable::new(table()).unwrap(),
        home: PathBuf::from("/home/u"),
        own_folders: vec![PathBuf::from("/home/u/.config/housecarl")],
        egress_hosts: BTreeSet::from(["docs.example".to_owned()]),
    })
}

/// What stays the same from call to call.
pub struct Known {
    standing: Standing,
    requested: Requested,
}

/// A question, owned, to change one thing of before it is asked.
pub struct Case {
    pub lineage: Vec<AgentType>,
    pub settings: SessionSettings,
    pub opened: BTreeSet<PathBuf>,
    pub allowed: Allowed,
    pub cover: Cover,
    pub history: TaskHistory,
    pub provenance: Provenance,
    pub context: Label,
    /// Who may learn what other agents of the session were shown.
    pub company: Readers,
    /// Texts that are secrets, wherever they stand.
    pub secrets: Vec<&'static str>,
    pub refused: HashSet<Digest>,
    /// What the user's newest words are, where they are to count as a request.
    pub request: String,
    pub now: Timestamp,
}

impl Case {
    pub fn new(agent_type: &str) -> Self {
        let mut settings = SessionSettings::closed(PathBuf::from("/w"));
        settings.attendance = Attendance::Unattended;
        Self {
            lineage: vec![agent(agent_type)],
            settings,
            opened: BTreeSet::new(),
            allowed: Allowed::default(),
            cover: Cover::Nothing,
            history: TaskHistory::default(),
            provenance: Provenance::default(),
            context: Label::nothing(),
            company: Readers::Public,
            secrets: Vec::new(),
            refused: HashSet::new(),
            request: String::new(),
            now: Timestamp::UNIX_EPOCH,
        }
    }

    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub fn judge(&self, policy: &Policy, tool: &str, arguments: &Value) -> Judgement {
        self.judge_as(policy, &self.known(policy), tool, arguments)
    }

    /// What the broker works out before any call.
    pub fn known(&self, policy: &Policy) -> Known {
        let tools = policy.table().tools().iter();
        Known {
            standing: policy
                .standing(&self.lineage, &self.settings.grants)
                .unwrap(),
            requested: Requested::of(&self.request, tools.map(|tool| &tool.spec)),
        }
    }

    /// As [`Case::judge`], with what is known before the call.
    pub fn judge_as(
        &self,
        policy: &Policy,
        known: &Known,
        tool: &str,
        arguments: &Value,
    ) -> Judgement {
        let resolved = self.provenance.resolve(arguments).unwrap();
        policy.judge(&Question {
            tool,
            arguments: &resolved.arguments,
            flow: Knowledge {
                provenance: &self.provenance,
                context: &self.context,
                company: &self.company,
                is_secret: &|text| self.secrets.iter().any(|secret| text.contains(secret)),
                referenced: &resolved.labels,
                refused_choices: &self.refused,
                requested: &known.requested,
                now: self.now,
                is_recovered: false,
                is_typed: false,
            },
            standing: &known.standing,
            settings: &self.settings,
            opened: &self.opened,
            allowed: &self.allowed,
            cover: self.cover,
            history: &self.history,
            now: self.now,
        })
    }

    /// Judges and notes the call, as the broker does.
    pub fn call(&mut self, policy: &Policy, tool: &str, arguments: &Value) -> Decision {
        let judgement = self.judge(policy, tool, arguments);
        let standing = policy
            .standing(&self.lineage, &self.settings.grants)
            .unwrap();
        policy.record(
            &mut self.history,
            &standing,
            &judgement,
            self.cover,
            self.now,
        );
        judgement.decision()
    }
}
