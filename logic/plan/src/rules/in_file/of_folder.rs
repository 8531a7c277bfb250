//! Questions about files that they do not name: `which version of tokio do we use?` is one of the files that say
//! which packages a project has.

use super::packages;

/// Most files that are read for such a question.
const READ_FILES: usize = 8;

/// The files of a folder, whose paths these are, that such a question is about, the nearest first; none of any
/// other question.
pub(crate) fn files_for(question: &str, listing: &[String]) -> Vec<String> {
    let is_meant: &dyn Fn(&str) -> bool = match packages::asked(question) {
        Some(_) => &packages::is_list_of_them,
        None => return Vec::new(),
    };
    let name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let found = listing.iter().filter(|path| is_meant(&name(path)));
    let mut found: Vec<String> = found.cloned().collect();
    found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    found.truncate(READ_FILES);
    found
}
