//! A chat and the process that serves it: the first to start serves those that come later. When it
//! ends, one of them goes on in its place.

use super::conversation::Chat;
use crate::exit::{describe, not_opened};
use crate::notes::Seen;
use crate::printer::SharedPrinter;
use crate::watcher::SessionWatcher;
use anyhow::Result;
use api::sessions::{ErrorKind, OpenRequest};
use domain::settings::Mode;
use rendering::Paint;
use rendering::slash::is_command;
use std::io;
use text::escape::visible_lines;

/// What is said where services live and have let go of the session.
const LET_GO: &str = "this session was closed where it is served; opening it again";
/// What is said of a process that is no more.
const GONE: &str = "the carl that served this chat has ended; going on without it";

impl Chat<'_> {
    /// Goes on where what served this chat has ended, if it has.
    ///
    /// # Errors
    /// When it cannot; the next line tries again.
    pub(super) async fn be_served(&mut self) -> Result<()> {
        if !self.host.is_gone().await {
            return Ok(());
        }
        // Where nobody may work for this chat, the reason is all there is to say.
        self.take_over().await?;
        self.tell(GONE)?;
        self.see_what_was_left().await
    }

    /// Opens the session as it stands on disk: where services answer, or else in this process, or in
    /// another that was faster.
    async fn take_over(&mut self) -> Result<()> {
        if self.host.is_gone().await {
            self.host.reopen().await?;
        }
        let request = OpenRequest::Resume {
            session_id: self.session.session_id,
            profile: Some(self.profile.clone()),
        };
        let opened = self.host.sessions().open(request).await;
        self.session = opened.map_err(|error| not_opened(&error))?;
        self.notes = Seen::now(&self.workspace);
        self.watcher = None;
        Ok(())
    }

    /// Says what went wrong, and goes on without what is gone: a line that did not get there after
    /// the event with the number `shown_seq` is said again.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub(super) async fn complain_of(
        &mut self,
        error: &anyhow::Error,
        (typed, shown_seq): (&str, u64),
    ) -> Result<()> {
        let why = match self.host.is_gone().await {
            true => GONE,
            false if is_let_go(error) => LET_GO,
            false => return self.complain(error),
        };
        let taken = match self.take_over().await {
            Ok(()) => {
                self.tell(why)?;
                self.ask_what_was_not_heard(typed, shown_seq).await
            }
            failed => failed,
        };
        self.or_complain(taken)
    }

    /// Shows what was left, and says what was typed unless the session has it already.
    async fn ask_what_was_not_heard(&mut self, typed: &str, shown_seq: u64) -> Result<()> {
        self.see_what_was_left().await?;
        // What /retry took back is in the session no more.
        let again = self.asks_again.take();
        let typed = again.as_deref().unwrap_or(typed);
        let view = self.so_far().await?;
        let mut requests = view.exchanges().standing().iter();
        let was_heard = requests.any(|one| one.received_seq > shown_seq && one.text == typed);
        let is_for_shell = again.is_none() && self.runs(typed);
        if is_for_shell && !was_heard {
            return self.tell("it was not run: type it again to run it");
        }
        let is_command = again.is_none() && is_command(typed);
        if is_command || typed.is_empty() || was_heard {
            return Ok(());
        }
        self.say(typed).await
    }

    /// Looks on anew when what the drive does is no longer seen: without what is gone, if that is why.
    pub(super) async fn look_again(&mut self, printer: &SharedPrinter) {
        let seen = self.watcher.take().map_or(0, |watcher| watcher.seen());
        let seen = seen.max(self.view.last_seq);
        self.view.last_seq = seen;
        // Without a drive there is nothing to go on with until the next line is typed: whatever
        // served is given the time to come back.
        if self.profile.mode != Mode::Auto {
            return;
        }
        let begun = match self.host.is_gone().await {
            true => self.look_anew(printer, seen, GONE).await,
            false => match self.look(printer, seen).await {
                Err(error) if is_let_go(&error) => self.look_anew(printer, seen, LET_GO).await,
                begun => begun,
            },
        };
        match begun {
            Ok(watcher) => {
                self.view.told = Some(watcher.shown_elsewhere());
                self.watcher = Some(watcher);
            }
            Err(error) => {
                let (_, fault) = describe(&error);
                let head = Paint::for_stream(&io::stderr()).bad("error:");
                let (what, how) = (visible_lines(&fault.message), visible_lines(&fault.hint));
                printer.print(format!("{head} {what}\n  {how}\n"));
            }
        }
    }

    async fn look_anew(
        &mut self,
        printer: &SharedPrinter,
        seen: u64,
        why: &str,
    ) -> Result<SessionWatcher> {
        self.take_over().await?;
        printer.print(format!("{why}\n"));
        self.look(printer, seen).await
    }
}

/// Whether the services do not have the session open for this chat any more.
pub(super) fn is_let_go(error: &anyhow::Error) -> bool {
    describe(error).1.code == ErrorKind::NotFound.code()
}
