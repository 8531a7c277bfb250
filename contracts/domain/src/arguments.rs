//! Arguments of a call that another program makes, such that every reader reads them alike.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Arguments of a call, and the key that stands in them more than once, if one does: a
/// guard would judge its last value where the program may use its first. Arguments that cannot be
/// read may mean something to the program's reader: a call of them is no call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments {
    /// As JSON readers mostly take them: the last of several values counts.
    pub value: Value,
    /// A key that stands twice in one object, at any depth.
    pub twice: Option<String>,
    /// Why they cannot be read: no JSON, nested too deep, a number out of range, half a character.
    pub unreadable: Option<String>,
}

impl Arguments {
    /// Arguments that cannot be read, and why.
    #[must_use]
    pub fn unread(why: impl fmt::Display) -> Self {
        Self {
            unreadable: Some(why.to_string()),
            ..Self::default()
        }
    }

    /// The arguments that a text holds, unreadable ones among them.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(Self::unread)
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> de::Visitor<'de> for Reader {
    type Value = Arguments;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Arguments, E> {
        Ok(Value::Null.into())
    }

    fn visit_bool<E>(self, value: bool) -> Result<Arguments, E> {
        Ok(Value::Bool(value).into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Arguments, E> {
        Ok(Value::from(value).into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Arguments, E> {
        Ok(Value::from(value).into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Arguments, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number without end"))?;
        Ok(Value::Number(number).into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Arguments, E> {
        Ok(Value::from(value).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Arguments, A::Error> {
        let (mut read, mut twice) = (Vec::new(), None);
        while let Some(item) = items.next_element::<Arguments>()? {
            twice = twice.or(item.twice);
            read.push(item.value);
        }
        Ok(Arguments {
            twice,
            ..Value::Array(read).into()
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Arguments, A::Error> {
        let (mut read, mut twice) = (Map::new(), None);
        while let Some((key, field)) = fields.next_entry::<String, Arguments>()? {
            twice = twice.or(field.twice);
            if read.insert(key.clone(), field.value).is_some() {
                twice = Some(key);
            }
        }
        Ok(Arguments {
            twice,
            ..Value::Object(read).into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_they_stand_and_a_key_that_stands_twice_is_told() {
        let plain = r#"{"a": [1, -2, 2.5, "x", null, true, {"b": {}}]}"#;
        let read: Arguments = serde_json::from_str(plain).unwrap();
        let value: Value = serde_json::from_str(plain).unwrap();
        assert_eq!(read, value.into());
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"b": [{"a": 1, "\u0061": 2}]}"#,
            r#"{"a": {"a": 1}, "a": 2}"#,
        ] {
            let read: Arguments = serde_json::from_str(text).unwrap();
            assert_eq!(read.twice.as_deref(), Some("a"), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_json_is_unreadable() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let bad = ["", "{} {}", r#"{"a": 1e400}"#, r#"{"a": "\ud800"}"#, &deep];
        for text in bad {
            let read = Arguments::of_text(text);
            assert!(read.unreadable.is_some(), "{text}");
        }
        let read = Arguments::of_text(r#"{"a": 1}"#);
        assert_eq!(read, serde_json::json!({"a": 1}).into());
    }
}
