//! The list of restrictions that have been put in force.

use crate::wire::{Spec, Told};
use std::fmt::Display;

/// What has been put in force so far.
#[derive(Debug)]
pub(super) struct Ledger(pub(super) Vec<Told>);

impl Ledger {
    pub(super) fn of(spec: &Spec) -> Self {
        Self(spec.given.clone())
    }

    pub(super) fn note<E: Display>(&mut self, name: &str, detail: &str, done: Result<(), E>) {
        self.0.push(Told {
            name: name.to_owned(),
            detail: detail.to_owned(),
            missing: done.err().map(|error| error.to_string()),
        });
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|told| told.name == name && told.missing.is_none())
    }
}
