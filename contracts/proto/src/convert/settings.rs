//! The user's ceiling.

use super::{
    InvalidField, WireEnum, each, each_enum, name, names, path, path_bytes, text, wire_enum,
};
use crate::generated as proto;
use domain::hash::Digest;
use domain::settings::{Attendance, Grant, OverrideLevel, SessionSettings};
use std::collections::BTreeSet;
use std::path::PathBuf;

wire_enum!(OverrideLevel, proto::OverrideLevel { None, Relax, All });
wire_enum!(
    Attendance,
    proto::Attendance {
        Unattended,
        Attended
    }
);

impl From<Grant> for proto::Grant {
    fn from(grant: Grant) -> Self {
        Self {
            agent_type: grant.agent_type.into(),
            tool: grant.tool.into(),
        }
    }
}

impl TryFrom<proto::Grant> for Grant {
    type Error = InvalidField;

    fn try_from(wire: proto::Grant) -> Result<Self, InvalidField> {
        Ok(Self {
            agent_type: name(wire.agent_type, "agent_type")?,
            tool: name(wire.tool, "tool")?,
        })
    }
}

fn paths(paths: &BTreeSet<PathBuf>) -> Vec<Vec<u8>> {
    paths.iter().map(|path| path_bytes(path)).collect()
}

impl From<SessionSettings> for proto::SessionSettings {
    fn from(settings: SessionSettings) -> Self {
        Self {
            workspace: path_bytes(&settings.workspace),
            allow_write: paths(&settings.allow_write),
            allow_read: paths(&settings.allow_read),
            override_level: settings.override_level.to_wire(),
            disabled_tools: settings
                .disabled_tools
                .into_iter()
                .map(Into::into)
                .collect(),
            grants: settings.grants.into_iter().map(Into::into).collect(),
            auto_approve: settings
                .auto_approve
                .into_iter()
                .map(WireEnum::to_wire)
                .collect(),
            approved_plans: settings
                .approved_plans
                .iter()
                .map(Digest::to_string)
                .collect(),
            attendance: settings.attendance.to_wire(),
            checks: settings
                .checks
                .into_iter()
                .map(|argv| proto::ProjectCheck { argv })
                .collect(),
        }
    }
}

impl TryFrom<proto::SessionSettings> for SessionSettings {
    type Error = InvalidField;

    fn try_from(wire: proto::SessionSettings) -> Result<Self, InvalidField> {
        if wire.workspace.is_empty() {
            return Err(InvalidField::missing("workspace"));
        }
        let plans = wire.approved_plans.iter();
        Ok(Self {
            workspace: path(wire.workspace),
            allow_write: wire.allow_write.into_iter().map(path).collect(),
            allow_read: wire.allow_read.into_iter().map(path).collect(),
            override_level: WireEnum::from_wire(wire.override_level, "override_level")?,
            disabled_tools: names(wire.disabled_tools, "disabled_tools")?,
            grants: each(wire.grants, "grants")?,
            auto_approve: each_enum(wire.auto_approve, "auto_approve")?,
            approved_plans: plans
                .map(|hash| text(hash, "approved_plans"))
                .collect::<Result<_, _>>()?,
            attendance: WireEnum::from_wire(wire.attendance, "attendance")?,
            checks: wire.checks.into_iter().map(|check| check.argv).collect(),
        })
    }
}
