//! The page, in a real browser. Where there is none, each of these says that it tests nothing.
//!
//! The stories stand in `web/stories`: what a person does and sees. Here is what belongs to the model and
//! the server: what is said when, and what is on disk in the end.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

mod long;
mod looks;
mod opening;
mod panels;
mod work;

use scenarios::Scene;
use scenarios::serving::Page;
use serde_json::json;
use testkit::{Reply, Story};

/// A scene whose agents work in loop mode and remember nothing, with the page.
fn opened(replies: impl IntoIterator<Item = Reply>) -> (Scene, Page) {
    let scene = Scene::new(replies);
    let more = "\n[chat]\ndefault_mode = \"loop\"\n[memory]\nrecall = false\ncapture = false\n";
    scene
        .house
        .configure(&(scene.server.config("openai") + more));
    let page = Page::begin(&scene);
    (scene, page)
}

/// The same, and a story in it; `None` where there is no browser.
fn told(
    (file, name): (&str, &str),
    replies: impl IntoIterator<Item = Reply>,
) -> Option<(Scene, Page, Story)> {
    if testkit::is_absent(testkit::BROWSER) {
        return None;
    }
    let (scene, page) = opened(replies);
    scene.house.write("s.toml", "name = \"x\"\nport = 8000\n");
    let story = Story::begin(file, name, &page.link)?;
    Some((scene, page, story))
}

/// A model's call that sets the port of `s.toml`.
fn set_port(old: &str, new: &str) -> Reply {
    let (old, new) = (format!("port = {old}"), format!("port = {new}"));
    let arguments = json!({"path": "s.toml", "old": old, "new": new});
    Reply::call("edit_file", arguments)
}
