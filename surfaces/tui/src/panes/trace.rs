//! Events as lines of the panes: of each the same lines as elsewhere, told apart by what they are about.

use crate::inspect::{ApprovedPlans, begun, of_call};
use crate::lines::painted;
use crate::markdown::{Break, DocumentLine, request};
use crate::page::PageLine;
use crate::stream::Stream;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::{CallId, QueryId};
use ratatui::text::Line;
use rendering::Paint;
use rendering::terminal::Terminal;
use std::collections::{BTreeMap, VecDeque};
use text::escape::visible_line;
use text::links::Known;

/// Calls whose names are kept, for what is still to come of them.
const CALLS: usize = 256;
/// No width: prose stays whole until it is known how wide its pane is.
const WHOLE: usize = usize::MAX;

/// What was said before this that was not meant to be: a line of line mode's.
const WITHDRAWN: &str = "· the lines above were a tool call written as text";

/// Lines for each of the panes.
#[derive(Debug, Default)]
pub struct Lines {
    activity: Vec<PageLine>,
    conversation: Vec<PageLine>,
    tools: Vec<PageLine>,
}

impl Lines {
    /// In the order of the panes.
    pub fn by_pane(self) -> [Vec<PageLine>; 3] {
        [self.activity, self.conversation, self.tools]
    }

    /// With those that follow.
    pub fn extend(&mut self, more: Self) {
        self.activity.extend(more.activity);
        self.conversation.extend(more.conversation);
        self.tools.extend(more.tools);
    }
}

/// Lines of `rendering` as lines of the UI's own.
pub fn own_lines(told: &[String]) -> Vec<PageLine> {
    let lines = told.iter().map(|line| PageLine::new(painted(line)));
    lines.map(PageLine::own).collect()
}

/// What tells how events read, one after the other.
#[derive(Debug)]
pub struct Trace {
    terminal: Terminal,
    stream: Stream,
    calls: VecDeque<(CallId, String)>,
    plans: ApprovedPlans,
    /// The call that the last lines were about.
    last: Option<CallId>,
    /// Whether the answer to this model call came in pieces.
    came_in_pieces: bool,
    /// Whether its thinking did.
    thought_in_pieces: bool,
    /// Whether the conversation ends with an empty line.
    ends_empty: bool,
    /// What becomes of a thought that is over.
    thoughts: Thoughts,
}

/// How a thought that is over is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thoughts {
    /// All of it.
    Whole,
    /// One line, which names the key that shows the rest.
    Folded(String),
}

impl Trace {
    /// Before the first event.
    pub fn new(known: Known, thoughts: Thoughts) -> Self {
        Self {
            thoughts,
            terminal: Terminal::kept(Paint::Colour, known),
            stream: Stream::default(),
            calls: VecDeque::new(),
            plans: ApprovedPlans::default(),
            last: None,
            came_in_pieces: false,
            thought_in_pieces: false,
            ends_empty: true,
        }
    }

    /// What streams right now, and what it takes to show it.
    pub const fn under_way(&self) -> (&Stream, &Known) {
        (&self.stream, self.terminal.known())
    }

    /// The lines of an event. `whose`: the agent that it is of, where that is not the session's own; such
    /// a one says of itself only what it does.
    pub fn take(&mut self, event: &Event, whose: Option<&str>) -> Lines {
        let mut out = Lines::default();
        if whose.is_none() {
            self.words(&event.body, &mut out);
        }
        self.call(event, whose, &mut out);
        // Nothing is written, so that nothing can fail.
        let _kept = self.terminal.draw(event);
        let told = own_lines(&self.terminal.take_lines());
        if told.is_empty() {
            return out;
        }
        self.end_thought(&mut out);
        match &event.body {
            EventBody::Error(_) | EventBody::Notice(_) | EventBody::QueryFinished { .. } => {
                self.say(told, &mut out);
            }
            _ => out.activity.extend(told),
        }
        out
    }

    /// What is under way, as if it ended here.
    pub fn end(&mut self) -> Lines {
        let mut out = Lines::default();
        self.flush(&mut out);
        out
    }

    /// What was asked, thought and answered.
    fn words(&mut self, body: &EventBody, out: &mut Lines) {
        match body {
            EventBody::QueryReceived { text, origin, .. } => {
                self.flush(out);
                self.stream.begin();
                if *origin == Origin::User {
                    let asked = request(text).into_iter().map(PageLine::of);
                    self.say(asked.map(PageLine::own).collect(), out);
                }
            }
            EventBody::ThinkingDelta { text } => {
                self.thought_in_pieces = true;
                self.stream.think(text);
            }
            EventBody::TextDelta { text } => {
                self.came_in_pieces = true;
                self.answer(text, out);
            }
            EventBody::TextReplaced { text } => {
                self.came_in_pieces = true;
                if self.stream.replace(text) {
                    self.say(own_lines(&[Paint::Colour.faint(WITHDRAWN)]), out);
                }
            }
            EventBody::ModelAnswered {
                text,
                thinking,
                aside: false,
                ..
            } => {
                if let Some(thinking) = thinking.as_ref().filter(|_| !self.thought_in_pieces) {
                    self.stream.think(&thinking.text);
                }
                if !self.came_in_pieces {
                    self.answer(text, out);
                }
                self.flush(out);
            }
            EventBody::GenerationFinished { answer, .. } => {
                if !self.stream.has_said(answer) {
                    let told = self.stream.document(answer, self.terminal.known());
                    self.say(documented(told), out);
                }
                self.flush(out);
            }
            EventBody::ConfirmationAsked(_) | EventBody::QueryFinished { .. } => self.flush(out),
            _ => {}
        }
    }

    fn answer(&mut self, piece: &str, out: &mut Lines) {
        if !piece.is_empty() {
            self.end_thought(out);
        }
        let known = self.terminal.known();
        let lines = self.stream.answer(piece, known, WHOLE);
        self.say(documented(lines), out);
    }

    /// Ends what streams.
    fn flush(&mut self, out: &mut Lines) {
        self.end_thought(out);
        let left = self.stream.flush(self.terminal.known());
        self.say(documented(left), out);
        if !self.ends_empty {
            self.say(vec![PageLine::new(Line::default())], out);
        }
        self.came_in_pieces = false;
        self.thought_in_pieces = false;
    }

    /// How thoughts are shown from now on.
    pub fn show_thoughts(&mut self, thoughts: Thoughts) {
        self.thoughts = thoughts;
    }

    /// How they are shown.
    pub const fn thoughts(&self) -> &Thoughts {
        &self.thoughts
    }

    /// The last thought that is over, whole.
    pub fn last_thought(&self) -> Vec<PageLine> {
        let line = |line| DocumentLine {
            line,
            may_break: Break::Words(2),
        };
        let lines = self.stream.last_thought().into_iter().map(line);
        lines.map(PageLine::of).collect()
    }

    fn end_thought(&mut self, out: &mut Lines) {
        let key = match &self.thoughts {
            Thoughts::Whole => "",
            Thoughts::Folded(key) => key,
        };
        let Some(folded) = self.stream.end_thought(key) else {
            return;
        };
        match self.thoughts {
            Thoughts::Whole => out.activity.extend(self.last_thought()),
            Thoughts::Folded(_) => out.activity.push(PageLine::new(folded).own()),
        }
    }

    /// Lines for the conversation, in which no empty one follows another.
    fn say(&mut self, lines: Vec<PageLine>, out: &mut Lines) {
        for line in lines {
            let is_empty = line.is_empty();
            if !(is_empty && self.ends_empty) {
                out.conversation.push(line);
            }
            self.ends_empty = is_empty;
        }
    }

    /// What an event says of a call, behind its name where another was told of before.
    fn call(&mut self, event: &Event, whose: Option<&str>, out: &mut Lines) {
        self.plans.note(event);
        let Some(id) = event.call_id else { return };
        let whose = whose.map_or_else(String::new, |whose| format!(" ({whose})"));
        if let EventBody::ToolRequested {
            tool, arguments, ..
        } = &event.body
        {
            let name = format!("#{} {}{whose}", event.seq, visible_line(tool));
            if self.calls.len() >= CALLS {
                self.calls.pop_front();
            }
            self.calls.push_back((id, name.clone()));
            if self.last.replace(id).is_some() {
                out.tools.push(PageLine::new(Line::default()));
            }
            let mut lines = begun(&name, &format!("{arguments:#}"));
            lines.extend(self.plans.of(event));
            out.tools.extend(lines.into_iter().map(PageLine::new));
            return;
        }
        let lines = of_call(&event.body);
        if lines.is_empty() {
            return;
        }
        if self.last != Some(id) {
            let known = self.calls.iter().rfind(|(call, _)| *call == id);
            let name = known.map_or("an earlier call", |(_, name)| name);
            let line = painted(&Paint::Colour.strong(&format!("{name} goes on")));
            out.tools.push(PageLine::new(Line::default()));
            out.tools.push(PageLine::new(line));
            self.last = Some(id);
        }
        out.tools.extend(lines.into_iter().map(PageLine::new));
    }
}

fn documented(lines: Vec<DocumentLine>) -> Vec<PageLine> {
    lines.into_iter().map(PageLine::of).collect()
}

/// The events of a log as they are worked on: a request that came while another ran stands where its
/// work begins.
pub fn in_turn(events: &[Event]) -> Vec<&Event> {
    let mut waiting: BTreeMap<QueryId, &Event> = BTreeMap::new();
    let mut all = Vec::with_capacity(events.len());
    for event in events {
        match (&event.body, event.query_id) {
            (EventBody::QueryReceived { .. }, Some(id)) => {
                waiting.insert(id, event);
                continue;
            }
            (EventBody::QueryQueued { .. } | EventBody::QueryMoved { .. }, _) => {}
            (_, id) => all.extend(id.and_then(|id| waiting.remove(&id))),
        }
        all.push(event);
    }
    all.extend(waiting.into_values());
    all
}
