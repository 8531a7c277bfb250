//! Endpoints: who may listen where, what is offered, and what is lost and found again.

use crate::support::{Running, Served, Transport, folder, serve};
use api::models::{ChatChunk, ErrorKind, Models};
use api::sessions::{Follow, SendRequest, Sessions};
use contracts::{Act, FakeModels, FakeSessions, Reply, within};
use domain::event::{ConfirmationKind, ConfirmationRequest, Event, EventBody};
use domain::fault::Coded;
use domain::hash::Digest;
use domain::id::{ConfirmationId, SessionId};
use domain::limits::{WIRE_CONNECTIONS, WIRE_ERROR_BYTES, WIRE_MESSAGE_BYTES};
use domain::lineage::AgentType;
use domain::message::Message;
use domain::model::{ModelChoice, ModelRole, Think};
use domain::tool::EffectClass;
use futures::StreamExt;
use grpc::models::Client;
use grpc::server::{Builder, Error};
use grpc::{BindError, Endpoint, Listen};
use prost::Message as _;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use uuid::Uuid;

fn models() -> Builder {
    Builder::new().models(Arc::new(FakeModels::default()))
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

async fn tokens(client: &Client, text: String) -> Result<u64, api::models::Error> {
    let model = ModelChoice::Role(ModelRole::Fast);
    within("tokens are counted", client.count_tokens(model, text)).await
}

async fn stop(mut served: Served) -> tempfile::TempDir {
    served.stop.take().unwrap().send(()).unwrap();
    within("the endpoint stops", served.task)
        .await
        .unwrap()
        .unwrap();
    served.folder
}

#[tokio::test]
async fn a_socket_is_the_users_alone_and_goes_with_its_endpoint() {
    let folder = folder();
    let path = folder.path().join("made/here/carl.sock");
    let bound = models().bind(&Listen::Unix(path.clone())).await.unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    drop(bound);
    assert!(!path.exists(), "the socket's file stays behind");
}

/// Asks an endpoint as someone else and prints how many bytes come back.
const STRANGER: &str = r#"
import socket, sys
stream = socket.socket(socket.AF_UNIX)
stream.connect(sys.argv[1])
try:
    stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
    print(len(stream.recv(100)))
except OSError:
    print(0)
"#;

/// Only root can start a process as someone else; for other users the check of ids stands alone,
/// in the unit test of the socket module.
#[tokio::test]
async fn a_process_of_another_user_gets_no_byte() {
    let served = serve(Transport::Unix, models()).await;
    let Endpoint::Unix(path) = &served.endpoint else {
        unreachable!()
    };
    // Opened wide, so that nothing but the check of the peer stands in the way.
    std::fs::set_permissions(served.folder.path(), Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o666)).unwrap();
    let ask = |user: u32| {
        let mut python = tokio::process::Command::new("python3");
        python.args(["-c", STRANGER]).arg(path).uid(user).output()
    };
    let own = rustix::process::geteuid().as_raw();
    let answered = ask(own).await.unwrap();
    assert_ne!(
        String::from_utf8_lossy(&answered.stdout).trim(),
        "0",
        "{answered:?}"
    );
    if own == 0 {
        let refused = ask(65_534).await.unwrap();
        assert_eq!(
            String::from_utf8_lossy(&refused.stdout).trim(),
            "0",
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_folder_that_others_may_write_holds_no_socket() {
    let folder = folder();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let path = folder.path().join("carl.sock");
    let refused = models().bind(&Listen::Unix(path.clone())).await;
    assert!(matches!(
        refused,
        Err(Error::Bind(BindError::Unsafe { .. }))
    ));
    assert!(!path.exists());
}

#[tokio::test]
async fn a_socket_in_use_is_left_alone_and_a_stale_one_is_replaced() {
    let folder = folder();
    let listen = Listen::Unix(folder.path().join("carl.sock"));
    let Listen::Unix(path) = &listen else {
        unreachable!()
    };
    let first = models().bind(&listen).await.unwrap();
    let second = models().bind(&listen).await;
    assert!(matches!(second, Err(Error::Bind(BindError::InUse { .. }))));
    drop(first);

    // What a killed process leaves behind.
    drop(std::os::unix::net::UnixListener::bind(path).unwrap());
    assert!(path.exists());
    drop(models().bind(&listen).await.unwrap());

    std::fs::write(path, "someone's notes").unwrap();
    let refused = models().bind(&listen).await;
    assert!(matches!(
        refused,
        Err(Error::Bind(BindError::Unsafe { .. }))
    ));
    assert_eq!(std::fs::read_to_string(path).unwrap(), "someone's notes");
}

/// CI once lost a test to a socket that was there and did not listen yet.
#[tokio::test]
async fn a_socket_takes_connections_from_the_moment_it_is_there() {
    let folder = folder();
    for round in 0..200 {
        let path = folder.path().join(format!("{round}.sock"));
        let seen = path.clone();
        let first = tokio::task::spawn_blocking(move || {
            loop {
                match std::os::unix::net::UnixStream::connect(&seen) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    connected => return connected.and_then(|_| std::fs::metadata(&seen)),
                }
            }
        });
        let _bound = models().bind(&Listen::Unix(path)).await.unwrap();
        let mode = first.await.unwrap().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let hidden = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.unwrap().file_name();
        name.to_string_lossy().starts_with('.')
    };
    assert!(!std::fs::read_dir(folder.path()).unwrap().any(hidden));
}

#[tokio::test]
async fn health_and_reflection_name_what_is_offered_and_nothing_else() {
    for transport in Transport::ALL {
        let served = serve(transport, models()).await;
        assert!(grpc::answers(&served.endpoint).await);
        let channel = channel(&served.endpoint);
        let mut health = HealthClient::new(channel.clone());
        let check = |service: &str| HealthCheckRequest {
            service: service.to_owned(),
        };
        let offered = health.check(check("housecarl.v1.Models")).await.unwrap();
        assert_eq!(offered.into_inner().status, 1);
        let other = health
            .check(check("housecarl.v1.Broker"))
            .await
            .unwrap_err();
        assert_eq!(other.code(), Code::NotFound);

        let names = listed_by_v1(channel.clone()).await;
        assert!(names.contains(&"housecarl.v1.Models".to_owned()));
        let control = names.iter().find(|name| name.ends_with("BrokerControl"));
        assert_eq!(control, None);
        assert_eq!(listed_by_v1alpha(channel).await, names);
    }
}

/// The services that reflection lists, in one of its versions.
macro_rules! listed_by {
    ($name:ident, $version:ident) => {
        async fn $name(channel: tonic::transport::Channel) -> Vec<String> {
            use tonic_reflection::pb::$version as pb;
            let request = pb::ServerReflectionRequest {
                host: String::new(),
                message_request: Some(pb::server_reflection_request::MessageRequest::ListServices(
                    String::new(),
                )),
            };
            let mut reflection = pb::server_reflection_client::ServerReflectionClient::new(channel);
            let requests = futures::stream::iter([request]);
            let answers = reflection.server_reflection_info(requests).await.unwrap();
            let answer = answers.into_inner().next().await.unwrap().unwrap();
            let Some(pb::server_reflection_response::MessageResponse::ListServicesResponse(list)) =
                answer.message_response
            else {
                panic!("no list of services");
            };
            list.service.into_iter().map(|one| one.name).collect()
        }
    };
}

listed_by!(listed_by_v1, v1);
listed_by!(listed_by_v1alpha, v1alpha);

#[tokio::test]
async fn who_serves_and_on_which_terms_is_told() {
    for transport in Transport::ALL {
        let terms = "{\"values\": {}}".to_owned();
        let served = serve(transport, models().terms(terms.clone())).await;
        let host = grpc::host(&served.endpoint).await.unwrap();
        assert_eq!(host.terms_json, terms);
        assert_eq!(grpc::host(&served.endpoint).await, Some(host.clone()));
        let next = serve(transport, models().terms(terms)).await;
        let other = grpc::host(&next.endpoint).await.unwrap();
        assert_ne!(other.instance, host.instance);
        let silent = serve(transport, models()).await;
        assert_eq!(grpc::host(&silent.endpoint).await, None);
    }
}

#[tokio::test]
async fn who_begins_to_serve_while_it_is_asked_about_another_is_not_taken_for_it() {
    let folder = folder();
    let path = folder.path().join("carl.sock");
    let endpoint = Endpoint::Unix(path.clone());
    let begin = async |path: &Path| {
        let offer = models().terms("{}".to_owned());
        let bound = offer.bind(&Listen::Unix(path.to_owned())).await.unwrap();
        drop(tokio::spawn(bound.serve(std::future::pending())));
    };
    let other_path = folder.path().join("other.sock");
    begin(&other_path).await;
    let before = grpc::host(&Endpoint::Unix(other_path.clone()))
        .await
        .unwrap();
    let there = Endpoint::Unix(other_path);
    assert!(grpc::still_serves(&there, Some(&before.instance)).await);
    assert!(grpc::still_serves(&there, None).await);

    // The first question goes to one that ends without an answer, and then others serve.
    let ending = tokio::net::UnixListener::bind(&path).unwrap();
    let asked = tokio::spawn({
        let (endpoint, known) = (endpoint.clone(), before.instance.clone());
        async move { grpc::still_serves(&endpoint, Some(&known)).await }
    });
    let (question, _) = ending.accept().await.unwrap();
    std::fs::remove_file(&path).unwrap();
    begin(&path).await;
    drop((question, ending));
    assert!(!asked.await.unwrap());
    assert!(grpc::host(&endpoint).await.is_some());
}

/// A connection made without this crate, as other programs make it.
fn channel(endpoint: &Endpoint) -> tonic::transport::Channel {
    let target = match endpoint {
        Endpoint::Unix(path) => format!("unix://{}", path.display()),
        Endpoint::Tcp { host, port } => format!("http://{host}:{port}"),
    };
    tonic::transport::Endpoint::from_shared(target)
        .unwrap()
        .connect_lazy()
}

#[tokio::test]
async fn a_client_finds_a_server_that_comes_late_or_comes_back() {
    let folder = folder();
    let listen = Listen::Unix(folder.path().join("carl.sock"));
    let endpoint = Endpoint::from(&listen);
    let client = Client::connect(&endpoint);
    let error = tokens(&client, "x".to_owned()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(
        error.detail.contains(&endpoint.to_string()),
        "{}",
        error.detail
    );
    assert!(!error.hint.is_empty());
    assert!(!grpc::answers(&endpoint).await);

    for _ in 0..2 {
        let bound = models().bind(&listen).await.unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let task = tokio::spawn(bound.serve(async {
            let _ = stopped.await;
        }));
        assert_eq!(tokens(&client, "four".to_owned()).await.unwrap(), 1);
        drop(stop);
        within("the endpoint stops", task).await.unwrap().unwrap();
        let gone = tokens(&client, "x".to_owned()).await.unwrap_err();
        assert_eq!(gone.kind, ErrorKind::Unreachable);
    }
}

#[tokio::test]
async fn a_service_that_is_not_offered_is_said_to_be_missing() {
    let running = Running::default();
    let endpoint = running.serve(Transport::Unix, Builder::new()).await;
    let error = tokens(&Client::connect(&endpoint), "x".to_owned())
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotConfigured);
    let broker = grpc::control::Client::connect(&endpoint);
    let error = api::broker::Control::list_tools(&broker).await.unwrap_err();
    assert_eq!(error.code(), "broker.not_offered");
}

#[tokio::test]
async fn a_server_that_dies_in_mid_answer_is_an_interruption() {
    let fake = Arc::new(FakeModels::new([Reply::new().text("half").hang()]));
    let served = serve(Transport::Unix, Builder::new().models(fake.clone())).await;
    let client = Client::connect(&served.endpoint);
    let text = "talk".to_owned();
    let role = ModelChoice::Role(ModelRole::Fast);
    let request = api::models::ChatRequest::new(role, vec![Message::User { text }]);
    let mut chunks = client.chat(request).await.unwrap();
    while !matches!(chunks.next().await.unwrap().unwrap(), ChatChunk::Text(_)) {}
    stop(served).await;
    let last = within("the stream ends", chunks.next())
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(last.kind, ErrorKind::Interrupted, "{last:?}");
    assert!(chunks.next().await.is_none());
    within("the model is stopped", fake.cancelled().at_least(1)).await;
}

/// A session opened through a client.
async fn opened(client: &grpc::sessions::Client) -> SessionId {
    let profile = domain::settings::SessionProfile {
        name: String::new(),
        agent_type: AgentType::new("assistant").unwrap(),
        mode: domain::settings::Mode::Loop,
        model: None,
        context_tokens: None,
        provider: None,
        think: Think::Default,
        settings: domain::settings::SessionSettings::closed("/work".into()),
    };
    let opening = client.open(api::sessions::OpenRequest::New(profile));
    opening.await.unwrap().session_id
}

#[tokio::test]
async fn a_question_ends_with_the_endpoint_that_takes_its_answer() {
    let question = ConfirmationRequest {
        confirmation_id: ConfirmationId::from_uuid(Uuid::from_u128(1)),
        kind: ConfirmationKind::Call,
        agent_type: AgentType::new("assistant").unwrap(),
        lineage: Vec::new(),
        batch: None,
        effect: EffectClass::Exec,
        reason: String::new(),
        rendering: String::new(),
        diff: None,
        steps: Vec::new(),
        binding: Digest::of(b"call"),
        expires: domain::Timestamp::UNIX_EPOCH,
    };
    let sessions = FakeSessions::new().with_script("ask me", [Act::Ask(question)]);
    let services = Builder::new().sessions(Arc::new(sessions));
    let mut served = serve(Transport::Unix, services).await;
    let client = grpc::sessions::Client::connect(&served.endpoint);
    let id = opened(&client).await;
    let asking = client.send(SendRequest::new(id, "ask me"));
    let mut events = asking.await.unwrap();
    let is_question = |event: &Event| matches!(event.body, EventBody::ConfirmationAsked(_));
    while !is_question(&events.next().await.unwrap().unwrap()) {}
    served.stop.take().unwrap().send(()).unwrap();
    // Said by the endpoint itself: no connection was cut yet.
    let last = within("the question is let go", events.next()).await;
    let error = last.unwrap().unwrap_err();
    assert_eq!(error.code(), "sessions.unreachable");
    assert!(error.to_string().contains("is stopping"), "{error}");
}

#[tokio::test]
async fn an_endpoint_stops_although_a_reader_is_attached() {
    let sessions = Arc::new(FakeSessions::new());
    let served = serve(Transport::Tcp, Builder::new().sessions(sessions)).await;
    let client = grpc::sessions::Client::connect(&served.endpoint);
    let id = opened(&client).await;
    let mut attached = client.attach(id, 1, Follow::Live).await.unwrap();
    attached.next().await.unwrap().unwrap();
    stop(served).await;
    let last = within("the reader is let go", attached.next()).await;
    assert_eq!(last.unwrap().unwrap_err().code(), "sessions.unreachable");
}

#[tokio::test]
async fn a_message_at_the_limit_passes_and_one_byte_more_does_not() {
    let running = Running::default();
    let endpoint = running.serve(Transport::Unix, models()).await;
    let client = Client::connect(&endpoint);
    let mut request = proto::CountTokensRequest {
        model: Some(ModelChoice::Role(ModelRole::Fast).into()),
        text: "x".repeat(WIRE_MESSAGE_BYTES / 2),
    };
    let overhead = request.encoded_len() - request.text.len();
    request.text = "x".repeat(WIRE_MESSAGE_BYTES - overhead);
    assert_eq!(request.encoded_len(), WIRE_MESSAGE_BYTES);
    let at_the_limit = request.text;
    let one_more = format!("{at_the_limit}x");
    assert!(tokens(&client, at_the_limit).await.is_ok());
    let error = tokens(&client, one_more).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error:?}");
    assert_eq!(
        tokens(&client, "four".to_owned()).await.unwrap(),
        1,
        "the connection lives on"
    );
}

#[tokio::test]
async fn an_answer_beyond_the_limit_ends_with_that_error() {
    let running = Running::default();
    let reply = Reply::says("x".repeat(WIRE_MESSAGE_BYTES + 1));
    let services = Builder::new().models(Arc::new(FakeModels::new([reply])));
    let client = Client::connect(&running.serve(Transport::Unix, services).await);
    let role = ModelChoice::Role(ModelRole::Fast);
    let request = api::models::ChatRequest::new(role.clone(), Vec::new());
    let chunks: Vec<_> = client.chat(request).await.unwrap().collect().await;
    let Some(Err(error)) = chunks.last() else {
        panic!("the answer passed");
    };
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error:?}");
    assert_eq!(tokens(&client, "four".to_owned()).await.unwrap(), 1);
}

#[tokio::test]
async fn an_endless_error_text_is_cut_and_keeps_its_kind() {
    let running = Running::default();
    let detail = "ä☂".repeat(100_000);
    let reply = Reply::refused(ErrorKind::Server, &detail).with_hint(&detail);
    let services = Builder::new().models(Arc::new(FakeModels::new([reply])));
    let client = Client::connect(&running.serve(Transport::Unix, services).await);
    let request = api::models::ChatRequest::new(ModelChoice::Role(ModelRole::Fast), Vec::new());
    let Err(error) = client.chat(request).await else {
        panic!("the error did not arrive");
    };
    assert_eq!(error.kind, ErrorKind::Server);
    for text in [&error.detail, &error.hint] {
        assert!(
            detail.starts_with(text) && text.len() > WIRE_ERROR_BYTES - 4,
            "{}",
            text.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_beyond_the_limit_waits_for_a_free_slot() {
    let served = serve(Transport::Unix, models()).await;
    let Endpoint::Unix(path) = &served.endpoint else {
        unreachable!()
    };
    let mut idle = Vec::new();
    for _ in 0..WIRE_CONNECTIONS {
        idle.push(UnixStream::connect(path).await.unwrap());
    }
    let client = Client::connect(&served.endpoint);
    let mut waiting = Box::pin(tokens(&client, "four".to_owned()));
    let early = tokio::time::timeout(Duration::from_millis(300), &mut waiting).await;
    assert!(early.is_err(), "answered although every slot is taken");
    idle.pop();
    assert_eq!(waiting.await.unwrap(), 1);
}
