//! What is added to a list of tasks: `add buy paper to tasks.md` gets a box where each item of the list
//! at the end of the file has one.

use super::lines::Lines;
use crate::rules::plain;
use crate::rules::words::pattern;
use domain::plan::{Action, Plan};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An order to add something that is no line or text by its words, in quotes or without.
static ADDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:can|could) you )?(?:please )?add (?P<text>[^\x22]+|\x22[^\x22]+\x22) (?:to|onto) (?:the )?(?:file )?\S+?[.!? ]*$",
    )
});
/// Words by which an order says what it adds: as it is.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:the|an?|another|this) )?(?:new )?(?:text|line|words?|sentence|paragraph|heading|comment|row|column|note)\b",
    )
});
/// An item of a list: its depth and sign, and its box.
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^(?P<depth>[ \t]*)(?P<sign>[-*+]|\d+[.)])[ \t]+(?P<box>\[[ xX]\][ \t])?")
});

/// The file whose text says whether what a plan adds to it is a task; `None` of any other plan.
pub(crate) fn to_read(request: &str, plan: &Plan) -> Option<String> {
    let [Action::AppendText { path, content }] = plan.actions.as_slice() else {
        return None;
    };
    let found = ADDS.as_ref()?.captures(request.trim())?;
    let is_said = SAID.as_ref()?.is_match(&found["text"]);
    let begins = content.starts_with(|c: char| c.is_alphanumeric());
    let is_bare = begins && !content.contains('\n') && !ITEM.as_ref()?.is_match(content);
    (plain::is_prose(path) && is_bare && !is_said).then(|| path.clone())
}

/// The plan with a box before what it adds, where the file has a list of tasks at its end.
pub(crate) fn with_box(request: &str, mut plan: Plan, texts: &BTreeMap<String, String>) -> Plan {
    let text = to_read(request, &plan).and_then(|path| {
        let text = texts.get(&path)?.clone();
        Some((path, text))
    });
    let Some((path, text)) = text else {
        return plan;
    };
    let lines = Lines {
        path: &path,
        text: &text,
    };
    if let (Some(sign), [Action::AppendText { content, .. }]) =
        (lines.sign_of_tasks(), plan.actions.as_mut_slice())
    {
        *content = format!("{sign} [ ] {content}");
    }
    plan
}

impl Lines<'_> {
    /// The sign of the items of the list at the end, where all of them have a box.
    fn sign_of_tasks(&self) -> Option<String> {
        let item = ITEM.as_ref()?;
        let lines = self.text.trim_end().lines().rev();
        let list: Vec<&str> = lines.take_while(|line| item.is_match(line)).collect();
        let found: Vec<_> = list.iter().filter_map(|line| item.captures(line)).collect();
        let has_boxes = found.iter().all(|found| found.name("box").is_some());
        let outer = found.iter().find(|found| found["depth"].is_empty())?;
        // A number is the next one, which is not counted here.
        let sign = match outer["sign"].starts_with(|c: char| c.is_ascii_digit()) {
            true => "-",
            false => &outer["sign"],
        };
        has_boxes.then(|| sign.to_owned())
    }
}
