//! Probes in Python, run in the sandbox and, as the control, outside it.
#![allow(dead_code)] // Each test file uses its own part of this.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // Lint exceptions for tests stop at #[test] functions.

use api::sandbox::{
    Ended, Enforcement, Finished, Job, JobLimits, Network, Refusal, Sandbox, Scratch,
};
use sandbox::{Config, Service, inside};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// What every probe begins with: `call` makes a system call by number and fails with its error.
const PREAMBLE: &str = "\
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if done == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done
";

/// A sandbox, a folder that may be written and one that may not be seen.
pub struct Bench {
    pub service: Service,
    folder: TempDir,
    python: PathBuf,
    prefix: PathBuf,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "outside", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let ask = "import os, sys; print(os.path.realpath(sys.executable)); print(sys.prefix)";
        let told = Command::new("python3").args(["-c", ask]).output().unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        let mut lines = told.lines().map(PathBuf::from);
        Self {
            service: Service::new(Config {
                program: env!("CARGO_BIN_EXE_sandbox-inside").into(),
                arguments: vec![inside::ENTRY.into()],
            }),
            folder,
            python: lines.next().unwrap(),
            prefix: lines.next().unwrap(),
        }
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    /// A job that may write `work` and has a scratch folder.
    pub fn job(&self, argv: &[&str]) -> Job {
        let scratch = self.folder.path().join("scratch");
        let environment = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME", scratch.to_string_lossy().into_owned()),
            ("LANG", "C.UTF-8".to_owned()),
        ];
        Job {
            argv: argv.iter().map(|a| (*a).to_owned()).collect(),
            folder: self.work(),
            read: vec![self.prefix.clone()],
            write: vec![self.work()],
            scratch: Some(Scratch {
                folder: scratch,
                files: BTreeMap::new(),
                links: BTreeMap::new(),
            }),
            links: Vec::new(),
            held: Vec::new(),
            frozen: Vec::new(),
            hidden: Vec::new(),
            expendable: Vec::new(),
            environment: environment
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            input: Vec::new(),
            network: Network::None,
            limits: JobLimits {
                wall: Duration::from_secs(30),
                cpu: Duration::from_secs(20),
                memory_bytes: 512 << 20,
                processes: 64,
                file_bytes: 64 << 20,
                open_files: 256,
                output_bytes: 64 << 10,
            },
        }
    }

    pub fn python(&self, code: &str) -> Job {
        let python = self.python.to_string_lossy().into_owned();
        self.job(&[&python, "-B", "-c", &format!("{PREAMBLE}{code}")])
    }

    pub async fn try_run(&self, job: Job) -> Result<Finished, Refusal> {
        self.service
            .run(job, Box::pin(std::future::pending()))
            .await
    }

    pub async fn run(&self, job: Job) -> Finished {
        self.try_run(job).await.unwrap()
    }

    /// Whether this machine lets the sandbox build a view. Without one, less is hidden.
    pub async fn has_view(&self) -> bool {
        has(&self.run(self.job(&[])).await, "mount_view")
    }

    /// What a probe says in the sandbox.
    pub async fn inside(&self, code: &str) -> String {
        let finished = self.run(self.python(code)).await;
        said(&finished)
    }

    /// What the same probe says outside.
    pub fn free(&self, code: &str) -> String {
        let output = Command::new(&self.python)
            .args(["-B", "-c", &format!("{PREAMBLE}{code}")])
            .current_dir(self.work())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr)
    }

    /// A piece of code that must work outside and be refused inside. Where it does not work outside
    /// either, the machine lacks what it attacks, and the probe says so.
    pub async fn refuses(&self, name: &str, code: &str) {
        let indented: String = code.lines().map(|l| format!("    {l}\n")).collect();
        let probe = format!(
            "try:\n{indented}    print('REACHED')\nexcept BaseException as error:\n    print('refused', repr(error))\n"
        );
        let free = self.free(&probe);
        let inside = self.inside(&probe).await;
        assert!(inside.contains("refused"), "{name}, inside: {inside}");
        if !free.contains("REACHED") {
            eprintln!("{name}: no control on this machine: {free}");
        }
    }

    /// Like [`Self::refuses`], where the control must hold on every machine.
    pub async fn surely_refuses(&self, name: &str, code: &str) {
        let control = format!("{code}\nprint('REACHED')\n");
        let free = self.free(&control);
        assert!(free.contains("REACHED"), "{name}, outside: {free}");
        self.refuses(name, code).await;
    }
}

/// Whether a mechanism was in force.
pub fn has(finished: &Finished, name: &str) -> bool {
    finished
        .mechanisms
        .iter()
        .any(|m| m.name == name && m.enforcement == Enforcement::Enforced)
}

/// Everything a program wrote.
pub fn said(finished: &Finished) -> String {
    let mut all = Vec::new();
    for stream in [&finished.stdout, &finished.stderr] {
        all.extend_from_slice(&stream.head);
        all.extend_from_slice(&stream.tail);
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// What a program wrote, when it ended well.
pub fn well(finished: &Finished) -> String {
    assert_eq!(finished.ended, Ended::Exited(0), "{}", said(finished));
    said(finished)
}

/// A path in Python.
pub fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}
