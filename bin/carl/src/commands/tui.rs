//! `carl tui`: a conversation on the whole terminal.

use super::chat::{Begin, prepared};
use super::host::CommandHost;
use anyhow::Result;
use api::models::ModelInfo;
use api::sessions::Sessions;
use async_trait::async_trait;
use command_line::SessionFlags;
use domain::fault::Fault;
use rendering::confirm::Memory;
use std::io::{self, IsTerminal};
use terminal::chat::{ChatRequest, open_session};
use terminal::exit::{Exit, Failure, OrFail, describe};
use terminal::host::Host;
use terminal::sessions::held;
use text::escape::quoted_argv;
use tui::Start;

/// Holds the conversation until the user leaves.
///
/// # Errors
/// When it could not begin, or the terminal cannot be used.
pub async fn tui(flags: SessionFlags, begin: Begin) -> Result<Exit> {
    check_terminal()?;
    let (host, request) = prepared(flags, begin).await?;
    let outcome = hold(&host, request).await;
    host.close(outcome).await
}

/// Refuses what cannot be drawn on.
fn check_terminal() -> Result<()> {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let what = match io::stdin().is_terminal() && io::stdout().is_terminal() {
        false => "the terminal UI needs a terminal for its input and output",
        true if is_dumb => "this terminal cannot be drawn on (TERM is dumb or not set)",
        true => return Ok(()),
    };
    let hint = "Line by line: carl chat. For scripts: carl run \"…\".";
    Err(Failure::usage(what, hint).into())
}

async fn hold(host: &CommandHost, request: ChatRequest) -> Result<Exit> {
    // A session that goes on keeps its own.
    if request.resumed.is_none() {
        host.check_agent().await?;
    }
    let (session, profile) = open_session(host, &request).await?;
    let start = Start {
        session: session.clone(),
        profile,
        history: request.history,
    };
    let ended = tui::run(&Serving(host), start).await;
    let left = ended.as_ref().unwrap_or(&session);
    let (session_id, holder_id) = held(left)?;
    let closed = host.sessions().close(session_id, holder_id).await;
    ended.or_fail()?;
    match closed {
        // What is gone needs no closing.
        Err(_) if host.is_gone().await => Ok(Exit::Success),
        closed => closed.or_fail().map(|()| Exit::Success),
    }
}

/// The services of a command, as the terminal UI sees them.
struct Serving<'a>(&'a CommandHost);

#[async_trait(?Send)]
impl tui::host::Host for Serving<'_> {
    fn sessions(&self) -> &dyn Sessions {
        self.0.sessions()
    }

    fn memory(&self) -> Memory {
        self.0.asker().memory()
    }

    async fn remember(&self) -> Result<String, Fault> {
        let asker = self.0.asker();
        let folder = quoted_argv(&[asker.folder.to_string_lossy()]);
        match asker.keep().await {
            Ok(()) => Ok(format!(
                "remembered; `carl policy forget {folder}` takes it back"
            )),
            Err(error) => {
                let fault = describe(&error).1;
                let message = format!(
                    "open for this session, but not remembered: {}",
                    fault.message
                );
                Err(Fault { message, ..fault })
            }
        }
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Fault> {
        let listed = self.0.list_models().await;
        listed.map_err(|error| describe(&error).1)
    }
}
