//! Names swapped in a loop by another thread while tools use them.
#![allow(clippy::unwrap_used, clippy::panic)] // Lint exceptions for tests stop at #[test] functions.

use crate::support::{Bench, link};
use rustix::fs::{CWD, RenameFlags};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Swaps a name between something inside and something outside until told to stop.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u64>>,
}

impl Swapper {
    fn start(one: PathBuf, two: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut swaps = 0;
            while !flag.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(CWD, &one, CWD, &two, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
                std::thread::yield_now();
            }
            swaps
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }

    fn finish(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_swapped_in_a_loop_never_leads_out() {
    let bench = Bench::new();
    bench.write("dir/secret.txt", "inside\n");
    link(&bench, "evil", bench.outside(""));
    link(&bench, "file-evil", bench.outside("secret.txt"));
    bench.write("file", "inside\n");
    let swappers = [
        Swapper::start(bench.work("dir"), bench.work("evil")),
        Swapper::start(bench.work("file"), bench.work("file-evil")),
    ];
    let (mut worked, mut refused) = (0, 0);
    for round in 0..2_000 {
        let path = if round % 2 == 0 {
            "dir/secret.txt"
        } else {
            "file"
        };
        let (tool, arguments) = match round % 20 {
            0 | 1 => (
                "edit_file",
                json!({"path": path, "old": "e", "new": "e!", "all": true}),
            ),
            2 | 3 => (
                "write_file",
                json!({"path": path, "content": "inside\n", "mode": "overwrite"}),
            ),
            4 => (
                "write_file",
                json!({"path": "dir/new.txt", "content": "x", "mode": "overwrite"}),
            ),
            5..=7 => ("grep", json!({"pattern": "e"})),
            8..=11 => ("grep", json!({"pattern": "e", "path": path})),
            _ => ("read_file", json!({"path": path})),
        };
        match bench.call(tool, arguments).await {
            Ok(output) => {
                worked += 1;
                assert!(!output.text.contains("SECRET"), "{tool}: {output:?}");
            }
            Err(failure) => {
                refused += 1;
                assert!(!failure.message.contains("SECRET"), "{failure:?}");
            }
        }
    }
    let swaps: u64 = swappers.into_iter().map(Swapper::finish).sum();
    bench.assert_outside_untouched();
    bench.assert_no_leftovers();
    assert!(
        swaps > 100 && worked > 50 && refused > 50,
        "{swaps} {worked} {refused}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleting_and_moving_during_swaps_stay_inside() {
    let bench = Bench::new();
    fs::create_dir(bench.work("dir")).unwrap();
    link(&bench, "evil", bench.outside(""));
    let swapper = Swapper::start(bench.work("dir"), bench.work("evil"));
    for round in 0..600 {
        let call = match round % 3 {
            0 => ("delete_file", json!({"path": "dir/secret.txt"})),
            1 => (
                "move_file",
                json!({"from": "dir/secret.txt", "to": "stolen"}),
            ),
            _ => ("make_dir", json!({"path": "dir/new"})),
        };
        // Refused or done inside: both are fine, the outside is what counts.
        let _ = bench.call(call.0, call.1).await;
    }
    swapper.finish();
    bench.assert_outside_untouched();
    assert!(!bench.work("stolen").exists());
}
