//! How recalls are told: to a model as lines with their provenance, to the guard as data whose
//! parts have labels.

use super::record::{Results, Told};
use api::executor::ToolFailure;
use api::failure::broken;
use api::memory::{Kind, Lacking, Recall, Source, Stage};
use domain::label::{Integrity, Label};
use domain::rights::Namespace;
use domain::tool::{ResultField, ToolOutput};

/// Most of one recall that a model is shown, characters.
const SHOWN_CHARS: usize = 1_500;
/// The kind of what was asked and answered.
const CONVERSATION: &str = "conversation";

/// The recalls as a result, with what the search could not look at. Each part is labelled as it was
/// stored; that nothing was found, or looked at, says nothing of anybody's.
pub(super) fn found(
    recalls: &[Recall],
    namespaces: &[Namespace],
    lacking: String,
) -> Result<ToolOutput, ToolFailure> {
    let of_search = (!lacking.is_empty()).then(|| ResultField {
        path: "/lacking".to_owned(),
        label: Label::nothing(),
        format: None,
    });
    let labels = recalls
        .iter()
        .enumerate()
        .map(|(index, recall)| ResultField {
            path: format!("/results/{index}/**"),
            label: marked(recall),
            format: None,
        })
        .chain(of_search);
    let results = Results {
        results: recalls.iter().map(told).collect(),
        lacking,
    };
    let mut text = match (namespaces.is_empty(), results.results.is_empty()) {
        (true, _) => "No memory is open to this agent.".to_owned(),
        (false, true) => "Nothing relevant is in memory.".to_owned(),
        (false, false) => in_lines(&results.results),
    };
    if !results.lacking.is_empty() && !namespaces.is_empty() {
        text.push_str(&format!("\n\n({})", results.lacking));
    }
    let origin = match results.results.is_empty() {
        true => "",
        false => "memory",
    };
    let data = serde_json::to_value(&results).map_err(|error| {
        broken(
            "result_unwritable",
            format!("The result cannot be told: {error}."),
        )
    })?;
    Ok(ToolOutput {
        data,
        text,
        origin: origin.to_owned(),
        artifacts: Vec::new(),
        labels: labels.collect(),
    })
}

/// What a search could not look at, in a sentence; empty when it looked at all there is. What
/// another program said of it, as a model server, is left out: the sentence is ours.
pub(super) fn lacking(stages: &[Stage]) -> String {
    let own = |why: &'_ str| -> String {
        let end = why.find(" (").unwrap_or(why.len());
        why[..end].to_owned()
    };
    let said = stages
        .iter()
        .filter_map(Stage::lacking)
        .map(|lacking| match lacking {
            Lacking::Meaning(why) => format!(
                "Searched by words alone, and what says it in other words may be missing: {}.",
                own(why)
            ),
            Lacking::Words(_) => {
                "Searched by meaning alone, and a name or a number may be missing: \
                              the index of words cannot be used just now."
                    .to_owned()
            }
            Lacking::Part(what) => format!("Something may be missing: {}.", own(what)),
        });
    said.collect::<Vec<_>>().join(" ")
}

/// Its label as stored, with where it was read: an answer made of it goes no further than that part
/// of memory. Marks of an earlier reading say where it was before somebody kept it here.
fn marked(recall: &Recall) -> Label {
    let mut label = recall.label.clone();
    label
        .origins
        .retain(|origin| !origin.starts_with(Namespace::ORIGIN));
    label.origins.extend(recall.namespace.origin());
    label
}

fn told(recall: &Recall) -> Told {
    let text = match recall.segment.trim() {
        "" => String::new(),
        segment => cut(segment, SHOWN_CHARS),
    };
    Told {
        id: recall.id.to_string(),
        kind: match recall.kind {
            Kind::Memory => Kind::Memory.as_str().to_owned(),
            Kind::Engram => CONVERSATION.to_owned(),
        },
        namespace: recall.namespace.to_string(),
        name: cut(recall.name.trim(), SHOWN_CHARS),
        description: cut(recall.description.trim(), SHOWN_CHARS),
        text,
        from: provenance(recall.source, &recall.label),
        date: recall.created_at.strftime("%Y-%m-%d").to_string(),
        relevance: (recall.relevance * 100.0).round() / 100.0,
        trusted: recall.label.integrity == Integrity::Trusted,
    }
}

/// Where it is from, in words: who nominated it, and for what is untrusted where it came from.
fn provenance(source: Source, label: &Label) -> String {
    let who = match source {
        Source::User => "the user",
        Source::Agent => "an agent",
        Source::External => "outside",
    };
    if label.integrity != Integrity::Untrusted {
        return who.to_owned();
    }
    let origins: Vec<&str> = label.origins.iter().map(String::as_str).take(4).collect();
    format!("{who}, untrusted: {}", origins.join(", "))
}

fn in_lines(results: &[Told]) -> String {
    let blocks = results.iter().map(|one| {
        let facts = format!("({}, {}, from {})", one.kind, one.date, one.from);
        // What a text says is not said twice.
        let is_said = |part: &str| part.is_empty() || one.text.contains(part);
        let mut lines = Vec::new();
        if !is_said(&one.name) {
            lines.push(one.name.as_str());
        }
        let is_told = one.kind == CONVERSATION && !one.text.is_empty();
        if !is_told && !is_said(&one.description) && one.description != one.name {
            lines.push(&one.description);
        }
        lines.push(&one.text);
        lines.retain(|line| !line.is_empty());
        format!("{}\n{facts} id {}", lines.join("\n"), one.id)
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// The text, cut after so many characters, with a mark where it was.
fn cut(text: &str, chars: usize) -> String {
    let mut short: String = text.chars().take(chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
