//! How much a model can be asked: a small one is asked less at a time.

use crate::work::Work;
use api::models::{ModelInfo, Models};
use domain::model::{ModelChoice, Reach};

/// Largest model that counts as small, bytes on disk.
const SMALL_MODEL_BYTES: u64 = 1 << 30;

/// How capable the model is that will be asked. What is not known counts as capable.
pub(crate) async fn reach(work: &Work) -> Reach {
    tokio::select! {
        biased;
        () = work.cancel.cancelled() => Reach::Any,
        reach = reach_of_choice(&*work.services.models, &work.agent.model) => reach,
    }
}

/// The same, of whichever model.
pub(crate) async fn reach_of_choice(models: &dyn Models, choice: &ModelChoice) -> Reach {
    match models.list_models().await {
        Ok(models) => reach_of(choice, &models),
        // The call that follows meets the same trouble and reports it.
        Err(error) => {
            tracing::debug!(%error, "models could not be listed");
            Reach::Any
        }
    }
}

fn reach_of(choice: &ModelChoice, models: &[ModelInfo]) -> Reach {
    let is_small = |one: &&ModelInfo| one.size_bytes.is_some_and(|size| size <= SMALL_MODEL_BYTES);
    let wanted: Vec<&ModelInfo> = match choice {
        ModelChoice::Exact(exact) => models.iter().filter(|one| one.model == *exact).collect(),
        ModelChoice::Role(role) => {
            let mapped: Vec<&ModelInfo> = models
                .iter()
                .filter(|one| one.roles.contains(role))
                .collect();
            if mapped.is_empty() {
                models.iter().collect()
            } else {
                mapped
            }
        }
    };
    if !wanted.is_empty() && wanted.iter().all(is_small) {
        Reach::Small
    } else {
        Reach::Any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::{ModelRef, ModelRole};

    fn info(name: &str, size_bytes: Option<u64>, roles: &[ModelRole]) -> ModelInfo {
        ModelInfo {
            model: ModelRef {
                provider: "p".to_owned(),
                model: name.to_owned(),
            },
            context_tokens: None,
            size_bytes,
            loaded: None,
            class: None,
            roles: roles.to_vec(),
        }
    }

    #[test]
    fn only_a_model_known_to_be_small_is_treated_as_small() {
        let fast = ModelChoice::Role(ModelRole::Fast);
        let small = info("s", Some(SMALL_MODEL_BYTES), &[ModelRole::Fast]);
        let large = info("l", Some(SMALL_MODEL_BYTES + 1), &[]);
        assert_eq!(
            reach_of(&fast, &[small.clone(), large.clone()]),
            Reach::Small
        );
        assert_eq!(
            reach_of(
                &ModelChoice::Exact(large.model.clone()),
                &[small, large.clone()]
            ),
            Reach::Any
        );
        assert_eq!(reach_of(&fast, &[info("u", None, &[])]), Reach::Any);
        assert_eq!(
            reach_of(&fast, &[info("s", Some(1), &[]), large]),
            Reach::Any
        );
        assert_eq!(reach_of(&fast, &[]), Reach::Any);
    }
}
