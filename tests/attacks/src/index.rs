//! A server on loopback that gives out fixed pages and notes what it is asked: an index of packages,
//! or whoever waits for what a program sends out.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// A server. It ends with the test's process.
#[derive(Debug)]
pub struct Index {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

/// What is given out: type and content, by path.
pub type Pages = BTreeMap<String, (&'static str, Vec<u8>)>;

impl Index {
    /// Serves the pages made for its own address.
    ///
    /// # Panics
    /// When it cannot listen.
    #[must_use]
    pub fn start(pages: impl FnOnce(&str) -> Pages) -> Self {
        let Ok(listener) = TcpListener::bind("127.0.0.1:0") else {
            panic!("no port on loopback");
        };
        let Ok(address) = listener.local_addr() else {
            panic!("no address");
        };
        let pages = pages(&format!("http://{address}"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let line = answer(&stream, &pages).unwrap_or_default();
                noted
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(line);
            }
        });
        Self { address, asked }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The first line of everything that came.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }
}

/// Answers one request; its first line.
fn answer(mut stream: &TcpStream, pages: &Pages) -> std::io::Result<String> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (code, kind, body) = match pages.get(path) {
        Some((kind, body)) => ("200 OK", *kind, body.as_slice()),
        None => ("404 Not Found", "text/plain", &b"nothing here"[..]),
    };
    let head = format!(
        "HTTP/1.1 {code}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    Ok(first)
}
