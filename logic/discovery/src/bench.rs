//! What lies ready while an agent works: the tools it was offered, and those it found since.

use crate::offer::{OFFER_TOKENS, tokens};
use domain::tool::ToolDefinition;

/// Tools on offer, never more than [`OFFER_TOKENS`] of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bench {
    /// In the order they came, each with the round in which it was last found.
    tools: Vec<(u32, ToolDefinition)>,
    round: u32,
}

impl Bench {
    /// What is offered to begin with.
    #[must_use]
    pub fn new(tools: Vec<ToolDefinition>) -> Self {
        let mut bench = Self::default();
        bench.lay(tools);
        bench
    }

    /// Adds what was found now. What was found longest ago makes room for it; what is there already
    /// keeps its place, so that the beginning of the prompt changes as little as can be. Something
    /// that does not fit beside what was found with it is left out.
    pub fn lay(&mut self, found: Vec<ToolDefinition>) {
        self.round += 1;
        for tool in found {
            let same = |(_, known): &&mut (u32, ToolDefinition)| known.name == tool.name;
            match self.tools.iter_mut().find(same) {
                Some(known) => *known = (self.round, tool),
                None => self.tools.push((self.round, tool)),
            }
        }
        while self.tokens() > OFFER_TOKENS {
            let oldest = self.tools.iter().map(|(round, _)| *round).min();
            // The last of a round is the one that fitted it least.
            let goes = self
                .tools
                .iter()
                .rposition(|(round, _)| Some(*round) == oldest);
            let Some(goes) = goes else { break };
            self.tools.remove(goes);
        }
    }

    /// The definitions to offer.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolDefinition> {
        self.tools.iter().map(|(_, tool)| tool.clone()).collect()
    }

    fn tokens(&self) -> u64 {
        self.tools.iter().map(|(_, tool)| tokens(tool)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::tool::ToolName;
    use serde_json::json;

    /// A tool of about so many tokens.
    fn tool(name: &str, tokens: usize) -> ToolDefinition {
        ToolDefinition {
            name: ToolName::new(name).unwrap(),
            description: "x".repeat(tokens * 4),
            parameters: json!({}),
        }
    }

    fn names(bench: &Bench) -> Vec<String> {
        let tools = bench.tools().into_iter();
        tools.map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn what_was_found_longest_ago_goes_first() {
        let mut bench = Bench::new(vec![tool("finder", 10), tool("a", 900)]);
        bench.lay(vec![tool("finder", 10), tool("b", 900)]);
        assert_eq!(names(&bench), ["finder", "a", "b"]);
        bench.lay(vec![tool("finder", 10), tool("c", 900)]);
        assert_eq!(names(&bench), ["finder", "b", "c"]);
        // Found again, `b` is no longer the oldest.
        bench.lay(vec![tool("finder", 10), tool("b", 900)]);
        bench.lay(vec![tool("finder", 10), tool("d", 900)]);
        assert_eq!(names(&bench), ["finder", "b", "d"]);
    }

    #[test]
    fn a_changed_definition_takes_the_place_of_the_old_one_and_the_bound_holds() {
        let mut bench = Bench::new(vec![tool("a", 10), tool("b", 10)]);
        bench.lay(vec![tool("a", 20)]);
        assert_eq!(names(&bench), ["a", "b"]);
        assert_eq!(bench.tools()[0], tool("a", 20));
        bench.lay(vec![tool("huge", 3_000)]);
        assert!(bench.tokens() <= OFFER_TOKENS);
    }
}
