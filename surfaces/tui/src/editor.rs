//! The draft in an editor of the user's own, by a private file that is removed afterwards.

use crate::input::DRAFT_BYTES;
use domain::fault::Fault;
use rustix::fs::OFlags;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::process::{Child, Command};

/// An editor at work on a draft.
#[derive(Debug)]
pub struct Editor {
    child: Child,
    draft: Draft,
}

/// The file of a draft, in a folder of its own, which editors put their copies in as well.
#[derive(Debug)]
struct Draft {
    folder: PathBuf,
    is_kept: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept
            && let Err(error) = std::fs::remove_dir_all(&self.folder)
        {
            let folder = self.folder.display();
            tracing::warn!(%error, %folder, "a draft cannot be removed");
        }
    }
}

impl Draft {
    /// A new folder and file that only their owner may open.
    fn with(text: &str) -> io::Result<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos());
        let name = format!("carl-draft-{}-{nanos}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // One that is there already is somebody else's, and refused.
        DirBuilder::new().mode(0o700).create(&folder)?;
        let draft = Self {
            folder,
            is_kept: false,
        };
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        options.open(draft.file())?.write_all(text.as_bytes())?;
        Ok(draft)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("draft.md")
    }

    /// What stands in it now. What cannot be taken stays in the file.
    fn read(mut self) -> Result<String, Fault> {
        let file = self.file();
        let refuse = |what: String| {
            let hint = format!("What was written is kept in {}", file.display());
            fault(what, hint)
        };
        let mut bytes = Vec::new();
        let read = opened(&file).and_then(|opened| {
            let most = u64::try_from(DRAFT_BYTES)
                .unwrap_or(u64::MAX)
                .saturating_add(2);
            opened.take(most).read_to_end(&mut bytes)
        });
        let text = match (read, String::from_utf8(bytes)) {
            (Err(error), _) => Err(refuse(format!("the draft cannot be read: {error}"))),
            (Ok(_), Err(_)) => Err(refuse("what the editor wrote is no UTF-8".to_owned())),
            (Ok(_), Ok(text)) => match text.trim_end_matches('\n') {
                text if text.len() > DRAFT_BYTES => {
                    Err(refuse("a message may have 1 MiB".to_owned()))
                }
                text => Ok(text.to_owned()),
            },
        };
        self.is_kept = text.is_err();
        text
    }
}

/// The file, if it is a regular one: an editor may have left anything in its place, and a pipe would be
/// waited for.
fn opened(file: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(i32::try_from(flags).unwrap_or(0));
    let opened = options.open(file)?;
    match opened.metadata()?.is_file() {
        true => Ok(opened),
        false => Err(io::Error::other("it is no regular file any more")),
    }
}

/// The editor that the user named.
fn named() -> Option<String> {
    let names = ["VISUAL", "EDITOR"].into_iter();
    let mut values = names.filter_map(|name| std::env::var(name).ok());
    values.find(|value| !value.trim().is_empty())
}

impl Editor {
    /// Begins to edit a text. The terminal has to be as a program expects it.
    ///
    /// # Errors
    /// When there is no file for it, or the editor cannot be run.
    pub fn begin(text: &str) -> Result<Self, Fault> {
        let Some(editor) = named() else {
            let hint = "Name one: export EDITOR=vi";
            return Err(fault("neither VISUAL nor EDITOR names an editor", hint));
        };
        let refuse = |what: &str, error: &io::Error| {
            let hint = "The draft is as it was.";
            fault(format!("{what}: {error}"), hint)
        };
        let draft = Draft::with(text).map_err(|error| refuse("no file for the draft", &error))?;
        // By the shell, as it may have arguments.
        let child = Command::new("sh")
            .arg("-c")
            .arg(format!("{editor} \"$1\""))
            .arg("sh")
            .arg(draft.file())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| refuse("the editor cannot be run", &error))?;
        Ok(Self { child, draft })
    }

    /// Waits for its end, and may be asked again.
    pub async fn end(&mut self) -> io::Result<std::process::ExitStatus> {
        self.child.wait().await
    }

    /// Leaves the draft to the editor that still works on it; where it is.
    pub fn leave(mut self) -> PathBuf {
        self.draft.is_kept = true;
        self.draft.file()
    }

    /// The text, once it has ended like this.
    ///
    /// # Errors
    /// When the editor failed, or its text cannot be taken.
    pub fn take(self, ended: io::Result<std::process::ExitStatus>) -> Result<String, Fault> {
        let hint = "The draft is as it was.";
        match ended {
            Ok(status) if status.success() => self.draft.read(),
            Ok(status) => Err(fault(format!("the editor failed ({status})"), hint)),
            Err(error) => Err(fault(format!("the editor is lost: {error}"), hint)),
        }
    }
}

fn fault(message: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault {
        code: "carl.failed".to_owned(),
        message: message.into(),
        hint: hint.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_draft_is_private_and_removed() {
        let draft = Draft::with("one\ntwo").unwrap();
        let (folder, file) = (draft.folder.clone(), draft.file());
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        std::fs::write(&file, "one\n\n").unwrap();
        assert_eq!(draft.read().unwrap(), "one");
        assert!(!folder.exists());
    }

    #[test]
    fn what_cannot_be_taken_stays_in_the_file() {
        for text in [vec![b'x'; DRAFT_BYTES + 1], vec![0xff]] {
            let draft = Draft::with("").unwrap();
            let (folder, file) = (draft.folder.clone(), draft.file());
            std::fs::write(&file, text).unwrap();
            let refused = draft.read().unwrap_err();
            assert!(refused.hint.contains("draft.md"), "{refused:?}");
            assert!(file.exists());
            std::fs::remove_dir_all(folder).unwrap();
        }
    }
}
