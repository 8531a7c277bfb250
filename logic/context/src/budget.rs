//! How a model's context is shared out.

/// Share of the context that is ours to fill, thousandths; the rest is slack for what an estimate
/// misses and for long answers.
const FILL_PERMILLE: u64 = 600;
/// Share of our part that is kept free for output, thousandths.
const OUTPUT_PERMILLE: u64 = 250;
/// Share of the prompt that standing text before the user's words may take, thousandths.
const PREAMBLE_PERMILLE: u64 = 250;

/// Share of the prompt that tool definitions may take, thousandths.
const TOOLS_PERMILLE: u64 = 400;

/// The parts of one model's context, tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The whole context.
    pub context_tokens: u64,
    /// The prompt: system text, tool definitions, standing text and conversation.
    pub prompt_tokens: u64,
    /// The most an answer may take: everything the prompt does not.
    pub output_tokens: u64,
    /// The most the standing text before the user's words may take, inside `prompt_tokens`.
    pub preamble_tokens: u64,
    /// The most that tool definitions may take, inside `prompt_tokens`.
    pub tools_tokens: u64,
}

/// Share of the prompt that the reports which an agent carries on may take, thousandths.
const REPORTS_PERMILLE: u64 = 200;
/// Characters to a token, few enough that the share is kept in any script read here.
const CHARACTERS_PER_TOKEN: u64 = 3;

impl Budget {
    /// The most that the reports which an agent carries on may take, characters. It depends on the
    /// context alone, not on what was learnt of a server, so that they stay the same.
    #[must_use]
    pub const fn reports_characters(&self) -> u64 {
        self.prompt_tokens * REPORTS_PERMILLE / 1_000 * CHARACTERS_PER_TOKEN
    }

    /// The shares of a context of this size.
    #[must_use]
    pub const fn of(context_tokens: u32) -> Self {
        let context_tokens = context_tokens as u64;
        let fill = context_tokens * FILL_PERMILLE / 1_000;
        let prompt_tokens = fill - fill * OUTPUT_PERMILLE / 1_000;
        Self {
            context_tokens,
            prompt_tokens,
            output_tokens: context_tokens - prompt_tokens,
            preamble_tokens: prompt_tokens * PREAMBLE_PERMILLE / 1_000,
            tools_tokens: prompt_tokens * TOOLS_PERMILLE / 1_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_at_any_size() {
        assert_eq!(Budget::of(32_768).prompt_tokens, 14_745);
        for size in [0, 1, 7, 4_096, 32_768, u32::MAX] {
            let budget = Budget::of(size);
            assert_eq!(
                budget.prompt_tokens + budget.output_tokens,
                budget.context_tokens
            );
            assert!(budget.preamble_tokens + budget.tools_tokens <= budget.prompt_tokens);
        }
    }
}
