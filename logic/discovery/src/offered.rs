//! The tools on offer while an agent works: those it was offered, and those it found since.

use crate::offer::tokens;
use domain::tool::ToolDefinition;
use std::collections::BTreeSet;

/// Tools on offer, never more than there is room for. They stand in front of the conversation in
/// most prompts, so they change as seldom as can be: what is found is added behind what is there,
/// and things leave only when the room is spent. Then all go at once that were neither found for
/// this request nor called, so that the next ones find room again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OfferedTools {
    /// In the order they came, each with the round in which it was last found.
    tools: Vec<(u32, ToolDefinition)>,
    round: u32,
    room_tokens: u64,
}

impl OfferedTools {
    /// What is offered to begin with, and the most tokens that definitions may take.
    #[must_use]
    pub fn new(tools: Vec<ToolDefinition>, room_tokens: u64) -> Self {
        let mut offered = Self {
            room_tokens,
            ..Self::default()
        };
        offered.add(tools, &BTreeSet::new());
        offered
    }

    /// Adds what was found now; what is there already keeps its place. Where there is no room, all
    /// goes that was neither found now nor is among `used`, the names of tools that were called
    /// lately; after that what was found longest ago. Something that does not fit beside what was
    /// found with it is left out.
    pub fn add(&mut self, found: Vec<ToolDefinition>, used: &BTreeSet<String>) {
        self.round += 1;
        for tool in found {
            let same = |(_, known): &&mut (u32, ToolDefinition)| known.name == tool.name;
            match self.tools.iter_mut().find(same) {
                Some(known) => *known = (self.round, tool),
                None => self.tools.push((self.round, tool)),
            }
        }
        if self.tokens() > self.room_tokens {
            let round = self.round;
            self.tools
                .retain(|(found, tool)| *found == round || used.contains(tool.name.as_str()));
        }
        while self.tokens() > self.room_tokens {
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
    use domain::tool::{FIND_TOOLS, ToolName};
    use serde_json::json;

    const ROOM: u64 = 2_000;

    /// A tool of about so many tokens.
    fn tool(name: &str, tokens: usize) -> ToolDefinition {
        ToolDefinition {
            name: ToolName::new(name).unwrap(),
            description: "x".repeat(tokens * 4),
            parameters: json!({}),
        }
    }

    fn names(offered: &OfferedTools) -> Vec<String> {
        let tools = offered.tools().into_iter();
        tools.map(|tool| tool.name.to_string()).collect()
    }

    fn used(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn it_only_grows_until_the_room_is_spent_and_then_all_goes_that_nobody_called() {
        let finder = || tool(FIND_TOOLS, 10);
        let mut offered = OfferedTools::new(vec![finder(), tool("a", 600), tool("b", 300)], ROOM);
        offered.add(vec![finder(), tool("c", 600)], &used(&["a"]));
        offered.add(vec![finder(), tool("d", 300)], &used(&["a"]));
        assert_eq!(names(&offered), [FIND_TOOLS, "a", "b", "c", "d"]);
        offered.add(vec![finder(), tool("e", 300)], &used(&["a"]));
        assert_eq!(names(&offered), [FIND_TOOLS, "a", "e"]);
    }

    #[test]
    fn what_was_found_longest_ago_goes_first_where_all_was_called() {
        let called = used(&["a", "b", "c", "d"]);
        let mut offered = OfferedTools::new(vec![tool(FIND_TOOLS, 10), tool("a", 900)], ROOM);
        offered.add(vec![tool(FIND_TOOLS, 10), tool("b", 900)], &called);
        assert_eq!(names(&offered), [FIND_TOOLS, "a", "b"]);
        offered.add(vec![tool(FIND_TOOLS, 10), tool("c", 900)], &called);
        assert_eq!(names(&offered), [FIND_TOOLS, "b", "c"]);
        // Found again, `b` is no longer the oldest.
        offered.add(vec![tool(FIND_TOOLS, 10), tool("b", 900)], &called);
        offered.add(vec![tool(FIND_TOOLS, 10), tool("d", 900)], &called);
        assert_eq!(names(&offered), [FIND_TOOLS, "b", "d"]);
    }

    #[test]
    fn a_changed_definition_takes_the_place_of_the_old_one_and_the_bound_holds() {
        let mut offered = OfferedTools::new(vec![tool("a", 10), tool("b", 10)], ROOM);
        offered.add(vec![tool("a", 20)], &used(&[]));
        assert_eq!(names(&offered), ["a", "b"]);
        assert_eq!(offered.tools()[0], tool("a", 20));
        offered.add(vec![tool("huge", 3_000)], &used(&[]));
        assert!(offered.tokens() <= ROOM);
    }
}
