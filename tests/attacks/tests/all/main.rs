//! Attacks on the shipped program, each with the honest use beside it.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod attributes;
mod beside_jobs;
mod builds;
mod closed_places;
mod confirmation;
mod deep_keys;
mod deputy;
mod documents;
mod edits;
mod git_leads;
mod http;
mod injection;
mod knobs;
mod labels;
mod launchers;
mod lineage;
mod neighbours;
mod networks;
mod notes;
mod opened_folders;
mod orders;
mod outlines;
mod packages;
mod page;
mod patches;
mod paths;
mod plans;
mod quoting;
mod record;
mod records;
mod renames;
mod run_later;
mod said;
mod sandbox_reach;
mod sandbox_rights;
mod schemas;
mod screens;
mod security_page;
mod side_channels;
mod tellings;
mod twins;
mod typed_lines;
mod undoing;
