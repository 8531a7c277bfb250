//! The agents of a session: a tree with what each does, what it cost and may cost, when each worked, and
//! what each reported.

use super::{barred, detail, head, or_nothing};
use crate::lines::{faint, safe};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::{AgentId, CallId};
use ratatui::text::Line;
use rendering::agents::gist;
use rendering::moments;
use rendering::values::{grouped, milliseconds, tokens};
use session::{Agent, AgentState, SessionView};
use std::collections::BTreeMap;
use text::escape::visible_line;
use text::fence;

/// Columns of the time line.
const TIME_COLUMNS: usize = 40;
/// Columns of a name before its lane.
const NAME_COLUMNS: usize = 22;

/// What the log says of an agent's work.
#[derive(Debug, Default)]
struct Work {
    /// From when to when it worked; `None` at the end: it still does.
    spans: Vec<(Timestamp, Option<Timestamp>)>,
    /// Tokens it used, without those of the agents below it.
    tokens: u64,
    /// Tokens it may use, with those below it.
    budget: Option<u64>,
    calls: usize,
    /// The calls that run, with their tools.
    open: Vec<(CallId, String)>,
}

impl Work {
    fn ends(&mut self, at: Timestamp) {
        if let Some((_, end @ None)) = self.spans.last_mut() {
            *end = Some(at);
        }
        self.open.clear();
    }
}

/// The work of each agent; `None`: of the one that the user speaks to.
fn works(events: &[Event]) -> BTreeMap<Option<AgentId>, Work> {
    let mut all: BTreeMap<Option<AgentId>, Work> = BTreeMap::new();
    for event in events {
        let known = event.agent_id.filter(|id| all.contains_key(&Some(*id)));
        let own = all.entry(known).or_default();
        match &event.body {
            EventBody::QueryReceived { .. } if known.is_none() => {
                own.ends(event.time);
                own.spans.push((event.time, None));
            }
            EventBody::QueryFinished { .. } => own.ends(event.time),
            EventBody::ModelAnswered { usage, .. } => {
                let used = usage.prompt_tokens.saturating_add(usage.completion_tokens);
                own.tokens = own.tokens.saturating_add(used);
            }
            EventBody::ToolRequested { tool, .. } => {
                own.calls += 1;
                let open = event.call_id.map(|id| (id, tool.clone()));
                own.open.extend(open);
            }
            EventBody::ToolResult { .. } => own.open.retain(|(id, _)| Some(*id) != event.call_id),
            EventBody::AgentSpawned {
                child,
                budget_tokens,
                ..
            } => {
                let work = Work {
                    spans: vec![(event.time, None)],
                    budget: *budget_tokens,
                    ..Work::default()
                };
                all.insert(Some(*child), work);
            }
            EventBody::AgentFinished { child, .. } => {
                all.entry(Some(*child)).or_default().ends(event.time);
            }
            _ => {}
        }
    }
    all
}

/// The agents as a tree, when each worked, and what each reported.
#[must_use]
pub fn agents(events: &[Event], now: Timestamp) -> Vec<Line<'static>> {
    let view = SessionView::of(events);
    let all: Vec<&Agent> = view.agents().iter().collect();
    let works = works(events);
    let mut lines = Vec::new();
    branch(&view, None, &works, &mut lines);
    if !all.is_empty() {
        lines.push(Line::default());
        lines.extend(lanes(&all, &works, now));
    }
    for event in events {
        lines.extend(reported(&event.body));
    }
    or_nothing(lines, "no agent was started")
}

fn short(id: AgentId) -> String {
    let id = id.to_string();
    format!("…{}", id.get(id.len().saturating_sub(8)..).unwrap_or(&id))
}

fn branch(
    view: &SessionView,
    parent: Option<AgentId>,
    works: &BTreeMap<Option<AgentId>, Work>,
    lines: &mut Vec<Line<'static>>,
) {
    for agent in view.agents().children_of(parent) {
        let indent = "  ".repeat(agent.depth.saturating_sub(1));
        let task = agent.task.lines().filter(|line| !fence::is_mark(line));
        let task = gist(&task.collect::<Vec<_>>().join(" "));
        let name = agent.agent_type.as_str();
        lines.push(head(&format!("{indent}{name} {}  {task}", short(agent.id))));
        let work = works.get(&Some(agent.id));
        let facts: Vec<String> = std::iter::once(state(agent, work))
            .chain(work.and_then(used))
            .collect();
        lines.push(detail(&format!("{indent}{}", facts.join("; "))));
        branch(view, Some(agent.id), works, lines);
    }
}

fn state(agent: &Agent, work: Option<&Work>) -> String {
    match &agent.state {
        AgentState::Reported {
            status, quality, ..
        } => format!("{}, {}", status.as_str(), quality.as_str()),
        AgentState::Lost => "never reported".to_owned(),
        AgentState::AtWork => {
            let open = work.map(|work| work.open.iter().map(|(_, tool)| visible_line(tool)));
            let open: Vec<String> = open.into_iter().flatten().collect();
            match open.is_empty() {
                true => "at work".to_owned(),
                false => format!("at work on {}", open.join(", ")),
            }
        }
    }
}

fn used(work: &Work) -> Option<String> {
    let calls = match work.calls {
        0 => String::new(),
        1 => "1 call, ".to_owned(),
        count => format!("{count} calls, "),
    };
    let used = grouped(work.tokens);
    match work.budget {
        Some(budget) => Some(format!("{calls}{used} of {} tokens", grouped(budget))),
        None if work.tokens == 0 && work.calls == 0 => None,
        None => Some(format!("{calls}{used} tokens")),
    }
}

/// When each worked: a lane an agent, from the first of them on.
fn lanes(
    all: &[&Agent],
    works: &BTreeMap<Option<AgentId>, Work>,
    now: Timestamp,
) -> Vec<Line<'static>> {
    let named = all.iter().map(|agent| {
        let indent = "  ".repeat(agent.depth.saturating_sub(1));
        let name = format!("{indent}{} {}", agent.agent_type, short(agent.id));
        (name, works.get(&Some(agent.id)))
    });
    let lanes: Vec<(String, &Work)> = named
        .filter_map(|(name, work)| Some((name, work?)))
        .collect();
    let spans = || lanes.iter().flat_map(|(_, work)| work.spans.iter());
    let (Some(from), Some(to)) = (
        spans().map(|span| span.0).min(),
        spans().map(|span| span.1.unwrap_or(now).max(span.0)).max(),
    ) else {
        return Vec::new();
    };
    let length = (to.duration_since(from).as_millis()).max(1);
    let column = |time: Timestamp| {
        let gone = time.duration_since(from).as_millis().clamp(0, length);
        usize::try_from(gone * TIME_COLUMNS as i128 / length).unwrap_or(0)
    };
    let took = u64::try_from(length).unwrap_or(u64::MAX);
    let title = format!(
        "time line from {}, {}",
        moments::clock(from),
        milliseconds(took)
    );
    let mut lines = vec![head(&title)];
    for (name, work) in &lanes {
        let mut lane = vec!['·'; TIME_COLUMNS];
        for (begin, end) in &work.spans {
            let begin = column(*begin).min(TIME_COLUMNS - 1);
            let to = end
                .map_or(TIME_COLUMNS, column)
                .clamp(begin + 1, TIME_COLUMNS);
            lane[begin..to].fill('#');
        }
        let lane: String = lane.into_iter().collect();
        let name: String = name.chars().take(NAME_COLUMNS).collect();
        lines.push(Line::styled(
            safe(&format!("  {name:NAME_COLUMNS$} {lane}")),
            faint(),
        ));
    }
    lines
}

fn reported(body: &EventBody) -> Vec<Line<'static>> {
    let EventBody::AgentFinished {
        child,
        report,
        corrections,
        usage,
        duration_ms,
    } = body
    else {
        return Vec::new();
    };
    let mut lines = vec![Line::default(), head(&format!("report of {child}"))];
    let (status, quality) = (report.status.as_str(), report.result_quality.as_str());
    let (took, cost) = (milliseconds(*duration_ms), tokens(usage));
    lines.push(detail(&format!("{status}, {quality}; {took}, {cost}")));
    lines.extend(barred(&report.summary));
    lines.extend(report.failure_reason.iter().flat_map(|why| barred(why)));
    let files = report.artifacts.iter().map(|file| visible_line(file));
    lines.extend(files.map(|file| detail(&format!("file: {file}"))));
    let changed = corrections.iter().map(|text| visible_line(text));
    lines.extend(changed.map(|text| detail(&format!("corrected: {text}"))));
    lines
}
