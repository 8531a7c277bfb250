//! Asking the user about a call: what is shown, whom it waits with, and what a yes is good for.

use crate::approvals::Places;
use crate::batch::Seat;
use crate::call::{Call, Cleared, Stop};
use crate::differences::Difference;
use crate::foreseen::is_same_change;
use crate::judging::{Counting, changes_unnamed};
use crate::ledger::CallRecord;
use crate::question::{Answered, BY_SESSION};
use crate::reach::{self, Reach};
use crate::render;
use crate::state::{About, lock};
use api::broker::{GrantListing, ToolEvent};
use api::executor::SessionScope;
use domain::decision::{Decision, Finding, Verdict};
use domain::event::{Batch, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::ConfirmationId;
use domain::label::Label;
use domain::tool::EffectClass;
use policy::{Cover, Judgement};
use serde_json::json;
use std::path::{Path, PathBuf};
use tokio::sync::watch;
use uuid::Uuid;

/// What a yes was given for.
struct Shown {
    call: Cleared,
    diff: Option<String>,
    /// What its paths led to before the question was put.
    places: Places,
    /// How far a yes for the session goes; `None`: no further than a yes once.
    reach: Option<Reach>,
    /// Why a yes for the session that was given before does not count any more.
    ended: Option<&'static str>,
}

impl Shown {
    /// What the call does, where nothing but its preview says so.
    fn only_told(&self) -> Option<&str> {
        let diff = self.diff.as_deref();
        diff.filter(|_| changes_unnamed(&self.call.bound))
    }
}

impl Call {
    /// Asks the user for the call, and with it for the folder that it would change where that is not
    /// open, together with what else its row asks.
    pub(crate) async fn ask(
        &self,
        record: &CallRecord,
        mut judgement: Judgement,
        id: ConfirmationId,
        label: &Label,
    ) -> Result<Cleared, Stop> {
        let mut company = None;
        if let (Some(seat), Some(bound)) = (&self.seat, &judgement.bound) {
            company = self.company(seat, bound.effect).await?;
            if company.is_none() {
                // What runs before it may change what there is to ask.
                self.turn_to_run(None).await?;
                judgement = self.judge_anew(record, id).await?;
                if judgement.verdict() == Verdict::Allow {
                    return self.cleared(&judgement, label);
                }
            }
        }
        self.ask_until_settled(record, (judgement, label), (company, id))
            .await
    }

    /// Asks once; and once more alone where what it comes to has changed meanwhile, or a yes for the
    /// session that was given to another question does not cover it any more.
    async fn ask_until_settled(
        &self,
        record: &CallRecord,
        (mut judgement, label): (Judgement, &Label),
        (mut company, mut id): (Option<Batch>, ConfirmationId),
    ) -> Result<Cleared, Stop> {
        loop {
            let shown = self
                .approval(record, (&judgement, label), company, id)
                .await?;
            self.turn_to_run(None).await?;
            id = fresh_id();
            judgement = match shown {
                None => self.judge_covered(record, id).await?,
                Some(shown) => match self.as_shown(record, &shown, label).await? {
                    Ok(cleared) => return Ok(cleared),
                    Err(difference) if company.is_none() => {
                        return Err(self.not_as_shown(record, &difference).await);
                    }
                    // A call before it has changed what it would do: the yes was for something else.
                    Err(_) => {
                        self.differs_from_shown.get_or_init(|| ());
                        self.judge_anew(record, id).await?
                    }
                },
            };
            if judgement.verdict() == Verdict::Allow {
                return self.cleared(&judgement, label);
            }
            company = None;
        }
    }

    async fn not_as_shown(&self, record: &CallRecord, difference: &Difference) -> Stop {
        let finding = difference.finding();
        let text = finding.model_reason.clone();
        self.record_refusal(record, &Decision::strictest(vec![finding]))
            .await;
        Stop::Denied(text)
    }

    /// Waits until a yes for the session that is given to another question lets the call pass.
    async fn covered(&self, mut given: watch::Receiver<u64>) {
        while given.changed().await.is_ok() {
            let judgement = self.judge_unlent(Counting::Counted).await;
            if judgement.verdict() == Verdict::Allow {
                return;
            }
        }
        // The session is gone, and cancels what waits.
        std::future::pending().await
    }

    /// Shows the call as it stands and waits for a yes; `None` once a yes for the session covers it
    /// that was given to another question.
    async fn approval(
        &self,
        record: &CallRecord,
        (judgement, label): (&Judgement, &Label),
        company: Option<Batch>,
        id: ConfirmationId,
    ) -> Result<Option<Shown>, Stop> {
        let folder = judgement.write_root.as_ref();
        let call = match folder {
            Some(folder) => {
                // What is shown is what would run once there is a yes.
                self.lent.get_or_init(|| folder.clone());
                let lent = self.judge_again(record, Cover::Nothing).await?;
                self.cleared(&lent, label)?
            }
            None => self.cleared(judgement, label)?,
        };
        let places = self.inner.places_of(&call.bound, None).await;
        let diff = self.early(&call, judgement).await?;
        let mut shown = Shown {
            call,
            diff,
            places,
            reach: None,
            ended: None,
        };
        let scope = self.inner.session_scope(&shown.call.call).await;
        shown.ended = self.ended(&shown.call, scope.as_ref());
        shown.reach = self.reach(&shown, folder.map(PathBuf::as_path), scope);
        let asked = self
            .ask_for_call(record, (&shown, judgement), company, id)
            .await;
        // Who says what to do instead wants to be asked about that.
        let is_refused = matches!(asked, Err(ref stop) if !matches!(stop, Stop::Advised(_)));
        if is_refused && judgement.is_untrusted_choice {
            lock(&self.caller.session)
                .task(self.request.context.trace_id)
                .refuse_choice(shown.call.bound.choice_key);
        }
        let answer = asked?;
        if answer == Some(ConfirmationAnswer::Session) {
            self.allow_for_session(&shown, folder);
        }
        Ok(answer.map(|_yes| shown))
    }

    /// Remembers what a yes for the session covers. `folder`: the one that it opens.
    fn allow_for_session(&self, shown: &Shown, folder: Option<&PathBuf>) {
        let Some(reach) = &shown.reach else {
            return;
        };
        let grant = self.grant(&shown.call, &reach.to_string());
        let mut session = lock(&self.caller.session);
        let agent = session.agents.get(&self.caller.agent_id);
        let label = agent.map_or_else(Label::nothing, |agent| agent.label.clone());
        session.opened.extend(folder.cloned());
        match reach {
            Reach::Changes(folder) => {
                let who = (self.caller.agent_id, self.outside);
                session.approvals.give_folder(folder.clone(), who, grant);
            }
            Reach::Opens(_) => {}
            Reach::Program { scope, .. } => {
                let who = (self.caller.agent_id, self.outside);
                session.approvals.give_program(scope, who, label, grant);
            }
            Reach::Call(_) => {
                let approved = (&shown.call.bound, shown.places.clone());
                session.approvals.give(approved, label, grant);
            }
        }
        session.approvals.are_more();
    }

    /// Why a yes for the session to this call does not count any more, where one was given.
    fn ended(&self, call: &Cleared, scope: Option<&SessionScope>) -> Option<&'static str> {
        let session = lock(&self.caller.session);
        let agent = session.agents.get(&self.caller.agent_id);
        let label = agent.map_or_else(Label::nothing, |agent| agent.label.clone());
        let who = (self.caller.agent_id, self.outside);
        session.approvals.ended(&call.bound, scope, (&label, who))
    }

    /// How far a yes for the session goes. What only a preview tells is another thing each time that
    /// the same call is made. `opens`: the folder that it opens.
    fn reach(
        &self,
        shown: &Shown,
        opens: Option<&Path>,
        scope: Option<SessionScope>,
    ) -> Option<Reach> {
        let Cleared { bound, .. } = &shown.call;
        if shown.only_told().is_some() {
            return opens.map(|folder| Reach::Opens(folder.to_path_buf()));
        }
        let workspace = lock(&self.caller.session).settings.workspace.clone();
        let changed = reach::changed_folder(bound, &shown.places, (opens, &workspace));
        Some(match (changed, opens) {
            (Some(folder), _) => Reach::Changes(folder),
            (None, opens) => match (scope, opens) {
                (Some(scope), opens) => Reach::Program {
                    scope,
                    opens: opens.map(Path::to_path_buf),
                },
                (None, Some(folder)) => Reach::Opens(folder.to_path_buf()),
                (None, None) => Reach::Call(reach::of_call(bound)),
            },
        })
    }

    /// What the call would change, before it is allowed.
    async fn early(&self, call: &Cleared, judged: &Judgement) -> Result<Option<String>, Stop> {
        match self.inner.preview(&call.call).await {
            Ok(diff) => Ok(diff),
            Err(failure) => Err(Stop::WouldFail(self.told_early(failure, judged).await)),
        }
    }

    /// The call, judged once more, if it is still what was shown; else what is not.
    async fn as_shown(
        &self,
        record: &CallRecord,
        shown: &Shown,
        label: &Label,
    ) -> Result<Result<Cleared, Difference>, Stop> {
        let again = self.judge_again(record, Cover::ThisCall).await?;
        let cleared = self.cleared(&again, label)?;
        if again.verdict() != Verdict::Allow {
            return Ok(Err(Difference::Rules(again.decision().user_reason)));
        }
        if let Some(difference) = Difference::of_calls(&shown.call.call, &cleared.call) {
            return Ok(Err(difference));
        }
        let now = self.early(&cleared, &again).await?;
        Ok(
            match is_same_change(shown.diff.as_deref(), now.as_deref()) {
                true => Ok(cleared),
                false => Err(Difference::of_preview(&cleared.bound)),
            },
        )
    }

    /// Waits until the calls before it in its row are over; `looked` is what it asks for until then.
    pub(crate) async fn turn_to_run(
        &self,
        looked: Option<Option<EffectClass>>,
    ) -> Result<(), Stop> {
        let Some(seat) = &self.seat else {
            return Ok(());
        };
        if let Some(asks) = looked {
            seat.looked(asks);
        }
        self.unless_cancelled(seat.turn_to_run()).await
    }

    async fn company(&self, seat: &Seat, effect: EffectClass) -> Result<Option<Batch>, Stop> {
        seat.looked(Some(effect));
        self.unless_cancelled(seat.company(effect)).await
    }

    pub(crate) async fn unless_cancelled<T>(
        &self,
        wait: impl Future<Output = T>,
    ) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Stop::Cancelled),
            done = wait => Ok(done),
        }
    }

    /// What a yes for the session covers, in words.
    fn grant(&self, shown: &Cleared, reach: &str) -> GrantListing {
        let call = self
            .inner
            .render(&self.request.tool, &shown.call.arguments, &shown.bound);
        GrantListing {
            tool: shown.call.tool.clone(),
            scope: format!("{reach}\n{call}"),
            given: (self.inner.clock)(),
        }
    }

    async fn ask_for_call(
        &self,
        record: &CallRecord,
        (shown, judgement): (&Shown, &Judgement),
        company: Option<Batch>,
        id: ConfirmationId,
    ) -> Result<Option<ConfirmationAnswer>, Stop> {
        let call = self.inner.render(
            &self.request.tool,
            &shown.call.call.arguments,
            &shown.call.bound,
        );
        let line = self.inner.call_line(
            &self.request.tool,
            &shown.call.call.arguments,
            &shown.call.bound,
        );
        let line = render::told(line, shown.only_told()) + &render::led_to(&shown.places);
        let end = render::in_short(&line, &[]);
        let folder = judgement.write_root.as_deref();
        let kind = match folder {
            Some(_) => ConfirmationKind::WriteRoot,
            None => ConfirmationKind::Call,
        };
        let ended = shown
            .ended
            .map(|why| format!("Your yes for the session does not count any more: {why} since.\n"));
        let reach = shown.reach.as_ref();
        let is_below = self.caller.lineage.len() > 1;
        let reach = reach.map(|reach| match is_below && reach.is_of_one_agent() {
            true => format!("A yes for the session is for this agent alone: it covers {reach}\n"),
            false => format!("A yes for the session covers {reach}\n"),
        });
        let for_session: String = ended.into_iter().chain(reach).collect();
        let request = ConfirmationRequest {
            confirmation_id: id,
            kind,
            agent_type: self.caller.agent_type.clone(),
            lineage: self.caller.lineage.clone(),
            batch: company,
            effect: shown.call.bound.effect,
            reason: reasons(judgement),
            rendering: format!("{call}{for_session}{end}"),
            diff: shown.diff.as_deref().map(render::diff),
            steps: Vec::new(),
            binding: binding(&shown.call, folder),
            expires: self.inner.expiry(),
        };
        let about = record.about((self.inner.clock)(), judgement.decision().layer);
        self.put(request, about).await
    }

    /// Puts a question and waits: the answer if it is a yes, a stop if not, `None` once a yes for the
    /// session covers it.
    async fn put(
        &self,
        mut request: ConfirmationRequest,
        about: About,
    ) -> Result<Option<ConfirmationAnswer>, Stop> {
        let id = request.confirmation_id;
        let given = lock(&self.caller.session).approvals.watch();
        let opened = self.inner.open_question(&self.caller, &mut request, about);
        let Some(asked) = opened else {
            return Err(Stop::Denied(
                "Too many questions wait for the user. Report what you could not do.".to_owned(),
            ));
        };
        self.emit(ToolEvent::ConfirmationAsked(request)).await;
        let answered = asked.wait(&self.cancel, self.covered(given)).await;
        let Some(Answered { answer, by, token }) = answered else {
            return Err(Stop::Cancelled);
        };
        self.emit(ToolEvent::ConfirmationAnswered {
            confirmation_id: id,
            answer: answer.clone(),
            by: by.to_owned(),
            token,
        })
        .await;
        match answer {
            _ if by == BY_SESSION => Ok(None),
            ConfirmationAnswer::Once | ConfirmationAnswer::Session => Ok(Some(answer)),
            ConfirmationAnswer::Deny { message } => {
                let said = said_no(&message, by);
                match by {
                    "user" if !message.is_empty() => Err(Stop::Advised(said)),
                    _ => Err(Stop::Denied(said)),
                }
            }
        }
    }
}

fn fresh_id() -> ConfirmationId {
    ConfirmationId::from_uuid(Uuid::now_v7())
}

/// Why the user is asked, by every layer that asks, each with its name.
fn reasons(judgement: &Judgement) -> String {
    let asking = judgement
        .findings
        .iter()
        .filter(|f| f.verdict == Verdict::Confirm);
    let reason = |finding: &Finding| {
        let why = finding.user_reason.trim_end_matches('.');
        format!("{why} (layer {}).", finding.layer)
    };
    let reasons: Vec<String> = asking.map(reason).collect();
    reasons.join(" ")
}

/// What a yes stands for: the call, and the folder that it may open.
fn binding(shown: &Cleared, folder: Option<&Path>) -> Digest {
    let call = shown.call.binding();
    match folder {
        Some(folder) => Digest::of_json(&json!({
            "open_for_writing": folder.to_string_lossy(),
            "call": call.to_string(),
        })),
        None => call,
    }
}

fn said_no(message: &str, by: &str) -> String {
    let advice = "Do not ask for it again; go on without it or report what you could not do.";
    match (by, message) {
        ("timeout", _) => format!("The user did not answer, which counts as a no. {advice}"),
        (_, "") => format!("The user said no to this call. {advice}"),
        (_, message) => format!("The user said no to this call, and says: {message}"),
    }
}
