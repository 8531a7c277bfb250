//! What docs/upkeep.md promises: a backup goes on elsewhere, what is made anew may be removed, and the
//! log of a newer version is said to be one.

use scenarios::Scene;
use serde_json::json;
use std::fs;
use std::process::Command;
use testkit::flags::WRITES;
use testkit::{House, Reply, Server};

/// A house with a session, a memory and a change.
fn lived_in() -> House {
    let house = House::new();
    house.write("notes.md", "draft\n");
    let args = ["run", "--mode", "deterministic"];
    let change = house.ask(args).args(WRITES);
    change
        .arg("replace draft with final in notes.md")
        .run()
        .expect(0);
    let memory = ["memory", "add", "The silver is in the attic."];
    house.ask(memory).run().expect(0);
    house
}

fn knows_everything(house: &House) {
    let shown = house.ask(["session", "show"]).run().expect(0);
    assert!(
        shown.stdout.contains("replace draft with final"),
        "{shown:#?}"
    );
    let found = house
        .ask(["memory", "search", "where is the silver?"])
        .run()
        .expect(0);
    assert!(found.stdout.contains("in the attic"), "{found:#?}");
    house.ask(["audit", "verify"]).run().expect(0);
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(house.read("notes.md"), "draft\n");
}

#[test]
fn a_copy_of_the_folders_goes_on_in_another_home() {
    let house = lived_in();
    let other = House::new();
    let _own = fs::remove_dir_all(other.state());
    fs::create_dir_all(other.state().parent().unwrap()).unwrap();
    let copied = Command::new("cp")
        .arg("-a")
        .args([house.state(), other.state()])
        .status();
    assert!(copied.unwrap().success());
    // The paths in it are absolute.
    let shown = other.ask(["session", "list"]).run().expect(0);
    assert!(
        shown.stdout.contains("replace draft with final"),
        "{shown:#?}"
    );
    let found = other
        .ask(["memory", "search", "where is the silver?"])
        .run()
        .expect(0);
    assert!(found.stdout.contains("in the attic"), "{found:#?}");
    other.ask(["audit", "verify"]).run().expect(0);
    let undo = other
        .ask(["undo", "--yes", "write"])
        .current_dir(&house.work());
    undo.run().expect(0);
    assert_eq!(house.read("notes.md"), "draft\n");
}

#[test]
fn what_is_made_anew_may_be_removed() {
    let house = lived_in();
    let state = house.state();
    for name in ["sessions/index.json", "memory/vectors.db", "tokens.json"] {
        let _absent = fs::remove_file(state.join(name));
    }
    for name in ["memory/index", "pages"] {
        let _absent = fs::remove_dir_all(state.join(name));
    }
    knows_everything(&house);
}

#[test]
fn a_log_of_a_newer_version_is_said_to_be_one() {
    let server = Server::openai([Reply::text("Hello."), Reply::text("Hello again.")]);
    let scene = Scene::with(server, "openai");
    scene.run(&["hello"]).assert_ends(0, "success");
    let log = &scene.house.session_logs()[0];
    let mut text = fs::read_to_string(log).unwrap();
    let last = text.lines().last().unwrap().to_owned();
    let seq = text.lines().count() + 1;
    let event: serde_json::Value = serde_json::from_str(&last).unwrap();
    let mut event = event.as_object().unwrap().clone();
    event.insert("seq".to_owned(), seq.into());
    event.insert("type".to_owned(), "future_event".into());
    text.push_str(&format!("{}\n", serde_json::Value::Object(event)));
    fs::write(log, text).unwrap();
    for args in [
        &["session", "show"][..],
        &["run", "--session-id", "last", "and now?"],
    ] {
        let refused = scene.house.ask(args.iter().copied()).run();
        assert_ne!(refused.code, Some(0), "{refused:#?}");
        let told = &refused.stderr;
        assert!(told.contains("was written by a newer carl"), "{told}");
        assert!(told.contains("does not know `future_event`"), "{told}");
        assert!(!told.contains("expected one of"), "{told}");
    }
    scene.run(&["another session"]).assert_ends(0, "success");
}

/// What `carl doctor` says of other processes.
fn running(house: &House) -> String {
    let told = house.ask(["doctor", "--json"]).run().stdout;
    let checks: Vec<serde_json::Value> = serde_json::from_str(&told).unwrap();
    let named = checks.iter().find(|check| check["name"] == "running");
    named.unwrap()["detail"].as_str().unwrap().to_owned()
}

#[test]
fn doctor_names_each_role_that_is_served() {
    let house = House::new();
    house.configure("");
    let socket = house.run_dir().join("elsewhere.sock");
    let listen = format!("unix:{}", socket.display());
    let mut audit = house.ask(["serve", "--role", "audit"]).spawn();
    let models = house.ask(["serve", "--role", "models", "--listen", &listen]);
    let mut models = models.spawn();
    for (role, what) in [(&mut audit, "the audit log: "), (&mut models, "models: ")] {
        let said = role.until("Ctrl-C stops");
        assert!(said.contains(&format!("{what}serving at unix:")), "{said}");
    }
    let told = running(&house);
    assert!(told.contains("which serves audit at unix:"), "{told}");
    let at = format!("which serves models at {listen}");
    assert!(told.contains(&at), "{told}");
    assert!(told.contains("another carl, process "), "{told}");
    audit.kill();
    models.kill();
    assert_eq!(running(&house), "no other carl");
}

#[test]
fn doctor_and_serve_name_the_process_that_runs() {
    let house = House::new();
    assert_eq!(running(&house), "no other carl");
    let mut chat = house.ask(["chat"]).env("TERM", "dumb").at_prompt();
    let lock = fs::read_to_string(house.state().join("lock")).unwrap();
    let process = lock.lines().next().unwrap();
    let told = running(&house);
    assert!(told.contains(&format!("process {process}")), "{told}");
    assert!(told.contains("carl.sock"), "{told}");
    let refused = house.ask(["serve"]).run();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let told = &refused.stderr;
    assert!(told.contains(&format!("process {process}")), "{told}");
    assert!(told.contains("End it") && !told.contains("XDG"), "{told}");
    chat.types("/quit\n");
    chat.finish();
}

#[test]
fn doctor_names_chats_that_another_process_serves_or_served() {
    let house = House::new();
    let begin = || house.ask(["chat"]).env("TERM", "dumb").at_prompt();
    let host = begin();
    let mut guest = begin();
    let named = format!("another carl, process {}", guest.pid());
    let told = running(&house);
    assert!(told.contains(&named), "{told}");
    assert_eq!(told.matches("another carl").count(), 2, "{told}");
    host.kill();
    // It has nothing to do, and so it does not go on anywhere yet.
    assert_eq!(running(&house), named);
    guest.types("/quit\n");
    guest.finish();
    assert_eq!(running(&house), "no other carl");
}

#[test]
fn doctor_is_bad_where_a_folder_or_the_inbox_cannot_be_used() {
    let house = House::new();
    let state = house.state();
    fs::create_dir_all(&state).unwrap();
    // A file in its place is in the way of root as well, who is held by no mode.
    for name in ["sessions", "undo"] {
        fs::write(state.join(name), "").unwrap();
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    house.configure(&format!("[inbox]\nlisten = \"{address}\"\n"));
    let runtime = house.run_dir().join("file");
    fs::write(&runtime, "").unwrap();
    let doctor = house.ask(["doctor", "--json"]);
    let told = doctor.env("XDG_RUNTIME_DIR", &runtime).run().expect(4);
    let checks: Vec<serde_json::Value> = serde_json::from_str(&told.stdout).unwrap();
    for name in ["sessions", "undo history", "runtime folder"] {
        let check = checks.iter().find(|check| check["name"] == name);
        let check = check.unwrap_or_else(|| panic!("{name}: {}", told.stdout));
        assert_eq!(check["state"], "bad", "{check}");
        assert_ne!(check["hint"], "", "{check}");
    }
    for name in ["sessions", "undo"] {
        fs::remove_file(state.join(name)).unwrap();
    }
    let told = house.ask(["doctor", "--json"]).run().expect(4);
    let checks: Vec<serde_json::Value> = serde_json::from_str(&told.stdout).unwrap();
    // No model is there either.
    let is_bad = |check: &&serde_json::Value| check["state"] == "bad" && check["name"] != "models";
    let bad: Vec<&serde_json::Value> = checks.iter().filter(is_bad).collect();
    assert_eq!(bad.len(), 1, "{bad:#?}");
    assert_eq!(bad[0]["name"], "inbox");
}

#[test]
fn doctor_notes_models_that_are_not_listed_and_open_keys() {
    let server = Server::openai([]);
    let house = House::new();
    let config = server.config("openai");
    let config = config.replace("[models]\n", "[models]\nfallbacks = [\"scripted/gone\"]\n");
    // An address of the range for documentation, at which nobody is.
    let far = "[models.providers.far]\ntype = \"openai\"\nendpoint = \"http://192.0.2.2:9/v1\"\n\
               api_key = { secret = \"far\" }\n";
    let roles = "[models.roles]\ncode = \"scripted/nothere\"\n[observers.routes]\n\
                 code = [\"scripted/scripted-model\", \"scripted/routed\"]\n";
    house.configure(&format!("{config}\n{far}\n{roles}"));
    let told = house.ask(["doctor", "--json"]).run().stdout;
    for said in [
        "models.roles.code names scripted/nothere, which",
        "models.fallbacks names scripted/gone, which",
        "observers.routes.code names scripted/routed, which",
        "the key of far goes over the network unencrypted",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(!told.contains("default_model names"), "{told}");
    // Nor does a request go by a file that says from when on answers count and has no time.
    let unrouted = "no request is routed: ";
    assert!(!told.contains(unrouted), "{told}");
    let quality = house.state().join("quality");
    fs::create_dir_all(&quality).unwrap();
    // A clock that was ahead wrote the second one.
    for (since, why) in [("soon", "has no time"), ("2999-01-01T00:00:00Z", "to come")] {
        fs::write(quality.join("routes-since"), since).unwrap();
        let told = house.ask(["doctor", "--json"]).run().stdout;
        assert!(told.contains(unrouted) && told.contains(why), "{told}");
        assert!(told.contains("`carl quality routes --reset`"), "{told}");
    }
    house.ask(["quality", "routes", "--reset"]).run().expect(0);
    let told = house.ask(["doctor", "--json"]).run().stdout;
    assert!(!told.contains(unrouted), "{told}");
}

#[test]
fn doctor_names_the_secrets_role_that_is_down() {
    let house = House::new();
    let socket = house.run_dir().join("secrets.sock");
    let address = format!("unix:{}", socket.display());
    house.configure(&format!("[endpoints]\nsecrets = \"{address}\"\n"));
    let told = house.ask(["doctor", "--json"]).run().stdout;
    let start = "Start `carl serve --role secrets` there, or correct `secrets` under [endpoints].";
    assert!(told.contains(start), "{told}");
}

#[test]
fn a_damaged_undo_history_is_named() {
    let house = lived_in();
    let histories = fs::read_dir(house.state().join("undo")).unwrap();
    let journals = histories.map(|one| one.unwrap().path().join("journal.jsonl"));
    let journal = journals.into_iter().find(|one| one.exists()).unwrap();
    fs::write(&journal, "garbage\n").unwrap();
    for args in [&["undo", "--yes", "write"][..], &["undo", "--print"]] {
        let told = house.ask(args.iter().copied()).run();
        assert_ne!(told.code, Some(0), "{told:?}");
        let folder = journal.parent().unwrap().display().to_string();
        assert!(told.stderr.contains("cannot be read"), "{told:?}");
        assert!(told.stderr.contains(&folder), "{told:?}");
    }
}

/// A session that changed a file, and its id.
fn a_session(house: &House) -> String {
    house.write("a.txt", "draft\n");
    let args = ["run", "--json", "--mode", "deterministic"];
    let run = house.ask(args).args(testkit::flags::WRITES);
    let ran = run.arg("replace draft with final in a.txt").run().expect(0);
    ran.json()["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_is_deleted_after_a_yes_with_what_belongs_to_it() {
    let house = House::new();
    let id = a_session(&house);
    let belongings = [
        house.state().join(format!("sessions/{id}.jsonl")),
        house.state().join("undo").join(&id),
    ];
    let are_there = || belongings.iter().all(|path| path.exists());
    let delete = || house.ask(["session", "delete", &id]);
    let unasked = delete().run().expect(2).stderr;
    assert!(unasked.contains("Add --yes"), "{unasked}");
    let named = format!("session {id} of {}", house.work().display());
    assert!(unasked.contains(&named), "{unasked}");
    assert!(unasked.contains("replace draft"), "{unasked}");
    let no = delete().typing(&["[y/N] "], |_, _| "n".to_owned());
    assert_eq!(no.finished.code, Some(5), "{no:#?}");
    for told in ["replace draft", "What is lost:", "What stays:"] {
        assert!(no.questions[0].contains(told), "{no:#?}");
    }
    assert!(are_there());
    let yes = delete().typing(&["[y/N] "], |_, _| "y".to_owned());
    assert_eq!(yes.finished.code, Some(0), "{yes:#?}");
    assert!(belongings.iter().all(|path| !path.exists()));
    let listed = house.ask(["session", "list", "--json"]).run().expect(0);
    assert_eq!(listed.json(), serde_json::json!([]));
    let index = house.state().join("sessions/index.json");
    let index = fs::read_to_string(index).unwrap_or_default();
    assert!(!index.contains(&id) && !index.contains("draft"), "{index}");
    let gone = delete().arg("--yes").run().expect(2).stderr;
    assert!(gone.contains("no session's id"), "{gone}");
    // What it did stands, and stays on record.
    assert_eq!(house.read("a.txt"), "final\n");
    let audit = house.ask(["audit", "verify"]).run().expect(0).stdout;
    assert!(audit.contains("whole"), "{audit}");
    let record = ["audit", "query", "--session", &id];
    let record = house.ask(record).run().expect(0).stdout;
    assert!(record.contains("edit_file"), "{record}");
}

#[test]
fn a_session_has_the_name_that_it_is_given_until_it_is_deleted() {
    let house = House::new();
    let id = a_session(&house);
    let rename = |name: &str| house.ask(["session", "rename", &id, name]).run();
    let title = || {
        let listed = house.ask(["session", "list", "--json"]).run().expect(0);
        listed.json()[0]["title"].as_str().unwrap().to_owned()
    };
    let first = title();
    let told = rename("Letters – 日本").expect(0).stdout;
    assert_eq!(told, "the session is called Letters – 日本\n");
    assert_eq!(title(), "Letters – 日本");
    for bad in ["two\nlines", "\u{1b}[2J", &"x".repeat(121)] {
        let refused = rename(bad).expect(2).stderr;
        assert!(refused.contains("one line of at most 120"), "{refused}");
    }
    assert_eq!(title(), "Letters – 日本");
    rename("").expect(0);
    assert_eq!(title(), first);
    rename("Letters").expect(0);
    house
        .ask(["session", "delete", "--yes", &id])
        .run()
        .expect(0);
    let left = fs::read_dir(house.state().join("sessions")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    let is_of_it = |name: &std::ffi::OsString| name.to_string_lossy().contains(&id);
    assert!(!left.iter().any(is_of_it), "{left:?}");
    rename("Letters").expect(2);
}

#[test]
fn a_session_that_somebody_has_is_not_deleted() {
    let house = House::new();
    let id = a_session(&house);
    let log = house.state().join(format!("sessions/{id}.jsonl"));
    let delete = || house.ask(["session", "delete", "--yes", &id]).run();
    let mut served = house.ask(["serve"]).spawn();
    served.until("serving at");
    let mut chat = house.ask(["session", "resume", &id]);
    chat = chat.env("TERM", "dumb");
    let mut chat = chat.seated();
    chat.until("> ");
    let refused = delete().expect(4).stderr;
    assert!(refused.contains("Another process is writing"), "{refused}");
    assert!(log.exists() && house.state().join("undo").join(&id).exists());
    chat.types("/quit\n");
    chat.finish();
    // Whoever serves is in nobody's way.
    delete().expect(0);
    assert!(!log.exists());
    let resume = house.ask(["session", "resume", &id]).run();
    assert_ne!(resume.code, Some(0), "{resume:#?}");
    served.kill();
}

#[test]
fn a_server_logs_what_its_sessions_come_to() {
    let write = json!({"path": "a.txt", "content": "words of mine"});
    let scene = Scene::new([Reply::call("write_file", write), Reply::text("No.")]);
    let mut server = scene.house.ask(["serve"]).spawn();
    server.until("serving at");
    let run = scene.house.ask(["run", "write a file"]).run();
    let pid = server.pid().to_string();
    let told = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(told.unwrap().success());
    let log = server.finish().expect(0).stderr;
    let mut rest = log.as_str();
    for said in [
        " serves everything at unix:",
        "a session is open session=",
        "a call was refused session=",
        "tool=write_file",
        "a session is closed session=",
        "carl serves no more",
    ] {
        let at = rest.find(said);
        assert!(at.is_some(), "not in its place: {said}\n{log}");
        rest = &rest[at.unwrap()..];
    }
    let is_timed = |line: &str| line.get(10..11) == Some("T") && line.get(23..25) == Some("Z ");
    assert!(log.lines().all(is_timed), "{log}");
    assert!(!log.contains("words of mine"), "{log}");
    // A command tells its user, and has no such log.
    assert!(!run.stderr.contains("a session is"), "{run:#?}");
}

#[test]
fn a_server_keeps_no_memory_for_each_of_its_threads() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let mut server = scene.house.ask(["serve"]).spawn();
    server.until("serving at");
    scene.house.ask(["run", "hello"]).run().expect(0);
    let of = |what: &str| fs::read_to_string(format!("/proc/{}/{what}", server.pid())).unwrap();
    // Parts of glibc's allocator beside the first begin at multiples of 64 MiB, nothing is behind them, and
    // what they may grow into follows.
    let maps = of("maps");
    let lines: Vec<&str> = maps.lines().collect();
    let parts = lines.windows(2).filter(|pair| {
        let (from, rest) = pair[0].split_once('-').unwrap();
        let end = rest.split(' ').next().unwrap();
        let is_aligned = u64::from_str_radix(from, 16)
            .unwrap()
            .is_multiple_of(64 << 20);
        let grows = pair[1].starts_with(&format!("{end}-")) && pair[1].contains(" ---p ");
        is_aligned && grows && rest.contains(" rw-p ") && rest.trim_end().ends_with(" 0")
    });
    assert!(parts.count() <= 1, "{maps}");
    let status = of("status");
    let threads = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"));
    let threads: usize = threads.unwrap().trim().parse().unwrap();
    assert!(threads > 4, "so few need no parts: {threads}");
    server.kill();
}

#[test]
fn memory_that_cannot_be_put_on_record_says_so() {
    let house = House::new();
    house
        .ask(["memory", "add", "I prefer the MIT licence"])
        .run()
        .expect(0);
    let state = house.state();
    let state = state.display();
    for command in ["memory list", "memory search licence", "memory stats"] {
        let line = format!(
            "unshare -rm sh -c 'mount --bind {state} {state} && \
             mount -o remount,bind,ro {state} && exec carl {command}'"
        );
        let told = house.carl().typed(&line).run().expect(4).stderr;
        assert!(told.contains("Read-only file system"), "{told}");
        let why = "Each look into memory is put on record";
        assert!(told.contains(why), "{told}");
    }
    let found = house.ask(["memory", "list"]).run().expect(0).stdout;
    assert!(found.contains("MIT licence"), "{found}");
}
