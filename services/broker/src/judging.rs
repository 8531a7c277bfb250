//! One judgement: the policy's layers, then the executor's look at where the paths really lead.
//! A check that panics, fails or takes too long is a deny.

use crate::approvals::Places;
use crate::inner::Inner;
use crate::render;
use crate::state::lock;
use crate::state::{Caller, Session};
use api::authority::JudgedCall;
use api::broker::CallRequest;
use api::executor::{SessionScope, ToolFailure};
use domain::decision::{Finding, Layer, Verdict};
use domain::hash::Digest;
use domain::id::{AgentId, TraceId};
use domain::label::{Label, Readers};
use domain::settings::{Attendance, SessionSettings};
use domain::tool::{EffectClass, RUN_COMMAND, TargetKind};
use policy::flow::{Knowledge, Provenance, ReferenceError};
use policy::history::TaskHistory;
use policy::request::Requested;
use policy::standing::Standing;
use policy::{Allowed, Bound, Cover, Judgement, Question};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_util::task::AbortOnDropHandle;

/// All that a model is told of a path that it may not use: where a link leads is not for it.
pub(crate) const OUT_OF_REACH: &str =
    "This path is not available to you. Use paths inside the working folder.";

/// Whether a call runs one of the project's checks that the user accepted, and nothing else.
pub(crate) fn is_check(caller: &Caller, request: &CallRequest) -> bool {
    let settings = Arc::clone(&lock(&caller.session).settings);
    let is_the_call = |argv: &Vec<String>| request.arguments == json!({ "argv": argv });
    request.tool == RUN_COMMAND && settings.checks.iter().any(is_the_call)
}

/// The rule of an executor that refuses a path outside the folders of the call.
const OUTSIDE_ROOTS: &str = "outside_roots";

/// Whether the call being judged counts from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// It does: loops and limits will see it.
    Count,
    /// It does not: nothing is going to happen.
    Look,
    /// It did already, and is judged again.
    Counted,
}

impl Inner {
    /// Judges a registered agent's call.
    pub(crate) async fn judge_call(
        &self,
        caller: &Caller,
        request: &CallRequest,
        cover: Cover,
        counting: Counting,
        lent: Option<&PathBuf>,
    ) -> Judgement {
        let first = (None, None);
        let mut judgement = self.by_policy(caller, request, cover, (counting, lent), first);
        let places = self.locate(&mut judgement).await;
        let is_elsewhere = is_elsewhere(&caller.session, &judgement, &places);
        let covered = match is_check(caller, request) {
            true => judgement.bound.as_ref().map(|bound| bound.repeat_key),
            false => self.covered_program(caller, request, &judgement).await,
        };
        if is_elsewhere || covered.is_some() {
            let counting = match counting {
                Counting::Count => Counting::Counted,
                other => other,
            };
            let known = (Some(&places), covered);
            judgement = self.by_policy(caller, request, cover, (counting, lent), known);
            self.locate(&mut judgement).await;
        }
        judgement
    }

    /// The key of a call that would be asked about, where a yes for the session to the program that it
    /// runs covers it.
    async fn covered_program(
        &self,
        caller: &Caller,
        request: &CallRequest,
        judgement: &Judgement,
    ) -> Option<Digest> {
        let bound = judgement.bound.as_ref()?;
        let is_asked = bound.effect == EffectClass::Exec && judgement.verdict() == Verdict::Confirm;
        if !is_asked || !lock(&caller.session).approvals.has_programs() {
            return None;
        }
        let call = self.judged_call(caller, request, bound, &Label::nothing())?;
        let scope = self.session_scope(&call).await?;
        let session = lock(&caller.session);
        let agent = session.agents.get(&caller.agent_id)?;
        let who = (caller.agent_id, agent.outside);
        let is_covered = session
            .approvals
            .covers_program(&scope.key, &agent.label, who);
        is_covered.then_some(bound.repeat_key)
    }

    /// What a yes for the session to a call covers besides it; nothing where that cannot be told.
    pub(crate) async fn session_scope(&self, call: &JudgedCall) -> Option<SessionScope> {
        let (executor, call) = (self.executor.clone(), call.clone());
        let look = tokio::spawn(async move { executor.session_scope(&call).await });
        let look = tokio::time::timeout(self.config.tool_time, AbortOnDropHandle::new(look));
        look.await.ok()?.ok()?
    }

    /// `places`: where the call's paths really lie, once that is known. `covered`: the call itself, where
    /// a yes for the session to the program that it runs covers it.
    fn by_policy(
        &self,
        caller: &Caller,
        request: &CallRequest,
        cover: Cover,
        (counting, lent): (Counting, Option<&PathBuf>),
        (places, covered): (Option<&Places>, Option<Digest>),
    ) -> Judgement {
        let mut guard = lock(&caller.session);
        let session: &mut Session = &mut guard;
        let Some(agent) = session.agents.get(&caller.agent_id) else {
            return released();
        };
        let standing = agent.standing.clone();
        let (context, who) = (agent.label.clone(), (caller.agent_id, agent.outside));
        let trace = request.context.trace_id;
        let of = (caller.agent_id, trace);
        let requested = session.order(trace).requested;
        let mut allowed = session.approvals.for_agent(&context, Some(who), places);
        allowed.calls.extend(covered);
        let refused_choices = session.task(trace).refused_choices().clone();
        let history = session.task(trace).as_seen_by(caller.agent_id);
        let resolved = match session.provenance.resolve(&request.arguments) {
            Ok(resolved) => resolved,
            Err(error) => return unresolved(&error),
        };
        let secrets = self.secrets.needles();
        let ask = |history: &TaskHistory| {
            self.guarded(&Question {
                tool: &request.tool,
                arguments: &resolved.arguments,
                flow: Knowledge {
                    provenance: &session.provenance,
                    context: &context,
                    company: &session.company(),
                    is_secret: &|text| secrets.may_be_in(text),
                    referenced: &resolved.labels,
                    refused_choices: &refused_choices,
                    requested: &requested,
                    now: (self.clock)(),
                    is_recovered: request.recovered,
                    is_typed: false,
                },
                standing: &standing,
                settings: &session.settings,
                opened: &session.opened_with(lent),
                allowed: &allowed,
                cover,
                history,
                now: (self.clock)(),
            })
        };
        let judgement = ask(&history);
        match counting {
            Counting::Look => judgement,
            Counting::Count => {
                self.count(session, of, &standing, &judgement, cover);
                judgement
            }
            Counting::Counted => match &judgement.bound {
                None => judgement,
                Some(bound) => {
                    let mut without = history;
                    without.forget(&bound.repeat_key, bound.tool);
                    ask(&without)
                }
            },
        }
    }

    /// Notes a judged call in the history of the work it is part of.
    fn count(
        &self,
        session: &mut Session,
        (agent_id, trace): (AgentId, TraceId),
        standing: &Standing,
        judgement: &Judgement,
        cover: Cover,
    ) {
        let now = (self.clock)();
        let line = session.line_of(agent_id, judgement.only_looks());
        session.task(trace).note_call(agent_id, line, |history| {
            self.policy.record(history, standing, judgement, cover, now);
        });
        session.note_inquiries(trace);
    }

    /// Judges a call of a plan that does not run yet, after the plan's earlier calls. `is_typed`: the
    /// rules make that plan of the user's newest words.
    pub(crate) async fn judge_draft(
        &self,
        (standing, context): (&Standing, &Label),
        session: &Arc<Mutex<Session>>,
        (tool, arguments, is_typed): (&str, &Value, bool),
        history: &mut TaskHistory,
    ) -> Judgement {
        let seen = history.clone();
        let judge = |places: Option<&Places>| {
            let secrets = self.secrets.needles();
            let guard = lock(session);
            let allowed = guard.approvals.for_agent(context, None, places);
            let company = guard.company();
            let question = Question {
                tool,
                arguments,
                flow: Knowledge {
                    provenance: &guard.provenance,
                    context,
                    company: &company,
                    is_secret: &|text| secrets.may_be_in(text),
                    referenced: &BTreeMap::new(),
                    refused_choices: &HashSet::new(),
                    requested: &Requested::default(),
                    now: (self.clock)(),
                    is_recovered: false,
                    is_typed,
                },
                standing,
                settings: &guard.settings,
                opened: &guard.opened,
                allowed: &allowed,
                cover: Cover::PlanDraft,
                history: &seen,
                now: (self.clock)(),
            };
            self.guarded(&question)
        };
        let mut judgement = judge(None);
        let now = (self.clock)();
        self.policy
            .record(history, standing, &judgement, Cover::PlanDraft, now);
        let places = self.locate(&mut judgement).await;
        if is_elsewhere(session, &judgement, &places) {
            judgement = judge(Some(&places));
            self.locate(&mut judgement).await;
        }
        judgement
    }

    /// Judges a call without any session.
    pub(crate) async fn judge_alone(
        &self,
        standing: &Standing,
        settings: &SessionSettings,
        tool: &str,
        arguments: &Value,
    ) -> Judgement {
        let secrets = self.secrets.needles();
        let mut judgement = self.guarded(&Question {
            tool,
            arguments,
            flow: Knowledge {
                provenance: &Provenance::default(),
                context: &Label::nothing(),
                company: &Readers::Public,
                is_secret: &|text| secrets.may_be_in(text),
                referenced: &BTreeMap::new(),
                refused_choices: &HashSet::new(),
                requested: &Requested::default(),
                now: (self.clock)(),
                is_recovered: false,
                is_typed: false,
            },
            standing,
            settings,
            opened: &BTreeSet::new(),
            allowed: &Allowed::default(),
            cover: Cover::Nothing,
            history: &TaskHistory::default(),
            now: (self.clock)(),
        });
        self.locate(&mut judgement).await;
        judgement
    }

    fn guarded(&self, question: &Question<'_>) -> Judgement {
        catch_unwind(AssertUnwindSafe(|| self.policy.judge(question)))
            .unwrap_or_else(|_| broken("check_panicked", "A check broke down."))
    }

    /// Adds what the file system says to a judgement that is not a deny already, and gives where
    /// its paths really lie.
    async fn locate(&self, judgement: &mut Judgement) -> Places {
        let mut places = Places::new();
        let Some(bound) = judgement.bound.clone() else {
            return places;
        };
        if judgement.verdict() == Verdict::Deny {
            return places;
        }
        for (kind, path) in bound.targets.values() {
            let roots = located_roots(*kind, &bound, judgement.write_root.as_deref());
            match self.locate_one(path.clone(), *kind, roots).await {
                Ok(real) => {
                    let real = real.unwrap_or_else(|| path.clone());
                    places.insert(path.clone(), real);
                }
                Err(finding) => judgement.add(*finding),
            }
        }
        places
    }

    /// Where the paths of a call that was judged really lie. `opens`: a folder that a yes would open.
    pub(crate) async fn places_of(&self, bound: &Bound, opens: Option<&Path>) -> Places {
        let mut places = Places::new();
        for (kind, path) in bound.targets.values() {
            let roots = located_roots(*kind, bound, opens);
            if let Ok(Some(real)) = self.locate_one(path.clone(), *kind, roots).await {
                places.insert(path.clone(), real);
            }
        }
        places
    }

    /// Whether the caller may read every place that the call names, wherever it leads.
    pub(crate) async fn may_read_targets(&self, bound: &Bound) -> bool {
        for (kind, path) in bound.targets.values() {
            if !matches!(kind, TargetKind::ReadPath | TargetKind::WritePath) {
                continue;
            }
            let roots = bound.read_roots.clone();
            let is_given = roots.iter().any(|root| path.starts_with(root));
            let refusal = self.locate_one(path.clone(), TargetKind::ReadPath, roots);
            if !is_given || refusal.await.is_err() {
                return false;
            }
        }
        true
    }

    async fn locate_one(
        &self,
        path: PathBuf,
        kind: TargetKind,
        roots: Vec<PathBuf>,
    ) -> Result<Option<PathBuf>, Box<Finding>> {
        let executor = self.executor.clone();
        let look = tokio::spawn(async move { executor.locate(&path, kind, &roots).await });
        let finding =
            match tokio::time::timeout(self.config.tool_time, AbortOnDropHandle::new(look)).await {
                Ok(Ok(Ok(real))) => return Ok(real),
                Ok(Ok(Err(refusal))) => Finding {
                    layer: Layer::Path,
                    verdict: Verdict::Deny,
                    rule: refusal.rule.into_owned(),
                    model_reason: OUT_OF_REACH.to_owned(),
                    user_reason: refusal.detail,
                },
                Ok(Err(_)) => broken_finding("check_panicked", "The check of a path broke down."),
                Err(_) => broken_finding("check_timeout", "The check of a path took too long."),
            };
        Err(Box::new(finding))
    }
}

/// Whether a yes for the session lets the call pass by its names alone: its paths lead elsewhere
/// than when the yes was given.
fn is_elsewhere(session: &Mutex<Session>, judgement: &Judgement, places: &Places) -> bool {
    let bound = judgement.bound.as_ref();
    bound.is_some_and(|bound| lock(session).approvals.is_elsewhere(bound, places))
}

impl Inner {
    /// Asks for the working folder where it is not open and a call that names no path, such as `undo`,
    /// turns out to change a file there, or where a program is asked about that works in it. `earlier`
    /// are the steps of a plan before it.
    pub(crate) async fn ask_for_workspace(
        &self,
        caller: &Caller,
        request: &CallRequest,
        judgement: &mut Judgement,
        earlier: &[JudgedCall],
    ) {
        let Some(bound) = &judgement.bound else {
            return;
        };
        let settings = lock(&caller.session).settings.clone();
        let is_program = bound.effect == EffectClass::Exec;
        let is_settled = match is_program {
            true => judgement.verdict() != Verdict::Confirm,
            false => !changes_unnamed(bound) || judgement.verdict() == Verdict::Deny,
        };
        if is_settled
            || judgement.write_root.is_some()
            || settings.attendance == Attendance::Unattended
            || bound.write_roots.contains(&settings.workspace)
        {
            return;
        }
        let call = self.judged_call(caller, request, bound, &Label::nothing());
        let Some(mut call) = call else {
            return;
        };
        let is_closed =
            |seen: &Result<_, ToolFailure>| matches!(seen, Err(e) if e.rule == OUTSIDE_ROOTS);
        let closed = self.preview_step(&call, earlier).await;
        if !is_program && !is_closed(&closed) {
            return;
        }
        call.write_roots.push(settings.workspace.clone());
        let open = self.preview_step(&call, earlier).await;
        // What a program would be told to do is the same; only where it may change something differs.
        let is_other = match is_program {
            true => matches!((&closed, &open), (Ok(closed), Ok(open)) if closed != open),
            false => !is_closed(&open),
        };
        if is_other {
            judgement.ask_to_open(settings.workspace.clone());
        }
    }
}

/// Whether a call changes files and names none, such as `undo`: only its preview tells what it does.
pub(crate) fn changes_unnamed(bound: &Bound) -> bool {
    let changes_files = matches!(
        bound.effect,
        EffectClass::SharedWrite | EffectClass::Destructive
    );
    changes_files && bound.targets.is_empty()
}

fn located_roots(kind: TargetKind, bound: &Bound, write_root: Option<&Path>) -> Vec<PathBuf> {
    match kind {
        TargetKind::WritePath => {
            let mut roots = bound.write_roots.clone();
            roots.extend(write_root.map(Path::to_path_buf));
            roots
        }
        TargetKind::ReadPath | TargetKind::Url | TargetKind::Other => bound.read_roots.clone(),
    }
}

/// The executor's own refusal of a call that every layer let pass.
pub(crate) fn out_of_reach(failure: &ToolFailure) -> Finding {
    Finding {
        layer: Layer::Path,
        verdict: Verdict::Deny,
        rule: failure.rule.clone().into_owned(),
        model_reason: OUT_OF_REACH.to_owned(),
        user_reason: format!(
            "{} To open a folder for writing: `--allow-write FOLDER`.",
            render::one_line(&failure.message)
        ),
    }
}

/// A call whose references lead nowhere.
fn unresolved(error: &ReferenceError) -> Judgement {
    Judgement {
        findings: vec![Finding {
            layer: Layer::Schema,
            verdict: Verdict::Deny,
            rule: "bad_reference".to_owned(),
            model_reason: error.to_string(),
            user_reason: format!("The call names a stored value wrongly. {error}"),
        }],
        bound: None,
        write_root: None,
        is_untrusted_choice: false,
        is_private_inquiry: false,
    }
}

fn broken(rule: &str, why: &str) -> Judgement {
    Judgement {
        findings: vec![broken_finding(rule, why)],
        bound: None,
        write_root: None,
        is_untrusted_choice: false,
        is_private_inquiry: false,
    }
}

pub(crate) fn broken_finding(rule: &str, why: &str) -> Finding {
    Finding {
        layer: Layer::Integrity,
        verdict: Verdict::Deny,
        rule: rule.to_owned(),
        model_reason: "The call could not be judged, so it was refused.".to_owned(),
        user_reason: format!("{why} What cannot be judged is refused."),
    }
}

fn released() -> Judgement {
    broken(
        "released",
        "The agent was released while its call was judged.",
    )
}
