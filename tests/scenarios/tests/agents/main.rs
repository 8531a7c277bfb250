//! What agents do: tools, programs, jobs, plans, delegation, auto mode, the guard around them.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod behind_colons;
mod checks;
mod claims;
mod coding;
mod context;
mod daily_questions;
mod delegation;
mod deterministic;
mod documented;
mod drive;
mod edits;
mod effects;
mod everyday;
mod given_texts;
mod guard;
mod guarding;
mod hostile;
mod jobs;
mod languages;
mod offered;
mod orchestrator_context;
mod orders;
mod places;
mod plain_words;
mod plan_mode;
mod programs;
mod settings;
mod small_plans;
mod sound_files;
mod true_answers;
mod writing;
