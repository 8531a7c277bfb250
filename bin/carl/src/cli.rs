//! The command line: what can be typed, and nothing about what it does.

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use domain::hash::Digest;
use domain::id::SessionId;
use domain::settings::{Mode, OverrideLevel};
use domain::tool::EffectClass;
use std::path::PathBuf;

/// A private agent system that runs on your own hardware.
#[derive(Debug, Parser)]
#[command(
    name = "carl",
    version,
    propagate_version = true,
    disable_help_subcommand = true
)]
#[command(
    after_help = "Without a command, `carl` starts a chat in this folder.\n\
    Exit codes: 0 success, 2 usage, 3 partial, 4 failed, 5 denied, 130 interrupted."
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How a chat without a command is held
    #[command(flatten)]
    pub session: SessionFlags,
    /// Continue the newest session of this folder
    #[arg(long)]
    pub resume: bool,
}

impl Cli {
    /// Refuses what would parse and then be ignored.
    ///
    /// # Errors
    /// Flags before a command, which would otherwise be ignored.
    pub fn checked(self) -> Result<Self, clap::Error> {
        let has_flags = self.resume || self.session != SessionFlags::default();
        if self.command.is_some() && has_flags {
            return Err(Self::command().error(
                clap::error::ErrorKind::ArgumentConflict,
                "flags belong after the command: carl run --mode plan \"…\"",
            ));
        }
        Ok(self)
    }
}

/// Everything `carl` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk to an agent, line by line
    Chat(ChatArgs),
    /// Do one task and exit
    Run(Box<RunArgs>),
    /// Check that everything works, and say what to do where it does not
    Doctor(DoctorArgs),
    /// List the models that can be used
    Models(ModelsArgs),
    /// List the tools and what each does to the world; draft and check tool tables
    Tools(ToolsArgs),
    /// List the agent types and what each may use
    Agents(ListArgs),
    /// Ask the guard what it would say
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Look at, continue, fork and export sessions
    #[command(subcommand)]
    Session(SessionCommand),
    /// Take back a session's last file change
    Undo(UndoArgs),
    /// Look at the record of what was decided and done
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Write a commented configuration file
    Init(InitArgs),
    /// Show the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Serve Housecarl to other processes over a socket
    Serve(ServeArgs),
    /// Print help, for `carl` or for one command
    Help {
        /// The command, such as `session list`
        command: Vec<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page a command into a folder
    Man {
        /// Write `carl.1`, `carl-run.1`, … here instead of printing
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

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
    /// Forbid a tool to every agent
    #[arg(long, value_name = "TOOL")]
    pub disable_tool: Vec<String>,
    /// Open a tool to an agent type beyond its manifest
    #[arg(long, value_name = "TYPE:TOOL")]
    pub grant: Vec<String>,
    /// Open the gate: `relax` asks no confirmations, `all` lets nearly everything pass
    #[arg(long = "override", value_enum, value_name = "LEVEL")]
    pub override_level: Option<OverrideArg>,
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
    /// The configured model provider to use, such as `ollama` or `embedded`
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model: `provider/model`, or a model of the chosen provider
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
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

/// `carl run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The task: text, `@file` to read it from a file, or `-` for standard input
    pub task: Vec<String>,
    /// Print one JSON object at the end and nothing else
    #[arg(long, conflicts_with = "events")]
    pub json: bool,
    /// Print one JSON event a line as it happens
    #[arg(long)]
    pub events: bool,
    /// Continue this session instead of beginning one
    #[arg(long, value_name = "ID")]
    pub session_id: Option<SessionId>,
    /// How the session is held
    #[command(flatten)]
    pub session: SessionFlags,
}

/// `carl doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Also ask the chosen model one question and measure its speed
    #[arg(long)]
    pub model: bool,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// `carl models`.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Ask this model (`provider/model`) one question and measure its speed
    #[arg(long, value_name = "MODEL")]
    pub test: Option<String>,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// A listing.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `carl tools`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ToolsArgs {
    /// What to do instead of listing
    #[command(subcommand)]
    pub command: Option<ToolsCommand>,
    /// How to list
    #[command(flatten)]
    pub list: ListArgs,
}

/// What can be done about tools that are not built in.
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// Draft a tool table from definitions; nothing in it counts before you approve it
    Classify(ClassifyArgs),
    /// Check a tool table, and whether it fits the tools
    Check(CheckArgs),
}

/// `carl tools classify`.
#[derive(Debug, Args)]
pub struct ClassifyArgs {
    /// The definitions: an answer to MCP's `tools/list` or an array of tools, JSON; `-` for standard input
    #[arg(value_name = "FILE")]
    pub definitions: PathBuf,
    /// Ask the fast model for a second opinion, which can only make an entry stricter
    #[arg(long)]
    pub model: bool,
    /// Write here instead of to standard output; a file that is there is kept
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Refuse every connection but loopback
    #[arg(long, requires = "model")]
    pub air_gap: bool,
}

/// `carl tools check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The tool tables; later ones win
    #[arg(value_name = "TABLE", required = true)]
    pub tables: Vec<PathBuf>,
    /// The definitions they are for, as for `classify`; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
}

/// `carl policy`.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Print every layer's verdict on a call, without making it
    Explain(ExplainArgs),
    /// Judge a past session's calls by today's policy, without making them
    Replay(ReplayArgs),
    /// List what was allowed for the rest of a session that is open
    Grants(GrantsArgs),
    /// Guard other programs' tools: JSON lines on standard input and output, or gRPC at an address
    Serve(GuardArgs),
    /// List the folders that you opened for writing for good
    Folders(ListArgs),
    /// Ask again before anything is written in a folder
    Forget(ForgetArgs),
}

/// `carl policy forget`.
#[derive(Debug, Args)]
pub struct ForgetArgs {
    /// The folder
    pub folder: PathBuf,
}

/// `carl policy explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The agent type that would call
    pub agent_type: String,
    /// The tool
    pub tool: String,
    /// The arguments, a JSON object
    #[arg(default_value = "{}")]
    pub arguments: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What is open
    #[command(flatten)]
    pub ceiling: Ceiling,
}

/// `carl policy replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Which session; the beginning or end of its id is enough. Default: the newest of this folder
    #[arg(default_value = "")]
    pub session: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `carl policy grants`.
#[derive(Debug, Args)]
pub struct GrantsArgs {
    /// Which session; the beginning or end of its id is enough. Default: the newest of this folder
    #[arg(default_value = "")]
    pub session: String,
}

/// `carl policy serve`.
#[derive(Debug, Args)]
pub struct GuardArgs {
    /// What the tools are: tool tables (see docs/tool-tables.md); later ones win
    #[arg(long = "tools", value_name = "FILE", required = true)]
    pub tables: Vec<PathBuf>,
    /// Do not ask about effects of this class as such; rules of information flow ask all the same
    #[arg(long = "yes", value_name = "CLASS")]
    pub yes: Vec<EffectArg>,
    /// Most calls in one conversation
    #[arg(long, value_name = "N")]
    pub calls: Option<u32>,
    /// Serve gRPC here instead: `unix:/path` or `tcp:127.0.0.1:50051`
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Serve on TCP although whoever reaches the address is answered
    #[arg(long, requires = "listen")]
    pub trust_network: bool,
}

/// `carl session`.
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// List sessions, newest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Show at most this many, 1 and up
        #[arg(long, default_value_t = 20, value_parser = at_least_one)]
        limit: usize,
    },
    /// Print a session as a readable transcript
    Show {
        /// Which session; the beginning or end of its id is enough
        session: String,
        /// Print every event, one JSON object a line
        #[arg(long)]
        events: bool,
    },
    /// Continue a session in a chat
    Resume {
        /// Which session; the beginning or end of its id is enough. Default: the newest of this folder
        session: Option<String>,
        /// How it is held from now on
        #[command(flatten)]
        flags: Box<SessionFlags>,
    },
    /// Begin a session from another's first events
    Fork {
        /// Which session; the beginning or end of its id is enough
        session: String,
        /// The last event to take along (`carl session show --events` numbers them); default: all
        #[arg(long, default_value_t = 0)]
        at: u64,
    },
    /// Write a session as Markdown or JSON
    Export {
        /// Which session; the beginning or end of its id is enough
        session: String,
        /// The form
        #[arg(long, value_enum, default_value_t = ExportForm::Markdown)]
        format: ExportForm,
        /// Write here instead of to standard output
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// `carl undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Which session; default: the newest of this folder that changed a file and was not undone
    pub session: Option<String>,
    /// What is open
    #[command(flatten)]
    pub ceiling: Ceiling,
}

/// `carl audit`.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Print the newest records
    Tail {
        /// How many
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
        /// Print the records as they stand on disk
        #[arg(long)]
        json: bool,
        /// Only this session's
        #[arg(long, value_name = "ID")]
        session: Option<SessionId>,
    },
}

/// `carl init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Replace a file that is already there (the old one is kept as `config.toml.bak`)
    #[arg(long)]
    pub force: bool,
}

/// `carl config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print what is in force
    Show {
        /// Say where each value came from
        #[arg(long)]
        origin: bool,
    },
    /// Print the JSON Schema of the configuration file
    Schema,
}

/// `carl serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// What to serve
    #[arg(long, value_enum, default_value_t = RoleArg::All)]
    pub role: RoleArg,
    /// Where: `unix:/path` or `tcp:127.0.0.1:50051`. Default: a socket in the runtime folder
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Serve on TCP although whoever reaches the address may act as you
    #[arg(long)]
    pub trust_network: bool,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// A role that one process can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Everything
    All,
    /// The audit log
    Audit,
    /// The model gateway
    Models,
    /// The broker and its tools
    Broker,
    /// Sessions and agents
    Agents,
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
    /// The model uses tools as it sees fit
    Loop,
    /// A model plans; you approve; only the plan runs
    Plan,
    /// Rules plan; no model is needed
    Deterministic,
    /// An external planner plans
    Bridge,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Loop => Self::Loop,
            ModeArg::Plan => Self::Plan,
            ModeArg::Deterministic => Self::Deterministic,
            ModeArg::Bridge => Self::Bridge,
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
    /// Sending something out of the house
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(words).and_then(Cli::checked)
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_flag_before_a_command_is_refused_instead_of_ignored() {
        assert!(parsed(&["carl", "--mode", "plan", "run", "x"]).is_err());
        assert!(parsed(&["carl", "--resume", "doctor"]).is_err());
        assert!(parsed(&["carl", "run", "--mode", "plan", "x"]).is_ok());
        assert!(parsed(&["carl", "--mode", "plan"]).is_ok());
    }

    #[test]
    fn a_list_of_nothing_is_refused_with_the_reason() {
        let refused = parsed(&["carl", "session", "list", "--limit", "0"]);
        assert!(refused.unwrap_err().to_string().contains("1 or more"));
        assert!(parsed(&["carl", "session", "list", "--limit", "1"]).is_ok());
    }
}
