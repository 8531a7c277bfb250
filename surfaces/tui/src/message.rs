//! What happens, and what is to be done about it.

use crate::earlier::Sent;
use crate::files::{Entry, Hidden};
use crate::host::Mention;
use crate::subject::Subject;
use crate::transcript::Piece;
use api::models::ModelInfo;
use api::programs::{Program, ProgramId, Programs};
use api::sessions::{QueueChange, SessionSummary};
use crossterm::event::KeyEvent;
use domain::event::{ConfirmationRequest, Event};
use domain::fault::Fault;
use domain::id::{QueryId, SessionId};
use domain::model::ModelRef;
use domain::settings::{OverrideLevel, SessionProfile};
use ratatui::text::Line;
use rendering::completion::Mentioned;
use rendering::confirm::Said;
use rendering::context::Depth;
use rendering::slash::Slash;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted.
    Paste(String),
    /// Letters and line ends came as keys of a paste, which [`crate::update::gathers`] took together.
    Gathered(String),
    /// The mouse did something at a column and row of the alternate screen, from 0.
    Pointed(Pointed, (u16, u16)),
    /// The terminal has this many columns and rows now.
    Resized(u16, u16),
    /// The session went on.
    Happened(Box<Event>),
    /// The session's events ended: whoever served it is gone.
    Gone,
    /// Time passed.
    Tick,
    /// Something that was to be done has this to say, in lines.
    Told(Vec<String>),
    /// This is to be asked again.
    AskAgain(String),
    /// Something could not be done. With it the draft that was not sent.
    Failed {
        /// What went wrong.
        fault: Fault,
        /// What was to be sent; goes back into the input.
        draft: Option<String>,
    },
    /// The session has taken in what this window sent, as this request.
    Sent(QueryId),
    /// A message was taken out before it began: its text, for the input.
    TakenOut(String),
    /// The message that went by an override of its own has ended, and the override with it; or it could not
    /// be ended.
    OverrideOver(Option<Fault>),
    /// The session works by this profile now.
    Configured(Box<SessionProfile>),
    /// The models were read, or could not be.
    ModelsListed(Result<Vec<ModelInfo>, Fault>),
    /// The model that would be asked next is known, or nobody knows.
    NextModel(Option<ModelRef>),
    /// The model that a name means was found.
    ModelNamed(ModelRef),
    /// A page was read.
    Inspected(Subject, Vec<Line<'static>>),
    /// The programs of a session that were asked for, or why they are not known.
    ProgramsRead(SessionId, Programs, Result<Vec<Program>, String>),
    /// The names below the working folder were read.
    Files(Hidden, Vec<Entry>),
    /// What can be named of this kind was read.
    Mentions(Mentioned, Vec<Mention>),
    /// The user's messages were read, newest first.
    Earlier(Vec<Sent>),
    /// A message was taken back, to be edited: this.
    Draft(String),
    /// The editor has ended: with this draft.
    Edited(Result<String, Fault>),
    /// The sessions were read, newest first.
    Listed(Vec<SessionSummary>),
    /// These sessions have the words in what was said.
    Found(String, Vec<SessionId>),
    /// The last exchange of a session was read.
    Previewed(SessionId, Vec<Line<'static>>),
    /// What happened in a session before this window was read.
    PastRead(SessionId, Vec<Event>),
    /// The last answer was read, if there is one.
    LastAnswer(Option<String>),
    /// Something is to be said where the user looks.
    Said(String),
    /// A session is to be held in place of this one.
    GoTo(SessionId),
    /// The terminal says whether its window is the one that keys go to.
    Focused(bool),
    /// The process is asked to end.
    Terminate,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointed {
    /// Its wheel was turned up.
    WheelUp,
    /// Its wheel was turned down.
    WheelDown,
    /// Its first button was pressed.
    Pressed,
}

/// Why the user is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A question waits.
    Question,
    /// Nothing is worked on any more.
    Ended,
}

impl Reason {
    /// It, in words of ours alone.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Question => "a question waits",
            Self::Ended => "the work has ended",
        }
    }
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Finished lines for the terminal's scrollback.
    Print(Vec<Line<'static>>),
    /// Lines of `rendering` about what the UI itself did, for the scrollback.
    Tell(Vec<String>),
    /// Ask the session.
    Send(String),
    /// Ask the session, and put it before the first of these that still waits.
    SendBefore(Vec<QueryId>, String),
    /// Run a line for the shell as the user's own call, before the first of these that still waits.
    Execute(Vec<QueryId>, String),
    /// Ask the session, by an override for this alone.
    SendBy(OverrideLevel, String),
    /// Stop a request, or what runs.
    Interrupt(Option<QueryId>),
    /// Stop the tools that run, with the agents that work for them, so many, and no request.
    StopTools(usize),
    /// Stop this program, and no request.
    StopProgram(ProgramId),
    /// Take out a message that waits; what it says goes into the input, where there is a text here.
    TakeOut(QueryId, Option<String>),
    /// Give a message that waits another place.
    Move(QueryId, QueueChange),
    /// Pass answers on, in this order.
    Answer(Vec<(ConfirmationRequest, Said)>),
    /// Work by another profile.
    Configure(Box<SessionProfile>),
    /// Begin another session.
    New,
    /// Make the view of the conversation smaller.
    Compact,
    /// Show what the model will see next.
    Context(Depth),
    /// Do what a command asks for that line mode has as well.
    Run(Slash),
    /// List the models.
    ListModels,
    /// Find the model that a name means.
    FindModel(String),
    /// Find out which model would be asked next.
    FindNextModel,
    /// Read a page about something.
    Inspect(Subject),
    /// Read this piece of what was said and done.
    ReadHistory(Box<Piece>),
    /// Ask what programs say.
    ReadPrograms(Programs),
    /// Read the names below the working folder.
    ListFiles(Hidden),
    /// Read what can be named of this kind.
    ListMentions(Mentioned),
    /// Read the user's messages.
    ListEarlier,
    /// Go on in a copy of the session from before this message.
    ForkBefore(Sent),
    /// Take this message back and all after it, with what that did to files.
    RewindTo(Sent),
    /// Read what happened up to an event, for the panes.
    ReadPast(u64),
    /// Read the last answer, to copy it.
    ReadAnswer,
    /// List the sessions.
    ListSessions,
    /// Look for words in what was said in all sessions.
    SearchSessions(String),
    /// Read the last exchange of a session.
    Preview(SessionId),
    /// Leave for this session.
    GoTo(SessionId),
    /// Leave for another UI that opens this session anew.
    HandOver,
    /// Make another session of all that was said in one, and leave for it.
    Fork(SessionId),
    /// Write a session to a file.
    Export(SessionId),
    /// Give a session a name, and list them anew.
    Rename(SessionId, String),
    /// Keep a line for the arrow keys.
    Keep(String),
    /// Open this draft in the user's editor.
    Edit(String),
    /// Stop this process until the shell goes on with it.
    Suspend,
    /// Call the user, who looks at another window.
    Call(Reason),
    /// Give the terminal a text for its clipboard.
    Copy(String),
    /// Draw everything anew.
    Redraw,
    /// Leave.
    Leave,
}
