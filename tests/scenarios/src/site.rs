//! A site of the public internet on this machine: a network namespace in which a prefix of the
//! public range leads here by a route, so that a page can be fetched that no configuration lets
//! through by name.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Says to a test program that it was started again, inside.
const INSIDE: &str = "HOUSE_TEST_INSIDE_NAMESPACE";
/// Of the public range, routed to this machine, and no interface's address.
pub const PUBLIC: &str = "11.1.2.3";
/// Of the public range, and an interface's address.
pub const OWN: &str = "11.9.9.9";

/// Whether this test program already runs in the namespace.
#[must_use]
pub fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Runs one test of this test program in a namespace of its own. It returns at once where
/// [`is_inside`] says no.
///
/// # Panics
/// When the test fails there, or no namespace can be made.
pub fn run_inside(test: &str) {
    let mut again = again_inside(&["--exact", test, "--nocapture"]);
    let output = again.output().unwrap();
    assert!(
        output.status.success(),
        "this needs `unshare` and `ip`:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// This program with these arguments, started again in a namespace of its own.
///
/// # Panics
/// When this program cannot be found.
#[must_use]
pub fn again_inside(args: &[&str]) -> Command {
    let script = format!(
        "set -e; ip link set lo up; ip route add local 11.1.2.0/24 dev lo; \
         ip addr add {OWN}/32 dev lo; exec \"$0\" \"$@\""
    );
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--net", "sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .args(args)
        .env(INSIDE, "yes")
        // Whatever is said here must not be obeyed.
        .env("http_proxy", "http://127.0.0.1:1");
    command
}

/// What a site says to one who asks for a path.
pub struct Response {
    status: &'static str,
    header: String,
    body: String,
}

impl Response {
    /// A page of HTML.
    #[must_use]
    pub fn page(body: &str) -> Self {
        Self {
            status: "200 OK",
            header: "content-type: text/html".to_owned(),
            body: body.to_owned(),
        }
    }

    /// The way to another address.
    #[must_use]
    pub fn redirect(to: &str) -> Self {
        Self {
            status: "302 Found",
            header: format!("location: {to}"),
            body: String::new(),
        }
    }

    /// A document in JSON, under this status line.
    #[must_use]
    pub fn json(status: &'static str, body: &str) -> Self {
        Self {
            status,
            header: "content-type: application/json".to_owned(),
            body: body.to_owned(),
        }
    }

    /// That there is nothing here.
    #[must_use]
    pub fn missing() -> Self {
        Self {
            status: "404 Not Found",
            header: "x: y".to_owned(),
            body: String::new(),
        }
    }
}

/// At which addresses a site was reached, in that order.
pub type Reached = Arc<Mutex<Vec<IpAddr>>>;

/// A site at port 80 of every address of the namespace; it is there until the program ends.
///
/// # Panics
/// When it cannot listen, or whoever connects speaks no HTTP.
pub fn serve(answer: impl Fn(&str) -> Response + Send + 'static) -> Reached {
    let listener = TcpListener::bind(("::", 80)).unwrap();
    let reached = Reached::default();
    let keeps = Arc::clone(&reached);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            let address = stream.local_addr().unwrap().ip().to_canonical();
            keeps.lock().unwrap().push(address);
            respond(&stream, &answer);
        }
    });
    reached
}

/// A site at a port of this machine, which is its answer; it is there until the program ends.
///
/// # Panics
/// When it cannot listen, or whoever connects speaks no HTTP.
pub fn serve_here(answer: impl Fn(&str) -> Response + Send + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            // One that only looks whether somebody listens says nothing.
            if stream.peek(&mut [0]).is_ok_and(|bytes| bytes > 0) {
                respond(&stream, &answer);
            }
        }
    });
    port
}

fn respond(stream: &TcpStream, answer: impl Fn(&str) -> Response) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // The rest of the request is read, so that closing is no reset.
    while lines.next().unwrap().unwrap() != "" {}
    let path = first.split(' ').nth(1).unwrap();
    let Response {
        status,
        header,
        body,
    } = answer(path);
    let bytes = body.len();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {bytes}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
}
