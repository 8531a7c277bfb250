//! Exit codes and the one place where an error becomes text.

use domain::event::QueryStatus;
use domain::fault::{Coded, Fault};
use rendering::Paint;
use std::io::{self, ErrorKind};
use std::process::ExitCode;
use text::escape::{visible_line, visible_lines};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Success,
    /// What was to be checked was checked, and is not so.
    Untrue,
    /// The command line or configuration cannot be used.
    Usage,
    /// Some of it is done.
    Partial,
    /// It did not work.
    Failed,
    /// The guard or the user refused.
    Denied,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The number the shell sees.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Untrue => 1,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::Failed => 4,
            Self::Denied => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

impl From<QueryStatus> for Exit {
    fn from(status: QueryStatus) -> Self {
        match status {
            QueryStatus::Success => Self::Success,
            QueryStatus::Partial => Self::Partial,
            QueryStatus::Failed => Self::Failed,
            QueryStatus::Denied => Self::Denied,
            QueryStatus::Interrupted => Self::Interrupted,
        }
    }
}

/// An error that knows how the process must end.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What to tell the user.
    pub fault: Fault,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.fault.message)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// A fault in what was typed.
    #[must_use]
    pub const fn of_usage(fault: Fault) -> Self {
        Self {
            exit: Exit::Usage,
            fault,
        }
    }

    /// A command line or configuration that cannot be used.
    #[must_use]
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let fault = Fault {
            code: "carl.usage".to_owned(),
            message: message.into(),
            hint: hint.into(),
        };
        Self {
            exit: Exit::Usage,
            fault,
        }
    }

    /// A service's error.
    #[must_use]
    pub fn from_coded(error: &dyn Coded) -> Self {
        // As config.toml, agents.yaml is what the user wrote.
        let exit = match error.code() {
            "broker.manifest_invalid" | "broker.manifest_too_large" => Exit::Usage,
            _ => Exit::Failed,
        };
        Self {
            exit,
            fault: error.fault(),
        }
    }
}

/// Turns any coded error into one that ends the process.
pub trait OrFail<T> {
    /// Wraps the error.
    ///
    /// # Errors
    /// The same error, as a [`Failure`].
    fn or_fail(self) -> anyhow::Result<T>;
}

impl<T, E: Coded> OrFail<T> for Result<T, E> {
    fn or_fail(self) -> anyhow::Result<T> {
        self.map_err(|error| Failure::from_coded(&error).into())
    }
}

/// What to do where the system did not let something be read or written; empty for nothing.
fn of_the_disk(error: &anyhow::Error) -> &'static str {
    let mut causes = error.chain();
    let cause = causes.find_map(|cause| cause.downcast_ref::<io::Error>());
    match cause.map(io::Error::kind) {
        Some(ErrorKind::PermissionDenied) => {
            "Look who owns it and what its permissions allow, with `ls -ld`."
        }
        Some(ErrorKind::ReadOnlyFilesystem) => {
            "The disk is mounted for reading alone: mount it for writing, or name another folder \
             (XDG_STATE_HOME for the state folder)."
        }
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => "Make room on its disk.",
        _ => "",
    }
}

/// Turns the refusal to open a session into one that ends the process: what was typed, such as an
/// agent type that does not exist, is a mistake of usage.
#[must_use]
pub fn not_opened(error: &api::sessions::Error) -> Failure {
    let mut failure = Failure::from_coded(error);
    if error.kind == api::sessions::ErrorKind::InvalidRequest {
        failure.exit = Exit::Usage;
        if failure.fault.hint.is_empty() {
            failure.fault.hint =
                "`carl tools` lists the tools, and `carl agents` the agent types.".to_owned();
        }
    }
    failure
}

/// Turns the refusal to explain a call into one that ends the process: an agent type that does not
/// exist or a setting that cannot be meant is a mistake of usage.
#[must_use]
pub fn not_explained(error: &api::broker::Error) -> Failure {
    use api::broker::ErrorKind;
    let mut failure = Failure::from_coded(error);
    if matches!(
        error.kind,
        ErrorKind::UnknownAgentType | ErrorKind::InvalidSettings
    ) {
        failure.exit = Exit::Usage;
    }
    if failure.exit == Exit::Usage && failure.fault.hint.is_empty() {
        failure.fault.hint = "`carl policy explain --help` has the flags.".to_owned();
    }
    failure
}

/// Turns what memory refused into what ends the process: an id that it does not know and a question
/// that it cannot use are mistakes of usage.
#[must_use]
pub fn not_remembered(error: &api::memory::Error) -> Failure {
    use api::memory::Error;
    let mut failure = Failure::from_coded(error);
    match error {
        Error::NotFound { .. } | Error::Invalid { .. } => failure.exit = Exit::Usage,
        Error::StillThere { .. }
        | Error::InUse { .. }
        | Error::NotOffered { .. }
        | Error::Unreachable { .. }
        | Error::Damaged { .. }
        | Error::NotRecorded { .. }
        | Error::Unavailable { .. } => {}
    }
    failure
}

/// An error as it stands on standard error, with its hint below it; it ends with a line end.
#[must_use]
pub fn in_words(error: &anyhow::Error) -> String {
    let (_, fault) = describe(error);
    let paint = Paint::for_stream(&io::stderr());
    // A message may quote a file that anyone wrote.
    let mut text = format!("{} {}", paint.bad("error:"), visible_lines(&fault.message));
    // These two say no more than the way the process ends.
    if !matches!(fault.code.as_str(), "carl.failed" | "carl.usage") {
        text.push_str(&format!(" [{}]", visible_line(&fault.code)));
    }
    text.push('\n');
    if !fault.hint.is_empty() {
        text.push_str(&format!("  {}\n", visible_lines(&fault.hint)));
    }
    text
}

/// What the user sees of an error, and how the process ends.
#[must_use]
pub fn describe(error: &anyhow::Error) -> (Exit, Fault) {
    match error.downcast_ref::<Failure>() {
        Some(failure) => (failure.exit, failure.fault.clone()),
        None => {
            let message = format!("{error:#}");
            (
                Exit::Failed,
                Fault {
                    code: "carl.failed".to_owned(),
                    message,
                    hint: of_the_disk(error).to_owned(),
                },
            )
        }
    }
}
