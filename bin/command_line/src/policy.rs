//! `carl policy`.

use crate::examples;
use crate::list::ListArgs;
use crate::session::{Ceiling, EffectArg};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `carl policy`.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Print every layer's verdict on a call, without making it
    #[command(after_help = examples::POLICY_EXPLAIN)]
    Explain(ExplainArgs),
    /// Judge a past session's calls by today's policy, without making them
    #[command(after_help = examples::POLICY_REPLAY)]
    Replay(ReplayArgs),
    /// List what was allowed for the rest of a session that is open
    #[command(after_help = examples::POLICY_GRANTS)]
    Grants(GrantsArgs),
    /// Guard other programs' tools: JSON lines on standard input and output, or gRPC at an address
    #[command(after_help = examples::POLICY_SERVE)]
    Serve(GuardArgs),
    /// List the folders that you opened for writing for good
    #[command(after_help = examples::POLICY_FOLDERS)]
    Folders(ListArgs),
    /// Ask again before anything is written in a folder
    #[command(after_help = examples::POLICY_FORGET)]
    Forget(ForgetArgs),
    /// Trust project notes (AGENTS.md, CLAUDE.md) or the checks of .housecarl.toml, until they change
    #[command(after_help = examples::POLICY_TRUST)]
    Trust(NotesArgs),
    /// Take back what you said of project notes or of .housecarl.toml
    #[command(after_help = examples::POLICY_DISTRUST)]
    Distrust(NotesArgs),
    /// List what you said of project notes and .housecarl.toml, and whether they have changed since
    #[command(after_help = examples::POLICY_TRUSTED)]
    Trusted(ListArgs),
}

/// `carl policy trust` and `carl policy distrust`.
#[derive(Debug, Args)]
pub struct NotesArgs {
    /// The file
    pub file: PathBuf,
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
    /// Judge as if someone were there to be asked; without it what would be asked is refused
    #[arg(long)]
    pub attended: bool,
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
    /// Which session; the end of its id is enough. Default: the one last used here
    #[arg(default_value = "last", hide_default_value = true)]
    pub session: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `carl policy grants`.
#[derive(Debug, Args)]
pub struct GrantsArgs {
    /// Which session; the end of its id is enough. Default: the one last used here
    #[arg(default_value = "last", hide_default_value = true)]
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
    /// Serve on TCP even though anyone who can reach the address is answered
    #[arg(long, requires = "listen")]
    pub trust_network: bool,
}
