//! A search server on this machine, in the JSON form of SearXNG, that finds the pages of a story.

use crate::record::Page;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Longest request that is read, bytes.
const REQUEST_BYTES: usize = 16 << 10;

/// A search server. It ends when dropped.
pub(crate) struct SearchServer {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl SearchServer {
    /// One that finds these, whatever is asked.
    pub(crate) async fn begin(pages: &[Page]) -> std::io::Result<Self> {
        let found =
            |page: &Page| json!({"url": page.url, "title": page.title, "content": page.snippet});
        let results: Vec<Value> = pages.iter().map(found).collect();
        let body = json!({"query": "", "results": results}).to_string();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, body.clone()));
            }
        });
        Ok(Self { address, serving })
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for SearchServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Answers one request; whoever asks no whole one gets no answer.
async fn answer(mut stream: TcpStream, body: String) {
    let mut read: Vec<u8> = Vec::new();
    let mut piece = [0_u8; 1024];
    while !read.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece).await {
            Ok(count) if count > 0 && read.len() < REQUEST_BYTES => {
                read.extend(piece.iter().take(count));
            }
            _ => return,
        }
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len()
    );
    // Whoever hung up wants no answer.
    let _gone = stream.write_all((head + &body).as_bytes()).await;
}
