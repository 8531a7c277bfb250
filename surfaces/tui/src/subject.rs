//! What there is to inspect.

/// Something of the session that fills a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// What the model will see next.
    Context,
    /// The tool calls.
    Calls,
    /// The audit log.
    Audit,
    /// The agents below the first.
    Agents,
    /// The background jobs.
    Jobs,
    /// The plans and tasks.
    Plan,
    /// The models.
    Models,
}

impl Subject {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::Context,
        Self::Calls,
        Self::Audit,
        Self::Agents,
        Self::Jobs,
        Self::Plan,
        Self::Models,
    ];

    /// Its name, as it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Calls => "calls",
            Self::Audit => "audit",
            Self::Agents => "agents",
            Self::Jobs => "jobs",
            Self::Plan => "plan",
            Self::Models => "models",
        }
    }

    /// What its page shows.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Context => "the context as it is sent, tokens by part",
            Self::Calls => "tool calls: arguments, decision and layer, result",
            Self::Audit => "the audit log of this session",
            Self::Agents => "agents below this one: task, state, report, cost",
            Self::Jobs => "background jobs and what they said",
            Self::Plan => "plans, their steps, and tasks",
            Self::Models => "the models, and what each is for",
        }
    }
}
