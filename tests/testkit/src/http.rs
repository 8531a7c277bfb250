//! A plain HTTP client over one connection a request, which shows what is really sent.

use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Whoever asks a server.
#[derive(Debug, Clone)]
pub struct Client {
    /// `127.0.0.1:40123`.
    pub address: String,
    /// The token that is shown, if any.
    pub token: Option<String>,
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its number; 0 where the connection ended without an answer.
    pub status: u16,
    /// Its headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
}

impl Answer {
    /// Its body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{error}: {self:?}"),
        }
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The same, with the number that it has to have.
    ///
    /// # Panics
    /// When it has another one.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The code of the problem that it tells.
    #[must_use]
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// Its id, if it has one.
    pub id: Option<u64>,
    /// Its name.
    pub event: String,
    /// What it says.
    pub data: String,
    /// Whether it is a comment alone: a sign of life.
    pub is_comment: bool,
}

impl Sent {
    /// What it says as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// An answer that comes in pieces.
pub struct Stream {
    /// Its number and headers, without a body.
    pub head: Answer,
    reader: BufReader<TcpStream>,
    /// What was read of the body and not handed out.
    left: String,
    is_over: bool,
}

impl Client {
    /// One that asks at an address, `http://127.0.0.1:40123` or without the scheme.
    #[must_use]
    pub fn new(address: &str, token: Option<&str>) -> Self {
        Self {
            address: address.trim_start_matches("http://").to_owned(),
            token: token.map(str::to_owned),
        }
    }

    /// The same with another token.
    #[must_use]
    pub fn with(&self, token: &str) -> Self {
        Self::new(&self.address, Some(token))
    }

    /// Asks for something.
    #[must_use]
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], None)
    }

    /// Sends JSON.
    #[must_use]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[], Some(&body.to_string()))
    }

    /// Has something deleted.
    #[must_use]
    pub fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path, &[], None)
    }

    /// Asks with headers of one's own.
    #[must_use]
    pub fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Answer {
        self.open(method, path, headers, body).rest()
    }

    /// Asks for a stream of events.
    #[must_use]
    pub fn events(&self, path: &str, after: Option<u64>) -> Stream {
        let after = after.map(|after| after.to_string());
        let mut headers = vec![("Accept", "text/event-stream")];
        headers.extend(after.as_deref().map(|after| ("Last-Event-ID", after)));
        self.open("GET", path, &headers, None)
    }

    /// Sends JSON, and asks for a stream of events.
    #[must_use]
    pub fn post_for_events(&self, path: &str, body: &Value) -> Stream {
        let headers = [("Accept", "text/event-stream")];
        self.open("POST", path, &headers, Some(&body.to_string()))
    }

    /// Asks, and reads the head of the answer.
    ///
    /// # Panics
    /// When nobody listens.
    #[must_use]
    pub fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Stream {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let is_named = |name: &str| {
            headers
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        if !is_named("Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        if let Some(token) = &self.token {
            request.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            if !is_named("Content-Type") {
                request.push_str("Content-Type: application/json\r\n");
            }
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        request.push_str(body.unwrap_or_default());
        self.raw(request.as_bytes())
    }

    /// Sends these bytes as they are, and reads the head of the answer.
    ///
    /// # Panics
    /// When nobody listens.
    #[must_use]
    pub fn raw(&self, bytes: &[u8]) -> Stream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        // A server that refuses need not read to the end.
        let _refused = stream.write_all(bytes);
        Stream::of(stream)
    }
}

impl Stream {
    fn of(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            match reader.read_line(&mut line) {
                Ok(0) => break,
                Ok(_) if line.trim_end().is_empty() => break,
                Ok(_) => lines.push(line.trim_end().to_owned()),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => panic!("no answer: {error}; so far {lines:?}"),
            }
        }
        let status = lines.first().and_then(|line| line.split(' ').nth(1));
        let status = status.and_then(|status| status.parse().ok()).unwrap_or(0);
        let headers = lines.iter().skip(1).filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
        Self {
            head: Answer {
                status,
                headers: headers.collect(),
                body: String::new(),
            },
            reader,
            left: String::new(),
            is_over: false,
        }
    }

    fn is_chunked(&self) -> bool {
        self.head.header("transfer-encoding") == Some("chunked")
    }

    /// More of the body; `false` at its end.
    fn more(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        if !self.is_chunked() {
            let length = self.head.header("content-length");
            let length = length
                .and_then(|length| length.parse().ok())
                .unwrap_or(u64::MAX);
            let mut bytes = Vec::new();
            // A connection that is reset has said what it had to say.
            let _reset = self.reader.by_ref().take(length).read_to_end(&mut bytes);
            self.left.push_str(&String::from_utf8_lossy(&bytes));
            self.is_over = true;
            return !bytes.is_empty();
        }
        let mut size = String::new();
        let read = self.reader.read_line(&mut size).unwrap_or(0);
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if read == 0 || size == 0 {
            self.is_over = true;
            return false;
        }
        let mut chunk = vec![0; size + 2];
        if self.reader.read_exact(&mut chunk).is_err() {
            self.is_over = true;
            return false;
        }
        self.left.push_str(&String::from_utf8_lossy(&chunk[..size]));
        true
    }

    /// The next event; `None` at the end.
    pub fn next_sent(&mut self) -> Option<Sent> {
        while !self.left.contains("\n\n") {
            if !self.more() {
                return None;
            }
        }
        let (text, rest) = self.left.split_once("\n\n")?;
        let mut sent = Sent {
            is_comment: true,
            ..Sent::default()
        };
        for line in text.lines().filter(|line| !line.starts_with(':')) {
            sent.is_comment = false;
            match line.split_once(": ") {
                Some(("id", id)) => sent.id = id.parse().ok(),
                Some(("event", event)) => event.clone_into(&mut sent.event),
                Some(("data", data)) => sent.data.push_str(data),
                _ => panic!("no line of an event: {line}"),
            }
        }
        self.left = rest.to_owned();
        Some(sent)
    }

    /// The next event of a name, and those before it; comments are left out.
    ///
    /// # Panics
    /// When the stream ends before.
    pub fn until(&mut self, event: &str) -> Vec<Sent> {
        let mut all = Vec::new();
        loop {
            match self.next_sent() {
                Some(sent) if sent.is_comment => {}
                Some(sent) => {
                    let is_it = sent.event == event;
                    all.push(sent);
                    if is_it {
                        return all;
                    }
                }
                None => panic!(
                    "the stream ended without `{event}`: {all:?} {:?}",
                    self.head
                ),
            }
        }
    }

    /// All events to the end; comments are left out.
    pub fn all(mut self) -> Vec<Sent> {
        let mut all = Vec::new();
        while let Some(sent) = self.next_sent() {
            all.push(sent);
        }
        all.retain(|sent| !sent.is_comment);
        all
    }

    /// The whole answer.
    #[must_use]
    pub fn rest(mut self) -> Answer {
        while self.more() {}
        self.head.body = std::mem::take(&mut self.left);
        self.head
    }

    /// Leaves without reading any further.
    pub fn hang_up(self) {
        // Whoever is gone already need not be told.
        let _gone = self.reader.get_ref().shutdown(Shutdown::Both);
    }
}
