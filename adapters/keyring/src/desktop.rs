//! The desktop's Secret Service over D-Bus: GNOME Keyring, KWallet and others.
//!
//! The interface is that of the freedesktop.org Secret Service specification, draft 0.2. Values
//! cross the bus encrypted for this connection. Secrets lie in the default collection and are found
//! by two attributes, so that people see them in their desktop's own program as well.

use api::secrets::{
    Error, Keeper, Kept, SECRET_TIME, SecretName, SecretValue, Secrets, TRY_THE_STORE, check_value,
};
use async_trait::async_trait;
use oo7::dbus::{Collection, Error as BusError, Item, Service, ServiceError};
use std::time::Duration;

/// Tells our items from those of other programs.
const APPLICATION: (&str, &str) = ("application", "housecarl");
/// The attribute that holds a secret's name.
const NAME: &str = "name";
/// Longest the user may take to answer the desktop's own question, when they asked for it.
const UNLOCK_TIME: Duration = Duration::from_secs(120);

/// The Secret Service on the session bus that the environment names.
#[derive(Debug, Clone, Copy, Default)]
pub struct SecretService;

impl SecretService {
    /// The store. Connects with each use: a desktop may end and begin anew.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// Asks the desktop to unlock the default collection. The desktop may ask the user for the
    /// password in a window of its own, so this is for a command that the user typed.
    ///
    /// # Errors
    /// [`Error`] when there is no Secret Service, or the collection stays locked.
    pub async fn unlock(&self) -> Result<(), Error> {
        let collection = within(open_collection()).await?;
        let asked = tokio::time::timeout(UNLOCK_TIME, collection.unlock(None));
        match asked.await {
            Ok(unlocked) => unlocked.map_err(|error| explained(&error))?,
            Err(_elapsed) => return Err(locked()),
        }
        match within(is_locked(&collection)).await? {
            true => Err(locked()),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Secrets for SecretService {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let name: SecretName = name.parse()?;
        within(async {
            let item = find(&unlocked_collection().await?, &name).await?;
            let item = item.ok_or_else(|| not_found(&name))?;
            let secret = item.secret().await.map_err(|error| explained(&error))?;
            Ok(SecretValue::new(secret.as_bytes().to_vec()))
        })
        .await
    }
}

#[async_trait]
impl Keeper for SecretService {
    async fn set(&self, name: &SecretName, value: SecretValue) -> Result<Kept, Error> {
        check_value(&value)?;
        within(async {
            let collection = unlocked_collection().await?;
            let kept = match find(&collection, name).await? {
                Some(_) => Kept::Replaced,
                None => Kept::Added,
            };
            let label = format!("Housecarl: {name}");
            let attributes = [APPLICATION, (NAME, name.as_str())];
            let replace = true;
            collection
                .create_item(&label, &&attributes[..], value.expose(), replace, None)
                .await
                .map_err(|error| explained(&error))?;
            Ok(kept)
        })
        .await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), Error> {
        within(async {
            let item = find(&unlocked_collection().await?, name).await?;
            let item = item.ok_or_else(|| not_found(name))?;
            item.delete(None).await.map_err(|error| explained(&error))
        })
        .await
    }

    async fn names(&self) -> Result<Vec<SecretName>, Error> {
        within(async {
            let collection = unlocked_collection().await?;
            let ours = search(&collection, &[APPLICATION]).await?;
            let mut names = Vec::new();
            for item in ours {
                let attributes = item.attributes().await.map_err(|error| explained(&error))?;
                // An item with our mark that another program made may be named in any way.
                if let Some(Ok(name)) = attributes.get(NAME).map(|name| SecretName::kept(name)) {
                    names.push(name);
                }
            }
            names.sort();
            names.dedup();
            Ok(names)
        })
        .await
    }
}

/// What comes of it within the time that a store has.
async fn within<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match tokio::time::timeout(SECRET_TIME, work).await {
        Ok(done) => done,
        Err(_elapsed) => Err(Error::unavailable(format!(
            "the Secret Service did not answer on D-Bus within {} s",
            SECRET_TIME.as_secs()
        ))),
    }
}

/// Refuses a bus that is no socket: an address may also name a program to start, and nothing is
/// started to find a secret.
fn bus_is_a_socket() -> Result<(), Error> {
    let address = std::env::var("DBUS_SESSION_BUS_ADDRESS").unwrap_or_default();
    if address.is_empty() || address.split(';').all(|one| one.starts_with("unix:")) {
        return Ok(());
    }
    Err(Error::Unavailable {
        detail: "DBUS_SESSION_BUS_ADDRESS is no unix socket".to_owned(),
        hint: "Write unix:path=… there.".to_owned(),
    })
}

async fn open_collection() -> Result<Collection, Error> {
    bus_is_a_socket()?;
    // Encrypted or not at all: a service that offers only plain transport is refused.
    let service = Service::encrypted()
        .await
        .map_err(|error| explained(&error))?;
    let collection = service.with_alias(Service::DEFAULT_COLLECTION).await;
    collection
        .map_err(|error| explained(&error))?
        .ok_or_else(|| Error::Unavailable {
            detail: "the Secret Service has no default collection".to_owned(),
            hint: "Sign in to the desktop once, or make one in its own program for passwords and \
                   keys."
                .to_owned(),
        })
}

async fn is_locked(collection: &Collection) -> Result<bool, Error> {
    collection
        .is_locked()
        .await
        .map_err(|error| explained(&error))
}

/// The default collection, if it is open. To ask for its password would open a window.
async fn unlocked_collection() -> Result<Collection, Error> {
    let collection = open_collection().await?;
    match is_locked(&collection).await? {
        true => Err(locked()),
        false => Ok(collection),
    }
}

async fn search(collection: &Collection, by: &[(&str, &str)]) -> Result<Vec<Item>, Error> {
    collection
        .search_items(&by)
        .await
        .map_err(|error| explained(&error))
}

async fn find(collection: &Collection, name: &SecretName) -> Result<Option<Item>, Error> {
    let found = search(collection, &[APPLICATION, (NAME, name.as_str())]).await?;
    Ok(found.into_iter().next())
}

fn not_found(name: &SecretName) -> Error {
    Error::NotFound {
        name: name.to_string(),
    }
}

fn locked() -> Error {
    Error::Locked {
        detail: "the default collection of the Secret Service".to_owned(),
    }
}

/// The bus's error in words that say what to do.
fn explained(error: &BusError) -> Error {
    use oo7::zbus::Error as Bus;
    let bus = match error {
        BusError::Service(ServiceError::IsLocked(_)) => return locked(),
        BusError::Dismissed => return locked(),
        BusError::ZBus(bus) | BusError::Service(ServiceError::ZBus(bus)) => Some(bus),
        _ => None,
    };
    let plain = || error.to_string();
    let (detail, hint) = match bus {
        Some(Bus::MethodError(name, ..)) if is_absence(name.as_str()) => {
            let nobody = "no program on the session bus offers the Secret Service";
            (nobody.to_owned(), "GNOME Keyring and KWallet do.")
        }
        Some(Bus::FDO(_) | Bus::MethodError(..)) | None => (plain(), TRY_THE_STORE),
        Some(_) => (
            format!(
                "there is no D-Bus session bus here, as there is in a desktop session ({error})"
            ),
            "On a server write `backend = \"kernel-keyring\"` under [secrets] in config.toml.",
        ),
    };
    Error::Unavailable {
        detail,
        hint: hint.to_owned(),
    }
}

/// Whether the bus says that nobody offers what was asked for.
fn is_absence(name: &str) -> bool {
    matches!(
        name,
        "org.freedesktop.DBus.Error.ServiceUnknown"
            | "org.freedesktop.DBus.Error.NameHasNoOwner"
            | "org.freedesktop.DBus.Error.Spawn.ServiceNotFound"
    )
}
