//! Which model an agent asks, where its role has several.

use api::routing::{Ask, Route, Router};
use domain::id::QueryId;
use domain::model::ModelChoice;
use plan::expected;
use std::sync::Arc;

/// The model for a task: of a role the one that the router chooses, with why; else the choice as it is.
pub(crate) async fn routed(
    router: Option<&Arc<dyn Router>>,
    choice: ModelChoice,
    (task, query_id): (&str, QueryId),
) -> (ModelChoice, Option<Route>) {
    let (ModelChoice::Role(role), Some(router)) = (&choice, router) else {
        return (choice, None);
    };
    let ask = Ask {
        role: *role,
        kind: expected::kind_of(task),
        query_id,
    };
    match router.route(ask).await {
        Some(route) => (ModelChoice::Exact(route.model.clone()), Some(route)),
        None => (choice, None),
    }
}
