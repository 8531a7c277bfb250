//! All that the UI knows at a moment. Facts of the session come from its log by [`SessionView`]; the
//! rest is what stands in the input and on the screen, which a restart may lose.

use crate::bindings::Keys;
use crate::burst::Burst;
use crate::completion::Completion;
use crate::input::Input;
use crate::keys::Action;
use crate::lines::{own, painted, wrapped};
use crate::markdown::{Break, DocumentLine};
use crate::message::Command;
use crate::overlay::Overlay;
use crate::panes::{Panes, Thoughts};
use crate::programs::Watched;
use crate::question::Dialog;
use crate::queue::{Edited, Waits};
use crate::refresh::Refresh;
use crate::stream::Stream;
use crate::vi::Editing;
use api::sessions::SessionSummary;
use domain::event::Event;
use domain::id::QueryId;
use domain::model::{ModelRef, PromptProgress};
use domain::settings::{OverrideLevel, SessionProfile};
use domain::tool::DELEGATE_TASKS;
use ratatui::text::Line;
use rendering::Paint;
use rendering::confirm::{Memory, Questions};
use rendering::costs::Prices;
use rendering::in_force::InForce;
use rendering::terminal::Terminal;
use session::{AgentState, Exchange, SessionView};
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use text::links::Known;

/// The tools that have agents work.
const WITH_AGENTS: [&str; 2] = [DELEGATE_TASKS, "spawn_agents"];

/// How long a second Esc belongs to the first.
pub const STEPPING: Duration = Duration::from_secs(2);

/// What lines of `rendering` go on behind, columns.
const GOES_ON: usize = 4;

/// How long a second Ctrl+C belongs to the first.
pub const LEAVING: Duration = Duration::from_secs(2);

/// The model of the UI.
#[derive(Debug)]
pub struct State {
    /// The session.
    pub session: SessionSummary,
    /// By what this window works in it.
    pub profile: SessionProfile,
    /// What the session has come to.
    pub view: SessionView,
    /// How events read, in lines.
    pub terminal: Terminal,
    /// Tells this window's settings from those that another brought along.
    pub in_force: InForce,
    /// What the model says right now.
    pub stream: Stream,
    /// The request that is shown, and that what comes belongs to.
    pub shown_request: Option<QueryId>,
    /// The requests that this window sent.
    pub sent: BTreeSet<QueryId>,
    /// The place of a message that was taken out to be edited.
    pub edited: Edited,
    /// The requests that wait, as they came in.
    pub waiting: VecDeque<Event>,
    /// When the request began that is shown, moved on by the time for which questions waited.
    pub began: Option<Instant>,
    /// Since when a question waits to be answered.
    pub asked_at: Option<Instant>,
    /// How far the prompt is that is being read.
    pub reading: Option<PromptProgress>,
    /// The keys in force.
    pub keys: Keys,
    /// What is typed.
    pub input: Input,
    /// What can stand for the word at the cursor.
    pub completion: Completion,
    /// An override for one message alone.
    pub once: Override,
    /// The model that would be asked next, where the user chose none; `None` while that is not known.
    pub next_model: Option<ModelRef>,
    /// Questions that wait to be put.
    pub questions: Questions,
    /// Until when a question waits for others of its batch.
    pub gathers_until: Option<Instant>,
    /// Until when questions wait to hear which of them a yes for the session covers.
    pub covers_until: Option<Instant>,
    /// The question that is put.
    pub dialog: Option<Dialog>,
    /// Whether a question was closed since the last line, which the next one may be meant for.
    pub is_question_closed: bool,
    /// The keys that came last.
    pub burst: Burst,
    /// Whether a yes to the working folder can be remembered.
    pub memory: Memory,
    /// Whether the plan that was proposed last takes back what the user said to, and is no agent's.
    pub is_own_plan: bool,
    /// What stands on the alternate screen.
    pub overlay: Option<Overlay>,
    /// When the page that stands there is read anew.
    pub refresh: Refresh,
    /// Which piece of the history stands there, from 0 for the newest.
    pub piece: usize,
    /// The programs of the session, as far as they were asked for.
    pub programs: Watched,
    /// The panes, whether they are shown or not.
    pub panes: Panes,
    /// How far the help is scrolled, where it is open.
    pub help: Option<usize>,
    /// Whether thinking, results and long messages are shown whole.
    pub is_expanded: bool,
    /// The last message of the user, where its first lines alone are shown.
    pub last_message: Option<String>,
    /// The last result: its tool and text.
    pub last_result: Option<(String, String)>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// When Ctrl+C was pressed on an empty input.
    pub leaving: Option<Instant>,
    /// When Esc was pressed on an empty input while nothing ran.
    pub stepping: Option<Instant>,
    /// Whether it was said which jobs end with the session.
    pub has_told_jobs: bool,
    /// Whether whoever served the session is gone.
    pub is_gone: bool,
    /// Whether keys go to this window, as far as the terminal has said.
    pub has_focus: bool,
    /// Whether a list that had the keys was closed by no key of the user's: what is typed may be meant for it.
    pub is_list_closed: bool,
    /// What the configuration says of every session.
    pub facts: Facts,
    /// The time of the last message.
    pub now: Instant,
}

/// What the configuration says of every session, for the status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether only this machine is connected to.
    pub is_air_gapped: bool,
    /// What providers take.
    pub prices: Prices,
}

/// An override for one message alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Override {
    /// There is none.
    #[default]
    None,
    /// The next message goes by this one.
    Next(OverrideLevel),
    /// A message goes by one.
    InForce,
}

/// What a UI begins with.
#[derive(Debug)]
pub struct Beginning {
    /// The session.
    pub session: SessionSummary,
    /// By what this window works in it.
    pub profile: SessionProfile,
    /// What its past says of links.
    pub known: Known,
    /// Whether a yes to the working folder can be remembered.
    pub memory: Memory,
    /// What was typed in earlier sessions, oldest first.
    pub history: Vec<String>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The keys in force.
    pub keys: Keys,
    /// Which keys edit what is typed.
    pub editing: Editing,
    /// What the configuration says of every session.
    pub facts: Facts,
}

impl State {
    /// Before anything happened.
    #[must_use]
    pub fn new(beginning: Beginning, now: Instant) -> Self {
        let Beginning {
            session,
            profile,
            known,
            memory,
            history,
            size,
            keys,
            editing,
            facts,
        } = beginning;
        let mut input = Input::new(history);
        if editing == Editing::Vi {
            input.edit_by_vi();
        }
        let folds = Thoughts::Folded(keys.name_of(Action::Expand));
        let panes = Panes::new(known.clone(), folds);
        Self {
            in_force: InForce::of(&profile),
            session,
            profile,
            view: SessionView::default(),
            terminal: Terminal::kept(Paint::Colour, known),
            stream: Stream::default(),
            shown_request: None,
            sent: BTreeSet::new(),
            edited: Edited::default(),
            waiting: VecDeque::new(),
            began: None,
            asked_at: None,
            reading: None,
            keys,
            input,
            completion: Completion::default(),
            once: Override::None,
            next_model: None,
            questions: Questions::default(),
            gathers_until: None,
            covers_until: None,
            dialog: None,
            is_question_closed: false,
            burst: Burst::default(),
            memory,
            is_own_plan: false,
            overlay: None,
            refresh: Refresh::default(),
            piece: 0,
            programs: Watched::default(),
            panes,
            help: None,
            is_expanded: false,
            last_message: None,
            last_result: None,
            size,
            leaving: None,
            stepping: None,
            has_told_jobs: false,
            is_gone: false,
            has_focus: true,
            is_list_closed: false,
            facts,
            now,
        }
    }

    /// Goes on in another session; what is typed and how it is shown stays.
    pub fn turn_to(&mut self, session: SessionSummary, profile: SessionProfile) {
        let next = Self::new(
            Beginning {
                session,
                profile,
                known: Known::default(),
                memory: self.memory,
                history: Vec::new(),
                size: self.size,
                keys: self.keys.clone(),
                // What is typed goes along, and how.
                editing: Editing::Emacs,
                facts: self.facts.clone(),
            },
            self.now,
        );
        let before = std::mem::replace(self, next);
        self.input = before.input;
        self.panes.stand_for(&before.panes);
        self.is_expanded = before.is_expanded;
        self.panes.show_thoughts(self.thoughts());
        self.has_focus = before.has_focus;
        self.next_model = before.next_model;
    }

    /// How the panes show a thought that is over.
    #[must_use]
    pub fn thoughts(&self) -> Thoughts {
        match self.is_expanded {
            true => Thoughts::Whole,
            false => Thoughts::Folded(self.keys.name_of(Action::Expand)),
        }
    }

    /// Takes an event of the past into account, which is not shown.
    pub fn remember(&mut self, event: &Event) {
        self.view.apply(event);
        self.panes.remember(event);
    }

    /// Whether the list of what can be taken stands above the input. Beside a question it never does.
    #[must_use]
    pub const fn completes(&self) -> bool {
        let is_alone = self.dialog.is_none() && self.help.is_none() && self.overlay.is_none();
        is_alone && self.completion.is_open()
    }

    /// Whether a request runs or waits.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.shown_request.is_some() || self.view.open_requests().next().is_some()
    }

    /// Whether the session can be gone on with from an earlier message: nothing is typed, runs or waits.
    #[must_use]
    pub fn can_step_back(&self) -> bool {
        let is_asked = self.dialog.is_some() || !self.view.questions().is_empty();
        let is_idle = !self.is_busy() && !is_asked && self.once != Override::InForce;
        is_idle && !self.is_gone && self.input.is_empty()
    }

    /// The requests that wait behind the one that is shown, oldest first.
    pub fn waiting_requests(&self) -> impl DoubleEndedIterator<Item = &Exchange> {
        let waiting = self.waiting.iter().filter_map(|event| event.query_id);
        let mut found = waiting.filter_map(|id| self.view.open_request(id));
        let mut all = Vec::new();
        all.extend(&mut found);
        all.into_iter()
    }

    /// Those of them that this window sent.
    #[must_use]
    pub fn waits(&self) -> Vec<Waits> {
        let places = self.waiting_requests().zip(1..);
        let own = places.filter(|(one, _)| self.sent.contains(&one.query_id));
        own.map(|(one, place)| Waits {
            query_id: one.query_id,
            place,
            text: one.text.clone(),
        })
        .collect()
    }

    /// For how long the request that is shown was worked on; the time for which a question waited does not
    /// count. `None`: nothing is worked on.
    #[must_use]
    pub fn worked(&self) -> Option<Duration> {
        let until = self.asked_at.unwrap_or(self.now);
        self.began.map(|began| until.duration_since(began))
    }

    /// When the state changes by itself, if it does: then a [`crate::message::Message::Tick`] is due.
    #[must_use]
    pub fn wakes_at(&self) -> Option<Instant> {
        let second = Duration::from_secs(1);
        let times = [
            self.burst.wakes_at(),
            self.gathers_until,
            self.covers_until,
            self.refreshes_at(),
            self.programs.wakes_at(),
            self.dialog
                .as_ref()
                .and_then(|dialog| dialog.waits_until(self.now)),
            self.dialog.as_ref().and_then(Dialog::counts_at),
            self.leaving.map(|since| since + LEAVING),
            self.stepping.map(|since| since + STEPPING),
            // The time of work stands still while a question waits.
            self.began
                .filter(|_| self.asked_at.is_none())
                .map(|_| self.now + second),
        ];
        times.into_iter().flatten().min()
    }

    /// When the page that stands there is read anew; not while lines of it are marked.
    fn refreshes_at(&self) -> Option<Instant> {
        match &self.overlay {
            Some(Overlay::Page(_, page)) if !page.is_marking() => self.refresh.wakes_at(),
            _ => None,
        }
    }

    /// How many agents work that others started.
    #[must_use]
    pub fn agents_at_work(&self) -> usize {
        let agents = self.view.agents().iter();
        agents.filter(|one| one.state == AgentState::AtWork).count()
    }

    /// How many of them stop with the tools: while a tool of theirs runs, that is stopped and they go on.
    #[must_use]
    pub fn agents_to_stop(&self) -> usize {
        let mut running = self.view.work().running();
        match running.all(|call| WITH_AGENTS.contains(&call.tool.as_str())) {
            true => self.agents_at_work(),
            false => 0,
        }
    }

    /// The state was drawn.
    pub fn drawn(&mut self, now: Instant) {
        let is_covered = self.overlay.is_some() || self.help.is_some();
        if let Some(dialog) = self.dialog.as_mut().filter(|_| !is_covered) {
            dialog.shown(now);
        }
    }

    /// The question was out of sight, if one stands: it is put anew, and nothing typed elsewhere counts
    /// for it.
    pub fn stand_again(&mut self) {
        let (now, is_draft_begun) = (self.now, !self.input.is_empty());
        if let Some(dialog) = &mut self.dialog {
            dialog.stand_again(now, is_draft_begun);
        }
    }

    /// Lines of a document for the scrollback.
    #[must_use]
    pub fn printed(&self, lines: Vec<DocumentLine>) -> Vec<Line<'static>> {
        let width = usize::from(self.size.0);
        let rows = lines.into_iter().flat_map(|one| match one.may_break {
            Break::Never => vec![one.line],
            Break::Words(indent) => wrapped(&one.line, indent, width),
        });
        rows.collect()
    }

    /// Lines of `rendering` for the scrollback.
    #[must_use]
    pub fn told(&self, lines: &[String]) -> Command {
        Command::Tell(lines.to_vec())
    }

    /// The same in rows.
    #[must_use]
    pub fn told_rows(&self, lines: &[String]) -> Vec<Line<'static>> {
        let width = usize::from(self.size.0);
        let rows = lines
            .iter()
            .flat_map(|line| own(&painted(line), GOES_ON, width));
        rows.collect()
    }

    /// Lines of the UI's own for the scrollback.
    #[must_use]
    pub fn own(&self, lines: Vec<DocumentLine>) -> Vec<Line<'static>> {
        let width = usize::from(self.size.0);
        let rows = lines.into_iter().flat_map(|one| match one.may_break {
            Break::Never => own(&one.line, 0, width),
            Break::Words(indent) => own(&one.line, indent, width),
        });
        rows.collect()
    }

    /// A faint line of ours for the scrollback.
    #[must_use]
    pub fn note(&self, text: &str) -> Command {
        self.told(&[Paint::Colour.faint(&format!("· {text}"))])
    }
}
