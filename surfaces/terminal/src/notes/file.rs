//! A project's notes for agents: which files they are, and which of them agents are shown.

use super::vouched::{Vouched, Word};
use disk::ancestry::{self, Entry, Folder};
use domain::hash::Digest;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// Names of notes in a folder, best first.
pub const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// What a project says to Housecarl. Its checks count for a version that is trusted, as notes do.
pub const PROJECT_FILE: &str = ".housecarl.toml";
/// How far up a repository's root is looked for, folders.
const FOLDERS_UP: usize = 32;
/// Largest file of notes, bytes.
pub const NOTES_BYTES: u64 = 1 << 20;

/// What is said of a file that is left out for what it is.
const READABLE: &str = "It is read when it is a plain file (no link) of up to 1 MiB that you own and \
                        only you may write.";

/// A file of notes, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Where it is, without links.
    pub path: PathBuf,
    /// The same as the project names it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Its size, bytes.
    pub bytes: u64,
    /// Which version it is: of its place and its content.
    pub version: Digest,
}

/// The files of notes for a folder, and what was left out although it is there, one line each. They
/// are those of the folders from the repository's root down to this one, nearest last; without a
/// repository, or above a folder that others can write in, only this folder's own.
#[must_use]
pub fn files(workspace: &Path) -> (Vec<File>, Vec<String>) {
    let folders = match ancestry::of(workspace) {
        Ok(folders) => folders,
        Err(error) => {
            tracing::warn!("a project's notes are left out: {error:#}");
            return (Vec::new(), Vec::new());
        }
    };
    let mut left_out = Vec::new();
    let (mut files, own) = (Vec::new(), project(&folders, &mut left_out));
    let Some(top) = own.last().map(|folder| folder.path.clone()) else {
        return (files, left_out);
    };
    for folder in own.iter().rev() {
        files.extend(in_folder(folder, &top, &mut left_out));
    }
    (files, left_out)
}

/// The folders of the project, nearest first.
fn project<'a>(folders: &'a [Folder], left_out: &mut Vec<String>) -> &'a [Folder] {
    let within = &folders[..folders.len().min(FOLDERS_UP)];
    let foreign = within.iter().position(|folder| folder.foreign.is_some());
    let root = within.iter().position(|folder| folder.has(".git"));
    let alone = 1.min(within.len());
    match (root, foreign) {
        // A root that others could have made is none.
        (Some(root), Some(foreign)) if root >= foreign.max(1) => {
            left_out.extend(within[1..=root].iter().filter_map(planted));
            &within[..alone]
        }
        (Some(root), _) => &within[..=root],
        (None, _) => &within[..alone],
    }
}

/// What is said of the notes of a folder that counts for nothing.
fn planted(folder: &Folder) -> Option<String> {
    let foreign = folder.foreign?;
    let name = NAMES.iter().find(|name| folder.has(name))?;
    let path = folder.path.join(name).display().to_string();
    Some(format!(
        "{} is left out: its folder {}.",
        visible_line(&path),
        foreign.reason()
    ))
}

fn in_folder(folder: &Folder, top: &Path, left_out: &mut Vec<String>) -> Option<File> {
    let mut taken: Option<File> = None;
    for name in NAMES {
        let path = folder.path.join(name);
        let shown = visible_line(&path.display().to_string());
        match (folder.read(name, NOTES_BYTES), &taken) {
            (Entry::Text(bytes), None) => taken = Some(file(path, top, &bytes)),
            (Entry::Text(bytes), Some(first)) if !first.says(&bytes) => left_out.push(format!(
                "{shown} is left out: of both in one folder, {} counts.",
                visible_line(&first.name)
            )),
            (Entry::Refused { why, .. }, None) => {
                left_out.push(format!("{shown} is left out: it {why}. {READABLE}"));
            }
            // The same twice, often as a link.
            (Entry::Absent | Entry::Text(_) | Entry::Refused { .. }, _) => {}
        }
    }
    taken
}

impl File {
    /// Whether this is its content, white space at the ends aside.
    fn says(&self, bytes: &[u8]) -> bool {
        self.text.trim() == String::from_utf8_lossy(bytes).trim()
    }
}

fn file(path: PathBuf, top: &Path, bytes: &[u8]) -> File {
    let name = path.strip_prefix(top).unwrap_or(&path);
    File {
        name: name.display().to_string(),
        text: String::from_utf8_lossy(bytes).into_owned(),
        bytes: bytes.len() as u64,
        version: version(&path, bytes),
        path,
    }
}

/// A version is one content in one place: what is right in one project may be wrong in another.
#[must_use]
pub fn version(path: &Path, content: &[u8]) -> Digest {
    let mut all = path.as_os_str().as_encoded_bytes().to_vec();
    all.push(0);
    all.extend_from_slice(content);
    Digest::of(&all)
}

/// One file of notes by its path.
///
/// # Errors
/// Why it cannot be used, as a sentence.
pub fn file_at(path: &Path) -> Result<File, String> {
    let shown = visible_line(&path.display().to_string());
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| NAMES.contains(name) || *name == PROJECT_FILE);
    let Some((name, parent)) = name.zip(path.parent()) else {
        return Err(format!(
            "{shown} is no file of project notes: those are {}, and {PROJECT_FILE} for checks",
            NAMES.join(" and ")
        ));
    };
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    let folders = parent
        .canonicalize()
        .map_err(anyhow::Error::from)
        .and_then(|folder| Ok(ancestry::of(&folder)?));
    let folders = folders.map_err(|error| format!("{shown} cannot be read: {error:#}"))?;
    let Some(folder) = folders.first() else {
        return Err(format!("{shown} cannot be read"));
    };
    match folder.read(name, NOTES_BYTES) {
        Entry::Text(bytes) => Ok(file(folder.path.join(name), &folder.path, &bytes)),
        Entry::Absent => Err(format!("{shown} is not there")),
        Entry::Refused { why, .. } => Err(format!("{shown} {why}")),
    }
}

/// The notes that an agent in a folder is shown.
#[derive(Debug)]
pub struct Used {
    /// Each file, and whether the user said that it is to be trusted.
    pub files: Vec<(File, bool)>,
    /// What was left out although it is there, and why: one line each.
    pub left_out: Vec<String>,
}

/// What an agent in this folder is shown, by what the user said of each version.
#[must_use]
pub fn used(workspace: &Path, vouched: &Vouched) -> Used {
    let (files, mut left_out) = files(workspace);
    let said = match vouched.read() {
        Ok(said) => said,
        Err(error) => {
            left_out.push(format!("No project notes are trusted: {error:#}"));
            Vec::new()
        }
    };
    let files =
        files
            .into_iter()
            .filter_map(|file| match Vouched::of_version(&said, file.version) {
                Some(Word::Trust) => Some((file, true)),
                Some(Word::Untrusted) | None => Some((file, false)),
                Some(Word::Ignore) => None,
            });
    Used {
        files: files.collect(),
        left_out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn texts(folder: &Path) -> (Vec<(String, String)>, Vec<String>) {
        let (files, left_out) = files(&folder.canonicalize().unwrap());
        let texts = files.into_iter().map(|file| (file.name, file.text));
        (texts.collect(), left_out)
    }

    fn pair(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn notes_come_from_the_repository_root_down_and_agents_beats_claude() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("repo");
        write(&home.path().join("AGENTS.md"), "above the repository");
        write(&root.join(".git/HEAD"), "");
        write(&root.join("CLAUDE.md"), "root claude");
        write(&root.join("a/b/AGENTS.md"), "near agents");
        write(&root.join("a/b/CLAUDE.md"), "near claude");
        let (found, left_out) = texts(&root.join("a/b"));
        let expected = [
            pair("CLAUDE.md", "root claude"),
            pair("a/b/AGENTS.md", "near agents"),
        ];
        assert_eq!((found.as_slice(), left_out.len()), (&expected[..], 1));
        assert!(
            left_out[0].contains("CLAUDE.md is left out"),
            "{left_out:?}"
        );
        write(&root.join("a/b/CLAUDE.md"), "near agents\n");
        let (_, left_out) = texts(&root.join("a/b"));
        assert!(left_out.is_empty(), "the same twice: {left_out:?}");
    }

    #[test]
    fn without_a_repository_only_the_folder_itself_counts_and_links_do_not() {
        let home = tempfile::tempdir().unwrap();
        write(&home.path().join("AGENTS.md"), "above");
        let folder = home.path().join("folder");
        write(&folder.join("CLAUDE.md"), "own");
        symlink("CLAUDE.md", folder.join("AGENTS.md")).unwrap();
        let (found, left_out) = texts(&folder);
        assert_eq!(found, [pair("CLAUDE.md", "own")]);
        assert_eq!(left_out.len(), 1);
        assert!(left_out[0].contains("symbolic link"), "{left_out:?}");
    }

    #[test]
    fn a_repository_in_a_shared_folder_is_none() {
        let scratch = tempfile::tempdir().unwrap();
        let shared = scratch.path().join("shared");
        write(&shared.join(".git/HEAD"), "");
        write(&shared.join("AGENTS.md"), "planted");
        write(&shared.join("mine/AGENTS.md"), "own");
        fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
        let (found, left_out) = texts(&shared.join("mine"));
        assert_eq!(found, [pair("AGENTS.md", "own")]);
        assert_eq!(left_out.len(), 1, "{left_out:?}");
        let (found, _) = texts(&shared);
        assert_eq!(found, [], "nor when it is the working folder");
    }

    #[test]
    fn a_version_is_a_place_and_a_content() {
        let one = version(Path::new("/a/AGENTS.md"), b"x");
        assert_ne!(one, version(Path::new("/a/AGENTS.md"), b"y"));
        assert_ne!(one, version(Path::new("/b/AGENTS.md"), b"x"));
    }

    #[test]
    fn what_the_user_said_holds_for_one_version() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().canonicalize().unwrap();
        let vouched = Vouched::at(folder.join("state/vouched.json"));
        let path = folder.join("work/AGENTS.md");
        write(&path, "one");
        let is_trusted = || {
            let used = used(&folder.join("work"), &vouched);
            used.files.first().map(|(_, is_trusted)| *is_trusted)
        };
        assert_eq!(is_trusted(), Some(false));
        let file = file_at(&path).unwrap();
        vouched.say(&file.path, file.version, Word::Trust).unwrap();
        assert_eq!(is_trusted(), Some(true));
        write(&path, "onf");
        assert_eq!(is_trusted(), Some(false));
        let file = file_at(&path).unwrap();
        vouched.say(&file.path, file.version, Word::Ignore).unwrap();
        assert_eq!(is_trusted(), None);
        assert!(file_at(&folder.join("work/README.md")).is_err());
    }
}
