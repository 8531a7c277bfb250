//! Paragraphs that are added to the end of a text: behind an empty line, where the last line is of a paragraph.

use crate::rules::plain;
use domain::plan::{Action, Plan};
use std::collections::BTreeMap;

/// The file that a plan adds several paragraphs to; `None` of any other plan.
pub(crate) fn to_read(plan: &Plan) -> Option<String> {
    let [Action::AppendText { path, content }] = plan.actions.as_slice() else {
        return None;
    };
    let are_paragraphs = content.trim().lines().any(|line| line.trim().is_empty());
    (plain::is_prose(path) && are_paragraphs).then(|| path.clone())
}

/// The plan with an empty line before the paragraphs that it adds, where they would go on with the last one.
pub(crate) fn with_gap(mut plan: Plan, texts: &BTreeMap<String, String>) -> Plan {
    let text = to_read(&plan).and_then(|path| texts.get(&path));
    let last = text.and_then(|text| text.lines().last());
    let goes_on = last.is_some_and(|line| !line.trim().is_empty());
    if let ([Action::AppendText { content, .. }], true) = (plan.actions.as_mut_slice(), goes_on) {
        *content = format!("\n{}", content.trim_start_matches(['\r', '\n']));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(path: &str, text: &str, content: &str) -> String {
        let plan = Plan {
            intent: "x".to_owned(),
            actions: vec![Action::AppendText {
                path: path.to_owned(),
                content: content.to_owned(),
            }],
        };
        let texts = BTreeMap::from([(path.to_owned(), text.to_owned())]);
        match with_gap(plan, &texts).actions.remove(0) {
            Action::AppendText { content, .. } => content,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pasted_paragraphs_begin_behind_an_empty_line() {
        assert_eq!(added("a.md", "x\n", "one\n\ntwo"), "\none\n\ntwo");
        // The controls: an empty line is there, one paragraph, an empty file, data.
        assert_eq!(added("a.md", "x\n\n", "one\n\ntwo"), "one\n\ntwo");
        assert_eq!(added("a.md", "x\n", "one\ntwo"), "one\ntwo");
        assert_eq!(added("a.md", "", "one\n\ntwo"), "one\n\ntwo");
        assert_eq!(added("a.csv", "x\n", "one\n\ntwo"), "one\n\ntwo");
    }
}
