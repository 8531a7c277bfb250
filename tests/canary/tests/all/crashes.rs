//! A process that dies, and a program of the same user that looks: neither gives anything away.

use canary::{Forms, KEPT, KEY, MARKER, PASSPHRASE, Vault, files};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use std::io::Write;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::program::program;
use testkit::{Gate, House, KERNEL_KEYRING, Reply, Server, is_absent};

/// The user that owns nothing; used where these tests run as root, who may look everywhere.
const NOBODY: u32 = 65_534;

fn allow_cores() {
    let most = getrlimit(Resource::Core).maximum;
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    setrlimit(Resource::Core, limit).unwrap();
}

fn cores(folder: &Path) -> Vec<String> {
    let names = files(folder).into_iter().map(|(name, _)| name);
    names
        .filter(|name| name.rsplit('/').next().unwrap().starts_with("core"))
        .collect()
}

#[test]
fn a_crash_leaves_no_core_file_and_says_nothing() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    allow_cores();
    // No SEGV: the standard library catches the first one, and goes on if it was only sent.
    for signal in [Signal::ABORT, Signal::FPE, Signal::QUIT] {
        let vault = Vault::planted();
        let gate = Gate::new();
        let server = Server::openai([Reply::text(MARKER).and_wait(&gate)]);
        vault.provider(&server);
        // The control: another program that dies so in this folder does leave one, where the
        // kernel writes core files to the folder at all.
        let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
        if !pattern.starts_with(['|', '/']) {
            let control = Command::new("sh")
                .args(["-c", &format!("kill -{} $$", signal.as_raw())])
                .current_dir(vault.house.work())
                .status();
            assert!(control.unwrap().code().is_none());
            assert_eq!(
                cores(&vault.house.work()).len(),
                1,
                "core_pattern is {pattern}"
            );
            std::fs::remove_file(&cores(&vault.house.work())[0]).unwrap();
        }
        let carl = vault.carl(&["run", MARKER]).env("RUST_BACKTRACE", "full");
        let running = carl.spawn();
        server.wait_for_chats(1);
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", running.pid())).unwrap();
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let numbers: Vec<&str> = core.unwrap().split_whitespace().skip(4).take(2).collect();
        assert_eq!(numbers, ["0", "0"], "{limits}");
        let id = Pid::from_raw(running.pid().cast_signed()).unwrap();
        kill_process(id, signal).unwrap();
        let finished = running.finish();
        let root = vault.house.home().parent().unwrap().to_path_buf();
        assert!(cores(&root).is_empty(), "{:?}", cores(&root));
        let mut seen = files(&root);
        seen.push(("output".to_owned(), finished.stdout.into()));
        seen.push(("complaints".to_owned(), finished.stderr.into()));
        for secret in [KEY, KEPT] {
            for (place, bytes) in &seen {
                assert!(
                    Forms::of(secret).found_in(bytes).is_empty(),
                    "{secret} in {place}"
                );
            }
        }
    }
}

#[test]
fn what_the_kernel_has_no_room_for_is_not_in_the_file_either() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let quota = std::fs::read_to_string("/proc/sys/kernel/keys/maxbytes").unwrap();
    let quota: usize = quota.trim().parse().unwrap();
    let house = House::new();
    house.configure("[secrets]\nbackend = \"kernel-keyring\"\n");
    let carl = belongs_to_user(&house);
    let run = |args: &[&str], stdin: &str| {
        let mut command = in_house(&carl, &house);
        command.env("CREDENTIALS_DIRECTORY", house.run_dir());
        let mut child = command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(stdin.as_bytes())
            .unwrap();
        let done = child.wait_with_output().unwrap();
        let text = [done.stdout, done.stderr].concat();
        (
            done.status.code(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let large = "x".repeat(16 << 10);
    let mut stored = Vec::new();
    let refused = (0..=quota / large.len()).find_map(|number| {
        let name = format!("large-{number}");
        match run(&["secret", "set", &name], &large) {
            (Some(0), _) => {
                stored.push(name);
                None
            }
            (_, text) => Some(text),
        }
    });
    let (listed, _) = (run(&["secret", "list"], "").1, run(&["secret", "lock"], ""));
    let refused = refused.unwrap_or_else(|| panic!("{quota} bytes were enough for {stored:?}"));
    assert!(refused.contains("quota"), "{refused}");
    assert_eq!(listed.lines().collect::<Vec<_>>(), stored);
}

/// A copy of `carl` in a house that belongs to the user, as the build folder may not.
fn belongs_to_user(house: &House) -> PathBuf {
    let root = house.home().parent().unwrap().to_path_buf();
    std::fs::write(house.run_dir().join("housecarl-secrets"), PASSPHRASE).unwrap();
    give_away(&root);
    let carl = root.join("carl");
    // The symbols of a debug build are most of it, and a temporary folder may be small.
    let stripped = Command::new("strip")
        .arg("-o")
        .args([&carl, &program()])
        .status();
    if !stripped.is_ok_and(|status| status.success()) {
        std::fs::copy(program(), &carl).unwrap();
    }
    carl
}

/// `carl` in a house, as the user.
fn in_house(carl: &Path, house: &House) -> Command {
    let mut command = as_user(carl);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", house.home())
        .env("XDG_RUNTIME_DIR", house.run_dir())
        .current_dir(house.work());
    command
}

/// A command of the user that the test is about.
fn as_user(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn give_away(folder: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            give_away(&entry.path());
        } else {
            chown(entry.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

/// What another program of the same user reads of a process.
fn read_by_another(id: u32, part: &str) -> (bool, String) {
    let done = as_user("head")
        .args(["-c", "200", &format!("/proc/{id}/{part}")])
        .output()
        .unwrap();
    let text = [done.stdout, done.stderr].concat();
    (
        done.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn another_program_of_the_same_user_cannot_look_into_it() {
    let house = House::new();
    let gate = Gate::new();
    let server = Server::openai([Reply::text("…").and_wait(&gate)]);
    house.configure(&server.config("openai"));
    let carl = belongs_to_user(&house);
    let mut running = in_house(&carl, &house)
        .args(["run", "hello"])
        .env("HOUSE_MARK", MARKER)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut control = as_user("cat")
        .env_clear()
        .env("HOUSE_MARK", MARKER)
        .current_dir(house.work())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    server.wait_for_chats(1);
    let (is_read, text) = read_by_another(control.id(), "environ");
    assert!(is_read && text.contains("HOUSE_MARK"), "{text}");
    for part in ["environ", "mem", "maps", "auxv", "fd/0", "root/etc/passwd"] {
        let (is_read, text) = read_by_another(running.id(), part);
        assert!(
            !is_read && text.contains("Permission denied"),
            "{part}: {text}"
        );
    }
    control.kill().unwrap();
    running.kill().unwrap();
    control.wait().unwrap();
    running.wait().unwrap();
}
