//! Checkpoints: the C2SP `tlog-checkpoint` form, signed as a C2SP `signed-note` with Ed25519.
//!
//! A checkpoint says "the log ORIGIN has SIZE records and this is its tree's root". Whoever keeps
//! one elsewhere can tell later whether those records are still the same.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;
use zeroize::{Zeroize as _, Zeroizing};

use crate::tree::Node;

/// The longest note that is read, bytes: text, and a handful of signatures.
pub const NOTE_BYTES: usize = 16 << 10;
/// The kind of key that the note form calls Ed25519.
const ED25519: u8 = 1;
const SIGNATURE_LINE: &str = "\u{2014} ";

/// The state of a log at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name, the same for as long as the log lives.
    pub origin: String,
    /// Records.
    pub size: u64,
    /// The Merkle tree's root over them.
    pub root: Node,
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = STANDARD.encode(self.root);
        writeln!(f, "{}\n{}\n{root}", self.origin, self.size)
    }
}

/// Why a text is not a checkpoint that a key signed, or not a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It does not have the form of a signed note.
    #[error("it has not the form of a signed note: {0}")]
    Form(&'static str),
    /// No signature is by this key.
    #[error("it is signed by {found}, not by {wanted}")]
    OtherKey {
        /// Who signed it.
        found: String,
        /// Whose signature was looked for.
        wanted: String,
    },
    /// The signature is not right.
    #[error("its signature does not fit its text, so it was changed or made by someone else")]
    Signature,
}

/// A note's text, and what was signed by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NamedSignature>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedSignature {
    name: String,
    key: [u8; 4],
    bytes: Vec<u8>,
}

impl Note {
    /// The checkpoint that it states, whoever signed it.
    ///
    /// # Errors
    /// [`NoteError::Form`] when it states none.
    pub fn checkpoint(&self) -> Result<Checkpoint, NoteError> {
        let mut lines = self.text.lines();
        let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next())
        else {
            return Err(NoteError::Form("it needs a name, a size and a root"));
        };
        let size = number(size).ok_or(NoteError::Form("its size is not a number"))?;
        let root = STANDARD
            .decode(root)
            .ok()
            .and_then(|bytes| Node::try_from(bytes.as_slice()).ok())
            .ok_or(NoteError::Form("its root is not 32 bytes in base64"))?;
        if origin.is_empty() {
            return Err(NoteError::Form("its name is empty"));
        }
        Ok(Checkpoint {
            origin: origin.to_owned(),
            size,
            root,
        })
    }
}

/// A decimal number without sign or leading zeros, as the form asks for.
fn number(text: &str) -> Option<u64> {
    let parsed: u64 = text.parse().ok().filter(|n: &u64| n.to_string() == text)?;
    Some(parsed)
}

impl FromStr for Note {
    type Err = NoteError;

    /// Reads a note. Line ends of other systems and empty lines around it are forgiven, because
    /// notes are mailed and pasted.
    fn from_str(text: &str) -> Result<Self, NoteError> {
        if text.len() > NOTE_BYTES {
            return Err(NoteError::Form("it is too long"));
        }
        let text = text.replace("\r\n", "\n");
        let text = text.trim_matches(['\n', ' ', '\t', '\u{feff}']);
        if text.chars().any(|c| c.is_control() && c != '\n') {
            return Err(NoteError::Form("it has control characters"));
        }
        let Some((body, signatures)) = text.rsplit_once("\n\n") else {
            return Err(NoteError::Form(
                "no empty line stands before the signatures",
            ));
        };
        let signatures: Result<Vec<NamedSignature>, NoteError> =
            signatures.lines().map(signature).collect();
        Ok(Self {
            text: format!("{body}\n"),
            signatures: signatures?,
        })
    }
}

fn signature(line: &str) -> Result<NamedSignature, NoteError> {
    let wrong = NoteError::Form("a signature line is not `\u{2014} NAME BASE64`");
    let Some((name, encoded)) = line
        .strip_prefix(SIGNATURE_LINE)
        .and_then(|rest| rest.split_once(' '))
    else {
        return Err(wrong);
    };
    match STANDARD.decode(encoded.trim_end()) {
        Ok(bytes) if bytes.len() > 4 && is_name(name) => {
            let (key, bytes) = bytes.split_at(4);
            let mut hash = [0; 4];
            hash.copy_from_slice(key);
            Ok(NamedSignature {
                name: name.to_owned(),
                key: hash,
                bytes: bytes.to_vec(),
            })
        }
        _ => Err(wrong),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['+']) && !name.contains(char::is_whitespace)
}

fn key_hash(name: &str, key: &VerifyingKey) -> [u8; 4] {
    let hasher = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', ED25519]);
    let digest: [u8; 32] = hasher.chain_update(key.as_bytes()).finalize().into();
    [digest[0], digest[1], digest[2], digest[3]]
}

/// A public key with its name: `NAME+HASH+BASE64`, as notes' tools print it.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    name: String,
    key: VerifyingKey,
}

impl PublicKey {
    /// Whose key it is: the log's origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The checkpoint of a note that this key signed.
    ///
    /// # Errors
    /// [`NoteError`] when the note is no checkpoint, or this key did not sign it.
    pub fn open(&self, note: &Note) -> Result<Checkpoint, NoteError> {
        let hash = key_hash(&self.name, &self.key);
        let own = note
            .signatures
            .iter()
            .find(|s| s.name == self.name && s.key == hash);
        let Some(own) = own else {
            let names: Vec<&str> = note.signatures.iter().map(|s| s.name.as_str()).collect();
            return Err(NoteError::OtherKey {
                found: if names.is_empty() {
                    "nobody".to_owned()
                } else {
                    names.join(", ")
                },
                wanted: self.to_string(),
            });
        };
        let signature = Signature::from_slice(&own.bytes).ok();
        let fits = signature.is_some_and(|signature| {
            self.key
                .verify_strict(note.text.as_bytes(), &signature)
                .is_ok()
        });
        if !fits {
            return Err(NoteError::Signature);
        }
        note.checkpoint()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![ED25519];
        bytes.extend_from_slice(self.key.as_bytes());
        let hash = u32::from_be_bytes(key_hash(&self.name, &self.key));
        write!(f, "{}+{hash:08x}+{}", self.name, STANDARD.encode(bytes))
    }
}

/// Name, hash and the 32 bytes of a key's text form.
fn key_parts(text: &str) -> Result<(&str, &str, Zeroizing<[u8; 32]>), NoteError> {
    let wrong = NoteError::Form("a key is NAME+HASH+BASE64");
    let mut parts = text.trim().splitn(3, '+');
    let (Some(name), Some(hash), Some(encoded)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(wrong);
    };
    let Some(bytes) = STANDARD.decode(encoded).map(Zeroizing::new).ok() else {
        return Err(wrong);
    };
    match bytes.split_first() {
        Some((&ED25519, key)) if key.len() == 32 && is_name(name) => {
            let mut bytes = Zeroizing::new([0; 32]);
            bytes.copy_from_slice(key);
            Ok((name, hash, bytes))
        }
        _ => Err(NoteError::Form("it is not an Ed25519 key")),
    }
}

fn hash_fits(hash: &str, name: &str, key: &VerifyingKey) -> Result<(), NoteError> {
    if hash == format!("{:08x}", u32::from_be_bytes(key_hash(name, key))) {
        Ok(())
    } else {
        Err(NoteError::Form(
            "the key's hash does not fit the key: a typing mistake?",
        ))
    }
}

impl FromStr for PublicKey {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let (name, hash, bytes) = key_parts(text)?;
        let Some(key) = VerifyingKey::from_bytes(&bytes).ok() else {
            return Err(NoteError::Form("it is not an Ed25519 key"));
        };
        hash_fits(hash, name, &key)?;
        Ok(Self {
            name: name.to_owned(),
            key,
        })
    }
}

/// A private key with its name. It is in no text but its file.
pub(crate) struct SigningKey {
    name: String,
    key: ed25519_dalek::SigningKey,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.name)
    }
}

const PRIVATE: &str = "PRIVATE+KEY+";
/// Keeps the key of seals apart from every other use of the seed.
const SEAL: &str = "housecarl 2026-11-22 audit log: seal of the mark";

impl SigningKey {
    /// The key of this seed.
    pub(crate) fn new(name: &str, seed: &[u8; 32]) -> Self {
        Self {
            name: name.to_owned(),
            key: ed25519_dalek::SigningKey::from_bytes(seed),
        }
    }

    /// Reads the text form `PRIVATE+KEY+NAME+HASH+BASE64`.
    ///
    /// # Errors
    /// [`NoteError::Form`] when it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, NoteError> {
        let Some(rest) = text.trim().strip_prefix(PRIVATE) else {
            return Err(NoteError::Form("a private key begins with PRIVATE+KEY+"));
        };
        let (name, hash, seed) = key_parts(rest)?;
        let key = Self::new(name, &seed);
        hash_fits(hash, name, &key.key.verifying_key())?;
        Ok(key)
    }

    /// The text form.
    pub(crate) fn text(&self) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(vec![ED25519]);
        let mut seed = self.key.to_bytes();
        bytes.extend_from_slice(&seed);
        seed.zeroize();
        let hash = u32::from_be_bytes(key_hash(&self.name, &self.key.verifying_key()));
        let encoded = Zeroizing::new(STANDARD.encode(&*bytes));
        Zeroizing::new(format!("{PRIVATE}{}+{hash:08x}+{}\n", self.name, &*encoded))
    }

    /// The public half.
    pub(crate) fn public(&self) -> PublicKey {
        PublicKey {
            name: self.name.clone(),
            key: self.key.verifying_key(),
        }
    }

    /// A seal that only this key can make and check: keyed BLAKE3, its key derived from the seed.
    pub(crate) fn seal(&self, bytes: &[u8]) -> domain::hash::Digest {
        let seed = Zeroizing::new(self.key.to_bytes());
        let key = Zeroizing::new(blake3::derive_key(SEAL, &*seed));
        domain::hash::Digest::from_bytes(*blake3::keyed_hash(&key, bytes).as_bytes())
    }

    /// A note of this checkpoint.
    pub(crate) fn sign(&self, size: u64, root: Node) -> String {
        let text = Checkpoint {
            origin: self.name.clone(),
            size,
            root,
        }
        .to_string();
        let mut signature = key_hash(&self.name, &self.key.verifying_key()).to_vec();
        signature.extend_from_slice(&self.key.sign(text.as_bytes()).to_bytes());
        format!(
            "{text}\n{SIGNATURE_LINE}{} {}\n",
            self.name,
            STANDARD.encode(signature)
        )
    }
}

#[cfg(test)]
mod tests;
