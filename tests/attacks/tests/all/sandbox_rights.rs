//! What a program that a model runs may not ask of the kernel, and what it cannot use up. Every
//! attempt works outside, where the machine has what it attacks.

use attacks::probe::{PREAMBLE, assert_shut, in_scratch, inside, outside, run};
use attacks::script::{OPEN, do_it, recast, results, statuses};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;
use testkit::House;

const CODER: [&str; 4] = ["--agent", "coder", "--yes", "exec"];

/// Attempts that work outside. Numbers of x86_64 system calls are those of the kernel's table.
const SURE: &str = "\
attempt('unshare', lambda: call(272, 0x10000000))
attempt('unshare-net', lambda: call(272, 0x40000000))
attempt('setns', lambda: call(308, os.open('/proc/self/ns/uts', 0), 0))
def thread():
    seen = []
    def work():
        try: seen.append(call(272, 0x04000000))
        except OSError as error: seen.append(error)
    t = threading.Thread(target=work); t.start(); t.join()
    if isinstance(seen[0], OSError): raise seen[0]
attempt('thread', thread)
attempt('chroot', lambda: os.chroot('/'))
attempt('mount', lambda: call(165, b'none', b'/proc', b'tmpfs', 0, 0))
attempt('umount', lambda: call(166, b'/proc', 2))
attempt('fsopen', lambda: call(430, b'tmpfs', 0))
attempt('open_tree', lambda: call(428, -100, b'/', 0))
attempt('sethostname', lambda: socket.sethostname(socket.gethostname()))
attempt('keyctl', lambda: call(250, 0, -3, 1))
attempt('bpf', lambda: call(321, 0, ctypes.create_string_buffer(bytes([1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0]), 128), 128))
attempt('personality', lambda: call(135, 0x40000))
attempt('userfaultfd', lambda: call(323, 1))
attempt('nice', lambda: os.nice(-5))
";

/// Attempts that not every machine allows outside.
const ODD: &str = "\
attempt('pivot_root', lambda: call(155, b'.', b'.'))
attempt('clone3', lambda: call(435, ctypes.create_string_buffer((0x10000000).to_bytes(8, 'little'), 88), 88))
attempt('perf', lambda: call(298, ctypes.create_string_buffer(120), 0, -1, -1, 0))
attempt('module', lambda: call(313, 0, b'', 0))
attempt('kexec', lambda: call(246, 0, 0, 0, 0))
attempt('reboot', lambda: call(169, 0, 0, 0, 0))
attempt('iopl', lambda: call(172, 3))
attempt('setuid', lambda: os.setuid(12345) or os.setuid(0))
attempt('swapon', lambda: call(167, b'/x', 0))
";

#[test]
fn nothing_that_gives_rights_is_granted() {
    let house = House::new();
    let names = [
        "unshare",
        "unshare-net",
        "setns",
        "thread",
        "chroot",
        "mount",
        "umount",
        "fsopen",
        "open_tree",
        "sethostname",
        "keyctl",
        "bpf",
        "personality",
        "userfaultfd",
        "nice",
    ];
    // The control must not disturb this machine: it runs in a mount namespace of its own.
    let free = Command::new("unshare")
        .args([
            "--mount",
            "--uts",
            "python3",
            "-B",
            "-c",
            &format!("{PREAMBLE}{}", controls(SURE)),
        ])
        .current_dir(house.work())
        .output();
    let (_, shut) = in_scratch(house, &format!("{SURE}{ODD}"));
    assert_eq!(shut.reached, Vec::<String>::new(), "{}", shut.text);
    assert_eq!(shut.refused.len(), names.len() + 9, "{}", shut.text);
    let free = String::from_utf8_lossy(&free.unwrap().stdout).into_owned();
    let reached = free.matches(" REACHED").count();
    assert!(reached >= names.len() - 4, "the control fails: {free}");
}

/// The same attempts, each in a process of its own, so that one does not spoil the next.
fn controls(code: &str) -> String {
    format!(
        "_attempt = attempt\n\
         def attempt(name, work):\n    \
             pid = os.fork()\n    \
             if pid == 0:\n        _attempt(name, work); os._exit(0)\n    \
             os.waitpid(pid, 0)\n{code}"
    )
}

#[test]
fn a_program_with_the_owners_rights_gives_none() {
    let house = House::new();
    let code = "\
status = dict(l.rstrip('\\n').split(':\\t', 1) for l in open('/proc/self/status') if ':\\t' in l)
attempt('privileges', lambda: (_ for _ in ()).throw(OSError('none')) if status['NoNewPrivs'] == '1' else 'gained')
attempt('capabilities', lambda: (_ for _ in ()).throw(OSError('none')) if int(status['CapEff'], 16) == 0 else 'held')
attempt('filter', lambda: (_ for _ in ()).throw(OSError('on')) if status['Seccomp'] == '2' else 'off')
";
    let free = outside(&house, code);
    let (scene, shut) = inside(house, code);
    assert_shut(&free, &shut, &["privileges", "capabilities", "filter"]);
    // Nor is a program left behind that lends the user's rights to others on the machine.
    let house = scene.house;
    let code = "\
open('plain', 'w').write('x')
attempt('chmod', lambda: os.chmod('plain', 0o4755))
attempt('fchmod', lambda: os.fchmod(os.open('plain', os.O_RDWR), 0o2755))
attempt('fchmodat', lambda: os.chmod('plain', 0o6755, dir_fd=os.open('.', 0)))
attempt('open', lambda: os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755))
attempt('open-old', lambda: call(2, b'made2', os.O_CREAT | os.O_WRONLY, 0o2755))
attempt('creat', lambda: call(85, b'made3', 0o4755))
attempt('nameless', lambda: os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755))
attempt('mknod', lambda: os.mknod('made4', 0o104755))
how = (0o101).to_bytes(8, 'little') + (0o4755).to_bytes(8, 'little') + bytes(8)
attempt('openat2', lambda: call(437, -100, b'made5', how, 24))
";
    let names = [
        "chmod", "fchmod", "fchmodat", "open", "open-old", "creat", "nameless", "mknod", "openat2",
    ];
    let free = outside(&house, code);
    for name in ["made", "made2", "made3", "made4", "made5"] {
        fs::remove_file(house.work().join(name)).unwrap();
    }
    let honest = format!("{code}os.chmod('plain', 0o755)\nopen('other', 'w').write('x')\n");
    let (scene, shut) = inside(house, &honest);
    assert_shut(&free, &shut, &names);
    for entry in fs::read_dir(scene.house.work()).unwrap().flatten() {
        assert_eq!(entry.metadata().unwrap().mode() & 0o6000, 0, "{entry:?}");
    }
    assert!(scene.house.has("other"));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn other_tables_of_system_calls_end_the_program() {
    let old = "import mmap\nm = mmap.mmap(-1, 4096, prot=7)\n\
               m.write(bytes.fromhex('53b814000000cd805bc3'))\n\
               f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n\
               print('REACHED', f())";
    let x32 = "print('REACHED', libc.syscall(ctypes.c_long(0x40000000 + 39)))";
    for code in [old, x32] {
        let (_, shut) = in_scratch(House::new(), code);
        assert!(!shut.text.contains("REACHED"), "{}", shut.text);
        assert!(
            shut.text.contains("signal 31") || shut.text.contains("SIGSYS"),
            "{}",
            shut.text
        );
    }
    assert!(outside(&House::new(), x32).text.contains("REACHED"));
}

#[test]
fn a_bomb_of_processes_stays_under_its_limit() {
    let code = "import time\ncount = 0\ntry:\n    \
                while count < 3000:\n        \
                if os.fork() == 0:\n            time.sleep(300); os._exit(0)\n        count += 1\n\
                except OSError as error: print('fork refused')\n\
                print('made', count, flush=True); os._exit(0)";
    let (_, shut) = in_scratch(House::new(), code);
    assert!(shut.text.contains("fork refused"), "{}", shut.text);
    let made: u32 = shut
        .text
        .split("made ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(made < 1_000, "{made}");
    let (_, honest) = in_scratch(
        House::new(),
        "attempt('child', lambda: subprocess.run(['true'], check=True))",
    );
    assert_eq!(honest.reached, ["child"], "{}", honest.text);
}

#[test]
fn memory_disk_and_files_have_an_end() {
    let bombs = [
        ("memory", "b = bytearray(64 << 30)"),
        (
            "file",
            "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nf = open('big', 'wb')\nf.truncate(1 << 40)",
        ),
        (
            "handles",
            "files = [open('/dev/null') for _ in range(200_000)]",
        ),
    ];
    for (name, code) in bombs {
        let (_, shut) = in_scratch(House::new(), &format!("{code}\nprint('all of it')"));
        assert!(!shut.text.contains("all of it"), "{name}: {}", shut.text);
    }
    let honest = "b = bytearray(64 << 20); open('f', 'wb').write(b); print('all of it')";
    let (_, fine) = in_scratch(House::new(), honest);
    assert!(fine.text.contains("all of it"), "{}", fine.text);
}

#[test]
fn endless_output_is_cut_and_the_program_ends_with_its_time() {
    let house = House::new();
    let code = "print('first')\nfor _ in range(400_000): print('x' * 99)\nprint('the last')";
    let (scene, shut) = in_scratch(house, code);
    assert!(shut.text.len() < 200_000, "{}", shut.text.len());
    assert!(shut.text.contains("first") && shut.text.contains("the last"));
    assert!(scene.house.everything_kept().len() < 2_000_000);
}

#[test]
fn what_is_left_behind_ends_with_the_call() {
    let house = House::new();
    // A lock that lives as long as its holder: if it can be taken afterwards, nobody holds it.
    let script =
        "exec 9> alive; flock 9; (setsid sh -c 'trap \"\" TERM HUP INT; sleep 600' &) ; echo up";
    let call = ("run_command", json!({"argv": ["sh", "-c", script]}));
    let (scene, shut) = run(house, &OPEN, call, &[]);
    assert!(shut.text.contains("up"), "{}", shut.text);
    let lock = scene.house.work().join("alive");
    let taken = Command::new("flock")
        .args(["--nonblock"])
        .arg(&lock)
        .arg("true")
        .status()
        .unwrap();
    assert!(taken.success(), "something still lives");
    // The control: outside, the orphan stays.
    let free = format!("{script}; echo $!");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &free.replace("sleep 600", "sleep 3")])
        .current_dir(scene.house.work());
    shell
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    assert!(shell.status().unwrap().success());
    let taken = Command::new("flock")
        .args(["--nonblock"])
        .arg(&lock)
        .arg("true")
        .status()
        .unwrap();
    assert!(!taken.success(), "the control fails");
}

#[test]
fn a_typed_argument_reaches_no_shell() {
    let house = House::new();
    let argv = json!([
        "printf",
        "%s\\n",
        "a; touch made",
        "$(touch made)",
        "`touch made`",
        "| touch made",
        "&& touch made",
        "> made",
        "$HOME",
        "*",
        "~"
    ]);
    let (scene, shown) = run(house, &OPEN, ("run_command", json!({"argv": argv})), &[]);
    for word in [
        "a; touch made",
        "$(touch made)",
        "`touch made`",
        "$HOME",
        "*",
        "~",
    ] {
        assert!(
            shown.text.lines().any(|line| line == word),
            "{word}: {}",
            shown.text
        );
    }
    assert!(!scene.house.has("made"));
    // Names of files and patterns with a leading dash are names and patterns.
    let calls = [
        (
            "write_file",
            json!({"path": "--help", "content": "the notes"}),
        ),
        ("read_file", json!({"path": "--help"})),
        ("grep", json!({"pattern": "--files", "path": "--help"})),
        ("grep", json!({"pattern": "notes", "path": "--help"})),
        ("glob", json!({"pattern": "-*"})),
    ];
    let scene = recast(scene.house, &calls);
    let outcome = do_it(&scene, &OPEN);
    assert!(
        statuses(&outcome).iter().all(|s| *s == "ok"),
        "{:#}",
        outcome.summary
    );
    assert!(results(&scene, &outcome)[3].contains("the notes"));
    // The control: where a shell is asked for, it is one.
    let (scene, _) = run(
        House::new(),
        &OPEN,
        ("run_command", json!({"command": "echo a; touch made"})),
        &[],
    );
    assert!(scene.house.has("made"));
}

#[test]
fn a_package_name_is_no_option_and_no_address() {
    let install = |manager: &str, name: &str| {
        let call = (
            "package_install",
            json!({"manager": manager, "names": [name], "dry_run": true}),
        );
        let scene = recast(House::new(), &[call]);
        let outcome = scene.run(&[
            "--agent",
            "sysadmin",
            "--allow-write",
            ".",
            "--yes",
            "config",
            "--yes",
            "exec",
            "do it",
        ]);
        let told = results(&scene, &outcome).join("\n");
        (statuses(&outcome).join(" "), told)
    };
    for manager in ["apt", "pip", "cargo", "npm"] {
        for name in [
            "--index-url=http://127.0.0.1:1/",
            "-r",
            "-oAPT::Update::Pre-Invoke::=touch made",
            "git+https://example.org/x",
            "https://example.org/x.tgz",
            "../evil",
            "./evil.deb",
            "/tmp/evil.deb",
            "a;touch made",
            "a b",
            "$(id)",
        ] {
            let (status, told) = install(manager, name);
            assert_ne!(status, "ok", "{manager} {name}: {told}");
        }
    }
}

#[test]
fn what_carl_was_started_with_steers_no_program() {
    let house = House::new();
    let evil = house.home().join("evil");
    fs::create_dir(&evil).unwrap();
    fs::write(evil.join("sitecustomize.py"), "print('EVIL RAN')").unwrap();
    fs::write(evil.join("env.sh"), "echo EVIL RAN").unwrap();
    fs::write(evil.join("python3"), "#!/bin/sh\necho EVIL RAN").unwrap();
    fs::set_permissions(evil.join("python3"), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = evil.to_string_lossy().into_owned();
    let script = evil.join("env.sh").to_string_lossy().into_owned();
    let environment = [
        ("PYTHONPATH", folder.as_str()),
        ("PYTHONSTARTUP", &script),
        ("BASH_ENV", &script),
        ("ENV", &script),
        ("LD_PRELOAD", "/no/such/library.so"),
        ("NODE_OPTIONS", "--require=/no/such/file.js"),
        ("PERL5OPT", "-Mno_such_module"),
        ("IFS", "x"),
    ];
    let free = Command::new("python3")
        .args(["-c", "pass"])
        .env("PYTHONPATH", &evil)
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&free.stdout).contains("EVIL RAN"));
    let script = json!({"command": "bash -c 'echo bash'; python3 -c 'print(\"python\")'; env"});
    let (scene, shown) = run(house, &OPEN, ("run_command", script), &environment);
    for word in ["bash", "python"] {
        assert!(shown.text.contains(word), "{}", shown.text);
    }
    assert!(!shown.text.contains("EVIL RAN"), "{}", shown.text);
    for name in ["LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "BASH_ENV"] {
        assert!(!shown.text.contains(name), "{name}: {}", shown.text);
    }
    // Nor do files that the model brings along under names that lead out of its scratch folder.
    for name in ["../up.py", "/tmp/up.py", "a/../../up.py", ".", ""] {
        let files: Value = json!({name: "x"});
        let call = (
            "run_code",
            json!({"language": "python", "code": "print('ran')", "files": files}),
        );
        let scene = recast(House::new(), &[call]);
        let outcome = scene.run(&[&CODER[..], &["do it"]].concat());
        assert_ne!(statuses(&outcome), ["ok"], "{name}");
    }
    drop(scene);
}

/// They are bound into the sandbox, also in the place of a hidden file, and their owner runs it.
#[test]
fn the_devices_of_the_machine_stay_as_they_are() {
    let facts = |name: &str| {
        let facts = fs::metadata(format!("/dev/{name}")).unwrap();
        (
            facts.mode(),
            facts.mtime(),
            facts.ctime(),
            facts.ctime_nsec(),
        )
    };
    let before = ["full", "null"].map(facts);
    let script = "for device in /dev/full /dev/null .netrc; do chmod 666 $device; touch -c -d 2020-02-02 $device; done; \
                  echo gone > /dev/null && echo written";
    let argv = json!(["/bin/sh", "-c", script]);
    let house = House::new();
    house.write(".netrc", "password");
    let scene = recast(house, &[("run_command", json!({"argv": argv}))]);
    let outcome = do_it(&scene, &OPEN);
    let told = results(&scene, &outcome).concat();
    assert_eq!(["full", "null"].map(facts), before, "{told}");
    assert!(told.contains("written"), "{told}");
}

/// A folder of many files takes longer to look through than a process takes to end.
#[test]
fn what_a_command_left_in_a_large_folder_is_set_aside_after_an_interrupt() {
    let script =
        "mkdir .vscode; echo EVIL > .vscode/tasks.json; exec 3> alive; echo up >&3; sleep 900";
    let argv = json!(["/bin/sh", "-c", script]);
    let scene = attacks::script::scene(&[("run_command", json!({"argv": argv}))]);
    for folder in 0..400 {
        let inner = scene.house.work().join(format!("src/{folder}"));
        fs::create_dir_all(&inner).unwrap();
        (0..100).for_each(|file| fs::write(inner.join(file.to_string()), "").unwrap());
    }
    let pipe = scene.house.work().join("alive");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let flags = ["--agent", "sysadmin", "--yes", "exec", "--allow-write", "."];
    let mut seat = scene.house.ask(["run"]).args(flags).args(["wait"]).seated();
    let mut line = String::new();
    BufReader::new(fs::File::open(&pipe).unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "up\n");
    assert!(scene.house.has(".vscode/tasks.json"));
    seat.interrupts();
    let finished = seat.finish();
    assert_eq!(finished.code, Some(130));
    assert!(!scene.house.has(".vscode/tasks.json"));
    let aside = scene.house.set_aside("", "vscode");
    // No call is answered any more, and the user is told all the same.
    let told = format!("{}{}", finished.stdout, finished.stderr);
    assert!(told.contains(&aside), "{told}");
}
