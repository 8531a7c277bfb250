//! Where secrets are kept, and who is given them: the broker and the model gateway.

use super::endpoints::{given, remote};
use super::unrecorded::Unrecorded;
use crate::setting::Setting;
use anyhow::{Context, Result};
use api::audit::Audit;
use api::secrets::{Error, Keeper, SECRET_VALUE_BYTES, SecretValue, Secrets};
use broker::KnownSecrets;
use config::paths::private_folder;
use disk::private;
use domain::Timestamp;
use domain::fault::{Coded, Fault};
use grpc::secrets::{TOKEN_DIGITS, Token};
use keyring::{KernelKeyring, SecretService, State};
use secrets::Backend;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terminal::exit::{Exit, Failure, OrFail};
use zeroize::Zeroizing;

/// The name under which systemd may give the passphrase of the encrypted file.
const CREDENTIAL: &str = "housecarl-secrets";

/// The store that the user chose.
pub enum Store {
    /// The desktop's.
    Desktop(SecretService),
    /// The kernel's.
    Kernel(KernelKeyring),
}

impl Store {
    /// The user's side of it.
    #[must_use]
    pub fn keeper(&self) -> &dyn Keeper {
        match self {
            Self::Desktop(store) => store,
            Self::Kernel(store) => store,
        }
    }

    /// The passphrase of the encrypted file, where systemd gave one (`LoadCredential=` and its
    /// like). The line end that an editor adds is no part of it.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn credential(&self) -> Result<Option<SecretValue>> {
        let Some(folder) = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from) else {
            return Ok(None);
        };
        let path = folder.join(CREDENTIAL);
        let mut bytes = match File::open(&path) {
            Ok(file) => read(file, SECRET_VALUE_BYTES)?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", path.display()));
            }
        };
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(Some(SecretValue::new(bytes.to_vec())))
    }

    fn secrets(self) -> Arc<dyn Secrets> {
        match self {
            Self::Desktop(store) => Arc::new(store),
            Self::Kernel(store) => Arc::new(store),
        }
    }
}

/// The store that `[secrets]` chooses; `None` when it chooses none.
///
/// # Errors
/// When the folder of the encrypted file cannot be made.
pub fn chosen(setting: &Setting) -> Result<Option<Store>> {
    Ok(match setting.loaded.config.secrets.backend {
        None => None,
        Some(Backend::SecretService) => Some(Store::Desktop(SecretService::new())),
        Some(Backend::KernelKeyring) => {
            private_folder(&setting.paths.data)?;
            Some(Store::Kernel(KernelKeyring::new(setting.paths.secrets())))
        }
    })
}

/// Secrets for the broker and the gateways, who share what was read: in this process, or where
/// `[endpoints]` says.
///
/// # Errors
/// When an address or token cannot be used, or the passphrase that systemd gave does not open the
/// encrypted file.
pub async fn secrets(setting: &Setting, audit: Arc<dyn Audit>) -> Result<KnownSecrets> {
    let address = &setting.loaded.config.endpoints.secrets;
    if let Some(endpoint) = remote("endpoints.secrets", address)? {
        let token = known_token(setting)?;
        let client = grpc::secrets::Client::connect(&endpoint, token);
        return Ok(KnownSecrets::new(Arc::new(client)));
    }
    let service = service(chosen(setting)?, audit).await?;
    Ok(KnownSecrets::new(Arc::new(service)))
}

/// What the secrets role serves: the store of this machine, to those over the socket.
///
/// # Errors
/// When no store is chosen, or the passphrase that systemd gave does not open the encrypted file.
pub async fn served_secrets(
    setting: &Setting,
    audit: Arc<dyn Audit>,
) -> Result<Arc<secrets::Service>> {
    let store = chosen(setting)?.ok_or(Error::NotChosen).or_fail()?;
    let service = service(Some(store), audit).await?;
    Ok(Arc::new(service.over_a_socket()))
}

async fn service(store: Option<Store>, audit: Arc<dyn Audit>) -> Result<secrets::Service> {
    if let Some(store) = &store {
        fill(store).await?;
    }
    let clock = Arc::new(Timestamp::now);
    let store = store.map(Store::secrets);
    Ok(secrets::Service::new(store, audit, clock))
}

/// Secrets for a process that only looks. What the user's own command reads without an agent, to
/// list a provider's models, is on no record: the log may be another process's.
///
/// # Errors
/// As [`secrets()`].
pub async fn secrets_to_look(setting: &Setting) -> Result<KnownSecrets> {
    secrets(setting, Arc::new(Unrecorded)).await
}

/// Fills the kernel's keyring with the passphrase that systemd gave, if it is not filled.
async fn fill(store: &Store) -> Result<()> {
    let Store::Kernel(kernel) = store else {
        return Ok(());
    };
    let Some(passphrase) = store.credential()? else {
        return Ok(());
    };
    // A kernel without keyrings is reported when a secret is asked for.
    if matches!(kernel.state().await, Ok(State::Locked)) {
        let count = kernel.unlock(passphrase).await.map_err(of_credential)?;
        tracing::info!(count, "the secrets are unlocked");
    }
    Ok(())
}

/// Tries the passphrase that systemd gave, also where the store is open already; fills the store if
/// it is not. Nothing is done where none was given or there is no file.
///
/// # Errors
/// When it does not open the file, naming the credential.
pub async fn try_credential(store: &Store) -> Result<()> {
    if let Store::Kernel(kernel) = store
        && let Some(passphrase) = store.credential()?
        && matches!(kernel.state().await, Ok(State::Open(_)))
    {
        let tried = kernel.try_passphrase(passphrase).await;
        return Ok(tried.map_err(of_credential)?);
    }
    fill(store).await
}

fn of_credential(error: Error) -> Failure {
    let fault = Fault {
        code: error.code().to_owned(),
        message: format!("with the passphrase in the credential `{CREDENTIAL}`: {error}"),
        hint: "Correct what $CREDENTIALS_DIRECTORY holds under that name (LoadCredential= of the \
               systemd unit)."
            .to_owned(),
    };
    Failure {
        exit: Exit::Failed,
        fault,
    }
}

/// Where the secrets role listens if it is not told.
#[must_use]
pub fn secrets_socket(setting: &Setting) -> PathBuf {
    setting.paths.runtime.join("secrets.sock")
}

fn token_file(setting: &Setting) -> PathBuf {
    given(setting.loaded.config.secrets.token_file.clone())
        .unwrap_or_else(|| setting.paths.runtime.join("secrets.token"))
}

/// The token that the secrets role asks for, made at random if there is none yet.
///
/// # Errors
/// When the file cannot be made, or others can read it.
pub fn token(setting: &Setting) -> Result<Token> {
    let file = token_file(setting);
    private::make_token(&file, TOKEN_DIGITS)
        .with_context(|| format!("{} cannot be made", file.display()))?;
    known_token(setting)
}

/// The token that is there.
fn known_token(setting: &Setting) -> Result<Token> {
    let path = token_file(setting);
    let hint = "`carl serve --role secrets` makes it; across machines copy it, readable by you \
                alone, and name it in token_file under [secrets].";
    let unusable = |why: &dyn std::fmt::Display| {
        Failure::usage(
            format!("the token of the secrets role, {}: {why}", path.display()),
            hint,
        )
    };
    let facts = path.metadata().map_err(|error| unusable(&error))?;
    if !facts.is_file() {
        // A pipe in its place would be waited on for ever.
        return Err(unusable(&"it is no ordinary file; move it away").into());
    }
    let file = File::open(&path).map_err(|error| unusable(&error))?;
    check_private(&file, &path)?;
    let bytes = read(file, TOKEN_DIGITS + 2)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| unusable(&error))?;
    Ok(Token::new(text).map_err(|error| unusable(&error))?)
}

fn check_private(file: &File, path: &Path) -> Result<()> {
    let facts = file
        .metadata()
        .with_context(|| format!("{} cannot be looked at", path.display()))?;
    if facts.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(Failure::usage(
        format!("others than you can read {}", path.display()),
        format!(
            "Stop the secrets role, remove the file and start the role again; or, if nobody read \
             it: chmod 600 {}",
            path.display()
        ),
    )
    .into())
}

/// The whole of a small file, wiped when it is dropped.
fn read(file: File, limit: usize) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(limit + 1));
    file.take(limit as u64 + 1)
        .read_to_end(&mut bytes)
        .context("it cannot be read")?;
    anyhow::ensure!(bytes.len() <= limit, "it is longer than {limit} bytes");
    Ok(bytes)
}
