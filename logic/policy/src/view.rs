//! A call taken apart for the layers.

use crate::judgement::Bound;
use crate::paths::PathProblem;
use crate::question::Question;
use crate::table::Tool;
use domain::tool::TargetKind;
use protected::Protected;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One target as the layers see it: a target argument, or one of those that it lists.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) argument: &'a str,
    /// Where it stands among the arguments: the argument's name, or in a list `NAME/INDEX`.
    pub(crate) key: String,
    pub(crate) kind: TargetKind,
    pub(crate) raw: &'a str,
    /// The path, for path targets.
    pub(crate) path: Option<Result<PathBuf, PathProblem>>,
}

/// A question whose tool and arguments fit, taken apart for the layers.
pub(crate) struct View<'a> {
    pub(crate) question: &'a Question<'a>,
    pub(crate) tool: &'a Tool,
    pub(crate) index: usize,
    pub(crate) targets: Vec<Target<'a>>,
    pub(crate) bound: &'a Bound,
    pub(crate) protected: &'a Protected,
    /// Hosts a URL argument may name.
    pub(crate) egress_hosts: &'a BTreeSet<String>,
}

impl<'a> View<'a> {
    /// The tool's name.
    pub(crate) fn tool_name(&self) -> &'a str {
        self.tool.spec.definition.name.as_str()
    }

    /// The type of the agent that calls, for people.
    pub(crate) fn agent(&self) -> &'a str {
        let agent = self.question.standing.agent_type();
        agent.map_or("?", |name| name.as_str())
    }
}
