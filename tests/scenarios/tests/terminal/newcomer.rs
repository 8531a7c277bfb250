//! What a person meets in the first hour of ordinary work, with a scripted model.

use scenarios::{Outcome, Scene};
use serde_json::{Value, json};
use testkit::flags::WRITES;
use testkit::{Finished, House, Reply};

fn write(path: &str) -> Reply {
    let arguments = json!({"path": path, "content": "hello\n", "mode": "create"});
    Reply::call("write_file", arguments)
}

fn opened(scene: &Scene) -> Outcome {
    scene.run(&[&WRITES[..], &["do it"]].concat())
}

#[test]
fn a_file_in_a_missing_folder_makes_it_and_undo_takes_both_back() {
    let scene = Scene::new([write("notes/2026/today.md"), Reply::text("Done.")]);
    let carl = scene
        .house
        .ask(["run", "--allow-write", ".", "write a note"]);
    let run = carl.at_terminal(|_, _| "y".to_owned());
    assert_eq!(run.questions.len(), 1, "{run:#?}");
    let folder = scene.house.work().canonicalize().unwrap().join("notes");
    for folder in [folder.clone(), folder.join("2026")] {
        let told = format!("make the folder {}\n", folder.display());
        let shown = run.questions[0].replace('\r', "");
        assert!(shown.contains(&told), "{told}: {shown}");
    }
    assert_eq!(scene.house.read("notes/2026/today.md"), "hello\n");
    assert!(scene.told().contains("Made the folder"), "{}", scene.told());
    scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!scene.house.has("notes"));
}

#[test]
fn undo_leaves_a_made_folder_that_holds_something_else() {
    let scene = Scene::new([write("notes/today.md"), Reply::text("Done.")]);
    opened(&scene).assert_ends(0, "success");
    scene.house.write("notes/mine.md", "mine");
    scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!scene.house.has("notes/today.md"));
    assert_eq!(scene.house.read("notes/mine.md"), "mine");
}

#[test]
fn a_missing_folder_is_made_only_within_what_is_open() {
    for path in ["../out/a.txt", ".git/hooks/pre-commit", ".ssh/a"] {
        let scene = Scene::new([write(path), Reply::text("Done.")]);
        let outcome = opened(&scene);
        assert_eq!(outcome.calls()[0]["status"], "denied", "{path}");
        let top = path.split('/').next().unwrap();
        assert!(!scene.house.has(top) || top == "..", "{path}");
        assert!(!scene.house.has("../out"));
    }
}

/// A line that `carl` printed to be copied, typed in the same folder.
fn pasted(house: &House, told: &Finished) -> Finished {
    let line = told.stderr.lines().find(|line| line.starts_with("  carl "));
    let line = line.unwrap_or_else(|| panic!("{told:#?}"));
    let words: Vec<String> = shell_words(line.trim());
    assert_eq!(words[0], "carl");
    house.ask(words[1..].iter().map(String::as_str)).run()
}

/// The words of a line as a shell takes them, with single quotes alone.
fn shell_words(line: &str) -> Vec<String> {
    let script = format!("printf '%s\\0' {line}");
    let shell = std::process::Command::new("sh")
        .args(["-c", &script])
        .output();
    let words = String::from_utf8(shell.unwrap().stdout).unwrap();
    words.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn the_line_that_approves_a_plan_works_as_printed() {
    for flags in [
        &[][..],
        &["--allow-write", "."],
        &["--approve", "0".repeat(64).leak()],
    ] {
        let house = House::new();
        house.write("notes.md", "draft\n");
        let carl = house.ask(["run", "--mode", "deterministic"]);
        let carl = carl.args(flags.iter().copied());
        let refused = carl
            .arg("replace draft with final in notes.md")
            .run()
            .expect(5);
        let line = refused
            .stderr
            .lines()
            .find(|line| line.starts_with("  carl "));
        let line = line.unwrap_or_else(|| panic!("{refused:#?}"));
        assert_eq!(line.matches("--approve").count(), 1, "{line}");
        assert_eq!(line.matches("--allow-write").count(), 1, "{line}");
        pasted(&house, &refused).expect(0);
        assert_eq!(house.read("notes.md"), "final\n");
    }
}

#[test]
fn a_plan_that_no_flag_lets_pass_prints_no_line() {
    let house = House::new();
    house.write(".git/config", "draft\n");
    let args = [
        "run",
        "--mode",
        "deterministic",
        "replace draft with final in .git/config",
    ];
    let refused = house.ask(args).run().expect(5);
    assert!(!refused.stderr.contains("  carl run"), "{refused:#?}");
}

#[test]
fn used_up_calls_are_said_with_their_key() {
    for last in [Reply::text("I looked once."), Reply::text("")] {
        let look = || Reply::call("list_files", json!({}));
        let scene = Scene::new([look(), last.clone(), last]);
        let config = format!(
            "{}\n[agents]\ntool_iterations = 1\n",
            scene.server.config("openai")
        );
        scene.house.configure(&config);
        let outcome = scene.run(&["look around"]);
        outcome.assert_ends(3, "partial");
        assert_eq!(outcome.code(), "agents.calls_used");
        let told = scene.house.ask(["session", "show"]);
        let told = told.arg(outcome.text("session_id")).run().expect(0);
        assert!(told.stdout.contains("tool_iterations"), "{told:#?}");
        assert!(!told.stdout.contains("empty reply"), "{told:#?}");
    }
}

#[test]
fn the_reason_for_a_model_is_shown_once() {
    let look = |path: &str| Reply::call("list_files", json!({"path": path}));
    let scene = Scene::new([look("."), look("./"), Reply::text("Done.")]);
    let run = scene.house.ask(["run", "look around"]).run().expect(0);
    let named = run.stderr.matches("scripted/scripted-model (").count();
    assert_eq!(named, 1, "{run:#?}");
}

#[test]
fn questions_come_in_the_order_of_the_calls() {
    let path = |name: &str| json!({"path": name, "content": "x", "mode": "create"});
    let calls = Reply::call("write_file", path("a.txt"))
        .and_call("delete_file", json!({"path": "old.txt"}))
        .and_call("write_file", path("b.txt"));
    let scene = Scene::new([calls, Reply::text("Done.")]);
    scene.house.write("old.txt", "old");
    let carl = scene.house.ask(["run", "--allow-write", ".", "tidy up"]);
    let run = carl.at_terminal(|_, number| if number == 1 { "n" } else { "y" }.to_owned());
    let names = ["a.txt", "old.txt", "b.txt"];
    assert_eq!(run.questions.len(), names.len(), "{run:#?}");
    for (question, name) in run.questions.iter().zip(names) {
        let (_, last) = question.split_once("In short: ").unwrap();
        assert!(last.contains(name), "{last}");
    }
    assert!(scene.house.has("a.txt") && scene.house.has("b.txt") && scene.house.has("old.txt"));
}

#[test]
fn nothing_is_printed_into_an_open_question() {
    let write = |path: &str| json!({"path": path, "content": "x", "mode": "create"});
    let calls = Reply::call("write_file", write("a.txt"))
        .and_call("write_file", write(".git/hooks/pre-commit"))
        .and_call("write_file", write("b.txt"));
    let scene = Scene::new([calls, Reply::text("Done.")]);
    let run = scene.house.ask(["run", "--allow-write", ".", "write"]);
    let run = run.at_terminal(|question, _| {
        let (_, prompt) = question.rsplit_once("In short: ").unwrap();
        assert!(!prompt.contains("denied"), "{question}");
        (if question.contains("calls") { "a" } else { "y" }).to_owned()
    });
    assert!(run.finished.stderr.contains("denied by path"), "{run:#?}");
    for prompt in run
        .finished
        .stderr
        .split("a message to the agent: ")
        .skip(1)
    {
        let answered = prompt.lines().next().unwrap_or_default();
        assert!(!answered.contains("denied"), "{run:#?}");
    }
    assert!(scene.house.has("a.txt") && scene.house.has("b.txt"));
}

#[test]
fn listings_fit_a_narrow_terminal_and_are_whole_in_a_pipe() {
    let scene = Scene::new([Reply::text("Done.")]);
    let long = "a task whose words go on and on, so that no line of eighty columns holds them all";
    scene.run(&[long]).assert_ends(0, "success");
    for command in [
        &["agents"][..],
        &["tools"],
        &["doctor"],
        &["models"],
        &["session", "list"],
    ] {
        let asked = || {
            scene
                .house
                .ask(command.iter().copied())
                .env("COLUMNS", "80")
                .env("NO_COLOR", "1")
        };
        let screen = asked().on_screen(|_, _| String::new()).finished.stderr;
        let wide = screen
            .lines()
            .find(|line| line.trim_end().chars().count() > 80);
        assert_eq!(wide, None, "{command:?}");
        let whole = asked().run().stdout;
        assert!(
            whole.lines().count() <= screen.lines().count(),
            "{command:?}"
        );
    }
    let help = scene.house.ask(["--help"]).run().expect(0).stdout;
    assert!(help.lines().count() <= 40, "{help}");
    assert!(help.contains("Examples:"), "{help}");
}

#[test]
fn a_model_is_told_what_opens_the_working_folder() {
    let scene = Scene::new([write("new.txt"), Reply::text("Not written.")]);
    let outcome = scene.run(&["write a note"]);
    outcome.assert_denied(0, "path");
    assert!(
        scene.told().contains("`--allow-write .`"),
        "{}",
        scene.told()
    );
    let scene = Scene::new([write("/etc/new.txt"), Reply::text("Not written.")]);
    scene.run(&["write a note"]).assert_denied(0, "path");
    assert!(
        !scene.told().contains("`--allow-write .`"),
        "{}",
        scene.told()
    );
}

#[test]
fn of_two_providers_the_one_that_answers_is_taken() {
    let scene = Scene::new([Reply::text("Hello."), Reply::text("Hello again.")]);
    let live = scene.server.url();
    let provider = |name: &str, endpoint: &str| {
        format!(
            "[models.providers.{name}]\ntype = \"openai\"\nendpoint = \"{endpoint}/v1\"\n\
             default_model = \"scripted-model\"\n"
        )
    };
    // Nothing listens on the port that is reserved for asking what a port is for.
    let dead = provider("asleep", "http://127.0.0.1:1");
    let config = format!("{dead}\n{}", provider("awake", &live));
    scene.house.configure(&config);
    let run = scene.house.ask(["run", "hello there"]).run().expect(0);
    assert!(run.stdout.contains("Hello."), "{run:#?}");
    for word in [
        "awake/scripted-model",
        "not there: asleep",
        "default_provider",
    ] {
        assert!(run.stderr.contains(word), "{word}: {run:#?}");
    }
    let named = ["run", "--provider", "awake", "hello there"];
    let run = scene.house.ask(named).run().expect(0);
    assert!(run.stderr.contains("the chosen provider"), "{run:#?}");
    assert!(!run.stderr.contains("the default provider"), "{run:#?}");
}

#[test]
fn notes_that_are_left_out_for_others_are_named() {
    let scene = Scene::new([Reply::text("Hello."), Reply::text("Hello.")]);
    scene.house.write("AGENTS.md", "Use tabs.\n");
    scene.house.write("CLAUDE.md", "Use spaces.\n");
    let run = scene.house.ask(["run", "hello there"]).run().expect(0);
    let line = "CLAUDE.md is left out: of both in one folder, AGENTS.md counts.";
    assert!(run.stderr.contains(line), "{run:#?}");
    // It is such a file, and would not be read for that.
    assert!(!run.stderr.contains("plain file"), "{run:#?}");
    scene.house.write("CLAUDE.md", "Use tabs.\n");
    let run = scene.house.ask(["run", "hello there"]).run().expect(0);
    assert!(!run.stderr.contains("left out"), "{run:#?}");
}

#[test]
fn notes_that_change_during_a_chat_are_named() {
    let replies = ["First.", "Second.", "Third."].map(Reply::text);
    let scene = Scene::new(replies);
    let notes = scene.house.write("AGENTS.md", "Use tabs.\n");
    let trusting = scene.house.ask(["policy", "trust", "AGENTS.md"]);
    let _trusted = trusting.run().expect(0);
    let mut typed = ["hello", "hello again", "and again", "/quit"].into_iter();
    let chat = scene.house.ask(["chat"]).env("TERM", "dumb");
    let mut shown = Vec::new();
    let _seen = chat.talking(&["> "], |screen, _| {
        shown.push(screen.to_owned());
        let next = typed.next().unwrap_or("/quit");
        if next == "hello again" {
            std::fs::write(&notes, "Use spaces.\n").unwrap();
        }
        next.to_owned()
    });
    let said = "AGENTS.md has changed; this session goes on with the version that it began with";
    let is_said = shown.iter().map(|screen| screen.contains(said));
    assert_eq!(
        is_said.collect::<Vec<bool>>(),
        [false, false, true, false],
        "{shown:#?}"
    );
    assert!(!scene.told().contains("Use spaces."));
}

#[test]
fn an_answer_that_claims_a_change_is_corrected() {
    let claim = || Reply::text("I have created the file new.txt for you.");
    let idle = Scene::new([claim()]);
    let outcome = idle.run(&["create new.txt"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.code(), "agents.nothing_changed");
    let denied = Scene::new([write("new.txt"), claim()]);
    let outcome = denied.run(&["create new.txt"]);
    outcome.assert_ends(5, "denied");
    assert_eq!(outcome.code(), "agents.nothing_changed");
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("`write_file` was denied"), "{message}");
    let short = Scene::new([write("new.txt"), Reply::text("Wrote new.txt.")]);
    let outcome = short.run(&["create new.txt"]);
    assert_eq!(outcome.code(), "agents.nothing_changed");
    let seen = Scene::new([claim()]);
    let run = seen.house.ask(["run", "create new.txt"]).run().expect(3);
    assert!(run.stderr.contains("Nothing was:"), "{run:#?}");
    // The same words are true where the file was made, and when asked about it later.
    let open = ["--allow-write", ".", "--yes", "write"];
    let honest = Scene::new([write("new.txt"), claim(), claim()]);
    let outcome = honest.run(&[&open[..], &["create new.txt"]].concat());
    outcome.assert_ends(0, "success");
    let id = outcome.text("session_id").to_owned();
    let later = honest.run(&["--session-id", &id, "thanks"]);
    later.assert_ends(0, "success");
    // What was refused before excuses none.
    let refused = Scene::new([write("new.txt"), Reply::text("No."), claim()]);
    let outcome = refused.run(&["create new.txt"]);
    let id = outcome.text("session_id").to_owned();
    let later = refused.run(&["--session-id", &id, "say how it went"]);
    later.assert_ends(3, "partial");
    assert_eq!(later.code(), "agents.nothing_changed");
}

#[test]
fn a_false_claim_after_a_true_change_is_corrected() {
    let claim = || Reply::text("Ich habe kapitel.md geändert und die Änderung gespeichert.");
    let scene = Scene::new([write("probe.txt"), Reply::text("Gespeichert."), claim()]);
    let open = ["--allow-write", ".", "--yes", "write"];
    let outcome = scene.run(&[&open[..], &["Lege probe.txt an"]].concat());
    outcome.assert_ends(0, "success");
    let id = outcome.text("session_id").to_owned();
    let later = scene.run(&["--session-id", &id, "Korrigiere kapitel.md"]);
    later.assert_ends(3, "partial");
    assert_eq!(later.code(), "agents.nothing_changed");
}

#[test]
fn a_result_that_was_ordered_and_not_brought_about_is_corrected() {
    let told = [
        (
            "Nenne Kapitel 3 um",
            "Erledigt! Das Kapitel ist jetzt umbenannt.",
            3,
        ),
        ("Korrigiere a.md", "Der Tippfehler ist behoben.", 3),
        ("Renomme le chapitre 4", "Le chapitre 4 a été renommé.", 3),
        ("Rename chapter 3", "Done.", 3),
        (
            "Rename chapter 3",
            "The chapter is not renamed: which one is it?",
            0,
        ),
        ("Korrigiere diesen Satz: Er gehen.", "Erledigt: Er geht.", 0),
    ];
    let scene = Scene::new(told.map(|(_, answer, _)| Reply::text(answer)));
    for (request, answer, code) in told {
        let outcome = scene.run(&[request]);
        assert_eq!(outcome.finished.code, Some(code), "{request}: {answer}");
    }
}

#[test]
fn a_claim_in_another_language_is_corrected_and_not_remembered() {
    let lies = [
        "Ich habe die Datei kapitel-01.md gelöscht und den Fehler in kapitel-02.md korrigiert.",
        "J'ai modifié kapitel-01.md et enregistré le fichier.",
        "Ho salvato il file kapitel-01.md.",
    ];
    let honest = "Ich habe die Datei kapitel-01.md gelesen, geändert habe ich nichts.";
    let scene = Scene::new([lies[0], lies[1], lies[2], honest].map(Reply::text));
    for _ in lies {
        let outcome = scene.run(&["Bitte bringe kapitel-01.md in Ordnung"]);
        outcome.assert_ends(3, "partial");
        assert_eq!(outcome.code(), "agents.nothing_changed");
    }
    let outcome = scene.run(&["Bitte sieh dir kapitel-01.md an"]);
    outcome.assert_ends(0, "success");
    let kept = scene.house.ask(["memory", "export"]).run().expect(0).stdout;
    assert!(kept.contains("gelesen"), "{kept}");
    for lie in lies {
        assert!(!kept.contains(lie), "{kept}");
    }
}

#[test]
fn a_call_of_a_missing_tool_is_no_denied_task() {
    let scene = Scene::new([
        Reply::call("no_such_tool", json!({"q": "port"})),
        Reply::text("The port is 8080."),
    ]);
    scene.run(&["which port is it?"]).assert_ends(0, "success");
}

#[test]
fn arguments_that_fit_no_schema_are_no_denied_task() {
    let scene = Scene::new([
        Reply::call("read_file", json!({"file_name": 7})),
        Reply::text("The port is 8080."),
    ]);
    scene.run(&["which port is it?"]).assert_ends(0, "success");
}

#[test]
fn the_doctor_looks_at_the_hardware_and_compares_speeds() {
    let words = || Reply::text("Red, yellow ").and_text("and blue are the three colours.");
    let scene = Scene::new([words(), words()]);
    let told = || {
        let doctor = scene.house.ask(["doctor", "--model", "--json"]).run();
        let checks: Value = serde_json::from_str(&doctor.stdout).unwrap();
        checks.as_array().unwrap().clone()
    };
    let detail = |checks: &[Value], name: &str| {
        let mut named = checks.iter().filter(|check| check["name"] == name);
        named.next().unwrap()["detail"].as_str().unwrap().to_owned()
    };
    let checks = told();
    assert!(detail(&checks, "processor").contains("threads"));
    assert!(detail(&checks, "memory (RAM)").contains("GB free"));
    assert_ne!(detail(&checks, "graphics"), "");
    let kept = scene.house.state().join("speeds.json");
    let mut best: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
    // It was a thousand times faster once.
    let rate = best["scripted/scripted-model"]["rate"].as_f64().unwrap();
    best["scripted/scripted-model"]["rate"] = json!(rate * 1_000.0);
    std::fs::write(&kept, best.to_string()).unwrap();
    let slower = detail(&told(), "model speed");
    assert!(slower.contains("slower than before"), "{slower}");
}

#[test]
fn a_line_to_paste_has_the_task_that_came_by_a_pipe() {
    let house = testkit::House::new();
    house.write("notes.md", "draft\n");
    for task in [vec!["-"], vec![]] {
        let run = house.ask(["run", "--mode", "deterministic"]).args(task);
        let run = run.stdin("replace draft with final in notes.md\n").run();
        let line = run
            .stderr
            .lines()
            .find(|line| line.starts_with("  carl run --approve"));
        let line = line.unwrap_or_else(|| panic!("{run:#?}"));
        let task = " --allow-write . --mode deterministic 'replace draft with final in notes.md'";
        assert!(line.ends_with(task), "{line}");
    }
}

#[test]
fn a_line_to_paste_is_not_broken_by_a_narrow_terminal() {
    let house = testkit::House::new();
    house.write("notes.md", "draft\n");
    let run = house.ask(["run", "--mode", "deterministic"]);
    let mut shell = run.env("TERM", "xterm").env("PS1", "sh> ").in_shell();
    for (columns, is_broken) in [(64, true), (80, true), (100, false)] {
        shell.until("sh> ");
        shell.types(&format!(
            "echo 'replace draft with final in notes.md' | COLUMNS={columns} \"$@\"\n"
        ));
        shell.until("Nothing was run.");
        let begin = match is_broken {
            true => "  carl run --allow-write . --mode deterministic",
            false => "  carl run --approve ",
        };
        shell.until(begin);
        let line = shell.until("final in notes.md'");
        assert!(!line.contains('\n'), "{line}");
        if is_broken {
            shell.until(" --approve \\\r\n");
            let hash = shell.until("\r\n");
            let is_hash = |c: char| c.is_ascii_hexdigit();
            assert!(hash.len() == 64 && hash.chars().all(is_hash), "{hash}");
        }
    }
    shell.types("exit\n");
    shell.finish();
}
