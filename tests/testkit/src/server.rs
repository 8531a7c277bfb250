//! A model server on loopback that records what it is asked and answers from a script.

use crate::anthropic;
use crate::ollama::{self, OllamaState};
use crate::openai;
use crate::reply::Reply;
use crate::shared::{Scripted, Shared};
use axum::Router;
use axum::serve::ListenerExt as _;
use serde_json::Value;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

pub use crate::shared::Recorded;

/// Longest a test waits for a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a request is for a chat, in any protocol.
fn is_chat(request: &Recorded) -> bool {
    request.path.contains("chat") || request.path.ends_with("/messages")
}

/// A model server being prepared.
pub struct Prepared {
    script: Scripted,
    fragment: usize,
}

impl Prepared {
    /// Sends every answer in pieces of this many bytes, so that characters are split.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.fragment = bytes.max(1);
        self
    }

    /// Starts it with the protocol of OpenAI-compatible servers, under `/v1`.
    #[must_use]
    pub fn openai(self) -> Server {
        self.start(openai::router)
    }

    /// The same, and it tells of itself as llama.cpp's server does.
    #[must_use]
    pub fn llama(self, props: openai::Props) -> Server {
        self.start(|shared| openai::router_with(shared, props))
    }

    /// Starts it with Ollama's own protocol.
    #[must_use]
    pub fn ollama(self, state: OllamaState) -> Server {
        self.start(|shared| ollama::router(shared, state))
    }

    /// Starts it with Anthropic's messages API.
    #[must_use]
    pub fn anthropic(self) -> Server {
        self.start(anthropic::router)
    }

    fn start(self, router: impl FnOnce(Arc<Shared>) -> Router) -> Server {
        let shared = Arc::new(Shared {
            recorded: Mutex::new(Vec::new()),
            came: Condvar::new(),
            script: Mutex::new((self.script, 0)),
            fragment: self.fragment,
            hung_up: (Mutex::new(0), Condvar::new()),
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
        let app = router(Arc::clone(&shared));
        // Without this the end of a short answer waits for an acknowledgement, up to 40 ms.
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await });
        Server {
            address,
            shared,
            runtime: Some(runtime),
        }
    }
}

/// Whether the last words of a request say that no call bears out the reply before.
fn is_told_of_no_call(body: &Value) -> bool {
    let messages = body["messages"].as_array();
    let last = messages.and_then(|all| all.last());
    let text = last.map(|message| message["content"].to_string());
    text.is_some_and(|text| text.contains("ay plainly what was done and what was not."))
}

/// A running model server. It stops when dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    /// A server that gives these replies in order, and then says that its script is over. Told that no
    /// call bears out its reply, it gives the same again.
    #[must_use]
    pub fn script(replies: impl IntoIterator<Item = Reply>) -> Prepared {
        let mut left: VecDeque<Reply> = replies.into_iter().collect();
        let mut last = Reply::default();
        Self::speak(move |body, _| {
            if !is_told_of_no_call(body) {
                let next = left.pop_front();
                last = next.unwrap_or_else(|| Reply::text("The script is over."));
            }
            last.clone()
        })
    }

    /// A server that makes up each reply from the request and its number, from 0.
    #[must_use]
    pub fn speak(speak: impl FnMut(&Value, usize) -> Reply + Send + 'static) -> Prepared {
        Prepared {
            script: Box::new(speak),
            fragment: 64 << 10,
        }
    }

    /// An OpenAI-compatible server with a list of replies.
    #[must_use]
    pub fn openai(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::script(replies).openai()
    }

    /// Its address without a path, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Configuration that makes it the only provider, named `scripted`, of the given type.
    #[must_use]
    pub fn config(&self, kind: &str) -> String {
        let endpoint = if kind == "openai" {
            format!("{}/v1", self.url())
        } else {
            self.url()
        };
        format!(
            "[models]\ndefault_provider = \"scripted\"\n\n[models.providers.scripted]\n\
             type = \"{kind}\"\nendpoint = \"{endpoint}\"\ndefault_model = \"scripted-model\"\n"
        )
    }

    /// Every request for a chat so far.
    #[must_use]
    pub fn chats(&self) -> Vec<Recorded> {
        let recorded = self.shared.recorded.lock().unwrap();
        recorded
            .iter()
            .filter(|request| is_chat(request))
            .cloned()
            .collect()
    }

    /// Every request so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.recorded.lock().unwrap().clone()
    }

    /// Waits until this many requests for a chat have come.
    ///
    /// # Panics
    /// When they do not come within a minute.
    pub fn wait_for_chats(&self, count: usize) {
        let recorded = self.shared.recorded.lock().unwrap();
        let short =
            |all: &mut Vec<Recorded>| all.iter().filter(|request| is_chat(request)).count() < count;
        let (_all, waited) = self
            .shared
            .came
            .wait_timeout_while(recorded, PATIENCE, short)
            .unwrap();
        assert!(
            !waited.timed_out(),
            "fewer than {count} requests for a chat came"
        );
    }
}

impl Server {
    /// Waits until this many answers that waited at a gate were given up by whoever asked.
    ///
    /// # Panics
    /// When they were not within a minute.
    pub fn wait_for_hang_ups(&self, count: usize) {
        let (hung_up, changed) = &self.shared.hung_up;
        let short = |seen: &mut usize| *seen < count;
        let waiting = changed.wait_timeout_while(hung_up.lock().unwrap(), PATIENCE, short);
        let (_seen, waited) = waiting.unwrap();
        assert!(!waited.timed_out(), "fewer than {count} were given up");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
