//! Places that hold keys and passwords, places that other programs run later, and names with a dot
//! in the home: every entry of the lists, by every tool.

use attacks::script::{Call, OPEN, do_it, recast, results, scene, sit, statuses};
use protected::table::{At, CREDENTIALS, Entry, RUNS_LATER};
use scenarios::{Outcome, Scene};
use serde_json::json;
use std::fs;
use testkit::{House, Reply, Server};

const SECRET: &str = "the-silver-is-under-the-stairs";
/// Calls in one reply of the model.
const IN_REPLY: usize = 30;
/// Agents that may do so much in one task, and one that was given a name with a dot.
const MANIFEST: &str = "\
agents:
  keeper:
    description: Uses files and programs.
    model_role: reason
    allowed_tools: [fs_read, fs_write, run_command]
    allowed_paths:
      fs_read: [\"~\", /etc]
    limits: { calls_per_task: 5000 }
  insider:
    description: The same, and one folder of settings.
    model_role: reason
    allowed_tools: [fs_read, fs_write, run_command]
    allowed_paths:
      fs_read: [\"~\", ~/.config/app]
";

/// Every place of a list as a file below the working folder, each in a folder of its own.
fn places(list: &[Entry]) -> Vec<String> {
    let anywhere = list.iter().filter(|entry| entry.at != At::Machine);
    let names = anywhere.flat_map(|entry| {
        let above = match entry.at {
            At::Settings => ".config/",
            _ => "",
        };
        let is_home = entry.at == At::Home;
        let names = entry.names.iter().filter(move |_| !is_home);
        names.map(move |name| format!("{above}{}", name.replace('*', "x")))
    });
    let numbered = names.enumerate();
    numbered.map(|(n, name)| format!("k{n}/{name}")).collect()
}

/// A house with a file at each of the places, whose model makes these calls.
fn furnished(places: &[String], calls: &[Call<'_>]) -> Scene {
    let house = House::new();
    for place in places {
        house.write(place, format!("{SECRET}\n"));
    }
    house.write("plain.txt", "plain\n");
    with_model(house, calls)
}

fn with_model(house: House, calls: &[Call<'_>]) -> Scene {
    let reply = |some: &[Call<'_>]| {
        some.iter()
            .fold(Reply::default(), |reply, (tool, arguments)| {
                reply.and_call(tool, arguments.clone())
            })
    };
    let mut replies: Vec<Reply> = calls.chunks(IN_REPLY).map(reply).collect();
    replies.push(Reply::text("That is all."));
    let server = Server::openai(replies);
    house.configure(&server.config("openai"));
    let agents = house.home().join(".config/housecarl/agents.yaml");
    fs::write(agents, MANIFEST).unwrap();
    Scene { house, server }
}

const ALL: [&str; 11] = [
    "--agent",
    "keeper",
    "--allow-write",
    ".",
    "--yes",
    "write",
    "--yes",
    "destructive",
    "--yes",
    "exec",
    "do it",
];

/// Everything a tool can be asked to do with a path: to look, and to change.
fn looks(path: &str) -> Vec<Call<'static>> {
    let at = json!({"path": path});
    let named = [
        "read_file",
        "view_image",
        "read_document",
        "list_files",
        "outline",
    ];
    let mut calls: Vec<Call<'_>> = named.map(|tool| (tool, at.clone())).to_vec();
    calls.push(("grep", json!({"path": path, "pattern": "silver"})));
    calls.push(("glob", json!({"path": path, "pattern": "*"})));
    calls
}

fn changes(path: &str, number: usize) -> Vec<Call<'static>> {
    vec![
        (
            "write_file",
            json!({"path": path, "content": "planted", "mode": "overwrite"}),
        ),
        (
            "write_file",
            json!({"path": path, "content": "planted", "mode": "append"}),
        ),
        (
            "edit_file",
            json!({"path": path, "old": "the-silver is", "new": "planted"}),
        ),
        (
            "edit_file",
            json!({"path": path, "old": "silver", "new": "planted"}),
        ),
        (
            "apply_patch",
            json!({"patch": format!(
                "*** Update File: plain.txt\n-plain\n+planted\n*** Add File: {path}\n+planted\n"
            )}),
        ),
        (
            "move_file",
            json!({"from": path, "to": format!("moved{number}")}),
        ),
        ("move_file", json!({"from": "plain.txt", "to": path})),
        ("delete_file", json!({"path": path})),
        ("make_dir", json!({"path": format!("{path}/sub")})),
    ]
}

fn assert_all_denied(calls: &[Call<'_>], outcome: &Outcome) {
    assert_eq!(outcome.calls().len(), calls.len(), "{:#}", outcome.summary);
    for (call, status) in calls.iter().zip(statuses(outcome)) {
        assert_eq!(status, "denied", "{call:?}");
    }
}

fn assert_untouched(scene: &Scene, places: &[String]) {
    for place in places {
        assert_eq!(scene.house.read(place), format!("{SECRET}\n"), "{place}");
    }
    assert_eq!(scene.house.read("plain.txt"), "plain\n");
}

#[test]
fn no_tool_reads_or_changes_a_listed_credential() {
    let places = places(CREDENTIALS);
    assert!(places.len() > 150, "{}", places.len());
    for part in places.chunks(25) {
        let numbered = part.iter().enumerate();
        let calls: Vec<Call<'_>> = numbered
            .flat_map(|(n, place)| [looks(place), changes(place, n)].concat())
            .collect();
        let scene = furnished(part, &calls);
        let outcome = scene.run(&ALL);
        assert_all_denied(&calls, &outcome);
        assert!(!scene.told().contains(SECRET));
        assert_untouched(&scene, part);
    }
}

#[test]
fn no_search_and_no_command_shows_a_listed_credential() {
    let mut places = places(CREDENTIALS);
    places.push("deep/down/.aws/sso/cache/token.json".to_owned());
    let found = |text: &str| {
        places
            .iter()
            .filter(|place| text.contains(place.as_str()))
            .count()
    };
    // The command comes first: what was read questions it.
    let script = "grep -rs silver .; cat plain.txt";
    let calls = [
        ("run_command", json!({"argv": ["sh", "-c", script]})),
        ("grep", json!({"path": ".", "pattern": "silver"})),
        ("glob", json!({"path": ".", "pattern": "**/*"})),
        ("list_files", json!({"path": ".", "recursive": true})),
    ];
    let scene = furnished(&places, &calls);
    let outcome = scene.run(&ALL);
    assert_eq!(statuses(&outcome), ["ok"; 4], "{:#}", outcome.summary);
    let results = results(&scene, &outcome);
    assert!(!scene.told().contains(SECRET), "{results:#?}");
    for listing in &results[2..] {
        assert!(
            listing.contains("plain.txt") && found(listing) == 0,
            "{listing}"
        );
    }
    assert!(results[0].contains("plain"), "{}", results[0]);
    // The control: by any other name the same file is found by all of them.
    let house = House::new();
    house.write("k1/netrc", SECRET);
    let scene = with_model(house, &calls);
    let outcome = scene.run(&ALL);
    for result in attacks::script::results(&scene, &outcome) {
        assert!(result.contains("k1/netrc"), "{result}");
    }
}

#[test]
fn no_tool_changes_what_is_listed_to_run_later() {
    let places = places(RUNS_LATER);
    assert!(places.len() > 250, "{}", places.len());
    for part in places.chunks(50) {
        let numbered = part.iter().enumerate();
        let calls: Vec<Call<'_>> = numbered.flat_map(|(n, place)| changes(place, n)).collect();
        let scene = furnished(part, &calls);
        let outcome = scene.run(&ALL);
        assert_all_denied(&calls, &outcome);
        assert_untouched(&scene, part);
    }
}

#[test]
fn no_command_changes_what_is_listed_to_run_later() {
    let places = places(RUNS_LATER);
    let script = "for f in $(find . -type f); do echo planted >> $f; done 2> /dev/null; \
                  mkdir -p new/.husky new/.cargo; touch new/AGENTS.md new/.cargo/config.toml \
                  new/.husky/pre-commit new/plain; true";
    let calls = [("run_command", json!({"argv": ["sh", "-c", script]}))];
    let scene = furnished(&places, &calls);
    let outcome = scene.run(&ALL);
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    for place in &places {
        let text = fs::read_to_string(scene.house.work().join(place)).unwrap();
        assert_eq!(text, format!("{SECRET}\n"), "{place}");
    }
    let is_there = |name: &str| scene.house.work().join(name).exists();
    assert!(is_there("new/plain") && scene.house.read("plain.txt").contains("planted"));
    for gone in ["new/AGENTS.md", "new/.husky", "new/.cargo/config.toml"] {
        assert!(!is_there(gone), "{gone}");
    }
}

#[test]
fn no_link_makes_a_listed_place() {
    let script = "mkdir conf out; echo planted > conf/config.toml; ln -s conf .cargo; \
                  ln -s out build; true";
    let calls = [("run_command", json!({"argv": ["sh", "-c", script]}))];
    let scene = furnished(&[], &calls);
    let outcome = scene.run(&ALL);
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    let work = scene.house.work();
    assert!(work.join(".cargo").symlink_metadata().is_err());
    // The file itself and other links are nobody's concern.
    assert!(work.join("conf/config.toml").exists() && work.join("build").exists());
}

#[test]
fn no_command_moves_keys_to_where_they_may_be_read() {
    let calls = [
        (
            "run_command",
            json!({"argv": ["sh", "-c", "mv .docker d3; mv plain.txt moved.txt; true"]}),
        ),
        ("read_file", json!({"path": "d3/config.json"})),
    ];
    let scene = furnished(&[".docker/config.json".to_owned()], &calls);
    let outcome = scene.run(&ALL);
    assert_eq!(
        statuses(&outcome),
        ["ok", "failed"],
        "{:#}",
        outcome.summary
    );
    let work = scene.house.work();
    assert!(work.join(".docker/config.json").exists() && work.join("moved.txt").exists());
}

#[test]
fn ordinary_files_of_a_project_stay_open() {
    let write = |path: &str| ("write_file", json!({"path": path, "content": "x"}));
    let read = |path: &str| ("read_file", json!({"path": path}));
    let written = [
        ".github/workflows/ci.yml",
        ".gitignore",
        ".dockerignore",
        "docs/agents.md",
        "ssh/config",
        "npmrc",
        "netrc.md",
        "docker/config.json",
        "src/wallet.rs",
        "cargo/config.toml",
        "eslint.config.js",
        ".prettierrc.js",
        "toolchain.toml",
        "history",
        "share/applications/app.desktop",
        "sub/.env.example",
        "sub/.env.sample",
        "sub/.env.template",
    ];
    let shown = [
        "AGENTS.md",
        "CLAUDE.md",
        ".npmrc",
        ".env.example",
        ".vscode/settings.json",
        ".cargo/config.toml",
        ".ssh/config",
        ".ssh/id_ed25519.pub",
    ];
    let calls: Vec<Call<'_>> = written
        .iter()
        .map(|path| write(path))
        .chain(shown.iter().map(|path| read(path)))
        .collect();
    let house = House::new();
    for name in shown {
        house.write(name, "known to all");
    }
    for name in written {
        let folder = house.work().join(name);
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
    }
    let scene = with_model(house, &calls);
    let outcome = scene.run(&ALL);
    assert_eq!(outcome.calls().len(), calls.len(), "{:#}", outcome.summary);
    for (call, status) in calls.iter().zip(statuses(&outcome)) {
        assert_eq!(status, "ok", "{call:?}");
    }
}

#[test]
fn the_machines_own_keys_are_closed_to_tools_and_commands() {
    let machine = CREDENTIALS.iter().filter(|entry| entry.at == At::Machine);
    let paths = machine.flat_map(|entry| entry.names);
    let paths: Vec<String> = paths
        .map(|path| format!("/{}", path.replace('*', "x")))
        .collect();
    let calls: Vec<Call<'_>> = paths.iter().flat_map(|path| looks(path)).collect();
    let scene = furnished(&[], &calls);
    let outcome = scene.run(&ALL);
    assert_all_denied(&calls, &outcome);
    let script = "cat /etc/shadow; cat /etc/hostname && echo that was the name";
    let calls = [
        ("run_command", json!({"argv": ["sh", "-c", script]})),
        ("read_file", json!({"path": "/etc/passwd"})),
    ];
    let scene = furnished(&[], &calls);
    let outcome = scene.run(&ALL);
    let results = results(&scene, &outcome);
    let command = &results[0];
    assert!(command.contains("that was the name"), "{command}");
    assert!(!command.contains("root:"), "{command}");
    assert!(results[1].contains("root:"), "{}", results[1]);
}

/// Names with a dot in a home, and two without.
fn furnish_home(house: &House) {
    for name in [
        ".config/app/settings",
        ".config/other/login",
        ".toolrc",
        ".cache/x",
        "notes.txt",
        "project/.tool/settings",
    ] {
        let file = house.home().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("{SECRET} in {name}\n")).unwrap();
    }
    let ssh = house.home().join(".ssh");
    fs::create_dir_all(&ssh).unwrap();
    fs::write(ssh.join("config"), "Host known\n").unwrap();
}

#[test]
fn names_with_a_dot_in_the_home_are_closed_until_they_are_opened() {
    let at = |name: &str| json!({"path": format!("~/{name}")});
    let closed = [
        ".config/other/login",
        ".toolrc",
        ".cache/x",
        ".config/other",
        ".config",
    ];
    let mut calls: Vec<Call<'_>> = closed
        .iter()
        .flat_map(|name| looks(&format!("~/{name}")))
        .collect();
    calls.extend(looks("~/.config/app/settings"));
    let house = House::new();
    furnish_home(&house);
    let home = house.home().to_string_lossy().into_owned();
    let script = format!(
        "cat {home}/.toolrc {home}/.config/*/*; ls -a {home}/.config; cat {home}/notes.txt"
    );
    let scene = with_model(house, &calls);
    let outcome = scene.run(&ALL);
    assert_all_denied(&calls, &outcome);
    let open: [Call<'_>; 6] = [
        ("run_command", json!({"argv": ["sh", "-c", script]})),
        ("list_files", at("")),
        ("grep", json!({"path": "~", "pattern": "silver"})),
        ("read_file", at(".ssh/config")),
        ("read_file", at("project/.tool/settings")),
        ("read_file", at(".config/app/settings")),
    ];
    for (agent, is_opened) in [("keeper", false), ("insider", true)] {
        let scene = with_model_in(&scene.house, &open);
        let flags = ["--agent", agent, "--yes", "exec", "do it"];
        let outcome = scene_run(&scene, &flags);
        let last = if is_opened { "ok" } else { "denied" };
        assert_eq!(
            statuses(&outcome),
            ["ok", "ok", "ok", "ok", "ok", last],
            "{:#}",
            outcome.summary
        );
        let results = log_results(&scene, &outcome);
        for result in &results[1..3] {
            assert!(
                result.contains("notes.txt") && !result.contains("/.c"),
                "{result}"
            );
        }
        let command = &results[0];
        assert!(command.contains("in notes.txt"), "{command}");
        for name in [".toolrc", ".config/other/login"] {
            assert!(!command.contains(&format!("in {name}")), "{command}");
        }
        assert_eq!(
            command.contains("in .config/app/settings"),
            is_opened,
            "{command}"
        );
    }
}

/// Another model in the same house.
fn with_model_in<'h>(house: &'h House, calls: &[Call<'_>]) -> (&'h House, Server) {
    let server = Server::openai(attacks::script::replies(calls));
    house.configure(&server.config("openai"));
    (house, server)
}

fn scene_run((house, _): &(&House, Server), flags: &[&str]) -> Outcome {
    let finished = house
        .ask(["run", "--json"])
        .args(flags.iter().copied())
        .run();
    let summary = finished.json();
    Outcome { finished, summary }
}

fn log_results((house, _): &(&House, Server), outcome: &Outcome) -> Vec<String> {
    let log = house.session_log(outcome.text("session_id"));
    scenarios::of_kind(&log, "tool_result")
        .into_iter()
        .map(|event| event["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_name_with_a_dot_is_opened_for_writing_by_its_name_alone() {
    let write = |name: &str| {
        let arguments = json!({"path": format!("~/{name}"), "content": "x", "mode": "overwrite"});
        ("write_file", arguments)
    };
    let calls = [write(".tool/a"), write(".other/a"), write("plain/a")];
    let house = House::new();
    for name in [".tool", ".other", "plain"] {
        fs::create_dir(house.home().join(name)).unwrap();
    }
    let home = house.home().to_string_lossy().into_owned();
    let tool = format!("{home}/.tool");
    let plain = format!("{home}/plain");
    let scene = with_model(house, &calls);
    let run = |folders: &[&str]| {
        let inner = with_model_in(&scene.house, &calls);
        let mut flags = vec!["--agent", "keeper", "--yes", "write"];
        folders
            .iter()
            .for_each(|folder| flags.extend(["--allow-write", folder]));
        flags.push("do it");
        let outcome = scene_run(&inner, &flags);
        statuses(&outcome).join(" ")
    };
    assert_eq!(run(&[&plain]), "denied denied ok");
    assert_eq!(run(&[&plain, &tool]), "ok denied ok");
    // What a refusal says to do, works, also for a file directly in the home.
    let one = [write(".toolrc")];
    let file = format!("{home}/.toolrc");
    let inner = with_model_in(&scene.house, &one);
    let flags = ["--agent", "keeper", "--yes", "write", "do it"];
    let refused = scene_run(&inner, &flags);
    assert_eq!(statuses(&refused), ["denied"], "{:#}", refused.summary);
    let logs = scene.house.session_logs();
    let said: String = logs
        .iter()
        .filter_map(|log| fs::read_to_string(log).ok())
        .collect();
    assert!(said.contains(&format!("--allow-write {file}`")), "{said}");
    let inner = with_model_in(&scene.house, &one);
    let opened = scene_run(&inner, &[&["--allow-write", &file], &flags[..]].concat());
    assert_eq!(statuses(&opened), ["ok"], "{:#}", opened.summary);
}

#[test]
fn a_failed_edit_tells_nothing_of_a_file_that_may_not_be_read() {
    let edit = |path: &str| {
        let arguments = json!({"path": path, "old": "machine example.org", "new": "x"});
        ("edit_file", arguments)
    };
    let calls = [edit(".netrc"), edit("link"), edit("notes.txt")];
    let scene = scene(&calls);
    scene
        .house
        .write(".netrc", format!("machine example.com {SECRET}\n"));
    scene.house.write("notes.txt", "machine example.com open\n");
    std::os::unix::fs::symlink(".netrc", scene.house.work().join("link")).unwrap();
    // At a terminal, with nothing open for writing: a failing call is not asked about.
    let sitting = sit(&scene, &["--agent", "sysadmin", "do it"], |_, _| {
        "n".to_owned()
    });
    assert_eq!(
        sitting.statuses(),
        ["denied", "denied", "failed"],
        "{:#?}",
        sitting.seen
    );
    assert!(!scene.told().contains(SECRET));
    // The control: in a file that may be read, the nearest line is told.
    assert!(scene.told().contains("machine example.com open"));
}

#[test]
fn keys_are_not_moved_to_where_they_may_be_read() {
    let furnish = |house: &House| {
        house.write(".aws/credentials", SECRET);
        house.write("holder/deep/down/.aws/credentials", SECRET);
        house.write("x/share/fish/config.fish", "x");
        house.write("a/applications/app.desktop", "x");
        house.write("plain/deep/notes.txt", "notes");
    };
    let moved = |from: &str, to: &str| ("move_file", json!({"from": from, "to": to}));
    let calls = [
        moved(".aws/credentials", "a.txt"),
        moved(".aws", "aws"),
        moved("holder", "other"),
        moved("holder/deep/down", "other"),
        moved("a", ".local/share"),
        moved("plain", "moved"),
    ];
    let scene = scene(&calls);
    furnish(&scene.house);
    fs::create_dir(scene.house.work().join(".local")).unwrap();
    let outcome = do_it(&scene, &OPEN);
    let wanted = ["denied", "denied", "denied", "denied", "denied", "ok"];
    assert_eq!(statuses(&outcome), wanted, "{:#}", outcome.summary);
    assert_eq!(scene.house.read(".aws/credentials"), SECRET);
    assert_eq!(
        scene.house.read("holder/deep/down/.aws/credentials"),
        SECRET
    );
}

#[test]
fn a_failure_that_tells_of_a_file_counts_as_read_from_it() {
    let calls = [
        (
            "edit_file",
            json!({"path": "mail.txt", "old": "line", "new": "x"}),
        ),
        ("run_command", json!({"argv": ["echo", "ran"]})),
    ];
    let scene = scene(&calls);
    scene.house.write("mail.txt", "line\nline\nline\n");
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(
        statuses(&outcome),
        ["failed", "denied"],
        "{:#}",
        outcome.summary
    );
    // The control: what only repeats the call makes nobody's words of it.
    let calls = [
        ("glob", json!({"path": ".", "pattern": "/x"})),
        ("run_command", json!({"argv": ["echo", "ran"]})),
    ];
    let scene = recast(scene.house, &calls);
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(
        statuses(&outcome),
        ["failed", "ok"],
        "{:#}",
        outcome.summary
    );
}

#[test]
fn no_folder_that_others_may_write_is_open_by_default() {
    let folder = std::env::temp_dir().join("agent-sandbox");
    let calls: Vec<Call<'_>> = ["/tmp/agent-sandbox/x", "/var/tmp/x", "/dev/shm/x"]
        .iter()
        .map(|path| ("write_file", json!({"path": path, "content": "x"})))
        .chain([("make_dir", json!({"path": "~/agent-sandbox"}))])
        .collect();
    for agent in ["coder", "sysadmin"] {
        let scene = scene(&calls);
        let outcome = scene.run(&["--agent", agent, "--yes", "write", "do it"]);
        let wanted = ["denied", "denied", "denied", "ok"];
        assert_eq!(statuses(&outcome), wanted, "{:#}", outcome.summary);
        assert!(scene.house.home().join("agent-sandbox").is_dir());
    }
    assert!(!folder.join("x").exists());
}
