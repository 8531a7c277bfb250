//! A view as it is sent, and the same as people may look at it.

use crate::budget::Budget;
use crate::entry::{
    Entry, LONG_ARGUMENT, LONG_FAILED_ARGUMENT, MESSAGE_CHARACTERS, begun_text, characters_in,
    line_of_result, shortened_call, shortened_text,
};
use crate::estimate::TokenEstimator;
use crate::thresholds::Shape;
use crate::view::View;
use domain::context::{ContextPart, ContextView};
use domain::limits::PICTURES;
use domain::message::{Message, ToolCall};
use std::borrow::Cow;

/// What stands between the standing text and the user's first words.
const REQUEST: &str = "The user's request:\n";
/// Characters that a picture counts as, a token each. Servers count pictures apart from text, so
/// that a model's own measure of text does not hold for them.
const PICTURE_TOKEN_CHARACTERS: u64 = 4;
/// What is said of a picture that the model cannot see.
const UNSEEN: &str = " (not shown: this model does not see pictures)";
/// What is said of a picture that has left the view.
const NO_LONGER: &str = " (no longer shown)";
/// What stands between two messages of one role that are sent as one.
const JOINT: &str = "\n\n";

/// One message as it is sent: the parts of its text by name, and the message itself without it.
struct Sent<'a> {
    pieces: Vec<(&'static str, Cow<'a, str>)>,
    bare: Message,
}

impl Sent<'_> {
    fn text(&self) -> String {
        self.pieces.iter().map(|(_, text)| &**text).collect()
    }

    fn message(&self) -> Message {
        let mut message = self.bare.clone();
        match &mut message {
            Message::System { text }
            | Message::User { text }
            | Message::Assistant { text, .. }
            | Message::Tool { text, .. }
            | Message::Picture { text, .. } => *text = self.text(),
        }
        message
    }

    fn characters(&self) -> u64 {
        let text: u64 = self
            .pieces
            .iter()
            .map(|(_, text)| characters_in(text))
            .sum();
        MESSAGE_CHARACTERS + text + extra_characters(&self.bare)
    }
}

/// Characters of a message besides its text.
fn extra_characters(message: &Message) -> u64 {
    match message {
        Message::Assistant {
            thinking,
            tool_calls,
            ..
        } => {
            let thinking = thinking.as_ref().map_or(0, |block| {
                characters_in(&block.text) + block.signature.as_deref().map_or(0, characters_in)
            });
            let calls = tool_calls.iter().map(|call| {
                MESSAGE_CHARACTERS
                    + characters_in(&call.name)
                    + characters_in(&call.arguments.to_string())
            });
            thinking + calls.sum::<u64>()
        }
        Message::Tool { name, .. } => characters_in(name.as_str()),
        Message::Picture { picture, .. } => picture.tokens() * PICTURE_TOKEN_CHARACTERS,
        Message::System { .. } | Message::User { .. } => 0,
    }
}

impl View {
    fn sent(&self) -> Vec<Sent<'_>> {
        let mut sent: Vec<Sent<'_>> = Vec::with_capacity(self.entries.len() + 2);
        if !self.system.is_empty() {
            sent.push(Sent {
                pieces: vec![("system", Cow::Borrowed(self.system.as_str()))],
                bare: Message::System {
                    text: String::new(),
                },
            });
        }
        let turn = self.last_turn();
        let mut standing = Some(self.standing_pieces());
        let first_picture = self.first_picture();
        for (index, entry) in self.entries.iter().enumerate() {
            let name = if index < turn { "conversation" } else { "turn" };
            let mut pieces: Vec<(&'static str, Cow<'_, str>)> = Vec::new();
            if matches!(entry.message, Message::User { .. })
                && let Some(standing) = standing.take()
            {
                pieces.extend(standing);
            }
            if !entry.recalled.is_empty() && !self.is_shortened(entry) {
                let recalled = if index < turn { name } else { "recalled" };
                pieces.push((recalled, Cow::Borrowed(entry.recalled.as_str())));
            }
            // What the current request is about is no less than its words.
            if !entry.input.is_empty() && (index >= turn || !self.is_shortened(entry)) {
                pieces.push((name, Cow::Borrowed(entry.input.as_str())));
            }
            if !entry.named.is_empty() && !self.is_shortened(entry) {
                pieces.push((name, Cow::Borrowed(entry.named.as_str())));
            }
            pieces.push((name, self.text_of(entry)));
            let mut bare = self.bare(entry, index >= turn);
            if matches!(bare, Message::Picture { .. })
                && let Some(why) = self.why_not_shown(entry, index < first_picture)
            {
                pieces.push((name, Cow::Borrowed(why)));
                bare = Message::User {
                    text: String::new(),
                };
            }
            join(&mut sent, Sent { pieces, bare });
        }
        sent
    }

    /// Where the newest pictures begin, of which no more are sent than [`PICTURES`].
    fn first_picture(&self) -> usize {
        let entries = self.entries.iter().enumerate().rev();
        let pictures = entries.filter(|(_, one)| matches!(one.message, Message::Picture { .. }));
        pictures.take(PICTURES).last().map_or(0, |(index, _)| index)
    }

    /// What the model is told of a picture that it is not shown; `is_old` for one of too many.
    fn why_not_shown(&self, entry: &Entry, is_old: bool) -> Option<&'static str> {
        match (self.sees, is_old || self.is_shortened(entry)) {
            (false, _) => Some(UNSEEN),
            (true, true) => Some(NO_LONGER),
            (true, false) => None,
        }
    }

    /// What stands before the user's first words.
    fn standing_pieces(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        let layers = self.layers.iter();
        let notes = self.elided.shown().iter();
        let mut pieces: Vec<(&'static str, Cow<'_, str>)> = layers
            .chain(notes)
            .map(|(name, text)| (*name, Cow::Borrowed(text.as_str())))
            .collect();
        let board = self.task_pieces().into_iter();
        pieces.extend(board.map(|(name, text)| (name, Cow::Owned(text))));
        if let Some((name, _)) = pieces.last() {
            pieces.push((*name, Cow::Borrowed(REQUEST)));
        }
        pieces
    }

    fn task_pieces(&self) -> Vec<(&'static str, String)> {
        match self.shape {
            Shape::Orchestrator => self.tasks.pieces(self.report_characters),
            Shape::Root | Shape::Child => Vec::new(),
        }
    }

    pub(crate) fn is_shortened(&self, entry: &Entry) -> bool {
        self.shortened_through
            .is_some_and(|through| entry.at <= through)
    }

    fn text_of<'a>(&self, entry: &'a Entry) -> Cow<'a, str> {
        match &entry.message {
            Message::Tool { text, .. } if self.is_shortened(entry) => {
                let short = match self.shape {
                    _ if entry.shown_characters > 0 => {
                        begun_text(text, entry.seq, entry.shown_characters)
                    }
                    Shape::Child => line_of_result(text, entry.seq),
                    Shape::Root | Shape::Orchestrator => shortened_text(text, entry.seq),
                };
                short.map_or(Cow::Borrowed(text.as_str()), Cow::Owned)
            }
            message => Cow::Borrowed(message.text()),
        }
    }

    fn call_of(&self, entry: &Entry, call: &ToolCall) -> ToolCall {
        if self.is_shortened(entry) {
            shortened_call(call, LONG_ARGUMENT)
        } else if entry.failed_calls.contains(&call.call_id) {
            shortened_call(call, LONG_FAILED_ARGUMENT)
        } else {
            call.clone()
        }
    }

    /// Thinking goes back to the model within a turn only.
    fn bare(&self, entry: &Entry, in_turn: bool) -> Message {
        match &entry.message {
            Message::Assistant {
                thinking,
                tool_calls,
                ..
            } => Message::Assistant {
                text: String::new(),
                thinking: thinking.clone().filter(|_| in_turn),
                tool_calls: tool_calls
                    .iter()
                    .map(|call| self.call_of(entry, call))
                    .collect(),
            },
            Message::Tool { call_id, name, .. } => Message::Tool {
                call_id: *call_id,
                name: name.clone(),
                text: String::new(),
            },
            Message::Picture { picture, .. } => Message::Picture {
                text: String::new(),
                picture: picture.clone(),
            },
            Message::User { .. } => Message::User {
                text: String::new(),
            },
            Message::System { .. } => Message::System {
                text: String::new(),
            },
        }
    }

    /// What to send, oldest first.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.sent().iter().map(Sent::message).collect()
    }

    /// Tokens of everything to be sent.
    #[must_use]
    pub fn estimate(&self) -> u64 {
        self.estimator.tokens(self.characters())
    }

    /// Characters of everything to be sent.
    #[must_use]
    pub fn characters(&self) -> u64 {
        let messages: u64 = self.sent().iter().map(Sent::characters).sum();
        messages + characters_in(&self.tools)
    }

    /// Characters of what no rebuilding makes smaller: system text, tools, layers, pinned messages,
    /// what an agent that hands work out carries.
    pub(crate) fn fixed_characters(&self) -> u64 {
        let layers = self.layers.iter().map(|(_, text)| text);
        let pinned = self
            .elided
            .shown()
            .iter()
            .filter(|(name, _)| *name == "pinned");
        let texts = layers.chain(pinned.map(|(_, text)| text));
        let board = self.task_pieces();
        let board = board.iter().map(|(_, text)| characters_in(text));
        characters_in(&self.system)
            + board.sum::<u64>()
            + characters_in(&self.tools)
            + texts.map(|text| characters_in(text)).sum::<u64>()
            + 2 * MESSAGE_CHARACTERS
    }

    /// Exactly what would be sent now, part by part. The tokens add up to the estimate. Without a
    /// request in view, the standing text is shown as it will stand before the next one. `last` is
    /// what will be sent behind the request by itself, with its name.
    #[must_use]
    pub fn inspect(
        &self,
        budget: Budget,
        reused_permille: Option<u16>,
        last: Option<(&'static str, &str)>,
    ) -> ContextView {
        let mut sheet = Sheet::default();
        let mut tools = Some(self.tools.as_str()).filter(|tools| !tools.is_empty());
        let sent = self.sent();
        let has_request = sent
            .iter()
            .any(|one| matches!(one.bare, Message::User { .. }));
        for one in &sent {
            if !matches!(one.bare, Message::System { .. })
                && let Some(tools) = tools.take()
            {
                sheet.add("tools", tools, characters_in(tools));
            }
            sheet.add_message(one);
        }
        if let Some(tools) = tools {
            sheet.add("tools", tools, characters_in(tools));
        }
        if !has_request {
            for (name, text) in self.standing_pieces() {
                sheet.add(name, &text, characters_in(&text));
            }
        }
        if let Some((name, text)) = last {
            sheet.add(name, text, MESSAGE_CHARACTERS + characters_in(text));
        }
        ContextView {
            context_tokens: budget.context_tokens,
            budget_tokens: budget.prompt_tokens,
            reused_permille,
            parts: sheet.parts(&self.estimator),
        }
    }
}

/// Messages of one role that follow each other are sent as one: some servers refuse them otherwise.
fn join<'a>(sent: &mut Vec<Sent<'a>>, next: Sent<'a>) {
    let joined = match (sent.last_mut(), &next.bare) {
        (Some(last), Message::User { .. }) if matches!(last.bare, Message::User { .. }) => {
            Some((last, None))
        }
        (Some(last), Message::Assistant { .. }) if is_plain(&last.bare) => {
            Some((last, Some(next.bare.clone())))
        }
        _ => None,
    };
    let Some((last, bare)) = joined else {
        sent.push(next);
        return;
    };
    let name = next.pieces.first().map_or("turn", |(name, _)| *name);
    let both = !last.text().is_empty() && !next.text().is_empty();
    if both {
        last.pieces.push((name, Cow::Borrowed(JOINT)));
    }
    last.pieces.extend(next.pieces);
    if let Some(bare) = bare {
        last.bare = bare;
    }
}

fn is_plain(message: &Message) -> bool {
    matches!(message, Message::Assistant { tool_calls, .. } if tool_calls.is_empty())
}

/// Parts as they are gathered: name, text, characters that count.
#[derive(Default)]
struct Sheet(Vec<(&'static str, String, u64)>);

impl Sheet {
    fn add(&mut self, name: &'static str, text: &str, characters: u64) {
        match self.0.last_mut() {
            Some(last) if last.0 == name => {
                last.1.push_str(text);
                last.2 += characters;
            }
            _ => self.0.push((name, text.to_owned(), characters)),
        }
    }

    fn add_message(&mut self, sent: &Sent<'_>) {
        let (head, tail) = frame(&sent.bare);
        let mut left = sent.characters();
        for (index, (name, text)) in sent.pieces.iter().enumerate() {
            let mut framed = String::new();
            if index == 0 {
                framed.push_str(&head);
            }
            framed.push_str(text);
            let last = index + 1 == sent.pieces.len();
            let characters = if last {
                left
            } else {
                characters_in(text).min(left)
            };
            if last {
                framed.push_str(&tail);
            }
            left -= characters;
            self.add(name, &framed, characters);
        }
    }

    /// Tokens are shared out so that rounding does not add up.
    fn parts(self, estimator: &TokenEstimator) -> Vec<ContextPart> {
        let mut before = 0;
        let parts = self.0.into_iter().map(|(name, text, characters)| {
            let tokens = estimator.tokens(before + characters) - estimator.tokens(before);
            before += characters;
            ContextPart {
                name: name.to_owned(),
                tokens,
                text,
            }
        });
        parts.collect()
    }
}

/// What stands around a message's text where people read it.
fn frame(message: &Message) -> (String, String) {
    match message {
        Message::System { .. } => ("[system]\n".to_owned(), "\n".to_owned()),
        Message::User { .. } => ("[user]\n".to_owned(), "\n".to_owned()),
        Message::Picture { .. } => ("[picture]\n".to_owned(), "\n".to_owned()),
        Message::Tool { name, .. } => (format!("[result of {name}]\n"), "\n".to_owned()),
        Message::Assistant { tool_calls, .. } => (
            "[assistant]\n".to_owned(),
            format!("\n{}", calls_in_words(tool_calls)),
        ),
    }
}

fn calls_in_words(calls: &[ToolCall]) -> String {
    calls
        .iter()
        .map(|call| format!("calls {} {}\n", call.name, call.arguments))
        .collect()
}

/// Messages in the words in which a [`ContextView`] shows them.
#[must_use]
pub fn transcript(messages: &[Message]) -> String {
    messages
        .iter()
        .map(|message| {
            let (head, tail) = frame(message);
            format!("{head}{}{tail}", message.text())
        })
        .collect()
}
