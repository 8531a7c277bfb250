//! Conversations as texts to be kept.

use generated::dialogue::Conversation;

/// Something to be kept: one turn, or one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// In which conversation, by its place.
    pub conversation: usize,
    /// Which turns it holds.
    pub turns: Vec<usize>,
    /// What it is called.
    pub name: String,
    /// The text.
    pub corpus: String,
    /// Whether it goes on from the text before it.
    pub goes_on: bool,
    /// What it answers, where it is kept as an answered question.
    pub question: Option<String>,
}

/// Every turn as a text of its own, each belonging with the one before it in its session.
#[must_use]
pub fn turns(conversations: &[Conversation]) -> Vec<Text> {
    let mut texts = Vec::new();
    for (place, conversation) in conversations.iter().enumerate() {
        let mut session = 0;
        for (number, turn) in conversation.turns.iter().enumerate() {
            texts.push(Text {
                conversation: place,
                turns: vec![number],
                name: turn.speaker.clone(),
                corpus: format!("[{}] {}", turn.date, turn.said()),
                goes_on: turn.session == session,
                question: None,
            });
            session = turn.session;
        }
    }
    texts
}

/// Every session as one text.
#[must_use]
pub fn sessions(conversations: &[Conversation]) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    for (place, conversation) in conversations.iter().enumerate() {
        let mut session = 0;
        for (number, turn) in conversation.turns.iter().enumerate() {
            match texts.last_mut() {
                Some(text) if turn.session == session => {
                    text.turns.push(number);
                    text.corpus.push('\n');
                    text.corpus.push_str(&turn.said());
                }
                _ => texts.push(Text {
                    conversation: place,
                    turns: vec![number],
                    name: format!("A conversation, {}", turn.date),
                    corpus: format!("[{}]\n{}", turn.date, turn.said()),
                    goes_on: false,
                    question: None,
                }),
            }
            session = turn.session;
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use generated::dialogue::Turn;

    fn turn(session: u32, text: &str, caption: &str) -> Turn {
        Turn {
            session,
            date: "3 May".into(),
            speaker: "Ada".into(),
            text: text.into(),
            caption: caption.into(),
        }
    }

    #[test]
    fn turns_and_sessions_are_texts() {
        let conversation = Conversation {
            name: "one".into(),
            turns: vec![
                turn(1, "Hello.", ""),
                turn(1, "Look!", "a boat"),
                turn(2, "Bye.", ""),
            ],
            questions: Vec::new(),
        };
        let twice = [conversation.clone(), conversation];
        let found = turns(&twice);
        assert_eq!(found.len(), 6);
        assert_eq!(found[1].corpus, "[3 May] Ada: Look! [image: a boat]");
        let goes_on: Vec<bool> = found.iter().map(|text| text.goes_on).collect();
        assert_eq!(goes_on, [false, true, false, false, true, false]);
        let found = sessions(&twice);
        assert_eq!(found.len(), 4);
        assert_eq!(
            found[0].corpus,
            "[3 May]\nAda: Hello.\nAda: Look! [image: a boat]"
        );
        assert_eq!(found[3].turns, [2]);
    }
}
