//! Secrets behind a socket: the same promises, and nothing for who does not show the token.

use crate::support::{Running, Transport};
use api::secrets::{Error, Refusals, SecretValue, Secrets};
use async_trait::async_trait;
use contracts::{FakeSecrets, secrets_suite};
use domain::fault::Coded;
use grpc::Endpoint;
use grpc::secrets::{Client, InvalidToken, Token};
use grpc::server::Builder;
use proto::GetSecretRequest;
use proto::secrets_client::SecretsClient;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeefe";

fn token(text: &str) -> Token {
    Token::new(text).unwrap()
}

/// How many were refused.
#[derive(Default)]
struct Refused(AtomicUsize);

#[async_trait]
impl Refusals for Refused {
    async fn refused(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

async fn served(running: &Running, transport: Transport, secrets: Arc<dyn Secrets>) -> Endpoint {
    told(running, transport, secrets, Arc::default()).await
}

async fn told(
    running: &Running,
    transport: Transport,
    secrets: Arc<dyn Secrets>,
    refused: Arc<Refused>,
) -> Endpoint {
    let services = Builder::new().secrets(secrets, refused, token(TOKEN));
    running.serve(transport, services).await
}

async fn refusal(client: &Client, name: &str) -> Error {
    match client.get_secret(name).await {
        Ok(_) => panic!("a secret was given"),
        Err(error) => error,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_over_each_transport() {
    for transport in Transport::ALL {
        let running = Running::default();
        let store = Arc::new(FakeSecrets::default());
        let endpoint = served(&running, transport, store.clone()).await;
        let client = Client::connect(&endpoint, token(TOKEN));
        secrets_suite::conformance(&client, &*store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_token_there_is_nothing() {
    for transport in Transport::ALL {
        let running = Running::default();
        let store = Arc::new(FakeSecrets::default().with("work", "hunter2"));
        let refused = Arc::new(Refused::default());
        let endpoint = told(&running, transport, store, refused.clone()).await;
        let wrong = Client::connect(&endpoint, token(OTHER));
        // Not even whether there is such a secret.
        for name in ["work", "absent", "no name"] {
            assert!(matches!(refusal(&wrong, name).await, Error::NotPermitted));
        }
        assert_eq!(refused.0.load(Ordering::SeqCst), 3);
        let right = Client::connect(&endpoint, token(&format!(" {TOKEN}\n")));
        assert!(right.get_secret("work").await.unwrap().matches(b"hunter2"));
        assert_eq!(refused.0.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_shows_nothing_at_all_is_refused() {
    let running = Running::default();
    let store = Arc::new(FakeSecrets::default().with("work", "hunter2"));
    let endpoint = served(&running, Transport::Tcp, store).await;
    let Endpoint::Tcp { host, port } = &endpoint else {
        panic!("served on {endpoint}");
    };
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{host}:{port}"))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut bare = SecretsClient::new(channel);
    let name = "work".to_owned();
    let Err(status) = bare.get_secret(GetSecretRequest { name }).await else {
        panic!("a secret was given");
    };
    assert_eq!(status.code(), tonic::Code::PermissionDenied);
    assert!(!format!("{status:?}").contains("hunter2"));
}

struct Faulty(fn() -> Error);

#[async_trait]
impl Secrets for Faulty {
    async fn get_secret(&self, _: &str) -> Result<SecretValue, Error> {
        Err((self.0)())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_error_arrives_as_it_left() {
    let detail = || "because".to_owned();
    let errors: [fn() -> Error; 6] = [
        || Error::NotChosen,
        || Error::NotPermitted,
        || Error::NotFound {
            name: "work".to_owned(),
        },
        || Error::Locked {
            detail: "because".to_owned(),
        },
        || Error::Sealed {
            detail: "because".to_owned(),
        },
        || Error::Unavailable {
            detail: "because".to_owned(),
            hint: "do this".to_owned(),
        },
    ];
    let running = Running::default();
    for error in errors {
        let endpoint = served(&running, Transport::Unix, Arc::new(Faulty(error))).await;
        let client = Client::connect(&endpoint, token(TOKEN));
        let (sent, arrived) = (error(), refusal(&client, "work").await);
        assert_eq!(arrived.code(), sent.code());
        assert_eq!(arrived.hint(), sent.hint());
        if sent.to_string().contains(&detail()) {
            assert!(arrived.to_string().contains(&detail()), "{arrived}");
        }
    }
}

struct Endless;

#[async_trait]
impl Secrets for Endless {
    async fn get_secret(&self, _: &str) -> Result<SecretValue, Error> {
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_never_answers_is_given_up() {
    let running = Running::default();
    let endpoint = served(&running, Transport::Unix, Arc::new(Endless)).await;
    let client = Client::connect(&endpoint, token(TOKEN));
    let error = refusal(&client, "work").await;
    assert_eq!(error.code(), "secrets.unavailable");
    let told = error.to_string();
    assert!(told.contains("did not answer within 2 s"), "{told}");
}

#[test]
fn a_token_is_hexadecimal_and_long() {
    for bad in [
        "",
        &TOKEN[1..],
        &format!("{TOKEN}0"),
        &TOKEN.replace('0', "g"),
    ] {
        assert_eq!(Token::new(bad).err(), Some(InvalidToken));
    }
}
