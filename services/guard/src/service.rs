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

impl Talk {
    /// The next answer, and the talk to go on with. Reading and judging may take long: neither is
    /// done on a thread that others wait for.
    async fn next(mut self) -> Option<(Result<Answer, Error>, Option<Self>)> {
        loop {
            let request = self.requests.next().await?;
            let Service { rules, clock } = self.service.clone();
            let mut conversation = self.conversation;
            let taken = tokio::task::spawn_blocking(move || {
                let answer = conversation.take(&rules, request, clock());
                (answer, conversation)
            });
            match taken.await {
                Ok((answer, conversation)) => {
                    self.conversation = conversation;
                    if let Some(answer) = answer {
                        return Some((Ok(answer), Some(self)));
                    }
                }
                Err(error) => {
                    let detail = format!("it broke down over a request: {error}");
                    return Some((Err(Error::Unreachable { detail }), None));
                }
            }
        }
    }
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
        Ok(unfold(Some(talk), async |talk| talk?.next().await).boxed())
    }
}
