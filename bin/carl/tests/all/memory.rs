//! `carl memory` as it is typed: what is kept is found, corrected, carried elsewhere and forgotten.

use std::path::Path;
use std::process::{Command, Output};

fn memory(home: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carl"))
        .arg("memory")
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("NO_COLOR", "1")
        .env("CARL_MODELS__AIR_GAP", "true")
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    text
}

fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_preference_is_kept_found_corrected_and_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let black = "I take my coffee black, without sugar.";
    let id = said(&memory(home, &["add", black])).trim().to_owned();
    let again = memory(home, &["add", "I take my coffee black without sugar"]);
    assert_eq!(said(&again).trim(), id);
    let found = said(&memory(
        home,
        &["search", "How do I like my coffee?", "--explain"],
    ));
    assert!(found.contains(black) && found.contains("stage"), "{found}");

    let milk = "I take my coffee with milk.";
    said(&memory(home, &["add", "--supersedes", &id, milk]));
    let found = said(&memory(home, &["search", "How do I like my coffee?"]));
    assert!(found.contains(milk) && !found.contains(black), "{found}");
    let shown = said(&memory(home, &["show", &id]));
    assert!(shown.contains("corrected by"), "{shown}");

    let secret = memory(home, &["add", "my password is hunter2"]);
    let told = refused(&secret, 2);
    assert!(
        told.contains("carl secret set") && !told.contains("hunter2"),
        "{told}"
    );
    let told = refused(&memory(home, &["forget", &id]), 2);
    assert!(told.contains("--yes"), "{told}");
    let told = said(&memory(home, &["forget", &id, "--yes"]));
    assert!(told.contains("nothing of the text is left"), "{told}");
    refused(&memory(home, &["show", &id]), 2);
}

#[test]
fn a_list_can_be_of_the_newest_alone() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for text in [
        "The gate is green.",
        "The fence is blue.",
        "The door is red.",
    ] {
        said(&memory(home, &["add", text]));
    }
    let listed = memory(home, &["list", "-n", "2"]);
    let shown = said(&listed);
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.contains("fence") && shown.contains("door"), "{shown}");
    let told = String::from_utf8_lossy(&listed.stderr).into_owned();
    assert!(told.contains("1 older are left out"), "{told}");
    assert_eq!(said(&memory(home, &["list"])).lines().count(), 3);
}

#[test]
fn forgetting_names_the_entries_that_still_say_the_same() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let id = said(&memory(home, &["add", "My cat is called Minka."]));
    let quoting = "She asked me: what if my cat is called  minka, and yours Tom?";
    let other = said(&memory(home, &["add", quoting]));
    said(&memory(home, &["add", "The fence is blue."]));
    let told = said(&memory(home, &["forget", id.trim(), "--yes"]));
    assert!(!told.contains("nothing of the text is left"), "{told}");
    assert!(
        told.contains("1 entry holds the same words and stays until you forget it as well"),
        "{told}"
    );
    let command = format!("carl memory forget --yes {}", other.trim());
    assert!(told.contains(&command), "{told}");
    let told = said(&memory(home, &["forget", other.trim(), "--yes"]));
    assert!(told.contains("nothing of the text is left"), "{told}");
}

#[test]
fn an_export_is_imported_elsewhere_and_a_bad_line_imports_nothing() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    said(&memory(
        home.path(),
        &["add", "The gate is green.", "--namespace", "project"],
    ));
    said(&memory(
        home.path(),
        &["add", "The fence is blue.", "--tag", "garden"],
    ));
    let lines = said(&memory(home.path(), &["export"]));
    assert_eq!(lines.lines().count(), 2);

    let file = other.path().join("lines");
    std::fs::write(
        &file,
        format!("{lines}{{\"kind\":\"memory\",\"name\":3}}\n"),
    )
    .unwrap();
    let told = refused(&memory(other.path(), &["import", "lines"]), 2);
    assert!(told.contains("line 3: field `name`"), "{told}");
    assert_eq!(said(&memory(other.path(), &["list"])), "");

    std::fs::write(&file, &lines).unwrap();
    let told = said(&memory(other.path(), &["import", "lines"]));
    assert!(told.contains("2 entries: 2 added"), "{told}");
    assert_eq!(said(&memory(other.path(), &["export"])), lines);
    let told = said(&memory(other.path(), &["import", "lines"]));
    assert!(told.contains("2 already there"), "{told}");
    std::fs::write(&file, lines.replace("is blue.", "is red.")).unwrap();
    let told = memory(other.path(), &["import", "lines"]);
    refused(&told, 3);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        told.contains("1 already there, 1 differs and stays as it is, 0 refused"),
        "{told}"
    );
    let found = said(&memory(other.path(), &["search", "fence", "--json"]));
    assert!(found.contains("The fence is blue."), "{found}");
}

#[test]
fn a_hostile_file_is_refused_by_line_and_field_before_anything_is_kept() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    said(&memory(home.path(), &["add", "The gate is green."]));
    let line = said(&memory(home.path(), &["export"]));
    let home = other.path();
    let with = |from: &str, to: &str| {
        assert!(line.contains(from), "{line}");
        format!("{line}{}", line.replace(from, to)).into_bytes()
    };
    let user = "\"namespace\":\"user\"";
    let corrected = "\"superseded_by\":\"00000000-0000-7000-8000-000000000000\"";
    for (bytes, told) in [
        (with("green", "\\ud800"), "line 2: it is no JSON object"),
        (with("green", "\0"), "line 2: it is no JSON object"),
        (
            with(user, "\"namespace\":\"project:x\""),
            "line 2: field `namespace`",
        ),
        (
            with(user, "\"namespace\":\"agent:A B\""),
            "line 2: field `namespace`",
        ),
        (
            with("\"superseded_by\":null", corrected),
            "line 2: field `valid_until`",
        ),
        (
            with("{\"id\"", "{\"source\":\"user\",\"id\""),
            "line 2: field `source`: is there twice",
        ),
        (ring(&line), "line 2: field `superseded_by`"),
        (
            [line.as_bytes(), b"\"\xff\""].concat(),
            "line 2: it is no text",
        ),
        (
            "[".repeat(100_000).into_bytes(),
            "line 1: it is no JSON object",
        ),
        ("x\n".repeat(10_000).into_bytes(), "and 9980 more lines"),
    ] {
        std::fs::write(home.join("lines"), bytes).unwrap();
        let said = refused(&memory(home, &["import", "lines"]), 2);
        assert!(said.contains(told), "{said}");
    }
    let hole = std::fs::File::create(home.join("lines")).unwrap();
    hole.set_len(1 << 30).unwrap();
    let said = refused(&memory(home, &["import", "lines"]), 2);
    assert!(said.contains("lines is larger than 256 MiB"), "{said}");
    assert_eq!(self::said(&memory(home, &["list"])), "");
}

/// Two entries that correct each other.
fn ring(line: &str) -> Vec<u8> {
    let id = |end: u8| format!("00000000-0000-7000-8000-00000000000{end}");
    let entry = |own: u8, by: u8| {
        let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
        entry["id"] = id(own).into();
        entry["superseded_by"] = id(by).into();
        entry["valid_until"] = entry["created_at"].clone();
        format!("{entry}\n")
    };
    format!("{}{}", entry(1, 2), entry(2, 1)).into_bytes()
}

#[test]
fn what_was_typed_wrongly_is_a_mistake_of_usage_that_names_it() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let id = said(&memory(home, &["add", "The gate is green."]));
    let id = id.trim();
    let told = refused(&memory(home, &["add", ""]), 2);
    assert!(told.contains("the text says nothing"), "{told}");
    let told = refused(&memory(home, &["add", "my password is hunter2"]), 2);
    assert!(told.contains("the text holds"), "{told}");
    let told = refused(&memory(home, &["add", "The door.", "--tag", ""]), 2);
    assert!(told.contains("--tag"), "{told}");
    refused(&memory(home, &["search", ""]), 2);
    let unknown = "00000000-0000-7000-8000-000000000000";
    refused(&memory(home, &["show", unknown]), 2);
    refused(&memory(home, &["forget", unknown, "--yes"]), 2);
    let told = refused(&memory(home, &["show", "abc"]), 2);
    assert!(told.contains("4 characters"), "{told}");

    for part in [&id[24..], &format!("…{}", &id[24..]), &id[..8]] {
        let shown = said(&memory(home, &["show", part]));
        assert!(shown.contains(id), "{shown}");
    }
    std::fs::write(home.join("there"), "").unwrap();
    let told = refused(&memory(home, &["export", "there"]), 2);
    assert!(
        told.contains("already exists") && told.contains("another file"),
        "{told}"
    );
    refused(&memory(home, &["import", "nowhere"]), 2);
    let told = memory(home, &["import", "there"]);
    assert!(String::from_utf8_lossy(&told.stderr).contains("No entry"));

    let other = memory(home, &["list", "--kind", "engram"]);
    let told = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(told.contains("of the kind"), "{told}");
    let told = said(&memory(home, &["stats"]));
    assert!(told.starts_with("1 memory and 0 conversations; "), "{told}");
    assert!(!told.contains("none: "), "{told}");
}

#[test]
fn an_id_that_may_mean_several_lists_them() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    // Ids begin with the time: two that are made together begin alike.
    let first = said(&memory(home, &["add", "The gate is green."]));
    said(&memory(home, &["add", "The fence is blue."]));
    let told = refused(&memory(home, &["show", &first[..5]]), 2);
    assert!(
        told.contains("The gate") && told.contains("The fence"),
        "{told}"
    );
}

#[test]
fn a_setting_of_finding_that_makes_no_sense_is_named() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/housecarl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("config.toml"),
        "[memory.finding.weights]\nlexical = nan\n",
    )
    .unwrap();
    let told = refused(&memory(home.path(), &["stats"]), 2);
    assert!(told.contains("memory.finding.weights.lexical"), "{told}");
}

#[test]
fn what_the_index_lacks_is_said_once_and_no_model_is_no_news() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    said(&memory(home, &["add", "I take my coffee black."]));
    let search = ["search", "How do I take my coffee?"];
    let told = |output: Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(told(memory(home, &search)), "");
    let words = walk(home).into_iter().find(|path| path.ends_with("words"));
    std::fs::remove_dir_all(words.unwrap()).unwrap();
    let output = memory(home, &search);
    assert!(said(&output).contains("coffee black"));
    assert!(told(output).contains("The index of words: made anew: "));
    let later = (0..20).find(|_| told(memory(home, &search)).is_empty());
    assert!(later.is_some(), "it is made anew at last");
}

#[test]
fn what_is_imported_at_one_time_is_found_by_its_words() {
    let (home, lines) = (tempfile::tempdir().unwrap(), 2_500);
    let home = home.path();
    said(&memory(home, &["add", "Locker zero holds zithers."]));
    let line = said(&memory(home, &["export"]));
    let all: String = (0..lines)
        .map(|number| {
            let id = format!("00000000-0000-4000-8000-{number:012x}");
            let mut entry: serde_json::Value = serde_json::from_str(line.trim()).unwrap();
            entry["id"] = id.into();
            entry["text"] = format!("Locker {number} holds item{number}x.").into();
            format!("{entry}\n")
        })
        .collect();
    std::fs::write(home.join("many.jsonl"), all).unwrap();
    said(&memory(home, &["import", "many.jsonl"]));
    let found = memory(home, &["search", "item2499x", "-n", "1"]);
    assert!(said(&found).contains("item2499x"), "{found:?}");
    let stats = said(&memory(home, &["stats"]));
    assert!(stats.contains("Index lexical: 2501 of 2501"), "{stats}");
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        }
        found.push(path);
    }
    found
}

#[test]
fn a_type_of_agents_is_a_name_and_no_path() {
    let home = tempfile::tempdir().unwrap();
    for namespace in ["agent:../../x", "agent:", "agent:Coder"] {
        let output = memory(home.path(), &["add", "--namespace", namespace, "Plums."]);
        let told = refused(&output, 2);
        assert!(told.contains("--namespace: "), "{told}");
    }
    said(&memory(
        home.path(),
        &["add", "--namespace", "agent:coder", "Plums."],
    ));
}

#[test]
fn another_writer_is_waited_for() {
    let home = tempfile::tempdir().unwrap();
    said(&memory(home.path(), &["add", "Plums are ripe in August."]));
    let lock = walk(home.path())
        .into_iter()
        .find(|path| path.ends_with("audit/lock"));
    let lock = std::fs::File::open(lock.unwrap()).unwrap();
    // One that opens memory alone, and one that opens everything.
    for args in [
        &["memory", "add", "Pears are ripe in September."][..],
        &["run", "--mode", "deterministic", "recall plums"],
    ] {
        lock.lock().unwrap();
        let mut waiting = Command::new(env!("CARGO_BIN_EXE_carl"))
            .args(args)
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .env("CARL_MODELS__AIR_GAP", "true")
            .stdin(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = String::new();
        let mut stderr = std::io::BufReader::new(waiting.stderr.take().unwrap());
        std::io::BufRead::read_line(&mut stderr, &mut told).unwrap();
        assert!(
            told.starts_with("Waiting up to 5 seconds: the audit log"),
            "{args:?}: {told}"
        );
        lock.unlock().unwrap();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut stderr, &mut rest).unwrap();
        assert!(waiting.wait().unwrap().success(), "{args:?}: {rest}");
    }
}
