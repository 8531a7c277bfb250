//! What a person meets in the first hour: undo, two terminals, a foreign project, a served house.

use scenarios::Scene;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use testkit::flags::WRITES;
use testkit::{Finished, House, Reply};

fn by_rules(house: &House, flags: &[&str], task: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    house.ask(args).args(flags.iter().copied()).arg(task).run()
}

#[test]
fn a_folder_left_out_is_the_working_folder() {
    for tool in ["list_files", "glob", "grep"] {
        let arguments = match tool {
            "list_files" => json!({}),
            _ => json!({"pattern": "notes*"}),
        };
        let scene = Scene::new([Reply::call(tool, arguments), Reply::text("Done.")]);
        scene.house.write("notes.md", "notes: here");
        let outcome = scene.run(&["look around"]);
        assert_eq!(
            outcome.calls()[0]["status"],
            "ok",
            "{tool}: {:#}",
            outcome.summary
        );
    }
}

#[test]
fn undo_takes_back_the_last_change_of_the_folder_from_a_process_of_its_own() {
    let house = House::new();
    house.write("notes.md", "draft\n");
    by_rules(&house, &WRITES, "replace draft with final in notes.md").expect(0);
    by_rules(&house, &[], "list files").expect(0);
    assert_eq!(house.read("notes.md"), "final\n");
    house.ask(["undo"]).run().expect(5);
    assert_eq!(house.read("notes.md"), "final\n", "undone without a yes");
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert_eq!(house.read("notes.md"), "draft\n");
    house.ask(["undo", "--yes", "write"]).run().expect(2);
}

/// Without a person at hand, an approval is of one change in one file as it is now.
#[test]
fn an_undo_refused_unattended_names_its_file_and_binds_the_approval() {
    let house = House::new();
    let changed = |file: &str, to: &str| {
        house.write(file, "draft\n");
        by_rules(
            &house,
            &WRITES,
            &format!("replace draft with {to} in {file}"),
        )
        .expect(0);
    };
    let refused = |file: &str| {
        let told = house.ask(["undo"]).run().expect(5).stderr;
        let names = format!(
            "it would take back what edit_file did to {}",
            house.work().join(file).display()
        );
        assert!(told.contains(&names), "no `{names}`: {told}");
        let line = told
            .lines()
            .find(|line| line.starts_with("  carl undo --approve "));
        line.unwrap().trim().rsplit(' ').next().unwrap().to_owned()
    };
    let approved = |hash: &str| house.ask(["undo", "--approve", hash]).run();
    changed("a.md", "final");
    let of_a = refused("a.md");
    changed("b.md", "final");
    let of_b = refused("b.md");
    assert_ne!(of_a, of_b);
    // What was approved of the one file is no yes to the other.
    approved(&of_a).expect(5);
    assert_eq!(house.read("b.md"), "final\n");
    approved(&of_b).expect(0);
    assert_eq!(house.read("b.md"), "draft\n");
    // Nor to the same file with another content.
    changed("b.md", "better");
    approved(&of_b).expect(5);
    assert_eq!(house.read("b.md"), "better\n");
}

/// What of Housecarl's own others may read, write or enter.
fn open_to_others(house: &House) -> Vec<std::path::PathBuf> {
    let mut open = Vec::new();
    let config = house.home().join(".config/housecarl");
    let runtime = house.run_dir().join("housecarl");
    let mut left = vec![config, house.state(), runtime];
    left.retain(|path| path.exists());
    while let Some(path) = left.pop() {
        let facts = fs::symlink_metadata(&path).unwrap();
        if facts.permissions().mode() & 0o077 != 0 {
            open.push(path.clone());
        }
        if facts.is_dir() {
            let inside = fs::read_dir(&path).unwrap();
            left.extend(inside.map(|entry| entry.unwrap().path()));
        }
    }
    open
}

/// Whatever the umask, what Housecarl keeps is its user's alone: from the first command on, since a
/// later one may mend what an earlier one left open.
#[test]
fn what_is_kept_is_private_whatever_the_umask() {
    let house = House::new();
    let nothing = Vec::<std::path::PathBuf>::new();
    let openly = |line: &str| {
        let carl = house.carl().typed(&format!("umask 000; exec carl {line}"));
        let said = carl.run().expect(0).stdout;
        assert_eq!(open_to_others(&house), nothing, "{line}");
        said
    };
    openly("run --mode deterministic 'list files'");
    openly("init");
    openly(
        "run --mode deterministic --allow-write . --yes write \
         'create a file x.txt with the text hi'",
    );
    openly("undo --yes write");
    let tea = openly("memory add --name tea 'tea at four'");
    openly("memory add --name milk 'milk at five'");
    openly("memory reindex");
    openly(&format!("memory forget --yes {}", tea.trim()));
    let mut served = house.carl().typed("umask 000; exec carl serve").spawn();
    served.until("serving at");
    let open = open_to_others(&house);
    served.kill();
    assert_eq!(open, nothing);
}

#[test]
fn a_foreign_project_can_neither_draw_on_the_terminal_nor_show_other_files() {
    let house = House::new();
    house.write(
        ".housecarl.toml",
        "\"\\u001b]0;PWN\\u0007\" = 1\n# \u{1b}[2J\n",
    );
    let told = by_rules(&house, &[], "list files").expect(2);
    assert!(!told.stderr.contains('\u{1b}'), "{:?}", told.stderr);
    let house = House::new();
    let secret = house.home().join("secret.txt");
    std::fs::write(&secret, "TOPSECRET = not toml").unwrap();
    std::os::unix::fs::symlink(&secret, house.work().join(".housecarl.toml")).unwrap();
    let told = by_rules(&house, &[], "list files");
    assert_ne!(told.code, Some(0));
    assert!(!told.stderr.contains("TOPSECRET"), "{}", told.stderr);
    let house = House::new();
    house.write(".housecarl.toml", "disabled_tools = [\"list_files\"]\n");
    by_rules(&house, &[], "list files").expect(5);
}

#[test]
fn two_commands_at_one_time_both_do_their_work() {
    let house = House::new();
    let args = ["run", "--mode", "deterministic", "list files"];
    // Each serves the others while it works, so that some find one that is about to end.
    for _ in 0..4 {
        let running: Vec<_> = (0..4).map(|_| house.ask(args).spawn()).collect();
        for one in running {
            one.finish().expect(0);
        }
    }
}

#[test]
fn an_undo_leaves_the_type_of_the_sessions_agent_alone() {
    let house = House::new();
    let args = [
        "--agent",
        "sysadmin",
        "--allow-write",
        ".",
        "--yes",
        "write",
    ];
    let task = "create a.txt containing one";
    let made = house
        .ask(["run", "--json", "--mode", "deterministic"])
        .args(args)
        .arg(task)
        .run()
        .expect(0);
    assert!(house.has("a.txt"));
    house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!house.has("a.txt"));
    let id = made.json()["session_id"].as_str().unwrap().to_owned();
    let log = house.session_log(&id);
    let profiles: Vec<&serde_json::Value> = log
        .iter()
        .map(|event| &event["profile"]["agent_type"])
        .filter(|kind| !kind.is_null())
        .collect();
    assert!(
        profiles.len() > 1 && profiles.iter().all(|kind| *kind == "sysadmin"),
        "{profiles:?}"
    );
}

#[test]
fn a_damaged_log_says_what_to_type_and_that_works() {
    let house = House::new();
    let args = ["run", "--json", "--mode", "deterministic", "list files"];
    let made = house.ask(args).run().expect(0).json();
    let id = made["session_id"].as_str().unwrap().to_owned();
    let path = &house.session_logs()[0];
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let damaged = lines.len() - 1;
    lines[damaged - 1] = "no event";
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
    for asked in [["session", "show", &id], ["session", "fork", &id]] {
        let told = house.ask(asked).run().expect(4).stderr;
        let command = format!("carl session fork {id} --at {}", damaged - 1);
        assert!(told.contains(&command), "{told}");
    }
    let at = (damaged - 1).to_string();
    let forked = house.ask(["session", "fork", &id, "--at", &at]).run();
    let copy = forked.expect(0).stdout;
    house.ask(["session", "show", copy.trim()]).run().expect(0);
}

#[test]
fn a_continued_session_stays_in_its_folder() {
    let house = House::new();
    house.write("here.txt", "x");
    let first = house
        .ask(["run", "--json", "--mode", "deterministic", "list files"])
        .run();
    let id = first.json()["session_id"].as_str().unwrap().to_owned();
    let elsewhere = house.home();
    let again = house
        .ask([
            "run",
            "--mode",
            "deterministic",
            "--session-id",
            &id,
            "list files",
        ])
        .current_dir(&elsewhere)
        .run()
        .expect(0);
    assert!(again.stdout.contains("here.txt"), "{}", again.stdout);
}

#[test]
fn what_is_opened_and_read_is_seen_from_the_folder_of_c() {
    let house = House::new();
    house.write("in/task.md", "create a.txt containing one");
    let flags = [&["-C", "in"] as &[&str], &WRITES].concat();
    by_rules(&house, &flags, "@task.md").expect(0);
    assert_eq!(house.read("in/a.txt").trim_end(), "one");
    // The folder that it was started in stays closed, and is open where it is named.
    let beside = "create ../b.txt containing two";
    by_rules(&house, &flags, beside).expect(5);
    assert!(!house.has("b.txt"));
    let flags = ["-C", "in", "--allow-write", "..", "--yes", "write"];
    by_rules(&house, &flags, beside).expect(0);
    assert!(house.has("b.txt"));
}

#[test]
fn nothing_is_served_without_a_lock_unasked() {
    let house = House::new();
    house
        .ask(["serve", "--listen", "tcp:127.0.0.1:0"])
        .run()
        .expect(2);
    let mut served = house.ask(["serve"]).spawn();
    served.until("serving at");
    by_rules(&house, &[], "list files").expect(0);
    by_rules(&house, &["--air-gap"], "list files").expect(2);
    by_rules(&house, &["--provider", "ollama"], "list files").expect(2);
    served.kill();
}

#[test]
fn an_open_gate_is_announced_before_anything_runs() {
    let house = House::new();
    let told = by_rules(&house, &["--override", "all"], "list files").expect(0);
    assert!(told.stderr.contains("override all"), "{}", told.stderr);
    let told = by_rules(&house, &[], "list files").expect(0);
    assert!(!told.stderr.contains("override"), "{}", told.stderr);
}

#[test]
fn a_state_folder_that_cannot_be_made_is_told_with_what_to_look_at() {
    let house = House::new();
    // Nobody makes folders there.
    let run = house.ask(["run", "--mode", "deterministic", "list files"]);
    let told = run
        .env("XDG_STATE_HOME", "/sys/state")
        .run()
        .expect(4)
        .stderr;
    assert!(
        told.contains("/sys/state/housecarl cannot be made"),
        "{told}"
    );
    let is_advised = ["permissions allow", "mounted for reading"];
    assert!(
        is_advised.iter().any(|advice| told.contains(advice)),
        "{told}"
    );
}
