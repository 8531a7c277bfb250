//! What the broker remembers: sessions, agents and their tokens. All of it bounded, and a
//! session's part gone when the session is closed.

use crate::approvals::Approvals;
use crate::batch::Rows;
pub(crate) use crate::lock::lock;
use crate::origins;
use crate::own_calls::OwnCalls;
use crate::pinned::Plans;
use crate::running_calls::RunningCalls;
use crate::values::Values;
use api::audit::Entry;
use api::broker::{Error, ErrorKind, OfferBound};
use domain::decision::Layer;
use domain::event::{Batch, ConfirmationAnswer};
use domain::hash::Digest;
use domain::id::{AgentId, AgentToken, ConfirmationId, SessionId, TraceId, ValueId};
use domain::label::{Label, Readers};
use domain::limits::{AGENTS_PER_REQUEST, QUEUED_MESSAGES};
use domain::lineage::{AgentType, Lineage};
use domain::settings::SessionSettings;
use domain::token::Answerer;
use domain::tool::EffectClass;
use policy::flow::Provenance;
use policy::history::TaskHistory;
use policy::request::Requested;
use policy::standing::Standing;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Tasks whose calls a session remembers; the oldest is forgotten first.
const TASKS: usize = 64;

/// Requests of the user whose words are kept: more than can run and wait at a time. Where that many
/// were withdrawn meanwhile, the one that runs counts as not asked for.
const ORDERS: usize = 2 * QUEUED_MESSAGES;

/// Most earlier requests of the user in which the name for an `it` is looked for.
const WORDS_BEFORE: usize = 8;

/// What the user said to begin a chain of work.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) words: Arc<str>,
    /// What the words ask for.
    pub(crate) requested: Requested,
    /// The call that they are, tool and arguments, until it is made.
    approved: Option<Digest>,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            words: Arc::from(""),
            requested: Requested::default(),
            approved: None,
        }
    }
}
/// Questions a session may have open at one time.
pub(crate) const OPEN_QUESTIONS: usize = 64;
/// Most refused choices that are remembered for one request.
const REFUSED_CHOICES: usize = 10_000;
/// Values an agent's next value counts as its parents.
const PARENTS: usize = 64;

/// One registered agent.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) lineage: Lineage,
    pub(crate) agent_type: AgentType,
    pub(crate) standing: Arc<Standing>,
    /// The join of everything it has been shown.
    pub(crate) label: Label,
    /// How often it was shown something untrusted from outside this machine.
    pub(crate) outside: u64,
    pub(crate) shown: VecDeque<ValueId>,
    /// What it is offered at most, as it last said.
    pub(crate) offered: OfferBound,
    pub(crate) ended: CancellationToken,
    token: [u8; 32],
}

/// A question the user has not answered.
#[derive(Debug)]
pub(crate) struct OpenQuestion {
    pub(crate) binding: Digest,
    /// What it does, and what it waits with.
    pub(crate) related: Option<(EffectClass, Batch)>,
    pub(crate) answer: oneshot::Sender<(ConfirmationAnswer, Answerer)>,
    pub(crate) about: About,
}

/// What an answer is on record with: who asked, for which call of which tool.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// Everything but what the answer adds.
    pub(crate) entry: Entry,
    /// The layer that asked.
    pub(crate) layer: Layer,
}

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) settings: Arc<SessionSettings>,
    pub(crate) revision: Digest,
    pub(crate) agents: HashMap<AgentId, Agent>,
    /// Who may learn what the agents were shown that are gone.
    gone: Readers,
    pub(crate) opened: BTreeSet<PathBuf>,
    pub(crate) approvals: Approvals,
    pub(crate) questions: HashMap<ConfirmationId, OpenQuestion>,
    pub(crate) values: Values,
    /// Where values came from.
    pub(crate) provenance: Provenance,
    pub(crate) ended: CancellationToken,
    /// Calls that were handed in together.
    pub(crate) rows: Rows,
    /// Calls that their callers run.
    pub(crate) own_calls: OwnCalls,
    pub(crate) running: RunningCalls,
    /// How often others were asked something after what is not theirs was read, since the user
    /// spoke: what begins by itself meanwhile begins no new count.
    inquiries: usize,
    /// What the user said, by the chain of work that it began, oldest first.
    orders: VecDeque<(TraceId, Order)>,
    tasks: VecDeque<(TraceId, Task)>,
    pub(crate) plans: Plans,
}

impl Session {
    /// The folders that the user opened, and one that counts as open for a call.
    pub(crate) fn opened_with(&self, lent: Option<&PathBuf>) -> BTreeSet<PathBuf> {
        self.opened.iter().chain(lent).cloned().collect()
    }

    /// Who may learn everything that any agent of the session was shown.
    pub(crate) fn company(&self) -> Readers {
        let here = self.agents.values().map(|agent| &agent.label.readers);
        here.fold(self.gone.clone(), |all, readers| all.join(readers))
    }

    pub(crate) fn new(settings: SessionSettings, revision: Digest) -> Self {
        let mut provenance = Provenance::default();
        provenance.work_in(&settings.workspace);
        Self {
            settings: Arc::new(settings),
            revision,
            agents: HashMap::new(),
            gone: Readers::Public,
            opened: BTreeSet::new(),
            approvals: Approvals::default(),
            questions: HashMap::new(),
            values: Values::default(),
            provenance,
            ended: CancellationToken::new(),
            rows: Rows::default(),
            own_calls: OwnCalls::default(),
            running: RunningCalls::default(),
            inquiries: 0,
            orders: VecDeque::new(),
            tasks: VecDeque::new(),
            plans: Plans::default(),
        }
    }

    /// Takes in what the user said, and what that asks for in the chain of work that it begins.
    pub(crate) fn hear(&mut self, text: String, requested: Requested, begins: Option<TraceId>) {
        self.provenance.say(&text);
        self.inquiries = 0;
        let Some(trace) = begins else {
            return;
        };
        if self.orders.len() >= ORDERS {
            self.orders.pop_front();
        }
        let words = Arc::from(text);
        let order = Order {
            words,
            requested,
            approved: None,
        };
        self.orders.push_back((trace, order));
    }

    /// Notes the user's yes to a call in a chain of work; `false` where no words of theirs began it.
    pub(crate) fn approve(&mut self, trace: TraceId, call: Digest) -> bool {
        let order = self.order_mut(trace);
        order.map(|order| order.approved = Some(call)).is_some()
    }

    /// Uses up such a yes, if there is one to this call.
    pub(crate) fn claim_approval(&mut self, trace: TraceId, call: &Digest) -> bool {
        let approved = self.order_mut(trace).map(|order| &mut order.approved);
        approved.is_some_and(|approved| approved.take_if(|it| it == call).is_some())
    }

    fn order_mut(&mut self, trace: TraceId) -> Option<&mut Order> {
        let mut newest = self.orders.iter_mut().rev();
        let found = newest.find(|(id, _)| *id == trace);
        found.map(|(_, order)| order)
    }

    /// The user's words that began a chain of work, and what they ask for: nothing in one that began by
    /// itself, whatever the user says beside it.
    pub(crate) fn order(&self, trace: TraceId) -> Order {
        let mut newest = self.orders.iter().rev();
        let found = newest.find(|(id, _)| *id == trace);
        found.map(|(_, order)| order.clone()).unwrap_or_default()
    }

    /// The user's words that began the chains of work before this one, oldest first.
    pub(crate) fn words_before(&self, trace: TraceId) -> Vec<Arc<str>> {
        let earlier = self.orders.iter().take_while(|(id, _)| *id != trace);
        let words: Vec<Arc<str>> = earlier.map(|(_, order)| Arc::clone(&order.words)).collect();
        let from = words.len().saturating_sub(WORDS_BEFORE);
        words[from..].to_vec()
    }

    /// A chain of work so far, whichever of its agents called.
    pub(crate) fn task(&mut self, trace: TraceId) -> &mut Task {
        let found = self.tasks.iter().position(|(id, _)| *id == trace);
        let index = found.unwrap_or_else(|| {
            if self.tasks.len() >= TASKS {
                self.tasks.pop_front();
            }
            let task = Task {
                all: TaskHistory::after_inquiries(self.inquiries),
                ..Task::default()
            };
            self.tasks.push_back((trace, task));
            self.tasks.len() - 1
        });
        &mut self.tasks[index].1
    }

    /// Notes how often a chain of work has asked others something.
    pub(crate) fn note_inquiries(&mut self, trace: TraceId) {
        let asked = self.task(trace).all.inquiries();
        self.inquiries = self.inquiries.max(asked);
    }

    /// Forgets the calls of agents that have ended.
    pub(crate) fn forget_calls(&mut self, gone: &[AgentId]) {
        for (_, task) in &mut self.tasks {
            task.calls.retain(|agent_id, _| !gone.contains(agent_id));
            task.lines.retain(|agent_id, _| !gone.contains(agent_id));
        }
    }

    /// The join of what an agent and every agent below it that has not ended was shown. Those that
    /// have ended gave theirs to the one above.
    pub(crate) fn shown_below(&self, agent_id: AgentId) -> Label {
        let below = self.agents.values().filter(|agent| {
            let mut chain = agent.lineage.iter();
            chain.any(|ancestor| ancestor.agent_id == agent_id)
        });
        let all = below.map(|agent| agent.label.clone());
        all.reduce(|all, label| all.join(&label))
            .unwrap_or_else(|| Label::untrusted("released agent"))
    }

    /// Whose loops a call of an agent counts for: its own and those of the agents below it, and of
    /// those above it unless it `only_looks`. Twelve agents that each read the same file once do not
    /// go in circles; twelve that each change the same do.
    pub(crate) fn line_of(&self, agent_id: AgentId, only_looks: bool) -> Vec<AgentId> {
        let is_in = |agent: &Agent, id: AgentId| agent.lineage.iter().any(|a| a.agent_id == id);
        let mut line = vec![agent_id];
        let below = self.agents.iter();
        let below = below.filter(|(id, agent)| **id != agent_id && is_in(agent, agent_id));
        line.extend(below.map(|(id, _)| *id));
        if let Some(agent) = self.agents.get(&agent_id).filter(|_| !only_looks) {
            let above = agent.lineage.iter().map(|ancestor| ancestor.agent_id);
            line.extend(above.filter(|id| *id != agent_id));
        }
        line
    }

    /// Gives an agent's label to its parent: what the child has seen speaks from its report.
    pub(crate) fn hand_back(&mut self, agent_id: AgentId) {
        let Some(child) = self.agents.get(&agent_id) else {
            return;
        };
        let (label, outside) = (child.label.clone(), child.outside);
        let parent = child
            .lineage
            .iter()
            .rev()
            .nth(1)
            .map(|ancestor| ancestor.agent_id);
        if let Some(parent) = parent.and_then(|id| self.agents.get_mut(&id)) {
            parent.label = parent.label.join(&label);
            parent.outside += outside;
        }
    }
}

/// A chain of work: one request, and everything that is done for it.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// How many calls each of its agents has made: each has its own limit. How many agents there may
    /// be is limited as well, so that starting another one is no way around it.
    calls: HashMap<AgentId, u32>,
    /// What each agent's calls are held against when loops are looked for: what its line had called
    /// before it began, and since then what [`Session::line_of`] says. Neither a fresh agent nor two
    /// that take turns begin anew.
    lines: HashMap<AgentId, TaskHistory>,
    /// The calls of all of them together, for how often a tool may be used.
    all: TaskHistory,
    /// Agents that were started for it.
    agents: usize,
    /// The actions chosen after untrusted content that the user did not allow, whichever agent
    /// chose them.
    refused_choices: HashSet<Digest>,
}

impl Task {
    /// What an agent's next call is judged by: its line's calls, of which its own are counted, at
    /// the rate of everybody's.
    pub(crate) fn as_seen_by(&self, agent_id: AgentId) -> TaskHistory {
        let line = self.lines.get(&agent_id).cloned().unwrap_or_default();
        let own = self.calls.get(&agent_id).copied().unwrap_or_default();
        line.counting(own).at_the_rate_of(&self.all)
    }

    /// Notes a call of an agent whose line these agents are, itself among them.
    pub(crate) fn note_call(
        &mut self,
        agent_id: AgentId,
        line: Vec<AgentId>,
        note: impl Fn(&mut TaskHistory),
    ) {
        let own = self.calls.entry(agent_id).or_default();
        *own = own.saturating_add(1);
        for one in line {
            note(self.lines.entry(one).or_default());
        }
        note(&mut self.all);
    }

    /// Counts one more agent, which is started by another.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn count_agent(&mut self) -> Result<(), Error> {
        if self.agents >= AGENTS_PER_REQUEST {
            let detail =
                format!("{AGENTS_PER_REQUEST} agents were started for this request, the most.");
            return Err(Error::new(ErrorKind::LimitReached, detail));
        }
        self.agents += 1;
        Ok(())
    }

    /// Hands what was called in an agent's line on to one that it starts.
    pub(crate) fn hand_down(&mut self, parent: AgentId, child: AgentId) {
        let line = self.lines.get(&parent).cloned().unwrap_or_default();
        self.lines.insert(child, line);
    }

    pub(crate) fn refuse_choice(&mut self, key: Digest) {
        if self.refused_choices.len() < REFUSED_CHOICES {
            self.refused_choices.insert(key);
        }
    }

    pub(crate) const fn refused_choices(&self) -> &HashSet<Digest> {
        &self.refused_choices
    }
}

impl Agent {
    pub(crate) fn new(
        lineage: Lineage,
        agent_type: AgentType,
        standing: Standing,
        label: Label,
        ended: CancellationToken,
        token: &AgentToken,
    ) -> Self {
        Self {
            lineage,
            agent_type,
            standing: Arc::new(standing),
            label,
            outside: 0,
            shown: VecDeque::new(),
            offered: discovery::OFFER_TOKENS.into(),
            ended,
            token: token_key(token),
        }
    }

    /// Takes in what it is shown besides results.
    pub(crate) fn takes_in(&mut self, label: &Label) {
        self.label = self.label.join(label);
        self.outside += u64::from(origins::are_outside(label));
    }

    /// Notes that the agent was shown a value.
    pub(crate) fn show(&mut self, id: ValueId, label: &Label) {
        self.label = self.label.join(label);
        self.shown.push_back(id);
        if self.shown.len() > PARENTS {
            self.shown.pop_front();
        }
    }
}

/// Who calls, as looked up from a token.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) session_id: SessionId,
    pub(crate) agent_id: AgentId,
    pub(crate) agent_type: AgentType,
    pub(crate) lineage: Lineage,
    pub(crate) ended: CancellationToken,
    pub(crate) session: Arc<Mutex<Session>>,
}

/// Every session and token.
#[derive(Debug, Default)]
pub(crate) struct State {
    sessions: Mutex<HashMap<SessionId, Arc<Mutex<Session>>>>,
    /// By digest, so that looking a token up tells nothing about the others.
    tokens: Mutex<HashMap<[u8; 32], (SessionId, AgentId)>>,
}

fn token_key(token: &AgentToken) -> [u8; 32] {
    *blake3::hash(token.expose().as_bytes()).as_bytes()
}

impl State {
    /// The session of that id.
    pub(crate) fn session(&self, id: SessionId) -> Result<Arc<Mutex<Session>>, Error> {
        let found = lock(&self.sessions).get(&id).cloned();
        found.ok_or_else(|| {
            Error::new(
                ErrorKind::UnknownSession,
                format!("No session {id} is open in the broker."),
            )
        })
    }

    /// Adds a session; refused when one of that id is open already.
    pub(crate) fn add_session(&self, id: SessionId, session: Session) -> Result<(), Error> {
        let mut sessions = lock(&self.sessions);
        if sessions.contains_key(&id) {
            return Err(Error::new(
                ErrorKind::SessionOpen,
                format!("Session {id} is open in the broker already."),
            ));
        }
        sessions.insert(id, Arc::new(Mutex::new(session)));
        Ok(())
    }

    /// Takes a session out, with the tokens of all its agents.
    pub(crate) fn remove_session(&self, id: SessionId) -> Option<Arc<Mutex<Session>>> {
        let session = lock(&self.sessions).remove(&id)?;
        let tokens: Vec<[u8; 32]> = lock(&session).agents.values().map(|a| a.token).collect();
        let mut all = lock(&self.tokens);
        tokens.iter().for_each(|token| {
            all.remove(token);
        });
        Some(session)
    }

    /// Adds an agent to its session.
    pub(crate) fn add_agent(
        &self,
        session_id: SessionId,
        session: &Mutex<Session>,
        agent_id: AgentId,
        agent: Agent,
    ) -> Result<(), Error> {
        let mut tokens = lock(&self.tokens);
        if tokens.len() >= domain::limits::REGISTERED_AGENTS {
            return Err(Error::new(
                ErrorKind::LimitReached,
                format!(
                    "{} agents are registered, the most there may be at one time.",
                    tokens.len()
                ),
            ));
        }
        tokens.insert(agent.token, (session_id, agent_id));
        drop(tokens);
        lock(session).agents.insert(agent_id, agent);
        Ok(())
    }

    /// Takes out an agent and all that descend from it, and stops what they run.
    pub(crate) fn remove_agents(&self, session: &Mutex<Session>, agent_id: AgentId) {
        let mut session = lock(session);
        let gone: Vec<AgentId> = session
            .agents
            .iter()
            .filter(|(_, agent)| agent.lineage.iter().any(|a| a.agent_id == agent_id))
            .map(|(id, _)| *id)
            .collect();
        let agents: Vec<Agent> = gone
            .iter()
            .filter_map(|id| session.agents.remove(id))
            .collect();
        for agent in &agents {
            session.gone = session.gone.join(&agent.label.readers);
        }
        session.forget_calls(&gone);
        drop(session);
        let mut tokens = lock(&self.tokens);
        for agent in agents {
            agent.ended.cancel();
            tokens.remove(&agent.token);
        }
    }

    /// Looks a caller up. A token of another session is as unknown as a forged one.
    pub(crate) fn caller(&self, context: &api::CallContext) -> Result<Caller, Error> {
        let unknown = || {
            Error::new(
                ErrorKind::UnknownAgent,
                "The token names no registered agent of this session.",
            )
        };
        let found = lock(&self.tokens)
            .get(&token_key(&context.agent_token))
            .copied();
        let (session_id, agent_id) = found.ok_or_else(unknown)?;
        if session_id != context.session_id {
            return Err(unknown());
        }
        let Some(session) = lock(&self.sessions).get(&session_id).cloned() else {
            return Err(unknown());
        };
        let guard = lock(&session);
        let agent = guard.agents.get(&agent_id).ok_or_else(unknown)?;
        let caller = Caller {
            session_id,
            agent_id,
            agent_type: agent.agent_type.clone(),
            lineage: agent.lineage.clone(),
            ended: agent.ended.clone(),
            session: session.clone(),
        };
        drop(guard);
        Ok(caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use policy::history::Repetition;
    use uuid::Uuid;

    fn agent(number: u128) -> AgentId {
        AgentId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_request_starts_so_many_agents_and_not_one_more() {
        let mut task = Task::default();
        for _ in 0..AGENTS_PER_REQUEST {
            task.count_agent().unwrap();
        }
        assert_eq!(
            task.count_agent().unwrap_err().kind,
            ErrorKind::LimitReached
        );
    }

    #[test]
    fn loops_are_looked_for_in_a_line_and_not_beside_it() {
        let settings = SessionSettings::closed(PathBuf::from("/w"));
        let mut session = Session::new(settings, Digest::of(b"policy"));
        let trace = TraceId::from_uuid(Uuid::nil());
        let (key, now) = (Digest::of(b"call"), Timestamp::UNIX_EPOCH);
        let (root, first, beside) = (agent(1), agent(2), agent(3));
        let task = session.task(trace);
        task.hand_down(root, first);
        task.hand_down(root, beside);
        for _ in 0..3 {
            task.note_call(first, vec![first, root], |history| {
                history.record(key, 7, false, now);
            });
        }
        let late = agent(4);
        task.hand_down(root, late);
        let seen = |task: &Task, one| {
            let seen = task.as_seen_by(one);
            (
                seen.calls(),
                seen.repetition(&key),
                seen.calls_in_last_minute(7, now),
            )
        };
        assert_eq!(seen(task, first), (3, Repetition::Same, 3));
        assert_eq!(seen(task, root), (0, Repetition::Same, 3), "above it");
        assert_eq!(seen(task, beside), (0, Repetition::None, 3), "beside it");
        assert_eq!(seen(task, late), (0, Repetition::Same, 3), "no fresh start");
        session.forget_calls(&[first, beside, late]);
        let task = session.task(trace);
        assert_eq!((task.calls.len(), task.lines.len()), (0, 1));
    }
}
