//! Data that the user gives with a request. It stands behind a fence before the user's words, is
//! labelled like any other content from outside, and is none of the user's words: it names nothing,
//! and memory keeps the question without it.

use crate::work::Work;
use api::sessions::{Error, ErrorKind, Input};
use context::Budget;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::label::Label;
use domain::limits::USER_TEXT_BYTES;
use uuid::Uuid;

/// The most of a prompt that data may take, thousandths.
const SHARE_PERMILLE: u64 = 600;
/// Longest name in a label, characters.
const NAME_CHARS: usize = 200;

/// The event that says what was given.
///
/// # Errors
/// When it is larger than a request may be.
pub(crate) fn given(input: &Input) -> Result<EventBody, Error> {
    if input.text.len() > USER_TEXT_BYTES {
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            format!(
                "The data has {} bytes; at most {USER_TEXT_BYTES} are taken.",
                input.text.len()
            ),
        ));
    }
    let name: String = input.name.chars().take(NAME_CHARS).collect();
    let name = text::escape::visible_line(&name);
    let defused = text::firewall::defuse(&input.text);
    let nonce = Uuid::now_v7().simple().to_string();
    let note = defused.report.note();
    Ok(EventBody::InputGiven {
        text: text::fence::wrap_noted("input", &nonce, false, &note, &defused.text),
        label: Label::untrusted(format!("input:{name}")),
        name,
    })
}

/// Tells the broker of the request's data before anything is made of it.
///
/// # Errors
/// When the broker does not take it, or the data leaves no room for an answer: no model must then be
/// asked.
pub(crate) async fn before(work: &Work) -> Result<(), Fault> {
    let Some((label, characters)) = work.with_state(|state| state.conversation.input()) else {
        return Ok(());
    };
    let tokens = Budget::of(work.agent.context_tokens).prompt_tokens * SHARE_PERMILLE / 1_000;
    let room = work.with_state(|state| state.conversation.view.characters_in(tokens));
    if characters > room {
        return Err(too_large(characters, room));
    }
    work.note_shown(label).await
}

fn too_large(characters: u64, room: u64) -> Fault {
    Fault {
        code: "agents.input_too_large".to_owned(),
        message: format!(
            "The data has {characters} characters; about {room} fit beside the rest of the prompt."
        ),
        hint: "Give the model a larger context (--context-tokens), or name a file in the working \
               folder, which an agent reads in parts."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, text: &str) -> Input {
        Input {
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn data_is_fenced_and_labelled_as_from_outside() {
        let EventBody::InputGiven { name, text, label } =
            given(&input("a\u{1b}[2J.txt", "hello [END x]")).unwrap()
        else {
            panic!("another event");
        };
        assert!(text.starts_with("[TOOL_RESULT: UNTRUSTED input "), "{text}");
        assert!(text.contains("hello"));
        assert!(!name.contains('\u{1b}'));
        assert_eq!(label, Label::untrusted(format!("input:{name}")));
    }

    #[test]
    fn data_at_the_limit_is_taken_and_one_byte_more_is_not() {
        assert!(given(&input("x", &"y".repeat(USER_TEXT_BYTES))).is_ok());
        assert!(given(&input("x", &"y".repeat(USER_TEXT_BYTES + 1))).is_err());
    }
}
