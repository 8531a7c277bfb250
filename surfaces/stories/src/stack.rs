//! What a story is run against: a server of its own, with state and folder of its own, or one that is
//! served already.

use crate::client::Client;
use crate::error::Error;
use crate::record::Story;
use crate::search_server::SearchServer;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use text::escape::visible_line;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// How long a server may take to begin.
const BEGIN_TIME: Duration = Duration::from_secs(60);
/// How long it may take to end; then it is killed.
const END_TIME: Duration = Duration::from_secs(15);
/// How many of the last lines of a server that does not begin are told.
const TOLD_LINES: usize = 4;

/// What stories are run against.
#[derive(Debug, Clone)]
pub enum Reached {
    /// A server of each story's own, by this program.
    Own {
        /// `carl`.
        program: PathBuf,
    },
    /// A server that is there.
    Served {
        /// Its address.
        url: String,
        /// A token with the scope `admin`.
        token: String,
    },
}

/// Which model answers.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// The provider; none: as configured.
    pub provider: Option<String>,
    /// `provider/model`; none: as configured.
    pub model: Option<String>,
}

/// A folder that goes when this does.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> std::io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("carl-stories-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        disk::private::folder(&path)?;
        fs::create_dir(path.join("work"))?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What is left in the temporary folder goes with it.
        let _left = fs::remove_dir_all(&self.0);
    }
}

/// What one story is run against.
pub(crate) struct Stack {
    /// Whoever asks it.
    pub(crate) client: Client,
    own: Option<Own>,
    // Last: what works in it ends before it goes.
    folder: Temporary,
}

impl Stack {
    /// A stack for a story, with its files in the folder.
    pub(crate) async fn begin(
        story: &Story,
        reached: &Reached,
        chosen: &Chosen,
    ) -> Result<Self, Error> {
        let unusable = |error: std::io::Error| Error::NoServer {
            detail: format!("there is no temporary folder: {error}"),
        };
        let folder = Temporary::new().map_err(unusable)?;
        let work = folder.0.join("work");
        for (name, text) in &story.given.files {
            let path = work.join(name);
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .map_err(unusable)?;
            fs::write(path, text).map_err(unusable)?;
        }
        match reached {
            Reached::Served { url, token } => {
                let client = Client::new(url, token)?;
                client.check().await?;
                Ok(Self {
                    client,
                    own: None,
                    folder,
                })
            }
            Reached::Own { program } => {
                let search = match story.given.pages.is_empty() {
                    true => None,
                    false => Some(
                        SearchServer::begin(&story.given.pages)
                            .await
                            .map_err(unusable)?,
                    ),
                };
                let prepared = Prepared {
                    program: program.clone(),
                    folder: folder.0.clone(),
                    variables: variables(story, search.as_ref()),
                    provider: chosen.provider.clone(),
                };
                let token = prepared.token().await?;
                let (child, lines, url) = prepared.start().await?;
                let own = Own {
                    prepared,
                    child,
                    _lines: lines,
                    token,
                    _search: search,
                };
                Ok(Self {
                    client: Client::new(&url, &own.token)?,
                    own: Some(own),
                    folder,
                })
            }
        }
    }

    /// The folder that its sessions work in.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.0.join("work")
    }

    /// Whether it has a server of its own.
    pub(crate) const fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Kills the server, as `kill -9` does, and starts it again.
    pub(crate) async fn kill_and_start(&mut self) -> Result<(), Error> {
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        let killed = own.child.kill().await;
        killed.map_err(|error| Error::NoServer {
            detail: format!("it cannot be killed: {error}"),
        })?;
        let (child, lines, url) = own.prepared.start().await?;
        own.child = child;
        own._lines = lines;
        self.client = Client::new(&url, &own.token)?;
        Ok(())
    }

    /// Ends it.
    pub(crate) async fn end(mut self) {
        if let Some(own) = &mut self.own {
            own.end().await;
        }
    }
}

/// The configuration that a story wants, as variables.
fn variables(story: &Story, search: Option<&SearchServer>) -> Vec<(String, String)> {
    let settings = story.given.settings.iter();
    let mut all: Vec<(String, String)> = settings
        .map(|(key, value)| (variable(key), value.clone()))
        .collect();
    if let Some(search) = search {
        all.push((variable("search.provider"), "searxng".to_owned()));
        all.push((variable("search.url"), search.url()));
    }
    all
}

fn variable(key: &str) -> String {
    format!("CARL_{}", key.to_ascii_uppercase().replace('.', "__"))
}

/// A server's program, and how it is started.
struct Prepared {
    program: PathBuf,
    folder: PathBuf,
    variables: Vec<(String, String)>,
    /// The provider that answers for all roles.
    provider: Option<String>,
}

impl Prepared {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(self.folder.join("work"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            // Sessions, memory and the audit log are the user's own: a story has others.
            .env("XDG_STATE_HOME", self.folder.join("state"))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// A token for the server that will be.
    async fn token(&self) -> Result<String, Error> {
        let mut command = self.command();
        command.args(["token", "new", "stories", "--scope", "admin"]);
        let made = command.output().await.map_err(|error| not_begun(&error))?;
        match made.status.success() {
            true => Ok(String::from_utf8_lossy(&made.stdout).trim().to_owned()),
            false => Err(Error::NoServer {
                detail: last_lines(&String::from_utf8_lossy(&made.stderr)),
            }),
        }
    }

    /// Starts the server, and waits until it serves.
    async fn start(&self) -> Result<(Child, Lines<BufReader<ChildStdout>>, String), Error> {
        let log = self.folder.join("server.log");
        let errors = fs::File::create(&log).map_err(|error| not_begun(&error))?;
        let socket = format!("unix:{}", self.folder.join("carl.sock").display());
        let mut command = self.command();
        command
            .args(["serve", "--http", "127.0.0.1:0", "--listen", &socket])
            .args(self.provider.iter().flat_map(|name| ["--provider", name]))
            .stdout(Stdio::piped())
            .stderr(Stdio::from(errors));
        let mut child = command.spawn().map_err(|error| not_begun(&error))?;
        let Some(output) = child.stdout.take() else {
            return Err(Error::NoServer {
                detail: "it has no output".to_owned(),
            });
        };
        let mut lines = BufReader::new(output).lines();
        match timeout(BEGIN_TIME, serving(&mut lines)).await {
            Ok(Some(url)) => Ok((child, lines, url)),
            Ok(None) => Err(Error::NoServer {
                detail: last_lines(&read_log(&log)),
            }),
            Err(_) => Err(Error::NoServer {
                detail: format!("it does not serve after {} s", BEGIN_TIME.as_secs()),
            }),
        }
    }
}

fn not_begun(error: &std::io::Error) -> Error {
    Error::NoServer {
        detail: error.to_string(),
    }
}

fn read_log(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(TOLD_LINES);
    // Cause and advice stand on lines of their own.
    let ended = |line: &&str| match line.trim() {
        line if line.ends_with(['.', ']', ':', '?']) => line.to_owned(),
        line => format!("{line}."),
    };
    let last: Vec<String> = lines.iter().skip(from).map(ended).collect();
    match last.is_empty() {
        true => "it ended without a word".to_owned(),
        false => visible_line(&last.join(" ")),
    }
}

/// Reads what a server says until it serves, and gives back where.
async fn serving(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    let mut url = None;
    while let Ok(Some(line)) = lines.next_line().await {
        if line.contains("for programs:") {
            let word = line.split([' ', ',']).find(|word| word.starts_with("http"));
            url = word.map(str::to_owned);
        }
        if line.contains("serving at") {
            return url;
        }
    }
    None
}

/// A server of a story's own.
struct Own {
    prepared: Prepared,
    child: Child,
    /// Kept open: the server may say more.
    _lines: Lines<BufReader<ChildStdout>>,
    token: String,
    _search: Option<SearchServer>,
}

impl Own {
    async fn end(&mut self) {
        let pid = self
            .child
            .id()
            .and_then(|id| Pid::from_raw(id.try_into().ok()?));
        if let Some(pid) = pid {
            // One that is gone has ended already.
            let _gone = kill_process(pid, Signal::TERM);
        }
        if timeout(END_TIME, self.child.wait()).await.is_err() {
            let _gone = self.child.kill().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_configuration_become_variables() {
        assert_eq!(variable("observers.critic"), "CARL_OBSERVERS__CRITIC");
        assert_eq!(last_lines("\na\nb\nc\nd\ne\n"), "b. c. d. e.");
        assert_eq!(last_lines(""), "it ended without a word");
    }
}
