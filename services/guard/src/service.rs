//! The guard behind its contract: each stream of requests is a conversation of its own.

use crate::conversation::Conversation;
use crate::guard::Rules;
use api::Streaming;
use api::guard::{Answer, Error, Guard, Request};
use async_trait::async_trait;
use domain::Timestamp;
use futures::stream::{BoxStream, StreamExt, unfold};
use std::sync::Arc;

/// Judges for any number of programs at one time.
#[derive(Debug, Clone)]
pub struct Service {
    rules: Arc<Rules>,
    clock: fn() -> Timestamp,
}

impl Service {
    /// A guard with these rules. `clock` tells the time in UTC.
    #[must_use]
    pub fn new(rules: Rules, clock: fn() -> Timestamp) -> Self {
        Self {
            rules: Arc::new(rules),
            clock,
        }
    }
}

struct Talk {
    service: Service,
    requests: BoxStream<'static, Request>,
    conversation: Conversation,
}

#[async_trait]
impl Guard for Service {
    async fn converse(
        &self,
        requests: BoxStream<'static, Request>,
    ) -> Result<Streaming<Answer, Error>, Error> {
        let talk = Talk {
            service: self.clone(),
            requests,
            conversation: Conversation::default(),
        };
        let next = |mut talk: Talk| async move {
            loop {
                let request = talk.requests.next().await?;
                let Service { rules, clock } = &talk.service;
                if let Some(answer) = talk.conversation.take(rules, request, clock()) {
                    return Some((Ok(answer), talk));
                }
            }
        };
        Ok(unfold(talk, next).boxed())
    }
}
