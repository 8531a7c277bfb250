//! Which model an agent asks, where its role has several.

use api::routing::{Ask, Route, Router};
use domain::id::QueryId;
use domain::model::{ModelChoice, ModelRef, ModelRole};
use plan::expected;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A model that the router chose for a request.
#[derive(Debug, Clone)]
pub(crate) struct Routed {
    pub(crate) route: Route,
    /// The role that it was chosen for, whose own model answers where this one does not.
    pub(crate) role: ModelRole,
    /// Whether it did not answer; the rest of the request is then the role's.
    pub(crate) has_failed: Arc<AtomicBool>,
}

impl Routed {
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
                role: *role,
                has_failed: Arc::default(),
            };
            (model, Some(routed))
        }
        None => (choice, None),
    }
}
