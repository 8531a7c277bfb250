//! Keys and passwords deep in folders that may only be read, and by other names of theirs.

use attacks::script::{Call, recast, results, statuses};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use testkit::House;

const SECRET: &str = "the-silver-is-under-the-stairs";
/// An agent that reads the home and changes nothing of it.
const READER: [&str; 5] = ["--agent", "sysadmin", "--yes", "exec", "do it"];

fn at_home(house: &House, name: &str, content: &str) -> String {
    let file = house.home().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, content).unwrap();
    file.to_string_lossy().into_owned()
}

fn shell(script: String) -> Call<'static> {
    ("run_command", json!({"argv": ["sh", "-c", script]}))
}

#[test]
fn no_command_sees_keys_deep_in_readable_folders() {
    let house = House::new();
    let keys = [
        "other/sub/.netrc",
        "other/.ssh/id_rsa",
        "other/deep/er/.docker/config.json",
        "backup/home/.aws/credentials",
        "backup/old/.config/gh/hosts.yml",
    ];
    let home = house.home().to_string_lossy().into_owned();
    let plain = at_home(&house, "other/deep/er/.docker/notes", "plain notes");
    let paths = keys.map(|key| at_home(&house, key, SECRET));
    let script = format!(
        "cat {plain} {}; grep -rs silver {home}; true",
        paths.join(" ")
    );
    let mut calls = vec![shell(script)];
    // The control: the file tools refuse each as well.
    calls.extend(paths.map(|path| ("read_file", json!({"path": path}))));
    let scene = recast(house, &calls);
    let outcome = scene.run(&READER);
    let shown = results(&scene, &outcome);
    let wanted = [&["ok"][..], &["denied"; 5]].concat();
    assert_eq!(statuses(&outcome), wanted, "{shown:#?}");
    assert!(!shown.concat().contains(SECRET), "{shown:#?}");
    assert!(shown[0].contains("plain notes"), "{}", shown[0]);
}

#[test]
fn a_large_home_costs_a_command_no_question() {
    let house = House::new();
    for folder in 0..200 {
        for inner in 0..5 {
            let folder = format!("large/{folder}/{inner}/a/b");
            let file = at_home(&house, &format!("{folder}/file0"), "x");
            let folder = std::path::Path::new(&file).parent().unwrap();
            for number in 1..20 {
                fs::write(folder.join(format!("file{number}")), "x").unwrap();
            }
        }
    }
    house.write("notes.txt", "mine\n");
    let count = format!(
        "cat notes.txt; find {}/large -type f | wc -l",
        house.home().display()
    );
    let scene = recast(house, &[shell(count)]);
    let outcome = scene.run(&READER);
    let shown = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), ["ok"], "{shown:?}");
    assert!(shown[0].contains("mine\n20000"), "{shown:?}");
}

/// Programs may run, and files be changed, in the working folder.
const OPEN: [&str; 7] = [
    "--agent",
    "sysadmin",
    "--allow-write",
    ".",
    "--yes",
    "write,exec",
    "do it",
];

#[test]
fn keys_with_endless_names_are_refused_at_once() {
    let house = House::new();
    let mut folder = house.work();
    for _level in 0..12 {
        folder.push("n".repeat(250));
    }
    fs::create_dir_all(&folder).unwrap();
    for number in 0..3_000 {
        fs::write(folder.join(format!("{number}.kdbx")), SECRET).unwrap();
    }
    let job = ("start_job", json!({"name": "waits", "argv": ["true"]}));
    let hello = || shell("echo hello".to_owned());
    let mut scene = recast(house, &[]);
    let ends = ("job_output", json!({"job": "waits", "wait_seconds": 60}));
    for calls in [vec![hello()], vec![job, ends]] {
        scene = recast(scene.house, &calls);
        let outcome = scene.run(&OPEN);
        let told = results(&scene, &outcome).concat();
        assert!(told.contains("Nothing was run"), "{told}");
        assert!(told.contains("look at that folder"), "{told}");
    }
    // Without them the same runs.
    fs::remove_dir_all(scene.house.work().join("n".repeat(250))).unwrap();
    let scene = recast(scene.house, &[hello()]);
    let outcome = scene.run(&OPEN);
    assert_eq!(statuses(&outcome), ["ok"]);
}

#[test]
fn a_name_that_is_no_text_stops_no_command() {
    let house = House::new();
    let key = OsStr::from_bytes(b"a\xff\xc3.kdbx");
    fs::write(house.work().join(key), SECRET).unwrap();
    house.write("nöte.txt", "mine\n");
    let scene = recast(house, &[shell("cat *.txt *.kdbx".to_owned())]);
    let outcome = scene.run(&OPEN);
    let shown = results(&scene, &outcome).concat();
    assert_eq!(statuses(&outcome), ["ok"], "{shown}");
    assert!(shown.contains("mine") && !shown.contains(SECRET), "{shown}");
}

/// Makes a folder whose path has so many bytes, by steps: a path of that length cannot be given whole.
const LONG: &str = "import os, sys\nleft = int(sys.argv[2]) - len(sys.argv[1])\nos.chdir(sys.argv[1])\n\
                    while left > 0:\n n = min(left - 1, 200)\n n -= left - 1 - n == 1\n \
                    os.mkdir('n' * n); os.chdir('n' * n); left -= n + 1\n";

fn furnish_long(folder: &std::path::Path, bytes: usize, then: &str) {
    let script = format!("{LONG}{then}");
    let made = std::process::Command::new("python3")
        .args(["-c", &script, folder.to_str().unwrap(), &bytes.to_string()])
        .status();
    assert!(made.unwrap().success());
}

#[test]
fn a_place_with_the_longest_path_is_neither_shown_nor_in_the_way() {
    // A key in what may be read, one in what may be written, and a repository there.
    for (in_work, then, bytes) in [
        (false, "open('id_rsa', 'w').write(SECRET)", 4_086),
        (true, "open('id_rsa', 'w').write(SECRET)", 4_086),
        (true, "os.mkdir('.git')", 4_089),
        (false, "open('id_rsa', 'w').write(SECRET)", 3_000),
    ] {
        let house = House::new();
        let folder = match in_work {
            true => house.work(),
            false => house.home(),
        };
        let then = then.replace("SECRET", &format!("'{SECRET}'"));
        furnish_long(&folder, bytes, &then);
        let down = "while d=$(ls -d n* 2>/dev/null) && [ -n \"$d\" ]; do cd -P $d || break; done";
        let script = format!("echo hello; cd {}; {down}; cat id_rsa", folder.display());
        let scene = recast(house, &[shell(script)]);
        let outcome = scene.run(&OPEN);
        let shown = results(&scene, &outcome).concat();
        assert!(shown.contains("hello"), "{in_work} {bytes}: {shown}");
        assert!(!shown.contains(SECRET), "{in_work} {bytes}: {shown}");
    }
}

#[test]
fn a_protected_place_in_a_folder_that_is_no_text_stays() {
    let house = House::new();
    let folder = house.work().join(OsStr::from_bytes(b"Entw\xfcrfe"));
    fs::create_dir_all(folder.join(".vscode")).unwrap();
    fs::write(folder.join(".vscode/tasks.json"), "{}").unwrap();
    fs::write(folder.join("id_rsa"), SECRET).unwrap();
    let first =
        "cd Entw*; cat id_rsa; echo x > .vscode/tasks.json; mkdir .git; echo mine > plain; true";
    let mut scene = recast(house, &[]);
    for script in [first, "cd Entw*; cat id_rsa plain; true"] {
        scene = recast(scene.house, &[shell(script.to_owned())]);
        let outcome = scene.run(&OPEN);
        let shown = results(&scene, &outcome).concat();
        assert_eq!(statuses(&outcome), ["ok"], "{shown}");
        assert!(!shown.contains(SECRET), "{shown}");
        assert_eq!(shown.contains("mine"), script != first, "{shown}");
    }
    let tasks = fs::read_to_string(folder.join(".vscode/tasks.json"));
    assert!(tasks.unwrap() == "{}" && !folder.join(".git").exists());
}
