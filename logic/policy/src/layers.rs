//! Layers two to nine, each one function from the call to a finding.

use crate::flow::{self, Flow, Pinned};
use crate::history::Repetition;
use crate::judge::{Policy, Target, View, is_within};
use crate::protected::Protection;
use crate::question::Cover;
use crate::standing::Standing;
use crate::table::Tool;
use domain::decision::{Finding, Layer, Verdict};
use domain::limits::{REPEAT_WINDOW, REPEATED_CALLS, SPAWN_DEPTH};
use domain::settings::{Attendance, OverrideLevel};
use domain::tool::{EffectClass, TargetKind};
use std::path::{Path, PathBuf};

/// What a model is told when a path is not for it: the same whether anything is there or not.
const PATH_MODEL_REASON: &str =
    "This path is not available to you. Use paths inside the working folder.";
/// What a model is told when a tool is not for it.
const TOOL_MODEL_REASON: &str =
    "This tool is not available to you. Use another, or report what you could not do.";
/// What a model is told at a limit.
const LIMIT_ADVICE: &str = "Do not call it again. Finish with what you have and report `partial`, or \
     `failed` if there is nothing to show.";

fn finding(
    layer: Layer,
    verdict: Verdict,
    rule: &str,
    model_reason: impl Into<String>,
    user_reason: impl Into<String>,
) -> Finding {
    Finding {
        layer,
        verdict,
        rule: rule.to_owned(),
        model_reason: model_reason.into(),
        user_reason: user_reason.into(),
    }
}

fn allow(layer: Layer, rule: &str, user_reason: impl Into<String>) -> Finding {
    finding(layer, Verdict::Allow, rule, "", user_reason)
}

/// Runs every layer. The path is the folder to open for writing, when that is to be asked.
pub(crate) fn run(policy: &Policy, view: &View<'_>) -> (Vec<Finding>, Option<PathBuf>) {
    let (path, write_root) = paths(policy, view);
    let mut findings = vec![
        allow(
            Layer::Schema,
            "fits",
            "The tool is known and the arguments fit its schema.",
        ),
        session_override(view),
        manifest(view),
        lineage(view),
        path,
        egress(policy, view),
        information_flow(view),
        safety_gate(view),
        limits(view),
        allow(Layer::Integrity, "judged", "Every layer gave its view."),
    ];
    if view.question.settings.override_level == OverrideLevel::All {
        findings.iter_mut().for_each(override_all);
        return (findings, None);
    }
    (findings, write_root)
}

/// Override ALL: what would have been refused passes and says so. What the user switched off, and
/// what guards Housecarl itself, stays.
fn override_all(finding: &mut Finding) {
    let stays = matches!(
        finding.layer,
        Layer::Schema | Layer::Integrity | Layer::SessionOverride
    ) || finding.rule == "own_folder";
    if stays || finding.verdict == Verdict::Allow {
        return;
    }
    let would_be = finding.verdict.as_str();
    finding.user_reason = format!(
        "Override ALL lets this pass; without it: {would_be}. {}",
        finding.user_reason
    );
    finding.verdict = Verdict::Allow;
    finding.rule = "override_all".to_owned();
    finding.model_reason = String::new();
}

fn tool_name<'a>(view: &View<'a>) -> &'a str {
    view.tool.spec.definition.name.as_str()
}

fn agent<'a>(view: &View<'a>) -> &'a str {
    view.question
        .standing
        .agent_type()
        .map_or("?", |t| t.as_str())
}

fn session_override(view: &View<'_>) -> Finding {
    let settings = view.question.settings;
    let layer = Layer::SessionOverride;
    if settings
        .disabled_tools
        .contains(&view.tool.spec.definition.name)
    {
        return finding(
            layer,
            Verdict::Deny,
            "disabled_tool",
            TOOL_MODEL_REASON,
            format!("You switched {} off for this session.", tool_name(view)),
        );
    }
    match settings.override_level {
        OverrideLevel::None => allow(layer, "none", "No override is set."),
        OverrideLevel::Relax => allow(layer, "relax", "Override RELAX: nothing asks for approval."),
        OverrideLevel::All => allow(layer, "all", "Override ALL: every rule is off."),
    }
}

fn manifest(view: &View<'_>) -> Finding {
    let (tool, agent) = (tool_name(view), agent(view));
    if view.question.standing.is_allowed(view.index) {
        return allow(
            Layer::Manifest,
            "allowed",
            format!("`{agent}` may use {tool}."),
        );
    }
    let capability = view.tool.spec.capability.as_str();
    let entry = if capability == tool {
        format!("`{tool}`")
    } else {
        format!("`{capability}` or `{tool}`")
    };
    finding(
        Layer::Manifest,
        Verdict::Deny,
        "not_allowed",
        TOOL_MODEL_REASON,
        format!(
            "Agent type `{agent}` may not use {tool} ({capability}). To open it for this session: \
             `--grant {agent}:{tool}`. For good: add {entry} to its `allowed_tools` in \
             agents.yaml."
        ),
    )
}

fn lineage(view: &View<'_>) -> Finding {
    let tool = tool_name(view);
    match view.question.standing.withheld_by(view.index) {
        None => allow(
            Layer::Lineage,
            "handed_down",
            "Every ancestor may hand it down.",
        ),
        Some(ancestor) => finding(
            Layer::Lineage,
            Verdict::Deny,
            "not_handed_down",
            TOOL_MODEL_REASON,
            format!(
                "`{}` runs under `{ancestor}`, which may not hand down {tool}. To open it for this \
                 session: `--grant {ancestor}:{tool}`.",
                agent(view)
            ),
        ),
    }
}

fn paths(policy: &Policy, view: &View<'_>) -> (Finding, Option<PathBuf>) {
    let mut worst = allow(
        Layer::Path,
        "inside_roots",
        "Every path is in a folder it may use.",
    );
    let mut write_root = None;
    for target in &view.targets {
        let Some(path) = &target.path else { continue };
        let found = match path {
            Err(problem) => Some(finding(
                Layer::Path,
                Verdict::Deny,
                "bad_path",
                format!(
                    "The argument `{}` is not a usable path: {problem}.",
                    target.argument
                ),
                format!("`{}` is not a usable path: {problem}.", target.argument),
            )),
            Ok(path) => one_path(policy, view, target, path),
        };
        if let Some(found) = found.filter(|f| f.verdict > worst.verdict) {
            worst = found;
        }
    }
    if worst.verdict == Verdict::Confirm {
        write_root = Some(view.question.settings.workspace.clone());
    }
    (worst, write_root)
}

/// What the protected places say to a path.
fn protected_path(policy: &Policy, path: &Path, is_write: bool) -> Option<Finding> {
    let protection = if is_write {
        policy.protected.against_write(path)
    } else {
        policy.protected.against_read(path)
    };
    let shown = path.display();
    Some(match protection? {
        Protection::Own => deny_path(
            "own_folder",
            format!(
                "{shown} holds Housecarl's own configuration, state or data, or is a folder above \
                 it: no tool may use it."
            ),
        ),
        Protection::Credentials => deny_path(
            "credentials",
            format!("{shown} holds keys or passwords: no tool reads them, and no model sees them."),
        ),
        Protection::RunsLater => deny_path(
            "protected",
            format!(
                "{shown} is protected: other programs run or trust what is in it. Change it \
                 yourself if you mean to."
            ),
        ),
    })
}

fn one_path(policy: &Policy, view: &View<'_>, target: &Target<'_>, path: &Path) -> Option<Finding> {
    let is_write = target.kind == TargetKind::WritePath;
    let protected = protected_path(policy, path, is_write);
    if protected.is_some() {
        return protected;
    }
    let (tool, agent) = (tool_name(view), agent(view));
    if !is_write {
        let is_inside = is_within(path, &view.bound.read_roots);
        return (!is_inside).then(|| deny_path("outside_roots", format!(
            "{tool} would read {}, which is outside what `{agent}` may read ({}). Start `carl` in \
             that folder, or add it to `allowed_paths: fs_read` of `{agent}` in agents.yaml.",
            path.display(), list(&view.bound.read_roots))));
    }
    if is_within(path, &view.bound.write_roots) {
        return None;
    }
    let settings = view.question.settings;
    let is_in_workspace = path.starts_with(&settings.workspace);
    if is_in_workspace && settings.attendance == Attendance::Attended {
        return Some(finding(
            Layer::Path,
            Verdict::Confirm,
            "open_write_root",
            "The user must first open the working folder for writing.",
            format!(
                "{} is not open for writing yet.",
                settings.workspace.display()
            ),
        ));
    }
    let folder = if is_in_workspace {
        settings.workspace.as_path()
    } else {
        path.parent().unwrap_or(path)
    };
    Some(deny_path(
        "outside_roots",
        format!(
            "{tool} would change {}, which is outside what `{agent}` may write ({}). To open the folder: \
         `--allow-write {}`.",
            path.display(),
            list(&view.bound.write_roots),
            folder.display()
        ),
    ))
}

fn deny_path(rule: &str, user_reason: String) -> Finding {
    finding(
        Layer::Path,
        Verdict::Deny,
        rule,
        PATH_MODEL_REASON,
        user_reason,
    )
}

fn list(roots: &[PathBuf]) -> String {
    let names: Vec<String> = roots.iter().map(|r| r.display().to_string()).collect();
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

fn egress(policy: &Policy, view: &View<'_>) -> Finding {
    let refused = view
        .targets
        .iter()
        .filter(|target| target.kind == TargetKind::Url)
        .find(|target| !is_listed(policy, target.raw));
    match refused {
        None => allow(
            Layer::Egress,
            "no_destination",
            "It names no host that is not on the list.",
        ),
        Some(target) => finding(
            Layer::Egress,
            Verdict::Deny,
            "host_not_listed",
            "This address is not available to you.",
            format!(
                "The host of {:?} is not on the list of allowed hosts.",
                target.raw
            ),
        ),
    }
}

/// Whether a URL is plain `https://HOST/…` with a listed host. Anything cleverer (user names, ports,
/// escapes, odd letters) is not taken apart but refused.
fn is_listed(policy: &Policy, url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let is_plain = host
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-');
    is_plain && policy.egress_hosts.contains(host)
}

/// What the call's parts and the agent's past say, with what the user fixed beforehand.
fn information_flow(view: &View<'_>) -> Finding {
    let question = view.question;
    let is_allowed_as_it_stands = question.approvals.contains(&view.bound.repeat_key);
    let pinned = match question.cover {
        Cover::ThisCall | Cover::PlanStep => Pinned::Call,
        Cover::Nothing if is_allowed_as_it_stands => Pinned::Call,
        Cover::PlanTool => Pinned::Choice,
        Cover::PlanDraft => Pinned::Draft,
        Cover::Nothing => Pinned::Nothing,
    };
    let targets = view.bound.targets.iter();
    let opened = targets
        .filter(|(_, (kind, path))| {
            let roots = match kind {
                TargetKind::WritePath => &view.bound.write_roots,
                TargetKind::ReadPath => &view.bound.read_roots,
                TargetKind::Url | TargetKind::Other => return false,
            };
            is_within(path, roots)
        })
        .map(|(name, _)| name.clone())
        .collect();
    let flow = Flow {
        known: question.flow,
        pinned,
        opened: &opened,
        keys: &view.tool.keys,
        words: &view.tool.words,
    };
    let mut found = flow::judge(&view.tool.spec, question.arguments, &flow);
    let is_asked =
        question.settings.attendance == Attendance::Attended || question.cover == Cover::PlanDraft;
    if found.verdict == Verdict::Confirm && !is_asked {
        found.verdict = Verdict::Deny;
        found.user_reason.push_str(" No one is there to ask.");
    }
    found
}

fn safety_gate(view: &View<'_>) -> Finding {
    let layer = Layer::SafetyGate;
    let question = view.question;
    let effect = view.tool.spec.effect;
    let word = effect.as_str();
    if matches!(effect, EffectClass::Read | EffectClass::SelfWrite) {
        return allow(layer, "harmless", "It changes nothing that others use.");
    }
    if question.settings.override_level == OverrideLevel::Relax {
        return allow(layer, "relax", "Override RELAX: not asked.");
    }
    match question.cover {
        Cover::ThisCall => return allow(layer, "confirmed", "You said yes to this call."),
        Cover::PlanTool | Cover::PlanStep => {
            return allow(layer, "in_plan", "It is a step of the approved plan.");
        }
        Cover::Nothing | Cover::PlanDraft => {}
    }
    if effect != EffectClass::Money && question.settings.auto_approve.contains(&effect) {
        return allow(layer, "yes_flag", format!("`--yes {word}` approves it."));
    }
    if question.approvals.contains(&view.bound.approval_key) {
        return allow(
            layer,
            "session_grant",
            "You allowed this target for the session.",
        );
    }
    let is_asked =
        question.settings.attendance == Attendance::Attended || question.cover == Cover::PlanDraft;
    if is_asked {
        return finding(
            layer,
            Verdict::Confirm,
            "needs_confirmation",
            "The user is asked first.",
            format!(
                "{} has the effect `{word}`, which needs your approval.",
                tool_name(view)
            ),
        );
    }
    let flag = if effect == EffectClass::Money {
        "Run it with a terminal, where you can be asked.".to_owned()
    } else {
        format!("To approve it in advance: `--yes {word}`. Or run with a terminal and be asked.")
    };
    finding(
        layer,
        Verdict::Deny,
        "nobody_to_ask",
        "This needs the user's approval, and no one is there to give it. Do what you can without it \
         and report `partial` or `failed`.",
        format!(
            "{} has the effect `{word}`, which needs your approval, and no one is there to ask. {flag}",
            tool_name(view)
        ),
    )
}

/// Whether calling the tool again and again is honest use.
pub(crate) fn is_wait(tool: &Tool, standing: &Standing) -> bool {
    tool.spec.is_wait || standing.may_wait_with(&tool.spec.definition.name)
}

fn limits(view: &View<'_>) -> Finding {
    let question = view.question;
    let history = question.history;
    let tool = tool_name(view);
    if question.standing.depth() > SPAWN_DEPTH {
        return limit(
            "spawn_depth",
            "You are too deep in a chain of agents.".to_owned(),
            format!("The chain of agents is longer than {SPAWN_DEPTH}."),
        );
    }
    let most = question.standing.calls_per_task();
    if history.calls() >= most {
        return limit(
            "calls_per_task",
            format!("The task has used its {most} tool calls."),
            format!(
                "The task has made {most} tool calls, the most `{}` may make in one task \
             (`calls_per_task` in agents.yaml).",
                agent(view)
            ),
        );
    }
    if let Some(rate) = view.tool.spec.calls_per_minute {
        let recent = history.calls_in_last_minute(view.index, question.now);
        if recent >= rate as usize {
            return limit(
                "rate",
                format!("{tool} was called {recent} times in a minute."),
                format!("{tool} may be called {rate} times in a minute."),
            );
        }
    }
    if is_wait(view.tool, question.standing) {
        return allow(
            Layer::Limits,
            "wait_tool",
            "Calling it again and again is its use.",
        );
    }
    match history.repetition(&view.bound.repeat_key) {
        Repetition::None => allow(Layer::Limits, "within", "No limit is reached."),
        Repetition::Same => limit(
            "repeated_call",
            format!("You made this very call {REPEATED_CALLS} times already."),
            format!(
                "The same call came more than {REPEATED_CALLS} times within {REPEAT_WINDOW} calls: the \
                 model is in a loop."
            ),
        ),
        Repetition::Cycle(period) => limit(
            "cycle",
            format!("You are going in circles: the same {period} calls, again and again."),
            format!("The same {period} calls came over and over: the model is in a loop."),
        ),
    }
}

fn limit(rule: &str, model_reason: String, user_reason: String) -> Finding {
    finding(
        Layer::Limits,
        Verdict::Deny,
        rule,
        format!("{model_reason} {LIMIT_ADVICE}"),
        user_reason,
    )
}
