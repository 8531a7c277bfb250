//! A mail program's tools beside the usual ones, and sessions in which flow alone asks.
#![allow(dead_code, reason = "each test file uses its own part")]

use super::{Case, manifest, table, tool};
use domain::decision::{Decision, Layer, Verdict};
use domain::id::ValueId;
use domain::label::{Integrity, Label, Readers};
use domain::settings::Attendance;
use domain::tool::{
    ArgumentRole, Audience, EffectClass, Format, ResultField, TargetKind, ToolSpec,
};
use policy::table::ToolTable;
use policy::{Parts, Policy};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use uuid::Uuid;

pub const TO: (&str, ArgumentRole, Option<TargetKind>) =
    ("to", ArgumentRole::Target, Some(TargetKind::Other));
pub const BODY: (&str, ArgumentRole, Option<TargetKind>) = ("body", ArgumentRole::Payload, None);

pub fn label(integrity: Integrity, readers: Readers) -> Label {
    Label {
        integrity,
        readers,
        origins: BTreeSet::from(["test".to_owned()]),
        trusted_origins: BTreeSet::new(),
        persistent: true,
    }
}

pub fn team() -> Readers {
    Readers::Only(BTreeSet::from(["team".to_owned(), "bob".to_owned()]))
}

pub fn with(mut spec: ToolSpec, audience: Audience) -> ToolSpec {
    spec.audience = audience;
    spec
}

/// Tools of a mail program beside the usual ones.
pub fn policy() -> Policy {
    let mut inbox = tool("inbox", "self", EffectClass::Read, &[]);
    inbox.result_label = label(Integrity::Untrusted, Readers::Nobody);
    inbox.result_fields = vec![ResultField {
        path: "/*/from".to_owned(),
        label: label(Integrity::Endorsed, Readers::Nobody),
        format: Some(Format::Identifier),
    }];
    let mut web = tool("web", "self", EffectClass::Read, &[]);
    web.result_label = label(Integrity::Untrusted, Readers::Public);
    let mut minutes = tool("minutes", "self", EffectClass::Read, &[]);
    minutes.result_label = label(Integrity::Endorsed, team());
    let mut tools = table();
    let search = ("query", ArgumentRole::Payload, None);
    tools.extend([
        inbox,
        web,
        minutes,
        with(
            tool("mail", "self", EffectClass::Egress, &[TO, BODY]),
            Audience::Targets,
        ),
        with(
            tool("post", "self", EffectClass::Egress, &[BODY]),
            Audience::Public,
        ),
        with(
            tool("wipe", "self", EffectClass::Destructive, &[TO]),
            Audience::User,
        ),
        with(
            tool("fetch", "self", EffectClass::Read, &[TO]),
            Audience::Public,
        ),
        with(
            tool("search", "self", EffectClass::Read, &[search]),
            Audience::Public,
        ),
    ]);
    of(tools)
}

/// The usual tools and one more.
pub fn policy_and(more: ToolSpec) -> Policy {
    let mut tools = table();
    tools.push(more);
    of(tools)
}

fn of(tools: Vec<ToolSpec>) -> Policy {
    Policy::new(Parts {
        manifest: manifest(),
        table: ToolTable::new(tools).unwrap(),
        home: PathBuf::from("/home/u"),
        own_folders: Vec::new(),
        egress_hosts: BTreeSet::new(),
    })
}

/// An attended session in which every effect is approved as such, so that what is asked is asked
/// by a rule of flow.
pub fn session(said: &str) -> Case {
    let mut case = Case::new("coder");
    case.settings.attendance = Attendance::Attended;
    use EffectClass::{Config, Destructive, Egress, Exec, SharedWrite};
    case.settings.auto_approve = BTreeSet::from([SharedWrite, Destructive, Exec, Config, Egress]);
    case.provenance.say(said);
    case
}

pub fn show(case: &mut Case, policy: &Policy, tool: &str, data: Value) -> ValueId {
    let id = ValueId::from_uuid(Uuid::now_v7());
    let spec = &policy.table().find(tool).unwrap().1.spec;
    let shown = case.provenance.show(id, spec, tool, data);
    case.context = case.context.join(&shown);
    id
}

/// Whether the layer of information flow speaks with this verdict and rule.
#[track_caller]
pub fn expect(case: &Case, policy: &Policy, call: (&str, Value), expected: (Verdict, &str)) {
    let judgement = case.judge(policy, call.0, &call.1);
    let mut findings = judgement.findings.iter();
    let found = findings
        .find(|f| f.layer == Layer::InformationFlow)
        .expect("the layer spoke");
    assert_eq!(
        (found.verdict, found.rule.as_str()),
        expected,
        "{call:?}: {found:?}"
    );
}

/// Nothing to ask.
pub const FREE: (Verdict, &str) = (Verdict::Allow, "no_violation");

pub fn ask(case: &Case, policy: &Policy, tool: &str, arguments: &Value) -> Decision {
    case.judge(policy, tool, arguments).decision()
}
