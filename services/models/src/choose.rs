//! Picks a model for a role from what a server has, and knows what embedding models want.

use crate::call::Listed;
use api::models::EmbedPurpose;
use domain::model::ModelRole;

/// Largest model that a quick answer is asked of when there is a choice, bytes on disk.
const FAST_BYTES: u64 = 6 << 30;
/// Largest model that fits one usual graphics card, bytes on disk.
const CARD_BYTES: u64 = 12 << 30;

/// The model that suits a role best on the reference machine.
const fn preferred(role: ModelRole) -> &'static str {
    match role {
        ModelRole::Fast | ModelRole::Extract => "qwen2.5:7b-instruct",
        ModelRole::Reason => "qwen2.5:14b-instruct",
        ModelRole::Code => "qwen2.5-coder:14b",
        ModelRole::Judge => "prometheus-7b-v2.0",
        ModelRole::Embed => "nomic-embed-text",
    }
}

/// The best model for a role among those installed; `None` when none can do it.
pub(crate) fn best(role: ModelRole, installed: &[Listed]) -> Option<&Listed> {
    let able = installed
        .iter()
        .filter(|listed| is_embedder(&listed.model) == (role == ModelRole::Embed));
    // Of equals the first listed wins: servers list the most recent first.
    able.reduce(|best, next| {
        if score(role, next) > score(role, best) {
            next
        } else {
            best
        }
    })
}

/// Larger is better; compared field by field.
fn score(role: ModelRole, listed: &Listed) -> (bool, bool, bool, bool, u64) {
    let name = listed.model.to_ascii_lowercase();
    let is_preferred = name == preferred(role) || name == format!("{}:latest", preferred(role));
    let speciality = match role {
        ModelRole::Code => name.contains("code"),
        ModelRole::Judge => name.contains("prometheus"),
        ModelRole::Fast | ModelRole::Reason | ModelRole::Extract | ModelRole::Embed => {
            !name.contains("code") && !name.contains("prometheus") && !name.contains("guard")
        }
    };
    let limit = match role {
        ModelRole::Fast | ModelRole::Extract | ModelRole::Embed => FAST_BYTES,
        ModelRole::Reason | ModelRole::Code | ModelRole::Judge => CARD_BYTES,
    };
    let size = listed.size_bytes.unwrap_or(0);
    let fits = size <= limit;
    // A model in memory answers without a swap; that matters where speed does.
    let is_warm = listed.loaded == Some(true) && role == ModelRole::Fast;
    // Above the limit smaller is better.
    let size = if fits { size } else { u64::MAX - size };
    (is_preferred, speciality, fits, is_warm, size)
}

/// Whether a model's name says that it makes embeddings.
#[must_use]
pub fn is_embedder(model: &str) -> bool {
    let name = model.to_ascii_lowercase();
    ["embed", "minilm", "bge-", "e5-", "gte-", "wordllama"]
        .iter()
        .any(|mark| name.contains(mark))
}

/// What a model wants in front of a text, as its model card says.
pub(crate) fn prefix(model: &str, purpose: EmbedPurpose) -> &'static str {
    let name = model.to_ascii_lowercase();
    let (query, document) = if name.contains("nomic-embed") {
        ("search_query: ", "search_document: ")
    } else if name.contains("e5-") {
        ("query: ", "passage: ")
    } else if name.contains("mxbai-embed") || name.contains("bge-") && name.contains("en") {
        (
            "Represent this sentence for searching relevant passages: ",
            "",
        )
    } else {
        ("", "")
    };
    match purpose {
        EmbedPurpose::Query => query,
        EmbedPurpose::Document => document,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(model: &str, gigabytes: u64) -> Listed {
        Listed {
            model: model.to_owned(),
            context_tokens: None,
            size_bytes: Some(gigabytes << 30),
            parameters: None,
            loaded: Some(false),
        }
    }

    #[test]
    fn each_role_gets_what_suits_it() {
        let installed = [
            listed("nomic-embed-text:latest", 1),
            listed("qwen2.5-coder:7b", 5),
            listed("llama3.2:3b", 2),
            listed("qwen2.5:14b-instruct", 9),
            listed("mixtral:8x22b", 80),
        ];
        for (role, expected) in [
            (ModelRole::Fast, "llama3.2:3b"),
            (ModelRole::Reason, "qwen2.5:14b-instruct"),
            (ModelRole::Code, "qwen2.5-coder:7b"),
            (ModelRole::Judge, "qwen2.5:14b-instruct"),
            (ModelRole::Extract, "llama3.2:3b"),
            (ModelRole::Embed, "nomic-embed-text:latest"),
        ] {
            let chosen = best(role, &installed).map(|one| one.model.as_str());
            assert_eq!(chosen, Some(expected), "{role:?}");
        }
    }

    #[test]
    fn a_chat_model_never_embeds_and_an_embedder_never_chats() {
        let only_chat = [listed("llama3.2:3b", 2)];
        let only_embed = [listed("all-minilm:latest", 1)];
        assert!(best(ModelRole::Embed, &only_chat).is_none());
        assert!(best(ModelRole::Fast, &only_embed).is_none());
    }

    #[test]
    fn a_loaded_model_answers_quick_questions() {
        let mut warm = listed("small", 1);
        warm.loaded = Some(true);
        let installed = [listed("larger", 4), warm];
        assert_eq!(best(ModelRole::Fast, &installed).unwrap().model, "small");
        assert_eq!(best(ModelRole::Reason, &installed).unwrap().model, "larger");
    }
}
