//! What programs say while they run: a few rows below the call that waits for one, and the title of the
//! page that has all of it.

use crate::lines::safe;
use crate::programs::{name, standing};
use crate::state::State;
use api::programs::awaits_a_program;
use domain::id::CallId;

/// Most rows below a call, and where everything is shown whole.
const ROWS: usize = 3;
const ROWS_EXPANDED: usize = 10;
/// Fewest columns and rows of a terminal on which there are any.
const LEAST: (u16, u16) = (40, 15);
/// Rows of the terminal for each of them beyond the first.
const FOR_EACH: u16 = 3;

/// How many rows there are for what programs say; 0 while none runs that a call waits for, and where
/// nothing of it is shown.
#[must_use]
pub fn says(state: &State) -> usize {
    let (columns, rows) = state.size;
    let is_shown = state.overlay.is_none() && state.help.is_none() && state.dialog.is_none();
    let is_small = columns < LEAST.0 || rows < LEAST.1;
    if !is_shown || is_small || state.began.is_none() || calls(state).is_empty() {
        return 0;
    }
    let few = usize::from((rows - LEAST.1) / FOR_EACH) + 1;
    match state.is_expanded {
        true => ROWS_EXPANDED.min(usize::from(rows / FOR_EACH)),
        false => ROWS.min(few),
    }
}

/// What they say, as lines of the UI.
#[must_use]
pub fn said(state: &State) -> Vec<String> {
    match says(state) {
        0 => Vec::new(),
        most => state.programs.last_lines(&calls(state), most),
    }
}

/// The calls that wait for a program.
fn calls(state: &State) -> Vec<CallId> {
    let calls = state.view.work().running();
    let waiting = calls.filter(|call| awaits_a_program(&call.tool));
    waiting.map(|call| call.call_id).collect()
}

/// What stands above the output of the program that is opened.
pub fn title(state: &State) -> String {
    let Some(opened) = &state.programs.opened else {
        return String::new();
    };
    let name = name(&opened.id);
    let Some(program) = &opened.program else {
        return match opened.is_gone {
            true => format!("{name} is not there any more"),
            false => name,
        };
    };
    let standing = match opened.is_gone {
        true => "has ended".to_owned(),
        false => standing(program),
    };
    let is_cut = program
        .output
        .as_ref()
        .is_some_and(|output| output.stdout.is_cut || output.stderr.is_cut);
    let cut = if is_cut { ", a part of it" } else { "" };
    format!("{name}: {standing}{cut}: $ {}", safe(&program.command))
}
