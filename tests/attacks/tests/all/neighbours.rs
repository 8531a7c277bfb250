//! Other users of the machine: what they serve is not taken for the user's own.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use testkit::House;

/// A server that lists two models, answers, and writes each path and body that it is asked for to
/// its output; the first line is its port.
const SERVER: &str = r#"
import http.server, json
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def give(self, value, kind='application/json'):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(200); self.send_header('content-type', kind)
        self.send_header('content-length', str(len(body))); self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        print('GET', self.path, flush=True)
        self.give({'object': 'list', 'data': [{'id': 'big', 'object': 'model'},
                                              {'id': 'nomic-embed-text', 'object': 'model'}]})
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('content-length', 0)))
        print('POST', self.path, body.decode(), flush=True)
        if 'embed' in self.path:
            inputs = json.loads(body)['input']
            count = len(inputs) if isinstance(inputs, list) else 1
            return self.give({'data': [{'index': i, 'embedding': [0.1] * 8} for i in range(count)]})
        part = {'id': 'x', 'model': 'big', 'choices': [
            {'index': 0, 'delta': {'content': 'Four.'}, 'finish_reason': 'stop'}]}
        self.give(b'data: ' + json.dumps(part).encode() + b'\n\ndata: [DONE]\n\n',
                  'text/event-stream')
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), H)
print(server.server_port, flush=True)
server.serve_forever()
"#;
/// `nobody`.
const STRANGER: u32 = 65_534;

/// A server in a process of its own, which ends with this.
struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

impl Neighbour {
    /// What it was asked, once it is ended.
    fn asked(&mut self) -> String {
        let _ = self.0.kill().and_then(|()| self.0.wait());
        let mut asked = String::new();
        let out = self.0.stdout.take().unwrap();
        BufReader::new(out).read_to_string(&mut asked).unwrap();
        asked
    }
}

/// A server on loopback, with its port; `None` where this test may not become another user.
fn serving(uid: Option<u32>) -> Option<(Neighbour, u16)> {
    let mut command = Command::new("/usr/bin/python3");
    command
        .args(["-c", SERVER])
        .current_dir("/")
        .stdout(Stdio::piped());
    if let Some(uid) = uid {
        command.uid(uid).gid(uid);
    }
    let mut child = command.spawn().ok()?;
    let mut first = String::new();
    let out = child.stdout.take()?;
    let mut out = BufReader::new(out);
    out.read_line(&mut first).ok()?;
    child.stdout = Some(out.into_inner());
    Some((Neighbour(child), first.trim().parse().ok()?))
}

fn house(port: u16, more: &str) -> House {
    let house = House::new();
    house.configure(&format!(
        "[models.discovery]\nollama_port = 1\nopenai_ports = [{port}]\nembedded = false\n\n{more}"
    ));
    house
}

const SECRET: &str = "My alarm code is eight eight four two";

fn remember_and_ask(house: &House) -> testkit::Finished {
    let added = house
        .ask(["memory", "add", SECRET, "--name", "alarm"])
        .run();
    assert_eq!(added.code, Some(0), "{added:?}");
    house
        .ask(["run", "my PIN is 4711, what is two plus two"])
        .run()
}

#[test]
fn a_model_server_of_another_user_is_not_used_unasked() {
    let Some((mut server, port)) = serving(Some(STRANGER)) else {
        return;
    };
    let theirs = house(port, "");
    let run = remember_and_ask(&theirs);
    assert_ne!(run.code, Some(0), "{run:?}");
    // What it is, and what to write when it is meant.
    for part in [
        "belongs to",
        "[models.providers.local-",
        "type = \"openai\"",
    ] {
        assert!(run.stderr.contains(part), "{part} in {run:?}");
    }
    let listed = theirs.ask(["models"]).run();
    assert!(!listed.stdout.contains("nomic"), "{listed:?}");
    let heard = server.asked();
    assert_eq!(heard, "", "nothing was sent");

    // The control: once the user has configured it, it is used.
    let (mut server, port) = serving(Some(STRANGER)).unwrap();
    let configured = house(
        port,
        &format!(
            "[models.providers.local-{port}]\ntype = \"openai\"\n\
             endpoint = \"http://127.0.0.1:{port}/v1\"\n"
        ),
    );
    let run = remember_and_ask(&configured);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(server.asked().contains("4711"));
}

#[test]
fn the_users_own_model_server_is_found() {
    let Some((mut server, port)) = serving(None) else {
        return;
    };
    let own = house(port, "");
    let run = remember_and_ask(&own);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("Four."), "{run:?}");
    assert!(server.asked().contains("4711"));
}

/// A search server at SearXNG's usual place, of the user `argv[1]`, beside a command that is run in
/// the same network. What the server is asked stands in the file `asked`.
const SEARCHED: &str = r#"
import fcntl, http.server, json, os, signal, socket, socketserver, struct, subprocess, sys
with socket.socket() as s:
    up = struct.pack('16sh', b'lo', 0x1)
    fcntl.ioctl(s, 0x8914, up)
asked = open('asked', 'w')
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_GET(self):
        asked.write(self.path + '\n'); asked.flush()
        body = json.dumps({'results': []}).encode()
        self.send_response(200); self.send_header('content-length', str(len(body)))
        self.end_headers(); self.wfile.write(body)
listens, ready = os.pipe()
child = os.fork()
if child == 0:
    os.setuid(int(sys.argv[1]))
    server = socketserver.TCPServer(('127.0.0.1', 8888), H)
    os.write(ready, b'y')
    server.serve_forever()
os.close(ready)
os.read(listens, 1)
done = subprocess.run(sys.argv[2:])
os.kill(child, signal.SIGKILL)
sys.exit(done.returncode)
"#;

/// What a search by rules says, and what a server of this user at the usual place was asked;
/// `None` where this test may not make a network of its own.
fn searched(uid: u32, config: &str) -> Option<(String, String)> {
    let house = House::new();
    house.configure(config);
    house.write("beside.py", SEARCHED);
    let line = format!(
        "exec unshare -n python3 beside.py {uid} carl run --mode deterministic \
         'search the web for oolong'"
    );
    let ran = house.carl().typed(&line).run();
    house
        .has("asked")
        .then(|| (ran.stderr + &ran.stdout, house.read("asked")))
}

#[test]
fn a_search_server_of_another_user_is_not_asked_unasked() {
    let Some((told, asked)) = searched(STRANGER, "") else {
        return;
    };
    assert!(told.contains("port 8888 belongs to"), "{told}");
    assert!(told.contains("under [search]"), "{told}");
    assert_eq!(asked, "", "{told}");
    // The controls: the user's own, and one that the configuration names.
    let (told, asked) = searched(0, "").unwrap();
    assert!(asked.contains("oolong"), "{told}");
    let named = "[search]\nurl = \"http://127.0.0.1:8888\"\n";
    let (told, asked) = searched(STRANGER, named).unwrap();
    assert!(asked.contains("oolong"), "{told}");
}
