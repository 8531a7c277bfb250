//! Routing: which of several models works on a request, by how good their answers were found.

use async_trait::async_trait;
use domain::id::QueryId;
use domain::model::{ModelRef, ModelRole};
use domain::quality::TaskKind;

/// The request that a model is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// The role that the agent asks its models by.
    pub role: ModelRole,
    /// What kind of task it looks like before anything was done.
    pub kind: TaskKind,
    /// The request; the same one is given the same model while nothing else becomes known.
    pub query_id: QueryId,
}

/// A model that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The model.
    pub model: ModelRef,
    /// Why, in a few words.
    pub reason: String,
}

/// Chooses models.
#[async_trait]
pub trait Router: std::fmt::Debug + Send + Sync {
    /// The model of a request; `None` where its role has no models to choose from, or what is known of them
    /// cannot be read.
    async fn route(&self, ask: Ask) -> Option<Route>;

    /// Notes that a chosen model did not answer: for a while it is chosen for no request.
    fn mark_unavailable(&self, model: &ModelRef);
}
