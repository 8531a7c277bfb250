//! The user's earlier messages in this session, to go back to one of them.

use crate::lines::{cut, faint, safe, wrapped};
use crate::list::List;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::Timestamp;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::QueryId;
use ratatui::text::Line;
use rendering::agents::gist;
use rendering::moments;
use session::SessionView;
use text::escape::{prose, visible_line};

/// A message that the user sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Its request.
    pub query_id: QueryId,
    /// It.
    pub text: String,
    /// When it came in.
    pub time: Timestamp,
    /// The last event before it was worked on.
    pub begins_after: u64,
    /// Whether nothing of the session stands before it.
    pub is_first: bool,
    /// How many of the user's messages are taken back with it, itself among them.
    pub exchanges: usize,
}

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Go on in a copy of the session from before this message.
    Fork(Sent),
    /// Take this message and all after it back, with what that did to files.
    Rewind(Sent),
}

/// The list of them, newest first.
#[derive(Debug, Default)]
pub struct Earlier {
    /// `None` while they are being read.
    said: Option<Vec<Sent>>,
    list: List,
    /// Why something cannot be done.
    pub refusal: &'static str,
}

/// The messages of the user that count, newest first.
#[must_use]
pub fn said(events: &[Event]) -> Vec<Sent> {
    let view = SessionView::of(events);
    let standing = view.exchanges().standing().iter();
    let own = standing.filter(|one| one.origin == Origin::User && !one.is_undo);
    let first = view.exchanges().standing().first().map(|one| one.query_id);
    let came = |id: QueryId| {
        let mut events = events.iter();
        events.find(|event| {
            matches!(event.body, EventBody::QueryReceived { .. }) && event.query_id == Some(id)
        })
    };
    own.rev()
        .enumerate()
        .filter_map(|(after, one)| {
            Some(Sent {
                query_id: one.query_id,
                text: one.text.clone(),
                time: came(one.query_id)?.time,
                begins_after: one.begins_after,
                is_first: first == Some(one.query_id),
                exchanges: after + 1,
            })
        })
        .collect()
}

impl Earlier {
    /// They were read.
    pub fn fill(&mut self, said: Vec<Sent>) {
        let query = self.list.query().to_owned();
        self.list = List::new(said.iter().map(|one| one.text.clone()));
        query.chars().for_each(|letter| self.list.push(letter));
        self.said = Some(said);
    }

    /// What is typed to search.
    #[must_use]
    pub fn query(&self) -> &str {
        self.list.query()
    }

    /// A letter to search for.
    pub fn push(&mut self, letter: char) {
        self.list.push(letter);
    }

    fn chosen(&self) -> Option<&Sent> {
        self.said.as_ref()?.get(self.list.chosen()?)
    }

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent) -> Wish {
        self.refusal = "";
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let of_chosen = |wish: fn(Sent) -> Wish| self.chosen().cloned().map_or(Wish::None, wish);
        match key.code {
            KeyCode::Esc => return Wish::Close,
            KeyCode::Char('c' | 'd' | 'g') if is_ctrl => return Wish::Close,
            KeyCode::Char('r') if is_ctrl => return of_chosen(Wish::Rewind),
            KeyCode::Enter => return of_chosen(Wish::Fork),
            _ => self.list.pressed(key),
        }
        Wish::None
    }

    /// The rows for a width and height.
    #[must_use]
    pub fn rows(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let said = self.said.as_deref().unwrap_or_default();
        let (fitting, all) = self.list.counts();
        let count = match &self.said {
            None => "reading…".to_owned(),
            Some(_) => format!("{fitting} of {all}"),
        };
        let preview_rows = if height >= 12 { height / 3 } else { 0 };
        let entry = |at: usize| {
            let one = said.get(at)?;
            let text = safe(&visible_line(&gist(&one.text)));
            Some(format!(" {}  {text}", moments::here(one.time)))
        };
        let list_rows = height.saturating_sub(preview_rows);
        let mut rows = self.list.rows((width, list_rows), &count, entry);
        rows.resize(list_rows, Line::default());
        rows.extend(self.preview(width, preview_rows));
        rows
    }

    /// All of the chosen one, as far as there is room.
    fn preview(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        if height == 0 {
            return Vec::new();
        }
        let mut rows = vec![Line::styled(cut("── the message", width), faint())];
        let text = self.chosen().map(|one| prose(one.text.trim_end()));
        let text = text.unwrap_or_default();
        let lines = text.lines().take(height);
        let broken = lines.flat_map(|line| wrapped(&Line::raw(safe(line)), 2, width));
        rows.extend(broken.take(height - 1));
        rows
    }
}
