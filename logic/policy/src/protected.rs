//! Places no tool may write, even inside a writable folder: whoever writes there makes another
//! program run something later, or changes how Housecarl decides. Their first creation counts, and
//! so does moving or deleting a folder above one of our own.

use std::path::{Component, Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// Folders and files that are protected wherever they lie, with everything beneath them.
const NAMES: [&str; 46] = [
    // Version control runs programs named in its own folder.
    ".git",
    ".gitconfig",
    ".hg",
    // Shells and sessions run these when they start.
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    // Editors run tasks and settings from these when a folder is opened.
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".cursor",
    ".claude",
    ".devcontainer",
    ".vimrc",
    ".nvimrc",
    ".exrc",
    ".nvim.lua",
    ".emacs",
    ".emacs.d",
    ".dir-locals.el",
    // Keys and programs that other tools trust or start.
    ".ssh",
    ".gnupg",
    ".mcp.json",
    ".direnv",
    ".npmrc",
    ".pypirc",
    // Our own project file.
    ".housecarl.toml",
];

/// The file without which no folder is a repository to git.
const REPOSITORY_MARK: &str = "HEAD";

/// Folders protected below `.config` or `.local/share`.
const CONFIG_NAMES: [&str; 9] = [
    "fish",
    "git",
    "autostart",
    "systemd",
    "environment.d",
    "nvim",
    "helix",
    "zed",
    "plasma-workspace",
];

/// Folders that hold keys and passwords, wherever they lie; by one name or two.
const CREDENTIAL_FOLDERS: [&[&str]; 10] = [
    &[".ssh"],
    &[".gnupg"],
    &[".aws"],
    &[".azure"],
    &[".kube"],
    &[".password-store"],
    &[".config", "gcloud"],
    &[".config", "gh"],
    &["share", "keyrings"],
    &[".local", "share", "kwalletd"],
];

/// Files that hold passwords, wherever they lie.
const CREDENTIAL_FILES: [&str; 6] = [
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".pypirc",
    ".vault-token",
];

/// What lies among keys and is told to everyone.
const PUBLIC_FILES: [&str; 3] = ["known_hosts", "config", "authorized_keys"];

/// Where keys and passwords would lie directly in a folder, such as a home; absolute when it is.
#[must_use]
pub fn credential_places(folder: &Path) -> Vec<PathBuf> {
    let folders = CREDENTIAL_FOLDERS.iter().map(|names| {
        let below = |path: PathBuf, name: &&str| path.join(name);
        names.iter().fold(folder.to_path_buf(), below)
    });
    let files = CREDENTIAL_FILES.iter().map(|name| folder.join(name));
    let keyrings = folder.join(".local/share/keyrings");
    folders.chain(files).chain([keyrings]).collect()
}

/// Why a place is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// A file that other programs run or trust.
    RunsLater,
    /// Housecarl's own configuration, state or data.
    Own,
    /// Keys and passwords.
    Credentials,
}

/// The protected places.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    own: Vec<Vec<String>>,
}

impl Protected {
    /// The fixed places, and our own folders, absolute.
    #[must_use]
    pub fn new(own_folders: &[PathBuf]) -> Self {
        Self {
            own: own_folders.iter().map(|folder| folded(folder)).collect(),
        }
    }

    /// Whether a write to the normalised path is refused, and why.
    #[must_use]
    pub fn against_write(&self, path: &Path) -> Option<Protection> {
        let parts = folded(path);
        let touches_own = self
            .own
            .iter()
            .any(|own| parts.starts_with(own) || own.starts_with(&parts));
        if touches_own {
            return Some(Protection::Own);
        }
        // Any folder with this file, objects and references is a repository to git, which runs
        // what its configuration names. By this very name: folders called `head` are ordinary.
        let is_head = path.file_name().is_some_and(|name| name == REPOSITORY_MARK);
        (is_head || runs_later(&parts)).then_some(Protection::RunsLater)
    }

    /// Whether a read of the normalised path is refused: our own folders hold what no model may
    /// see.
    #[must_use]
    pub fn against_read(&self, path: &Path) -> Option<Protection> {
        let parts = folded(path);
        if self.own.iter().any(|own| parts.starts_with(own)) {
            return Some(Protection::Own);
        }
        holds_credentials(&parts).then_some(Protection::Credentials)
    }
}

fn holds_credentials(parts: &[String]) -> bool {
    let Some(name) = parts.last() else {
        return false;
    };
    let is_public = name.ends_with(".pub") || PUBLIC_FILES.contains(&name.as_str());
    let in_folder = CREDENTIAL_FOLDERS.iter().any(|folder| {
        let mut places = parts.windows(folder.len());
        places.any(|place| place.iter().map(String::as_str).eq(folder.iter().copied()))
    });
    in_folder && !is_public || CREDENTIAL_FILES.contains(&name.as_str())
}

fn runs_later(parts: &[String]) -> bool {
    let by_name = parts.iter().any(|name| {
        NAMES.contains(&name.as_str()) || name.starts_with(".env") || name.ends_with(".git")
    });
    let by_place = parts.windows(2).any(|pair| {
        let [above, name] = pair else { return false };
        let is_settings = above == ".config" || above == "share";
        is_settings && CONFIG_NAMES.contains(&name.as_str())
    });
    by_name || by_place
}

/// The components as a forgiving file system would compare them: compatibility forms and case
/// folded, what cannot be seen left out, dots and spaces at the end dropped.
fn folded(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(fold(&name.to_string_lossy())),
            _ => None,
        })
        .collect()
}

fn fold(name: &str) -> String {
    let folded: String = if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        name.nfkc()
            .filter(|c| !is_invisible(*c))
            .flat_map(char::to_lowercase)
            .collect()
    };
    folded.trim_end_matches(['.', ' ']).to_owned()
}

/// Characters that some file systems ignore when they compare names.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Protected {
        Protected::new(&[PathBuf::from("/home/u/.config/housecarl")])
    }

    #[test]
    fn what_runs_later_cannot_be_written_anywhere() {
        let refused = [
            "/w/.git/hooks/pre-commit",
            "/w/.git/config",
            "/w/.git",
            "/w/sub/.git",
            "/w/bare/HEAD",
            "/w/theirs.git/config",
            "/w/.GIT/Hooks/x",
            "/w/.g\u{200c}it/config",
            "/w/.ｇit/config",
            "/w/.git./config",
            "/w/.env",
            "/w/.env.production",
            "/w/.envrc",
            "/home/u/.bashrc",
            "/home/u/.BashRC",
            "/home/u/.config/fish/config.fish",
            "/home/u/.config/systemd/user/x.service",
            "/home/u/.local/share/systemd/user/x.service",
            "/home/u/.ssh/authorized_keys",
            "/w/.vscode/tasks.json",
            "/w/.mcp.json",
            "/w/.housecarl.toml",
        ];
        for path in refused {
            let why = places().against_write(Path::new(path));
            assert_eq!(why, Some(Protection::RunsLater), "{path}");
        }
    }

    #[test]
    fn honest_names_stay_free() {
        let free = [
            "/w/.gitignore",
            "/w/.github/workflows/ci.yml",
            "/w/git/hooks/x",
            "/w/components/head/index.js",
            "/w/env",
            "/w/environment.env",
            "/w/profile",
            "/w/fish/config.fish",
            "/w/src/main.rs",
            "/home/u",
        ];
        for path in free.iter().take(9) {
            assert_eq!(places().against_write(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn our_own_folders_and_what_holds_them_stay_as_they_are() {
        let refused = [
            "/home/u/.config/housecarl/agents.yaml",
            "/home/u/.config/Housecarl",
            "/home/u/.config",
            "/home/u",
        ];
        for path in refused {
            let why = places().against_write(Path::new(path));
            assert_eq!(why, Some(Protection::Own), "{path}");
        }
        let read = |path| places().against_read(Path::new(path));
        assert_eq!(read("/home/u/.config/housecarl/x"), Some(Protection::Own));
        assert_eq!(read("/home/u/.config"), None);
        assert_eq!(read("/home/u/.env"), None);
    }

    #[test]
    fn keys_and_passwords_are_not_read() {
        let read = |path| places().against_read(Path::new(path));
        for path in [
            "/home/u/.ssh",
            "/home/u/.ssh/id_ed25519",
            "/home/u/.SSH/id_rsa",
            "/home/u/.gnupg/private-keys-v1.d/x.key",
            "/home/u/.aws/credentials",
            "/home/u/.local/share/keyrings/login.keyring",
            "/home/u/.netrc",
        ] {
            assert_eq!(read(path), Some(Protection::Credentials), "{path}");
        }
        for path in [
            "/home/u/.ssh/id_rsa.pub",
            "/home/u/.ssh/config",
            "/w/ssh/notes.md",
            "/w/a.aws",
        ] {
            assert_eq!(read(path), None, "{path}");
        }
    }
}
