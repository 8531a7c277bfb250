//! Why a tool table cannot be used.

use domain::fault::Coded;

/// A table that cannot be meant as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something in the file is wrong.
    #[error("{file}, line {line}, {}: {problem}", key_or_file(key))]
    Invalid {
        /// The name of the file, as the caller gave it.
        file: String,
        /// The line, from 1; 0 when unknown.
        line: u64,
        /// The key, such as `tools.send_money.effect`; empty for the file as a whole.
        key: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// The file is larger than [`crate::table::TABLE_BYTES`].
    #[error("{file} is larger than {limit} bytes")]
    TooLarge {
        /// The name of the file.
        file: String,
        /// The limit, bytes.
        limit: usize,
    },
    /// A file of tool definitions is none.
    #[error("{file}: {problem}")]
    Definitions {
        /// The name of the file.
        file: String,
        /// What is wrong, and what is expected.
        problem: String,
    },
}

fn key_or_file(key: &str) -> String {
    if key.is_empty() {
        "the file".to_owned()
    } else {
        format!("key `{key}`")
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "tool_table.invalid",
            Self::TooLarge { .. } => "tool_table.too_large",
            Self::Definitions { .. } => "tool_table.definitions",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Invalid { .. } => "Correct the line; docs/tool-tables.md has every key.",
            Self::TooLarge { .. } => "Split the table into several files.",
            Self::Definitions { .. } => {
                "Give the answer to MCP's `tools/list`, or an array of tools with `name`, \
                 `description` and `inputSchema` or `parameters`."
            }
        }
        .to_owned()
    }
}
