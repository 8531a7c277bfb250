//! What a command of the UI comes to: what the UI does itself, and what the session's services are asked
//! for.

use super::{GoOn, Ui};
use crate::effects::{self, Done};
use crate::host::Host;
use crate::message::{Command, Message};
use crate::{modes, overridden, reading};
use api::sessions::SessionSummary;
use domain::id::SessionId;
use domain::settings::SessionProfile;
use futures::future::LocalBoxFuture;
use rendering::Paint;
use rendering::slash::Slash;
use std::time::Instant;

/// Something under way, and when it begins.
pub enum Work<'a> {
    /// Once all that was asked for before is done.
    InTurn(LocalBoxFuture<'a, Done>),
    /// Now.
    AtOnce(LocalBoxFuture<'a, Done>),
}

impl Ui<'_> {
    /// Does what a message led to, by itself or by the session's services.
    pub(super) fn perform(&mut self, command: Command) {
        match command {
            Command::Print(lines) => self.keep(lines),
            Command::Tell(lines) => self.keep(self.state.told_rows(&lines)),
            Command::GoTo(next) => {
                self.next = Some(GoOn::In(next));
                self.is_over = true;
            }
            Command::HandOver => self.hands_over = true,
            Command::Keep(line) => noted(self.history.add(&line), "typed lines cannot be kept"),
            Command::Call(reason) => noted(modes::call(reason), "the user could not be called"),
            Command::Copy(text) => noted(modes::copy(&text), "the clipboard cannot be written"),
            Command::Redraw => self.is_to_be_emptied = true,
            Command::Leave => self.is_over = true,
            // Done by who takes the message in, which can fail.
            Command::Suspend | Command::Edit(_) => {}
            other => self.begin(other),
        }
    }

    /// Asks the session's services for something, or has it wait for its turn.
    pub(super) fn begin(&mut self, command: Command) {
        let (session, profile) = (self.state.session.clone(), self.state.profile.clone());
        let work = match work(self.host, session, profile, command.clone()) {
            Some(Work::InTurn(_)) if self.in_turn.is_some() => {
                return match said_to_the_agent(&command) {
                    Some(text) if self.takes_back => self.not_sent(text),
                    _ => self.later.push_back(command),
                };
            }
            Some(work) => work,
            None => return,
        };
        match &command {
            // Before the log says so, or it would pass for somebody else's.
            Command::Configure(profile) => self.state.in_force.own(profile),
            Command::SendBy(level, _) => {
                let wide = overridden::wide(&self.state.profile, *level);
                self.state.in_force.own(&wide);
            }
            _ => {}
        }
        match work {
            Work::InTurn(work) => {
                self.takes_back = takes_back(&command);
                self.in_turn = Some(work);
            }
            Work::AtOnce(work) => self.at_once.push(work),
        }
    }

    /// What would wait where nobody sees it, for a question to be answered, stands in the input again.
    fn not_sent(&mut self, text: &str) {
        let text = text.to_owned();
        self.state.input.set(&text);
        let said = "not sent: something is being taken back; Enter sends it once that has ended";
        let line = Paint::Colour.faint(&format!("· {said}"));
        self.take(Instant::now(), Message::Told(vec![line]));
    }
}

/// Whether a command takes exchanges back, which asks the user.
const fn takes_back(command: &Command) -> bool {
    matches!(
        command,
        Command::RewindTo(_) | Command::Run(Slash::Undo(_) | Slash::Rewind(_))
    )
}

/// What a command says to the agent.
fn said_to_the_agent(command: &Command) -> Option<&str> {
    match command {
        Command::Send(text)
        | Command::SendBefore(_, text)
        | Command::Execute(_, text)
        | Command::SendBy(_, text) => Some(text),
        _ => None,
    }
}

/// What a command asks for; `None`: nothing of the services.
pub fn work(
    host: &dyn Host,
    session: SessionSummary,
    profile: SessionProfile,
    command: Command,
) -> Option<Work<'_>> {
    use Work::{AtOnce, InTurn};
    let id = session.session_id;
    Some(match command {
        Command::Send(text) => InTurn(Box::pin(effects::send(host, session, profile, text))),
        Command::SendBefore(behind, text) => InTurn(Box::pin(effects::send_before(
            host,
            session,
            profile,
            (behind, text),
        ))),
        Command::Execute(behind, text) => {
            InTurn(Box::pin(effects::execute(host, session, (behind, text))))
        }
        Command::SendBy(level, text) => {
            let wide = overridden::wide(&profile, level);
            let profiles = (profile, wide);
            InTurn(Box::pin(overridden::send(host, session, profiles, text)))
        }
        Command::Configure(profile) => {
            InTurn(Box::pin(effects::configure(host, session, *profile)))
        }
        Command::New => InTurn(Box::pin(effects::begin_anew(host, session, profile))),
        Command::Compact => InTurn(Box::pin(effects::compact(host, id))),
        Command::Run(slash) => InTurn(Box::pin(effects::run(host, session, profile, slash))),
        Command::ForkBefore(sent) => {
            InTurn(Box::pin(effects::fork_before(host, session, profile, sent)))
        }
        Command::RewindTo(sent) => {
            InTurn(Box::pin(effects::rewind_to(host, session, profile, sent)))
        }
        Command::Fork(of) => InTurn(told(reading::fork(host, of))),
        Command::Interrupt(which) => AtOnce(Box::pin(effects::interrupt(host, id, which))),
        Command::StopTools(agents) => AtOnce(Box::pin(effects::stop_tools(host, id, agents))),
        Command::StopProgram(which) => AtOnce(Box::pin(effects::stop_program(host, id, which))),
        Command::TakeOut(which, text) => {
            AtOnce(Box::pin(effects::take_out(host, (id, which), text)))
        }
        Command::Move(which, change) => {
            AtOnce(Box::pin(effects::move_waiting(host, (id, which), change)))
        }
        Command::Answer(answers) => AtOnce(Box::pin(effects::answer(host, id, answers))),
        Command::Context(depth) => AtOnce(Box::pin(effects::context(host, id, depth))),
        Command::FindModel(name) => InTurn(Box::pin(effects::find_model(host, name))),
        Command::Rename(of, name) => AtOnce(told(reading::rename(host, of, name))),
        Command::Export(of) => AtOnce(told(reading::export(host, of))),
        other => return look(host, id, profile, other),
    })
}

/// The same for what is only read.
fn look(
    host: &dyn Host,
    id: SessionId,
    profile: SessionProfile,
    command: Command,
) -> Option<Work<'_>> {
    use Work::AtOnce;
    Some(match command {
        Command::ListModels => AtOnce(told(effects::list_models(host))),
        Command::FindNextModel => AtOnce(told(effects::next_model(host, profile))),
        Command::Inspect(subject) => AtOnce(told(reading::inspect(host, (id, profile), subject))),
        Command::ReadHistory(piece) => AtOnce(told(reading::history(host.sessions(), id, *piece))),
        Command::ReadPrograms(wanted) => {
            AtOnce(told(reading::programs(host.sessions(), id, wanted)))
        }
        Command::ListFiles(hidden) => {
            AtOnce(told(effects::files(profile.settings.workspace, hidden)))
        }
        Command::ListMentions(of) => AtOnce(told(effects::mentions(host, profile, of))),
        Command::ListEarlier => AtOnce(told(reading::earlier(host, id))),
        Command::ReadPast(to) => AtOnce(told(reading::past(host.sessions(), id, to))),
        Command::ReadAnswer => AtOnce(told(reading::last_answer(host.sessions(), id))),
        Command::ListSessions => AtOnce(told(reading::list(host))),
        Command::SearchSessions(words) => AtOnce(told(reading::said(host.sessions(), words))),
        Command::Preview(of) => AtOnce(told(reading::preview(host.sessions(), of))),
        _ => return None,
    })
}

fn told<'a>(reading: impl Future<Output = Vec<Message>> + 'a) -> LocalBoxFuture<'a, Done> {
    Box::pin(async { Done::Told(reading.await) })
}

/// A failure that changes nothing for the session is logged.
fn noted<E: std::fmt::Display>(done: Result<(), E>, what: &str) {
    if let Err(error) = done {
        tracing::warn!(%error, "{what}");
    }
}
