//! `carl tools`.

use crate::examples;
use crate::list::ListArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

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
    #[command(after_help = examples::TOOLS_CLASSIFY)]
    Classify(ClassifyArgs),
    /// Check a tool table, and whether it fits the tools
    #[command(after_help = examples::TOOLS_CHECK)]
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
    /// Write here instead of to standard output; an existing file is kept
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
