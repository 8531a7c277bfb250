//! How long one small call takes: through the trait in process, over a unix socket, over TCP.
//!
//! Prints medians and tails; compare them within one run.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports to a person"
)]

use api::models::Models;
use contracts::FakeModels;
use domain::model::{ModelChoice, ModelRole};
use grpc::server::Builder;
use grpc::{Endpoint, Listen};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls before measuring.
const WARM_UP: usize = 500;
/// Calls measured.
const CALLS: usize = 5_000;

async fn measure(name: &str, models: &dyn Models) {
    let call = || models.count_tokens(ModelChoice::Role(ModelRole::Fast), "a few words".to_owned());
    for _ in 0..WARM_UP {
        call().await.unwrap();
    }
    let mut times: Vec<Duration> = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let start = Instant::now();
        call().await.unwrap();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |permille: usize| times[(CALLS - 1) * permille / 1_000];
    println!(
        "{name:<12} p50 {:>10.2?}  p90 {:>10.2?}  p99 {:>10.2?}",
        at(500),
        at(900),
        at(990)
    );
}

async fn wired(listen: &Listen) -> grpc::models::Client {
    let services = Builder::new().models(Arc::new(FakeModels::default()));
    let bound = services.bind(listen).await.unwrap();
    let endpoint = Endpoint::from(bound.local());
    tokio::spawn(bound.serve(std::future::pending()));
    grpc::models::Client::connect(&endpoint)
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let unix = wired(&Listen::Unix(folder.path().join("carl.sock"))).await;
    let tcp = wired(&"tcp:127.0.0.1:0".parse().unwrap()).await;
    measure("in process", &FakeModels::default()).await;
    measure("unix socket", &unix).await;
    measure("tcp", &tcp).await;
}
