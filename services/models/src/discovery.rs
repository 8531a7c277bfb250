//! Looks which model servers answer, all at one time, and takes the first in order.

use crate::call::Listed;
use crate::choose::is_embedder;
use crate::instance::Instance;
use futures::StreamExt;
use futures::stream::FuturesOrdered;
use std::sync::Arc;
use std::time::Duration;

/// Asks every place and returns the first, in their order, that has a model to talk to, with the
/// names of those that were asked in vain before it. Each may take `wait` to list its models.
pub(crate) async fn first(
    places: &[Arc<Instance>],
    wait: Duration,
) -> (Option<(Arc<Instance>, Vec<Listed>)>, Vec<String>) {
    let mut asked: FuturesOrdered<_> = places
        .iter()
        .map(|place| async move { (place, place.backend.probe(wait).await) })
        .collect();
    let mut in_vain = Vec::new();
    while let Some((place, answer)) = asked.next().await {
        match answer {
            Ok(models) if models.iter().any(|one| !is_embedder(&one.model)) => {
                return (Some((Arc::clone(place), models)), in_vain);
            }
            Ok(_) => in_vain.push(format!("{} (no model installed)", place.name)),
            Err(error) => {
                tracing::debug!(provider = place.name, %error, "not found");
                in_vain.push(match place.backend.missing() {
                    // What is there and not used is said with what to do about it.
                    Some(missing) => format!("{} ({missing})", place.name),
                    None => place.name.clone(),
                });
            }
        }
    }
    (None, in_vain)
}

/// What a place for OpenAI-compatible servers is called: after the program that usually listens
/// there.
pub(crate) fn name_of(port: u16) -> String {
    match port {
        8080 => "llama-server".to_owned(),
        1234 => "lm-studio".to_owned(),
        8000 => "vllm".to_owned(),
        other => format!("local-{other}"),
    }
}
