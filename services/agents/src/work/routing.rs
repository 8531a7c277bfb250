//! Which model an agent asks, where its role has several.

use api::routing::{Ask, Route, Router};
use domain::id::QueryId;
use domain::model::{ModelChoice, ModelRef};
use plan::expected;
use std::sync::{Arc, Mutex, PoisonError};

/// A model that the router chose for a request.
#[derive(Debug, Clone)]
pub(crate) struct Routed {
    pub(crate) route: Route,
    /// What it was chosen for.
    pub(crate) ask: Ask,
    /// Who is asked for the rest of the request, where this one did not answer.
    instead: Arc<Mutex<Option<ModelChoice>>>,
}

impl Routed {
    /// Who is asked now.
    pub(crate) fn choice(&self) -> ModelChoice {
        let instead = self.instead.lock().unwrap_or_else(PoisonError::into_inner);
        let chosen = || ModelChoice::Exact(self.route.model.clone());
        instead.clone().unwrap_or_else(chosen)
    }

    /// Asks another one for the rest of the request.
    pub(crate) fn use_instead(&self, next: ModelChoice) {
        *self.instead.lock().unwrap_or_else(PoisonError::into_inner) = Some(next);
    }

    /// Why this model answers, where it is the one that was chosen.
    pub(crate) fn reason_for(&self, model: &ModelRef) -> Option<&str> {
        (self.route.model == *model).then_some(&self.route.reason)
    }
}

/// The model for a task: of a role the one that the router chooses, with why; else the choice as it is.
pub(crate) async fn routed(
    router: Option<&Arc<dyn Router>>,
    choice: ModelChoice,
    (task, query_id): (&str, QueryId),
) -> (ModelChoice, Option<Routed>) {
    let (ModelChoice::Role(role), Some(router)) = (&choice, router) else {
        return (choice, None);
    };
    let ask = Ask {
        role: *role,
        kind: expected::kind_of(task),
        query_id,
    };
    match router.route(ask).await {
        Some(route) => {
            let model = ModelChoice::Exact(route.model.clone());
            let routed = Routed {
                route,
                ask,
                instead: Arc::default(),
            };
            (model, Some(routed))
        }
        None => (choice, None),
    }
}
