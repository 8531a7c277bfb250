//! The commands that the UI has and line mode has not.

use rendering::slash::Form;

/// Each: its name, what follows it, what it does.
pub const OWN: [Form; 5] = [
    (
        "/copy",
        "",
        "copy the last answer to the terminal's clipboard",
    ),
    (
        "/inspect",
        "NAME",
        "a page about the context, calls, audit, agents, jobs, plan, memory, models, quality, history",
    ),
    (
        "/panes",
        "[zoom]",
        "activity, conversation and tools in panes, and back; zoom: one alone",
    ),
    (
        "/queue",
        "",
        "messages that wait: edit, move or remove them",
    ),
    (
        "/sessions",
        "",
        "all sessions: go on in one, fork, rename, export",
    ),
];
