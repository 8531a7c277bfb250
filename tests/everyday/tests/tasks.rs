//! Honest use stays free: every task asks exactly the questions that a careful person would want.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use attacks::script::{Sitting, scene, sit};
use everyday::{Task, furnish, tasks};

/// What was asked, in order: `open` for the folder, else the effect of the call.
fn asked(sitting: &Sitting) -> Vec<String> {
    let questions = sitting.of_kind("confirmation_asked").into_iter();
    questions
        .map(|event| match event["kind"].as_str() {
            Some("write_root") => "open".to_owned(),
            _ => match event["effect"].as_str() {
                Some("shared_write") => "write".to_owned(),
                effect => effect.unwrap_or("?").to_owned(),
            },
        })
        .collect()
}

fn play(task: &Task) -> Result<(), String> {
    let calls: Vec<_> = task
        .calls
        .iter()
        .map(|(tool, arguments)| (tool.as_str(), arguments.clone()))
        .collect();
    let scene = scene(&calls);
    furnish(&scene.house);
    let mut args = vec!["--agent", task.agent.as_str()];
    args.extend(task.flags.iter().map(String::as_str));
    args.push(&task.task);
    let sitting = sit(&scene, &args, |_, _| "y".to_owned());
    let wanted: Vec<&str> = task
        .questions
        .iter()
        .map(|(what, _)| what.as_str())
        .collect();
    let asked = asked(&sitting);
    if asked != wanted {
        let reasons = sitting.of_kind("confirmation_asked").into_iter();
        let reasons: Vec<String> = reasons.map(|e| e["reason"].to_string()).collect();
        return Err(format!("asked {asked:?}, not {wanted:?}: {reasons:?}"));
    }
    let ends = sitting.statuses();
    if ends.len() != calls.len() || ends.iter().any(|status| status != "ok") {
        return Err(format!(
            "the calls ended {ends:?}:\n{}",
            sitting.seen.finished.stderr
        ));
    }
    Ok(())
}

#[test]
fn sixty_tasks_ask_what_a_careful_person_would_want_and_nothing_else() {
    let tasks = tasks();
    assert!(tasks.len() >= 60, "{}", tasks.len());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let problems = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                while let Some(task) =
                    tasks.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
                {
                    if let Err(problem) = play(task) {
                        problems
                            .lock()
                            .unwrap()
                            .push(format!("{}\n    {problem}", task.task));
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(
        problems.is_empty(),
        "{} of {}:\n{}",
        problems.len(),
        tasks.len(),
        problems.join("\n")
    );
}

#[test]
fn most_tasks_ask_nothing_and_every_question_has_a_reason() {
    let tasks = tasks();
    let silent = tasks
        .iter()
        .filter(|task| task.questions.is_empty())
        .count();
    assert!(silent * 2 >= tasks.len(), "{silent} of {}", tasks.len());
    for task in &tasks {
        assert!(
            task.questions.iter().all(|(_, why)| why.len() > 15),
            "{}",
            task.task
        );
    }
}
