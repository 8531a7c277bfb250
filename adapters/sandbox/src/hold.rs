//! Having a running program stand still: what is said to its inside, and what is heard of that.

use crate::wire::{CHECK, Event, GO_ON, PAUSE, START};
use api::sandbox::{Hold, Pause, Refusal};
use async_trait::async_trait;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Longest that the inside may take to answer.
const ANSWER: Duration = Duration::from_secs(15);

/// Answers so far, and whether the last one was that everything stands still.
type Answers = (u64, bool);

/// What is made of the events of one program while it runs.
pub(crate) struct Hearing {
    ready: Option<oneshot::Sender<()>>,
    began: Option<oneshot::Sender<()>>,
    answers: watch::Sender<Answers>,
    /// Where nobody else says when it is to start.
    starts: Option<File>,
}

/// Where what is made of them is heard.
pub(crate) struct Heard {
    pub(crate) ready: oneshot::Receiver<()>,
    pub(crate) began: oneshot::Receiver<()>,
    pub(crate) answers: watch::Receiver<Answers>,
}

impl Hearing {
    pub(crate) fn new() -> (Self, Heard) {
        let (ready, is_ready) = oneshot::channel();
        let (began, has_begun) = oneshot::channel();
        let (answers, paused) = watch::channel((0, false));
        let hearing = Self {
            ready: Some(ready),
            began: Some(began),
            answers,
            starts: None,
        };
        let heard = Heard {
            ready: is_ready,
            began: has_begun,
            answers: paused,
        };
        (hearing, heard)
    }

    /// Has the program start as soon as it can.
    pub(crate) fn start_when_ready(&mut self, line: File) {
        self.starts = Some(line);
    }

    pub(crate) fn hear(&mut self, event: &Event) {
        match event {
            Event::Ready { .. } => {
                // Nobody need wait for it.
                let _told = self.ready.take().map(|ready| ready.send(()));
                if let Some(mut line) = self.starts.take() {
                    // A line that is cut has nobody to start.
                    let _said = line.write_all(&[START]);
                }
            }
            Event::Began => {
                let _told = self.began.take().map(|began| began.send(()));
            }
            Event::Paused { done } => {
                self.answers.send_modify(|(count, last)| {
                    *count += 1;
                    *last = *done;
                });
            }
            _ => {}
        }
    }
}

/// Speaks to the inside of one program.
pub(crate) struct Holding {
    line: File,
    asked: AtomicU64,
    answers: watch::Receiver<Answers>,
}

impl Holding {
    pub(crate) fn new(line: File, answers: watch::Receiver<Answers>) -> Self {
        Self {
            line,
            asked: AtomicU64::new(0),
            answers,
        }
    }

    fn say(&self, order: u8) -> std::io::Result<()> {
        (&self.line).write_all(&[order])
    }

    /// Says something that is answered; `None` where nobody answers any more.
    async fn ask(&self, order: u8) -> Result<Option<bool>, Refusal> {
        let this = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if self.say(order).is_err() {
            // The line is cut when the program has ended.
            return Ok(None);
        }
        let mut answers = self.answers.clone();
        let answer = answers.wait_for(|(count, _)| *count >= this);
        match tokio::time::timeout(ANSWER, answer).await {
            Ok(Ok(answer)) => Ok(Some(answer.1)),
            // Nobody listens to a program that has ended.
            Ok(Err(_)) => Ok(None),
            Err(_late) => Err(moving("it does not answer")),
        }
    }
}

#[async_trait]
impl Hold for Holding {
    fn start(&self) -> Result<(), Refusal> {
        let told = self.say(START);
        told.map_err(|error| Refusal::Broken(format!("the program cannot be started: {error}")))
    }

    async fn pause(&self) -> Result<Pause, Refusal> {
        match self.ask(PAUSE).await? {
            Some(true) => Ok(Pause::Still),
            // One that goes on when it is stopped is ended.
            Some(false) | None => Ok(Pause::Ending),
        }
    }

    async fn check(&self) -> Result<(), Refusal> {
        match self.ask(CHECK).await? {
            Some(true) => Ok(()),
            Some(false) => Err(moving("it had itself woken, and was ended")),
            None => Err(moving("it ended meanwhile")),
        }
    }

    fn go_on(&self) {
        // Nobody left is nobody to tell.
        let _said = self.say(GO_ON);
    }
}

fn moving(why: &str) -> Refusal {
    Refusal::Broken(format!("a running program cannot be paused: {why}"))
}
