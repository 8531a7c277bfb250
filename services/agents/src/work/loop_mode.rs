//! Loop mode: the model uses tools as it sees fit. Performs what [`turn`] decides.

use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::changes::{Changes, of_another_file};
use crate::work::checks;
use crate::work::compaction;
use crate::work::known::Known;
use crate::work::mentioned;
use crate::work::named;
use crate::work::small_talk;
use api::broker::OfferBound;
use api::models::ToolChoice;
use context::Budget;
use discovery::OfferedTools;
use domain::decision::Layer;
use domain::event::{Batch, CallStatus, EventBody, QueryStatus, ToolCallSummary};
use domain::fault::{Coded, Fault};
use domain::id::{BatchId, CallId};
use domain::limits::TOOL_CALLS_PER_REPLY;
use domain::message::ToolCall;
use domain::model::ModelClass;
use domain::tool::{EffectClass, FIND_TOOLS, ToolDefinition};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use turn::cut::{self, Room};
use turn::{
    Action, Answer, Call, CallRecord, Ending, Event, Limits, Nudge, Outcome, Reason, Reply,
    ToolUse, Turn, unfinished,
};
use uuid::Uuid;

/// Least that an answer is left, tokens, however full the model's context is.
const LEAST_ANSWER: u64 = 256;

/// Most that a tiny model writes at a time, tokens: what is longer repeats itself.
const TINY_ANSWER: u32 = 1_024;

/// Works on one request until the model has answered, failed or been stopped.
pub(crate) async fn run(work: &Work) -> Outcome {
    let mut turn = Turn::new(Limits {
        model_calls: work.services.tool_iterations,
        ..Limits::default()
    });
    let mut run = Run {
        work,
        budget: Budget::of(work.agent.context_tokens),
        offered: OfferedTools::default(),
        asked: Vec::new(),
        ahead: BTreeMap::new(),
        cut: None,
        changes: Changes::default(),
        known: Known::of(work),
        is_small_talk: small_talk::is(work),
        change_not_made: None,
        outcome: Outcome::of(QueryStatus::Failed),
    };
    let read = match mentioned::before(work).await {
        mentioned if mentioned.is_empty() => named::before(work).await,
        mentioned => mentioned,
    };
    let in_view = named::all_that_is_asked(work, &read);
    for record in read {
        run.known.note(work, &record);
        run.outcome.note_call(&record);
    }
    if let Some(in_view) = in_view {
        run.outcome.answer = in_view.told(&work.request.text);
        run.outcome.status = match work.cancel.is_cancelled() {
            true => QueryStatus::Interrupted,
            false => QueryStatus::Success,
        };
        return run.outcome;
    }
    let mut todo = VecDeque::from(turn.on(Event::Received));
    while let Some(action) = todo.pop_front() {
        for event in run.perform(action).await {
            todo.extend(turn.on(event));
        }
    }
    run.outcome
}

/// A reply that a token limit ended.
struct Cut {
    /// The call that was not whole, and what the model is told of it.
    call: Option<(CallId, String)>,
    /// What people are told.
    fault: Fault,
}

/// One turn as it is worked off.
struct Run<'a> {
    work: &'a Work,
    budget: Budget,
    /// The tools on offer.
    offered: OfferedTools,
    /// Calls of the last reply that were not begun, in order.
    asked: Vec<(ToolCall, bool)>,
    /// Calls that were run in a row with one before them, and whose turn has not come yet.
    ahead: BTreeMap<CallId, CallRecord>,
    /// What is said of the last reply, if a token limit ended it.
    cut: Option<Cut>,
    /// What calls changed in files.
    changes: Changes,
    /// What is known of files.
    known: Known,
    /// Whether the request names nothing to do.
    is_small_talk: bool,
    /// What is said of the last call that would have changed something, if it did not.
    change_not_made: Option<Fault>,
    outcome: Outcome,
}

impl Run<'_> {
    async fn perform(&mut self, action: Action) -> Vec<Event> {
        match action {
            Action::Assemble => vec![self.assemble().await],
            Action::Nudge(nudge) => {
                self.nudge(nudge).await;
                Vec::new()
            }
            Action::AskModel(tools) => vec![Box::pin(self.ask_model(tools)).await],
            Action::Compact => vec![self.compact().await],
            Action::Run(calls) => Box::pin(self.run_calls(calls)).await,
            Action::RefuseExcess(calls) => {
                self.refuse_excess(calls).await;
                Vec::new()
            }
            // Whatever ran ended when the request's token fired: nothing outlives `perform`.
            Action::Stop => Vec::new(),
            Action::Publish(ending) => {
                self.publish(ending);
                vec![Event::Published]
            }
        }
    }

    async fn nudge(&self, nudge: Nudge) {
        let mut text = nudge.text().to_owned();
        if matches!(nudge, Nudge::NotDone | Nudge::Refused)
            && let Some(fault) = self.untrue()
        {
            text = format!("{} {text}", fault.message);
            let told = Fault {
                message: format!("{} The model is asked again.", fault.message),
                hint: String::new(),
                ..fault
            };
            self.work.emit(EventBody::Notice(told), None).await;
        }
        self.work.emit(EventBody::ModelNudged { text }, None).await;
    }

    /// What the answer says, and no call bears out.
    fn untrue(&self) -> Option<Fault> {
        let work = self.work;
        let succeeded = work.with_state(|state| state.conversation.succeeded().clone());
        let (request, effects) = (&work.request.text, &work.services.effects);
        let untrue = self.outcome.untrue_claims(request, effects, &succeeded);
        unfinished::not_true(&untrue, &self.outcome.tool_calls)
    }

    /// Finds out which tools are on offer.
    async fn assemble(&mut self) -> Event {
        if self.is_small_talk {
            // What was offered before stays where it is in the prompt, and may not be called.
            self.offered = self.offer(Vec::new());
            return Event::Assembled;
        }
        match self.discover(self.work.request.text.clone(), false).await {
            Ok(tools) => self.offered = self.offer(tools),
            Err(event) => return event,
        }
        self.announce_tools().await;
        Event::Assembled
    }

    /// What is found now beside what lay there before: the beginning of the prompt changes no more
    /// than it must.
    fn offer(&self, found: Vec<ToolDefinition>) -> OfferedTools {
        let work = self.work;
        let before = work.with_state(|state| state.conversation.tools().to_vec());
        let before = self.usable(before);
        let mut offered = OfferedTools::new(before, self.room_tokens());
        offered.add(found, &self.used());
        offered
    }

    /// The tools without those that are of no use to this agent or its model.
    fn usable(&self, tools: Vec<ToolDefinition>) -> Vec<ToolDefinition> {
        let work = self.work;
        let tools = crate::drive::offered(work.request.profile.mode, work.is_root(), tools);
        crate::work::pictures::offered(crate::work::pictures::sees(work), tools)
    }

    /// What tool definitions may take.
    fn room_tokens(&self) -> u64 {
        let most = discovery::room_for(self.work.agent.facts.class);
        self.budget.tools_tokens.min(most)
    }

    /// The tools called since the view was last rebuilt.
    fn used(&self) -> BTreeSet<String> {
        self.work
            .with_state(|state| state.conversation.used().clone())
    }

    /// The tools for a task; for a search, those beside the ones at hand.
    async fn discover(
        &mut self,
        task: String,
        is_search: bool,
    ) -> Result<Vec<ToolDefinition>, Event> {
        let work = self.work;
        let bound = OfferBound {
            room_tokens: self.room_tokens(),
            without: crate::drive::left_out(work.request.profile.mode, work.is_root()),
            is_search,
        };
        let discovered = tokio::select! {
            biased;
            () = work.cancel.cancelled() => return Err(Event::Interrupted),
            found = work.services.broker.discover_tools(work.agent.caller.clone(), task, bound) => found,
        };
        let discovered = discovered.map(|tools| self.usable(tools));
        discovered.map_err(|error| {
            self.outcome.error = Some(error.fault());
            Event::Failed
        })
    }

    /// Says which tools are on offer when they are others than before.
    async fn announce_tools(&self) {
        let tools = self.offered.tools();
        let is_known = self
            .work
            .with_state(|state| state.conversation.has_announced(&tools));
        if !is_known {
            self.work.emit(EventBody::ToolSchema { tools }, None).await;
        }
    }

    /// Offers what the agent asked for, from the next model call on.
    async fn find_tools(&mut self, records: &[CallRecord]) -> Result<(), Event> {
        let asked = records.iter().filter(|record| {
            record.summary.tool == FIND_TOOLS && record.summary.status == CallStatus::Ok
        });
        let tasks = asked.filter_map(|record| record.summary.args["task"].as_str());
        let tasks: Vec<String> = tasks.map(str::to_owned).collect();
        for task in tasks {
            let found = self.discover(task, true).await?;
            self.offered.add(found, &self.used());
            self.announce_tools().await;
        }
        Ok(())
    }

    async fn ask_model(&mut self, tools: ToolUse) -> Event {
        let spent = compaction::before_call(self.work, self.budget, &self.offered.tools()).await;
        self.outcome.usage = self.outcome.usage.plus(spent);
        if let Some(fault) = compaction::oversized(self.work, self.budget)
            && !self.work.cancel.is_cancelled()
        {
            self.outcome.error = Some(fault);
            return Event::Failed;
        }
        // What is told is of the very prompt that is sent.
        let (due, messages, characters, sent) = self.work.with_state(|state| {
            let conversation = &mut state.conversation;
            conversation.burn.sent(conversation.view.estimate());
            let (messages, characters) =
                (conversation.view.messages(), conversation.view.characters());
            let sent = conversation.view.estimate();
            (state.due(), messages, characters, sent)
        });
        if let Err(fault) = self.work.tell_shown(due).await {
            self.outcome.error = Some(fault);
            return Event::Failed;
        }
        // Tools stay in a request that must not use them: some servers refuse a conversation with
        // calls otherwise, and the prefix stays the same.
        let left = self.budget.context_tokens.saturating_sub(sent);
        let mut most = self.budget.output_tokens.min(left.max(LEAST_ANSWER));
        if self.is_tiny() {
            most = most.min(TINY_ANSWER.into());
        }
        let max_tokens = u32::try_from(most).ok();
        let may_call = tools == ToolUse::Offered && !self.is_small_talk;
        let tools = self.offered.tools();
        let narrowed = match may_call {
            true => self.known.narrowed(self.work, &tools, &messages).await,
            false => BTreeMap::new(),
        };
        let ask = Ask {
            tools,
            narrowed,
            tool_choice: match may_call {
                true => ToolChoice::Auto,
                false => ToolChoice::None,
            },
            max_tokens,
            visibility: Visibility::Shown,
            ..Ask::new(messages)
        };
        match self.work.ask_model(ask).await {
            Ok(reply) => {
                let counted = reply.usage.prompt_tokens;
                self.work
                    .with_state(|state| state.conversation.view.calibrate(characters, counted));
                Event::Answered(self.take_reply(reply, max_tokens))
            }
            Err(AskError::Interrupted) => Event::Interrupted,
            Err(error) => {
                self.outcome.error = Some(error.fault());
                if error.is_overflow() {
                    Event::Overflowed
                } else {
                    Event::Failed
                }
            }
        }
    }

    fn is_tiny(&self) -> bool {
        self.work.agent.facts.class == Some(ModelClass::Tiny)
    }

    /// What a whole reply comes to, and what the turn is told of it.
    fn take_reply(&mut self, reply: Reply, max_tokens: Option<u32>) -> Answer {
        self.outcome.note_reply(&reply);
        self.cut = reply.finish.is_cut().then(|| Cut {
            call: cut::call_of(&reply).map(|id| (id, cut::for_the_model(&reply))),
            fault: cut::fault(
                &reply,
                max_tokens,
                match max_tokens == Some(TINY_ANSWER) && self.is_tiny() {
                    true => Room::Tiny,
                    false => Room::Context(self.work.agent.context_tokens),
                },
            ),
        });
        let has_text = !reply.text.trim().is_empty();
        if has_text {
            self.outcome.answer = reply.text;
        }
        let calls = reply.tool_calls.iter().map(|(call, _)| Call {
            call_id: call.call_id,
            effect: self.work.services.effects.get(&call.name).copied(),
        });
        let answer = Answer {
            has_text,
            is_untrue: has_text && reply.tool_calls.is_empty() && self.untrue().is_some(),
            broken_call: reply.broken_call,
            finish: reply.finish,
            calls: calls.collect(),
        };
        self.asked = reply.tool_calls;
        answer
    }

    /// Makes the view smaller: the server's own count says that the estimate was too low.
    async fn compact(&mut self) -> Event {
        let (shrunk, spent) = compaction::overflowed(self.work, self.budget).await;
        self.outcome.usage = self.outcome.usage.plus(spent);
        Event::Compacted { shrunk }
    }

    async fn run_calls(&mut self, calls: Vec<CallId>) -> Vec<Event> {
        let work = self.work;
        let records = match calls.as_slice() {
            [call_id] => self.run_in_turn(*call_id).await.into_iter().collect(),
            _ => {
                let mut begun = Vec::new();
                for call_id in &calls {
                    begun.extend(self.take_asked(*call_id));
                }
                let begun = begun.into_iter();
                join_all(begun.map(|asked| self.run_one(asked, None))).await
            }
        };
        let mut ended = Vec::new();
        for record in &records {
            let call = &record.summary;
            // Arguments that fit no schema are the model's mistake, and nobody's no.
            let is_mistaken = call.status == CallStatus::Denied && call.layer == Layer::Schema;
            let status = match is_mistaken {
                true => CallStatus::Failed,
                false => call.status,
            };
            let effect = work.services.effects.get(&call.tool);
            if effect.is_some_and(|effect| *effect != EffectClass::Read) {
                self.change_not_made = unfinished::change_not_made(record, status);
            }
            ended.push(Event::CallEnded {
                call_id: call.call_id,
                status,
                circles: call.layer == Layer::Limits || self.was_refused(call),
                completes: false,
            });
            self.outcome.note_call(record);
            self.changes.note(work, record);
            self.known.note(work, record);
        }
        if self.changes.are_all_asked_for(work) {
            ended.iter_mut().for_each(complete);
        }
        if work.cancel.is_cancelled() {
            return vec![Event::Interrupted];
        }
        self.check_changes().await;
        if work.cancel.is_cancelled() {
            return vec![Event::Interrupted];
        }
        if let Err(event) = self.find_tools(&records).await {
            return vec![event];
        }
        ended
    }

    /// Runs the project's checks once the last of a reply's calls has ended, if files were changed.
    async fn check_changes(&mut self) {
        let is_last = self.asked.is_empty() && self.ahead.is_empty();
        if is_last && self.changes.are_unchecked() {
            for record in checks::run(self.work).await {
                self.outcome.note_call(&record);
            }
        }
    }

    /// Whether this very call was refused before in this turn.
    fn was_refused(&self, call: &ToolCallSummary) -> bool {
        let before = self.outcome.tool_calls.iter();
        let refused = |old: &&ToolCallSummary| old.status == CallStatus::Denied;
        let mut refused = before.filter(refused);
        refused.any(|old| old.tool == call.tool && old.args == call.args)
    }

    fn take_asked(&mut self, call_id: CallId) -> Option<(ToolCall, bool)> {
        let index = self.asked.iter().position(|(c, _)| c.call_id == call_id)?;
        Some(self.asked.remove(index))
    }

    /// Runs a call whose turn has come. Those after it that change something as well are handed to
    /// the broker in the same breath: it asks about them together, and runs them in order.
    async fn run_in_turn(&mut self, call_id: CallId) -> Option<CallRecord> {
        if let Some(done) = self.ahead.remove(&call_id) {
            return Some(done);
        }
        let first = self.take_asked(call_id)?;
        let mut row = vec![first];
        if self.changes(&row[0].0) && !self.is_cut(&row[0].0) {
            let after = self.asked.iter();
            let after = after.take_while(|(c, _)| self.changes(c) && !self.is_cut(c));
            let count = after.count();
            row.extend(self.asked.drain(..count));
        }
        let batch_id = BatchId::from_uuid(Uuid::now_v7());
        let size = u32::try_from(row.len()).unwrap_or(u32::MAX);
        let calls = row.into_iter().zip(0_u32..).map(|(asked, position)| {
            let batch = (size > 1).then_some(Batch {
                batch_id,
                position,
                size,
            });
            self.run_one(asked, batch)
        });
        let mut records = join_all(calls).await.into_iter();
        let first = records.next();
        self.ahead
            .extend(records.map(|record| (record.summary.call_id, record)));
        first
    }

    /// Runs one call, unless a token limit broke it off.
    async fn run_one(&self, asked: (ToolCall, bool), batch: Option<Batch>) -> CallRecord {
        let cut = self.cut.as_ref().and_then(|cut| cut.call.as_ref());
        match cut {
            Some((id, why)) if *id == asked.0.call_id => {
                let status = CallStatus::Failed;
                self.work.turn_away(asked, status, why).await
            }
            _ => match of_another_file(self.work, &asked.0) {
                Some(why) => self.work.turn_away(asked, CallStatus::Denied, &why).await,
                None => self.work.call_in_row(asked.0, asked.1, batch).await,
            },
        }
    }

    fn is_cut(&self, call: &ToolCall) -> bool {
        let cut = self.cut.as_ref().and_then(|cut| cut.call.as_ref());
        cut.is_some_and(|(id, _)| *id == call.call_id)
    }

    /// Whether a call does more than look or keep the agent's own notes.
    fn changes(&self, call: &ToolCall) -> bool {
        !matches!(
            self.work.services.effects.get(&call.name),
            Some(EffectClass::Read | EffectClass::SelfWrite)
        )
    }

    async fn refuse_excess(&mut self, calls: Vec<CallId>) {
        let why = format!(
            "Not run: only the first {TOOL_CALLS_PER_REPLY} calls of a reply are. Call again for \
             this if it is still needed."
        );
        for call_id in calls {
            if let Some(asked) = self.take_asked(call_id) {
                let status = CallStatus::Denied;
                let record = self.work.turn_away(asked, status, &why).await;
                self.outcome.note_call(&record);
            }
        }
    }

    fn publish(&mut self, ending: Ending) {
        let work = self.work;
        // Of a row that was broken off: what was done is done, whether its turn came or not.
        for record in std::mem::take(&mut self.ahead).into_values() {
            self.outcome.note_call(&record);
        }
        self.outcome.status = ending.status;
        self.outcome.error = match ending.reason {
            Reason::Failed | Reason::DoesNotFit => self.outcome.error.take(),
            Reason::Cut => self.cut.take().map(|cut| cut.fault),
            Reason::NoAnswer if !self.outcome.answer.is_empty() => None,
            reason => unfinished::because(reason, work.services.tool_iterations),
        };
        if ending.reason == Reason::Interrupted {
            // What was said before the last calls is no answer; what had come of one is on record.
            self.outcome.answer.clear();
        } else if ending.reason == Reason::Done {
            self.outcome.answer = self.changes.in_words();
        } else if self.outcome.error.is_none() {
            self.outcome.error = self.untrue();
            if self.outcome.error.is_some() && self.outcome.status == QueryStatus::Success {
                self.outcome.status = QueryStatus::Partial;
            }
        }
        if self.outcome.error.is_none() && self.outcome.status == QueryStatus::Partial {
            self.outcome.error = self.change_not_made.take();
        }
    }
}

const fn complete(event: &mut Event) {
    if let Event::CallEnded { completes, .. } = event {
        *completes = true;
    }
}
