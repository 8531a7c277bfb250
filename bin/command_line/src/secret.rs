//! `carl secret`.

use crate::examples;
use clap::Subcommand;

/// `carl secret`. A value is never an argument: every process could read it there. Names are checked
/// by the command, since the parser repeats what it refuses, and that may be the secret.
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Store a secret: typed at the terminal without being shown, or read from standard input
    #[command(after_help = examples::SECRET_SET)]
    Set {
        /// Its name, such as `openai-work`; the secret itself is asked for
        name: String,
        /// Taken to be refused with a better reason than the parser's
        #[arg(hide = true)]
        value: Vec<String>,
    },
    /// Forget a secret
    #[command(after_help = examples::SECRET_RM)]
    Rm {
        /// Its name
        name: String,
    },
    /// List the names of all secrets
    #[command(after_help = examples::SECRET_LIST)]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Open the store: the desktop's own question, or the passphrase of the encrypted file
    #[command(after_help = examples::SECRET_UNLOCK)]
    Unlock,
    /// Close the store until it is unlocked again
    #[command(after_help = examples::SECRET_LOCK)]
    Lock,
}
