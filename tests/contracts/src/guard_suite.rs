//! What every guard promises.

use super::within;
use api::Streaming;
use api::guard::{Answer, Error, Guard, Request};
use domain::arguments::Arguments;
use domain::decision::{Decision, Verdict};
use domain::tool::ToolDefinition;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use serde_json::{Value, json};
use std::sync::Arc;

/// What the suite runs against.
pub struct Subject {
    /// The guard.
    pub guard: Arc<dyn Guard>,
    /// The tools of a conversation.
    pub tools: Vec<ToolDefinition>,
    /// A call that may run in every conversation, also more than once.
    pub allowed: (String, Value),
    /// A call that may not.
    pub denied: (String, Value),
}

/// The whole suite.
pub async fn conformance(subject: &Subject) {
    checks_alone_are_answered_in_their_order(subject).await;
    nothing_is_allowed_outside_a_conversation(subject).await;
    what_cannot_begin_allows_nothing_until_the_next_beginning(subject).await;
    a_key_that_stands_twice_is_denied(subject).await;
    unreadable_arguments_are_denied_and_end_nothing(subject).await;
    conversations_do_not_mix(subject).await;
}

/// A conversation under way: an answer is read while more can be said.
struct Talk {
    says: UnboundedSender<Request>,
    answers: Streaming<Answer, Error>,
}

impl Talk {
    async fn with(guard: &dyn Guard) -> Self {
        let (says, requests) = unbounded();
        let talk = guard.converse(requests.boxed());
        let answers = within("a conversation is taken up", talk).await.unwrap();
        Self { says, answers }
    }

    async fn begun(subject: &Subject) -> Self {
        let talk = Self::with(&*subject.guard).await;
        talk.say(begin(&subject.tools));
        talk
    }

    fn say(&self, request: Request) {
        self.says.unbounded_send(request).unwrap();
    }

    async fn answer(&mut self) -> Answer {
        let answer = within("the guard answers", self.answers.next()).await;
        answer.unwrap().unwrap()
    }

    async fn check(&mut self, id: u64, (tool, args): &(String, Value)) -> Decision {
        let (tool, args) = (tool.clone(), args.clone().into());
        self.say(Request::Check { id, tool, args });
        match self.answer().await {
            Answer::Decided {
                id: answered,
                decision,
            } => {
                assert_eq!(answered, id);
                decision
            }
            Answer::Refused { problem } => panic!("a check was refused: {problem}"),
        }
    }

    async fn refused(&mut self) {
        match self.answer().await {
            Answer::Refused { problem } => assert!(!problem.is_empty()),
            Answer::Decided { .. } => panic!("something was decided that was not asked"),
        }
    }

    /// Says nothing more; nothing more may come.
    async fn over(mut self) {
        self.says.close_channel();
        let rest = within("the answers end", self.answers.next()).await;
        assert!(rest.is_none(), "{rest:?}");
    }
}

fn begin(tools: &[ToolDefinition]) -> Request {
    Request::Begin {
        prompt: "Do it — ä".to_owned(),
        tools: tools.to_vec(),
        plan: None,
    }
}

async fn checks_alone_are_answered_in_their_order(subject: &Subject) {
    let mut talk = Talk::begun(subject).await;
    let text = "and that".to_owned();
    talk.say(Request::Say { text });
    for id in [7, 3, u64::MAX] {
        let decision = talk.check(id, &subject.allowed).await;
        assert_eq!(decision.verdict, Verdict::Allow, "{decision:?}");
        let result = json!({"a": ["ä", null, 1]});
        let tool = subject.allowed.0.clone();
        talk.say(Request::Observe { id, tool, result });
        // Nothing waits for an answer, so that there is nothing to say no to.
        talk.say(Request::Refuse { id });
    }
    let decision = talk.check(8, &subject.denied).await;
    assert_eq!(decision.verdict, Verdict::Deny);
    assert!(!decision.rule.is_empty() && !decision.user_reason.is_empty());
    talk.over().await;
}

async fn nothing_is_allowed_outside_a_conversation(subject: &Subject) {
    let mut talk = Talk::with(&*subject.guard).await;
    let early = talk.check(1, &subject.allowed).await;
    assert_eq!(early.verdict, Verdict::Deny);
    let text = "hello".to_owned();
    talk.say(Request::Say { text });
    talk.refused().await;
    talk.say(Request::Refuse { id: 1 });
    talk.refused().await;
    talk.say(begin(&subject.tools));
    assert_eq!(
        talk.check(2, &subject.allowed).await.verdict,
        Verdict::Allow
    );
    talk.say(Request::End);
    assert_eq!(talk.check(3, &subject.allowed).await.verdict, Verdict::Deny);
    talk.over().await;
}

async fn what_cannot_begin_allows_nothing_until_the_next_beginning(subject: &Subject) {
    let mut talk = Talk::begun(subject).await;
    let twins: Vec<_> = [subject.tools.clone(), subject.tools.clone()].concat();
    talk.say(begin(&twins));
    talk.refused().await;
    assert_eq!(talk.check(1, &subject.allowed).await.verdict, Verdict::Deny);
    talk.say(begin(&subject.tools));
    assert_eq!(
        talk.check(2, &subject.allowed).await.verdict,
        Verdict::Allow
    );
    talk.over().await;
}

async fn a_key_that_stands_twice_is_denied(subject: &Subject) {
    let mut talk = Talk::begun(subject).await;
    let (tool, value) = subject.allowed.clone();
    let args = Arguments {
        value,
        twice: Some("key".to_owned()),
        unreadable: None,
    };
    talk.say(Request::Check { id: 1, tool, args });
    match talk.answer().await {
        Answer::Decided { decision, .. } => assert_eq!(decision.verdict, Verdict::Deny),
        Answer::Refused { problem } => panic!("a check was refused: {problem}"),
    }
    talk.over().await;
}

async fn unreadable_arguments_are_denied_and_end_nothing(subject: &Subject) {
    let mut talk = Talk::begun(subject).await;
    let tool = subject.allowed.0.clone();
    let args = Arguments::unread("it is no JSON");
    talk.say(Request::Check { id: 1, tool, args });
    match talk.answer().await {
        Answer::Decided { decision, .. } => assert_eq!(decision.verdict, Verdict::Deny),
        Answer::Refused { problem } => panic!("a check was refused: {problem}"),
    }
    let decision = talk.check(2, &subject.allowed).await;
    assert_eq!(decision.verdict, Verdict::Allow, "{decision:?}");
    talk.over().await;
}

async fn conversations_do_not_mix(subject: &Subject) {
    let mut one = Talk::begun(subject).await;
    let mut other = Talk::with(&*subject.guard).await;
    assert_eq!(
        other.check(1, &subject.allowed).await.verdict,
        Verdict::Deny
    );
    assert_eq!(one.check(1, &subject.allowed).await.verdict, Verdict::Allow);
    other.say(Request::End);
    assert_eq!(one.check(2, &subject.allowed).await.verdict, Verdict::Allow);
    other.over().await;
    one.over().await;
}
