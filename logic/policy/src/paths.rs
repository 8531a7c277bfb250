//! Paths as text: normalised, compared by component, intersected. The file system is never asked;
//! where a path really leads is the executor's to say.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Longest path taken, bytes; what Linux takes in one system call.
pub const PATH_BYTES: usize = 4_096;
/// Longest name of one file or folder, bytes.
pub const NAME_BYTES: usize = 255;

/// Why a text cannot be used as a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// Nothing was given.
    #[error("the path is empty")]
    Empty,
    /// A NUL byte, which ends the path early for the operating system.
    #[error("the path holds a NUL byte")]
    Nul,
    /// The path or one name in it is too long.
    #[error("the path is longer than {PATH_BYTES} bytes, or a name in it than {NAME_BYTES}")]
    TooLong,
    /// Bytes that are not text.
    #[error("the path is not valid UTF-8")]
    NotUtf8,
    /// `~name`: another user's home.
    #[error("`~name` is not supported: use `~` or an absolute path")]
    OtherHome,
}

/// Makes an absolute path without `~`, `.`, `..` and doubled slashes. A relative path is taken
/// beneath `workspace`; `~` is `home`. Nothing is decoded: `%2e` and look-alike letters stay what
/// they are.
///
/// # Errors
/// [`PathProblem`] when the text cannot be a path.
pub fn normalise(workspace: &Path, home: &Path, raw: &OsStr) -> Result<PathBuf, PathProblem> {
    let text = raw.to_str().ok_or(PathProblem::NotUtf8)?;
    if text.trim().is_empty() {
        return Err(PathProblem::Empty);
    }
    if text.contains('\0') {
        return Err(PathProblem::Nul);
    }
    if text.len() > PATH_BYTES {
        return Err(PathProblem::TooLong);
    }
    let given = if text == "~" {
        home.to_path_buf()
    } else if let Some(below) = text.strip_prefix("~/") {
        home.join(below.trim_start_matches('/'))
    } else if text.starts_with('~') && !text.starts_with("~.") && is_home_of_other(text) {
        return Err(PathProblem::OtherHome);
    } else {
        workspace.join(text)
    };
    let path = squash(&given);
    let is_too_long = path.as_os_str().len() > PATH_BYTES
        || path
            .components()
            .any(|part| part.as_os_str().len() > NAME_BYTES);
    if is_too_long {
        return Err(PathProblem::TooLong);
    }
    Ok(path)
}

/// Whether a path is a root or beneath one.
pub(crate) fn is_within(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// A name such as `~root`, which a shell would expand; `~backup.txt~` and the like are file names.
fn is_home_of_other(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or(text);
    first
        .chars()
        .skip(1)
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Resolves `.` and `..` in the text. `..` at the root stays at the root.
fn squash(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    out
}

/// A set of folders and files with everything beneath them, absolute and normalised; in a home,
/// names that begin with a dot belong to a folder above them only if they are named themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathSet {
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl PathSet {
    /// Nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            roots: Vec::new(),
            home: None,
        }
    }

    /// Every path there is.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            roots: vec![PathBuf::from("/")],
            home: None,
        }
    }

    /// The given roots, without those that belong to another.
    #[must_use]
    pub fn of(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self::empty().with(roots)
    }

    /// The given roots, in the view of the user with this home.
    #[must_use]
    pub fn in_home(home: &Path, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let none = Self {
            roots: Vec::new(),
            home: Some(home.to_path_buf()),
        };
        none.with(roots)
    }

    fn with(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        for root in roots {
            if self.contains(&root) {
                continue;
            }
            let mut kept = std::mem::take(&mut self.roots);
            kept.retain(|k| !self.covers(&root, k));
            kept.push(root);
            self.roots = kept;
        }
        self
    }

    /// The roots.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Whether the path belongs to a root, by whole components: `/allowed-evil` is not in
    /// `/allowed`.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| self.covers(root, path))
    }

    /// Whether what belongs to the root includes the path.
    fn covers(&self, root: &Path, path: &Path) -> bool {
        path.starts_with(root) && (self.dot_of(path).is_none() || self.dot_of(root).is_some())
    }

    /// The name with a dot in the home that the path is at or beneath.
    fn dot_of<'p>(&self, path: &'p Path) -> Option<&'p OsStr> {
        let below = path.strip_prefix(self.home.as_deref()?).ok()?;
        let name = below.components().next()?.as_os_str();
        name.as_encoded_bytes().starts_with(b".").then_some(name)
    }

    /// What lies in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let pairs = self.roots.iter().flat_map(|left| {
            other.roots.iter().filter_map(move |right| {
                if other.covers(right, left) {
                    Some(left.clone())
                } else if self.covers(left, right) {
                    Some(right.clone())
                } else {
                    None
                }
            })
        });
        let none = Self {
            roots: Vec::new(),
            home: self.home.clone().or_else(|| other.home.clone()),
        };
        none.with(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::OsStrExt;

    fn normal(raw: &str) -> Result<PathBuf, PathProblem> {
        normalise(Path::new("/w"), Path::new("/home/u"), OsStr::new(raw))
    }

    #[test]
    fn texts_become_absolute_paths() {
        let table = [
            ("a.txt", "/w/a.txt"),
            ("./a//b/./c/", "/w/a/b/c"),
            ("../../x", "/x"),
            ("a/../../w2/b", "/w2/b"),
            ("/../../etc/shadow", "/etc/shadow"),
            ("~", "/home/u"),
            ("~/projects", "/home/u/projects"),
            ("~//etc", "/home/u/etc"),
            ("~/../other", "/home/other"),
            (".", "/w"),
            ("%2e%2e/x", "/w/%2e%2e/x"),
            ("a／b", "/w/a／b"),
            ("a ", "/w/a "),
            ("~draft.txt", "/w/~draft.txt"),
        ];
        for (raw, expected) in table {
            assert_eq!(normal(raw), Ok(PathBuf::from(expected)), "{raw}");
        }
    }

    #[test]
    fn texts_that_are_no_paths_are_refused() {
        let long_name = "n".repeat(NAME_BYTES + 1);
        let longest_name = "n".repeat(NAME_BYTES);
        let long_path = "a/".repeat(PATH_BYTES / 2 + 1);
        let table = [
            ("", PathProblem::Empty),
            ("  ", PathProblem::Empty),
            ("a\0b", PathProblem::Nul),
            (long_name.as_str(), PathProblem::TooLong),
            (long_path.as_str(), PathProblem::TooLong),
            ("~root/x", PathProblem::OtherHome),
        ];
        for (raw, problem) in table {
            assert_eq!(normal(raw), Err(problem));
        }
        assert!(normal(&longest_name).is_ok());
        let bytes = OsStr::from_bytes(b"\xff");
        let not_text = normalise(Path::new("/w"), Path::new("/h"), bytes);
        assert_eq!(not_text, Err(PathProblem::NotUtf8));
    }

    #[test]
    fn a_prefix_of_a_name_is_not_a_folder() {
        let set = PathSet::of([PathBuf::from("/allowed")]);
        assert!(set.contains(Path::new("/allowed")));
        assert!(set.contains(Path::new("/allowed/x")));
        assert!(!set.contains(Path::new("/allowed-evil/x")));
        assert!(!set.contains(Path::new("/")));
    }

    #[test]
    fn dot_names_of_a_home_belong_to_no_folder_above() {
        let set =
            |roots: &[&str]| PathSet::in_home(Path::new("/h"), roots.iter().map(PathBuf::from));
        let home = set(&["/h"]);
        assert!(home.contains(Path::new("/h/a/.b")) && home.contains(Path::new("/h")));
        assert!(!home.contains(Path::new("/h/.a/b")) && !home.contains(Path::new("/h/.a")));
        let both = set(&["/h/.a", "/h", "/h/.a/b", "/h/c"]);
        assert_eq!(both, set(&["/h/.a", "/h"]));
        assert!(both.contains(Path::new("/h/.a/x")) && !both.contains(Path::new("/h/.b")));
        // A child that names one gets it from an ancestor that names it too, or may reach everything.
        assert_eq!(home.intersect(&set(&["/h/.a"])).roots().len(), 0);
        assert_eq!(both.intersect(&set(&["/h/.a"])), set(&["/h/.a"]));
        assert_eq!(PathSet::everything().intersect(&both), both);
        let everywhere = PathSet::everything().intersect(&set(&["/"]));
        assert!(!everywhere.contains(Path::new("/h/.a")));
    }

    fn path() -> impl Strategy<Value = PathBuf> {
        proptest::collection::vec("[ab]|\\.c", 0..4)
            .prop_map(|parts| PathBuf::from(format!("/{}", parts.join("/"))))
    }

    fn set() -> impl Strategy<Value = PathSet> {
        let set = |(roots, has_home)| match has_home {
            true => PathSet::in_home(Path::new("/a"), roots),
            false => PathSet::of(roots),
        };
        (proptest::collection::vec(path(), 0..4), any::<bool>()).prop_map(set)
    }

    proptest! {
        #[test]
        fn intersection_means_what_it_says(a in set(), b in set(), p in path()) {
            let (in_a, in_b) = (a.contains(&p), b.contains(&p));
            prop_assert_eq!(a.intersect(&b).contains(&p), in_a && in_b);
        }

        #[test]
        fn what_is_normal_stays_so_and_has_no_dots(raw in "[a./~]{0,12}") {
            if let Ok(path) = normal(&raw) {
                let again = normalise(Path::new("/other"), Path::new("/h"), path.as_os_str());
                prop_assert_eq!(again, Ok(path.clone()));
                prop_assert!(path.is_absolute());
                prop_assert!(path.components().all(|c| c != Component::ParentDir));
            }
        }
    }
}
