//! `carl audit`.

use crate::examples;
use api::audit::Action;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `carl audit`.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Print the newest records
    #[command(after_help = examples::AUDIT_TAIL)]
    Tail {
        /// How many
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
        /// Go on printing what is recorded from now on
        #[arg(short, long)]
        follow: bool,
        /// Which records, and in what form
        #[command(flatten)]
        records: RecordFlags,
        /// Which log
        #[command(flatten)]
        place: LogFolder,
    },
    /// Print all there is about one record
    #[command(after_help = examples::AUDIT_SHOW)]
    Show {
        /// Its number in the log
        #[arg(value_name = "SEQUENCE")]
        sequence: u64,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Which log
        #[command(flatten)]
        place: LogFolder,
    },
    /// Print every record that matches, oldest first
    #[command(after_help = examples::AUDIT_QUERY)]
    Query {
        /// Which records, and in what form
        #[command(flatten)]
        records: RecordFlags,
        /// Which log
        #[command(flatten)]
        place: LogFolder,
    },
    /// Check the whole log: is what is there as it was written, and is all of it there?
    #[command(after_help = examples::AUDIT_VERIFY)]
    Verify {
        /// Check against a checkpoint that was kept elsewhere (`-`: standard input)
        #[arg(long, value_name = "FILE")]
        anchor: Option<PathBuf>,
        /// The public key that signed it, as `carl audit anchor --key` printed it
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Which log
        #[command(flatten)]
        place: LogFolder,
    },
    /// Write records for other programs
    #[command(after_help = examples::AUDIT_EXPORT)]
    Export {
        /// In which form: jsonl, one object a line as on disk, or csv, for spreadsheets
        #[arg(long, value_enum, hide_possible_values = true, default_value_t = RecordForm::Jsonl)]
        form: RecordForm,
        /// Which records
        #[command(flatten)]
        filter: RecordFilter,
        /// Which log
        #[command(flatten)]
        place: LogFolder,
    },
    /// Print a signed checkpoint, to be kept where this machine cannot change it
    #[command(after_help = examples::AUDIT_ANCHOR)]
    Anchor {
        /// Print the public key that checkpoints are checked with instead
        #[arg(long)]
        key: bool,
    },
    /// Set the log aside as it is, end its key, and let a fresh one begin
    #[command(after_help = examples::AUDIT_ARCHIVE)]
    Archive {
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

/// Which log.
#[derive(Debug, Args)]
pub struct LogFolder {
    /// The folder of a log that was set aside
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

/// Which records are printed, and how.
#[derive(Debug, Args)]
pub struct RecordFlags {
    /// As they stand on disk, one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Which ones
    #[command(flatten)]
    pub filter: RecordFilter,
}

/// Which records.
#[derive(Debug, Args)]
pub struct RecordFilter {
    /// Only of this session: the end of its id, or `last` for the newest of this
    /// folder
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only of this agent and those below it (the beginning of its id), or of this agent type
    #[arg(long, value_name = "ID|TYPE")]
    pub agent: Option<String>,
    /// Only of this tool
    #[arg(long)]
    pub tool: Option<String>,
    /// Only with this action, such as decide, intent, outcome, confirmation or model_call
    #[arg(
        long,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(Action::ALL.map(Action::as_str))
    )]
    pub action: Option<String>,
    /// Only with this decision: allow, confirm or deny
    #[arg(long, value_enum, hide_possible_values = true)]
    pub decision: Option<DecisionArg>,
    /// Not before this time: 2026-11-22, 2026-11-22T05:00:00Z, or an age such as 90m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Not after this time, written the same way
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
}

/// A verdict, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DecisionArg {
    /// It may run.
    Allow,
    /// The user has to be asked.
    Confirm,
    /// It may not run.
    Deny,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecordForm {
    /// One JSON object a line, as on disk.
    Jsonl,
    /// A table with a heading, for spreadsheets.
    Csv,
}
