//! Between domain and wire: every field by hand, every bad field named.
//!
//! To the wire nothing can fail (`From`). From the wire everything can (`TryFrom` with
//! [`InvalidField`]): absent enum values, missing messages, bad ids, JSON that is none. Nothing is
//! replaced by a default.

pub mod audit;
pub mod broker;
pub mod event;
pub mod guard;
pub mod lasting;
pub mod memory;
pub mod models;
pub mod nouns;
pub mod own_calls;
pub mod plan;
pub mod programs;
pub mod search;
pub mod sessions;
pub mod settings;

use domain::Timestamp;
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A message from the wire that cannot be understood, and the field that is at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {problem}")]
pub struct InvalidField {
    /// Path to the field, such as `messages[3].tool.call_id`.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl InvalidField {
    /// A field with something wrong.
    pub fn new(field: impl Into<String>, problem: impl Display) -> Self {
        Self {
            field: field.into(),
            problem: problem.to_string(),
        }
    }

    /// A field that has to be there.
    pub fn missing(field: impl Into<String>) -> Self {
        Self::new(field, "is required")
    }

    /// The same problem, seen from the message that holds the one at fault.
    #[must_use]
    pub fn inside(mut self, outer: &str) -> Self {
        self.field = format!("{outer}.{}", self.field);
        self
    }
}

/// A message that has to be there.
pub fn required<W, D>(value: Option<W>, field: &str) -> Result<D, InvalidField>
where
    D: TryFrom<W, Error = InvalidField>,
{
    let value = value.ok_or_else(|| InvalidField::missing(field))?;
    D::try_from(value).map_err(|error| error.inside(field))
}

/// A message that may be absent.
pub fn optional<W, D>(value: Option<W>, field: &str) -> Result<Option<D>, InvalidField>
where
    D: TryFrom<W, Error = InvalidField>,
{
    value
        .map(|value| D::try_from(value).map_err(|error| error.inside(field)))
        .transpose()
}

/// Every message of a list.
pub fn each<W, D, C>(values: Vec<W>, field: &str) -> Result<C, InvalidField>
where
    D: TryFrom<W, Error = InvalidField>,
    C: FromIterator<D>,
{
    let convert = |(index, value)| {
        D::try_from(value).map_err(|error: InvalidField| error.inside(&format!("{field}[{index}]")))
    };
    values.into_iter().enumerate().map(convert).collect()
}

/// A text with a form of its own: an id, a digest, a name.
pub fn text<D>(value: &str, field: &str) -> Result<D, InvalidField>
where
    D: FromStr,
    D::Err: Display,
{
    value
        .parse()
        .map_err(|error| InvalidField::new(field, error))
}

/// Such a text, or none.
pub fn optional_text<D>(value: Option<&str>, field: &str) -> Result<Option<D>, InvalidField>
where
    D: FromStr,
    D::Err: Display,
{
    value.map(|value| text(value, field)).transpose()
}

/// A checked name: an agent type or a tool.
pub fn name<D>(value: String, field: &str) -> Result<D, InvalidField>
where
    D: TryFrom<String>,
    D::Error: Display,
{
    D::try_from(value).map_err(|error| InvalidField::new(field, error))
}

/// Every name of a list.
pub fn names<D, C>(values: Vec<String>, field: &str) -> Result<C, InvalidField>
where
    D: TryFrom<String>,
    D::Error: Display,
    C: FromIterator<D>,
{
    let convert = |(index, value)| name(value, &format!("{field}[{index}]"));
    values.into_iter().enumerate().map(convert).collect()
}

/// One JSON value.
pub fn json(value: &str, field: &str) -> Result<Value, InvalidField> {
    serde_json::from_str(value)
        .map_err(|error| InvalidField::new(field, format_args!("is not JSON: {error}")))
}

/// A number that has to fit a smaller type.
pub fn number<W, D>(value: W, field: &str) -> Result<D, InvalidField>
where
    W: Copy + Display,
    D: TryFrom<W>,
{
    D::try_from(value)
        .map_err(|_out_of_range| InvalidField::new(field, format_args!("{value} is out of range")))
}

/// A path, byte for byte.
pub fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// A path, byte for byte.
pub fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

/// A time on the wire; its nanoseconds never count backwards.
pub fn wire_time(time: Timestamp) -> prost_types::Timestamp {
    let (seconds, nanos) = (time.as_second(), time.subsec_nanosecond());
    if nanos < 0 {
        prost_types::Timestamp {
            seconds: seconds - 1,
            nanos: nanos + 1_000_000_000,
        }
    } else {
        prost_types::Timestamp { seconds, nanos }
    }
}

/// A time that has to be there.
pub fn time(value: Option<prost_types::Timestamp>, field: &str) -> Result<Timestamp, InvalidField> {
    let value = value.ok_or_else(|| InvalidField::missing(field))?;
    Timestamp::new(value.seconds, value.nanos).map_err(|error| InvalidField::new(field, error))
}

/// An enum with a wire form, whose value 0 is refused.
pub trait WireEnum: Sized {
    /// Its number.
    fn to_wire(self) -> i32;
    /// From its number.
    fn from_wire(value: i32, field: &str) -> Result<Self, InvalidField>;
}

/// From the numbers of a list.
pub fn each_enum<D, C>(values: Vec<i32>, field: &str) -> Result<C, InvalidField>
where
    D: WireEnum,
    C: FromIterator<D>,
{
    let convert = |(index, value)| D::from_wire(value, &format!("{field}[{index}]"));
    values.into_iter().enumerate().map(convert).collect()
}

/// Pairs a domain enum with its wire enum. Both matches are exhaustive, so a new value on either
/// side does not compile until it has a partner.
macro_rules! wire_enum {
    ($domain:ty, $wire:ty { $($ours:ident = $theirs:ident),* $(,)? }) => {
        impl $crate::convert::WireEnum for $domain {
            fn to_wire(self) -> i32 {
                let value = match self { $(Self::$ours => <$wire>::$theirs,)* };
                value as i32
            }

            fn from_wire(value: i32, field: &str) -> Result<Self, $crate::convert::InvalidField> {
                use $crate::convert::InvalidField;
                match <$wire>::try_from(value) {
                    $(Ok(<$wire>::$theirs) => Ok(Self::$ours),)*
                    Ok(<$wire>::Unspecified) => Err(InvalidField::missing(field)),
                    Err(unknown) => Err(InvalidField::new(field, unknown)),
                }
            }
        }
    };
    ($domain:ty, $wire:ty { $($both:ident),* $(,)? }) => {
        $crate::convert::wire_enum!($domain, $wire { $($both = $both),* });
    };
}
pub(crate) use wire_enum;

#[cfg(test)]
mod tests {
    use super::*;
    use domain::decision::Verdict;

    #[test]
    fn an_absent_and_an_unknown_enum_value_are_refused_by_name() {
        let absent = Verdict::from_wire(0, "verdict").unwrap_err();
        assert_eq!(absent.to_string(), "field `verdict`: is required");
        let unknown = Verdict::from_wire(99, "verdict").unwrap_err();
        assert_eq!(unknown.field, "verdict");
    }

    #[test]
    fn times_before_1970_and_paths_that_are_not_utf_8_survive() {
        for nanosecond in [-1_i128, 0, 1, -1_500_000_000, 1_700_000_000_123_456_789] {
            let before = Timestamp::from_nanosecond(nanosecond).unwrap();
            let wire = wire_time(before);
            assert!((0..1_000_000_000).contains(&wire.nanos));
            assert_eq!(time(Some(wire), "time"), Ok(before));
        }
        let odd = PathBuf::from(OsString::from_vec(vec![b'/', 0xff, b'a']));
        assert_eq!(path(path_bytes(&odd)), odd);
    }
}
