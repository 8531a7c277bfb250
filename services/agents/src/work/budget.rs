//! Tokens: how many an agent, and every agent above it, may use and has used.

use crate::work::lock::lock;
use domain::model::Usage;
use std::sync::{Arc, Mutex};

/// Tokens: how many may be used and how many were. Whoever spends, spends from every budget above.
pub(crate) struct TokenBudget {
    limit: Option<u64>,
    used: Mutex<Usage>,
    parent: Option<Arc<TokenBudget>>,
}

impl TokenBudget {
    /// The session's budget, if any, of which `used` is gone.
    pub(super) fn of_session(limit: Option<u64>, used: Usage) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: Mutex::new(used),
            parent: None,
        })
    }

    /// A budget inside another.
    pub(super) fn below(parent: &Arc<Self>, limit: Option<u64>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: Mutex::default(),
            parent: Some(Arc::clone(parent)),
        })
    }

    /// Takes what a model call cost.
    pub(crate) fn spend(&self, usage: Usage) {
        let mut budget = Some(self);
        while let Some(one) = budget {
            let mut used = lock(&one.used);
            *used = used.plus(usage);
            budget = one.parent.as_deref();
        }
    }

    /// Tokens that may be used in all; `None` without a limit of its own.
    pub(crate) const fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// What it cost so far, with everything below it.
    pub(crate) fn used(&self) -> Usage {
        *lock(&self.used)
    }

    /// Tokens that may still be used; `None` without any limit.
    pub(crate) fn left(&self) -> Option<u64> {
        let own = self
            .limit
            .map(|limit| limit.saturating_sub(tokens(self.used())));
        let parent = self.parent.as_ref().and_then(|parent| parent.left());
        match (own, parent) {
            (Some(own), Some(parent)) => Some(own.min(parent)),
            (own, parent) => own.or(parent),
        }
    }
}

/// Tokens of a model call, prompt and answer together.
pub(crate) const fn tokens(usage: Usage) -> u64 {
    usage.prompt_tokens.saturating_add(usage.completion_tokens)
}
