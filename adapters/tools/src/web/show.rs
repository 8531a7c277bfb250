//! How claims and pages are told: to a model as text, with today's date above what was searched; to
//! programs as data.

use super::record::{Claimed, Found, Page, Unread};
use api::executor::ToolFailure;
use api::failure::{broken, mendable, timeout};
use api::search::{PageFailure, PageFault, PageSummary, SearchAnswer};
use domain::Timestamp;
use domain::tool::ToolOutput;
use serde::Serialize;
use std::collections::BTreeSet;
use url::Url;

/// Most hosts that the origin of a result names.
const HOSTS: usize = 8;

pub(super) fn claims(answer: &SearchAnswer) -> Result<ToolOutput, ToolFailure> {
    let found = Found {
        today: day(answer.today),
        results: answer
            .claims
            .iter()
            .map(|claim| Claimed {
                claim: claim.claim.clone(),
                source_url: claim.source_url.clone(),
                confidence: claim.confidence,
                date: claim.date.map(day),
                summary: claim.summary.clone(),
                text: claim.extracted.clone(),
            })
            .collect(),
        failures: answer.failures.iter().map(unread_of).collect(),
    };
    let mut parts = vec![format!("Today is {}.", found.today)];
    if found.results.is_empty() {
        parts.push("no results".to_owned());
    }
    parts.extend(found.results.iter().map(claim_in_words));
    parts.extend(found.failures.iter().map(not_read));
    // Of a page that was not read, only what the search server said of it is here.
    let is_read = |url: &str| found.failures.iter().all(|page| page.url != url);
    let urls = found.results.iter().map(|claim| claim.source_url.as_str());
    let origin = origin(urls.filter(|url| is_read(url)));
    output(&found, parts.join("\n\n"), origin)
}

pub(super) fn page(page: &PageSummary) -> Result<ToolOutput, ToolFailure> {
    let told = Page {
        url: page.url.clone(),
        title: page.title.clone(),
        summary: page.summary.clone(),
        text: page.extracted.clone(),
        language: page.language.clone(),
        date: page.date.map(day),
    };
    let mut parts = vec![format!("{}\n{}", told.title, told.url)];
    let facts = [told.date.as_deref(), told.language.as_deref()];
    let facts: Vec<&str> = facts.into_iter().flatten().collect();
    if !facts.is_empty() {
        parts.push(facts.join(", "));
    }
    parts.push(told.summary.clone());
    parts.extend(told.text.clone());
    parts.retain(|part| !part.trim().is_empty());
    let origin = origin(std::iter::once(told.url.as_str()));
    output(&told, parts.join("\n\n"), origin)
}

/// A page that was not read is a failed call: the model reads why, and tries another.
pub(super) fn unread(failed: &PageFailure) -> ToolFailure {
    let text = not_read(&unread_of(failed));
    match failed.fault {
        PageFault::Timeout => timeout("page_timeout", format!("[tool unavailable] {text}")),
        _ => mendable("page_not_read", text),
    }
}

fn unread_of(failure: &PageFailure) -> Unread {
    Unread {
        url: failure.url.clone(),
        fault: failure.fault.as_str().to_owned(),
        detail: failure.detail.clone(),
    }
}

fn not_read(page: &Unread) -> String {
    format!("Not read: {}: {}", page.url, page.detail)
}

fn claim_in_words(claim: &Claimed) -> String {
    let date = match &claim.date {
        Some(date) => format!(", {date}"),
        None => String::new(),
    };
    let mut text = format!(
        "{}\n{}{date}, confidence {:.2}",
        claim.claim, claim.source_url, claim.confidence
    );
    let more = [Some(&claim.summary), claim.text.as_ref()];
    for part in more.into_iter().flatten() {
        if !part.trim().is_empty() && *part != claim.claim {
            text.push('\n');
            text.push_str(part);
        }
    }
    text
}

fn day(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

/// `web:` and the hosts, each once; the guard takes them apart into one origin each.
fn origin<'a>(urls: impl Iterator<Item = &'a str>) -> String {
    let hosts: BTreeSet<String> = urls
        .filter_map(|url| match Url::parse(url) {
            Ok(url) => url.host_str().map(str::to_owned),
            Err(_) => None,
        })
        .take(HOSTS)
        .collect();
    if hosts.is_empty() {
        return "web".to_owned();
    }
    let hosts: Vec<String> = hosts.into_iter().collect();
    format!("web:{}", hosts.join(", web:"))
}

fn output(data: &impl Serialize, text: String, origin: String) -> Result<ToolOutput, ToolFailure> {
    let data = serde_json::to_value(data).map_err(|error| {
        broken(
            "result_unwritable",
            format!("The result cannot be told: {error}."),
        )
    })?;
    Ok(ToolOutput {
        data,
        text,
        origin,
        artifacts: Vec::new(),
        labels: Vec::new(),
    })
}
