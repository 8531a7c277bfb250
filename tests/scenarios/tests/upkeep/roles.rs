//! The whole product three ways: in one process, each role a process on sockets, and over TCP. What
//! a user does and sees is the same.

use scenarios::crew::{Wanted, wanted};
use scenarios::roles::{Roles, Way};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::process::Command;
use testkit::{House, Reply, Server};

const PREFERENCE: &str = "I take my coffee black, without sugar.";

/// What the model does is told by the user's words.
fn answers(body: &Value) -> Reply {
    let messages = body["messages"].as_array().unwrap();
    let said = body["messages"].to_string();
    let is_answered = messages.last().unwrap()["role"] == "tool";
    match wanted(body) {
        Wanted::Report => Reply::text(
            json!({
                "status": "success", "summary": "The child saw it.", "artifacts": [],
                "result_quality": "verified", "source": "tool_output",
                "new_memory_candidates": [],
            })
            .to_string(),
        ),
        Wanted::Other | Wanted::Digest => Reply::text(json!({"keep": []}).to_string()),
        _ if said.contains("JOB") => job(&said),
        _ if said.contains("[DRIVE") => Reply::text("I saw the change."),
        _ if said.contains("WATCH") => match said.matches("\"role\":\"tool\"").count() {
            0 => Reply::call("watch_path", json!({"path": "."})),
            1 => Reply::call(
                "yield_to_user",
                json!({"reason": "waiting", "until_signal": true}),
            ),
            _ => Reply::text("Watching."),
        },
        _ if is_answered => Reply::text("That is done."),
        _ if said.contains("CHILD") && !said.contains("DELEGATE") => {
            Reply::call("read_file", json!({"path": "notes.md"}))
        }
        _ if said.contains("DELEGATE") => {
            let task = "CHILD: read notes.md";
            Reply::call("spawn_agent", json!({"type": "researcher", "task": task}))
        }
        _ if said.contains("EDIT") => Reply::call(
            "edit_file",
            json!({"path": "notes.md", "old": "draft", "new": "final"}),
        ),
        _ if said.contains("JOURNAL") => {
            Reply::call("journal", json!({"text": "The word is final."}))
        }
        _ if said.contains("RUN") => Reply::call(
            "run_code",
            json!({"language": "python", "code": "print(6 * 7)"}),
        ),
        _ => Reply::text("Noted."),
    }
}

/// A job that is waited for, or none.
fn job(said: &str) -> Reply {
    let script = match said.contains("LASTING") {
        true => "sleep 1000",
        false => "read word < gate",
    };
    let begins = json!({"name": "build", "argv": ["/bin/sh", "-c", script]});
    match said.matches("\"role\":\"tool\"").count() {
        0 => Reply::call("start_job", begins),
        1 if !said.contains("LASTING") => Reply::call(
            "yield_to_user",
            json!({"reason": "waiting", "until_signal": true}),
        ),
        _ if said.contains("[DRIVE") => Reply::text("I heard of its end."),
        _ => Reply::text("It runs."),
    }
}

fn works(way: Way) {
    let server = Server::speak(|body, _| answers(body)).openai();
    let scene = Scene::with(server, "openai");
    let house = &scene.house;
    house.write("notes.md", "Status: draft\n");
    let roles = Roles::start(house, &scene.server.config("openai"), way);
    assert_eq!(roles.count(), if way == Way::OneProcess { 0 } else { 6 });
    delegates(&scene);
    keeps_a_journal(&scene);
    asks_before_it_edits_and_takes_back(&scene);
    plans(&scene);
    remembers(&scene);
    goes_on_in_a_session(&scene);
    drives(&scene);
    hears_of_jobs(&scene);
    let verified = house.ask(["audit", "verify"]).run().expect(0).stdout;
    assert!(verified.contains("whole"), "{verified}");
    let doctor = house.ask(["doctor"]).run().stdout;
    assert!(!doctor.contains("bad "), "{doctor}");
}

/// An agent starts another one, whose calls and report are on record.
fn delegates(scene: &Scene) {
    let outcome = scene.run(&["DELEGATE it"]);
    outcome.assert_ends(0, "success");
    let log = scene.log(&outcome);
    let [spawned] = &of_kind(&log, "agent_spawned")[..] else {
        panic!("{log:#?}");
    };
    assert_eq!(spawned["agent_type"], "researcher", "{spawned:#}");
    let results = of_kind(&log, "tool_result");
    let told = |tool: &str| {
        let found = results.iter().find(|result| result["tool"] == tool);
        found.unwrap_or_else(|| panic!("no {tool}: {log:#?}"))["text"].to_string()
    };
    assert!(told("read_file").contains("Status: draft"));
    assert!(told("spawn_agent").contains("The child saw it."));
    let audit = scene.audit(&outcome);
    for tool in ["spawn_agent", "read_file"] {
        let is_outcome = |record: &&Value| record["action"] == "outcome" && record["tool"] == tool;
        let outcomes = audit.iter().filter(is_outcome).count();
        assert_eq!(outcomes, 1, "{tool}: {audit:#?}");
    }
}

fn keeps_a_journal(scene: &Scene) {
    let outcome = scene.run(&["JOURNAL it"]);
    outcome.assert_ends(0, "success");
    let written = &of_kind(&scene.log(&outcome), "journal_written")[0].clone();
    assert_eq!(written["text"], "The word is final.", "{written:#}");
}

/// A question at a terminal, answered; the change, and its undo from another process.
fn asks_before_it_edits_and_takes_back(scene: &Scene) {
    let house = &scene.house;
    let mut seat = house.ask(["chat"]).env("TERM", "xterm").seated();
    seat.until("/help");
    seat.types("EDIT the notes\n");
    seat.until("+Status: final");
    seat.until("a message to the agent: ");
    assert_eq!(house.read("notes.md"), "Status: draft\n");
    seat.types("y\n");
    seat.until("That is done.");
    seat.leaves();
    assert_eq!(house.read("notes.md"), "Status: final\n");
    let denied = scene.run(&["EDIT the notes again"]);
    assert_eq!(
        denied.calls()[0]["status"],
        "denied",
        "{:#}",
        denied.summary
    );
    let undo = ["undo", "--yes", "write", "--allow-write", "."];
    house.ask(undo).run().expect(0);
    assert_eq!(house.read("notes.md"), "Status: draft\n");
}

/// A plan by rules, approved by its hash.
fn plans(scene: &Scene) {
    let task = [
        "--mode",
        "deterministic",
        "--allow-write",
        ".",
        "replace \"draft\" with \"plan\" in notes.md",
    ];
    let refused = scene.run(&task);
    let log = scene.log(&refused);
    let hash = of_kind(&log, "plan_proposed")[0]["hash"].clone();
    let approve = ["--approve", hash.as_str().unwrap()];
    scene
        .run(&[&task[..], &approve].concat())
        .assert_ends(0, "success");
    assert_eq!(scene.house.read("notes.md"), "Status: plan\n");
}

fn remembers(scene: &Scene) {
    scene.run(&[PREFERENCE]).assert_ends(0, "success");
    let asked = scene.run(&["How do I like my coffee?"]);
    let log = scene.log(&asked);
    let [found] = &of_kind(&log, "memory_recalled")[..] else {
        panic!("{log:#?}");
    };
    assert!(found["text"].to_string().contains(PREFERENCE), "{found:#}");
}

/// A program in the sandbox, in a session that another command began.
fn goes_on_in_a_session(scene: &Scene) {
    let first = scene.run(&["hello"]);
    let id = first.text("session_id").to_owned();
    let second = scene.run(&["--session-id", &id, "--yes", "exec", "RUN it"]);
    second.assert_ends(0, "success");
    assert_eq!(second.text("session_id"), id);
    let log = scene.log(&second);
    let ran = &of_kind(&log, "tool_result")[0];
    assert!(ran["text"].to_string().contains("42"), "{ran:#}");
}

/// Auto mode: a changed file wakes it.
fn drives(scene: &Scene) {
    let args = ["run", "--events", "--mode", "auto", "WATCH it"];
    let mut running = scene.house.ask(args).spawn();
    running.until(r#""state":"stored""#);
    scene.house.write("new.md", "milk");
    running.until(r#""signal":"files_changed""#);
    running.until(r#""origin":"drive""#);
    running.kill();
}

/// The end of a job wakes the drive; one that still runs when its session ends is stopped, and its end
/// is on record.
fn hears_of_jobs(scene: &Scene) {
    let house = &scene.house;
    let gate = house.work().join("gate");
    assert!(
        Command::new("mkfifo")
            .arg(&gate)
            .status()
            .unwrap()
            .success()
    );
    let open = ["--agent", "sysadmin", "--allow-write", "."];
    let open = [&open[..], &["--yes", "exec,write,destructive"]].concat();
    let args = ["run", "--events", "--mode", "auto"];
    let mut running = house
        .ask(args)
        .args(open.iter().copied())
        .arg("JOB")
        .spawn();
    running.until(r#""state":"stored""#);
    std::fs::write(gate, "go\n").unwrap();
    let end = running.until(r#""signal":"job_finished""#);
    assert!(end.contains("exit code 0"), "{end}");
    running.until(r#""origin":"drive""#);
    running.kill();
    let outcome = scene.run(&[&open[..], &["JOB that is LASTING"]].concat());
    outcome.assert_ends(0, "success");
    let log = scene.log(&outcome);
    let ends = of_kind(&log, "signal_received");
    let [end] = &ends[..] else {
        panic!("{log:#?}");
    };
    let summary = end["signal"]["summary"].to_string();
    assert!(
        summary.contains("because its session was closed"),
        "{end:#}"
    );
}

#[test]
fn the_product_works_in_one_process() {
    works(Way::OneProcess);
}

#[test]
fn the_product_works_with_each_role_on_a_socket() {
    works(Way::Sockets);
}

#[test]
fn the_product_works_with_each_role_over_tcp() {
    works(Way::Tcp);
}

/// A role that is killed and started again is taken up by the others; nobody has to leave.
#[test]
fn a_chat_goes_on_when_a_role_was_killed_and_started_again() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let house = &scene.house;
    let config = scene.server.config("openai");
    let mut roles = Roles::start(house, &config, Way::Sockets);
    let mut chat = house.ask(["chat"]).env("TERM", "dumb").at_prompt();
    let mut says = |line: &str| {
        chat.types(&format!("{line}\n"));
        chat.until("That is answered.");
        chat.until("> ");
    };
    says("one");
    for (role, line) in [("broker", "two"), ("agents", "three"), ("audit", "four")] {
        roles.restart(house, role);
        says(line);
    }
    // The session is closed where it is served: what is taken back to be asked again is asked.
    roles.restart(house, "broker");
    says("/retry");
    chat.types("/quit\n");
    chat.finish();
    let told = scene.told();
    for line in ["one", "two", "three", "four"] {
        assert!(told.contains(line), "{line}");
    }
}

/// What was answered while memory was away is caught up with by the service that kept running.
#[test]
fn answers_given_while_memory_is_away_are_remembered_later() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let house = &scene.house;
    let config = scene.server.config("openai");
    let mut roles = Roles::start(house, &config, Way::Sockets);
    roles.stop("memory");
    let asked = ["run", "How do zebras cross a street?"];
    let told = house.ask(asked).run().expect(0).stderr;
    assert!(told.contains("memory cannot be reached"), "{told}");
    assert!(told.contains("carl serve --role memory"), "{told}");
    let told = house.ask(["memory", "list"]).run().expect(4).stderr;
    assert!(told.contains("memory.unreachable"), "{told}");
    assert!(!told.contains("disk"), "{told}");
    roles.restart(house, "memory");
    let later = ["run", "How do herons cross a river?"];
    house.ask(later).run().expect(0);
    let list = || house.ask(["memory", "list"]).run().expect(0).stdout;
    let mut lists = (0..50).map(|_| list());
    let kept = lists.find(|kept| kept.contains("zebras")).unwrap();
    assert_eq!(kept.matches("zebras").count(), 1, "{kept}");
    assert!(kept.contains("herons"), "{kept}");
}

/// A client of an agents role needs the broker's address as well, and is told so.
#[test]
fn the_brokers_own_address_is_asked_for_where_the_agents_role_stands_alone() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let listen = ["--trust-network", "--listen", "tcp:127.0.0.1:0"];
    let serve = ["serve", "--role", "agents"];
    let mut agents = scene.house.ask(serve).args(listen).spawn();
    let said = agents.until("; Ctrl-C");
    let address = said.split("serving at ").nth(1).unwrap();
    let address = address.split(';').next().unwrap();
    let client = testkit::House::new();
    let run = client.ask(["run", "--connect", address, "hello"]).run();
    let told = run.expect(4).stderr;
    assert!(told.contains("broker.not_offered"), "{told}");
    assert!(
        told.contains("write that of the broker here as well"),
        "{told}"
    );
    assert!(!told.contains("carl serve --role broker"), "{told}");
}

#[test]
fn a_server_elsewhere_serves_the_commands_of_this_machine_as_well() {
    let house = testkit::House::new();
    let socket = format!("unix:{}", house.run_dir().join("other.sock").display());
    for listen in ["tcp:127.0.0.1:0", &socket] {
        let serve = ["serve", "--trust-network", "--listen", listen];
        let mut server = house.ask(serve).spawn();
        server.until("; Ctrl-C");
        let run = ["run", "--mode", "deterministic", "list files"];
        house.ask(run).run().expect(0);
        let listed = house.ask(["session", "list"]).run().expect(0).stdout;
        assert!(listed.contains("list files"), "{listed}");
        house.ask(["memory", "list"]).run().expect(0);
        let pid = server.pid().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(told.unwrap().success());
        server.finish().expect(0);
    }
}

/// As a shutdown does: whichever of them goes first.
#[test]
fn roles_that_are_stopped_at_once_all_end_well() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let roles = Roles::start(&scene.house, &config, Way::Sockets);
    for (role, ended) in roles.end_at_once() {
        assert_eq!(ended.code, Some(0), "{role}: {ended:#?}");
        assert!(!ended.stderr.contains("error: "), "{role}: {ended:#?}");
    }
}

#[test]
fn a_role_without_the_audit_role_ends_with_a_warning() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let mut roles = Roles::start(&scene.house, &config, Way::Sockets);
    roles.stop("audit");
    for (role, ended) in roles.end_at_once() {
        assert_eq!(ended.code, Some(0), "{role}: {ended:#?}");
        let is_recorded = ["memory", "search", "broker", "agents"].contains(&role);
        let is_warned = ended.stderr.contains("is not on record");
        assert!(!is_recorded || is_warned, "{role}: {ended:#?}");
    }
}

/// A role that was stopped, as a machine that sleeps: nobody waits for it without a word.
#[test]
fn a_role_that_is_stopped_is_named_at_once() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let house = &scene.house;
    let config = scene.server.config("openai");
    let roles = Roles::start(house, &config, Way::Sockets);
    let signal = |name: &str, pid: &str| {
        let sent = Command::new("kill").args([name, pid]).status();
        assert!(sent.unwrap().success());
    };
    for role in ["broker", "agents"] {
        let pid = roles.pid(role).to_string();
        signal("-STOP", &pid);
        let mut seat = house.ask(["run", "hello"]).seated();
        seat.until(&format!("(process {pid}), which serves {role}"));
        seat.until(&format!("kill -CONT {pid}"));
        let doctor = house.ask(["doctor"]).run().expect(4).stdout;
        let doctor = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        let stopped = format!("process {pid}, which serves {role}, is stopped");
        assert!(doctor.contains(&stopped), "{doctor}");
        signal("-CONT", &pid);
        seat.until("That is answered.");
        seat.finish();
    }
}

/// The agents role ended and a chat serves in its place, with the other roles where they were.
#[test]
fn a_role_is_told_which_chat_has_its_socket() {
    let server = Server::speak(|_, _| Reply::text("That is answered.")).openai();
    let scene = Scene::with(server, "openai");
    let house = &scene.house;
    let mut roles = Roles::start(house, &scene.server.config("openai"), Way::Sockets);
    roles.stop("agents");
    let mut chat = house.ask(["chat"]).env("TERM", "dumb").at_prompt();
    chat.types("hello\n");
    chat.until("That is answered.");
    let serve = ["serve", "--role", "agents"];
    let told = house.ask(serve).run().expect(4).stderr;
    let named = format!("It is process {}: a chat", chat.pid());
    assert!(told.contains(&named), "{told}");
    chat.until("> ");
    chat.leaves();
}

#[test]
fn a_role_without_an_endpoint_says_what_to_write() {
    let house = House::new();
    let started = |house: &House| {
        let mut search = house.ask(["serve", "--role", "search"]).spawn();
        search.until("serving at");
        search.kill().stderr
    };
    let socket = house.run_dir().join("housecarl/search.sock");
    let line = format!("search = \"unix:{}\"", socket.display());
    let told = started(&house);
    assert!(told.contains(&line), "no `{line}` in {told}");
    house.configure(&format!("[endpoints]\n{line}\n"));
    let told = started(&house);
    assert!(!told.contains("endpoints"), "{told}");
}
