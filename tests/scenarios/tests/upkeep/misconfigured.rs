//! A configuration that makes no sense, or does not fit the machine: what the user is told.

use scenarios::site::{Response, serve_here};
use scenarios::{Scene, of_kind};
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testkit::{House, Reply, Server};

fn scene(server: Server, more: &str) -> Scene {
    let scene = Scene::with(server, "openai");
    let config = format!("{}\n{more}", scene.server.config("openai"));
    scene.house.configure(&config);
    scene
}

fn is_through() -> [Reply; 2] {
    let done = json!({"reason": "done"});
    [
        Reply::call("yield_to_user", done),
        Reply::text("Nothing to do."),
    ]
}

#[test]
fn values_that_cannot_be_meant_stop_the_start() {
    for (text, parts) in [
        (
            "[agents]\nparallel = 0",
            ["config.toml", "agents.parallel", "1 to 64"],
        ),
        (
            "[agents]\nparallel = 100000",
            ["config.toml", "it is 100000", "1 to 64"],
        ),
        (
            "[observers.routes]\ncode = [\"scripted/m\"]",
            ["config.toml", "observers.routes.code", "names 1 of the two"],
        ),
        (
            "[observers.routes]\ncode = [\"scripted/m\", \"scripted/m\"]",
            ["config.toml", "observers.routes.code", "scripted/m twice"],
        ),
        (
            "[observers.routes]\nembed = [\"scripted/m\", \"scripted/n\"]",
            [
                "config.toml",
                "observers.routes.embed",
                "fast, reason and code",
            ],
        ),
        (
            "[observers.routes]\ncode = [\"scripted/m\", \"scriptd/n\"]",
            [
                "config.toml",
                "observers.routes.code",
                "Did you mean `scripted`?",
            ],
        ),
        (
            "[observers]\nroute_agreement = 1.5",
            ["config.toml", "observers.route_agreement", "0 to 1"],
        ),
        (
            "[drive.prices.scriptd]\nprompt = 1.0",
            [
                "config.toml",
                "drive.prices.scriptd",
                "Did you mean `scripted`?",
            ],
        ),
    ] {
        let scene = scene(Server::openai([]), text);
        let told = scene.house.ask(["run", "hello"]).run().expect(2).stderr;
        for part in parts {
            assert!(told.contains(part), "no `{part}`: {told}");
        }
    }
}

/// Exit code 2 is for a configuration that cannot be used, whatever is wrong with it.
#[test]
fn a_configuration_that_cannot_be_used_is_a_mistake_of_usage() {
    let house = House::new();
    let told = |parts: &[&str]| {
        let told = house.ask(["run", "hello"]).run().expect(2).stderr;
        for part in parts.iter().chain(&["config.toml"]) {
            assert!(told.contains(part), "no `{part}`: {told}");
        }
    };
    house.configure("[models]\ndefault_provider = \"ollma\"\n");
    told(&["line 2", "no provider `ollma`", "Did you mean `ollama`?"]);
    for endpoint in ["127.0.0.1:11434", "localhost:11434", "my-server/v1"] {
        let provider =
            format!("[models.providers.a]\ntype = \"openai\"\nendpoint = \"{endpoint}\"\n");
        house.configure(&provider);
        told(&["line 3", "must begin with http://", "Write it as `http://"]);
    }
    house.configure("[models.providers.mine]\ntype = \"openai\"\n");
    told(&[
        "line 1: models.providers.mine: it has no endpoint",
        "Write the server's address",
    ]);
    house.configure("[models.providers.m]\ntype = \"ollama\"\ntimeout_secs = 0\n");
    told(&[
        "line 3: models.providers.m.timeout_secs: it is 0",
        "Write 1 to 86400",
    ]);
    house.configure("[models.providers.m]\ntype = \"ollama\"\nmax_parallel = 0\n");
    told(&[
        "line 3: models.providers.m.max_parallel: it is 0",
        "Write 1 to",
    ]);
    house.configure("[models.providers.m]\ntype = \"embedded\"\nendpoint = \"http://h\"\n");
    told(&["line 3: models.providers.m.endpoint: ", "Remove the line"]);
    house.configure("[models.limits]\nfirst_byte_ms = 0\n");
    told(&["line 2: models.limits.first_byte_ms: it is 0", "Write 1"]);
    house.configure("[models]\nfallbacks = \"a/m\"\n");
    told(&["line 2", "expected a list, such as [\"…\"]"]);
    house.configure("[search]\nurl = \"127.0.0.1:8888\"\n");
    told(&["line 2: search.url: must begin with", "Write it as"]);
    house.configure("[endpoints]\nmemory = \"127.0.0.1:7000\"\n");
    told(&["line 2: endpoints.memory: `127.0.0.1:7000` is no", "tcp:"]);
    let file = house.home().join(".config/housecarl/config.toml");
    fs::write(&file, b"[chat]\ninstructions = \"caf\xe9\"\n").unwrap();
    told(&["UTF-8"]);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    told(&["not a regular file"]);
    let without = house.ask(["run", "hello"]).env("HOME", "");
    let without = without.run().expect(2).stderr;
    assert!(without.contains("Set HOME"), "{without}");
}

/// Whoever is told that there is no such agent type has to find the line that names it.
#[test]
fn an_unknown_default_agent_names_file_line_and_the_types() {
    let scene = scene(Server::openai([Reply::text("Hello.")]), "");
    let config = scene.server.config("openai");
    let file = scene.house.home().join(".config/housecarl/config.toml");
    let run = || {
        scene
            .house
            .ask(["run", "--mode", "deterministic", "list files"])
    };
    let told = |config: &str, parts: &[&str]| {
        scene.house.configure(config);
        let said = run().run().expect(2).stderr;
        for part in parts {
            assert!(said.contains(part), "no `{part}`: {said}");
        }
    };
    let place = format!("{}: line 2: chat.default_agent", file.display());
    let types = "coder, orchestrator, researcher, sysadmin";
    told(
        &format!("[chat]\ndefault_agent = \"codr\"\n{config}"),
        &[&place, "`codr`", "Did you mean `coder`?", types],
    );
    told(
        &format!("[chat]\ndefault_agent = \"butler\"\n{config}"),
        &[&place, "`butler`", types],
    );
    // What a flag names counts instead, and doctor says the same.
    run().args(["--agent", "coder"]).run().expect(0);
    let said = run().args(["--agent", "codr"]).run().expect(2).stderr;
    for part in ["--agent: no agent type", "Did you mean `coder`?", types] {
        assert!(said.contains(part), "no `{part}`: {said}");
    }
    let doctor = scene.house.ask(["doctor", "--json"]).run().expect(4).stdout;
    assert!(doctor.contains(&place), "{doctor}");
    scene.house.configure(&config);
    let by_variable = run().env("CARL_CHAT__DEFAULT_AGENT", "butler");
    let said = by_variable.run().expect(2).stderr;
    assert!(
        said.contains("CARL_CHAT__DEFAULT_AGENT: chat.default_agent"),
        "{said}"
    );
}

/// Who may write the configuration may run programs as its user.
#[test]
fn a_configuration_that_everybody_may_write_is_not_trusted() {
    let scene = scene(Server::openai([Reply::text("Hello.")]), "");
    let file = scene.house.home().join(".config/housecarl/config.toml");
    let ask = || scene.house.ask(["run", "hello"]).run();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let told = ask().expect(2).stderr;
    assert!(
        told.contains("every user") && told.contains("chmod o-w"),
        "{told}"
    );
    assert!(scene.server.chats().is_empty());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).unwrap();
    ask().expect(0);
}

/// As with a folder of dotfiles that is not mounted.
#[test]
fn a_configuration_that_is_a_link_to_nothing_is_not_gone_without() {
    let house = House::new();
    house.configure("");
    let file = house.home().join(".config/housecarl/config.toml");
    let away = house.home().join("away.toml");
    fs::remove_file(&file).unwrap();
    symlink(&away, &file).unwrap();
    let told = house.ask(["run", "hello"]).run().expect(2).stderr;
    assert!(told.contains("link to a file that is not there"), "{told}");
    let refused = house.ask(["init"]).run().expect(2).stderr;
    assert!(refused.contains("already there"), "{refused}");
    assert!(!away.exists());
    house.ask(["init", "--force"]).run().expect(0);
    assert!(!away.exists() && fs::symlink_metadata(&file).unwrap().is_file());
}

/// What asks whether all is well must not hear yes while each request fails.
#[test]
fn doctor_is_bad_where_the_provider_in_use_cannot_be_used() {
    let scene = scene(Server::openai([]), "");
    scene.house.ask(["doctor"]).run().expect(0);
    let config = scene.server.config("openai");
    let with_key = format!("{config}api_key = {{ secret = \"of-mine\" }}\n");
    scene.house.configure(&with_key);
    let told = scene.house.ask(["doctor", "--json"]).run().expect(4);
    let checks: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let mut checks = checks.as_array().unwrap().iter();
    let bad = checks
        .find(|check| check["name"] == "model server")
        .unwrap();
    assert_eq!(bad["state"], "bad", "{bad:#}");
    assert!(
        bad["detail"].as_str().unwrap().contains("scripted"),
        "{bad:#}"
    );
}

/// Room on the disk is no remedy for a process that does not run.
#[test]
fn doctor_names_the_role_that_does_not_answer() {
    let house = House::new();
    let nowhere = house.work().join("audit.sock");
    house.configure(&format!(
        "[endpoints]\naudit = \"unix:{}\"\n",
        nowhere.display()
    ));
    for command in [&["doctor"][..], &["run", "list files"]] {
        let told = house.ask(command.iter().copied()).run().expect(4);
        let told = format!("{}{}", told.stdout, told.stderr);
        assert!(told.contains("carl serve --role audit"), "{told}");
        assert!(!told.contains("free space"), "{told}");
    }
}

/// A role in another process is asked there; where nobody answers, what to start is named.
#[test]
fn doctor_asks_roles_where_they_are_served() {
    let (house, other) = (House::new(), House::new());
    let serve = |role: &str| {
        let args = ["serve", "--trust-network", "--listen", "tcp:127.0.0.1:0"];
        let mut served = other.ask(args).args(["--role", role]).spawn();
        let said = served.until("; Ctrl-C");
        let address = said.split("serving at ").nth(1).unwrap();
        (address.split(';').next().unwrap().to_owned(), served)
    };
    let check = |name: &str| {
        let told = house.ask(["doctor", "--json"]).run().stdout;
        let checks: serde_json::Value = serde_json::from_str(&told).unwrap();
        let mut checks = checks.as_array().unwrap().iter();
        checks.find(|check| check["name"] == name).unwrap().clone()
    };
    for role in ["memory", "search", "models", "broker"] {
        let (address, served) = serve(role);
        house.configure(&format!("[endpoints]\n{role} = \"{address}\"\n"));
        let good = check(role);
        assert_eq!(good["state"], "ok", "{good:#}");
        assert!(good["detail"].to_string().contains(&address), "{good:#}");
        if role == "memory" {
            // What the user does with memory is typed where it is kept.
            let told = house.ask(["memory", "list"]).run().expect(4).stderr;
            assert!(told.contains("does not offer this"), "{told}");
        }
        served.kill();
        let bad = check(role);
        assert_eq!(bad["state"], "bad", "{bad:#}");
        assert!(
            bad["hint"].to_string().contains(&format!(
                "carl serve --role {role} --listen {address} --trust-network"
            )),
            "{bad:#}"
        );
    }
}

#[test]
fn doctor_tries_a_search_server_of_this_machine_out() {
    let nothing = r#"{"error": "No query"}"#;
    for (answer, state, told) in [
        (("400 Bad Request", nothing), "ok", "which answers"),
        (
            ("403 Forbidden", ""),
            "note",
            "add `json` to `search.formats`",
        ),
        (("404 Not Found", "{}"), "note", "status 404"),
        (("200 OK", "[1]"), "note", "no SearXNG"),
    ] {
        let port = serve_here(move |path| {
            assert!(
                path.starts_with("/search?q=&"),
                "nothing is searched: {path}"
            );
            Response::json(answer.0, answer.1)
        });
        let house = House::new();
        house.configure(&format!("[search]\nurl = \"http://127.0.0.1:{port}\"\n"));
        let checks = house.ask(["doctor", "--json"]).run().stdout;
        let checks: serde_json::Value = serde_json::from_str(&checks).unwrap();
        let mut checks = checks.as_array().unwrap().iter();
        let check = checks.find(|check| check["name"] == "search").unwrap();
        assert_eq!(check["state"], state, "{check:#}");
        assert!(check["detail"].to_string().contains(told), "{check:#}");
    }
}

#[test]
fn a_damaged_memory_is_told_what_helps() {
    let scene = scene(Server::openai([]), "");
    let memory = ["memory", "add", "The heron stands in water."];
    scene.house.ask(memory).run().expect(0);
    let file = scene.house.state().join("memory/memory.db");
    std::fs::write(
        &file,
        "no database, but longer than a page's head ".repeat(200),
    )
    .unwrap();
    let told = scene.house.ask(["memory", "list"]).run().expect(4).stderr;
    assert!(told.contains("memory.damaged"), "{told}");
    assert!(told.contains("put a copy of it back"), "{told}");
    assert!(!told.contains("`index`"), "{told}");
    // As a fault of the disk leaves it: not the memory of somebody who begins.
    std::fs::write(&file, "").unwrap();
    let told = scene.house.ask(["memory", "list"]).run().expect(4).stderr;
    assert!(told.contains("memory.damaged"), "{told}");
    std::fs::remove_file(&file).unwrap();
    scene.house.ask(["memory", "list"]).run().expect(0);
}

#[test]
fn a_variable_that_cannot_be_meant_is_named_with_what_it_may_be() {
    let scene = scene(Server::openai([]), "");
    for (variable, value, parts) in [
        (
            "CARL_MEMORY__CAPTURE",
            "maybe",
            ["\"maybe\"", "true or false"],
        ),
        (
            "CARL_MEMORY__CAPTRE",
            "false",
            ["CAPTRE", "Did you mean `capture`?"],
        ),
        ("CARL_CHAT__DEFAULT_MODE", "sideways", ["sideways", "plan"]),
        ("CARL_AGENTS__PARALLEL", "0", ["it is 0", "1 to 64"]),
        ("CARL_POLICY__QUESTION_SECS", "0", ["it is 0", "1 to 86400"]),
        (
            "CARL_AGENTS__PARALLEL",
            "many",
            ["\"many\"", "a whole number"],
        ),
        (
            "CARL_CHTA__DEFAULT_MODE",
            "plan",
            ["CHTA", "Did you mean `chat`?"],
        ),
        (
            "CARL_MEMORY_CAPTURE",
            "false",
            ["two underscores", "Did you mean CARL_MEMORY__CAPTURE?"],
        ),
        (
            "CARL_MEMORY__FINDING__TEXTS",
            "1000",
            ["it is 1000", "1 to 100"],
        ),
    ] {
        let carl = scene.house.ask(["run", "hello"]).env(variable, value);
        let told = carl.run().expect(2).stderr;
        for part in parts.iter().chain(&[variable]) {
            assert!(told.contains(part), "no `{part}`: {told}");
        }
    }
}

#[test]
fn a_key_in_a_variable_is_not_shown_again() {
    let scene = Scene::new([]);
    let key = "sk-proj-Kx7Qw2Lm9RtYv4Bn8Zc3";
    let in_role = format!("{key}/m");
    for (variable, value) in [
        ("CARL_MODELS__PROVIDERS__SCRIPTED__API_KEY", key),
        ("CARL_MODELS__PROVIDERS__SCRIPTED__TYPE", key),
        ("CARL_MODELS__DEFAULT_PROVIDER", key),
        ("CARL_MODELS__ROLES__CODE", &in_role),
        ("CARL_SEARCH__PROVIDER", key),
        ("CARL_SEARCH__PAGES", key),
        ("CARL_INBOX__LISTEN", key),
        ("CARL_ENDPOINTS__MEMORY", key),
    ] {
        let told = scene.house.ask(["doctor"]).env(variable, value).run();
        let told = told.expect(2).stderr;
        assert!(told.contains(variable), "{told}");
        assert!(!told.contains("Kx7Qw2"), "{told}");
    }
}

#[test]
fn a_key_left_of_the_equals_sign_is_not_shown() {
    let key = "sk-proj-Kx7Qw2Lm9RtYv4Bn8Zc3";
    for section in ["[models.providers.scripted]", "[models]", ""] {
        let house = House::new();
        house.configure(&format!("{section}\n{key} = \"openai\"\n"));
        let told = house.ask(["run", "hello"]).run().expect(2).stderr;
        assert!(told.contains("config.toml"), "{told}");
        assert!(told.contains("looks like a key"), "{told}");
        assert!(!told.contains("Kx7Qw2"), "{told}");
    }
}

#[test]
fn what_cannot_be_listened_to_is_told_and_the_rest_goes_on() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let more = format!(
        "[inbox]\nlisten = \"127.0.0.1:{port}\"\n\n[drive]\nnotify = false\n\
         watch = [\"/nonexistent/notes\", \".\"]\n"
    );
    let scene = scene(
        Server::openai(is_through().into_iter().chain(is_through())),
        &more,
    );
    let address = format!("127.0.0.1:{port}");
    let args = ["run", "--events", "--mode", "auto", "look"];
    let events = scene.house.ask(args).run().expect(0).json_lines();
    let mut notices = of_kind(&events, "notice");
    notices.retain(|notice| notice["query_id"].is_null());
    let told = |part: &str| notices.iter().any(|n| n.to_string().contains(part));
    assert!(told(&address), "{notices:#?}");
    assert!(told("/nonexistent/notes cannot be watched"), "{notices:#?}");
    assert_eq!(notices.len(), 2, "{notices:#?}");
    let shown = scene.house.ask(["run", "--mode", "auto", "look"]).run();
    let shown = shown.expect(0).stderr;
    assert!(
        shown.contains(&address) && shown.contains("[inbox] listen") && shown.contains("note:"),
        "{shown}"
    );
    let refused = scene.house.ask(["serve"]).run().expect(4).stderr;
    assert!(
        refused.contains(&address) && refused.contains("another port"),
        "{refused}"
    );
}

#[test]
fn a_path_below_the_home_has_to_be_written_in_full() {
    let scene = scene(
        Server::openai([
            Reply::call("watch_path", json!({"path": "~"})),
            Reply::call("yield_to_user", json!({"reason": "done"})),
            Reply::text("Done."),
        ]),
        "[drive]\nnotify = false\n",
    );
    let run = scene.house.ask(["run", "--mode", "auto", "watch my home"]);
    let run = run.current_dir(&scene.house.home()).run().expect(0);
    let home = scene.house.home().canonicalize().unwrap();
    let told = format!("Write the path in full: {}", home.display());
    assert!(run.stderr.contains(&told), "{run:#?}");
}

#[test]
fn a_section_that_stands_there_already_is_named_with_its_line() {
    let house = House::new();
    house.ask(["init"]).run().expect(0);
    let path = house.home().join(".config/housecarl/config.toml");
    let written = fs::read_to_string(&path).unwrap();
    let again = format!("{written}\n[endpoints]\naudit = \"unix:/tmp/audit.sock\"\n");
    fs::write(&path, again).unwrap();
    let refused = house.ask(["models"]).run().expect(2);
    let line = written
        .lines()
        .position(|line| line == "[endpoints]")
        .unwrap()
        + 1;
    let told = format!("[endpoints] stands in line {line} already: write its keys there");
    assert!(refused.stderr.contains(&told), "{refused:#?}");
}

#[test]
fn an_address_that_a_role_cannot_serve_at_is_refused_by_its_key() {
    for (address, told) in [
        (
            "/tmp/a.sock",
            "endpoints.audit: `/tmp/a.sock` is no address",
        ),
        ("nonsense", "endpoints.audit: `nonsense` is no address"),
        (
            "tcp:127.0.0.1:50099",
            "carl serve --role audit --listen tcp:127.0.0.1:50099 --trust-network",
        ),
    ] {
        let house = House::new();
        house.configure(&format!("[endpoints]\naudit = \"{address}\"\n"));
        let refused = house.ask(["serve", "--role", "audit"]).run().expect(2);
        assert!(refused.stderr.contains(told), "{address}: {refused:#?}");
    }
}

#[test]
fn a_choice_that_differs_in_capitals_alone_is_proposed() {
    let scene = scene(Server::openai([]), "");
    let config = scene.server.config("openai");
    let typed = config.replace("type = \"openai\"", "type = \"OpenAI\"");
    scene.house.configure(&typed);
    let told = scene.house.ask(["run", "hello"]).run().expect(2).stderr;
    assert!(told.contains("Did you mean `openai`?"), "{told}");
    scene.house.configure(&config);
    let run = scene.house.ask(["run", "hello"]);
    let run = run.env("CARL_MODELS__PROVIDERS__SCRIPTED__TYPE", "OPENAI");
    let told = run.run().expect(2).stderr;
    assert!(told.contains("Did you mean `openai`?"), "{told}");
}

#[test]
fn a_log_level_that_is_none_is_told() {
    let house = House::new();
    let told = |level: &str| {
        let listed = house.ask(["tools"]).env("CARL_LOG", level).run();
        listed.expect(0).stderr
    };
    assert!(told("broker=loud").contains("CARL_LOG is left out"));
    assert_eq!(told("broker=warn"), "");
}

/// Files that are read at every start are no pipes to wait for, and have an end.
#[test]
fn a_pipe_or_device_in_the_place_of_a_file_is_not_waited_for() {
    let house = House::new();
    house.write("a.txt", "draft\n");
    let run = |task: &str| {
        let run = ["run", "--mode", "deterministic"];
        let run = house.ask(run).args(testkit::flags::WRITES).arg(task);
        run.time_limit(Duration::from_secs(20)).run()
    };
    run("replace draft with final in a.txt").expect(0);
    let put = |place: &Path, is_pipe: bool| {
        let _none = fs::remove_file(place);
        match is_pipe {
            true => {
                let made = Command::new("mkfifo").arg(place).status().unwrap();
                assert!(made.success());
            }
            false => symlink("/dev/zero", place).unwrap(),
        }
    };
    let histories = fs::read_dir(house.state().join("undo")).unwrap();
    let mut histories = histories.map(|one| one.unwrap().path());
    let history = histories.find(|one| one.is_dir()).unwrap();
    let config = house.home().join(".config/housecarl");
    fs::create_dir_all(&config).unwrap();
    for is_pipe in [true, false] {
        let agents = config.join("agents.yaml");
        put(&agents, is_pipe);
        let told = run("list files");
        assert_eq!(told.code, Some(4), "{told:#?}");
        assert!(
            told.stderr.contains("agents.yaml cannot be read"),
            "{told:#?}"
        );
        fs::remove_file(&agents).unwrap();
        let tokens = house.state().join("tokens.json");
        put(&tokens, is_pipe);
        run("list files").expect(0);
        fs::remove_file(&tokens).unwrap();
        let lock = house.state().join("lock");
        put(&lock, is_pipe);
        let told = run("list files").expect(4).stderr;
        assert!(told.contains("cannot be locked"), "{told}");
        fs::remove_file(&lock).unwrap();
        let journal = history.join("journal.jsonl");
        put(&journal, is_pipe);
        let undo = house.ask(["undo", "--yes", "write"]);
        let told = undo.time_limit(Duration::from_secs(20)).run();
        assert!(matches!(told.code, Some(1..=4)), "{told:#?}");
        assert!(told.stderr.contains("the undo history"), "{told:#?}");
    }
}
