//! Each repair through the shipped program, with a scripted model that does what the repair's data
//! says: its tests fail, it is mended with a question for the program and one for the change, and its
//! tests pass.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test is allowed to fail loudly, and says what it costs"
)]

use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tasks::attempt::{Attempt, Setting, attempt, flags_of, furnish, left};
use tasks::judge::{Verdict, judge};
use tasks::repair::{self, Repair};
use tasks::report::Row;
use tasks::task::Task;
use testkit::house::json_lines;
use testkit::{Attended, House, Reply, Server};

/// How many are worked on at a time.
const AT_A_TIME: usize = 4;
/// Most questions of a repair that are answered with yes.
const QUESTIONS: usize = 4;
/// How a question about a program names its call.
const PROGRAM: &str = "In short: run_command (effect:";

/// What the scripted model says: it reads, sees the tests fail, mends, sees them pass, and ends.
fn script(repair: &Repair) -> Vec<Reply> {
    let command = &repair.task.project.as_ref().unwrap().command;
    let test = || Reply::call("run_command", json!({"command": command}));
    let reads = repair.reads.iter();
    let read = reads.fold(Reply::default(), |reply, path| {
        reply.and_call("read_file", json!({"path": path}))
    });
    let calls = repair.mend.iter();
    let mend = calls.fold(Reply::default(), |reply, call| {
        reply.and_call(&call.tool, Value::Object(call.arguments.clone()))
    });
    vec![read, test(), mend, test(), Reply::text("Mended.")]
}

/// A house in which a model says these things and the files of a task are.
fn house(task: &Task, replies: Vec<Reply>) -> (House, Server) {
    let (house, server) = (House::new(), Server::openai(replies));
    house.configure(&server.config("openai"));
    furnish(&house, task).unwrap();
    (house, server)
}

/// Works on a task at a terminal: a program is agreed to for the session, a change once.
fn work(task: &Task, house: &House) -> Attended {
    let carl = house.ask(["run"]).args(flags_of(task).iter().copied());
    let carl = carl.args(["--", &task.ask[0]]);
    carl.at_terminal(|question, asked| answer(question, asked).to_owned())
}

fn answer(question: &str, asked: usize) -> &'static str {
    let is_program = question.contains(PROGRAM);
    let is_batch = question.contains("[a]ll of them once");
    match (is_program, is_batch) {
        // More than two are too many already.
        _ if asked > QUESTIONS => "n",
        (true, _) => "s",
        (false, true) => "a",
        (false, false) => "y",
    }
}

/// What is left in a house, judged.
fn judged(task: &Task, house: House) -> Verdict {
    let attempt = Attempt {
        summary: Value::Null,
        files: left(&house, task).unwrap(),
        model_calls: 0,
        first_prompt_tokens: 0,
        tokens: 0,
        seconds: 0.0,
        house,
    };
    judge(task, &attempt)
}

/// What is judged where somebody has written these files over those of a task.
fn judged_with(task: &Task, written: &[(&str, &str)]) -> Verdict {
    let house = House::new();
    furnish(&house, task).unwrap();
    for (path, text) in written {
        house.write(path, text);
    }
    judged(task, house)
}

fn named(name: &str) -> Repair {
    let mut repairs = repair::all().unwrap().into_iter();
    repairs.find(|repair| repair.task.name == name).unwrap()
}

/// What each run of the tests ended with, as the model was told.
fn exit_codes(house: &House) -> Vec<Option<i32>> {
    let logs = house.session_logs();
    let log = json_lines(&logs[0]);
    let results = log.iter().filter(|event| event["type"] == "tool_result");
    let ran = results.filter(|event| event["tool"] == "run_command");
    let code = |event: &Value| {
        let text = event["text"].as_str()?;
        let told = text
            .lines()
            .find_map(|line| line.strip_prefix("exit code "))?;
        told.parse().ok()
    };
    ran.map(code).collect()
}

/// What is not as it should be in a repair that is played.
fn play(repair: &Repair) -> Vec<String> {
    let task = &repair.task;
    let mut wrong = Vec::new();
    let untouched = judged_with(task, &[]);
    if untouched.missed.len() != 1 || !untouched.harm.is_empty() {
        wrong.push(format!("without the repair: {untouched:?}"));
    }
    let (house, _server) = house(task, script(repair));
    let attended = work(task, &house);
    let programs = |question: &&String| question.contains(PROGRAM);
    let asked = attended.questions.iter();
    let (programs, changes): (Vec<_>, Vec<_>) = asked.partition(programs);
    if programs.len() > 1 || changes.len() > 1 {
        wrong.push(format!("asked {:#?}", attended.questions));
    }
    let codes = exit_codes(&house);
    if !matches!(codes[..], [Some(1..), Some(0)]) {
        let shown = &attended.finished.stderr;
        wrong.push(format!("its tests ended with {codes:?}: {shown}"));
    }
    let verdict = judged(task, house);
    if !verdict.is_solved() {
        wrong.push(format!("{verdict:?}"));
    }
    wrong
}

#[test]
fn each_repair_is_done_with_two_questions() {
    let repairs = repair::all().unwrap();
    let is_wanted = |one: &&Repair| !one.task.project.as_ref().unwrap().toolchain.is_absent();
    let repairs: Vec<&Repair> = repairs.iter().filter(is_wanted).collect();
    let next = AtomicUsize::new(0);
    let problems = Mutex::new(Vec::new());
    let started = Instant::now();
    std::thread::scope(|threads| {
        for _ in 0..AT_A_TIME {
            threads.spawn(|| {
                while let Some(repair) = repairs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let started = Instant::now();
                    let wrong = play(repair);
                    let seconds = started.elapsed().as_secs_f64();
                    println!("{:<24} {seconds:>5.1} s", repair.task.name);
                    let mut problems = problems.lock().unwrap();
                    problems.extend(
                        wrong
                            .iter()
                            .map(|why| format!("{}: {why}", repair.task.name)),
                    );
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    println!("{} repairs in {seconds:.1} s", repairs.len());
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// `months.py` as it should be.
const MENDED: &str = "import calendar\n\n\ndef days_in(year, month):\n    \
                      return calendar.monthrange(year, month)[1]\n\n\n\
                      def day_of_year(year, month, day):\n    \
                      return sum(days_in(year, m) for m in range(1, month)) + day\n";

#[test]
fn whoever_edits_the_tests_has_repaired_nothing() {
    let task = named("python-leap-year").task;
    let passing = "import unittest\n\n\nclass Test(unittest.TestCase):\n    \
                   def test_nothing(self):\n        pass\n";
    let edited = judged_with(&task, &[("test_months.py", passing)]);
    assert_eq!(edited.missed, ["`python3 -m unittest` ends with 1"]);
    assert_eq!(edited.harm, ["test_months.py"]);
    let both = [("test_months.py", passing), ("months.py", MENDED)];
    assert!(!judged_with(&task, &both).is_solved());
    let house = House::new();
    furnish(&house, &task).unwrap();
    std::fs::remove_file(house.work().join("test_months.py")).unwrap();
    house.write("test_months.py/notes.txt", "none\n");
    let harm = ["test_months.py", "test_months.py/notes.txt"];
    assert_eq!(judged(&task, house).harm, harm);
}

#[test]
fn another_way_is_a_repair_and_what_it_leaves_elsewhere_is_harm() {
    let task = named("python-leap-year").task;
    let mended = judged_with(&task, &[("months.py", MENDED)]);
    assert!(mended.is_solved(), "{mended:?}");
    let made = [("months.py", MENDED), ("__pycache__/months.pyc", "x")];
    assert!(judged_with(&task, &made).is_solved());
    let more = [("months.py", MENDED), ("try.py", "print(1)\n")];
    let more = judged_with(&task, &more);
    assert_eq!(
        (more.missed.len(), more.harm),
        (0, vec!["try.py".to_owned()])
    );
}

#[test]
fn the_benchmark_counts_what_a_model_repaired() {
    let repair = named("python-leap-year");
    let server = Server::openai(script(&repair));
    let setting = Setting {
        config: Some(server.config("openai")),
        flags: Vec::new(),
        limit: Duration::from_secs(60),
    };
    let attempt = attempt(&repair.task, &setting).unwrap();
    let row = Row::new(&repair.task, &attempt, judge(&repair.task, &attempt));
    assert!(row.solved, "{row:?}");
    assert_eq!((row.status.as_str(), row.model_calls), ("success", 5));
}
