//! The name of a secret where a configuration wants a key.

use super::SecretName;
use schemars::JsonSchema;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What to do where a key is needed, or stands where it must not.
pub const KEEP_THE_KEY: &str =
    "store it with `carl secret set NAME`, and write api_key = { secret = \"NAME\" }";

/// The name of a stored secret: `{ secret = "openai-work" }`. Anything else is refused without being
/// repeated, since a key written there by mistake would end up in messages and logs.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
pub struct SecretRef {
    /// The name.
    pub secret: String,
}

impl Serialize for SecretRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("SecretRef", 1)?;
        table.serialize_field("secret", &self.secret)?;
        table.end()
    }
}

impl<'de> Deserialize<'de> for SecretRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SecretRefVisitor)
    }
}

struct SecretRefVisitor;

impl<'de> Visitor<'de> for SecretRefVisitor {
    type Value = SecretRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a stored secret: { secret = \"NAME\" }")
    }

    // What stands here is a key, in whatever form: the library's own messages would repeat it.
    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_i128<E: serde::de::Error>(self, _: i128) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_u128<E: serde::de::Error>(self, _: u128) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<SecretRef, E> {
        Err(literal())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SecretRef, A::Error> {
        let mut secret = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "secret" {
                return Err(A::Error::unknown_field(&key, &["secret"]));
            }
            secret = Some(map.next_value::<String>()?);
        }
        let secret = secret.ok_or_else(|| A::Error::missing_field("secret"))?;
        // A key written here by mistake seldom has the form of a name, and is not repeated.
        match secret.parse::<SecretName>() {
            Ok(_) => Ok(SecretRef { secret }),
            // The key in place of its name.
            Err(_) if SecretName::kept(&secret).is_ok() => Err(literal()),
            Err(error) => Err(A::Error::custom(error)),
        }
    }
}

/// A key where its name belongs.
fn literal<E: serde::de::Error>() -> E {
    E::custom(format!(
        "a key must not stand in the configuration: {KEEP_THE_KEY}; if others could read it here, \
         have it replaced where it was issued"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parse(value: Value) -> Result<SecretRef, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_comes_back_as_it_was_written() {
        let written = json!({"secret": "openai-work"});
        let read = parse(written.clone()).unwrap();
        assert_eq!(read.secret, "openai-work");
        assert_eq!(serde_json::to_value(read).unwrap(), written);
    }

    #[test]
    fn a_key_in_any_form_is_refused_unrepeated() {
        for key in [
            json!("sk-very-secret"),
            json!(9_876_543_210_u64),
            json!(-9_876_543_210_i64),
            json!(98_765.432_1),
            json!({"secret": "sk-very-secret"}),
        ] {
            let said = parse(key).unwrap_err();
            assert!(said.contains("carl secret set"), "{said}");
            assert!(!said.contains("very") && !said.contains("765"), "{said}");
        }
        assert!(parse(json!(true)).unwrap_err().contains("carl secret set"));
        for other in [json!({"file": "x"}), json!({}), json!([])] {
            assert!(parse(other).is_err());
        }
    }
}
