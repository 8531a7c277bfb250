//! Why the tools cannot be put together.

use domain::fault::Coded;
use domain::tool::ToolName;

/// Why the tools cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Two tools have one name, so that a call would be for either.
    #[error("there are two tools named `{tool}`")]
    TwoTools {
        /// The name.
        tool: ToolName,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::TwoTools { .. } => "tools.two_tools",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::TwoTools { .. } => "Give one of them another name.",
        }
        .to_owned()
    }
}
