//! The models or the modes there are, to choose one.

use crate::list::List;
use api::models::ModelInfo;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::model::{ModelChoice, ModelRef};
use domain::settings::{Mode, SessionProfile};
use ratatui::text::Line;
use rendering::slash::all_modes;
use rendering::values::{bytes, grouped};
use text::escape::visible_line;

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// This model; `None`: what suits the type of the agent.
    Model(Option<ModelRef>),
    /// This mode.
    Mode(Mode),
}

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Choose this.
    Take(Choice),
}

#[derive(Debug)]
struct Entry {
    row: String,
    choice: Choice,
}

/// The list of them.
#[derive(Debug)]
pub struct Options {
    /// What stands above it.
    pub title: &'static str,
    /// `None` while they are being read.
    entries: Option<Vec<Entry>>,
    list: List,
}

impl Options {
    /// The modes, with the one in use marked.
    #[must_use]
    pub fn of_modes(now: Mode) -> Self {
        let mut options = Self {
            title: "modes: type to search",
            entries: None,
            list: List::default(),
        };
        let modes = all_modes().into_iter();
        let entries = modes.map(|(mode, about)| {
            let text = format!("{:14}{about}", mode.as_str());
            (text, Choice::Mode(mode), mode == now)
        });
        options.fill(entries.collect());
        options
    }

    /// The models, which are being read.
    #[must_use]
    pub fn of_models() -> Self {
        Self {
            title: "models: type to search",
            entries: None,
            list: List::default(),
        }
    }

    /// Whether it waits for the models.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        self.entries.is_none()
    }

    /// The models were read. `next`: the one that is asked where none is chosen.
    pub fn models(
        &mut self,
        profile: &SessionProfile,
        next: Option<&ModelRef>,
        known: &[ModelInfo],
    ) {
        let whose = &profile.agent_type;
        let now = next.map_or_else(String::new, |model| format!(", now {model}"));
        let default = (
            format!("default: what suits the agent type {whose}{now}"),
            Choice::Model(None),
            profile.model.is_none(),
        );
        let models = known.iter().map(|info| {
            let exact = ModelChoice::Exact(info.model.clone());
            let is_in_use = profile.model.as_ref() == Some(&exact);
            (
                about(info),
                Choice::Model(Some(info.model.clone())),
                is_in_use,
            )
        });
        let entries = [default].into_iter().chain(models);
        self.fill(entries.collect());
    }

    /// Puts entries in, each with whether it is in use; what was typed narrows them.
    fn fill(&mut self, entries: Vec<(String, Choice, bool)>) {
        let query = self.list.query().to_owned();
        self.list = List::new(entries.iter().map(|(text, ..)| text.clone()));
        if let Some(at) = entries.iter().position(|(_, _, is_in_use)| *is_in_use) {
            self.list.choose(at);
        }
        query.chars().for_each(|letter| self.list.push(letter));
        let entry = |(text, choice, is_in_use): (String, Choice, bool)| Entry {
            row: format!(
                " {} {}",
                if is_in_use { '*' } else { ' ' },
                visible_line(&text)
            ),
            choice,
        };
        self.entries = Some(entries.into_iter().map(entry).collect());
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

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent) -> Wish {
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Wish::Close,
            KeyCode::Char('c' | 'd' | 'g') if is_ctrl => return Wish::Close,
            KeyCode::Enter => {
                let all = self.entries.as_deref().unwrap_or_default();
                let chosen = self.list.chosen().and_then(|at| all.get(at));
                return chosen.map_or(Wish::None, |one| Wish::Take(one.choice.clone()));
            }
            _ => self.list.pressed(key),
        }
        Wish::None
    }

    /// The rows for a width and height.
    #[must_use]
    pub fn rows(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let (fitting, all) = self.list.counts();
        let entries = self.entries.as_deref();
        let count = match entries {
            None => "reading…".to_owned(),
            Some(_) => format!("{fitting} of {all}"),
        };
        let entry = |at: usize| Some(entries?.get(at)?.row.clone());
        self.list.rows((width, height), &count, entry)
    }
}

/// A model with what is known of it.
fn about(info: &ModelInfo) -> String {
    let context = info.context_tokens;
    let context = context.map(|tokens| format!("{} tokens", grouped(u64::from(tokens))));
    let roles: Vec<&str> = info.roles.iter().map(|role| role.as_str()).collect();
    let roles = (!roles.is_empty()).then(|| roles.join(", "));
    let facts = [context, info.size_bytes.map(bytes), roles];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    match facts.is_empty() {
        true => info.model.to_string(),
        false => format!("{}: {}", info.model, facts.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::profile;
    use domain::model::ModelRole;

    fn info(name: &str) -> ModelInfo {
        ModelInfo {
            model: name.parse().unwrap(),
            context_tokens: Some(8_192),
            size_bytes: None,
            class: None,
            loaded: None,
            roles: vec![ModelRole::Fast],
        }
    }

    fn press(options: &mut Options, code: KeyCode) -> Wish {
        options.pressed(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn the_one_in_use_is_marked_and_enter_chooses() {
        let mut options = Options::of_models();
        assert_eq!(press(&mut options, KeyCode::Enter), Wish::None);
        assert!(options.is_reading());
        let known = [info("work/one"), info("work/two\u{1b}[2J")];
        let mut profile = profile();
        profile.model = Some(ModelChoice::Exact(known[1].model.clone()));
        options.models(&profile, Some(&known[0].model), &known);
        let rows: Vec<String> = options
            .rows(80, 10)
            .iter()
            .map(ToString::to_string)
            .collect();
        let all = rows.join("\n");
        assert!(
            all.contains("   default: what suits the agent type"),
            "{all}"
        );
        assert!(all.contains("now work/one"), "{all}");
        assert!(all.contains(" * work/two"), "{all}");
        assert!(!all.contains('\u{1b}'), "{all}");
        let takes = |model: Option<&ModelInfo>| {
            Wish::Take(Choice::Model(model.map(|info| info.model.clone())))
        };
        assert_eq!(press(&mut options, KeyCode::Enter), takes(Some(&known[1])));
        "one 8 192".chars().for_each(|letter| options.push(letter));
        options.pressed(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        assert_eq!(press(&mut options, KeyCode::Enter), takes(None));
    }

    #[test]
    fn the_mode_in_use_is_marked() {
        let mut options = Options::of_modes(Mode::Plan);
        let takes = |mode| Wish::Take(Choice::Mode(mode));
        assert_eq!(press(&mut options, KeyCode::Enter), takes(Mode::Plan));
        "planner".chars().for_each(|letter| options.push(letter));
        assert_eq!(press(&mut options, KeyCode::Enter), takes(Mode::Bridge));
        assert_eq!(press(&mut options, KeyCode::Esc), Wish::Close);
        assert!(options.rows(40, 5).len() <= 5);
    }
}
