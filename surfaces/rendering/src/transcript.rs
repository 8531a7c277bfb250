//! A session as a document, from its events alone: its head and its exchanges. Answers, thinking, calls
//! and plans are put in words in `work.rs`.

mod agents;
mod broken_off;
mod extent;
mod work;

pub use broken_off::pieces_from;
pub use extent::Extent;

use super::links;
use super::messages::answers;
use super::moments;
use super::quality;
use super::values::model_in_words;
use broken_off::BrokenOff;
use domain::context::{CompactionCause, Summary, SummaryKind};
use domain::drive::Origin;
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{AgentId, QueryId};
use extent::{quoted, shown, shown_line};
use jiff::tz::TimeZone;
use session::SessionView;
use std::collections::{BTreeMap, BTreeSet};
use text::escape::{prose, visible};
use text::links::Known;
use turn::drive::summary;

/// The conversation with the user as Markdown.
#[must_use]
pub fn markdown(events: &[Event], extent: Extent) -> String {
    let facts = Facts::of(events);
    let mut out = page(events, &facts, extent, None);
    if extent == Extent::Whole {
        for child in agents::in_order(events) {
            out.push_str("\n---\n\n");
            out.push_str(&page(events, &facts, extent, Some(child)));
        }
    }
    out
}

/// What one sub-agent did, as Markdown; `None` when the session had no such agent.
#[must_use]
pub fn of_agent(events: &[Event], agent: AgentId) -> Option<String> {
    let facts = Facts::of(events);
    let is_there = facts.is_child(agent);
    is_there.then(|| page(events, &facts, Extent::Whole, Some(agent)))
}

/// What the whole log says about its parts.
struct Facts {
    answers: BTreeMap<QueryId, u64>,
    /// Answers of models that stand word for word under the heading of their request's answer.
    shown_as_answers: BTreeSet<u64>,
    /// Requests whose end is on record.
    finished: BTreeSet<QueryId>,
    broken_off: BrokenOff,
    zone: TimeZone,
    view: SessionView,
}

impl Facts {
    fn of(events: &[Event]) -> Self {
        Self {
            answers: answers(events),
            shown_as_answers: shown_as_answers(events),
            finished: finished(events),
            broken_off: BrokenOff::of(events),
            zone: TimeZone::system(),
            view: SessionView::of(events),
        }
    }

    /// Whether an agent worked for another.
    fn is_child(&self, agent_id: AgentId) -> bool {
        self.view.agents().find(agent_id).is_some()
    }

    /// What became of the request that an event brings, where it has no usual end.
    fn became_of(&self, event: &Event) -> &'static str {
        let exchanges = self.view.exchanges();
        let found = event.query_id.and_then(|id| exchanges.find(id));
        let has_begun = found.is_none_or(|one| one.has_begun);
        let has_ended = event.query_id.is_none_or(|id| self.finished.contains(&id));
        match (exchanges.counts(event), has_ended) {
            (false, _) => ", taken back",
            (true, true) if !has_begun => ", not begun",
            (true, true) => "",
            (true, false) => ", no end on record: at work, or its process was killed",
        }
    }

    /// The number of an event's request, where what stands above it is of another one.
    fn other_request(&self, event: &Event, above: Option<QueryId>) -> Option<u64> {
        let is_heading = matches!(event.body, EventBody::QueryReceived { .. });
        let id = event.query_id.filter(|_| !is_heading && above.is_some())?;
        let found = self.view.exchanges().find(id);
        found
            .filter(|_| event.query_id != above)
            .map(|one| one.received_seq)
    }

    /// When something was, for people.
    fn time(&self, event: &Event) -> String {
        moments::second(event.time, &self.zone)
    }

    /// `#12`, with what became of the message.
    fn number(&self, seq: u64) -> String {
        let pin = if self.view.pinned().contains(&seq) {
            ", pinned"
        } else {
            ""
        };
        format!("#{seq}{pin}")
    }
}

fn finished(events: &[Event]) -> BTreeSet<QueryId> {
    let ends = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::QueryFinished { .. }));
    ends.filter_map(|event| event.query_id).collect()
}

/// The last answer of a model in each request, where it is the request's answer as well.
fn shown_as_answers(events: &[Event]) -> BTreeSet<u64> {
    let mut last: BTreeMap<QueryId, (u64, &str)> = BTreeMap::new();
    let mut shown = BTreeSet::new();
    for event in events {
        let Some(query_id) = event.query_id else {
            continue;
        };
        match &event.body {
            EventBody::ModelAnswered { text, .. } => {
                last.insert(query_id, (event.seq, text.trim()));
            }
            EventBody::GenerationFinished { answer, .. } => {
                let said = last.get(&query_id);
                shown.extend(
                    said.filter(|said| said.1 == answer.trim())
                        .map(|said| said.0),
                );
            }
            _ => {}
        }
    }
    shown
}

/// One agent's part of the log: the root's for `None`.
fn page(events: &[Event], facts: &Facts, extent: Extent, whose: Option<AgentId>) -> String {
    let mut out = String::new();
    let mut known = Known::default();
    // The request that what stands last belongs to.
    let mut above: Option<QueryId> = None;
    for event in events {
        links::note(&mut known, event);
        let by = event.agent_id.filter(|id| facts.is_child(*id));
        let part = match (&event.body, whose) {
            // Its beginning and end are told by the agent that started it.
            (EventBody::AgentSpawned { child, .. }, Some(one)) if *child == one => {
                agents::heading(event, &facts.time(event))
            }
            (EventBody::AgentFinished { child, .. }, Some(one)) if *child == one => {
                agents::report(event)
            }
            _ if by == whose => part(event, facts, &known, extent),
            _ => None,
        };
        if let Some(part) = part {
            let is_of = event.query_id.or(above);
            if let Some(other) = facts.other_request(event, above) {
                out.push_str(&format!("*To {}:*\n\n", facts.number(other)));
            }
            above = is_of;
            out.push_str(part.trim_end());
            out.push_str("\n\n");
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn part(event: &Event, facts: &Facts, known: &Known, extent: Extent) -> Option<String> {
    match &event.body {
        EventBody::SessionOpened { .. } => Some(opening(event, facts)),
        EventBody::SessionResumed { .. } => Some(format!("*Resumed {}.*", facts.time(event))),
        EventBody::SessionConfigured { profile } => Some(match &profile.model {
            Some(model) => format!(
                "*Settings: {} mode, model {}.*",
                profile.mode.as_str(),
                shown_line(&model_in_words(model))
            ),
            None => format!("*Settings: {} mode.*", profile.mode.as_str()),
        }),
        EventBody::QueryReceived { text, mode, origin } => {
            let who = match origin {
                Origin::User => "User",
                Origin::Drive => "Drive",
            };
            let said = match origin {
                Origin::User => prose(text),
                Origin::Drive => shown(text),
            };
            Some(format!(
                "## {who} {} ({}, {}{})\n\n{said}",
                facts.number(event.seq),
                mode.as_str(),
                facts.time(event),
                facts.became_of(event),
            ))
        }
        // How a request ended without one stands in the line after it.
        EventBody::GenerationFinished { answer, .. } if answer.trim().is_empty() => None,
        EventBody::GenerationFinished { answer, model, .. } => {
            let by = model
                .as_ref()
                .map(|model| shown_line(&model.to_string()))
                .unwrap_or_else(|| "rules".to_owned());
            let seq = event.query_id.and_then(|id| facts.answers.get(&id));
            let number = seq.map_or_else(String::new, |seq| format!(" {}", facts.number(*seq)));
            Some(format!(
                "## Answer{number} ({by})\n\n{}",
                links::document(answer, known)
            ))
        }
        EventBody::QueryFinished { status, error, .. } if *status != QueryStatus::Success => {
            let why = error
                .as_ref()
                .map(|fault| format!(": {}", shown_line(&fault.message)))
                .unwrap_or_default();
            Some(format!("*{}{why}*", ended(*status)))
        }
        EventBody::Notice(fault) | EventBody::Error(fault) => {
            Some(format!("*{}: {}*", fault.code, shown_line(&fault.message)))
        }
        EventBody::TextDelta { .. } | EventBody::TextReplaced { .. } => {
            facts.broken_off.part(event.seq, known)
        }
        body => worth(body, known).or_else(|| done(event, facts, known, extent)),
    }
}

/// What was said of how good an answer is.
fn worth(body: &EventBody, known: &Known) -> Option<String> {
    match body {
        EventBody::Feedback { score, note } => Some(match note.as_str() {
            "" => format!("*Rated {score}.*"),
            note => format!("*Rated {score}: {}*", visible(note)),
        }),
        EventBody::Critique { .. }
        | EventBody::NotGraded(_)
        | EventBody::SecondMissed(_)
        | EventBody::Pairwise { .. } => quality::found(body).map(|told| format!("*{told}*")),
        EventBody::SecondAnswered { answer, model, .. } => {
            let by = shown_line(&model.to_string());
            Some(format!(
                "## Second answer ({by})\n\n{}",
                links::document(answer, known)
            ))
        }
        EventBody::SecondRated { winner } => Some(format!("*You: {}*", quality::better(*winner))),
        EventBody::SecondTaken { .. } => {
            Some(format!("*The second answer was {}*", quality::TAKEN))
        }
        _ => None,
    }
}

/// What was done, and the answer that a model was stopped in.
fn done(event: &Event, facts: &Facts, known: &Known, extent: Extent) -> Option<String> {
    let is_shown_below = facts.shown_as_answers.contains(&event.seq);
    let left = (!is_shown_below).then(|| broken_off::stopped(event, known));
    let left = left.flatten();
    let is_shown = is_shown_below || left.is_some();
    let done = lasting(event).or_else(|| work::part(event, extent, is_shown));
    let parts: Vec<String> = done.into_iter().chain(left).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// How a request ended, in words.
const fn ended(status: QueryStatus) -> &'static str {
    match status {
        QueryStatus::Success => "Done",
        QueryStatus::Partial => "Partly done",
        QueryStatus::Failed => "Failed",
        QueryStatus::Denied => "Refused",
        QueryStatus::Interrupted => "Stopped",
    }
}

fn opening(event: &Event, facts: &Facts) -> String {
    let EventBody::SessionOpened {
        profile,
        forked_from,
    } = &event.body
    else {
        return String::new();
    };
    let name = match profile.name.as_str() {
        "" => "Session",
        name => name,
    };
    let folder = shown_line(&profile.settings.workspace.to_string_lossy());
    let mut text = format!(
        "# {}\n\n- id: {}\n- began: {}\n- folder: {folder}\n- agent: {}",
        shown_line(name),
        event.session_id,
        facts.time(event),
        profile.agent_type
    );
    if let Some((parent, seq)) = forked_from {
        text.push_str(&format!("\n- forked from: {parent} at event {seq}"));
    }
    text
}

/// What became of the view of the conversation, and what the drive did.
fn lasting(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::ContextCompacted {
            before_tokens,
            after_tokens,
            dropped_messages,
            cause,
            summary: stands_for,
            ..
        } => {
            let mut text = format!(
                "*The view was made smaller ({}): {before_tokens} → {after_tokens} tokens, \
                 {dropped_messages} messages left out.*",
                cause_of(*cause)
            );
            if let Some(summary) = stands_for {
                text.push_str(&format!("\n\n{}", summed_up(summary)));
            }
            Some(text)
        }
        EventBody::JournalWritten { title, text, .. } => Some(format!(
            "> *journal: {}*\n>\n> {}",
            shown_line(title),
            quoted(text)
        )),
        EventBody::Pinned { seq, pinned: true } => Some(format!("*Message #{seq} was pinned.*")),
        EventBody::Pinned { seq, pinned: false } => {
            Some(format!("*Message #{seq} is no longer pinned.*"))
        }
        EventBody::Rewound { to_seq } => Some(format!(
            "*The conversation was taken back to after event {to_seq}.*"
        )),
        EventBody::DriveState(decision) => Some(format!(
            "*Drive: {}; {}*",
            decision.state.as_str(),
            shown_line(&decision.reason)
        )),
        EventBody::SignalReceived { signal } => {
            Some(format!("*Signal: {}*", shown_line(&summary(signal))))
        }
        _ => None,
    }
}

const fn cause_of(cause: CompactionCause) -> &'static str {
    match cause {
        CompactionCause::Trimmed => "the oldest turns fell out",
        CompactionCause::Journal => "the journal stands for them",
        CompactionCause::Summary => "a summary stands for them",
        CompactionCause::Overflow => "the prompt did not fit",
    }
}

fn summed_up(summary: &Summary) -> String {
    let lines = summary.lines.iter().map(|line| {
        let kind = match line.kind {
            SummaryKind::Decision => "decision",
            SummaryKind::Artifact => "file",
            SummaryKind::OpenQuestion => "open",
            SummaryKind::Constraint => "constraint",
        };
        let cites: Vec<String> = line.cites.iter().map(|seq| format!("#{seq}")).collect();
        format!(
            "- {kind}: {} ({})",
            shown_line(&line.text),
            cites.join(", ")
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text that goes on in a quotation.
#[cfg(test)]
mod tests;
