//! How much freed memory the allocator keeps.
//!
//! What it is: the settings of glibc's allocator for a process with many threads that lives long.
//! What it owns: the only `unsafe` of this workspace, a call of `mallopt`.
//! What it never does: allocate anything itself.
//! Where to start: [`keep_little`].

/// Parts of the memory that threads take from at the same time; glibc has eight a processor. Each keeps
/// the largest moment that a thread had in it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: libc::c_int = 2;
/// From which size on, bytes, a piece is mapped by itself and so given back once it is freed. Glibc begins
/// with half of it and raises it to the size of each such piece that is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_BYTES: libc::c_int = 256 << 10;

/// Has the allocator give back what was freed. To be called before there is a second thread. Other
/// systems' allocators stay as they are.
pub fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (setting, value) in [
        (libc::M_ARENA_MAX, ARENAS),
        (libc::M_MMAP_THRESHOLD, MAPPED_BYTES),
    ] {
        // SAFETY: `mallopt` takes two numbers and touches nothing of ours. It says by its result that it
        // knows no such setting, and then all is as it was.
        #[expect(
            unsafe_code,
            reason = "the setting has no other interface within a process"
        )]
        let _known = unsafe { libc::mallopt(setting, value) };
    }
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier};

    const THREADS: usize = 8;
    /// Arenas beside the first begin at multiples of this; glibc's `HEAP_MAX_SIZE`.
    const HEAP_BYTES: u64 = 64 << 20;

    /// The arenas of this process beside the first.
    fn arenas() -> usize {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let heaps = maps.lines().filter(|line| {
            let (from, rest) = line.split_once('-').unwrap();
            let is_aligned = u64::from_str_radix(from, 16)
                .unwrap()
                .is_multiple_of(HEAP_BYTES);
            // Anonymous: nothing behind the inode, which is 0.
            is_aligned && rest.contains(" rw-p ") && rest.trim_end().ends_with(" 0")
        });
        heaps.count()
    }

    #[test]
    fn threads_share_two_arenas_and_large_pieces_are_given_back() {
        keep_little();
        let all_there = Arc::new(Barrier::new(THREADS));
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let all_there = Arc::clone(&all_there);
                std::thread::spawn(move || {
                    let small: Vec<Vec<u8>> = (1..200).map(|size| vec![1; size * 64]).collect();
                    all_there.wait();
                    // Each holds its own until all have some.
                    small.len()
                })
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), 199);
        }
        assert!(arenas() < 2, "{} beside the first", arenas());
    }
}
