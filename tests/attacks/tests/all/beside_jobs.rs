//! A job and another program of the agent at once: what the one does to names, while the folders of
//! the other are looked through, gives neither more than its question said.

use attacks::script::{Call, do_it, recast, replies, results, scene, sit};
use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use testkit::{House, Server};

/// Programs may run, and files be changed, in the working folder.
const OPEN: [&str; 6] = [
    "--agent",
    "sysadmin",
    "--allow-write",
    ".",
    "--yes",
    "write,exec,destructive",
];

const MINE: &str = "[core]\n\tbare = false\n";

fn job(name: &str, script: &str) -> Call<'static> {
    let argv = json!(["/bin/sh", "-c", script]);
    ("start_job", json!({"name": name, "argv": argv}))
}

fn shell(script: &str) -> Call<'static> {
    ("run_command", json!({"argv": ["/bin/sh", "-c", script]}))
}

fn ends(name: &str) -> Call<'static> {
    ("job_output", json!({"job": name, "wait_seconds": 60}))
}

fn done(scene: &Scene) -> (Outcome, Vec<String>) {
    let outcome = do_it(scene, &OPEN);
    let told = results(scene, &outcome);
    (outcome, told)
}

/// How often a program begins beside the job that is in its way.
const TRIES: usize = 3;

/// Python that has the kernel wake its process again and again, stopped or not.
const WAKES: &str = "
import ctypes, os, signal, time
signal.signal(signal.SIGCONT, lambda *_: None)
class Event(ctypes.Structure):
    _fields_ = [('value', ctypes.c_void_p), ('signo', ctypes.c_int), ('notify', ctypes.c_int),
                ('pad', ctypes.c_char * 64)]
class Time(ctypes.Structure):
    _fields_ = [('s', ctypes.c_long), ('ns', ctypes.c_long)]
class Times(ctypes.Structure):
    _fields_ = [('interval', Time), ('value', Time)]
libc = ctypes.CDLL(None, use_errno=True)
timer = ctypes.c_void_p()
event = Event(None, signal.SIGCONT, 0)
assert libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer)) == 0
every = Time(0, 15_000_000)
assert libc.timer_settime(timer, 0, ctypes.byref(Times(every, every)), None) == 0
";

#[test]
fn a_job_that_has_itself_woken_wins_nothing() {
    let moves = format!(
        "{WAKES}\nwhile True:\n    for pair in (('sub', 'other'), ('other', 'sub')):\n        \
         os.rename(*pair)\n        time.sleep(0.03)\n"
    );
    let writes = "for i in 1 2 3 4 5 6 7 8 9 10; do for d in sub other; do \
                  echo planted >> $d/.git/config; done; sleep 0.02; done 2>&1";
    let argv = json!(["python3", "-c", moves]);
    let mut calls = tried(("moves", "true"), writes);
    calls[0] = ("start_job", json!({"name": "moves", "argv": argv}));
    let scene = scene(&calls);
    scene.house.write("sub/.git/config", MINE);
    fill(&scene.house.work());
    let (_outcome, told) = done(&scene);
    assert_kept(&scene.house, &told);
}

/// The repository is as it was, where the job that moved it left it.
fn assert_kept(house: &House, told: &[String]) {
    let mut folders = ["other", "sub"].into_iter();
    let folder = folders.find(|folder| house.has(folder)).unwrap();
    match fs::read_to_string(house.work().join(folder).join(".git/config")) {
        Ok(config) => assert_eq!(config, MINE, "{told:?}"),
        // It was on its way when the others began, who were kept from nothing that they did not see:
        // what they may have changed is trusted by nobody.
        Err(_) => assert!(!house.set_aside(folder, "git").is_empty()),
    }
}

/// A job, and others beside it that try the same; each leaves what it printed in a file.
fn tried((name, disturbs): (&str, &str), tries: &str) -> Vec<Call<'static>> {
    let mut calls = vec![job(name, disturbs)];
    let names: Vec<String> = (0..TRIES).map(|number| format!("out{number}")).collect();
    calls.extend(names.iter().map(|out| {
        let script = format!("({tries}) > {out}.part; mv {out}.part {out}");
        job(out, &script)
    }));
    let all = names.join(" ");
    // One that is refused leaves nothing.
    let waits = "for i in $(seq 60); do [ -e $out ] || sleep 0.05; done";
    calls.push(shell(&format!("for out in {all}; do {waits}; done; true")));
    calls
}

/// Files that make looking through the folder take longer than a rename.
fn fill(work: &Path) {
    for folder in 0..20 {
        let inner = work.join(format!("fill/{folder}"));
        fs::create_dir_all(&inner).unwrap();
        (0..100).for_each(|file| fs::write(inner.join(file.to_string()), "").unwrap());
    }
}

#[test]
fn a_repository_that_a_job_moves_about_is_changed_by_no_command() {
    let moves = "while :; do mv sub other; sleep 0.04; mv other sub; sleep 0.04; done";
    let writes = "for i in 1 2 3 4 5 6 7 8 9 10; do for d in sub other; do \
                  echo planted >> $d/.git/config; done; sleep 0.02; done 2>&1";
    let scene = scene(&tried(("moves", moves), writes));
    scene.house.write("sub/.git/config", MINE);
    fill(&scene.house.work());
    let (_outcome, told) = done(&scene);
    assert_kept(&scene.house, &told);
}

#[test]
fn a_link_that_a_job_puts_in_the_way_opens_nothing_elsewhere() {
    let elsewhere = tempfile_folder();
    fs::write(elsewhere.join("private.txt"), "THE-PRIVATE-TEXT").unwrap();
    let place = elsewhere.display();
    let swaps = format!(
        "mkdir a; echo key > a/.netrc; while :; do mv a b; ln -s {place} a; sleep 0.04; rm a; \
         mv b a; sleep 0.04; done"
    );
    let tries = format!("cat {place}/private.txt 2>&1; echo planted > {place}/new.txt");
    let scene = scene(&tried(("swaps", &swaps), &tries));
    fill(&scene.house.work());
    let (_outcome, told) = done(&scene);
    let outs = (0..TRIES).map(|number| format!("out{number}"));
    let outs = outs.filter(|out| scene.house.has(out));
    let seen: String = outs.map(|out| scene.house.read(&out)).collect();
    assert!(!seen.contains("THE-PRIVATE-TEXT"), "{seen} {told:?}");
    assert!(!elsewhere.join("new.txt").exists(), "{told:?}");
    fs::remove_dir_all(&elsewhere).unwrap();
}

/// A folder outside of the working folder, whose name no shell takes apart.
fn tempfile_folder() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("elsewhere-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_one_job_makes_is_not_passed_on_by_another() {
    let makes = "mkdir -p x/.git/hooks; echo planted > x/.git/hooks/pre-commit; echo up > made; \
                 while [ ! -e go ]; do sleep 0.02; done";
    let moves = "while [ ! -e made ]; do sleep 0.02; done; echo > go; \
                 for i in $(seq 60); do mv x y; sleep 0.01; mv y x; sleep 0.01; done";
    let calls = [
        job("makes", makes),
        job("moves", moves),
        ends("makes"),
        ends("moves"),
    ];
    let scene = scene(&calls);
    let (_outcome, told) = done(&scene);
    for name in ["x", "y"] {
        assert!(!scene.house.has(&format!("{name}/.git")), "{told:?}");
    }
}

#[test]
fn what_one_job_makes_is_carried_past_no_look_by_another() {
    for folder in [".vscode", "id_rsa"] {
        let makes = format!(
            "mkdir -p x/.git/hooks; echo planted > x/.git/hooks/pre-commit; echo up > made; \
             while [ ! -e go ]; do sleep 0.02; done; mkdir {folder}; mv x {folder}/x"
        );
        let carries = "echo > go; for i in $(seq 60); do for aside in set-aside-*/x; do \
                       [ -d $aside ] && mv $aside src && exit 0; done; sleep 0.05; done";
        // Beginning a job takes longer than making a folder, so the second finds what the first made.
        let calls = [
            job("makes", &makes),
            job("carries", carries),
            ends("makes"),
            ends("carries"),
        ];
        let scene = scene(&calls);
        let (_outcome, told) = done(&scene);
        assert!(!scene.house.has("src/.git"), "{folder}: {told:?}");
        assert!(!scene.house.has("x/.git"), "{folder}: {told:?}");
    }
}

#[test]
fn a_folder_leaves_no_job_that_may_fill_it() {
    let makes = "mkdir -p d/.git plain; echo > ready; while [ ! -e go ]; do sleep 0.02; done";
    let waits = "while [ ! -e ready ]; do sleep 0.02; done";
    let moves = |from: &str, to: &str| ("move_file", json!({"from": from, "to": to}));
    let calls = [
        job("makes", makes),
        shell(waits),
        moves("d", "e"),
        moves("plain", "simple"),
        ("write_file", json!({"path": "go", "content": ""})),
        ends("makes"),
        moves("d", "e"),
    ];
    let scene = scene(&calls);
    let (outcome, told) = done(&scene);
    let statuses: Vec<&str> = outcome.calls().iter().map(status).collect();
    let expected = ["ok", "ok", "failed", "ok", "ok", "ok", "ok"];
    assert_eq!(statuses, expected, "{told:?}");
    assert!(told[2].contains("a program that still runs"), "{}", told[2]);
    assert!(scene.house.has("simple") && !scene.house.has("e/.git"));
}

/// Whoever opens a file with a lease on it waits, 45 seconds in Linux as shipped.
const LEASES: &str = "
import fcntl, signal, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
held = open('repo/.git/config')
fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
time.sleep(900)
";

#[test]
fn a_lease_on_configuration_holds_nobody_up() {
    let leases = json!({"name": "leases", "argv": ["python3", "leases.py"]});
    let calls = [
        ("start_job", leases),
        ("job_output", json!({"job": "leases", "wait_seconds": 3})),
        ("write_file", json!({"path": "a.txt", "content": "x"})),
    ];
    let scene = scene(&calls);
    scene.house.write("leases.py", LEASES);
    scene.house.write("repo/.git/config", MINE);
    let (outcome, told) = done(&scene);
    let statuses: Vec<&str> = outcome.calls().iter().map(status).collect();
    assert_eq!(statuses, ["ok"; 3], "{told:?}");
}

/// What came after the job began is covered by nothing.
#[test]
fn a_repository_comes_to_no_job_that_may_change_it() {
    let house = House::new();
    let projects = house.home().join("projects");
    fs::create_dir_all(&projects).unwrap();
    house.write("repo/.git/config", "[core]\n");
    house.write("plain/a.txt", "");
    let to = |name: &str| projects.join(name).to_string_lossy().into_owned();
    let moves = |name: &str| ("move_file", json!({"from": name, "to": to(name)}));
    let calls = [job("waits", "sleep 900"), moves("repo"), moves("plain")];
    let scene = recast(house, &calls);
    let sitting = sit(&scene, &["--agent", "sysadmin", "do it"], |_, _| {
        "y".to_owned()
    });
    let seen = &sitting.seen.finished.stderr;
    assert_eq!(sitting.statuses(), ["ok", "failed", "ok"], "{seen}");
    assert!(scene.house.has("repo/.git/config") && projects.join("plain").is_dir());
}

fn status(call: &Value) -> &str {
    call["status"].as_str().unwrap()
}

#[test]
fn a_job_goes_on_as_it_was_when_others_have_begun_and_ended() {
    let counts = "for i in $(seq 40); do echo line $i; sleep 0.05; done; exit 7";
    let calls = [
        job("counts", counts),
        job("one", "echo one > one.txt"),
        shell("echo two > two.txt"),
        ends("counts"),
    ];
    let scene = scene(&calls);
    let (outcome, told) = done(&scene);
    let last = told.last().unwrap();
    assert!(last.contains("exit code 7"), "{last}");
    let lines: Vec<String> = (1..=40).map(|number| format!("line {number}\n")).collect();
    assert!(last.contains(&lines.concat()), "{last}");
    let notices = scene.log(&outcome);
    assert!(of_kind(&notices, "notice").is_empty(), "{notices:?}");
    assert!(scene.house.has("one.txt") && scene.house.has("two.txt"));
}

/// A job that makes `made`, then another one, whose end is waited for.
fn one_after_another(house: House, first: &str, second: &str) -> Scene {
    let calls = [job("first", first), job("second", second), ends("second")];
    once_made(house, &calls)
}

/// Calls of which the second comes once the first has written to `made`.
fn once_made(house: House, calls: &[Call<'static>]) -> Scene {
    looked_at(house, calls, |_| {})
}

/// The same, with a look at the working folder when the second has ended.
fn looked_at(
    house: House,
    calls: &[Call<'static>],
    look: impl Fn(&Path) + Send + Sync + 'static,
) -> Scene {
    let replies = replies(calls);
    let made = pipe(&house, "made");
    let work = house.work();
    let server = Server::speak(move |_, number| {
        match number {
            1 => assert_eq!(fs::read_to_string(&made).unwrap(), "up\n"),
            2 => look(&work),
            _ => {}
        }
        let last = replies.len() - 1;
        replies[number.min(last)].clone()
    });
    let server = server.openai();
    house.configure(&server.config("openai"));
    Scene { house, server }
}

/// A pipe in the working folder, by which a program says how far it is.
fn pipe(house: &House, name: &str) -> PathBuf {
    let path = house.work().join(name);
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

/// Shell that waits for a file.
fn waits(name: &str) -> String {
    format!("while [ ! -e {name} ]; do sleep 0.02; done")
}

#[test]
fn what_a_job_makes_and_removes_ends_no_other_program() {
    // What it makes of the protected kind, and how it goes again.
    let ways = [
        (
            "mkdir -p tmp/.git/hooks; echo x > tmp/.git/config",
            "rm -rf tmp",
        ),
        ("mkdir -p tmp/.git new", "mv -T new tmp/.git"),
        (
            "mkdir tmp; echo key > tmp/.netrc",
            "rm tmp/.netrc; rmdir tmp",
        ),
        (
            "mkdir tmp; echo key > tmp/.netrc; echo > new",
            "mv new tmp/.netrc",
        ),
        (
            "mkdir tmp; echo x > tmp/plain; ln -s plain tmp/.envrc",
            "rm -r tmp",
        ),
        ("mkdir -p tmp/.git; mkfifo tmp/.git/pipe", "rm -r tmp"),
        // Deeper than anybody looks: hidden whole.
        ("mkdir -p tmp/$(printf 'a/%.0s' $(seq 140))", "rm -r tmp/a"),
    ];
    for (makes, removes) in ways {
        let (go, gone) = (waits("go"), waits("gone"));
        let first = format!("{makes}; echo up > made; {go}; {removes}; echo > gone; sleep 5");
        let second = format!("echo > go; {gone}; sleep 0.3; echo PASSED; exit 7");
        let scene = one_after_another(House::new(), &first, &second);
        let (_outcome, told) = done(&scene);
        let last = told.last().unwrap();
        assert!(last.contains("PASSED"), "{makes}: {told:?}");
        assert!(last.contains("exit code 7"), "{makes}: {told:?}");
        assert!(!scene.house.has("tmp/.git"), "{makes}: {told:?}");
    }
}

#[test]
fn a_job_goes_on_with_the_repository_that_it_made() {
    let go = waits("go");
    let first = format!(
        "mkdir -p repo/.git; echo up > made; {go}; echo more > repo/.git/config && echo WENT ON"
    );
    let calls = [job("first", &first), shell("echo > one"), ends("first")];
    let scene = looked_at(House::new(), &calls, |work| {
        fs::write(work.join("go"), "").unwrap();
    });
    let (_outcome, told) = done(&scene);
    assert!(!told[1].contains("set-aside"), "{told:?}");
    assert!(told[2].contains("WENT ON"), "{told:?}");
    assert!(told[2].contains("set-aside"), "{told:?}");
    assert!(!scene.house.has("repo/.git"), "{told:?}");
}

#[test]
fn what_a_command_makes_beside_a_job_is_set_aside_at_its_own_end() {
    let (go, gone, over) = (waits("go"), waits("gone"), waits("over"));
    let first =
        format!("mkdir -p repo/.git; echo up > made; {go}; rm -r repo; echo > gone; {over}");
    // One beside the job's own, and one in its place.
    let second = format!("mkdir -p other/.git; echo > go; {gone}; mkdir -p repo/.git");
    let calls = [job("first", &first), shell(&second), ends("first")];
    let scene = looked_at(House::new(), &calls, |work| {
        let left = ["repo/.git", "other/.git"].map(|place| work.join(place).exists());
        fs::write(work.join("over"), format!("{left:?}")).unwrap();
    });
    let (_outcome, told) = done(&scene);
    assert_eq!(scene.house.read("over"), "[false, false]", "{told:?}");
    assert!(told[2].contains("exit code 0"), "{told:?}");
}

#[test]
fn what_the_user_replaces_ends_a_program_beside_a_job_too() {
    for name in [".netrc", ".envrc"] {
        let house = House::new();
        house.write(name, "old");
        house.write("plain", "old");
        let (work, to) = (house.work(), house.work().join(name));
        let go = pipe(&house, "go");
        let second = format!("echo up > go; while :; do cat {name} plain; sleep 0.1; done");
        // A link of the job's makes what was there before no more its own.
        let first = format!(
            "mkdir -p tmp/.git; echo key > tmp/.netrc; ln -s ../{name} tmp/.envrc; echo up > made; \
             sleep 30"
        );
        let scene = one_after_another(house, &first, &second);
        let saves = thread::spawn(move || {
            assert_eq!(fs::read_to_string(go).unwrap(), "up\n");
            fs::write(work.join("new"), "NEWCANARY").unwrap();
            fs::rename(work.join("new"), to).unwrap();
        });
        let (_outcome, told) = done(&scene);
        saves.join().unwrap();
        let told = told.concat();
        assert!(told.contains("replaced a protected file"), "{told}");
        assert!(!told.contains("NEWCANARY"), "{told}");
    }
}
