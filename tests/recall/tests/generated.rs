//! Guards recall: what memory finds of the generated conversations does not fall.

#![allow(
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

use api::models::Models;
use memory::Config;
use recall::ask::{Among, Found, ask};
use recall::conversation::turns;
use recall::embedder;
use recall::generated::conversations;
use recall::kept::Filled;
use recall::report::Run;
use std::path::Path;
use std::sync::Arc;

/// Conversations of the set, and their seed.
const SET: (usize, u64) = (3, 20);

async fn measured(folder: &Path, models: Arc<dyn Models>) -> Run {
    let conversations = conversations(SET.0, SET.1);
    let config = Config::default();
    let texts = turns(&conversations);
    let memory = folder.join("memory");
    let filled = Filled::new(&memory, &config, models, &conversations, texts);
    let filled = filled.await.unwrap();
    assert!(
        filled.ids.iter().all(Option::is_some),
        "{:?}",
        filled.refusals
    );
    let found: Found = ask(&filled, &conversations, Among::Own).await.unwrap();
    let run = Run {
        name: "generated",
        found,
        marks: Vec::new(),
    };
    println!("{}", run.table());
    run
}

#[tokio::test(flavor = "multi_thread")]
async fn words_alone_find_what_was_planted() {
    let folder = tempfile::tempdir().unwrap();
    let models = Arc::new(embedder::none(folder.path()).unwrap());
    let run = measured(folder.path(), models).await;
    assert!(run.recall().mean >= 0.5, "{}", run.recall().mean);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_and_vectors_together_find_more() {
    let set = ["HOUSE_ENGINE", "HOUSE_MODELS"].map(std::env::var_os);
    let [Some(program), Some(models)] = set else {
        println!("left out: HOUSE_ENGINE and HOUSE_MODELS are not set");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    let engine = embedder::engine(program.into(), models.into(), run_folder).unwrap();
    let run = measured(folder.path(), Arc::new(engine)).await;
    assert!(run.recall().mean >= 0.5, "{}", run.recall().mean);
}
