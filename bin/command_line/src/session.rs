//! Sessions: how one is held, worked in, listed and taken back.

use crate::examples;
use clap::{Args, Subcommand, ValueEnum};
use domain::hash::Digest;
use domain::id::SessionId;
use domain::model::Think;
use domain::settings::{Mode, OverrideLevel};
use domain::tool::EffectClass;
use std::path::{Path, PathBuf};

/// What the user opens and closes for a session.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Ceiling {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long, value_name = "FOLDER")]
    pub workspace: Option<PathBuf>,
    /// Confirm these effects in advance; covers no rule violation
    #[arg(long, value_enum, value_name = "CLASS", value_delimiter = ',')]
    pub yes: Vec<EffectArg>,
    /// Let agents write to this file or folder
    #[arg(long, value_name = "PATH")]
    pub allow_write: Vec<PathBuf>,
    /// Let agents read this file or folder too
    #[arg(long, value_name = "PATH")]
    pub allow_read: Vec<PathBuf>,
    /// Forbid a tool to every agent
    #[arg(long, value_name = "TOOL")]
    pub disable_tool: Vec<String>,
    /// Open a tool to an agent type beyond its manifest
    #[arg(long, value_name = "TYPE:TOOL")]
    pub grant: Vec<String>,
    /// Loosen the guard: `relax` asks for no confirmation, `all` lets nearly everything pass
    #[arg(long = "override", value_enum, value_name = "LEVEL")]
    pub override_level: Option<OverrideArg>,
}

impl Ceiling {
    /// A path as it was typed: seen from the folder of `-C` where one is given.
    #[must_use]
    pub fn place(&self, typed: &Path) -> PathBuf {
        match &self.workspace {
            Some(folder) => folder.join(typed),
            None => typed.to_owned(),
        }
    }

    /// Takes what is open from where it was typed, before another folder is put in place of `-C`.
    pub(super) fn settle(&mut self) {
        let place = |typed: &Vec<PathBuf>| typed.iter().map(|one| self.place(one)).collect();
        (self.allow_write, self.allow_read) = (place(&self.allow_write), place(&self.allow_read));
    }
}

/// How a session is held. The same for `chat`, `run` and `session resume`.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct SessionFlags {
    /// What is open
    #[command(flatten)]
    pub ceiling: Ceiling,
    /// How requests are worked on
    #[arg(long, value_enum)]
    pub mode: Option<ModeArg>,
    /// The agent type that does the work (`carl agents` lists them)
    #[arg(long, value_name = "TYPE")]
    pub agent: Option<String>,
    /// The configured model provider to use, such as `ollama` or `embedded`; while another carl serves,
    /// name --model as well
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Whether that is where the session was begun, and was not typed.
    #[arg(skip)]
    pub is_provider_of_session: bool,
    /// The model: `provider/model`, or a model of the chosen provider
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// How much the model thinks before it answers
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub thinking: Option<ThinkingArg>,
    /// Context size to ask the model server for, tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(512..=1_048_576))]
    pub context_tokens: Option<u32>,
    /// Approve, in advance, the plan with this hash
    #[arg(long, value_name = "HASH", value_parser = parse_digest)]
    pub approve: Vec<Digest>,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
    /// Use the Housecarl served at this address, such as `unix:/run/user/1000/housecarl/carl.sock`
    #[arg(long, value_name = "ADDRESS")]
    pub connect: Option<String>,
}

/// `carl chat`.
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// How the session is held
    #[command(flatten)]
    pub session: SessionFlags,
}

/// `carl tui`.
#[derive(Debug, Args)]
pub struct TuiArgs {
    /// Continue this session: the end of its id, its name, `last` for the one last used
    /// here, or nothing for a list of all sessions
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// Show activity, conversation and tools in panes; F2 or /panes turns to them and back
    #[arg(long)]
    pub panes: bool,
    /// How the session is held
    #[command(flatten)]
    pub session: SessionFlags,
}

/// `carl run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The task: text, `@file` to read it from a file, or `-` for standard input. All of it counts as
    /// your own words: give what others wrote with --input
    pub task: Vec<String>,
    /// Data that the task is about: a file, or `-` for standard input. An agent reads it as content
    /// from outside: it permits nothing, and names no target
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Print one JSON object at the end and nothing else
    #[arg(long, conflicts_with = "events")]
    pub json: bool,
    /// Print one JSON event a line as it happens
    #[arg(long)]
    pub events: bool,
    /// Continue this session instead of starting one: the end of its id, or `last` for
    /// the one last used here
    #[arg(long = "session-id", value_name = "SESSION")]
    pub session_named: Option<String>,
    /// The same, once it was looked up.
    #[arg(skip)]
    pub session_id: Option<SessionId>,
    /// How the session is held
    #[command(flatten)]
    pub session: SessionFlags,
}

/// `carl session`.
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// List sessions, newest first
    #[command(after_help = examples::SESSION_LIST)]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Show at most this many, 1 and up
        #[arg(long, default_value_t = 20, value_parser = at_least_one)]
        limit: usize,
    },
    /// Find sessions by what was said in them, newest first
    ///
    /// A session is found where one message of yours, or one answer, has all of the words.
    #[command(after_help = examples::SESSION_SEARCH)]
    Search {
        /// Words, or parts of words, in small or capital letters
        #[arg(required = true)]
        words: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Show at most this many, 1 and up
        #[arg(long, default_value_t = 20, value_parser = at_least_one)]
        limit: usize,
    },
    /// Print a session as a readable transcript
    #[command(after_help = examples::SESSION_SHOW)]
    Show {
        /// Which session: the end of its id, or `last` for the one last used here
        #[arg(default_value = "last")]
        session: String,
        /// Print every event, one JSON object a line
        #[arg(long, conflicts_with = "agent")]
        events: bool,
        /// Print what one sub-agent did instead; the end of its id is enough
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
    },
    /// Show what the model will see next of a session
    #[command(after_help = examples::SESSION_CONTEXT)]
    Context {
        /// Which session: the end of its id, or `last` for the one last used here
        #[arg(default_value = "last")]
        session: String,
        /// What a sub-agent at work sees; the end of its id is enough
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// Print the text as it is sent, not each part's share
        #[arg(long, conflicts_with = "json")]
        full: bool,
        /// Print JSON, text included
        #[arg(long)]
        json: bool,
    },
    /// Make what the model sees of a session's past smaller now
    #[command(after_help = examples::SESSION_COMPACT)]
    Compact {
        /// Which session: the end of its id, or `last` for the one last used here
        #[arg(default_value = "last")]
        session: String,
    },
    /// Continue a session in a chat
    #[command(after_help = examples::SESSION_RESUME)]
    Resume {
        /// Which session; the end of its id is enough. Default: the one last used here
        session: Option<String>,
        /// How it is held from now on
        #[command(flatten)]
        flags: Box<SessionFlags>,
    },
    /// Begin a session from another's first events
    #[command(after_help = examples::SESSION_FORK)]
    Fork {
        /// Which session: the end of its id, or `last` for the one last used here
        #[arg(default_value = "last")]
        session: String,
        /// The message to fork at, by the number that `carl session show` prints: its exchange is
        /// the last one taken along. Default: all
        #[arg(long, default_value_t = 0)]
        at: u64,
    },
    /// Give a session another name in the lists
    #[command(after_help = examples::SESSION_RENAME)]
    Rename {
        /// Which session: the end of its id, or `last` for the one last used here
        session: String,
        /// The name, at most 120 characters; an empty one takes the name away
        name: String,
    },
    /// Delete a session: its log, and what undo keeps of it
    #[command(after_help = examples::SESSION_DELETE)]
    Delete {
        /// Which session: the end of its id
        session: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Write a session as Markdown or JSON
    #[command(after_help = examples::SESSION_EXPORT)]
    Export {
        /// Which session: the end of its id, or `last` for the one last used here
        #[arg(default_value = "last")]
        session: String,
        /// The form; default: JSON for a FILE that ends in .json, else Markdown
        #[arg(long, value_enum)]
        format: Option<ExportForm>,
        /// Write here instead of to standard output
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// `carl undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Which session; default: the newest in this folder, or else in the nearest above it, that
    /// changed a file and was not undone
    pub session: Option<String>,
    /// Change nothing: print what the file held before its last change
    #[arg(long)]
    pub print: bool,
    /// Leave this file as it is, and go on with the older change of another one (repeatable)
    #[arg(long, value_name = "FILE", conflicts_with = "print")]
    pub skip: Vec<PathBuf>,
    /// Approve taking back exactly the change, in the files and with the content, that was refused
    /// with this hash
    #[arg(long, value_name = "HASH", value_parser = parse_digest)]
    pub approve: Vec<Digest>,
    /// What is open
    #[command(flatten)]
    pub ceiling: Ceiling,
}

/// `carl diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Which session; default: the newest in this folder, or else in the nearest above it, that
    /// changed a file and was not undone
    pub session: Option<String>,
    /// For each file only how many lines came and went
    #[arg(long)]
    pub stat: bool,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// For people
    Markdown,
    /// The events, as an array
    Json,
}

/// `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// As suits the model: rules and plans for small ones, else loop
    Adaptive,
    /// The model uses tools as it sees fit
    Loop,
    /// A model plans; you approve; only the plan runs
    Plan,
    /// Rules plan; no model is needed
    Deterministic,
    /// An external planner plans
    Bridge,
    /// As loop, and the agent goes on by itself afterwards
    Auto,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Adaptive => Self::Adaptive,
            ModeArg::Loop => Self::Loop,
            ModeArg::Plan => Self::Plan,
            ModeArg::Deterministic => Self::Deterministic,
            ModeArg::Bridge => Self::Bridge,
            ModeArg::Auto => Self::Auto,
        }
    }
}

/// `--thinking`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ThinkingArg {
    /// As configuration says of the provider
    Default,
    /// Not at all
    Off,
    /// As much as the model holds right
    On,
    /// A little
    Low,
    /// Some
    Medium,
    /// A lot
    High,
}

impl From<ThinkingArg> for Think {
    fn from(level: ThinkingArg) -> Self {
        match level {
            ThinkingArg::Default => Self::Default,
            ThinkingArg::Off => Self::Off,
            ThinkingArg::On => Self::On,
            ThinkingArg::Low => Self::Low,
            ThinkingArg::Medium => Self::Medium,
            ThinkingArg::High => Self::High,
        }
    }
}

/// `--yes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EffectArg {
    /// Changing files; can be undone
    Write,
    /// Deleting
    Destructive,
    /// Running programs
    Exec,
    /// Changing how the machine behaves
    Config,
    /// Sending something off this machine
    Egress,
}

impl From<EffectArg> for EffectClass {
    fn from(effect: EffectArg) -> Self {
        match effect {
            EffectArg::Write => Self::SharedWrite,
            EffectArg::Destructive => Self::Destructive,
            EffectArg::Exec => Self::Exec,
            EffectArg::Config => Self::Config,
            EffectArg::Egress => Self::Egress,
        }
    }
}

/// `--override`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OverrideArg {
    /// Every layer decides
    None,
    /// High-risk tools need no confirmation; lineage and paths still hold
    Relax,
    /// Everything passes but Housecarl's own folders, and every call is on record
    All,
}

impl From<OverrideArg> for OverrideLevel {
    fn from(level: OverrideArg) -> Self {
        match level {
            OverrideArg::None => Self::None,
            OverrideArg::Relax => Self::Relax,
            OverrideArg::All => Self::All,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("0 would show nothing; give 1 or more".to_owned()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("it is not a number of sessions: {error}")),
    }
}

fn parse_digest(text: &str) -> Result<Digest, String> {
    text.parse::<Digest>().map_err(|error| error.to_string())
}
