//! What is offered: everything where it fits the bound, else the tools that fit the task best.

use crate::rank::Index;
use domain::tool::ToolDefinition;

/// Most tokens that the definitions in a prompt may take.
pub const OFFER_TOKENS: u64 = 2_000;
/// Most tools that are found for a task, beside those that are always there.
pub const MOST_FOUND: usize = 4;
/// Characters of a definition to a token: a rule of thumb for English and JSON.
const CHARACTERS_PER_TOKEN: u64 = 4;

/// A tool an agent may use, and whether it is offered whatever the task.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// What a model is shown.
    pub definition: ToolDefinition,
    /// Whether it is one of the few that every agent has at hand.
    pub is_always: bool,
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
/// same prompt. All of them if they fit [`OFFER_TOKENS`]; else those that are always there and up to
/// [`MOST_FOUND`] of the others, the best first as far as the bound allows. A definition that does
/// not fit is passed over.
#[must_use]
pub fn offer(tools: Vec<Offer>, task: &str) -> Vec<ToolDefinition> {
    let sizes: Vec<u64> = tools.iter().map(|tool| tokens(&tool.definition)).collect();
    let mut is_kept = vec![sizes.iter().sum::<u64>() <= OFFER_TOKENS; tools.len()];
    if is_kept.first() == Some(&false) {
        let mut left = OFFER_TOKENS;
        let mut keep = |index: usize| {
            let fits = sizes[index] <= left;
            left -= if fits { sizes[index] } else { 0 };
            is_kept[index] = fits;
            fits
        };
        let always = (0..tools.len()).filter(|index| tools[*index].is_always);
        always.for_each(|index| {
            keep(index);
        });
        let others = ranked(&tools, task).into_iter();
        let found = others.filter(|index| keep(*index));
        let _ = found.take(MOST_FOUND).count();
    }
    let kept = tools.into_iter().zip(is_kept);
    kept.filter(|(_, kept)| *kept)
        .map(|(tool, _)| tool.definition)
        .collect()
}

/// The tools that are not always there, the best first; equal ones as they were given.
fn ranked(tools: &[Offer], task: &str) -> Vec<usize> {
    let index = Index::new(tools.iter().map(|tool| &tool.definition));
    let scores = index.scores(task);
    let mut order: Vec<usize> = (0..tools.len()).filter(|i| !tools[*i].is_always).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}
