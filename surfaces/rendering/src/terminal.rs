//! A session on a terminal: the answer on standard output, everything else on standard error, so
//! that `carl run … > file` holds the answer alone.

mod chosen;
mod ends;
mod silence;
mod streamed;
mod words;
mod wrapping;

pub use ends::CallsElsewhere;
pub use silence::Silence;

use super::calls::Calls;
use super::changes::Changes;
use super::delegation;
use super::values::{arguments, tokens, usage};
use super::{
    Paint, drive, fit, for_terminal, links, print, print_error, print_error_as_it_is, quality,
};
use chosen::Chosen;
use domain::decision::Verdict;
use domain::drive::Origin;
use domain::event::{ConfirmationAnswer, Event, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::id::CallId;
use domain::model::{PromptProgress, Usage};
use domain::plan::{Action, Plan};
use domain::task::Task;
use plan::gate::mark;
use session::{AgentTree, Background};
use silence::Pulse;
use std::io;
use std::time::Duration;
use text::escape::{barred, prose, visible_line, visible_lines};
use text::links::Known;
use turn::drive::{is_news, summary};
pub use words::approved;
use words::{is_end_of, is_own_words, is_untrue, recalled, refusal, step};
use wrapping::Wrapping;

/// A step of a plan in one line.
#[must_use]
pub fn step_of_plan(action: &Action) -> String {
    words::step(action)
}

/// The code of a request that ended with the user's no to its plan.
pub const DECLINED: &str = "plan.declined";

/// What the last piece of output was, so that kinds are told apart by a line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    LineEnd,
    Answer,
    Thinking,
}

/// When the answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// As it is generated.
    Streamed,
    /// At the end: for pipes, where a withdrawn piece could not be taken back.
    AtEnd,
    /// By somebody else, who shows the lines as well: see [`Terminal::kept`].
    Elsewhere,
}

/// Draws events as they come.
#[derive(Debug)]
pub struct Terminal {
    paint: Paint,
    answer: Answer,
    last: Last,
    streamed: String,
    /// The end of the answer so far: a word that may not be whole.
    held: String,
    wrapping: Wrapping,
    /// What tells a place that the user named from one that they did not.
    known: Known,
    /// Shows that work goes on.
    pulse: Pulse,
    /// What the session has running beside its requests.
    background: Background,
    reported: Option<Fault>,
    /// Whether the request has an answer.
    has_answered: bool,
    /// What was said of models and modes.
    chosen: Chosen,
    /// The calls under way.
    calls: Calls,
    /// What they did to files.
    changes: Changes,
    /// Agents that others started, and how deep the one stands whose event is drawn.
    agents: AgentTree,
    depth: usize,
    /// Its name, where it is not the session's own.
    whose: Option<String>,
    /// What the request has cost so far, and whether any of it was other agents'.
    spent: Usage,
    has_helped: bool,
    /// Lines that somebody else shows; nothing is written here where [`Answer::Elsewhere`] is set.
    kept: Vec<String>,
}

impl Terminal {
    /// A renderer for this process's streams. `known` is what the session's past says of links.
    #[must_use]
    pub fn new(paint: Paint, answer: Answer, known: Known) -> Self {
        Self {
            paint,
            answer,
            last: Last::LineEnd,
            streamed: String::new(),
            held: String::new(),
            wrapping: Wrapping::default(),
            known,
            pulse: Pulse::new(Silence::Spinner, paint),
            background: Background::default(),
            reported: None,
            has_answered: false,
            chosen: Chosen::default(),
            calls: Calls::default(),
            changes: Changes::default(),
            agents: AgentTree::default(),
            depth: 0,
            whose: None,
            spent: Usage::default(),
            has_helped: false,
            kept: Vec::new(),
        }
    }

    /// A renderer that writes nothing: lines are taken from [`Terminal::take_lines`], and answers and
    /// thinking are left to who takes them.
    #[must_use]
    pub fn kept(paint: Paint, known: Known) -> Self {
        Self::new(paint, Answer::Elsewhere, known)
    }

    /// The lines since this was asked last, in the colours of its paint. They are not broken, and
    /// nothing in them but those colours moves a terminal.
    #[must_use]
    pub fn take_lines(&mut self) -> Vec<String> {
        let kept = std::mem::take(&mut self.kept);
        kept.iter().map(|line| for_terminal(line)).collect()
    }

    /// What tells a place that the user named from one that they did not.
    #[must_use]
    pub const fn known(&self) -> &Known {
        &self.known
    }

    /// The same, with another way to fill silence than [`Silence::Spinner`].
    #[must_use]
    pub fn silent_by(mut self, silence: Silence) -> Self {
        self.pulse = Pulse::new(silence, self.paint);
        self
    }

    /// How long to wait for an event before [`Terminal::tick`].
    #[must_use]
    pub const fn patience(&self) -> Duration {
        self.pulse.patience()
    }

    /// Nothing has happened for a while: shows that work goes on.
    pub fn tick(&mut self) {
        // A terminal that is gone is noticed with the next event.
        let _told = self.show_work(None);
    }

    /// Shows that work goes on, and how far a prompt is.
    fn show_work(&mut self, progress: Option<PromptProgress>) -> io::Result<()> {
        if self.last != Last::LineEnd {
            return Ok(());
        }
        let line = match progress {
            Some(progress) => self.pulse.read(progress),
            None => self.pulse.beat(),
        };
        self.news(line)
    }

    /// Draws one event.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn draw(&mut self, event: &Event) -> io::Result<()> {
        if let EventBody::PromptRead(progress) = &event.body {
            return match self.answer {
                Answer::Streamed | Answer::AtEnd => self.show_work(Some(*progress)),
                Answer::Elsewhere => Ok(()),
            };
        }
        self.pulse.clear();
        links::note(&mut self.known, event);
        self.background.apply(event);
        self.depth = self.agents.depth(event.agent_id);
        self.agents.apply(event);
        self.whose = super::agents::named(&self.agents, event.agent_id);
        self.changes.add(event, self.whose.as_deref());
        if self.depth > 0 && is_own_words(&event.body) {
            return Ok(());
        }
        match &event.body {
            EventBody::QueryReceived { origin, mode, .. } => {
                self.streamed.clear();
                self.pulse.begin();
                self.reported = None;
                self.has_answered = false;
                self.calls.begin_request(*mode);
                self.spent = Usage::default();
                self.has_helped = false;
                match origin {
                    Origin::User => Ok(()),
                    Origin::Drive => self.note("going on by itself"),
                }
            }
            EventBody::TextDelta { text } => self.answer_piece(text),
            EventBody::ThinkingDelta { text } => self.thinking_piece(text),
            EventBody::TextReplaced { text } => self.replaced(text),
            EventBody::ModelAnswered { usage: cost, .. } => {
                self.spent = self.spent.plus(*cost);
                self.cost("", cost, usage)
            }
            EventBody::ModeChosen { mode, reason } => {
                let line = self.chosen.mode(*mode, reason);
                self.news(line)
            }
            EventBody::ModelChosen { model, reason, .. } => {
                let line = self.chosen.model(self.depth, &model.to_string(), reason);
                self.news(line)
            }
            EventBody::Notice(fault) => self.fault(self.paint.warn("note:"), fault),
            // What the user chose is told at the end.
            EventBody::Error(fault) if fault.code == DECLINED => Ok(()),
            EventBody::Error(fault) => {
                self.reported = Some(fault.clone());
                self.fault(self.paint.bad("error:"), fault)
            }
            EventBody::GenerationFinished { answer, .. } => self.finish_answer(answer),
            EventBody::QueryFinished {
                status,
                artifacts,
                error,
                ..
            } => self.finished(*status, artifacts, error.as_ref()),
            EventBody::DriveState(decision) => {
                let told = drive::told(decision, &self.background, event.time);
                self.news(told)
            }
            other => self.work(other, event.call_id),
        }
    }

    /// A note, if there is something to say.
    fn news(&mut self, line: Option<String>) -> io::Result<()> {
        line.map_or(Ok(()), |line| self.note(&line))
    }

    /// What tools and plans do.
    fn work(&mut self, body: &EventBody, call_id: Option<CallId>) -> io::Result<()> {
        match body {
            EventBody::QueryQueued { position } => self.note(&words::queued(*position)),
            EventBody::ToolRequested {
                tool,
                arguments: args,
                recovered,
            } => {
                self.calls.begin((call_id, self.whose.clone()), tool, args);
                let whose = self.whose.as_ref();
                let whose = whose.map(|whose| self.paint.faint(&format!(" ({whose})")));
                let found = if *recovered {
                    " (found in the text)"
                } else {
                    ""
                };
                let head = self.paint.strong(&format!("→ {}", visible_line(tool)));
                let whose = whose.unwrap_or_default();
                let line = format!("{head}{whose} {}{found}", arguments(args));
                self.line(line.trim_end())
            }
            EventBody::BrokerDecision {
                verdict: Verdict::Deny,
                layer,
                reason,
                ..
            } => {
                let name = self.calls.name(call_id);
                let head = self.paint.bad(&format!("  ✗ {name}denied by {layer}:"));
                self.calls.said_why(call_id);
                let why = self.calls.why(reason);
                self.line(&format!("{head} {}", visible_line(&why)))
            }
            EventBody::ConfirmationAnswered {
                answer: ConfirmationAnswer::Deny { message },
                by,
                ..
            } => {
                self.calls.said_why(call_id);
                let name = self.calls.name(call_id);
                self.line(&self.paint.bad(&refusal(&name, message, by)))
            }
            EventBody::ToolProgress { message, percent } => {
                self.line(&self.paint.faint(&words::progress(message, *percent)))
            }
            EventBody::ToolResult { .. } => {
                let told = ends::of_call(&mut self.calls, self.paint, (call_id, body));
                told.iter().try_for_each(|line| self.line(line))
            }
            EventBody::MemoryRecalled {
                memories,
                text,
                label,
                ..
            } if !text.is_empty() => self.note(&recalled(memories.len(), label.as_ref(), text)),
            EventBody::NotesShown { notes, .. } => self.note(&words::notes(notes)),
            EventBody::PlanProposed { plan, hash } => self.plan_proposed(plan, &hash.short()),
            other => self.drive(other),
        }
    }

    /// What a session does by itself, and what it was told by others.
    fn drive(&mut self, body: &EventBody) -> io::Result<()> {
        match body {
            EventBody::SignalReceived { signal } if is_news(signal) => {
                self.note(&format!("came in: {}", visible_line(&summary(signal))))
            }
            EventBody::Critique { .. }
            | EventBody::NotGraded(_)
            | EventBody::SecondAnswered { .. }
            | EventBody::SecondMissed(_)
            | EventBody::SecondTaken { .. }
            | EventBody::Pairwise { .. } => self.news(quality::found(body)),
            EventBody::PlanApproved { by, .. } => self.note(&words::approved(by)),
            EventBody::ContextCompacted {
                before_tokens,
                after_tokens,
                ..
            } => self.note(&format!(
                "the view of the conversation was made smaller: {before_tokens} → {after_tokens} tokens"
            )),
            EventBody::JournalWritten { title, .. } => {
                self.note(&format!("journal: {}", visible_line(title)))
            }
            other => self.agents(other),
        }
    }

    /// What agents do that others started.
    fn agents(&mut self, body: &EventBody) -> io::Result<()> {
        match body {
            EventBody::TasksProposed { tasks, hash } => {
                let head = format!("plan {}: tasks for other agents", hash.short());
                self.tasks(&head, tasks, delegation::proposed)
            }
            EventBody::TasksPlanned { tasks } => self.tasks("tasks", tasks, delegation::task),
            EventBody::TaskMoved {
                task_id,
                status,
                reason,
            } => match delegation::moved(task_id, *status, reason) {
                Some(text) => self.note(&text),
                None => Ok(()),
            },
            EventBody::AgentSpawned {
                agent_type,
                task,
                task_id,
                ..
            } => {
                let head = self.paint.strong(&format!("▸ {agent_type}"));
                let brief = delegation::beginning(task, task_id.as_deref());
                self.line(&format!("{head} {brief}"))
            }
            EventBody::AgentFinished {
                child,
                report,
                corrections,
                usage: cost,
                ..
            } => {
                if self.depth == 0 {
                    self.spent = self.spent.plus(*cost);
                    self.has_helped = true;
                }
                let known = self.agents.find(*child);
                let name = known.map_or("agent", |agent| agent.agent_type.as_str());
                let head = self.paint.strong(&format!("◂ {name}"));
                self.line(&format!("{head} {}", delegation::end(report)))?;
                for correction in corrections {
                    let text = format!("  corrected: {}", visible_line(correction));
                    self.line(&self.paint.warn(&text))?;
                }
                self.cost("  ", cost, tokens)
            }
            _ => Ok(()),
        }
    }

    fn tasks(&mut self, head: &str, tasks: &[Task], told: fn(&Task) -> String) -> io::Result<()> {
        self.line(&self.paint.strong(head))?;
        let mut lines = tasks.iter().map(|task| format!("  {}", told(task)));
        lines.try_for_each(|line| self.line(&line))
    }

    fn plan_proposed(&mut self, plan: &Plan, hash: &str) -> io::Result<()> {
        let head = self.paint.strong(&format!("plan {hash}"));
        self.line(&format!("{head} {}", visible_line(&plan.intent)))?;
        if plan.only_takes_back() {
            // The action names no file: the question does, step by step.
            return Ok(());
        }
        for (index, (action, marked)) in plan.actions.iter().zip(mark(plan)).enumerate() {
            let effect = match marked.confirmation_required {
                true => self.paint.warn(&format!(" [{}]", marked.effect.as_str())),
                false => String::new(),
            };
            self.line(&format!("  {}. {}{effect}", index + 1, step(action)))?;
        }
        Ok(())
    }

    /// A line of our own on standard error. What it goes on with in other lines stands behind a bar,
    /// so that nothing in it passes for a line of ours.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.lines(&barred(text))
    }

    /// Lines of our own on standard error, none of which others had a say in.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn lines(&mut self, text: &str) -> io::Result<()> {
        let margin = "  ".repeat(self.depth);
        if self.answer == Answer::Elsewhere {
            let lines = text.lines().map(|line| format!("{margin}{line}"));
            self.kept.extend(lines);
            return Ok(());
        }
        self.break_line()?;
        let width = fit::width(&io::stderr());
        let line = |line: &str| fit::wrapped(&format!("{margin}{line}"), margin.len() + 4, width);
        print_error_as_it_is(&text.lines().map(line).collect::<String>())
    }

    /// A faint line of our own, on standard error.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        let text = self.paint.faint(&format!("· {text}"));
        self.line(&text)
    }

    fn replaced(&mut self, text: &str) -> io::Result<()> {
        let was_shown = self.answer == Answer::Streamed && !self.streamed.is_empty();
        text.clone_into(&mut self.streamed);
        self.held.clear();
        if !was_shown {
            return Ok(());
        }
        self.break_line()?;
        self.note("the lines above were a tool call written as text")
    }

    /// What was used, where anybody counted.
    fn cost(&mut self, whose: &str, cost: &Usage, shown: fn(&Usage) -> String) -> io::Result<()> {
        match (cost.prompt_tokens, cost.completion_tokens) {
            (0, 0) => Ok(()),
            _ => self.note(&format!("{whose}{}", shown(cost))),
        }
    }

    fn fault(&mut self, head: String, fault: &Fault) -> io::Result<()> {
        let (message, code) = (visible_lines(&fault.message), visible_line(&fault.code));
        let mut text = format!("{head} {message} [{code}]\n");
        if !fault.hint.is_empty() {
            text.push_str(&format!("  {}\n", visible_lines(&fault.hint)));
        }
        if self.depth > 0 || self.answer == Answer::Elsewhere {
            return self.lines(&text);
        }
        self.break_line()?;
        print_error(&text)
    }

    fn finish_answer(&mut self, answer: &str) -> io::Result<()> {
        self.has_answered = !answer.trim().is_empty();
        let already_shown = self.answer == Answer::Streamed && is_end_of(answer, &self.streamed);
        self.streamed.clear();
        self.break_line()?;
        if already_shown || answer.is_empty() {
            return Ok(());
        }
        match self.answer {
            Answer::Streamed => {
                self.print_words(&format!("{}\n", answer.trim_end()))?;
                self.wrapping = Wrapping::default();
                Ok(())
            }
            Answer::AtEnd => print(&format!("{}\n", prose(answer.trim_end()))),
            Answer::Elsewhere => Ok(()),
        }
    }

    fn finished(
        &mut self,
        status: QueryStatus,
        artifacts: &[String],
        error: Option<&Fault>,
    ) -> io::Result<()> {
        self.break_line()?;
        for line in self.changes.told(artifacts) {
            self.note(&line)?;
        }
        if self.has_helped {
            let spent = self.spent;
            self.cost("all agents: ", &spent, tokens)?;
        }
        // The answer stands above: what follows from it is no error.
        if let Some(fault) = error.filter(|fault| fault.code == DECLINED) {
            let hint = format!("  {}", visible_lines(&fault.hint));
            return self.line(&self.paint.faint(&hint));
        }
        // An error event has usually said it already.
        if let Some(fault) = error.filter(|fault| self.reported.as_ref() != Some(*fault)) {
            self.fault(self.paint.bad("error:"), fault)?;
        }
        // Who reads standard output alone must not take the answer for what happened.
        let is_piped = self.answer == Answer::AtEnd;
        if let Some(untrue) = error.filter(|fault| is_piped && is_untrue(fault)) {
            print(&format!("[{}]\n", visible_line(&untrue.message)))?;
        }
        let denied = match self.has_answered {
            true => self.calls.denied(),
            false => 0,
        };
        let end = words::ended(status, denied, self.paint);
        end.map_or(Ok(()), |line| self.line(&line))
    }
}
