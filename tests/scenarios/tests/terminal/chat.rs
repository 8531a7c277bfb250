//! The chat as a person holds it: every command once, and what is typed wrongly.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::cell::RefCell;
use testkit::{Attended, Reply};

/// Where a line is typed.
const PROMPT: &str = "> ";
/// Where a question is answered.
const ANSWER: &str = "message to the agent: ";
/// Where an undo is answered, which no agent asked for.
const UNDO_ANSWER: &str = "[n]o: ";

/// A house where nothing is recalled: what a model is told is what the conversation holds.
fn forgetful(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let scene = Scene::new(replies);
    let config = scene.server.config("openai") + "\n[memory]\nrecall = false\n";
    scene.house.configure(&config);
    scene
}

/// A chat in which these lines are typed one after the other; questions are answered with yes.
/// Each screen is what stood between a line and the next prompt.
fn chat(scene: &Scene, args: &[&str], lines: &[&str]) -> (Attended, Vec<String>) {
    let screens: RefCell<Vec<String>> = RefCell::default();
    let mut left = lines.iter();
    let carl = scene.house.ask(["chat"]).args(args.iter().copied());
    // A terminal that cannot move its cursor shows each line once.
    let run = carl
        .env("TERM", "dumb")
        .talking(&[PROMPT, ANSWER, UNDO_ANSWER], |shown, _| {
            if shown.contains("[y]") {
                return "y".to_owned();
            }
            screens.borrow_mut().push(shown.to_owned());
            left.next().map_or("/quit", |line| *line).to_owned()
        });
    (run, screens.into_inner())
}

fn logs(scene: &Scene) -> Vec<Vec<Value>> {
    let mut paths = scene.house.session_logs();
    paths.sort();
    paths
        .iter()
        .map(|path| testkit::house::json_lines(path))
        .collect()
}

fn assert_shows(screens: &[String], index: usize, parts: &[&str]) {
    let screen = &screens[index + 1];
    for part in parts {
        assert!(
            screen.contains(part),
            "no `{part}` after line {index}: {screen}\n{screens:#?}"
        );
    }
}

/// What each command of the first chat says.
fn assert_is_told(screens: &[String]) {
    assert_shows(screens, 0, &["nothing to take back"]);
    assert_shows(screens, 2, &["`7x` is no rating", "/rate 4"]);
    assert_shows(screens, 3, &["rated +100: hello carl"]);
    assert_shows(
        screens,
        4,
        &["#2 you", "hello carl", "agent", "Hello there."],
    );
    assert_shows(screens, 5, &["Event 99999", "carl session show"]);
    assert_shows(screens, 6, &["#2 is pinned"]);
    assert_shows(screens, 7, &["#2 you   pinned"]);
    assert_shows(screens, 8, &["system", "tools", "identity", "all", "%"]);
    assert_shows(
        screens,
        9,
        &["── system", "── tools", "hello carl", "Hello there."],
    );
    assert_shows(screens, 10, &["/context full"]);
    assert_shows(screens, 11, &["as small as it gets"]);
    assert!(!screens[12].contains("error"), "{screens:#?}");
    assert_shows(
        screens,
        12,
        &["coder (this session's)", "has started no other agent"],
    );
    assert_shows(screens, 13, &["on disk"]);
    assert_shows(screens, 14, &["nothing is remembered about that"]);
    assert_shows(screens, 15, &["written to", "kept.md"]);
    assert_shows(screens, 16, &["exists", "/export NAME.md"]);
    assert_shows(screens, 18, &["there is no command /nonsense", "/help"]);
    assert_shows(screens, 19, &["/undo", "/context [full]", "Ctrl-C"]);
}

#[test]
fn a_conversation_is_looked_at_rated_pinned_and_kept() {
    let scene = Scene::new([Reply::text("Hello there."), Reply::text("Bees dance.")]);
    let lines = [
        "/retry",
        "hello carl",
        "/rate 7x",
        "/rate + well said",
        "/pin",
        "/pin 99999",
        "/pin 2",
        "/pin",
        "/context",
        "/context full",
        "/context everything",
        "/compact",
        "/agents",
        "/memory",
        "/memory bees",
        "/export kept.md",
        "/export kept.md",
        "/export kept.json",
        "/nonsense",
        "/help",
        "/etc/hosts is a path, what of it?",
    ];
    let (run, screens) = chat(&scene, &[], &lines);
    assert_eq!(run.finished.code, Some(0), "{run:#?}");
    assert_is_told(&screens);
    let kept = scene.house.read("kept.md");
    assert!(
        kept.contains("## User #2, pinned") && kept.contains("Hello there."),
        "{kept}"
    );
    assert!(kept.contains("*Rated 100: well said*"), "{kept}");
    let events: Value = serde_json::from_str(&scene.house.read("kept.json")).unwrap();
    assert_eq!(events[1]["text"], "hello carl");
    // The path was said to the agent.
    assert!(
        scene.told().contains("/etc/hosts is a path"),
        "{}",
        scene.told()
    );
    let log = &logs(&scene)[0];
    assert_eq!(of_kind(log, "feedback")[0]["score"], 100);
    assert_eq!(of_kind(log, "pinned").len(), 1);
}

#[test]
fn an_exchange_is_taken_back_with_its_files_or_asked_again() {
    let write = |path: &str, content: &str| {
        Reply::call("write_file", json!({"path": path, "content": content}))
    };
    let scene = forgetful([
        Reply::text("First answer."),
        write("a.txt", "one\n")
            .and_call("write_file", json!({"path": "b.txt", "content": "x\n"}))
            .and_call("write_file", json!({"path": "c.txt", "content": "x\n"}))
            .and_call("write_file", json!({"path": "d.txt", "content": "x\n"})),
        Reply::call(
            "write_file",
            json!({"path": "a.txt", "content": "two\n", "mode": "overwrite"}),
        ),
        Reply::text("Written."),
        Reply::text("Second answer."),
        Reply::text("Third answer."),
    ]);
    let lines = [
        "the first question",
        "write the files",
        "/undo",
        "/retry",
        "/undo",
        "/undo",
        "a last question",
    ];
    let args = ["--allow-write", ".", "--yes", "write"];
    let (run, screens) = chat(&scene, &args, &lines);
    assert_eq!(run.finished.code, Some(0), "{run:#?}");
    assert_shows(
        &screens,
        2,
        &["taken back: write the files (5 file changes taken back)"],
    );
    assert!(!scene.house.has("a.txt") && !scene.house.has("b.txt"));
    assert_shows(&screens, 3, &["again: the first question"]);
    assert_shows(
        &screens,
        4,
        &["taken back: the first question (it had changed no file)"],
    );
    assert_shows(&screens, 5, &["nothing to take back"]);
    let chats = scene.server.chats();
    let asked = |index: usize| chats[index].body["messages"].to_string();
    // Asked again, as if it had never been asked, and nothing of what was taken back is told.
    assert!(!asked(4).contains("First answer."), "{}", asked(4));
    assert!(asked(4).contains("the first question"), "{}", asked(4));
    for gone in [
        "the first question",
        "write the files",
        "undo",
        "Second answer.",
    ] {
        assert!(!asked(5).contains(gone), "{gone}: {}", asked(5));
    }
    let log = &logs(&scene)[0];
    assert_eq!(of_kind(log, "rewound").len(), 3);
    assert_eq!(
        of_kind(log, "query_received").len(),
        5,
        "the log keeps all of it"
    );
}

#[test]
fn an_undo_of_several_files_shows_each_change_once() {
    let write = |path: &str, content: &str| {
        Reply::call("write_file", json!({"path": path, "content": content}))
    };
    let scene = Scene::new([
        write("a.txt", "one\n").and_call("write_file", json!({"path": "b.txt", "content": "2\n"})),
        write("c.txt", "three\n"),
        Reply::text("Written."),
    ]);
    let mut lines = ["write the files", "/undo", "/quit"].into_iter();
    let carl = scene.house.ask(["chat", "--allow-write", "."]);
    let run = carl
        .env("TERM", "dumb")
        .talking(&[PROMPT, ANSWER, UNDO_ANSWER], |shown, _| {
            if shown.contains("[a]ll") {
                return "a".to_owned();
            }
            if shown.contains("[y]") {
                return "y".to_owned();
            }
            lines.next().unwrap_or("/quit").to_owned()
        });
    let screen = run.finished.stderr.replace('\r', "");
    let (_, undo) = screen
        .split_once("Plan: take back the last 3 file changes")
        .unwrap();
    for change in ["-one\n", "-2\n", "-three\n"] {
        assert_eq!(undo.matches(change).count(), 1, "{change}: {undo}");
    }
    assert!(
        !["a.txt", "b.txt", "c.txt"]
            .iter()
            .any(|name| scene.house.has(name))
    );
}

#[test]
fn a_refused_undo_takes_nothing_back() {
    let scene = Scene::new([
        Reply::call("write_file", json!({"path": "a.txt", "content": "one\n"})),
        Reply::text("Written."),
    ]);
    let carl = scene.house.ask(["chat", "--allow-write", "."]);
    let mut lines = ["write a file", "/undo", "/pin", "/quit"].into_iter();
    let mut asked = 0;
    let run = carl
        .env("TERM", "dumb")
        .talking(&[PROMPT, ANSWER, UNDO_ANSWER], |shown, _| {
            if shown.contains("[y]") {
                asked += 1;
                return (if asked == 1 { "y" } else { "n" }).to_owned();
            }
            lines.next().unwrap_or("/quit").to_owned()
        });
    let screen = &run.finished.stderr;
    assert!(
        screen.contains("nothing was taken back; the exchange stays"),
        "{screen}"
    );
    assert!(scene.house.has("a.txt"));
    let log = &logs(&scene)[0];
    // Only the request to undo is taken back.
    assert_eq!(of_kind(log, "rewound").len(), 1);
    let spoken = screen
        .rsplit("nothing was taken")
        .next()
        .unwrap_or_default();
    assert!(
        spoken.contains("write a file") && spoken.contains("Written."),
        "{spoken}"
    );
}

#[test]
fn an_undo_reaches_a_change_allowed_once() {
    let write = |name: &str| Reply::call("write_file", json!({"path": name, "content": "one\n"}));
    let scene = Scene::new([
        write("a.txt"),
        Reply::text("Written."),
        write("b.txt"),
        Reply::call("undo", json!({})),
        Reply::text("Written and taken back."),
    ]);
    let lines = ["write a.txt", "/undo", "write b.txt and undo it"];
    let (run, _) = chat(&scene, &[], &lines);
    let screen = &run.finished.stderr;
    assert!(screen.contains("1 file change taken back"), "{screen}");
    assert!(
        !scene.house.has("a.txt") && !scene.house.has("b.txt"),
        "{screen}"
    );
    // The change, its undoing, and the same by the model: each is asked about once.
    assert_eq!(screen.matches("[y]").count(), 4, "{screen}");
}

#[test]
fn a_resumed_chat_says_where_it_was() {
    let scene = forgetful([Reply::text("Steep it for three minutes.")]);
    let (first, _) = chat(&scene, &[], &["how long does oolong steep?"]);
    assert!(!first.finished.stderr.contains("last asked"));
    let run = scene
        .house
        .ask(["session", "resume", "last"])
        .env("TERM", "dumb")
        .talking(&[PROMPT], |_, _| "/quit".to_owned());
    let screen = &run.finished.stderr;
    for part in [
        "last asked: how long does oolong steep?",
        "answered: Steep it for three minutes.",
        "carl session show",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
}

#[test]
fn one_chat_goes_through_sessions_modes_and_models() {
    let scene = forgetful([
        Reply::text("One."),
        Reply::text("Two."),
        Reply::text("Three."),
        Reply::text("Four."),
        Reply::text("Five."),
    ]);
    let lines = [
        "first words",
        "second words",
        "/fork 2",
        "third words",
        "/new",
        "fourth words",
        "/mode",
        "/mode deterministic",
        "list files",
        "/mode sideways",
        "/mode loop",
        "/model",
        "/model nothing like it",
        "/model default",
        "/fork 99999",
        "/new now",
        "/thinking",
        "/thinking high",
        "/thinking much",
        "fifth words",
    ];
    let (run, screens) = chat(&scene, &[], &lines);
    assert_eq!(run.finished.code, Some(0), "{run:#?}");
    assert_shows(
        &screens,
        2,
        &["without what was allowed", "goes on with the other"],
    );
    assert_shows(&screens, 4, &["new session"]);
    assert_shows(&screens, 6, &["mode: adaptive", "deterministic"]);
    assert_shows(&screens, 7, &["mode: deterministic"]);
    assert_shows(&screens, 9, &["there is no mode `sideways`", "plan"]);
    assert_shows(&screens, 11, &["model: what suits the agent type coder"]);
    assert_shows(&screens, 12, &["there is no model"]);
    assert_shows(&screens, 13, &["model: what suits"]);
    assert_shows(&screens, 14, &["is no number of a message", "/pin"]);
    assert_shows(&screens, 15, &["takes nothing after it"]);
    let known = ["thinking: default", "there are default, off"];
    assert_shows(&screens, 16, &known);
    assert_shows(&screens, 17, &["thinking: high"]);
    let unknown = ["there is no level of thinking `much`", "off, on, low"];
    assert_shows(&screens, 18, &unknown);
    let chats = scene.server.chats();
    assert_eq!(chats[4].body["reasoning_effort"], "high");
    let asked = |index: usize| chats[index].body["messages"].to_string();
    // The copy has the first exchange and not the second; the new session has neither.
    assert!(
        asked(2).contains("first words") && asked(2).contains("third words"),
        "{}",
        asked(2)
    );
    assert!(!asked(2).contains("second words"), "{}", asked(2));
    assert!(
        asked(3).contains("fourth words") && !asked(3).contains("first words"),
        "{}",
        asked(3)
    );
    assert_eq!(logs(&scene).len(), 3);
}

#[test]
fn a_session_is_looked_at_compacted_and_exported_from_outside() {
    let scene = Scene::new([Reply::text("An answer.")]);
    let run = scene.run(&["a question"]);
    let id = run.text("session_id").to_owned();
    let before = scene.log(&run);
    let context = |args: &[&str]| {
        let carl = scene.house.ask(["session", "context", &id]);
        carl.args(args.iter().copied()).run()
    };
    let shares = context(&[]).expect(0).stdout;
    assert!(
        shares.lines().all(|line| line.chars().count() <= 80),
        "{shares}"
    );
    assert!(
        shares.contains("conversation") || shares.contains("turn"),
        "{shares}"
    );
    assert!(context(&["--full"]).expect(0).stdout.contains("a question"));
    let view = context(&["--json"]).expect(0).json();
    let parts = view["parts"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["name"] == "system"), "{view}");
    let refused = context(&["--agent", "0000"]).expect(2);
    assert!(refused.stderr.contains("no sub-agent"), "{refused:#?}");
    let refused = scene
        .house
        .ask(["session", "show", &id, "--agent", "0000"])
        .run();
    assert!(refused.expect(2).stderr.contains("no sub-agent"));
    assert_eq!(scene.log(&run), before, "looking leaves no trace");
    let small = scene.house.ask(["session", "compact", &id]).run().expect(0);
    assert!(small.stdout.contains("as small as it gets"), "{small:#?}");
    let shown = scene.house.ask(["session", "show", &id]).run().expect(0);
    assert!(shown.stdout.contains("## User #2 "), "{shown:#?}");
    // The number of the answer takes its exchange along whole.
    let forked = scene
        .house
        .ask(["session", "fork", &id, "--at", "2"])
        .run()
        .expect(0);
    let copy = scene.house.session_log(forked.stdout.trim());
    assert_eq!(of_kind(&copy, "query_finished")[0]["status"], "success");
    let carl = scene.house.ask(["session", "fork", &id, "--at", "1"]);
    let refused = carl.run().expect(2);
    assert!(refused.stderr.contains("session show"), "{refused:#?}");
    scene.house.write("kept.md", "mine");
    let carl = scene.house.ask(["session", "export", &id, "-o", "kept.md"]);
    let refused = carl.run().expect(2);
    assert!(refused.stderr.contains("another name"), "{refused:#?}");
    assert_eq!(scene.house.read("kept.md"), "mine");
    let carl = scene.house.ask(["session", "export", &id, "-o", "new.md"]);
    carl.run().expect(0);
    assert!(scene.house.read("new.md").contains("a question"));
}

#[test]
fn a_session_in_deterministic_mode_says_so_when_it_is_gone_on_with() {
    let scene = Scene::new([]);
    scene.house.write("notes.md", "draft\n");
    let before = scene.run(&["--mode", "deterministic", "show notes.md"]);
    let id = before.text("session_id");
    let lines = ["Korrigiere das", "/new", "/quit"];
    let mut lines = lines.into_iter();
    let carl = scene
        .house
        .ask(["session", "resume", id])
        .env("TERM", "dumb");
    let shown = carl.talking(&["\n> "], |_, _| lines.next().unwrap_or("/quit").to_owned());
    let told = &shown.finished.stderr;
    let mode = "mode: deterministic, plain English orders without a model; /mode loop asks one";
    assert_eq!(told.matches(mode).count(), 2, "{told}");
    assert!(told.contains("as /mode loop does in a chat"), "{told}");
}

#[test]
fn a_yes_to_an_undo_leaves_the_folder_closed() {
    let write = |name: &str| Reply::call("write_file", json!({"path": name, "content": "one\n"}));
    let scene = Scene::new([
        write("a.txt"),
        Reply::text("Written."),
        write("b.txt"),
        Reply::text("Written."),
    ]);
    let mut lines = ["write a file", "/undo", "write another"].into_iter();
    let mut questions = Vec::new();
    let carl = scene.house.ask(["chat"]).env("TERM", "dumb");
    let run = carl.talking(&[PROMPT, ANSWER, UNDO_ANSWER], |shown, _| {
        if shown.contains("[y]") {
            questions.push(shown.to_owned());
            return "y".to_owned();
        }
        lines.next().unwrap_or("/quit").to_owned()
    });
    let says = |index: usize, what: &str| questions.get(index).is_some_and(|q| q.contains(what));
    assert_eq!(questions.len(), 3, "{run:#?}");
    assert!(says(0, "not open for writing"), "{run:#?}");
    assert!(says(1, "which is opened for this plan alone"), "{run:#?}");
    assert!(says(2, "not open for writing"), "{run:#?}");
    assert!(scene.house.has("b.txt") && !scene.house.has("a.txt"));
}

#[test]
fn a_replay_tells_no_difference_of_calls_made_at_once_or_in_an_approved_plan() {
    let read = |name: &str| json!({"path": name});
    let scene = forgetful([
        Reply::call("read_file", read("notes.md")).and_call("read_file", read("notes.md")),
        Reply::call("write_file", json!({"path": "a.txt", "content": "one\n"})),
        Reply::text("Written."),
    ]);
    scene.house.write("notes.md", "words\n");
    let lines = ["read it twice and write a.txt", "/undo"];
    let (run, _) = chat(&scene, &["--allow-write", "."], &lines);
    assert!(!scene.house.has("a.txt"), "{run:#?}");
    let replay = scene.house.ask(["policy", "replay"]).run().expect(0).stdout;
    assert!(
        replay.contains("4 calls; none would be decided differently today."),
        "{replay}"
    );
    let undo = replay.lines().find(|line| line.contains("undo")).unwrap();
    assert!(undo.starts_with("allow (plan)"), "{replay}");
}

#[test]
fn the_head_of_a_chat_breaks_no_session_id() {
    let scene = Scene::new([]);
    let carl = scene.house.ask(["chat"]).env("TERM", "dumb");
    let shown = carl.env("COLUMNS", "60");
    let shown = shown.talking(&[PROMPT], |_, _| "/quit".to_owned());
    let told = &shown.finished.stderr;
    let listed = scene.house.ask(["session", "list", "--json"]).run();
    let id = listed.expect(0).json()[0]["session_id"].clone();
    let id = id.as_str().unwrap();
    let head = told.lines().find(|line| line.contains(id)).unwrap();
    assert!(head.trim_end().len() <= 60, "{told}");
}
