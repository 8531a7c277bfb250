//! What shows that work goes on while nothing else is shown.

use crate::Paint;
use crate::values::grouped;
use domain::model::PromptProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Silence after which it is shown that work goes on.
const QUIET: Duration = Duration::from_secs(1);
/// Silence after which a line says so once more, and for a pipe the first time.
const QUIET_BETWEEN_LINES: Duration = Duration::from_secs(30);
/// How long a line on a terminal about a prompt's progress stands before the next.
const PROGRESS_BETWEEN_LINES: Duration = Duration::from_secs(10);
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
    /// Since when nothing was shown.
    silent: Instant,
    /// How far the prompt is that is being read.
    reading: Option<PromptProgress>,
}

impl Pulse {
    pub(super) fn new(kind: Silence, paint: Paint) -> Self {
        Self {
            kind,
            is_pipe: paint == Paint::Plain,
            spinner: None,
            said: 0,
            began: Instant::now(),
            silent: Instant::now(),
            reading: None,
        }
    }

    /// A request begins.
    pub(super) fn begin(&mut self) {
        self.clear();
        (self.said, self.began) = (0, Instant::now());
    }

    /// Something else is shown: takes the spinner off the screen.
    pub(super) fn clear(&mut self) {
        (self.silent, self.reading) = (Instant::now(), None);
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

    /// A prompt is being read: shows how far it is, or has a line to be said.
    pub(super) fn read(&mut self, progress: PromptProgress) -> Option<String> {
        // What a model does once it has read all of it, its server does not tell.
        self.reading = Some(progress).filter(|it| it.read_tokens < it.total_tokens);
        let patience = match (self.kind, self.is_pipe) {
            (Silence::Spinner, false) => QUIET,
            (Silence::Lines, false) if self.said == 0 => QUIET,
            (Silence::Lines, false) => PROGRESS_BETWEEN_LINES,
            (_, true) => QUIET_BETWEEN_LINES,
        };
        if self.spinner.is_none() && self.silent.elapsed() < patience {
            return None;
        }
        self.beat()
    }

    /// Nothing has happened for a while: turns the spinner, or has a line to be said.
    pub(super) fn beat(&mut self) -> Option<String> {
        let doing = self.doing();
        if self.kind == Silence::Spinner && !self.is_pipe {
            self.spinner.get_or_insert_with(spinner).set_message(doing);
            if let Some(spinner) = &self.spinner {
                spinner.tick();
            }
            return None;
        }
        self.said = self.said.saturating_add(1);
        self.silent = Instant::now();
        Some(match (self.kind, self.said, self.reading) {
            (Silence::Lines, 1, _) => "working; what you type now is queued".to_owned(),
            (_, _, Some(_)) => doing,
            (_, _, None) => format!("still {doing}"),
        })
    }

    /// What goes on, and for how long.
    fn doing(&self) -> String {
        let time = words(self.began.elapsed());
        match self.reading {
            Some(progress) => format!(
                "reading the prompt: {} of {} tokens, {time}",
                grouped(progress.read_tokens),
                grouped(progress.total_tokens)
            ),
            None => format!("working, {time}"),
        }
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {msg}");
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
    fn a_prompt_being_read_is_told_once_it_takes_long() {
        let progress = |read_tokens| PromptProgress {
            read_tokens,
            total_tokens: 40_000,
        };
        let at = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds));
        for (kind, paint, seconds) in [
            (Silence::Spinner, Paint::Plain, 30),
            (Silence::Lines, Paint::Plain, 30),
            (Silence::Lines, Paint::Colour, 10),
        ] {
            let mut pulse = Pulse::new(kind, paint);
            pulse.said = 1;
            pulse.silent = at(seconds - 1).unwrap();
            assert_eq!(pulse.read(progress(2_048)), None, "{kind:?}");
            pulse.silent = at(seconds).unwrap();
            let line = pulse.read(progress(12_288)).unwrap();
            assert_eq!(line, "reading the prompt: 12,288 of 40,000 tokens, 0 s");
            assert_eq!(pulse.read(progress(14_336)), None, "{kind:?}");
        }
        let mut run = Pulse::new(Silence::Spinner, Paint::Colour);
        assert_eq!(run.read(progress(0)), None);
        assert!(run.spinner.is_none());
        run.silent = at(1).unwrap();
        assert_eq!(run.read(progress(0)), None);
        assert!(run.spinner.is_some());
        assert!(run.doing().starts_with("reading the prompt: 0 of"));
        assert_eq!(run.read(progress(40_000)), None);
        assert!(run.doing().starts_with("working, "), "{}", run.doing());
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
