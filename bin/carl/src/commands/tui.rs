//! `carl tui`: a conversation on the whole terminal.

mod serving;
mod window;

use super::Setting;
use super::chat::Begin;
use crate::wiring::House;
use anyhow::Result;
use command_line::{Ceiling, SessionFlags};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};
use terminal::exit::{Exit, Failure, OrFail, describe};
use tui::{GoOn, HandedOver, Keyboard, Layout};
use window::{Failed, closed_again, one_window, tries_again};

/// Most times in a row that a session is opened again because whoever served it ended soon.
const HANDOVERS: u32 = 3;
/// How soon that is.
const HELD: Duration = Duration::from_secs(2);

/// Holds the conversation until the user leaves; in panes at first, where that is asked for.
///
/// # Errors
/// When it could not begin, or the terminal cannot be used.
pub async fn tui(flags: SessionFlags, begin: Begin, panes: bool) -> Result<Exit> {
    check_terminal()?;
    let mut keyboard = Keyboard::default();
    let (mut flags, mut begin) = (flags, begin);
    let mut layout = match panes {
        true => Layout::Panes,
        false => Layout::Focus,
    };
    if matches!(&begin, Begin::Resume(part) if part.is_empty()) {
        let setting = Setting::read(&flags)?;
        let house = House::watch(&setting).await?;
        let place = (
            setting.workspace.clone(),
            serving::theme(&setting.loaded.config.tui),
        );
        let chosen = tui::choose(house.sessions.as_ref(), place, &mut keyboard).await;
        match chosen.or_fail()? {
            Some(session_id) => begin = Begin::Resume(session_id.to_string()),
            None => return Ok(Exit::Success),
        }
    }
    let mut handed_over: Option<HandedOver> = None;
    let mut handovers = 0_u32;
    loop {
        let begun = Instant::now();
        let place = (flags.clone(), begin.clone());
        let window = one_window(place, (handed_over.clone(), layout), &mut keyboard);
        let ended = match window.await {
            Ok(ended) => ended,
            // Whoever serves may end before the session is open there.
            Err(failed) if failed.is_gone && handovers < HANDOVERS => {
                handovers += 1;
                continue;
            }
            Err(Failed { error, is_left, .. }) if is_left => return Err(error),
            // What was open in this window is given up by its user alone.
            Err(Failed { error, .. }) if handed_over.is_some() => {
                if !tries_again(&error, &mut keyboard).await? {
                    return Ok(describe(&error).0);
                }
                handovers = 0;
                continue;
            }
            Err(Failed { error, .. }) => return Err(error),
        };
        handed_over = None;
        layout = ended.layout;
        match ended.next {
            None => return Ok(Exit::Success),
            Some(GoOn::In(session_id)) => begin = Begin::Resume(session_id.to_string()),
            Some(GoOn::Anew(last)) => {
                let is_soon = begun.elapsed() < HELD;
                handovers = if is_soon { handovers + 1 } else { 1 };
                if handovers > HANDOVERS {
                    let error = closed_again(&last).into();
                    if !tries_again(&error, &mut keyboard).await? {
                        return Ok(describe(&error).0);
                    }
                    handovers = 0;
                }
                begin = Begin::Resume(last.session_id.to_string());
                handed_over = Some(last);
                continue;
            }
        }
        flags = for_another(flags);
    }
}

/// The flags of one session for another. What was opened or chosen for the one, such as its folder, is
/// not so for the other, which goes on as it was left; what was closed stays closed.
fn for_another(flags: SessionFlags) -> SessionFlags {
    SessionFlags {
        ceiling: Ceiling {
            disable_tool: flags.ceiling.disable_tool,
            ..Ceiling::default()
        },
        air_gap: flags.air_gap,
        connect: flags.connect,
        ..SessionFlags::default()
    }
}

/// Whether there is a terminal that can be drawn on.
pub fn can_draw() -> bool {
    is_on_terminal() && !is_dumb()
}

fn is_on_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Refuses what cannot be drawn on.
fn check_terminal() -> Result<()> {
    let what = match is_on_terminal() {
        false => "the terminal UI needs a terminal for its input and output",
        true if is_dumb() => "this terminal cannot be drawn on (TERM is dumb or not set)",
        true => return Ok(()),
    };
    let hint = "Line by line: carl chat. For scripts: carl run \"…\".";
    Err(Failure::usage(what, hint).into())
}
