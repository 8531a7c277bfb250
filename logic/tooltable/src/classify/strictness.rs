//! What makes a proposal stricter, and how sure it is.

use domain::tool::EffectClass;

/// How sure a proposal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Nothing spoke for anything.
    Unknown,
    /// One sign.
    Low,
    /// Name and description agree.
    High,
}

/// What a server says of a tool beside its definition. Believed only where it makes the tool
/// stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// It says that the tool does not only read.
    pub writes: bool,
    /// It says that the tool may destroy.
    pub destroys: bool,
}

/// How strictly the broker treats an effect, from 0. Equal numbers: neither is looser.
#[must_use]
pub const fn strictness(effect: EffectClass) -> u8 {
    match effect {
        EffectClass::Read => 0,
        EffectClass::SelfWrite => 1,
        EffectClass::SharedWrite => 2,
        EffectClass::Egress => 3,
        EffectClass::Destructive | EffectClass::Config | EffectClass::Money => 4,
        EffectClass::Exec => 5,
    }
}
