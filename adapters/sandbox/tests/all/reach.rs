//! What a program in the sandbox cannot reach: files, networks, other processes, the environment.
//! Every probe works outside.

use crate::support::{Bench, quoted, said, well};
use api::sandbox::{Enforcement, Network, Refusal};
use rustix::fs::{Mode, OFlags};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

const SECRET: &str = "the-silver-is-under-the-stairs";

#[tokio::test]
async fn a_program_does_its_work() {
    let bench = Bench::new();
    fs::write(bench.work().join("in.txt"), "seven").unwrap();
    let mut job = bench.job(&[
        "/bin/sh",
        "-c",
        "cat in.txt - > out.txt; cat out.txt; echo e >&2; pwd",
    ]);
    job.input = b" dwarfs".to_vec();
    let text = well(&bench.run(job).await);
    assert!(text.contains("seven dwarfs"), "{text}");
    assert!(text.contains(&*bench.work().to_string_lossy()));
    assert_eq!(
        fs::read_to_string(bench.work().join("out.txt")).unwrap(),
        "seven dwarfs"
    );
    // Pairs of sockets, threads, processes, temporary files: what honest programs need.
    let code = "import socket, subprocess, tempfile, threading\n\
                a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'\n\
                t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n\
                print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout)\n\
                with tempfile.NamedTemporaryFile() as f: f.write(b'x'); print('temp')";
    let text = bench.inside(code).await;
    for word in ["thread", "child", "temp"] {
        assert!(text.contains(word), "{text}");
    }
}

#[tokio::test]
async fn files_outside_are_not_there() {
    let bench = Bench::new();
    let secret = bench.outside().join("secret.txt");
    fs::write(&secret, SECRET).unwrap();
    std::os::unix::fs::symlink(&secret, bench.work().join("link")).unwrap();
    let (at, folder) = (quoted(&secret), quoted(&bench.outside()));
    let probes = [
        ("read", format!("open({at}).read()")),
        ("by link", "open('link').read()".to_owned()),
        ("by dots", "open('../outside/secret.txt').read()".to_owned()),
        ("list", format!("os.listdir({folder})")),
        ("write", format!("open({at}, 'a').write('x')")),
        ("create", format!("open({folder} + '/new', 'w').write('x')")),
        ("cut", format!("os.truncate({at}, 30)")),
        ("mode", format!("os.chmod({at}, 0o666)")),
        ("hard link", format!("os.link({at}, 'hard')")),
        (
            "through a process",
            format!("open('/proc/%d/root' % os.getppid() + {at}).read()"),
        ),
    ];
    for (name, code) in probes {
        bench.surely_refuses(name, &code).await;
        let _again = fs::remove_file(bench.work().join("hard"));
        fs::write(&secret, SECRET).unwrap();
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), SECRET);
}

#[tokio::test]
async fn the_systems_files_are_read_only_and_its_secrets_absent() {
    let bench = Bench::new();
    let text = bench
        .inside(
            "for path in ['/etc/shadow', '/root/.ssh', '/home', '/var', '/run', '/sys', '/boot']:\n    \
             print(path, os.path.exists(path))\n\
             for path in ['/usr/x', '/etc/x', '/x', '/dev/x', '/proc/sys/kernel/core_pattern']:\n    \
             try:\n        open(path, 'w'); print('REACHED', path)\n    \
             except OSError as error: print('refused', path)\n",
        )
        .await;
    assert!(!text.contains("True") || !bench.has_view().await, "{text}");
    assert!(!text.contains("REACHED"), "{text}");
    assert_eq!(text.matches("refused").count(), 5, "{text}");
}

#[tokio::test]
async fn frozen_and_hidden_places_hold_inside_a_writable_folder() {
    let bench = Bench::new();
    let work = bench.work();
    fs::create_dir_all(work.join(".git/hooks")).unwrap();
    fs::write(work.join(".env"), "KEY=1").unwrap();
    fs::create_dir(work.join("own")).unwrap();
    fs::write(work.join("own/state"), SECRET).unwrap();
    let mut job = bench.python(
        "def attempt(name, work):\n    \
             try: print(name, 'REACHED', work())\n    \
             except OSError as error: print(name, 'refused')\n\
         attempt('hook', lambda: open('.git/hooks/pre-commit', 'w'))\n\
         attempt('move', lambda: os.rename('.git', '.git2'))\n\
         attempt('write', lambda: open('.env', 'w'))\n\
         attempt('remove', lambda: os.remove('.env'))\n\
         attempt('replace', lambda: (open('n', 'w').close(), os.rename('n', '.env')))\n\
         attempt('link', lambda: os.link('.env', 'env2'))\n\
         attempt('state', lambda: open('own/state').read())\n\
         attempt('new state', lambda: open('own/new', 'w'))\n\
         print('env:', open('.env').read())\n\
         open('honest', 'w').write('x')\n",
    );
    job.frozen = vec![work.join(".git"), work.join(".env")];
    job.hidden = vec![work.join("own")];
    if !bench.has_view().await {
        let refused = bench.try_run(job).await;
        let is_refused = matches!(&refused, Err(Refusal::Promise { promise, .. }) if promise == "protected_places");
        assert!(is_refused, "{refused:?}");
        return;
    }
    let text = well(&bench.run(job).await);
    assert_eq!(text.matches("refused").count(), 8, "{text}");
    assert!(
        !text.contains("REACHED") && !text.contains(SECRET),
        "{text}"
    );
    assert!(text.contains("env: KEY=1") && work.join("honest").exists());
    assert_eq!(fs::read_to_string(work.join("own/state")).unwrap(), SECRET);
}

#[tokio::test]
async fn no_network_of_any_family() {
    let bench = Bench::new();
    let four = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = four.local_addr().unwrap().port();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let udp_port = udp.local_addr().unwrap().port();
    let name = format!("carl-probe-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    let path = bench.work().join("socket");
    let _pathname = UnixListener::bind(&path).unwrap();
    let s = "import socket\ns = socket.socket(socket.";
    let sure = [
        (
            "tcp",
            format!("{s}AF_INET, socket.SOCK_STREAM)\ns.connect(('127.0.0.1', {port}))"),
        ),
        (
            "odd spelling",
            format!("{s}AF_INET, socket.SOCK_STREAM)\ns.connect(('0x7f.1', {port}))"),
        ),
        (
            "udp",
            format!("{s}AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'x', ('127.0.0.1', {udp_port}))"),
        ),
        ("abstract", format!("{s}AF_UNIX)\ns.connect('\\0{name}')")),
        (
            "pathname",
            format!("{s}AF_UNIX)\ns.connect({})", quoted(&path)),
        ),
        (
            "netlink",
            format!("{s}AF_NETLINK, socket.SOCK_RAW, 0)\ns.bind((0, 0))"),
        ),
        (
            "listen",
            format!("{s}AF_INET, socket.SOCK_STREAM)\ns.bind(('127.0.0.1', 0))"),
        ),
        (
            "names",
            format!("import socket\nsocket.create_connection(('localhost', {port}))"),
        ),
    ];
    for (name, code) in sure {
        bench.surely_refuses(name, &code).await;
    }
}

#[tokio::test]
async fn no_network_of_the_rarer_families() {
    let bench = Bench::new();
    let four = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = four.local_addr().unwrap().port();
    let s = "import socket\ns = socket.socket(socket.";
    let where_there_is = [
        (
            "tcp on IPv6",
            format!("{s}AF_INET6, socket.SOCK_STREAM)\ns.bind(('::1', 0))"),
        ),
        (
            "mapped",
            format!("{s}AF_INET6, socket.SOCK_STREAM)\ns.connect(('::ffff:127.0.0.1', {port}))"),
        ),
        ("mptcp", format!("{s}AF_INET, socket.SOCK_STREAM, 262)")),
        (
            "raw",
            format!("{s}AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)"),
        ),
        (
            "ping",
            format!("{s}AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)"),
        ),
        ("packet", format!("{s}AF_PACKET, socket.SOCK_RAW)")),
        ("vsock", format!("{s}AF_VSOCK, socket.SOCK_STREAM)")),
        ("crypto", format!("{s}AF_ALG, socket.SOCK_SEQPACKET)")),
        ("bluetooth", format!("{s}AF_BLUETOOTH, socket.SOCK_RAW, 1)")),
    ];
    for (name, code) in where_there_is {
        bench.refuses(name, &code).await;
    }
    let text = said(
        &bench
            .run(bench.job(&[
                "bash",
                "-c",
                &format!("echo x > /dev/tcp/127.0.0.1/{port} && echo REACHED"),
            ]))
            .await,
    );
    assert!(!text.contains("REACHED"), "{text}");
}

#[tokio::test]
async fn with_the_machines_network_there_is_plain_tcp_and_nothing_odd() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut job = bench.python(&format!(
        "import socket\nsocket.create_connection(('127.0.0.1', {port}), 5); print('connected')\n\
         for family, kind in [(socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW)]:\n    \
         try: socket.socket(family, kind); print('REACHED', family)\n    \
         except OSError: print('refused')\n"
    ));
    job.network = Network::Host;
    let text = well(&bench.run(job).await);
    assert!(text.contains("connected"), "{text}");
    assert_eq!(text.matches("refused").count(), 3, "{text}");
}

#[tokio::test]
async fn other_processes_can_be_neither_seen_nor_touched() {
    let bench = Bench::new();
    let pid = std::process::id();
    let probes = [
        ("signal", format!("os.kill({pid}, 0)")),
        ("environment", format!("open('/proc/{pid}/environ').read()")),
        ("arguments", format!("open('/proc/{pid}/cmdline').read()")),
        ("memory map", format!("open('/proc/{pid}/maps').read()")),
        ("open files", format!("os.listdir('/proc/{pid}/fd')")),
        ("root", format!("os.listdir('/proc/{pid}/root/')")),
        ("folder", format!("os.readlink('/proc/{pid}/cwd')")),
        (
            "limits",
            format!("import resource\nresource.prlimit({pid}, resource.RLIMIT_NOFILE)"),
        ),
        (
            "priority",
            format!(
                "os.setpriority(os.PRIO_PROCESS, {pid}, os.getpriority(os.PRIO_PROCESS, {pid}))"
            ),
        ),
        (
            "processors",
            format!("os.sched_setaffinity({pid}, os.sched_getaffinity({pid}))"),
        ),
        (
            "shared memory",
            format!("name = '/dev/shm/carl-probe-{pid}'\nopen(name).read()"),
        ),
    ];
    let shared = format!("/dev/shm/carl-probe-{pid}");
    fs::write(&shared, SECRET).unwrap();
    for (name, code) in probes {
        bench.surely_refuses(name, &code).await;
    }
    fs::remove_file(&shared).unwrap();
    let text = bench
        .inside(
            "for path in ['environ', 'fd/0', 'fd/1', 'mem', 'root/etc', 'cwd/etc', 'exe', 'maps']:\n    \
             try: open('/proc/1/' + path, 'rb').read(1); print('REACHED', path)\n    \
             except OSError: print('refused')\n\
             try: os.kill(1, 9); os.kill(1, 19); print('still here')\n\
             except OSError: print('still here')\n",
        )
        .await;
    assert_eq!(text.matches("refused").count(), 8, "{text}");
    assert!(text.contains("still here"), "{text}");
}

#[tokio::test]
async fn nothing_is_inherited() {
    let bench = Bench::new();
    let secret = bench.outside().join("open.txt");
    fs::write(&secret, SECRET).unwrap();
    // Without the flag that closes it, every child of this process has it.
    let open = rustix::fs::open(&secret, OFlags::RDONLY, Mode::empty()).unwrap();
    let code = "def is_open(n):\n    \
                try: os.fstat(n); return True\n    \
                except OSError: return False\n\
                print([n for n in range(256) if is_open(n)])\nprint(sorted(os.environ))";
    let free = bench.free(code);
    assert!(
        !free.contains("[0, 1, 2]") && free.contains("CARGO"),
        "{free}"
    );
    let inside = bench.inside(code).await;
    assert!(inside.contains("[0, 1, 2]"), "{inside}");
    for name in [
        "CARGO_",
        "LD_",
        "GIT_",
        "SSH_",
        "XDG_",
        "DBUS",
        "PYTHONPATH",
    ] {
        assert!(!inside.contains(name), "{inside}");
    }
    drop(open);
}

#[tokio::test]
async fn the_account_says_what_was_in_force() {
    let bench = Bench::new();
    let finished = bench.run(bench.job(&[])).await;
    let state = |name: &str| {
        let found = finished.mechanisms.iter().find(|m| m.name == name);
        found
            .unwrap_or_else(|| panic!("{name} is not in the account"))
            .enforcement
            .clone()
    };
    for name in [
        "seccomp",
        "no_new_privs",
        "capabilities",
        "rlimits",
        "descriptors",
        "session_keyring",
        "seccomp_net",
    ] {
        assert_eq!(state(name), Enforcement::Enforced, "{name}");
    }
}
