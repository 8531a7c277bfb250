//! A folder that the user opened is that folder, whatever an agent makes of its name.

use attacks::script::{Call, OPEN, do_it, recast, results, scene, statuses};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use testkit::House;

const PRIVATE: &str = "THE-PRIVATE-TEXT";

fn shell(script: &str) -> Call<'static> {
    ("run_command", json!({"argv": ["/bin/sh", "-c", script]}))
}

fn moves(from: &str, to: &str) -> Call<'static> {
    ("move_file", json!({"from": from, "to": to}))
}

fn reads(path: &str) -> Call<'static> {
    ("read_file", json!({"path": path}))
}

fn writes(path: &str) -> Call<'static> {
    ("write_file", json!({"path": path, "content": "planted"}))
}

/// A house with a folder beside the work that nobody opened, and a link to it in the work.
fn house() -> House {
    let house = House::new();
    let victim = house.home().join("victim");
    fs::create_dir_all(&victim).unwrap();
    fs::write(victim.join("private.txt"), PRIVATE).unwrap();
    house.write("src/main.c", "");
    house.write("assets/note", "");
    symlink(&victim, house.work().join("assets/link")).unwrap();
    house
}

#[test]
fn an_opened_folder_is_not_exchanged_for_a_link() {
    let calls = [
        moves("src", "src2"),
        moves("assets/link", "src"),
        reads("src/private.txt"),
        writes("src/new.txt"),
        writes("other.txt"),
    ];
    let scene = recast(house(), &calls);
    let outcome = do_it(&scene, &[&OPEN[..], &["--allow-write", "src"]].concat());
    let told = results(&scene, &outcome).concat();
    assert!(!told.contains(PRIVATE), "{told}");
    assert!(
        !scene.house.home().join("victim/new.txt").exists(),
        "{told}"
    );
    // What is in the folder is still worked on.
    assert_eq!(&statuses(&outcome)[3..], ["ok", "ok"], "{told}");
    assert!(scene.house.has("src/new.txt") && scene.house.has("src/main.c"));
}

#[test]
fn an_opened_folder_that_was_missing_is_no_link_that_a_command_made() {
    let house = house();
    let victim = house.home().join("victim");
    let place = victim.display();
    let calls = [
        shell(&format!("ln -s {place} out")),
        writes("out/new.txt"),
        reads("out/private.txt"),
        shell(&format!(
            "cat {place}/private.txt; echo planted > {place}/new.txt; true"
        )),
    ];
    let scene = recast(house, &calls);
    let outcome = do_it(&scene, &[&OPEN[..], &["--allow-write", "out"]].concat());
    let told = results(&scene, &outcome).concat();
    assert!(
        !told.contains(PRIVATE) && !victim.join("new.txt").exists(),
        "{told}"
    );
}

#[test]
fn a_child_with_one_folder_follows_no_link_that_its_parent_made() {
    let victim = House::new();
    let group = victim.work().join("group");
    fs::create_dir_all(group.join("x")).unwrap();
    let private = victim.home().join("private");
    fs::create_dir_all(&private).unwrap();
    fs::write(private.join("private.txt"), PRIVATE).unwrap();
    let script = format!(
        "cd {}; mv group g2 && mkdir group && ln -s {} group/x; true",
        victim.work().display(),
        private.display()
    );
    let task = json!({"type": "researcher", "task": "look", "acceptance": "told"});
    let calls = [
        shell(&script),
        ("spawn_agents", json!({"agents": [task]})),
        reads("private.txt"),
    ];
    let scene = recast(victim, &calls);
    let opened = scene.house.work().to_string_lossy().into_owned();
    let folder = group.join("x").to_string_lossy().into_owned();
    let flags = [
        "--agent",
        "sysadmin",
        "--yes",
        "exec,write",
        "--allow-write",
        &opened,
        "-C",
        &folder,
    ];
    let outcome = do_it(&scene, &flags);
    let sent: String = scene
        .server
        .chats()
        .iter()
        .map(|chat| chat.body.to_string())
        .collect();
    assert!(!sent.contains(PRIVATE), "{:#}", outcome.summary);
}

#[test]
fn the_working_folder_stays_where_another_opened_folder_holds_it() {
    let house = house();
    let above = house.work().parent().unwrap().to_owned();
    let to = above.join("elsewhere").to_string_lossy().into_owned();
    let from = house.work().to_string_lossy().into_owned();
    let scene = recast(house, &[moves(&from, &to)]);
    let opened = above.to_string_lossy().into_owned();
    let outcome = do_it(&scene, &["--yes", "write", "--allow-write", &opened]);
    assert_ne!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    assert!(scene.house.has("src/main.c"));
}

#[test]
fn a_folder_that_the_user_opened_by_a_link_is_worked_in() {
    let house = house();
    let real = house.home().join("real");
    fs::create_dir_all(&real).unwrap();
    let link = house.home().join("link");
    symlink(&real, &link).unwrap();
    let place = real.join("a.txt").to_string_lossy().into_owned();
    let scene = recast(house, &[writes(&place), writes("b.txt")]);
    let link = link.to_string_lossy().into_owned();
    let outcome = do_it(&scene, &[&OPEN[..], &["--allow-write", &link]].concat());
    assert_eq!(statuses(&outcome), ["ok", "ok"], "{:#}", outcome.summary);
    assert!(real.join("a.txt").exists());
}

#[test]
fn a_command_works_in_a_folder_whose_name_is_a_link_of_the_users() {
    let house = house();
    let real = house.home().join("elsewhere");
    fs::create_dir_all(real.join("x/.git")).unwrap();
    fs::write(real.join("x/.git/config"), "[core]\n").unwrap();
    // What the agent may write as shipped is a link here.
    symlink(&real, house.home().join("projects")).unwrap();
    let place = house.home().join("projects/x");
    let place = place.display();
    let script = format!("echo made > {place}/made; echo planted >> {place}/.git/config; true");
    let scene = recast(house, &[shell(&script)]);
    let outcome = do_it(&scene, &OPEN);
    let told = results(&scene, &outcome).concat();
    assert!(real.join("x/made").exists(), "{told}");
    let config = fs::read_to_string(real.join("x/.git/config")).unwrap();
    assert_eq!(config, "[core]\n", "{told}");
}

/// What a user names in a cloned repository is the repository's, and no file of the user's elsewhere.
#[test]
fn a_shipped_link_brings_no_file_from_elsewhere_into_a_task() {
    let house = house();
    let victim = house.home().join("victim/private.txt");
    symlink(&victim, house.work().join("data.txt")).unwrap();
    house.write("docs/real.txt", "the honest data");
    symlink("docs/real.txt", house.work().join("near.txt")).unwrap();
    let scene = recast(house, &[reads("docs/real.txt")]);
    for args in [
        &["run", "sum up", "--input", "data.txt"][..],
        &["run", "@data.txt"],
    ] {
        let refused = scene.house.ask(args.iter().copied()).run().expect(2);
        assert!(
            refused.stderr.contains("victim/private.txt"),
            "{refused:#?}"
        );
    }
    assert!(scene.server.chats().is_empty());
    let near = ["run", "sum up", "--input", "near.txt"];
    let _near = scene.house.ask(near).run();
    assert!(scene.told().contains("the honest data"));
}

/// What an agent may write as shipped, with an agent that may use one folder of it.
const WRITER: &str = "agents:
  writer:
    description: writes the site
    model_role: fast
    allowed_tools: [self, fs_read, fs_write]
    allowed_paths:
      fs_read: [~/projects/site]
      fs_write: [~/projects/site]
";

#[test]
fn a_link_that_an_agent_left_opens_nothing_to_a_later_command() {
    let house = house();
    let site = house.home().join("projects/site");
    fs::create_dir_all(&site).unwrap();
    let config = house.home().join(".config/housecarl");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("agents.yaml"), WRITER).unwrap();
    let place = site.display();
    let writer = ["--agent", "writer", "--yes", "write", "do it"];
    let scene = recast(house, &[writes(&format!("{place}/a.txt"))]);
    let outcome = scene.run(&writer);
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    let script = format!("mv {place} {place}.old; ln -s ../victim {place}");
    let scene = recast(scene.house, &[shell(&script)]);
    let outcome = scene.run(&["--agent", "sysadmin", "--yes", "exec", "do it"]);
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    assert!(site.is_symlink());
    let calls = [
        reads(&format!("{place}/private.txt")),
        writes(&format!("{place}/new.txt")),
    ];
    let scene = recast(scene.house, &calls);
    let outcome = scene.run(&writer);
    let told = results(&scene, &outcome).concat();
    assert!(!told.contains(PRIVATE), "{told}");
    assert!(!scene.house.home().join("victim/new.txt").exists());
}

#[test]
fn a_session_goes_on_in_no_folder_that_a_link_leads_to_since() {
    let house = house();
    let folder = house.work().join("project");
    fs::create_dir_all(&folder).unwrap();
    let scene = recast(house, &[reads("none")]);
    let begun = scene.run(&["-C", "project", "look"]);
    let id = begun.text("session_id");
    let goes_on = ["run", "--session-id", id, "look"];
    let honest = scene.house.ask(goes_on).run().expect(0);
    assert!(!honest.stderr.contains("by a link"), "{honest:#?}");
    fs::rename(&folder, folder.with_extension("old")).unwrap();
    symlink(scene.house.home().join("victim"), &folder).unwrap();
    for refused in [&goes_on[..], &["undo", id]] {
        let refused = scene.house.ask(refused.iter().copied()).run().expect(2);
        assert!(
            refused.stderr.contains("is reached by a link now"),
            "{refused:#?}"
        );
    }
}

#[test]
fn keys_without_number_are_named_and_not_taken_for_a_lack_of_the_machine() {
    let scene = scene(&[shell("echo hello")]);
    let keys = scene.house.work().join("keys");
    fs::create_dir_all(&keys).unwrap();
    (0..8_100).for_each(|number| fs::write(keys.join(format!("{number}.kdbx")), "").unwrap());
    let outcome = do_it(&scene, &OPEN);
    let told = results(&scene, &outcome).concat();
    assert!(
        told.contains("8100 keys and other protected places"),
        "{told}"
    );
    assert!(told.contains("work/keys"), "{told}");
}

#[test]
fn a_command_works_where_file_tools_do() {
    let house = house();
    let folder = house.home().join("projects/foo");
    fs::create_dir_all(folder.join(".git/hooks")).unwrap();
    fs::write(folder.join(".git/config"), "[core]\n").unwrap();
    let other = house.home().join("other");
    fs::create_dir_all(&other).unwrap();
    let place = folder.to_string_lossy().into_owned();
    let other = other.to_string_lossy().into_owned();
    let script = "echo made > made; echo planted >> .git/config; echo planted > .git/hooks/x; true";
    let flags = ["--agent", "sysadmin", "--yes", "exec,write"];
    let scene = recast(house, &[writes(&format!("{place}/a.txt")), shell(script)]);
    let outcome = do_it(&scene, &[&flags[..], &["-C", &place]].concat());
    let told = results(&scene, &outcome).concat();
    assert_eq!(statuses(&outcome), ["ok", "ok"], "{told}");
    assert!(folder.join("made").exists(), "{told}");
    // What is protected there is so all the same, also where it is opened by its name.
    let git = folder.join(".git").to_string_lossy().into_owned();
    let scene = recast(scene.house, &[shell(script)]);
    let outcome = do_it(
        &scene,
        &[&flags[..], &["-C", &place, "--allow-read", &git]].concat(),
    );
    let told = results(&scene, &outcome).concat();
    assert_eq!(statuses(&outcome), ["ok"], "{told}");
    let config = fs::read_to_string(folder.join(".git/config")).unwrap();
    assert_eq!(config, "[core]\n", "{told}");
    assert!(!folder.join(".git/hooks/x").exists(), "{told}");
    // A working folder that lies elsewhere may be read.
    let scene = recast(scene.house, &[shell("echo made > made; true")]);
    let outcome = do_it(&scene, &[&flags[..], &["-C", &other]].concat());
    let told = results(&scene, &outcome).concat();
    assert!(told.contains("Read-only file system"), "{told}");
}
