//! Raw sockets at the door: what is let in, and what is not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use domain::drive::Signal;
use domain::limits::SIGNAL_BYTES;
use futures::StreamExt;
use inbox::{CONNECTIONS, Error, Inbox, MESSAGES_A_MINUTE};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const TOKEN: &str = "0123456789abcdef-token";
/// Longest a test waits. Reached only when a promise is broken.
const PATIENCE: Duration = Duration::from_secs(30);

fn any_port() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

async fn open() -> Inbox {
    Inbox::open(any_port(), TOKEN).await.unwrap()
}

/// The status of the answer to these bytes; 0 when there is none.
async fn status(inbox: &Inbox, bytes: &[u8]) -> u16 {
    let talk = async {
        let mut stream = TcpStream::connect(inbox.address()).await.unwrap();
        let mut answer = Vec::new();
        // The other side may have said no and gone before everything is written.
        let _ = stream.write_all(bytes).await;
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let number = text.split(' ').nth(1).and_then(|word| word.parse().ok());
        number.unwrap_or(0)
    };
    tokio::time::timeout(PATIENCE, talk).await.unwrap()
}

struct Post<'a> {
    line: &'a str,
    host: String,
    token: &'a str,
    extra: &'a str,
    body: &'a [u8],
}

impl<'a> Post<'a> {
    fn to(inbox: &Inbox, body: &'a [u8]) -> Self {
        Self {
            line: "POST /inbox HTTP/1.1",
            host: inbox.address().to_string(),
            token: TOKEN,
            extra: "",
            body,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let head = format!(
            "{}\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.line,
            self.host,
            self.token,
            self.extra,
            self.body.len()
        );
        [head.as_bytes(), self.body].concat()
    }
}

async fn posted(inbox: &Inbox, change: impl Fn(&mut Post<'_>), body: &[u8]) -> u16 {
    let mut post = Post::to(inbox, body);
    change(&mut post);
    status(inbox, &post.bytes()).await
}

#[tokio::test]
async fn a_message_with_the_token_is_a_signal_of_the_inbox() {
    let inbox = open().await;
    let mut signals = inbox.messages();
    assert_eq!(posted(&inbox, |_| {}, "grüß dich".as_bytes()).await, 202);
    let json = |post: &mut Post<'_>| post.extra = "Content-Type: application/json\r\n";
    assert_eq!(posted(&inbox, json, br#"{"text": "and again"}"#).await, 202);
    let localhost = |post: &mut Post<'_>| {
        let port = inbox.address().port();
        post.host = format!("localhost:{port}");
    };
    assert_eq!(posted(&inbox, localhost, b"third").await, 202);
    for wanted in ["grüß dich", "and again", "third"] {
        let Some(Signal::Message { channel, text }) = signals.next().await else {
            panic!("no message");
        };
        assert_eq!((channel.as_str(), text.as_str()), ("inbox", wanted));
    }
}

/// What is wrong with a post.
type Change = fn(&mut Post<'_>);

#[tokio::test]
async fn whoever_may_not_is_refused_and_nothing_comes_in() {
    let inbox = open().await;
    let mut signals = inbox.messages();
    let refused: [(u16, Change); 9] = [
        (401, |post| post.token = ""),
        (401, |post| post.token = "0123456789abcdef-tokem"),
        (401, |post| post.token = "0123456789abcdef-token-and-more"),
        (403, |post| post.host = "evil.example".to_owned()),
        (403, |post| {
            post.host = "127.0.0.1.evil.example:80".to_owned()
        }),
        (403, |post| post.extra = "Origin: https://evil.example\r\n"),
        (403, |post| post.extra = "Origin: null\r\n"),
        (404, |post| post.line = "POST / HTTP/1.1"),
        (405, |post| post.line = "GET /inbox HTTP/1.1"),
    ];
    for (number, (wanted, change)) in refused.into_iter().enumerate() {
        assert_eq!(posted(&inbox, change, b"hello").await, wanted, "{number}");
    }
    let unusable: [(u16, &str, &[u8]); 5] = [
        (400, "", b"  "),
        (400, "", b"\xff\xfe"),
        (400, "Content-Type: application/json\r\n", b"[1]"),
        (
            415,
            "Content-Type: application/x-www-form-urlencoded\r\n",
            b"text=x",
        ),
        (415, "Content-Type: multipart/form-data\r\n", b"x"),
    ];
    for (number, (wanted, extra, body)) in unusable.into_iter().enumerate() {
        let mut post = Post::to(&inbox, body);
        post.extra = extra;
        assert_eq!(status(&inbox, &post.bytes()).await, wanted, "{number}");
    }
    assert_eq!(posted(&inbox, |_| {}, b"the only one").await, 202);
    let Some(Signal::Message { text, .. }) = signals.next().await else {
        panic!("no message");
    };
    assert_eq!(text, "the only one");
}

#[tokio::test]
async fn a_message_has_at_most_the_length_of_a_signal() {
    let inbox = open().await;
    let _listening = inbox.messages();
    let most = vec![b'a'; SIGNAL_BYTES - inbox::CHANNEL.len()];
    assert_eq!(posted(&inbox, |_| {}, &most).await, 202);
    let more = vec![b'a'; SIGNAL_BYTES - inbox::CHANNEL.len() + 1];
    assert_eq!(posted(&inbox, |_| {}, &more).await, 413);
    let far_more = vec![b'a'; 4 * SIGNAL_BYTES];
    assert_eq!(posted(&inbox, |_| {}, &far_more).await, 413);
}

#[tokio::test]
async fn too_many_in_a_minute_are_refused() {
    let inbox = open().await;
    let _listening = inbox.messages();
    for _ in 0..MESSAGES_A_MINUTE {
        assert_eq!(posted(&inbox, |_| {}, b"hello").await, 202);
    }
    assert_eq!(posted(&inbox, |_| {}, b"hello").await, 429);
}

#[tokio::test]
async fn without_a_session_in_auto_mode_nothing_is_taken() {
    let inbox = open().await;
    assert_eq!(posted(&inbox, |_| {}, b"hello").await, 503);
}

#[tokio::test]
async fn whoever_says_nothing_keeps_nobody_out_for_long() {
    let inbox = open().await;
    let _listening = inbox.messages();
    let mut idle = Vec::new();
    for _ in 0..CONNECTIONS {
        idle.push(TcpStream::connect(inbox.address()).await.unwrap());
    }
    assert_eq!(posted(&inbox, |_| {}, b"hello").await, 202);
}

/// Longest an answer may take while strangers hold every place.
const PROMPT: Duration = Duration::from_secs(8);

#[tokio::test]
async fn half_a_header_keeps_neither_a_place_nor_a_message_out() {
    let inbox = open().await;
    let _listening = inbox.messages();
    // One that has shown the token, and is asked for its body.
    let mut slow = TcpStream::connect(inbox.address()).await.unwrap();
    let mut post = Post::to(&inbox, b"later");
    post.extra = "Expect: 100-continue\r\n";
    let head = post.bytes();
    let (head, body) = head.split_at(head.len() - post.body.len());
    slow.write_all(head).await.unwrap();
    let mut asked = [0; 25];
    slow.read_exact(&mut asked).await.unwrap();
    assert!(asked.starts_with(b"HTTP/1.1 100"), "{asked:?}");
    let mut idle = Vec::new();
    for _ in 0..6 * CONNECTIONS {
        let mut stream = TcpStream::connect(inbox.address()).await.unwrap();
        stream
            .write_all(b"POST /inbox HTTP/1.1\r\nHost: ")
            .await
            .unwrap();
        idle.push(stream);
    }
    let answer = tokio::time::timeout(PROMPT, posted(&inbox, |_| {}, b"hello"));
    assert_eq!(answer.await.unwrap(), 202);
    slow.write_all(body).await.unwrap();
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 202"), "{answer:?}");
    // Nobody waits, and still the last of them is sent away.
    let mut last = idle.pop().unwrap();
    let gone = tokio::time::timeout(PROMPT, last.read_to_end(&mut answer));
    let _ended_or_reset = gone.await.unwrap();
}

#[tokio::test]
async fn it_listens_on_this_machine_alone_and_not_without_a_token() {
    let everywhere: SocketAddr = (Ipv4Addr::UNSPECIFIED, 0).into();
    let refused = Inbox::open(everywhere, TOKEN).await.unwrap_err();
    assert!(matches!(refused, Error::NotLoopback(_)), "{refused}");
    let refused = Inbox::open(any_port(), "short").await.unwrap_err();
    assert!(matches!(refused, Error::Token), "{refused}");
    let inbox = open().await;
    let taken = Inbox::open(inbox.address(), TOKEN).await.unwrap_err();
    assert!(matches!(taken, Error::Listen { .. }), "{taken}");
}
