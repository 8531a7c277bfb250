//! The tools over the web as the guard knows them.

use crate::spec::{Tool, text};
use api::search::{QUERY_BYTES, RESULTS};
use domain::label::{Integrity, Label, Readers};
use domain::limits::PAGE_URL_BYTES;
use domain::tool::{
    ArgumentRole, Audience, EffectClass, ResultSource, TargetKind, ToolSpec, WEB_SEARCH,
};
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const FETCH: &str = "web_fetch";

/// Changes whenever a tool's behaviour or schema does.
const VERSION: &str = "1";
/// Longest query and question, characters: a character takes at most four of the service's bytes.
const QUERY_CHARS: usize = QUERY_BYTES / 4;

pub(super) fn all() -> Vec<ToolSpec> {
    [search(), fetch()]
        .into_iter()
        .filter_map(Tool::spec)
        .collect()
}

fn search() -> Tool {
    Tool {
        name: WEB_SEARCH,
        version: VERSION,
        description: "Search the web. Claims with sources and dates.",
        capability: "web_search",
        effect: EffectClass::Read,
        properties: json!({
            "query": text("What to look for.", QUERY_CHARS),
            "max_results": {"type": "integer", "minimum": 1, "maximum": RESULTS},
        }),
        required: &["query"],
        // What is asked is what is told.
        roles: &[("query", ArgumentRole::Target, Some(TargetKind::Other))],
        audience: Audience::Public,
        result_label: from_outside(),
        result_source: ResultSource::World,
        names_pages: &["/results/*/source_url"],
    }
}

fn fetch() -> Tool {
    Tool {
        name: FETCH,
        version: VERSION,
        description: "Read a page that web_search found or the user named.",
        properties: json!({
            "url": text("Its address.", PAGE_URL_BYTES),
            "question": text("What to find out.", QUERY_CHARS),
        }),
        required: &["url"],
        // The question stays in the house: it is asked of the page after it was fetched.
        roles: &[("url", ArgumentRole::Target, Some(TargetKind::Url))],
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
        persistent: true,
    }
}
