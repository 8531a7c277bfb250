//! The way back from the alternate screen.

use super::answering;
use crate::refresh::Refresh;
use crate::state::State;

/// Back to the normal screen. A question that came meanwhile is put only now, and one that stood there
/// is put anew: nothing typed elsewhere counts for it.
pub(super) fn close(state: &mut State) {
    state.overlay = None;
    state.refresh = Refresh::default();
    state.stand_again();
    answering::put_waiting(state);
}
