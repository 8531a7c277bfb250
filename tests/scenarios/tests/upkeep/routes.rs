//! `[observers.routes]`: requests go to the model whose answers were found better, and say why.

use scenarios::crew::two_readers;
use scenarios::serving::{Serving, session};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use testkit::house::json_lines;
use testkit::http::Client;
use testkit::{Reply, Server};

/// A model that answers everything.
fn model(word: &'static str) -> Server {
    Server::speak(move |_, _| Reply::text(format!("It is {word}."))).openai()
}

fn provider(name: &str, server: &Server) -> String {
    let url = server.url();
    format!("[models.providers.{name}]\ntype = \"openai\"\nendpoint = \"{url}/v1\"\n")
}

/// A house with two models, which the role of its main agent may go to.
fn configure(scene: &Scene, (good, bad): (&Server, &Server), observers: &str) {
    let config = format!(
        "[models]\ndefault_provider = \"good\"\n[memory]\nrecall = false\ncapture = false\n\
         [models.discovery]\nembedded = false\n{}{}\
         [models.roles]\ncode = \"good/scripted-model\"\n{observers}",
        provider("good", good),
        provider("bad", bad),
    );
    scene.house.configure(&config);
}

const ROUTES: &str =
    "[observers.routes]\ncode = [\"good/scripted-model\", \"bad/scripted-model\"]\n";

/// Asks, and says which model answered, why that one, and which request it was.
fn ask(client: &Client, id: &str, text: &str) -> (String, String, Value) {
    let path = format!("/api/v1/sessions/{id}/messages");
    let mut events = client.post_for_events(&path, &json!({"text": text, "mode": "loop"}));
    let all = events.until("query.finished");
    let chosen = all
        .iter()
        .find(|one| one.event == "model.chosen")
        .unwrap()
        .json();
    let text = |key: &str| chosen[key].as_str().unwrap().to_owned();
    (
        text("model"),
        text("reason"),
        all.last().unwrap().json()["query_id"].clone(),
    )
}

fn rate(client: &Client, id: &str, query: &Value, score: i64) {
    let opinion = json!({"session_id": id, "query_id": query, "score": score});
    client.post("/feedback", &opinion).expect(204);
}

#[test]
fn requests_go_to_the_model_whose_answers_are_rated_better_until_that_is_reset() {
    let (good, bad) = (model("Lisbon"), model("Porto"));
    let scene = Scene::new([]);
    configure(&scene, (&good, &bad), ROUTES);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    for _ in 0..24 {
        let (model, reason, query) = ask(&client, &id, "What is the capital of Portugal?");
        assert!(
            reason.starts_with("routed, one of 2 for code; its answers to talk: "),
            "{reason}"
        );
        let is_good = model.starts_with("good/");
        rate(&client, &id, &query, if is_good { 100 } else { -100 });
    }
    let before = bad.chats().len();
    for _ in 0..12 {
        ask(&client, &id, "What is the capital of Portugal?");
    }
    assert!(bad.chats().len() - before <= 3, "{before} before");
    // Both are counted, and what is counted is what was rated.
    let told = scene
        .house
        .ask(["quality", "routes", "--json"])
        .run()
        .json();
    let talk = told["routes"].as_array().unwrap().iter();
    let talk = talk.clone().find(|one| one["kind"] == "talk").unwrap();
    let models = talk["models"].as_array().unwrap();
    let sum = |key: &str| {
        models
            .iter()
            .map(|one| one[key].as_f64().unwrap())
            .sum::<f64>()
    };
    assert!((sum("good") + sum("bad") - 24.0).abs() < 1e-9, "{talk}");
    assert_eq!(models[0]["bad"], 0.0);
    assert!(models[0]["share"].as_f64().unwrap() > 0.8, "{talk}");
    let table = scene.house.ask(["quality", "routes"]).run();
    assert!(table.stdout.contains("code, talk"), "{}", table.stdout);
    // A reset is heard of by the server that runs.
    scene
        .house
        .ask(["quality", "routes", "--reset"])
        .run()
        .expect(0);
    let (_, reason, _) = ask(&client, &id, "What is the capital of Portugal?");
    assert!(reason.ends_with("none was rated"), "{reason}");
}

#[test]
fn without_routes_and_for_a_model_that_was_named_nothing_is_routed() {
    let (good, bad) = (model("Lisbon"), model("Porto"));
    let scene = Scene::new([]);
    configure(&scene, (&good, &bad), "");
    let answered = |flags: &[&str]| {
        let asked = [
            "run",
            "--mode",
            "loop",
            "--events",
            "What is the capital of Portugal?",
        ];
        let ran = scene
            .house
            .ask(asked.into_iter().chain(flags.iter().copied()));
        ran.run().expect(0).stdout
    };
    let ten = |flags: &[&str]| (0..10).for_each(|_| assert!(!answered(flags).contains("routed")));
    ten(&[]);
    assert!(bad.chats().is_empty());
    configure(&scene, (&good, &bad), ROUTES);
    ten(&["--model", "good/scripted-model"]);
    assert!(bad.chats().is_empty());
}

#[test]
fn a_judge_that_was_not_held_against_the_user_counts_for_no_route() {
    let (good, bad) = (model("Lisbon"), model("Porto"));
    let judge =
        Server::speak(|_, _| Reply::text(json!({"feedback": "Wrong.", "score": 1}).to_string()))
            .openai();
    let scene = Scene::new([]);
    let judged = format!(
        "judge = \"judge/scripted-model\"\n[observers]\ncritic = \"every\"\n{ROUTES}{}",
        provider("judge", &judge),
    );
    configure(&scene, (&good, &bad), &judged);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    ask(&client, &id, "What is the capital of Portugal?");
    let mut events = client.events(&format!("/api/v1/sessions/{id}/events"), Some(0));
    events.until("critique.result");
    let told = scene.house.ask(["quality", "routes"]).run();
    assert!(
        told.stdout
            .contains("Judge judge/scripted-model does not count"),
        "{}",
        told.stdout
    );
    let told = scene
        .house
        .ask(["quality", "routes", "--json"])
        .run()
        .json();
    assert_eq!(told["judges_that_do_not"], json!(["judge/scripted-model"]));
    let kinds = told["routes"].as_array().unwrap();
    let models = kinds
        .iter()
        .flat_map(|kind| kind["models"].as_array().unwrap());
    assert!(models.clone().count() > 0);
    assert!(
        models
            .into_iter()
            .all(|one| one["good"] == 0.0 && one["bad"] == 0.0),
        "{told}"
    );
}

/// What `quality routes --json` says of a kind of task, by the name of the provider.
fn told_of(scene: &Scene, kind: &str) -> BTreeMap<String, Value> {
    let told = scene.house.ask(["quality", "routes", "--json"]).run();
    let told = told.json();
    let kinds = told["routes"].as_array().unwrap();
    let known = kinds.iter().find(|one| one["kind"] == kind);
    let known = known.unwrap_or_else(|| panic!("nothing of {kind}: {told}"));
    let models = known["models"].as_array().unwrap().iter();
    let by_provider = |one: &Value| {
        let name = one["model"].as_str().unwrap();
        (name.split_once('/').unwrap().0.to_owned(), one.clone())
    };
    models.map(by_provider).collect()
}

#[test]
fn a_judge_that_says_what_the_user_says_counts_a_half() {
    let (good, bad) = (model("Lisbon"), model("Porto"));
    let judge = Server::speak(|body, _| {
        let score = match body["messages"].to_string().contains("Lisbon") {
            true => 5,
            false => 1,
        };
        Reply::text(json!({"feedback": "So it is.", "score": score}).to_string())
    });
    let judge = judge.openai();
    let scene = Scene::new([]);
    let judged = format!(
        "judge = \"judge/scripted-model\"\n[observers]\ncritic = \"every\"\n{ROUTES}{}",
        provider("judge", &judge),
    );
    configure(&scene, (&good, &bad), &judged);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    let mut events = client.events(&format!("/api/v1/sessions/{id}/events"), Some(0));
    // A judge that saw nothing but good answers tells nothing.
    let (mut rated, mut seen) = (0, BTreeSet::new());
    while rated < 10 || seen.len() < 2 {
        let (model, _, query) = ask(&client, &id, "What is the capital of Portugal?");
        let is_good = model.starts_with("good/");
        rate(&client, &id, &query, if is_good { 100 } else { -100 });
        events.until("critique.result");
        rated += 1;
        seen.insert(is_good);
    }
    ask(&client, &id, "What is the capital of Portugal?");
    events.until("critique.result");
    // Each by the user, and each and one more by the judge at a half.
    let known = told_of(&scene, "talk");
    let sum = |key: &str| -> f64 { known.values().map(|one| one[key].as_f64().unwrap()).sum() };
    let counted = f64::from(rated) * 1.5 + 0.5;
    assert_eq!(sum("good") + sum("bad"), counted, "{known:?}");
    assert_eq!(known["good"]["bad"], 0.0, "{known:?}");
    assert_eq!(known["bad"]["good"], 0.0, "{known:?}");
}

#[test]
fn what_is_known_of_other_kinds_of_task_counts_for_little() {
    let reader = |word: &'static str| {
        let answer = move |body: &Value| {
            let said = body["messages"].to_string();
            match said.contains("a.txt") && !said.contains("\"role\":\"tool\"") {
                true => Reply::call("read_file", json!({"path": "a.txt"})),
                false => Reply::text(format!("It is {word}.")),
            }
        };
        Server::speak(move |body, _| answer(body)).openai()
    };
    let (good, bad) = (reader("Lisbon"), reader("Porto"));
    let scene = Scene::new([]);
    scene.house.write("a.txt", "Lisbon");
    configure(&scene, (&good, &bad), ROUTES);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    for _ in 0..24 {
        let (model, _, query) = ask(&client, &id, "What is the capital of Portugal?");
        let score = if model.starts_with("good/") {
            100
        } else {
            -100
        };
        rate(&client, &id, &query, score);
    }
    let (_, reason, query) = ask(&client, &id, "Which capital stands in a.txt?");
    assert!(
        reason.ends_with("its answers to look: none was rated"),
        "{reason}"
    );
    rate(&client, &id, &query, 0);
    let share = |kind: &str| told_of(&scene, kind)["good"]["share"].as_f64().unwrap();
    let (talk, look) = (share("talk"), share("look"));
    // The numbers depend on which model was drawn how often, and the shares are drawn themselves.
    let is_less = (0.5..talk - 0.02).contains(&look);
    assert!(talk > 0.9 && is_less, "{talk} {look}");
}

#[test]
fn agents_below_are_routed_by_their_own_role() {
    let reader = || Server::speak(|body, _| two_readers(body, None)).openai();
    let (good, bad) = (reader(), reader());
    let scene = Scene::new([]);
    let routes = "reason = \"good/scripted-model\"\n[observers.routes]\n\
                  reason = [\"good/scripted-model\", \"bad/scripted-model\"]\n\
                  [chat]\ndefault_agent = \"orchestrator\"\n";
    configure(&scene, (&good, &bad), routes);
    scene.house.write("a.txt", "MARKER-A");
    scene.house.write("b.txt", "MARKER-B");
    let asked = ["run", "--events", "Are a.txt and b.txt short?"];
    scene.house.ask(asked).run().expect(0);
    let log = json_lines(&scene.house.session_logs()[0]);
    let begun = of_kind(&log, "agent_spawned");
    let chosen = of_kind(&log, "model_chosen");
    let reasons = |child: &Value| {
        let own = chosen.iter().filter(|one| one["agent_id"] == *child);
        let reasons: Vec<_> = own.map(|one| one["reason"].to_string()).collect();
        reasons
    };
    assert_eq!(begun.len(), 3, "{begun:?}");
    for child in begun {
        let said = reasons(&child["child"]);
        assert!(
            !said.is_empty()
                && said
                    .iter()
                    .all(|one| one.contains("routed, one of 2 for reason")),
            "{said:?}"
        );
    }
    let own = chosen
        .iter()
        .filter(|one| !one["reason"].to_string().contains("for reason"));
    assert!(own.clone().count() > 0, "{chosen:?}");
    assert!(
        own.into_iter()
            .all(|one| !one["reason"].to_string().contains("routed"))
    );
}

/// A house with a model that answers, which is the role's own, and a server that is not there; requests go to
/// these models.
fn configure_dead(scene: &Scene, good: &Server, routed: &str) {
    let config = format!(
        "[models]\ndefault_provider = \"good\"\n[memory]\nrecall = false\ncapture = false\n\
         [models.discovery]\nembedded = false\n{}[models.providers.dead]\ntype = \"openai\"\n\
         endpoint = \"http://127.0.0.1:9/v1\"\n[models.roles]\ncode = \"good/scripted-model\"\n\
         [observers.routes]\ncode = [{routed}]\n",
        provider("good", good),
    );
    scene.house.configure(&config);
}

#[test]
fn where_a_routed_model_does_not_answer_the_one_of_the_role_does_and_that_is_said() {
    let good = model("Lisbon");
    let scene = Scene::new([]);
    configure_dead(&scene, &good, "\"dead/one\", \"dead/other\"");
    let asked = ["run", "--mode", "loop", "What is the capital of Portugal?"];
    let ran = scene.house.ask(asked).run().expect(0);
    assert!(ran.stdout.contains("It is Lisbon."), "{}", ran.stdout);
    let log = json_lines(&scene.house.session_logs()[0]);
    let notices = of_kind(&log, "notice");
    let told = notices
        .iter()
        .find(|one| one["code"] == "models.fallback")
        .unwrap();
    let message = told["message"].as_str().unwrap();
    let why = "which [observers.routes] names for code, did not answer";
    assert!(
        message.starts_with("dead/") && message.contains(why),
        "{message}"
    );
    let chosen = of_kind(&log, "model_chosen");
    assert_eq!(chosen.len(), 1, "{chosen:?}");
    assert_eq!(chosen[0]["model"], "good/scripted-model");
    assert!(!chosen[0]["reason"].to_string().contains("routed"));
}

#[test]
fn a_routed_model_that_did_not_answer_is_skipped_for_a_while() {
    let good = model("Lisbon");
    let scene = Scene::new([]);
    configure_dead(&scene, &good, "\"dead/one\", \"good/scripted-model\"");
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    let reasons: Vec<String> = (0..24)
        .map(|_| ask(&client, &id, "What is the capital of Portugal?").1)
        .collect();
    let log = json_lines(&scene.house.session_logs()[0]);
    let notices = of_kind(&log, "notice");
    let told = notices
        .iter()
        .filter(|one| one["code"] == "models.fallback");
    // Each of the 24 goes to the dead one with a half, and only the first of those finds out.
    let told: Vec<&str> = told.map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(told.len(), 1, "{notices:?}");
    // The other one that is named is asked, before the role's own.
    let asked =
        "good/scripted-model is asked instead, and for a while no request goes to dead/one.";
    assert!(told[0].ends_with(asked), "{told:?}");
    let last = reasons.last().unwrap();
    let skipped = "routed, one of 2 for code (1 skipped, which did not answer); its answers";
    assert!(last.starts_with(skipped), "{reasons:?}");
}
