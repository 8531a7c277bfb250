//! Pictures that a message names.

use crate::seat;
use scenarios::Scene;
use scenarios::documents::GIF;
use testkit::{Reply, Server, TMUX, is_absent};

#[test]
fn a_picture_that_a_message_names_goes_along_unless_it_lies_outside() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("A dot."),
        Reply::text("Nothing to see."),
    ]));
    let config = scene.server.config("openai");
    scene.house.configure(&format!("{config}vision = true\n"));
    scene.house.write("dot.gif", GIF);
    std::fs::write(scene.house.home().join("private.gif"), GIF).unwrap();
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("what is on @dot.gif?");
    window.until("▎ · shown to the model: @dot.gif");
    window.until("A dot.");
    window.until("idle");
    window.enters("and on @~/private.gif?");
    window.until("not shown to the model, from outside of this session's folders");
    window.until("Nothing to see.");
    window.until("idle");
    window.enters("and on @none.gif?");
    window.until("there is no picture");
    window.until("> and on @none.gif?");
    let pictures = |chat: &serde_json::Value| chat.to_string().matches("data:image/gif").count();
    let chats = scene.server.chats();
    assert_eq!(chats.len(), 2);
    assert_eq!(pictures(&chats[0].body), 1, "{:#}", chats[0].body);
    let last = chats[1].body["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(pictures(last), 0, "{last:#}");
    window.presses(&["C-u"]);
    window.until_gone("> and on @none");
    window.presses(&["C-d"]);
    window.until_shell();
}
