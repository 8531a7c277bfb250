//! `carl token`.

use crate::examples;
use clap::{Subcommand, ValueEnum};

/// `carl token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token, and print it once: it is kept nowhere
    #[command(after_help = examples::TOKEN_NEW)]
    New {
        /// What to call it: letters, digits, `_`, `-` and `.`
        name: String,
        /// What it is good for; each has those before it
        #[arg(long, value_enum)]
        scope: ScopeArg,
        /// How long it is good for, such as `30d`, or until when; without it, until it is revoked
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
    },
    /// List all tokens by name
    #[command(after_help = examples::TOKEN_LIST)]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a token back: it counts no more from that moment on
    #[command(after_help = examples::TOKEN_REVOKE)]
    Revoke {
        /// Its name
        name: String,
    },
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// Looking at sessions
    Read,
    /// Sending requests
    Chat,
    /// Answering questions
    Approve,
    /// Opening folders, and deleting
    Admin,
}
