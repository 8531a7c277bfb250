//! One record's frame: length, checksum, place in the chain, body. Little-endian.
//!
//! | Bytes | What |
//! |---|---|
//! | 0..4 | length of the body, bytes |
//! | 4..8 | CRC32C of bytes 0..4 and of all from 8 on |
//! | 8..16 | sequence |
//! | 16..24 | time since the machine started, nanoseconds |
//! | 24..56 | chain hash of the record before; zeros for the first |
//! | 56.. | body: one JSON object, see [`crate::record`] |
//!
//! A record's chain hash is keyed BLAKE3 over bytes 8.. of its frame.

use domain::hash::Digest;
use domain::limits::AUDIT_RECORD_BYTES;
use std::sync::LazyLock;

/// Bytes before the body.
pub(crate) const HEAD: usize = 56;

/// Keeps these hashes apart from every other use of BLAKE3, here and elsewhere.
const CONTEXT: &str = "housecarl 2026-11-22 audit log: chain of records";
static KEY: LazyLock<[u8; 32]> = LazyLock::new(|| blake3::derive_key(CONTEXT, b""));

/// A frame whose checksum is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) sequence: u64,
    pub(crate) monotonic_ns: u64,
    pub(crate) previous: Digest,
    /// This record's chain hash.
    pub(crate) hash: Digest,
    pub(crate) body: &'a [u8],
}

impl Frame<'_> {
    /// Bytes of the frame.
    pub(crate) const fn len(&self) -> usize {
        HEAD + self.body.len()
    }
}

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parsed<'a> {
    /// A frame.
    Whole(Frame<'a>),
    /// The bytes end before the frame does.
    Unfinished,
    /// Bytes that are no frame.
    Damaged(Flaw),
}

/// What is wrong with a frame in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Its length is none that a record can have.
    Length,
    /// Its checksum does not fit its bytes.
    Checksum,
}

fn word<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut word = [0; N];
    if let Some(part) = bytes.get(at..at + N) {
        word.copy_from_slice(part);
    }
    word
}

/// The sequence that a frame at the start of these bytes would have; at least 16 bytes.
pub(crate) fn claimed_sequence(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(word(bytes, 8))
}

/// How many bytes must be there before the frame at their start can be read.
pub(crate) fn reach(bytes: &[u8]) -> usize {
    if bytes.len() < HEAD {
        return HEAD;
    }
    HEAD + (u32::from_le_bytes(word(bytes, 0)) as usize).min(AUDIT_RECORD_BYTES)
}

/// Reads the frame at the start of these bytes.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<'_> {
    if bytes.len() < HEAD {
        return Parsed::Unfinished;
    }
    let length = u32::from_le_bytes(word(bytes, 0)) as usize;
    if length == 0 || length > AUDIT_RECORD_BYTES {
        return Parsed::Damaged(Flaw::Length);
    }
    let Some(frame) = bytes.get(..HEAD + length) else {
        return Parsed::Unfinished;
    };
    if checksum(frame) != u32::from_le_bytes(word(bytes, 4)) {
        return Parsed::Damaged(Flaw::Checksum);
    }
    Parsed::Whole(Frame {
        sequence: claimed_sequence(frame),
        monotonic_ns: u64::from_le_bytes(word(frame, 16)),
        previous: Digest::from_bytes(word(frame, 24)),
        hash: chain_hash(&frame[8..]),
        body: &frame[HEAD..],
    })
}

fn checksum(frame: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&frame[..4]), &frame[8..])
}

fn chain_hash(bytes: &[u8]) -> Digest {
    Digest::from_bytes(*blake3::keyed_hash(&KEY, bytes).as_bytes())
}

/// Appends a frame and returns the record's chain hash. The body holds 1 to [`AUDIT_RECORD_BYTES`]
/// bytes.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    sequence: u64,
    monotonic_ns: u64,
    previous: Digest,
    body: &[u8],
) -> Digest {
    let start = out.len();
    // The limit on bodies is far below 4 GiB.
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&sequence.to_le_bytes());
    out.extend_from_slice(&monotonic_ns.to_le_bytes());
    out.extend_from_slice(previous.as_bytes());
    out.extend_from_slice(body);
    let sum = checksum(&out[start..]).to_le_bytes();
    out[start + 4..start + 8].copy_from_slice(&sum);
    chain_hash(&out[start + 8..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> (Vec<u8>, Digest) {
        let mut bytes = Vec::new();
        let hash = encode(&mut bytes, 7, 99, Digest::of(b"before"), b"{\"a\":1}");
        (bytes, hash)
    }

    #[test]
    fn a_frame_comes_back() {
        let (mut bytes, hash) = frame();
        bytes.extend_from_slice(b"what follows");
        let Parsed::Whole(frame) = parse(&bytes) else {
            panic!("{:?}", parse(&bytes))
        };
        assert_eq!((frame.sequence, frame.monotonic_ns), (7, 99));
        assert_eq!((frame.previous, frame.hash), (Digest::of(b"before"), hash));
        assert_eq!((frame.body, frame.len()), (&b"{\"a\":1}"[..], 63));
    }

    #[test]
    fn no_flipped_bit_passes_and_no_cut_is_whole() {
        let (bytes, _) = frame();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!matches!(parse(&flipped), Parsed::Whole(_)), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_eq!(parse(&bytes[..length]), Parsed::Unfinished);
        }
    }

    #[test]
    fn a_length_at_the_limit_passes_and_one_more_does_not() {
        let mut bytes = Vec::new();
        encode(
            &mut bytes,
            1,
            0,
            Digest::of(b""),
            &vec![b' '; AUDIT_RECORD_BYTES],
        );
        assert!(matches!(parse(&bytes), Parsed::Whole(_)));
        for length in [0, AUDIT_RECORD_BYTES as u32 + 1] {
            bytes[..4].copy_from_slice(&length.to_le_bytes());
            assert_eq!(parse(&bytes), Parsed::Damaged(Flaw::Length));
        }
    }
}
