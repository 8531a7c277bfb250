//! Questions about files that they do not name: `which version of tokio do we use?` is one of the files that say
//! which packages a project has, and `which chapter is the longest?` of all that are called so.

use super::{counted, counted_files, lacking_files, packages, section_told, superlative};
use crate::named;

/// Most files that are read for such a question.
const READ_FILES: usize = 8;

/// Most files that are compared: as many as a plan reads beside its answer.
const COMPARED_FILES: usize = domain::limits::PLAN_ACTIONS - 1;

/// The files of a folder, whose paths these are, that such a question is about, the nearest first; none of any
/// other question.
pub(crate) fn files_for(question: &str, listing: &[String]) -> Vec<String> {
    let listing: Vec<&String> = listing.iter().filter(|path| !path.ends_with('/')).collect();
    let compared = superlative::compared(question).filter(|_| named::files_of(question).is_empty());
    if let Some((thing, _)) = compared {
        let found = listing
            .iter()
            .filter(|path| superlative::is_one(path, &thing));
        let found: Vec<String> = found.map(|path| (*path).clone()).collect();
        // Of a part of them none is known to be the longest.
        return match found.len() {
            2..=COMPARED_FILES => found,
            _ => Vec::new(),
        };
    }
    let mut of_all = lacking_files::files_for(question, &listing);
    of_all.extend(counted_files::files_for(question, &listing));
    if !of_all.is_empty() {
        // A part of them says nothing of the others.
        return match of_all.len() {
            ..=COMPARED_FILES => of_all,
            _ => Vec::new(),
        };
    }
    if let Some(found) = released(question, &listing) {
        return vec![found];
    }
    let is_of_the_log = counted::of_the_log(question, "a.log").is_some();
    if counted::reported(question).is_some() || is_of_the_log {
        let is_log = |path: &&&String| path.to_lowercase().ends_with(".log");
        let mut logs = listing.iter().filter(is_log);
        // Of two, which one is meant is not known.
        let only = logs.next().filter(|_| logs.next().is_none());
        return only.map(|path| (*path).clone()).into_iter().collect();
    }
    let are_all = packages::are_asked(question);
    if packages::asked(question).is_none() && !are_all {
        return Vec::new();
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let found = listing
        .iter()
        .filter(|path| packages::is_list_of_them(&name(path)));
    let mut found: Vec<String> = found.map(|path| (*path).clone()).collect();
    found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    if are_all {
        // Those of the project itself, and of no part of it.
        let depth = found.first().map(|path| path.matches('/').count());
        found.retain(|path| Some(path.matches('/').count()) == depth);
    }
    found.truncate(READ_FILES);
    found
}

/// The file that says what releases changed, where a question is for that.
fn released(question: &str, listing: &[&String]) -> Option<String> {
    section_told::release(question)?;
    let is_one = |path: &&&String| {
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        ["changelog", "changes", "history", "news", "releases"].contains(&stem)
    };
    let mut found: Vec<&&String> = listing.iter().filter(is_one).collect();
    found.sort_by_key(|path| (path.matches('/').count(), (**path).clone()));
    found.first().map(|path| (**path).clone())
}
