//! The encrypted file that the kernel's keyring is filled from.
//!
//! | Bytes | What |
//! |---|---|
//! | 0..8 | `HCSECRET` |
//! | 8 | version of this form: 1 |
//! | 9..21 | Argon2id: memory in KiB, passes, lanes, each 4 bytes little-endian |
//! | 21..37 | salt |
//! | 37..61 | nonce, fresh with each writing |
//! | 61.. | XChaCha20-Poly1305 of the secrets, with bytes 0..61 as associated data |
//!
//! The secrets are, one after the other, sorted by name: length of the name (1 byte), name, length
//! of the value (4 bytes little-endian), value. The key is Argon2id (RFC 9106, version 1.3) of the
//! passphrase and the salt.

use api::secrets::{SECRET_VALUE_BYTES, SecretName, SecretValue};
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use std::collections::BTreeMap;
use zeroize::Zeroizing;

/// Most secrets in one file. Below the kernel's usual limit of 200 keys a user.
pub const MAX_SECRETS: usize = 150;
/// Largest file, bytes.
pub const FILE_BYTES: u64 = 4 << 20;

const MAGIC: &[u8; 8] = b"HCSECRET";
const VERSION: u8 = 1;
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
const KEY_BYTES: usize = 32;
/// What is authenticated and not encrypted, without the nonce.
const LOCK_BYTES: usize = 8 + 1 + 12 + SALT_BYTES;
const HEADER_BYTES: usize = LOCK_BYTES + NONCE_BYTES;

/// All secrets, by name.
pub type Secrets = BTreeMap<SecretName, SecretValue>;

/// Why a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is something else.
    #[error("it is no file of secrets, or its beginning is damaged")]
    Form,
    /// A later Housecarl wrote it.
    #[error("it was written by a later version of Housecarl")]
    Version,
    /// The cost is outside of what is accepted.
    #[error("it asks for a weak or an unbounded derivation of its key")]
    Cost,
    /// Authentication failed.
    #[error("the passphrase is wrong, or the file was changed")]
    Sealed,
    /// It opened, and what is in it cannot be.
    #[error("what is in it is not what Housecarl writes")]
    Content,
    /// One more than fits.
    #[error("it holds 150 secrets, which is the most")]
    Full,
}

/// What deriving a key costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// KiB.
    memory_kib: u32,
    /// Times the memory is gone through.
    passes: u32,
    /// Lanes.
    lanes: u32,
}

impl Cost {
    /// The second choice of RFC 9106, section 4, for machines without 2 GiB to spare: 64 MiB,
    /// 3 passes, 4 lanes.
    pub const USUAL: Self = Self {
        memory_kib: 64 << 10,
        passes: 3,
        lanes: 4,
    };

    /// A file is believed in what it asks for only within these bounds: less is weak, and more
    /// would let whoever changed the file use up the machine.
    fn params(self) -> Result<Params, Problem> {
        let fits = (19 << 10..=1 << 20).contains(&self.memory_kib)
            && (2..=16).contains(&self.passes)
            && (1..=8).contains(&self.lanes);
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(KEY_BYTES));
        match params {
            Ok(params) if fits => Ok(params),
            _ => Err(Problem::Cost),
        }
    }
}

/// How a passphrase becomes the key of one file: the part of its header that stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lock {
    cost: Cost,
    salt: [u8; SALT_BYTES],
}

impl Lock {
    /// For a file that is to be: the usual cost and a salt of its own.
    #[must_use]
    pub fn fresh() -> Self {
        Self {
            cost: Cost::USUAL,
            salt: rand::random(),
        }
    }

    /// The lock of a file.
    ///
    /// # Errors
    /// [`Problem`] when the file is none of ours.
    pub fn of(file: &[u8]) -> Result<Self, Problem> {
        let head = file.get(..HEADER_BYTES).ok_or(Problem::Form)?;
        let (magic, rest) = head.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(Problem::Form);
        }
        if rest[0] != VERSION {
            return Err(Problem::Version);
        }
        let mut salt = [0; SALT_BYTES];
        salt.copy_from_slice(&rest[13..13 + SALT_BYTES]);
        Ok(Self {
            cost: Cost {
                memory_kib: number(&rest[1..5]),
                passes: number(&rest[5..9]),
                lanes: number(&rest[9..13]),
            },
            salt,
        })
    }

    /// The key that a passphrase gives. Takes a good part of a second.
    ///
    /// # Errors
    /// [`Problem::Cost`].
    pub fn key(self, passphrase: &[u8]) -> Result<FileKey, Problem> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, self.cost.params()?);
        match argon2.hash_password_into(passphrase, &self.salt, key.as_mut()) {
            Ok(()) => Ok(FileKey { lock: self, key }),
            Err(_) => Err(Problem::Cost),
        }
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.push(VERSION);
        for part in [self.cost.memory_kib, self.cost.passes, self.cost.lanes] {
            bytes.extend_from_slice(&part.to_le_bytes());
        }
        bytes.extend_from_slice(&self.salt);
        bytes
    }
}

/// The key of one file, with the lock it belongs to.
pub struct FileKey {
    lock: Lock,
    key: Zeroizing<[u8; KEY_BYTES]>,
}

impl FileKey {
    /// As it lies in the kernel while the store is unlocked.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(HEADER_BYTES + KEY_BYTES));
        bytes.extend_from_slice(&self.lock.bytes());
        bytes.extend_from_slice(&[0; NONCE_BYTES]);
        bytes.extend_from_slice(&*self.key);
        bytes
    }

    /// From the kernel again.
    ///
    /// # Errors
    /// [`Problem`] when these are no such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Problem> {
        let lock = Lock::of(bytes)?;
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        match bytes.get(HEADER_BYTES..) {
            Some(rest) if rest.len() == KEY_BYTES => key.copy_from_slice(rest),
            _ => return Err(Problem::Form),
        }
        Ok(Self { lock, key })
    }

    /// The file that holds these secrets.
    ///
    /// # Errors
    /// [`Problem::Full`].
    pub fn seal(&self, secrets: &Secrets) -> Result<Vec<u8>, Problem> {
        if secrets.len() > MAX_SECRETS {
            return Err(Problem::Full);
        }
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let mut file = self.lock.bytes();
        file.extend_from_slice(&nonce);
        let message = Payload {
            msg: &plain(secrets),
            aad: &file,
        };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), message);
        match sealed {
            Ok(sealed) => file.extend_from_slice(&sealed),
            // It fails for messages of more than 256 GiB alone.
            Err(_) => return Err(Problem::Full),
        }
        Ok(file)
    }

    /// The secrets in a file.
    ///
    /// # Errors
    /// [`Problem`] when the file is not sealed with this key, byte for byte.
    pub fn open(&self, file: &[u8]) -> Result<Secrets, Problem> {
        if Lock::of(file)? != self.lock {
            return Err(Problem::Sealed);
        }
        let (header, sealed) = file.split_at(HEADER_BYTES);
        let mut nonce = [0; NONCE_BYTES];
        nonce.copy_from_slice(&header[LOCK_BYTES..]);
        let message = Payload {
            msg: sealed,
            aad: header,
        };
        let opened = self.cipher().decrypt(&XNonce::from(nonce), message);
        match opened {
            Ok(plain) => read(&Zeroizing::new(plain)).ok_or(Problem::Content),
            Err(_) => Err(Problem::Sealed),
        }
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&(*self.key).into())
    }
}

fn number(bytes: &[u8]) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(bytes);
    u32::from_le_bytes(four)
}

fn plain(secrets: &Secrets) -> Zeroizing<Vec<u8>> {
    let length = |(name, value): (&SecretName, &SecretValue)| {
        1 + name.as_str().len() + 4 + value.expose().len()
    };
    // Of its full size from the start: a vector that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(secrets.iter().map(length).sum()));
    for (name, value) in secrets {
        // Both fit: a name has at most 64 bytes, a value at most 16 KiB.
        bytes.push(name.as_str().len() as u8);
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(&(value.expose().len() as u32).to_le_bytes());
        bytes.extend_from_slice(value.expose());
    }
    bytes
}

fn read(mut bytes: &[u8]) -> Option<Secrets> {
    let mut secrets = Secrets::new();
    while let Some((length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let name: SecretName = match std::str::from_utf8(name).map(SecretName::kept) {
            Ok(Ok(name)) => name,
            _ => return None,
        };
        let (length, rest) = rest.split_at_checked(4)?;
        let length = usize::try_from(number(length)).unwrap_or(usize::MAX);
        if length > SECRET_VALUE_BYTES {
            return None;
        }
        let (value, rest) = rest.split_at_checked(length)?;
        secrets.insert(name, SecretValue::new(value.to_vec()));
        bytes = rest;
    }
    Some(secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(pairs: &[(&str, &[u8])]) -> Secrets {
        let pair = |(name, value): &(&str, &[u8])| {
            (name.parse().unwrap(), SecretValue::new(value.to_vec()))
        };
        pairs.iter().map(pair).collect()
    }

    fn same(one: &Secrets, two: &Secrets) -> bool {
        one.len() == two.len()
            && one
                .iter()
                .all(|(name, value)| two.get(name).is_some_and(|v| v.matches(value.expose())))
    }

    fn quick() -> FileKey {
        let cost = Cost {
            memory_kib: 19 << 10,
            passes: 2,
            lanes: 1,
        };
        let lock = Lock {
            cost,
            salt: [7; SALT_BYTES],
        };
        lock.key(b"correct horse").unwrap()
    }

    #[test]
    fn what_is_sealed_opens_again_with_the_passphrase_alone() {
        let kept = secrets(&[("a", b"1"), ("b-2", b"\0\n\xff"), ("c", &[9; 16 << 10])]);
        let file = quick().seal(&kept).unwrap();
        assert!(!file.windows(3).any(|w| w == b"b-2"));
        let lock = Lock::of(&file).unwrap();
        assert!(same(
            &lock.key(b"correct horse").unwrap().open(&file).unwrap(),
            &kept
        ));
        let wrong = lock.key(b"correct horsf").unwrap();
        assert_eq!(wrong.open(&file).err(), Some(Problem::Sealed));
        let again = FileKey::from_bytes(&quick().to_bytes()).unwrap();
        assert!(same(&again.open(&file).unwrap(), &kept));
    }

    #[test]
    fn no_byte_can_be_changed_cut_off_or_added() {
        let key = quick();
        let file = key.seal(&secrets(&[("a", b"one"), ("b", b"two")])).unwrap();
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                assert!(key.open(&changed).is_err(), "bit {bit} of byte {at}");
            }
            assert!(key.open(&file[..at]).is_err(), "cut at {at}");
        }
        let mut longer = file.clone();
        longer.push(0);
        assert_eq!(key.open(&longer).err(), Some(Problem::Sealed));
    }

    #[test]
    fn the_header_belongs_to_what_is_sealed() {
        let key = quick();
        let file = key.seal(&secrets(&[("a", b"one")])).unwrap();
        let (header, sealed) = file.split_at(HEADER_BYTES);
        let nonce: [u8; NONCE_BYTES] = header[LOCK_BYTES..].try_into().unwrap();
        let opens = |aad: &[u8]| {
            let message = Payload { msg: sealed, aad };
            key.cipher().decrypt(&XNonce::from(nonce), message).is_ok()
        };
        assert!(opens(header) && !opens(b"") && !opens(&header[1..]));
    }

    #[test]
    fn two_sealings_of_the_same_differ() {
        let key = quick();
        let kept = secrets(&[("a", b"one")]);
        assert_ne!(key.seal(&kept).unwrap(), key.seal(&kept).unwrap());
    }

    #[test]
    fn a_weak_or_unbounded_cost_is_refused() {
        let key = |memory_kib, passes, lanes| {
            let cost = Cost {
                memory_kib,
                passes,
                lanes,
            };
            cost.params().err()
        };
        assert_eq!(key(64 << 10, 3, 4), None);
        for (memory, passes, lanes) in [
            (8, 3, 4),
            (64 << 10, 1, 4),
            (2 << 20, 3, 4),
            (64 << 10, 99, 4),
            (64 << 10, 3, 99),
        ] {
            assert_eq!(key(memory, passes, lanes), Some(Problem::Cost));
        }
    }

    #[test]
    fn a_file_holds_so_many_secrets_and_no_more() {
        let many = |count: usize| -> Secrets {
            let named = |i: usize| (format!("n{i}").parse().unwrap(), SecretValue::new(vec![1]));
            (0..count).map(named).collect()
        };
        assert!(quick().seal(&many(MAX_SECRETS)).is_ok());
        assert_eq!(
            quick().seal(&many(MAX_SECRETS + 1)).err(),
            Some(Problem::Full)
        );
    }
}
