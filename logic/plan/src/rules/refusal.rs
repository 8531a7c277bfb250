//! A request that was not planned, why, and what works instead.

use super::examples::nearest;
use super::words::REQUEST_BYTES;
use domain::fault::Coded;

/// Why a request was not planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// No rule fits.
    NotUnderstood,
    /// It says what not to do.
    Negated,
    /// It asks about something instead of asking for it.
    Question,
    /// It may be meant in more than one way.
    Ambiguous,
    /// It is a shell command.
    Shell,
    /// It is understood, and is not among the things that can be done here.
    Unavailable,
    /// It is empty or too long.
    Size,
    /// It asks what can be done; the message says it.
    Help,
}

/// What a small model may make of a refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// A plan, where it is no order, or one that is not understood.
    ByKind,
    /// A plan: a text is wanted that any model may write.
    ToAnyModel,
    /// Nothing: it would do more, or something else, than is asked.
    ToNone,
}

/// An order that a refusal offers once it is proven on a copy of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The ways to say it, the nearest first.
    pub forms: Vec<String>,
    /// What the text of the file that was read is after it.
    pub after: String,
    /// What to do where no way to say it does that.
    pub otherwise: String,
}

/// What is said of a change beside doing it: what stays as it was, and the order that changes it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The stable code.
    pub code: &'static str,
    /// What stays.
    pub message: String,
    /// The words before the order.
    pub before_offer: &'static str,
    /// The order, of the file as it is after the change.
    pub offer: Option<Offer>,
}

/// A request that was not planned, and what works instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Why.
    pub kind: RefusalKind,
    /// What was understood and why it is not done, for the user.
    pub message: String,
    /// The nearest things that work, each an order that the user could type.
    pub nearest: Vec<String>,
    /// Orders that do one thing in the file that was read: none of them is shown unproven.
    pub offers: Vec<Offer>,
    /// What to do instead, in words that are no order.
    pub advice: Option<String>,
    /// Whether it is only that a file does not have what is spoken of.
    pub is_absent: bool,
    /// What a small model may make of it.
    pub left: Left,
}

impl Coded for Refusal {
    fn code(&self) -> &'static str {
        match self.kind {
            RefusalKind::NotUnderstood => "plan.not_understood",
            RefusalKind::Negated => "plan.negated",
            RefusalKind::Question => "plan.question",
            RefusalKind::Ambiguous => "plan.ambiguous",
            RefusalKind::Shell => "plan.shell_command",
            RefusalKind::Unavailable => "plan.unavailable",
            RefusalKind::Size => "plan.request_size",
            RefusalKind::Help => "plan.help",
        }
    }

    fn message(&self) -> String {
        self.message.clone()
    }

    fn hint(&self) -> String {
        let nearest = self.nearest.join(" | ");
        let tries = match self.kind {
            _ if nearest.is_empty() => String::new(),
            RefusalKind::NotUnderstood => format!(
                "Try: {nearest}. Names with spaces go in quotes; the task `help` lists all that works."
            ),
            _ => format!("Try: {nearest}"),
        };
        match (&self.advice, tries.is_empty()) {
            (None, _) => tries,
            (Some(advice), true) => advice.clone(),
            // What is pasted stands last.
            (Some(advice), false) => format!("{advice} {tries}"),
        }
    }
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, message: String, nearest: Vec<String>) -> Self {
        Self {
            kind,
            message,
            nearest,
            offers: Vec::new(),
            advice: None,
            is_absent: false,
            left: Left::ByKind,
        }
    }

    /// Whether it counts for a small model as well: of an order what is understood, and may be more
    /// or less than what was meant, is not left to a guess.
    #[must_use]
    pub fn stands(&self, is_order: bool) -> bool {
        let is_understood = match self.kind {
            RefusalKind::Shell
            | RefusalKind::Unavailable
            | RefusalKind::Negated
            | RefusalKind::Ambiguous => true,
            RefusalKind::NotUnderstood
            | RefusalKind::Question
            | RefusalKind::Size
            | RefusalKind::Help => false,
        };
        match self.left {
            Left::ByKind => is_order && is_understood,
            Left::ToAnyModel => false,
            Left::ToNone => true,
        }
    }

    /// The same refusal, with what to do instead in words.
    pub(crate) fn advised(self, advice: impl Into<String>) -> Self {
        Self {
            advice: Some(advice.into()),
            ..self
        }
    }

    /// The same refusal, with orders that are to be proven.
    pub(super) fn offering(self, offers: Vec<Offer>) -> Self {
        Self { offers, ..self }
    }

    /// The same refusal, of what a model may do: to write a text that is asked for.
    pub(super) fn for_a_model(self) -> Self {
        Self {
            left: Left::ToAnyModel,
            ..self
        }
    }

    /// The same refusal, of what a small model would do too much of.
    pub(super) fn for_no_model(self) -> Self {
        Self {
            left: Left::ToNone,
            ..self
        }
    }

    /// A file does not have what is spoken of.
    pub(super) fn absent(why: String, nearest: Vec<String>) -> Self {
        Self {
            is_absent: true,
            ..Self::ambiguous(why, nearest)
        }
    }

    pub(super) fn too_long(bytes: usize) -> Self {
        let most = REQUEST_BYTES;
        let message = format!(
            "The request has {bytes} bytes; without a model I read at most {most}. Nothing was done."
        );
        Self::new(RefusalKind::Size, message, Vec::new())
    }

    pub(super) fn empty() -> Self {
        let message = "There is nothing to do: the request is empty.".to_owned();
        Self::new(RefusalKind::Size, message, nearest(""))
    }

    pub(crate) fn too_many_steps(steps: usize) -> Self {
        let most = domain::limits::PLAN_ACTIONS;
        let message = format!(
            "The request has {steps} steps; one plan has at most {most}. Nothing was done."
        );
        Self::new(RefusalKind::Size, message, Vec::new())
    }

    pub(super) fn asked_or_ordered(step: &str) -> Self {
        let message = format!(
            "`{step}?` may be a question or an order, and it would change something, so I did nothing."
        );
        Self::new(RefusalKind::Ambiguous, message, vec![step.to_owned()])
    }

    pub(super) fn ambiguous(why: String, nearest: Vec<String>) -> Self {
        Self::new(
            RefusalKind::Ambiguous,
            format!("{why} Nothing was done."),
            nearest,
        )
    }

    /// The same refusal, which also says what is done with a folder of that name.
    pub(super) fn of_folder(mut self, rule: &str) -> Self {
        self.message.push_str(&format!(" {rule}"));
        self
    }

    /// Of a request that may be an order whose verb is misspelt.
    pub(super) fn misspelt(text: &str, order: String) -> Self {
        let word = text.split_whitespace().next().unwrap_or_default();
        let verb = order.split_whitespace().next().unwrap_or_default();
        let why = format!("`{word}` may be a slip for `{verb}`.");
        Self::ambiguous(why, vec![order]).for_no_model()
    }

    /// Of a request that says what not to do.
    pub(super) fn negated(shown: &str) -> Self {
        let message = format!(
            "`{shown}` says what not to do, or has a `not` that I cannot be sure about, so I did nothing. Texts to write or look for go in quotes."
        );
        Self::new(RefusalKind::Negated, message, Vec::new())
    }

    pub(super) fn unavailable(why: &str, nearest: Vec<String>) -> Self {
        Self::new(
            RefusalKind::Unavailable,
            format!("{why} Nothing was done."),
            nearest,
        )
    }
}
