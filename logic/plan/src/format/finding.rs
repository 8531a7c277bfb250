//! What memory and the web gave: each with where it is from, and never as if it were ours.

use super::data::{count, items, quoted, text};
use serde_json::Value;

/// From which relevance on a recall is about what was asked, 0 to 1.
const ABOUT: f64 = 0.3;
/// Recalls that are shown where none is about it.
const NEAREST: usize = 2;

pub(super) fn kept(said: &str, data: &Value) -> String {
    let id = text(data, "id");
    if data.get("kept") == Some(&Value::Bool(false)) {
        return format!("Memory says the same already (id {id}).");
    }
    format!("Remembered: {} (id {id}).", quoted(said))
}

pub(super) fn recalled(query: &str, data: &Value) -> String {
    let results = items(data, "results");
    let about = quoted(query);
    // A search that goes by words alone, or with some vectors missing, may overlook something.
    let lacking = match text(data, "lacking") {
        "" => String::new(),
        lacking => format!("\n{}", set_in(lacking)),
    };
    if results.is_empty() {
        return format!("Nothing is found in memory about {about}.{lacking}");
    }
    let relevance = |one: &Value| one.get("relevance").and_then(Value::as_f64).unwrap_or(0.0);
    let mut near: Vec<&Value> = results.iter().collect();
    near.retain(|one| relevance(one) >= ABOUT);
    let all = near.clone();
    near.retain(|one| !all.iter().any(|other| is_said_again(other, one)));
    let (heading, shown) = if near.is_empty() {
        let nearest = results.iter().take(NEAREST).collect();
        let heading = format!("Nothing is clearly about {about}. The nearest in memory:");
        (heading, nearest)
    } else {
        let found = match near.len() {
            1 => "1 entry".to_owned(),
            more => format!("{more} entries"),
        };
        (format!("{found} in memory about {about}:"), near)
    };
    let mut out = heading;
    for (index, one) in shown.iter().enumerate() {
        out.push_str(&format!("\n{}. {}", index + 1, set_in(&remembered(one))));
        out.push_str(&format!(
            "\n   ({}, {}, from {}, id {})",
            text(one, "kind"),
            text(one, "date"),
            places(text(one, "from")),
            text(one, "id"),
        ));
    }
    out.push_str(&lacking);
    out
}

/// Where an entry comes from: files by their names, since `file:a` reads as a link.
fn places(origins: &str) -> String {
    let named = |origin: &'_ str| origin.strip_prefix("file:").unwrap_or(origin).to_owned();
    let places: Vec<String> = origins.split(", ").map(named).collect();
    places.join(", ")
}

/// Whether a conversation says no more than that a memory was kept: the order to keep it holds it
/// word for word.
fn is_said_again(memory: &Value, conversation: &Value) -> bool {
    let kept = text(memory, "text").trim();
    text(memory, "kind") == "memory"
        && text(conversation, "kind") == "conversation"
        && !kept.is_empty()
        && text(conversation, "name").contains(kept)
}

/// An entry's text with its name, unless the text begins with it.
fn remembered(one: &Value) -> String {
    let (name, body) = (text(one, "name"), text(one, "text"));
    let body = match body.trim() {
        "" => text(one, "description").trim(),
        body => body,
    };
    if body.starts_with(name.trim()) {
        return body.to_owned();
    }
    [name, body].join("\n").trim().to_owned()
}

pub(super) fn searched(query: &str, data: &Value) -> String {
    let results = items(data, "results");
    let about = quoted(query);
    let mut out = if results.is_empty() {
        format!("The web search found nothing about {about}.")
    } else {
        let found = count(results.len() as u64, "result");
        format!("{found} of the web search for {about}; what pages claim is unchecked:")
    };
    for (index, one) in results.iter().enumerate() {
        let claim = text(one, "claim").trim();
        out.push_str(&format!("\n{}. {}", index + 1, set_in(claim)));
        let date = match text(one, "date") {
            "" => String::new(),
            date => format!(" ({date})"),
        };
        out.push_str(&format!("\n   {}{date}", text(one, "source_url")));
        let summary = text(one, "summary").trim();
        if !summary.is_empty() && summary != claim {
            out.push_str(&format!("\n   {}", set_in(summary)));
        }
    }
    for page in items(data, "failures") {
        let (url, detail) = (text(page, "url"), text(page, "detail"));
        out.push_str(&format!("\nNot read: {url}: {}", set_in(detail)));
    }
    out
}

/// Lines after the first stand in, so that no text can look like a line of ours.
fn set_in(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n   ")
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn a_file_that_a_memory_comes_from_reads_as_no_link() {
        assert_eq!(places("file:a.md, memory:x, user"), "a.md, memory:x, user");
    }
}
