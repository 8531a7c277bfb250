//! `carl serve --http`, and the programs that ask it.

use crate::Scene;
use serde_json::json;
use testkit::Running;
use testkit::http::Client;

/// A server for programs, in a scene.
pub struct Serving {
    /// The process.
    pub process: Running,
    /// `http://127.0.0.1:PORT`.
    pub url: String,
}

impl Serving {
    /// Starts one on a port of its own.
    ///
    /// # Panics
    /// When it does not begin to serve.
    #[must_use]
    pub fn begin(scene: &Scene) -> Self {
        let mut process = scene.house.ask(["serve", "--http", "127.0.0.1:0"]).spawn();
        let line = process.until("for programs:");
        let url = line
            .split([' ', ','])
            .find(|word| word.starts_with("http://"));
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
