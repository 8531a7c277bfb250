//! Bridges that answer, and bridges that misbehave.

use super::*;
use domain::fault::Coded;
use std::io;
use tokio::net::UnixListener;

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(300);

fn shell(script: &str) -> Bridge {
    Bridge::Stdio {
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
    }
}

async fn asked(bridge: &Bridge, limit: Duration) -> Result<Value, Error> {
    let folder = tempfile::tempdir().unwrap();
    let listing = ["notes.txt".to_owned(), "docs/".to_owned()];
    let request = Request {
        memory: String::new(),
        input: "show notes.txt".to_owned(),
        workspace: folder.path().to_owned(),
        listing: listing.to_vec(),
    };
    ask(bridge, &request, limit).await
}

async fn code(bridge: &Bridge, limit: Duration) -> &'static str {
    asked(bridge, limit).await.unwrap_err().code()
}

#[tokio::test]
async fn a_bridge_is_told_everything_and_its_plan_comes_back() {
    // The program answers with what it was told.
    let echo = shell("read line; printf '{\"plan\": %s}\\n' \"$line\"");
    let told = asked(&echo, LONG).await.unwrap();
    assert_eq!(told["version"], 1);
    assert_eq!(told["input"], "show notes.txt");
    assert_eq!(told["context"]["listing"], json!(["notes.txt", "docs/"]));
    let actions = told["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 22);
    assert!(
        actions
            .iter()
            .all(|one| one["kind"].is_string() && one["schema"]["properties"].is_object())
    );
}

#[tokio::test]
async fn misbehaving_programs_give_clear_errors() {
    for (script, expected) in [
        ("exit 3", "bridge.no_answer"),
        ("cat >/dev/null", "bridge.no_answer"),
        ("echo hello there", "bridge.invalid_answer"),
        ("echo '[1, 2]'", "bridge.invalid_answer"),
        (
            "echo '{\"plan\": {}, \"command\": \"rm\"}'",
            "bridge.invalid_answer",
        ),
        (
            "echo '{\"plan\": {}, \"error\": {\"message\": \"x\"}}'",
            "bridge.invalid_answer",
        ),
        ("echo '{\"error\": \"x\"}'", "bridge.invalid_answer"),
        (
            "echo '{\"error\": {\"message\": \"too hard\"}}'",
            "bridge.declined",
        ),
        ("printf '\\377\\376\\n'", "bridge.invalid_answer"),
    ] {
        assert_eq!(code(&shell(script), LONG).await, expected, "{script}");
    }
    let none = Bridge::Stdio {
        command: vec!["/no/such/program".to_owned()],
    };
    assert_eq!(code(&none, LONG).await, "bridge.unreachable");
    assert_eq!(
        code(
            &Bridge::Stdio {
                command: Vec::new()
            },
            LONG
        )
        .await,
        "bridge.not_configured"
    );
}

#[tokio::test]
async fn an_answer_may_be_as_long_as_the_limit_and_no_longer() {
    let endless = shell("while :; do printf '0123456789012345678901234567890123456789'; done");
    assert_eq!(code(&endless, LONG).await, "bridge.too_large");
    let frame = "{\"plan\":\"\"}".len();
    let fits = vec![b'x'; BRIDGE_ANSWER_BYTES - frame];
    for (extra, is_ok) in [(0, true), (1, false)] {
        let mut line = b"{\"plan\":\"".to_vec();
        line.extend(&fits);
        line.extend(vec![b'x'; extra]);
        line.extend(b"\"}\n");
        assert_eq!(read_line(line.as_slice()).await.is_ok(), is_ok);
    }
}

#[tokio::test]
async fn a_bridge_that_hangs_is_given_up() {
    assert_eq!(code(&shell("sleep 600"), SHORT).await, "bridge.timeout");
}

#[tokio::test]
async fn a_bridge_that_is_no_longer_wanted_ends_with_everything_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("alive");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .unwrap();
    assert!(made.success());
    // The grandchild holds the writing end open for as long as it lives.
    let hanging = shell(&format!(
        "(exec 3>'{}'; exec sleep 600) & wait",
        fifo.display()
    ));
    let asking = tokio::spawn(async move { asked(&hanging, LONG).await });
    // Opening returns when the grandchild is there; reading ends when no writer is left.
    let open = tokio::task::spawn_blocking(move || std::fs::File::open(fifo));
    let mut reading = open.await.unwrap().unwrap();
    asking.abort();
    // A thread of its own: a runtime would wait for it when the test fails.
    let (tell, ended) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || tell.send(io::Read::read_to_end(&mut reading, &mut Vec::new())));
    let ended = tokio::time::timeout(LONG, ended).await;
    ended.expect("the grandchild lives on").unwrap().unwrap();
}

#[tokio::test]
async fn a_program_sees_only_the_allowed_environment() {
    let show = shell("printf '{\"plan\": \"'; env | sed 's/=.*//' | tr '\\n' ' '; printf '\"}\\n'");
    let names = asked(&show, LONG).await.unwrap();
    // `PWD`, `OLDPWD`, `SHLVL` and `_` are the shell's own.
    let own = ["PWD", "OLDPWD", "SHLVL", "_"];
    for name in names.as_str().unwrap().split_whitespace() {
        assert!(ENVIRONMENT.contains(&name) || own.contains(&name), "{name}");
    }
    // The test itself runs with more than that.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
}

#[tokio::test]
async fn a_bridge_may_listen_at_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("bridge.sock");
    let bridge = Bridge::Socket { path: path.clone() };
    assert_eq!(code(&bridge, LONG).await, "bridge.unreachable");
    let listener = UnixListener::bind(&path).unwrap();
    let serve = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut told = Vec::new();
        stream.read_to_end(&mut told).await.unwrap();
        stream
            .write_all(b"{\"plan\": {\"intent\": \"x\"}}\n")
            .await
            .unwrap();
        (listener, told)
    });
    assert_eq!(asked(&bridge, LONG).await.unwrap()["intent"], "x");
    let (listener, told) = serve.await.unwrap();
    assert!(told.ends_with(b"\n"));
    let hang = tokio::spawn(async move { listener.accept().await.map(|(stream, _)| stream) });
    assert_eq!(code(&bridge, SHORT).await, "bridge.timeout");
    hang.await.unwrap().unwrap();
}
