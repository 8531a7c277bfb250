//! What the order of requests costs on a server with room for one model.
//!
//! What it is: a simulated model server that needs seconds to load another model ([`server`]), the
//! loads it is tried with ([`load`]), and runs of one through the gateway's own queue ([`run`]). The
//! clock is simulated too, so a run of half an hour takes no time and always ends the same.
//! What it owns: the assumptions, which are the loads and how such a server behaves.
//! What it never does: talk to a model, or look at a clock.
//! Where to start: [`run::run`].

pub mod load;
pub mod run;
pub mod server;
