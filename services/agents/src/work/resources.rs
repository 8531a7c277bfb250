//! What an agent may use and has used, as far as agents above and below it are concerned: tokens,
//! a permit to work, and the record of its calls.

use crate::config::Prompts;
use crate::work::budget::TokenBudget;
use crate::work::lock::lock;
use crate::work::permit::ConcurrencyPermit;
use crate::work::running::RunningCalls;
use api::broker::ToolResult;
use domain::message::ToolCall;
use domain::model::Usage;
use orchestration::{DelegationData, Entry, Heard, ResultHistory, SPAWN};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Most calls of one agent that are kept on record; the broker's limits are below it.
const ENTRIES: usize = 4_096;

/// What all agents of a session share.
pub(crate) struct SessionShared {
    /// How agents introduce themselves.
    pub(crate) prompts: Prompts,
    /// The capability of each tool.
    pub(crate) capabilities: BTreeMap<String, String>,
    /// How many agents that others started work at the same time, 1 or more.
    pub(crate) at_work: usize,
    /// Tool calls that run.
    pub(crate) calls: RunningCalls,
    permits: Arc<Semaphore>,
    /// The session's tokens.
    budget: Arc<TokenBudget>,
}

impl SessionShared {
    /// With room for `at_work` agents, 1 or more, and a token budget for the session, if any, of which
    /// `used` are gone.
    pub(crate) fn new(
        prompts: Prompts,
        capabilities: BTreeMap<String, String>,
        at_work: usize,
        (budget, used): (Option<u64>, Usage),
    ) -> Self {
        Self {
            prompts,
            capabilities,
            at_work: at_work.max(1),
            calls: RunningCalls::default(),
            permits: Arc::new(Semaphore::new(at_work.max(1))),
            budget: TokenBudget::of_session(budget, used),
        }
    }
}

/// What an agent has among those above and below it.
#[derive(Clone)]
pub(crate) struct AgentResources {
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) budget: Arc<TokenBudget>,
    pub(crate) permit: Arc<ConcurrencyPermit>,
    /// Agents that it started and that have not ended.
    pub(crate) children: TaskTracker,
    record: Arc<Mutex<Vec<Entry>>>,
    /// What its calls showed it; nothing for who reports to nobody.
    heard: Option<Arc<Mutex<ResultHistory>>>,
}

impl AgentResources {
    /// The resources of the agent that the user speaks to.
    pub(crate) fn of_root(shared: &Arc<SessionShared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            budget: TokenBudget::below(&shared.budget, None),
            permit: Arc::new(ConcurrencyPermit::not_needed()),
            children: TaskTracker::new(),
            record: Arc::default(),
            heard: None,
        }
    }

    /// The resources of an agent that this one starts, with a budget of tokens of its own.
    pub(crate) fn of_child(&self, tokens: u64, permit: ConcurrencyPermit) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            budget: TokenBudget::below(&self.budget, Some(tokens)),
            permit: Arc::new(permit),
            children: TaskTracker::new(),
            record: Arc::default(),
            heard: Some(Arc::default()),
        }
    }

    /// Waits for a permit; `None` when `cancel` fires before there is one.
    pub(crate) async fn permit_for_child(
        &self,
        cancel: &CancellationToken,
    ) -> Option<ConcurrencyPermit> {
        ConcurrencyPermit::acquire(&self.shared.permits, cancel).await
    }

    /// Puts a finished call on record, with the number of its result in the log.
    pub(crate) fn note(&self, call: &ToolCall, result: &ToolResult, seq: Option<u64>) {
        let capability = self.shared.capabilities.get(&call.name);
        let delegated = match capability.is_some_and(|capability| capability == SPAWN) {
            true => Some(delegation_data(&result.data)),
            false => None,
        };
        let entry = Entry::of(
            call,
            result,
            capability.map(String::as_str),
            delegated.as_ref(),
        );
        // Reports were looked through when they came.
        if let (Some(heard), Some(seq), None) = (&self.heard, seq, &delegated) {
            lock(heard).take(Heard::of(&entry.tool, seq, &result.text, &call.arguments));
        }
        let mut record = lock(&self.record);
        if record.len() < ENTRIES {
            record.push(entry);
        }
    }

    /// What its calls showed it, oldest first. Keeps nothing of it: an agent reports once.
    pub(crate) fn take_heard(&self) -> Vec<Heard> {
        let heard = self.heard.as_ref();
        heard.map_or_else(Vec::new, |heard| {
            std::mem::take(&mut *lock(heard)).into_all()
        })
    }

    /// The calls on record, in the order they ended.
    pub(crate) fn record(&self) -> Vec<Entry> {
        lock(&self.record).clone()
    }
}

/// The data of a call that started agents; nothing where it has no such form.
pub(crate) fn delegation_data(data: &Value) -> DelegationData {
    DelegationData::read(data).unwrap_or_else(|error| {
        tracing::warn!(%error, "the result of a delegation could not be read");
        DelegationData::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u64, completion: u64) -> Usage {
        Usage {
            prompt_tokens: prompt,
            completion_tokens: completion,
            ..Usage::default()
        }
    }

    fn shared(budget: Option<u64>) -> Arc<SessionShared> {
        let prompts = Prompts::default();
        Arc::new(SessionShared::new(
            prompts,
            BTreeMap::new(),
            1,
            (budget, Usage::default()),
        ))
    }

    #[test]
    fn what_a_child_spends_its_elders_have_spent() {
        let root = AgentResources::of_root(&shared(Some(1_000)));
        let child = TokenBudget::below(&root.budget, Some(400));
        let grandchild = TokenBudget::below(&child, Some(10_000));
        assert_eq!(grandchild.left(), Some(400));
        grandchild.spend(usage(100, 50));
        assert_eq!(child.left(), Some(250));
        assert_eq!(root.budget.left(), Some(850));
        root.budget.spend(usage(800, 0));
        assert_eq!(grandchild.left(), Some(50));
        assert_eq!(crate::work::budget::tokens(root.budget.used()), 950);
        assert_eq!(AgentResources::of_root(&shared(None)).budget.left(), None);
    }

    #[tokio::test]
    async fn who_waits_for_others_leaves_the_permit_to_them() {
        let root = AgentResources::of_root(&shared(None));
        let cancel = CancellationToken::new();
        let first = root.permit_for_child(&cancel).await.unwrap();
        let second = root.permit_for_child(&cancel);
        tokio::pin!(second);
        assert!(futures::poll!(&mut second).is_pending());
        first.release();
        let second = second.await.unwrap();
        let back = first.reacquire();
        tokio::pin!(back);
        assert!(futures::poll!(&mut back).is_pending());
        drop(second);
        back.await;
        cancel.cancel();
        assert!(root.permit_for_child(&cancel).await.is_none());
    }
}
