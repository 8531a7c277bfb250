//! What a window shows of a program while it runs.

use canary::{KEY, Vault};
use serde_json::json;
use testkit::{KERNEL_KEYRING, Reply, Server, TMUX, is_absent};

/// Where the key is broken: what is said first of it could be searched for.
const BREAK: usize = 14;

#[test]
fn no_part_of_a_key_that_a_program_says_in_pieces_is_shown() {
    if is_absent(KERNEL_KEYRING) || is_absent(TMUX) {
        return;
    }
    let vault = Vault::new();
    vault.store("work", KEY);
    let (first, rest) = KEY.split_at(BREAK);
    vault.house.write("first", format!("before\nkey {first}"));
    vault.house.write("rest", format!("{rest}\nafter\n"));
    let wait = |name: &str| format!("until [ -e {name} ]; do sleep 0.1; done");
    let script = format!("cat first; {}; cat rest; {}", wait("second"), wait("third"));
    let server = Server::openai([
        Reply::call("run_command", json!({"argv": ["sh", "-c", script]})),
        Reply::text("Done."),
    ]);
    vault.provider(&server);
    let carl = vault.carl(&[
        "tui",
        "--agent",
        "sysadmin",
        "--allow-write",
        ".",
        "--yes",
        "exec",
        "--mode",
        "loop",
    ]);
    let mut window = carl.in_window((80, 24));
    window.starts();
    window.enters("look");
    let screen = window.until("| before");
    assert!(!screen.contains(&first[..4]), "{screen}");
    // A page has all that was said.
    window.enters("/inspect jobs");
    window.until("* a call: runs, ");
    window.presses(&["Enter"]);
    let page = window.until("before");
    assert!(!page.contains(&first[..4]), "{page}");
    vault.house.write("second", "");
    let page = window.until("after");
    assert!(page.contains("key [REDACTED]"), "{page}");
    for part in [&first[..4], &rest[rest.len() - 4..]] {
        assert!(!page.contains(part), "{part}: {page}");
    }
    window.presses(&["Escape"]);
    window.until("jobs: programs that run");
    window.presses(&["Escape"]);
    let screen = window.until("| key [REDACTED]");
    assert!(screen.contains("| after"), "{screen}");
    vault.house.write("third", "");
    window.until("Done.");
    let kept = vault.house.everything_kept();
    assert!(!kept.contains(KEY), "it is on record");
}
