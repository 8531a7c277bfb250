//! Several carls in one house: who serves, whose settings hold in a session, and when there is room.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::{Carl, Gate, House, Reply, Running, Seated, Server};

/// What a model is told to answer with a call.
const WRITE: &str = "please WRITE";

/// A model that writes a file when the last request asks for it, and else answers it.
fn scene() -> Scene {
    let mut files = 0;
    let speak = move |body: &Value, _: usize| {
        let messages = body["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        let text = last["content"].to_string();
        if last["role"] == "user" && text.contains(WRITE) {
            files += 1;
            let arguments = json!({"path": format!("file{files}.txt"), "content": "x"});
            return Reply::call("write_file", arguments);
        }
        Reply::text("That is answered.")
    };
    Scene::with(Server::speak(speak).openai(), "openai")
}

fn chat(house: &House, args: &[&str]) -> Carl {
    let carl = house.ask(["chat"]).args(args.iter().copied());
    carl.env("TERM", "dumb")
}

/// Types a line that is answered.
fn says(seat: &mut Seated, line: &str) {
    seat.types(&format!("{line}\n"));
    seat.until("That is answered.");
    seat.until("> ");
}

fn serving(house: &House) -> Running {
    let mut server = house.ask(["serve"]).spawn();
    server.until("serving at");
    server
}

fn logs(house: &House) -> Vec<Vec<Value>> {
    let mut paths = house.session_logs();
    paths.sort();
    let paths = paths.iter();
    paths.map(|path| testkit::house::json_lines(path)).collect()
}

/// The id of the only session there is.
fn only_session(house: &House) -> String {
    let logs = house.session_logs();
    assert_eq!(logs.len(), 1, "{logs:?}");
    let name = logs[0].file_stem().unwrap();
    name.to_str().unwrap().to_owned()
}

#[test]
fn an_idle_guest_goes_on_with_the_next_host() {
    let scene = scene();
    let house = &scene.house;
    let first = chat(house, &[]).at_prompt();
    let mut idle = chat(house, &[]).at_prompt();
    let mut next = chat(house, &[]).at_prompt();
    says(&mut idle, "one");
    first.leaves();
    says(&mut next, "I take over");
    says(&mut idle, "two");
    next.leaves();
    says(&mut idle, "three");
    idle.leaves();
    let asked = |log: &Vec<Value>| of_kind(log, "query_received").len();
    let mut counts: Vec<usize> = logs(house).iter().map(asked).collect();
    counts.sort_unstable();
    assert_eq!(counts, [0, 1, 3]);
}

#[test]
fn an_idle_chat_outlives_a_restarted_serve() {
    let scene = scene();
    let house = &scene.house;
    let server = serving(house);
    let mut idle = chat(house, &[]).at_prompt();
    says(&mut idle, "one");
    server.kill();
    let server = serving(house);
    says(&mut idle, "two");
    idle.leaves();
    let log = logs(house).remove(0);
    assert_eq!(of_kind(&log, "query_received").len(), 2);
    server.kill();
}

/// A chat by private settings whose host has left, and one by laxer settings that serves since.
fn beside_a_laxer_host(house: &House) -> (Seated, Seated) {
    let private = || chat(house, &[]).env("CARL_MEMORY__CAPTURE", "false");
    let first = private().at_prompt();
    let guest = private().at_prompt();
    let mut laxer = chat(house, &[]).at_prompt();
    first.leaves();
    says(&mut laxer, "mine may be kept");
    (guest, laxer)
}

#[test]
fn a_guest_agrees_anew_with_every_host() {
    let scene = scene();
    let house = &scene.house;
    let (mut guest, laxer) = beside_a_laxer_host(house);
    for line in ["/new", "my private thing is hidden"] {
        guest.types(&format!("{line}\n"));
        guest.until("works by laxer settings");
        guest.until("> ");
    }
    laxer.leaves();
    says(&mut guest, "my private thing again");
    guest.leaves();
    let kept = house.ask(["memory", "list"]).run().expect(0);
    assert!(kept.stdout.contains("mine may be kept"), "{kept:#?}");
    assert!(!kept.stdout.contains("private"), "{kept:#?}");
}

#[test]
fn a_guest_that_no_host_may_serve_is_told_why_once_a_line() {
    let scene = scene();
    let house = &scene.house;
    let (mut guest, laxer) = beside_a_laxer_host(house);
    for line in ["one", "two", "/help", "/quit"] {
        guest.types(&format!("{line}\n"));
    }
    let finished = guest.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let told = finished.stderr;
    for (text, count) in [
        ("error:", 2),
        ("works by laxer settings", 2),
        ("End that chat", 2),
        ("is open here", 0),
        ("going on without it", 0),
    ] {
        assert_eq!(told.matches(text).count(), count, "{text}: {told}");
    }
    laxer.leaves();
}

#[test]
fn an_override_ends_with_the_command_that_brought_it() {
    let scene = scene();
    let house = &scene.house;
    let mut host = chat(house, &[]).at_prompt();
    says(&mut host, "hello");
    let id = only_session(house);
    let posted = house.ask(["run", "--session-id", &id, "--override", "all", "--json"]);
    let posted = posted.arg(format!("{WRITE} as the run")).run().expect(0);
    assert_eq!(posted.json()["tool_calls"][0]["status"], "ok");
    assert!(house.has("file1.txt"));
    // The chat is told, and is asked as before: by itself, and by a person.
    let told = host.until("in force again");
    host.types(&format!("{WRITE} as the chat\n"));
    host.until("? ");
    for part in ["settings of another command", "override all"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    host.until("message to the agent: ");
    host.types("n\n");
    host.until("> ");
    assert!(!house.has("file2.txt"));
    host.leaves();
    let log = logs(house).remove(0);
    let last = of_kind(&log, "session_configured").pop().unwrap().clone();
    let settings = &last["profile"]["settings"];
    assert_eq!(settings["override_level"], "none", "{settings}");
    assert_eq!(settings["attendance"], "attended", "{settings}");
}

#[test]
fn a_run_in_a_chats_session_leaves_it_attended() {
    let scene = scene();
    let house = &scene.house;
    let mut host = chat(house, &[]).at_prompt();
    says(&mut host, "hello");
    let id = only_session(house);
    let posted = house.ask(["run", "--session-id", &id, WRITE]).run();
    assert_eq!(posted.code, Some(5), "nobody is there: {posted:#?}");
    host.types(&format!("{WRITE}\n"));
    host.until("message to the agent: ");
    host.types("y\n");
    host.until("That is answered.");
    host.until("> ");
    assert!(house.has("file2.txt"));
    host.leaves();
}

/// The end of a question about a call.
const ANSWERS: &str = "message to the agent: ";

/// Types a line that writes a file, which the user is asked about: the question.
fn is_asked(seat: &mut Seated) -> String {
    seat.types(&format!("{WRITE}\n"));
    seat.until(ANSWERS)
}

/// Says yes for the session to a change, which the next one goes by.
fn says_yes_for_the_session(seat: &mut Seated) {
    is_asked(seat);
    seat.types("s\n");
    seat.until("That is answered.");
    seat.until("> ");
    says(seat, WRITE);
}

#[test]
fn a_yes_that_another_command_ended_is_named_when_it_is_asked_again() {
    let scene = scene();
    let house = &scene.house;
    let mut host = chat(house, &[]).at_prompt();
    says_yes_for_the_session(&mut host);
    let id = only_session(house);
    let posted = house.ask(["run", "--session-id", &id, WRITE]).run();
    assert_eq!(posted.code, Some(5), "nobody is there: {posted:#?}");
    let again = is_asked(&mut host);
    let why = "Your yes for the session ended when other settings came into force";
    assert_eq!(again.matches(why).count(), 1, "{again}");
    host.types("s\n");
    host.until("That is answered.");
    host.until("> ");
    // Given again, it holds.
    says(&mut host, WRITE);
    let shown = host.leaves();
    assert_eq!(shown.matches(why).count(), 1, "{shown}");
}

#[test]
fn a_yes_that_ended_with_its_server_is_named_when_it_is_asked_again() {
    let scene = scene();
    let house = &scene.house;
    let first = chat(house, &[]).at_prompt();
    let mut guest = chat(house, &[]).at_prompt();
    says_yes_for_the_session(&mut guest);
    first.leaves();
    let again = is_asked(&mut guest);
    let why = "Your yes for the session ended with the carl that served the session then.";
    assert_eq!(again.matches(why).count(), 1, "{again}");
    guest.types("n\n");
    guest.until("> ");
    guest.leaves();
}

#[test]
fn a_session_that_is_open_in_another_window_says_so_and_shows_its_answer_once() {
    let scene = scene();
    let house = &scene.house;
    let mut host = chat(house, &[]).at_prompt();
    says(&mut host, "hello");
    let id = only_session(house);
    let resumed = || {
        let resume = house.ask(["session", "resume", &id]).env("TERM", "dumb");
        resume.at_prompt().leaves()
    };
    let beside = resumed();
    assert!(beside.contains("open in another window"), "{beside}");
    assert_eq!(beside.matches("That is answered.").count(), 1, "{beside}");
    host.leaves();
    let alone = resumed();
    assert!(!alone.contains("open in another window"), "{alone}");
    assert!(alone.contains("answered: That is answered."), "{alone}");
}

#[test]
fn what_another_window_asks_is_shown_as_its_own() {
    let scene = scene();
    let house = &scene.house;
    let mut host = chat(house, &[]).at_prompt();
    says(&mut host, "hello");
    let id = only_session(house);
    let resume = house.ask(["session", "resume", &id]).env("TERM", "dumb");
    let mut beside = resume.at_prompt();
    says(&mut host, "how are the bees");
    beside.until("asked elsewhere: how are the bees");
    beside.until("That is answered.");
    says(&mut beside, "and the flowers");
    let shown = beside.leaves();
    assert_eq!(shown.matches("how are the bees").count(), 1, "{shown}");
    host.until("asked elsewhere: and the flowers");
    host.leaves();
}

#[test]
fn a_second_chat_keeps_its_override_to_itself() {
    let scene = scene();
    let house = &scene.house;
    let mut host = chat(house, &[]).at_prompt();
    says(&mut host, "hello");
    let id = only_session(house);
    let resume = house.ask(["session", "resume", &id, "--override", "all"]);
    let mut wide = resume.env("TERM", "dumb").at_prompt();
    says(&mut wide, WRITE);
    assert!(house.has("file1.txt"));
    // As the window itself shows a call.
    host.until("→ write_file path=file1.txt content=x");
    host.types(&format!("{WRITE}\n"));
    host.until("message to the agent: ");
    host.types("n\n");
    host.until("> ");
    assert!(!house.has("file2.txt"));
    // Whoever stays has their own settings, whoever leaves first.
    host.leaves();
    says(&mut wide, WRITE);
    assert!(house.has("file3.txt"));
    wide.leaves();
    // And with the last one they are gone.
    let posted = house.ask(["run", "--session-id", &id, WRITE]).run();
    assert_eq!(posted.code, Some(5), "{posted:#?}");
}

#[test]
fn an_override_in_a_chat_is_for_one_message() {
    let scene = scene();
    let house = &scene.house;
    let mut seat = chat(house, &[]).at_prompt();
    seat.types("/override all\n");
    seat.until("for your next message alone");
    seat.until("> ");
    says(&mut seat, WRITE);
    assert!(house.has("file1.txt"));
    seat.types(&format!("{WRITE} once more\n"));
    seat.until("message to the agent: ");
    seat.types("n\n");
    seat.until("> ");
    assert!(!house.has("file2.txt"));
    // One that waits does not go along into auto mode.
    seat.types("/override all\n");
    seat.until("for your next message alone");
    seat.types("/mode auto\n");
    seat.until("the override is over");
    seat.until("> ");
    seat.types("/override relax\n");
    seat.until("in auto mode an override cannot");
    seat.leaves();
}

#[test]
fn two_runs_at_a_time_share_one_house() {
    let gate = Gate::new();
    let slow = Reply::text("Begun. ")
        .and_wait(&gate)
        .and_text("Slow done.");
    let replies = [slow, Reply::text("Quick done."), Reply::text("Chat done.")];
    let scene = Scene::new(replies);
    let house = &scene.house;
    let mut first = house.ask(["run", "--events", "slow"]).spawn();
    first.until("Begun");
    let second = house.ask(["run", "quick"]).run().expect(0);
    assert!(second.stdout.contains("Quick done."), "{second:#?}");
    let mut guest = chat(house, &[]).at_prompt();
    guest.types("and me\n");
    guest.until("Chat done.");
    guest.until("> ");
    gate.open();
    let first = first.finish();
    assert_eq!(first.code, Some(0), "{first:#?}");
    assert!(first.stdout.contains("Slow done."), "{first:#?}");
    // Whoever served is gone; the chat goes on in a process of its own.
    guest.types("/context\n");
    guest.until("has ended; going on without it");
    guest.until("identity");
    guest.leaves();
}

#[test]
fn a_run_waits_for_those_it_serves() {
    let (host_gate, guest_gate) = (Gate::new(), Gate::new());
    let scene = Scene::new([
        Reply::text("Begun it. ").and_wait(&host_gate),
        Reply::text("Guest begun. ").and_wait(&guest_gate),
    ]);
    let house = &scene.house;
    let mut host = house.ask(["run", "one"]).env("TERM", "xterm").seated();
    host.until("Begun ");
    let mut guest = house.ask(["run", "--events", "two"]).spawn();
    guest.until("Guest begun");
    host_gate.open();
    host.until("1 other carl is waited for");
    guest_gate.open();
    let guest = guest.finish();
    assert_eq!(guest.code, Some(0), "{guest:#?}");
    assert_eq!(host.finish().code, Some(0));
}

#[test]
fn a_stricter_run_waits_for_a_laxer_one() {
    let gate = Gate::new();
    let scene = Scene::new([
        Reply::text("Begun. ").and_wait(&gate),
        Reply::text("Private done."),
    ]);
    let house = &scene.house;
    let mut laxer = house.ask(["run", "--events", "one"]).spawn();
    laxer.until("Begun");
    let stricter = house
        .ask(["run", "two"])
        .env("CARL_MEMORY__CAPTURE", "false");
    let stricter = stricter.spawn();
    gate.open();
    assert_eq!(laxer.finish().code, Some(0));
    let stricter = stricter.finish();
    assert_eq!(stricter.code, Some(0), "{stricter:#?}");
    let kept = house.ask(["memory", "list"]).run().expect(0);
    assert!(!kept.stdout.contains("two"), "{kept:#?}");
}

#[test]
fn at_the_limit_the_next_session_is_refused() {
    let gate = Gate::new();
    let slow = || Reply::text("Begun. ").and_wait(&gate);
    let scene = Scene::new([slow(), slow(), Reply::text("There is room.")]);
    let house = &scene.house;
    let config = scene.server.config("openai") + "\n[agents]\nopen_sessions = 2\n";
    house.configure(&config);
    let server = serving(house);
    let mut held: Vec<Running> = (0..2)
        .map(|_| {
            let mut run = house.ask(["run", "--events", "slow"]).spawn();
            run.until("Begun");
            run
        })
        .collect();
    let refused = house.ask(["run", "one too many"]).run().expect(4);
    for part in ["2 of 2 are", "open_sessions", "sessions.refused"] {
        assert!(refused.stderr.contains(part), "{part}: {refused:#?}");
    }
    gate.open();
    for run in held.drain(..) {
        assert_eq!(run.finish().code, Some(0));
    }
    let taken = house.ask(["run", "again"]).run().expect(0);
    assert!(taken.stdout.contains("There is room."), "{taken:#?}");
    server.kill();
}

/// Under systemd a service is started again and again while a chat serves in its place.
#[test]
fn a_service_is_told_which_chat_serves_in_its_place() {
    let scene = scene();
    let house = &scene.house;
    let mut seat = chat(house, &[]).at_prompt();
    says(&mut seat, "hello");
    let pid = seat.pid().to_string();
    for args in [&["serve"][..], &["serve", "--role", "agents"]] {
        let told = house.ask(args.iter().copied()).run().expect(4).stderr;
        assert!(told.contains(&format!("process {pid}")), "{args:?}: {told}");
        assert!(told.contains("End "), "{args:?}: {told}");
    }
    seat.leaves();
}
