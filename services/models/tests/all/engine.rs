//! The embedded engine's process: found, started on first use, started again after a crash.
//!
//! The engine here is this test program itself, started by a script; what is reached at its socket is
//! the contract's fake.

use crate::support;
use crate::support::{Answer, ask, question, role};
use api::models::{ChatChunk, ErrorKind, Models};
use contracts::{FakeModels, Reply};
use domain::model::{ModelRole, Usage};
use futures::StreamExt;
use models::{Config, EngineSettings, ProviderConfig, ProviderType, Service};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where the engine listens, when this process is one.
const SOCKET: &str = "HOUSECARL_TEST_ENGINE_SOCKET";

/// Not a test by itself: what a started engine does.
#[test]
fn serves_when_started_as_an_engine() {
    let Some(socket) = std::env::var_os(SOCKET).map(PathBuf::from) else {
        return;
    };
    let lock = format!("{}.lock", socket.display());
    std::fs::write(lock, "").unwrap();
    let listener = UnixListener::bind(socket).unwrap();
    for caller in listener.incoming() {
        drop(caller.unwrap());
    }
}

/// What the gateway reaches at the socket of an engine that is up.
fn connected(_socket: &Path) -> Arc<dyn Models> {
    let reply = Reply::says("I am the engine.").usage(Usage {
        prompt_tokens: 12,
        completion_tokens: 5,
        ..Usage::default()
    });
    Arc::new(FakeModels::new(vec![reply; 8]))
}

/// A folder with a model and an engine whose script does something before it serves.
fn installed(folder: &Path, before: &str) -> EngineSettings {
    let models = folder.join("models");
    std::fs::create_dir_all(&models).unwrap();
    std::fs::write(models.join("small.gguf"), "weights").unwrap();
    let program = folder.join("carl-engine");
    let own = std::env::current_exe().unwrap();
    let script = format!(
        "#!/bin/sh\n\
         echo \"$@\" >> {log}\n\
         {before}\n\
         [ \"$1\" = --listen ] || exit 9\n\
         {SOCKET}=\"${{2#unix:}}\" exec {own} --exact engine::serves_when_started_as_an_engine --nocapture\n",
        log = folder.join("starts").display(),
        own = own.display(),
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    EngineSettings {
        program: Some(program),
        models_folder: models,
        socket_folder: folder.join("run"),
        idle_exit: Duration::from_secs(60),
        connect: connected,
    }
}

fn service(settings: EngineSettings) -> Service {
    let mut config = Config {
        limits: support::limits(),
        ..Config::default()
    };
    config.discovery.enabled = false;
    config.providers.insert(
        "embedded".into(),
        ProviderConfig::new(ProviderType::Embedded, None),
    );
    Service::new(config, None, settings).unwrap()
}

async fn asked(service: &Service) -> Answer {
    let mut request = question();
    request.model = role(ModelRole::Fast);
    ask(service, request).await
}

fn starts(folder: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("starts")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn it_is_started_once_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(installed(folder.path(), ""));
    assert!(starts(folder.path()).is_empty(), "not before it is needed");
    for _ in 0..2 {
        let answer = asked(&service).await;
        assert_eq!(answer.text, "I am the engine.", "{:?}", answer.error);
        assert_eq!(answer.model, "embedded/small");
        assert_eq!(answer.usage.unwrap().prompt_tokens, 12);
    }
    let starts = starts(folder.path());
    assert_eq!(starts.len(), 1);
    assert!(starts[0].contains("--model") && starts[0].contains("small.gguf"));
    assert!(starts[0].contains("--idle-exit-secs 60"));
    let run = std::fs::metadata(folder.path().join("run")).unwrap();
    assert_eq!(
        run.permissions().mode() & 0o777,
        0o700,
        "the socket's folder is private"
    );
}

#[tokio::test]
async fn it_is_started_again_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("crashed");
    let before = format!(
        "[ -e {0} ] || {{ touch {0}; echo out of memory >&2; exit 3; }}",
        marker.display()
    );
    let service = service(installed(folder.path(), &before));
    let answer = asked(&service).await;
    assert_eq!(answer.text, "I am the engine.", "{:?}", answer.error);
    assert_eq!(starts(folder.path()).len(), 2);
}

#[tokio::test]
async fn an_engine_that_always_crashes_is_given_up_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(installed(folder.path(), "echo bad weights >&2; exit 3"));
    let answer = asked(&service).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Unreachable));
    let error = answer.error.unwrap();
    assert!(error.detail.contains("bad weights"), "{}", error.detail);
    assert_eq!(starts(folder.path()).len(), 3);
}

/// Whoever waits for weights to load is told that nothing has come yet.
#[tokio::test]
async fn an_engine_that_is_slow_to_start_is_said_to_be_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    let made = std::process::Command::new("mkfifo").arg(&gate).status();
    assert!(made.unwrap().success());
    let service = service(installed(
        folder.path(),
        &format!("read -r _ < {}", gate.display()),
    ));
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let mut chunks = service.chat(request).await.unwrap();
    let first = chunks.next().await.unwrap().unwrap();
    let ChatChunk::Notice(fault) = first else {
        panic!("{first:?}");
    };
    assert_eq!(fault.code, "models.quiet", "{fault:?}");
    assert!(fault.message.contains("embedded"), "{fault:?}");
    std::fs::write(&gate, "go\n").unwrap();
    let mut text = String::new();
    while let Some(chunk) = chunks.next().await {
        if let ChatChunk::Text(delta) = chunk.unwrap() {
            text.push_str(&delta);
        }
    }
    assert_eq!(text, "I am the engine.");
}

#[tokio::test]
async fn it_ends_with_the_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(installed(folder.path(), ""));
    asked(&service).await;
    let left = || {
        std::fs::read_dir(folder.path().join("run"))
            .unwrap()
            .count()
    };
    assert!(left() > 0);
    drop(service);
    assert_eq!(left(), 0, "neither the socket nor its lock");
}

#[tokio::test]
async fn what_is_not_installed_is_said_with_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = installed(folder.path(), "");
    settings.program = Some(folder.path().join("elsewhere"));
    let service = service(settings);
    let answer = asked(&service).await;
    assert_eq!(answer.kind(), Some(ErrorKind::NotConfigured));
    assert!(answer.error.unwrap().hint.contains("cargo xtask setup"));
    let health = service.health().await.unwrap();
    assert!(health[0].fault.is_some());
}
