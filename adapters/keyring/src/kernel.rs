//! The kernel's keyring, filled from an encrypted file.
//!
//! Unlocking opens the file once and gives each secret to the kernel, in the user's own keyring, so
//! that every `carl` of the user finds it until `carl secret lock` or the next boot. Reading never
//! touches the file. The key of the file lies beside the secrets, so that one can be added without
//! the passphrase; and an index, so that locking finds all of them.
//!
//! A key can be read by whoever possesses it. A thread of ours comes to possess the user's keyring
//! for one operation, through its own thread keyring, which no other thread and no child inherits.

use crate::record::{FILE_BYTES, FileKey, Lock, Problem, Secrets as Contents};
use api::secrets::{
    Error, Keeper, Kept, SECRET_TIME, SECRET_VALUE_BYTES, SecretName, SecretValue, Secrets,
    check_value,
};
use async_trait::async_trait;
use disk::private::{self, Durability};
use linux_keyutils::{
    Key, KeyError, KeyPermissionsBuilder, KeyRing, KeyRingIdentifier, Permission,
};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Longest an index can be, bytes: the most names of the greatest length, a line each.
const INDEX_BYTES: usize = 16 << 10;
/// Shortest passphrase for a file that is to be, characters.
pub const PASSPHRASE_CHARS: usize = 8;

/// How a store stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// There is no file yet.
    Absent,
    /// There is a file, and the kernel holds nothing of it.
    Locked,
    /// The kernel holds so many secrets.
    Open(usize),
}

/// The kernel's keyring, filled from one file.
#[derive(Debug, Clone)]
pub struct KernelKeyring {
    file: PathBuf,
}

impl KernelKeyring {
    /// The store that is filled from a file, whether it is there yet or not.
    #[must_use]
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// The file it is filled from.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// How it stands.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the kernel refuses key calls.
    pub async fn state(&self) -> Result<State, Error> {
        let store = self.clone();
        within(move || match store.keys()?.index()? {
            Some(names) => Ok(State::Open(names.len())),
            None if store.file.exists() => Ok(State::Locked),
            None => Ok(State::Absent),
        })
        .await
    }

    /// Makes the file, with nothing in it, and unlocks it.
    ///
    /// # Errors
    /// [`Error`] when there is one already, the passphrase is too short, or a part fails.
    pub async fn create(&self, passphrase: SecretValue) -> Result<(), Error> {
        let chars = String::from_utf8_lossy(passphrase.expose()).chars().count();
        if chars < PASSPHRASE_CHARS {
            return Err(Error::InvalidValue {
                problem: "a passphrase has 8 characters or more",
            });
        }
        let store = self.clone();
        blocking(move || {
            let _alone = store.alone()?;
            if store.file.exists() {
                return Err(unavailable(format!(
                    "{} is already there",
                    store.file.display()
                )));
            }
            let key = Lock::fresh().key(passphrase.expose());
            let key = key.map_err(|problem| store.sealed(problem))?;
            store.write(&key, &Contents::new())?;
            store.keys()?.fill(&key, &Contents::new())
        })
        .await
    }

    /// Opens the file and fills the kernel's keyring from it. Returns how many secrets there are.
    /// Takes as long as the derivation of the key does: a good part of a second.
    ///
    /// # Errors
    /// [`Error::Sealed`] for a wrong passphrase or a changed file, and others when there is no file
    /// or the kernel refuses.
    pub async fn unlock(&self, passphrase: SecretValue) -> Result<usize, Error> {
        let store = self.clone();
        blocking(move || {
            let _alone = store.alone()?;
            let file = store.read()?;
            let opened = Lock::of(&file)
                .and_then(|lock| lock.key(passphrase.expose()))
                .and_then(|key| key.open(&file).map(|contents| (key, contents)));
            let (key, contents) = opened.map_err(|problem| store.sealed(problem))?;
            let keys = store.keys()?;
            keys.clear()?;
            keys.fill(&key, &contents)?;
            Ok(contents.len())
        })
        .await
    }

    /// Whether a passphrase opens the file. Nothing is changed; it takes as long as unlocking.
    ///
    /// # Errors
    /// As [`Self::unlock`].
    pub async fn try_passphrase(&self, passphrase: SecretValue) -> Result<(), Error> {
        let store = self.clone();
        blocking(move || {
            let file = store.read()?;
            Lock::of(&file)
                .and_then(|lock| lock.key(passphrase.expose()))
                .and_then(|key| key.open(&file))
                .map(drop)
                .map_err(|problem| store.sealed(problem))
        })
        .await
    }

    /// Takes everything out of the kernel again.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the kernel refuses.
    pub async fn lock(&self) -> Result<(), Error> {
        let store = self.clone();
        within(move || store.keys()?.clear()).await
    }

    /// Changes what is in the file and tells the kernel. What the kernel does not take, as when its
    /// quota is used up, is taken out of the file again: both hold the same.
    fn change<T>(
        &self,
        work: impl FnOnce(&mut Contents) -> Result<T, Error>,
        tell: impl FnOnce(&Keys, &Contents) -> Result<(), Error>,
    ) -> Result<T, Error> {
        let _alone = self.alone()?;
        let keys = self.keys()?;
        let key = keys.file_key()?.ok_or_else(|| self.locked())?;
        let before = self.read()?;
        let mut contents = key.open(&before).map_err(|problem| self.sealed(problem))?;
        let done = work(&mut contents)?;
        self.write(&key, &contents)?;
        if let Err(refusal) = tell(&keys, &contents) {
            self.replace(&before)?;
            return Err(refusal);
        }
        Ok(done)
    }

    fn contents(&self, key: &FileKey) -> Result<Contents, Error> {
        let file = self.read()?;
        key.open(&file).map_err(|problem| self.sealed(problem))
    }

    fn read(&self) -> Result<Vec<u8>, Error> {
        let open = || {
            let mut bytes = Vec::new();
            // A pipe in its place would be waited on for ever.
            if !std::fs::metadata(&self.file)?.is_file() {
                return Err(io::Error::other("it is no ordinary file; move it away"));
            }
            File::open(&self.file)?
                .take(FILE_BYTES + 1)
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match open() {
            Ok(bytes) if bytes.len() as u64 <= FILE_BYTES => Ok(bytes),
            Ok(_) => Err(self.sealed(Problem::Form)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.gone(&error)),
            Err(error) => Err(self.failed("read", &error)),
        }
    }

    /// The file is not there. Where the kernel was filled from it before, that goes on serving what the
    /// file held.
    fn gone(&self, error: &io::Error) -> Error {
        let detail = format!("{} cannot be read: {error}", self.file.display());
        match self.keys().and_then(|keys| keys.index()) {
            Ok(Some(_)) => Error::Unavailable {
                detail: format!("{detail}; what it held is open in the kernel's keyring still"),
                hint:
                    "Put the file back; or have the kernel forget what it held with `carl secret \
                       lock`, and `carl secret set` makes a new file."
                        .to_owned(),
            },
            Ok(None) | Err(_) => unavailable(detail),
        }
    }

    /// Puts a new file in the place of the old one, whole or not at all.
    fn write(&self, key: &FileKey, contents: &Contents) -> Result<(), Error> {
        let bytes = key.seal(contents).map_err(|problem| self.sealed(problem))?;
        self.replace(&bytes)
    }

    fn replace(&self, bytes: &[u8]) -> Result<(), Error> {
        private::replace(&self.file, bytes, Durability::Durable)
            .map_err(|error| self.failed("written", &error))
    }

    /// Keeps other writers of the file away until it is dropped.
    fn alone(&self) -> Result<File, Error> {
        private::wait_for_lock(&self.file.with_extension("lock"))
            .map_err(|error| self.failed("locked", &error))
    }

    fn keys(&self) -> Result<Keys, Error> {
        Keys::of(&self.file)
    }

    fn locked(&self) -> Error {
        let file = self.file.display();
        let detail = match self.file.exists() {
            true => format!("the kernel's keyring holds nothing of {file}"),
            false => format!(
                "there is no encrypted file {file}. One from a backup is to be put there first; \
                 unlocking makes a new, empty one"
            ),
        };
        Error::Locked { detail }
    }

    fn sealed(&self, problem: Problem) -> Error {
        Error::Sealed {
            detail: format!("{}: {problem}", self.file.display()),
        }
    }

    fn failed(&self, verb: &str, error: &io::Error) -> Error {
        unavailable(format!("{} cannot be {verb}: {error}", self.file.display()))
    }
}

#[async_trait]
impl Secrets for KernelKeyring {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let name: SecretName = name.parse()?;
        let store = self.clone();
        within(move || {
            let keys = store.keys()?;
            match keys.secret(&name)? {
                Some(value) => Ok(value),
                None if keys.index()?.is_none() => Err(store.locked()),
                None => Err(not_found(&name)),
            }
        })
        .await
    }
}

#[async_trait]
impl Keeper for KernelKeyring {
    async fn set(&self, name: &SecretName, value: SecretValue) -> Result<Kept, Error> {
        check_value(&value)?;
        let (store, name) = (self.clone(), name.clone());
        within(move || {
            let inserted = name.clone();
            let work = |contents: &mut Contents| match contents.insert(inserted, value) {
                Some(_) => Ok(Kept::Replaced),
                None => Ok(Kept::Added),
            };
            store.change(work, |keys, contents| {
                // The index first: a name in it without a secret does no harm, a secret without a
                // name would outlive the locking.
                keys.put_index(contents)?;
                match contents.get(&name) {
                    Some(value) => keys.put_secret(&name, value),
                    None => Ok(()),
                }
            })
        })
        .await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), Error> {
        let (store, name) = (self.clone(), name.clone());
        within(move || {
            let work = |contents: &mut Contents| match contents.remove(&name) {
                Some(_) => Ok(()),
                None => Err(not_found(&name)),
            };
            store.change(work, |keys, contents| {
                keys.drop_key(&keys.secret_place(&name))?;
                keys.put_index(contents)
            })
        })
        .await
    }

    async fn names(&self) -> Result<Vec<SecretName>, Error> {
        let store = self.clone();
        within(move || {
            let key = store.keys()?.file_key()?.ok_or_else(|| store.locked())?;
            Ok(store.contents(&key)?.into_keys().collect())
        })
        .await
    }
}

/// The keys of one store in the user's keyring, possessed by this thread until it is dropped.
struct Keys {
    ring: KeyRing,
    thread: KeyRing,
    prefix: String,
}

impl Keys {
    fn of(file: &Path) -> Result<Self, Error> {
        let ring = KeyRing::from_special_id(KeyRingIdentifier::User, false).map_err(refused)?;
        let thread = KeyRing::from_special_id(KeyRingIdentifier::Thread, true).map_err(refused)?;
        thread.link_keyring(ring).map_err(refused)?;
        Ok(Self {
            ring,
            thread,
            prefix: format!("housecarl:{}", file.display()),
        })
    }

    fn secret_place(&self, name: &SecretName) -> String {
        format!("{}:secret:{name}", self.prefix)
    }

    fn key_place(&self) -> String {
        format!("{}:key", self.prefix)
    }

    fn index_place(&self) -> String {
        format!("{}:index", self.prefix)
    }

    fn secret(&self, name: &SecretName) -> Result<Option<SecretValue>, Error> {
        let found = self.get(&self.secret_place(name), SECRET_VALUE_BYTES)?;
        Ok(found.map(|value| SecretValue::new(value.to_vec())))
    }

    fn put_secret(&self, name: &SecretName, value: &SecretValue) -> Result<(), Error> {
        self.put(&self.secret_place(name), value.expose())
    }

    fn file_key(&self) -> Result<Option<FileKey>, Error> {
        match self.get(&self.key_place(), INDEX_BYTES)? {
            Some(bytes) => match FileKey::from_bytes(&bytes) {
                Ok(key) => Ok(Some(key)),
                Err(problem) => Err(unavailable(format!("its key in the kernel: {problem}"))),
            },
            None => Ok(None),
        }
    }

    /// The names that were filled in; `None` while the store is locked.
    fn index(&self) -> Result<Option<Vec<SecretName>>, Error> {
        let Some(bytes) = self.get(&self.index_place(), INDEX_BYTES)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes);
        text.lines()
            .skip(1)
            .map(SecretName::kept)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn put_index(&self, contents: &Contents) -> Result<(), Error> {
        // The first line keeps an index of nothing from being an empty key, which the kernel
        // does not take.
        let mut text = String::from("names\n");
        for name in contents.keys() {
            text.push_str(name.as_str());
            text.push('\n');
        }
        self.put(&self.index_place(), text.as_bytes())
    }

    /// Gives the kernel everything, or takes it all out again.
    fn fill(&self, key: &FileKey, contents: &Contents) -> Result<(), Error> {
        let filled = self.put_index(contents).and_then(|()| {
            for (name, value) in contents {
                self.put_secret(name, value)?;
            }
            self.put(&self.key_place(), &key.to_bytes())
        });
        if filled.is_err() {
            self.clear()?;
        }
        filled
    }

    /// Takes everything out. The index goes last: until then a second try finds all of it.
    fn clear(&self) -> Result<(), Error> {
        for name in self.index()?.unwrap_or_default() {
            self.drop_key(&self.secret_place(&name))?;
        }
        self.drop_key(&self.key_place())?;
        self.drop_key(&self.index_place())
    }

    fn find(&self, place: &str) -> Result<Option<Key>, Error> {
        match self.ring.search(place) {
            Ok(key) => Ok(Some(key)),
            Err(KeyError::KeyDoesNotExist | KeyError::KeyRevoked | KeyError::KeyExpired) => {
                Ok(None)
            }
            Err(error) => Err(refused(error)),
        }
    }

    fn get(&self, place: &str, limit: usize) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let Some(key) = self.find(place)? else {
            return Ok(None);
        };
        let mut bytes = Zeroizing::new(vec![0; limit]);
        let length = key.read(&mut *bytes).map_err(refused)?;
        if length > limit {
            return Err(unavailable(format!(
                "a key in the kernel has {length} bytes"
            )));
        }
        bytes.truncate(length);
        Ok(Some(bytes))
    }

    /// Whoever possesses it may do everything with it; the user as such, and anyone else, nothing.
    fn put(&self, place: &str, bytes: &[u8]) -> Result<(), Error> {
        let key = self.ring.add_key(place, bytes).map_err(refused)?;
        let permissions = KeyPermissionsBuilder::builder()
            .posessor(Permission::ALL)
            .build();
        key.set_perms(permissions).map_err(refused)
    }

    fn drop_key(&self, place: &str) -> Result<(), Error> {
        match self.find(place)? {
            Some(key) => key.invalidate().map_err(refused),
            None => Ok(()),
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // It ends with the thread in any case.
        let _unlinked = self.thread.unlink_keyring(self.ring);
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(unavailable(format!("the work on it ended: {error}"))),
    }
}

/// What comes of it within the time that a store has.
async fn within<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::time::timeout(SECRET_TIME, blocking(work)).await {
        Ok(done) => done,
        Err(_elapsed) => Err(unavailable(format!(
            "the kernel or the disk did not answer within {} s",
            SECRET_TIME.as_secs()
        ))),
    }
}

fn not_found(name: &SecretName) -> Error {
    Error::NotFound {
        name: name.to_string(),
    }
}

fn unavailable(detail: String) -> Error {
    Error::unavailable(detail)
}

fn refused(error: KeyError) -> Error {
    let why = match error {
        KeyError::QuotaExceeded => {
            "the kernel's quota for keys of this user is used up (kernel.keys.maxkeys and maxbytes)"
        }
        KeyError::AccessDenied | KeyError::PermissionDenied | KeyError::OperationNotSupported => {
            "the kernel refuses key calls here, as some containers make it do"
        }
        _ => "the kernel's keyring does not work here",
    };
    unavailable(format!("{why} ({error})"))
}
