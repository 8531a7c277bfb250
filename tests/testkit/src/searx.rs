//! A search server with the JSON form of SearXNG, whose results are given.

use axum::extract::{RawQuery, State};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// One result of every search.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The page's address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What the search server says of it.
    pub snippet: String,
}

impl Hit {
    /// A result.
    #[must_use]
    pub fn new(url: &str, title: &str, snippet: &str) -> Self {
        Self {
            url: url.to_owned(),
            title: title.to_owned(),
            snippet: snippet.to_owned(),
        }
    }
}

struct Shared {
    hits: Vec<Hit>,
    queries: Mutex<Vec<String>>,
}

/// A running search server. It stops when dropped.
pub struct Searx {
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Searx {
    /// One that finds these, whatever is asked.
    ///
    /// # Panics
    /// When it cannot listen.
    #[must_use]
    pub fn new(hits: impl IntoIterator<Item = Hit>) -> Self {
        let shared = Arc::new(Shared {
            hits: hits.into_iter().collect(),
            queries: Mutex::default(),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)))
            .unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new()
            .route("/search", get(search))
            .with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self {
            address,
            shared,
            runtime: Some(runtime),
        }
    }

    /// Configuration that has the web searched here.
    #[must_use]
    pub fn config(&self) -> String {
        format!("\n[search]\nurl = \"http://{}\"\n", self.address)
    }

    /// The query part of every address that was asked for so far.
    ///
    /// # Panics
    /// When a test failed while asking.
    #[must_use]
    pub fn queries(&self) -> Vec<String> {
        self.shared.queries.lock().unwrap().clone()
    }
}

impl Drop for Searx {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn search(State(shared): State<Arc<Shared>>, RawQuery(asked): RawQuery) -> Json<Value> {
    let query = asked.unwrap_or_default();
    shared.queries.lock().unwrap().push(query.clone());
    let results: Vec<Value> = shared
        .hits
        .iter()
        .map(|hit| json!({"url": hit.url, "title": hit.title, "content": hit.snippet}))
        .collect();
    Json(json!({"query": query, "results": results}))
}
