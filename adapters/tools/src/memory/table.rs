//! The tools over memory as the guard knows them.

use domain::label::Label;
use domain::limits::MEMORY_QUESTION_CHARS;
use domain::tool::{
    ArgumentRole, Audience, BuiltInTool, EffectClass, ResultSource, SAVE_MEMORY, SEARCH_MEMORY,
    TargetKind, ToolSpec, closed_object, text_argument,
};
use serde_json::{Value, json};

pub(super) const FOLLOW: &str = "get_correlated";

/// Changes whenever a tool's behaviour or schema does.
const VERSION: &str = "1";
/// Most results of one search.
const RESULTS: u32 = 20;
/// Most entries followed at one time.
const IDS: usize = 16;
/// Characters of an id as text.
const ID_CHARS: usize = 40;
/// Longest name, description and text that a model may nominate, characters.
const NAME_CHARS: usize = 120;
const DESCRIPTION_CHARS: usize = 300;
const CONTENT_CHARS: usize = 20_000;
/// Most tags, and the longest, characters.
const TAGS: usize = 12;
const TAG_CHARS: usize = 40;

pub(super) fn all() -> Vec<ToolSpec> {
    vec![search().spec(), follow().spec(), save().spec()]
}

fn tool(
    (name, description, properties): (&'static str, &'static str, Value),
    required: &'static [&'static str],
) -> BuiltInTool<'static> {
    BuiltInTool {
        name,
        version: VERSION,
        description,
        capability: "memory_read",
        effect: EffectClass::Read,
        parameters: closed_object(properties, required),
        arguments: &[
            ("query", ArgumentRole::Payload, None),
            ("text", ArgumentRole::Payload, None),
        ],
        audience: Audience::User,
        result_label: Label::untrusted("memory"),
        result_source: ResultSource::Stored,
        names_pages: &[],
        is_wait: false,
        calls_per_minute: None,
    }
}

fn search() -> BuiltInTool<'static> {
    let properties = json!({
        "query": text_argument("What to remember.", MEMORY_QUESTION_CHARS),
        "limit": {"type": "integer", "minimum": 1, "maximum": RESULTS},
        "relevant_only": {"type": "boolean"},
    });
    let description = "Search memory: what the user told earlier, answers, notes.";
    tool((SEARCH_MEMORY, description, properties), &["query"])
}

fn follow() -> BuiltInTool<'static> {
    let properties = json!({
        "ids": list("Ids from search_memory.", IDS, ID_CHARS),
        "text": text_argument("What it is for.", MEMORY_QUESTION_CHARS),
        "detail": {"type": "string", "enum": ["description", "text"], "maxLength": 11},
    });
    let description = "Memories that belong with others.";
    tool((FOLLOW, description, properties), &["ids"])
}

fn save() -> BuiltInTool<'static> {
    let properties = json!({
        "name": text_argument("Short title.", NAME_CHARS),
        "content": text_argument("What to keep.", CONTENT_CHARS),
        "description": text_argument("One line.", DESCRIPTION_CHARS),
        "tags": list("Words to find it by.", TAGS, TAG_CHARS),
        "scope": {"type": "string", "enum": ["user", "project", "agent"], "maxLength": 7},
        "supersedes": text_argument("Id of what it corrects.", ID_CHARS),
    });
    let description = "Keep a fact or preference in memory for later sessions.";
    BuiltInTool {
        capability: "memory_write",
        effect: EffectClass::SelfWrite,
        arguments: &[
            ("name", ArgumentRole::Payload, None),
            ("content", ArgumentRole::Payload, None),
            ("description", ArgumentRole::Payload, None),
            ("tags", ArgumentRole::Payload, None),
            ("supersedes", ArgumentRole::Target, Some(TargetKind::Other)),
        ],
        // It tells whether memory says the same already.
        result_source: ResultSource::Private,
        ..tool((SAVE_MEMORY, description, properties), &["name", "content"])
    }
}

fn list(what: &str, most: usize, chars: usize) -> Value {
    json!({
        "type": "array", "minItems": 1, "maxItems": most, "description": what,
        "items": {"type": "string", "maxLength": chars},
    })
}
