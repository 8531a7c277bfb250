//! What the guard is told and answers.

use super::{InvalidField, each, json, optional, required};
use crate::generated as proto;
use api::guard::{Answer, Request, Step};
use domain::arguments::Arguments;
use serde_json::Value;

/// A plan as a list of its own, because a plan without steps is another thing than none.
struct Plan(Vec<Step>);

impl From<Step> for proto::GuardStep {
    fn from(step: Step) -> Self {
        use proto::guard_step::{Call, Step as Wire};
        let step = match step {
            Step::Tool(tool) => Wire::Tool(tool),
            Step::Call { tool, args } => Wire::Call(Call {
                tool,
                args_json: args.to_string(),
            }),
        };
        Self { step: Some(step) }
    }
}

impl TryFrom<proto::GuardStep> for Step {
    type Error = InvalidField;

    fn try_from(wire: proto::GuardStep) -> Result<Self, InvalidField> {
        use proto::guard_step::Step as Wire;
        match wire.step.ok_or_else(|| InvalidField::missing("step"))? {
            Wire::Tool(tool) => Ok(Self::Tool(tool)),
            Wire::Call(call) => Ok(Self::Call {
                tool: call.tool,
                args: json(&call.args_json, "call.args_json")?,
            }),
        }
    }
}

impl TryFrom<proto::GuardPlan> for Plan {
    type Error = InvalidField;

    fn try_from(wire: proto::GuardPlan) -> Result<Self, InvalidField> {
        Ok(Self(each(wire.steps, "steps")?))
    }
}

impl From<Request> for proto::GuardRequest {
    fn from(request: Request) -> Self {
        use proto::guard_request::{Begin, Check, End, Observe, Refuse, Request as Wire, Say};
        let request = match request {
            Request::Begin {
                prompt,
                tools,
                plan,
            } => Wire::Begin(Begin {
                prompt,
                tools: tools.into_iter().map(Into::into).collect(),
                plan: plan.map(|steps| proto::GuardPlan {
                    steps: steps.into_iter().map(Into::into).collect(),
                }),
            }),
            Request::Say { text } => Wire::Say(Say { text }),
            Request::Check { id, tool, args } => Wire::Check(Check {
                id,
                tool,
                // What could not be read is not read on the other side either.
                args_json: match args.unreadable {
                    None => args.value.to_string(),
                    Some(_) => String::new(),
                },
                twice: args.twice,
            }),
            Request::Observe { id, tool, result } => Wire::Observe(Observe {
                id,
                tool,
                result_json: result.to_string(),
            }),
            Request::Refuse { id } => Wire::Refuse(Refuse { id }),
            Request::End => Wire::End(End {}),
        };
        Self {
            request: Some(request),
        }
    }
}

impl TryFrom<proto::GuardRequest> for Request {
    type Error = InvalidField;

    fn try_from(wire: proto::GuardRequest) -> Result<Self, InvalidField> {
        use proto::guard_request::Request as Wire;
        let request = wire.request;
        match request.ok_or_else(|| InvalidField::missing("request"))? {
            Wire::Begin(begin) => {
                let plan: Option<Plan> = optional(begin.plan, "begin.plan")?;
                Ok(Self::Begin {
                    prompt: begin.prompt,
                    tools: each(begin.tools, "begin.tools")?,
                    plan: plan.map(|Plan(steps)| steps),
                })
            }
            Wire::Say(say) => Ok(Self::Say { text: say.text }),
            Wire::Check(check) => Ok(Self::Check {
                id: check.id,
                tool: check.tool,
                args: arguments(&check.args_json, check.twice),
            }),
            Wire::Observe(observe) => Ok(Self::Observe {
                id: observe.id,
                tool: observe.tool,
                result: result(observe.result_json),
            }),
            Wire::Refuse(refuse) => Ok(Self::Refuse { id: refuse.id }),
            Wire::End(_) => Ok(Self::End),
        }
    }
}

/// A model writes them, so what cannot be read must not end the stream.
fn arguments(text: &str, twice: Option<String>) -> Arguments {
    let read = Arguments::of_text(text);
    Arguments {
        twice: twice.or(read.twice.clone()),
        ..read
    }
}

/// Somebody else may have written it: where it cannot be read, or parts of it would be thrown away,
/// it is one text.
fn result(text: String) -> Value {
    match Arguments::of_text(&text) {
        Arguments {
            value,
            twice: None,
            unreadable: None,
        } => value,
        _ => Value::String(text),
    }
}

impl From<Answer> for proto::GuardAnswer {
    fn from(answer: Answer) -> Self {
        use proto::guard_answer::{Answer as Wire, Decided, Refused};
        let answer = match answer {
            Answer::Decided { id, decision } => Wire::Decided(Decided {
                id,
                decision: Some(decision.into()),
            }),
            Answer::Refused { problem } => Wire::Refused(Refused { problem }),
        };
        Self {
            answer: Some(answer),
        }
    }
}

impl TryFrom<proto::GuardAnswer> for Answer {
    type Error = InvalidField;

    fn try_from(wire: proto::GuardAnswer) -> Result<Self, InvalidField> {
        use proto::guard_answer::Answer as Wire;
        match wire.answer.ok_or_else(|| InvalidField::missing("answer"))? {
            Wire::Decided(decided) => Ok(Self::Decided {
                id: decided.id,
                decision: required(decided.decision, "decided.decision")?,
            }),
            Wire::Refused(refused) => Ok(Self::Refused {
                problem: refused.problem,
            }),
        }
    }
}
