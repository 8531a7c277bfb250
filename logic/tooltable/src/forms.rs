//! Parts that the forms of the file share: maps in their order, and a word or a list.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A text that is not blank.
pub(crate) const NOT_BLANK: &str = r"\S";

/// One value of an [`Ordered`] map, with its key and the line it stands on.
#[derive(Debug)]
pub(crate) struct Row<T> {
    pub(crate) key: String,
    pub(crate) line: u64,
    pub(crate) value: T,
}

/// A map that keeps the order of the file.
#[derive(Debug)]
pub(crate) struct Ordered<T>(pub(crate) Vec<Row<T>>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rows<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Rows<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut rows = Vec::new();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    rows.push(Row {
                        line: key.referenced.line(),
                        key: key.value,
                        value: map.next_value()?,
                    });
                }
                Ok(Ordered(rows))
            }
        }
        deserializer.deserialize_map(Rows(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Ordered<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({"type": "object", "additionalProperties": value})
    }
}

/// One of a set of words, where a list may stand instead.
pub(crate) trait Words: Copy + 'static {
    /// The words.
    const ALL: &'static [(&'static str, Self)];
    /// What may stand in their place.
    const LIST: &'static str;
    /// Most characters of one item of a list.
    const ITEM_CHARS: Option<usize>;
}

/// A word, or a list of texts.
#[derive(Debug)]
pub(crate) enum WordOrList<W> {
    /// One of the fixed words.
    Word(W),
    /// The listed texts.
    List(Vec<String>),
}

impl<'de, W: Words> Deserialize<'de> for WordOrList<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<W>(PhantomData<W>);
        impl<'de, W: Words> Visitor<'de> for Either<W> {
            type Value = WordOrList<W>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} or {}", listed(W::ALL), W::LIST)
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
                let found = word_of(word, W::ALL).map(WordOrList::Word);
                found.map_err(|problem| E::custom(format!("{problem}, or {}", W::LIST)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(WordOrList::List)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

impl<W: Words + JsonSchema> JsonSchema for WordOrList<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        W::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let word = generator.subschema_for::<W>();
        let item = match W::ITEM_CHARS {
            None => json_schema!({"type": "string", "pattern": NOT_BLANK}),
            Some(most) => json_schema!({"type": "string", "minLength": 1, "maxLength": most}),
        };
        json_schema!({"anyOf": [word, {"type": "array", "items": item, "minItems": 1}]})
    }
}

/// Words as people list them.
fn listed<T>(words: &[(&str, T)]) -> String {
    let names: Vec<String> = words.iter().map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

/// The word of a set of words, or a text that says which there are.
pub(crate) fn word_of<T: Copy>(word: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(name, _)| *name == word);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("`{word}` is not known here; there is {}", listed(words)))
}
