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
    /// The plans and tasks.
    Plan,
    /// What memory had on the requests.
    Memory,
    /// The models.
    Models,
    /// What answers were found to be worth.
    Quality,
    /// What was said and done, in pieces.
    History,
}

impl Subject {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Context,
        Self::Calls,
        Self::Audit,
        Self::Agents,
        Self::Plan,
        Self::Memory,
        Self::Models,
        Self::Quality,
        Self::History,
    ];

    /// Whether what happens in the session changes its page.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Models | Self::History)
    }

    /// Whether the newest is what is looked for: it stands last.
    #[must_use]
    pub const fn opens_at_end(self) -> bool {
        matches!(self, Self::Calls | Self::Audit)
    }

    /// Its name, as it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Calls => "calls",
            Self::Audit => "audit",
            Self::Agents => "agents",
            Self::Plan => "plan",
            Self::Memory => "memory",
            Self::Models => "models",
            Self::Quality => "quality",
            Self::History => "history",
        }
    }

    /// What its page shows.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Context => "the context as it is sent, tokens by part",
            Self::Calls => "tool calls: arguments, decision and layer, result",
            Self::Audit => "the audit log of this session",
            Self::Agents => "agents below this one: task, state, budget, time, report",
            Self::Plan => "plans, their steps, and tasks",
            Self::Memory => "what memory recalled for the requests, and why",
            Self::Models => "the models, and what each is for",
            Self::Quality => "grades and ratings of the answers",
            Self::History => "what was said and done",
        }
    }
}
