//! What is offered: everything where it fits the bound, else the tools that fit the task best.

use crate::rank::Index;
use domain::tool::{FIND_TOOLS, ToolDefinition};

/// Most tokens that the definitions in a prompt may take, however large the model's context is: an
/// agent's built-in tools, and what it finds among others. More makes small models choose worse.
pub const OFFER_TOKENS: u64 = 3_000;
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

impl Offer {
    /// A tool of this capability.
    #[must_use]
    pub fn of(definition: ToolDefinition, capability: &str) -> Self {
        let presence = match definition.name.as_str() {
            FIND_TOOLS => Presence::Finder,
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
/// find others; else the ones that are always there, and up to [`MOST_FOUND`] that are ranked, fewer
/// in a small room, the best first as far as it allows. A definition that does not fit is passed over, and so is a
/// tool that has nothing to do with the task where another has.
#[must_use]
pub fn offer(tools: Vec<Offer>, task: &str, room_tokens: u64) -> Vec<ToolDefinition> {
    let room = room_tokens.min(OFFER_TOKENS);
    let sizes: Vec<u64> = tools.iter().map(|tool| tokens(&tool.definition)).collect();
    let is_finder = |index: usize| tools[index].presence == Presence::Finder;
    let others = (0..tools.len()).filter(|index| !is_finder(*index));
    let fits = others.map(|index| sizes[index]).sum::<u64>() <= room;
    let mut is_kept: Vec<bool> = (0..tools.len())
        .map(|index| fits && !is_finder(index))
        .collect();
    if !fits {
        let mut left = room;
        let mut keep = |index: usize| {
            let fits = sizes[index] <= left;
            left -= if fits { sizes[index] } else { 0 };
            is_kept[index] = fits;
            fits
        };
        let at_hand = (0..tools.len()).filter(|i| tools[*i].presence != Presence::Ranked);
        at_hand.for_each(|index| {
            keep(index);
        });
        let ranked = ranked(&tools, task).into_iter();
        let found = ranked.filter(|index| keep(*index));
        let most = usize::try_from(room / ROOM_FOR_EACH).unwrap_or(MOST_FOUND);
        let most = most.clamp(FEWEST_FOUND, MOST_FOUND);
        let _ = found.take(most).count();
    }
    let kept = tools.into_iter().zip(is_kept);
    kept.filter(|(_, kept)| *kept)
        .map(|(tool, _)| tool.definition)
        .collect()
}

/// The tools that are ranked, the best first; equal ones as they were given. Those that share
/// nothing with the task are left out, unless none shares anything.
fn ranked(tools: &[Offer], task: &str) -> Vec<usize> {
    let index = Index::new(tools.iter().map(|tool| &tool.definition));
    let scores = index.scores(task);
    let mut order: Vec<usize> = (0..tools.len())
        .filter(|i| tools[*i].presence == Presence::Ranked)
        .collect();
    if order.iter().any(|index| scores[*index] > 0.0) {
        order.retain(|index| scores[*index] > 0.0);
    }
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}
