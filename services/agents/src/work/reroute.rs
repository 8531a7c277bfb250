//! Where the model that was chosen for a request does not answer, another one of the role does.

use crate::work::Work;
use crate::work::ask::{AskError, Visibility};
use crate::work::ask_model::Partial;
use crate::work::routing::Routed;
use api::models::{ChatRequest, ErrorKind};
use domain::event::EventBody;
use domain::fault::{Coded, Fault};
use domain::model::{ModelChoice, ModelRole};

impl Work {
    /// Streams a reply of the model that was chosen for the request. Where that one is out of reach or not there
    /// before its first word, another one that the router chooses is asked, and at last the role's own, as without a
    /// router; a failure that is the user's to mend (a key) is told and not passed over.
    ///
    /// # Errors
    /// [`AskError`], of the model that was asked last.
    pub(crate) async fn stream_routed(
        &self,
        request: ChatRequest,
        visibility: Visibility,
        partial: &mut Partial,
    ) -> Result<(), AskError> {
        let Some(routed) = &self.agent.route else {
            return self.stream_reply(request, visibility, partial).await;
        };
        loop {
            let model = routed.choice();
            let asked = ChatRequest {
                model: model.clone(),
                ..request.clone()
            };
            let streaming = self.stream_reply(asked, visibility, partial);
            let error = match (streaming.await, &model) {
                (Err(AskError::Model(error)), ModelChoice::Exact(_))
                    if !partial.has_begun() && is_retried_elsewhere(error.kind) =>
                {
                    error
                }
                (ended, _) => return ended,
            };
            let next = self.next_after(routed, &model).await;
            let told = instead((&model, &next), routed.ask.role, &error.fault());
            self.emit(EventBody::Notice(told), None).await;
            routed.use_instead(next);
        }
    }

    /// Who is asked where this model did not answer: another one that the router chooses, or the role's own.
    async fn next_after(&self, routed: &Routed, failed: &ModelChoice) -> ModelChoice {
        let own = ModelChoice::Role(routed.ask.role);
        let (Some(router), ModelChoice::Exact(failed)) = (&self.services.router, failed) else {
            return own;
        };
        router.mark_unavailable(failed);
        let next = router.route(routed.ask).await.map(|route| route.model);
        next.filter(|model| model != failed)
            .map_or(own, ModelChoice::Exact)
    }
}

const fn is_retried_elsewhere(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnknownModel
            | ErrorKind::Unreachable
            | ErrorKind::Timeout
            | ErrorKind::Busy
            | ErrorKind::Server
            | ErrorKind::Interrupted
            | ErrorKind::CircuitOpen
    )
}

fn instead((failed, next): (&ModelChoice, &ModelChoice), role: ModelRole, why: &Fault) -> Fault {
    let role = role.as_str();
    let told = |choice: &ModelChoice| match choice {
        ModelChoice::Exact(model) => model.to_string(),
        ModelChoice::Role(_) => format!("the model of the role {role}"),
    };
    let (failed, next) = (told(failed), told(next));
    Fault {
        code: "models.fallback".to_owned(),
        message: format!(
            "{failed}, which [observers.routes] names for {role}, did not answer ({}); {next} is asked instead, \
             and for a while no request goes to {failed}.",
            why.message.trim_end_matches('.')
        ),
        hint: why.hint.clone(),
    }
}
