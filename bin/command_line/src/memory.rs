//! `carl memory`.

use crate::examples;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The forms in which memory is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object a line: the backup, which `import` reads
    Jsonl,
    /// A table for analysis
    Parquet,
}

/// `carl memory`.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Find what answers a question
    #[command(after_help = examples::MEMORY_SEARCH)]
    Search {
        /// The question, in words
        #[arg(required = true)]
        question: Vec<String>,
        /// Also print what each stage of the search saw
        #[arg(long)]
        explain: bool,
        /// Print at most this many, 1 and up
        #[arg(short = 'n', long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// Where to look
        #[command(flatten)]
        place: Place,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print an entry with everything that is kept of it
    #[command(after_help = examples::MEMORY_SHOW)]
    Show {
        /// Its id (its last 4 characters are enough)
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Keep something
    #[command(after_help = examples::MEMORY_ADD)]
    Add(AddArgs),
    /// Remove an entry, and search every file for what is left of it
    #[command(after_help = examples::MEMORY_FORGET)]
    Forget {
        /// Its id (its last 4 characters are enough)
        id: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// List entries, oldest first
    #[command(after_help = examples::MEMORY_LIST)]
    List {
        /// Where to look
        #[command(flatten)]
        place: Place,
        /// Only of this kind
        #[arg(long, value_enum)]
        kind: Option<KindArg>,
        /// Only so many, the newest
        #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Write every entry for other programs: one JSON object a line, or a Parquet table
    #[command(after_help = examples::MEMORY_EXPORT)]
    Export {
        /// The file; without one, or with `-`, standard output
        file: Option<PathBuf>,
        /// The form; without it a file ending in .parquet is a table, and every other is lines
        #[arg(long)]
        format: Option<ExportFormat>,
        /// Where to look
        #[command(flatten)]
        place: Place,
    },
    /// Keep what `carl memory export` wrote; every line is checked before the first is kept
    #[command(after_help = examples::MEMORY_IMPORT)]
    Import {
        /// The file; `-` for standard input
        file: PathBuf,
    },
    /// Print what memory holds and how far its indexes are
    #[command(after_help = examples::MEMORY_STATS)]
    Stats {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Rebuild every index
    #[command(after_help = examples::MEMORY_REINDEX)]
    Reindex,
}

/// `carl memory add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The text, or `-` for standard input
    #[arg(required = true)]
    pub text: Vec<String>,
    /// A short name; without one, the text's first words
    #[arg(long)]
    pub name: Option<String>,
    /// One line about it
    #[arg(long, default_value = "")]
    pub description: String,
    /// A word to find it by; may be given several times
    #[arg(long = "tag", value_parser = word)]
    pub tags: Vec<String>,
    /// The entry that this one corrects, by its id or the last 4 characters of it
    #[arg(long, value_name = "ID")]
    pub supersedes: Option<String>,
    /// Where to keep it: `user`, `project`, `agent:TYPE` or another name [default: user, or where
    /// what it corrects is]
    #[arg(long)]
    pub namespace: Option<String>,
}

/// Where to look.
#[derive(Debug, Args)]
pub struct Place {
    /// Only here: `user`, `project` (the current folder), `agent:TYPE` or another name; may be given
    /// several times
    #[arg(long = "namespace", value_name = "NAMESPACE")]
    pub namespaces: Vec<String>,
}

/// A kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Written on purpose
    Memory,
    /// A captured question and answer
    #[value(name = "conversation", alias = "engram")]
    Engram,
}

/// A text that says something.
fn word(text: &str) -> Result<String, String> {
    match text.chars().any(char::is_alphanumeric) {
        true => Ok(text.to_owned()),
        false => Err("it says nothing".to_owned()),
    }
}
