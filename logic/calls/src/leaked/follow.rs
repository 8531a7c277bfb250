//! What may come after calls that are the whole answer: nothing, or tokens that end a reply.

use super::input::{Input, Match};

/// Tokens that end a reply in some template. After calls they are part of the leak.
const STOPS: [&str; 12] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|call|>",
    "<|return|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "<end_of_turn>",
    "<turn|>",
    "</s>",
];

/// Whether the answer ends here, and how many bytes of it are left.
pub(super) fn end(after: Input<'_>) -> Match<()> {
    let mut taken = 0;
    loop {
        let rest = after.after(taken);
        let space = rest.space();
        let next = rest.after(space);
        if next.text.is_empty() {
            return if next.is_last {
                Match::Yes((), taken)
            } else {
                Match::More
            };
        }
        match next.any_literal(&STOPS) {
            Match::Yes(_, bytes) => taken += space + bytes,
            Match::More => return Match::More,
            Match::No => return Match::No,
        }
    }
}
