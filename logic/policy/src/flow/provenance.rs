//! Where values came from: what the user said, what agents were shown, and under which labels.

use crate::flow::changes::Changed;
use crate::flow::index::{Edges, Index};
use crate::flow::leaves::{collect, escaped, fits_path, has_format, is_key, leaf_label};
use crate::flow::moments::{Moments, is_narrow_moment};
use crate::flow::normal::{Plain, decoded, folded, number, plain};
use crate::flow::pages::Pages;
use crate::flow::records::{Place, Records};
use crate::flow::said::{FINDS, Said, Spelling};
use domain::Timestamp;
use domain::hash::Digest;
use domain::id::ValueId;
use domain::label::{Integrity, Label, Readers};
use domain::limits::{FLOW_BYTES, FLOW_LEAVES, JSON_DEPTH};
use domain::tool::{Format, ToolSpec};
use jiff::tz::TimeZone;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// The key by which an argument names a stored value instead of repeating it.
pub const REFERENCE: &str = "$val";

/// How an argument's label was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The user said it, whole.
    Said,
    /// It stands in stored values.
    Stored,
    /// It is a reference to a stored value's part.
    Referenced,
    /// Nowhere: it may be made from anything the agent has been shown.
    Nowhere,
}

/// An argument's part and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// How far it may be trusted and who may read it.
    pub label: Label,
    /// How that was found.
    pub found: Found,
}

/// Why a reference cannot be followed. Written for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReferenceError(String);

/// Arguments with every reference replaced by what it names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resolved {
    /// The arguments as the tool gets them.
    pub arguments: Value,
    /// The labels of the parts that references brought, by JSON pointer.
    pub labels: BTreeMap<String, Label>,
}

/// One value an agent was shown.
#[derive(Debug)]
struct Kept {
    data: Value,
    leaves: Vec<(String, usize)>,
}

/// What one session knows of where its values came from. Bounded by [`FLOW_BYTES`] and
/// [`FLOW_LEAVES`]: what no longer fits is kept only as one label, which every later find joins.
#[derive(Debug, Default)]
pub struct Provenance {
    pub(super) said: Said,
    pub(super) shown: Index,
    /// For each text of `shown`: its label, and the digest of its own letters where it is a whole leaf
    /// as it was shown.
    pub(super) texts: Vec<(usize, Option<Digest>)>,
    pub(super) labels: Vec<Label>,
    values: HashMap<ValueId, Kept>,
    bytes: usize,
    unkept: Option<Label>,
    pages: Pages,
    /// Days and times that a platform set.
    pub(super) set: Moments,
    /// Numbers that a platform set.
    pub(super) amounts: Vec<f64>,
    /// Things that an agent of this session made or changed.
    pub(super) changed: Changed,
    pub(super) records: Records,
    /// Leaves in which a platform sets a name: who sent something, where it was posted.
    pub(super) names: BTreeSet<Place>,
    /// What the folders are called in which the session works, as words.
    folders: BTreeSet<String>,
}

/// The label of what the user types: the user may send it wherever the user sends things.
#[must_use]
pub fn said_label() -> Label {
    Label {
        readers: Readers::Public,
        ..Label::trusted("user")
    }
}

impl Provenance {
    /// Notes what the user said, or approved in full.
    pub fn say(&mut self, text: &str) {
        // What the user pastes beyond all bounds is not searched: nothing is trusted by it.
        if self.has_room(text.len(), 1) {
            self.bytes += text.len();
            self.said.add(text);
        }
    }

    /// Notes the folder in which the session works. What it and those above it are called may say whom
    /// the work is for, and is no outsider's to know. A name of one word says too little and would
    /// stand in many a text.
    pub fn work_in(&mut self, folder: &Path) {
        let parts = folder.iter().filter_map(|part| part.to_str());
        let names = parts.map(spaced_words).filter(|name| name.contains(' '));
        self.folders.extend(names);
    }

    /// Whether a text has the name of such a folder, which the user did not say.
    #[must_use]
    pub(super) fn tells_folder(&self, text: &str) -> bool {
        if self.folders.is_empty() {
            return false;
        }
        let words = format!(" {} ", spaced_words(text));
        let mut folders = self.folders.iter();
        folders.any(|name| words.contains(&format!(" {name} ")) && !self.said.has_query(name))
    }

    /// Keeps a tool's result and tells its label: the join of all its parts. The labels come from
    /// the tool table alone, never from anything in the result.
    pub fn show(&mut self, id: ValueId, spec: &ToolSpec, origin: &str, data: Value) -> Label {
        let mut base = spec.result_label.clone();
        let each = one_by_one(origin, &base);
        base.origins.extend(each);
        let mut leaves = Vec::new();
        collect(&data, &mut String::new(), 0, &mut leaves);
        let mut whole = if leaves.is_empty() {
            base.clone()
        } else {
            Label::nothing()
        };
        let mut places = Vec::with_capacity(leaves.len());
        let mut is_kept = true;
        for (pointer, text) in leaves {
            let label = leaf_label(spec, &base, &pointer, &text);
            whole = whole.join(&label);
            if spec
                .names_pages
                .iter()
                .any(|path| fits_path(path, &pointer))
            {
                self.pages.name(&text);
            }
            match self.keep(&text, &label) {
                // A key is no part that a reference may name.
                Some(place) if !is_key(&pointer) => {
                    let is_amount = has_format(spec, &pointer, &text, &Format::Number);
                    self.note_set(&text, &label, (spec, is_amount));
                    if has_format(spec, &pointer, &text, &Format::Identifier) {
                        self.names.insert(place);
                    }
                    places.push((pointer, place));
                }
                Some(_) => {}
                None => is_kept = false,
            }
        }
        let tool = spec.definition.name.as_str();
        self.records.add(&places, tool, &spec.capability);
        let data = if is_kept { data } else { Value::Null };
        self.values.insert(
            id,
            Kept {
                data,
                leaves: places,
            },
        );
        whole
    }

    /// Keeps a text with a label of its own: a brief, a report, something read back.
    pub fn show_text(&mut self, id: ValueId, text: &str, label: &Label) {
        let place = self.keep(text, label);
        let kept = Kept {
            data: place.map_or(Value::Null, |_| Value::String(text.to_owned())),
            leaves: place.map(|p| (String::new(), p)).into_iter().collect(),
        };
        self.values.insert(id, kept);
    }

    /// Puts what references name in their place.
    ///
    /// # Errors
    /// [`ReferenceError`] when one names no kept value or no single part of it.
    pub fn resolve(&self, arguments: &Value) -> Result<Resolved, ReferenceError> {
        let mut resolved = Resolved {
            arguments: arguments.clone(),
            labels: BTreeMap::new(),
        };
        let mut pointer = String::new();
        self.follow(
            &mut resolved.arguments,
            &mut pointer,
            0,
            &mut resolved.labels,
        )?;
        Ok(resolved)
    }

    /// Where a part of an argument came from, when it is content. `context` is the join of
    /// everything the agent has been shown.
    #[must_use]
    pub fn trace(&self, part: &Value, context: &Label) -> Traced {
        match text_of(part) {
            Ok(text) => self.trace_text(&text, context),
            Err(Unread::Nothing) => nothing(),
            Err(Unread::Compound) => nowhere(context),
        }
    }

    /// As [`Self::trace`], for a text.
    #[must_use]
    pub fn trace_text(&self, text: &str, context: &Label) -> Traced {
        let plain = plain(text);
        let spelling = plain.as_ref().and_then(|plain| self.said.spelling(plain));
        self.traced(text, plain.as_ref(), spelling, context)
    }

    /// Where a part of an argument came from, when it says what the call lands on. A bare number of
    /// the user's words names nothing unless the user meant it as a name.
    #[must_use]
    pub fn trace_target(&self, part: &Value, context: &Label) -> Traced {
        let text = match text_of(part) {
            Ok(text) => text,
            // `all: true` may name everything, and so may an empty list.
            Err(Unread::Nothing) if part != &Value::Bool(true) => return nothing(),
            Err(Unread::Nothing | Unread::Compound) => return nowhere(context),
        };
        // Behind a line break a protocol may read another line: a header, a command.
        if text.contains(breaks_a_line) {
            return nowhere(context);
        }
        let plain = plain(&text);
        let spelling = plain.as_ref().and_then(|plain| {
            let spelling = self.said.spelling(plain)?;
            let is_number = plain.folded.bytes().all(|b| b.is_ascii_digit());
            (!is_number || self.said.names_number(plain)).then_some(spelling)
        });
        self.traced(&text, plain.as_ref(), spelling, context)
    }

    /// Where an amount that is paid came from: from the user, in whatever form the user wrote it,
    /// from a platform's own fields, or by the user's percentage or sum from one of them.
    #[must_use]
    pub fn trace_amount(&self, amount: &serde_json::Number, context: &Label) -> Traced {
        let text = number(amount);
        let is_said = self.said.has_amount(&text);
        let mut traced = self.traced(&text, None, is_said.then_some(Spelling::Same), context);
        let is_set = amount
            .as_f64()
            .is_some_and(|value| self.amounts.contains(&value));
        if traced.label.integrity == Integrity::Endorsed && !is_set {
            // An id or a date is no amount, whatever digits it has.
            traced = nowhere(context);
        }
        let is_open = traced.found == Found::Nowhere;
        let computed = amount
            .as_f64()
            .filter(|_| is_open)
            .is_some_and(|value| self.said.makes_amount(value, &self.amounts));
        match computed {
            true => Traced {
                label: Label {
                    integrity: Integrity::Endorsed,
                    ..said_label()
                },
                found: Found::Stored,
            },
            false => traced,
        }
    }

    fn traced(
        &self,
        text: &str,
        plain: Option<&Plain>,
        spelling: Option<Spelling>,
        context: &Label,
    ) -> Traced {
        let stored = || self.stored(text, plain, context);
        let label = match spelling {
            Some(Spelling::Same) => None,
            // Another spelling that an outsider wrote, too, is the outsider's.
            Some(Spelling::OtherCase) => stored(),
            None => match stored() {
                Some(label) => Some(label),
                None => return nowhere(context),
            },
        };
        match label {
            None => Traced {
                label: said_label(),
                found: Found::Said,
            },
            Some(label) => Traced {
                label,
                found: Found::Stored,
            },
        }
    }

    /// Whether a page may be fetched: a search of this session named it, or the user did.
    #[must_use]
    pub fn may_be_fetched(&self, url: &str) -> bool {
        self.pages.are_named(url) || self.said.names_page(url)
    }

    /// Whether a query is the user's own words, in their order: it tells no more than that the user
    /// said so.
    #[must_use]
    pub fn is_said_query(&self, text: &str) -> bool {
        self.said.has_query(text)
    }

    /// Whether the user said it, in any usual case, whoever else wrote it.
    #[must_use]
    pub fn is_said(&self, text: &str) -> bool {
        plain(text).is_some_and(|plain| self.said.spelling(&plain).is_some())
    }

    /// Whether the user said these texts one after the other: which of them, in which order and how
    /// often is then the user's doing.
    #[must_use]
    pub fn is_said_row(&self, row: &[Value]) -> bool {
        let texts = row
            .iter()
            .map(|item| text_of(item).ok().and_then(|text| plain(&text)));
        let texts: Option<Vec<Plain>> = texts.collect();
        texts.is_some_and(|texts| self.said.has_row(&texts))
    }

    /// Whether a text is one that the user gave, with its blanks filled in.
    #[must_use]
    pub fn is_filled_form(&self, text: &str) -> bool {
        self.form_of(text).is_some()
    }

    /// What stands around the blanks of the text that the user gave and that a text fills in.
    pub(super) fn form_of(&self, text: &str) -> Option<&[String]> {
        plain(text).and_then(|plain| self.said.form_of(&plain))
    }

    /// Whether a text is a day or a time that tells next to nothing.
    #[must_use]
    pub fn is_narrow_moment(&self, text: &str, now: Timestamp) -> bool {
        let today = now.to_zoned(TimeZone::UTC).date();
        is_narrow_moment(text, self.said.moments(), &self.set, today)
    }

    /// The join of all stored values that contain the text. `None` when there is none, or none
    /// that is the text and nothing else: a part of an endorsed name is not an endorsed name.
    fn stored(&self, text: &str, plain: Option<&Plain>, context: &Label) -> Option<Label> {
        let (wanted, letters) = (folded(text), Digest::of(text.as_bytes()));
        let mut label: Option<Label> = None;
        let mut is_whole = false;
        let mut seen = BTreeSet::new();
        let is_number = wanted.bytes().all(|b| b.is_ascii_digit());
        let edges = if is_number {
            Edges::Number
        } else {
            Edges::Word
        };
        for (count, place) in self.shown.find(&wanted, edges).enumerate() {
            if count >= FINDS {
                // What stands in so many places may come from any of them.
                let labels = self.labels.iter();
                return Some(labels.fold(context.clone(), |all, one| all.join(one)));
            }
            let Some(place) = place else { continue };
            let Some((index, leaf)) = self.texts.get(place).copied() else {
                continue;
            };
            // Letters in another case, or blanks, could carry something that nobody said.
            is_whole |= leaf == Some(letters) && (is_number || plain.is_some());
            if seen.insert(index) {
                let one = self.labels.get(index)?;
                label = Some(label.map_or_else(|| one.clone(), |l| l.join(one)));
            }
        }
        let mut label = label?;
        if let Some(unkept) = &self.unkept {
            label = label.join(unkept);
        }
        if label.integrity == Integrity::Untrusted {
            // That an outsider repeats something gives it no more readers than it had.
            label.readers = label.readers.join(&context.readers);
            return Some(label);
        }
        is_whole.then_some(label)
    }

    fn has_room(&self, bytes: usize, texts: usize) -> bool {
        self.bytes + bytes <= FLOW_BYTES && self.texts.len() + texts <= FLOW_LEAVES
    }

    fn keep(&mut self, text: &str, label: &Label) -> Option<usize> {
        let mut forms = decoded(text);
        let bytes: usize = text.len() + forms.iter().map(String::len).sum::<usize>();
        if !self.has_room(bytes, 1 + forms.len()) {
            let unkept = self.unkept.take().unwrap_or_else(Label::nothing);
            self.unkept = Some(unkept.join(label));
            return None;
        }
        self.bytes += bytes;
        let index = self.intern(label);
        let place = self.shown.add(folded(text));
        self.texts.push((index, Some(Digest::of(text.as_bytes()))));
        for form in forms.drain(..) {
            self.shown.add(folded(&form));
            self.texts.push((index, None));
        }
        Some(place)
    }

    fn intern(&mut self, label: &Label) -> usize {
        // A session has few labels; the newest are asked for most.
        if let Some(index) = self.labels.iter().rposition(|known| known == label) {
            return index;
        }
        self.labels.push(label.clone());
        self.labels.len() - 1
    }

    fn follow(
        &self,
        value: &mut Value,
        pointer: &mut String,
        depth: usize,
        labels: &mut BTreeMap<String, Label>,
    ) -> Result<(), ReferenceError> {
        if depth > JSON_DEPTH {
            return Ok(());
        }
        if let Some((part, label)) = self.referenced(value)? {
            *value = part;
            labels.insert(pointer.clone(), label);
            return Ok(());
        }
        let length = pointer.len();
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    self.follow(item, pointer, depth + 1, labels)?;
                    pointer.truncate(length);
                }
            }
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut() {
                    pointer.push('/');
                    pointer.push_str(&escaped(key));
                    self.follow(field, pointer, depth + 1, labels)?;
                    pointer.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    /// The leaf that a reference names; `None` for a value that is no reference.
    fn referenced(&self, value: &Value) -> Result<Option<(Value, Label)>, ReferenceError> {
        let Some(fields) = value.as_object().filter(|o| o.contains_key(REFERENCE)) else {
            return Ok(None);
        };
        let wrong = |why: String| Err(ReferenceError(why));
        let id = fields.get(REFERENCE).and_then(Value::as_str).unwrap_or("");
        let path = fields.get("path").map_or(Some(""), Value::as_str);
        let known = fields.keys().all(|key| key == REFERENCE || key == "path");
        let is_pointer = |path: &&str| {
            let mut escapes = path.split('~').skip(1);
            escapes.all(|rest| rest.starts_with(['0', '1']))
        };
        let (true, Some(path)) = (known, path.filter(is_pointer)) else {
            return wrong(format!(
                "A reference is {{\"{REFERENCE}\": ID, \"path\": POINTER}} and nothing else."
            ));
        };
        let found = id
            .parse::<ValueId>()
            .ok()
            .and_then(|id| self.values.get(&id));
        let Some(kept) = found else {
            return wrong(format!("No value {id:?} is kept. Repeat the text itself."));
        };
        let place = kept
            .leaves
            .iter()
            .find(|(pointer, _)| pointer == path)
            .map(|(_, place)| *place);
        let label = place
            .and_then(|place| self.texts.get(place))
            .and_then(|(index, _)| self.labels.get(*index));
        match (kept.data.pointer(path), label) {
            (Some(part), Some(label)) => Ok(Some((part.clone(), label.clone()))),
            _ => wrong(format!(
                "Value {id} has no single part at {path:?}. Repeat the text itself."
            )),
        }
    }
}

/// The origins in a tool's word on where its result came from: several of the table's own kind are
/// joined by commas, as `web:a.example, web:b.example`. Anything else is one, whatever is in it, so
/// that a file's name adds no origin of another kind. An empty one is none.
fn one_by_one(origin: &str, table: &Label) -> Vec<String> {
    if origin.is_empty() {
        return Vec::new();
    }
    let is_of_the_kind = |part: &str| {
        table.origins.iter().any(|kind| {
            let rest = part.strip_prefix(kind.as_str());
            rest.is_some_and(|rest| rest.starts_with(':'))
        })
    };
    let parts = || origin.split(", ");
    if parts().all(is_of_the_kind) {
        return parts().map(str::to_owned).collect();
    }
    vec![origin.to_owned()]
}

/// The words of a text in lower case, with one space between them.
fn spaced_words(text: &str) -> String {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Whether a character ends a line or controls how a text is read.
fn breaks_a_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Why a part of an argument is not looked for.
enum Unread {
    /// It names no place: nothing, yes or no.
    Nothing,
    /// It has parts of its own.
    Compound,
}

fn text_of(part: &Value) -> Result<String, Unread> {
    match part {
        Value::Null | Value::Bool(_) => Err(Unread::Nothing),
        // Any other white space can carry a message.
        Value::String(text) if matches!(text.as_str(), "" | " " | "\n") => Err(Unread::Nothing),
        Value::String(text) => Ok(text.clone()),
        Value::Number(value) => Ok(number(value)),
        Value::Array(_) | Value::Object(_) => Err(Unread::Compound),
    }
}

fn nothing() -> Traced {
    Traced {
        label: Label::nothing(),
        found: Found::Said,
    }
}

fn nowhere(context: &Label) -> Traced {
    Traced {
        label: context.clone(),
        found: Found::Nowhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_taken_apart_only_where_all_are_of_the_tools_own_kind() {
        let web = Label::untrusted("web");
        let two = one_by_one("web:127.0.0.1, web:tea.example", &web);
        assert_eq!(two, ["web:127.0.0.1", "web:tea.example"]);
        assert_eq!(one_by_one("web", &web), ["web"]);
        let file = "file:a, memory:project:/x";
        assert_eq!(one_by_one(file, &Label::untrusted("file")), [file]);
    }
}
