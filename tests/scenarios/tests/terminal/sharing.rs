//! Several carls on one set of services: by whose settings they work, and what is left of one that
//! dies.

use scenarios::{Scene, of_kind};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use testkit::{Carl, Gate, House, Reply, Running, Seated, Server, limit_files};

/// What is said of other settings.
const NOTE: &str = "was begun with other settings";

/// A scene with a configuration beyond the model's.
fn scene(more: &str) -> Scene {
    let scene = Scene::new((0..4).map(|_| Reply::text("Hello.")));
    scene
        .house
        .configure(&(scene.server.config("openai") + more));
    scene
}

/// `carl serve` in a house, ready.
fn serving(house: &House, args: &[&str]) -> Running {
    let mut server = house.ask(["serve"]).args(args.iter().copied()).spawn();
    server.until("serving at");
    server
}

fn run(house: &House) -> Carl {
    house.ask(["run", "hello"])
}

#[test]
fn a_provider_alone_is_refused_beside_a_server_with_the_model_to_write() {
    let scene = scene("");
    let house = &scene.house;
    let alone = || run(house).args(["--provider", "scripted"]);
    let server = serving(house, &[]);
    let refused = alone().run().expect(2).stderr;
    assert!(
        refused.contains("cannot be told `--provider` alone"),
        "{refused}"
    );
    let flag = "--model scripted/scripted-model";
    assert!(refused.contains(&format!("Write {flag},")), "{refused}");
    let named = run(house).args(flag.split(' ')).run().expect(0);
    assert_eq!(named.stdout, "Hello.\n");
    server.kill();
    assert_eq!(alone().run().expect(0).stdout, "Hello.\n");
    // A session that was begun so says whose flag it is, which nobody typed now.
    let _server = serving(house, &[]);
    let goes_on = || house.ask(["run", "--session-id", "last", "hello"]);
    let refused = goes_on().run().expect(2).stderr;
    let begun = "this session was begun with `--provider scripted`";
    assert!(refused.contains(begun), "{refused}");
    assert!(refused.contains(&format!("Write {flag},")), "{refused}");
    goes_on().args(flag.split(' ')).run().expect(0);
}

#[test]
fn a_guest_that_forbids_more_is_refused_and_no_model_hears_it() {
    let scene = scene("");
    let house = &scene.house;
    let server = serving(house, &[]);
    let holder = format!("process {}", server.pid());
    for (variable, value, key) in [
        ("CARL_MEMORY__CAPTURE", "false", "memory.capture = true"),
        ("CARL_MEMORY__RECALL", "false", "memory.recall = true"),
        ("CARL_SEARCH__AIR_GAP", "true", "search.air_gap = false"),
        (
            "CARL_AGENTS__SESSION_TOKENS",
            "9",
            "agents.session_tokens = 0",
        ),
        ("CARL_DRIVE__TURNS", "3", "drive.turns = 20"),
    ] {
        let refused = run(house).env(variable, value).run().expect(2);
        for part in [key, value, variable, &holder] {
            assert!(refused.stderr.contains(part), "{part}: {refused:#?}");
        }
    }
    let refused = run(house).arg("--air-gap").run().expect(2);
    assert!(
        refused.stderr.contains("leave out --air-gap"),
        "{refused:#?}"
    );
    house.write(".housecarl.toml", "air_gap = true\n");
    let refused = run(house).run().expect(2);
    assert!(refused.stderr.contains(".housecarl.toml"), "{refused:#?}");
    std::fs::remove_file(house.work().join(".housecarl.toml")).unwrap();
    assert_eq!(scene.server.chats().len(), 0);
    assert!(house.session_logs().is_empty());
    // The user's own upkeep has no agent work, and is never in the way.
    let listed = house.ask(["session", "list"]);
    listed.env("CARL_MEMORY__CAPTURE", "false").run().expect(0);
    server.kill();
    // Alone it works as it is told.
    let alone = run(house).env("CARL_MEMORY__CAPTURE", "false").run();
    assert!(!alone.expect(0).stderr.contains(NOTE));
}

#[test]
fn a_guest_that_forbids_less_goes_on_and_is_told() {
    let scene = scene("[memory]\ncapture = false\n");
    let server = serving(&scene.house, &["--air-gap"]);
    let agreed = run(&scene.house).arg("--air-gap").run().expect(0);
    assert!(!agreed.stderr.contains(NOTE), "{agreed:#?}");
    let told = run(&scene.house)
        .env("CARL_MEMORY__CAPTURE", "true")
        .env("CARL_AGENTS__PARALLEL", "3")
        .run()
        .expect(0);
    for part in [
        NOTE,
        "memory.capture = false, not true",
        "agents.parallel = ",
        ", not 3",
    ] {
        assert!(told.stderr.contains(part), "{part}: {told:#?}");
    }
    assert!(
        told.stderr.contains("models.air_gap = true, not false"),
        "{told:#?}"
    );
    server.kill();
}

#[test]
fn an_inbox_of_the_service_alone_refuses_nobody() {
    let scene = scene("");
    let house = &scene.house;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap().to_string();
    drop(port);
    let server = house.ask(["serve"]).env("CARL_INBOX__LISTEN", &address);
    let mut server = server.spawn();
    server.until("serving at");
    run(house).run().expect(0);
    server.kill();
}

#[test]
fn a_service_that_is_hung_up_ends_cleanly() {
    let scene = scene("");
    let server = serving(&scene.house, &[]);
    let pid = server.pid().to_string();
    let sent = Command::new("kill").args(["-HUP", &pid]).status().unwrap();
    assert!(sent.success());
    server.finish().expect(0);
}

#[test]
fn a_service_goes_on_once_its_disk_has_room_again() {
    let read = || Reply::call("read_file", serde_json::json!({"path": "a.txt"}));
    let scene = Scene::new((0..100).flat_map(|_| [read(), Reply::text("It says hello.")]));
    scene.house.write("a.txt", "hello\n");
    let server = serving(&scene.house, &[]);
    let ask = || {
        let asked = scene.house.ask(["run", "--json", "what does a.txt say?"]);
        asked.run()
    };
    assert_eq!(ask().code, Some(0));
    limit_files(server.pid(), Some(1));
    let full = ask();
    assert_ne!(full.code, Some(0), "{full:#?}");
    limit_files(server.pid(), None);
    // It looks at the log again when two seconds have passed since it last did, and a refusal takes
    // far less.
    let has_room = (0..10_000).any(|_| ask().code == Some(0));
    assert!(has_room, "{:#?}", ask());
    server.kill();
}

#[test]
fn a_second_service_is_refused_at_once_and_told_of_the_first() {
    let scene = scene("");
    let server = serving(&scene.house, &[]);
    let second = scene.house.ask(["serve"]).run().expect(4);
    let first = format!("`carl serve` (process {}) serves at", server.pid());
    assert!(second.stderr.contains(&first), "{second:#?}");
    // It does not wait for the first to end, as a command does.
    assert!(!second.stderr.contains("waiting"), "{second:#?}");
    server.kill();
}

#[test]
fn a_socket_with_too_long_a_path_is_told_its_length() {
    let scene = scene("");
    let name = "s".repeat(100);
    let path = scene.house.run_dir().join(&name);
    let listen = format!("unix:{}", path.display());
    let refused = scene
        .house
        .ask(["serve", "--listen", &listen])
        .run()
        .expect(4);
    let said = format!(
        "has {} bytes, and a socket's has at most 107",
        path.as_os_str().len()
    );
    assert!(refused.stderr.contains(&said), "{refused:#?}");
    let left = std::fs::read_dir(scene.house.run_dir()).unwrap();
    let left: Vec<_> = left.map(|one| one.unwrap().file_name()).collect();
    assert!(
        !left
            .iter()
            .any(|one| one.to_string_lossy().starts_with(&name)),
        "{left:?}"
    );
}

#[test]
fn what_was_edited_since_is_told_or_refused() {
    let scene = scene("");
    let house = &scene.house;
    let server = serving(house, &[]);
    let quiet = run(house).run().expect(0);
    assert!(!quiet.stderr.contains(NOTE), "{quiet:#?}");
    let own = scene.server.config("openai");
    house.configure(
        &(own.clone() + "\n[memory.finding]\ntexts = 7\n[chat]\ninstructions = \"Be brief.\"\n"),
    );
    let told = run(house).run().expect(0);
    assert!(
        told.stderr.contains("memory.finding.texts = 5, not 7"),
        "{told:#?}"
    );
    assert!(told.stderr.contains("chat.instructions"), "{told:#?}");
    house.configure(&own);
    let agents = house.home().join(".config/housecarl/agents.yaml");
    std::fs::write(&agents, "agents: {}\n").unwrap();
    let refused = run(house).run().expect(2);
    assert!(refused.stderr.contains("agents.yaml"), "{refused:#?}");
    std::fs::remove_file(&agents).unwrap();
    // Another configuration folder of the same Housecarl.
    let folder = house.home().join("other/housecarl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("config.toml"),
        own + "\n[memory]\ncapture = false\n",
    )
    .unwrap();
    let other = run(house).env("XDG_CONFIG_HOME", house.home().join("other"));
    let refused = other.run().expect(2);
    let file = folder.join("config.toml").display().to_string();
    assert!(refused.stderr.contains(&file), "{refused:#?}");
    server.kill();
}

#[test]
fn words_do_not_leave_for_where_only_the_server_sends_them() {
    let scene =
        scene("[models.providers.far]\ntype = \"openai\"\nendpoint = \"http://192.0.2.1:9/v1\"\n");
    let house = &scene.house;
    let mut server = house
        .ask(["serve"])
        .env("CARL_MODELS__DEFAULT_PROVIDER", "far")
        .spawn();
    server.until("serving at");
    let refused = run(house).run().expect(2);
    assert!(
        refused.stderr.contains("models.default_provider = \"far\""),
        "{refused:#?}"
    );
    assert!(refused.stderr.contains("config.toml"), "{refused:#?}");
    server.kill();
}

#[test]
fn another_home_is_another_housecarl_whatever_folder_its_sockets_share() {
    let (scene, other) = (scene(""), scene(""));
    let server = serving(&scene.house, &[]);
    let guest = run(&other.house).env("XDG_RUNTIME_DIR", scene.house.run_dir());
    guest.run().expect(0);
    assert_eq!(scene.house.session_logs().len(), 0);
    assert_eq!(other.house.session_logs().len(), 1);
    assert_eq!(other.server.chats().len(), 1);
    server.kill();
}

/// A chat at its first prompt.
fn seat(scene: &Scene) -> Seated {
    scene.house.ask(["chat"]).env("TERM", "xterm").at_prompt()
}

#[test]
fn a_guest_of_a_chat_is_told_of_the_chat() {
    let scene = scene("");
    let host = seat(&scene);
    let refused = run(&scene.house).env("CARL_MEMORY__CAPTURE", "false").run();
    let refused = refused.expect(2);
    for part in [
        format!("the chat that serves here (process {})", host.pid()),
        "End that chat".to_owned(),
    ] {
        assert!(refused.stderr.contains(&part), "{refused:#?}");
    }
    host.leaves();
}

#[test]
fn of_a_stopped_chat_it_is_said_how_to_have_it_go_on_and_then_it_serves() {
    let scene = scene("");
    let host = seat(&scene);
    let pid = host.pid();
    let signal = |name: &str| {
        let line = format!("kill -{name} {pid}");
        let sent = Command::new("sh").args(["-c", &line]).status().unwrap();
        assert!(sent.success());
    };
    signal("STOP");
    let mut guest = run(&scene.house).env("TERM", "xterm").seated();
    guest.until("stopped");
    guest.until(&format!("kill -CONT {pid}"));
    let doctor = scene.house.ask(["doctor"]).run().expect(4).stdout;
    let bad: Vec<&str> = doctor
        .lines()
        .filter(|line| line.starts_with("bad"))
        .collect();
    assert!(
        bad.len() == 1 && bad[0].contains("it is stopped"),
        "{doctor}"
    );
    assert_eq!(scene.server.chats().len(), 0);
    signal("CONT");
    guest.until("Hello.");
    assert_eq!(guest.finish().code, Some(0));
    host.leaves();
}

#[test]
fn a_record_that_was_moved_away_from_its_writer_is_bad_for_doctor() {
    let scene = scene("");
    let host = seat(&scene);
    let record = scene.house.state().join("audit");
    let away = scene.house.state().join("audit-away");
    fs::rename(&record, &away).unwrap();
    let doctor = scene.house.ask(["doctor"]).run().expect(4).stdout;
    let is_bad = |line: &str| line.starts_with("bad") && line.contains("audit is gone");
    assert!(doctor.lines().any(is_bad), "{doctor}");
    fs::rename(&away, &record).unwrap();
    host.leaves();
}

#[test]
fn what_a_killed_guest_left_open_is_ended() {
    let gate = Gate::new();
    let scene = Scene::with(
        Server::openai([
            Reply::text("Begun it. ").and_wait(&gate),
            Reply::text("The host goes on."),
        ]),
        "openai",
    );
    let mut host = seat(&scene);
    let mut guest = seat(&scene);
    guest.types("question one\n");
    guest.until("Begun ");
    guest.kill();
    let ends = || {
        let logs = scene.house.session_logs();
        let logs = logs.iter().map(|path| testkit::house::json_lines(path));
        let ends = logs.flat_map(|log| {
            of_kind(&log, "query_finished")
                .into_iter()
                .cloned()
                .collect::<Vec<_>>()
        });
        ends.collect::<Vec<_>>()
    };
    // Each look is a process of its own, which takes its time.
    let mut looks = (0..200).map(|_| scene.house.ask(["session", "list"]).run());
    looks.find(|_| !ends().is_empty()).unwrap();
    assert_eq!(ends()[0]["status"], "interrupted");
    host.types("question two\n");
    host.until("The host goes on.");
    host.until("> ");
    host.leaves();
}

#[test]
fn stopping_a_waiting_request_leaves_the_one_that_runs() {
    let gate = Gate::new();
    let slow = Reply::text("First ").and_wait(&gate).and_text("is done.");
    let scene = Scene::new([slow, Reply::text("Second.")]);
    let house = &scene.house;
    let mut first = house.ask(["run", "--events", "the first"]).spawn();
    let line = first.until("session_id");
    let event = line.lines().find(|line| line.contains("session_id"));
    let event: serde_json::Value = serde_json::from_str(event.unwrap()).unwrap();
    let id = event["session_id"].as_str().unwrap().to_owned();
    scene.server.wait_for_chats(1);
    let mut second = house
        .ask(["run", "--events", "--session-id", &id, "the second"])
        .spawn();
    second.until("query_queued");
    let pid = second.pid().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    // It ends although the first has not.
    assert_eq!(second.finish().code, Some(130));
    gate.open();
    let first = first.finish();
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stdout.contains("is done."), "{first:?}");
    assert_eq!(scene.server.chats().len(), 1);
}

#[test]
fn the_settings_of_another_housecarl_are_its_own_business() {
    let scene = scene("");
    let listen = ["--trust-network", "--listen", "tcp:127.0.0.1:0"];
    let mut server = scene.house.ask(["serve"]).args(listen).spawn();
    let said = server.until("; Ctrl-C");
    let address = said.split("serving at ").nth(1).unwrap();
    let address = address.split(';').next().unwrap();
    let laptop = House::new();
    let done = run(&laptop).args(["--connect", address]).run().expect(0);
    assert_eq!(done.stdout.trim(), "Hello.");
    assert!(!done.stderr.contains(NOTE), "{done:#?}");
    assert!(!done.stderr.contains("providers"), "{done:#?}");
}

#[test]
fn a_server_with_another_runtime_folder_is_named_at_once() {
    let scene = scene("");
    let house = &scene.house;
    let server = serving(house, &[]);
    let other = house.run_dir().join("other");
    std::fs::create_dir(&other).unwrap();
    let refused = run(house).env("XDG_RUNTIME_DIR", &other).run();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("unix:"), "{refused:?}");
    assert!(!refused.stderr.contains("waiting"), "{refused:?}");
    // What it says to write works for every command.
    let memory = || house.ask(["memory", "search", "attic"]);
    let refused = memory().env("XDG_RUNTIME_DIR", &other).run();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let run_dir = house.run_dir();
    let line = format!("`XDG_RUNTIME_DIR={}`", run_dir.display());
    assert!(refused.stderr.contains(&line), "{refused:?}");
    assert_eq!(memory().env("XDG_RUNTIME_DIR", run_dir).run().code, Some(0));
    server.kill();
}

#[test]
fn an_export_that_breaks_off_leaves_nothing_behind() {
    let scene = scene("");
    let house = &scene.house;
    assert_eq!(run(house).run().code, Some(0));
    let export = || house.ask(["session", "export", "last", "-o", "out.md"]);
    let broken = export().file_limit(0).run();
    assert_ne!(broken.code, Some(0), "{broken:?}");
    assert!(broken.stderr.contains("removed again"), "{broken:?}");
    assert!(!house.has("out.md"));
    assert_eq!(export().run().code, Some(0));
    assert!(house.read("out.md").contains("hello"));
}

#[test]
fn a_socket_in_a_folder_open_to_all_is_refused_without_advice_to_close_it() {
    let house = House::new();
    let folder = house.work().join("open");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let address = format!("unix:{}", folder.join("carl.sock").display());
    let refused = house.ask(["serve", "--listen", &address]).run();
    let told = refused.expect(4).stderr;
    assert!(told.contains("choose one of your own"), "{told}");
    assert!(!told.contains("chmod"), "{told}");
}
