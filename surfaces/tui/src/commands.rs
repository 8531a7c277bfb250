//! The commands that can be typed, and those that line mode alone has.

/// Every command: its name, what follows it, what it does.
pub const COMMANDS: [(&str, &str, &str); 9] = [
    ("/new", "", "begin a new session here; this one stays"),
    ("/mode", "MODE", "how requests are worked on"),
    (
        "/model",
        "[NAME]",
        "list the models, or choose one; `default`: any",
    ),
    (
        "/compact",
        "",
        "make what the model sees of the past smaller",
    ),
    ("/context", "", "what the model will see next, by part"),
    (
        "/inspect",
        "NAME",
        "a page about the context, calls, audit, agents, jobs, plan or models",
    ),
    ("/sessions", "", "all sessions: go on in one, fork, export"),
    ("/help", "", "the keys and commands"),
    ("/quit", "", "leave (also Ctrl+D)"),
];

/// Commands that line mode has and this has not.
pub const OF_LINE_MODE: [&str; 11] = [
    "/retry",
    "/undo",
    "/rewind",
    "/diff",
    "/pin",
    "/override",
    "/agents",
    "/memory",
    "/rate",
    "/fork",
    "/export",
];
