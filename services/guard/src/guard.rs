//! One conversation of another program, as the policy sees it.

use crate::reading::parts;
use api::guard::Step;
use domain::Timestamp;
use domain::decision::{Decision, Finding, Layer, Verdict};
use domain::hash::Digest;
use domain::id::ValueId;
use domain::label::Label;
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::rights::WebContent;
use domain::settings::{Attendance, SessionSettings};
use domain::tool::{EffectClass, ToolDefinition};
use policy::flow::{Knowledge, Provenance};
use policy::history::TaskHistory;
use policy::manifest::{AgentRule, Manifest, Selector, StatedPaths};
use policy::request::Requested;
use policy::standing::Standing;
use policy::table::ToolTable;
use policy::{Allowed, Cover, Judgement, Parts, Policy, Question};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use tooltable::Table;
use uuid::Uuid;

/// The name under which the policy knows the other program's agent.
const AGENT: &str = "guarded";
/// Most calls that wait for the user's answer or were refused, in all.
const PENDING_CALLS: usize = 1_000;

/// What holds for every conversation.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What the user says each tool is.
    pub table: Table,
    /// Effects that need no asking as such. What a rule of information flow asks about is asked
    /// all the same.
    pub auto_approve: BTreeSet<EffectClass>,
    /// Most calls in a conversation; `None`: [`domain::limits::CALLS_PER_TASK`].
    pub calls_per_task: Option<u32>,
}

/// Why the guard cannot take what it is told.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The tools cannot be used together.
    #[error("the tools of `begin` cannot be used: {0}")]
    Tools(String),
    /// Nothing has begun.
    #[error("no conversation has begun: send `begin` first")]
    NotBegun,
}

/// A call that the user was to be asked about.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// The step of the plan that it takes up.
    step: Option<usize>,
    /// Whether the rule about choices asks.
    is_choice: bool,
    /// What makes it the same call, however it is written.
    key: Option<Digest>,
    /// What makes it the same choice.
    choice: Option<Digest>,
}

/// A conversation. Fails closed: what cannot be judged is denied.
#[derive(Debug)]
pub struct Guard {
    policy: Policy,
    standing: Standing,
    settings: SessionSettings,
    provenance: Provenance,
    context: Label,
    history: TaskHistory,
    /// What is left of the plan. `None`: there is none.
    plan: Option<Vec<Step>>,
    /// Calls that may run once the user says yes.
    asked: HashMap<u64, Asked>,
    /// Calls the user said no to since the user last spoke.
    refused: HashMap<u64, Asked>,
    /// What the user's newest words ask for.
    requested: Requested,
    values: u128,
}

impl Guard {
    /// Begins a conversation.
    ///
    /// # Errors
    /// [`Problem::Tools`] when two tools share a name or a schema is none.
    pub fn begin(
        rules: &Rules,
        prompt: &str,
        tools: &[ToolDefinition],
        plan: Option<Vec<Step>>,
    ) -> Result<Self, Problem> {
        let specs = rules.table.specs(tools).into_iter().collect();
        let table = ToolTable::new(specs).map_err(|e| Problem::Tools(told(&e)))?;
        let table = table.with_places_elsewhere();
        let policy = Policy::new(Parts {
            manifest: manifest(&table, rules.calls_per_task),
            table,
            home: PathBuf::from("/"),
            own_folders: Vec::new(),
            egress_hosts: BTreeSet::new(),
        });
        let agent = agent_type()?;
        let standing = policy
            .standing(&[agent], &BTreeSet::new())
            .map_err(|e| Problem::Tools(told(&e)))?;
        let mut settings = SessionSettings::closed(PathBuf::from("/"));
        settings.attendance = Attendance::Attended;
        settings.auto_approve.clone_from(&rules.auto_approve);
        let mut provenance = Provenance::default();
        provenance.say(prompt);
        let requested = requested(&policy, prompt);
        Ok(Self {
            policy,
            standing,
            settings,
            provenance,
            context: Label::nothing(),
            history: TaskHistory::default(),
            plan,
            asked: HashMap::new(),
            refused: HashMap::new(),
            requested,
            values: 0,
        })
    }

    /// Notes what the user said besides. Whoever speaks again may have changed their mind: what was
    /// refused may be asked about once more.
    pub fn say(&mut self, text: &str) {
        self.provenance.say(text);
        self.requested = requested(&self.policy, text);
        self.refused.clear();
        self.history.begin_turn();
    }

    /// Notes that the user said no to a call that was to be confirmed. One that waits for no answer
    /// is left as it is.
    pub fn refuse(&mut self, id: u64) {
        if let Some(asked) = self.asked.remove(&id) {
            self.refused.insert(id, asked);
        }
    }

    /// Judges a call.
    pub fn check(&mut self, id: u64, tool: &str, args: &Value, now: Timestamp) -> Decision {
        let resolved = match self.provenance.resolve(args) {
            Ok(resolved) => resolved,
            Err(error) => return refused("bad_reference", &error.to_string()),
        };
        let step = self.step(tool, &resolved.arguments);
        let mut judgement = self.judge((tool, &resolved.arguments), &resolved.labels, step, now);
        self.policy.record(
            &mut self.history,
            &self.standing,
            &judgement,
            Cover::Nothing,
            now,
        );
        let key = judgement.bound.as_ref().map(|bound| bound.repeat_key);
        let is_refused = key.is_some() && self.refused.values().any(|asked| asked.key == key);
        if is_refused && judgement.verdict() == Verdict::Confirm {
            judgement.add(said_no());
        }
        let decision = judgement.decision();
        if decision.verdict != Verdict::Deny {
            self.note_change(tool, &resolved.arguments);
        }
        match decision.verdict {
            Verdict::Allow => self.take(step),
            Verdict::Confirm if self.asked.len() + self.refused.len() < PENDING_CALLS => {
                let asked = Asked {
                    step,
                    is_choice: judgement.is_untrusted_choice,
                    key,
                    choice: judgement.bound.as_ref().map(|bound| bound.choice_key),
                };
                self.asked.insert(id, asked);
            }
            Verdict::Confirm => {
                return refused(
                    "too_many_questions",
                    "Too many calls wait for the user's answer, or were refused.",
                );
            }
            Verdict::Deny => {}
        }
        decision
    }

    /// Takes in what a call returned. That it ran says that the user allowed it, if asked.
    pub fn observe(&mut self, id: u64, tool: &str, result: Value) {
        // What ran was allowed, also where a later call's result seemed to say otherwise.
        let asked = self.asked.remove(&id).or_else(|| self.refused.remove(&id));
        if let Some(Asked { step, .. }) = asked {
            self.take(step);
        }
        self.forget_overtaken(id);
        self.values += 1;
        let value_id = ValueId::from_uuid(Uuid::from_u128(self.values));
        let shown = match self.policy.table().find(tool) {
            Some((_, known)) => {
                let read = parts(result, !known.spec.result_fields.is_empty());
                let shown =
                    self.provenance
                        .show(value_id, &known.spec, &format!("tool:{tool}"), read.data);
                match read.beside {
                    None => shown,
                    Some(text) => {
                        let label = known.spec.result_label.clone();
                        // It is no value of its own: nothing can refer to it.
                        let id = ValueId::from_uuid(Uuid::from_u128(u128::MAX - self.values));
                        self.provenance.show_text(id, &text, &label);
                        shown.join(&label)
                    }
                }
            }
            None => {
                let label = Label::untrusted("unknown tool");
                self.provenance
                    .show_text(value_id, &result.to_string(), &label);
                label
            }
        };
        self.context = self.context.join(&shown);
    }

    fn judge(
        &self,
        (tool, arguments): (&str, &Value),
        referenced: &BTreeMap<String, Label>,
        step: Option<usize>,
        now: Timestamp,
    ) -> Judgement {
        let planned = step.and_then(|index| self.plan.as_ref()?.get(index));
        let cover = match planned {
            None => Cover::Nothing,
            Some(Step::Tool(_)) => Cover::PlanTool,
            Some(Step::Call { .. }) => Cover::PlanStep,
        };
        let refused_choices = self.refused_choices();
        self.policy.judge(&Question {
            tool,
            arguments,
            standing: &self.standing,
            settings: &self.settings,
            opened: &BTreeSet::new(),
            allowed: &Allowed::default(),
            cover,
            flow: Knowledge {
                provenance: &self.provenance,
                context: &self.context,
                company: &self.context.readers,
                is_secret: &text::secrets::has_shape,
                referenced,
                refused_choices: &refused_choices,
                requested: &self.requested,
                now,
                is_recovered: false,
                is_typed: false,
            },
            history: &self.history,
            now,
        })
    }

    /// The step of the plan that a call would be: a whole call before a mere tool.
    fn step(&self, tool: &str, arguments: &Value) -> Option<usize> {
        let plan = self.plan.as_ref()?;
        let is_call = |step: &Step| {
            matches!(step, Step::Call { tool: t, args }
                if t == tool && Digest::of_json(args) == Digest::of_json(arguments))
        };
        let is_tool = |step: &Step| matches!(step, Step::Tool(t) if t == tool);
        plan.iter()
            .position(is_call)
            .or_else(|| plan.iter().position(is_tool))
    }

    fn take(&mut self, step: Option<usize>) {
        if let (Some(step), Some(plan)) = (step, self.plan.as_mut())
            && step < plan.len()
        {
            plan.remove(step);
            // The steps behind it have moved up.
            for waiting in self.asked.values_mut().chain(self.refused.values_mut()) {
                waiting.step = match waiting.step {
                    Some(index) if index == step => None,
                    Some(index) if index > step => Some(index - 1),
                    other => other,
                };
            }
        }
    }

    /// A question that a later call's result overtook was answered with no.
    fn forget_overtaken(&mut self, id: u64) {
        let overtaken = self.asked.extract_if(|asked, _| *asked < id);
        self.refused.extend(overtaken);
    }

    /// The choices made after untrusted content that the user said no to.
    fn refused_choices(&self) -> HashSet<Digest> {
        let choices = self.refused.values().filter(|asked| asked.is_choice);
        choices.filter_map(|asked| asked.choice).collect()
    }

    /// Notes what a call that may run would change.
    fn note_change(&mut self, tool: &str, arguments: &Value) {
        if let Some((_, tool)) = self.policy.table().find(tool) {
            self.provenance.change(&tool.spec, arguments);
        }
    }
}

fn requested(policy: &Policy, text: &str) -> Requested {
    let tools = policy.table().tools().iter();
    Requested::of(text, tools.map(|tool| &tool.spec))
}

fn manifest(table: &ToolTable, calls_per_task: Option<u32>) -> Manifest {
    let tools = table.tools().iter();
    let rule = AgentRule {
        description: String::new(),
        allowed_tools: tools
            .map(|t| Selector::Tool(t.spec.definition.name.clone()))
            .collect(),
        delegates: None,
        allowed_paths: StatedPaths::default(),
        can_spawn: BTreeSet::new(),
        orchestrates: false,
        calls_per_task,
        agent_tokens: None,
        agent_time: None,
        memory: BTreeSet::new(),
        web_content: WebContent::Summary,
        wait_tools: BTreeSet::new(),
        model_role: ModelRole::Fast,
    };
    Manifest {
        agents: agent_type()
            .map(|agent| (agent, rule))
            .into_iter()
            .collect(),
    }
}

fn agent_type() -> Result<AgentType, Problem> {
    AgentType::new(AGENT).map_err(|e| Problem::Tools(e.to_string()))
}

/// An error with its causes.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn said_no() -> Finding {
    Finding {
        layer: Layer::SafetyGate,
        verdict: Verdict::Deny,
        rule: "refused_before".to_owned(),
        model_reason: "The user said no to this very call. Do not ask for it again.".to_owned(),
        user_reason: "You said no to this very call. Say something more to be asked again."
            .to_owned(),
    }
}

fn refused(rule: &str, why: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::Schema,
        verdict: Verdict::Deny,
        rule: rule.to_owned(),
        model_reason: why.to_owned(),
        user_reason: why.to_owned(),
    }])
}
