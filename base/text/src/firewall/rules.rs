//! What counts against a text: words of certain classes near each other, and marks that only a
//! model's input has.

use super::lexicon::*;
use super::report::Kind;

/// Words of all these classes within so many words of one sentence.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: Kind,
    /// Points, of which [`super::report::THRESHOLD`] within one window make a text suspicious.
    pub(super) weight: u32,
    /// One word of each set.
    pub(super) all: &'static [Classes],
    /// The longest stretch, words.
    pub(super) within: usize,
}

const fn rule(kind: Kind, weight: u32, within: usize, all: &'static [Classes]) -> Rule {
    Rule {
        kind,
        weight,
        all,
        within,
    }
}

/// The rules.
pub(super) const RULES: &[Rule] = &[
    // Setting aside what the model was told.
    rule(Kind::Override, 12, 8, &[DROP, PRIOR, TOLD]),
    rule(Kind::Override, 12, 6, &[DROP, YOUR, TOLD]),
    rule(Kind::Override, 7, 6, &[DROP, ALL, TOLD]),
    rule(Kind::Override, 8, 8, &[DROP, ALL, PRIOR | YOU]),
    rule(Kind::Override, 4, 8, &[DROP, TOLD]),
    rule(Kind::Override, 6, 8, &[DROP, AI | AI_NAME | HELPER]),
    rule(Kind::Override, 6, 4, &[ORDER]),
    rule(
        Kind::Override,
        6,
        12,
        &[ORDER, YOU | YOUR | URGENT | SYSTEM],
    ),
    rule(
        Kind::Override,
        5,
        12,
        &[BREAK, YOU | YOUR, NOT | FREE | DROP],
    ),
    rule(Kind::Override, 6, 12, &[DROP, PRIOR, SAY]),
    // Asking for what the model was told, or for secrets.
    rule(Kind::Leak, 12, 12, &[REVEAL | SAY, PROMPT]),
    rule(Kind::Leak, 4, 1, &[PROMPT]),
    rule(Kind::Leak, 6, 12, &[VERBATIM, PROMPT | REPLY]),
    rule(Kind::Leak, 6, 14, &[SEND, SECRET, ADDRESS]),
    rule(Kind::Leak, 4, 8, &[SEND | REVEAL, SECRET]),
    rule(Kind::Leak, 4, 12, &[CALL, TOOL]),
    rule(Kind::Leak, 8, 16, &[TOOL, BEFORE | READER | ADDRESS]),
    // Speaking to the model.
    rule(Kind::Address, 10, 6, &[CALLED, AI_NAME]),
    rule(Kind::Address, 8, 8, &[CALLED | READER, AI]),
    rule(Kind::Address, 8, 4, &[CALLED, HELPER]),
    rule(Kind::Address, 6, 4, &[BECOME, HELPER]),
    rule(
        Kind::Address,
        3,
        30,
        &[AI | AI_NAME, AI | AI_NAME, AI | AI_NAME],
    ),
    rule(Kind::Address, 5, 8, &[BECOME, AI | AI_NAME]),
    rule(Kind::Address, 3, 1, &[AI_NAME]),
    rule(Kind::Address, 2, 1, &[AI]),
    rule(
        Kind::Address,
        6,
        16,
        &[READER, REPLY | SEND | CALL | ANSWER | MUST],
    ),
    rule(
        Kind::Address,
        6,
        16,
        &[SYSTEM, URGENT | REPLY | MUST | TOLD | CALL],
    ),
    rule(Kind::Address, 5, 16, &[SYSTEM, YOU | YOUR | SAY]),
    // Another role.
    rule(Kind::Role, 6, 8, &[NOW, YOU]),
    rule(Kind::Role, 4, 8, &[NOW, REPLY | PERSONA]),
    rule(Kind::Role, 5, 8, &[BECOME, PERSONA]),
    rule(Kind::Role, 3, 1, &[PERSONA]),
    rule(Kind::Role, 3, 1, &[BECOME]),
    rule(
        Kind::Role,
        4,
        10,
        &[PERSONA, CHARACTER | AI | AI_NAME | GAME],
    ),
    rule(Kind::Role, 3, 1, &[CHARACTER]),
    rule(Kind::Role, 3, 10, &[CHARACTER, YOU | REPLY | NEVER]),
    rule(Kind::Role, 5, 1, &[STANDS]),
    rule(Kind::Role, 4, 10, &[MODE, YOU | ENABLE | REPLY | BECOME]),
    rule(Kind::Role, 5, 4, &[MODE, ENABLE]),
    // No limits.
    rule(Kind::Licence, 5, 1, &[FREE]),
    rule(
        Kind::Licence,
        5,
        12,
        &[FREE, YOU | AI | AI_NAME | REPLY | ETHICS],
    ),
    rule(Kind::Licence, 3, 1, &[BREAK]),
    rule(Kind::Licence, 4, 12, &[BANNED, ETHICS | REPLY | YOU]),
    rule(Kind::Licence, 5, 10, &[NEVER, REFUSE]),
    rule(
        Kind::Licence,
        5,
        12,
        &[ANYTHING, REPLY, REGARDLESS | NEVER | YOU | MUST],
    ),
    rule(Kind::Licence, 3, 6, &[ANYTHING, REPLY]),
    rule(
        Kind::Licence,
        4,
        8,
        &[REGARDLESS, BANNED | ETHICS | OBEY | ANYTHING],
    ),
    rule(Kind::Licence, 4, 10, &[OBEY, NEVER | ANYTHING | YOU | MUST]),
    // Steering the answer.
    rule(
        Kind::Steering,
        5,
        10,
        &[ANSWER, FORMAT | NEVER | MUST | ONLY],
    ),
    rule(Kind::Steering, 4, 10, &[YOU, MUST, REPLY]),
    rule(Kind::Steering, 4, 8, &[REPLY, ONLY]),
    rule(Kind::Steering, 3, 8, &[REPLY, PERSONA | DIALOGUE]),
    rule(Kind::Steering, 4, 12, &[NEVER, REPLY]),
    rule(Kind::Steering, 4, 12, &[FORMAT, REPLY]),
    rule(Kind::Steering, 4, 12, &[DIALOGUE, YOU, MUST]),
    rule(Kind::Steering, 6, 14, &[MEMORY, REPLY | ANSWER | NEVER]),
    rule(Kind::Steering, 6, 12, &[SAY, TEST]),
    rule(Kind::Steering, 10, 20, &[DECODE, OBEY]),
    rule(Kind::Steering, 4, 12, &[URGENT, REPLY | ANSWER | INCLUDE]),
    rule(Kind::Steering, 8, 1, &[INCLUDE]),
    rule(Kind::Steering, 5, 14, &[INCLUDE, FORMAT | SAY | MUST]),
    rule(Kind::Address, 4, 1, &[GRANTED]),
    rule(
        Kind::Address,
        6,
        16,
        &[GRANTED, AI | CALL | TOOL | SEND | SYSTEM | REPLY],
    ),
    rule(Kind::Leak, 12, 14, &[SAY, ABOVE]),
    rule(Kind::Steering, 4, 3, &[ONLY, SAY]),
    rule(Kind::Leak, 6, 16, &[SEND, SECRET | READER, ADDRESS]),
];
