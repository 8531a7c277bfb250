//! Where the model that was chosen for a request does not answer, the role's own model does.

use crate::work::Work;
use crate::work::ask::{AskError, Visibility};
use crate::work::ask_model::Partial;
use crate::work::routing::Routed;
use api::models::{ChatRequest, ErrorKind};
use domain::event::EventBody;
use domain::fault::{Coded, Fault};
use domain::model::ModelChoice;
use std::sync::atomic::Ordering;

impl Work {
    /// Streams a reply of the model that was chosen for the request. Where that one is out of reach or not there
    /// before its first word, the role's own model is asked, as without a router; a failure that is the user's to
    /// mend (a key) is told and not passed over.
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
        let own = ChatRequest {
            model: ModelChoice::Role(routed.role),
            ..request.clone()
        };
        if routed.has_failed.load(Ordering::Relaxed) {
            return self.stream_reply(own, visibility, partial).await;
        }
        let streaming = self.stream_reply(request, visibility, partial);
        match streaming.await {
            Err(AskError::Model(error)) if !partial.has_begun() && is_passed_over(error.kind) => {
                routed.has_failed.store(true, Ordering::Relaxed);
                if let Some(router) = &self.services.router {
                    router.passed_over(&routed.route.model);
                }
                let told = instead(routed, &error.fault());
                self.emit(EventBody::Notice(told), None).await;
                self.stream_reply(own, visibility, partial).await
            }
            ended => ended,
        }
    }
}

const fn is_passed_over(kind: ErrorKind) -> bool {
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

fn instead(routed: &Routed, failed: &Fault) -> Fault {
    let (model, role) = (&routed.route.model, routed.role.as_str());
    Fault {
        code: "models.fallback".to_owned(),
        message: format!(
            "{model}, which [observers.routes] names for {role}, did not answer ({}); the model of the role \
             {role} answers instead, and for five minutes no request goes to the other.",
            failed.message.trim_end_matches('.')
        ),
        hint: failed.hint.clone(),
    }
}
