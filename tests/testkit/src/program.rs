//! The shipped program, run as a user runs it.

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longest a run of `carl` may take before the test gives up on it.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// The same where a real model answers, on a machine that has other things to do.
pub(crate) const MODEL_PATIENCE: Duration = Duration::from_secs(900);

/// The program under test: `CARL_PROGRAM` if set, else `carl` of the profile this test was built
/// in, built first.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let find = || match std::env::var_os("CARL_PROGRAM") {
        Some(path) => PathBuf::from(path),
        None => build(),
    };
    PROGRAM.get_or_init(find).clone()
}

fn build() -> PathBuf {
    // A test program lies in `<target>/<profile>/deps`.
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "carl", "--bin", "carl"]);
    command.arg("--target-dir").arg(profile.parent().unwrap());
    if profile.file_name() == Some(OsStr::new("release")) {
        command.arg("--release");
    }
    let status = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(status.success(), "`carl` does not build");
    profile.join("carl")
}

/// Lets a process write no file beyond so many bytes, as on a full disk; `None`: any length.
///
/// # Panics
/// When the process is gone.
pub fn limit_files(pid: u32, bytes: Option<u64>) {
    let bytes = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let mut prlimit = Command::new("prlimit");
    prlimit.args(["--pid", &pid.to_string()]);
    prlimit.arg(format!("--fsize={bytes}:unlimited"));
    assert!(prlimit.status().unwrap().success());
}

/// A run of `carl` being prepared.
pub struct Carl {
    command: Command,
    stdin: Vec<u8>,
    patience: Duration,
}

impl Carl {
    /// `carl` in these folders, with nothing of the tester's own environment but the search path.
    #[must_use]
    pub fn new(home: &Path, run_dir: &Path, work: &Path, patience: Duration) -> Self {
        let mut command = Command::new(program());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("XDG_RUNTIME_DIR", run_dir)
            // The tester's own screen, locked or not, is not the test's.
            .env("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus")
            .env("LANG", "C.UTF-8")
            .current_dir(work);
        Self {
            command,
            stdin: Vec::new(),
            patience,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.command.args(args);
        self
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it in another folder than the house's.
    #[must_use]
    pub fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Lets it write no file beyond so many blocks of 512 bytes, as on a full disk. Say this after
    /// all arguments and variables.
    #[must_use]
    pub fn file_limit(self, blocks: u64) -> Self {
        self.through_shell("ulimit -f \"$0\"; exec \"$@\"", &blocks.to_string())
    }

    /// Ends it with exit code 124 after this long. Say this after all arguments and variables.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        let mut timeout = Command::new("timeout");
        timeout.args(["--kill-after=5", &limit.as_secs().to_string()]);
        let mut limited = self.given_to(timeout);
        // It is the limit that ends it, however long that is.
        limited.patience = limited.patience.max(limit + Duration::from_secs(10));
        limited
    }

    /// Gives its standard output to a shell command, whose output is what is seen. Its exit code is
    /// the last line of standard error: `exit 0`. Say this after all arguments and variables.
    #[must_use]
    pub fn read_by(self, command: &str) -> Self {
        let script = "{ \"$@\"; echo \"exit $?\" >&2; } | eval \"$0\"";
        self.through_shell(script, command)
    }

    /// Types a line into a shell that finds this `carl` first. Say this after all variables.
    #[must_use]
    pub fn typed(self, line: &str) -> Self {
        self.through_shell("PATH=\"${1%/*}:$PATH\"; eval \"$0\"", line)
    }

    /// Starts it without the right to read and write what belongs to others or may not be read, which the
    /// system's administrator has. Say this after all arguments and variables.
    #[must_use]
    pub fn without_roots_rights(self) -> Self {
        if !rustix::process::geteuid().is_root() {
            return self;
        }
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--bounding-set=-dac_override,-dac_read_search", "--"]);
        self.given_to(setpriv)
    }

    /// Has a shell run it: `$0` is the parameter, `$@` the command.
    fn through_shell(self, script: &str, parameter: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, parameter]);
        self.given_to(shell)
    }

    /// The arguments of another program, which has its environment and its folder.
    pub(crate) fn given_to(mut self, mut shell: Command) -> Self {
        shell.arg(self.command.get_program());
        shell.args(self.command.get_args()).env_clear();
        let variables = self.command.get_envs();
        shell.envs(variables.filter_map(|(name, value)| Some((name, value?))));
        if let Some(folder) = self.command.get_current_dir() {
            shell.current_dir(folder);
        }
        self.command = shell;
        self
    }

    /// What it reads on standard input; nothing if not set.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Longest it may take.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// The command itself, its streams not set yet.
    #[must_use]
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn spawn(mut self) -> Running {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = std::mem::take(&mut self.stdin);
        std::thread::spawn(move || {
            // A program that does not read its input closes the pipe; that is its right.
            let _unread = stdin.write_all(&bytes);
        });
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line).into_owned();
                if sender.send(text).is_err() {
                    break;
                }
                line.clear();
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _read = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Running {
            child,
            lines,
            errors: Some(errors),
            seen: String::new(),
            deadline: Instant::now() + self.patience,
            patience: self.patience,
        }
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than it may.
    #[must_use]
    pub fn run(self) -> Finished {
        self.spawn().finish()
    }
}

/// A run of `carl` under way. Killed when dropped.
pub struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
    errors: Option<std::thread::JoinHandle<String>>,
    seen: String,
    deadline: Instant,
    patience: Duration,
}

impl Running {
    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line of its output, with its line end; `None` at the end.
    ///
    /// # Panics
    /// When it takes longer than it may.
    pub fn line(&mut self) -> Option<String> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => {
                self.seen.push_str(&line);
                Some(line)
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _killed = self.child.kill();
                panic!(
                    "`carl` said nothing more within {:?}; so far:\n{}",
                    self.patience, self.seen
                )
            }
        }
    }

    /// Reads lines until one contains a text.
    ///
    /// # Panics
    /// When the output ends without it.
    pub fn until(&mut self, text: &str) -> String {
        loop {
            match self.line() {
                Some(line) if line.contains(text) => return line,
                Some(_) => {}
                None => panic!("the output ended without `{text}`:\n{}", self.seen),
            }
        }
    }

    /// Ends it at once, as `kill -9` does.
    ///
    /// # Panics
    /// When it cannot be waited for.
    pub fn kill(mut self) -> Finished {
        let _already_gone = self.child.kill();
        self.finish()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it takes longer than it may.
    pub fn finish(mut self) -> Finished {
        while self.line().is_some() {}
        let status = self.child.wait().unwrap();
        let stderr = self.errors.take().map(|thread| thread.join().unwrap());
        Finished {
            code: status.code(),
            stdout: std::mem::take(&mut self.seen),
            stderr: stderr.unwrap_or_default(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A run of `carl` that ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained.
    pub stderr: String,
}

impl Finished {
    /// Its output as the one JSON object that `--json` promises.
    ///
    /// # Panics
    /// When it is not one.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON object: {error}\n{self:?}"))
    }

    /// Its output as one JSON value a line, as `--events` promises.
    ///
    /// # Panics
    /// When a line is not JSON.
    #[must_use]
    pub fn json_lines(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Checks the exit code.
    ///
    /// # Panics
    /// When it is another one.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}
