//! Why memory brings something up: what each entry is worth for the question, and what each stage saw.

use super::{LEAST_SHOWN, stages, word};
use crate::{Paint, moments};
use api::memory::{Recall, Stage};
use domain::Timestamp;
use text::escape::{visible, visible_line};

/// What was found for a question, best first: content, relevance, score, age and who wrote it; below it
/// what each stage of the search saw.
#[must_use]
pub fn explained((seen, recalls): (&[Stage], &[Recall]), now: Timestamp, paint: Paint) -> String {
    let mut out = String::new();
    let fitting = recalls.iter().filter(|one| one.relevance >= LEAST_SHOWN);
    for (place, recall) in fitting.enumerate() {
        let name = paint.strong(&visible_line(&recall.name));
        out.push_str(&format!("{}. {name}\n", place + 1));
        let worth = format!(
            "relevance {:.2} · score {:.4} · {} old · {} written by {}",
            recall.relevance,
            recall.score,
            moments::age(recall.created_at, now),
            word(recall.kind),
            recall.source.as_str(),
        );
        out.push_str(&format!("   {}\n", paint.faint(&worth)));
        let content = recall.segment.lines();
        for line in content.filter(|line| !line.trim().is_empty()) {
            out.push_str(&format!("   {}\n", visible(line)));
        }
    }
    if out.is_empty() {
        out.push_str("Nothing fits the question.\n");
    }
    out.push_str(&stages(seen, recalls, paint));
    out
}
