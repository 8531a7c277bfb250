//! A model server that says a token every 20 ms to whoever asks, each with the moment at which it was sent.

use anyhow::{Context as _, Result};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The time from one token to the next: 50 a second.
const PACE: Duration = Duration::from_millis(20);

/// The head of an answer that streams to the end of its connection.
const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A server that runs for as long as its runtime does.
#[derive(Debug, Clone)]
pub struct TokenServer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    address: SocketAddr,
    /// Tokens of each answer.
    tokens: u32,
    /// What moments are counted from.
    origin: Instant,
    /// How many wait for their answer to begin.
    waiting: watch::Sender<usize>,
    /// When all answers begin, once that is known.
    begins: watch::Sender<Option<Instant>>,
    /// By how much each token was sent late: what the machine had no time for.
    late: Mutex<Vec<Duration>>,
}

impl TokenServer {
    /// Listens; each answer will have so many tokens.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn listen(tokens: u32) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let server = Self(Arc::new(Inner {
            address: listener.local_addr()?,
            tokens,
            origin: Instant::now(),
            waiting: watch::Sender::new(0),
            begins: watch::Sender::new(None),
            late: Mutex::default(),
        }));
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _peer)) = listener.accept().await {
                let server = serving.clone();
                tokio::spawn(async move {
                    // Whoever hangs up wants no token.
                    let _gone = server.answer(stream).await;
                });
            }
        });
        Ok(server)
    }

    /// Its address for a configuration.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}/v1", self.0.address)
    }

    /// Waits until so many wait for their answer, and begins all of them.
    pub async fn begin_with(&self, count: usize) {
        let mut waiting = self.0.waiting.subscribe();
        let _enough = waiting.wait_for(|waiting| *waiting >= count).await;
        self.0.begins.send_replace(Some(Instant::now()));
    }

    /// How long ago a token was sent, by its word.
    ///
    /// # Errors
    /// When it is none of this server's.
    pub fn age(&self, word: &str) -> Result<Duration> {
        let micros = word
            .strip_prefix('t')
            .and_then(|micros| micros.parse().ok());
        let sent = Duration::from_micros(micros.with_context(|| format!("`{word}` is no token"))?);
        Ok(self.0.origin.elapsed().saturating_sub(sent))
    }

    /// By how much the tokens were sent late.
    #[must_use]
    pub fn late(&self) -> Vec<Duration> {
        let mut late = self.0.late.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut late)
    }

    async fn answer(&self, stream: TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        let is_chat = read_request(&mut stream).await?;
        let mut stream = stream.into_inner();
        if !is_chat {
            let body = r#"{"object":"list","data":[{"id":"scripted-model","object":"model"}]}"#;
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let answer = format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}");
            return Ok(stream.write_all(answer.as_bytes()).await?);
        }
        stream.write_all(HEAD.as_bytes()).await?;
        let mut number = 0;
        self.0.waiting.send_modify(|waiting| {
            number = *waiting;
            *waiting += 1;
        });
        let mut begins = self.0.begins.subscribe();
        let begin = begins
            .wait_for(Option::is_some)
            .await?
            .unwrap_or_else(Instant::now);
        // Not all at the same moment.
        self.speak(stream, begin + PACE * (number as u32 % 97) / 97)
            .await
    }

    async fn speak(&self, mut stream: TcpStream, begin: Instant) -> Result<()> {
        let mut late = Vec::with_capacity(self.0.tokens as usize);
        for number in 0..self.0.tokens {
            let due = begin + PACE * number;
            tokio::time::sleep_until(due.into()).await;
            late.push(due.elapsed());
            let sent = self.0.origin.elapsed().as_micros();
            stream
                .write_all(piece(&format!("t{sent} "), "null").as_bytes())
                .await?;
        }
        let end = piece("", "\"stop\"") + "data: [DONE]\n\n";
        stream.write_all(end.as_bytes()).await?;
        let mut all = self.0.late.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(late);
        Ok(())
    }
}

/// Reads a request to its end; whether it is for a chat.
async fn read_request(stream: &mut BufReader<TcpStream>) -> Result<bool> {
    let (mut is_chat, mut length) = (false, 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let line = line.trim_end().to_ascii_lowercase();
        is_chat |= line.starts_with("post ") && line.contains("/chat/completions");
        if let Some(told) = line.strip_prefix("content-length:") {
            length = told.trim().parse()?;
        }
        if line.is_empty() {
            break;
        }
    }
    tokio::io::copy(&mut stream.take(length), &mut tokio::io::sink()).await?;
    Ok(is_chat)
}

fn piece(text: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\
         \"model\":\"scripted-model\",\"choices\":[{{\"index\":0,\
         \"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":{finish}}}]}}\n\n"
    )
}
