//! What a client sends as its conversation: what is asked now, and what was said before.

use super::wire::{Content, Message, Role};
use crate::limits::MESSAGES;
use crate::problem::{Problem, fault};
use axum::http::StatusCode;
use domain::hash::Digest;
use domain::token::TokenName;
use serde_json::json;

/// A message as who says what.
pub(super) type Turn = (Role, String);

/// A conversation, taken apart.
#[derive(Debug)]
pub(super) struct Conversation {
    /// Everything before what is asked now.
    pub(super) before: Vec<Turn>,
    /// What is asked now.
    pub(super) asked: String,
}

impl Conversation {
    /// Takes a conversation apart.
    pub(super) fn of(messages: &[Message]) -> Result<Self, Problem> {
        let turns = messages.iter();
        let turns = turns.map(|message| Ok((message.role, text(&message.content)?)));
        Self::of_turns(turns.collect::<Result<_, Problem>>()?)
    }

    /// The same of who says what.
    pub(super) fn of_turns(mut before: Vec<Turn>) -> Result<Self, Problem> {
        if before.len() > MESSAGES {
            let said = format!("a conversation has at most {MESSAGES} messages here");
            return Err(Problem::invalid(said));
        }
        let mut asked = Vec::new();
        while let Some((Role::User, _)) = before.last() {
            asked.extend(before.pop().map(|(_, text)| text));
        }
        asked.reverse();
        let asked = asked.join("\n\n");
        if asked.trim().is_empty() {
            let said = "the last message has to be the user's, and to say something";
            return Err(Problem::invalid(said));
        }
        Ok(Self { before, asked })
    }

    /// What goes before the words of the first request: whoever wrote the client speaks as the user does.
    pub(super) fn instructions(&self) -> String {
        let said = self
            .before
            .iter()
            .filter(|(role, _)| role.as_str() == "system");
        let said: Vec<&str> = said.map(|(_, text)| text.trim()).collect();
        said.join("\n\n")
    }

    /// What was said before, where no session knows it: none of it counts as the user's words.
    pub(super) fn earlier(&self) -> Option<String> {
        let said = self
            .before
            .iter()
            .filter(|(role, _)| role.as_str() != "system");
        let said: Vec<String> = said
            .map(|(role, text)| format!("{}: {}", role.as_str(), text.trim()))
            .collect();
        (!said.is_empty()).then(|| said.join("\n\n"))
    }

    /// The conversation once this is answered.
    pub(super) fn answered(&self, answer: &str) -> Vec<Turn> {
        let mut all = self.before.clone();
        all.push((Role::User, self.asked.clone()));
        all.push((Role::Assistant, answer.to_owned()));
        all
    }
}

/// What a conversation is known by. Clients send an answer back with other blanks around it.
pub(super) fn key(token: &TokenName, model: &str, turns: &[Turn]) -> Digest {
    let turns: Vec<_> = turns
        .iter()
        .map(|(role, text)| json!([role.as_str(), text.trim()]))
        .collect();
    Digest::of_json(&json!([token.as_str(), model, turns]))
}

/// The text of what is said.
pub(super) fn text(content: &Content) -> Result<String, Problem> {
    match content {
        Content::None => Ok(String::new()),
        Content::Text(text) => Ok(text.clone()),
        Content::Parts(parts) => {
            let mut all = Vec::new();
            for part in parts {
                if !matches!(
                    part.kind.as_str(),
                    "text" | "input_text" | "output_text" | "refusal"
                ) {
                    let said = format!("a part of the type `{}` is not taken here", part.kind);
                    return Err(unsupported(said));
                }
                all.push(part.text.as_str());
            }
            Ok(all.join("\n"))
        }
    }
}

/// What OpenAI's interface has and this does not.
pub(super) fn unsupported(said: impl Into<String>) -> Problem {
    let fault = fault("http.unsupported", said, "docs/http.md says what is.");
    Problem::new(StatusCode::BAD_REQUEST, fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(messages: serde_json::Value) -> Result<Conversation, Problem> {
        let messages: Vec<Message> = serde_json::from_value(messages).unwrap();
        Conversation::of(&messages)
    }

    #[test]
    fn what_is_asked_is_told_from_what_was_said() {
        let all = of(json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "two and two?"},
            {"role": "assistant", "content": "Four."},
            {"role": "user", "content": [{"type": "text", "text": "and"}, {"type": "text", "text": "one?"}]},
        ]))
        .unwrap();
        assert_eq!(all.asked, "and\none?");
        assert_eq!(all.instructions(), "Be brief.");
        assert_eq!(
            all.earlier().unwrap(),
            "user: two and two?\n\nassistant: Four."
        );
        let token = "a".parse().unwrap();
        let same = key(&token, "m", &all.before);
        let mut spaced = all.before.clone();
        spaced[2].1.push_str(" \n");
        assert_eq!(key(&token, "m", &spaced), same);
        assert_ne!(key(&token, "n", &spaced), same);
        assert_ne!(key(&"b".parse().unwrap(), "m", &spaced), same);
        for wrong in [
            json!([]),
            json!([{"role": "assistant", "content": "Four."}]),
            json!([{"role": "user", "content": " "}]),
            json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]),
        ] {
            assert!(of(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
