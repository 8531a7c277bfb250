//! One checked entry of a table: the form, with every default filled in and every mistake refused.

use crate::config::{
    ArgumentForm, AudienceForm, AudienceWord, EntryForm, FORMAT_WORD_CHARS, FieldForm, FormatForm,
    FormatWord, IntegrityWord, NamesWord, ReadersForm, ReadersWord, ResultForm,
};
use crate::forms::Row;
use domain::label::{Integrity, Label, Readers};
use domain::tool::{ArgumentRole, Audience, EffectClass, Format, ResultField, TargetKind};
use serde_saphyr::Spanned;
use std::collections::{BTreeMap, BTreeSet};

/// The capability of a tool whose entry names none.
pub const DEFAULT_CAPABILITY: &str = "mcp";

/// One argument of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// What it is for.
    pub role: ArgumentRole,
    /// What it names, when it is a target.
    pub names: Option<TargetKind>,
    /// The secret that fills it, when it is one.
    pub secret: Option<String>,
}

impl Argument {
    /// An argument of this role, a target naming [`TargetKind::Other`].
    #[must_use]
    pub fn of(role: ArgumentRole) -> Self {
        Self {
            role,
            names: (role == ArgumentRole::Target).then_some(TargetKind::Other),
            secret: None,
        }
    }
}

/// What a table says about one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the tool does to the world.
    pub effect: EffectClass,
    /// Whether a person has looked at it.
    pub approved: bool,
    /// The digest of the definition that was looked at.
    pub pin: Option<String>,
    /// The capability that the manifest names.
    pub capability: String,
    /// Who learns the payload of a call.
    pub audience: Audience,
    /// The listed arguments.
    pub arguments: BTreeMap<String, Argument>,
    /// The role of those that are not listed; `None`: they are refused.
    pub other_arguments: Option<ArgumentRole>,
    /// The label of results.
    pub result_label: Label,
    /// Parts of a result with a label of their own.
    pub result_fields: Vec<ResultField>,
    /// Most calls in a minute.
    pub calls_per_minute: Option<u32>,
    /// Whether polling is honest use.
    pub is_wait: bool,
    /// The user's own version of it.
    pub version: String,
}

/// A mistake in an entry, before the file's name is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) line: u64,
    pub(crate) problem: String,
}

fn mistake<T>(line: u64, problem: impl Into<String>) -> Result<T, Mistake> {
    Err(Mistake {
        line,
        problem: problem.into(),
    })
}

/// Who learns the payload when an entry does not say: only what stays in the house is the user's.
#[must_use]
pub fn default_audience(effect: EffectClass) -> Audience {
    match effect {
        EffectClass::Read | EffectClass::SelfWrite => Audience::User,
        EffectClass::SharedWrite
        | EffectClass::Destructive
        | EffectClass::Exec
        | EffectClass::Config
        | EffectClass::Egress
        | EffectClass::Money => Audience::Public,
    }
}

/// Checks the entry of the tool of this name.
pub(crate) fn check(row: Row<EntryForm>) -> Result<Entry, Mistake> {
    let form = row.value;
    let effect = form.effect.class();
    let (result_label, result_fields) = result(&row.key, row.line, form.result)?;
    Ok(Entry {
        effect,
        approved: form.approved.unwrap_or(true),
        pin: form.pin.map(pin).transpose()?,
        capability: match form.capability {
            None => DEFAULT_CAPABILITY.to_owned(),
            Some(text) if text.value.trim().is_empty() => {
                return mistake(text.referenced.line(), "a capability has a name");
            }
            Some(text) => text.value,
        },
        audience: match form.audience {
            None => default_audience(effect),
            Some(AudienceForm::Word(AudienceWord::User)) => Audience::User,
            Some(AudienceForm::Word(AudienceWord::Targets)) => Audience::Targets,
            Some(AudienceForm::Word(AudienceWord::Public)) => Audience::Public,
            Some(AudienceForm::List(names)) => Audience::Only(names_of(row.line, names)?),
        },
        arguments: form
            .arguments
            .0
            .into_iter()
            .map(argument)
            .collect::<Result<_, _>>()?,
        other_arguments: form.other_arguments.map(|role| role.role()),
        result_label,
        result_fields,
        calls_per_minute: match form.rate {
            Some(rate) if rate.value == 0 => {
                return mistake(
                    rate.referenced.line(),
                    "`rate` is a number of calls a minute, at least 1",
                );
            }
            rate => rate.map(|rate| rate.value),
        },
        is_wait: form.wait,
        version: form.version,
    })
}

fn pin(text: Spanned<String>) -> Result<String, Mistake> {
    let is_digest = text.value.len() == 64
        && text
            .value
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if is_digest {
        Ok(text.value)
    } else {
        mistake(
            text.referenced.line(),
            "`pin` is a digest of 64 hexadecimal digits, as `carl tools classify` writes it",
        )
    }
}

fn names_of(line: u64, names: Vec<String>) -> Result<BTreeSet<String>, Mistake> {
    if names.is_empty() || names.iter().any(|name| name.trim().is_empty()) {
        return mistake(line, "a list of names has at least one, and none is empty");
    }
    Ok(names.into_iter().collect())
}

fn argument(row: Row<ArgumentForm>) -> Result<(String, Argument), Mistake> {
    let (role, names, secret) = match row.value {
        ArgumentForm::Short(role) => (role.role(), None, None),
        ArgumentForm::Long(fields) => (fields.role.role(), fields.names, fields.secret),
    };
    let is_secret = role == ArgumentRole::Secret;
    if is_secret && secret.as_ref().is_none_or(|name| name.trim().is_empty()) {
        let example = format!("{}: {{role: secret, secret: NAME}}", row.key);
        return mistake(
            row.line,
            format!("the role `secret` needs the name of the secret: `{example}`"),
        );
    }
    if !is_secret && secret.is_some() {
        return mistake(row.line, "`secret` belongs to the role `secret`");
    }
    if role != ArgumentRole::Target && names.is_some() {
        return mistake(row.line, "`names` belongs to the role `target`");
    }
    let mut argument = Argument::of(role);
    argument.secret = secret;
    if let Some(names) = names {
        argument.names = Some(match names {
            NamesWord::ReadPath => TargetKind::ReadPath,
            NamesWord::WritePath => TargetKind::WritePath,
            NamesWord::Url => TargetKind::Url,
            NamesWord::Other => TargetKind::Other,
        });
    }
    Ok((row.key, argument))
}

fn result(tool: &str, line: u64, form: ResultForm) -> Result<(Label, Vec<ResultField>), Mistake> {
    let mut label = Label::untrusted(format!("tool:{tool}"));
    if let Some(readers) = form.readers {
        label.readers = readers_of(line, readers)?;
    }
    if let Some(persistent) = form.persistent {
        label.persistent = persistent;
    }
    let mut fields: Vec<ResultField> = form
        .fields
        .0
        .into_iter()
        .map(|row| field(&label, row))
        .collect::<Result<_, _>>()?;
    let integrity = integrity_of(form.integrity, form.format.is_some())?;
    let format = form.format.map(format_of).transpose()?;
    if let Some(format) = format {
        // A result that is one bare value has the empty pointer, anything larger has leaves below.
        fields.extend(["", "/**"].map(|path| ResultField {
            path: path.to_owned(),
            label: Label {
                integrity,
                ..label.clone()
            },
            format: Some(format.clone()),
        }));
    }
    Ok((label, fields))
}

fn field(whole: &Label, row: Row<FieldForm>) -> Result<ResultField, Mistake> {
    if let Err(problem) = pointer(&row.key) {
        return mistake(row.line, problem);
    }
    let form = row.value;
    let integrity = integrity_of(form.integrity, form.format.is_some())?;
    let readers = match form.readers {
        None => whole.readers.clone(),
        Some(readers) => readers_of(row.line, readers)?,
    };
    Ok(ResultField {
        path: row.key,
        label: Label {
            integrity,
            readers,
            origins: whole.origins.clone(),
            trusted_origins: whole.trusted_origins.clone(),
            persistent: form.persistent.unwrap_or(whole.persistent),
        },
        format: form.format.map(format_of).transpose()?,
    })
}

fn integrity_of(
    stated: Option<Spanned<IntegrityWord>>,
    has_format: bool,
) -> Result<Integrity, Mistake> {
    match stated {
        None => Ok(Integrity::Untrusted),
        Some(word) => match word.value {
            IntegrityWord::Untrusted => Ok(Integrity::Untrusted),
            IntegrityWord::Endorsed if has_format => Ok(Integrity::Endorsed),
            IntegrityWord::Endorsed => mistake(
                word.referenced.line(),
                "`endorsed` needs a `format` (number, boolean, date, identifier or a list of \
                 words): free text can carry an instruction",
            ),
        },
    }
}

fn readers_of(line: u64, form: ReadersForm) -> Result<Readers, Mistake> {
    Ok(match form {
        ReadersForm::Word(ReadersWord::Public) => Readers::Public,
        ReadersForm::Word(ReadersWord::Nobody) => Readers::Nobody,
        ReadersForm::List(names) => Readers::Only(names_of(line, names)?),
    })
}

fn format_of(form: Spanned<FormatForm>) -> Result<Format, Mistake> {
    let line = form.referenced.line();
    Ok(match form.value {
        FormatForm::Word(FormatWord::Number) => Format::Number,
        FormatForm::Word(FormatWord::Boolean) => Format::Boolean,
        FormatForm::Word(FormatWord::Date) => Format::Date,
        FormatForm::Word(FormatWord::Identifier) => Format::Identifier,
        FormatForm::List(words) => {
            let fits = |word: &String| (1..=FORMAT_WORD_CHARS).contains(&word.chars().count());
            if words.is_empty() || !words.iter().all(fits) {
                return mistake(
                    line,
                    format!(
                        "a format that lists its words has at least one, each of 1 to \
                         {FORMAT_WORD_CHARS} characters"
                    ),
                );
            }
            Format::Enum(words.into_iter().collect())
        }
    })
}

/// Checks a JSON pointer with `*` for any key and `**` at the end for the rest.
fn pointer(path: &str) -> Result<(), String> {
    let advice = "a field is a JSON pointer such as `/items/*/id`";
    if path.is_empty() {
        return Ok(());
    }
    let Some(rest) = path.strip_prefix('/') else {
        return Err(format!("`{path}` does not begin with `/`; {advice}"));
    };
    let parts: Vec<&str> = rest.split('/').collect();
    let before_end = parts.len().saturating_sub(1);
    for (index, part) in parts.iter().enumerate() {
        if *part == "**" && index < before_end {
            return Err(format!("`**` stands only at the end of `{path}`; {advice}"));
        }
        if part.contains('*') && !["*", "**"].contains(part) {
            return Err(format!(
                "`*` in `{path}` stands for a whole key, not a part of one; {advice}"
            ));
        }
    }
    Ok(())
}
