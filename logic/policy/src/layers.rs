//! Layers two to nine, each one function from the call to a finding.

mod places;

use crate::findings::{allow, finding};
use crate::flow::{self, Flow, Pinned};
use crate::history::Repetition;
use crate::paths::is_within;
use crate::question::Cover;
use crate::standing::Standing;
use crate::table::Tool;
use crate::view::{Target, View};
use domain::decision::{Finding, Layer, Verdict};
use domain::label::Label;
use domain::limits::{REPEAT_WINDOW, REPEATED_CALLS, SPAWN_DEPTH};
use domain::settings::{Attendance, OverrideLevel};
use domain::tool::{EffectClass, TargetKind};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a model is told when a tool is not for it.
const TOOL_MODEL_REASON: &str =
    "This tool is not available to you. Use another, or report what you could not do.";
/// What a model is told at a limit.
const LIMIT_ADVICE: &str = "Do not call it again. Finish with what you have and report `partial`, or \
     `failed` if there is nothing to show.";

/// What the layers say.
pub(crate) struct Views {
    /// One of each layer.
    pub(crate) findings: Vec<Finding>,
    /// The folder to open for writing, when that is to be asked.
    pub(crate) write_root: Option<PathBuf>,
    /// Whether the choice is questioned, be that what decides or not.
    pub(crate) is_untrusted_choice: bool,
    /// Whether it asks others something after what is not theirs was read.
    pub(crate) is_private_inquiry: bool,
}

/// Runs every layer.
pub(crate) fn run(view: &View<'_>) -> Views {
    let (path, write_root) = places::paths(view);
    let flow::Judged {
        finding: flow,
        is_choice: is_untrusted_choice,
        is_as_requested,
        is_private_inquiry,
    } = information_flow(view);
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
        places::egress(view),
        flow,
        safety_gate(view, is_as_requested),
        limits(view),
        allow(Layer::Integrity, "judged", "Every layer gave its view."),
    ];
    if view.question.settings.override_level == OverrideLevel::All {
        findings.iter_mut().for_each(override_all);
        return Views {
            findings,
            write_root: None,
            is_untrusted_choice: false,
            is_private_inquiry,
        };
    }
    Views {
        findings,
        write_root,
        is_untrusted_choice,
        is_private_inquiry,
    }
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
            format!(
                "{} is switched off for this session: by --disable-tool, by the configuration, or by \
                 the project's .housecarl.toml.",
                view.tool_name()
            ),
        );
    }
    match settings.override_level {
        OverrideLevel::None => allow(layer, "none", "No override is set."),
        OverrideLevel::Relax => allow(layer, "relax", "Override RELAX: nothing asks for approval."),
        OverrideLevel::All => allow(layer, "all", "Override ALL: every rule is off."),
    }
}

fn manifest(view: &View<'_>) -> Finding {
    let (tool, agent) = (view.tool_name(), view.agent());
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
    let tool = view.tool_name();
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
                view.agent()
            ),
        ),
    }
}

/// How the origin of a project's notes begins.
const NOTES_ORIGIN: &str = "project notes:";
const NOTES_ADVICE: &str = " No one is there to ask: run it at a terminal to be asked, or say that you \
                            trust the project's notes: `carl policy trust FILE`.";

/// What the call's parts and the agent's past say, with what the user fixed beforehand.
fn information_flow(view: &View<'_>) -> flow::Judged {
    let question = view.question;
    let is_allowed_as_it_stands = question.allowed.calls.contains(&view.bound.repeat_key);
    let pinned = match question.cover {
        Cover::ThisCall | Cover::Typed | Cover::PlanStep => Pinned::Call,
        Cover::Nothing if is_allowed_as_it_stands => Pinned::Call,
        Cover::PlanTool => Pinned::Choice,
        Cover::PlanDraft => Pinned::Draft,
        Cover::Nothing => Pinned::Nothing,
    };
    let opened = opened(view);
    let flow = Flow {
        known: question.flow,
        pinned,
        opened: &opened,
        tool: view.tool,
        may_inquire: question.history.may_inquire(),
    };
    let mut judged = flow::judge(question.arguments, &flow, &view.bound.choice_key);
    let found = &mut judged.finding;
    let is_asked =
        question.settings.attendance == Attendance::Attended || question.cover == Cover::PlanDraft;
    if found.verdict == Verdict::Confirm && !is_asked {
        found.verdict = Verdict::Deny;
        let advice = match is_of_notes_alone(question.flow.context) {
            true => NOTES_ADVICE,
            false => " No one is there to ask: run it at a terminal to be asked.",
        };
        found.user_reason.push_str(advice);
    }
    judged
}

/// The arguments of which every path lies where the user opened a place for what is done with it.
fn opened(view: &View<'_>) -> BTreeSet<String> {
    let is_opened = |target: &Target<'_>| {
        let roots = match target.kind {
            TargetKind::WritePath => &view.bound.write_roots,
            TargetKind::ReadPath => &view.bound.read_roots,
            TargetKind::Url | TargetKind::Other => return false,
        };
        matches!(&target.path, Some(Ok(path)) if is_within(path, roots))
    };
    let (inside, outside): (Vec<_>, Vec<_>) = view.targets.iter().partition(|t| is_opened(t));
    let is_all = |one: &&&Target<'_>| outside.iter().all(|other| other.argument != one.argument);
    let all = inside.iter().filter(is_all);
    all.map(|target| target.argument.to_owned()).collect()
}

/// Whether a project's notes are all that an agent read which is not trusted: then trusting them
/// changes what follows.
fn is_of_notes_alone(context: &Label) -> bool {
    let suspects = context.suspects();
    !suspects.is_empty()
        && suspects
            .iter()
            .all(|origin| origin.starts_with(NOTES_ORIGIN))
}

/// Whether the user's own words stand in for a yes to the effect as such: what can be undone or is
/// said to others, where the user could be asked. A change of a file is shown before it is made.
fn is_covered_by_request(view: &View<'_>) -> bool {
    let changes_files = view.targets.iter().any(|t| t.kind == TargetKind::WritePath);
    is_mild(view.tool.spec.effect)
        && !changes_files
        && view.question.settings.attendance == Attendance::Attended
}

/// Whether an effect can be undone, or only tells somebody.
const fn is_mild(effect: EffectClass) -> bool {
    matches!(effect, EffectClass::SharedWrite | EffectClass::Egress)
}

/// What a yes for the session says to the effect.
fn allowed_for_session(view: &View<'_>) -> Option<Finding> {
    let (allowed, layer) = (view.question.allowed, Layer::SafetyGate);
    if allowed.calls.contains(&view.bound.approval_key) {
        let reason = "You allowed this target for the session.";
        return Some(allow(layer, "session_grant", reason));
    }
    let is_change = view.bound.changes_within(&allowed.folders);
    let reason = "You allowed changes in this folder for the session.";
    is_change.then(|| allow(layer, "session_folder", reason))
}

fn safety_gate(view: &View<'_>, is_as_requested: bool) -> Finding {
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
        Cover::Typed => return allow(layer, "typed", "You typed this call."),
        Cover::PlanStep => return allow(layer, "in_plan", "It is a step of the approved plan."),
        // What a plan names by its tool alone may be any call of it.
        Cover::PlanTool if is_mild(effect) => {
            return allow(layer, "in_plan", "It is a step of the approved plan.");
        }
        Cover::Nothing | Cover::PlanDraft | Cover::PlanTool => {}
    }
    if effect != EffectClass::Money && question.settings.auto_approve.contains(&effect) {
        return allow(layer, "yes_flag", format!("`--yes {word}` approves it."));
    }
    if is_as_requested && is_covered_by_request(view) {
        return allow(layer, "requested", "Your own words ask for it.");
    }
    if let Some(allowed) = allowed_for_session(view) {
        return allowed;
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
                view.tool_name()
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
            view.tool_name()
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
    let tool = view.tool_name();
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
                view.agent()
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
    if matches!(question.cover, Cover::PlanDraft | Cover::PlanStep) {
        return allow(
            Layer::Limits,
            "planned",
            "A plan has an end, and all of it is asked about.",
        );
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
