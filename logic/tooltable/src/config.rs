//! The form of the file, as docs/tool-tables.md promises it.

use crate::forms::{NOT_BLANK, Ordered, WordOrList, Words, word_of};
use domain::tool::{ArgumentRole, EffectClass};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::json;
use serde_saphyr::Spanned;
use std::fmt;

/// Longest word of a format that lists its words, characters.
pub(crate) const FORMAT_WORD_CHARS: usize = 64;

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
    #[schemars(schema_with = "tools")]
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
    #[schemars(with = "Option<String>", regex(pattern = "\\S"))]
    pub(crate) capability: Option<Spanned<String>>,
    /// Who learns the payload of a call.
    #[serde(default)]
    pub(crate) audience: Option<AudienceForm>,
    /// What each argument is for. One that stands nowhere is refused.
    #[serde(default)]
    pub(crate) arguments: Ordered<ArgumentForm>,
    /// What every argument of the schema that `arguments` does not list is for.
    #[serde(default)]
    pub(crate) other_arguments: Option<PlainRole>,
    /// How far results are believed, and who may read them.
    #[serde(default)]
    pub(crate) result: ResultForm,
    /// Most calls in a minute.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1, max = 4_294_967_295_u32))]
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
    /// An id that selects what others get to see: judged as a target and as a payload.
    Selector,
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
            Self::Selector => ArgumentRole::Selector,
            Self::Knob => ArgumentRole::Knob,
            Self::Secret => ArgumentRole::Secret,
        }
    }
}

/// What an argument is for that needs nothing but its role.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlainRole {
    /// Where the effect goes.
    Target,
    /// Content.
    Payload,
    /// An id that selects what others get to see.
    Selector,
    /// A flag or number that tunes the call.
    Knob,
}

impl PlainRole {
    pub(crate) const fn role(self) -> ArgumentRole {
        match self {
            Self::Target => ArgumentRole::Target,
            Self::Payload => ArgumentRole::Payload,
            Self::Selector => ArgumentRole::Selector,
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
#[schemars(transform = each_role_has_its_own)]
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
    /// The role alone. A secret has a name besides.
    #[schemars(with = "PlainRole")]
    Short(RoleWord),
    /// Everything.
    Long(ArgumentFields),
}

/// Who learns the payload of a call: a fixed audience or the named parties.
pub(crate) type AudienceForm = WordOrList<AudienceWord>;

/// A fixed audience.
#[derive(Debug, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AudienceWord {
    /// No one but the user.
    User,
    /// The parties that the targets name.
    Targets,
    /// Anyone.
    Public,
}

/// Who may learn a value: a fixed circle or the named parties.
pub(crate) type ReadersForm = WordOrList<ReadersWord>;

/// A fixed circle of readers.
#[derive(Debug, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReadersWord {
    /// Anyone.
    Public,
    /// No one outside the session.
    Nobody,
}

/// The form a value must have: a fixed one, or one of the listed words.
pub(crate) type FormatForm = WordOrList<FormatWord>;

/// A fixed form, too narrow to carry an instruction.
#[derive(Debug, Clone, Copy, JsonSchema)]
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
#[schemars(transform = endorsed_needs_a_format)]
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
    #[schemars(schema_with = "fields")]
    pub(crate) fields: Ordered<FieldForm>,
}

/// How one part of a result is labelled.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = endorsed_needs_a_format)]
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

impl Words for AudienceWord {
    const ALL: &'static [(&'static str, Self)] = &[
        ("user", Self::User),
        ("targets", Self::Targets),
        ("public", Self::Public),
    ];
    const LIST: &'static str = "a list of names";
    const ITEM_CHARS: Option<usize> = None;
}

impl Words for ReadersWord {
    const ALL: &'static [(&'static str, Self)] =
        &[("public", Self::Public), ("nobody", Self::Nobody)];
    const LIST: &'static str = "a list of names";
    const ITEM_CHARS: Option<usize> = None;
}

impl Words for FormatWord {
    const ALL: &'static [(&'static str, Self)] = &[
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("date", Self::Date),
        ("identifier", Self::Identifier),
    ];
    const LIST: &'static str = "a list of words";
    const ITEM_CHARS: Option<usize> = Some(FORMAT_WORD_CHARS);
}

const ROLES: [(&str, RoleWord); 5] = [
    ("target", RoleWord::Target),
    ("payload", RoleWord::Payload),
    ("selector", RoleWord::Selector),
    ("knob", RoleWord::Knob),
    ("secret", RoleWord::Secret),
];

impl<'de> Deserialize<'de> for ArgumentForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ArgumentForm;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`target`, `payload`, `selector`, `knob` or a map with `role`")
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

impl<'de> Deserialize<'de> for IntegrityWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = [("untrusted", Self::Untrusted), ("endorsed", Self::Endorsed)];
        let problem = match String::deserialize(deserializer)?.as_str() {
            "trusted" => "`trusted` is what the user says; a result is `untrusted` or, with a \
                          `format`, `endorsed`"
                .to_owned(),
            word => match word_of(word, &words) {
                Ok(word) => return Ok(word),
                Err(problem) => problem,
            },
        };
        Err(de::Error::custom(problem))
    }
}

/// The condition under which a label needs a `format`.
fn endorsed_needs_a_format(schema: &mut Schema) {
    schema.insert(
        "if".to_owned(),
        json!({"properties": {"integrity": {"const": "endorsed"}}, "required": ["integrity"]}),
    );
    schema.insert(
        "then".to_owned(),
        json!({"properties": {"format": {"not": {"type": "null"}}}, "required": ["format"]}),
    );
}

/// What belongs to which role.
fn each_role_has_its_own(schema: &mut Schema) {
    let has_role = |role: &str| json!({"properties": {"role": {"const": role}}});
    let is_null = |key: &str| json!({"properties": {key: {"type": "null"}}});
    let named = json!({
        "properties": {"secret": {"type": "string", "pattern": NOT_BLANK}},
        "required": ["secret"],
    });
    schema.insert(
        "allOf".to_owned(),
        json!([
            {"if": has_role("secret"), "then": named, "else": is_null("secret")},
            {"if": has_role("target"), "else": is_null("names")},
        ]),
    );
}

/// A map whose keys have a form.
fn keyed<T: JsonSchema>(generator: &mut SchemaGenerator, pattern: &str) -> Schema {
    let mut schema = Ordered::<T>::json_schema(generator);
    schema.insert("propertyNames".to_owned(), json!({"pattern": pattern}));
    schema
}

fn tools(generator: &mut SchemaGenerator) -> Schema {
    keyed::<EntryForm>(generator, "^[A-Za-z0-9_.-]{1,64}$")
}

fn fields(generator: &mut SchemaGenerator) -> Schema {
    keyed::<FieldForm>(generator, r"^(/(\*|[^*/]*))*(/\*\*)?$")
}

/// The JSON Schema of a tool table, as shipped in config/tool-table.schema.json.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(TableForm).to_value()
}
