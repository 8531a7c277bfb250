//! `carl secret`.

use clap::Subcommand;

/// `carl secret`. A value is never an argument: every process could read it there. Names are checked
/// by the command, since the parser repeats what it refuses, and that may be the secret.
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Store a secret: typed at the terminal without being shown, or read from standard input
    Set {
        /// Its name, such as `openai-work`; the secret itself is asked for
        name: String,
        /// Taken to be refused with a better reason than the parser's
        #[arg(hide = true)]
        value: Vec<String>,
    },
    /// Forget a secret
    Rm {
        /// Its name
        name: String,
    },
    /// List the names of all secrets
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Open the store: the desktop's own question, or the passphrase of the encrypted file
    Unlock,
    /// Close the store until it is unlocked again
    Lock,
}
