//! How a session is to be held: what a command line asks for, and what the session has already.

use domain::settings::SessionProfile;

/// A profile that a command line asks for, and which of its parts were typed.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedProfile {
    /// The whole of it, with what configuration says where nothing was typed.
    pub profile: SessionProfile,
    /// Which parts were typed.
    pub typed: TypedParts,
}

/// The parts of a profile that were typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TypedParts {
    /// The agent type.
    pub agent_type: bool,
    /// The mode.
    pub mode: bool,
    /// The model, or the provider that chooses one.
    pub model: bool,
    /// How much models think.
    pub think: bool,
}

impl RequestedProfile {
    /// The same rights for a session that this command held already, worked on as it was then.
    #[must_use]
    pub fn as_held(self, held: SessionProfile) -> Self {
        let settings = self.profile.settings;
        Self {
            profile: SessionProfile { settings, ..held },
            typed: TypedParts {
                agent_type: true,
                mode: true,
                model: true,
                think: true,
            },
        }
    }

    /// The profile that a session is continued with: what was not typed is the session's own, and
    /// what is open is this command's alone.
    #[must_use]
    pub fn continuing(&self, own: SessionProfile) -> SessionProfile {
        let asked = self.profile.clone();
        SessionProfile {
            name: own.name,
            agent_type: match self.typed.agent_type {
                true => asked.agent_type,
                false => own.agent_type,
            },
            mode: match self.typed.mode {
                true => asked.mode,
                false => own.mode,
            },
            model: match self.typed.model {
                true => asked.model,
                false => own.model,
            },
            context_tokens: asked.context_tokens.or(own.context_tokens),
            provider: match self.typed.model {
                true => asked.provider,
                false => own.provider,
            },
            think: match self.typed.think {
                true => asked.think,
                false => own.think,
            },
            settings: asked.settings,
        }
    }
}
