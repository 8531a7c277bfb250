//! A desktop's Secret Service: a real GNOME Keyring on a session bus of its own.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// What opens the keyring.
const PASSWORD: &str = "the test's own password";
/// The packages that these tests need, for whoever lacks them.
const ADVICE: &str = "is missing. The tests of secrets run a real GNOME Keyring on a real bus: \
    `cargo xtask setup --test-programs` installs both where it may (Debian: apt install dbus gnome-keyring)";

/// A session bus with at most one program on it. Both end when this is dropped.
pub struct Desktop {
    root: TempDir,
    bus: Child,
    address: String,
}

impl Desktop {
    /// With a keyring that is open, as after a login.
    ///
    /// # Panics
    /// When the bus or the keyring is missing or does not start.
    #[must_use]
    pub fn new() -> Self {
        let desktop = Self::with_program(Some(
            "printf %s \"$HOUSE_PASSWORD\" | exec gnome-keyring-daemon --unlock --foreground \
             --components=secrets",
        ));
        // The bus starts the keyring with the first call and waits for it.
        desktop.call(
            "org.freedesktop.Secret.Service.ReadAlias",
            &["string:default"],
        );
        desktop
    }

    /// With a keyring that is there and locked.
    ///
    /// # Panics
    /// As [`Desktop::new`].
    #[must_use]
    pub fn locked() -> Self {
        let desktop = Self::new();
        desktop.lock();
        desktop
    }

    /// With a bus and nothing on it.
    ///
    /// # Panics
    /// When the bus is missing or does not start.
    #[must_use]
    pub fn bare() -> Self {
        Self::with_program(None)
    }

    /// Locks the keyring, as a screen saver may.
    ///
    /// # Panics
    /// When the keyring does not answer.
    pub fn lock(&self) {
        let collection = "array:objpath:/org/freedesktop/secrets/collection/login";
        self.call("org.freedesktop.Secret.Service.Lock", &[collection]);
    }

    /// What a program needs in `DBUS_SESSION_BUS_ADDRESS` to find the bus.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where the keyring keeps its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.root.path()
    }

    fn with_program(script: Option<&str>) -> Self {
        let root = tempfile::Builder::new().prefix("bus").tempdir().unwrap();
        let at = root.path();
        let services = at.join("services");
        std::fs::create_dir(&services).unwrap();
        if let Some(script) = script {
            present("gnome-keyring-daemon");
            let program = at.join("keyring.sh");
            std::fs::write(&program, format!("{script}\n")).unwrap();
            let service = format!(
                "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sh {}\n",
                program.display()
            );
            std::fs::write(services.join("secrets.service"), service).unwrap();
        }
        let config = at.join("bus.conf");
        std::fs::write(&config, bus_config(&at.join("socket"), &services)).unwrap();
        present("dbus-daemon");
        let mut bus = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", at)
            .env("XDG_RUNTIME_DIR", at)
            .env("HOUSE_PASSWORD", PASSWORD)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut out = BufReader::new(bus.stdout.take().unwrap());
        out.read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        assert!(address.starts_with("unix:"), "the bus does not start");
        Self { root, bus, address }
    }

    /// Calls a method of the Secret Service and waits for the answer.
    fn call(&self, method: &str, arguments: &[&str]) {
        present("dbus-send");
        let done = Command::new("dbus-send")
            .arg(format!("--bus={}", self.address))
            .args(["--print-reply", "--dest=org.freedesktop.secrets"])
            .args(["/org/freedesktop/secrets", method])
            .args(arguments)
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{method}: {complaint}");
    }
}

impl Default for Desktop {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        if let Some(group) = rustix::process::Pid::from_raw(self.bus.id().cast_signed()) {
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
        let _gone = self.bus.kill();
        let _reaped = self.bus.wait();
    }
}

/// Fails loudly where a program is not installed: a test that cannot run has not passed.
fn present(program: &str) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder: PathBuf| folder.join(program).is_file());
    assert!(found, "`{program}` {ADVICE}");
}

fn bus_config(socket: &Path, services: &Path) -> String {
    format!(
        "<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>\
         <servicedir>{}</servicedir><policy context=\"default\"><allow send_destination=\"*\" \
         eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
        socket.display(),
        services.display()
    )
}
