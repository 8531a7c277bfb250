//! The tools over the web as the guard knows them.

use api::search::{QUERY_BYTES, RESULTS};
use domain::label::{Integrity, Label, Readers};
use domain::limits::PAGE_URL_BYTES;
use domain::tool::{
    ArgumentRole, Audience, BuiltInTool, EffectClass, ResultSource, TargetKind, ToolSpec,
    WEB_SEARCH, closed_object, text_argument,
};
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const FETCH: &str = "web_fetch";

/// Changes whenever a tool's behaviour or schema does.
const VERSION: &str = "1";
/// Longest query and question, characters: a character takes at most four of the service's bytes.
const QUERY_CHARS: usize = QUERY_BYTES / 4;

pub(super) fn all() -> Vec<ToolSpec> {
    vec![search().spec(), fetch().spec()]
}

fn search() -> BuiltInTool<'static> {
    BuiltInTool {
        name: WEB_SEARCH,
        version: VERSION,
        description: "Search the web. Claims with sources and dates.",
        capability: "web_search",
        effect: EffectClass::Read,
        parameters: closed_object(
            json!({
                "query": text_argument("What to look for.", QUERY_CHARS),
                "max_results": {"type": "integer", "minimum": 1, "maximum": RESULTS},
            }),
            &["query"],
        ),
        // What is asked is what is told.
        arguments: &[("query", ArgumentRole::Target, Some(TargetKind::Other))],
        audience: Audience::Public,
        result_label: from_outside(),
        result_source: ResultSource::World,
        names_pages: &["/results/*/source_url"],
        is_wait: false,
        calls_per_minute: None,
    }
}

fn fetch() -> BuiltInTool<'static> {
    BuiltInTool {
        name: FETCH,
        version: VERSION,
        description: "Read a page that web_search found or the user named.",
        parameters: closed_object(
            json!({
                "url": text_argument("Its address.", PAGE_URL_BYTES),
                "question": text_argument("What to find out.", QUERY_CHARS),
            }),
            &["url"],
        ),
        // The question stays in the house: it is asked of the page after it was fetched.
        arguments: &[("url", ArgumentRole::Target, Some(TargetKind::Url))],
        names_pages: &[],
        ..search()
    }
}

/// Anyone may know it, and no one vouches for it.
fn from_outside() -> Label {
    Label {
        integrity: Integrity::Untrusted,
        readers: Readers::Public,
        origins: BTreeSet::from(["web".to_owned()]),
        trusted_origins: BTreeSet::new(),
        persistent: true,
    }
}
