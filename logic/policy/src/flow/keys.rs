//! Which field of a record is its own key, and which only mentions another thing.
//!
//! A mail has the id of the mail that it answers, a share the id of the file: whoever writes the mail
//! or names himself in the share would otherwise choose what the file is called.

use crate::flow::normal::exact;

/// Endings of names of fields that tell one thing from all others.
const KEYS: [&str; 8] = ["id", "uuid", "guid", "no", "nr", "number", "slug", "key"];
/// Fields that say where a thing is kept.
const PLACES: [&str; 6] = ["path", "url", "uri", "link", "href", "permalink"];
/// Names of parts of a result that only hold what the tool is about.
const HOLDERS: [&str; 9] = [
    "data", "entry", "item", "match", "record", "response", "result", "row", "value",
];
/// Words that end what a tool's name says it is about: `search_files_by_name`.
const PREPOSITIONS: [&str; 10] = [
    "by", "for", "from", "in", "of", "on", "to", "with", "within", "at",
];
/// Verbs that may end a tool's name: `files.list`.
const VERBS: [&str; 8] = [
    "list", "get", "search", "read", "find", "show", "fetch", "query",
];
/// What holds things of another name. What has one key there is one of them.
const COLLECTIONS: [&str; 10] = [
    "calendar",
    "catalog",
    "catalogue",
    "collection",
    "drive",
    "feed",
    "inbox",
    "mail",
    "mailbox",
    "register",
];

/// What the records at one place of a result are: `file` for `list_files`, `order` below `orders`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kinds {
    names: Vec<String>,
}

impl Kinds {
    /// The kinds of the record at a pointer of a tool's result.
    pub(super) fn of(tool: &str, record: &str) -> Self {
        let parts = record.split('/').filter_map(|part| words(part).pop());
        let parts = parts.filter(|part| part.bytes().any(|b| !b.is_ascii_digit()));
        let mut containers: Vec<String> = parts.map(|word| singular(&word)).collect();
        let only_hold = containers.iter().all(|one| HOLDERS.contains(&one.as_str()));
        let about: Vec<String> = words(tool)
            .into_iter()
            .take_while(|word| !PREPOSITIONS.contains(&word.as_str()))
            .collect();
        let is_thing = |word: &&String| !VERBS.contains(&word.as_str());
        let about = about.iter().rev().find(is_thing).map(|word| singular(word));
        let container = containers.pop();
        let about = about.filter(|_| only_hold);
        Self {
            names: container.into_iter().chain(about).collect(),
        }
    }

    /// Whether a field is the key of records of this kind: `id`, `file_id` of a file, or the only key
    /// (`is_only`) of what stands in a collection that has another name.
    pub(super) fn have_key(&self, field: &str, is_only: bool) -> bool {
        let words = words(field);
        let Some((ending, of)) = words.split_last() else {
            return false;
        };
        let is_collected = || {
            let mut names = self.names.iter();
            is_only && names.any(|name| COLLECTIONS.contains(&name.as_str()))
        };
        KEYS.contains(&ending.as_str())
            && match of.last() {
                None => true,
                Some(kind) => self.names.contains(&singular(kind)) || is_collected(),
            }
    }
}

/// Whether a field tells a thing from others, be that the record's own or another one.
pub(super) fn is_key_like(field: &str) -> bool {
    words(field)
        .last()
        .is_some_and(|last| KEYS.contains(&last.as_str()))
}

/// Whether a field says where a thing is kept.
pub(super) fn is_place(field: &str) -> bool {
    words(field)
        .last()
        .is_some_and(|last| PLACES.contains(&last.as_str()))
}

/// The words of a name, in lower case: `fileId` and `file_id` are two.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            is_open = false;
            continue;
        }
        if !is_open || c.is_uppercase() && was_lower {
            found.push(String::new());
        }
        is_open = true;
        was_lower = c.is_lowercase() || c.is_numeric();
        if let Some(word) = found.last_mut() {
            word.push(c);
        }
    }
    found.iter().map(|word| exact(word)).collect()
}

/// A word without its plural.
fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let stem = ["sses", "shes", "ches", "xes"]
        .iter()
        .find(|end| word.ends_with(*end));
    match stem {
        Some(_) => word.strip_suffix("es").unwrap_or(word).to_owned(),
        None if word.ends_with("ss") => word.to_owned(),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_known_by_its_own_key() {
        for (tool, record, field, is_own) in [
            ("list_files", "/0", "id", true),
            ("list_files", "/0", "id_", true),
            ("list_files", "/0", "file_id", true),
            ("listFiles", "/0", "fileId", true),
            ("drive.files.list", "/0", "fileId", true),
            ("search_files_by_owner", "/0", "file_id", true),
            ("list_orders", "/orders/0", "order_id", true),
            ("list_orders", "/orders/0/items/1", "item_id", true),
            ("list_orders", "/result/0", "order_id", true),
            ("list_stories", "/0", "story_id", true),
            ("list_orders", "/orders/0/items/1", "product_id", false),
            ("list_shares", "/0", "file_id", false),
            ("read_inbox", "/0", "in_reply_to", false),
            ("search_mail", "/0", "attachment_id", false),
            ("search_mail", "/0", "thread_id", false),
            ("list_files", "/0", "owner", false),
            ("list_files", "/0", "", false),
        ] {
            let kinds = Kinds::of(tool, record);
            assert_eq!(
                kinds.have_key(field, false),
                is_own,
                "{tool} {record} {field}"
            );
        }
    }

    #[test]
    fn what_stands_in_a_collection_is_known_by_its_only_key() {
        let kinds = Kinds::of("get_calendar", "/0");
        assert!(kinds.have_key("event_id", true));
        assert!(!kinds.have_key("event_id", false));
        assert!(!Kinds::of("list_shares", "/0").have_key("file_id", true));
    }
}
