//! How the view is made smaller: what leaves it, and what stands for that.

use crate::covered::{CALLED, Covered, Said};
use crate::elided::lines_in_words;
use crate::entry::{Entry, characters_in};
use crate::heuristics;
use crate::summary;
use crate::view::{View, calls_of};
use domain::context::{CompactionCause, Summary, SummaryLine};
use domain::event::EventBody;
use domain::limits::ROLLING_SUMMARY_TOKENS;
use domain::message::Message;

/// Of what is not fixed, how much is left of the conversation with what stands for the rest of it,
/// thousandths. Far below the marks, so that the prefix stays the same for a while.
const KEEP_PERMILLE: u64 = 500;
/// Of what is not fixed, the most that a summary takes, thousandths.
const SUMMARY_PERMILLE: u64 = 250;
/// Of what is not fixed, what the journal may fill up to, thousandths.
const JOURNAL_PERMILLE: u64 = 650;
/// A rebuilding must take away at least this share of what is not fixed, thousandths.
const LEAST_PERMILLE: u64 = 200;
/// Replies with their results that are kept word for word when a turn alone is too long.
const KEPT_REPLIES: usize = 3;
/// Further replies that come before the results of those in front are shown in one line, for an
/// agent at work for another: each time is a prompt that is read anew from there on.
const STEP_REPLIES: usize = 4;
/// What the results of the newest reply may fill the prompt up to before they are shortened too, as
/// thousandths of its budget: three quarters of the model's whole context. No model has seen them yet.
const UNSEEN_PERMILLE: u64 = 1_666;
/// What the lines take that say how much of a result is shown, characters.
const NOTE_CHARACTERS: u64 = 500;
/// Longest text of a covered message that is looked at, characters.
const COVERED_CHARACTERS: usize = 8_000;

/// Why the view is made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The hard mark.
    Mark,
    /// The server said that the prompt does not fit.
    Overflow,
    /// The user asked for it.
    Asked,
    /// An agent that hands work out begins a request: what came before it leaves, unless it is talk
    /// that takes no more than what would stand for it.
    Request,
    /// An agent at work for another goes on: results of steps that lie behind it are shown in one
    /// line, several steps at a time.
    Step,
}

/// A rebuilding that is about to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Why, and what will stand for what leaves.
    pub cause: CompactionCause,
    through: Option<u64>,
    shortened_through: Option<u64>,
    covered: Vec<Covered>,
    budget_tokens: u64,
    /// Most that what stands for everything may take, beside the share that is usual.
    summary_tokens: u64,
}

/// What a rebuilding came to: the fields of its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted {
    /// Tokens before, estimated.
    pub before_tokens: u64,
    /// Tokens after, estimated.
    pub after_tokens: u64,
    /// Messages that left.
    pub dropped_messages: u32,
    /// Why, and what stands for them.
    pub cause: CompactionCause,
    /// The last event whose messages left.
    pub through: Option<u64>,
    /// What stands for everything that has left so far.
    pub summary: Option<Summary>,
    /// The last event whose results are shortened.
    pub shortened_through: Option<u64>,
    /// What the journal may take, characters.
    pub journal_characters: u64,
    /// Most characters of each result of the newest reply, where those are shortened too; 0: as of
    /// older ones.
    pub newest_characters: u64,
    /// Whether it is worth it: a fifth of what is not fixed went.
    pub shrank: bool,
}

impl Compacted {
    /// The event that says so.
    #[must_use]
    pub fn event(self) -> EventBody {
        EventBody::ContextCompacted {
            before_tokens: self.before_tokens,
            after_tokens: self.after_tokens,
            dropped_messages: self.dropped_messages,
            cause: self.cause,
            through: self.through,
            summary: self.summary,
            shortened_through: self.shortened_through,
            journal_characters: self.journal_characters,
            newest_characters: self.newest_characters,
        }
    }
}

impl Plan {
    /// What a model is asked for a summary; `None` when nothing has to be summarised.
    #[must_use]
    pub fn request(&self, max_characters: u64) -> Option<Vec<Message>> {
        let wanted = matches!(
            self.cause,
            CompactionCause::Summary | CompactionCause::Overflow
        );
        (wanted && !self.covered.is_empty())
            .then(|| summary::request(&self.covered, max_characters))
    }

    /// The same with a summary of at most so many tokens. The user's rules stay all the same.
    #[must_use]
    pub const fn within(mut self, summary_tokens: u64) -> Self {
        self.summary_tokens = summary_tokens;
        self
    }

    /// What leaves the view.
    #[must_use]
    pub fn covered(&self) -> &[Covered] {
        &self.covered
    }
}

impl View {
    /// How the view can be made smaller for a prompt of `budget_tokens`; `None` when nothing can go.
    #[must_use]
    pub fn plan(&self, budget_tokens: u64, why: Why) -> Option<Plan> {
        match why {
            Why::Request => return self.plan_for_request(budget_tokens),
            Why::Step => return self.plan_for_step(budget_tokens),
            Why::Mark | Why::Overflow | Why::Asked => {}
        }
        let target = self.target(budget_tokens, why);
        let wanted = self.cut_for(target);
        let covering = self.elided.covered_since(self.rebuilt_at);
        let bridged = covering.map_or(0, |through| self.turns_covered(through));
        let loosely = || self.estimate_after(bridged, None) <= self.loose(budget_tokens);
        let by_journal = bridged > 0 && (bridged >= wanted || loosely());
        let cut = if by_journal {
            wanted.min(bridged)
        } else {
            wanted
        };
        let unseen = match why {
            // The server has counted.
            Why::Overflow => budget_tokens,
            _ => unseen_limit(budget_tokens),
        };
        let shortened_through = self.shortening_for(cut, target, (budget_tokens, unseen));
        if cut == 0 && shortened_through.is_none() {
            return None;
        }
        let cause = match why {
            Why::Overflow => CompactionCause::Overflow,
            _ if by_journal => CompactionCause::Journal,
            _ if cut == 0 => CompactionCause::Trimmed,
            _ => CompactionCause::Summary,
        };
        Some(Plan {
            cause,
            through: self.last_before(cut),
            shortened_through,
            covered: self.covered(cut),
            budget_tokens,
            summary_tokens: u64::MAX,
        })
    }

    fn plan_for_request(&self, budget_tokens: u64) -> Option<Plan> {
        let cut = self.last_turn();
        let earlier = self.entries.iter().take(cut);
        let is_talk = earlier.clone().all(|entry| {
            !matches!(entry.message, Message::Tool { .. }) && calls_of(&entry.message).is_empty()
        });
        let said: u64 = earlier.map(|e| characters_in(e.message.text())).sum();
        let noted = characters_in(&lines_in_words(&self.elided.lines));
        let is_short = self.estimator.tokens(said + noted) <= ROLLING_SUMMARY_TOKENS;
        let turn = self.entries.get(cut).map_or(u64::MAX, |entry| entry.at);
        // What was done in plan mode stands nowhere else.
        let is_settled = is_talk && is_short && !self.tasks.has_news(turn);
        (cut > 0 && !is_settled).then(|| Plan {
            cause: CompactionCause::Summary,
            through: self.last_before(cut),
            shortened_through: None,
            covered: self.covered(cut),
            budget_tokens,
            summary_tokens: ROLLING_SUMMARY_TOKENS,
        })
    }

    fn plan_for_step(&self, budget_tokens: u64) -> Option<Plan> {
        let replies = self.replies_from(0);
        let is_whole = |index: &&usize| {
            let entry = self.entries.get(**index);
            entry.is_some_and(|entry| !self.is_shortened(entry))
        };
        let whole = replies.iter().filter(is_whole).count();
        let kept = replies.len().checked_sub(KEPT_REPLIES)?;
        let through = self.last_before(replies.get(kept).copied()?)?;
        (whole >= KEPT_REPLIES + STEP_REPLIES).then(|| Plan {
            cause: CompactionCause::Trimmed,
            through: None,
            shortened_through: Some(through),
            covered: Vec::new(),
            budget_tokens,
            summary_tokens: u64::MAX,
        })
    }

    /// Where replies that asked for tools stand, from an entry on.
    fn replies_from(&self, start: usize) -> Vec<usize> {
        let entries = self.entries.iter().enumerate().skip(start);
        entries
            .filter(|(_, entry)| !calls_of(&entry.message).is_empty())
            .map(|(index, _)| index)
            .collect()
    }

    /// The event of the last of the first `cut` entries.
    fn last_before(&self, cut: usize) -> Option<u64> {
        let last = cut.checked_sub(1).and_then(|last| self.entries.get(last));
        last.map(|entry| entry.at)
    }

    /// What becomes of a plan with a model's summary, or without one. Changes nothing: the event
    /// does.
    #[must_use]
    pub fn carry_out(&self, plan: &Plan, answer: Option<Summary>) -> Compacted {
        let summary = (!plan.covered.is_empty()).then(|| Summary {
            lines: self.lines_for(plan, answer),
        });
        let free = self.free(plan.budget_tokens);
        let mut after = self.clone();
        let lines = || summary.as_ref().map(|summary| summary.lines.clone());
        after.compacted(plan.through, lines(), plan.shortened_through, 0);
        let filled = after.estimate().saturating_sub(self.fixed());
        let room = (free * JOURNAL_PERMILLE / 1_000).saturating_sub(filled);
        let journal_characters = self.characters_in(room);
        after.compacted(None, lines(), None, journal_characters);
        let newest_characters = after.room_for_newest(self.loose(plan.budget_tokens));
        after.show_of_newest(newest_characters);
        let (before_tokens, after_tokens) = (self.estimate(), after.estimate());
        let movable = before_tokens.saturating_sub(self.fixed());
        let least = movable * LEAST_PERMILLE / 1_000;
        let dropped = self.entries.len() - after.entries.len();
        Compacted {
            before_tokens,
            after_tokens,
            dropped_messages: u32::try_from(dropped).unwrap_or(u32::MAX),
            cause: plan.cause,
            through: plan.through,
            summary,
            shortened_through: plan.shortened_through,
            journal_characters,
            newest_characters,
            shrank: before_tokens.saturating_sub(after_tokens) >= least.max(1),
        }
    }

    /// How much of each result of the newest reply there is room for in so many tokens, characters; 0
    /// where none of them is shortened, or there is hardly more room than what is left of each.
    fn room_for_newest(&self, most_tokens: u64) -> u64 {
        let newest = self.entries.iter().skip(self.newest_results());
        let is_cut = |entry: &&Entry| {
            matches!(entry.message, Message::Tool { .. }) && self.is_shortened(entry)
        };
        let count = newest.filter(is_cut).count() as u64;
        let room = self.characters_in(most_tokens.saturating_sub(self.estimate()));
        let each = room.checked_div(count).unwrap_or(0);
        // The head line takes a part of it.
        let each = each.saturating_sub(NOTE_CHARACTERS);
        if each > NOTE_CHARACTERS { each } else { 0 }
    }

    fn lines_for(&self, plan: &Plan, answer: Option<Summary>) -> Vec<SummaryLine> {
        let covered = &plan.covered;
        let mut later = heuristics::rules(covered);
        let notes = match plan.cause {
            CompactionCause::Journal => self.elided.journal_text(),
            _ => String::new(),
        };
        let believed = answer.map(|answer| summary::checked(answer, covered));
        match believed {
            Some(lines) if !lines.is_empty() => later.extend(lines),
            _ if plan.cause == CompactionCause::Journal => {}
            _ => later.extend(heuristics::by_rule(covered)),
        }
        let missing = heuristics::unnoted(covered, &later, &notes);
        later.extend(missing);
        let usual = self.free(plan.budget_tokens) * SUMMARY_PERMILLE / 1_000;
        let most = usual.min(plan.summary_tokens);
        summary::merged(&self.elided.lines, later, self.characters_in(most))
    }

    fn fixed(&self) -> u64 {
        self.estimator.tokens(self.fixed_characters())
    }

    fn free(&self, budget_tokens: u64) -> u64 {
        budget_tokens.saturating_sub(self.fixed())
    }

    fn target(&self, budget_tokens: u64, why: Why) -> u64 {
        let keep = self.fixed() + self.free(budget_tokens) * KEEP_PERMILLE / 1_000;
        match why {
            Why::Mark | Why::Overflow | Why::Request | Why::Step => keep,
            // Somebody who asks wants less than there is, however much that is.
            Why::Asked => keep.min(self.estimate() / 2),
        }
    }

    /// Whether the prompt can be sent although it is over its budget: what fills it is what a model is
    /// yet to see.
    #[must_use]
    pub fn may_be_sent(&self, budget_tokens: u64) -> bool {
        self.estimate() <= unseen_limit(budget_tokens)
    }

    /// What is low enough when the journal covers no more.
    fn loose(&self, budget_tokens: u64) -> u64 {
        self.fixed() + self.free(budget_tokens) * JOURNAL_PERMILLE / 1_000
    }

    /// The fewest entries, whole turns, that must leave to come down to `target_tokens`, what will
    /// stand for them included; all but the last turn when that is not enough. It is found by halving:
    /// the more leaves, the less is left, and each estimate reads the whole view.
    fn cut_for(&self, target_tokens: u64) -> usize {
        let starts = self.turn_starts();
        let is_short = |start: &usize| self.estimate_after(*start, None) > target_tokens;
        let fitting = starts.get(starts.partition_point(is_short));
        fitting.or(starts.last()).copied().unwrap_or(0)
    }

    /// Tokens once `cut` entries have left and results are shortened, with what a summary of them
    /// will take at most.
    fn estimate_after(&self, cut: usize, shortened_through: Option<u64>) -> u64 {
        let mut after = self.clone();
        let covered = self.covered(cut);
        after.entries.drain(..cut);
        after.shortened_through = self.shortened_through.max(shortened_through);
        let said: u64 = covered.iter().map(|one| characters_in(&one.text)).sum();
        let grown = characters_in(&lines_in_words(&heuristics::rules(&covered))) + said / 8;
        after.estimator.tokens(after.characters() + grown)
    }

    /// Up to where results of what stays are shortened, when it alone is too long: all but those of
    /// the last replies, then those too but for the newest; all of them only where the prompt would
    /// have more than `unseen` tokens, since no model has seen the newest yet.
    fn shortening_for(
        &self,
        cut: usize,
        target: u64,
        (budget_tokens, unseen): (u64, u64),
    ) -> Option<u64> {
        let enough = if cut > 0 {
            self.loose(budget_tokens)
        } else {
            target
        };
        if self.estimate_after(cut, None) <= enough {
            return None;
        }
        let replies = self.replies_from(cut);
        let mut best = None;
        for kept in [KEPT_REPLIES, 1, 0] {
            if kept == 0 && self.estimate_after(cut, best) <= unseen {
                break;
            }
            let Some(older) = replies.len().checked_sub(kept).filter(|older| *older > 0) else {
                continue;
            };
            let end = replies.get(older).copied().unwrap_or(self.entries.len());
            let last = end.checked_sub(1).and_then(|last| self.entries.get(last));
            let through = last.map(|entry| entry.at);
            if through <= self.shortened_through {
                continue;
            }
            best = through;
            if self.estimate_after(cut, through) <= budget_tokens {
                break;
            }
        }
        best
    }

    /// The first `cut` entries as what a summary is made of.
    fn covered(&self, cut: usize) -> Vec<Covered> {
        self.entries
            .iter()
            .take(cut)
            .filter(|entry| !entry.is_passing())
            .flat_map(covered_of)
            .collect()
    }
}

/// The most tokens that a prompt may have before results that no model has seen are shortened.
const fn unseen_limit(budget_tokens: u64) -> u64 {
    budget_tokens * UNSEEN_PERMILLE / 1_000
}

fn covered_of(entry: &Entry) -> Vec<Covered> {
    let covered = |said, text: String| Covered {
        seq: entry.seq,
        said,
        text: text.chars().take(COVERED_CHARACTERS).collect(),
    };
    match &entry.message {
        Message::User { text } => {
            let said = if entry.users_words().is_some() {
                Said::ByUser
            } else {
                Said::ByTool
            };
            vec![covered(said, text.clone())]
        }
        Message::Assistant {
            text, tool_calls, ..
        } => {
            let mut said = text.clone();
            for call in tool_calls {
                said.push_str(&format!("\n{CALLED}{} {}", call.name, call.arguments));
            }
            vec![covered(Said::ByAgent, said)]
        }
        Message::Tool { text, .. } | Message::Picture { text, .. } => {
            vec![covered(Said::ByTool, text.clone())]
        }
        Message::System { .. } => Vec::new(),
    }
}
