//! Embeddings where no model runs: a word table is chosen last, says so, and finds by meaning.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code: a broken promise has to fail loudly, and says what it left out"
)]

use crate::support;
use crate::support::server::{Reply, Server};
use crate::support::{ask, exact, question, role};
use api::models::{EmbedPurpose, EmbedRequest, Embeddings, Error, ErrorKind, Models};
use domain::model::{ModelChoice, ModelRole};
use models::{Config, EngineSettings, ProviderConfig, ProviderType, Service};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The table that setup installs.
const NAME: &str = "wordllama-l2-supercat-256";

/// Writes a table with the pieces `▁`, `a` and `b`.
fn write_table(models: &Path) {
    let folder = models.join(NAME);
    std::fs::create_dir_all(&folder).unwrap();
    let mut vocabulary = serde_json::Map::new();
    let bytes = (0..=255_u8).map(|byte| format!("<0x{byte:02X}>"));
    for piece in bytes.chain(["▁", "a", "b"].map(str::to_owned)) {
        let number = vocabulary.len();
        vocabulary.insert(piece, json!(number));
    }
    let tokenizer = json!({
        "normalizer": {"type": "Prepend", "prepend": "▁"},
        "pre_tokenizer": null,
        "model": {"type": "BPE", "byte_fallback": true, "vocab": vocabulary, "merges": []},
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    // Half-precision ones: `a` points one way, `b` the other, everything else nowhere.
    let mut rows = vec![0_u8; 259 * 4];
    rows[257 * 4 + 1] = 0x3c;
    rows[258 * 4 + 3] = 0x3c;
    let header = json!({"embedding.weight": {
        "dtype": "F16", "shape": [259, 2], "data_offsets": [0, rows.len()],
    }})
    .to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.into_bytes());
    file.extend(rows);
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
}

/// A machine with this folder of models and no engine.
fn machine(models: PathBuf, config: Config) -> Service {
    let settings = EngineSettings {
        program: Some(models.join("no-engine")),
        socket_folder: models.join("run"),
        models_folder: models,
        idle_exit: Duration::from_secs(1),
        connect: |_| unreachable!("there is no engine"),
    };
    Service::new(config, None, settings).unwrap()
}

/// Nothing configured and nothing to find but what is in the models folder.
fn alone() -> Config {
    let mut config = Config {
        limits: support::limits(),
        ..Config::default()
    };
    config.discovery.enabled = false;
    config
}

async fn embed(service: &Service, texts: &[&str]) -> Result<Embeddings, Error> {
    let request = EmbedRequest {
        model: role(ModelRole::Embed),
        purpose: EmbedPurpose::Query,
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
    };
    service.embed(request).await
}

#[tokio::test]
async fn it_embeds_where_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let service = machine(folder.path().to_owned(), alone());
    let none = embed(&service, &["a"]).await.unwrap_err();
    assert_eq!(none.kind, ErrorKind::NotConfigured, "{none}");
    write_table(folder.path());
    let made = embed(&service, &["a", "b", "a b", "?"]).await.unwrap();
    assert_eq!(made.model.to_string(), format!("static/{NAME}"));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let meant = [[1.0, 0.0], [0.0, 1.0], [half, half], [0.0, 0.0]];
    assert_eq!(made.vectors, meant, "no prefix changes what was asked");
}

#[tokio::test]
async fn it_is_the_last_choice_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path());
    let embedder = folder.path().join("all-minilm");
    std::fs::create_dir_all(&embedder).unwrap();
    for file in ["config.json", "model.safetensors"] {
        std::fs::write(embedder.join(file), "{}").unwrap();
    }
    // Weights without the engine are no choice.
    let service = machine(folder.path().to_owned(), alone());
    let made = embed(&service, &["a"]).await.unwrap();
    assert_eq!(made.model.provider, "static");
    let mut named = alone();
    let engine = ProviderConfig::new(ProviderType::Embedded, None);
    named.providers.insert("embedded".into(), engine);
    let service = machine(folder.path().to_owned(), named);
    let made = embed(&service, &["a"]).await.unwrap();
    assert_eq!(made.model.provider, "static");
    // A server without an embedding model leaves them to the table, one with such a model does not.
    for (installed, expected) in [("chat:1b", "static"), ("nomic-embed-text", "test")] {
        let server = Server::start(move |request, _| match request.path.as_str() {
            "/api/embed" => Reply::json(&json!({"embeddings": [[1.0, 2.0, 3.0]]})),
            _ => Reply::json(&json!({"models": [
                {"name": "chat:1b", "model": "chat:1b"}, {"name": installed, "model": installed}]})),
        })
        .await;
        let mut config = support::config(ProviderType::Ollama, &server.url);
        config.discovery.embedded = true;
        let service = machine(folder.path().to_owned(), config);
        let made = embed(&service, &["a"]).await.unwrap();
        assert_eq!(made.model.provider, expected);
        let known = service.list_models().await.unwrap();
        let embeds: Vec<&str> = known
            .iter()
            .filter(|one| one.roles.contains(&ModelRole::Embed))
            .map(|one| one.model.provider.as_str())
            .collect();
        assert_eq!(embeds, [expected]);
        let health = service.health().await.unwrap();
        let table = health.iter().find(|one| one.provider == "static");
        assert_eq!(table.is_some(), expected == "static");
        if let Some(table) = table {
            assert!(table.fault.is_none());
            assert!(table.note.contains("word table"), "{}", table.note);
        }
    }
    let mut without = alone();
    without.discovery.embedded = false;
    let service = machine(folder.path().to_owned(), without);
    assert!(embed(&service, &["a"]).await.is_err(), "it was not allowed");
}

#[tokio::test]
async fn it_does_not_talk_and_hides_no_missing_server() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path());
    let service = machine(folder.path().to_owned(), alone());
    let mut request = question();
    request.model = ModelChoice::Exact(format!("static/{NAME}").parse().unwrap());
    assert_eq!(
        ask(&service, request).await.kind(),
        Some(ErrorKind::Rejected)
    );
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let refused = ask(&service, request).await;
    assert_eq!(refused.kind(), Some(ErrorKind::NotConfigured));
    let port = support::server::unused_port().await;
    let mut config = support::config(ProviderType::Ollama, &format!("http://127.0.0.1:{port}"));
    config.discovery.embedded = true;
    let service = machine(folder.path().to_owned(), config);
    let down = service.list_models().await.unwrap_err();
    assert_eq!(down.kind, ErrorKind::Unreachable);
    let made = embed(&service, &["a"]).await.unwrap();
    assert_eq!(made.model.provider, "static");
    let counted = service.count_tokens(exact(), "a".to_owned()).await;
    assert!(counted.is_ok());
}

#[tokio::test]
async fn a_broken_table_is_said() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path());
    std::fs::write(folder.path().join(NAME).join("model.safetensors"), "no").unwrap();
    let service = machine(folder.path().to_owned(), alone());
    let error = embed(&service, &["a"]).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotConfigured);
    assert!(error.detail.contains(NAME), "{error}");
    assert!(error.hint.contains("cargo xtask setup"), "{}", error.hint);
}

/// The table that setup installs; none where it is not there.
async fn real() -> Option<Service> {
    let models = PathBuf::from(std::env::var_os("HOUSE_MODELS")?);
    let is_there = models.join(NAME).is_dir();
    is_there.then(|| machine(models, alone()))
}

#[tokio::test]
async fn the_real_table_finds_a_paraphrase_and_cuts_as_its_makers_do() {
    let Some(service) = real().await else {
        println!("left out: HOUSE_MODELS names no folder with {NAME}");
        return;
    };
    let texts = [
        "How do I fix a flat tyre on my bike?",
        "Repairing a punctured bicycle wheel",
        "A recipe for lemon cake with almonds",
        "The court adjourned the hearing until Monday",
    ];
    let made = embed(&service, &texts).await.unwrap();
    let near = |other: usize| -> f32 {
        let pairs = made.vectors[0].iter().zip(&made.vectors[other]);
        pairs.map(|(a, b)| a * b).sum()
    };
    assert_eq!(made.vectors[0].len(), 256);
    assert!(near(1) > 0.3, "{}", near(1));
    assert!(near(1) > near(2) + 0.1 && near(1) > near(3) + 0.1);
    let model = ModelChoice::Exact(made.model);
    for (text, pieces) in [
        ("The quick brown fox doesn't jump; it's 3.14 km away.", 21),
        ("Grüße aus Köln, schöne Straße — 10 €", 15),
        ("naïve 東京 🦊 tab\tline\nend  two spaces", 19),
        ("", 0),
        ("internationalisation", 2),
    ] {
        let counted = service.count_tokens(model.clone(), text.to_owned()).await;
        assert_eq!(counted.unwrap(), pieces, "{text}");
    }
}
