//! What every call to memory needs: its context, the form of an id, and what became of a failure.

use api::CallContext;
use api::authority::JudgedCall;
use api::executor::ToolFailure;
use api::failure::{broken, mendable, of_call};
use api::memory::Error;
use domain::id::{AgentToken, MemoryId, TraceId};

/// For the record of the reading: the session. The guard has judged the call, and no executor holds
/// an agent's token.
pub(crate) fn context(call: &JudgedCall) -> CallContext {
    CallContext {
        session_id: call.session_id,
        agent_token: AgentToken::from_text(String::new()),
        trace_id: TraceId::from_uuid(call.call_id.as_uuid()),
    }
}

pub(super) fn known_form(id: &str) -> Result<MemoryId, ToolFailure> {
    id.trim().parse().map_err(|error| {
        mendable(
            "no_id",
            of_call(format!(
                "`{id}` is no id of a memory ({error}). Take ids from search_memory."
            )),
        )
    })
}

pub(super) fn failure(error: Error) -> ToolFailure {
    match error {
        Error::NotFound { .. } | Error::Invalid { .. } => {
            mendable("unusable", of_call(format!("{error}. Ask in other words.")))
        }
        Error::StillThere { .. }
        | Error::InUse { .. }
        | Error::NotOffered { .. }
        | Error::Unreachable { .. }
        | Error::Damaged { .. }
        | Error::NotRecorded { .. }
        | Error::Unavailable { .. } => broken(
            "memory_unavailable",
            of_call(format!("[tool unavailable] {error}. Go on without memory.")),
        ),
    }
}
