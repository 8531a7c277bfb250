//! The sessions of this home, to choose one from.

use crate::lines::{cut, faint, safe, strong};
use crate::list::{self, List};
use api::sessions::SessionSummary;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::id::SessionId;
use domain::limits::SESSION_NAME_CHARACTERS;
use ratatui::text::{Line, Span};
use rendering::moments;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// Most columns of a title that are searched.
const TITLE_COLUMNS: usize = 200;
/// Characters of an id that are shown: its end, by which it can be named.
const ID_CHARS: usize = 12;

/// Fewest characters that are looked for in what was said.
const SAID_CHARS: usize = 3;

/// What stands before a name that is typed.
const OF_NAME: &str = "name: ";

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Go on in this session.
    Resume(SessionId),
    /// Begin another with all that was said in this one.
    Fork(SessionId),
    /// Write this one to a file.
    Export(SessionId),
    /// Give this one a name, or with an empty one none.
    Rename(SessionId, String),
}

/// What is known of the last exchange of the chosen session.
#[derive(Debug, Default)]
enum Preview {
    /// Nothing was asked for.
    #[default]
    None,
    /// It is being read.
    Reading,
    /// These lines.
    Read(SessionId, Vec<Line<'static>>),
}

/// What was looked for in what was said.
#[derive(Debug, Default)]
enum Search {
    /// Nothing yet.
    #[default]
    None,
    /// It is being looked for.
    Running,
    /// Some sessions have these words.
    Found(String, BTreeSet<SessionId>),
}

/// What can be done with a session of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Offer {
    /// Everything.
    #[default]
    All,
    /// Only to go on there.
    Resume,
}

/// The list of sessions.
#[derive(Debug, Default)]
pub struct Picker {
    /// Where the user is.
    here: PathBuf,
    /// Those of this folder before all others, newest first; `None` while they are being read.
    sessions: Option<Vec<SessionSummary>>,
    list: List,
    preview: Preview,
    search: Search,
    said: String,
    /// The session that is being renamed, and its name so far.
    renaming: Option<(SessionId, String)>,
    /// What the keys are good for.
    offer: Offer,
}

impl Picker {
    /// A list of what can be done, seen from a folder.
    #[must_use]
    pub fn new(here: PathBuf, offer: Offer) -> Self {
        Self {
            here,
            offer,
            ..Self::default()
        }
    }

    /// What can be done here.
    #[must_use]
    pub const fn offer(&self) -> Offer {
        self.offer
    }

    /// The sessions were read.
    pub fn fill(&mut self, mut sessions: Vec<SessionSummary>) {
        sessions.sort_by_key(|session| session.workspace != self.here);
        let (query, marked) = (self.list.query().to_owned(), self.chosen());
        self.list = List::new(sessions.iter().map(searched));
        query.chars().for_each(|letter| self.list.push(letter));
        let at = |id| sessions.iter().position(|one| one.session_id == id);
        if let Some(place) = marked.and_then(at) {
            self.list.choose(place);
        }
        self.sessions = Some(sessions);
    }

    /// Something is to be said.
    pub fn say(&mut self, text: String) {
        self.said = text;
    }

    /// What is said, and which keys there are.
    #[must_use]
    pub fn said(&self) -> &str {
        &self.said
    }

    /// What stands before what is typed, and that.
    #[must_use]
    pub fn typed(&self) -> (&'static str, &str) {
        match &self.renaming {
            Some((_, name)) => (OF_NAME, name),
            None => (list::PROMPT, self.list.query()),
        }
    }

    /// Whether what is typed is a session's name.
    #[must_use]
    pub const fn is_renaming(&self) -> bool {
        self.renaming.is_some()
    }

    fn chosen(&self) -> Option<SessionId> {
        let sessions = self.sessions.as_ref()?;
        Some(sessions.get(self.list.chosen()?)?.session_id)
    }

    /// The session whose last exchange is to be read now, if one is: one at a time.
    pub fn next_preview(&mut self) -> Option<SessionId> {
        let chosen = self.chosen()?;
        match &self.preview {
            Preview::Reading => None,
            Preview::Read(read, _) if *read == chosen => None,
            Preview::Read(..) | Preview::None => {
                self.preview = Preview::Reading;
                Some(chosen)
            }
        }
    }

    /// The words that are to be looked for now in what was said, if any are: one search at a time. What was
    /// found of those that are typed is in the list.
    pub fn next_search(&mut self) -> Option<String> {
        let sessions = self.sessions.as_ref()?;
        let query = self.list.query().trim();
        match &self.search {
            Search::Running => None,
            Search::Found(words, found) if words == query => {
                let all = sessions.iter().enumerate();
                let also = all.filter(|(_, one)| found.contains(&one.session_id));
                self.list.fit_also(also.map(|(at, _)| at).collect());
                None
            }
            _ if query.chars().count() < SAID_CHARS => None,
            _ => {
                let query = query.to_owned();
                self.search = Search::Running;
                Some(query)
            }
        }
    }

    /// These sessions have the words that were looked for.
    pub fn found(&mut self, words: String, sessions: impl IntoIterator<Item = SessionId>) {
        self.search = Search::Found(words, sessions.into_iter().collect());
    }

    /// The last exchange of a session was read.
    pub fn previewed(&mut self, session_id: SessionId, lines: Vec<Line<'static>>) {
        self.preview = Preview::Read(session_id, lines);
    }

    /// A letter to search for, or of a name.
    pub fn push(&mut self, letter: char) {
        match &mut self.renaming {
            Some((_, name)) => {
                if !letter.is_control() && name.chars().count() < SESSION_NAME_CHARACTERS {
                    name.push(letter);
                }
            }
            None => self.list.push(letter),
        }
    }

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent) -> Wish {
        self.said.clear();
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        if self.renaming.is_some() {
            return self.pressed_in_name(key.code, is_ctrl);
        }
        let of_chosen = |wish: fn(SessionId) -> Wish| self.chosen().map_or(Wish::None, wish);
        match key.code {
            KeyCode::Esc => return Wish::Close,
            KeyCode::Char('c' | 'd' | 'g') if is_ctrl => return Wish::Close,
            KeyCode::Char('f') if is_ctrl => return of_chosen(Wish::Fork),
            KeyCode::Char('r') if is_ctrl && self.offer == Offer::All => self.begin_renaming(),
            KeyCode::Char('e') if is_ctrl => return of_chosen(Wish::Export),
            KeyCode::Enter => return of_chosen(Wish::Resume),
            _ => self.list.pressed(key),
        }
        Wish::None
    }

    fn begin_renaming(&mut self) {
        let sessions = self.sessions.as_deref().unwrap_or_default();
        let chosen = self.list.chosen().and_then(|at| sessions.get(at));
        self.renaming = chosen.map(|one| {
            let title = one.title.trim_end_matches('…').chars();
            let title = title.filter(|letter| !letter.is_control());
            (
                one.session_id,
                title.take(SESSION_NAME_CHARACTERS).collect(),
            )
        });
    }

    fn pressed_in_name(&mut self, code: KeyCode, is_ctrl: bool) -> Wish {
        let Some((id, name)) = &mut self.renaming else {
            return Wish::None;
        };
        match code {
            KeyCode::Esc => self.renaming = None,
            KeyCode::Char('c' | 'd' | 'g') if is_ctrl => self.renaming = None,
            KeyCode::Char('u') if is_ctrl => name.clear(),
            KeyCode::Backspace => drop(name.pop()),
            KeyCode::Char(letter) if !is_ctrl => self.push(letter),
            KeyCode::Enter => {
                let wish = Wish::Rename(*id, std::mem::take(name));
                self.renaming = None;
                return wish;
            }
            _ => {}
        }
        Wish::None
    }

    /// The rows for a width and height, and the keys below them.
    #[must_use]
    pub fn rows(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let (fitting, all) = self.list.counts();
        let count = match (&self.sessions, &self.search) {
            (None, _) => "reading…".to_owned(),
            (Some(_), Search::Running) => format!("{fitting} of {all}, searching…"),
            (Some(_), _) => format!("{fitting} of {all}"),
        };
        let preview_rows = if height >= 12 { height / 3 } else { 0 };
        let list_rows = height.saturating_sub(preview_rows);
        let sessions = self.sessions.as_deref().unwrap_or_default();
        let entry = |at: usize| sessions.get(at).map(|one| entry(one, &self.here, width));
        let mut rows = self.list.rows((width, list_rows), &count, entry);
        if let (Some((_, name)), Some(first)) = (&self.renaming, rows.first_mut()) {
            let name = Span::raw(visible_line(name));
            *first = Line::from(vec![Span::styled(OF_NAME, strong()), name]);
        }
        rows.resize(height.saturating_sub(preview_rows), Line::default());
        rows.extend(self.preview_rows(width, preview_rows));
        rows
    }

    fn preview_rows(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        if height == 0 {
            return Vec::new();
        }
        let mut rows = vec![Line::styled(cut("── last exchange", width), faint())];
        match &self.preview {
            Preview::Read(id, lines) if self.chosen() == Some(*id) => {
                let broken = lines
                    .iter()
                    .flat_map(|line| crate::lines::wrapped(line, 4, width));
                rows.extend(broken.take(height - 1));
            }
            Preview::Reading => rows.push(Line::styled("reading…", faint())),
            Preview::Read(..) | Preview::None => {}
        }
        rows
    }
}

/// What of a session is searched.
fn searched(session: &SessionSummary) -> String {
    let folder = session.workspace.to_string_lossy();
    let title = cut(&session.title, TITLE_COLUMNS);
    format!("{title} {folder} {}", session.session_id)
}

/// A session on one line; with the name of its folder, where that is another one.
fn entry(session: &SessionSummary, here: &Path, width: usize) -> String {
    let id = session.session_id.to_string();
    let end = id.get(id.len().saturating_sub(ID_CHARS)..).unwrap_or(&id);
    let title = match session.title.as_str() {
        "" => "(nothing was asked)".to_owned(),
        title => safe(&visible_line(&cut(title, TITLE_COLUMNS))),
    };
    let folder = session.workspace.file_name().unwrap_or_default();
    let place = match session.workspace == here {
        true => String::new(),
        false => format!("in {}: ", safe(&visible_line(&folder.to_string_lossy()))),
    };
    let live = if session.live { "*" } else { " " };
    let time = moments::here(session.updated);
    match width {
        0..60 => format!("{live}{place}{title} …{end}"),
        _ => format!("{live}{time} …{end} {place}{title}"),
    }
}
