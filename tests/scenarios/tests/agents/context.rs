//! A long conversation through the shipped program, a process a turn: what was sent stays sent, the
//! journal bridges, a summary cites what can be recalled.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use testkit::{Reply, Server};

const NUDGE: &str = "[Housecarl: this conversation will soon be too long";
const RULE: &str = "Never write to the archive.";
const CONTEXT: &str = "32768";

/// Requests that look for different tools: one of each kind that an agent has.
const WISHES: [&str; 8] = [
    "Read the notes again",
    "Find every file that mentions a port",
    "Write a copy of the notes to a new file",
    "Run a program that counts the lines",
    "Search the web for the word of the day",
    "Remember that I like tea",
    "Hand the proof-reading to another agent",
    "Delete the old notes",
];

/// What a model is asked: the words of the last message, and whether a summary is wanted.
fn asked(body: &Value) -> (String, String, bool) {
    let messages = body["messages"].as_array().unwrap();
    let last = messages.last().unwrap();
    let content = last["content"].as_str().unwrap_or_default().to_owned();
    let role = last["role"].as_str().unwrap_or_default().to_owned();
    (role, content, body.get("response_format").is_some())
}

/// A model that reads a file for every request, and says what it was.
fn reader(body: &Value) -> Reply {
    let (role, content, summary) = asked(body);
    if summary {
        return Reply::text("{\"lines\": []}");
    }
    match role.as_str() {
        "tool" if content.contains("Noted.") => Reply::text("Done, and noted."),
        "tool" => Reply::text("Read."),
        _ => Reply::call("read_file", json!({"path": "notes.txt"})),
    }
}

/// The same, but it writes its journal when it is told to.
fn diarist(body: &Value) -> Reply {
    let (_, content, _) = asked(body);
    if content.contains(NUDGE) {
        return Reply::call(
            "journal",
            json!({"text": "Where we are\nThe port is 8443."}),
        );
    }
    reader(body)
}

fn scene(speak: fn(&Value) -> Reply) -> Scene {
    let server = Server::speak(move |body, _| speak(body)).openai();
    let scene = Scene::with(server, "openai");
    let line = "A line of the notes that says nothing in particular.\n";
    scene.house.write("notes.txt", line.repeat(70));
    scene
}

/// A request in a session, in a process of its own.
fn turn(scene: &Scene, session: Option<&str>, text: &str) -> Outcome {
    turn_within(CONTEXT, scene, session, text)
}

fn turn_within(context: &str, scene: &Scene, session: Option<&str>, text: &str) -> Outcome {
    let mut args = vec!["--context-tokens", context];
    if let Some(id) = session {
        args.extend(["--session-id", id]);
    }
    args.push(text);
    let outcome = scene.run(&args);
    outcome.assert_ends(0, "success");
    outcome
}

/// So many turns in one session, each about something else than the one before; its id.
fn talk(scene: &Scene, turns: usize) -> String {
    talk_within(CONTEXT, scene, turns)
}

fn talk_within(context: &str, scene: &Scene, turns: usize) -> String {
    let first = format!("The word of the day is Xylo77. {RULE}");
    let first = turn_within(context, scene, None, &first);
    let id = first.text("session_id").to_owned();
    for number in 1..turns {
        let wish = format!("{}, round {number}.", WISHES[number % WISHES.len()]);
        turn_within(context, scene, Some(&id), &wish);
    }
    id
}

/// Of what was sent between two compactions, how much was sent again with the next call, per cent.
fn sent_again(scene: &Scene) -> f64 {
    let (mut sent, mut again) = (0, 0);
    for pair in prompts(scene).windows(2) {
        // A summary, which stands for a compaction, parts what is before it from what is after.
        let [Some(before), Some(after)] = pair else {
            continue;
        };
        let both = before.bytes().zip(after.bytes());
        sent += before.len();
        again += both.take_while(|(left, right)| left == right).count();
    }
    100.0 * again as f64 / sent as f64
}

/// The prompts that were sent, tools first; `None` for a summary.
fn prompts(scene: &Scene) -> Vec<Option<String>> {
    let chats = scene.server.chats();
    let prompt = |body: &Value| {
        let messages = body["messages"].as_array().unwrap();
        let messages: String = messages.iter().map(|one| format!("{one}\n")).collect();
        format!("{}\n{messages}", body["tools"])
    };
    chats
        .iter()
        .map(|chat| {
            let wanted = chat.body.get("response_format").is_none();
            wanted.then(|| prompt(&chat.body))
        })
        .collect()
}

#[test]
fn over_two_dozen_turns_what_was_sent_is_sent_again_until_a_compaction() {
    let scene = scene(reader);
    let id = talk(&scene, 24);
    let log = scene.house.session_log(&id);
    let compacted = of_kind(&log, "context_compacted");
    assert!(!compacted.is_empty(), "nothing was compacted");
    let share = sent_again(&scene);
    assert!(share >= 95.0, "{share:.1} %");
    for event in &compacted {
        assert_eq!(event["cause"], "summary", "{event:#}");
        let (before, after) = (&event["before_tokens"], &event["after_tokens"]);
        assert!(after.as_u64() < before.as_u64());
    }
    let words = scene.server.chats().last().unwrap().body["messages"].to_string();
    assert!(words.contains(RULE) && words.contains("Xylo77"), "{words}");
}

#[test]
fn a_view_made_smaller_is_told_in_json() {
    let scene = scene(reader);
    let mut session = None;
    let mut told = Vec::new();
    for number in 0..10 {
        let wish = format!("{}, round {number}.", WISHES[0]);
        let outcome = turn_within("8192", &scene, session.as_deref(), &wish);
        let compactions = outcome.summary["compactions"].as_array().unwrap();
        told.extend(compactions.iter().cloned());
        session = Some(outcome.text("session_id").to_owned());
    }
    let log = scene.house.session_log(&session.unwrap());
    let tokens = |event: &&Value| json!({"before_tokens": event["before_tokens"], "after_tokens": event["after_tokens"]});
    let logged = of_kind(&log, "context_compacted");
    let logged: Vec<Value> = logged.iter().map(tokens).collect();
    assert!(!logged.is_empty(), "nothing was compacted");
    assert_eq!(told, logged);
}

#[test]
fn half_the_window_is_room_for_every_tool_and_a_quarter_for_those_of_one_kind_of_work() {
    let whole = scene(reader);
    let id = talk_within("20480", &whole, 16);
    let share = sent_again(&whole);
    assert!(share >= 95.0, "{share:.1} %");
    assert_eq!(offers(&whole, &id).len(), 1);

    let small = scene(reader);
    let first = turn_within("8192", &small, None, "Read the notes, please");
    let id = first.text("session_id");
    for number in 1..8 {
        let wish = format!("{}, round {number}.", WISHES[0]);
        turn_within("8192", &small, Some(id), &wish);
    }
    let share = sent_again(&small);
    assert!(share >= 95.0, "{share:.1} %");
    // Two fifths of the prompt of 3,686 tokens.
    for characters in offers(&small, id) {
        assert!(characters <= 4 * 3_686 * 2 / 5, "{characters}");
    }
}

/// The characters of each set of tools that was offered.
fn offers(scene: &Scene, id: &str) -> Vec<usize> {
    let log = scene.house.session_log(id);
    let size = |tool: &Value| {
        let text = |field: &str| tool[field].as_str().unwrap().chars().count();
        text("name") + text("description") + tool["parameters"].to_string().chars().count()
    };
    let offers = of_kind(&log, "tool_schema").into_iter();
    offers
        .map(|event| event["tools"].as_array().unwrap().iter().map(size).sum())
        .collect()
}

#[test]
fn the_gateway_counts_what_was_sent_before_in_one_process() {
    let scene = scene(reader);
    scene.house.write("notes.txt", "The port is 8443.\n");
    let mut left = (0..16).map(|n| format!("{}, round {n}.", WISHES[n % WISHES.len()]));
    let run = scene
        .house
        .ask(["chat", "--context-tokens", CONTEXT])
        .env("TERM", "dumb")
        .talking(&["> "], |_, _| left.next().unwrap_or("/quit".to_owned()));
    assert_eq!(run.finished.code, Some(0), "{:?}", run.questions);
    let logs = scene.house.session_logs();
    let log = testkit::house::json_lines(&logs[0]);
    let answered = of_kind(&log, "model_answered");
    let counts: Vec<u64> = answered
        .iter()
        .map(|event| event["usage"]["prefix_reuse_permille"].as_u64().unwrap())
        .collect();
    assert_eq!(counts.len(), 32, "{counts:?}");
    let again = counts.iter().skip(1);
    assert!(again.clone().all(|permille| *permille >= 900), "{counts:?}");
    let mean = again.sum::<u64>() / 31;
    assert!(mean >= 950, "{counts:?}");
}

#[test]
fn the_journal_is_written_once_told_and_stands_for_what_it_covers() {
    let scene = scene(diarist);
    let id = talk(&scene, 20);
    let log = scene.house.session_log(&id);
    let written = of_kind(&log, "journal_written");
    assert!(!written.is_empty(), "no journal");
    assert_eq!(written[0]["title"], "Where we are");
    let path = scene.house.state().join(format!("journals/{id}.md"));
    let file = std::fs::read_to_string(path).unwrap();
    assert!(
        file.starts_with("## 20") && file.contains(" — Where we are\n\nThe port is 8443."),
        "{file}"
    );
    let compacted = of_kind(&log, "context_compacted");
    assert_eq!(compacted[0]["cause"], "journal", "{:#}", compacted[0]);
    let chats = scene.server.chats();
    let bridged = chats.iter().any(|chat| {
        let words = chat.body["messages"].to_string();
        let entry = words.find("The port is 8443.");
        let in_front = entry < words.find("The user's request:");
        let passing = words.contains("\"name\":\"journal\"") || words.contains(NUDGE);
        entry.is_some() && in_front && words.contains(RULE) && !passing
    });
    assert!(
        bridged,
        "no prompt has the journal in front and no trace of its call"
    );
    // No tool of the agent's reaches the file.
    let reading = format!("{}/journals/{id}.md", scene.house.state().display());
    let thief = Scene::new([
        Reply::call("read_file", json!({"path": reading})),
        Reply::text("No."),
    ]);
    let outcome = thief.run(&["read it"]);
    assert_ne!(outcome.calls()[0]["status"], "ok", "{:#}", outcome.summary);
}

#[test]
fn what_left_the_view_is_recalled_by_its_number_and_no_other_event_is() {
    let scene = scene(reader);
    let first = turn(&scene, None, "The word of the day is Xylo77.");
    let id = first.text("session_id").to_owned();
    let log = scene.log(&first);
    let seq = of_kind(&log, "query_received")[0]["seq"].as_u64().unwrap();
    let decision = of_kind(&log, "broker_decision")[0]["seq"].as_u64().unwrap();
    let config = scene.house.session_log(&id).len();
    assert!(config > 3);
    let recall = |number: u64| {
        let server = Server::openai([
            Reply::call("recall_event", json!({"id": number})),
            Reply::text("So it was."),
        ]);
        scene.house.configure(&server.config("openai"));
        let outcome = turn(&scene, Some(&id), "What was the word?");
        let log = scene.house.session_log(&id);
        let results = of_kind(&log, "tool_result");
        (results.last().unwrap()["text"].to_string(), outcome)
    };
    let (text, outcome) = recall(seq);
    assert!(text.contains("Xylo77"), "{text}");
    assert_eq!(outcome.calls()[0]["status"], "ok");
    let (text, outcome) = recall(decision);
    assert_eq!(outcome.calls()[0]["status"], "failed", "{text}");
}

/// What a tool returned is seen whole by the model that asked for it, as far as its context holds it.
#[test]
fn what_was_just_read_is_seen_whole() {
    let reads = || {
        Reply::call("read_file", json!({"path": "a.txt"}))
            .and_call("read_file", json!({"path": "b.txt"}))
    };
    for (context, lines) in [("32768", 240), ("16384", 120)] {
        let scene = Scene::new([reads(), Reply::text("I have read both.")]);
        for file in ["a.txt", "b.txt"] {
            let text: String = (0..lines)
                .map(|line| format!("{file} line {line} says something or other of no account\n"))
                .collect();
            scene.house.write(file, &text);
        }
        turn_within(context, &scene, None, "read both files");
        let told = scene.server.chats()[1].body["messages"].to_string();
        for file in ["a.txt", "b.txt"] {
            let last = format!("{file} line {} says", lines - 1);
            assert!(told.contains(&last), "{context}: {file}");
        }
        assert!(!told.contains("Shortened to fit"), "{context}");
    }
}
