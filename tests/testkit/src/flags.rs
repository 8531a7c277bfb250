//! Flags of `carl run` that open what a test is not about, nobody being there to ask.

/// The agent may write in the working folder.
pub const WRITES: [&str; 4] = ["--allow-write", ".", "--yes", "write"];

/// An agent that changes files in the working folder, and deletes some.
pub const CHANGES: [&str; 6] = [
    "--agent",
    "coder",
    "--allow-write",
    ".",
    "--yes",
    "write,destructive",
];

/// Everything that a user can open without an override: what stays shut is shut for good.
pub const OPEN: [&str; 6] = [
    "--agent",
    "sysadmin",
    "--allow-write",
    ".",
    "--yes",
    "write,exec",
];
