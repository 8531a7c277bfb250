//! What keeps stories from being run at all. A story that fails is no error.

use domain::fault::Coded;
use std::path::PathBuf;
use text::escape::visible_line;

/// Why stories cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no story.
    #[error("{file}, line {line}: {problem}")]
    Form {
        /// The file it stands in.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// The folder of stories cannot be read, or has none.
    #[error("{} has no stories: {detail}", path.display())]
    Folder {
        /// The folder, or a file in it.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// There is no story of this name.
    #[error("there is no story called {name}")]
    Unknown {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The server that is to be asked cannot be, or it refuses.
    #[error("{url} cannot be asked: {detail}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why.
        detail: String,
    },
    /// The server of a story's own does not begin.
    #[error("the server for the stories does not begin: {detail}")]
    NoServer {
        /// What it said.
        detail: String,
    },
}

impl Error {
    /// What is wrong with a file, with its name made visible.
    pub(crate) fn form(file: &str, line: u64, problem: impl Into<String>) -> Self {
        Self::Form {
            file: visible_line(file),
            line,
            problem: problem.into(),
        }
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Form { .. } => "stories.form",
            Self::Folder { .. } => "stories.folder",
            Self::Unknown { .. } => "stories.unknown",
            Self::Unreachable { .. } => "stories.unreachable",
            Self::NoServer { .. } => "stories.no_server",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Form { .. } => "docs/stories.md has the form of a story.".to_owned(),
            Self::Folder { .. } => {
                "Name a folder with *.yaml, or leave --dir out for the stories that come along."
                    .to_owned()
            }
            Self::Unknown { known, .. } => format!("There are: {known}."),
            Self::Unreachable { .. } => {
                "It is the address of `carl serve --http`; the token needs the scope `admin`."
                    .to_owned()
            }
            Self::NoServer { .. } => "`carl doctor` says what does not work here.".to_owned(),
        }
    }
}
