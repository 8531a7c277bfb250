//! What is offered: everything where it fits the bound, else the tools that fit the task best.

use crate::rank::Index;
use domain::tool::{FIND_TOOLS, ToolDefinition};

/// Most tokens that the definitions in a prompt may take, however large the model's context is: an
/// agent's built-in tools, with all that the user may open to it, and what it finds among others. More
/// makes small models choose worse.
pub const OFFER_TOKENS: u64 = 4_000;
/// Most tools that are found for a task, beside those that are always there.
pub const MOST_FOUND: usize = 6;
/// Fewest that are looked for, however little room there is.
const FEWEST_FOUND: usize = 2;
/// Room for each of them, tokens: some three times what one takes, so that what is found for the
/// next tasks fits beside it.
const ROOM_FOR_EACH: u64 = 400;
/// Characters of a definition to a token: a rule of thumb for English and JSON.
const CHARACTERS_PER_TOKEN: u64 = 4;

/// When a tool is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Whatever the task: one of the few that every agent has at hand.
    Always,
    /// Whenever others are left out: it finds them.
    Finder,
    /// When it fits the task.
    Ranked,
    /// After the agent's own, since the user opened it for this session: a grant, an override.
    Opened,
}

/// A tool an agent may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// What a model is shown.
    pub definition: ToolDefinition,
    /// When it is.
    pub presence: Presence,
}

/// The capability whose tools every agent has at hand, whatever the task.
const AT_HAND: &str = "self";

/// Whose a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// The agent's, by its type.
    Own,
    /// Opened to it by the user, for this session.
    Opened,
}

impl Offer {
    /// A tool of this capability.
    #[must_use]
    pub fn of(definition: ToolDefinition, capability: &str, holding: Holding) -> Self {
        let presence = match definition.name.as_str() {
            FIND_TOOLS => Presence::Finder,
            _ if holding == Holding::Opened => Presence::Opened,
            _ if capability == AT_HAND => Presence::Always,
            _ => Presence::Ranked,
        };
        Self {
            definition,
            presence,
        }
    }
}

/// What a definition takes in a prompt, estimated.
#[must_use]
pub fn tokens(tool: &ToolDefinition) -> u64 {
    let characters = tool.name.as_str().chars().count()
        + tool.description.chars().count()
        + tool.parameters.to_string().chars().count();
    (characters as u64).div_ceil(CHARACTERS_PER_TOKEN)
}

/// The tools to offer for a task, in the order they were given, so that the same tools make the
/// same prompt. All of them if they fit `room_tokens` (and [`OFFER_TOKENS`]), without those that
/// find others; else the ones that are always there, and
///
/// - where all of the agent's own fit, these, and of what the user opened the best as far as there is
///   room: who gets more rights loses no tool by it;
/// - else up to [`MOST_FOUND`] that are ranked, fewer in a small room, the best first as far as it
///   allows. A definition that does not fit is passed over, and so is a tool that has nothing to do
///   with the task where another has.
#[must_use]
pub fn offer(tools: Vec<Offer>, task: &str, room_tokens: u64) -> Vec<ToolDefinition> {
    let room = room_tokens.min(OFFER_TOKENS);
    let mut room_left = Room::of(&tools, room);
    let all = (0..tools.len()).filter(|index| tools[*index].presence != Presence::Finder);
    if !room_left.keep_all(all) {
        let at_hand =
            |index: &usize| matches!(tools[*index].presence, Presence::Always | Presence::Finder);
        for index in (0..tools.len()).filter(at_hand) {
            room_left.keep(index);
        }
        let of = |presence| move |tool: &Offer| tool.presence == presence;
        let own = (0..tools.len()).filter(|index| tools[*index].presence == Presence::Ranked);
        if tools.iter().any(of(Presence::Opened)) && room_left.keep_all(own) {
            for (index, _) in by_score(&tools, task, of(Presence::Opened)) {
                room_left.keep(index);
            }
        } else {
            let is_ranked =
                |tool: &Offer| matches!(tool.presence, Presence::Ranked | Presence::Opened);
            let mut ranked = by_score(&tools, task, is_ranked);
            if ranked.iter().any(|(_, score)| *score > 0.0) {
                ranked.retain(|(_, score)| *score > 0.0);
            }
            let most = usize::try_from(room / ROOM_FOR_EACH).unwrap_or(MOST_FOUND);
            let most = most.clamp(FEWEST_FOUND, MOST_FOUND);
            let found = ranked.iter().filter(|(index, _)| room_left.keep(*index));
            let _ = found.take(most).count();
        }
    }
    let kept = tools.into_iter().zip(room_left.is_kept);
    kept.filter(|(_, kept)| *kept)
        .map(|(tool, _)| tool.definition)
        .collect()
}

/// What definitions take, and which of them are kept.
struct Room {
    sizes: Vec<u64>,
    is_kept: Vec<bool>,
    left: u64,
}

impl Room {
    fn of(tools: &[Offer], left: u64) -> Self {
        Self {
            sizes: tools.iter().map(|tool| tokens(&tool.definition)).collect(),
            is_kept: vec![false; tools.len()],
            left,
        }
    }

    /// Keeps a definition that fits; whether it does.
    fn keep(&mut self, index: usize) -> bool {
        let fits = self.sizes[index] <= self.left;
        if fits {
            self.left -= self.sizes[index];
            self.is_kept[index] = true;
        }
        fits
    }

    /// Keeps all of these, or none.
    fn keep_all(&mut self, indices: impl Iterator<Item = usize> + Clone) -> bool {
        let fits = indices.clone().map(|index| self.sizes[index]).sum::<u64>() <= self.left;
        if fits {
            indices.for_each(|index| {
                self.keep(index);
            });
        }
        fits
    }
}

/// Tools with their scores for a task, the best first; equal ones as they were given.
fn by_score(tools: &[Offer], task: &str, is_meant: impl Fn(&Offer) -> bool) -> Vec<(usize, f64)> {
    let index = Index::new(tools.iter().map(|tool| &tool.definition));
    let scores = index.scores(task).into_iter().enumerate();
    let mut scored: Vec<(usize, f64)> = scores.filter(|(i, _)| is_meant(&tools[*i])).collect();
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored
}
