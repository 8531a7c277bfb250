//! `carl audit`.

use clap::Subcommand;
use domain::id::SessionId;

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
