//! Plans: how a request becomes typed steps, and how a step's result becomes text for people.
//!
//! What it is: the pure half of the plan modes. A planner (a model under a schema, the rules here,
//! or a process outside) gives a [`domain::plan::Plan`]; this crate narrows, checks, marks and
//! compiles it, and formats what came of it.
//! What it owns: the plan schema, the rule-based planner, the mapping from actions to tool calls,
//! and the text people see for each action.
//! What it never does: input or output, calling a model, deciding whether a call may run (the
//! broker does), or keeping a raw command: no action has a field for one.
//! Where to start: [`compile`] (what an action becomes), [`rules`] (plain English to a plan).

pub mod asked_for;
mod behind_colon;
pub mod by_rules;
pub mod compile;
pub mod endings;
pub mod expected;
mod extract;
mod forbidden;
pub mod forgetting;
pub mod format;
pub mod gate;
pub mod given;
mod kinds;
pub mod likely;
pub mod longer;
pub mod looked_at;
pub mod many;
pub mod named;
pub mod names;
pub mod numbers;
mod offers;
pub mod one_step;
pub mod orders;
pub mod outlined;
mod planned;
mod project;
pub mod prompt;
pub mod question;
mod quoted;
pub mod rules;
pub mod schema;
pub mod shown;
mod turned;
pub mod typed;
pub mod unknown_order;
pub mod validate;
pub mod whole_paths;
