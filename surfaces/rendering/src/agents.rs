//! Who works in a session, as a tree.

use super::Paint;
use api::broker::AgentListing;
use domain::id::AgentId;
use session::{AgentState, AgentTree};
use text::escape::prose;

/// Characters of a task or summary that a line of the tree shows.
const GIST_CHARS: usize = 100;

/// The sub-agents of a session below those that started them; empty without any.
#[must_use]
pub fn tree(agents: &AgentTree, paint: Paint) -> String {
    let mut out = String::new();
    branch(agents, None, paint, &mut out);
    out
}

fn branch(agents: &AgentTree, parent: Option<AgentId>, paint: Paint, out: &mut String) {
    for agent in agents.children_of(parent) {
        let id = agent.id.to_string();
        let short = id.get(id.len().saturating_sub(8)..).unwrap_or(&id);
        let state = match &agent.state {
            AgentState::Reported {
                status,
                quality,
                summary,
            } => format!(
                "{}, {}: {}",
                status.as_str(),
                quality.as_str(),
                gist(summary)
            ),
            AgentState::Lost => "never reported".to_owned(),
            AgentState::AtWork => "at work".to_owned(),
        };
        let indent = "  ".repeat(agent.depth);
        let head = paint.strong(agent.agent_type.as_str());
        out.push_str(&format!("{indent}{head} …{short}  {}\n", gist(&agent.task)));
        out.push_str(&format!("{indent}  {}\n", paint.faint(&state)));
        branch(agents, Some(agent.id), paint, out);
    }
}

/// An agent that another one started, by its type and what tells it from others of that type; `None` for
/// the session's own.
#[must_use]
pub fn named(agents: &AgentTree, id: Option<AgentId>) -> Option<String> {
    let agent = agents.find(id?)?;
    // The end of an id is random; its beginning is a time.
    let id = agent.id.to_string();
    let tail = id.get(id.len().saturating_sub(4)..).unwrap_or(&id);
    Some(format!("{} …{tail}", agent.agent_type))
}

/// The types with what each may start.
#[must_use]
pub fn types(listings: &[AgentListing]) -> String {
    let mut rows = vec![vec![
        "TYPE".to_owned(),
        "MODEL ROLE".to_owned(),
        "STARTS".to_owned(),
        "WHAT IT IS".to_owned(),
    ]];
    rows.extend(listings.iter().map(|listing| {
        let starts: Vec<&str> = listing.can_spawn.iter().map(|one| one.as_str()).collect();
        vec![
            listing.agent_type.to_string(),
            listing.model_role.as_str().to_owned(),
            match starts.is_empty() {
                true => "-".to_owned(),
                false => starts.join(","),
            },
            gist(&listing.description),
        ]
    }));
    super::table(&rows)
}

/// The beginning of a text on one line.
#[must_use]
pub fn gist(text: &str) -> String {
    let line = prose(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(GIST_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::event::{Event, EventBody, QueryStatus};
    use domain::id::SessionId;
    use domain::lineage::AgentType;
    use domain::model::Usage;
    use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};
    use session::SessionView;
    use uuid::Uuid;

    fn agent(number: u128) -> AgentId {
        AgentId::from_uuid(Uuid::from_u128(number))
    }

    fn event(by: u128, body: EventBody) -> Event {
        Event {
            seq: 1,
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::nil()),
            query_id: None,
            agent_id: Some(agent(by)),
            respondent_id: None,
            call_id: None,
            body,
        }
    }

    fn drawn(events: &[Event]) -> String {
        tree(SessionView::of(events).agents(), Paint::Plain)
    }

    fn spawned(child: u128, task: &str) -> EventBody {
        EventBody::AgentSpawned {
            child: agent(child),
            agent_type: AgentType::new("researcher").unwrap(),
            task: task.to_owned(),
            task_id: None,
            budget_tokens: None,
        }
    }

    #[test]
    fn each_stands_below_the_one_that_started_it_with_how_it_ended() {
        let report = Report {
            status: ReportStatus::Success,
            summary: "it is\nblue".to_owned(),
            artifacts: Vec::new(),
            result_quality: ResultQuality::Verified,
            source: ReportSource::ToolOutput,
            new_memory_candidates: Vec::new(),
            failure_reason: None,
        };
        let finished = EventBody::AgentFinished {
            child: agent(3),
            report,
            corrections: Vec::new(),
            usage: Usage::default(),
            duration_ms: 0,
        };
        let ended = EventBody::QueryFinished {
            status: QueryStatus::Success,
            artifacts: Vec::new(),
            duration_ms: 0,
            error: None,
        };
        let mut events = vec![
            event(1, spawned(2, "look around")),
            event(2, spawned(3, "look closer")),
            event(2, finished),
            event(1, spawned(4, "look\u{1b}[2J away")),
        ];
        let shown = drawn(&events);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 6, "{shown}");
        assert_eq!(lines[0], "  researcher …00000002  look around");
        assert_eq!(lines[1], "    at work");
        assert_eq!(lines[2], "    researcher …00000003  look closer");
        assert_eq!(lines[3], "      success, verified: it is blue");
        assert!(!shown.contains('\u{1b}'), "{shown}");
        events.push(event(1, ended));
        let shown = drawn(&events);
        assert_eq!(shown.matches("never reported").count(), 2, "{shown}");
        assert_eq!(drawn(&[]), "");
    }
}
