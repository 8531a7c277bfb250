//! What a program in the sandbox may not ask of the kernel. Every probe works outside, where the
//! machine has what it attacks.

use crate::support::{Bench, said, well};
use api::sandbox::Ended;
use std::os::unix::fs::PermissionsExt;

/// `SIGSYS`.
const SIGSYS: i32 = 31;

#[tokio::test]
async fn dangerous_system_calls_are_refused() {
    let bench = Bench::new();
    let probes = [
        ("ptrace", format!("call({}, 0, 0, 0, 0)", libc::SYS_ptrace)),
        (
            "process_vm_readv",
            format!(
                "b = ctypes.create_string_buffer(b'secret', 8)\n\
                 v = (ctypes.c_ulong * 2)(ctypes.addressof(b), 8)\n\
                 call({}, os.getpid(), v, 1, v, 1, 0)",
                libc::SYS_process_vm_readv
            ),
        ),
        ("io_uring", format!("p = ctypes.create_string_buffer(120)\ncall({}, 2, p)", libc::SYS_io_uring_setup)),
        ("userfaultfd", format!("call({}, 1)", libc::SYS_userfaultfd)),
        ("perf_event_open", format!("p = ctypes.create_string_buffer(bytes([1, 0, 0, 0, 112, 0, 0, 0]), 112)\ncall({}, p, 0, -1, -1, 0)", libc::SYS_perf_event_open)),
        ("bpf", format!("a = ctypes.create_string_buffer((4).to_bytes(4, 'little') * 0 + bytes([1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0]), 128)\ncall({}, 0, a, 128)", libc::SYS_bpf)),
        ("keyctl", format!("call({}, 0, -3, 1)", libc::SYS_keyctl)),
        ("add_key", format!("call({}, b'user', b'carl-probe', b'x', 1, -2)", libc::SYS_add_key)),
        ("unshare user", format!("call({}, {})", libc::SYS_unshare, libc::CLONE_NEWUSER)),
        ("unshare in a thread", format!(
            "import threading\nseen = []\ndef work():\n    try: call({}, {}); seen.append(0)\n    except OSError as e: seen.append(e)\n\
             t = threading.Thread(target=work); t.start(); t.join()\nif seen[0]: raise seen[0]",
            libc::SYS_unshare, libc::CLONE_NEWNET)),
        ("clone user", format!(
            "pid = call({}, {} | 17, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)",
            libc::SYS_clone, libc::CLONE_NEWUSER)),
        ("setns", format!("call({}, os.open('/proc/self/ns/uts', 0), 0)", libc::SYS_setns)),
        ("chroot", "os.chroot('/')".to_owned()),
        ("mount", format!("call({}, b'none', b'/', 0, {}, 0)", libc::SYS_mount, libc::MS_REMOUNT | libc::MS_BIND)),
        ("fsopen", format!("call({}, b'tmpfs', 0)", libc::SYS_fsopen)),
        ("open_tree", format!("call({}, -100, b'/', 0)", libc::SYS_open_tree)),
        ("name_to_handle", format!("h = ctypes.create_string_buffer((128).to_bytes(4, 'little'), 140)\nm = ctypes.c_int()\ncall({}, -100, b'/etc/passwd', h, ctypes.byref(m), 0)", libc::SYS_name_to_handle_at)),
        ("personality", "assert libc.personality(0x40000) != -1".to_owned()),
        ("hostname", "import socket\nsocket.sethostname(socket.gethostname())".to_owned()),
        ("clock", "import time\ntime.clock_settime(time.CLOCK_REALTIME, time.time())".to_owned()),
        ("priority", "os.nice(-5)".to_owned()),
        ("owner", "open('mine', 'w').close()\nos.chown('mine', 12345, 12345)".to_owned()),
        ("device", "import stat\nif os.path.exists('node'): os.remove('node')\nos.mknod('node', 0o600 | stat.S_IFCHR, os.makedev(1, 3))".to_owned()),
    ];
    for (name, code) in probes {
        let _again = std::fs::remove_file(bench.work().join("node"));
        let _again = std::fs::remove_file(bench.work().join("mine"));
        bench.refuses(name, &code).await;
    }
}

#[tokio::test]
async fn clone3_says_that_it_is_not_there_so_that_the_library_falls_back() {
    let bench = Bench::new();
    let code = format!(
        "try: call({}, 0, 0)\nexcept OSError as error: print('errno', error.errno)",
        libc::SYS_clone3
    );
    let free = bench.free(&code);
    assert!(free.contains("errno 22"), "{free}");
    let inside = bench.inside(&code).await;
    assert!(inside.contains("errno 38"), "{inside}");
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn another_instruction_set_ends_the_process() {
    let bench = Bench::new();
    // push rbx; mov eax, 20 (getpid of the 32-bit table); int 0x80; pop rbx; ret
    let old = "import mmap\nm = mmap.mmap(-1, 4096, prot=7)\n\
               m.write(bytes.fromhex('53b814000000cd805bc3'))\n\
               f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n\
               print('REACHED', f())";
    let x32 = "print('REACHED', libc.syscall(ctypes.c_long(0x40000000 + 39)))";
    for code in [old, x32] {
        let free = bench.free(code);
        if !free.contains("REACHED") {
            eprintln!("no control on this machine: {free}");
        }
        let finished = bench.run(bench.python(code)).await;
        assert_eq!(finished.ended, Ended::Killed(SIGSYS), "{}", said(&finished));
    }
}

#[tokio::test]
async fn no_privilege_is_held_or_gained() {
    let bench = Bench::new();
    if !bench.has_view().await {
        eprintln!("no /proc to read this from on this machine");
        return;
    }
    let code = "for line in open('/proc/self/status'):\n    \
                if line.startswith(('Cap', 'NoNewPrivs', 'Seccomp:')): print(line.strip())";
    let text = bench.inside(code).await;
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert!(
            text.contains(&format!("{name}:\t0000000000000000")),
            "{text}"
        );
    }
    assert!(
        text.contains("NoNewPrivs:\t1") && text.contains("Seccomp:\t2"),
        "{text}"
    );
    // A set-id program of its own making is no way up either.
    let copy = bench.work().join("id");
    std::fs::copy("/usr/bin/id", &copy).unwrap();
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o6755)).unwrap();
    let text = well(&bench.run(bench.job(&["./id", "-u"])).await);
    let own = well(&bench.run(bench.job(&["id", "-u"])).await);
    assert_eq!(text, own);
    let mounts = bench
        .inside("print(open('/proc/self/mounts').read())")
        .await;
    let loose: Vec<&str> = mounts
        .lines()
        .filter(|line| line.starts_with('/') || line.contains("tmpfs"))
        .filter(|line| !line.contains("nosuid"))
        .collect();
    assert!(loose.is_empty(), "{loose:?}");
}

#[tokio::test]
async fn the_session_keyring_is_a_new_one() {
    let bench = Bench::new();
    let Ok(mut keyring) = keyutils::Keyring::join_anonymous_session() else {
        eprintln!("no keys on this machine");
        return;
    };
    // The one thread of this test has the key, and so does every child it starts.
    let added = keyring.add_key::<keyutils::keytypes::User, _, _>("carl-outer", &b"secret"[..]);
    if let Err(error) = added {
        eprintln!("no keys on this machine: {error}");
        return;
    }
    let ask = format!(
        "call({}, b'user', b'carl-outer', 0, 0)",
        libc::SYS_request_key
    );
    bench.surely_refuses("the key by its name", &ask).await;
    let listed = "assert 'carl-outer' in open('/proc/keys').read()";
    bench.surely_refuses("the list of keys", listed).await;
}
