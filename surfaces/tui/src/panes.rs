//! Panes: the agent's activity, the conversation and the tools beside one another, each of which goes on
//! by itself and is scrolled and searched. What stands there is made of the events of the log.

mod trace;

use crate::page::{Next, Page, PageLine, Turn};
use crate::stream::Stream;
use domain::event::Event;
use ratatui::text::Line;
use rendering::agents::named;
use session::SessionView;
use text::links::Known;
pub use trace::Thoughts;
use trace::{Lines, Trace};

/// One of the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// What the agent thinks and does.
    Activity,
    /// What was asked and answered.
    Conversation,
    /// The tool calls, whole.
    Tools,
}

impl Pane {
    /// Every one, as Tab goes through them.
    pub const ALL: [Self; 3] = [Self::Activity, Self::Conversation, Self::Tools];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Conversation => "conversation",
            Self::Tools => "tools",
        }
    }

    /// What stands there while nothing does.
    #[must_use]
    pub const fn nothing(self) -> &'static str {
        match self {
            Self::Activity => "nothing was done yet",
            Self::Conversation => "nothing was said yet",
            Self::Tools => "no call yet",
        }
    }

    const fn place(self) -> usize {
        match self {
            Self::Activity => 0,
            Self::Conversation => 1,
            Self::Tools => 2,
        }
    }
}

/// How a session is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// On the normal screen: what is finished goes into the terminal's scrollback.
    #[default]
    Focus,
    /// In panes on the alternate screen.
    Panes,
}

/// What was before this window, on its way into the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Past {
    Unread,
    Asked,
    Read,
}

/// The panes, whether they are shown or not.
#[derive(Debug)]
pub struct Panes {
    layout: Layout,
    focus: Pane,
    is_alone: bool,
    pages: [Page; 3],
    trace: Trace,
    /// What programs say right now, for the tools.
    said: Vec<Line<'static>>,
    past: Past,
    /// The number of the last event of the past; 0 without one.
    past_to: u64,
}

impl Panes {
    /// Without lines. `known`: what the session's past says of links.
    #[must_use]
    pub fn new(known: Known, thoughts: Thoughts) -> Self {
        Self {
            layout: Layout::Focus,
            focus: Pane::Conversation,
            is_alone: false,
            pages: Pane::ALL.map(|_| Page::live()),
            trace: Trace::new(known, thoughts),
            said: Vec::new(),
            past: Past::Unread,
            past_to: 0,
        }
    }

    /// Is shown as these were, in place of them.
    pub const fn stand_for(&mut self, others: &Self) {
        (self.layout, self.focus) = (others.layout, others.focus);
        self.is_alone = others.is_alone;
    }

    /// How the session is shown.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether they are shown.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.layout == Layout::Panes
    }

    /// Shows the session so from now on. A search ends.
    pub fn show(&mut self, layout: Layout) {
        self.end_search();
        self.layout = layout;
    }

    /// The pane that is scrolled and searched.
    #[must_use]
    pub const fn focus(&self) -> Pane {
        self.focus
    }

    /// The next pane is scrolled and searched from now on.
    pub fn focus_next(&mut self) {
        self.end_search();
        let next = (self.focus.place() + 1) % Pane::ALL.len();
        self.focus = Pane::ALL[next];
    }

    /// Whether that pane has the whole room.
    #[must_use]
    pub const fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Gives it the whole room, or its own again.
    pub const fn zoom(&mut self) {
        self.is_alone = !self.is_alone;
    }

    /// A pane's lines.
    #[must_use]
    pub const fn page(&self, pane: Pane) -> &Page {
        &self.pages[pane.place()]
    }

    fn focused(&mut self) -> &mut Page {
        &mut self.pages[self.focus.place()]
    }

    /// A pane has so many columns.
    pub fn lay_width(&mut self, pane: Pane, width: usize) {
        self.pages[pane.place()].lay_width(width);
    }

    /// This pane is scrolled and searched from now on.
    pub fn focus_on(&mut self, pane: Pane) {
        if self.focus != pane {
            self.end_search();
            self.focus = pane;
        }
    }

    /// Scrolls the pane in focus, which has so many columns and rows.
    pub fn turn(&mut self, turn: Turn, size: (usize, usize)) {
        self.turn_pane(self.focus, turn, size);
    }

    /// Scrolls a pane, which has so many columns and rows.
    pub fn turn_pane(&mut self, pane: Pane, turn: Turn, size: (usize, usize)) {
        let below = self.below(pane).len();
        let page = &mut self.pages[pane.place()];
        page.lay(size);
        page.turn_before(turn, below);
    }

    /// The rows of what still comes in a pane, below its own.
    #[must_use]
    pub fn below(&self, pane: Pane) -> Vec<Line<'static>> {
        let (stream, known): (&Stream, &Known) = self.trace.under_way();
        let tail = match (pane, stream.is_thinking()) {
            (Pane::Activity, true) | (Pane::Conversation, false) => stream.tail(known, true),
            _ => Vec::new(),
        };
        let said = match pane {
            Pane::Tools => self.said.clone(),
            Pane::Activity | Pane::Conversation => Vec::new(),
        };
        let tail = tail.into_iter().map(PageLine::of);
        let said = said.into_iter().map(PageLine::new);
        self.page(pane).in_rows(tail.chain(said))
    }

    /// Programs say this right now.
    pub fn say(&mut self, said: Vec<Line<'static>>) {
        self.said = said;
    }

    /// Whether keys go into a search.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.is_open() && self.page(self.focus).typed().is_some()
    }

    /// Whether lines of the pane in focus are marked.
    #[must_use]
    pub fn is_marking(&self) -> bool {
        self.is_open() && self.page(self.focus).is_marking()
    }

    /// Whether keys are for a search or for marks, and for nothing else.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        self.is_searching() || self.is_marking()
    }

    /// The pane in focus, which has so many columns and rows.
    pub fn page_in_focus(&mut self, size: (usize, usize)) -> &mut Page {
        let page = self.focused();
        page.lay(size);
        page
    }

    /// What to search for in the pane in focus is typed from now on.
    pub fn begin_search(&mut self) {
        self.focused().begin_search();
    }

    /// A letter of it.
    pub fn search_push(&mut self, letter: char) {
        self.focused().push_letter(letter);
    }

    /// Takes its last letter back; without one the search ends.
    pub fn search_pop(&mut self) {
        self.focused().pop();
    }

    /// Goes to another line that has it.
    pub fn search_on(&mut self, next: Next, size: (usize, usize)) {
        let page = self.focused();
        page.lay(size);
        page.find(next);
    }

    /// Nothing is searched for or marked any more.
    pub fn end_search(&mut self) {
        self.focused().end_marking();
        self.focused().drop_search();
    }

    /// Takes an event in that is shown now. `whose`: the agent that it is of, where that is not the
    /// session's own.
    pub fn take(&mut self, event: &Event, whose: Option<&str>) {
        let lines = self.trace.take(event, whose);
        for (page, lines) in self.pages.iter_mut().zip(lines.by_pane()) {
            page.push(lines);
        }
    }

    /// Shows thoughts so from now on; where they are to be whole, the last one that was folded as well.
    pub fn show_thoughts(&mut self, thoughts: Thoughts) {
        if thoughts == Thoughts::Whole && *self.trace.thoughts() != thoughts {
            let last = self.trace.last_thought();
            self.pages[Pane::Activity.place()].push(last);
        }
        self.trace.show_thoughts(thoughts);
    }

    /// Lines of the UI's own for the conversation.
    pub fn told(&mut self, lines: &[String]) {
        let lines = trace::own_lines(lines);
        self.pages[Pane::Conversation.place()].push(lines);
    }

    /// An event of the past, which is read once it is to be shown.
    pub fn remember(&mut self, event: &Event) {
        self.past_to = self.past_to.max(event.seq);
    }

    /// Up to which event the past is to be read, if it is to be read now.
    pub fn wants_past(&mut self) -> Option<u64> {
        if !self.is_open() || self.past != Past::Unread || self.past_to == 0 {
            return None;
        }
        self.past = Past::Asked;
        Some(self.past_to)
    }

    /// Whether there is a past that is not here yet.
    #[must_use]
    pub fn is_past_missing(&self) -> bool {
        self.past_to > 0 && self.past != Past::Read
    }

    /// The past was read.
    pub fn put_past(&mut self, events: &[Event]) {
        self.past = Past::Read;
        let mut lines = Lines::default();
        let mut trace = Trace::new(Known::default(), self.trace.thoughts().clone());
        let mut view = SessionView::default();
        for event in trace::in_turn(events) {
            view.apply(event);
            let whose = named(view.agents(), event.agent_id);
            lines.extend(trace.take(event, whose.as_deref()));
        }
        lines.extend(trace.end());
        for (page, lines) in self.pages.iter_mut().zip(lines.by_pane()) {
            page.put_before(lines);
        }
    }
}

#[cfg(test)]
mod tests;
