//! Files of the state folder that the user may not read, as a command with sudo or a backup that root put
//! back leaves them.

use scenarios::Scene;
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use testkit::{Carl, House, Reply};

/// Has nobody read or write it but the system's administrator.
fn close(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o000)).unwrap();
}

fn ask<'a>(house: &House, args: impl IntoIterator<Item = &'a str>) -> Carl {
    house.ask(args).without_roots_rights()
}

#[test]
fn a_session_log_that_may_not_be_read_is_said_to_be_there() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let house = &scene.house;
    scene.run(&["hello"]).assert_ends(0, "success");
    let log = house.session_logs().remove(0);
    let id = log.file_stem().unwrap().to_str().unwrap();
    close(&log);
    let index = log.with_file_name("index.json");
    let _never_listed = fs::remove_file(index);
    let listed = ask(house, ["session", "list"]).run().expect(0).stdout;
    assert!(listed.contains(id), "{listed}");
    assert!(
        listed.contains("cannot be read: Permission denied"),
        "{listed}"
    );
    let file = log.display().to_string();
    let named = [
        vec!["session", "show", id],
        vec!["session", "export", id],
        vec!["run", "--session-id", id, "go on"],
    ];
    for args in named {
        let told = ask(house, args.clone()).run().expect(4).stderr;
        let cause = format!("{file} cannot be read: Permission denied");
        assert!(told.contains(&cause), "{args:?}: {told}");
    }
    let last = ["run", "--session-id", "last", "go on"];
    let told = ask(house, last).run().expect(2).stderr;
    assert!(told.contains("cannot be read"), "{told}");
}

#[test]
fn doctor_names_what_belongs_to_somebody_else() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let house = &scene.house;
    scene.run(&["hello"]).assert_ends(0, "success");
    let told = house.ask(["doctor"]).run().stdout;
    assert!(!told.contains("not yours"), "{told}");
    let log = house.session_logs().remove(0);
    // Only root can give a file away.
    if chown(&log, Some(4_242), None).is_err() {
        return;
    }
    let told = house.ask(["doctor"]).run().stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = format!("not yours: {}", log.display());
    assert!(told.contains(&note), "{told}");
    assert!(told.contains("sudo chown -R"), "{told}");
}

#[test]
fn a_key_or_history_that_may_not_be_read_is_no_lost_one() {
    let arguments = json!({"path": "new.txt", "content": "x", "mode": "create"});
    let scene = Scene::new([Reply::call("write_file", arguments), Reply::text("Done.")]);
    let house = &scene.house;
    let write = ["--yes", "write", "--allow-write", ".", "make new.txt"];
    scene.run(&write).assert_ends(0, "success");
    let history = fs::read_dir(house.state().join("undo")).unwrap().next();
    close(&history.unwrap().unwrap().path());
    let told = ask(house, ["undo"]).run().expect(4).stderr;
    assert!(told.contains("sudo chown -R"), "{told}");
    assert!(!told.contains("backup"), "{told}");
    let keys = fs::read_dir(house.state().join("keys")).unwrap();
    let keys = keys.map(|key| key.unwrap().path());
    let is_audit = |key: &std::path::PathBuf| key.to_string_lossy().contains("/audit-");
    close(&keys.into_iter().find(is_audit).unwrap());
    let told = ask(house, ["run", "hello"]).run().expect(4).stderr;
    assert!(told.contains("audit.key"), "{told}");
    assert!(told.contains("sudo chown"), "{told}");
    assert!(!told.contains("archive"), "{told}");
}
