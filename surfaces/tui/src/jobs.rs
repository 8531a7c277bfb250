//! The list of programs that run or ran, to look at what one of them says.

use crate::lines::{cut, faint, safe, strong};
use crate::programs::{name, standing};
use api::programs::{Program, ProgramId, ProgramState};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

/// Entries that PageUp and PageDown go.
const PAGE: usize = 10;

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Show what this one says.
    Open(ProgramId),
    /// Stop this one.
    Stop(ProgramId),
}

/// Which of them is marked. They come from the session each time: one may begin or end meanwhile.
#[derive(Debug, Default)]
pub struct Jobs {
    marked: Option<ProgramId>,
    /// What came of the last key.
    pub said: String,
}

impl Jobs {
    /// A list in which this one is marked.
    #[must_use]
    pub const fn at(id: ProgramId) -> Self {
        Self {
            marked: Some(id),
            said: String::new(),
        }
    }

    /// The programs were told of: without a mark, the one that began last and runs is marked.
    pub fn told(&mut self, all: &[Program]) {
        if self.at_place(all).is_none() {
            let running = all.iter().rfind(|one| one.state == ProgramState::Running);
            self.marked = running.or(all.last()).map(|one| one.id.clone());
        }
    }

    fn at_place(&self, all: &[Program]) -> Option<usize> {
        all.iter()
            .position(|one| Some(&one.id) == self.marked.as_ref())
    }

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent, all: &[Program]) -> Wish {
        self.said.clear();
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let at = self.at_place(all).unwrap_or(0);
        let last = all.len().saturating_sub(1);
        let to = match key.code {
            KeyCode::Esc => return Wish::Close,
            KeyCode::Char('c' | 'd') if is_ctrl => return Wish::Close,
            KeyCode::Char('q') if !is_ctrl => return Wish::Close,
            KeyCode::Enter => {
                let marked = self.at_place(all).and_then(|at| all.get(at));
                return marked.map_or(Wish::None, |one| Wish::Open(one.id.clone()));
            }
            KeyCode::Delete => return self.stop(all),
            KeyCode::Char('d') if !is_ctrl => return self.stop(all),
            KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => at + 1,
            KeyCode::PageUp => at.saturating_sub(PAGE),
            KeyCode::PageDown => at + PAGE,
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            _ => return Wish::None,
        };
        self.marked = all.get(to.min(last)).map(|one| one.id.clone());
        Wish::None
    }

    /// Has the marked one stopped, if it runs.
    fn stop(&mut self, all: &[Program]) -> Wish {
        match self.at_place(all).and_then(|at| all.get(at)) {
            Some(one) if one.state == ProgramState::Running => Wish::Stop(one.id.clone()),
            Some(one) => {
                self.said = format!("{} has ended already", name(&one.id));
                Wish::None
            }
            None => Wish::None,
        }
    }

    /// The rows for a width and height; `None`: nothing was told yet.
    #[must_use]
    pub fn rows(
        &self,
        all: Option<&[Program]>,
        (width, height): (usize, usize),
    ) -> Vec<Line<'static>> {
        let all = match all {
            None => return vec![Line::styled("reading…", faint())],
            Some([]) => {
                let text = "no program runs, and no output of a job is kept";
                return vec![Line::styled(cut(text, width), faint())];
            }
            Some(all) => all,
        };
        let at = self.at_place(all);
        let from = at.map_or(0, |at| (at + 1).saturating_sub(height));
        let shown = all.iter().enumerate().skip(from).take(height);
        let rows = shown.map(|(number, one)| {
            let (mark, style) = match at == Some(number) {
                true => ("*", strong().add_modifier(Modifier::REVERSED)),
                false => (" ", Style::new()),
            };
            let (name, standing) = (name(&one.id), standing(one));
            let row = format!("{mark} {name}: {standing}: $ {}", safe(&one.command));
            Line::styled(cut(&row, width), style)
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{program, said};

    fn press(jobs: &mut Jobs, code: KeyCode, all: &[Program]) -> Wish {
        jobs.pressed(KeyEvent::new(code, KeyModifiers::NONE), all)
    }

    #[test]
    fn the_list_leads_to_the_marked_one_and_to_no_other() {
        let mut all: Vec<Program> = (5..8).map(|number| program(number, said("", ""))).collect();
        all[2].state = ProgramState::Ended("exit code 0 after 1 s".to_owned());
        let opens = |number: usize| Wish::Open(all[number].id.clone());
        let mut jobs = Jobs::default();
        assert_eq!(press(&mut jobs, KeyCode::Enter, &all), Wish::None);
        jobs.told(&all);
        assert_eq!(press(&mut jobs, KeyCode::Enter, &all), opens(1));
        press(&mut jobs, KeyCode::Down, &all);
        press(&mut jobs, KeyCode::Down, &all);
        assert_eq!(press(&mut jobs, KeyCode::Enter, &all), opens(2));
        // One that has ended is not stopped.
        assert_eq!(press(&mut jobs, KeyCode::Char('d'), &all), Wish::None);
        assert_eq!(jobs.said, "a call has ended already");
        press(&mut jobs, KeyCode::Up, &all);
        let stops = Wish::Stop(all[1].id.clone());
        assert_eq!(press(&mut jobs, KeyCode::Char('d'), &all), stops);
        press(&mut jobs, KeyCode::Home, &all);
        assert_eq!(press(&mut jobs, KeyCode::Enter, &all), opens(0));
        // It is gone meanwhile.
        assert_eq!(press(&mut jobs, KeyCode::Enter, &all[1..]), Wish::None);
        assert_eq!(press(&mut jobs, KeyCode::Delete, &all[1..]), Wish::None);
        assert_eq!(press(&mut jobs, KeyCode::Esc, &[]), Wish::Close);
        assert_eq!(press(&mut jobs, KeyCode::Down, &[]), Wish::None);
    }

    #[test]
    fn its_rows_fit_and_nothing_moves_in_them() {
        let mut all: Vec<Program> = (5..30)
            .map(|number| program(number, said("", "")))
            .collect();
        all[0].command = "echo \u{1b}[2J▎".repeat(40);
        let jobs = Jobs::at(all[20].id.clone());
        for height in 1..30 {
            let rows = jobs.rows(Some(&all), (40, height));
            assert!(rows.len() <= height);
            assert!(rows.iter().any(|row| row.to_string().starts_with('*')));
            assert!(rows.iter().all(|row| row.width() <= 40));
            assert!(
                !rows
                    .iter()
                    .any(|row| row.to_string().contains(['\u{1b}', '▎']))
            );
        }
        assert_eq!(jobs.rows(Some(&[]), (40, 5)).len(), 1);
        assert_eq!(jobs.rows(None, (40, 5)).len(), 1);
    }
}
