//! Which stories there are: those that come along, or those of a folder.

use crate::error::Error;
use crate::record::Story;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest file that is read, bytes.
const FILE_BYTES: u64 = 1 << 20;

/// The file of a story in `tests/stories`, with what is in it.
macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../tests/stories/", $name)),
        )
    };
}

/// The stories that come along, by the names of their files.
const SHIPPED: [(&str, &str); 12] = [
    file!("s01-basic-question.yaml"),
    file!("s02-follow-up.yaml"),
    file!("s03-search.yaml"),
    file!("s04-search-and-fetch.yaml"),
    file!("s05-preference.yaml"),
    file!("s06-grade.yaml"),
    file!("s07-comparison.yaml"),
    file!("s08-page.yaml"),
    file!("s09-delete-and-undo.yaml"),
    file!("s10-hostile-page.yaml"),
    file!("s11-kill-and-resume.yaml"),
    file!("s12-three-agents.yaml"),
];

/// The stories that come along.
///
/// # Errors
/// When one is none, which a test rules out.
pub fn shipped() -> Result<Vec<Story>, Error> {
    let read = |(file, text): &(&str, &str)| Story::read(file, text);
    distinct(SHIPPED.iter().map(read).collect::<Result<_, _>>()?)
}

/// The stories of a folder, by the names of their files.
///
/// # Errors
/// When it cannot be read, has none, or one is none.
pub fn below(folder: &Path) -> Result<Vec<Story>, Error> {
    let unusable = |path: &Path, detail: String| Error::Folder {
        path: path.to_owned(),
        detail,
    };
    let entries = fs::read_dir(folder).map_err(|error| unusable(folder, error.to_string()))?;
    let is_story = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml");
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_story)
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(unusable(folder, "no file in it ends in .yaml".to_owned()));
    }
    let read = |path: &PathBuf| {
        let text = match fs::metadata(path) {
            // A pipe or a device would be read for ever.
            Ok(known) if !known.is_file() => {
                return Err(unusable(path, "it is not a regular file".to_owned()));
            }
            Ok(known) if known.len() > FILE_BYTES => {
                return Err(unusable(path, "it is larger than 1 MiB".to_owned()));
            }
            Ok(_) => fs::read_to_string(path),
            Err(error) => Err(error),
        };
        let text = text.map_err(|error| unusable(path, error.to_string()))?;
        Story::read(&path.display().to_string(), &text)
    };
    distinct(files.iter().map(read).collect::<Result<_, _>>()?)
}

fn distinct(stories: Vec<Story>) -> Result<Vec<Story>, Error> {
    for (at, story) in stories.iter().enumerate() {
        if stories
            .iter()
            .take(at)
            .any(|other| other.is_called(&story.name))
        {
            let problem = format!("two stories are called {}", story.name);
            return Err(Error::form(&story.name, 1, problem));
        }
    }
    Ok(stories)
}

/// Those of these names, or all where none is named.
///
/// # Errors
/// When a name is none.
pub fn chosen(stories: Vec<Story>, names: &[String]) -> Result<Vec<Story>, Error> {
    if let Some(name) = names
        .iter()
        .find(|name| !stories.iter().any(|story| story.is_called(name)))
    {
        let known: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
        return Err(Error::Unknown {
            name: text::escape::visible_line(name),
            known: known.join(", "),
        });
    }
    let is_chosen =
        |story: &Story| names.is_empty() || names.iter().any(|name| story.is_called(name));
    Ok(stories.into_iter().filter(is_chosen).collect())
}

impl Story {
    fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_along_is_read_and_found_by_name() {
        let stories = shipped().unwrap();
        assert_eq!(stories.len(), SHIPPED.len());
        assert_eq!(
            chosen(stories.clone(), &["s6".to_owned()]).unwrap().len(),
            1
        );
        let refused = chosen(stories, &["s99".to_owned()]).unwrap_err();
        assert!(refused.to_string().contains("s99"), "{refused}");
    }

    #[test]
    fn a_folder_without_stories_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let refused = below(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("no file in it ends in .yaml"), "{refused}");
        fs::write(folder.path().join("a.yaml"), "name: a\n").unwrap();
        let refused = below(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("a.yaml, line 1: "), "{refused}");
    }
}
