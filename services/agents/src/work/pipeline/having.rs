//! Files that have what an order wants that names none.

use super::stage::call_tool;
use crate::work::Work;
use domain::plan::Action;
use plan::compile;
use plan::rules::without_file::{TRIED_FILES, Wanted};
use turn::Outcome;

/// The files that have what an order without a file wants, found by a search on record.
pub(super) async fn files(work: &Work, outcome: &mut Outcome, wanted: &Wanted) -> Vec<String> {
    let search = Action::SearchText {
        query: wanted.word().to_owned(),
        path: ".".to_owned(),
    };
    let mut files: Vec<String> = Vec::new();
    for call in compile::action(&search) {
        let result = call_tool(work, outcome, &call, None).await.result;
        let found = result.data["matches"].as_array();
        for one in found.into_iter().flatten() {
            let path = one["path"].as_str().unwrap_or_default().to_owned();
            if !path.is_empty() && wanted.may_be_in(&path) && !files.contains(&path) {
                files.push(path);
            }
        }
    }
    // An order for all of them that leaves some out is not offered.
    if wanted.is_of_all() && files.len() > TRIED_FILES {
        return Vec::new();
    }
    files.truncate(TRIED_FILES);
    files
}
