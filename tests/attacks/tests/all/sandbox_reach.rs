//! What a program that a model runs cannot reach: other processes, sockets, networks, keyrings,
//! environments. Every attempt works outside.

use attacks::probe::{PREAMBLE, assert_shut, in_scratch, inside, outside, run};
use attacks::script::OPEN;
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::House;

const SECRET: &str = "the-silver-is-under-the-stairs";

/// A process of the same user that holds a secret in its memory, arguments and environment.
struct Victim(Child);

impl Victim {
    fn new() -> Self {
        let child = Command::new("sleep")
            .arg("1000")
            .env("SILVER", SECRET)
            .stdin(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _already_gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

#[test]
fn the_process_file_system_tells_nothing_of_others() {
    let house = House::new();
    let victim = Victim::new();
    let pid = victim.pid();
    let secret = house.home().join("secret.txt");
    fs::write(&secret, SECRET).unwrap();
    let at = secret.to_string_lossy().into_owned();
    let code = format!(
        "attempt('environ', lambda: open('/proc/{pid}/environ').read())\n\
         attempt('cmdline', lambda: open('/proc/{pid}/cmdline').read())\n\
         attempt('maps', lambda: open('/proc/{pid}/maps').read())\n\
         attempt('mem', lambda: open('/proc/{pid}/mem', 'rb'))\n\
         attempt('fd', lambda: os.listdir('/proc/{pid}/fd'))\n\
         attempt('root', lambda: open('/proc/{pid}/root{at}').read())\n\
         attempt('cwd', lambda: os.listdir('/proc/{pid}/cwd/'))\n\
         attempt('own-root', lambda: open('/proc/self/root{at}').read())\n\
         attempt('signal', lambda: os.kill({pid}, 0))\n\
         attempt('parent', lambda: open('/proc/%d/root{at}' % os.getppid()).read())\n"
    );
    let names = [
        "environ", "cmdline", "maps", "mem", "fd", "root", "cwd", "own-root", "signal", "parent",
    ];
    let free = outside(&house, &code);
    let (_, shut) = in_scratch(house, &code);
    assert_shut(&free, &shut, &names);
    assert!(!shut.text.contains(SECRET));
}

#[test]
fn the_guard_itself_is_out_of_reach() {
    let house = House::new();
    // Whatever `carl` there is: it is an ancestor of the program outside, and nothing inside.
    let code = "\
seen = [p for p in os.listdir('/proc') if p.isdigit()]
def name(pid):
    try: return open('/proc/%s/cmdline' % pid, 'rb').read()
    except OSError: return b''
def find():
    found = [p for p in seen if b'carl' in name(p) or b'attacks' in name(p) or b'sandbox_reach' in name(p)]
    assert found
    return found
attempt('see', find)
def strangers():
    others = [p for p in seen if int(p) not in (1, os.getpid(), os.getppid())]
    assert len(others) > 3
    return others
attempt('count', strangers)
";
    let free = outside(&house, code);
    let (scene, shut) = in_scratch(house, code);
    assert_shut(&free, &shut, &["see", "count"]);
    // Its process is marked so that no other of the same user can look into it.
    drop(scene);
}

#[test]
fn memory_and_execution_of_others_are_not_touched() {
    let house = House::new();
    let victim = Victim::new();
    let pid = victim.pid();
    let code = format!(
        "attempt('ptrace', lambda: call(101, 0x4206, {pid}, 0, 0))\n\
         def peek():\n    \
             line = [l for l in open('/proc/{pid}/maps') if 'stack' in l][0]\n    \
             start, end = (int(x, 16) for x in line.split()[0].split('-'))\n    \
             b = ctypes.create_string_buffer(8)\n    \
             local = (ctypes.c_ulong * 2)(ctypes.addressof(b), 8)\n    \
             remote = (ctypes.c_ulong * 2)(end - 4096, 8)\n    \
             call(310, {pid}, local, 1, remote, 1, 0)\n\
         attempt('process_vm_readv', peek)\n\
         attempt('pidfd', lambda: call(434, {pid}, 0))\n"
    );
    let free = outside(&house, &code);
    let (_, shut) = in_scratch(house, &code);
    assert_shut(&free, &shut, &["ptrace", "process_vm_readv", "pidfd"]);
}

#[test]
fn shared_memory_and_shared_folders_are_its_own() {
    let house = House::new();
    let mark = format!("carl-probe-{}", std::process::id());
    fs::write(format!("/tmp/{mark}"), SECRET).unwrap();
    fs::write(format!("/dev/shm/{mark}"), SECRET).unwrap();
    let code = format!(
        "attempt('tmp', lambda: open('/tmp/{mark}').read())\n\
         attempt('shm', lambda: open('/dev/shm/{mark}').read())\n\
         attempt('write', lambda: open('/dev/shm/{mark}', 'r+').write('x'))\n"
    );
    let free = outside(&house, &code);
    fs::write(format!("/dev/shm/{mark}"), SECRET).unwrap();
    let more = format!("open('/tmp/{mark}-planted', 'w').write('x')\n{code}");
    let (_, shut) = in_scratch(house, &more);
    assert_shut(&free, &shut, &["tmp", "shm", "write"]);
    assert!(!std::path::Path::new(&format!("/tmp/{mark}-planted")).exists());
    for folder in ["/tmp", "/dev/shm"] {
        fs::remove_file(format!("{folder}/{mark}")).unwrap();
    }
}

#[test]
fn sockets_with_a_path_are_not_met() {
    let house = House::new();
    // What a desktop has in its runtime folder, and what a careless user leaves in the project.
    let names = ["bus", "docker.sock", "agent.sock", "tmux", "S.gpg-agent"];
    let in_runtime: Vec<UnixListener> = names
        .iter()
        .map(|name| UnixListener::bind(house.run_dir().join(name)).unwrap())
        .collect();
    let in_project = UnixListener::bind(house.work().join("s")).unwrap();
    let datagram = UnixDatagram::bind(house.work().join("d")).unwrap();
    let mut served = house.ask(["serve"]).spawn();
    served.until("serving at");
    let own = house.run_dir().join("housecarl");
    let own = fs::read_dir(&own)
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .find(|path| {
            use std::os::unix::fs::FileTypeExt;
            fs::metadata(path).is_ok_and(|m| m.file_type().is_socket())
        });
    let mut paths: Vec<String> = names
        .iter()
        .map(|name| house.run_dir().join(name).to_string_lossy().into_owned())
        .collect();
    paths.push(house.work().join("s").to_string_lossy().into_owned());
    paths.push(own.unwrap().to_string_lossy().into_owned());
    let code = format!(
        "for number, path in enumerate({paths:?}):\n    \
             attempt('stream%d' % number, lambda: socket.socket(socket.AF_UNIX).connect(path))\n\
         attempt('datagram', lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', {:?}))\n",
        house.work().join("d")
    );
    let shown: Vec<String> = (0..paths.len())
        .map(|n| format!("stream{n}"))
        .chain(["datagram".to_owned()])
        .collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    let free = outside(&house, &code);
    served.kill();
    let (_, shut) = inside(house, &code);
    assert_shut(&free, &shut, &shown);
    drop((in_runtime, in_project, datagram));
}

/// A named pipe that a program outside holds, and what came through it.
struct Pipe {
    path: String,
    held: fs::File,
}

impl Pipe {
    fn new(path: &Path) -> Self {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        // With both ends nobody waits for anybody.
        let held = fs::File::options().read(true).write(true).open(path);
        Self {
            path: path.to_string_lossy().into_owned(),
            held: held.unwrap(),
        }
    }

    fn got(&mut self) -> String {
        self.held.write_all(b".").unwrap();
        let mut got = Vec::new();
        while got.last() != Some(&b'.') {
            let mut byte = [0];
            self.held.read_exact(&mut byte).unwrap();
            got.extend(byte);
        }
        got.pop();
        String::from_utf8(got).unwrap()
    }
}

#[test]
fn pipes_where_nothing_may_be_changed_are_not_written_to() {
    let house = House::new();
    let (work, home) = (house.work(), house.home());
    symlink("plain/told", work.join(".envrc")).unwrap();
    let shut = [
        work.join(".git/pipe"),
        work.join(".vscode/deep/pipe"),
        work.join("plain/told"),
        work.join("sub/.tmux.conf"),
        home.join("music/mpv.fifo"),
    ];
    let free = [work.join("build.fifo"), work.join("plain/other")];
    let mut shut = shut.map(|path| Pipe::new(&path));
    let mut free = free.map(|path| Pipe::new(&path));
    let paths: Vec<&str> = shut
        .iter()
        .chain(&free)
        .map(|pipe| pipe.path.as_str())
        .collect();
    let code = format!(
        "def tell(path):\n    f = os.open(path, os.O_WRONLY | os.O_NONBLOCK)\n    \
             os.write(f, b'evil')\n\
         for number, path in enumerate({paths:?}):\n    \
             attempt('pipe%d' % number, lambda: tell(path))\n"
    );
    let all = [
        "pipe0", "pipe1", "pipe2", "pipe3", "pipe4", "pipe5", "pipe6",
    ];
    assert_eq!(outside(&house, &code).reached, all, "the control fails");
    for pipe in shut.iter_mut().chain(&mut free) {
        assert_eq!(pipe.got(), "evil", "{}", pipe.path);
    }
    let (_scene, seen) = inside(house, &code);
    assert_eq!(seen.reached, ["pipe5", "pipe6"], "{}", seen.text);
    for pipe in &mut shut {
        assert_eq!(pipe.got(), "", "{}", pipe.path);
    }
    // A pipe in a folder that may be changed works on.
    for pipe in &mut free {
        assert_eq!(pipe.got(), "evil", "{}", pipe.path);
    }
}

#[test]
fn abstract_sockets_are_not_met() {
    let house = House::new();
    let name = format!("carl-probe-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let code = format!(
        "attempt('abstract', lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}'))\n"
    );
    let free = outside(&house, &code);
    let (_, shut) = in_scratch(house, &code);
    assert_shut(&free, &shut, &["abstract"]);
}

#[test]
fn no_network_of_any_family_and_no_name_is_looked_up() {
    let house = House::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let udp_port = udp.local_addr().unwrap().port();
    let code = format!(
        "def tcp(host, family=socket.AF_INET):\n    \
             s = socket.socket(family); s.settimeout(5); s.connect((host, {port})); return s\n\
         attempt('plain', lambda: tcp('127.0.0.1'))\n\
         attempt('short', lambda: tcp('127.1'))\n\
         attempt('decimal', lambda: tcp('2130706433'))\n\
         attempt('octal', lambda: tcp('0177.0.0.1'))\n\
         attempt('hex', lambda: tcp('0x7f000001'))\n\
         attempt('any', lambda: tcp('0.0.0.0'))\n\
         attempt('name', lambda: tcp('localhost'))\n\
         attempt('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp_port})))\n\
         attempt('listen', lambda: socket.socket().bind(('127.0.0.1', 0)))\n\
         attempt('netlink', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0)))\n\
         def devtcp():\n    \
             subprocess.run(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/{port}'], check=True, capture_output=True)\n\
         attempt('bash', devtcp)\n\
         attempt('ring', lambda: call(425, 2, ctypes.create_string_buffer(120)))\n"
    );
    let names = [
        "plain", "short", "decimal", "octal", "hex", "any", "name", "udp", "listen", "netlink",
        "bash", "ring",
    ];
    let free = outside(&house, &code);
    // Families that not every machine has: shut, whether or not there is a control.
    let odd = "\
attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt('ping', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1))
attempt('six', lambda: socket.socket(socket.AF_INET6).bind(('::1', 0)))
attempt('packet', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt('vsock', lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
attempt('mptcp', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))
attempt('alg', lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
attempt('dns', lambda: socket.getaddrinfo('secret.example.org', 80))
attempt('resolver', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.53', 53)))
";
    let (_, shut) = in_scratch(house, &format!("{code}{odd}"));
    assert_eq!(free.reached, names, "{}", free.text);
    assert_eq!(shut.reached, Vec::<String>::new(), "{}", shut.text);
    assert_eq!(shut.refused.len(), names.len() + 9, "{}", shut.text);
}

#[test]
fn keyrings_and_the_session_bus_are_not_inherited() {
    let house = House::new();
    let bus = UnixListener::bind(house.run_dir().join("bus")).unwrap();
    let address = format!("unix:path={}", house.run_dir().join("bus").display());
    let path = house.run_dir().join("bus").to_string_lossy().into_owned();
    let code = format!(
        "attempt('keyring', lambda: call(250, 0, -3, 1))\n\
         attempt('add', lambda: call(248, b'user', b'carl-probe', b'x', 1, -2))\n\
         attempt('bus', lambda: socket.socket(socket.AF_UNIX).connect({path:?}))\n\
         print('bus address', os.environ.get('DBUS_SESSION_BUS_ADDRESS'))\n"
    );
    let free = outside(&house, &code);
    let call = (
        "run_command",
        json!({"argv": ["python3", "-B", "-c", format!("{PREAMBLE}{code}")]}),
    );
    let environment = [("DBUS_SESSION_BUS_ADDRESS", address.as_str())];
    let (_, shut) = run(house, &OPEN, call, &environment);
    assert_shut(&free, &shut, &["keyring", "add", "bus"]);
    assert!(shut.text.contains("bus address None"), "{}", shut.text);
    drop(bus);
}

#[test]
fn the_environment_and_open_files_of_carl_stay_with_it() {
    let house = House::new();
    let script = "env; cat /proc/*/environ /proc/1/environ 2>&1; set -x; true; ls -l /proc/self/fd; \
                  cat /proc/*/cmdline 2>&1; bash -c 'compgen -v' | tr '\\n' ' '";
    let environment = [
        ("OPENAI_API_KEY", SECRET),
        ("INNOCENT_NAME", SECRET),
        ("LD_PRELOAD_PATH", SECRET),
        ("PYTHONPATH", SECRET),
        ("GIT_SSH_COMMAND", SECRET),
        ("BASH_ENV", SECRET),
    ];
    // The control: outside, the same words show it.
    let free = Command::new("sh")
        .args(["-c", "env"])
        .envs(environment)
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&free.stdout).contains(SECRET));
    let call = ("run_command", json!({"argv": ["sh", "-c", script]}));
    let (_, shut) = run(house, &OPEN, call, &environment);
    assert!(shut.text.contains("PATH="), "{}", shut.text);
    assert!(!shut.text.contains(SECRET), "{}", shut.text);
    for name in ["OPENAI", "INNOCENT", "PYTHONPATH", "GIT_SSH", "BASH_ENV"] {
        assert!(!shut.text.contains(name), "{name}: {}", shut.text);
    }
    let crash = (
        "run_command",
        json!({"argv": ["sh", "-c", "ulimit -c; sh -c 'kill -SEGV $$'; ls -a"]}),
    );
    let (scene, crashed) = run(House::new(), &OPEN, crash, &environment);
    assert!(!crashed.text.contains(SECRET), "{}", crashed.text);
    let names: Vec<_> = fs::read_dir(scene.house.work())
        .unwrap()
        .flatten()
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn keys_and_passwords_beside_the_work_are_not_seen_by_programs() {
    let house = House::new();
    let places = [
        house.home().join(".netrc"),
        house.work().join(".netrc"),
        house.work().join("deep/down/.git-credentials"),
        house.work().join("deep/.ssh/id_ed25519"),
    ];
    for place in &places {
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, SECRET).unwrap();
    }
    std::os::unix::fs::symlink(house.home().join(".netrc"), house.work().join("plain.txt"))
        .unwrap();
    let names: Vec<String> = places
        .iter()
        .map(|place| format!("{:?}", place.to_string_lossy()))
        .collect();
    let code = format!(
        "for name in [{}, 'plain.txt']:\n\
         \x20   attempt('key', lambda: print(open(name).read()))\n\
         attempt('copy', lambda: subprocess.run(['cp', '-r', 'deep', 'copy']))\n\
         for folder, _, files in os.walk('copy'):\n\
         \x20   for name in files:\n\
         \x20       attempt('copied', lambda: print(open(os.path.join(folder, name)).read()))\n",
        names.join(", ")
    );
    let free = outside(&house, &code);
    assert_eq!(free.text.matches(SECRET).count(), 7, "{}", free.text);
    fs::remove_dir_all(house.work().join("copy")).unwrap();
    let (_, shut) = inside(house, &code);
    assert!(!shut.text.contains(SECRET), "{}", shut.text);
    assert!(!shut.text.is_empty());
}
