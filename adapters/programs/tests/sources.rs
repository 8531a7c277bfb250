//! Source files that break the process which parses them: it costs their own symbols and no others.
//! The sandbox here runs nothing; each file says what becomes of its process.
#![cfg(feature = "grammars")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::documents::{DocumentError, Documents, ReadSource};
use api::sandbox::{Captured, Ended, Finished, Job, Refusal, Sandbox};
use async_trait::async_trait;
use domain::limits::{DOCUMENT_TEXT_BYTES, EXEC_TIME, READER_TIME, SOURCE_READERS, SOURCE_SYMBOLS};
use domain::source::{Language, Source};
use futures::future::BoxFuture;
use programs::{Config, ProgramTools, SOURCES_ENTRY};
use protected::Protected;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// Ends as the first file that says something else than `good` wants it.
#[derive(Default)]
struct Stage {
    jobs: Mutex<Vec<Job>>,
}

/// The texts that a process is given.
fn texts(mut input: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(end) = input.iter().position(|byte| *byte == b'\n') {
        let head = std::str::from_utf8(&input[..end]).unwrap();
        let (language, length) = head.split_once(' ').unwrap();
        assert_eq!(language, "Rust");
        let rest = &input[end + 1..];
        let (text, rest) = rest.split_at(length.parse().unwrap());
        texts.push(String::from_utf8(text.to_vec()).unwrap());
        input = rest;
    }
    texts
}

#[async_trait]
impl Sandbox for Stage {
    async fn run(&self, job: Job, _: BoxFuture<'static, ()>) -> Result<Finished, Refusal> {
        let texts = texts(&job.input);
        let wall = job.limits.wall;
        self.jobs.lock().unwrap().push(job);
        let mut stdout = Captured::default();
        let mut ended = Ended::Exited(0);
        for text in texts {
            let line = match text.as_str() {
                "kill" => {
                    ended = Ended::Killed(9);
                    break;
                }
                "hang" => {
                    ended = Ended::Exited(3);
                    break;
                }
                "sleep" => {
                    tokio::time::advance(wall).await;
                    ended = Ended::TimedOut;
                    break;
                }
                "full" if !stdout.head.is_empty() => break,
                "refuse" => return Err(Refusal::Broken("no more processes".to_owned())),
                "flood" => {
                    stdout.dropped = 1;
                    break;
                }
                "half" => {
                    stdout.head.extend(b"[[1,0,\"half\",");
                    ended = Ended::Killed(6);
                    break;
                }
                "lie" => r#"{"symbols": "all of them"}"#.to_owned(),
                "null" => "null".to_owned(),
                "many" => {
                    let one = r#"[1,0,"a","a"]"#;
                    format!("[{}]", vec![one; SOURCE_SYMBOLS + 1].join(","))
                }
                name => format!(r#"[[1,0,"{name}","fn {name}()"]]"#),
            };
            stdout.head.extend(line.bytes());
            stdout.head.push(b'\n');
        }
        Ok(Finished {
            ended,
            stdout,
            stderr: Captured::default(),
            mechanisms: Vec::new(),
            took: Duration::ZERO,
        })
    }
}

struct Bench {
    stage: Arc<Stage>,
    tools: ProgramTools,
}

impl Bench {
    fn new() -> Self {
        let stage = Arc::new(Stage::default());
        let tools = ProgramTools::new(Config {
            sandbox: stage.clone(),
            home: PathBuf::from("/nowhere"),
            reader: PathBuf::from("/bin/true"),
            program_time: EXEC_TIME,
            air_gap: false,
            protected: Protected::new(&[]),
            checkpoints: None,
            own_folders: Vec::new(),
        });
        Self { stage, tools }
    }

    async fn read(&self, texts: &[&str]) -> Vec<ReadSource> {
        let source = |text: &&str| Source {
            language: Language::Rust,
            text: (*text).to_owned(),
        };
        let sources = texts.iter().map(source).collect();
        let (progress, _) = mpsc::channel(1);
        self.tools.symbols(sources, &progress).await.unwrap()
    }

    fn processes(&self) -> usize {
        self.stage.jobs.lock().unwrap().len()
    }
}

/// What came of each file: its one symbol, or in a word why there is none.
fn outcomes(read: &[ReadSource]) -> Vec<&str> {
    read.iter().map(outcome).collect()
}

fn outcome(read: &ReadSource) -> &str {
    match read {
        Ok(symbols) => &symbols[0].name,
        Err(DocumentError::Timeout) => "(late)",
        Err(DocumentError::Unreadable { .. }) => "(broken)",
        Err(DocumentError::NotRun(_)) => "(not run)",
    }
}

#[tokio::test(start_paused = true)]
async fn sources_are_parsed_in_one_process_with_no_rights() {
    let bench = Bench::new();
    let read = bench.read(&["a", "b", "c"]).await;
    assert_eq!(outcomes(&read), ["a", "b", "c"]);
    let jobs = bench.stage.jobs.lock().unwrap();
    let [job] = jobs.as_slice() else {
        panic!("{jobs:?}")
    };
    assert_eq!(job.argv, ["/bin/true", SOURCES_ENTRY]);
    let program = PathBuf::from("/bin/true").canonicalize().unwrap();
    assert_eq!(job.read, [program]);
    assert!(job.write.is_empty());
    assert_eq!(job.network, api::sandbox::Network::None);
    assert_eq!(job.limits.wall, READER_TIME);
    assert_eq!(job.limits.output_bytes, DOCUMENT_TEXT_BYTES);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_breaks_its_process_costs_no_other() {
    for (bad, told) in [
        ("kill", "(broken)"),
        ("hang", "(late)"),
        ("half", "(broken)"),
        ("flood", "(broken)"),
    ] {
        for texts in [[bad, "a", "b"], ["a", bad, "b"], ["a", "b", bad]] {
            // What a flood washed away is not known to have been told.
            if bad == "flood" && texts[0] != bad {
                continue;
            }
            let bench = Bench::new();
            let read = bench.read(&texts).await;
            let expected = texts.map(|text| if text == bad { told } else { text });
            assert_eq!(outcomes(&read), expected, "{bad}");
            assert!(bench.processes() <= 2, "{bad}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_that_takes_all_the_time_leaves_none_to_others() {
    let bench = Bench::new();
    let read = bench.read(&["a", "sleep", "b"]).await;
    assert_eq!(outcomes(&read), ["a", "(late)"]);
    assert_eq!(bench.processes(), 1);
}

#[tokio::test(start_paused = true)]
async fn processes_are_started_up_to_their_limit() {
    let bench = Bench::new();
    let bad = ["kill"; SOURCE_READERS - 1];
    let read = bench.read(&[&bad[..], &["a"]].concat()).await;
    assert_eq!(outcomes(&read).last(), Some(&"a"));
    assert_eq!(bench.processes(), SOURCE_READERS);
    let bench = Bench::new();
    let bad = ["kill"; SOURCE_READERS];
    let read = bench.read(&[&bad[..], &["a"]].concat()).await;
    assert_eq!(outcomes(&read), ["(broken)"; SOURCE_READERS]);
    assert_eq!(bench.processes(), SOURCE_READERS);
}

#[tokio::test(start_paused = true)]
async fn full_output_goes_on_in_a_further_process() {
    let bench = Bench::new();
    let read = bench.read(&["a", "full", "b"]).await;
    assert_eq!(outcomes(&read), ["a", "full", "b"]);
    assert_eq!(bench.processes(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_a_parser_tells_is_believed_in_its_form_only() {
    let bench = Bench::new();
    let read = bench.read(&["lie", "null", "many", "a"]).await;
    assert_eq!(outcomes(&read), ["(broken)", "(broken)", "a", "a"]);
    assert_eq!(read[2].as_ref().unwrap().len(), SOURCE_SYMBOLS);
    assert_eq!(bench.processes(), 1);
}

#[tokio::test(start_paused = true)]
async fn without_a_sandbox_nothing_is_parsed() {
    let bench = Bench::new();
    let source = Source {
        language: Language::Rust,
        text: "refuse".to_owned(),
    };
    let (progress, _) = mpsc::channel(1);
    let refused = bench.tools.symbols(vec![source], &progress).await;
    assert_eq!(refused.unwrap_err().rule, "sandbox_failed");
    assert!(bench.read(&[]).await.is_empty());
}
