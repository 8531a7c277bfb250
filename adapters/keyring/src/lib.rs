//! Where secrets are kept: the desktop's Secret Service, or the kernel's keyring.
//!
//! What it is: two stores behind [`api::secrets::Secrets`] (reading one by name) and
//! [`api::secrets::Keeper`] (the user's own side).
//! What it owns: the conversation with the Secret Service over D-Bus, the form of the encrypted
//! file, and the keys in the kernel that are filled from it.
//! What it never does: fall back from one store to another or to anything weaker, open a window
//! that asks the user for something while an agent works, wait longer than two seconds for a store
//! that is locked or missing, or write a secret to disk in the clear.
//! Where to start: [`SecretService`]; [`KernelKeyring`].

mod desktop;
mod kernel;
pub mod record;

pub use desktop::SecretService;
pub use kernel::{KernelKeyring, PASSPHRASE_CHARS, State};
