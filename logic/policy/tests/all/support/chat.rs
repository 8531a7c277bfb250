//! A calendar, a chat, a bank and a drive.
#![allow(dead_code, reason = "each test file uses its own part")]

use super::mail::{label, with};
use super::tool;
use domain::label::{Integrity, Readers};
use domain::tool::{
    ArgumentRole, Audience, EffectClass, Format, ResultField, TargetKind, ToolSpec,
};
use serde_json::json;

pub type Argument = (&'static str, ArgumentRole, Option<TargetKind>);

pub const fn target(name: &'static str) -> Argument {
    (name, ArgumentRole::Target, Some(TargetKind::Other))
}

pub const fn payload(name: &'static str) -> Argument {
    (name, ArgumentRole::Payload, None)
}

pub fn field(path: &str, format: Format) -> ResultField {
    ResultField {
        path: path.to_owned(),
        label: label(Integrity::Endorsed, Readers::Nobody),
        format: Some(format),
    }
}

/// A calendar, a chat, a bank and a drive.
pub fn tools() -> Vec<ToolSpec> {
    let mut list = tool("list_events", "self", EffectClass::Read, &[]);
    list.result_label = label(Integrity::Untrusted, Readers::Nobody);
    list.result_fields = vec![
        field("/*/id", Format::Identifier),
        field("/*/name", Format::Identifier),
        field("/*/start", Format::Date),
    ];
    let mut read = tool("read_channel", "self", EffectClass::Read, &[]);
    read.result_label = label(Integrity::Untrusted, Readers::Public);
    read.result_fields = vec![
        field("/*/sender", Format::Identifier),
        field("/*/channel", Format::Identifier),
    ];
    let mut web = tool("web", "self", EffectClass::Read, &[]);
    web.result_label = label(Integrity::Untrusted, Readers::Public);
    let mut balance = tool("balance", "self", EffectClass::Read, &[]);
    balance.result_label = label(Integrity::Untrusted, Readers::Nobody);
    balance.result_fields = vec![field("/*/amount", Format::Number)];
    let mut pay = with(
        tool(
            "send_money",
            "self",
            EffectClass::Money,
            &[target("to"), ("amount", ArgumentRole::Knob, None)],
        ),
        Audience::Targets,
    );
    pay.definition.parameters["properties"]["amount"] = json!({"type": "number"});
    let mut all = vec![list, read, web, balance, pay];
    all.extend(effects());
    all
}

/// Those that tell or change something.
pub fn effects() -> Vec<ToolSpec> {
    vec![
        with(
            tool(
                "send_message",
                "self",
                EffectClass::Egress,
                &[target("to"), payload("body")],
            ),
            Audience::Public,
        ),
        with(
            tool(
                "get_page",
                "self",
                EffectClass::Egress,
                &[("url", ArgumentRole::Target, Some(TargetKind::Url))],
            ),
            Audience::Public,
        ),
        with(
            tool(
                "cancel_event",
                "self",
                EffectClass::Destructive,
                &[target("event")],
            ),
            Audience::Targets,
        ),
        with(
            tool(
                "move_event",
                "self",
                EffectClass::SharedWrite,
                &[target("event"), payload("note")],
            ),
            Audience::User,
        ),
        with(
            tool(
                "invite_guest",
                "self",
                EffectClass::Egress,
                &[target("guest"), payload("note")],
            ),
            Audience::User,
        ),
        with(
            tool(
                "share_file",
                "self",
                EffectClass::Egress,
                &[("file", ArgumentRole::Selector, None), target("with")],
            ),
            Audience::Targets,
        ),
    ]
}
