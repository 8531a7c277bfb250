//! Guards recall: what memory finds of the generated conversations does not fall.

#![allow(
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

use api::models::Models;
use generated::dialogue::conversations;
use memory::Config;
use recall::ask::{Among, ask};
use recall::conversation::turns;
use recall::embedder;
use recall::kept::Filled;
use recall::report::Run;
use std::path::Path;
use std::sync::Arc;

/// The seed of the set.
const SEED: u64 = 20;
/// Words alone found 0.87 of it when this was written.
const WORDS_AT_LEAST: f64 = 0.82;
/// Words and vectors found 0.86 of its first conversation.
const BOTH_AT_LEAST: f64 = 0.77;

async fn measured(folder: &Path, models: Arc<dyn Models>, config: &Config, count: usize) -> Run {
    let conversations = conversations(count, SEED);
    let texts = turns(&conversations);
    let memory = folder.join("memory");
    let filled = Filled::new(&memory, config, models, &conversations, texts);
    let filled = filled.await.unwrap();
    assert!(
        filled.ids.iter().all(Option::is_some),
        "{:?}",
        filled.refusals
    );
    let found = ask(&filled, &conversations, Among::Own).await.unwrap();
    Run {
        name: "generated",
        found,
        marks: Vec::new(),
    }
}

async fn words_alone(config: &Config) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let models = Arc::new(embedder::none(folder.path()).unwrap());
    measured(folder.path(), models, config, 3).await
}

#[tokio::test(flavor = "multi_thread")]
async fn words_alone_find_what_was_planted() {
    let run = words_alone(&Config::default()).await;
    println!("{}", run.table());
    assert!(run.recall().mean >= WORDS_AT_LEAST);
}

/// The positive control: the floor is not reached whatever happens.
#[tokio::test(flavor = "multi_thread")]
async fn without_what_belongs_together_less_is_found() {
    let mut config = Config::default();
    config.finding.weights.neighbour = 0.0;
    let run = words_alone(&config).await;
    println!("{}", run.table());
    assert!(run.recall().mean < WORDS_AT_LEAST);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_and_vectors_together_find_what_was_planted() {
    let set = ["HOUSE_ENGINE", "HOUSE_MODELS"].map(std::env::var_os);
    let [Some(program), Some(models)] = set else {
        println!("left out: HOUSE_ENGINE and HOUSE_MODELS are not set");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let engine = embedder::engine(program.into(), models.into(), run_folder).unwrap();
    let run = measured(folder.path(), Arc::new(engine), &Config::default(), 1).await;
    println!("{}", run.table());
    assert!(run.recall().mean >= BOTH_AT_LEAST);
    assert!(run.stage_recall("vector") > 0.5, "vectors were there");
}
