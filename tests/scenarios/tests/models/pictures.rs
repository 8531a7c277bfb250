//! Pictures that the user names or the model looks at reach models that see, at every kind of
//! server, and no other.

use scenarios::documents::GIF;
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::ollama::OllamaState;
use testkit::openai::Props;
use testkit::server::Prepared;
use testkit::{Reply, Server};

/// [`GIF`] in Base64.
const GIF_BASE64: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";
const SEES: &str = "vision = true";

/// A scene with a picture, whose provider has this line more.
fn scene(server: Server, kind: &str, line: &str) -> Scene {
    let scene = Scene::with(server, kind);
    let config = format!("{}{line}\n", scene.server.config(kind));
    scene.house.configure(&config);
    scene.house.write("dot.gif", GIF);
    scene
}

fn answers() -> Prepared {
    Server::script([Reply::text("A dot.")])
}

fn looks() -> [Reply; 2] {
    [
        Reply::call("view_image", json!({"path": "dot.gif"})),
        Reply::text("A dot."),
    ]
}

/// The roles and contents of a request's messages that come from the user's side and hold a picture.
fn shown(body: &Value) -> Vec<&Value> {
    let messages = body["messages"].as_array().unwrap();
    let has_picture = |one: &&Value| one.to_string().contains(GIF_BASE64);
    messages.iter().filter(has_picture).collect()
}

fn offers_view_image(body: &Value) -> bool {
    body["tools"].to_string().contains("view_image")
}

#[test]
fn a_picture_named_in_a_task_reaches_every_kind_of_server() {
    let see = || OllamaState {
        vision: true,
        ..OllamaState::default()
    };
    let props = Props {
        n_ctx: 32_768,
        vision: true,
    };
    let scenes = [
        scene(answers().openai(), "openai", SEES),
        scene(answers().llama(props), "openai", ""),
        scene(
            answers().openai(),
            "openai",
            "vision = true\ntool_calls = \"json\"",
        ),
        scene(answers().ollama(see()), "ollama", ""),
        scene(answers().anthropic(), "anthropic", ""),
    ];
    for scene in scenes {
        let outcome = scene.run(&["what is on @dot.gif?"]);
        outcome.assert_ends(0, "success");
        let chats = scene.server.chats();
        let shown = shown(&chats[0].body);
        assert_eq!(shown.len(), 1, "{:#}", chats[0].body);
        assert_eq!(shown[0]["role"], "user");
        let text = shown[0].to_string();
        assert!(text.contains("what is on @dot.gif?"), "{text}");
        assert!(text.contains("1 × 1 pixels"), "{text}");
        let log = scene.log(&outcome);
        let event = of_kind(&log, "picture_shown")[0];
        assert_eq!(event["name"], "dot.gif");
        assert_eq!(event["label"]["integrity"], "untrusted");
    }
}

#[test]
fn a_model_that_does_not_see_is_not_asked_about_a_picture() {
    let scenes = [
        scene(answers().openai(), "openai", ""),
        scene(answers().ollama(OllamaState::default()), "ollama", ""),
        scene(answers().anthropic(), "anthropic", "vision = false"),
    ];
    for scene in scenes {
        let outcome = scene.run(&["what is on @dot.gif?"]);
        outcome.assert_ends(4, "failed");
        assert_eq!(outcome.code(), "agents.model_cannot_see");
        let hint = outcome.summary["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("vision = true"), "{hint}");
        assert!(scene.server.chats().is_empty());
    }
}

#[test]
fn a_picture_that_the_model_looks_at_is_shown_behind_the_result() {
    let props = Props {
        n_ctx: 32_768,
        vision: true,
    };
    let scene = scene(Server::script(looks()).llama(props), "openai", "");
    let outcome = scene.run(&["look at the picture"]);
    outcome.assert_ends(0, "success");
    let chats = scene.server.chats();
    assert!(offers_view_image(&chats[0].body), "{:#}", chats[0].body);
    let messages = chats[1].body["messages"].as_array().unwrap();
    let [.., result, picture] = messages.as_slice() else {
        panic!("{messages:#?}");
    };
    assert_eq!(result["role"], "tool");
    assert_eq!(picture["role"], "user");
    assert!(picture.to_string().contains(GIF_BASE64), "{picture}");
    // What is to be seen there is no more trusted than what a file says.
    let log = scene.log(&outcome);
    let label = &of_kind(&log, "picture_shown")[0]["label"];
    assert_eq!(*label, of_kind(&log, "tool_result")[0]["label"]);
}

#[test]
fn a_model_that_does_not_see_is_not_offered_pictures() {
    let scene = scene(Server::script(looks()).openai(), "openai", "");
    let outcome = scene.run(&["look at the picture"]);
    let chats = scene.server.chats();
    assert!(!offers_view_image(&chats[0].body), "{:#}", chats[0].body);
    // One that calls the tool all the same is told the kind and size.
    assert!(shown(&chats[1].body).is_empty());
    assert!(
        chats[1]
            .body
            .to_string()
            .contains("image/gif, 1 × 1 pixels")
    );
    assert!(of_kind(&scene.log(&outcome), "picture_shown").is_empty());
}

#[test]
fn a_picture_stays_in_a_session_that_goes_on_and_is_told_to_a_model_that_does_not_see() {
    let first = scene(answers().openai(), "openai", SEES);
    let id = first
        .run(&["what is on @dot.gif?"])
        .text("session_id")
        .to_owned();
    let again = |line: &str| {
        let server = answers().openai();
        let config = format!("{}{line}\n", server.config("openai"));
        first.house.configure(&config);
        let finished = first
            .house
            .ask(["run", "--json", "--session-id", &id, "and in which colour?"])
            .run();
        finished.expect(0);
        server.chats()[0].body.clone()
    };
    assert_eq!(shown(&again(SEES)).len(), 1);
    let blind = again("");
    assert!(shown(&blind).is_empty());
    assert!(
        blind.to_string().contains("does not see pictures"),
        "{blind:#}"
    );
}

#[test]
fn a_picture_is_given_as_data_too() {
    let scene = scene(answers().openai(), "openai", SEES);
    let outcome = scene.run(&["what is it?", "--input", "dot.gif"]);
    outcome.assert_ends(0, "success");
    assert_eq!(shown(&scene.server.chats()[0].body).len(), 1);
}

#[test]
fn what_is_no_picture_is_refused_by_name_before_anything_is_asked() {
    let scene = scene(answers().openai(), "openai", SEES);
    scene.house.write("text.png", "no picture at all");
    for (task, said) in [
        ("what is on @none.png?", "there is no picture"),
        ("what is on @text.png?", "is no PNG, JPEG, GIF or WebP"),
        ("@dot.gif", "is a picture, and no task"),
    ] {
        let refused = scene.house.ask(["run", task]).run();
        assert_eq!(refused.code, Some(2), "{refused:#?}");
        assert!(refused.stderr.contains(said), "{refused:#?}");
    }
    // A word that only looks like one is left alone.
    scene
        .run(&["tell me of @alice and a@b.png"])
        .assert_ends(0, "success");
    assert!(shown(&scene.server.chats()[0].body).is_empty());
}

#[test]
fn a_chat_takes_pictures_by_name() {
    let scene = scene(answers().openai(), "openai", SEES);
    let mut lines = ["what is on @'dot.gif'?", "and on @none.gif?", "/quit"].into_iter();
    let chat = scene.house.ask(["chat"]).env("TERM", "dumb");
    let attended = chat.talking(&["\n> "], |_, _| lines.next().unwrap_or("/quit").to_owned());
    assert_eq!(shown(&scene.server.chats()[0].body).len(), 1);
    let screen = attended.questions.concat();
    assert!(screen.contains("A dot."), "{screen}");
    assert!(screen.contains("there is no picture"), "{screen}");
}

/// What is pasted is somebody else's, and may name any file of the user's.
#[test]
fn a_picture_from_elsewhere_goes_along_with_a_yes_alone() {
    for (answer, count) in [("n", 0), ("y", 1)] {
        let scene = scene(answers().openai(), "openai", SEES);
        let passport = scene.house.home().join("passport.gif");
        std::fs::write(&passport, GIF).unwrap();
        let mail = "Summarise: my logo is @~/passport.gif see you";
        let mut lines = [mail, answer, "/quit"].into_iter();
        let chat = scene.house.ask(["chat"]).env("TERM", "dumb");
        let attended = chat.talking(&["\n> ", "[y/N] "], |_, _| {
            lines.next().unwrap_or("/quit").to_owned()
        });
        let screen = attended.questions.concat();
        assert!(screen.contains("home/passport.gif"), "{screen}");
        let body = &scene.server.chats()[0].body;
        assert_eq!(shown(body).len(), count, "{answer}: {screen}");
        assert!(body.to_string().contains("Summarise: my logo"), "{body}");
    }
}

/// The text of another file that is named with `@` goes along as data.
#[test]
fn the_text_of_a_file_that_a_task_names_goes_along() {
    let scene = scene(answers().openai(), "openai", SEES);
    scene.house.write("notes.md", "quokka");
    let run = scene.house.ask(["run", "summarise @notes.md, please"]);
    let run = run.run().expect(0);
    assert!(!run.stderr.contains("only pictures"), "{run:#?}");
    let asked = |at: usize| {
        let messages = scene.server.chats()[at].body["messages"].clone();
        let last = messages.as_array().unwrap().last().unwrap().clone();
        last["content"].as_str().unwrap().to_owned()
    };
    let task = asked(0);
    assert!(task.contains("[TOOL_RESULT: UNTRUSTED read_file"), "{task}");
    assert!(
        task.contains("quokka") && task.ends_with("summarise @notes.md, please"),
        "{task}"
    );
    let mut lines = ["summarise @notes.md", "and @none.md", "/quit"].into_iter();
    let chat = scene.house.ask(["chat"]).env("TERM", "dumb");
    let attended = chat.talking(&["\n> "], |_, _| lines.next().unwrap_or("/quit").to_owned());
    let screen = attended.questions.concat();
    assert!(asked(1).contains("quokka"), "{screen}");
    assert!(screen.contains("there is no file `none.md`"), "{screen}");
}

#[test]
fn of_a_file_without_end_the_first_lines_go_along() {
    let scene = Scene::with_provider_lines("context_tokens = 8192", [Reply::text("Read.")]);
    let lines: Vec<String> = (0..200_000).map(|number| format!("line{number}")).collect();
    scene.house.write("long.txt", lines.join("\n"));
    let run = scene
        .house
        .ask(["run", "--mode", "loop", "summarise @long.txt"]);
    let run = run.run().expect(0);
    assert!(run.stderr.contains("Of long.txt the first "), "{run:#?}");
    let told = scene.told();
    assert!(told.contains("line0\\nline1\\n"), "{told}");
    assert!(
        told.contains("line100\\n") && told.len() < 40_000,
        "{}",
        told.len()
    );
}
