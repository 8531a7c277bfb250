//! What shows that work goes on while nothing else is shown.

use crate::Paint;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Silence after which it is shown that work goes on.
const QUIET: Duration = Duration::from_secs(1);
/// Silence after which a line says so once more, and for a pipe the first time.
const QUIET_BETWEEN_LINES: Duration = Duration::from_secs(30);
/// How often a spinner turns.
const TURN: Duration = Duration::from_millis(120);

/// How silence is filled while work goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// A spinner in a line that is drawn again and again; for a pipe a line now and then.
    Spinner,
    /// A line now and then, so that what is typed meanwhile stays on the screen.
    Lines,
}

/// The sign that work goes on.
#[derive(Debug)]
pub(super) struct Pulse {
    kind: Silence,
    is_pipe: bool,
    spinner: Option<ProgressBar>,
    /// How often it was said in a line, since the request began.
    said: u32,
    began: Instant,
}

impl Pulse {
    pub(super) fn new(kind: Silence, paint: Paint) -> Self {
        Self {
            kind,
            is_pipe: paint == Paint::Plain,
            spinner: None,
            said: 0,
            began: Instant::now(),
        }
    }

    /// A request begins.
    pub(super) fn begin(&mut self) {
        self.clear();
        (self.said, self.began) = (0, Instant::now());
    }

    /// Takes the spinner off the screen.
    pub(super) fn clear(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }

    /// How long to wait before [`Pulse::beat`].
    pub(super) const fn patience(&self) -> Duration {
        match (self.kind, self.is_pipe) {
            (Silence::Spinner, false) if self.spinner.is_some() => TURN,
            (Silence::Lines, false) if self.said > 0 => QUIET_BETWEEN_LINES,
            (_, true) => QUIET_BETWEEN_LINES,
            (_, false) => QUIET,
        }
    }

    /// Nothing has happened for a while: turns the spinner, or has a line to be said.
    pub(super) fn beat(&mut self) -> Option<String> {
        let elapsed = self.began.elapsed();
        if self.kind == Silence::Spinner && !self.is_pipe {
            self.spinner
                .get_or_insert_with(spinner)
                .set_message(words(elapsed));
            if let Some(spinner) = &self.spinner {
                spinner.tick();
            }
            return None;
        }
        self.said = self.said.saturating_add(1);
        Some(match (self.kind, self.said) {
            (Silence::Lines, 1) => "working; what you type now is queued".to_owned(),
            _ => format!("still working, {}", words(elapsed)),
        })
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} working, {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}

/// Whole seconds, and minutes where there are some.
fn words(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} min {} s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_told_now_and_then_and_a_chat_at_once() {
        for kind in [Silence::Spinner, Silence::Lines] {
            let mut pipe = Pulse::new(kind, Paint::Plain);
            assert_eq!(pipe.patience(), QUIET_BETWEEN_LINES);
            assert!(pipe.beat().is_some());
        }
        let mut chat = Pulse::new(Silence::Lines, Paint::Colour);
        assert_eq!(chat.patience(), QUIET);
        assert!(chat.beat().unwrap().contains("is queued"));
        assert_eq!(chat.patience(), QUIET_BETWEEN_LINES);
        assert!(chat.beat().unwrap().starts_with("still working, "));
        chat.begin();
        assert!(chat.beat().unwrap().contains("is queued"));
    }

    #[test]
    fn a_spinner_needs_no_lines() {
        let mut run = Pulse::new(Silence::Spinner, Paint::Colour);
        assert_eq!(run.beat(), None);
        assert_eq!(run.patience(), TURN);
        run.clear();
        assert_eq!(run.patience(), QUIET);
    }

    #[test]
    fn time_is_told_in_minutes_and_seconds() {
        let told = |seconds| words(Duration::from_secs(seconds));
        assert_eq!(
            (told(7), told(61)),
            ("7 s".to_owned(), "1 min 1 s".to_owned())
        );
    }
}
