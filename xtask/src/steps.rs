//! Named, timed steps; programs run with their output shown.

use anyhow::{Context as _, Result, bail};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The steps of one task.
#[derive(Debug, Default)]
pub struct Steps {
    done: Vec<(String, Duration, &'static str)>,
}

impl Steps {
    /// Runs one step: says its name, and, when it fails, what to do.
    ///
    /// # Errors
    /// The step's own, with its name and the advice.
    pub fn run<T>(
        &mut self,
        title: &str,
        advice: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        say(&format!("\n== {title}"));
        let started = Instant::now();
        let outcome = work();
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        self.done.push((title.to_owned(), started.elapsed(), word));
        say(&format!(
            "== {title}: {word} ({:.1} s)",
            started.elapsed().as_secs_f64()
        ));
        outcome.with_context(|| format!("{title} failed. {advice}{}", nearly_full(&root())))
    }

    /// Notes a step that was left out, and why.
    pub fn skip(&mut self, title: &str, reason: &str) {
        say(&format!("\n== {title}: left out: {reason}"));
        self.done
            .push((title.to_owned(), Duration::ZERO, "left out"));
    }

    /// Says again what was done and how long it took.
    pub fn summary(&self) {
        if self.done.len() < 2 {
            return;
        }
        say("");
        for (title, time, word) in &self.done {
            say(&format!(
                "{:>8.1} s  {word:<8}  {title}",
                time.as_secs_f64()
            ));
        }
        let total: Duration = self.done.iter().map(|(_, time, _)| *time).sum();
        say(&format!("{:>8.1} s  in all", total.as_secs_f64()));
    }
}

/// Writes one line to standard error.
pub fn say(line: &str) {
    // Standard error may be closed; then there is nobody to tell.
    let _unheard = writeln!(std::io::stderr(), "{line}");
}

/// The folder that holds the workspace.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// The cargo that runs this task, in the workspace.
pub fn cargo(args: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Runs a program and shows what it says.
///
/// # Errors
/// When it cannot be started or fails.
pub fn show(command: &mut Command) -> Result<()> {
    let line = rendered(command);
    say(&format!("$ {line}"));
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// Runs a program quietly and returns what it printed.
///
/// # Errors
/// When it cannot be started or fails; then with what it complained.
pub fn output(command: &mut Command) -> Result<String> {
    let line = rendered(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{line}` ended with {}\n{}",
            output.status,
            complaint.trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether `cargo <name>` is installed.
pub fn has_subcommand(name: &str) -> bool {
    output(&mut cargo(&[name, "--version"])).is_ok()
}

fn rendered(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let parts = std::iter::once(name).chain(command.get_args());
    let quoted = parts.map(|part| {
        let text = part.to_string_lossy();
        if text.contains(' ') {
            format!("\"{text}\"")
        } else {
            text.into_owned()
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// What to say of a step that failed on a disk that is nearly full: compilers and linkers then end
/// with errors that name everything else, such as `Bus error`. Empty where there is room.
fn nearly_full(folder: &Path) -> String {
    const NEEDED_KIB: u64 = 2 * 1024 * 1024;
    let listed = Command::new("df").arg("-Pk").arg(folder).output();
    let listed = listed.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
    match listed.ok().as_deref().and_then(free_kib) {
        Some(free) if free < NEEDED_KIB => format!(
            "\nOnly {} MiB are free on the disk of {}, which may be why: a build and all tests need \
             about 16 GiB. Make room (`cargo clean` removes what was built) and run it again.",
            free / 1024,
            folder.display()
        ),
        _ => String::new(),
    }
}

/// The free space in KiB that `df -Pk` of one folder tells: the fourth field of its last line.
fn free_kib(listed: &str) -> Option<u64> {
    listed
        .lines()
        .last()?
        .split_whitespace()
        .nth(3)?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::free_kib;

    #[test]
    fn free_space_is_the_fourth_field_of_the_last_line_of_df() {
        let listed = "Filesystem     1024-blocks     Used Available Capacity Mounted on\n\
                      /dev/vda          264031684 56621896  39846536      59% /\n";
        assert_eq!(free_kib(listed), Some(39_846_536));
        assert_eq!(free_kib("df: no such file"), None);
        assert_eq!(free_kib(""), None);
    }
}
