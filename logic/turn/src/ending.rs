//! How a request ended, judged from what its calls came to.

use domain::event::{CallStatus, QueryStatus};
use domain::model::FinishReason;
use domain::tool::EffectClass;

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The model answered.
    Answered,
    /// The calls did all that was asked for, and the model was not asked again.
    Done,
    /// The answer hit the token limit.
    Cut,
    /// The provider withheld the answer or a part of it.
    Withheld,
    /// All model calls were used; what there is was asked for.
    IterationsUsed,
    /// The model went in circles; what there is was asked for.
    WentInCircles,
    /// The model had nothing to say, twice.
    NoAnswer,
    /// The model answered with nothing but calls that cannot be run as they were written.
    BrokenCalls,
    /// The prompt does not fit, and making it smaller did not help.
    DoesNotFit,
    /// The model or the turn failed.
    Failed,
    /// The user stopped it.
    Interrupted,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// For people and exit codes.
    pub status: QueryStatus,
    /// For the harness.
    pub reason: Reason,
}

/// What the calls of a turn came to so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    calls: u32,
    denied: u32,
    succeeded: u32,
    changed: u32,
    last_effect: Option<CallStatus>,
}

impl Tally {
    /// Takes a finished call into account. A call of something that is no tool has no effect, and
    /// its refusal is a mistake of the model, not a no to what it was asked to do.
    pub(crate) fn note(&mut self, effect: Option<EffectClass>, status: CallStatus) {
        self.calls += 1;
        match status {
            CallStatus::Ok => self.succeeded += 1,
            CallStatus::Denied if effect.is_some() => self.denied += 1,
            CallStatus::Denied | CallStatus::Failed | CallStatus::Cancelled => {}
        }
        let is_change = !matches!(
            effect,
            None | Some(EffectClass::Read | EffectClass::SelfWrite)
        );
        self.changed += u32::from(is_change && status == CallStatus::Ok);
        if effect.is_some_and(|effect| effect != EffectClass::Read) {
            self.last_effect = Some(status);
        }
    }

    /// Whether a call was refused.
    pub(crate) const fn is_refused(&self) -> bool {
        self.denied > 0
    }

    /// The verdict. Denied: every call was, or the last one that would have changed something was
    /// and nothing was changed before it. Partial: the answer is not whole, or the last change did
    /// not come about.
    pub(crate) fn ending(&self, reason: Reason) -> Ending {
        let all_denied = self.calls > 0 && self.denied == self.calls;
        let status = match reason {
            Reason::Interrupted => QueryStatus::Interrupted,
            Reason::Failed | Reason::DoesNotFit => QueryStatus::Failed,
            Reason::NoAnswer | Reason::BrokenCalls if self.succeeded == 0 && !all_denied => {
                QueryStatus::Failed
            }
            _ if all_denied => QueryStatus::Denied,
            _ if self.last_effect == Some(CallStatus::Denied) && self.changed == 0 => {
                QueryStatus::Denied
            }
            Reason::Answered | Reason::Done
                if matches!(
                    self.last_effect,
                    Some(CallStatus::Failed | CallStatus::Cancelled | CallStatus::Denied)
                ) =>
            {
                QueryStatus::Partial
            }
            Reason::Answered | Reason::Done => QueryStatus::Success,
            Reason::Cut
            | Reason::Withheld
            | Reason::IterationsUsed
            | Reason::WentInCircles
            | Reason::NoAnswer
            | Reason::BrokenCalls => QueryStatus::Partial,
        };
        Ending { status, reason }
    }
}

/// Why a turn ended, from how its last generation did.
pub(crate) const fn reason_of(finish: FinishReason) -> Reason {
    match finish {
        FinishReason::Length | FinishReason::Repetition => Reason::Cut,
        FinishReason::ContentFilter => Reason::Withheld,
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Cancelled => Reason::Answered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CallStatus::{Cancelled, Denied, Failed, Ok};
    use EffectClass::{Read, SharedWrite};

    type Calls<'a> = &'a [(Option<EffectClass>, CallStatus)];

    fn status(calls: Calls<'_>, reason: Reason) -> QueryStatus {
        let mut tally = Tally::default();
        for (effect, status) in calls {
            tally.note(*effect, *status);
        }
        tally.ending(reason).status
    }

    #[test]
    fn the_verdict_follows_the_calls() {
        let (read, write, unknown) = (Some(Read), Some(SharedWrite), None);
        let cases: [(Calls<'_>, Reason, QueryStatus); 17] = [
            (&[], Reason::Answered, QueryStatus::Success),
            (&[(unknown, Denied)], Reason::Answered, QueryStatus::Success),
            (&[(unknown, Denied)], Reason::NoAnswer, QueryStatus::Failed),
            (
                &[(read, Ok), (write, Ok)],
                Reason::Answered,
                QueryStatus::Success,
            ),
            (
                &[(read, Denied), (read, Ok)],
                Reason::Answered,
                QueryStatus::Success,
            ),
            (
                &[(unknown, Denied), (read, Ok)],
                Reason::Answered,
                QueryStatus::Success,
            ),
            (&[(read, Failed)], Reason::Answered, QueryStatus::Success),
            (
                &[(write, Denied), (write, Ok)],
                Reason::Answered,
                QueryStatus::Success,
            ),
            (&[(read, Denied)], Reason::Answered, QueryStatus::Denied),
            (
                &[(read, Ok), (write, Denied)],
                Reason::Answered,
                QueryStatus::Denied,
            ),
            (&[(write, Failed)], Reason::Answered, QueryStatus::Partial),
            (
                &[(write, Ok), (write, Denied)],
                Reason::Answered,
                QueryStatus::Partial,
            ),
            (
                &[(write, Cancelled)],
                Reason::Answered,
                QueryStatus::Partial,
            ),
            (&[(read, Ok)], Reason::IterationsUsed, QueryStatus::Partial),
            (&[(read, Ok)], Reason::NoAnswer, QueryStatus::Partial),
            (&[], Reason::NoAnswer, QueryStatus::Failed),
            (
                &[(write, Ok)],
                Reason::Interrupted,
                QueryStatus::Interrupted,
            ),
        ];
        for (calls, reason, expected) in cases {
            assert_eq!(status(calls, reason), expected, "{calls:?} {reason:?}");
        }
    }
}
