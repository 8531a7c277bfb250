//! A real browser, and a story that Node tells in it.

use crate::absent::is_absent;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Chromium, Node, and what `web/` needs.
pub const BROWSER: &str = "browser";

/// A story under way. Killed when dropped.
pub struct Story {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    seen: String,
}

/// The folder of the page's source.
#[must_use]
pub fn web_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

impl Story {
    /// Begins a story of a file of `web/stories`, with a link that logs in; `None` where the browser is
    /// known to be absent.
    ///
    /// # Panics
    /// When Node cannot be started.
    #[must_use]
    pub fn begin(file: &str, name: &str, link: &str) -> Option<Self> {
        Self::begin_with(file, name, (link, ""))
    }

    /// The same, with a word for the story at its beginning.
    ///
    /// # Panics
    /// When Node cannot be started.
    #[must_use]
    pub fn begin_with(file: &str, name: &str, (link, word): (&str, &str)) -> Option<Self> {
        if is_absent(BROWSER) {
            return None;
        }
        let mut node = Command::new("node");
        node.arg(web_folder().join("stories").join(file)).arg(name);
        node.env("LINK", link).env("WORD", word);
        node.env_remove("HTTP_PROXY");
        let begun = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = begun.unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Some(Self {
            process,
            input,
            output,
            seen: String::new(),
        })
    }

    /// Waits until the story is at a place. It goes on once it is told to.
    ///
    /// # Panics
    /// When it ends before.
    pub fn until(&mut self, place: &str) {
        let wanted = format!("at {place}\n");
        while self.line() != wanted {}
    }

    /// Goes on, with a word for the story.
    ///
    /// # Panics
    /// When it has ended.
    pub fn go_on(&mut self, word: &str) {
        writeln!(self.input, "{word}").unwrap();
    }

    /// Waits for its good end.
    ///
    /// # Panics
    /// When it ends otherwise.
    pub fn end(mut self) {
        while self.line() != "as it has to be\n" {}
        assert!(self.process.wait().unwrap().success(), "{}", self.seen);
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        assert!(read > 0, "the story ended: {}", self.seen);
        self.seen.push_str(&line);
        line
    }
}

impl Drop for Story {
    fn drop(&mut self) {
        let _already_gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}
