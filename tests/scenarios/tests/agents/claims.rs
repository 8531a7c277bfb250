//! Answers and reports that say more than the calls bear out, and honest ones beside them.

use scenarios::crew::{Wanted, task, wanted};
use scenarios::{Outcome, Scene};
use serde_json::{Value, json};
use testkit::{Reply, Server};

const OPEN: [&str; 6] = [
    "--agent",
    "sysadmin",
    "--allow-write",
    ".",
    "--yes",
    "exec,write",
];

fn runs(command: &str) -> Reply {
    Reply::call("run_command", json!({"argv": ["sh", "-c", command]}))
}

fn outcome(task: &str, replies: impl IntoIterator<Item = Reply>) -> Outcome {
    Scene::new(replies).run(&[&OPEN[..], &[task]].concat())
}

#[test]
fn a_command_that_failed_is_told_in_json() {
    let replies = |answer| [runs("exit 3"), Reply::text(answer)];
    let honest = outcome("look for it", replies("There is no hit."));
    honest.assert_ends(0, "success");
    let call = &honest.calls()[0];
    assert_eq!(
        (&call["status"], &call["exit_code"]),
        (&json!("ok"), &json!(3))
    );
    let killed = outcome(
        "try it",
        [runs("kill -9 $$"), Reply::text("It was killed.")],
    );
    assert_eq!(killed.calls()[0]["exit_code"], 137);
}

#[test]
fn success_claimed_after_a_command_that_failed_is_corrected() {
    let claim = || Reply::text("I committed the changes as `fix`; all tests pass.");
    let lie = outcome("commit it", [runs("exit 128"), claim()]);
    lie.assert_ends(3, "partial");
    assert_eq!(lie.code(), "agents.command_failed");
    let message = lie.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("exit code 128"), "{message}");
    outcome("commit it", [runs("true"), claim()]).assert_ends(0, "success");
    let honest = Reply::text("I ran the tests, and one fails.");
    outcome("run the tests", [runs("exit 1"), honest]).assert_ends(0, "success");
}

#[test]
fn who_reads_standard_output_alone_is_told_what_did_not_happen() {
    let says = |words: &str| {
        let scene = Scene::new([Reply::text(words)]);
        scene.house.ask(["run", "write new.txt"]).run()
    };
    let lie = says("I wrote new.txt for you.").expect(3).stdout;
    let told = "I wrote new.txt for you.\n[The answer says that something was changed. Nothing was";
    assert!(lie.starts_with(told), "{lie}");
    let honest = says("I cannot write here.").expect(0).stdout;
    assert_eq!(honest, "I cannot write here.\n");
}

/// A scene whose model says that it wrote a file, and goes on like this when it is asked again.
fn asked_again(second: Reply) -> Scene {
    let lie = Reply::text("I wrote new.txt for you.");
    let mut replies = [lie, second, Reply::text("Now it is there.")].into_iter();
    let server = Server::speak(move |_, _| replies.next().unwrap()).openai();
    Scene::with(server, "openai")
}

#[test]
fn a_model_that_claims_what_no_call_did_is_asked_once_more() {
    let open = ["--allow-write", ".", "--yes", "write", "write new.txt"];
    let arguments = json!({"path": "new.txt", "content": "text\n"});
    let does_it = asked_again(Reply::call("write_file", arguments));
    let outcome = does_it.run(&open);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), "Now it is there.");
    assert_eq!(does_it.house.read("new.txt"), "text\n");
    let asked = does_it.server.chats()[1].body.to_string();
    assert!(asked.contains("Nothing was: no tool that changes anything did its work. If it is"));
    let told = &outcome.finished.stderr;
    assert!(told.contains("The model is asked again."), "{told}");
    let admits = asked_again(Reply::text("I cannot write here."));
    let outcome = admits.run(&open);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), "I cannot write here.");
}

#[test]
fn what_the_user_refused_is_not_asked_of_the_model_again() {
    let write = Reply::call("write_file", json!({"path": "new.txt", "content": "x"}));
    let scene = Scene::new([write, Reply::text("I wrote new.txt for you.")]);
    let outcome = scene.run(&["write new.txt"]);
    outcome.assert_ends(5, "denied");
    let asked = scene.server.chats()[2].body.to_string();
    assert!(
        asked.contains("was denied. Say plainly what was done"),
        "{asked}"
    );
    assert!(!asked.contains("do it now with a tool"), "{asked}");
}

#[test]
fn a_reason_for_several_denials_is_told_once() {
    let write = |name: &str| ("write_file", json!({"path": name, "content": "x"}));
    let (tool, first) = write("a.txt");
    let both = Reply::call(tool, first).and_call(tool, write("b.txt").1);
    let scene = Scene::new([both, Reply::text("Both were refused.")]);
    let told = scene.house.ask(["run", "write a.txt and b.txt"]).run();
    let told = told.stderr;
    let full = told.matches("denied by path: ").count();
    assert_eq!(full, 2, "{told}");
    assert_eq!(told.matches("for the same reason").count(), 1, "{told}");
}

/// What is written to standard output by a coder who changes a file first.
fn after_a_change(task: &str, before: Option<Reply>, answer: &str) -> String {
    let write = json!({"path": "notes.md", "content": "the text\n"});
    let mut replies = vec![Reply::call("write_file", write)];
    replies.extend(before);
    replies.push(Reply::text(answer));
    let scene = Scene::new(replies);
    let open = [
        "run",
        "--agent",
        "coder",
        "--allow-write",
        ".",
        "--yes",
        "write",
    ];
    let ran = scene.house.ask([&open[..], &[task]].concat()).run();
    ran.stdout
}

/// Runs of git and of anything else that these tests name are judged by what ran.
fn command(argv: &[&str]) -> Reply {
    Reply::call("run_command", json!({"argv": argv}))
}

#[test]
fn passing_tests_without_a_run_are_corrected() {
    let task = "fix the typo in notes.md";
    for lie in [
        "I fixed the typo and ran the tests: all pass.",
        "I fixed the typo and all tests pass.",
        "Fixed. The build succeeds.",
    ] {
        let told = after_a_change(task, None, lie);
        let line = format!("{lie}\n[The answer says that ");
        assert!(told.starts_with(&line), "{told}");
    }
    for honest in [
        "I fixed the typo; the tests are in tests/.",
        "I fixed the typo. Run the tests to see.",
        "I fixed the typo. The tests fail.",
        "I fixed the typo. I could not run the tests.",
    ] {
        assert_eq!(after_a_change(task, None, honest), format!("{honest}\n"));
    }
}

#[test]
fn passing_tests_after_a_refused_run_are_corrected() {
    for (tests, why) in [("pytest", "refused"), ("no-such-program-test", "failed")] {
        let scene = Scene::new([command(&[tests]), Reply::text("All tests pass.")]);
        let yes: &[&str] = if why == "failed" { &OPEN } else { &[] };
        let args = [&["run"], yes, &["do the tests of the project pass now?"]].concat();
        let told = scene.house.ask(args).run().stdout;
        assert!(told.contains("\n[The answer says that tests"), "{told}");
        assert!(told.contains("`run_command`"), "{told}");
    }
    let told = outcome(
        "run the tests",
        [command(&["true"]), Reply::text("All tests pass.")],
    );
    told.assert_ends(0, "success");
    // What was read is told of, and nothing was to be run.
    let read = [
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("By this log all tests pass."),
    ];
    outcome("summarise ci.log", read).assert_ends(0, "success");
}

#[test]
fn a_commit_that_was_refused_beside_another_run_is_corrected() {
    let after = |commit: &[&str], answer: &str| {
        let replies = [command(&["true"]), command(commit), Reply::text(answer)];
        outcome("commit the change", replies)
    };
    // What runs after the words of a program were read is asked about, and nobody is there.
    let missed = ["sh", "-c", "git commit -m x; exit 1"];
    let lie = after(&missed, "I committed the change.");
    lie.assert_ends(3, "partial");
    assert_eq!(lie.code(), "agents.nothing_run");
    let message = lie.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("`run_command` was refused"), "{message}");
    let done = [
        command(&["echo", "commit"]),
        Reply::text("I committed the change."),
    ];
    outcome("commit the change", done).assert_ends(0, "success");
    let honest = after(&missed, "I could not commit the change.");
    assert_eq!(honest.code(), "agents.change_failed");
}

/// One task for an agent whose only command fails, and which reports success.
fn hands_out(body: &Value) -> Reply {
    match wanted(body) {
        Wanted::Tasks => {
            let mut one = task("run", "Run the tests", &[]);
            one["agent_type"] = json!("sysadmin");
            Reply::text(json!({"tasks": [one]}).to_string())
        }
        Wanted::Report => {
            let report = json!({
                "status": "success", "summary": "All tests pass.", "artifacts": [],
                "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
            });
            Reply::text(report.to_string())
        }
        Wanted::Other | Wanted::Digest => Reply::text(json!({"keep": []}).to_string()),
        Wanted::Answer => Reply::text("They were run."),
        Wanted::Step if body["messages"].to_string().contains("\"role\":\"tool\"") => {
            Reply::text("All tests pass.")
        }
        Wanted::Step => runs("exit 1"),
    }
}

#[test]
fn a_report_of_success_after_a_failed_command_alone_is_partial() {
    let server = Server::speak(|body, _| hands_out(body)).openai();
    let scene = Scene::with(server, "openai");
    let args = ["--agent", "orchestrator", "--yes", "exec", "Run the tests"];
    let outcome = scene.run(&args);
    outcome.assert_ends(3, "partial");
    let told = scene.told();
    assert!(told.contains("run_command 1 (exit code 1)"), "{told}");
    assert!(!told.contains("success, verified"), "{told}");
}

#[test]
fn a_claim_in_a_developers_or_a_writers_words_is_corrected() {
    let fix = "please fix the bug in gross, add a docstring and tests in calc.py";
    let told = [
        (fix, "I have fixed the bug in `gross`.", "changed"),
        (fix, "Fixed.", "changed"),
        (fix, "Done! I refactored calc.py.", "changed"),
        (fix, "I committed the change.", "run"),
        (fix, "I ran the tests and all 2 pass.", "run"),
        (
            "Ersetze Johannes durch Jonathan in allen Kapiteln",
            "Ich habe Johannes in allen Kapiteln durch Jonathan ersetzt.",
            "changed",
        ),
        (
            "Merge chapters 1 to 3 into buch.md",
            "I merged them.",
            "changed",
        ),
        (
            "Write a summary of chapter 1 to zusammenfassung.md",
            "The summary is in zusammenfassung.md now.",
            "changed",
        ),
        (
            "Forget my publisher",
            "Done. I have forgotten your publisher.",
            "changed",
        ),
        (
            "Remind me tomorrow at 9",
            "I set a reminder for tomorrow at 9.",
            "changed",
        ),
    ];
    let scene = Scene::new(told.map(|(_, answer, _)| Reply::text(answer)));
    for (request, answer, what) in told {
        let outcome = scene.run(&[request]);
        assert_eq!(outcome.finished.code, Some(3), "{request}: {answer}");
        assert_eq!(outcome.code(), format!("agents.nothing_{what}"), "{answer}");
    }
    let kept = scene.house.ask(["memory", "export"]).run().expect(0).stdout;
    assert!(!kept.contains("forgotten your publisher"), "{kept}");
}

/// The deletion is refused, then another file is written, then comes the answer.
fn after_a_refused_deletion(task: &str, answer: &str) -> Outcome {
    let replies = [
        Reply::call("delete_file", json!({"path": "old.md"})),
        Reply::call(
            "write_file",
            json!({"path": "log.md", "content": "noted\n"}),
        ),
        Reply::text(answer),
    ];
    let scene = Scene::new(replies);
    scene.house.write("old.md", "an old text\n");
    let open = ["--agent", "coder", "--allow-write", ".", "--yes", "write"];
    let outcome = scene.run(&[&open[..], &[task]].concat());
    assert_eq!(outcome.calls()[0]["status"], "denied");
    assert_eq!(outcome.calls()[1]["status"], "ok");
    outcome
}

#[test]
fn a_deletion_claimed_beside_another_change_is_corrected() {
    let task = "Note it in log.md and delete old.md";
    for lie in [
        "Deleted.",
        "I noted it in log.md and deleted old.md.",
        "I deleted old.md and changed both other files.",
    ] {
        let outcome = after_a_refused_deletion(task, lie);
        outcome.assert_ends(3, "partial");
        assert_eq!(outcome.code(), "agents.nothing_deleted", "{lie}");
        let message = outcome.summary["error"]["message"].as_str().unwrap();
        assert!(message.contains("`delete_file` was refused"), "{message}");
    }
    for honest in [
        "I deleted the line in log.md; old.md stays.",
        "Noted in log.md. I could not delete old.md.",
    ] {
        after_a_refused_deletion(task, honest).assert_ends(0, "success");
    }
}

#[test]
fn a_deletion_claimed_where_nothing_came_about_is_corrected() {
    let deletes = |name: &str| Reply::call("delete_file", json!({"path": name}));
    let after = |task: &str, replies: Vec<Reply>| {
        let scene = Scene::new(replies);
        scene.house.write("old.md", "an old text\n");
        scene.house.write("older.md", "an older text\n");
        scene.house.ask(["run", task]).run().stdout
    };
    for (task, lie) in [
        ("get rid of old.md and older.md", "Deleted."),
        ("get rid of old.md and older.md", "Both files are deleted."),
        ("nobody needs old.md and older.md", "Done."),
        ("delete old.md and older.md", "It is gone now."),
        ("delete old.md and older.md", "They are gone."),
    ] {
        let replies = vec![deletes("old.md"), deletes("older.md"), Reply::text(lie)];
        let told = after(task, replies);
        assert!(
            told.contains("\n[The answer says that something was"),
            "{lie}: {told}"
        );
        assert!(told.contains("delete_file"), "{told}");
    }
    for honest in [
        "I could not delete old.md: denied.",
        "old.md is not gone: I may not delete here.",
        "Nothing was deleted.",
        "Is old.md gone already?",
        "I deleted nothing.",
        "Done with old.md: it stays, deleting was denied.",
    ] {
        let replies = vec![deletes("old.md"), Reply::text(honest)];
        assert_eq!(after("get rid of old.md", replies), format!("{honest}\n"));
    }
}

#[test]
fn claims_of_several_kinds_are_judged_each() {
    let task = "Remind me tomorrow, note it in log.md and delete old.md";
    let lie = "Deleted. I set a reminder for tomorrow.";
    let outcome = after_a_refused_deletion(task, lie);
    outcome.assert_ends(3, "partial");
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("something was deleted"), "{message}");
    assert!(message.contains("a reminder is set"), "{message}");
}

#[test]
fn advice_quotations_and_tales_of_the_past_are_no_claims() {
    let told = [
        (
            "What did you do with calc.py?",
            "I fixed the bug and added tests.",
        ),
        (
            "Review calc.py and fix what you find",
            "I would fix `gross` first: it adds twice. Shall I?",
        ),
        ("Make the table fixed-width", "Use a fixed-width font."),
        (
            "Korrigiere kapitel.md",
            "Dort steht: „das habe ich gestern geändert“. Welche Stelle ist gemeint?",
        ),
        ("Write a poem", "I moved the stars and changed my name."),
        ("Run the tests", "I cannot run the tests here."),
    ];
    let scene = Scene::new(told.map(|(_, answer)| Reply::text(answer)));
    for (request, answer) in told {
        let outcome = scene.run(&[request]);
        assert_eq!(outcome.finished.code, Some(0), "{request}: {answer}");
    }
}

#[test]
fn what_users_tell_of_themselves_orders_no_change_and_is_remembered() {
    let scene = Scene::new([Reply::text("Fertig.")]);
    let told = "Ich heiße Åsa Çelik und schreibe als Renée Groß";
    scene.run(&[told]).assert_ends(0, "success");
    let kept = scene.house.ask(["memory", "export"]).run().expect(0).stdout;
    assert!(kept.contains("Åsa Çelik"), "{kept}");
}
