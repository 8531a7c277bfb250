//! Random texts that nobody guesses, and how they are compared.

use domain::hash::Digest;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Random bytes of a secret.
const BYTES: usize = 32;

/// A secret behind a beginning by which it is known for one: 64 hexadecimal digits.
pub(crate) fn fresh(prefix: &str) -> Zeroizing<String> {
    let random: [u8; BYTES] = rand::random();
    let mut text = Zeroizing::new(String::with_capacity(prefix.len() + 2 * BYTES));
    text.push_str(prefix);
    for byte in random {
        for half in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(half), 16));
        }
    }
    text
}

/// Whether two digests are the same. It takes as long for two that are not.
pub(crate) fn is_same(one: &Digest, other: &Digest) -> bool {
    bool::from(one.as_bytes().ct_eq(other.as_bytes()))
}
