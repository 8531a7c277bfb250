//! `carl serve --http` with the programs that ask it, and `carl web`.

use crate::Scene;
use serde_json::json;
use testkit::http::Client;
use testkit::{Carl, Running};

/// A server for programs, in a scene.
pub struct Serving {
    /// The process.
    pub process: Running,
    /// `http://127.0.0.1:PORT`, or with `https`.
    pub url: String,
}

impl Serving {
    /// Starts one on a port of its own.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn begin(scene: &Scene) -> Self {
        Self::with(scene, ["serve", "--http", "127.0.0.1:0"])
    }

    /// Starts one by these words.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn with<'a>(scene: &Scene, words: impl IntoIterator<Item = &'a str>) -> Self {
        Self::by(scene.house.ask(words))
    }

    /// Starts one as it was prepared.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn by(carl: Carl) -> Self {
        let mut process = carl.spawn();
        let line = process.until("for programs:");
        let url = line.split([' ', ',']).find(|word| word.starts_with("http"));
        let url = url.unwrap().to_owned();
        process.until("serving at");
        Self { process, url }
    }

    /// Whoever shows a token of this scope, made for it.
    #[must_use]
    pub fn client(&self, scene: &Scene, scope: &str) -> Client {
        Client::new(&self.url, Some(&token(scene, scope, scope)))
    }
}

/// `carl web`, in a scene.
pub struct Page {
    /// The process.
    pub process: Running,
    /// What logs a browser in, once: `http://127.0.0.1:PORT/#login=CODE`.
    pub link: String,
    /// `http://127.0.0.1:PORT`.
    pub url: String,
}

impl Page {
    /// Starts one on a port of its own.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn begin(scene: &Scene) -> Self {
        Self::at(scene, "127.0.0.1:0")
    }

    /// Starts one at an address.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn at(scene: &Scene, address: &str) -> Self {
        Self::with(scene, ["web", "--no-open", address])
    }

    /// Starts one by these words.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn with<'a>(scene: &Scene, words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut process = scene.house.ask(words).spawn();
        let line = process.until("the page:");
        let link = line.trim_end().rsplit(' ').next().unwrap().to_owned();
        let url = link.split("/#").next().unwrap().to_owned();
        process.until("serving at");
        Self { process, link, url }
    }

    /// A client that shows no token.
    #[must_use]
    pub fn stranger(&self) -> Client {
        Client::new(&self.url, None)
    }

    /// The code of the link.
    #[must_use]
    pub fn code(&self) -> &str {
        self.link.rsplit('=').next().unwrap_or_default()
    }
}

/// A new token of this name and scope.
#[must_use]
pub fn token(scene: &Scene, name: &str, scope: &str) -> String {
    let made = scene.house.ask(["token", "new", name, "--scope", scope]);
    made.run().expect(0).stdout.trim_end().to_owned()
}

/// A new session, by its id.
///
/// # Panics
/// When it is refused.
#[must_use]
pub fn session(client: &Client, attended: bool) -> String {
    let made = client.post("/api/v1/sessions", &json!({"attended": attended}));
    let made = made.expect(201).json();
    made["session_id"].as_str().unwrap().to_owned()
}
