//! Whether trying a task again can end otherwise, when its agent was refused something.

use domain::decision::Layer;

/// Whom a refusal binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Agents of this type: another may be allowed more.
    Type,
    /// Everybody: the user said no.
    User,
    /// Everybody: it needed a yes, and nobody was there to give it.
    Nobody,
    /// Everybody: it is a rule for every agent.
    Everybody,
}

/// What the guard or the user refused an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Refusal {
    /// Nothing.
    #[default]
    Nothing,
    /// Something that is not what it ended on, or that another try need not meet.
    Passing,
    /// The last call that it made.
    Last {
        /// The tool.
        tool: String,
        /// Whom the refusal binds.
        bound: Bound,
    },
}

impl Refusal {
    /// A call of a tool was refused by this layer; `no` is who gave the answer (`user`, `timeout`,
    /// `unattended`), when somebody was to be asked.
    #[must_use]
    pub fn of(tool: &str, layer: Layer, no: Option<&str>) -> Self {
        let bound = match (no, layer) {
            (Some("user"), _) => Bound::User,
            (Some(_), _) | (None, Layer::SafetyGate) => Bound::Nobody,
            (None, Layer::Manifest | Layer::Path) => Bound::Type,
            (None, Layer::SessionOverride | Layer::Lineage | Layer::Egress | Layer::Integrity) => {
                Bound::Everybody
            }
            // Another agent writes other arguments, has not read what this one read, and begins to
            // count anew.
            (None, Layer::Schema | Layer::InformationFlow | Layer::Limits) => return Self::Passing,
        };
        Self::Last {
            tool: tool.to_owned(),
            bound,
        }
    }

    /// The agent went on with another call, and that one was made.
    #[must_use]
    pub fn passed(self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Passing | Self::Last { .. } => Self::Passing,
        }
    }

    /// Why the same task must fail the same way again, if it must. `has_stand_in`: there is a type
    /// that can do more than the one that was refused.
    #[must_use]
    pub fn in_vain(&self, has_stand_in: bool) -> Option<String> {
        let Self::Last { tool, bound } = self else {
            return None;
        };
        match bound {
            Bound::Type if has_stand_in => None,
            Bound::Type => Some(format!(
                "`{tool}` was refused, and there is no type of agent that can do more"
            )),
            Bound::User => Some(format!("the user said no to `{tool}`")),
            Bound::Nobody => Some(format!(
                "`{tool}` needed a yes, and nobody was there to give it"
            )),
            Bound::Everybody => Some(format!("`{tool}` was refused, as to every agent")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_other_agent_could_do_is_in_vain() {
        let said = |refusal: &Refusal, has_stand_in| refusal.in_vain(has_stand_in);
        for layer in Layer::ALL {
            let refusal = Refusal::of("t", layer, None);
            let (vain, other) = (said(&refusal, false), said(&refusal, true));
            match layer {
                Layer::Manifest | Layer::Path => assert!(vain.is_some() && other.is_none()),
                Layer::Schema | Layer::InformationFlow | Layer::Limits => {
                    assert_eq!((vain, other), (None, None), "{layer}");
                }
                _ => assert!(vain.is_some() && vain == other, "{layer}"),
            }
            // Somebody's answer counts for more than what was asked about.
            for (by, words) in [("user", "said no"), ("unattended", "nobody was there")] {
                let answered = Refusal::of("t", layer, Some(by));
                assert!(said(&answered, true).unwrap().contains(words), "{layer}");
                assert_eq!(answered.passed(), Refusal::Passing);
            }
        }
        assert_eq!(Refusal::Nothing.passed(), Refusal::Nothing);
    }
}
