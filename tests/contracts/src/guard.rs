//! A guard that knows its verdicts by heart.

use api::Streaming;
use api::guard::{Answer, Error, Guard, Request};
use async_trait::async_trait;
use domain::decision::{Decision, Finding, Layer, Verdict};
use domain::tool::ToolDefinition;
use futures::StreamExt;
use futures::stream::{BoxStream, unfold};

/// Allows every tool of the conversation but `forbidden`.
#[derive(Debug, Clone, Copy, Default)]
pub struct FakeGuard;

/// The tool that is never allowed.
const FORBIDDEN: &str = "forbidden";

enum State {
    Idle,
    Open(Vec<ToolDefinition>),
    Broken,
}

fn verdict(state: &State, tool: &str) -> Verdict {
    match state {
        State::Open(tools) if tool != FORBIDDEN => {
            let is_known = tools.iter().any(|known| known.name.as_str() == tool);
            if is_known {
                Verdict::Allow
            } else {
                Verdict::Deny
            }
        }
        State::Open(_) | State::Idle | State::Broken => Verdict::Deny,
    }
}

fn twins(tools: &[ToolDefinition]) -> bool {
    let name = |at: usize| &tools[at].name;
    (1..tools.len()).any(|at| (0..at).any(|before| name(before) == name(at)))
}

fn take(state: &mut State, request: Request) -> Option<Answer> {
    match request {
        Request::Begin { tools, .. } if twins(&tools) => {
            *state = State::Broken;
            let problem = "two tools have one name".to_owned();
            return Some(Answer::Refused { problem });
        }
        Request::Begin { tools, .. } => *state = State::Open(tools),
        Request::End => *state = State::Idle,
        Request::Check { id, tool, args } => {
            let verdict = match (args.twice, args.unreadable) {
                (None, None) => verdict(state, &tool),
                _ => Verdict::Deny,
            };
            let decision = Decision::strictest(vec![Finding {
                layer: Layer::Manifest,
                verdict,
                rule: "by_heart".to_owned(),
                model_reason: tool.clone(),
                user_reason: tool,
            }]);
            return Some(Answer::Decided { id, decision });
        }
        Request::Say { .. } | Request::Observe { .. } | Request::Refuse { .. } => {
            if matches!(state, State::Idle) {
                let problem = "nothing has begun".to_owned();
                return Some(Answer::Refused { problem });
            }
        }
    }
    None
}

#[async_trait]
impl Guard for FakeGuard {
    async fn converse(
        &self,
        requests: BoxStream<'static, Request>,
    ) -> Result<Streaming<Answer, Error>, Error> {
        let step = |(mut requests, mut state): (BoxStream<'static, Request>, State)| async move {
            loop {
                let request = requests.next().await?;
                if let Some(answer) = take(&mut state, request) {
                    return Some((Ok(answer), (requests, state)));
                }
            }
        };
        Ok(unfold((requests, State::Idle), step).boxed())
    }
}
