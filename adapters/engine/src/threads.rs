//! How many processor threads the model may use.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU16;
use std::thread::available_parallelism;

/// Processor threads for one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadCount(NonZeroU16);

impl ThreadCount {
    /// Exactly this many.
    #[must_use]
    pub const fn exactly(count: NonZeroU16) -> Self {
        Self(count)
    }

    /// One less than there are physical cores, and at least one. The model's threads wait for each
    /// other at every layer, so a core that something else needs stalls all of them; and two
    /// threads on one core share its arithmetic units, which the model keeps busy alone.
    #[must_use]
    pub fn automatic() -> Self {
        let allowed = available_parallelism().map_or(1, usize::from);
        let cores = physical_cores().map_or(allowed, |cores| cores.min(allowed));
        let spare = u16::try_from(cores.saturating_sub(1)).unwrap_or(u16::MAX);
        Self(NonZeroU16::new(spare).unwrap_or(NonZeroU16::MIN))
    }

    /// The count as llama.cpp takes it.
    #[must_use]
    pub fn get(self) -> i32 {
        i32::from(self.0.get())
    }
}

/// Counts cores by the groups of threads that share one; `None` where the system does not tell.
fn physical_cores() -> Option<usize> {
    let entries = fs::read_dir("/sys/devices/system/cpu").ok()?;
    let cores: BTreeSet<String> = entries
        .flatten()
        .filter_map(|cpu| fs::read_to_string(cpu.path().join("topology/core_cpus_list")).ok())
        .collect();
    (!cores.is_empty()).then_some(cores.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_thread_and_one_core_is_left_where_there_are_two() {
        let automatic = ThreadCount::automatic().get();
        let allowed = available_parallelism().map_or(1, usize::from);
        assert!(automatic >= 1);
        assert!(automatic < i32::try_from(allowed).unwrap().max(2));
    }
}
