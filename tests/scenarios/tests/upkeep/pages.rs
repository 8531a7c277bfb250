//! Pages of the web and an orchestrating agent, through the shipped program: what an agent of its
//! own was shown of a page, by a search or fetched, stays there.

use scenarios::crew::{Wanted, is_orchestrating, task, wanted};
use scenarios::site::{self, PUBLIC, Response};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::{Hit, Reply, Searx, Server};

const SNIPPET: &str = "MARKER-S oolong leaves are steeped for three minutes in water of ninety degrees \
    and can be used five times over by whoever has the patience to wait for them";
const FOUND: &str = "MARKER-F oolong is rolled by hand in the mountains of Fujian, and every roll takes \
    the pickers of one family from the first light of a spring morning until noon";
const NAMED: &str = "MARKER-N green leaves are heated in iron pans within an hour of the picking, which \
    keeps them from turning brown on their way down to the markets of the valley";

/// One agent for each goal, which searches or fetches and then reports `copied`, word for word, as
/// its summary and as a fact to remember.
fn answers(body: &Value, tasks: &[Value], copied: &str) -> Reply {
    let said = body["messages"].to_string();
    let is_shown_a_page = said.contains("\"role\":\"tool\"");
    match wanted(body) {
        Wanted::Tasks => Reply::text(json!({ "tasks": tasks }).to_string()),
        Wanted::Report => {
            let report = json!({
                "status": "success", "summary": copied, "artifacts": [],
                "result_quality": "verified", "source": "web", "new_memory_candidates": [copied],
            });
            Reply::text(report.to_string())
        }
        Wanted::Digest => {
            let page = if said.contains("MARKER-F") {
                FOUND
            } else {
                NAMED
            };
            let claim = json!({"claim": page, "confidence": 0.9});
            Reply::text(json!({"summary": page, "claims": [claim]}).to_string())
        }
        Wanted::Other => Reply::text(json!({"keep": [0]}).to_string()),
        Wanted::Answer => Reply::text("It is steeped."),
        Wanted::Step if is_shown_a_page => Reply::text("I have read it."),
        Wanted::Step if said.contains("FETCH") => Reply::call("web_fetch", json!({"url": page()})),
        Wanted::Step => Reply::call("web_search", json!({"query": "oolong tea"})),
    }
}

/// The page that the user names.
fn page() -> String {
    format!("http://{PUBLIC}/green")
}

/// That these were shown to an agent at work, in full, and to no orchestrating one, which was told
/// that something was taken out.
fn stays_below(scene: &Scene, markers: &[&str]) {
    let chats = scene.server.chats();
    let (above, below): (Vec<_>, Vec<_>) =
        chats.iter().partition(|chat| is_orchestrating(&chat.body));
    for marker in markers {
        let has_seen = |body: &Value| {
            wanted(body) == Wanted::Step && body["messages"].to_string().contains(marker)
        };
        assert!(
            below.iter().any(|chat| has_seen(&chat.body)),
            "nobody saw {marker}"
        );
    }
    let told: Vec<String> = above.iter().map(|chat| chat.body.to_string()).collect();
    assert!(
        told.iter()
            .any(|text| text.contains("[taken out: see event"))
    );
    for text in told {
        assert!(!text.contains("MARKER-"), "{text}");
    }
}

/// What a search server says of a page that is not read.
#[test]
fn no_words_of_a_search_reach_the_orchestrator() {
    let tasks = [task("tea", "Find out about oolong tea", &[])];
    let server = Server::speak(move |body, _| answers(body, &tasks, SNIPPET));
    let scene = Scene::with(server.openai(), "openai");
    let searx = Searx::new([Hit::new(
        "https://tea.example/oolong",
        "MARKER-T tea",
        SNIPPET,
    )]);
    let config = format!("{}{}", scene.server.config("openai"), searx.config());
    scene.house.configure(&config);
    let asked = "Find out about oolong tea";
    let outcome = scene.run(&["--air-gap", "--agent", "orchestrator", asked]);
    assert_eq!(searx.queries().len(), 1, "{:#}", outcome.summary);
    outcome.assert_ends(0, "success");
    stays_below(&scene, &["MARKER-S", "MARKER-T"]);
}

#[test]
fn no_page_that_was_fetched_reaches_the_orchestrator() {
    site::run_inside("inside_the_namespace");
}

/// Not a test by itself: what the one above does once it is inside.
#[test]
fn inside_the_namespace() {
    if !site::is_inside() {
        return;
    }
    let html = |title: &str, text: &str| {
        let more = "<p>It is drunk hot in winter and cold in summer, from small cups.</p>";
        let page = format!(
            "<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}.</p>{more}\
             </body></html>"
        );
        Response::page(&page)
    };
    let reached = site::serve(move |path| match path {
        "/oolong" => html("MARKER-O oolong and how it is made", FOUND),
        "/green" => html("MARKER-G green tea and how it is made", NAMED),
        _ => Response::missing(),
    });
    let tasks = [
        task("found", "Find out about oolong tea", &[]),
        task("named", "FETCH the page about green tea", &[]),
    ];
    let server = Server::speak(move |body, _| {
        let copied = if body["messages"].to_string().contains("FETCH") {
            NAMED
        } else {
            FOUND
        };
        answers(body, &tasks, copied)
    });
    let scene = Scene::with(server.openai(), "openai");
    let found = format!("http://{PUBLIC}/oolong");
    let searx = Searx::new([Hit::new(
        &found,
        "MARKER-T oolong and how it is made",
        SNIPPET,
    )]);
    scene.house.configure(&format!(
        "{}{}host_pause_ms = 0\n",
        scene.server.config("openai"),
        searx.config()
    ));
    let asked = format!("Find out about oolong tea, and read {}", page());
    let outcome = scene.run(&["--agent", "orchestrator", &asked]);
    outcome.assert_ends(0, "success");
    assert!(reached.lock().unwrap().len() >= 2, "{:#}", outcome.summary);
    let log = scene.log(&outcome);
    let results = of_kind(&log, "tool_result");
    let of = |tool: &str| results.iter().find(|one| one["tool"] == tool).unwrap();
    for tool in ["web_search", "web_fetch"] {
        assert_eq!(of(tool)["status"], "ok", "{:#}", of(tool));
    }
    stays_below(&scene, &["MARKER-F", "MARKER-N", "MARKER-G"]);
}
