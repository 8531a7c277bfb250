//! What a hijacked model could tell by which harmless call it makes, and learn by how one ends.

use attacks::script::{Call, play, replies, results, scene};
use scenarios::Scene;
use serde_json::json;
use std::fs;
use std::io::Read;
use testkit::{Gate, Hit, House, Reply, Searx, Server};

/// Most different searches of a task after something private was read, see docs/security.md.
const FREE: usize = 8;

#[test]
fn a_row_of_searches_in_the_users_words_comes_to_an_end() {
    let words: Vec<String> = (0..20).map(|n| format!("word{}", "a".repeat(n))).collect();
    let searx = Searx::new([Hit::new("https://tea.example/a", "Tea", "Green tea.")]);
    let asked = |is_private: bool| {
        let search = |word: &String| ("web_search", json!({"query": word}));
        let searches: Vec<_> = words.iter().map(search).collect();
        // In a reply of its own, so that every search comes after it.
        let read = Reply::call("read_file", json!({"path": "s.txt"}));
        let said = Some(read).filter(|_| is_private).into_iter();
        let scene = Scene::new(said.chain(replies(&searches)));
        let config = scene.server.config("openai");
        let config = format!("{config}{}", searx.config());
        scene.house.configure(&config);
        scene.house.write("s.txt", "token=1234\n");
        let before = searx.queries().len();
        let task = format!("look at s.txt, and for {}", words.join(" "));
        let outcome = scene.run(&["--agent", "researcher", &task]);
        let results = results(&scene, &outcome);
        let count = words.len() + usize::from(is_private);
        assert_eq!(results.len(), count, "{:#}", outcome.summary);
        (searx.queries().len() - before, results)
    };
    let (count, results) = asked(true);
    assert_eq!(count, FREE, "{results:#?}");
    let last = results.last().unwrap();
    assert!(last.contains("asked outside"), "{last}");
    // The same searches without the file, and an agent's few with it, need no question.
    assert_eq!(asked(false).0, words.len());
}

/// Two agents at one time: the model of the one that searches is told by its server what the other
/// reads.
#[test]
fn a_row_of_searches_beside_an_agent_that_read_comes_to_an_end() {
    let words: Vec<String> = (0..20).map(|n| format!("word{}", "a".repeat(n))).collect();
    let searx = Searx::new([Hit::new("https://tea.example/a", "Tea", "Green tea.")]);
    let searched = |is_private: bool| {
        let before = searx.queries().len();
        let queries = words.clone();
        let has_read = Gate::new();
        let (mut reader, mut searcher) = (0, 0);
        let speak = Server::speak(move |body, _| {
            let told = body["messages"].to_string();
            let count = if told.contains("TASKONE") && !told.contains("help me") {
                &mut reader
            } else if told.contains("TASKTWO") && !told.contains("help me") {
                &mut searcher
            } else if told.contains("spawn_agents") {
                return Reply::text("Done.");
            } else {
                let child = |task: &str| json!({"type": "researcher", "task": task});
                let children = json!({"agents": [child("TASKONE"), child("TASKTWO")]});
                return Reply::call("spawn_agents", children);
            };
            *count += 1;
            if told.contains("TASKONE") {
                if *count == 1 && is_private {
                    return Reply::call("read_file", json!({"path": "s.txt"}));
                }
                has_read.open();
                return Reply::text("I looked.");
            }
            match queries.get(*count - 1) {
                Some(query) => Reply::default()
                    .and_wait(&has_read)
                    .and_call("web_search", json!({"query": query})),
                None => Reply::text("I looked."),
            }
        });
        let server = speak.openai();
        let house = House::new();
        house.configure(&format!("{}{}", server.config("openai"), searx.config()));
        house.write("s.txt", "token=1234\n");
        let scene = Scene { house, server };
        let task = format!("help me with {}", words.join(" "));
        let _outcome = scene.run(&["--agent", "coder", &task]);
        searx.queries().len() - before
    };
    assert_eq!(searched(true), FREE);
    assert_eq!(searched(false), words.len());
}

/// A folder is often called after whom the work is for.
#[test]
fn what_the_folder_is_called_is_not_searched_for() {
    let searx = Searx::new([Hit::new("https://tea.example/a", "Tea", "Green tea.")]);
    let searched = |task: &str, query: &str| {
        let search = ("web_search", json!({"query": query}));
        let scene = Scene::new(replies(&[search]));
        let config = format!("{}{}", scene.server.config("openai"), searx.config());
        scene.house.configure(&config);
        scene.house.write("divorce-lawyer-anna/notes.md", "milk\n");
        let before = searx.queries().len();
        let outcome = scene.run(&["--agent", "researcher", "-C", "divorce-lawyer-anna", task]);
        assert_eq!(outcome.calls().len(), 1, "{:#}", outcome.summary);
        searx.queries().len() > before
    };
    for query in ["divorce-lawyer-anna", "Divorce Lawyer Anna recipes"] {
        assert!(!searched("find a recipe for pancakes", query), "{query}");
    }
    // Other words are as free as before, and so is what the user said.
    assert!(searched("find a recipe for pancakes", "easy pancakes"));
    let said = "find out who the divorce lawyer anna is";
    assert!(searched(said, "divorce lawyer anna"));
}

#[test]
fn starting_and_stopping_a_job_tells_nothing_of_its_program() {
    let job = |name: &str, script: &str| {
        let argv = json!(["sh", "-c", script]);
        ("start_job", json!({"name": name, "argv": argv}))
    };
    let stop = |name: &str| ("stop_job", json!({"job": name}));
    let (scene, outcome) = play(
        |house| {
            house.write("s.txt", "token=1234\n");
        },
        &[
            job("a", "grep -q token s.txt && sleep 100"),
            job("b", "grep -q other s.txt && sleep 100"),
            stop("a"),
            stop("b"),
            // The control: who looks is told, and it is labelled.
            job("c", "grep -c token s.txt"),
            ("job_output", json!({"job": "c", "wait_seconds": 10})),
        ],
    );
    let told = results(&scene, &outcome);
    // The second line: the first and the last carry a fence of their own.
    let named = |text: &str, name: &str| {
        let line = text.lines().nth(1).unwrap_or_default();
        line.replace(&format!("`{name}`"), "`x`")
    };
    assert_eq!(named(&told[0], "a"), named(&told[1], "b"));
    assert_eq!(named(&told[2], "a"), named(&told[3], "b"));
    assert!(told[5].contains("UNTRUSTED job_output"), "{}", told[5]);
    assert!(told[5].contains("exit code 0"), "{}", told[5]);
}

#[test]
fn code_with_no_files_sees_nothing_of_the_users_surroundings() {
    let code = "import os, socket\nnames = ['passwd', 'group', 'hosts', 'os-release']\n\
                print([os.path.exists('/etc/' + name) for name in names])\n\
                boot = '/proc/sys/kernel/random/boot_id'\n\
                print([socket.gethostname(), os.path.exists(boot) and open(boot).read()])";
    let told = |agent: &str, call: (&str, serde_json::Value)| {
        let scene = Scene::new(replies(&[call]));
        let config = scene.server.config("openai");
        scene.house.configure(&config);
        let outcome = scene.run(&["--agent", agent, "--yes", "exec", "do it"]);
        results(&scene, &outcome).concat()
    };
    let code = ("run_code", json!({"language": "python", "code": code}));
    let seen = told("coder", code);
    assert!(seen.contains("[False, False, False, True]"), "{seen}");
    assert!(seen.contains("['localhost', '']"), "{seen}");
    // The control: a command works on the user's files, and its results count as read.
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let argv = json!(["ls", "/etc/passwd", "/etc/hosts"]);
    let seen = told("sysadmin", ("run_command", json!({"argv": argv})));
    assert!(seen.contains("/etc/hosts"), "{seen}");
    let argv = json!(["cat", "/proc/sys/kernel/hostname"]);
    let seen = told("sysadmin", ("run_command", json!({"argv": argv})));
    assert!(seen.contains(host.trim()), "{seen}");
    assert!(seen.contains("UNTRUSTED run_command"), "{seen}");
}

/// What stays of `/proc` beside the processes.
const KEPT: [&str; 8] = [
    "cpuinfo",
    "loadavg",
    "meminfo",
    "stat",
    "uptime",
    "version",
    "self/status",
    "sys/kernel/osrelease",
];

#[test]
fn code_reads_nothing_of_the_machines_boot_and_hardware() {
    let outside = |name: &&str| {
        let read = |mut file: fs::File| file.read(&mut [0; 50]);
        fs::File::open(format!("/proc/{name}"))
            .and_then(read)
            .is_ok_and(|bytes| bytes > 0)
    };
    let listed = fs::read_dir("/proc").unwrap().flatten();
    let listed: Vec<String> = listed
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !KEPT.contains(&name.as_str()))
        // Reading takes words off the kernel's log; the others tell only what the kernel can.
        .filter(|name| !["cgroups", "filesystems", "kmsg"].contains(&name.as_str()))
        .collect();
    let deep = [
        "bus/pci/devices",
        "bus/input/devices",
        "sys/kernel/random/boot_id",
        "tty/drivers",
    ];
    let told: Vec<&str> = listed
        .iter()
        .map(String::as_str)
        .chain(deep)
        .filter(outside)
        .collect();
    assert!(
        told.contains(&"cmdline") && told.len() > 5,
        "the control fails: {told:?}"
    );
    let code = format!(
        "def read(name):\n    try: return len(open('/proc/' + name, 'rb').read(50))\n    \
             except OSError: return 0\n\
         print('told', [name for name in {told:?} if read(name)])\n\
         print('kept', [name for name in {KEPT:?} if read(name)] == {KEPT:?})\n"
    );
    let code = ("run_code", json!({"language": "python", "code": code}));
    let scene = scene(&[code]);
    let outcome = scene.run(&["--agent", "coder", "--yes", "exec", "do it"]);
    let seen = results(&scene, &outcome).concat();
    assert!(seen.contains("told []"), "{seen}");
    assert!(seen.contains("kept True"), "{seen}");
}

/// What an agent finds with a search server: `calls`, then a search in words of its own.
fn searched_after(config: &str, prepare: &[&str], agent: &str, calls: &[Call<'_>]) -> Vec<String> {
    let searx = Searx::new([Hit::new("https://tea.example/a", "Tea", "Green tea.")]);
    let scene = Scene::new(replies(calls));
    let all = format!(
        "{}{}\n{config}",
        scene.server.config("openai"),
        searx.config()
    );
    scene.house.configure(&all);
    if !prepare.is_empty() {
        let _prepared = scene.house.ask(prepare.iter().copied()).run().expect(0);
    }
    let task = "find a recipe for pancakes, say easy pancakes";
    let outcome = scene.run(&["--agent", agent, "--yes", "exec", task]);
    assert_eq!(outcome.calls().len(), calls.len(), "{:#}", outcome.summary);
    let queries = searx.queries().into_iter();
    queries
        .map(|query| query.replace("&format=json", ""))
        .collect()
}

#[test]
fn what_the_user_tells_every_session_is_not_searched_for() {
    let told = "[chat]\ninstructions = \"My name is Anna Berg, and I have a rare illness.\"\n";
    let search = |query: &str| [("web_search", json!({"query": query}))];
    for query in [
        "my name is Anna Berg, and I have a rare illness",
        "anna-berg illness",
    ] {
        let queries = searched_after(told, &[], "researcher", &search(query));
        assert!(queries.is_empty(), "{queries:?}");
    }
    // The user's own words of this task are as free as before, and so is all where nothing is told.
    let said = searched_after(told, &[], "researcher", &search("easy pancakes"));
    assert_eq!(said, ["q=easy+pancakes"]);
    let free = searched_after("", &[], "researcher", &search("fluffy omelettes"));
    assert_eq!(free, ["q=fluffy+omelettes"]);
}

#[test]
fn what_memory_says_already_is_not_searched_for() {
    let illness = "My diagnosis is Huntington.";
    let save = ("save_memory", json!({"name": "guess", "content": illness}));
    let search = ("web_search", json!({"query": "yes it is"}));
    let add = ["memory", "add", illness, "--name", "illness"];
    let queries = searched_after("", &add, "coder", &[save, search]);
    assert!(queries.is_empty(), "{queries:?}");
}

#[test]
fn what_code_prints_of_the_machine_is_not_searched_for() {
    let code = "import platform\nprint(platform.version())";
    let run = ("run_code", json!({"language": "python", "code": code}));
    let search = |query: &str| ("web_search", json!({"query": query}));
    let queries = searched_after("", &[], "coder", &[run.clone(), search("as computed")]);
    assert!(queries.is_empty(), "{queries:?}");
    let said = searched_after("", &[], "coder", &[run, search("easy pancakes")]);
    assert_eq!(said, ["q=easy+pancakes"]);
}
