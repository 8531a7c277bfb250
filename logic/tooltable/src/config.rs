//! The form of the file, as docs/tool-tables.md promises it.

use domain::tool::{ArgumentRole, EffectClass};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A tool table: what each tool is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Housecarl tool table")]
pub(crate) struct TableForm {
    /// The version of this format: 1.
    #[schemars(with = "u32", range(min = 1, max = 1))]
    pub(crate) version: Spanned<u32>,
    /// The tools, by the name they are called by.
    #[serde(default)]
    pub(crate) tools: Ordered<EntryForm>,
}

/// What one tool is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryForm {
    /// What it does to the world.
    pub(crate) effect: EffectWord,
    /// Whether a person has looked at this entry; `false`: the tool counts as unclassified.
    #[serde(default)]
    pub(crate) approved: Option<bool>,
    /// The digest of the definition that was looked at; another definition counts as unclassified.
    #[serde(default)]
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9a-f]{64}$"))]
    pub(crate) pin: Option<Spanned<String>>,
    /// The capability that the manifest names.
    #[serde(default)]
    #[schemars(with = "Option<String>", length(min = 1))]
    pub(crate) capability: Option<Spanned<String>>,
    /// Who learns the payload of a call.
    #[serde(default)]
    pub(crate) audience: Option<AudienceForm>,
    /// What each argument is for. One that stands nowhere is refused.
    #[serde(default)]
    pub(crate) arguments: Ordered<ArgumentForm>,
    /// What every argument of the schema that `arguments` does not list is for.
    #[serde(default)]
    pub(crate) other_arguments: Option<OtherRole>,
    /// How far results are believed, and who may read them.
    #[serde(default)]
    pub(crate) result: ResultForm,
    /// Most calls in a minute.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(crate) rate: Option<Spanned<u32>>,
    /// Whether asking again and again is honest use (polling).
    #[serde(default)]
    pub(crate) wait: bool,
    /// Change it when the tool behaves differently under the same schema.
    #[serde(default)]
    pub(crate) version: String,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EffectWord {
    /// Looks, changes nothing, and tells no one outside.
    Read,
    /// Writes to the user's own store, seen by no one else.
    SelfWrite,
    /// Changes what others use or see; can be undone.
    Write,
    /// Removes what may not come back.
    Destructive,
    /// Runs a program.
    Exec,
    /// Changes how a machine, an account or a membership behaves.
    Config,
    /// Sends something out of the house.
    Egress,
    /// Spends.
    Money,
}

impl EffectWord {
    pub(crate) const ALL: [Self; 8] = [
        Self::Read,
        Self::SelfWrite,
        Self::Write,
        Self::Destructive,
        Self::Exec,
        Self::Config,
        Self::Egress,
        Self::Money,
    ];

    pub(crate) const fn class(self) -> EffectClass {
        match self {
            Self::Read => EffectClass::Read,
            Self::SelfWrite => EffectClass::SelfWrite,
            Self::Write => EffectClass::SharedWrite,
            Self::Destructive => EffectClass::Destructive,
            Self::Exec => EffectClass::Exec,
            Self::Config => EffectClass::Config,
            Self::Egress => EffectClass::Egress,
            Self::Money => EffectClass::Money,
        }
    }
}

/// What an argument is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoleWord {
    /// Where the effect goes: a recipient, an account, an id, a path, a URL.
    Target,
    /// Content.
    Payload,
    /// A flag or number that tunes the call.
    Knob,
    /// Filled by the broker from the secret store, never by a model.
    Secret,
}

impl RoleWord {
    pub(crate) const fn role(self) -> ArgumentRole {
        match self {
            Self::Target => ArgumentRole::Target,
            Self::Payload => ArgumentRole::Payload,
            Self::Knob => ArgumentRole::Knob,
            Self::Secret => ArgumentRole::Secret,
        }
    }
}

/// What the arguments that are not listed are for. A secret is never among them.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OtherRole {
    /// Where the effect goes.
    Target,
    /// Content.
    Payload,
    /// A flag or number that tunes the call.
    Knob,
}

impl OtherRole {
    pub(crate) const fn role(self) -> ArgumentRole {
        match self {
            Self::Target => ArgumentRole::Target,
            Self::Payload => ArgumentRole::Payload,
            Self::Knob => ArgumentRole::Knob,
        }
    }
}

/// What a target names.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NamesWord {
    /// A file or folder of this machine that is only looked at.
    ReadPath,
    /// A file or folder of this machine that is made, changed or removed.
    WritePath,
    /// A URL that the tool opens.
    Url,
    /// Anything else.
    Other,
}

/// One argument in the long form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArgumentFields {
    /// What it is for.
    pub(crate) role: RoleWord,
    /// For a target: what it names.
    #[serde(default)]
    pub(crate) names: Option<NamesWord>,
    /// For a secret: its name in the secret store.
    #[serde(default)]
    pub(crate) secret: Option<String>,
}

/// `subject: payload`, or `api_key: {role: secret, secret: bank-token}`.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ArgumentForm {
    /// The role alone.
    Short(RoleWord),
    /// Everything.
    Long(ArgumentFields),
}

/// Who learns the payload of a call.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AudienceForm {
    /// One of the fixed audiences.
    Word(AudienceWord),
    /// The named parties.
    Names(Vec<String>),
}

/// A fixed audience.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AudienceWord {
    /// No one but the user.
    User,
    /// The parties that the targets name.
    Targets,
    /// Anyone.
    Public,
}

/// Who may learn a value.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ReadersForm {
    /// One of the fixed circles.
    Word(ReadersWord),
    /// The named parties.
    Names(Vec<String>),
}

/// A fixed circle of readers.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReadersWord {
    /// Anyone.
    Public,
    /// No one outside the session.
    Nobody,
}

/// The form a value must have.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
pub(crate) enum FormatForm {
    /// One of the fixed forms.
    Word(FormatWord),
    /// One of these words.
    Words(Vec<String>),
}

/// A fixed form, too narrow to carry an instruction.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormatWord {
    /// A number, also when written as text.
    Number,
    /// True or false.
    Boolean,
    /// A date, a time or both.
    Date,
    /// One word of at most 64 letters, digits and `_ - . @ + :`.
    Identifier,
}

/// How far a result is believed. The word `trusted` does not exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IntegrityWord {
    /// Anyone may have written it.
    Untrusted,
    /// The platform itself sets it, in a form too narrow to carry an instruction.
    Endorsed,
}

/// How results are labelled.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultForm {
    /// How far the result is believed; `endorsed` needs a `format`.
    #[serde(default)]
    #[schemars(with = "Option<IntegrityWord>")]
    pub(crate) integrity: Option<Spanned<IntegrityWord>>,
    /// Who may learn it.
    #[serde(default)]
    pub(crate) readers: Option<ReadersForm>,
    /// Whether the label stays on what is stored and read back.
    #[serde(default)]
    pub(crate) persistent: Option<bool>,
    /// The form every leaf must have to be endorsed.
    #[serde(default)]
    #[schemars(with = "Option<FormatForm>")]
    pub(crate) format: Option<Spanned<FormatForm>>,
    /// Parts with a label of their own, by JSON pointer; the first that fits a leaf counts.
    #[serde(default)]
    pub(crate) fields: Ordered<FieldForm>,
}

/// How one part of a result is labelled.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldForm {
    /// How far the part is believed; `endorsed` needs a `format`.
    #[serde(default)]
    #[schemars(with = "Option<IntegrityWord>")]
    pub(crate) integrity: Option<Spanned<IntegrityWord>>,
    /// Who may learn it; default: as the whole result.
    #[serde(default)]
    pub(crate) readers: Option<ReadersForm>,
    /// Whether the label stays on what is stored and read back; default: as the whole result.
    #[serde(default)]
    pub(crate) persistent: Option<bool>,
    /// The form a leaf must have; others are labelled as the whole result.
    #[serde(default)]
    #[schemars(with = "Option<FormatForm>")]
    pub(crate) format: Option<Spanned<FormatForm>>,
}

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

/// Reads a word, or says which words there are.
type ReadWord<T> = fn(&str) -> Result<T, String>;

/// Reads a word or a list, whichever of them a form allows.
struct OneOf<T> {
    expecting: &'static str,
    word: ReadWord<T>,
    list: Option<fn(Vec<String>) -> T>,
}

impl<'de, T> Visitor<'de> for OneOf<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
        (self.word)(word).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        match self.list {
            Some(make) => Vec::deserialize(SeqAccessDeserializer::new(seq)).map(make),
            None => Err(de::Error::invalid_type(de::Unexpected::Seq, &self)),
        }
    }
}

/// The word of a set of words, or a text that says which there are.
fn word_of<T: Copy>(word: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = words.iter().map(|(name, _)| format!("`{name}`")).collect();
        format!("`{word}` is not known here; there is {}", names.join(", "))
    })
}

const ROLES: [(&str, RoleWord); 4] = [
    ("target", RoleWord::Target),
    ("payload", RoleWord::Payload),
    ("knob", RoleWord::Knob),
    ("secret", RoleWord::Secret),
];

impl<'de> Deserialize<'de> for ArgumentForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ArgumentForm;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`target`, `payload`, `knob` or a map with `role`")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<ArgumentForm, E> {
                let role = word_of(word, &ROLES).map_err(E::custom)?;
                Ok(ArgumentForm::Short(role))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ArgumentForm, A::Error> {
                ArgumentFields::deserialize(MapAccessDeserializer::new(map)).map(ArgumentForm::Long)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for AudienceForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOf {
            expecting: "`user`, `targets`, `public` or a list of names",
            word: |word| {
                let words = [
                    ("user", AudienceWord::User),
                    ("targets", AudienceWord::Targets),
                    ("public", AudienceWord::Public),
                ];
                word_of(word, &words)
                    .map(Self::Word)
                    .map_err(|problem| format!("{problem}, or a list of names"))
            },
            list: Some(Self::Names),
        })
    }
}

impl<'de> Deserialize<'de> for ReadersForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOf {
            expecting: "`public`, `nobody` or a list of names",
            word: |word| {
                let words = [
                    ("public", ReadersWord::Public),
                    ("nobody", ReadersWord::Nobody),
                ];
                word_of(word, &words)
                    .map(Self::Word)
                    .map_err(|problem| format!("{problem}, or a list of names"))
            },
            list: Some(Self::Names),
        })
    }
}

impl<'de> Deserialize<'de> for FormatForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOf {
            expecting: "`number`, `boolean`, `date`, `identifier` or a list of words",
            word: |word| {
                let words = [
                    ("number", FormatWord::Number),
                    ("boolean", FormatWord::Boolean),
                    ("date", FormatWord::Date),
                    ("identifier", FormatWord::Identifier),
                ];
                word_of(word, &words)
                    .map(Self::Word)
                    .map_err(|problem| format!("{problem}, or a list of words"))
            },
            list: Some(Self::Words),
        })
    }
}

impl<'de> Deserialize<'de> for IntegrityWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOf {
            expecting: "`untrusted` or `endorsed`",
            word: |word| match word {
                "untrusted" => Ok(Self::Untrusted),
                "endorsed" => Ok(Self::Endorsed),
                "trusted" => Err(
                    "`trusted` is what the user says; a result is `untrusted` or, \
                                  with a `format`, `endorsed`"
                        .to_owned(),
                ),
                other => Err(format!(
                    "`{other}` is not known here; there is `untrusted`, `endorsed`"
                )),
            },
            list: None,
        })
    }
}

/// The JSON Schema of a tool table, as shipped in config/tool-table.schema.json.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(TableForm).to_value()
}
