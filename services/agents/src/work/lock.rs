//! Locks around what is changed in one step.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is whole or not begun.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
